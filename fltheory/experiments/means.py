"""Paired comparisons in the mean: differences of methods over the replicates of a committed result, one test for each.

The tests are the one-sided ones of :mod:`fltheory.experiments.statistics`.  All means of a check share the error of one test, so
that a claim is wrongly supported, and wrongly contradicted, no more often than that.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from fltheory.evidence.model import Evidence, Outcome, Rung
from fltheory.experiments.files import Result
from fltheory.experiments.paired import seeds_of
from fltheory.experiments.statistics import BUDGET, FAMILY_ERROR, MeanTest, mean_at_most
from fltheory.kinds import Floats


def judge_means(
    below: Mapping[str, Floats],
    method: str,
    *,
    result: Result,
    data: str | Sequence[str],
    exactly: Mapping[str, bool] | None = None,
    numbers: Mapping[str, Any],
) -> Evidence:
    """``holds`` if every mean of ``below`` is supported to be negative and everything in ``exactly`` is true.

    ``not reproduced`` if one mean is supported to be positive, or something in ``exactly`` is false; else ``not refuted``.
    ``below`` has one difference for each replicate of the set ``data``, or of one of several.
    """
    seeds = seeds_of(result, [data] if isinstance(data, str) else data)
    tests = {name: mean_at_most(values, 0.0, tests=len(below)) for name, values in below.items()}
    false = [name for name, true in (exactly or {}).items() if not true]
    wrong = [*false, *(name for name, test in tests.items() if test.refuted)]
    # equal runs have the mean 0, which is no negative one
    open_ = [name for name, test in tests.items() if not test.upper < 0]
    outcome = Outcome.NOT_REPRODUCED if wrong else Outcome.NOT_REFUTED if open_ else Outcome.HOLDS
    found = {name: f"{test.mean:+.4f}, limits {test.lower:+.4f} and {test.upper:+.4f}" for name, test in tests.items()}
    return Evidence(
        Rung.RERUN,
        outcome,
        f"{method} Paired differences over {len(seeds)} replicates, each with a split, a start and batches of its own; "
        f"one-sided Student limits with error {FAMILY_ERROR / BUDGET:.0e} in all for the means. Results of the "
        f"{result.settings['common']['form']} form.",
        examined=len(seeds) * (len(below) + len(exactly or {})),
        numbers={
            **{f"{name} < 0": words for name, words in found.items()},
            **{f"not so: {name}": "" for name in false},
            **numbers,
        },
        margin=None
        if outcome is Outcome.NOT_REFUTED
        else _margin(false, {name: test for name, test in tests.items() if name in wrong} or tests),
        would_settle="more replicates" if outcome is Outcome.NOT_REFUTED else "",
        seeds=seeds,
    )


def _margin(false: list[str], tests: Mapping[str, MeanTest]) -> float | None:
    return None if false or not tests else -max(test.mean for test in tests.values())
