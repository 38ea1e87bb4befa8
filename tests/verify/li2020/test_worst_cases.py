"""What the rows on Li et al. (2020) say, against independent numbers: exact runs, the solver's values, the printed theorem."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
import sympy as sp

import fltheory as fl
from fltheory.evidence.catalogue import load_for
from fltheory.theory.li2020.theorems import theorem_1_improved
from fltheory.worstcase.analysis import Analysis
from fltheory.worstcase.entry import build_model, solve_model
from fltheory.worstcase.functional import Functional
from verify.li2020 import frontier
from verify.li2020 import symbols as paper
from verify.li2020.frontier import THEOREM_1_FRONTIER, TwoClients, distance_bound, drift_constant, r, smallest_drift
from verify.li2020.symbols import L
from verify.li2020.worst_cases import boxes

ROWS = (
    "LI-LEM1-S2",
    "LI-LEM1-S3",
    "LI-THM1-S3",
    "LI-THM1-S4",
    "LI-EQ13-S2",
    "LI-EQ13-S3",
    "LI-EQ13-S4",
    "LI-EQ13-S5",
    "LI-LEM3-S2",
    "LI-LEM5-1-S2",
    "LI-LEM5-2-S2",
)
STEPS = [("1/4", "1/10"), ("1", "1/3"), ("19/10", "1/10"), ("3", "1/2")]


@pytest.mark.parametrize(("step", "modulus"), STEPS)
@pytest.mark.parametrize("ratio", ["1", "5/4", "7"])
def test_two_clients_attain_the_bound_and_no_random_clients_exceed_it(step: str, modulus: str, ratio: str) -> None:
    case = TwoClients(Fraction(step), Fraction(modulus), Fraction(ratio))
    eta, mu = float(case.step), float(case.mu)
    s, half = abs(1 - eta * (1 + mu) / 2), eta * (1 - mu) / 2
    assert math.isclose(float(case.after()), (s + half * float(case.ratio)) ** 2, rel_tol=1e-12)
    random = np.random.default_rng(20)
    for _ in range(50):
        weights = random.dirichlet(np.ones(4))
        points = random.normal(size=(4, 3))
        turns = [np.linalg.qr(random.normal(size=(3, 3)))[0] for _ in range(4)]
        hessians = [q @ np.diag(random.uniform(mu, 1, size=3)) @ q.T for q in turns]
        moved = weights @ np.array([x - eta * h @ x for x, h in zip(points, hessians, strict=True)])
        mean, drift = weights @ points, weights @ (points**2).sum(axis=1)
        assert np.linalg.norm(moved) <= s * np.linalg.norm(mean) + half * math.sqrt(drift) + 1e-12


@pytest.mark.parametrize("ratio", ["1", "6/5", "3"])
def test_the_closed_form_is_the_slope(ratio: str) -> None:
    values = {L: 1, paper.mu: sp.Rational(1, 10), paper.eta: sp.Rational(1, 4), r: sp.Rational(ratio)}
    contraction, drift = (entry.subs(values) for entry in frontier.slope())
    assert sp.simplify(smallest_drift(contraction).subs(values) - drift) == 0


def test_the_frontier_at_a_named_point() -> None:
    values = {L: 1, paper.mu: sp.Rational(1, 10), paper.eta: sp.Rational(1, 4)}
    assert math.isclose(float(smallest_drift(sp.Rational(39, 40)).subs(values)), 0.0717384676, rel_tol=1e-8)


@pytest.mark.parametrize("kappa", [2, 10])
def test_the_new_theorem_is_above_the_recursion_that_it_solves(kappa: int) -> None:
    """The exact recursion with the best factors in every step, and with those of one delta, in floats."""
    mu, noise, g2, local = 1.0, 0.3, 2.0, 3
    first = max(8 * kappa, local) + 1
    for delta in (0.0, 0.5, 1.0):
        best = chosen = 1.0
        ratio = 1 + delta / (kappa - 1)
        for x in range(first, first + 3000):
            eta = 2 / (mu * x)
            s, half = 1 - eta * (kappa + 1) / 2, eta * (kappa - 1) / 2
            drift = 4 * eta**2 * (local - 1) ** 2 * g2
            best = (s * math.sqrt(best) + half * math.sqrt(best + drift)) ** 2 + eta**2 * noise
            top = s + ratio * half
            chosen = top * ((s + half / ratio) * chosen + half / ratio * drift) + eta**2 * noise
            assert best <= chosen * (1 + 1e-12)
            if x % 500 == 0:
                bound = distance_bound(
                    sp.Integer(1),
                    sp.Integer(first),
                    sp.Integer(x + 1),
                    sp.Float(noise),
                    sp.Float(g2),
                    sp.Integer(local),
                    sp.Integer(4),
                ).subs({frontier.kappa: kappa, frontier.delta: delta})
                assert chosen <= float(bound)


def test_the_drift_constant_is_below_the_earlier_one() -> None:
    for kappa in (2, 10, 100):
        new = drift_constant(sp.Integer(1), sp.Integer(2), sp.Integer(4)).subs(
            {frontier.kappa: kappa, frontier.delta: 1}
        )
        assert new < 8 * kappa
    symbols = {symbol.name for symbol in THEOREM_1_FRONTIER.expression.free_symbols}
    assert symbols == {symbol.name for symbol in theorem_1_improved.expression.free_symbols} | {"delta"}


@pytest.mark.parametrize(("local", "kappa"), [(2, 10), (4, 3)])
def test_the_closed_form_of_the_drift_is_the_worst_case(local: int, kappa: int) -> None:
    def measure(analysis: Analysis) -> Functional:
        last = analysis.program.instructions[analysis.program.registers("gradient")[-1]][1]
        return analysis.square(analysis.minus(last, analysis.mean(last)))

    mu, eta = 1 / kappa, 0.25
    model = build_model(
        fl.FedAvg(local, Fraction(1, 4)),
        fl.SmoothStronglyConvex(Fraction(1, kappa)),
        measure=measure,
        start={},
        heterogeneity="bounded gradients",
    )
    value = solve_model(model, certify=False).solver_value
    assert math.isclose(value, ((1 - (1 - eta * mu) ** (local - 1)) / mu) ** 2, rel_tol=1e-5)


@pytest.mark.parametrize("row", ROWS)
def test_a_row_is_found_by_its_id(row: str) -> None:
    found = load_for([row])
    assert row in found.claims and not found.broken


def test_no_local_run_gets_further_than_the_closed_form() -> None:
    """Huber clients on the line with random weights and falling or growing steps: G is their gradient at the start only."""
    random = np.random.default_rng(5)
    for _ in range(200):
        mu, count = random.uniform(0.01, 0.9), int(random.integers(1, 6))
        weights, centres = random.dirichlet(np.ones(count)), random.normal(size=count)
        steps = random.uniform(0, 2 / (1 + mu), size=int(random.integers(1, 7)))

        def gradient(x: np.ndarray, mu: float = mu, centres: np.ndarray = centres) -> np.ndarray:
            return mu * x + (1 - mu) * np.clip(x - centres, -0.3, 0.3)

        points = np.full(count, random.normal())
        g2 = weights @ gradient(points) ** 2
        for step in steps:
            points = points - step * gradient(points)
        drift = weights @ points**2 - (weights @ points) ** 2
        assert drift <= ((1 - np.prod(1 - steps * mu)) / mu) ** 2 * g2 + 1e-12


@pytest.mark.parametrize(("local", "step", "modulus"), [(2, "1/16", "1/20"), (3, "11/64", "3/20"), (5, "1/8", "1/5")])
def test_the_polynomials_of_a_round_are_above_the_worst_case_between_the_points_compared(
    local: int, step: str, modulus: str
) -> None:
    """At the borders of the octaves and inside them."""
    eta, mu = Fraction(step), Fraction(modulus)
    worst = boxes.sharp(local, eta, mu, 1, local).value
    assert worst <= float(boxes.constant(local).value_at(eta, mu)) <= 1.1 * worst
