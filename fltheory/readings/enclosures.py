"""One deterministic round from a ball of states: where it ends, its Jacobian, and how far off floats may be."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from fltheory.algorithms.participation import Full
from fltheory.algorithms.vocabulary import Algorithm, ClientVector, Vector, leaves, model_of, with_leaves
from fltheory.kinds import Floats, PointLike
from fltheory.problems.base import Problem, check_request
from fltheory.problems.mixed import client_part
from fltheory.problems.oracles import AnyOracle, is_noisy
from fltheory.problems.scaled import describe
from fltheory.readings.ball_federation import BallFederation, Curved
from fltheory.readings.balls import Ball
from fltheory.readings.entry import Layout, Opening, Setup, enter, exact_federation, open_state, require_stationary
from fltheory.readings.numbers import FLOAT

#: Up to so many numbers in the derivatives of one vector per client the Jacobian is computed.
MOST_NUMBERS = 40_000_000
#: Up to so many entries a state has a Jacobian at all: its inverse and eigenvalues are found.
MOST_STATE = 2_000


@dataclass(frozen=True, eq=False)
class RoundEnclosure:
    """After a round from all states within ``radius`` of one, leaf by leaf and client by client.

    ============ =========== =====================================================================================
    attribute    shape       meaning
    ============ =========== =====================================================================================
    ``state``    ``(D,)``    the state after the round, from the middle
    ``away``     ``(P,)``    for each server leaf and each client of a client leaf: how far it may be from there
    ``matrix``   ``(D, D)``  the Jacobian at the middle, or ``None``
    ``off``      number      ``|F'(s) - matrix|`` (Frobenius) of all states ``s`` of the ball
    ============ =========== =====================================================================================
    """

    state: Floats
    away: Floats
    matrix: Floats | None
    off: float


@dataclass(frozen=True, eq=False)
class SmoothRound:
    """The round of an algorithm on a problem, both in floats, everyone taking part."""

    entry: Setup
    opening: Opening
    curved: Curved

    @property
    def layout(self) -> Layout:
        """How a state lies in a flat vector."""
        return self.opening.layout

    @property
    def size(self) -> int:
        """``D``."""
        return self.layout.size

    @property
    def differentiable(self) -> bool:
        """Whether the state is small enough for a Jacobian."""
        layout = self.layout
        return self.size <= MOST_STATE and self.size * layout.n_clients * layout.dimension <= MOST_NUMBERS

    @cached_property
    def parts(self) -> list[slice]:
        """Where each server leaf, and each client's part of a client leaf, lies."""
        d, found = self.layout.dimension, []
        for place in self.layout.slices:
            found += [slice(i, i + d) for i in range(place.start, place.stop, d)]
        return found

    def __call__(self, state: Floats) -> Floats:
        """One round from a flat state, by the arrays reading."""
        fed = exact_federation(self.entry, 1)
        fed.begin(0)
        with np.errstate(over="ignore", invalid="ignore"):
            after = self.entry.algorithm.round(fed, self.layout.build(fed, self.opening.template, state[None]))
        return np.asarray(self.layout.flatten(after)[0])

    def enclose(
        self, state: Floats, radius: float = 0.0, *, slopes: bool = False, rounding: bool = True
    ) -> RoundEnclosure:
        """One round from every state each of whose parts is within ``radius`` of that of ``state``."""
        if slopes:
            check_request(
                f"the Jacobian of a round of D={self.size}",
                4 * self.size * self.layout.n_clients * self.layout.dimension,
            )
        fed = BallFederation(self.entry, self.curved, rounding)
        with np.errstate(over="ignore", invalid="ignore"):
            after = self.entry.algorithm.round(fed, self.open(fed, state, radius, slopes))
        mids, away, off = [], [], 0.0
        for leaf in leaves(after):
            ball = leaf.payload
            rows = 1 + self.size if slopes else 1
            mid = ball.mid.reshape(len(ball.mid), -1)
            mids.append(np.concatenate([mid, np.zeros((rows - len(mid), mid.shape[1]))]))
            away += np.atleast_1d(ball.value).tolist()
            off += float((np.asarray(ball.slope) ** 2).sum())
        flat = np.concatenate(mids, axis=1)
        matrix = np.array(flat[1:].T) if slopes else None
        return RoundEnclosure(flat[0], np.array(away), matrix, float(np.sqrt(off)))

    def model(self, state: Floats, radius: float) -> tuple[Floats, float]:
        """The server's model in a state, and how far it may move if every part of the state moves by ``radius``."""
        fed = BallFederation(self.entry, self.curved)
        ball = model_of(self.entry.algorithm, fed, self.open(fed, state, radius, False)).payload
        return np.array(ball.mid[0]), float(ball.value)

    def open(self, fed: BallFederation, state: Floats, radius: float = 0.0, slopes: bool = False) -> Any:
        """A state of the ball reading; with ``slopes`` its derivatives are those of itself."""
        layout, rows = self.layout, (1 + self.size if slopes else 1)
        vectors: list[Any] = []
        for server, shape, place in zip(layout.server, layout.shapes, layout.slices, strict=True):
            mid = np.zeros((rows, place.stop - place.start))
            mid[0] = state[place]
            if slopes:
                mid[1 + place.start : 1 + place.stop] = np.eye(place.stop - place.start)
            many = () if server else (layout.n_clients,)
            ball = Ball(mid.reshape(rows, *shape), np.full(many, radius), np.zeros(many))
            vectors.append(Vector(fed, ball) if server else ClientVector(fed, ball))
        return with_leaves(self.opening.template, vectors)


def deterministic_round(
    problem: Problem, algorithm: Algorithm, what: str, start: PointLike | None = None
) -> SmoothRound:
    """The round that every verb beyond quadratics reads, with the first state.

    Raises
    ------
    ValueError : random cohorts; step sizes that change; as ``enter``.
    """
    entry = enter(problem, algorithm)
    if type(entry.participation) is not Full:
        raise ValueError(
            f"participation={entry.participation!r} is random: beyond quadratics the mean of random rounds is not the round of "
            f"the mean, and {what} is of deterministic rounds; linearised_moments takes random cohorts and noisy gradients"
        )
    opening = open_state(entry, start)
    require_stationary(entry, opening, what)
    assert entry.numbers is FLOAT
    return SmoothRound(entry, opening, Curved(entry.problem))


def require_exact_gradients(problem: Problem, what: str, *oracles: AnyOracle | None) -> None:
    """Raise ``ValueError`` if an oracle is noisy: the mean of noisy rounds is not the round of the mean."""
    for oracle in oracles:
        if oracle is not None and is_noisy(oracle):
            raise ValueError(
                f"oracle={oracle!r} is noisy: on a {describe(client_part(problem))} the mean of noisy rounds is not the round of "
                f"the mean, so that {what} of exact gradients says nothing of their law; expected Exact(), or "
                "linearised_moments"
            )
