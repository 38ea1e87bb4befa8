"""Brute force: moments as a mixture over all cohorts and all values of the noise.  The oracle of the closed forms.

It also serves algorithms whose rounds are of degree two in the scheme's random scalars (two averages of one cohort),
for few rounds: the number of branches multiplies from round to round.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np

from fltheory.algorithms.participation import CohortOutcome, Participation
from fltheory.algorithms.vocabulary import Algorithm
from fltheory.kinds import Array, Integers, Number, PointLike, Truths
from fltheory.problems.base import Problem, check_count, check_shape
from fltheory.problems.blocks import blocks_of
from fltheory.problems.mixed import client_part
from fltheory.problems.oracles import AnyOracle, Exact, check_oracle, is_noisy
from fltheory.problems.oracles.protocol import FINITE
from fltheory.readings.arrays import ArrayFederation, Cohorts, cohorts_from_outcomes, compressor_variance
from fltheory.readings.centre import check_centre_oracle, require_centre
from fltheory.readings.entry import Setup, enter, open_state
from fltheory.readings.follower import client_draws
from fltheory.readings.moments import Moments
from fltheory.readings.noise import central_calls, compressors, convert_oracle, require_quiet_central_start
from fltheory.readings.numbers import Numbers

#: More branches than this are refused.
MOST_BRANCHES = 200_000
#: Who asks an oracle.
READER = "enumeration needs"
#: Stands for the server among the clients.
_SERVER = -1


def enumerate_moments(
    problem: Problem,
    algorithm: Algorithm,
    *,
    rounds: int,
    oracle: AnyOracle | None = None,
    centre_oracle: AnyOracle | None = None,
    start: PointLike | None = None,
    exact: bool = False,
) -> Moments:
    """As ``moments``, by running every cohort with every value of the noise.

    ``oracle`` and ``centre_oracle`` are ``Exact()``, ``FiniteSupportNoise``, ``MiniBatch`` or any of finite support.

    Raises
    ------
    ValueError : noise of infinite support; more branches than :data:`MOST_BRANCHES`.
    """
    rounds = check_count("rounds", rounds, least=0)
    entry = enter(problem, algorithm, exact=exact)
    given: AnyOracle = Exact() if oracle is None else oracle
    check_oracle(entry.problem, given)
    noise = convert_oracle(given, entry.numbers)
    central = convert_oracle(check_centre_oracle(entry.problem, centre_oracle), entry.numbers)
    require_quiet_central_start(entry, central)
    opening = open_state(entry, start)
    opening.require_quiet_start(noise)
    states, chances = opening.values[None, :], entry.numbers.array([1])
    history = [(chances, states @ opening.model.T)]
    for round in range(rounds):
        parts, weights = [], []
        for outcome in entry.participation.outcomes(entry.weights):
            draws = _all_draws(entry, noise, central, outcome, len(states), round)
            repeated = np.repeat(states, draws.branches, axis=0)
            fed = ArrayFederation(entry.problem, entry.participation, draws, entry.numbers)
            fed.begin(round)
            after = entry.algorithm.round(fed, opening.layout.build(fed, opening.template, repeated))
            parts.append(opening.layout.flatten(after))
            weights.append(np.repeat(chances, draws.branches) * draws.chances * outcome.probability)
        states, chances = np.concatenate(parts), np.concatenate(weights)
        history.append((chances, states @ opening.model.T))
    return _summary(entry, history)


def _summary(entry: Setup, history: list[tuple[Array, Array]]) -> Moments:
    constants = entry.problem.constants
    minimiser = constants.minimiser
    means, seconds, distances, gaps = [], [], [], []
    for chances, models in history:
        deviations = models - minimiser
        means.append(chances @ models)
        seconds.append((deviations * chances[:, None]).T @ deviations)
        distances.append(np.trace(seconds[-1]))
        gaps.append(chances @ (entry.problem.value(models) - constants.minimum))
    listed = np.arange(len(history), dtype=np.int64)
    return Moments(listed, np.stack(means), np.stack(seconds), np.array(distances), np.array(gaps), minimiser)


@dataclass(frozen=True)
class _AllDraws:
    """One cohort for all runs; run ``i`` uses the noise values of branch ``i mod branches``."""

    problem: Problem
    numbers: Numbers
    oracle: AnyOracle
    central: AnyOracle
    outcome: CohortOutcome
    runs: int
    branches: int
    chances: Array
    picks: dict[tuple[int, int, int], Integers]

    def cohorts(self, round: int, participation: Participation, weights: Array) -> Cohorts:
        return cohorts_from_outcomes([self.outcome] * self.runs, self.numbers, int(self.problem.n_clients))

    def gradient(self, round: int, step: int, x: Array, clients: Array, occurrence: Array) -> Array:
        if not is_noisy(self.oracle):
            gradients: Array = self.problem.client_gradients(x, clients)
            return gradients
        part = client_part(self.problem)
        columns = []
        for slot in range(clients.shape[1]):
            client, repeat = int(clients[0, slot]), int(occurrence[0, slot])
            pick = self.picks[step, client, repeat]
            columns.append(_answers(part, self.oracle, client, x[:, slot], pick))
        return np.stack(columns, axis=1)

    def centre_gradient(self, round: int, step: int, y: Array) -> Array:
        if not is_noisy(self.central):
            return require_centre(self.problem).centre_gradient(y)
        return _answers(require_centre(self.problem).centre, self.central, 0, y, self.picks[step, _SERVER, 0])

    def kept(self, round: int, step: int, chance: Number, clients: Array, occurrence: Array) -> Truths:
        places = np.arange(int(self.problem.dimension))
        columns = []
        for slot in range(clients.shape[1]):
            pick = self.picks[_drawn(step), int(clients[0, slot]), int(occurrence[0, slot])]
            columns.append((pick[:, None] >> places) & 1 == 1)
        return np.stack(columns, axis=1)


def _drawn(step: int) -> int:
    """The "step" of a compressor's draw among those of the oracle, which count from 0."""
    return -1 - step


