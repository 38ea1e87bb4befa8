"""The values of the symbols of mixed FL's bounds on a user's problem: constants of the instance, not assumptions."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

from fltheory.algorithms.optimisers import GradientStep
from fltheory.algorithms.participation import Full
from fltheory.algorithms.subsets import NormalisedUniform, SchemeII, TransformedSchemeII
from fltheory.algorithms.vocabulary import Algorithm, LocalAlgorithm
from fltheory.experiments.start import Recorded, first_record, start_of
from fltheory.kinds import Floats, PointLike
from fltheory.problems.mixed import MixedProblem
from fltheory.problems.oracles import AnyOracle, Exact

#: B^2 is chosen this much above its infimum, where the least G^2 may be infinite.
ABOVE_LEAST_B2 = 0.5
#: Spreads below this share of |b_k|^2 are rounding.
ROUNDING = 1e-24


def mixed_values(
    problem: MixedProblem,
    algorithm: LocalAlgorithm,
    oracle: AnyOracle | None = None,
    centre_oracle: AnyOracle | None = None,
    *,
    start: PointLike | None = None,
    run: Recorded | None = None,
) -> dict[str, float]:
    """Values of the symbols of ``fltheory.theory.mixed2022`` for a quadratic mixed problem and constant rates.

    =================== ======================================================================================
    symbol              value
    =================== ======================================================================================
    beta, mu            largest smoothness constant and smallest convexity modulus of the clients and of the centre
    V, C                sigma^2, the largest variance of a client's answer, and sigma_c^2
    K, S, N             local steps, clients in a cohort, clients
    J                   central steps, where the algorithm has any
    D_sq, F             |x - x*|^2 and f(x) - f* at the start: of ``start``, else as ``run`` recorded them, else at zero
    eta, eta_s, eta_c, eta_m   the algorithm's rates; those it does not have are 1 (eta_c: eta eta_s)
    eta_d               the rate by which 2-way GT divides the central update
    start_error         E |gt_f - grad f_f|^2 + E |gt_c - grad f_c|^2 of 2-way GT at the start, or an upper or lower bound
                        of it that is zero only where it is
    e                   the effective step K eta eta_s eta_m
    B, G                Definition 4.2 with w_f = 1/2: B^2 is 1/2 above its infimum, G^2 the least for it
    =================== ======================================================================================

    ``run`` is a ``Run`` or ``Moments`` of this algorithm.

    Raises
    ------
    ValueError : rates that change, a variance without bound, no (G, B), a problem that is not quadratic; what these bounds
        do not cover: clients that differ, cohorts that are not averaged plainly, J != K, unequal client steps, an optimiser
        other than the gradient step, the average of both updates; a ``start`` that is not that of ``run``.
    """
    _require_covered(algorithm)
    constants = problem.constants
    _require_equal_clients(problem)
    origin = start_of(problem, run, start)
    target = np.asarray(constants.minimiser, dtype=np.float64)
    variance, central = (
        float(x)
        for x in constants.gradient_variances(
            Exact() if oracle is None else oracle, Exact() if centre_oracle is None else centre_oracle
        )
    )
    cohort = _cohort(algorithm, np.asarray(problem.weights, dtype=np.float64), variance)
    known = constants.dissimilarity()
    square = float(known.least_B2) + ABOVE_LEAST_B2
    rates = {
        name: _rate(algorithm, field)
        for name, field in (("eta", "step_size"), ("eta_s", "server_step_size"), ("eta_m", "merge_step_size"))
    }
    if origin is None:
        assert run is not None  # without a record the start is known
        distance, gap = first_record(run, "squared_distance"), first_record(run, "gap")
    else:
        distance, gap = float(((origin - target) ** 2).sum()), float(problem.value(origin) - constants.minimum)
    values = {
        "beta": float(constants.smoothness),
        "mu": float(constants.strong_convexity),
        "V": variance,
        "C": central,
        "K": float(algorithm.local_steps),
        "N": float(problem.n_clients),
        "S": float(cohort),
        "D_sq": distance,
        "F": gap,
        "B": square**0.5,
        "G": float(known.least_G2_given(square if not known.exact else _exact(square))) ** 0.5,
        **rates,
    }
    values["eta_c"] = _rate(algorithm, "central_step_size", rates["eta"] * rates["eta_s"])
    values["e"] = values["K"] * rates["eta"] * rates["eta_s"] * rates["eta_m"]
    if hasattr(algorithm, "central_steps"):
        values["J"] = values["K"]
    if hasattr(algorithm, "divisor"):
        values["eta_d"] = values["eta"] if algorithm.divisor == "as printed" else values["eta_c"]
    if hasattr(algorithm, "initial"):
        values["start_error"] = _start_error(problem, algorithm, origin, values)
    return values


def _require_covered(algorithm: LocalAlgorithm) -> None:
    """What a user of the algorithm may choose and the bounds do not allow."""
    for name in ("server", "central", "merger"):
        optimiser = getattr(algorithm, name, GradientStep())
        if not isinstance(optimiser, GradientStep):
            raise ValueError(
                f"{name}={optimiser!r}: these bounds are for plain gradient steps; expected GradientStep()"
            )
    merge = getattr(algorithm, "merge", "sum")
    if merge != "sum":
        raise ValueError(f"merge={merge!r}: these bounds are for the sum of both updates; expected merge='sum'")
    steps, own = algorithm.local_steps, getattr(algorithm, "client_steps", None)
    if own is not None and set(own) != {steps}:
        raise ValueError(f"client_steps={own}: these bounds are for K={steps} steps of every client; expected None")
    central = getattr(algorithm, "central_steps", None)
    if central not in (None, steps):
        raise ValueError(f"central_steps={central}: these bounds are for J = K central steps; expected None or {steps}")


def _require_equal_clients(problem: MixedProblem) -> None:
    """Assumption 4.1: every client's expected gradient is that of the federated part."""
    try:
        spread = float(problem.constants.client_spread)
    except ValueError as error:
        raise ValueError(f"clients differ, {error}; these bounds are for clients with one expected gradient") from None
    if spread > ROUNDING * float(np.max(np.asarray(problem.vectors, dtype=np.float64) ** 2, initial=0.0)):
        raise ValueError(
            f"client_spread={spread:.6g} is positive: these bounds are for clients with one expected gradient (Assumption 4.1)"
        )


