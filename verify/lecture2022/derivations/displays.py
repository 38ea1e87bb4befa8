"""The displays of the proof of Theorem 1 as conclusions of the derivation in which they are nodes."""

from collections.abc import Mapping
from functools import cache

from fltheory.derivation.packs import UNBIASED
from fltheory.derivation.script import Derivation
from fltheory.derivation.segments import UPPER, along_a_segment
from fltheory.derivation.statement import Derived, ending
from fltheory.evidence.things import declare, granted
from fltheory.kinds import JSON
from fltheory.theory.bound import Bound
from fltheory.theory.lecture2022 import bounds
from verify.lecture2022.derivations import local_sgd
from verify.lecture2022.derivations.local_sgd import CHAIN, every, shown
from verify.lecture2022.derivations.theorem_1 import clients, lemma_1
from verify.lecture2022.derivations.words import form
from verify.lecture2022.displays import proof

#: Nodes beside those of every proof: with Lemma 1, and the sum over the steps.
MORE = {
    "(8)": bounds.one_step_with_drift,
    "dropped": proof.p_dropped,
    "divided": proof.p_final,
    "sum": proof.p_telescoped,
}


@cache
def _proof() -> Derivation:
    d = clients("Lecture note, proof of Theorem 1", "printed")
    lemma_1(d)
    local_sgd.displays(d)
    chain = dict.fromkeys(CHAIN, "s/2")
    shown(d, "(8)", MORE["(8)"], {"(7)": "1", **chain, "average drift": "s/2*L**2"})
    shown(d, "dropped", MORE["dropped"], {}, squares=[["s/2*(1 - s*L)", "mean(g_x, k)"]])
    shown(d, "divided", MORE["divided"], {"(8)": "2/s", "dropped": "2/s"})
    local_sgd.value_of_f(d)
    over, decrease = every(d), "Phi - Phi_next - (f_u - f_u1)"
    d.combine("decrease", decrease, over=over, facts={"Phi": "1", "Phi_next": "-1"}, relation="=")
    d.telescope("decreases", "decrease", ["Phi"], "T")
    local_sgd.ends_of_f(d)
    facts = {"decreases": "1", "gap": "1/T", "last value": "1/T"}
    d.combine("sum", form(MORE["sum"]), over=f"{over} t", facts=facts)
    return d


def display(name: str, stated: Bound) -> Derived:
    """A display from the node of this name, which it must be."""

    def last(d: Derivation) -> None:
        over = every(d) + " t" * (name == "sum")
        relation = "=" if stated.relation == "=" else ">="
        d.combine("the display", form(stated), over=over, facts={name: "1"}, relation=relation)

    return ending(_proof, last, "the display")


def descent(stated: Bound) -> Derived:
    """(1) from Lipschitz gradients of every client along the segment from u to u1, whatever was drawn."""

    def begun() -> Derivation:
        d = Derivation(f"Lecture note, {stated.source}")
        declare(d, "axes k xi past j; L > 0")
        declare(d, "u over past; u1 over xi past; g_u over k past; value f_u over k past; value f_u1 over k xi past")
        along_a_segment(d, "u", "u1", gradient="g_u", values="f_u f_u1", L="L", axes="k xi past")
        return d

    return ending(
        begun, lambda d: d.combine("the display", form(stated), over="k xi past j", facts=UPPER), "the display"
    )


def variances_of(*, centred: bool) -> Mapping[str, JSON]:
    """E|S/N|^2 = (1/N^2) sum E|n|^2 for S, the sum of N noises, each of which is centred given the sum of those before."""
    d = Derivation("Lecture note, noises of several clients")
    declare(d, "axes xi past t; N >= 1; S over past t")
    d.vector("n", "xi past t", mean=[["xi", "0", UNBIASED]] if centred else [])
    declare(d, "S1 over xi past t = S + n; next S = S1")
    d.combine("one more client", "sq(S1) - sq(S) - sq(n)", over="xi past", relation="=", unfold="S1")
    d.define("V", "sq(S)", over="past", time="t", next="V_next", over_next="xi past", first="V_1", last="V_all")
    granted(d, "empty sum", fact="no client yet", first="V_1")
    facts = {"one more client": "1", "V": "-1", "V_next": "1"}
    d.combine("in numbers", "V_next - V - sq(n)", over="xi past", facts=facts, relation="=")
    d.telescope("all clients", "in numbers", ["V"], "N")
    facts = {"all clients": "1/N", "no client yet": "1/N**2"}
    d.combine("variances", "V_all/N**2 - N*sq(n)/N**2", over="xi past t", facts=facts, relation="=")
    return d.concluding("variances")


def product(stated: Bound) -> Derived:
    """A display about two vectors a and h."""

    def begun() -> Derivation:
        d = Derivation(f"Lecture note, {stated.source}")
        declare(d, "a, h")
        return d

    return ending(begun, lambda d: d.combine("the display", form(stated, {}), relation="="), "the display")


def one_step_traded(stated: Bound) -> Derived:
    """One step for every factor c of the decrease above 2/(2 - sL), with what it costs in the drift."""

    def last(d: Derivation) -> None:
        d.parameter("c", "2/(2 - s*L)", low_open=True)
        facts, squares = local_sgd.traded("c")
        d.combine("the display", form(stated), over=every(d), facts=facts, squares=squares)

    return ending(_proof, last, "the display")
