"""Theorems 1 to 3 of Li et al. and their lemmas follow line by line, and do not with smaller constants."""

from __future__ import annotations

import json

import pytest
import sympy as sp

from fltheory.derivation.packs import foreign
from fltheory.derivation.replay import Underivable, verify
from fltheory.derivation.script import Derivation
from fltheory.derivation.statement import Derived, stands_for_the_largest
from fltheory.evidence.certificates import verify_certificate
from fltheory.theory.li2020 import theorems
from verify.li2020 import cohorts
from verify.li2020 import lemmas as paper
from verify.li2020 import symbols as s
from verify.li2020.derivations import lemmas
from verify.li2020.derivations.distances import distance
from verify.li2020.derivations.improved import improved_gap
from verify.li2020.derivations.letters import form_text, vector_text
from verify.li2020.derivations.moment import follows
from verify.li2020.derivations.theorems import gap

BOUNDS = {"full": theorems.theorem_1, "I": theorems.theorem_2, "II": theorems.theorem_3}
COHORT = {
    "I": "S: K independent draws of k by their weights",
    "II": "S: a uniform subset of K of N k with equal weights",
}


def kept(found: Derived) -> dict[str, object]:
    assert found.certificate is not None, found.reason
    data = json.loads(json.dumps(found.certificate))
    assert verify_certificate(data) == (True, "verified")
    return dict(data)


@pytest.mark.parametrize("scheme", ["full", "I", "II"])
def test_the_theorems_are_derived_and_replayed(scheme: str) -> None:
    found = gap(BOUNDS[scheme].expression, scheme)
    data = kept(found)
    fact = verify(data).known("gap")
    assert fact.over == {"k", "xi", "j", "past", *(() if scheme == "full" else "S")} and fact.relation == ">="
    assert fact.uses == set(found.uses)
    assert {"smooth", "strongly convex", "bounded gradients", "bounded variance"} <= fact.uses
    assert ("bounded gradients now" in fact.uses) == (scheme != "full")
    assert {COHORT[name] for name in COHORT if name == scheme} == fact.uses & {*COHORT.values()}
    assert foreign(data["lines"]) == []  # type: ignore[arg-type]


@pytest.mark.parametrize("scheme", ["full", "I", "II"])
@pytest.mark.parametrize("factor", ["99/100", "1/2"])
def test_a_smaller_bound_is_not_derived(scheme: str, factor: str) -> None:
    assert "not shown nonnegative" in gap(BOUNDS[scheme].expression * sp.Rational(factor), scheme).reason


def test_the_bound_of_one_scheme_is_not_that_of_another() -> None:
    assert gap(theorems.theorem_1.expression, "I").reason
    without = theorems.C_scheme_ii * (theorems.N - 1) / theorems.N
    assert gap(theorems.gap_bound(theorems.B + without), "II").reason


def test_a_bound_whose_constant_is_sharp_is_derived_and_no_smaller_one() -> None:
    cases = [
        (lemmas.variance, paper.LEMMA_2, {}),
        (lemmas.drift, paper.LEMMA_3, {}),
        (lemmas.cohort, cohorts.lemma_5_scheme_i_sharpened, {"scheme": "I"}),
        (lemmas.cohort, cohorts.lemma_5_scheme_ii_sharpened, {"scheme": "II"}),
    ]
    for derive, bound, given in cases:
        kept(derive(bound.expression, **given))
        assert derive(bound.expression * sp.Rational(99, 100), **given).reason


def test_hypotheses_that_are_dropped_are_missed() -> None:
    assert lemmas.variance(paper.LEMMA_2.expression, independent=False).reason
    assert lemmas.drift(paper.LEMMA_3.expression, falling=False).reason
    assert lemmas.drift(paper.LEMMA_3.expression, ratio="101/50").reason
    bound = cohorts.lemma_5_scheme_i.expression
    assert "averaged over ['past', 'xi']" in lemmas.cohort(bound, "I", over="k j S").reason
    assert "bounded gradients" in lemmas.cohort(bound, "I", draws="", over="k j S").uses
    assert distance(paper.DISTANCE.expression, small_first_step=False).reason


@pytest.mark.parametrize("scheme", ["full", "I", "II"])
def test_recursions_and_distances(scheme: str) -> None:
    bounds = {"full": paper.RECURSION, "I": cohorts.recursion_scheme_i, "II": cohorts.recursion_scheme_ii}
    at = "(13)" if scheme == "full" else "synchronised"
    assert not lemmas.recursion(bounds[scheme].expression, scheme, at).reason
    faster = bounds[scheme].expression.subs({one: 2 * one for one in (s.mu, theorems.mu)})
    assert lemmas.recursion(faster, scheme, at).reason
    assert not distance(paper.DISTANCE.expression, scheme).reason


def test_equal_constants_are_reached_by_closure() -> None:
    sharp = lemmas.sharp_recursion(paper.RECURSION_SHARP.expression)
    assert "L at its end by continuity" in sharp.uses and verify(kept(sharp)).known("the statement").strict <= {"mu"}
    assert lemmas.sharp_recursion(paper.RECURSION_SHARP.expression.subs(s.G, s.G / 3)).reason


def test_theorem_1_improved_is_derived() -> None:
    expression = theorems.theorem_1_improved.expression
    found = improved_gap(expression)
    assert "gamma >= E" in found.uses and "infimum" not in found.uses
    assert kept(found) and improved_gap(expression.subs(theorems.V, theorems.V / 2)).reason


def test_what_a_maximum_stands_for_is_no_larger_than_supposed() -> None:
    d = Derivation("a maximum")
    d.parameter("a", 1)
    d.parameter("b", 1)
    d.parameter("c", "a")
    largest = sp.Max(sp.Symbol("a"), sp.Symbol("b"))
    d.hypothesis("c >= b", "c - b")
    stands_for_the_largest(d, "c", largest, {})
    d.hypothesis("c >= 2 b", "c - 2*b")
    with pytest.raises(Underivable, match="at least another number"):
        stands_for_the_largest(d, "c", largest, {})


def test_a_line_does_not_change_after_it_was_written() -> None:
    d, facts = Derivation("facts"), {"a": "1"}
    d.parameter("x", 0)
    d.combine("a", "x")
    d.combine("b", "x", facts=facts)
    facts["b"] = "1"
    assert d.lines[-1]["facts"] == {"a": "1"}


def test_forms_of_the_generic_client_become_inner_products() -> None:
    assert form_text(s.eta * (s.wbar - s.g) * s.g) == "(-eta)*dot(g_w, g_w) + (eta)*dot(g_w, mean(w, k))"
    assert form_text(3 * s.L * s.f) == "(3*L)*f_w" and vector_text(s.w - s.eta * s.g) == "(1)*w + (-eta)*g_w"
    for bad in (s.w, s.w**2 * s.g, s.f**2, s.f * s.w):
        with pytest.raises(ValueError, match="is no inner product"):
            form_text(bad)
    with pytest.raises(ValueError, match="is no vector"):
        vector_text(s.w + 1)


def test_an_inequality_of_one_moment_needs_its_premise() -> None:
    found = follows(s.g**2, 2 * s.L * (s.f - s.f_min), facts={"(16) at w": 1}, over="")
    assert {*found.uses} == {"smooth", "infimum"} and kept(found)["conclusions"] == ["the statement"]
    assert "left over" in follows(s.g**2, 2 * s.L * (s.f - s.f_min), over="").reason
