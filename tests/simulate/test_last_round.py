"""A run that diverges in its very last round has diverged; one that would in the next has not."""

from __future__ import annotations

import pytest

from fltheory.algorithms import FedAvg
from fltheory.problems.quadratic import QuadraticProblem
from fltheory.simulate import simulate

BOWL = QuadraticProblem([[[1.0]], [[1.0]]], [[0.0], [0.0]])


@pytest.mark.parametrize("backend", ["numba", "numpy"])
def test_divergence_in_the_last_round_is_seen(backend: str) -> None:
    """Steps of size 3 double ``|w|``: 2, 4, 8, and 8 is beyond 5."""
    ends = {
        rounds: simulate(
            BOWL, FedAvg(1, 3.0), rounds=rounds, start=[1.0], divergence_threshold=5.0, backend=backend
        ).status
        for rounds in (2, 3, 4)
    }
    assert ends == {2: ("completed",), 3: ("diverged at round 3",), 4: ("diverged at round 3",)}
