"""One round from an arbitrary state: the program behind a statement about all rounds, and what the state always obeys.

A free state knows less than the method does.  SCAFFOLD's server variate is the mean of the clients' at all times; from a state
where it is not, no function of the state decreases.  Such relations are tried here, and kept where they hold at the start
and where a round hands them on; the verifier derives both again from the programs.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from fltheory.algorithms.participation import Full
from fltheory.algorithms.vocabulary import Algorithm, ClientVector, Vector, leaves, model_of, with_leaves
from fltheory.readings.arrays import participation_of
from fltheory.readings.gram import Program, ProgramFederation, Recorder
from fltheory.readings.numbers import RATIONAL, convert_algorithm
from fltheory.readings.round_index import Asked, RoundIndex, RoundIndexUsed
from fltheory.worstcase.space import Shares, Space

#: The instruction that averages over all clients: under full participation the method's own average does.
AVERAGE = {True: "average", False: "mean"}


@dataclass(frozen=True)
class Leaf:
    """A vector of the state.

    ``given`` is its register where it is arbitrary, and ``None`` where it is the clients' average of the leaf ``average_of``.
    """

    name: str
    clients: bool
    degree: int
    given: int | None
    average_of: int | None


@dataclass(frozen=True)
class FreeRound:
    """One round from an arbitrary state that obeys the invariants.

    ``step`` has the states before and after the round, ``begin`` the former only (its instructions are the first ones of
    ``step``), ``start`` the state that the algorithm starts from.  ``parts`` are registers of ``step`` that are split into blocks
    of coordinates, each with the given registers of all blocks but the last.  ``member`` is how often a client is in the cohort.
    """

    step: Program
    begin: Program
    start: Program
    leaves: tuple[Leaf, ...]
    full: bool
    parts: tuple[tuple[int, tuple[int, ...]], ...] = ()
    member: Fraction = Fraction(1)

    @property
    def part_of(self) -> dict[int, tuple[int, int]]:
        """For each given part the register that was split, and its block."""
        return {part: (r, block) for r, listed in self.parts for block, part in enumerate(listed)}

    @property
    def invariants(self) -> tuple[str, ...]:
        """The relations between leaves that hold in all rounds, in words."""
        return tuple(
            f"{leaf.name} is the mean of {self.leaves[leaf.average_of].name}"
            for leaf in self.leaves
            if leaf.average_of is not None
        )


@dataclass(frozen=True)
class _Setting:
    algorithm: Any
    n_clients: int | None
    noisy: bool
    noisy_centre: bool

    def federation(self) -> ProgramFederation:
        return ProgramFederation(
            participation_of(self.algorithm),
            noisy=self.noisy,
            noisy_centre=self.noisy_centre,
            n_clients=self.n_clients,
            blocks=True,
        )


def free_round(
    algorithm: Algorithm,
    shares: Shares,
    *,
    noisy: bool = False,
    noisy_centre: bool = False,
    n_clients: int | None = None,
) -> FreeRound:
    """The program of a round from an arbitrary state, with the invariants that are found.

    Raises
    ------
    ValueError : rounds that differ from each other (a schedule of step sizes, a rule that counts rounds); what the Gram
        reading refuses.
    """
    full = isinstance(participation_of(algorithm), Full)
    setting = _Setting(convert_algorithm(algorithm, RATIONAL), n_clients, noisy, noisy_centre)
    start, kinds, names = _started(setting)
    degrees = [int(_degree(start, register)) for register in start.states[0]]
    derived = {
        i: k
        for i, clients in enumerate(kinds)
        for k, other in enumerate(kinds)
        if not clients and other and degrees[i] == degrees[k]
    }
    while True:
        start, *_ = _started(setting, derived)
        step, begin, given, checks, parts = _traced(setting, kinds, degrees, derived)
        broken = {i for i, k in derived.items() if not _handed_on(start, i, k, shares)}
        broken |= {i for i, (left, right) in checks.items() if not _same(step, left, right, shares)}
        if not broken:
            break
        derived = {i: k for i, k in derived.items() if i not in broken}
    found = tuple(
        Leaf(name, clients, degree, given.get(i), derived.get(i))
        for i, (name, clients, degree) in enumerate(zip(names, kinds, degrees, strict=True))
    )
    member = Fraction(shares.cohort, shares.clients) if shares.cohort and shares.clients else Fraction(1)
    return FreeRound(step, begin, start, found, full, parts, member)


def _degree(made: Program, register: int) -> Fraction:
    return Recorder(made.instructions).degrees[register]


def _started(
    setting: _Setting, derived: Mapping[int, int] | None = None
) -> tuple[Program, tuple[bool, ...], tuple[str, ...]]:
    """The state that the algorithm starts from, which leaves are the clients', and their names."""
    fed = setting.federation()
    fed.round = 0
    state = setting.algorithm.start(fed, fed.given())
    listed = leaves(state)
    registers = fed.registers(state)
    if fed.relative:
        raise ValueError(
            f"algorithm={setting.algorithm!r} compresses in its start: the noise there has no model in a theorem of all rounds"
        )
    model = fed.register(model_of(setting.algorithm, fed, state))
    for k in (derived or {}).values():
        _averaged(fed, listed[k])
    if isinstance(state, (Vector, ClientVector)):
        fields = ["w"]
    else:
        fields = list(getattr(state, "_fields", [f"memory {i}" for i in range(len(listed))]))
    names = [
        "w" if register == model and i == registers.index(model) else name.replace("_", " ")
        for i, (register, name) in enumerate(zip(registers, fields, strict=True))
    ]
    if fed.parts is not None and fed.parts.split:
        raise ValueError(
            f"algorithm={setting.algorithm!r}: a start that treats blocks of coordinates differently has no model"
        )
    made = Program(tuple(fed.recorder.instructions), (registers,), (model,), fed.draws)
    return made, tuple(isinstance(leaf, ClientVector) for leaf in listed), tuple(names)


