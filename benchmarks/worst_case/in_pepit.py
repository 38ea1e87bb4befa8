"""Federated methods in PEPit's own language, each written by hand: an oracle that shares nothing with the package.

PEPit (Goujaud et al., 2024) knows N functions one by one.  ``worst_case_in_pepit`` declares them, the assumptions and the
measure; a method takes the functions, their weights and a point, and returns the models after every round.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from PEPit import PEP, Expression, Point
from PEPit.functions import SmoothConvexFunction, SmoothFunction, SmoothStronglyConvexFunction
from PEPit.primitive_steps import proximal_step

Method = Callable[..., list[Any]]


class Answer(NamedTuple):
    """PEPit's dual value and the status of the solve."""

    value: float
    status: str


def average(weights: Sequence[float], points: Sequence[Any]) -> Any:
    """``sum_k p_k x_k``."""
    total = weights[0] * points[0]
    for weight, point in zip(weights[1:], points[1:], strict=True):
        total = total + weight * point
    return total


def fedavg(
    clients: Any, weights: Any, centre: Any, w: Any, rounds: int, *, E: int, eta: float, server: float = 1.0
) -> list[Any]:
    """FedAvg, with a step size at the server."""
    models = [w]
    for _ in range(rounds):
        ends = []
        for f in clients:
            x = w
            for _ in range(E):
                x = x - eta * f.gradient(x)
            ends.append(x)
        w = w + server * (average(weights, ends) - w)
        models.append(w)
    return models


def fedprox(
    clients: Any, weights: Any, centre: Any, w: Any, rounds: int, *, E: int, eta: float, prox: float
) -> list[Any]:
    """Local steps on ``f_k(x) + prox/2 |x - w|^2``."""
    models = [w]
    for _ in range(rounds):
        ends = []
        for f in clients:
            x = w
            for _ in range(E):
                x = x - eta * (f.gradient(x) + prox * (x - w))
            ends.append(x)
        w = average(weights, ends)
        models.append(w)
    return models


def proximal(
    clients: Any, weights: Any, centre: Any, w: Any, rounds: int, *, E: int, eta: float, central: float = 0.0
) -> list[Any]:
    """``E`` proximal steps of every client; with ``central`` one of the server's loss after the average."""
    models = [w]
    for _ in range(rounds):
        ends = []
        for f in clients:
            x = w
            for _ in range(E):
                x = proximal_step(x, f, eta)[0]
            ends.append(x)
        w = average(weights, ends)
        if central:
            w = proximal_step(w, centre, central)[0]
        models.append(w)
    return models


def scaffold(
    clients: Any, weights: Any, centre: Any, w: Any, rounds: int, *, E: int, eta: float, server: float = 1.0
) -> list[Any]:
    """SCAFFOLD, option II, control variates zero at the start."""
    models, own, common = [w], [0 * w for _ in clients], 0 * w
    for _ in range(rounds):
        ends, fresh = [], []
        for f, control in zip(clients, own, strict=True):
            x = w
            for _ in range(E):
                x = x - eta * (f.gradient(x) - control + common)
            ends.append(x)
            fresh.append(control - common + (w - x) / (E * eta))
        w = w + server * (average(weights, ends) - w)
        own, common = fresh, average(weights, fresh)
        models.append(w)
    return models


def corrected(
    clients: Any, weights: Any, centre: Any, w: Any, rounds: int, *, E: int, eta: float, server: float = 1.0
) -> list[Any]:
    """Local steps with ``grad f_k(x) - grad f_k(w) + grad f(w)``."""
    models = [w]
    for _ in range(rounds):
        first = [f.gradient(w) for f in clients]
        mean, ends = average(weights, first), []
        for f, g in zip(clients, first, strict=True):
            x = w
            for _ in range(E):
                x = x - eta * (f.gradient(x) - g + mean)
            ends.append(x)
        w = w + server * (average(weights, ends) - w)
        models.append(w)
    return models


def one_way(
    clients: Any, weights: Any, centre: Any, w: Any, rounds: int, *, E: int, eta: float, server: float = 1.0
) -> list[Any]:
    """1-way gradient transfer: the server's gradient is added to every local step."""
    models = [w]
    for _ in range(rounds):
        g, ends = centre.gradient(w), []
        for f in clients:
            x = w
            for _ in range(E):
                x = x - eta * (f.gradient(x) + g)
            ends.append(x)
        w = w + server * (average(weights, ends) - w)
        models.append(w)
    return models


def parallel(
    clients: Any, weights: Any, centre: Any, w: Any, rounds: int, *, E: int, eta: float, central: float
) -> list[Any]:
    """FedAvg on the clients beside ``E`` gradient steps on the server's loss, both moves added."""
    models = [w]
    for _ in range(rounds):
        y, ends = w, []
        for _ in range(E):
            y = y - central * centre.gradient(y)
        for f in clients:
            x = w
            for _ in range(E):
                x = x - eta * f.gradient(x)
            ends.append(x)
        w = y + average(weights, ends) - w
        models.append(w)
    return models


