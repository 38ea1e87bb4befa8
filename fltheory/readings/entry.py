"""What every reading does on entry: one number type, one problem, one algorithm, and a first state as a flat vector."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from fltheory.algorithms.participation import Full, Participation
from fltheory.algorithms.vocabulary import (
    Algorithm,
    ClientVector,
    Vector,
    check_algorithm,
    leaves,
    model_of,
    with_leaves,
)
from fltheory.kinds import Array, Number, PointLike
from fltheory.problems.base import Problem, check_flag, check_instance, check_problem, check_shape, real_array
from fltheory.problems.blocks import keep_blocks
from fltheory.problems.mixed import client_part
from fltheory.problems.oracles import AnyOracle, is_noisy
from fltheory.problems.scaled import Scaled, describe, is_quadratic
from fltheory.readings.arrays import ArrayFederation, ClientArray, OracleCall, participation_of
from fltheory.readings.centre_use import require_use_of_centre
from fltheory.readings.draws import ExactDraws
from fltheory.readings.numbers import FLOAT, RATIONAL, Numbers, convert_algorithm, convert_problem
from fltheory.readings.refusals import COHORT_ONLY


@dataclass(frozen=True)
class Setup:
    """Problem and algorithm in one number type."""

    problem: Any
    algorithm: Algorithm
    numbers: Numbers
    participation: Participation

    @property
    def weights(self) -> list[Number]:
        """``p`` in the number type."""
        return list(self.problem.weights)


def enter(problem: Problem, algorithm: Algorithm, *, exact: bool = False, numbers: Numbers | None = None) -> Setup:
    """Convert problem, weights and rates to one number type, once.

    ``exact=True`` means rationals; ``numbers`` names a type (a field of rational functions) and goes before it.

    Raises
    ------
    ValueError : a problem with a loss at the server for an algorithm that never asks for it; a scheme that does not fit;
        an exact type for a problem whose gradients are not rational.
    """
    check_problem("problem", problem)
    check_algorithm("algorithm", algorithm)
    check_flag("exact", exact)
    if numbers is not None:
        check_instance("numbers", numbers, Numbers, "a number type, such as rational_functions('eta')[0]")
    chosen = numbers if numbers is not None else RATIONAL if exact else FLOAT
    converted_algorithm = convert_algorithm(algorithm, chosen)
    # Elements of a field of functions do not multiply tokens before they are converted.
    require_use_of_centre(problem, converted_algorithm)
    converted = convert_problem(problem, chosen)
    entry = Setup(converted, converted_algorithm, chosen, participation_of(algorithm))
    entry.participation.check(entry.weights)
    return entry


#: What serves losses that are not quadratic, by a word of what was asked for.
_OF_OTHERS = {"round map": "linearised", "moments": "linearised_moments", "stationary law": "linearised_stationary"}


def require_quadratic(problem: Any, what: str) -> None:
    """Raise ``ValueError`` unless the clients' gradients are affine."""
    check_problem("problem", problem)
    for part in _parts(problem):
        if not is_quadratic(part):
            other = next((f"; {verb} takes others" for kind, verb in _OF_OTHERS.items() if kind in what), "")
            raise ValueError(f"problem={describe(part)}: {what} needs affine gradients, a quadratic problem{other}")


def is_affine(problem: Any) -> bool:
    """Whether all gradients of a problem are affine, those of the server's own loss included.

    Raises
    ------
    ValueError : no problem.
    """
    check_problem("problem", problem)
    return all(is_quadratic(part) for part in _parts(problem))


def _parts(problem: Any) -> tuple[Any, ...]:
    return (client_part(problem), problem.centre) if hasattr(problem, "centre_gradient") else (problem,)


def dense(problem: Any) -> Any:
    """The quadratic problem with full matrices, or the mixed problem of two such.

    A factor times a problem waits for ``enter``: products of floats would not be the decimals that their factors denote.
    """
    if hasattr(problem, "map_parts"):
        return problem.map_parts(dense)
    if isinstance(problem, Scaled):
        return keep_blocks(problem, Scaled(dense(problem.problem), problem.factor))
    return keep_blocks(problem, problem.to_dense()) if is_quadratic(problem) else problem


def changing_fields(algorithm: Algorithm) -> list[str]:
    """Names of the schedules of an algorithm that are not constant."""
    if not dataclasses.is_dataclass(algorithm):
        return []
    values = {field.name: getattr(algorithm, field.name) for field in dataclasses.fields(algorithm)}
    within = [name for value in values.values() if hasattr(value, "round") for name in changing_fields(value)]
    return within + [
        name for name, value in values.items() if hasattr(value, "at") and not getattr(value, "constant", False)
    ]


def require_stationary(entry: Setup, opening: Opening, what: str) -> None:
    """Raise ``ValueError`` if a round depends on its index: the rounds are then different maps."""
    for name in changing_fields(entry.algorithm):
        told = getattr(entry.algorithm, name, entry.algorithm)
        raise ValueError(
            f"{name}={told!r} changes from round to round: {what} has a meaning for constant step sizes only"
        )
    if not is_stationary(entry, opening):
        raise ValueError(
            f"{type(entry.algorithm).__name__} computes with fed.round: {what} has a meaning if all rounds are alike"
        )


def is_stationary(entry: Setup, opening: Opening) -> bool:
    """Whether no round depends on its index: one round of no runs is read whose index refuses every computation."""
    draws = ExactDraws(entry.problem, entry.numbers, runs=0)
    fed = ArrayFederation(entry.problem, Full(), draws, entry.numbers, linear=True)
    fed.begin(0)
    fed.round = _UnknownRound()  # type: ignore[assignment]
    try:
        with np.errstate(over="ignore", invalid="ignore"):
            entry.algorithm.round(fed, opening.layout.build(fed, opening.template, opening.values[None, :][:0]))
    except _RoundMatters:
        return False
    return True


