"""Section 4.2 of Augenstein et al. (2022), heterogeneous clients: 1-way GT's bounds with sigma^2 + K sigma_f^2, proved.

The proofs of Appendix D use little of the client noise: that it is orthogonal to the mean gradient and to the central noise,
and its mean square.  The choice of the cohort has the same two properties, and the clients' first directions have sigma_f^2
more mean square; so every constant stays as it is.  The condition eta_s >= sqrt(S) (nearly, in the convex cases) is needed.

Rounds of 1-way Gradient Transfer on the line with clients that differ, cohorts and two-point noise, exactly.

The minimiser of the sum of all losses is the origin.  ``sigma_f^2``, the largest mean square distance of the clients'
gradients from their mean, is that of the losses used here on the whole line, by construction.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from itertools import combinations, product
from typing import Any

import sympy as sp

from fltheory.evidence.decide import decide
from fltheory.evidence.derive import by_derivation
from fltheory.evidence.kinds import expectation_claim, run_script
from fltheory.evidence.model import Control, Evidence
from fltheory.theory.mixed2022 import one_round
from fltheory.theory.mixed2022.assembly import CVX_REC_SHARP, NC_REC_SHARP
from fltheory.theory.mixed2022.drift import LEMMA_D11_SHARP, LEMMA_D13_SHARP
from fltheory.theory.mixed2022.one_round import b, gain, move
from verify.mixed2022 import derivations
from verify.mixed2022.heterogeneous import SPREAD, enlarged
from verify.mixed2022.kinked import KinkedParabola
from verify.mixed2022.one_way_instances import AFTER, FULL, LINEAR, Round, evaluated
from verify.mixed2022.parallel_instances import root
from verify.mixed2022.settled import together
from verify.mixed2022.two_way_instances import Mean

ZERO, ONE, HALF, QUARTER = Fraction(0), Fraction(1), Fraction(1, 2), Fraction(1, 4)


@dataclass(frozen=True)
class Leaning:
    """``base(x) + lean psi(x)`` with ``psi' = 1/4 + clip(x/2, -1/4, 1/4)``: psi has slopes in [0, 1/2], curvature 0 or 1/2."""

    base: KinkedParabola
    lean: Fraction

    def value(self, x: Fraction) -> Fraction:
        near = max(-HALF, min(HALF, x))
        return self.base.value(x) + self.lean * (x / 4 + near**2 / 4 + near * (x - near) / 2)

    def gradient(self, x: Fraction) -> Fraction:
        return self.base.gradient(x) + self.lean * (QUARTER + max(-QUARTER, min(QUARTER, x / 2)))

    def __str__(self) -> str:
        return f"{self.base} {'+' if self.lean >= 0 else '-'} {abs(self.lean)} psi, psi' = 1/4 + clip(x/2, -1/4, 1/4)"


@dataclass(frozen=True)
class ClientsRound(Round):
    """A round of clients with one loss each, ``federated`` being their mean, of whom ``cohort`` are drawn; ``spread`` is sigma_f^2.

    ``copies``: so many of each client, all of them in the cohort, with exact gradients.
    """

    federated: Any
    spread: Fraction = ZERO
    copies: int = 1

    def __post_init__(self) -> None:
        if self.copies > 1 and (self.cohort != len(self.federated.losses) or self.client):
            raise ValueError(f"copies={self.copies}: copies of clients need full participation and exact gradients")

    def __str__(self) -> str:
        copies = f", each client {self.copies} times" if self.copies > 1 else ""
        clients = super().__str__().replace("f_f = the mean of", "clients", 1)
        return f"{clients}, sigma_f^2 = {self.spread}{copies}"

    def paths(self) -> Iterator[tuple[Fraction, Fraction, list[list[Fraction]]]]:
        """As for equal clients, over all cohorts as well; all outcomes are equally likely."""
        losses, sides = self.federated.losses, (-1, 1) if self.centre else (0,)
        cohorts = list(combinations(losses, self.cohort))
        for side in sides:
            own = {loss: self._alone(loss, side * self.centre) for loss in losses}
            for members in cohorts:
                outcomes = list(product(*(own[loss] for loss in members)))
                for points in outcomes:
                    moved = sum((path[-1] - self.point for path in points), start=ZERO) / self.cohort
                    chance = Fraction(1, len(sides) * len(cohorts) * len(outcomes))
                    yield chance, self.point + self.server * moved, list(points)

    def _alone(self, loss: Any, central: Fraction) -> list[list[Fraction]]:
        """The points of one client, this much added to the central gradient."""
        alone = Round(loss, self.central, self.point, self.eta, steps=self.steps, client=self.client, bias=central)
        return [path for *_, (path,) in alone.paths()]

    def computed(self) -> dict[sp.Symbol, Fraction]:
        """As for equal clients, and sigma_f^2."""
        return super().computed() | {SPREAD: self.spread, one_round.S: Fraction(self.cohort * self.copies)}


