"""Formulas: what is proved for all parameters agrees with exact answers at some, and is not proved where it is false."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest
import sympy as sp

import fltheory as fl
from fltheory.evidence.certificates import verify_certificate
from fltheory.theory.proofs import Open, is_zero
from fltheory.worstcase import verifier
from fltheory.worstcase.formulas import Formula
from fltheory.worstcase.line_families import ETA, MU, SMOOTH
from fltheory.worstcase.symbolic import prove

F = Fraction


def one_step(eta: Any) -> fl.FedAvg:
    return fl.FedAvg(1, eta)


@pytest.fixture(scope="module")
def gradient_descent() -> Formula:
    return fl.worst_case_formula(one_step)


@pytest.fixture(scope="module")
def two_steps() -> Formula:
    return fl.worst_case_formula(lambda eta: fl.FedAvg(2, eta))


def test_gradient_descent_has_two_pieces_for_all_steps(gradient_descent: Formula) -> None:
    first, second = gradient_descent.pieces
    assert not gradient_descent.notes
    assert is_zero(first.value - (1 - ETA * MU) ** 2) and is_zero(second.value - (1 - ETA * SMOOTH) ** 2)
    assert first.ranges[-1] == (ETA, 0, 2 / (SMOOTH + MU)) and second.ranges[-1] == (ETA, 2 / (SMOOTH + MU), None)
    assert first.instance == "all clients mu x^2/2" and second.instance == "all clients L x^2/2"


def test_its_certificates_are_replayed(gradient_descent: Formula) -> None:
    for piece in gradient_descent.pieces:
        assert piece.proof.proved
        kept = piece.proof.certificate
        assert all(verify_certificate(entry)[0] for entry in [kept["identities"], *kept["signs"]])


@pytest.mark.parametrize(("step", "modulus"), [("1/3", "1/7"), ("9/5", "1/10"), ("19/10", "1/4"), ("5/2", "1/3")])
def test_the_exact_answer_at_a_point_is_the_formula(gradient_descent: Formula, step: str, modulus: str) -> None:
    found = fl.worst_case(one_step(F(step)), fl.SmoothStronglyConvex(F(modulus), 1), exact=True)
    assert found.upper == found.lower == gradient_descent.at(F(step), F(modulus))


def test_the_verifier_of_numbers_accepts_the_multipliers(gradient_descent: Formula) -> None:
    for piece, step in zip(gradient_descent.pieces, (F(1, 3), F(19, 10)), strict=True):
        proved = verifier.verify(piece.claim.at({ETA: step, MU: F(1, 7), SMOOTH: F(1)}))["upper"]
        assert proved == {"distance": gradient_descent.at(step, F(1, 7))}


def test_a_piece_is_not_proved_beyond_its_range_nor_with_a_smaller_value(gradient_descent: Formula) -> None:
    claim = gradient_descent.pieces[0].claim
    longer = replace(claim, ranges=(*claim.ranges[:-1], (ETA, 0, 2 / SMOOTH)))
    assert not prove(longer).proved
    (begin, value) = claim.bounds["distance"]
    assert not prove(replace(claim, bounds={"distance": (begin, value * sp.Rational(99, 100))})).proved


def test_the_multipliers_of_two_local_steps_are_those_of_its_steps_in_a_chain(two_steps: Formula) -> None:
    multipliers = [sp.factor(y) for y in two_steps.pieces[0].claim.pairs.values()]
    chained = [2 * ETA * (1 - ETA * MU), 2 * ETA * (1 - ETA * MU) ** 3]
    assert len(multipliers) == 4 and all(sum(is_zero(y - wanted) for y in multipliers) == 2 for wanted in chained)


def test_clients_that_share_the_minimiser_have_no_floor() -> None:
    found = fl.worst_case_formula(one_step, heterogeneity="identical")
    assert [piece.floor for piece in found.pieces] == [0, 0]
    assert is_zero(found.pieces[0].value - (1 - ETA * MU) ** 2)


def test_gaps_of_convex_clients() -> None:
    """Drori and Teboulle: a step up to 3/(2L), where the parabola takes over; the gradient after a step on both sides of it."""
    gap = fl.worst_case_formula(one_step, measure="gap", convex=True)
    assert is_zero(gap.pieces[0].value - SMOOTH / (2 * (2 * ETA * SMOOTH + 1)))
    assert gap.pieces[0].ranges[-1] == (ETA, 0, sp.Rational(3, 2) / SMOOTH)
    assert gap.at(F(1), F(0)) == F(1, 6)
    with pytest.raises(ValueError, match="no formula is proved at eta=7/4"):
        gap.at(F(7, 4), F(0))
    gradient = fl.worst_case_formula(one_step, measure="gradient", start="gap", convex=True)
    assert [piece.ranges[-1][1:] for piece in gradient.pieces] == [
        (0, sp.Rational(3, 2) / SMOOTH),
        (sp.Rational(3, 2) / SMOOTH, 2 / SMOOTH),
    ]
    assert is_zero(gradient.pieces[0].value - 2 * SMOOTH / (2 * ETA * SMOOTH + 1))


def test_two_local_steps_of_unlike_clients_have_the_same_factor_and_a_floor(two_steps: Formula) -> None:
    """The floor is the slope of the worst case where zeta is small: a certified instance leaves it no room of a thousandth."""
    found = two_steps
    first, second = found.pieces
    turn = 2 / (SMOOTH + MU)
    assert first.ranges[-1][1:] == (0, Open(turn)) and second.ranges[-1][1:] == (Open(turn), None)
    below = (2 - ETA * SMOOTH - ETA * MU) * (2 + ETA * SMOOTH - 3 * ETA * MU)
    assert is_zero(first.value - (1 - ETA * MU) ** 4)
    assert is_zero(first.floor - 2 * ETA**3 * (SMOOTH - MU) * (1 - ETA * MU) ** 3 / below)
    proved = verifier.verify(first.claim.at({ETA: F(1, 4), MU: F(1, 10), SMOOTH: F(1)}))["upper"]
    factor, floor = F(39, 40) ** 4, proved["heterogeneity"]
    assert proved["distance"] == factor and found.at(F(1, 4), F(1, 10), heterogeneity=F(1)) == factor + floor
    small = F(1, 100)
    clients = fl.SmoothStronglyConvex(F(1, 10), 1)
    worst = fl.worst_case(fl.FedAvg(2, F(1, 4)), clients, quantities={"heterogeneity": small})
    assert worst.lower is not None and factor + floor * small * F(999, 1000) < worst.lower <= factor + floor * small
    claim = replace(first.claim, ranges=first.ranges[:-1] + ((ETA, 0, turn),))
    assert not prove(claim).proved  # the floor has a pole at the end
    (measured, _) = first.claim.bounds["heterogeneity"]
    for smaller in (first.floor * sp.Rational(99, 100), sp.Integer(0)):
        bounds = {**first.claim.bounds, "heterogeneity": (measured, smaller)}
        assert not prove(replace(first.claim, bounds=bounds)).proved


def test_another_heterogeneity_is_refused() -> None:
    with pytest.raises(ValueError, match="expected 'gradients'"):
        fl.worst_case_formula(one_step, heterogeneity="gamma")
    with pytest.raises(ValueError, match="no function from a step size"):
        fl.worst_case_formula(fl.FedAvg(1, F(1, 2)))  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="rounds"):
        fl.worst_case_formula(one_step, rounds=0)
    with pytest.raises(ValueError, match="measure='length'"):
        fl.worst_case_formula(one_step, measure="length")
