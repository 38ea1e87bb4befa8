"""Noise and sampling by brute force, to judge the level formulation: every outcome of every client is a node of a tree.

Explicit semidefinite programs for one round of FedAvg with N clients, in one Gram matrix over all vectors of all
clients: the reference twin of ``worst_case(..., noise=True)`` and of the sampling shares.  Run it to write
``results/benchmarks/noise_trees.json``.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import combinations, product
from typing import Any

import numpy as np
import numpy.typing as npt

from benchmarks.worst_case.table import write

Array = npt.NDArray[np.float64]


@dataclass
class ExplicitProgram:
    """Vectors are rows of coefficients over a growing basis; function values are numbered."""

    mu: float
    smooth: float
    dimension: int = 0
    queries: dict[int, list[tuple[dict[int, float], dict[int, float], int | None]]] = field(default_factory=dict)
    values: int = 0

    def fresh(self) -> dict[int, float]:
        """A new vector."""
        self.dimension += 1
        return {self.dimension - 1: 1.0}

    def gradient(
        self, client: int, point: dict[int, float], gradient: dict[int, float] | None = None
    ) -> dict[int, float]:
        """A gradient of a client at a point; at the origin (the minimiser) the function value is zero."""
        found = self.fresh() if gradient is None else gradient
        value = None if not point else self.values
        self.values += value is not None
        self.queries.setdefault(client, []).append((point, found, value))
        return found

    def dense(self, vector: dict[int, float]) -> Array:
        """Coordinates as an array."""
        found = np.zeros(self.dimension)
        for place, entry in vector.items():
            found[place] = entry
        return found

    def solve(self, measure: Array, bounds: Sequence[tuple[Array, float]]) -> float:
        """The largest ``<measure, G>`` over Gram matrices with ``<form, G> <= bound`` and all interpolation conditions."""
        import clarabel
        from scipy import sparse

        n = self.dimension
        length = n * (n + 1) // 2 + self.values
        rows = [np.concatenate([triangle(form), np.zeros(self.values)]) for form, _ in bounds]
        right = [bound for _, bound in bounds]
        for listed in self.queries.values():
            dense = [(self.dense(x), self.dense(g), value) for x, g, value in listed]
            for i, j in ((i, j) for i in range(len(dense)) for j in range(len(dense)) if i != j):
                (x, g, f), (y, h, v) = dense[i], dense[j]
                u, w = g - self.mu * x, h - self.mu * y
                form = self.mu / 2 * (np.outer(x, x) - np.outer(y, y)) + both(w, x - y)
                form = form + np.outer(u - w, u - w) / (2 * (self.smooth - self.mu))
                row = np.concatenate([triangle(form), np.zeros(self.values)])
                for place, sign in ((f, -1.0), (v, 1.0)):
                    if place is not None:
                        row[length - self.values + place] += sign
                rows.append(row)
                right.append(0.0)
        matrix = np.array(rows)
        scale = np.abs(matrix).max(axis=1)
        gram = sparse.hstack(
            [-sparse.eye(length - self.values), sparse.csc_matrix((length - self.values, self.values))]
        )
        constraints = sparse.vstack([sparse.csc_matrix(matrix / scale[:, None]), gram]).tocsc()
        offset = np.concatenate([np.array(right) / scale, np.zeros(length - self.values)])
        settings: Any = clarabel.DefaultSettings()
        settings.verbose = False
        settings.direct_solve_method = "faer"
        settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = 1e-9
        cones = [clarabel.NonnegativeConeT(len(rows)), clarabel.PSDTriangleConeT(n)]
        objective = -np.concatenate([triangle(measure), np.zeros(self.values)])
        zero = sparse.csc_matrix((length, length))
        answer = clarabel.DefaultSolver(zero, objective, constraints, offset, cones, settings).solve()
        return -float(answer.obj_val)


def both(a: Array, b: Array) -> Array:
    return (np.outer(a, b) + np.outer(b, a)) / 2


def triangle(matrix: Array) -> Array:
    """The upper triangle by columns, off-diagonal entries times sqrt 2."""
    scaled = matrix * np.sqrt(2.0)
    np.fill_diagonal(scaled, np.diag(matrix))
    return np.concatenate([scaled[: j + 1, j] for j in range(len(matrix))])


def add(*terms: tuple[float, dict[int, float]]) -> dict[int, float]:
    """A linear combination of vectors."""
    total: dict[int, float] = {}
    for factor, vector in terms:
        for place, entry in vector.items():
            total[place] = total.get(place, 0.0) + factor * entry
    return total


@dataclass(frozen=True)
class Case:
    """One round of FedAvg from ``|w - w*|^2 <= distance`` with ``sum p_k |grad f_k(w*)|^2 <= heterogeneity``."""

    local_steps: int
    step_size: float
    mu: float
    smooth: float = 1.0
    n_clients: int = 2
    distance: float = 1.0
    heterogeneity: float = 1.0
    noise: float = 1.0


def _begin(case: Case) -> tuple[ExplicitProgram, dict[int, float], list[dict[int, float]]]:
    """The start, and the clients' gradients at the minimiser, which sum to zero."""
    sdp = ExplicitProgram(case.mu, case.smooth)
    start = sdp.fresh()
    optimal = [sdp.fresh() for _ in range(case.n_clients - 1)]
    optimal.append(add(*((-1.0, g) for g in optimal)))
    for client, gradient in enumerate(optimal):
        sdp.gradient(client, {}, gradient)
    return sdp, start, optimal


