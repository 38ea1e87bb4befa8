"""SCAFFOLD, gradient-corrected descent, mixed FL and elastic aggregation against plain loops, and their fixed points."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import fltheory as fl
from fltheory.problems.mixed import MixedProblem
from fltheory.problems.quadratic import QuadraticProblem
from fltheory.readings import cost, enumerate_moments, fixed_point, moments, round_map, trajectory

F = Fraction
ETA, CENTRAL, SERVER, MERGE = F(1, 10), F(1, 15), F(3, 4), F(4, 5)
K, J = 3, 2


def rationals(values: Any) -> Any:
    source = np.array(values, dtype=object)
    return np.array([F(entry) for entry in source.ravel()], dtype=object).reshape(source.shape)


CENTRE = QuadraticProblem(rationals([[[3, -1], [-1, 1]]]), rationals([[1, -2]]))
CLIENTS = QuadraticProblem(
    rationals([[[2, 1], [1, 3]], [[1, 0], [0, 3]], [[1, 0], [0, 1]]]),
    rationals([[1, 0], [0, 1], [2, 2]]),
    weights=rationals(["1/2", "1/3", "1/6"]),
)
ALIKE = QuadraticProblem(rationals([[[2, 1], [1, 3]]] * 3), CLIENTS.vectors, weights=CLIENTS.weights)
NO_CENTRE = QuadraticProblem(rationals([[[0, 0], [0, 0]]]), rationals([[0, 0]]))
MIXED, MIXED_ALIKE = MixedProblem(CLIENTS, CENTRE), MixedProblem(ALIKE, CENTRE)
START = [F(1), F(-2)]


def gradient(k: int, x: Any) -> Any:
    return CLIENTS.matrices[k] @ x - CLIENTS.vectors[k]


def central(y: Any) -> Any:
    return CENTRE.matrices[0] @ y - CENTRE.vectors[0]


def mean(vectors: Any) -> Any:
    return sum(p * v for p, v in zip(CLIENTS.weights, vectors, strict=True))


def descend(k: int, x: Any, shift: Any) -> Any:
    for _ in range(K):
        x = x - ETA * (gradient(k, x) + shift)
    return x


def by_hand_scaffold(option: str, rounds: int) -> Any:
    w, c, own = rationals(START), rationals([0, 0]), [rationals([0, 0])] * 3
    for _ in range(rounds):
        x = [descend(k, w, c - own[k]) for k in range(3)]
        if option == "I":
            own = [gradient(k, w) for k in range(3)]
        else:
            own = [own[k] - c + (w - x[k]) / (K * ETA) for k in range(3)]
        w, c = w + SERVER * (mean(x) - w), mean(own)
    return w


def by_hand_corrected(rounds: int) -> Any:
    w = rationals(START)
    for _ in range(rounds):
        own = [gradient(k, w) for k in range(3)]
        w = w + SERVER * mean([descend(k, w, mean(own) - own[k]) - w for k in range(3)])
    return w


def by_hand_elastic(rounds: int) -> Any:
    w = rationals(START)
    for _ in range(rounds):
        w = w + F(5, 4) * SERVER * mean([descend(k, w, 0) - w for k in range(3)])
    return w


def by_hand_one_way(rounds: int) -> Any:
    w = rationals(START)
    for _ in range(rounds):
        w = w + SERVER * mean([descend(k, w, central(w)) - w for k in range(3)])
    return w


def by_hand_two_sided(rounds: int, transfer: bool) -> Any:
    """Algorithm 1 of Augenstein et al. as printed, with and without gradient sharing."""
    x, of_centre, of_clients = rationals(START), rationals([0, 0]), rationals([0, 0])
    for _ in range(rounds):
        y = x
        for _ in range(J):
            y = y - CENTRAL * (central(y) + of_clients)
        moved_centre = y - x
        moved_clients = mean([descend(k, x, of_centre) - x for k in range(3)])
        x = x + MERGE * (moved_centre + SERVER * moved_clients)
        if transfer:
            renewed = -moved_centre / (ETA * J) - of_clients
            of_clients = -moved_clients / (ETA * K) - of_centre
            of_centre = renewed
    return x


CASES = {
    "scaffold I": (CLIENTS, fl.Scaffold(K, ETA, SERVER, option="I"), lambda r: by_hand_scaffold("I", r)),
    "scaffold II": (CLIENTS, fl.Scaffold(K, ETA, SERVER), lambda r: by_hand_scaffold("II", r)),
    "corrected": (CLIENTS, fl.GradientCorrected(K, ETA, SERVER), by_hand_corrected),
    "elastic": (CLIENTS, fl.SimplifiedElastic(K, ETA, SERVER, F(5, 4)), by_hand_elastic),
    "parallel": (
        MIXED,
        fl.ParallelTraining(K, ETA, CENTRAL, SERVER, MERGE, J),
        lambda r: by_hand_two_sided(r, transfer=False),
    ),
    "1-way": (MIXED, fl.OneWayGradientTransfer(K, ETA, SERVER), by_hand_one_way),
    "2-way": (
        MIXED,
        fl.TwoWayGradientTransfer(K, ETA, CENTRAL, SERVER, MERGE, J),
        lambda r: by_hand_two_sided(r, transfer=True),
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_exact_runs_are_the_plain_loops_and_floats_follow(name: str) -> None:
    problem, algorithm, by_hand = CASES[name]
    exact = trajectory(problem, algorithm, rounds=3, start=START, exact=True)
    for round in range(4):
        assert (exact.models[round] == by_hand(round)).all()
    floats = trajectory(problem, algorithm, rounds=3, start=START)
    np.testing.assert_allclose(floats.models, exact.models.astype(float), rtol=1e-13)


@pytest.mark.parametrize("name", CASES)
def test_round_map_is_the_run(name: str) -> None:
    problem, algorithm, by_hand = CASES[name]
    step = round_map(problem, algorithm, exact=True, start=START)
    after = step(step(step(step.start)))
    assert (step.model @ after == by_hand(3)).all()


@pytest.mark.parametrize("name", ["scaffold I", "scaffold II", "corrected"])
def test_corrections_remove_the_bias_of_local_steps(name: str) -> None:
    problem, algorithm, _ = CASES[name]
    assert (fixed_point(problem, algorithm, exact=True) == problem.constants.minimiser).all()
    assert (fixed_point(problem, fl.FedAvg(K, ETA), exact=True) != problem.constants.minimiser).any()


def test_one_way_ends_at_the_minimiser_for_one_step_or_equal_curvatures() -> None:
    end = fixed_point(MIXED, fl.OneWayGradientTransfer(1, ETA, SERVER), exact=True)
    assert (end == MIXED.constants.minimiser).all()
    end = fixed_point(MIXED_ALIKE, fl.OneWayGradientTransfer(K, ETA, SERVER), exact=True)
    assert (end == MIXED_ALIKE.constants.minimiser).all()
    assert (fixed_point(MIXED, fl.OneWayGradientTransfer(K, ETA), exact=True) != MIXED.constants.minimiser).any()


def test_parallel_training_ends_at_the_minimiser_for_one_step_at_equal_rates_only() -> None:
    minimiser = MIXED.constants.minimiser
    assert (fixed_point(MIXED, fl.ParallelTraining(1, ETA, ETA * SERVER, SERVER, MERGE), exact=True) == minimiser).all()
    assert (fixed_point(MIXED, fl.ParallelTraining(1, ETA, ETA, SERVER, MERGE), exact=True) != minimiser).any()
    biased = fixed_point(MIXED_ALIKE, fl.ParallelTraining(K, ETA, ETA), exact=True)
    assert (biased != MIXED_ALIKE.constants.minimiser).any()


@pytest.mark.parametrize("central_rate", [ETA, CENTRAL])
def test_two_way_ends_at_the_minimiser_for_equal_curvatures_with_both_gradients(central_rate: Fraction) -> None:
    step = round_map(MIXED_ALIKE, fl.TwoWayGradientTransfer(K, ETA, central_rate, SERVER, MERGE), exact=True)
    assert step.contraction() < 1
    minimiser = MIXED_ALIKE.constants.minimiser
    wanted = [minimiser, CENTRE.gradient(minimiser), ALIKE.gradient(minimiser)]
    assert (step.fixed_point() == np.concatenate(wanted)).all()


def test_one_round_of_parallel_training_and_two_way_from_zero_gradients_agree() -> None:
    rates = (K, ETA, CENTRAL, SERVER, MERGE, J)
    one, two = fl.ParallelTraining(*rates), fl.TwoWayGradientTransfer(*rates)
    left, right = (trajectory(MIXED, a, rounds=2, start=START, exact=True).models for a in (one, two))
    assert (left[1] == right[1]).all() and (left[2] != right[2]).any()


def test_one_step_of_parallel_training_is_one_step_of_one_way() -> None:
    one, two = fl.ParallelTraining(1, ETA, ETA * SERVER, SERVER), fl.OneWayGradientTransfer(1, ETA, SERVER)
    left, right = (trajectory(MIXED, a, rounds=3, start=START, exact=True).models for a in (one, two))
    assert (left == right).all()


def test_without_a_central_loss_they_are_fedavg() -> None:
    alone = MixedProblem(CLIENTS, NO_CENTRE)
    plain = trajectory(CLIENTS, fl.FedAvg(K, ETA), rounds=3, start=START, exact=True).models
    sided = trajectory(CLIENTS, fl.TwoSidedFedAvg(K, ETA, SERVER), rounds=3, start=START, exact=True).models
    for algorithm, wanted in (
        (fl.ParallelTraining(K, ETA, CENTRAL), plain),
        (fl.OneWayGradientTransfer(K, ETA), plain),
        (fl.ParallelTraining(K, ETA, CENTRAL, SERVER), sided),
        (fl.ParallelTraining(K, ETA, CENTRAL, 1, SERVER), sided),
        (fl.OneWayGradientTransfer(K, ETA, SERVER), sided),
    ):
        assert (trajectory(alone, algorithm, rounds=3, start=START, exact=True).models == wanted).all()


def test_only_the_product_of_elasticity_and_server_step_matters() -> None:
    left = trajectory(CLIENTS, fl.SimplifiedElastic(K, ETA, 2, F(3, 8)), rounds=2, start=START, exact=True)
    right = trajectory(CLIENTS, fl.TwoSidedFedAvg(K, ETA, F(3, 4)), rounds=2, start=START, exact=True)
    assert (left.models == right.models).all()


def test_central_steps_default_to_the_local_steps() -> None:
    left = trajectory(MIXED, fl.TwoWayGradientTransfer(K, ETA, CENTRAL), rounds=2, start=START, exact=True)
    right = trajectory(
        MIXED, fl.TwoWayGradientTransfer(K, ETA, CENTRAL, central_steps=K), rounds=2, start=START, exact=True
    )
    assert (left.models == right.models).all()


def test_both_options_of_scaffold_under_sampling() -> None:
    """Option I renews the control variates of the cohort only, at the server's model."""
    found = []
    for option in ("I", "II"):
        algorithm = fl.Scaffold(2, ETA, participation=fl.SchemeII(2), option=option)
        exact = moments(CLIENTS, algorithm, rounds=3, start=START, exact=True)
        brute = enumerate_moments(CLIENTS, algorithm, rounds=3, start=START, exact=True)
        assert (exact.deviations == brute.deviations).all()
        found.append(exact.squared_distance[-1])
    assert found[0] != found[1]


