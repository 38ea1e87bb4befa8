"""Which bounds apply, as an object: rows, a table in words, HTML, a data frame."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from fltheory.tables import Framed, escaped, html_table, number
from fltheory.theory.hypotheses.decisions import Decision, Hypothesis
from fltheory.theory.rates import MEASURES, Assessment

#: Widest line of the table.
WIDTH = 132


@dataclass(frozen=True, eq=False)
class ApplicableRow:
    """One theorem at the setting.

    ================ =======================================================================================================
    field            meaning
    ================ =======================================================================================================
    ``assessment``   the theorem, every hypothesis with its decision, and the value
    ``verdict``      what the ledger says of it, by the row ``assessment.theorem.row``; of a paper without a row, where its
                     constants are from
    ``truth``        what it bounds, computed; ``None`` where it is not known
    ================ =======================================================================================================
    """

    assessment: Assessment
    verdict: str
    truth: float | None

    @property
    def key(self) -> str:
        """The theorem's key."""
        return self.assessment.theorem.key

    @property
    def title(self) -> str:
        """The theorem as one would cite it."""
        return self.assessment.theorem.title

    @property
    def status(self) -> str:
        """ "applies", "undecided" or "does not apply"."""
        return {"holds": "applies", "fails": "does not apply", "unknown": "undecided"}[self.assessment.status]

    @property
    def value(self) -> float | None:
        """The bound, where no hypothesis fails; with an undecided hypothesis it is conditional on it."""
        return self.assessment.value

    @property
    def measure(self) -> str:
        """What is bounded."""
        return MEASURES[self.assessment.theorem.measure]

    @property
    def ratio(self) -> float | None:
        """The bound over what it bounds."""
        if self.value is None or not self.truth:
            return None
        return self.value / self.truth

    @property
    def failing(self) -> tuple[tuple[Hypothesis, Decision], ...]:
        """The hypotheses that fail, or the undecided ones, each with its reason."""
        return self.assessment.failing

    @property
    def reasons(self) -> tuple[str, ...]:
        """Their reasons; without any, why the bound has no value."""
        found = tuple(decision.reason for _, decision in self.failing)
        return found or ((self.assessment.reason,) if self.assessment.reason else ())

    def as_dict(self) -> dict[str, Any]:
        """Plain data."""
        theorem = self.assessment.theorem
        return {
            "key": theorem.key,
            "title": theorem.title,
            "status": self.status,
            "measure": theorem.measure,
            "value": self.value,
            "truth": self.truth,
            "ratio": self.ratio,
            "form": theorem.form,
            "of": theorem.of,
            "claim": theorem.row,
            "verdict": self.verdict,
            "reasons": list(self.reasons),
        }


