r"""Exact second moments of mixed FL on two parabolas, for many step sizes at once (Augenstein et al., 2022).

``f_f = lambda_f x^2/2 + g x``, ``f_c = lambda_c x^2/2 - g x`` with the minimiser 0; S clients alike, all taking part, whose
gradients carry independent noise of variance sigma^2, the server's of variance sigma_c^2.  With ``q`` as in
:mod:`closed_forms` and ``n = eta^2 sum_{k<K} (1 - eta lambda)^(2k)`` (the variance that unit noise leaves after K steps) the
state ``z = (x, 1)``, for 2-way GT ``z = (x, gt_c, gt_f, 1)``, makes ``E z z' -> M E z z' M' + N``.  All rates are floats; the
package's exact moments are the check.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]
ALGORITHMS = ("Parallel Training", "1-way GT", "2-way GT")
#: More rounds than this are not looked at.
MOST_DOUBLINGS = 40


@dataclass(frozen=True)
class Scalar:
    """An instance: curvatures, slope g, local steps K, clients S, the two variances."""

    federated: float = 1.0
    central: float = 0.5
    slope: float = 0.0
    steps: int = 2
    clients: int = 1
    variance: float = 0.0
    central_variance: float = 0.0

    @property
    def curvature(self) -> float:
        """lambda_f + lambda_c."""
        return self.federated + self.central

    def but(self, **changes: Any) -> Scalar:
        """A copy with changes."""
        return replace(self, **changes)


@dataclass(frozen=True)
class ClientRates:
    """Client steps ``eta`` ``(n,)``; the central ones are ``central`` times as large."""

    eta: Array
    central: float = 1.0
    server: float = 1.0
    merge: float = 1.0


def moved(curvature: float, eta: Array, steps: int) -> tuple[Array, Array]:
    """``q`` and ``n``, ``(n,)`` each."""
    powers = (1 - eta * curvature)[:, None] ** np.arange(steps)
    return eta * powers.sum(axis=1), eta**2 * (powers**2).sum(axis=1)


def round_of(algorithm: str, case: Scalar, rates: ClientRates) -> tuple[Array, Array]:
    """``M``, ``N``: ``(n, D+1, D+1)``, for 2-way GT with the printed divisor eta.

    Raises
    ------
    ValueError : an unknown algorithm.
    """
    if algorithm not in ALGORITHMS:
        raise ValueError(f"algorithm={algorithm!r} is unknown; expected one of {ALGORITHMS}")
    eta, K, g = np.asarray(rates.eta, dtype=float), case.steps, case.slope
    q_f, n_f = moved(case.federated, eta, K)
    q_c, n_c = moved(case.central, rates.central * eta, K)
    n_f, n_c = n_f * case.variance / case.clients, n_c * case.central_variance
    size = 4 if algorithm == "2-way GT" else 2
    M, N = np.zeros((len(eta), size, size)), np.zeros((len(eta), size, size))
    M[:, -1, -1] = 1
    if algorithm == "1-way GT":
        M[:, 0, 0] = 1 - rates.server * q_f * case.curvature
        N[:, 0, 0] = rates.server**2 * (n_f + q_f**2 * case.central_variance)
        return M, N
    s, m = rates.server, rates.merge
    M[:, 0, 0] = 1 - m * (case.central * q_c + s * case.federated * q_f)
    M[:, 0, -1] = m * (q_c - s * q_f) * g
    if algorithm == "Parallel Training":
        N[:, 0, 0] = m**2 * (n_c + s**2 * n_f)
        return M, N
    k = eta * K
    M[:, 0, 1], M[:, 0, 2] = -m * s * q_f, -m * q_c
    M[:, 1, 0], M[:, 1, 2], M[:, 1, -1] = case.central * q_c / k, q_c / k - 1, -g * q_c / k
    M[:, 2, 0], M[:, 2, 1], M[:, 2, -1] = case.federated * q_f / k, q_f / k - 1, g * q_f / k
    for noise, row in ((n_c, (m + 0 * k, -1 / k, 0 * k)), (n_f, (m * s + 0 * k, 0 * k, -1 / k))):
        vector = np.stack(row, axis=1)
        N[:, :3, :3] += noise[:, None, None] * vector[:, :, None] * vector[:, None, :]
    return M, N


def operator(algorithm: str, case: Scalar, rates: ClientRates) -> Array:
    """The linear map of a round on ``(vec E z z', 1)``, ``(n, D'^2 + 1, D'^2 + 1)``."""
    M, N = round_of(algorithm, case, rates)
    n, size = M.shape[:2]
    whole = np.zeros((n, size * size + 1, size * size + 1))
    whole[:, :-1, :-1] = (M[:, :, None, :, None] * M[:, None, :, None, :]).reshape(n, size * size, size * size)
    whole[:, :-1, -1], whole[:, -1, -1] = N.reshape(n, -1), 1
    return whole


def begin(algorithm: str, start: float) -> Array:
    """``(vec z z', 1)`` at the model ``start``, augmenting gradients zero."""
    z = np.zeros(4 if algorithm == "2-way GT" else 2)
    z[0], z[-1] = start, 1
    return np.append((z[:, None] * z[None, :]).ravel(), 1.0)


def squared_distance(algorithm: str, case: Scalar, rates: ClientRates, rounds: int, start: float) -> Array:
    """``E x^2`` after ``rounds`` rounds, ``(n,)``."""
    powers = np.linalg.matrix_power(operator(algorithm, case, rates), rounds)
    found: Array = (powers @ begin(algorithm, start))[:, 0]
    return found


def rounds_to(
    algorithm: str, coordinates: Sequence[Scalar], rates: ClientRates, accuracy: float, start: float
) -> Array:
    """For each step size the rounds T with ``E f - f* <= accuracy`` after T and not after T - 1 rounds, ``inf`` if none.

    ``f`` is the sum of the ``coordinates``' parabolas, each started at ``start``.  Found by bisection over powers of the
    round's map; it is the first such T where the gap falls from round to round.
    """
    first = begin(algorithm, start)
    states = np.broadcast_to(first, (len(coordinates), len(rates.eta), len(first)))
    powers = [np.stack([operator(algorithm, case, rates) for case in coordinates])]
    halves = np.array([case.curvature for case in coordinates])[:, None] / 2

    def gap(of: Array) -> Array:
        total: Array = (halves * of[:, :, 0]).sum(axis=0)
        return total

    with np.errstate(over="ignore", invalid="ignore"):
        reached = gap(states) <= accuracy
        at_once = reached.copy()
        for _ in range(MOST_DOUBLINGS):
            reached |= gap((powers[-1] @ states[..., None])[..., 0]) <= accuracy
            if reached.all():
                break
            powers.append(powers[-1] @ powers[-1])
        total = np.zeros(len(rates.eta))
        for place in range(len(powers) - 1, -1, -1):
            after = (powers[place] @ states[..., None])[..., 0]
            late = gap(after) > accuracy  # false for NaN: a run that has diverged does not count
            states, total = np.where(late[None, :, None], after, states), total + late * 2.0**place
    found: Array = np.where(at_once, 0.0, np.where(reached, total + 1, np.inf))
    return found


def stationary(algorithm: str, case: Scalar, rates: ClientRates) -> tuple[Array, Array]:
    """Mean and variance of the model in the limit, ``(n,)`` each; ``inf`` where the rounds do not contract.

    For many step sizes at once what :func:`fltheory.readings.stationary` finds for one algorithm.
    """
    M, N = round_of(algorithm, case, rates)
    T, shift = M[:, :-1, :-1], M[:, :-1, -1]
    n, size = shift.shape
    stable = np.abs(np.linalg.eigvals(T)).max(axis=1) < 1
    mean, variance = np.full(n, np.inf), np.full(n, np.inf)
    inside = T[stable]
    mean[stable] = np.linalg.solve(np.eye(size) - inside, shift[stable][:, :, None])[:, 0, 0]
    pairs = (inside[:, :, None, :, None] * inside[:, None, :, None, :]).reshape(-1, size * size, size * size)
    noise = N[stable][:, :-1, :-1].reshape(-1, size * size, 1)
    variance[stable] = np.linalg.solve(np.eye(size * size) - pairs, noise)[:, 0, 0]
    return mean, variance


def contraction(algorithm: str, case: Scalar, rates: ClientRates) -> Array:
    """The largest modulus of an eigenvalue of the round's map, ``(n,)``."""
    M, _ = round_of(algorithm, case, rates)
    found: Array = np.abs(np.linalg.eigvals(M[:, :-1, :-1])).max(axis=1)
    return found


def margin(algorithm: str, case: Scalar, rates: ClientRates) -> Array:
    """How far the rounds are from not contracting, ``(n,)``: one minus the largest modulus of an eigenvalue.

    For the two methods with one eigenvalue ``1 + rho`` is a sum in which ``(1 - eta lambda)^K`` is kept however small it is:
    with all rates one the factor of Parallel Training tends to -1 for many steps, and is never below it.
    """
    if algorithm == "2-way GT":
        return 1 - contraction(algorithm, case, rates)
    s, m, K = rates.server, rates.merge, case.steps
    left = (1 - np.asarray(rates.eta) * case.federated) ** K
    if algorithm == "1-way GT":
        gain = s * case.curvature / case.federated
        below, above = gain * (1 - left), (2 - gain) + gain * left
    else:
        right = (1 - rates.central * np.asarray(rates.eta) * case.central) ** K
        below, above = m * (1 - right) + m * s * (1 - left), (2 - m - m * s) + m * right + m * s * left
    return np.asarray(np.minimum(below, above))


def largest_step(
    algorithm: str, case: Scalar, *, upper: float, server: float = 1.0, merge: float = 1.0, points: int = 4000
) -> float:
    """The first eta up to ``upper`` where the rounds stop contracting, refined by bisection; ``inf`` if none is found.

    ``points`` step sizes between ``upper/10^5`` and ``upper``, each the same factor larger than the last, are looked at; bands
    between two of them go unseen.

    Raises
    ------
    ValueError : rounds that do not contract at the smallest of them.
    """
    grid = np.geomspace(1e-5 * upper, upper, points)

    def stable(eta: Array) -> npt.NDArray[np.bool_]:
        return np.asarray(margin(algorithm, case, ClientRates(eta, 1.0, server, merge)) > 0)

    unstable = np.flatnonzero(~stable(grid))
    if not len(unstable):
        return float("inf")
    if unstable[0] == 0:
        raise ValueError(f"the rounds do not contract at eta={grid[0]:.6g}, the smallest step size looked at")
    low, high = float(grid[unstable[0] - 1]), float(grid[unstable[0]])
    for _ in range(50):
        middle = (low + high) / 2
        low, high = (middle, high) if stable(np.array([middle]))[0] else (low, middle)
    return low
