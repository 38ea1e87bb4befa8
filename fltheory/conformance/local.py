"""The local steps of a round, and what may go wrong in them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from fltheory.algorithms.vocabulary import ClientVector
from fltheory.conformance.words import Deviation, ProbeRound

#: What is added to the gradient at step ``i``: prox terms, control variates.
Extra = Callable[[ClientVector, int], ClientVector]

_DECAYS = (0.9, 0.99, 0.995, 0.998)
_DECAYING = {
    "weight-decay-0.0001": 1e-4,
    "weight-decay-0.0005": 5e-4,
    "weight-decay-0.001": 1e-3,
    "weight-decay-0.01": 1e-2,
}
_CLIPS = {"clip-1": 1.0, "clip-5": 5.0, "clip-10": 10.0}
#: Momentum on the gradient alone: what is added to it (a control variate) is outside.
OUTSIDE = {"outside-momentum-0.9": 0.9, "outside-momentum-0.5": 0.5}
_HEAVY = {"local-momentum-0.9": 0.9, "local-momentum-0.5": 0.5}

LOCAL = (
    Deviation("one-epoch", "count", "one epoch per round is made (or returned), whatever the number of epochs"),
    Deviation(
        "one-batch",
        "count",
        "one batch per epoch is used: the steps of a round are the epochs, not epochs times batches",
    ),
    Deviation("one-step", "count", "one local step per round is made"),
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
    *(
        Deviation(key, "momentum", f"local steps have momentum {beta} (set to zero each round)")
        for key, beta in _HEAVY.items()
    ),
    *(
        Deviation(f"kept-momentum-{beta}", "momentum", f"local steps have momentum {beta}, kept from round to round")
        for beta in (0.9, 0.5)
    ),
    Deviation(
        "client-momentum", "momentum", "local steps have the momentum parameter (set to zero each round)", ("momentum",)
    ),
    Deviation("local-adam", "momentum", "local steps are Adam's (0.9, 0.999, 1e-8)"),
    *(Deviation(key, "decay", f"local steps have weight decay {rate}") for key, rate in _DECAYING.items()),
    *(Deviation(key, "clip", f"local gradients are clipped to norm {size:g}") for key, size in _CLIPS.items()),
    *(Deviation(f"rounds-{rate}", "rate", f"the step size shrinks by {rate} each round") for rate in _DECAYS),
    Deviation("by-rounds", "rate", "the step size is indexed by rounds, not by local steps", ("schedule",)),
    Deviation("restarts", "rate", "the index of the step size starts again in each round", ("schedule",)),
    Deviation("by-epochs", "rate", "the step size is indexed by epochs, not by local steps", ("schedule",)),
    Deviation("from-one", "rate", "the index of the step size starts at 1, not at 0", ("schedule", "decay")),
    Deviation("decay-steps", "rate", "the step size decays at every local step, not once per round", ("decay",)),
    Deviation("decay-epochs", "rate", "the step size decays at every epoch, not once per round", ("decay",)),
    Deviation(
        "decay-epochs-restart", "rate", "the step size decays by epochs within a round and starts again", ("decay",)
    ),
    Deviation(
        "decay-steps-restart", "rate", "the step size decays by local steps within a round and starts again", ("decay",)
    ),
    Deviation(
        "decay-epochs-rounds",
        "rate",
        "the step size decays by epochs within a round, on top of its decay by rounds",
        ("decay",),
    ),
    Deviation(
        "decay-own",
        "rate",
        "the step size decays with the rounds in which the client took part, not with all rounds",
        ("decay",),
    ),
    Deviation("no-decay", "rate", "the step size does not decay", ("decay", "schedule")),
)


def counts(h: ProbeRound) -> list[int]:
    """How many steps each client makes."""
    epochs, batches = h.probe.epochs, h.probe.batches
    steps = [epochs * count for count in batches]
    if h.has("one-epoch"):
        return list(batches)
    if h.has("one-batch"):
        return [epochs] * len(steps)
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


def _rates(h: ProbeRound, step: int) -> list[float] | None:
    """Step sizes of the clients where epochs of different lengths make them differ."""
    counted = h.one_of("by-epochs", "decay-epochs", "decay-epochs-restart", "decay-epochs-rounds")
    if counted is None or not h.probe.unequal:
        return None
    return [rate(h, step, client) for client in range(h.probe.n_clients)]


def rate(h: ProbeRound, step: int, client: int | None = None) -> float:
    """The step size of local step ``step``, counted in the round; epochs are the client's, or the longest."""
    base, kind = float(h.value("step_size")), h.probe.schedule
    for given in _DECAYS:
        if h.has(f"rounds-{given}"):
            return base * given**h.round
    if kind == "constant" or h.has("no-decay"):
        return base
    steps = max(h.probe.local_steps)
    batches = max(h.probe.batches) if client is None else h.probe.batches[client]
    late = int(h.has("from-one"))
    if kind == "decay":
        power = h.round
        if h.has("decay-steps"):
            power = h.round * steps + step
        elif h.has("decay-epochs"):
            power = h.round * h.probe.epochs + step // batches
        elif h.has("decay-epochs-restart"):
            power = step // batches
        elif h.has("decay-steps-restart"):
            power = step
        elif h.has("decay-epochs-rounds"):
            power = h.round + step // batches
        return base * float(h.value("decay")) ** (power + late)
    index = h.round * steps + step
    if h.has("by-rounds"):
        index = h.round
    elif h.has("restarts"):
        index = step
    elif h.has("by-epochs"):
        index = h.round * h.probe.epochs + step // batches
    return base / (1 + (index + late) / 10)


