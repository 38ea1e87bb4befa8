"""What ``fl.check_bound`` answers: a verdict, both certified numbers, the certificate or the instance, and evidence for a claim."""

from __future__ import annotations

import html
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import sympy as sp

from fltheory.evidence import certificates
from fltheory.evidence.model import Evidence, Outcome, Rung
from fltheory.kinds import JSON
from fltheory.theory.exact_numbers import short
from fltheory.worstcase.answer import WorstCase
from fltheory.worstcase.decimals import downward, upward
from fltheory.worstcase.told import theorem

HOLDS, REFUTED, UNDECIDED = "holds", "refuted", "undecided"


def words_of(values: Mapping[str, object]) -> str:
    """``step_size = 1/4, mu = 1/10``."""
    return ", ".join(f"{name} = {value}" for name, value in values.items())


@dataclass(frozen=True)
class BoundAt:
    """A bound at one point of its parameters.

    ================= ====================================================================================================
    field             meaning
    ================= ====================================================================================================
    ``at``            the parameters that were chosen from a grid, by name
    ``general``       whether the statement is one for all values of the bounded quantities
    ``verdict``       ``"holds"``, ``"refuted"`` or ``"undecided"``
    ``bound``         the stated right-hand side, exact; in the quantities, where it is one for all of them
    ``answer``        the :class:`~fltheory.worstcase.answer.WorstCase` that decides, at its own ``quantities``
    ``factors``       of the quantities in the certified upper bound
    ``upper, lower``  the certified sides at these quantities, as the verifier read them; ``None`` where there is none
    ``stated``        factors of the quantities in the statement, where it is one for all of them
    ``reason``        why it is undecided
    ================= ====================================================================================================
    """

    at: Mapping[str, object]
    general: bool
    verdict: str
    bound: sp.Expr
    answer: WorstCase
    factors: Mapping[str, Fraction]
    upper: Fraction | None
    lower: Fraction | None
    stated: Mapping[str, sp.Expr] = field(default_factory=dict)
    reason: str = ""

    @property
    def here(self) -> sp.Expr:
        """The bound at the quantities of ``answer``."""
        put = {sp.Symbol(name): sp.Rational(value) for name, value in self.answer.quantities.items()}
        return self.bound.subs(put)

    @property
    def margin(self) -> float | None:
        """Distance of the bound from the certified side that decides, relative to the larger one; negative when refuted."""
        side = self.upper if self.verdict == HOLDS else self.lower if self.verdict == REFUTED else None
        if side is None:
            return None
        largest = max(abs(self.here), abs(sp.Rational(side)))
        return float((self.here - sp.Rational(side)) / largest) if largest != 0 else 0.0

    @property
    def certificate(self) -> dict[str, JSON] | None:
        """The verified worst case, and where the numbers are rational the comparison with the bound, as data."""
        if self.answer.certificate is None:
            return None
        kept: dict[str, JSON] = {"worst case": self.answer.certificate}
        if self.verdict == HOLDS and self.upper is not None:
            if self.general:
                gaps = {name: right - sp.Rational(self.factors.get(name, 0)) for name, right in self.stated.items()}
            else:
                gaps = {"bound": self.here - sp.Rational(self.upper)}
            rational = {name: gap for name, gap in gaps.items() if gap.is_Rational}
            kept["comparison"] = {name: certificates.nonnegative(gap, []) for name, gap in rational.items()}
        return kept

    def line(self) -> str:
        """Parameters, verdict, the numbers that decide."""
        where = f"{words_of(self.at)}: " if self.at else ""
        if self.answer.growth is not None:
            sides = "the measure grows without limit"
        else:
            low = "nothing certified" if self.lower is None else f"at least {downward(self.lower)}"
            high = "no certificate from above" if self.upper is None else f"at most {upward(self.upper)}"
            sides = f"worst case {low}, {high}"
        quantities = words_of(self.answer.quantities)
        everywhere = self.general and self.verdict == HOLDS
        given = f"for all {', '.join(self.answer.quantities)}" if everywhere else f"at {quantities}"
        stated = str(self.bound).replace("**", "^") if everywhere else short(self.here)
        told = f"bound {stated}, {self._proved() if everywhere else sides}"
        return f"{where}{self.verdict} {given}: {told}" + (f" ({self.reason})" if self.reason else "")

    def _proved(self) -> str:
        terms = " + ".join(f"{upward(factor)} {name}" for name, factor in self.factors.items() if factor)
        return f"certified {terms or 0}"


