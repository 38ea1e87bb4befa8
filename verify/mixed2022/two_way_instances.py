"""Rounds of 2-way Gradient Transfer on the line with two-point noise: the Lyapunov functions of its proof, exactly.

Losses with beta = 1 (such as :class:`verify.mixed2022.kinked.KinkedParabola`) and clients that are alike.  A round starts from
any model and any augmenting gradients, which is what the recursions speak about.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache
from itertools import combinations, product
from typing import Protocol

import sympy as sp

from fltheory.theory.bound import Bound
from fltheory.theory.mixed2022 import one_round, two_way_bounds
from fltheory.theory.mixed2022.scalars import number
from fltheory.theory.steps import Instance

ZERO, ONE, HALF = Fraction(0), Fraction(1), Fraction(1, 2)


class Loss(Protocol):
    """A loss on the line."""

    def value(self, t: Fraction) -> Fraction: ...

    def gradient(self, t: Fraction) -> Fraction: ...


@dataclass(frozen=True)
class Mean:
    """The mean of the losses of clients that differ."""

    losses: tuple[Loss, ...]

    def value(self, t: Fraction) -> Fraction:
        return sum((loss.value(t) for loss in self.losses), start=ZERO) / len(self.losses)

    def gradient(self, t: Fraction) -> Fraction:
        return sum((loss.gradient(t) for loss in self.losses), start=ZERO) / len(self.losses)

    def __str__(self) -> str:
        return f"the mean of {'; '.join(map(str, self.losses))}"


#: A path's probability and its average gradient.
Average = tuple[Fraction, Fraction]


def averages(
    loss: Loss, start: Fraction, shift: Fraction, rate: Fraction, steps: int, noise: Fraction
) -> Iterator[Average]:
    """Average stochastic gradients of ``steps`` local steps along gradient plus ``shift``; noise of either sign."""
    for signs in product((-1, 1) if noise else (0,), repeat=steps):
        y, total = start, ZERO
        for side in signs:
            gradient = loss.gradient(y) + side * noise
            total += gradient
            y -= rate * (gradient + shift)
        yield Fraction(1, (2 if noise else 1) ** steps), total / steps


@dataclass(frozen=True)
class TwoWayRound:
    """``step`` is e = eta_m K eta_c, ``client`` and ``centre`` are the sizes of the noises; x* = 0 where there is one.

    A federated loss that is a :class:`Mean` has one client per loss, of whom ``cohort`` are drawn without replacement;
    ``spread`` is their sigma_f^2.
    """

    federated: Loss
    central: Loss
    point: Fraction
    from_centre: Fraction
    from_clients: Fraction
    step: Fraction
    steps: int = 1
    cohort: int = 1
    eta_m: Fraction = ONE
    eta_s: Fraction = ONE
    client: Fraction = ZERO
    centre: Fraction = ZERO
    modulus: Fraction = ZERO
    spread: Fraction = ZERO

    def __str__(self) -> str:
        text = f"f_f = {self.federated}, f_c = {self.central}, x = {self.point}, gt_c = {self.from_centre}, gt_f = "
        text += (
            f"{self.from_clients}, K = {self.steps}, S = {self.cohort}, eta_m = {self.eta_m}, eta_s = {self.eta_s}, "
        )
        text += f"e = {self.step}, beta = 1" + (f", sigma_f^2 = {self.spread}" if self.spread else "")
        text += f", client noise +-{self.client}" if self.client else ""
        return text + (f", central noise +-{self.centre}" if self.centre else "")

    def loss(self, x: Fraction) -> Fraction:
        return self.federated.value(x) + self.central.value(x)

    def outcomes(self) -> Iterator[tuple[Fraction, Fraction, Fraction, Fraction]]:
        """(probability, x+, gt_c+, gt_f+)."""
        rate = self.step / (self.eta_m * self.steps)
        centre = list(averages(self.central, self.point, self.from_clients, rate, self.steps, self.centre))
        losses = self.federated.losses if isinstance(self.federated, Mean) else (self.federated,)
        own = [
            list(averages(loss, self.point, self.from_centre, rate / self.eta_s, self.steps, self.client))
            for loss in losses
        ]
        cohorts = list(combinations(own, self.cohort)) if len(own) > 1 else [(own[0],) * self.cohort]
        old = self.from_centre + self.from_clients
        for p, gt_c in centre:
            for chosen in (way for members in cohorts for way in product(*members)):
                gt_f = sum((g for _, g in chosen), start=ZERO) / self.cohort
                probability = p / len(cohorts)
                for share, _ in chosen:
                    probability *= share
                yield probability, self.point - self.step * (gt_c + gt_f + old), gt_c, gt_f

    def lyapunov(self, weights: tuple[Fraction, Fraction], *, convex: bool) -> tuple[Fraction, Fraction]:
        """The function before the round and its expectation after it, whatever ``spread`` says."""
        return _lyapunov(replace(self, spread=ZERO), weights, convex)

    def enumerated(self, weights: tuple[Fraction, Fraction], *, convex: bool) -> tuple[Fraction, Fraction]:
        """:meth:`lyapunov`, by all outcomes of the round."""

        def value(x: Fraction, gt_c: Fraction, gt_f: Fraction) -> Fraction:
            z = x - self.step * (gt_c + gt_f)
            a, b = gt_f - self.federated.gradient(x), gt_c - self.central.gradient(x)
            main = z**2 if convex else self.loss(z)
            return main + self.step**2 * (weights[0] * (a + b) ** 2 + weights[1] / self.eta_m**2 * (a**2 + b**2))

        after = sum((p * value(x, c, g) for p, x, c, g in self.outcomes()), start=ZERO)
        return value(self.point, self.from_centre, self.from_clients), after

    def admissible(self, top: Fraction) -> bool:
        """beta e <= top and beta e S/(eta_m eta_s)^2 <= top."""
        return self.step * max(ONE, self.cohort / (self.eta_m * self.eta_s) ** 2) <= top

    def sides(self, bound: Bound, weights: tuple[Fraction, Fraction]) -> tuple[Fraction, Fraction]:
        """Both sides of a recursion of Phi, or of Psi with f for f - inf f on both sides, as the bound has them."""
        convex = bound.left == two_way_bounds.Phi_after
        before, after = self.lyapunov(weights, convex=convex)
        gradient = self.federated.gradient(self.point) + self.central.gradient(self.point)
        at = {one_round.gap: self.loss(self.point) - self.loss(ZERO), one_round.G2: gradient**2}
        at |= {two_way_bounds.Phi if convex else two_way_bounds.Psi: before}
        at |= {one_round.V: self.client**2 + self.steps * self.spread, one_round.C: self.centre**2}
        at |= {one_round.K: self.steps, one_round.S: self.cohort, one_round.beta: ONE, one_round.mu: self.modulus}
        at |= {one_round.e: self.step, one_round.eta_s: self.eta_s, sp.Symbol("eta_m"): self.eta_m}
        return after, number(bound.expression, at)


@cache
def _lyapunov(item: TwoWayRound, weights: tuple[Fraction, Fraction], convex: bool) -> tuple[Fraction, Fraction]:
    return item.enumerated(weights, convex=convex)


def scattered(step: Fraction, cohort: int, noise: Fraction) -> Instance:
    """f_f = min(0, x)^2/2, f_c = 0, x = eta/2, gt = 0, K = 2, client noise +-1, eta_m = eta_s = 1, ``noise`` what it is to add.

    A local point is at x - eta with probability 1/2, where the gradient is -eta/2, so that E h+ = -eta/8; all x >= 0 are
    minimisers, x* = 0.  Left: E|z+ - x*|^2 without 4 e^2 E|h+|^2 and without the errors, a lower bound.
    """
    eta = step / 2
    point = eta / 2
    text = f"f_f = min(0, x)^2/2, f_c = 0, x = {point}, gt = 0, K = 2, S = {cohort}, e = {step}, client noise +-1"
    return Instance(f"{text} (left: a lower bound)", point**2 + 4 * step * point * eta / 8, point**2 + noise)
