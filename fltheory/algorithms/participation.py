"""Participation schemes: a random cohort with an aggregation rule, as a value.

A scheme turns the clients' vectors into ``sum_slots coefficient * x_slot + absent * w``, where the slots are the
members of the cohort and ``w`` is what the algorithm names as the contribution of clients that are absent.  A scheme

* draws a cohort from uniforms (``cohort``),
* lists its outcomes with exact probabilities when they are few (``outcomes``),
* knows the exact joint second moments of all its random scalars (``moments``).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, islice, product
from math import comb
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from fltheory.problems.base import check_choice, check_count
from fltheory.streams import choose_without_replacement

Number = Any
FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]

#: More outcomes than this are not enumerated.
MOST_OUTCOMES = 1_000_000


@dataclass(frozen=True)
class Outcome:
    """One outcome of a cohort draw: the clients in the slots, a coefficient per slot, and the weight of the absent."""

    probability: Number
    clients: tuple[int, ...]
    coefficients: tuple[Number, ...]
    absent: Number

    def client_coefficients(self, n_clients: int) -> list[Number]:
        """Total coefficient of each client (slots of the same client add up)."""
        total: list[Number] = [0] * n_clients
        for client, coefficient in zip(self.clients, self.coefficients, strict=True):
            total[client] = total[client] + coefficient
        return total


@dataclass(frozen=True)
class SchemeMoments:
    """Exact first and second moments of the scalars ``(1, a_1..a_N, b, m_1..m_N)`` of one round.

    ``a_k`` is the total coefficient of client k, ``b`` the weight of the absent, ``m_k`` its membership (0 or 1).
    ``mean`` has length ``2N+2`` and ``second`` is ``(2N+2, 2N+2)``.  ``run_weights[k]`` is the expected sum, over
    the independent local runs made by client k, of the squared coefficient of that run: it multiplies the variance of
    one local run, and it equals ``E a_k**2`` unless a client that is drawn twice runs twice.
    """

    mean: npt.NDArray[Any]
    second: npt.NDArray[Any]
    run_weights: npt.NDArray[Any]


class Participation(Protocol):
    """What every scheme can do."""

    def slots(self, n_clients: int) -> int:
        """Number of slots of a cohort."""
        ...

    def check(self, weights: Sequence[Number]) -> None:
        """Raise ``ValueError`` if the scheme does not fit a problem with these client weights."""
        ...

    def cohort(self, weights: FloatArray, u: FloatArray) -> tuple[IntArray, FloatArray, FloatArray]:
        """Clients ``(runs, slots)``, coefficients ``(runs, slots)`` and absent weight ``(runs,)`` from uniforms."""
        ...

    def outcomes(self, weights: Sequence[Number]) -> Iterator[Outcome]:
        """All outcomes with their probabilities, exact for exact weights; ``ValueError`` if they are too many."""
        ...

    def moments(self, weights: Sequence[Number]) -> SchemeMoments:
        """Exact moments of the round's random scalars."""
        ...

    def gradient_scale(self, weights: Sequence[Number]) -> list[Number] | None:
        """Factor by which each client's objective is scaled, or ``None``."""
        ...

    @property
    def separate_runs(self) -> bool:
        """Whether the slots of one client are independent local runs."""
        ...


class _Scheme:
    """Defaults shared by the schemes."""

    @property
    def separate_runs(self) -> bool:
        return False

    def gradient_scale(self, weights: Sequence[Number]) -> list[Number] | None:
        return None

    def check(self, weights: Sequence[Number]) -> None:
        return None


def _moments_from(first: list[Number], pair: Any, absent: Any, member: Any, run_weights: list[Number]) -> SchemeMoments:
    """Assemble moments from E a_k, E a_k a_l, (E b, E b^2, E b a_k, E b m_k) and (E m_k, E m_k m_l, E a_k m_l)."""
    n = len(first)
    size = 2 * n + 2
    dtype = np.float64 if all(isinstance(x, (int, float, np.floating)) for x in first) else object
    mean = np.zeros(size, dtype=dtype)
    second = np.zeros((size, size), dtype=dtype)
    b, bb, ba, bm = absent
    m, mm, am = member
    mean[0], mean[n + 1] = 1, b
    for k in range(n):
        mean[1 + k], mean[n + 2 + k] = first[k], m(k)
    second[0, :], second[:, 0] = mean, mean
    second[n + 1, n + 1] = bb
    for k in range(n):
        second[1 + k, n + 1] = second[n + 1, 1 + k] = ba(k)
        second[n + 2 + k, n + 1] = second[n + 1, n + 2 + k] = bm(k)
        for j in range(n):
            second[1 + k, 1 + j] = pair(k, j)
            second[n + 2 + k, n + 2 + j] = mm(k, j)
            second[1 + k, n + 2 + j] = second[n + 2 + j, 1 + k] = am(k, j)
    return SchemeMoments(mean, second, np.array(run_weights, dtype=dtype))


_NO_ABSENT = (0, 0, lambda k: 0, lambda k: 0)


