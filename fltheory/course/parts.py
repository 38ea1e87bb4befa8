r"""What a lesson is made of: plain data, from which pages, notebooks, sheets and checks are made.

Texts are paragraphs with blank lines between them; ``$...$`` holds LaTeX, backquotes hold code, and lines that begin with
"- " are a list.  Formulas are SymPy texts in the names of the panel's letters.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Slider:
    """A number that a reader moves over ``values``; ``start`` is the place of the first."""

    name: str
    label: str
    values: tuple[float, ...]
    start: int = 0


@dataclass(frozen=True)
class FormulaCurve:
    """A formula over the panel's x and sliders; drawn dashed if it is a ``bound``."""

    label: str
    formula: str
    bound: bool = False


@dataclass(frozen=True)
class ExactCurve:
    """Exact answers of the package: ``values(xs, **sliders)`` for all x at once; kept when the lesson is built.

    ``sliders`` are those that it depends on; ``by`` says which verb gave them.  A value that is not finite is left out.
    """

    label: str
    values: Callable[..., Sequence[float]]
    sliders: tuple[str, ...]
    by: str


@dataclass(frozen=True)
class LessonPanel:
    """Curves over ``x`` that answer to sliders; ``logs``: the vertical axis is logarithmic."""

    title: str
    x: str
    x_label: str
    xs: tuple[float, ...]
    y_label: str
    sliders: tuple[Slider, ...]
    curves: tuple[FormulaCurve, ...] = ()
    exact: tuple[ExactCurve, ...] = ()
    logs: bool = False


@dataclass(frozen=True)
class CitedClaim:
    """A claim of a document: its statement is typeset from the ledger."""

    claim: str
    words: str


@dataclass(frozen=True)
class Exercise:
    """A formula to be found in ``letters`` (each with the range in which it is tried).

    ``right`` is one right formula; ``wrong`` are usual wrong ones, each with a hint.
    """

    task: str
    letters: Mapping[str, tuple[float, float]]
    whole: tuple[str, ...]
    right: str
    wrong: tuple[tuple[str, str], ...]
    solution: str


@dataclass(frozen=True)
class Lesson:
    """One lesson of about ``minutes``: parts are texts, statements and panels in the order in which they are read."""

    number: int
    title: str
    minutes: int
    aims: tuple[str, ...]
    parts: tuple[str | CitedClaim | LessonPanel, ...]
    exercise: Exercise
    further: tuple[str, ...] = field(default=())

    @property
    def panels(self) -> tuple[LessonPanel, ...]:
        """The panels in their order."""
        return tuple(part for part in self.parts if isinstance(part, LessonPanel))
