"""What bounds bound, computed: exact expectations of quadratics, and of runs without chance."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

import numpy as np

from fltheory.algorithms.participation import Full
from fltheory.kinds import Floats
from fltheory.problems.oracles import Exact
from fltheory.problems.scaled import dense_quadratic, is_quadratic
from fltheory.problems.scaled_constants import constants_of
from fltheory.readings.arrays import ArrayFederation, OracleCall, participation_of
from fltheory.readings.draws import StreamDraws
from fltheory.readings.moments import Moments, find_moments
from fltheory.readings.numbers import FLOAT, convert_problem
from fltheory.readings.traces import MomentTraces
from fltheory.simulate import simulate
from fltheory.theory.hypotheses import KnownNumber
from fltheory.theory.settings import RateSetting

#: Kept numbers of all second moments: beyond, only the last round is computed.
MOST = 20_000_000
_STEPS, _MEAN = "mean square, steps", "gap of the mean"


@dataclass(frozen=True, eq=False)
class Truth:
    """Values of measures (:data:`fltheory.theory.rates.MEASURES`) by name, ``how`` they were computed, or why there are none."""

    values: dict[str, float]
    how: str


def truth_of(setting: RateSetting, measures: Collection[str]) -> Truth:
    """Those of the measures that can be computed without an estimate."""
    if not measures:
        return Truth({}, "nothing, since no bound has a value")
    try:
        values, how = _exact(setting)
        if {_STEPS, _MEAN} & set(measures) and certain(setting):
            values |= over_steps(setting)
    except (ValueError, ArithmeticError, MemoryError) as error:
        return Truth({}, f"not computed: {error}")
    return Truth({name: value for name, value in values.items() if name in measures}, how)


def certain(setting: RateSetting) -> bool:
    """Whether nothing in the run is drawn."""
    return (
        type(setting.oracle) is Exact
        and type(setting.centre_oracle) is Exact
        and type(getattr(setting.algorithm, "participation", Full())) is Full
    )


def _exact(setting: RateSetting) -> tuple[dict[str, float], str]:
    problem = setting.problem
    mixed = hasattr(problem, "centre_gradient")
    options: dict[str, Any] = {"rounds": setting.rounds, "oracle": setting.oracle, "start": setting.origin}
    options |= {"centre_oracle": setting.centre_oracle} if mixed else {}
    if problem.quadratic if mixed else is_quadratic(problem):
        if (setting.rounds + 1) * problem.dimension**2 > MOST:
            last = find_moments(problem, setting.algorithm, every=setting.rounds, keep="traces", **options)
            _require_right(last)
            return _last(last.gap[-1], last.squared_distance[-1]), "exact expectations"
        found = find_moments(problem, setting.algorithm, **options)
        _require_right(found)
        assert isinstance(found, Moments)  # all of them were asked for
        hessian = np.asarray((problem if mixed else dense_quadratic(problem)).mean_matrix, dtype=np.float64)
        squares = np.asarray((found.deviations @ hessian * hessian.T).sum(axis=(1, 2)), dtype=np.float64)
        gaps = np.asarray(found.gap, dtype=np.float64)
        values = {**_last(gaps[-1], found.squared_distance[-1]), **_along(gaps, squares), **_weighted(setting, gaps)}
        return values, "exact expectations"
    if not certain(setting):
        raise ValueError(f"expectations of {type(problem).__name__} along random rounds have no closed form")
    run = simulate(problem, setting.algorithm, keep_models=True, seed=0, **options)
    if run.models is None or run.gap is None or run.squared_distance is None or not np.isfinite(run.models).all():
        raise ValueError("the run does not stay finite")
    gradients = np.stack([np.asarray(problem.gradient(w), dtype=np.float64) for w in run.models[0]])
    gaps = np.asarray(run.gap[0], dtype=np.float64)
    squares = (gradients**2).sum(axis=1)
    values = {**_last(gaps[-1], run.squared_distance[0, -1]), **_along(gaps, squares), **_weighted(setting, gaps)}
    return values, "the run itself, in which nothing is drawn"


def over_steps(setting: RateSetting) -> dict[str, float]:
    """Of a run in which nothing is drawn, with ``x = sum_k p_k x_k`` at every call: the mean of ``|grad F(x)|^2``, and the gap at
    the mean of x."""
    problem = convert_problem(setting.problem, FLOAT)
    log: list[OracleCall] = []
    draws = StreamDraws(problem, setting.oracle, 0, np.arange(1))
    fed = ArrayFederation(problem, participation_of(setting.algorithm), draws, log=log)
    state = setting.algorithm.start(fed, fed.vector(setting.origin))
    total, count, middle = 0.0, 0, 0 * setting.origin
    for round in range(setting.rounds):
        log.clear()
        fed.begin(round)
        state = setting.algorithm.round(fed, state)
        for call in log:
            mean = np.asarray(problem.weights, dtype=np.float64) @ np.asarray(call.points[0], dtype=np.float64)
            total, count, middle = total + float((problem.gradient(mean) ** 2).sum()), count + 1, middle + mean
    least = float(constants_of(setting.problem).minimum)
    return {_STEPS: total / count, _MEAN: float(setting.problem.value(middle / count)) - least}


def _require_right(found: Moments | MomentTraces) -> None:
    if found.status != "finished":
        raise ValueError(f"the run is {found.status}")
    if found.rounding:
        raise ValueError(f"rounding may have changed expectations by a relative {found.rounding:.1e}")


def _last(gap: Any, square: Any) -> dict[str, float]:
    return {"gap": float(gap), "squared distance": float(square), "distance": float(square) ** 0.5}


def _weighted(setting: RateSetting, gaps: Floats) -> dict[str, float]:
    """Means of the gaps with weights (1 - share mu e)^(-r), where the rates are constant and the weights are positive."""
    mu, step = setting.know("mu"), setting.know("e")
    found: dict[str, float] = {}
    if isinstance(mu, KnownNumber) and isinstance(step, KnownNumber):
        for name, share in (("weighted gap, mu e/2", 0.5), ("weighted gap, 3 mu e/2", 1.5)):
            kept = 1 - share * mu.value * step.value
            if 0 < kept <= 1:
                weights = kept ** np.arange(len(gaps))[::-1]  # relative to the last, which is the largest
                found[name] = float(weights @ gaps / weights.sum())
    return found


def _along(gaps: Floats, squares: Floats) -> dict[str, float]:
    return {
        "mean gap": float(gaps.mean()),
        "mean gap, rounds": float(gaps[:-1].mean()),
        "mean square, models": float(squares.mean()),
        "mean square, rounds": float(squares[:-1].mean()),
        "least square": float(squares.min()),
    }
