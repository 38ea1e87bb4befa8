"""FedNova (Wang et al. 2020): updates divided by the clients' own numbers of steps."""

from __future__ import annotations

from typing import Any

from fltheory.algorithms.fednova import FedNova
from fltheory.conformance.aggregation import averaging, change, remember, shares
from fltheory.conformance.families.fedavg import COMMON
from fltheory.conformance.family import WEIGHTS_BY_COUNTS, AlgorithmFamily, Convention
from fltheory.conformance.local import descend
from fltheory.conformance.server import stepped
from fltheory.conformance.words import Deviation, FreeNumber, ProbeRound, State

NOVA = (
    Deviation("nova-none", "normalising", "updates are not normalised by the numbers of steps: equals FedAvg"),
    Deviation("nova-epochs", "normalising", "updates are divided by epochs, not by steps"),
    Deviation("nova-batches", "normalising", "updates are divided by batches, not by steps"),
    Deviation("nova-counts", "normalising", "updates are divided by counts of samples, not by steps"),
    Deviation(
        "nova-power",
        "normalising",
        "updates are divided by the number of steps to the power {}",
        number=FreeNumber((0.5, 1.5), -1.0, 3.0),
    ),
    Deviation("nova-twice", "normalising", "updates are divided by the squared number of steps"),
    Deviation("nova-multiplied", "normalising", "updates are multiplied by the number of steps"),
    Deviation(
        "nova-gradient", "normalising", "updates are divided by the step size as well, and not multiplied by it again"
    ),
    Deviation("nova-tau-none", "tau", "tau_eff is missing: the average of normalised updates is applied as it is"),
    Deviation("nova-tau-equal", "tau", "tau_eff is the plain mean of the cohort's steps, without weights"),
    Deviation("nova-tau-most", "tau", "tau_eff is the largest number of steps in the cohort"),
    Deviation("nova-tau-least", "tau", "tau_eff is the smallest number of steps in the cohort"),
    Deviation("nova-tau-sum", "tau", "tau_eff is the sum of the cohort's steps"),
    Deviation("nova-tau-epochs", "tau", "tau_eff is the number of epochs"),
    Deviation(
        "nova-tau-unnormalised", "tau", "tau_eff sums n_k/n tau_k over the cohort: its weights do not sum to one"
    ),
    Deviation("nova-tau-twice", "tau", "tau_eff is applied twice"),
    Deviation("nova-tau-cohort", "tau", "tau_eff is divided by the size of the cohort"),
    Deviation("nova-tau-inverse", "tau", "the average of normalised updates is divided by tau_eff"),
)
TAU = (
    Convention("", "mean of steps", "tau_eff is the mean over the cohort"),
    Convention("nova-tau-all", "mean of steps", "tau_eff is the mean over all clients, cohort or not"),
)


def start(h: ProbeRound, w: Any) -> State:
    """The model."""
    return remember(h, w)


def round(h: ProbeRound, state: State) -> State:
    """Local steps, the average of updates per step, times the mean number of steps."""
    probe, tau = h.probe, [float(count) for count in h.probe.local_steps]
    divisor = tau
    if h.has("nova-none"):
        divisor = [_mean(h, tau)] * len(tau)
    elif h.has("nova-epochs"):
        divisor = [float(probe.epochs)] * len(tau)
    elif h.has("nova-batches"):
        divisor = [float(count) for count in probe.batches]
    elif h.has("nova-counts"):
        divisor = [float(count) for count in probe.counts]
    elif h.has("nova-power"):
        divisor = [count ** h.number("nova-power", 1.0) for count in tau]
    elif h.has("nova-twice"):
        divisor = [count**2 for count in tau]
    elif h.has("nova-multiplied"):
        divisor = [1 / count for count in tau]
    elif h.has("nova-gradient"):
        divisor = [float(h.value("step_size")) * count for count in tau]
    factor = _mean(h, tau)

    def work(begin: Any) -> Any:
        moved = descend(h, begin) - begin
        return begin + h.times(moved, [factor / one for one in divisor])

    update, _, _, fresh = change(h, state, work)
    fresh["w"] = stepped(h, state["w"], update, fresh)
    return fresh


def _mean(h: ProbeRound, tau: list[float]) -> float:
    """``tau_eff``."""
    q, cohort = averaging(h), h.cohort
    mean = sum(q[k] * tau[k] for k in cohort)
    if h.has("nova-tau-all"):
        given = shares(h)
        mean = sum(share * count for share, count in zip(given, tau, strict=True)) / sum(given)
    found = {
        "nova-tau-none": 1.0,
        "nova-tau-equal": sum(tau[k] for k in cohort) / len(cohort),
        "nova-tau-most": max(tau[k] for k in cohort),
        "nova-tau-least": min(tau[k] for k in cohort),
        "nova-tau-sum": sum(tau[k] for k in cohort),
        "nova-tau-epochs": float(h.probe.epochs),
        "nova-tau-unnormalised": sum(float(h.probe.weights[k]) * tau[k] for k in cohort),
        "nova-tau-twice": mean * mean,
        "nova-tau-cohort": mean / len(cohort),
        "nova-tau-inverse": 1 / mean,
    }
    return next((number for key, number in found.items() if h.has(key)), mean)


def published(probe: Any) -> Any:
    """The package's."""
    return FedNova(probe.local_steps, probe.values["step_size"])


FEDNOVA = AlgorithmFamily(
    name="FedNova",
    title="FedNova (Wang et al. 2020)",
    values={"step_size": 0.04, "server_step_size": 0.7, "decay": 0.8},
    needs=("step_size",),
    neutral={"server_step_size": 1.0, "decay": 1.0},
    start=start,
    round=round,
    conventions=(*WEIGHTS_BY_COUNTS, *TAU),
    deviations=(*NOVA, *COMMON),
    published=published,
    own=NOVA,
    unequal=True,
    aliases={"local_steps": ("tau", "taus", "tau_k")},
)
