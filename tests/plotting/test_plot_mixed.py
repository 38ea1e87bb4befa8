"""fl.plot with mixed FL: the bounds at a constant step stay above exact expectations, with constants of the instance."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import fltheory as fl
from fltheory.plotting import mixed_values
from fltheory.theory import mixed2022

STEP = 0.02
METHODS = {
    "1-way": (fl.OneWayGradientTransfer(2, STEP, participation=fl.SchemeII(1)), mixed2022.ONE_WAY_DISTANCE),
    "2-way": (
        fl.TwoWayGradientTransfer(2, STEP / 8, STEP / 8, participation=fl.SchemeII(1)), mixed2022.TWO_WAY_DISTANCE),
    "PT": (fl.ParallelTraining(2, STEP / 2, STEP / 2, participation=fl.SchemeII(1)), mixed2022.PARALLEL_DISTANCE),
}


def problem() -> fl.MixedProblem:
    """Two equal clients (the bounds assume equal ones) and a centre with another minimiser."""
    clients = fl.QuadraticProblem(np.array([[[2.0, 0], [0, 1]]] * 2), np.array([[1.0, 0]] * 2))
    return fl.MixedProblem(clients, fl.QuadraticProblem(np.array([[[1.0, 0], [0, 2]]]), np.array([[-1.0, 2.0]])))


@pytest.mark.parametrize("name", METHODS)
def test_bound_over_truth(name: str, tmp_path: Any) -> None:
    method, bound = METHODS[name]
    mixed, noise, central = problem(), fl.AdditiveNoise(np.array(0.3)), fl.AdditiveNoise(np.array(0.2))
    exact = fl.moments(mixed, method, rounds=40, oracle=noise, centre_oracle=central)
    run = fl.simulate(mixed, method, rounds=40, runs=3, oracle=noise, centre_oracle=central)
    figure = fl.plot(run, bound, problem=mixed, algorithm=method, oracle=noise, centre_oracle=central, exact=exact,
                     quantity="squared_distance", path=tmp_path / "mixed.png")  # fmt: skip
    drawn = {line.get_label(): line.get_ydata() for line in figure.axes[0].get_lines()}
    assert (np.asarray(drawn["bound"]) >= exact.squared_distance * (1 - 1e-12)).all()
    at_start = drawn["bound"][0] / exact.squared_distance[0]
    assert at_start == pytest.approx(1.5 if name == "2-way" else 1.0)
    values = mixed_values(mixed, method, noise, central)
    assert not [words for words in bound.unmet(**values) if "e <=" in words or "effective" in words]
    assert values["V"] == pytest.approx(0.6) and values["C"] == pytest.approx(0.4)  # traces in two dimensions
    assert values["e"] == pytest.approx({"1-way": 2 * STEP, "PT": STEP, "2-way": STEP / 4}[name])


def test_changing_rates_are_refused() -> None:
    method = fl.OneWayGradientTransfer(2, fl.Harmonic(1.0, 10.0))
    with pytest.raises(ValueError, match="step_size"):
        mixed_values(problem(), method)
