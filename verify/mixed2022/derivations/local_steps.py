"""Local steps of a round of 1-way Gradient Transfer: Lemmas D.11 and D.13 of Mixed FL, by induction over the steps.

A local step is y' = y - eta (grad f_f(y) + z + grad f_c(x) + c); ``step`` counts the steps made, from 1 to K.
"""

from collections.abc import Mapping

import sympy as sp

from fltheory.derivation.packs import suppose
from fltheory.derivation.script import Derivation
from fltheory.derivation.statement import text_of
from fltheory.evidence.things import declare, granted
from fltheory.kinds import JSON
from fltheory.theory.bound import Bound
from fltheory.theory.mixed2022 import drift as displays
from fltheory.theory.mixed2022 import one_round
from verify.mixed2022.derivations.one_function import cocoercive, losses
from verify.mixed2022.derivations.one_round import AMOUNTS, near_the_optimum

#: Everything that is averaged over after a local step.
ALL = "k xi xc past"
#: Bounds of the sum of r^j over j < step, r = 1 + 1/K or (1 + 1/K)(1 + 1/(18 K))^2; (K + 1) times them is at most 2 K^2.
CONVEX_SUM = "(2*K*step/(2*K - step + 1))"
SMOOTH_SUM = "(step*(1 + (step - 1)/K*(5/9 + 1/(15*K) + (step - 2)/(3*K))))"
SMOOTH_GROWTH = "(1 + 1/(18*K))**2"
_LENGTH = "(g_x + gc_x)"


def local_steps(title: str, *, server: str, top: str | None) -> Derivation:
    """A round's model x, a local point y, its first value and one step of it, for steps up to ``top``."""
    d = losses(title)
    declare(d, "axes k xi xc past t; K >= 1; 1 <= step <= K over t, next step + 1; V, C, G2 >= 0")
    declare(d, "function ff, fc; x; y over k xc past t; ff at x, y; fc at x as fc_x, gc_x; G = g_x + gc_x")
    d.vector("c", "xc", mean=[["xc", "0", "unbiased central gradient"]])
    granted(d, "central variance", C="C", noise="c")
    steps_of_a_client(d, server, top)
    return d


def steps_of_a_client(
    d: Derivation, server: str, top: str | None, variance: str = "V", of: str = "g", central: str = "c"
) -> None:
    """Gradients ``of``_x and ``of``_y with noise z0 and z and the gradient of the centre, whose noise is ``central``."""
    d.parameter("eta_s", server, low_open=server == "0")
    d.parameter("eta", 0, top)
    declare(d, "z0 over k xi xc, mean 0 over xi; z over k xi xc past t, mean 0 over xi")
    declare(d, f"first over k xi xc = x - eta*({of}_x + z0 + gc_x + {central})")
    declare(d, f"y1 over k xi xc past t = y - eta*({of}_y + z + gc_x + {central}); next y = y1")
    granted(d, "squared gradient", G2="G2", gradient="G")
    granted(d, "bounded variance", sigma2=variance, noise="z")
    granted(d, "bounded variance", name="bounded variance at first", sigma2=variance, noise="z0")
    after = {"next": "Drift_next", "over_next": ALL, "first": "Drift_1"}
    d.define("Drift", "sq(y - x)", over="k xc past", time="t", **after)
    granted(d, "first local point", first="first", start="x", Drift_1="Drift_1")


