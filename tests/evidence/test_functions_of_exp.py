"""exp, log and real powers in statements of algebra, and derivations at values that need them."""

from __future__ import annotations

import pytest

from fltheory.derivation.replay import Underivable
from fltheory.evidence.algebra import by_relations
from fltheory.evidence.certificates import can_verify, verify_certificate
from fltheory.evidence.model import Outcome
from fltheory.evidence.relations import Relations
from fltheory.evidence.valued import valued
from verify.elastic2023.derivations import recursions
from verify.elastic2023.tuned_values import OF_EXP, VALUES

WITHOUT_RULES = [
    "exp(a + b) = exp(a)*exp(b); exp(-a)*exp(a) = 1; exp(a)**R = exp(a*R)",
    "b**(R + 2) = b**R*b**2; (2*b)**R = 2**R*b**R for b > 0; R > 0",
    "exp(s*log(b)) = b**s; exp(log(b)) = b for b > 0; s > 0",
    "log(b)/log(b) = 1 for b >= 2",
    "(1 - q)**(R - 1)*(1 - q) = (1 - q)**R for 0 <= q < 1; R > 1",
    "sqrt(x)**2 = x; (x**(1/6))**6 = x for x >= 0",
    "exp(x) > 0; exp(1)*exp(1) = exp(2)",
    "exp(k*(k**2 - k + 1)/(k**2 - k)) = exp(k)*exp(1/(k - 1)) for k > 1",
]
WITH_RULES = [
    ("exp(a) <= exp(b) for a >= 0; b >= a", "1 + (b - a) <= exp(b - a)", "exp(a)"),
    ("1 - exp(-x) >= 0 for x >= 0", "1 + x <= exp(x)", "exp(-x)"),
    ("(1 - q)**R <= exp(-q*R) for 0 <= q <= 1; R > 0", "(1 - q)**R <= exp(-q*R)", "1"),
    ("x**R <= y**R for R > 0; x >= 0; y >= x", "x**R <= y**R", "1"),
    ("log(b) <= b - 1 for b > 0", "log(b) <= b - 1", "1"),
    ("1 - 1/b <= log(b) for b > 0", "1 - 1/b <= log(b)", "1"),
    ("log(a) <= log(b) for a > 0; b >= a", "log(a) <= log(b)", "1"),
    ("(1/2)**(2*R) <= exp(-R) for R > 0", "(1/2)**(2*R) <= exp(-R)", "1"),
]
NOT_PROVED = [
    "exp(log(b)) = b for b >= 0",  # log(0)
    "log(b)/log(b) = 1 for b >= 1",
    "(1 - q)**(R - 1) = (1 - q)**(R - 1) for 0 <= q <= 1; R > 1",
    "(-1)**R*(-1)**R = 1 for R > 0",
    "x**y = x**y for x >= 0; y >= 0",
    "sqrt(x)**2 = x for x >= -1",
    "exp(sqrt(-1)) = exp(sqrt(-1))",
    "exp(1/x)*exp(-1/x) = 1 for x >= 0",
    "exp(1/0) = 1",
    "exp(pi) = exp(pi)",
]
NO_INSTANCE = [
    ("exp(x) >= 2 + x for x >= 0", "2 + x <= exp(x)"),
    ("2**R <= exp(R/2) for R > 0", "2**R <= exp(R/2)"),
    ("y**R <= x**R for R > 0; x > 0; y >= x", "y**R <= x**R"),
    ("(1 - q)**R <= exp(-q*R) for 0 <= q <= 1; R >= -1", "(1 - q)**R <= exp(-q*R)"),
    ("2**R >= 3**R for R < 0; R >= -1", "2**R >= 3**R"),
    ("exp(x) <= 1 + x for x >= 0", "exp(x) <= 1 + x"),
    ("log(b) <= b - 2 for b > 0", "log(b) <= b - 2"),
    ("x > 1 for x > 0", "exp(x) > 1"),
]


@pytest.mark.parametrize("text", WITHOUT_RULES)
def test_what_needs_no_rule(text: str) -> None:
    stated = Relations(text)
    assert stated.proof[0], stated.proof[1]
    assert stated.broken() is None and verify_certificate(stated.certificate)[0]


@pytest.mark.parametrize(("text", "rule", "factor"), WITH_RULES)
def test_instances_of_rules_are_used_like_hypotheses_and_kept(text: str, rule: str, factor: str) -> None:
    stated = Relations(text, uses={0: {rule: factor}})
    assert stated.proof[0], stated.proof[1]
    assert Relations.read(stated.certificate).proof[0] and not Relations(text).proof[0]


@pytest.mark.parametrize("text", NOT_PROVED)
def test_what_is_not_defined_everywhere_is_refused(text: str) -> None:
    assert not Relations(text).proof[0]


@pytest.mark.parametrize(("text", "rule"), NO_INSTANCE)
def test_what_is_no_instance_of_a_rule_is_refused(text: str, rule: str) -> None:
    assert not Relations(text, uses={0: {rule: "1"}}).proof[0]


def test_false_ones_are_broken_by_exact_instances() -> None:
    found = by_relations(Relations("(1 - q)**R <= exp(-q*R) for 0 < q <= 3; R >= 1"))
    assert found.outcome is Outcome.REFUTED and found.certificate is not None
    assert verify_certificate(found.certificate)[0]
    assert (
        "exp(-1/2)"
        in (
            Relations("exp(-q*R) <= 3/5 for q > 0; R >= 1; q*R = 1/2", at={"q": "1/2", "R": "1"}).broken() or OF_EXP
        ).text
    )


def test_printed_as_they_are() -> None:
    assert r"\left(1 - q\right)^{R} \le e^{" in OF_EXP.latex().replace("0 < ", "")


def test_a_derivation_at_values_that_lie_in_its_ranges() -> None:
    derivation = recursions.before_tuning("3")
    kept = valued(derivation, VALUES, OF_EXP)
    assert can_verify(kept) and verify_certificate(kept) == (True, "verified")
    with pytest.raises(Underivable, match="none of the relations"):
        valued(derivation, {**VALUES, "h": "exp(-1)"}, OF_EXP)
    with pytest.raises(Underivable, match=r"supposes P = \(1 - q\)\*\*R"):
        valued(derivation, {**VALUES, "P": "exp(-q*R)"}, OF_EXP)
    with pytest.raises(Underivable, match="no free number"):
        valued(derivation, {**VALUES, "w": "1"}, OF_EXP)
    weaker = OF_EXP.changed("2*q*R >= 1", "4*q*R >= 1")
    assert not verify_certificate({**kept, "relations": weaker.certificate})[0]
