"""The plain run: a trajectory in any number type, with exact gradients and given cohorts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from fltheory.algorithms.participation import CohortOutcome, Full, Participation
from fltheory.algorithms.vocabulary import Algorithm, model_of
from fltheory.kinds import Array, Number, PointLike
from fltheory.problems.base import Problem, check_count, check_sequence
from fltheory.problems.checks import check_request
from fltheory.readings.arrays import ArrayFederation, OracleCall
from fltheory.readings.draws import ExactDraws
from fltheory.readings.entry import Layout, enter
from fltheory.readings.numbers import Numbers
from fltheory.tables import Framed, Shown, number

#: A float run whose model exceeds this in a coordinate is ended with the status "diverged".
LARGEST = 1e150


@dataclass(frozen=True, eq=False, repr=False)
class Trajectory(Shown, Framed):
    """``models`` ``(rounds+1, d)``; ``state`` ``(D,)``, the last enlarged state; ``calls``, the oracle's log.

    ``status`` is "finished", or "diverged": then the run ends before the model overflows.
    """

    models: Array
    state: Array
    calls: tuple[OracleCall, ...]
    status: str = "finished"

    def headline(self) -> str:
        models = np.asarray(self.models)
        step = np.linalg.norm((models[-1] - models[-2]).astype(np.float64)) if len(models) > 1 else 0.0
        length = np.linalg.norm(models[-1].astype(np.float64))
        size = f"{len(models) - 1} rounds, d={models.shape[1]}"
        return f"{size}: |w_R| = {length:.6g}, the last round moved it by {step:.3g}; {self.status}"

    def facts(self) -> list[tuple[str, str]]:
        shown = [number(value) for value in self.models[-1][:6]]
        return [("last model", ", ".join(shown) + (", ..." if len(self.models[-1]) > 6 else ""))]

    def records(self) -> list[dict[str, Any]]:
        """One dict per round, the start included: round, and the coordinates w0, w1, ..."""
        return [{"round": r} | {f"w{i}": value for i, value in enumerate(w)} for r, w in enumerate(self.models)]


def trajectory(
    problem: Problem,
    algorithm: Algorithm,
    *,
    rounds: int,
    start: PointLike | None = None,
    exact: bool = False,
    numbers: Numbers | None = None,
    cohorts: Sequence[Any] | None = None,
) -> Trajectory:
    """Run ``rounds`` rounds with exact gradients.

    ============= ===================================================================================================
    argument      meaning
    ============= ===================================================================================================
    ``start``     the initial model (default: zero)
    ``exact``     rationals; ``numbers`` names another number type
    ``cohorts``   one per round (repeated cyclically), each an ``CohortOutcome`` of the scheme or the tuple of its clients;
                  needed under random participation
    ============= ===================================================================================================

    Raises
    ------
    ValueError : random participation without cohorts; a cohort that the scheme cannot draw; ``rounds < 0``.
    """
    rounds = check_count("rounds", rounds, least=0)
    entry = enter(problem, algorithm, exact=exact, numbers=numbers)
    check_request(f"rounds={rounds}", rounds * entry.problem.dimension * (1 + entry.problem.n_clients))
    given = () if cohorts is None else check_sequence("cohorts", cohorts, "one tuple of clients per round")
    outcomes = tuple((_outcome(entry.participation, entry.weights, cohort),) for cohort in given)
    log: list[OracleCall] = []
    draws = ExactDraws(entry.problem, entry.numbers, outcomes)
    fed = ArrayFederation(entry.problem, entry.participation, draws, entry.numbers, log=log)
    state = entry.algorithm.start(fed, fed.vector(np.zeros(fed.dimension, dtype=int) if start is None else start))
    layout = Layout.of(state, fed.n_clients, fed.dimension)
    models, status = [model_of(entry.algorithm, fed, state).payload[0]], "finished"
    for round in range(rounds):
        fed.begin(round)
        with np.errstate(over="ignore", invalid="ignore"):  # a run that diverges is told by its status
            following = entry.algorithm.round(fed, state)
            model = model_of(entry.algorithm, fed, following).payload[0]
        if not entry.numbers.exact and not bool(np.all(np.abs(model) < LARGEST)):
            status = "diverged"
            break
        state = following
        models.append(model)
    return Trajectory(np.stack(models), layout.flatten(state)[0], tuple(log), status)


def _outcome(scheme: Participation, weights: list[Number], cohort: Any) -> CohortOutcome:
    """The outcome of a scheme with the given clients."""
    if isinstance(cohort, CohortOutcome):
        return cohort
    named = check_sequence("cohorts", cohort, "an CohortOutcome or the tuple of a round's clients")
    clients = tuple(check_count("cohorts", client, least=0) for client in named)
    if isinstance(scheme, Full) and clients != tuple(range(len(weights))):
        raise ValueError(f"cohorts: cohort {clients}: full participation has all {len(weights)} clients")
    for outcome in scheme.outcomes(weights):
        if outcome.clients == clients:
            return outcome
    raise ValueError(f"cohorts: cohort {clients} is none that {scheme!r} draws")
