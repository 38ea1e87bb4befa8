"""Probes: small problems on which deviations differ, with cohorts, batches and numbers given.

What a probe must have, or deviations hide: unequal weights; cohorts of varying size, in which clients leave and come back, beside
full participation; several rounds; epochs and batches apart; unequal curvatures; rates that are not 1; a start far away (clips,
norms); unequal numbers of steps per client where a method speaks of them.

Client ``k`` has the least-squares loss of ``m_k`` rows, ``F_k(w, b) = sum (X w + b - y)^2 / m_k``: a linear model with two layers,
"weight" and "bias", under the mean squared error.  Each of its batches holds the same rows, so that the loss does not depend on the
batch, and ``n_k = m_k B_k`` samples make ``B_k`` batches.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from fltheory.kinds import Array, Floats
from fltheory.problems.blocks import Blocks, with_blocks
from fltheory.problems.mixed import MixedProblem
from fltheory.problems.quadratic import QuadraticProblem

#: The layers of the model.
LAYERS = Blocks(("weight", "bias"), (3, 1))
#: Rows per batch of the clients.
_ROWS = (4, 9, 6, 12, 5)
#: How the step size of local steps may change: not at all, by a factor per round, or as eta/(1 + t/10) with t steps so far.
SCHEDULES = ("constant", "decay", "steps")


@dataclass(frozen=True, eq=False)
class Probe:
    """One small problem and all that a run must be given.

    ============ ============ ==============================================================
    field        shape        meaning
    ============ ============ ==============================================================
    ``name``                  in words, for reports
    ``data``     ``N``        ``(X_k (m_k, 3), y_k (m_k,))`` of each client
    ``central``               the same of the server
    ``start``    ``(4,)``     the model before the first round
    ``cohorts``  rounds       the clients of each round, in the order in which they answer
    ``epochs``                passes over a client's batches in a round
    ``batches``  ``(N,)``     batches per epoch of each client, ``B_k``
    ``values``                the parameters of the algorithm, by name
    ``schedule``              one of :data:`SCHEDULES`
    ============ ============ ==============================================================
    """

    name: str
    data: tuple[tuple[Floats, Floats], ...]
    central: tuple[Floats, Floats]
    start: Floats
    cohorts: tuple[tuple[int, ...], ...]
    epochs: int
    batches: tuple[int, ...]
    values: dict[str, Any] = field(default_factory=dict)
    schedule: str = "constant"

    @property
    def n_clients(self) -> int:
        """``N``."""
        return len(self.data)

    @property
    def rounds(self) -> int:
        """How many rounds there are."""
        return len(self.cohorts)

    @property
    def unequal(self) -> bool:
        """Whether clients make different numbers of steps."""
        return len(set(self.batches)) > 1

    @property
    def local_steps(self) -> tuple[int, ...]:
        """``K_k``, epochs times batches, of each client."""
        return tuple(self.epochs * count for count in self.batches)

    @property
    def counts(self) -> tuple[int, ...]:
        """``n_k``, the samples of each client."""
        return tuple(len(y) * count for (_, y), count in zip(self.data, self.batches, strict=True))

    @property
    def weights(self) -> Floats:
        """``n_k/n``."""
        return np.array(self.counts, dtype=float) / sum(self.counts)

    @cached_property
    def matrices(self) -> Array:
        """``A_k`` of the clients' gradients ``A_k x - b_k``, ``(N, 4, 4)``."""
        return np.array([_moments(*one)[0] for one in self.data])

    @cached_property
    def vectors(self) -> Array:
        """``b_k``, ``(N, 4)``."""
        return np.array([_moments(*one)[1] for one in self.data])

    @cached_property
    def central_parts(self) -> tuple[Floats, Floats]:
        """``A_c`` and ``b_c`` of the server's gradient."""
        return _moments(*self.central)

    @cached_property
    def problem(self) -> MixedProblem:
        """The clients' losses and the server's, for the readings of the package."""
        clients = with_blocks(QuadraticProblem(self.matrices, self.vectors, weights=self.weights), LAYERS)
        matrix, vector = self.central_parts
        return MixedProblem(clients, QuadraticProblem(matrix[None], vector[None]))


def _moments(rows: Floats, targets: Floats) -> tuple[Floats, Floats]:
    """``A`` and ``b`` of the gradient of the mean squared error at (weight, bias)."""
    full = np.column_stack([rows, np.ones(len(rows))])
    return 2 * full.T @ full / len(rows), 2 * full.T @ targets / len(rows)


def _data(rows: tuple[int, ...], seed: int) -> tuple[tuple[Floats, Floats], ...]:
    """Rows in which clients differ in curvature and in where their loss is least; two decimals."""
    draw = np.random.default_rng(seed)
    found = []
    for place, count in enumerate(rows):
        scale = (0.7, 1.0, 1.3, 0.8, 1.1)[place % 5]
        inputs = np.round(scale * draw.normal(size=(count, 3)), 2)
        targets = np.round(inputs @ draw.normal(2, 3, size=3) + draw.normal(place - 2, 1, size=count), 2)
        found.append((inputs, targets))
    return tuple(found)


def probes(values: dict[str, Any], *, unequal: bool = False, schedule: str = "constant") -> tuple[Probe, ...]:
    """The probes of an algorithm with these parameters: all clients, cohorts, and (``unequal``) own numbers of steps."""
    data, central = _data(_ROWS, 5), _data((7,), 6)[0]
    near, far = np.array([1.5, -1.0, 0.5, 2.0]), np.array([24.0, -17.0, 12.0, -9.0])
    some = ((1, 3), (0, 2, 4), (3,), (4, 1, 2, 0), (0, 3), (2, 4, 1), (3, 0))
    everyone = ((0, 1, 2, 3, 4),) * 6
    found = [
        Probe("cohorts", data, central, near, some, 3, (4,) * 5, values, schedule),
        Probe("all clients", data, central, far, everyone, 3, (4,) * 5, values, schedule),
    ]
    if unequal:
        found.append(Probe("own numbers of steps", data, central, near, some, 3, (2, 1, 4, 3, 2), values, schedule))
    return tuple(found)
