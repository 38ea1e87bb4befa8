"""How far a sweep is: a line about every second on standard error."""

from __future__ import annotations

import sys
import time

from fltheory.progress import wanted as looked_at


class Reporter:
    """``wanted=None`` writes where a person looks (:mod:`fltheory.progress`)."""

    def __init__(self, total: int, kept: int, wanted: bool | None) -> None:
        self._stream = sys.stderr
        self._terminal = self._stream.isatty()
        self._wanted = looked_at(self._stream) if wanted is None else wanted
        self._total, self._kept = total, kept
        self._done = self._failed = self._width = 0
        self._begin = self._said = time.monotonic()

    def add(self, done: int, failed: int) -> None:
        """So many more configurations are done, or failed."""
        self._done += done
        self._failed += failed
        if time.monotonic() >= self._said + 1:
            self._say()

    def close(self) -> None:
        """The last line, where anything was done."""
        if self._done or self._failed:
            self._say()
            if self._wanted and self._terminal:
                self._stream.write("\n")

    def line(self) -> str:
        """How many of all are done, how fast, and about how long the rest takes."""
        seconds = max(time.monotonic() - self._begin, 1e-9)
        new = self._done + self._failed
        done = self._kept + new
        rate = new / seconds
        left = (self._total - done) / rate if rate else float("inf")
        share = 100 * done // max(self._total, 1)
        words = [f"{done:,} of {self._total:,} configurations ({share} %)", f"{rate:,.3g}/s", f"{_time(left)} left"]
        return "sweep: " + ", ".join(words + ([f"{self._failed:,} failed"] if self._failed else []))

    def _say(self) -> None:
        self._said = time.monotonic()
        if self._wanted:
            line = self.line()
            begin, end = ("\r", " " * max(0, self._width - len(line))) if self._terminal else ("", "\n")
            self._width = len(line)
            self._stream.write(f"{begin}{line}{end}")
            self._stream.flush()


def _time(seconds: float) -> str:
    if seconds == float("inf"):
        return "unknown time"
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"
