"""How far clients differ at every point, computed for quadratics and bounded for linear models."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from fltheory.kinds import Floats
from fltheory.problems.mixed import client_part
from fltheory.problems.scaled import dense_quadratic, is_quadratic
from fltheory.theory.hypotheses.decisions import KnownNumber, NotKnown
from fltheory.theory.settings.losses_known import minimiser_error
from fltheory.theory.settings.noise_known import ball, gradients_at_minimiser, sample_bounds
from fltheory.theory.settings.setting import Answer, RateSetting

#: Differences below this share of their terms are rounding.
ROUNDING = 1e-12
#: B^2 is taken this much above the least one, where G^2 may be infinite.
ABOVE_LEAST = 0.5


def _spread(matrices: Floats, vectors: Floats, p: Floats) -> tuple[float, Floats]:
    """``sum_k p_k |b_k - b|^2`` and the deviations of the Hessians."""
    apart = vectors - (p[:, None] * vectors).sum(axis=0)
    return float(p @ (apart**2).sum(axis=1)), matrices - np.tensordot(p, matrices, axes=1)


def _quadratic(part: Any) -> tuple[Floats, Floats, Floats]:
    dense = dense_quadratic(part)
    found = (dense.matrices, dense.vectors, dense.weights)
    return tuple(np.asarray(array, dtype=np.float64) for array in found)  # type: ignore[return-value]


def deviation(setting: RateSetting) -> Answer:
    """sup over points of ``sum_k p_k |grad F_k - grad F|^2``."""
    part = client_part(setting.problem)
    if part.n_clients == 1:
        return KnownNumber(0.0, "one client")
    if setting.radius is not None and is_quadratic(part):
        matrices, _, p = _quadratic(part)
        slopes = gradients_at_minimiser(setting)
        apart = np.linalg.norm(matrices - np.tensordot(p, matrices, axes=1), ord=2, axis=(1, 2))
        norms = apart * (setting.radius + minimiser_error(setting)) + np.linalg.norm(slopes - p @ slopes, axis=1)
        return KnownNumber(float(p @ norms**2), ball(setting.radius), False)
    if is_quadratic(part):
        matrices, vectors, p = _quadratic(part)
        value, apart = _spread(matrices, vectors, p)
        counted = apart[p > 0]
        if np.abs(counted).max() > ROUNDING * np.abs(matrices).max():
            return NotKnown(
                "no sigma_G exists: the clients' Hessians differ, so that their gradients drift apart", never=True
            )
        return KnownNumber(value, "computed")
    bounds = sample_bounds(part)
    if bounds is None:
        return NotKnown(f"the deviation of client gradients of {type(part).__name__} at every point is not computed")
    # the regulariser is common to all; the mean of the losses' gradients is at most the mean of the bounds
    means = np.array([own.mean() for own in bounds])
    return KnownNumber(float(np.asarray(part.weights) @ means**2), "a bound from the features", False)


def spread(setting: RateSetting) -> Answer:
    """Zero where the clients' expected gradients are proved equal; a positive value that was seen at a point else."""
    part = client_part(setting.problem)
    if part.n_clients == 1:
        return KnownNumber(0.0, "one client")
    p = np.asarray(part.weights, dtype=np.float64)
    if is_quadratic(part):
        matrices, vectors, p = _quadratic(part)
        value, apart = _spread(matrices, vectors, p)
        same = np.abs(apart[p > 0]).max() <= ROUNDING * np.abs(matrices).max()
        if same and value <= ROUNDING**2 * float((vectors**2).max(initial=0.0)):
            return KnownNumber(0.0, "equal Hessians and slopes")
    d = part.dimension
    for words, point in (
        ("at the start", setting.origin),
        ("at a point beside it", setting.origin + np.linspace(0.5, 1, d)),
    ):
        gradients = np.asarray(part.client_gradients(np.broadcast_to(point, (part.n_clients, d))), dtype=np.float64)
        mean = p @ gradients
        value = float(p @ ((gradients - mean) ** 2).sum(axis=1))
        if value > ROUNDING * float(p @ (gradients**2).sum(axis=1)):
            return KnownNumber(value, words)
    return NotKnown("the clients' gradients agree at two points; whether they do everywhere is not known")


