"""Definition 4.2 of Augenstein et al. (2022): what G and B are, which pairs exist, and the least ones of quadratics.

The left side is |grad f|^2 + |w_c grad f_f - w_f grad f_c|^2/(w_f w_c).  On quadratics with u = x - x*, R = w_c H_f - w_f H_c
and a = grad f_f(x*), a pair is admissible exactly when |R u + a|^2 <= w_f w_c (G^2 + (B^2 - 1)|H u|^2) for all u.
"""

from __future__ import annotations

from fractions import Fraction

import sympy as sp

from fltheory.derivation.packs import suppose
from fltheory.derivation.script import Derivation
from fltheory.derivation.statement import text_of
from fltheory.derivation.witness import FiniteInstance
from fltheory.evidence.algebra import statement_in_mean
from fltheory.evidence.in_mean import InMean, use
from fltheory.evidence.kinds import definition_claim, identity_claim, inequality_claim, run_script
from fltheory.evidence.model import Rung, Tightness
from fltheory.theory.mixed2022.definitions import DECOMPOSITION
from fltheory.theory.notation import NormSq
from verify.mixed2022.displays import constants, displayed

HALF = Fraction(1, 2)
TEXT = r"\frac{\|\nabla f_f\|^2}{w_f}+\frac{\|\nabla f_c\|^2}{w_c}"
#: 1/(w_f w_c), and the point of the instance at which the least G^2 is needed.
W1, V = "1/(wf*(1 - wf))", Fraction(3, 20000)


def both_gradients() -> Derivation:
    """Gradients of f_f and f_c at a point, and their weights."""
    d = Derivation("Mixed FL, Definition 4.2")
    d.parameter("wf", 0, 1, low_open=True, high_open=True)
    for name in ("a", "b"):
        d.vector(name)
    return d


def of_norms(expression: sp.Expr) -> str:
    return text_of(expression, {node: f"sq({sp.sstr(node.args[0])})" for node in expression.atoms(NormSq)})


decomposition = displayed(
    "MX-DEF42.1",
    both_gradients,
    f"{of_norms(DECOMPOSITION.left)} = {of_norms(DECOMPOSITION.expression)}",
    headline="The definition's left side is the squared mixed gradient plus the spread of both parts",
    names={},
    instance=lambda: constants({"a": 1, "b": -2}, {"wf": Fraction(73, 100)}),
    at="gradients 1, -2, w_f = 73/100",
    statement=DECOMPOSITION,
    group=identity_claim,
    method="Expansion.",
    valid_for="all gradients, 0 < w_f < 1",
    source="Definition 4.2",
    summary="The left side of the definition exceeds |grad f|^2 by the weighted spread of the two gradients: B >= 1 is no "
    "restriction, B = 1 makes G^2 the largest spread, and G = 0 forces w_c grad f_f = w_f grad f_c wherever grad f = 0.",
    false={"weights exchanged inside the square": ("sq(a*(1 - wf) - b*wf)", "sq(a*wf - b*(1 - wf))")},
)


def quadratics() -> Derivation:
    """f = H_f u and c = H_c u at x* + u, where grad f_f(x*) = a, with p = P^(1/2) u and q = P^(1/2) v; fv, cv are f, c at u = v."""
    d = Derivation("Mixed FL, Definition 4.2 on quadratics")
    d.parameter("wf", 0, 1, low_open=True, high_open=True)
    d.parameter("B2", 1)
    for name in ("a", "f", "c", "p", "fv", "cv", "q"):
        d.vector(name)
    for at, root in {"": "p", "v": "q"}.items():
        d.vector(f"R{at}", equals=f"(1 - wf)*f{at} - wf*c{at}")
        d.hypothesis(f"P v = R a, times {at or 'u'}", f"dot(R{at}, a) - dot({root}, q)", relation="=")
        whole = f"wf*(1 - wf)*(B2 - 1)*sq(f{at} + c{at})"
        d.hypothesis(f"P, at {at or 'u'}", f"sq({root}) - {whole} + sq(R{at})", relation="=")
        for name in (f"P v = R a, times {at or 'u'}", f"P, at {at or 'u'}"):
            d.assume(name, name)
    return d


