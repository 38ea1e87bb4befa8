"""Every bound of ``fltheory.theory`` is what some claim states, and a claim notices when its bound is changed."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import pytest
import sympy as sp

from fltheory.evidence.catalogue import Catalogue, find_scripts, load
from fltheory.evidence.displays import bounds_of
from fltheory.evidence.model import Outcome
from fltheory.mutation.mutants import Mutant
from fltheory.mutation.planting import Key, changed
from fltheory.mutation.targets import NOT_CLAIMED, objects
from fltheory.theory.bound import Bound

DOCUMENTS = ("li2020", "lecture2022", "mixed2022", "fedlama2021", "elastic2023")


@pytest.fixture(scope="module")
def catalogue() -> Catalogue:
    return load(script for script in find_scripts() if script.document in DOCUMENTS)


def exported() -> dict[str, Bound]:
    """The bounds that ``fltheory.theory`` holds, by document and name."""
    return {
        f"{document}:{name}": bound
        for document in DOCUMENTS
        for name, bound in bounds_of(document).items()
        if find_spec(f"fltheory.theory.{document}.{name.split('.')[0]}")
    }


def test_every_exported_bound_is_what_a_claim_states(catalogue: Catalogue) -> None:
    stated = [Key.of(item) for claim in catalogue.claims.values() for item in objects(claim) if isinstance(item, Bound)]
    missing = {name for name, bound in exported().items() if Key.of(bound) not in stated}
    assert missing == set(NOT_CLAIMED)


def test_every_bound_is_what_its_check_proves(catalogue: Catalogue) -> None:
    wrong = {
        row: step.reason
        for row, claim in catalogue.claims.items()
        for step in (link(**claim.printed) for link in claim.proves)
        if not step.verified
    }
    assert not wrong


def replaced(old: Any, new: Any) -> Callable[[Bound], Mutant]:
    """The right side with one expression for another."""

    def mutant(bound: Bound) -> Mutant:
        side = bound.expression.subs(old, new)
        assert side != bound.expression
        return Mutant("expression", side, f"{old} -> {new}")

    return mutant


def times(factor: sp.Rational) -> Callable[[Bound], Mutant]:
    return lambda bound: Mutant("expression", factor * bound.expression, f"times {factor}")


def without(number: int) -> Callable[[Bound], Mutant]:
    """Without one of its hypotheses."""

    def mutant(bound: Bound) -> Mutant:
        kept = tuple(condition for condition in bound.conditions if condition is not bound.conditions[number])
        return Mutant("conditions", kept, bound.conditions[number].words)

    return mutant


V, gap, e, C, N = sp.symbols("V gap e C N")
positive = {"N": sp.Symbol("N", positive=True), "G": sp.Symbol("G", nonnegative=True)}
FALSE = [
    ("fltheory.theory.mixed2022.assembly", "C_FINAL", "MX-C-FINAL[average of x^(0)..x^(T)]", replaced(V, V / 10**4)),
    (
        "fltheory.theory.mixed2022.assembly",
        "NC_FINAL",
        "MX-NC-FINAL[expectation inside, x^(0)..x^(T)]",
        replaced(54, 3),
    ),
    ("fltheory.theory.mixed2022.one_round", "LEMMA_D10", "MX-LEMD10", replaced(gap, sp.Rational(21, 10) * gap)),
    ("fltheory.theory.mixed2022.one_round", "LEMMA_D10", "MX-LEMD10", without(-1)),
    ("fltheory.theory.lecture2022.bounds", "corollary_2_second", "LEC-COR2b", times(sp.Rational(19, 40))),
    ("fltheory.theory.lecture2022.bounds", "corollary_2_second", "LEC-COR2b", without(-1)),
    ("fltheory.theory.lecture2022.bounds", "lemma_1_sharp", "LEC-LEM1-S1", replaced(positive["N"], positive["N"] / 2)),
    ("fltheory.theory.li2020.theorems", "theorem_3", "LI-THM3", replaced(1 / (sp.Symbol("N", positive=True) - 1), 1)),
    ("verify.li2020.cohorts", "lemma_5_scheme_i", "LI-LEM5-1[over all randomness]", times(sp.Rational(9, 10))),
    ("verify.li2020.cohorts", "lemma_5_scheme_ii", "LI-LEM5-2[over all randomness]", without(-1)),
]


@pytest.mark.parametrize(("module", "name", "row", "make"), FALSE)
def test_a_bound_made_false_is_noticed(
    module: str, name: str, row: str, make: Callable[[Bound], Mutant], catalogue: Catalogue
) -> None:
    bound, claim = getattr(import_module(module), name), catalogue.claims[row]
    with changed([bound], make(bound)):
        found = claim.run()
    assert found.outcome is Outcome.REFUTED or "not what is stated" in found.method
    assert all(link(**claim.printed).verified for link in claim.proves)
