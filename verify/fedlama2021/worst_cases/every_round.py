"""FedLAMA with two layers at fixed intervals, at a constant step, for every number of rounds: certified at named parameters.

One layer may hold all coordinates, so that no rate is below that of FedAvg at the long interval; here it has that rate, but for a
thousandth of what a round takes away, and an error by the gradients at the minimiser alone.  L = 1.
"""

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import fltheory as fl
from fltheory.evidence.every_round import EveryRound, ExactRun, at_every_round, times
from fltheory.evidence.kinds import inequality_claim, run_script
from fltheory.evidence.model import Control, Evidence
from fltheory.evidence.naming import WHERE

ZERO, ONE = Fraction(0), Fraction(1)
STEP, MU = Fraction(1, 4), Fraction(1, 10)
CLIENTS = fl.SmoothStronglyConvex(MU, ONE)
#: What the squared distance comes down to, in units of the heterogeneity at the minimiser, by the base interval; phi = 2.
FLOORS = {1: "0.0704", 2: "0.41"}
#: Weight of the flat clients, where the layer at the long interval comes to rest far from the minimiser.
FLAT_WEIGHT = Fraction(43, 50)
_AT = r"\quad(L=1,\ \mu=\tfrac1{10},\ \eta=\tfrac14,\ \phi=2)"
_PARAMETERS = "L = 1, mu = 1/10, eta = 1/4, phi = 2, tau' = 1, 2 alone (in other units eta L = 1/4, mu/L = 1/10)"


def layers(base: int) -> fl.FedLAMA:
    """One layer at each interval."""
    return fl.FedLAMA(base, 2, STEP, intervals=(base, 2 * base))


def flattest(base: int) -> Fraction:
    """``(1 - eta mu)^(4 tau')``: what a round keeps where all clients are mu |w|^2/2."""
    return (1 - STEP * MU) ** (4 * base)


def run(
    words: str, curvatures: Any, targets: Any, base: int, start: Fraction, zeta: Fraction, **options: Any
) -> ExactRun:
    """A round on losses ``h (w - c)^2/2`` in the layer at the long interval; the other layer starts at its minimum."""
    matrices = [[[Fraction(1, 2), ZERO], [ZERO, h]] for h in curvatures]
    vectors = [[ZERO, h * c] for h, c in zip(curvatures, targets, strict=True)]
    problem = fl.with_blocks(fl.QuadraticProblem(matrices, vectors, **options), [1, 1])
    models = fl.trajectory(problem, layers(base), rounds=1, start=[ZERO, start], exact=True).models
    value = sum((Fraction(entry) ** 2 for entry in models[-1]), ZERO)
    return ExactRun(words, 1, value, {"distance": start**2, "heterogeneity": zeta})


def runs(base: int) -> tuple[ExactRun, ...]:
    """Flat clients from 1, and two kinds of clients from where the layer at the long interval rests."""
    steep_weight = 1 - FLAT_WEIGHT
    steep = -FLAT_WEIGHT * MU / steep_weight  # the minimum is at 0
    kept = [(1 - STEP * h) ** (2 * base) for h in (MU, ONE)]
    moved = FLAT_WEIGHT * (1 - kept[0]) + steep_weight * (1 - kept[1]) * steep
    rest = moved / (1 - FLAT_WEIGHT * kept[0] - steep_weight * kept[1])
    zeta = FLAT_WEIGHT * MU**2 + steep_weight * steep**2
    words = f"clients mu (w - 1)^2/2 (weight {FLAT_WEIGHT}) and steep ones from {rest}, where the layer rests"
    return (
        run("all clients mu w^2/2 from 1", [MU, MU], [ZERO, ZERO], base, ONE, ZERO),
        run(words, [MU, ONE], [ONE, steep], base, rest, zeta, weights=[FLAT_WEIGHT, steep_weight]),
    )


def setting(base: int, factors: Mapping[str, str], keep: str, scale: str) -> EveryRound:
    """The claim for a base interval."""
    rate = 1 - Fraction(keep) * (1 - flattest(base))
    found = times(factors, scale)
    return EveryRound(f"tau' = {base}", layers(base), CLIENTS, rate, {"distance": ONE}, found, runs=runs(base))


@inequality_claim(
    "LA-WORST-R5",
    source="proof of Lemma 5.2, first sentences, for exact gradients and every number of rounds",
    quick=False,
    statement=r"\|u_T-w^\star\|^2\le\rho^T\|u_0-w^\star\|^2+(1-\rho^T)\,z\sum_kp_k\|\nabla F_k(w^\star)\|^2,"
    + _AT
    + WHERE
    + r"\rho=1-\tfrac{999}{1000}\bigl(1-(1-\eta\mu)^{2\phi\tau'}\bigr),\ "
    + r",\ ".join(rf"z_{{{base}}}={text}" for base, text in FLOORS.items()),
    headline="FedLAMA with two fixed intervals has the rate of FedAvg at the long one, for every T",
    summary="FedLAMA at eta = 1/(4L), mu = L/10, phi = 2, one layer at each interval, tau' = 1, 2, exact gradients: certified for "
    "every number T of rounds and all sizes of the layers, with the rate of the flattest clients up to a thousandth. No rate is "
    "smaller: all coordinates may lie in the layer at the long interval.",
    assumptions=(
        "every F_k mu-strongly convex and L-smooth",
        "exact gradients, full participation, intervals tau' and phi tau' for good",
        _PARAMETERS,
    ),
    printed=dict(keep="999/1000", scale="1"),
    controls=[
        Control("a thousandth more than the flattest clients allow", dict(keep="1001/1000")),
        Control("half the error", dict(scale="1/2")),
    ],
)
def every_round(keep: str, scale: str) -> Evidence:
    """Certificates at the claimed rates, after exact runs."""
    return at_every_round(
        [setting(base, {"heterogeneity": text}, keep, scale) for base, text in FLOORS.items()],
        valid_for=f"{_PARAMETERS}; every N, all weights, every T >= 1, every dimension, all sizes of the layers",
    )


if __name__ == "__main__":
    run_script(__file__)
