"""The certifier: from the solver's floats to certificates that the verifier accepts.  It is not trusted.

The solver's answer lies on the border of what is allowed, and a little outside.  One more solve, with room in every
inequality and a reward per unit of trace, gives an instance and multipliers well inside.  Mixing a small share of them
into the answer gets both inside at a price in proportion to the share; shares are tried from small to large.  What is still
open then is asked again in the frame of the answer, see :mod:`fltheory.worstcase.frame_adapted`.
"""

from __future__ import annotations

import decimal
from collections.abc import Iterable, Mapping
from dataclasses import replace
from fractions import Fraction

import numpy as np

from fltheory.worstcase.central import central
from fltheory.worstcase.enclosure import (
    Clock,
    Enclosure,
    as_they_are,
    keep_lower,
    keep_parabola,
    keep_upper,
    try_lower,
    try_upper,
)
from fltheory.worstcase.frame_adapted import adapted
from fltheory.worstcase.model import Model
from fltheory.worstcase.normalised import Normalised
from fltheory.worstcase.precise import DIGITS, decimal_number, interior
from fltheory.worstcase.solver import Solution, solve
from fltheory.worstcase.vanishing import certain_zeros, vanishing

#: Rooms of the inner solutions that are tried, relative to the value.
ROOMS = (1e-5, 1e-6, 1e-4, 1e-3, 1e-7)

#: The decimal solver is asked where the floats' enclosure is wider, and where it takes about as many seconds as this.
PATIENCE = 20.0
#: It is asked for an enclosure that is narrow, and not sharp, where it takes about as many seconds as this.
BRIEFLY, SHARP = 1.0, 1e-5
#: Decimals to which its points are rounded; the finer ones where multipliers are so unlike that floats failed.
GRIDS, FINER = (10, 14, 20, 28), (18, 28)
#: A wider enclosure is not left at that: so many more answers are asked for, each in the frame of the last.
WIDE, FRAMES = 1e-3, 2
#: Stop with an enclosure as narrow as this; of more unknowns than ``MANY``, whose solves take seconds, as narrow as the second.
NARROW, NARROW_OF_MANY, MANY = 5e-5, 1e-4, 500


def enclose(
    model: Model,
    problem: Normalised,
    quantities: Mapping[str, Fraction],
    answer: Solution,
    budget: Clock,
    *,
    lower: bool = True,
) -> Enclosure:
    """Certified bounds around a solver's answer, as far as they are found in the time that is left.

    Without ``lower`` nothing is asked once floats have given a bound from above.

    ``answer`` solves ``problem``, which is :func:`reduced` from the model.  All numbers here are in its coordinates.
    """
    found = Enclosure()
    keep_parabola(found, model, quantities)
    zero = vanishing(model, quantities)
    face, within = problem, answer
    if zero != certain_zeros(model):
        face = _seen(Normalised(model, quantities, zero))
        within = from_inside(face, quantities, budget) or solve(face, quantities, time_limit=budget.left())
    if problem.length > MANY:
        as_they_are(found, problem, face, quantities, answer, within)
    if answer.usable:
        _from_floats(found, problem, face, quantities, answer, within, budget)
    if found.above is not None and not lower:
        return found
    patience = PATIENCE if found.width > NARROW else BRIEFLY
    if found.width > SHARP and problem.frame.finite and _cost(problem) <= min(patience, budget.left()):
        for side in (problem,) if face is problem else (problem, face):
            _precisely(found, side, quantities, budget)
    if found.width <= WIDE:
        return found
    later = replace(found)
    _in_frames_of_answers(later, problem, face, quantities, answer, within, budget)
    apart = _moved(found.above, later.above) or _moved(found.below, later.below)
    return later if apart else found


def _moved(before: Fraction | None, after: Fraction | None) -> bool:
    """Whether a side was found or moved by more than what is called wide; less is not worth other digits."""
    if before is None or after is None:
        return before is not after
    return abs(after - before) > Fraction(WIDE) * abs(before)


