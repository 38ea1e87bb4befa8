"""Stability limits and central noise of one round: proofs that depend on the constant claimed, and independent numbers."""

from __future__ import annotations

import numpy as np
import pytest
import sympy as sp

from fltheory.theory.steps import Step
from verify.mixed2022 import closed_forms, stability_limits, updates

R = sp.Rational


def complete(steps: list[Step]) -> bool:
    return all(step.verified for step in steps)


@pytest.mark.parametrize(("stretch", "proved"), [(R(1), True), (R(101, 100), False), (R(99, 100), False)])
def test_one_way_limit_is_proved_for_the_sharp_constant_only(stretch: sp.Rational, proved: bool) -> None:
    assert complete(stability_limits.one_way_limit_steps(stretch)) is proved


@pytest.mark.parametrize(
    ("bound", "parallel", "proved"),
    [("1", "2", True), ("2", "2", False), ("99/100", "2", False), ("1", "199/100", False), ("1", "201/100", False)],
)
def test_one_step_limits_are_proved_for_the_sharp_constants_only(bound: str, parallel: str, proved: bool) -> None:
    assert complete(stability_limits.one_step_limit_steps(R(bound), R(parallel))) is proved


@pytest.mark.parametrize("share", [0.01, 0.3, 0.99, 1.0, 1.5])
def test_the_quadratic_has_its_roots_inside_exactly_below_one(share: float) -> None:
    radius = max(abs(np.roots([1.0, -(1 - share), share])))
    assert bool(radius < 1 - 1e-12) is (share < 1)


def test_the_factor_in_the_gain_is_the_factor() -> None:
    gain = updates.eta_s * (1 + closed_forms.lc / closed_forms.lf)
    found = stability_limits.one_way_in_gain().subs(stability_limits.gain, gain)
    assert sp.simplify(found - closed_forms.one_way_factor((1 - stability_limits.Y) / closed_forms.lf)) == 0
