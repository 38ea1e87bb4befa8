"""The certifier: from the solver's floats to certificates that the verifier accepts.  It is not trusted.

The solver's answer lies on the border of what is allowed, and a little outside.  One more solve, with room in every
inequality and a reward per unit of trace, gives an instance and multipliers well inside.  Mixing a small share of them
into the answer gets both inside at a price in proportion to the share; shares are tried from small to large.  What is still
open then is asked again in the frame of the answer, see :mod:`fltheory.worstcase.frame_adapted`.
"""

from __future__ import annotations

import decimal
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any, Protocol

import numpy as np

from fltheory.worstcase import certificate, verifier
from fltheory.worstcase.frame_adapted import adapted
from fltheory.worstcase.model import Model
from fltheory.worstcase.multipliers import round_multipliers
from fltheory.worstcase.normalised import Normalised
from fltheory.worstcase.parabolas import parabolas
from fltheory.worstcase.precise import DIGITS, decimal_number, interior
from fltheory.worstcase.sdp import Array
from fltheory.worstcase.solver import Solution, solve
from fltheory.worstcase.vanishing import certain_zeros, dominated, vanishing

#: Rooms of the inner solutions that are tried, relative to the value.
ROOMS = (1e-5, 1e-6, 1e-4, 1e-3, 1e-7)
#: Shares of the inner solution that are mixed into the answer.
SHARES = (1e-3, 4e-3, 1.6e-2, 6.4e-2, 0.25, 1.0)


class Clock(Protocol):
    """Time that is left."""

    def left(self) -> float:
        """Seconds."""
        ...


@dataclass
class Enclosure:
    """What was certified so far: parts of a certificate's data and their bounds (``None`` where there is none yet)."""

    upper: dict[str, Any] | None = None
    lower: dict[str, Any] | None = None
    above: Fraction | None = None
    below: Fraction | None = None
    bound: Mapping[str, Fraction] = field(default_factory=dict)
    #: The answer in a frame of its own that was worth more than the first one, if any was.
    answer: Solution | None = None

    @property
    def width(self) -> float:
        """Relative width; infinite where a side is missing."""
        if self.above is None or self.below is None:
            return math.inf
        return float((self.above - self.below) / self.above) if self.above else 0.0


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
        within = solve(face, quantities, time_limit=budget.left())
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


def try_upper(
    found: Enclosure,
    problem: Normalised,
    quantities: Mapping[str, Fraction],
    answer: Solution,
    inner: Solution,
    size: float,
    budget: Clock,
) -> None:
    """Keep the first mixture of multipliers that the verifier accepts, if it is better than what there is."""
    given = [(answer.pairs, inner.pairs), (answer.assumptions, inner.assumptions)]
    for share in SHARES:
        if budget.left() <= 0:
            return
        pairs, assumptions = (np.maximum((1 - share) * a + share * b, 0.0) for a, b in given)
        slack = problem.matrices(pairs @ problem.pair_rows + assumptions @ problem.assumption_rows - problem.measure)
        inside = [
            (problem.complement[name], slack[name][np.ix_(problem.kept[name], problem.kept[name])]) for name in slack
        ]
        if not _above((basis.T @ matrix @ basis for basis, matrix in inside), 0.3 * share * size):
            continue
        margin = share * size
        digits = max(6, math.ceil(-math.log10(margin)) + 3)
        if keep_upper(found, problem, quantities, pairs, assumptions, digits=digits, drop=0.02 * margin):
            return


