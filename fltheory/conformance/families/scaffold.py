"""SCAFFOLD (Karimireddy et al. 2020), options I and II."""

from __future__ import annotations

from typing import Any

from fltheory.algorithms.scaffold import Scaffold
from fltheory.algorithms.vocabulary import ClientVector, Vector
from fltheory.conformance.aggregation import averaging, change, remember
from fltheory.conformance.families.fedavg import COMMON
from fltheory.conformance.family import WEIGHTS_EQUAL, AlgorithmFamily, Convention
from fltheory.conformance.local import at_epoch, descend
from fltheory.conformance.optimisers import BESIDE
from fltheory.conformance.rates import rate
from fltheory.conformance.server import stepped
from fltheory.conformance.words import Deviation, FreeNumber, ProbeRound, State

_FACTOR = FreeNumber((0.5, 2.0, 0.1, 10.0), 1e-3, 1e3, log=True)
_SHARE = FreeNumber((0.5, 0.9), 0.0, 0.999)
CONTROLS = (
    Deviation("c-over-cohort", "server control", "the server's control change is divided by the cohort, not by N"),
    Deviation("c-sum", "server control", "the server's control change is summed, not divided by N"),
    Deviation(
        "c-cohort-mean",
        "server control",
        "the server's control is the mean of the cohort's new controls, not an update by their change",
    ),
    Deviation(
        "c-cohort-sum",
        "server control",
        "the server's control is the sum of the cohort's new controls over N: absent clients count as zero",
    ),
    Deviation(
        "c-adds-controls",
        "server control",
        "the cohort's new controls are added to the server's, not their changes (over N)",
    ),
    Deviation(
        "c-adds-controls-cohort",
        "server control",
        "the mean of the cohort's new controls is added to the server's, not their changes",
    ),
    Deviation("c-never", "server control", "the server's control is never renewed"),
    Deviation("c-minus", "server control", "the change of the controls is subtracted from the server's"),
    Deviation("c-twice", "server control", "the change of the controls is added to the server's twice"),
    Deviation(
        "c-share", "server control", "the server's control change is the mean over the cohort times |S|/N once more"
    ),
    Deviation(
        "c-server-rate",
        "server control",
        "the server's control change is multiplied by the server's learning rate",
        ("server_step_size",),
    ),
    Deviation("c-replaced", "server control", "the server's control is replaced by the change of the controls over N"),
    Deviation(
        "c-replaced-cohort", "server control", "the server's control is replaced by the mean change of the controls"
    ),
    Deviation(
        "c-late", "server control", "the server's control is that of the round before: it arrives one round late"
    ),
    Deviation(
        "c-at-once",
        "server control",
        "the server's control is renewed after each client: those that train later in the round see another one",
    ),
    Deviation("c-factor", "server control", "the server's control change is multiplied by {}", number=_FACTOR),
    Deviation(
        "c-average",
        "server control",
        "the server's control is a moving average: c <- {} c + the rest of the new one",
        number=_SHARE,
    ),
    Deviation(
        "ck-factor",
        "client control",
        "the change of the model is multiplied by {} in the client's control",
        number=_FACTOR,
    ),
    Deviation(
        "ck-average",
        "client control",
        "the client's control is a moving average: c_k <- {} c_k + the rest of the new one",
        number=_SHARE,
    ),
    Deviation("ck-no-c", "client control", "the client's control lacks -c: c_k + (w - x_k)/(K eta)"),
    Deviation("ck-no-ck", "client control", "the client's control lacks c_k: -c + (w - x_k)/(K eta)"),
    Deviation("ck-plain", "client control", "the client's control is (w - x_k)/(K eta), without c_k - c"),
    Deviation("ck-plus-c", "client control", "the client's control has +c for -c"),
    Deviation("ck-new-c", "client control", "the client's control is renewed with the server's new control"),
    Deviation("ck-sign", "client control", "the client's control has (x_k - w) for (w - x_k)"),
    Deviation("ck-signs", "client control", "the client's control is turned: c - c_k + (w - x_k)/(K eta)"),
    Deviation("ck-eta", "divisor", "the client's control divides by the step size only, not by the number of steps"),
    Deviation("ck-steps", "divisor", "the client's control divides by the number of steps only, not by the step size"),
    Deviation("ck-undivided", "divisor", "the client's control does not divide the change of the model"),
    Deviation(
        "ck-epochs", "divisor", "the client's control takes epochs for steps: it divides by epochs times the step size"
    ),
    Deviation("ck-only-epochs", "divisor", "the client's control divides by the number of epochs only"),
    Deviation(
        "ck-batches",
        "divisor",
        "the client's control takes batches for steps: it divides by batches times the step size",
    ),
    Deviation("ck-multiplied", "divisor", "the client's control multiplies by the step size instead of dividing by it"),
    Deviation(
        "ck-most", "divisor", "the client's control divides by the largest number of steps, not by the client's own"
    ),
    Deviation(
        "ck-running-steps",
        "divisor",
        "the client's control divides by all of the client's steps so far: they are not counted anew in each round",
    ),
    Deviation("ck-one-more", "divisor", "the client's control divides by K + 1 steps"),
    Deviation("ck-one-less", "divisor", "the client's control divides by K - 1 steps"),
    Deviation(
        "ck-server-rate",
        "divisor",
        "the client's control divides by the server's learning rate as well",
        ("server_step_size",),
    ),
    Deviation(
        "ck-server-for-local",
        "divisor",
        "the client's control divides by the server's learning rate for the local step size",
        ("server_step_size",),
    ),
    Deviation("ck-forgotten", "kept", "clients' controls are not kept: they are zero at the start of each round"),
    Deviation("ck-frozen", "kept", "clients' controls are never renewed"),
    Deviation("ck-shared", "kept", "all clients share one control: each overwrites that of the one before"),
    Deviation("ck-absent-zero", "kept", "the controls of absent clients are set to zero"),
    Deviation("ck-reset-to-c", "kept", "clients begin each round with the server's control as their own"),
    Deviation(
        "ck-from-average", "point", "the client's control is renewed with the new average for the client's model"
    ),
    Deviation(
        "ck-shift",
        "point",
        "one correction c_k - c is kept per client and renewed by the cohort's average, (average - x_k)/(K eta): right only "
        "if all take part",
    ),
    Deviation("ck-gradient-end", "point", "option I takes the gradient at the client's last iterate, not at w"),
    Deviation("ck-gradient-average", "point", "option I takes the gradient at the averaged model"),
    Deviation("controls-model", "initial", "all controls start as copies of the first model, not at zero"),
    Deviation("c-model", "initial", "the server's control starts as a copy of the first model, not at zero"),
    Deviation("ck-model", "initial", "the clients' controls start as copies of the first model, not at zero"),
    Deviation("controls-gradients", "initial", "controls start as the gradients at the first model, not at zero"),
    Deviation("correct-sign", "correction", "the correction has the wrong sign: g + c_k - c"),
    Deviation("correct-only-ck", "correction", "the correction lacks the server's control: g - c_k"),
    Deviation("correct-only-c", "correction", "the correction lacks the client's control: g + c"),
    Deviation("correct-plus", "correction", "the correction adds both controls: g + c + c_k"),
    Deviation("correct-none", "correction", "the control variates are not used in the local steps: equals FedAvg"),
    Deviation(
        "correct-unscaled", "correction", "the correction is not multiplied by the step size: x - eta g - (c - c_k)"
    ),
    Deviation("correct-twice", "correction", "the correction is applied twice in each step"),
    Deviation("correct-once", "correction", "the correction is applied once per round, after the local steps"),
    Deviation("correct-epoch", "correction", "the correction is applied once per epoch"),
    Deviation(
        "correct-server-rate",
        "correction",
        "the correction is multiplied by the server's learning rate once more",
        ("server_step_size",),
    ),
    Deviation("correct-factor", "correction", "the correction is multiplied by {}", number=_FACTOR),
    Deviation("correct-first-step", "correction", "the correction is applied in the first local step only"),
    Deviation("correct-weight-layer", "correction", "the correction leaves the last layer out"),
    *BESIDE,
    Deviation("correct-over-steps", "correction", "the correction is divided by the number of local steps"),
)
OPTIONS = (
    Convention("", "option", "option II"),
    Convention("option-I", "option", "option I"),
)
CONTROL_MEANS = (
    Convention("", "control", "controls of clients are averaged like their models"),
    Convention(
        "control-other",
        "control",
        "controls of clients are averaged with the other weights than their models (equal, or by counts)",
    ),
)


