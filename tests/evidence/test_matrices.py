"""Statements about matrices: evaluated where they are named, expanded where they may be any, broken at matrices, kept."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest

from fltheory.evidence.algebra import broken_by, by_matrices, disproved, statement_of_algebra
from fltheory.evidence.certificates import can_verify, verify_certificate
from fltheory.evidence.kinds import algebra_claim
from fltheory.evidence.matrices import Matrices
from fltheory.evidence.model import Outcome, Rung, Verdict, verdict_of
from fltheory.mutation.algebra import algebra_fates, changed_texts
from fltheory.mutation.targets import Target

A = "A = [[2, -1], [-1, 2]]"
SOLVED = f"{A}; w = A**-1*[1, 0]"
TRUE = [
    f"w[1] = 2/3; w[2] != 2/3; sq(w) = 5/9; T(w)*A*w = 2/3; A*w = [1, 0] for {SOLVED}",
    f"0 < A <= 3; A**3*A**-2 = A; A[1,2] = -1; T(A) = A for {A}",
    "A >= 0 for A = [[1, 1], [1, 1]]",
    "A**0 = I; 2*A - I = I for A = [[1, 0], [0, 1]]",
    "w[1] <= 2/3 for x >= 0; A = [[2 + x, -1], [-1, 2]]; w = A**-1*[1, 0]",
    "(A + B)*(A - B) = A**2 - A*B + B*A - B**2 for A in R(n,n); B in R(n,n)",
    "T(A*x) = T(x)*T(A); T(x)*A*y = T(y)*T(A)*x for A in R(n,n); x in R(n); y in R(n)",
    "T(x)*S*y = T(y)*S*x; (a*I)*x = x*a for S in S(n); x in R(n); y in R(n); a in R(1)",
]
FALSE = [
    f"w[1] = 1/3 for {SOLVED}",
    f"A <= 2 for {A}",
    "A > 0 for A = [[1, 1], [1, 1]]",
    "A >= 0 for A = [[0, 1], [1, 0]]",
    "w[1] <= 2/3 for x >= -1; A = [[2 + x, -1], [-1, 2]]; w = A**-1*[1, 0]",
    "A*B = B*A for A in R(n,n); B in R(n,n)",
    "(a*I)*x = x for x in R(n); a in R(1)",
    "T(A)*x = A*x for A in R(n,n); x in R(n)",
]
UNREADABLE = [
    f"A + w = A for {SOLVED}",
    f"A*w*A = A for {SOLVED}",
    f"A[3,1] = 0 for {A}",
    "A**-1 = A for A = [[1, 1], [1, 1]]",
    "1/(x - x) = 1 for x >= 0",
    "x/x = 1 for x >= 0",
    "A = A for A = [[1, 2], [3]]",
    "A > 0 for A = [[1, 2], [3, 4]]",
    "A**k = A for A = [[1, 2], [3, 4]]",
    "A = A for A = [[1.5]]",
    "A*B = A*B for A in R(n,n); B in R(m,m)",
    "A + T(x)*x = A for A in R(n,n); x in R(n)",
    "A*y = y for A in R(n,n)",
    "print(1) = 1",
    "A.real = 0 for A = [[1, 2], [3, 4]]",
]


@pytest.mark.parametrize("text", TRUE)
def test_true_statements_are_proved_kept_and_verified_again(text: str) -> None:
    stated = Matrices(text)
    assert stated.proof == (True, "proved as it is written")
    assert can_verify(stated.certificate) and verify_certificate(stated.certificate)[0]
    assert by_matrices(stated).outcome is Outcome.HOLDS
    assert Matrices.read(stated.certificate).text == text and stated.latex()


@pytest.mark.parametrize("text", FALSE)
def test_false_statements_are_not_proved(text: str) -> None:
    assert not Matrices(text).proof[0] and not verify_certificate(Matrices(text).certificate)[0]


@pytest.mark.parametrize("text", UNREADABLE)
def test_what_has_no_meaning_is_refused_in_a_line(text: str) -> None:
    proved, reason = Matrices(text).proof
    assert not proved and "\n" not in reason and len(reason) <= 300


def test_what_is_false_at_named_matrices_is_kept_as_its_opposite() -> None:
    found = by_matrices(Matrices(f"w[1] = 1/3 for {SOLVED}"), setting="two coordinates")
    assert found.outcome is Outcome.REFUTED and found.counterexample.startswith("two coordinates: A = ")
    assert found.certificate and verify_certificate(found.certificate) == (True, "proved as it is written")
    assert "w[1] != 1 / 3" in str(found.certificate["text"])
    order = Matrices(f"sq(w) >= 1 for {SOLVED}").broken()
    assert order is not None and order.text.startswith("sq(w) < 1") and order.told[1] == pytest.approx(-4 / 9)


COMMUTING = Matrices("A*B = B*A for A in R(n,n); B in R(n,n)", at=[{"A": "[[1, 1], [0, 1]]", "B": "[[1, 0], [1, 1]]"}])


def test_any_matrices_are_broken_at_those_that_are_given_and_have_the_shapes() -> None:
    broken = COMMUTING.broken()
    assert broken is not None and broken.proof[0] and "A * B != B * A for A = [[1, 1]" in broken.text
    assert broken_by(COMMUTING).certificate == broken.certificate
    wrong = Matrices(COMMUTING.text, at=[{"A": "[[1, 1], [0, 1]]", "B": "[1, 1]"}])
    skew = Matrices("T(A)*x = 0*x for A in S(n); x in R(n)", at=[{"A": "[[0, 1], [-1, 0]]", "x": "[1, 1]"}])
    assert wrong.broken() is None and skew.broken() is None


MINIMUM = Matrices(
    "T(v)*A*v - 2*T(b)*v >= T(w)*A*w - 2*T(b)*w + c*sq(v - w) "
    "for A in S(n); b in R(n); v in R(n); w in R(n); c > 0; A >= c*I; A*w = b",
    uses={0: [("A >= c*I", "1", "v - w"), ("A*w = b", "2*T(v - w)", "1")]},
    at=[{"A": "[[2, -1], [-1, 2]]", "c": "1", "b": "[1, 0]", "w": "A**-1*b", "v": "[1, 1]"}],
)


def test_hypotheses_and_squares_are_taken_with_factors_that_are_allowed() -> None:
    assert MINIMUM.proof[0]
    nobody = Matrices(MINIMUM.text, uses=MINIMUM.uses)
    assert "no matrices are known" in nobody.proof[1]
    negative = Matrices(
        "0 >= c for A in S(n); x in R(n); c >= 0; A >= c*I", uses={0: [("A >= c*I", "-1", "x")]}, at=MINIMUM.at
    )
    assert not negative.proof[0]
    equation = Matrices(
        "T(x)*A*x = 0 for A in S(n); x in R(n); A >= 0",
        uses={0: [("A >= 0", "1", "x")]},
        at=[{"A": "[[1, 0], [0, 0]]", "x": "[0, 1]"}],
    )
    assert not equation.proof[0] and "proves no equation" in equation.proof[1]
    square = Matrices("sq(x) <= 0 for x in R(n)", squares={0: [("-1", "x")]})
    assert not square.proof[0] and "nonnegative" in square.proof[1]
    assert Matrices("sq(x + y) <= 2*sq(x) + 2*sq(y) for x in R(n); y in R(n)", squares={0: [("1", "x - y")]}).proof[0]
    assert not Matrices("sq(x) = 0 for x in R(n)", squares={0: [("1", "x")]}).proof[0]


def test_a_constant_is_ruled_out_for_all_its_values() -> None:
    words = "no multiple of x^2 is below"
    found = disproved(Matrices("w[1] - 2/3 > -C*x**2 for x > 0; C > 0; w = [2/3, 1]"), words)
    assert found.counterexample == words and found.certificate
    assert not disproved(Matrices("w[1] > C for C > 0; w = [2/3, 1]"), words).counterexample


def test_a_claim_states_what_it_proves_and_its_controls_are_refuted() -> None:
    claim = statement_of_algebra(
        "OWN-MIN",
        MINIMUM,
        false={"another point": ("A*w = b", "A*w = 0*b")},
        group=algebra_claim,
        summary="-",
        source="-",
    )
    assert verdict_of(claim.scope, claim.run()) is Verdict.HOLDS and claim.run().rung is Rung.PROOF
    at = [*MINIMUM.at, {**MINIMUM.at[0], "w": "[0, 0]", "v": "A**-1*b"}]
    stated = Matrices(MINIMUM.text, uses=MINIMUM.uses, at=at).changed("A*w = b", "A*w = 0*b")
    assert by_matrices(stated).outcome is Outcome.REFUTED


def test_mutants_of_numbers_are_noticed() -> None:
    target = Target("own", "OWN", MINIMUM, {"OWN": ""}, tuple(changed_texts(MINIMUM)), 1.0)
    words = {fate.mutant.words: fate.word for fate in algebra_fates(target, target.mutants)}
    assert len(words) > 10 and "without A*w = b" in words
    assert {word for name, word in words.items() if "c > 0" not in name} == {"noticed"}


def _hostile() -> list[tuple[str, dict[str, Any]]]:
    table = "[" + ",".join("[" + ",".join(str((i * i + 3 * j) % 97) for i in range(40)) + "]" for j in range(40)) + "]"
    any_of = "; ".join(f"A{i} in R(n,n)" for i in range(20))
    return [
        ("A**10000 = A**-10000 for A = [[2, -1], [-1, 2]]", {}),
        ("A**9999*A**9999*A**9999 = I for A = [[" + "9" * 900 + "]]", {}),
        (f"A**-1*A**-2*A**-3 = I for A = {table}", {}),
        (f"A**9999 = I for A = {table}", {}),
        ("(A0*x)**9999 = 1 for A0 in R(n,n); x in R(1)", {}),
        (f"({' + '.join(f'A{i}' for i in range(20))})**5 = A0 for {any_of}", {}),
        ("A**-1 = A for a >= 0; b >= 0; c >= 0; A = [[a,b,c,1],[b*c,1,a**2,2],[1,c,a*b*c,b],[a,b**3,2,c]]", {}),
        ("B = A for a >= 0; A = [[a**40 + 1, 1], [a, 3]]; B = A**-30*A**31", {}),
        ("A = A for A = " + "(" * 150 + "1" + ")" * 150, {}),
    ]


@pytest.mark.parametrize(("text", "more"), _hostile())
def test_hostile_certificates_end_soon(text: str, more: dict[str, Any]) -> None:
    begin = time.process_time()
    try:
        verify_certificate({"type": "matrices", "text": text, "squares": {}, "uses": {}, "at": [], **more})
    except ValueError as error:
        assert "\n" not in str(error)
    assert time.process_time() - begin < 20


@pytest.mark.parametrize("broken", [{"at": [3]}, {"uses": {"0": [["a", "b"]]}}, {"squares": []}, {"uses": {"7": []}}])
def test_malformed_certificates_are_refused(broken: dict[str, Any]) -> None:
    with pytest.raises(ValueError):
        verify_certificate({**COMMUTING.certificate, **broken})


def test_names_of_matrices_are_read_strictly() -> None:
    for text in (
        "A = A for A in Q(n)",
        "A = A for A in R(n,n,n)",
        "A = A for T in R(n,n)",
        "A = A for A in R(n); A in R(m)",
    ):
        with pytest.raises(ValueError):
            assert Matrices(text).proof[0]
    with pytest.raises(ValueError, match="occurs 0 times"):
        COMMUTING.changed("x", "y")
    with pytest.raises(ValueError, match="is no hypothesis"):
        Matrices("1 = 1", uses={0: [("a = b", "1", "1")]})


def test_a_certificate_whose_names_a_file_has_sorted_is_read_all_the_same() -> None:
    stated = Matrices(
        "T(v)*A*v - 2*T(b)*v >= T(w)*A*w - 2*T(b)*w for A in S(n); b in R(n); v in R(n); w in R(n); A >= 0; A*w = b",
        uses={0: [("A >= 0", "1", "v - w"), ("A*w = b", "2*T(v - w)", "I")]},
        at=[{"u": "[3, 0]", "Z": "[[2, -1], [-1, 2]]", "b": "u", "A": "Z", "w": "A**-1*b", "v": "[2, 1]"}],
    )
    sorted_names = json.loads(json.dumps(stated.certificate, sort_keys=True))
    assert stated.proof[0] and verify_certificate(sorted_names)[0]
