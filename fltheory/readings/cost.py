"""The cost reading: what a round sends, averages and computes, counted from the algorithm's text.

A vector sent by the server is named once: sending the same vector again in a round is free.  Every average is one
vector up per client that takes part; so is a population average of state that the cohort has renewed.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from fltheory.algorithms.participation import Full, Participation
from fltheory.algorithms.vocabulary import ClientVector, PerClient, Vector, leaves, with_leaves
from fltheory.problems.base import check_count
from fltheory.readings.arrays import participation_of
from fltheory.readings.centre import CentralLoss


@dataclass(frozen=True)
class Cost:
    """Counts per client that takes part, per round (``down``, ``up``, ``gradients``), and totals over all rounds.

    ``down`` and ``up`` count vectors of ``dimension`` numbers; ``slots`` is the size of the cohort.
    ``central_gradients`` counts the server's own calls per round, for its own loss.
    """

    down: int
    up: int
    gradients: int
    slots: int
    dimension: int
    rounds: int
    central_gradients: int = 0

    @property
    def numbers_sent(self) -> int:
        """Scalars over the network in both directions, all rounds and clients."""
        return self.rounds * self.slots * (self.down + self.up) * self.dimension

    @property
    def total_gradients(self) -> int:
        """Calls of the gradient oracle, all rounds and clients."""
        return self.rounds * self.slots * self.gradients


def cost(problem_or_sizes: Any, algorithm: Any, rounds: int = 1) -> Cost:
    """Communication and computation of ``rounds`` rounds.

    ``problem_or_sizes`` is a problem or the pair ``(n_clients, dimension)``, which stands for equal weights.

    Raises
    ------
    ValueError : ``rounds < 1``; sizes below one; a scheme that does not fit.
    """
    if isinstance(problem_or_sizes, tuple):
        n_clients, dimension = problem_or_sizes
        n_clients, dimension = check_count("n_clients", n_clients), check_count("dimension", dimension)
        weights = [1 / n_clients] * n_clients
    else:
        n_clients, dimension = problem_or_sizes.n_clients, problem_or_sizes.dimension
        weights = list(problem_or_sizes.weights)
    rounds = check_count("rounds", rounds)
    participation = participation_of(algorithm)
    participation.check(weights)
    fed = CostFederation(n_clients, participation)
    state = algorithm.start(fed, fed.zero())
    counts = []
    for round in (0, 1):
        fed.begin(round)
        state = with_leaves(state, [type(leaf)(fed, Token("state")) for leaf in leaves(algorithm.round(fed, state))])
        counts.append((len(fed.sent), len(fed.received), fed.gradients, fed.central_gradients))
    down, up, gradients, central = counts[1]
    return Cost(down, up, gradients, participation.slots(n_clients), dimension, rounds, central)


class Token:
    """A vector of which only its identity is known, and whether only the cohort's part of it is new."""

    __slots__ = ("kind",)

    def __init__(self, kind: str = "computed") -> None:
        self.kind = kind


class CostFederation:
    """The vocabulary over tokens."""

    def __init__(self, n_clients: int, participation: Participation) -> None:
        self.n_clients = n_clients
        self.participation = participation
        self.begin(-1)

    def begin(self, round: int) -> None:
        """Start counting a round."""
        self.round = round
        self.sent: list[Token] = []
        self.received: list[Token] = []
        self.gradients = 0
        self.central_gradients = 0
        self._batches = 0

    def send(self, w: Vector) -> ClientVector:
        if w.payload.kind != "zero" and not any(token is w.payload for token in self.sent):
            self.sent.append(w.payload)
        return ClientVector(self, Token())

    def batch(self) -> int:
        self._batches += 1
        return self._batches - 1

    def gradient(self, x: ClientVector, batch: Any = None) -> ClientVector:
        self.gradients += 1
        return ClientVector(self, Token())

    @property
    def centre(self) -> CentralLoss:
        """The server's own loss."""
        return CentralLoss(self, self._centre_gradient)

    def _centre_gradient(self, y: Token) -> Token:
        self.central_gradients += 1
        return Token()

    def average(self, x: ClientVector, absent: Vector | None = None) -> Vector:
        return self._receive(x)

    def population_average(self, x: ClientVector) -> Vector:
        return self._receive(x)

    def _receive(self, x: ClientVector) -> Vector:
        if not any(token is x.payload for token in self.received):
            self.received.append(x.payload)
        return Vector(self, Token())

    def only_cohort(self, new: ClientVector, otherwise: ClientVector) -> ClientVector:
        return new if isinstance(self.participation, Full) else ClientVector(self, Token())

    def per_client(self, numbers: Any) -> PerClient:
        return PerClient(tuple(numbers))

    def decide(self, rule: Callable[..., Any], *vectors: Vector) -> Vector:
        return Vector(self, Token())

    def zero(self) -> Vector:
        return Vector(self, Token("zero"))

    def zero_clients(self) -> ClientVector:
        return ClientVector(self, Token("zero"))

    def add(self, left: Token, right: Token, sign: int) -> Token:
        return Token()

    def multiply(self, payload: Token, number: Any) -> Token:
        return Token()

    def scale_clients(self, payload: Token, numbers: PerClient) -> Token:
        return Token()

    def reciprocal(self, number: Any) -> Any:
        return 1 / number
