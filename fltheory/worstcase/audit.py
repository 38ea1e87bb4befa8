"""The ratio of a published bound to the exact worst case under the theorem's own assumptions, as a certified enclosure.

A theorem says ``left <= bound(quantities)`` for every instance whose quantities are at most the given ones.  Let
``scale * measure`` be its left side (or more than it).  If the worst case of ``measure`` lies in ``[lower, upper]``, the ratio
of the bound to the worst case lies in ``[bound/(scale upper), bound/(scale lower)]``; the bound is evaluated exactly.  A left
end above one says by how much the theorem is loose there; a right end below one would refute it, where the left side is
``scale * measure`` itself and the instances obey all of its assumptions.
"""

from __future__ import annotations

import hashlib
import json
import math
import time
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from fltheory.theory.bound import Bound
from fltheory.worstcase.certificate import PART
from fltheory.worstcase.entry import solve_model
from fltheory.worstcase.model import Model

PRINTED = "printed"


@dataclass(frozen=True)
class Case:
    """A theorem at one point of its grid.

    Parameters
    ----------
    theorem, parameters : what it is, for tables.
    above : a model whose instances include all that obey the theorem's assumptions: its upper bounds count.
    below : a model whose instances all obey them: its lower bounds count.
    quantities : the values of the bounded quantities, for both models.
    scale : the theorem's left side is at most ``scale * measure``.
    bounds : the published bound under the name ``"printed"``, and proved improvements of it.
    values : values of the bounds' symbols.
    """

    theorem: str
    parameters: Mapping[str, Fraction]
    above: Model
    below: Model
    quantities: Mapping[str, Fraction]
    bounds: Mapping[str, Bound]
    values: Mapping[str, object]
    scale: Fraction = Fraction(1)

    @property
    def key(self) -> str:
        """A name of the point: the theorem and its parameters."""
        return f"{self.theorem}: " + ", ".join(f"{name}={value}" for name, value in self.parameters.items())

    def bound(self, name: str = PRINTED, **changes: Any) -> Fraction:
        """A bound's exact value; ``changes`` replace symbols (to see what a term contributes).

        Raises
        ------
        ValueError : a condition of the theorem does not hold at this point, or the value is irrational.
        """
        return exact_value(self.bounds[name], {**self.values, **changes})


@dataclass(frozen=True)
class Finding:
    """Certified sides of the worst case of ``scale * measure``, ``None`` where no certificate was found.

    ``factors``: ``scale * measure <= sum factor * quantity`` for every instance, as the upper certificate says.
    """

    upper: Fraction | None
    lower: Fraction | None
    factors: Mapping[str, Fraction]
    certificates: Mapping[str, dict[str, Any]]
    value: float
    solver_status: str
    seconds: float

    @property
    def status(self) -> str:
        """``"certified"``, ``"upper only"``, ``"lower only"`` or ``"no certificate"``."""
        names = {(True, True): "certified", (True, False): "upper only", (False, True): "lower only"}
        return names.get((self.upper is not None, self.lower is not None), "no certificate")

    def ratio(self, bound: Fraction) -> tuple[float, float]:
        """The enclosure of ``bound / worst case``, rounded outwards; 0 and infinity where a side is missing."""
        low = 0.0 if self.upper is None or self.upper <= 0 else outward(bound / self.upper, -1)
        high = math.inf if self.lower is None or self.lower <= 0 else outward(bound / self.lower, 1)
        return low, high


def exact_value(bound: Bound, values: Mapping[str, object]) -> Fraction:
    """A bound as a rational number; ``ValueError`` if a condition fails there or the value is irrational."""
    found = bound.exact(**bound.select(values))
    if not found.is_Rational:
        raise ValueError(f"{bound.name} is {found}, no rational number, at {dict(values)}")
    return Fraction(int(found.p), int(found.q))


def outward(number: Fraction, direction: int) -> float:
    """The float next to a rational on the side ``direction`` (-1 below, 1 above), the number itself if it is one."""
    near = float(number)
    exact = Fraction(near)
    if exact == number or (exact > number) == (direction > 0):
        return near
    return math.nextafter(near, math.inf * direction)


def audit(case: Case, *, time_limit: float | None = None) -> Finding:
    """Certify both sides of one case; ``time_limit`` in seconds for each of its models."""
    begin = time.perf_counter()
    above = solve_model(case.above, _quantities(case, case.above), time_limit=time_limit)
    below = above
    if case.below is not case.above:
        below = solve_model(case.below, _quantities(case, case.below), time_limit=time_limit)
    kept = {
        side: {key: entry for key, entry in (answer.certificate or {}).items() if key != other}
        for side, other, answer, found in (
            ("upper", "lower", above, above.upper),
            ("lower", "upper", below, below.lower),
        )
        if found is not None
    }
    return Finding(
        None if above.upper is None else above.upper * case.scale,
        None if below.lower is None else below.lower * case.scale,
        {name: factor * case.scale for name, factor in above.bound.items()},
        kept,
        above.value * float(case.scale),
        above.solver_status,
        time.perf_counter() - begin,
    )


def _quantities(case: Case, model: Model) -> dict[str, Fraction]:
    return {name: case.quantities[name] for name in model.bound_names}


def digest(data: Mapping[str, object]) -> str:
    """SHA-256 of a certificate by registers, without its claim, as it would be written to a file."""
    bare = {"format": PART} | {name: part for name, part in data.items() if name not in ("format", "claim")}
    return hashlib.sha256((json.dumps(bare, separators=(",", ":")) + "\n").encode()).hexdigest()
