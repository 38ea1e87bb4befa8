"""The answer of ``best_step_size``: a step size, what it guarantees, and what no step size can guarantee."""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

from fltheory.kinds import JSON, Number
from fltheory.problems.numbers import decimal_fraction
from fltheory.tables import Framed, html_list
from fltheory.worstcase import best_verifier, certificate
from fltheory.worstcase.answer import WorstCase
from fltheory.worstcase.audit import outward
from fltheory.worstcase.best_question import Question
from fltheory.worstcase.decimals import as_float, downward, upward
from fltheory.worstcase.entry import solve_model
from fltheory.worstcase.equations import equations, solve_with_equations

Interval = tuple[Fraction, Fraction | None]


@dataclass(frozen=True)
class Curve:
    """Certified bounds of V at some step sizes, as floats; NaN where a side has no certificate."""

    etas: tuple[float, ...]
    upper: tuple[float, ...]
    lower: tuple[float, ...]


@dataclass(frozen=True)
class BestStep(Framed):
    """The answer of :func:`~fltheory.worstcase.best.best_step_size`; V(eta) is the worst case at the step size eta.

    Attributes
    ----------
    step : the step size, a rational of few digits.
    upper : certified, ``V(step) <= upper`` at the quantities; ``bound`` are its factors, ``{quantity: factor}``.
    lower : certified, ``V(eta) >= lower`` for every eta in ``range``; ``None`` where no cover was certified.
    range : the step sizes that ``lower`` speaks of; its end is ``None`` where that is all ``eta >= range[0]``.
    where : intervals in one of which every best step size of the range lies.
    pieces : certified lower bounds ``(low, high, value)`` on the intervals of the cover.
    certificate : JSON data that :mod:`~fltheory.worstcase.best_verifier` accepts; ``None`` without a cover.
    worst : the worst case at ``step``, with its own certificate.
    """

    step: Fraction
    upper: Fraction
    lower: Fraction | None
    bound: Mapping[str, Fraction]
    range: Interval | None
    where: tuple[Interval, ...]
    pieces: tuple[tuple[Fraction, Fraction | None, Fraction], ...]
    certificate: dict[str, JSON] | None
    worst: WorstCase
    question: Question

    @classmethod
    def of(
        cls,
        question: Question,
        step: Fraction,
        worst: WorstCase,
        proved: dict[str, Any] | None,
        data: dict[str, JSON] | None,
    ) -> BestStep:
        """From the worst case at the step size and from what the verifier says is proved."""
        assert worst.upper is not None
        if proved is None:
            return cls(step, worst.upper, None, worst.bound, None, (), (), None, worst, question)
        where = tuple(best_verifier.possible(proved))
        pieces = tuple(proved["pieces"])
        return cls(
            step,
            proved["above"],
            proved["below"],
            proved["upper"],
            proved["range"],
            where,
            pieces,
            data,
            worst,
            question,
        )

    @property
    def status(self) -> str:
        """``"certified"`` or ``"upper only"``."""
        return "upper only" if self.lower is None else "certified"

    @property
    def width(self) -> float:
        """Relative width of the enclosure of the least worst case; infinite without one."""
        if self.lower is None:
            return math.inf
        return float((self.upper - self.lower) / self.upper) if self.upper else 0.0

    def at(self, step: Number) -> WorstCase:
        """The certified worst case of the same question at another step size, such as one that a paper prescribes."""
        try:
            exact = decimal_fraction(step)
        except (AttributeError, TypeError, ValueError, OverflowError):
            raise ValueError(f"step={step!r} is no rational number") from None
        return solve_with_equations(self.question.at(exact), self.question.quantities)

    def price(self, step: Number | WorstCase) -> tuple[float, float]:
        """A certified enclosure of ``V(step) / min V``, rounded outward: what it costs to use another step size.

        ``step`` may be the worst case of another algorithm for the same question, such as one with a schedule.  0 and
        infinity stand for a side that has no certificate.
        """
        found = step if isinstance(step, WorstCase) else self.at(step)
        low = 0.0 if found.lower is None or not self.upper else outward(found.lower / self.upper, -1)
        high = math.inf if found.upper is None or not self.lower else outward(found.upper / self.lower, 1)
        return low, high

    def curve(self, steps: Iterable[Number]) -> Curve:
        """Certified bounds of V at some step sizes: from above by a certificate at each, from below by the cover's pieces."""
        exact = [decimal_fraction(step) for step in steps]
        upper = [self._above(step) for step in exact]
        return Curve(tuple(float(step) for step in exact), tuple(upper), tuple(self._below(step) for step in exact))

    def _above(self, step: Fraction) -> float:
        model = self.question.at(step)
        if equations(model):
            found = solve_with_equations(model, self.question.quantities)
        else:
            found = solve_model(model, self.question.quantities, lower=False)
        return math.nan if found.upper is None else float(found.upper)

    def _below(self, step: Fraction) -> float:
        over = [value for low, high, value in self.pieces if low <= step and (high is None or step <= high)]
        return float(max(over)) if over else math.nan

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the certificate, which ``fltheory check-certificate`` verifies.

        Raises
        ------
        ValueError : there is none.
        """
        if self.certificate is None:
            raise ValueError("there is no certificate: no cover of the step sizes was certified")
        certificate.save(self.certificate, Path(path))

    def __repr__(self) -> str:
        low = "" if self.lower is None else f", at least {downward(self.lower)} at {self.reach()}"
        return f"BestStep({self.status}: step size {self.step}: at most {upward(self.upper)}{low})"

    def reach(self) -> str:
        """The step sizes that ``lower`` speaks of, in words."""
        if self.range is None:
            return "no other step size"
        low, high = self.range
        if high is not None:
            return f"every step size in {'(' if not low else '['}{low}, {high}]"
        return "every step size" if not low else f"every step size >= {low}"

    def places(self) -> str:
        """Where the best step sizes are, rounded outward."""
        found = [
            f"[{downward(low)}, " + ("infinity)" if high is None else f"{upward(high)}]") for low, high in self.where
        ]
        return " or ".join(found)

    def lines(self) -> list[str]:
        """What was found, a line each; printed bounds are rounded outward."""
        at = ", ".join(f"{name} = {entry}" for name, entry in self.worst.quantities.items())
        found = [
            f"best step size {self.step}",
            f"its worst case is at most {upward(self.upper)} at {at}",
            "bound: " + (" + ".join(f"{upward(factor)} {name}" for name, factor in self.bound.items()) or "0"),
        ]
        if self.lower is None:
            return [*found, "no lower bound for other step sizes was certified"]
        return [
            *found,
            f"at {self.reach()} the worst case is at least {downward(self.lower)}, which is {self.width:.1e} less",
            f"every best step size lies in {self.places()}",
        ]

    def records(self) -> list[dict[str, Any]]:
        """One dict per piece of the cover: low, high (None: no end), and what no V of its step sizes is below, downward."""
        return [
            {"low": float(low), "high": None if high is None else float(high), "least": as_float(value, -1)}
            for low, high, value in self.pieces
        ]

    def _repr_html_(self) -> str:
        title, *rest = self.lines()
        return html_list(title, rest)
