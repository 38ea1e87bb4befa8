"""Lemma 5.1 of FedLAMA line by line, for every schedule of layer-wise synchronisations.

All T tau local steps are one time.  A round begins at u and its client average is xbar, which a synchronisation of any layers
leaves as it is.  With G = grad F(u) the potential

    Psi = F(u) + <G, xbar - u> + L/2 |xbar - u|^2

is F at the start of a round; inside a round it moves with xbar, and where the round ends it is at least F(xbar), at which the
next one begins, because F is L-smooth.  Of its decrease a local step needs no more than

    |G|^2 <= (2/eta)(Psi - Psi') + L eta sigma^2/m + 5/2 L^2 mean |x_i - u|^2,    L eta <= 1/3,

with g the mean of the gradients: 2 <G + L(xbar - u), g> - L eta |g|^2 - |G|^2 + |g - G|^2 + 3/2 L^2 |xbar - u|^2 is
|2 g + 3 L(xbar - u)|^2/6 + (1/3 - L eta)|g|^2.  With tau >= 3 local steps L eta <= 1/3; with one all clients are at u; for
two see :mod:`verify.fedlama2021.derivations.two_local_steps`.
"""

from collections.abc import Mapping, Sequence

import sympy as sp

from fltheory.derivation.packs import UNBIASED, suppose
from fltheory.derivation.replay import Underivable
from fltheory.derivation.script import Derivation
from fltheory.derivation.statement import text_of
from fltheory.evidence.things import declare, granted
from fltheory.kinds import JSON
from fltheory.theory.bound import Bound
from fltheory.theory.fedlama2021 import lemma_5_1 as stated
from fltheory.theory.supposed import supposing_no_more

INSIDE, END = "a step inside a round", "the last step of a round"
OVER = "k xi past"
G, g = "mean(g_u, k)", "mean(g_x, k)"
_DEPENDENT = "without independence of the clients nothing is known of the variance of their mean noise"


DECREASE = {"Phi": "1", "Rest": "1", "Phi_next": "-1", "Rest_next": "-1"}


def ends_of_rest(factor: str) -> dict[str, str]:
    """Psi is F at both ends of the run."""
    return {"the first step begins a round": f"-{factor}", "the last step ends a round": factor}


def begun(title: str, local_steps: str, most: str | None = None) -> Derivation:
    """Axes, numbers and clients."""
    d = Derivation(f"FedLAMA, {title}")
    declare(d, "axes k xi past t; m, T >= 1")
    d.parameter("tau", local_steps, most)
    d.parameter("L", 0, low_open=True)
    return d


def hypotheses(d: Derivation) -> None:
    """Smooth clients."""
    d.parameter("sigma", 0)
    d.parameter("decrease")
    d.function("F", "k")
    suppose(d, "smooth", of="F", L="L")
    suppose(d, "Lipschitz gradients", of="F", L="L")


def run(title: str, *, alone: bool, independent: bool) -> Derivation:
    """T tau local steps with unbiased gradients of bounded variance; ``alone``: one local step, of clients that are at u."""
    d = begun(title, "1", "1") if alone else begun(title, "3")
    d.parameter("eta", 0, "1/(L*tau)", low_open=True)
    hypotheses(d)
    d.vector("u", "past t")
    d.vector("x", "k past t", equals="u" if alone else None)
    d.vector("xbar", "past t", equals="mean(x, k)")
    for point in ("u", "x"):
        d.point(point, "F", **({"gradient": "g_at_u", "value": "f_at_u"} if alone and point == "x" else {}))
    d.vector("G", "past t", equals=G)
    d.vector("noise", "k xi past t", mean=[["xi", "0", UNBIASED]])
    d.vector("xbar1", "xi past t", equals=f"xbar - eta*mean({'g_u' if alone else 'g_x'} + noise, k)")
    d.distinction("place", [INSIDE, END])
    d.vector("u1", "xi past t", equals={INSIDE: "u", END: "xbar1"})
    d.point("u1", "F")
    d.vector("G1", "xi past t", equals={INSIDE: "G", END: "mean(g_u1, k)"})
    declare(d, "next u = u1; next xbar = xbar1; next G = G1; next f_u = f_u1")
    suppose(d, "bounded variance", sigma2="sigma**2", noise="noise")
    d.assume("descent", "smooth", ["u", "u1"])
    d.assume("clients", "Lipschitz gradients", ["x", "u"])
    d.assume("variance", "bounded variance")
    if not independent:
        raise Underivable(_DEPENDENT)
    d.independent("variance of the mean", "variance", noise="noise", clients="k", total="V")
    granted(d, "equal weights", V="V", sigma="sigma", N="m")
    return d


