"""``worst_class``: the largest over the classes of clients of how far the class's own mean loss is above its smallest value."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from fltheory.algorithms.vocabulary import Algorithm
from fltheory.tables import Framed, Shown
from fltheory.worstcase.analysis import Analysis
from fltheory.worstcase.answer import WorstCase
from fltheory.worstcase.class_analysis import ClassAnalysis
from fltheory.worstcase.client_classes import ClientClasses
from fltheory.worstcase.decimals import downward, upward
from fltheory.worstcase.entry import worst_case
from fltheory.worstcase.functional import Functional


@dataclass(frozen=True)
class ClassGap:
    """The measure ``F_c(w_R) - min F_c`` of class ``c``, counted from 1, for :func:`~fltheory.worstcase.entry.worst_case`."""

    c: int

    def __call__(self, analysis: Analysis) -> Functional:
        if not isinstance(analysis, ClassAnalysis):
            raise ValueError(f"{self}: there is one class of clients; expected measure='gap', or ClientClasses")
        return analysis.class_gap(self.c)


@dataclass(frozen=True)
class WorstClass(Shown, Framed):
    """The answer of :func:`worst_class`; ``answers`` are the worst cases of the classes' gaps, in order.

    Attributes
    ----------
    value : the largest value; NaN if a class has none.
    upper : a certified bound of all gaps at once; ``None`` if a class has none.
    lower : the largest certified value that a gap attains.
    bound : ``{quantity: factor}`` with ``F_c(w_R) - min F_c <= sum factor * quantity`` for every class c.
    """

    answers: tuple[WorstCase, ...]

    @property
    def value(self) -> float:
        """The largest value of a class."""
        values = [each.value for each in self.answers]
        return math.nan if any(map(math.isnan, values)) else max(values)

    @property
    def worst(self) -> int:
        """The number of the class with the largest value; of the first, if one has none."""
        values = [-math.inf if math.isnan(each.value) else each.value for each in self.answers]
        return 1 + values.index(max(values))

    @property
    def upper(self) -> Fraction | None:
        """The largest certified upper bound; ``None`` if one is missing."""
        found = [each.upper for each in self.answers if each.upper is not None]
        return max(found) if len(found) == len(self.answers) else None

    @property
    def lower(self) -> Fraction | None:
        """The largest certified lower bound."""
        return max((each.lower for each in self.answers if each.lower is not None), default=None)

    @property
    def bound(self) -> Mapping[str, Fraction]:
        """The largest factors of all classes: they bound each gap.  Empty where a bound is missing."""
        found: dict[str, Fraction] = {}
        for each in self.answers if self.upper is not None else ():
            for name, factor in each.bound.items():
                found[name] = max(factor, found.get(name, factor))
        return found

    def facts(self) -> list[tuple[str, str]]:
        return [(f"class {place}", repr(each)) for place, each in enumerate(self.answers)]

    def records(self) -> list[dict[str, Any]]:
        """One dict per class: its number, and what :meth:`WorstCase.records` says."""
        return [{"class": place, **each.records()[0]} for place, each in enumerate(self.answers)]

    def __repr__(self) -> str:
        words = [f"class {self.worst} of {len(self.answers)}: {self.value:.9g}"]
        words += [] if self.upper is None else [f"at most {upward(self.upper)}"]
        words += [] if self.lower is None else [f"at least {downward(self.lower)}"]
        return f"WorstClass({', '.join(words)})"


def worst_class(algorithm: Algorithm, classes: ClientClasses, **question: Any) -> WorstClass:
    """The worst case of ``max_c (F_c(w_R) - min F_c)``, with ``F_c`` the mean loss of the clients of class c.

    A bound of the average says little of a class with a small share.  The largest of several worst cases is that of the
    largest: one program for each class, with certificates of their own.

    Parameters
    ----------
    question : what :func:`~fltheory.worstcase.entry.worst_case` may be asked besides ``measure``.

    Raises
    ------
    ValueError : a single class; a class with ``mu = 0``, whose mean loss may have no minimiser; as ``worst_case``.
    """
    if not isinstance(classes, ClientClasses):
        raise ValueError(f"classes={classes!r} are no ClientClasses; worst_case(..., measure='gap') is for one class")
    if "measure" in question:
        raise ValueError(f"measure={question['measure']!r}: it is the gap of the worst class; worst_case takes others")
    numbers = range(1, len(classes.shares) + 1)
    return WorstClass(tuple(worst_case(algorithm, classes, measure=ClassGap(c), **question) for c in numbers))
