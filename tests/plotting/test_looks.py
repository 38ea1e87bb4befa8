"""Labels of one figure are told apart, pictures show in notebooks, files are whole and honest about runs that diverged."""

from __future__ import annotations

import io
import os
import re
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from typing import Any

import matplotlib
import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from PIL import Image

import fltheory as fl
from fltheory.plotting import color_of, new_figure, plot, save_figure
from fltheory.plotting.looks import look_of
from fltheory.plotting.palette import LOCAL_STEPS, NAMED, OTHERS
from fltheory.plotting.style import draw_bound, draw_exact, draw_measured
from fltheory.problems.quadratic import QuadraticProblem
from fltheory.simulate.expectation import Known

SAMPLED = QuadraticProblem(
    np.stack([np.eye(3)] * 3), np.eye(3) * [[1.0], [0.0], [0.0]], weights=np.array([0.98, 0.01, 0.01])
)
HEAVY = fl.FedAvg(5, 0.05, fl.SchemeII(1))


def run_of(algorithm: Any = HEAVY, **more: Any) -> Any:
    return fl.simulate(SAMPLED, algorithm, **{"rounds": 20, "runs": 20, "backend": "numpy", **more})


def colours_and_styles(panel: Any) -> list[tuple[str, str, str]]:
    return [(str(line.get_color()), str(line.get_linestyle()), str(line.get_marker())) for line in panel.get_lines()]


def test_two_labels_with_one_checksum_have_two_colours() -> None:
    names = [f"method {i}" for i in range(40)]
    one, other = next((a, b) for a, b in combinations(names, 2) if color_of(a) == color_of(b))
    run = run_of()
    lines = plot({one: run, other: run, "FedProx": run}).get_lines()
    colours = {
        line.get_label().split(":")[0]: line.get_color() for line in lines if "exact" not in str(line.get_label())
    }
    assert colours[one] == color_of(one) and len(set(colours.values())) == 3


def test_named_labels_of_one_colour_are_told_apart() -> None:
    for one, other in combinations(NAMED, 2):
        _, axes = new_figure()
        assert look_of(axes[0, 0], one) != look_of(axes[0, 0], other)
        assert look_of(axes[0, 0], one).color == NAMED[one]
    assert len(set(LOCAL_STEPS.values())) == len(LOCAL_STEPS)


def test_more_labels_than_colours_get_marks() -> None:
    _, axes = new_figure(1, 2)
    names = [f"method {i}" for i in range(40)]
    for i, name in enumerate(names):
        draw_measured(axes[0, i % 2], [0, 1], [i, i + 1], label=name)
    found = [look for panel in axes.flat for look in colours_and_styles(panel)]
    assert len(set(found)) == 40 and len({color for color, _, _ in found}) > len(OTHERS)
    draw_measured(axes[0, 1], [0, 1], [9, 8], label=names[0])
    assert axes[0, 1].get_lines()[-1].get_color() == axes[0, 0].get_lines()[0].get_color()


def test_a_given_colour_is_taken_by_its_label() -> None:
    _, axes = new_figure()
    draw_bound(axes[0, 0], [0, 1], [1, 2], "bound", color="#0072B2")
    draw_exact(axes[0, 0], [0, 1], [1, 2])
    draw_measured(axes[0, 0], [0, 1], [1, 2])  # its own colour is taken
    assert len({line.get_color() for line in axes[0, 0].get_lines()}) == 3