def potential(d: Derivation) -> None:
    """Psi, and what it is after a step at most, in both cases."""
    psi, after = "dot(G, xbar - u) + L/2*sq(xbar - u)", "dot(G1, xbar1 - u1) + L/2*sq(xbar1 - u1)"
    most = "f_u + dot(G, xbar1 - u) + L/2*sq(xbar1 - u)"
    for case in (INSIDE, END):
        facts = {"facts": {"descent": "1"}, "unfold": "G1 u1 G", "case": case}
        d.combine(f"Psi at {case}", f"{most} - (f_u1 + {after})", over=OVER, **facts)
    d.cases("Psi after a step", "place", [f"Psi at {case}" for case in (INSIDE, END)])
    ends = {"over": "k past", "time": "t", "over_next": OVER}
    d.define("Phi", "f_u", next="Phi_next", first="Phi_first", last="Phi_last", **ends)
    d.define("Rest", psi, next="Rest_next", first="Rest_first", last="Rest_last", **ends)
    suppose(d, "gap at the start", name="decrease of F", gap="decrease", Phi_1="Phi_first", f_star="Phi_last")
    suppose(d, "empty sum", name="the first step begins a round", first="Rest_first")
    suppose(d, "empty sum", name="the last step ends a round", first="Rest_last")
    for name in ("decrease of F", "the first step begins a round", "the last step ends a round"):
        d.assume(name, name)


def a_local_step(d: Derivation, alone: bool) -> None:
    """What a local step needs of the decrease of Psi."""
    potential(d)
    noise = {"variance of the mean": "L*eta**2/2", "equal weights": "-L*eta**2/2"}
    facts = {**noise, "Psi after a step": "1", **DECREASE}
    if alone:
        squares = [["eta/2*(1 - L*eta)", G]]
    else:
        facts["clients"] = "eta/2"
        squares = [["eta/12", f"2*{g} + 3*L*(xbar - u)"], ["eta/2*(1/3 - L*eta)", g]]
        squares += [["eta/2", "g_x - g_u - mean(g_x - g_u, k)"], ["3/4*eta*L**2", "x - mean(x, k)"]]
    target = f"Phi + Rest - Phi_next - Rest_next - eta/2*sq({G}) + L*eta**2*sigma**2/(2*m) + 5/4*L**2*eta*sq(x - u)"
    d.combine("a local step", target, over=OVER, facts=facts, squares=squares, unfold="xbar1 xbar G" + " x" * alone)


def lemma(bound: Bound, *, alone: bool = False, independent: bool = True) -> Mapping[str, JSON]:
    """The lemma with F at the end of the last round, in the constants of the bound."""
    d = run(bound.name, alone=alone, independent=independent)
    a_local_step(d, alone)
    d.telescope("all local steps", "a local step", ["Phi", "Rest"], "T*tau")
    return conclude(
        d,
        bound,
        "(T*tau*m)*sq(x - u)",
        {"all local steps": "2*T/eta", "decrease of F": "2/(eta*tau)", **ends_of_rest("2/(eta*tau)")},
        unfold="x" if alone else "",
        cases=("tau",),
    )


def conclude(
    d: Derivation,
    bound: Bound,
    distances: str,
    facts: Mapping[str, str],
    *,
    unfold: str = "",
    cases: Sequence[str] = (),
) -> Mapping[str, JSON]:
    """The bound's own expression, under no more than it states; what it has beyond the sum over the steps are squares."""
    names: Mapping[sp.Basic, str] = {stated.drift: f"({distances})"}
    over = " ".join(d.state.axes)
    target = f"{text_of(bound.expression, names)} - T*sq({G})"
    d.combine("Lemma 5.1", target, over=over, facts=facts, unfold=unfold)
    return supposing_no_more(bound, d.concluding("Lemma 5.1"), cases=cases)


def one_round(bound: Bound, *, alone: bool = False, independent: bool = True) -> Mapping[str, JSON]:
    """The same for one round, of which the bound is."""
    d = run(bound.name, alone=alone, independent=independent)
    d.choose("T", "1")
    a_local_step(d, alone)
    d.telescope("all local steps", "a local step", ["Phi", "Rest"], "tau")
    names: Mapping[sp.Basic, str] = {stated.drift: "((tau*m)*sq(x - u))", stated.square: f"sq({G})"}
    target = f"{text_of(bound.expression, names)} - (Phi_last - Phi_first)"
    unfold = "x" if alone else ""
    d.combine(
        "one round",
        target,
        over=" ".join(d.state.axes),
        facts={"all local steps": "tau", **ends_of_rest("1")},
        unfold=unfold,
    )
    return supposing_no_more(bound, d.concluding("one round"), cases=("tau",))


