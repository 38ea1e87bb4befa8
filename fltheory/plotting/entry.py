"""``plot``: what a verb returned, as a picture; runs beside their bounds."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from numpy.typing import ArrayLike

from fltheory.algorithms.vocabulary import LocalAlgorithm
from fltheory.kinds import PointLike
from fltheory.plotting.answers import FULL, drawing_of
from fltheory.plotting.draw import AXES, Setting, draw_runs, loaded
from fltheory.plotting.presets import Preset, apply, preset_of
from fltheory.plotting.style import check_picture_path, new_figure, save_figure
from fltheory.problems.base import KnownProblem
from fltheory.problems.checks import check_instance, shown
from fltheory.problems.mixed import MixedProblem
from fltheory.problems.oracles import AnyOracle
from fltheory.progress import tells
from fltheory.readings.moments import Moments
from fltheory.simulate.run import Run
from fltheory.tables import cut

if TYPE_CHECKING:  # SymPy is heavy
    from fltheory.theory.bound import Bound


@tells("plot")
def plot(
    run: Any,
    bound: Bound | Sequence[Bound] | Mapping[str, Bound] | None = None,
    *,
    problem: KnownProblem | MixedProblem | None = None,
    algorithm: LocalAlgorithm | None = None,
    oracle: AnyOracle | None = None,
    centre_oracle: AnyOracle | None = None,
    start: PointLike | None = None,
    values: Mapping[str, float] | None = None,
    exact: Moments | None = None,
    quantity: str = "gap",
    times: ArrayLike | None = None,
    label: str = "simulation",
    log_x: bool = False,
    title: str = "",
    axes: Any = None,
    path: str | os.PathLike[str] | None = None,
    preset: str | None = None,
    size: Sequence[float] | None = None,
    dpi: int | None = None,
) -> Any:
    """Draw what a verb returned: runs (solid, with a 95 % band), their exact expectation (dotted) and a bound (dashed), and others.

    ============== ========================================================================================
    argument       meaning
    ============== ========================================================================================
    ``run``        a ``Run``, the path of a saved one, or another answer; a list, or a mapping from labels to them
    ``bound``      a ``Bound`` of ``fltheory.theory``, a list, or a mapping from labels; the legend names the theorem
    ``start``      the runs' first model, where it was neither zero nor kept (``keep_models``)
    ``values``     the bound's symbols; default ``bound_values(problem, algorithm, oracle, run)``, for mixed problems
                   ``mixed_values(problem, algorithm, oracle, centre_oracle)``, in both cases with the run's start
    ``exact``      ``Moments`` of the same algorithm, as ``fltheory.moments`` returns them
    ``quantity``   "gap", "objective" or "squared_distance"; of runs without a known minimum the objective
    ``times``      ``T`` at the records of the (first) run; default ``1 + E r``: the start is ``w_1``
    ``axes``       draw into these matplotlib axes instead of a new figure
    ``path``       also write the figure there (``.png``, ``.svg``, ``.pdf``)
    ``preset``     "notebook" (default), "column" of a paper or "slide": size, fonts, thickness of lines, dots per inch
    ``size``       of the figure, ``(width, height)`` in inches; ``dpi``: dots per inch of pictures
    ============== ========================================================================================

    Other answers are moments (by round), stationary laws, fixed points and biases, round maps (eigenvalues), trajectories,
    stability limits, costs, worst cases, best step sizes, Lyapunov theorems, sweeps, comparisons and applicable bounds
    (``fltheory.plotting.answers`` has a function for each); an object of a user's own says ``draw_in(panel, label)``.

    A bound is drawn only where it is one: its left side is ``quantity``, the run (in a mapping: one of them) is of its
    algorithm and of ``algorithm``, all begin where it begins, and every condition that is a relation holds, at the times
    ``T`` that are drawn.  Conditions in words that the arguments decide are checked too; about the rest, see
    ``bound.conditions``.

    Where a run diverged, tails are heavy or the exact expectation is missed (``Run.band``; ``problem`` and ``algorithm``
    make that check possible for runs that do not know it), the median and the quantiles of the runs are drawn, hatched,
    with a word in the legend and the exact expectation where it is known; crosses are the ends of runs that diverged.

    Returns the matplotlib axes, which a notebook shows; ``axes.figure`` is the figure.

    Raises
    ------
    ValueError : what cannot be drawn; an unknown preset, a size that is none; a path that is a folder or of an unknown kind; an
        exact expectation of another start; a bound without ``values`` and without ``problem`` and ``algorithm``; an unknown
        quantity; a bound that does not belong to the quantity, the algorithm, the oracles or the start, or one of whose
        conditions fails.
    """
    if path is not None:
        check_picture_path(path)
    if quantity not in AXES:
        raise ValueError(f"quantity={quantity!r} is unknown; expected one of {', '.join(map(repr, AXES))}")
    chosen = preset_of(preset, size, dpi)
    if axes is not None and not hasattr(axes, "figure"):
        raise ValueError(f"axes={shown(axes)} are no axes; expected those of a matplotlib figure")
    check_instance("exact", exact, (Moments, type(None)), "exact moments, as fltheory.moments returns them")
    items = _items(run, label)
    bounds, named = _bounds(bound)
    drawings = {name: drawing_of(item) for name, item in items.items()}
    answers = all(drawing is not None for drawing in drawings.values())
    runs = {} if answers else {name: loaded(item) for name, item in items.items()}
    if answers and (bounds or exact is not None):
        kind = type(next(iter(items.values()))).__name__
        raise ValueError(f"run={kind}: bounds and exact expectations are drawn beside runs; expected a Run")
    if quantity == "gap" and not bounds and exact is None and all(item.gap is None for item in runs.values()):
        quantity = "objective"
    own_figure = axes is None
    if axes is None:
        figure, panels = new_figure(width=chosen.size[0], height=chosen.size[1])
        figure.dots, axes = chosen.dpi, panels[0, 0]
    if answers:
        for name, item in items.items():
            drawing = drawings[name]
            assert drawing is not None  # so it is for all of them
            drawing(axes, item, "" if name == label and len(items) == 1 and label == "simulation" else name)
    else:
        setting = Setting(problem, algorithm, oracle, centre_oracle, start)
        draw_runs(axes, runs, bounds, setting, values=values, exact=exact, quantity=quantity, times=times, named=named)
    if log_x:
        axes.set_xscale("symlog", linthresh=1)
    if title:
        axes.set_title(title)
    full = answers and any(drawing in FULL for drawing in drawings.values())
    _finish(axes, chosen, own_figure=own_figure, changed=preset is not None, full=full)
    if path is not None:
        save_figure(axes.figure, path, dpi=chosen.dpi)
    return axes


def _finish(axes: Any, chosen: Preset, *, own_figure: bool, changed: bool, full: bool) -> None:
    """The legend, below the axes where it holds notes or they are full; then the preset."""
    words = axes.get_legend_handles_labels()[1]
    notes = sum(word.count("\n") for word in words)
    below: dict[str, Any] = {"loc": "upper center", "bbox_to_anchor": (0.5, -0.16)} if notes or full else {}
    if words:
        axes.legend(frameon=False, **below)
    if notes and own_figure:
        figure = axes.figure
        figure.set_figheight(figure.get_figheight() + 0.2 * (len(words) + notes))
    if changed:
        apply(chosen, axes)


def _items(run: Any, label: str) -> dict[str, Any]:
    """What is to be drawn, by label."""
    if isinstance(run, Mapping):
        items = dict(run)
        if not items:
            raise ValueError("run is an empty mapping; expected at least one run")
        return items
    if isinstance(run, list | tuple) and run and all(isinstance(item, Run) for item in run):
        return dict(zip(_told_apart([item.algorithm for item in run]), run, strict=True))
    if isinstance(run, list | tuple) and run and all(drawing_of(item) is not None for item in run):
        return {f"{type(item).__name__} {place + 1}": item for place, item in enumerate(run)}
    return {label: run}


def _told_apart(texts: Sequence[str]) -> list[str]:
    """Algorithms by what differs between them: ``FedAvg(step_size=Constant(value=0.1))``."""
    parts = [_arguments(text) for text in texts]
    found = []
    for place, (text, own) in enumerate(zip(texts, parts, strict=True)):
        told = ", ".join(part for part in own if not all(part in others for others in parts))
        name = text.partition("(")[0]
        found.append(cut(f"{name}({told})" if told else name, 60))
        if found.count(found[-1]) > 1:
            found[-1] = f"{found[-1]} #{place + 1}"
    return found


def _arguments(text: str) -> list[str]:
    """The arguments of a call, split at the commas outside brackets."""
    inside, depth, found = text.partition("(")[2].removesuffix(")"), 0, [""]
    for letter in inside:
        depth += (letter in "([{") - (letter in ")]}")
        if letter == "," and not depth:
            found.append("")
        else:
            found[-1] += letter
    return [part.strip() for part in found if part.strip()]


def _bounds(bound: Any) -> tuple[dict[str, Any], dict[str, str]]:
    """Bounds by label, and what the legend says of those that were given without: the theorem."""
    if bound is None:
        return {}, {}
    if isinstance(bound, Mapping):
        return dict(bound), {}
    listed = list(bound) if isinstance(bound, list | tuple) else [bound]
    labels = ["bound"] if len(listed) == 1 else [f"bound {place + 1}" for place in range(len(listed))]
    return dict(zip(labels, listed, strict=True)), dict(zip(labels, map(_theorem, listed), strict=True))


def _theorem(bound: Any) -> str:
    """A bound as one would cite it."""
    return cut(str(getattr(bound, "source", "") or getattr(bound, "name", "bound")), 60)
