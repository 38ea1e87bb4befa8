"""Every Bernstein coefficient of a box certificate is looked at, and work is charged as the words at its class say."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
import sympy as sp

from fltheory.worstcase import box_verifier, verifier

F = Fraction
LOW, HIGH, BOTTOM, TOP = F(1, 8), F(1, 4), F(1, 20), F(1, 5)
DEGREES = (2, 1)
ETA, MU = sp.symbols("eta mu")


def bernstein_sum(coefficients: list[int]) -> list[list[Any]]:
    """``sum c_kn B_k(eta) B_n(mu)`` in monomials, written out by sympy from the polynomials' definition."""
    t = (ETA - sp.Rational(1, 8)) * 8
    s = (MU - sp.Rational(1, 20)) / sp.Rational(3, 20)
    (n, m), total = DEGREES, sp.Integer(0)
    for place, c in enumerate(coefficients):
        k, j = divmod(place, m + 1)
        total += c * sp.binomial(n, k) * t**k * (1 - t) ** (n - k) * sp.binomial(m, j) * s**j * (1 - s) ** (m - j)
    return [[i, j, str(c)] for (i, j), c in sp.Poly(sp.expand(total), ETA, MU).terms()]


def standing(coefficients: list[int]) -> dict[str, Any]:
    """The end is the start: the slack of the contraction ``1 + p`` is ``p |w - w*|^2``, and its coefficients are those of p."""
    return {
        "format": "fltheory box 1",
        "box": [[str(LOW), str(HIGH)], [str(BOTTOM), str(TOP)]],
        "start": 0,
        "end": 0,
        "optimum": 2,
        "program": [["given", "server", 1], ["optimum"], ["gradient", 1]],
        "contraction": [[0, 0, "1"], *bernstein_sum(coefficients)],
        "degrees": {"multipliers": [0, 0], "b": [0, 0]},
        "multipliers": [],
        "b": ["0"],
    }


@pytest.mark.parametrize("place", range(6))
def test_one_negative_coefficient_is_enough_wherever_it_stands(place: int) -> None:
    coefficients = [3, 1, 4, 1, 5, 9]
    assert box_verifier.verify(standing(coefficients)) == [0]
    coefficients[place] = 0
    assert box_verifier.verify(standing(coefficients)) == [0]  # zero is not negative
    coefficients[place] = -1
    with pytest.raises(verifier.Rejected, match=f"Bernstein coefficient {place} of the slack in block m is not"):
        box_verifier.verify(standing(coefficients))


def test_coefficients_of_a_polynomial_are_those_it_was_made_of() -> None:
    coefficients = [3, 1, 4, 1, 5, 9]
    terms = {(i, j): F(c) for i, j, c in bernstein_sum(coefficients)}
    work = verifier.Work()
    found = box_verifier.bernstein(terms, DEGREES, ((LOW, HIGH), (BOTTOM, TOP)), work)
    assert found == coefficients
    count = 6  # each of six coefficients takes part in six sums, and each term is spread over at most six
    assert work.left == verifier.MOST_WORK - count * (count + len(terms))


@pytest.mark.parametrize(
    ("operands", "price"),
    [
        ([], 5),
        ([[F(1), F(2**63 - 1)]], 5),  # 63 bits
        ([[F(2**63)]], 20),  # 64: one word more
        ([[F(1, 2**64)]], 20),  # above and below the line alike
        ([[F(2**64), F(2**128)]], 45),  # the longest counts
        ([[F(2**64)], [F(2**128)]], 80),  # of each operand
        ([[], [F(1)]], 5),
    ],
)
def test_operations_cost_the_square_of_their_words(operands: list[list[Fraction]], price: int) -> None:
    """Five operations; the words of a product are one, and one more for each 64 bits of each factor."""
    work = verifier.Work()
    work.charge(5, *operands)
    assert work.left == verifier.MOST_WORK - price


@pytest.mark.parametrize(("bits", "price"), [(0, 64), (63, 64), (512, 256), (896, 484), (1024, 576)])
def test_integers_cost_an_eighth_half_and_all_of_a_word(bits: int, price: int) -> None:
    work = verifier.Work()
    work.charge_integers(512, bits)
    assert work.left == verifier.MOST_WORK - price
    one = verifier.Work()
    one.charge_integers(1, bits)
    assert one.left == verifier.MOST_WORK - (1 if price <= 512 else 2)  # rounded up


def test_work_ends_where_it_is_spent() -> None:
    work = verifier.Work()
    work.spend(verifier.MOST_WORK)
    assert work.left == 0
    with pytest.raises(verifier.Rejected, match="too much work"):
        work.spend(1)
