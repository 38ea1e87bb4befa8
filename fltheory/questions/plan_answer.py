"""A plan as an object: rows by predicted gap, what theorems prescribe, a table in words, HTML, a data frame."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from fltheory.algorithms.participation import Full, Participation
from fltheory.algorithms.schedules import Harmonic
from fltheory.algorithms.vocabulary import Algorithm
from fltheory.tables import Framed, escaped, html_table, text_table
from fltheory.theory.rates import MEASURES, RateTheorem

_HEAD = ("E", "cohort", "rounds", "step size", "gap", "")
_NAMED = ("E", "cohort", "rounds", "step size", "gap there", "bound", "theorem")
_PRESCRIBED = "What published theorems prescribe, where all their hypotheses hold:"


@dataclass(frozen=True, eq=False)
class PlanRow:
    """One choice: ``rounds`` that the budget pays for, the best step size there, and the predicted gap after them."""

    local_steps: int
    participation: Participation
    cohort: int
    rounds: int
    step_size: float
    gap: float
    algorithm: Algorithm


@dataclass(frozen=True, eq=False)
class PlanTheorem:
    """What a theorem prescribes: the choice and the step sizes at which its bound is least.

    ``bound`` is of the theorem's own measure; ``gap`` is the gap after the rounds that is predicted for its step sizes, by the
    same analysis as for the plan.
    """

    theorem: RateTheorem
    local_steps: int
    participation: Participation
    rounds: int
    step_size: Any
    bound: float
    gap: float


@dataclass(frozen=True, eq=False)
class Plan(Framed):
    """The answer of :func:`fltheory.plan`: ``rows``, the least gap first; ``how`` it was predicted; ``theorems`` beside."""

    method: str
    problem: str
    budget: str
    how: str
    rows: tuple[PlanRow, ...]
    theorems: tuple[PlanTheorem, ...]
    not_applying: int
    not_tried: int = 0

    @property
    def best(self) -> PlanRow:
        """The choice with the least predicted gap."""
        return self.rows[0]

    @property
    def algorithm(self) -> Algorithm:
        """The best algorithm, ready to run for ``best.rounds`` rounds."""
        return self.best.algorithm

    def __repr__(self) -> str:
        best = self.best
        return (
            f"Plan({self.method} on {self.problem}, {self.budget}: E={best.local_steps}, {_cohort(best.participation)}, "
            f"step size {best.step_size:.4g}, {best.rounds} rounds, gap {best.gap:.4g} by {self.how})"
        )

    def __str__(self) -> str:
        lines = [self._title(), "", *text_table(_HEAD, self._cells())]
        if self.theorems:
            lines += ["", _PRESCRIBED, *text_table(_NAMED, map(_theorem_cells, self.theorems))]
        for said in self._left_out():
            lines += ["", said]
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        parts = [f"<p>{escaped(self._title())}</p>", html_table(_HEAD, self._cells())]
        if self.theorems:
            parts += [f"<p>{escaped(_PRESCRIBED)}</p>", html_table(_NAMED, map(_theorem_cells, self.theorems))]
        parts += [f"<p>{escaped(said)}</p>" for said in self._left_out()]
        return f"<div>{''.join(parts)}</div>"

    def records(self) -> list[dict[str, Any]]:
        """Plain data, a row for each choice and each theorem; ``source`` is "plan" or the theorem's key."""
        mine = [
            {"source": "plan", "local_steps": r.local_steps, "cohort": _cohort(r.participation), "rounds": r.rounds}
            | {"step_size": r.step_size, "gap": r.gap, "bound": None, "measure": "gap"}
            for r in self.rows
        ]
        theirs = [
            {"source": r.theorem.key, "local_steps": r.local_steps, "cohort": _cohort(r.participation)}
            | {"rounds": r.rounds, "step_size": _step(r.step_size), "gap": r.gap, "bound": r.bound}
            | {"measure": r.theorem.measure}
            for r in self.theorems
        ]
        return mine + theirs

    def _title(self) -> str:
        return f"{self.method} on {self.problem}; budget {self.budget}; gaps predicted by {self.how}."

    def _cells(self) -> list[tuple[str, ...]]:
        return [_cells(row, "best" if row is self.best else "") for row in self.rows]

    def _left_out(self) -> list[str]:
        said = []
        if self.not_applying:
            said.append(
                f"{self.not_applying} theorems of this method apply at none of these choices: see fl.applicable."
            )
        if self.not_tried:
            said.append(f"{self.not_tried} choices were not tried within the time limit.")
        return said


def _cohort(scheme: Participation) -> str:
    return "everybody" if type(scheme) is Full else repr(scheme)


def _step(step_size: Any) -> str:
    if isinstance(step_size, Harmonic):
        return f"{float(step_size.beta):.4g}/({float(step_size.gamma):.4g} + t)"
    return f"{float(step_size):.4g}"


def _cells(row: PlanRow, note: str) -> tuple[str, ...]:
    numbers = (f"{row.step_size:.4g}", f"{row.gap:.4g}")
    return (str(row.local_steps), _cohort(row.participation), str(row.rounds), *numbers, note)


def _theorem_cells(row: PlanTheorem) -> tuple[str, ...]:
    form = "" if row.theorem.form == "printed" else f" [{row.theorem.form}]"
    measure = "" if row.theorem.measure == "gap" else f", of the {MEASURES[row.theorem.measure]}"
    numbers = (_step(row.step_size), f"{row.gap:.4g}", f"{row.bound:.4g}")
    said = f"{row.theorem.title}{form}{measure}"
    return (str(row.local_steps), _cohort(row.participation), str(row.rounds), *numbers, said)