def test_a_sampled_correction_is_mixed_over_cohorts() -> None:
    algorithm = fl.GradientCorrected(2, ETA, participation=fl.NormalisedUniform(2))
    with pytest.raises(ValueError, match="sent back within its round"):
        moments(CLIENTS, algorithm, rounds=1)
    mixed = enumerate_moments(CLIENTS, algorithm, rounds=2, start=START, exact=True)
    assert mixed.variance[-1] > 0


def test_costs() -> None:
    counts = {name: cost(problem, algorithm, rounds=2).round(1) for name, (problem, algorithm, _) in CASES.items()}
    assert {name: (c.down, c.up, c.gradients, c.central_gradients) for name, c in counts.items()} == {
        "scaffold I": (2, 2, K + 1, 0),
        "scaffold II": (2, 2, K, 0),
        "corrected": (2, 2, K + 1, 0),
        "elastic": (1, 1, K, 0),
        "parallel": (1, 1, K, J),
        "1-way": (2, 1, K, 1),
        "2-way": (2, 1, K, J),
    }


@pytest.mark.parametrize("name", ["scaffold I", "corrected", "elastic"])
def test_compiled_and_plain_runs_draw_alike(name: str) -> None:
    problem, algorithm, _ = CASES[name]
    arguments = dict(rounds=4, runs=3, seed=5, oracle=fl.AdditiveNoise(0.1))
    fast, plain = (fl.simulate(problem, algorithm, backend=backend, **arguments) for backend in ("numba", "numpy"))
    np.testing.assert_allclose(fast.final, plain.final, rtol=1e-12)


