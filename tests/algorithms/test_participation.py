"""Participation schemes: moments equal the mixture over outcomes, draws follow the outcomes' probabilities."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fltheory import streams
from fltheory.algorithms import Full, NormalisedUniform, Original, SchemeI, SchemeII, TransformedSchemeII

SCHEMES = [
    Full(),
    SchemeI(1),
    SchemeI(3),
    SchemeI(2, "separate runs"),
    SchemeII(2),
    TransformedSchemeII(2),
    Original(2),
    NormalisedUniform(2),
]


def mixture(scheme: Any, weights: list[Any]) -> tuple[Any, Any, Any]:
    """Moments of (1, a, b, m) and the run weights by listing all outcomes."""
    n = len(weights)
    mean, second, runs, total = 0, 0, np.array([Fraction(0)] * n, dtype=object), 0
    for outcome in scheme.outcomes(weights):
        coefficients = outcome.client_coefficients(n)
        present = [int(k in outcome.clients) for k in range(n)]
        scalars = np.array([1, *coefficients, outcome.absent, *present], dtype=object)
        mean = mean + outcome.probability * scalars
        second = second + outcome.probability * np.outer(scalars, scalars)
        total = total + outcome.probability
        for k in range(n):
            slots = [c for client, c in zip(outcome.clients, outcome.coefficients, strict=True) if client == k]
            squares = sum(c * c for c in slots) if scheme.separate_runs else sum(slots) ** 2
            runs[k] += outcome.probability * squares
    assert total == 1
    return mean, second, runs


@pytest.mark.parametrize("scheme", SCHEMES, ids=repr)
@given(parts=st.lists(st.integers(1, 6), min_size=2, max_size=4))
def test_moments_are_the_mixture(scheme: Any, parts: list[int]) -> None:
    weights = [Fraction(part, sum(parts)) for part in parts]
    moments = scheme.moments(weights)
    mean, second, runs = mixture(scheme, weights)
    assert (moments.mean == mean).all()
    assert (moments.second == second).all()
    assert (moments.run_weights == runs).all()
    floats = scheme.moments([float(w) for w in weights])
    assert floats.second.dtype == np.float64
    np.testing.assert_allclose(floats.second, second.astype(float), atol=1e-14)


@pytest.mark.parametrize("scheme", SCHEMES, ids=repr)
def test_cohorts_follow_the_probabilities(scheme: Any) -> None:
    weights, runs = np.array([0.5, 0.3, 0.2]), 60_000
    keys = streams.key(3, np.arange(runs), 0, streams.COHORT_CLIENT)
    u = streams.uniforms(keys[:, None], 0, np.arange(scheme.slots(3)))
    clients, coefficients, absent = scheme.cohort(weights, u)
    seen = Counter(map(tuple, clients.tolist()))
    listed = {}
    for outcome in scheme.outcomes(weights.tolist()):
        listed[outcome.clients] = outcome
        chance = outcome.probability
        bound = 5 * np.sqrt(runs * chance * (1 - chance)) + 1e-9
        assert abs(seen[outcome.clients] - runs * chance) <= bound
    assert set(seen) <= set(listed)
    for run in range(50):
        outcome = listed[tuple(clients[run].tolist())]
        np.testing.assert_allclose(coefficients[run], outcome.coefficients, rtol=1e-15)
        assert absent[run] == pytest.approx(outcome.absent, abs=1e-15)


def test_which_coefficients_sum_to_one() -> None:
    weights = [Fraction(1, 2), Fraction(1, 3), Fraction(1, 6)]
    for scheme in SCHEMES:
        sums = {sum(o.client_coefficients(3)) + o.absent for o in scheme.outcomes(weights)}
        assert (sums == {1}) == (not isinstance(scheme, SchemeII)), scheme


@pytest.mark.parametrize("make", [SchemeI, SchemeII, TransformedSchemeII, Original, NormalisedUniform])
def test_bad_sizes(make: Any) -> None:
    with pytest.raises(ValueError, match="K=0 is not valid; expected an integer >= 1"):
        make(0)
    with pytest.raises(ValueError, match="K=2.5 is not valid; expected an integer >= 1"):
        make(2.5)
    if make is not SchemeI:
        with pytest.raises(ValueError, match="K=4 clients per round exceeds N=3"):
            make(4).moments([Fraction(1, 3)] * 3)
        with pytest.raises(ValueError, match="exceed 1000000: not enumerated"):
            next(make(20).outcomes([Fraction(1, 40)] * 40))


def test_bad_repeats_and_empty_cohorts() -> None:
    with pytest.raises(ValueError, match="repeats='twice'"):
        SchemeI(2, "twice")
    with pytest.raises(ValueError, match="may have total weight 0"):
        NormalisedUniform(1).moments([Fraction(1), Fraction(0)])


def test_a_scheme_of_ones_own_is_asked_for_its_own_rule() -> None:
    """Tables are kept for schemes that are equal; a subclass may hold more than is compared."""

    class Louder(SchemeII):
        factor = 1.0

        def coefficient(self, weights: Any, client: int) -> Any:
            return self.factor * super().coefficient(weights, client)

    loud, quiet = Louder(2), Louder(2)
    object.__setattr__(loud, "factor", 3.0)
    weights, u = np.full(5, 0.2), np.full((1, 2), 0.3)
    assert loud == quiet
    assert (loud.cohort(weights, u)[1] == 3.0 * quiet.cohort(weights, u)[1]).all()
    weights[:] = 0.1
    assert (SchemeII(2).cohort(weights, u)[1] == 0.25).all()
    weights[:] = 0.2
    assert (SchemeII(2).cohort(weights, u)[1] == 0.5).all()