def _in_frames_of_answers(
    found: Enclosure,
    problem: Normalised,
    face: Normalised,
    quantities: Mapping[str, Fraction],
    answer: Solution,
    within: Solution,
    budget: Clock,
) -> None:
    """Ask again in the frame of the last answer while a side is missing or the enclosure is wide, and in decimals at last.

    Decimals are then asked also where nothing says that the worst case is finite: floats found an answer at least.
    """
    spent = answer.seconds
    for _ in range(FRAMES):
        if found.width <= WIDE or not answer.usable or not within.usable or budget.left() <= 0:
            return
        apart = face is not problem
        problem = adapted(problem, quantities, answer.point)
        face = adapted(face, quantities, within.point) if apart else problem
        answer = solve(problem, quantities, time_limit=budget.left())
        within = solve(face, quantities, time_limit=budget.left()) if apart else answer
        spent += answer.seconds
        before = found.above, found.below
        if answer.usable:
            _from_floats(found, problem, face, quantities, answer, within, budget)
        if (found.above, found.below) != before:
            found.answer = replace(answer, seconds=spent)
    if (
        found.width > WIDE
        and answer.status in ("Solved", "AlmostSolved")
        and _cost(problem) <= min(PATIENCE, budget.left())
    ):
        for side in (problem,) if face is problem else (problem, face):
            _precisely(found, side, quantities, budget, FINER)


def from_inside(problem: Normalised, quantities: Mapping[str, Fraction], budget: Clock) -> Solution | None:
    """Answers strictly inside all constraints, for a program of many unknowns that has them."""
    if problem.length <= MANY or not problem.frame.finite:
        return None
    return central(problem, quantities, time_limit=budget.left())


def _from_floats(
    found: Enclosure,
    problem: Normalised,
    face: Normalised,
    quantities: Mapping[str, Fraction],
    answer: Solution,
    within: Solution,
    budget: Clock,
) -> None:
    """Mix small shares of inner solutions into the answers, rounds of them from small to large."""
    value = max(abs(float(problem.measure @ answer.point)), 1e-9)
    trace = sum(float(np.trace(block)) for block in problem.matrices(answer.point).values())
    narrow = NARROW if problem.length <= MANY else NARROW_OF_MANY
    for room in ROOMS:
        # a reward that is small beside the value; room that is small beside what an instance has
        reward, size = 3 * room * value / max(1.0, trace), room * min(value, 1.0)
        if found.width >= narrow and budget.left() > 0:
            tighten = 0.0 if face is not problem else size
            inner = solve(problem, quantities, trace=reward, tighten=tighten, time_limit=budget.left())
            if inner.usable:
                try_upper(found, problem, quantities, answer, inner, reward, budget)
            if face is not problem:
                inner = solve(face, quantities, trace=reward, tighten=size, time_limit=budget.left())
            if inner.usable and within.usable:
                try_lower(found, face, quantities, within, inner, size, budget)


def _cost(problem: Normalised) -> float:
    """About the seconds that the decimal solver takes: it forms and factorises a system of all unknowns at each step."""
    return 4e-6 * (len(problem.pair_rows) + problem.length) * problem.length**2


def _precisely(
    found: Enclosure,
    problem: Normalised,
    quantities: Mapping[str, Fraction],
    budget: Clock,
    grids: Iterable[int] = GRIDS,
) -> None:
    """Keep what the decimal solver finds, where that is better: its points are strictly inside as they are."""
    with decimal.localcontext(prec=DIGITS):
        frame = problem.frame
        sharp = Normalised(problem.model, quantities, frame.zero, number=decimal_number, frame=frame)
        sharp = sharp.restricted(set(problem.dropped))
        inner = interior(sharp, quantities, left=budget.left)
        if inner is None:
            return
        for digits in grids:
            if keep_upper(found, sharp, quantities, inner.pairs, inner.assumptions, digits=digits, drop=0.0):
                break
        for digits in grids:
            if keep_lower(found, sharp, quantities, inner.point, 10**digits):
                break


def reduced(model: Model, quantities: Mapping[str, Fraction]) -> Normalised:
    """The normalised problem without basis vectors that are certainly zero, or that nothing sees."""
    return _seen(Normalised(model, quantities, certain_zeros(model)))


def _seen(problem: Normalised) -> Normalised:
    return problem.restricted(problem.unseen)
