"""``compare``: methods at the same points, by certified worst cases and by what published theorems say of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

from fltheory.comparison.answer import ComparisonRow, MethodComparison
from fltheory.comparison.certified import BEST, CertifiedBounds, GridQuestion, KeptAnswers
from fltheory.comparison.measures import LAST
from fltheory.comparison.methods import KNOWN, ComparedMethod, method_of
from fltheory.comparison.published import PublishedRate, ToldRate
from fltheory.comparison.setting import GridPoint
from fltheory.evidence.places import results_folder
from fltheory.problems.numbers import decimal_fraction, fraction_of_text
from fltheory.progress import tells
from fltheory.worstcase.classes import FunctionClass, SmoothStronglyConvex

PUBLISHED = "published"
#: The file of results that is read where no other is named.
RESULTS = "compare.npz"


@tells("compare", by="note")
def compare(
    algorithms: Any = tuple(KNOWN),
    function_class: FunctionClass | None = None,
    *,
    heterogeneity: Any = "1/100",
    local_steps: Any = 5,
    rounds: Any = 2,
    step_size: Any = BEST,
    measure: str = "distance",
    kept: str | Path | bool = True,
    time_limit: float | None = None,
    progress: Callable[[str], None] | bool | None = None,
    shelf: KeptAnswers | None = None,
) -> MethodComparison:
    """CertifiedBounds worst cases and published bounds of several methods at the same points, and which rankings they make.

    All clients take part with equal weights and exact gradients; ``|w_0 - w*|^2 <= 1``.

    Parameters
    ----------
    algorithms : names (``"GD"``, ``"FedAvg"``, ``"SCAFFOLD"``, ``"FedLin"``), their classes, or functions of
        ``(local_steps, step_size)`` that make an algorithm; one or several.
    function_class : of every client, default curvature in ``[1/10, 1]``.
    heterogeneity : ``zeta^2``, the mean over the clients of ``|grad f_k(w*)|^2``, or ``"identical"`` for clients of one loss;
        one or several, numbers or texts such as ``"1/100"``.
    local_steps, rounds : E and R, one or several.  Gradient descent has one step per round.
    step_size : ``"best"``: the one with the least certified worst case, for each method and point, against what each theorem
        says at the best step size that it allows; ``"published"``: each theorem's own step size, worst case and bound at the
        same one; a number: that step size for all.  Or several of these.
    measure : ``"distance"`` or ``"gap"`` after the last round, where the step size is ``"best"`` or a number.  With
        ``"published"`` each theorem's own measure is taken.
    kept : a file of results to read, ``True`` for the one that belongs to the package, ``False`` for none.  What it does not
        hold is computed.
    time_limit : seconds for each worst case that is computed.
    progress : told in words what is being computed; ``False``: no line on a terminal either.
    shelf : answers to read and to add to, in the place of a file.

    Returns
    -------
    MethodComparison
        ``print`` it for the table; ``.wrong`` are rankings that certified worst cases turn round; ``.to_frame()``.

    Raises
    ------
    ValueError : an unknown method or measure; a class that is not strongly convex; numbers that are none, or negative.
    """
    if measure not in LAST:
        raise ValueError(f"measure={measure!r}; expected one of {', '.join(LAST)}")
    clients = SmoothStronglyConvex(Fraction(1, 10), 1) if function_class is None else function_class
    if not isinstance(clients, FunctionClass):
        raise ValueError(f"function_class={function_class!r} is no FunctionClass; see SmoothStronglyConvex(mu, L)")
    methods = [method_of(entry) for entry in _several(algorithms)]
    rules = [_rule(entry) for entry in _several(step_size)]
    path = results_folder() / "experiments" / RESULTS if kept is True else Path(kept) if kept else None
    shelf = KeptAnswers.at(path, time_limit=time_limit) if shelf is None else shelf
    shelf.progress = progress if callable(progress) else shelf.progress
    rows: list[ComparisonRow] = []
    for spread in _several(heterogeneity):
        for steps in _several(local_steps):
            for count in _several(rounds):
                point = GridPoint(clients, _spread(spread), steps, count)
                for rule in rules:
                    for method in methods:
                        rows += _rows(shelf, method, point, rule, measure)
    # gradient descent is the same at every E
    return MethodComparison(tuple(dict.fromkeys(rows)), tuple(shelf.computed))


def rates_of(method: ComparedMethod) -> list[PublishedRate]:
    """The published rates that speak of a method."""
    from fltheory.comparison.rates import RATES

    return [rate for rate in RATES if method.known and rate.method == method.name]


def _rows(
    shelf: KeptAnswers, method: ComparedMethod, point: GridPoint, rule: Fraction | str, measure: str
) -> list[ComparisonRow]:
    own = replace(point, local_steps=method.steps(point.local_steps))
    if rule == PUBLISHED:
        told = [rate.tuned(own) for rate in rates_of(method)]
        return [_row(method, own, rule, one.rate.measure, _at(shelf, method, own, one), one) for one in told]
    found = shelf.answer(GridQuestion(method, own, rule, measure))
    said: list[ToldRate | None] = []
    for rate in rates_of(method):
        if rate.measure == measure or (rate.measure, measure) == LAST:
            one = rate.tuned(own) if isinstance(rule, str) else rate.at(own, rule)
            said.append(_through(one, own, measure))
    return [_row(method, own, rule, measure, found, each) for each in said or [None]]


def _at(shelf: KeptAnswers, method: ComparedMethod, point: GridPoint, told: ToldRate) -> CertifiedBounds:
    """The worst case at a theorem's own step size; nothing where it says nothing."""
    if told.value is None or told.step is None:
        return CertifiedBounds(None, None, told.step or Fraction(0))
    return shelf.answer(GridQuestion(method, point, told.step, told.rate.measure))


