"""Weighted sums over a large population in an order that a change of few clients passes through in few additions.

Clients stand in a row.  Eight neighbours ``w_k x_k`` are added in their order, eight such sums are added in theirs, and so on
until one is left.  With the sums kept, new vectors of ``K`` clients change at most ``K`` sums of each of the
``log_8 N`` levels, and these added up anew have the bits of the whole sum: nothing drifts, whatever was changed before.

Added in a row, ``N`` terms pass through up to ``N - 1`` roundings; here through seven for each level, 42 for ``N = 10**5``.
"""

from __future__ import annotations

from typing import Any

from fltheory.kinds import Array

#: Sums that are added to one of the next level.
FAN = 8
#: Clients up to which vectors are added in a row: so few cost no more than the levels, and keep the bits that they had.
FEW = 128


def in_levels(clients: int) -> bool:
    """Whether sums over so many clients are made in levels."""
    return clients > FEW


def kept_sums(clients: int) -> int:
    """How many sums the levels have together, the whole one included."""
    count = 0
    while clients > 1:
        clients = -(-clients // FAN)
        count += clients
    return count


def level_sums(weights: Array, values: Array) -> list[Array]:
    """The levels of ``sum_k weights[k] values[:, k, :]``, each ``(runs, sums, d)``; the last holds one sum, the whole one."""
    level: Array = weights[:, None] * values
    found: list[Any] = []
    while level.shape[1] > 1 or not found:
        total = level[:, ::FAN].copy()
        for j in range(1, FAN):
            terms = level[:, j::FAN]
            total[:, : terms.shape[1]] += terms
        found.append(total)
        level = total
    return found
