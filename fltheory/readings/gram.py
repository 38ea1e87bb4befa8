"""The Gram reading: an algorithm's own rounds as a straight-line program over abstract vectors.

Running a round on a :class:`ProgramFederation` records what it does to vectors: given vectors, gradients at points,
noises of draws, averages, and linear combinations with rational coefficients.  A performance estimation problem gives
these registers coordinates in Gram blocks (``fltheory.worstcase``); the certificate of a worst case carries the program
itself, so that a verifier rebuilds the constraints from what the algorithm did.

Instructions, one register each (``r`` are indices of earlier registers, ``c`` rationals):

====================== =============================================================================
``("given", who, d)``  a given vector, ``who`` is ``"server"`` or ``"clients"``; ``d`` is 1 for a point, 0 for a direction
``("optimum",)``       the minimiser of the sum of all losses, the origin of all points; ``("optimum", "shared")``:
                       each client's gradient there is the same
``("combine", terms)`` ``sum c r`` for ``terms = ((c, r), ...)``; no terms: the zero direction
``("gradient", r)``    each client's gradient at its vector ``r``
``("centre", r)``      the gradient of the server's own loss at ``r``
``("prox", r, c)``     each client's gradient ``g`` at its proximal point ``r - c g``; ``("centre prox", r, c)``: that of the
                       server's own loss
``("noise", t)``       each client's independent noise of draw ``t`` (mean zero given all before it);
                       ``("noise", t, "server")``: that of the server's own gradient, one for all clients
``("average", r)``     the average over the clients, or over the cohort
``("mean", r)``        the average over all clients, whoever is drawn
``("cohort", r, s)``   each client's vector ``r`` if it is in the round's cohort of K of N, and ``s`` if it is not
``("minimiser",)``     each client's own minimiser (its gradient there is zero)
``("infimum",)``       each client's infimum: a function value without a point
====================== =============================================================================

Clients of several classes are read by :mod:`fltheory.readings.gram_classes`.

Points are relative to the minimiser, which is sound only for methods that commute with translations: every register has
a degree (points 1, directions 0, combinations the sum), and gradients are taken at degree 1 only.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from fltheory.algorithms.participation import Full, Participation
from fltheory.algorithms.subsets import NormalisedUniform, SchemeII, TransformedSchemeII
from fltheory.algorithms.vocabulary import (
    Algorithm,
    AnyVector,
    ClientVector,
    Federation,
    PerClient,
    Vector,
    leaves,
    model_of,
    with_leaves,
)
from fltheory.kinds import Number
from fltheory.problems.base import check_count
from fltheory.problems.blocks import Blocks
from fltheory.readings.centre import CentralLoss
from fltheory.readings.coordinates import listed_numbers, require_vector
from fltheory.readings.exact_round import ExactRound, with_cure
from fltheory.readings.gram_parts import Parts
from fltheory.readings.gram_recorder import Instruction as Instruction
from fltheory.readings.gram_recorder import Recorder as Recorder
from fltheory.readings.gram_recorder import Terms
from fltheory.readings.numbers import RATIONAL, Numbers, accept, convert_algorithm

#: What asks a loss for a gradient.
QUERIES = ("gradient", "centre", "prox", "centre prox")
_NOT_SYMMETRIC = "the Gram reading treats all clients alike"
_PER_CLIENT = (
    f"numbers per client: {_NOT_SYMMETRIC}; give each client the same number, or name classes of clients, ClientClasses([...]), "
    "and one number for each class"
)
_NO_COORDINATES = "the Gram reading knows vectors by their inner products, in any dimension, and no coordinates"


@dataclass(frozen=True)
class Program:
    """What ``rounds`` rounds do, as instructions; ``states[r]`` and ``models[r]`` are registers after ``r`` rounds.

    ``draws`` counts the noises.  ``orthogonal`` are pairs of combinations of registers, parts in different blocks, whose
    averaged inner product is zero, and whether it is that of their means as well; see :mod:`fltheory.readings.gram_parts`.
    ``relative`` are noises of compressors, ``(n, omega, r)``: the second moment of ``n`` is at most ``omega`` times that of ``r``.
    """

    instructions: tuple[Instruction, ...]
    states: tuple[tuple[int, ...], ...]
    models: tuple[int, ...]
    draws: int
    orthogonal: tuple[tuple[Terms, Terms, bool], ...] = ()
    relative: tuple[tuple[int, Fraction, int], ...] = ()

    def registers(self, *operations: str) -> list[int]:
        """Registers made by these operations, in order."""
        return [place for place, item in enumerate(self.instructions) if item[0] in operations]


def program(
    algorithm: Algorithm,
    *,
    rounds: int,
    noisy: bool = False,
    noisy_centre: bool = False,
    free_state: bool = False,
    n_clients: int | None = None,
    numbers: Numbers = RATIONAL,
    blocks: bool = False,
) -> Program:
    """The straight-line program of ``rounds`` rounds.

    Parameters
    ----------
    noisy, noisy_centre : every gradient of the clients, of the server's own loss carries the noise of its draw.
    free_state : the rounds start from an arbitrary state instead of from ``algorithm.start``.
    n_clients : the number of clients that the algorithm is told; most do not ask.
    numbers : the type of the coefficients: rationals, or polynomials in the step size.
    blocks : whether the caller keeps ``Program.orthogonal``, without which parts of vectors have no meaning.

    Raises
    ------
    ValueError : ``rounds < 1``; an algorithm that does not treat clients alike, or whose state depends on a sampled
        cohort that is no uniform K of N.
    """
    rounds = check_count("rounds", rounds)
    algorithm = convert_algorithm(algorithm, numbers)
    scheme = getattr(algorithm, "participation", None) or Full()
    fed = ProgramFederation(
        scheme, noisy=noisy, noisy_centre=noisy_centre, n_clients=n_clients, numbers=numbers, blocks=blocks
    )
    return trace(fed, algorithm, rounds, free_state)


def trace(fed: ProgramFederation, algorithm: Algorithm, rounds: int, free_state: bool) -> Program:
    """What the rounds of an algorithm record on a federation."""
    state = algorithm.start(fed, fed.given())
    if free_state:
        state = with_leaves(state, [fed.free(leaf) for leaf in leaves(state)])
    states, models = [fed.registers(state)], [fed.register(model_of(algorithm, fed, state))]
    for round in range(rounds):
        fed.begin(round)
        state = algorithm.round(fed, state)
        states.append(fed.registers(state))
        models.append(fed.register(model_of(algorithm, fed, state)))
    parts = () if fed.parts is None else tuple(fed.parts.orthogonal())
    return Program(
        tuple(fed.recorder.instructions), tuple(states), tuple(models), fed.draws, parts, tuple(fed.relative)
    )


class ProgramFederation:
    """The vocabulary over linear combinations of registers; payloads are ``{register: coefficient}``."""

    def __init__(
        self,
        participation: Participation,
        *,
        noisy: bool,
        noisy_centre: bool = False,
        n_clients: int | None,
        numbers: Numbers = RATIONAL,
        blocks: bool = False,
    ) -> None:
        self.participation = participation
        self.numbers = numbers
        self.recorder = Recorder()
        self.parts = Parts(self.recorder) if blocks and not noisy and not noisy_centre else None
        self.noisy = noisy
        self.noisy_centre = noisy_centre
        self.round: int = ExactRound(-1)
        self.draws = 0
        self.relative: list[tuple[int, Fraction, int]] = []
        self._n_clients = n_clients
        self._batches: list[Any] = []

    @property
    def n_clients(self) -> int:
        """The number of clients, where the caller named one."""
        if self._n_clients is None:
            raise ValueError(f"n_clients is not known: {_NOT_SYMMETRIC}, for any number of them")
        return self._n_clients

    def begin(self, round: int) -> None:
        """Start a round; quotients of its number are rationals."""
        self.round = ExactRound(round)

    def given(self) -> Vector:
        """A fresh model at the server."""
        return Vector(self, {self.recorder.put(("given", "server", 1)): Fraction(1)})

    def free(self, leaf: Any) -> Any:
        """A fresh vector of the kind and degree of ``leaf``."""
        degree = sum((factor * self.recorder.degrees[place] for place, factor in leaf.payload.items()), Fraction(0))
        if degree not in (0, 1):
            raise ValueError(f"a state of degree {degree} is neither a point nor a direction")
        place = self.recorder.put(("given", "server" if isinstance(leaf, Vector) else "clients", int(degree)))
        return type(leaf)(self, {place: Fraction(1)})

    def register(self, vector: Any) -> int:
        """The register of a vector."""
        return self.recorder.combine(vector.payload)

    def registers(self, state: Any) -> tuple[int, ...]:
        """The registers of a state's leaves."""
        return tuple(self.register(leaf) for leaf in leaves(state))

    @property
    def centre(self) -> CentralLoss:
        """The server's own loss."""
        return CentralLoss(self, self._central_gradient, self._central_prox)

    def _central_gradient(self, payload: Terms) -> Terms:
        found = {self.recorder.put(("centre", self.recorder.combine(payload))): Fraction(1)}
        return found | self._noise("server") if self.noisy_centre else found

    def _central_prox(self, payload: Terms, step_size: Number) -> Terms:
        return self._moved("centre prox", payload, step_size)

    def prox(self, x: ClientVector, step_size: Number) -> ClientVector:
        return ClientVector(self, self._moved("prox", x.payload, step_size))

    def _moved(self, name: str, payload: Terms, step_size: Number) -> Terms:
        """``r - c g`` with a new register ``g``."""
        if self.numbers is not RATIONAL:
            raise ValueError(
                f"prox with step_size={step_size}: a program over {self.numbers.name} numbers has no proximal steps"
            )
        factor = self._factor(step_size)
        if factor <= 0:
            raise ValueError(f"step_size of prox is {factor}; expected a positive number")
        place = self.recorder.put((name, self.recorder.combine(payload), factor))
        return self.add(payload, {place: factor}, -1)

    def compress(self, x: ClientVector, variance: Number) -> ClientVector:
        """``x`` and a noise whose second moment is bounded by that of ``x``; of differences and gradients only."""
        omega = self._factor(variance)
        if self.numbers is not RATIONAL or omega < 0:
            raise ValueError(f"variance of compress is {omega}; expected a number that is not negative")
        if omega == 0 or not x.payload:
            return x
        register = self.register(x)
        if self.recorder.degrees[register] != 0:
            raise ValueError(
                f"compress of a vector of degree {self.recorder.degrees[register]}: its noise depends on where the origin is, so "
                "that the method does not commute with translations; expected a difference of points, or gradients"
            )
        noise = self._noise()
        self.relative += [(place, omega, register) for place in noise]
        return ClientVector(self, self.add(x.payload, noise, 1))

    def _noise(self, *who: str) -> dict[int, Fraction]:
        """A new draw's noise."""
        self.draws += 1
        return {self.recorder.put(("noise", self.draws - 1, *who)): Fraction(1)}

    def send(self, w: Vector) -> ClientVector:
        return ClientVector(self, w.payload)

    def batch(self) -> object:
        return object()

    def gradient(self, x: ClientVector, batch: Any = None) -> ClientVector:
        """Draws are numbered when they are used, so that a noise comes after all that its point depends on."""
        point = self.register(x)
        found = {self.recorder.put(("gradient", point)): Fraction(1)}
        if self.noisy:
            if batch is not None and any(batch is earlier for earlier in self._batches):
                raise ValueError("one draw is asked twice: its two noises have no model here")
            self._batches.append(batch)
            found |= self._noise()
        return ClientVector(self, found)

    def average(self, x: ClientVector, absent: Vector | None = None) -> Vector:
        return Vector(self, {self.recorder.put(("average", self.register(x))): Fraction(1)})

    def population_average(self, x: ClientVector) -> Vector:
        if isinstance(self.participation, Full):
            return self.average(x)
        return Vector(self, {self.recorder.put(("mean", self.register(x))): Fraction(1)})

    def only_cohort(self, new: ClientVector, otherwise: ClientVector) -> ClientVector:
        if isinstance(self.participation, Full):
            return new
        if not isinstance(self.participation, (NormalisedUniform, SchemeII, TransformedSchemeII)):
            raise ValueError(
                f"only_cohort under {self.participation!r}: state of a sampled cohort has no model here but for a uniform "
                "K of N without replacement"
            )
        made = self.recorder.put(("cohort", self.register(new), self.register(otherwise)))
        return ClientVector(self, {made: Fraction(1)})

    def per_client(self, numbers: Any) -> PerClient:
        raise ValueError(_PER_CLIENT)

    def scale_clients(self, payload: Any, numbers: PerClient) -> Any:
        raise ValueError(_PER_CLIENT)

    @property
    def blocks(self) -> Blocks:
        """Not known: a program serves models of any dimension."""
        raise ValueError(f"blocks of a model: {_NO_COORDINATES}")

    def layers(self, due: Any, x: ClientVector) -> ClientVector:
        """From one truth value for each block; what all clients share is its own average, block by block."""
        listed: list[Any] = [due] if isinstance(due, (str, Vector)) else list(due)
        if not all(one is True or one is False for one in listed):
            raise ValueError(f"layers: {_NO_COORDINATES}; expected one truth value for each block")
        if not any(listed):
            return x
        if all(listed):
            return self.send(self.average(x))
        parts = self._split("layers", len(listed))
        own = {place: factor for place, factor in x.payload.items() if not parts.common(place)}
        moved = ClientVector(self, parts.scaled(own, [int(one) for one in listed]))
        apart: ClientVector = x - moved + self.send(self.average(moved))
        return apart

    def scale(self, numbers: Any, v: AnyVector) -> AnyVector:
        """One number for each block; coordinates are blocks of one."""
        require_vector(v, self, "scale")
        listed = [self._factor(one) for one in listed_numbers(numbers)]
        if listed and all(bool(one == listed[0]) for one in listed):
            same: AnyVector = listed[0] * v
            return same
        parts = self._split("scale", len(listed))
        degrees = self.recorder.degrees
        points = {place: factor for place, factor in v.payload.items() if degrees[place] != 0}
        if sum((factor * degrees[place] for place, factor in points.items()), Fraction(0)) != 0:
            raise ValueError(
                "scale: a point whose blocks have different factors does not commute with translations; expected a difference of "
                "points, or gradients"
            )
        moved = {self.recorder.combine(points): Fraction(1)} if points else {}
        merged = self.add(self.add(v.payload, points, -1), moved, 1)
        return type(v)(self, parts.scaled(merged, listed))

    def _split(self, word: str, count: int) -> Parts:
        if self.parts is None:
            raise ValueError(
                f"{word}: {_NO_COORDINATES}; parts of vectors have a model in worst cases without noise only. On one quadratic "
                "problem round_map, moments and stability_limit read the same text"
            )
        self.parts.expect(count)
        return self.parts

    def decide(self, rule: Callable[..., Any], *vectors: AnyVector) -> AnyVector:
        raise ValueError("a rule that looks at values has no straight-line program")

    def zero(self) -> Vector:
        return Vector(self, {})

    def zero_clients(self) -> ClientVector:
        return ClientVector(self, {})

    def add(self, left: Terms, right: Terms, sign: int) -> Terms:
        total = dict(left)
        for place, factor in right.items():
            total[place] = total.get(place, Fraction(0)) + sign * factor
        return {place: factor for place, factor in total.items() if factor != 0}

    def multiply(self, payload: Terms, number: Number) -> Terms:
        factor = self._factor(number)
        return {place: factor * value for place, value in payload.items() if factor != 0}

    def reciprocal(self, number: Number) -> Any:
        return Fraction(1) / self._factor(number)

    def _factor(self, number: Number) -> Any:
        return with_cure(lambda given: accept(self.numbers, given), number)


if TYPE_CHECKING:
    #: Held against the vocabulary by the type checker.
    _FEDERATION: type[Federation] = ProgramFederation
