"""``best_step_size``: the step size that minimises the certified worst case, and an enclosure of what any step size can reach.

The worst case V(eta) is scanned and minimised in floats; what is found there is only where to look.  Certified are an upper
bound at a rational step size, lower bounds on intervals that cover all other step sizes (:mod:`.best_pieces`), split where
they are not good enough, and one for all large step sizes (:mod:`.best_parabolas`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

from fltheory.progress import tells
from fltheory.worstcase import best_verifier, certificate, verifier
from fltheory.worstcase.analysis import Heterogeneity, Measure
from fltheory.worstcase.answer import WorstCase
from fltheory.worstcase.best_answer import BestStep
from fltheory.worstcase.best_cover import Cover
from fltheory.worstcase.best_parabolas import CertifiedPiece, parabola_piece
from fltheory.worstcase.best_question import Family, Question, family
from fltheory.worstcase.classes import FunctionClass
from fltheory.worstcase.entry import TimeLeft, solve_model
from fltheory.worstcase.equations import solve_with_equations

#: Step sizes of the scan, times L: from far too small to where most methods diverge.
SCAN = tuple(Fraction(4) / 2**k for k in range(11))
#: Multiples of the best step size from which on parabolas may be bad enough.
MULTIPLES = tuple(Fraction(k, 4) for k in (5, 6, 7, 8, 10, 12, 16, 20, 24, 32, 48, 64, 128, 512))
GOLDEN = (math.sqrt(5) - 1) / 2


@tells("best_step_size", by="note")
def best_step_size(
    algorithm: Family,
    function_class: FunctionClass,
    *,
    field: str = "step_size",
    rounds: int = 1,
    measure: Measure = "distance",
    heterogeneity: Heterogeneity | list[Heterogeneity] | tuple[Heterogeneity, ...] | None = "gradients",
    start: Measure | Mapping[str, Measure] | None = None,
    quantities: Mapping[str, object] | None = None,
    centre: FunctionClass | None = None,
    n_clients: int | None = None,
    gap: float = 1e-3,
    resolution: float = 0.05,
    pieces: int = 100,
    time_limit: float | None = None,
    progress: Callable[[str], None] | bool | None = None,
) -> BestStep:
    """The step size with the least worst case ``V(eta)`` after ``rounds`` rounds, and certified bounds of ``min V``.

    Parameters
    ----------
    algorithm : a dataclass with the step size in its ``field`` (what stands there does not matter), or a function that makes
        an algorithm of a step size, where several of its fields follow it.
    function_class, rounds, measure, heterogeneity, start, quantities, centre, n_clients : as in
        :func:`~fltheory.worstcase.entry.worst_case`.  ``quantities`` weigh what the bound is made of: the best step size
        depends on them.
    gap : relative width of the enclosure of ``min V`` at which the search ends.
    resolution : width of the enclosure of the best step size at which it ends, relative to the step size found.
    pieces : at most so many intervals are certified.
    time_limit : seconds; what was certified until then is returned.
    progress : told in words what is being done; ``False``: no line on a terminal either.

    Returns
    -------
    BestStep
        With ``V(step) <= upper`` and ``V(eta) >= lower`` for every ``eta`` in ``range`` (all ``eta >= 0`` where a tail was
        found), for all that ``worst_case`` says of numbers of clients and weights.

    Raises
    ------
    ValueError : an algorithm without the field, one that the Gram reading refuses, or whose coefficients are no polynomials in
        the step size; what :func:`~fltheory.worstcase.entry.worst_case` refuses; ``gap``, ``resolution`` or ``pieces`` that
        are not positive; no certified upper bound at any step size.
    """
    for name, entry in (("gap", gap), ("resolution", resolution), ("pieces", pieces)):
        if isinstance(entry, bool) or not isinstance(entry, (int, float)) or not entry > 0:
            raise ValueError(f"{name}={entry!r}; expected a positive number")
    options = {
        "rounds": rounds,
        "measure": measure,
        "heterogeneity": heterogeneity,
        "start": start,
        "centre": centre,
        "n_clients": n_clients,
    }
    question = Question(family(algorithm, field), function_class, options, quantities)
    told = progress if callable(progress) else lambda words: None
    return BestStepSearch(question, told, TimeLeft(time_limit)).run(gap, resolution, pieces)


class BestStepSearch:
    """One search; ``values`` are the solver's words about V, step sizes in units of ``1/L``."""

    def __init__(self, question: Question, tell: Callable[[str], None], budget: TimeLeft) -> None:
        self.question, self.tell, self.budget = question, tell, budget
        self.smooth = question.clients.L
        self.values: dict[Fraction, float] = {}
        question.quantities  # noqa: B018  refuses what is no question before anything is solved

    def run(self, gap: float, resolution: float, pieces: int) -> BestStep:
        """Scan, minimise, certify."""
        step, answer = self.certified(self.minimum())
        assert answer.upper is not None
        cover = self.cover(step, answer.upper, gap, resolution, pieces)
        better = min(cover.values, key=lambda at: cover.values[at], default=step)
        if cover.values.get(better, math.inf) < float(answer.upper) * (1 - gap):
            # The floats' search ended in the wrong valley, as the cover has seen.
            other, found = self.certified(self.polished(better * self.smooth))
            if found.upper is not None and found.upper < answer.upper:
                step, answer = other, found
                cover = self.cover(step, found.upper, gap, resolution, pieces)
        return self.answer(step, answer, cover)

    def cover(self, step: Fraction, upper: Fraction, gap: float, resolution: float, pieces: int) -> Cover:
        """Lower bounds for all step sizes, as far as they are found."""
        tail = self.tail(step, upper)
        end = tail.low if tail is not None else max(SCAN) / self.smooth
        cover = Cover(self.question, step, upper, end, tail, self.tell)
        cover.refine(gap, resolution, pieces, self.budget)
        return cover

    def value(self, scaled: Fraction) -> float:
        """The solver's word about V at a step size in units of ``1/L``; infinite where it has none."""
        if scaled not in self.values:
            self.tell(f"worst case at step size {float(scaled / self.smooth):.4g}")
            found = solve_model(self.question.at(scaled / self.smooth), self.question.quantities, certify=False)
            known = math.isfinite(found.solver_value) and found.growth is None
            self.values[scaled] = found.solver_value if known else math.inf
        return self.values[scaled]

    def minimum(self) -> float:
        """Where the floats see the least worst case, in units of ``1/L``."""
        for scaled in SCAN:
            self.value(scaled)
        if not any(map(math.isfinite, self.values.values())):
            ends = ", ".join(f"{float(scaled / self.smooth):.4g}" for scaled in (SCAN[0], SCAN[-1]))
            raise ValueError(
                f"the worst case is not finite at any step size between {ends}: nothing is to be minimised"
            )
        return self.polished(min(SCAN, key=self.value))

    def polished(self, near: Fraction) -> float:
        """Golden section between twice and half of a step size, on a logarithmic scale, to four digits."""
        low, high = math.log(float(near)) - math.log(2), math.log(float(near)) + math.log(2)

        def at(place: float) -> float:
            return self.value(Fraction(f"{math.exp(place):.6g}"))

        left, right = high - GOLDEN * (high - low), low + GOLDEN * (high - low)
        while high - low > 1e-4 and self.budget.left() > 0:
            if at(left) <= at(right):
                high, right = right, left
                left = high - GOLDEN * (high - low)
            else:
                low, left = left, right
                right = low + GOLDEN * (high - low)
        return math.exp(min((low, left, right, high), key=at))

    def certified(self, scaled: float) -> tuple[Fraction, WorstCase]:
        """A step size of few digits near one, and the certified worst case there.

        Raises
        ------
        ValueError : no certificate was found.
        """
        aim = self.value(Fraction(f"{scaled:.6g}"))
        rounded = [Fraction(f"{scaled:.{digits}g}") for digits in range(1, 7)]
        chosen = next((one for one in rounded if self.value(one) <= aim * (1 + 1e-4)), rounded[-1])
        for one in dict.fromkeys((chosen, *rounded[::-1])):
            step = one / self.smooth
            model = self.question.at(step)
            if self.question.program_at(step) != certificate.statement(model)["program"]:
                continue  # two vectors of the method are the same at this step size and at no other
            self.tell(f"certificate at step size {float(step):.6g}")
            answer = solve_with_equations(model, self.question.quantities)
            if answer.upper is not None:
                return step, answer
        raise ValueError(f"no upper bound was certified at step sizes near {scaled / float(self.smooth):.6g}")

    def tail(self, step: Fraction, upper: Fraction) -> CertifiedPiece | None:
        """A lower bound above ``upper`` for all step sizes from some multiple of ``step`` on."""
        for factor in MULTIPLES:
            start = Fraction(f"{float(factor * step * self.smooth):.3g}") / self.smooth
            tail = parabola_piece(self.question, start, None)
            if tail is not None and tail.value > upper:
                return tail
        return None

    def answer(self, step: Fraction, found: WorstCase, cover: Cover) -> BestStep:
        """What was found, after the verifier has seen all of it at once."""
        assert found.upper is not None and found.certificate is not None
        data: dict[str, Any] = {
            **self.question.statement,
            "claim": found.certificate["claim"],
            "step": str(step),
            "upper": found.certificate["upper"],
            "pieces": [piece.data for piece in (*cover.pieces, *([cover.tail] if cover.tail else []))],
        }
        proved: dict[str, Any] | None = None
        if cover.complete:
            try:
                proved = best_verifier.verify(data)
            except verifier.Rejected as error:
                self.tell(f"the certificate was rejected: {error}")
        return BestStep.of(self.question, step, found, proved, data if proved is not None else None)


def is_about(
    data: Mapping[str, Any],
    algorithm: Family,
    function_class: FunctionClass,
    *,
    field: str = "step_size",
    **options: Any,
) -> bool:
    """Whether a certificate is about this method and this question, all of which is built anew.

    ``options`` are those of :func:`best_step_size` from ``rounds`` to ``n_clients``.
    """
    asked = dict(options)
    question = Question(family(algorithm, field), function_class, asked, asked.pop("quantities", None))
    return all(data.get(name) == entry for name, entry in question.statement.items())
