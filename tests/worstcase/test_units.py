"""Units decide nothing: the same question in other units has the same answer, and extreme numbers have one at all."""

from __future__ import annotations

import dataclasses
import decimal
import json
import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import fltheory as fl
from fltheory.worstcase import certify, verifier
from fltheory.worstcase.chain import chain
from fltheory.worstcase.entry import WorstCase, build_model
from fltheory.worstcase.frame_adapted import adapted
from fltheory.worstcase.model import Model
from fltheory.worstcase.normalised import Normalised
from fltheory.worstcase.precise import decimal_number, interior
from fltheory.worstcase.sdp import Array, ConicProgram
from fltheory.worstcase.solver import solve

F = Fraction
CLASS = fl.FunctionClass(F(1, 10), 1)


def certified(found: WorstCase, width: float = 1e-5) -> bool:
    """Both sides, accepted once more as they are read back."""
    assert found.certificate is not None and found.upper is not None and found.lower is not None
    proved = verifier.verify(json.loads(json.dumps(found.certificate)))
    return found.status == "certified" and {"upper", "lower"} <= set(proved) and 0 <= found.width <= width


@pytest.mark.parametrize("smooth", [F(10) ** k for k in (-9, -6, -3, 3, 4, 5, 6, 12)] + [F(7, 3)])
@pytest.mark.parametrize("kind", ["gradients", "gamma"])
def test_the_unit_of_the_losses_does_not_matter(smooth: Fraction, kind: str) -> None:
    """FedAvg with E = 3, kappa = 10, eta L = 0.3 and zeta^2 = L^2: printed were 0.82, 4e-18 and infinity."""
    name, amount = ("heterogeneity", smooth**2) if kind == "gradients" else ("gamma", smooth)
    found = fl.worst_case(
        fl.FedAvg(3, F(3, 10) / smooth),
        fl.FunctionClass(smooth / 10, smooth),
        heterogeneity=kind,
        quantities={name: amount},
    )
    assert certified(found)
    assert found.value == pytest.approx({"gradients": 0.88118071, "gamma": 0.903490991}[kind], rel=1e-7)


@pytest.mark.parametrize("length", [F(1, 10**12), F(1, 10**5), F(10**7), F(10**30)])
def test_the_unit_of_lengths_does_not_matter(length: Fraction) -> None:
    found = fl.worst_case(fl.FedAvg(3, F(3, 10)), CLASS, quantities={"distance": length, "heterogeneity": length})
    assert certified(found) and found.upper is not None and found.lower is not None
    assert found.lower / length <= F("0.8811808") and found.upper / length >= F("0.8811806")


@pytest.mark.parametrize(
    ("measure", "start", "power"),
    [("gap", "gap", 0), ("gradient", "gradient", 0), ("gap", "distance", 1), ("gradient", "gap", 1)],
)
def test_other_measures_follow_their_units(measure: str, start: str, power: int) -> None:
    values = []
    for smooth in (F(1), F(10**5)):
        amount = {"heterogeneity": smooth**2, start: {"distance": F(1), "gap": smooth, "gradient": smooth**2}[start]}
        found = fl.worst_case(
            fl.FedAvg(2, F(1, 4) / smooth),
            fl.FunctionClass(smooth / 10, smooth),
            measure=measure,
            start=start,
            quantities=amount,
        )
        assert certified(found)
        values.append(found.value / float(amount[start] * smooth**power))
    assert values[0] == pytest.approx(values[1], rel=1e-9)


@pytest.mark.parametrize("mu", [F(0), F(1, 10**12), F(1, 2), F(9999, 10000), 1 - F(1, 10**12)])
@pytest.mark.parametrize("eta", [F(1, 10**9), F(1, 10), F(3), F(10**6)])
def test_one_step_of_gradient_descent_is_enclosed_everywhere(mu: Fraction, eta: Fraction) -> None:
    """The closed form; at ``mu`` near ``L`` there was never a certificate, at large steps a false infinity."""
    found = fl.worst_case(fl.FedAvg(1, eta), fl.FunctionClass(mu, 1))
    truth = max(abs(1 - eta * mu), abs(1 - eta)) ** 2
    assert certified(found) and found.lower is not None and found.upper is not None
    assert found.lower <= truth <= found.upper