def start(h: ProbeRound, w: Any) -> State:
    """The model and controls of zero."""
    c, ck = h.fed.zero(), h.fed.zero_clients()
    if h.has("controls-model") or h.has("c-model"):
        c = w
    if h.has("controls-model") or h.has("ck-model"):
        ck = h.fed.send(w)
    if h.has("controls-gradients"):
        ck = h.fed.gradient(h.fed.send(w))
        equal = h.has("uniform") != h.has("control-other")
        c = h.everyone(ck, [1 / h.probe.n_clients] * h.probe.n_clients if equal else list(h.probe.weights))
    return remember(h, w) | {"c": c, "ck": ck, "c-late": c}


def round(h: ProbeRound, state: State) -> State:
    """Corrected local steps, new controls, average."""
    c, ck = state["c-late" if h.has("c-late") else "c"], state["ck"]
    sent = h.fed.send(c)
    if h.has("ck-forgotten"):
        ck = h.fed.zero_clients()
    if h.has("ck-reset-to-c"):
        ck = _everywhere(h, ck, sent)
    shift = _correction(h, sent, ck)

    def extra(x: ClientVector, step: int) -> ClientVector:
        if h.has("correct-unscaled"):
            return (1 / rate(h, step)) * shift
        if h.has("correct-epoch"):
            return h.times(shift, at_epoch(h, step, end=True))
        if h.has("correct-first-step"):
            return float(step == 0) * shift
        return shift

    def work(begin: ClientVector) -> ClientVector:
        if h.has("correct-once"):
            return descend(h, begin) - rate(h, 0) * shift
        return descend(h, begin, None if h.has("correct-none") else extra)

    if h.has("ck-shared"):
        return _shared(h, state, c)
    if h.has("c-at-once"):
        return _at_once(h, state)
    update, begin, x, fresh = change(h, state, work)
    fresh["w"] = stepped(h, state["w"], update, fresh)
    if h.has("ck-new-c"):
        new = _renewed(h, sent, ck, begin, x, fresh["w"], plain=True)
        new = new - h.fed.send(_server(h, c, new, ck))
    else:
        new = _renewed(h, sent, ck, begin, x, fresh["w"])
    fresh["c"], fresh["c-late"] = _server(h, state["c"], new, ck), state["c"]
    if h.has("ck-shift"):
        fresh["c"] = state["c"]
    if not h.has("ck-frozen"):
        old = h.fed.zero_clients() if h.has("ck-absent-zero") else state["ck"]
        fresh["ck"] = h.kept(new, old)
    return fresh


