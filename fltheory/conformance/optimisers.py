"""What clients may do to a gradient before they step: momentum, Adam and its kin, clipping, weight decay."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from fltheory.algorithms.vocabulary import ClientVector
from fltheory.conformance.probes import LAYERS
from fltheory.conformance.words import Deviation, FreeNumber, ProbeRound

_BETA = FreeNumber((0.9, 0.5), 0.0, 0.999)
_SMALL = FreeNumber((1e-4, 5e-4, 1e-3, 1e-2), 1e-10, 10.0, log=True)
_SIZE = FreeNumber((1.0, 5.0, 10.0), 1e-2, 1e3, log=True)
#: Momentum on the gradient alone: what is added to it (a control variate, a proximal term) is outside.
OUTSIDE = Deviation(
    "outside-momentum",
    "momentum",
    "local steps have momentum {} on the gradient, with what is added to it outside",
    number=_BETA,
)
#: For algorithms that add something to the gradient.
BESIDE = (
    OUTSIDE,
    Deviation("clip-bare", "clip", "gradients are clipped to norm {} before anything is added to them", number=_SIZE),
)
_HEAVY = ("local-momentum", "kept-momentum", "nesterov-momentum", "damped-momentum", OUTSIDE.key)
_ADAPTIVE = {
    "local-adam": "local steps are Adam's (0.9, 0.999, 1e-8)",
    "kept-adam": "local steps are Adam's (0.9, 0.999, 1e-8), with moments that are kept from round to round",
    "local-rmsprop": "local steps are RMSProp's (0.99, 1e-8)",
    "local-adagrad": "local steps are Adagrad's (1e-10)",
}
OPTIMISERS = (
    Deviation("local-momentum", "momentum", "local steps have momentum {} (set to zero each round)", number=_BETA),
    Deviation("kept-momentum", "momentum", "local steps have momentum {}, kept from round to round", number=_BETA),
    Deviation(
        "nesterov-momentum", "momentum", "local steps have Nesterov momentum {} (set to zero each round)", number=_BETA
    ),
    Deviation(
        "damped-momentum",
        "momentum",
        "local steps go along a moving average of gradients, m <- {} m + (1 - {}) g from zero in each round",
        number=_BETA,
    ),
    Deviation(
        "client-momentum", "momentum", "local steps have the momentum parameter (set to zero each round)", ("momentum",)
    ),
    *(Deviation(key, "momentum", words) for key, words in _ADAPTIVE.items()),
    Deviation("weight-decay", "decay", "local steps have weight decay {}", number=_SMALL),
    Deviation(
        "weight-decay-bare", "decay", "local steps have weight decay {} on all but the last layer", number=_SMALL
    ),
    Deviation("l1", "decay", "the local loss has {} times the sum of absolute values of the model", number=_SMALL),
    Deviation("decay-after", "decay", "models shrink by {} once per round, after the local steps", number=_SMALL),
    Deviation("clip", "clip", "local gradients are clipped to norm {}", number=_SIZE),
    Deviation(
        "clip-torch", "clip", "local gradients are clipped to norm {}, with 1e-6 added to their norm", number=_SIZE
    ),
    Deviation("clip-layers", "clip", "local gradients are clipped to norm {}, layer by layer", number=_SIZE),
    Deviation("clip-value", "clip", "local gradients are clipped to {}, number by number", number=_SIZE),
    Deviation("clip-update", "clip", "a client's change of the model is clipped to norm {}", number=_SIZE),
    Deviation("sign-steps", "clip", "local steps follow the signs of the gradient only"),
    Deviation("unit-steps", "clip", "local gradients are divided by their norm"),
    Deviation("unit-layers", "clip", "local gradients are divided by their norm, layer by layer"),
)


def decayed(h: ProbeRound, x: ClientVector, direction: ClientVector) -> ClientVector:
    """The direction with what weight decay adds to it."""
    weight = h.number("weight-decay")
    if weight is not None:
        direction = direction + weight * x
    weight = h.number("weight-decay-bare")
    if weight is not None:
        mask = [float(name != LAYERS.names[-1]) for name in LAYERS.names]
        direction = direction + weight * h.fed.scale(mask, x)
    weight = h.number("l1")
    return direction if weight is None else direction + weight * h.decide(np.sign, x)


def clipped(h: ProbeRound, direction: ClientVector) -> ClientVector:
    """The direction, shortened."""
    rules: dict[str, Callable[[float], Callable[..., Any]]] = {
        "clip": _clip,
        "clip-torch": lambda size: _clip(size, 1e-6),
        "clip-layers": lambda size: _by_layers(_clip(size)),
        "clip-value": lambda size: lambda values: np.clip(values, -size, size),
    }
    for key, rule in rules.items():
        size = h.number(key)
        if size is not None:
            return h.decide(rule(size), direction)
    for key, plain in (("sign-steps", np.sign), ("unit-steps", _unit), ("unit-layers", _by_layers(_unit))):
        if h.has(key):
            return h.decide(plain, direction)
    return direction


def bare(h: ProbeRound, gradient: ClientVector) -> ClientVector:
    """The gradient before anything is added to it."""
    size = h.number("clip-bare")
    return gradient if size is None else h.decide(_clip(size), gradient)


def returned(h: ProbeRound, begin: ClientVector, x: ClientVector) -> ClientVector:
    """What a client makes of its model after its local steps."""
    weight = h.number("decay-after")
    if weight is not None:
        x = (1 - weight) * x
    size = h.number("clip-update")
    return x if size is None else begin + h.decide(_clip(size), x - begin)


def _clip(size: float, more: float = 1e-300) -> Callable[..., Any]:
    """Vectors of norm above ``size`` shortened to it; ``more`` is what some libraries add to the norm."""

    def rule(values: Any) -> Any:
        norms = np.sqrt((values**2).sum(axis=-1, keepdims=True))
        return values * np.minimum(1.0, size / (norms + more))

    return rule


def _unit(values: Any) -> Any:
    return values / np.maximum(np.sqrt((values**2).sum(axis=-1, keepdims=True)), 1e-300)


def _by_layers(rule: Callable[..., Any]) -> Callable[..., Any]:
    cut = LAYERS.sizes[0]
    return lambda values: np.concatenate([rule(values[..., :cut]), rule(values[..., cut:])], axis=-1)


class Momentum:
    """Momentum of the clients, new in each round or kept; ``numbers`` are the clients' numbers of steps."""

    def __init__(self, h: ProbeRound, key: str, beta: float, numbers: Sequence[int]) -> None:
        self.h, self.key, self.beta, self.numbers = h, key, beta, numbers
        self.old: Any = h.setting.memory.get("buffers") if key == "kept-momentum" else None
        self.m: Any = self.old

    def __call__(self, direction: ClientVector, step: int) -> Any:
        beta, m = self.beta, self.m
        entering = (1 - beta) * direction if self.key == "damped-momentum" else direction
        fresh = entering if m is None else beta * m + entering
        running = [float(step < count) for count in self.numbers]
        if m is not None and not all(running):
            fresh = self.h.times(fresh, running) + self.h.times(m, [1 - one for one in running])
        self.m = fresh
        return direction + beta * fresh if self.key == "nesterov-momentum" else fresh

    def close(self) -> None:
        """After the last step of a round."""
        if self.key == "kept-momentum":
            old = self.h.fed.zero_clients() if self.old is None else self.old
            self.h.setting.memory["buffers"] = self.h.kept(self.m, old)


