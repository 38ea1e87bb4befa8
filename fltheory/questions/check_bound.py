"""``fl.check_bound``: a bound of one's own held against the certified worst case over a class, in rational numbers."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Any

import sympy as sp

from fltheory.algorithms.schedules import Constant
from fltheory.algorithms.vocabulary import Algorithm
from fltheory.questions.bound_decision import decide, linear
from fltheory.questions.bound_statement import StatedBound, rational, read, rename, resolved
from fltheory.questions.checked_bound import REFUTED, BoundAt, CheckedBound
from fltheory.questions.checked_box import AXES, CheckedBox, certified_on, require_box
from fltheory.worstcase.analysis import Heterogeneity, Measure
from fltheory.worstcase.answer import WorstCase
from fltheory.worstcase.classes import FunctionClass
from fltheory.worstcase.client_classes import ClientClasses
from fltheory.worstcase.entry import worst_case

#: Assumptions that are asked for where they are meant: an instance that obeys them is one of the statement's own.
_PLAIN = ("gradients", "none", "identical", None)


def check_bound(
    statement: object,
    function_class: FunctionClass | ClientClasses,
    *,
    algorithm: Algorithm,
    rounds: int = 1,
    measure: Measure = "distance",
    start: Measure | Mapping[str, Measure] | None = None,
    heterogeneity: Heterogeneity | list[Heterogeneity] | tuple[Heterogeneity, ...] | None = "gradients",
    quantities: Mapping[str, object] | None = None,
    names: Mapping[str, object] | None = None,
    over: Mapping[str, Sequence[object]] | None = None,
    between: Mapping[str, tuple[object, object]] | None = None,
    time_limit: float | None = None,
    **setting: Any,
) -> CheckedBound | CheckedBox:
    """Whether ``measure <= statement`` after ``rounds`` rounds, for every instance of the class: certified, refuted, or undecided.

    ``"holds"`` is said where a certificate that the verifier accepts is at most the bound; ``"refuted"`` where it certifies an
    instance of the class with a larger measure, or unlimited growth; ``"undecided"`` otherwise, with both numbers.  Numbers
    are compared as rationals (roots, ``pi`` and the like by enclosures), never as floats.

    =================== ==================================================================================================
    argument            meaning
    =================== ==================================================================================================
    ``statement``       the right-hand side: a number (then at the given quantities, 1 each by default), a text or SymPy
                        expression, a :class:`~fltheory.theory.bound.Bound`, or a function of what it names.  Names are
                        bounded quantities (``distance`` is ``|w_0 - w*|^2``, ``heterogeneity`` is ``zeta^2``, ...), fields of
                        the algorithm that are numbers (``step_size``), ``mu``, ``L``, ``rounds``
    ``quantities``      values of the bounded quantities.  Without them, a statement that names quantities is one for all
                        their values, and must be linear in them
    ``names``           what other names of the statement stand for: ``{"eta": "step_size", "D": "distance", "c": "1/2"}``
    ``over``            lists of values, ``{"step_size": ["1/8", "1/4"], "mu": ["1/10"]}``: the statement is held at each point
                        of their grid, and the answer says at which ones it holds; between them nothing is said
    ``between``         intervals of ``step_size`` and ``mu``, ``{"step_size": ("1/8", "1/4"), "mu": ("1/20", "1/5")}``: the
                        statement is one for the whole box, and one certificate is sought for all of it (one round, distance,
                        L = 1, all clients, factors that are polynomials in both)
    ``time_limit``      seconds for each point
    ``setting``         further arguments of :func:`fltheory.worst_case`: ``centre``, ``noise``, ``centre_noise``,
                        ``n_clients``, ``free_state``
    =================== ==================================================================================================

    What makes an instance of the certificate one of the statement's is asked for strictly: for nonconvex losses, for
    assumptions that are used at queried points only (bounded gradients, dissimilarity), for ``"gamma"``, for layers and for noise a
    lower certificate is told, and never called a refutation; so where a larger quantity makes the stated bound smaller.

    Raises
    ------
    ValueError : a statement that cannot be read, or is not linear where no quantities are given; a name without a value; a
        condition of a ``Bound`` that is false (at every point, with ``over``); and what :func:`fltheory.worst_case` refuses.
    """
    stated = read(statement)
    meaning = rename(stated, names)
    for name in ("exact", "certify", "lower"):
        if name in setting:
            raise ValueError(f"{name}={setting[name]!r}: check_bound asks for certificates of both sides by itself")
    if between is not None:
        usual = dict(
            rounds=rounds, measure=measure, start=start, heterogeneity=heterogeneity, quantities=quantities, over=over
        )
        return _on_box(stated, meaning, function_class, algorithm, between, {**usual, **setting}, time_limit)
    question = _Question(algorithm, function_class, rounds, quantities)
    common = dict(measure=measure, heterogeneity=heterogeneity, start=start, **setting)
    plain = _plain_assumptions(heterogeneity) and not (setting.get("noise") or setting.get("centre_noise"))
    points: list[BoundAt] = []
    skipped: list[str] = []
    for chosen in _grid(over):
        here = question.at(chosen)
        ask = partial(_ask, here, time_limit=time_limit, **common)
        found = decide(stated, meaning, here.known, here.quantities, ask, chosen, plain, time_limit)
        if isinstance(found, str):
            skipped.append(found)
        else:
            points.append(found)
    if not points:
        raise ValueError(f"the statement says nothing here: {skipped[0]}")
    return CheckedBound(stated.text, tuple(points), stated.assumes, tuple(skipped), over is not None)


def _on_box(
    stated: StatedBound,
    meaning: Mapping[str, object],
    function_class: FunctionClass | ClientClasses,
    algorithm: Algorithm,
    between: Mapping[str, tuple[object, object]],
    other: Mapping[str, object],
    time_limit: float | None,
) -> CheckedBox:
    """The points of a box first, any of which may refute the statement for all of it; then a certificate of the whole."""
    box: dict[str, tuple[Fraction, Fraction]] = {}
    for name, ends in between.items():
        if isinstance(ends, str) or not isinstance(ends, Sequence) or len(ends) != 2:
            raise ValueError(f"between: {name}={ends!r}; expected two ends, such as ('1/8', '1/4')")
        box[name] = (rational(name, ends[0]), rational(name, ends[1]))
    require_box(algorithm, function_class, box, other)
    question = _Question(algorithm, function_class, 1, None)
    bounded = ("distance", "heterogeneity")
    symbols = {name: sp.Symbol(name) for name in (*bounded, *AXES)}
    local = resolved(meaning, {**question.known, **symbols}, bounded)
    factors = linear(stated.right(local), {name: symbols[name] for name in bounded}, set(AXES))
    points: list[BoundAt] = []
    for chosen in _grid({name: [low, (low + high) / 2, high] for name, (low, high) in box.items()}):
        here = question.at(chosen)
        found = decide(
            stated, meaning, here.known, None, partial(_ask, here, time_limit=time_limit), chosen, True, time_limit
        )
        if isinstance(found, str):
            raise ValueError(f"the statement says nothing on a part of the box: {found}")
        points.append(found)
    at_points = CheckedBound(stated.text, tuple(points), stated.assumes, (), True)
    proved = None if at_points.verdict == REFUTED else certified_on(algorithm, factors, symbols, box)
    return CheckedBox(stated.text, box, at_points, proved)


@dataclass(frozen=True)
class _Question:
    """What the worst case is asked for, but for the values of quantities."""

    algorithm: Algorithm
    function_class: FunctionClass | ClientClasses
    rounds: int
    quantities: Mapping[str, object] | None

    @property
    def known(self) -> dict[str, sp.Expr]:
        """Numbers of the question by name."""
        found: dict[str, object] = {"rounds": self.rounds}
        if isinstance(self.function_class, FunctionClass):
            found |= {"mu": self.function_class.mu, "L": self.function_class.L}
        if dataclasses.is_dataclass(self.algorithm):
            for field in dataclasses.fields(self.algorithm):
                value = getattr(self.algorithm, field.name)
                found[field.name] = value.value if isinstance(value, Constant) else value
        numbers: dict[str, sp.Expr] = {}
        for name, value in found.items():
            try:
                numbers[name] = sp.Rational(rational(name, value))
            except ValueError:  # a scheme, a schedule: no number of the statement's
                continue
        return numbers

    def at(self, chosen: Mapping[str, object]) -> _Question:
        """The question with some of its numbers exchanged."""
        algorithm, kind, rounds = self.algorithm, self.function_class, self.rounds
        given: dict[str, object] = dict(self.quantities or {})
        for name, text in chosen.items():
            value: Any = text if isinstance(text, int) else rational(name, text)
            if name == "rounds":
                rounds = value
            elif name in ("mu", "L") and isinstance(kind, FunctionClass):
                kind = dataclasses.replace(kind, **{name: value})
            elif name in self.known and dataclasses.is_dataclass(algorithm):
                algorithm = dataclasses.replace(algorithm, **{name: value})
            else:
                given[name] = value
        return _Question(algorithm, kind, rounds, given if given or self.quantities is not None else None)


def _ask(question: _Question, quantities: Mapping[str, object] | None, **common: Any) -> WorstCase:
    """The certified worst case at values of the quantities."""
    return worst_case(
        question.algorithm, question.function_class, rounds=question.rounds, quantities=quantities, **common
    )


def _plain_assumptions(heterogeneity: object) -> bool:
    several = heterogeneity if isinstance(heterogeneity, list | tuple) else [heterogeneity]
    return all(isinstance(one, str | None) and one in _PLAIN for one in several)


def _grid(over: Mapping[str, Sequence[object]] | None) -> list[dict[str, object]]:
    if over is None:
        return [{}]
    for name, values in over.items():
        if isinstance(values, str) or not isinstance(values, Sequence) or not values:
            raise ValueError(f"over: {name}={values!r}; expected a list of values")
    return [dict(zip(over, each, strict=True)) for each in itertools.product(*over.values())]
