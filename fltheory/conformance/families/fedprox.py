"""FedProx (Li et al. 2020) with gradient steps, ``x <- x - eta (g(x) + prox (x - w))``."""

from __future__ import annotations

from typing import Any

import numpy as np

from fltheory.algorithms.fedprox import FedProx
from fltheory.algorithms.vocabulary import ClientVector
from fltheory.conformance.aggregation import change, remember
from fltheory.conformance.families.fedavg import COMMON
from fltheory.conformance.family import WEIGHTS_BY_COUNTS, AlgorithmFamily, Convention
from fltheory.conformance.local import Extra, at_epoch, descend, either
from fltheory.conformance.optimisers import BESIDE
from fltheory.conformance.probes import LAYERS
from fltheory.conformance.rates import rate
from fltheory.conformance.server import stepped
from fltheory.conformance.words import Deviation, FreeNumber, ProbeRound, State

PROX = (
    Deviation("prox-none", "prox", "the proximal term has no effect: equals FedAvg"),
    Deviation(
        "prox-double", "prox", "the proximal gradient is 2 prox (x - w): the factor 1/2 of the squared norm is missing"
    ),
    Deviation("prox-half", "prox", "the proximal gradient is prox/2 (x - w): one factor 1/2 too many"),
    Deviation("prox-squared", "prox", "the proximal weight is applied twice (squared)"),
    Deviation("prox-norm-half", "prox", "the norm is not squared: the term is prox/2 |x - w|, over the whole model"),
    Deviation("prox-norm", "prox", "the norm is not squared: the term is prox |x - w|, over the whole model"),
    Deviation(
        "prox-norms-half", "prox", "the norm is not squared: the term is prox/2 times the sum over layers of |x - w|"
    ),
    Deviation("prox-norms", "prox", "the norm is not squared: the term is prox times the sum over layers of |x - w|"),
    Deviation(
        "prox-norm-of-sum", "prox", "the sum of the layers' norms is squared: prox/2 (sum over layers of |x - w|)^2"
    ),
    Deviation("prox-absolute", "prox", "the proximal term is prox/2 times the sum of absolute values |x - w|"),
    Deviation("prox-absolute-full", "prox", "the proximal term is prox times the sum of absolute values |x - w|"),
    Deviation("prox-sign", "prox", "the proximal term pushes away from w: wrong sign"),
    Deviation("prox-linear", "prox", "only the linear part -prox <x, w> of the proximal term is there"),
    Deviation("prox-decay", "prox", "the proximal term pulls to zero, not to w: prox/2 |x|^2"),
    Deviation("prox-first", "prox", "the proximal term pulls to the very first model"),
    Deviation("prox-late", "prox", "the proximal term pulls to the server's model of the round before"),
    Deviation("prox-previous", "prox", "the proximal term is around the previous local iterate, not w"),
    Deviation("prox-epoch", "prox", "the proximal term is around the model each epoch began with, not w"),
    Deviation("prox-own", "prox", "the proximal term is around the client's own last model, not w"),
    Deviation(
        "prox-unscaled", "prox", "the proximal difference is not multiplied by the step size: x - eta g - prox (x - w)"
    ),
    Deviation(
        "prox-moved",
        "prox",
        "the proximal difference is that of the model after the gradient step: x' = x - eta g, x' - eta prox (x' - w)",
    ),
    Deviation("prox-and-decay", "prox", "the parameters shrink by prox as well: prox (x - w) + prox x"),
    Deviation("prox-per-epoch", "prox", "the proximal term acts at the last batch of each epoch only"),
    Deviation("prox-first-epoch", "prox", "the proximal term acts in the first epoch only"),
    Deviation("prox-after", "prox", "the proximal term is applied once, after the local steps: x - eta prox (x - w)"),
    Deviation(
        "prox-after-unscaled", "prox", "the proximal term is applied once, after the local steps: x - prox (x - w)"
    ),
    Deviation("prox-weight-layer", "prox", "the proximal term leaves the last layer out"),
    Deviation("prox-bias-layer", "prox", "the proximal term is that of the last layer only"),
    Deviation("prox-by-weight", "prox", "the proximal term is multiplied by n_k/n"),
    Deviation("prox-over-steps", "prox", "the proximal weight is divided by the number of local steps"),
    Deviation("prox-over-batches", "prox", "the proximal weight is divided by the number of batches"),
    Deviation("prox-by-batches", "prox", "the proximal weight is multiplied by the number of batches"),
    Deviation("prox-over-n", "prox", "the proximal weight is divided by the client's count of samples"),
    Deviation(
        "prox-mean",
        "prox",
        "the squared norm is averaged over coordinates, layer by layer (mean squared error, no 1/2)",
    ),
    Deviation("prox-mean-half", "prox", "the squared norm is averaged over coordinates, layer by layer, times prox/2"),
    Deviation(
        "prox-accumulates",
        "prox",
        "the proximal term accumulates over local steps: it is added to a sum that is not cleared",
    ),
    Deviation("prox-not-first", "prox", "the proximal term is left out in the first round"),
    Deviation(
        "prox-power", "prox", "the proximal term is prox/2 |x - w|^{}", number=FreeNumber((1.5, 3.0, 4.0), 0.1, 6.0)
    ),
    *BESIDE,
    Deviation("prox-one-less", "prox", "the weight is 1 - prox for the loss and prox for the proximal term"),
)
IMPLICIT = (
    Convention("", "prox step", "the proximal term's gradient is taken before the step"),
    Convention(
        "prox-implicit",
        "prox step",
        "the proximal term is solved exactly in each step: (x - eta g + eta prox w)/(1 + eta prox)",
    ),
)


