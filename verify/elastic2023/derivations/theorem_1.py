"""A round of elastic aggregation from A1 to A4: the drift of the local steps, the update and what it does to the distance.

e is the effective step K phi eta_g eta_l, ``root`` is 1/(phi eta_g), at most 1, so that a local step is e root/K.  The cohort is
a uniform subset of ``size`` of N >= 2 clients, or all of them.  M2 stands for M^2 of Theorem I.
"""

from collections.abc import Mapping
from functools import cache

import sympy as sp

from fltheory.derivation.packs import suppose
from fltheory.derivation.script import Derivation
from fltheory.derivation.statement import text_of
from fltheory.evidence.things import declare, granted
from fltheory.kinds import JSON
from fltheory.theory.bound import Bound
from fltheory.theory.supposed import supposing_no_more
from verify.elastic2023 import rates

#: Everything that is averaged over in a round, and up to its end.
ALL = "k S j xi"
EVER = f"{ALL} past"
GAP = "(f_x - f_xs)"
#: What the recursions take off, and their noises: in e^2 M^2/(KS) and beta e^3 G^2, or beta and beta^2 times these.
DECREASE, LEVEL, DRIFTED = "7/5", "4", "9/2"
SMOOTH_DECREASE, SMOOTH_LEVEL, SMOOTH_DRIFTED = "1/3", "2", "5/4"
COHORTS = {"a cohort of at least two clients": "some", "all clients": "all"}
#: At least the variance of a cohort's mean in units of that of one client: (N - S)/(S (N - 1)) for N >= 2.
MISSING = "2*(1 - size/N)/size"
_DRIFT = "drift of a client"
_GROWTH = "(1 + 1/(16*K))**2"


@cache
def drift_of_a_client() -> Mapping[str, JSON]:
    """The mean of |y - x|^2 over the K points at which gradients are taken is at most 2 K^2 eta^2 (|grad f(x)|^2 + sigma^2/K).

    A local step is y' = y - eta (grad f(y) + z); nothing is convex; eta is at most 1/(16 beta K).
    """
    d = Derivation("Elastic aggregation, drift of a client")
    declare(d, "beta > 0; axes xi past t; K >= 1; 0 <= step <= K - 1 over t, next step + 1; V, G2 >= 0")
    declare(d, "0 <= eta <= 1/(16*beta*K)")
    declare(d, "function h; x over nothing; h at x; y over past t; h at y; y0 = x; z over xi past t, mean 0 over xi")
    declare(d, "y1 over xi past t = y - eta*(g_y + z); next y = y1")
    suppose(d, "squared gradient", G2="G2", gradient="g_x")
    suppose(d, "bounded variance", sigma2="V", noise="z")
    suppose(d, "Lipschitz gradients", of="h", L="beta")
    for name in ("squared gradient", "bounded variance"):
        d.assume(name, name)
    d.assume("Lipschitz gradients", "Lipschitz gradients", ["x", "y"])
    squares = [["eta/beta", "beta*(y - x) + g_y - g_x"], [f"{_GROWTH} - (1 + eta*beta)**2", "y - x"]]
    facts = {"Lipschitz gradients": "eta**2 + eta/beta"}
    d.combine("expansion", f"{_GROWTH}*sq(y - x) - sq(y - x - eta*(g_y - g_x))", facts=facts, squares=squares)
    over, growth = "xi past", f"(1 + 1/K)*{_GROWTH}"
    d.define("Drift", "sq(y - x)", over="past", time="t", next="Drift_next", over_next=over, first="Drift_1")
    granted(d, "empty sum", fact="first", name="the first point is x", first="Drift_1")
    right = "(K + 1)*eta**2*G2 + eta**2*V"
    facts = {"expansion": "1 + 1/K", "bounded variance": "eta**2", "squared gradient": "(K + 1)*eta**2"}
    squares = [["1/K", "y - x - eta*(g_y - g_x) + K*eta*g_x"]]
    d.combine(
        "one step", f"{growth}*sq(y - x) + {right} - sq(y1 - x)", over=over, facts=facts, squares=squares, unfold="y1"
    )
    facts = {"one step": "1", "Drift": growth, "Drift_next": "-1"}
    d.combine("recursion", f"{growth}*Drift + {right} - Drift_next", over=over, facts=facts)
    longer = "((step + 1)*(1 + step/K*(19/32 + 1/(12*K) + (step - 1)/(3*K))))"
    total = f"(({longer} - 1)/({growth}))"
    d.combine("one more power", f"{total.replace('step', '(step + 1)')} - {growth}*{total} - 1")
    step = {"keep": growth, "facts": {"recursion": "1", "one more power": right}, "base": {"first": "-1"}}
    d.induction("every step", of="Drift", bound=f"{total}*({right})", index="step", over=over, **step)
    d.combine("sum of the powers", f"2*K**2/(K + 1) - {total}")
    facts = {"every step": "1", "Drift": "1", "sum of the powers": right, "squared gradient": "-2*K**2*eta**2"}
    whole = "2*K**2*eta**2*(sq(g_x) + V/K) - sq(y - x)"
    d.combine("at every point", whole, over=over, facts=facts)
    d.combine(_DRIFT, whole, over=f"{over} t", facts={"at every point": "1"})
    return d.concluding(_DRIFT)


