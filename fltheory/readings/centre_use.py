"""Whether an algorithm uses the server's own loss at all: else it would minimise another function than is measured."""

from __future__ import annotations

from fltheory.algorithms.vocabulary import Algorithm, leaves, with_leaves
from fltheory.problems.base import Problem
from fltheory.problems.blocks import Blocks, blocks_of
from fltheory.readings.arrays import participation_of
from fltheory.readings.tokens import CostFederation, Token

#: So many rounds an algorithm has to ask for the first time; only one that never asks is followed so far.
ROUNDS = 100


def require_use_of_centre(problem: Problem, algorithm: Algorithm) -> None:
    """Refuse a mixed problem for an algorithm that minimises the clients' part alone.

    The algorithm's text is followed over tokens, without numbers: since its path cannot depend on values, what it asks for
    depends on the round only.  Text that such tokens cannot follow is let pass.

    Raises
    ------
    ValueError : a problem with a loss at the server, and no call of ``fed.centre`` in the start and :data:`ROUNDS` rounds.
    """
    if not hasattr(problem, "centre_gradient") or asks_centre(algorithm, int(problem.n_clients), blocks_of(problem)):
        return
    name = type(algorithm).__name__
    raise ValueError(
        f"algorithm={name} never asks for the server's own loss of a {type(problem).__name__} (nothing in its start and "
        f"{ROUNDS} rounds): it would minimise the clients' part alone; expected an algorithm that uses fed.centre, or "
        f"{name} on problem.clients"
    )


def asks_centre(algorithm: Algorithm, n_clients: int, blocks: Blocks | None = None) -> bool:
    """Whether ``start`` or one of the first :data:`ROUNDS` rounds asks the server's own loss, for a gradient or a proximal step."""
    fed = CostFederation(n_clients, participation_of(algorithm), blocks=blocks)
    try:
        state = algorithm.start(fed, fed.zero())
        for round in range(ROUNDS):
            if fed.central_gradients or fed.central_proximal_steps:
                return True
            fed.begin(round)
            state = algorithm.round(fed, state)
            state = with_leaves(state, [type(leaf)(fed, Token("state")) for leaf in leaves(state)])
    except Exception:  # a mistake of the algorithm's shows in the reading itself, in its words
        return True
    return fed.central_gradients + fed.central_proximal_steps > 0
