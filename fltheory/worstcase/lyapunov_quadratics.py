"""What no Lyapunov function can beat: the rate of the method on quadratics with clients of two curvatures.

On losses ``c_k x^2/2`` a round is a linear map of the state.  Along an eigenvector that moves the model, ``|w_R|^2`` shrinks by
the squared modulus of the eigenvalue per round, and ``V_R >= |w_R|^2`` cannot shrink faster.  Under sampling and noise this is
the map of the mean.  Floats: a number to compare with, no certificate.
"""

from __future__ import annotations

from itertools import combinations_with_replacement

import numpy as np

from fltheory.worstcase.classes import FunctionClass
from fltheory.worstcase.lyapunov_round import FreeRound
from fltheory.worstcase.sdp import Array

#: Curvatures between the ends of a class, and weights of the first kind of clients.
CURVATURES, WEIGHTS = 9, (0.5, 0.1, 0.9)
#: A part of an eigenvector that is more than what floats do to it, where eigenvalues meet.
SEEN = 1e-5


def quadratic_rate(free: FreeRound, clients: FunctionClass, centre: FunctionClass | None) -> float:
    """The largest squared modulus of an eigenvalue that the model sees, over a grid of curvatures."""
    grid = np.linspace(float(clients.mu), float(clients.L), CURVATURES)
    own = [0.0] if centre is None else np.linspace(float(centre.mu), float(centre.L), CURVATURES)
    settings = [
        (a, b, weight, c)
        for a, b in combinations_with_replacement(grid, 2)
        for weight in (WEIGHTS if a != b else WEIGHTS[:1])
        for c in own
    ]
    first, second, weights, server = np.array(settings).T
    maps, model = round_maps(free, np.stack([first, second]), weights, server)
    values, vectors = np.linalg.eig(maps)
    seen = np.abs(np.einsum("bi,bik->bk", model, vectors)) > SEEN
    return float((np.abs(values) ** 2 * seen).max(initial=0.0))


def round_maps(free: FreeRound, curvatures: Array, weights: Array, server: Array) -> tuple[Array, Array]:
    """Matrices ``(B, D, D)`` of a round on the given leaves, and rows ``(B, D)`` of the model.

    ``curvatures`` has shape ``(2, B)``, ``weights`` (of the first kind) and ``server`` (the server's own curvature) ``(B,)``.
    """
    count = len(weights)
    places: dict[int, list[tuple[int, ...]]] = {}
    size = 0
    for leaf in free.leaves:
        if leaf.given is not None:
            places[leaf.given] = [(0,), (1,)] if leaf.clients else [(0, 1)]
            size += len(places[leaf.given])
    made: list[Array] = []  # (2 kinds, B, D)
    begin = 0
    for register, item in enumerate(free.step.instructions):
        vector = np.zeros((2, count, size))
        if item[0] == "given":
            for offset, kinds in enumerate(places[register]):
                vector[list(kinds), :, begin + offset] = 1.0
            begin += len(places[register])
        elif item[0] == "combine":
            for factor, r in item[1]:
                vector = vector + float(factor) * made[r]
        elif item[0] == "gradient":
            vector = curvatures[:, :, None] * made[item[1]]
        elif item[0] == "centre":
            vector = server[None, :, None] * made[item[1]]
        elif item[0] in ("average", "mean"):
            x = made[item[1]]
            vector[:] = weights[:, None] * x[0] + (1 - weights[:, None]) * x[1]
        made.append(vector)
    rows = []
    for leaf, after in zip(free.leaves, free.step.states[1], strict=True):
        if leaf.given is not None:
            rows += [made[after][0], made[after][1]] if leaf.clients else [made[after][0]]
    return np.stack(rows, axis=1), made[free.step.models[0]][0]
