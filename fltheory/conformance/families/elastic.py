"""Elastic aggregation (Chen et al. 2023): the averaged change times ``zeta = 1 + tau - Omega/max Omega``, coordinate by coordinate.

``Omega_k`` is the size of client ``k``'s gradient at the server's model.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from fltheory.algorithms.elastic_aggregation import ElasticFedAvgM, SensitivityElasticity
from fltheory.conformance.aggregation import averaging, change, remember
from fltheory.conformance.families.fedavg import COMMON
from fltheory.conformance.family import WEIGHTS_BY_COUNTS, AlgorithmFamily
from fltheory.conformance.local import descend
from fltheory.conformance.server import stepped
from fltheory.conformance.words import Deviation, FreeNumber, ProbeRound, State

ELASTIC = (
    Deviation("zeta-none", "zeta", "the elasticity has no effect: equals FedAvg"),
    Deviation("zeta-no-tau", "zeta", "tau is missing: zeta = 1 - Omega/max Omega"),
    Deviation("zeta-no-one", "zeta", "the one is missing: zeta = tau - Omega/max Omega"),
    Deviation("zeta-plus", "zeta", "the sign of Omega is wrong: zeta = 1 + tau + Omega/max Omega"),
    Deviation("zeta-minus-tau", "zeta", "the sign of tau is wrong: zeta = 1 - tau - Omega/max Omega"),
    Deviation(
        "zeta-factor",
        "zeta",
        "the sensitivities are multiplied by {} in zeta",
        number=FreeNumber((0.5, 2.0), 1e-3, 1e2, log=True),
    ),
    Deviation("zeta-times-tau", "zeta", "tau multiplies the sensitivities: zeta = 1 - tau Omega/max Omega"),
    Deviation("zeta-share", "zeta", "zeta is Omega/max Omega + tau"),
    Deviation("zeta-inverse", "zeta", "the change is divided by zeta"),
    Deviation("zeta-models", "zeta", "zeta multiplies the averaged model, not the change"),
    Deviation("zeta-twice", "zeta", "zeta is applied twice"),
    Deviation("omega-raw", "largest", "sensitivities are not divided by their largest"),
    Deviation("omega-sum", "largest", "sensitivities are divided by their sum, not their largest"),
    Deviation("omega-mean", "largest", "sensitivities are divided by their mean, not their largest"),
    Deviation("omega-norm", "largest", "sensitivities are divided by their norm, not their largest"),
    Deviation("omega-layer", "largest", "sensitivities are divided by the largest of each layer, not of the model"),
    Deviation("omega-min-max", "largest", "sensitivities are scaled from their least to their largest"),
    Deviation("omega-squares", "size", "sensitivities are squared gradients, not their sizes"),
    Deviation("omega-signed", "size", "sensitivities keep the sign of the gradients"),
    Deviation("omega-of-mean", "size", "sensitivities are the size of the averaged gradient, not the average of sizes"),
    Deviation("omega-end", "point", "sensitivities are taken at the clients' new models, not at w"),
    Deviation("omega-new", "point", "sensitivities are taken at the new average, not at w"),
    Deviation("omega-change", "point", "sensitivities are the sizes of the clients' changes, not of gradients"),
    Deviation("omega-plain", "mean", "sensitivities are averaged with equal weights, changes by counts"),
    Deviation("omega-last", "mean", "the sensitivities of the last client of the cohort are used"),
    Deviation("omega-first-round", "kept", "sensitivities of the first round are used in all rounds"),
    Deviation("omega-sums-rounds", "kept", "sensitivities add up over rounds"),
    Deviation("omega-late", "kept", "sensitivities are those of the round before"),
)


def start(h: ProbeRound, w: Any) -> State:
    """The model."""
    return remember(h, w)


def round(h: ProbeRound, state: State) -> State:
    """FedAvg's change, times zeta."""
    w = state["w"]
    update, _, x, fresh = change(h, state, lambda begin: descend(h, begin))
    omega = _sensitivity(h, w, x, w + update)
    last = state.get("omega")
    fresh["omega"] = omega
    if h.has("omega-first-round") and last is not None:
        omega = fresh["omega"] = last
    if h.has("omega-sums-rounds") and last is not None:
        omega = fresh["omega"] = last + omega
    if h.has("omega-late") and last is not None:
        omega = last
    tau = float(h.value("tau"))
    rule = _rule(h, tau)
    if h.has("zeta-models"):
        fresh["w"] = h.decide(rule, w + update, omega)
        return fresh
    fresh["w"] = stepped(h, w, h.decide(rule, update, omega), fresh)
    return fresh