def _bounds(case: Case, sdp: ExplicitProgram, start: Any, optimal: Any) -> list[tuple[Array, float]]:
    s = sdp.dense(start)
    mean = sum(np.outer(sdp.dense(g), sdp.dense(g)) for g in optimal) / case.n_clients
    return [(np.outer(s, s), case.distance), (np.asarray(mean), case.heterogeneity)]


def tree_value(case: Case, branching: int) -> float:
    """Worst ``E|w+ - w*|^2`` when each draw of each client's noise has ``branching`` equally likely outcomes.

    The noises are arbitrary vectors that sum to zero over the outcomes of a draw; a draw's mean square over clients and
    outcomes is at most ``noise``.  The last draw enters the average only and has two outcomes.
    """
    sdp, start, optimal = _begin(case)
    noises: list[list[dict[int, float]]] = [[] for _ in range(case.local_steps)]
    ends = []
    for client in range(case.n_clients):
        points = [start]
        for step in range(case.local_steps):
            outcomes = 2 if step == case.local_steps - 1 else branching
            following = []
            for point in points:
                gradient = sdp.gradient(client, point)
                noise = [sdp.fresh() for _ in range(outcomes - 1)]
                noise.append(add(*((-1.0, n) for n in noise)))
                noises[step] += noise
                following += [add((1.0, point), (-case.step_size, gradient), (-case.step_size, n)) for n in noise]
            points = following
        ends.append(points)
    measure = np.zeros((sdp.dimension, sdp.dimension))
    means = []
    for points in ends:
        dense = [sdp.dense(point) for point in points]
        means.append(sum(dense, np.zeros(sdp.dimension)) / len(dense))
        spread = [x - means[-1] for x in dense]
        measure += sum(np.outer(x, x) for x in spread) / len(dense) / case.n_clients**2
    mean = sum(means, np.zeros(sdp.dimension)) / case.n_clients
    bounds = _bounds(case, sdp, start, optimal)
    for drawn in noises:
        bounds.append((sum(np.outer(sdp.dense(n), sdp.dense(n)) for n in drawn) / len(drawn), case.noise))
    return sdp.solve(measure + np.outer(mean, mean), bounds)


def sampled_value(case: Case, cohort: int, *, replacement: bool) -> float:
    """Worst ``E|w+ - w*|^2`` without noise when each cohort of K clients is enumerated, all equally likely."""
    sdp, start, optimal = _begin(case)
    ends = []
    for client in range(case.n_clients):
        point = start
        for _ in range(case.local_steps):
            point = add((1.0, point), (-case.step_size, sdp.gradient(client, point)))
        ends.append(point)
    clients = range(case.n_clients)
    cohorts = list(product(clients, repeat=cohort) if replacement else combinations(clients, cohort))
    measure = np.zeros((sdp.dimension, sdp.dimension))
    for chosen in cohorts:
        mean = sum((sdp.dense(ends[k]) for k in chosen), np.zeros(sdp.dimension)) / cohort
        measure += np.outer(mean, mean) / len(cohorts)
    return sdp.solve(measure, _bounds(case, sdp, start, optimal))


