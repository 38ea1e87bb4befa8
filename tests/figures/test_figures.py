"""Every figure is drawn from the committed results."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest
from matplotlib.colors import to_hex
from matplotlib.text import Text
from matplotlib.transforms import Bbox
from PIL import Image

import fltheory as fl
import fltheory.plotting
from fltheory import experiments
from fltheory.evidence.places import results_folder, scripts_root
from fltheory.experiments import load_result
from fltheory.experiments.readers import claims_reading
from fltheory.experiments.scripts import named_scripts, run_figure
from fltheory.plotting import gallery, sheet, vision

SCRIPTS = named_scripts("figures")
LEDGER = json.loads((results_folder() / "ledger" / "ledger.json").read_text(encoding="utf-8"))["rows"]
#: The least distance of neighbours in CIELAB, in every way of seeing.
APART = 9.0


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


def drawn_by(name: str, folder: Path, monkeypatch: pytest.MonkeyPatch, data: Path | None = None) -> list[Any]:
    """The figures of a script, drawn into a folder."""
    figures: list[Any] = []
    plain = sheet.save_figure

    def save(figure: Any, path: Any, **more: Any) -> Path:
        if figure not in figures:
            figures.append(figure)
        return plain(figure, path, **more)

    with monkeypatch.context() as patch:
        patch.setattr(sheet, "save_figure", save)
        run_figure(SCRIPTS[name], output=folder, data=data or results_folder())
    return figures


def words_of(figure: Any) -> list[Any]:
    """All texts that are seen, ticks, legends and titles among them."""
    panels = [each for panel in figure.axes for each in (panel, *panel.child_axes)]
    found = [word for word in figure.findobj(Text) if word.get_visible() and word.get_text().strip()]
    ticks = {id(t.label1): t for panel in panels for axis in (panel.xaxis, panel.yaxis) for t in axis.get_major_ticks()}
    inside = []
    for word in found:
        tick = ticks.get(id(word))
        if tick is not None:
            low, high = sorted(tick.axes.get_xlim() if word in tick.axes.get_xticklabels() else tick.axes.get_ylim())
            if not low <= tick.get_loc() <= high:
                continue
        inside.append(word)
    return inside


@pytest.mark.parametrize("name", SCRIPTS)
def test_figure(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Three formats and a caption; type, edges, legends, looks and colours are as the page says."""
    figures = drawn_by(name, tmp_path, monkeypatch)
    names = [figure.fltheory_caption.name for figure in figures]
    assert name in names and all(each.startswith(name) for each in names)
    assert {path.name for path in tmp_path.iterdir()} == {n + e for n in names for e in (".pdf", ".svg", ".png", ".md")}
    for path in tmp_path.iterdir():
        assert path.suffix == ".md" or path.stat().st_size > 5_000
    for each, figure in zip(names, figures, strict=True):
        with Image.open(tmp_path / f"{each}.png") as image:
            assert image.mode == "RGB" and image.width == round(sheet.WIDTH * sheet.DOTS)
        check_title(figure, (tmp_path / f"{each}.md").read_text())
        check_type(figure)
        for panel in figure.axes:
            assert panel.has_data(), "a blank panel"
            for (label, first), (beside, second) in combinations(looks(panel).items(), 2):
                assert not first & second, (label, beside)
            check_colours(panel)


@pytest.mark.parametrize("name", ["readme", "figure_1c_1d_4", "theorem_bounds"])
def test_the_same_bytes_twice(name: str, tmp_path: Path) -> None:
    one, other = tmp_path / "one", tmp_path / "other"
    for folder in (one, other):
        run_figure(SCRIPTS[name], output=folder, data=results_folder())
    for path in one.iterdir():
        assert path.read_bytes() == (other / path.name).read_bytes(), path.name


def check_title(figure: Any, caption: str) -> None:
    """The title is the sentence of the caption, is shown by the data, and is not the setting."""
    told = figure.fltheory_caption
    assert " ".join(figure.get_suptitle().split()) == " ".join(told.finding.split())
    assert not told.finding.startswith(sheet.UNSHOWN) and told.finding != told.setting
    assert len(told.finding.split()) > 6 and "TODO" not in caption
    for part in ("- Setting: ", "- Data: `results/", "eplicates", "eed", "- Claims: "):
        assert part in caption, part
    known = {row["id"].partition("[")[0] for row in LEDGER} | {row["id"] for row in LEDGER}
    assert set(told.claims) <= known


