"""The server's step from the averaged change, with what its learning rate may be applied to by mistake."""

from __future__ import annotations

from typing import Any

import numpy as np

from fltheory.algorithms.vocabulary import Vector
from fltheory.conformance.words import Deviation, FreeNumber, ProbeRound
from fltheory.kinds import Floats

SERVER = (
    Deviation("server-twice", "server", "the server's learning rate is applied twice", ("server_step_size",)),
    Deviation("server-ignored", "server", "the server's learning rate has no effect", ("server_step_size",)),
    Deviation(
        "server-models",
        "server",
        "the server's learning rate multiplies the averaged model, not the change",
        ("server_step_size",),
    ),
    Deviation(
        "server-complement",
        "server",
        "the server keeps the share eta_s of its old model, and moves by 1 - eta_s",
        ("server_step_size",),
    ),
    Deviation("server-inverse", "server", "the change is divided by the server's learning rate", ("server_step_size",)),
    Deviation(
        "server-on-average", "server", "the server's step is made on top of the average (1 + eta_s times the change)"
    ),
    Deviation("server-cohort", "server", "the server's step is divided by the size of the cohort"),
    Deviation("server-clients", "server", "the server's step is divided by the number of clients"),
    Deviation("server-step", "server", "the change is multiplied by the local step size once more"),
    Deviation("server-gradient", "server", "the change is divided by the local step size"),
    Deviation("server-mean-gradient", "server", "the change is divided by the local step size and the number of steps"),
    Deviation("server-per-step", "server", "the change is divided by the number of local steps"),
    Deviation("server-minus", "server", "the server moves against the change: wrong sign of the pseudo-gradient"),
    Deviation("server-late", "server", "the change of a round is applied one round later"),
    Deviation("server-over-round", "server", "the server's step is divided by the number of the round"),
    Deviation("server-sign", "server", "the server follows the signs of the change only"),
    Deviation("server-unit", "server", "the change is divided by its norm"),
    Deviation(
        "server-clip",
        "server",
        "the averaged change is clipped to norm {}",
        number=FreeNumber((1.0, 5.0, 10.0), 1e-2, 1e3, log=True),
    ),
    Deviation(
        "server-decay",
        "server",
        "the server's step shrinks by {} each round",
        number=FreeNumber((0.9, 0.99, 0.5), 0.05, 1.1),
    ),
    Deviation(
        "server-momentum", "server", "the server has momentum {} besides", number=FreeNumber((0.9, 0.5), 0.0, 0.999)
    ),
    Deviation(
        "server-damped",
        "server",
        "the server goes along a moving average of changes, m <- {} m + (1 - {}) Delta from zero",
        number=FreeNumber((0.9, 0.5), 0.0, 0.999),
    ),
)
#: What a run may return instead of its models.
SHOWN = (
    Deviation(
        "shown-average",
        "shown",
        "what is returned is a moving average of the models, v <- {} v + (1 - {}) w from the first model",
        number=FreeNumber((0.9, 0.5, 0.99), 0.0, 0.999),
    ),
    Deviation("shown-mean", "shown", "what is returned is the mean of all models so far"),
    Deviation("shown-late", "shown", "what is returned after a round is the model that the round began with"),
)


def shown(h: ProbeRound, models: list[Floats], last: Floats) -> Floats:
    """What is returned after a round: its model (the last of ``models``), or what was made of it and of what was shown last."""
    share = h.number("shown-average")
    if share is not None:
        return share * last + (1 - share) * models[-1]
    if h.has("shown-mean"):
        mean: Floats = np.mean(models, axis=0)
        return mean
    return models[-2] if h.has("shown-late") else models[-1]


def server_rate(h: ProbeRound) -> float:
    """What multiplies the direction of the server."""
    rate, eta = float(h.value("server_step_size")), float(h.value("step_size"))
    factors = {
        "server-twice": rate * rate,
        "server-ignored": 1.0,
        "server-complement": 1 - rate,
        "server-inverse": 1 / rate,
        "server-on-average": 1 + rate,
        "server-cohort": rate / len(h.cohort),
        "server-clients": rate / h.probe.n_clients,
        "server-step": rate * eta,
        "server-gradient": rate / eta,
        "server-mean-gradient": rate / (eta * max(h.probe.local_steps)),
        "server-per-step": rate / max(h.probe.local_steps),
        "server-minus": -rate,
    }
    return next((factor for key, factor in factors.items() if h.has(key)), rate)


def stepped(h: ProbeRound, w: Vector, direction: Vector, state: dict[str, Vector]) -> Vector:
    """``w + eta_s direction``, or what was made of it."""
    if h.has("server-models"):
        return server_rate(h) * (w + direction)
    if h.has("server-late"):
        late = state.get("direction")
        state["direction"] = direction
        return w if late is None else w + server_rate(h) * late
    for key in ("server-momentum", "server-damped"):
        beta = h.number(key)
        if beta is not None:
            direction = direction if key == "server-momentum" else (1 - beta) * direction
            last = h.setting.memory.get("server")
            direction = h.setting.memory["server"] = direction if last is None else beta * last + direction
    return w + server_rate(h) * _bent(h, direction)


def _bent(h: ProbeRound, direction: Vector) -> Vector:
    """The direction, shortened or reduced to its signs."""
    size, factor = h.number("server-clip"), h.number("server-decay")
    if h.has("server-over-round"):
        factor = 1 / (h.round + 1)
    elif factor is not None:
        factor = factor**h.round
    if factor is not None:
        shorter: Vector = factor * direction
        return shorter
    if h.has("server-sign"):
        return h.decide(np.sign, direction)
    if size is None and not h.has("server-unit"):
        return direction

    def rule(values: Any) -> Any:
        norm = np.sqrt((values**2).sum(axis=-1, keepdims=True))
        return values * (
            1 / np.maximum(norm, 1e-300) if size is None else np.minimum(1, size / np.maximum(norm, 1e-300))
        )

    return h.decide(rule, direction)
