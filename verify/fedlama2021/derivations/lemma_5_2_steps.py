"""Steps of the printed proof of Lemma 5.2: noises add up, one step of it, and the sums over the local steps."""

from collections.abc import Mapping

import sympy as sp

from fltheory.derivation.packs import UNBIASED, suppose
from fltheory.derivation.script import Derivation
from fltheory.derivation.statement import text_of
from fltheory.evidence.things import declare, granted
from fltheory.kinds import JSON
from fltheory.theory.bound import Bound
from verify.fedlama2021.derivations.lemma_5_2 import begun
from verify.fedlama2021.lemma_5_2_displays import V


def client(title: str, *, centred: bool = True) -> Derivation:
    """One client after j steps from u: x = u - eta (a + j p), a the sum of its noises, p the mean of its gradients."""
    d = Derivation(title)
    declare(d, "axes xi past t; eta, sigma >= 0; steps >= 1; j >= 0 over t, next j + 1; u; a over past t")
    d.vector("noise", "xi past t", mean=[["xi", "0", UNBIASED]] if centred else [])
    declare(d, "a1 over xi past t = a + noise; next a = a1")
    d.combine("one noise more", "sq(a1) - sq(a) - sq(noise)", over="xi past", relation="=", unfold="a1")
    return d


def noises_add_up(bound: Bound, *, centred: bool = True) -> Mapping[str, JSON]:
    """(22): the expected square of a sum of noises is the sum of their expected squares."""
    d = client("FedLAMA, (22)", centred=centred)
    begun(d, "N", "sq(a)", "past", following="xi past", last="N_all")
    facts = {"one noise more": "1", "N": "-1", "N_next": "1"}
    d.combine("in numbers", "N_next - N - sq(noise)", over="xi past", facts=facts, relation="=")
    d.telescope("all noises", "in numbers", ["N"], "steps")
    facts = {"all noises": "steps", "N at the start": "1"}
    right = text_of(bound.expression, {V: "steps*sq(noise)"})
    d.combine("(22)", f"N_all - ({right})", over="xi past t", facts=facts, relation="=")
    return d.concluding("(22)")


def one_step(bound: Bound, *, centred: bool = True) -> Mapping[str, JSON]:
    """(23) with j in place of j - 1: noises and gradients apart, Jensen's inequality for the gradients; Q is
    their sum of squares."""
    d = client("FedLAMA, (23)", centred=centred)
    granted(d, "bounded variance", fact="variance", sigma2="sigma**2", noise="noise")
    declare(d, "g, p over past t; p1 over past t = (j*p + g)/(j + 1); next p = p1; value Q, Q1 over t; next Q = Q1")
    d.hypothesis("Q is the sum of the squared gradients", "Q1 - Q - sq(g)", over="past", relation="=")
    d.assume("one square more", "Q is the sum of the squared gradients")
    begun(d, "N", "sq(a)", "past", following="xi past")
    facts = {"one noise more": "-1", "variance": "1", "N": "1", "N_next": "-1"}
    d.combine("step of N", "N + sigma**2 - N_next", over="xi past", facts=facts)
    over = {"index": "j", "over": "xi past"}
    d.induction(
        "N at every step",
        of="N",
        bound="j*sigma**2",
        keep="1",
        facts={"step of N": "1"},
        base={"N at the start": "-1"},
        **over,
    )
    begun(d, "P", "j*sq(p) - Q", "past", following="past")
    squares = [["j/(j + 1)", "p - g"]]
    facts = {"P": "1", "P_next": "-1", "one square more": "1"}
    d.combine("step of P", "P - P_next", over="past", facts=facts, squares=squares, unfold="p1")
    d.induction(
        "P at every step", of="P", bound="0", keep="1", facts={"step of P": "1"}, base={"P at the start": "-1"}, **over
    )
    d.vector("x", "past t", equals="u - eta*(a + j*p)")
    facts = {"N at every step": "2*eta**2", "N": "2*eta**2", "P at every step": "2*eta**2*j", "P": "2*eta**2*j"}
    right = text_of(bound.expression)
    d.combine("(23)", f"{right} - sq(x - u)", over="xi past", facts=facts, squares=[["eta**2", "a - j*p"]], unfold="x")
    return d.concluding("(23)")


def later_sums(bound: Bound, factor: str) -> Mapping[str, JSON]:
    """Sum over j of ``factor`` times the sum S of the drifts before j, at most tau (tau - 1)/2 times the sum of
    all drifts."""
    d = Derivation("FedLAMA, sums of the drifts")
    declare(d, "axes t; tau >= 1; 0 <= j <= tau - 1 over t, next j + 1; eta, L >= 0")
    declare(d, "value D, S, S1, W, W1 over t; next S = S1; next W = W1")
    d.hypothesis("drifts are squares", "D")
    suppose(d, "so many in a round", name="S is the sum of the drifts", later="S1", earlier="S", number="D")
    d.hypothesis("W is the weighted sum", f"W1 - W - ({factor})*S", relation="=")
    for name in ("drifts are squares", "S is the sum of the drifts", "W is the weighted sum"):
        d.assume(name, name)

    def start(number: str, form: str, facts: Mapping[str, str], last: str | None = None) -> None:
        begun(d, number, form, "", following="", last=last)
        known = {number: "1", f"{number}_next": "-1", **facts}
        d.combine(f"step of {number}", f"{number} - {number}_next", facts=known)
        step = {"keep": "1", "facts": {f"step of {number}": "1"}, "base": {f"{number} at the start": "-1"}}
        d.induction(f"{number} at every step", of=number, bound="0", index="j", **step)

    start("Debt", "-S", {"S is the sum of the drifts": "1", "drifts are squares": "1"})
    d.combine("S >= 0", "S", facts={"Debt at every step": "1", "Debt": "1"})
    facts = {"S is the sum of the drifts": "j*(j + 1)/2", "drifts are squares": "j*(j + 1)/2"}
    facts |= {"W is the weighted sum": "-1", "S >= 0": f"j - ({factor})"}
    start("Z", "W - j*(j - 1)/2*S", facts)
    for number, form in (("All", "S"), ("Weighted", "W")):
        d.define(number, form, [], "t", f"{number}_next", [], last=f"{number}_all")
    facts = {"S is the sum of the drifts": "1", "S >= 0": "1", "drifts are squares": "1"}
    d.combine("S1 >= 0", "S1", facts=facts)
    facts = {"Z at every step": "1", "step of Z": "1", "Z_next": "1", "S1 >= 0": "tau*(tau - 1)/2 - j*(j + 1)/2"}
    facts |= {"All_next": "tau*(tau - 1)/2", "Weighted_next": "-1"}
    d.combine("in the end", "tau*(tau - 1)/2*All_next - Weighted_next", facts=facts)
    d.end("all", "in the end", ["All", "Weighted"], last=True)
    right = text_of(bound.expression, {sp.Symbol("S"): "All_all"})
    d.combine("the display", f"{right} - 4*eta**2*L**2*Weighted_all", facts={"all": "4*eta**2*L**2"})
    return d.concluding("the display")