def test_a_picture_shows_itself_in_a_notebook() -> None:
    axes = plot(run_of())
    shown, figure = axes._repr_png_(), axes.figure
    with Image.open(io.BytesIO(shown)) as image:
        assert image.format == "PNG" and min(image.size) > 300
    assert isinstance(figure, Figure) and isinstance(figure.canvas, FigureCanvasAgg)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("", "is a folder"),
        ("folder", "is a folder"),
        ("folder/", "is a folder"),
        ("new/", "is a folder"),
        ("picture", "ends in ''"),
        ("picture.jpg", "ends in '.jpg'"),
        ("picture.npz", "ends in '.npz'"),
        ("file.txt/picture.png", "is a file; expected a folder"),
    ],
)
def test_paths_of_pictures_are_checked_before_anything_is_drawn(
    name: str, said: str, tmp_path: Path, monkeypatch: Any
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder").mkdir()
    (tmp_path / "file.txt").write_text("text")
    before = sorted(tmp_path.rglob("*"))
    figure, _ = new_figure()
    for write in (lambda: save_figure(figure, name), lambda: plot(run_of(), path=name)):
        with pytest.raises(ValueError, match=re.escape(said)):
            write()
    assert sorted(tmp_path.rglob("*")) == before


def test_a_file_that_cannot_be_written_is_an_error_in_words(tmp_path: Path, monkeypatch: Any) -> None:
    figure, _ = new_figure()

    def full(*_: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    with pytest.raises(ValueError, match=r"picture.png' cannot be written: No space left on device"):
        save_figure(figure, tmp_path / "picture.png")
    assert not list(tmp_path.iterdir())


def test_fonts_are_text_and_colours_are_whole(tmp_path: Path) -> None:
    own = ("pdf.fonttype", "ps.fonttype", "font.size", "svg.hashsalt", "svg.fonttype")
    before = [matplotlib.rcParams[name] for name in own]

    def figure() -> Any:
        made, axes = new_figure()
        axes[0, 0].imshow(np.arange(10_000).reshape(100, 100), cmap="viridis", interpolation="bilinear")
        axes[0, 0].set_xlabel(r"rounds $r$")
        return made

    pdf = save_figure(figure(), tmp_path / "a.pdf").read_bytes()
    assert b"/Type3" not in pdf and b"/FontFile2" in pdf
    assert pdf == save_figure(figure(), tmp_path / "b.pdf").read_bytes()
    with Image.open(save_figure(figure(), tmp_path / "sub" / "a.png")) as image:
        colours = image.getcolors(1_000_000)
        assert image.mode == "RGB" and colours is not None and len(colours) > 256
    assert [matplotlib.rcParams[name] for name in own] == before


def test_heavy_tails_are_hatched_named_and_stand_beside_the_exact_expectation() -> None:
    run = run_of(rounds=60, runs=50)
    panel = plot(run)
    labels = {str(line.get_label()): line for line in panel.get_lines()}
    told = next(label for label in labels if label.startswith("simulation"))
    assert told == "simulation: median and 95% of the runs\n(the mean is not estimated; heavy tails)"
    np.testing.assert_array_equal(labels["exact expectation"].get_ydata(), run.known.gap)
    (shade,) = panel.collections
    assert shade.get_hatch() and told in {text.get_text() for text in panel.get_legend().get_texts()}


def test_problem_and_algorithm_check_a_run_that_knows_nothing(tmp_path: Path) -> None:
    run = run_of(rounds=8, runs=100)
    silent = replace(run, expectation=Known(reason="nothing"))
    told = [
        {str(line.get_label()).split(":")[0] for line in plot(silent, **more).get_lines()}
        for more in ({"problem": SAMPLED, "algorithm": HEAVY}, {"exact": fl.moments(SAMPLED, HEAVY, rounds=8)})
    ]
    assert told[0] == told[1] == {"simulation", "exact expectation"}


def test_runs_that_diverged_end_in_crosses_and_are_counted() -> None:
    run = run_of(rounds=60, runs=30, divergence_threshold=20.0)
    gone = sum(status.startswith("diverged") for status in run.status)
    assert 0 < gone < 30
    panel = plot(run)
    (crosses,) = [line for line in panel.get_lines() if line.get_marker() == "x"]
    ends = [int(status.split()[-1]) - 1 for status in run.status if status.startswith("diverged")]
    assert sorted(crosses.get_xdata()) == sorted(ends) and np.isfinite(crosses.get_ydata()).all()
    assert f"{gone} of 30 runs diverged, crosses" in str(panel.get_legend().get_texts()[0].get_text())
    panel = plot(run_of(fl.FedAvg(2, 2.5), runs=1, rounds=60))
    assert "diverged at round" in str(panel.get_lines()[0].get_label())
    assert [line.get_marker() for line in panel.get_lines()].count("x") == 1


def test_an_expectation_beyond_the_floats_is_marked() -> None:
    exact = fl.moments(SAMPLED, HEAVY, rounds=1500)
    assert exact.status == "diverged"
    panel = plot(run_of(rounds=1500, runs=10), exact=exact)
    labels = [str(line.get_label()) for line in panel.get_lines()]
    assert "exact expectation (grows beyond all floats, cross)" in labels
    (cross,) = [line for line in panel.get_lines() if line.get_marker() == "x"]
    assert cross.get_xdata()[0] == exact.rounds[-1]
