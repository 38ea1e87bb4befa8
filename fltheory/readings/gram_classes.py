"""The Gram reading of clients of several classes: a client vector is one vector of a generic client for each class.

Instructions on clients end with the number ``c = 1, 2, ...`` of their class: ``("gradient", r, c)``,
``("given", "clients", d, c)``, ``("minimiser", c)``, ``("infimum", c)``; ``("mean", r)`` is the average over the class of ``r``.
The average over all clients is the sum of the classes' means, each times the share of its class: a linear combination.

One number per client is here one number per class.  A gradient that is multiplied by zero, as after a client's last step, is
nobody's: what no state depends on is left out of the program at the end.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from fltheory.algorithms.participation import Full
from fltheory.algorithms.vocabulary import Algorithm, ClientVector, PerClient, Vector, leaves
from fltheory.kinds import Number
from fltheory.problems.base import check_count
from fltheory.readings.gram import Program, ProgramFederation, trace
from fltheory.readings.gram_parts import Parts
from fltheory.readings.gram_recorder import Instruction, Terms
from fltheory.readings.numbers import RATIONAL, Numbers, convert_algorithm

HALF = Fraction(1, 2)


def class_program(
    algorithm: Algorithm,
    *,
    rounds: int,
    shares: Sequence[Fraction] = (HALF, HALF),
    free_state: bool = False,
    numbers: Numbers = RATIONAL,
) -> Program:
    """The straight-line program of ``rounds`` rounds with clients of several classes, all of whom take part.

    Parameters
    ----------
    shares : the weight of each class; they sum to one.
    free_state : the rounds start from an arbitrary state instead of from ``algorithm.start``.
    numbers : the type of the coefficients.

    Raises
    ------
    ValueError : ``rounds < 1``; a sampled cohort; what has no program, or another count of numbers than classes.
    """
    rounds = check_count("rounds", rounds)
    algorithm = convert_algorithm(algorithm, numbers)
    scheme = getattr(algorithm, "participation", None) or Full()
    if not isinstance(scheme, Full):
        raise ValueError(
            f"participation={scheme!r} with several classes of clients has no program: who is drawn of which class is random; "
            "expected Full()"
        )
    return alive(trace(ClassFederation(shares, numbers=numbers), algorithm, rounds, free_state))


class ClassFederation(ProgramFederation):
    """The vocabulary over linear combinations of registers; payloads of client vectors are tuples, one entry per class."""

    def __init__(self, shares: Sequence[Fraction], *, numbers: Numbers = RATIONAL) -> None:
        super().__init__(Full(), noisy=False, n_clients=None, numbers=numbers)
        self.weights = tuple(shares)
        self._known: dict[int, bool] = {}

    def free(self, leaf: Any) -> Any:
        if isinstance(leaf, Vector):
            return super().free(leaf)
        found = []
        for c, payload in enumerate(leaf.payload, 1):
            degree = sum((factor * self.recorder.degrees[place] for place, factor in payload.items()), Fraction(0))
            if degree not in (0, 1):
                raise ValueError(f"a state of degree {degree} is neither a point nor a direction")
            found.append({self.recorder.put(("given", "clients", int(degree), c)): Fraction(1)})
        return ClientVector(self, tuple(found))

    def registers(self, state: Any) -> tuple[int, ...]:
        """The registers of a state's leaves; a vector of the clients has one for each class."""
        found: list[int] = []
        for leaf in leaves(state):
            parts = leaf.payload if isinstance(leaf, ClientVector) else (leaf.payload,)
            found += [self.recorder.combine(part) for part in parts]
        return tuple(found)

    def send(self, w: Vector) -> ClientVector:
        return ClientVector(self, (w.payload,) * len(self.weights))

    def gradient(self, x: ClientVector, batch: Any = None) -> ClientVector:
        found = []
        for c, payload in enumerate(x.payload, 1):
            place = self.recorder.put(("gradient", self.recorder.combine(payload), c))
            found.append({place: Fraction(1)})
        return ClientVector(self, tuple(found))

    def average(self, x: ClientVector, absent: Vector | None = None) -> Vector:
        total: Terms = {}
        for share, payload in zip(self.weights, x.payload, strict=True):
            total = super().add(total, super().multiply(self._mean(payload), share), 1)
        return Vector(self, {self.recorder.combine(total): Fraction(1)} if total else {})

    def _mean(self, payload: Terms) -> Terms:
        """The mean over a class: that of what its clients do not share."""
        common = {place: factor for place, factor in payload.items() if self._common(place)}
        own = {place: factor for place, factor in payload.items() if place not in common}
        if not own:
            return common
        place = self.recorder.put(("mean", self.recorder.combine(own)))
        return super().add(common, {place: Fraction(1)}, 1)

    def _common(self, register: int) -> bool:
        """Whether a register is a vector of the server's."""
        item = self.recorder.instructions[register]
        if item[0] == "combine":
            if register not in self._known:
                self._known[register] = all(self._common(place) for _, place in item[1])
            return self._known[register]
        return item[0] in ("mean", "centre", "optimum") or item[:2] == ("given", "server")

    def per_client(self, numbers: Any) -> PerClient:
        """One number per class."""
        listed = tuple(self._factor(entry) for entry in numbers)
        if len(listed) != len(self.weights):
            raise ValueError(
                f"per_client got {len(listed)} numbers; expected one for each of {len(self.weights)} classes of clients"
            )
        return PerClient(listed)

    def scale_clients(self, payload: Any, numbers: PerClient) -> Any:
        return tuple(
            ProgramFederation.multiply(self, part, factor)
            for part, factor in zip(payload, numbers.numbers, strict=True)
        )

    def compress(self, x: ClientVector, variance: Number) -> ClientVector:
        raise ValueError("compress: noise has a model for one class of clients only")

    def prox(self, x: ClientVector, step_size: Number) -> ClientVector:
        raise ValueError("prox: proximal steps of the clients have a model for one class of clients only")

    def _split(self, word: str, count: int) -> Parts:
        raise ValueError(f"{word}: parts of vectors have a model for one class of clients only")

    def zero_clients(self) -> ClientVector:
        return ClientVector(self, ({},) * len(self.weights))

    def add(self, left: Any, right: Any, sign: int) -> Any:
        if not isinstance(left, tuple):
            return super().add(left, right, sign)
        return tuple(ProgramFederation.add(self, a, b, sign) for a, b in zip(left, right, strict=True))

    def multiply(self, payload: Any, number: Number) -> Any:
        if not isinstance(payload, tuple):
            return super().multiply(payload, number)
        return tuple(ProgramFederation.multiply(self, part, number) for part in payload)


def alive(program: Program) -> Program:
    """The program without instructions on which no state and no model depends; given vectors stay."""
    wanted = {place for state in program.states for place in state} | set(program.models)
    wanted |= set(program.registers("given"))
    for place in reversed(range(len(program.instructions))):
        if place in wanted:
            wanted |= set(_operands(program.instructions[place]))
    moved = {place: k for k, place in enumerate(sorted(wanted))}
    return Program(
        tuple(_renamed(program.instructions[place], moved) for place in sorted(wanted)),
        tuple(tuple(moved[place] for place in state) for state in program.states),
        tuple(moved[place] for place in program.models),
        program.draws,
        program.orthogonal,
    )


def _operands(item: Instruction) -> list[int]:
    if item[0] == "combine":
        return [place for _, place in item[1]]
    return [item[1]] if item[0] in ("gradient", "centre", "mean", "average") else []


def _renamed(item: Instruction, moved: dict[int, int]) -> Instruction:
    if item[0] == "combine":
        return ("combine", tuple((factor, moved[place]) for factor, place in item[1]))
    return (item[0], moved[item[1]], *item[2:]) if _operands(item) else item
