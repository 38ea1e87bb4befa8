"""What the members of a random cohort cost together: the mean, the least and the largest sum of their counts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from fltheory.algorithms.participation import Full, Participation, SchemeI
from fltheory.algorithms.step_weighted import StepWeighted
from fltheory.algorithms.subsets import NormalisedUniform, Original, SchemeII, TransformedSchemeII
from fltheory.kinds import Integers, Number

SUBSETS = (NormalisedUniform, Original, SchemeII, TransformedSchemeII)


@dataclass(frozen=True)
class Total:
    """A count that may depend on the cohorts: its mean, and the least and the largest value that it can have."""

    least: int
    mean: Any
    most: int

    @property
    def certain(self) -> bool:
        """Whether it does not depend on the cohorts."""
        return self.least == self.most


def sum_of(parts: Iterable[tuple[Total, int]]) -> Total:
    """Totals of independent cohorts, each so many times."""
    least, mean, most = 0, 0, 0
    for part, often in parts:
        least, mean, most = least + part.least * often, mean + part.mean * often, most + part.most * often
    return Total(least, least if least == most else mean, most)


def cohort_total(scheme: Participation, weights: Sequence[Number], counts: Integers) -> Total:
    """The sum of ``counts`` ``(N,)`` over the members of one cohort.

    A client that is drawn twice and runs once is one member; one that runs twice counts twice.  The means are exact for
    the package's schemes (in floats where the weights are), and come from ``scheme.moments`` for others, whose largest
    value is then a bound.
    """
    if isinstance(scheme, StepWeighted):
        return cohort_total(scheme.base, weights, counts)
    listed = [int(count) for count in counts]
    n, slots = len(listed), scheme.slots(len(listed))
    if isinstance(scheme, Full):
        return Total(sum(listed), sum(listed), sum(listed))
    if isinstance(scheme, SUBSETS):
        ranked = sorted(listed)
        mean = Fraction(slots * sum(listed), n)
        return Total(sum(ranked[:slots]), mean, sum(ranked[n - slots :]))
    if isinstance(scheme, SchemeI):
        possible = sorted(count for count, p in zip(listed, weights, strict=True) if p > 0)
        if scheme.separate_runs:
            expected = sum(slots * p * count for count, p in zip(listed, weights, strict=True))
            return _total(slots * possible[0], expected, slots * possible[-1])
        expected = sum((1 - (1 - p) ** slots) * count for count, p in zip(listed, weights, strict=True))
        return _total(possible[0], expected, sum(possible[max(0, len(possible) - slots) :]))
    member = scheme.moments(weights).mean[n + 2 :]
    expected = sum(share * count for count, share in zip(listed, member, strict=True))
    most = sum(sorted(listed)[max(0, n - slots) :])
    return _total(min(listed) if slots else 0, expected, most)


def _total(least: int, mean: Number, most: int) -> Total:
    return Total(least, least if least == most else mean, most)
