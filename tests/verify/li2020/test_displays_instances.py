"""The displays of the proofs, evaluated on runs and random vectors: true where true, violated where wrong as printed.

The numbers come from quadratic clients, enumerated cohorts and the matrices of the example, not from the displays.
"""

from __future__ import annotations

from itertools import permutations, product
from types import ModuleType
from typing import Any

import numpy as np
import pytest
import sympy as sp

from fltheory.theory.bound import Bound
from verify.li2020.appendix_c.example import Example, fixed_point
from verify.li2020.displays import appendix_a as displays_appendix_a
from verify.li2020.displays import appendix_b as displays_appendix_b
from verify.li2020.displays import appendix_c as displays_appendix_c
from verify.li2020.displays import lemma_1 as displays_lemma_1
from verify.li2020.displays import theorem_5 as displays_theorem_5
from verify.li2020.symbols import CLIENTS

Values = dict[str, Any]


def _computed(module: ModuleType, names: str = "") -> dict[str, Bound]:
    """The displays of a module both of whose sides are expressions with a relation between numbers."""
    chosen = names.split() or [n for n, v in vars(module).items() if isinstance(v, Bound)]
    every = {n: getattr(module, n) for n in chosen}
    return {n: b for n, b in every.items() if isinstance(b.left, sp.Basic) and b.relation in {"=", "<=", "<", ">="}}


def _check(displays: dict[str, Bound], values: Values, *, violated: set[str] = frozenset()) -> None:  # type: ignore[assignment]
    """Every display holds at the values, except those named, which are violated by more than rounding."""
    for name, bound in displays.items():
        own = bound.select(values)
        scale = 1e-9 * (1 + np.max(np.abs(bound.curve(**own))))
        worst = np.min(bound.slack(**own))
        assert (worst < -100 * scale) if name in violated else (worst >= -scale), (name, worst)


def _columns(x: np.ndarray) -> np.ndarray:
    return x[..., None]


def _step(seed: int) -> Values:
    """One step of three quadratic clients in the plane, with noise of two outcomes."""
    rng = np.random.default_rng(seed)
    p = np.array([0.5, 0.3, 0.2])
    angles, curvatures, m = rng.normal(size=3), rng.uniform(0.5, 2.0, size=(3, 2)), rng.normal(size=(3, 2))
    turn = np.array([[[np.cos(x), -np.sin(x)], [np.sin(x), np.cos(x)]] for x in angles])
    hessians = np.einsum("kij,kj,klj->kil", turn, curvatures, turn)
    w = rng.normal(size=(3, 2))
    wbar = p @ w
    wstar = np.linalg.solve(np.einsum("k,kij->ij", p, hessians), np.einsum("k,kij,kj->i", p, hessians, m))

    def value(x: np.ndarray) -> np.ndarray:
        return np.asarray(np.einsum("ki,kij,kj->k", x - m, hessians, x - m) / 2 + np.arange(3.0))

    def gradient(x: np.ndarray) -> np.ndarray:
        return np.asarray(np.einsum("kij,kj->ki", hessians, x - m))

    everywhere = np.ones((3, 1))
    gbar = p @ gradient(w)
    noise = np.array([1.0, -1.0])[:, None, None, None, None] * np.array([[0.3], [0.4]])
    eta, mean = 0.1, np.array([0.5, 0.3, 0.2])
    fstar = mean @ value(everywhere * wstar)
    return {
        "p": p[:, None, None],
        "w": _columns(w),
        "wbar": _columns(wbar),
        "wstar": _columns(wstar),
        "g": _columns(gradient(w)),
        "g_bar": _columns(gradient(everywhere * wbar)),
        "gbar": _columns(gbar),
        "f": value(w)[:, None, None],
        "f_bar": value(everywhere * wbar)[:, None, None],
        "f_star": value(everywhere * wstar)[:, None, None],
        "f_min": np.arange(3.0)[:, None, None],
        "Fbar": mean @ value(everywhere * wbar),
        "Fstar": fstar,
        "Gamma": fstar - mean @ np.arange(3.0),
        "eta": eta,
        "mu": 0.5,
        "L": 2.0,
        "gamma_t": 2 * eta * (1 - 4 * eta),
        "g_t": _columns(gbar) + noise,
        "vbar": _columns(wbar - eta * gbar) - eta * noise,
    }


@pytest.mark.parametrize("seed", range(5))
def test_proof_of_lemma_1(seed: int) -> None:
    _check(_computed(displays_lemma_1), _step(seed), violated={"combined_printed", "c_inserted"})


