"""Lemma 8 of the elastic aggregation supplement, the drift of local steps, and the sums in its proof.

A local step is y' = y - eta_l (grad f_i(y) + z), from y = x; ``step`` counts the steps made, from 1 to K; r is phi eta_g and
eta_l = e/(K r).  A step of a convex loss does not expand, so that Young's inequality with K is all that adds up.
"""

from collections.abc import Mapping

import sympy as sp

from fltheory.derivation.packs import suppose
from fltheory.derivation.script import Derivation
from fltheory.derivation.statement import text_of
from fltheory.evidence.things import declare, granted
from fltheory.kinds import JSON
from fltheory.theory.bound import Bound
from fltheory.theory.supposed import supposing_no_more
from verify.elastic2023.derivations.lemma_7 import GAP, near_the_optimum
from verify.elastic2023.lemma_8.displays import A, D, E, G, sigma

ALL = "k xi past"
#: A bound of the sum of (1 + 1/K)^j over j < step.
_SUM = "(2*K*step/(2*K - step + 1))"


def local_steps(least: str, top: str | None, *, fewest: int = 1) -> Derivation:
    """The local points of all clients, their first values and one step, for phi eta_g from ``least`` on."""
    d = Derivation("Elastic aggregation, Lemma 8")
    declare(d, "axes k xi past t; beta > 0; 0 <= mu <= beta")
    for name, low in (("G", 0), ("B", 1), ("sigma", 0), ("K", fewest), ("A", 0)):
        d.parameter(name, low)
    d.parameter("r", least)
    d.parameter("e", 0, top)
    declare(d, "1 <= step <= K over t, next step + 1; let eta = e/(K*r)")
    declare(d, "function f over k; x, xs; y over k past t; f at x; f at xs, mean 0 over k; f at y")
    declare(d, "z0 over k xi, mean 0 over xi; z over k xi past t, mean 0 over xi")
    declare(d, "first over k xi = x - eta*(g_x + z0); y1 over k xi past t = y - eta*(g_y + z); next y = y1")
    suppose(d, "smooth", of="f", L="beta")
    suppose(d, "strongly convex", of="f", mu="mu")
    suppose(d, "bounded dissimilarity", of="f", G2="G**2", B2="B**2")
    for name, noise in (("noise", "z"), ("first noise", "z0")):
        granted(
            d, "bounded variance", fact=name, name=f"bounded variance of the {name}", sigma2="sigma**2", noise=noise
        )
    granted(d, "mean squared gradient", fact="squared gradients", form="A - sq(g_x)", over=["k"], relation="=")
    after = {"next": "Drift_next", "over_next": ALL, "first": "Drift_1"}
    d.define("Drift", "sq(y - x)", over="k past", time="t", **after)
    granted(d, "first local point", form="sq(first - x) - Drift_1", over=["k", "xi"], relation="=")
    return d


def no_expansion(d: Derivation) -> None:
    """A local step of a convex loss does not expand, for eta_l <= 2/beta."""
    for a, b in (("x", "y"), ("y", "x")):
        below = f"{b}_below"
        declare(d, f"{below} over k past t = {b} - (g_{b} - g_{a})/beta; f at {below}")
        d.assume(f"A4 below {b}", "smooth", [b, below])
        d.assume(f"A2 from {a}", "strongly convex", [a, below])
        target = f"f_{b} - f_{a} - dot(g_{a}, {b} - {a}) - sq(g_{b} - g_{a})/(2*beta)"
        facts = {f"A4 below {b}": "1", f"A2 from {a}": "1"}
        d.combine(f"interpolation from {a}", target, facts=facts, squares=[["mu/2", f"{below} - {a}"]], unfold=below)
    facts = dict.fromkeys(("interpolation from x", "interpolation from y"), "2*eta")
    squares = [["eta*(2/beta - eta)", "g_y - g_x"]]
    d.combine("no expansion", "sq(y - x) - sq(y - x - eta*(g_y - g_x))", facts=facts, squares=squares)


