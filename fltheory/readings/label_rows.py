"""``sum_ll' E[theta_l theta_l'] P_l M P_l''`` without the rows of ``P_l`` that are zero.

The coefficient of one client reaches the server's vectors, and its membership its own vectors and the server's: of the
rows of such a label most are zero, the more of them the more clients keep a state.  In floats the other rows of all labels
are one matrix; in rationals each product is one of FLINT, where that is installed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from fltheory.kinds import Array, Floats, Integers
from fltheory.problems import rational_matrices
from fltheory.problems.rational_matrices import pack, product, unpack

#: Of maps with fewer entries than this all rows are kept: their products are quick, and floats keep their last bits.
LEAST_ENTRIES = 20_000
#: All rows are kept where more than this share of them is not zero, or where the rest has more rows than this.
MOST_FULL, MOST_ROWS = 0.5, 6_000


@dataclass(frozen=True, eq=False)
class FloatRows:
    """``rows`` ``(R, w)`` in the order of their places in the state; ``starts`` says where each of ``places`` begins,
    ``joint`` ``(R, R)`` is ``E theta_l theta_l'`` of the labels of each two."""

    rows: Floats
    starts: Integers
    places: Integers
    joint: Floats
    size: int

    def advance(self, moment: Floats) -> Floats:
        """The sum for ``M`` ``(w, w)``, ``(D+1, D+1)``."""
        pairs = (self.rows @ moment) @ self.rows.T
        pairs *= self.joint
        summed = np.add.reduceat(np.add.reduceat(pairs, self.starts, axis=0), self.starts, axis=1)
        result = np.zeros((self.size, self.size))
        result[np.ix_(self.places, self.places)] = summed
        return result


@dataclass(frozen=True, eq=False)
class RationalRows:
    """For each label the numbers of its ``rows``, these rows, and ``sum_l' E[theta_l theta_l'] P_l''``, in FLINT."""

    rows: list[Integers]
    parts: list[Any]
    others: list[Any]
    size: int

    def advance(self, moment: Array) -> Array:
        """The sum for ``M`` ``(w, w)``, ``(D+1, D+1)``."""
        middle = pack(moment)
        sums: dict[bytes, Any] = {}
        places: dict[bytes, Integers] = {}
        for own, part, other in zip(self.rows, self.parts, self.others, strict=True):
            if len(own):
                key, image = own.tobytes(), (part * middle) * other
                places[key] = own
                sums[key] = image if key not in sums else sums[key] + image
        result = rational_matrices.zeros(self.size, self.size)
        for key, own in places.items():
            result[own] = result[own] + unpack(sums[key])
        return result


def label_rows(maps: Array, second: Array) -> FloatRows | RationalRows | None:
    """Of ``maps`` ``(L, D+1, w)`` and ``E theta_l theta_l'`` ``(L, L)``; None where the plain product serves as well."""
    if maps.dtype == object:
        return _rational_rows(maps, second)
    if maps[0].size < LEAST_ENTRIES:
        return None
    filled = np.stack([np.any(one, axis=1) for one in maps])
    if filled.mean() > MOST_FULL or filled.sum() > MOST_ROWS:
        return None
    places, labels = np.nonzero(filled.T)
    own, starts = np.unique(places, return_index=True)
    return FloatRows(maps[labels, places], starts, own, second[np.ix_(labels, labels)], maps.shape[1])


def _rational_rows(maps: Array, second: Array) -> RationalRows | None:
    if not rational_matrices.packable(maps, second, work=maps.size * maps.shape[2]):
        return None
    others = product(second, maps.reshape(len(maps), -1)).reshape(maps.shape)
    rows = [np.flatnonzero(own) for own in (maps != 0).any(axis=2)]
    parts = [pack(one[own]) for one, own in zip(maps, rows, strict=True)]
    return RationalRows(rows, parts, [pack(one.T) for one in others], maps.shape[1])
