"""Small rational problems with noise and samples, on which every reading can be compared exactly."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from fltheory.problems.oracles import FiniteSupportNoise
from fltheory.problems.quadratic import QuadraticProblem
from fltheory.problems.samples import QuadraticSamples


def rationals(values: Any) -> Any:
    """Integers and strings like "1/3" as an object array of Fractions."""
    source = np.array(values, dtype=object)
    result = np.empty(source.shape, dtype=object)
    for index in np.ndindex(source.shape):
        result[index] = Fraction(source[index])
    return result


@pytest.fixture(scope="session")
def three_clients() -> QuadraticProblem:
    """N=3, d=2, unequal weights."""
    return QuadraticProblem(
        rationals([[[2, 1], [1, 3]], [[1, 0], [0, 3]], [[1, 0], [0, 1]]]),
        rationals([[1, 0], [0, 1], [2, 2]]),
        weights=rationals(["1/2", "1/3", "1/6"]),
    )


@pytest.fixture(scope="session")
def noise() -> FiniteSupportNoise:
    """Three equally likely values, a correlated covariance."""
    return FiniteSupportNoise(rationals([[1, 0], [-1, 1], [0, -1]]), rationals(["1/3"] * 3))


@pytest.fixture(scope="session")
def two_values() -> FiniteSupportNoise:
    """Two values of different probability."""
    return FiniteSupportNoise(rationals([[2, -1], [-1, "1/2"]]), rationals(["1/3", "2/3"]))


@pytest.fixture(scope="session")
def sampled() -> QuadraticProblem:
    """N=2 with three and two samples, so that mini-batches are multiplicative noise."""
    return QuadraticProblem.from_samples(
        [
            QuadraticSamples(
                rationals([[[2, 1], [1, 3]], [[1, 0], [0, 3]], [[4, 1], [1, 2]]]), rationals([[1, 0], [0, 1], [2, 3]])
            ),
            QuadraticSamples(rationals([[[2, 1], [1, 1]], [[1, 0], [0, 2]]]), rationals([[1, 3], [1, 1]])),
        ]
    )
