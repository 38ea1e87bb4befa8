"""The search for a Lyapunov function: its factors and the multipliers that prove its decrease are one conic program.

For a given rate the conditions ``rate V_0 + sum_q b_q A_q - V_1 = sum y q + (a square)`` and ``V_0 - |w_0 - w*|^2 = sum y' q +
(a square)``, with multipliers y and y' of interpolation inequalities q, are linear in V's factors, b and the multipliers.
What is found here is raw material in floats.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from fltheory.worstcase.lyapunov_cones import Cones, ScaledRows
from fltheory.worstcase.lyapunov_setup import LyapunovSetup
from fltheory.worstcase.sdp import Array
from fltheory.worstcase.vanishing import vanishing

#: Largest factor of a term, in units of squared lengths.
CAP = 100.0
#: Largest factor of a quantity, in the same units.
MOST = 1e3
#: A margin that is told from none; how far the bisection goes.
MARGIN, NARROW = 1e-7, 1e-6
#: How near to a rate that nothing beats a rate is the same, as a share of one minus it.
NEAR = 3e-6


@dataclass(frozen=True)
class RateTask:
    """What is asked at a rate: the largest margin, or with ``costs`` the cheapest factors of the quantities.

    ``weights``, ``factors`` fix those of the terms and of the assumptions (NaN: not fixed); ``sparse`` is the price of a
    term's factor; ``room`` asks for ``V >= (1 + room) |w - w*|^2``; ``kernel`` is where the round's slack vanishes, see
    :meth:`ScaledRows.require`.
    """

    rate: float
    costs: Array | None = None
    weights: Array | None = None
    factors: Array | None = None
    sparse: float = 0.0
    room: float = 0.0
    kernel: Mapping[str, Array] | None = None


@dataclass(frozen=True)
class Candidate:
    """Factors of the terms and of the quantities, multipliers of the round (``equal``: of what is zero), and its slack's margin."""

    weights: Array
    factors: Array
    pairs: Array
    margin: float
    cost: float
    equal: Array


class LyapunovSearch:
    """All named terms of a setup; the quantities that may be used, or with ``gone`` those that are taken to be zero."""

    def __init__(
        self, setup: LyapunovSetup, names: tuple[str, ...], quantities: Iterable[str], gone: Iterable[str] = ()
    ) -> None:
        usable = set(quantities)
        before, after = ([terms[name] for name in names] for terms in (setup.before, setup.after))
        self.names = names
        # Without a quantity it is one of the method's own, such as the noise of a compressor.
        self.assumptions = [item for item in setup.assumptions if item.bound is None or item.bound in usable]
        zero: set[tuple[str, int]] = set()
        if bounds := dict.fromkeys(gone, Fraction(0)):
            listed = tuple(item for item in setup.assumptions if item.bound in bounds)
            zero = vanishing(setup.model("step", listed, setup.after[names[0]]), bounds)
        bounded = [*(item.functional for item in self.assumptions), *setup.equal]
        self.step = ScaledRows(setup, "step", [*before, *after, *bounded], zero)
        distance = setup.analyses["floor"].distance(0)
        self.floor = ScaledRows(setup, "floor", [*(setup.alone[name] for name in names), distance])
        n = len(names)
        self.before, self.after = self.step.rows[:n], self.step.rows[n : 2 * n]
        last = 2 * n + len(self.assumptions)
        self.bounded, self.equal = self.step.rows[2 * n : last], self.step.rows[last:]
        units = np.abs(self.floor.rows[:n]).max(axis=1, initial=0.0)
        self.units = np.where(units > 0, units, 1.0)

    def ask(self, task: RateTask) -> Candidate | None:
        """The answer to a task; ``None`` where there is none."""
        n, m, p, q = len(self.names), len(self.assumptions), len(self.step.pairs), len(self.floor.pairs)
        count = n + m + p + q
        free = count + 1 + n  # the margin, and bounds of the terms' factors
        width = free + len(self.equal)
        rows = np.zeros((width, self.step.pairs.shape[1]))
        rows[:n], rows[n : n + m] = task.rate * self.before - self.after, self.bounded
        rows[n + m : n + m + p], rows[free:] = self.step.pairs, self.equal
        own = np.zeros((width, self.floor.pairs.shape[1]))
        own[:n], own[n + m + p : count] = self.floor.rows[:n], self.floor.pairs
        cones, one = Cones(width), np.eye(width)
        self.step.require(cones, rows, margin=count, kernel=task.kernel)
        if task.weights is None:
            self.floor.require(cones, own, -(1 + task.room) * self.floor.rows[n])
            for sign in (1, -1):
                cones.at_most(sign * self.units[:, None] * one[:n] - one[count + 1 : free], np.zeros(n))
            cones.at_most(one[count + 1 : free], np.full(n, CAP))
        else:
            cones.equal(one[:n], task.weights)
            cones.equal(one[n + m + p : count], np.zeros(q))
            cones.equal(one[count + 1 : free], np.zeros(n))
        if task.factors is not None:
            fixed = ~np.isnan(task.factors)
            cones.equal(one[n : n + m][fixed], task.factors[fixed])
        cones.at_most(-one[n:count], np.zeros(count - n))
        sizes = np.abs(self.bounded).max(axis=1, initial=0.0)
        cones.at_most(sizes[:, None] * one[n : n + m], np.full(m, MOST))
        margin, objective = task.costs is None and not task.sparse, np.zeros(width)
        if margin:
            cones.at_most(one[count : count + 1], np.ones(1))
            objective[count] = -1.0
        else:
            cones.equal(one[count : count + 1], np.full(1, MARGIN if task.weights is None else 0.0))
            objective[n : n + m] = 0.0 if task.costs is None else task.costs
            objective[count + 1 : free] = task.sparse
        x = cones.minimise(objective)
        if x is None:
            return None
        factors = x[n : n + m]
        cost = 0.0 if task.costs is None else float(task.costs @ factors)
        return Candidate(x[:n], factors, x[n + m : n + m + p], float(x[count]), cost, x[free:])

    def least_rate(self, below: float = 0.0, tell: Callable[[str], None] | None = None) -> float | None:
        """The least rate below one at which there is a function, by bisection; ``None`` where there is none.

        ``below`` is a rate that is known to be too small, or just enough: it is tried first.  ``tell`` hears of the rates.
        """

        def possible(rate: float) -> bool:
            if tell is not None:
                tell(f"is there a function with the rate {rate:.6g}?")
            found = self.ask(RateTask(rate))
            return found is not None and found.margin > MARGIN

        low, high = max(0.0, below), 1 - 1e-7
        if low >= high:
            return None
        near = low + NEAR * (1 - low)
        if low > 0 and possible(near):
            return near
        if not possible(high):
            return None
        while high - low > NARROW * max(1e-2, 1 - low):
            middle = (low + high) / 2
            low, high = (low, middle) if possible(middle) else (middle, high)
        return high
