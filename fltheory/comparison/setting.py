r"""A point of a grid: the class of the clients, how they differ, rounds and local steps; and what follows from it.

Every theorem needs constants that the others do not know.  They are derived here, each by an argument that holds for every
instance of the point (clients of equal weight, exact gradients, ``zeta^2`` the mean over the clients of ``|grad f_k(w*)|^2``):

* ``Gamma = F* - mean F_k* <= zeta^2/(2 mu)``, since ``F_k(w*) - F_k* <= |grad F_k(w*)|^2/(2 mu)``;
* ``mean |grad f_k(x)|^2 <= (1 + a) zeta^2 + (1 + 1/a) 2 L (f(x) - f*)`` for every ``a > 0``, since for convex L-smooth losses
  ``mean |grad f_k(x) - grad f_k(w*)|^2 <= 2 L (f(x) - f*)``;
* gradients along FedAvg: a local run of steps ``<= 2/L`` on a convex loss does not lengthen that loss's gradient, so that in the
  mean square over the clients they are at most ``zeta + L D``, D being the largest distance of a mean model from ``w*``;
* D by the recursion ``U <- (1 - eta mu) U + eta (L - mu)/2 (sum of the round's earlier steps) zeta`` for the mean of the clients
  at every step, steps ``<= 2/(L + mu)``: the row ``LI-THM1-S5`` of the ledger.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from math import isqrt

from fltheory.worstcase.classes import FunctionClass

#: Clients of the theorems whose bound names their number: the least that the worst cases speak of.
CLIENTS = 2


@dataclass(frozen=True)
class GridPoint:
    """Losses with curvature in ``[mu, L]``, ``|w_0 - w*|^2 <= 1``, R rounds of E local steps.

    ``heterogeneity`` is ``zeta^2``, or ``None`` for clients that all have the same loss.

    Raises
    ------
    ValueError : a class that is not strongly convex, a negative ``zeta^2``, ``E < 1`` or ``R < 1``.
    """

    clients: FunctionClass
    heterogeneity: Fraction | None
    local_steps: int
    rounds: int

    def __post_init__(self) -> None:
        if not self.clients.mu > 0:
            raise ValueError(f"function_class={self.clients!r}: published rates are compared for mu > 0")
        if self.heterogeneity is not None and self.heterogeneity < 0:
            raise ValueError(f"heterogeneity={self.heterogeneity} is a mean of squares and must not be negative")
        for name, count in (("local_steps", self.local_steps), ("rounds", self.rounds)):
            if isinstance(count, bool) or not isinstance(count, int) or count < 1:
                raise ValueError(f"{name}={count!r} is no positive whole number")

    @property
    def mu(self) -> Fraction:
        """Strong convexity."""
        return Fraction(self.clients.mu)

    @property
    def L(self) -> Fraction:
        """Smoothness."""
        return Fraction(self.clients.L)

    @property
    def steps(self) -> int:
        """Local steps of all rounds."""
        return self.local_steps * self.rounds

    @property
    def zeta_sq(self) -> Fraction:
        """``zeta^2``; zero for clients of one loss."""
        return self.heterogeneity or Fraction(0)

    @property
    def zeta(self) -> Fraction:
        """``zeta``, or a rational that is at most a billionth above it."""
        return root_above(self.zeta_sq)

    @property
    def words(self) -> str:
        """The point in words."""
        return f"E={self.local_steps}, R={self.rounds}, {self.likeness}"

    @property
    def likeness(self) -> str:
        """How the clients differ, in words."""
        return "one loss" if self.heterogeneity is None else f"zeta^2={self.heterogeneity}"

    def reach(self, rate: Callable[[int], Fraction]) -> Fraction:
        """The largest distance from ``w*`` of a mean of FedAvg's clients before any step; ``rate(t)`` is the step t = 0, 1, ....

        Raises
        ------
        ValueError : a step beyond ``2/(L + mu)``.
        """
        distance = largest = Fraction(1)
        moved = Fraction(0)
        for t in range(self.steps):
            step = rate(t)
            if step * (self.L + self.mu) > 2:
                raise ValueError(f"step size {step} exceeds 2/(L + mu) = {2 / (self.L + self.mu)}")
            moved = Fraction(0) if t % self.local_steps == 0 else moved
            largest = max(largest, distance)
            distance = (1 - step * self.mu) * distance + step * (self.L - self.mu) / 2 * moved * self.zeta
            distance = ceiling(distance)
            moved += step
        return largest

    def gradients(self, rate: Callable[[int], Fraction]) -> Fraction:
        """G with ``mean_k |grad f_k|^2 <= G^2`` at every point where FedAvg takes gradients, and at the clients' means."""
        return self.zeta + self.L * self.reach(rate)


def root_above(number: Fraction) -> Fraction:
    """The root of a rational, or one that is at most a billionth above it."""
    exact = Fraction(isqrt(number.numerator), isqrt(number.denominator))
    if exact**2 == number:
        return exact
    scale = 10**9
    return Fraction(isqrt(number.numerator * scale**2 // number.denominator) + 1, scale)


def root_below(number: Fraction) -> Fraction:
    """A rational at most the root of a positive rational, by less than a billionth."""
    return Fraction(isqrt(number.numerator * 10**18 // number.denominator), 10**9)


def ceiling(number: Fraction) -> Fraction:
    """A rational of 15 digits that is not below."""
    return Fraction(-(-number.numerator * 10**15 // number.denominator), 10**15)
