"""``fl.check_bound``: what is certified holds, what an instance breaks is refuted, and nothing else is called either."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
import sympy as sp

import fltheory as fl
from fltheory.evidence.certificates import can_verify, certificates_in, verify_certificate
from fltheory.theory import ranges
from fltheory.theory.bound import Bound, Condition

CLIENTS = fl.SmoothStronglyConvex("1/10", 1)
TWO = fl.FedAvg(2, "1/4")
CONTRACTION = "(1 - step_size*mu)**2*distance"


def check(statement: object, **more: Any) -> Any:
    return fl.check_bound(statement, more.pop("clients", CLIENTS), **{"algorithm": TWO, **more})


def test_both_sides_of_the_certified_worst_case() -> None:
    worst = fl.worst_case(TWO, CLIENTS)
    assert worst.upper is not None and worst.lower is not None
    assert check(worst.upper).verdict == "holds"
    assert check(worst.lower).verdict == "undecided"
    below = check(worst.lower - Fraction(1, 10**30))
    assert below.verdict == "refuted" and below.deciding.margin < 0
    (end,) = below.instance().run(TWO, rounds=1)
    assert end @ end > float(worst.lower) - 1e-6
    evidence = below.to_evidence()
    assert evidence.outcome.value == "refuted" and "distance = 1, heterogeneity = 1" in evidence.counterexample


def test_certificates_of_what_holds_verify_and_compare() -> None:
    evidence = check(
        "(1 - eta*mu)**3*distance + c*eta**2*heterogeneity", names={"eta": "step_size", "c": "0.9"}
    ).to_evidence()
    kept = list(certificates_in(dict(evidence.certificate)))
    assert [one.get("format") or one["type"] for one in kept] == ["fltheory worst case 2", "nonnegative", "nonnegative"]
    assert all(can_verify(one) and verify_certificate(one)[0] for one in kept)
    assert evidence.rung.value == "worst case" and "every number of clients" in evidence.valid_for


@pytest.mark.parametrize(
    ("steps", "heterogeneity", "verdict"),
    [(1, "none", "holds"), (1, "gradients", "holds"), (2, "gradients", "refuted")],
)
def test_a_statement_for_all_quantities(steps: int, heterogeneity: str, verdict: str) -> None:
    """A bound that is attained needs the exact value; one without a term for zeta^2 falls where zeta^2 is large."""
    found = check(CONTRACTION, algorithm=fl.FedAvg(steps, "1/2"), heterogeneity=heterogeneity)
    assert found.verdict == verdict and found.deciding.general
    if verdict == "refuted":
        assert found.answer.quantities["heterogeneity"] > found.answer.quantities["distance"]


def test_a_grid_says_where() -> None:
    found = check(
        CONTRACTION,
        algorithm=fl.FedAvg(1, 1),
        heterogeneity="none",
        over={"step_size": ["1/2", "19/10"], "mu": ["1/10"]},
    )
    assert found.at("holds") == [{"step_size": "1/2", "mu": "1/10"}] and found.verdict == "refuted"
    assert found.lower == Fraction(81, 100) and "step_size = 19/10" in found.to_evidence().counterexample
    good = check(CONTRACTION, algorithm=fl.FedAvg(1, 1), heterogeneity="none", over={"step_size": ["1/2", 1]})
    assert good.verdict == "holds" and good.to_evidence().rung.value == "exact"  # nothing is said between the points


def test_a_bound_with_conditions() -> None:
    eta, mu, L, D = sp.symbols("eta mu L D")
    bound = Bound(
        "descent",
        "notes",
        r"\|w_1 - w^*\|^2",
        (1 - eta * mu) ** 2 * D,
        (Condition("eta <= 2/(L + mu)", sp.Le(eta * (L + mu), 2)), Condition("F is smooth")),
        ranges={"eta": ranges.POSITIVE, "D": ranges.NONNEGATIVE},
    )
    asked = dict(names={"eta": "step_size", "D": "distance"}, heterogeneity="none", algorithm=fl.FedAvg(1, "1/2"))
    found = check(bound, over={"step_size": ["1/2", "19/10"]}, **asked)
    assert found.verdict == "holds" and found.assumes == ("F is smooth",) and len(found.outside) == 1
    with pytest.raises(ValueError, match=r"says nothing here: eta <= 2/\(L \+ mu\) is false"):
        check(bound, over={"step_size": ["19/10"]}, **asked)


@pytest.mark.parametrize(
    "more",
    [
        dict(heterogeneity="bounded gradients"),
        dict(heterogeneity=fl.Dissimilarity(2)),
        dict(clients=fl.Smooth(1), algorithm=fl.FedAvg(1, "1/4"), measure="gradient", start="gap"),
        dict(algorithm=fl.FedAvg(1, "1/4"), noise=True, n_clients=3),
    ],
)
def test_an_instance_of_the_model_alone_refutes_nothing(more: dict[str, Any]) -> None:
    found = check("1/10000", **more)
    assert found.lower > Fraction(1, 10) and found.verdict == "undecided"
    assert found.to_evidence().outcome.value == "not refuted"


def test_a_quantity_that_lowers_the_bound_refutes_nothing() -> None:
    assert (
        check("0.8*distance - heterogeneity").verdict == "undecided"
    )  # an instance may have less of it than the limit


def test_growth_refutes_every_number() -> None:
    found = check("1000000", heterogeneity=None)
    assert found.verdict == "refuted" and found.answer.status == "unbounded" and found.to_evidence().counterexample


@pytest.mark.parametrize(
    ("statement", "more", "words"),
    [
        ("sqrt(distance*heterogeneity)", {}, "not linear in distance, heterogeneity"),
        ("stepsize*distance", {}, "did you mean step_size?"),
        ("distance", {"names": {"eta": "mu"}}, "the statement has no 'eta'"),
        (sp.Float(0.9) * sp.Symbol("distance"), {}, "no exact number"),
        (lambda distance: 0.9, {}, "returned the float 0.9"),
        (lambda distance: distance if distance > 1 else 1, {}, "symbols for quantities that have no values"),
        (sp.oo, {"heterogeneity": None}, "gives oo at distance = 1"),
        ("1/(mu - 1/10)", {}, "no finite real number"),
        ("import os", {}, "import os"),
        (None, {}, "statement=None is no bound"),
        ("distance", {"over": {"mu": "1/10"}}, "expected a list of values"),
        ("1", {"quantities": {"distanse": 1}}, "no assumption bounds 'distanse'"),
        ("1", {"exact": True}, "check_bound asks for certificates"),
    ],
)
def test_refusals_name_what_is_wrong(statement: object, more: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError) as error:
        check(statement, **more)
    assert words in str(error.value)


def test_it_shows_itself() -> None:
    found = check("9/10")
    assert (
        repr(found).startswith("CheckedBound(refuted at distance = 1") and "<b>refuted: 9/10</b>" in found._repr_html_()
    )


BOX = {"step_size": ("1/8", "1/4"), "mu": ("1/20", "1/5")}


@pytest.mark.parametrize(
    ("steps", "c", "verdict"), [(2, "1/2", "holds"), (2, "1/50", "refuted"), (1, "0", "undecided")]
)
def test_a_box_of_parameters(steps: int, c: str, verdict: str) -> None:
    """Certified as a whole, refuted at a point, or (one local step: the bound is attained everywhere) undecided."""
    statement = "(1 - step_size*mu)**2*distance + c*step_size**2*heterogeneity"
    found = check(statement, algorithm=fl.FedAvg(steps, "1/4"), names={"c": c}, between=BOX)
    evidence = found.to_evidence()
    assert found.verdict == verdict and f"{verdict} for all step_size in [1/8, 1/4], mu in [1/20, 1/5]" in str(found)
    if verdict == "holds":
        kept = list(certificates_in(dict(evidence.certificate)))
        assert [verify_certificate(one)[0] for one in kept] == [True, True] and evidence.rung.value == "worst case"
    else:
        assert evidence.outcome.value == {"refuted": "refuted", "undecided": "not refuted"}[verdict]


@pytest.mark.parametrize(
    ("more", "words"),
    [
        (dict(between={"step_size": ("1/8", "1/4")}), "expected intervals of step_size and of mu"),
        (dict(between=BOX, rounds=2), "rounds=2 with between"),
        (dict(between=BOX, noise=True), "noise=True with between"),
        (dict(between=BOX, clients=fl.SmoothStronglyConvex(1, 2)), "L = 1"),
        (dict(between=BOX, algorithm=fl.FedAvg(1, "1/4", fl.SchemeI(2))), "all clients take part"),
        (dict(between={**BOX, "mu": ("1/5", "1/5")}), "0 <= low < high < 1"),
        (dict(between={**BOX, "mu": "1/5"}), "expected two ends"),
    ],
)
def test_what_no_certificate_of_a_box_says(more: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError) as error:
        check("distance", **more)
    assert words in str(error.value)
