"""Intervals that cover all step sizes, each with a certified lower bound of the worst case; the least of them are split."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

from fltheory.worstcase.best_parabolas import CertifiedPiece, parabola_piece
from fltheory.worstcase.best_pieces import Scales, certify_piece
from fltheory.worstcase.best_question import Question
from fltheory.worstcase.entry import TimeLeft, solve_model

#: An interval without a certificate is split as often as this.
DEEPEST = Fraction(1, 2**12)


class Cover:
    """Pieces of ``[0, end]`` and the tail; ``values`` are what the solver said of V in their middles.

    Parameters
    ----------
    step, upper : the best step size known, and its certified worst case.
    tail : a certified bound from ``end`` on, if there is one.
    """

    def __init__(
        self,
        question: Question,
        step: Fraction,
        upper: Fraction,
        end: Fraction,
        tail: CertifiedPiece | None,
        tell: Callable[[str], None],
    ) -> None:
        self.question, self.step, self.upper, self.end, self.tail, self.tell = question, step, upper, end, tail, tell
        self.pieces: list[CertifiedPiece] = []
        self.values: dict[Fraction, float] = {}
        self.complete = False
        self._made = 0

    @property
    def below(self) -> Fraction:
        """The least lower bound of all pieces."""
        return min((piece.value for piece in self.pieces), default=Fraction(0))

    def refine(self, gap: float, resolution: float, most: int, budget: TimeLeft) -> None:
        """Split until the enclosures of value and step size are ``gap`` and ``resolution`` wide, or there are ``most`` pieces."""
        ends = [Fraction(0), self.step / 2, self.step, (self.step + self.end) / 2, self.end]
        waiting = list(zip(ends, ends[1:], strict=False))
        while True:
            while waiting:
                low, high = waiting.pop()
                made = self._piece(low, high) if budget.left() > 0 else None
                if made is not None:
                    self.pieces.append(made)
                elif high - low > DEEPEST * self.end and self._made < 2 * most and budget.left() > 0:
                    middle = (low + high) / 2
                    waiting += [(low, middle), (middle, high)]
                else:
                    return
            self.pieces.sort(key=lambda piece: piece.low)
            self.complete = True
            chosen = self._next(gap, resolution)
            if chosen is None or len(self.pieces) >= most or budget.left() <= 0:
                return
            before = list(self.pieces)
            self.pieces.remove(chosen)
            middle, high = chosen.low + chosen.length / 2, chosen.low + chosen.length
            halves = [self._piece(chosen.low, middle), self._piece(middle, high)]
            if None in halves:
                self.pieces = before
                return
            self.pieces += [half for half in halves if half is not None]

    def _next(self, gap: float, resolution: float) -> CertifiedPiece | None:
        """The piece to split: the least one while the enclosure is wide, then the longest where the best step size may be."""
        least = min(self.pieces, key=lambda piece: piece.value)
        if least.value < self.upper * (1 - Fraction(gap)):
            return least
        here = [piece for piece in self.pieces if piece.value <= self.upper]
        wide = sum((piece.length for piece in here), Fraction(0))
        longest = max(here, key=lambda piece: piece.length, default=None)
        if longest is None or wide <= Fraction(resolution) * self.step:
            return None
        return longest if longest.length > Fraction(resolution) * self.step / 8 else None

    def _piece(self, low: Fraction, high: Fraction) -> CertifiedPiece | None:
        self._made += 1
        said = f", enclosure {1 - float(self.below / self.upper):.1e} wide" if self.complete else ""
        self.tell(f"interval {self._made}: step sizes {float(low):.4g} to {float(high):.4g}{said}")
        plain = parabola_piece(self.question, low, high)
        if plain is not None and plain.value > self.upper:
            return plain
        middle = (low + high) / 2
        answer = solve_model(self.question.at(middle), self.question.quantities, certify=False)
        if not answer.solution.usable:
            return plain
        if math.isfinite(answer.solver_value):
            self.values[middle] = answer.solver_value
        scales = Scales.of(self.question, answer.solution)
        made = certify_piece(self.question, low, high, scales)
        return max((one for one in (plain, made) if one is not None), key=lambda one: one.value, default=None)