def least_factor(setting: RateSetting) -> tuple[float, Floats, Floats, float]:
    """Of quadratics ``f_k = f_k(x*) + g_k'u + u'A_k u/2``: the largest eigenvalue of ``S = A^-1 (sum p_k A_k^2) A^-1``, S itself,
    ``A^-1 sum p_k A_k g_k`` and ``sum p_k |g_k|^2``.

    ``sum p_k |grad f_k|^2 <= G^2 + B^2 |grad f|^2`` at all points means ``B^2 >= S`` and, for larger ones,
    ``G^2 >= sum p_k |g_k|^2 + h'(B^2 - S)^-1 h`` with the third of these for h.
    """
    if "least_factor" in setting.shared:
        found: tuple[float, Floats, Floats, float] = setting.shared["least_factor"]
        return found
    matrices, vectors, p = _quadratic(setting.problem)
    mean = np.tensordot(p, matrices, axes=1)
    values = np.linalg.eigvalsh(mean)
    if np.abs(values).min() <= 1e-10 * np.abs(values).max():
        raise ValueError("B is not computed: the Hessian of the objective is singular, or nearly so")
    target = np.linalg.solve(mean, p @ vectors)
    slopes = np.einsum("kij,j->ki", matrices, target) - vectors
    scaled = np.linalg.solve(mean, np.einsum("k,kij,kjl->il", p, matrices, matrices))
    whole = np.linalg.solve(mean, scaled.T)
    whole = (whole + whole.T) / 2
    image = np.linalg.solve(mean, np.einsum("k,kij,kj->i", p, matrices, slopes))
    result = float(np.linalg.eigvalsh(whole)[-1]), whole, image, float(p @ (slopes**2).sum(axis=1))
    setting.shared["least_factor"] = result
    return result


def factor(setting: RateSetting) -> Answer:
    """B^2: for quadratics 1/2 above the least one; for smooth convex losses 2 L/mu."""
    if hasattr(setting.problem, "centre_gradient"):
        return NotKnown("the dissimilarity of clients is asked for problems without a loss of the server")
    if is_quadratic(setting.problem):
        return KnownNumber(max(least_factor(setting)[0], 1.0) + ABOVE_LEAST, "1/2 above the least", False)
    mu = setting.number("mu")
    if mu <= 0:
        return NotKnown(f"B is not computed for {type(setting.problem).__name__} with mu = {mu:.6g}")
    # |grad f_k|^2 <= 2 |grad f_k - grad f_k(x*)|^2 + 2 |grad f_k(x*)|^2, and the mean of the first is at most
    # 2 L (f - f*) <= (L/mu) |grad f|^2
    return KnownNumber(max(2 * setting.number("L") / mu, 1.0), "2 L/mu, from smoothness and convexity", False)


def constant(setting: RateSetting) -> Answer:
    """The least G^2 for the B^2 that is taken (or given)."""
    taken = setting.number("B_sq")
    if is_quadratic(setting.problem):
        least, whole, image, at_minimiser = least_factor(setting)
        room = taken * np.eye(len(whole)) - whole
        if np.linalg.eigvalsh(room)[0] <= 1e-9 * max(taken, least):
            return NotKnown(f"B^2 = {taken:.6g} is not admissible; expected above {least:.6g}", never=taken < least)
        value = at_minimiser + float(image @ np.linalg.solve(room, image))
        return KnownNumber(value * (1 + 1e-9), f"the least for B^2 = {taken:.6g}", False)
    kappa = setting.number("L") / setting.number("mu")
    share = taken / kappa - 1
    if share <= 0:
        return NotKnown(f"G is not computed for B^2 = {taken:.6g}; expected above L/mu = {kappa:.6g}")
    return KnownNumber((1 + 1 / share) * setting.number("zeta_sq"), "from smoothness and convexity", False)