class AdaptiveSteps:
    """Adam, RMSProp or Adagrad of the clients, new in each round or kept."""

    def __init__(self, h: ProbeRound, key: str, numbers: Sequence[int]) -> None:
        self.h, self.key, self.numbers = h, key, numbers
        zero = h.fed.zero_clients()
        kept = h.setting.memory.get("moments") if key == "kept-adam" else None
        self.old = kept or (zero, zero, [0] * h.probe.n_clients)
        self.m: Any = self.old[0]
        self.v: Any = self.old[1]
        self.before: list[int] = self.old[2]

    def __call__(self, direction: ClientVector, step: int) -> Any:
        h = self.h
        square = h.decide(np.square, direction)
        if self.key == "local-rmsprop":
            self.v = 0.99 * self.v + 0.01 * square
            return h.decide(lambda g, v: g / (np.sqrt(v) + 1e-8), direction, self.v)
        if self.key == "local-adagrad":
            self.v = self.v + square
            return h.decide(lambda g, v: g / (np.sqrt(v) + 1e-10), direction, self.v)
        m, v = 0.9 * self.m + 0.1 * direction, 0.999 * self.v + 0.001 * square
        running = [float(step < count) for count in self.numbers]
        if not all(running):
            rest = [1 - one for one in running]
            m = h.times(m, running) + h.times(self.m, rest)
            v = h.times(v, running) + h.times(self.v, rest)
        self.m, self.v = m, v
        calls = [count + step + 1 for count in self.before]
        one, two = ([1 / (1 - beta**call) for call in calls] for beta in (0.9, 0.999))
        return h.decide(lambda a, b: a / (np.sqrt(b) + 1e-8), h.times(m, one), h.times(v, two))

    def close(self) -> None:
        """After the last step of a round."""
        if self.key != "kept-adam":
            return
        m, v, before = self.old
        counts = [count + (self.numbers[k] if k in self.h.cohort else 0) for k, count in enumerate(before)]
        self.h.setting.memory["moments"] = (self.h.kept(self.m, m), self.h.kept(self.v, v), counts)


def optimiser_of(h: ProbeRound, numbers: Sequence[int]) -> Momentum | AdaptiveSteps | None:
    """What the clients' optimiser is, if it is not plain descent."""
    for key in _HEAVY:
        beta = h.number(key)
        if beta is not None:
            return Momentum(h, key, beta, numbers)
    if h.has("client-momentum"):
        return Momentum(h, "local-momentum", float(h.value("momentum")), numbers)
    adaptive = h.one_of(*_ADAPTIVE)
    return None if adaptive is None else AdaptiveSteps(h, adaptive, numbers)
