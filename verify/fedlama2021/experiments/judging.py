"""How runs on the analogue are compared: paired differences over the replicates, the project's one-sided test of a mean.

The runs are those of the committed results of ``figures/experiments/fedlama_runs.py`` on digits.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np

from fltheory.evidence.model import Analogue, Evidence
from fltheory.experiments.files import Result
from fltheory.experiments.means import judge_means
from fltheory.experiments.paired import committed
from fltheory.kinds import Floats
from verify.fedlama2021.experiments.courses import Contender, LamaCourse

EXPERIMENT, SET, HALF = "fedlama_runs", "digits", "digits, half of the clients"
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


@cache
def kept() -> Result:
    """The committed results."""
    return committed(EXPERIMENT)


def runs(method: Contender) -> list[LamaCourse]:
    """The kept runs, one for each replicate."""
    result, data = kept(), SET if method.share == 1 else HALF
    entry = result.settings["sets"][data]
    sizes = sizes_of(result, narrowing=method.narrowing)
    hits, averaged = (result[f"{data}/{method.label}, {name}"] for name in ("hits", "averaged"))
    return [
        LamaCourse(method, tuple((own / entry["test"]).tolist()), tuple(map(tuple, counts.tolist())), sizes)
        for own, counts in zip(hits, averaged, strict=True)
    ]


def sizes_of(result: Result, *, narrowing: bool) -> tuple[int, ...]:
    """Parameters of each layer of one of the two networks."""
    units = result.settings["sets"][SET]["units, narrowing" if narrowing else "units"]
    return tuple((m + 1) * n for m, n in pairwise(units))


def late(method: Contender, share: float = 1.0) -> Floats:
    """Accuracy over the second half of the budget, or of a longer one, for each seed."""
    return np.array([run.late(round(share * 288)) for run in runs(method)])


def curve(method: Contender) -> Floats:
    """Accuracy over the whole budget, for each seed."""
    return np.array([run.curve() for run in runs(method)])


def judged(
    below: Mapping[str, Floats],
    method: str,
    *,
    exactly: Mapping[str, bool] | None = None,
    numbers: Mapping[str, Any],
    data: str = SET,
) -> Evidence:
    """Means of differences that are to be negative, and what is to be true in every run: see :func:`judge_means`."""
    return judge_means(below, method, result=kept(), data=data, exactly=exactly, numbers=numbers)