class _RoundMatters(Exception):
    """The index of a round was used."""


class _UnknownRound:
    """A round index that can be handed on but not computed with."""

    def _refuse(self, *_: Any) -> Any:
        raise _RoundMatters

    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __rtruediv__ = _refuse
    __floordiv__ = __rfloordiv__ = __mod__ = __rmod__ = __pow__ = __rpow__ = __divmod__ = __rdivmod__ = _refuse
    __and__ = __rand__ = __or__ = __ror__ = __xor__ = __rxor__ = __lshift__ = __rlshift__ = _refuse
    __rshift__ = __rrshift__ = __neg__ = __pos__ = __abs__ = __invert__ = _refuse
    __eq__ = __ne__ = __lt__ = __le__ = __gt__ = __ge__ = _refuse
    __bool__ = __index__ = __int__ = __float__ = __hash__ = __str__ = __repr__ = __format__ = _refuse


@dataclass(frozen=True)
class Layout:
    """How a state lies in one flat vector of ``size`` entries: server leaves take ``d``, per-client leaves ``N d``."""

    server: tuple[bool, ...]
    n_clients: int
    dimension: int

    @classmethod
    def of(cls, state: Any, n_clients: int, dimension: int) -> Layout:
        """The layout of a state."""
        return cls(tuple(isinstance(leaf, Vector) for leaf in leaves(state)), n_clients, dimension)

    @property
    def shapes(self) -> list[tuple[int, ...]]:
        """Shape of each leaf."""
        return [(self.dimension,) if s else (self.n_clients, self.dimension) for s in self.server]

    @property
    def slices(self) -> list[slice]:
        """Where each leaf lies."""
        ends = np.cumsum([0, *(int(np.prod(shape)) for shape in self.shapes)]).tolist()
        return [slice(a, b) for a, b in zip(ends[:-1], ends[1:], strict=True)]

    @property
    def size(self) -> int:
        """``D``, the dimension of the enlarged state."""
        return int(self.slices[-1].stop)

    def flatten(self, state: Any) -> Array:
        """A state of the arrays reading as ``(runs, D)``.

        Raises
        ------
        ValueError : per-client state that is known for the cohort only.
        """
        parts = []
        for leaf in leaves(state):
            values = leaf.payload
            if isinstance(values, ClientArray):
                if not values.everyone:
                    raise ValueError(COHORT_ONLY)
                values = values.values
            parts.append(values.reshape(len(values), -1))
        return np.concatenate(parts, axis=1)

    def build(self, fed: ArrayFederation, template: Any, flat: Array) -> Any:
        """The state of ``fed`` whose leaves are the parts of ``flat`` ``(runs, D)``."""
        vectors: list[Any] = []
        for server, shape, part in zip(self.server, self.shapes, self.slices, strict=True):
            values = flat[:, part].reshape(len(flat), *shape)
            vectors.append(Vector(fed, values) if server else ClientVector(fed, ClientArray(values, True)))
        return with_leaves(template, vectors)


@dataclass(frozen=True)
class Opening:
    """First state of an algorithm: template, layout, flat values ``(D,)``, and the model as a part of the state.

    ``calls`` counts the gradients that ``start`` asks for.
    """

    template: Any
    layout: Layout
    values: Array
    calls: int
    entry: Setup

    @cached_property
    def model(self) -> Array:
        """The matrix ``(d, D)`` that picks the server's model out of a flat state."""
        numbers, algorithm, layout = self.entry.numbers, self.entry.algorithm, self.layout
        if getattr(algorithm, "model", None) is None and layout.server[0]:
            return np.asarray(numbers.array(np.eye(layout.dimension, layout.size, dtype=int)))
        basis = exact_federation(self.entry, layout.size)
        identity = numbers.array(np.eye(layout.size, dtype=int))
        picked: Array = model_of(algorithm, basis, layout.build(basis, self.template, identity)).payload.T
        return picked

    def require_quiet_start(self, oracle: AnyOracle) -> None:
        """Raise ``ValueError`` if ``start`` asks a noisy oracle: that noise is not kept between rounds."""
        if self.calls and is_noisy(oracle):
            raise ValueError(f"start asks for {self.calls} gradients of {oracle!r}: exact moments need Exact() there")


def open_state(entry: Setup, start: PointLike | None = None) -> Opening:
    """Run ``algorithm.start`` on the model ``start`` (default: zero)."""
    problem = entry.problem
    log: list[OracleCall] = []
    fed = exact_federation(entry, 1, log)
    given = np.zeros(problem.dimension, dtype=int) if start is None else real_array("start", start)
    check_shape("start", given, (problem.dimension,))
    template = entry.algorithm.start(fed, fed.vector(given))
    layout = Layout.of(template, problem.n_clients, problem.dimension)
    return Opening(template, layout, layout.flatten(template)[0], len(log), entry)


def exact_federation(entry: Setup, runs: int, log: list[OracleCall] | None = None) -> ArrayFederation:
    """The arrays reading with exact gradients for ``runs`` states at once (rounds of full participation only).

    Its answers are taken for a linear map of the states.
    """
    draws = ExactDraws(entry.problem, entry.numbers, runs=runs)
    return ArrayFederation(entry.problem, entry.participation, draws, entry.numbers, log=log, linear=True)
