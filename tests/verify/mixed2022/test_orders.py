"""The orders of Table 1 of mixed FL: units, conditions, and the instance behind the missing factor."""

from fractions import Fraction

import numpy as np
import pytest
import sympy as sp

import fltheory as fl
from fltheory.problems.mixed import MixedProblem
from fltheory.problems.quadratic import QuadraticProblem
from fltheory.theory.mixed2022.orders import CASES, DISSIMILARITY, ORDERS, PT_C, REPAIRED, G, beta, terms
from verify.mixed2022 import table_1_units
from verify.mixed2022.theorems_b_parallel import TERM, opposed


def test_nine_orders_and_their_conditions():
    assert len(ORDERS) == 9 and len({b.ids for b in ORDERS}) == 9
    values = dict(K=2, B=1, beta=1, eta_m=1, eta=sp.Rational(1, 24), eta_s=1, eta_c=sp.Rational(1, 23))
    assert [words.split(" ")[0] for words in PT_C.unmet(**values)] == ["eta_c"]


@pytest.mark.parametrize("case", CASES)
def test_repaired_terms_have_no_unit(case):
    accuracy = table_1_units.MEASURES[case]
    assert table_1_units.unchanged([((REPAIRED[case],), accuracy)]).proof[0]
    assert table_1_units.unchanged([((DISSIMILARITY[case],), accuracy)]).proof[0] == (case == "strongly convex")


def test_sum_of_different_units_changes():
    assert not table_1_units.unchanged([((beta + G,), "f - f*")]).proof[0]


def test_unknown_entry_is_an_error():
    with pytest.raises(ValueError, match="3-w GT"):
        terms("3-w GT", "convex")


def test_lower_bound_is_proved_and_met_by_the_package():
    assert opposed("convex", TERM["convex"]).proof[0]
    slope = Fraction(1640)  # no rates are enough for 10 rounds
    zero, one, half = Fraction(0), Fraction(1), Fraction(1, 2)
    clients = QuadraticProblem(
        np.array([[[one, zero], [zero, half]]], dtype=object), np.array([[-slope, slope]], dtype=object)
    )
    centre = QuadraticProblem(
        np.array([[[half, zero], [zero, one]]], dtype=object), np.array([[slope, -slope]], dtype=object)
    )
    for client, central in ((Fraction(1, 5000), Fraction(1, 5000)), (Fraction(1, 3000), Fraction(1, 2990))):
        run = fl.trajectory(
            MixedProblem(clients, centre),
            fl.ParallelTraining(2, client, central),
            rounds=10,
            start=[Fraction(2), Fraction(2)],
            exact=True,
        ).models
        assert all(max(abs(x) for x in row) >= 1 for row in run)
