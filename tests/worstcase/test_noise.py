"""Noise by levels against trees in which every outcome of every client is a node."""

from __future__ import annotations

from typing import Any

import pytest

import fltheory as fl


@pytest.mark.parametrize(
    ("local_steps", "step_size", "mu", "outcomes"),
    [
        (1, 0.5, 0.1, 2),
        (2, 0.25, 0.1, 2),
        (2, 1.9, 0.1, 3),
        (2, 2.5, 0.5, 4),
        (3, 1.0, 0.1, 2),
        (3, 1.9, 0.5, 2),
        (3, 2.5, 0.1, 2),
    ],
)
def test_levels_equal_trees(script: Any, local_steps: int, step_size: float, mu: float, outcomes: int) -> None:
    trees = script("noise_trees")
    row = trees.tree_row(trees.Case(local_steps, step_size, mu), outcomes)
    assert row["difference"] < 1e-6
    assert row["engine_above_tree"] > -1e-6  # the engine is the limit of many outcomes


def test_the_engine_is_the_limit_of_many_outcomes(script: Any) -> None:
    """Where the number of outcomes matters, trees of the level formulation climb to the engine's value."""
    trees = script("noise_trees")
    case = trees.Case(3, 2.5, 0.1)
    limit = trees.level_value(case, None)
    gaps = [(limit - trees.level_value(case, outcomes)) / limit for outcomes in (2, 3, 10, 100, 10000)]
    assert gaps[0] > 0.02
    assert all(later < earlier for earlier, later in zip(gaps, gaps[1:], strict=False))
    assert -1e-6 < gaps[-1] < 1e-4


def test_one_noisy_step_has_a_closed_form() -> None:
    """E = 1: ``(1 - eta mu)^2 + eta^2 sigma^2 / N``, since the mean gradient at the minimiser is zero."""
    found = fl.worst_case(fl.FedAvg(1, 0.5), fl.SmoothStronglyConvex(0.1, 1), noise=True, n_clients=4)
    truth = 0.95**2 + 0.25 / 4
    assert found.lower is not None and found.upper is not None
    assert float(found.lower) <= truth * (1 + 1e-12) and truth <= float(found.upper) * (1 + 1e-12)
    assert found.width < 1e-5


@pytest.mark.parametrize("step_size", [0.25, 1.0])
def test_noisy_rounds_are_certified(step_size: float) -> None:
    found = fl.worst_case(fl.FedAvg(6, step_size), fl.SmoothStronglyConvex(0.1, 1), noise=True, n_clients=10)
    assert found.status == "certified" and found.width < 1e-4


def test_more_clients_average_the_noise() -> None:
    values = [
        fl.worst_case(
            fl.FedAvg(3, 0.5), fl.SmoothStronglyConvex(0.1, 1), noise=True, n_clients=n, certify=False
        ).solver_value
        for n in (2, 4, 1000)
    ]
    quiet = fl.worst_case(fl.FedAvg(3, 0.5), fl.SmoothStronglyConvex(0.1, 1), certify=False).solver_value
    assert values[0] > values[1] > values[2] > quiet - 1e-8
