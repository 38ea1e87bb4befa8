"""``sum_ll' E[theta_l theta_l'] P_l M P_l''`` where clients of one weight are alike to the scheme.

The scalars of two different clients then have joint moments that depend on their kinds and weights only.  With the labels in
classes of one kind and weight, ``E theta_l theta_l' = T[class l, class l']`` unless both belong to one client.  The sum over all
pairs of labels is one over pairs of classes, with ``S_B = sum_{l in B} P_l``, and a term for each client, of its own few rows and
columns: sums over ``N`` clients take the place of sums over ``N^2`` pairs of them.

Maps are multiplied as sparse ones: a client's vectors depend on its own state and the server's, not on the other clients'.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from fltheory.kinds import Array, Floats, Integers
from fltheory.readings.label_rows import LEAST_ENTRIES, MOST_FULL


@dataclass(frozen=True, eq=False)
class OwnTerm:
    """What the pairs of labels of one client have beside ``T``: ``parts`` are the labels' ``rows`` of the state and these rows of
    their maps in the ``columns``; ``beside`` ``(L_k, L_k)``."""

    columns: Integers
    parts: tuple[tuple[Integers, Floats], ...]
    beside: Floats


@dataclass(frozen=True, eq=False)
class ClassRows:
    """``sums`` are ``S_B`` and ``others`` ``sum_B' T[B, B'] S_B'``, sparse; ``own`` are the clients' terms."""

    sums: list[Any]
    others: list[Any]
    own: list[OwnTerm]

    def advance(self, moment: Floats) -> Floats:
        """The sum for ``M`` ``(w, w)``, ``(D+1, D+1)``."""
        result: Floats = np.zeros((self.sums[0].shape[0],) * 2)
        turned = np.ascontiguousarray(moment.T)
        for left, right in zip(self.sums, self.others, strict=True):
            result += left @ np.ascontiguousarray((right @ turned).T)
        for term in self.own:
            inside = moment[np.ix_(term.columns, term.columns)]
            for (rows, part), beside in zip(term.parts, term.beside, strict=True):
                image = part @ inside
                for (places, other), number in zip(term.parts, beside, strict=True):
                    if number:
                        result[np.ix_(rows, places)] += number * (image @ other.T)
        return result


def class_rows(maps: Array, labels: Sequence[int], first: Array, second: Array, n: int) -> ClassRows | None:
    """Of ``maps`` ``(L, D+1, w)`` of the ``labels`` with moments ``first`` and ``second``, in floats; ``None`` where maps are small
    or not sparse, or where joint moments of different clients are not a function, bit by bit, of kinds and means."""
    if maps.dtype == object or maps[0].size < LEAST_ENTRIES or len(labels) < 3:
        return None
    filled = np.stack([np.any(one, axis=1) for one in maps])
    if filled.mean() > MOST_FULL:
        return None
    kinds = [0 if label == 0 else 1 if label <= n else 2 if label == n + 1 else 3 for label in labels]
    clients = [
        label - 1 if kind == 1 else label - n - 2 if kind == 3 else -1 - kind
        for kind, label in zip(kinds, labels, strict=True)
    ]
    numbered: dict[Any, int] = {}
    named = [numbered.setdefault((kind, float(mean)), len(numbered)) for kind, mean in zip(kinds, first, strict=True)]
    classes, belongs = np.array(named), np.array(clients)
    if 2 * len(numbered) > len(labels):
        return None
    table = _table(classes, belongs, second, len(numbered))
    beside = second - table[np.ix_(classes, classes)]
    same = belongs[:, None] == belongs[None, :]
    if np.any(beside[~same]):
        return None
    from scipy import sparse

    sums = np.stack([maps[classes == one].sum(axis=0) for one in range(len(table))])
    others = np.tensordot(table, sums, axes=(1, 0))
    ours = [np.flatnonzero(belongs == client) for client in np.unique(belongs)]
    own = [_own_term(maps, filled, those, beside) for those in ours if np.any(beside[np.ix_(those, those)])]
    return ClassRows([sparse.csr_array(one) for one in sums], [sparse.csr_array(one) for one in others], own)


def _table(classes: Integers, belongs: Integers, second: Array, count: int) -> Floats:
    """The joint moment of each two classes at one pair of labels: of different clients, where there are such."""
    table = np.zeros((count, count))
    members = [np.flatnonzero(classes == one) for one in range(count)]
    for one, left in enumerate(members):
        for other, right in enumerate(members):
            here, there = left[0], right[0]
            if belongs[here] == belongs[there]:
                there = next((label for label in right if belongs[label] != belongs[here]), there)
            if belongs[here] == belongs[there]:
                here = next((label for label in left if belongs[label] != belongs[there]), here)
            table[one, other] = second[here, there]
    return table


def _own_term(maps: Array, filled: Array, labels: Integers, beside: Array) -> OwnTerm:
    columns = np.flatnonzero(np.any(maps[labels] != 0, axis=(0, 1)))
    rows = [np.flatnonzero(filled[label]) for label in labels]
    parts = tuple((own, maps[label][np.ix_(own, columns)]) for own, label in zip(rows, labels, strict=True))
    return OwnTerm(columns, parts, beside[np.ix_(labels, labels)])
