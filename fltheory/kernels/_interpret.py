"""All rounds of a chunk of runs in one call: the interpreter of :mod:`fltheory.kernels.program`."""

from __future__ import annotations

from typing import Any

import numpy as np

from fltheory.kernels._families import local_of, slopes_of
from fltheory.kernels._random import fold
from fltheory.kernels._sums import renew
from fltheory.kernels._vectors import (
    add,
    add_multiple,
    clear,
    finite,
    gather,
    multiply,
    put,
    square,
    subtract,
)
from fltheory.kernels.jit import rounded
from fltheory.kernels.program import (
    ABSENT,
    ADD,
    ADD_MULTIPLE,
    AT_SERVER,
    AVERAGE,
    CENTRAL,
    COPY,
    GRADIENT,
    LOCAL,
    MEAN,
    MULTIPLY,
    RENEW,
    SCALE,
    SUBTRACT,
    SUBTRACT_MULTIPLE,
    ZERO,
)
from fltheory.kernels.sums import SUMMED
from fltheory.kinds import Array

#: ``out <- out + number x``, beside the words of a program.
GATHER = -1
#: Entries from which on a vector is worth a slice.
LONG = 64


@rounded
def long_linear(code: int, out: Array, x: Array, y: Array, number: float) -> None:
    """One word of linear arithmetic."""
    if code == COPY:
        put(out, x)
    elif code == ADD:
        add(out, x, y)
    elif code == SUBTRACT:
        subtract(out, x, y)
    elif code == MULTIPLY:
        multiply(out, x, number)
    elif code == ADD_MULTIPLE:
        add_multiple(out, x, y, number)
    elif code == GATHER:
        gather(out, x, number)
    elif code == ZERO:
        clear(out)


@rounded
def linear(code: int, slab: Array, size: int, out: int, x: int, y: int, number: float) -> None:
    """One word of linear arithmetic on the vectors that begin at ``out``, ``x`` and ``y``.

    Slices are added many entries at a time, but each counts its owners, which costs more than a short vector.
    """
    if size >= LONG:
        long_linear(code, slab[out : out + size], slab[x : x + size], slab[y : y + size], number)
    elif code == COPY:
        for i in range(size):
            slab[out + i] = slab[x + i]
    elif code == ADD:
        for i in range(size):
            slab[out + i] = slab[x + i] + slab[y + i]
    elif code == SUBTRACT:
        for i in range(size):
            slab[out + i] = slab[x + i] - slab[y + i]
    elif code == MULTIPLY:
        for i in range(size):
            slab[out + i] = slab[x + i] * number
    elif code == ADD_MULTIPLE:
        for i in range(size):
            slab[out + i] = slab[x + i] + slab[y + i] * number
    elif code == GATHER:
        for i in range(size):
            slab[out + i] += number * slab[x + i]
    elif code == ZERO:
        for i in range(size):
            slab[out + i] = 0.0


@rounded
def place_of(places: Array, row: int, run: int, begin: int, s: int, s0: int, k: int) -> Any:
    """Where a vector lies, from its row of places."""
    return (
        places[row, 0]
        + run * places[row, 1]
        + (run - begin) * places[row, 2]
        + s * places[row, 3]
        + (s - s0) * places[row, 4]
        + k * places[row, 5]
    )


@rounded
def open_round(
    members: Array,
    keys: Array,
    central: Array,
    begin: int,
    end: int,
    n_slots: int,
    clients: Array,
    lane: Array,
    round: int,
    run_ids: Array,
    root: Any,
    centre_client: int,
    keyed: bool,
    separate: bool,
) -> None:
    """Clients and stream keys of the slots of the runs ``begin .. end-1``; ``clients`` is empty where all take part."""
    for run in range(begin, end):
        key = fold(fold(root, run_ids[run]), round)
        central[run - begin] = fold(key, centre_client)
        for s in range(n_slots):
            at = (run - begin) * n_slots + s
            k = clients[lane[run], s] if clients.shape[0] > 0 else s
            members[at] = k
            if keyed:
                keys[at] = fold(key, k)
                before = 0
                if separate:
                    for other in range(s):
                        before += clients[lane[run], other] == k
                if before > 0:
                    keys[at] = fold(keys[at], before)


