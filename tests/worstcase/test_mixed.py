"""Worst cases of mixed methods on nonconvex losses: what is infinite is proved so, and what is not is enclosed."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable
from fractions import Fraction as F
from typing import Any

import numpy as np
import pytest

import fltheory as fl
from fltheory.problems.mixed import MixedProblem
from fltheory.problems.quadratic import QuadraticProblem
from fltheory.worstcase import certificate, entry, verifier
from fltheory.worstcase.entry import WorstCase, build_model
from fltheory.worstcase.growth import Growth, growth, run
from fltheory.worstcase.solver import Solution

SMOOTH, CONVEX = fl.Smooth(1), fl.SmoothConvex(1)
STRONG = fl.SmoothStronglyConvex(F(1, 10), 1)
METHODS: dict[str, Callable[[F], Any]] = {
    "PT": lambda eta: fl.ParallelTraining(2, eta, eta),
    "1-w": lambda eta: fl.OneWayGradientTransfer(2, eta),
    "2-w": lambda eta: fl.TwoWayGradientTransfer(2, eta, eta),
}


def worst(algorithm: Any, **options: Any) -> WorstCase:
    known = {"centre": SMOOTH, "measure": "gradient", "start": "gap"} | options
    return fl.worst_case(algorithm, known.pop("functions", SMOOTH), **known)


def consistent(found: WorstCase) -> bool:
    """Status and numbers say the same."""
    if found.status == "unbounded":
        return found.value == math.inf and found.growth is not None
    if found.upper is None:
        return math.isnan(found.value) and found.growth is None
    above = found.value <= float(found.upper)
    return above and (found.lower is None or found.value >= float(found.lower)) and math.isfinite(found.value)


def problem_of(found: Growth) -> MixedProblem:
    def array(entries: Any) -> Any:
        return np.array(entries, dtype=object)

    clients = QuadraticProblem(array([a for a, _ in found.clients]), array([[-x for x in b] for _, b in found.clients]))
    return MixedProblem(clients, QuadraticProblem(array([found.centre[0]]), array([[-x for x in found.centre[1]]])))


@pytest.mark.parametrize("eta", [F(1, 5), F(1, 50), F(1, 2000)])
@pytest.mark.parametrize("measure", ["gradient", "gap"])
@pytest.mark.parametrize("name", METHODS)
def test_unlike_clients_make_the_worst_case_infinite_at_every_step_size(name: str, measure: str, eta: F) -> None:
    """The clients' mean starts to move with the square of the step size: no scale of it may hide that."""
    found = worst(METHODS[name](eta), measure=measure)
    assert found.status == "unbounded" and consistent(found)
    assert found.growth is not None and found.growth.measure > 0


@pytest.mark.parametrize("factor", [1, 3])
@pytest.mark.parametrize("name", METHODS)
def test_an_instance_of_growth_is_run_by_the_method_itself(name: str, factor: int) -> None:
    algorithm = METHODS[name](F(1, 50))
    found = growth(build_model(algorithm, SMOOTH, centre=SMOOTH, measure="gradient", start="gap"))
    assert found is not None and found.belongs(SMOOTH, SMOOTH)
    problem, start = problem_of(found), np.array([factor * x for x in found.start], dtype=object)
    assert problem.value(start) == problem.value(0 * start) and not any(problem.gradient(start))
    last = fl.trajectory(problem, algorithm, rounds=1, start=start, exact=True).models[-1]
    gradient = problem.gradient(np.asarray(last))
    assert gradient @ gradient == factor**2 * found.measure


@pytest.mark.parametrize("rounds", [1, 2])
@pytest.mark.parametrize("measure", ["gradient", "gap"])
@pytest.mark.parametrize("name", METHODS)
def test_the_verifier_accepts_an_instance_of_growth_at_zero_quantities(name: str, measure: Any, rounds: int) -> None:
    model = build_model(METHODS[name](F(1, 7)), SMOOTH, centre=SMOOTH, measure=measure, start="gap", rounds=rounds)
    found = growth(model)
    assert found is not None
    ran = run(model, found)
    assert ran is not None
    blocks = {
        block: [[ran.gram(block, i, j) for j in range(size)] for i in range(size)]
        for block, size in model.space.sizes.items()
    }
    zero = dict.fromkeys(model.bound_names, F(0))
    data = {
        **certificate.statement(model),
        "lower": certificate.lower(blocks, {r: ran.values[r] for r in model.values}, zero, found.measure),
    }
    assert verifier.verify(data)["lower"] == (zero, found.measure)


