"""Lemmas of Mixed Federated Learning follow from their hypotheses, one from the other, and not with other constants."""

from __future__ import annotations

from dataclasses import replace

import pytest
import sympy as sp

from fltheory.derivation.packs import foreign
from fltheory.derivation.replay import Underivable, verify
from fltheory.derivation.statement import with_coefficients
from fltheory.theory.mixed2022 import one_round
from verify.mixed2022 import derivations

SCRIPTS = ("lemma_d7", "lemma_d8", "proposition_d5", "proposition_d6", "lemma_d9_alone", "lemma_d10")


@pytest.mark.parametrize("name", SCRIPTS)
def test_a_lemma_is_derived_from_known_hypotheses(name: str) -> None:
    data = getattr(derivations, name)()
    assert foreign(data["lines"]) == []
    verify(data)


@pytest.mark.parametrize(
    ("bound", "weights"),
    [
        (one_round.LEMMA_D12, ("1", "1", "1", "1")),
        (one_round.LEMMA_D12_REPAIRED, ("2", "1", "1", "1/2")),
        (one_round.LEMMA_D12_SHARP, ("2", "1/3", "1/4", None)),
    ],
)
def test_lemma_d12_and_its_forms(bound: one_round.MixedBound, weights: tuple[str, str, str, str | None]) -> None:
    verify(derivations.lemma_d12(bound, *weights))


def test_a_later_lemma_feels_a_changed_earlier_one() -> None:
    """With half the variance Lemma D.9 does not follow, and with it falls Lemma D.10."""
    expression = with_coefficients(one_round.LEMMA_D9.expression, {one_round.C: sp.Rational(1, 2) * one_round.e**2})
    changed = replace(one_round.LEMMA_D9, expression=expression)
    with pytest.raises(Underivable):
        derivations.lemma_d10(update=changed)
