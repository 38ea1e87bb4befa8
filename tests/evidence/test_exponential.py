"""What is known of exp is a certificate of its own, kept beside the derivation that uses it."""

from __future__ import annotations

import pytest

from fltheory.evidence import certificates
from fltheory.evidence.decide import Tried
from fltheory.evidence.derive import by_derivation
from fltheory.evidence.kept_steps import standing
from fltheory.evidence.model import Outcome
from verify.elastic2023.derivations import recursions
from verify.elastic2023.tuning import OF_EXP


@pytest.mark.parametrize("at", ["-q", "q*R - 1/2", "1/2", "0", "(x - y)**2/3"])
def test_exp_is_at_least_its_tangent_at_real_numbers(at: str) -> None:
    found = certificates.exponential(at)
    assert certificates.can_verify(found) and certificates.verify_certificate(found) == (True, "true for real numbers")


@pytest.mark.parametrize("at", ["sqrt(-1)", "sqrt(2)", "sqrt(x)", "pi", "1/x", "x/x", "1/0", "1/(1 - 1)", "x**y"])
def test_where_it_need_not_be_real_it_is_refused(at: str) -> None:
    assert certificates.verify_certificate(certificates.exponential(at))[0] is False


@pytest.mark.parametrize("at", ["exp(1)", "log(x)", "__import__('os')", "0.5"])
def test_only_plain_arithmetic_is_read(at: str) -> None:
    with pytest.raises(ValueError, match="plain arithmetic"):
        certificates.verify_certificate(certificates.exponential(at))


def test_nothing_else_is_in_it() -> None:
    assert not certificates.can_verify({**certificates.exponential("x"), "left": "2*x"})
    assert not certificates.can_verify({"type": "exponential"})


def test_it_is_kept_beside_a_derivation_and_words_that_join_them_are_told() -> None:
    found = by_derivation(
        lambda: recursions.sum_of_weights("1/3"), Tried(1), beside=OF_EXP, prose="P is the power", method="m"
    )
    assert found.outcome is Outcome.HOLDS and list(found.certificate or {}) == ["derivation", *OF_EXP]
    assert standing(found.certificate, found, ()) == {"rung": "steps", "remark": "P is the power"}


def test_one_that_does_not_verify_stops_the_proof() -> None:
    beside = {"of exp": certificates.exponential("sqrt(x)")}
    found = by_derivation(lambda: recursions.sum_of_weights("1/3"), Tried(1), beside=beside, method="m")
    assert found.outcome is Outcome.NOT_REFUTED and "of exp" in found.would_settle
