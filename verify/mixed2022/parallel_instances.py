"""Rounds of Parallel Training on the line with two-point noise: every quantity of its recursions, exactly.

Losses as in :mod:`verify.mixed2022.one_way_instances`: quadratics with one curvature on each side of 0, where the slopes cancel.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache
from itertools import combinations, product
from math import isqrt
from typing import Any

import sympy as sp

from fltheory.theory.mixed2022 import one_round
from fltheory.theory.mixed2022.one_round import G2, C, V, beta, gain, gap, near, w2
from fltheory.theory.mixed2022.parallel import Gd2, nu, v
from verify.mixed2022.heterogeneous import SPREAD
from verify.mixed2022.kinked import KinkedParabola
from verify.mixed2022.one_way_instances import FULL, LINEAR, Huber, shapes

ZERO, ONE, HALF = Fraction(0), Fraction(1), Fraction(1, 2)
#: Cohorts up to this size are listed.
LARGEST = 8


@dataclass(frozen=True)
class ParallelRound:
    """One round with ``K eta eta_s eta_m = K eta_c eta_m = effective``; ``client``, ``centre``: sizes of the noises.

    ``federated`` is the loss of all clients, or a tuple with one loss per client, of whom ``cohort`` are drawn without
    replacement; ``spread`` is their sigma_f^2.  Equal clients are listed as far as they are in the cohort.
    """

    federated: Any
    central: Any
    point: Fraction
    effective: Fraction
    server: Fraction = ONE
    merge: Fraction = ONE
    steps: int = 1
    cohort: int = 1
    client: Fraction = ZERO
    centre: Fraction = ZERO
    modulus: Fraction = ZERO
    dissimilarity: tuple[Fraction, Fraction] = (ZERO, ONE)
    spread: Fraction = ZERO

    @property
    def losses(self) -> tuple[Any, ...]:
        """One loss per client that is told apart."""
        return self.federated if isinstance(self.federated, tuple) else (self.federated,)

    def __str__(self) -> str:
        names = ("f_f = " if len(self.losses) == 1 else "clients ") + "; ".join(map(str, self.losses))
        text = f"{names}, f_c = {self.central}, x = {self.point}, K = {self.steps}, S = {self.cohort}, "
        text += f"e = {self.effective}, eta_s = {self.server}, eta_m = {self.merge}, "
        text += f"mu = {self.modulus}, G^2 = {self.dissimilarity[0]}, B^2 = {self.dissimilarity[1]}"
        text += f", sigma_f^2 = {self.spread}" if self.spread else ""
        text += f", client noise +-{self.client}" if self.client else ""
        return text + (f", central noise +-{self.centre}" if self.centre else "")

    def mean(self, what: Callable[[Any], Fraction]) -> Fraction:
        """A mean over the clients' losses."""
        return sum((what(loss) for loss in self.losses), start=ZERO) / len(self.losses)

    def loss(self, x: Fraction) -> Fraction:
        return self.mean(lambda loss: loss.value(x)) + self.central.value(x)

    def paths(self, loss: Any, rate: Fraction, noise: Fraction) -> list[list[Fraction]]:
        """The equally likely point lists x^0..x^K of one worker."""
        found = []
        for signs in product((-1, 1) if noise else (0,), repeat=self.steps):
            points = [self.point]
            for sign in signs:
                points.append(points[-1] - rate * (loss.gradient(points[-1]) + sign * noise))
            found.append(points)
        return found

    def workers(self) -> tuple[list[list[list[Fraction]]], list[list[Fraction]]]:
        """Paths of every client that is told apart, and of the centre."""
        rate = self.effective / (self.steps * self.merge)
        mine = [self.paths(loss, rate / self.server, self.client) for loss in self.losses]
        return mine, self.paths(self.central, rate, self.centre)

    def ends(self) -> Iterator[tuple[Fraction, Fraction]]:
        """(probability, next model), over cohorts and all noise."""
        mine, theirs = self.workers()
        same = len(mine) == 1
        cohorts = [(0,) * self.cohort] if same else list(combinations(range(len(mine)), self.cohort))
        for members in cohorts:
            outcomes = list(product(*(mine[k] for k in members)))
            for paths, path in product(outcomes, theirs):
                moved = sum((own[-1] for own in paths), start=ZERO) / self.cohort - self.point
                after = self.point + self.merge * (self.server * moved + path[-1] - self.point)
                yield Fraction(1, len(cohorts) * len(outcomes) * len(theirs)), after

    def nearness(self) -> Fraction:
        """E |x+|^2 of equal clients by mean and variance, for cohorts too large to be listed."""
        (mine,), theirs = self.workers()
        mean, spread = self.point, ZERO
        for paths, factor, many in ((mine, self.merge * self.server, self.cohort), (theirs, self.merge, 1)):
            moves = [path[-1] - self.point for path in paths]
            centre = sum(moves, start=ZERO) / len(moves)
            mean += factor * centre
            spread += factor**2 * sum(((move - centre) ** 2 for move in moves), start=ZERO) / (len(moves) * many)
        return mean**2 + spread

    def values(self) -> dict[sp.Symbol, Fraction]:
        """Every symbol of the displays."""
        return dict(_values(self))

    def computed(self) -> dict[sp.Symbol, Fraction]:
        """All symbols by enumeration of cohorts and noise."""
        x, large = self.point, self.cohort > LARGEST
        found = {near: self.nearness()} if large else {near: ZERO, gain: ZERO}
        for chance, after in () if large else self.ends():
            found[near] += chance * after**2
            found[gain] += chance * (self.loss(after) - self.loss(x))
        mine, theirs = self.workers()
        drift = ZERO
        for paths, many in (*((paths, len(mine)) for paths in mine), (theirs, 1)):
            squares = sum(((y - x) ** 2 for path in paths for y in path[:-1]), start=ZERO)
            drift += squares / (self.steps * len(paths) * many)
        gradient = self.mean(lambda loss: loss.gradient(x)) + self.central.gradient(x)
        return found | {
            one_round.drift: drift,
            one_round.e: self.effective,
            one_round.K: Fraction(self.steps),
            one_round.S: Fraction(self.cohort),
            beta: ONE,
            one_round.mu: self.modulus,
            G2: gradient**2,
            w2: x**2,
            gap: self.loss(x) - self.loss(ZERO),
            V: self.client**2,
            C: self.centre**2,
            v: 1 / self.merge**2,
            Gd2: self.dissimilarity[0],
            SPREAD: self.spread,
            nu: self.client**2 / (self.steps * self.cohort) + self.centre**2 / self.steps,
        }


