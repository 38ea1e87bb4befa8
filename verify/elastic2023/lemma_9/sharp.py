"""How sharp Lemma 9 is: the bound from every start, equality for two local steps, and steps that nearly attain the
constant."""

from dataclasses import replace
from fractions import Fraction

import sympy as sp

from fltheory.evidence.derive import by_derivation
from fltheory.evidence.ends import tried
from fltheory.evidence.kinds import lower_bound_claim, run_script
from fltheory.evidence.model import Control, Evidence
from fltheory.evidence.relations import Relations
from fltheory.evidence.tight import attained
from fltheory.evidence.witness import Side, Witness
from fltheory.theory.elastic2023 import lower_bound as theory
from fltheory.theory.elastic2023.lower_bound import G, K, R, mu, r
from verify.elastic2023.derivations import lower_bound as derivations
from verify.elastic2023.lemma_9 import powers
from verify.elastic2023.lemma_9.rounds import DISPLAY_21, ONE_ROUND, SETTING, eta, round_of_21, x_0

of_lemma_9 = lower_bound_claim.sharing(source="Lemma 9, (21)", quick=False)

#: Two local steps, mu = G = 1: the best step sizes, their rounds, and the least value of a round.
TWO_STEPS = Relations(
    "x*(1 + 4*r*x_0) = x_0; r >= 0; x > 0 for x_0 > 0; first_x = x_0; first_r = 0; next_r = r + 1; q = 1/(1 + 4*x); "
    "eta = (1 - q)/2; next_x = x*q**2 + eta/2*(1 - q)",
    uses={0: {"x*(1 + 4*r*x_0) = x_0": "1/(1 + 4*x)"}},
)


@of_lemma_9(
    "EL-LEM9-S1",
    elsewhere="We know of no earlier statement of it. The pair of functions is that of Karimireddy et al. (2020, SCAFFOLD).",
    statement=(
        DISPLAY_21 + r"\tfrac1{2\mu}\ \Rightarrow\ ",
        theory.FROM_ANY_START,
        r"\quad\text{with equality for }K=2,\text{ (21) with equality, }\eta_r=\frac{2x^{r-1}}{G+4\mu x^{r-1}}",
    ),
    headline="The least final value with two local steps has a closed form",
    summary="For step sizes up to 1/(2 mu), every start and every K, x^r is at least x^0/(1 + 2 K mu r x^0/((K - 1) "
    "G)). For two local steps this is the exact least value x^0/(1 + 4 mu r x^0/G), attained by the step sizes 2 x/(G "
    "+ 4 mu x) at x = x^(r-1).",
    printed=dict(slope="1", largest="1/2"),
    controls=[
        Control("the slope times 0.99", dict(slope="99/100")),
        Control("step sizes up to 1/mu", dict(largest="1")),
    ],
)
def from_any_start(slope: str, largest: str) -> Evidence:
    """x^r >= x_0/(1 + slope 2K/(K-1) mu r x_0/G)."""
    right = theory.x_0 / (1 + sp.Rational(slope) * 2 * K / (K - 1) * mu * r * theory.x_0 / G)
    bound = replace(theory.FROM_ANY_START, expression=right)
    positive = Fraction(largest) <= Fraction(1, 2)
    found = tried(
        Witness(
            {x_0: start, eta: step},
            Side("x^1", round_of_21(steps)),
            ">=",
            Side("what is claimed", right.subs({K: steps, mu: 1, G: 1, r: 1})),
            given=[(x_0, ">", 0), (eta, "<=", Fraction(largest))],
            setting=SETTING.format(steps),
        )
        for steps, start, step in ONE_ROUND
        if step <= Fraction(largest)
    )
    return by_derivation(
        lambda: derivations.lemma_9(bound, f"{largest}/mu", "0" if positive else "-1", any_start=True),
        found,
        beside={**powers.POSITIVE, "equality for K = 2, mu = G = 1": TWO_STEPS.certificate},
        method="Induction over the rounds; for K = 2 the step sizes named give equality in every round.",
        valid_for="all whole K >= 2, x^0, mu, G > 0, every sequence of step sizes in [0, 1/(2 mu)], every round r",
        tightness=attained("K = 2: equality in every round; for other K only the slope at x = 0 is the best one"),
        prose=powers.CHOICE,
    )


@of_lemma_9(
    "EL-LEM9-S2",
    elsewhere="We know of no earlier statement of it. The pair of functions is that of Karimireddy et al. (2020, SCAFFOLD).",
    statement=(
        r"\text{(21) with equality, }x^0=\tfrac G{\mu R},\ R\ge4,\ \eta_r=\frac{2x}{(K-1)G}\text{ at the right side }x\text{ for }"
        r"r-1:\quad ",
        theory.NEARLY,
    ),
    headline="The constant of the lemma is the limit that the best step sizes reach",
    summary="From x^0 = G/(mu R), R >= 4, with equality in (21), a sequence of step sizes leaves at most (G/(mu R))/(1 "
    "+ 2K/(K-1) (1 - 4/R)) after R rounds, so that the best constant c(R, K) lies between (K-1)/(3K-1) and 1/(1 + "
    "2K/(K-1) (1 - 4/R)), and tends to (K-1)/(3K-1): 1/5 for K = 2, and 1/3 for large K.",
    printed=dict(slope="1"),
    controls=[Control("the slope times 1.1", dict(slope="11/10"))],
)
def nearly_attained(slope: str) -> Evidence:
    """x^r <= (G/(mu R))/(1 + slope 2K/(K-1) (1 - 4/R) r/R), refuted at K = 2, where the least value is known."""
    right = G / (mu * R) / (1 + sp.Rational(slope) * 2 * K / (K - 1) * (1 - 4 / R) * r / R)
    bound = replace(theory.NEARLY, expression=right)
    found = tried(
        Witness(
            {R: rounds},
            Side("the least x^R", (1 / R) / (1 + 4)),
            "<=",
            Side("what is claimed", right.subs({K: 2, mu: 1, G: 1, r: R})),
            given=[(R, ">=", 4)],
            setting="mu = G = 1, K = 2, x^0 = 1/R, the best step sizes (EL-LEM9-S1)",
        )
        for rounds in (4, 40, 400)
    )
    return by_derivation(
        lambda: derivations.nearly_attained(bound),
        found,
        beside={"three terms of a power": powers.SQUARE.certificate, "the sum of (21)": powers.SUM.certificate},
        method="Induction over the rounds, with step sizes that the level of the round before names.",
        valid_for="all whole K >= 2, R >= 4, mu, G > 0",
        prose="K = k in the three terms of the power",
    )


if __name__ == "__main__":
    run_script(__file__)
