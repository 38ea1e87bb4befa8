r"""Section 9.2 of the elastic aggregation supplement: bounds on the dissimilarity of the clients' gradients.

Forms of the generic client, averaged by mean and deviation over the N clients:

| symbol         | meaning                                   | mean, deviation                       |
|----------------|-------------------------------------------|---------------------------------------|
| g              | grad f_i(x)                               | grad f(x), deviation                  |
| g_star         | grad f_i(x*)                              | 0 (x* minimises f), deviation         |
| v, v_star      | f_i(x), f_i(x*)                           | F = f(x), F_star = f*                 |

``A`` stands for (1/N) sum |grad f_i(x)|^2, ``A_star`` for the same at x*, ``D`` for f(x) - f*, ``squared_gradient`` for
|grad f(x)|^2.  :class:`Quadratic` clients in the plane are evaluated in rationals.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import sympy as sp

from fltheory.theory.averages import Averages
from fltheory.theory.conditions import Condition
from fltheory.theory.elastic2023.vocabulary import Bound
from fltheory.theory.proofs import Open
from fltheory.theory.steps import Step, identity, inequality
from verify.elastic2023.smooth import beta, interpolation, smoothness

Vector = tuple[Fraction, Fraction]

B, G, theta = sp.symbols("B G theta", positive=True)
A, A_star, D, squared_gradient = sp.symbols("A A_star D q", nonnegative=True)
g, g_mean, g_dev, g_star, g_star_dev, x, x_star = sp.symbols("g g_mean g_dev g_star g_star_dev x x_star")
v, v_star, F, F_star = sp.symbols("v v_star F F_star")
CLIENTS = Averages(
    vectors={g: (g_mean, g_dev), g_star: (0, g_star_dev)},
    values={v: F, v_star: F_star},
    common_vectors=(x, x_star, g_mean),
)

#: Interpolation (mu = 0) from x* to x for the generic client, which is convex and beta-smooth.
FROM_THE_OPTIMUM = interpolation(x, v, g, x_star, v_star, g_star, modulus=sp.S.Zero)

_MEAN = r"\frac1N\sum_{i=1}^{N}\|\nabla f_i(x)\|^2"
_NAMES = {
    "D": r"\left(f(x)-f^\star\right)",
    "A_star": r"\frac1N\sum_i\|\nabla f_i(x^\star)\|^2",
    "q": r"\|\nabla f(x)\|^2",
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


def gradient_steps() -> tuple[Step, ...]:
    """``|grad f(x)|^2 <= 2 beta (f(x) - f*)``: the upper bound of A4 from x to x - grad f(x)/beta, where f >= f*."""
    point, value, gradient, following = sp.symbols("x f_x g_x f_next")
    upper = smoothness(point - gradient / beta, following, point, value, gradient, constant=beta)
    return (identity("A4 to x - grad f(x)/beta", upper, value - gradient**2 / (2 * beta) - following),)


def optimum_steps(first: sp.Expr, second: sp.Expr) -> tuple[Step, ...]:
    """``A <= first A_star + second beta D`` by interpolation (mu = 0) from x* and one square.

    The interpolation has the multiplier second/2 times 2 beta; what is left is a form in g and g_star for each client.
    """
    spread = second / 2
    # first g*^2 + spread (g - g*)^2 - g^2 = (spread - 1)(g - c g*)^2 + rest g*^2, c = spread/(spread - 1)
    rest = sp.simplify(first + spread - spread**2 / (spread - 1)) if spread != 1 else sp.Integer(-1)
    centre = spread / (spread - 1) if spread != 1 else sp.Integer(0)
    squares = [*CLIENTS.squares_of(spread - 1, g - centre * g_star), *CLIENTS.squares_of(rest, g_star)]
    ranges = [(beta, Open(0), None), *([(theta, Open(0), None)] if theta in (first + second).free_symbols else [])]
    return (
        inequality(
            "averaged over the clients",
            CLIENTS.of(g**2),
            first * CLIENTS.of(g_star**2) + second * beta * (F - F_star),
            premises={"interpolation from x* to x": (second * beta, CLIENTS.of(FROM_THE_OPTIMUM))},
            squares=squares,
            ranges=ranges,
        ),
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
