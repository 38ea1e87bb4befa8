"""Every algorithm equals itself in all readings: exact runs, maps, moments, tables, programs, runs in floats, counts, limits.

Algorithms are those that ``fltheory.algorithms`` exports; one without an example fails.
"""

from __future__ import annotations

import inspect
from dataclasses import replace
from fractions import Fraction as F
from functools import cache
from typing import Any

import numpy as np
import pytest

import fltheory as fl
from fltheory.readings import enumerate_moments
from fltheory.readings.arrays import ArrayFederation
from fltheory.readings.draws import ExactDraws
from fltheory.readings.gram import program
from fltheory.readings.numbers import FLOAT
from fltheory.readings.table import table_moments

ETA, BETA = F(1, 10), F(1, 3)
ZETA = fl.GivenElasticity((F(3, 4), F(5, 4)))
MEASURED = fl.SensitivityElasticity(F(1, 2), batches=2, decay=F(1, 3))
EXAMPLES: dict[str, Any] = {
    "FedAvg": fl.FedAvg(2, ETA),
    "FedAvg, schedule": fl.FedAvg(2, fl.Harmonic(1, 10)),
    "FedAvg, own steps": fl.FedAvg((1, 3, 2), ETA),
    "FedDyn": fl.FedDyn(2, ETA, F(1, 2)),
    "FedNova": fl.FedNova(2, ETA),
    "FedNova, own steps": fl.FedNova((1, 3, 2), ETA),
    "FedProx": fl.FedProx(2, ETA, F(1, 2)),
    "FedProxExact": fl.FedProxExact(2, F(1, 2)),
    "FedLAMA, given intervals": fl.FedLAMA(1, 2, ETA, intervals=(1, 2)),
    "FedLAMA": fl.FedLAMA(1, 2, ETA),
    "TwoSidedFedAvg": fl.TwoSidedFedAvg(2, ETA, F(3, 2)),
    "TwoSidedFedAvg, own steps": fl.TwoSidedFedAvg((2, 1, 3), ETA, F(3, 2)),
    "ParallelRestartedSGD": fl.ParallelRestartedSGD(2, ETA),
    "Scaffold I": fl.Scaffold(2, ETA, F(3, 2), option="I"),
    "Scaffold II": fl.Scaffold(2, ETA, F(3, 2)),
    "Scaffold II, own steps": fl.Scaffold((1, 3, 2), ETA, F(3, 2)),
    "GradientCorrected": fl.GradientCorrected(2, ETA),
    "ParallelTraining": fl.ParallelTraining(2, ETA, F(1, 15), F(3, 4), F(5, 4)),
    "OneWayGradientTransfer": fl.OneWayGradientTransfer(2, ETA, F(3, 4)),
    "TwoWayGradientTransfer": fl.TwoWayGradientTransfer(2, ETA, F(1, 15), F(3, 4), F(5, 4)),
    "Populations": fl.Populations((0, 1, 0), 2, ETA),
    "FedOpt": fl.FedOpt(2, ETA, F(3, 4)),
    "FedAvgM": fl.FedOpt(2, ETA, F(3, 4), server=fl.HeavyBall(BETA)),
    "FedAdam": fl.FedOpt(2, ETA, F(1, 20), server=fl.Adam(bias_corrected=True)),
    "SimplifiedElastic": fl.SimplifiedElastic(2, ETA, F(3, 2), F(3, 4)),
    "ElasticFedAvgM": fl.ElasticFedAvgM(2, ETA, ZETA, F(3, 4), BETA),
    "ElasticFedAvgM, measured": fl.ElasticFedAvgM(2, ETA, MEASURED, F(3, 4), BETA),
    "ElasticFedProx": fl.ElasticFedProx(2, ETA, F(1, 2), ZETA),
    "ElasticFedProx, measured": fl.ElasticFedProx(2, ETA, F(1, 2), MEASURED),
    "MimeLite": fl.MimeLite(2, ETA, BETA),
}
#: What looks at values, so that rounds are no linear maps.
VALUES = {"FedLAMA", "FedAdam", "ElasticFedAvgM, measured", "ElasticFedProx, measured"}
LINEAR = [name for name in EXAMPLES if name not in VALUES]
#: What names blocks: its program has parts of vectors besides.
PARTS = {"FedLAMA, given intervals", "ElasticFedAvgM", "ElasticFedProx"}
#: What treats clients unlike, so that its program needs classes of them.
UNLIKE = {"Populations", *(name for name in EXAMPLES if name.endswith("own steps"))}
CENTRAL = {"ParallelTraining", "OneWayGradientTransfer", "TwoWayGradientTransfer"}
CHANGING = {"FedAvg, schedule"}
#: What averages one cohort twice in a round.
TWICE = {"FedLAMA, given intervals", "GradientCorrected"}
ROUNDS, START = 3, [F(1), F(-2)]