def test_losses_outside_of_the_class_are_no_instance() -> None:
    found = growth(build_model(METHODS["PT"](F(1, 7)), SMOOTH, centre=SMOOTH, measure="gap", start="gap"))
    assert found is not None
    assert not found.belongs(fl.Smooth(F(1, 100)), SMOOTH) and not found.belongs(SMOOTH, STRONG)
    (a, b), second = found.clients
    assert not dataclasses.replace(found, clients=((a, tuple(x + 1 for x in b)), second)).belongs(SMOOTH, SMOOTH)


@pytest.mark.parametrize(
    ("algorithm", "functions", "options"),
    [
        (fl.FedAvg(2, F(1, 4)), STRONG, {}),
        (fl.FedAvg(2, F(1, 4)), STRONG, {"heterogeneity": "none"}),
        (fl.FedAvg(1, F(1, 4)), STRONG, {"heterogeneity": None}),
        (fl.FedAvg(2, F(1, 4)), SMOOTH, {"heterogeneity": "identical", "measure": "gradient", "start": "gap"}),
        (fl.Scaffold(2, F(1, 4)), STRONG, {"rounds": 2}),
        (
            fl.OneWayGradientTransfer(2, F(1, 4)),
            SMOOTH,
            {"heterogeneity": "identical", "measure": "gradient", "start": "gap", "centre": SMOOTH},
        ),
        (
            fl.ParallelTraining(1, F(1, 4), F(1, 4)),
            SMOOTH,
            {"heterogeneity": "identical", "measure": "gradient", "start": "gap", "centre": SMOOTH},
        ),
    ],
)
def test_what_is_certified_has_no_growth(algorithm: Any, functions: Any, options: dict[str, Any]) -> None:
    found = fl.worst_case(algorithm, functions, **options)
    assert found.upper is not None and found.growth is None and consistent(found)
    assert growth(build_model(algorithm, functions, **options)) is None


def test_clients_that_share_a_stationary_point_are_held_to_it_without_convexity() -> None:
    model = build_model(fl.FedAvg(2, F(1, 4)), SMOOTH, heterogeneity="none", measure="gradient", start="gap")
    assert ("optimum", "shared") in model.instructions
    found = growth(model)
    assert found is not None and not any(any(slope) for _, slope in found.clients)


def stopped(status: str, factor: float = 1.0) -> Callable[..., Solution]:
    """The solver, but with this status and its value times a factor."""

    def solver(*arguments: Any, **options: Any) -> Solution:
        found = honest(*arguments, **options)
        return dataclasses.replace(found, status=status, value=factor * found.value)

    honest = entry.solve
    return solver


