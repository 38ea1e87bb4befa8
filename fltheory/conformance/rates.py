"""The step size of local steps, and what may go wrong in its schedule."""

from __future__ import annotations

import math

from fltheory.conformance.words import Deviation, FreeNumber, ProbeRound

_DECAY = FreeNumber((0.9, 0.95, 0.99, 0.995, 0.998, 0.5), 0.05, 1.1)
_RATE = FreeNumber((1.0, 0.1, 0.01), 1e-4, 100.0, log=True)
#: Powers of a free factor, by key: how many of rounds, epochs, local steps have passed.
_SHRINKING = {
    "rounds-decay": "the step size shrinks by {} each round",
    "two-rounds-decay": "the step size shrinks by {} every two rounds",
    "three-rounds-decay": "the step size shrinks by {} every three rounds",
    "five-rounds-decay": "the step size shrinks by {} every five rounds",
    "epochs-decay": "the step size shrinks by {} each epoch, and starts again in each round",
    "epochs-decay-kept": "the step size shrinks by {} each epoch, over all rounds",
    "steps-decay": "the step size shrinks by {} each local step, and starts again in each round",
    "steps-decay-kept": "the step size shrinks by {} each local step, over all rounds",
    "own-decay": "the step size shrinks by {} each time that the client has taken part",
}
RATES = (
    *(Deviation(key, "rate", words, number=_DECAY) for key, words in _SHRINKING.items()),
    Deviation("rounds-inverse", "rate", "the step size of round t = 0, 1, ... is divided by 1 + {} t", number=_RATE),
    Deviation(
        "steps-inverse", "rate", "the step size of local step t, over all rounds, is divided by 1 + {} t", number=_RATE
    ),
    Deviation(
        "steps-inverse-restart",
        "rate",
        "the step size of local step t of a round is divided by 1 + {} t, and starts again in each round",
        number=_RATE,
    ),
    Deviation("rounds-root", "rate", "the step size is divided by the root of the number of the round"),
    Deviation("steps-root", "rate", "the step size is divided by the root of the number of local steps so far"),
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
    Deviation("decay-once", "rate", "the step size decays after the first round only", ("decay",)),
    Deviation("decay-late", "rate", "the step size decays one round late", ("decay",)),
    Deviation("decay-linear", "rate", "the step size is eta (1 - (1 - decay) t), not eta decay^t", ("decay",)),
    Deviation(
        "decay-compounds",
        "rate",
        "the decayed step size is decayed again: eta decay^(0 + 1 + ... + t) for eta decay^t",
        ("decay",),
    ),
    Deviation("no-decay", "rate", "the step size does not decay", ("decay", "schedule")),
)
_BY_CLIENT = (
    "by-epochs",
    "decay-epochs",
    "decay-epochs-restart",
    "decay-epochs-rounds",
    "epochs-decay",
    "epochs-decay-kept",
    "steps-decay-kept",
    "steps-inverse",
    "steps-root",
)


def rates(h: ProbeRound, step: int) -> list[float] | None:
    """Step sizes of the clients where epochs of different lengths, or what they took part in, make them differ."""
    if h.has("own-decay") or (h.one_of(*_BY_CLIENT) is not None and h.probe.unequal):
        return [rate(h, step, client) for client in range(h.probe.n_clients)]
    return None


def rate(h: ProbeRound, step: int, client: int | None = None) -> float:
    """The step size of local step ``step``, counted in the round; epochs are the client's, or the longest."""
    return _scheduled(h, step, client) * _shrunk(h, step, client)


def _shrunk(h: ProbeRound, step: int, client: int | None) -> float:
    """What a schedule that nobody asked for makes of the step size."""
    if not h.setting.numbers and not h.one_of("rounds-root", "steps-root"):
        return 1.0
    probe, t = h.probe, h.round
    batches = max(probe.batches) if client is None else probe.batches[client]
    steps = probe.epochs * batches
    powers = {
        "rounds-decay": t,
        "two-rounds-decay": t // 2,
        "three-rounds-decay": t // 3,
        "five-rounds-decay": t // 5,
        "epochs-decay": step // batches,
        "epochs-decay-kept": t * probe.epochs + step // batches,
        "steps-decay": step,
        "steps-decay-kept": t * steps + step,
        "own-decay": 0 if client is None else sum(client in cohort for cohort in probe.cohorts[:t]),
    }
    for key, power in powers.items():
        factor = h.number(key)
        if factor is not None:
            return float(factor**power)
    for key, index in (("rounds-inverse", t), ("steps-inverse", t * steps + step), ("steps-inverse-restart", step)):
        size = h.number(key)
        if size is not None:
            return 1 / (1 + size * index)
    if h.has("rounds-root"):
        return 1 / math.sqrt(t + 1)
    return 1 / math.sqrt(t * steps + step + 1) if h.has("steps-root") else 1.0


def _scheduled(h: ProbeRound, step: int, client: int | None) -> float:
    base, kind = float(h.value("step_size")), h.probe.schedule
    if kind == "constant" or h.has("no-decay"):
        return base
    steps = max(h.probe.local_steps)
    batches = max(h.probe.batches) if client is None else h.probe.batches[client]
    late = int(h.has("from-one"))
    if kind == "decay":
        decay, power = float(h.value("decay")), h.round
        if h.has("decay-linear"):
            return base * (1 - (1 - decay) * h.round)
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
        elif h.has("decay-once"):
            power = min(h.round, 1)
        elif h.has("decay-late"):
            power = max(h.round - 1, 0)
        elif h.has("decay-compounds"):
            power = h.round * (h.round + 1) // 2
        return float(base * decay ** (power + late))
    index = h.round * steps + step
    if h.has("by-rounds"):
        index = h.round
    elif h.has("restarts"):
        index = step
    elif h.has("by-epochs"):
        index = h.round * h.probe.epochs + step // batches
    return base / (1 + (index + late) / 10)
