"""Symbolic claims: proofs for all parameters, their agreement with the verifier of numbers, and claims that are too strong."""

from __future__ import annotations

from fractions import Fraction

import pytest
import sympy as sp

import fltheory as fl
from fltheory.evidence.certificates import verify_certificate
from fltheory.readings.gram import Recorder, program
from fltheory.theory.proofs import Open, is_zero
from fltheory.worstcase import verifier
from fltheory.worstcase.functional import Functional, square, value
from fltheory.worstcase.symbolic import SYMBOLS, SymbolicClaim, factorise, prove

eta, mu, L = sp.symbols("eta mu L")
RANGES = ((mu, 0, None), (L, Open(mu), None), (eta, 0, 2 / (L + mu)))


def gradient_step(
    factor: sp.Expr = (1 - eta * mu) ** 2, multiplier: sp.Expr = 2 * eta * (1 - eta * mu)
) -> SymbolicClaim:
    """FedAvg with one local step: |w+|^2 <= factor |w|^2."""
    traced = program(fl.FedAvg(1, eta), rounds=1, numbers=SYMBOLS)
    recorder = Recorder(traced.instructions)
    at_optimum = recorder.put(("gradient", recorder.put(("optimum",))))
    gradient = traced.registers("gradient")[0]
    pairs = {(gradient, at_optimum): multiplier, (at_optimum, gradient): multiplier}
    bounds = {"distance": (square(traced.models[0]), factor)}
    return SymbolicClaim(tuple(recorder.instructions), mu, L, square(traced.models[1]), bounds, pairs, RANGES)


def at(step: str, modulus: str) -> dict[sp.Symbol, Fraction]:
    return {eta: Fraction(step), mu: Fraction(modulus), L: Fraction(1)}


def test_one_gradient_step_is_proved_for_all_parameters() -> None:
    found = prove(gradient_step())
    assert found.proved, found.reason
    entries = [found.certificate["identities"], *found.certificate["signs"]]
    assert all(verify_certificate(entry)[0] for entry in entries)


@pytest.mark.parametrize(("step", "modulus"), [("1/4", "1/10"), ("1", "1/3"), ("3/2", "1/5")])
def test_the_verifier_of_numbers_accepts_it_at_rational_parameters(step: str, modulus: str) -> None:
    proved = verifier.verify(gradient_step().at(at(step, modulus)))["upper"]
    assert proved == {"distance": (1 - Fraction(step) * Fraction(modulus)) ** 2}


@pytest.mark.parametrize(
    ("claim", "reason"),
    [
        (gradient_step(factor=(1 - eta * mu) ** 2 * sp.Rational(99, 100)), "semidefinite"),
        (gradient_step(multiplier=-eta), "nonnegative"),
        (gradient_step(multiplier=2 * eta), "semidefinite"),
    ],
)
def test_what_is_false_is_not_proved_here_nor_by_the_other_verifier(claim: SymbolicClaim, reason: str) -> None:
    found = prove(claim)
    assert not found.proved and reason in found.reason and not found.certificate
    with pytest.raises(verifier.Rejected):
        verifier.verify(claim.at(at("1/4", "1/10")))


def test_one_sided_multipliers_leave_function_values() -> None:
    claim = gradient_step()
    first, *_ = claim.pairs
    one_sided = SymbolicClaim(
        claim.instructions, mu, L, claim.measure, claim.bounds, {first: claim.pairs[first]}, claim.ranges
    )
    assert prove(one_sided).reason == "function values do not cancel"
    with pytest.raises(verifier.Rejected, match="does not cancel"):
        verifier.verify(one_sided.at(at("1/4", "1/10")))


def test_function_values_enter_with_the_measure() -> None:
    """Descent: F(x - g/L) <= F(x) - |g|^2/(2L) is one interpolation inequality and a square."""
    recorder = Recorder()
    point = recorder.put(("given", "server", 1))
    gradient = recorder.put(("gradient", point))
    after = recorder.put(("gradient", recorder.combine({point: sp.Integer(1), gradient: -1 / L})))
    decrease = value(gradient) + Functional(((-1 / (2 * L), gradient, gradient),))
    claim = SymbolicClaim(
        tuple(recorder.instructions),
        sp.Integer(0),
        L,
        value(after),
        {"decrease": (decrease, sp.Integer(1))},
        {(gradient, after): sp.Integer(1)},
        ((L, Open(0), None),),
    )
    found = prove(claim)
    assert found.proved, found.reason


def test_factors_multiply_to_the_matrix_and_indefinite_ones_have_none() -> None:
    matrix = sp.Matrix([[1, -eta], [-eta, eta**2 + mu]])
    ranges = ((eta, Open(0), None), (mu, Open(0), None))
    found = factorise(matrix, ranges)
    assert found is not None
    left, diagonal = found
    assert all(is_zero(entry) for entry in left * sp.diag(*diagonal) * left.T - matrix)
    assert factorise(sp.Matrix([[0, eta], [eta, 1]]), ranges) is None
    assert factorise(sp.Matrix([[1, 2], [2, 1]]), ()) is None


def test_a_gradient_register_is_asked_for() -> None:
    claim = gradient_step()
    with pytest.raises(ValueError, match="no client gradient"):
        claim.interpolation(0, 1)
    with pytest.raises(ValueError, match="no rational number"):
        claim.at({eta: Fraction(1, 4), L: Fraction(1)})


def test_statements_that_divide_by_zero_are_not_proved() -> None:
    """What a functional or the program divides by cancels in the slack, and means nothing at the end of the range."""
    mu, L, eta = sp.symbols("mu L eta")
    one, ranges = sp.Integer(1), [(mu, 0, None), (L, mu, None), (eta, 0, None)]
    square = Functional(((one, 0, 0),), ())
    divided = Functional(((1 / (L - mu), 0, 0),), ())
    start = (("given", "server", 1), ("optimum",))
    scaled = (*start, ("combine", ((1 / eta, 0), (1 - 1 / eta, 1))), ("combine", ((eta, 2), (1 - eta, 1))))
    for instructions, factor, bound, measure in (
        (start, L - mu, divided, square),
        (start, one, divided, divided),
        (scaled, one, square, Functional(((one, 3, 3),), ())),
    ):
        for low in (mu, Open(mu)) if bound is divided else (mu,):
            place = ranges if low is mu else [ranges[0], (L, low, None), ranges[2]]
            claim = SymbolicClaim(instructions, mu, L, measure, {"d": (bound, factor)}, {}, place)
            assert prove(claim).proved == (low is not mu)
