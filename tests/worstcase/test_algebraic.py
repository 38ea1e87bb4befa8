"""Algebraic worst cases: FedAvg's two local steps are a root of a sextic, found by elimination too; forgeries are rejected."""

from __future__ import annotations

import copy
import json
import math
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
import sympy as sp

import fltheory as fl
from fltheory.worstcase import algebraic_verifier, verifier
from fltheory.worstcase.algebraic_answer import AlgebraicWorstCase, minimal
from fltheory.worstcase.command import check
from fltheory.worstcase.number_field import Field
from fltheory.worstcase.relations import in_powers, minimal_polynomial, relation, shortened
from fltheory.worstcase.symmetric_group import degrees_modulo, symmetric_witness

F = Fraction
CLIENTS = fl.SmoothStronglyConvex(F(1, 10), 1)


@pytest.fixture(scope="module")
def two_steps() -> AlgebraicWorstCase:
    return fl.worst_case(fl.FedAvg(2, F(1, 4)), CLIENTS).algebraic()


@pytest.fixture(scope="module")
def cohort() -> AlgebraicWorstCase:
    return fl.worst_case(fl.FedAvg(1, F(1, 2), fl.NormalisedUniform(2)), CLIENTS, n_clients=5).algebraic()


def eliminated() -> sp.Poly:
    """The values at stationary points of A(p, q) + B(p, q), by resultants, from the method written out by hand."""
    p, r, a, b, v = sp.symbols("p r a b v")
    x, g, h, z = sp.symbols("x g h z")  # w_0, both gradients, the gradient at the minimiser
    eta, mu = sp.Rational(1, 4), sp.Rational(1, 10)

    def both(point: sp.Expr, slope: sp.Expr) -> sp.Expr:
        return slope * point - slope**2 / (1 - mu)

    mean = a * x**2 - p * both(x, g - mu * x) - r * p * both(x - eta * g, h - mu * (x - eta * g))
    mean -= (x - eta * g - eta * h) ** 2
    apart = b * z**2 - p * both(sp.Integer(0), g - z) - r * p * both(-eta * g, h + mu * eta * g - z)
    least = sp.cancel(sp.solve(sp.hessian(mean, (x, g, h)).det(), a)[0])
    least += sp.cancel(sp.solve(sp.hessian(apart, (g, h, z)).det(), b)[0])
    numerator = sp.numer(sp.together(v - least))
    tops = sp.factor_list(sp.numer(sp.together(sp.diff(least, p))))[1]
    top = max((factor for factor, _ in tops), key=lambda factor: sp.Poly(factor, p, r).total_degree())
    curve = next(factor for factor, _ in sp.factor_list(sp.resultant(numerator, top, p))[1] if factor.has(v))
    factors = sp.factor_list(sp.discriminant(curve, r))[1]
    return sp.Poly(max((factor for factor, _ in factors), key=lambda factor: sp.Poly(factor, v).degree()), v)


def test_two_local_steps_are_a_root_of_the_sextic_of_elimination(two_steps: AlgebraicWorstCase) -> None:
    assert two_steps.degree == 6
    by_hand = eliminated()
    assert [int(c) for c in by_hand.all_coeffs()[::-1]] == list(two_steps.polynomial)
    assert by_hand.is_irreducible and by_hand.count_roots(sp.Rational(91, 100), sp.Rational(911, 1000)) == 1
    assert (two_steps.low, two_steps.high) == (F(91, 100), F(911, 1000))


def test_it_lies_in_the_certified_enclosure_and_no_roots_write_it(two_steps: AlgebraicWorstCase) -> None:
    enclosed = fl.worst_case(fl.FedAvg(2, F(1, 4)), CLIENTS)
    assert enclosed.lower is not None and enclosed.upper is not None
    assert enclosed.lower <= two_steps.root <= enclosed.upper
    assert two_steps.value == pytest.approx(0.9105341519615120623, abs=1e-15)
    assert two_steps.solvable is False and two_steps.symmetric is not None
    first, second = two_steps.symmetric
    assert degrees_modulo(two_steps.polynomial, first) == [1, 5]
    assert [d for d in degrees_modulo(two_steps.polynomial, second) or [] if d % 2 == 0] == [2]


def test_a_cohort_of_two_is_of_degree_four(cohort: AlgebraicWorstCase) -> None:
    assert cohort.degree == 4 and cohort.solvable is True
    assert cohort.polynomial[-1] == 6553600000000
    total = cohort.bound["distance"] + cohort.bound["heterogeneity"]
    assert not (total - cohort.root)
    assert "degree 4" in repr(cohort) and "between 1.005 and 1.006" in repr(cohort)


def test_a_file_is_checked_by_the_command(cohort: AlgebraicWorstCase, tmp_path: Path) -> None:
    path = tmp_path / "cohort.json"
    cohort.save(path)
    code, lines = check(path, explained=False)
    assert code == 0 and "E |w_1 - w*|^2 <= v where |w_0 - w*|^2 <= 1; zeta^2 <= 1, for N = 5 clients" in lines[1]
    assert "v is a number between 1.0052997" in lines[3]
    data = json.loads(path.read_text())
    data["value"][0] = "2"
    path.write_text(json.dumps(data))
    assert check(path, explained=False)[0] == 1


def _value(data: dict[str, Any]) -> None:
    data["value"][0] = str(F(data["value"][0]) - F(1, 10**30))


