"""Where a round begins on the clients and how their models are put together; what may go wrong in both.

Published is ``Delta = sum_S q_k (x_k - w)`` with ``q`` summing to one over the cohort: by counts, ``n_k/sum_S n``, or equal,
``1/|S|``; which of the two is a convention.  Everything here answers with ``Delta``, so that a server's optimiser may follow.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from fltheory.algorithms.vocabulary import ClientVector, Vector
from fltheory.conformance.probes import LAYERS
from fltheory.conformance.words import Deviation, FreeNumber, ProbeRound, State

#: A client's work of a round: from what it begins with to what it returns.
Work = Callable[[ClientVector], ClientVector]

AGGREGATION = (
    Deviation("position", "weights", "weights are looked up by place in the cohort, not by client"),
    Deviation("inverse", "weights", "clients are weighted by 1/n_k"),
    Deviation("reversed", "weights", "weights are those of the cohort in reverse order"),
    Deviation(
        "sorted", "weights", "weights are those of the cohort in the order of its numbers, models in the given order"
    ),
    Deviation("squares", "weights", "clients are weighted by n_k^2 (counts are applied twice)"),
    Deviation("by-steps", "weights", "clients are weighted by their numbers of steps (or batches)"),
    Deviation("by-counts-steps", "weights", "clients are weighted by n_k times their number of steps"),
    Deviation(
        "weights-power", "weights", "clients are weighted by n_k to the power {}", number=FreeNumber((0.5,), -3.0, 4.0)
    ),
    Deviation(
        "all-models", "sum", "models are weighted by shares of all clients under sampling: weights do not sum to one"
    ),
    Deviation(
        "all-updates",
        "sum",
        "updates are weighted by shares of all clients, n_k/n (or 1/N): absent clients count as unchanged",
    ),
    Deviation("scheme-II-models", "sum", "models are weighted by (N/|S|) n_k/n, which does not sum to one in a cohort"),
    Deviation(
        "scheme-II-updates", "sum", "updates are weighted by (N/|S|) n_k/n, which does not sum to one in a cohort"
    ),
    Deviation("sum-models", "sum", "models are summed, not averaged"),
    Deviation("sum-updates", "sum", "updates are summed, not averaged"),
    Deviation("counted-models", "sum", "models are divided by the size of the cohort on top of their weights"),
    Deviation("counted-updates", "sum", "updates are divided by the size of the cohort on top of their weights"),
    Deviation("twice-models", "sum", "the weights are applied to the models twice"),
    Deviation("twice-updates", "sum", "the weights are applied to the updates twice"),
    Deviation(
        "raw-counts-over-cohort",
        "sum",
        "updates are weighted by n_k and divided by the size of the cohort, not by the counts",
    ),
    Deviation("most-updates", "sum", "updates are divided by the size of the largest cohort, not of the round's"),
    Deviation("less-one", "sum", "the sum is divided by one client too few"),
    Deviation("more-one", "sum", "the sum is divided by one client too many (the server's model counts as zero)"),
    Deviation("with-server", "sum", "the server's old model is averaged in as one more client"),
    Deviation(
        "onto-old", "sum", "models are added onto the server's old model: it stays in the sum, which is not set to zero"
    ),
    Deviation("halfway", "sum", "the server moves half way: its old model and the average are averaged"),
    Deviation("first-twice", "sum", "the first client of the cohort is added twice"),
    Deviation("first-unweighted", "sum", "the first client of the cohort is added without its weight"),
    Deviation("first-skipped", "sum", "the first client of the cohort is left out of the sum"),
    Deviation("last-skipped", "sum", "the last client of the cohort is left out of the sum"),
    Deviation("last-only", "sum", "the last client's model replaces the server's"),
    Deviation("first-only", "sum", "the first client's model replaces the server's"),
    Deviation("pairwise", "sum", "the server averages pairwise, client after client: w <- (w + x_k)/2"),
    Deviation("pairwise-first", "sum", "models are averaged pairwise, client after client, from the first on"),
    Deviation(
        "one-by-one",
        "sum",
        "models are mixed into the server's one after another, each with its weight: w <- w + q_k (x_k - w)",
    ),
    Deviation(
        "running-counts",
        "sum",
        "the running average forgets the counts that it has: each model is mixed in by n_k/(n_k + n of the first)",
    ),
    Deviation("first-scaled", "sum", "in the running average the first model is multiplied by its count once more"),
    Deviation("stale", "sum", "models of absent clients, from when they last took part, are averaged in as well"),
    Deviation("total-kept", "sum", "the count of samples by which the sum is divided is not set to zero in each round"),
    Deviation("results-kept", "sum", "models of earlier rounds stay in the list that is averaged"),
    Deviation("median", "sum", "the server takes the median of the models, number by number, not their average"),
    Deviation(
        "trimmed", "sum", "the smallest and the largest number of the cohort are left out, if there are three or more"
    ),
    Deviation(
        "scaled-models", "sum", "the averaged model is multiplied by {}", number=FreeNumber((0.5, 0.9, 0.99), 0.0, 2.0)
    ),
    Deviation(
        "server-shrinks",
        "sum",
        "the server's old model shrinks by {} before the change is added",
        number=FreeNumber((1e-4, 1e-3, 1e-2), 1e-10, 1.0, log=True),
    ),
    Deviation("still", "sum", "the model never changes"),
    Deviation("vanished", "sum", "the average is zero (weights vanish, as by integer division)"),
    Deviation("positions", "cohort", "clients are taken by their place in the cohort, 0, 1, ..., not by their number"),
    Deviation(
        "positions-data",
        "cohort",
        "clients' data are taken by their place in the cohort, their weights by their number",
    ),
    Deviation("one-less-client", "cohort", "the last client of the cohort does not take part (of one client, it does)"),
    Deviation("everybody", "cohort", "the cohort is ignored: all clients take part in every round"),
    Deviation("first-cohort", "cohort", "the cohort of the first round takes part in every round"),
    Deviation("bias-kept", "layers", "the last layer is left out of the average and stays as it was"),
    Deviation("weight-kept", "layers", "the first layer is left out of the average and stays as it was"),
    Deviation("bias-of-last", "layers", "the last layer is not averaged but taken from the last client"),
    Deviation("bias-of-first", "layers", "the last layer is not averaged but taken from the first client"),
    Deviation("own-model", "begin", "clients go on from their own last model, not from the server's"),
    Deviation(
        "mixed-model",
        "begin",
        "clients begin with {} of their own last model and the rest of the server's",
        number=FreeNumber((0.5, 0.1, 0.9), 0.0, 1.0),
    ),
    Deviation("first-model", "begin", "clients begin every round with the very first model"),
    Deviation("late-model", "begin", "clients begin with the server's model of the round before"),
    Deviation(
        "left-behind",
        "begin",
        "clients begin with the server's model of when they last took part (the new one goes to the cohort only)",
    ),
    Deviation(
        "chain",
        "begin",
        "clients train one after another on the same model (no copy is made), and their models are averaged",
    ),
    Deviation(
        "chain-last", "begin", "clients train one after another on the same model, and the last one's is the new one"
    ),
)


def begun(h: ProbeRound, state: State) -> ClientVector:
    """What the clients begin with."""
    if h.has("own-model"):
        return state["own"]
    own = h.number("mixed-model")
    if own is not None:
        mixed: ClientVector = own * state["own"] + (1 - own) * h.fed.send(state["w"])
        return mixed
    if h.has("first-model"):
        return h.fed.send(state["first"])
    if h.has("late-model"):
        return h.fed.send(state["late"])
    if h.has("left-behind"):
        return _left_behind(h, state)
    return h.fed.send(state["w"])


def _left_behind(h: ProbeRound, state: State) -> ClientVector:
    """Each client's model is the one that the server had after its last round."""
    held = h.setting.memory.setdefault("held", [state["first"]] * h.probe.n_clients)
    for client in cohort_of(h.setting, h.round - 1) if h.round else ():
        held[client] = state["w"]
    zero = h.fed.send(h.fed.zero())
    return sum((h.times(h.fed.send(held[client]), h.only(client)) for client in h.cohort), zero)