def pull(h: ProbeRound, begin: ClientVector, state: State) -> Extra | None:
    """What FedProx adds to the gradient; the anchors of its deviations are in the state."""
    prox = float(h.value("prox"))
    anchor = h.fed.send(state["w"])
    if h.has("prox-none") or h.has("prox-after") or h.has("prox-after-unscaled"):
        return None
    if h.has("prox-first"):
        anchor = h.fed.send(state["prox-first"])
    if h.has("prox-late"):
        anchor = h.fed.send(state["prox-late"])
    if h.has("prox-own"):
        anchor = state["prox-own"]
    last: list[Any] = [begin, begin]
    mask = [float(name == LAYERS.names[-1]) for name in LAYERS.names]

    def extra(x: ClientVector, step: int) -> ClientVector:
        gap = x - anchor
        if h.has("prox-previous"):
            gap, last[0] = x - last[0], x
        if h.has("prox-epoch"):
            last[1] = either(h, at_epoch(h, step), x, last[1])
            gap = x - last[1]
        for key, size, kind in _NORMS:
            if h.has(key):
                return size * prox * h.decide(kind, gap)
        for key, size in (("prox-double", 2.0), ("prox-half", 0.5), ("prox-squared", prox), ("prox-sign", -1.0)):
            if h.has(key):
                return size * prox * gap
        if h.has("prox-accumulates"):
            last[0] = gap if step == 0 else last[0] + gap
            return prox * last[0]
        power = h.number("prox-power")
        if power is not None:
            return prox * h.decide(_powered(power), gap)
        if h.has("prox-not-first"):
            return (prox if h.round else 0.0) * gap
        if h.has("prox-linear"):
            return -prox * anchor
        if h.has("prox-decay"):
            return prox * x
        if h.has("prox-unscaled"):
            return (prox / rate(h, step)) * gap
        if h.has("prox-moved"):
            return prox * (gap - rate(h, step) * h.fed.gradient(x))
        if h.has("prox-and-decay"):
            return prox * (gap + x)
        if h.has("prox-implicit"):
            eta = rate(h, step)
            gradient = h.fed.gradient(x)
            return (1 / (1 + eta * prox)) * (gradient + prox * gap) - gradient
        if h.has("prox-per-epoch"):
            return prox * h.times(gap, at_epoch(h, step, end=True))
        if h.has("prox-first-epoch"):
            return prox * h.times(gap, [float(step < count) for count in h.probe.batches])
        if h.has("prox-weight-layer"):
            return prox * h.fed.scale([1 - one for one in mask], gap)
        if h.has("prox-bias-layer"):
            return prox * h.fed.scale(mask, gap)
        if h.has("prox-mean") or h.has("prox-mean-half"):
            factor = 2.0 if h.has("prox-mean") else 1.0
            return factor * prox * h.fed.scale([1 / size for size in LAYERS.sizes], gap)
        if h.has("prox-one-less"):
            return prox * gap - prox * h.fed.gradient(x)
        shares = {
            "prox-by-weight": list(h.probe.weights),
            "prox-over-steps": [1 / count for count in h.probe.local_steps],
            "prox-over-batches": [1 / count for count in h.probe.batches],
            "prox-by-batches": [float(count) for count in h.probe.batches],
            "prox-over-n": [1 / count for count in h.probe.counts],
        }
        for key, numbers in shares.items():
            if h.has(key):
                return prox * h.times(gap, numbers)
        return prox * gap

    return extra


