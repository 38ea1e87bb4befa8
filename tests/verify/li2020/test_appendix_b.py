"""Sampling moments and the closed forms of Appendix B: formulas against enumeration, recursion and the schemes."""

from __future__ import annotations

from fractions import Fraction
from math import prod

import pytest
import sympy as sp

from fltheory.algorithms import Original, SchemeI, SchemeII
from fltheory.theory import sampling
from fltheory.theory.sampling import Cohort, K, aggregate_mean, expectation, uniform_subsets, weighted_mean
from verify.li2020 import cohorts as sampled
from verify.li2020.cohorts import admissible, extremal_steps, lemma_5_scheme_i, lemma_5_scheme_i_sharpened, shrinkage

WEIGHTS = (Fraction(1, 2), Fraction(1, 3), Fraction(1, 6))
MODELS = (Fraction(1), Fraction(-2), Fraction(5))
SIZES = [(n, k) for n in range(2, 6) for k in range(1, n + 1)]
RULES = {
    "I": (sampling.draws_with_replacement(), sampling.plain_average),
    "II": (sampling.scaled_subset(), sampling.scaled_weights),
    "original": (sampling.original_rule(), sampling.absent_keep_old),
}


def cohorts(scheme: str, weights: tuple[Fraction, ...], k: int) -> list[Cohort]:
    return sampling.weighted_draws(weights, k) if scheme == "I" else uniform_subsets(len(weights), k)


@pytest.mark.parametrize(("n", "k"), SIZES)
def test_inclusion_probabilities_by_two_ways(n: int, k: int) -> None:
    law = uniform_subsets(n, k)
    single = expectation(law, lambda c: Fraction(c[0]))
    pair = expectation(law, lambda c: Fraction(c[0] * c[1]))
    at = dict(N=n, K=k)
    assert single == sampling.at(sampling.inclusion_probability(), at)
    assert pair == sampling.at(sampling.pair_probability(), at)


@pytest.mark.parametrize("scheme", RULES)
@pytest.mark.parametrize("k", [1, 2, 3])
def test_moments_agree_with_all_cohorts(scheme: str, k: int) -> None:
    moments, rule = RULES[scheme]
    law = cohorts(scheme, WEIGHTS, k)
    squares = weighted_mean(WEIGHTS, [x * x for x in MODELS])
    at = dict(
        N=3,
        K=k,
        A=squares,
        Q=sum(w**2 * x**2 for w, x in zip(WEIGHTS, MODELS, strict=True)),
        M=weighted_mean(WEIGHTS, MODELS) ** 2,
    )
    A, Q, M = sp.symbols("A Q M")
    assert sampling.at(moments.spread(A, Q, M), at) == sampling.aggregate_spread(law, rule, WEIGHTS, MODELS)
    mean = sampling.at(moments.mean, at) * weighted_mean(WEIGHTS, MODELS)
    assert mean == aggregate_mean(law, rule, WEIGHTS, MODELS)


@pytest.mark.parametrize(("scheme", "participation"), [("I", SchemeI), ("II", SchemeII), ("original", Original)])
def test_cohorts_agree_with_the_algorithms_schemes(scheme: str, participation: type) -> None:
    rule = RULES[scheme][1]
    old = Fraction(7)
    expected = aggregate_mean(cohorts(scheme, WEIGHTS, 2), rule, WEIGHTS, MODELS, old)
    spread = sampling.aggregate_spread(cohorts(scheme, WEIGHTS, 2), rule, WEIGHTS, MODELS, old)
    centre, mean, second = weighted_mean(WEIGHTS, MODELS), Fraction(0), Fraction(0)
    for outcome in participation(2).outcomes(list(WEIGHTS)):
        value = sum((c * x for c, x in zip(outcome.client_coefficients(3), MODELS, strict=True)), start=Fraction(0))
        value += outcome.absent * old
        mean += outcome.probability * value
        second += outcome.probability * (value - centre) ** 2
    assert (mean, second) == (expected, spread)


def test_reductions() -> None:
    assert sampling.pair_sum_step().expand() == 0


@pytest.mark.parametrize("k", [1, 2, 3])
def test_response_times(k: int) -> None:
    same = sampling.first_responders((Fraction(3),) * 3, k)
    assert sorted(same) == sorted(uniform_subsets(3, k))
    own = sampling.first_responders((Fraction(4), Fraction(2), Fraction(1)), k)
    assert sum(p for p, _ in own) == 1
    assert expectation(own, lambda c: Fraction(c[0])) >= Fraction(k, 3)


@pytest.mark.parametrize("k", [1, 2, 3])
def test_total_weight_of_scheme_two(k: int) -> None:
    squares = sum(w**2 for w in WEIGHTS)
    value = expectation(uniform_subsets(3, k), lambda c: sum(sampling.scaled_weights(c, WEIGHTS)[0], Fraction(0)) ** 2)
    assert value == sampling.at(sampling.scaling_second_moment(), dict(N=3, K=k, q=squares))


def test_values_must_be_rational() -> None:
    with pytest.raises(ValueError, match="not rational"):
        sampling.at(sp.sqrt(K), dict(K=2))


@pytest.mark.parametrize("steps", [1, 2, 5])
@pytest.mark.parametrize("ratio", [Fraction(2), Fraction(3)])
def test_extremal_steps_attain_the_window_factor(steps: int, ratio: Fraction) -> None:
    schedule = extremal_steps(steps, ratio)
    window = schedule[steps : 2 * steps]
    assert admissible(schedule, steps, ratio)
    assert sum(window) / window[-1] == sampling.at(sampled.window_factor(sp.Rational(str(ratio))), dict(E=steps))
    assert not admissible([Fraction(1), Fraction(2)], 1) and not admissible([Fraction(3), Fraction(1)], 1)


def test_harmonic_steps_stay_below_the_window_factor() -> None:
    for steps in (1, 2, 5):
        schedule = [Fraction(2, 8 + t) for t in range(4 * steps)]
        assert admissible(schedule, steps)
        for start in range(0, 3 * steps, steps):
            window = schedule[start : start + steps]
            assert sum(window) <= (2 * steps - 1) * window[-1]


def test_sharpened_lemma_is_below_the_printed_one() -> None:
    values = dict(eta=1, G2=1, K=2, N=5)
    for steps in (1, 2, 10):
        for sharp, printed in (
            (lemma_5_scheme_i_sharpened, lemma_5_scheme_i),
            (sampled.lemma_5_scheme_ii_sharpened, sampled.lemma_5_scheme_ii),
        ):
            assert sharp.exact(**sharp.select(values), E=steps) < printed.exact(**printed.select(values), E=steps)


@pytest.mark.parametrize("gamma", [8, 11])
def test_closed_forms_follow_their_recursions(gamma: int) -> None:
    distance = Fraction(0)
    for t in range(12):
        exact = sp.Rational(str(distance))
        assert sampled.noisy_distance(sp.Integer(gamma), sp.Integer(t)) == exact
        product = prod((1 - Fraction(2, gamma + i) for i in range(t)), start=Fraction(1))
        assert shrinkage(sp.Integer(gamma), sp.Integer(t)) == sp.Rational(str(product))
        rate = Fraction(2, gamma + t)
        distance = (1 - rate) ** 2 * distance + rate**2