def _multiplier(data: dict[str, Any]) -> None:
    entry = data["upper"]["interpolation"]["clients"][0]
    entry[2][0] = str(F(entry[2][0]) + F(1, 10**30))


def _negative(data: dict[str, Any]) -> None:
    data["upper"]["assumptions"][1] = ["-1"]


def _other_root(data: dict[str, Any]) -> None:
    polynomial = sp.Poly([sp.Rational(c) for c in data["field"]["polynomial"]][::-1], sp.Symbol("t"))
    known = F(data["field"]["low"])
    for (low, high), _ in polynomial.intervals(eps=sp.Rational(1, 10**6)):
        if not low <= sp.Rational(str(known)) <= high and abs(float(low) - float(known)) > 1e-4:
            data["field"] |= {"low": str(low), "high": str(high)}
            return
    raise AssertionError("the polynomial has one real root")


def _block(data: dict[str, Any]) -> None:
    data["lower"]["blocks"]["m"][0][0][0] = "2"


def _longer_step(data: dict[str, Any]) -> None:
    item = next(item for item in data["program"] if item[0] == "combine")
    item[1][-1][0] = "-3/5"


def _quantity(data: dict[str, Any]) -> None:
    data["quantities"]["distance"] = "1/2"


@pytest.mark.parametrize(
    "forge", [_value, _multiplier, _negative, _other_root, _block, _longer_step, _quantity], ids=lambda f: f.__name__
)
def test_forgeries_are_rejected(cohort: AlgebraicWorstCase, forge: Callable[[dict[str, Any]], None]) -> None:
    data = copy.deepcopy(cohort.certificate)
    assert algebraic_verifier.verify(data).coefficients == cohort.root.coefficients
    forge(data)
    with pytest.raises(verifier.Rejected):
        algebraic_verifier.verify(data)


def test_unknown_names_and_noise_are_rejected(cohort: AlgebraicWorstCase) -> None:
    with pytest.raises(verifier.Rejected, match="unknown names"):
        algebraic_verifier.verify({**cohort.certificate, "remark": "proved"})
    with pytest.raises(ValueError, match="noise"):
        fl.worst_case(fl.FedAvg(1, F(1, 2)), CLIENTS, noise=True, n_clients=2, certify=False).algebraic()


def test_what_is_of_a_higher_degree_is_told() -> None:
    with pytest.raises(ValueError, match="degree"):
        fl.worst_case(fl.FedAvg(2, F(1, 4)), CLIENTS).algebraic(degree=0)
    with pytest.raises(ValueError, match="no algebraic value was found"):
        fl.worst_case(fl.FedAvg(2, F(1, 4)), CLIENTS).algebraic(degree=3)


def test_a_field_computes_like_real_numbers() -> None:
    field = Field((F(-2), F(0), F(1)), F(1), F(2))
    root = field.theta
    assert root * root == 2 or not (root * root - 2)
    number = (3 + root) / (1 - 2 * root)
    assert float(number) == pytest.approx((3 + math.sqrt(2)) / (1 - 2 * math.sqrt(2)), abs=1e-14)
    assert (root - F(141421, 100000)).sign() == 1 and (root - F(141422, 100000)).sign() == -1
    assert F(1) < root < F(3, 2) and (root - root).sign() == 0 and not root - root
    assert minimal(1 + root) == [-1, -2, 1]
    with pytest.raises(ZeroDivisionError):
        (root - root).inverse()


def test_a_polynomial_without_a_single_root_is_no_field() -> None:
    for polynomial, low, high in (((1, 0, 1), -1, 1), ((-2, 0, 1), -2, 2), ((0, 0, 1), -1, 1), ((-2, 0, 1), 3, 4)):
        with pytest.raises(ValueError):
            Field(tuple(map(F, polynomial)), F(low), F(high))


def test_relations_are_seen_where_there_are_some() -> None:
    digits = 80
    golden = (1 + F(math.isqrt(5 * 10 ** (2 * digits + 20)), 10 ** (digits + 10))) / 2
    assert minimal_polynomial(golden, digits, 4) == [-1, -1, 1]
    assert in_powers(3 * golden - F(1, 2), golden, [-1, -1, 1], digits) is not None
    pi = F("3.14159265358979323846264338327950288419716939937510582097494459230781640628620899")
    assert minimal_polynomial(pi, 78, 4) is None and relation([F(1), pi], 78) is None


def test_a_reduced_basis_spans_the_same_lattice_by_shorter_rows() -> None:
    rows = [[1, 0, 0, 1000], [0, 1, 0, 1414], [0, 0, 1, 1732]]
    short = shortened(rows)
    before, after = (sp.Matrix(r) * sp.Matrix(r).T for r in (rows, short))
    assert before.det() == after.det() and max(after.diagonal()) < 500
    assert all(row[3] == 1000 * row[0] + 1414 * row[1] + 1732 * row[2] for row in short)


def test_symmetric_groups_are_shown_by_two_primes_and_others_are_not() -> None:
    assert symmetric_witness([-1, -1, 0, 0, 0, 1]) is not None  # x^5 - x - 1
    assert symmetric_witness([-2, 0, 0, 0, 0, 1]) is None  # x^5 - 2 has a solvable group
    assert symmetric_witness([1, 0, 0, 0, 1]) is None
