"""Compiled runs: a round recorded once and all rounds of a chunk carried out in one kernel, with the bits of the loop.

What cannot be recorded, or has no family of kernels, goes through the loop; :class:`Engine` says why.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from fltheory import streams
from fltheory.algorithms.vocabulary import Algorithm, ClientVector, leaves
from fltheory.kernels.families import CompiledFamily, family_of, nobody, with_maps
from fltheory.kernels.program import ProgramShape, RoundProgram, assemble, leaf_views
from fltheory.kernels.sums import write_sums
from fltheory.kinds import Array
from fltheory.problems.oracles import is_noisy
from fltheory.readings.arrays import participation_of
from fltheory.readings.draws import CENTRE_CLIENT
from fltheory.readings.recorder import NotRecordable, RecordedRound, RoundText, record, record_rounds
from fltheory.simulate.averaged import BLOCK_NUMBERS, CALL, GROUP_SLOTS, run_averaged
from fltheory.simulate.cohorts import CohortSource

#: Numbers of all rounds together that are written down before the first, where they change from round to round.
MOST_KEPT = 2**22
#: The name of this engine.
COMPILED = "compiled"
#: Entries of the vectors of one tile of slots: they should stay in the first cache.
TILE_NUMBERS = 8192
#: Entries of the models of a group of runs that are served side by side.
GROUP_NUMBERS = 2**16
#: Entries from which on dense steps cost so much more than vectors that all slots are handed over at once.
LONG_STEP = 128
#: Runs that share what is loaded of a matrix, however large their models are.
SHARING = 32


@dataclass(frozen=True, eq=False)
class Engine:
    """What a chunk needs to be compiled."""

    family: CompiledFamily
    centre: CompiledFamily | None

    def most(self, text: RoundText) -> int | None:
        """How many configurations of a text fit side by side with their maps; ``None`` where there are no maps."""
        words = sum(word.verb == "local" for word in text.words)
        return None if self.family.maps is None else max(1, self.family.maps.beside // max(1, words))


def engine_of(job: Any) -> Engine | str:
    """The engine of a job, or why there is none."""
    family = family_of(job.plan)
    if family is None:
        return "no compiled rounds for this problem and oracle"
    centre = None
    if job.central is not None:
        centre = family_of(job.central)
        if centre is None or centre.layout != family.layout:
            return "no compiled steps for the server's loss"
    return Engine(family, centre)


def with_maps_of(job: Any, engine: Engine, texts: Sequence[Sequence[RecordedRound]]) -> Engine:
    """The engine with the maps of all equal steps of the texts, if it makes steps by maps.

    Raises
    ------
    NotRecordable : more maps than are kept side by side.
    """
    if engine.family.maps is None:
        return engine
    words = [word for word in texts[0][0].text.words if word.verb == "local" and word.many > 1]
    asked = set()
    for one in (one for own in texts for one in own):
        for word in words:
            rates = one.numbers[word.first : word.first + word.many]
            if rates.count(rates[0]) == word.many:
                asked.add((rates[0], word.many))
    family = with_maps(engine.family, asked, _scales(job, engine.family))
    if family is None:
        raise NotRecordable(f"maps of {len(asked)} step sizes are not kept side by side")
    return replace(engine, family=family)


def _scales(job: Any, family: CompiledFamily) -> Array:
    """What the clients' gradients are multiplied with."""
    weights = list(job.problem.weights)
    scale = participation_of(job.algorithm).gradient_scale(weights)
    own: Array = np.ones(len(weights)) if scale is None else np.array(scale, dtype=np.float64)
    return own * family.factor


