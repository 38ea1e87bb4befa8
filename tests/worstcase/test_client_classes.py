"""Worst cases over several classes of clients: against one class, N explicit clients, PEPit, and runs of the instance."""

from __future__ import annotations

import importlib.util
import json
import math
from fractions import Fraction as F
from typing import Any

import numpy as np
import pytest

import fltheory as fl
from fltheory.worstcase import verifier
from fltheory.worstcase.entry import build_model, solve_model
from fltheory.worstcase.explicit import explicit_worst_case, lift
from fltheory.worstcase.matching import certificate_matches
from fltheory.worstcase.worst_class import ClassGap

SOFT, STIFF, SMOOTH = fl.SmoothStronglyConvex(0.1, 1), fl.SmoothStronglyConvex(0.5, 2), fl.Smooth(1)
CLASSES = fl.ClientClasses([SOFT, STIFF], shares=["1/3", "2/3"])
UNLIKE = fl.ClientClasses([SMOOTH, fl.Smooth(2)], shares=["1/3", "2/3"])
CASES: dict[str, Any] = {
    "own steps": (fl.FedAvg((1, 2), 0.25), CLASSES, {}),
    "two rounds": (fl.FedAvg((2, 1), 0.25), CLASSES, {"rounds": 2, "measure": "gap"}),
    "own minimisers": (fl.FedAvg((2, 1), 0.25), CLASSES, {"heterogeneity": "gamma"}),
    "shared minimiser": (fl.FedAvg((2, 1), 0.25), CLASSES, {"heterogeneity": "none"}),
    "bounded gradients": (fl.FedAvg((2, 1), 0.25), CLASSES, {"heterogeneity": "bounded gradients"}),
    "client state": (fl.Scaffold((2, 1), 0.25), CLASSES, {"rounds": 2}),
    "updates per step": (fl.FedNova((2, 1), 0.25), CLASSES, {"rounds": 2}),
    "dissimilarity": (
        fl.FedAvg(2, 0.25),
        UNLIKE,
        {"heterogeneity": fl.Dissimilarity(2), "start": "gap", "measure": "gradient"},
    ),
    "server loss": (
        fl.OneWayGradientTransfer(2, 0.25),
        CLASSES,
        {"centre": fl.SmoothStronglyConvex(0.2, 2), "measure": "gap"},
    ),
    "gap of a class": (fl.FedAvg((1, 2), 0.25), CLASSES, {"measure": ClassGap(2)}),
    "free state": (
        fl.Scaffold(1, 0.25),
        CLASSES,
        {"free_state": True, "start": lambda a: sum((a.square(a.leaf(k, 0)) for k in (1, 2, 3)), a.distance(0))},
    ),
}
FOUR = ([F(1, 6), F(1, 6), F(1, 3), F(1, 3)], [1, 1, 2, 2])
THREE = ([F(1, 9), F(2, 9), F(2, 3)], [1, 1, 2])


@pytest.mark.parametrize(("local_steps", "rounds"), [(1, 1), (3, 1), (2, 2)])
@pytest.mark.parametrize("shares", [None, ["1/3", "2/3"]])
def test_equal_classes_are_one(local_steps: int, rounds: int, shares: Any) -> None:
    method = fl.FedAvg(local_steps, 0.25)
    one = fl.worst_case(method, SOFT, rounds=rounds)
    two = fl.worst_case(method, fl.ClientClasses([SOFT, SOFT], shares), rounds=rounds)
    assert two.status == "certified" and two.solver_value == pytest.approx(one.solver_value, rel=1e-6)


def test_three_equal_classes_with_a_schedule_are_one() -> None:
    method, three = fl.FedAvg(2, fl.Harmonic(1, 4)), fl.ClientClasses([SOFT] * 3, ["1/2", "1/4", "1/4"])
    one = fl.worst_case(method, SOFT, rounds=2, measure="gap")
    assert fl.worst_case(method, three, rounds=2, measure="gap").solver_value == pytest.approx(
        one.solver_value, rel=1e-6
    )


