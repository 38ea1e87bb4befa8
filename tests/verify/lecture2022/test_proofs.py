"""Lecture note: reductions, proofs and exact runs behind its rows, each against an independent computation."""

from __future__ import annotations

from fractions import Fraction

import pytest
import sympy as sp

from fltheory.evidence.decide import decide
from fltheory.theory import lecture2022 as note
from fltheory.theory.lecture2022.bounds import G, K, L, s
from fltheory.theory.steps import Instance, Proof, identity
from verify.lecture2022.instances import settings
from verify.lecture2022.prsgd import averages, common_curvature
from verify.lecture2022.runs import (
    DIFFERENT,
    Clipped,
    dissimilarity,
    mean_gradient,
    mean_value,
    minimum,
    outcomes,
    run,
)
from verify.lecture2022.theorem_1 import ONE_OF_TWO

ONE = Fraction(1)


@pytest.mark.parametrize("code", ["printed", "FedAvg"])
def test_periods_of_the_codes(code: str) -> None:
    """Numbers of gradients since the last average, counted along a run, against the closed form."""
    clients = [Clipped(ONE, Fraction(sign * 1000), ONE) for sign in (-1, 1)]
    for interval in (1, 2, 5):
        history = run(code, clients, step_size=ONE, local_steps=interval, steps=4 * interval, start=Fraction(0))
        counts = [abs(points[0] - sum(points, Fraction(0)) / 2) for points in history.points]
        last = counts[3 * interval :] if code == "FedAvg" else counts[-interval:]
        squares = sp.expand(note.theorem_1_periods[code].expression).coeff(G, 2).subs({K: interval, s: 1, L: 1})
        assert sum(x**2 for x in last) / interval == squares
        for step, count in enumerate(counts[interval:], start=interval):
            assert count == step % interval + (code == "printed")
        for stop in range(1, len(counts) + 1):
            assert sum(x**2 for x in counts[:stop]) <= stop * Fraction(str(squares))


def test_drawing_a_cohort_breaks_theorem_1() -> None:
    """Cohorts of one, simulated: E x_t^2 from all 2^t draws is the run that the row states; with both clients nothing moves."""
    step, points, moment = Fraction(1, 64), [Fraction(0)], Fraction(0)
    for _ in range(6):
        assert sum((x**2 for x in points), Fraction(0)) / len(points) == moment
        points = [(1 - step) * x - step * n for x in points for n in (1, -1)]
        moment = (1 - step) ** 2 * moment + step**2
    assert "s = 1/64" in ONE_OF_TWO.text and "next_m = (1 - s)**2*m + s**2" in ONE_OF_TWO.text
    assert ONE_OF_TWO.proof[0]
    pair = [Clipped(ONE, ONE, Fraction(2)), Clipped(ONE, -ONE, Fraction(2))]
    assert set(run("FedAvg", pair, step_size=step, steps=6).means) == {0}


def test_same_additive_noise_keeps_the_averages_equal_and_proportional_noise_does_not() -> None:
    pair = [Clipped(ONE, Fraction(0), Fraction(100)), Clipped(ONE, Fraction(2), Fraction(100))]
    for noise in (Fraction(0), Fraction(1, 4)):
        words = dict(step_size=Fraction(1, 2), local_steps=2, steps=4, noise=noise)
        for one, two in zip(outcomes("printed", pair, **words), outcomes("FedAvg", pair, **words), strict=True):
            assert one.means == two.means
    assert common_curvature.check(**common_curvature.printed).outcome.value == "holds"
    assert [control.name for control in common_curvature.controls][-1] == "noise proportional to the point"
    for control in common_curvature.controls:
        assert common_curvature.check(**control.changes).outcome.value == "refuted"


@pytest.mark.parametrize("code", ["printed", "FedAvg"])
def test_instances_respect_every_proved_bound(code: str) -> None:
    for setting in settings(code):
        for bound in (note.theorem_1, note.theorem_1_averaged, note.theorem_1_periods[code]):
            assert setting.average_gradient <= setting.evaluate(bound.expression), (setting.text, bound.name)
        if setting.short_intervals:
            for bound in (note.theorem_3, note.theorem_3_sharp):
                assert setting.average_gradient <= setting.evaluate(bound.expression), (setting.text, bound.name)


def test_clipped_clients() -> None:
    clients = [Clipped(ONE, Fraction(0), ONE), Clipped(ONE / 2, Fraction(3), Fraction(2))]
    grid = [Fraction(k, 16) for k in range(-160, 241)]
    assert minimum(clients) <= min(mean_value(clients, x) for x in grid)
    assert float(minimum(clients)) == pytest.approx(float(min(mean_value(clients, x) for x in grid)), abs=1e-3)
    spread = max(sum((c.gradient(x) - mean_gradient(clients, x)) ** 2 for c in clients) / 2 for x in grid)
    assert spread <= dissimilarity(clients)
    assert dissimilarity(clients) == spread  # the breakpoints lie on the grid
    for client in clients:
        slopes = [(client.value(x + Fraction(1, 1000)) - client.value(x - Fraction(1, 1000))) * 500 for x in grid]
        assert max(abs(float(s - client.gradient(x))) for s, x in zip(slopes, grid, strict=True)) < 1e-3


def test_rounds_and_flat_codes_agree() -> None:
    """FedAvg by rounds, Local SGD by its own loop and the flat code with the average taken first."""
    pair = DIFFERENT
    for interval in (1, 2, 3):
        rounds = averages("FedAvg", pair, interval, 7, Fraction(1, 3))
        assert rounds == averages("Local SGD", pair, interval, 7, Fraction(1, 3))
        flat = run("FedAvg", pair, step_size=Fraction(1, 3), local_steps=interval, steps=7, start=Fraction(0))
        assert rounds == list(flat.means)
        assert rounds == averages("average first, K divides t-1", pair, interval, 7, Fraction(1, 3))


def test_a_violation_next_to_a_complete_proof_is_an_error() -> None:
    violated = [Instance("two against one", Fraction(2), ONE)]
    with pytest.raises(ValueError, match="every step of the proof holds, and yet"):
        decide(Proof((identity("1 = 1", 1, 1),)), lambda: violated, method="none")
    broken = decide(Proof((identity("1 = 2", 1, 2),)), lambda: violated, method="none")
    assert broken.outcome.value == "refuted"
    assert broken.margin == -0.5


def test_unknown_code_is_refused() -> None:
    with pytest.raises(ValueError, match="is none of"):
        run("fedavg", [Clipped(ONE, ONE, ONE)], step_size=ONE, local_steps=1, steps=1, start=ONE)


def test_bounds_evaluate_and_print() -> None:
    values = dict(s=0.1, T=100, K=3, N=4, L=1.0, G=1.0, sigma=0.5, gap=2.0)
    expected = 2 * 2.0 / (0.1 * 100) + 4 * 0.01 * 9 + 0.1 * 0.25 / 4
    assert float(note.theorem_1.curve(**values)) == pytest.approx(expected, rel=1e-12)
    assert note.theorem_1.unmet(**{**values, "s": 2}) == ["0 < s <= 1/L"]
    assert r"\sigma^{2}" in note.theorem_1.latex()