def a_round(title: str, cohort: str, *, strongly: bool | None = None, least: str = "0", steps: str = "8") -> Derivation:
    """x' = x - e (C + M + n): the clients' gradients at x, what they change by at the local points, and the noise.

    ``strongly``: convex with mu > 0 or mu >= 0, or None: nothing is convex.  ``steps``: e is at most 1/(steps (1 + B^2) beta).
    """
    d = Derivation(f"Elastic aggregation, {title}, {cohort} clients")
    kinds = ("clients", "cohort", "steps", "noise", "past", "time")
    for axis, kind in zip((*ALL.split(), "past", "t"), kinds, strict=True):
        if axis != "S" or cohort == "some":
            d.axis(axis, kind)
    at = "past t"
    d.parameter("beta", 0, low_open=True)
    if strongly is not None:
        d.parameter("mu", 0, "beta", low_open=strongly)
    d.parameter("B", 1)
    if cohort == "some":
        d.parameter("N", 2)
    d.parameter("size", 1, "N" if cohort == "some" else None)
    declare(d, f"K >= 1; V, G >= 0; 0 < root <= 1; 0 < e <= 1/({steps}*(1 + B**2)*beta); function f over k")
    d.vector("x", at)
    declare(d, f"y over k j xi {at}; f at x, y; h over k xi {at} = mean(g_y - g_x, j)")
    drawn = "S" if cohort == "some" else ""
    for name, of, axes in (("C", "g_x", ""), ("M", "h", "xi")):
        if drawn:
            d.cohort(name, of=of, clients="k", axis="S", scheme="without replacement", size="size", count="N")
        else:
            d.vector(name, f"{axes} {at}", equals=f"mean({of}, k)")
    declare(d, f"n over {drawn} xi {at}, mean 0 over xi; x1 over {drawn} xi {at} = x - e*(C + M + n); next x = x1")
    suppose(d, "Lipschitz gradients", of="f", L="beta")
    suppose(d, "variance of a mean", V="V", K="K", S="size", noise="n")
    suppose(d, "bounded dissimilarity", of="f", G2="G**2", B2="B**2")
    d.assume("variance", "variance of a mean")
    d.assume("A1", "bounded dissimilarity", ["x"])
    d.assume("Lipschitz gradients", "Lipschitz gradients", ["x", "y"])
    d.lemma("local steps", drift_of_a_client())
    names = {
        "past": "xi",
        "t": "j",
        "beta": "beta",
        "K": "K",
        "V": "V",
        "eta": "e*root/K",
        "h": "f",
        "x": "x",
        "y": "y",
    }
    known = {"Lipschitz gradients": "Lipschitz gradients"}
    d.apply("drift", "local steps", _DRIFT, names=names, hypotheses=known)
    d.parameter("M2", 0)
    missing = " - K*(1 - size/N)*G**2" if drawn else ""
    granted(d, "M2 is the level of the noise", fact="level", form=f"M2 - V*(1 + size*root**2){missing}", relation="=")
    the_update(d, cohort)
    return d


def all_of(d: Derivation, axes: str = EVER) -> str:
    """The axes that there are."""
    return " ".join(axis for axis in axes.split() if axis in d.state.axes)


