"""Every figure is drawn from the committed results."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from matplotlib.colors import to_hex
from PIL import Image

from fltheory.evidence.places import results_folder
from fltheory.experiments import load_result
from fltheory.experiments.scripts import named_scripts, run_figure
from fltheory.plotting import style

SCRIPTS = named_scripts("figures")


def test_there_are_figures() -> None:
    assert {"readme", "figure_1a", "figure_1b_3", "figure_1c_1d_4", "figure_2", "theorem_bounds"} <= set(SCRIPTS)


def mode_of(picture: Path) -> str:
    with Image.open(picture) as image:
        return str(image.mode)


def looks(panel: Any) -> dict[str, set[tuple[str, str, str]]]:
    """Colour, line style and mark of every label of a panel."""
    found: dict[str, set[tuple[str, str, str]]] = {}
    for line in panel.get_lines():
        label = str(line.get_label())
        if not label.startswith("_"):
            look = (to_hex(line.get_color()), str(line.get_linestyle()), str(line.get_marker()))
            found.setdefault(label, set()).add(look)
    return found


@pytest.mark.parametrize("name", SCRIPTS)
def test_figure(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Drawn from the committed results, in all its colours, and within a panel no two labels look alike."""
    drawn: list[Any] = []
    plain = style.save_figure

    def save(figure: Any, path: Any, **more: Any) -> Path:
        drawn.append(figure)
        return plain(figure, path, **more)

    monkeypatch.setattr(style, "save_figure", save)
    run_figure(SCRIPTS[name], output=tmp_path, data=results_folder())
    pictures = sorted(tmp_path.iterdir())
    assert f"{name}.png" in {picture.name for picture in pictures} and len(pictures) == len(drawn)
    for picture in pictures:  # one for each data set, where there are several
        assert picture.stem.startswith(name) and picture.read_bytes()[:4] == b"\x89PNG"
        assert 10_000 < picture.stat().st_size < 300_000
        assert mode_of(picture) == "RGB"
    for panel in (panel for figure in drawn for panel in figure.axes):
        for (one, first), (other, second) in combinations(looks(panel).items(), 2):
            assert not first & second, (one, other)


def test_the_arrow_of_the_readme_measures_bound_against_truth(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    drawn: list[Any] = []
    monkeypatch.setattr(style, "save_figure", lambda figure, path, **more: drawn.append(figure))
    run_figure(SCRIPTS["readme"], output=tmp_path, data=results_folder())
    (panel,) = drawn[0].axes
    result = load_result(results_folder() / "experiments" / "theorem_bounds.npz")
    truth, bound = result["theorem 1/exact"][-1], result["theorem 1/bound"][-1]
    (arrow,) = [text for text in panel.texts if getattr(text, "arrow_patch", None) is not None]
    assert sorted((arrow.xy[1], arrow.get_position()[1])) == [truth, bound]
    (words,) = [text.get_text() for text in panel.texts if text.get_text()]
    assert float(words.split("factor ")[1].replace(",", "")) == pytest.approx(bound / truth, rel=0.05)
    assert "truth" in words and np.isfinite(truth)


def test_the_committed_picture_of_the_readme_is_in_full_colour() -> None:
    picture = results_folder() / "figures" / "readme.png"
    assert mode_of(picture) == "RGB" and picture.stat().st_size < 150_000


def test_missing_results_are_named(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="theorem_bounds.npz"):
        run_figure(SCRIPTS["readme"], output=tmp_path / "out", data=tmp_path)
