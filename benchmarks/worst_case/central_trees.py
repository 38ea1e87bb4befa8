"""Noise of the server's own gradient by brute force: every outcome of the server's draws and of each client's is a node.

One round of 1-way Gradient Transfer or Parallel Training with N clients, in one Gram matrix over all vectors of all clients:
the reference twin of ``worst_case(..., noise=True, centre_noise=True)``.  The server's outcomes are shared by all clients.
The laws of the clients' noises may follow them, or only as far as the clients' points do (``follow=False``): the engine has
the former for 1-way Gradient Transfer, whose first noises come at points that the server's draw did not move yet, and the
latter for Parallel Training.
Run it to write ``results/benchmarks/central_trees.json``.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
import numpy.typing as npt

from benchmarks.worst_case.central_levels import level_problem
from benchmarks.worst_case.noise_trees import ExplicitProgram, add
from benchmarks.worst_case.table import write
from fltheory.algorithms import Full, NormalisedUniform, OneWayGradientTransfer, ParallelTraining
from fltheory.worstcase.classes import FunctionClass
from fltheory.worstcase.entry import build_model, worst_case
from fltheory.worstcase.model import Model
from fltheory.worstcase.solver import solve

Array = npt.NDArray[np.float64]
Vector = dict[int, float]
CENTRE = -1


@dataclass(frozen=True)
class Case:
    """One round from ``|w - w*|^2 <= distance``, clients and server with curvature in ``[mu, 1]``.

    ``central`` and ``local`` are the numbers of outcomes of the server's draws and of each client's: one per step for Parallel
    Training, one central draw for 1-way Gradient Transfer (``one_way``).  ``cohort`` clients of N take part, if it is given.
    """

    one_way: bool
    step_size: float
    mu: float
    central: tuple[int, ...]
    local: tuple[int, ...]
    n_clients: int = 2
    distance: float = 1.0
    heterogeneity: float = 1.0
    noise: float = 1.0
    centre_noise: float = 1.0
    cohort: int | None = None

    @property
    def quantities(self) -> dict[str, float]:
        """The bounded squares by name."""
        names = ("distance", "heterogeneity", "noise", "centre_noise")
        return {name: getattr(self, name) for name in names}

    def model(self) -> Model:
        """What the engine has of it."""
        scheme = Full() if self.cohort is None else NormalisedUniform(self.cohort)
        algorithm: Any = OneWayGradientTransfer(len(self.local), self.step_size, participation=scheme)
        if not self.one_way:
            algorithm = ParallelTraining(
                len(self.local), self.step_size, self.step_size, central_steps=len(self.central), participation=scheme
            )
        functions = FunctionClass(self.mu, 1)
        return build_model(
            algorithm, functions, centre=functions, noise=True, centre_noise=True, n_clients=self.n_clients
        )


@dataclass
class History:
    """The server's side along one sequence of outcomes: its model, and what clients add to their gradients."""

    model: Vector
    shift: Vector


def _outcomes(sdp: ExplicitProgram, count: int) -> list[Vector]:
    """Vectors that sum to zero: a draw's outcomes, equally likely."""
    found = [sdp.fresh() for _ in range(count - 1)]
    return [*found, add(*((-1.0, vector) for vector in found))]


def _server(case: Case, sdp: ExplicitProgram, start: Vector, drawn: list[list[Vector]]) -> list[History]:
    """All histories of the server's own steps."""
    histories = [History(start, {})]
    for step, count in enumerate(case.central):
        following = []
        for history in histories:
            gradient = sdp.gradient(CENTRE, history.model)
            noises = _outcomes(sdp, count)
            drawn[step] += noises
            for noise in noises:
                direction = add((1.0, gradient), (1.0, noise))
                moved = history.model if case.one_way else add((1.0, history.model), (-case.step_size, direction))
                following.append(History(moved, direction if case.one_way else {}))
        histories = following
    return histories


def _client(
    case: Case,
    sdp: ExplicitProgram,
    client: int,
    start: Vector,
    shifts: Sequence[Vector],
    drawn: list[list[Vector]],
    follow: bool,
) -> list[list[Vector]]:
    """The client's last points under each of the shifts; a gradient at the common start is asked for once."""
    first, begun = sdp.gradient(client, start), None
    ends = []
    for shift in shifts:
        points = [start]
        for step, count in enumerate(case.local):
            following = []
            for point in points:
                gradient = first if step == 0 else sdp.gradient(client, point)
                noises = begun if step == 0 and begun else _outcomes(sdp, count)
                begun = noises if step == 0 and not follow else begun
                drawn[step] += noises
                direction = add((1.0, gradient), (1.0, shift))
                following += [add((1.0, point), (-case.step_size, add((1.0, direction), (1.0, n)))) for n in noises]
            points = following
        ends.append(points)
    return ends


