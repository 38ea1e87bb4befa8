r"""Appendix B.3 of Li et al. (2020), second half: from the recursion to the bounds of Theorems 2 and 3.

C is charged at every step, which is allowed since C >= 0 and (25) is then weaker.  Counterexamples are sequences that follow
the recursion with equality, with eta_t = beta/(t + gamma).
"""

from dataclasses import replace
from fractions import Fraction

import sympy as sp

from fltheory.evidence.algebra import statement_of_algebra
from fltheory.evidence.derive import by_derivation
from fltheory.evidence.kinds import algebra_claim, expectation_claim, run_script
from fltheory.evidence.model import Control, Evidence
from fltheory.evidence.relations import Relations
from verify.li2020.appendix_a.induction import Recursion, followed
from verify.li2020.appendix_b.recursion import COHORT, HYPOTHESES
from verify.li2020.derivations.distances import distance
from verify.li2020.displays import appendix_b as shown
from verify.li2020.displays.appendix_a import claimed_distance
from verify.li2020.symbols import beta, t, v

#: v as printed, where the start w_1 is fixed.
PRINTED_V = replace(shown.constant_v, symbol_names={**shown.constant_v.symbol_names, "Delta_1": r"\|w_1-w^*\|^2"})
DELTA = r"\Delta_t=\mathbb{E}\|\bar w_t-w^*\|^2:\quad "
#: Where the index of the bound is one less than that of the distance, and where it is the same.
INDEX = {"t + 1": shown.distance, "t": claimed_distance}


def sequence_bound(index: str, scale: str, further: int) -> Evidence:
    """Judge the bound of the distance with that index, its first entry of v scaled, or at an index that is ``further``."""
    noise, start = sorted(PRINTED_V.expression.subs(shown.C, 0).args, key=lambda entry: not entry.has(beta))
    following = 1 if index == "t + 1" else 0
    entries = {v: sp.Max(sp.Rational(scale) * noise, start)}  # B stands for B + C
    bound = INDEX[index].expression.subs(entries).subs(t, t - following + further)
    # a large gamma puts the run where the constant of v, and not the rounding v/(x+1), decides; its start makes v the first entry
    run = Recursion(Fraction(2), Fraction(299), Fraction(1), Fraction(1), 4 * Fraction(scale) / 300)
    return by_derivation(
        [distance(bound, scheme) for scheme in ("I", "II")],
        followed([run], bound, 40, first=2),
        valid_for="beta > 1/mu, eta_1 <= 1/(4L), Schemes I and II",
    )


of_the_sequence = expectation_claim.sharing(
    assumptions=(*HYPOTHESES, COHORT, "eta_t = beta/(t+gamma), beta > 1/mu, eta_1 <= 1/(4L)"),
    depends=("LI-EQ25.1", "LI-EQ25.2"),
)

printed_index = of_the_sequence(
    "LI-B3-FIN.1",
    headline="The bound of the distance as printed is true, but one index too weak for what follows",
    statement=(shown.distance, r",\ ", PRINTED_V),
    summary="As printed, with t+1 on the left and gamma+t on the right: true, but one index weaker than what the next "
    "display uses.",
    source="Section B.3",
    printed=dict(index="t + 1", scale="1", further=0),
    controls=[
        Control("noise entry of v, that with B + C, times 0.9", dict(scale="9/10")),
        Control("index one further than provable, v/(gamma+t+2)", dict(further=2)),
    ],
)(sequence_bound)

used_index = of_the_sequence(
    "LI-B3-FIN.2",
    statement=(DELTA, claimed_distance, r"\ (t\ge1),\ ", PRINTED_V),
    summary="The form that the next display uses (and that A.3 has): the same index on both sides. The start w_1 is "
    "fixed, or v needs E|w_1 - w*|^2.",
    source="Section B.3, between the displays",
    printed=dict(index="t", scale="1", further=0),
    controls=[
        Control("noise entry of v, that with B + C, times 0.99", dict(scale="99/100")),
        Control("index one further, v/(gamma+t+1)", dict(further=1)),
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
