"""Runs of local SGD on parabolas in exact expectation, and what the proofs about a round are made of."""

from __future__ import annotations

from fractions import Fraction

import pytest
import sympy as sp

from fltheory.derivation.replay import Underivable
from fltheory.theory.fedlama2021 import lemma_5_1 as stated
from verify.fedlama2021.derivations.lemma_5_1 import lemma
from verify.fedlama2021.derivations.two_local_steps import LONG, SHORT, a, remainder, squares
from verify.fedlama2021.lemma_5_1 import changed
from verify.fedlama2021.local_runs import CONCAVE, CONVEX, HALF, ONE, ParabolaRun


def test_means_of_two_noisy_steps_by_hand() -> None:
    # x1 = -n0/2; g1 = h x1 + n1: the sum is (1 - h/2) n0 + n1.
    for clients, h in ((CONVEX, 1), (CONCAVE, -1)):
        found = ParabolaRun(clients, HALF, 2, sigma=ONE).means
        assert found.update == (1 - Fraction(h, 2)) ** 2 + 1
        assert found.noise == 2
        assert found.gradients == Fraction(1, 4)
        assert found.update == found.noise + found.gradients + 2 * found.cross
        assert found.from_zero == Fraction(1, 4)


def test_noise_that_is_shared_does_not_average_out() -> None:
    clients = CONVEX * 2
    assert ParabolaRun(clients, HALF, 1, sigma=ONE).means.noise == HALF
    assert ParabolaRun(clients, HALF, 1, sigma=ONE, shared="clients").means.noise == 1
    assert ParabolaRun(CONVEX, HALF, 2, sigma=ONE, shared="steps").means.noise == 4


def test_the_values_are_those_of_the_rounds() -> None:
    assert ParabolaRun(CONVEX, HALF, 2, 2, ONE).means.values == [Fraction(1, 2 * 16**t) for t in range(3)]


@pytest.mark.parametrize("by", [SHORT, LONG])
@pytest.mark.parametrize("mean", [True, False])
def test_squares_add_up_to_the_form(by: object, mean: bool) -> None:
    matrix, letters = remainder(by, mean)  # type: ignore[arg-type]
    vector = sp.Matrix(letters)
    whole = sum(w * sum(c * one for one, c in row.items()) ** 2 for w, row in squares(by, mean))  # type: ignore[arg-type]
    at = sp.Rational(2, 5)
    assert sp.expand((whole - (vector.T * matrix * vector)[0]).subs(a, at)) == 0


def test_the_lemma_is_not_derived_with_99_hundredths_of_the_distances() -> None:
    with pytest.raises(Underivable):
        lemma(changed(stated.REPAIRED, S="99/100"))
