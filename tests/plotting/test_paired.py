"""Paired comparisons: what supports, contradicts and decides nothing."""

from __future__ import annotations

import numpy as np

from fltheory.evidence.model import Outcome
from fltheory.plotting.files import Result
from fltheory.plotting.paired import compare, judge, level, logs, roughness, unavailable

RESULT = Result({"form": "reduced"})


def test_clear_differences_are_decided_and_equal_curves_are_not() -> None:
    rng = np.random.default_rng(0)
    noise = rng.normal(0, 0.1, 20)
    assert compare("lower", noise - 1, tests=1).word == "supported"
    assert compare("higher", noise + 1, tests=1).word == "contradicted"
    assert compare("alike", noise, tests=1).word == "undecided"
    assert compare("equal", np.zeros(20), tests=1).word != "supported"


def test_one_undecided_comparison_is_enough_not_to_reproduce() -> None:
    rng = np.random.default_rng(1)
    good = compare("good", rng.normal(-1, 0.1, 20), tests=2)
    bad = compare("bad", rng.normal(0, 0.1, 20), tests=2)
    assert judge([good], method="m.", result=RESULT).outcome is Outcome.HOLDS
    evidence = judge([good, bad], method="m.", result=RESULT)
    assert evidence.outcome is Outcome.NOT_REPRODUCED and evidence.margin is not None and evidence.margin < 0


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