def _cohort(algorithm: Algorithm, weights: Floats, variance: float) -> int:
    """``S``, for schemes that average ``S`` independent local runs plainly."""
    scheme = getattr(algorithm, "participation", Full())
    n = len(weights)
    slots = int(scheme.slots(n))
    plain = isinstance(scheme, (Full, SchemeII, TransformedSchemeII, NormalisedUniform))
    if plain and np.ptp(weights) <= 1e-12:
        return slots
    moments = scheme.moments(list(weights))
    second = np.asarray(moments.second, dtype=np.float64)[1 : n + 1, 1 : n + 1].sum()
    mean, noise = np.asarray(moments.mean, dtype=np.float64)[1 : n + 1].sum(), float(np.sum(moments.run_weights))
    if abs(mean - 1) > 1e-9 or abs(second - 1) > 1e-9 or (variance > 0 and noise * slots > 1 + 1e-9):
        raise ValueError(
            f"participation={scheme!r} with weights {weights} is no plain average of S={slots} independent local runs, as these "
            "bounds have it; expected Full or SchemeII with equal weights, or SchemeI with repeats='separate runs'"
        )
    return slots


def _start_error(problem: MixedProblem, algorithm: Any, origin: Floats | None, values: dict[str, float]) -> float:
    """At most the noise of one answer if they start at gradients (which are drawn), else the two squared gradients."""
    if algorithm.initial == "gradients":
        return values["V"] + values["C"]
    if origin is None:  # |grad f_f|^2 + |grad f_c|^2 >= |grad f|^2/2, and f is 2 mu-convex
        return 2 * max(values["mu"], 0.0) ** 2 * values["D_sq"]
    own = np.asarray(problem.clients.gradient(origin), dtype=np.float64)
    central = np.asarray(problem.centre_gradient(origin), dtype=np.float64)
    return float((own**2).sum() + (central**2).sum())


def _rate(algorithm: Algorithm, field: str, default: float = 1.0) -> float:
    schedule = getattr(algorithm, field, None)
    if schedule is None:
        return default
    if not getattr(schedule, "constant", False):
        raise ValueError(f"{field}={schedule!r} changes: these bounds are for constant rates")
    return float(schedule.value)


def _exact(number: float) -> Fraction:
    return Fraction(number).limit_denominator(10**6)
