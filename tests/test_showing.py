"""What every verb returns shows itself: one line, HTML, a data frame, a picture; and progress where a person looks."""

from __future__ import annotations

import io
import sys
import time
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pytest

import fltheory as fl
from fltheory import progress
from fltheory.algorithms import li_main_text
from fltheory.conformance.report import Conformance
from fltheory.plotting.presets import PRESETS
from fltheory.tables import WIDEST, html_table, text_table
from fltheory.theory.li2020 import theorem_1

PROBLEM = fl.QuadraticProblem(np.array([[[2.0, 0], [0, 1]], [[1.0, 0], [0, 3]]]), np.array([[1.0, 0], [0, 1.0]]))
NOISE = fl.AdditiveNoise(0.1)
METHOD = fl.FedAvg(2, 0.1)
DECREASING = fl.FedAvg(2, li_main_text(1.0, 3.0, 2))
_, (ETA,) = fl.rational_functions("eta")
CLASS = fl.SmoothStronglyConvex(mu=0.1, L=1)
TWO = fl.ClientClasses([CLASS, fl.SmoothStronglyConvex(mu=0.2, L=2)])


def _of_step(eta: Any) -> fl.FedAvg:
    return fl.FedAvg(2, eta)


def _run() -> Any:
    return fl.simulate(PROBLEM, DECREASING, rounds=6, runs=4, oracle=NOISE)


def _sweep() -> Any:
    steps = {"local_steps": [1, 2], "step_size": [0.1, 0.2]}
    return fl.sweep(PROBLEM, fl.FedAvg, parameters=steps, rounds=3, seeds=2, oracle=NOISE, progress=False)


#: Answers by verb, with some columns of their frames; all of these are drawn.
VERBS: dict[str, tuple[Callable[[], Any], str]] = {
    "simulate": (_run, "run round gap squared_distance status"),
    "simulate_law": (lambda: fl.simulate_law(PROBLEM, METHOD, rounds=3, oracle=NOISE), "run round gap"),
    "moments": (lambda: fl.moments(PROBLEM, METHOD, rounds=5, oracle=NOISE), "round gap squared_distance variance"),
    "traces": (lambda: fl.moments(PROBLEM, METHOD, rounds=5, keep="traces"), "round gap squared_distance"),
    "stationary": (lambda: fl.stationary(PROBLEM, METHOD, oracle=NOISE), "gap variance status"),
    "certified_fixed_point": (lambda: fl.certified_fixed_point(PROBLEM, METHOD), "coordinate value error"),
    "certified_minimiser": (lambda: fl.certified_minimiser(PROBLEM), "coordinate value error"),
    "bias": (lambda: fl.bias(PROBLEM, METHOD), "coordinate total first second"),
    "round_map": (lambda: fl.round_map(PROBLEM, METHOD), "real imaginary modulus"),
    "linearised": (lambda: fl.linearised(PROBLEM, METHOD), "real imaginary modulus"),
    "trajectory": (lambda: fl.trajectory(PROBLEM, METHOD, rounds=4), "round w0 w1"),
    "stability_limit": (lambda: fl.stability_limit(PROBLEM, _of_step, 1.5), "of low high"),
    "cost": (lambda: fl.cost(PROBLEM, METHOD, rounds=4), "count total least most"),
    "worst_case": (lambda: fl.worst_case(fl.FedAvg(2, 0.5), CLASS), "value upper lower status"),
    "worst_class": (lambda: fl.worst_class(fl.FedAvg(1, 0.5), TWO), "class value upper lower status"),
    "best_step_size": (lambda: fl.best_step_size(lambda eta: fl.FedAvg(1, eta), CLASS), "low high least"),
    "lyapunov": (lambda: fl.lyapunov(fl.FedAvg(2, 0.5), CLASS), "kind name value"),
    "sweep": (_sweep, "local_steps step_size seed round gap"),
    "compare": (lambda: fl.compare(("GD", "FedAvg"), step_size="published", rounds=1), "method rate upper ratio"),
    "applicable": (lambda: fl.applicable(PROBLEM, DECREASING, rounds=6, oracle=NOISE), "key status value ratio"),
}
SAMPLES = [(np.ones((3, 2)), np.array([0, 1, 1])), (np.eye(3, 2), np.array([1, 0, 1]))]
#: What has a line and HTML, but neither columns nor a picture.
SHOWN: dict[str, Callable[[], Any]] = {
    "problem": lambda: PROBLEM,
    "large problem": lambda: fl.li_counterexample(n_clients=20, block=10, ridge=1e-4),
    "softmax": lambda: fl.SoftmaxProblem.from_arrays(SAMPLES, fl.Regulariser(0.1, "lambda|w|^2")),
    "mixed": lambda: fl.MixedProblem(PROBLEM, fl.QuadraticProblem(np.eye(2)[None], np.ones((1, 2)))),
    "scaled": lambda: fl.problems.Scaled(PROBLEM, 0.5),
    "tridiagonal": lambda: fl.li_tridiagonal(3, 2, 0.1),
    "constants": lambda: PROBLEM.constants,
    "constants of softmax": lambda: SHOWN["softmax"]().constants,
    "bound": lambda: theorem_1,
    "claim": lambda: fl.claims["LI-LEM3"],
    "claims": lambda: fl.claims,
    "formula": lambda: fl.worst_case_formula(lambda eta: fl.FedAvg(1, eta)),
    "check": lambda: fl.one_step_check(lambda method, problem, start, rounds: np.zeros((rounds + 1, len(start)))),
    "conformance": lambda: Conformance("FedAvg", "deviation", deviations=("weights 1/N",), tried=3),
    "field": lambda: fl.QuadraticProblem(*(np.array(x, dtype=object) for x in ([[[ETA]]], [[ETA]]))),
    "plan": lambda: fl.plan(PROBLEM, fl.FedAvg, rounds=5, local_steps_grid=(1, 2)),
    "inside rounds": lambda: fl.readings.inside_rounds(PROBLEM, METHOD, rounds=2),
    "diverged": lambda: fl.simulate(PROBLEM, fl.FedAvg(2, 50.0), rounds=90, runs=3),
    "no law": lambda: fl.stationary(PROBLEM, fl.FedAvg(2, 5.0), oracle=NOISE),
    "instance": lambda: answer("worst_case").instance(),
}


