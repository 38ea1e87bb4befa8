"""Box certificates: checked against the trusted verifier at points, against pointwise optima, and against mutations."""

from __future__ import annotations

import copy
import json
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import pytest

import fltheory as fl
from fltheory.worstcase import box_verifier, certificate, verifier
from fltheory.worstcase.boxes import BoxCertificate, BoxClaim, certify_box
from fltheory.worstcase.constants import best_constant
from fltheory.worstcase.entry import build_model
from fltheory.worstcase.multipliers import Multipliers
from fltheory.worstcase.polynomial import ETA, MU, Polynomial

BOX = ((Fraction(1, 8), Fraction(1, 4)), (Fraction(1, 20), Fraction(1, 5)))
STEPS = 2
CONTRACTION = (1 - ETA * MU) ** STEPS


@pytest.fixture(scope="module")
def box() -> BoxCertificate:
    found = certify_box(BoxClaim(lambda eta: fl.FedAvg(STEPS, eta), CONTRACTION, (2, 2), (3, 2)), BOX)
    assert found is not None
    return found


POINTS = [(Fraction(1, 8), Fraction(1, 20)), (Fraction(3, 16), Fraction(1, 10)), (Fraction(1, 4), Fraction(1, 5))]


@pytest.mark.parametrize(("eta", "mu"), POINTS)
def test_at_a_point_it_is_a_certificate_for_the_other_verifier(
    box: BoxCertificate, eta: Fraction, mu: Fraction
) -> None:
    """Two verifiers were written from one formula in two forms: they must accept the same multipliers."""
    model = build_model(fl.FedAvg(STEPS, eta), fl.SmoothStronglyConvex(mu))
    degrees = tuple(box.data["degrees"]["multipliers"])
    count = (degrees[0] + 1) * (degrees[1] + 1)
    bases = [Polynomial(box_verifier.basis(k, degrees, BOX)).value_at(eta, mu) for k in range(count)]
    pairs = {}
    for i, j, listed in box.data["multipliers"]:
        y = sum((Fraction(text) * base for text, base in zip(listed, bases, strict=True)), Fraction(0))
        pairs["clients", i, j, None] = y * (1 - mu)
    b_degrees = tuple(box.data["degrees"]["b"])
    b = sum(
        (c * Polynomial(box_verifier.basis(k, b_degrees, BOX)).value_at(eta, mu) for k, c in enumerate(box.b)),
        Fraction(0),
    )
    factors = {"distance": CONTRACTION.value_at(eta, mu), "heterogeneity": b}
    multipliers = Multipliers(pairs, tuple(factors[str(item.bound)] for item in model.assumptions))
    data = {**certificate.statement(model), "upper": certificate.upper(model, multipliers)}
    assert verifier.verify(data)["upper"] == factors


@pytest.mark.parametrize(("eta", "mu"), [*POINTS, (Fraction(1, 8), Fraction(1, 5))])
def test_it_is_near_the_best_constant_and_not_below(box: BoxCertificate, eta: Fraction, mu: Fraction) -> None:
    model = build_model(fl.FedAvg(STEPS, eta), fl.SmoothStronglyConvex(mu))
    best = best_constant(model, "heterogeneity", {"distance": CONTRACTION.value_at(eta, mu)})
    assert best.lower is not None
    ratio = box.bound(float(eta), float(mu)) / float(best.lower)
    assert 1 - 1e-6 <= ratio <= 1.1


def test_too_strong_a_contraction_has_no_certificate() -> None:
    assert certify_box(BoxClaim(lambda eta: fl.FedAvg(1, eta), (1 - ETA * MU) ** 3, (1, 1), (2, 1)), BOX) is None


def _mutations(data: dict) -> list[dict]:
    found = []
    for change in (
        lambda d: d["multipliers"][0][2].__setitem__(0, "-1"),
        lambda d: d["multipliers"].pop(0),
        lambda d: d["b"].__setitem__(0, "0"),
        lambda d: d["box"][0].__setitem__(1, "1/2"),
        lambda d: d["box"][1].__setitem__(0, "0"),
        lambda d: d["program"][2][1][1][0].__setitem__(0, [1, 0, "-2"]),
        lambda d: d["contraction"].append([1, 1, "-1"]),
        lambda d: d.__setitem__("optimum", d["multipliers"][0][1]),
        lambda d: d.__setitem__("end", 1),
        lambda d: d.__setitem__("format", "other"),
    ):
        mutant = copy.deepcopy(data)
        change(mutant)
        found.append(mutant)
    return found


def test_mutations_are_rejected(box: BoxCertificate) -> None:
    for number, mutant in enumerate(_mutations(box.data)):
        with pytest.raises(box_verifier.Rejected):
            box_verifier.verify(mutant)
            pytest.fail(f"mutation {number} was accepted")


