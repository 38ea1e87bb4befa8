"""Quadratics step by step: fltheory and whatever peers are installed, first to the same model and then in turn."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

import fltheory as fl
from benchmarks.speed.case import Disagreement, Row
from benchmarks.speed.data import nothing
from benchmarks.speed.timing import Contestant, interleaved

AGREEMENT = 1e-9


def installed(
    makers: Sequence[Callable[[Any, Any], dict[str, Any]]], problem: Any, rates: Any
) -> tuple[dict[str, Any], list[str]]:
    """What the makers give, and the names of the makers whose library is not here."""
    found: dict[str, Any] = {}
    missing = []
    for make in makers:
        try:
            found |= make(problem, rates)
        except ImportError:
            missing.append(make.__name__)
    return found, missing


def own(problem: Any, algorithm: Any, *, start: Any = None, **options: Any) -> Callable[..., Any]:
    """``call(rounds, runs=...)`` of ``fl.simulate``, from zero, with no loss evaluated."""

    def call(rounds: int, *, runs: int = 1) -> Any:
        settings = {"record_every": rounds, "reference": False, "objective": nothing, "threads": 1} | options
        return fl.simulate(problem, algorithm, rounds=rounds, runs=runs, start=start, **settings).final

    return call


def against(calls: dict[str, Any], work: float, runs_of: Sequence[int], *, quick: bool) -> list[Row]:
    """Microseconds per unit for each number of runs; ``work`` units per round and run.  The first call is the reference."""
    reference = np.asarray(next(iter(calls.values()))(3, runs=2))
    for name, call in calls.items():
        far = float(np.linalg.norm(np.asarray(call(3, runs=2)) - reference) / np.linalg.norm(reference))
        if not far <= AGREEMENT:
            raise Disagreement(f"{name} ends {far:.2g} from fltheory; expected at most {AGREEMENT}")
    rows = []
    for runs in runs_of:
        field = {
            name: Contestant(lambda rounds, call=call, runs=runs: call(rounds, runs=runs), work * runs)
            for name, call in calls.items()
        }
        rows += [Row(who, seconds * 1e6, runs) for who, seconds in interleaved(field, quick=quick).items()]
    return rows