@cache
def _values(item: ParallelRound) -> dict[sp.Symbol, Fraction]:
    return item.computed()


def dissimilarity(left: KinkedParabola, right: KinkedParabola) -> tuple[Fraction, Fraction] | None:
    """``(G^2, B^2)`` of Definition 4.2 with w_f = 1/2 for two kinked losses, B^2 the least possible, if there is one.

    On each half-line ``2 |f_f'|^2 + 2 |f_c'|^2 - B^2 |f'|^2`` is a quadratic whose supremum is G^2.
    """
    sides = [(left.left, right.left, -1), (left.right, right.right, 1)]
    square = ONE
    for p_, q, _ in sides:
        if p_ + q == 0 and p_ != 0:
            return None
        if p_ + q != 0:
            square = max(square, 2 * (p_ * p_ + q * q) / (p_ + q) ** 2)
    for extra in (ZERO, ONE):
        found = [_supremum(left.slope, right.slope, p_, q, side, square + extra) for p_, q, side in sides]
        if None not in found:
            return max(x for x in found if x is not None), square + extra
    return None


def _supremum(a: Fraction, c: Fraction, p_: Fraction, q: Fraction, side: int, square: Fraction) -> Fraction | None:
    """Of the quadratic on the half-line ``side x >= 0``; ``None`` if it is infinite."""
    top = 2 * (p_ * p_ + q * q) - square * (p_ + q) ** 2
    middle = side * 2 * (2 * (a * p_ + c * q) - square * (a + c) * (p_ + q))
    level = 2 * (a * a + c * c) - square * (a + c) ** 2
    if top > 0 or (top == 0 and middle > 0):
        return None
    return level if middle <= 0 else level + middle**2 / (-4 * top)


