"""What a round map was read off: the problem, the algorithm and the oracles, to read more of the same round."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from fltheory.algorithms.participation import Full
from fltheory.algorithms.vocabulary import Algorithm
from fltheory.kinds import Array, PointLike
from fltheory.problems.base import Problem
from fltheory.problems.checks import check_request
from fltheory.problems.oracles import AnyOracle, is_noisy
from fltheory.readings.affine import label_moments, read_round
from fltheory.readings.arrays import OracleCall
from fltheory.readings.entry import Opening, Setup, exact_federation
from fltheory.readings.numbers import FLOAT
from fltheory.readings.rational_round import mean_round
from fltheory.readings.units import units_federation
from fltheory.readings.walk import Walk
from fltheory.readings.wide import WideRound

#: Vectors of all clients at all states that a round holds at a time.
WORKING = 4
#: A shift with a larger entry takes digits of the columns of the map with it.
LOSSY = 1024.0


@dataclass(frozen=True, eq=False)
class Source:
    """What a round map was read off, to read more."""

    problem: Problem
    algorithm: Algorithm
    oracle: AnyOracle | None
    centre_oracle: AnyOracle | None
    start: PointLike | None
    round: int
    entry: Setup
    opening: Opening

    @property
    def random(self) -> bool:
        """Whether the cohorts are drawn."""
        return not isinstance(self.entry.participation, Full)

    def read(self) -> tuple[Array, Array]:
        """``T`` and ``c`` of the (mean) round: affine reading, or one round of ``D + 1`` runs, zero and units."""
        setup, opening = self.entry, self.opening
        rational = mean_round(setup, opening, self.round)
        if rational is not None:
            return rational
        if self.random:
            return read_round(setup, opening, self.round, label_moments(setup)).mean_map()
        size, n, d = opening.layout.size, opening.layout.n_clients, opening.layout.dimension
        if not setup.numbers.exact:
            check_request(
                f"round map of a state of D={size} entries with N={n}, d={d} (trajectory and simulate run rounds without it, "
                "fixed_point keeps the bands of a TridiagonalProblem)",
                WORKING * (size + 1) * n * d + 3 * size**2,
            )
        out = self._images(setup.numbers.array(np.eye(size + 1, size, -1, dtype=int)))
        largest = 0.0 if setup.numbers.exact else float(np.abs(out[0]).max())
        if LOSSY < largest < np.inf:
            # Units as long as the shift: their images less the shift keep all digits, whatever the problem's units are.
            unit = 2.0 ** np.ceil(np.log2(largest))
            far = self._images(unit * np.eye(size + 1, size, -1))
            if np.isfinite(far).all():
                return np.ascontiguousarray((far[1:] - far[0]).T / unit), out[0]
        return np.ascontiguousarray((out[1:] - out[0]).T), out[0]

    def _images(self, states: Array) -> Array:
        """States ``(runs, D)`` after one round with all clients."""
        setup, opening = self.entry, self.opening
        fed = units_federation(setup, len(states))
        fed.begin(self.round)
        after = setup.algorithm.round(fed, opening.layout.build(fed, opening.template, states))
        return np.asarray(opening.layout.flatten(after))

    @property
    def noisy(self) -> list[AnyOracle]:
        """The oracles, of clients and server, whose answers are random."""
        return [one for one in (self.oracle, self.centre_oracle) if one is not None and is_noisy(one)]

    def walk(self) -> Walk:
        """The second moments of the rounds in floats, about zero: their linear part does not depend on the origin."""
        return Walk(
            self.problem,
            self.algorithm,
            self.oracle,
            self.centre_oracle,
            self.start,
            FLOAT,
            origin=np.zeros(self.problem.dimension),
            what="the mean-square factor",
        )

    def wide(self) -> WideRound:
        """The round in decimals of fifty digits."""
        return WideRound(self.problem, self.algorithm, self.opening, self.round)

    def work(self) -> tuple[int, int]:
        """Gradients that a client computes in a round with all clients, and the products that one state of it takes."""
        setup, opening = replace(self.entry, participation=Full()), self.opening
        log: list[OracleCall] = []
        fed = exact_federation(setup, 1, log)
        fed.begin(self.round)
        setup.algorithm.round(fed, opening.layout.build(fed, opening.template, opening.values[None, :]))
        return len(log), len(log) * int(setup.problem.n_clients) * int(setup.problem.dimension) ** 2
