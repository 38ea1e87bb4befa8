"""Variances and second moments of stochastic gradients: at every point, and along one run in expectation."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from fltheory.algorithms.participation import Full
from fltheory.kinds import Floats
from fltheory.problems.classification import ClassificationProblem
from fltheory.problems.logistic import LogisticProblem
from fltheory.problems.mixed import client_part
from fltheory.problems.oracles import Exact, MiniBatch
from fltheory.problems.oracles.protocol import COVARIANCE, DEGREE, is_noisy, variance_of
from fltheory.problems.scaled import dense_quadratic, is_quadratic
from fltheory.problems.scaled_constants import constants_of
from fltheory.problems.softmax import SoftmaxProblem
from fltheory.readings.moments import InsideRounds, inside_rounds
from fltheory.simulate.second_moment import gradient_second_moment
from fltheory.theory.hypotheses.decisions import KnownNumber, NotKnown
from fltheory.theory.settings.losses_known import minimiser_error, require_quadratic_parts
from fltheory.theory.settings.setting import Answer, RateSetting

READER = "its variance needs"
#: Growth of a variance below this share of it is rounding.
ROUNDING = 1e-9
#: |gradient of one sample's loss| <= this times |its features|.
_LIPSCHITZ: dict[type[Any], float] = {LogisticProblem: 1.0, SoftmaxProblem: float(np.sqrt(2.0))}


def sample_bounds(problem: Any) -> list[Floats] | None:
    """For every client, bounds of the norms of its samples' loss gradients at any point, regulariser apart."""
    factor = _LIPSCHITZ.get(type(problem))
    if factor is None:
        return None
    norms = [np.linalg.norm(problem.inputs(k), axis=1) for k in range(problem.n_clients)]
    return [factor * (1 + 1e-14 * own.size) * own for own in norms]


def variances(part: Any, oracle: Any) -> tuple[Floats, bool] | NotKnown:
    """Largest variance over all points, for every client, and whether that is exact.

    A variance that depends on the point is, with quadratic losses, that of an affine function of it: it is bounded only if it is
    constant, which its growth along the coordinates tells.
    """
    if not is_noisy(oracle):
        return np.zeros(part.n_clients), True
    origin = np.zeros(part.dimension)
    if not COVARIANCE.of(oracle, READER).state_dependent:
        return np.asarray(variance_of(oracle, part, origin, READER), dtype=np.float64), True
    bounds = sample_bounds(part)
    if bounds is not None and type(oracle) is MiniBatch:
        sizes = [len(own) for own in bounds]
        shares = [float(oracle.factor(n)) for n in sizes]
        return np.array([s * float((own**2).mean()) for s, own in zip(shares, bounds, strict=True)]), False
    if not is_quadratic(part):
        return NotKnown(
            f"the variance of {type(oracle).__name__} on {type(part).__name__} at every point is not computed"
        )
    DEGREE.of(oracle, READER)
    base = np.asarray(variance_of(oracle, part, origin, READER), dtype=np.float64)
    for unit in np.eye(part.dimension):
        both = [np.asarray(variance_of(oracle, part, x, READER), dtype=np.float64) for x in (unit, -unit)]
        growth = both[0] + both[1] - 2 * base
        if bool((growth > ROUNDING * np.maximum(both[0], both[1])).any()):
            return NotKnown("the variance grows without bound: samples have different curvature", never=True)
    return base, True


def _of_clients(setting: RateSetting) -> tuple[Floats, bool] | NotKnown:
    if "variances" not in setting.shared:
        setting.shared["variances"] = variances(client_part(setting.problem), setting.oracle)
    found: tuple[Floats, bool] | NotKnown = setting.shared["variances"]
    return found


