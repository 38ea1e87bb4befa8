"""FedAdam (Reddi et al. 2021): Adam of the server on the averaged change."""

from __future__ import annotations

from typing import Any

import numpy as np

from fltheory.algorithms.adam import Adam
from fltheory.algorithms.fedopt import FedOpt
from fltheory.conformance.aggregation import change, remember
from fltheory.conformance.families.fedavg import COMMON
from fltheory.conformance.family import WEIGHTS_EQUAL, AlgorithmFamily, Convention
from fltheory.conformance.local import descend
from fltheory.conformance.server import stepped
from fltheory.conformance.words import Deviation, FreeNumber, ProbeRound, State

ADAM = (
    Deviation("v-of-m", "second moment", "the second moment is that of the momentum m, not of the change"),
    Deviation("v-unsquared", "second moment", "the second moment takes the size |Delta|, not its square"),
    Deviation("v-global", "second moment", "the second moment is one number, |Delta|^2, not one per coordinate"),
    Deviation("v-mean", "second moment", "the second moment is one number per layer, the mean of Delta^2"),
    Deviation("v-share", "second moment", "the factor 1 - beta2 is missing"),
    Deviation("v-latest", "second moment", "the second moment is the latest square, without a mean over rounds"),
    Deviation("v-none", "second moment", "the second moment has no effect: the change is not divided by it"),
    Deviation("v-yogi", "second moment", "the second moment is Yogi's: equals FedYogi"),
    Deviation("v-adagrad", "second moment", "the second moment is Adagrad's sum of squares: equals FedAdagrad"),
    Deviation("v-max", "second moment", "the largest second moment so far is used (AMSGrad)"),
    Deviation("v-old", "second moment", "the direction is divided by the second moment of the round before"),
    Deviation(
        "v-clients",
        "second moment",
        "the second moment is the average of the clients' squares, not the square of the average",
    ),
    Deviation("a-swapped", "betas", "beta1 and beta2 are swapped"),
    Deviation("m-share", "first moment", "the factor 1 - beta1 is missing"),
    Deviation("m-off", "first moment", "the first moment has no effect: the change itself is divided"),
    Deviation("m-first", "first moment", "the first change enters the first moment with 1, not 1 - beta1"),
    Deviation("m-forgotten", "first moment", "the first moment is zero again in each round"),
    Deviation("state-forgotten", "kept", "both moments are set back in each round"),
    Deviation(
        "v-start",
        "initial",
        "the second moment starts at {}",
        number=FreeNumber((1.0, 1e-2, 1e-3), 1e-6, 1e2, log=True),
    ),
    Deviation("epsilon-accumulates", "root", "epsilon is added to the second moment that is kept, anew in each round"),
    Deviation("no-root", "root", "the root of the second moment is missing"),
    Deviation("epsilon-squared", "root", "epsilon^2 is added for epsilon"),
    Deviation("correct-first-only", "bias", "only the first moment is corrected for its bias"),
    Deviation("correct-second-only", "bias", "only the second moment is corrected for its bias"),
    Deviation("correct-late", "bias", "the correction of the bias counts one round too many"),
    Deviation(
        "correct-rate",
        "bias",
        "the correction of the bias multiplies by the wrong one: (1 - beta1^t)/sqrt(1 - beta2^t)",
    ),
    Deviation("over-eta", "scale", "the change is divided by the local step size before it enters Adam"),
    Deviation("adam-minus", "scale", "Adam's direction is subtracted: wrong sign of the pseudo-gradient"),
)
CHOICES = (
    Convention("", "bias correction", "no bias correction (as printed)"),
    Convention("bias-corrected", "bias correction", "bias corrected (as Adam of Kingma and Ba)"),
    Convention(
        "bias-corrected-rate",
        "bias correction",
        "bias corrected in the step size, sqrt(1 - beta2^t)/(1 - beta1^t): epsilon is not corrected",
    ),
    Convention("", "initial second moment", "the second moment starts at epsilon^2"),
    Convention("v-zero", "initial second moment", "the second moment starts at zero"),
    Convention("", "epsilon", "epsilon is added to the root"),
    Convention("epsilon-inside", "epsilon", "epsilon is added under the root"),
    Convention("epsilon-squared-inside", "epsilon", "epsilon^2 is added under the root"),
)


def start(h: ProbeRound, w: Any) -> State:
    """The model, zero, and the first second moment."""
    level = 0.0 if h.has("v-zero") else float(h.value("epsilon")) ** 2
    given = h.number("v-start")
    level = level if given is None else given
    v = h.decide(lambda nothing: nothing + level, h.fed.zero())
    return remember(h, w) | {"m": h.fed.zero(), "v": v, "v0": v, "largest": v}


