"""The cost reading: what the rounds send, average and compute, counted from the algorithm's text, round by round."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from itertools import islice
from typing import Any

import numpy as np

from fltheory.algorithms.participation import Participation
from fltheory.algorithms.vocabulary import Algorithm, check_algorithm
from fltheory.kinds import Integers
from fltheory.problems.base import Problem
from fltheory.problems.checks import check_count, check_problem
from fltheory.readings.arrays import participation_of
from fltheory.readings.cohort_cost import Total, cohort_total, sum_of
from fltheory.readings.follower import Follower
from fltheory.readings.round_cost import COUNTED, RoundCost
from fltheory.readings.tokens import CostFederation

#: Tables by round and client have at most so many entries.
MOST_ENTRIES = 10_000_000


@dataclass(frozen=True, eq=False)
class Cost:
    """Counts of ``rounds`` rounds: vectors of ``dimension`` numbers down to and up from clients, and oracle calls.

    ``down``, ``up`` and ``gradients`` are those of one client that takes part in one round, ``central_gradients`` the
    server's own calls in one round.  They are numbers where all rounds and all clients agree and raise ``ValueError``
    where they do not; ``by_client(name)`` and ``round(r)`` tell them apart, ``total(name)`` adds them up.

    ``opening`` is what the algorithm's ``start`` asks of every client, before round 0.  The rounds are those of ``head``
    and then those of ``cycle`` over and over; a cycle is there only where it is proved (see :func:`cost`).  ``slots`` is
    the size of a cohort.
    """

    n_clients: int
    dimension: int
    rounds: int
    slots: int
    participation: Participation
    weights: tuple[Any, ...]
    opening: RoundCost
    head: tuple[RoundCost, ...]
    cycle: tuple[RoundCost, ...] = ()

    def round(self, index: int) -> RoundCost:
        """The cost of round ``index``, from 0; also of one after the last where a cycle is proved.

        Raises
        ------
        ValueError : a round that was not counted.
        """
        index = check_count("round", index, least=0)
        if index < len(self.head):
            return self.head[index]
        if not self.cycle:
            raise ValueError(f"round={index} was not counted; expected round < {len(self.head)}")
        return self.cycle[(index - len(self.head)) % len(self.cycle)]

    def by_client(self, name: str) -> Integers:
        """The counts of "down", "up" or "gradients", ``(rounds, N)``, each for a client that takes part in the round.

        Raises
        ------
        ValueError : an unknown name; a table of more than :data:`MOST_ENTRIES` entries.
        """
        if self.rounds * self.n_clients > MOST_ENTRIES:
            raise ValueError(
                f"rounds={self.rounds} of N={self.n_clients} clients exceed {MOST_ENTRIES} entries: see round(r), total(name)"
            )
        return np.array([self.round(r).by_client(name) for r in range(self.rounds)])

    @property
    def down(self) -> int:
        """Vectors sent to a client per round."""
        return self._same("down")

    @property
    def up(self) -> int:
        """Vectors received from a client per round."""
        return self._same("up")

    @property
    def gradients(self) -> int:
        """Calls of a client's oracle per round."""
        return self._same("gradients")

    @property
    def central_gradients(self) -> int:
        """Gradients of the server's own loss per round."""
        return self._same("central_gradients")

    def _same(self, name: str) -> int:
        found = {getattr(cost, name) for cost, _ in self._counted()}
        if len(found) > 1:
            raise ValueError(
                f"{name} differs from round to round, from {min(found)} to {max(found)}: see round(r), by_client({name!r}) "
                f"or total({name!r})"
            )
        return int(found.pop())

    def _counted(self) -> list[tuple[RoundCost, int]]:
        """Each different round and how often it occurs."""
        times: dict[int, list[Any]] = {}
        late = self.rounds - len(self.head)
        for cost in islice(self.head, self.rounds):
            times.setdefault(id(cost), [cost, 0])[1] += 1
        for place, cost in enumerate(self.cycle):
            often = (late - place + len(self.cycle) - 1) // len(self.cycle) if late > place else 0
            if often:
                times.setdefault(id(cost), [cost, 0])[1] += often
        return [(cost, often) for cost, often in times.values()]

    def total(self, name: str) -> Total:
        """The count of "down", "up", "gradients" or "central_gradients" over the start and all rounds and clients.

        A number where it is certain; under a random cohort whose members cost differently its mean and its least and
        largest value.
        """
        if name == "central_gradients":
            count = self.opening.central_gradients + sum(c.central_gradients * often for c, often in self._counted())
            return Total(count, count, count)
        opening = int(self.opening.by_client(name).sum())
        parts = [(Total(opening, opening, opening), 1)]
        for cost, often in self._counted():
            parts.append((cohort_total(self.participation, self.weights, cost.by_client(name)), often))
        return sum_of(parts)

    @property
    def numbers_sent(self) -> int:
        """Scalars over the network in both directions, the start, all rounds and clients; ``ValueError`` if it is random."""
        return (self._certain("down") + self._certain("up")) * self.dimension

    @property
    def total_gradients(self) -> int:
        """Calls of the clients' oracles, the start, all rounds and clients; ``ValueError`` if it is random."""
        return self._certain("gradients")

    def _certain(self, name: str) -> int:
        total = self.total(name)
        if total.least != total.most:
            raise ValueError(
                f"the total of {name} depends on the cohorts, from {total.least} to {total.most}, in the mean "
                f"{float(total.mean):.6g}: see total({name!r})"
            )
        return int(total.most)

    def __repr__(self) -> str:
        shown = []
        for name in (*COUNTED, "central_gradients"):
            try:
                shown.append(f"{name}={getattr(self, name)}")
            except ValueError:
                total = self.total(name)
                many = f"{total.most}" if total.certain else f"{float(total.mean):.6g} in the mean"
                shown.append(f"{name}=differing, {many} in all")
        told = "" if self.opening.key() == _nothing(self.n_clients).key() else f", opening={self.opening!r}"
        return f"Cost({', '.join(shown)}, slots={self.slots}, dimension={self.dimension}, rounds={self.rounds}{told})"


