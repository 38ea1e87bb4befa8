"""Lemma D.3 of Mixed FL, sums of random vectors that depend on each other: about their means, and about conditional means."""

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
_NOISE = Expect(NormSq(vectors.total(vectors.Xi) - vectors.total(vectors.xi)))


def about_means(bound: Bound = vectors.LEMMA_D3_1) -> Mapping[str, JSON]:
    """The first part: Xi = m + z with one draw for all, so that any dependence is allowed; Jensen's inequality over the list."""
    d = fixed_means()
    right = text_of(bound.expression, {_CENTRE: "sq(tau*mean(m, j))"})
    squares = [["tau**2", "z - mean(z, j)"], [text_of(bound.expression.coeff(_CENTRE) - 1), "tau*mean(m, j)"]]
    target = f"{right} - sq(tau*mean(m + z, j))"
    d.combine("Lemma D.3", target, over="j xi", facts={"variance": "tau**2"}, squares=squares)
    return d.concluding("Lemma D.3")


def variance(bound: Bound = vectors.VARIANCE_D3_REPAIRED) -> Mapping[str, JSON]:
    """The second moment is the variance and the square of the mean."""
    d = Derivation("Mixed FL, Lemma D.3, variance")
    declare(d, "axes xi; X over xi")
    mean = Expect(vectors.X)
    names = {Expect((vectors.X - mean) ** 2): "sq(X - mean(X, xi))"}
    names |= {Expect(vectors.X - mean) ** 2: "sq(mean(X, xi) - mean(X, xi))", mean**2: "sq(mean(X, xi))"}
    d.combine("variance", f"{text_of(bound.expression, names)} - sq(X)", over="xi", relation="=")
    return d.concluding("variance")


def fixed_means(*, conditional: bool = False) -> Derivation:
    """Xi = m + z, z of mean zero and variance s^2; m is not random, unless it is a conditional mean."""
    d = Derivation("Mixed FL, Lemma D.3, means")
    declare(d, "axes j xi; tau >= 1; s >= 0")
    d.vector("m", "j xi" if conditional else "j")
    d.vector("z", "j xi", mean=[["xi", "0", UNBIASED]])
    granted(d, "bounded variance", fact="variance", sigma2="s**2", noise="z")
    return d


def separated(bound: Bound = vectors.SEPARATION_D3, *, conditional: bool = False) -> Mapping[str, JSON]:
    """E|sum Xi|^2 = |sum xi|^2 + E|sum (Xi - xi)|^2."""
    d = fixed_means(conditional=conditional)
    right = text_of(bound.expression, {_NOISE: "sq(tau*mean(z, j))", _CENTRE: "sq(tau*mean(m, j))"})
    d.combine("Lemma D.3", f"{right} - sq(tau*mean(m + z, j))", over="xi j", relation="=")
    return d.concluding("Lemma D.3")


def noise_of_a_sum(first: str = "1", second: str = "1") -> Mapping[str, JSON]:
    """E|sum (Xi - xi)|^2 <= first tau sum of E|Xi - xi|^2, and tau times that sum <= second tau^2 s^2."""
    d = fixed_means()
    squares = [[f"{first}*tau**2", "z - mean(z, j)"], [f"({first} - 1)*tau**2", "mean(z, j)"]]
    d.combine("D.2", f"{first}*tau**2*sq(z) - sq(tau*mean(z, j))", over="j xi", squares=squares)
    d.combine("variances", f"{second}*tau**2*s**2 - tau**2*sq(z)", over="j xi", facts={"variance": "tau**2"})
    return d.concluding("D.2", "variances")


def crude(bound: Bound = vectors.CRUDE_D3) -> Mapping[str, JSON]:
    """D.2 for the sum A of the conditional means and the sum B of the differences."""
    d = Derivation("Mixed FL, Lemma D.3, mean and noise by D.2")
    declare(d, "axes xi; A, B over xi")
    spare = [[text_of(bound.expression.coeff(x) - 2), name] for x, name in ((Expect(_CENTRE), "A"), (_NOISE, "B"))]
    right = text_of(bound.expression, {_NOISE: "sq(B)", Expect(_CENTRE): "sq(A)"})
    d.combine("Lemma D.3", f"{right} - sq(A + B)", over="xi", squares=[["1", "A - B"], *spare])
    return d.concluding("Lemma D.3")


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
