"""How runs on the analogue are compared: paired differences over the seeds, the project's one-sided test of a mean."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from fltheory.evidence.model import Analogue, Evidence, Outcome, Rung
from fltheory.experiments.statistics import BUDGET as TESTS
from fltheory.experiments.statistics import FAMILY_ERROR, mean_at_most
from fltheory.kinds import Floats
from verify.fedlama2021.experiments.courses import Contender, LamaCourse, course

#: Seeds below 10 were used to choose sizes and the step size, 101 to 124 to choose what is measured and how many seeds.
SEEDS = tuple(range(201, 241))
ANALOGUE = Analogue(
    model="a perceptron with ReLU and softmax, layers of 520, 216, 1,000 and 410 parameters, instead of ResNet20, "
    "WRN-28-10 and a convolutional network",
    data="1,397 digits of 8 by 8 pixels for training and 400 for the test instead of CIFAR-10, CIFAR-100 and FEMNIST",
    size="10 clients, all of them in every round, batches of 16, 288 iterations, step size 0.1 where nothing else is "
    "said, without warm-up, instead of 128 clients, a quarter, half or all of them, batches of 32, and a rate tuned "
    "for each setting",
    heterogeneity="Dirichlet shares of each label over the clients with coefficient 0.1, the smallest that is "
    "printed, by the rule of the code that the document names",
)


def runs(method: Contender) -> list[LamaCourse]:
    """One run for each seed."""
    return [course(method, seed) for seed in SEEDS]


def late(method: Contender, share: float = 1.0) -> Floats:
    """Accuracy over the second half of the budget, or of a longer one, for each seed."""
    return np.array([run.late(round(share * 288)) for run in runs(method)])


def curve(method: Contender) -> Floats:
    """Accuracy over the whole budget, for each seed."""
    return np.array([run.curve() for run in runs(method)])


def judged(
    below: Mapping[str, Floats], method: str, *, exactly: Mapping[str, bool] | None = None, numbers: Mapping[str, Any]
) -> Evidence:
    """``holds`` if every mean of ``below`` is supported to be negative and everything in ``exactly`` is true.

    ``not reproduced`` if one mean is supported to be positive, or something in ``exactly`` is false; else ``not refuted``.
    """
    tests = {name: mean_at_most(values, 0.0, tests=len(below)) for name, values in below.items()}
    false = [name for name, true in (exactly or {}).items() if not true]
    wrong = [*false, *(name for name, test in tests.items() if test.refuted)]
    open_ = [name for name, test in tests.items() if not test.supported]
    outcome = Outcome.NOT_REPRODUCED if wrong else Outcome.NOT_REFUTED if open_ else Outcome.HOLDS
    found = {name: f"{test.mean:+.4f}, limits {test.lower:+.4f} and {test.upper:+.4f}" for name, test in tests.items()}
    return Evidence(
        Rung.RERUN,
        outcome,
        f"{method} Paired differences over {len(SEEDS)} seeds, each with a split, a start and batches of its own; "
        f"one-sided "
        f"Student limits with error {FAMILY_ERROR / TESTS:.0e} in all for the means.",
        examined=len(SEEDS) * (len(below) + len(exactly or {})),
        numbers={
            **{f"{name} < 0": words for name, words in found.items()},
            **{f"not so: {name}": "" for name in false},
            **numbers,
        },
        margin=None
        if outcome is Outcome.NOT_REFUTED
        else _margin(false, {n: t for n, t in tests.items() if n in wrong} or tests),
        would_settle="more seeds" if outcome is Outcome.NOT_REFUTED else "",
        seeds=SEEDS,
    )


def _margin(false: list[str], tests: Mapping[str, Any]) -> float | None:
    return None if false or not tests else -max(test.mean for test in tests.values())