def root(size: Fraction | int) -> Fraction:
    """A rational number just above sqrt(size), of a multiple of 1/4096."""
    return Fraction(isqrt(int(size * 4096) - 1) + 1, 64)


def rounds(top: Fraction, *, convex: bool) -> list[ParallelRound]:
    """Rounds with e = top/(1 + B^2) and half of it, eta_m = 1 and 3, least eta_s; noise-free, client, central noise, both."""
    found = []
    for f_f, f_c, mu in shapes(convex=convex):
        known = dissimilarity(f_f, f_c)
        if known is None:
            continue
        e = top / (1 + known[1])
        for (K, S), merge, x, size, noises in product(
            ((1, 1), (2, 1), (2, 2), (3, 1)),
            (ONE, Fraction(3)),
            (ZERO, ONE, -HALF),
            (1, 2),
            ((ZERO, ZERO), (ONE, ZERO), (HALF, ONE)),
        ):
            server = max(ONE, root(S) / merge)
            found.append(ParallelRound(f_f, f_c, x, e / size, server, merge, K, S, *noises, max(mu, ZERO), known))
    return found


def opposed(top: Fraction) -> list[ParallelRound]:
    """At x* with opposite slopes and different curvatures: only drift moves the model; and far out on a Huber loss."""
    found = []
    for slope in (ONE, Fraction(8)):
        f_f, f_c = KinkedParabola(ONE, ONE, slope), KinkedParabola(HALF, HALF, -slope)
        known = dissimilarity(f_f, f_c)
        assert known is not None  # both curvatures are positive
        for merge in (ONE, Fraction(3)):
            step = top / (1 + known[1])
            found.append(ParallelRound(f_f, f_c, ZERO, step, ONE, merge, 2, modulus=HALF, dissimilarity=known))
    least = (ZERO, Fraction(2))  # 2 |f'|^2 <= B^2 |f'|^2 with B^2 = 2
    return [*found, *(ParallelRound(LINEAR, Huber(), Fraction(40), top / 3 / k, dissimilarity=least) for k in (1, 2))]


Family = tuple[tuple[KinkedParabola, ...], KinkedParabola, Fraction, Fraction]


def families(*, convex: bool) -> Iterator[Family]:
    """Losses of two or three clients whose gradients keep their distances, mean slope zero at 0; f_c, mu and sigma_f^2."""
    curvatures = [(ONE, ONE), (ZERO, ZERO), (HALF, ONE)] + ([] if convex else [(-ONE, ONE)])
    for (left, right), slopes, central in product(curvatures, ((ONE, -ONE), (ONE, -HALF, -HALF)), (FULL, LINEAR)):
        losses = tuple(KinkedParabola(left, right, slope) for slope in slopes)
        spread = sum((s * s for s in slopes), start=ZERO) / len(slopes)
        yield losses, central, max(ZERO, min(left, right, central.left)), spread


#: S, K, x and the sizes of the clients' and the central noise.
SETTINGS = tuple(product((1, 2), (1, 2), (ZERO, ONE), ((ZERO, ZERO), (HALF, ONE))))


def different_clients(top: Fraction, *, convex: bool) -> list[ParallelRound]:
    """One or two of two or three clients that differ, at the largest step."""
    found = []
    for losses, central, mu, spread in families(convex=convex):
        known = dissimilarity(replace(losses[0], slope=ZERO), central)
        if known is not None:
            e = top / (1 + known[1])
            found += [
                ParallelRound(losses, central, x, e, root(S), ONE, K, S, *noises, mu, known, spread)
                for S, K, x, noises in SETTINGS
            ]
    return found


def wide_cohort(top: Fraction) -> list[ParallelRound]:
    """Many clients with eta_s = 1: their common drift by noise does not fall with S."""
    known, half = (ZERO, Fraction(2)), KinkedParabola(ZERO, ONE)
    return [ParallelRound(half, LINEAR, ZERO, top / 3, ONE, ONE, 2, 3 * 10**4, ONE, dissimilarity=known)]
