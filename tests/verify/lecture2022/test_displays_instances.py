"""The displays of the lecture note's proofs, evaluated on one step of quadratic clients and on random gradients."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import sympy as sp

from fltheory.theory.bound import Bound
from verify.lecture2022.displays import proof as lecture

Values = dict[str, Any]


def _computed(names: str) -> dict[str, Bound]:
    """The displays both of whose sides are expressions with a relation between numbers."""
    chosen = names.split()
    every = {n: getattr(lecture, n) for n in chosen}
    return {n: b for n, b in every.items() if isinstance(b.left, sp.Basic) and b.relation in {"=", "<=", "<", ">="}}


def _check(displays: dict[str, Bound], values: Values, *, violated: set[str] = frozenset()) -> None:  # type: ignore[assignment]
    """Every display holds at the values, except those named, which are violated by more than rounding."""
    for name, bound in displays.items():
        own = bound.select(values)
        scale = 1e-9 * (1 + np.max(np.abs(bound.curve(**own))))
        worst = np.min(bound.slack(**own))
        assert (worst < -100 * scale) if name in violated else (worst >= -scale), (name, worst)


def test_proof_of_the_lecture_note() -> None:
    """One step of two quadratic clients with independent noise of two outcomes each."""
    s, signs = 0.2, np.array(list(product([1.0, -1.0], repeat=2)))
    hessians, x = np.array([1.0, 2.0])[:, None, None], np.array([[[1.0], [0.5]], [[-0.5], [2.0]]])
    centres = np.array([[[0.2], [0.1]], [[1.0], [-1.0]]])
    noise = signs[:, None, :, None, None] * np.array([[[0.6], [0.8]], [[0.3], [0.4]]])
    xbar = x.mean(axis=0)

    def value(y: np.ndarray) -> np.ndarray:
        return np.asarray(
            np.mean(np.sum(hessians * (y - centres) ** 2, axis=(-1, -2), keepdims=True) / 2, axis=-3, keepdims=True)
        )

    g_mean, h = hessians * (x - centres), hessians * (xbar - centres)
    moved = xbar - s * np.mean(g_mean + noise, axis=-3, keepdims=True)
    g_square = np.max(np.mean(np.sum((g_mean + noise) ** 2, axis=(-1, -2)), axis=0))
    values: Values = {
        "x_before": x,
        "xbar_before": xbar,
        "g": g_mean + noise,
        "g_mean": g_mean,
        "h": h,
        "a": h.mean(axis=0),
        "xbar": moved,
        "z": noise,
        "before": value(xbar),
        "after": value(moved),
        "s": s,
        "N": 2.0,
        "L": 2.0,
        "sigma": 1.0,
        "K": 4.0,
        "G": np.sqrt(g_square),
    }
    names = [n for n in vars(lecture) if n.startswith(("p_", "side_", "condition"))]
    printed = {"p_3_last", "side_product"}
    skipped = {
        "p_sum",
        "p_telescoped",
        "p_last_value",
        "p_7_printed",
        "p_8_printed",
        "p_final_printed",
        "condition_printed",
    }
    _check(_computed(" ".join(set(names) - skipped)), values, violated=printed)


def test_proof_of_lemma_1_of_the_lecture_note() -> None:
    rng = np.random.default_rng(5)
    g_j, y, s = rng.normal(size=(4, 3, 2, 2, 1)), rng.normal(size=(2, 1)), 0.1
    x = y - s * np.sum(g_j, axis=-4, keepdims=True)
    bound = np.sqrt(np.max(np.mean(np.sum(g_j**2, axis=(-1, -2)), axis=0)))
    values: Values = {
        "g_j": g_j,
        "ybar": y,
        "s": s,
        "x_at": x,
        "xbar": x.mean(axis=-3, keepdims=True),
        "N": 2.0,
        "tau": 3.0,
        "K": 3.0,
        "G": bound,
    }
    names = [n for n in vars(lecture) if n.startswith("l_") and n != "l_steps_since"]
    _check(_computed(" ".join(names)), values)
