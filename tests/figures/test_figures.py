"""Every figure is drawn from the committed results."""

from __future__ import annotations

from pathlib import Path

import pytest

from fltheory.evidence.scripts import named_scripts, results_folder, run_figure

SCRIPTS = named_scripts("figures")


def test_there_are_figures() -> None:
    assert {"readme", "figure_1a", "figure_1b_3", "figure_1c_1d_4", "figure_2", "theorem_bounds"} <= set(SCRIPTS)


@pytest.mark.parametrize("name", SCRIPTS)
def test_figure(name: str, tmp_path: Path) -> None:
    run_figure(SCRIPTS[name], output=tmp_path, data=results_folder())
    (picture,) = tmp_path.iterdir()
    assert picture.name == f"{name}.png"
    assert picture.read_bytes()[:4] == b"\x89PNG"
    assert 10_000 < picture.stat().st_size < 200_000


def test_missing_results_are_named(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="theorem_bounds.npz"):
        run_figure(SCRIPTS["readme"], output=tmp_path / "out", data=tmp_path)
