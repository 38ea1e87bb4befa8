"""The recording reading: a round's text followed once over names of vectors, as a list of words.

A round cannot look at values, so it says the same words every time.  Here they are written down: what each vector is made
of, by names, and the numbers that it is multiplied with, apart.  Two texts with equal words differ in numbers only, and the
list can be carried out by whoever knows the words.

A vector is one of three kinds: of the server, of the cohort's slots, or of the whole population (under full participation
slots and population are the same).  Words that look at values or work on all of the population outside of an average are
refused with :class:`NotRecordable`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple, NoReturn

import numpy as np

from fltheory.algorithms.participation import Full, Participation
from fltheory.algorithms.vocabulary import (
    Algorithm,
    ClientVector,
    PerClient,
    Vector,
    leaves,
    model_of,
    with_leaves,
)
from fltheory.kinds import Array, Number
from fltheory.readings.arrays import participation_of, per_client_numbers
from fltheory.readings.centre import CentralLoss
from fltheory.readings.numbers import FLOAT, accept
from fltheory.readings.round_index import Asked, RoundIndex, RoundIndexUsed
from fltheory.readings.round_numbers import RoundNumbers

SERVER, SLOTS, EVERYONE = "server", "slots", "everyone"


class NotRecordable(Exception):
    """A text is no list of words that is the same in every round; the message says why."""


class Name(NamedTuple):
    """A vector's number in the list, and its kind."""

    number: int
    kind: str


class Word(NamedTuple):
    """``result`` is ``verb`` of ``operands``; ``first`` and ``many`` say which numbers, tables or draws it takes."""

    verb: str
    result: Name
    operands: tuple[Name, ...]
    first: int = 0
    many: int = 0
    draw: int = 0


class RoundText(NamedTuple):
    """What a round says apart from its numbers: equal texts can share a batch."""

    words: tuple[Word, ...]
    inputs: tuple[Name, ...]
    outputs: tuple[Name, ...]
    model: Name
    tables: tuple[tuple[Number, ...], ...]
    needs_all: bool


@dataclass(frozen=True)
class RecordedRound:
    """A text and the numbers of one round; ``constant`` where all rounds have the same."""

    text: RoundText
    numbers: tuple[float, ...]
    constant: bool


class RecordingFederation:
    """The vocabulary over names."""

    def __init__(self, participation: Participation, weights: Array, round: Any) -> None:
        self.participation = participation
        self.weights = weights
        self.n_clients = len(weights)
        self.round = round
        self.words: list[Word] = []
        self.numbers: list[Any] = []
        self.tables: list[tuple[Number, ...]] = []
        self.needs_all = False
        self._all = isinstance(participation, Full)
        self._names = 0
        self._step = 0
        self._central_step = 0

    def __getattr__(self, name: str) -> NoReturn:
        raise NotRecordable(f"the word {name} is not compiled")

    def named(self, kind: str) -> Name:
        """A new name."""
        self._names += 1
        return Name(self._names - 1, kind)

    def _say(self, verb: str, kind: str, *operands: Name, first: int = 0, many: int = 0, draw: int = 0) -> Name:
        result = self.named(kind)
        self.words.append(Word(verb, result, operands, first, many, draw))
        return result

    def send(self, w: Vector) -> ClientVector:
        return ClientVector(self, self._say("send", SLOTS, self._own(w.payload)))

    def batch(self) -> int:
        self._step += 1
        return self._step - 1

    def gradient(self, x: ClientVector, batch: Any = None) -> ClientVector:
        draw = self.batch() if batch is None else batch
        return ClientVector(self, self._say("gradient", SLOTS, self._own(x.payload), draw=draw))

    def local_sgd(
        self, x: ClientVector, steps: int, step_size: Callable[[int], Number], shift: ClientVector | None = None
    ) -> ClientVector:
        asked = [step_size(step) for step in range(steps)]
        rates = [rate if type(rate) is RoundNumbers else float(rate) for rate in asked]
        operands = (self._own(x.payload),) if shift is None else (self._own(x.payload), self._own(shift.payload))
        first, draw = len(self.numbers), self._step
        self.numbers += rates
        self._step += steps
        return ClientVector(self, self._say("local", SLOTS, *operands, first=first, many=steps, draw=draw))

    @property
    def centre(self) -> CentralLoss:
        """The server's own loss."""
        return CentralLoss(self, self._central_gradient, self._central_prox)

    def _central_gradient(self, y: Name) -> Name:
        self._central_step += 1
        return self._say("central", SERVER, self._own(y), draw=self._central_step - 1)

    def _central_prox(self, y: Name, step_size: Number) -> Name:
        raise NotRecordable("the word prox is not compiled")

    def average(self, x: ClientVector, absent: Vector | None = None) -> Vector:
        total = self._say("average", SERVER, self._own(x.payload))
        if absent is None:
            self.needs_all = True
        else:
            total = self._say("absent", SERVER, total, self._own(absent.payload))
        return Vector(self, total)

    def population_average(self, x: ClientVector) -> Vector:
        if self._all:
            return Vector(self, self._say("average", SERVER, self._own(x.payload)))
        if x.payload.kind != EVERYONE:
            raise NotRecordable("an average over clients that are not there")
        return Vector(self, self._say("mean", SERVER, self._own(x.payload)))

    def only_cohort(self, new: ClientVector, otherwise: ClientVector) -> ClientVector:
        if self.participation.separate_runs:
            raise NotRecordable("only_cohort of clients that have two new states at once")
        if self._all:
            return new
        if otherwise.payload.kind != EVERYONE or new.payload.kind != SLOTS:
            raise NotRecordable("only_cohort of other vectors than new ones of the cohort and old ones of all clients")
        return ClientVector(self, self._say("keep", EVERYONE, self._own(new.payload), self._own(otherwise.payload)))

    def per_client(self, numbers: Any) -> PerClient:
        return per_client_numbers(numbers, FLOAT, self.n_clients)

    def zero(self) -> Vector:
        return Vector(self, self._say("zero", SERVER))

    def zero_clients(self) -> ClientVector:
        if not self._all:
            raise NotRecordable("zero_clients in a round")
        return ClientVector(self, self._say("zero", SLOTS))

    def add(self, left: Name, right: Name, sign: int) -> Name:
        """``left + sign right``."""
        if left.kind == right.kind == EVERYONE:
            raise NotRecordable("a sum over the whole population")
        kind = SLOTS if EVERYONE in (left.kind, right.kind) else left.kind
        return self._say("add" if sign > 0 else "subtract", kind, self._own(left), self._own(right))

    def multiply(self, payload: Name, number: Number) -> Name:
        """``number payload``."""
        if payload.kind == EVERYONE:
            raise NotRecordable("a multiple of vectors of the whole population")
        self.numbers.append(number if type(number) is RoundNumbers else float(accept(FLOAT, number)))
        return self._say("multiply", payload.kind, self._own(payload), first=len(self.numbers) - 1)

    def scale_clients(self, payload: Name, numbers: PerClient) -> Name:
        """Each client's vector times its number."""
        if payload.kind == EVERYONE:
            raise NotRecordable("multiples of vectors of the whole population")
        if numbers.numbers not in self.tables:
            self.tables.append(numbers.numbers)
        return self._say("scale", SLOTS, self._own(payload), first=self.tables.index(numbers.numbers))

    def reciprocal(self, number: Number) -> Any:
        """``1/number``."""
        return 1 / (number if type(number) is RoundNumbers else accept(FLOAT, number))

    def _own(self, name: Any) -> Name:
        if not isinstance(name, Name):
            raise NotRecordable(f"a {type(name).__name__} of another reading")
        return name


