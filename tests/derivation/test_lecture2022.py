"""The lecture note's theorems, corollaries and displays follow for both codes, and not with smaller constants."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial

import pytest

from fltheory.derivation.packs import foreign
from fltheory.derivation.replay import Underivable, verify
from fltheory.derivation.script import Derivation
from fltheory.kinds import JSON
from fltheory.theory.bound import Bound
from fltheory.theory.lecture2022 import bounds
from verify.lecture2022.derivations import corollaries, displays, lemma_1
from verify.lecture2022.derivations.corollaries import Scripts
from verify.lecture2022.derivations.local_sgd import NODES
from verify.lecture2022.derivations.periods import one_local_step, theorem_1_periods
from verify.lecture2022.derivations.theorem_1 import theorem_1
from verify.lecture2022.derivations.theorem_3 import theorem_3
from verify.lecture2022.displays import proof
from verify.lecture2022.worst_cases.trade import one_step_traded, theorem_1_traded

CODES = ("printed", "FedAvg")


def of_both(script: Callable[[Bound, str], Mapping[str, JSON]]) -> Callable[[Bound], Scripts]:
    return lambda bound: {code: partial(script, bound, code) for code in CODES}


def traded(bound: Bound) -> Scripts:
    return {"FedAvg": lambda: theorem_1_periods(bound, "FedAvg", top="1/(2*L)", trade=("3/2", "3/2"))}


STATED: Mapping[str, tuple[Bound, Callable[[Bound], Scripts]]] = {
    "Theorem 1": (bounds.theorem_1, of_both(theorem_1)),
    "Theorem 1, averaged drift": (bounds.theorem_1_averaged, of_both(theorem_1)),
    "Theorem 1, every step": (bounds.theorem_1, corollaries.every_step),
    "Theorem 1, one local step": (bounds.theorem_1_one_local_step, lambda b: {"FedAvg": partial(one_local_step, b)}),
    "Theorem 1, traded": (theorem_1_traded, traded),
    "Theorem 3": (bounds.theorem_3, of_both(theorem_3)),
    "Theorem 3, variance": (bounds.theorem_3_sharp, of_both(partial(theorem_3, moment=False))),
    "Corollary 2, first": (bounds.corollary_2_first, corollaries.corollary_2_first),
    "Corollary 2, second": (bounds.corollary_2_second, corollaries.corollary_2_second),
    "Corollary 4, first": (bounds.corollary_4_first, lambda b: corollaries.corollary_4(b, "6*L*p", "1")),
    "Corollary 4, second": (bounds.corollary_4_second, corollaries.corollary_4),
    "Corollary 4, rate": (bounds.corollary_4_rate, corollaries.corollary_4_rate),
}


@pytest.mark.parametrize("name", STATED)
def test_a_bound_follows_and_its_replay_supposes_what_packs_say(name: str) -> None:
    bound, scripts = STATED[name]
    for script in scripts(bound).values():
        data = json.loads(json.dumps(script(), sort_keys=True))
        assert verify(data).known("conclusion")
        assert foreign(data["lines"]) == []


@pytest.mark.parametrize("code", CODES)
def test_period_averages_follow(code: str) -> None:
    assert verify(theorem_1_periods(bounds.theorem_1_periods[code], code)).known("conclusion")
    smaller = replace(
        bounds.theorem_1_periods[code],
        expression=bounds.theorem_1_periods[code].expression.subs(bounds.G, bounds.G / 2),
    )
    with pytest.raises(Underivable):
        theorem_1_periods(smaller, code)


@pytest.mark.parametrize("term", ["gap", "G", "sigma", "sigma_G"])
@pytest.mark.parametrize("name", ["Theorem 1, averaged drift", "Theorem 3, variance"])
def test_a_smaller_constant_is_not_derived(name: str, term: str) -> None:
    bound, scripts = STATED[name]
    letter = getattr(bounds, term)
    if not bound.expression.has(letter):
        return
    smaller = replace(bound, expression=bound.expression.subs(letter, letter * 9 / 10))
    with pytest.raises(Underivable):
        scripts(smaller)["printed"]()


def test_a_cohort_or_common_noise_stops_the_derivation() -> None:
    with pytest.raises(Underivable, match="no equation"):
        theorem_1(full=False)
    for script in (theorem_1, theorem_3):
        with pytest.raises(Underivable, match="independence"):
            script(independent=False)


def test_longer_horizons_are_needed_for_growing_local_steps() -> None:
    for script in corollaries.corollary_4_rate(C="K**2*p**3/q**2").values():
        with pytest.raises(Underivable):
            script()


@pytest.mark.parametrize("name", [*NODES, *displays.MORE])
def test_every_display_of_the_proof_is_a_node(name: str) -> None:
    assert not displays.display(name, {**NODES, **displays.MORE}[name]).reason


def test_displays_as_transcribed_do_not_follow() -> None:
    for name, display in {"(3)": proof.p_3_last, "(7)": proof.p_7_printed, "(8)": proof.p_8_printed}.items():
        assert "left over" in displays.display(name, display).reason
    assert displays.product(proof.side_product).reason and not displays.product(proof.side_product_half).reason
    assert not displays.one_step_traded(one_step_traded).reason


def test_lemma_1_and_its_chain_follow() -> None:
    assert not any(lemma_1.display(name, display).reason for name, display in lemma_1.CHAIN.items())
    assert not lemma_1.every_client(bounds.lemma_1).reason and not lemma_1.sharp(bounds.lemma_1_sharp).reason
    assert (
        lemma_1.every_client(bounds.lemma_1_sharp).reason and lemma_1.averaged(bounds.lemma_1_rounds, "printed").reason
    )
    assert not lemma_1.since_the_average(proof.l_5, proof.l_6, 1).reason
    assert lemma_1.since_the_average(proof.l_5, proof.l_6, 2).reason


def test_a_number_without_vectors_may_be_defined() -> None:
    d = Derivation("a count")
    d.axis("t", "time")
    d.parameter("n", 0, varies="t", next="n + 1", first="0")
    d.define("Square", "n**2", over=[], time="t", next="Square_next", over_next=[])
    d.combine("next", "Square_next - n**2 - 2*n - 1", facts={"Square_next": "1"}, relation="=")
    assert d.state.known("next")
