"""A parameter may stand for a maximum only if nothing more is supposed of it than that it is large."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import sympy as sp

from fltheory.derivation.replay import Underivable
from fltheory.derivation.script import Derivation
from fltheory.derivation.statement import stands_for_the_largest, text_of, with_coefficients

a, b, x, y = sp.symbols("a b x y", positive=True)


def declared(more: Callable[[Derivation], None] = lambda d: None, low: str = "a") -> Derivation:
    d = Derivation("maxima")
    d.parameter("a", 0)
    d.parameter("g", low)
    d.parameter("b", 0, "g")
    more(d)
    return d


def test_it_may_where_both_are_lower_bounds() -> None:
    stands_for_the_largest(declared(), "g", sp.Max(a, b), {})


@pytest.mark.parametrize(
    ("d", "words"),
    [
        (declared(low="2*a"), "another number"),
        (declared(lambda d: d.parameter("c", "g")), "the range of c says more"),
        (declared(lambda d: d.parameter("c", "g", "g")), "the range of c says more"),
        (declared(lambda d: d.hypothesis("small", "1 - g")), "the hypothesis 1 - g says more"),
    ],
)
def test_it_may_not_where_more_is_supposed(d: Derivation, words: str) -> None:
    with pytest.raises(Underivable, match=words):
        stands_for_the_largest(d, "g", sp.Max(a, b), {})


def test_texts_are_rational() -> None:
    assert text_of(x / y + 1, {y: "length"}) == "1 + x/length"
    with pytest.raises(ValueError, match="no rational function"):
        text_of(sp.sqrt(x))


def test_coefficients_are_changed_where_they_are_given() -> None:
    expression = 3 * x * y + x**2
    assert sp.expand(with_coefficients(expression, {y: 2 * x, x**2: None})) == 2 * x * y + x**2