def _through(told: ToldRate, point: GridPoint, measure: str) -> ToldRate:
    """A bound of the distance as one of the gap, ``F(w) - F* <= L/2 |w - w*|^2``."""
    if told.rate.measure == measure or told.value is None:
        return told
    through = replace(told.rate, name=f"{told.rate.name}, times L/2")
    return replace(told, rate=through, value=told.value * point.L / 2)


def _row(
    method: ComparedMethod,
    point: GridPoint,
    rule: Fraction | str,
    measure: str,
    found: CertifiedBounds,
    told: ToldRate | None,
) -> ComparisonRow:
    value, step = (told.value, told.step) if told else (None, None)
    why = told.why if told and told.value is None else found.note
    rate, constants = (told.rate.name, told.rate.constants) if told else ("", "")
    place = (method.name, point.local_steps, point.rounds, point.likeness, str(rule), found.step, measure)
    return ComparisonRow(*place, found.lower, found.upper, rate, value, step, why, constants)


def _several(entry: Any) -> list[Any]:
    """The entries of a list or tuple, or the single one."""
    found = list(entry) if isinstance(entry, Iterable) and not isinstance(entry, str) else [entry]
    if not found:
        raise ValueError("nothing to compare: an empty list")
    return found


def _number(name: str, entry: Any) -> Fraction:
    try:
        if isinstance(entry, bool):
            raise TypeError
        return fraction_of_text(entry) if isinstance(entry, str) else decimal_fraction(entry)
    except (AttributeError, TypeError, ValueError, OverflowError, ZeroDivisionError):
        raise ValueError(f"{name}={entry!r} is no finite rational number") from None


def _spread(entry: Any) -> Fraction | None:
    return None if entry == "identical" else _number("heterogeneity", entry)


def _rule(entry: Any) -> Fraction | str:
    if entry in (BEST, PUBLISHED):
        return str(entry)
    step = _number("step_size", entry)
    if step <= 0:
        raise ValueError(f"step_size={entry!r} must be positive, or {BEST!r} or {PUBLISHED!r}")
    return step
