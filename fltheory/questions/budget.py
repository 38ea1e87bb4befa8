"""What a plan may spend: rounds, local steps, gradients or bytes, and how many rounds of a method that pays for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from fltheory.algorithms.vocabulary import Algorithm
from fltheory.problems.base import Problem
from fltheory.problems.checks import check_positive
from fltheory.readings.cost import Cost, cost

#: The units, and what they count.
UNITS = {
    "rounds": "rounds",
    "local_steps": "local steps of a client, one after another",
    "gradients": "gradients of all clients and of the server",
    "bytes": "bytes over the network in both directions",
}
BYTES_PER_NUMBER = 8


@dataclass(frozen=True)
class Budget:
    """``amount`` of ``unit``, a key of :data:`UNITS`; the most that all rounds together may cost.

    Under a random cohort whose members cost differently the dearest cohort counts: a budget is never exceeded.
    """

    unit: str
    amount: float

    def rounds(self, problem: Problem, algorithm: Algorithm, local_steps: int) -> int:
        """How many whole rounds it pays for; 0 if not one."""
        if self.unit == "rounds":
            return int(self.amount)
        if self.unit == "local_steps":
            return int(self.amount // local_steps)
        first = self._spent(cost(problem, algorithm))
        each = self._spent(cost(problem, algorithm, rounds=2)) - first
        if each <= 0:
            raise ValueError(f"a round of {type(algorithm).__name__} costs no {self.unit}; expected another budget")
        found = max(0, 1 + int((self.amount - first) // each)) if self.amount >= first else 0
        # Rounds may cost differently (layers that are averaged rarely): the whole is counted.
        while found and self._spent(cost(problem, algorithm, rounds=found)) > self.amount:
            found = min(found - 1, int(found * self.amount / self._spent(cost(problem, algorithm, rounds=found))))
        return found

    def _spent(self, counted: Cost) -> float:
        if self.unit == "gradients":
            return float(counted.total("gradients").most + counted.total("central_gradients").most)
        return BYTES_PER_NUMBER * float(_numbers(counted))

    def __str__(self) -> str:
        return f"{self.amount:,.12g} {UNITS[self.unit]}"


def _numbers(counted: Cost) -> int:
    """Scalars over the network, of the dearest cohorts."""
    if len(counted.blocks) == 1:
        return int(sum(counted.total(name).most for name in ("down", "up")) * counted.dimension)
    pairs = (zip(counted.blocks.sizes, counted.layer_totals(name), strict=True) for name in ("down", "up"))
    return int(sum(size * total.most for pair in pairs for size, total in pair))


def one_budget(**amounts: Any) -> Budget:
    """The one budget that is given.

    Raises
    ------
    ValueError : none or several; one that is not positive.
    """
    given = {unit: amount for unit, amount in amounts.items() if amount is not None}
    if len(given) != 1:
        said = ", ".join(f"{unit}={amount!r}" for unit, amount in given.items()) or "none"
        raise ValueError(f"budgets given: {said}; expected exactly one of {', '.join(f'{unit}=' for unit in UNITS)}")
    ((unit, amount),) = given.items()
    check_positive(unit, amount)
    return Budget(unit, float(amount))
