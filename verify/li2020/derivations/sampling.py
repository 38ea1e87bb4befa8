"""Lemmas 4 and 5 of Li et al. (2020): the average ``drawn`` of a cohort of clients with any models v^k, its mean and its variance.

Scheme I draws along the clients with their weights p_k.  Scheme II and the original rule draw among clients with equal weights
1/N; there the vector pv is N p_k v^k, so that its mean is vbar for any p.
"""

from collections.abc import Mapping
from functools import cache

import sympy as sp

from fltheory.derivation.packs import suppose
from fltheory.derivation.replay import require
from fltheory.derivation.script import Derivation
from fltheory.derivation.statement import Derived, ending
from fltheory.evidence.things import declare
from fltheory.theory.bound import Bound
from fltheory.theory.notation import ClientSum, CohortSum, Expect, Inner, NormSq, PairSum
from verify.li2020.derivations.fedavg import SCHEMES
from verify.li2020.displays.appendix_b import w_new
from verify.li2020.displays.notation import K, N, p, v, vbar, wbar_0

_SCHEMES = {**SCHEMES, "any": {"scheme": "equal inclusion", "size": "K"}}


@cache
def _drawn(scheme: str, of: str, absent: int) -> Derivation:
    d = Derivation(f"Li et al. (2020), the average of a cohort, Scheme {scheme}")
    declare(d, "axes k S l:cohort")
    if scheme == "II":
        d.parameter("N", 2)
    d.parameter("K", 1, f"N - {absent}" if scheme == "II" else None)
    d.vector("w", latex="w_t")
    d.vector("w0", latex=r"\bar w_{t_0}")
    d.vector("wstar")
    d.vector("v", "k", latex="v^k")
    d.vector("pv", "k", latex="N p_k v^k")
    d.vector("pw", "k", mean=[["k", "w", "the weights add up to one"]], latex="N p_k w_t")
    d.vector("change", "k", equals="pv - pw")
    d.cohort("drawn", of, "k", "S", **_SCHEMES[scheme])
    d.cohort("one", of, "k", "l", scheme="with replacement", size="1")
    return d


def of_cohorts(
    scheme: str, *statements: Mapping[str, object] | str, of: str = "v", over: str = "k S l", absent: int = 0
) -> Derived:
    """Forms that vanish (``relation``: or are >= 0) on average for cohorts of a vector; ``one`` is a single draw.

    A statement is a form, or the fields of ``combine``; of the clients at least so many are ``absent``.
    """
    names = [f"statement {number}" for number in range(1, len(statements) + 1)]

    def last(d: Derivation) -> None:
        for name, statement in zip(names, statements, strict=True):
            fields = {"form": statement} if isinstance(statement, str) else dict(statement)
            d.combine(name, **{"over": over, "relation": "=", "unfold": "change", **fields})

    return ending(lambda: _drawn(scheme, of, absent), last, *names)


def in_text(shown: sp.Basic, of: str = "v") -> str:
    """A side of a display as text: sums over clients are N times means, those with p_k means; expectations are left to ``over``.

    Raises
    ------
    fltheory.derivation.replay.Underivable : a sum over other clients than all.
    """
    names = {w_new: sp.Symbol("drawn"), vbar: sp.Symbol(f"mean({of}, k)"), wbar_0: sp.Symbol("w0")}

    def read(e: sp.Basic, generic: str) -> sp.Expr:
        if isinstance(e, Expect):
            return read(e.args[0], generic)
        if isinstance(e, ClientSum):
            require(e.args[1] == 1, f"{e} is no sum over all clients")
            return read(sp.expand(e.args[0] / p), "v") if e.args[0].has(p) else N * read(e.args[0], "v")
        if isinstance(e, CohortSum):
            return K * read(e.args[1], "one" if e.args[1].has(NormSq) else "drawn")
        if isinstance(e, PairSum):
            x = read(e.args[0], "v")
            return N**2 * sp.Symbol(f"sq(mean({x}, k))") - N * sp.Symbol(f"sq({x})")
        if isinstance(e, NormSq | Inner):
            inside = ", ".join(str(read(one, generic)) for one in e.args)
            return sp.Symbol(f"{'sq' if isinstance(e, NormSq) else 'dot'}({inside})")
        if e == v:
            return sp.Symbol(generic) / (N * p if of == "pv" else 1)
        return names.get(e) or (e.func(*(read(one, generic) for one in e.args)) if e.args else e)

    return str(read(sp.sympify(shown), "v"))