def remember(h: ProbeRound, w: Vector) -> State:
    """The state that deviations of this file need, before the first round."""
    state: State = {"w": w}
    if h.one_of("own-model", "stale", "mixed-model"):
        state["own"] = h.fed.send(w)
    if h.has("first-model") or h.has("left-behind"):
        state["first"] = w
    if h.has("late-model"):
        state["late"] = w
    return state


def change(h: ProbeRound, state: State, work: Work) -> tuple[Vector, ClientVector, ClientVector, State]:
    """``Delta`` of a round, what clients began with and returned, and the new state but for the model."""
    w, fresh = state["w"], dict(state)
    begin = begun(h, state)
    if h.has("chain") or h.has("chain-last"):
        begin, x = _chained(h, begin, work)
    else:
        x = work(begin)
    if "own" in state:
        fresh["own"] = h.kept(x, state["own"])
    if "late" in state:
        fresh["late"] = w
    update = _combined(h, w, x, fresh)
    return _layered(h, update, x, w), begin, x, fresh


def _chained(h: ProbeRound, begin: ClientVector, work: Work) -> tuple[ClientVector, ClientVector]:
    """Each client of the cohort begins where the one before it ended."""
    starts, ends = h.times(begin, [0.0] * h.probe.n_clients), h.times(begin, [0.0] * h.probe.n_clients)
    for client in h.cohort:
        starts = starts + h.times(begin, h.only(client))
        after = h.times(work(begin), h.only(client))
        ends = ends + after
        begin = h.fed.send(h.total(after))
    if h.has("chain-last"):
        ends = begin
    return starts, ends


