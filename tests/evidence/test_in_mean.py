"""Statements about vectors and averages: derived as they are written, broken by instances, printed, kept."""

from __future__ import annotations

from typing import Any

import pytest

from fltheory.evidence.algebra import by_in_mean, statement_in_mean
from fltheory.evidence.certificates import verify_certificate
from fltheory.evidence.in_mean import InMean, use
from fltheory.evidence.in_mean_instances import broken, instances
from fltheory.evidence.kinds import expectation_claim
from fltheory.evidence.model import Outcome, Rung, Verdict, verdict_of

STEP = InMean(
    "sq(w - eta*(g + n) - star) <= sq(w - eta*g - star) + eta**2*s for eta > 0; s >= 0",
    things="w; star; g; n over xi, mean 0 over xi",
    over="xi",
    uses=[use("bounded variance", times="eta**2", noise="n", sigma2="s")],
    names={"star": "w^*"},
)
TRUE = {
    "a noisy step": STEP,
    "Young": InMean("2*dot(x, y) <= c*sq(x) + sq(y)/c for c > 0", things="x; y", squares=[("c", "x - y/c")]),
    "Jensen": InMean("sq(mean(x, k)) <= sq(x)", things="x over k", over="k", squares=[("1", "x - mean(x, k)")]),
    "smooth at the optimum": InMean(
        "f_w - f_star <= L/2*sq(w - star) for L > 0",
        things="w; star; function F over k; F at w; F at star, mean 0 over k",
        over="k",
        uses=[use("smooth", "star w", of="F", L="L")],
    ),
    "a gradient step": InMean(
        "sq(v - star) <= (1 - eta*mu)*sq(w - star) for mu > 0; L >= mu; 0 <= eta <= 1/L",
        things="w; star; function F; F at w; F at star = 0; v = w - eta*g_w; u = w - g_w/L; F at u",
        uses=[
            use("strongly convex", "w star", "2*eta", of="F", mu="mu"),
            use("smooth", "w u", "2*eta", of="F", L="L"),
            use("minimal", "u", "2*eta", of="F", form="f_x0 - f_star"),
        ],
        squares=[("eta/L - eta**2", "g_w")],
        unfold="v u",
    ),
    "variance": InMean("sq(x - mean(x, xi)) = sq(x) - sq(mean(x, xi))", things="x over xi", over="xi"),
    "coefficients of any sign": InMean(
        "Y <= a*sq(x) + b for a, b real",
        things="x over past; value Y over xi past",
        over="xi past",
        uses=[use("given the past", form="a*sq(x) + b - Y", over="xi")],
    ),
    "displays": InMean(
        "sq(mean(g, k)) <= sq(g) <= b; sq(mean(g, k)) <= 2*b for b >= 0",
        things="g over k xi",
        over="k xi",
        uses={1: [use("bounded", form="b - sq(g)")]},
        squares={0: [("1", "g - mean(g, k)")]},
        so_far={2: {0: "1", 1: "1"}},
    ),
}
FALSE = {
    "half the noise": STEP.changed("+ eta**2*s", "+ eta**2*s/2"),
    "biased noise": STEP.without("mean of n"),
    "any noise": STEP.without("bounded variance"),
    "half of Young": TRUE["Young"].changed("c*sq(x)", "c*sq(x)/2"),
    "half of Jensen": TRUE["Jensen"].changed("<= sq(x)", "<= sq(x)/2"),
    "a third": TRUE["smooth at the optimum"].changed("L/2", "L/3"),
    "any function": TRUE["smooth at the optimum"].without("smooth"),
    "a longer step": TRUE["a gradient step"].changed("1/L", "3/L"),
    "the first display": TRUE["displays"].changed("sq(mean(g, k)) <= sq(g)", "sq(mean(g, k)) <= sq(g)/2"),
    "the second display": TRUE["displays"].changed("<= b;", "<= b/2;"),
    "the last display": TRUE["displays"].changed("2*b", "b/2"),
    "displays without a bound": TRUE["displays"].without("bounded"),
    "variance with the wrong sign": TRUE["variance"].changed("sq(x) - sq(", "sq(x) + sq("),
}


