"""Section 4.2 of Augenstein et al. (2022), first and third implication of Table 1: what slows Parallel Training down?

Large G and B slow Parallel Training only; 2-way GT is at least as fast as the others, as a statement about orders, term by term,
and as a statement about runs on exact quadratics."""

from __future__ import annotations

from fractions import Fraction

import sympy as sp

from fltheory.evidence.algebra import by_relations, statement_of_algebra
from fltheory.evidence.decide import Tried, decide
from fltheory.evidence.ends import by_witness
from fltheory.evidence.kinds import qualitative_claim, qualitative_of_an_instance, run_script
from fltheory.evidence.model import Control, Evidence, Scope
from fltheory.evidence.relations import Relations
from fltheory.evidence.witness import Witness
from fltheory.theory.mixed2022.orders import NOISE_SCALE, OPTIMISATION, terms
from verify.mixed2022.table_1_drift import MERGED, NAMES, PARALLEL, SAYS

F, R = Fraction, sp.Rational
h, d = sp.symbols("h d", positive=True)
of_instances = qualitative_of_an_instance.sharing(source="Section 4.2, first implication")


#: On f_f = x^2/2 + g x and f_c = x^2/4 - g x from 1, K = 2: Parallel Training (x) is above 1/2 for R rounds if g = 9 R, at any h;
#: 1-way GT (p, rate s) and 2-way GT (v, c = gt_c, d = gt_f from the gradients, rate r) move as at g = 0 (q; w, k, l).
SLOWER = Relations(
    "x >= 1 - t/(2*R); t >= 0; p = q; v = w; c + g = k; d - g = l for R >= 1; m = 1; 0 < h <= 1/(48*m); s > 0; r > 0; g = 9*R; "
    f"first_t = 0; next_t = t + 1; {PARALLEL}; "
    "first_p = 1; p_1 = p - s*(p + g + p/2 - g); next_p = p_1 - s*(p_1 + g + p/2 - g); "
    "first_q = 1; q_1 = q - s*(q + q/2); next_q = q_1 - s*(q_1 + q/2); "
    "first_v = 1; first_c = 1/2 - g; first_d = 1 + g; v_1 = v - r*(v + g + c); v_2 = v_1 - r*(v_1 + g + c); "
    "v_3 = v - r*(v/2 - g + d); v_4 = v_3 - r*(v_3/2 - g + d); next_v = v + (v_2 - v) + (v_4 - v); "
    "next_c = (v - v_4)/(2*r) - d; next_d = (v - v_2)/(2*r) - c; "
    "first_w = 1; first_k = 1/2; first_l = 1; w_1 = w - r*(w + k); w_2 = w_1 - r*(w_1 + k); "
    "w_3 = w - r*(w/2 + l); w_4 = w_3 - r*(w_3/2 + l); next_w = w + (w_2 - w) + (w_4 - w); "
    "next_k = (w - w_4)/(2*r) - l; next_l = (w - w_2)/(2*r) - k",
    uses={
        0: {"x >= 1 - t/(2*R)": "1 - 3*h + 5*h**2/4"},
        2: {"p = q": "(1 - s)*(1 - 3*s/2) - s/2"},
        3: {"v = w": "(1 - r)**2 + (1 - r/2)**2 - 1", "c + g = k": "-r*(2 - r)", "d - g = l": "-r*(2 - r/2)"},
        4: {"v = w": "1/2 - r/8", "d - g = l": "-r/4"},
        5: {"v = w": "1 - r/2", "c + g = k": "-r/2"},
    },
    squares={0: [("1/(2*R)", "3*h*R - 1")]},
    names=NAMES,
)


def large_slope(merge: str) -> Evidence:
    """At eta_m = 1 Parallel Training needs more than R rounds at g = 9 R; at a large eta_m its rounds have a bound without g."""
    if merge == "1":
        return by_relations(SLOWER)
    words = (
        "f_f = x^2/2 + g x, f_c = x^2/4 - g x, K = 2, eta_m = m, eta = eta_c = h, from 1, for every g, in every round"
    )
    found = Tried(1, f"{words}: {MERGED.text}", -1.0, certificate=MERGED.certificate) if MERGED.proof[0] else Tried(1)
    return decide((False, "a bound without g"), found, method="The rounds of MX-T1-FIT-PT-U1, whatever the slope is.")