@pytest.mark.parametrize("name", CASES)
def test_two_clients_of_each_class_attain_the_value(name: str) -> None:
    algorithm, classes, settings = CASES[name]
    model = build_model(algorithm, classes, **settings)
    found = solve_model(model)
    assert found.status == "certified" and found.width < 1e-5
    four = explicit_worst_case(model, FOUR[0], classes=FOUR[1])
    assert four.value == pytest.approx(found.solver_value, rel=5e-6)
    for weights, members in (THREE, ([F(1, 3), F(2, 3)], [1, 2])):
        assert explicit_worst_case(model, weights, classes=members).value <= found.solver_value * (1 + 5e-6)
    assert lift(found.certificate, *THREE) == dict(found.bound)


def test_without_heterogeneity_a_round_is_that_of_the_worst_parabola() -> None:
    """One class makes one step, the other two: at a shared minimiser parabolas of the least curvatures are the worst."""
    found = fl.worst_case(fl.FedAvg((1, 2), F(1, 4)), CLASSES, heterogeneity="none")
    factor = F(1, 3) * (1 - F(1, 40)) + F(2, 3) * (1 - F(1, 8)) ** 2
    assert found.lower is not None and found.upper is not None
    assert found.lower <= factor**2 * (1 + F(1, 10**6)) and factor**2 <= found.upper


@pytest.mark.filterwarnings("ignore")
def test_pepit_agrees() -> None:
    if importlib.util.find_spec("PEPit") is None:
        pytest.skip("pepit is not installed")
    from PEPit import PEP
    from PEPit.functions import SmoothStronglyConvexFunction

    problem, weights, steps = PEP(), (1 / 6, 1 / 6, 1 / 3, 1 / 3), (1, 1, 2, 2)
    clients = [problem.declare_function(SmoothStronglyConvexFunction, mu=0.1, L=1.0) for _ in range(2)]
    clients += [problem.declare_function(SmoothStronglyConvexFunction, mu=0.5, L=2.0) for _ in range(2)]
    total = sum((p * f for p, f in zip(weights[1:], clients[1:], strict=True)), weights[0] * clients[0])
    optimum, w = total.stationary_point(), problem.set_initial_point()
    ends = []
    for f, count in zip(clients, steps, strict=True):
        x = w
        for _ in range(count):
            x = x - 0.25 * f.gradient(x)
        ends.append(x)
    after = sum((p * x for p, x in zip(weights[1:], ends[1:], strict=True)), weights[0] * ends[0])
    squares = [p * f.gradient(optimum) ** 2 for p, f in zip(weights, clients, strict=True)]
    problem.set_initial_condition((w - optimum) ** 2 <= 1.0)
    problem.add_constraint(sum(squares[1:], squares[0]) <= 1.0)
    problem.set_performance_metric((after - optimum) ** 2)
    precise = dict.fromkeys(("tol_gap_abs", "tol_gap_rel", "tol_feas"), 1e-9)
    with np.errstate(all="ignore"):
        value = float(problem.solve(verbose=0, wrapper="cvxpy", solver="CLARABEL", **precise))
    found = fl.worst_case(fl.FedAvg((1, 2), 0.25), CLASSES, certify=False)
    assert found.solver_value == pytest.approx(value, rel=2e-6)


@pytest.mark.parametrize(
    ("method", "of_each"),
    [
        (fl.FedAvg((1, 3), 0.25), fl.FedAvg((1, 1, 3, 3), 0.25)),
        (fl.Scaffold((1, 3), 0.1), fl.Scaffold((1, 1, 3, 3), 0.1)),
        (fl.FedNova((3, 1), 0.1), fl.FedNova((3, 3, 1, 1), 0.1)),
    ],
)
def test_a_run_on_the_instance_gives_the_value(method: Any, of_each: Any) -> None:
    found = fl.worst_case(method, CLASSES, rounds=2)
    instance = found.instance()
    np.testing.assert_allclose(instance.clients.weights, [1 / 6, 1 / 6, 1 / 3, 1 / 3])
    assert [(f.mu, f.L) for f in instance.clients.functions] == [(0.1, 1)] * 2 + [(0.5, 2)] * 2
    assert instance.excess(found.quantities) < 1e-6
    assert np.abs(instance.clients.gradient(np.zeros(instance.clients.dimension))).max() < 1e-7
    model = instance.run(of_each, rounds=2)[0]
    assert model @ model == pytest.approx(found.value, rel=2e-6)
    assert instance.replay() == pytest.approx(model @ model, rel=1e-9)
    run = fl.simulate(instance.problem, of_each, rounds=2, runs=1, start=instance.start, keep_models=True)
    np.testing.assert_allclose(run.models[0, -1], model, atol=1e-9)


