"""What ``fl.compare`` answers: rows of certified worst cases and published bounds, and the rankings that both make."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from fractions import Fraction
from itertools import permutations

from fltheory.tables import Framed, html_list, html_table, text_table
from fltheory.worstcase.decimals import downward, upward

_HEAD = ("method", "E", "R", "clients", "step size", "measure", "worst case", "published", "ratio", "rate")


@dataclass(frozen=True)
class ComparisonRow:
    """A method at a point: its certified worst case, and one published rate of it.

    Attributes
    ----------
    rule : what was asked of the step size: ``"best"``, ``"published"`` or a number.
    step : the step size of the worst case, a number or the words of a schedule; with ``"best"`` the one that is certified best.
    lower, upper : certified bounds of the worst case; with ``"best"``, ``upper`` at ``step`` and ``lower`` at every step size.
    rate, published, published_step : the theorem, its value and the step size it is read at; ``None`` where it says nothing.
    why : why it says nothing, or why there is no certified worst case.
    constants : what is known of the theorem's constants.
    """

    method: str
    local_steps: int
    rounds: int
    clients: str
    rule: str
    step: Fraction | str
    measure: str
    lower: Fraction | None
    upper: Fraction | None
    rate: str
    published: Fraction | float | None
    published_step: Fraction | str | None
    why: str
    constants: str

    @property
    def ratio(self) -> float | None:
        """The published bound over the certified upper bound: so loose it is at least.

        With ``rule="best"`` the step sizes differ: the factor by which the best worst case is below what the theorem promises.
        """
        if self.published is None or not self.upper:
            return None
        return float(self.published) / float(self.upper)

    @property
    def broken(self) -> bool:
        """Whether an instance exceeds the published bound at the bound's own step size: the theorem would be false there."""
        if self.published is None or self.lower is None or self.step != self.published_step:
            return False
        return self.lower > self.published

    def cells(self) -> tuple[str, ...]:
        """The row of a table."""
        worst = (
            ""
            if self.upper is None
            else f"{_up(self.upper)}" + ("" if self.lower is None else f" ({_down(self.lower)})")
        )
        said = "" if self.published is None else f"{float(self.published):.4g}"
        ratio = "" if self.ratio is None else f"{self.ratio:.3g}"
        step = self.step if isinstance(self.step, str) else f"{float(self.step):.4g}" if self.step else ""
        rate = f"{self.rate}: {self.why}" if self.rate and self.published is None else self.rate or self.why
        name = str(self.local_steps), str(self.rounds)
        return (self.method, *name, self.clients, step, self.measure, worst, said, ratio, rate)


@dataclass(frozen=True)
class RatePair:
    """Two methods of which the published bounds rank ``first`` before ``second``, while worst cases say something certified.

    ``wrong``: the certified order is the other one, ``first.lower > second.upper``; else it is the published one.
    """

    first: ComparisonRow
    second: ComparisonRow
    wrong: bool

    def __str__(self) -> str:
        a, b = self.first, self.second
        told = f"{a.clients}, E={b.local_steps if a.local_steps == 1 else a.local_steps}, R={a.rounds}, {a.measure}"
        said = f"published: {a.method} {_short(a)} before {b.method} {_short(b)}"
        best, rest = (b, a) if self.wrong else (a, b)
        every = " at every step size" if rest.rule == "best" else f" at step size {rest.step}"
        assert best.upper is not None and rest.lower is not None
        least, most = _down(rest.lower), _up(best.upper)
        found = f"{best.method} at step size {best.step} is at most {most}, {rest.method} at least {least}{every}"
        return f"{told}: {said}; certified: {found}"


@dataclass(frozen=True)
class MethodComparison(Framed):
    """The answer of :func:`~fltheory.comparison.entry.compare`.

    ``rows``: one for each rate, or for a method without one; ``computed``: questions that no file of results held.
    """

    rows: tuple[ComparisonRow, ...]
    computed: tuple[str, ...] = ()

    @property
    def wrong(self) -> tuple[RatePair, ...]:
        """Rankings by published bounds that certified worst cases turn round."""
        return tuple(ranking for ranking in self._rankings() if ranking.wrong)

    @property
    def right(self) -> tuple[RatePair, ...]:
        """Rankings by published bounds that certified worst cases confirm."""
        return tuple(ranking for ranking in self._rankings() if not ranking.wrong)

    @property
    def broken(self) -> tuple[ComparisonRow, ...]:
        """Rows whose published bound an instance exceeds."""
        return tuple(row for row in self.rows if row.broken)

    def _rankings(self) -> Iterator[RatePair]:
        groups: dict[tuple[object, ...], dict[str, ComparisonRow]] = {}
        for row in self.rows:
            if row.published is None:
                continue
            for steps in (
                dict.fromkeys(each.local_steps for each in self.rows) if row.method == "GD" else [row.local_steps]
            ):
                group = groups.setdefault((row.clients, steps, row.rounds, row.rule, row.measure), {})
                told = group.get(row.method)
                if told is None or told.published is None or row.published < told.published:
                    group[row.method] = row
        for group in groups.values():
            for a, b in permutations(group.values(), 2):
                assert a.published is not None and b.published is not None
                if not a.published < b.published:
                    continue
                if a.lower is not None and b.upper is not None and a.lower > b.upper:
                    yield RatePair(a, b, True)
                elif a.upper is not None and b.lower is not None and a.upper < b.lower:
                    yield RatePair(a, b, False)

    def __repr__(self) -> str:
        methods = ", ".join(dict.fromkeys(row.method for row in self.rows))
        rates = len({row.rate for row in self.rows if row.published is not None})
        turned = f"{len(self.wrong)} rankings turned round"
        return f"MethodComparison({methods}: {len(self.rows)} rows, {rates} published rates, {turned})"

    def __str__(self) -> str:
        return "\n".join(self.lines())

    def lines(self) -> list[str]:
        """The table, and the rankings that certified worst cases turn round."""
        found = text_table(_HEAD, (row.cells() for row in self.rows))
        if self.wrong:
            found += ["", "Rankings by published bounds that certified worst cases turn round:"]
            found += [f"- {ranking}" for ranking in self.wrong]
        return found

    def _repr_html_(self) -> str:
        table = html_table(_HEAD, (row.cells() for row in self.rows))
        return table + (html_list("Turned round:", map(str, self.wrong)) if self.wrong else "")

    def records(self) -> list[dict[str, object]]:
        """The rows as dicts, numbers as floats."""
        return [self._flat(row) for row in self.rows]

    @staticmethod
    def _flat(row: ComparisonRow) -> dict[str, object]:
        found = {item.name: getattr(row, item.name) for item in fields(row)}
        flat = {name: float(value) if isinstance(value, Fraction) else value for name, value in found.items()}
        return {**flat, "ratio": row.ratio}


def _short(row: ComparisonRow) -> str:
    return f"{float(row.published or 0):.4g} ({row.rate})"


def _up(number: Fraction) -> str:
    return upward(number, 6)


def _down(number: Fraction) -> str:
    return downward(number, 6)


def joined(parts: Sequence[MethodComparison]) -> MethodComparison:
    """Several comparisons as one."""
    rows = tuple(row for part in parts for row in part.rows)
    return MethodComparison(rows, tuple(dict.fromkeys(key for part in parts for key in part.computed)))
