"""Short proofs: an upper bound a little larger than the certified one, by as few interpolation inequalities as are found.

A solver's multipliers lie inside of all that are optimal, so that nearly all of them are positive.  Those with the least weighted
sum, under a bound that is a little larger, lie at a corner; weights that are large where a multiplier was small make it sparse
(reweighted l1: Candes, Wakin, Boyd 2008).  Then each inequality that is left is taken out, the smallest multiplier first, if the
others still prove the bound.  What is left gets the multipliers with the largest margin, rounded to few digits, and the verifier
accepts them, or nothing is claimed.  A bound that is attained keeps its value: there the multipliers are solved for exactly.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any, cast

import numpy as np

from fltheory.kinds import Number
from fltheory.problems.numbers import decimal_fraction
from fltheory.worstcase import certificate, verifier
from fltheory.worstcase.answer import WorstCase
from fltheory.worstcase.certificate import Data, block_title
from fltheory.worstcase.certify import reduced
from fltheory.worstcase.enclosure import Clock, Enclosure, keep_upper
from fltheory.worstcase.entry import inside
from fltheory.worstcase.faces import face_of
from fltheory.worstcase.forms import Forms
from fltheory.worstcase.kept import shelf
from fltheory.worstcase.margins import from_margin, support
from fltheory.worstcase.normalised import Normalised
from fltheory.worstcase.proving import proving
from fltheory.worstcase.sdp import Array

#: Rounds of weights; a weight is about halved where its multiplier is this share of the largest.
ROUNDS, SMALL = 5, 1e-2
#: Multipliers below this share of the largest are zero.
ZERO = 1e-7
#: What an assumption's multiplier weighs beside that of an inequality: it is the bound, which is limited already.
ASSUMED = 1e-4
#: The share of the slack that the solver may use; the rest is for rounding.
SHARE = Fraction(9, 10)
#: Margins beside the slack: what multipliers are asked for, and the least one that is taken for a proof in floats.
MARGIN, LEAST = 1e-3, 1e-5
#: Digits beyond those of the margin that are tried.
DIGITS = range(-2, 5)
#: Inequalities are taken out one by one where that takes about as many seconds as this.
PATIENCE = 20.0
#: About the seconds of a solve beside the cube of its unknowns.
SECONDS = 2.5e-9
#: A proof of a bound that is attained is sought among the inequalities that prove one larger by this share.
HINT = Fraction(1, 10**4)
#: Where these are not enough, among all without room, if there are no more than this.
FEW = 40


def sparse(answer: WorstCase, slack: Number, budget: Clock) -> WorstCase:
    """What :meth:`~fltheory.worstcase.answer.WorstCase.sparse` says.

    Raises
    ------
    ValueError : a slack that is negative or no number, or zero where no instance attains the bound.
    """
    try:
        room = decimal_fraction(slack)
    except (TypeError, ValueError, OverflowError):
        room = Fraction(-1)
    if room < 0:
        raise ValueError(f"slack={slack!r} is no number >= 0")
    attained = answer.upper is not None and answer.upper == answer.lower
    if room == 0 and not attained:
        raise ValueError("slack=0 leaves no room for rounding: it must be > 0 where no instance attains the bound")
    if shelf() is not None:
        return answer  # nothing is solved where kept certificates answer
    if answer.upper is None or answer.certificate is None:
        return replace(answer, note=f"no shorter proof: no upper bound was certified ({answer.status})")
    before = length(answer.certificate["upper"])
    search = _Search(answer, room or HINT, budget)
    supports = search.supports() if answer.upper > 0 else []
    if attained and (part := _attained(answer, search, supports)) is not None and length(part) < before:
        return _with(answer, part)
    for places in supports if room else []:
        found = search.proof(places)
        if found is not None and length(found) < before:
            return _with(answer, found)
    why = "the time was up" if budget.left() <= 0 else "none was found within the slack"
    return replace(answer, note=f"no shorter proof: {why}")


def length(upper: Any) -> int:
    """How many interpolation inequalities the upper part of a certificate adds up."""
    return sum(len(rows) for rows in upper["interpolation"].values())


def _with(answer: WorstCase, part: Data) -> WorstCase:
    """The answer with another proof of its upper bound, which the verifier accepts beside the instance."""
    assert answer.certificate is not None
    data = certificate.statement(answer.model) | {"upper": part}
    if "lower" in answer.certificate:
        data["lower"] = answer.certificate["lower"]
    bound: Mapping[str, Fraction] = verifier.verify(data)["upper"]
    above = sum((factor * answer.quantities[name] for name, factor in bound.items()), Fraction(0))
    value = inside(answer.value, above, answer.lower)
    return replace(answer, value=value, upper=above, bound=bound, certificate=data)


def _attained(answer: WorstCase, search: _Search, supports: list[Array]) -> Data | None:
    """A short proof of a bound that the answer's instance attains: multipliers on the face of that instance."""
    assert answer.certificate is not None
    forms, lower = Forms(answer.model), cast(Any, answer.certificate["lower"])
    names = {block_title(name): name for name in answer.model.space.sizes}
    blocks = {names[title]: [[Fraction(e) for e in row] for row in rows] for title, rows in lower["blocks"].items()}
    face = face_of(forms, (blocks, {int(r): Fraction(e) for r, e in lower["values"].items()}), answer.quantities)
    if face is None:
        return None
    for places in supports:
        chosen = set(places.tolist())
        fewer = replace(face, pairs=tuple(k for k in face.pairs if k in chosen))
        if search.budget.left() <= 0:
            return None
        if from_margin(fewer) is not None:
            face = fewer
            break
    if len(face.pairs) > FEW:
        return None
    least = min(support(face), key=len, default=None)
    return None if least is None else from_margin(replace(face, pairs=least))