def test_the_worst_class_is_the_largest_of_all() -> None:
    classes = fl.ClientClasses([SOFT, fl.SmoothStronglyConvex(0.5, 1)], shares=["9/10", "1/10"])
    method = fl.FedAvg((3, 1), 0.1)
    found = fl.worst_class(method, classes)
    each = [fl.worst_case(method, classes, measure=ClassGap(c)) for c in (1, 2)]
    assert found.worst == 2 and found.value == max(answer.value for answer in each)
    assert found.upper == max(answer.upper for answer in each) and found.lower == each[1].lower
    assert all(answer.bound[name] <= found.bound[name] for answer in each for name in answer.bound)
    average = fl.worst_case(method, classes, measure="gap")
    assert average.upper is not None and found.lower is not None and average.upper < found.lower
    assert "class 2 of 2" in repr(found)
    instance = each[1].instance()
    assert instance.replay() == pytest.approx(each[1].value, rel=1e-5)


def test_equal_classes_gap_is_at_least_that_of_the_mean() -> None:
    """F_1 need not be smallest at w*: with equal classes the worst class's gap exceeds that of the mean loss."""
    classes = fl.ClientClasses([SOFT, SOFT])
    worst = fl.worst_class(fl.FedAvg(1, 0.25), classes)
    assert worst.answers[0].value == pytest.approx(worst.answers[1].value, rel=1e-5)
    mean = fl.worst_case(fl.FedAvg(1, 0.25), SOFT, measure="gap")
    assert mean.upper is not None and worst.lower is not None and worst.lower > mean.upper


def test_divergence_is_shown_on_parabolas_of_each_class() -> None:
    found = fl.worst_case(fl.FedAvg((1, 5), 2.2), CLASSES)
    assert found.expansion is not None and found.expansion.curvature == (1, 2)
    factor = F(1, 3) * (1 - F(22, 10)) + F(2, 3) * (1 - F(44, 10)) ** 5
    assert found.expansion.factor == factor**2 and found.lower is not None and found.lower >= factor**2
    assert "on parabolas of curvature 1 and 2" in found.divergence
    assert fl.worst_case(fl.FedAvg((1, 5), 0.1), CLASSES, certify=False).expansion is None


def test_the_theorem_is_told_class_by_class() -> None:
    found = fl.worst_case(fl.FedAvg((1, 2), 0.25), CLASSES)
    lines = found.lines()
    assert "for every number of clients in each class, all weights there, every dimension" in lines
    assert "class 2 of clients: share 2/3 of all weights, curvature of their losses f_2k in [1/2, 2]" in lines
    assert any(line.startswith("if 1/3 mean over k in class 1 of |grad f_1k(w*)|^2 + 2/3 mean over") for line in lines)
    assert "x_1 = w_0 - 1/4 grad f_2k(w_0)" in lines
    assert any("client k of class 2 between w_0 and w*" in name for name in found.multipliers())


def test_a_certificate_is_about_its_classes() -> None:
    method = fl.FedAvg((1, 2), 0.25)
    data = json.loads(json.dumps(fl.worst_case(method, CLASSES).certificate))
    assert certificate_matches(data, method, CLASSES)
    assert not certificate_matches(data, method, fl.ClientClasses([SOFT, STIFF]))
    assert not certificate_matches(data, method, fl.ClientClasses([STIFF, SOFT], shares=["1/3", "2/3"]))
    assert not certificate_matches(data, fl.FedAvg((2, 1), 0.25), CLASSES)
    assert not certificate_matches(data, fl.FedAvg(2, 0.25), SOFT)