def cost(problem_or_sizes: Problem | tuple[int, int], algorithm: Algorithm, rounds: int = 1) -> Cost:
    """Communication and computation of the start and of ``rounds`` rounds, each counted from the algorithm's text.

    ``problem_or_sizes`` is a problem or the pair ``(n_clients, dimension)``, which stands for equal weights.  What counts
    as one vector sent, received or computed is said in :mod:`fltheory.readings.round_cost`; a zero vector is sent for
    free, such as a correction in its first round.

    Rounds are counted one by one until a period is proved: a round whose text uses ``fed.round`` in remainders by
    constants and in comparisons with constants only does the same in every later round with the same remainders and the
    same zeros in its state.  Other rounds (step sizes that change) are all counted.

    Raises
    ------
    ValueError : ``rounds < 1``; sizes below one; a scheme that does not fit; more rounds than can be counted, where no
        period is proved.
    """
    check_algorithm("algorithm", algorithm)
    if isinstance(problem_or_sizes, tuple):
        if len(problem_or_sizes) != 2:
            raise ValueError(f"problem_or_sizes={problem_or_sizes} is no pair; expected (n_clients, dimension)")
        n_clients, dimension = problem_or_sizes
        n_clients, dimension = check_count("n_clients", n_clients), check_count("dimension", dimension)
        weights: tuple[Any, ...] = (Fraction(1, n_clients),) * n_clients
    else:
        check_problem("problem_or_sizes", problem_or_sizes)
        n_clients, dimension = problem_or_sizes.n_clients, problem_or_sizes.dimension
        weights = tuple(problem_or_sizes.weights)
    rounds = check_count("rounds", rounds)
    participation = participation_of(algorithm)
    participation.check(list(weights))
    follower = Follower(algorithm, CostFederation(n_clients, participation, weights))
    opening, head, cycle = follower.opening, *follower.counted(rounds)
    return Cost(
        n_clients, dimension, rounds, participation.slots(n_clients), participation, weights, opening, head, cycle
    )


def _nothing(n_clients: int) -> RoundCost:
    zeros = np.zeros(n_clients, dtype=np.int64)
    return RoundCost(zeros, zeros, zeros, 0)