@dataclass(frozen=True)
class Full(_Scheme):
    """Every client takes part: ``sum_k p_k x_k``."""

    def slots(self, n_clients: int) -> int:
        return n_clients

    def cohort(self, weights: FloatArray, u: FloatArray) -> tuple[IntArray, FloatArray, FloatArray]:
        runs, n = u.shape[0], len(weights)
        clients = np.broadcast_to(np.arange(n), (runs, n))
        return clients, np.broadcast_to(weights, (runs, n)), np.zeros(runs)

    def outcomes(self, weights: Sequence[Number]) -> Iterator[Outcome]:
        yield Outcome(1, tuple(range(len(weights))), tuple(weights), 0)

    def moments(self, weights: Sequence[Number]) -> SchemeMoments:
        p = list(weights)
        member = (lambda k: 1, lambda k, j: 1, lambda k, j: p[k])
        return _moments_from(p, lambda k, j: p[k] * p[j], _NO_ABSENT, member, [x * x for x in p])


@dataclass(frozen=True)
class SchemeI(_Scheme):
    """K independent draws with replacement with probabilities p; plain average (Assumption 5 of Li et al.).

    A client drawn twice may run once and count twice (``repeats="one run"``) or run twice independently
    (``repeats="separate runs"``); the paper does not say which.
    """

    clients: int
    repeats: str = "one run"

    def __post_init__(self) -> None:
        object.__setattr__(self, "clients", check_count("K", self.clients))
        check_choice("repeats", self.repeats, ("one run", "separate runs"))

    @property
    def separate_runs(self) -> bool:
        return self.repeats == "separate runs"

    def slots(self, n_clients: int) -> int:
        return self.clients

    def cohort(self, weights: FloatArray, u: FloatArray) -> tuple[IntArray, FloatArray, FloatArray]:
        chosen = np.minimum(np.searchsorted(np.cumsum(weights), u, side="right"), len(weights) - 1)
        return chosen.astype(np.int64), np.full(chosen.shape, 1.0 / self.clients), np.zeros(u.shape[0])

    def outcomes(self, weights: Sequence[Number]) -> Iterator[Outcome]:
        n, size = len(weights), self.clients
        if n**size > MOST_OUTCOMES:
            raise ValueError(f"N^K={n}^{size} cohorts exceed {MOST_OUTCOMES}: not enumerated")
        share = _one(weights) / size
        for clients in product(range(n), repeat=size):
            probability = _one(weights)
            for client in clients:
                probability = probability * weights[client]
            yield Outcome(probability, clients, (share,) * size, 0)

    def moments(self, weights: Sequence[Number]) -> SchemeMoments:
        p, size, one = list(weights), self.clients, _one(weights)

        def pair(k: int, j: int) -> Number:
            """E a_k a_j = (K p_k [k=j] + K(K-1) p_k p_j)/K^2."""
            same = p[k] if k == j else 0 * one
            return (same + (size - 1) * p[k] * p[j]) / size

        def both(k: int, j: int) -> Number:
            if k == j:
                return one - (one - p[k]) ** size
            return one - (one - p[k]) ** size - (one - p[j]) ** size + (one - p[k] - p[j]) ** size

        def count_and_member(k: int, j: int) -> Number:
            """E a_k m_j = p_k - E a_k [j absent], and E a_k [j absent] = p_k (1-p_j)^(K-1) for k != j."""
            return p[k] if k == j else p[k] - p[k] * (one - p[j]) ** (size - 1)

        runs = [x / size for x in p] if self.separate_runs else [pair(k, k) for k in range(len(p))]
        return _moments_from(p, pair, _NO_ABSENT, (lambda k: both(k, k), both, count_and_member), runs)


