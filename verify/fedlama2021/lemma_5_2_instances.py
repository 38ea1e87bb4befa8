"""One-dimensional clients F_i = h_i x^2/2 + b_i x with noise, exactly: drifts of a round, and rounds of full averaging.

A client that starts a round at u is after j steps at p u + q plus noise of variance v; expectations are exact for every u of
known mean and variance.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction

import sympy as sp

from fltheory.theory.bound import Bound
from fltheory.theory.steps import Instance
from verify.fedlama2021.lemma_5_2_displays import DISCREPANCY

ONE, ZERO = Fraction(1), Fraction(0)
Moments = tuple[Fraction, Fraction]


@dataclass(frozen=True)
class Line:
    """Clients with curvatures and slopes, and the numbers of the algorithm; ``shared``: all clients have the
    same noise."""

    curvatures: tuple[Fraction, ...]
    slopes: tuple[Fraction, ...]
    eta: Fraction
    tau: int
    sigma: Fraction = ZERO
    shared: bool = False

    @property
    def m(self) -> int:
        """How many clients."""
        return len(self.curvatures)

    @property
    def smoothness(self) -> Fraction:
        """The largest curvature in absolute value."""
        return max(map(abs, self.curvatures))

    @property
    def mean_gradient(self) -> Moments:
        """Curvature and slope of F."""
        return sum(self.curvatures, ZERO) / self.m, sum(self.slopes, ZERO) / self.m

    @property
    def dissimilarity(self) -> tuple[Fraction, Fraction]:
        """beta^2 >= 1 and kappa^2 with A4 for all x; where curvatures are equal, beta^2 = 1 and the variance of the slopes.

        Raises
        ------
        ValueError : F has no curvature, and the clients have.
        """
        h, b = self.mean_gradient
        if len(set(self.curvatures)) == 1:
            return ONE, sum(((one - b) ** 2 for one in self.slopes), ZERO) / self.m
        if h == 0 or any(self.slopes):
            raise ValueError("constants are known of clients without slopes or of equal curvatures")
        return sum((one**2 for one in self.curvatures), ZERO) / self.m / h**2, ZERO

    def squared_gradient(self, u: Moments) -> Fraction:
        """E|grad F(u)|^2 for a u of this mean and variance."""
        h, b = self.mean_gradient
        return (h * u[0] + b) ** 2 + h**2 * u[1]

    def value(self, u: Fraction) -> Fraction:
        """F(u)."""
        h, b = self.mean_gradient
        return h * u**2 / 2 + b * u

    def drift(self, u: Moments) -> Fraction:
        """sum_j (1/m) sum_i E|x_j - u|^2 over j = 0..tau - 1."""
        total = ZERO
        for h, b in zip(self.curvatures, self.slopes, strict=True):
            p, q, v, keep = ONE, ZERO, ZERO, 1 - self.eta * h
            for _ in range(self.tau):
                total += (p - 1) ** 2 * (u[0] ** 2 + u[1]) + 2 * (p - 1) * q * u[0] + q**2 + v
                p, q, v = keep * p, keep * q - self.eta * b, keep**2 * v + (self.eta * self.sigma) ** 2
        return total / self.m

    def after(self, u: Moments) -> Moments:
        """Mean and variance of the average of the clients after the round."""
        keeps = [1 - self.eta * h for h in self.curvatures]
        p = sum((keep**self.tau for keep in keeps), ZERO) / self.m
        q = sum(
            (
                -self.eta * b * sum((keep**s for s in range(self.tau)), ZERO)
                for keep, b in zip(keeps, self.slopes, strict=True)
            ),
            ZERO,
        )
        each = [[keep**s for keep in keeps] for s in range(self.tau)]
        if self.shared:
            noise = sum((sum(row, ZERO) ** 2 for row in each), ZERO)
        else:
            noise = sum((one**2 for row in each for one in row), ZERO)
        return p * u[0] + q / self.m, p**2 * u[1] + (self.eta * self.sigma / self.m) ** 2 * noise

    def average(self, start: Fraction, rounds: int) -> Fraction:
        """The mean of E|grad F(u_t)|^2 over the rounds from u_0."""
        total, u = ZERO, (start, ZERO)
        for _ in range(rounds):
            total += self.squared_gradient(u)
            u = self.after(u)
        return total / rounds

    def known(self) -> dict[str, Fraction | int]:
        """Values of the symbols of the bounds."""
        beta_sq, kappa_sq = self.dissimilarity
        found = dict(L=self.smoothness, eta=self.eta, tau=self.tau, sigma=self.sigma, m=self.m)
        values: dict[str, Fraction | int] = found | dict(beta_sq=beta_sq, kappa_sq=kappa_sq)
        values["A"] = Fraction(str(sp.sympify(DISCREPANCY).subs(values)))
        return values

    def words(self) -> str:
        """The clients in words."""
        noise = f", noise +-{self.sigma}{', the same for all clients' * self.shared}" if self.sigma else ""
        names = f"curvatures {', '.join(map(str, self.curvatures))}, slopes {', '.join(map(str, self.slopes))}"
        return f"{self.m} clients h x^2/2 + b x, {names}, eta = {self.eta}, tau = {self.tau}{noise}"


def value_at(bound: Bound, values: Mapping[str, object]) -> Fraction:
    """The right side, whatever the conditions say."""
    return Fraction(str(bound.exact(unchecked=True, **bound.select(values))))


def of_drift(bound: Bound, line: Line, u: Fraction, c: Fraction) -> Instance:
    """Lemma 5.2 at a model u; c is the free number of its sharper form."""
    values = line.known() | {"G": line.squared_gradient((u, ZERO)), "c": c}
    told = f", c = {c}" if "c" in bound.symbols else ""
    return Instance(f"{line.words()}, from u = {u}{told}", line.drift((u, ZERO)), value_at(bound, values))


def of_rounds(bound: Bound, line: Line, start: Fraction, rounds: int) -> Instance:
    """Theorem 5.3 from u_0, for an F with its minimum 0 at 0."""
    values = line.known() | {"T": rounds, "F_0": line.value(start), "F_i": ZERO, "F_s": ZERO}
    return Instance(
        f"{line.words()}, {rounds} rounds from u_0 = {start}", line.average(start, rounds), value_at(bound, values)
    )


def alike(
    h: Fraction, b: Fraction = ZERO, *, eta: Fraction, tau: int, sigma: Fraction = ZERO, m: int = 1, **more: bool
) -> Line:
    """Clients that are all the same."""
    return Line((h,) * m, (b,) * m, eta, tau, sigma, **more)


def drifts() -> Iterator[tuple[Line, Fraction]]:
    """Clients and models for Lemma 5.2: noise alone, gradients alone, concave and convex ones, different slopes."""
    small, tenth = Fraction(1, 1000), Fraction(1, 10)
    for h in (small, -small, ONE, -ONE):
        for tau in (2, 3):
            yield alike(h, eta=tenth, tau=tau, sigma=ONE), ZERO
            yield alike(h, eta=tenth, tau=tau), ONE
    yield Line((small, small), (ONE, -ONE), tenth, 2), ZERO
    yield Line((small, small), (ONE, -ONE), tenth, 64), ZERO
    yield Line((Fraction(1), Fraction(-1, 2)), (ZERO, ZERO), tenth, 3), ONE
