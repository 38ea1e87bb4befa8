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

from fltheory.evidence.kinds import definition_claim, identity_claim, inequality_claim, run_script
from fltheory.evidence.model import Control, Evidence, Rung, Tightness
from fltheory.problems.mixed_dissimilarity import GradientDissimilarity
from fltheory.theory import sampling as s
from fltheory.theory.mixed2022 import definitions
from fltheory.theory.mixed2022.definitions import DECOMPOSITION, SPLIT, TOTAL, W_C, closed_form, wf
from fltheory.theory.mixed2022.scalars import scalars
from fltheory.theory.notation import NormSq
from fltheory.theory.proofs import Open
from fltheory.theory.states import proves
from fltheory.theory.steps import Instance, Step, equality, identity, inequality, sign
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


@identity_claim(
    "MX-DEF42.1",
    proves=proves(
        DECOMPOSITION,
        lambda: NormSq(W_C * definitions.a - wf * definitions.b) / (wf * W_C),
        left=NormSq(definitions.a) / wf + NormSq(definitions.b) / W_C - NormSq(definitions.a + definitions.b),
        relation="=",
        under=(wf > 0, wf < 1),
    ),
    source="Definition 4.2",
    statement=DECOMPOSITION,
    summary="The left side of the definition exceeds |grad f|^2 by the weighted spread of the two gradients: B >= 1 is no "
    "restriction, B = 1 makes G^2 the largest spread, and G = 0 forces w_c grad f_f = w_f grad f_c wherever grad f = 0.",
    printed=dict(swap=False),
    controls=[Control("weights exchanged inside the square", dict(swap=True))],
)
def decomposition(swap: bool) -> Evidence:
    inner = wf * definitions.a - W_C * definitions.b if swap else W_C * definitions.a - wf * definitions.b
    right = inner**2 / (wf * W_C)
    instances = []
    for a, b, w in ((ONE, ZERO, Fraction(1, 4)), (ONE, Fraction(-2), Fraction(73, 100))):
        sides = (s.at(side, dict(a=a, b=b, wf=w)) for side in (spread(), right))
        instances.append(equality(f"gradients {a}, {b}, w_f = {w}", *sides))
    return settle(
        [identity("expansion", spread(), right)],
        instances,
        method="Expansion in commuting scalars (Gram).",
        valid_for="all gradients, 0 < w_f < 1",
    )


def least_pairs(scale: str, floor: str) -> Evidence:
    """For G^2 = scale * least and every u; and the floor |a|^2/(w_f w_c) times ``floor``."""
    k, share = sp.Rational(scale), Fraction(floor)
    u, v, a, P, R2, w = sp.symbols("u v a P R2 w")  # u'Pu -> P u^2 and so on; P v = R a
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
        Step("the floor is not raised", share <= 1, "more than |a|^2/(w_f w_c) is claimed"),
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
        Step("Hessians commute", commuting, "no common eigenvectors"),
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


def existence(premise: str, factor: str) -> Evidence:
    """G^2 = 2|a|^2/(w_f w_c), B^2 = 1 + 2 factor (beta/m)^2/(w_f w_c) when |grad f(x)| >= m |x - x*|."""
    k = sp.Rational(factor)
    e, a, D, q, beta, m, w = sp.symbols("e a D q beta m w")  # e = w_c da - w_f db, D = |x - x*|, q = |grad f|
    steps = (
        Step("|grad f(x)| >= m |x - x*|, m > 0", premise == "strongly convex f", "nothing bounds |x - x*|"),
        inequality(
            "|e + a|^2 <= 2 a^2 + 2 e^2 <= ... ",
            (e + a) ** 2,
            2 * a**2 + 2 * k * (beta / m) ** 2 * q**2,
            premises={
                "|e| <= (w_c + w_f) beta D": (sp.Integer(2), beta**2 * D**2 - e**2),
                "m D <= |grad f|": (2 * k * beta**2 / m**2, q**2 - m**2 * D**2),
            },
            squares=[(sp.Integer(1), e - a), (2 * (k - 1) * beta**2, D)],
            ranges=[(m, Open(0), None), (beta, m, None)],
        ),
        identity("w_c + w_f = 1", (1 - w) + w, 1),
    )

    def instances() -> Iterator[Instance]:
        for f, c in ((ONE, Fraction(3)), (Fraction(2), -ONE)):
            q = problem([[str(f)]], [[str(c)]], ["1"], "1/2")
            beta2 = max(f * f, c * c) / (f + c) ** 2
            G2, B2 = (2 * q.least_G2, 1 + 2 * Fraction(factor) * beta2 / q.product)
            for u in (ZERO, ONE, Fraction(-3)):
                left, total = q.sides(np.array([u], dtype=object))
                text = f"H_f = {f}, H_c = {c}, a = 1, x - x* = {u}, (G^2, B^2) = ({G2}, {B2})"
                yield Instance(text, left, G2 + B2 * total)
        if premise == "any smooth pair":
            text = "f_f = x^2/2, f_c = -x^2/2 (f = 0), w_f = 1/2, at x = G = 100 (any G, any B)"
            yield Instance(text, 4 * Fraction(100) ** 2, Fraction(100) ** 2)

    return settle(
        steps,
        instances,
        method="Young's inequality, smoothness of both parts, and growth of grad f.",
        valid_for="both parts beta-smooth, |grad f(x)| >= m|x - x*|",
    )


existing = definition_claim(
    "MX-DEF42.3",
    source="Definition 4.2",
    statement=rf"\exists G\ge0,B\ge1\ \forall x:\ {TEXT}\le G^2+B^2\|\nabla f\|^2",
    summary="G and B exist for smooth parts with a strongly convex sum, with G^2 = 2|grad f_f(x*)|^2/(w_f w_c) and "
    "B^2 = 1 + 2(beta/m)^2/(w_f w_c). For smooth parts alone they need not exist: the definition is an assumption.",
    assumptions=("both parts beta-smooth", "|grad f(x)| >= m |x - x*|, m > 0"),
    printed=dict(premise="strongly convex f", factor="1"),
    controls=[Control("smooth parts only", dict(premise="any smooth pair"))],
)(existence)


def spread() -> sp.Expr:
    """Left side of Definition 4.2 less |grad f|^2, as a form in commuting scalars (Gram reduction)."""
    return scalars(SPLIT - TOTAL)


if __name__ == "__main__":
    run_script(__file__)