def _everywhere(h: ProbeRound, ck: ClientVector, sent: ClientVector) -> ClientVector:
    return h.kept(sent, ck)


def _correction(h: ProbeRound, sent: ClientVector, ck: ClientVector) -> ClientVector:
    """``c - c_k``, or what was made of it."""
    gap = sent - ck
    if h.has("correct-sign"):
        return -gap
    if h.has("correct-only-ck"):
        return -(ck + 0.0 * sent)
    if h.has("correct-only-c"):
        return sent
    if h.has("correct-plus"):
        return sent + ck
    factor = h.number("correct-factor")
    if factor is not None:
        return factor * gap
    if h.has("correct-twice"):
        return 2.0 * gap
    if h.has("correct-server-rate"):
        return float(h.value("server_step_size")) * gap
    if h.has("correct-weight-layer"):
        return h.fed.scale([1.0, 0.0], gap)
    if h.has("correct-over-steps"):
        return h.times(gap, [1 / count for count in h.probe.local_steps])
    return gap


def _divisors(h: ProbeRound) -> list[float]:
    """What the change of a client's model is divided by, ``K_k eta``."""
    probe, eta = h.probe, float(h.value("step_size"))
    steps = [float(count) for count in probe.local_steps]
    server = float(h.value("server_step_size"))
    if h.has("ck-eta"):
        return [eta] * len(steps)
    if h.has("ck-steps"):
        return steps
    if h.has("ck-undivided"):
        return [1.0] * len(steps)
    if h.has("ck-epochs"):
        return [probe.epochs * eta] * len(steps)
    if h.has("ck-only-epochs"):
        return [float(probe.epochs)] * len(steps)
    if h.has("ck-batches"):
        return [count * eta for count in probe.batches]
    if h.has("ck-multiplied"):
        return [1 / eta] * len(steps)
    if h.has("ck-most"):
        return [max(steps) * eta] * len(steps)
    if h.has("ck-running-steps"):
        before = [sum(k in cohort for cohort in probe.cohorts[: h.round + 1]) for k in range(probe.n_clients)]
        return [max(times, 1) * count * eta for times, count in zip(before, steps, strict=True)]
    if h.has("ck-one-more") or h.has("ck-one-less"):
        return [(count + (1 if h.has("ck-one-more") else -1)) * eta for count in steps]
    if h.has("ck-server-rate"):
        return [count * eta * server for count in steps]
    if h.has("ck-server-for-local"):
        return [count * server for count in steps]
    return [count * eta for count in steps]


