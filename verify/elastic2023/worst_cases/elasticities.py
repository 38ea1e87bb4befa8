"""One round of elastic aggregation over a whole class of clients: certified worst cases for numbers and for factors of parameters.

A factor for each of two blocks of coordinates is compared with all single numbers between them: the squared distance after a round
is convex in one number, instance by instance, so that the worst case over a range of numbers is at one of its ends.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from fltheory.algorithms.elastic import SimplifiedElastic
from fltheory.algorithms.elastic_aggregation import ElasticFedAvgM, GivenElasticity
from fltheory.evidence.kinds import expectation_claim, qualitative_claim, run_script
from fltheory.evidence.model import Control, Evidence, Outcome, Rung
from fltheory.worstcase.classes import Dissimilarity, SmoothStronglyConvex
from fltheory.worstcase.constants import best_constant
from fltheory.worstcase.enclosed import Enclosed, enclosed
from fltheory.worstcase.equations import solve_with_equations
from fltheory.worstcase.formulation import build_model

HALF, ONE, LONG = Fraction(1, 2), Fraction(1), Fraction(3, 2)
METHOD = (
    "Semidefinite programs over Gram matrices of the clients' means and deviations and of the parts of the averaged update in "
    "two blocks of parameters (any N, p, dimension, sizes of blocks); multipliers and instances in exact rationals, both checked "
    "by the trusted verifier, which rebuilds the constraints from the algorithm's program."
)
CLASS = ("every f_i is mu-strongly convex and beta-smooth, beta = 1 (units)", "exact gradients, all clients take part")


def after_a_round(zeta: tuple[Fraction, Fraction], steps: int, step_size: Fraction, modulus: Fraction) -> Enclosed:
    """|x+ - x*|^2 for |x - x*|^2 <= 1 and (1/N) sum |grad f_i(x*)|^2 <= 1."""
    algorithm = ElasticFedAvgM(steps, step_size, GivenElasticity(zeta))
    return enclosed(solve_with_equations(build_model(algorithm, SmoothStronglyConvex(modulus))))


of_what_is_left_out = qualitative_claim.sharing(
    source="Algorithm 3, first sentence",
    quick=False,
    assumptions=(*CLASS, "|x - x*|^2 <= 1 and (1/N) sum |grad f_i(x*)|^2 <= 1"),
)


@of_what_is_left_out(
    "EL-ALG3-OMIT-U4",
    statement=r"\sup\|x^+-x^\star\|^2\text{ for }\zeta=(\tfrac12,\tfrac32)>\sup\|x^+-x^\star\|^2\text{ for every number }"
    r"\phi\in[\tfrac12,\tfrac32],\quad\eta_l=\tfrac1{4\beta},\ \kappa=10,\ K\in\{1,2\}",
    headline="Factors of the parameters can be worse than any single number between them",
    summary="At kappa = 10 and local steps 1/(4 beta) a round with elasticities 1/2 and 3/2 for two blocks of parameters has a "
    "larger worst case than a round with any one number from 1/2 to 3/2: 0.9926 against 0.9752 for one local step, 0.9918 against "
    "0.9548 for two. So what is shown for every number between them need not hold for the factors.",
    printed=dict(first="1/2", second="3/2"),
    controls=[Control("both factors 1", dict(first="1", second="1")), Control("both 3/2", dict(first="3/2"))],
)
def above_every_number(first: str, second: str) -> Evidence:
    """The ends of the range against the pair; a pair is refuted where the worst end certainly reaches it."""
    numbers: dict[str, Any] = {}
    kept: dict[str, Any] = {}
    broken, certain, margins = "", True, []
    for steps in (1, 2):
        words = f"K = {steps}, eta_l = 1/(4 beta), kappa = 10"
        pair = (Fraction(first), Fraction(second))
        sides = {
            zeta: after_a_round(zeta, steps, Fraction(1, 4), Fraction(1, 10))
            for zeta in (pair, (HALF,) * 2, (LONG,) * 2)
        }
        for zeta, side in sides.items():
            name = f"{words}, zeta = ({zeta[0]}, {zeta[1]})"
            numbers[name], kept[name] = str(side), dict(side.certificate)
        ends = [sides[HALF, HALF], sides[LONG, LONG]]
        upper, lower = max(one.upper for one in ends), max(one.lower for one in ends)
        certain = certain and sides[pair].lower > upper
        margins.append(float((sides[pair].lower - upper) / upper))
        if sides[pair].upper <= lower and not broken:
            broken = f"{words}, zeta = ({first}, {second}): {sides[pair]}; an end of the range has {float(lower):.8g} at least"
    return Evidence(
        Rung.WORST_CASE,
        Outcome.REFUTED if broken else Outcome.HOLDS if certain else Outcome.NOT_REFUTED,
        METHOD + " For one number the squared distance is convex in it, so the ends decide.",
        examined=len(kept),
        margin=min(margins),
        numbers=numbers,
        counterexample=broken,
        valid_for="the numbers' worst case for every N, p and dimension, the factors' attained with N >= 2 equal weights and "
        "blocks large enough; kappa = 10, eta_l = 1/(4 beta), K = 1, 2",
        would_settle="" if broken or certain else "narrower certificates",
        certificate=kept,
    )


@of_what_is_left_out(
    "EL-ALG3-OMIT-U5",
    statement=r"\sup\|x^+-x^\star\|^2>\sup\|x-x^\star\|^2\text{ for }\zeta=(\tfrac12,\tfrac32),\ K=1,\ \eta_l=\tfrac1{16\beta},\ "
    r"\kappa=15",
    headline="With factors 1/2 and 3/2 a round can move away from kappa = 15 on, and not at 12",
    summary="With elasticities 1/2 and 3/2 and one local step of 1/(16 beta) the worst case of a round lies above the start's "
    "distance at kappa = 15, while it is certified to lie below it at kappa = 12: between them the angle that the factors can add "
    "to that between x - x* and the gradient reaches a right one.",
    printed=dict(kappa="15", first="1/2"),
    controls=[Control("kappa = 12", dict(kappa="12")), Control("both factors 3/2", dict(first="3/2"))],
)
def away(kappa: str, first: str) -> Evidence:
    """An instance above 1, or multipliers that prove less than 1."""
    side = after_a_round((Fraction(first), LONG), 1, Fraction(1, 16), 1 / Fraction(kappa))
    words = f"K = 1, eta_l = 1/(16 beta), kappa = {kappa}, zeta = ({first}, 3/2)"
    broken = f"{words}: {side}, which is less than 1" if side.upper < 1 else ""
    return Evidence(
        Rung.WORST_CASE,
        Outcome.REFUTED if broken else Outcome.HOLDS if side.lower > 1 else Outcome.NOT_REFUTED,
        METHOD,
        examined=1,
        margin=float(side.lower - 1),
        numbers={words: str(side)},
        counterexample=broken,
        valid_for=f"some clients and blocks; {words}",
        would_settle="" if broken or side.lower > 1 else "narrower certificates",
        certificate={words: dict(side.certificate)},
    )


#: Factors of G^2, rounded up, at beta = 1, kappa = 10, B = 1 and the largest effective step 1/16: (K, phi eta_g).
DRIFT = {(2, "1"): "0.000006519", (2, "3/2"): "0.000002895", (5, "1"): "0.00001208", (5, "3/2"): "0.000005390"}
EFFECTIVE, MODULUS = Fraction(1, 16), Fraction(1, 10)
SHOWN = r",\ ".join(rf"c={text}\ (K={steps},\phi\eta_g={phi})" for (steps, phi), text in DRIFT.items())


@expectation_claim(
    "EL-T1-SUM-S1",
    source="sum of Lemmas 7 and 8 in the proof of Theorem I, S = N, sigma = 0",
    statement=r"\|x^r-x^\star\|^2\le(1-\tfrac{\mu\tilde\eta}2)\|x^{r-1}-x^\star\|^2+c\,G^2-\tfrac{\tilde\eta}3(f(x^{r-1})-f^\star),"
    r"\quad\beta=1,\ \kappa=10,\ B=1,\ \tilde\eta=\tfrac1{16}:\ " + SHOWN,
    headline="At named parameters a round's drift term is hundreds of times too large",
    summary="At the largest effective step that Lemma 7 allows for B = 1, kappa = 10, exact gradients and all clients, the least "
    "factor of G^2 beside the printed contraction and gap is 0.0000065 for K = 2 and 0.0000121 for K = 5, where the sum of Lemmas "
    "7 and 8 has 18 eta~^3 = 0.0044 for every K; it is the least for dissimilarity at the start of the round alone. It is divided "
    "by about 9/4 for phi eta_g = 3/2, while the printed one stays.",
    quick=False,
    assumptions=(*CLASS, "(G, B)-dissimilarity with B = 1 at the start of the round"),
    printed=dict(factor="1", falls=True),
    controls=[
        Control("factors times 0.99", dict(factor="99/100")),
        Control("the factor of phi eta_g = 3/2 for 1 as well", dict(falls=False)),
    ],
)
def drift(factor: str, falls: bool) -> Evidence:
    """Multipliers with the printed contraction give the factors; instances need them."""
    numbers: dict[str, Any] = {}
    kept: dict[str, Any] = {}
    broken, open_, margins = "", [], []
    for (steps, phi), text in DRIFT.items():
        words = f"K = {steps}, phi eta_g = {phi}, beta = 1, kappa = 10, B = 1, eta~ = 1/16"
        claimed = Fraction(factor) * Fraction(text if falls else DRIFT[steps, "3/2"])
        local = EFFECTIVE / (steps * Fraction(phi))
        algorithm = SimplifiedElastic(steps, local, elasticity=Fraction(phi))
        model = build_model(
            algorithm,
            SmoothStronglyConvex(MODULUS),
            measure=lambda run: run.distance() + run.gap(0) * (EFFECTIVE / 3),
            start="distance",
            heterogeneity=Dissimilarity(1),
        )
        side = enclosed(best_constant(model, "G2", {"distance": 1 - MODULUS * EFFECTIVE / 2}))
        numbers[words], kept[words] = f"{side}; printed {float(18 * EFFECTIVE**3):.6g}", dict(side.certificate)
        if side.lower > claimed:
            margins.append(float((claimed - side.lower) / side.lower))
            broken = broken or (
                f"{words}: Gram matrices of clients with G = 1, checked exactly, on which |x+ - x*|^2 - (1 - mu eta~/2)|x - x*|^2 "
                f"+ (eta~/3)(f(x) - f*) >= {float(side.lower):.7g} > {float(claimed):.7g}"
            )
        elif side.upper <= claimed:
            margins.append(float((claimed - side.upper) / claimed))
        else:
            open_.append(words)
    return Evidence(
        Rung.WORST_CASE,
        Outcome.REFUTED if broken else Outcome.NOT_REFUTED if open_ else Outcome.HOLDS,
        METHOD,
        examined=len(kept),
        margin=min(margins, default=None),
        numbers=numbers,
        counterexample=broken,
        valid_for="every N and p, dimension; " + "; ".join(kept),
        would_settle=f"a closer certificate at {', '.join(open_)}" if open_ else "",
        certificate=kept,
    )


if __name__ == "__main__":
    run_script(__file__)