def form_of(shown: Bound, factor: str = "1", of: str = "v", **facts: str) -> dict[str, object]:
    """The line that a display states, with a factor before its right side."""
    left, right = (in_text(side, of) for side in (shown.left, shown.expression))
    difference = f"({factor})*({right}) - ({left})"
    if not sp.sympify(shown.left).has(NormSq, Inner):
        difference = f"sq(mean({difference}, S))"
    return {"form": difference, "relation": "=" if shown.relation == "=" else ">=", "facts": facts}


def _round(falling: bool = True) -> Derivation:
    """A round of E steps, all of them at most the first where steps fall, with second moments at most G^2."""
    d = Derivation("Li et al. (2020), the steps of a round")
    declare(d, "axes k j past; K, E >= 1; G2, eta_0 >= 0")
    d.parameter("eta_j", 0, "eta_0" if falling else None, varies="j")
    d.vector("x", "j", latex="x_i")
    d.vector("g_j", "k j past", latex=r"\nabla F_k(w_i^k,\xi_i^k)")
    d.vector("v_j", "k j past", equals="eta_j*g_j")
    suppose(d, "bounded gradients", G2="G2", gradient="g_j")
    return d


def jensen(factor: str) -> Derived:
    """|sum_i x_i|^2 <= factor sum_i |x_i|^2 over the E steps of a round: a sum is E times a mean."""

    def last(d: Derivation) -> None:
        squares = [["E**2", "x - mean(x, j)"], [f"(({factor}) - E)*E", "x"]]
        d.combine("Jensen", f"({factor})*E*sq(x) - sq(E*mean(x, j))", over="j", squares=squares)

    return ending(_round, last, "Jensen")


def first_step_dominates(bound: str, falling: bool) -> Derived:
    """1/K sum_k p_k E sum_i E|eta_i g_i|^2 <= bound."""

    def last(d: Derivation) -> None:
        d.assume("a gradient", "bounded gradients")
        d.combine("a step", "eta_0**2*G2 - sq(v_j)", over="past", facts={"a gradient": "eta_j**2"}, unfold="v_j")
        d.combine("the round", f"{bound} - E/K*E*sq(v_j)", over="k j past", facts={"a step": "E**2/K"})

    return ending(lambda: _round(falling), last, "the round")


def _since_the_synchronisation() -> Derivation:
    """The s <= E - 1 steps since the last synchronisation: none is larger than the first."""
    d = Derivation("Li et al. (2020), the steps since a synchronisation")
    declare(d, "axes j past; s, G2, eta_0 >= 0; E >= s + 1; 0 <= eta_j <= eta_0 over j")
    d.vector("g_j", "j past", latex="g_j")
    d.vector("v_j", "j past", equals="eta_j*g_j")
    suppose(d, "bounded gradients", G2="G2", gradient="g_j")
    return d


def sum_of_steps(first: str, second: str) -> Derived:
    """|sum_j v_j|^2 <= first s sum_j |v_j|^2 <= second (E-1) sum_j |v_j|^2: a sum over the steps is s times a mean."""

    def last(d: Derivation) -> None:
        squares = [["s**2", "v_j - mean(v_j, j)"], [f"({first} - 1)*s**2", "v_j"]]
        d.combine("Jensen", f"({first})*s*(s*sq(v_j)) - sq(s*mean(v_j, j))", over="j", squares=squares)
        squares = [[f"s*(({second})*(E - 1) - ({first})*s)", "v_j"]]
        d.combine("so many", f"({second})*(E - 1)*(s*sq(v_j)) - ({first})*s*(s*sq(v_j))", over="j", squares=squares)

    return ending(_since_the_synchronisation, last, "Jensen", "so many")


def bounded_steps(factor: str) -> Derived:
    """sum_j (E-1) E|v_j|^2 <= sum_j (E-1) eta_0^2 G^2 <= factor eta_0^2 (E-1)^2 G^2."""

    def last(d: Derivation) -> None:
        d.assume("a gradient", "bounded gradients")
        d.combine("a step", "eta_0**2*G2 - sq(v_j)", over="past", facts={"a gradient": "eta_j**2"}, unfold="v_j")
        terms = "s*(E - 1)*eta_0**2*G2 - s*(E - 1)*sq(v_j)"
        d.combine("the terms", terms, over="j past", facts={"a step": "s*(E - 1)"})
        d.combine("so many", f"({factor})*eta_0**2*(E - 1)**2*G2 - s*(E - 1)*eta_0**2*G2")

    return ending(_since_the_synchronisation, last, "the terms", "so many")
