"""Random scalars of a round whose maps are equal, as one: clients with the same data and weight need one map.

If ``P_k = P_j``, then ``theta_k P_k + theta_j P_j = (theta_k + theta_j) P_k``.  Equality is that of the numbers: what makes
clients alike need not be known.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from fltheory.algorithms.joint_moments import LabelMoments
from fltheory.algorithms.participation import MOST_LABELS, SchemeMoments
from fltheory.kinds import Array
from fltheory.readings.numbers import Numbers

#: Fewer scalars are kept apart: little is saved, and sums in floats keep their last bits.
LEAST_MERGED = 64


@dataclass(frozen=True, eq=False)
class LabelGroups:
    """``place`` says which map each label has, ``named`` ``(L,)`` the first label of each map; ``first`` ``(L,)`` and
    ``second`` ``(L, L)`` are the moments of the sums of the scalars with one map."""

    place: dict[int, int]
    named: tuple[int, ...]
    first: Array
    second: Array | LabelMoments


def label_groups(
    labels: list[int], forms: list[Any], scheme: SchemeMoments | None, numbers: Numbers, n: int, width: int
) -> LabelGroups:
    """The groups of the labels of a round, ``forms`` being its leaves; ``width`` counts the columns of a map."""
    if scheme is None:
        return LabelGroups({0: 0}, (0,), numbers.array([1]), numbers.array([[1]]))
    place = _places(labels, forms, n, width)
    count = 1 + max(place.values())
    first, second = scheme.mean[labels], scheme.of(tuple(labels))
    if count == len(labels):
        return LabelGroups(place, tuple(labels), first, second)
    group = np.array([place[label] for label in labels])
    member = numbers.array((group[:, None] == np.arange(count)).astype(int))
    sums = second.times(member) if isinstance(second, LabelMoments) else second @ member
    total = numbers.array(np.zeros((count, count), dtype=int))
    np.add.at(total, group, sums)
    mean = numbers.array(np.zeros(count, dtype=int))
    np.add.at(mean, group, first)
    named = np.unique(group, return_index=True)[1]
    return LabelGroups(place, tuple(labels[index] for index in named), mean, total)


def _places(labels: list[int], forms: list[Any], n: int, width: int) -> dict[int, int]:
    """The place of each label's map; all apart where few are equal."""
    apart = {label: index for index, label in enumerate(labels)}
    if len(labels) < LEAST_MERGED:
        return apart
    own_state = any(getattr(form, "member", None) is not None for form in forms)
    found: dict[Any, int] = {}
    place: dict[int, int] = {}
    for label in labels:
        key: Any = label
        if 1 <= label <= n:
            key = ("average", *_numbers(forms, "average", label - 1, width))
        elif label > n + 1 and not own_state:
            key = ("members", *_numbers(forms, "members", label - n - 2, width))
        place[label] = found.setdefault(key, len(found))
    few = 2 * len(found) <= len(labels) and len(found) <= MOST_LABELS
    return place if few else apart


def _numbers(forms: list[Any], part: str, client: int, width: int) -> list[Any]:
    listed = [getattr(form, part, None) for form in forms]
    cut = [None if one is None else one[client, :, :width] for one in listed]
    return [one if one is None else tuple(one.ravel()) if one.dtype == object else one.tobytes() for one in cut]
