"""A line on standard error about anything that takes longer than two seconds, where a person looks at it.

The line is written where standard error is a terminal or a notebook, never into a pipe or a file, and is gone when the answer
is there.  ``FLTHEORY_PROGRESS=0`` in the environment switches it off, ``FLTHEORY_PROGRESS=1`` writes it everywhere, a line each
time; ``progress=False`` or ``True`` does the same for one call of a verb that has that argument.
"""

from __future__ import annotations

import functools
import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")

#: Seconds of silence, and between two lines.
SILENCE, PAUSE = 2.0, 0.5
VARIABLE = "FLTHEORY_PROGRESS"
_active = threading.local()


def wanted(stream: Any = None) -> bool:
    """Whether a person looks at standard error, or the environment says so."""
    said = os.environ.get(VARIABLE, "").strip().lower()
    if said:
        return said not in ("0", "off", "no", "false")
    stream = sys.stderr if stream is None else stream
    return _terminal(stream) or type(stream).__module__.startswith("ipykernel")


def _terminal(stream: Any) -> bool:
    try:
        return bool(stream.isatty())
    except (AttributeError, ValueError):  # no stream, or a closed one
        return False


class ProgressLine:
    """The line of one call: its name, the seconds, and what was noted last.  A thread writes it; nothing waits for it."""

    def __init__(self, name: str) -> None:
        self._name, self._words, self._width = name, "", 0
        self._stream, self._begin, self._over = sys.stderr, time.monotonic(), threading.Event()
        self._again = _terminal(self._stream) or type(self._stream).__module__.startswith("ipykernel")
        self._thread = threading.Thread(target=self._run, name="fltheory progress", daemon=True)

    def __enter__(self) -> ProgressLine:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join(timeout=1.0)
        if self._width and self._again:
            self._put("\r" + " " * self._width + "\r")

    def note(self, words: str) -> None:
        """What is being done, from now on."""
        self._words = " ".join(words.split())

    def count(self, finished: int, total: int) -> None:
        """How far it is, in rounds of runs."""
        self._words = f"{finished:,} of {total:,} rounds ({100 * finished // max(total, 1)} %)"

    def text(self) -> str:
        """The line now."""
        told = f"fltheory {self._name}: {time.monotonic() - self._begin:.0f} s"
        line = f"{told}, {self._words}" if self._words else told
        return line if len(line) <= 110 else f"{line[:107]}..."

    def _run(self) -> None:
        wait = SILENCE
        while not self._over.wait(wait):
            text, wait = self.text(), PAUSE if self._again else 4 * SILENCE
            self._put(f"\r{text.ljust(self._width)}" if self._again else f"{text}\n")
            self._width = max(self._width, len(text))

    def _put(self, text: str) -> None:
        try:
            self._stream.write(text)
            self._stream.flush()
        except (OSError, ValueError):  # nobody listens any more
            self._over.set()


@contextmanager
def silent() -> Iterator[None]:
    """No lines in this thread meanwhile: somebody else tells how far it is."""
    before = getattr(_active, "line", False)
    _active.line = True
    try:
        yield
    finally:
        _active.line = before


def tells(name: str, *, by: str = "") -> Callable[[Callable[P, T]], Callable[P, T]]:
    """A verb that has a :class:`ProgressLine`, the outermost one of several.

    ``by`` says what its argument ``progress`` is called with, if it has one and the caller gives none: "note" (words), "count"
    (finished, all).  A caller's own function takes the place of the line; ``True`` and ``False`` are for this decorator.
    """

    def around(verb: Callable[P, T]) -> Callable[P, T]:
        @functools.wraps(verb)
        def telling(*args: P.args, **more: P.kwargs) -> T:
            asked = more.get("progress")
            if isinstance(asked, bool):
                more.pop("progress")
            alone = threading.current_thread() is threading.main_thread() and not getattr(_active, "line", False)
            show = asked if isinstance(asked, bool) else asked is None and wanted()
            quiet = asked is False
            if not (alone and (show or quiet)):
                return verb(*args, **more)
            with silent():
                if quiet:
                    return verb(*args, **more)
                with ProgressLine(name) as line:
                    if by:
                        more["progress"] = getattr(line, by)
                    return verb(*args, **more)

        return telling

    return around
