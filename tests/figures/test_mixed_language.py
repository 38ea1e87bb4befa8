"""The language experiment in a tiny form, and its rows on exchanged data."""

from __future__ import annotations

import inspect
from dataclasses import replace
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from fltheory.evidence.catalogue import load_module
from fltheory.evidence.model import Claim, Outcome
from fltheory.evidence.places import results_folder
from fltheory.experiments.files import Result, load_result
from fltheory.experiments.scripts import named_scripts, run_figure

ROOT = Path(__file__).parents[2]
ROWS = tuple(ROOT / "verify" / "mixed2022" / f"experiments_language{part}.py" for part in ("", "_rates"))


def experiment() -> ModuleType:
    return load_module(named_scripts("figures/experiments")["mixed_language"])


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    module, folder = experiment(), tmp_path_factory.mktemp("tiny")
    module.SIZES = {False: dict(clients=6, S=3), True: dict(clients=6, S=3)}
    module.GRIDS = {"rates": {"rates": [1.0, 64.0]}, "steps": {"steps": [2, 4]}}
    module.main(False, folder, limit=2, rounds=12)
    return folder


def test_every_part_runs(tiny: Path) -> None:
    found = load_result(tiny / "experiments" / "mixed_language.npz")
    assert set(found.settings["sets"]) == {"text", "rates", "steps", "metrics"}
    for key, array in found.arrays.items():
        assert len(array) == 2 and (np.isfinite(array).all() or key.startswith("rates/")), key
    for label in ("PT", "1-w GT", "2-w GT", "FL only", "oracle", "PT, eta=3"):
        np.testing.assert_allclose(found[f"text/{label}"][:, :2, 0], np.log(27), rtol=1e-6)
    assert (found["metrics/G2"] >= found["metrics/exact G2"] * 0.1).all() and (found["metrics/B2"] >= 1).all()


@pytest.mark.usefixtures("numbers_only")
def test_texts_of_ones_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    module = experiment()
    module.SIZES, module.JOBS = {False: dict(clients=5, S=3)}, {"real": module.one_text}
    for name, words in zip(module.FILES, ("the cat sat on the mat ", "a dog did not "), strict=True):
        (tmp_path / name).write_text(words * 200)
        monkeypatch.setenv(name, str(tmp_path / name))
    module.main(False, tmp_path, limit=1, rounds=10)
    found = load_result(tmp_path / "experiments" / "mixed_language.npz")
    assert found["real/PT"][0, 0, -1] < found["real/PT"][0, 0, 0]


def test_algorithms_share_cohorts_and_batches() -> None:
    """With one step and equal rates 1-way GT with the batches of Parallel Training is Parallel Training."""
    module = experiment()
    data = module.texts(3, 6)
    problem, runs = data.mixed(0.73, 0.0), []
    for name in ("PT", "1-w GT"):
        rule, _ = module.algorithm(name, 0.5, 3, 1)
        run = module.simulate(
            problem,
            rule,
            rounds=2,
            seed=1,
            oracle=module.MiniBatch(8),
            centre_oracle=module.MiniBatch(12, True),
            reference=False,
        )
        runs.append(run.final)
    np.testing.assert_allclose(runs[0], runs[1], rtol=1e-12)


def test_batches_follow_the_printed_rubric() -> None:
    module = experiment()
    assert module.algorithm("PT", 2.0, 100)[1].size == module.algorithm("2-w GT", 1.0, 100)[1].size == 800
    assert module.algorithm("1-w GT", 2.0, 100)[1].size == 6400


def test_no_seed_is_shared() -> None:
    module = experiment()
    starts = sorted(module.FIRST_SEEDS.values())
    assert min(b - a for a, b in zip(starts, starts[1:], strict=False)) > max(module.REPLICATES.values())


@pytest.mark.parametrize("name", ["mixed_language", "mixed_language_rates"])
def test_figures_of_a_tiny_run(name: str, tiny: Path, tmp_path: Path) -> None:
    run_figure(named_scripts("figures")[name], output=tmp_path, data=tiny)
    assert (tmp_path / f"{name}.png").read_bytes()[:4] == b"\x89PNG"


def rows() -> dict[str, Claim]:
    text, rates = (load_module(path) for path in ROWS)
    return {row.id: row for row in (*text.language, *rates.rates)}


def exchanged(result: Result, part: str, one: str, other: str) -> Result:
    keys = f"{part}/{one}", f"{part}/{other}"
    return replace(result, arrays={**result.arrays, keys[0]: result[keys[1]], keys[1]: result[keys[0]]})


@pytest.mark.parametrize(
    ("identifier", "part", "one", "other"),
    [
        ("MX-EXP-LM.3", "text", "FL only", "PT"),
        ("MX-FIG4.4", "text", "FL only", "2-w GT"),
        ("MX-FIG4.2", "text", "FL only", "PT"),
        ("MX-C2-DIV.2[softmax regression]", "rates", "PT", "2-w GT"),
        ("MX-EXP-LRSWEEP.3", "rates", "PT", "2-w GT"),
        ("MX-EXP-C42.2.3", "steps", "PT, K=4", "PT, K=16"),
        ("MX-FIG10-EARLY.2", "text", "PT, eta=3", "2-w GT"),
        ("MX-EXP-LM.4", "text", "PT, eta=3", "2-w GT"),
    ],
)
def test_rows_can_say_no(identifier: str, part: str, one: str, other: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """With two labels exchanged the row does not hold; 28 replicates of one comparison among several also contradict it."""
    result = load_result(results_folder() / "experiments" / "mixed_language.npz")
    row = rows()[identifier]
    monkeypatch.setitem(
        inspect.unwrap(row.check).__globals__, "committed", lambda name: exchanged(result, part, one, other)
    )
    allowed = (Outcome.NOT_REPRODUCED,) if part == "text" else (Outcome.NOT_REPRODUCED, Outcome.NOT_REFUTED)
    assert row.run().outcome in allowed


def test_onset_is_read_off_between_the_rates_of_the_sweep() -> None:
    module = load_module(ROWS[1])
    curves = np.array([[[3.0, 3, 2, 2, 2], [3.0, 3, 2, 2, 2], [3.0, 3, 4.5, 4.5, 4.5], [3.0, 3, 9, 9, 9]]])
    result = Result({"sets": {"rates": {"rates": [1.0, 2.0, 4.0, 8.0]}}}, {"rates/PT": curves})
    assert module.onset(result, "PT")[0] == pytest.approx(1.5)