rows_gb = [
    of_instances(
        "MX-IMPL-GB.1[eta_m = 1]",
        prose="for rates up to 1/48; g stands for G: at x* both gradients have size g, so that every "
        "admissible G is at least of its order",
        headline="At unit merging rate dissimilarity slows Parallel Training, and not the transfer methods",
        printed=dict(merge="1"),
        depends=("MX-T1-FIT-PT.1", "MX-T1-FIT-GT.1W", "MX-T1-FIT-GT.2W"),
        statement=(SAYS, SLOWER),
        summary="At eta_m = 1 large G makes Parallel Training slower (R rounds at g = 9 R do not halve the distance, at any rate "
        "eta_c = eta; for all rates: the instance of MX-T1-PT-C), the Gradient Transfer methods not: no model has g.",
        controls=[Control("eta_m to infinity", dict(merge="infinity"))],
    )(large_slope),
    of_instances(
        "MX-IMPL-GB.1[eta_m chosen as well]",
        prose="T is at most the first t with (23/24)^t <= tol/2, the same for every g, since eta_m = g/(96 "
        "tol) is allowed",
        fault="reading",
        printed=dict(merge="infinity"),
        depends=("MX-T1-FIT-PT-U1",),
        repair="MX-IMPL-GB.1[eta_m = 1]",
        statement=r"G\to\infty:\ \min_{\eta_m}T_{PT}\to\infty",
        headline="With a large merging rate Parallel Training does not feel the dissimilarity",
        summary="With large eta_m (which the conditions allow) and proportionally small rates Parallel Training does not "
        "feel G.",
        controls=[Control("eta_m = 1", dict(merge="1"), must="pass")],
    )(large_slope),
]
#: f_f = (1 + d) x^2/2, f_c = -x^2/2 (G = 0, B of order 1/d), K = 2; the step of 1-way GT is admitted (beta <= 2).
large_b = statement_of_algebra(
    "MX-IMPL-GB.2[eta_m = 1]",
    Relations(
        "x - x_PT <= d**2/2*x; x - x_1w >= d/40*x for x > 0; 0 < d <= 1; m = 1; s = 1/72; "
        "y = x - h*(1 + d)*x; y_2 = y - h*(1 + d)*y; z = x + h*x; z_2 = z + h*z; x_PT = x + m*(y_2 - x + z_2 - x); "
        "u = x - s*((1 + d)*x - x); x_1w = u - s*((1 + d)*u - x)",
        squares={0: [("x*(1 + (1 + d)**2)", "h - d/(1 + (1 + d)**2)")]},
        names={"d": r"\delta", "h": r"\eta", "m": r"\eta_m", "s": r"\eta_{1w}"},
    ),
    prose="G = 0 and B of order 1/delta by Definition 4.2 for the gradients (1 + delta)x and -x; the "
    "parenthesis is not derived here",
    headline="On an instance at matched rates a large dissimilarity slope alone slows Parallel Training",
    false={"eta_m = 10": ("m = 1;", "m = 10;"), "half of d^2/2": ("d**2/2", "d**2/4"), "d/30": ("d/40", "d/30")},
    group=of_instances,
    says=r"f_f=\tfrac{1+\delta}2x^2,\ f_c=-\tfrac12x^2,\ K=2,\ \eta_s=1,\ \text{a round from }x\text{ of PT with }\eta_c=\eta"
    r"\text{ (local points }y,z\text{) and of 1-w GT (}u\text{)}:\ ",
    summary="Large B alone (G = 0; here a non-convex central loss) also slows Parallel Training: by a factor of order B "
    "against 1-way GT, at matched rates eta_c = eta (with G = 0 unequal rates can avoid it, and so can large eta_m with "
    "steps that do not shrink like 1/B^2 as the condition wants).",
)
small_b = statement_of_algebra(
    "MX-IMPL-GB-S1",
    Relations(
        "(2*f**2 + 2*c**2)/(f + c)**2 <= 2; 2*(f*x + a)**2 + 2*(c*x + b)**2 <= G_sq + (2 + d)*(f*x + a + c*x + b)**2 "
        "for s > 0; 0 <= f <= s; c = s - f; d > 0; G_sq = 4*(1 + 1/d)*(c*a - f*b)**2/s**2",
        squares={
            1: [
                ("1/d", "d*(s*x + a + b) + 2*(c*a - f*b)*(c - f)/s**2"),
                ("4*f*c/s**2", "s*x + a + b"),
                ("16*f*c/(d*s**4)", "c*a - f*b"),
            ]
        },
        names={"f": r"\lambda_f", "c": r"\lambda_c", "s": r"\lambda", "d": r"\delta", "G_sq": "G^2"},
    ),
    false={
        "1.99": ("<= 2;", "<= 199/100;"),
        "B^2 = 2 - d/2": ("(2 + d)", "(2 - d/2)"),
        "half of G^2": ("G_sq = 4*", "G_sq = 2*"),
        "f_c concave": ("f <= s", "f <= 2*s"),
    },
    group=qualitative_claim,
    says=r"w_f=w_c=\tfrac12,\ \nabla f_f=\lambda_fx+a,\ \nabla f_c=\lambda_cx+b\text{ in a common direction}:\ ",
    prose="commuting Hessians have common eigenvectors: the relations are those of one pair of curvatures, not both 0 (both 0: the "
    "gradients are constant there); the G^2 of the directions add up",
    source="Definition 4.2 on convex quadratics",
    headline="At equal influence, commuting convex quadratics have squared slope at most two",
    summary="With w_f = w_c = 1/2, convex quadratics with commuting Hessians satisfy Definition 4.2 for every B^2 > 2 with some G "
    "(B^2 = 2 itself need not do: x^2/2 and x): among quadratics an infimum of B^2 above 2 needs Hessians that do not commute, or "
    "a loss that is not convex.",
)
third_implication = qualitative_claim.sharing(source="Section 4.2, third implication")
w, o, g = sp.symbols("w o g", positive=True)


