"""What was certified so far, and what keeps more of it: floats, rounded to certificates that the verifier accepts."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Protocol

import numpy as np

from fltheory.worstcase import certificate, verifier
from fltheory.worstcase.frame import power_of_two
from fltheory.worstcase.model import Model
from fltheory.worstcase.multipliers import round_multipliers
from fltheory.worstcase.normalised import Normalised
from fltheory.worstcase.parabolas import parabolas
from fltheory.worstcase.sdp import Array
from fltheory.worstcase.solver import Solution
from fltheory.worstcase.vanishing import certain_zeros, dominated

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


def as_they_are(
    found: Enclosure,
    problem: Normalised,
    face: Normalised,
    quantities: Mapping[str, Fraction],
    answer: Solution,
    within: Solution,
) -> None:
    """Keep answers that are strictly inside, with as many decimals as their distances from the border need."""
    if answer.usable:
        margin = _margin(_slack(problem, answer.pairs, answer.assumptions))
        if margin > 0:
            keep_upper(
                found, problem, quantities, answer.pairs, answer.assumptions, digits=_digits(margin) + 3, drop=0.0
            )
    if within.usable:
        rows, right = _asked(face, quantities)
        margin = min(float((right - rows @ within.point).min()), _margin(_inside(face, within.point)))
        if margin > 0:
            grid = 10 ** (_digits(margin) + 2 + _size(rows))
            if not keep_lower(found, face, quantities, within.point, grid, short=True):
                keep_lower(found, face, quantities, within.point, grid)


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
        margin = share * size
        if not _margin(_slack(problem, pairs, assumptions)) >= 0.3 * margin:
            continue
        digits = max(6, _digits(margin) + 3)
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
    rows, right = _asked(problem, quantities)
    for share in SHARES:
        if budget.left() <= 0:
            return
        point, margin = (1 - share) * answer.point + share * inner.point, share * size
        if (rows @ point - right).max() > -0.3 * margin or not _margin(_inside(problem, point)) >= 0.3 * margin:
            continue
        grid = 10 ** max(6, _digits(margin) + 2 + _size(rows))
        if keep_lower(found, problem, quantities, point, grid):
            return


def keep_lower(
    found: Enclosure,
    problem: Normalised,
    quantities: Mapping[str, Fraction],
    point: Array,
    grid: int,
    *,
    short: bool = False,
) -> bool:
    """Whether the verifier accepts this instance, once rounded; kept if it is better than what there is.

    ``short`` rounds it in the model's own units too: where its entries are sums of many rationals they have far more digits
    than they need, which the verifier has to work with.
    """
    unit = problem.measure_factor * problem.frame.square
    instance = problem.instance(point, grid)
    if short:
        instance = _shortened(*instance, 2 ** (grid.bit_length() + 8))
    return _keep_instance(found, problem.model, quantities, instance, unit / grid)


def _shortened(
    blocks: Mapping[str, list[list[Fraction]]], values: Mapping[int, Fraction], grid: int
) -> tuple[dict[str, list[list[Fraction]]], dict[int, Fraction]]:
    """Entries rounded to a share ``1/grid`` of powers of two near the lengths of their two vectors; values, of the largest."""

    def near(number: Fraction, unit: Fraction) -> Fraction:
        return round(number / unit * grid) * unit / grid

    found = {}
    for name, rows in blocks.items():
        units = [power_of_two(row[k]) if row[k] > 0 else Fraction(1) for k, row in enumerate(rows)]
        found[name] = [
            [near(entry, one * two) for entry, two in zip(row, units, strict=True)]
            for row, one in zip(rows, units, strict=True)
        ]
    largest = max(map(abs, values.values()), default=Fraction(0))
    unit = power_of_two(largest**2) if largest else Fraction(1)
    return found, {register: near(entry, unit) for register, entry in values.items()}


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


def _asked(problem: Normalised, quantities: Mapping[str, Fraction]) -> tuple[Array, Array]:
    """The rows that say something, and their right-hand sides."""
    rows = np.concatenate([problem.pair_rows, problem.assumption_rows])
    right = np.concatenate([np.zeros(len(problem.pair_rows)), problem.right(quantities)])
    asked = np.abs(rows).max(axis=1) > 1e-12
    return rows[asked], right[asked]


def _slack(problem: Normalised, pairs: Array, assumptions: Array) -> Iterator[Array]:
    """The blocks that an upper bound needs to be positive semidefinite, on what constraints see."""
    slack = problem.matrices(pairs @ problem.pair_rows + assumptions @ problem.assumption_rows - problem.measure)
    for name, matrix in slack.items():
        basis, kept = problem.complement[name], problem.kept[name]
        yield basis.T @ matrix[np.ix_(kept, kept)] @ basis


def _inside(problem: Normalised, point: Array) -> Iterator[Array]:
    """The blocks of an instance, without what vanishes."""
    for name, matrix in problem.matrices(point).items():
        yield matrix[np.ix_(problem.kept[name], problem.kept[name])]


def _margin(matrices: Iterable[Array]) -> float:
    """The least eigenvalue of all matrices."""
    return min((float(np.linalg.eigvalsh(matrix)[0]) for matrix in matrices if len(matrix)), default=math.inf)


def _digits(margin: float) -> int:
    """Decimals that show a number of this size."""
    return math.ceil(-math.log10(margin))


def _size(rows: Array) -> int:
    """Decimals that the entries of rows cost."""
    return math.ceil(math.log10(1 + float(np.abs(rows).max())))
