"""What the exact test of a matrix is charged, summed by hand from the words at the class of work, and rounded reports."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import pytest

import fltheory as fl
from fltheory.worstcase import verifier

F = Fraction


def price(matrix: list[list[Fraction]]) -> int:
    work = verifier.Work()
    verifier.positive_semidefinite(matrix, work)
    return verifier.MOST_WORK - work.left


def test_a_small_matrix_costs_an_eighth_for_each_entry_and_step() -> None:
    """Twelve rows: 1 for the denominators, 144/8, then the entries on and above the diagonals that are left, in eighths."""
    steps = [n * (n + 1) // 2 for n in range(12)]
    identity = [[F(int(i == j)) for j in range(12)] for i in range(12)]
    assert price(identity) == 1 + 18 + sum(-(-entries // 8) for entries in steps)


def test_long_entries_cost_the_square_of_their_words() -> None:
    """``diag(2^1000, 1)``: with one bit of the scale 15 words, ``(8 + 15)^2 / 512`` for each of four entries and the step."""
    assert price([[F(2**1000), F(0)], [F(0), F(1)]]) == 1 + -(-4 * 23**2 // 512) + 2
    assert price([[F(1), F(0)], [F(0), F(2**1000)]]) == 1 + -(-4 * 23**2 // 512) + 2
    assert price([[F(-1)]]) == 2  # nothing is left to be eliminated: denominators and the entry


@pytest.mark.parametrize(
    ("entry", "below", "above"),
    [
        (F(0), "0", "0"),
        (F(1, 3), "0.333333333", "0.333333334"),
        (F(-1, 3), "-0.333333334", "-0.333333333"),
        (F(2, 3), "0.666666666", "0.666666667"),
        (F(10**9), "1e+009", "1e+009"),
        (F(999999999), "999999999", "999999999"),
        (F(9999999999), "9.99999999e+009", "1e+010"),
        (F(123456789), "123456789", "123456789"),
        (F(1234567891, 10), "123456789", "123456790"),
        (F(1, 10**4), "0.0001", "0.0001"),
        (F(1, 10**5), "1e-05", "1e-05"),
        (F(1, 7 * 10**6), "1.42857142e-07", "1.42857143e-07"),
        (F(5, 2), "2.5", "2.5"),
        (F(10**40 + 1, 10**40), "1", "1.00000001"),
        (F(1, 2**60), "8.67361737e-19", "8.67361738e-19"),
        (F(7 * 10**99, 3), "2.33333333e+99", "2.33333334e+99"),
    ],
)
def test_reports_are_rounded_to_the_side_that_is_asked_for(entry: Fraction, below: str, above: str) -> None:
    found = verifier.about(entry, False), verifier.about(entry, True)
    assert tuple(text.replace("e+0", "e+").replace("e+0", "e+") for text in found) == tuple(
        text.replace("e+0", "e+").replace("e+0", "e+") for text in (below, above)
    )
    assert F(found[0]) <= entry <= F(found[1])
    if entry:
        assert F(found[1]) - F(found[0]) <= abs(entry) * F(2, 10**8)


def test_each_term_of_a_functional_costs_one_and_its_product() -> None:
    """Charged before it is read: one, and one more for each eight entries that there are already."""
    found = fl.worst_case(fl.FedAvg(1, F(1, 4)), fl.SmoothStronglyConvex(F(1, 10), 1))
    assert found.certificate is not None
    model = verifier._Model(found.certificate)
    register = model.program.register(0)[0]

    def spent(call: Callable[[], object]) -> int:
        before = model.program.work.left
        call()
        return int(before - model.program.work.left)

    product = spent(lambda: model.program.add_product({}, F(1), register, register))
    for terms in (1, 2, 3):  # all fill the one entry <w, w>
        measure = {"inner": [["1", 0, 0]] * terms, "values": []}
        assert spent(lambda measure=measure: model.functional(measure)) == terms * (product + 1)
