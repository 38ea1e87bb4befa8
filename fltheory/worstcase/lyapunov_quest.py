"""The search with one family of terms: the least rate, then rates above it with their floors, then a certificate."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from fltheory.worstcase.arguments import check_quantities
from fltheory.worstcase.classes import Dissimilarity
from fltheory.worstcase.lyapunov_answer import LyapunovBound
from fltheory.worstcase.lyapunov_proof import prove, rounded, rounded_up
from fltheory.worstcase.lyapunov_quadratics import quadratic_rate
from fltheory.worstcase.lyapunov_search import LyapunovSearch, RateTask
from fltheory.worstcase.lyapunov_setup import LyapunovSetup
from fltheory.worstcase.lyapunov_sharp import sharp_step, slowest
from fltheory.worstcase.lyapunov_terms import FAMILIES
from fltheory.worstcase.sdp import Array
from fltheory.worstcase.verifier import Rejected

#: Shares of the way from the least rate to one that are tried; the first alone where nothing but the rate counts.
SHARES = (1e-3, 1e-2, 3e-2, 0.1, 0.2, 0.35, 0.5, 0.7)
ALONE = (1e-4, 1e-3, 1e-2)
#: The part of the share at which V is chosen: the rest is room for its rounding.
INNER = 0.8
#: A floor may be so many times the least one, if the rate is smaller for it.
FLOORS = 2.0
#: Digits of V's factors, and the room above the distance that their rounding needs.
DIGITS, ROOM = (4, 6, 8), 1e-3
#: By how much V's other factors are larger than the least ones where the rate is exact.
LARGER = (1.1, 1.5, 2.0, 4.0)
#: Quantities that are squares of vectors: where they are zero, so are these.
SQUARES = ("heterogeneity", "noise", "centre_noise")
#: What richer terms must gain, as a share of one minus the rate.
GAIN = 0.02
#: Rates are about the same if one minus them differ by this share.
SAME = 1e-3


class Quest:
    """The search with one family of terms."""

    def __init__(
        self,
        setup: LyapunovSetup,
        family: str,
        quantities: Mapping[str, object] | None,
        progress: Callable[[str], None] | None = None,
    ) -> None:
        self.progress = progress
        self.setup, self.family, self.names = setup, family, tuple(setup.before)
        starts = [str(item.bound) for item in setup.at_start if item.bound != "distance"]
        self.given = check_quantities(dict.fromkeys([*setup.quantities, *starts]), quantities)
        squares = [name for name in setup.quantities if name in SQUARES]
        kept = [name for name in setup.quantities if name not in SQUARES]
        # Where gradients are bounded no quadratic is in the class; its rate is still where a small floor begins.
        self.bounded = "bounded gradients" in setup.kinds
        alike = any(isinstance(kind, Dissimilarity) for kind in setup.kinds)
        self.told = quadratic_rate(setup.free, setup.clients, setup.centre, alike=alike)
        self.least = LyapunovSearch(setup, self.names, kept, squares).least_rate(self.told, self._tell)

    def _tell(self, words: str) -> None:
        if self.progress is not None:
            self.progress(f"terms {self.family!r}, {len(self.names)} of them: {words}")

    def as_good_as(self, other: Quest) -> bool:
        """Whether its least rate is about that of the other search, which may assume more."""
        if self.least is None or other.least is None:
            return self.least is not None
        return (1 - other.least) <= (1 + SAME) * (1 - self.least)

    @property
    def best(self) -> bool:
        """Whether no other terms can have a clearly smaller rate."""
        return self.least is not None and (1 - self.told) <= (1 + GAIN) * (1 - self.least)

    def better(self, other: Quest) -> bool:
        """Whether its least rate is clearly smaller, or it needs fewer quantities."""
        if self.least is None or other.least is None:
            return other.least is None and self.least is not None
        return (1 - self.least) > (1 + GAIN) * (1 - other.least)

    def answer(self, wanted: Fraction | None) -> LyapunovBound:
        """The certified theorem, or why there is none."""
        told = math.nan if self.bounded else self.told
        if self.least is None and (wanted is None or wanted < 1):
            return LyapunovBound("none found with a rate below one", quadratics=told)
        least = 1.0 if self.least is None else self.least
        search = LyapunovSearch(self.setup, self.names, self.setup.quantities)
        lowest = self.least is not None and (wanted is None or wanted <= least)
        random = self.setup.free.step.registers("cohort")
        plain = not search.assumptions and not self.setup.equal and not random
        if lowest and plain and self.family == FAMILIES[0]:
            exact = self._sharp(search, told)
            if exact is not None and exact.rho is not None and (wanted is None or exact.rho <= wanted):
                return exact
        if wanted is not None and self.bounded:
            least = min(least, float(wanted))
        elif wanted is not None and wanted < least:
            return LyapunovBound(f"none found at rho={wanted}; the least rate found is {least:.6g}", quadratics=told)
        costs = np.array([0.0 if item.bound is None else float(self.given[item.bound]) for item in search.assumptions])
        tried = [self._at(search, share, least, costs, wanted) for share in self._shares(wanted, costs)]
        found = [item for item in tried if item is not None]
        curve = tuple((float(item.rate), item.floor) for item in found if item.rate < 1)
        for item in _in_order(found):
            for digits in DIGITS if len(self.names) > 1 else DIGITS[:1]:
                self._tell(f"a certificate at the rate {float(item.rate):.6g}, V to {digits} digits")
                proof = prove(self.setup, search, self._weights(item.weights, digits), item.rate, costs)
                if proof is not None:
                    try:
                        return LyapunovBound.of(proof.data, quadratics=told, curve=curve)
                    except Rejected:
                        continue
        return LyapunovBound("found in floats, and not certified", quadratics=told, curve=curve)

    def _sharp(self, search: LyapunovSearch, told: float) -> LyapunovBound | None:
        """The exact rate of the slowest instance, with V as small as it comes, or a little larger."""
        assert self.least is not None
        model = self.setup.model("step", (), self.setup.after[self.names[0]])
        mode = slowest(self.setup, model, self.least)
        if mode is None:
            return None
        found = search.ask(RateTask(float(mode.rate), sparse=1.0, kernel=mode.floats(model)))
        if found is None:
            return None
        for larger in LARGER if len(self.names) > 1 else LARGER[:1]:
            weights = {
                name: Fraction(1) if place == 0 else rounded(larger * float(weight), 2)
                for place, (name, weight) in enumerate(zip(self.names, found.weights, strict=True))
            }
            step = sharp_step(self.setup, search, weights, mode)
            proof = None if step is None else prove(self.setup, search, weights, mode.rate, np.zeros(0), step)
            if proof is not None:
                return LyapunovBound.of(proof.data, quadratics=told)
        return None

    def _shares(self, wanted: Fraction | None, costs: Array) -> tuple[float, ...]:
        if wanted is not None:
            return (1.0,)
        return SHARES if len(costs) and costs.any() else ALONE

    def _at(
        self, search: LyapunovSearch, share: float, least: float, costs: Array, wanted: Fraction | None
    ) -> _Point | None:
        """The cheapest V at this share of the way from the least rate to one."""
        self._tell(f"which floor at {share:g} of the way from the least rate to one?")
        top = 1.0 if wanted is None else float(wanted)
        inner = least + INNER * share * (top - least)
        rate = wanted or _short(least + share * (1 - least))
        many = len(self.names) > 1
        room = ROOM if many and self.family != FAMILIES[0] else 0.0
        price = 1e-6 if costs.any() else 1.0
        found = search.ask(RateTask(inner, costs=costs, sparse=price if many else 0.0, room=room))
        if found is None and not many:  # one term needs no search
            return _Point(rate, 0.0, np.ones(1))
        if found is None:
            return None
        return _Point(rate, found.cost / max(1e-12, 1 - float(rate)), found.weights)

    def _weights(self, weights: Array, digits: int) -> dict[str, Fraction]:
        if len(self.names) == 1:
            return {self.names[0]: Fraction(1)}
        smallest = 1e-7 * float(np.abs(weights).max())
        return {
            name: rounded(float(weight), digits) if abs(weight) > smallest else Fraction(0)
            for name, weight in zip(self.names, weights, strict=True)
        }


@dataclass(frozen=True)
class _Point:
    """A rate, the floor there in floats, and V's factors."""

    rate: Fraction
    floor: float
    weights: Array


def _in_order(found: list[_Point]) -> Iterator[_Point]:
    """Rates from small to large among floors that are small enough, then the others."""
    if not found:
        return
    limit = FLOORS * min(item.floor for item in found) + 1e-9
    yield from sorted((item for item in found if item.floor <= limit), key=lambda item: item.rate)
    yield from sorted((item for item in found if item.floor > limit), key=lambda item: item.rate)


def _short(rate: float) -> Fraction:
    """A rational of few digits, a little above."""
    return rounded_up(rate, 6)