def order(algorithm: str, part: str) -> str:
    """A term of an order over what multiplies it in each case, which is alike for all algorithms."""
    unit = {"noise": NOISE_SCALE["convex"] / w, "optimisation": OPTIMISATION["convex"] / o}[part]
    return f"({terms(algorithm, 'convex')[part] / unit})"


def below(other: str, more: str = "") -> Relations:
    """Term by term, and their sums; the dissimilarity term of Parallel Training is ``more``."""
    pairs = [(order("2-w GT", part), order(other, part)) for part in ("noise", "optimisation")]
    whole = [" + ".join(parts) for parts in zip(*pairs, strict=True)]
    claims = [*(f"{mine} <= {its}" for mine, its in pairs), f"{whole[0]} <= {whole[1]}{more}"]
    ranges = "K >= 1; S >= 1; V >= 0; C >= 0; w > 0; o > 0" + ("; B >= 1; g >= 0" if more else "")
    return Relations(f"{'; '.join(claims)} for {ranges}", names={"V": r"\sigma^2", "C": r"\sigma_c^2"})


def at_largest(one_way: str, two_way: str) -> Evidence:
    """f_f = f_c = x^2/2, K = 2: a state that a round of 2-way GT multiplies by lam, against a round of 1-way GT at its rate."""
    x, u, lam, h, s = sp.symbols("x u lam h s")
    y = x - h * (x + u)
    after, shift = x + 2 * (y - h * (y + u) - x), (x + y) / 2
    move = sp.Matrix([after, shift]).jacobian([x, u]).subs(h, R(two_way))
    factor = (move.trace() + sp.sqrt(move.trace() ** 2 - 4 * move.det())) / 2
    at = {x: 1, u: (factor - move[0, 0]) / move[0, 1], lam: factor, h: R(two_way), s: R(one_way)}
    given = [(after, "=", lam * x), (shift, "=", lam * u)]
    setting = (
        "f_f = f_c = x^2/2, K = 2, eta_m = eta_s = 1, eta_c = eta = h (2-w GT), s (1-w GT); a round of 2-w GT from x "
    )
    setting += (
        "with both transferred gradients u multiplies all three by lam, one of 1-w GT multiplies x by 1 - 2 s (2 - s)"
    )
    return by_witness(Witness(at, lam, "<=", 1 - 2 * s * (2 - s), given, setting))


