"""Paired comparisons of algorithms over the replicates of an experiment, with the confidence of the whole project.

Curves are compared by their *level*: the mean of the logarithm of the objective over the second half of the rounds, which
asks neither for a lucky last round nor for a common scale.  A run that diverged counts as :data:`DIVERGED`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from fltheory.evidence.model import Evidence, Outcome, Rung
from fltheory.evidence.statistics import MeanTest, mean_at_most
from fltheory.plotting.files import Array, Result, load_result

DIVERGED = 1e12
Measure = Callable[[Array], Array]


def committed(name: str) -> Result:
    """The committed result of an experiment."""
    from fltheory.evidence.scripts import results_folder

    return load_result(results_folder() / "experiments" / f"{name}.npz")


def logs(curves: Array) -> Array:
    """``log F`` of ``(replicates, records)``, diverged runs cut off."""
    finite = np.where(np.isfinite(curves), curves, DIVERGED)
    return np.asarray(np.log(np.minimum(finite, DIVERGED)))


def level(curves: Array) -> Array:
    """Mean of ``log F`` over the second half, ``(replicates,)``."""
    values = logs(curves)
    return np.asarray(values[:, values.shape[1] // 2 :].mean(axis=1))


def roughness(curves: Array) -> Array:
    """``log`` of the mean of ``|log F_{i+1} - log F_i|`` over the second half, ``(replicates,)``."""
    values = logs(curves)
    return np.asarray(np.log(np.abs(np.diff(values[:, values.shape[1] // 2 :], axis=1)).mean(axis=1)))


@dataclass(frozen=True)
class Comparison:
    """One paired test of ``E (first - second) <= threshold``; ``name`` says of what."""

    name: str
    test: MeanTest
    below: int

    @property
    def margin(self) -> float:
        """Distance of the upper confidence limit from the threshold: positive if the claim is supported."""
        return self.test.bound - self.test.upper

    @property
    def supported(self) -> bool:
        """Whether the whole confidence limit lies strictly below the threshold: equal curves support nothing."""
        return self.test.upper < self.test.bound

    @property
    def word(self) -> str:
        """What the test says about the claim."""
        return "supported" if self.supported else "contradicted" if self.test.refuted else "undecided"

    def summary(self) -> str:
        """In one line."""
        test = self.test
        return (
            f"mean {test.mean:.4g}, se {test.standard_error:.2g}, limits [{test.lower:.4g}, {test.upper:.4g}], "
            f"{self.below} of {test.samples} below {test.bound:.4g}"
        )


def compare(name: str, difference: Array, threshold: float = 0.0, *, tests: int) -> Comparison:
    """Test ``E difference <= threshold`` as one of ``tests`` tests of a check."""
    test = mean_at_most(difference, threshold, tests=tests)
    return Comparison(name, test, int((difference < threshold).sum()))


def judge(
    comparisons: Sequence[Comparison], *, method: str, numbers: Mapping[str, Any] | None = None, result: Result
) -> Evidence:
    """``holds`` if every comparison is supported by its confidence limit, otherwise ``not reproduced``."""
    lost = [item for item in comparisons if not item.supported]
    margin = min(item.margin for item in comparisons)
    first = comparisons[0].test
    words = f"{first.method}, error {first.alpha:.1g} per one-sided limit"
    form = result.settings.get("form") or result.settings["common"]["form"]
    return Evidence(
        Rung.RERUN,
        Outcome.NOT_REPRODUCED if lost else Outcome.HOLDS,
        f"{method} Paired over replicates; {words}. Results of the {form} form.",
        examined=sum(item.test.samples for item in comparisons),
        margin=margin if (margin < 0) == bool(lost) else None,
        numbers={**{item.name: f"{item.word}: {item.summary()}" for item in comparisons}, **(numbers or {})},
        seeds=tuple(range(first.samples)),
    )


def unavailable(problems: Iterable[str], *, examined: int, method: str, would_settle: str) -> Evidence:
    """``not checkable here``, unless what is printed contradicts itself (``problems``)."""
    found = list(problems)
    if found:
        return Evidence(
            Rung.READING, Outcome.REFUTED, method, examined=examined, margin=-1.0, counterexample="; ".join(found)
        )
    return Evidence(Rung.READING, Outcome.NOT_CHECKABLE, method, examined=examined, would_settle=would_settle)


def sets_of(result: Result) -> list[str]:
    """Names of the data sets of a result."""
    return sorted({key.rpartition("/")[0] for key in result.arrays})
