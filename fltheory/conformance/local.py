"""The local steps of a round, and what may go wrong in them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from fltheory.algorithms.vocabulary import ClientVector
from fltheory.conformance.optimisers import OPTIMISERS, OUTSIDE, bare, clipped, decayed, optimiser_of, returned
from fltheory.conformance.rates import RATES, rate, rates
from fltheory.conformance.words import Deviation, FreeNumber, ProbeRound

#: What is added to the gradient at step ``i``: prox terms, control variates.
Extra = Callable[[ClientVector, int], ClientVector]

LOCAL = (
    Deviation("one-epoch", "count", "one epoch per round is made (or returned), whatever the number of epochs"),
    Deviation(
        "one-batch",
        "count",
        "one batch per epoch is used: the steps of a round are the epochs, not epochs times batches",
    ),
    Deviation("one-step", "count", "one local step per round is made"),
    Deviation("one-batch-less", "count", "the last batch of each epoch is left out (where there are two or more)"),
    Deviation("one-batch-more", "count", "one batch too many is used in each epoch"),
    Deviation("one-epoch-less", "count", "one epoch too few is made"),
    Deviation("one-epoch-more", "count", "one epoch too many is made"),
    Deviation("one-more", "count", "one local step too many is made"),
    Deviation("one-less", "count", "one local step too few is made (or the model before the last one is returned)"),
    Deviation("steps-by-least", "count", "all clients make as many steps as the one with fewest"),
    Deviation("steps-by-most", "count", "all clients make as many steps as the one with most"),
    Deviation("frozen", "gradient", "all local gradients are taken at the model the round began with"),
    Deviation(
        "frozen-epoch", "gradient", "local gradients are taken at the model each epoch began with (a step per batch)"
    ),
    Deviation(
        "accumulate", "gradient", "gradients accumulate over the local steps of a round (they are never set to zero)"
    ),
    Deviation(
        "accumulate-epoch",
        "gradient",
        "gradients accumulate over the batches of an epoch (zeroed per epoch, not per batch)",
    ),
    Deviation("double", "size", "the gradient is twice that of the loss (or the step size is doubled)"),
    Deviation("half", "size", "the gradient is half that of the loss (or the step size is halved)"),
    Deviation("ascent", "size", "local steps go up the gradient"),
    Deviation("by-weight", "size", "local gradients are multiplied by n_k/n"),
    Deviation("by-weight-N", "size", "local gradients are multiplied by N n_k/n"),
    Deviation("by-count-cohort", "size", "local gradients are multiplied by the client's share of the cohort"),
    Deviation("by-count", "size", "local gradients are multiplied by n_k"),
    Deviation("by-rows", "size", "the loss of a batch is summed over its samples, not averaged"),
    Deviation("over-count", "size", "local gradients are divided by n_k"),
    Deviation("over-steps", "size", "the step size is divided by the number of local steps"),
    Deviation("over-batches", "size", "the step size is divided by the number of batches"),
    Deviation("over-epochs", "size", "the step size is divided by the number of epochs"),
    Deviation("over-cohort", "size", "the step size is divided by the size of the cohort"),
    Deviation("over-N", "size", "the step size is divided by the number of clients"),
    Deviation("last-move", "returned", "clients return the change of their last step only"),
    Deviation("last-epoch-move", "returned", "clients return the change of their last epoch only"),
    Deviation("mean-iterate", "returned", "clients return the mean of their local iterates, not the last one"),
    Deviation(
        "scaled-gradient",
        "size",
        "local gradients are multiplied by {}",
        number=FreeNumber((0.1, 10.0), 1e-3, 30.0, log=True),
    ),
    *OPTIMISERS,
    *RATES,
)


_PLACES = {one.key: one.place for one in LOCAL}


def counts(h: ProbeRound) -> list[int]:
    """How many steps each client makes."""
    epochs, batches = h.probe.epochs, h.probe.batches
    steps = [epochs * count for count in batches]
    if h.has("one-epoch"):
        return list(batches)
    if h.has("one-batch"):
        return [epochs] * len(steps)
    if h.has("one-batch-less") or h.has("one-batch-more"):
        return [epochs * max(count + (1 if h.has("one-batch-more") else -1), 1) for count in batches]
    if h.has("one-epoch-less") or h.has("one-epoch-more"):
        return [(epochs + (1 if h.has("one-epoch-more") else -1)) * count for count in batches]
    if h.has("one-step"):
        return [1] * len(steps)
    if h.has("steps-by-least"):
        return [min(steps)] * len(steps)
    if h.has("steps-by-most"):
        return [max(steps)] * len(steps)
    return [count + h.has("one-more") - h.has("one-less") for count in steps]


def at_epoch(h: ProbeRound, step: int, *, end: bool = False) -> list[float]:
    """1 for the clients for which ``step`` is the first one of an epoch (the last one with ``end``), 0 for the others."""
    return [float(step % count == (count - 1 if end else 0)) for count in h.probe.batches]


def either(h: ProbeRound, flags: Sequence[float], yes: ClientVector, no: ClientVector) -> ClientVector:
    """Client by client, one vector where the flag is 1, the other where it is 0."""
    if all(flags):
        return yes
    if not any(flags):
        return no
    found: ClientVector = h.times(yes, flags) + h.times(no, [1 - flag for flag in flags])
    return found


def descend(h: ProbeRound, begin: ClientVector, extra: Extra | None = None) -> ClientVector:
    """Each client's model after its local steps ``x <- x - eta (g(x) + extra(x))`` from ``begin``."""
    numbers, batches = counts(h), h.probe.batches
    gradients = _Gradients(h)
    x: ClientVector = begin
    total: ClientVector | None = None
    least = [count - (1 if h.has("last-move") else period) for count, period in zip(numbers, batches, strict=True)]
    anchor: ClientVector = begin
    optimiser, outside = optimiser_of(h, numbers), h.has(OUTSIDE.key)
    touched = {_PLACES.get(key) for key in h.setting.keys}
    steady = float(h.value("step_size")) if "rate" not in touched and h.probe.schedule == "constant" else None
    for step in range(max(numbers)):
        direction = gradients.at(x, step, None if outside else extra)
        if "decay" in touched or "clip" in touched:
            direction = clipped(h, decayed(h, x, direction))
        if optimiser is not None:
            direction = optimiser(direction, step)
        if outside and extra is not None:
            direction = direction + extra(x, step)
        if step in least:
            anchor = either(h, [float(step == one) for one in least], x, anchor)
        if "size" in touched:
            direction = _sized(h, direction)
        if steady is not None:
            move = steady * direction
        else:
            own = rates(h, step)
            move = rate(h, step) * direction if own is None else h.times(direction, own)
            if h.has("decay-own"):
                move = h.times(move, _own_decay(h))
        if len(set(numbers)) > 1:
            move = h.times(move, [float(step < count) for count in numbers])
        x = x - move
        if h.has("mean-iterate"):
            share = [1 / count if step < count else 0.0 for count in numbers]
            total = h.times(x, share) if total is None else total + h.times(x, share)
    if optimiser is not None:
        optimiser.close()
    if h.has("last-move") or h.has("last-epoch-move"):
        x = begin + (x - anchor)
    return returned(h, begin, x if total is None else total)


