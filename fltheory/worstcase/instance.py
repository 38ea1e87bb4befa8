"""From the Gram blocks of a worst case to clients as explicit functions, which every reading and the simulator can run.

Each client's function is the interpolant of its queries (:mod:`fltheory.problems.interpolated`), in its class by
construction; its points and gradients are factors of the blocks (:mod:`fltheory.worstcase.instance_pieces`).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from fltheory.algorithms.participation import Full
from fltheory.algorithms.vocabulary import Algorithm, ClientVector, Vector, leaves, with_leaves
from fltheory.kinds import Floats
from fltheory.problems.base import check_count
from fltheory.problems.interpolated import InterpolatedFunction, InterpolatedProblem
from fltheory.problems.mixed import MixedProblem
from fltheory.readings.arrays import ArrayFederation, ClientArray
from fltheory.readings.draws import ExactDraws
from fltheory.readings.numbers import FLOAT
from fltheory.readings.proximal import ProximalSteps
from fltheory.tables import Shown
from fltheory.worstcase.client_classes import named_classes
from fltheory.worstcase.functional import Functional
from fltheory.worstcase.instance_pieces import Solved, pieces, solved
from fltheory.worstcase.model import Model
from fltheory.worstcase.normalised import in_floats

#: Shares of the largest eigenvalue below which directions are left out, coarse ones first.
TRUNCATIONS = (1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 0.0)
#: Relative error of the replayed measure, and relative excess over an assumption, with which a truncation is accepted.
FAITHFUL = 1e-6


@dataclass(frozen=True, eq=False)
class WorstInstance(Shown):
    """A federated problem that attains a worst case.

    Attributes
    ----------
    problem : the clients, an :class:`~fltheory.problems.interpolated.InterpolatedProblem`; where the server has a loss, a
        :class:`~fltheory.problems.mixed.MixedProblem` of both.  The minimiser of the sum is the origin.
    start : the model to start from, ``(d,)``.
    value : the promised value of the measure.
    given : ``{register: array}`` of the program's given vectors, ``(d,)`` at the server and ``(N, d)`` at the clients; more
        than one of them where the rounds start from an arbitrary state.
    ranks : dimensions of the blocks' factors.
    caveat : what the instance does not promise.  Assumptions on gradients hold at the queried points; between them nobody
        asked.
    """

    problem: InterpolatedProblem | MixedProblem
    start: Floats
    value: float
    given: Mapping[int, Floats]
    ranks: Mapping[str, int]
    model: Model
    caveat: str = ""

    def __repr__(self) -> str:
        """How many clients in how many dimensions, and what they attain."""
        clients = self.clients
        own = "" if self.centre is None else " and a loss of the server's own"
        return (
            f"WorstInstance({clients.n_clients} clients{own} in {clients.dimension} dimensions, value {self.value:.9g})"
        )

    @property
    def clients(self) -> InterpolatedProblem:
        """The clients alone."""
        found: InterpolatedProblem = self.problem.clients if isinstance(self.problem, MixedProblem) else self.problem
        return found

    @property
    def centre(self) -> InterpolatedFunction | None:
        """The server's own loss."""
        return self.problem.centre.functions[0] if isinstance(self.problem, MixedProblem) else None

    @cached_property
    def registers(self) -> tuple[Floats, ...]:
        """All registers of the program, run on the problem's own gradients, each ``(N, d)``."""
        clients, centre = self.clients, self.centre
        shape = (clients.n_clients, clients.dimension)
        found: list[Floats] = []
        for place, item in enumerate(self.model.instructions):
            name = item[0]
            if name == "given":
                values = np.broadcast_to(self.given[place], shape)
            elif name in ("optimum", "infimum"):
                values = np.zeros(shape)
            elif name == "combine":
                values = sum((float(c) * found[r] for c, r in item[1]), np.zeros(shape))
            elif name in ("average", "mean"):
                values = np.broadcast_to(self._weights(item[1]) @ found[item[1]], shape)
            elif name == "gradient":
                values = clients.client_gradients(found[item[1]])
            elif name == "centre" and centre is not None:
                values = np.broadcast_to(centre.derivative(found[item[1]][0]), shape)
            elif name in ("prox", "centre prox"):
                values = self._implicit(name, found[item[1]], item[2])
            elif name == "minimiser":
                values = clients.constants.client_minimisers
            else:
                raise ValueError(f"{name!r} cannot be run on an instance")
            found.append(np.asarray(values))
        return tuple(found)

    def _implicit(self, name: str, base: Floats, factor: Any) -> Floats:
        """Gradients at the ends of proximal steps from ``base`` ``(N, d)``."""
        steps, everyone = ProximalSteps(self.problem, FLOAT), np.arange(len(base))
        if name == "prox":
            after = steps.at(base[None], everyone[None], float(factor))[0]
        else:
            after = np.broadcast_to(steps.central_at(base[:1], float(factor)), base.shape)
        return np.asarray((base - after) / float(factor))

    def _query_point(self, register: int) -> Floats:
        """Where the gradient of a register was taken, ``(N, d)``."""
        item = self.model.instructions[register]
        if item[0] in ("prox", "centre prox"):
            return np.asarray(self.registers[item[1]] - float(item[2]) * self.registers[register])
        return self.registers[item[1]]

    def evaluate(self, functional: Functional) -> float:
        """A functional of the program's registers on this problem."""
        vectors = self.registers
        total = 0.0
        for c, a, b in functional.inner:
            total += float(c) * float(self._weights(a, b) @ (vectors[a] * vectors[b]).sum(axis=1))
        for c, register in functional.values:
            item, weights = self.model.instructions[register], self._weights(register)
            if item[0] in ("centre", "centre prox") and self.centre is not None:
                total += float(c) * self._height(self.centre, self._query_point(register)[0])
            elif item[0] in ("gradient", "prox"):
                pairs = zip(self.clients.functions, self._query_point(register), strict=True)
                total += float(c) * float(weights @ np.array([self._height(f, x) for f, x in pairs]))
            else:
                lowest = [f.lowest[1] - self._floor(f) for f in self.clients.functions]
                total += float(c) * float(weights @ np.array(lowest))
        return float(total)

    def _weights(self, *registers: int) -> Floats:
        """The weights of an average over the clients, or over those of the class of some registers, ``(N,)``."""
        weights, several = self.clients.weights, len(self.model.shares.classes)
        of = self.model.space.classes_of(*registers)
        if not of:
            return weights
        members = np.repeat(np.arange(1, several + 1), self.clients.n_clients // several)
        inside = np.where(members == of.pop(), weights, 0.0)
        return np.asarray(inside / inside.sum())

    def _height(self, function: InterpolatedFunction, x: Floats) -> float:
        return float(function(x)) - self._floor(function)

    def _floor(self, function: InterpolatedFunction) -> float:
        """Where function values count from: the minimiser of the sum, or the assumed minimum if it is not known."""
        return 0.0 if self.caveat else float(function(np.zeros(function.dimension)))

    def replay(self) -> float:
        """The measure after running the method's program on the problem."""
        return self.evaluate(self.model.measure)

    def run(self, algorithm: Algorithm, *, rounds: int) -> tuple[Floats, ...]:
        """The leaves of the state after ``rounds`` rounds of an algorithm in the arrays reading, ``(d,)`` or ``(N, d)``.

        It starts from ``start``, or from the given state where the worst case was taken over states.
        """
        fed = ArrayFederation(self.problem, Full(), ExactDraws(self.problem, FLOAT), FLOAT)
        state = algorithm.start(fed, fed.vector(self.start))
        free = [self.given[place] for place in sorted(self.given) if place < self.model.method_length][1:]
        if free:
            state = with_leaves(state, [_leaf(fed, array) for array in free])
        for round in range(rounds):
            fed.begin(round)
            state = algorithm.round(fed, state)
        found = []
        for leaf in leaves(state):
            values = leaf.payload.values if isinstance(leaf, ClientVector) else leaf.payload
            found.append(np.asarray(values[0], dtype=np.float64))
        return tuple(found)

    def excess(self, quantities: Mapping[str, Any]) -> float:
        """The largest amount by which an assumption is exceeded, as a share of its limit (of the largest one, if it is 0)."""
        found, unit = [0.0], max([float(entry) for entry in quantities.values()], default=1.0)
        for item in self.model.assumptions:
            limit = 0.0 if item.bound is None else float(item.scale * quantities[item.bound])
            found.append((self.evaluate(item.functional) - limit) / (limit or unit or 1.0))
        return max(found)


def _leaf(fed: ArrayFederation, array: Floats) -> Vector | ClientVector:
    if array.ndim == 1:
        return Vector(fed, array[None])
    return ClientVector(fed, ClientArray(array[None], True))


def worst_instance(case: Any, *, n_clients: int = 2) -> WorstInstance:
    """Clients that attain a :class:`~fltheory.worstcase.answer.WorstCase`, in as few dimensions as reproduce it.

    Taken from the certified lower bound, whose Gram blocks are strictly inside all constraints, or else from the solver's
    answer: the first truncation that, replayed, gives the value is returned, or else the one that comes nearest; ``replay``
    and ``excess`` of the instance say how near.

    Parameters
    ----------
    n_clients : number of clients of equal weight, at least 2; of each class, where there are several: those of class 1 come
        first, and weigh together what their class does.

    Raises
    ------
    ValueError : noise, sampling, a worst case without a solution, or one beyond the range of floats.
    """
    model: Model = case.model
    n_clients = check_count("n_clients", n_clients, least=2)
    if any(item[0] == "noise" for item in model.instructions):
        raise ValueError("noise: the worst case is over laws of the noise too, which no deterministic problem shows")
    if model.shares.deviation is not None:
        raise ValueError("a sampled cohort: the worst case is an expectation, which no single run shows")
    if case.lower is None and not case.solution.usable:
        raise ValueError(f"status={case.status!r}: there is no solution to take functions from")
    known = [case.value, case.solver_value, *([] if case.lower is None else [in_floats(case.lower)])]
    value = next((entry for entry in known if not math.isnan(entry)), math.nan)
    if math.isnan(value):
        raise ValueError(f"{case!r}: no functions in floats show it; ask in other units")
    if not value > 0:
        raise ValueError(f"value={value}: nothing happens in the worst case, and no instance shows it")
    best: tuple[float, WorstInstance] | None = None
    for data in solved(case):
        for share in TRUNCATIONS:
            made = _assemble(model, data, share, n_clients)
            error = max(abs(made.replay() / value - 1), made.excess(case.quantities))
            if error <= FAITHFUL:
                return made
            if best is None or error < best[0]:
                best = error, made
    assert best is not None
    return best[1]


def _assemble(model: Model, data: Solved, share: float, n_clients: int) -> WorstInstance:
    found = pieces(model, data, share=share, n_clients=n_clients)
    caveat = ""
    if not all(group.functions.convex for group in model.groups):
        caveat = "not convex: whether the sum of the losses falls below the assumed minimum somewhere is not known"
    problem: InterpolatedProblem | MixedProblem
    functions = tuple(one for name in named_classes(model.clients) for one in found.functions[name])
    weights = np.repeat([float(share) / n_clients for share in model.shares.classes or (1,)], n_clients)
    if "centre" in found.functions:
        alone = InterpolatedProblem(found.functions["centre"][:1])
        problem = MixedProblem(InterpolatedProblem(functions, weights=weights), alone)
    else:
        origin = None if caveat else np.zeros(functions[0].dimension)
        problem = InterpolatedProblem(functions, minimiser=origin, weights=weights)
    own = {place: array for place, array in sorted(found.given.items()) if place < model.method_length}
    servers = [place for place, array in own.items() if array.ndim == 1]
    start = found.given[servers[1] if len(own) > 1 and len(servers) > 1 else servers[0]]
    return WorstInstance(problem, start, data.promised, found.given, found.ranks, model, caveat)
