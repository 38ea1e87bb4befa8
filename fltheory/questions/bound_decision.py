"""One point of ``fl.check_bound``: a stated right-hand side against what certificates prove of the worst case."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from fractions import Fraction
from typing import Any

import sympy as sp

from fltheory.questions.bound_statement import StatedBound, resolved
from fltheory.questions.checked_bound import HOLDS, REFUTED, UNDECIDED, BoundAt, words_of
from fltheory.theory.exact_numbers import exact_sign
from fltheory.worstcase import verifier
from fltheory.worstcase.answer import WorstCase
from fltheory.worstcase.entry import TimeLeft

Ask = Callable[[Mapping[str, Any] | None], WorstCase]

#: By which powers of two quantities are weighted against each other, one step after the other, where a statement names none.
_STEPS = (4, 3, 2, 2, 1, 1, 1)
#: A gap between both certified sides, relative to the upper one, below which an exact value is worth its time.
_NEAR = Fraction(1, 100)
#: Their names in a certificate.
_EVERYWHERE = {"distance", "gap", "gradient", "heterogeneity", "identical", "custom"}
_NOT_MEANT = "an instance is certified, but not shown to obey every hypothesis of the statement: no refutation"


def decide(
    stated: StatedBound,
    meaning: Mapping[str, object],
    known: Mapping[str, sp.Expr],
    quantities: Mapping[str, object] | None,
    ask: Ask,
    told: Mapping[str, object],
    plain: bool,
    time_limit: float | None,
) -> BoundAt | str:
    """The answer at one point of the grid; why there is none, where a condition of the statement is false there."""
    answer = ask(quantities)
    bounded = tuple(answer.quantities)
    general = quantities is None and any(target in bounded for target in meaning.values())
    symbols = {name: sp.Symbol(name) for name in bounded}
    fixed = {name: sp.Rational(value) for name, value in answer.quantities.items()}
    local = resolved(meaning, {**known, **(symbols if general else fixed)}, bounded)
    broken = stated.unmet(local)
    if broken:
        return "; ".join(broken) + (f" is false at {words_of(told)}" if told else " is false")
    right = stated.right(local)
    if not general:
        return _at(answer, right, plain, told, time_limit)
    factors = linear(right, symbols)
    plain = plain and all(exact_sign(factor) >= 0 for factor in factors.values())  # an instance may have less of each
    weights = dict.fromkeys(bounded, 0)
    found = _at(answer, right, plain, told, time_limit, factors)
    for step in _STEPS if len(bounded) > 1 else ():
        if found.verdict != UNDECIDED or found.upper is None:
            break
        beyond = {name: found.factors.get(name, Fraction(0)) > factors[name] for name in bounded}
        weights = {name: power + (step if beyond[name] else -step) for name, power in weights.items()}
        lowest = min(weights.values())
        weights = {name: power - lowest for name, power in weights.items()}
        here = ask({name: Fraction(2) ** power for name, power in weights.items()})
        found = _at(here, right, plain, told, time_limit, factors)
    return found


def linear(right: sp.Expr, symbols: Mapping[str, sp.Symbol], free: Collection[str] = ()) -> dict[str, sp.Expr]:
    """The factors of the quantities in a statement that is linear in them."""
    expanded = sp.expand(right)
    factors = {name: expanded.coeff(symbol, 1) for name, symbol in symbols.items()}
    rest = sp.expand(expanded - sum(factor * symbols[name] for name, factor in factors.items()))
    if rest != 0 or any(symbol.name not in free for factor in factors.values() for symbol in factor.free_symbols):
        raise ValueError(
            f"the statement {right} is not linear in {', '.join(symbols)}; say at which values it is meant: quantities={{...}}"
        )
    return factors


def _at(
    answer: WorstCase,
    right: sp.Expr,
    plain: bool,
    told: Mapping[str, object],
    time_limit: float | None,
    factors: Mapping[str, sp.Expr] | None = None,
) -> BoundAt:
    """The bound against the worst case at the values of its quantities; with ``factors``, at all values."""
    right_here = right.subs({sp.Symbol(name): sp.Rational(value) for name, value in answer.quantities.items()})
    if not (right_here.is_number and right_here.is_finite and right_here.is_extended_real):
        at = words_of(answer.quantities)
        raise ValueError(f"the statement gives {right_here} at {at}, which is no finite real number")
    upper, lower = _proved(answer)
    top = None if upper is None else sum((upper.get(n, 0) * q for n, q in answer.quantities.items()), Fraction(0))
    convex = all(group.functions.convex for group in answer.model.groups)
    verdict, reason = UNDECIDED, f"the search ended with {answer.status!r}"
    if upper is not None and _below(upper, top, right_here, factors):
        verdict, reason = HOLDS, ""
    elif answer.growth is not None:
        verdict, reason = (REFUTED, "") if plain and convex else (UNDECIDED, _NOT_MEANT)
    elif lower is not None and exact_sign(sp.Rational(lower) - right_here) > 0:
        reason = "" if plain and convex and _meant(answer) else _NOT_MEANT
        verdict = UNDECIDED if reason else REFUTED
    elif top is not None and lower is not None:
        reason = "the bound lies between both certified sides"
        if answer.upper != answer.lower and top - lower <= _NEAR * top:
            better = answer.exact(time_limit=max(TimeLeft(time_limit).left(), 1e-3) if time_limit else None)
            if better.upper == better.lower and not better.note:
                return _at(better, right, plain, told, time_limit, factors)
    return BoundAt(told, factors is not None, verdict, right, answer, upper or {}, top, lower, factors or {}, reason)


def _below(
    upper: Mapping[str, Fraction], top: Fraction | None, right: sp.Expr, factors: Mapping[str, sp.Expr] | None
) -> bool:
    """Whether what is proved is at most what is stated: factor by factor where the statement is one for all quantities."""
    if factors is None:
        return exact_sign(right - sp.Rational(top)) >= 0
    return all(exact_sign(factor - sp.Rational(upper.get(name, 0))) >= 0 for name, factor in factors.items())


def _proved(answer: WorstCase) -> tuple[dict[str, Fraction] | None, Fraction | None]:
    """Both sides as the verifier reads them from the certificate."""
    if answer.certificate is None:
        return None, None
    proved = verifier.verify(answer.certificate)
    quantities, lower = proved.get("lower", (answer.quantities, None))
    if dict(quantities) != dict(answer.quantities):
        lower = None
    return proved.get("upper"), lower


def _meant(answer: WorstCase) -> bool:
    """Whether every assumption of the certificate is one that its instance obeys everywhere."""
    assert answer.certificate is not None
    claim: Any = answer.certificate["claim"]
    return set(claim["assumptions"]) <= _EVERYWHERE