@pytest.mark.parametrize("name", TRUE)
def test_true_statements_are_derived_and_true_on_instances(name: str) -> None:
    stated = TRUE[name]
    assert stated.proof == (True, ""), stated.proof
    assert next(instances(stated), None) is not None and broken(stated, 200)[1] == ""
    assert stated.derived.certificate is not None and verify_certificate(dict(stated.derived.certificate))[0]
    assert by_in_mean(stated).outcome is Outcome.HOLDS


@pytest.mark.parametrize("name", FALSE)
def test_false_statements_are_not_derived_and_are_broken(name: str) -> None:
    stated = FALSE[name]
    assert not stated.proof[0]
    found = by_in_mean(stated)
    assert found.outcome is Outcome.REFUTED and "is false" in found.counterexample and (found.margin or 0) < 0


def test_displays_are_printed_and_kept_one_by_one() -> None:
    stated = TRUE["displays"]
    assert stated.latex().startswith(
        r"\mathbb{E}\,\left\|\sum_k p_k\,g\right\|^2 \le \mathbb{E}\,\sum_k p_k\,\left\|g\right\|^2 \le b,\quad "
    )
    kept = stated.derived.certificate
    assert kept is not None and kept["conclusions"] == ["relation 0", "relation 1", "relation 2"]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"so_far": {0: {1: "1"}}}, "can use those before it"),
        ({"so_far": {1: {1: "1"}}}, "can use those before it"),
        ({"squares": {2: [("1", "x")]}}, "relation 2 is none of the 2"),
        ({"uses": {5: []}}, "relation 5 is none of the 2"),
    ],
)
def test_a_proof_names_relations_that_are_there(given: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        InMean("sq(mean(x, k)) <= sq(x) <= 2*sq(x)", things="x over k", over="k", **given)


def test_a_statement_of_nothing_raises() -> None:
    stated = InMean("sq(x) <= 0", things="x", uses=[use("never", form="-1 - sq(x)")])
    assert stated.proof[0]
    with pytest.raises(ValueError, match="about nothing"):
        by_in_mean(stated)


@pytest.mark.parametrize(
    "fields",
    [
        dict(text="sq(x)", things="x"),
        dict(text="sq(x) <= 1 < 2", things="x"),
        dict(text="sq(x) < 1", things="x"),
        dict(text="sq(x) >= 0", things="x over"),
        dict(text="sq(x) >= 0", things="x + y"),
    ],
)
def test_what_is_no_statement_is_refused(fields: dict[str, Any]) -> None:
    with pytest.raises(ValueError):
        InMean(**fields)


@pytest.mark.parametrize(
    ("things", "reason"), [("x over nowhere", "no axes"), ("y", "x is not declared"), ("x = x", "not declared")]
)
def test_what_cannot_be_derived_says_why(things: str, reason: str) -> None:
    proved, why = InMean("sq(x) >= 0", things=things, squares=[("1", "x")]).proof
    assert not proved and reason in why


def test_what_is_shown() -> None:
    assert STEP.latex() == (
        r"\mathbb{E}\,\left\|w - \eta \left(g + n\right) - w^*\right\|^2 \le \left\|w - \eta g - w^*\right\|^2"
        r" + \eta^{2} s\quad\text{for } \eta > 0,\ s \ge 0"
    )
    summed = InMean("(1 + 1/a)*sq(x) + sq((1 - a)*x) >= 0 for a > 0", things="x").latex()
    assert summed.startswith(
        r"\left(1 + \frac{1}{a}\right)\, \left\|x\right\|^2 + \left\|\left(1 - a\right) x\right\|^2"
    )
    assert TRUE["Jensen"].latex() == r"\left\|\sum_k p_k\,x\right\|^2 \le \sum_k p_k\,\left\|x\right\|^2"


def test_a_claim_is_a_proof_and_its_controls_are_broken() -> None:
    made = statement_in_mean(
        "OWN-STEP",
        STEP,
        false={"half the noise": ("+ eta**2*s", "+ eta**2*s/2")},
        without={"biased noise": "mean of n"},
        group=expectation_claim,
        summary="A noisy step adds the variance of its noise.",
    )
    evidence = made.run()
    assert verdict_of(made.scope, evidence) is Verdict.HOLDS and evidence.rung is Rung.PROOF
    assert [made.run_control(one).outcome for one in made.controls] == [Outcome.REFUTED] * 2
    with pytest.raises(ValueError, match="no hypothesis"):
        STEP.without("smooth")