class _Search:
    """A problem with its constraints in one array, those of pairs first, and a bound to be proved."""

    def __init__(self, answer: WorstCase, slack: Fraction, budget: Clock) -> None:
        assert answer.upper is not None
        self.problem: Normalised = reduced(answer.model, answer.quantities)
        self.quantities, self.budget = answer.quantities, budget
        problem = self.problem
        self.pairs = len(problem.pair_rows)
        self.rows = np.concatenate([problem.pair_rows, problem.assumption_rows])
        self.right = np.concatenate([np.zeros(self.pairs), problem.right(answer.quantities)])
        self.limit = (1 + slack) * answer.upper
        unit = problem.measure_factor * problem.frame.square
        self.ceiling = float((1 + Fraction(SHARE) * slack) * answer.upper / unit)
        self.room = float(slack * answer.upper / unit)

    def asked(self, places: Array, weights: Array | None = None) -> tuple[Array, float] | None:
        """Multipliers of the constraints at these places, and their margin."""
        left = self.budget.left()
        if left <= 0:
            return None
        return proving(
            self.problem,
            self.rows[places],
            self.right[places],
            self.ceiling,
            weights=weights,
            reward=MARGIN * self.room,
            time_limit=left,
        )

    def supports(self) -> list[Array]:
        """Places of constraints that are enough for a proof, the fewest first."""
        places = np.flatnonzero(np.abs(self.rows).max(axis=1) > 1e-12)
        weights = np.where(places < self.pairs, 1.0, ASSUMED)
        found: list[Array] = []
        for _ in range(ROUNDS):
            asked = self.asked(places, weights)
            if asked is None:
                break
            y = asked[0]
            largest = float(y[places < self.pairs].max(initial=0.0))
            chosen = (y > ZERO * largest) | (places >= self.pairs)
            if found and chosen.all():
                break
            order = np.argsort(y[chosen], kind="stable")
            places, y = places[chosen][order], y[chosen][order]
            found.insert(0, places)
            inner = places < self.pairs
            if not inner.any():
                break
            small = SMALL * largest
            weights = small / (y + small)
            weights = np.where(inner, weights / float(np.median(weights[inner])), ASSUMED)
        if found and len(found[0]) * SECONDS * self.problem.length**3 <= min(PATIENCE, self.budget.left()):
            found.insert(0, self.fewer(found[0]))
        return found

    def fewer(self, places: Array) -> Array:
        """The same places without those which the others do not need; the first ones, with small multipliers, go first."""
        for place in places[places < self.pairs]:
            rest = places[places != place]
            if self.enough(rest):
                places = rest
        return places

    def enough(self, places: Array) -> bool:
        """Whether these constraints prove the bound with a margin, in floats."""
        found = self.asked(places)
        return found is not None and found[1] > LEAST * self.room

    def proof(self, places: Array) -> Data | None:
        """A certificate that uses constraints at these places, if the verifier accepts one."""
        asked = self.asked(places)
        if asked is None or not asked[1] > 0:
            return None
        y, margin = np.zeros(len(self.rows)), asked[1]
        y[places] = asked[0]
        for more in DIGITS:
            if self.budget.left() <= 0:
                return None
            found = Enclosure()
            digits = max(1, math.ceil(-math.log10(margin)) + more)
            kept = keep_upper(
                found, self.problem, self.quantities, y[: self.pairs], y[self.pairs :], digits=digits, drop=0.0
            )
            if kept and found.above is not None and found.above <= self.limit:
                return found.upper
        return None
