"""A recorded round as a program: words in an order in which clients can be served one after another, and where vectors lie.

The words fall into segments.  In a server segment every word is carried out for the run; in a client segment all words are
carried out for a few slots before the next few, so that what they pass on stays in cache, and averages add up in the order
of the slots.  What was averaged is known when the segment has ended.  Writing per-client state back is a segment of its own,
after all that reads the old state.  Where a large population's mean is asked for, the sums of
:mod:`fltheory.readings.tree_sums` lie behind its vectors, and a segment that follows renews those that the cohort is in.

Vectors lie in one flat array.  The place of a vector is ``base + run A + (run of the group) B + slot C + (slot of the tile)
D + client E``; sending and gathering are strides and no words.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from fltheory.kernels.sums import SUMMED, with_sums
from fltheory.kinds import Array, Integers
from fltheory.readings.recorder import EVERYONE, SERVER, SLOTS, Name, NotRecordable, RoundText, Word
from fltheory.readings.tree_sums import kept_sums

ZERO, COPY, ADD, SUBTRACT, MULTIPLY, ADD_MULTIPLE, SUBTRACT_MULTIPLE, SCALE = range(8)
LOCAL, GRADIENT, CENTRAL, AVERAGE, ABSENT, MEAN, RENEW = range(8, 15)
CODES = {
    "zero": ZERO,
    "copy": COPY,
    "add": ADD,
    "subtract": SUBTRACT,
    "multiply": MULTIPLY,
    "add multiple": ADD_MULTIPLE,
    "subtract multiple": SUBTRACT_MULTIPLE,
    "scale": SCALE,
    "local": LOCAL,
    "gradient": GRADIENT,
    "central": CENTRAL,
    "average": AVERAGE,
    "absent": ABSENT,
    "mean": MEAN,
    "keep": COPY,
    "renew": RENEW,
}
#: Kinds of segments.
AT_SERVER, AT_CLIENTS = 0, 1
#: Kinds of leaves, as the interpreter sees them, beside SUMMED.
KINDS = (SERVER, SLOTS, EVERYONE)


@dataclass(frozen=True)
class ProgramShape:
    """Numbers that places depend on: runs in all, runs per group, clients, slots of a cohort, slots of a tile, entries."""

    runs: int
    group: int
    clients: int
    slots: int
    tile: int
    size: int


@dataclass(frozen=True, eq=False)
class RoundProgram:
    """``words`` ``(n, 7)``: code, result, two operands, first number, count, draw; ``segments`` ``(m, 3)``: kind, begin, end.

    ``places`` ``(registers, 6)`` as above; ``state`` and ``model`` are registers; ``length`` is that of the flat array.
    ``kinds`` are those of the leaves: places in :data:`KINDS`, or :data:`SUMMED`.
    ``shift`` is where the shift of local steps is put, ``state_places`` the places of the leaves.
    """

    words: Integers
    segments: Integers
    places: Integers
    state: Integers
    kinds: Integers
    model: int
    length: int
    shift: int
    tables: Array
    text: RoundText


@dataclass
class _Pool:
    """Registers of one size that are used again when nobody reads them any more."""

    unit: int
    free: list[int] = field(default_factory=list)
    made: int = 0

    def take(self) -> int:
        if self.free:
            return self.free.pop()
        self.made += 1
        return self.made - 1


def assemble(text: RoundText, shape: ProgramShape) -> RoundProgram:
    """The program of a text.

    Raises
    ------
    NotRecordable : words that have no order in which state can be overwritten in place.
    """
    words, source = _resolved(text)
    outputs = [source.get(name, name) for name in text.outputs]
    model = source.get(text.model, text.model)
    words, wanted, chosen = _renewals(words, text, outputs, model)
    words = _fused(words, {model, *outputs, *wanted})
    words = _with_copies(words, text)
    words, summed = with_sums(words, text, shape.clients)
    ordered, segments = _scheduled(words, text)
    return _placed(ordered, segments, text, wanted, chosen, shape, summed)


def _resolved(text: RoundText) -> tuple[list[Word], dict[Name, Name]]:
    """The words without ``send``: what was sent is the server's vector itself."""
    source: dict[Name, Name] = {}
    words: list[Word] = []
    for word in text.words:
        operands = tuple(source.get(name, name) for name in word.operands)
        if word.verb == "send":
            source[word.result] = operands[0]
        else:
            words.append(word._replace(operands=operands))
    return words, source