def inside(setting: RateSetting) -> InsideRounds:
    """Exact expectations inside the rounds of the run; ``ValueError`` where they have no closed form."""
    if "inside" not in setting.shared:
        problem = require_quadratic_parts(setting.problem, "an expectation along a random run")
        found = inside_rounds(
            problem, setting.algorithm, rounds=setting.rounds, oracle=setting.oracle, start=setting.origin
        )
        if found.status != "finished":
            raise ValueError(f"the run does not stay bounded within {setting.rounds} rounds: {found.status}")
        setting.shared["inside"] = found
    return setting.shared["inside"]  # type: ignore[no-any-return]


def _weighted(rule: Callable[[Floats, Floats], float]) -> Callable[[RateSetting], Answer]:
    """A number made of weights and variances at every point."""

    def read(setting: RateSetting) -> Answer:
        found = _of_clients(setting)
        if isinstance(found, NotKnown):
            return found
        weights = np.asarray(setting.problem.weights, dtype=np.float64)
        how = (
            "exact gradients" if not is_noisy(setting.oracle) else "computed" if found[1] else "a bound for every point"
        )
        return KnownNumber(rule(weights, found[0]), how, found[1])

    return read


def _along(rule: Callable[[Floats, Floats], float]) -> Callable[[RateSetting], Answer]:
    """The same along the run: the bound for every point where there is one, else expectations inside the rounds."""
    everywhere = _weighted(rule)

    def read(setting: RateSetting) -> Answer:
        found = everywhere(setting)
        if isinstance(found, KnownNumber):
            return KnownNumber(found.value, found.how, found.exact)
        own = np.asarray(inside(setting).variance, dtype=np.float64).max(axis=(0, 1))
        weights = np.asarray(setting.problem.weights, dtype=np.float64)
        return KnownNumber(rule(weights, own), f"largest along these {setting.rounds} rounds")

    return read


def at_minimiser(setting: RateSetting) -> Answer:
    """``sum_k p_k sigma_k^2`` at the minimiser, where it is known to rounding."""
    part, weights = client_part(setting.problem), np.asarray(setting.problem.weights, dtype=np.float64)
    if not is_noisy(setting.oracle):
        return KnownNumber(0.0, "exact gradients")
    if minimiser_error(setting) > 0:
        found = _weighted(lambda p, s: float(p @ s))(setting)
        return found if isinstance(found, NotKnown) else KnownNumber(found.value, found.how, False)
    target = np.asarray(constants_of(setting.problem).minimiser, dtype=np.float64)
    own = np.asarray(variance_of(setting.oracle, part, target, READER), dtype=np.float64)
    return KnownNumber(float(weights @ own), "computed")


def central(setting: RateSetting) -> Answer:
    """sigma_c^2."""
    if not hasattr(setting.problem, "centre"):
        return NotKnown(f"{type(setting.problem).__name__} has no loss of the server", never=True)
    found = variances(setting.problem.centre, setting.centre_oracle)
    if isinstance(found, NotKnown):
        return found
    how = "exact gradients" if not is_noisy(setting.centre_oracle) else "computed" if found[1] else "a bound"
    return KnownNumber(float(found[0].max()), how, found[1])


