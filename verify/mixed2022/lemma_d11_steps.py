"""Steps of the proof of Lemma D.11 of Augenstein et al. (2022): one local step, unrolling, geometric sum, effective step.

The side computation of the geometric sum is misprinted (a bracket left of the equality sign); the bound 2K is true for every K.
"""

from dataclasses import replace
from fractions import Fraction
from functools import partial

import sympy as sp

from fltheory.evidence.algebra import statement_in_mean, statement_of_algebra
from fltheory.evidence.derive import by_derivation
from fltheory.evidence.ends import by_witness, tried
from fltheory.evidence.in_mean import InMean, Use, use
from fltheory.evidence.kinds import algebra_claim, expectation_claim, inequality_claim, run_script
from fltheory.evidence.model import Control, Evidence, Rung
from fltheory.evidence.relations import Relations
from fltheory.evidence.witness import Side, Witness
from fltheory.theory.conditions import Condition
from fltheory.theory.mixed2022.one_round import NAMES, K
from fltheory.theory.mixed2022.vocabulary import MixedBound
from verify.mixed2022 import derivations
from verify.mixed2022.one_way_words import CONVEX_WORDS
from verify.mixed2022.settled import attained, lines_in_mean

R, ONE = sp.Rational, Fraction(1)

variance = statement_in_mean(
    "MX-LEMD11-S1",
    InMean(
        "sq(y - eta*(g_y + z + c) - x) <= sq(y - eta*g_y - eta*c - x) + eta**2*V for eta >= 0; V >= 0",
        things="x; y; c; function F; F at y; z over xi, mean 0 over xi",
        over="xi",
        uses=[use("bounded variance", times="eta**2", noise="z", sigma2="V")],
        names={"y": "x_i^{(k-1)}", "g_y": r"\nabla f_f(x_i^{(k-1)})", "c": "g_c(x)", "V": r"\sigma^2", "eta": r"\eta"},
    ),
    headline="A client gradient splits into its conditional mean and its noise",
    false={"sigma^2 -> 0.99 sigma^2": ("eta**2*V", "99/100*eta**2*V")},
    without={"biased client gradients": "mean of z"},
    group=expectation_claim,
    source="proof of Lemma D.11, variance of the client gradient",
    summary="The conditional mean of the client gradient splits off; equality when its variance is sigma^2.",
    depends=("MX-LEMD3-ID-R1",),
    tightness=attained("an equality"),
)
two_terms = statement_in_mean(
    "MX-LEMD11-S2",
    InMean(
        "sq(u - eta*w) <= (1 + 1/a)*sq(u) + (1 + a)*eta**2*sq(w) for a > 0; eta >= 0",
        things="u; w",
        squares=[("1/a", "u + a*eta*w")],
        names={"eta": r"\eta"},
    ),
    false={"1/a instead of 1 + 1/a": ("(1 + 1/a)", "(1/a)"), "a instead of 1 + a": ("(1 + a)", "a")},
    group=inequality_claim,
    says=r"u=d-\eta(\nabla f_f(x+d)-\nabla f_f(x)),\ w=\nabla f_f(x)+g_c:\ ",
    source="proof of Lemma D.11, relaxed triangle inequality",
    summary="The square is split by Lemma D.2.",
    depends=("MX-LEMD2-1",),
    tightness=attained("equality for u = -a eta w"),
)


#: A drift d and an update w.
d, w = sp.symbols("d w")
#: Cocoercivity of F between x and y, from the steps below them, and letters of a local step.
BELOW = "a{0} = y - (g_y - g_x)/beta; b{0} = x - (g_x - g_y)/beta; F at a, b"
LOCAL = {**NAMES, "g_x": r"\nabla f_f(x)"}


def cocoercive(times: str) -> list[Use]:
    """Smoothness and convexity at the points below x and y, added up so often."""
    found = [use("smooth", pair, times, of="F", L="beta") for pair in ("y a", "x b")]
    return found + [use("convex", pair, times, of="F") for pair in ("x a", "y b")]