def check_type(figure: Any) -> None:
    """No type is too small or cut off, no legend lies on a panel, no words of a panel on its lines."""
    assert figure.get_size_inches()[0] == sheet.WIDTH
    figure.dpi = sheet.DOTS
    figure.draw_without_rendering()
    page = figure.bbox
    for word in words_of(figure):
        box = word.get_window_extent()
        assert word.get_fontsize() >= sheet.SMALLEST, word.get_text()
        assert box.x0 >= page.x0 - 1 and box.y0 >= page.y0 - 1, word.get_text()
        assert box.x1 <= page.x1 + 1 and box.y1 <= page.y1 + 1, word.get_text()
    legends = [*figure.legends, *(panel.get_legend() for panel in figure.axes if panel.get_legend())]
    for legend in legends:
        for panel in figure.axes:
            assert not Bbox.intersection(legend.get_window_extent(), panel.bbox), "a legend lies on a panel"
    for panel in figure.axes:
        for word in panel.texts:
            if word.get_text():
                box = word.get_window_extent()
                for line in panel.get_lines():
                    if not str(line.get_label()).startswith("_") and line.get_linestyle() != "None":
                        path = line.get_transform().transform_path(line.get_path())
                        assert not path.intersects_bbox(box, filled=False), word.get_text()


def check_colours(panel: Any) -> None:
    """Lines of one style and mark that have other labels are told apart by everybody, and from the paper."""
    lines = [line for line in panel.get_lines() if not str(line.get_label()).startswith("_") and len(line.get_xdata())]
    for line in lines:
        assert min(vision.distance(to_hex(line.get_color()), "#ffffff", way) for way in vision.WAYS) > 15
    for one, other in combinations(lines, 2):
        alike = (one.get_linestyle(), one.get_marker()) == (other.get_linestyle(), other.get_marker())
        if alike and one.get_label() != other.get_label() and one.get_linewidth() == other.get_linewidth():
            apart = vision.least_distance(to_hex(one.get_color()), to_hex(other.get_color()))
            assert apart >= APART, (one.get_label(), other.get_label(), apart)


