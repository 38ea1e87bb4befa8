"""Lemmas 3 and 4 of the elastic aggregation supplement: sums of vectors and of random vectors, in all their forms.

A list of tau vectors is an axis ``j``, its sum tau times the mean over it.  Under the second part of Lemma 4 ``P`` is the sum
of the noise so far, ``D`` the noise of the next step, ``A`` the sum of all conditional means, which is known before the last draw.
"""

from collections.abc import Mapping

import sympy as sp

from fltheory.derivation.packs import UNBIASED
from fltheory.derivation.script import Derivation
from fltheory.derivation.statement import text_of
from fltheory.evidence.things import declare, granted
from fltheory.kinds import JSON
from fltheory.theory.bound import Bound
from fltheory.theory.notation import NormSq
from verify.elastic2023 import vectors
from verify.elastic2023.derivations.functions import gap_of
from verify.elastic2023.vectors import sigma, sum_of_means, tau

_ROOT = sp.Symbol("root", positive=True)


def two_vectors(bound: Bound, least: str = "0") -> Mapping[str, JSON]:
    """Lemma 3 for a > ``least``: right less left is |a v_i - v_j|^2/a, and what the coefficients have beyond 1 + a, 1 + 1/a."""
    d = Derivation("Elastic aggregation, Lemma 3, two vectors")
    d.parameter("a", least, low_open=True)
    squares = [["1/a", "a*v_i - v_j"]]
    for vector, used in ((vectors.v_i, 1 + vectors.a), (vectors.v_j, 1 + 1 / vectors.a)):
        d.vector(str(vector))
        squares.append([text_of(bound.expression.coeff(NormSq(vector)) - used), str(vector)])
    d.combine("Lemma 3", gap_of(bound), squares=squares)
    return d.concluding("Lemma 3")


def identity(bound: Bound) -> Mapping[str, JSON]:
    """The identity of the proof, with a = root^2."""
    d = Derivation("Elastic aggregation, identity of the proof of Lemma 3")
    declare(d, "root > 0; v_i, v_j")
    written = {node: f"sq({node.args[0]})" for node in bound.expression.subs(vectors.a, _ROOT**2).atoms(NormSq)}
    right = text_of(bound.expression.subs(vectors.a, _ROOT**2), written)
    d.combine("the identity", f"{right} - sq(v_i + v_j)", relation="=")
    return d.concluding("the identity")


def many_vectors(bound: Bound, *, summed: bool) -> Mapping[str, JSON]:
    """Lemma 3 for tau vectors w (``summed``), or Jensen's inequality for their mean: w splits into mean and rest."""
    d = Derivation("Elastic aggregation, Lemma 3, tau vectors")
    declare(d, "axes j; tau >= 1; w over j")
    total, spent = ("tau*mean(w, j)", tau**2) if summed else ("mean(w, j)", sp.Integer(1))
    weight = bound.expression.coeff(sum_of_means) * (tau if summed else 1)
    right = text_of(bound.expression, {sum_of_means: "(tau*sq(w))" if summed else "sq(w)"})
    rest = [[text_of(weight), "w - mean(w, j)"], [text_of(sp.cancel(weight - spent)), "mean(w, j)"]]
    d.combine("Lemma 3", f"{right} - sq({total})", over="j", squares=rest)
    return d.concluding("Lemma 3")


def dependent(title: str, *, unbiased: bool = True) -> Derivation:
    """Xi = m + z with one draw for all tau vectors, so that any dependence is allowed."""
    d = Derivation(f"Elastic aggregation, {title}")
    declare(d, "axes j xi; tau >= 1; sigma >= 0; m over j")
    d.vector("z", "j xi", mean=[["xi", "0", UNBIASED]] if unbiased else [])
    granted(d, "bounded variance", fact="variance", sigma2="sigma**2", noise="z")
    return d