def shares(h: ProbeRound) -> list[float]:
    """``q_k`` before they are made to sum to one: counts or ones, and what replaces them."""
    probe = h.probe
    n, one = [float(count) for count in probe.counts], [1.0] * probe.n_clients
    plain = one if h.has("uniform") else n
    if h.has("positions-data"):
        true = probe.cohorts[h.round]
        plain = [plain[true[place]] if place < len(true) else plain[place] for place in range(len(plain))]
    if h.has("position"):
        found = list(one)
        for place, client in enumerate(h.cohort):
            found[client] = plain[place]
        return found
    if h.has("reversed") or h.has("sorted"):
        found = list(one)
        for client, other in zip(h.cohort, h.cohort[::-1] if h.has("reversed") else sorted(h.cohort), strict=True):
            found[client] = plain[other]
        return found
    if h.has("inverse"):
        return [1 / count for count in n]
    if h.has("squares"):
        return [count**2 for count in n]
    if h.has("by-steps"):
        return [float(steps) for steps in probe.local_steps]
    power = h.number("weights-power")
    if power is not None:
        return [count**power for count in n]
    if h.has("by-counts-steps"):
        return [count * steps for count, steps in zip(n, probe.local_steps, strict=True)]
    return plain


def averaging(h: ProbeRound) -> list[float]:
    """``q_k`` of the cohort, summing to one (or to one over the clients that it takes them for)."""
    given = shares(h)
    whole = sum(given[client] for client in h.cohort)
    return [share / whole for share in given]


