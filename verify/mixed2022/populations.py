"""Populations of clients and their splits into groups, all answers of all clients enumerated in exact arithmetic.

A client is drawn with its weight, then an answer of its gradient oracle at a point x.  Group a of a split has the share pi_a,
the mean m_a(x) and the variance V_a(x) of such answers; m and V are those of the whole population.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from fltheory.problems.oracles import FiniteSupportNoise
from fltheory.problems.quadratic import QuadraticProblem

F = Fraction


@dataclass(frozen=True)
class Split:
    """Share, mean and variance of the answers of each group at one point, and those of the whole population."""

    name: str
    shares: tuple[Fraction, ...]
    means: tuple[Any, ...]
    variances: tuple[Fraction, ...]
    mean: Any
    variance: Fraction

    @property
    def within(self) -> Fraction:
        """sum_a pi_a V_a."""
        return sum((p * each for p, each in zip(self.shares, self.variances, strict=True)), F(0))

    @property
    def between(self) -> Fraction:
        """sum_a pi_a |m_a - m|^2."""
        apart = [((m - self.mean) ** 2).sum() for m in self.means]
        return sum((p * each for p, each in zip(self.shares, apart, strict=True)), F(0))


def rationals(values: Any) -> Any:
    source = np.array(values, dtype=object)
    return np.array([F(str(entry)) for entry in source.ravel()], dtype=object).reshape(source.shape)


def moments(law: list[tuple[Fraction, Any]]) -> tuple[Fraction, Any, Fraction]:
    """Mass, mean and variance of (probability, vector) pairs."""
    mass = sum((p for p, _ in law), F(0))
    mean = sum(p * value for p, value in law) / mass
    return mass, mean, sum((p * ((value - mean) ** 2).sum() for p, value in law), F(0)) / mass


def split(problem: QuadraticProblem, noise: FiniteSupportNoise, groups: tuple[int, ...], x: Any, name: str) -> Split:
    """All answers of all clients at ``x``, enumerated."""
    gradients = problem.client_gradients(np.broadcast_to(x, (problem.n_clients, problem.dimension)))
    support = noise.supports(problem)
    law = [
        (groups[i], (problem.weights[i] * q, gradients[i] + support[i, j]))
        for i in range(problem.n_clients)
        for j, q in enumerate(noise.probabilities)
    ]
    found = [moments([pair for a, pair in law if a == group]) for group in range(max(groups) + 1)]
    _, mean, variance = moments([pair for _, pair in law])
    shares, means, variances = zip(*found, strict=True)
    return Split(name, shares, means, variances, mean, variance)


def quadratics(curvatures: Any, minimisers: Any, weights: Any) -> QuadraticProblem:
    """Clients with diagonal Hessians."""
    at = rationals(minimisers)
    matrices = rationals([np.diag(each) for each in curvatures])
    return QuadraticProblem(matrices, (matrices @ at[..., None])[..., 0], weights=rationals(weights))


COIN = FiniteSupportNoise(rationals([[1], [-1]]), rationals(["1/2", "1/2"]))
PLANE = FiniteSupportNoise(rationals([[2, 0], [-1, 1], [-1, -1]]), rationals(["1/3"] * 3))


def splits() -> Iterator[Split]:
    """Named populations of quadratics at rational points, from groups that agree to groups that do not."""
    half, third = ["1/2", "1/2"], "x^2/2 (share 1/2); (x-1)^2/2 and (x+1)^2/2 (1/4 each), no noise, x=0"
    alike, apart = quadratics([[1], [1]], [[0], [0]], half), quadratics([[1], [1]], [[1], [-1]], half)
    yield split(alike, COIN, (0, 1), rationals([3]), "two equal clients x^2/2, noise +-1, x=3")
    yield split(apart, COIN, (0, 1), rationals([0]), "(x-1)^2/2 and (x+1)^2/2, noise +-1, x=0")
    lines = quadratics([[1]] * 3, [[0], [1], [-1]], ["1/2", "1/4", "1/4"])
    yield split(lines, FiniteSupportNoise(rationals([[0]]), rationals([1])), (0, 1, 1), rationals([0]), third)
    four = quadratics(
        [[1, 2], [3, 1], [1, 1], [2, 4]], [[1, 0], [0, 1], [-1, 2], [2, -2]], ["1/6", "1/3", "1/8", "3/8"]
    )
    for groups in ((0, 1, 0, 1), (0, 1, 2, 2)):
        for x in ((0, 0), (1, -2)):
            yield split(four, PLANE, groups, rationals(x), f"four clients in the plane, groups {groups}, x={x}")
