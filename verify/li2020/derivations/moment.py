"""Statements about one moment of a run, as in the proof of Lemma 1: clients at any points, forms of the generic client."""

from collections.abc import Mapping, Sequence
from functools import cache

import sympy as sp

from fltheory.derivation.script import Derivation
from fltheory.derivation.statement import Derived, ending, text_of
from verify.li2020.derivations.fedavg import TOP, clients
from verify.li2020.derivations.letters import form_text, vector_text
from verify.li2020.derivations.one_step import gradient_bound, interpolation

Squares = Sequence[tuple[sp.Expr, sp.Expr]]

#: The largest step, and whether L > mu.
PRINTED, APART = (TOP, False), (TOP, True)
#: What the steps of the proof start from: instances of hypotheses by name.
_INSTANCES = {
    "(19)": ("strongly convex", "w wstar"),
    "A2 at the average": ("strongly convex", "u w"),
    "F(wbar) >= F*": ("strongly convex", "wstar u"),
    "F_k(w*) >= F_k*": ("infimum", "wstar"),
}


@cache
def premises(top: str = TOP, apart: bool = False) -> Derivation:
    """(16) at w^k and at the average and the instances above; with L > mu also what A1 and A2 say together."""
    d = clients("Li et al. (2020), Appendix A", top, apart)
    for name, (hypothesis, points) in _INSTANCES.items():
        d.assume(name, hypothesis, points)
    for point in ("w", "u"):
        gradient_bound(d, point)
    if apart:
        interpolation(d, "w", "u")
        interpolation(d, "u", "w")
    return d


def follows(
    left: sp.Expr,
    right: sp.Expr,
    *,
    facts: Mapping[str, sp.Expr | int] | None = None,
    squares: Squares = (),
    relation: str = ">=",
    over: str = "k",
    begun: tuple[str, bool] = PRINTED,
) -> Derived:
    """``left <= right`` (or ``=``) on average over the axes, from the premises times multipliers, and squares."""
    given = {name: text_of(sp.sympify(m)) for name, m in (facts or {}).items() if m != 0}
    weighted = [[text_of(sp.sympify(weight)), vector_text(vector)] for weight, vector in squares]

    name = "the statement"

    def last(d: Derivation) -> None:
        how = {"facts": given, "squares": weighted, "unfold": "u", "relation": relation}
        apart, form = begun[1], f"{form_text(right)} - ({form_text(left)})"
        d.combine(f"{name} for L > mu" if apart else name, form, over=over, **how)
        if apart:
            d.closure(name, f"{name} for L > mu", "L")

    return ending(lambda: premises(*begun), last, name)
