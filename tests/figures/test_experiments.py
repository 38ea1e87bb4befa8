"""Experiments in a tiny form: they run, write one result file, and the file says what was run."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from fltheory.evidence.catalogue import load_module
from fltheory.evidence.keys import experiment_key
from fltheory.experiments.data_sets import FIRST_SEEDS, data_sets
from fltheory.experiments.files import Result, load_result
from fltheory.experiments.scripts import named_scripts
from fltheory.simulate import simulate

SCRIPTS = named_scripts("figures/experiments")


def script(name: str) -> ModuleType:
    return load_module(SCRIPTS[name])


def only(results: Path, name: str) -> Result:
    assert [p.name for p in (results / "experiments").iterdir()] == [f"{name}.npz"]
    found = load_result(results / "experiments" / f"{name}.npz")
    assert found.settings and set(found.origins) == set(found.arrays)
    for origins in found.origins.values():
        assert all(each.script == name and each.environment["processor"] for each in origins)
        assert {each.code for each in origins} == {experiment_key(SCRIPTS[name])}
    return found


def digits(*, full: bool) -> list:
    return [item for item in data_sets(full=full) if item.name.startswith("digits")]


@pytest.mark.parametrize("name", ["figure_1a", "figure_1b_3", "figure_1c_1d_4"])
@pytest.mark.usefixtures("numbers_only")
def test_softmax(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    module = script(name)
    monkeypatch.setattr(module, "data_sets", digits)
    if name == "figure_1a":
        monkeypatch.setattr(module, "grid", lambda data, *, full: ([1, 5], 20, 10))
    module.main(False, tmp_path, limit=1, rounds=5)
    found = only(tmp_path, name)
    assert set(found.settings["sets"]) == {"digits balanced", "digits unbalanced"}
    for key, array in found.arrays.items():
        assert array.shape[0] == 1 and np.isfinite(array).all(), key
        if not key.endswith(("rounds", "sizes")):
            assert array[0, 0] == pytest.approx(np.log(10))
    seconds = found.seconds
    module.main(False, tmp_path, limit=1, rounds=5)
    assert only(tmp_path, name).seconds == seconds


def test_no_two_replicates_share_a_seed() -> None:
    assert set(FIRST_SEEDS) >= {item.name for item in data_sets(full=True)}
    starts = sorted(FIRST_SEEDS.values())
    most = max(max(script("figure_1c_1d_4").REPLICATES[full].values()) for full in (False, True))
    assert min(b - a for a, b in zip(starts, starts[1:], strict=False)) > most


def test_replicates_differ_and_can_be_made_again() -> None:
    for item in data_sets(full=False):
        first, again, other = (item.problem(item.first_seed + r) for r in (0, 0, 1))
        assert first.n_clients == item.n_clients and first.sample_sizes.min() >= item.batch
        np.testing.assert_array_equal(first.features[0], again.features[0])
        assert first.features[0].shape != other.features[0].shape or (first.features[0] != other.features[0]).any()
        if item.name.endswith(" balanced"):
            assert len(set(first.sample_sizes.tolist())) == 1


def test_the_two_forms_declare_the_same_kinds_of_sets() -> None:
    module = script("figure_1a")
    assert set(module.REDUCED) < set(module.FULL) == set(FIRST_SEEDS)
    for table in (module.REDUCED, module.FULL):
        for name, (steps, rounds, replicates) in table.items():
            assert steps == sorted(set(steps)) and rounds > 1 and replicates > 1
            assert module.LEAST.get(name, steps[1]) in steps[1:-1]


def test_schemes_share_cohorts_and_batches(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    module = script("figure_1c_1d_4")
    monkeypatch.setattr(module, "data_sets", digits)
    module.main(False, tmp_path, limit=1, rounds=5)
    found = only(tmp_path, "figure_1c_1d_4")
    np.testing.assert_allclose(
        found["digits balanced/Scheme II"], found["digits balanced/transformed Scheme II"], rtol=1e-12
    )
    assert (found["digits unbalanced/Scheme II"] != found["digits unbalanced/transformed Scheme II"]).any()


@pytest.mark.usefixtures("numbers_only")
def test_figure_2(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    module = script("figure_2")
    monkeypatch.setattr(module, "LOCAL_STEPS", (1, 2))
    module.main(False, tmp_path, steps=400)
    found = only(tmp_path, "figure_2")
    assert float(found["limit/1/25/E=1"]) == 0 < float(found["limit/1/25/E=2"])
    assert found["annealed/rounds/0.01/E=2"].shape == (101,)


@pytest.mark.usefixtures("numbers_only")
def test_fixed_point_bias(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    module = script("fixed_point_bias")
    monkeypatch.setattr(module, "grid", lambda full: (np.array([1, 3]), np.array([0.01, 0.1])))
    module.main(False, tmp_path)
    found = only(tmp_path, "fixed_point_bias")
    assert (found["bias/0"][0] < 1e-12).all() and (found["bias/0"][1] > found["bound/0"][1]).all()


@pytest.mark.usefixtures("numbers_only")
def test_theorem_bounds(tmp_path: Path) -> None:
    script("theorem_bounds").main(False, tmp_path, rounds=8)
    found = only(tmp_path, "theorem_bounds")
    for name in ("theorem 1", "theorem 2", "theorem 3", "lecture theorem 1"):
        assert (found[f"{name}/exact"] < found[f"{name}/bound"]).all()


@pytest.mark.usefixtures("numbers_only")
def test_rates(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    module = script("rates")
    module.main(False, tmp_path, horizon=4000)
    found = only(tmp_path, "rates")
    np.testing.assert_allclose(found["check/readings"], found["check/recursion"], rtol=1e-9)


def test_the_scalar_recursion_of_the_rates_is_what_the_simulation_does() -> None:
    module = script("rates")
    problem = module.QuadraticProblem(
        module.CURVATURES[:, None, None], (module.CURVATURES * module.MINIMISERS)[:, None]
    )
    algorithm = module.FedAvg(4, module.Harmonic(2.0, 24.0, first=1))
    run = simulate(problem, algorithm, rounds=20)
    assert run.values("gap")[0, -1] == pytest.approx(module.gap_along(4, 20, 0.0, np.array([20]))[0], rel=1e-9)
