"""FedLAMA (Lee, Zhang and Avestimehr 2021) with given intervals: layers are averaged at intervals of their own."""

from __future__ import annotations

from typing import Any

from fltheory.algorithms.fedlama import FedLAMA
from fltheory.algorithms.vocabulary import ClientVector
from fltheory.conformance.aggregation import averaging, change, remember
from fltheory.conformance.families.fedavg import COMMON
from fltheory.conformance.family import WEIGHTS_BY_COUNTS, AlgorithmFamily, Convention
from fltheory.conformance.local import counts
from fltheory.conformance.rates import rate
from fltheory.conformance.server import stepped
from fltheory.conformance.words import Deviation, ProbeRound, State

LAMA = (
    Deviation(
        "lama-never",
        "intervals",
        "no layer is averaged within a round (or the average is not sent back): equals FedAvg with all its steps",
    ),
    Deviation(
        "lama-all", "intervals", "all layers are averaged at the shortest interval: equals FedAvg with its steps"
    ),
    Deviation("lama-swapped", "intervals", "the intervals of the layers are in reverse order"),
    Deviation("lama-inverse", "intervals", "layers are averaged at all steps but those at which they are due"),
    Deviation("lama-off", "index", "layers are averaged one step too late"),
    Deviation("lama-total", "index", "the interval counts the steps of all rounds from 1, not those of a round"),
    Deviation("lama-server", "average", "a due layer is set back to the server's old one, not to the average"),
    Deviation("lama-kept-first", "average", "a layer that was averaged within the round is not averaged at its end"),
    Deviation("lama-gradients", "average", "the mean change of a due layer is added to each client's own layer"),
    Deviation("lama-plain", "average", "averages within a round are plain, those at its end weighted"),
)
INDEX = (
    Convention("", "index", "layers are averaged after tau_l, 2 tau_l, ... steps"),
    Convention(
        "lama-printed", "index", "layers are averaged after 1, 1 + tau_l, ... steps (the loop as printed, from 0)"
    ),
)


def start(h: ProbeRound, w: Any) -> State:
    """The model."""
    return remember(h, w)


def round(h: ProbeRound, state: State) -> State:
    """Local steps with partial averages, and the average of all layers."""
    update, _, _, fresh = change(h, state, lambda begin: _work(h, begin, state))
    fresh["w"] = stepped(h, state["w"], update, fresh)
    return fresh


def _intervals(h: ProbeRound) -> list[int]:
    given = [int(one) for one in h.value("intervals")]
    if h.has("lama-swapped"):
        return given[::-1]
    if h.has("lama-all"):
        return [min(given)] * len(given)
    return given


def _due(h: ProbeRound, step: int) -> list[bool]:
    """Which layers are averaged after ``step`` steps."""
    if h.has("lama-never"):
        return [False, False]
    if h.has("lama-printed"):
        step -= 1
    if h.has("lama-off"):
        step -= 1
    if h.has("lama-total"):
        step += h.round * h.probe.local_steps[0] + 1
    found = [step % interval == 0 and step >= 0 for interval in _intervals(h)]
    if h.has("lama-off"):
        found = [due and step > 0 for due in found]
    return [not due for due in found] if h.has("lama-inverse") else found


def _work(h: ProbeRound, begin: ClientVector, state: State) -> ClientVector:
    x, q, end = begin, averaging(h), counts(h)[0]
    if h.has("lama-plain"):
        q = [1 / len(h.cohort)] * h.probe.n_clients
    done: Any = None
    for step in range(1, end + 1):
        x = x - rate(h, step - 1) * h.fed.gradient(x)
        due = _due(h, step)
        if step == end or not any(due):
            continue
        mask = [float(one) for one in due]
        rest = [1 - one for one in mask]
        middle = h.fed.send(state["w"] if h.has("lama-server") else h.total(x, q))
        if h.has("lama-gradients"):
            x = x + h.fed.scale(mask, middle - begin)
        else:
            x = h.fed.scale(rest, x) + h.fed.scale(mask, middle)
        if h.has("lama-kept-first"):
            done = (
                (mask, middle)
                if done is None
                else (
                    [max(a, b) for a, b in zip(mask, done[0], strict=True)],
                    h.fed.scale(rest, done[1]) + h.fed.scale(mask, middle),
                )
            )
    if done is not None:
        mask, middle = done
        x = h.fed.scale([1 - one for one in mask], x) + h.fed.scale(mask, middle)
    return x


def published(probe: Any) -> Any:
    """The package's."""
    return FedLAMA(4, 3, probe.values["step_size"], intervals=probe.values["intervals"])


#: What speaks of local steps that this text does not share.
_OWN_STEPS = ("one-more", "one-less", "one-epoch", "one-batch", "one-step")
_RATES = (
    "by-rounds",
    "restarts",
    "by-epochs",
    "from-one",
    "decay-steps",
    "decay-epochs",
    "decay-epochs-restart",
    "no-decay",
)
_PLACES = ("gradient", "size", "returned", "momentum", "decay", "clip", "count", "begin")
_SHARED = tuple(
    one
    for one in COMMON
    if (one.place not in _PLACES and one.key not in ("decay-own", "own-decay")) or one.key in (*_OWN_STEPS, *_RATES)
)
FEDLAMA = AlgorithmFamily(
    name="FedLAMA",
    title="FedLAMA (Lee, Zhang and Avestimehr 2021)",
    values={"step_size": 0.04, "intervals": (12, 4), "base": 4, "factor": 3},
    needs=("step_size", "intervals"),
    neutral={"server_step_size": 1.0, "decay": 1.0, "base": 4, "factor": 3},
    start=start,
    round=round,
    conventions=(*WEIGHTS_BY_COUNTS, *INDEX),
    deviations=(*LAMA, *_SHARED),
    published=published,
    own=LAMA,
    aliases={"intervals": ("taus", "tau", "layer_intervals"), "base": ("tau_base",), "factor": ("phi",)},
)