@dataclass(frozen=True)
class Population:
    """Losses of ``N`` clients with beta, mu and sigma_f^2."""

    losses: tuple[Any, ...]
    smoothness: Fraction
    modulus: Fraction
    spread: Fraction

    def round(self, central: KinkedParabola, *settings: Any, **more: Any) -> ClientsRound:
        """A round of these clients with a centre; the rest as for :class:`ClientsRound`."""
        beta = max(self.smoothness, abs(central.left), abs(central.right))
        mu = max(ZERO, min(self.modulus, central.left, central.right))
        known = dict(smoothness=beta, modulus=mu, spread=self.spread)
        return ClientsRound(Mean(self.losses), central, *settings, **known, **more)


def shifted(left: Fraction, right: Fraction, *slopes: Fraction) -> Population:
    """One kinked loss with several slopes, of mean zero: the clients' gradients keep their distances everywhere."""
    square = sum((s * s for s in slopes), start=ZERO) / len(slopes)
    losses = tuple(KinkedParabola(left, right, slope) for slope in slopes)
    return Population(losses, max(abs(left), abs(right)), min(left, right), square)


def leaning(curvature: Fraction) -> Population:
    """``curvature x^2/2 + psi`` and ``- psi``: gradients up to 1/2 from their mean."""
    pair = tuple(Leaning(KinkedParabola(curvature, curvature), lean) for lean in (ONE, -ONE))
    return Population(pair, curvature + HALF, curvature - HALF, QUARTER)


#: So many copies of two clients that their choice has hardly any variance.
MANY = 2**17
REDUCTION = (
    "The lemmas for equal clients, line by line: the choice of the cohort belongs to the client noise of the update, the clients' "
    "deviation from the mean gradient to the noise of the first direction; D.5, D.7, D.8 for each client's own loss, averaged"
)
VALID = "every N, S <= N, K >= 1, dimension, all noise laws; steps and eta_s as in Theorem B.2"
HYPOTHESES = (
    "E g_i = grad f_i with variance at most sigma^2",
    "(1/N) sum_i |grad f_i - grad f_f|^2 <= sigma_f^2 everywhere",
    "E g_c = grad f_c, variance at most sigma_c^2",
    "uniform cohort, independent of the noise of g_c",
    "fresh independent batches",
    "every f_i, and f_c, beta-smooth (and mu-convex, mu >= 0, in the convex cases)",
)


def populations(convex: bool) -> list[Population]:
    """Clients whose gradients keep their distances, or lean by up to 1/2; without convexity also curvature -1."""
    found = [shifted(ONE, ONE, ONE, -ONE), shifted(ZERO, ZERO, ONE, -ONE), shifted(HALF, ONE, ONE, -HALF, -HALF)]
    down = [shifted(-ONE, ONE, ONE, -ONE), shifted(-ONE, -ONE, ONE, -ONE)]
    return [*found, leaning(HALF)] if convex else found + down