def the_update(d: Derivation, cohort: str) -> None:
    """|x' - x|^2 <= e^2 (2 |C|^2 + 3 beta^2 E + 2 sigma^2/(KS)), where |C|^2 and the drift E are told by the gradients at x."""
    squares = [["1", "g_y - g_x - mean(g_y - g_x, j)"]]
    facts = {"Lipschitz gradients": "1"}
    d.combine("changes", "beta**2*sq(y - x) - sq(h)", over="j", facts=facts, squares=squares, unfold="h")
    share = "((N - size)/(size*(N - 1)))"
    if cohort == "some":
        facts, squares = {"changes": "1", "M": "-1"}, [[f"1 - {share}", "h - mean(h, k)"]]
        d.combine("cohort's changes", "beta**2*sq(y - x) - sq(M)", over=all_of(d, ALL), facts=facts, squares=squares)
        target = f"(1 + B**2)*sq(mean(g_x, k)) + {MISSING}*G**2 - sq(C)"
        squares = [[f"1 + B**2 - (1 - {share}) - {share}*B**2", "mean(g_x, k)"]]
        d.combine("cohort's gradients", target, over="k S", facts={"C": "-1", "A1": share}, squares=squares)
    else:
        squares = [["1", "h - mean(h, k)"]]
        target = "beta**2*sq(y - x) - sq(M)"
        d.combine("cohort's changes", target, over=all_of(d, ALL), facts={"changes": "1"}, squares=squares, unfold="M")
        squares = [["B**2", "mean(g_x, k)"]]
        d.combine("cohort's gradients", "(1 + B**2)*sq(mean(g_x, k)) - sq(C)", over="k", squares=squares, unfold="C")
    target = "e**2*(2*sq(C) + 3*beta**2*sq(y - x) + 2*V/(K*size)) - sq(x1 - x)"
    facts = {"cohort's changes": "3*e**2", "variance": "2*e**2"}
    squares = [["e**2", "C - M"], ["e**2", "M - n"]]
    d.combine("update", target, over=all_of(d, ALL), facts=facts, squares=squares, unfold="x1")


def convexity(d: Derivation) -> None:
    """x*, Lemma 5 at the local points, and |grad f(x)|^2 <= 2 beta (f(x) - f*)."""
    declare(d, "xs; f at xs, mean 0 over k")
    suppose(d, "smooth", of="f", L="beta")
    suppose(d, "convex", of="f")
    suppose(d, "strongly convex", of="f", mu="mu")
    d.assume("A4", "smooth", ["y", "x"])
    d.assume("A2", "strongly convex", ["y", "xs"])
    target = f"dot(g_y, x - xs) - {GAP} - mu/4*sq(x - xs) + beta*sq(y - x)"
    squares = [["mu/4", "xs - y + x - y"], ["(beta - mu)/2", "x - y"]]
    d.combine("Lemma 5", target, facts={"A4": "1", "A2": "1"}, squares=squares)
    declare(d, "below over k past t = x - (g_x - g_xs)/beta; f at below")
    d.assume("A4 at x", "smooth", ["x", "below"])
    d.assume("convex at x*", "convex", ["xs", "below"])
    target = f"{GAP} - dot(g_xs, x - xs) - sq(g_x - g_xs)/(2*beta)"
    d.combine("interpolation", target, facts={"A4 at x": "1", "convex at x*": "1"}, unfold="below")
    squares = [["1", "g_x - g_xs - mean(g_x - g_xs, k)"]]
    d.combine(
        "near x*", f"2*beta*{GAP} - sq(mean(g_x, k))", over="k", facts={"interpolation": "2*beta"}, squares=squares
    )