LEAST = "(sq(a) + sq(q))/(wf*(1 - wf))"
least_G = displayed(
    "MX-DEF42.2",
    quadratics,
    f"sq(f + a)/wf + sq(c - a)/(1 - wf) <= {LEAST} + B2*sq(f + c); "
    f"sq(fv + a)/wf + sq(cv - a)/(1 - wf) = {LEAST} + B2*sq(fv + cv); {LEAST} >= sq(a)/(wf*(1 - wf))",
    prose="p = P^(1/2)u, q = P^(1/2)v, R and P symmetric; the limit for large B: v is of order 1/B^2, so "
    "that v^T P v goes to 0",
    headline="However large the slope, dissimilarity keeps a floor set by the gradients at the optimum",
    given=[
        {
            "facts": {"P v = R a, times u": "-2/(wf*(1 - wf))", "P, at u": "-1/(wf*(1 - wf))"},
            "squares": [[W1, "p - q"]],
        },
        {"facts": {"P v = R a, times v": "-2/(wf*(1 - wf))", "P, at v": "-1/(wf*(1 - wf))"}},
        {"squares": [[W1, "q"]]},
    ],
    names={
        "wf": "w_f",
        "1 - wf": "w_c",
        "f": "H_fu",
        "c": "H_cu",
        "sq(f + c)": r"\|Hu\|^2",
        "fv": "H_fv",
        "cv": "H_cv",
        "sq(fv + cv)": r"\|Hv\|^2",
        "sq(q)": r"a^\top RP^{+}Ra",
        "B2": "B^2",
    },
    # curvatures 1 and 3, so that P = 4 (B^2 - 1) - 1, which is 100^2, and u = v = 3/20000
    instance=lambda: constants(
        {"a": Fraction(-3, 2), "f": V, "c": 3 * V, "p": 100 * V, "fv": V, "cv": 3 * V, "q": 100 * V},
        {"wf": HALF, "B2": 1 + Fraction(10001, 4)},
    ),
    at="H_f = 1, H_c = 3, a = -3/2, w_f = 1/2, B^2 = 1 + 10001/4, u = v = 3/20000",
    says=r"P=w_fw_c(B^2-1)H^2-R^2\succeq0,\ R=w_cH_f-w_fH_c,\ Pv=Ra,\ a=\nabla f_f(x^*):\quad ",
    group=definition_claim,
    method="w_f w_c times the difference of the two sides at x* + u is |P^(1/2)(u - v)|^2.",
    valid_for="all quadratics with minimiser x*, all w_f, all B^2 for which P v = R a has a solution and P is positive "
    "semidefinite (for others no G exists)",
    source="Definition 4.2, on quadratics",
    summary="The least G for a given B on quadratics, attained at x* + v; whatever B, G^2 is at least |grad f_f(x*)|^2/(w_f w_c), "
    "which is the limit for large B.",
    tightness=Tightness(1.0, Rung.PROOF, "equality at u = v"),
    false={
        "G^2 times 0.99": (f"<= {LEAST} +", f"<= 99/100*{LEAST} +"),
        "floor times 1.05": (">= sq(a)", ">= 21/20*sq(a)"),
    },
)
least_B = statement_in_mean(
    "MX-DEF42-S1",
    InMean(
        "sq(f + a)/w + sq(c - a)/(1 - w) <= (1 + 1/delta)/(w*(1 - w))*sq(a) + (1 + delta)/w*sq(f + c) for 0 < w <= 1/2; delta > 0",
        things="f; c; a",
        uses=[use("<H_f u, H_c u> >= 0", form="dot(f, c)", times="2*(1 + delta)/w")],
        squares=[
            ("1/(w*delta)", "delta*f - a"),
            ("1/((1 - w)*delta)", "delta*c + a"),
            ("(1 + delta)*(1/w - 1/(1 - w))", "c"),
        ],
        names={"f": "H_fu", "c": "H_cu", "f + c": "Hu", "w": "w_f", "delta": r"\delta"},
    ),
    prose="convex commuting Hessians have <H_f u, H_c u> >= 0; w_f > 1/2 by exchanging the parts; that "
    "others can need any B is not derived here",
    says=r"a=\nabla f_f(x^*):\quad ",
    group=inequality_claim,
    source="Definition 4.2, on quadratics",
    headline="Quadratics whose Hessians commute need no large dissimilarity slope",
    summary="Quadratics with <H_f u, H_c u> >= 0 at every u, as convex ones with commuting Hessians, never need B^2 above "
    "max(1/w_f, 1/w_c) (2 for equal weights; w_f <= 1/2, else exchange the parts): every (1 + delta) times it will do, with "
    "G^2 = (1 + 1/delta) |a|^2/(w_f w_c), a = grad f_f(x*). Hessians that do not commute can need any B.",
    tightness=Tightness(1.0, Rung.PROOF, "lambda_c = 0, a = 0, for small delta"),
    false={"without the first part of the bound": ("(1 + delta)/w", "delta/w")},
    without={"Hessians that do not commute": "<H_f u, H_c u> >= 0"},
)


