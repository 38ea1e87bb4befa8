"""fl.plot with mixed FL: the bounds stay above exact expectations where their conditions hold, and are refused elsewhere."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import sympy as sp

import fltheory as fl
from fltheory.experiments import mixed_values
from fltheory.theory import mixed2022
from fltheory.theory.bound import Condition

STEP = 0.02
#: The bound of 2-way GT supposes exact augmenting gradients at the start, which noisy oracles do not give.
NOISY, QUIET = (fl.AdditiveNoise(np.array(0.3)), fl.AdditiveNoise(np.array(0.2))), (fl.Exact(), fl.Exact())
ONE = fl.OneWayGradientTransfer(2, STEP, participation=fl.SchemeII(1))
TWO = fl.TwoWayGradientTransfer(
    2, STEP / 16, STEP / 8, 2, participation=fl.SchemeII(2), initial="gradients", divisor="central step size"
)
PT = fl.ParallelTraining(2, STEP / 2, STEP / 2, participation=fl.SchemeII(1))
BOUNDS = {"1-way": mixed2022.ONE_WAY_DISTANCE, "2-way": mixed2022.TWO_WAY_DISTANCE, "PT": mixed2022.PARALLEL_DISTANCE}
METHODS = {
    "1-way": (ONE, NOISY),
    "2-way": (TWO, QUIET),
    "PT": (PT, NOISY),
    "1-way, separate runs": (fl.OneWayGradientTransfer(2, STEP / 2, 2, fl.SchemeI(2, "separate runs")), NOISY),
    "2-way, small e": (replace(TWO, server_step_size=1, step_size=STEP / 16, central_step_size=STEP / 16), QUIET),
    "PT, full": (fl.ParallelTraining(2, STEP / 4, STEP / 2, 2), NOISY),
}


def problem(other: float = 1.0) -> fl.MixedProblem:
    """Two equal clients (the bounds assume equal ones) and a centre with another minimiser."""
    clients = fl.QuadraticProblem(np.array([[[2.0, 0], [0, 1]]] * 2), np.array([[1.0, 0], [other, 0]]))
    return fl.MixedProblem(clients, fl.QuadraticProblem(np.array([[[1.0, 0], [0, 2]]]), np.array([[-1.0, 2.0]])))


def bound_of(name: str) -> Any:
    return BOUNDS[name.split(",")[0]]


def drawn(
    method: Any,
    bound: Any,
    oracles: Any = NOISY,
    *,
    mixed: Any = None,
    start: Any = None,
    say: Any = None,
    rounds: int = 40,
    quantity: str = "squared_distance",
    **plotted: Any,
) -> dict[str, Any]:
    """The lines of a plot of a run of ``method``; ``say`` is the start that the plot is told of."""
    mixed, (noise, central) = problem() if mixed is None else mixed, oracles
    run = fl.simulate(mixed, method, rounds=rounds, runs=2, oracle=noise, centre_oracle=central, start=start)
    axes = fl.plot(
        run,
        bound,
        problem=mixed,
        oracle=noise,
        centre_oracle=central,
        quantity=quantity,
        **{"algorithm": method, "start": say, **plotted},
    )
    return {line.get_label(): np.asarray(line.get_ydata()) for line in axes.get_lines()}


@pytest.mark.parametrize("name", METHODS)
@pytest.mark.parametrize("start", [None, (30.0, 30.0)])
def test_bound_over_truth(name: str, start: Any) -> None:
    (method, oracles), bound, mixed = METHODS[name], bound_of(name), problem()
    noise, central = oracles
    exact = fl.moments(mixed, method, rounds=40, oracle=noise, centre_oracle=central, start=start)
    lines = drawn(method, bound, oracles, start=start, exact=exact)
    assert (lines[bound.source] >= exact.squared_distance * (1 - 1e-12)).all()
    at_start = lines[bound.source][0] / exact.squared_distance[0]
    assert at_start == pytest.approx(1.5 if "2-way" in name else 1.0)
    values = mixed_values(mixed, method, noise, central, start=start)
    assert bound.unmet(**values) == []
    assert values == pytest.approx(mixed_values(mixed, method, noise, central, run=exact))


def test_values() -> None:
    values = mixed_values(problem(), PT, *NOISY)
    assert values["V"] == pytest.approx(0.6) and values["C"] == pytest.approx(0.4)  # traces in two dimensions
    assert values["e"] == pytest.approx(STEP) and values["J"] == 2
    assert mixed_values(problem(), ONE)["e"] == pytest.approx(2 * STEP)
    assert mixed_values(problem(), TWO)["start_error"] == 0
    assert mixed_values(problem(), TWO, NOISY[0])["start_error"] > 0


def test_start_error_of_zero_is_that_of_both_gradients() -> None:
    zero, mixed = replace(TWO, initial="zero"), problem()
    assert mixed_values(mixed, zero)["start_error"] == pytest.approx(1 + 1 + 4)  # |(1, 0)|^2 + |(-1, 2)|^2
    run = fl.simulate(mixed, zero, rounds=1, start=(3.0, 4.0))
    least = mixed_values(mixed, zero, run=run)["start_error"]  # the run does not say where it begins
    assert 0 < least <= mixed_values(mixed, zero, start=(3.0, 4.0))["start_error"]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"central_steps": 20}, "central_steps=20"),
        ({"merge": "average"}, "merge='average'"),
        ({"server": fl.HeavyBall(0.5)}, "server=HeavyBall"),
        ({"central": fl.HeavyBall(0.5)}, "central=HeavyBall"),
        ({"merger": fl.HeavyBall(0.5)}, "merger=HeavyBall"),
        ({"step_size": fl.Harmonic(1.0, 10.0)}, "step_size"),
        ({"participation": fl.Full(), "client_steps": (1, 2)}, "client_steps"),
        ({"participation": fl.SchemeI(2)}, "plain average"),
        ({"participation": fl.Original(1)}, "plain average"),
    ],
)
def test_options_that_no_bound_covers_are_refused(change: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        mixed_values(problem(), replace(PT, **change), *NOISY)


def test_clients_that_differ_are_refused() -> None:
    with pytest.raises(ValueError, match="client_spread=1"):
        mixed_values(problem(other=3.0), PT)
    clients = fl.QuadraticProblem(np.array([[[2.0]], [[1.0]]]), np.array([[1.0], [1.0]]))
    with pytest.raises(ValueError, match="infinite"):
        mixed_values(fl.MixedProblem(clients, fl.QuadraticProblem(np.array([[[1.0]]]), np.array([[0.0]]))), PT)
    unequal = replace(problem(), clients=replace(problem().clients, weights=np.array([0.25, 0.75])))
    with pytest.raises(ValueError, match="plain average"):
        mixed_values(unequal, replace(PT, participation=fl.Full()), *NOISY)


@pytest.mark.parametrize(
    ("method", "name", "words"),
    [
        (replace(TWO, step_size=STEP, central_step_size=2 * STEP), "2-way", "e <= 1/\\(81 beta\\)"),
        (replace(TWO, initial="zero"), "2-way", "started at the gradients"),
        (replace(TWO, divisor="as printed"), "2-way", "gt_c renewed with eta_c"),
        (replace(TWO, step_size=STEP / 20), "2-way", "eta_c = eta eta_s"),
        (replace(TWO, server_step_size=1, step_size=STEP / 10, central_step_size=STEP / 10), "2-way", "or e <= "),
        (replace(PT, step_size=STEP / 4), "PT", "K eta_c eta_m = e"),
        (replace(PT, participation=fl.SchemeII(2)), "PT", "eta_s eta_m >= sqrt\\(S\\)"),
        (replace(PT, merge_step_size=0.5), "PT", "eta_m >= 1"),
        (replace(PT, step_size=0.1, central_step_size=0.1), "PT", "1 \\+ B\\^2"),
        (replace(ONE, server_step_size=0.1), "1-way", "sqrt\\(5S/8\\)"),
        (replace(ONE, step_size=0.1), "1-way", "1/\\(8 beta\\)"),
    ],
)
def test_broken_conditions_are_refused(method: Any, name: str, words: str) -> None:
    oracles = QUIET if name == "2-way" else NOISY
    with pytest.raises(ValueError, match=words):
        drawn(method, BOUNDS[name], oracles)
    assert len(BOUNDS[name].unmet(**mixed_values(problem(), method, *oracles))) == 1


def test_noisy_augmenting_gradients_are_no_exact_start() -> None:
    with pytest.raises(ValueError, match="started at the gradients"):
        drawn(TWO, mixed2022.TWO_WAY_DISTANCE, NOISY)


def test_what_does_not_belong_together_is_refused() -> None:
    one, parallel = mixed2022.ONE_WAY_DISTANCE, mixed2022.PARALLEL_DISTANCE
    with pytest.raises(ValueError, match="quantity='gap'.*expected quantity='squared_distance'"):
        drawn(ONE, one, quantity="gap")
    with pytest.raises(ValueError, match="1-way GT.*OneWayGradientTransfer"):
        drawn(PT, one)
    with pytest.raises(ValueError, match="not that of the run"):
        drawn(PT, one, algorithm=ONE)
    with pytest.raises(ValueError, match="OneWayGradientTransfer"):  # the record alone says what it is of
        drawn(PT, one, algorithm=None, values=mixed_values(problem(), ONE, *NOISY))
    run = fl.simulate(problem(), ONE, rounds=2, oracle=NOISY[0], centre_oracle=NOISY[1])
    with pytest.raises(ValueError, match="^oracle=Exact"):
        fl.plot(run, one, problem=problem(), algorithm=ONE, quantity="squared_distance")
    with pytest.raises(ValueError, match="centre_oracle=Exact"):
        fl.plot(run, one, problem=problem(), algorithm=ONE, oracle=NOISY[0], quantity="squared_distance")
    with pytest.raises(ValueError, match="central_steps=20"):
        drawn(replace(PT, local_steps=5, central_steps=20), parallel)
    with pytest.raises(ValueError, match="which is not drawn"):
        drawn(ONE, mixed2022.LEMMA_D8)


def test_starts_that_differ_are_refused() -> None:
    one = mixed2022.ONE_WAY_DISTANCE
    with pytest.raises(ValueError, match="the run begins at 17"):
        drawn(ONE, one, start=(30.0, 30.0), say=(0.0, 0.0))
    with pytest.raises(ValueError, match="D_sq=.*the run begins at"):
        drawn(ONE, one, start=(30.0, 30.0), values=mixed_values(problem(), ONE, *NOISY))
    with pytest.raises(ValueError, match="exact begins at"):
        exact = fl.moments(problem(), ONE, rounds=40, oracle=NOISY[0], centre_oracle=NOISY[1])
        drawn(ONE, one, start=(30.0, 30.0), exact=exact)


def test_a_run_that_did_not_record_its_start_is_refused() -> None:
    run = fl.simulate(problem(), ONE, rounds=2)
    with pytest.raises(ValueError, match="gap was not recorded"):
        mixed_values(problem(), ONE, run=replace(run, gap=None, reference="not asked for"))


def test_rounding_breaks_no_equality_and_no_border() -> None:
    a, b = sp.symbols("a b")
    assert Condition("3 a = b", sp.Eq(3 * a, b)).holds({"a": 0.1, "b": 0.3}) is True
    assert Condition("a^2 >= 3", a**2 >= 3).holds({"a": 3**0.5}) is True
    assert Condition("a^2 >= 3", a**2 >= 3).holds({"a": 1.7320508}) is False
    assert Condition("a > 1", a > 1).holds({"a": 1.0}) is False
    assert Condition("a = 0", sp.Eq(a, 0)).holds({"a": 1e-20}) is False
    assert (
        Condition("3 a = b", sp.Eq(3 * a, b)).holds({"a": Fraction(1, 10), "b": Fraction(3, 10) + Fraction(1, 10**15)})
        is False
    )
