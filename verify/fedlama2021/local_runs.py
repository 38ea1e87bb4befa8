r"""Runs of local SGD with periodic averaging on parabolas F_i = h_i x^2/2 - b_i x, noise +-sigma: exact expectations.

All outcomes of the signs are enumerated, so that m tau T should be small.  Signs are those of every client and step, or the
same for all clients (``shared="clients"``) or in all steps of a round (``shared="steps"``).
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, cached_property
from itertools import product
from typing import Any

#: Curvature and slope at zero of a client.
Parabola = tuple[Fraction, Fraction]


@dataclass(frozen=True)
class Means:
    """Expectations over all outcomes of a run, exact.

    ``squares`` sum_t E|grad F(u_t)|^2, ``values`` E F(u_0), ..., E F(u_T), ``from_zero`` and ``from_one`` the sums of the squared
    distances over j = 0, ..., tau - 1 and j = 1, ..., tau; of all gradients of a round, averaged over the clients and summed over
    its steps: ``update`` E|sum g|^2, ``noise`` E|sum noise|^2, ``gradients`` E|sum grad F_i|^2 and ``cross`` the expected product
    of the last two sums, each summed over the rounds.
    """

    squares: Any
    values: Sequence[Any]
    from_zero: Any
    from_one: Any
    update: Any
    noise: Any
    gradients: Any
    cross: Any


@dataclass(frozen=True)
class ParabolaRun:
    """A run; numbers may be fractions or symbols."""

    clients: Sequence[Parabola]
    eta: Fraction
    tau: int
    rounds: int = 1
    start: Fraction = Fraction(0)
    sigma: Fraction = Fraction(0)
    shared: str = ""

    @property
    def text(self) -> str:
        """The run in words."""
        of = "; ".join(f"F_{i} = {h}/2 x^2 - ({b}) x" for i, (h, b) in enumerate(self.clients, 1))
        noise = f", noise +-{self.sigma}" + f", the same for all {self.shared}" * bool(self.shared)
        return f"{of}; tau = {self.tau}, T = {self.rounds}, eta = {self.eta}, u_0 = {self.start}{noise}"

    @property
    def largest(self) -> Fraction:
        """L, the largest size of a curvature."""
        return max(abs(h) for h, _ in self.clients)

    def _signs(self) -> Iterator[list[list[list[int]]]]:
        """Signs by round, step and client."""
        m = len(self.clients)
        per_client = 1 if self.shared == "clients" else m
        per_step = 1 if self.shared == "steps" else self.tau
        count = per_client * per_step * self.rounds if self.sigma else 0
        for flat in product((1, -1), repeat=count):
            every = iter(flat or (0,) * (per_client * per_step * self.rounds))
            table = []
            for _ in range(self.rounds):
                steps = [[next(every) for _ in range(per_client)] for _ in range(per_step)]
                steps = steps if per_step == self.tau else steps * self.tau
                table.append([row if len(row) == m else row * m for row in steps])
            yield table

    @cached_property
    def means(self) -> Means:
        """All expectations."""
        m = len(self.clients)
        slope = sum(h for h, _ in self.clients) / m, sum(b for _, b in self.clients) / m
        sums: dict[str, Any] = dict.fromkeys(
            ("squares", "from_zero", "from_one", "update", "noise", "gradients", "cross"), Fraction(0)
        )
        values, outcomes = [Fraction(0)] * (self.rounds + 1), 0
        for table in self._signs():
            outcomes += 1
            u: Any = self.start
            values[0] += slope[0] * u**2 / 2 - slope[1] * u
            for t, steps in enumerate(table):
                sums["squares"] += (slope[0] * u - slope[1]) ** 2
                points, totals = [u] * m, [Fraction(0)] * 2
                for signs in steps:
                    gradients = [h * x - b for (h, b), x in zip(self.clients, points, strict=True)]
                    noises = [self.sigma * sign for sign in signs]
                    sums["from_zero"] += sum((x - u) ** 2 for x in points)
                    points = [x - self.eta * (one + two) for x, one, two in zip(points, gradients, noises, strict=True)]
                    sums["from_one"] += sum((x - u) ** 2 for x in points)
                    totals = [totals[0] + sum(gradients) / m, totals[1] + sum(noises) / m]
                sums["gradients"] += totals[0] ** 2
                sums["noise"] += totals[1] ** 2
                sums["cross"] += totals[0] * totals[1]
                sums["update"] += (totals[0] + totals[1]) ** 2
                u = sum(points) / m
                values[t + 1] += slope[0] * u**2 / 2 - slope[1] * u
        return Means(values=[one / outcomes for one in values], **{name: one / outcomes for name, one in sums.items()})


ONE, HALF, ZERO = Fraction(1), Fraction(1, 2), Fraction(0)
#: One client with curvature 1 and without, and two clients, equal and with opposite curvatures.
CONVEX, CONCAVE, LINE = ((ONE, ZERO),), ((-ONE, ZERO),), ((ZERO, -ONE),)
PAIR, OPPOSED = ((ONE, ZERO), (ONE, ZERO)), ((ONE, -9 * ONE), (-ONE, 7 * ONE))


@cache
def runs() -> list[ParabolaRun]:
    """Small runs with eta = 1/(L tau) and less, with and without noise, of one and two clients, one to three local steps."""
    found = []
    for clients in (CONVEX, CONCAVE, LINE, PAIR, OPPOSED):
        for tau, rounds in ((1, 1), (2, 1), (3, 1), (1, 2), (2, 2), (4, 1)):
            for sigma in (ZERO, ONE):
                for share in (ONE, HALF):
                    start = ZERO if sigma and rounds == 1 else ONE
                    found.append(ParabolaRun(clients, share / tau, tau, rounds, start, sigma))
    return found
