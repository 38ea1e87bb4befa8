"""FedDyn (Acar et al. 2021) with gradient steps on the local problem."""

from __future__ import annotations

from typing import Any

from fltheory.algorithms.feddyn import FedDyn
from fltheory.algorithms.vocabulary import ClientVector
from fltheory.conformance.aggregation import change, remember, shares
from fltheory.conformance.families.fedavg import COMMON
from fltheory.conformance.family import WEIGHTS_EQUAL, AlgorithmFamily, Convention
from fltheory.conformance.local import descend
from fltheory.conformance.optimisers import BESIDE
from fltheory.conformance.server import stepped
from fltheory.conformance.words import Deviation, FreeNumber, ProbeRound, State

_FACTOR = FreeNumber((0.5, 2.0, 0.1, 10.0), 1e-3, 1e3, log=True)
DYN = (
    Deviation(
        "h-over-cohort", "server state", "the server's h is renewed by the mean over the cohort, not by the sum over N"
    ),
    Deviation("h-sum", "server state", "the server's h is renewed by the sum over the cohort, without 1/N"),
    Deviation("h-sign", "server state", "the server's h is renewed with the wrong sign: h + alpha mean(x_k - w)"),
    Deviation("h-replaced", "server state", "the server's h is the change of this round only"),
    Deviation("h-no-alpha", "server state", "alpha is missing where the server's h is renewed"),
    Deviation("h-never", "server state", "the server's h is never renewed (stays zero)"),
    Deviation(
        "h-models", "server state", "the server's h is renewed by mean(x_k) - w with 1/N on the sum of models only"
    ),
    Deviation("h-sum-minus-model", "server state", "the server's h is renewed by the sum of the models minus w once"),
    Deviation("h-cohort-of-states", "server state", "the server's h is the mean of the cohort's h_k"),
    Deviation("h-factor", "server state", "the change of the server's h is multiplied by {}", number=_FACTOR),
    Deviation("h-used-factor", "server model", "h/alpha is multiplied by {} in the server's model", number=_FACTOR),
    Deviation("hk-factor", "client state", "the change of the client's h_k is multiplied by {}", number=_FACTOR),
    Deviation("linear-factor", "linear term", "the linear term is multiplied by {}", number=_FACTOR),
    Deviation("dyn-prox-factor", "proximal term", "the proximal term is multiplied by {}", number=_FACTOR),
    *BESIDE,
    Deviation("h-plus", "server model", "the server adds h/alpha instead of subtracting it"),
    Deviation("h-not-used", "server model", "the server's model is the average: h/alpha is not subtracted"),
    Deviation("h-undivided", "server model", "h is subtracted without 1/alpha"),
    Deviation("h-multiplied", "server model", "h is multiplied by alpha instead of divided by it"),
    Deviation("h-late", "server model", "h/alpha is subtracted before h is renewed"),
    Deviation("hk-no-alpha", "client state", "alpha is missing where the client's h_k is renewed"),
    Deviation("hk-sign", "client state", "the client's h_k is renewed with the wrong sign: h_k + alpha (x_k - w)"),
    Deviation("hk-replaced", "client state", "the client's h_k is the change of this round only"),
    Deviation("hk-frozen", "client state", "the clients' h_k are never renewed"),
    Deviation("hk-half", "client state", "the client's h_k is renewed by alpha/2 (x_k - w)"),
    Deviation("hk-gradient", "client state", "the client's h_k is the gradient at its last model"),
    Deviation("hk-absent-zero", "client state", "the h_k of absent clients are set to zero"),
    Deviation("hk-new-model", "client state", "the client's h_k is renewed with the new average for w"),
    Deviation("hk-twice", "client state", "the client's h_k is renewed twice"),
    Deviation("linear-none", "linear term", "the linear term has no effect in the local steps"),
    Deviation("linear-sign", "linear term", "the linear term has the wrong sign: g + h_k"),
    Deviation("linear-alpha", "linear term", "the linear term is multiplied by alpha"),
    Deviation("linear-over-alpha", "linear term", "the linear term is divided by alpha"),
    Deviation("linear-server", "linear term", "the server's h stands in the local steps for h_k"),
    Deviation("linear-twice", "linear term", "the linear term is there twice"),
    Deviation("dyn-prox-none", "proximal term", "the proximal term has no effect in the local steps"),
    Deviation(
        "dyn-prox-double", "proximal term", "the proximal gradient is 2 alpha (x - w): the factor 1/2 is missing"
    ),
    Deviation("dyn-prox-half", "proximal term", "the proximal gradient is alpha/2 (x - w)"),
    Deviation("dyn-prox-sign", "proximal term", "the proximal term has the wrong sign"),
    Deviation("dyn-prox-decay", "proximal term", "the proximal term pulls to zero: alpha x"),
    Deviation("dyn-prox-linear", "proximal term", "of the proximal term the part -alpha w is there only"),
    Deviation("dyn-prox-previous", "proximal term", "the proximal term is around the previous local iterate"),
)
STATES = (
    Convention("", "h", "alpha is the same for all clients"),
    Convention("alpha-by-counts", "h", "each client has alpha divided by N n_k/n"),
)
MEANS = (
    Convention("", "means", "the server's h is averaged over clients like their models"),
    Convention(
        "h-other", "means", "the server's h is averaged with the other weights than models (equal, or by counts)"
    ),
)


def start(h: ProbeRound, w: Any) -> State:
    """The model and states of zero."""
    return remember(h, w) | {"h": h.fed.zero(), "hk": h.fed.zero_clients()}