def induction(d: Derivation, own: str, growth: str, total: str) -> None:
    """The drift at every step, from the fact ``own``: |y - x - eta (grad f_f(y) - grad f_f(x))|^2 <= growth |y - x|^2."""
    right = "eta**2*(G2 + C + V)"
    facts = {"bounded variance at first": "eta**2", "central variance": "eta**2", "squared gradient": "eta**2"}
    d.combine("first step", f"{right} - sq(first - x)", over="k xi xc", facts=facts, unfold="first G")
    pushed = "(K + 1)*eta**2"
    right = f"{pushed}*(G2 + C) + eta**2*V"
    facts = {own: "1 + 1/K", "bounded variance": "eta**2", "central variance": pushed, "squared gradient": pushed}
    squares = [["1/K", f"y - x - eta*(g_y - g_x) + K*eta*{_LENGTH} + K*eta*c"]]
    target = f"(1 + 1/K)*{growth}*sq(y - x) + {right} - sq(y1 - x)"
    d.combine("one step", target, over=ALL, facts=facts, squares=squares, unfold="y1 G")
    target = f"(1 + 1/K)*{growth}*Drift + {right} - Drift_next"
    facts = {"one step": "1", "Drift": f"(1 + 1/K)*{growth}", "Drift_next": "-1"}
    d.combine("recursion", target, over=ALL, facts=facts)
    base = {"first step": "1", "first local point": "1"}
    following = total.replace("step", "(step + 1)")
    d.combine("one more power", f"{following} - (1 + 1/K)*{growth}*{total} - 1")
    step = {"keep": f"(1 + 1/K)*{growth}", "facts": {"recursion": "1", "one more power": right}, "base": base}
    d.induction("every step", of="Drift", bound=f"{total}*({right})", index="step", over=ALL, **step)
    at_the_end = total.replace("step", "K")
    d.combine("sum at the end", f"(K + 1)*(2*K**2 - (K + 1)*{at_the_end})")
    d.combine("sum of the powers", f"2*K**2/(K + 1) - {total}", facts={"sum at the end": "1/(K + 1)**2"})


def conclude(d: Derivation, bound: Bound, name: str, *, every_point: bool = False) -> Mapping[str, JSON]:
    """From the drift at every step to the bound's own expression, in eta and K, for the mean over the points x^1..x^K.

    ``every_point``: for each of them.
    """
    given = sp.expand(bound.expression.subs(one_round.e, one_round.K * one_round.eta * one_round.eta_s))
    spent = 2 * one_round.K**2 * one_round.eta**2
    gap, gradient = given.coeff(one_round.gap) / (4 * one_round.beta), given.coeff(one_round.G2) - spent
    facts = {"every step": "1", "sum of the powers": "eta**2*((K + 1)*(G2 + C) + V)"}
    facts["squared gradient"] = text_of(-spent)
    if gap:
        facts["D.6"] = text_of(gap)
    squares = [[text_of(gap + gradient), _LENGTH]]
    d.combine(
        "at every point", f"{text_of(given, AMOUNTS)} - Drift", over=ALL, facts=facts, squares=squares, unfold="G"
    )
    if every_point:
        return d.concluding("at every point")
    d.combine(name, f"{text_of(given, AMOUNTS)} - mean(Drift, t)", over=f"{ALL} t", facts={"at every point": "1"})
    return d.concluding(name)


def sum_at_most(factor: str) -> Mapping[str, JSON]:
    """1 + r + ... + r^(step-1) <= factor K for r = 1 + 1/K, step <= K."""
    d = Derivation("Mixed FL, Lemma D.11, geometric sum")
    declare(d, "axes t; K >= 1; 0 <= step <= K over t, next step + 1; s >= 0 over t, first 0, next 1 + (1 + 1/K)*s")
    d.define("Sum", "s", [], "t", "Sum_next", [], first="Sum_1")
    granted(d, "empty sum", fact="at the start", first="Sum_1")
    facts = {"Sum": "1 + 1/K", "Sum_next": "-1"}
    step = {"keep": "1 + 1/K", "facts": facts, "base": {"at the start": "-1"}}
    d.induction("every step", of="Sum", bound=CONVEX_SUM, index="step", **step)
    d.combine("the sum", f"{factor}*K - s", facts={"every step": "1", "Sum": "1"})
    return d.concluding("the sum")


def nonexpansive(d: Derivation, of: str = "ff") -> None:
    """A local step of a convex loss does not expand, for eta <= 2/beta."""
    for a, b in (("x", "y"), ("y", "x")):
        cocoercive(d, f"cocoercive from {a}", a, b, of=of)
    facts = dict.fromkeys(("cocoercive from x", "cocoercive from y"), "2*eta")
    squares = [["eta*(2/beta - eta)", "g_y - g_x"]]
    d.combine("nonexpansive", "sq(y - x) - sq(y - x - eta*(g_y - g_x))", facts=facts, squares=squares)


