"""The movie task's experiment in a tiny form; the rows say no when the data say no."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from fltheory.evidence.catalogue import load_module
from fltheory.evidence.model import Claim, Evidence, Outcome
from fltheory.experiments.files import Result, load_result, save_result
from fltheory.experiments.scripts import named_scripts, run_figure, scripts_root
from fltheory.problems import DualEncoder, load_movielens, movie_catalogue
from fltheory.problems.data.movies import MOVIELENS_FOLDER, catalogue_lengths
from verify.mixed2022.experiments_movie_task import Operations, Usage, Watched, end, recalls

SET, SIZE = "generated catalogue", "size of MovieLens 1M"
UNEVEN = "size of MovieLens 1M, uneven lengths"
DRAWN, PASS = (
    f"MX-EXP-MOVIE.10[{how}]" for how in ("examples drawn anew from all of a user's", "one pass over a cache")
)
LABELS = ("baseline", "PT", "1-w GT", "2-w GT", "baseline, ADAM 0.01", "1-w GT, ADAM 0.01", "1-w GT, ADAM 1")


def experiment(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The script with small sets."""
    module = load_module(named_scripts("figures/experiments")["mixed_movie"])
    few = {"users": 60, "movies": 60, "mean_length": 24.0, "S": 5}
    small = {full: {name: {**entry, **few} for name, entry in sets.items()} for full, sets in module.SETS.items()}
    monkeypatch.setattr(module, "SETS", small)
    monkeypatch.delenv(MOVIELENS_FOLDER, raising=False)
    return module


@pytest.mark.usefixtures("numbers_only")
def test_experiment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    module = experiment(monkeypatch)
    module.main(False, tmp_path, limit=2, rounds=3)
    path = tmp_path / "experiments" / "mixed_movie.npz"
    found = load_result(path)
    assert set(found.settings["sets"]) == {SET, SIZE, UNEVEN} and found.settings["common"]["form"] == "reduced"
    for key, values in found.arrays.items():
        assert values.shape[0] == 2 and np.isfinite(values).all(), key
    for label in LABELS:
        assert (
            found[f"{SET}/{label}"].shape == (2, 2)
            and (found[f"{SET}/{label}"][:, 1] < found[f"{SET}/{label}"][:, 0]).all()
        )
        np.testing.assert_array_equal(found[f"{SET}/{label}"][:, 0], found[f"{SET}/PT"][:, 0])
    assert (found[f"{SET}/PT"][0] != found[f"{SET}/PT"][1]).any()
    assert found[f"{SIZE}/items per client"].shape == (2, 2)
    seconds = found.seconds
    module.main(False, tmp_path, limit=2, rounds=3)
    assert load_result(path).seconds == seconds


