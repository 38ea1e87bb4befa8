"""Participation schemes that draw a uniform K-subset without replacement, with four aggregation rules."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations, islice
from math import comb
from typing import Any

import numpy as np

from fltheory.algorithms.joint_moments import Pairs, distinct
from fltheory.algorithms.participation import (
    MOST_OUTCOMES,
    CohortOutcome,
    Scheme,
    SchemeMoments,
    moments_from,
    number_array,
    one_of,
)
from fltheory.kinds import Array, Floats, Integers, Number
from fltheory.problems.base import check_count
from fltheory.streams import choose_without_replacement


@dataclass(frozen=True)
class _UniformSubset(Scheme, ABC):
    """A uniform K-subset without replacement; the aggregation rule is the subclass's."""

    clients: int

    def __post_init__(self) -> None:
        object.__setattr__(self, "clients", check_count("K", self.clients))

    def slots(self, n_clients: int) -> int:
        return self.clients

    def check(self, weights: Sequence[Number]) -> None:
        if self.clients > len(weights):
            raise ValueError(f"K={self.clients} clients per round exceeds N={len(weights)}; expected K <= N")

    @abstractmethod
    def rule(self, weights: Sequence[Number], clients: tuple[int, ...]) -> tuple[tuple[Number, ...], Number]:
        """Coefficients of the members of a cohort and the weight of the absent."""

    def outcomes(self, weights: Sequence[Number]) -> Iterator[CohortOutcome]:
        n, size = len(weights), self.clients
        self.check(weights)
        count = _count_subsets(n, size)
        for clients in combinations(range(n), size):
            coefficients, absent = self.rule(weights, clients)
            yield CohortOutcome(one_of(weights) / count, clients, coefficients, absent)


@dataclass(frozen=True)
class _FixedCoefficients(_UniformSubset):
    """The coefficient of a member does not depend on the other members."""

    @abstractmethod
    def coefficient(self, weights: Sequence[Number], client: int) -> Number:
        """Coefficient of a member."""

    def absent_per_client(self, weights: Sequence[Number], client: int) -> Number:
        """What a client that is absent adds to the weight of the absent."""
        return 0

    def rule(self, weights: Sequence[Number], clients: tuple[int, ...]) -> tuple[tuple[Number, ...], Number]:
        missing = [k for k in range(len(weights)) if k not in clients]
        absent: Number = 0
        for k in missing:
            absent = absent + self.absent_per_client(weights, k)
        return tuple(self.coefficient(weights, k) for k in clients), absent

    def cohort(self, weights: Floats, u: Floats) -> tuple[Integers, Floats, Floats]:
        chosen = np.sort(choose_without_replacement(u, len(weights)), axis=-1)
        # Equal schemes of this file have equal rules; those of a subclass may hold more than is compared.
        tables = _tables if type(self).__module__ == __name__ else _tables.__wrapped__
        scale, gone, total = tables(self, np.asarray(weights, dtype=np.float64).tobytes())
        return chosen, scale[chosen], total - gone[chosen].sum(axis=-1)

    def moments(self, weights: Sequence[Number]) -> SchemeMoments:
        self.check(weights)
        n, size, one = len(weights), self.clients, one_of(weights)
        groups, members = distinct(list(weights))
        c = number_array([self.coefficient(weights, k) * one for k in members])
        g = number_array([self.absent_per_client(weights, k) * one for k in members])
        single = one * size / n
        double = one * size * (size - 1) / (n * (n - 1)) if n > 1 else 0 * one
        total = _sum(g, groups, one)
        # E b m_k with b = sum_j g_j (1 - m_j)
        bm = total * single - ((total - g) * double + g * single)
        b = total * (1 - single)
        bb = total * b - _sum(g * bm, groups, one)
        first, squares, product, member = (x[groups] for x in (c * single, c * c * single, c * double, c * bm))
        alone, together = number_array([single] * n), number_array([double] * n)
        c, ones = c[groups], number_array([one] * n)
        pairs = (
            Pairs(squares, lambda k, j: c[k] * c[j] * double, ((product, c),)),
            Pairs(alone, lambda k, j: together[k], ((together, ones),)),
            Pairs(first, lambda k, j: product[k], ((product, ones),)),
        )
        return moments_from(first, alone, pairs, squares, (b, bb, member, bm[groups]))


@lru_cache(maxsize=8)
def _tables(scheme: _FixedCoefficients, packed: bytes) -> tuple[Floats, Floats, Number]:
    """Coefficients of all clients, what each adds to the weight of the absent, and the sum of that, by the bytes of the weights.

    Kept, since cohorts are drawn a few rounds at a time and the rule is asked of each client by itself.
    """
    p: list[Number] = np.frombuffer(packed).tolist()
    scale = np.array([scheme.coefficient(p, k) for k in range(len(p))], dtype=np.float64)
    gone = np.array([scheme.absent_per_client(p, k) for k in range(len(p))], dtype=np.float64)
    return scale, gone, gone.sum()


@dataclass(frozen=True)
class SchemeII(_FixedCoefficients):
    """Uniform K-subset, ``sum_S (N/K) p_k x_k`` (Assumption 6 of Li et al.; unbiased, weights need not sum to one).

    Raises
    ------
    ValueError : K that is no positive integer; where it is used, K > N.
    """

    def coefficient(self, weights: Sequence[Number], client: int) -> Number:
        return weights[client] * len(weights) / self.clients


