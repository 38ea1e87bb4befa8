r"""Section 9.2 of the elastic aggregation supplement: bounds on the dissimilarity of the clients' gradients.

``A_star`` stands for (1/N) sum |grad f_i(x*)|^2, ``D`` for f(x) - f*, ``squared_gradient`` for |grad f(x)|^2, ``spread`` for
(1/N) sum |grad f_i(x) - grad f_i(x*)|^2.  Clients that are quadratics in the plane are evaluated in rationals.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import sympy as sp

from fltheory.theory.conditions import Condition
from fltheory.theory.elastic2023.vocabulary import Bound
from fltheory.theory.ranges import NONNEGATIVE, POSITIVE
from verify.elastic2023.smooth import beta

Vector = tuple[Fraction, Fraction]

B, G, theta, epsilon = sp.symbols("B G theta eps", positive=True)
A_star, D, squared_gradient, spread = sp.symbols("A_star D q S", nonnegative=True)

_MEAN = r"\frac1N\sum_{i=1}^{N}\|\nabla f_i(x)\|^2"
_NAMES = {
    "D": r"\left(f(x)-f^\star\right)",
    "A_star": r"\frac1N\sum_i\|\nabla f_i(x^\star)\|^2",
    "q": r"\|\nabla f(x)\|^2",
    "S": r"\frac1N\sum_i\|\nabla f_i(x)-\nabla f_i(x^\star)\|^2",
}
_SMOOTH = Condition("f beta-smooth, bounded below by f*")
_A1 = Condition("A1 with G, B")
_EACH = Condition("every f_i convex and beta-smooth, x* minimises f")

RELAXED = Bound(
    "relaxed dissimilarity",
    "Section 9.2",
    _MEAN,
    G**2 + 2 * beta * B**2 * D,
    (_A1, _SMOOTH),
    symbol_names=_NAMES,
    ids=("EL-HET1[every f_i convex]", "EL-HET1[f convex]", "EL-HET1-S1"),
)
AT_OPTIMUM = Bound(
    "dissimilarity from the optimum",
    "Section 9.2",
    _MEAN,
    2 * A_star + 4 * beta * D,
    (_EACH,),
    symbol_names=_NAMES,
    ids=("EL-HET2.1",),
)
AT_OPTIMUM_WEIGHTED = Bound(
    "dissimilarity from the optimum, weighted",
    "Section 9.2",
    _MEAN,
    (1 + theta) * A_star + 2 * beta * (1 + 1 / theta) * D,
    (_EACH, Condition("theta > 0", sp.Gt(theta, 0))),
    symbol_names={**_NAMES, "theta": r"\theta"},
    ids=("EL-HET2-S1",),
)
NEAR_OPTIMUM = Bound(
    "gradients near the optimum", "A4", spread / (2 * beta), D, (_EACH,), symbol_names=_NAMES, ids=("EL-A4-CONV",)
)
NEAR_OPTIMUM_TWICE = Bound(
    "gradients near the optimum, second step of Section 9.2",
    "Section 9.2, second inequality",
    2 * spread,
    4 * beta * D,
    (_EACH,),
    symbol_names=_NAMES,
    ids=("EL-HET2.3",),
)
SPLIT = Bound(
    "gradients split at the optimum",
    "Section 9.2, first inequality",
    _MEAN,
    2 * A_star + 2 * spread,
    symbol_names=_NAMES,
    ids=("EL-HET2.2",),
)
LOCAL = Bound(
    "local dissimilarity",
    "Section 9.2, last paragraph",
    _MEAN,
    (B**2 + G**2 / epsilon) * squared_gradient,
    (_A1, Condition("|grad f(x)|^2 >= eps", sp.Ge(squared_gradient, epsilon))),
    symbol_names={**_NAMES, "eps": r"\epsilon"},
    ranges={"eps": POSITIVE, "q": NONNEGATIVE},
    ids=("EL-HET3.2[A1 gives local dissimilarity]",),
)


@dataclass(frozen=True)
class PlaneQuadratic:
    """``f_i(u) = <slope, u> + curvature <direction, u>^2/2`` in the plane: smooth with |curvature| |direction|^2."""

    slope: Vector
    curvature: Fraction
    direction: Vector

    def value(self, u: Vector) -> Fraction:
        """f_i(u)."""
        along = self.direction[0] * u[0] + self.direction[1] * u[1]
        return self.slope[0] * u[0] + self.slope[1] * u[1] + self.curvature * along**2 / 2

    def gradient(self, u: Vector) -> Vector:
        """grad f_i(u)."""
        along = self.curvature * (self.direction[0] * u[0] + self.direction[1] * u[1])
        return self.slope[0] + along * self.direction[0], self.slope[1] + along * self.direction[1]

    @property
    def text(self) -> str:
        """The function in words, in coordinates (s, t)."""
        (a, b), (p, q) = self.slope, self.direction
        return f"{a} s + {b} t + {self.curvature}/2 ({p} s + {q} t)^2"


def mean_squared_gradient(clients: Sequence[PlaneQuadratic], u: Vector) -> Fraction:
    """(1/N) sum |grad f_i(u)|^2."""
    squares = (a**2 + b**2 for a, b in (client.gradient(u) for client in clients))
    return sum(squares, Fraction(0)) / len(clients)


def squared_mean_gradient(clients: Sequence[PlaneQuadratic], u: Vector) -> Fraction:
    """|grad f(u)|^2."""
    pairs = [client.gradient(u) for client in clients]
    means = [sum((pair[k] for pair in pairs), Fraction(0)) / len(pairs) for k in (0, 1)]
    return means[0] ** 2 + means[1] ** 2


def mean_value(clients: Sequence[PlaneQuadratic], u: Vector) -> Fraction:
    """f(u)."""
    return sum((client.value(u) for client in clients), Fraction(0)) / len(clients)


def scalar(slope: Fraction, curvature: Fraction) -> PlaneQuadratic:
    """``slope s + curvature s^2/2``."""
    return PlaneQuadratic((slope, Fraction(0)), curvature, (Fraction(1), Fraction(0)))


def opposed_pair(t: Fraction, weight: Fraction) -> tuple[list[PlaneQuadratic], Vector]:
    """Two clients with beta = 1, optimum 0, and a point where the bound with theta = weight is tight as t tends to 0.

    f_+- = +- (second coordinate) + <n_+-, u>^2/2 with unit vectors n_+- = (nu, +-omega), nu = 2t/(1+t^2).  At u = (T, 0),
    T = theta/(nu omega), the gradients are (theta nu/omega, +-(1 + theta)), and at 0 they are (0, +-1).
    """
    nu, omega = 2 * t / (1 + t**2), (1 - t**2) / (1 + t**2)
    one, zero = Fraction(1), Fraction(0)
    pair = [PlaneQuadratic((zero, side * one), one, (nu, side * omega)) for side in (1, -1)]
    return pair, (weight / (nu * omega), zero)
