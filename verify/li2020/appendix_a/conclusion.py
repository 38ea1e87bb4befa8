"""Appendix A.3 of Li et al. (2020), from the distance to the value: step sizes, smoothness, bound of v, final display.

The step sizes are eta_t = 2/(mu (gamma + t)) with gamma = max{8 kappa, E} - 1: signs for all t, E and kappa.  From t0 = 0 on
they give what the proof of Lemma 3 needs, although the hypothesis of the lemma at t = 0, eta_0 <= 2 eta_E, fails when
E > 8 kappa - 1.
"""

from fractions import Fraction

import sympy as sp

from fltheory.evidence.algebra import by_relations, statement_in_mean, statement_of_algebra
from fltheory.evidence.derive import by_derivation
from fltheory.evidence.in_mean import InMean, use
from fltheory.evidence.kinds import algebra_claim, expectation_claim, inequality_claim, run_script
from fltheory.evidence.model import Control, Evidence, Rung, Tightness
from fltheory.evidence.relations import Relations
from fltheory.theory.proofs import equal
from fltheory.theory.states import proves
from verify.li2020.appendix_a.induction import Recursion, followed
from verify.li2020.derivations.theorems import gap
from verify.li2020.lemmas import A4_TAKEN, FINAL, SAMPLING
from verify.li2020.symbols import B, Delta_1, E, L, gamma, mu, t

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


li_a3_smooth = statement_in_mean(
    "LI-A3-SMOOTH",
    InMean(
        "f_w - f_star <= L/2*D for L > 0; D >= 0",
        things="w over past; star; function F; F at w; F at star = 0*star",
        over="past",
        uses=[
            use("smooth", "star w", of="F", L="L"),
            use("the bound of the distance", times="L/2", form="D - sq(w - star)", over="past"),
        ],
        names={"w": r"\bar w_t", "star": r"w^\star", "f_w": r"F(\bar w_t)", "f_star": r"F^\star"},
    ),
    says=r"\Delta_t=\mathbb{E}\|\bar w_t-w^\star\|^2\le D=\tfrac v{\gamma+t}\ \Rightarrow\ ",
    false={"L/2 -> 0.99 L/2": ("L/2", "99/200*L")},
    tightness=Tightness(1.0, Rung.PROOF, "equality for F_k = L/2 |w|^2"),
    group=inequality_claim,
    source="Appendix A.3, after the induction",
    assumptions=("A1",),
    summary="Smoothness of F at its minimiser turns the bound of the distance into one of the gap.",
    depends=("LI-IND0",),
)

li_a3_v = statement_of_algebra(
    "LI-A3-V",
    Relations(
        "noise <= noise + start; start <= noise + start; noise + start <= 4*B/mu**2 + start; "
        "noise = 4*B/mu**2 <= b**2*B/(b*mu - 1) for mu > 0; b > 1/mu; B >= 0; gamma >= 0; D1 >= 0; "
        "beta = 2/mu; noise = beta**2*B/(beta*mu - 1); start = (gamma + 1)*D1",
        squares={4: [("B/(mu**2*(b*mu - 1))", "b*mu - 2")]},
        names={"D1": r"\Delta_1", "noise": "v_1", "start": "v_2"},
    ),
    says=r"v=\max\{v_1,v_2\}:\quad ",
    false={
        "beta = 2.1/mu": ("beta = 2/mu", "beta = 21/(10*mu)"),
        "beta = 1.9/mu": ("beta = 2/mu", "beta = 19/(10*mu)"),
    },
    tightness=Tightness(1.0, Rung.PROOF, "equality when B = 0 or Delta_1 = 0"),
    group=algebra_claim,
    headline="The start and noise terms may be added; this choice of steps makes the noise term least",
    source="Appendix A.3, bound of v",
    summary="The maximum is at most the sum; at beta = 2/mu, which makes the noise term smallest for every B > 0 (not "
    "always the whole bound, since gamma may fall with beta), the second inequality is an equality.",
)


def by_noise_and_start(noise: sp.Expr, start: sp.Expr) -> sp.Expr:
    """The right side of the last display with factors of its two terms."""
    return L / mu / (gamma + t) * (noise * B / mu + start * mu * (gamma + 1) * Delta_1)


@expectation_claim(
    "LI-A3-FIN",
    headline="The error falls like 1/t at every step, with step sizes shifted by one index",
    source="Appendix A.3, last display",
    statement=FINAL,
    proves=proves(FINAL, by_noise_and_start, under=(gamma + 1 >= 8 * L / mu, gamma >= E - 1)),
    depends=("LI-A3-SMOOTH",),
    proof_steps=("LI-EQ13", "LI-IND0", "LI-A3-SMOOTH", "LI-A3-LR", "LI-A3-V"),
    assumptions=("A1, A2, A3", A4_TAKEN, SAMPLING, "eta_t = 2/(mu (gamma + t)), gamma = max{8 kappa, E} - 1"),
    summary="The O(1/t) bound, equal to (4) at t = T after gamma -> gamma + 1; its step sizes are those of Theorem 1 "
    "shifted by one index.",
    printed=dict(noise="2", start="1/2"),
    controls=[
        Control("2B/mu -> 1.98 B/mu", dict(noise="99/50")),
        Control("mu (gamma+1)/2 -> 0.99 mu (gamma+1)/2", dict(start="99/200")),
    ],
)
def li_a3_fin(noise: str, start: str) -> Evidence:
    """Theorem 1 with the step sizes of A.3, gamma_theorem = gamma + 1; compared with (4)."""
    bound = by_noise_and_start(sp.Rational(noise), sp.Rational(start))
    theorem_gamma, T = sp.symbols("gamma_theorem T")
    printed_4 = L / mu / (theorem_gamma + T - 1) * (2 * B / mu + mu * theorem_gamma / 2 * Delta_1)
    same = equal(FINAL.expression.subs({gamma: theorem_gamma - 1, t: T}), printed_4)
    starts = ((Fraction(0), Fraction(1)), (Fraction(1), Fraction(0)))
    runs = [Recursion(Fraction(2), Fraction(7), Fraction(1), *start) for start in starts]
    return by_derivation(
        gap(bound.subs(gamma, gamma - 1), "full", "-1"),
        followed(runs, bound, 1500, of=Fraction(1, 2)),
        valid_for="every t >= 1 at which (13) holds up to t - 1",
        numbers={"equal to (4) at gamma = gamma_theorem - 1, t = T": same},
    )


if __name__ == "__main__":
    run_script(__file__)
