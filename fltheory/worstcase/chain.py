"""From one certified round to all rounds: ``V+ <= a V + b Z`` gives ``V_R <= a^R V_0 + b (1 + a + ... + a^{R-1}) Z``.

The factors a and b of a certificate depend on the quantities that it was made for: a small start relative to the
heterogeneity buys a small b for a larger a.  Each of them holds for every instance, so that the best one for R rounds may
be searched and is then exact.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from fltheory.algorithms.vocabulary import Algorithm
from fltheory.problems.base import check_count
from fltheory.problems.numbers import decimal_fraction
from fltheory.worstcase.answer import WorstCase
from fltheory.worstcase.arguments import check_quantities
from fltheory.worstcase.classes import FunctionClass
from fltheory.worstcase.decimals import upward
from fltheory.worstcase.entry import worst_case
from fltheory.worstcase.formulation import build_model


@dataclass(frozen=True)
class Chain:
    """A bound for ``rounds`` rounds from the certificate of one: ``bound`` is an exact rational upper bound."""

    one_round: WorstCase
    rounds: int
    quantities: Mapping[str, Fraction]
    carried: str
    bound: Fraction

    def __repr__(self) -> str:
        factor = self.one_round.bound.get(self.carried, Fraction(0))
        words = f"; diverges: {self.carried} by at most {upward(factor)} per round" if factor > 1 else ""
        return f"Chain({self.rounds} rounds: at most {upward(self.bound)}{words})"

    def after(self, rounds: int) -> Fraction:
        """The bound after any number of rounds."""
        return chained_bound(self.one_round.bound, rounds, self.quantities, self.carried)


def chained_bound(
    factors: Mapping[str, Fraction], rounds: int, quantities: Mapping[str, Fraction], carried: str = "distance"
) -> Fraction:
    """``a^R V + (1 + a + ... + a^{R-1}) sum_b factor_b quantity_b`` with ``a`` the factor of ``carried``."""
    a = factors.get(carried, Fraction(0))
    rest = sum((factor * quantities[name] for name, factor in factors.items() if name != carried), Fraction(0))
    total = decimal_fraction(quantities[carried])
    for _ in range(rounds):
        total = a * total + rest
    return total


def chain(
    algorithm: Algorithm,
    function_class: FunctionClass,
    *,
    rounds: int,
    quantities: Mapping[str, object] | None = None,
    carried: str = "distance",
    evaluations: int = 24,
    **options: Any,
) -> Chain | None:
    """The best chain for ``rounds`` rounds found by a search over the ratio of the start to the other quantities.

    ``options`` are those of :func:`worst_case` for one round; the measure must be the one that ``carried`` bounds at the
    start.  ``None`` if no round could be certified.
    """
    rounds, evaluations = check_count("rounds", rounds), check_count("evaluations", evaluations)
    model = build_model(
        algorithm, function_class, **{k: v for k, v in options.items() if k not in ("certify", "time_limit")}
    )
    if carried not in model.bound_names:
        raise ValueError(f"carried={carried!r}: no assumption bounds it; those here are {', '.join(model.bound_names)}")
    chosen = check_quantities(model.bound_names, quantities)
    given: dict[str, Fraction] = {}
    best: Chain | None = None
    cache: dict[Fraction, Chain | None] = {}

    def attempt(power: float) -> Fraction | None:
        nonlocal best, given
        scale = Fraction(round(10**4 * 10.0**power), 10**4)
        if scale not in cache:
            asked = {**chosen, carried: scale * chosen[carried]}
            found = worst_case(algorithm, function_class, rounds=1, quantities=asked, **options)
            given = {name: chosen[name] for name in found.quantities}
            cache[scale] = None
            if found.upper is not None:
                bound = chained_bound(found.bound, rounds, given, carried)
                cache[scale] = Chain(found, rounds, given, carried, bound)
        here = cache[scale]
        if here is not None and (best is None or here.bound < best.bound):
            best = here
        return None if here is None else here.bound

    low, high = -3.0, 0.5
    grid = [low + (high - low) * k / 7 for k in range(8)]
    scores = [(attempt(power), power) for power in grid]
    usable = [(score, power) for score, power in scores if score is not None]
    if not usable:
        return None
    centre, width = min(usable)[1], (high - low) / 7
    for _ in range(max(0, (evaluations - len(grid)) // 2)):
        width /= 2
        sides = [(attempt(centre + side * width), centre + side * width) for side in (-1, 1)]
        sides.append((attempt(centre), centre))
        centre = min((score, power) for score, power in sides if score is not None)[1]
    return best