@cache
def answer(verb: str) -> Any:
    return VERBS[verb][0]()


@pytest.mark.parametrize("name", [*VERBS, *SHOWN])
def test_an_answer_is_one_line_and_html(name: str) -> None:
    found = answer(name) if name in VERBS else SHOWN[name]()
    line, page = repr(found), found._repr_html_()
    assert "\n" not in line and len(line) < 200 and " at 0x" not in line and "array(" not in line
    assert line.startswith((type(found).__name__ + "(", "<")) and any(letter.isdigit() for letter in line)
    assert page.startswith("<") and page.count("<td>") == page.count("</td>") and len(page) > len(line) // 2


@pytest.mark.parametrize("name", VERBS)
def test_an_answer_becomes_a_frame(name: str) -> None:
    columns = pytest.importorskip("pandas") and answer(name).to_frame().columns
    assert set(VERBS[name][1].split()) <= set(columns)


def test_a_frame_without_pandas_is_refused_in_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ModuleNotFoundError, match=r"to_frame needs pandas.*records\(\)") as caught:
        answer("cost").to_frame()
    assert "\n" not in str(caught.value) and answer("cost").records()


@pytest.mark.parametrize("name", VERBS)
def test_an_answer_is_drawn(name: str) -> None:
    axes = fl.plot(answer(name))
    assert axes.get_legend() is not None and axes.get_xlabel()
    assert axes.lines or axes.collections or axes.patches
    assert axes._repr_png_().startswith(b"\x89PNG")


def test_lists_and_labels_share_axes() -> None:
    runs = fl.simulate_batch(PROBLEM, [_of_step(0.1), _of_step(0.2)], rounds=4, runs=3, oracle=NOISE)
    words = fl.plot(runs).get_legend_handles_labels()[1]
    assert len(words) == 2 and "0.1" in words[0] and "0.2" in words[1]
    map_ = answer("round_map")
    axes = fl.plot({"one": map_, "other": fl.round_map(PROBLEM, _of_step(0.3))})
    assert axes.get_legend_handles_labels()[1] == ["one", "other"]
    assert fl.plot(map_, axes=axes) is axes


