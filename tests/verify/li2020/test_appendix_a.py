"""Appendix A of Li et al. (2020): premises, instances and bounds against explicit clients in several dimensions."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
import sympy as sp

from fltheory.theory.proofs import is_zero
from verify.li2020 import lemmas
from verify.li2020 import symbols as paper
from verify.li2020.appendix_a.induction import Recursion
from verify.li2020.lemma_3.local_drift import (
    OPPOSITE_LINEAR,
    OPPOSITE_MINIMISERS,
    drift_and_bound,
    fedavg_drift,
)
from verify.li2020.lemmas import DISTANCE, FINAL, LEMMA_1, LEMMA_1_SHARP, LEMMA_2, LEMMA_3, RECURSION, RECURSION_SHARP
from verify.li2020.one_step import Snapshot, snapshots
from verify.li2020.symbols import Fbar, Fstar, Gamma, Gbar, L, convexity, eta, f_bar, g_bar, g_star, gbar, wbar, wstar


def explicit_clients(seed: int, n: int = 4, d: int = 3) -> dict[str, np.ndarray]:
    """Quadratic clients with Hessians between mu = 0.2 and L = 1 in d dimensions, points, and weights."""
    rng = np.random.default_rng(seed)
    hessians = []
    for _ in range(n):
        q, _ = np.linalg.qr(rng.normal(size=(d, d)))
        hessians.append(q @ np.diag(rng.choice([0.2, 1.0, 0.6], size=d)) @ q.T)
    return {
        "A": np.array(hessians),
        "m": rng.normal(size=(n, d)),
        "w": rng.normal(size=(n, d)),
        "p": rng.dirichlet(np.ones(n)),
    }


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("step", [0.25, 1.0, 2 / 1.2])
def test_sharp_lemma_1_on_explicit_clients(seed: int, step: float) -> None:
    """The certificate in scalars speaks for N clients and vectors: the bound holds there, without Gamma."""
    c = explicit_clients(seed)
    low, high = 0.2, 1.0
    optimum = np.linalg.solve(np.einsum("k,kij->ij", c["p"], c["A"]), np.einsum("k,kij,kj->i", c["p"], c["A"], c["m"]))
    gradients = np.einsum("kij,kj->ki", c["A"], c["w"] - c["m"])
    mean = c["p"] @ c["w"]
    drift = c["p"] @ np.sum((c["w"] - mean) ** 2, axis=1)
    left = np.sum((mean - optimum - step * c["p"] @ gradients) ** 2)
    values = {"eta": step, "mu": low, "L": high, "V": drift, "Delta": np.sum((mean - optimum) ** 2), "n": 0.0}
    assert left <= float(LEMMA_1_SHARP.curve(**values)) * (1 + 1e-12)


@pytest.mark.parametrize(
    ("low", "step", "weights"), [(0.1, 0.25, (0.5, 0.5)), (0.1, 1.0, (0.3, 0.3, 0.4)), (0.5, 0.25, (0.2, 0.8))]
)
def test_sharp_lemma_1_against_an_explicit_semidefinite_program(
    low: float, step: float, weights: tuple[float, ...]
) -> None:
    """Worst case over all smooth strongly convex clients, one Gram matrix for all of them: the same constant."""
    import cvxpy as cp

    n, high = len(weights), 1.0
    basis = np.eye(3 * n - 1)
    w, g = basis[:n], basis[n : 2 * n]
    at_optimum = [*basis[2 * n :]]
    at_optimum.append(-sum(p * s for p, s in zip(weights, at_optimum, strict=False)) / weights[-1])
    gram = cp.Variable((3 * n - 1, 3 * n - 1), PSD=True)
    f, f_star = cp.Variable(n), cp.Variable(n)

    def inner(x: np.ndarray, y: np.ndarray) -> object:
        return cp.trace(gram @ ((np.outer(x, y) + np.outer(y, x)) / 2))

    constraints = [f_star[0] == 0]
    for k in range(n):
        ends = [(w[k], g[k], f[k]), (0 * w[k], at_optimum[k], f_star[k])]
        for (x, gx, fx), (y, gy, fy) in (ends, ends[::-1]):
            excess = gx - gy - low * (x - y)
            constraints.append(
                fx >= fy + inner(gy, x - y) + low / 2 * inner(x - y, x - y) + inner(excess, excess) / (2 * (high - low))
            )
    mean = sum(p * x for p, x in zip(weights, w, strict=True))
    mean_gradient = sum(p * x for p, x in zip(weights, g, strict=True))
    constraints.append(sum(p * inner(x - mean, x - mean) for p, x in zip(weights, w, strict=True)) <= 1)
    constraints.append(inner(mean, mean) <= 50)  # the supremum is approached only as |wbar - w*| grows
    new = mean - step * mean_gradient
    worst = cp.Problem(cp.Maximize(inner(new, new) - (1 - step * low) ** 2 * inner(mean, mean)), constraints)
    worst.solve(solver=cp.CLARABEL)
    sharp = float(lemmas.SHARP_DRIFT.subs({eta: step, paper.mu: low, L: high}))
    assert 0.97 * sharp <= worst.value <= (1 + 1e-5) * sharp


def test_interpolation_follows_from_the_assumptions() -> None:
    assert is_zero(paper.interpolation_residual())


def test_premises_hold_on_all_instances() -> None:
    """Every premise that the certificates use is nonnegative for each client of each instance."""
    zero = sp.Integer(0)
    forms = [
        convexity(paper.w, paper.f, wbar, f_bar, g_bar),
        convexity(paper.w, paper.f, wbar, f_bar, g_bar, modulus=zero),
        convexity(wstar, paper.f_star, paper.w, paper.f, paper.g),
        paper.smoothness(wbar, f_bar, wstar, paper.f_star, g_star),
        Fbar - Fstar,
        Gamma,
    ]
    for s in snapshots():
        assert all(s.client(form, k) >= 0 for form in forms for k in range(len(s.weights))), s.describe()


def test_instances_obey_the_averaging_table() -> None:
    """The means that the certificates assume are the means of the instances."""
    for s in snapshots():
        means = [(paper.w, wbar), (paper.g, gbar), (g_bar, Gbar), (f_bar, Fbar), (paper.f_star, Fstar)]
        assert all(s.average(symbol) == s.average(mean) for symbol, mean in means)
        assert s.average(g_star) == 0
        assert s.average(paper.f_min) == s.average(Fstar - Gamma)


def test_snapshots_evaluate_forms_exactly() -> None:
    """The compiled forms agree with substitution, and refuse what has no value."""
    form = (paper.w - wbar) ** 2 / (1 + eta) - 3 * paper.g * wstar / L
    for s in snapshots()[:40]:
        symbols = (paper.w, wbar, eta, paper.g, wstar, L)
        values = {x: sp.Rational(str(s.client(x, 0))) for x in symbols}
        assert sp.Rational(str(s.client(form, 0))) == form.subs(values)
    with pytest.raises(ValueError, match="no value on a snapshot"):
        snapshots()[0].average(sp.Symbol("unknown"))
    with pytest.raises(ValueError, match="not to one"):
        Snapshot((Fraction(1, 2),), (Fraction(1),), (Fraction(0),), (Fraction(1),), Fraction(1))


@pytest.mark.parametrize("start", [0, 1, 3])
def test_rounds_begin_where_all_clients_agree(start: int) -> None:
    """At t0 the drift is zero, and it is not between synchronisations."""
    sides = drift_and_bound(OPPOSITE_MINIMISERS, (Fraction(1, 4),) * 12, 4, first_bounded=start, start=start)
    drift = {t: left for t, (_, left, _) in zip(range(start, 12), sides, strict=True)}
    for t in drift:
        first = max(start, t // 4 * 4)
        assert drift[first] == 0 and (t == first or drift[t] > 0)


def test_first_gradient_matters_for_lemma_3() -> None:
    """Steps that Lemma 1 allows: the bound of Lemma 3 holds with G over t = 0, 1 and fails with G at t = 1 only."""
    run = OPPOSITE_MINIMISERS, (Fraction(1, 4), Fraction(1, 8)), 2
    assert all(left <= right for _, left, right in drift_and_bound(*run))
    assert drift_and_bound(*run, first_bounded=1)[1][1:] == (Fraction(1, 16), Fraction(9, 256))


def test_lemma_3_is_attained_and_not_exceeded() -> None:
    steps = (Fraction(2),) * 4 + (Fraction(1),) * 17
    every = drift_and_bound(OPPOSITE_LINEAR, steps, 5)
    assert max(drift / right for _, drift, right in every) == 1
    assert all(right == LEMMA_3.exact(eta=steps[t], E=5, G=1) for t, (_, _, right) in enumerate(every))


def test_one_local_step_has_no_drift() -> None:
    history = fedavg_drift(OPPOSITE_LINEAR[1], lambda t: Fraction(1, t + 1), 1, stop=10)
    assert all(drift == 0 for _, drift, _ in history)


def test_recursion_stays_below_the_bound() -> None:
    run = Recursion(Fraction(2), Fraction(7), Fraction(1), Fraction(3), Fraction(1))
    for t, distance in run.run(40):
        assert distance <= Fraction(str(DISTANCE.exact(beta=2, mu=1, B=3, gamma=7, Delta_1=1, L=1, t=t)))


def test_sharp_bounds_are_below_the_printed_ones() -> None:
    common = {"eta": 0.2, "mu": 0.1, "L": 1.0, "Delta": 1.0, "S": 0.3, "Gamma": 0.5, "G": 2.0, "E": 5}
    assert RECURSION_SHARP.curve(**RECURSION_SHARP.select(common)) < RECURSION.curve(**common)
    values = {**common, "V": 1.0, "n": 0.1}
    assert LEMMA_1_SHARP.curve(**LEMMA_1_SHARP.select(values)) < LEMMA_1.curve(**LEMMA_1.select(values))


@pytest.mark.parametrize("bound", [LEMMA_1, LEMMA_2, LEMMA_3, RECURSION, DISTANCE, FINAL])
def test_bounds_print_what_they_evaluate(bound: object) -> None:
    assert r"\le" in bound.latex()  # type: ignore[attr-defined]
