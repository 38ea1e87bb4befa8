"""Up to which step size the rounds are stable: in the mean, and in mean square."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from fltheory.algorithms.vocabulary import Algorithm
from fltheory.problems.base import Problem
from fltheory.problems.checks import check_count, check_function, check_positive
from fltheory.problems.numbers import as_number
from fltheory.problems.oracles import AnyOracle
from fltheory.progress import tells
from fltheory.readings.enclosures import require_exact_gradients
from fltheory.readings.entry import is_affine
from fltheory.readings.linearised import local_contraction
from fltheory.readings.round_map import RoundMap, round_map
from fltheory.tables import Framed, Shown

Interval = tuple[float, float]
#: The smallest step size tried is halved so often before the mean square counts as stable for no small one.
MOST_HALVINGS = 30


@dataclass(frozen=True)
class StabilityLimit(Shown, Framed):
    """Where the factors per round cross one, among step sizes in ``(0, upper]``.

    =========================== =======================================================================================
    attribute                   meaning
    =========================== =======================================================================================
    ``mean``                    the step size at which the mean stops contracting, the first crossing from below; None if
                                no step size tried up to ``upper`` is unstable
    ``mean_square``             the same of the mean square, at most ``mean``; 0.0 if no small step size is stable (the
                                weights of a cohort need not sum to one), None as above
    ``mean_intervals``          where the mean contracts, ``((from, to), ...)``
    ``mean_square_intervals``   where the mean square contracts
    ``upper``, ``points``       the range and the number of step sizes tried; crossings and returns between two neighbours
                                go unseen
    =========================== =======================================================================================
    """

    mean: float | None
    mean_square: float | None
    mean_intervals: tuple[Interval, ...]
    mean_square_intervals: tuple[Interval, ...]
    upper: float
    points: int

    def facts(self) -> list[tuple[str, str]]:
        mean, square = _words(self.mean, self.mean_intervals), _words(self.mean_square, self.mean_square_intervals)
        return [("mean", mean), ("mean square", square), ("tried", f"{self.points} step sizes up to {self.upper:.9g}")]

    def records(self) -> list[dict[str, Any]]:
        """One dict per stable interval: of ("mean" or "mean square"), low, high."""
        found = (("mean", self.mean_intervals), ("mean square", self.mean_square_intervals))
        return [{"of": name, "low": low, "high": high} for name, intervals in found for low, high in intervals]

    def __repr__(self) -> str:
        tried = f"{self.points} step sizes up to {self.upper:.9g} tried"
        mean, square = _words(self.mean, self.mean_intervals), _words(self.mean_square, self.mean_square_intervals)
        return f"StabilityLimit(mean: {mean}; mean square: {square}; {tried})"


def _words(limit: float | None, intervals: tuple[Interval, ...]) -> str:
    if limit is None:
        return "no unstable step size found"
    later = [f"({low:.9g}, {high:.9g})" for low, high in intervals if low > 0]
    again = f" and in {', '.join(later)}" if later else ""
    if limit == 0:
        return "unstable for small step sizes" + (f", stable in {', '.join(later)}" if later else "")
    return f"stable below {limit:.12g}{again}"


@tells("stability_limit")
def stability_limit(
    problem: Problem,
    algorithm_of: Callable[[Any], Algorithm],
    upper: float,
    *,
    points: int = 64,
    tolerance: float = 1e-12,
    oracle: AnyOracle | None = None,
    centre_oracle: AnyOracle | None = None,
) -> StabilityLimit:
    """The step sizes at which the rounds stop contracting, in the mean and in mean square.

    ``algorithm_of(eta)`` makes the algorithm.  ``(0, upper]`` is scanned at ``points`` step sizes, and each interval whose
    ends differ is bisected to the relative ``tolerance``.  Crossings and returns inside one interval of the scan go unseen,
    so that a limit found is a crossing, and the first one only as far as the scan can see.  Conserved quantities do not
    count, nor do directions that floats do not tell from them (``RoundMap.resolved_contraction``).  Where the random part of a
    round does not depend on the state (full participation, exact gradients or additive noise) both limits are one; else
    mini-batches and cohorts make that of the mean square smaller, which is found as ``RoundMap.mean_square`` finds its factor,
    with ``oracle`` and ``centre_oracle``.

    Of a problem that is not quadratic it is local stability: of the rounds' Jacobian at the fixed point that each step size has
    (:func:`linearised`), with exact gradients and everyone taking part, so that both limits are one.

    Raises
    ------
    ValueError : ``upper`` not positive; rounds whose mean does not contract even at ``upper / points``; as ``round_map``; beyond
        quadratics a fixed point that is lost from sight while it is stable, and as :func:`linearised`.
    """
    check_function("algorithm_of", algorithm_of, "algorithm_of(step_size)")
    upper = as_number("upper", upper)
    check_positive("upper", upper)
    points = check_count("points", points)
    check_positive("tolerance", tolerance)
    upper = float(upper)

    grid = [upper * (i + 1) / points for i in range(points)]
    if not is_affine(problem):
        require_exact_gradients(problem, "a stability limit", oracle, centre_oracle)
        local = _local_intervals(local_contraction(problem, algorithm_of), grid, tolerance)
        return StabilityLimit(_limit(local, upper), _limit(local, upper), local, local, upper, points)

    def rounds(step_size: float) -> RoundMap:
        return round_map(problem, algorithm_of(step_size), oracle=oracle, centre_oracle=centre_oracle)

    def in_mean(step_size: float) -> bool:
        return rounds(step_size).resolved_contraction() < 1.0

    def in_mean_square(step_size: float) -> bool:
        found = rounds(step_size)
        return found.resolved_contraction() < 1.0 and (found.sure or found.mean_square_contracts())

    first = rounds(grid[0])
    if not first.resolved_contraction() < 1.0:
        raise ValueError(f"the rounds do not contract at step_size={grid[0]:.6g}, the smallest one tried")
    mean = square = _intervals(grid, in_mean, tolerance)
    if not first.sure:
        smallest = grid[0]
        for _ in range(MOST_HALVINGS):
            if in_mean_square(smallest):
                break
            smallest = smallest / 2
        below = [smallest] if smallest < grid[0] and in_mean_square(smallest) else []
        square = _intervals([*below, *grid], in_mean_square, tolerance)
    return StabilityLimit(_limit(mean, upper), _limit(square, upper), mean, square, upper, points)


def _local_intervals(factor: Callable[[float], float], grid: list[float], tolerance: float) -> tuple[Interval, ...]:
    """The stable intervals of fixed points that move with the step size."""
    first = factor(grid[0])
    if not first < 1:
        raise ValueError(
            f"the rounds do not contract at step_size={grid[0]:.6g}, the smallest one tried: their factor is {first:.6g}"
        )

    lost: set[float] = set()

    def decide(step_size: float) -> bool:
        try:
            return factor(step_size) < 1
        except ValueError:
            lost.add(step_size)
            return False

    found = _intervals(grid, decide, tolerance)
    for low, high in found:
        for end in (low, high):
            near = [step_size for step_size in lost if abs(step_size - end) <= 2 * tolerance * end]
            if near:
                raise ValueError(
                    f"the fixed point could not be followed from step_size={end:.9g} on, where it is still stable: whether rounds "
                    "have a stability limit there is unknown; expected a smaller upper"
                )
    return found


def _intervals(grid: list[float], decide: Callable[[float], bool], tolerance: float) -> tuple[Interval, ...]:
    """The stable intervals, from 0 if the smallest step size is stable; their ends are stable step sizes."""
    stable = [decide(step_size) for step_size in grid]
    intervals: list[Interval] = []
    begin = 0.0 if stable[0] else None
    for place in range(1, len(grid)):
        if stable[place] == stable[place - 1]:
            continue
        inside, outside = (grid[place], grid[place - 1]) if stable[place] else (grid[place - 1], grid[place])
        while abs(inside - outside) > tolerance * max(inside, outside):
            middle = (inside + outside) / 2
            if middle in (inside, outside):
                break
            inside, outside = (middle, outside) if decide(middle) else (inside, middle)
        if begin is None:
            begin = inside
        else:
            intervals.append((begin, inside))
            begin = None
    if begin is not None:
        intervals.append((begin, grid[-1]))
    return tuple(intervals)


def _limit(intervals: tuple[Interval, ...], upper: float) -> float | None:
    """The end of the interval that begins at zero; None if it ends with the range."""
    if not intervals or intervals[0][0] > 0:
        return 0.0
    return None if intervals[0][1] == upper else intervals[0][1]
