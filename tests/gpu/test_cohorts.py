"""Cohorts that are drawn ahead are those that are drawn round by round."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from fltheory.algorithms import Full, NormalisedUniform, Original, SchemeI, SchemeII
from fltheory.gpu import cohorts
from fltheory.problems import Exact, li_counterexample
from fltheory.readings.draws import StreamDraws

PROBLEM = li_counterexample(9, 2, 0.05)
WEIGHTS = np.arange(1, 10) / 45


@pytest.mark.parametrize("most", [2**20, 12])
@pytest.mark.parametrize("scheme", [Full(), SchemeI(3), SchemeII(3), Original(4), NormalisedUniform(2)], ids=repr)
def test_number_for_number(scheme: Any, most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cohorts, "ROUNDS", 4)
    monkeypatch.setattr(cohorts, "MOST", most)
    given: tuple[Any, ...] = (PROBLEM, Exact(), 7, np.array([3, 4, 8]))
    ahead, plain = cohorts.DrawsAhead(*given), StreamDraws(*given)
    seen = set()
    for round in (0, 1, 2, 3, 4, 5, 9, 0):
        one, other = (draws.cohorts(round, scheme, WEIGHTS) for draws in (ahead, plain))
        for name in ("clients", "coefficients", "absent"):
            np.testing.assert_array_equal(getattr(one, name), getattr(other, name))
        assert one.is_population == other.is_population
        seen.add(one.clients.tobytes())
    assert len(seen) == (1 if isinstance(scheme, Full) else 7)  # the control: rounds differ
