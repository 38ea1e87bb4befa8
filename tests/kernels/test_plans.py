"""Every family of kernels against the plain loop over problem gradients, and which problems have kernels."""

from __future__ import annotations

import numpy as np
import pytest

from fltheory import streams
from fltheory.kernels.dispatch import plan_for
from fltheory.kernels.maps import MappedPlan
from fltheory.kernels.plan import Slots
from fltheory.problems import (
    AdditiveNoise,
    Exact,
    FiniteSupportNoise,
    LogisticProblem,
    MiniBatch,
    PerceptronProblem,
    QuadraticProblem,
    QuadraticSamples,
    Regulariser,
    Scaled,
    SoftmaxProblem,
    li_tridiagonal,
    ridge_regression,
)
from fltheory.problems.oracles.protocol import KernelNoise
from fltheory.readings.draws import StreamDraws

RNG = np.random.default_rng(5)
SIZES = (6, 11, 40)
FEATURES = tuple(RNG.normal(size=(n, 5)) for n in SIZES)
REGULARISER = Regulariser(0.02, "lambda|w|^2")
ROOTS = RNG.normal(size=(3, 5, 5))
QUADRATIC = QuadraticProblem(ROOTS @ ROOTS.swapaxes(1, 2) / 5, RNG.normal(size=(3, 5)), weights=[0.5, 0.3, 0.2])
RIDGE = ridge_regression(FEATURES, [RNG.normal(size=n) for n in SIZES], REGULARISER, convention="full")
LOGISTIC = LogisticProblem(FEATURES, tuple(2 * RNG.integers(0, 2, size=n) - 1 for n in SIZES), REGULARISER)
SOFTMAX = SoftmaxProblem(FEATURES, tuple(RNG.integers(0, 4, size=n) for n in SIZES), REGULARISER, classes=4)
PERCEPTRON = PerceptronProblem(FEATURES, SOFTMAX.labels, REGULARISER, hidden=(6, 3), classes=4)
TRIDIAGONAL = li_tridiagonal(3, 2, 0.1)
SPIKE = np.array([[1.0, 0, 0, 0, -1], [-1.0, 0, 0, 0, 1], [0, 3.0, 0, 0, 0], [0, -3.0, 0, 0, 0]])
CASES = {
    "quadratic": (QUADRATIC, Exact()),
    "quadratic, scalar noise": (QUADRATIC, AdditiveNoise(0.3)),
    "quadratic, client noise": (QUADRATIC, AdditiveNoise(ROOTS @ ROOTS.swapaxes(1, 2))),
    "quadratic, finite noise": (QUADRATIC, FiniteSupportNoise(SPIKE, np.array([0.3, 0.3, 0.2, 0.2]))),
    "tridiagonal": (TRIDIAGONAL, Exact()),
    "ridge": (RIDGE, MiniBatch(4)),
    "ridge, replacement": (RIDGE, MiniBatch(9, replacement=True)),
    "logistic": (LOGISTIC, MiniBatch(6)),
    "logistic, all rows": (LOGISTIC, Exact()),
    "softmax": (SOFTMAX, MiniBatch(5)),
    "softmax, replacement": (SOFTMAX, MiniBatch(13, replacement=True)),
    "softmax, all rows": (SOFTMAX, Exact()),
    "perceptron": (PERCEPTRON, MiniBatch(5)),
    "perceptron, replacement": (PERCEPTRON, MiniBatch(13, replacement=True)),
    "perceptron, all rows": (PERCEPTRON, Exact()),
}
RUNS, CLIENTS = 3, np.array([[0, 1, 2, 1], [2, 2, 0, 1], [1, 0, 0, 2]])
SCALES = np.array([1.0, 0.25, 2.0])


def slots(first: int) -> Slots:
    return Slots(CLIENTS, streams.key(1, np.arange(RUNS)[:, None], 9, CLIENTS), first, SCALES)


def plain_gradients(problem, oracle, x, step):
    draws = StreamDraws(problem, oracle, 1, np.arange(RUNS))
    return SCALES[CLIENTS][..., None] * draws.gradient(9, step, x, CLIENTS, np.zeros_like(CLIENTS))


def close(mine, plain):
    assert np.abs(mine - plain).max() <= 1e-12 * np.abs(plain).max()


@pytest.mark.parametrize("name", CASES)
def test_gradients_agree_with_the_plain_ones(name):
    problem, oracle = CASES[name]
    x = np.random.default_rng(1).normal(size=(*CLIENTS.shape, problem.dimension))
    before = x.copy()
    close(plan_for(problem, oracle).gradients(x, slots(4)), plain_gradients(problem, oracle, x, 4))
    assert (x == before).all()


@pytest.mark.parametrize("constant_steps", [True, False])
@pytest.mark.parametrize("shifted", [True, False])
@pytest.mark.parametrize("name", CASES)
def test_local_sgd_agrees_with_the_plain_loop(name, shifted, constant_steps):
    problem, oracle = CASES[name]
    rng = np.random.default_rng(2)
    x = rng.normal(size=(*CLIENTS.shape, problem.dimension))
    shift = rng.normal(size=x.shape) if shifted else None
    rates = np.full(11, 0.05) if constant_steps else 1 / (10.0 + np.arange(11))
    plain = x
    for i, rate in enumerate(rates):
        direction = plain_gradients(problem, oracle, plain, 6 + i)
        plain = plain - rate * (direction if shift is None else direction + shift)
    before = x.copy()
    close(plan_for(problem, oracle, constant_steps=constant_steps).local_sgd(x, slots(6), rates, shift), plain)
    assert (x == before).all()


