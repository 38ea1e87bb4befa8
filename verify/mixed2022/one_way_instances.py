"""Rounds of 1-way Gradient Transfer on the line with two-point noise: every quantity of Appendix D.2, exactly.

Both losses are quadratics with one curvature on each side of 0, so that 0 is a stationary point of their sum when the
slopes cancel.  All clients have one loss, so that only the S clients of the cohort are listed, and all noise.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import product

import sympy as sp

from fltheory.evidence.decide import Tried
from fltheory.evidence.ends import tried
from fltheory.evidence.exact_search import Search, search
from fltheory.evidence.witness import Witness
from fltheory.theory.mixed2022 import one_round
from fltheory.theory.mixed2022.one_round import G2, C, V, beta, drift, eta_s, gain, gap, move, near, w2
from fltheory.theory.mixed2022.scalars import number
from verify.mixed2022.kinked import KinkedParabola

ZERO, ONE, HALF = Fraction(0), Fraction(1), Fraction(1, 2)
LINEAR, FULL, DOWN = (KinkedParabola(curvature, curvature) for curvature in (ZERO, ONE, -ONE))


@dataclass(frozen=True)
class Huber:
    """t^2/2 for |t| <= 1, |t| - 1/2 otherwise: convex, 1-smooth, of slope at most 1."""

    def value(self, t: Fraction) -> Fraction:
        return t * t / 2 if abs(t) <= 1 else abs(t) - HALF

    def gradient(self, t: Fraction) -> Fraction:
        return max(-ONE, min(ONE, t))

    def __str__(self) -> str:
        return "t^2/2 for |t| <= 1, else |t| - 1/2"


@dataclass(frozen=True)
class Round:
    """``client`` and ``centre`` are the sizes of the noises (either sign with probability 1/2); ``bias`` is added to g_c."""

    federated: KinkedParabola | Huber
    central: KinkedParabola | Huber
    point: Fraction
    eta: Fraction
    server: Fraction = ONE
    steps: int = 1
    cohort: int = 1
    client: Fraction = ZERO
    centre: Fraction = ZERO
    bias: Fraction = ZERO
    smoothness: Fraction = ONE
    modulus: Fraction = ZERO

    def __str__(self) -> str:
        text = f"f_f = {self.federated}, f_c = {self.central}, x = {self.point}, K = {self.steps}, S = {self.cohort}, "
        text += f"eta = {self.eta}, eta_s = {self.server}, beta = {self.smoothness}, mu = {self.modulus}"
        text += f", client noise +-{self.client}" if self.client else ""
        text += f", central noise +-{self.centre}" if self.centre else ""
        return text + (f", g_c biased by {self.bias}" if self.bias else "")

    def loss(self, x: Fraction) -> Fraction:
        return self.federated.value(x) + self.central.value(x)

    def paths(self) -> Iterator[tuple[Fraction, Fraction, list[list[Fraction]]]]:
        """(probability, next model, points x^0..x^K of every client of the cohort); all signs are equally likely."""
        signs = [(-self.client, self.client)] if self.client else [(ZERO,)]
        sides = (-1, 1) if self.centre else (0,)
        draws = self.steps * self.cohort
        chance = Fraction(1, len(sides) * len(signs[0]) ** draws)
        slope = self.central.gradient(self.point) + self.bias
        for side in sides:
            central = slope + side * self.centre
            for noise in product(*(signs * draws)):
                points = []
                for i in range(self.cohort):
                    path = [self.point]
                    for k in range(self.steps):
                        g = self.federated.gradient(path[-1]) + noise[i * self.steps + k]
                        path.append(path[-1] - self.eta * (g + central))
                    points.append(path)
                moved = sum((path[-1] - self.point for path in points), start=ZERO) / self.cohort
                yield chance, self.point + self.server * moved, points

    def expected(self, form: Callable[[Fraction, list[list[Fraction]]], Fraction]) -> Fraction:
        """The expectation of a form of the next model and of the cohort's points."""
        return sum((p * form(after, points) for p, after, points in self.paths()), start=ZERO)

    def slope(self) -> Fraction:
        """grad f(x)."""
        return self.federated.gradient(self.point) + self.central.gradient(self.point)

    def taken(self, points: list[list[Fraction]], shift: int = 0) -> Fraction:
        """The mean of grad f_f over the points at which the round takes it (``shift`` 1: over those after the steps)."""
        used = [self.federated.gradient(y) for path in points for y in (path[1:] if shift else path[:-1])]
        return sum(used, start=ZERO) / len(used)

    @property
    def effective(self) -> Fraction:
        """K eta eta_s."""
        return self.steps * self.eta * self.server

    def values(self) -> dict[sp.Symbol, Fraction]:
        """See :meth:`computed`; kept, since the same rounds serve many rows."""
        return dict(_values(self))

    def computed(self) -> dict[sp.Symbol, Fraction]:
        """Every symbol of the displays, and ``drift_a``, the drift with the points x^1..x^K instead of x^0..x^{K-1}."""
        x, here = self.point, self.loss(self.point)
        found = dict.fromkeys((drift, move, near, gain, AFTER), ZERO)
        paths = list(self.paths())  # equally likely
        for _, after, points in paths:
            found[move] += (after - x) ** 2
            found[near] += after**2
            found[gain] += self.loss(after) - here
            for path in points:
                squares = [(y - x) ** 2 for y in path[1:]]  # the first point is x
                found[drift] += sum(squares[:-1], start=ZERO)
                found[AFTER] += sum(squares, start=ZERO)
        for symbol in found:
            found[symbol] /= len(paths) * (draws_of(self) if symbol in (drift, AFTER) else 1)
        return found | {
            one_round.e: self.effective,
            one_round.eta: self.eta,
            eta_s: self.server,
            one_round.K: Fraction(self.steps),
            one_round.S: Fraction(self.cohort),
            beta: self.smoothness,
            one_round.mu: self.modulus,
            G2: self.slope() ** 2,
            w2: x**2,
            gap: self.loss(x) - self.loss(ZERO),
            V: self.client**2,
            C: self.centre**2 + self.bias**2,
        }