def every_step(d: Derivation) -> None:
    """E|y - x|^2 <= step 2K/(K + 1) ((K + 1) eta^2 A + eta^2 sigma^2), and its mean over the steps."""
    no_expansion(d)
    facts = {"first noise": "eta**2", "squared gradients": "eta**2"}
    d.combine("first step", "eta**2*(A + sigma**2) - sq(first - x)", over="k xi", facts=facts, unfold="first")
    right = "((K + 1)*eta**2*A + eta**2*sigma**2)"
    facts = {"no expansion": "1 + 1/K", "noise": "eta**2", "squared gradients": "(K + 1)*eta**2"}
    squares = [["1/K", "y - x - eta*(g_y - g_x) + K*eta*g_x"]]
    target = f"(1 + 1/K)*sq(y - x) + {right} - sq(y1 - x)"
    d.combine("one step", target, over=ALL, facts=facts, squares=squares, unfold="y1")
    facts = {"one step": "1", "Drift": "1 + 1/K", "Drift_next": "-1"}
    d.combine("recursion", f"(1 + 1/K)*Drift + {right} - Drift_next", over=ALL, facts=facts)
    d.combine("one more power", f"{_SUM.replace('step', '(step + 1)')} - (1 + 1/K)*{_SUM} - 1")
    base = {"first step": "1", "first local point": "1"}
    grow = {"keep": "1 + 1/K", "facts": {"recursion": "1", "one more power": right}, "base": base}
    d.induction("by induction", of="Drift", bound=f"{_SUM}*{right}", index="step", over=ALL, **grow)
    d.combine("chord", f"2*K*step/(K + 1) - {_SUM}")
    unit = f"(2*K/(K + 1)*{right})"
    d.define("Steps", "step*(step - 1)/2", [], "t", "Steps_next", [], first="Steps_1", last="Steps_end")
    d.combine("Steps >= 0", "Steps", facts={"Steps": "1"})
    d.combine("Steps_next is largest at the end", "K*(K + 1)/2 - Steps_next", facts={"Steps_next": "-1"})
    d.end("at the start", "Steps >= 0", ["Steps"])
    d.end("at the end", "Steps_next is largest at the end", ["Steps"], last=True)
    facts = {"by induction": "1", "chord": right, "Steps_next": unit, "Steps": f"-{unit}"}
    d.combine("in sums", f"{unit}*(Steps_next - Steps) - Drift", over=ALL, facts=facts)
    d.telescope("mean", "in sums", ["Steps"], "K")
    facts = {"mean": "1", "at the start": f"{unit}/K", "at the end": f"{unit}/K"}
    d.combine("drift", f"K*{right} - mean(Drift, t)", over=f"{ALL} t", facts=facts)


def lemma_8(bound: Bound, *, least: str = "1", top: str | None = "1/(8*(1 + B**2)*beta)") -> Mapping[str, JSON]:
    """A bound of a multiple of the drift as defined; what its constants have beyond the proof's goes to squares and numbers."""
    d = local_steps(least, top)
    every_step(d)
    near_the_optimum(d)
    given, names = sp.expand(bound.expression), {D: GAP}
    of = lambda term: text_of(sp.factor(given.coeff(term)))  # noqa: E731
    drift = text_of(bound.left.coeff(E))
    noise, gradients = f"({of(sigma**2)}) - ({drift})*K*eta**2", f"({drift})*K*(K + 1)*eta**2 - ({of(A)})"
    spread = of(G**2)
    relaxed = gradients if given.has(G) else "0"
    gap = f"({of(D)}) - 2*beta*B**2*({relaxed})"
    d.combine("noise term", f"({noise})*sigma**2")
    facts = {"drift": drift, "noise term": "1"}
    if given.has(G):
        d.combine("spread term", f"({spread} - ({relaxed}))*G**2")
        facts |= {
            "spread term": "1",
            "A1 relaxed": relaxed,
            "squared gradient": gap,
            "squared gradients": f"-({relaxed})",
        }
        squares = [[f"({gap})/(2*beta)", "mean(g_x, k)"]]
    else:
        d.combine("gradients term", f"-({gradients})*A")
        facts["gradients term"] = "1"
        squares = []
    target = f"{text_of(bound.expression, names)} - ({drift})*mean(Drift, t)"
    d.combine("Lemma 8", target, over=f"{ALL} t", facts=facts, squares=squares)
    return supposing_no_more(bound, d.concluding("Lemma 8"), cases=("B",), also=("B",))


def relaxed_dissimilarity(bound: Bound) -> Mapping[str, JSON]:
    """A1 in function values, as the proof uses it, for every e >= 0."""
    d = local_steps("1", None)
    near_the_optimum(d)
    weight = text_of(bound.left.coeff(A))
    rest = f"({text_of(sp.expand(bound.expression).coeff(D))}) - 2*beta*B**2*{weight}"
    d.combine("spread term", f"({text_of(sp.expand(bound.expression).coeff(G**2))} - {weight})*G**2")
    facts = {"A1 relaxed": weight, "squared gradient": rest, "squared gradients": f"-({weight})", "spread term": "1"}
    squares = [[f"({rest})/(2*beta)", "mean(g_x, k)"]]
    target = f"{text_of(bound.expression, {D: GAP})} - {weight}*A"
    d.combine("A1 inserted", target, over="k", facts=facts, squares=squares)
    return supposing_no_more(bound, d.concluding("A1 inserted"), cases=("B",), also=("B",))


