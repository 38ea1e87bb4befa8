"""The smile task's experiments in a tiny form; the rows say no when the data say no."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from fltheory.evidence.catalogue import load_module
from fltheory.evidence.model import Claim, Outcome
from fltheory.experiments.files import Result, load_result
from fltheory.experiments.paired import committed
from fltheory.experiments.scripts import named_scripts, scripts_root
from fltheory.problems import LogisticProblem, MixedProblem, Regulariser
from verify.mixed2022 import experiments_smile_task as smile
from verify.mixed2022.label_split import accuracy, gradient, interval, run, value

SCRIPTS = named_scripts("figures/experiments")
NAMES = ("mixed_smile", "mixed_smile_metrics", "mixed_smile_batch", "mixed_smile_steps", "mixed_smile_forgetting")
LABELS = {"mixed_smile": 8, "mixed_smile_batch": 12, "mixed_smile_steps": 12}


def experiment(name: str, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The script, with digits only."""
    module = load_module(SCRIPTS[name])
    monkeypatch.setattr(module, "REDUCED", tuple(pair for pair in module.REDUCED if pair[0] == "digits"))
    return module


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.usefixtures("numbers_only")
def test_experiment(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    module = experiment(name, monkeypatch)
    module.main(False, tmp_path, limit=2, rounds=10)
    path = tmp_path / "experiments" / f"{name}.npz"
    found = load_result(path)
    second = ["mixed_smile_small_steps.npz"] if name == "mixed_smile_steps" else []
    assert sorted(p.name for p in path.parent.iterdir()) == sorted([path.name, *second])
    assert (
        found.settings["common"]["form"] == "reduced"
        and found.settings["sets"]["digits network" if name != "mixed_smile_forgetting" else "digits logistic"]
    )
    for key, values in found.arrays.items():
        assert values.shape[0] == 2 and np.isfinite(values).all(), key
        assert (values[0] != values[1]).any() or "before" in key or "accuracy" in key or "labels" in key, key
    if name in LABELS:
        assert sum(key.startswith("digits network/") and key.endswith("loss") for key in found.arrays) == LABELS[name]
    seconds = found.seconds
    module.main(False, tmp_path, limit=2, rounds=10)
    assert load_result(path).seconds == seconds


def test_no_two_experiments_share_a_seed() -> None:
    used: set[int] = set()
    for name in NAMES:
        module = load_module(SCRIPTS[name])
        most = max(module.REPLICATES.values()) if isinstance(module.REPLICATES, Mapping) else module.REPLICATES
        for task in range(len(module.FULL)):
            seeds = set(range(module.FIRST_SEED + 1000 * task, module.FIRST_SEED + 1000 * task + most))
            assert not used & seeds and most <= 1000
            used |= seeds


def test_the_committed_results_are_complete() -> None:
    for name in NAMES:
        assert committed(name).settings["common"]["form"] in ("reduced", "full")


def test_oracle_and_algorithms_start_from_the_same_model_and_learn() -> None:
    task = smile.Task("digits", "network", 10, 1)
    source = task.source(5)
    start = smile.start_of(source, "network", 5)
    for label in (*smile.MIXED, "oracle", "FL only", "central only"):
        made = smile.train(source, "network", label, cohort=10, rounds=20, every=20, seed=5)
        np.testing.assert_array_equal(made.models[0, 0], start)
        measured = smile.evaluate(source, "network", made)
        assert measured["loss"].shape == (2,) and measured["accuracy"].shape == (2, 2)
        if label in (*smile.MIXED, "oracle"):
            assert measured["auc"][-1] > 0.9
        else:  # one label only: all on one side
            assert sorted(measured["accuracy"][-1].tolist()) == [0.0, 1.0]


def test_a_diverged_run_counts_as_the_worst() -> None:
    task = smile.Task("digits", "logistic", 10, 1)
    source = task.source(6)
    made = smile.train(source, "logistic", "PT", cohort=10, rounds=2, every=1, seed=6)
    broken = replace(made, models=np.where(np.arange(3)[None, :, None] > 1, np.inf, made.models))
    measured = smile.evaluate(source, "logistic", broken)
    assert measured["loss"][2] == np.inf and measured["auc"][2] == 0.5 and np.isfinite(measured["loss"][:2]).all()


def rows(name: str) -> tuple[ModuleType, dict[str, Claim]]:
    module = load_module(scripts_root() / "verify" / "mixed2022" / f"{name}.py")
    found = [item for value in vars(module).values() for item in (value if isinstance(value, list) else [value])]
    return module, {item.id: item for item in found if isinstance(item, Claim)}


def exchanged(result: Result, first: str, second: str) -> Result:
    """The result with the curves of two labels exchanged in all sets."""

    def other(key: str) -> str:
        data, _, name = key.partition("/")
        label, _, rest = name.rpartition(", ")
        return f"{data}/{ {first: second, second: first}.get(label, label) }, {rest}" if label else key

    return replace(result, arrays={key: result.arrays.get(other(key), own) for key, own in result.arrays.items()})


@pytest.mark.parametrize(
    ("script", "identifier", "labels"),
    [
        ("experiments_smile", "MX-EXP-SMILE.2", ("PT", "FL only")),
        ("experiments_smile", "MX-EXP-SMILE.3", ("PT", "2-w GT")),
        ("experiments_smile", "MX-EXP-SMILE.5", ("PT, shuffled", "PT")),
        ("experiments_smile_order", "MX-FIG2-2W.1", ("PT", "1-w GT")),
        ("experiments_smile_order", "MX-FIG2-2W.2", ("PT", "2-w GT")),
        ("experiments_smile_order", "MX-FIG2-2W.3", ("PT", "2-w GT")),
        ("experiments_smile_order", "MX-FIG2-2W-S1", ("2-w GT", "2-w GT, half step")),
        ("experiments_smile_batch", "MX-EXP-C41.1", ("1-w GT, 1", "1-w GT, 25")),
        ("experiments_smile_batch", "MX-EXP-C41.2", ("1-w GT, 1", "1-w GT, 25")),
        ("experiments_smile_steps", "MX-EXP-C42.1.2", ("1-w GT, K=1", "FL only")),
        ("experiments_smile_steps", "MX-EXP-C42.1.4", ("1-w GT, K=1", "1-w GT, K=6")),
    ],
)
def test_exchanged_data_change_the_verdict(
    script: str, identifier: str, labels: tuple[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    module, claims = rows(script)
    row = claims[identifier]
    if "FL only" in labels and script == "experiments_smile_steps":  # lower losses for one step: more steps then hurt

        def lowered(name: str) -> Result:
            result = committed(name)
            key = f"digits network/{labels[0]}, loss"
            return replace(result, arrays={**result.arrays, key: result.arrays[key] / 2})

        monkeypatch.setattr(module, "committed", lowered)
    else:
        monkeypatch.setattr(module, "committed", lambda name: exchanged(committed(name), *labels))
    assert row.run().outcome is Outcome.NOT_REPRODUCED


def test_forgetting_and_dissimilarity_need_their_data(monkeypatch: pytest.MonkeyPatch) -> None:
    module, claims = rows("experiments_smile_forgetting")

    def forgetful(name: str) -> Result:
        result = committed(name)
        arrays = dict(result.arrays)
        for data in result.settings["sets"]:
            for division in module.DIVISIONS:
                arrays[f"{data}/{division}, mixed"] = result.arrays[f"{data}/{division}, fine-tuned"]
                arrays[f"{data}/{division}, fine-tuned"] = result.arrays[f"{data}/{division}, mixed"] * 0 + 1
        return replace(result, arrays=arrays)

    monkeypatch.setattr(module, "committed", forgetful)
    assert claims["MX-FORGET.2"].run().outcome is Outcome.NOT_REPRODUCED
    assert claims["MX-FORGET.3"].run().outcome is Outcome.NOT_REPRODUCED
    module, claims = rows("experiments_smile")
    result = committed("mixed_smile_metrics")
    flat = {key: value * 0 + 1 for key, value in result.arrays.items()}
    monkeypatch.setattr(module, "committed", lambda name: replace(result, arrays=flat))
    assert claims["MX-EXP-SMILE.4"].run().outcome is Outcome.NOT_REPRODUCED


def test_the_eight_examples_are_those_of_the_simulator() -> None:
    """Interval arithmetic against the package's own problems and algorithms."""
    from fltheory.algorithms import OneWayGradientTransfer, ParallelTraining, TwoWayGradientTransfer
    from fltheory.simulate import simulate
    from verify.mixed2022.label_split import CENTRAL, FEDERATED, Fraction

    ridge = Regulariser(0.01, "lambda/2|w|^2")
    sides = [
        LogisticProblem((np.array(rows, dtype=float),), (np.full(4, sign),), ridge)
        for rows, sign in ((FEDERATED, 1), (CENTRAL, -1))
    ]
    problem = MixedProblem(*sides)
    made = {
        "PT": ParallelTraining(2, 0.3, 0.3),
        "1-w GT": OneWayGradientTransfer(2, 0.3),
        "2-w GT": TwoWayGradientTransfer(2, 0.3, 0.3),
    }
    for name, algorithm in made.items():
        models = run(name, Fraction(3, 10), 2, 6)
        theirs = simulate(problem, algorithm, rounds=6, keep_models=True, reference=False)
        for t, w in enumerate(models):
            np.testing.assert_allclose([float(x.mid) for x in w], theirs.models[0, t], rtol=1e-12, atol=1e-14)
            assert float(value(w).mid) == pytest.approx(theirs.objective[0, t], rel=1e-12)
    w = tuple(interval(Fraction(k, 7)) for k in (1, -2, 4))
    point = np.array([1, -2, 4]) / 7
    for side, own in zip(("federated", "central"), sides, strict=True):
        np.testing.assert_allclose([float(x.mid) for x in gradient(side, w)], own.gradient(point), rtol=1e-12)
        right = np.mean(own.labels[0] * (own.features[0] @ point) > 0)
        assert float(accuracy(side, w)) == right
    with pytest.raises(ArithmeticError, match="more bits"):
        accuracy("federated", tuple(interval(0) for _ in range(3)))
