"""Names of quantities in statements: printed, defined, and an exact identity once the definitions are put back."""

from __future__ import annotations

from fractions import Fraction

import pytest
import sympy as sp

from fltheory.evidence.kinds import algebra_claim
from fltheory.evidence.model import Control, Evidence, Outcome, Rung
from fltheory.evidence.naming import WHERE, named_latex, with_names, without_names
from fltheory.evidence.stated import printed_from
from fltheory.theory.li2020 import theorems
from verify.li2020.frontier import LEMMA_1_FRONTIER, THEOREM_1_FRONTIER
from verify.li2020.lemma_1 import all_factors
from verify.li2020.no_bounded_gradients import linear
from verify.li2020.no_bounded_gradients.linear import THEOREM_SQUARE
from verify.li2020.theorems.shared_steps import GAMMA
from verify.mixed2022.one_way_words import NOISE_NAME
from verify.mixed2022.two_way_rates import C_FINAL, LEVEL, NC_FINAL, SC_FINAL

gamma, kappa = sp.symbols("gamma kappa")
NAMED = [
    *((getattr(theorems, f"theorem_{n}{form}"), GAMMA) for n in (1, 2, 3) for form in ("", "_improved")),
    (theorems.theorem_1_sharpened, GAMMA),
    (THEOREM_1_FRONTIER, {**GAMMA, kappa: theorems.kappa}),
    (LEMMA_1_FRONTIER, all_factors.NAMES),
    (THEOREM_SQUARE, linear.NAMES),
    (C_FINAL, LEVEL),
    (SC_FINAL, LEVEL),
    (NC_FINAL, NOISE_NAME),
]


@pytest.mark.parametrize(("bound", "where"), NAMED, ids=lambda item: getattr(item, "name", ""))
def test_named_statements_are_the_expressions_that_are_evaluated(bound, where) -> None:
    named = with_names(bound.expression, where)
    assert sp.simplify(without_names(named, where) - bound.expression) == 0
    for number in (0, 3):
        values = {
            s: Fraction(101 + 13 * i + number, 7) for i, s in enumerate(sorted(bound.expression.free_symbols, key=str))
        }
        at = {s: sp.Rational(v.numerator, v.denominator) for s, v in values.items()}
        found = named.subs({name: definition.subs(at) for name, definition in where.items()}).subs(at)
        assert sp.N(found - bound.expression.subs(at), 40) == pytest.approx(0, abs=1e-30)
    main, defined = named_latex(bound, where).split(WHERE)
    assert len(defined.split(" = ")) == len(where) + 1
    assert all(sp.latex(name) in main for name in where)


def test_gamma_is_defined_once_and_not_written_out_each_time() -> None:
    plain = theorems.theorem_1_improved.latex()
    named = named_latex(theorems.theorem_1_improved, GAMMA)
    assert plain.count(r"\max") >= 5 and named.count(r"\max") == 1
    assert named.endswith(WHERE + r"\gamma = \max\left(E, \frac{8 L}{\mu}\right)")


def test_names_that_would_mislead_are_refused() -> None:
    bound = theorems.theorem_1_improved
    with pytest.raises(ValueError, match="has as a symbol of its own"):
        named_latex(bound, {sp.Symbol("T"): theorems.gamma})
    with pytest.raises(ValueError, match="has no .* in it"):
        named_latex(bound, {gamma: sp.Max(theorems.E, 9 * theorems.kappa)})
    with pytest.raises(ValueError, match="typed statement"):
        printed_from("a = b", GAMMA)
    with pytest.raises(ValueError, match="prints itself in LaTeX"):
        printed_from(3)  # type: ignore[arg-type]


def test_a_claim_prints_the_bound_that_it_is_given() -> None:
    def check(factor: str) -> Evidence:
        return Evidence(Rung.EXACT, Outcome.HOLDS, "evaluated", 1)

    controls = [Control("changed", {"factor": "2"})]
    printed = {"factor": "1"}
    given = algebra_claim("OWN-1", statement=theorems.theorem_1, controls=controls, printed=printed)(check)
    named = algebra_claim("OWN-2", statement=theorems.theorem_1, where=GAMMA, controls=controls, printed=printed)(check)
    assert given.statement == theorems.theorem_1.latex()
    assert named.statement == named_latex(theorems.theorem_1, GAMMA)
