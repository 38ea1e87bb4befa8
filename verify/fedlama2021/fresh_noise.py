r"""A round of FedLAMA with noise in fresh directions, described by its points alone: exact expectations, no enumeration.

Layer A of client i has the coordinates w_1, ..., w_m and is averaged at the end of the round; layer B has y and, for every local
step k >= 1 and client l, a coordinate z_kl, and is averaged after every step.  The noise of client i is +-sigma, equally likely: in
w_i in the first step, in z_ki in step k; where the y_j are all different, this is an oracle whose noise depends on the point
alone.  The data of F_i are even in w and in every z, so that all outcomes of the signs have the
same values, and expectations are those of one outcome.  With L = 1, u = 0, F_i(u) = 0 and grad F_i(u) = G along y,

    x^i_j:  y_j,  z_k = c_jk (eta sigma/m) (+-1, ..., +-1),  w_i = +-omega_j,  and no other w,
            value f_j,  gradient h_j in y,  -theta_j z,  +-gamma_j in w_i,
    u_{t+1}:  the average, with w = (omega_tau/m) (+-1, ..., +-1),
            value f_tau,  gradient p in y,  kappa z,  psi w_i,  chi w_l for l != i.

A function with 1-Lipschitz gradient and these data exists if and only if for all pairs of points

    f_a - f_b - <g_b, x_a - x_b> >= (|g_a - g_b|^2 - |x_a - x_b|^2 + 2 <g_a - g_b, x_a - x_b>)/4

because F_i + |x|^2/2 is then convex with a 2-Lipschitz gradient (Taylor, Hendrickx and Glineur 2017, Theorem 4).  Both sides are
sums over the coordinates, in which only products of two points change with the signs: at the worst each takes the worse sign.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import permutations

ZERO, ONE = Fraction(0), Fraction(1)


@dataclass(frozen=True)
class VisitedPoint:
    """A point of client i: value there, and (coordinate, gradient) along y, z_1, ..., z_{tau-1}, w_i and the other w."""

    value: Fraction
    coordinates: Sequence[tuple[Fraction, Fraction]]


@dataclass(frozen=True)
class FreshNoise:
    """The data of a round; sequences over the local steps j = 1, ..., tau - 1.

    Parameters
    ----------
    m : clients.  omega : eta sigma, the size of w_i after the first step.  h, theta, gamma, f : as above, at the clients' points.
    end : f_tau, p, kappa, psi, chi.  G : length of grad F(u).

    Raises
    ------
    ValueError : sequences of different lengths, or empty ones.
    """

    m: int
    omega: Fraction
    h: Sequence[Fraction]
    theta: Sequence[Fraction]
    gamma: Sequence[Fraction]
    f: Sequence[Fraction]
    end: Sequence[Fraction]
    G: Fraction = ONE

    def __post_init__(self) -> None:
        lengths = sorted({len(self.h), len(self.theta), len(self.gamma), len(self.f)})
        if len(lengths) > 1 or not lengths[0]:
            raise ValueError(f"lengths {lengths} of h, theta, gamma and f; expected one number, at least 1")

    @property
    def tau(self) -> int:
        """Local steps."""
        return len(self.h) + 1

    @property
    def eta(self) -> Fraction:
        """The largest step size, 1/(L tau)."""
        return Fraction(1, self.tau)

    @property
    def variance(self) -> Fraction:
        """sigma^2: the noise of the first step moves w_i by omega."""
        return (self.omega / self.eta) ** 2

    @property
    def weights(self) -> list[Fraction]:
        """How often each coordinate of a place occurs; z_k has m coordinates of the size eta sigma/m."""
        return [ONE, *[self.omega**2 / self.m] * (self.tau - 1), ONE, Fraction(self.m - 1)]

    @cached_property
    def places(self) -> list[VisitedPoint]:
        """u, the points of client i after 1, ..., tau - 1 steps, and u_{t+1}, each by the step before it."""
        z, y, w = [ZERO] * (self.tau - 1), -self.eta * self.G, self.omega
        found = [VisitedPoint(ZERO, [(ZERO, self.G), *[(ZERO, ZERO)] * (self.tau + 1)])]
        for k, (h, theta, gamma, f) in enumerate(zip(self.h, self.theta, self.gamma, self.f, strict=True)):
            found.append(VisitedPoint(f, [(y, h), *((c, -theta * c) for c in z), (w, gamma), (ZERO, ZERO)]))
            y, z, w = y - self.eta * h, [c * (1 + self.eta * theta) for c in z], w - self.eta * gamma
            z[k] = ONE
        f, p, kappa, psi, chi = self.end
        mean = w / self.m
        last = [(y, p), *((c, kappa * c) for c in z), (mean, psi * mean), (mean, chi * mean)]
        return [*found, VisitedPoint(f, last)]

    def slack(self, a: VisitedPoint, b: VisitedPoint) -> Fraction:
        """Left less right side of the condition for two places, products of the two with the worse sign but along y."""
        total = a.value - b.value
        pairs = zip(self.weights, a.coordinates, b.coordinates, strict=True)
        for number, (weight, (x, g), (x_b, g_b)) in enumerate(pairs):
            alone = x_b * g_b - (g**2 + g_b**2 - x**2 - x_b**2 + 2 * x * g + 2 * x_b * g_b) / 4
            between = (g * g_b - x * x_b + g * x_b - x * g_b) / 2
            total += weight * (alone + (-abs(between) if number else between))
        return total

    @cached_property
    def least_slack(self) -> Fraction:
        """The least slack over all pairs of places, and of x^2 - g^2 for a place and itself with a sign turned."""
        turned = (x**2 - g**2 for place in self.places for x, g in place.coordinates[1:])
        return min(*(self.slack(a, b) for a, b in permutations(self.places, 2)), *turned)

    @property
    def change(self) -> Fraction:
        """E F(u_{t+1}) - F(u_t)."""
        return self.places[-1].value

    @property
    def distances(self) -> Fraction:
        """The sum over clients and local steps of E|x^i_j - u|^2."""
        squares = (
            weight * x**2
            for place in self.places[:-1]
            for weight, (x, _) in zip(self.weights, place.coordinates, strict=True)
        )
        return self.m * sum(squares, ZERO)