def test_the_checks_of_layout_and_colours_can_fail(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (figure,) = drawn_by("readme", tmp_path, monkeypatch)
    check_type(figure)
    (panel,) = figure.axes
    word = panel.text(0.5, 0.5, "small", fontsize=5, transform=panel.transAxes)
    with pytest.raises(AssertionError, match="small"):
        check_type(figure)
    word.set(fontsize=8, x=1.3, text="cut")
    with pytest.raises(AssertionError, match="cut"):
        check_type(figure)
    word.remove()
    legend = panel.legend(loc="center")
    with pytest.raises(AssertionError, match="a legend lies on a panel"):
        check_type(figure)
    legend.remove()
    line = next(line for line in panel.get_lines() if "improved" in str(line.get_label()))
    line.set_color("#333333")
    with pytest.raises(AssertionError, match="improved"):
        check_colours(panel)


def test_a_title_that_the_data_do_not_show_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "results" / "experiments"
    shutil.copytree(results_folder() / "experiments", folder)
    kept = load_result(folder / "theorem_bounds.npz")
    arrays = dict(kept.arrays)
    arrays["theorem 1/bound"] = arrays["theorem 1/exact"] / 2
    monkeypatch.setattr(experiments, "load_result", lambda path: replace(kept, arrays=arrays))
    for name in ("readme", "theorem_bounds"):
        (figure,) = drawn_by(name, tmp_path / name, monkeypatch, folder.parent)
        assert figure.fltheory_caption.finding.startswith(sheet.UNSHOWN)


def test_a_class_of_ones_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The comparison is asked for the class; the kept one stands in for its answer, which takes two minutes."""
    asked, answer = [], fl.compare

    def quick(*methods: Any, function_class: Any, kept: Any, **more: Any) -> Any:
        asked.append((function_class, kept))
        return answer(*methods, **more)

    mine = fl.SmoothStronglyConvex(mu="1/4", L=1)
    monkeypatch.setattr(fl, "compare", quick)
    assert len(fltheory.plotting.figure("compare", own=mine, output=tmp_path)) == 4
    assert asked == [(mine, False)] * 3 and "a class of one's own" in (tmp_path / "compare.md").read_text("utf-8")


def test_a_mixed_problem_of_ones_own(tmp_path: Path) -> None:
    one = fl.QuadraticProblem([[[1.0]], [[2.0]]], [[1.0], [0.0]])
    both = fl.MixedProblem(one, fl.QuadraticProblem([[[0.5]]], [[-1.0]]))
    assert len(fltheory.plotting.figure("mixed_stability", own=both, output=tmp_path)) == 4
    assert "Not shown" not in (tmp_path / "mixed_stability.md").read_text("utf-8")
    with pytest.raises(ValueError, match="expected a MixedProblem"):
        fltheory.plotting.figure("mixed_stability", own=one, output=tmp_path)


def test_a_problem_of_ones_own(tmp_path: Path) -> None:
    mine = fl.li_counterexample(n_clients=3, block=2, ridge=2.0)
    for name in ("figure_2", "fixed_point_bias"):
        assert len(fltheory.plotting.figure(name, own=mine, output=tmp_path)) == 4
        told = (tmp_path / f"{name}.md").read_text("utf-8")
        assert "computed for a problem of one's own" in told and "Not shown" not in told
    paths = fltheory.plotting.figure("readme", own=mine, output=tmp_path)
    assert sorted(path.suffix for path in paths) == [".md", ".pdf", ".png", ".svg"]
    assert "computed for a problem of one's own" in (tmp_path / "readme.md").read_text()
    with pytest.raises(ValueError, match="committed results only"):
        fltheory.plotting.figure("audit", own=mine, output=tmp_path)
    with pytest.raises(ValueError, match="name='nothing'"):
        fltheory.plotting.figure("nothing", output=tmp_path)


def test_the_gallery_is_of_todays_results() -> None:
    page = (scripts_root() / "docs" / "figures.md").read_text(encoding="utf-8")
    pictures = sorted((scripts_root() / "docs" / "figures").glob("*.png"))
    assert sum(picture.stat().st_size for picture in pictures) < 1_500_000
    parts = page.partition(gallery.BEGIN)[2].split("\n### ")[1:]
    assert [part.partition("\n")[0] for part in parts] == [picture.stem for picture in pictures]
    assert set(SCRIPTS) <= {picture.stem for picture in pictures}
    for part in parts:
        source = part.partition("- Data: `results/")[2].partition("`")[0]
        assert f"- Digest of the data: {gallery.digest(source)}" in part, part[:40]


def test_the_arrows_of_the_readme_measure_bounds_against_truth(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (figure,) = drawn_by("readme", tmp_path, monkeypatch)
    (panel,) = figure.axes
    result = load_result(results_folder() / "experiments" / "theorem_bounds.npz")
    truth = result["theorem 1/exact"][-1]
    arrows = [text for text in panel.texts if getattr(text, "arrow_patch", None) is not None]
    told = [text.get_text() for text in panel.texts if text.get_text()]
    for arrow, words, name in zip(arrows, told, ("improved", "bound"), strict=True):
        bound = result[f"theorem 1/{name}"][-1]
        assert sorted((arrow.xy[1], arrow.get_position()[1])) == [truth, bound]
        assert float(words.split(" times")[0].replace(",", "")) == pytest.approx(bound / truth, rel=0.05)


def test_the_committed_picture_of_the_readme_is_in_full_colour() -> None:
    picture = results_folder() / "figures" / "readme.png"
    assert mode_of(picture) == "RGB" and picture.stat().st_size < 150_000


def test_missing_results_are_named(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="theorem_bounds.npz"):
        run_figure(SCRIPTS["readme"], output=tmp_path / "out", data=tmp_path)


def test_claims_are_read_off_the_checks() -> None:
    assert "LI-FIG1A.1" in claims_reading("figure_1a") and "LI-FIG1B/3.1" in claims_reading("figure_1b_3")
    assert claims_reading("no such results file") == ()
