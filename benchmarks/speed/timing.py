"""Medians of processor time, contestants in turn.

Processor time of the process, not the clock on the wall: on a pinned core that is free they are the same, and on a busy machine
only the former means something.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

#: Processor seconds that one measured call should take, and the number of times that each contestant is called.
SECONDS, REPEATS = 0.25, 7
QUICK_SECONDS, QUICK_REPEATS = 0.04, 3


@dataclass(frozen=True)
class Contestant:
    """``call(rounds)`` does ``units(rounds) = per_round * rounds`` units of work; ``least`` rounds are taken at least."""

    call: Callable[[int], Any]
    per_round: float
    least: int = 1
    most: int = 10**6


def seconds_of(call: Callable[..., Any], *arguments: Any) -> float:
    """Processor seconds of one call."""
    begin = time.process_time()
    call(*arguments)
    return time.process_time() - begin


def interleaved(contestants: Mapping[str, Contestant], *, quick: bool) -> dict[str, float]:
    """Median seconds per unit of each contestant: warmed up, sized so that each call takes as long, called in turn."""
    target, repeats = (QUICK_SECONDS, QUICK_REPEATS) if quick else (SECONDS, REPEATS)
    rounds = {name: _sized(one, target) for name, one in contestants.items()}
    found: dict[str, list[float]] = {name: [] for name in contestants}
    for _ in range(repeats):
        for name, one in contestants.items():
            taken = seconds_of(one.call, rounds[name])
            found[name].append(taken / (one.per_round * rounds[name]))
    return {name: statistics.median(times) for name, times in found.items()}


def per_round(call: Callable[[int], Any], *, quick: bool, least: int = 10, most: int = 4_000_000) -> float:
    """Seconds that one more round takes: the median slope between ``rounds`` and ``5 rounds``, without the set-up.

    There are so many rounds that they take as long as the set-up, whose noise would drown them otherwise; NaN where it does.
    """
    target, repeats = (QUICK_SECONDS, QUICK_REPEATS) if quick else (SECONDS, REPEATS)
    rounds = least
    call(rounds)
    while True:
        short, long = seconds_of(call, rounds), seconds_of(call, 5 * rounds)
        wanted = max(target, min(short, 4 * target))
        if long - short >= wanted or 5 * rounds >= most:
            break
        rounds = min(most // 5, rounds * (2 if long - short > wanted / 4 else 5))
    slopes = [(seconds_of(call, 5 * rounds) - seconds_of(call, rounds)) / (4 * rounds) for _ in range(repeats)]
    found = statistics.median(slopes)
    return found if found > 0 else float("nan")


def median_seconds(call: Callable[[], Any], *, quick: bool, warm: bool = True) -> float:
    """Median processor seconds of a call; long calls are repeated less often."""
    first = seconds_of(call)
    if first > 5:
        return first
    times = [] if warm else [first]
    target = (QUICK_SECONDS if quick else SECONDS) * 4
    while len(times) < (3 if quick else 5) or (sum(times) < target and len(times) < 50):
        times.append(seconds_of(call))
    return statistics.median(times)


def _sized(one: Contestant, target: float) -> int:
    """Rounds for which a call takes about ``target`` seconds."""
    rounds = one.least
    one.call(rounds)  # compiles
    while True:
        taken = seconds_of(one.call, rounds)
        if taken >= target / 4 or rounds >= one.most:
            return max(one.least, min(one.most, round(rounds * min(4.0, target / max(taken, 1e-9)))))
        rounds = min(one.most, rounds * (2 if taken > target / 30 else 8))
