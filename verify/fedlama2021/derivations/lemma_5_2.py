"""Local steps of a round of FedLAMA, some layers averaged after each of them: the drift from the model at the start of the round.

After j steps a client is at x = u - eta (a + j q + j r): ``a`` is what is left of the noises, ``q`` of the client's gradients at
u, ``r`` of the changes of its gradients since u, the two as means over the steps.  A synchronisation replaces layers by their
average over the clients.  It leaves every average over the clients as it is and increases no mean square: that is all that is
supposed of it, so that any layer may be averaged at any time.  ``S`` is the sum of the squared drifts so far.
The noises are centred, so that a is orthogonal to q.
"""

from collections.abc import Mapping

import sympy as sp

from fltheory.derivation.packs import UNBIASED, suppose
from fltheory.derivation.script import Derivation
from fltheory.derivation.statement import text_of
from fltheory.evidence.things import declare, granted
from fltheory.kinds import JSON
from fltheory.theory.bound import Bound
from fltheory.theory.supposed import supposing_no_more
from verify.fedlama2021.lemma_5_2_displays import DISCREPANCY, A, G, beta_sq, eta, sigma, tau

CENTRED = "sums of centred noises are orthogonal to what the model u fixes"
#: Before and after a synchronisation: noises, gradients at u, changes of gradients.
_PARTS = (("noises", "a_own", "a1"), ("gradients at u", "q_own", "q1"), ("changes of gradients", "r_own", "r1"))
DRIFT = "drift of a round"


def feedback(c: str = "1") -> str:
    """What the sum of the drifts takes of itself."""
    return f"(1 + 1/{c})/2*eta**2*L**2*tau*(tau - 1)"


def total(c: str = "1") -> str:
    """What bounds the rest of it."""
    return f"(1 + {c})/2*eta**2*tau*(tau - 1)*(sigma**2 + (2*tau - 1)/3*sq(g_u))"


def local_steps(title: str, *, unbiased: bool = True, top: str | None = None) -> Derivation:
    """A round from u, the clients after j of its tau steps, and one step with a synchronisation of some layers."""
    d = Derivation(title)
    declare(d, "axes k xi past t; L > 0; tau >= 1")
    d.parameter("eta", 0, top, low_open=True)
    declare(d, "sigma, G2 >= 0; 0 <= j <= tau - 1 over t, next j + 1; function F over k; u; F at u")
    granted(d, "mean square", G2="G2", gradient="g_u")
    declare(d, "a over k past t; q over k t; r over k past t; x over k past t = u - eta*(a + j*q + j*r); F at x")
    d.vector("noise", "k xi past t", mean=[["xi", "0", UNBIASED]] if unbiased else [])
    declare(d, "a_own over k xi past t = a + noise; q_own over k t = (j*q + g_u)/(j + 1)")
    declare(d, "r_own over k past t = (j*r + g_x - g_u)/(j + 1)")
    for _, own, after in _PARTS:
        d.vector(after, sorted(d.state.vectors[own]["axes"]))
        d.next(after[0], after)
    declare(d, "x1 over k xi past t = u - eta*(a1 + (j + 1)*q1 + (j + 1)*r1); next x = x1")
    declare(d, "x_own over k xi past t = x - eta*(g_x + noise)")
    d.combine(
        "a step before it is synchronised",
        "sq(x_own - (u - eta*(a_own + (j + 1)*q_own + (j + 1)*r_own)))",
        over="k xi past",
        relation="=",
        unfold="x_own x a_own q_own r_own",
    )
    suppose(d, "Lipschitz gradients", of="F", L="L")
    suppose(d, "bounded variance", sigma2="sigma**2", noise="noise")
    d.assume("Lipschitz", "Lipschitz gradients", ["u", "x"])
    d.assume("variance", "bounded variance")
    for name, own, after in _PARTS:
        suppose(d, "averaged in part", name=f"some layers averaged, {name}", before=own, after=after)
        d.assume(f"averaged {name}", f"some layers averaged, {name}")
    granted(d, "centred", fact="no cross terms", name=CENTRED, sum="a", fixed="q")
    sums_so_far(d)
    return d