def _combined(h: ProbeRound, w: Vector, x: ClientVector, state: State) -> Vector:
    """``Delta`` from the models that the cohort returned."""
    given, q, size, n_clients = shares(h), averaging(h), len(h.cohort), h.probe.n_clients
    part = [share / sum(given) for share in given]
    update = x - h.fed.send(w)
    over = {
        "all": part,
        "scheme-II": [share * n_clients / size for share in part],
        "sum": [1.0] * n_clients,
        "counted": [share / size for share in q],
        "twice": [share**2 for share in q],
    }
    for key, numbers in over.items():
        if h.has(f"{key}-models"):
            return h.total(x, numbers) - w
        if h.has(f"{key}-updates"):
            return h.total(update, numbers)
    if h.has("total-kept") or h.has("results-kept"):
        before: Any = h.setting.memory.get("total")
        mass = sum(given[client] for client in h.cohort)
        sums = (h.total(x, given), mass)
        if before is not None:
            sums = (sums[0] + before[0], mass + before[1])
        h.setting.memory["total"] = sums
        kept: Vector = (1 / sums[1]) * (sums[0] if h.has("results-kept") else h.total(x, given)) - w
        return kept
    if h.has("median") or h.has("trimmed"):
        return _ranked(h, x) - w
    scale, shrunk = h.number("scaled-models"), h.number("server-shrinks")
    if scale is not None:
        return h.total(x, [scale * share for share in q]) - w
    if shrunk is not None:
        return h.total(update, q) - shrunk * w
    if h.has("raw-counts-over-cohort"):
        return h.total(update, [share / size for share in given])
    if h.has("most-updates"):
        most = max(len(cohort) for cohort in h.probe.cohorts)
        return h.total(update, [share * size / most for share in q])
    if h.has("less-one") or h.has("more-one"):
        divisor = max(size - 1, 1) if h.has("less-one") else size + 1
        return h.total(x, [share * size / divisor for share in q]) - w
    if h.has("with-server"):
        return h.total(update, [share * size / (size + 1) for share in q])
    if h.has("still") or h.has("vanished"):
        return 0.0 * w if h.has("still") else -w
    if h.has("onto-old"):
        return h.total(x, q)
    if h.has("halfway"):
        return 0.5 * h.total(update, q)
    first, last = h.cohort[0], h.cohort[-1]
    if h.has("first-twice"):
        return h.total(x, q) + h.total(x, [share * here for share, here in zip(q, h.only(first), strict=True)]) - w
    if h.has("first-unweighted"):
        return h.total(x, [1.0 if k == first else share for k, share in enumerate(q)]) - w
    if h.has("first-skipped") or h.has("last-skipped"):
        gone = first if h.has("first-skipped") else last
        return h.total(x, [0.0 if k == gone else share for k, share in enumerate(q)]) - w
    if h.has("last-only") or h.has("first-only"):
        return h.total(update, h.only(last if h.has("last-only") else first))
    if h.one_of("pairwise", "pairwise-first", "running-counts", "first-scaled"):
        return h.total(x, _running(h)) + (0.5**size if h.has("pairwise") else 0.0) * w - w
    if h.has("one-by-one"):
        mixed, left = [0.0] * n_clients, 1.0
        for client in reversed(h.cohort):
            mixed[client] = q[client] * left
            left *= 1 - q[client]
        return h.total(update, mixed)
    if h.has("stale"):
        return h.everyone(state["own"], part) - w
    return h.total(update, q)


def _ranked(h: ProbeRound, x: ClientVector) -> Vector:
    """The median of the cohort's models, or their mean without the extremes, number by number."""
    models = [h.total(x, h.only(client)) for client in h.cohort]

    def rule(*found: Any) -> Any:
        ranked = np.sort(np.stack(found), axis=0)
        if h.has("median"):
            return np.median(ranked, axis=0)
        return ranked[1:-1].mean(axis=0) if len(ranked) > 2 else ranked.mean(axis=0)

    return h.decide(rule, *models)


def _running(h: ProbeRound) -> list[float]:
    """Coefficients of the models in an average that is built client after client."""
    n = [float(count) for count in h.probe.counts]
    found, so_far = [0.0] * h.probe.n_clients, 0.0
    for place, client in enumerate(h.cohort):
        kept, added = 0.5, 0.5
        if h.has("running-counts"):
            whole = n[h.cohort[0]] + n[client]
            kept, added = n[h.cohort[0]] / whole, n[client] / whole
        elif h.has("first-scaled"):
            whole = so_far + n[client]
            kept, added = so_far / whole, n[client] / whole
        if place == 0 and not h.has("pairwise"):
            kept, added = 0.0, n[client] if h.has("first-scaled") else 1.0
        found = [share * kept for share in found]
        found[client] += added
        so_far += n[client]
    return found


def _layered(h: ProbeRound, update: Vector, x: ClientVector, w: Vector) -> Vector:
    """The change, with a layer that is not averaged."""
    last = LAYERS.names[-1]
    mask = [float(name == last) for name in LAYERS.names]
    rest = [1 - number for number in mask]
    if h.has("bias-kept"):
        return h.fed.scale(rest, update)
    if h.has("weight-kept"):
        return h.fed.scale(mask, update)
    for key, client in (("bias-of-last", h.cohort[-1]), ("bias-of-first", h.cohort[0])):
        if h.has(key):
            return h.fed.scale(rest, update) + h.fed.scale(mask, h.total(x, h.only(client)) - w)
    return update


def cohort_of(setting: Any, round: int) -> tuple[int, ...]:
    """Who takes part in a round."""
    if setting.has("everybody"):
        return tuple(range(setting.probe.n_clients))
    cohort = setting.probe.cohorts[round]
    if setting.has("positions") or setting.has("positions-data"):
        return tuple(range(len(cohort)))
    if setting.has("one-less-client"):
        return cohort[:-1] or cohort
    return setting.probe.cohorts[0 if setting.has("first-cohort") else round]
