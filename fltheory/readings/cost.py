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
from fltheory.problems.blocks import Blocks, blocks_of
from fltheory.problems.checks import check_count, check_problem
from fltheory.readings.arrays import participation_of
from fltheory.readings.cohort_cost import Total, cohort_total, sum_of
from fltheory.readings.follower import Follower
from fltheory.readings.round_cost import COUNTED, PROXIMAL, RoundCost
from fltheory.readings.tokens import CostFederation
from fltheory.tables import Framed, Shown, number

#: Tables by round and client have at most so many entries.
MOST_ENTRIES = 10_000_000


@dataclass(frozen=True, eq=False)
class Cost(Shown, Framed):
    """Counts of ``rounds`` rounds: vectors of ``dimension`` numbers down to and up from clients, and oracle calls.

    ``down``, ``up`` and ``gradients`` are those of one client that takes part in one round, ``central_gradients`` the
    server's own calls in one round; ``proximal_steps`` and ``central_proximal_steps`` are problems solved.  They are
    numbers where all rounds and all clients agree and raise ``ValueError`` where they do not; ``by_client(name)`` and
    ``round(r)`` tell them apart, ``total(name)`` adds them up.

    ``opening`` is what the algorithm's ``start`` asks of every client, before round 0.  The rounds are those of ``head``
    and then those of ``cycle`` over and over; a cycle is there only where it is proved (see :func:`cost`).  ``slots`` is
    the size of a cohort.

    Where layers are averaged apart, ``down`` and ``up`` of a round may differ from layer to layer (``blocks``):
    ``by_layer(name)`` and ``layer_totals(name)`` tell them apart, and ``numbers_sent`` counts each layer with its size.
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
    blocks: Blocks = Blocks.one(1)

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
        """The counts of "down", "up", "gradients" or "proximal_steps", ``(rounds, N)``, for a client that takes part in the round.

        Raises
        ------
        ValueError : an unknown name; a table of more than :data:`MOST_ENTRIES` entries.
        """
        if self.rounds * self.n_clients > MOST_ENTRIES:
            raise ValueError(
                f"rounds={self.rounds} of N={self.n_clients} clients exceed {MOST_ENTRIES} entries: see round(r), total(name)"
            )
        return np.array([self.round(r).by_client(name) for r in range(self.rounds)])

    def by_layer(self, name: str) -> Integers:
        """The counts of "down" or "up" of each layer, ``(rounds, L)``, for any client that takes part in the round.

        Raises
        ------
        ValueError : an unknown name; clients that differ; a table of more than :data:`MOST_ENTRIES` entries.
        """
        if self.rounds * len(self.blocks) > MOST_ENTRIES:
            raise ValueError(
                f"rounds={self.rounds} of {len(self.blocks)} layers exceed {MOST_ENTRIES} entries: see layer_totals(name)"
            )
        rows = [self.round(r).by_layer(name, len(self.blocks)) for r in range(self.rounds)]
        if any(bool((row != row[:, :1]).any()) for row in rows):
            raise ValueError(f"{name} differs from client to client: see round(r).layers or layer_totals({name!r})")
        return np.array([row[:, 0] for row in rows])

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
    def proximal_steps(self) -> int:
        """Proximal steps of a client per round, each a problem that it solves."""
        return self._same("proximal_steps")

    @property
    def central_proximal_steps(self) -> int:
        """Proximal steps of the server's own loss per round."""
        return self._same("central_proximal_steps")

    @property
    def central_gradients(self) -> int:
        """Gradients of the server's own loss per round."""
        return self._same("central_gradients")

    def _same(self, name: str) -> int:
        if not name.startswith("central") and self._layered(name):
            raise ValueError(f"{name} differs from layer to layer: see by_layer({name!r}) or layer_totals({name!r})")
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
        """The count of "down", "up", "gradients", "proximal_steps" or "central_..." over the start and all rounds and clients.

        A number where it is certain; under a random cohort whose members cost differently its mean and its least and
        largest value.
        """
        if name in ("central_gradients", "central_proximal_steps"):
            count = getattr(self.opening, name) + sum(getattr(c, name) * often for c, often in self._counted())
            return Total(count, count, count)
        if self._layered(name):
            raise ValueError(f"{name} differs from layer to layer: see by_layer({name!r}) or layer_totals({name!r})")
        opening = int(self.opening.by_client(name).sum())
        parts = [(Total(opening, opening, opening), 1)]
        for cost, often in self._counted():
            parts.append((cohort_total(self.participation, self.weights, cost.by_client(name)), often))
        return sum_of(parts)

    def layer_totals(self, name: str) -> tuple[Total, ...]:
        """As :meth:`total` of "down" or "up", for each layer."""
        count = len(self.blocks)
        first = [int(row.sum()) for row in self.opening.by_layer(name, count)]
        parts = [[(Total(opened, opened, opened), 1)] for opened in first]
        for cost, often in self._counted():
            for place, row in enumerate(cost.by_layer(name, count)):
                parts[place].append((cohort_total(self.participation, self.weights, row), often))
        return tuple(sum_of(listed) for listed in parts)

    def _layered(self, name: str) -> bool:
        """Whether the layers are sent differently often in the start or in some round."""
        costs = [self.opening, *(cost for cost, _ in self._counted())]
        return any(name in cost.layers for cost in costs)

    @property
    def numbers_sent(self) -> int:
        """Scalars over the network in both directions, the start, all rounds and clients; ``ValueError`` if it is random."""
        if not self._layered("down") and not self._layered("up"):
            return (self._certain("down") + self._certain("up")) * self.dimension
        sizes = self.blocks.sizes
        return sum(
            size * self._sure(name, total)
            for name in ("down", "up")
            for size, total in zip(sizes, self.layer_totals(name), strict=True)
        )

    @property
    def total_gradients(self) -> int:
        """Calls of the clients' oracles, the start, all rounds and clients; ``ValueError`` if it is random."""
        return self._certain("gradients")

    def _certain(self, name: str) -> int:
        return self._sure(name, self.total(name))

    def _sure(self, name: str, total: Total) -> int:
        if total.least != total.most:
            raise ValueError(
                f"the total of {name} depends on the cohorts, from {total.least} to {total.most}, in the mean "
                f"{float(total.mean):.6g}: see total({name!r})"
            )
        return int(total.most)

    def records(self) -> list[dict[str, Any]]:
        """One dict per thing that is counted: name, total (its mean over cohorts), least, most."""
        names = (*COUNTED, "central_gradients", PROXIMAL, f"central_{PROXIMAL}")
        totals = [(name, self.total(name)) for name in names]
        return [{"count": n, "total": float(t.mean), "least": int(t.least), "most": int(t.most)} for n, t in totals]

    def facts(self) -> list[tuple[str, str]]:
        rows = [(f"{row['count']} in {self.rounds} rounds", number(row["total"])) for row in self.records()]
        return [(name, total) for name, total in rows if total != "0"]

    def __repr__(self) -> str:
        shown = []
        solved = [name for name in (PROXIMAL, f"central_{PROXIMAL}") if self.total(name).most]
        for name in (*COUNTED, "central_gradients", *solved):
            try:
                shown.append(f"{name}={getattr(self, name)}")
            except ValueError:
                if self._layered(name):
                    listed = zip(self.blocks.names, self.layer_totals(name), strict=True)
                    shown.append(f"{name} in all={ {layer: total.most for layer, total in listed} }")
                    continue
                total = self.total(name)
                many = f"{total.most}" if total.certain else f"{float(total.mean):.6g} in the mean"
                shown.append(f"{name}=differing, {many} in all")
        told = "" if self.opening.key() == _nothing(self.n_clients).key() else f", opening={self.opening!r}"
        return f"Cost({', '.join(shown)}, slots={self.slots}, dimension={self.dimension}, rounds={self.rounds}{told})"


