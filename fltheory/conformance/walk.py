"""Run a family's text on a probe, round by round, by the arrays reading of the package."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from fltheory.algorithms.participation import CohortOutcome, Full
from fltheory.conformance.aggregation import cohort_of
from fltheory.conformance.family import AlgorithmFamily
from fltheory.conformance.probes import Probe
from fltheory.conformance.server import shown
from fltheory.conformance.words import ChangedProbe, ProbeRound
from fltheory.kinds import Floats
from fltheory.readings.arrays import ArrayFederation, cohorts_from_outcomes
from fltheory.readings.draws import ExactDraws
from fltheory.readings.numbers import FLOAT

#: A model beyond this has diverged.
LARGEST = 1e100


@dataclass(frozen=True)
class _Summing(ExactDraws):
    """Exact gradients, and cohorts in which every member has coefficient 1."""

    listed: tuple[tuple[int, ...], ...] = ()

    def cohorts(self, round: int, participation: Any, weights: Any) -> Any:
        clients = self.listed[round]
        outcome = CohortOutcome(1.0, clients, (1.0,) * len(clients), 0.0)
        return cohorts_from_outcomes([outcome], self.numbers, int(self.problem.n_clients))


class _Given(ProbeRound):
    """A round whose cohort may be another than the probe's."""

    def __init__(self, fed: Any, setting: ChangedProbe) -> None:
        super().__init__(fed, setting)
        self.cohort = cohort_of(setting, max(fed.round, 0))


def walk(family: AlgorithmFamily, probe: Probe, values: Mapping[str, Any], changes: frozenset[str]) -> Iterator[Floats]:
    """The models ``(4,)`` before the first round and after each one; ends early where they are not finite."""
    setting = ChangedProbe(probe, values, changes)
    listed = tuple(cohort_of(setting, round) for round in range(probe.rounds))
    draws = _Summing(probe.problem, FLOAT, listed=listed)
    fed = ArrayFederation(probe.problem, Full(), draws, FLOAT)
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        fed.round = 0
        state = family.start(_Given(fed, setting), fed.vector(probe.start))
        models = [state["w"].payload[0]]
        last = models[0]
        yield last
        for round in range(probe.rounds):
            fed.begin(round)
            here = _Given(fed, setting)
            state = family.round(here, state)
            models.append(state["w"].payload[0])
            last = shown(here, models, last)
            yield last
            if not bool(np.all(np.abs(models[-1]) < LARGEST)):
                return


def path(family: AlgorithmFamily, probe: Probe, values: Mapping[str, Any], changes: frozenset[str]) -> Floats:
    """All models ``(rounds + 1, 4)``; what was not reached is NaN."""
    found = np.full((probe.rounds + 1, len(probe.start)), np.nan)
    for place, model in enumerate(walk(family, probe, values, changes)):
        found[place] = model
    return found
