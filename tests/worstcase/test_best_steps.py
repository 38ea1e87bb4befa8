"""Best step sizes: known optima, units, the cover against worst cases at single step sizes, and what is refused."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import cache

import pytest

import fltheory as fl
from fltheory.worstcase.best import is_about
from fltheory.worstcase.best_question import Question, family

CLIENTS = fl.SmoothStronglyConvex(Fraction(1, 10), 1)
TENTH = {"heterogeneity": Fraction(1, 10)}


@cache
def fedavg(heterogeneity: Fraction = Fraction(1, 10), smooth: int = 1) -> fl.BestStep:
    """Two local steps, one round; gradients in units of L."""
    clients = fl.SmoothStronglyConvex(Fraction(smooth, 10), smooth)
    quantities = {"heterogeneity": heterogeneity * smooth**2}
    return fl.best_step_size(fl.FedAvg(2, 1), clients, quantities=quantities)


def test_gradient_descent() -> None:
    """One client, one step: 2/(mu + L) and ((L - mu)/(L + mu))^2."""
    found = fl.best_step_size(fl.FedAvg(1, 1), CLIENTS, heterogeneity="identical")
    assert found.status == "certified" and found.lower is not None
    exact = Fraction(9, 11) ** 2
    assert found.lower <= exact <= found.upper
    assert found.width < 1e-3
    assert found.range == (0, None)
    ((low, high),) = found.where
    assert high is not None and low <= Fraction(20, 11) <= high
    assert high - low <= found.step / 10


def test_units() -> None:
    """With gradients ten times as large the best step size is a tenth, and the value is the same."""
    one, ten = fedavg(), fedavg(smooth=10)
    assert ten.step == one.step / 10
    assert float(ten.upper) == pytest.approx(float(one.upper), rel=1e-5)
    assert ten.lower is not None and one.lower is not None
    assert float(ten.lower) == pytest.approx(float(one.lower), rel=1e-3)


def test_units_far_from_one() -> None:
    """Curvatures of a million, squared lengths of a hundredth."""
    clients = fl.SmoothStronglyConvex(10**5, 10**6)
    quantities = {"distance": Fraction(1, 100), "heterogeneity": 10**9}
    found = fl.best_step_size(fl.FedAvg(2, 1), clients, quantities=quantities)
    assert found.step == fedavg().step / 10**6
    assert float(found.upper) == pytest.approx(float(fedavg().upper) / 100, rel=1e-5)
    assert found.width < 1e-3


def test_a_value_far_below_the_start() -> None:
    """Curvatures in [99/100, 1]: one round leaves less than a millionth."""
    clients = fl.SmoothStronglyConvex(Fraction(99, 100), 1)
    found = fl.best_step_size(
        fl.FedAvg(2, 1), clients, quantities={"heterogeneity": Fraction(1, 100)}, pieces=60, gap=0.02
    )
    assert found.upper < Fraction(1, 10**6) and found.width < 0.02


def test_heterogeneity_shortens_the_best_step() -> None:
    none, some, more = fedavg(Fraction(0)), fedavg(), fedavg(Fraction(1))
    assert more.step < some.step < none.step
    assert 0 < some.width < 1e-3
    for left, right in ((more, some), (some, none)):
        assert left.where[-1][1] is not None and left.where[-1][1] < right.where[0][0]


@pytest.mark.parametrize("step", ["1/50", "1/3", "9/10", "8/7", "7/5", "2"])
def test_the_cover_is_below_the_worst_case(step: str) -> None:
    """The certified upper bound at any step size is above what the cover says there, and above the least value."""
    found, at = fedavg(), Fraction(step)
    worst = found.at(at)
    assert worst.upper is not None and found.lower is not None
    over = [value for low, high, value in found.pieces if low <= at and (high is None or at <= high)]
    assert over and max(over) <= worst.upper
    assert found.lower <= worst.upper
    low, high = found.price(at)
    assert 1 <= low <= high < math.inf


@pytest.mark.parametrize(
    ("method", "options"),
    [
        (fl.Scaffold(2, 1), {"rounds": 2}),
        (fl.FedProx(2, 1, Fraction(1, 2)), {}),
        (fl.FedAvg(2, 1, participation=fl.SchemeI(2)), {}),
        (fl.OneWayGradientTransfer(2, 1), {"centre": CLIENTS}),
        (lambda eta: fl.ParallelTraining(2, eta, eta), {"centre": CLIENTS}),
        (fl.FedLAMA(1, 2, 1, intervals=(1, 2)), {}),
        (fl.FedAvg(2, 1), {"measure": "gap", "start": "gap"}),
    ],
)
def test_methods(method: object, options: dict[str, object]) -> None:
    """Enclosures of other methods: polynomials of higher degree, division by the step size, cohorts, two losses, layers."""
    found = fl.best_step_size(method, CLIENTS, quantities=TENTH, **options)
    assert found.status == "certified" and found.width < 1e-3 and found.range == (0, None)


def test_two_way_transfer_divides_by_its_step() -> None:
    found = fl.best_step_size(
        lambda eta: fl.TwoWayGradientTransfer(1, eta, eta, initial="gradients"),
        CLIENTS,
        rounds=2,
        centre=CLIENTS,
        heterogeneity="identical",
    )
    assert found.status == "certified" and found.width < 1e-3


def test_another_field() -> None:
    """The server's step size of two-sided FedAvg."""
    found = fl.best_step_size(
        fl.TwoSidedFedAvg(2, Fraction(1, 4), 1), CLIENTS, field="server_step_size", quantities=TENTH
    )
    assert found.status == "certified" and found.step > 1