@dataclass(frozen=True)
class CheckedBound:
    """A bound of one's own against certified worst cases, at one point or at those of a grid.

    ``assumes`` are hypotheses of the statement in words, which nothing here checked; ``outside`` says at which points of the grid
    the statement's own conditions are false, so that it says nothing there.
    """

    statement: str
    points: tuple[BoundAt, ...]
    assumes: tuple[str, ...] = ()
    outside: tuple[str, ...] = ()
    grid: bool = False

    @property
    def verdict(self) -> str:
        """``"refuted"`` if it is at one point, ``"holds"`` if it does at all of them, else ``"undecided"``."""
        found = {point.verdict for point in self.points}
        return REFUTED if REFUTED in found else HOLDS if found == {HOLDS} else UNDECIDED

    @property
    def deciding(self) -> BoundAt:
        """The first point whose verdict is that of the whole."""
        return next(point for point in self.points if point.verdict == self.verdict)

    @property
    def upper(self) -> Fraction | None:
        """The certified worst case from above, at the deciding point."""
        return self.deciding.upper

    @property
    def lower(self) -> Fraction | None:
        """The certified worst case from below, at the deciding point."""
        return self.deciding.lower

    @property
    def answer(self) -> WorstCase:
        """The worst case at the deciding point."""
        return self.deciding.answer

    @property
    def certificate(self) -> dict[str, JSON] | None:
        """What the package verifies without this object: of the deciding point, or where it holds on a grid of all of them."""
        if self.verdict != HOLDS or len(self.points) == 1:
            return self.deciding.certificate
        return {words_of(point.at): point.certificate for point in self.points}

    def at(self, verdict: str) -> list[Mapping[str, object]]:
        """The parameters at which the verdict is this one."""
        return [point.at for point in self.points if point.verdict == verdict]

    def instance(self) -> Any:
        """The clients that break the bound (or come nearest), a problem that the simulator runs."""
        return self.answer.instance()

    def lines(self) -> list[str]:
        """A line for the whole, one per point, one per hypothesis that nothing checked."""
        found = Counter(point.verdict for point in self.points)
        tally = ", ".join(f"{word} at {count}" for word, count in found.items())
        head = f"{self.verdict}: {self.statement}" + (f" ({tally} of {len(self.points)} points)" if self.grid else "")
        rest = [point.line() for point in self.points]
        rest += [f"nothing is said where {text}" for text in self.outside]
        return [head, *rest, *(f"assumed, not checked: {text}" for text in self.assumes)]

    def __repr__(self) -> str:
        more = f", the first of {len(self.points)} points" if self.grid else ""
        return f"CheckedBound({self.deciding.line()}{more})"

    def __str__(self) -> str:
        return "\n  ".join(self.lines())

    def _repr_html_(self) -> str:
        title, *rest = (html.escape(line) for line in self.lines())
        return f"<div><p><b>{title}</b></p><ul>{''.join(f'<li>{line}</li>' for line in rest)}</ul></div>"

    def to_evidence(self) -> Evidence:
        """The same for a claim.

        One point is a statement about a whole class, and holds on the rung ``worst case``.  A grid is one about its named points,
        on the rung ``exact``: a claim of scope ``INSTANCE`` holds by it, a general one is ``not refuted``.
        """
        point, count = self.deciding, len(self.points)
        numbers = {
            name: value
            for name, value in (("bound", point.bound), ("upper", point.upper), ("lower", point.lower))
            if value is not None
        }
        common: dict[str, Any] = dict(numbers=numbers, certificate=self.certificate)
        if self.verdict == REFUTED:
            method = "A certified instance of the class has a larger measure than the bound; compared in rationals."
            return Evidence(
                Rung.WORST_CASE,
                Outcome.REFUTED,
                method,
                count,
                margin=point.margin,
                counterexample=self._counterexample(point),
                **common,
            )
        given = f"for all values of {', '.join(point.answer.quantities)}"
        if not point.general:
            given = f"for {', '.join(f'{name} <= {value}' for name, value in point.answer.quantities.items())}"
        setting = [] if self.grid else [text.removeprefix("if ") for text in theorem(point.answer.model, {})[1:]]
        valid = "; ".join([*filter(None, (words_of(one.at) for one in self.points)), given, *setting, *self.assumes])
        if self.verdict == UNDECIDED:
            settles = f"an exact value: {point.reason}"
            method = "Certified worst cases on both sides of the bound, or none: undecided."
            return Evidence(Rung.EXACT, Outcome.NOT_REFUTED, method, count, would_settle=settles, **common)
        method = "Certified worst cases over the class are at most the bound; compared in rationals."
        margins = [one.margin for one in self.points if one.margin is not None]
        rung = Rung.EXACT if self.grid else Rung.WORST_CASE
        settles = "a certificate for all parameters between the points" if self.grid else ""
        return Evidence(
            rung,
            Outcome.HOLDS,
            method,
            count,
            margin=None if point.general else min(margins),
            valid_for=valid,
            would_settle=settles,
            **common,
        )

    def _counterexample(self, point: BoundAt) -> str:
        where = f"{words_of(point.at)}: " if point.at else ""
        if point.answer.growth is not None:
            return f"{where}quadratic losses with all bounded quantities zero on which the measure is {point.answer.growth.measure}"
        assert point.lower is not None
        given = words_of(point.answer.quantities)
        return f"{where}clients and a start with {given}: measure at least {downward(point.lower)} > bound {short(point.here)}"
