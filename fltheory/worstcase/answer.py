"""The answer of ``worst_case``: a value between certified bounds, how it was found, and what it proves."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fltheory.kinds import JSON, Number
from fltheory.tables import Framed, html_list
from fltheory.worstcase.decimals import as_float, downward, root_upward, upward
from fltheory.worstcase.expansion import Expansion
from fltheory.worstcase.growth import Growth
from fltheory.worstcase.model import Model
from fltheory.worstcase.solver import Solution

if TYPE_CHECKING:
    from fltheory.worstcase.algebraic_answer import AlgebraicWorstCase

#: What is said in the place of a value that no float holds.
BEYOND = "beyond the range of floats"


def shown(number: Fraction) -> str:
    """A rational as it is where it is short, else what it begins with."""
    text = str(number)
    return text if len(text) <= 40 else f"a rational of {len(text) - 1} digits"


@dataclass(frozen=True)
class WorstCase(Framed):
    """The answer of :func:`worst_case`.

    Attributes
    ----------
    value : a float between the certified bounds, near what the solver says.  Without an upper certificate there is no value:
        NaN, and the status says why; infinite where growth was proved.  NaN too where bounds are certified and no float lies
        between them, being too large or too small: the bounds are rationals, and say it.
    upper, lower : certified rational bounds of the worst case at the given quantities; ``None`` where no certificate was
        found.
    bound : ``{quantity: factor}`` with ``measure <= sum factor * quantity`` for every instance, whatever the quantities.
    certificate : JSON data that :mod:`fltheory.worstcase.verifier` accepts (``None`` without any).
    status : ``"certified"`` (both sides), ``"upper only"``, ``"lower only"``, ``"no certificate"``, ``"not asked for"``
        (``certify=False``), ``"unbounded"`` (value infinite, proved by ``growth``), ``"perhaps unbounded"`` (nonconvex classes
        only: a direction of growth that the solver sees in floats and nothing proves; no value), ``"out of time"`` (what was
        certified until then is there) or ``"not solved"`` (the solver stopped early or failed, and nothing was certified).
    solver_value : what the solver said, in floats: a number to look at, no claim; NaN beyond their range.
    solver_status, residual, seconds : how the solver ended, its larger residual, its time.
    growth : quadratic losses on which all bounded quantities are zero and the measure is positive, exact; ``None`` where the
        status is not ``"unbounded"``.
    expansion : a parabola on which the measure ends above where it began: the method diverges; ``None`` where none was found.
    note : why no exact value was found, where one was asked for, or no shorter proof; else empty.
    """

    value: float
    upper: Fraction | None
    lower: Fraction | None
    bound: Mapping[str, Fraction]
    certificate: dict[str, JSON] | None
    status: str
    solver_value: float
    solver_status: str
    residual: float
    seconds: float
    model: Model
    solution: Solution
    quantities: Mapping[str, Fraction]
    growth: Growth | None = None
    expansion: Expansion | None = None
    note: str = ""

    @property
    def width(self) -> float:
        """Relative width of the certified enclosure; infinite without one."""
        if self.upper is None or self.lower is None:
            return math.inf
        return float((self.upper - self.lower) / self.upper) if self.upper else 0.0

    @property
    def divergence(self) -> str:
        """What a factor above one per round means, in words; empty where there is none.

        It is proved by a parabola (``expansion``), or only not excluded by the certified factor.
        """
        carried = self.model.carried
        if self.upper is None or carried is None or self.model.measure != carried.measure:
            return ""
        factor = self.bound.get(carried.quantity, Fraction(0))
        at_most = f"at most {root_upward(factor, carried.rounds)} per round"
        if self.expansion is not None:
            return f"{self.expansion}, {at_most}"
        if self.upper == 0 or 10 * factor * self.quantities[carried.quantity] < 9 * self.upper:
            return ""  # a bound that is made of the other quantities says little of this factor
        clear = 1 + max(1e-6, 2 * self.width if self.lower is not None else 0.0)
        return f"may diverge: {carried.quantity} by {at_most}" if factor > clear else ""

    def __repr__(self) -> str:
        words = f"{self.value:.9g}" if not math.isnan(self.value) else "no certified value"
        if self.upper is not None and math.isnan(self.value):
            words = BEYOND
        if self.upper is not None and self.upper == self.lower:
            words += f", exactly {shown(self.upper)}"
        else:
            words += "" if self.upper is None else f", at most {upward(self.upper)}"
            words += "" if self.lower is None else f", at least {downward(self.lower)}"
        words += f"; {self.note}" if self.note else ""
        words += f"; {self.divergence}" if self.divergence else ""
        return f"WorstCase({self.status}: {words}; solver {self.solver_status})"

    def exact(self, *, time_limit: float | None = None) -> WorstCase:
        """The answer with ``upper == lower``, one rational with certificates from both sides, where the worst case is one.

        Else this answer with a ``note`` that says in a line which instances were tried.  ``time_limit`` is in seconds.
        """
        from fltheory.worstcase.entry import TimeLeft
        from fltheory.worstcase.exact_answer import exact

        return exact(self, TimeLeft(time_limit))

    def sparse(self, slack: Number = 1e-4, *, time_limit: float | None = None) -> WorstCase:
        """The answer with a short proof: few interpolation inequalities, and an upper bound at most ``1 + slack`` times this one.

        With ``q_j >= 0`` the interpolation inequalities, ``A_b <= limit_b`` the assumptions and ``m`` the measure, a proof is
        ``y >= 0`` for which ``sum y_b A_b - sum y_j q_j - m`` has no function values and is positive semidefinite; its bound is
        ``sum y_b limit_b``.  Sought are few ``y_j > 0`` with ``sum y_b limit_b <= (1 + slack) upper`` at the quantities
        asked for (elsewhere the bounds may differ by more).  The fewest that were found are kept, which need not be the
        fewest there are.  The verifier accepts the new certificate, of the same theorem with other factors; the instance
        stays.  Where an instance attains the bound (``upper == lower``) a short proof of the same bound is tried first, and
        ``slack=0`` asks for no other.  ``time_limit`` is in seconds.

        Without a shorter proof the same answer, with a ``note`` that says so; within
        :func:`fltheory.worstcase.kept.replaying`, where nothing is solved, the same answer.

        Raises
        ------
        ValueError : a slack that is negative or no number, or zero where no instance attains the bound.
        """
        from fltheory.worstcase.entry import TimeLeft
        from fltheory.worstcase.sparse import sparse

        return sparse(self, slack, TimeLeft(time_limit))

    def algebraic(self, *, degree: int = 8, time_limit: float | None = None) -> AlgebraicWorstCase:
        """The worst case as a root of its irreducible polynomial, certified in exact arithmetic of a field of numbers.

        The numbers of the worst instance are looked for in fields of degree up to ``degree``; ``time_limit`` is in seconds.

        Raises
        ------
        ValueError : none was found; the message says in a line what was tried.
        """
        from fltheory.worstcase.algebraic_answer import algebraic
        from fltheory.worstcase.entry import TimeLeft

        return algebraic(self, TimeLeft(time_limit), degree)

    def lines(self) -> list[str]:
        """The theorem in names of the method, for whom it holds, and the certified bounds, a line each."""
        from fltheory.worstcase.told import lines

        return lines(self)

    def multipliers(self) -> dict[str, Fraction]:
        """The exact multipliers of the proof by name: ``{"cocoercivity of client k between w_0 and w*": 9/20, ...}``.

        Raises
        ------
        ValueError : no upper bound was certified.
        """
        from fltheory.worstcase.told import multipliers

        return multipliers(self)

    def save(self, path: str | Path) -> None:
        """Write the certificate, which ``fltheory check-certificate`` and the verifier alone accept, whole or not at all.

        Raises
        ------
        ValueError : nothing was certified.
        """
        from fltheory.worstcase import certificate

        if self.certificate is None:
            raise ValueError(f"nothing was certified (status {self.status!r}): there is no certificate to save")
        certificate.save(dict(self.certificate), Path(path))

    def records(self) -> list[dict[str, Any]]:
        """One dict: value, upper, lower (floats, rounded outward), status, and ``factor of`` each quantity of the bound."""
        ends = {"upper": as_float(self.upper, 1), "lower": as_float(self.lower, -1)}
        factors = {f"factor of {name}": as_float(factor, 1) for name, factor in self.bound.items()}
        return [{"value": self.value, **ends, "status": self.status, **factors}]

    def _repr_html_(self) -> str:
        title, *rest = self.lines()
        return html_list(title, rest)

    def instance(self) -> Any:
        """The worst-case clients as explicit functions, a problem that the simulator runs."""
        from fltheory.worstcase.instance import worst_instance

        return worst_instance(self)
