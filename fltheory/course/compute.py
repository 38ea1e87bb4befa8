"""What a lesson needs computed once: exact curves over all positions of their sliders, and samples for the check."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import sympy as sp

from fltheory.course.parts import ExactCurve, Exercise, Lesson, LessonPanel

#: Points at which an answer is compared.
POINTS = 24


def formula(text: str) -> Any:
    """A lesson's formula as a SymPy expression; letters are real, names of functions are SymPy's."""
    names = {name: sp.Symbol(name, real=True) for name in ("E", "N", "S", "Q", "I", "beta", "gamma", "zeta")}
    return sp.sympify(text, locals=names)


def values(text: str, **numbers: Any) -> Any:
    """A formula at numbers or arrays that broadcast."""
    expression = formula(text)
    letters = sorted(expression.free_symbols, key=str)
    function = sp.lambdify(letters, expression, "numpy")
    with np.errstate(all="ignore"):
        found = function(*(np.asarray(numbers[str(letter)], dtype=float) for letter in letters))
    return np.broadcast_to(
        np.asarray(found, dtype=float), np.broadcast_shapes(*(np.shape(n) for n in numbers.values()))
    )


def _short(value: float) -> float | None:
    return float(f"{value:.7g}") if math.isfinite(value) else None


def exact_curve(panel: LessonPanel, curve: ExactCurve) -> dict[str, list[float | None]]:
    """The curve for every position of its sliders, by their places joined with commas."""
    own = [slider for slider in panel.sliders if slider.name in curve.sliders]
    found = {}
    for places in itertools.product(*(range(len(slider.values)) for slider in own)):
        at = {slider.name: slider.values[place] for slider, place in zip(own, places, strict=True)}
        found[",".join(map(str, places))] = [_short(float(y)) for y in curve.values(panel.xs, **at)]
    return found


def samples(exercise: Exercise, seed: int) -> dict[str, Any]:
    """Points, the right values there, and the values of the usual wrong answers with their hints."""
    rng = np.random.default_rng(seed)
    columns = {}
    for name, (low, high) in exercise.letters.items():
        drawn = rng.uniform(low, high, POINTS)
        columns[name] = np.floor(rng.uniform(low, high + 1, POINTS)) if name in exercise.whole else np.round(drawn, 3)
    right = values(exercise.right, **columns)
    if not np.isfinite(right).all():
        raise ValueError(f"{exercise.right} is not finite at every point of its ranges")
    wrong = [{"values": [_full(v) for v in values(text, **columns)], "hint": hint} for text, hint in exercise.wrong]
    points = [[float(columns[name][i]) for name in columns] for i in range(POINTS)]
    return {"letters": list(columns), "points": points, "right": [float(v) for v in right], "wrong": wrong}


def _full(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None


def computed(lesson: Lesson) -> dict[str, Any]:
    """All that is kept of a lesson."""
    return {
        "panels": [[exact_curve(panel, curve) for curve in panel.exact] for panel in lesson.panels],
        "exercise": samples(lesson.exercise, lesson.number),
    }