@rounded
def say(
    slab: Array,
    size: int,
    word: Array,
    places: Array,
    begin: int,
    end: int,
    s0: int,
    s1: int,
    members: Array,
    n_slots: int,
    number: float,
    table: Array,
    coefficients: Array,
    absent: Array,
    lane: Array,
    weights: Array,
    shift_at: int,
) -> None:
    """One word of linear arithmetic, an average, or the preparation of local steps, for all runs and slots of a tile."""
    code, result, left, right = word[0], word[1], word[2], word[3]
    for run in range(begin, end):
        for s in range(s0, s1):
            k = members[(run - begin) * n_slots + s]
            out_at = place_of(places, result, run, begin, s, s0, k)
            x_at = place_of(places, left, run, begin, s, s0, k) if left >= 0 else out_at
            y_at = place_of(places, right, run, begin, s, s0, k) if right >= 0 else out_at
            verb, factor = code, number
            if code == LOCAL:
                verb = COPY
                if right >= 0:
                    to = shift_at + ((run - begin) * (s1 - s0) + s - s0) * size
                    linear(COPY, slab, size, to, y_at, y_at, 0.0)
            elif code == SUBTRACT_MULTIPLE:
                verb, factor = ADD_MULTIPLE, -number
            elif code == SCALE:
                verb, factor = MULTIPLY, table[k]
            elif code == AVERAGE:
                verb, factor = MULTIPLY, coefficients[lane[run] if coefficients.shape[0] > 1 else 0, s]
            elif code == ABSENT:
                verb, factor = ADD_MULTIPLE, absent[lane[run]] if absent.shape[0] > 1 else absent[0]
            elif code == MEAN:
                verb, factor = MULTIPLY, weights[0]
                x_at -= k * places[left, 5]
            if code == AVERAGE and s > 0:
                verb = GATHER
            linear(verb, slab, size, out_at, x_at, y_at, factor)
            if code == MEAN:
                for j in range(1, weights.shape[0]):
                    x_at += places[left, 5]
                    linear(GATHER, slab, size, out_at, x_at, y_at, weights[j])


@rounded
def close_round(
    slab: Array,
    size: int,
    places: Array,
    state: Array,
    kinds: Array,
    model: int,
    members: Array,
    n_slots: int,
    n_clients: int,
    begin: int,
    end: int,
    finished: int,
    threshold: float,
    diverged: Array,
    record: int,
    kept: Array,
) -> None:
    """Runs whose model is too long, or that hold a number that is not finite, have diverged; the others are recorded."""
    for run in range(begin, end):
        at = places[model, 0] + run * places[model, 1]
        fine = np.sqrt(square(slab[at : at + size])) <= threshold
        for leaf in range(state.shape[0]):
            here = places[state[leaf], 0] + run * places[state[leaf], 1]
            if kinds[leaf] == 0:
                fine = fine and finite(slab[here : here + size])
            else:  # all slots of the population, or the members of the cohort, as the others have not changed
                for s in range(n_slots):
                    own = here + members[(run - begin) * n_slots + s] * size
                    fine = fine and finite(slab[own : own + size])
        if not fine:
            if diverged[run] < 0:
                diverged[run] = finished
            for leaf in range(state.shape[0]):
                here = places[state[leaf], 0] + run * places[state[leaf], 1]
                count = size if kinds[leaf] == 0 else n_clients * size
                clear(slab[here : here + (places[state[leaf], 1] if kinds[leaf] == SUMMED else count)])
            clear(slab[at : at + size])
        if record >= 0 and diverged[run] < 0:
            put(kept[run, record], slab[at : at + size])