@pytest.mark.parametrize("amount", [F(1, 10**8), F(1, 10**16), F(10**8)])
@pytest.mark.parametrize("kind", ["gradients", "gamma"])
def test_quantities_of_unlike_size_are_enclosed(amount: Fraction, kind: str) -> None:
    name = "heterogeneity" if kind == "gradients" else "gamma"
    found = fl.worst_case(fl.FedAvg(3, F(1, 4)), CLASS, heterogeneity=kind, quantities={name: amount})
    assert certified(found)


def test_explosive_rounds_are_finite_and_called_divergence() -> None:
    found = fl.worst_case(fl.FedAvg(1, 3), CLASS, rounds=10)
    assert certified(found) and found.lower is not None and found.upper is not None
    assert found.lower <= 4**10 <= found.upper and math.isfinite(found.value)
    assert found.expansion is not None and found.expansion.factor == 4**10
    assert "diverges: distance by at least 4 per round" in repr(found) and "unbounded" not in repr(found)
    calm = fl.worst_case(fl.FedAvg(1, F(1, 2)), CLASS, rounds=2)
    assert calm.expansion is None and "diverge" not in repr(calm)
    chained = chain(fl.FedAvg(1, 3), CLASS, rounds=5, evaluations=8)
    assert chained is not None and "diverges: distance by at most 4" in repr(chained)


def test_a_convex_class_is_never_perhaps_unbounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """What the solver calls a ray on a finite horizon is large numbers: finiteness is derived, growth is proved."""
    from fltheory.worstcase import entry

    ray = solve(ConicProgram(build_model(fl.FedAvg(2, F(1, 4)), CLASS, heterogeneity=None)), {"distance": 1.0})
    ray = dataclasses.replace(ray, status="DualInfeasible")
    monkeypatch.setattr(entry, "solve", lambda *rest, **options: ray)
    monkeypatch.setattr(certify, "interior", lambda *rest, **options: None)
    found = fl.worst_case(fl.FedAvg(3, F(1, 4)), CLASS)
    assert found.status == "lower only" and math.isnan(found.value)  # the parabola of curvature mu
    assert found.lower == F(39, 40) ** 6 and "no certified value" in repr(found) and "unbounded" not in repr(found)


MODELS: dict[str, Model] = {
    "fedavg": build_model(fl.FedAvg(3, F(3, 10)), CLASS, rounds=2),
    "gamma": build_model(fl.FedAvg(2, F(3, 10)), CLASS, heterogeneity="gamma"),
    "infimum": build_model(fl.FedAvg(2, F(3, 10)), fl.FunctionClass(0, 3), heterogeneity="gamma", measure="gap"),
    "scaffold": build_model(fl.Scaffold(2, F(3, 10)), CLASS, rounds=2, free_state=True),
    "noise": build_model(fl.FedAvg(3, F(3, 10)), CLASS, noise=True, n_clients=3),
    "centre": build_model(
        fl.OneWayGradientTransfer(3, F(1, 4)),
        CLASS,
        centre=fl.SmoothConvex(2),
        noise=True,
        centre_noise=True,
        n_clients=10,
    ),
    "sampling": build_model(fl.FedAvg(2, F(3, 10), fl.NormalisedUniform(2)), CLASS, n_clients=4),
    "nonconvex": build_model(
        fl.FedAvg(2, F(3, 10)),
        fl.FunctionClass(F(-1, 2), 1),
        measure="gradient",
        start="gap",
        heterogeneity="bounded gradients",
    ),
    "mixed": build_model(
        fl.ParallelTraining(2, F(1, 10), F(1, 10)),
        fl.Smooth(1),
        centre=fl.Smooth(2),
        measure="gradient",
        start="gap",
        heterogeneity=["identical", fl.MixedDissimilarity(1)],
    ),
}