def _renewed(
    h: ProbeRound,
    sent: ClientVector,
    ck: ClientVector,
    begin: ClientVector,
    x: ClientVector,
    new: Vector,
    *,
    plain: bool = False,
) -> ClientVector:
    """The cohort's new controls; ``plain`` without the server's."""
    end = h.fed.send(new) if h.has("ck-from-average") else x
    if h.has("ck-shift"):
        average = h.fed.send(h.total(x, averaging(h)))
        return ck + h.times(average - x, [1 / divisor for divisor in _divisors(h)])
    if h.has("option-I"):
        point = begin
        if h.has("ck-gradient-end"):
            point = x
        if h.has("ck-gradient-average"):
            point = h.fed.send(new)
        return h.fed.gradient(point)
    direction = h.times(begin - end, [1 / divisor for divisor in _divisors(h)])
    if plain:
        return ck + direction
    if h.has("ck-no-c"):
        return ck + direction
    factor, share = h.number("ck-factor"), h.number("ck-average")
    if factor is not None:
        return ck - sent + factor * direction
    if share is not None:
        return ck + (1 - share) * (direction - sent)
    if h.has("ck-no-ck"):
        return direction - sent
    if h.has("ck-plain"):
        return direction
    if h.has("ck-plus-c"):
        return ck + sent + direction
    if h.has("ck-sign"):
        return ck - sent - direction
    if h.has("ck-signs"):
        return sent - ck + direction
    return ck - sent + direction


