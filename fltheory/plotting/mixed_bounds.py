"""The values of the symbols of mixed FL's bounds on a user's problem: constants of the instance, not assumptions."""

from __future__ import annotations

from typing import Any

import numpy as np

from fltheory.problems.oracles import Exact

#: B^2 is chosen this much above its infimum, where the least G^2 may be infinite.
ABOVE_LEAST_B2 = 0.5


def mixed_values(
    problem: Any, algorithm: Any, oracle: Any = None, centre_oracle: Any = None, *, start: Any = None
) -> dict[str, float]:
    """Values of the symbols of ``fltheory.theory.mixed2022`` for a quadratic mixed problem and constant rates.

    =================== ======================================================================================
    symbol              value
    =================== ======================================================================================
    beta, mu            largest smoothness constant and smallest convexity modulus of the clients and of the centre
    V, C                sigma^2, the largest variance of a client's answer, and sigma_c^2
    K, S, N             local steps, clients in a cohort, clients
    D_sq, F             |x - x*|^2 and f(x) - f* at the start
    eta, eta_s, eta_c, eta_m   the algorithm's rates; those it does not have are 1 (eta_c: eta eta_s)
    e                   the effective step K eta eta_s eta_m
    B, G                Definition 4.2 with w_f = 1/2: B^2 is 1/2 above its infimum, G^2 the least for it
    =================== ======================================================================================

    Raises
    ------
    ValueError : rates that change, a variance without bound, no (G, B), a problem that is not quadratic.
    """
    constants = problem.constants
    origin = np.zeros(problem.dimension) if start is None else np.asarray(start, dtype=np.float64)
    target = np.asarray(constants.minimiser, dtype=np.float64)
    variance, central = constants.gradient_variances(Exact() if oracle is None else oracle,
                                                     Exact() if centre_oracle is None else centre_oracle)  # fmt: skip
    known = constants.dissimilarity()
    square = float(known.least_B2) + ABOVE_LEAST_B2
    rates = {name: _rate(algorithm, field) for name, field in (
        ("eta", "step_size"), ("eta_s", "server_step_size"), ("eta_m", "merge_step_size"))}  # fmt: skip
    values = {
        "beta": float(constants.smoothness), "mu": float(constants.strong_convexity), "V": float(variance), "C": float(central),
        "K": float(algorithm.local_steps), "N": float(problem.n_clients),
        "S": float(_slots(algorithm, problem.n_clients)), "D_sq": float(((origin - target) ** 2).sum()),
        "F": float(problem.value(origin) - constants.minimum), "B": square**0.5,
        "G": float(known.least_G2_given(square if not known.exact else _exact(square))) ** 0.5, **rates,
    }  # fmt: skip
    central_rate = _rate(algorithm, "central_step_size", rates["eta"] * rates["eta_s"])
    return {**values, "eta_c": central_rate, "e": values["K"] * rates["eta"] * rates["eta_s"] * rates["eta_m"]}


def _rate(algorithm: Any, field: str, default: float = 1.0) -> float:
    schedule = getattr(algorithm, field, None)
    if schedule is None:
        return default
    if not getattr(schedule, "constant", False):
        raise ValueError(f"{field}={schedule!r} changes: these bounds are for constant rates")
    return float(schedule.value)


def _slots(algorithm: Any, n_clients: int) -> int:
    scheme = getattr(algorithm, "participation", None)
    return n_clients if scheme is None else int(scheme.slots(n_clients))


def _exact(number: float) -> Any:
    from fractions import Fraction

    return Fraction(number).limit_denominator(10**6)