def tree_value(case: Case, *, follow: bool | None = None) -> float:
    """Worst ``E|w+ - w*|^2`` over the trees; ``follow`` as the engine has it, or told."""
    follow = case.one_way if follow is None else follow
    sdp = ExplicitProgram(case.mu, 1.0)
    start = sdp.fresh()
    optimal = [sdp.fresh() for _ in range(case.n_clients)]
    for client, gradient in enumerate(optimal):
        sdp.gradient(client, {}, gradient)
    sdp.gradient(CENTRE, {}, add(*((-1.0 / case.n_clients, g) for g in optimal)))
    central: list[list[Vector]] = [[] for _ in case.central]
    local: list[list[Vector]] = [[] for _ in case.local]
    histories = _server(case, sdp, start, central)
    many = case.one_way or follow  # the clients' points do not follow the server's draws by themselves
    shifts = [history.shift for history in histories] if many else [histories[0].shift]
    ends = [_client(case, sdp, client, start, shifts, local, follow) for client in range(case.n_clients)]
    measure = np.zeros((sdp.dimension, sdp.dimension))
    size = case.cohort or case.n_clients
    cohorts = list(combinations(range(case.n_clients), size))
    for place, history in enumerate(histories):
        means = []
        for client in ends:
            dense = [sdp.dense(point) for point in client[place if many else 0]]
            means.append(sum(dense, np.zeros(sdp.dimension)) / len(dense))
            for x in dense:  # a client is in a cohort with probability size/N
                spread = x - means[-1]
                measure += np.outer(spread, spread) / len(dense) / (size * case.n_clients) / len(histories)
        # the server adds its own move to the mean of the clients' ends
        moved = sdp.dense(add((1.0, history.model), (-1.0, start)))
        for chosen in cohorts:
            mean = sum((means[k] for k in chosen), np.zeros(sdp.dimension)) / size + moved
            measure += np.outer(mean, mean) / len(cohorts) / len(histories)
    s = sdp.dense(start)
    bounds = [(np.outer(s, s), case.distance), (_mean_square(sdp, optimal), case.heterogeneity)]
    bounds += [(_mean_square(sdp, drawn), case.noise) for drawn in local]
    bounds += [(_mean_square(sdp, drawn), case.centre_noise) for drawn in central]
    return sdp.solve(measure, bounds)


def _mean_square(sdp: ExplicitProgram, vectors: Sequence[Vector]) -> Array:
    dense = [sdp.dense(vector) for vector in vectors]
    return np.asarray(sum(np.outer(x, x) for x in dense) / len(dense))


def level_value(case: Case, *, many: bool = False) -> float:
    """The level formulation with as many outcomes as the trees have, or (``many``) in the engine's limit."""
    outcomes = None if many else [*case.central, *case.local]
    return solve(level_problem(case.model(), outcomes), case.quantities).value


def rounds_value(local_steps: int, step_size: float, mu: float, outcomes: Sequence[int], n_clients: int = 2) -> float:
    """As many rounds of 1-way Gradient Transfer as there are central draws, clients with exact gradients; quantities 1."""
    sdp = ExplicitProgram(mu, 1.0)
    start = sdp.fresh()
    optimal = [sdp.fresh() for _ in range(n_clients)]
    for client, gradient in enumerate(optimal):
        sdp.gradient(client, {}, gradient)
    sdp.gradient(CENTRE, {}, add(*((-1.0 / n_clients, g) for g in optimal)))
    models, drawn = [start], []
    for count in outcomes:
        following, drawn_now = [], []
        for model in models:
            central, first = sdp.gradient(CENTRE, model), [sdp.gradient(k, model) for k in range(n_clients)]
            noises = _outcomes(sdp, count)
            drawn_now += noises
            for noise in noises:
                ends = []
                for client in range(n_clients):
                    x = model
                    for step in range(local_steps):
                        gradient = first[client] if step == 0 else sdp.gradient(client, x)
                        x = add((1.0, x), *((-step_size, vector) for vector in (gradient, central, noise)))
                    ends.append(x)
                following.append(add(*((1.0 / n_clients, x) for x in ends)))
        models = following
        drawn.append(drawn_now)
    s = sdp.dense(start)
    bounds = [
        (np.outer(s, s), 1.0),
        (_mean_square(sdp, optimal), 1.0),
        *((_mean_square(sdp, one), 1.0) for one in drawn),
    ]
    return sdp.solve(_mean_square(sdp, models), bounds)