@pytest.mark.parametrize(
    "name", "eq_15 b_1_average eq_17 c_first c_second c_third gamma_average d_split c_collected fact_1_average".split()
)
def test_identities_of_lemma_1_hold_for_any_number_of_clients(name: str) -> None:
    """By the mean and deviation of the generic client, symbolically."""
    display = getattr(displays_lemma_1, name)
    assert sp.expand(CLIENTS.of(displays_lemma_1.form(display.left - display.expression))) == 0


def _round(seed: int) -> Values:
    """Three clients after four steps of a round of five, with four equally likely outcomes of the gradients."""
    rng = np.random.default_rng(seed)
    p, start = np.array([0.5, 0.3, 0.2]), rng.normal(size=(2, 1))
    g_j, eta_j = rng.normal(size=(4, 4, 3, 2, 1)), np.array([0.2, 0.15, 0.12, 0.11])[:, None, None, None]
    w = start - np.sum(eta_j * g_j, axis=-4, keepdims=True)
    bound = np.sqrt(np.max(np.mean(np.sum(g_j**2, axis=(-1, -2)), axis=0)))
    wbar = np.sum(p[:, None, None] * w, axis=-3, keepdims=True)
    return {
        "p": p[:, None, None],
        "w": w,
        "wbar": wbar,
        "wbar_0": start,
        "g_j": g_j,
        "eta_j": eta_j,
        "eta_0": 0.2,
        "eta": 0.1,
        "tau": 4.0,
        "E": 5.0,
        "G": bound,
    }


@pytest.mark.parametrize("seed", range(3))
def test_proof_of_lemma_3(seed: int) -> None:
    names = "drift_split drift_without_mean drift_jensen drift_by_steps drift_by_moments drift_by_round drift_last"
    _check(_computed(displays_appendix_a, names), _round(seed))


def test_conclusion_of_theorem_1() -> None:
    values = {"mu": 0.5, "L": 2.0, "beta": 4.0, "gamma": 40.0, "t": 7.0, "E": 5.0, "B": 1.3, "Delta_1": 0.2, "v": 21.0}
    names = "first_step smaller_of_two regrouped induction halving v_by_sum v_chosen final_inequality"
    _check(_computed(displays_appendix_a, names), values)
    final = displays_appendix_a.final_inequality
    assert final.slack(**final.select(values)) == pytest.approx(0, abs=1e-12)


def _cohorts(scheme: str) -> Values:
    """All equally likely cohorts of two among three clients; Scheme I draws twice with p = (1/2, 1/4, 1/4)."""
    rng = np.random.default_rng(7)
    if scheme == "I":
        draws, p = list(product([0, 0, 1, 2], repeat=2)), np.array([0.5, 0.25, 0.25])
    else:
        draws, p = list(permutations(range(3), 2)), np.full(3, 1 / 3)
    count = np.array([[sum(1 for i in drawn if i == k) for k in range(3)] for drawn in draws], dtype=float)
    v = rng.normal(size=(3, 2))
    drawn = count @ v / 2
    return {
        "count": count[:, None, :, None, None],
        "p": p[:, None, None],
        "v_k": _columns(v),
        "K": 2.0,
        "N": 3.0,
        "vbar": _columns(p @ v),
        "w_new": drawn[:, None, None, :, None],
        "wstar": np.array([[0.3], [0.1]]),
        "wbar_0": np.array([[0.2], [-0.4]]),
        "w_k0": np.array([[0.2], [-0.4]]),
        "P_1": 2 / 3,
        "P_2": 2 / 6,
        "w0": np.ones((2, 1)),
        "x_k": _columns(v),
        "q": p[:, None, None],
        "x_1": v[[d[0] for d in draws]][:, None, None, :, None],
        "x_l": v[np.array(draws)][:, :, None, :, None],
        "eta": 0.1,
        "eta_0": 0.15,
        "E": 5.0,
        "G": 2.0,
    }


_BOTH = (
    "unbiased variance split cross_term eq_25_split key_draws key_first key_mean spread_split spread_start scheme_i_common"
    " scheme_i_last"
)


def test_scheme_i_over_all_cohorts() -> None:
    names = _BOTH + " scheme_i eq_26_first eq_26 scheme_i_moments"
    _check(_computed(displays_appendix_b, names), _cohorts("I"))


