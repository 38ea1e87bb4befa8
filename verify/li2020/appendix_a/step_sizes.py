"""Appendix A.3 of Li et al. (2020), the step sizes eta_t = 2/(mu (gamma + t)) with gamma = max{8 kappa, E} - 1.

Signs for all t, E and kappa.  From t0 = 0 on the rule gives what the proof of Lemma 3 needs, although the hypothesis of
the lemma at t = 0, eta_0 <= 2 eta_E, fails when E > 8 kappa - 1.
"""

from fractions import Fraction

from fltheory.evidence.algebra import by_relations, statement_of_algebra
from fltheory.evidence.kinds import algebra_claim, run_script
from fltheory.evidence.model import Control, Evidence
from fltheory.evidence.relations import Relations

_MAXIMUM = r"\eta_t=\frac2{\mu(\gamma+t)},\ M=\max\{8\kappa,E\}\text{ or larger}:\quad "
_CHOICE = "mu > 0; L >= mu; kappa = L/mu; M >= 8*kappa; 1 <= E <= M; gamma = M - 1"
of_the_choice = algebra_claim.sharing(source="Appendix A.3, choice of the step sizes")

li_a3_lr_1 = statement_of_algebra(
    "LI-A3-LR.1",
    Relations(f"2/(mu*(gamma + t)) <= 2*(2/(mu*(gamma + t + E))) for {_CHOICE}; t >= 1"),
    says=_MAXIMUM,
    false={
        "t >= 0 instead of t >= 1": ("t >= 1", "t >= 0"),
        "gamma = max(8 kappa, E) - 2": ("gamma = M - 1", "gamma = M - 2"),
    },
    group=of_the_choice,
    summary="The step sizes at most halve over E steps, from t = 1 on.",
)

li_a3_lr_2 = statement_of_algebra(
    "LI-A3-LR.2",
    Relations(
        "2/(mu*(gamma + 1)) <= 1/(4*L); 2/mu > 1/mu; 2/(mu*(gamma + t + 1)) <= 2/(mu*(gamma + t)) for "
        f"{_CHOICE}; t >= 1"
    ),
    says=r"\beta=\tfrac2\mu,\ " + _MAXIMUM,
    false={"gamma = max(7.92 kappa, E) - 1": ("M >= 8*kappa", "M >= 198/25*kappa")},
    group=of_the_choice,
    summary="The remaining conditions on the step sizes hold.",
)

_FIRST_ROUND = Relations(
    f"2/(mu*(gamma + t_0)) <= 2*(2/(mu*(gamma + t))) for {_CHOICE}; t_0 >= 0; t_0 <= t <= t_0 + E - 1",
)


@algebra_claim(
    "LI-A3-LR-S1",
    source="Appendix A.3, the first round",
    statement=(_MAXIMUM, _FIRST_ROUND),
    headline="The first round's step sizes satisfy what the drift lemma needs after all",
    summary="What the proof of Lemma 3 needs holds from t0 = 0 on, though eta_0 <= 2 eta_E fails for E > 8 kappa - 1.",
    printed=dict(text=_FIRST_ROUND.text),
    controls=[
        Control(
            "t up to t0 + E instead of t0 + E - 1",
            dict(text=_FIRST_ROUND.changed("t_0 + E - 1", "t_0 + E").text),
        )
    ],
)
def li_a3_lr_s1(text: str) -> Evidence:
    """Signs; eta_0 may exceed 1/(4L), but (13) is used from t = 1."""
    first, last = Fraction(1, 7), Fraction(2, 7 + 8)
    return by_relations(
        _FIRST_ROUND.with_text(text),
        numbers={
            "mu eta_0/2 at kappa = 1, E = 8": str(first),
            "mu eta_8 there": str(last),
            "eta_0 against 1/(4L) at kappa = 1, E <= 8, L = 1": f"{2 * first} against 1/4",
        },
    )


if __name__ == "__main__":
    run_script(__file__)
