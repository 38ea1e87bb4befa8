"""The lessons by number, and what was kept when they were built."""

from __future__ import annotations

import json
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

from fltheory.course.parts import Lesson

LESSONS = tuple(range(1, 9))
DATA = Path(__file__).parent / "data"


def lesson(number: int) -> Lesson:
    """A lesson by its number.

    Raises
    ------
    ValueError : no number from 1 to 8.
    """
    if isinstance(number, bool) or number not in LESSONS:
        raise ValueError(f"lesson={number!r} is no lesson; expected a number from {LESSONS[0]} to {LESSONS[-1]}")
    found: Lesson = import_module(f"fltheory.course.lessons.lesson_{number}").LESSON
    return found


@cache
def kept(number: int) -> dict[str, Any]:
    """What was computed when the lesson was built: exact curves of its panels, and samples of its exercise."""
    found: dict[str, Any] = json.loads((DATA / f"lesson_{number}.json").read_text("utf-8"))
    return found