def convex_round(d: Derivation, cohort: str) -> None:
    """|x' - x*|^2 <= (1 - mu e/2)|x - x*|^2 - 7/5 e (f(x) - f*) + 4 e^2 M^2/(KS) + 9/2 beta e^3 G^2, as "recursion"."""
    convexity(d)
    drift = "(2*e*beta + 3*e**2*beta**2)"
    spent = f"2*{drift}*e**2*root**2"
    mean = f"(2*e**2*(1 + B**2) + {spent}*B**2)"  # of |grad f(x)|^2
    facts = {
        "update": "1",
        "Lemma 5": "2*e",
        "drift": drift,
        "cohort's gradients": "2*e**2",
        "A1": spent,
        "near x*": mean,
    }
    whole = f"(1 - mu*e/2)*sq(x - xs) - {DECREASE}*e*{GAP} + {DRIFTED}*beta*e**3*G**2 - sq(x1 - xs)"
    gap = f"(3/5*e - 2*beta*{mean})"
    d.combine("minimum", GAP, over="k", facts={"near x*": "1/(2*beta)"}, squares=[["1/(2*beta)", "mean(g_x, k)"]])
    unfold = "x1 h M C" if cohort == "all" else "x1 h"
    target = f"{whole} + e**2*{noise_in_full(cohort)}"
    d.combine("recursion in full", target, over=all_of(d, ALL), facts={**facts, "minimum": gap}, unfold=unfold)
    facts = {"recursion in full": "1", "level": f"{LEVEL}*e**2/(K*size)"}
    d.combine("recursion", f"{whole} + {LEVEL}*e**2*M2/(K*size)", over=all_of(d, ALL), facts=facts)


def noise_in_full(cohort: str) -> str:
    """The noise of a round in e^2, variance and dissimilarity apart."""
    missing = f" + 2*{MISSING}*G**2" if cohort == "some" else ""
    return f"(2*V*(1 + size*root**2)/(K*size){missing})"


def smooth_round(d: Derivation, cohort: str) -> None:
    """f(x') <= f(x) - e/3 |grad f(x)|^2 + 2 beta e^2 M^2/(KS) + 5/4 beta^2 e^3 G^2, as "recursion": A4 and the update."""
    suppose(d, "smooth", of="f", L="beta")
    d.point("x1", "f")
    d.assume("descent", "smooth", ["x", "x1"])
    drift = "(e*beta**2/2 + 3/2*e**2*beta**3)"
    spent = f"2*{drift}*e**2*root**2"
    mean = f"(beta*e**2*(1 + B**2) + {spent}*B**2)"
    facts = {
        "descent": "1",
        "update": "beta/2",
        "changes": "e/2",
        "drift": drift,
        "cohort's gradients": "beta*e**2",
        "A1": spent,
    }
    facts["level"] = f"{SMOOTH_LEVEL}*beta*e**2/(K*size)"
    whole = f"f_x - {SMOOTH_DECREASE}*e*sq(mean(g_x, k)) + {SMOOTH_LEVEL}*beta*e**2*M2/(K*size)"
    target = f"{whole} + {SMOOTH_DRIFTED}*beta**2*e**3*G**2 - f_x1"
    squares = [
        ["e/2", "mean(g_x, k) + mean(h, k)"],
        ["e/2", "h - mean(h, k)"],
        [f"e/2 - {SMOOTH_DECREASE}*e - {mean}", "mean(g_x, k)"],
    ]
    d.combine(
        "recursion",
        target,
        over=all_of(d, ALL),
        facts=facts,
        squares=squares,
        unfold="x1 M C" if cohort == "all" else "x1",
    )


def recursion(bound: Bound, cohort: str, *, smooth: bool) -> Mapping[str, JSON]:
    """The recursion of a round as a bound's own expression."""
    d = a_round("one round", cohort, strongly=None if smooth else False)
    (smooth_round if smooth else convex_round)(d, cohort)
    measured, text, least = (rates.q2, "sq(mean(g_x, k))", SMOOTH_DECREASE) if smooth else (rates.gap, GAP, DECREASE)
    names = {measured: text, rates.M**2: "M2", rates.S: "size", rates.w2: "sq(x - xs)"}
    expression = sp.expand(bound.expression)
    rest = f"({text_of(-expression.coeff(measured))})"
    room = f"({least}*e - {rest})"
    facts = {"recursion": "1"} | ({} if smooth else {"minimum": room})
    squares = [[room, "mean(g_x, k)"]] if smooth else []
    start, end = ("f_x + ", "f_x1") if smooth else ("", "sq(x1 - xs)")
    target = f"{start}{text_of(expression, names)} - {end}"
    d.combine("as stated", target, over=all_of(d, ALL), facts=facts, squares=squares)
    return supposing_no_more(bound, d.concluding("as stated"), cases=("B", "size"), also=("B",))