def _sensitivity(h: ProbeRound, w: Any, x: Any, new: Any) -> Any:
    """``Omega`` of the cohort."""
    begin = h.fed.send(w)
    point = x if h.has("omega-end") else h.fed.send(new) if h.has("omega-new") else begin
    gradient = x - begin if h.has("omega-change") else h.fed.gradient(point)
    q = averaging(h)
    if h.has("omega-plain"):
        q = [1 / len(h.cohort)] * h.probe.n_clients
    if h.has("omega-last"):
        q = h.only(h.cohort[-1])
    if h.has("omega-of-mean"):
        return h.decide(np.abs, h.total(gradient, q))
    if h.has("omega-signed"):
        return h.total(gradient, q)
    return h.total(h.decide(np.square if h.has("omega-squares") else np.abs, gradient), q)


def _rule(h: ProbeRound, tau: float) -> Any:
    """What multiplies the change, as a function of both."""

    def share(omega: Any) -> Any:
        if h.has("omega-raw"):
            return omega
        if h.has("omega-sum"):
            return omega / omega.sum(axis=-1, keepdims=True)
        if h.has("omega-mean"):
            return omega / omega.mean(axis=-1, keepdims=True)
        if h.has("omega-norm"):
            return omega / np.sqrt((omega**2).sum(axis=-1, keepdims=True))
        if h.has("omega-layer"):
            found = np.empty_like(omega)
            for part in (slice(0, 3), slice(3, 4)):
                found[..., part] = omega[..., part] / omega[..., part].max(axis=-1, keepdims=True)
            return found
        largest = omega.max(axis=-1, keepdims=True)
        if h.has("omega-min-max"):
            least = omega.min(axis=-1, keepdims=True)
            return (omega - least) / (largest - least)
        return omega / largest

    def rule(change: Any, omega: Any) -> Any:
        part = share(omega)
        part = h.number("zeta-factor", 1.0) * part
        zetas = {
            "zeta-none": 1.0 + 0 * part,
            "zeta-no-tau": 1 - part,
            "zeta-no-one": tau - part,
            "zeta-plus": 1 + tau + part,
            "zeta-minus-tau": 1 - tau - part,
            "zeta-times-tau": 1 - tau * part,
            "zeta-share": tau + part,
        }
        zeta = next((value for key, value in zetas.items() if h.has(key)), 1 + tau - part)
        if h.has("zeta-twice"):
            zeta = zeta**2
        return change / zeta if h.has("zeta-inverse") else zeta * change

    return rule


def published(probe: Any) -> Any:
    """The package's."""
    values = probe.values
    return ElasticFedAvgM(
        probe.local_steps[0], values["step_size"], SensitivityElasticity(values["tau"]), values["server_step_size"]
    )


ELASTIC_AGGREGATION = AlgorithmFamily(
    name="Elastic",
    title="elastic aggregation (Chen et al. 2023)",
    values={"step_size": 0.04, "tau": 0.4, "server_step_size": 0.7},
    needs=("step_size", "tau"),
    neutral={"server_step_size": 1.0, "decay": 1.0},
    start=start,
    round=round,
    conventions=WEIGHTS_BY_COUNTS,
    deviations=(*ELASTIC, *COMMON),
    published=published,
    unequal=True,
    own=ELASTIC,
)