def test_a_false_bound_is_refuted() -> None:
    """One per cent below the certified bound there is an instance, and the certificate proves nothing so small."""
    found = fl.worst_case(fl.FedAvg((1, 2), 0.25), CLASSES)
    assert found.upper is not None and found.lower is not None
    assert found.upper * F(99, 100) < found.lower <= found.upper
    data = json.loads(json.dumps(found.certificate))
    for name, text in data["upper"]["bound"].items():
        data["upper"]["bound"][name] = str(F(text) * F(99, 100))
    with pytest.raises(verifier.Rejected, match="claimed bound"):
        verifier.verify(data)


@pytest.mark.parametrize(
    ("functions", "shares", "words"),
    [
        ([SOFT], None, "1 classes of clients; expected 2 to 20"),
        ([SOFT] * 21, None, "21 classes"),
        (SOFT, None, "no list of a FunctionClass"),
        ([SOFT, 1], None, "class 2: 1 is no FunctionClass"),
        ([SOFT, STIFF], ["1/3", "1/3"], "sum to 2/3"),
        ([SOFT, STIFF], [0.5, 0.6], "sum to 11/10"),
        ([SOFT, STIFF], ["3/2", "-1/2"], "share -1/2 of class 2 is not positive"),
        ([SOFT, STIFF], [1, 0], "share 0 of class 2 is not positive"),
        ([SOFT, STIFF], ["1/2"], "one share for each of 2"),
        ([SOFT, STIFF], "11", "one share for each of 2"),
        ([SOFT, STIFF], ["x", 1], "'x' of class 1 is no rational"),
        ([SOFT, STIFF], [True, 0], "True of class 1 is no rational"),
        ([SOFT, STIFF], [math.nan, 1], "nan of class 1 is no rational"),
    ],
)
def test_what_is_no_list_of_classes_is_refused(functions: Any, shares: Any, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        fl.ClientClasses(functions, shares)


@pytest.mark.parametrize(
    ("words", "ask"),
    [
        ("noise=True with several", lambda: fl.worst_case(fl.FedAvg(1, 0.1), CLASSES, noise=True, n_clients=4)),
        ("n_clients=4 with several", lambda: fl.worst_case(fl.FedAvg(1, 0.1), CLASSES, n_clients=4)),
        ("who is drawn of which", lambda: fl.worst_case(fl.FedAvg(1, 0.1, fl.SchemeI(2)), CLASSES)),
        ("expected one for each of 2", lambda: fl.worst_case(fl.FedAvg((1, 2, 3), 0.1), CLASSES)),
        ("name classes of clients", lambda: fl.worst_case(fl.FedAvg((1, 2), 0.1), SOFT)),
        ("has no model for several", lambda: fl.worst_case(fl.FedAvg(1, 0.1), CLASSES, heterogeneity="identical")),
        (
            "needs mu > 0 in each class; class 2",
            lambda: fl.worst_case(
                fl.FedAvg(1, 0.1), fl.ClientClasses([SOFT, fl.SmoothConvex(1)]), heterogeneity="gamma"
            ),
        ),
        ("no FunctionClass", lambda: fl.worst_case(fl.FedAvg(1, 0.1), SOFT, centre=CLASSES)),  # type: ignore[arg-type]
        ("one class of clients; expected a Fun", lambda: fl.lyapunov(fl.FedAvg(1, 0.1), CLASSES)),  # type: ignore[arg-type]
        ("are no ClientClasses", lambda: fl.worst_class(fl.FedAvg(1, 0.1), SOFT)),  # type: ignore[arg-type]
        ("measure='gap': it is the gap", lambda: fl.worst_class(fl.FedAvg(1, 0.1), CLASSES, measure="gap")),
        ("may have no minimiser", lambda: fl.worst_class(fl.FedAvg(1, 0.1), UNLIKE, start="gap")),
        ("there is one class", lambda: fl.worst_case(fl.FedAvg(1, 0.1), SOFT, measure=ClassGap(1))),
        ("class 3 of clients; expected 1 to 2", lambda: fl.worst_case(fl.FedAvg(1, 0.1), CLASSES, measure=ClassGap(3))),
        (
            "optimal_gradients",
            lambda: fl.worst_case(fl.FedAvg(1, 0.1), CLASSES, measure=lambda a: a.square(a.optimal_gradient)),
        ),
    ],
)
def test_what_has_no_model_is_refused(words: str, ask: Any) -> None:
    with pytest.raises(ValueError, match=words):
        ask()