CLIENTS = fl.with_blocks(
    fl.QuadraticProblem(
        [[[F(2), 1], [1, 3]], [[1, 0], [0, 3]], [[1, 0], [0, 1]]],
        [[F(1), 0], [0, 1], [2, 2]],
        weights=[F(1, 2), F(1, 3), F(1, 6)],
    ),
    {"body": 1, "head": 1},
)
MIXED = fl.MixedProblem(CLIENTS, fl.QuadraticProblem([[[F(3), -1], [-1, 1]]], [[F(1), -2]]))
NOISE = fl.FiniteSupportNoise([[F(1), F(-1)], [F(-1), F(1)]], [F(1, 2)] * 2)
SCHEMES = (fl.SchemeII(2), fl.SchemeI(2), fl.Original(1))


def problem_of(name: str, *, exact: bool = True) -> Any:
    problem = MIXED if name in CENTRAL else CLIENTS
    if exact:
        return problem
    return problem.map_parts(lambda part: part.to_float()) if name in CENTRAL else problem.to_float()


@cache
def walk(name: str) -> Any:
    """Models of the plain arrays, in rationals."""
    return fl.trajectory(problem_of(name), EXAMPLES[name], rounds=ROUNDS, start=START, exact=True).models


def implicit(problem: Any, begin: Any, size: Any) -> Any:
    """Gradients at the ends of proximal steps, in the plane: ``A (I + c A)^(-1) (x + c b) - b`` by Cramer's rule."""
    found = []
    for matrix, vector, x in zip(problem.matrices, problem.vectors, begin, strict=True):
        (p, q), (_, r) = size * matrix + np.array([[F(1), F(0)], [F(0), F(1)]])
        s, t = x + size * vector
        end = np.array([r * s - q * t, p * t - q * s]) / (p * r - q * q)
        found.append(matrix @ end - vector)
    return np.array(found)


def replayed(traced: Any, problem: Any) -> list[Any]:
    """Models of a straight-line program, on rational arrays."""
    registers: list[Any] = []

    def of_clients(place: int) -> Any:
        return np.broadcast_to(registers[place], (problem.n_clients, 2))

    perform: dict[str, Any] = {
        "given": lambda who, degree: np.array(START, dtype=object),
        "combine": lambda terms: sum((c * registers[r] for c, r in terms), np.array([F(0)] * 2, dtype=object)),
        "gradient": lambda place: problem.client_gradients(of_clients(place)),
        "centre": lambda place: problem.centre_gradient(registers[place]),
        "prox": lambda place, size: implicit(problem, of_clients(place), size),
        "average": lambda place: (problem.weights[:, None] * of_clients(place)).sum(axis=0),
    }
    for item in traced.instructions:
        registers.append(perform[item[0]](*item[1:]))
    return [registers[place] for place in traced.models]


def mixed_over_cohorts(problem: Any, algorithm: Any) -> Any:
    """The mean of the models after one round of the plain arrays with each cohort."""
    return sum(
        one.probability
        * fl.trajectory(problem, algorithm, rounds=1, start=START, cohorts=[one.clients], exact=True).models[-1]
        for one in algorithm.participation.outcomes(list(problem.weights))
    )


def test_every_algorithm_has_an_example() -> None:
    from fltheory import algorithms

    found = {c for c in vars(algorithms).values() if inspect.isclass(c) and hasattr(c, "round")}
    assert found - {algorithms.Showing} == {type(example) for example in EXAMPLES.values()}


@pytest.mark.parametrize("name", LINEAR)
def test_exact_readings_are_the_plain_arrays(name: str) -> None:
    problem, algorithm, models = problem_of(name), EXAMPLES[name], walk(name)
    for reading in (fl.moments, table_moments, enumerate_moments):
        found = reading(problem, algorithm, rounds=ROUNDS, start=START, exact=True)
        assert (found.mean == models).all() and not np.any(found.covariance), reading
    steps = [fl.round_map(problem, algorithm, exact=True, round=r, start=START) for r in range(ROUNDS)]
    state = steps[0].start
    for step, model in zip(steps, models[1:], strict=True):
        state = step(state)
        assert (step.model @ state == model).all()
    nudged = replace(algorithm, step_size=F(101, 1000))
    assert (fl.moments(problem, nudged, rounds=ROUNDS, start=START, exact=True).mean[-1] != models[-1]).any()


@pytest.mark.parametrize("name", LINEAR)
def test_the_program_is_the_round(name: str) -> None:
    if name in UNLIKE:
        with pytest.raises(ValueError, match="alike"):
            program(EXAMPLES[name], rounds=1)
    elif name in PARTS:
        with pytest.raises(ValueError, match="no coordinates"):
            program(EXAMPLES[name], rounds=1)
        assert program(EXAMPLES[name], rounds=1, blocks=True).orthogonal
    else:
        found = replayed(program(EXAMPLES[name], rounds=ROUNDS), problem_of(name))
        assert all((a == b).all() for a, b in zip(found, walk(name), strict=True))


