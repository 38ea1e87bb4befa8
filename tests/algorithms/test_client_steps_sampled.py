"""Cohorts whose members make different numbers of steps (Algorithm 1 of Mixed FL): against plain loops over all cohorts."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import combinations, product
from typing import Any

import numpy as np
import pytest

import fltheory as fl
from fltheory.algorithms.step_weighted import StepWeighted
from fltheory.problems.mixed import MixedProblem
from fltheory.problems.oracles import FiniteSupportNoise
from fltheory.problems.quadratic import QuadraticProblem
from fltheory.readings import moments, round_map
from fltheory.readings.draws import StreamDraws
from fltheory.readings.enumeration import enumerate_moments
from fltheory.streams import COHORT_CLIENT, key, uniforms

F = Fraction
ETA, CENTRAL, SERVER, MERGE = F(1, 10), F(1, 15), F(3, 4), F(4, 5)
COUNTS = (1, 3, 2)
START = [F(1), F(-2)]
SCHEMES = [
    fl.SchemeI(2),
    fl.SchemeI(2, "separate runs"),
    fl.SchemeII(2),
    fl.TransformedSchemeII(2),
    fl.Original(2),
    fl.NormalisedUniform(2),
]


def rationals(values: Any) -> Any:
    source = np.array(values, dtype=object)
    return np.array([F(entry) for entry in source.ravel()], dtype=object).reshape(source.shape)


MATRICES, VECTORS = (
    rationals([[[2, 1], [1, 3]], [[1, 0], [0, 3]], [[1, 0], [0, 1]]]),
    rationals([[1, 0], [0, 1], [2, 2]]),
)
CENTRE = QuadraticProblem(rationals([[[3, -1], [-1, 1]]]), rationals([[1, -2]]))
EQUAL = MixedProblem(QuadraticProblem(MATRICES, VECTORS), CENTRE)
UNEQUAL = MixedProblem(QuadraticProblem(MATRICES, VECTORS, weights=rationals([F(1, 2), F(1, 3), F(1, 6)])), CENTRE)


def made(kind: str, **options: Any) -> Any:
    options = {"client_steps": COUNTS, **options}
    if kind == "1-way":
        return fl.OneWayGradientTransfer(3, ETA, SERVER, **options)
    family = fl.ParallelTraining if kind == "parallel" else fl.TwoWayGradientTransfer
    return family(3, ETA, CENTRAL, SERVER, MERGE, **options)


def one_round(
    kind: str, state: tuple[Any, Any, Any], cohort: tuple[int, ...], shares: str = "steps"
) -> tuple[Any, Any, Any]:
    """One round of the printed algorithms with exact gradients, for one cohort of clients of equal weight."""
    x, u, v = state
    shift = CENTRE.gradient(x) if kind == "1-way" else u
    changes = []
    for k in cohort:
        y = x
        for _ in range(COUNTS[k]):
            y = y - ETA * (MATRICES[k] @ y - VECTORS[k] + shift)
        changes.append(y - x)
    counts = [COUNTS[k] for k in cohort]
    p = [F(c, sum(counts)) for c in counts] if shares == "steps" else [F(1, len(cohort))] * len(cohort)
    update = SERVER * sum(share * change for share, change in zip(p, changes, strict=True))
    if kind == "1-way":
        return x + update, u, v
    y = x
    for _ in range(3):
        y = y - CENTRAL * (CENTRE.gradient(y) + v)
    if kind == "parallel":
        return x + MERGE * (y - x + update), u, v
    renewed = -(y - x) / (ETA * 3) - v
    return x + MERGE * (y - x + update), renewed, -sum(changes) / (ETA * sum(counts)) - u


def all_states(kind: str, cohorts: list[tuple[int, ...]], rounds: int, shares: str) -> list[Any]:
    found = []
    for path in product(cohorts, repeat=rounds):
        state = (rationals(START), rationals([0, 0]), rationals([0, 0]))
        for cohort in path:
            state = one_round(kind, state, cohort, shares)
        found.append(state[0])
    return found


CASES = [("1-way", "steps"), ("1-way", "problem"), ("parallel", "steps"), ("parallel", "problem"), ("2-way", "steps")]


@pytest.mark.parametrize(("kind", "shares"), CASES)
@pytest.mark.parametrize("scheme", [fl.SchemeII(2), fl.SchemeI(2)], ids=["without replacement", "with replacement"])
def test_moments_and_mean_round_map_are_the_printed_loops_over_all_cohorts(kind: str, shares: str, scheme: Any) -> None:
    cohorts: list[tuple[int, ...]] = [
        *(combinations(range(3), 2) if scheme == fl.SchemeII(2) else product(range(3), repeat=2))
    ]
    algorithm = made(kind, participation=scheme, client_weights=shares)
    models = all_states(kind, cohorts, 2, shares)
    mean = sum(models) / len(models)
    exact = moments(EQUAL, algorithm, rounds=2, start=START, exact=True)
    assert (exact.mean[2] == mean).all()
    assert exact.squared_distance[2] == sum(((m - exact.minimiser) ** 2).sum() for m in models) / len(models)
    step = round_map(EQUAL, algorithm, exact=True, start=START)
    assert step.mean
    assert (step.model @ step(step(step.start)) == mean).all()


@pytest.mark.parametrize("scheme", SCHEMES, ids=repr)
@pytest.mark.parametrize(("kind", "shares"), CASES)
def test_closed_moments_are_the_enumerated_ones_for_unequal_weights(kind: str, shares: str, scheme: Any) -> None:
    algorithm = made(kind, participation=scheme, client_weights=shares)
    closed = moments(UNEQUAL, algorithm, rounds=2, start=START, exact=True)
    listed = enumerate_moments(UNEQUAL, algorithm, rounds=2, start=START, exact=True)
    assert (closed.mean == listed.mean).all() and (closed.deviations == listed.deviations).all()


@pytest.mark.parametrize("scheme", [fl.SchemeI(2), fl.SchemeI(2, "separate runs"), fl.SchemeII(2)], ids=repr)
@pytest.mark.parametrize("kind", ["1-way", "2-way"])
def test_noise_of_cohorts_with_unequal_steps(kind: str, scheme: Any) -> None:
    noise = FiniteSupportNoise(
        rationals([[[1, 0], [-1, 0]], [[0, 2], [0, -2]], [[1, 1], [-1, -1]]]), rationals([F(1, 2)] * 2)
    )
    steps = (1, 2, 1)
    args = (2, ETA, SERVER) if kind == "1-way" else (2, ETA, CENTRAL, SERVER, MERGE)
    family: Any = fl.OneWayGradientTransfer if kind == "1-way" else fl.TwoWayGradientTransfer
    algorithm = family(*args, participation=scheme, client_steps=steps)
    for problem, rounds in ((EQUAL, 1), (UNEQUAL, 2)):
        closed = moments(problem, algorithm, rounds=rounds, oracle=noise, start=START, exact=True)
        listed = enumerate_moments(problem, algorithm, rounds=rounds, oracle=noise, start=START, exact=True)
        assert (closed.mean == listed.mean).all() and (closed.deviations == listed.deviations).all()


def test_everybody_in_the_cohort_is_full_participation() -> None:
    for (kind, shares), problem in product(CASES, (EQUAL, UNEQUAL)):
        full, all_of_them = (
            round_map(problem, made(kind, client_weights=shares, participation=scheme), exact=True)
            for scheme in (fl.Full(), fl.SchemeII(3))
        )
        assert (full.matrix == all_of_them.matrix).all() and (full.shift == all_of_them.shift).all()
    left, right = (
        fl.simulate(
            EQUAL, made("2-way", participation=scheme), rounds=5, runs=2, oracle=fl.AdditiveNoise(np.array(0.1))
        ).final
        for scheme in (fl.Full(), fl.SchemeII(3))
    )
    np.testing.assert_allclose(left, right, rtol=1e-12)


@pytest.mark.parametrize("scheme", [fl.Full(), *SCHEMES], ids=repr)
@pytest.mark.parametrize(("kind", "shares"), [*CASES, ("2-way", "problem")])
def test_equal_counts_are_the_ordinary_algorithm_bit_for_bit(kind: str, shares: str, scheme: Any) -> None:
    ordinary = made(kind, client_steps=None, participation=scheme)
    counted = made(kind, client_steps=(3, 3, 3), client_weights=shares, participation=scheme)
    assert counted.participation == scheme
    for backend in ("numpy", "auto"):
        left, right = (
            fl.simulate(
                UNEQUAL,
                algorithm,
                rounds=4,
                runs=3,
                seed=5,
                oracle=fl.AdditiveNoise(np.array(0.1)),
                backend=backend,
                centre_oracle=fl.AdditiveNoise(np.array(0.2)),
                keep_models=True,
            ).models
            for algorithm in (ordinary, counted)
        )
        assert np.array_equal(left, right)


def test_equal_counts_give_the_coefficients_of_the_scheme() -> None:
    for scheme, problem in product(SCHEMES, (EQUAL, UNEQUAL)):
        weights = list(problem.weights)
        assert list(StepWeighted(scheme, (2, 2, 2)).outcomes(weights)) == list(scheme.outcomes(weights))
        own, base = StepWeighted(scheme, (2, 2, 2)).moments(weights), scheme.moments(weights)
        assert (own.mean == base.mean).all() and (own.second == base.second).all()
        assert (own.run_weights == base.run_weights).all()


@pytest.mark.parametrize(("kind", "shares"), CASES)
def test_a_simulated_cohort_does_its_own_steps(kind: str, shares: str) -> None:
    """The cohorts of the streams, then the printed round by hand."""
    scheme, seed, runs = fl.SchemeII(2), 11, 6
    run = fl.simulate(
        EQUAL,
        made(kind, participation=scheme, client_weights=shares),
        rounds=2,
        runs=runs,
        seed=seed,
        start=np.array(START, dtype=float),
    )
    draws = StreamDraws(EQUAL, fl.Exact(), seed, np.arange(runs))
    drawn = [draws.cohorts(t, scheme, np.full(3, 1 / 3)).clients for t in range(2)]
    assert len({tuple(row) for table in drawn for row in table.tolist()}) > 1
    for index in range(runs):
        state = (rationals(START), rationals([0, 0]), rationals([0, 0]))
        for table in drawn:
            state = one_round(kind, state, tuple(table[index].tolist()), shares)
        np.testing.assert_allclose(run.final[index], state[0].astype(float), rtol=1e-12)


def test_bits_do_not_depend_on_chunks_or_backends() -> None:
    noise = fl.AdditiveNoise(np.array(0.3))
    runs = [
        fl.simulate(
            EQUAL,
            made("2-way", participation=fl.SchemeI(2)),
            rounds=6,
            runs=7,
            seed=3,
            oracle=noise,
            chunk=chunk,
            threads=1,
        ).final
        for chunk in (1, 3, 7)
    ]
    assert np.array_equal(runs[0], runs[1]) and np.array_equal(runs[0], runs[2])


def test_drawn_coefficients_are_those_of_the_listed_cohorts() -> None:
    for scheme in SCHEMES:
        shifted = StepWeighted(scheme, COUNTS)
        weights = UNEQUAL.weights.astype(float)
        listed = {o.clients: (o.coefficients, o.absent) for o in shifted.outcomes(list(weights))}
        keys = key(0, np.arange(40), 0, COHORT_CLIENT)
        clients, coefficients, absent = shifted.cohort(weights, uniforms(keys[:, None], 0, np.arange(2)))
        for row, found, gone in zip(clients.tolist(), coefficients, absent, strict=True):
            np.testing.assert_allclose(found, listed[tuple(row)][0], rtol=1e-14)
            np.testing.assert_allclose(gone, float(listed[tuple(row)][1]), rtol=1e-14)


def test_a_cohort_without_weight_stays_so() -> None:
    shifted = StepWeighted(fl.SchemeII(1), COUNTS)
    assert [o.coefficients for o in shifted.outcomes([0.0, 0.5, 0.5])] == [(0.0,), (1.5,), (1.5,)]
    chosen, coefficients, _ = shifted.cohort(np.array([0.0, 0.5, 0.5]), np.linspace(0.01, 0.99, 7)[:, None])
    assert (coefficients[chosen == 0] == 0).all() and (chosen == 0).any()


def test_options_can_be_replaced() -> None:
    algorithm = made("1-way", participation=fl.SchemeII(2))
    assert algorithm.participation == StepWeighted(fl.SchemeII(2), COUNTS)
    assert replace(algorithm) == algorithm
    assert replace(algorithm, client_steps=None).participation == fl.SchemeII(2)
    assert replace(algorithm, client_weights="problem").participation == fl.SchemeII(2)
    assert replace(algorithm, client_steps=(3, 2, 1)).participation == StepWeighted(fl.SchemeII(2), (3, 2, 1))


def test_refused() -> None:
    with pytest.raises(ValueError, match="second set of random coefficients"):
        made("2-way", participation=fl.SchemeII(2), client_weights="problem")
    with pytest.raises(ValueError, match="one per client, N=3"):
        fl.simulate(EQUAL, made("1-way", participation=fl.SchemeII(2), client_steps=(3, 1)), rounds=1)
    many = StepWeighted(fl.SchemeII(10), (1,) * 39 + (2,))
    with pytest.raises(ValueError, match="not enumerated"):
        many.moments([F(1, 40)] * 40)
