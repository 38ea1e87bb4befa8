"""Section 4.2 of Augenstein et al. (2022), heterogeneous clients: 1-way GT's bounds with sigma^2 + K sigma_f^2, proved.

The proofs of Appendix D use little of the client noise: that it is orthogonal to the mean gradient and to the central noise,
and its mean square.  The choice of the cohort has the same two properties, and the clients' first directions have sigma_f^2
more mean square; so every constant stays as it is.  The condition eta_s >= sqrt(S) (nearly, in the convex cases) is needed.

Rounds of 1-way Gradient Transfer on the line with clients that differ, cohorts and two-point noise, exactly.

The minimiser of the sum of all losses is the origin.  ``sigma_f^2``, the largest mean square distance of the clients'
gradients from their mean, is that of the losses used here on the whole line, by construction.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, partial
from itertools import combinations, product
from math import isqrt
from typing import Any

import sympy as sp

from fltheory.evidence.decide import decide
from fltheory.evidence.derive import by_derivation
from fltheory.evidence.exact_search import Search
from fltheory.evidence.kinds import expectation_claim, run_script
from fltheory.evidence.model import Control, Evidence
from fltheory.theory.mixed2022 import one_round
from fltheory.theory.mixed2022.assembly import CVX_REC_SHARP, NC_REC_SHARP
from fltheory.theory.mixed2022.drift import LEMMA_D11_SHARP, LEMMA_D13_SHARP
from fltheory.theory.mixed2022.one_round import G2, C, V, b, drift, e, gain, gap, move
from verify.mixed2022 import derivations
from verify.mixed2022.heterogeneous import SPREAD, enlarged
from verify.mixed2022.kinked import KinkedParabola
from verify.mixed2022.one_way_instances import AFTER, evaluated

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
class Population:
    """Losses of ``N`` clients with beta, mu and sigma_f^2."""

    losses: tuple[Any, ...]
    smoothness: Fraction
    modulus: Fraction
    spread: Fraction


def shifted(left: Fraction, right: Fraction, *slopes: Fraction) -> Population:
    """One kinked loss with several slopes, of mean zero: the clients' gradients keep their distances everywhere."""
    square = sum((s * s for s in slopes), start=ZERO) / len(slopes)
    losses = tuple(KinkedParabola(left, right, slope) for slope in slopes)
    return Population(losses, max(abs(left), abs(right)), min(left, right), square)


def leaning(curvature: Fraction, copies: int = 1) -> Population:
    """``copies`` of each of ``curvature x^2/2 +- psi``: gradients up to 1/2 from their mean."""
    pair = (Leaning(KinkedParabola(curvature, curvature), ONE), Leaning(KinkedParabola(curvature, curvature), -ONE))
    return Population(pair * copies, curvature + HALF, curvature - HALF, QUARTER)


@dataclass(frozen=True)
class ClientsRound:
    """One round; ``client`` and ``centre`` are the sizes of the noises, of either sign with probability 1/2."""

    population: Population
    central: KinkedParabola
    point: Fraction
    eta: Fraction
    server: Fraction = ONE
    steps: int = 1
    cohort: int = 1
    client: Fraction = ZERO
    centre: Fraction = ZERO
    repeated: int = 1

    def __post_init__(self) -> None:
        if self.repeated > 1 and (self.cohort != len(self.population.losses) * self.repeated or self.client):
            raise ValueError(f"repeated={self.repeated}: copies of clients need full participation and exact gradients")

    def __str__(self) -> str:
        names = "; ".join(str(loss) for loss in self.population.losses)
        text = f"clients {names}" + (f", each {self.repeated} times" if self.repeated > 1 else "")
        text += f", f_c = {self.central}, x = {self.point}, K = {self.steps}, S = {self.cohort}, eta = {self.eta}, "
        text += f"eta_s = {self.server}, sigma_f^2 = {self.population.spread}"
        text += f", client noise +-{self.client}" if self.client else ""
        return text + (f", central noise +-{self.centre}" if self.centre else "")

    def loss(self, x: Fraction) -> Fraction:
        mean = sum((loss.value(x) for loss in self.population.losses), start=ZERO) / len(self.population.losses)
        return mean + self.central.value(x)

    def path(self, client: int, central: Fraction, noise: Sequence[int]) -> list[Fraction]:
        """The points x^0..x^K of a client."""
        points = [self.point]
        for side in noise:
            g = self.population.losses[client].gradient(points[-1]) + side * self.client
            points.append(points[-1] - self.eta * (g + central))
        return points

    def ends(self) -> Iterator[tuple[Fraction, Fraction]]:
        """(probability, next model) over central noise, cohorts and client noise."""
        many, sides = len(self.population.losses), (-1, 1) if self.centre else (0,)
        size = many if self.repeated > 1 else self.cohort
        cohorts = list(combinations(range(many), size))
        for side in sides:
            central = self.central.gradient(self.point) + side * self.centre
            ways = {k: [self.path(k, central, noise)[-1] for noise in self._noises()] for k in range(many)}
            for members in cohorts:
                outcomes = list(product(*(ways[k] for k in members)))
                for last in outcomes:
                    moved = sum(last, start=ZERO) / size - self.point
                    yield Fraction(1, len(sides) * len(cohorts) * len(outcomes)), self.point + self.server * moved

    def _noises(self) -> list[tuple[int, ...]]:
        return list(product((-1, 1) if self.client else (0,), repeat=self.steps))

    def values(self) -> dict[sp.Symbol, Fraction]:
        """Every symbol of the displays, see :mod:`fltheory.theory.mixed2022.one_round`."""
        return dict(_values(self))

    def computed(self) -> dict[sp.Symbol, Fraction]:
        """All symbols by enumeration of central noise, cohorts and client noise."""
        x, clients = self.point, self.population.losses
        found = dict.fromkeys((drift, AFTER, move, one_round.near, gain), ZERO)
        for p, after in self.ends():
            found[move] += p * (after - x) ** 2
            found[one_round.near] += p * after**2
            found[gain] += p * (self.loss(after) - self.loss(x))
        sides = (-1, 1) if self.centre else (0,)
        every = [(k, side, noise) for k in range(len(clients)) for side in sides for noise in self._noises()]
        for k, side, noise in every:
            squares = [(y - x) ** 2 for y in self.path(k, self.central.gradient(x) + side * self.centre, noise)]
            found[drift] += sum(squares[:-1], start=ZERO) / (self.steps * len(every))
            found[AFTER] += sum(squares[1:], start=ZERO) / (self.steps * len(every))
        gradient = sum((loss.gradient(x) for loss in clients), start=ZERO) / len(clients) + self.central.gradient(x)
        beta = max(self.population.smoothness, abs(self.central.left), abs(self.central.right))
        mu = max(ZERO, min(self.population.modulus, self.central.left, self.central.right))
        return found | {
            e: self.steps * self.eta * self.server,
            one_round.eta: self.eta,
            one_round.eta_s: self.server,
            one_round.K: Fraction(self.steps),
            one_round.S: Fraction(self.cohort),
            one_round.beta: beta,
            one_round.mu: mu,
            G2: gradient**2,
            one_round.w2: x**2,
            gap: self.loss(x) - self.loss(ZERO),
            V: self.client**2,
            C: self.centre**2,
            SPREAD: self.population.spread,
        }