def begun(
    d: Derivation, number: str, form: str, over: str, *, following: str = "k xi past", last: str | None = None
) -> None:
    """A number along the steps that is 0 before the first one."""
    names = {"next": f"{number}_next", "over_next": following, "first": f"{number}_1", "last": last}
    d.define(number, form, over=over, time="t", **{key: item for key, item in names.items() if item is not None})
    granted(d, "empty sum", fact=f"{number} at the start", name=f"{number} before the first step", first=f"{number}_1")


def at_most_zero(d: Derivation, number: str, step: Mapping[str, str], *, keep: str = "1", bound: str = "0") -> None:
    """``number <= bound`` at every step, by induction with these facts about one step."""
    more = {"index": "j", "over": "k xi past", "base": {f"{number} at the start": "-1"}}
    d.induction(f"{number} at every step", of=number, bound=bound, keep=keep, facts=step, **more)


def sums_so_far(d: Derivation) -> None:
    """S, the sum of the drifts of the steps so far, is nonnegative and tau times their average in the end."""
    declare(d, "value S, S1 over t; next S = S1")
    ends = {"next": "Drift_next", "over_next": "k xi past"}
    d.define("Drift", "sq(x - u)", over="k past", time="t", **ends)
    suppose(d, "so many in a round", name="S is the sum of the drifts", later="S1", earlier="S", number="Drift")
    d.assume("one more drift", "S is the sum of the drifts")
    begun(d, "Total", "S", "", following="", last="Total_all")
    d.combine("a drift is a square", "Drift", over="k past", facts={"Drift": "1"}, squares=[["1", "x - u"]])
    begun(d, "Debt", "-S", "", following="")
    facts = {"Debt": "1", "Debt_next": "-1", "one more drift": "1", "a drift is a square": "1"}
    d.combine("one debt more", "Debt - Debt_next", over="k past", facts=facts)
    at_most_zero(d, "Debt", {"one debt more": "1"})
    facts = {"Debt at every step": "1", "Debt": "1", "one more drift": "1", "a drift is a square": "1"}
    d.combine("S1 >= 0", "S1", over="k xi past", facts=facts)
    facts = {"Total": "-1", "Total_next": "1", "one more drift": "1"}
    d.combine("in numbers", "Total_next - Total - Drift", facts=facts, relation="=")
    d.telescope("all steps", "in numbers", ["Total"], "tau")
    facts = {"all steps": "tau", "Total at the start": "1", "Drift": "tau"}
    d.combine("all drifts", "Total_all - tau*sq(x - u)", over="k past t", facts=facts, relation="=")