@pytest.mark.parametrize("steps", [2, 3, 4, 5, 64, 100])
def test_maps_put_any_number_of_steps_together(steps):
    plan = plan_for(QUADRATIC, Exact(), constant_steps=True)
    assert isinstance(plan, MappedPlan)
    x = np.random.default_rng(3).normal(size=(*CLIENTS.shape, 5))
    rates = np.full(steps, 0.11)
    close(plan.local_sgd(x, slots(0), rates, x), plan_for(QUADRATIC, Exact()).local_sgd(x, slots(0), rates, x))


@pytest.mark.parametrize(
    ("problem", "oracle"), [(SOFTMAX, MiniBatch(2)), (LOGISTIC, Exact()), (PERCEPTRON, MiniBatch(3))]
)
def test_values_agree_with_the_problem(problem, oracle):
    w = 3 * np.random.default_rng(4).normal(size=(4, problem.dimension))
    np.testing.assert_allclose(plan_for(problem, oracle).values(w), problem.value(w), rtol=1e-13)


@pytest.mark.parametrize("problem", [QUADRATIC, TRIDIAGONAL])
def test_excess_agrees_with_a_difference_of_values(problem):
    w = np.random.default_rng(4).normal(size=(4, problem.dimension))
    constants = problem.constants
    excess = plan_for(problem, Exact()).excess(w, constants.minimiser)
    np.testing.assert_allclose(excess, problem.value(w) - constants.minimum, rtol=1e-12)


def test_scores_far_apart_do_not_overflow():
    w = np.full((1, 1, SOFTMAX.dimension), 1.0)
    w[..., : SOFTMAX.dimension // 2] = -900.0
    one = Slots(np.array([[1]]), np.zeros((1, 1), dtype=np.uint64), 0, np.ones(3))
    answer = plan_for(SOFTMAX, Exact()).gradients(w, one)
    np.testing.assert_allclose(answer[0, 0], SOFTMAX.client_gradient(1, w[0, 0]), rtol=1e-12)


def test_problems_without_kernels_have_no_plan():
    samples = QuadraticSamples(np.stack([np.eye(2), 2 * np.eye(2)]), np.ones((2, 2)))
    assert plan_for(QuadraticProblem.from_samples([samples]), MiniBatch(1)) is None
    assert plan_for(SOFTMAX, AdditiveNoise(0.1)) is None
    assert plan_for(object(), Exact()) is None


def test_a_batch_larger_than_a_client_is_refused():
    with pytest.raises(ValueError, match="size=7 exceeds the 6 samples"):
        plan_for(SOFTMAX, MiniBatch(7))


class Given:
    """An oracle of nobody's class, with kernel arguments that were given."""

    state_dependent = False

    def __init__(self, **methods):
        for name, answer in methods.items():
            setattr(self, name, lambda *_, answer=answer: answer)

    def draw(self, problem, clients, x, rng):
        raise AssertionError("drawn the slow way")


def test_any_object_with_kernel_arguments_has_a_plan():
    rates = np.array([0.1, 0.05])
    noise = CASES["quadratic, client noise"][1]
    for problem, own, same in (
        (QUADRATIC, Given(kernel_noise=noise.kernel_noise(QUADRATIC)), noise),
        (SOFTMAX, Given(kernel_batch=(5, False)), MiniBatch(5)),
    ):
        x = RNG.normal(size=(3, 4, problem.dimension))
        plans = [plan_for(problem, oracle) for oracle in (own, same)]
        np.testing.assert_array_equal(*(plan.local_sgd(x, slots(0), rates, None) for plan in plans))
    assert plan_for(SOFTMAX, Given(kernel_noise=noise.kernel_noise(QUADRATIC))) is None
    assert plan_for(Scaled(SOFTMAX, 2.0), Given(kernel_batch=(5, False))) is None


@pytest.mark.parametrize(
    ("problem", "oracle", "message"),
    [
        (SOFTMAX, Given(kernel_batch=(7, False)), "size=7 of Given exceeds the 6 samples"),
        (SOFTMAX, Given(kernel_batch=(-1, True)), "size of Given=-1 is not valid"),
        (QUADRATIC, Given(kernel_noise=KernelNoise("gaussian", roots=np.eye(5)[None])), "roots of Given has shape"),
        (
            QUADRATIC,
            Given(kernel_noise=KernelNoise("finite", support=np.ones((3, 2, 5)))),
            "support of Given has shape",
        ),
        (QUADRATIC, Given(kernel_noise=KernelNoise("loud")), "kind of Given='loud' is unknown"),
    ],
)
def test_kernels_do_not_trust_a_strangers_arguments(problem, oracle, message):
    with pytest.raises(ValueError, match=message):
        plan_for(problem, oracle)