@pytest.mark.parametrize("name", ["parallel", "1-way", "2-way"])
def test_simulations_of_mixed_problems(name: str) -> None:
    problem, algorithm, by_hand = CASES[name]
    run = fl.simulate(problem, algorithm, rounds=3, start=np.array(START, dtype=float))
    np.testing.assert_allclose(run.final[0], by_hand(3).astype(float), rtol=1e-12)
    distance = ((by_hand(3) - problem.constants.minimiser) ** 2).sum()
    np.testing.assert_allclose(run.squared_distance[0, -1], float(distance), rtol=1e-11)


def test_refused_arguments() -> None:
    with pytest.raises(ValueError, match="option='III'"):
        fl.Scaffold(1, ETA, option="III")
    with pytest.raises(ValueError, match="option II needs a constant"):
        fl.Scaffold(1, fl.Harmonic(1, 1))
    assert trajectory(CLIENTS, fl.Scaffold(1, fl.Harmonic(F(1, 5), 1), option="I"), rounds=2, exact=True)
    with pytest.raises(ValueError, match="need a constant step size"):
        fl.TwoWayGradientTransfer(1, fl.Harmonic(1, 1), ETA)
    with pytest.raises(ValueError, match="central_steps=0"):
        fl.ParallelTraining(1, ETA, ETA, central_steps=0)
    with pytest.raises(ValueError, match="merge_step_size=0"):
        fl.TwoWayGradientTransfer(1, ETA, ETA, merge_step_size=0)
    with pytest.raises(ValueError, match="central_step_size=-1"):
        fl.ParallelTraining(1, ETA, -1)
    with pytest.raises(ValueError, match="elasticity=0"):
        fl.SimplifiedElastic(1, ETA, elasticity=0)
    with pytest.raises(ValueError, match="local_steps=0"):
        fl.GradientCorrected(0, ETA)


def test_fedprox_without_a_proximal_term_is_fedavg() -> None:
    problem = fl.li_counterexample(n_clients=3, block=2, ridge=0.1)
    plain = fl.round_map(problem, fl.FedAvg(3, 0.1))
    np.testing.assert_allclose(fl.round_map(problem, fl.FedProx(3, 0.1, 0)).matrix, plain.matrix, rtol=0, atol=1e-15)
    pulled = fl.round_map(problem, fl.FedProx(3, 0.1, 2.0))
    assert pulled.spectral_radius() > plain.spectral_radius()  # held back near the server's model, it contracts less
    with pytest.raises(ValueError, match="prox=-1"):
        fl.FedProx(3, 0.1, -1)
