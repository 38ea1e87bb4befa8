"""Worst cases without a gap: the same rational from above and from below, each with a certificate that the verifier accepts.

An instance in rationals is guessed, one after the other: parabolas at the ends of the class, losses with one bend, then what is
recognised in a solution to 25 digits.  On its face (:mod:`fltheory.worstcase.faces`) multipliers are solved for exactly.  None
of this is trusted: the verifier accepts both sides with equal values, or nothing is claimed.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import replace
from fractions import Fraction

from fltheory.worstcase import certificate, verifier
from fltheory.worstcase.answer import WorstCase
from fltheory.worstcase.certificate import Data
from fltheory.worstcase.certify import reduced
from fltheory.worstcase.enclosure import Clock
from fltheory.worstcase.faces import exact_upper, face_of
from fltheory.worstcase.forms import Forms, Instance
from fltheory.worstcase.line import bends
from fltheory.worstcase.margins import from_margin
from fltheory.worstcase.model import Model
from fltheory.worstcase.parabolas import parabolas
from fltheory.worstcase.recognise import Unrecognised, exact_instance, middle, ranges, rational_bases
from fltheory.worstcase.vanishing import certain_zeros

#: Instances whose value is smaller than what is known by more than this are no worst ones.
WORSE = 1e-4
#: A program whose solution to 25 digits takes more seconds is not solved so, if no limit of time is named.
PATIENCE = 60.0


def exact(answer: WorstCase, budget: Clock) -> WorstCase:
    """The answer with equal bounds, or the same answer with a ``note`` that says in a line why none were found."""
    if answer.upper is not None and answer.upper == answer.lower:
        return replace(answer, note="")
    model, quantities, tried = answer.model, answer.quantities, []
    if any(item[0] == "noise" for item in model.instructions):
        return replace(answer, note="no exact value: with noise a worst case is approached, and not attained")
    if answer.growth is not None:
        return replace(answer, note="no exact value: the worst case is infinite")
    forms = Forms(model)
    for name, instance in _guesses(model, quantities):
        if budget.left() <= 0:
            break
        value = Forms.evaluate(forms.measure, instance)
        known = answer.solver_value if answer.lower is None else float(answer.lower)
        if float(value) < known - WORSE * abs(known):
            tried.append(f"{name} gives {float(value):.6g} only")
            continue
        found = _proved(answer, forms, instance)
        if found is not None:
            return found
        tried.append(f"{name} gives {value if len(str(value)) < 20 else float(value)}, without multipliers")
    if budget.left() <= 0:
        return replace(answer, note="no exact value found: " + "; ".join([*dict.fromkeys(tried), "out of time"]))
    try:
        found = _from_digits(answer, forms, budget)
        if found is not None:
            return found
        tried.append("an instance recognised in a solution has no multipliers")
    except Unrecognised as error:
        tried.append(str(error))
    return replace(answer, note="no exact value found: " + "; ".join(dict.fromkeys(tried)))


def _guesses(model: Model, quantities: Mapping[str, Fraction]) -> Iterator[tuple[str, Instance]]:
    for parabola in parabolas(model):
        factor = parabola.factor(quantities)
        if factor:
            yield f"a parabola of curvature {parabola.curvature}", parabola.instance(factor)
    for bent in bends(model):
        factor = _largest(model, bent.evaluate, quantities)
        if factor:
            yield "a loss with one bend", bent.instance(factor)


def _largest(model: Model, evaluate: object, quantities: Mapping[str, Fraction]) -> Fraction:
    """By how much the squares of an instance may grow within all assumptions."""
    assert callable(evaluate)
    found = []
    for item in model.assumptions:
        entry = evaluate(item.functional)
        if entry > 0:
            found.append(Fraction(0) if item.bound is None else item.scale * quantities[item.bound] / entry)
    return min(found, default=Fraction(0))


def _from_digits(answer: WorstCase, forms: Forms, budget: Clock) -> WorstCase | None:
    """What a solution in decimals gives; its multipliers too, unless some were taken out for it."""
    model, quantities = answer.model, answer.quantities
    problem = reduced(model, quantities)
    # 25 digits take about three times the steps of seven
    seconds = 1.2e-5 * (len(problem.pair_rows) + problem.length) * problem.length**2
    if seconds > min(PATIENCE, budget.left()):
        raise Unrecognised(f"a solution to 25 digits would take about {seconds:.0f} seconds")
    found = middle(problem, quantities, budget.left)
    if found is None:
        raise Unrecognised("no solution to 25 digits was found")
    seen = ranges(found)
    instance = exact_instance(forms, found, quantities, seen, rational_bases(seen, found.digits))
    guess = None if certain_zeros(model) else (found.pairs, found.assumptions)
    return _proved(answer, forms, instance, guess)


def _proved(
    answer: WorstCase,
    forms: Forms,
    instance: Instance,
    guess: tuple[list[Fraction], list[Fraction]] | None = None,
) -> WorstCase | None:
    """The answer with both sides equal, if the instance is allowed and multipliers on its face are found."""
    model, quantities = answer.model, answer.quantities
    value = Forms.evaluate(forms.measure, instance)
    face = face_of(forms, instance, quantities)
    if face is None:
        return None
    lower = certificate.lower(dict(instance[0]), instance[1], quantities, value)
    statement = certificate.statement(model)
    if not _accepted({**statement, "lower": lower}):
        return None
    upper = None
    if guess is not None:
        near = [guess[0][k] for k in face.pairs] + [guess[1][k] for k in face.assumptions]
        upper = exact_upper(face, near)
    upper = upper or from_margin(face)
    if upper is None:
        return None
    data = {**statement, "upper": upper, "lower": lower}
    bound: dict[str, Fraction] = verifier.verify(data)["upper"]
    above = sum((factor * quantities[name] for name, factor in bound.items()), Fraction(0))
    if above != value:
        return None
    number = math.nan
    try:
        number = float(value)
    except OverflowError:
        pass
    return replace(
        answer, value=number, upper=value, lower=value, bound=bound, certificate=data, status="certified", note=""
    )


def _accepted(data: Data) -> bool:
    try:
        verifier.verify(data)
    except verifier.Rejected:
        return False
    return True
