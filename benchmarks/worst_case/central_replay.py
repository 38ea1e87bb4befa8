"""Worst cases with client and central noise made explicit: functions, noises with finitely many outcomes, and the round run.

One round of 1-way Gradient Transfer with two local steps.  The Gram blocks of the level formulation with b outcomes per draw
become vectors, one function per client and one at the server (interpolants, in their classes by construction), and lists of
noises.  The round is run on them, outcome by outcome: it must give the promised value within the promised quantities.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from benchmarks.worst_case.central_levels import level_problem
from fltheory.algorithms import OneWayGradientTransfer
from fltheory.problems.interpolated import InterpolatedFunction
from fltheory.worstcase.classes import FunctionClass
from fltheory.worstcase.entry import build_model
from fltheory.worstcase.solver import solve
from fltheory.worstcase.space import Coordinates, draw_of, kind_of

Array = npt.NDArray[np.float64]


def simplex(n: int) -> Array:
    """Corners of a regular simplex, ``(n, n-1)``: unit vectors with sum zero."""
    axes = np.linalg.svd(np.eye(n) - 1 / n)[0][:, : n - 1]
    return np.asarray(axes * np.sqrt(n / (n - 1)))


@dataclass(frozen=True)
class Replay:
    """What was promised and what the run gave: the measure, and mean squares that are bounded by 1 each."""

    promised: float
    measure: float
    squares: dict[str, float]
    residual: float


@dataclass(frozen=True)
class Geometry:
    """Vectors from coordinates: a client k, an outcome of the central draw and one of the client's first draw.

    Means, deviations times a corner of the clients' simplex, the same times a corner of the central outcomes' simplex, and the
    increments of the client's draw: a direction of their own for each client and central outcome.
    """

    factors: dict[str, Array]
    n_clients: int
    central: int
    local: int

    def __call__(self, coordinates: Coordinates, k: int, outcome: int, own: int) -> Array:
        corners = {"clients": simplex(self.n_clients)[k], "central": simplex(self.central)[outcome]}
        found = []
        for block, factor in self.factors.items():
            row = np.zeros(len(factor))
            for (part, basis), entry in coordinates.items():
                if part == block:
                    row[basis] = float(entry)
            vector = row @ factor
            if draw_of(block) == 0:
                vector = np.kron(corners["central"], vector)
            if kind_of(block) == "deviation":
                vector = np.kron(corners["clients"], vector)
            if kind_of(block) == "draw":
                place = np.zeros(self.n_clients * self.central)
                place[k * self.central + outcome] = 1.0
                vector = np.kron(place, np.kron(simplex(self.local)[own], vector))
            found.append(vector)
        return np.concatenate(found)


def replay(step_size: float, mu: float, *, n_clients: int = 2, central: int = 2, local: int = 2) -> Replay:
    """Solve with a little room, make the functions, and run the round on them; the last draw is orthogonal to all else."""
    functions = FunctionClass(mu, 1)
    model = build_model(
        OneWayGradientTransfer(2, step_size),
        functions,
        centre=functions,
        noise=True,
        centre_noise=True,
        n_clients=n_clients,
    )
    problem = level_problem(model, [central, local, 2])
    solution = solve(problem, dict.fromkeys(model.bound_names, 1.0), tighten=1e-6)
    factors = {name: _factor(block) for name, block in solution.blocks.items() if name != "draw 2"}
    vector = Geometry(factors, n_clients, central, local)
    heights = dict(zip(model.values, solution.values.tolist(), strict=True))
    outcomes = [(c, own) for c in range(central) for own in range(local)]

    def function(group: Any, k: int) -> InterpolatedFunction:
        listed, seen = [], set()
        for query in group.queries:
            for c, own in outcomes:
                x, g = (vector(each, k, c, own) for each in (query.point, query.gradient))
                key = (query.register, x.round(9).tobytes())
                if key not in seen:
                    seen.add(key)
                    listed.append((x, g, 0.0 if query.value is None else heights[query.value]))
        points, gradients, values = zip(*listed, strict=True)
        return InterpolatedFunction(np.array(points), np.array(gradients), np.array(values), mu, 1.0)

    groups = {group.name: group for group in model.groups}
    clients = [function(groups["clients"], k) for k in range(n_clients)]
    centre = function(groups["centre"], 0)
    places = {item[1]: place for place, item in enumerate(model.instructions) if item[0] == "noise"}
    noise = {draw: model.space.coordinates[place] for draw, place in places.items()}
    start = vector(model.space.coordinates[0], 0, 0, 0)
    last = float(solution.blocks["draw 2"][0, 0])
    squares = dict.fromkeys(("centre_noise", "noise 1"), 0.0)
    measure, slope = 0.0, centre.derivative(start)
    for c in range(central):
        shared = vector(noise[0], 0, c, 0)
        squares["centre_noise"] += float(shared @ shared) / central
        mean, spread = np.zeros_like(start), 0.0
        for k, loss in enumerate(clients):
            ends = []
            for own in range(local):
                first = vector(noise[1], k, c, own)
                squares["noise 1"] += float(first @ first) / (central * local * n_clients)
                x = start - step_size * (loss.derivative(start) + first + slope + shared)
                ends.append(x - step_size * (loss.derivative(x) + slope + shared))
            middle = np.mean(ends, axis=0)
            mean += middle / n_clients
            spread += float(np.mean([((x - middle) ** 2).sum() for x in ends])) / n_clients**2
        measure += (float(mean @ mean) + spread) / central
    measure += step_size**2 * last / n_clients
    zero = np.zeros_like(start)
    at_optimum = [loss.derivative(zero) for loss in clients]
    squares |= {
        "distance": float(start @ start),
        "noise 2": last,
        "heterogeneity": float(np.mean([(g**2).sum() for g in at_optimum])),
        "total gradient at the minimiser": float(((np.mean(at_optimum, axis=0) + centre.derivative(zero)) ** 2).sum()),
    }
    residual = max(loss.residual for loss in (*clients, centre))
    return Replay(float(problem.measure @ solution.point), measure, squares, residual)


def _factor(block: Array) -> Array:
    """``V`` with ``V V' = block``."""
    sizes, axes = np.linalg.eigh(block)
    return np.asarray(axes * np.sqrt(np.maximum(sizes, 0.0)))
