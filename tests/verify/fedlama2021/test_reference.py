"""The reference implementation: FedAvg as its special case, and the instances of the rows on the total discrepancy,
run in full."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

import fltheory as fl
from fltheory.algorithms.intervals import RULES
from verify.fedlama2021.reference import Point, discrepancy, fedlama, opposed, quadratics

ONE, ZERO = Fraction(1), Fraction(0)


def two_layers(slope: int) -> object:
    """The first layer: losses x^2/2 and (x - 1)^2/4; the second: slopes and their negatives."""

    def gradient(i: int, x: Point) -> Point:
        return [(x[0], (x[0] - 1) / 2)[i], *[Fraction(slope) * (1 - 2 * i) for _ in x[1:]]]

    return gradient


@pytest.mark.parametrize(
    ("size", "slope", "rules"),
    [
        (1, 1, ("printed", "before crossing", "nearest crossing")),
        (2, 2, ("printed", "through crossing", "nearest crossing")),
    ],
)
def test_the_rule_itself_sets_intervals_with_a_larger_total(size: int, slope: int, rules: tuple[str, ...]) -> None:
    layers = [[0], list(range(1, 1 + size))]
    gradient = two_layers(slope)
    for rule in rules:
        run = fedlama(
            gradient, 2, [Fraction(-53)] + [ZERO] * size, layers, base=1, factor=2, step=ONE, rounds=2, rule=rule
        )
        assert run.intervals == [(1, 1), (1, 2)]
        same_start = dict(start=run.models[0], layers=layers, base=1, factor=2, step=ONE, rounds=1)
        average = fedlama(gradient, 2, **same_start, rule=None, first=(2, 2))
        assert sum(run.before[1]) - sum(average.before[0]) == Fraction(1, 64)


def test_the_first_round_alone_is_enough() -> None:
    gradient = quadratics((ONE, ONE / 2), (ZERO, ONE))
    for first, expected in (((1,), Fraction(1, 64)), ((2,), ZERO)):
        run = fedlama(gradient, 2, [Fraction(-3)], [[0]], base=1, factor=2, step=ONE, rounds=1, rule=None, first=first)
        assert run.before == [[expected]]


@pytest.mark.parametrize("rule", RULES)
def test_factor_one_is_fedavg(rule: str) -> None:
    gradient = quadratics((ONE, ONE / 2), (ZERO, ONE))
    run = fedlama(gradient, 2, [ONE], [[0]], base=3, factor=1, step=ONE / 2, rounds=2, rule=rule)
    x = ONE
    for _ in range(2):
        ends = []
        for i in range(2):
            y = x
            for _ in range(3):
                y -= gradient(i, [y])[0] / 2
            ends.append(y)
        x = sum(ends, ZERO) / 2
    assert run.intervals == [(3,), (3,)]
    assert run.models[-1] == [x]


def test_metric_of_linear_losses_grows_with_the_interval() -> None:
    for first in ((2,), (4,)):
        run = fedlama(opposed((ONE,)), 2, [ZERO], [[0]], base=2, factor=2, step=ONE, rounds=1, rule=None, first=first)
        assert run.metric == [[Fraction(first[0])]]
    assert discrepancy([[ONE], [ZERO]], [0]) == Fraction(1, 4)


@pytest.mark.parametrize("rule", RULES)
def test_the_package_runs_the_same_algorithm(rule: str) -> None:
    problem = fl.layered_quadratic(
        {"a": 2, "b": 3, "c": 1},
        [[1, 2, ONE / 2], [ONE / 2, 1, 2], [2, ONE / 3, 1]],
        [[1, 0, 2], [0, -1, 3], [2, 2, -1]],
        coupling=ONE / 4,
    )

    def gradient(i: int, x: Point) -> Point:
        return list(problem.client_gradients(np.array([x] * 3, dtype=object))[i])

    layers = [problem.blocks.indices(layer).tolist() for layer in range(3)]
    own = fedlama(gradient, 3, [ZERO] * 6, layers, base=2, factor=2, step=ONE / 8, rounds=3, rule=rule)
    found = fl.trajectory(problem.to_float(), fl.FedLAMA(2, 2, 0.125, rule=rule), rounds=3)
    np.testing.assert_allclose(found.models[1:], np.array(own.models, dtype=float), rtol=1e-12, atol=1e-12)
