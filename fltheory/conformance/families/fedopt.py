"""FedAvgM (Hsu, Qi and Brown 2019): momentum of the server on the averaged change."""

from __future__ import annotations

from typing import Any

from fltheory.algorithms.fedopt import FedOpt
from fltheory.algorithms.optimisers import HeavyBall
from fltheory.conformance.aggregation import change, remember
from fltheory.conformance.families.fedavg import COMMON
from fltheory.conformance.family import WEIGHTS_BY_COUNTS, AlgorithmFamily, Convention
from fltheory.conformance.local import descend
from fltheory.conformance.server import server_rate, stepped
from fltheory.conformance.words import Deviation, FreeNumber, ProbeRound, State

MOMENTUM = (
    Deviation("m-none", "momentum rule", "momentum has no effect (it is zero again in each round): equals FedAvg"),
    Deviation(
        "m-models",
        "momentum rule",
        "momentum is on models instead of updates: w <- beta w + (1 - beta) times the average",
    ),
    Deviation(
        "m-models-kept",
        "momentum rule",
        "momentum is on models instead of updates: m <- beta m + (1 - beta) average from zero, w <- m",
    ),
    Deviation(
        "m-models-sum", "momentum rule", "momentum is on models instead of updates: m <- beta m + average, w <- m"
    ),
    Deviation(
        "m-mixed",
        "momentum rule",
        "nothing is remembered: the server's step is mixed with the old model, w <- beta w + (1 - beta)(w + eta_s Delta)",
        ("server_step_size",),
    ),
    Deviation(
        "m-initial",
        "momentum rule",
        "changes are taken from the first model of the run, and the server's step starts there: w_0 + eta_s m",
    ),
    Deviation(
        "m-initial-change",
        "momentum rule",
        "changes are taken from the first model of the run, not from the last: Delta = average - w_0",
    ),
    Deviation("m-swapped", "momentum rule", "the shares are swapped: m <- (1 - beta) m + beta Delta"),
    Deviation("m-minus", "momentum rule", "the momentum is subtracted: m <- Delta - beta m"),
    Deviation(
        "m-scaled", "momentum rule", "the change is multiplied by the local step size before it enters the momentum"
    ),
    Deviation(
        "m-rate-inside",
        "momentum rule",
        "momentum is that of the last steps without the server's learning rate on it: w + eta_s Delta + beta Delta_old",
        ("server_step_size",),
    ),
    Deviation("m-old", "momentum rule", "the model moves by the momentum before it is renewed: one round late"),
    Deviation("m-ema-of-last", "momentum rule", "momentum is beta times the last change only, not of all"),
    Deviation("m-twice", "momentum rule", "momentum is added twice: w + eta_s (Delta + beta m_new + beta m_old)"),
    Deviation("m-squared", "momentum rule", "beta is applied twice (squared)"),
    Deviation(
        "m-server-twice",
        "momentum rule",
        "the server's learning rate is inside the momentum and outside again",
        ("server_step_size",),
    ),
    Deviation(
        "m-clients", "momentum rule", "momentum is on the clients' local steps (zero each round), not on the server"
    ),
    Deviation(
        "m-clients-kept",
        "momentum rule",
        "momentum is on the clients' local steps, kept from round to round, not on the server",
    ),
    Deviation(
        "m-share",
        "momentum rule",
        "the change enters the momentum with {}",
        number=FreeNumber((0.1, 0.5), 1e-3, 10.0, log=True),
    ),
    Deviation(
        "m-onto", "momentum rule", "the momentum is added onto the average, not onto the old model: average + eta_s m"
    ),
    Deviation(
        "m-nesterov-share",
        "momentum rule",
        "the step is w + eta_s (Delta + {} m), with another coefficient than that of the memory",
        number=FreeNumber((0.9, 0.5), 1e-3, 1.5),
    ),
    Deviation("m-first-damped", "momentum rule", "the first change enters with 1, the later ones with 1 - beta"),
)
KINDS = (
    Convention("", "momentum", "heavy ball: m <- beta m + Delta"),
    Convention("m-damped", "momentum", "damped: m <- beta m + (1 - beta) Delta"),
    Convention("m-nesterov", "momentum", "Nesterov: w + eta_s (Delta + beta m)"),
    Convention("m-nesterov-damped", "momentum", "Nesterov, damped"),
)


def start(h: ProbeRound, w: Any) -> State:
    """The model and zero."""
    state = remember(h, w) | {"m": h.fed.zero()}
    if h.has("m-clients-kept"):
        state["buffers"] = h.fed.zero_clients()
    if h.one_of("m-initial", "m-initial-change"):
        state["w-initial"] = w
    return state


