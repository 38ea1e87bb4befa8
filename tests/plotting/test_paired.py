"""Paired comparisons: what supports, contradicts and decides nothing."""

from __future__ import annotations

import numpy as np

from fltheory.evidence.model import Outcome
from fltheory.plotting.files import Result
from fltheory.plotting.paired import compare, judge, level, logs, pool, roughness, unavailable

RESULT = Result({"form": "reduced"})


def test_clear_differences_are_decided_and_equal_curves_are_not() -> None:
    rng = np.random.default_rng(0)
    noise = rng.normal(0, 0.1, 20)
    assert compare("lower", noise - 1, tests=1).word == "supported"
    assert compare("higher", noise + 1, tests=1).word == "contradicted"
    assert compare("alike", noise, tests=1).word == "undecided"
    assert compare("equal", np.zeros(20), tests=1).word != "supported"


def test_contradicted_beats_undecided_beats_supported() -> None:
    rng = np.random.default_rng(1)
    good = compare("good", rng.normal(-1, 0.1, 20), tests=3)
    open_ = compare("open", rng.normal(0, 0.1, 20), tests=3)
    bad = compare("bad", rng.normal(1, 0.1, 20), tests=3)
    assert judge([good], method="m.", result=RESULT).outcome is Outcome.HOLDS
    evidence = judge([good, open_], method="m.", result=RESULT)
    assert evidence.outcome is Outcome.NOT_REFUTED and evidence.would_settle == "more replicates"
    evidence = judge([good, open_, bad], method="m.", result=RESULT)
    assert evidence.outcome is Outcome.NOT_REPRODUCED and evidence.margin is not None and evidence.margin < 0


def test_a_cap_takes_holds_away_and_nothing_else() -> None:
    rng = np.random.default_rng(4)
    good, bad = (compare("a", rng.normal(mean, 0.1, 20), tests=1) for mean in (-1, 1))
    capped = judge([good], method="m.", result=RESULT, at_most_not_refuted="longer runs")
    assert capped.outcome is Outcome.NOT_REFUTED and capped.would_settle == "longer runs" and capped.margin is None
    still = judge([bad], method="m.", result=RESULT, at_most_not_refuted="longer runs")
    assert still.outcome is Outcome.NOT_REPRODUCED


def test_sets_with_common_seeds_are_averaged() -> None:
    one, two, three = np.arange(4.0), np.arange(4.0) + 2, np.ones(3)
    pooled = pool({"synthetic(0,0)": one, "synthetic(1,1)": two, "digits balanced": three})
    np.testing.assert_allclose(pooled, [1, 2, 3, 4, 1, 1, 1])


def test_settings_and_seeds_of_the_sets() -> None:
    entry = dict(clients=50, K=[5, 10], batch=16, rounds=40)
    result = Result({"form": "reduced", "common": {"E": 5}, "sets": {"digits balanced": entry}},
                    {"digits balanced/K=5": np.ones((2, 3))})  # fmt: skip
    test = compare("a", np.array([-1.0, -1.1]), tests=1)
    evidence = judge([test], method="m.", result=result, sets=("digits balanced",))
    assert evidence.seeds == (0, 1, 2000, 2001, 3000, 3001)
    assert "K=5/10, E=5, b=16, 40 rounds, 2 replicates (paper: N=100, b=64)" in evidence.valid_for


def test_more_tests_ask_for_more() -> None:
    samples = np.random.default_rng(2).normal(-1, 1, 40)
    assert compare("a", samples, tests=1).test.upper < compare("a", samples, tests=100).test.upper


def test_measures() -> None:
    curves = np.exp(np.array([[0.0, 5.0, 1.0, 2.0], [0.0, 0.0, 3.0, 3.0]]))
    np.testing.assert_allclose(level(curves), [1.5, 3.0])
    np.testing.assert_allclose(np.exp(roughness(curves[:1])), [1.0])
    assert np.isfinite(logs(np.array([[1.0, np.inf]]))).all()


def test_unavailable_contradicts_what_contradicts_itself() -> None:
    settled = dict(examined=1, method="m", would_settle="the data")
    assert unavailable([], **settled).outcome is Outcome.NOT_CHECKABLE
    assert unavailable(["K > N"], **settled).outcome is Outcome.REFUTED
