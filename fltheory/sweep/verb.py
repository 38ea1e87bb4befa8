"""The verb: a grid, computed at once."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import Any

from fltheory.sweep.grid import Sweep
from fltheory.sweep.result import SweepResult
from fltheory.sweep.run import run_sweep


def sweep(
    problems: Any = None,
    algorithms: Any = None,
    *,
    parameters: Any = None,
    seeds: Any = None,
    rounds: int | None = None,
    measure: Any = None,
    record_every: int | None = None,
    oracle: Any = None,
    start: Any = None,
    seed: int = 0,
    call: Callable[..., Any] | None = None,
    settings: Mapping[str, Any] | None = None,
    store: str | os.PathLike[str] | None = None,
    jobs: int = 1,
    engine: str = "local",
    address: str | None = None,
    shard: tuple[int, int] | None = None,
    retry: bool = False,
    batch: int | None = None,
    compact: bool = False,
    progress: bool | None = None,
) -> SweepResult:
    """Every problem with every algorithm, parameter and seed: what is missing in the store is computed, all of it returned.

    What the grid is: :class:`fltheory.sweep.grid.Sweep` (``problems`` to ``settings``).  How it is computed:
    :func:`fltheory.sweep.run.run_sweep` (``store`` to ``progress``).  Errors as there.
    """
    grid = Sweep(
        problems=problems,
        algorithms=algorithms,
        parameters={} if parameters is None else parameters,
        seeds=seeds,
        rounds=rounds,
        measure=measure,
        record_every=record_every,
        oracle=oracle,
        start=start,
        seed=seed,
        call=call,
        settings={} if settings is None else settings,
    )
    return run_sweep(
        grid,
        store=store,
        jobs=jobs,
        engine=engine,
        address=address,
        shard=shard,
        retry=retry,
        batch=batch,
        compact=compact,
        progress=progress,
    )