def lemma_d11(
    bound: Bound = displays.LEMMA_D11, *, top: str | None = "1/beta", every_point: bool = False
) -> Mapping[str, JSON]:
    """Lemma D.11 in its forms: a local step of a convex loss does not expand for eta <= 2/beta."""
    d = local_steps("Mixed FL, Lemma D.11", server="0", top=top)
    if one_round.gap in bound.expression.free_symbols:
        near_the_optimum(d)
        nonexpansive(d)
        induction(d, "nonexpansive", "1", CONVEX_SUM)
    else:
        at_every_step(d, convex=True)
    return conclude(d, bound, "Lemma D.11", every_point=every_point)


def at_every_step(d: Derivation, *, convex: bool) -> None:
    """The drift at every step for a smooth loss of the clients, ``convex`` or not."""
    if convex:
        suppose(d, "smooth", of="ff", L="beta")
        suppose(d, "convex", of="ff")
        nonexpansive(d)
        induction(d, "nonexpansive", "1", CONVEX_SUM)
    else:
        suppose(d, "Lipschitz gradients", of="ff", L="beta")
        expansion(d)
        induction(d, "expansion", SMOOTH_GROWTH, SMOOTH_SUM)


def without_client_noise(bound: Bound = displays.LEMMA_D11_EXACT) -> Mapping[str, JSON]:
    """Lemma D.11 for sigma = 0: after ``step`` steps the drift is at most step^2 eta^2 E|w|^2, by Young's inequality with step."""
    d = local_steps("Mixed FL, Lemma D.11 without client noise", server="0", top="2/beta")
    suppose(d, "smooth", of="ff", L="beta")
    suppose(d, "convex", of="ff")
    d.choose("V", "0")
    nonexpansive(d)
    unit = "eta**2*(G2 + C)"
    facts = {name: "eta**2" for name in ("bounded variance at first", "central variance", "squared gradient")}
    d.combine("first step", f"{unit} - sq(first - x)", over="k xi xc", facts=facts, unfold="first G")
    facts = {"nonexpansive": "1 + 1/step", "bounded variance": "eta**2"}
    facts |= dict.fromkeys(("central variance", "squared gradient"), "eta**2*(step + 1)")
    squares = [["1/step", f"y - x - eta*(g_y - g_x) + step*eta*{_LENGTH} + step*eta*c"]]
    target = f"(1 + 1/step)*sq(y - x) + (step + 1)*{unit} - sq(y1 - x)"
    d.combine("one step", target, over=ALL, facts=facts, squares=squares, unfold="y1 G")
    facts = {"one step": "1", "Drift": "1 + 1/step", "Drift_next": "-1"}
    d.combine("recursion", f"(1 + 1/step)*Drift + (step + 1)*{unit} - Drift_next", over=ALL, facts=facts)
    base = {"first step": "1", "first local point": "1"}
    growth = {"keep": "1 + 1/step", "facts": {"recursion": "1"}, "base": base}
    d.induction("every step", of="Drift", bound=f"step**2*{unit}", index="step", over=ALL, **growth)
    squares_so_far = "(step - 1)*step*(2*step - 1)/6"
    d.define("Sum", squares_so_far, [], "t", "Sum_next", [], first="Sum_1", last="Sum_end")
    d.combine("Sum >= 0", "Sum", facts={"Sum": "1"})
    d.combine("Sum_next is largest at the end", "K*(K + 1)*(2*K + 1)/6 - Sum_next", facts={"Sum_next": "-1"})
    d.end("at the start", "Sum >= 0", ["Sum"])
    d.end("at the end", "Sum_next is largest at the end", ["Sum"], last=True)
    facts = {"every step": "1", "Sum_next": unit, "Sum": f"-{unit}"}
    d.combine("in sums", f"{unit}*(Sum_next - Sum) - Drift", over=ALL, facts=facts)
    d.telescope("mean", "in sums", ["Sum"], "K")
    facts = {"mean": "1", "at the start": f"{unit}/K", "at the end": f"{unit}/K"}
    facts |= dict.fromkeys(("central variance", "squared gradient"), "0")
    d.combine("Lemma D.11", f"{text_of(bound.expression)} - mean(Drift, t)", over=f"{ALL} t", facts=facts)
    return d.concluding("Lemma D.11")