def test_a_stopped_solver_without_a_certificate_has_no_value(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(entry, "solve", stopped("InsufficientProgress"))
    found = fl.worst_case(fl.FedAvg(2, F(1, 4)), STRONG, certify=False)
    assert found.status == "not solved" and consistent(found) and "no certified value" in repr(found)
    assert found.solver_status == "InsufficientProgress"


def test_a_ray_that_nothing_proves_is_told_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(entry, "solve", stopped("DualInfeasible"))
    free = {"measure": "gradient", "start": "gap", "heterogeneity": "bounded gradients", "certify": False}
    found = fl.worst_case(fl.FedAvg(2, F(1, 4)), SMOOTH, **free)
    assert found.status == "perhaps unbounded" and consistent(found)
    bounded = fl.worst_case(fl.FedAvg(2, F(1, 4)), STRONG)
    assert bounded.status == "certified" and consistent(bounded)


@pytest.mark.parametrize("factor", [0.5, 2.0])
def test_a_value_outside_of_its_certificates_gives_way(monkeypatch: pytest.MonkeyPatch, factor: float) -> None:
    monkeypatch.setattr(entry, "solve", stopped("Solved", factor))
    found = fl.worst_case(fl.FedAvg(2, F(1, 4)), STRONG)
    assert found.status == "certified" and consistent(found)


def descent(analysis: Any) -> Any:
    return analysis.gap(1) - analysis.gap(0)


@pytest.mark.parametrize("step", [F(1, 18), F(1, 36)])
@pytest.mark.parametrize("local_steps", [2, 3, 5])
def test_identical_clients_are_enclosed_under_noise_of_the_server(local_steps: int, step: F) -> None:
    """Deviations that are zero leave no instance strictly inside: they are left out before the solver sees the problem."""
    found = worst(
        fl.OneWayGradientTransfer(local_steps, step / local_steps),
        heterogeneity="identical",
        measure=descent,
        start={},
        centre_noise=True,
    )
    assert found.status == "certified" and found.width < 1e-2 and consistent(found)
    assert found.certificate is not None and verifier.verify(found.certificate)["upper"].keys() == {"centre_noise"}
    # one step of gradient descent along a noisy direction: e^2 L/2 times the variance, with L = 2 of the sum
    assert found.upper is not None and found.upper < 2 * step**2


MIXED: dict[str, Any] = {"PT": fl.ParallelTraining(2, F(1, 10), F(1, 10)), "2-w": METHODS["2-w"](F(1, 10))}


@pytest.mark.parametrize("measure", ["gradient", "gap"])
@pytest.mark.parametrize("name", MIXED)
def test_mixed_dissimilarity_bounds_what_was_infinite(name: str, measure: str) -> None:
    assert worst(MIXED[name], measure=measure, heterogeneity="identical").status == "unbounded"
    kinds = ["identical", fl.MixedDissimilarity(1)]
    found = [worst(MIXED[name], measure=measure, heterogeneity=kinds, quantities={"G2": g}) for g in (1, 4, 16)]
    assert all(answer.status == "certified" and consistent(answer) for answer in found)
    for less, more in zip(found, found[1:], strict=False):
        assert less.upper is not None and more.lower is not None and less.upper < more.lower


def test_a_larger_B_is_a_weaker_assumption() -> None:
    found = [worst(MIXED["PT"], heterogeneity=["identical", fl.MixedDissimilarity(B)]) for B in (1, 2, 4)]
    assert all(answer.status == "certified" for answer in found)
    for less, more in zip(found, found[1:], strict=False):
        assert less.upper is not None and more.lower is not None and less.upper < more.lower


def test_mixed_dissimilarity_alone_says_nothing_of_the_clients_among_themselves() -> None:
    assert worst(MIXED["PT"], heterogeneity=fl.MixedDissimilarity(1)).status == "unbounded"
    both = worst(MIXED["PT"], heterogeneity=[fl.Dissimilarity(2), fl.MixedDissimilarity(2)])
    assert both.status == "certified" and set(both.bound) == {"gap", "G2"}


def test_one_step_is_gradient_descent_whatever_the_dissimilarity() -> None:
    once = fl.ParallelTraining(1, F(1, 4), F(1, 4))
    free = worst(once, heterogeneity="identical")
    for G2, B in ((1, 1), (9, 3)):
        found = worst(once, heterogeneity=["identical", fl.MixedDissimilarity(B)], quantities={"G2": G2})
        assert found.status == "certified" and found.value == pytest.approx(free.value, rel=1e-4)


@pytest.mark.parametrize("weight", [F(1, 2), F(1, 4)])
@pytest.mark.parametrize(("shared", "slope", "start"), [(F(1, 2), F(2), F(1)), (F(1, 4), F(5), F(-3))])
def test_the_bound_holds_for_parabolas_whose_constants_are_known(weight: F, shared: F, slope: F, start: F) -> None:
    """``f_f' = w_f h x + a``, ``f_c' = w_c h x - a``: the left side is ``|h x|^2 + a^2/(w_f w_c)``, so that B = 1."""
    found = worst(MIXED["PT"], heterogeneity=["identical", fl.MixedDissimilarity(1, weight)])
    assert found.status == "certified"

    def parabola(curvature: F, slope: F) -> QuadraticProblem:
        return QuadraticProblem(np.array([[[curvature]]], dtype=object), np.array([[-slope]], dtype=object))

    problem = MixedProblem(parabola(weight * shared, slope), parabola((1 - weight) * shared, -slope))
    last = fl.trajectory(problem, MIXED["PT"], rounds=1, start=np.array([start], dtype=object), exact=True).models[-1]
    quantities = {"gap": shared * start**2 / 2, "G2": slope**2 / (weight * (1 - weight))}
    (gradient,) = problem.gradient(np.asarray(last))
    assert gradient**2 <= sum(factor * quantities[name] for name, factor in found.bound.items())


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: fl.MixedDissimilarity(F(1, 2)), "B=1/2 must be at least 1"),
        (lambda: fl.MixedDissimilarity("much"), "B='much' is no number"),
        (lambda: fl.MixedDissimilarity(1, 1), "federated_weight=1 is not a proportion"),
        (lambda: fl.MixedDissimilarity(1, 0), "federated_weight=0 is not a proportion"),
        (
            lambda: fl.worst_case(fl.FedAvg(2, F(1, 4)), STRONG, heterogeneity=fl.MixedDissimilarity(1)),
            "MixedDissimilarity.*no gradient of the server's own loss",
        ),
    ],
)
def test_bad_mixed_dissimilarity_is_refused(call: Any, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        call()