def two_way(
    clients: Any, weights: Any, centre: Any, w: Any, rounds: int, *, E: int, eta: float, central: float
) -> list[Any]:
    """2-way gradient transfer with its printed renewal of the augmenting gradients, which start at zero."""
    models, from_centre, from_clients = [w], 0 * w, 0 * w
    for _ in range(rounds):
        y, ends = w, []
        for _ in range(E):
            y = y - central * (centre.gradient(y) + from_clients)
        for f in clients:
            x = w
            for _ in range(E):
                x = x - eta * (f.gradient(x) + from_centre)
            ends.append(x)
        moved_centre, moved_clients = y - w, average(weights, ends) - w
        w = w + moved_centre + moved_clients
        from_centre, from_clients = (
            -1 * moved_centre / (E * eta) - from_clients,
            -1 * moved_clients / (E * eta) - from_centre,
        )
        models.append(w)
    return models


def declare(problem: PEP, mu: float, L: float) -> Any:
    """One function of the class of curvatures ``[mu, L]`` that PEPit has: ``mu > 0``, ``mu = 0`` or ``mu = -L``."""
    if mu > 0:
        return problem.declare_function(SmoothStronglyConvexFunction, mu=mu, L=L)
    if mu == 0:
        return problem.declare_function(SmoothConvexFunction, L=L)
    if mu != -L:
        raise ValueError(f"mu={mu}: PEPit has no class of curvatures [{mu}, {L}]")
    return problem.declare_function(SmoothFunction, L=L)


def worst_case_in_pepit(
    method: Method,
    weights: Sequence[float],
    *,
    mu: float,
    L: float = 1.0,
    rounds: int = 1,
    measure: str = "distance",
    heterogeneity: str | None = "gradients",
    start: str = "distance",
    with_centre: bool = False,
    bound: float = 1.0,
    dissimilarity: float = 1.0,
    tolerance: float = 1e-9,
    **settings: Any,
) -> Answer:
    """PEPit's dual value; all bounded quantities are ``bound``, but for the start, which is 1."""
    problem = PEP()
    clients = [declare(problem, mu, L) for _ in weights]
    mean = average(weights, clients)
    centre = declare(problem, mu, L) if with_centre else None
    total = mean + centre if with_centre else mean
    w = problem.set_initial_point()
    if mu >= 0:
        optimum = total.stationary_point()
        lowest = total(optimum)
    else:
        optimum, lowest = None, Expression()
    models = method(clients, weights, centre, w, rounds, **settings)
    measures = {
        "distance": lambda x: (x - optimum) ** 2,
        "gap": lambda x: total(x) - lowest,
        "gradient": lambda x: total.gradient(x) ** 2,
    }
    problem.set_initial_condition(measures[start](w) <= 1.0)
    if heterogeneity == "gradients":
        squares = [weight * f.gradient(optimum) ** 2 for weight, f in zip(weights, clients, strict=True)]
        problem.add_constraint(sum(squares[1:], squares[0]) <= bound)
    elif heterogeneity == "gamma":
        minima = [f(f.stationary_point()) for f in clients]
        problem.add_constraint(lowest - average(weights, minima) <= bound)
    elif heterogeneity == "dissimilarity":
        for x in models:
            squares = [weight * f.gradient(x) ** 2 for weight, f in zip(weights, clients, strict=True)]
            total_square = sum(squares[1:], squares[0])
            problem.add_constraint(total_square - dissimilarity**2 * total.gradient(x) ** 2 <= bound)
    if mu < 0:
        for x in models:
            problem.add_constraint(total.gradient(x) ** 2 / (2 * L) <= total(x) - lowest)
    problem.set_performance_metric(measures[measure](models[-1]))
    precise = {name: tolerance for name in ("tol_gap_abs", "tol_gap_rel", "tol_feas")}
    value = problem.solve(verbose=0, wrapper="cvxpy", solver="CLARABEL", **precise)
    return Answer(float(value), str(problem.wrapper.prob.status))


def tree_of_noise(local_steps: int, step_size: float, measure: str, mu: float = 0.1, noisy: int = 9) -> float:
    """FedAvg with noise for two clients and two outcomes per draw, every history a point of its own: the gap or the gradient.

    The first ``noisy`` steps of a round have noise, the others none.
    """
    problem = PEP()
    losses = [problem.declare_function(SmoothStronglyConvexFunction, mu=mu, L=1.0) for _ in range(2)]
    mean = losses[0] / 2 + losses[1] / 2
    w, star = problem.set_initial_point(), mean.stationary_point()
    problem.set_initial_condition((w - star) ** 2 <= 1)
    problem.add_constraint(sum(f.gradient(star) ** 2 for f in losses) / 2 <= 1)
    ends: list[Any] = []
    squares: list[list[Any]] = [[] for _ in range(local_steps)]
    for f in losses:
        points = [w]
        for step in range(local_steps):
            after: list[Any] = []
            for x in points:
                noise, slope = Point(), f.gradient(x)
                squares[step].append(noise**2)
                signs = (1, -1) if step < noisy else (0,)
                after += [x - step_size * (slope + sign * noise) for sign in signs]
            points = after
        ends.append(points)
    for listed in squares:
        problem.add_constraint(sum(listed) / len(listed) <= 1)
    models = [(x + y) / 2 for x, y in itertools.product(*ends)]
    heights = [mean(y) - mean(star) if measure == "gap" else mean.gradient(y) ** 2 for y in models]
    problem.set_performance_metric(sum(heights) / len(heights))
    return float(problem.solve(verbose=0, wrapper="cvxpy", solver="CLARABEL"))
