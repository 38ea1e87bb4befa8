"""Shares of sampled cohorts: against exact moments of the schemes and against all cohorts in an explicit program."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

import fltheory as fl
from fltheory.worstcase import verifier
from fltheory.worstcase.sampling import shares

SCHEMES = [
    fl.Full(),
    *(fl.NormalisedUniform(k) for k in (1, 2, 5)),
    fl.SchemeII(2),
    fl.SchemeI(1),
    fl.SchemeI(3),
    fl.SchemeI(3, repeats="separate runs"),
]


@pytest.mark.parametrize("scheme", SCHEMES, ids=repr)
def test_shares_are_the_schemes_own_moments(scheme: Any) -> None:
    """``E |sum a_k d_k|^2`` for deviations that sum to zero, and ``E sum (coefficients of runs)^2`` for the noise."""
    n = 5
    moments = scheme.moments([Fraction(1, n)] * n)
    second = moments.second[1 : n + 1, 1 : n + 1]
    found = shares(scheme, n, noisy=True)
    for d in ([1, -1, 0, 0, 0], [4, -1, -1, -1, -1], [3, 1, -2, 0, -2]):
        exact = sum(Fraction(second[k, j]) * d[k] * d[j] for k in range(n) for j in range(n))
        assert exact == (found.deviation or 0) * Fraction(sum(e * e for e in d), n)
    assert sum(Fraction(weight) for weight in moments.run_weights) == found.noise


@pytest.mark.parametrize("scheme", SCHEMES, ids=repr)
def test_the_verifier_finds_the_same_shares(scheme: Any) -> None:
    found = shares(scheme, 5, noisy=True)
    named = {"scheme": found.scheme, "clients": found.clients, "cohort": found.cohort}
    assert verifier.shares(named, True)[1:] == (found.deviation, found.noise)


@pytest.mark.parametrize("n_clients", [3, 4])
@pytest.mark.parametrize("cohort", [1, 2])
@pytest.mark.parametrize("replacement", [False, True])
def test_the_formula_equals_enumeration(script: Any, n_clients: int, cohort: int, replacement: bool) -> None:
    row = script("noise_trees").sampling_row(n_clients, cohort, replacement=replacement)
    assert row["difference"] < 1e-7


def test_sampled_rounds_are_certified_and_ordered() -> None:
    functions = fl.SmoothStronglyConvex(0.1, 1)
    found = {}
    for k in (1, 2, 4):
        found[k] = fl.worst_case(fl.FedAvg(2, 0.5, fl.NormalisedUniform(k)), functions, n_clients=4)
        assert found[k].status == "certified" and found[k].width < 1e-5
    full = fl.worst_case(fl.FedAvg(2, 0.5), functions)
    assert found[1].lower > found[2].upper > found[2].lower > found[4].upper
    assert full.lower is not None and full.upper is not None
    assert full.lower <= found[4].upper and found[4].lower <= full.upper
