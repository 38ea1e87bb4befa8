"""Runs, their exact expectations and bounds of them, drawn into axes: bound against truth for a user's own problem."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias, cast

import numpy as np
from numpy.typing import ArrayLike

from fltheory.algorithms.vocabulary import LocalAlgorithm
from fltheory.experiments import fitting
from fltheory.experiments.bounds import bound_values
from fltheory.experiments.mixed_bounds import mixed_values
from fltheory.experiments.start import first_record, same
from fltheory.kinds import Floats, Integers, PointLike
from fltheory.plotting.looks import look_of
from fltheory.plotting.style import (
    draw_bound,
    draw_ends,
    draw_exact,
    draw_measured,
)
from fltheory.problems.base import KnownProblem
from fltheory.problems.checks import check_instance
from fltheory.problems.mixed import MixedProblem
from fltheory.problems.oracles import AnyOracle
from fltheory.readings.moments import Moments
from fltheory.readings.warned import ROUNDED_AWAY
from fltheory.simulate.expectation import Expectation
from fltheory.simulate.run import DIVERGED, Run
from fltheory.simulate.statistics import QUANTILES

if TYPE_CHECKING:  # SymPy is heavy
    from fltheory.theory.bound import Bound

AXES = {
    "gap": r"gap to the minimum  $\mathbb{E}\,F(w)-F^*$",
    "objective": r"objective  $\mathbb{E}\,F(w)$",
    "squared_distance": r"squared distance  $\mathbb{E}\,\|w-w^*\|^2$",
}
ROUNDS = r"communication rounds  $r$"


#: A run, or the path of a saved one.
Drawable: TypeAlias = "Run | str | os.PathLike[str]"


class Setting(NamedTuple):
    """What a caller says of the runs: what was minimised, how, with which gradients and from where."""

    problem: KnownProblem | MixedProblem | None
    algorithm: LocalAlgorithm | None
    oracle: AnyOracle | None
    centre_oracle: AnyOracle | None
    start: PointLike | None


def draw_runs(
    axes: Any,
    runs: Mapping[str, Run],
    bounds: Mapping[str, Bound],
    setting: Setting,
    *,
    values: Mapping[str, float] | None,
    exact: Moments | None,
    quantity: str,
    times: ArrayLike | None,
    named: Mapping[str, str],
) -> None:
    """Runs with their bands, an exact expectation and bounds, as :func:`fltheory.plotting.plot` says; ``named``: legend words."""
    first = next(iter(runs.values()))
    if exact is not None and quantity != "objective":
        _require_exact_start(first, exact, quantity)
    for name, item in runs.items():
        own = exact if len(runs) == 1 and _lists(exact, item) else None
        _draw_run(axes, item, name, quantity, own, setting)
    if exact is not None:
        expected = _exact_values(exact, quantity)
        _draw_expectation(axes, exact.rounds, expected, "exact expectation", status=exact.status)
    if bounds:
        for name, drawn in _curves(bounds, runs, quantity, values, times, exact, setting).items():
            draw_bound(axes, first.rounds, drawn, name, shown=named.get(name, ""))
    axes.set_xlabel(ROUNDS)
    axes.set_ylabel(AXES[quantity])
    if quantity != "objective":
        axes.set_yscale("log")


def loaded(item: Drawable) -> Run:
    """A run, read where it is the path of a saved one.

    Raises
    ------
    ValueError : something else.
    """
    if isinstance(item, Run):
        return item
    check_instance("run", item, (str, os.PathLike), "what a verb returned, such as a Run, or the path of a saved run")
    return Run.load(item)


def _draw_run(axes: Any, run: Run, label: str, quantity: str, exact: Moments | None, setting: Setting) -> None:
    """The runs with their band; where the band holds quantiles, what is known of the mean is drawn beside it."""
    gone = sum(status.startswith(DIVERGED) for status in run.status)
    crosses = f";\n{gone} of {run.runs} runs diverged, crosses" if gone else ""
    if run.runs < 2:
        values = run.mean(quantity)
        told = f"{label}; {run.status[0]} (cross)" if gone else ""
        draw_measured(axes, run.rounds, _finite(values), label=label, shown=told)
        _draw_ends(axes, run, quantity, label)
        return
    run = _with_expectation(run, setting)
    band = run.band(quantity, moments=exact)
    low, high = band.low, band.high
    if quantity != "objective":
        # A logarithmic axis has no place for a limit below zero.
        low = np.where(low > 0, low, np.minimum(band.middle, np.abs(band.middle)) * 1e-3)
    if band.kind != QUANTILES:
        draw_measured(axes, run.rounds, band.middle, low, high, label=label)
        return
    heavy = "; heavy tails" if "heavy tails" in band.method else ""
    told = f"{label}: median and {band.level:.0%} of the runs\n(the mean is not estimated{heavy}{crosses})"
    top = float(run.values(quantity)[np.isfinite(run.values(quantity))].max(initial=0.0))
    high = np.where(np.isfinite(high), high, 10 * top if top > 0 else 1.0)
    shading = (np.where(np.isfinite(low), low, np.nan), high)
    draw_measured(axes, run.rounds, _finite(band.middle), *shading, label=label, shown=told, quantiles=True)
    _draw_ends(axes, run, quantity, label)
    known = run.known.squared_distance if quantity == "squared_distance" else run.known.gap
    if exact is None and known is not None and quantity != "objective":
        alone = label == "simulation"
        color = "" if alone else look_of(axes, label).color
        _draw_expectation(axes, run.rounds, known, "exact expectation" if alone else f"{label}, exact", color=color)


def _lists(exact: Moments | None, run: Run) -> bool:
    """Whether exact moments hold all records of a run."""
    return exact is not None and (exact.status == "diverged" or bool(np.isin(run.rounds, exact.rounds).all()))


def _require_exact_start(run: Run, exact: Moments, quantity: str) -> None:
    """The exact expectation is one of the (first) run only if both begin alike."""
    begun, other = first_record(run, quantity), first_record(exact, quantity)
    if not same(begun, other, max(1.0, abs(begun))):
        raise ValueError(f"exact begins at {quantity} {other:.6g}, the run at {begun:.6g}; expected one start")


def _draw_ends(axes: Any, run: Run, quantity: str, label: str) -> None:
    """A cross at the last finite record of each run that diverged."""
    values = run.values(quantity)
    ends = [
        (run.rounds[last], own[last])
        for own, status in zip(values, run.status, strict=True)
        if status.startswith(DIVERGED) and np.isfinite(own).any()
        for last in [int(np.flatnonzero(np.isfinite(own))[-1])]
    ]
    if ends:
        draw_ends(axes, [x for x, _ in ends], [y for _, y in ends], label)


def _draw_expectation(
    axes: Any, rounds: Integers, values: Floats, label: str, *, status: str = "finished", color: str = ""
) -> None:
    """The exact expectation, with a cross and a word where it leaves the range of floats or rounding leaves no digit of it."""
    ended = status != "finished" or not np.isfinite(values).all()
    if not ended:
        draw_exact(axes, rounds, values, label, color=color)
        return
    last = int(np.flatnonzero(np.isfinite(values))[-1])
    color = look_of(axes, label, color=color).color
    why = "no digit is right beyond" if status == ROUNDED_AWAY else "grows beyond all floats"
    draw_exact(axes, rounds, _finite(values), f"{label} ({why}, cross)", color=color)
    draw_ends(axes, rounds[last : last + 1], values[last : last + 1], label, color=color)


def _with_expectation(run: Run, setting: Setting) -> Run:
    """The run with what problem and algorithm, where they are given and its own, say of its expectation."""
    problem, algorithm, oracle, centre_oracle, start = setting
    if problem is None or algorithm is None or run.known.gap is not None or run.algorithm != repr(algorithm):
        return run
    if start is not None and np.ndim(start) > 1:
        return run
    model = np.zeros(problem.dimension) if start is None else np.asarray(start, dtype=np.float64)
    told = Expectation(problem, algorithm, oracle, centre_oracle, model[None]).at(run.rounds)
    first = None if told.gap is None or run.gap is None else (told.gap[0], float(run.gap[:, 0].mean()))
    if first is None or not same(*first):
        return run
    return replace(run, expectation=told)


def _finite(values: Floats) -> Floats:
    """What can be drawn of values; not a number where they are infinite."""
    return np.where(np.isfinite(values), values, np.nan)


def _exact_values(exact: Moments, quantity: str) -> Floats:
    if quantity == "objective":
        raise ValueError("quantity='objective' is not part of exact moments; expected 'gap' or 'squared_distance'")
    return np.asarray(getattr(exact, quantity), dtype=np.float64)


def _curves(
    bounds: Mapping[str, Bound],
    runs: Mapping[str, Run],
    quantity: str,
    values: Mapping[str, float] | None,
    times: ArrayLike | None,
    exact: Moments | None,
    setting: Setting,
) -> dict[str, Floats]:
    """The bounds at the records of the first run, each after all checks of :mod:`fltheory.experiments.fitting`."""
    algorithm = setting.algorithm
    if values is None and (setting.problem is None or algorithm is None):
        raise ValueError(
            "bound given, but neither values nor problem and algorithm: a record of a run does not hold its problem; "
            "expected plot(run, bound, problem=..., algorithm=..., oracle=...) or values={...}"
        )
    drawn = {}
    for name, bound in bounds.items():
        fitting.check_left(bound, quantity)
        own = fitting.check_algorithm(bound, algorithm, runs)
        if values is None:
            fitting.check_oracles(own, setting.oracle, setting.centre_oracle)
        _require_one_start(own, runs, exact, quantity)
        known = dict(values) if values is not None else _values(setting, own)
        fitting.check_start(bound, known, own)
        fitting.check_schedule(bound, algorithm, known)
        rounds = next(iter(runs.values())).rounds
        steps = 1 + known.get("E", 1.0) * rounds if times is None else np.asarray(times)
        drawn[name] = fitting.curve(bound, known, steps)
    return drawn


def _require_one_start(own: Run, runs: Mapping[str, Run], exact: Moments | None, quantity: str) -> None:
    """What is drawn beside a bound begins where the run begins that it is about."""
    begun = first_record(own, quantity)
    beside: list[tuple[str, Run | Moments]] = [*runs.items()]
    if exact is not None:
        beside.append(("exact", exact))
    for name, item in beside:
        other = first_record(item, quantity)
        if not same(begun, other, max(1.0, abs(begun))):
            raise ValueError(
                f"{name} begins at {quantity} {other:.6g}, the run of the bound at {begun:.6g}; expected one start"
            )


def _values(setting: Setting, run: Run) -> dict[str, float]:
    """The bound's symbols on a problem and an algorithm, which are given."""
    problem, algorithm, start = setting.problem, setting.algorithm, setting.start
    assert problem is not None and algorithm is not None
    if hasattr(problem, "centre_gradient"):
        mixed = cast(MixedProblem, problem)
        return mixed_values(mixed, algorithm, setting.oracle, setting.centre_oracle, start=start, run=run)
    return bound_values(problem, algorithm, setting.oracle, run, start=start)
