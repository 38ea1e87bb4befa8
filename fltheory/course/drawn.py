"""A lesson's panel as a picture of Matplotlib, from the same formulas and the same kept points as the page."""

from __future__ import annotations

from typing import Any

import numpy as np

from fltheory.course.compute import values
from fltheory.course.shelf import kept, lesson


def draw(number: int, place: int = 0, *, axes: Any = None, **sliders: float) -> Any:
    """Draw panel ``place`` of a lesson at values of its sliders (those not given stand where they start).

    Returns
    -------
    matplotlib.axes.Axes

    Raises
    ------
    ValueError : no such lesson or panel; a slider that the panel has not, or a value that it does not take.
    """
    panels = lesson(number).panels
    if not 0 <= place < len(panels):
        raise ValueError(f"panel={place} of lesson {number}; expected one of {', '.join(map(str, range(len(panels))))}")
    panel = panels[place]
    known = {slider.name: slider for slider in panel.sliders}
    at = {name: slider.values[slider.start] for name, slider in known.items()}
    places = {name: slider.start for name, slider in known.items()}
    for name, value in sliders.items():
        if name not in known or value not in known[name].values:
            raise ValueError(f"{name}={value!r} is no position of a slider; expected {_positions(known)}")
        at[name], places[name] = value, known[name].values.index(value)
    if axes is None:
        from matplotlib.figure import Figure

        axes = Figure(figsize=(6.4, 3.8), layout="constrained").subplots()
    colours = ("#0b4f8a", "#b3541e", "#1b5e35", "#6a3d9a")
    for k, curve in enumerate(panel.curves):
        ys = values(curve.formula, **at, **{panel.x: np.asarray(panel.xs)})
        axes.plot(panel.xs, ys, "--" if curve.bound else "-", color=colours[k], label=curve.label)
    for k, exact in enumerate(panel.exact):
        own = ",".join(str(places[slider.name]) for slider in panel.sliders if slider.name in exact.sliders)
        ys = [np.nan if y is None else y for y in kept(number)["panels"][place][k][own]]
        colour = colours[len(panel.curves) + k]
        axes.plot(
            panel.xs, ys, "os"[k % 2], color=colour, fillstyle="none", label=f"{exact.label} ({exact.by})", markersize=4
        )
    axes.set(title=panel.title, xlabel=panel.x_label, ylabel=panel.y_label)
    if panel.logs:
        axes.set_yscale("log")
    axes.legend(fontsize=8)
    return axes


def _positions(known: dict[str, Any]) -> str:
    return "; ".join(f"{name} in {', '.join(f'{v:g}' for v in slider.values)}" for name, slider in known.items())
