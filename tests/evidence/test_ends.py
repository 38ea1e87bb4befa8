"""The short ends of checks: outcomes, rungs and what is kept."""

from __future__ import annotations

from fractions import Fraction

import sympy as sp

from fltheory.evidence import certificates, ends
from fltheory.evidence.decide import Tried
from fltheory.evidence.exact_search import search
from fltheory.evidence.model import Outcome, Rung
from fltheory.evidence.witness import Witness
from fltheory.theory.proofs import Certificate

x = sp.Symbol("x")


def squares(constant: int) -> Certificate:
    """``x^2 <= constant x^2`` from one square."""
    return Certificate(x**2, constant * x**2, {}, [(sp.Integer(constant - 1), x)], [(x, 0, None)])


def test_a_proof_and_an_instance() -> None:
    proof = ends.by_proof("expansion", valid_for="all x")
    assert (proof.rung, proof.outcome, proof.examined) == (Rung.PROOF, Outcome.HOLDS, 1)
    broken = ends.by_witness(Witness({"x": 2}, x**2, "<=", 3), method="evaluated")
    assert (broken.rung, broken.outcome, broken.counterexample) == (Rung.PROOF, Outcome.REFUTED, "x = 2: x^2 = 4 > 3")
    assert (broken.method, broken.margin) == ("evaluated", -0.25)


def test_reruns() -> None:
    assert ends.by_rerun(True, "run", examined=3).outcome is Outcome.HOLDS
    assert ends.by_rerun(False, "run", examined=3).outcome is Outcome.NOT_REPRODUCED


def test_a_certificate_is_kept_only_where_it_verifies() -> None:
    kept = ends.certified(squares(2), Tried(3), method="one square")
    assert kept.outcome is Outcome.HOLDS and kept.certificate == certificates.polynomial(squares(2))
    found = search([Fraction(2)], lambda at: (at**2, Fraction(0)))
    broken = ends.certified(squares(0), found, method="one square")
    assert broken.outcome is Outcome.REFUTED and broken.certificate is None
    assert ends.certified(squares(2), Tried(3), also=False, method="one square").outcome is Outcome.NOT_REFUTED


def test_identities_and_signs() -> None:
    assert ends.identical([(x + 1) ** 2 - x**2 - 2 * x - 1], Tried(1), method="expansion").outcome is Outcome.HOLDS
    assert ends.identical([x], Tried(1, "x = 1"), method="expansion").outcome is Outcome.REFUTED
    one = ends.nonnegative({"": (x, [(x, 0, None)])}, Tried(1), method="sign")
    assert one.certificate == certificates.nonnegative(x, [(x, 0, None)])
    two = ends.nonnegative({"a": (x, [(x, 0, None)]), "b": (x - 1, [(x, 0, None)])}, Tried(1, "x = 0"), method="sign")
    assert two.outcome is Outcome.REFUTED


def test_the_first_failure_of_many() -> None:
    found = ends.first_failure(range(5), lambda n: f"n = {n}" if n * n > 5 else "")
    assert (found.examined, found.counterexample) == (5, "n = 3")
    assert ends.first_failure(range(3), lambda n: "").counterexample == ""