def texts_of(algorithm: Algorithm, template: Any, weights: Array, rounds: int) -> list[RecordedRound]:
    """The texts of all rounds, one where they are alike.

    Raises
    ------
    NotRecordable : words that are not known, or that change from round to round; more numbers than are kept.
    """
    try:
        return [record(algorithm, template, weights)]
    except NotRecordable:
        first = record(algorithm, template, weights, 0)
    if rounds * len(first.numbers) > MOST_KEPT:
        raise NotRecordable(f"{rounds} rounds with {len(first.numbers)} numbers of their own each are not kept")
    found = record_rounds(algorithm, template, weights, rounds)
    if found is not None:
        return found
    found = [first, *(record(algorithm, template, weights, round) for round in range(1, rounds))]
    if any(one.text != first.text for one in found):
        raise NotRecordable("the text changes from round to round")
    return found


def run_compiled(job: Any, piece: Any, fed: Any, state: Any) -> str:
    """All rounds of one chunk; empty, or why they were left to the loop."""
    engine = engine_of(job)
    if isinstance(engine, str):
        return engine
    try:
        texts = texts_of(job.algorithm, state, fed.weights, int(job.recorded[-1]))
        batch = CompiledBatch.of(job, engine, [texts], [len(piece.run_ids)], piece, state)
    except NotRecordable as reason:
        return str(reason)
    except Exception as error:  # the loop says what is wrong, in its own words
        return f"{type(error).__name__} while the text was recorded"
    if batch is None:
        return "the state is not finite from the start"
    batch.run()
    return ""