def _renewals(
    words: list[Word], text: RoundText, outputs: list[Name], model: Name
) -> tuple[list[Word], dict[Name, int], Name]:
    """With copies at the end that bring the new state to the places of the old; what is copied where; the model."""
    words = list(words)
    numbered = [*text.inputs, *(name for word in words for name in (word.result, *word.operands))]
    fresh = 1 + max(name.number for name in numbered)
    wanted: dict[Name, int] = {}
    late: list[Word] = []
    kept = {word.result: word.operands[1] for word in words if word.verb == "keep"}
    for i, (name, old) in enumerate(zip(outputs, text.inputs, strict=True)):
        origin = name
        while origin in kept:
            origin = kept[origin]
        if origin == old:
            continue  # it is there already
        if old.kind == EVERYONE:
            raise NotRecordable("the state of all clients comes from another place than it goes to")
        if name in text.inputs:  # another leaf, which may be overwritten before it is read
            aside = Name(fresh, old.kind)
            fresh += 1
            words.append(Word("copy", aside, (name,)))
            name = aside
        target = Name(fresh, old.kind)
        fresh += 1
        wanted[target] = i
        late.append(Word("copy", target, (name,)))
    chosen = next((text.inputs[i] for i, name in enumerate(outputs) if name == model), None)
    if chosen is None:
        chosen = Name(fresh, SERVER)
        words.append(Word("copy", chosen, (model,)))
    return words + late, wanted, chosen


def _fused(words: list[Word], kept: set[Name]) -> list[Word]:
    """A multiple that is used once, in a sum, is formed there: the product is rounded as before."""
    uses: dict[Name, int] = {}
    for word in words:
        for name in word.operands:
            uses[name] = uses.get(name, 0) + 1
    multiples = {
        w.result: w for w in words if w.verb == "multiply" and uses.get(w.result) == 1 and w.result not in kept
    }
    gone: set[Name] = set()
    found: list[Word] = []
    for word in words:
        if word.verb in ("add", "subtract"):
            left, right = word.operands
            if right in multiples:
                factor = multiples[right]
                gone.add(right)
                word = word._replace(
                    verb=f"{word.verb} multiple", operands=(left, factor.operands[0]), first=factor.first
                )
            elif left in multiples and word.verb == "add":
                factor = multiples[left]
                gone.add(left)
                word = word._replace(verb="add multiple", operands=(right, factor.operands[0]), first=factor.first)
        found.append(word)
    return [word for word in found if word.result not in gone]


def _with_copies(words: list[Word], text: RoundText) -> list[Word]:
    """Gradients are asked at vectors of the slots that lie one after another: others are copied first."""
    fresh = 1 + max((name.number for word in words for name in (word.result, *word.operands)), default=0)
    computed = {word.result for word in words if word.result.kind == SLOTS}
    found: list[Word] = []
    for word in words:
        if word.verb == "gradient" and word.operands[0] not in computed:
            copy = Name(fresh, SLOTS)
            fresh += 1
            found.append(Word("copy", copy, word.operands))
            word = word._replace(operands=(copy,))
        found.append(word)
    return found


def _scheduled(words: list[Word], text: RoundText) -> tuple[list[Word], list[tuple[int, int, int]]]:
    """The words in the order of their segments, and the segments (kind, begin, end)."""
    ready = set(text.inputs)
    pending = list(words)
    ordered: list[Word] = []
    segments: list[tuple[int, int, int]] = []
    produced = {word.result for word in words}
    ends = {word.result for word in words if word.verb == "copy" and not any(word.result in w.operands for w in words)}

    def overwrites(word: Word) -> bool:
        return word.verb == "keep" or word.result in ends

    def close(kind: int, chosen: list[Word]) -> bool:
        if not chosen:
            return False
        segments.append((kind, len(ordered), len(ordered) + len(chosen)))
        ordered.extend(chosen)
        ready.update(word.result for word in chosen)
        for word in chosen:
            pending.remove(word)
        return True

    def free(word: Word, here: set[Name]) -> bool:
        return all(name in ready or name in here or name not in produced for name in word.operands)

    while pending:
        here: set[Name] = set()
        server = []
        for word in pending:
            if word.result.kind == SERVER and word.verb != "average" and not overwrites(word) and free(word, here):
                server.append(word)
                here.add(word.result)
        if close(AT_SERVER, server):
            continue
        here, clients = set(), []
        for word in pending:
            if (word.result.kind == SLOTS or word.verb == "average") and not overwrites(word) and free(word, here):
                clients.append(word)
                if word.verb != "average":
                    here.add(word.result)
        if close(AT_CLIENTS, clients):
            continue
        keeps = [
            word
            for word in pending
            if word.verb == "keep"
            and free(word, set())
            and not any(word.operands[1] in other.operands for other in pending if other is not word)
        ]
        if close(AT_CLIENTS, keeps[:1]):
            continue
        if close(AT_SERVER, [word for word in pending if word.verb == "renew" and free(word, set())]):
            continue
        # What is left are the copies to the places of the old state.
        if any(not overwrites(word) or word.verb == "keep" for word in pending):
            raise NotRecordable("per-client state is read after it was overwritten")
        close(AT_SERVER, [word for word in pending if word.result.kind == SERVER])
        close(AT_CLIENTS, [word for word in pending if word.result.kind == SLOTS])
    return ordered, segments