def second_moment(setting: RateSetting) -> Answer:
    """sup over points and clients of E |g_k|^2: it exists for few losses, and never for curved quadratics.

    With a radius it is bounded over the ball: ``(L_k r + |grad F_k(w*)|)^2`` and the largest variance.
    """
    if setting.radius is not None:
        return _second_moment_in_the_ball(setting, setting.radius)
    part = client_part(setting.problem)
    if is_quadratic(part):
        matrices = np.asarray(dense_quadratic(part).matrices, dtype=np.float64)
        if np.abs(matrices).max() > 0:
            k = int(np.abs(matrices).max(axis=(1, 2)).argmax())
            return NotKnown(
                f"no G exists: the gradient of client {k} is linear and grows without bound over the whole space",
                never=True,
            )
        noise = _of_clients(setting)
        if isinstance(noise, NotKnown):
            return noise
        slopes = np.asarray(dense_quadratic(part).vectors, dtype=np.float64)
        return KnownNumber(float(((slopes**2).sum(axis=1) + noise[0]).max()), "computed", noise[1])
    bounds = sample_bounds(part)
    if bounds is None or not isinstance(part, ClassificationProblem):
        return NotKnown(f"a bound on the gradients of {type(part).__name__} at every point is not computed")
    if float(part.regulariser.modulus) > 0:
        return NotKnown(
            "no G exists: the gradient of the l2 regulariser grows without bound over the whole space", never=True
        )
    if type(setting.oracle) is Exact:
        return KnownNumber(max(float(own.mean()) ** 2 for own in bounds), "a bound from the features", False)
    if type(setting.oracle) is MiniBatch:
        return KnownNumber(max(float((own**2).mean()) for own in bounds), "a bound from the features", False)
    noise = _of_clients(setting)
    if isinstance(noise, NotKnown):
        return noise
    return KnownNumber(max(float(own.mean()) ** 2 for own in bounds) + float(noise[0].max()), "a bound", False)


def ball(radius: float) -> str:
    """How a number is known that holds in a ball."""
    return f"in the ball |x - w*| <= {radius:g}, in which the run is said to stay"


def gradients_at_minimiser(setting: RateSetting) -> Floats:
    """Client gradients at the point that stands for the minimiser, ``(N, d)``."""
    part = client_part(setting.problem)
    target = np.asarray(constants_of(setting.problem).minimiser)
    points = np.broadcast_to(target, (part.n_clients, part.dimension))
    return np.asarray(part.client_gradients(points), dtype=np.float64)


def _second_moment_in_the_ball(setting: RateSetting, radius: float) -> Answer:
    noise = _of_clients(setting)
    if isinstance(noise, NotKnown):
        return NotKnown(noise.reason)
    reach = radius + minimiser_error(setting)
    smooth = np.asarray(constants_of(client_part(setting.problem)).client_smoothness, dtype=np.float64)
    norms = smooth * reach + np.linalg.norm(gradients_at_minimiser(setting), axis=1)
    return KnownNumber(float((norms**2 + noise[0]).max()), ball(radius), False)


def second_moment_along(setting: RateSetting) -> Answer:
    """The largest E |g_k|^2 over the steps of the run and the clients."""
    problem = setting.problem
    if is_quadratic(problem) and not hasattr(problem, "centre_gradient"):
        found = float(inside(setting).G2)
        return KnownNumber(found, f"largest along these {setting.rounds} rounds")
    everywhere = setting.know("G_sq")
    determined = type(setting.oracle) is Exact and type(getattr(setting.algorithm, "participation", Full())) is Full
    if determined and not hasattr(problem, "centre_gradient"):
        if "second_moment" not in setting.shared:
            seen = gradient_second_moment(problem, setting.algorithm, rounds=setting.rounds, start=setting.origin)
            setting.shared["second_moment"] = float(seen.by_round.max())
        return KnownNumber(setting.shared["second_moment"], f"largest along these {setting.rounds} rounds")
    if isinstance(everywhere, KnownNumber):
        return everywhere
    return NotKnown(
        f"E |g_k|^2 along random rounds of {type(problem).__name__} has no closed form; give G_run_sq if you know a bound"
    )


COMPUTED: dict[str, Callable[[RateSetting], Answer]] = {
    "V": _weighted(lambda p, s: float(p**2 @ s)),
    "sigma_sq": _weighted(lambda p, s: float(s.max())),
    "sigma_mean_sq": _weighted(lambda p, s: float(p @ s)),
    "V_run": _along(lambda p, s: float(p**2 @ s)),
    "sigma_run_sq": _along(lambda p, s: float(s.max())),
    "sigma_mean_run_sq": _along(lambda p, s: float(p @ s)),
    "sigma_star_sq": at_minimiser,
    "sigma_c_sq": central,
    "G_sq": second_moment,
    "G_run_sq": second_moment_along,
}
