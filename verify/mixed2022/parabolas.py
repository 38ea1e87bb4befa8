"""Quadratic losses on the line by curvature and minimiser, in exact arithmetic, and where algorithms end on them."""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import fltheory as fl
from fltheory.problems.mixed import MixedProblem
from fltheory.problems.quadratic import QuadraticProblem

Part = tuple[Any, Any]


def parabolas(parts: Sequence[Part], weights: Any = None) -> QuadraticProblem:
    """Clients with losses lambda (x - a)^2/2 from pairs (lambda, a)."""
    pairs = [(Fraction(curvature), Fraction(at)) for curvature, at in parts]
    return QuadraticProblem([[[lam]] for lam, _ in pairs], [[lam * at] for lam, at in pairs], weights=weights)


def mixed(clients: Sequence[Part], centre: Part) -> MixedProblem:
    """Such clients and one such loss of the centre."""
    return MixedProblem(parabolas(clients), parabolas([centre]))


def end_of(problem: QuadraticProblem | MixedProblem, algorithm: Any) -> Fraction:
    """The fixed point of the algorithm's rounds."""
    return Fraction(fl.fixed_point(problem, algorithm, exact=True)[0])


def minimiser_of(problem: QuadraticProblem | MixedProblem) -> Fraction:
    """Where the loss is least."""
    return Fraction(problem.constants.minimiser[0])


#: f_f = (x - 1)^2/2, f_c = 3 (x + 1)^2/2.
I1 = mixed([(1, 1)], (3, -1))


def way(
    name: str,
    axis: str,
    parts: Sequence[Part],
    counts: Sequence[int],
    rates: Sequence[Fraction],
    x: Any,
    shift: Any = 0,
) -> dict[str, Any]:
    """Steps from x on such losses with a vector added to the gradient: the points, the last one, and which steps are taken."""
    walks = []
    for (curvature, at), many, rate in zip(parts, counts, rates, strict=True):
        walk = [Fraction(x)]
        for _ in range(many):
            walk.append(walk[-1] - rate * (curvature * (walk[-1] - at) + Fraction(shift)))
        walks.append(walk)
    return {
        f"last_{name}": lambda p: (walks[p.get(axis, 0)][-1],),
        f"y{name}": lambda p: (walks[p.get(axis, 0)][min(1 + p["t"], counts[p.get(axis, 0)])],),
        f"go{name}": lambda p: Fraction(1 + p["t"] < counts[p.get(axis, 0)]),
    }


def losses_of(parts: Sequence[Part]) -> tuple[Any, Any]:
    """Values and gradients of such losses at a vector, of one client or of all alike (the first)."""

    def value(w: Any, p: Any) -> Fraction:
        curvature, at = parts[p.get("k", 0)]
        return curvature * (w[0] - at) ** 2 / Fraction(2)

    return value, lambda w, p: (parts[p.get("k", 0)][0] * (w[0] - parts[p.get("k", 0)][1]),)