MOVED = dict(
    things=f"x; d; y = x + d; function F; F at x, y; {BELOW.format('')}",
    unfold="a b y",
    names=LOCAL | {"g_y": r"\nabla f_f(x+d)"},
)
contraction = lines_in_mean(
    "MX-LEMD11-S3",
    InMean(
        "sq(d - eta*(g_y - g_x)) <= (1 - mu*eta)*sq(d) <= sq(d) for beta > 0; 0 <= mu <= beta; 0 <= eta <= 1/beta",
        uses=[
            *cocoercive("eta**2*beta"),
            *(use("convex", pair, "eta*(1 - eta*beta)", of="F") for pair in ("x y", "y x")),
            *(use("strongly convex", pair, "eta", of="F", mu="mu") for pair in ("x y", "y x")),
        ],
        squares={1: [("mu*eta", "d")]},
        **MOVED,
    ),
    InMean(
        "sq(d - eta*(g_y - g_x)) <= sq(d) for beta > 0; 0 <= eta <= 2/beta",
        uses=cocoercive("2*eta"),
        squares=[("eta*(2/beta - eta)", "g_y - g_x")],
        **MOVED,
    ),
    false={
        "factor 0.99 (mu = 0)": ("<= sq(d) for beta > 0; 0 <= eta", "<= 99/100*sq(d) for beta > 0; 0 <= eta"),
        "eta up to 2.01/beta": ("2/beta", "201/(100*beta)"),
    },
    group=inequality_claim,
    quick=False,
    headline="A local gradient step does not expand the drift, up to steps of two over the smoothness",
    source="proof of Lemma D.11, term F",
    depends=("MX-LEMD8-S4",),
    summary="Lemma D.8 for f_f; that the step does not expand the drift (left end at most right end) holds up to eta = 2/beta, and "
    "in general not beyond.",
    valid_for="every dimension, eta <= 1/beta (left end at most right end: eta <= 2/beta)",
    tightness=attained("(1 - mu eta)^2 in place of 1 - mu eta (MX-LEMD8-S4); at mu = 0 equality for linear f_f", 2.0),
)
ONE_STEP = InMean(
    "sq(y - eta*(p + g) - x) <= (K + 1)/K*sq(y - x) + 2*K*eta**2*sq(g_x + g) + V*eta**2 "
    "for beta > 0; K >= 1; V >= 0; 0 <= eta <= 2/beta",
    things=f"x; y over past; g; function F; F at x, y; {BELOW.format(' over past')}; "
    "z over past xi, mean 0 over xi; p over past xi = g_y + z",
    over="past xi",
    uses=[use("bounded variance", times="eta**2", sigma2="V", noise="z"), *cocoercive("2*eta*(1 + 1/K)")],
    squares=[
        ("1/K", "y - x - eta*(g_y - g_x) + K*eta*(g_x + g)"),
        ("(1 + 1/K)*eta*(2/beta - eta)", "g_y - g_x"),
        ("(K - 1)*eta**2", "g_x + g"),
    ],
    unfold="a b p",
    names=LOCAL | {"y": "x_i^{(k-1)}", "p": "g_i(x_i^{(k-1)})", "g": "g_c", "g_y": r"\nabla f_f(x_i^{(k-1)})"},
)


@expectation_claim(
    "MX-LEMD11-S4",
    source="proof of Lemma D.11, a = K",
    statement=ONE_STEP,
    summary="1 + a = K + 1 is at most 2K; equality only for K = 1.",
    proof_steps=("MX-LEMD11-S1", "MX-LEMD11-S2", "MX-LEMD11-S3"),
    printed=dict(factor="2*K"),
    controls=[Control("K instead of 2K", dict(factor="K")), Control("2K - 1/100", dict(factor="2*K - 1/100"))],
)
def one_step(factor: str) -> Evidence:
    """K = 1 has K + 1 = 2K, so that nothing below passes: equality at d = -K w needs K + 1."""
    right = (K + 1) / K * d**2 + sp.sympify(factor, locals={"K": K}) * w**2
    where = "f_f = 0, eta = 1, x = 0, g_c = w, no noise, from x_i^(k-1) = d"
    return by_derivation(
        ONE_STEP.changed("2*K*eta", f"({factor})*eta").derived,
        tried(Witness({K: k, d: -k, w: 1}, (d - w) ** 2, "<=", right, setting=where) for k in (1, 2, 5)),
        **CONVEX_WORDS,
    )


SUM_LEFT = r"\sum_{j=0}^{k-1}\big(\tfrac{K+1}K\big)^j"
SUM = MixedBound.displays({})(
    "geometric sum of the local steps", SUM_LEFT, 2 * K, (Condition("k <= K"),), "MX-LEMD11-S5.1"
)


def geometric(count: int) -> sp.Expr:
    """1 + q + ... + q^(count-1), q = (K+1)/K."""
    return sp.Add(*(((K + 1) / K) ** j for j in range(count)), evaluate=False)


