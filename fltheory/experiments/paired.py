"""Paired comparisons of algorithms over the replicates of an experiment, with the confidence of the whole project.

Curves are compared by their *level*: the mean of the logarithm of the objective over the second half of the rounds, which
asks neither for a lucky last round nor for a common scale.  A run that diverged counts as :data:`DIVERGED`.

"Lower" means: lower in more replicates than higher, by an exact sign test.  It needs no assumption on the distribution of
the differences, which has heavy tails where one client owns most of the data.  Replicates are independent, those of
different data sets too; equal values do not count.

A claim that all comparisons of a check must support is wrongly supported no more often than one of them, so each has the
whole error :data:`ERROR`.  A claim is contradicted in two ways: by one of its comparisons, with that error divided by their
number; or by all of them at once.  If the claim is right, no more than half of the replicates are expected to speak against
all comparisons of their data set, so that such replicates of all data sets together are put to one sign test.  (These are
two of the tests that share the project's error.)
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import comb

import numpy as np

from fltheory.evidence.model import Evidence, Outcome, Rung
from fltheory.evidence.places import results_folder
from fltheory.experiments.files import Result, load_result
from fltheory.experiments.seeds import FIRST, seed_of
from fltheory.experiments.statistics import BUDGET, FAMILY_ERROR
from fltheory.kinds import Array

DIVERGED = 1e12
#: Share of one check in the error of all sampling claims together.
ERROR = FAMILY_ERROR / BUDGET


def committed(name: str) -> Result:
    """The committed result of an experiment; ``ValueError`` if it has not all the replicates that it was to have."""
    result = load_result(results_folder() / "experiments" / f"{name}.npz")
    for data, entry in result.settings.get("sets", {}).items():
        if replicates(result, data) != entry["replicates"]:
            raise ValueError(
                f"{name}, {data}: {replicates(result, data)} replicates; expected {entry['replicates']}, as declared"
            )
    return result


def logs(curves: Array) -> Array:
    """``log F`` of ``(replicates, records)``, diverged runs cut off."""
    finite = np.where(np.isfinite(curves), curves, DIVERGED)
    return np.asarray(np.log(np.minimum(finite, DIVERGED)))


def until(curves: Array, share: float) -> Array:
    """The records of the first ``share`` of the rounds; records are evenly spaced, the first one is the start."""
    return curves[:, : int(share * (curves.shape[1] - 1) + 1e-9) + 1]


def level(curves: Array) -> Array:
    """Mean of ``log F`` over the second half, ``(replicates,)``."""
    values = logs(curves)
    return np.asarray(values[:, values.shape[1] // 2 :].mean(axis=1))


def roughness(curves: Array) -> Array:
    """``log`` of the mean of ``|log F_{i+1} - log F_i|`` over the second half, ``(replicates,)``."""
    values = logs(curves)
    return np.asarray(np.log(np.abs(np.diff(values[:, values.shape[1] // 2 :], axis=1)).mean(axis=1)))


def sign_test(hits: int, trials: int) -> float:
    """Probability of at least ``hits`` heads in ``trials`` throws of a fair coin, exact up to rounding."""
    return sum(comb(trials, k) for k in range(hits, trials + 1)) / (1 << trials)


@dataclass(frozen=True)
class Comparison:
    """One sign test of "more differences below the threshold than above"; ``name`` says of what.

    ``tests`` is the number of comparisons of the check, ``data`` the data set whose replicates are compared.
    """

    name: str
    differences: tuple[float, ...]
    threshold: float
    tests: int
    data: str = ""

    @property
    def samples(self) -> int:
        """Number of replicates."""
        return len(self.differences)

    @property
    def below(self) -> int:
        """Replicates that speak for the claim."""
        return sum(value < self.threshold for value in self.differences)

    @property
    def above(self) -> int:
        """Replicates that speak against it."""
        return sum(value > self.threshold for value in self.differences)

    @property
    def word(self) -> str:
        """What the test says about the claim: "supported", "contradicted" or "undecided"."""
        if sign_test(self.below, self.below + self.above) <= ERROR:
            return "supported"
        return "contradicted" if sign_test(self.above, self.below + self.above) <= ERROR / self.tests else "undecided"

    @property
    def margin(self) -> float:
        """Distance of the median from the threshold: positive where the claim is right."""
        return self.threshold - float(np.median(self.differences))

    def summary(self) -> str:
        """In one line."""
        equal = self.samples - self.below - self.above
        tied = f", {equal} equal" if equal else ""
        median = float(np.median(self.differences))
        return f"{self.below} of {self.samples} below {self.threshold:.4g}{tied}, median {median:.4g}"


def compare(name: str, difference: Array, threshold: float = 0.0, *, tests: int, data: str = "") -> Comparison:
    """Compare ``(replicates,)`` differences with the threshold, as one of ``tests`` comparisons of a check."""
    values = np.asarray(difference, dtype=np.float64)
    if values.ndim != 1 or not values.size or not np.isfinite(values).all():
        raise ValueError(f"{name}: difference has shape {values.shape}; expected (replicates,), all finite")
    return Comparison(name, tuple(values.tolist()), float(threshold), tests, data)


def all_against(comparisons: Sequence[Comparison], *, choices: int = 1) -> bool:
    """Whether the replicates that speak against all comparisons of their data set are too many for the claim.

    ``choices``: among how many alternatives a side of a comparison was chosen with the same data.
    """
    sets: dict[str, list[Array]] = {}
    for item in comparisons:
        sets.setdefault(item.data, []).append(np.array(item.differences) > item.threshold)
    against = [np.logical_and.reduce(found) for found in sets.values()]
    hits, trials = sum(int(found.sum()) for found in against), sum(len(found) for found in against)
    return sign_test(hits, trials) <= ERROR / choices


def pool(gaps: Mapping[str, Array]) -> Array:
    """Differences of several data sets together; ``ValueError`` unless all sets have equally many replicates."""
    if len({len(gap) for gap in gaps.values()}) != 1:
        counts = {data: len(gap) for data, gap in gaps.items()}
        raise ValueError(f"replicates per data set are {counts}; expected equal numbers, so that all sets count alike")
    return np.concatenate(list(gaps.values()))


def _counts(value: object) -> str:
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
            f"b={batch}, {entry['rounds']} rounds, {replicates(result, data)} replicates, sizes: {entry['sizes']}"
            + (f" (paper: {other})" if other else "")
        )
    return "; ".join(words)


def replicates(result: Result, data: str) -> int:
    """Number of replicates of a data set; see :meth:`Result.replicates`."""
    return result.replicates(data)


def seeds_of(result: Result, sets: Sequence[str]) -> tuple[int, ...]:
    """Seeds of the replicates of the data sets, each for data and run."""
    firsts = {data: int(result.settings["sets"][data][FIRST]) for data in sets}
    return tuple(sorted(seed_of(first, r) for data, first in firsts.items() for r in range(replicates(result, data))))


def judge(
    comparisons: Sequence[Comparison],
    *,
    method: str,
    numbers: Mapping[str, object] | None = None,
    result: Result,
    sets: Sequence[str] = (),
    choices: int = 1,
) -> Evidence:
    """``not reproduced`` if the claim is contradicted, ``not refuted`` if a comparison is undecided, otherwise ``holds``.

    ``sets`` are the data sets of the comparisons, for the settings and seeds; ``choices`` as in :func:`all_against`.
    """
    contradicted = [item for item in comparisons if item.word == "contradicted"]
    if all_against(comparisons, choices=choices):
        contradicted = list(comparisons)
    undecided = [item for item in comparisons if item.word == "undecided"]
    outcome = Outcome.NOT_REPRODUCED if contradicted else Outcome.NOT_REFUTED if undecided else Outcome.HOLDS
    form = result.settings.get("form") or result.settings["common"]["form"]
    return Evidence(
        Rung.RERUN,
        outcome,
        f"{method} Exact sign tests, paired within replicates; error {ERROR:.0e} for a support, for a contradiction by one "
        f"comparison divided by their number, and for one by all at once. Results of the {form} form.",
        examined=sum(item.samples for item in comparisons),
        margin=None if outcome is Outcome.NOT_REFUTED else min(item.margin for item in contradicted or comparisons),
        numbers={**{item.name: f"{item.word}: {item.summary()}" for item in comparisons}, **(numbers or {})},
        valid_for=settings_in_words(result, sets),
        would_settle="more replicates" if outcome is Outcome.NOT_REFUTED else "",
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
