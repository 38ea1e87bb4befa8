"""Worst cases without a gap: known rational values, both sides equal and verified; what is irrational or false gets none."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

import fltheory as fl
from fltheory.worstcase import verifier
from fltheory.worstcase.arguments import check_quantities
from fltheory.worstcase.faces import face_of
from fltheory.worstcase.forms import Forms
from fltheory.worstcase.formulation import build_model
from fltheory.worstcase.line import Bend, bends, stationary, walk
from fltheory.worstcase.margins import from_margin, recognised, support
from fltheory.worstcase.parabolas import parabolas

F = Fraction
CLIENTS = fl.SmoothStronglyConvex(F(1, 10), 1)
CONVEX = fl.SmoothConvex(1)
HALF = fl.FedAvg(1, F(1, 2))


@pytest.mark.parametrize(
    ("algorithm", "clients", "options", "value"),
    [
        (HALF, CLIENTS, {}, F(361, 400)),
        (HALF, CLIENTS, {"rounds": 2}, F(361, 400) ** 2),
        (HALF, CLIENTS, {"rounds": 3}, F(361, 400) ** 3),
        (fl.FedAvg(1, F(19, 10)), CLIENTS, {"rounds": 2}, F(81, 100) ** 2),
        (fl.FedAvg(1, F(20, 11)), CLIENTS, {}, F(81, 121)),  # where both ends of the class are the worst
        (fl.FedAvg(5, F(1, 4)), CLIENTS, {"heterogeneity": "identical"}, F(39, 40) ** 10),
        (fl.FedAvg(2, F(1, 4)), CLIENTS, {"heterogeneity": "none"}, F(39, 40) ** 4),
        (fl.Scaffold(1, F(1, 4)), CLIENTS, {"rounds": 2}, F(39, 40) ** 4),
        (HALF, CONVEX, {"measure": "gap", "rounds": 3}, F(1, 8)),  # Drori and Teboulle: L/(2(2 N eta L + 1))
        (fl.FedAvg(1, F(1)), CONVEX, {"measure": "gap", "rounds": 5}, F(1, 22)),
        (HALF, CONVEX, {"measure": "gradient", "start": "gap", "rounds": 2}, F(2, 3)),
        (HALF, CLIENTS, {"measure": "gradient", "rounds": 2}, F(130321, 564001)),
        (fl.OneWayGradientTransfer(1, F(1, 4)), CLIENTS, {"centre": CONVEX}, F(39, 40) ** 2),
        (fl.ParallelTraining(1, F(1, 8), F(1, 8)), CLIENTS, {"centre": CONVEX}, F(79, 80) ** 2),
    ],
)
def test_both_sides_are_the_same_rational(
    algorithm: Any, clients: Any, options: dict[str, Any], value: Fraction
) -> None:
    found = fl.worst_case(algorithm, clients, exact=True, **options)
    assert found.upper == found.lower == value, found
    assert found.width == 0 and found.note == "" and found.certificate is not None
    proved = verifier.verify(found.certificate)
    assert sum(proved["upper"].values()) == value and proved["lower"][1] == value


def test_units_do_not_matter() -> None:
    clients, quantities = fl.SmoothStronglyConvex(F(1, 3000), F(1, 1000)), {"distance": F(7, 1000)}
    found = fl.worst_case(fl.FedAvg(1, F(800)), clients, rounds=2, quantities=quantities, exact=True)
    assert found.upper == found.lower == (1 - F(800, 3000)) ** 4 * F(7, 1000)


def test_an_irrational_worst_case_has_none_and_a_line_says_what_was_tried() -> None:
    found = fl.worst_case(fl.FedAvg(2, F(1, 4)), CLIENTS).exact()
    assert found.upper is not None and found.lower is not None and found.lower < found.upper
    assert "parabola of curvature 1/10 gives 0.903688 only" in found.note
    assert "0.10019066" in found.note and "\n" not in found.note and found.note in repr(found)


def test_noise_is_refused_in_words() -> None:
    found = fl.worst_case(HALF, CLIENTS, noise=True, n_clients=2, lower=False).exact()
    assert "noise" in found.note and (found.lower is None or found.lower != found.upper)


def test_a_flag_that_is_none() -> None:
    with pytest.raises(ValueError, match="exact=1 is neither"):
        fl.worst_case(HALF, CLIENTS, exact=1)  # type: ignore[arg-type]


def test_what_is_not_the_worst_instance_has_no_multipliers() -> None:
    """Parabolas of curvature L at a short step: their value is too small for a proof, and none is made up."""
    model = build_model(HALF, CLIENTS)
    quantities = check_quantities(model.bound_names, None)
    steep, flat = parabolas(model)
    forms = Forms(model)
    for parabola, proved in ((steep, False), (flat, True)):
        face = face_of(forms, parabola.instance(parabola.factor(quantities)), quantities)
        assert face is not None and (from_margin(face) is not None) is proved
    assert face_of(forms, flat.instance(2 * flat.factor(quantities)), quantities) is None


def test_a_certificate_with_a_smaller_bound_is_rejected() -> None:
    found = fl.worst_case(HALF, CLIENTS, exact=True)
    assert found.certificate is not None
    upper: Any = found.certificate["upper"]
    smaller = {**upper, "assumptions": ["36099/40000", *upper["assumptions"][1:]]}
    smaller["bound"] = {**upper["bound"], "distance": "36099/40000"}
    with pytest.raises(verifier.Rejected):
        verifier.verify({**found.certificate, "upper": smaller})


def test_two_pairs_are_enough_for_a_gradient_step() -> None:
    model = build_model(HALF, CLIENTS)
    quantities = check_quantities(model.bound_names, None)
    *_, flat = parabolas(model)
    face = face_of(Forms(model), flat.instance(flat.factor(quantities)), quantities)
    assert face is not None and {len(pairs) for pairs in support(face)} == {2}


def test_bends_are_functions_of_the_class() -> None:
    loss = Bend(F(1, 10), F(1), F(1, 3))
    points = [F(k, 7) for k in range(-10, 11)]
    for x in points:
        for y in points:
            a, b = (loss.gradient(z) - z / 10 for z in (x, y))
            rise = loss.value(x) - loss.value(y) - (x * x - y * y) / 20
            assert rise - b * (x - y) >= (a - b) ** 2 / (2 * F(9, 10))


def test_the_best_bend_is_stationary() -> None:
    model = build_model(HALF, CONVEX, measure="gap")
    best = max(bends(model), key=lambda run: run.evaluate(model.measure))
    value = best.evaluate(model.measure)
    assert value == F(1, 4)
    for tau in (F(1, 4), F(49, 100), F(51, 100), F(3, 4)):
        other = walk(model, Bend(F(0), F(1), tau))
        assert other is not None and other.evaluate(model.measure) < value
    assert stationary((F(0), F(0), F(1)), (F(0), F(0), F(1))) == []


def test_rationals_are_recognised_and_other_numbers_are_not() -> None:
    assert recognised([[2.0, 1.0, 0.5]], 10, 1e-9) == [[F(1), F(1, 2), F(1, 4)]]  # type: ignore[arg-type]
    assert recognised([[1.0, 2**0.5]], 10, 1e-9) is None  # type: ignore[arg-type]
