"""The benchmark of speed: its cases, its figures, its table; and that contestants that compute something else are noticed."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from benchmarks.speed import figures, sampled, store, table
from benchmarks.speed.case import Disagreement, cases
from benchmarks.speed.data import Sampled
from benchmarks.speed.peers.numpy_sgd import NumpySGD

ROOT = Path(__file__).parents[2]


def _measured(value: float) -> dict[str, Any]:
    """A row for everything that a figure reads, all of the same value."""
    names = (
        "fltheory",
        "JAX",
        figures.NUMPY,
        figures.LOOP,
        "step by step",
        "in law",
        "FedAvg",
        "SCAFFOLD",
        "N=100,000",
    )
    names += (
        "N=10, E=1",
        "N=1000, E=100",
        'fltheory, keep="traces"',
        "round_map",
        "fixed_point",
        "fixed_point(exact=True)",
    )
    names += tuple(f"{verb}, peak memory of its process" for verb in ("round_map", "fixed_point"))
    names += ("fixed_point, E=2", "fixed_point, E=10", "fltheory, sweep", "fltheory, simulate_batch")
    names += (
        "JAX, one vmapped program",
        'fltheory, backend="numpy"',
        "import fltheory",
        "fltheory --help",
        "fltheory list",
    )
    names += ("second process, warm kernels",)
    rows = [{"who": who, "runs": runs, "value": value} for who in names for runs in (1, 16, 64, 100)]
    return {name: {"status": "done", "what": one.what, "unit": one.unit, "rows": rows} for name, one in cases().items()}


def test_every_figure_reads_cases_that_exist() -> None:
    found = figures.table_of(_measured(2.0))
    assert len(found) == len(figures.FIGURES) > 40
    for figure, value in found:
        assert value in (1.0, 2.0), figure.what
    assert all(value is None for _, value in figures.table_of({}))


def test_verdicts() -> None:
    faster = figures.Figure("x", "times faster", 3, 4, lambda cases: None)
    slower = figures.Figure("x", "s", 0.5, None, lambda cases: None)
    assert [faster.verdict(v) for v in (4.0, 3.5, 2.9, None)] == [
        "stretch reached",
        "reached",
        "falls short",
        "not measured",
    ]
    assert [slower.verdict(v) for v in (0.5, 0.51)] == ["reached", "falls short"]


@pytest.mark.parametrize("kind", ["softmax", "logistic"])
def test_a_peer_that_computes_something_else_is_noticed(kind: str) -> None:
    task = Sampled(kind, 2, 3, n_clients=8, features=5)
    peer = NumpySGD(task)
    sampled.agree(task, {"NumPy": peer}, rounds=2)
    peer.coefficients = peer.coefficients * (1 + 1e-6)
    with pytest.raises(Disagreement, match="NumPy ends .* from fltheory with the same draws"):
        sampled.agree(task, {"NumPy": peer}, rounds=2)


def test_peers_run_by_their_own_draws() -> None:
    task = Sampled("softmax", 2, 3, n_clients=8, features=5)
    peer = NumpySGD(task)
    assert peer.vectorised(2, runs=3).shape == (3, 10, 6) and np.isfinite(peer.loop(2)).all()


def test_the_page_shows_what_is_stored() -> None:
    page = table.PAGE.read_text("utf-8")
    assert table.with_tables(page, store.load()) == page
    other = table.with_tables(page, {"processor": "P", "versions": {"numpy": "2"}, "cases": _measured(2.0)})
    assert "| stretch reached |" in other and "| falls short |" in other
    assert table.with_tables(other, {"processor": "", "versions": {}, "cases": {}}) == table.with_tables(
        page, {"processor": "", "versions": {}, "cases": {}}
    )
    with pytest.raises(ValueError, match="the page has no line"):
        table.with_tables(page.replace("<!-- cases", "<!-- "), store.load())


def test_a_case_is_stored_by_itself_and_read_back(tmp_path: Path) -> None:
    path = tmp_path / "speed.json"
    store.keep(store.load(path), "one", {"status": "done", "rows": []}, cores=1, path=path)
    store.keep(store.load(path), "two", {"status": "skipped", "why": "x"}, cores=1, path=path)
    found = store.load(path)
    assert set(found["cases"]) == {"one", "two"} and found["cores"] == 1
    assert set(found) == {"benchmark", "cases", "processor", "cores", "versions"}


def test_a_case_runs_in_a_process_of_its_own(tmp_path: Path) -> None:
    out = tmp_path / "answer.json"
    listed = [sys.executable, "-m", "benchmarks.speed", "--list", "--only", "softmax"]
    shown = subprocess.run(listed, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert len(shown.splitlines()) == 3 and "us per client-step" in shown
    code = (
        "import sys; sys.argv = ['child', 'no case', sys.argv[1]]; from benchmarks.speed import child\n"
        "from benchmarks.speed.case import Case, Row, Skip, _ALL, cases; cases()\n"
        "def gone(quick): raise Skip('there is none')\n"
        "_ALL.known['no case'] = Case('no case', 'x', 's', gone)\n"
        "child.main()"
    )
    subprocess.run([sys.executable, "-c", code, str(out)], cwd=ROOT, check=True)
    assert json.loads(out.read_text("utf-8")) == {"status": "skipped", "why": "there is none"}