rows_two = [
    statement_of_algebra(
        "MX-IMPL-2W.1",
        below("1-w GT"),
        false={
            "1.01 K times": (f"{order('2-w GT', 'noise')} <=", f"101*K/100*{order('2-w GT', 'noise')} <="),
            "half of the rounds": ("(o) <= (o)", "(o) <= (o)/2"),
        },
        group=third_implication,
        says=r"\text{order of 2-w GT}\le\text{order of 1-w GT, term by term}:\ ",
        summary="The order of 2-way GT is at most that of 1-way GT, term by term.",
    ),
    statement_of_algebra(
        "MX-IMPL-2W.2",
        below("PT", " + g"),
        false={
            "K times": (f"{order('2-w GT', 'noise')} <=", f"K*{order('2-w GT', 'noise')} <="),
            "B below 1": ("B >= 1", "B >= 1/2"),
        },
        group=third_implication,
        says=r"\text{order of 2-w GT}\le\text{order of PT, term by term}:\ ",
        summary="The order of 2-way GT is at most that of Parallel Training, term by term.",
    ),
    third_implication(
        "MX-IMPL-2W.3[each at the largest step of Table 3]",
        fault="reading",
        printed=dict(one_way="1/16", two_way="1/162"),
        repair="MX-IMPL-2W.1",
        statement=r"\rho_{2w}\le\rho_{1w}\text{ at the largest steps of Table 3}",
        headline="At their largest printed steps 2-way transfer is slower than 1-way",
        summary="As a statement about runs it depends on the rates: at the largest steps of Table 3 2-way GT "
        "contracts more slowly than 1-way GT.",
        controls=[Control("equal rates 1/100", dict(one_way="1/100", two_way="1/100"), must="pass")],
    )(at_largest),
    statement_of_algebra(
        "MX-IMPL-2W.3[equal rates, eta = 1/100]",
        Relations(
            "n_2w <= (t_1w/t)**2*n; x**2 <= 2*n for t > 0; h = 1/100; s = 1/100; t_1 = t - s*(t + t); t_1w = t_1 - s*(t_1 + t); "
            "y = x - h*(x + u); z = y - h*(y + u); a = x - h*(x + v); b = a - h*(a + v); x_2w = x + (z - x) + (b - x); "
            "u_2w = (x - b)/(2*h) - v; v_2w = (x - z)/(2*h) - u; "
            "n = (x - (u + v)/50)**2 + (u**2 + v**2)/500; n_2w = (x_2w - (u_2w + v_2w)/50)**2 + (u_2w**2 + v_2w**2)/500",
            squares={
                0: [
                    ("3544389/50000000", "x - 171509*(u + v)/59073150"),
                    ("44212074275241/49227625000000000", "u + v"),
                    ("1440561/1562500000", "u - v"),
                ],
                1: [("1", "x - (u + v)/25"), ("3/2500", "u + v"), ("1/500", "u - v")],
            },
            names={"n": "N(x,u,v)", "n_2w": r"N(x_{2w},u_{2w},v_{2w})", "h": r"\eta_{2w}", "s": r"\eta_{1w}"},
        ),
        headline="On an instance at equal small rates 2-way transfer contracts faster: its steps are longer",
        false={
            "eta = 1/4": ("h = 1/100", "h = 1/4"),
            "largest steps": ("h = 1/100; s = 1/100", "h = 1/162; s = 1/16"),
        },
        group=third_implication,
        says=r"f_f=f_c=\tfrac{x^2}2,\ K=2,\text{ a norm }\sqrt N\text{ of model and transferred gradients in which a round of "
        r"2-w GT contracts by the factor }t_{1w}/t\text{ of 1-w GT}:\quad ",
        scope=Scope.INSTANCE,
        summary="At equal small rates 2-way GT contracts at least as fast on this instance, in a norm of its state: both of its "
        "updates move along the gradient of f, so that its effective step is twice as long.",
    ),
]


if __name__ == "__main__":
    run_script(__file__)
