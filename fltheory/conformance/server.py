"""The server's step from the averaged change, with what its learning rate may be applied to by mistake."""

from __future__ import annotations

from fltheory.algorithms.vocabulary import Vector
from fltheory.conformance.words import Deviation, ProbeRound

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
)


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
    return w + server_rate(h) * direction
