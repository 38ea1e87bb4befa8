"""Lemma D.3 of Mixed FL, sums of random vectors that depend on each other: about their means, and about conditional means."""

from __future__ import annotations

from collections.abc import Mapping

import sympy as sp

from fltheory.derivation.packs import UNBIASED, suppose
from fltheory.derivation.script import Derivation
from fltheory.derivation.statement import text_of
from fltheory.kinds import JSON
from fltheory.theory.bound import Bound
from fltheory.theory.mixed2022 import vectors
from fltheory.theory.notation import Expect, NormSq

_CENTRE = NormSq(vectors.total(vectors.xi))


def about_means(bound: Bound = vectors.LEMMA_D3_1) -> Mapping[str, JSON]:
    """The first part: Xi = m + z with one draw for all, so that any dependence is allowed; Jensen's inequality over the list."""
    d = Derivation("Mixed FL, Lemma D.3, means")
    d.axis("j", "steps")
    d.axis("xi", "noise")
    d.parameter("tau", 1)
    d.parameter("s", 0)
    d.vector("m", "j")
    d.vector("z", "j xi", mean=[["xi", "0", UNBIASED]])
    suppose(d, "bounded variance", sigma2="s**2", noise="z")
    d.assume("variance", "bounded variance")
    right = text_of(bound.expression, {_CENTRE: "sq(tau*mean(m, j))"})
    squares = [["tau**2", "z - mean(z, j)"], [text_of(bound.expression.coeff(_CENTRE) - 1), "tau*mean(m, j)"]]
    target = f"{right} - sq(tau*mean(m + z, j))"
    d.combine("Lemma D.3", target, over="j xi", facts={"variance": "tau**2"}, squares=squares)
    return d.concluding("Lemma D.3")


def martingale(*, conditional: bool = True) -> Derivation:
    """P, the sum of ``step`` differences Xi_i - xi_i, and D, the next: E|P|^2 <= step s^2, for there are no cross terms."""
    d = Derivation("Mixed FL, Lemma D.3, conditional means")
    for axis, kind in (("xi", "noise"), ("past", "past"), ("t", "time")):
        d.axis(axis, kind)
    d.parameter("s", 0)
    d.parameter("step", 0, varies="t", next="step + 1")
    d.vector("P", "past t")
    d.vector("D", "xi past t", mean=[["xi", "0", UNBIASED]] if conditional else [])
    d.vector("P1", "xi past t", equals="P + D")
    d.next("P", "P1")
    suppose(d, "bounded variance", sigma2="s**2", noise="D")
    d.assume("variance", "bounded variance")
    d.combine("one more", "sq(P) + s**2 - sq(P1)", over="xi past", facts={"variance": "1"}, unfold="P1")
    empty_sum(d, "N", "sq(P)", "step*s**2", {"one more": "1"})
    return d


def empty_sum(d: Derivation, name: str, form: str, bound: str, facts: Mapping[str, str]) -> None:
    """A number that begins at zero is at most a bound at every step, if it grows by at most as much as that."""
    after = {"next": f"{name}_next", "over_next": "xi past", "first": f"{name}_1"}
    d.define(name, form, over="past", time="t", **after)
    suppose(d, "empty sum", name=f"empty sum {name}", first=f"{name}_1")
    d.assume(f"{name} at the start", f"empty sum {name}")
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
