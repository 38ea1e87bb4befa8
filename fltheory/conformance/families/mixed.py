"""Parallel Training, 1-way and 2-way Gradient Transfer of mixed FL (Augenstein et al. 2022)."""

from __future__ import annotations

from typing import Any

from fltheory.algorithms.gradient_transfer import OneWayGradientTransfer, TwoWayGradientTransfer
from fltheory.algorithms.parallel_training import ParallelTraining
from fltheory.algorithms.vocabulary import ClientVector, Vector
from fltheory.conformance.aggregation import change, remember
from fltheory.conformance.families.fedavg import COMMON
from fltheory.conformance.family import WEIGHTS_BY_COUNTS, AlgorithmFamily, Convention
from fltheory.conformance.local import at_epoch, descend
from fltheory.conformance.optimisers import BESIDE
from fltheory.conformance.server import server_rate
from fltheory.conformance.words import Deviation, FreeNumber, ProbeRound, State

_MERGE_RATE = ("merge_step_size",)
PARALLEL = (
    Deviation("centre-off", "central run", "the central steps have no effect: equals FedAvg"),
    Deviation("centre-one", "central run", "one central step per round is made"),
    Deviation("centre-client-steps", "central run", "the central steps are as many as the clients' (for J)"),
    Deviation("centre-more", "central run", "one central step too many is made"),
    Deviation("centre-less", "central run", "one central step too few is made"),
    Deviation("centre-frozen", "central run", "all central gradients are taken at the model the round began with"),
    Deviation("centre-after", "central run", "central steps begin at the clients' average, not at the same model"),
    Deviation("centre-before", "central run", "clients begin at the end of the central steps, not at the same model"),
    Deviation("centre-client-rate", "central rate", "the central steps take the clients' step size"),
    Deviation(
        "centre-server-rate", "central rate", "the central update is multiplied by the server's learning rate as well"
    ),
    Deviation("centre-sign", "central rate", "the central update is subtracted"),
    Deviation("centre-over-N", "central rate", "the central update is divided by the number of clients"),
    Deviation("merge-ignored", "merge rate", "the merging rate has no effect", _MERGE_RATE),
    Deviation("merge-twice", "merge rate", "the merging rate is applied twice", _MERGE_RATE),
    Deviation("merge-clients", "merge rate", "the merging rate is applied to the clients' update only", _MERGE_RATE),
    Deviation("merge-centre", "merge rate", "the merging rate is applied to the central update only", _MERGE_RATE),
    Deviation("merge-convex", "merge rate", "the updates are mixed by eta_m and 1 - eta_m", _MERGE_RATE),
    Deviation(
        "server-both",
        "merge rate",
        "the server's learning rate is applied where the merging rate belongs, and twice on the clients' part",
    ),
)
ONE_WAY = (
    Deviation("gt-none", "transfer", "the central gradient has no effect: equals FedAvg"),
    Deviation("gt-fresh", "transfer", "the central gradient is taken at each local iterate, not once at w"),
    Deviation("gt-sign", "transfer", "the central gradient is subtracted from the clients'"),
    Deviation("gt-once", "transfer", "the central gradient is added in the first local step only"),
    Deviation("gt-epoch", "transfer", "the central gradient is added once per epoch"),
    Deviation(
        "gt-after",
        "transfer",
        "the central gradient is applied by the server, one step eta g_c, not in the local steps",
    ),
    Deviation("gt-unscaled", "transfer", "the central gradient is not multiplied by the step size"),
    Deviation("gt-late", "transfer", "the central gradient is that of the round before"),
    Deviation("gt-first", "transfer", "the central gradient is that of the very first model in all rounds"),
    Deviation("gt-by-weight", "transfer", "each client adds the central gradient times n_k/n"),
    Deviation("gt-over-N", "transfer", "the central gradient is divided by the number of clients"),
    Deviation("gt-over-cohort", "transfer", "the central gradient is divided by the size of the cohort"),
    Deviation("gt-over-steps", "transfer", "the central gradient is divided by the number of local steps"),
    Deviation(
        "gt-factor",
        "transfer",
        "the central gradient is multiplied by {}",
        number=FreeNumber((0.5, 2.0), 1e-3, 1e3, log=True),
    ),
    *BESIDE,
    Deviation("gt-averaged", "transfer", "client and central gradient are averaged, not added"),
)
TWO_WAY = (
    Deviation("two-no-to-clients", "to clients", "the central gradient is not transferred to the clients"),
    Deviation("two-no-to-centre", "to centre", "the clients' gradient is not transferred to the centre"),
    Deviation("two-clients-sign", "to clients", "the transferred central gradient has the wrong sign"),
    Deviation("two-centre-sign", "to centre", "the transferred clients' gradient has the wrong sign"),
    Deviation("two-swapped", "to clients", "the transferred gradients are swapped: each side gets its own"),
    Deviation("two-gtc-kept", "renewal of gt_c", "gt_f is not subtracted in the renewal of gt_c"),
    Deviation("two-gtf-kept", "renewal of gt_f", "gt_c is not subtracted in the renewal of gt_f"),
    Deviation("two-gtc-added", "renewal of gt_c", "gt_f is added in the renewal of gt_c"),
    Deviation("two-gtf-added", "renewal of gt_f", "gt_c is added in the renewal of gt_f"),
    Deviation("two-gtc-sum", "renewal of gt_c", "the renewal of gt_c does not divide by the number of central steps"),
    Deviation("two-gtf-sum", "renewal of gt_f", "the renewal of gt_f does not divide by the number of client steps"),
    Deviation("two-gtc-rate", "renewal of gt_c", "the renewal of gt_c does not divide by a step size"),
    Deviation("two-gtf-rate", "renewal of gt_f", "the renewal of gt_f does not divide by the step size"),
    Deviation("two-gtc-client-steps", "renewal of gt_c", "the renewal of gt_c divides by the clients' number of steps"),
    Deviation("two-gtf-central-rate", "renewal of gt_f", "the renewal of gt_f divides by the central step size"),
    Deviation(
        "two-gtf-server",
        "renewal of gt_f",
        "the renewal of gt_f takes the clients' update times the server's learning rate",
        ("server_step_size",),
    ),
    Deviation("two-gtf-epochs", "renewal of gt_f", "the renewal of gt_f divides by epochs, not by steps"),
    Deviation("two-gtf-new", "renewal of gt_f", "the renewal of gt_f subtracts the new gt_c"),
    Deviation("two-gtc-new", "renewal of gt_c", "the renewal of gt_c subtracts the new gt_f"),
    Deviation("two-gtc-sign", "renewal of gt_c", "the renewal of gt_c has the wrong sign on the update"),
    Deviation("two-gtf-sign", "renewal of gt_f", "the renewal of gt_f has the wrong sign on the update"),
    *BESIDE,
    Deviation("two-exact", "renewal of gt_c", "gt_c is the gradient at the new model, not the mean of the round's"),
)
MERGES = (
    Convention("", "merge", "the two updates are summed"),
    Convention("merge-average", "merge", "the two updates are averaged"),
)
RENEWALS = (
    Convention("", "divisor of gt_c", "gt_c divides by the clients' step size, as printed"),
    Convention("two-central-divisor", "divisor of gt_c", "gt_c divides by the central step size"),
    Convention("", "initial gradients", "gt_c and gt_f start at zero"),
    Convention("two-initial-gradients", "initial gradients", "gt_c and gt_f start as the gradients at the first model"),
)