def round(h: ProbeRound, state: State) -> State:
    """Local steps with both terms, states, model."""
    probe, alpha, w = h.probe, float(h.value("alpha")), state["w"]
    hk = state["hk"]
    anchor = h.fed.send(w)
    alphas = [alpha] * probe.n_clients
    if h.has("alpha-by-counts"):
        alphas = [alpha / (probe.n_clients * float(weight)) for weight in probe.weights]
    linear = _linear(h, state, alpha)
    last = [anchor]

    def extra(x: ClientVector, step: int) -> ClientVector:
        gap = x - anchor
        if h.has("dyn-prox-previous"):
            gap, last[0] = x - last[0], x
        if h.has("dyn-prox-decay"):
            gap = x
        if h.has("dyn-prox-linear"):
            gap = -anchor
        factors = {"dyn-prox-none": 0.0, "dyn-prox-double": 2.0, "dyn-prox-half": 0.5, "dyn-prox-sign": -1.0}
        factor = next((number for key, number in factors.items() if h.has(key)), h.number("dyn-prox-factor", 1.0))
        return h.times(gap, [factor * one for one in alphas]) - linear

    update, begin, x, fresh = change(h, state, lambda begin: descend(h, begin, extra))
    moved = x - begin
    fresh["h"] = _server(h, state, moved, x, update, alpha)
    fresh["w"] = _model(h, w, update, state["h"], fresh, alpha)
    sizes = [1.0] * probe.n_clients if h.has("hk-no-alpha") else alphas
    if h.has("hk-new-model"):
        moved = x - h.fed.send(fresh["w"])
    step = h.times(moved, sizes)
    new = hk - step
    if h.has("hk-sign"):
        new = hk + step
    elif h.has("hk-replaced"):
        new = -step
    elif h.has("hk-half"):
        new = hk - 0.5 * step
    elif h.has("hk-factor"):
        new = hk - h.number("hk-factor", 1.0) * step
    elif h.has("hk-gradient"):
        new = h.fed.gradient(x)
    elif h.has("hk-twice"):
        new = hk - 2.0 * step
    if not h.has("hk-frozen"):
        fresh["hk"] = h.kept(new, h.fed.zero_clients() if h.has("hk-absent-zero") else hk)
    if h.has("h-cohort-of-states"):
        given = shares(h)
        whole = sum(given[k] for k in h.cohort)
        fresh["h"] = h.total(new, [share / whole for share in given])
        fresh["w"] = _model(h, w, update, state["h"], fresh, alpha)
    return fresh


def _linear(h: ProbeRound, state: State, alpha: float) -> Any:
    """What is subtracted from the gradient."""
    linear = h.fed.send(state["h"]) if h.has("linear-server") else state["hk"]
    factors = {
        "linear-none": 0.0,
        "linear-sign": -1.0,
        "linear-alpha": alpha,
        "linear-over-alpha": 1 / alpha,
        "linear-twice": 2.0,
    }
    return next((number for key, number in factors.items() if h.has(key)), h.number("linear-factor", 1.0)) * linear


def _part(h: ProbeRound) -> list[float]:
    """Shares of all clients for ``h``."""
    probe = h.probe
    if h.has("uniform") != h.has("h-other"):
        return [1 / probe.n_clients] * probe.n_clients
    return [float(weight) for weight in probe.weights]


def _server(h: ProbeRound, state: State, moved: Any, x: Any, update: Any, alpha: float) -> Any:
    old, part = state["h"], _part(h)
    if h.has("h-never"):
        return old
    if h.has("h-over-cohort"):
        whole = sum(part[k] for k in h.cohort)
        return old - alpha * h.total(moved, [one / whole for one in part])
    if h.has("h-sum"):
        return old - alpha * h.total(moved)
    if h.has("h-sign"):
        return old + alpha * h.total(moved, part)
    if h.has("h-replaced"):
        return -alpha * h.total(moved, part)
    if h.has("h-no-alpha"):
        return old - h.total(moved, part)
    if h.has("h-models"):
        return old - alpha * (h.total(x, part) - state["w"])
    if h.has("h-sum-minus-model"):
        return old - (alpha / h.probe.n_clients) * (h.total(x) - state["w"])
    return old - alpha * h.number("h-factor", 1.0) * h.total(moved, part)


def _model(h: ProbeRound, w: Any, update: Any, old: Any, fresh: State, alpha: float) -> Any:
    factors = {"h-plus": -1 / alpha, "h-not-used": 0.0, "h-undivided": 1.0, "h-multiplied": alpha}
    factor = next((number for key, number in factors.items() if h.has(key)), h.number("h-used-factor", 1.0) / alpha)
    used = old if h.has("h-late") else fresh["h"]
    return stepped(h, w, update - factor * used, fresh)


def published(probe: Any) -> Any:
    """The package's."""
    return FedDyn(probe.local_steps[0], probe.values["step_size"], probe.values["alpha"])


FEDDYN = AlgorithmFamily(
    name="FedDyn",
    title="FedDyn (Acar et al. 2021)",
    values={"step_size": 0.04, "alpha": 0.8},
    needs=("step_size", "alpha"),
    neutral={"server_step_size": 1.0, "decay": 1.0},
    start=start,
    round=round,
    conventions=(*WEIGHTS_EQUAL, *STATES, *MEANS),
    deviations=(*DYN, *COMMON),
    published=published,
    unequal=True,
    own=DYN,
    aliases={"alpha": ("alpha_coef", "mu", "reg", "lam")},
)
