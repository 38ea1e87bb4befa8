"""The derived bounds of a FedLAMA round at exact rounds of clients in one dimension, convex and not, with noise of their own."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import product

import pytest

from verify.fedlama2021.lemma_5_2_instances import ONE, ZERO, Line, Moments

HALF = Fraction(1, 2)
CURVATURES = [(ONE,), (-ONE,), (ONE, -HALF), (-ONE, ZERO, HALF)]


def lines() -> Iterator[tuple[Line, Fraction]]:
    for curvatures, tau, share, sigma in product(CURVATURES, (1, 2, 5), (HALF, ONE), (ZERO, ONE)):
        slopes = tuple(Fraction(one) for one in range(len(curvatures)))
        yield Line(curvatures, slopes, share / tau, tau, sigma), ONE


def mean_value(line: Line, u: Moments) -> Fraction:
    return line.value(u[0]) + line.mean_gradient[0] * u[1] / 2


@pytest.mark.parametrize(("line", "start"), list(lines()))
def test_the_fall_in_a_round_is_what_is_derived(line: Line, start: Fraction) -> None:
    """``one_round.LEFT + NOISE + SPREAD >= 0`` with the exact drift, for eta <= 1/(L tau)."""
    step, L, u = line.eta, line.smoothness, (start, ZERO)
    fall = mean_value(line, u) - mean_value(line, line.after(u)) - step * line.tau / 2 * line.squared_gradient(u)
    noise = L * step**2 * line.tau / 2 * (1 + L * step * (line.tau - 1)) * line.sigma**2 / line.m
    assert fall + noise + Fraction(3, 4) * step * L**2 * line.drift(u) >= 0


@pytest.mark.parametrize(("line", "start"), list(lines()))
def test_the_drift_of_a_round_is_what_is_derived(line: Line, start: Fraction) -> None:
    """``lemma_5_2.SUM`` with the exact gradients of the clients, wherever the drift takes less than itself."""
    step, L, tau = line.eta, line.smoothness, line.tau
    feedback = step**2 * L**2 * tau * (tau - 1)
    own = [(h * start + b) ** 2 for h, b in zip(line.curvatures, line.slopes, strict=True)]
    squares = sum(own, ZERO) / line.m
    right = step**2 * tau * (tau - 1) * (line.sigma**2 + Fraction(2 * tau - 1, 3) * squares)
    assert (1 - feedback) * line.drift((start, ZERO)) <= right


def test_one_noise_for_all_clients_is_not_averaged_out() -> None:
    own, same = (Line((ONE, ONE), (ZERO, ZERO), HALF, 1, ONE, shared=shared) for shared in (False, True))
    assert 2 * own.after((ZERO, ZERO))[1] == same.after((ZERO, ZERO))[1]
