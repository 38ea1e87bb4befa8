"""Lemmas of Mixed Federated Learning follow from their hypotheses, one from the other, and not with other constants."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import pytest
import sympy as sp

from fltheory.derivation.packs import foreign
from fltheory.derivation.replay import Underivable, verify
from fltheory.derivation.statement import with_coefficients
from fltheory.theory.bound import Bound
from fltheory.theory.mixed2022 import assembly, convex, drift, one_round, parallel, vectors
from verify.mixed2022 import derivations, lemma_d7

HALF = sp.Rational(1, 2)
SCRIPTS = {
    "D.5": derivations.proposition_d5,
    "D.6": derivations.proposition_d6,
    "D.6 without convexity": derivations.without_convexity,
    "D.5, tilts": derivations.tilts_cancel,
    "D.3, conditional means": derivations.about_conditional_means,
    "D.3, sharp": partial(derivations.about_conditional_means, vectors.LEMMA_D3_2_SHARP, "c"),
    "D.3, means that are not random": derivations.about_fixed_means,
    "D.8": derivations.lemma_d8,
    "D.8, mu = 0": partial(derivations.lemma_d8, modulus=False),
    "D.8, sharp": partial(derivations.lemma_d8, convex.LEMMA_D8_SHARP, top="2/(beta + mu)"),
    "D.9": derivations.lemma_d9_alone,
    "D.9, every split": partial(derivations.lemma_d9_alone, one_round.LEMMA_D9_SHARP, "b"),
    "D.10": derivations.lemma_d10_alone,
    "D.10, sharp": partial(derivations.lemma_d10_alone, one_round.LEMMA_D10_SHARP, one_round.LEMMA_D9_SHARP, "1/4"),
    "D.11": derivations.lemma_d11,
    "D.11, proof": partial(derivations.lemma_d11, drift.LEMMA_D11_PROOF),
    "D.11, sharp": partial(derivations.lemma_d11, drift.LEMMA_D11_SHARP, top="2/beta"),
    "D.13": derivations.lemma_d13,
    "D.13, sharp": partial(derivations.lemma_d13, drift.LEMMA_D13_SHARP),
    "D.3, no cross terms": derivations.no_cross_terms,
    "D.10, expected update": derivations.expected_update,
    "D.11 without client noise": derivations.without_client_noise,
    "D.11, geometric sum": partial(derivations.sum_at_most, "2"),
    "D.13, closed form": partial(derivations.geometric_sum, "163/162", top=None),
    "D.9, clients differ": partial(derivations.update_of_clients, one_round.LEMMA_D9_SHARP),
    "D.11, clients differ": partial(derivations.drift_of_clients, drift.LEMMA_D11_SHARP, convex=True),
    "D.13, clients differ": partial(derivations.drift_of_clients, drift.LEMMA_D13_SHARP, convex=False),
    "D.12": partial(derivations.lemma_d12_alone, one_round.LEMMA_D12, "1", "1", "1", "1"),
    "D.12, repaired": partial(derivations.lemma_d12_alone, one_round.LEMMA_D12_REPAIRED, "2", "1", "1", "1/2"),
    "D.12, sharp": partial(derivations.lemma_d12_alone, one_round.LEMMA_D12_SHARP, "2", "1/3", "1/4", None),
}


@pytest.mark.parametrize("name", SCRIPTS)
def test_a_lemma_is_derived_from_known_hypotheses(name: str) -> None:
    data = SCRIPTS[name]()
    assert foreign(data["lines"]) == []
    verify(data)


OTHER_SIDES = {
    "D.5, less at the optimum": (
        derivations.proposition_d5,
        convex.PROPOSITION_D5,
        "expression",
        convex.F - 2 * convex.Fs,
    ),
    "D.6, twice the gradient": (
        derivations.proposition_d6,
        convex.PROPOSITION_D6,
        "left",
        2 * convex.PROPOSITION_D6.left,
    ),
    "D.6 so without convexity": (
        derivations.without_convexity,
        convex.PROPOSITION_D6,
        "left",
        2 * convex.PROPOSITION_D6.left,
    ),
    "Parallel Training, a larger contraction": (
        partial(derivations.parallel_recursion, top="1/8"),
        parallel.CONVEX_RECURSION,
        "expression",
        parallel.CONVEX_RECURSION.expression - one_round.mu * one_round.e * one_round.w2,
    ),
    "Parallel Training, half of the distance": (
        partial(derivations.parallel_recursion, top="1/8"),
        parallel.CONVEX_RECURSION,
        "expression",
        parallel.CONVEX_RECURSION.expression - one_round.w2 / 2,
    ),
}


@pytest.mark.parametrize("name", OTHER_SIDES)
def test_a_derivation_reads_both_sides(name: str) -> None:
    script, bound, side, changed = OTHER_SIDES[name]
    with pytest.raises(Underivable):
        script(replace(bound, **{side: changed}))


@pytest.mark.parametrize("bound", [convex.LEMMA_D7, convex.LEMMA_D7_PROOF, convex.LEMMA_D7_SHARP])
def test_lemma_d7_is_derived_from_known_hypotheses_and_reads_both_sides(bound: Bound) -> None:
    data = lemma_d7.stated(bound).derived.certificate
    assert data is not None and foreign(data["lines"]) == []
    verify(data)
    assert not lemma_d7.stated(replace(bound, left=2 * bound.left)).proof[0]


def test_a_later_lemma_feels_a_changed_earlier_one() -> None:
    """With half the variance Lemma D.9 does not follow, and with it falls Lemma D.10."""
    expression = with_coefficients(one_round.LEMMA_D9.expression, {one_round.C: HALF * one_round.e**2})
    changed = replace(one_round.LEMMA_D9, expression=expression)
    with pytest.raises(Underivable):
        derivations.lemma_d10_alone(update=changed)


@pytest.mark.parametrize("top", ["203/(100*(beta + mu))", "2/beta"])
def test_the_sharp_contraction_ends_at_its_step(top: str) -> None:
    with pytest.raises(Underivable):
        derivations.lemma_d8(convex.LEMMA_D8_SHARP, top=top)


D12 = (one_round.LEMMA_D12, "1", "1", "1", "1")
REPAIRED = (one_round.LEMMA_D12_REPAIRED, "2", "1", "1", "1/2")
SHARP = derivations.SHARP_CONVEX
#: The recursions, and what they suppose that is no pack: the drift of clients that differ.
RECURSIONS = {
    "printed": ([], derivations.convex_recursion),
    "sharpened": ([], partial(derivations.convex_recursion, assembly.CVX_REC_SHARP, *SHARP)),
    "clients that differ": (
        ["Lemma D.13, sharpened"],
        partial(derivations.recursion_of_clients, assembly.NC_REC_SHARP, convex=False),
    ),
    "without convexity": ([], partial(derivations.smooth_recursion, assembly.NC_REC, *REPAIRED)),
}


@pytest.mark.parametrize("name", RECURSIONS)
def test_a_recursion_derives_its_drift(name: str) -> None:
    supposed, script = RECURSIONS[name]
    data = script()
    assert foreign(data["lines"]) == supposed
    verify(data)


def test_a_recursion_feels_a_changed_lemma() -> None:
    """The gap 2.1 in Lemma D.10, half the variance in D.12; and the printed constants of D.11 give more than 5 sigma^2."""
    larger = with_coefficients(one_round.LEMMA_D10.expression, {one_round.gap: -sp.Rational(21, 10) * one_round.e})
    with pytest.raises(Underivable):
        derivations.convex_recursion(lemma=replace(one_round.LEMMA_D10, expression=larger))
    with pytest.raises(Underivable):
        derivations.convex_recursion(drift=drift.LEMMA_D11)
    less = with_coefficients(one_round.LEMMA_D12.expression, {one_round.C: HALF * one_round.beta * one_round.e**2 / 2})
    with pytest.raises(Underivable):
        derivations.smooth_recursion(assembly.NC_REC, replace(D12[0], expression=less), *D12[1:])


@pytest.mark.parametrize("change", [{"server": "0"}, {"limited": False}])
def test_the_drift_without_convexity_needs_both_conditions(change: dict[str, object]) -> None:
    with pytest.raises(Underivable):
        derivations.lemma_d13(**change)


def test_the_drift_of_convex_losses_needs_a_short_step() -> None:
    with pytest.raises(Underivable):
        derivations.lemma_d11(top="201/(100*beta)")