@cache
def _values(item: ClientsRound) -> dict[sp.Symbol, Fraction]:
    return item.computed()


R = sp.Rational
FLAT, FULL = KinkedParabola(ZERO, ZERO), KinkedParabola(ONE, ONE)
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


def roots(cohort: int, server: str, convex: bool) -> Fraction:
    """A rational eta_s just above sqrt(5S/8) or sqrt(S), or 1."""
    if server == "1":
        return ONE
    size = Fraction(5 * cohort, 8) if convex else Fraction(cohort)
    return Fraction(isqrt(int(size * 4096)) + 1, 64)


def populations(convex: bool) -> list[Population]:
    """Clients whose gradients keep their distances, or lean by up to 1/2; without convexity also curvature -1."""
    found = [shifted(ONE, ONE, ONE, -ONE), shifted(ZERO, ZERO, ONE, -ONE), shifted(HALF, ONE, ONE, -HALF, -HALF)]
    down = [shifted(-ONE, ONE, ONE, -ONE), shifted(-ONE, -ONE, ONE, -ONE)]
    return [*found, leaning(HALF)] if convex else found + down


def instances(top: Fraction, *, convex: bool, server: str, local: bool = False) -> list[ClientsRound]:
    """Cohorts of 1 and 2 among 2 or 3 clients, one and two steps; and many clients without noise."""

    def rates(cohort: int, steps: int) -> tuple[Fraction, Fraction]:
        eta_s = roots(cohort, server, convex)
        return (top if local else top / (steps * eta_s)), eta_s

    noises, sizes = ((ZERO, ZERO), (ONE, HALF)), ((1, 1), (1, 2), (2, 1), (2, 2))
    every = product(populations(convex), (FLAT, FULL), (ZERO, ONE), sizes, noises)
    found = [
        ClientsRound(clients, centre, x, *rates(S, K), K, S, *noise) for clients, centre, x, (S, K), noise in every
    ]
    return [*found, ClientsRound(leaning(HALF), FULL, ZERO, *rates(2 * MANY, 2), 2, 2 * MANY, repeated=MANY)]


def worst(*searches: Search) -> Search:
    """The least slack, and all instances counted."""
    found = min(searches, key=lambda s: s.worst)
    return Search(sum(s.examined for s in searches), found.worst, found.counterexample)


def bounds(factor: str, server: str) -> Evidence:
    """Update, drift, both recursions with the factor in front of sigma_f^2."""
    size = sp.sympify(factor, locals={"K": one_round.K})
    convex = dict(top=Fraction(1, 8), convex=True, server=server)
    smooth = dict(top=Fraction(1, 18), convex=False, server=server)
    displays = (
        (move, one_round.LEMMA_D9_SHARP.expression.subs(b, R(1, 1000)), convex),
        (AFTER, LEMMA_D11_SHARP.expression, dict(top=ONE, convex=True, server=server, local=True)),
        (one_round.near, CVX_REC_SHARP.expression, convex),
        (AFTER, LEMMA_D13_SHARP.expression, {**smooth, "server": "sqrt(S)"}),
        (gain, NC_REC_SHARP.expression, smooth),
    )
    found = worst(*(evaluated(left, enlarged(right, size), instances(**which)) for left, right, which in displays))
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
        "MX-LEMD11-S10",
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