def drift(d: Derivation, c: str = "1") -> None:
    """The sum of the drifts, less :func:`feedback` of it, is at most :func:`total`; c weighs the changes of the gradients."""
    over = "k xi past"
    begun(d, "N", "sq(a)", "k past")
    facts = {"averaged noises": "1", "variance": "1", "N": "1", "N_next": "-1"}
    d.combine("one more noise", "N + sigma**2 - N_next", over=over, facts=facts, unfold="a_own")
    at_most_zero(d, "N", {"one more noise": "1"}, bound="j*sigma**2")
    begun(d, "Q", "sq(q) - sq(g_u)", "k")
    facts = {"averaged gradients at u": "1", "Q": "j/(j + 1)", "Q_next": "-1"}
    squares = [["j/(j + 1)**2", "q - g_u"]]
    d.combine("one more mean", "j/(j + 1)*Q - Q_next", over=over, facts=facts, squares=squares, unfold="q_own")
    at_most_zero(d, "Q", {"one more mean": "1", "Q": "0"}, keep="j/(j + 1)")
    begun(d, "R", "j*sq(r) - L**2*S", "k past")
    facts = {"averaged changes of gradients": "j + 1", "Lipschitz": "1", "R": "1", "R_next": "-1"}
    facts |= {"one more drift": "L**2", "Drift": "L**2"}
    squares = [["j/(j + 1)", "r - (g_x - g_u)"]]
    d.combine("one more change", "R - R_next", over=over, facts=facts, squares=squares, unfold="r_own")
    at_most_zero(d, "R", {"one more change": "1"})
    own, changes = f"(1 + {c})*eta**2", f"(1 + 1/{c})*eta**2"
    facts = {"N at every step": own, "N": own, "Q at every step": f"{own}*j**2", "Q": f"{own}*j**2"}
    facts |= {"no cross terms": f"-2*{own}*j", "R at every step": f"{changes}*j", "R": f"{changes}*j"}
    right = f"{own}*(j*sigma**2 + j**2*sq(g_u)) + {changes}*j*L**2*S"
    squares = [[f"eta**2/{c}", f"{c}*(a + j*q) - j*r"]]
    d.combine("drift of a step", f"{right} - sq(x - u)", over=over, facts=facts, squares=squares, unfold="x")
    so_far = f"j*(j - 1)/2*({changes}*L**2*S + {own}*(sigma**2 + (2*j - 1)/3*sq(g_u)))"
    begun(d, "Excess", f"S - {so_far}", "k")
    growth = f"{changes}*L**2*j*(j + 1)/2"
    facts = {"drift of a step": "1", "Excess": "1", "Excess_next": "-1", "Drift": "-1"}
    facts |= {"one more drift": f"{growth} - 1", "a drift is a square": growth}
    d.combine("excess of a step", "Excess - Excess_next", over=over, facts=facts)
    at_most_zero(d, "Excess", {"excess of a step": "1"})
    facts = {"Excess at every step": "1", "excess of a step": "1"}
    d.combine("Excess_next <= 0", "-Excess_next", over=over, facts=facts)
    facts = {"Excess_next <= 0": "1", "Excess_next": "1", "Total_next": f"{feedback(c)} - 1"}
    facts |= {"S1 >= 0": f"{feedback(c)} - {growth}", "mean square": f"{own}*j*(j + 1)*(2*j + 1)/6"}
    right = total(c).replace("sq(g_u)", "G2")
    d.combine("largest in the end", f"{right} - (1 - {feedback(c)})*Total_next", over=over, facts=facts)
    d.end("in the end", "largest in the end", ["Total"], last=True)
    facts = {"in the end": "1", "all drifts": f"1 - {feedback(c)}"}
    facts["mean square"] = f"-{own}*tau*(tau - 1)*(2*tau - 1)/6"
    d.combine(DRIFT, f"{total(c)} - (1 - {feedback(c)})*tau*sq(x - u)", over="k past t", facts=facts)


def lemma_5_2(bound: Bound, *, c: str = "1", top: str = "1", unbiased: bool = True) -> Mapping[str, JSON]:
    """Lemma 5.2 in its forms: the drift of a round over 1 - A, or over what the drift leaves of itself."""
    d = local_steps(f"FedLAMA, {bound.source}", unbiased=unbiased)
    if c == "c":
        d.parameter("c", 0, low_open=True)
    drift(d, c)
    declare(d, "beta_sq >= 1; kappa_sq >= 0")
    d.parameter("A", 0, top, high_open=True)
    suppose(d, "square of the step", name="A", A="A", eta="eta", L="L", tau="tau")
    suppose(d, "bounded dissimilarity", of="F", G2="kappa_sq", B2="beta_sq")
    d.assume("A", "A")
    d.assume("dissimilarity", "bounded dissimilarity", ["u"])
    d.scaled("A times drift", "A", "x - u")
    d.scaled("A times gradient", "A", "g_u")
    weight, given = sp.sympify(c), bound.expression
    noise = sp.cancel(given.diff(sigma, 2) / 2 / (eta**2 * tau * (tau - 1)))
    share, taken = sp.cancel(2 * noise / (1 + weight)), (1 + 1 / weight) / 4
    gradient = sp.cancel(given.diff(G) / beta_sq)
    top_of, below = sp.fraction(gradient)
    plain = sp.cancel(top_of.subs(A, DISCREPANCY) / below)  # A itself stands in the numerator at most once
    of_a = sp.cancel(top_of.diff(A) / below) if plain != gradient else sp.Integer(0)
    own = sp.cancel(noise * eta**2 * tau * (tau - 1) * (2 * tau - 1) / 3)
    facts = {DRIFT: text_of(share), "A times drift": text_of(share * tau * taken)}
    facts |= {"dissimilarity": text_of(gradient), "A times gradient": text_of(of_a)}
    squares = [[text_of(plain - own), "g_u"], [text_of(sp.cancel(tau * (share * (1 - taken * A) - 1))), "x - u"]]
    right = text_of(given, {G: "sq(mean(g_u, k))"})
    d.combine("Lemma 5.2", f"{right} - tau*sq(x - u)", over="k past t", facts=facts, squares=squares)
    return supposing_no_more(bound, d.concluding("Lemma 5.2"))