@rounded
def rounds(
    slab: Array,
    words: Array,
    segments: Array,
    places: Array,
    state: Array,
    kinds: Array,
    model: int,
    shift_at: int,
    tables: Array,
    sizes: Array,
    numbers: Array,
    configuration: Array,
    groups: Array,
    drawn: bool,
    lane: Array,
    clients: Array,
    coefficients: Array,
    absent: Array,
    weights: Array,
    scales: Array,
    separate: bool,
    keyed: bool,
    root: Any,
    centre_client: int,
    centre_scale: Array,
    run_ids: Array,
    diverged: Array,
    threshold: float,
    first_round: int,
    count: int,
    wanted: Array,
    kept: Array,
    family: Any,
    centre: Any,
) -> None:
    """Rounds ``first_round .. first_round + count - 1`` of all runs, in place.

    ``numbers`` is ``(configurations, rounds or 1, n)``; ``clients``, ``coefficients`` ``(count, lanes, slots)`` and ``absent``
    ``(count, lanes)`` are drawn, or of length one in front where every client takes part, ``lane`` says which is a run's;
    ``wanted[t]`` is the record of round ``t``, or -1, at which the model is copied to ``kept`` ``(runs, records, size)``.
    Runs of a group, of one configuration, are served side by side.
    """
    size, tile, n_slots, n_clients = sizes[0], sizes[1], sizes[2], sizes[3]
    width = 0
    for g in range(groups.shape[0]):
        width = max(width, groups[g, 1] - groups[g, 0])
    members, keys = np.empty(width * n_slots, dtype=np.int64), np.zeros(width * n_slots, dtype=np.uint64)
    central, nobody = np.zeros(width, dtype=np.uint64), np.zeros(width, dtype=np.int64)
    nothing = np.empty(0)
    for g in range(groups.shape[0]):
        begin, end = groups[g, 0], groups[g, 1]
        for t in range(count):
            alive = 0
            for run in range(begin, end):
                alive += diverged[run] < 0
            if alive == 0:
                break
            values = numbers[configuration[begin], t if numbers.shape[1] > 1 else 0]
            here = t if drawn else 0
            open_round(
                members,
                keys,
                central,
                begin,
                end,
                n_slots,
                clients[here] if drawn else clients[0, :0],
                lane,
                first_round + t,
                run_ids,
                root,
                centre_client,
                keyed,
                separate,
            )
            for n in range(segments.shape[0]):
                slots = 1 if segments[n, 0] == AT_SERVER else n_slots
                for s0 in range(0, slots, tile):
                    s1 = min(s0 + tile, slots)
                    total, many = (end - begin) * (s1 - s0) * size, s0 + (end - begin) * (s1 - s0)
                    for w in range(segments[n, 1], segments[n, 2]):
                        code, first = words[w, 0], words[w, 4]
                        into = places[words[w, 1], 0] + s0 * places[words[w, 1], 3]
                        if code == GRADIENT:
                            come = places[words[w, 2], 0] + s0 * places[words[w, 2], 3]
                            out, x = slab[into : into + total], slab[come : come + total]
                            slopes_of(family, out, x, members[s0:many], keys[s0:many], words[w, 6], scales, end - begin)
                        elif code == CENTRAL:
                            for run in range(begin, end):
                                come = place_of(places, words[w, 2], run, begin, 0, 0, 0)
                                goal = place_of(places, words[w, 1], run, begin, 0, 0, 0)
                                out, x = slab[goal : goal + size], slab[come : come + size]
                                own = central[run - begin : run - begin + 1]
                                slopes_of(centre, out, x, nobody[:1], own, words[w, 6], centre_scale, 1)
                        elif code == RENEW:
                            renew(slab, size, places, words[w, 1], begin, end, members, n_slots, weights)
                        else:
                            say(
                                slab,
                                size,
                                words[w],
                                places,
                                begin,
                                end,
                                s0,
                                s1,
                                members,
                                n_slots,
                                values[first] if MULTIPLY <= code <= SUBTRACT_MULTIPLE else 0.0,
                                tables[first] if code == SCALE else nothing,
                                coefficients[here],
                                absent[here],
                                lane,
                                weights,
                                shift_at,
                            )
                            if code == LOCAL:
                                local_of(
                                    family,
                                    slab[into : into + total],
                                    members[s0:many],
                                    keys[s0:many],
                                    words[w, 6],
                                    values[first : first + words[w, 5]],
                                    slab[shift_at : shift_at + total] if words[w, 3] >= 0 else nothing,
                                    scales,
                                    end - begin,
                                )
            close_round(
                slab,
                size,
                places,
                state,
                kinds,
                model,
                members,
                n_slots,
                n_clients,
                begin,
                end,
                first_round + t + 1,
                threshold,
                diverged,
                wanted[t],
                kept,
            )