def about_means(bound: Bound, *, unbiased: bool = True) -> Mapping[str, JSON]:
    """Lemma 4, (10)."""
    d = dependent("Lemma 4, means", unbiased=unbiased)
    noise = text_of(bound.expression.coeff(sigma**2))
    squares = [["tau**2", "z - mean(z, j)"], [f"{noise} - tau**2", "z"]]
    target = f"{text_of(bound.expression, {sum_of_means: 'sq(tau*mean(m, j))'})} - sq(tau*mean(m + z, j))"
    d.combine("Lemma 4", target, over="j xi", facts={"variance": noise}, squares=squares)
    return d.concluding("Lemma 4")


def split_of_the_sum(*, unbiased: bool = True) -> Mapping[str, JSON]:
    """E|sum Xi|^2 = |sum xi|^2 + E|sum (Xi - xi)|^2."""
    d = dependent("proof of Lemma 4, first line", unbiased=unbiased)
    target = "sq(tau*mean(m, j)) + sq(tau*mean(z, j)) - sq(tau*mean(m + z, j))"
    d.combine("the line", target, over="j xi", relation="=")
    return d.concluding("the line")


def second_moment() -> Mapping[str, JSON]:
    """E|X|^2 = E|X - E X|^2 + |E X|^2."""
    d = Derivation("Elastic aggregation, proof of Lemma 4, variance")
    declare(d, "axes xi; X over xi")
    d.combine("the identity", "sq(X - mean(X, xi)) + sq(mean(X, xi)) - sq(X)", over="xi", relation="=")
    return d.concluding("the identity")


def centred_sum(first: Bound, second: Bound) -> Mapping[str, JSON]:
    """The second display of the proof: the relaxed triangle inequality for the noise, then its variance."""
    d = dependent("proof of Lemma 4, second display")
    weight = f"tau*({text_of(first.expression.coeff(sum_of_means))})"
    squares = [[weight, "z - mean(z, j)"], [f"{weight} - tau**2", "mean(z, j)"]]
    d.combine("first", f"{weight}*sq(z) - sq(tau*mean(z, j))", over="j xi", squares=squares)
    facts = {"variance": "tau**2"}
    d.combine("second", f"{text_of(second.expression)} - tau**2*sq(z)", over="j xi", facts=facts)
    return d.concluding("first", "second")


def split_in_expectation(bound: Bound) -> Mapping[str, JSON]:
    """The third display: E|sum Xi|^2 <= 2 E|sum xi|^2 + 2 E|sum (Xi - xi)|^2, whatever depends on what."""
    d = Derivation("Elastic aggregation, proof of Lemma 4, third display")
    declare(d, "axes j past; tau >= 1; m, z over j past")
    names = {sum_of_means: "sq(tau*mean(m, j))", vectors.noise_square: "sq(tau*mean(z, j))"}
    squares = [["1", "tau*mean(m - z, j)"]]
    for symbol, vector in ((sum_of_means, "m"), (vectors.noise_square, "z")):
        squares.append([text_of(bound.expression.coeff(symbol) - 2), f"tau*mean({vector}, j)"])
    target = f"{text_of(bound.expression, names)} - sq(tau*mean(m + z, j))"
    d.combine("the display", target, over="j past", squares=squares)
    return d.concluding("the display")


def martingale(title: str, *, conditional: bool = True) -> Derivation:
    """P, the sum of ``step`` noises, and D, the next one: E|P|^2 = sum of the E|D|^2 <= step sigma^2 by induction."""
    d = Derivation(f"Elastic aggregation, {title}")
    declare(d, "axes xi past t; sigma >= 0; tau >= 1; step >= 0 over t, next step + 1; P over past t")
    d.vector("D", "xi past t", mean=[["xi", "0", UNBIASED]] if conditional else [])
    declare(d, "P1 over xi past t = P + D; next P = P1")
    granted(d, "bounded variance", fact="variance", sigma2="sigma**2", noise="D")
    d.combine("one more", "sq(P) + sq(D) - sq(P1)", over="xi past", relation="=", unfold="P1")
    d.combine(
        "one more variance", "sq(P) + sigma**2 - sq(P1)", over="xi past", facts={"one more": "1", "variance": "1"}
    )
    from_zero(d, "N", "sq(P)", "step*sigma**2", {"one more variance": "1"})
    return d


