"""The displays' own symbols as texts of derivations, so that what is shown is what is derived.

Forms of the generic client (:mod:`verify.li2020.symbols`) are written in commuting scalars: a product of two vectors is their
inner product.
"""

from collections.abc import Mapping

import sympy as sp

from fltheory.derivation.statement import text_of
from verify.li2020 import cohorts
from verify.li2020 import symbols as s

_VECTORS: Mapping[sp.Symbol, str] = {
    s.w: "w",
    s.g: "g_w",
    s.g_bar: "g_u",
    s.g_star: "g_wstar",
    s.wbar: "mean(w, k)",
    s.wstar: "wstar",
    s.gbar: "mean(g_w, k)",
    s.Gbar: "mean(g_u, k)",
    s.noise: "mean(noise, k)",
    s.dw: "(w - mean(w, k))",
    s.dg: "(g_w - mean(g_w, k))",
    s.dg_bar: "(g_u - mean(g_u, k))",
    s.dg_star: "g_wstar",
}
_VALUES: Mapping[sp.Symbol, str] = {
    s.f: "f_w",
    s.f_bar: "f_u",
    s.f_star: "f_wstar",
    s.f_min: "f_inf",
    s.Fbar: "mean(f_u, k)",
    s.Fstar: "mean(f_wstar, k)",
    s.Gamma: "mean(f_wstar - f_inf, k)",
}
#: Measured quantities and constants of the lemmas.
_NUMBERS: dict[sp.Basic, str] = {s.G**2: "G2", s.S: "V", s.V: "drift", s.Delta: "Delta_t", cohorts.Delta: "Delta_t"}


def bound_text(expression: sp.Expr) -> str:
    """The right side of a lemma, in the letters of the derivations; Delta is that of step t."""
    return text_of(expression, _NUMBERS)


def form_text(form: sp.Expr) -> str:
    """A form of the generic client: quadratic in vectors, linear in values.

    Raises
    ------
    ValueError : it is no such form.
    """
    form = sp.sympify(form)
    if not form.free_symbols & {*_VECTORS, *_VALUES}:
        return text_of(form)
    terms = []
    generators = sorted(form.free_symbols & {*_VECTORS, *_VALUES}, key=str)
    for powers, coefficient in sp.Poly(form, *generators).terms():
        factors = [symbol for symbol, power in zip(generators, powers, strict=True) for _ in range(power)]
        vectors, values = ([table[x] for x in factors if x in table] for table in (_VECTORS, _VALUES))
        if (len(vectors), len(values)) not in ((2, 0), (0, 1), (0, 0)):
            raise ValueError(f"{sp.Mul(*factors)} in {form} is no inner product and no value")
        atom = f"*dot({', '.join(vectors)})" if vectors else f"*{values[0]}" if values else ""
        terms.append(f"({text_of(coefficient)}){atom}")
    return " + ".join(terms)


def vector_text(vector: sp.Expr) -> str:
    """A linear expression in the vectors of the generic client."""
    terms = [f"({text_of(sp.cancel(sp.diff(vector, v)))})*{_VECTORS[v]}" for v in _VECTORS if vector.has(v)]
    rest = sp.expand(vector.subs(dict.fromkeys(_VECTORS, 0)))
    if rest != 0:
        raise ValueError(f"{rest} in {vector} is no vector")
    return " + ".join(terms) or "0"
