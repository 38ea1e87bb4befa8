"""A state may be a plain tuple or list of vectors; a NamedTuple only gives its parts names."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import fltheory as fl


class Momentum:
    """A round of gradient descent with a server momentum of one half, its state in a container of any kind."""

    participation = fl.Full()

    def __init__(self, kind: Any) -> None:
        self.kind = kind

    def start(self, fed: Any, w: Any) -> Any:
        return self.kind([w, fed.zero()])

    def round(self, fed: Any, state: Any) -> Any:
        w, m = state
        m = m * 0.5 + fed.average(fed.gradient(fed.send(w)))
        return self.kind([w - 0.1 * m, m])


@pytest.mark.parametrize("kind", [tuple, list])
def test_containers_of_states(kind: Any) -> None:
    problem = fl.QuadraticProblem(np.ones((2, 1, 1)), np.array([[1.0], [2.0]]))
    assert fl.fixed_point(problem, Momentum(kind)) == pytest.approx([1.5])
    assert fl.cost(problem, Momentum(kind), 3).total("up").most == 3 * 2
    assert fl.simulate(problem, Momentum(kind), rounds=200).final[0] == pytest.approx([1.5], abs=1e-6)
