"""Readings that keep every round refuse more rounds than memory holds, before the first."""

from __future__ import annotations

from typing import Any

import pytest

import fltheory as fl


@pytest.mark.parametrize("verb", [fl.moments, fl.trajectory, fl.second_moment_of_gradients])
def test_more_rounds_than_memory_holds_are_refused_at_once(verb: Any) -> None:
    problem = fl.li_counterexample(n_clients=2, block=2, ridge=0.1)
    with pytest.raises(ValueError, match=r"rounds=1000000000000.*too large a request"):
        verb(problem, fl.FedAvg(2, 0.1), rounds=10**12)