def from_zero(d: Derivation, name: str, form: str, bound: str, facts: Mapping[str, str]) -> None:
    """A number that begins at zero is at most a bound at every step, if it grows by at most as much as that."""
    after = {"next": f"{name}_next", "over_next": "xi past", "first": f"{name}_1", "last": f"{name}_last"}
    d.define(name, form, over="past", time="t", **after)
    granted(d, "empty sum", fact=f"{name} at the start", name=f"empty sum {name}", first=f"{name}_1")
    known = {**facts, name: "1", f"{name}_next": "-1"}
    step = {"keep": "1", "facts": known, "base": {f"{name} at the start": "-1"}}
    d.induction(f"bound of {name}", of=name, bound=bound, index="step", over="xi past", **step)


def about_conditional_means(bound: Bound, *, conditional: bool = True) -> Mapping[str, JSON]:
    """Lemma 4, (11), with an expectation on the right: |A + P|^2 <= 2|A|^2 + 2|P|^2, and the last noise splits off."""
    d = martingale("Lemma 4, conditional means", conditional=conditional)
    d.vector("A", "past t")
    right = text_of(bound.expression.subs(tau, sp.Symbol("step") + 1), {sum_of_means: "sq(A)"})
    room = text_of(bound.expression.coeff(sum_of_means) - 2)
    facts = {"variance": "1", "bound of N": "2", "N": "2"}
    d.combine("Lemma 4", f"{right} - sq(A + P + D)", over="xi past", facts=facts, squares=[["1", "A - P"], [room, "A"]])
    return d.concluding("Lemma 4")


def about_fixed_means(bound: Bound, *, random: bool = False) -> Mapping[str, JSON]:
    """Conditional means that are not random: E<A, P> <= 0, and no factor 2 is needed."""
    d = martingale("Lemma 4, fixed conditional means")
    d.vector("A", "past t" if random else "")
    d.combine("no cross terms", "dot(A, P) - dot(A, P1)", over="xi past", unfold="P1", relation="=")
    from_zero(d, "X", "dot(A, P)", "0", {"no cross terms": "1"})
    right = text_of(bound.expression.subs(tau, sp.Symbol("step") + 1), {sum_of_means: "sq(A)"})
    facts = {"variance": "1", "bound of N": "1", "N": "1", "bound of X": "2", "X": "2"}
    d.combine("Lemma 4", f"{right} - sq(A + P + D)", over="xi past", facts=facts)
    twice = "2*sq(A) + 2*(step + 1)*sigma**2 - sq(A + P + D)"
    squares = [["1", "A"]]
    d.combine("room", "(step + 1)*sigma**2")
    d.combine("with factors 2", twice, over="xi past", facts={"Lemma 4": "1", "room": "1"}, squares=squares)
    return d.concluding("Lemma 4", "with factors 2")


def no_cross_terms(bound: Bound, *, conditional: bool = True) -> Mapping[str, JSON]:
    """E|sum (Xi - xi)|^2 = sum E|Xi - xi|^2 <= tau sigma^2: the differences of E|P|^2 are added up over tau steps."""
    d = martingale("proof of Lemma 4, last display", conditional=conditional)
    facts = {"one more": "-1", "N": "-1", "N_next": "1"}
    d.combine("in numbers", "N_next - N - sq(D)", over="xi past", facts=facts, relation="=")
    d.telescope("summed", "in numbers", ["N"], "tau")
    facts = {"summed": "tau", "N at the start": "1"}
    d.combine("no cross terms", "N_last - tau*sq(D)", over="xi past t", facts=facts, relation="=")
    facts = {"no cross terms": "-1", "variance": "tau"}
    d.combine("the bound", f"{text_of(bound.expression)} - N_last", over="xi past t", facts=facts)
    return d.concluding("no cross terms", "the bound")