def existence(premise: str) -> Derivation:
    """f_f and f_c with beta-Lipschitz gradients at x and at x*, a = grad f_f(x*), and growth of grad f away from x*."""
    d = Derivation("Mixed FL, Definition 4.2, existence")
    d.parameter("wf", 0, 1, low_open=True, high_open=True)
    for name in ("beta", "m"):
        d.parameter(name, 0, low_open=True)
    for name in ("x", "xs"):
        d.vector(name)
    for of, g in (("ff", "g"), ("fc", "gc")):
        d.function(of)
        d.point("x", of, value=f"{of}_x", gradient=f"{g}_x")
        d.point("xs", of, value=f"{of}_xs", gradient=f"{g}_xs", equals="-g_xs" if of == "fc" else None)
        suppose(d, "Lipschitz gradients", of=of, name=f"{of} smooth", L="beta")
        d.assume(f"{of} smooth", f"{of} smooth", ["x", "xs"])
    d.vector("f", equals="g_x + gc_x")
    if premise == "strongly convex f":
        suppose(d, "growth of the gradient", m="m", f="f", x="x", xs="xs")
        d.assume("growth", "growth of the gradient")
    return d


def existence_instance(premise: str) -> FiniteInstance:
    """Curvatures 1 and 3, or opposite ones, for which f = 0."""
    c = 3 if premise == "strongly convex f" else -1
    parts = {"ff": 1, "fc": c}
    functions = {n: ((lambda w, p, k=k: k * w[0] ** 2 / 2), (lambda w, p, k=k: (k * w[0],))) for n, k in parts.items()}
    return constants({"x": 1, "xs": 0}, {"wf": HALF, "beta": 3, "m": 4 if c > 0 else 100}, functions=functions)


W2 = "(wf*(1 - wf))"
existing = displayed(
    "MX-DEF42.3",
    existence,
    f"sq(g_x)/wf + sq(gc_x)/(1 - wf) <= 2*sq(g_xs)/{W2} + (1 + 2*(beta/m)**2/{W2})*sq(f)",
    headline="Smooth losses with a strongly convex sum have finite dissimilarity constants",
    given={
        "facts": {"ff smooth": f"2*(1 - wf)/{W2}", "fc smooth": f"2*wf/{W2}", "growth": f"2*(beta/m)**2/{W2}"},
        "squares": [["2", "g_x - g_xs + gc_x + g_xs"], [f"1/{W2}", "(1 - wf)*(g_x - g_xs) - wf*(gc_x + g_xs) - g_xs"]],
    },
    names={
        "g_x": r"\nabla f_f(x)",
        "gc_x": r"\nabla f_c(x)",
        "g_xs": r"\nabla f_f(x^*)",
        "f": r"\nabla f(x)",
        "wf": "w_f",
        "1 - wf": "w_c",
    },
    instance=existence_instance,
    at="f_f = x^2/2, f_c = 3x^2/2 (f_c = -x^2/2, m = 100, for smooth parts only), w_f = 1/2, beta = 3, x = 1",
    says=rf"\exists G\ge0,B\ge1\ \forall x:\ {TEXT}\le G^2+B^2\|\nabla f\|^2:\quad ",
    group=definition_claim,
    method="Young's inequality, smoothness of both parts, and growth of grad f.",
    valid_for="both parts beta-smooth, |grad f(x)| >= m|x - x*|",
    source="Definition 4.2",
    summary="G and B exist for smooth parts with a strongly convex sum, with G^2 = 2|grad f_f(x*)|^2/(w_f w_c) and "
    "B^2 = 1 + 2(beta/m)^2/(w_f w_c). For smooth parts alone they need not exist: the definition is an assumption.",
    assumptions=("both parts beta-smooth", "|grad f(x)| >= m |x - x*|, m > 0"),
    printed=dict(premise="strongly convex f"),
    false={"smooth parts only": dict(premise="any smooth pair")},
)


if __name__ == "__main__":
    run_script(__file__)
