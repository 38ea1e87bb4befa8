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


def quadratic_rate(
    free: FreeRound, clients: FunctionClass, centre: FunctionClass | None, *, alike: bool = False
) -> float:
    """The largest squared modulus of an eigenvalue that the model sees, over a grid of curvatures.

    ``alike``: clients of one curvature only, which obey every assumption on how clients differ.
    """
    grid = np.linspace(float(clients.mu), float(clients.L), CURVATURES)
    own = [0.0] if centre is None else np.linspace(float(centre.mu), float(centre.L), CURVATURES)
    settings = [
        (a, b, weight, c)
        for a, b in combinations_with_replacement(grid, 2)
        if a == b or not alike
        for weight in (WEIGHTS if a != b else WEIGHTS[:1])
        for c in own
    ]
    first, second, weights, server = np.array(settings).T
    blocks = 1 + max((len(listed) for _, listed in free.parts), default=0)
    found = 0.0
    for block in range(blocks):  # the block that holds all coordinates
        maps, model = round_maps(free, np.stack([first, second]), weights, server, block)
        values, vectors = np.linalg.eig(maps)
        seen = np.abs(np.einsum("bi,bik->bk", model, vectors)) > SEEN
        found = max(found, float((np.abs(values) ** 2 * seen).max(initial=0.0)))
    return found


def round_maps(
    free: FreeRound, curvatures: Array, weights: Array, server: Array, block: int = 0
) -> tuple[Array, Array]:
    """Matrices ``(B, D, D)`` of a round on the given leaves, and rows ``(B, D)`` of the model.

    ``curvatures`` has shape ``(2, B)``, ``weights`` (of the first kind) and ``server`` (the server's own curvature) ``(B,)``.
    Where vectors are split into blocks of coordinates, ``block`` holds all of them.
    """
    count = len(weights)
    places: dict[int, list[tuple[int, ...]]] = {}
    size = 0
    for leaf in free.leaves:
        if leaf.given is not None:
            places[leaf.given] = [(0,), (1,)] if leaf.clients else [(0, 1)]
            size += len(places[leaf.given])
    made: list[Array] = []  # (2 kinds, B, D)
    begin, parts = 0, free.part_of
    for register, item in enumerate(free.step.instructions):
        vector = np.zeros((2, count, size))
        if register in parts:
            source, own = parts[register]
            vector = made[source] if own == block else vector
        elif item[0] == "given":
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
        elif item[0] in ("prox", "centre prox"):  # g = c (x - gamma g)
            c = curvatures[:, :, None] if item[0] == "prox" else server[None, :, None]
            vector = c / (1 + float(item[2]) * c) * made[item[1]]
        elif item[0] in ("average", "mean"):
            x = made[item[1]]
            vector[:] = weights[:, None] * x[0] + (1 - weights[:, None]) * x[1]
        elif item[0] == "cohort":
            vector = float(free.member) * made[item[1]] + float(1 - free.member) * made[item[2]]
        made.append(vector)
    rows = []
    for leaf, after in zip(free.leaves, free.step.states[1], strict=True):
        if leaf.given is not None:
            rows += [made[after][0], made[after][1]] if leaf.clients else [made[after][0]]
    return np.stack(rows, axis=1), made[free.step.models[0]][0]