def test_scheme_ii_over_all_cohorts() -> None:
    names = _BOTH + " scheme_ii deviations expanded_cohort expanded expanded_inserted scheme_ii_spread scheme_ii_mean"
    values = _cohorts("II")
    _check(_computed(displays_appendix_b, names + " scheme_ii_start scheme_ii_constant"), values)
    shortened = displays_appendix_b.original_rule
    own = shortened.select(values)
    assert not np.allclose(shortened.left_curve(**own), shortened.curve(**own))


def _float(matrix: Any) -> np.ndarray:
    return np.array(matrix.tolist(), dtype=float)


def _example(n_clients: int, block: int, steps: int) -> Values:
    """The matrices of the example without ridge, the exact fixed point, and a unit vector."""
    example, eta = Example(n_clients, block), sp.Rational(1, 10)
    clients, n = [_float(m) for m in example.clients], example.dimension
    b_k = np.zeros((n_clients, n, 1))
    b_k[0, 0, 0] = 1
    x = np.random.default_rng(3).normal(size=(n, 1))
    factors = [_float(example.features(k)) for k in range(1, n_clients + 1)]
    ones = np.zeros((n, 1))
    ones[: block + 1] = 1
    return {
        "A": sum(clients),
        "A_k": np.array(clients),
        "A_1": clients[0],
        "A_2": clients[1],
        "I": np.eye(n),
        "b": b_k[0],
        "b_1": b_k[0],
        "b_k": b_k,
        "X_1": factors[0],
        "X": np.vstack(factors),
        "w_opt": _float(example.optimum),
        "w_1": ones,
        "w_limit": _float(fixed_point(example, steps, eta)),
        "w": 2 * x,
        "x": x / np.linalg.norm(x),
        "eta": 0.1,
        "E": float(steps),
        "N": float(n_clients),
        "p": float(block),
        "mu": 0.0,
        "c": -0.5,
        "V": sum(m @ m for m in clients),
    }


def test_matrices_of_the_example() -> None:
    values = _example(3, 3, 4)
    names = (
        "sum_of_matrices sum_of_shifts theorem_5 eq_31_first eq_31_second eq_31 eq_31_lower semidefinite spectral_norm"
        " factor_of_the_sum minimiser first_client first_client_factor ridge_first ridge_first_square ridge_all"
        " ridge_all_repaired"
    )
    _check(_computed(displays_appendix_c, names), values, violated={"ridge_all"})
    ranks = displays_appendix_c.rank_inside.left_curve(**displays_appendix_c.rank_inside.select(values))
    assert list(ranks) == [4, 3, 4]
    entry = displays_appendix_c.minimiser_entries
    entries = [entry.curve(**entry.select({**values, "i": i})) for i in range(1, 11)]
    np.testing.assert_allclose(entries, values["w_opt"][:, 0], rtol=1e-12)
    i, j = np.meshgrid(range(1, 11), range(1, 11), indexing="ij")
    np.testing.assert_array_equal(displays_appendix_c.eq_28.curve(i=i, j=j), values["A"])
    np.testing.assert_array_equal(displays_appendix_c.eq_29.curve(i=i, j=j, k=2, p=3), values["A_k"][1])


def test_proof_of_theorem_5() -> None:
    values = _example(3, 3, 4)
    names = (
        "contraction_bound local_norm local_form form_by_one_step form_of_one_step form_below_one eq_32 infinite_shift_entries"
        " eq_33 lemma_6 squares inverse_norm last_equality last_inequality product_form product_form_repaired"
    )
    _check(_computed(displays_theorem_5, names), values, violated={"last_equality", "product_form"})
    gone = displays_theorem_5.no_overlap.left_curve(**displays_theorem_5.no_overlap.select(values))[2]
    assert np.all(gone == 0)
    _check({"E = 1": displays_theorem_5.one_local_step}, _example(3, 2, 1))


@pytest.mark.parametrize(
    "name, symbol, order", [("eq_35", "R_3", 3), ("bracket_order", "R_1", 3), ("inverse_leading", "R_0", 0)]
)
def test_remainders_are_of_the_order_that_is_claimed(name: str, symbol: str, order: int) -> None:
    """With the remainder left out the two sides differ by a multiple of eta^order."""
    values = _example(3, 2, 3) | {symbol: np.zeros((7, 7))}
    display = getattr(displays_theorem_5, name)
    errors = [-np.min(display.slack(**display.select(values | {"eta": eta}))) for eta in (1e-3, 5e-4)]
    assert np.log2(errors[0] / errors[1]) == pytest.approx(order, abs=0.02)
