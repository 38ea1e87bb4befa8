"""What a row keeps of a proof in steps, and the rung that it earns: proof, steps or asserted."""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
import sympy as sp

from fltheory.evidence import certificates, kept_steps
from fltheory.evidence.algebra import by_relations
from fltheory.evidence.check import certificate_problems
from fltheory.evidence.decide import Tried, decide
from fltheory.evidence.ends import by_proof, by_witness
from fltheory.evidence.kept_steps import as_data, keep, standing
from fltheory.evidence.kinds import inequality_claim
from fltheory.evidence.merging import refusal
from fltheory.evidence.model import Control, Evidence, Outcome, Rung
from fltheory.evidence.relations import Relations
from fltheory.evidence.rows import Row, row_of
from fltheory.evidence.witness import Witness
from fltheory.theory.proofs import is_zero, nonnegative_on, positive_on
from fltheory.theory.record import Confirmed, recording
from fltheory.theory.signs import Open
from fltheory.theory.steps import Step, hypothesis, identity, inequality, sign

x, y = sp.symbols("x y")
UP = ((x, 0, None),)


def broken() -> Evidence:
    """x <= 0 is false at x = 1."""
    return by_witness(Witness({x: 1}, x, "<=", 0))


def row(check: Callable[..., Evidence]) -> Row:
    """The row of a check that takes ``good``; its control is ``good=False``."""
    made = inequality_claim(
        "OWN-1",
        statement="s",
        printed=dict(good=True),
        controls=[Control("not so", dict(good=False))],
    )(check)
    return row_of(made, document="own")


def in_steps(good: bool, *more: Step) -> Evidence:
    first = sign("x stays", x if good else -x, UP)
    tried = Tried(1, "" if good else "x = 1: left 1 > right 0", 1.0 if good else -1.0)
    return decide([first, identity("square", (x + y) ** 2, x**2 + 2 * x * y + y**2), *more], tried, method="m")


def test_a_proof_in_steps_keeps_them_all_and_says_so() -> None:
    found = row(lambda good: in_steps(good, hypothesis("f convex", True)))
    assert (found["rung"], found["verdict"], found["problems"]) == ("steps", "holds", []), found
    steps = found["certificate"]["steps"]
    assert [step["name"] for step in steps] == ["x stays", "square", "f convex"]
    assert steps[2] == {"name": "f convex", "hypothesis": True}
    assert certificate_problems({"OWN-1": found}) == (2, [])


def test_every_step_counts() -> None:
    found = row(lambda good: in_steps(good, Step("by eye", True)))
    assert (found["rung"], found["verdict"], found["claimed_rung"]) == ("asserted", "holds", "proof")
    assert "step 'by eye' (1 of 3) was confirmed by no trusted function" in found["remark"] and found["problems"] == []


def test_a_control_leaves_nothing_in_the_row_of_its_claim() -> None:
    def check(good: bool) -> Evidence:
        if not good:
            nonnegative_on(x + 17, UP)
            return broken()
        return by_proof("m") if nonnegative_on(x + 4, UP) else broken()

    kept = row(check)["certificate"]["steps"]
    assert [step["certificate"]["expression"] for step in kept] == ["x + 4"]


def test_a_certificate_of_the_whole_is_a_proof_and_no_confirmation_at_all_is_asserted() -> None:
    def certified(good: bool) -> Evidence:
        return by_proof("m", certificate=certificates.identity(x - x)) if good else broken()

    assert row(certified)["rung"] == "proof"
    bare = row(lambda good: by_proof("m") if good else broken())
    assert (bare["rung"], bare["certificate"]) == ("asserted", None) and "nothing was confirmed" in bare["remark"]
    empty = row(lambda good: by_proof("m") if is_zero(x - x) and good else broken())
    assert empty["rung"] == "asserted" and "simplified to 0" in empty["remark"]


def test_zero_is_zero_is_a_step_beside_others_only() -> None:
    begin = identity("begin", x - x, 0)
    assert "nothing was confirmed" in keep([begin], []).missing
    assert [step["name"] for step in keep([begin, sign("b", x, UP)], []).steps] == ["begin", "b"]


def test_a_refutation_needs_a_witness() -> None:
    found = row(lambda good: decide((False, "gap"), Tried(1, "x = 1" if good else ""), method="m"))
    assert (found["rung"], found["verdict"]) == ("asserted", "wrong as printed") and "no witness" in found["remark"]


CONFIRMED = [
    Confirmed("identity", ((x + y) * (x - y) - x**2 + y**2,)),
    Confirmed("equality", (2 ** (y + 1) * x, 2 * 2**y * x)),
    Confirmed("equality", (sp.Function("F")(x) * (x + 1), x * sp.Function("F")(x) + sp.Function("F")(x))),
    Confirmed("equality", (sp.sqrt(x) * (sp.sqrt(x) + 1), x + sp.sqrt(x))),
    Confirmed("equality", (sp.Symbol("lambda") * (sp.Symbol("w_{t+1}") + 1), sp.Symbol("lambda") * (1 + sp.Symbol("w_{t+1}")))),
    Confirmed("nonnegative", (sp.Symbol("lambda") + sp.Symbol("a b"), ((sp.Symbol("lambda"), 0, None), (sp.Symbol("a b"), 0, 1)))),
    Confirmed("positive", (1 / sp.Symbol("m", positive=True), ((sp.Symbol("m", positive=True), 0, None),))),
    Confirmed("at least", (sp.Rational(7, 3), sp.Integer(2))),
    Confirmed("regular", (1 / x, ((x, Open(0), None),))),
    Confirmed("psd", (sp.Matrix([[2, 1], [1, 2]]),)),
]  # fmt: skip