def start(h: ProbeRound, w: Any) -> State:
    """The model."""
    return remember(h, w)


def start_one_way(h: ProbeRound, w: Any) -> State:
    """The model, and the central gradients of deviations."""
    return remember(h, w) | {"gt": h.fed.centre.gradient(w)}


def start_two_way(h: ProbeRound, w: Any) -> State:
    """The model and what is transferred at first."""
    gc, gf = h.fed.zero(), h.fed.zero()
    if h.has("two-initial-gradients"):
        share = [1 / h.probe.n_clients] * h.probe.n_clients if h.has("uniform") else list(h.probe.weights)
        gc, gf = h.fed.centre.gradient(w), h.everyone(h.fed.gradient(h.fed.send(w)), share)
    return remember(h, w) | {"gc": gc, "gf": gf}


def _central(h: ProbeRound, w: Vector, shift: Vector | None) -> Vector:
    """The end of the central steps from ``w``."""
    steps, eta = int(h.value("central_steps")), float(h.value("central_step_size"))
    if h.has("centre-client-rate"):
        eta = float(h.value("step_size"))
    if h.has("centre-off"):
        steps = 0
    if h.has("centre-one"):
        steps = 1
    if h.has("centre-client-steps"):
        steps = max(h.probe.local_steps)
    steps += int(h.has("centre-more")) - int(h.has("centre-less"))
    y = w
    for _ in range(steps):
        direction = h.fed.centre.gradient(w if h.has("centre-frozen") else y)
        y = y - eta * (direction if shift is None else direction + shift)
    return y