HALF = {
    "format": "fltheory box 1",
    "box": [["1/8", "1/4"], ["1/20", "1/5"]],
    "start": 0,
    "end": 3,
    "optimum": 2,
    "program": [["given", "server", 1], ["optimum"], ["gradient", 1], ["combine", [[[[0, 0, "1/2"]], 0]]]],
    "contraction": [[0, 0, "1/4"]],
    "degrees": {"multipliers": [0, 0], "b": [0, 0]},
    "multipliers": [],
    "b": ["0"],
}


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({}, "the end, register 3, is no point"),
        ({"end": -1}, "whole number"),
        ({"end": True}, "whole number"),
        ({"end": 2}, "is no point"),
        ({"end": 0, "b": [0.5]}, "no rational"),
        ({"end": 0, "b": []}, "need 1"),
        ({"end": 0, "degrees": {"multipliers": [-1, 0], "b": [0, 0]}}, "whole number"),
        ({"end": 0, "contraction": [[0, 0, "1e3"]]}, "no rational"),
        ({"end": 0, "contraction": [[0, True, "1"]]}, "whole number"),
        ({"end": 0, "box": [["1/8", "1/4"], ["1/20", "1"]]}, "mu_high < 1"),
        ({"end": 0, "box": [["1/4", "1/4"], ["1/20", "1/5"]]}, "expected 0 < eta_low < eta_high"),
        ({"end": 0, "box": [["1/4", "1/8"], ["1/20", "1/5"]]}, "expected 0 < eta_low < eta_high"),
        ({"end": 0, "box": [["0", "1/4"], ["1/20", "1/5"]]}, "expected 0 < eta_low < eta_high"),
        ({"end": 0, "box": [["1/8", "1/4"], ["1/5", "1/5"]]}, "0 <= mu_low < mu_high < 1"),
        ({"end": 0, "box": [["1/8", "1/4"], ["-1/20", "1/5"]]}, "0 <= mu_low < mu_high < 1"),
        ({"end": 0, "box": [["1/8", "1/4"], ["1/20", "1/5"], ["0", "1"]]}, "malformed"),
        ({"end": 0, "program": [["given", "server", 1], ["optimum"], ["gradient", 1], ["average", 0, 0]]}, "unknown"),
        ({"end": 0, "optimum": 3}, "no gradient at w"),
    ],
)
def test_forged_boxes_are_rejected(changes: dict, words: str) -> None:
    """Half a model is half its distance from a minimiser at the origin, and from no other."""
    with pytest.raises(box_verifier.Rejected, match=words):
        box_verifier.verify({**HALF, **changes})
    assert box_verifier.verify({**HALF, "end": 0, "contraction": [[0, 0, "1"]]}) == [0]


def test_a_box_may_begin_where_functions_are_only_convex() -> None:
    convex = {**HALF, "end": 0, "contraction": [[0, 0, "1"]], "box": [["1/8", "1/4"], ["0", "1/5"]]}
    assert box_verifier.verify(convex) == [0]


def test_powers_that_cancel_do_not_matter() -> None:
    contraction = [[0, 0, "1"], [5, 4, "1"], [5, 4, "-1"]]
    assert box_verifier.verify({**HALF, "end": 0, "contraction": contraction}) == [0]


def test_the_file_runs_alone_and_tells_by_its_exit_code(box: BoxCertificate, tmp_path: Path) -> None:
    for name, text in (("good", json.dumps(box.data)), ("wrong", json.dumps(HALF)), ("no", "{")):
        (tmp_path / name).write_text(text, encoding="utf-8")
    alone = tmp_path / "alone.py"  # with the other verifier beside it, whose reader and exact numbers it shares
    alone.write_bytes(Path(box_verifier.__file__).read_bytes())
    (tmp_path / "verifier.py").write_bytes(Path(verifier.__file__).read_bytes())
    for files, code, words in (
        (["good"], 0, "for all eta in [1/8, 1/4]"),
        (["wrong", "good"], 1, "REJECTED"),
        (["no"], 2, "unreadable"),
    ):
        done = subprocess.run(
            [sys.executable, "-I", "-S", str(alone), *files], cwd=tmp_path, capture_output=True, text=True, check=False
        )
        assert done.returncode == code and words in done.stdout, done


@pytest.mark.parametrize("smooth", [Fraction(3), Fraction(1, 4)])
def test_other_smoothness_by_scaling(box: BoxCertificate, smooth: Fraction) -> None:
    """``a(eta L, mu/L)`` and ``b(eta L, mu/L)/L^2`` bound the certified lower value of that class, and not by much."""
    eta, mu = Fraction(3, 16) / smooth, smooth / 10
    case = fl.worst_case(fl.FedAvg(STEPS, eta), fl.SmoothStronglyConvex(mu, smooth))
    a = CONTRACTION.value_at(eta * smooth, mu / smooth)
    b = box.bound(float(eta * smooth), float(mu / smooth)) / float(smooth) ** 2
    assert case.lower is not None and float(case.lower) <= float(a) + b


@pytest.mark.parametrize("wrong", [((0, Fraction(1, 4)), BOX[1]), (BOX[0], (Fraction(1, 5), Fraction(1, 5)))])
def test_a_box_needs_an_inside(wrong: tuple) -> None:
    with pytest.raises(ValueError, match="box="):
        certify_box(BoxClaim(lambda eta: fl.FedAvg(1, eta), CONTRACTION), wrong)


def test_bernstein_coefficients_enclose_the_polynomial() -> None:
    polynomial = (1 - ETA * MU) ** 3 - ETA**2 * Fraction(1, 3)
    coefficients = polynomial.bernstein(BOX, (4, 3))
    for s in range(5):
        for t in range(5):
            eta = BOX[0][0] + Fraction(s, 4) * (BOX[0][1] - BOX[0][0])
            mu = BOX[1][0] + Fraction(t, 4) * (BOX[1][1] - BOX[1][0])
            assert min(coefficients) <= polynomial.value_at(eta, mu) <= max(coefficients)
    assert coefficients[0] == polynomial.value_at(BOX[0][0], BOX[1][0])
    assert coefficients[-1] == polynomial.value_at(BOX[0][1], BOX[1][1])
