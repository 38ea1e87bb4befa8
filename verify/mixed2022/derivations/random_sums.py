"""Lemma D.3 of Mixed FL, sums of random vectors that depend on each other, about conditional means."""

from collections.abc import Mapping

import sympy as sp

from fltheory.derivation.packs import UNBIASED
from fltheory.derivation.script import Derivation
from fltheory.derivation.statement import text_of
from fltheory.evidence.things import declare, granted
from fltheory.kinds import JSON
from fltheory.theory.bound import Bound
from fltheory.theory.mixed2022 import vectors
from fltheory.theory.notation import Expect, NormSq

_CENTRE = NormSq(vectors.total(vectors.xi))


def no_cross_terms(
    bound: Bound = vectors.CROSS_D3, variance: str = "1", *, conditional: bool = True
) -> Mapping[str, JSON]:
    """E|sum (Xi - xi)|^2 is the sum of the variances, T times their mean over the steps, and at most variance T s^2."""
    d = martingale(conditional=conditional, ends="N_end")
    d.parameter("tau", 1)
    d.combine("one more, exactly", "sq(P) + sq(D) - sq(P1)", over="xi past", unfold="P1", relation="=")
    facts = {"one more, exactly": "1", "N": "1", "N_next": "-1"}
    d.combine("in numbers", "N + sq(D) - N_next", over="xi past", facts=facts, relation="=")
    d.telescope("summed", "in numbers", ["N"], "tau")
    total = {vectors.total(Expect(NormSq(vectors.Xi - vectors.xi))): "(tau*sq(D))"}
    facts = {"summed": "tau", "N at the start": "-1"}
    right = text_of(bound.expression, total)
    d.combine("no cross terms", f"{right} - N_end", over="xi past t", facts=facts, relation="=")
    facts = {"no cross terms": "1", "variance": "tau"}
    d.combine("at most", f"{variance}*tau*s**2 - N_end", over="xi past t", facts=facts)
    return d.concluding("no cross terms", "at most")


def martingale(*, conditional: bool = True, ends: str | None = None) -> Derivation:
    """P, the sum of ``step`` differences Xi_i - xi_i, and D, the next: E|P|^2 <= step s^2, for there are no cross terms."""
    d = Derivation("Mixed FL, Lemma D.3, conditional means")
    declare(d, "axes xi past t; s >= 0; step >= 0 over t, next step + 1; P over past t")
    d.vector("D", "xi past t", mean=[["xi", "0", UNBIASED]] if conditional else [])
    declare(d, "P1 over xi past t = P + D; next P = P1")
    granted(d, "bounded variance", fact="variance", sigma2="s**2", noise="D")
    d.combine("one more", "sq(P) + s**2 - sq(P1)", over="xi past", facts={"variance": "1"}, unfold="P1")
    empty_sum(d, "N", "sq(P)", "step*s**2", {"one more": "1"}, last=ends)
    return d


def empty_sum(
    d: Derivation, name: str, form: str, bound: str, facts: Mapping[str, str], *, last: str | None = None
) -> None:
    """A number that begins at zero is at most a bound at every step, if it grows by at most as much as that."""
    after = {"next": f"{name}_next", "over_next": "xi past", "first": f"{name}_1", "last": last}
    d.define(name, form, over="past", time="t", **after)
    granted(d, "empty sum", fact=f"{name} at the start", name=f"empty sum {name}", first=f"{name}_1")
    known = {**facts, name: "1", f"{name}_next": "-1"}
    step = {"keep": "1", "facts": known, "base": {f"{name} at the start": "-1"}}
    d.induction(f"bound of {name}", of=name, bound=bound, index="step", over="xi past", **step)


def about_conditional_means(
    bound: Bound = vectors.LEMMA_D3_2, ratio: str = "1", *, conditional: bool = True
) -> Mapping[str, JSON]:
    """The second part: A, the sum of the xi_i, is known before the last draw, as P is; A + P is split in the ratio given."""
    d = martingale(conditional=conditional)
    if ratio == "c":
        d.parameter("c", 0, low_open=True)
    d.vector("A", "past t")
    centre = Expect(_CENTRE)
    right = text_of(bound.expression.subs(vectors.tau, sp.Symbol("step") + 1), {centre: "sq(A)"})
    first = text_of(bound.expression.coeff(centre))
    share = f"1 + 1/({ratio})"
    facts = {"variance": "1", "bound of N": share, "N": share}
    squares = [[ratio, f"A - P/({ratio})"], [f"{first} - 1 - {ratio}", "A"]]
    d.combine("Lemma D.3", f"{right} - sq(A + P + D)", over="xi past", facts=facts, squares=squares)
    return d.concluding("Lemma D.3")


def about_fixed_means(bound: Bound = vectors.LEMMA_D3_2_FIXED, *, random: bool = False) -> Mapping[str, JSON]:
    """Conditional means that are not random: E<A, P> <= 0, and no factor 2 is needed."""
    d = martingale()
    d.vector("A", "past t" if random else "")
    d.combine("no cross terms", "dot(A, P) - dot(A, P1)", over="xi past", unfold="P1", relation="=")
    empty_sum(d, "X", "dot(A, P)", "0", {"no cross terms": "1"})
    right = text_of(bound.expression.subs(vectors.tau, sp.Symbol("step") + 1), {_CENTRE: "sq(A)"})
    facts = {"variance": "1", "bound of N": "1", "N": "1", "bound of X": "2", "X": "2"}
    d.combine("Lemma D.3", f"{right} - sq(A + P + D)", over="xi past", facts=facts)
    return d.concluding("Lemma D.3")
