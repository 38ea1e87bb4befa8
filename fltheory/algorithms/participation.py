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

from fltheory.algorithms.joint_moments import JointMoments, LabelMoments, Pairs, distinct
from fltheory.kinds import Array, Floats, Integers, Number
from fltheory.problems.checks import check_choice, check_count, check_words

#: More outcomes than this are not enumerated.
MOST_OUTCOMES = 1_000_000
#: The moments of more scalars than this are not written out as a matrix.
MOST_LABELS = 600


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
    ``mean`` has length ``2N+2`` and ``second`` is ``(2N+2, 2N+2)``, an array or indexed like one.
    ``run_weights[k]`` is the expected sum, over the independent local runs made by client k, of the squared coefficient of
    that run: it multiplies the variance of one local run, and it equals ``E a_k**2`` unless a client that is drawn twice
    runs twice.
    """

    mean: Array
    second: Array | JointMoments
    run_weights: Array

    def of(self, labels: tuple[int, ...]) -> Array | LabelMoments:
        """The joint second moments of the scalars with these numbers, as a matrix where that is small."""
        if isinstance(self.second, JointMoments) and len(labels) > MOST_LABELS:
            return LabelMoments(self.second, labels)
        chosen = list(labels)
        return np.asarray(self.second[np.ix_(chosen, chosen)])


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


def moments_from(
    first: Array,
    member: Array,
    pairs: tuple[Pairs, Pairs, Pairs],
    run_weights: Array,
    absent: tuple[Number, Number, Array, Array] | None = None,
) -> SchemeMoments:
    """Assemble moments from ``E a_k``, ``E m_k``, the pairs ``E a_k a_j``, ``E m_k m_j`` and ``E a_k m_j``, and
    ``(E b, E b^2, E b a_k, E b m_k)``, by default zero."""
    n, zero = len(first), np.zeros(len(first), dtype=first.dtype)
    b, bb, ba, bm = (0, 0, zero, zero) if absent is None else absent
    mean = np.zeros(2 * n + 2, dtype=first.dtype)
    mean[0], mean[1 : n + 1], mean[n + 1], mean[n + 2 :] = 1, first, b, member
    return SchemeMoments(mean, JointMoments(mean, *pairs, bb, ba, bm), run_weights)


def check_participation(scheme: Participation) -> None:
    """Raise ``ValueError`` unless ``scheme`` is a participation scheme, an instance and not its class."""
    words = ("slots", "check", "cohort", "outcomes", "moments")
    expected = "Full(), SchemeI(clients=2), SchemeII(clients=2) or the like"
    check_words("participation", scheme, words, "participation scheme", expected)


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
        p = number_array(weights)
        ones = number_array([one_of(weights)] * len(p))
        pairs = (
            Pairs(p * p, lambda k, j: p[k] * p[j], ((p, p),)),
            Pairs(ones, lambda k, j: ones[k], ((ones, ones),)),
            Pairs(p, lambda k, j: p[k], ((p, ones),)),
        )
        return moments_from(p, ones, pairs, p * p)


@dataclass(frozen=True)
class SchemeI(Scheme):
    """K independent draws with replacement with probabilities p; plain average (Assumption 5 of Li et al.).

    A client drawn twice may run once and count twice (``repeats="one run"``) or run twice independently
    (``repeats="separate runs"``); the paper does not say which.

    Raises
    ------
    ValueError : K that is no positive integer; another word for ``repeats``.
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
        size, one = self.clients, one_of(weights)
        groups, members = distinct(list(weights))
        few = number_array([weights[k] for k in members])
        p, squares = few[groups], ((few + (size - 1) * few * few) / size)[groups]
        gone = number_array([(one - weights[k]) ** size for k in members])
        present, gone = (one - gone)[groups], gone[groups]
        missed = number_array([(one - weights[k]) ** (size - 1) for k in members])[groups]
        ones, zero = number_array([one] * len(p)), 0 * one

        def drawn(k: Any, j: Any) -> Any:
            """``E a_k a_j = (K p_k [k=j] + K(K-1) p_k p_j)/K^2``, apart."""
            return (zero + (size - 1) * p[k] * p[j]) / size

        def both(k: Any, j: Any) -> Any:
            """``E m_k m_j``: neither is away."""
            return one - gone[k] - gone[j] + _power(one - p[k] - p[j], size)

        def count_and_member(k: Any, j: Any) -> Any:
            """E a_k m_j = p_k - E a_k [j absent], and E a_k [j absent] = p_k (1-p_j)^(K-1) for k != j."""
            return p[k] - p[k] * missed[j]

        pairs = (
            Pairs(squares, drawn, ((((size - 1) * few / size)[groups], p),)),
            Pairs(present, both, (), groups, np.array(members)),
            Pairs(p, count_and_member, ((p, ones), ((-few)[groups], missed))),
        )
        return moments_from(p, present, pairs, (few / size)[groups] if self.separate_runs else squares)


def number_array(values: Sequence[Number]) -> Array:
    """Numbers as an array: float64 if they are floats or integers, else objects."""
    if all(isinstance(one, (int, float, np.floating)) for one in values):
        return np.array(values, dtype=np.float64)
    found = np.empty(len(values), dtype=object)
    found[:] = values
    return found


def _power(base: Any, exponent: int) -> Any:
    """Each number to the power of an integer, as the numbers' own type does it: the bits of array powers depend on the
    processor."""
    flat = np.asarray(base)
    found = np.empty(flat.size, dtype=flat.dtype)
    found[:] = [one**exponent for one in flat.ravel().tolist()]
    return found.reshape(flat.shape)


def one_of(weights: Sequence[Number]) -> Number:
    """The number one in the number type of the weights (1.0 for floats, so that divisions stay in the type)."""
    first = weights[0]
    if isinstance(first, (float, np.floating, int, np.integer)):
        return 1.0
    return first - first + 1
