"""Rounds that average the local steps of drawn clients of a dense quadratic, their records measured where they are made.

The commonest round of all, ``w <- sum_s c_s P_k(s)(w) + a w``, needs no interpreter: vectors of one client are served four at a
time, and a model is measured while it is in cache.  Every sum runs in the order of :func:`fltheory.kernels._interpret.rounds`
and :class:`fltheory.simulate.evaluate.Evaluator`, which are the twins: same bits.

Models are rows of ``lanes`` entries, a multiple of eight, in flat arrays; entries from ``d`` on mean nothing.
"""

from __future__ import annotations

import numpy as np

from fltheory.kernels._affine import ACROSS, VECTOR, tile
from fltheory.kernels._rows import GATHER, MULTIPLY, PUT, SUBTRACT, row
from fltheory.kernels._vectors import finite
from fltheory.kernels.jit import kernel, rounded
from fltheory.kinds import Array

#: Models that are measured side by side.
BESIDE = 64


@kernel
def product(out: Array, left: Array, first: int, count: int, d: int, right: Array, lanes: int) -> None:
    """Rows ``first .. first + count - 1`` of ``out`` plus those of ``left`` times the ``d`` rows of ``right``; four or one."""
    if lanes <= VECTOR * ACROSS:
        if count == 4:
            tile(out, left, first, d, right, lanes, 0, lanes // VECTOR, 4)
        else:
            tile(out, left, first, d, right, lanes, 0, lanes // VECTOR, 1)
        return
    c = 0
    while c < lanes:
        left_over = (lanes - c) // VECTOR
        parts = (left_over + ACROSS - 1) // ACROSS
        across = (left_over + parts - 1) // parts
        if count == 4:
            tile(out, left, first, d, right, lanes, c, across, 4)
        else:
            tile(out, left, first, d, right, lanes, c, across, 1)
        c += VECTOR * across


@kernel
def move(
    images: Array,
    points: Array,
    state: Array,
    from_: int,
    order: Array,
    begin: Array,
    offsets: Array,
    right: Array,
    step: bool,
    rate: float,
    scales: Array,
    d: int,
    lanes: int,
) -> None:
    """``images[i]``: the local steps of the client of place ``i``, from the model of the run ``order[i]``, beginning at ``from_``.

    The places ``begin[k] .. begin[k + 1] - 1`` are client ``k``'s.  Where ``step``, its gradient is taken once, else its map.
    """
    for k in range(begin.shape[0] - 1):
        at, end = begin[k], begin[k + 1]
        own = right[k]
        while at < end:
            count = 4 if end - at >= 4 else 1
            for r in range(at, at + count):
                come, goal = from_ + order[r] * lanes, r * lanes
                row(PUT, points, goal, state, come, 0.0, lanes)
                row(PUT, images, goal, offsets, k * lanes, 0.0, lanes)
            product(images, points, at, count, d, own, lanes)
            at += count
        if step:
            for i in range(begin[k] * lanes, end * lanes):
                slope = images[i] * scales[k]
                images[i] = points[i] - rate * slope


@kernel
def forms(out: Array, errors: Array, images: Array, count: int, d: int, lanes: int, columns: Array) -> None:
    """``out[r] <- e'Ae/2`` for the first rows ``e`` of ``errors``, as :func:`fltheory.kernels._quadratic.quadratic_forms`."""
    first = 0
    while first < count:
        beside = 4 if count - first >= 4 else 1
        for i in range(first * lanes, (first + beside) * lanes):
            images[i] = 0.0
        product(images, errors, first, beside, d, columns, lanes)
        if beside == 4:
            a = first * lanes
            t0, t1, t2, t3 = 0.0, 0.0, 0.0, 0.0
            for i in range(a, a + d):
                t0 += errors[i] * images[i]
                t1 += errors[i + lanes] * images[i + lanes]
                t2 += errors[i + 2 * lanes] * images[i + 2 * lanes]
                t3 += errors[i + 3 * lanes] * images[i + 3 * lanes]
            out[first] = 0.5 * t0
            out[first + 1] = 0.5 * t1
            out[first + 2] = 0.5 * t2
            out[first + 3] = 0.5 * t3
        else:
            t0 = 0.0
            for i in range(first * lanes, first * lanes + d):
                t0 += errors[i] * images[i]
            out[first] = 0.5 * t0
        first += beside


@rounded
def squared_norm(x: Array, begin: int, d: int) -> float:
    """:func:`fltheory.kernels._vectors.square` of ``x[begin : begin + d]``."""
    a0, a1, a2, a3, a4, a5, a6, a7 = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    whole = begin + d - d % 8
    for i in range(begin, whole, 8):
        a0 += x[i] * x[i]
        a1 += x[i + 1] * x[i + 1]
        a2 += x[i + 2] * x[i + 2]
        a3 += x[i + 3] * x[i + 3]
        a4 += x[i + 4] * x[i + 4]
        a5 += x[i + 5] * x[i + 5]
        a6 += x[i + 6] * x[i + 6]
        a7 += x[i + 7] * x[i + 7]
    for i in range(whole, begin + d):
        a0 += x[i] * x[i]
    return ((a0 + a1) + (a2 + a3)) + ((a4 + a5) + (a6 + a7))


@rounded
def squared_length(x: Array, begin: int, d: int) -> float:
    """``|x|^2`` in the order in which NumPy adds up at most 128 entries that lie side by side."""
    total = 0.0
    if d < 8:
        for i in range(begin, begin + d):
            total += x[i] * x[i]
        return total
    a0, a1, a2, a3 = x[begin], x[begin + 1], x[begin + 2], x[begin + 3]
    a4, a5, a6, a7 = x[begin + 4], x[begin + 5], x[begin + 6], x[begin + 7]
    a0, a1, a2, a3, a4, a5, a6, a7 = a0 * a0, a1 * a1, a2 * a2, a3 * a3, a4 * a4, a5 * a5, a6 * a6, a7 * a7
    whole = begin + d - d % 8
    for i in range(begin + 8, whole, 8):
        a0 += x[i] * x[i]
        a1 += x[i + 1] * x[i + 1]
        a2 += x[i + 2] * x[i + 2]
        a3 += x[i + 3] * x[i + 3]
        a4 += x[i + 4] * x[i + 4]
        a5 += x[i + 5] * x[i + 5]
        a6 += x[i + 6] * x[i + 6]
        a7 += x[i + 7] * x[i + 7]
    total = ((a0 + a1) + (a2 + a3)) + ((a4 + a5) + (a6 + a7))
    for i in range(whole, begin + d):
        total += x[i] * x[i]
    return float(total)


@rounded
def records(out: Array, models: Array, minimiser: Array, minimum: float, columns: Array, lanes: int) -> None:
    """Objective, gap and squared distance ``(models, 3)`` of ``models`` ``(models, d)``.

    Twin: the same three of :class:`fltheory.simulate.evaluate.Evaluator`, in NumPy, for ``d <= 128``.
    """
    count, d = models.shape
    errors, images, excess = np.zeros(BESIDE * lanes), np.zeros(BESIDE * lanes), np.empty(BESIDE)
    for first in range(0, count, BESIDE):
        many = min(BESIDE, count - first)
        for r in range(many):
            for i in range(d):
                errors[r * lanes + i] = models[first + r, i] - minimiser[i]
        forms(excess, errors, images, many, d, lanes, columns)
        for r in range(many):
            out[first + r, 0] = minimum + excess[r]
            out[first + r, 1] = excess[r]
            out[first + r, 2] = squared_length(errors, r * lanes, d)


@rounded
def sorted_slots(order: Array, begin: Array, place: Array, members: Array, slots: int) -> None:
    """The runs of all slots, those of one client one after another; ``place`` says where a slot stands in ``order``."""
    for k in range(begin.shape[0]):
        begin[k] = 0
    for i in range(members.shape[0]):
        begin[members[i] + 1] += 1
    for k in range(begin.shape[0] - 1):
        begin[k + 1] += begin[k]
    for i in range(members.shape[0]):
        k = members[i]
        order[begin[k]] = i // slots
        place[i] = begin[k]
        begin[k] += 1
    for k in range(begin.shape[0] - 1, 0, -1):
        begin[k] = begin[k - 1]
    begin[0] = 0


@rounded
def rounds(
    state: Array,
    d: int,
    lanes: int,
    configuration: Array,
    groups: Array,
    lane: Array,
    clients: Array,
    coefficients: Array,
    absent: Array,
    has_absent: bool,
    maps: Array,
    offsets: Array,
    which: Array,
    step: bool,
    rates: Array,
    scales: Array,
    diverged: Array,
    threshold: float,
    first_round: int,
    wanted: Array,
    measured: Array,
    record: int,
    kept: Array,
    minimiser: Array,
    minimum: float,
    columns: Array,
) -> None:
    """Rounds ``first_round .. first_round + len(clients) - 1`` of all runs, in place.

    ``maps`` is ``(maps, N, d lanes)``, ``offsets`` ``(maps, N lanes)``: those of all steps together, or, where ``step``, columns
    and negative vectors of the gradients; ``which`` says which is a configuration's.  ``clients``, ``coefficients``
    ``(rounds, lanes of cohorts, slots)`` and ``absent`` are as for the interpreter.  Objective, gap and squared distance of the
    record of round ``t`` go to ``measured[:, record + wanted[t]]``, the models to ``kept[:, wanted[t]]``, or each to the same
    place where there is only one.
    """
    slots, widest = clients.shape[2], 0
    for g in range(groups.shape[0]):
        widest = max(widest, groups[g, 1] - groups[g, 0])
    members, order = np.empty(widest * slots, dtype=np.int64), np.empty(widest * slots, dtype=np.int64)
    place, begin = np.empty(widest * slots, dtype=np.int64), np.empty(scales.shape[0] + 1, dtype=np.int64)
    points, images = np.zeros(widest * slots * lanes), np.zeros(widest * slots * lanes)
    errors, excess = np.zeros(widest * lanes), np.empty(widest)
    for g in range(groups.shape[0]):
        low, runs = groups[g, 0], groups[g, 1] - groups[g, 0]
        c = configuration[low]
        m = which[c]
        from_ = low * lanes
        for t in range(clients.shape[0]):
            alive = 0
            for run in range(low, low + runs):
                alive += diverged[run] < 0
            if alive == 0:
                break
            for run in range(runs):
                for s in range(slots):
                    members[run * slots + s] = clients[t, lane[low + run], s]
            sorted_slots(order, begin, place, members[: runs * slots], slots)
            move(images, points, state, from_, order, begin, offsets[m], maps[m], step, rates[c], scales, d, lanes)
            for run in range(runs):
                at = run * lanes
                here = lane[low + run]
                come, factor = place[run * slots] * lanes, coefficients[t, here, 0]
                row(MULTIPLY, errors, at, images, come, factor, lanes)
                for s in range(1, slots):
                    come, factor = place[run * slots + s] * lanes, coefficients[t, here, s]
                    row(GATHER, errors, at, images, come, factor, lanes)
                if has_absent:
                    row(GATHER, errors, at, state, from_ + at, absent[t, here], lanes)
                row(PUT, state, from_ + at, errors, at, 0.0, lanes)
                length = np.sqrt(squared_norm(errors, at, d))
                fine = length <= threshold
                if fine and not length < np.inf:
                    fine = finite(errors[at : at + d])
                if not fine:
                    if diverged[low + run] < 0:
                        diverged[low + run] = first_round + t + 1
                    for i in range(lanes):
                        state[from_ + at + i] = 0.0
            if wanted[t] < 0:
                continue
            for run in range(runs):
                row(PUT, errors, run * lanes, state, from_ + run * lanes, 0.0, lanes)
                row(SUBTRACT, errors, run * lanes, minimiser, 0, 0.0, lanes)
            forms(excess, errors, points, runs, d, lanes, columns)
            for run in range(runs):
                to = wanted[t] if kept.shape[1] > 1 else 0
                if diverged[low + run] >= 0:
                    kept[low + run, to] = np.inf
                    continue
                gap, distance = excess[run], squared_length(errors, run * lanes, d)
                value = minimum + gap
                if not (abs(value) < np.inf and abs(gap) < np.inf and distance < np.inf):
                    diverged[low + run] = first_round + t + 1
                    kept[low + run, to] = np.inf
                    continue
                measured[low + run, record + wanted[t], 0] = value
                measured[low + run, record + wanted[t], 1] = gap
                measured[low + run, record + wanted[t], 2] = distance
                for i in range(d):
                    kept[low + run, to, i] = state[from_ + run * lanes + i]
