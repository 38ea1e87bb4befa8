"""Witnesses: an instance refutes only where its hypotheses hold and the claim is false, and its words are what was evaluated."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
import sympy as sp

from fltheory.evidence import certificates
from fltheory.evidence.decide import decide
from fltheory.evidence.ends import by_witness, tried
from fltheory.evidence.limits import unbounded
from fltheory.evidence.model import Outcome, Rung
from fltheory.evidence.witness import OPPOSITE, Side, Witness

gamma, T = sp.symbols("gamma T", positive=True)
RATIO = (gamma + T - 1) / T


def large(start: Fraction, **changes: Any) -> Witness:
    """(gamma + T - 1)/T <= 2 for T >= start gamma, tried at gamma = 100, T = 10."""
    more: dict[str, Any] = {"given": [sp.Ge(T, start * gamma)], **changes}
    return Witness({gamma: 100, T: 10}, RATIO, "<=", 2, **more)


def test_a_witness_refutes_and_its_words_are_its_numbers() -> None:
    found = large(Fraction(1, 10))
    assert found.refutes and found.margin == float(2 / sp.Rational(109, 10) - 1)
    assert found.text == "gamma = 100, T = 10; T >= gamma/10 = 10: (T + gamma - 1)/T = 109/10 > 2"
    evidence = by_witness(found)
    assert (evidence.rung, evidence.outcome, evidence.margin) == (Rung.PROOF, Outcome.REFUTED, found.margin)
    assert evidence.counterexample == found.text


def test_a_broken_hypothesis_is_no_refutation() -> None:
    found = large(Fraction(1))
    assert not found.refutes and found.failing == "T < gamma"
    assert by_witness(found).outcome is Outcome.NOT_REFUTED
    assert by_witness(found, would_settle="another point").would_settle == "another point"


def test_a_claim_that_is_true_at_the_point_is_no_refutation() -> None:
    found = Witness({"x": 2}, sp.Symbol("x") ** 2, "<=", 4)
    assert not found.refutes and found.text == "x = 2: x^2 = 4 <= 4"
    assert by_witness(found).outcome is Outcome.NOT_REFUTED


@pytest.mark.parametrize(
    ("relation", "true_of"),
    [("<=", (-1, 0)), ("<", (-1,)), (">=", (0, 1)), (">", (1,)), ("=", (0,)), ("!=", (-1, 1))],
)
def test_every_relation(relation: str, true_of: tuple[int, ...]) -> None:
    for sign in (-1, 0, 1):
        found = Witness({"x": sign}, sp.Symbol("x"), relation, 0)
        assert found.refutes is (sign not in true_of)
        assert Witness({"x": sign}, 0, "=", 1, given=[(sp.Symbol("x"), relation, 0)]).refutes is (sign in true_of)
    assert OPPOSITE[OPPOSITE[relation]] == relation


def test_roots_are_compared_exactly() -> None:
    nested = sp.sqrt(5 + 2 * sp.sqrt(6))
    assert not Witness({"x": 2}, sp.sqrt(sp.Symbol("x")) + sp.sqrt(3), "=", nested).refutes
    close = Fraction(1414213562373095048801688724209698078569671875376948073176679737990732478462, 10**75)
    assert Witness({"c": close}, sp.Symbol("c"), ">=", sp.sqrt(2)).refutes  # 75 digits of sqrt(2), cut off
    assert Witness({"c": 2}, sp.sqrt(sp.Symbol("c")), "<=", Fraction(7, 5)).text.endswith(
        "sqrt(c) = sqrt(2) = 1.41421... > 7/5"
    )


def test_functions_evaluate_sides_and_take_sequences() -> None:
    weights = (Fraction(3, 4), Fraction(1, 4))
    found = Witness({"p": weights, "n": 2}, Side("n max p", lambda p, n: n * max(p)), "<=", 1, setting="two clients")
    assert found.text == "two clients; p = (3/4, 1/4), n = 2: n max p = 3/2 > 1"
    assert found.refutes and certificates.witness(found) is None


def test_infinite_limits() -> None:
    assert Witness({"E": 1}, sp.oo, "<=", 5).refutes and not Witness({"E": 1}, sp.oo, "=", sp.oo).refutes
    assert by_witness(Witness({"E": 1}, sp.oo, "<=", 5)).margin == -1.0


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        (dict(at={}), "at is empty"),
        (dict(relation="~"), "relation='~' is none of"),
        (dict(given=[sp.true]), "is no hypothesis"),
        (dict(left=sp.Symbol("y")), "y of y has no value"),
        (dict(left=0.5), "0.5 is no exact number"),
        (dict(left=sp.Float("0.5")), "is no exact number"),
        (dict(left=lambda x: True), "True is no exact number"),
        (dict(at={"x": 0.1}, left=sp.Symbol("x")), "0.1 is no exact number"),
        (dict(at={"x": 0}, left=1 / sp.Symbol("x")), "has no value at x = 0"),
        (dict(left=sp.I), "no exact real number"),
    ],
)
def test_what_is_no_witness(changes: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words.replace("(", r"\(")):
        _ = Witness(**{**dict(at={"x": 1}, left=1, relation="<=", right=0), **changes}).refutes  # type: ignore[arg-type]


def test_plain_arithmetic_is_kept_and_verified_again() -> None:
    kept = by_witness(large(Fraction(1, 10))).certificate
    assert kept == {
        "type": "witness",
        "at": {"gamma": "100", "T": "10"},
        "given": [["T", ">=", "gamma/10"]],
        "claim": ["(T + gamma - 1)/T", "<=", "2"],
    }
    assert certificates.can_verify(kept) and certificates.verify_certificate(kept)[0]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (dict(given=[["T", ">=", "gamma"]]), "T < gamma"),
        (dict(claim=["(gamma + T - 1)/T", "<=", "11"]), "<= 11"),
        (dict(claim=["3*(T - 10)/(T - 10)", "<=", "2"]), "divides by zero"),
        (dict(given=[["T/(gamma - 100)*(gamma - 100)", ">=", "1"]]), "divides by zero"),
    ],
)
def test_a_forged_certificate_does_not_verify(change: dict[str, Any], words: str) -> None:
    good, reason = certificates.verify_certificate({**(certificates.witness(large(Fraction(1, 10))) or {}), **change})
    assert not good and words in reason


def test_the_first_witness_that_refutes_beside_a_proof() -> None:
    x = sp.Symbol("x")
    points = [Witness({"x": value}, x, "<=", 1) for value in (0, 1, 2, 3)]
    assert (tried(points).examined, tried(points).counterexample) == (3, "x = 2: x > 1")
    refuted = decide((False, "why"), tried(points), method="m")
    assert refuted.outcome is Outcome.REFUTED and certificates.verify_certificate(refuted.certificate or {})[0]
    with pytest.raises(ValueError, match="every step of the proof holds"):
        decide((True, ""), tried(points), method="m")
    with pytest.raises(ValueError, match="witnesses is empty"):
        tried([])


def test_what_grows_is_not_bounded() -> None:
    x, c = sp.symbols("x c", positive=True)
    found = unbounded("c sqrt(x)", c * sp.sqrt(x), x, {c: 2}, setting="here")
    assert found.text == "here; c = 2, x = 10^24; limit for x to infinity = oo: c sqrt(x) = 2000000000000 > 10^6"
    assert found.refutes
    # 10^6 is exceeded although the limit is finite: the hypothesis on the limit fails
    finite = unbounded("large", 10**7 * x / (x + c), x)
    assert not finite.refutes and finite.failing == "limit for x to infinity = 10000000 != oo".replace(
        "10000000", "10^7"
    )
