"""Moduli, the minimum and distances from it: computed, on the side that is safe for a theorem."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from fltheory.problems.scaled import is_quadratic
from fltheory.problems.scaled_constants import constants_of
from fltheory.theory.hypotheses.decisions import KnownNumber, NotKnown
from fltheory.theory.settings.setting import Answer, RateSetting

_HOW = {"spectral": ("eigenvalues", True), "certified bound": ("a certified bound", False)}


def _modulus(attribute: str) -> Callable[[RateSetting], Answer]:
    def read(setting: RateSetting) -> Answer:
        constants = constants_of(setting.problem)
        how, exact = _HOW.get(str(getattr(constants, "exactness", "")), ("the problem's own", False))
        return KnownNumber(float(getattr(constants, attribute)), how, exact)

    return read


def _suboptimality(constants: Any) -> float:
    """By how much the minimum may lie below the value at ``minimiser``; zero where it is solved for."""
    return float(getattr(constants, "suboptimality", 0.0))


def minimiser_error(setting: RateSetting) -> float:
    """How far the minimiser may lie from the point that stands for it: ``sqrt(2 suboptimality/mu)``."""
    constants = constants_of(setting.problem)
    error = _suboptimality(constants)
    if error == 0:
        return 0.0
    modulus = float(getattr(constants, "modulus", constants.strong_convexity))
    if modulus <= 0:
        raise ValueError(f"mu = {modulus:.6g}: how far the minimiser is from the one that was found is not known")
    return math.sqrt(2 * error / modulus)


def _how(setting: RateSetting) -> tuple[str, bool]:
    solved = _suboptimality(constants_of(setting.problem)) == 0
    return ("computed", True) if solved else ("a certified bound", False)


def squared_distance(setting: RateSetting) -> Answer:
    """``|w_0 - w*|^2``, or a bound from above."""
    target = np.asarray(constants_of(setting.problem).minimiser, dtype=np.float64)
    own = float(np.sqrt(((setting.origin - target) ** 2).sum()))
    return KnownNumber((own + minimiser_error(setting)) ** 2, *_how(setting))


def gap(setting: RateSetting) -> Answer:
    """``F(w_0) - F*``, or a bound from above."""
    constants = constants_of(setting.problem)
    value = float(setting.problem.value(setting.origin)) - float(constants.minimum)
    return KnownNumber(max(value, 0.0) + _suboptimality(constants), *_how(setting))


def gamma(setting: RateSetting) -> Answer:
    """``Gamma``; of certified minima the upper end."""
    constants = constants_of(setting.problem)
    if hasattr(constants, "gamma_interval"):
        return KnownNumber(max(float(constants.gamma_interval[1]), 0.0), "a certified bound", False)
    how, exact = _how(setting)
    if not exact or hasattr(constants, "client_suboptimality"):
        above = float(np.dot(constants.weights, getattr(constants, "client_suboptimality", 0.0 * constants.weights)))
        return KnownNumber(max(float(constants.gamma), 0.0) + above, how, False)
    return KnownNumber(max(float(constants.gamma), 0.0), how)


def heterogeneity(setting: RateSetting) -> Answer:
    """``sum_k p_k |grad F_k(w*)|^2``; where the minimiser is only nearly known, with L times the distance added."""
    problem, constants = setting.problem, constants_of(setting.problem)
    target = np.asarray(constants.minimiser)
    points = np.broadcast_to(target, (problem.n_clients, problem.dimension))
    squares = np.asarray((problem.client_gradients(points) ** 2).sum(axis=-1), dtype=np.float64)
    error = minimiser_error(setting)
    if error > 0:
        squares = (np.sqrt(squares) + setting.number("L") * error) ** 2
    return KnownNumber(float(np.asarray(problem.weights, dtype=np.float64) @ squares), *_how(setting))


def require_quadratic_parts(problem: Any, asked: str) -> Any:
    """A problem without a server's loss that is quadratic; ``ValueError`` else."""
    if hasattr(problem, "centre_gradient") or not is_quadratic(problem):
        raise ValueError(
            f"{asked} is not computed for {type(problem).__name__}; give it by given={{...}} if you know it"
        )
    return problem


def nothing(reason: str) -> NotKnown:
    """There is no such number."""
    return NotKnown(reason, never=True)


COMPUTED: dict[str, Callable[[RateSetting], Answer]] = {
    "L": _modulus("smoothness"),
    "mu": _modulus("strong_convexity"),
    "D_sq": squared_distance,
    "gap": gap,
    "Gamma": gamma,
    "zeta_sq": heterogeneity,
}