@cache
def _values(item: Round) -> dict[sp.Symbol, Fraction]:
    return item.computed()


#: The drift over x^1..x^K (first reading of the definition).
AFTER = sp.Symbol("drift_a")


def far(top: Fraction) -> list[Round]:
    """One step far out on a loss that is linear there, so that <grad f, x - x*> is hardly larger than the gap."""
    return [Round(LINEAR, Huber(), Fraction(40), e) for e in (top, top / 2)]


def draws_of(round: Round) -> int:
    """K S."""
    return round.steps * round.cohort


def shapes(*, convex: bool) -> list[tuple[KinkedParabola, KinkedParabola, Fraction]]:
    """(f_f, f_c, mu) with beta = 1 and cancelling slopes, simplest first."""
    soft = KinkedParabola(HALF, ONE)
    found = [
        (LINEAR, FULL, ZERO),
        (FULL, LINEAR, ZERO),
        (FULL, FULL, ONE),
        (soft, FULL, HALF),
        (KinkedParabola(ONE, HALF), soft, HALF),
        (KinkedParabola(ZERO, ONE, ONE), KinkedParabola(ZERO, ONE, -ONE), ZERO),
        (KinkedParabola(HALF, HALF), KinkedParabola(HALF, HALF), HALF),
    ]
    if not convex:
        found += [(f_f, FULL, -ONE) for f_f in (DOWN, KinkedParabola(-ONE, ONE), KinkedParabola(ONE, -ONE))]
        found += [(FULL, DOWN, -ONE), (KinkedParabola(-ONE, -ONE, ONE), LINEAR, -ONE)]
    return found


def rounds(
    effective: Iterable[Fraction],
    *,
    convex: bool = True,
    servers: Sequence[Fraction] = (ONE, Fraction(2)),
    local: bool = False,
) -> list[Round]:
    """Rounds for the given effective (or ``local``) step sizes: noise-free, central noise, client noise, both; K S up to 4."""
    found = []
    steps = list(effective)
    for K, S in ((1, 1), (2, 1), (1, 2), (3, 1), (2, 2)):
        for e in steps:
            for f_f, f_c, mu in shapes(convex=convex):
                for x in (ZERO, ONE, -HALF):
                    for client, centre in ((ZERO, ZERO), (ZERO, ONE), (ONE, ZERO), (HALF, ONE)):
                        if x == 0 and client == centre == 0:
                            continue
                        for server in servers if K * S > 1 else servers[:1]:  # one step: only eta eta_s matters
                            eta = e if local else e / (K * server)
                            found.append(Round(f_f, f_c, x, eta, server, K, S, client, centre, modulus=max(mu, ZERO)))
    return found


def sampled(items: Sequence[Round], every: int) -> list[Round]:
    """All rounds of one step and one client, and every n-th of the others."""
    return [item for i, item in enumerate(items) if i % every == 0 or draws_of(item) == 1]


def smooth_rounds(effective: Iterable[Fraction], *, doubled: bool) -> list[Round]:
    """Rounds of losses that need not be convex, with f itself 1-smooth unless ``doubled``."""
    most = 2 if doubled else 1
    return [
        item
        for item in sampled(rounds(effective, convex=False), 13)
        if abs(item.federated.left + item.central.left) <= most
        and abs(item.federated.right + item.central.right) <= most
    ]


def evaluated(left: sp.Expr, right: sp.Expr, items: Sequence[Round], *, relation: str = "<=") -> Search:
    """``left relation right`` on rounds."""

    def sides(item: Round) -> tuple[Fraction, Fraction]:
        values = item.values()
        return number(left, values), number(right, values)

    return search(items, sides, relation=relation, describe=str)


def at_points(
    left: sp.Expr,
    right: sp.Expr,
    symbols: Sequence[sp.Symbol],
    points: Iterable[Sequence[int]],
    *,
    relation: str = "<=",
) -> Tried:
    """``left relation right`` for numbers in place of the symbols (also of vectors: the line)."""
    return tried(Witness(dict(zip(symbols, point, strict=True)), left, relation, right) for point in points)
