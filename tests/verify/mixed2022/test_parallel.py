"""Parallel Training with a proof: rounds against the package's own algorithm, constants of Definition 4.2, runs."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import sympy as sp

import fltheory as fl
from fltheory.derivation.replay import Underivable, verify
from fltheory.problems.mixed import MixedProblem
from fltheory.problems.oracles import FiniteSupportNoise
from fltheory.problems.quadratic import QuadraticProblem
from fltheory.theory.mixed2022.one_round import near
from fltheory.theory.mixed2022.parallel import CONVEX_RECURSION, convex
from fltheory.theory.mixed2022.parallel_rates import PARTS, ROUNDS
from verify.mixed2022 import derivations
from verify.mixed2022.kinked import KinkedParabola
from verify.mixed2022.parallel_instances import ParallelRound, dissimilarity, rounds

ONE, HALF, ZERO = Fraction(1), Fraction(1, 2), Fraction(0)


def line(curvature: Fraction, slope: Fraction, clients: int = 1) -> QuadraticProblem:
    return QuadraticProblem(
        np.array([[[curvature]]] * clients, dtype=object), np.array([[-slope]] * clients, dtype=object)
    )


def coin(size: Fraction, clients: int) -> Any:
    support = np.array([[[size], [-size]]] * clients, dtype=object)
    return FiniteSupportNoise(support, np.array([HALF, HALF], dtype=object))


@pytest.mark.parametrize(("steps", "cohort", "merge"), [(1, 1, ONE), (2, 2, ONE), (3, 1, Fraction(3))])
def test_a_round_is_that_of_the_algorithm(steps: int, cohort: int, merge: Fraction) -> None:
    item = ParallelRound(
        KinkedParabola(ONE, ONE, ONE),
        KinkedParabola(HALF, HALF, -ONE),
        HALF,
        Fraction(1, 16),
        Fraction(3, 2),
        merge,
        steps,
        cohort,
        HALF,
        ONE,
    )
    rate = item.effective / (steps * merge)
    algorithm = fl.ParallelTraining(
        steps, rate / item.server, rate, server_step_size=item.server, merge_step_size=merge
    )
    problem = MixedProblem(line(ONE, ONE, cohort), line(HALF, -ONE))
    found = fl.moments(
        problem,
        algorithm,
        rounds=1,
        start=np.array([HALF]),
        exact=True,
        oracle=coin(HALF, cohort),
        centre_oracle=coin(ONE, 1),
    )
    assert item.values()[near] == found.squared_distance[1]


def test_constants_of_definition_4_2_are_admitted_and_least() -> None:
    for left, right in (
        (KinkedParabola(ONE, ONE, ONE), KinkedParabola(HALF, HALF, -ONE)),
        (KinkedParabola(ONE, ZERO, ONE), KinkedParabola(HALF, ONE, -ONE)),
    ):
        known = dissimilarity(left, right)
        assert known is not None
        square, ratio = known
        excess = [
            2 * left.gradient(x) ** 2 + 2 * right.gradient(x) ** 2 - ratio * (left.gradient(x) + right.gradient(x)) ** 2
            for x in (Fraction(n, 4) for n in range(-80, 81))
        ]
        assert max(excess) <= square
        assert max(excess) >= square * Fraction(9, 10) or square == 0


def test_opposite_curvatures_have_no_constants() -> None:
    assert dissimilarity(KinkedParabola(ONE, ONE), KinkedParabola(-ONE, -ONE)) is None


def test_instances_respect_the_conditions() -> None:
    for item in rounds(Fraction(1, 8), convex=True)[::40]:
        assert item.effective * (1 + item.dissimilarity[1]) <= Fraction(1, 8)
        assert (item.server * item.merge) ** 2 >= item.cohort


@pytest.mark.parametrize("case", PARTS)
def test_constants_of_the_derivations_are_needed(case: str) -> None:
    with pytest.raises(Underivable):
        derivations.parallel_rate(case, ROUNDS[case], ("8", "1", "3"))


def test_a_round_needs_its_dissimilarity_and_its_step() -> None:
    verify(derivations.parallel_recursion(CONVEX_RECURSION, "1/8"))
    less = replace(CONVEX_RECURSION, expression=convex(sp.Rational(3, 2), sp.Rational(8, 5), sp.Integer(2)))
    for bound, top in ((less, "1/8"), (CONVEX_RECURSION, "1/5")):
        with pytest.raises(Underivable):
            derivations.parallel_recursion(bound, top)
