"""Maps of the clients' steps in large dimensions: made where rounds repay them, near the steps, with the bits of the loop."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import fltheory as fl
from fltheory.simulate import client_maps, loop, simulate, simulate_batch

RNG = np.random.default_rng(2)
ROOTS = RNG.normal(size=(3, 130, 130))
PROBLEM = fl.QuadraticProblem(ROOTS @ ROOTS.swapaxes(1, 2) / 520 + 0.1 * np.eye(130), RNG.normal(size=(3, 130)))
OPTIONS: dict[str, Any] = {"runs": 5, "seed": 4, "keep_models": True, "record_every": 4}
STEPS, ENOUGH = 40, 44
ALGORITHMS = {
    "FedAvg": fl.FedAvg(STEPS, 0.02, fl.SchemeII(1)),
    "SCAFFOLD": fl.Scaffold(STEPS, 0.02, participation=fl.SchemeII(1)),
}


@pytest.mark.parametrize("name", ALGORITHMS)
@pytest.mark.parametrize("problem", [PROBLEM, fl.Scaled(PROBLEM, 0.5)], ids=["plain", "scaled"])
def test_maps_are_made_where_rounds_repay_them(monkeypatch: pytest.MonkeyPatch, problem: Any, name: str) -> None:
    algorithm = ALGORITHMS[name]
    short = simulate(problem, algorithm, rounds=8, **OPTIONS)
    told = short.engine.partition("repaid from ")[2].split()[0]
    assert short.engine.startswith("compiled: step by step") and told == "41"
    mapped = simulate(problem, algorithm, rounds=ENOUGH, **OPTIONS)
    assert mapped.engine.startswith("compiled: by the clients' maps")
    assert mapped.models is not None and short.models is not None
    same = mapped.models[:, : short.models.shape[1]]
    assert same.tobytes() != short.models.tobytes()
    np.testing.assert_allclose(same, short.models, rtol=1e-11, atol=1e-13)
    for change in ({"threads": 2, "chunk": 2}, {"threads": 1, "chunk": 1}):
        again = simulate(problem, algorithm, rounds=ENOUGH, **OPTIONS, **change)
        assert again.models is not None and again.models.tobytes() == mapped.models.tobytes()
    monkeypatch.setattr(loop, "COMPILED", False)
    slow = simulate(problem, algorithm, rounds=ENOUGH, **OPTIONS)
    assert slow.engine == "loop" and slow.models is not None and slow.models.tobytes() == mapped.models.tobytes()


def test_every_member_of_a_batch_has_the_choice_that_it_has_alone() -> None:
    rounds = ENOUGH
    algorithms = [fl.FedAvg(steps, eta, fl.SchemeII(1)) for steps in (2, STEPS) for eta in (0.01, 0.02)]
    together = simulate_batch(PROBLEM, algorithms, rounds=rounds, **OPTIONS)
    for run, algorithm in zip(together, algorithms, strict=True):
        alone = simulate(PROBLEM, algorithm, rounds=rounds, **OPTIONS)
        assert run.engine == alone.engine
        assert run.models is not None and alone.models is not None and run.models.tobytes() == alone.models.tobytes()
    assert ["step by step" in run.engine for run in together] == [True, True, False, False]


def test_maps_that_would_not_be_kept_are_not_made(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client_maps, "MOST_NUMBERS", 10**5)
    run = simulate(PROBLEM, ALGORITHMS["FedAvg"], rounds=10**3, runs=1, record_every=10**3, reference=False)
    assert "would take 1.1e+05 numbers" in run.engine


@pytest.mark.parametrize(
    "algorithm",
    [fl.FedAvg(STEPS, 0.02), fl.FedAvg(1, 0.02, fl.SchemeII(1)), fl.FedAvg(2, fl.Harmonic(1.0, 50.0), fl.SchemeII(1))],
)
def test_where_there_is_no_choice_nothing_is_said(algorithm: Any) -> None:
    assert simulate(PROBLEM, algorithm, rounds=3, runs=1).engine in ("map", "compiled")
    noisy = simulate(PROBLEM, algorithm, rounds=3, runs=1, oracle=fl.AdditiveNoise(0.1))
    assert noisy.engine == "compiled"