def gap_factor(setting: RateSetting) -> Answer:
    """B^2 beside ``2 L (F - F*)``: 1 where clients agree at the minimiser, else 2; any larger one may be given."""
    if hasattr(setting.problem, "centre_gradient"):
        return NotKnown("the dissimilarity of clients is asked for problems without a loss of the server")
    if setting.number("mu") < 0:
        return NotKnown("B^2 beside F - F* is computed for convex losses")
    alike = setting.number("zeta_sq") == 0
    return KnownNumber(1.0 if alike else 2.0, "from smoothness and convexity", False)


def gap_constant(setting: RateSetting) -> Answer:
    """``zeta^2 B^2/(B^2 - 1)``, since ``|a + b|^2 <= B^2 |a|^2 + B^2/(B^2 - 1) |b|^2`` with b the gradient at the minimiser."""
    if setting.number("mu") < 0:
        return NotKnown("G^2 beside F - F* is computed for convex losses")
    taken, apart = setting.number("gap_B_sq"), setting.number("zeta_sq")
    if apart == 0 and taken >= 1:
        return KnownNumber(0.0, "client gradients vanish at the minimiser", False)
    if taken <= 1:
        return NotKnown(f"G^2 is not computed for B^2 = {taken:.6g}; expected above 1")
    return KnownNumber(apart * taken / (taken - 1), "from smoothness and convexity", False)


def _sides(setting: RateSetting) -> Any:
    problem = setting.problem
    if not hasattr(problem, "centre_gradient"):
        raise ValueError(f"{type(problem).__name__} has no loss of the server")
    if not problem.quadratic:
        raise ValueError("the dissimilarity of clients and server is computed for quadratic parts only")
    return problem.constants.dissimilarity()


def mixed_factor(setting: RateSetting) -> Answer:
    """B^2 of clients and server, 1/2 above its infimum."""
    return KnownNumber(float(_sides(setting).least_B2) + ABOVE_LEAST, "1/2 above the least", False)


def mixed_constant(setting: RateSetting) -> Answer:
    """The least G^2 for it."""
    known, taken = _sides(setting), setting.number("mixed_B_sq")
    if known.exact:
        from fractions import Fraction

        found = known.least_G2_given(Fraction(taken).limit_denominator(10**6))
    else:
        found = known.least_G2_given(taken)
    if found is None:
        return NotKnown(f"B^2 = {taken:.6g} is not admissible", never=True)
    return KnownNumber(float(found) * (1 + 1e-9), f"the least for B^2 = {taken:.6g}", False)


def start_error(setting: RateSetting) -> Answer:
    """E |gt_f - grad f_f|^2 + E |gt_c - grad f_c|^2 of 2-way transfer at the first model."""
    initial = getattr(setting.algorithm, "initial", None)
    if initial is None:
        return NotKnown(f"{type(setting.algorithm).__name__} has no augmenting gradients", never=True)
    problem = setting.problem
    if initial == "gradients":
        # they are drawn: the mean of N answers at the first model, and one central answer
        return KnownNumber(
            setting.number("sigma_sq") + setting.number("sigma_c_sq"), "noise of the first answers", True
        )
    own = np.asarray(problem.clients.gradient(setting.origin), dtype=np.float64)
    centre = np.asarray(problem.centre_gradient(setting.origin), dtype=np.float64)
    return KnownNumber(float((own**2).sum() + (centre**2).sum()), "started at zero")


COMPUTED: dict[str, Callable[[RateSetting], Answer]] = {
    "sigma_G_sq": deviation,
    "spread_sq": spread,
    "B_sq": factor,
    "G_B_sq": constant,
    "gap_B_sq": gap_factor,
    "gap_G_sq": gap_constant,
    "mixed_B_sq": mixed_factor,
    "mixed_G_sq": mixed_constant,
    "start_error": start_error,
}