def cost(problem_or_sizes: Problem | tuple[int, int | Blocks], algorithm: Algorithm, rounds: int = 1) -> Cost:
    """Communication and computation of the start and of ``rounds`` rounds, each counted from the algorithm's text.

    ``problem_or_sizes`` is a problem or the pair ``(n_clients, dimension)``, which stands for equal weights; the dimension may
    be given as :class:`Blocks`, the layers of a model.  What counts
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
        n_clients = check_count("n_clients", n_clients)
        blocks = dimension if isinstance(dimension, Blocks) else Blocks.one(check_count("dimension", dimension))
        weights: tuple[Any, ...] = (Fraction(1, n_clients),) * n_clients
    else:
        check_problem("problem_or_sizes", problem_or_sizes)
        n_clients, blocks = problem_or_sizes.n_clients, blocks_of(problem_or_sizes)
        weights = tuple(problem_or_sizes.weights)
    rounds = check_count("rounds", rounds)
    participation = participation_of(algorithm)
    participation.check(list(weights))
    follower = Follower(algorithm, CostFederation(n_clients, participation, weights, blocks))
    opening, head, cycle = follower.opening, *follower.counted(rounds)
    slots, dimension = participation.slots(n_clients), blocks.dimension
    return Cost(n_clients, dimension, rounds, slots, participation, weights, opening, head, cycle, blocks)


def _nothing(n_clients: int) -> RoundCost:
    zeros = np.zeros(n_clients, dtype=np.int64)
    return RoundCost(zeros, zeros, zeros, 0)