@pytest.mark.parametrize("confirmed", CONFIRMED, ids=lambda one: one.kind)
def test_what_is_written_down_verifies_and_is_of_a_known_kind(confirmed: Confirmed) -> None:
    data = as_data(confirmed)
    assert certificates.can_verify(data) and certificates.verify_certificate(data)[0], data


def test_symbols_of_one_name_stay_apart_and_positive_ones_stay_positive() -> None:
    m, free = sp.Symbol("m", positive=True), sp.Symbol("m")
    data = as_data(Confirmed("equality", (m - free, m - free)))
    assert data["expressions"] == ["-m + m_2 - (-m + m_2)"] or data["expressions"] == ["m - m_2 - (m - m_2)"]
    wrong = as_data(Confirmed("equality", (m, free)))
    assert not certificates.verify_certificate(wrong)[0]
    with recording() as record:
        assert positive_on(m, ((m, 0, None),)) and nonnegative_on(m, ((m, 0, None),))
    assert [as_data(one)["ranges"] for one in record] == [[["m", "> 0", None]]] * 2


def test_a_symbol_for_a_power_hides_no_falsehood() -> None:
    wrong = as_data(Confirmed("equality", (2 ** (y + 1), 3 * 2**y)))
    assert wrong["where"] and not certificates.verify_certificate(wrong)[0]
    rowless = keep([Step("p", True, confirmed=(Confirmed("equality", (2 ** (y + 1), 3 * 2**y)),))], [])
    assert "does not verify" in rowless.missing and not rowless.steps


def test_equal_steps_are_kept_once_and_too_many_or_too_long_ones_are_named(monkeypatch: Any) -> None:
    step = inequality("c", 2 * x * y, x**2 + y**2, squares=[(1, x - y)])
    assert len(keep([step, step], []).steps) == 1
    monkeypatch.setattr(kept_steps, "STEPS_OF_A_ROW", 1)
    assert "more than 1 steps" in keep([step, sign("b", x, UP)], []).missing
    monkeypatch.setattr(kept_steps, "STEP_CHARACTERS", 10)
    assert "more than 10" in keep([step], []).missing


def test_a_step_that_was_tampered_with_is_found() -> None:
    found = row(in_steps)
    spoilt = copy.deepcopy(found)
    spoilt["certificate"]["steps"][0]["certificate"]["expression"] = "-x"
    assert "does not verify" in certificate_problems({"OWN-1": spoilt})[1][0]
    unknown = copy.deepcopy(found)
    unknown["certificate"]["steps"][0]["certificate"]["more"] = 1
    assert "of no kind" in certificate_problems({"OWN-1": unknown})[1][0]
    for rung in ("proof", "steps"):
        bare = {**found, "certificate": {"steps": ["x stays"]}, "rung": rung}
        assert "nothing is kept" in certificate_problems({"OWN-1": bare})[1][0]


def test_a_row_that_kept_names_only_may_become_steps_or_asserted_but_not_the_other_way_round() -> None:
    steps = {**row(in_steps), "key": "new"}
    old = {**steps, "rung": "proof", "certificate": {"steps": ["x stays"]}, "key": "old"}
    proof = {**steps, "rung": "proof", "certificate": certificates.identity(x - x)}
    asserted = {**steps, "rung": "asserted", "certificate": None, "remark": "why"}
    assert not refusal(old, steps) and not refusal(old, asserted) and not refusal(asserted, steps)
    assert "weaker" in refusal(steps, asserted) and "weaker" in refusal(proof, steps)
    assert not refusal(steps, asserted, lower=["OWN-1"])


def test_a_certificate_that_words_join_to_the_statement_is_steps() -> None:
    kept = {"type": "identity", "expressions": ["x - x"]}
    words = "that x stands for the matrix is said, not shown"
    evidence = Evidence(Rung.PROOF, Outcome.HOLDS, "expanded", 1, certificate=kept, prose=words)
    assert standing(kept, evidence, ()) == {"rung": "steps", "remark": words}
    assert standing(kept, replace(evidence, prose=""), ()) == {}


def test_words_join_a_statement_of_algebra_and_its_counterexample() -> None:
    words = "that x is the step size is said"
    held, broken = (by_relations(Relations(text), prose=words) for text in ("x + 1 >= 0 for x >= 0", "x >= 0"))
    assert [standing(one.certificate, one, ()) for one in (held, broken)] == [{"rung": "steps", "remark": words}] * 2