def geometric_sum(growth: str, factor: str = "2", *, whole: bool = True, top: str | None = "K") -> Mapping[str, JSON]:
    """s = 1 + r + ... + r^(step-1), r = 1 + growth/K: its closed form, and for step <= K the bounds (Q - 1)K and factor K.

    root^8 is Q = exp(growth) >= exp(growth/K)^step >= r^step, and Q <= 3, by tangents of the exponential.
    """
    d = Derivation(f"Mixed FL, geometric sum of the local steps{', bounds' if top else ''}")
    declare(d, "axes t; K >= 1")
    d.parameter("step", 0, top, varies="t", next="step + 1")
    r = f"(1 + {growth}/K)"
    d.parameter("power", 1, varies="t", next=f"{r if whole else f'({growth}/K)'}*power", first="1")
    d.parameter("s", 0, varies="t", next=f"1 + {r}*s", first="0")
    for name, sign in (("above", "1"), ("below", "-1")):
        form = f"{sign}*(s - (power - 1)*K/({growth}))"
        d.define(name, form, [], "t", f"{name}_next", [], first=f"{name}_1")
        granted(d, "empty sum", fact=f"{name} at the start", name=f"empty sum {name}", first=f"{name}_1")
        step = {"keep": r, "facts": {name: r, f"{name}_next": "-1"}, "base": {f"{name} at the start": "-1"}}
        d.induction(f"closed form from {name}", of=name, bound="0", index="step", **step)
    d.combine("at most", f"(power - 1)*K/({growth}) - s", facts={"closed form from above": "1", "above": "1"})
    d.combine("at least", f"s - (power - 1)*K/({growth})", facts={"closed form from below": "1", "below": "1"})
    if top is None:
        return d.concluding("at most", "at least")
    for name, moving in (("q", {}), ("root", {}), ("grown", {"varies": "t", "next": "q*grown", "first": "1"})):
        d.parameter(name, 1, **moving)
    d.exponential("one", "1", "0")
    for name, value, exponent in (
        ("q", "q", "1/K"),
        ("grown", "grown", "step/K"),
        ("root", "root", "1/8"),
        ("Q", "root**8", "1"),
    ):
        d.exponential(name, value, f"{growth}*{exponent}")
    d.tangent("ratio", above="q", at="one")
    d.define("Excess", "power - grown", [], "t", "Excess_next", [], first="Excess_1")
    granted(d, "empty sum", fact="equal", name="equal at first", first="Excess_1")
    step = {"keep": "q", "facts": {"ratio": "power", "Excess": "q", "Excess_next": "-1"}, "base": {"equal": "-1"}}
    d.induction("no less", of="Excess", bound="0", index="step", **step)
    d.tangent("all terms", above="Q", at="grown")
    d.combine("power", "root**8 - power", facts={"all terms": "1", "no less": "1", "Excess": "1"})
    d.combine("exponential", "(root**8 - 1)*K - s", facts={"at most": "1", "power": f"K/({growth})"})
    d.tangent("eighth root", above="one", at="root")
    most = f"(8/(8 - {growth}))"
    powers = " + ".join(f"{most}**{i + 1}*root**{7 - i}" for i in range(8))
    d.combine("at most 3", "3 - root**8", facts={"eighth root": powers})
    d.combine("bound", f"{factor}*K - (root**8 - 1)*K", facts={"at most 3": "K"})
    return d.concluding("at most", "at least", "exponential", "bound")


def expansion(d: Derivation) -> None:
    """A local step of a smooth loss expands by 1 + eta beta at most, for eta <= 1/(18 beta K)."""
    d.assume("Lipschitz gradients", "Lipschitz gradients", ["x", "y"])
    squares, facts = [["eta/beta", "beta*(y - x) + g_y - g_x"]], {"Lipschitz gradients": "eta**2 + eta/beta"}
    squares += [[f"{SMOOTH_GROWTH} - (1 + eta*beta)**2", "y - x"]]
    target = f"{SMOOTH_GROWTH}*sq(y - x) - sq(y - x - eta*(g_y - g_x))"
    d.combine("expansion", target, facts=facts, squares=squares)


def lemma_d13(bound: Bound = displays.LEMMA_D13, *, server: str = "1", limited: bool = True) -> Mapping[str, JSON]:
    """Lemma D.13 in its forms: a local step of a smooth loss expands by 1 + eta beta at most, for e at most 1/(18 beta)."""
    d = local_steps("Mixed FL, Lemma D.13", server=server, top="1/(18*beta*K*eta_s)" if limited else None)
    at_every_step(d, convex=False)
    return conclude(d, bound, "Lemma D.13")