@pytest.mark.parametrize("name", MODELS)
def test_the_normalised_rows_are_the_plain_ones_in_other_coordinates(name: str) -> None:
    """At random blocks and values, possible or not, every row has the same value: the change of variables is exact."""
    model = MODELS[name]
    given: dict[str, Any] = {key: F(k + 2, 7) for k, key in enumerate(model.bound_names)}
    plain, first = ConicProgram(model), Normalised(model, given)
    rng = np.random.default_rng(3)
    second = adapted(first, given, np.exp(rng.uniform(-9, 3, first.length)))  # and so in a frame of any point
    for other in (first, first, second, second):
        square = float(other.frame.square)
        z = rng.standard_normal(other.length)
        old = np.concatenate([_triangle(other.blocks_of(z)[block]) for block, _ in plain.blocks] + [other.values_of(z)])
        for left, right, factors in (
            (plain.pair_rows, other.pair_rows, other.pair_factors),
            (plain.assumption_rows, other.assumption_rows, other.assumption_factors),
            (plain.measure[None], other.measure[None], [other.measure_factor]),
        ):
            expected = left @ old
            found = (right @ z) * np.array([float(factor) for factor in factors]) * square
            assert np.allclose(found, expected, rtol=1e-12, atol=1e-12 * np.abs(left).max() * np.abs(old).max())


def _triangle(matrix: Array) -> Array:
    j, i = np.tril_indices(len(matrix))
    return matrix[i, j] * np.where(i == j, 1.0, math.sqrt(2.0))


@pytest.mark.parametrize("name", ["fedavg", "gamma"])
def test_the_matrix_does_not_depend_on_units_bit_by_bit(name: str) -> None:
    kind = "gamma" if name == "gamma" else "gradients"
    problems = []
    for smooth, length in ((F(1), F(1)), (F(10**7), F(1, 9)), (F(3, 7), F(10**5))):
        amount = smooth * length if kind == "gamma" else smooth**2 * length
        model = build_model(fl.FedAvg(2, F(3, 10) / smooth), fl.FunctionClass(smooth / 10, smooth), heterogeneity=kind)
        given = {"distance": length, "gamma" if kind == "gamma" else "heterogeneity": amount}
        problems.append((Normalised(model, given), given))
    (first, given), *others = problems
    for other, amounts in others:
        assert np.array_equal(first.pair_rows, other.pair_rows)
        assert np.array_equal(first.assumption_rows, other.assumption_rows)
        assert np.array_equal(first.measure, other.measure) and np.array_equal(first.right(given), other.right(amounts))


def test_finiteness_is_derived_where_all_is_bounded_only() -> None:
    for model, finite in (
        (MODELS["fedavg"], True),
        (MODELS["gamma"], True),
        (MODELS["infimum"], True),
        (MODELS["noise"], True),
        (build_model(fl.FedAvg(2, F(1, 4)), CLASS, start="gap"), True),
        (build_model(fl.FedAvg(2, F(1, 4)), CLASS, start="gradient"), True),
        (build_model(fl.FedAvg(2, F(1, 4)), CLASS, heterogeneity=fl.Dissimilarity(2)), True),
        (build_model(fl.FedAvg(2, F(1, 4)), fl.SmoothConvex(1), start="gap"), False),  # the start may be anywhere
        (build_model(fl.FedAvg(2, F(1, 4)), CLASS, heterogeneity=None), False),
        (MODELS["scaffold"], False),
    ):
        assert Normalised(model, dict.fromkeys(model.bound_names, F(1))).frame.finite == finite


def test_the_decimal_solver_agrees_where_floats_are_enough_and_goes_on_where_not() -> None:
    given = {"distance": F(1), "heterogeneity": F(1)}
    model = build_model(fl.FedAvg(2, F(3, 10)), CLASS)
    with decimal.localcontext(prec=60):
        sharp = Normalised(model, given, number=decimal_number)
    found = interior(sharp, given, gap=1e-9)
    assert found is not None and found.gap <= 1e-9
    floats = solve(Normalised(model, given), given)
    unit = float(sharp.measure_factor * sharp.frame.square)
    assert float(sharp.measure @ found.point) * unit == pytest.approx(floats.value, rel=1e-7)
    assert min(found.pairs) > 0 and min(found.assumptions) > 0
    # minimisers a million away: the floats' multipliers prove nothing near the value
    steep = fl.worst_case(fl.FedAvg(2, F(2)), fl.FunctionClass(F(1, 10**12), 1), heterogeneity="gamma")
    assert certified(steep)


def test_a_program_without_an_interior_ends_without_a_claim() -> None:
    model = build_model(fl.FedAvg(2, F(1, 4)), CLASS, heterogeneity=None)
    given = {"distance": F(1)}
    with decimal.localcontext(prec=60):
        sharp = Normalised(model, given, number=decimal_number)
    assert interior(sharp, given, steps=30) is None
