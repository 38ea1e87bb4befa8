"""FedAvg (McMahan et al. 2017), with a learning rate of the server where a run has one."""

from __future__ import annotations

from typing import Any

from fltheory.algorithms.participation import Full
from fltheory.algorithms.two_sided import TwoSidedFedAvg
from fltheory.conformance.aggregation import AGGREGATION, change, remember
from fltheory.conformance.family import WEIGHTS_BY_COUNTS, AlgorithmFamily
from fltheory.conformance.local import LOCAL, descend
from fltheory.conformance.server import SERVER, SHOWN, stepped
from fltheory.conformance.words import ProbeRound, State

COMMON = (*AGGREGATION, *LOCAL, *SERVER, *SHOWN)


def start(h: ProbeRound, w: Any) -> State:
    """The model."""
    return remember(h, w)


def round(h: ProbeRound, state: State) -> State:
    """Local steps, average, and the server's step."""
    update, _, _, fresh = change(h, state, lambda begin: descend(h, begin))
    fresh["w"] = stepped(h, state["w"], update, fresh)
    return fresh


def published(probe: Any) -> Any:
    """The package's."""
    values = probe.values
    steps = probe.local_steps if probe.unequal else probe.local_steps[0]
    return TwoSidedFedAvg(steps, values["step_size"], values.get("server_step_size", 1), Full())


FEDAVG = AlgorithmFamily(
    name="FedAvg",
    title="FedAvg (McMahan et al. 2017)",
    values={"step_size": 0.04, "server_step_size": 0.7, "decay": 0.8},
    needs=("step_size",),
    neutral={"server_step_size": 1.0, "decay": 1.0},
    start=start,
    round=round,
    conventions=WEIGHTS_BY_COUNTS,
    deviations=COMMON,
    published=published,
    unequal=True,
)