def _merged(h: ProbeRound, w: Vector, of_centre: Vector, of_clients: Vector) -> Vector:
    """The new model."""
    rate, eta = float(h.value("merge_step_size")), server_rate(h)
    for key, factor in (("centre-server-rate", float(h.value("server_step_size"))), ("centre-sign", -1.0)):
        if h.has(key):
            of_centre = factor * of_centre
    if h.has("centre-over-N"):
        of_centre = (1 / h.probe.n_clients) * of_centre
    if h.has("server-models"):
        return eta * (w + of_centre + of_clients)
    both = (rate, rate)
    if h.has("merge-ignored"):
        both = (1.0, 1.0)
    elif h.has("merge-twice"):
        both = (rate * rate, rate * rate)
    elif h.has("merge-clients"):
        both = (1.0, rate)
    elif h.has("merge-centre"):
        both = (rate, 1.0)
    elif h.has("merge-convex"):
        both = (1 - rate, rate)
    elif h.has("server-both"):
        both = (eta, eta)
    if h.has("merge-average"):
        both = (both[0] / 2, both[1] / 2)
    return w + both[0] * of_centre + both[1] * (eta * of_clients)


def parallel(h: ProbeRound, state: State) -> State:
    """Both sides from the same model, merged."""
    w = state["w"]
    if h.has("centre-before"):
        y = _central(h, w, None)
        update, _, _, fresh = change(h, {**state, "w": y}, lambda begin: descend(h, begin))
        fresh["w"] = _merged(h, w, y - w, update)
        return fresh
    update, _, _, fresh = change(h, state, lambda begin: descend(h, begin))
    if h.has("centre-after"):
        middle = w + update
        fresh["w"] = _merged(h, w, _central(h, middle, None) - middle, update)
        return fresh
    fresh["w"] = _merged(h, w, _central(h, w, None) - w, update)
    return fresh


def one_way(h: ProbeRound, state: State) -> State:
    """Local steps with the central gradient."""
    w, eta = state["w"], float(h.value("step_size"))
    gradient = h.fed.centre.gradient(w)
    if h.has("gt-late") or h.has("gt-first"):
        shown = state["gt"]
    else:
        shown = gradient
    factors = {
        "gt-none": 0.0,
        "gt-after": 0.0,
        "gt-sign": -1.0,
        "gt-unscaled": 1 / eta,
        "gt-over-N": 1 / h.probe.n_clients,
        "gt-over-cohort": 1 / len(h.cohort),
    }
    shift = next((number for key, number in factors.items() if h.has(key)), h.number("gt-factor", 1.0)) * h.fed.send(
        shown
    )

    def extra(x: ClientVector, step: int) -> ClientVector:
        if h.has("gt-fresh"):
            found = h.times(x, [0.0] * h.probe.n_clients)
            for client in h.cohort:
                own = h.fed.centre.gradient(h.total(x, h.only(client)))
                found = found + h.times(h.fed.send(own), h.only(client))
            return found
        if h.has("gt-once"):
            return float(step == 0) * shift
        if h.has("gt-epoch"):
            return h.times(shift, at_epoch(h, step, end=True))
        if h.has("gt-by-weight"):
            return h.times(shift, list(h.probe.weights))
        if h.has("gt-over-steps"):
            return h.times(shift, [1 / count for count in h.probe.local_steps])
        if h.has("gt-averaged"):
            return 0.5 * (shift - h.fed.gradient(x))
        return shift

    update, _, _, fresh = change(h, state, lambda begin: descend(h, begin, extra))
    fresh["gt"] = state["gt"] if h.has("gt-first") else gradient
    rate = server_rate(h)
    fresh["w"] = rate * (w + update) if h.has("server-models") else w + rate * update
    if h.has("gt-after"):
        fresh["w"] = fresh["w"] - eta * gradient
    return fresh


