"""Compiled rounds that average local steps by maps, measured where they are made: the commonest rounds, several times faster.

Whatever is said here must be what the interpreter says: the answer is the same bit for bit, only sooner.
"""

from __future__ import annotations

import time
from typing import Any, NamedTuple

import numpy as np

from fltheory.algorithms.participation import Full
from fltheory.kernels.maps import MappedPlan
from fltheory.kernels.program import leaf_views
from fltheory.kinds import Array, Integers
from fltheory.readings.arrays import participation_of
from fltheory.readings.recorder import SERVER, RoundText
from fltheory.simulate.cohorts import CohortSource

#: Slots of a group of runs that are served side by side.
GROUP_SLOTS = 256
#: Seconds of one call of the kernel, after which interrupts are heard and progress is told.
CALL = 0.05
#: Numbers of one block of cohorts and of models that wait to be measured.
BLOCK_NUMBERS = 2**21


class AveragedSteps(NamedTuple):
    """Flat maps ``(maps, N, d lanes)``, what is added ``(maps, N lanes)``, and which of them is a configuration's.

    ``single`` is a single step: the matrices and vectors of the gradients instead, for steps of ``rates``.
    """

    maps: Array
    offsets: Array
    which: Integers
    single: bool
    rates: Array


def averaged_steps(text: RoundText) -> int | None:
    """How many local steps, if a round is such steps from the model, averaged, and the weight of absent clients at most."""
    words = text.words
    if [word.verb for word in words] not in (["send", "local", "average"], ["send", "local", "average", "absent"]):
        return None
    if len(text.inputs) != 1 or text.inputs[0].kind != SERVER:
        return None
    model, (sent, local, average), rest = text.inputs[0], words[:3], words[3:]
    chained = sent.operands == (model,) and local.operands == (sent.result,) and average.operands == (local.result,)
    if any(word.operands != (average.result, model) for word in rest):
        return None
    if not chained or local.first != 0 or text.model != words[-1].result or text.outputs != (words[-1].result,):
        return None
    return local.many


def steps_of(batch: Any) -> AveragedSteps | None:
    """What the configurations of a batch do in a round, or ``None`` where the interpreter must do it."""
    job, found = batch.job, averaged_steps(batch.texts[0][0].text)
    evaluator, plan = job.evaluator, job.plan
    if found is None or type(plan) is not MappedPlan or evaluator.plan is not plan or evaluator.objective is not None:
        return None
    if evaluator.reference.minimiser is None or evaluator.quadratic is None:
        return None
    if isinstance(participation_of(job.algorithm), Full) or not all(texts[0].constant for texts in batch.texts):
        return None
    many, (n, d), lanes = found, plan.steps.data[1].shape, evaluator.quadratic.shape[1]
    rates = np.array([texts[0].numbers[0] if many else 0.0 for texts in batch.texts])
    if many == 1:
        columns, vectors = plan.steps.data[:2]
        maps, offsets = np.zeros((1, n, d, lanes)), np.zeros((1, n, lanes))
        maps[0, :, :, :d], offsets[0, :, :d] = columns, -vectors
        which = np.zeros(len(rates), dtype=np.int64)
    elif many > 1 and all(set(texts[0].numbers) == {rate} for texts, rate in zip(batch.texts, rates, strict=True)):
        data = batch.engine.family.data
        known = {(rate, count): i for i, (rate, count) in enumerate(zip(data.rates, data.counts, strict=True))}
        if any((rate, many) not in known for rate in rates):
            return None  # a map that is not finite
        which = np.array([known[rate, many] for rate in rates], dtype=np.int64)
        maps, offsets = data.maps, np.zeros((len(known), n, lanes))
        offsets[:, :, :d] = data.offsets
    else:
        return None
    return AveragedSteps(
        maps.reshape(len(maps), n, d * lanes), offsets.reshape(len(maps), n * lanes), which, many == 1, rates
    )


def run_averaged(batch: Any, scales: Array, groups: Integers) -> bool:
    """All rounds of a batch, if they are averages of local steps by maps; returns early where the job is stopped.

    ``scales`` are those of the clients' gradients, ``groups`` the runs that are served side by side.
    """
    steps = steps_of(batch)
    if steps is None:
        return False
    from fltheory.kernels import _averaged

    job, piece, shape = batch.job, batch.piece, batch.shape
    text, reference = batch.texts[0][0].text, job.evaluator.reference
    weights = np.array(job.problem.weights, dtype=np.float64)
    run_ids = piece.run_ids.astype(np.int64)
    cohorts = CohortSource(participation_of(job.algorithm), weights, job.seed, run_ids, text.needs_all)
    columns = job.evaluator.quadratic
    d, lanes = columns.shape
    state = np.zeros((shape.runs, lanes))
    state[:, :d] = leaf_views(batch.program, batch.slab, shape)[0]
    model: tuple[Any, ...] = (
        state.reshape(-1),
        d,
        lanes,
        np.repeat(np.arange(len(batch.counts)), batch.counts),
        groups,
        cohorts.rows,
    )
    clients_of: tuple[Any, ...] = (
        text.words[-1].verb == "absent",
        *steps,
        scales,
        piece.diverged,
        float(job.threshold),
    )
    minimiser = np.zeros(lanes)
    minimiser[:d] = reference.minimiser
    measure: tuple[Any, ...] = (minimiser, float(reference.minimum), columns.reshape(-1))
    widest = max(1, BLOCK_NUMBERS // (int(cohorts.rows.max()) + 1) // shape.slots)
    if piece.kept is not None:
        widest = min(widest, max(1, BLOCK_NUMBERS // (shape.runs * d)))
    total, done, pace = int(job.recorded[-1]), 0, 4
    while done < total:
        if job.stop.is_set():
            return True
        count, record = min(pace, widest, total - done), piece.done
        here = int(np.searchsorted(job.recorded, done + count, side="right")) - record
        wanted = np.full(count, -1, dtype=np.int64)
        wanted[job.recorded[record : record + here] - done - 1] = np.arange(here)
        kept = np.full((shape.runs, 1 if piece.kept is None else max(1, here), d), np.inf)
        began = time.perf_counter()
        block: tuple[Any, ...] = cohorts.block(done, count)
        here_of: tuple[Any, ...] = (done, wanted, piece.measured, record, kept)
        _averaged.rounds(*model, *block, *clients_of, *here_of, *measure)
        seconds = time.perf_counter() - began
        done += count
        pace = max(1, min(2 * count, int(count * CALL / max(seconds, 1e-9))))
        if here:
            piece.take(job, kept, here)
        if not piece.alive.any():
            piece.abandon(job)
            return True
    return True
