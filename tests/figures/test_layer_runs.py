"""The experiments of FedLAMA and of elastic aggregation in a tiny form; their rows say no when the data say no."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from fltheory.evidence.catalogue import claims_of, load_module
from fltheory.evidence.model import Claim, Outcome
from fltheory.evidence.places import results_folder
from fltheory.experiments.files import Result, load_result
from fltheory.experiments.means import judge_means
from fltheory.experiments.paired import committed
from fltheory.experiments.scripts import named_scripts, scripts_root
from verify.fedlama2021.experiments import judging

SCRIPTS = named_scripts("figures/experiments")
ARRAYS = {
    "fedlama_runs": {"digits": 2 * 18, "digits, half of the clients": 2 * 6},
    "elastic_runs": {"digits, optimisers": 3 * 7, "digits, two forms": 8 * 3},
}


@pytest.mark.parametrize("name", ARRAYS)
@pytest.mark.usefixtures("numbers_only")
def test_experiment(name: str, tmp_path: Path) -> None:
    module = load_module(SCRIPTS[name])
    module.main(False, tmp_path, limit=1)
    path = tmp_path / "experiments" / f"{name}.npz"
    found, kept = load_result(path), load_result(results_folder() / "experiments" / path.name)
    assert found.settings["common"]["form"] == "reduced" and kept.settings["common"]["form"] == "full"
    assert {"digits", "MNIST subset", "Fashion-MNIST"} == {data.split(",")[0] for data in kept.settings["sets"]}
    for data, count in ARRAYS[name].items():
        assert len(found.names_of(data)) == count and found.replicates(data) == 1
        assert {**found.settings["sets"][data], "replicates": 0} == {**kept.settings["sets"][data], "replicates": 0}
    seconds = found.seconds
    module.main(False, tmp_path, limit=1)
    assert load_result(path).seconds == seconds


@pytest.mark.parametrize("name", ARRAYS)
def test_a_set_without_data_is_left_out_with_a_line(
    name: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    module = load_module(SCRIPTS[name])
    monkeypatch.setenv("FLTHEORY_FASHION_MNIST", "/nowhere")
    assert {task.family for task in module.present(True)} <= {"digits", "MNIST subset"}
    assert "Fashion-MNIST is left out" in capsys.readouterr().out


def rows(path: str) -> tuple[ModuleType, dict[str, Claim]]:
    module = load_module(scripts_root() / "verify" / path)
    return module, claims_of(module)


def exchanged(name: str, first: str, second: str) -> Callable[[], Result]:
    """The kept result with the arrays of two labels exchanged in all sets."""
    result = committed(name)
    swap = {first: second, second: first}

    def other(key: str) -> str:
        data, _, rest = key.partition("/")
        label, _, what = rest.rpartition(", ")
        return f"{data}/{swap.get(label, label)}, {what}"

    arrays = {key: result.arrays.get(other(key), own) for key, own in result.arrays.items()}
    return lambda: replace(result, arrays=arrays)


LAMA = [
    ("three_way", "LA-EXP-3WAY[through crossing]", "FedLAMA(6,4), through crossing", "FedAvg(24) in rounds of 24"),
    ("three_way", "LA-EXP-3WAY[before crossing]", "FedLAMA(6,2), before crossing", "FedAvg(6) in rounds of 12"),
    (
        "three_way",
        "LA-EXP-3WAY-U2",
        "FedLAMA(6,4), through crossing, one client in 2",
        "FedAvg(24) in rounds of 24, one client in 2",
    ),
    ("figures", "LA-FIG456.1", "FedAvg(24) in rounds of 24", "FedAvg(12) in rounds of 24"),
    ("figures", "LA-FIG456.2", "FedLAMA(6,2), through crossing", "FedAvg(12) in rounds of 12"),
    ("figures", "LA-FIG3", "FedLAMA(6,2), through crossing", "FedAvg(6) in rounds of 12"),
    (
        "further_images",
        "LA-EXP-3WAY-U3[printed]",
        "FedLAMA(6,4), printed",
        "FedAvg(24) in rounds of 24",
    ),
    (
        "further_images",
        "LA-EXP-3WAY-U4",
        "FedLAMA(6,2), through crossing, one client in 2",
        "FedAvg(6) in rounds of 12, one client in 2",
    ),
    ("further_images", "LA-FIG3-U1", "FedLAMA(6,2), through crossing", "FedAvg(6) in rounds of 12"),
    ("further_images", "LA-FIG456-U2", "FedLAMA(6,2), through crossing", "FedAvg(12) in rounds of 12"),
    ("figures", "LA-TXT-BUDGET", "FedLAMA(6,2), through crossing", "FedAvg(12) in rounds of 12"),
]


@pytest.mark.parametrize(("script", "identifier", "first", "second"), LAMA, ids=lambda one: str(one))
def test_exchanged_runs_change_the_verdict(
    script: str, identifier: str, first: str, second: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    row = rows(f"fedlama2021/experiments/{script}.py")[1][identifier]
    assert row.run().outcome is Outcome.HOLDS
    monkeypatch.setattr(judging, "kept", exchanged("fedlama_runs", first, second))
    assert row.run().outcome is Outcome.NOT_REPRODUCED


@pytest.mark.parametrize(
    ("identifier", "first", "second"),
    [
        ("EL-FIG2", "FedProx", "FedProx, momentum, tau=0.5"),
        ("EL-FIG2-U1", "FedAvgM, momentum, tau=0.5", "FedAvgM, momentum, scaled, tau=0.5"),
    ],
)
def test_exchanged_optimisers_change_the_verdict(
    identifier: str, first: str, second: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    module, claims = rows("elastic2023/figures.py")
    assert claims[identifier].run().outcome is Outcome.HOLDS
    monkeypatch.setattr(module, "kept", exchanged("elastic_runs", first, second))
    assert claims[identifier].run().outcome is Outcome.NOT_REPRODUCED


def test_the_two_forms_exchanged_change_the_verdict(monkeypatch: pytest.MonkeyPatch) -> None:
    module, claims = rows("elastic2023/figures.py")
    robust, fewer = claims["EL-ROBTAU.3"], claims["EL-FIG1"]
    assert robust.run().outcome is Outcome.HOLDS and fewer.run().outcome is Outcome.NOT_REPRODUCED
    monkeypatch.setattr(
        module, "kept", exchanged("elastic_runs", "FedAvg, momentum, tau=0.1", "FedAvg, average, tau=0.1")
    )
    assert robust.run().outcome is not Outcome.HOLDS
    swapped = exchanged("elastic_runs", "FedAvg, momentum, tau=0.5", "FedAvg, average, tau=0.5")
    monkeypatch.setattr(module, "kept", swapped)
    assert fewer.run_control(fewer.controls[0]).outcome is Outcome.HOLDS


def test_equal_runs_support_nothing() -> None:
    result = committed("fedlama_runs")
    same = np.zeros(result.replicates("digits"))
    found = judge_means({"same": same}, "Nothing.", result=result, data="digits", numbers={})
    assert found.outcome is Outcome.NOT_REFUTED and found.margin is None
    assert judge_means({}, "Nothing.", result=result, data="digits", exactly={"so": False}, numbers={}).outcome is (
        Outcome.NOT_REPRODUCED
    )


def test_seeds_of_all_sets_are_apart() -> None:
    for name in ARRAYS:
        sets = committed(name).settings["sets"].values()
        seeds = [seed for own in sets for seed in range(own["first seed"], own["first seed"] + own["replicates"])]
        assert len(set(seeds)) == len(seeds) and min(seeds) > 200
        assert np.all([own["train"] + own["test"] == 1797 for own in sets if own["train"] < 1500])