def two_way(h: ProbeRound, state: State) -> State:
    """Parallel Training with both transfers, and their renewal."""
    w, gc, gf = state["w"], state["gc"], state["gf"]
    to_clients, to_centre = (gf, gc) if h.has("two-swapped") else (gc, gf)
    for key, factor in (("two-no-to-clients", 0.0), ("two-clients-sign", -1.0)):
        to_clients = factor * to_clients if h.has(key) else to_clients
    for key, factor in (("two-no-to-centre", 0.0), ("two-centre-sign", -1.0)):
        to_centre = factor * to_centre if h.has(key) else to_centre
    moved = _central(h, w, to_centre) - w
    shift = h.fed.send(to_clients)
    update, _, _, fresh = change(h, state, lambda begin: descend(h, begin, lambda x, step: shift))
    fresh["w"] = _merged(h, w, moved, update)
    eta, central = float(h.value("step_size")), float(h.value("central_step_size"))
    steps, own = float(h.probe.local_steps[0]), float(h.value("central_steps"))
    of_centre = own * (central if h.has("two-central-divisor") else eta)
    divisors = {
        "two-gtc-sum": of_centre / own,
        "two-gtc-rate": own,
        "two-gtc-client-steps": of_centre / own * steps,
        "two-gtc-sign": -of_centre,
    }
    mean_centre = (-1 / next((number for key, number in divisors.items() if h.has(key)), of_centre)) * moved
    divisors = {
        "two-gtf-sum": eta,
        "two-gtf-rate": steps,
        "two-gtf-central-rate": central * steps,
        "two-gtf-epochs": eta * h.probe.epochs,
        "two-gtf-server": eta * steps / float(h.value("server_step_size")),
        "two-gtf-sign": -eta * steps,
    }
    mean_clients = (-1 / next((number for key, number in divisors.items() if h.has(key)), eta * steps)) * update
    minus_f = next((number for key, number in (("two-gtc-kept", 0.0), ("two-gtc-added", -1.0)) if h.has(key)), 1.0)
    minus_c = next((number for key, number in (("two-gtf-kept", 0.0), ("two-gtf-added", -1.0)) if h.has(key)), 1.0)
    new_c, new_f = mean_centre - minus_f * gf, mean_clients - minus_c * gc
    if h.has("two-gtf-new"):
        new_f = mean_clients - new_c
    if h.has("two-gtc-new"):
        new_c = mean_centre - new_f
    if h.has("two-exact"):
        new_c = h.fed.centre.gradient(fresh["w"])
    fresh["gc"], fresh["gf"] = new_c, new_f
    return fresh


_RATES = {
    "step_size": 0.035,
    "central_step_size": 0.06,
    "server_step_size": 0.7,
    "merge_step_size": 0.8,
    "central_steps": 4,
}
_NEUTRAL = {"server_step_size": 1.0, "merge_step_size": 1.0, "central_steps": 6, "decay": 1.0}
#: What is Parallel Training's alone is left out.
_BOTH = tuple(one for one in PARALLEL if one.key not in ("centre-after", "centre-before"))
#: Steps of the server that are for a server without a centre.
_STEPPED = ("late", "over-round", "sign", "unit", "clip", "decay", "momentum", "damped")
_WITHOUT = tuple(one for one in COMMON if one.key not in [f"server-{word}" for word in _STEPPED])


def _published_parallel(probe: Any) -> Any:
    v = probe.values
    own = probe.local_steps if probe.unequal else None
    return ParallelTraining(
        max(probe.local_steps),
        v["step_size"],
        v["central_step_size"],
        v["server_step_size"],
        v["merge_step_size"],
        v["central_steps"],
        client_steps=own,
        client_weights="problem",
    )


def _published_one_way(probe: Any) -> Any:
    own = probe.local_steps if probe.unequal else None
    values = probe.values
    return OneWayGradientTransfer(
        max(probe.local_steps),
        values["step_size"],
        values["server_step_size"],
        client_steps=own,
        client_weights="problem",
    )


def _published_two_way(probe: Any) -> Any:
    v = probe.values
    return TwoWayGradientTransfer(
        probe.local_steps[0],
        v["step_size"],
        v["central_step_size"],
        v["server_step_size"],
        v["merge_step_size"],
        v["central_steps"],
    )


PARALLEL_TRAINING = AlgorithmFamily(
    name="ParallelTraining",
    title="Parallel Training (Augenstein et al. 2022)",
    values=_RATES,
    needs=("step_size", "central_step_size"),
    neutral=_NEUTRAL,
    start=start,
    round=parallel,
    conventions=(*WEIGHTS_BY_COUNTS, *MERGES),
    deviations=(*PARALLEL, *_WITHOUT),
    published=_published_parallel,
    centre=True,
    own=PARALLEL,
    unequal=True,
)
ONE_WAY_TRANSFER = AlgorithmFamily(
    name="OneWayGradientTransfer",
    title="1-way Gradient Transfer (Augenstein et al. 2022)",
    values={"step_size": 0.035, "server_step_size": 0.7},
    needs=("step_size",),
    neutral={"server_step_size": 1.0, "decay": 1.0},
    start=start_one_way,
    round=one_way,
    conventions=WEIGHTS_BY_COUNTS,
    deviations=(*ONE_WAY, *_WITHOUT),
    published=_published_one_way,
    centre=True,
    own=ONE_WAY,
    unequal=True,
)
TWO_WAY_TRANSFER = AlgorithmFamily(
    name="TwoWayGradientTransfer",
    title="2-way Gradient Transfer (Augenstein et al. 2022)",
    values=_RATES,
    needs=("step_size", "central_step_size"),
    neutral=_NEUTRAL,
    start=start_two_way,
    round=two_way,
    conventions=(*WEIGHTS_BY_COUNTS, *MERGES, *RENEWALS),
    deviations=(*TWO_WAY, *_BOTH, *_WITHOUT),
    published=_published_two_way,
    centre=True,
    own=(*TWO_WAY, *_BOTH),
)
