"""Mixed FL with several federated populations, with or without a loss at the server.

The extension that Augenstein et al., "Mixed Federated Learning" (2022), Section 6, mention: ``f = sum_j f_j (+ f_c)``, each
``f_j`` the mean loss of one population.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from numbers import Integral

from fltheory.algorithms.local import set_schedules
from fltheory.algorithms.parallel_training import central_sgd
from fltheory.algorithms.schedules import Constant
from fltheory.algorithms.vocabulary import Federation, PerClient, Vector, local_sgd
from fltheory.kinds import Number
from fltheory.problems.base import check_count, check_flag


class PopulationsState(tuple[Vector, ...]):
    """The model, then one augmenting gradient per population, then the centre's."""

    def __new__(cls, *vectors: Vector) -> PopulationsState:
        return super().__new__(cls, vectors)


@dataclass(frozen=True)
class Populations:
    """Parallel Training or 2-way GT among populations: each adds the other sides' mean gradients of the round before.

    ================= ========= =========================================================================
    argument          symbol    meaning
    ================= ========= =========================================================================
    groups                      the population of each client, numbers 0, 1, ...; each occurs
    local_steps       K         steps of every client, and of the centre
    step_size         eta       of the clients and of the centre, constant
    merge_step_size   eta_m     factor of the sum of all populations' mean updates
    transfer                    whether gradients are shared (2-way GT) or not (Parallel Training)
    centre                      whether the server has a loss of its own
    ================= ========= =========================================================================

    Clients are weighted within their population by the problem's weights.  Full participation; not in the Gram reading.

    Raises
    ------
    ValueError : groups that leave out a number, a ``transfer`` or ``centre`` that is neither True nor False, a count below
        one, a rate that is not positive or not constant; in a round, another number of clients than groups.
    """

    groups: tuple[int, ...]
    local_steps: int
    step_size: Constant | Number
    merge_step_size: Constant | Number = 1
    transfer: bool = False
    centre: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "local_steps", check_count("local_steps", self.local_steps))
        if not isinstance(self.groups, (tuple, list)) or not all(
            isinstance(group, Integral) and not isinstance(group, bool) for group in self.groups
        ):
            raise ValueError(f"groups={self.groups!r}: expected one number 0, 1, ... for each client")
        for name in ("transfer", "centre"):
            check_flag(name, getattr(self, name))
        if not self.groups or set(self.groups) != set(range(max(self.groups) + 1)):
            raise ValueError(f"groups={self.groups} does not use every number from 0 to its largest")
        for name in ("step_size", "merge_step_size"):
            set_schedules(self, name)
            if not isinstance(getattr(self, name), Constant):
                raise ValueError(f"{name}={getattr(self, name)!r}: expected a constant step size")

    @property
    def sides(self) -> int:
        """How many sides are mixed: populations, and the centre."""
        return max(self.groups) + 1 + int(self.centre)

    def start(self, fed: Federation, w: Vector) -> PopulationsState:
        return PopulationsState(w, *(fed.zero() for _ in range(self.sides if self.transfer else 0)))

    def round(self, fed: Federation, state: PopulationsState) -> PopulationsState:
        w, own = state[0], state[1:]
        self._check(fed)
        eta, total = self.step_size.value, fed.zero()
        for gradient in own:
            total = total + gradient
        begin = fed.send(w)
        shift = None
        if self.transfer:
            shift = fed.send(total - own[0]) * self._members(fed, 0)
            for side in range(1, max(self.groups) + 1):
                shift = shift + fed.send(total - own[side]) * self._members(fed, side)
        change = local_sgd(fed, begin, self.local_steps, lambda step: eta, shift=shift) - begin
        moved = [fed.average(change * self._shares(fed, side)) for side in range(max(self.groups) + 1)]
        if self.centre:
            others = total - own[-1] if self.transfer else None
            moved.append(central_sgd(fed, w, self.local_steps, lambda step: eta, shift=others) - w)
        update = fed.zero()
        for part in moved:
            update = update + part
        model = w + self.merge_step_size.value * update
        renewed = [-part / (self.local_steps * eta) - (total - old) for part, old in zip(moved, own, strict=False)]
        return PopulationsState(model, *renewed)

    def _check(self, fed: Federation) -> None:
        weights = getattr(fed, "weights", None)
        if weights is not None and len(weights) != len(self.groups):
            raise ValueError(f"groups={self.groups} names {len(self.groups)} clients; the problem has {len(weights)}")

    def _members(self, fed: Federation, side: int) -> PerClient:
        return fed.per_client([int(group == side) for group in self.groups])

    def _shares(self, fed: Federation, side: int) -> PerClient:
        """One over the population's total weight for its members, zero for others."""
        weights: list[Number] = list(getattr(fed, "weights", [Fraction(1, len(self.groups))] * len(self.groups)))
        whole = sum((p for p, group in zip(weights, self.groups, strict=True) if group == side), 0 * weights[0])
        return fed.per_client([1 / whole if group == side else 0 for group in self.groups])