def _traced(
    setting: _Setting, kinds: tuple[bool, ...], degrees: list[int], derived: Mapping[int, int]
) -> tuple[Program, Program, dict[int, int], dict[int, tuple[int, int]], tuple[tuple[int, tuple[int, ...]], ...]]:
    """A round from free leaves; the registers given; for derived leaves those that must be equal after the round; the parts."""
    shape = setting.federation()
    form = setting.algorithm.start(shape, shape.given())
    fed, asked = setting.federation(), Asked()
    given: dict[int, int] = {}
    vectors: dict[int, Any] = {}
    for i, clients in enumerate(kinds):
        if i not in derived:
            given[i] = fed.recorder.put(("given", "clients" if clients else "server", degrees[i]))
            vectors[i] = (ClientVector if clients else Vector)(fed, {given[i]: Fraction(1)})
    for i, k in derived.items():
        vectors[i] = _averaged(fed, vectors[k])
    state = with_leaves(form, [vectors[i] for i in range(len(kinds))])
    before, model = fed.registers(state), fed.register(model_of(setting.algorithm, fed, state))
    prefix = tuple(fed.recorder.instructions)
    fed.round = RoundIndex(0, asked)  # type: ignore[assignment]
    try:
        state = setting.algorithm.round(fed, state)
    except RoundIndexUsed:
        asked.last = 0
    if asked.divisors or asked.last >= 0:
        raise ValueError(
            f"algorithm={setting.algorithm!r}: its rounds differ from each other, and one round says nothing of all of them; "
            "expected constant step sizes"
        )
    after, moved = fed.registers(state), fed.register(model_of(setting.algorithm, fed, state))
    checks = {i: (fed.register(_averaged(fed, leaves(state)[k])), after[i]) for i, k in derived.items()}
    parts = ((), ()) if fed.parts is None else (tuple(fed.parts.orthogonal()), fed.parts.given())
    step = Program(
        tuple(fed.recorder.instructions),
        (before, after),
        (model, moved),
        fed.draws,
        parts[0],
        relative=tuple(fed.relative),
    )
    return step, Program(prefix, (before,), (model,), 0), given, checks, parts[1]


def _averaged(fed: ProgramFederation, leaf: Any) -> Vector:
    """The average of a leaf over all clients."""
    return fed.population_average(leaf)


def _handed_on(start: Program, server: int, clients: int, shares: Shares) -> bool:
    registers = start.states[0]
    average = start.instructions.index((AVERAGE[shares.scheme == "full"], registers[clients]))
    return _same(start, average, registers[server], shares)


def _same(made: Program, left: int, right: int, shares: Shares) -> bool:
    space = Space(made.instructions, shares)
    return {k: e for k, e in space.coordinates[left].items() if e} == {
        k: e for k, e in space.coordinates[right].items() if e
    }
