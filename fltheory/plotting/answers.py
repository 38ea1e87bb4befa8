"""What the verbs return, drawn: one way for each kind of answer, and a default that says something."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from fltheory.plotting.certified import applicable, best, comparison, lyapunov, sweep, worst
from fltheory.plotting.looks import look_of
from fltheory.plotting.style import draw_bound, draw_exact

Drawing = Callable[[Any, Any, str], None]
ROUNDS = r"communication rounds  $r$"
#: Coordinates of a trajectory that are drawn, each with a line.
MOST_LINES = 6


def moments(panel: Any, found: Any, label: str) -> None:
    """E F - F* and E |w - w*|^2 by round, dotted."""
    beside = f"{label}: " if label else ""
    rounds = np.asarray(found.rounds)
    draw_exact(panel, rounds, np.asarray(found.gap, dtype=np.float64), beside + r"$\mathbb{E}\,F(w)-F^*$, exact")
    distance = np.asarray(found.squared_distance, dtype=np.float64)
    draw_exact(panel, rounds, distance, beside + r"$\mathbb{E}\,\|w-w^*\|^2$, exact")
    panel.set(xlabel=ROUNDS, ylabel="exact expectations", yscale="log")


def stationary(panel: Any, found: Any, label: str) -> None:
    """Mean and standard deviation of each coordinate of the law, beside the minimiser."""
    if not found.exists:
        panel.text(0.5, 0.5, f"no stationary law: {found.status}", ha="center", transform=panel.transAxes)
        return
    mean = np.asarray(found.mean, dtype=np.float64)
    spread = np.sqrt(np.diag(np.asarray(found.covariance, dtype=np.float64)))
    _coordinates(panel, mean, spread, label or "stationary law: mean and standard deviation")
    target = np.asarray(found.minimiser, dtype=np.float64)
    panel.plot(np.arange(len(target)), target, "x", color="#222222", label=r"minimiser $w^*$")


def point(panel: Any, found: Any, label: str) -> None:
    """A fixed point, coordinate by coordinate, with its proved error."""
    values = np.asarray(getattr(found, "point", found), dtype=np.float64)
    error = getattr(found, "error_bound", None)
    told = label or "fixed point" + (f", error at most {error:.1e}" if error is not None else "")
    _coordinates(panel, values, np.full(len(values), error or 0.0), told)


def bias(panel: Any, found: Any, label: str) -> None:
    """The length of the bias against the step size: to first and second order, and what it is at the step size."""
    steps = np.linspace(0, 1.5 * found.step_size, 60)
    zeroth, first, second = (np.asarray(part)[:, None] for part in (found.zeroth, found.first, found.second))
    draw_bound(panel, steps, np.linalg.norm(zeroth + first * steps, axis=0), "to first order")
    draw_exact(panel, steps, np.linalg.norm(zeroth + first * steps + second * steps**2, axis=0), "to second order")
    own = label or "bias of the fixed point"
    panel.plot([found.step_size], [np.linalg.norm(found.total)], "o", color=look_of(panel, own).color, label=own)
    panel.set(xlabel=r"step size  $\eta$", ylabel=r"$\|w_\infty - w^*\|$")


def spectrum(panel: Any, found: Any, label: str) -> None:
    """Eigenvalues of a round in the complex plane, with the unit circle."""
    values = np.asarray(getattr(found, "map", found).eigenvalues())
    turn = np.linspace(0, 2 * np.pi, 200)
    panel.plot(np.cos(turn), np.sin(turn), color="#999999", linewidth=0.9, label="_")
    told = label or f"eigenvalues of a round, spectral radius {float(np.abs(values).max(initial=0.0)):.4g}"
    panel.plot(values.real, values.imag, "o", color=look_of(panel, told).color, markersize=4.5, label=told)
    panel.set(xlabel=r"$\mathrm{Re}\,\lambda$", ylabel=r"$\mathrm{Im}\,\lambda$", aspect="equal")


def trajectory(panel: Any, found: Any, label: str) -> None:
    """The path in the plane, or each of the first coordinates by round."""
    models = np.asarray(found.models, dtype=np.float64)
    beside = f"{label}: " if label else ""
    if models.shape[1] == 2:
        told = beside + "models of the server"
        color = look_of(panel, told).color
        panel.plot(models[:, 0], models[:, 1], "-", marker="o", markersize=3, color=color, label=told)
        panel.plot(models[-1:, 0], models[-1:, 1], "s", color=color, label="_")
        panel.set(xlabel=r"$w_0$", ylabel=r"$w_1$")
        return
    rounds = np.arange(len(models))
    for i in range(min(models.shape[1], MOST_LINES)):
        told = f"{beside}$w_{{{i}}}$"
        panel.plot(rounds, models[:, i], color=look_of(panel, told).color, label=told)
    panel.set(xlabel=ROUNDS, ylabel="coordinates of the server's model")


def stability(panel: Any, found: Any, label: str) -> None:
    """The stable step sizes of mean and mean square, as bars."""
    beside = f"{label}: " if label else ""
    places, names = [], []
    for place, (name, intervals) in enumerate(
        (("mean", found.mean_intervals), ("mean square", found.mean_square_intervals))
    ):
        color = look_of(panel, beside + name).color
        for k, (low, high) in enumerate(intervals):
            told = f"{beside}{name} stable up to {high:.4g}" if not k else "_"
            panel.barh(place, high - low, left=low, height=0.5, color=color, label=told)
        places.append(place)
        names.append(name)
    panel.set(xlabel=r"step size  $\eta$", yticks=places, yticklabels=names, xlim=(0, found.upper), ylim=(1.6, -0.6))


def cost(panel: Any, found: Any, label: str) -> None:
    """What all rounds send and compute, a bar for each count."""
    rows = [row for row in found.records() if row["total"]]
    names = [row["count"].replace("_", " ") for row in rows]
    told = label or f"{found.rounds} rounds"
    panel.barh(range(len(rows)), [row["total"] for row in rows], color=look_of(panel, told).color, label=told)
    panel.set(xlabel="vectors and gradients in all", yticks=range(len(rows)), yticklabels=names)
    panel.invert_yaxis()


def _coordinates(panel: Any, values: Any, spread: Any, told: str) -> None:
    color = look_of(panel, told).color
    panel.errorbar(np.arange(len(values)), values, spread, fmt="o", color=color, markersize=4, capsize=2, label=told)
    panel.set(xlabel="coordinate", ylabel="value")
    panel.xaxis.get_major_locator().set_params(integer=True)


#: The classes of answers by where they are defined: none of them is imported to draw another.
DRAWINGS: dict[str, Drawing] = {
    "fltheory.readings.moments.Moments": moments,
    "fltheory.readings.traces.MomentTraces": moments,
    "fltheory.readings.stationary_law.Stationary": stationary,
    "fltheory.readings.certified_points.CertifiedPoint": point,
    "numpy.ndarray": point,
    "fltheory.readings.biases.Bias": bias,
    "fltheory.readings.round_map.RoundMap": spectrum,
    "fltheory.readings.linearised.Linearised": spectrum,
    "fltheory.readings.trajectory.Trajectory": trajectory,
    "fltheory.readings.stability.StabilityLimit": stability,
    "fltheory.readings.cost.Cost": cost,
    "fltheory.worstcase.answer.WorstCase": worst,
    "fltheory.worstcase.worst_class.WorstClass": worst,
    "fltheory.worstcase.best_answer.BestStep": best,
    "fltheory.worstcase.lyapunov_answer.LyapunovBound": lyapunov,
    "fltheory.sweep.result.SweepResult": sweep,
    "fltheory.comparison.answer.MethodComparison": comparison,
    "fltheory.questions.report.ApplicableBounds": applicable,
}


#: Drawings that fill their axes: the legend stands below.
FULL = (spectrum, stability, worst, applicable, comparison, cost)


def drawing_of(answer: Any) -> Drawing | None:
    """How an answer is drawn; an object of another kind may have ``draw_in(panel, label)`` of its own."""
    for kind in type(answer).__mro__:
        found = DRAWINGS.get(f"{kind.__module__}.{kind.__qualname__}")
        if found is not None:
            return None if found is point and np.ndim(getattr(answer, "point", answer)) != 1 else found
    own = getattr(answer, "draw_in", None)
    if callable(own) and not isinstance(answer, type):
        return lambda panel, _, label: own(panel, label)
    return None