def test_the_full_form_takes_a_local_copy_of_movielens(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file made up here in the form of u.data."""
    module = experiment(monkeypatch)
    assert module.REAL not in module.sets(full=True) and module.SMALL in module.sets(full=True)
    rng = np.random.default_rng(0)
    rows = [(user, movie + 1, 3, 10 * i) for user in range(1, 31) for i, movie in enumerate(rng.permutation(40)[:25])]
    (tmp_path / "u.data").write_text("".join("\t".join(map(str, row)) + "\n" for row in rows))
    monkeypatch.setenv(MOVIELENS_FOLDER, str(tmp_path))
    assert load_movielens().n_users == 30
    entry = {**module.sets(full=True)[module.REAL], "rounds": 2, "adam_rounds": 2, "record_every": 2}
    found = module.one(module.REAL, entry, 0)
    assert set(LABELS) <= set(found) and found["PT"].shape == (2,)
    labels = set(module.one(module.SMALL, {**module.SETS[True][module.SMALL], "rounds": 2, "record_every": 2}, 0))
    assert {"PT", "baseline"} <= labels and not any("ADAM" in label for label in labels)


def test_seeds_of_the_sets_do_not_overlap() -> None:
    module = load_module(named_scripts("figures/experiments")["mixed_movie"])
    firsts = sorted(entry["first seed"] for sets in module.SETS.values() for entry in sets.values())
    most = max(entry["replicates"] for sets in module.SETS.values() for entry in sets.values())
    assert min(b - a for a, b in zip(firsts, firsts[1:], strict=False)) > most


def test_usage_counts_the_items_of_the_batches() -> None:
    usage = Usage(2, 9)
    usage.add(np.array([[[[0, 1], [-1, 2]], [[3, 3], [-1, -1]]]]), np.array([[[4, 4], [3, 5]]]))
    assert usage.rows == [] and usage.entries == [2.5]
    usage.add(np.array([[[[0, 6], [-1, 2]], [[3, 7], [-1, 8]]]]), np.array([[[4, 4], [3, 5]]]))
    assert usage.rows == [(5 + 4) / 2]  # {0, 1, 2, 4, 6} and {3, 5, 7, 8}
    usage.add(np.array([[[[0, 1], [-1, 2]], [[3, 3], [-1, -1]]]]), np.array([[[4, 4], [3, 5]]]))
    assert len(usage.rows) == 1


def test_watched_clients_train_as_others_do() -> None:
    users, others = (movie_catalogue(6, 40, seed=s, mean_length=8, least=4) for s in (1, 2))
    plain, usage = DualEncoder(users, 3), Usage(1, 40)
    watched = Watched(users, 3, test=DualEncoder(others, 3), usage=usage)
    w = plain.shape.start(0)
    assert watched.value(w) == DualEncoder(others, 3).value(w) != plain.value(w)
    rows, clients = np.array([[0, 2], [1, 1]]), np.array([3, 0])
    points = np.stack([w, w + 1])
    wanted = plain.batch_gradients(clients, points, rows)
    np.testing.assert_array_equal(watched.batch_gradients(clients, points, rows), wanted)
    touched = (wanted[:, :120].reshape(2, 40, 3) != 0).any(axis=2).sum(axis=1)
    assert touched.mean() <= usage.rows[0] <= 2 * 11
    assert recalls(plain, np.stack([w, np.full_like(w, np.inf)]))[1] == 0.0


def test_operations() -> None:
    """At the document's sizes the parts that it names are the ones counted here."""
    step = Operations(3952, 16, 16, 16)
    assert step.network - 2 * 16 * 16 - 9 * 16 * 16 == 3 * 16 * 16**2
    assert (
        step.regulariser_by_pairs > 3 * 3952**2 * 16 / 2
        and step.regulariser_by_matrix < 0.01 * step.regulariser_by_pairs
    )


def result_with(**levels: tuple[float, float]) -> Result:
    """Results of 20 replicates whose labels fall from 1 to a given loss, with a given recall."""
    rng = np.random.default_rng(3)
    arrays: dict[str, Any] = {f"{SET}/rounds": np.tile(np.arange(0, 401, 20), (20, 1))}
    arrays[f"{SET}/adam rounds"] = arrays[f"{SET}/rounds"][:, :11]
    for label in LABELS:
        records = 11 if "ADAM" in label else 21
        low, recall = levels.get(
            label.replace(" ", "_").replace(",", "").replace("-", "_").replace(".", "_"), (0.5, 0.1)
        )
        shape = low + (1 - low) * np.exp(-np.arange(records) / 3)
        arrays[f"{SET}/{label}"] = shape + 1e-3 * rng.standard_normal((20, records))
        arrays[f"{SET}/{label}; recall"] = np.full((20, records), recall)
    arrays |= {f"{SET}/G2": np.ones((20, 100)), f"{SET}/B2": np.ones((20, 100))}
    for size in (SIZE, UNEVEN):
        arrays |= {
            f"{size}/items per client": np.full((3, 2), 150.0),
            f"{size}/history entries": np.full((3, 20), 154.0),
        }
    module = load_module(named_scripts("figures/experiments")["mixed_movie"])
    common = {
        "form": "reduced",
        "K": 10,
        "batch": 16,
        "batches": "with replacement",
        "strength": "s",
        "start": "t",
        "horizons": [0.5, 1.0],
        "context": 10,
    }
    return Result({"common": common, "sets": module.SETS[False]}, arrays)


def judged(script: str, result: Result, monkeypatch: pytest.MonkeyPatch) -> dict[str, Evidence]:
    module = load_module(scripts_root() / "verify" / "mixed2022" / f"{script}.py")
    monkeypatch.setattr(module, "committed", lambda name: result)
    found = [value for value in vars(module).values() if isinstance(value, Claim)]
    return {item.id: item.check(**item.printed) for item in found}


def test_rows_follow_the_data(monkeypatch: pytest.MonkeyPatch) -> None:
    good = result_with(PT=(0.515, 0.09))
    bad = result_with(PT=(0.4, 0.05), **{"1_w_GT": (0.6, 0.05)})
    for identifier, held, failed in (
        ("MX-EXP-MOVIE.2", good, bad),
        ("MX-EXP-MOVIE.3", good, bad),
        ("MX-EXP-MOVIE.4", good, result_with(PT=(0.6, 0.1))),
        ("MX-EXP-MOVIE.5", good, bad),
        ("MX-EXP-MOVIE.6", good, bad),
    ):
        assert judged("experiments_movie", held, monkeypatch)[identifier].outcome is Outcome.HOLDS, identifier
        outcome = judged("experiments_movie", failed, monkeypatch)[identifier].outcome
        assert outcome in (Outcome.NOT_REPRODUCED, Outcome.NOT_REFUTED), identifier
    assert judged("experiments_movie", bad, monkeypatch)["MX-EXP-MOVIE.6"].outcome is Outcome.NOT_REPRODUCED
    for rows, over, share in (
        (150.0, Outcome.HOLDS, Outcome.HOLDS),
        (170.0, Outcome.HOLDS, Outcome.NOT_REPRODUCED),
        (400.0, Outcome.NOT_REPRODUCED, Outcome.NOT_REPRODUCED),
    ):
        many = replace(good, arrays={**good.arrays, f"{UNEVEN}/items per client": np.full((3, 2), rows)})
        found = judged("experiments_movie_costs", many, monkeypatch)
        assert found["MX-EXP-MOVIE.7"].outcome is over and found[DRAWN].outcome is share
    assert judged("experiments_movie_costs", good, monkeypatch)["MX-EXP-MOVIE.8"].outcome is Outcome.HOLDS


def test_one_pass_over_a_cache_is_counted_from_the_lengths(monkeypatch: pytest.MonkeyPatch) -> None:
    result = result_with()
    found = judged("experiments_movie_costs", result, monkeypatch)[PASS]
    entry = result.settings["sets"][UNEVEN]
    lengths = catalogue_lengths(6040, 3952, seed=225_000, mean_length=166.0, spread=1.04, genres=4)
    order = np.random.default_rng(np.random.SeedSequence(225_000)).permutation(6040)[1208:][:3865]
    first = np.minimum(lengths[order], 170).mean()
    assert entry["first seed"] == 225_000 and found.examined == 6 * 3865 and found.outcome is Outcome.HOLDS
    assert first <= found.numbers[f"{UNEVEN}: most movies per client"] < first + 3
    longer = {**result.settings["sets"], UNEVEN: {**entry, "mean_length": 300.0}}
    many = replace(result, settings={**result.settings, "sets": longer})
    assert judged("experiments_movie_costs", many, monkeypatch)[PASS].outcome is Outcome.HOLDS
    longer[UNEVEN] = {**entry, "mean_length": 600.0, "spread": 0.1}
    assert judged("experiments_movie_costs", many, monkeypatch)[PASS].outcome is Outcome.NOT_REPRODUCED


def test_rows_about_adam_follow_the_data(monkeypatch: pytest.MonkeyPatch) -> None:
    fast = {name: (0.45, 0.1) for name in ("baseline_ADAM_0_01", "1_w_GT_ADAM_0_01")}
    good = judged("experiments_movie_adam", result_with(**fast), monkeypatch)
    slow = {"1_w_GT_ADAM_0_01": (0.7, 0.1), "1_w_GT_ADAM_1": (0.45, 0.1), "baseline_ADAM_0_01": (0.6, 0.1)}
    bad = judged("experiments_movie_adam", result_with(**slow), monkeypatch)
    for identifier in ("MX-EXP-C44.1", "MX-EXP-C44-OBS.1", "MX-EXP-C44-OBS.2"):
        assert good[identifier].outcome is Outcome.HOLDS, identifier
        assert bad[identifier].outcome is Outcome.NOT_REPRODUCED, identifier
    for identifier in ("MX-EXP-C44.2", "MX-EXP-C44-OBS.3"):
        assert good[identifier].outcome is Outcome.NOT_CHECKABLE


def test_the_end_of_a_diverged_run_is_the_worst() -> None:
    assert end(np.array([[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 9.0]])) == 8.0
    assert end(np.array([[1.0, np.inf]])) == 1e12


@pytest.mark.parametrize("name", ["mixed_movie", "mixed_movie_adam"])
def test_figures(name: str, tmp_path: Path) -> None:
    save_result(result_with(PT=(0.55, 0.08)), tmp_path / "experiments" / "mixed_movie.npz")
    run_figure(named_scripts("figures")[name], output=tmp_path / "out", data=tmp_path)
    assert (tmp_path / "out" / f"{name}.png").read_bytes()[:4] == b"\x89PNG"