@dataclass(frozen=True)
class _UniformSubset(_Scheme):
    """A uniform K-subset without replacement; the aggregation rule is the subclass's."""

    clients: int

    def __post_init__(self) -> None:
        object.__setattr__(self, "clients", check_count("K", self.clients))

    def slots(self, n_clients: int) -> int:
        return self.clients

    def check(self, weights: Sequence[Number]) -> None:
        if self.clients > len(weights):
            raise ValueError(f"K={self.clients} clients per round exceeds N={len(weights)}; expected K <= N")

    def coefficient(self, weights: Sequence[Number], client: int) -> Number:
        """Coefficient of a member, where it does not depend on the others."""
        raise NotImplementedError

    def absent_per_client(self, weights: Sequence[Number], client: int) -> Number:
        """What a client that is absent adds to the weight of the absent."""
        return 0

    def rule(self, weights: Sequence[Number], clients: tuple[int, ...]) -> tuple[tuple[Number, ...], Number]:
        """Coefficients of the members of a cohort and the weight of the absent."""
        missing = [k for k in range(len(weights)) if k not in clients]
        absent: Number = 0
        for k in missing:
            absent = absent + self.absent_per_client(weights, k)
        return tuple(self.coefficient(weights, k) for k in clients), absent

    def cohort(self, weights: FloatArray, u: FloatArray) -> tuple[IntArray, FloatArray, FloatArray]:
        n = len(weights)
        p: list[Number] = weights.tolist()
        chosen = np.sort(choose_without_replacement(u, n), axis=-1)
        scale = np.array([self.coefficient(p, k) for k in range(n)], dtype=np.float64)
        gone = np.array([self.absent_per_client(p, k) for k in range(n)], dtype=np.float64)
        return chosen, scale[chosen], gone.sum() - gone[chosen].sum(axis=-1)

    def outcomes(self, weights: Sequence[Number]) -> Iterator[Outcome]:
        n, size = len(weights), self.clients
        self.check(weights)
        count = _count_subsets(n, size)
        for clients in combinations(range(n), size):
            coefficients, absent = self.rule(weights, clients)
            yield Outcome(_one(weights) / count, clients, coefficients, absent)

    def moments(self, weights: Sequence[Number]) -> SchemeMoments:
        self.check(weights)
        n, size, one = len(weights), self.clients, _one(weights)
        c = [self.coefficient(weights, k) for k in range(n)]
        g = [self.absent_per_client(weights, k) for k in range(n)]
        single = one * size / n
        double = one * size * (size - 1) / (n * (n - 1)) if n > 1 else 0 * one
        total = sum(g, 0 * one)

        def mm(k: int, j: int) -> Number:
            return single if k == j else double

        def bm(k: int) -> Number:
            """E b m_k with b = sum_j g_j (1 - m_j)."""
            return total * single - sum((g[j] * mm(j, k) for j in range(n)), 0 * one)

        b = total * (1 - single)
        bb = total * b - sum((g[k] * bm(k) for k in range(n)), 0 * one)
        absent = (b, bb, lambda k: c[k] * bm(k), bm)
        member = (lambda k: single, mm, lambda k, j: c[k] * mm(k, j))
        return _moments_from(
            [x * single for x in c], lambda k, j: c[k] * c[j] * mm(k, j), absent, member, [x * x * single for x in c]
        )


@dataclass(frozen=True)
class SchemeII(_UniformSubset):
    """Uniform K-subset, ``sum_S (N/K) p_k x_k`` (Assumption 6 of Li et al.; unbiased, weights need not sum to one)."""

    def coefficient(self, weights: Sequence[Number], client: int) -> Number:
        return weights[client] * len(weights) / self.clients


@dataclass(frozen=True)
class TransformedSchemeII(_UniformSubset):
    """Scheme II on the rescaled objectives ``N p_k F_k`` with equal weights: plain average of a uniform K-subset."""

    def coefficient(self, weights: Sequence[Number], client: int) -> Number:
        return _one(weights) / self.clients

    def gradient_scale(self, weights: Sequence[Number]) -> list[Number] | None:
        return [len(weights) * p for p in weights]


@dataclass(frozen=True)
class Original(_UniformSubset):
    """Uniform K-subset, ``sum_S p_k x_k + (sum_{not S} p_k) w``: McMahan et al. as in Table 1 of Li et al."""

    def coefficient(self, weights: Sequence[Number], client: int) -> Number:
        return weights[client]

    def absent_per_client(self, weights: Sequence[Number], client: int) -> Number:
        return weights[client]


@dataclass(frozen=True)
class NormalisedUniform(_UniformSubset):
    """Uniform K-subset, ``sum_S p_k x_k / sum_S p_l`` (Appendix D.2 of Li et al.; biased for unequal weights).

    Its weights are ratios, so its moments come from enumeration, up to :data:`MOST_OUTCOMES` cohorts.
    """

    def check(self, weights: Sequence[Number]) -> None:
        super().check(weights)
        zeros = sum(1 for p in weights if p == 0)
        if zeros >= self.clients:
            raise ValueError(f"K={self.clients} with {zeros} clients of weight zero: a cohort may have total weight 0")

    def rule(self, weights: Sequence[Number], clients: tuple[int, ...]) -> tuple[tuple[Number, ...], Number]:
        total = sum((weights[k] for k in clients), 0 * _one(weights))
        return tuple(weights[k] / total for k in clients), 0

    def cohort(self, weights: FloatArray, u: FloatArray) -> tuple[IntArray, FloatArray, FloatArray]:
        chosen = np.sort(choose_without_replacement(u, len(weights)), axis=-1)
        raw = np.asarray(weights)[chosen]
        return chosen, raw / raw.sum(axis=-1, keepdims=True), np.zeros(u.shape[0])

    def moments(self, weights: Sequence[Number]) -> SchemeMoments:
        self.check(weights)
        n = len(weights)
        one = _one(weights)
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

    def _float_moments(self, weights: FloatArray) -> SchemeMoments:
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


def _count_subsets(n: int, size: int) -> int:
    """How many cohorts there are; ``ValueError`` if they are too many to enumerate."""
    count = comb(n, size)
    if count > MOST_OUTCOMES:
        raise ValueError(f"binomial({n}, {size})={count} cohorts exceed {MOST_OUTCOMES}: not enumerated")
    return count


def _one(weights: Sequence[Number]) -> Number:
    """The number one in the number type of the weights (1.0 for floats, so that divisions stay in the type)."""
    first = weights[0]
    if isinstance(first, (float, np.floating, int, np.integer)):
        return 1.0
    return first - first + 1
