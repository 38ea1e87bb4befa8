"""One round of many states at once, for round maps in floats: local steps of a client as one matrix, by repeated squaring.

A client's ``E`` exact steps of one size are ``x -> P x + S b`` with ``P = (I - rate A)^E`` and
``S = rate sum_{i<E} (I - rate A)^i``: about ``2 log2 E`` products of matrices instead of ``E``, and no copies of ``A``.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from fltheory.kinds import Floats
from fltheory.problems.mixed import client_part
from fltheory.problems.quadratic import QuadraticProblem
from fltheory.readings.arrays import ArrayFederation
from fltheory.readings.draws import MOST_COPIED, ExactDraws
from fltheory.readings.entry import Setup, exact_federation

#: Fewer steps than this are made one by one.
LEAST_STEPS = 4


def units_federation(entry: Setup, runs: int) -> ArrayFederation:
    """The arrays reading with exact gradients for ``runs`` states; with maps where the clients' matrices are large."""
    problem = client_part(entry.problem)
    numbers = runs * int(problem.n_clients) * int(problem.dimension) ** 2
    if entry.numbers.exact or type(problem) is not QuadraticProblem or numbers <= MOST_COPIED:
        return exact_federation(entry, runs)
    draws = ExactDraws(entry.problem, entry.numbers, runs=runs)
    fast = partial(local_maps, problem)
    return ArrayFederation(entry.problem, entry.participation, draws, entry.numbers, linear=True, local_steps=fast)


def local_maps(
    problem: QuadraticProblem, points: Floats, clients: list[int], steps: int, rate: float, shift: Floats | None
) -> Floats | None:
    """The points ``(runs, slots, d)`` after the steps ``x <- x - rate (A x - b + shift)`` of each slot's client."""
    if steps < LEAST_STEPS:
        return None
    units, out = _are_units(points), np.empty(points.shape)
    for slot, client in enumerate(clients):
        power, offset, total = powers(
            problem.matrices[client], problem.vectors[client], rate, steps, sums=shift is not None
        )
        if units:
            out[0, slot], out[1:, slot] = offset, power.T + offset
        else:
            out[:, slot] = points[:, slot] @ power.T + offset
        if shift is not None and total is not None:
            out[:, slot] -= shift[:, slot] @ total.T
    return out


def powers(
    matrix: Floats, vector: Floats, rate: float, steps: int, *, sums: bool
) -> tuple[Floats, Floats, Floats | None]:
    """``P``, ``S b`` and, if asked for, ``S`` of ``steps`` steps on ``x'Ax/2 - b'x``."""
    one = np.eye(len(matrix)) - rate * matrix
    power, offset = one, rate * vector
    total = rate * np.eye(len(matrix)) if sums else None
    for bit in bin(steps)[3:]:
        offset = offset + power @ offset
        total = None if total is None else total + power @ total
        power = power @ power
        if bit == "1":
            offset = one @ offset + rate * vector
            total = None if total is None else one @ total + rate * np.eye(len(matrix))
            power = one @ power
    return power, offset, total


def _are_units(points: Floats) -> bool:
    """Whether every client has the states zero, ``e_1``, ``e_2``, ...: their images are then the columns of the map."""
    runs, _, d = points.shape
    if points.strides[1] != 0 or runs != d + 1 or points[0, 0].any():
        return False
    return bool(np.array_equal(points[1:, 0], np.eye(d)))