@pytest.mark.parametrize("name", EXAMPLES)
def test_runs_and_counts_are_those_of_the_plain_arrays(name: str) -> None:
    problem, algorithm = problem_of(name, exact=False), EXAMPLES[name]
    start = np.array(START, dtype=float)
    models = fl.trajectory(problem, algorithm, rounds=ROUNDS, start=start).models
    if name in LINEAR:
        np.testing.assert_allclose(models, walk(name).astype(float), rtol=1e-12, atol=1e-12)
    run = fl.simulate(problem, algorithm, rounds=ROUNDS, runs=2, start=start, keep_models=True)
    np.testing.assert_allclose(run.models, [models] * 2, rtol=1e-11, atol=1e-12)
    if name == "FedLAMA":
        with pytest.raises(ValueError, match="values"):
            fl.cost(problem, algorithm)
        return
    fed = ArrayFederation(problem, fl.Full(), ExactDraws(problem, FLOAT), log=[])
    state = algorithm.start(fed, fed.vector(start))
    fed.begin(0)
    algorithm.round(fed, state)
    counted = fl.cost(problem, algorithm).by_client("gradients")
    assert fed.log is not None and counted.max() == len(fed.log)
    if isinstance(getattr(algorithm, "local_steps", None), tuple):
        assert tuple(counted[0]) == algorithm.local_steps
    else:
        assert counted.min() == counted.max()


@pytest.mark.parametrize("name", [name for name in LINEAR if name not in CHANGING])
def test_the_fixed_point_is_where_runs_end(name: str) -> None:
    limit = fl.fixed_point(problem_of(name), EXAMPLES[name], exact=True)
    ends = fl.trajectory(problem_of(name, exact=False), EXAMPLES[name], rounds=600).models[-2:]
    np.testing.assert_allclose(ends, [limit.astype(float)] * 2, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("scheme", SCHEMES, ids=lambda scheme: type(scheme).__name__)
@pytest.mark.parametrize("name", [name for name in LINEAR if name != "Populations"])
def test_moments_over_cohorts_are_those_of_their_enumeration(name: str, scheme: Any) -> None:
    """Or refused in words: of what is averaged twice in a round, enumeration and plain runs with given cohorts agree."""
    problem = problem_of(name)
    if name == "ParallelRestartedSGD":
        with pytest.raises(ValueError, match="averages over all clients"):
            replace(EXAMPLES[name], participation=scheme)
        return
    algorithm = replace(EXAMPLES[name], participation=scheme)
    if name in TWICE:
        with pytest.raises(ValueError, match="mix over the cohorts|say average"):
            fl.moments(problem, algorithm, rounds=2, start=START, exact=True)
        if not isinstance(scheme, fl.Original):
            mixture = enumerate_moments(problem, algorithm, rounds=1, start=START, exact=True).mean[-1]
            assert (mixture == mixed_over_cohorts(problem, algorithm)).all()
        return
    found = fl.moments(problem, algorithm, rounds=2, start=START, exact=True)
    wanted = enumerate_moments(problem, algorithm, rounds=2, start=START, exact=True)
    assert (found.mean == wanted.mean).all() and (found.second == wanted.second).all()
    assert np.any(found.covariance[-1])


@pytest.mark.parametrize("name", LINEAR)
def test_moments_under_noise_are_those_of_their_enumeration(name: str) -> None:
    algorithm, problem = EXAMPLES[name], problem_of(name)
    found = fl.moments(problem, algorithm, rounds=1, start=START, oracle=NOISE, exact=True)
    wanted = enumerate_moments(problem, algorithm, rounds=1, start=START, oracle=NOISE, exact=True)
    assert (found.mean == wanted.mean).all() and (found.second == wanted.second).all()


@pytest.mark.parametrize("name", sorted(VALUES))
def test_what_looks_at_values_is_refused_where_rounds_are_linear(name: str) -> None:
    problem, algorithm = problem_of(name), EXAMPLES[name]
    for reading in (
        lambda: fl.round_map(problem, algorithm),
        lambda: fl.fixed_point(problem, algorithm),
        lambda: fl.stationary(problem, algorithm),
        lambda: fl.moments(problem, algorithm, rounds=1),
        lambda: table_moments(problem, algorithm, rounds=1),
        lambda: program(algorithm, rounds=1),
        lambda: fl.trajectory(problem, algorithm, rounds=1, exact=True),
    ):
        with pytest.raises(ValueError, match=r"values"):
            reading()
