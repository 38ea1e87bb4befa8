"""What parabolas of one curvature, run with the step size left open, say of the worst case: also at all step sizes from one on."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from math import comb
from typing import Any

from fltheory.worstcase import best_verifier, verifier
from fltheory.worstcase.best_question import Question

#: A polynomial: factors of powers of the step size.
Terms = dict[int, Fraction]


@dataclass(frozen=True)
class CertifiedPiece:
    """Certified: the worst case is at least ``value`` at every step size of ``[low, high]``; ``data`` proves it.

    ``high`` is ``None`` for all step sizes from ``low`` on.
    """

    low: Fraction
    high: Fraction | None
    value: Fraction
    data: dict[str, Any]

    @property
    def length(self) -> Fraction:
        """Of a piece with an end."""
        assert self.high is not None
        return self.high - self.low


def parabola_piece(question: Question, low: Fraction, high: Fraction | None) -> CertifiedPiece | None:
    """The largest lower bound that parabolas give for all step sizes of an interval, or ``None`` without any."""
    best: CertifiedPiece | None = None
    for curvatures, square in _candidates(question):
        polynomial = _evaluated(_run(question, curvatures), question.statement["measure"])
        value = square * _least(polynomial, low, high)
        data: dict[str, Any] = {
            "interval": [str(low), None if high is None else str(high)],
            "curvatures": {name: str(entry) for name, entry in curvatures.items()},
            "square": str(square),
            "value": str(value),
        }
        try:
            best_verifier.check_parabolas(question.statement, data, question.quantities)  # type: ignore[no-untyped-call]
        except (verifier.Rejected, ArithmeticError):
            continue
        if best is None or value > best.value:
            best = CertifiedPiece(low, high, value, data)
    return best


def _least(polynomial: Terms, low: Fraction, high: Fraction | None) -> Fraction:
    """The least Bernstein coefficient; without an end the value at the start."""
    powers: list[Fraction] = best_verifier.shifted(polynomial, low)  # type: ignore[no-untyped-call]
    if high is None:
        return powers[0]
    powers = [entry * (high - low) ** k for k, entry in enumerate(powers)]
    n = len(powers) - 1
    return min(
        sum((powers[i] * Fraction(comb(k, i), comb(n, i)) for i in range(k + 1)), Fraction(0)) for k in range(n + 1)
    )


def _candidates(question: Question) -> Iterator[tuple[dict[str, Fraction], Fraction]]:
    """Curvatures at the ends of the classes, and the largest squared start that the constant assumptions allow."""
    model = question.open
    own = (None,) if model.centre is None or not model.space.has_centre else (model.centre.L, model.centre.mu)
    for curvature in (model.clients.L, model.clients.mu):
        for central in own:
            curvatures = {"clients": curvature} | ({} if central is None else {"centre": central})
            try:
                found = _run(question, curvatures)
            except verifier.Rejected:
                continue
            limits = []
            for item, said in zip(model.assumptions, question.statement["assumptions"], strict=True):
                form = _evaluated(found, said)
                if [*form] == [0] and form[0] > 0:
                    limit = Fraction(0) if item.bound is None else item.scale * question.quantities[item.bound]
                    limits.append(limit / form[0])
            if limits and min(limits) > 0:
                yield curvatures, min(limits)


def _run(question: Question, curvatures: dict[str, Fraction]) -> Any:
    return best_verifier.run_on_parabolas(question.statement["program"], curvatures)  # type: ignore[no-untyped-call]


def _evaluated(ran: Any, functional: Any) -> Terms:
    """A functional as a polynomial in the step size."""
    found: Terms = best_verifier.evaluated(ran[0], ran[1], functional)  # type: ignore[no-untyped-call]
    return found
