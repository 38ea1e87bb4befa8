r"""Appendix B.3 of Li et al. (2020), second half: from the recursion to the bounds of Theorems 2 and 3.

C is charged at every step, which is allowed since C >= 0 and (25) is then weaker.  Counterexamples are sequences that follow
the recursion with equality, with eta_t = beta/(t + gamma).
"""

from fractions import Fraction

import sympy as sp

from fltheory.evidence.algebra import statement_of_algebra
from fltheory.evidence.derive import by_derivation
from fltheory.evidence.kinds import algebra_claim, expectation_claim, run_script
from fltheory.evidence.model import Control, Evidence
from fltheory.evidence.relations import Relations
from verify.li2020.appendix_a.induction import Recursion, claimed, followed
from verify.li2020.appendix_b.recursion import COHORT, HYPOTHESES
from verify.li2020.derivations.distances import distance
from verify.li2020.symbols import t


def sequence_bound(scale: str, shift: int) -> Evidence:
    """Judge Delta_{t+1} <= v/(gamma+t+1-shift), t >= 1, v = max{scale beta^2(B+C)/(beta mu-1), (gamma+1)Delta_1}."""
    bound = claimed(sp.Rational(scale), sp.Integer(1)).subs(t, t - shift)  # B stands for B + C
    # a large gamma puts the run where the constant of v, and not the rounding v/(x+1), decides; its start makes v the first entry
    run = Recursion(Fraction(2), Fraction(299), Fraction(1), Fraction(1), 4 * Fraction(scale) / 300)
    return by_derivation(
        [distance(bound, scheme) for scheme in ("I", "II")],
        followed([run], bound, 40, first=2),
        valid_for="beta > 1/mu, eta_1 <= 1/(4L), Schemes I and II",
    )


V_TEXT = r"v=\max\Big\{\tfrac{\beta^2(B+C)}{\beta\mu-1},(\gamma+1)\|w_1-w^*\|^2\Big\}"

of_the_sequence = expectation_claim.sharing(
    assumptions=(*HYPOTHESES, COHORT, "eta_t = beta/(t+gamma), beta > 1/mu, eta_1 <= 1/(4L)"),
    depends=("LI-EQ25.1", "LI-EQ25.2"),
)

printed_index = of_the_sequence(
    "LI-B3-FIN.1",
    headline="The bound of the distance as printed is true, but one index too weak for what follows",
    statement=r"\mathbb{E}\|\bar w_{t+1}-w^*\|^2\le\frac v{\gamma+t},\ " + V_TEXT,
    summary="As printed, with t+1 on the left and gamma+t on the right: true, but one index weaker than what the next "
    "display uses.",
    source="Section B.3",
    printed=dict(scale="1", shift=1),
    controls=[
        Control("first entry of v times 0.9", dict(scale="9/10")),
        Control("index one further than provable, v/(gamma+t+2)", dict(shift=-1)),
    ],
)(sequence_bound)

used_index = of_the_sequence(
    "LI-B3-FIN.2",
    statement=r"\Delta_t=\mathbb{E}\|\bar w_t-w^*\|^2\le\frac v{\gamma+t}\ (t\ge1),\ " + V_TEXT,
    summary="The form that the next display uses (and that A.3 has): the same index on both sides. The start w_1 is "
    "fixed, or v needs E|w_1 - w*|^2.",
    source="Section B.3, between the displays",
    printed=dict(scale="1", shift=0),
    controls=[
        Control("first entry of v times 0.99", dict(scale="99/100")),
        Control("index one further, v/(gamma+t+1)", dict(shift=-1)),
    ],
)(sequence_bound)


last_display = statement_of_algebra(
    "LI-B3-FIN.3",
    Relations(
        "L/2*noise/(gamma + t) <= kappa/(gamma + t)*(2*R/mu + mu*(gamma + 1)/2*D1); "
        "L/2*start/(gamma + t) <= kappa/(gamma + t)*(2*R/mu + mu*(gamma + 1)/2*D1) for mu > 0; L > 0; gamma >= 0; t >= 1; "
        "R >= 0; D1 >= 0; kappa = L/mu; beta = 2/mu; noise = beta**2*R/(beta*mu - 1); start = (gamma + 1)*D1",
        names={"R": "(B+C)", "D1": r"\|w_1-w^*\|^2", "noise": "v_1", "start": "v_2"},
    ),
    headline="The last display of the proof with sampling: a maximum is at most the sum",
    says=r"v=\max\{v_1,v_2\}:\quad ",
    false={
        "2(B+C)/mu times 0.99": ("2*R/mu + mu*(gamma + 1)/2*D1); ", "99/50*R/mu + mu*(gamma + 1)/2*D1); "),
        "mu(gamma+1)/2 times 0.99": ("mu*(gamma + 1)/2*D1) for", "99/200*mu*(gamma + 1)*D1) for"),
    },
    group=algebra_claim,
    summary="The last display of B.3: a maximum is at most the sum, and beta^2/(beta mu - 1) = 4/mu^2 for beta = 2/mu.",
    source="Section B.3, last display",
)

special_choice = statement_of_algebra(
    "LI-B3-FIN.4",
    Relations(
        "beta*mu > 1; beta/(1 + gamma) <= 1/(4*L) <= 1/mu; beta/(t + gamma) <= 2*beta/(t + E + gamma) for "
        "mu > 0; L >= mu; t >= 1; kappa = L/mu; beta = 2/mu; m >= 0; gamma = 8*kappa - 1 + m; 1 <= E <= gamma + 1"
    ),
    headline="The step sizes of Theorems 2 and 3 meet all their conditions from the first step on",
    says=r"\gamma=\max\{8\kappa,E\}-1=8\kappa-1+m,\ \eta_t=\tfrac\beta{t+\gamma}:\quad ",
    false={
        "gamma = max{8 kappa, E} - 2": ("8*kappa - 1 + m", "8*kappa - 2 + m"),
        "from t = 0 on, as Lemma 5 asks": ("t >= 1", "t >= 0"),
    },
    group=algebra_claim,
    summary="The special choice meets the conditions from t = 1 on (the halving condition not at t = 0 when "
    "E > 8 kappa - 1).",
    source="Section B.3, before the last display",
)


if __name__ == "__main__":
    run_script(__file__)
