"""Paired comparisons: what supports, contradicts and decides nothing."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import binom

from fltheory.evidence.model import Outcome
from fltheory.experiments.files import Result
from fltheory.experiments.paired import (
    ERROR,
    all_against,
    compare,
    judge,
    level,
    logs,
    pool,
    roughness,
    seeds_of,
    sign_test,
    unavailable,
    until,
)

RESULT = Result({"form": "reduced"})
NOISE = np.random.default_rng(0).normal(0, 0.1, 28)


def test_the_sign_test_is_the_binomial_tail() -> None:
    for trials in (1, 20, 28, 120):
        for hits in range(trials + 1):
            assert sign_test(hits, trials) == pytest.approx(binom.sf(hits - 1, trials, 0.5), rel=1e-9)
    assert sign_test(0, 0) == 1


def test_clear_differences_are_decided_and_equal_curves_are_not() -> None:
    assert compare("lower", NOISE - 1, tests=1).word == "supported"
    assert compare("higher", NOISE + 1, tests=1).word == "contradicted"
    assert compare("alike", NOISE, tests=1).word == "undecided"
    assert compare("equal", np.zeros(28), tests=1).word == "undecided"


def test_one_wild_replicate_changes_nothing() -> None:
    wild = NOISE - 1
    wild[3] = 1e6
    found = compare("wild", wild, tests=1)
    assert (found.below, found.above, found.word) == (27, 1, "supported")


def test_how_many_replicates_it_takes() -> None:
    """20 that agree support, not 19; one of 28 may disagree; equal ones do not count."""
    assert 2.0**-20 <= ERROR < 2.0**-19
    assert compare("a", -np.ones(20), tests=50).word == "supported"
    assert compare("a", -np.ones(19), tests=1).word == "undecided"
    assert compare("a", np.r_[-np.ones(27), 1.0], tests=1).word == "supported"
    assert compare("a", np.r_[-np.ones(26), 1.0, 1.0], tests=1).word == "undecided"
    assert compare("a", np.r_[-np.ones(20), np.zeros(8)], tests=1).word == "supported"
    assert compare("a", np.r_[-np.ones(19), np.zeros(9)], tests=1).word == "undecided"


def test_many_comparisons_make_a_contradiction_harder_and_a_support_not() -> None:
    assert compare("a", np.ones(24), tests=12).word == "contradicted"
    assert compare("a", np.ones(24), tests=18).word == "undecided"
    assert compare("a", -np.ones(24), tests=18).word == "supported"


def test_all_comparisons_at_once_can_contradict_where_one_cannot() -> None:
    """20 replicates are too few for one comparison out of three, and enough if all three fail in each of them."""
    against = [compare(str(i), np.ones(20), tests=3, data="a") for i in range(3)]
    assert [item.word for item in against] == ["undecided"] * 3
    assert all_against(against) and not all_against(against, choices=4)
    assert judge(against, method="m.", result=RESULT).outcome is Outcome.NOT_REPRODUCED
    mixed = [*against[:2], compare("2", np.r_[np.ones(19), -1.0], tests=3, data="a")]
    assert not all_against(mixed)
    assert judge(mixed, method="m.", result=RESULT).outcome is Outcome.NOT_REFUTED


def test_data_sets_are_pooled_where_all_comparisons_fail() -> None:
    one, two = (compare(data, np.ones(10), tests=2, data=data) for data in "ab")
    assert all_against([one, two]) and not all_against([one])


def test_a_right_claim_is_not_contradicted_by_all_at_once() -> None:
    """Half of the replicates against every comparison is what a claim on the border gives."""
    rng = np.random.default_rng(3)
    for _ in range(200):
        same = rng.normal(size=28)
        assert not all_against([compare(str(i), same, tests=3, data="a") for i in range(3)])


def test_margin_is_the_distance_of_the_median() -> None:
    assert compare("a", NOISE - 1, 0.5, tests=1).margin == pytest.approx(0.5 - np.median(NOISE - 1))
    assert compare("a", NOISE + 1, tests=1).margin < 0


def test_bad_differences_are_named() -> None:
    for bad in (np.zeros((2, 2)), np.zeros(0), np.array([np.nan])):
        with pytest.raises(ValueError, match="a: difference has shape"):
            compare("a", bad, tests=1)


def test_contradicted_beats_undecided_beats_supported() -> None:
    good, open_, bad = (compare(str(mean), NOISE + mean, tests=3) for mean in (-1, 0, 1))
    assert judge([good], method="m.", result=RESULT).outcome is Outcome.HOLDS
    evidence = judge([good, open_], method="m.", result=RESULT)
    assert evidence.outcome is Outcome.NOT_REFUTED and evidence.would_settle == "more replicates"
    assert evidence.margin is None
    evidence = judge([good, open_, bad], method="m.", result=RESULT)
    assert evidence.outcome is Outcome.NOT_REPRODUCED and evidence.margin is not None and evidence.margin < 0


def test_a_pool_weighs_all_sets_alike() -> None:
    np.testing.assert_array_equal(pool({"a": np.arange(2.0), "b": np.ones(2)}), [0, 1, 1, 1])
    with pytest.raises(ValueError, match="equal numbers"):
        pool({"a": np.arange(2.0), "b": np.ones(3)})


def test_settings_and_seeds_of_the_sets() -> None:
    entry = {"clients": 50, "K": [5, 10], "batch": 16, "rounds": 40, "sizes": "equal", "first seed": 100}
    result = Result(
        {"form": "reduced", "common": {"E": 5}, "sets": {"one": entry, "two": {**entry, "first seed": 7}}},
        {"one/K=5": np.ones((2, 3)), "two/K=5": np.ones((1, 3))},
    )
    evidence = judge([compare("a", NOISE, tests=1)], method="m.", result=result, sets=("one", "two"))
    assert evidence.seeds == seeds_of(result, ("two", "one")) == (7, 100, 101)
    assert (
        "one: N=50, K=5/10, E=5, b=16, 40 rounds, 2 replicates, sizes: equal (paper: N=100, b=64)" in evidence.valid_for
    )


def test_measures() -> None:
    curves = np.exp(np.array([[0.0, 5.0, 1.0, 2.0], [0.0, 0.0, 3.0, 3.0]]))
    np.testing.assert_allclose(level(curves), [1.5, 3.0])
    np.testing.assert_allclose(np.exp(roughness(curves[:1])), [1.0])
    assert np.isfinite(logs(np.array([[1.0, np.inf]]))).all()


def test_horizons() -> None:
    curves = np.arange(26.0)[None]  # the start, and 25 records of 20 rounds each
    assert [until(curves, share)[0, -1] * 20 for share in (0.2, 0.5, 1.0)] == [100, 240, 500]


def test_unavailable_contradicts_what_contradicts_itself() -> None:
    settled = dict(examined=1, method="m", would_settle="the data")
    assert unavailable([], **settled).outcome is Outcome.NOT_CHECKABLE
    assert unavailable(["K > N"], **settled).outcome is Outcome.REFUTED