def powers(growth: str, total: str, most: str, *, first: int = 0) -> Mapping[str, JSON]:
    """c^first + ... + c^(step - 1) <= ``total`` - first <= ``most``, first 0 or 1, c = 1 + ``growth``, 1 <= step <= K, K >= 2."""
    d = Derivation("Elastic aggregation, proof of Lemma 8, sum of the powers")
    declare(d, f"axes t; K >= 2; 1 <= step <= K over t, next step + 1; let c = 1 + {growth}")
    declare(d, "s >= 1 over t, first 1, next 1 + c*s")
    d.define("Sum", "s", [], "t", "Sum_next", [], first="Sum_1")
    granted(d, "one term", fact="at the start", form="Sum_1 - 1", relation="=")
    grow = {"keep": "c", "facts": {"Sum": "c", "Sum_next": "-1"}, "base": {"at the start": "-1"}}
    d.induction("every step", of="Sum", bound=total, index="step", **grow)
    d.combine("at most", f"({most}) - ({total}) + {first}")
    d.combine("the sum", f"({most}) - s + {first}", facts={"every step": "1", "Sum": "1", "at most": "1"})
    return d.concluding("the sum")


#: What a step adds in the proof's recursion.
ADDED = "(2*K*eta**2*A + eta**2*sigma**2)"


def unrolled(
    growth: str = "2/(K - 1)", *, first: int = 0, gradients: str = "1", least: str = "1", convex: bool = False
) -> Mapping[str, JSON]:
    """E|y - x|^2 <= (c^first + ... + c^(step - 1)) times what a step adds, c = 1 + ``growth``, K >= 2.

    By smoothness alone, or with ``convex`` losses, where a step does not expand.
    """
    d = local_steps(least, "1/(8*(1 + B**2)*beta)", fewest=2)
    declare(d, f"let c = 1 + {growth}; s >= 1 over t, first 1, next 1 + c*s")
    granted(d, "Lipschitz gradients", "x y", fact="A4", of="f", L="beta")
    facts, squares = {"first noise": "eta**2", "squared gradients": "2*K*eta**2"}, [["(2*K - 1)*eta**2", "g_x"]]
    d.combine("first step", f"{ADDED} - sq(first - x)", over="k xi", facts=facts, squares=squares, unfold="first")
    facts = {"noise": "eta**2", "squared gradients": "2*K*eta**2"}
    facts |= {"no expansion": "1 + 1/(2*K - 1)"} if convex else {"A4": "2*K*eta**2"}
    squares = [["1/(K - 1)", "y - x + (K - 1)*eta*g_y"], ["K*eta**2", "g_y - 2*g_x"]]
    squares += [[f"{growth} - 1/(K - 1) - 2*K*eta**2*beta**2", "y - x"]]
    if convex:
        no_expansion(d)
        squares = [["1/(2*K - 1)", "y - x - eta*(g_y - g_x) + (2*K - 1)*eta*g_x"]]
        squares += [[f"{growth} - 1/(2*K - 1)", "y - x"]]
    d.combine("one step", f"c*sq(y - x) + {ADDED} - sq(y1 - x)", over=ALL, facts=facts, squares=squares, unfold="y1")
    facts = {"one step": "1", "Drift": "c", "Drift_next": "-1"}
    d.combine("recursion", f"c*Drift + {ADDED} - Drift_next", over=ALL, facts=facts)
    base = {"first step": "1", "first local point": "1"}
    grow = {"keep": "c", "facts": {"recursion": "1"}, "base": base}
    d.induction("by induction", of="Drift", bound=f"s*{ADDED}", index="step", over=ALL, **grow)
    target = f"(s - {first})*({gradients})*{ADDED} - Drift"
    d.combine("unrolled", target, over=ALL, facts={"by induction": "1"})
    return d.concluding("unrolled")


def every_point(factor: str = "3", *, least: str = "1") -> Mapping[str, JSON]:
    """E|y - x|^2 <= factor K times what a step adds, at every step."""
    d = local_steps(least, "1/(8*(1 + B**2)*beta)")
    every_step(d)
    right = "((K + 1)*eta**2*A + eta**2*sigma**2)"
    d.combine("sum", f"2*K**2/(K + 1) - {_SUM}")
    d.combine("room", f"{factor}*K*{ADDED} - 2*K**2/(K + 1)*{right}")
    target = f"{factor}*K*{ADDED} - Drift"
    d.combine("every point", target, over=ALL, facts={"by induction": "1", "sum": right, "room": "1"})
    return d.concluding("every point")
