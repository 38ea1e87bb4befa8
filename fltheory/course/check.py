"""The self-check of an exercise: any right formula or function passes, usual wrong ones are told what is wrong."""

from __future__ import annotations

import inspect
import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from fltheory.course.shelf import kept, lesson
from fltheory.tables import cut

#: Answers that agree to this share are equal.
ROUNDING = 1e-8
#: Characters of a returned value that is no number.
_SHOWN = 60


@dataclass(frozen=True)
class CheckedAnswer:
    """Whether an answer ``passed``, and ``words`` for who gave it."""

    passed: bool
    words: str

    def __str__(self) -> str:
        return self.words


def check_answer(number: int, answer: str | Callable[..., Any]) -> CheckedAnswer:
    """Check the answer to the exercise of a lesson.

    Parameters
    ----------
    number : the lesson.
    answer : a formula as text, or a function whose arguments are named after the exercise's letters.

    Raises
    ------
    ValueError : no such lesson, an answer that is neither, a formula that cannot be read.
    """
    exercise, told = lesson(number).exercise, kept(number)["exercise"]
    names = told["letters"]
    if isinstance(answer, str):
        found = _of_text(answer, names, told["points"])
    elif callable(answer):
        found = _of_function(answer, names, told["points"])
    else:
        raise ValueError(f"answer={answer!r} is neither a formula nor a function of {', '.join(names)}")
    if isinstance(found, str):
        return CheckedAnswer(False, found)
    if _same(found, told["right"]):
        return CheckedAnswer(True, f"Right. It agrees with {exercise.right} at {len(found)} points.")
    for wrong in told["wrong"]:
        if _same(found, wrong["values"]):
            return CheckedAnswer(False, f"Not yet: {wrong['hint']}")
    at, here, there = next(
        (point, mine, right)
        for point, mine, right in zip(told["points"], found, told["right"], strict=True)
        if not _close(mine, right)
    )
    return CheckedAnswer(False, f"Not yet: at {_where(names, at)} your answer is {here:.6g}; it should be {there:.6g}.")


def _where(names: Sequence[str], point: Sequence[float]) -> str:
    return ", ".join(f"{name} = {value:g}" for name, value in zip(names, point, strict=True))


def _close(one: float | None, other: float | None) -> bool:
    if one is None or other is None:
        return False
    return math.isfinite(one) and abs(one - other) <= ROUNDING * (1 + abs(other))


def _same(found: Sequence[float], told: Sequence[float | None]) -> bool:
    usable = [(mine, value) for mine, value in zip(found, told, strict=True) if value is not None]
    return bool(usable) and all(_close(mine, value) for mine, value in usable)


def _of_text(text: str, names: Sequence[str], points: Sequence[Sequence[float]]) -> list[float] | str:
    import sympy as sp

    from fltheory.evidence.arithmetic import parse

    plain = text.replace("^", "**").replace("\u2212", "-")
    try:
        expression = parse(re.sub(r"(?<![\w.])(\d+)\.(\d+)", _fraction, plain), functions=[])
    except Exception:
        raise ValueError(f"{text!r} cannot be read as a formula; write it like {lesson_example(names)}") from None
    stray = sorted(str(symbol) for symbol in expression.free_symbols if str(symbol) not in names)
    if stray:
        return f"Not yet: {stray[0]} is no letter of this exercise; its letters are {', '.join(names)}."
    function = sp.lambdify([sp.Symbol(name) for name in names], expression, "math")
    return [_number(function, point) for point in points]


def _fraction(match: re.Match[str]) -> str:
    whole, digits = match.groups()
    return f"({whole}{digits}/{10 ** len(digits)})"


def lesson_example(names: Sequence[str]) -> str:
    """A formula in the letters, to show how one is written."""
    return f"(1 - {names[0]})^2" if len(names) == 1 else f"(1 - {names[0]}*{names[1]})^2"


def _of_function(
    answer: Callable[..., Any], names: Sequence[str], points: Sequence[Sequence[float]]
) -> list[float] | str:
    try:
        inspect.signature(answer).bind(**dict.fromkeys(names))
    except TypeError as error:
        return f"Not yet: the function should take {', '.join(names)} ({error})."
    except ValueError:  # written in C: it does not say what it takes
        pass
    found = []
    for point in points:
        at = dict(zip(names, point, strict=True))
        try:
            value = answer(**at)
        except (ArithmeticError, ValueError):
            value = math.nan
        except (Exception, SystemExit) as error:
            return f"Not yet: your function raised {type(error).__name__}: {error} at {_where(names, point)}."
        number = _float(value)
        if number is None:
            shown = cut(repr(value), _SHOWN)
            return f"Not yet: your function returned {shown} at {_where(names, point)}; expected a number."
        found.append(number)
    return found


def _number(function: Callable[..., Any], point: Sequence[float]) -> float:
    """The value of a formula, NaN where it has none."""
    try:
        found = _float(function(*point))
    except (ArithmeticError, ValueError):
        return math.nan
    return math.nan if found is None else found


def _float(value: Any) -> float | None:
    """A value as a float; ``None`` for what is no number, text that looks like one included."""
    if isinstance(value, (str, bytes)):
        return None
    try:
        return float(value)
    except (TypeError, ValueError):
        return None
    except OverflowError:  # a whole number beyond all floats
        return math.nan