def _server(h: ProbeRound, c: Vector, new: ClientVector, old: ClientVector) -> Vector:
    """The server's new control."""
    probe, size, n_clients = h.probe, len(h.cohort), h.probe.n_clients
    equal = h.has("uniform") != h.has("control-other")
    q = [1 / size if k in h.cohort else 0.0 for k in range(n_clients)] if equal else averaging(h)
    part = [1 / n_clients] * n_clients if equal else list(probe.weights)
    if not equal:
        whole = sum(float(probe.weights[k]) for k in h.cohort)
        q = [float(weight) / whole for weight in probe.weights]
    delta = new - old
    factor, share = h.number("c-factor"), h.number("c-average")
    if factor is not None:
        return c + factor * h.total(delta, part)
    if share is not None:
        return share * c + (1 - share) * h.total(new, q)
    if h.has("c-over-cohort"):
        return c + h.total(delta, q)
    if h.has("c-sum"):
        return c + h.total(delta)
    if h.has("c-cohort-mean"):
        return h.total(new, q)
    if h.has("c-cohort-sum"):
        return h.total(new, part)
    if h.has("c-adds-controls"):
        return c + h.total(new, part)
    if h.has("c-adds-controls-cohort"):
        return c + h.total(new, q)
    if h.has("c-never"):
        return c
    if h.has("c-minus"):
        return c - h.total(delta, part)
    if h.has("c-twice"):
        return c + 2.0 * h.total(delta, part)
    if h.has("c-share"):
        return c + (size / n_clients) * h.total(delta, part)
    if h.has("c-server-rate"):
        return c + float(h.value("server_step_size")) * h.total(delta, part)
    if h.has("c-replaced"):
        return h.total(delta, part)
    if h.has("c-replaced-cohort"):
        return h.total(delta, q)
    return c + h.total(delta, part)


def _shared(h: ProbeRound, state: State, c: Vector) -> State:
    """One control for all clients: the cohort works in its order, each on what the one before left."""
    one: Vector = state.get("one", h.fed.zero())
    zero = h.fed.send(h.fed.zero())
    ends, news, olds = zero, zero, zero
    begin, sent = h.fed.send(state["w"]), h.fed.send(c)
    for client in h.cohort:
        ck = h.fed.send(one)
        shift = _correction(h, sent, ck)
        x = descend(h, begin, lambda y, step, shift=shift: shift)  # type: ignore[misc]
        new = _renewed(h, sent, ck, begin, x, state["w"])
        ends = ends + h.times(x, h.only(client))
        news = news + h.times(new, h.only(client))
        olds = olds + h.times(ck, h.only(client))
        one = h.total(new, h.only(client))
    update, _, _, fresh = change(h, state, lambda _: ends)
    fresh["one"] = one
    fresh["w"] = stepped(h, state["w"], update, fresh)
    fresh["c"] = _server(h, c, news, olds)
    return fresh


def _at_once(h: ProbeRound, state: State) -> State:
    """The server's control moves on after each client of the cohort, its model after all of them."""
    c, ck, begin = state["c"], state["ck"], h.fed.send(state["w"])
    ends, news = h.fed.send(h.fed.zero()), ck
    part = [1 / h.probe.n_clients] * h.probe.n_clients
    if h.has("uniform") == h.has("control-other"):
        part = list(h.probe.weights)
    for client in h.cohort:
        sent, here = h.fed.send(c), h.only(client)
        shift = _correction(h, sent, ck)
        x = descend(h, begin, lambda y, step, shift=shift: shift)  # type: ignore[misc]
        change_of_control = h.times(_renewed(h, sent, ck, begin, x, state["w"]) - ck, here)
        ends, news = ends + h.times(x, here), news + change_of_control
        c = c + h.total(change_of_control, part)
    update, _, _, fresh = change(h, state, lambda _: ends)
    fresh["ck"], fresh["c"] = h.kept(news, ck), c
    fresh["w"] = stepped(h, state["w"], update, fresh)
    return fresh


def published(probe: Any) -> Any:
    """The package's."""
    steps = probe.local_steps if probe.unequal else probe.local_steps[0]
    return Scaffold(steps, probe.values["step_size"], probe.values.get("server_step_size", 1))


_SHARED: dict[str, Any] = {
    "values": {"step_size": 0.04, "server_step_size": 0.7},
    "needs": ("step_size",),
    "neutral": {"server_step_size": 1.0, "decay": 1.0},
    "start": start,
    "round": round,
    "deviations": (*CONTROLS, *COMMON),
    "published": published,
    "own": CONTROLS,
    "unequal": True,
}
SCAFFOLD = AlgorithmFamily(
    name="Scaffold",
    title="SCAFFOLD (Karimireddy et al. 2020)",
    conventions=(*OPTIONS, *WEIGHTS_EQUAL, *CONTROL_MEANS),
    **_SHARED,
)
