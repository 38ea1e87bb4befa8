"""What ``worst_case`` is asked, checked before anything is built: each refusal names the argument, its value and the condition."""

from __future__ import annotations

import inspect
import math
import numbers
from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import Any

from fltheory.algorithms.participation import Full
from fltheory.algorithms.vocabulary import Algorithm, check_algorithm
from fltheory.problems.base import check_count
from fltheory.problems.checks import shown
from fltheory.problems.numbers import decimal_fraction, fraction_of_text
from fltheory.readings.arrays import participation_of
from fltheory.worstcase.analysis import HETEROGENEITIES, MEASURES
from fltheory.worstcase.classes import Dissimilarity, FunctionClass, MixedDissimilarity
from fltheory.worstcase.client_classes import ClientClasses

#: More rounds than these have no program that could be solved.
MOST_ROUNDS = 1000
#: More gradients than these make a matrix (about their fourth power) that does not fit into an ordinary memory.
MOST_GRADIENTS = 120


def check_size(gradients: int) -> None:
    """Refuse a program that no ordinary machine solves.

    Raises
    ------
    ValueError : more than ``MOST_GRADIENTS`` gradients.
    """
    if gradients > MOST_GRADIENTS:
        raise ValueError(
            f"a program of {gradients} gradients exceeds {MOST_GRADIENTS}: take fewer rounds or local steps, or chain "
            "certified rounds"
        )


def check_arguments(
    algorithm: Algorithm,
    function_class: object,
    *,
    rounds: Any,
    measure: object,
    heterogeneity: object,
    start: Any,
    centre: object,
    n_clients: object,
    flags: Mapping[str, object],
) -> None:
    """Refuse what is no question about a worst case.

    Raises
    ------
    ValueError : with the argument, its value and what was expected.
    """
    check_algorithm("algorithm", algorithm)
    if not isinstance(function_class, (FunctionClass, ClientClasses)):
        raise ValueError(f"function_class={function_class!r} is no FunctionClass; see SmoothStronglyConvex(mu, L)")
    if isinstance(function_class, ClientClasses):
        check_classes(algorithm, n_clients, flags)
    if centre is not None and not isinstance(centre, FunctionClass):
        raise ValueError(f"centre={centre!r} is no FunctionClass; see SmoothConvex(L)")
    if check_count("rounds", rounds) > MOST_ROUNDS:
        raise ValueError(
            f"rounds={rounds} exceeds {MOST_ROUNDS}: no solver holds so many gradients; chain certified rounds"
        )
    if n_clients is not None:
        check_count("n_clients", n_clients)
    for name, flag in flags.items():
        if not isinstance(flag, bool):
            raise ValueError(f"{name}={flag!r} is neither True nor False")
    _check_measure("measure", measure)
    if isinstance(start, Mapping):
        for name, item in start.items():
            if not isinstance(name, str):
                raise ValueError(f"start: the name {name!r} of a quantity is no text")
            _check_measure(f"start[{name!r}]", item)
    elif start is not None:
        _check_measure("start", start)
    kinds = heterogeneity if isinstance(heterogeneity, (list, tuple)) else [heterogeneity]
    for kind in kinds:
        known = kind is None or isinstance(kind, (Dissimilarity, MixedDissimilarity))
        if not known and not (isinstance(kind, str) and kind in HETEROGENEITIES):
            raise ValueError(
                f"heterogeneity={kind!r}; expected one of {', '.join(HETEROGENEITIES)}, Dissimilarity(B) or "
                "MixedDissimilarity(B), or None"
            )
    if not kinds or len(set(kinds)) < len(kinds) or (None in kinds and len(kinds) > 1):
        raise ValueError(f"heterogeneity={heterogeneity!r} is no list of different assumptions; None is for none")


def check_classes(algorithm: Algorithm, n_clients: object, flags: Mapping[str, object]) -> None:
    """Refuse what has no model for several classes of clients.

    Raises
    ------
    ValueError : sampling, noise, a number of clients.
    """
    scheme = participation_of(algorithm)
    if not isinstance(scheme, Full):
        raise ValueError(
            f"participation={scheme!r} with several classes of clients has no model: who is drawn of which class is random; "
            "expected Full()"
        )
    for name in ("noise", "centre_noise"):
        if flags.get(name):
            raise ValueError(f"{name}=True with several classes of clients has no model; expected exact gradients")
    if n_clients is not None:
        raise ValueError(f"n_clients={n_clients} with several classes of clients: each has any number; expected None")


def check_quantities(names: Iterable[str], quantities: object) -> dict[str, Fraction]:
    """Values of all bounded quantities, 1 where none is given.

    Raises
    ------
    ValueError : an unknown name; what is no finite rational number, or a negative one.
    """
    given = dict.fromkeys(names, Fraction(1))
    if quantities is not None and not isinstance(quantities, Mapping):
        raise ValueError(f"quantities={quantities!r} is no mapping of names to numbers, such as {{'distance': 1}}")
    for name, entry in (quantities or {}).items():
        if name not in given:
            raise ValueError(f"quantities: no assumption bounds {name!r}; those here are {', '.join(given) or 'none'}")
        try:
            if isinstance(entry, bool) or not isinstance(entry, (str, numbers.Real)):
                raise TypeError
            given[name] = fraction_of_text(entry) if isinstance(entry, str) else decimal_fraction(entry)
        except (AttributeError, TypeError, ValueError, OverflowError, ZeroDivisionError):
            raise ValueError(f"{name}={entry!r} is no finite rational number") from None
        if given[name] < 0:
            raise ValueError(f"{name}={shown(entry)} bounds a square or a gap and must not be negative")
    return given


def check_time_limit(seconds: object) -> float:
    """Seconds, infinite for ``None``.

    Raises
    ------
    ValueError : what is no positive number.
    """
    if seconds is None:
        return math.inf
    if isinstance(seconds, bool) or not isinstance(seconds, numbers.Real) or not float(seconds) > 0:
        raise ValueError(f"time_limit={seconds!r} seconds; expected a positive number")
    return float(seconds)


def _check_measure(name: str, measure: object) -> None:
    if inspect.isclass(measure) or not (callable(measure) or (isinstance(measure, str) and measure in MEASURES)):
        raise ValueError(f"{name}={measure!r}; expected one of {', '.join(MEASURES)}, or a function of an analysis")
