"""What the command ``stability`` does: words of the command line to a quadratic problem, and its factors, law and limits."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from fltheory import algorithms, problems
from fltheory.problems.base import KnownProblem, check_nonnegative
from fltheory.problems.numbers import fraction_of_text
from fltheory.problems.oracles import AdditiveNoise
from fltheory.problems.quadratic import QuadraticProblem
from fltheory.readings.round_map import round_map
from fltheory.readings.stability import stability_limit
from fltheory.readings.stationary_law import stationary

PROBLEMS = ("li_counterexample", "li_tridiagonal")
SCHEMES = ("SchemeI", "SchemeII", "TransformedSchemeII", "Original", "NormalisedUniform")


def make_problem(name: str | None, given: Mapping[str, Fraction], clients: str | None) -> Any:
    """A problem by name with its arguments, or parabolas ``CURVATURE:MINIMISER[:WEIGHT],...``.

    Raises
    ------
    ValueError : neither or both; an unknown name; arguments that it does not take.
    """
    if (name is None) == (clients is None):
        raise ValueError("expected one of --problem NAME and --clients LIST")
    if clients is not None:
        if given:
            raise ValueError("--with belongs to --problem")
        return _parabolas(clients)
    if name not in PROBLEMS:
        raise ValueError(f"no problem {name!r}; one of {', '.join(PROBLEMS)}")
    numbers = {key: int(value) if value.denominator == 1 else float(value) for key, value in given.items()}
    try:
        return getattr(problems, name)(**numbers)
    except TypeError as error:
        raise ValueError(f"{name}: {str(error).split(') ')[-1]}; see --with") from None


def _parabolas(text: str) -> QuadraticProblem:
    rows = []
    for entry in text.split(","):
        try:
            rows.append([fraction_of_text(part.strip()) for part in entry.split(":")])
        except ValueError:
            raise ValueError(f"--clients: {entry!r} is not CURVATURE:MINIMISER[:WEIGHT]") from None
    if {len(row) for row in rows} not in ({2}, {3}):
        raise ValueError(
            f"--clients {text!r}: expected CURVATURE:MINIMISER, or CURVATURE:MINIMISER:WEIGHT, for each client"
        )
    curvatures = np.array([_float("--clients", row[0]) for row in rows])
    vectors = np.array([[_float("--clients", row[0] * row[1])] for row in rows])
    weights = np.array([_float("--clients", row[2]) if len(row) == 3 else 1 / len(rows) for row in rows])
    return QuadraticProblem(curvatures[:, None, None], vectors, weights=weights)


def _float(name: str, value: Fraction) -> float:
    try:
        return float(value)
    except OverflowError:
        raise ValueError(f"{name}: a number is beyond the range of floats") from None


def _below_one(factor: float) -> str:
    """Nine digits, or so many more that a factor other than one does not print as 1."""
    text = f"{factor:.9g}"
    return repr(float(factor)) if text == "1" and factor != 1 else text


def make_scheme(name: str | None, cohort: int | None) -> Any:
    """A participation scheme by name; None for everybody.

    Raises
    ------
    ValueError : an unknown name; a scheme without the size of its cohort, or the other way round.
    """
    if (name is None) != (cohort is None):
        raise ValueError("--participation and --cohort go together")
    if name is None:
        return None
    if name not in SCHEMES:
        raise ValueError(f"no participation scheme {name!r}; one of {', '.join(SCHEMES)}")
    return getattr(algorithms, name)(cohort)


def describe_stability(
    problem: KnownProblem,
    made: Callable[[Any], Any],
    step_size: Fraction,
    *,
    noise: Fraction | None,
    upper: Fraction | None,
) -> str:
    """Factors and stationary law at ``step_size``, and the limits up to ``upper`` (default: 4/L), in lines."""
    _float("--step-size", step_size)
    if noise is not None:
        check_nonnegative("noise", noise)
    oracle = None if noise is None else AdditiveNoise(np.array(_float("--noise", noise)))
    rounds = round_map(problem, made(step_size), oracle=oracle)
    mean, square = rounds.contraction(), rounds.mean_square_factor()
    law = stationary(problem, made(step_size), oracle=oracle)
    smoothness = float(problem.constants.smoothness)
    if upper is None and not smoothness > 0:
        raise ValueError("L=0: all curvatures are zero, so that 4/L bounds no step size; expected --upper NUMBER")
    top = 4 / smoothness if upper is None else _float("--upper", upper)
    limit = stability_limit(problem, lambda eta: made(repr(eta)), top, oracle=oracle)
    told = repr(law).removeprefix("Stationary(").removesuffix(")")
    return "\n".join(
        [
            f"step size       {step_size}",
            f"mean            {_below_one(mean)} per round, {'converges' if mean < 1 else 'does not converge'}",
            f"mean square     {_below_one(square)} per round, {'converges' if square < 1 else 'does not converge'}",
            f"stationary law  {told}",
            f"limits          {repr(limit).removeprefix('StabilityLimit(').removesuffix(')')}",
        ]
    )
