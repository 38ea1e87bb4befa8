"""``plot``: bound against truth for a user's own problem."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

import numpy as np

from fltheory.plotting import fitting
from fltheory.plotting.bounds import bound_values
from fltheory.plotting.mixed_bounds import mixed_values
from fltheory.plotting.palette import color_of
from fltheory.plotting.start import first_record, same
from fltheory.plotting.style import draw_bound, draw_exact, draw_measured, new_figure, save_figure
from fltheory.simulate.run import Run

AXES = {
    "gap": r"gap to the minimum  $\mathbb{E}\,F(w)-F^*$",
    "objective": r"objective  $\mathbb{E}\,F(w)$",
    "squared_distance": r"squared distance  $\mathbb{E}\,\|w-w^*\|^2$",
}
ROUNDS = r"communication rounds  $r$"


def plot(
    run: Any,
    bound: Any = None,
    *,
    problem: Any = None,
    algorithm: Any = None,
    oracle: Any = None,
    centre_oracle: Any = None,
    start: Any = None,
    values: Mapping[str, float] | None = None,
    exact: Any = None,
    quantity: str = "gap",
    times: Any = None,
    label: str = "simulation",
    log_x: bool = False,
    title: str = "",
    axes: Any = None,
    path: str | os.PathLike[str] | None = None,
) -> Any:
    """Draw simulated runs (solid, with a 95 % band), their exact expectation (dotted) and a bound (dashed).

    ============== ========================================================================================
    argument       meaning
    ============== ========================================================================================
    ``run``        a ``Run``, the path of a saved one, or a mapping from labels to either
    ``bound``      a ``Bound`` of ``fltheory.theory``, or a mapping from labels to bounds
    ``start``      the runs' first model, where it was neither zero nor kept (``keep_models``)
    ``values``     the bound's symbols; default ``bound_values(problem, algorithm, oracle, run)``, for mixed problems
                   ``mixed_values(problem, algorithm, oracle, centre_oracle)``, in both cases with the run's start
    ``exact``      ``Moments`` of the same algorithm, as ``fltheory.moments`` returns them
    ``quantity``   "gap", "objective" or "squared_distance"
    ``times``      ``T`` at the records of the (first) run; default ``1 + E r``: the start is ``w_1``
    ``axes``       draw into these matplotlib axes instead of a new figure
    ``path``       also write the figure there (``.png``, ``.svg``, ``.pdf``)
    ============== ========================================================================================

    A bound is drawn only where it is one: its left side is ``quantity``, the run (in a mapping: one of them) is of its
    algorithm and of ``algorithm``, all begin where it begins, and every condition that is a relation holds, at the times
    ``T`` that are drawn.  Conditions in words that the arguments decide are checked too; about the rest, see
    ``bound.conditions``.

    Returns the matplotlib figure.

    Raises
    ------
    ValueError : a bound without ``values`` and without ``problem`` and ``algorithm``; an unknown quantity; a bound that does
        not belong to the quantity, the algorithm, the oracles or the start, or one of whose conditions fails.
    """
    if quantity not in AXES:
        raise ValueError(f"quantity={quantity!r} is unknown; expected one of {', '.join(map(repr, AXES))}")
    runs = {name: _loaded(item) for name, item in (run.items() if isinstance(run, Mapping) else [(label, run)])}
    if not runs:
        raise ValueError("run is an empty mapping; expected at least one run")
    bounds = {} if bound is None else dict(bound) if isinstance(bound, Mapping) else {"bound": bound}
    first = next(iter(runs.values()))
    if axes is None:
        figure, panels = new_figure(width=5.4, height=3.8)
        axes = panels[0, 0]
    else:
        figure = axes.figure
    for name, item in runs.items():
        _draw_run(axes, item, name, quantity)
    if exact is not None:
        draw_exact(axes, exact.rounds, _exact_values(exact, quantity))
    if bounds:
        for name, drawn in _curves(bounds, runs, quantity, values, times, exact, start,
                                   (problem, algorithm, oracle, centre_oracle)).items():  # fmt: skip
            draw_bound(axes, first.rounds, drawn, name)
    axes.set_xlabel(ROUNDS)
    axes.set_ylabel(AXES[quantity])
    if quantity != "objective":
        axes.set_yscale("log")
    if log_x:
        axes.set_xscale("symlog", linthresh=1)
    if title:
        axes.set_title(title)
    axes.legend(frameon=False)
    if path is not None:
        save_figure(figure, path)
    return figure


def _loaded(item: Any) -> Run:
    return item if isinstance(item, Run) else Run.load(item)


def _draw_run(axes: Any, run: Run, label: str, quantity: str) -> None:
    if run.runs < 2:
        draw_measured(axes, run.rounds, run.mean(quantity), label=label, color=color_of(label))
        return
    band = run.band(quantity)
    low = band.low
    if quantity != "objective":
        # A logarithmic axis has no place for a limit below zero.
        low = np.where(low > 0, low, np.minimum(band.mean, np.abs(band.mean)) * 1e-3)
    draw_measured(axes, run.rounds, band.mean, low, band.high, label=label, color=color_of(label))


def _exact_values(exact: Any, quantity: str) -> Any:
    if quantity == "objective":
        raise ValueError("quantity='objective' is not part of exact moments; expected 'gap' or 'squared_distance'")
    return np.asarray(getattr(exact, quantity), dtype=np.float64)


def _curves(
    bounds: Mapping[str, Any],
    runs: Mapping[str, Run],
    quantity: str,
    values: Mapping[str, float] | None,
    times: Any,
    exact: Any,
    start: Any,
    setting: tuple[Any, Any, Any, Any],
) -> dict[str, Any]:
    """The bounds at the records of the first run, each after all checks of :mod:`fltheory.plotting.fitting`."""
    algorithm, oracle, centre_oracle = setting[1:]
    if values is None and (setting[0] is None or algorithm is None):
        raise ValueError(
            "bound given, but neither values nor problem and algorithm: a record of a run does not hold its problem; "
            "expected plot(run, bound, problem=..., algorithm=..., oracle=...) or values={...}"
        )
    drawn = {}
    for name, bound in bounds.items():
        fitting.check_left(bound, quantity)
        own = fitting.check_algorithm(bound, algorithm, runs)
        if values is None:
            fitting.check_oracles(own, oracle, centre_oracle)
        _require_one_start(own, runs, exact, quantity)
        known = dict(values) if values is not None else _values(*setting, start, own)
        fitting.check_start(bound, known, own)
        fitting.check_schedule(bound, algorithm, known)
        rounds = next(iter(runs.values())).rounds
        steps = 1 + known.get("E", 1.0) * rounds if times is None else np.asarray(times)
        drawn[name] = fitting.curve(bound, known, steps)
    return drawn


def _require_one_start(own: Run, runs: Mapping[str, Run], exact: Any, quantity: str) -> None:
    """What is drawn beside a bound begins where the run begins that it is about."""
    begun = first_record(own, quantity)
    for name, item in [*runs.items(), *([] if exact is None else [("exact", exact)])]:
        other = first_record(item, quantity)
        if not same(begun, other, max(1.0, abs(begun))):
            raise ValueError(
                f"{name} begins at {quantity} {other:.6g}, the run of the bound at {begun:.6g}; expected one start"
            )


def _values(
    problem: Any, algorithm: Any, oracle: Any, centre_oracle: Any, start: Any, run: Run
) -> dict[str, float]:  # fmt: skip
    if hasattr(problem, "centre_gradient"):
        return mixed_values(problem, algorithm, oracle, centre_oracle, start=start, run=run)
    return bound_values(problem, algorithm, oracle, run, start=start)