def round(h: ProbeRound, state: State) -> State:
    """FedAvg's change, the momentum, the server's step."""
    buffers: list[Any] = [state.get("buffers")]
    beta = float(h.value("momentum"))

    def work(begin: Any) -> Any:
        if h.has("m-clients"):
            return _heavy(h, begin, beta, h.times(begin, [0.0] * h.probe.n_clients))[0]
        if h.has("m-clients-kept"):
            x, buffers[0] = _heavy(h, begin, beta, buffers[0])
            return x
        return descend(h, begin)

    update, _, _, fresh = change(h, state, work)
    if h.has("m-clients-kept"):
        fresh["buffers"] = h.kept(buffers[0], state["buffers"])
    w, m = state["w"], state["m"]
    if "w-initial" in state:
        update = update + (w - state["w-initial"])
        w = state["w-initial"] if h.has("m-initial") else w
    direction, fresh["m"] = _direction(h, w, m, update, beta, float(h.value("step_size")))
    if h.one_of("m-models-kept", "m-models-sum", "m-models"):
        fresh["w"] = direction
        return fresh
    if h.has("m-rate-inside"):
        fresh["w"] = stepped(h, w, update, fresh) + beta * m
        return fresh
    if h.has("m-server-twice"):
        direction = server_rate(h) * direction
    fresh["w"] = stepped(h, w, direction, fresh)
    return fresh


def _heavy(h: ProbeRound, begin: Any, beta: float, buffer: Any) -> tuple[Any, Any]:
    """Local steps with momentum on buffers that are given."""
    x = begin
    steps = h.probe.local_steps
    for step in range(max(steps)):
        running = [float(step < count) for count in steps]
        buffer = h.times(beta * buffer + h.fed.gradient(x), running) + h.times(buffer, [1 - one for one in running])
        x = x - float(h.value("step_size")) * h.times(buffer, running)
    return x, buffer


def _direction(h: ProbeRound, w: Any, m: Any, update: Any, beta: float, eta: float) -> tuple[Any, Any]:
    """What the server's learning rate multiplies, and the new memory."""
    if h.one_of("m-none", "m-clients", "m-clients-kept"):
        return update, m
    if h.has("m-mixed"):
        return (1 - beta) * update, m
    if h.has("m-models"):
        return beta * w + (1 - beta) * (w + update), m
    if h.has("m-models-kept") or h.has("m-models-sum"):
        share = 1.0 if h.has("m-models-sum") else 1 - beta
        fresh = beta * m + share * (w + update)
        return fresh, fresh
    if h.has("m-rate-inside"):
        return update, update
    if h.has("m-ema-of-last"):
        return update + beta * m, update
    if h.has("m-old"):
        return m, beta * m + update
    share = 1.0
    if h.has("m-damped") or h.has("m-nesterov-damped"):
        share = 1 - beta
    if h.has("m-first-damped"):
        share = 1.0 if h.round == 0 else 1 - beta
    given = h.number("m-share")
    share = share if given is None else given
    if h.has("m-swapped"):
        fresh = (1 - beta) * m + beta * update
    elif h.has("m-minus"):
        fresh = share * update - beta * m
    elif h.has("m-scaled"):
        fresh = beta * m + share * eta * update
    elif h.has("m-squared"):
        fresh = beta**2 * m + share * update
    else:
        fresh = beta * m + share * update
    if h.has("m-onto"):
        return fresh + (1 / server_rate(h)) * update, fresh
    lead = h.number("m-nesterov-share")
    if lead is not None:
        return update + lead * fresh, fresh
    if h.has("m-twice"):
        return update + beta * fresh + beta * m, fresh
    if h.has("m-nesterov") or h.has("m-nesterov-damped"):
        return share * update + beta * fresh, fresh
    return fresh, fresh


def published(probe: Any) -> Any:
    """The package's."""
    values = probe.values
    server = HeavyBall(values["momentum"])
    return FedOpt(probe.local_steps[0], values["step_size"], values.get("server_step_size", 1), server=server)


FEDAVGM = AlgorithmFamily(
    name="FedAvgM",
    title="FedAvgM (Hsu, Qi and Brown 2019)",
    values={"step_size": 0.04, "server_step_size": 0.7, "momentum": 0.6, "decay": 0.8},
    needs=("step_size", "momentum"),
    neutral={"server_step_size": 1.0, "decay": 1.0},
    start=start,
    round=round,
    conventions=(*KINDS, *WEIGHTS_BY_COUNTS),
    deviations=(*MOMENTUM, *COMMON),
    published=published,
    unequal=True,
    own=MOMENTUM,
    aliases={"momentum": ("beta", "server_momentum", "mu", "gamma", "rho")},
)