@dataclass(frozen=True)
class TransformedSchemeII(_FixedCoefficients):
    """Scheme II on the rescaled objectives ``N p_k F_k`` with equal weights: plain average of a uniform K-subset.

    Raises
    ------
    ValueError : K that is no positive integer; where it is used, K > N.
    """

    def coefficient(self, weights: Sequence[Number], client: int) -> Number:
        return one_of(weights) / self.clients

    def gradient_scale(self, weights: Sequence[Number]) -> list[Number] | None:
        return [len(weights) * p for p in weights]


@dataclass(frozen=True)
class Original(_FixedCoefficients):
    """Uniform K-subset, ``sum_S p_k x_k + (sum_{not S} p_k) w``: McMahan et al. as in Table 1 of Li et al.

    Raises
    ------
    ValueError : K that is no positive integer; where it is used, K > N.
    """

    def coefficient(self, weights: Sequence[Number], client: int) -> Number:
        return weights[client]

    def absent_per_client(self, weights: Sequence[Number], client: int) -> Number:
        return weights[client]


@dataclass(frozen=True)
class NormalisedUniform(_UniformSubset):
    """Uniform K-subset, ``sum_S p_k x_k / sum_S p_l`` (Appendix D.2 of Li et al.; biased for unequal weights).

    Its weights are ratios, so its moments come from enumeration, up to :data:`MOST_OUTCOMES` cohorts.

    Raises
    ------
    ValueError : K that is no positive integer; where it is used, K > N, or K clients that may all have weight zero.
    """

    def check(self, weights: Sequence[Number]) -> None:
        super().check(weights)
        zeros = sum(1 for p in weights if p == 0)
        if zeros >= self.clients:
            raise ValueError(f"K={self.clients} with {zeros} clients of weight zero: a cohort may have total weight 0")

    def rule(self, weights: Sequence[Number], clients: tuple[int, ...]) -> tuple[tuple[Number, ...], Number]:
        total = sum((weights[k] for k in clients), 0 * one_of(weights))
        return tuple(weights[k] / total for k in clients), 0

    def cohort(self, weights: Floats, u: Floats) -> tuple[Integers, Floats, Floats]:
        chosen = np.sort(choose_without_replacement(u, len(weights)), axis=-1)
        raw = np.asarray(weights)[chosen]
        return chosen, raw / raw.sum(axis=-1, keepdims=True), np.zeros(u.shape[0])

    def moments(self, weights: Sequence[Number]) -> SchemeMoments:
        self.check(weights)
        n = len(weights)
        one = one_of(weights)
        if isinstance(one, float):
            return self._float_moments(np.asarray(weights, dtype=np.float64))
        size = 2 * n + 2
        mean, second = np.zeros(size, dtype=object), np.zeros((size, size), dtype=object)
        runs = np.zeros(n, dtype=object)
        for outcome in self.outcomes(weights):
            scalars = np.zeros(size, dtype=object)
            scalars[0] = one
            for client, coefficient in zip(outcome.clients, outcome.coefficients, strict=True):
                scalars[1 + client] = coefficient
                scalars[n + 2 + client] = one
            mean = mean + outcome.probability * scalars
            second = second + outcome.probability * np.outer(scalars, scalars)
            runs = runs + outcome.probability * scalars[1 : n + 1] ** 2
        return SchemeMoments(mean, second, runs)

    def _float_moments(self, weights: Floats) -> SchemeMoments:
        """The same enumeration, many cohorts at a time."""
        n = len(weights)
        count = _count_subsets(n, self.clients)
        mean, second = np.zeros(2 * n + 2), np.zeros((2 * n + 2, 2 * n + 2))
        cohorts = combinations(range(n), self.clients)
        while chunk := list(islice(cohorts, 8192)):
            chosen = np.array(chunk, dtype=np.int64)
            scalars = np.zeros((len(chunk), 2 * n + 2))
            scalars[:, 0] = 1.0
            rows = np.arange(len(chunk))[:, None]
            scalars[rows, 1 + chosen] = weights[chosen] / weights[chosen].sum(axis=1, keepdims=True)
            scalars[rows, n + 2 + chosen] = 1.0
            mean = mean + scalars.sum(axis=0) / count
            second = second + scalars.T @ scalars / count
        return SchemeMoments(mean, second, np.diagonal(second)[1 : n + 1].copy())


def _sum(values: Array, groups: Integers, one: Number) -> Any:
    """The sum over all clients of a number per group: one after the other in floats, whose bits depend on the order."""
    if values.dtype == object:
        return sum((count * value for count, value in zip(np.bincount(groups).tolist(), values, strict=True)), 0 * one)
    return sum(values[groups].tolist(), 0 * one)


def _count_subsets(n: int, size: int) -> int:
    """How many cohorts there are; ``ValueError`` if they are too many to enumerate."""
    count = comb(n, size)
    if count > MOST_OUTCOMES:
        raise ValueError(f"binomial({n}, {size})={count} cohorts exceed {MOST_OUTCOMES}: not enumerated")
    return count