def rounds_model(local_steps: int, step_size: float, mu: float, rounds: int) -> Model:
    """The engine's model of the same rounds, for any number of clients."""
    functions = FunctionClass(mu, 1)
    algorithm = OneWayGradientTransfer(local_steps, step_size)
    return build_model(algorithm, functions, centre=functions, rounds=rounds, centre_noise=True)


#: Mild and violent step sizes, few and more outcomes, two and three clients, weak and strong noises.
TREES = (
    Case(True, 0.25, 0.1, (2,), (2,)),
    Case(True, 0.25, 0.1, (2,), (2, 2)),
    Case(True, 0.25, 0.1, (3,), (3, 2), 3),
    Case(True, 1.0, 0.0, (3,), (2, 2)),
    Case(True, 1.9, 0.1, (2,), (3, 2), heterogeneity=0.01, noise=4.0),
    Case(True, 2.5, 0.5, (4,), (2, 2), noise=0.1, centre_noise=3.0),
    Case(True, 0.25, 0.1, (2,), (2, 2, 2)),
    Case(True, 1.9, 0.1, (2,), (2, 2, 2)),
    Case(True, 0.5, 0.1, (2,), (2, 2), 3, cohort=2),
    Case(True, 1.9, 0.5, (3,), (2, 2), cohort=1),
    Case(False, 0.5, 0.1, (2, 2), (2, 2), 3, cohort=2),
    Case(False, 0.25, 0.1, (2,), (2,)),
    Case(False, 0.25, 0.1, (2, 2), (2, 2)),
    Case(False, 1.0, 0.1, (2, 2), (2, 2)),
    Case(False, 1.9, 0.5, (3, 2), (2, 2), noise=0.1),
    Case(False, 2.5, 0.1, (2, 2, 2), (2,)),
    Case(False, 0.25, 0.1, (2, 2, 2), (2, 2), centre_noise=4.0),
)


def tree_row(case: Case, *, other: bool = True) -> dict[str, Any]:
    """A tree beside the level formulation with as many outcomes, beside the engine's, and beside the other laws."""
    begin = time.perf_counter()
    tree = tree_value(case)
    seconds = time.perf_counter() - begin
    level, limit = level_value(case), level_value(case, many=True)
    apart = (tree_value(case, follow=not case.one_way) - tree) / tree if other else None
    return {
        "method": "1-way" if case.one_way else "parallel",
        "step_size": case.step_size,
        "mu": case.mu,
        "central": list(case.central),
        "local": list(case.local),
        "N": case.n_clients,
        "cohort": case.cohort,
        **case.quantities,
        "explicit": tree,
        "formula": level,
        "difference": abs(tree - level) / tree,
        "engine": limit,
        "engine_above_tree": (limit - tree) / tree,
        "other_laws": apart,
        "seconds": seconds,
    }


def certificate_row(case: Case) -> dict[str, Any]:
    """The width and the time of the engine's certificate."""
    begin = time.perf_counter()
    model = case.model()
    found = worst_case(
        OneWayGradientTransfer(len(case.local), case.step_size),
        model.clients,
        centre=model.clients,
        noise=True,
        centre_noise=True,
        n_clients=case.n_clients,
    )
    return {
        "method": "certificate, 1-way",
        "step_size": case.step_size,
        "mu": case.mu,
        "local": len(case.local),
        "N": case.n_clients,
        "engine": found.value,
        "status": found.status,
        "width": found.width,
        "seconds": time.perf_counter() - begin,
    }


def main() -> None:
    """Trees and certificates: a table and the results file."""
    rows = [tree_row(case) for case in TREES]
    rows += [certificate_row(Case(True, step, 0.1, (2,), (2,) * K, 10)) for K in (2, 5, 10) for step in (0.1, 0.5)]
    summary = {
        "largest difference": max(row["difference"] for row in rows if "difference" in row),
        "1-way, least change where first noises do not follow": min(
            row["other_laws"] for row in rows if row["method"] == "1-way"
        ),
        "parallel, largest change where noises follow": max(
            row["other_laws"] for row in rows if row["method"] == "parallel"
        ),
        "widest certificate": max(row["width"] for row in rows if "width" in row),
        "slowest certificate": max(row["seconds"] for row in rows if "width" in row),
    }
    keys = (
        "method",
        "step_size",
        "mu",
        "central",
        "local",
        "N",
        "explicit",
        "formula",
        "difference",
        "engine_above_tree",
    )
    write("central_trees", summary, rows, keys=(*keys, "other_laws", "width", "seconds"))


if __name__ == "__main__":
    main()
