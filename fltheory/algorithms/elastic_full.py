"""Algorithms 1 and 2 of the supplement to Chen et al. (CVPR 2023): FedAvg with momentum, and FedProx, with elastic aggregation.

Written on plain arrays, floats or exact numbers alike, so that every sign and factor of the printed steps is an option with a name.
The defaults are the readings that minimise: on ``f = a theta^2/2`` the others move away from the minimiser for all step sizes
(server sign), or for all penalties above the step size times the curvature (order of the proximal difference).  The rows
``EL-ALG1`` and ``EL-ALG2`` prove this for all ``a``, step sizes, numbers of steps and elasticities.

``zeta``: one number per coordinate, or a function of the server's model that gives them, such as one that reads sensitivities
(:func:`fltheory.algorithms.sensitivities.elasticity`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from fltheory.algorithms.optimisers import check_decay
from fltheory.kinds import Array
from fltheory.problems.checks import check_choice, check_count, check_nonnegative

#: A client's (mini-batch) gradient of its own loss.
Gradient = Callable[[Array], Any]
#: ``Delta_k``: what a client sends, ``theta_k - theta`` as printed or its opposite.
DIFFERENCES = {"local - global": 1, "global - local": -1}
#: The server's step, ``theta + eta m`` or, as printed, ``theta - eta m``.
SERVER_SIGNS = {"plus": 1, "minus": -1}
#: The proximal term ``rho (theta - theta_k)`` as read from the scan, or ``rho (theta_k - theta)``, added to the local model.
ORDERS = {"global - local": 1, "local - global": -1}
#: The factor of the proximal difference: ``rho`` as printed, or ``eta' rho``, a gradient step on ``L_k + (rho/2)|.|^2``.
FACTORS = ("rho", "step size times rho")


def elastic_fedavgm(
    gradients: Sequence[Gradient],
    theta: Any,
    rounds: int,
    *,
    local_steps: int,
    step_size: Any,
    server_step_size: Any = 1,
    momentum: Any = 0,
    zeta: Any = 1,
    weights: Sequence[Any] | None = None,
    difference: str = "local - global",
    server_sign: str = "plus",
) -> list[Array]:
    """Models before the first round and after each one of Algorithm 1.

    ``m <- mu' m + (1 - mu') zeta sum_k w_k Delta_k``, ``theta <- theta + eta m`` (``server_sign="plus"``), with ``Delta_k`` the
    ``difference`` after ``local_steps`` steps ``theta_k <- theta_k - eta' grad L_k(theta_k)``.  Printed is the minus with
    ``Delta_k = theta_k - theta``, which climbs: it is the default with one of the two signs turned.

    Raises
    ------
    ValueError : ``rounds < 0``, ``local_steps < 1``, a momentum outside [0, 1), an unknown reading.
    """
    _check(rounds, local_steps, difference, server_sign)
    check_decay("momentum", momentum)
    model = np.asarray(theta, dtype=object) if _exact(theta) else np.asarray(theta)
    memory, models = model * 0, [model]
    for _ in range(rounds):
        change = _mean_move(gradients, model, weights, lambda gradient, x, _: x - step_size * gradient(x), local_steps)
        change = DIFFERENCES[difference] * _elastic(zeta, model) * change
        memory = momentum * memory + (1 - momentum) * change
        model = model + SERVER_SIGNS[server_sign] * server_step_size * memory
        models.append(model)
    return models


def elastic_fedprox(
    gradients: Sequence[Gradient],
    theta: Any,
    rounds: int,
    *,
    local_steps: int,
    step_size: Any,
    penalty: Any,
    zeta: Any = 1,
    weights: Sequence[Any] | None = None,
    order: str = "global - local",
    factor: str = "step size times rho",
    difference: str = "local - global",
    server_sign: str = "plus",
) -> list[Array]:
    """Models before the first round and after each one of Algorithm 2.

    Local steps ``theta_k <- theta_k - eta' grad L_k(theta_k) + c (theta - theta_k)``; printed is ``c = rho``
    (``factor="rho"``), while FedProx with penalty ``rho`` has ``c = eta' rho``, the default.  Then
    ``theta <- theta + zeta sum_k w_k (theta_k - theta)``.

    Raises
    ------
    ValueError : ``rounds < 0``, ``local_steps < 1``, a negative penalty, an unknown reading.
    """
    _check(rounds, local_steps, difference, server_sign)
    check_nonnegative("penalty", penalty)
    check_choice("order", order, tuple(ORDERS))
    check_choice("factor", factor, FACTORS)
    model = np.asarray(theta, dtype=object) if _exact(theta) else np.asarray(theta)
    pull = ORDERS[order] * penalty * (1 if factor == "rho" else step_size)
    models = [model]
    for _ in range(rounds):
        begin = model
        change = _mean_move(
            gradients,
            begin,
            weights,
            lambda gradient, x, begin: x - step_size * gradient(x) + pull * (begin - x),
            local_steps,
        )
        model = begin + SERVER_SIGNS[server_sign] * DIFFERENCES[difference] * _elastic(zeta, begin) * change
        models.append(model)
    return models


def _check(rounds: int, local_steps: int, difference: str, server_sign: str) -> None:
    """Raise ``ValueError`` unless counts are counts and readings are among those with a name."""
    check_count("rounds", rounds, least=0)
    check_count("local_steps", local_steps)
    check_choice("difference", difference, tuple(DIFFERENCES))
    check_choice("server_sign", server_sign, tuple(SERVER_SIGNS))


def _mean_move(
    gradients: Sequence[Gradient],
    begin: Array,
    weights: Sequence[Any] | None,
    step: Callable[[Gradient, Array, Array], Array],
    local_steps: int,
) -> Array:
    """``sum_k w_k (theta_k - theta)`` with steps ``step(gradient, x, theta)``; without weights the plain mean."""
    total, whole = begin * 0, 0
    for gradient, weight in zip(gradients, weights or [1] * len(gradients), strict=True):
        x = begin
        for _ in range(local_steps):
            x = step(gradient, x, begin)
        total, whole = total + weight * (x - begin), whole + weight
    return np.asarray(total / whole)


def _elastic(zeta: Any, model: Array) -> Any:
    numbers = zeta(model) if callable(zeta) else zeta
    return np.asarray(numbers) if isinstance(numbers, (list, tuple)) else numbers


def _exact(values: Any) -> bool:
    return np.asarray(values).dtype.kind in "Oiu"