@algebra_claim(
    "MX-LEMD11-S5.1",
    source="proof of Lemma D.11, unrolling",
    statement=SUM,
    summary="Unrolled recursion and its geometric sum, for every K; (e-1)K is sharp as K grows.",
    printed=dict(factor="2"),
    controls=[Control("2K -> 1.7 K", dict(factor="17/10"))],
)
def unrolled(factor: str) -> Evidence:
    """By induction over k below 2 K k/(2K - k + 1), which is 2 K^2/(K + 1) at k = K."""
    bound = replace(SUM, expression=R(factor) / 2 * SUM.expression)
    return by_derivation(
        lambda: derivations.sum_at_most(str(bound.expression / K)),
        tried(
            Witness({K: many}, Side(f"sum of {many} powers", geometric(many)), "<=", bound.expression)
            for many in (1, 2, 10, 100)
        ),
        method="induction over k below 2 K k/(2K - k + 1)",
        valid_for="every K >= 1, k <= K",
        tightness=attained("(e - 1) K, in the limit of large K", float(2 / (sp.E - 1))),
    )


def side_computation(bracket: str) -> Evidence:
    """The sum of q^j times (q^k - 1) against K; or the sum itself against K (q^k - 1); q = (K+1)/K."""

    def case(count: int) -> Witness:
        total, rest = geometric(count), ((K + 1) / K) ** count - 1
        sides = (total * rest, K) if bracket == "in the sum" else (total, K * rest)
        return Witness({K: 2}, sides[0], "=", sides[1], setting=f"k = {count}")

    if bracket == "in the sum":
        return by_witness(map(case, (1, 2)), rung=Rung.PROOF)
    return by_derivation(
        partial(derivations.geometric_sum, "1"),
        tried(map(case, (1, 2))),
        method="induction over k (one more term); tangents of the exponential, from which e <= 3",
        valid_for="every K, k",
    )


side_claim = algebra_claim.sharing(source="proof of Lemma D.11, side computation")
literal = side_claim(
    "MX-LEMD11-S5.2",
    fault="slip",
    statement=SUM_LEFT + r"\big((1+\tfrac1K)^k-1\big)=K",
    headline="A bracket stands on the wrong side of an equality sign",
    summary="A misprint: the bracket stands left of the equality sign; false already for K = 2, k = 1.",
    repair="MX-LEMD11-S5.2-R1",
    printed=dict(bracket="in the sum"),
    controls=[Control("bracket on the right", dict(bracket="on the right"), must="pass")],
)(side_computation)
repaired = side_claim(
    "MX-LEMD11-S5.2-R1",
    statement=SUM_LEFT + r"=\big((1+\tfrac1K)^k-1\big)K\le(e-1)K\le2K\quad(k\le K)",
    summary="This is the closed form that is meant.",
    printed=dict(bracket="on the right"),
    controls=[Control("bracket in the sum", dict(bracket="in the sum"))],
)(side_computation)


multiplied = statement_of_algebra(
    "MX-LEMD11-S6",
    Relations(
        "(2*K*eta**2*w + eta**2*V)*2*K = 4*K**2*eta**2*w + 2*K*eta**2*V",
        names={"w": r"\|\nabla f_f+g_c\|^2", "V": r"\sigma^2", "eta": r"\eta"},
    ),
    false={"4 -> 2": ("4*K**2", "2*K**2")},
    group=algebra_claim,
    source="proof of Lemma D.11, after unrolling",
    summary="Both terms are multiplied by 2K.",
    proof_steps=("MX-LEMD11-S4", "MX-LEMD11-S5.1"),
)
effective = statement_of_algebra(
    "MX-LEMD11-S9",
    Relations(
        "16*K**2*eta**2*beta <= 2*e/eta_s**2; 2*K**2*eta**2 = 2*e**2/eta_s**2 "
        "for beta > 0; K >= 1; eta_s > 0; 0 <= e <= 1/(8*beta); eta = e/(K*eta_s)",
        names=NAMES,
    ),
    false={"2 -> 1.98": ("2*e/eta_s", "99*e/50/eta_s"), "effective step up to 1.01/(8 beta)": ("1/(8*", "101/(800*")},
    group=algebra_claim,
    source="after Lemma D.11",
    summary="The drift is written in terms of the effective step; it is an equality at the largest step.",
    tightness=attained("equality at the step 1/(8 beta)"),
)


if __name__ == "__main__":
    run_script(__file__)