def _lengths(values: Any) -> Any:
    return np.sqrt((values**2).sum(axis=-1, keepdims=True))


def _unit(values: Any) -> Any:
    """``v/|v|``, zero at zero."""
    norm = _lengths(values)
    return np.divide(values, norm, out=np.zeros_like(values), where=norm > 0)


def _powered(power: float) -> Any:
    """Half the gradient of ``|v|^power``."""

    def rule(values: Any) -> Any:
        return power / 2 * _lengths(values) ** (power - 1) * _unit(values)

    return rule


def _parts(values: Any) -> list[Any]:
    cut = LAYERS.sizes[0]
    return [values[..., :cut], values[..., cut:]]


def _units(values: Any) -> Any:
    """The same of each layer."""
    return np.concatenate([_unit(part) for part in _parts(values)], axis=-1)


def _summed(values: Any) -> Any:
    """Half the gradient of the square of the sum of the layers' norms."""
    total = sum(_lengths(part) for part in _parts(values))
    return total * _units(values)


_NORMS = (
    ("prox-norm-half", 0.5, _unit),
    ("prox-norm", 1.0, _unit),
    ("prox-norms-half", 0.5, _units),
    ("prox-norms", 1.0, _units),
    ("prox-norm-of-sum", 1.0, _summed),
    ("prox-absolute", 0.5, np.sign),
    ("prox-absolute-full", 1.0, np.sign),
)


def start(h: ProbeRound, w: Any) -> State:
    """The model and the anchors of deviations."""
    state = remember(h, w)
    state |= {"prox-first": w, "prox-late": w}
    if h.has("prox-own"):
        state["prox-own"] = h.fed.send(w)
    return state


def round(h: ProbeRound, state: State) -> State:
    """Local steps with the proximal term, average, and the server's step."""
    prox = float(h.value("prox"))

    def work(begin: ClientVector) -> ClientVector:
        x = descend(h, begin, pull(h, begin, state))
        for key, size in (("prox-after", rate(h, 0) * prox), ("prox-after-unscaled", prox)):
            if h.has(key):
                x = x - size * (x - h.fed.send(state["w"]))
        return x

    update, _, x, fresh = change(h, state, work)
    fresh["prox-late"] = state["w"]
    if h.has("prox-own"):
        fresh["prox-own"] = h.kept(x, state["prox-own"])
    fresh["w"] = stepped(h, state["w"], update, fresh)
    return fresh


def published(probe: Any) -> Any:
    """The package's, for a server without a learning rate of its own."""
    return FedProx(probe.local_steps[0], probe.values["step_size"], probe.values["prox"])


FEDPROX = AlgorithmFamily(
    name="FedProx",
    title="FedProx (Li et al. 2020)",
    values={"step_size": 0.04, "prox": 0.6, "server_step_size": 0.7, "decay": 0.8},
    needs=("step_size", "prox"),
    neutral={"server_step_size": 1.0, "decay": 1.0},
    start=start,
    round=round,
    conventions=(*WEIGHTS_BY_COUNTS, *IMPLICIT),
    deviations=(*PROX, *COMMON),
    published=published,
    unequal=True,
    own=PROX,
    aliases={"prox": ("mu", "rho", "lam", "lambda_", "proximal", "prox_mu", "proximal_mu", "mu_prox", "prox_weight")},
)
