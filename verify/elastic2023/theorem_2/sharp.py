"""How sharp the lower bound of Theorem II is on its pair: the constant, steps that nearly attain it, and the table of 50
rounds."""

from dataclasses import replace
from fractions import Fraction

import sympy as sp

from fltheory.evidence.derive import by_derivation
from fltheory.evidence.ends import tried
from fltheory.evidence.kinds import lower_bound_claim, run_script, table_of_an_instance
from fltheory.evidence.model import Control, Evidence
from fltheory.evidence.relations import Relations
from fltheory.evidence.witness import Side, Witness
from fltheory.theory.elastic2023 import lower_bound as theory
from fltheory.theory.elastic2023.lower_bound import limit_of_the_constant
from fltheory.theory.states import proves
from verify.elastic2023.derivations import lower_bound as derivations
from verify.elastic2023.lemma_9 import powers
from verify.elastic2023.lemma_9.least import table_matches
from verify.elastic2023.lemma_9.optimal_errors import LOCAL_STEPS, PAIR
from verify.elastic2023.lemma_9.table import changed
from verify.elastic2023.theorem_2.rounds import round_of_the_pair
from verify.elastic2023.theorem_2.weights import CHOICE, METHOD

of_theorem_2 = lower_bound_claim.sharing(source="Theorem II, (20)", quick=False)

#: The objective mu x^2/2 from a bound of x: m is min(x^0, G/(mu R)).
OBJECTIVE = Relations("mu/2*x**2 >= c**2*(mu/2*m**2) for mu > 0; c > 0; m >= 0; x >= c*m")


def squared(factor: sp.Expr) -> sp.Expr:
    """The right side for the objective from the constant of x."""
    return (factor * 2 * (theory.K - 1) / (3 * theory.K - 2)) ** 2 * theory.LEAST_GAP


@of_theorem_2(
    "EL-THM2-S1",
    elsewhere="We know of no earlier statement of it. The pair of functions is that of Karimireddy et al. (2020, SCAFFOLD).",
    statement=(theory.THEOREM_2, r",\quad ", theory.THEOREM_2_GAP),
    proves=proves(theory.THEOREM_2_GAP, squared, relation=">=", under=(theory.K >= 2,)),
    headline="The lower bound of Theorem II with the constant that many rounds attain",
    summary="For the pair with equal weights, or more weight on its linear client, x^r is at least 2(K-1)/(3K-2) of "
    "the smaller of x^0 and G/(mu R), so at least a half of it, at every round up to R, for every K >= 2 and all step "
    "sizes up to 1/mu; the gap of the objective has the square of that constant. For equal weights it is the limit for "
    "many rounds (EL-THM2-S3).",
    printed=dict(factor="1"),
    controls=[Control("the constant times 4/3", dict(factor="4/3"))],
)
def sharp(factor: str) -> Evidence:
    """x^R >= factor 2(K-1)/(3K-2) min(x^0, G/(mu R)), refuted at four rounds from 1/4, whose step sizes are nearly the
    best ones."""
    bound = replace(theory.THEOREM_2, expression=sp.Rational(factor) * theory.THEOREM_2.expression)
    rounds, at = 4, sp.Rational(1, 4)
    steps = (Fraction(3, 20), Fraction(3, 25), Fraction(1, 10), Fraction(9, 100))
    value: sp.Expr = sp.Symbol("x_0")
    for step in steps:
        value = round_of_the_pair(2, at=value, step=step, weight=sp.Rational(1, 2))
    found = tried(
        Witness(
            {"x_0": at},
            Side("x^4", value),
            ">=",
            Side("what is claimed", sp.Rational(factor) / 2 * sp.Symbol("x_0")),
            setting=f"mu = G = 1, K = 2, R = {rounds}, step sizes {', '.join(map(str, steps))}, equal weights",
        )
    )
    return by_derivation(
        lambda: derivations.theorem_2(bound),
        found,
        beside={**powers.ALL, "the objective": OBJECTIVE.certificate},
        method=METHOD,
        valid_for="all whole K >= 2, R >= 1, x^0, mu, G > 0, every sequence of step sizes in [0, 1/mu], one weight in [1/2, 1]",
        prose=CHOICE,
    )


