"""Following an algorithm's text over tokens, round by round, until a period is proved."""

from __future__ import annotations

from math import lcm
from typing import Any

from fltheory.algorithms.vocabulary import Algorithm, ClientVector, Vector, leaves, with_leaves
from fltheory.problems.blocks import Blocks
from fltheory.readings.arrays import participation_of
from fltheory.readings.round_cost import RoundCost, count_round
from fltheory.readings.round_index import Asked, RoundIndex, RoundIndexUsed
from fltheory.readings.tokens import MOST_DRAWS, CostFederation, Token

#: Rounds are counted one by one up to so much work, in tokens.
MOST_WORK = 1_000_000
#: After so many rounds without hope of a period it is judged whether the others can be counted.
TRIAL = 20


def client_draws(algorithm: Algorithm, n_clients: int, round: int, blocks: Blocks | None = None) -> int:
    """How many draws of the clients' oracle round ``round`` names: calls of the gradient, shared draws counted once."""
    follower = Follower(algorithm, CostFederation(n_clients, participation_of(algorithm), blocks=blocks))
    follower.fed.begin(round)
    algorithm.round(follower.fed, follower.state)
    return follower.fed.batches


class Follower:
    """Follows an algorithm round by round; equal rounds are one object."""

    def __init__(self, algorithm: Algorithm, fed: CostFederation) -> None:
        self.algorithm = algorithm
        self.fed = fed
        self._found: dict[Any, RoundCost] = {}
        started = algorithm.start(fed, Vector(fed, Token("state")))
        self.opening = self._count(started)[0]
        self.state = _renewed(fed, started)

    def _count(self, state: Any) -> tuple[RoundCost, int]:
        cost, work = count_round(self.fed, [leaf.payload for leaf in leaves(state)])
        return self._found.setdefault(cost.key(), cost), work

    def counted(self, rounds: int) -> tuple[tuple[RoundCost, ...], tuple[RoundCost, ...]]:
        """The rounds before a cycle, and the cycle; without a cycle all rounds."""
        found: list[RoundCost] = []
        seen: dict[Any, int] = {}
        asked = Asked()
        provable, divisor, work = True, 1, 0
        for round in range(rounds):
            if provable and round > asked.last:
                key = (_pattern(self.state), round % divisor)
                if key in seen:
                    return tuple(found[: seen[key]]), tuple(found[seen[key] :])
                seen[key] = round
            provable = provable and self._follow(RoundIndex(round, asked))
            if not provable:
                self._follow_plainly(round)
            if lcm(*asked.divisors) != divisor:
                divisor, seen = lcm(*asked.divisors), {}
            seen = {key: since for key, since in seen.items() if since > asked.last}
            cost, spent = self._count(self.after)
            found.append(cost)
            self.state = _renewed(self.fed, self.after)
            work += spent
            judged = work if provable or round < TRIAL else work * rounds / (round + 1)
            if judged > MOST_WORK and round + 1 < rounds:
                most = max(round + 1, MOST_WORK * (round + 1) // work)
                raise ValueError(
                    f"rounds={rounds}: no period of {type(self.algorithm).__name__} was proved in its first {round + 1} rounds, "
                    f"and counting all one by one would take too long; expected rounds <= {most} or so"
                )
        return tuple(found), ()

    def _follow(self, index: RoundIndex) -> bool:
        """Whether the round's text could be followed without computing with its index."""
        try:
            self._follow_plainly(index)
        except RoundIndexUsed:
            return False
        except Exception:  # a library that got an index it does not know; the plain round shows true mistakes
            if self.fed.batches > MOST_DRAWS:
                raise
            return False
        return True

    def _follow_plainly(self, round: Any) -> None:
        self.fed.begin(round)
        self.after = self.algorithm.round(self.fed, self.state)


def _renewed(fed: CostFederation, state: Any) -> Any:
    """The state as the next round finds it: its vectors are new unknowns, zeros stay zero, one vector stays one."""
    made: dict[int, Token] = {}
    vectors: list[Any] = []
    for leaf in leaves(state):
        token = leaf.payload
        made.setdefault(id(token), Token("zero" if token.kind == "zero" else "state"))
        kind = Vector if isinstance(leaf, Vector) else ClientVector
        vectors.append(kind(fed, made[id(token)]))
    return with_leaves(state, vectors)


def _pattern(state: Any) -> tuple[int, ...]:
    """Which vectors of a state are zero (-1), and which are the same: all that a round can see of it without numbers."""
    tokens = [leaf.payload for leaf in leaves(state)]
    return tuple(-1 if token.kind == "zero" else tokens.index(token) for token in tokens)