def descend(h: ProbeRound, begin: ClientVector, extra: Extra | None = None) -> ClientVector:
    """Each client's model after its local steps ``x <- x - eta (g(x) + extra(x))`` from ``begin``."""
    numbers, batches = counts(h), h.probe.batches
    gradients = _Gradients(h)
    x: ClientVector = begin
    total: ClientVector | None = None
    least = [count - (1 if h.has("last-move") else period) for count, period in zip(numbers, batches, strict=True)]
    anchor: ClientVector = begin
    optimiser, outside = _optimiser(h), h.one_of(*OUTSIDE) is not None
    for step in range(max(numbers)):
        direction = gradients.at(x, step, None if outside else extra)
        for key, weight in _DECAYING.items():
            if h.has(key):
                direction = direction + weight * x
        for key, size in _CLIPS.items():
            if h.has(key):
                direction = h.decide(_clip(size), direction)
        if optimiser is not None:
            direction = optimiser(direction, step)
        if outside and extra is not None:
            direction = direction + extra(x, step)
        if step in least:
            anchor = either(h, [float(step == one) for one in least], x, anchor)
        rates, direction = _rates(h, step), _sized(h, direction)
        move = rate(h, step) * direction if rates is None else h.times(direction, rates)
        if h.has("decay-own"):
            move = h.times(move, _own_decay(h))
        if len(set(numbers)) > 1:
            move = h.times(move, [float(step < count) for count in numbers])
        x = x - move
        if h.has("mean-iterate"):
            share = [1 / count if step < count else 0.0 for count in numbers]
            total = h.times(x, share) if total is None else total + h.times(x, share)
    if optimiser is not None and optimiser.kept is not None:
        h.setting.memory["buffers"] = optimiser.kept(h)
    if h.has("last-move") or h.has("last-epoch-move"):
        moved: ClientVector = begin + (x - anchor)
        return moved
    return x if total is None else total


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

    def at(self, x: ClientVector, step: int, extra: Extra | None) -> ClientVector:
        """The direction of local step ``step``."""
        h = self.h
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
        gradient = self.h.fed.gradient(x)
        return gradient if extra is None else gradient + extra(x, step)


def _sized(h: ProbeRound, direction: ClientVector) -> ClientVector:
    """The direction times what a wrong factor makes of it."""
    probe = h.probe
    for key, factor in (("double", 2.0), ("half", 0.5), ("ascent", -1.0)):
        if h.has(key):
            scaled: ClientVector = factor * direction
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


def _clip(size: float) -> Callable[..., Any]:
    """Clients' vectors of norm above ``size`` shortened to it."""

    def rule(values: Any) -> Any:
        norms = np.sqrt((values**2).sum(axis=-1, keepdims=True))
        return values * np.minimum(1.0, size / np.maximum(norms, 1e-300))

    return rule


class _Optimiser:
    """Momentum or Adam of the clients, new in each round or kept."""

    def __init__(self, h: ProbeRound, beta: float | None, kept: bool) -> None:
        self.h, self.beta = h, beta
        self.m: Any = h.setting.memory.get("buffers") if kept else None
        self.v: Any = None
        self.old = self.m
        self.kept = self._stored if kept else None

    def __call__(self, direction: ClientVector, step: int) -> Any:
        if self.beta is not None:
            fresh = direction if self.m is None else self.beta * self.m + direction
            running = [float(step < count) for count in counts(self.h)]
            if self.m is not None and not all(running):
                fresh = self.h.times(fresh, running) + self.h.times(self.m, [1 - one for one in running])
            self.m = fresh
            return self.m
        square = self.h.decide(np.square, direction)
        self.m = 0.1 * direction if step == 0 else 0.9 * self.m + 0.1 * direction
        self.v = 0.001 * square if step == 0 else 0.999 * self.v + 0.001 * square
        one, two = 1 - 0.9 ** (step + 1), 1 - 0.999 ** (step + 1)
        return self.h.decide(lambda m, v: (m / one) / (np.sqrt(v / two) + 1e-8), self.m, self.v)

    def _stored(self, h: ProbeRound) -> Any:
        return h.kept(self.m, h.fed.zero_clients() if self.old is None else self.old)


def _optimiser(h: ProbeRound) -> _Optimiser | None:
    beta = next((beta for key, beta in (_HEAVY | OUTSIDE).items() if h.has(key)), None)
    kept = next((beta for beta in (0.9, 0.5) if h.has(f"kept-momentum-{beta}")), None)
    if h.has("client-momentum"):
        beta = float(h.value("momentum"))
    if h.has("local-adam"):
        return _Optimiser(h, None, False)
    return _Optimiser(h, kept or beta, kept is not None) if kept or beta is not None else None
