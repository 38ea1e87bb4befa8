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
from itertools import product
from typing import Any, Protocol

import numpy as np

from fltheory.kinds import Array, Floats, Integers, Number
from fltheory.problems.checks import check_choice, check_count, check_words

#: More outcomes than this are not enumerated.
MOST_OUTCOMES = 1_000_000


@dataclass(frozen=True)
class CohortOutcome:
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

    mean: Array
    second: Array
    run_weights: Array


class Participation(Protocol):
    """What every scheme can do."""

    def slots(self, n_clients: int) -> int:
        """Number of slots of a cohort."""
        ...

    def check(self, weights: Sequence[Number]) -> None:
        """Raise ``ValueError`` if the scheme does not fit a problem with these client weights."""
        ...

    def cohort(self, weights: Floats, u: Floats) -> tuple[Integers, Floats, Floats]:
        """Clients ``(runs, slots)``, coefficients ``(runs, slots)`` and absent weight ``(runs,)`` from uniforms."""
        ...

    def outcomes(self, weights: Sequence[Number]) -> Iterator[CohortOutcome]:
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


class Scheme:
    """Defaults shared by the schemes."""

    @property
    def separate_runs(self) -> bool:
        return False

    def gradient_scale(self, weights: Sequence[Number]) -> list[Number] | None:
        return None

    def check(self, weights: Sequence[Number]) -> None:
        return None


def moments_from(first: list[Number], pair: Any, absent: Any, member: Any, run_weights: list[Number]) -> SchemeMoments:
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


def check_participation(scheme: Participation) -> None:
    """Raise ``ValueError`` unless ``scheme`` is a participation scheme, an instance and not its class."""
    words = ("slots", "check", "cohort", "outcomes", "moments")
    expected = "Full(), SchemeI(clients=2), SchemeII(clients=2) or the like"
    check_words("participation", scheme, words, "participation scheme", expected)


_NO_ABSENT = (0, 0, lambda k: 0, lambda k: 0)


@dataclass(frozen=True)
class Full(Scheme):
    """Every client takes part: ``sum_k p_k x_k``."""

    def slots(self, n_clients: int) -> int:
        return n_clients

    def cohort(self, weights: Floats, u: Floats) -> tuple[Integers, Floats, Floats]:
        runs, n = u.shape[0], len(weights)
        clients = np.broadcast_to(np.arange(n), (runs, n))
        return clients, np.broadcast_to(weights, (runs, n)), np.zeros(runs)

    def outcomes(self, weights: Sequence[Number]) -> Iterator[CohortOutcome]:
        yield CohortOutcome(1, tuple(range(len(weights))), tuple(weights), 0)

    def moments(self, weights: Sequence[Number]) -> SchemeMoments:
        p = list(weights)
        member = (lambda k: 1, lambda k, j: 1, lambda k, j: p[k])
        return moments_from(p, lambda k, j: p[k] * p[j], _NO_ABSENT, member, [x * x for x in p])


@dataclass(frozen=True)
class SchemeI(Scheme):
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

    def cohort(self, weights: Floats, u: Floats) -> tuple[Integers, Floats, Floats]:
        chosen = np.minimum(np.searchsorted(np.cumsum(weights), u, side="right"), len(weights) - 1)
        return chosen.astype(np.int64), np.full(chosen.shape, 1.0 / self.clients), np.zeros(u.shape[0])

    def outcomes(self, weights: Sequence[Number]) -> Iterator[CohortOutcome]:
        n, size = len(weights), self.clients
        if n**size > MOST_OUTCOMES:
            raise ValueError(f"N^K={n}^{size} cohorts exceed {MOST_OUTCOMES}: not enumerated")
        share = one_of(weights) / size
        for clients in product(range(n), repeat=size):
            probability = one_of(weights)
            for client in clients:
                probability = probability * weights[client]
            yield CohortOutcome(probability, clients, (share,) * size, 0)

    def moments(self, weights: Sequence[Number]) -> SchemeMoments:
        p, size, one = list(weights), self.clients, one_of(weights)

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
        return moments_from(p, pair, _NO_ABSENT, (lambda k: both(k, k), both, count_and_member), runs)


def one_of(weights: Sequence[Number]) -> Number:
    """The number one in the number type of the weights (1.0 for floats, so that divisions stay in the type)."""
    first = weights[0]
    if isinstance(first, (float, np.floating, int, np.integer)):
        return 1.0
    return first - first + 1
