"""The averaging functional against explicit sums over clients, and its refusals."""

from __future__ import annotations

from fractions import Fraction

import pytest
import sympy as sp
from hypothesis import given
from hypothesis import strategies as st

from fltheory.evidence.decide import decide
from fltheory.evidence.exact_search import Search, search, slack
from fltheory.evidence.model import Outcome, Rung
from fltheory.theory.averages import Averages

u, v, U, V, du, dv, f, F, c, eta = sp.symbols("u v U V du dv f F c eta")
FORMS = Averages({u: (U, du), v: (V, dv)}, {f: F}, common_vectors=(c, U, V), common_values=(F,))

numbers = st.integers(-5, 5)


@given(st.lists(st.tuples(st.integers(1, 4), numbers, numbers, numbers), min_size=1, max_size=4), numbers)
def test_average_is_the_sum_over_clients(rows: list[tuple[int, int, int, int]], server: int) -> None:
    """The split average of a form equals its explicit p-average when deviations are filled in client by client."""
    form = 3 * u**2 - eta * u * v + c * v + 2 * f - c**2 / 7
    total = sum(row[0] for row in rows)
    weights = [Fraction(row[0], total) for row in rows]

    def mean(values: list[sp.Expr]) -> sp.Expr:
        return sum(
            (sp.Rational(p.numerator, p.denominator) * x for p, x in zip(weights, values, strict=True)), sp.Integer(0)
        )

    explicit = mean([form.subs({u: a, v: b, f: g, c: server}) for _, a, b, g in rows])
    means = {
        U: mean([sp.Integer(r[1]) for r in rows]),
        V: mean([sp.Integer(r[2]) for r in rows]),
        F: mean([sp.Integer(r[3]) for r in rows]),
    }
    split = sp.expand(FORMS.of(form).subs(c, server))
    moments = {
        du**2: mean([(r[1] - means[U]) ** 2 for r in rows]),
        dv**2: mean([(r[2] - means[V]) ** 2 for r in rows]),
        du * dv: mean([(r[1] - means[U]) * (r[2] - means[V]) for r in rows]),
    }
    poly = sp.Poly(split, du, dv)
    filled = sum(
        (coefficient * (moments[du**i * dv**j] if i + j else 1) for (i, j), coefficient in poly.terms()), sp.Integer(0)
    )
    assert sp.expand(filled.subs(means) - explicit) == 0


def test_a_square_averages_to_squares_in_both_blocks() -> None:
    pieces = FORMS.squares_of(eta, u - 2 * v + c)
    assert pieces == [(eta, U - 2 * V + c), (eta, du - 2 * dv)]
    assert sp.expand(FORMS.of(eta * (u - 2 * v + c) ** 2) - sum(w * s**2 for w, s in pieces)) == 0


@pytest.mark.parametrize("form", [u, u**3, f * u, f**2, u**2 + f**2, 1 / u, u**2 + 1])
def test_what_is_no_form_is_refused(form: sp.Expr) -> None:
    with pytest.raises(ValueError, match="form"):
        FORMS.of(form)


def test_jensen_is_proved_and_its_reverse_is_not() -> None:
    ranges = ((eta, 0, None),)
    good = FORMS.certificate(U**2, u**2, premises={}, squares=[], ranges=ranges)
    assert not good.verify()[0]
    deviations = [(sp.Integer(1), du)]
    complete = type(good)(good.left, good.right, {}, deviations, ranges)
    assert complete.verify()[0]
    assert not type(good)(good.right, good.left, {}, deviations, ranges).verify()[0]


def test_a_proof_next_to_a_counterexample_raises() -> None:
    found = search([1, 2], lambda n: (Fraction(n), Fraction(1)))
    assert found == Search(2, Fraction(-1, 2), "2: left = 2, right = 1, so that left <= right is false")
    with pytest.raises(ValueError, match="and yet there is a counterexample"):
        decide((True, "proof"), found, method="x")
    refuted = decide((False, "none"), found, method="x")
    assert refuted.outcome is Outcome.REFUTED and refuted.counterexample
    open_end = decide((False, "none"), search([1], lambda n: (Fraction(0), Fraction(n))), method="x")
    assert open_end.outcome is Outcome.NOT_REFUTED and open_end.rung is Rung.EXACT and open_end.would_settle


def test_slack_knows_three_relations() -> None:
    one, two = Fraction(1), Fraction(2)
    assert slack(one, two, "<=") == -slack(one, two, ">=") == -slack(one, two, "=") == Fraction(1, 2)
    with pytest.raises(ValueError, match="relation"):
        slack(one, two, "<")
    with pytest.raises(ValueError, match="examined"):
        search([], lambda n: (one, two))