def test_what_is_said() -> None:
    found = fedavg()
    assert repr(found).startswith("BestStep(certified: step size 57/50: at most 0.7002")
    assert "every step size" in repr(found)
    lines = found.lines()
    assert lines[0] == "best step size 57/50" and "lies in [1.1" in lines[-1]
    assert "<ul>" in found._repr_html_()
    curve = found.curve([Fraction(1, 2), found.step])
    assert curve.etas == (0.5, 1.14)
    assert all(low <= high for low, high in zip(curve.lower, curve.upper, strict=True))


def test_a_certificate_is_about_its_question() -> None:
    data = fedavg().certificate
    assert data is not None
    assert is_about(data, fl.FedAvg(2, 1), CLIENTS, quantities=TENTH)
    assert not is_about(data, fl.FedAvg(3, 1), CLIENTS, quantities=TENTH)
    assert not is_about(data, fl.FedAvg(2, 1), CLIENTS)
    assert not is_about(data, fl.FedAvg(2, 1), CLIENTS, quantities=TENTH, measure="gap")


@pytest.mark.parametrize(
    ("method", "options", "words"),
    [
        (fl.FedAvg(2, 1), {"field": "rate"}, "field='rate' is no field"),
        (fl.FedAvg(2, 1), {"gap": 0}, "gap=0"),
        (fl.FedAvg(2, 1), {"pieces": True}, "pieces=True"),
        (fl.FedAvg(2, 1), {"quantities": {"gamma": 1}}, "no assumption bounds 'gamma'"),
        (lambda eta: fl.FedAvg(2, 1 / (1 + eta)), {}, "no polynomials"),
        (fl.FedAvg(2, 1), {"heterogeneity": None}, "not finite at any step size"),
    ],
)
def test_refusals(method: object, options: dict[str, object], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        fl.best_step_size(method, CLIENTS, **options)


def test_a_step_that_is_no_number() -> None:
    with pytest.raises(ValueError, match="step='x'"):
        fedavg().at("x")


def test_degrees_are_those_of_what_the_question_uses() -> None:
    """SCAFFOLD's control variates divide by the step size; its points do not."""
    question = Question(family(fl.Scaffold(2, 1), "step_size"), CLIENTS, {"rounds": 2})
    assert question.degree == 1
    assert Question(family(fl.FedProx(3, 1, 1), "step_size"), CLIENTS, {}).degree == 3