def level_value(case: Case, branching: int | None) -> float:
    """The level formulation, where sibling outcomes have correlation ``-1/(branching-1)``; ``None``: the engine's limit 0.

    In a tree of uniform branching the increments of sibling outcomes point to the corners of a regular simplex.  Histories
    that part before a draw then meet in that draw's block as well, with a negative factor; the engine leaves it out, which
    is the limit of many outcomes and the worst case over all laws.
    """
    from fltheory.algorithms import FedAvg
    from fltheory.worstcase.classes import FunctionClass
    from fltheory.worstcase.entry import build_model
    from fltheory.worstcase.multipliers import pair_keys
    from fltheory.worstcase.sdp import ConicProgram
    from fltheory.worstcase.solver import solve

    functions = FunctionClass(case.mu, case.smooth)
    model = build_model(FedAvg(case.local_steps, case.step_size), functions, noise=True, n_clients=case.n_clients)
    problem = ConicProgram(model)
    queries = {query.register: query for query in model.groups[0].queries}
    for row, (_, i, j, draw) in enumerate(pair_keys(model)):
        if draw is None or branching is None:
            continue
        name = f"draw {draw}"
        size, start = model.space.sizes[name], problem.offsets[name]
        x, g, y, h = (
            np.array([float(vector.get((name, k), 0)) for k in range(size)])
            for vector in (queries[i].point, queries[i].gradient, queries[j].point, queries[j].gradient)
        )
        left, right = h - case.mu * y, x - (g - case.mu * x) / (case.smooth - case.mu)
        problem.pair_rows[row, start : start + size * (size + 1) // 2] -= triangle(both(left, right)) / (branching - 1)
    quantities = {"distance": case.distance, "heterogeneity": case.heterogeneity, "noise": case.noise}
    return solve(problem, quantities).value


#: Mild and violent step sizes: in the last ones the outcomes' number matters.
TREES = (
    Case(2, 0.25, 0.1),
    Case(2, 1.0, 0.0),
    Case(2, 1.9, 0.1, heterogeneity=0.01, noise=4.0),
    Case(2, 2.5, 0.5),
    Case(3, 0.25, 0.1),
    Case(3, 1.0, 0.1),
    Case(3, 1.9, 0.5),
    Case(3, 2.5, 0.1, heterogeneity=0.1),
)


def tree_row(case: Case, branching: int) -> dict[str, Any]:
    """A tree beside the level formulation with as many outcomes, and beside the engine's."""
    begin = time.perf_counter()
    tree = tree_value(case, branching)
    seconds = time.perf_counter() - begin
    level, limit = level_value(case, branching), level_value(case, None)
    return {
        "what": "noise tree",
        "E": case.local_steps,
        "step_size": case.step_size,
        "mu": case.mu,
        "outcomes": branching,
        "explicit": tree,
        "formula": level,
        "difference": abs(tree - level) / tree,
        "engine": limit,
        "engine_above_tree": (limit - tree) / tree,
        "seconds": seconds,
    }


def sampling_row(n_clients: int, cohort: int, *, replacement: bool) -> dict[str, Any]:
    """All cohorts of an explicit program beside ``worst_case`` with the scheme's share."""
    import fltheory as fl

    case = Case(2, 0.5, 0.1, n_clients=n_clients)
    begin = time.perf_counter()
    explicit = sampled_value(case, cohort, replacement=replacement)
    seconds = time.perf_counter() - begin
    scheme = fl.SchemeI(cohort) if replacement else fl.NormalisedUniform(cohort)
    algorithm = fl.FedAvg(case.local_steps, case.step_size, scheme)
    found = fl.worst_case(algorithm, fl.FunctionClass(case.mu, case.smooth), n_clients=n_clients, certify=False)
    return {
        "what": "with replacement" if replacement else "without replacement",
        "E": case.local_steps,
        "step_size": case.step_size,
        "mu": case.mu,
        "N": n_clients,
        "K": cohort,
        "explicit": explicit,
        "formula": found.solver_value,
        "difference": abs(explicit - found.solver_value) / explicit,
        "seconds": seconds,
    }


def certificate_row(local_steps: int, step_size: float, mu: float) -> dict[str, Any]:
    """A noisy round: the width and the time of its certificate."""
    import fltheory as fl

    begin = time.perf_counter()
    found = fl.worst_case(fl.FedAvg(local_steps, step_size), fl.FunctionClass(mu, 1), noise=True, n_clients=10)
    return {
        "what": "certificate",
        "E": local_steps,
        "step_size": step_size,
        "mu": mu,
        "N": 10,
        "formula": found.value,
        "status": found.status,
        "width": found.width,
        "seconds": time.perf_counter() - begin,
    }


def main() -> None:
    """Trees, enumerated cohorts and certificates of noisy rounds: a table and the results file."""
    rows = [tree_row(case, b) for case in TREES for b in ((2, 3, 4) if case.local_steps == 2 else (2, 3))]
    rows += [sampling_row(n, k, replacement=again) for n in (3, 4) for k in (1, 2) for again in (False, True)]
    rows += [
        certificate_row(*each)
        for each in ((5, 0.25, 0.1), (10, 0.1, 0.1), (10, 0.25, 0.1), (10, 0.5, 0.1), (10, 1.0, 0.0))
    ]
    keys = (
        "what",
        "E",
        "step_size",
        "mu",
        "outcomes",
        "N",
        "K",
        "explicit",
        "formula",
        "difference",
        "engine_above_tree",
    )
    summary = {
        "largest difference, trees": max(row["difference"] for row in rows if row["what"] == "noise tree"),
        "largest difference, sampling": max(row["difference"] for row in rows if "replacement" in row["what"]),
        "widest noisy certificate": max(row["width"] for row in rows if row["what"] == "certificate"),
        "slowest noisy certificate": max(row["seconds"] for row in rows if row["what"] == "certificate"),
    }
    write("noise_trees", summary, rows, keys=(*keys, "width", "seconds"))


if __name__ == "__main__":
    main()
