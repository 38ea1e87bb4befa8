"""Joint second moments of a cohort's random scalars, kept by what they depend on and not entry by entry.

The scalars are ``theta = (1, a_1..a_N, b, m_1..m_N)``.  A scheme treats clients alike up to their weights, so that a block
such as ``E a_k m_j`` is a number per client on its diagonal and a simple function of two clients beside it.  Entries are
computed where they are asked for; sums over all clients take ``O(N)`` steps where that function is a sum of products, or
depends on few groups of clients.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from fltheory.kinds import Array, Integers, Number

#: A matrix of more entries is not written out.
MOST_ENTRIES = 50_000_000
#: A function of two groups of clients is a table up to so many entries, each computed once.
MOST_TABLE = 4_000_000


def distinct(values: Sequence[Number]) -> tuple[Integers, list[int]]:
    """Which values agree: the group of each ``(N,)``, and the place of the first member of each group."""
    seen: dict[Number, int] = {}
    first: list[int] = []
    groups = np.empty(len(values), dtype=np.int64)
    for place, value in enumerate(values):
        group = seen.setdefault(value, len(first))
        if group == len(first):
            first.append(place)
        groups[place] = group
    return groups, first


@dataclass(frozen=True, eq=False)
class Pairs:
    """A block ``E x_k y_j``: ``same`` ``(N,)`` where ``k = j``, and ``apart(k, j)`` for arrays of clients elsewhere.

    Either ``terms`` are pairs of vectors ``(N,)`` with ``apart(k, j) = sum_t left_t[k] right_t[j]``, or ``apart`` depends on
    the ``groups`` of the two clients alone, whose first members are ``members``.
    """

    same: Array
    apart: Callable[[Any, Any], Any]
    terms: tuple[tuple[Array, Array], ...] = ()
    groups: Integers | None = None
    members: Integers | None = None

    def at(self, k: Integers, j: Integers) -> Array:
        """The entries at clients ``k`` and ``j``, arrays of one shape."""
        if self.groups is None:
            return np.where(k == j, self.same[k], self.apart(k, j))
        if len(self.table):
            return np.where(k == j, self.same[k], self.table[self.groups[k], self.groups[j]])
        return np.where(k == j, self.same[k], self.apart(k, j))

    @cached_property
    def table(self) -> Array:
        """``apart`` by groups, ``(G, G)``; empty where that is too large."""
        assert self.members is not None
        if len(self.members) ** 2 > MOST_TABLE:
            return np.zeros((0, 0))
        return np.asarray(self.apart(self.members[:, None], self.members[None, :]))

    def times(self, x: Array, *, turned: bool = False) -> Array:
        """``sum_j E x_k y_j x_j`` for ``x`` ``(N, c)``; ``turned``: of the transposed block."""
        if self.terms:
            pairs = [(right, left) if turned else (left, right) for left, right in self.terms]
            total = sum(left[:, None] * (right @ x)[None, :] for left, right in pairs)
            beside = sum(left * right for left, right in pairs)
            return np.asarray(total + (self.same - beside)[:, None] * x)
        assert self.groups is not None
        if not len(self.table):
            raise ValueError(
                f"N={len(self.same)} clients of {len(np.unique(self.groups))} different weights: the joint membership of each two "
                f"is a number of its own; expected at most {int(MOST_TABLE**0.5)} different weights"
            )
        table = self.table.T if turned else self.table
        sums = np.zeros((len(table), x.shape[1]), dtype=x.dtype)
        np.add.at(sums, self.groups, x)
        inside = np.diagonal(self.table)[self.groups]
        return np.asarray((table @ sums)[self.groups] + (self.same - inside)[:, None] * x)


@dataclass(frozen=True, eq=False)
class JointMoments:
    """``E theta theta'`` ``(2N+2, 2N+2)``, indexed as an array and never written out unless asked.

    ======================= ========= ===============================================
    attribute               shape     meaning
    ======================= ========= ===============================================
    ``mean``                (2N+2,)   ``E theta``
    ``coefficients``                  ``E a_k a_j``
    ``memberships``                   ``E m_k m_j``
    ``crossed``                       ``E a_k m_j``
    ``absent``                        ``E b^2``
    ``absent_coefficients`` ``(N,)``  ``E b a_k``
    ``absent_memberships``  ``(N,)``  ``E b m_k``
    ======================= ========= ===============================================
    """

    mean: Array
    coefficients: Pairs
    memberships: Pairs
    crossed: Pairs
    absent: Number
    absent_coefficients: Array
    absent_memberships: Array

    @property
    def n_clients(self) -> int:
        """``N``."""
        return len(self.absent_coefficients)

    @property
    def shape(self) -> tuple[int, int]:
        """``(2N+2, 2N+2)``."""
        return len(self.mean), len(self.mean)

    @property
    def dtype(self) -> Any:
        """float64, or object for exact numbers."""
        return self.mean.dtype

    def __getitem__(self, index: Any) -> Any:
        """Entries, as of an array that is indexed by two integers, slices or arrays."""
        rows, columns = (np.arange(len(self.mean))[one] if isinstance(one, slice) else one for one in index)
        if all(isinstance(one, slice) for one in index):
            rows, columns = np.ix_(rows, columns)
        i, j = np.broadcast_arrays(np.asarray(rows), np.asarray(columns))
        if i.size > MOST_ENTRIES:
            raise ValueError(
                f"{i.size} joint moments of the scalars of N={self.n_clients} clients are too many to write out; expected at most "
                f"{MOST_ENTRIES}: readings sum over clients instead"
            )
        found = self._entries(i.ravel() % len(self.mean), j.ravel() % len(self.mean)).reshape(i.shape)
        return found[()] if not i.ndim else found

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        """All entries."""
        whole = self[:, :]
        return np.asarray(whole if dtype is None else whole.astype(dtype))

    def _entries(self, i: Integers, j: Integers) -> Array:
        n = self.n_clients
        found = np.zeros(len(i), dtype=self.dtype)
        kinds, clients = zip(*(_split(one, n) for one in (i, j)), strict=True)
        for left, right, values in (
            (_ONE, None, lambda k, j: self.mean[j]),
            (_A, _A, self.coefficients.at),
            (_M, _M, self.memberships.at),
            (_A, _M, self.crossed.at),
            (_B, _B, lambda k, j: self.absent),
            (_B, _A, lambda k, j: self.absent_coefficients[j]),
            (_B, _M, lambda k, j: self.absent_memberships[j]),
        ):
            for turned in (False,) if left == right else (False, True):
                first, second = (1, 0) if turned else (0, 1)
                here = kinds[first] == left
                if right is not None:
                    here = here & (kinds[second] == right)
                if here.any():
                    of = (i, j)[second] if right is None else clients[second]
                    found[here] = values(clients[first][here], of[here])
        return found

    def times(self, labels: tuple[int, ...], x: Array) -> Array:
        """``sum_l' E[theta_l theta_l'] x_l'`` for ``x`` ``(L, ...)``; of the kinds ``a`` and ``m`` all labels or none are named."""
        n = self.n_clients
        flat = x.reshape(len(x), -1)
        place = {label: index for index, label in enumerate(labels)}
        spots = {
            kind: slice(place[first], place[first] + count)
            for kind, first, count in ((_ONE, 0, 1), (_A, 1, n), (_B, n + 1, 1), (_M, n + 2, n))
            if first in place
        }
        if sum(spot.stop - spot.start for spot in spots.values()) != len(labels):
            raise ValueError("labels name some clients' scalars only; expected all of a kind or none")
        parts = {kind: flat[spot] for kind, spot in spots.items()}
        found = np.zeros_like(flat)
        for row, spot in spots.items():
            for column, part in parts.items():
                found[spot] = found[spot] + self._block(row, column, part)
        return found.reshape(x.shape)

    def _block(self, row: int, column: int, x: Array) -> Array:
        if row == _ONE or column == _ONE:
            other = self._means(column if row == _ONE else row)
            return np.asarray(other @ x)[None] if row == _ONE else np.asarray(other[:, None] * x)
        if row == _B or column == _B:
            vector = {_A: self.absent_coefficients, _M: self.absent_memberships}.get(column if row == _B else row)
            if vector is None:
                return np.asarray(self.absent * x)
            return np.asarray(vector @ x)[None] if row == _B else np.asarray(vector[:, None] * x)
        block = {(_A, _A): self.coefficients, (_M, _M): self.memberships}.get((row, column), self.crossed)
        return block.times(x, turned=(row, column) == (_M, _A))

    def _means(self, kind: int) -> Array:
        n = self.n_clients
        first, count = {_ONE: (0, 1), _A: (1, n), _B: (n + 1, 1), _M: (n + 2, n)}[kind]
        return self.mean[first : first + count]


_ONE, _A, _B, _M = range(4)


def _split(labels: Integers, n: int) -> tuple[Integers, Integers]:
    """The kind of each label and, of ``a`` and ``m``, the client."""
    kinds = np.select([labels == 0, labels <= n, labels == n + 1], [_ONE, _A, _B], _M)
    return kinds, np.where(kinds == _A, labels - 1, labels - n - 2)


@dataclass(frozen=True, eq=False)
class LabelMoments:
    """``E theta_l theta_l'`` of the labels of a round, of which there are too many for a matrix."""

    joint: JointMoments
    labels: tuple[int, ...]

    def times(self, x: Array) -> Array:
        """``sum_l' E[theta_l theta_l'] x_l'`` for ``x`` ``(L, ...)``."""
        return self.joint.times(self.labels, x)