def test_an_object_of_ones_own_draws_itself() -> None:
    class Own:
        def draw_in(self, panel: Any, label: str) -> None:
            panel.plot([0, 1], [1, 2], label=label or "own")

    assert fl.plot(Own()).get_legend_handles_labels()[1] == ["own"]
    for wrong in (Own, 3, np.eye(2)):
        with pytest.raises(ValueError, match="run="):
            fl.plot(wrong)


def test_bounds_are_named_in_the_legend_and_stand_beside_runs_only() -> None:
    known = {"problem": PROBLEM, "algorithm": DECREASING, "oracle": NOISE}
    words = fl.plot(answer("simulate"), theorem_1, **known).get_legend_handles_labels()[1]
    assert theorem_1.source in words
    with pytest.raises(ValueError, match="beside runs"):
        fl.plot(answer("cost"), theorem_1)


@pytest.mark.parametrize("preset", PRESETS)
def test_a_preset_changes_the_sizes(preset: str) -> None:
    axes, wanted = fl.plot(answer("simulate"), preset=preset), PRESETS[preset]
    assert tuple(axes.figure.get_size_inches()) == wanted.size and axes.figure.dots == wanted.dpi
    assert axes.xaxis.label.get_fontsize() == axes.get_legend().get_texts()[0].get_fontsize() == wanted.font
    assert axes.get_lines()[0].get_linewidth() == pytest.approx(1.4 * wanted.lines)


def test_size_and_dots_are_ones_own(tmp_path: Any) -> None:
    image = pytest.importorskip("PIL.Image")
    fl.plot(answer("cost"), size=(3, 2), dpi=50, path=tmp_path / "a.png")
    with image.open(tmp_path / "a.png") as picture:
        assert picture.size == (150, 100)
    for wrong in ({"preset": "poster"}, {"size": (1,)}, {"size": (0, 2)}, {"dpi": 0}, {"size": "big"}):
        with pytest.raises(ValueError, match=next(iter(wrong))):
            fl.plot(answer("cost"), **wrong)


def test_cells_are_escaped_and_columns_aligned() -> None:
    assert html_table(("a",), [("x < y & <b>",)]) == (
        "<table><tr><th>a</th></tr><tr><td>x &lt; y &amp; &lt;b&gt;</td></tr></table>"
    )
    assert text_table(("a", "bb"), [("long", "1")]) == ["a     bb", "long  1"]
    assert WIDEST == 160


class _Screen(io.StringIO):
    def isatty(self) -> bool:
        return True


@progress.tells("question", by="note")
def _question(*, progress: Any = None) -> int:
    if progress is not None:
        progress("half way")
    time.sleep(0.15)
    return 3


@pytest.mark.parametrize(
    ("screen", "said", "asked", "told"),
    [
        (True, "", None, True),
        (True, "0", None, False),
        (True, "", False, False),
        (False, "", None, False),
        (False, "1", None, True),
        (False, "", True, True),
    ],
)
def test_progress_is_told_where_a_person_looks(
    screen: bool, said: str, asked: bool | None, told: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    stream = _Screen() if screen else io.StringIO()
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.setattr(progress, "SILENCE", 0.05)
    monkeypatch.setenv(progress.VARIABLE, said)
    assert _question(progress=asked) == 3
    assert ("question" in stream.getvalue() and "half way" in stream.getvalue()) == told
    assert bool(stream.getvalue()) == told
    if told and screen:
        assert stream.getvalue().endswith(" \r")  # the line is gone


def test_a_callers_own_progress_takes_the_place_of_the_line(monkeypatch: pytest.MonkeyPatch) -> None:
    stream, heard = _Screen(), []
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.setattr(progress, "SILENCE", 0.05)
    _question(progress=heard.append)
    assert heard == ["half way"] and not stream.getvalue()


def test_progress_does_not_change_bits(monkeypatch: pytest.MonkeyPatch) -> None:
    quiet = fl.simulate(PROBLEM, METHOD, rounds=20, runs=3, oracle=NOISE, progress=False)
    monkeypatch.setenv(progress.VARIABLE, "1")
    told = fl.simulate(PROBLEM, METHOD, rounds=20, runs=3, oracle=NOISE)
    assert np.array_equal(quiet.gap, told.gap) and quiet.engine == told.engine