def record(algorithm: Algorithm, template: Any, weights: Array, round: Any = None) -> RecordedRound:
    """The text of a round from a state like ``template``; of round ``round``, or of any where all say the same.

    ``round`` may be :class:`RoundNumbers`, as which numbers that differ from round to round then come back.

    Raises
    ------
    NotRecordable : a word that cannot be recorded; without ``round``, a text that depends on the index of the round.
    """
    asked = Asked()
    fed: Any = RecordingFederation(
        participation_of(algorithm), weights, RoundIndex(0, asked) if round is None else round
    )
    everyone = SLOTS if isinstance(fed.participation, Full) else EVERYONE
    inputs = [fed.named(SERVER if isinstance(leaf, Vector) else everyone) for leaf in leaves(template)]
    kinds = [Vector if name.kind == SERVER else ClientVector for name in inputs]
    state = with_leaves(template, [kind(fed, name) for kind, name in zip(kinds, inputs, strict=True)])
    try:
        state = algorithm.round(fed, state)
        model = model_of(algorithm, fed, state).payload
    except RoundIndexUsed:
        raise NotRecordable("the text depends on the round") from None
    if round is None and (asked.divisors or asked.last >= 0):
        raise NotRecordable("the text depends on the round")
    outputs = tuple(leaf.payload for leaf in leaves(state))
    if [name.kind for name in outputs] != [name.kind for name in inputs]:
        raise NotRecordable("the state that a round leaves is of another kind than the one it took")
    text = RoundText(tuple(fed.words), tuple(inputs), outputs, model, tuple(fed.tables), fed.needs_all)
    return RecordedRound(text, tuple(fed.numbers), round is None)


def record_rounds(algorithm: Algorithm, template: Any, weights: Array, rounds: int) -> list[RecordedRound] | None:
    """What :func:`record` says of each of the first rounds, followed once for all; ``None`` where that cannot be done.

    It can where numbers of a round follow from its index by plain arithmetic, and where nothing else does.
    """
    try:
        whole = record(algorithm, template, weights, RoundNumbers.of(rounds))
    except Exception:  # one round after the other says what is wrong, if anything is
        return None
    table = np.empty((rounds, len(whole.numbers)))
    for column, number in enumerate(whole.numbers):
        table[:, column] = number.values if isinstance(number, RoundNumbers) else number
    return [RecordedRound(whole.text, tuple(numbers), False) for numbers in table.tolist()]


def record_start(algorithm: Algorithm, weights: Array) -> tuple[Any, ...]:
    """What ``start`` and the first model say, numbers included: algorithms that start alike have equal answers.

    Raises
    ------
    NotRecordable : a word that cannot be recorded.
    """
    fed: Any = RecordingFederation(participation_of(algorithm), weights, -1)
    # At the start the cohort is everyone.
    fed._all = True
    state = algorithm.start(fed, Vector(fed, fed.named(SERVER)))
    kinds = tuple(leaf.payload for leaf in leaves(state))
    model = model_of(algorithm, fed, state).payload
    return type(state), kinds, model, tuple(fed.words), tuple(fed.numbers), tuple(fed.tables)