@dataclass(eq=False)
class CompiledBatch:
    """Runs of algorithms that differ in numbers only, side by side in one flat array: ``counts[i]`` runs of ``texts[i]``."""

    job: Any
    engine: Engine
    texts: list[list[RecordedRound]]
    counts: list[int]
    piece: Any
    program: RoundProgram
    shape: ProgramShape
    slab: Array

    @classmethod
    def of(
        cls, job: Any, engine: Engine, texts: list[list[RecordedRound]], counts: list[int], piece: Any, state: Any
    ) -> CompiledBatch | None:
        """The runs of a chunk with their texts and first state; ``None`` for a state that is not finite."""
        n, size = int(job.problem.n_clients), engine.family.size
        slots = int(participation_of(job.algorithm).slots(n))
        group = max(1, min(max(counts), _beside(engine.family, slots * size))) if engine.family.wide else 1
        whole = group > 1 or (engine.family.wide and size >= LONG_STEP)
        tile = slots if whole else max(1, min(slots, TILE_NUMBERS // size))
        shape = ProgramShape(sum(counts), group, n, slots, tile, size)
        program = assemble(texts[0][0].text, shape)
        if any(word.verb == "central" for word in program.text.words) and engine.centre is None:
            raise NotRecordable("no compiled steps for the server's loss")
        slab = _aligned(program.length)
        for view, leaf in zip(leaf_views(program, slab, shape), leaves(state), strict=True):
            values = leaf.payload.values if isinstance(leaf, ClientVector) else leaf.payload
            if not np.isfinite(values).all():
                return None
            view[:] = engine.family.pack(np.asarray(values))
        write_sums(program, slab, shape, np.array(job.problem.weights, dtype=np.float64))
        engine = with_maps_of(job, engine, texts)
        return cls(job, engine, texts, counts, piece, program, shape, slab)

    def run(self) -> None:
        """All rounds; returns early where the job is stopped."""
        job, shape, family, piece = self.job, self.shape, self.engine.family, self.piece
        if run_averaged(self, _scales(job, family), _groups(self.counts, max(1, GROUP_SLOTS // shape.slots))):
            return
        call, cohorts, constant, numbers = self._call()
        total, done, pace, record = int(job.recorded[-1]), 0, 4, 1
        widest = max(1, BLOCK_NUMBERS // (shape.runs * (shape.slots if cohorts.drawn else 1)))
        most = max(1, BLOCK_NUMBERS // (shape.runs * shape.size))
        while done < total:
            if job.stop.is_set():
                return
            count = min(pace, widest, total - done)
            here = int(np.searchsorted(job.recorded, done + count, side="right")) - record
            if here > most:
                count, here = int(job.recorded[record + most - 1]) - done, most
            wanted = np.full(count, -1, dtype=np.int64)
            wanted[job.recorded[record : record + here] - done - 1] = np.arange(here)
            kept = np.full((shape.runs, here, shape.size), np.inf)
            began = time.perf_counter()
            call(
                numbers if constant else np.ascontiguousarray(numbers[:, done : done + count]),
                cohorts.block(done, count),
                piece.diverged,
                (done, count),
                wanted,
                kept,
            )
            seconds = time.perf_counter() - began
            done, record = done + count, record + here
            pace = max(1, min(2 * count, int(count * CALL / max(seconds, 1e-9))))
            if here:
                piece.record_many(job, family.unpack(kept))
            if not piece.alive.any():
                piece.abandon(job)
                return

    def _call(self) -> tuple[Callable[..., None], CohortSource, bool, Array]:
        """The kernel with all arguments that stay, the cohorts, and the numbers of all rounds."""
        from fltheory.kernels import _interpret

        kernel: Any = _interpret.rounds

        job, program, shape, centre = self.job, self.program, self.shape, self.engine.centre
        participation = participation_of(job.algorithm)
        weights = np.array(job.problem.weights, dtype=np.float64)
        scales = _scales(job, self.engine.family)
        run_ids = self.piece.run_ids.astype(np.int64)
        cohorts = CohortSource(participation, weights, job.seed, run_ids, program.text.needs_all)
        constant = all(texts[0].constant for texts in self.texts)
        table = [np.array([text.numbers for text in texts], dtype=np.float64) for texts in self.texts]
        longest = max(len(one) for one in table)
        if all(len(one) == longest for one in table):
            numbers = np.array(table)
        else:
            numbers = np.stack([np.broadcast_to(one, (longest, one.shape[1])) for one in table])
        fixed = (
            self.slab,
            program.words,
            program.segments,
            program.places,
            program.state,
            program.kinds,
            program.model,
            program.shift,
            program.tables,
            np.array([shape.size, shape.tile, shape.slots, shape.clients], dtype=np.int64),
        )
        streams_of = (
            weights,
            scales,
            bool(participation.separate_runs),
            bool(is_noisy(job.oracle)),
            np.uint64(streams.mix(np.uint64(streams.check_seed(job.seed)))),
            CENTRE_CLIENT,
            np.full(1, 1.0 if centre is None else centre.factor),
            run_ids,
        )
        who = (np.repeat(np.arange(len(self.counts)), self.counts), _groups(self.counts, shape.group))
        families = (self.engine.family.data, nobody() if centre is None else centre.data)

        def call(values: Array, drawn: Any, diverged: Array, span: tuple[int, int], wanted: Array, kept: Array) -> None:
            kernel(
                *fixed,
                values,
                *who,
                cohorts.drawn,
                cohorts.rows,
                *drawn,
                *streams_of,
                diverged,
                float(job.threshold),
                *span,
                wanted,
                kept,
                *families,
            )

        return call, cohorts, constant, numbers


def _beside(family: CompiledFamily, numbers: int) -> int:
    """Runs that are served side by side, of so many numbers each; steps share what they load of a matrix, maps much less."""
    return max(GROUP_NUMBERS // numbers, SHARING if family.maps is None else 1)


def _aligned(length: int) -> Array:
    """Zeros that begin where a line of the cache begins."""
    raw = np.zeros(length + 8)
    begin = (-raw.ctypes.data // 8) % 8
    found: Array = raw[begin : begin + length]
    return found


def _groups(counts: Sequence[int], width: int) -> Array:
    """Runs side by side, ``(groups, 2)``: of one configuration, at most ``width``."""
    found, first = [], 0
    for count in counts:
        found += [(first + a, first + min(a + width, count)) for a in range(0, count, width)]
        first += count
    return np.array(found, dtype=np.int64)