def instances(top: Fraction, *, convex: bool, server: str, local: bool = False) -> list[ClientsRound]:
    """Cohorts of 1 and 2 among 2 or 3 clients, one and two steps; and many clients without noise."""

    def rates(cohort: int, steps: int) -> tuple[Fraction, Fraction]:
        eta_s = ONE if server == "1" else root(Fraction(5 * cohort, 8) if convex else cohort)
        return (top if local else top / (steps * eta_s)), eta_s

    noises, sizes = ((ZERO, ZERO), (ONE, HALF)), ((1, 1), (1, 2), (2, 1), (2, 2))
    every = product(populations(convex), (LINEAR, FULL), (ZERO, ONE), sizes, noises)
    found = [clients.round(centre, x, *rates(S, K), K, S, *noise) for clients, centre, x, (S, K), noise in every]
    return [*found, leaning(HALF).round(FULL, ZERO, *rates(2 * MANY, 2), 2, 2, copies=MANY)]


def bounds(factor: str, server: str) -> Evidence:
    """Update, drift, both recursions with the factor in front of sigma_f^2."""
    size = sp.sympify(factor, locals={"K": one_round.K})
    convex = dict(top=Fraction(1, 8), convex=True, server=server)
    smooth = dict(top=Fraction(1, 18), convex=False, server=server)
    displays = (
        (move, one_round.LEMMA_D9_SHARP.expression.subs(b, sp.Rational(1, 1000)), convex),
        (AFTER, LEMMA_D11_SHARP.expression, dict(top=ONE, convex=True, server=server, local=True)),
        (one_round.near, CVX_REC_SHARP.expression, convex),
        (AFTER, LEMMA_D13_SHARP.expression, {**smooth, "server": "sqrt(S)"}),
        (gain, NC_REC_SHARP.expression, smooth),
    )
    found = together([evaluated(left, enlarged(right, size), instances(**which)) for left, right, which in displays])
    if server == "1":
        return decide((False, "the recursions for every eta_s"), found, method=REDUCTION)
    drifts, recursions = ((LEMMA_D13_SHARP, LEMMA_D11_SHARP), (NC_REC_SHARP, CVX_REC_SHARP))
    scripts = {"update": partial(derivations.update_of_clients, one_round.LEMMA_D9_SHARP, factor)}
    for convex_ in (True, False):
        kind = "convex" if convex_ else "smooth"
        scripts[f"drift, {kind}"] = partial(derivations.drift_of_clients, drifts[convex_], factor, convex=convex_)
        script = partial(derivations.recursion_of_clients, recursions[convex_], factor, convex=convex_)
        scripts[f"recursion, {kind}"] = script
    return by_derivation(scripts, found, method=REDUCTION, valid_for=VALID)


one_way = expectation_claim(
    "MX-HET.1W",
    headline="With large server rates 1-way transfer's bounds hold for unlike clients, with more noise",
    source="Section 4.2, and Theorem B.2",
    statement=(
        r"\frac{\sigma^2}{KS}\to\frac{\sigma^2+K\sigma_f^2}{KS}:\quad ",
        CVX_REC_SHARP,
        r",\quad ",
        NC_REC_SHARP,
    ),
    summary="1-way Gradient Transfer: update, drift and both recursions, with the constants of the homogeneous case, hold for "
    "clients that differ when sigma^2 becomes sigma^2 + K sigma_f^2, hence also every bound and order that follows from "
    "them (in the variance of the update the factor K is exact). Without a condition like eta_s >= sqrt(S), which Theorem B.2 "
    "has, they fail for many clients.",
    assumptions=HYPOTHESES,
    depends=(
        "MX-LEMD9-S6",
        "MX-LEMD10-S7",
        "MX-LEMD12-S9",
        "MX-LEMD13-S7",
        "MX-CVX-REC-S1",
        "MX-NC-REC-S2",
        "MX-T1-1W-SC",
        "MX-T1-1W-C",
        "MX-T1-1W-NC",
    ),
    printed=dict(factor="K", server="sqrt(S)"),
    controls=[
        Control("no sigma_f^2", dict(factor="0")),
        Control("sigma_f^2 without K", dict(factor="1")),
        Control("99/100 K", dict(factor="99*K/100")),
        Control("eta_s = 1, many clients", dict(server="1")),
    ],
)(bounds)


if __name__ == "__main__":
    run_script(__file__)
