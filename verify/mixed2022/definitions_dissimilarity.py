"""Definition 4.2 of Augenstein et al. (2022): what G and B are, which pairs exist, and the least ones of quadratics.

The left side is |grad f|^2 + |w_c grad f_f - w_f grad f_c|^2/(w_f w_c).  On quadratics with u = x - x*, R = w_c H_f - w_f H_c
and a = grad f_f(x*), a pair is admissible exactly when |R u + a|^2 <= w_f w_c (G^2 + (B^2 - 1)|H u|^2) for all u.
"""

from fractions import Fraction

import sympy as sp

from fltheory.derivation.script import Derivation
from fltheory.derivation.statement import text_of
from fltheory.evidence.algebra import statement_in_mean, statement_of_algebra
from fltheory.evidence.in_mean import InMean, use
from fltheory.evidence.kinds import definition_claim, identity_claim, inequality_claim, run_script
from fltheory.evidence.matrices import Matrices
from fltheory.evidence.model import Rung, Tightness
from fltheory.theory.mixed2022.definitions import DECOMPOSITION, WEIGHT
from fltheory.theory.notation import NormSq
from fltheory.theory.states import proves
from verify.mixed2022.displays import displayed

TEXT = r"\frac{\|\nabla f_f\|^2}{w_f}+\frac{\|\nabla f_c\|^2}{w_c}"
#: w_f w_c.
W0 = "(w*(1 - w))"


def of_norms(expression: sp.Expr) -> str:
    return text_of(expression, {node: f"sq({sp.sstr(node.args[0])})" for node in expression.atoms(NormSq)})


decomposition = displayed(
    "MX-DEF42.1",
    lambda: Derivation("Mixed FL, Definition 4.2"),
    f"{of_norms(DECOMPOSITION.left)} = {of_norms(DECOMPOSITION.expression)}",
    headline="The definition's left side is the squared mixed gradient plus the spread of both parts",
    lines="0 < wf < 1; a, b",
    names={},
    instance=lambda: {"a": 1, "b": -2, "wf": Fraction(73, 100)},
    statement=DECOMPOSITION,
    proves=proves(DECOMPOSITION, relation="=", under=(WEIGHT,)),
    group=identity_claim,
    method="Expansion.",
    valid_for="all gradients, 0 < w_f < 1",
    source="Definition 4.2",
    summary="The left side of the definition exceeds |grad f|^2 by the weighted spread of the two gradients: B >= 1 is no "
    "restriction, B = 1 makes G^2 the largest spread, and G = 0 forces w_c grad f_f = w_f grad f_c wherever grad f = 0.",
    false={"weights exchanged inside the square": ("sq(a*(1 - wf) - b*wf)", "sq(a*wf - b*(1 - wf))")},
)