def _answers(problem: Problem, oracle: AnyOracle, client: int, x: Array, picks: Array) -> Array:
    """The values of one call, ``(runs, d)``."""
    found = np.asarray(FINITE.of(oracle, READER).answers(problem, client, x, picks))
    check_shape(f"answers() of {type(oracle).__name__}", found, x.shape)
    return found


def _all_draws(
    entry: Setup, oracle: AnyOracle, central: AnyOracle, outcome: CohortOutcome, states: int, round: int
) -> _AllDraws:
    """All combinations of the noise of one round of one cohort."""
    problem, numbers = entry.problem, entry.numbers
    addresses, laws = [], []
    variances = compressors(entry, round)
    steps: list[tuple[int, Any]] = [(step, None) for step in range(_draws(entry, round) if is_noisy(oracle) else 0)]
    for step, variance in [*steps, *((_drawn(step), variance) for step, variance in enumerate(variances))]:
        seen: dict[int, int] = {}
        for client in outcome.clients:
            repeat = seen.get(client, -1) + 1 if entry.participation.separate_runs else 0
            if repeat > seen.get(client, -1):
                addresses.append((step, client, repeat))
                part = client_part(problem)
                of_noise = step >= 0
                law = _law(part, oracle, client, numbers) if of_noise else _law_of_masks(part, variance, numbers)
                laws.append(law)
            seen[client] = repeat
    for step in range(central_calls(entry, round) if is_noisy(central) else 0):
        addresses.append((step, _SERVER, 0))
        laws.append(_law(problem.centre, central, 0, numbers))
    branches = int(np.prod([len(law) for law in laws]))
    if branches * states > MOST_BRANCHES:
        raise ValueError(f"{branches * states} branches exceed {MOST_BRANCHES}: not enumerated")
    table = np.array(list(product(*(range(len(law)) for law in laws))), dtype=np.int64).reshape(branches, len(laws))
    chances = numbers.array(np.ones(branches, dtype=int))
    for column, law in enumerate(laws):
        chances = chances * np.array(law, dtype=numbers.dtype)[table[:, column]]
    picks = {address: np.tile(table[:, i], states) for i, address in enumerate(addresses)}
    runs = states * branches
    return _AllDraws(problem, numbers, oracle, central, outcome, runs, branches, np.tile(chances, states), picks)


def _draws(entry: Setup, round: int) -> int:
    problem = entry.problem
    return client_draws(entry.algorithm, problem.n_clients, round, blocks_of(problem))


def _law_of_masks(problem: Problem, variance: Number, numbers: Numbers) -> list[Any]:
    """Probabilities of the sets of coordinates that a compressor keeps, by their binary digits."""
    dimension = int(problem.dimension)
    if 2**dimension > MOST_BRANCHES:
        raise ValueError(f"2^{dimension} sets of coordinates exceed {MOST_BRANCHES} branches: not enumerated")
    kept = 1 / (1 + compressor_variance(numbers, variance))
    counts = [mask.bit_count() for mask in range(2**dimension)]
    return [kept**count * (1 - kept) ** (dimension - count) for count in counts]


def _law(problem: Problem, oracle: AnyOracle, client: int, numbers: Numbers) -> list[Any]:
    """Probabilities of the values of one call's noise."""
    law = [numbers.convert(p) for p in FINITE.of(oracle, READER).probabilities_of(problem, client)]
    if not all(p >= 0 for p in law) or abs(sum(law) - 1) > (0 if numbers.exact else 1e-9):
        raise ValueError(
            f"probabilities_of() of {type(oracle).__name__} sum to {sum(law)} for client {client}; expected p_j >= 0 and sum 1"
        )
    return law