def _own_decay(h: ProbeRound) -> list[float]:
    """What turns a decay by rounds into one by the client's own participations."""
    decay = float(h.value("decay"))
    before = [sum(k in cohort for cohort in h.probe.cohorts[: h.round]) for k in range(h.probe.n_clients)]
    return [decay ** (count - h.round) for count in before]


class _Gradients:
    """The gradient that a step takes, and at what model."""

    def __init__(self, h: ProbeRound) -> None:
        self.h = h
        self.kept: Any = None
        self.sum: Any = None
        self.plain = h.one_of("frozen", "frozen-epoch", "accumulate", "accumulate-epoch") is None

    def at(self, x: ClientVector, step: int, extra: Extra | None) -> ClientVector:
        """The direction of local step ``step``."""
        h = self.h
        if self.plain:
            return self._fresh(x, step, extra)
        if h.has("frozen") or h.has("frozen-epoch"):
            if self.kept is None:
                self.kept = self._fresh(x, step, extra)
            elif h.has("frozen-epoch") and any(renewed := at_epoch(h, step)):
                self.kept = either(h, renewed, self._fresh(x, step, extra), self.kept)
            return self.kept
        fresh = self._fresh(x, step, extra)
        if h.has("accumulate") or h.has("accumulate-epoch"):
            restart = at_epoch(h, step) if h.has("accumulate-epoch") else [0.0]
            self.sum = fresh if self.sum is None else either(h, restart, fresh, self.sum + fresh)
            return self.sum
        return fresh

    def _fresh(self, x: ClientVector, step: int, extra: Extra | None) -> ClientVector:
        gradient = bare(self.h, self.h.fed.gradient(x))
        return gradient if extra is None else gradient + extra(x, step)


def _sized(h: ProbeRound, direction: ClientVector) -> ClientVector:
    """The direction times what a wrong factor makes of it."""
    probe = h.probe
    for key, factor in (("double", 2.0), ("half", 0.5), ("ascent", -1.0)):
        if h.has(key):
            scaled: ClientVector = factor * direction
            return scaled
    multiple = h.number("scaled-gradient")
    if multiple is not None:
        scaled = multiple * direction
        return scaled
    size = float(len(h.cohort))
    shares: Any = None
    if h.has("by-weight"):
        shares = probe.weights
    elif h.has("by-weight-N"):
        shares = probe.weights * probe.n_clients
    elif h.has("by-count-cohort"):
        shares = probe.weights / probe.weights[list(h.cohort)].sum()
    elif h.has("by-count"):
        shares = probe.counts
    elif h.has("by-rows"):
        shares = [len(targets) for _, targets in probe.data]
    elif h.has("over-count"):
        shares = [1 / count for count in probe.counts]
    elif h.has("over-steps"):
        shares = [1 / count for count in probe.local_steps]
    elif h.has("over-batches"):
        shares = [1 / count for count in probe.batches]
    elif h.has("over-epochs"):
        shares = [1 / probe.epochs] * probe.n_clients
    elif h.has("over-cohort"):
        shares = [1 / size] * probe.n_clients
    elif h.has("over-N"):
        shares = [1 / probe.n_clients] * probe.n_clients
    return direction if shares is None else h.times(direction, shares)
