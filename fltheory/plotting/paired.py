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


def _counts(value: Any) -> str:
    """A number, or the grid of numbers, as words."""
    return "/".join(map(str, value)) if isinstance(value, list) else str(value)


def settings_in_words(result: Result, sets: Sequence[str]) -> str:
    """Settings of the data sets; where N or the batch size b differs from the paper's, the paper's as well."""
    words = []
    for data in sets:
        entry = {**result.settings.get("common", {}), **result.settings["sets"][data]}
        clients, batch = entry["clients"], entry["batch"]
        paper = {"N": (clients, 100), "b": (batch, 24 if data.startswith("synthetic") else 64)}
        other = ", ".join(f"{name}={theirs}" for name, (ours, theirs) in paper.items() if ours != theirs)
        words.append(
            f"{data}: N={clients}, K={_counts(entry['K'])}, E={_counts(entry.get('local_steps', entry.get('E')))}, "
            f"b={batch}, {entry['rounds']} rounds, {replicates(result, data)} replicates"
            + (f" (paper: {other})" if other else "")
        )
    return "; ".join(words)


def replicates(result: Result, data: str) -> int:
    """Number of replicates of a data set."""
    return len(next(values for key, values in result.arrays.items() if key.rpartition("/")[0] == data))


def seeds_of(result: Result, sets: Sequence[str]) -> tuple[int, ...]:
    """Seeds of the runs (r) and of the data (1000 + r, or 2000 + r and 3000 + r for images) of the data sets."""
    found: set[int] = set()
    for data in sets:
        for start in (0, 1000) if data.startswith("synthetic") else (0, 2000, 3000):
            found |= {start + r for r in range(replicates(result, data))}
    return tuple(sorted(found))


def pool(gaps: Mapping[str, Array]) -> Array:
    """Pooled differences with one value per family of data sets and replicate.

    Data sets of one family (synthetic, digits, MNIST subset, Fashion-MNIST) have the seeds of replicate r in common, so
    that they are no independent replicates: their differences are averaged for each r.
    """
    families: dict[str, list[Array]] = {}
    for data, gap in gaps.items():
        families.setdefault(data.replace("(", " ").split()[0], []).append(gap)
    return np.concatenate([np.mean(members, axis=0) for members in families.values()])


def judge(
    comparisons: Sequence[Comparison],
    *,
    method: str,
    numbers: Mapping[str, Any] | None = None,
    result: Result,
    sets: Sequence[str] = (),
    at_most_not_refuted: str = "",
) -> Evidence:
    """``not reproduced`` if a comparison is contradicted, ``not refuted`` if one is undecided, otherwise ``holds``.

    ``at_most_not_refuted`` says what would settle a claim that these runs cannot settle even if all comparisons support
    it; ``sets`` are the data sets of the comparisons, for the settings and seeds.
    """
    contradicted = [item for item in comparisons if item.word == "contradicted"]
    undecided = [item for item in comparisons if item.word == "undecided"]
    outcome, margin = Outcome.HOLDS, min(item.margin for item in comparisons)
    would_settle = ""
    if contradicted:
        outcome, margin = Outcome.NOT_REPRODUCED, min(item.test.bound - item.test.lower for item in contradicted)
    elif undecided or at_most_not_refuted:
        outcome = Outcome.NOT_REFUTED
        would_settle = "; ".join(
            words for words in ("more replicates" if undecided else "", at_most_not_refuted) if words
        )
    first = comparisons[0].test
    words = f"{first.method}, error {first.alpha:.1g} per one-sided limit"
    form = result.settings.get("form") or result.settings["common"]["form"]
    return Evidence(
        Rung.RERUN,
        outcome,
        f"{method} Paired over replicates; {words}. Results of the {form} form.",
        examined=sum(item.test.samples for item in comparisons),
        margin=None if outcome is Outcome.NOT_REFUTED else margin,
        numbers={**{item.name: f"{item.word}: {item.summary()}" for item in comparisons}, **(numbers or {})},
        valid_for=settings_in_words(result, sets),
        would_settle=would_settle,
        seeds=seeds_of(result, sets),
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