#: Slopes B^2 and L^2 > B^2 with the least G^2 for them, at x* + v and at x* + s; u is any way from x*.
SLOPES = Matrices(
    "sq(F*u + a)/w + sq(C*u - a)/(1 - w) <= G2 + B2*sq(H*u); sq(F*v + a)/w + sq(C*v - a)/(1 - w) = G2 + B2*sq(H*v); "
    f"G2 >= sq(a)/({W0}); M2 <= (1 + (B2 - 1)/(L2 - B2))*sq(a)/({W0}) "
    "for F in S(n); C in S(n); a in R(n); u in R(n); v in R(n); s in R(n); 0 < w < 1; B2 > 1; L2 > B2; H = F + C; "
    f"R = (1 - w)*F - w*C; P = {W0}*(B2 - 1)*H**2 - R**2; G2 = (sq(a) + T(v)*P*v)/({W0}); P >= 0; P*v = R*a; "
    f"Q = {W0}*(L2 - 1)*H**2 - R**2; M2 = (sq(a) + T(s)*Q*s)/({W0}); Q*s = R*a",
    uses={
        0: [("P >= 0", f"1/({W0})", "u - v"), ("P*v = R*a", f"2/({W0})*T(u)", "I")],
        1: [("P*v = R*a", f"-2/({W0})*T(v)", "I")],
        2: [("P >= 0", f"1/({W0})", "v")],
        3: [("P >= 0", f"(L2 - 1)/((B2 - 1)*{W0})", "s"), ("Q*s = R*a", f"-2/({W0})*T(s)", "I")],
    },
    squares={3: [(f"(B2 - 1)/((L2 - B2)*{W0})", "a - (L2 - B2)/(B2 - 1)*R*s")]},
    # curvatures 1 and 3, so that P = 4 (B^2 - 1) - 1
    at=[
        {"F": "[[1]]", "C": "[[3]]", "a": "[-3/2]", "w": "1/2", "u": v, "v": v, "s": s, "B2": B2, "L2": L2}
        for v, s, B2, L2 in (("[75/2]", "[3/2]", "63/50", "3/2"), ("[3/200]", "[3/400]", "105/4", "205/4"))
    ],
    names={"F": "H_f", "C": "H_c", "w": "w_f", "B2": "B^2", "G2": "G^2", "L2": r"\bar B^2", "M2": r"\bar G^2"},
)
least_G = statement_of_algebra(
    "MX-DEF42.2",
    SLOPES,
    headline="However large the slope, dissimilarity keeps a floor set by the gradients at the optimum",
    says=r"\nabla f_f(x^*+u)=H_fu+a,\ \nabla f_c(x^*+u)=H_cu-a,\ w_c=1-w_f:\quad ",
    group=definition_claim,
    source="Definition 4.2, on quadratics",
    summary="The least G^2 for a given B > 1 on quadratics with the minimiser x* is attained at x* + v (B^2 such that P "
    "is positive semidefinite and P v = R a has a solution). It is at least |grad f_f(x*)|^2/(w_f w_c); the same "
    "expression for a larger slope instead of B^2, where Q s = R a, exceeds that at most by the share (B^2 - "
    "1)/(slope - B^2).",
    tightness=Tightness(1.0, Rung.PROOF, "equality at u = v"),
    false={
        "G^2 times 0.99": ("<= G2 +", "<= 99/100*G2 +"),
        "floor times 1.05": ("G2 >= sq(a)", "G2 >= 21/20*sq(a)"),
        "half of the share": ("(B2 - 1)/(L2 - B2))", "(B2 - 1)/(2*(L2 - B2)))"),
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
    says=r"\nabla f_f(x^*+u)=H_fu+a,\ \nabla f_c(x^*+u)=H_cu-a,\ \langle H_fu,H_cu\rangle\ge0:\quad ",
    group=inequality_claim,
    source="Definition 4.2, on quadratics",
    headline="Quadratics whose two gradients never change against each other need no large slope",
    summary="Quadratics with <H_f u, H_c u> >= 0 at every u, f_f being the part of the smaller weight (w_f <= 1/2), never need B^2 "
    "above 1/w_f (2 for equal weights): every (1 + delta) times it will do, with G^2 = (1 + 1/delta) |a|^2/(w_f w_c), "
    "a = grad f_f(x*).",
    tightness=Tightness(1.0, Rung.PROOF, "lambda_c = 0, a = 0, for small delta"),
    false={"without the first part of the bound": ("(1 + delta)/w", "delta/w")},
    without={"gradients that change against each other": "<H_f u, H_c u> >= 0"},
)
any_B = statement_of_algebra(
    "MX-DEF42-S2",
    Matrices(
        "2*sq(F*u) + 2*sq(C*u) > G**2 + B**2*sq(F*u + C*u); F*C != C*F "
        "for B > 1; G >= 0; u = [(G + 1)*B, 0]; y = [1, B]; z = [1, -B]; F = y*T(y)/B; C = z*T(z)/B",
        at=[{"B": "2", "G": "1"}],
        names={"F": "H_f", "C": "H_c"},
    ),
    says=r"w_f=w_c=\tfrac12,\ \nabla f_f=H_fx,\ \nabla f_c=H_cx:\quad ",
    group=inequality_claim,
    source="Definition 4.2, on quadratics",
    headline="Convex quadratics whose Hessians do not commute can need any dissimilarity slope",
    summary="Two convex quadratics whose Hessians do not commute can need any B: for every B > 1 there are two in the plane such "
    "that no G will do with this B, at equal weights.",
    false={"for B^2 + 2": ("+ B**2*sq", "+ (B**2 + 2)*sq")},
)


GROWTH = "growth of the gradient"
existing = statement_in_mean(
    "MX-DEF42.3",
    InMean(
        f"sq(g_x)/w + sq(g_y)/(1 - w) <= 2*sq(g_xs)/{W0} + (1 + 2*(beta/m)**2/{W0})*sq(f) for 0 < w < 1; beta > 0; m > 0",
        # y = x and ys = xs, where gradients are those of f_c
        things="function ff; function fc; x; xs; ff at x, xs; y = x; ys = xs; fc at y; fc at ys = -g_xs; f = g_x + g_y",
        uses=[
            use(GROWTH, times=f"2*(beta/m)**2/{W0}", f="f", m="m", x="x", xs="xs"),
            use("Lipschitz gradients", "x xs", f"2*(1 - w)/{W0}", of="ff", L="beta"),
            use("Lipschitz gradients", "y ys", f"2*w/{W0}", of="fc", L="beta"),
        ],
        squares=[("2", "g_x - g_xs + g_y + g_xs"), (f"1/{W0}", "(1 - w)*(g_x - g_xs) - w*(g_y + g_xs) - g_xs")],
        unfold="y ys f",
        names={
            "g_x": r"\nabla f_f(x)",
            "g_y": r"\nabla f_c(x)",
            "g_xs": r"\nabla f_f(x^*)",
            "f": r"\nabla f(x)",
            "w": "w_f",
        },
    ),
    headline="Smooth losses with a strongly convex sum have finite dissimilarity constants",
    says=rf"\exists G\ge0,B\ge1\ \forall x:\ {TEXT}\le G^2+B^2\|\nabla f\|^2:\quad ",
    group=definition_claim,
    source="Definition 4.2",
    summary="G and B exist for smooth parts with a strongly convex sum, with G^2 = 2|grad f_f(x*)|^2/(w_f w_c) and "
    "B^2 = 1 + 2(beta/m)^2/(w_f w_c). For smooth parts alone they need not exist: the definition is an assumption.",
    assumptions=("both parts beta-smooth", "|grad f(x)| >= m |x - x*|, m > 0"),
    false={},
    without={"smooth parts only": GROWTH},
)


if __name__ == "__main__":
    run_script(__file__)