def rounds(bound: Bound, *, independent: bool = True) -> Mapping[str, JSON]:
    """The lemma for half the step size: noise and gradients of a round apart, |a + b|^2 <= 2|a|^2 + 2|b|^2; then the rounds."""
    d = begun(bound.name, "1")
    declare(d, "axes j; 0 < eta <= 1/(2*L*tau)")
    hypotheses(d)
    declare(d, "u over past t; x over k j xi past t; F at u, x; noise over xi past t, mean 0 over xi")
    declare(d, "u1 over xi past t = u - eta*tau*(mean(g_x, k, j) + noise); F at u1; x_next over k j xi past t")
    declare(d, "next u = u1; next f_u = f_u1; next x = x_next")
    if not independent:
        raise Underivable(_DEPENDENT)
    suppose(d, "variance of a mean", V="sigma**2", K="m", S="tau", noise="noise")
    d.assume("descent", "smooth", ["u", "u1"])
    d.assume("clients", "Lipschitz gradients", ["x", "u"])
    d.assume("variance", "variance of a mean")
    over, apart = "k j xi past", "L*eta**2*tau**2"
    squares = [[f"{apart}/2", "mean(g_x, k, j) - noise"], ["eta*tau/2 - " + apart, "mean(g_x, k, j)"]]
    squares += [["eta*tau/2", "g_x - g_u - mean(g_x - g_u, k, j)"]]
    facts = {"descent": "1", "clients": "eta*tau/2", "variance": apart}
    target = f"f_u - f_u1 - eta*tau/2*sq({G}) + L*eta**2*tau*sigma**2/m + L**2*eta*tau/2*sq(x - u)"
    d.combine("a round", target, over=over, facts=facts, squares=squares, unfold="u1")
    ends = {"over": "k past", "time": "t", "over_next": over, "first": "Psi_first", "last": "Psi_last"}
    d.define("Psi", "f_u", next="Psi_next", **ends)
    suppose(d, "gap at the start", name="decrease of F", gap="decrease", Phi_1="Psi_first", f_star="Psi_last")
    d.assume("decrease", "decrease of F")
    d.define("distance", "sq(x - u)", over=over, time="t", next="distance_next", over_next=over)
    target = target.replace("f_u - f_u1", "Psi - Psi_next").replace("sq(x - u)", "distance")
    facts = {"a round": "1", "Psi": "1", "Psi_next": "-1", "distance": "L**2*eta*tau/2"}
    d.combine("in numbers", target, over=over, facts=facts)
    d.telescope("all rounds", "in numbers", ["Psi"], "T")
    return conclude(d, bound, "(T*tau*m)*distance", {"all rounds": "2*T/(eta*tau)", "decrease": "2/(eta*tau)"})


def noise_of_a_round(bound: Bound, *, independent: bool = True, centred: bool = True) -> Mapping[str, JSON]:
    """E|sum of all noises/m|^2 <= tau sigma^2/m: the noises of a step are centred given the sum of those before it."""
    d = Derivation(f"FedLAMA, {bound.name}")
    declare(d, "axes k xi past t; m, tau >= 1; sigma >= 0; S over past t")
    d.vector("noise", "k xi past t", mean=[["xi", "0", UNBIASED]] if centred else [])
    declare(d, "S1 over xi past t = S + mean(noise, k); next S = S1")
    granted(d, "bounded variance", fact="variance", sigma2="sigma**2", noise="noise")
    if not independent:
        raise Underivable(_DEPENDENT)
    d.independent("variance of the mean", "variance", noise="noise", clients="k", total="V")
    granted(d, "equal weights", V="V", sigma="sigma", N="m")
    facts = {"variance of the mean": "1", "equal weights": "-1"}
    d.combine("one more step", "sq(S) + sigma**2/m - sq(S1)", over="xi past", facts=facts, unfold="S1")
    d.define("W", "sq(S)", over="past", time="t", next="W_next", over_next="xi past", first="W_1", last="W_all")
    granted(d, "empty sum", fact="no step yet", first="W_1")
    facts = {"one more step": "1", "W": "1", "W_next": "-1"}
    d.combine("in numbers", "W + sigma**2/m - W_next", over="xi past", facts=facts)
    d.telescope("all steps", "in numbers", ["W"], "tau")
    facts = {"all steps": "tau", "no step yet": "-1"}
    d.combine("noise of a round", f"{text_of(bound.expression)} - W_all", over="xi past t", facts=facts)
    return d.concluding("noise of a round")


def telescoped(earlier: int = 0) -> Mapping[str, JSON]:
    """The changes of F over T rounds add up to the value after the last round, not ``earlier``, less the first."""
    if earlier:
        raise Underivable("a sum over all rounds ends at the value after the last one")
    d = Derivation("FedLAMA, sum of the decreases")
    declare(d, "axes xi past t; T >= 1")
    declare(d, "function F; u over past t; u1 over xi past t; F at u, u1; next u = u1; next f_u = f_u1")
    ends = {"over": "past", "time": "t", "over_next": "xi past", "first": "F_first", "last": "F_last"}
    d.define("Phi", "f_u", next="Phi_next", **ends)
    facts = {"Phi": "1", "Phi_next": "-1"}
    d.combine("in numbers", "f_u1 - f_u - (Phi_next - Phi)", over="xi past", facts=facts, relation="=")
    d.telescope("all rounds", "in numbers", ["Phi"], "T")
    target = "T*(f_u1 - f_u) - (F_last - F_first)"
    d.combine("the sum", target, over="xi past t", facts={"all rounds": "T"}, relation="=")
    return d.concluding("the sum")
