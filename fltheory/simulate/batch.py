"""Many configurations of one problem in one call: algorithms that differ in numbers share the work."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from fltheory.algorithms.vocabulary import Algorithm
from fltheory.problems.base import Problem
from fltheory.simulate.loop import simulate
from fltheory.simulate.run import Run


def simulate_batch(
    problem: Problem,
    algorithms: Sequence[Algorithm],
    *,
    rounds: int,
    starts: Sequence[Any] | None = None,
    **settings: Any,
) -> list[Run]:
    """``[simulate(problem, a, rounds=rounds, start=s, **settings) for a, s in zip(algorithms, starts)]``, bit for bit.

    All algorithms see the same random numbers: run ``r`` of each has the streams of run ``r``.  ``starts`` holds one initial
    model for each algorithm, ``(d,)`` or ``(runs, d)``, default zero; ``settings`` are those of
    :func:`fltheory.simulate.loop.simulate`.

    Raises
    ------
    ValueError : as :func:`fltheory.simulate.loop.simulate`; starts that are not one for each algorithm.
    """
    algorithms = list(algorithms)
    points = [settings.pop("start", None)] * len(algorithms) if starts is None else list(starts)
    if len(points) != len(algorithms):
        raise ValueError(f"starts has {len(points)} entries for {len(algorithms)} algorithms; expected one for each")
    return [
        simulate(problem, algorithm, rounds=rounds, start=point, **settings)
        for algorithm, point in zip(algorithms, points, strict=True)
    ]