def _placed(
    words: list[Word],
    segments: list[tuple[int, int, int]],
    text: RoundText,
    wanted: dict[Name, int],
    model: Name,
    shape: ProgramShape,
    summed: set[Name],
) -> RoundProgram:
    """Registers and their places."""
    size, runs = shape.size, shape.runs
    rows: list[list[int]] = []
    register: dict[Name, int] = {}
    whole: dict[int, int] = {}  # the registers of the sums of all clients, by those of the leaves
    top = 0

    def row(*numbers: int) -> int:
        rows.append(list(numbers))
        return len(rows) - 1

    for name in text.inputs:
        if name.kind == SERVER:
            register[name] = row(top, size, 0, 0, 0, 0)
            top += runs * size
        else:
            all_slots, vectors = name.kind == SLOTS, shape.clients + (kept_sums(shape.clients) if name in summed else 0)
            register[name] = row(top, vectors * size, 0, size if all_slots else 0, 0, 0 if all_slots else size)
            if name in summed:
                whole[register[name]] = row(top + (vectors - 1) * size, vectors * size, 0, 0, 0, 0)
            top += runs * vectors * size
    for name, i in wanted.items():
        register[name] = register[text.inputs[i]]
    if model not in register:
        register[model] = row(top, size, 0, 0, 0, 0)
        top += runs * size
    segment_of = {p: i for i, (_, begin, end) in enumerate(segments) for p in range(begin, end)}
    last: dict[Name, int] = {}
    crossing: set[Name] = set()
    made: dict[Name, int] = {}
    for p, word in enumerate(words):
        made[word.result] = segment_of[p]
        for name in word.operands:
            kind, _, end = segments[segment_of[p]]
            last[name] = end - 1 if name.kind == SERVER and kind == AT_CLIENTS else p
            if name in made and made[name] != segment_of[p]:
                crossing.add(name)
    pools = {"server": _Pool(shape.group * size), "tile": _Pool(shape.group * shape.tile * size)}
    pools["slots"] = _Pool(shape.group * shape.slots * size)
    temporary: dict[Name, tuple[str, int]] = {}

    def allocate(word: Word) -> None:
        name = word.result
        if word.verb == "keep":
            register[name] = register[word.operands[1]]
        elif word.verb == "renew":
            register[name] = register[word.operands[0]]
        elif name not in register and name not in temporary:
            pool = "server" if name.kind == SERVER else "slots" if name in crossing else "tile"
            temporary[name] = (pool, pools[pool].take())

    for kind, begin, end in segments:
        if kind == AT_CLIENTS:
            for word in words[begin:end]:
                if word.verb == "average":
                    allocate(word)
        for p in range(begin, end):
            allocate(words[p])
            for name in [name for name in temporary if last.get(name, p) == p]:
                if name.kind != SERVER or kind == AT_SERVER or p == end - 1:
                    pool, number = temporary[name]
                    register[name] = -1 - (("server", "tile", "slots").index(pool) + 3 * number)
                    pools[pool].free.append(number)
                    del temporary[name]
    for name, (pool, number) in temporary.items():
        register[name] = -1 - (("server", "tile", "slots").index(pool) + 3 * number)
    bases: dict[str, int] = {}
    for key, pool_of in pools.items():
        bases[key] = top
        top += pool_of.made * pool_of.unit
    where: dict[int, int] = {}
    for name, code in list(register.items()):
        if code < 0:
            if code not in where:
                key, number = ("server", "tile", "slots")[(-1 - code) % 3], (-1 - code) // 3
                base = bases[key] + number * pools[key].unit
                strides = {
                    "server": (0, size, 0, 0, 0),
                    "tile": (0, shape.tile * size, 0, size, 0),
                    "slots": (0, shape.slots * size, size, 0, 0),
                }[key]
                where[code] = row(base, *strides)
            register[name] = where[code]
    shift = top
    top += shape.group * shape.tile * size
    coded = np.zeros((len(words), 7), dtype=np.int64)
    for p, word in enumerate(words):
        operands = word.operands[:1] if word.verb == "keep" else word.operands
        given = [register[name] for name in operands] + [-1, -1]
        code = CODES[word.verb]
        if code == MEAN and given[0] in whole:
            code, given[0] = COPY, whole[given[0]]
        coded[p] = (code, register[word.result], given[0], given[1], word.first, word.many, word.draw)
    kinds = np.array([SUMMED if name in summed else KINDS.index(name.kind) for name in text.inputs], dtype=np.int64)
    tables = np.array(text.tables, dtype=np.float64).reshape(len(text.tables), shape.clients)
    return RoundProgram(
        coded,
        np.array(segments, dtype=np.int64).reshape(-1, 3),
        np.array(rows, dtype=np.int64),
        np.array([register[name] for name in text.inputs], dtype=np.int64),
        kinds,
        register[model],
        top,
        shift,
        tables,
        text,
    )


def leaf_views(program: RoundProgram, slab: Array, shape: ProgramShape) -> list[Any]:
    """The leaves of the state as views ``(runs, size)`` and ``(runs, clients, size)`` of the flat array."""
    views = []
    for number, kind in zip(program.state, program.kinds, strict=True):
        base, vectors = int(program.places[number, 0]), 1 if kind == 0 else shape.clients
        if kind == SUMMED:
            vectors += kept_sums(shape.clients)
        part = slab[base : base + shape.runs * vectors * shape.size].reshape(shape.runs, vectors, shape.size)
        views.append(part[:, 0] if kind == 0 else part[:, : shape.clients])
    return views