@dataclass(frozen=True, eq=False)
class ApplicableBounds(Framed):
    """The answer of :func:`fltheory.applicable`: rows, those that apply first, the tightest first.

    Tightness is the bound over what it bounds, where that is computed; bounds of what is not computed follow, the smallest first
    for each measure.  ``truth`` says how measures were computed.
    """

    rows: tuple[ApplicableRow, ...]
    setting: str
    truth: str

    def __getitem__(self, key: str) -> ApplicableRow:
        """The row of a theorem by its key."""
        found = [row for row in self.rows if row.key == key]
        if not found:
            raise KeyError(f"{key!r}; expected one of {', '.join(row.key for row in self.rows)}")
        return found[0]

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def applying(self) -> tuple[ApplicableRow, ...]:
        """Those whose every hypothesis holds."""
        return tuple(row for row in self.rows if row.status == "applies")

    @property
    def undecided(self) -> tuple[ApplicableRow, ...]:
        """Those of which no hypothesis fails and one is not decided."""
        return tuple(row for row in self.rows if row.status == "undecided")

    @property
    def failing(self) -> tuple[ApplicableRow, ...]:
        """Those that speak of this method and of which a hypothesis fails."""
        return tuple(row for row in self.rows if row.status == "does not apply" and not row.assessment.other_method)

    @property
    def others(self) -> tuple[ApplicableRow, ...]:
        """Those of other methods, or of objectives of another kind."""
        return tuple(row for row in self.rows if row.assessment.other_method)

    def __repr__(self) -> str:
        best = f"; tightest {self.applying[0].key} = {self.applying[0].value:.4g}" if self.applying else ""
        return (
            f"ApplicableBounds({len(self.applying)} of {len(self.rows)} apply, {len(self.undecided)} undecided, "
            f"{len(self.failing)} do not, {len(self.others)} of other methods{best})"
        )

    def __str__(self) -> str:
        lines = [self.setting, f"What is bounded: {self.truth}."]
        lines += ["", "Apply, the tightest first:"] if self.applying else []
        for row in self.applying:
            lines += _text(row)
        if not self.applying:
            lines += ["", "No bound is known to apply."]
        for title, rows in (("Undecided", self.undecided), ("Do not apply", self.failing)):
            lines += ["", f"{title}:"] if rows else []
            for reasons, alike in _by_reasons(rows).items():
                for row in alike:
                    lines += _text(row)
                lines += [f"      {line}" for reason in reasons for line in _wrapped(reason)]
        if self.others:
            named: dict[str, int] = {}
            for row in self.others:
                named[row.reasons[0]] = named.get(row.reasons[0], 0) + 1
            lines += ["", "Of other methods or objectives:"]
            lines += [f"  {count}: {reason}" for reason, count in named.items()]
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        head = ("theorem", "answer", "bound", "bound / truth", "verdict", "why")
        rows = [
            (row.title, row.status, number(row.value, 4), number(row.ratio, 4), row.verdict, "\n".join(row.reasons))
            for row in self.rows
            if not row.assessment.other_method
        ]
        return f"<p>{escaped(self.setting)}</p>{html_table(head, rows)}"

    def records(self) -> list[dict[str, Any]]:
        """A dict per theorem."""
        return [row.as_dict() for row in self.rows]


def _by_reasons(rows: tuple[ApplicableRow, ...]) -> dict[tuple[str, ...], list[ApplicableRow]]:
    """Rows with the same reasons together, in the order of the first of them."""
    found: dict[tuple[str, ...], list[ApplicableRow]] = {}
    for row in rows:
        found.setdefault(row.reasons, []).append(row)
    return found


def _text(row: ApplicableRow) -> list[str]:
    """What a theorem says here, and which row judges it."""
    theorem = row.assessment.theorem
    form = "" if theorem.form == "printed" else f" [{theorem.form}]"
    told = f"{row.title}{form}: {', '.join(filter(None, (theorem.row, row.verdict)))}"
    if row.value is None:
        return [f"  {told}"]
    loose = f", {row.ratio:.3g} times the true {row.truth:.4g}" if row.ratio is not None else ""
    return [f"  {told}", f"      {row.value:.4g}{loose}: {row.measure}"]


def _wrapped(text: str) -> list[str]:
    return textwrap.wrap(text, WIDTH - 8, subsequent_indent="  ", break_long_words=False)


def sort_key(row: ApplicableRow) -> tuple[Any, ...]:
    """Applying first, then undecided, failing, other methods; by tightness where it is known, else by value."""
    rank = ("applies", "undecided", "does not apply").index(row.status) + int(row.assessment.other_method)
    known = row.ratio is not None
    measure = list(MEASURES).index(row.assessment.theorem.measure)
    value = float("inf") if row.value is None else row.value
    return rank, not known, row.ratio if known else measure, value


def setting_words(problem: object, algorithm: object, rounds: int, numbers: Mapping[str, str]) -> str:
    """One line about what was asked."""
    said = ", ".join(f"{name} = {text}" for name, text in numbers.items())
    return f"{type(algorithm).__name__} on {type(problem).__name__}, {rounds} rounds; {said}"
