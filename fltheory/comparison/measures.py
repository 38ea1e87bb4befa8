r"""What the rates bound, as functionals of the exact worst case.

================================== =================================================================================
measure                            meaning
================================== =================================================================================
``distance``, ``gap``              ``|w_R - w*|^2``, ``F(w_R) - F*``
``mean gap``                       mean over the rounds r = 0, ..., R - 1 of ``F(w_r) - F*``
``gap of the mean``                ``F - F*`` at the mean over t = 0, ..., T - 1 of the clients' means at step t
``gap of the weighted mean``       the same with weights ``(a + t)^2``, a of Stich's step sizes
``mean squared gradient``          mean over t = 0, ..., T - 1 of ``|grad F|^2`` at the clients' means
``mean squared gradient, rounds``  mean over the rounds r = 0, ..., R - 1 of ``|grad F(w_r)|^2``
================================== =================================================================================
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction

from fltheory.comparison.schedules import stich_shift
from fltheory.comparison.setting import GridPoint
from fltheory.worstcase.analysis import Analysis, Measure
from fltheory.worstcase.functional import Functional

#: Measures of the last model.
LAST = ("distance", "gap")
MEASURES = (
    *LAST,
    "mean gap",
    "gap of the mean",
    "gap of the weighted mean",
    "mean squared gradient",
    "mean squared gradient, rounds",
)


def measure_of(name: str, setting: GridPoint) -> Measure:
    """The measure of this name, as :func:`~fltheory.worstcase.entry.worst_case` takes it.

    Raises
    ------
    ValueError : another name.
    """
    if name in LAST:
        return name
    made: dict[str, Callable[[Analysis], Functional]] = {
        "mean gap": _mean_gap,
        "gap of the mean": lambda analysis: _gap_of_mean(analysis, [1] * setting.steps),
        "gap of the weighted mean": lambda analysis: _gap_of_mean(
            analysis, [(stich_shift(setting) + t) ** 2 for t in range(setting.steps)]
        ),
        "mean squared gradient": _mean_square,
        "mean squared gradient, rounds": _mean_square_of_rounds,
    }
    if name not in made:
        raise ValueError(f"measure={name!r}; expected one of {', '.join(MEASURES)}")
    return made[name]


def _means(analysis: Analysis) -> list[int]:
    """The clients' means before each step."""
    places = analysis.program.registers("gradient")
    points = [analysis.recorder.instructions[place][1] for place in places]
    models = set(analysis.program.models)
    return [point if point in models else analysis.mean(point) for point in points]


def _mean_gap(analysis: Analysis) -> Functional:
    models = analysis.program.models[:-1]
    return _sum([analysis.value(model) * Fraction(1, len(models)) for model in models])


def _gap_of_mean(analysis: Analysis, weights: Sequence[Fraction | int]) -> Functional:
    points, total = _means(analysis), sum(weights)
    if len(points) != len(weights):
        raise ValueError(f"{len(points)} gradients of the method, {len(weights)} weights: the measure is FedAvg's")
    terms: dict[int, Fraction] = {}
    for point, weight in zip(points, weights, strict=True):
        terms[point] = terms.get(point, Fraction(0)) + Fraction(weight) / total
    return analysis.value(analysis.combine(terms))


def _mean_square(analysis: Analysis) -> Functional:
    points = _means(analysis)
    return _sum([analysis.square(analysis.full_gradient(point)) * Fraction(1, len(points)) for point in points])


def _mean_square_of_rounds(analysis: Analysis) -> Functional:
    rounds = len(analysis.program.models) - 1
    return _sum([analysis.gradient(place) * Fraction(1, rounds) for place in range(rounds)])


def _sum(parts: Sequence[Functional]) -> Functional:
    total = Functional()
    for part in parts:
        total = total + part
    return total
