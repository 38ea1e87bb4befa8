"""How runs on the analogue are compared: paired differences over the replicates, the project's one-sided test of a mean.

The runs are those of the committed results of ``figures/experiments/fedlama_runs.py``: on digits, where sizes and numbers of
replicates were chosen, and with the same settings on two further sets of images.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
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

EXPERIMENT, SET, FURTHER = "fedlama_runs", "digits", ("MNIST subset", "Fashion-MNIST")
ALONE = (SET,)
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


FURTHER_ANALOGUE = replace(
    ANALOGUE,
    model="a perceptron with ReLU and softmax, layers of 3,152, 816, 3,920 and 810 parameters, instead of ResNet20, "
    "WRN-28-10 and a convolutional network",
    data="5,000 images of MNIST and 15,000 of Fashion-MNIST, a fifth of them for the test, of 14 by 14 pixels, instead of "
    "CIFAR-10, CIFAR-100 and FEMNIST",
    size=ANALOGUE.size.replace("10 clients", "20 clients"),
)


@dataclass(frozen=True)
class SetComparison:
    """Of one data set: differences whose means are to be negative, what is to be true in every run, and what is said."""

    below: Mapping[str, Floats]
    exactly: Mapping[str, bool] = field(default_factory=dict)
    numbers: Mapping[str, Any] = field(default_factory=dict)


@cache
def kept() -> Result:
    """The committed results."""
    return committed(EXPERIMENT)


def set_of(data: str, share: int) -> str:
    """The set of runs on these data with one client in ``share``."""
    return data if share == 1 else f"{data}, half of the clients"


def runs(method: Contender, data: str = SET) -> list[LamaCourse]:
    """The kept runs, one for each replicate."""
    result, name = kept(), set_of(data, method.share)
    entry = result.settings["sets"][name]
    sizes = sizes_of(result, data, narrowing=method.narrowing)
    hits, averaged = (result[f"{name}/{method.label}, {what}"] for what in ("hits", "averaged"))
    return [
        LamaCourse(method, tuple((own / entry["test"]).tolist()), tuple(map(tuple, counts.tolist())), sizes)
        for own, counts in zip(hits, averaged, strict=True)
    ]


def sizes_of(result: Result, data: str = SET, *, narrowing: bool) -> tuple[int, ...]:
    """Parameters of each layer of one of the two networks."""
    units = result.settings["sets"][data]["units, narrowing" if narrowing else "units"]
    return tuple((m + 1) * n for m, n in pairwise(units))


def late(method: Contender, share: float = 1.0, data: str = SET) -> Floats:
    """Accuracy over the second half of the budget, or of a longer one, for each seed."""
    return np.array([run.late(round(share * 288)) for run in runs(method, data)])


def curve(method: Contender, data: str = SET) -> Floats:
    """Accuracy over the whole budget, for each seed."""
    return np.array([run.curve() for run in runs(method, data)])


def judged(compare: Callable[[str], SetComparison], method: str, sets: Sequence[str], *, share: int = 1) -> Evidence:
    """What is to hold on all data sets together: see :func:`judge_means`."""
    found = {f"{data}: " if len(sets) > 1 else "": compare(data) for data in sets}

    def joined(part: str) -> dict[str, Any]:
        return {begin + name: entry for begin, one in found.items() for name, entry in getattr(one, part).items()}

    return judge_means(
        joined("below"),
        method,
        result=kept(),
        data=[set_of(data, share) for data in sets],
        exactly=joined("exactly"),
        numbers=joined("numbers"),
    )