@of_theorem_2(
    "EL-THM2-S3",
    elsewhere="We know of no earlier statement of it. The pair of functions is that of Karimireddy et al. (2020, SCAFFOLD).",
    statement=(
        r"2\mu\eta_r=\tfrac{2\mu x}{(K-1)G}\text{ at the right side }x\text{ for }r-1:\quad ",
        theory.NEARLY_OF_THE_PAIR,
    ),
    headline="The constant of the pair is the limit that the best step sizes reach",
    summary="From x^0 = G/(mu R), R >= 2, with equal weights, a sequence of step sizes leaves at most (G/(mu R))/(1 + "
    "K/(2(K-1)) (1 - 2/R)) after R rounds. So the best constant of the pair lies between 2(K-1)/(3K-2) and 1/(1 + "
    "K/(2(K-1)) (1 - 2/R)), and tends to the first.",
    printed=dict(slope="1"),
    controls=[Control("the slope times 1.2", dict(slope="6/5"))],
)
def nearly_attained(slope: str) -> Evidence:
    """x^r <= (G/(mu R))/(1 + slope K/(2(K-1)) (1 - 2/R) r/R), refuted where the least value of K = 2 is bounded from below."""
    K, R, r = theory.K, theory.R, theory.r
    right = theory.G / (theory.mu * R) / (1 + sp.Rational(slope) * K / (2 * (K - 1)) * (1 - 2 / R) * r / R)
    found = tried(
        Witness(
            {R: rounds},
            Side("a lower bound of the least x^R", (1 / R) / (1 + 1)),
            "<=",
            Side("what is claimed", right.subs({K: 2, theory.mu: 1, theory.G: 1, r: R})),
            given=[(R, ">=", 2)],
            setting="mu = G = 1, K = 2, x^0 = 1/R, equal weights (EL-THM2-S1)",
        )
        for rounds in (2, 40)
    )
    return by_derivation(
        lambda: derivations.nearly_attained(replace(theory.NEARLY_OF_THE_PAIR, expression=right), of_the_pair=True),
        found,
        beside={"three terms of a power": powers.SQUARE.certificate, "the sum of (21)": powers.SUM.certificate},
        method="Induction over the rounds, with step sizes that the level of the round before names.",
        valid_for="all whole K >= 2, R >= 2, mu, G > 0, equal weights",
        prose="K = k in the three terms of the power",
    )


@table_of_an_instance(
    "EL-THM2-S2",
    source="Theorem II, (20)",
    statement=r"\tfrac{\mu R}{G}\min_{\eta_1,\dots,\eta_R}x^R\ \text{ of the pair, }\alpha=\tfrac12,\ x^0=\tfrac{G}{\mu R}:\quad "
    rf"K=2,5,10,\ R=50:\ {PAIR[50][0][:12]}\dots,\ {PAIR[50][1][:12]}\dots,\ {PAIR[50][2][:12]}\dots",
    headline="The least final error of the pair itself for up to 50 rounds, to 20 digits",
    summary="The least x^R of the pair with equal weights over all sequences of step sizes up to 1/(2 mu), from x^0 = "
    "G/(mu R), for R = 1 to 50 and K = 2, 5 and 10, in the unit G/(mu R) with 20 digits; the error f(x^R) - f* is mu/2 "
    "times its square. It falls towards 2(K-1)/(3K-2): 1/2, 8/13 and 9/14.",
    depends=("EL-THM2-S1",),
    quick=False,
    printed=dict(kept="as kept"),
    controls=[
        Control("the last digit of one entry changed", dict(kept="a digit off")),
        Control("R one less", dict(kept="R one less")),
    ],
)
def table(kept: str) -> Evidence:
    limits = [limit_of_the_constant(k, of_the_pair=True) for k in LOCAL_STEPS]
    return table_matches(changed(PAIR, kept), LOCAL_STEPS, of_the_pair=True, limits=limits)


if __name__ == "__main__":
    run_script(__file__)
