"""Definition 4.2 of Augenstein et al. (2022): what G and B are, which pairs exist, and the least ones of quadratics.

The left side is |grad f|^2 + |w_c grad f_f - w_f grad f_c|^2/(w_f w_c).  On quadratics with u = x - x*, R = w_c H_f - w_f H_c
and a = grad f_f(x*), a pair is admissible exactly when |R u + a|^2 <= w_f w_c (G^2 + (B^2 - 1)|H u|^2) for all u, which a
completed square decides; the package's exact decision is used for the instances.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import product

import numpy as np
import sympy as sp

from fltheory.derivation.packs import suppose
from fltheory.derivation.script import Derivation
from fltheory.derivation.statement import text_of
from fltheory.derivation.witness import FiniteInstance
from fltheory.evidence.kinds import definition_claim, identity_claim, inequality_claim, run_script
from fltheory.evidence.model import Control, Evidence, Rung, Tightness
from fltheory.problems.mixed_dissimilarity import GradientDissimilarity
from fltheory.theory.mixed2022 import definitions
from fltheory.theory.mixed2022.definitions import DECOMPOSITION, closed_form, wf
from fltheory.theory.notation import NormSq
from fltheory.theory.steps import Instance, hypothesis, identity, inequality, sign
from verify.mixed2022.displays import constants, displayed
from verify.mixed2022.settled import settle

ONE, ZERO, HALF = Fraction(1), Fraction(0), Fraction(1, 2)
TEXT = r"\frac{\|\nabla f_f\|^2}{w_f}+\frac{\|\nabla f_c\|^2}{w_c}"


def problem(
    federated: list[list[str]], central: list[list[str]], slope: list[str], weight: str
) -> GradientDissimilarity:
    """Matrices, grad f_f(x*) and w_f from text."""
    exact = np.vectorize(Fraction, otypes=[object])
    return GradientDissimilarity(exact(federated), exact(central), exact(slope), Fraction(weight))


#: scalar curvatures 1 and 3 (minimisers 1 and -1); two planar pairs that do not commute; a concave centre.
FAMILY = {
    "H_f = 1, H_c = 3, a = -3/2, w_f = 1/2": problem([["1"]], [["3"]], ["-3/2"], "1/2"),
    "H_f = 1, H_c = 3, a = 1, w_f = 1/4": problem([["1"]], [["3"]], ["1"], "1/4"),
    "H_f = diag(1, 0), H_c = [[1, 1], [1, 1]], a = (1, 0), w_f = 1/2": problem(
        [["1", "0"], ["0", "0"]], [["1", "1"], ["1", "1"]], ["1", "0"], "1/2"
    ),
    "H_f = diag(2, 9/4), H_c = [[2, 1/2], [1/2, 1]], a = (1, -1), w_f = 73/100": problem(
        [["2", "0"], ["0", "9/4"]], [["2", "1/2"], ["1/2", "1"]], ["1", "-1"], "73/100"
    ),
    "H_f = 2, H_c = -1, a = 1, w_f = 1/2": problem([["2"]], [["-1"]], ["1"], "1/2"),
}


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


def least_pairs(scale: str, floor: str) -> Evidence:
    """For G^2 = scale * least and every u; and the floor |a|^2/(w_f w_c) times ``floor``."""
    k, share = sp.Rational(scale), Fraction(floor)
    u, v, a, P, R2, w, rest = sp.symbols("u v a P R2 w rest")  # u'Pu -> P u^2 and so on; P v = R a
    cross = P * v  # R a
    left = R2 * u**2 + 2 * u * cross + a**2  # |R u + a|^2
    allowed = k * (a**2 + P * v**2) + (P + R2) * u**2  # w_f w_c (G^2 + (B^2 - 1)|H u|^2)
    at_optimum = closed_form().subs({definitions.a: a, definitions.b: -a, wf: w})
    steps = (
        inequality(
            "completed square P (u - v)^2, P positive semidefinite",
            left,
            allowed,
            premises={"(u - v)'P(u - v) >= 0": (sp.Integer(1), P * (u - v) ** 2)},
            squares=[(k - 1, a)],
            ranges=[(P, 0, None)],
        ),
        identity("equality at u = v", (left - allowed).subs(u, v), (1 - k) * (a**2 + P * v**2)),
        identity("at x*: the spread is |a|^2/(w_f w_c)", at_optimum, a**2 / (w * (1 - w))),
        sign("the floor, less R P^+ R a^2 = P v^2", a**2 + rest - sp.Rational(floor) * a**2, [(rest, 0, None)]),
    )

    def instances() -> Iterator[Instance]:
        for (name, q), extra in product(FAMILY.items(), (1, HALF, 8, 1000)):
            square = Fraction(q.least_B2).limit_denominator(1000) + extra
            least = q.least_G2_given(square)
            text = f"{name}, B^2 = {square}: least G^2 = {least}"
            enough = ONE if q.admits(least * Fraction(scale), square) else -ONE
            yield Instance(f"{text}; admissible times {scale}?", ZERO, enough)
            if q.admits(least * Fraction(99, 100), square):
                raise ValueError(f"{text} is not least: 99/100 of it is admissible")
            yield Instance(f"{text}; floor", share * q.least_G2, least)

    return settle(
        steps,
        instances,
        method="With P = w_f w_c (B^2-1) H^2 - R^2 and P v = R a: w_f w_c(G^2 + (B^2-1)|Hu|^2) - |Ru+a|^2 is a square in "
        "u - v plus a constant; instances by exact elimination.",
        valid_for="all quadratics with minimiser x*, all w_f, all B^2 for which P v = R a has a solution and P is positive "
        "semidefinite (for others no G exists)",
        tightness=Tightness(1.0, Rung.PROOF, "equality at u = v") if k == 1 else None,
    )


least_G = definition_claim(
    "MX-DEF42.2",
    source="Definition 4.2, on quadratics",
    statement=r"G^2_{\min}(B)=\frac{\|a\|^2+a^\top RP^{+}Ra}{w_fw_c}\ge\frac{\|a\|^2}{w_fw_c},\ "
    r"P=w_fw_c(B^2-1)H^2-R^2,\ R=w_cH_f-w_fH_c",
    summary="The least G for a given B on quadratics; whatever B, G^2 is at least |grad f_f(x*)|^2/(w_f w_c), which "
    "is the limit for large B.",
    printed=dict(scale="1", floor="1"),
    controls=[Control("G^2 times 0.99", dict(scale="99/100")), Control("floor times 1.05", dict(floor="21/20"))],
)(least_pairs)


def least_square_of_b(scale: str, commuting: bool) -> Evidence:
    """Commuting convex quadratics: B^2 = max(1/w_f, 1/w_c) always does, w_f <= 1/2 without loss."""
    k, f, c, t = sp.Rational(scale), *sp.symbols("f c t", nonnegative=True)
    w = 1 / (2 + t)
    steps = (
        hypothesis("Hessians commute", commuting, "no common eigenvectors"),
        sign(
            "lambda_f^2/w_f + lambda_c^2/w_c <= (lambda_f + lambda_c)^2/w_f",
            k * (f + c) ** 2 / w - f**2 / w - c**2 / (1 - w),
            [(t, 0, None), (f, 0, None), (c, 0, None)],
        ),
    )

    def instances() -> Iterator[Instance]:
        for (f, c), w in product(((1, 0), (1, 1), (1, 3), (0, 1)), (HALF, Fraction(1, 4))):
            least = problem([[str(f)]], [[str(c)]], ["0"], str(w)).least_B2
            yield Instance(f"H_f = {f}, H_c = {c}, w_f = {w}: least B^2", least, Fraction(scale) / w)
        if not commuting:
            q = problem([["1", "0"], ["0", "0"]], [["1", "1/4"], ["1/4", "1/16"]], ["0", "0"], "1/2")
            left, total = q.sides(np.array([Fraction(-4), Fraction(32)], dtype=object))
            text = "H_f = diag(1, 0), H_c = [[1, 1/4], [1/4, 1/16]], w_f = 1/2, x - x* = (-4, 32)"
            yield Instance(f"{text}, |grad f|^2 = {total}", left, Fraction(scale) * 2 * total)

    return settle(
        steps,
        instances,
        method="Common eigenvectors: the quadratic part, one inequality per pair of curvatures; for every larger B^2 a G "
        "exists (MX-DEF42.2).",
        valid_for="convex quadratics with commuting Hessians, w_f <= 1/2 (else exchange the parts)",
        tightness=Tightness(1.0, Rung.PROOF, "lambda_c = 0") if k == 1 else None,
    )


least_B = inequality_claim(
    "MX-DEF42-S1",
    source="Definition 4.2, on quadratics",
    statement=r"B^2_{\inf}\le\max(\tfrac1{w_f},\tfrac1{w_c})",
    headline="Quadratics whose Hessians commute need no large dissimilarity slope",
    summary="Convex quadratics with commuting Hessians never need B^2 above max(1/w_f, 1/w_c) (2 for equal weights); "
    "Hessians that do not commute can need any B.",
    printed=dict(scale="1", commuting=True),
    controls=[
        Control("bound times 0.99", dict(scale="99/100")),
        Control("Hessians that do not commute", dict(commuting=False)),
    ],
)(least_square_of_b)


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