def round(h: ProbeRound, state: State) -> State:
    """FedAvg's change, both moments, the server's step."""
    update, begin, x, fresh = change(h, state, lambda begin: descend(h, begin))
    if h.has("over-eta"):
        update = (1 / float(h.value("step_size"))) * update
    beta1, beta2 = float(h.value("beta1")), float(h.value("beta2"))
    if h.has("a-swapped"):
        beta1, beta2 = beta2, beta1
    m, v = state["m"], state["v"]
    if h.has("state-forgotten"):
        m, v = h.fed.zero(), state["v0"]
    if h.has("m-forgotten"):
        m = h.fed.zero()
    share = 1.0 if h.has("m-share") or (h.has("m-first") and h.round == 0) else 1 - beta1
    fresh["m"] = first = update if h.has("m-off") else beta1 * m + share * update
    square = _square(h, update, first, begin, x)
    second = _second(h, v, square, beta2)
    if h.has("epsilon-accumulates"):
        second = h.decide(lambda v: v + float(h.value("epsilon")), second)
    fresh["v"] = second
    used = v if h.has("v-old") else second
    if h.has("v-max"):
        used = fresh["largest"] = h.decide(np.maximum, state["largest"], second)
    direction = _direction(h, first, used, beta1, beta2)
    fresh["w"] = stepped(h, state["w"], -direction if h.has("adam-minus") else direction, fresh)
    return fresh


def _square(h: ProbeRound, update: Any, first: Any, begin: Any, x: Any) -> Any:
    if h.has("v-of-m"):
        return h.decide(np.square, first)
    if h.has("v-unsquared"):
        return h.decide(np.abs, update)
    if h.has("v-global"):
        return h.decide(lambda v: np.broadcast_to((v**2).sum(axis=-1, keepdims=True), v.shape), update)
    if h.has("v-mean"):
        return h.decide(_by_layers, update)
    if h.has("v-clients"):
        equal = [1 / len(h.cohort)] * h.probe.n_clients
        whole = sum(float(h.probe.weights[k]) for k in h.cohort)
        counted = [float(weight) / whole for weight in h.probe.weights]
        return h.total(h.decide(np.square, x - begin), equal if h.has("uniform") else counted)
    return h.decide(np.square, update)


def _by_layers(values: Any) -> Any:
    found = np.empty_like(values)
    for part in (slice(0, 3), slice(3, 4)):
        found[..., part] = (values[..., part] ** 2).mean(axis=-1, keepdims=True)
    return found


def _second(h: ProbeRound, v: Any, square: Any, beta2: float) -> Any:
    if h.has("v-latest"):
        return square
    if h.has("v-adagrad"):
        return v + square
    if h.has("v-yogi"):
        return h.decide(lambda old, new: old - (1 - beta2) * new * np.sign(old - new), v, square)
    return beta2 * v + (1.0 if h.has("v-share") else 1 - beta2) * square


def _direction(h: ProbeRound, m: Any, v: Any, beta1: float, beta2: float) -> Any:
    if h.has("v-none"):
        return m
    call = h.round + 1 + h.has("correct-late")
    epsilon = float(h.value("epsilon"))
    one = two = 1.0
    if h.has("bias-corrected") or h.has("correct-first-only") or h.has("correct-late"):
        one = 1 - beta1**call
    if h.has("bias-corrected") or h.has("correct-second-only") or h.has("correct-late"):
        two = 1 - beta2**call
    if h.has("correct-rate"):
        one, two = 1 / (1 - beta1**call), 1 / (1 - beta2**call)
    if h.has("correct-first-only"):
        two = 1.0
    if h.has("correct-second-only"):
        one = 1.0

    scale = 1.0
    if h.has("bias-corrected-rate"):
        scale = np.sqrt(1 - beta2**call) / (1 - beta1**call)

    def rule(mean: Any, square: Any) -> Any:
        return scale * ratio(mean, square)

    def ratio(mean: Any, square: Any) -> Any:
        mean, square = mean / one, square / two
        if h.has("no-root"):
            return mean / (square + epsilon)
        if h.has("epsilon-accumulates"):
            return mean / np.sqrt(square)
        if h.has("epsilon-inside"):
            return mean / np.sqrt(square + epsilon)
        if h.has("epsilon-squared-inside"):
            return mean / np.sqrt(square + epsilon**2)
        return mean / (np.sqrt(square) + (epsilon**2 if h.has("epsilon-squared") else epsilon))

    return h.decide(rule, m, v)


def published(probe: Any) -> Any:
    """The package's."""
    values = probe.values
    server = Adam(values["beta1"], values["beta2"], values["epsilon"])
    return FedOpt(probe.local_steps[0], values["step_size"], values.get("server_step_size", 1), server=server)


FEDADAM = AlgorithmFamily(
    name="FedAdam",
    title="FedAdam (Reddi et al. 2021)",
    values={"step_size": 0.04, "server_step_size": 0.7, "beta1": 0.6, "beta2": 0.8, "epsilon": 0.3, "decay": 0.8},
    needs=("step_size", "beta1", "beta2", "epsilon"),
    neutral={"server_step_size": 1.0, "decay": 1.0},
    start=start,
    round=round,
    conventions=(*WEIGHTS_EQUAL, *CHOICES),
    deviations=(*ADAM, *COMMON),
    published=published,
    unequal=True,
    own=ADAM,
    aliases={
        "beta1": ("b1", "beta_1", "momentum"),
        "beta2": ("b2", "beta_2"),
        "epsilon": ("tau", "eps", "adaptivity"),
    },
)
