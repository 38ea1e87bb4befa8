"""``fl.compare``: tables from kept results, rankings with certificates, and controls that must fail."""

from __future__ import annotations

import time
from dataclasses import replace
from fractions import Fraction

import pytest

import fltheory as fl
from fltheory.comparison.answer import MethodComparison
from fltheory.comparison.certified import GridQuestion, KeptAnswers, solve, verified
from fltheory.comparison.methods import KNOWN
from fltheory.comparison.rates import RATES
from fltheory.comparison.setting import GridPoint
from fltheory.evidence.places import results_folder

CLIENTS = fl.SmoothStronglyConvex(Fraction(1, 10), 1)
PLACE = {"local_steps": (2, 5), "rounds": 2}
SPREADS = ("0", "1/100", "1/4")


def test_the_table_is_made_from_results_soon_and_has_ten_theorems() -> None:
    begin = time.perf_counter()
    found = fl.compare(**PLACE, heterogeneity=(*SPREADS, "identical"), step_size="published")
    assert not found.computed and time.perf_counter() - begin < 30
    speaking = [row for row in found.rows if row.published is not None]
    assert len({row.rate for row in speaking}) == len(RATES) - 1 >= 10  # one asks for more rounds
    assert all(row.lower is not None and row.upper is not None for row in speaking)
    assert not found.broken and min(row.ratio for row in speaking) > 1 - 1e-5
    assert "zeta^2=1/4" in str(found) and "<table>" in found._repr_html_()
    assert found.to_frame().shape[0] == len(found.rows)


def test_rankings_are_turned_round_with_certificates() -> None:
    found = fl.compare(**PLACE, heterogeneity=SPREADS)
    assert not found.computed
    turned = {(r.first.method, r.second.method, r.first.clients, r.second.local_steps) for r in found.wrong}
    wanted = {("GD", "FedAvg"), ("GD", "SCAFFOLD"), ("FedAvg", "SCAFFOLD")}
    assert {(*pair, "zeta^2=1/100", 5) for pair in wanted} <= turned
    assert ("GD", "SCAFFOLD") in {(r.first.method, r.second.method) for r in found.right}
    shelf, bounds = KeptAnswers.at(results_folder() / "experiments" / "compare.npz"), {}
    for name in ("GD", "FedAvg", "SCAFFOLD"):
        method = KNOWN[name]
        question = GridQuestion(method, GridPoint(CLIENTS, Fraction(1, 100), method.steps(5), 2), "best", "distance")
        kept = shelf.answer(question)
        bounds[name] = verified(question, kept)
        assert (bounds[name].lower, bounds[name].upper) == (kept.lower, kept.upper)
        other = replace(question, setting=replace(question.setting, rounds=1))
        with pytest.raises(ValueError, match="of another question"):
            verified(other, kept)
    assert bounds["GD"].lower > bounds["FedAvg"].upper > bounds["FedAvg"].lower > bounds["SCAFFOLD"].upper


def test_kept_rows_are_what_is_computed() -> None:
    setting = GridPoint(CLIENTS, Fraction(1, 4), 2, 2)
    shelf = KeptAnswers.at(results_folder() / "experiments" / "compare.npz")
    for name, step in (("FedAvg", Fraction(1, 4)), ("SCAFFOLD", Fraction(1, 4)), ("FedLin", "best")):
        question = GridQuestion(KNOWN[name], setting, step, "distance")
        kept, fresh = shelf.answer(question), solve(question)
        for one, other in ((kept.lower, fresh.lower), (kept.upper, fresh.upper)):
            assert float(one) == pytest.approx(float(other), rel=1e-3)
        assert fresh.upper >= kept.lower and kept.upper >= fresh.lower
        assert verified(question, fresh).upper == fresh.upper


def test_a_theorem_that_is_too_strong_is_noticed() -> None:
    """The control: bounds times nine tenths of the worst case over the bound are broken, all of them."""
    found = fl.compare(heterogeneity="1/100", step_size="published")
    rows = [row for row in found.rows if row.published is not None]
    weaker = [replace(row, published=row.lower * Fraction(9, 10)) for row in rows]
    assert len(MethodComparison(tuple(weaker)).broken) == len(rows) > 10
    third = [replace(row, published=row.published / 3) for row in rows if row.ratio < 2.9]
    assert len(MethodComparison(tuple(third)).broken) == len(third) >= 5


def test_own_methods_and_refusals() -> None:
    def proximal(local_steps: int, step_size: object) -> fl.FedProx:
        return fl.FedProx(local_steps, step_size, prox=Fraction(3, 10))

    found = fl.compare((fl.FedAvg, proximal), local_steps=2, rounds=1, step_size="1/4", heterogeneity="1/4")
    assert [row.method for row in found.rows][-1] == "proximal" and found.rows[-1].rate == ""
    assert len(found.computed) == 1 and found.rows[-1].upper < 1
    for wrong, words in (
        ({"algorithms": "FedSGD"}, "expected one of GD, FedAvg"),
        ({"heterogeneity": -1}, "must not be negative"),
        ({"step_size": 0}, "must be positive"),
        ({"local_steps": 0}, "local_steps=0 is no positive whole number"),
        ({"measure": "regret"}, "expected one of distance, gap"),
        ({"function_class": fl.SmoothConvex(1)}, "compared for mu > 0"),
        ({"rounds": ()}, "an empty list"),
    ):
        with pytest.raises(ValueError, match=words):
            fl.compare(**wrong)