def keep_upper(
    found: Enclosure,
    problem: Normalised,
    quantities: Mapping[str, Fraction],
    pairs: Array,
    assumptions: Array,
    *,
    digits: int,
    drop: float,
) -> bool:
    """Whether the verifier accepts these multipliers, once rounded; kept if they are better than what there is."""
    model = problem.model
    listed = (problem.pair_factors, problem.assumption_factors)
    units = ([problem.measure_factor / f for f in listed[0]], [problem.measure_factor / f for f in listed[1]])
    multipliers = round_multipliers(model, pairs, assumptions, digits=digits, drop=drop, units=units)
    if multipliers is None:
        return False
    # what outweighs cross terms with vanishing vectors grows with the inverse of the margin
    for factor in (0,) if not certain_zeros(model) else (1, 10**3, 10**6, 10**9):
        enlarged = dominated(model, multipliers, factor) if factor else multipliers
        part = certificate.upper(model, enlarged)
        try:
            proved = verifier.verify({**certificate.statement(model), "upper": part})["upper"]
        except verifier.Rejected:
            continue
        value = sum((factor * quantities[name] for name, factor in proved.items()), Fraction(0))
        if found.above is None or value < found.above:
            found.upper, found.above, found.bound = part, value, enlarged.bound(model)
        return True
    return False


def try_lower(
    found: Enclosure,
    problem: Normalised,
    quantities: Mapping[str, Fraction],
    answer: Solution,
    inner: Solution,
    size: float,
    budget: Clock,
) -> None:
    """Keep the first mixture of instances that the verifier accepts, if it is better than what there is."""
    rows = np.concatenate([problem.pair_rows, problem.assumption_rows])
    right = np.concatenate([np.zeros(len(problem.pair_rows)), problem.right(quantities)])
    asked = np.abs(rows).max(axis=1) > 1e-12
    rows, right = rows[asked], right[asked]
    for share in SHARES:
        if budget.left() <= 0:
            return
        point, margin = (1 - share) * answer.point + share * inner.point, share * size
        blocks = problem.matrices(point)
        inside = (blocks[name][np.ix_(kept, kept)] for name, kept in problem.kept.items() if name in blocks)
        if (rows @ point - right).max() > -0.3 * margin or not _above(inside, 0.3 * margin):
            continue
        grid = 10 ** max(6, math.ceil(-math.log10(margin)) + 2 + math.ceil(math.log10(1 + float(np.abs(rows).max()))))
        if keep_lower(found, problem, quantities, point, grid):
            return


def keep_lower(
    found: Enclosure, problem: Normalised, quantities: Mapping[str, Fraction], point: Array, grid: int
) -> bool:
    """Whether the verifier accepts this instance, once rounded; kept if it is better than what there is."""
    unit = problem.measure_factor * problem.frame.square
    return _keep_instance(found, problem.model, quantities, problem.instance(point, grid), unit / grid)


def keep_parabola(found: Enclosure, model: Model, quantities: Mapping[str, Fraction]) -> None:
    """Keep the best parabola, if the verifier accepts it: an exact instance."""
    if any(item[0] == "noise" for item in model.instructions):
        return  # histories that part need inequalities with room
    best, chosen = Fraction(0), None
    for candidate in parabolas(model):
        factor = candidate.factor(quantities)
        value = factor * candidate.evaluate(model.measure)
        if value > best:
            best, chosen = value, (candidate, factor)
    if chosen is not None:
        _keep_instance(found, model, quantities, chosen[0].instance(chosen[1]), None)


def _keep_instance(
    found: Enclosure,
    model: Model,
    quantities: Mapping[str, Fraction],
    instance: tuple[dict[str, list[list[Fraction]]], dict[int, Fraction]],
    grid: Fraction | None,
) -> bool:
    """Whether the verifier accepts an instance; its value is rounded down to a multiple of ``grid``."""
    exact, values = instance
    gram, single = model.form(model.measure)
    places = {key: entry * exact[key[0]][key[1]][key[2]] for key, entry in gram.items()}
    value = sum(places.values(), Fraction(0)) + sum((e * values[r] for r, e in single.items()), Fraction(0))
    if grid is not None:
        value = math.floor(value / grid) * grid
    part = certificate.lower(exact, values, quantities, value)
    try:
        verifier.verify({**certificate.statement(model), "lower": part})
    except verifier.Rejected:
        return False
    if found.below is None or value > found.below:
        found.lower, found.below = part, value
    return True


def _above(matrices: Iterable[Array], floor: float) -> bool:
    """Whether all matrices are at least ``floor`` times the identity."""
    return all(not len(matrix) or np.linalg.eigvalsh(matrix)[0] >= floor for matrix in matrices)
