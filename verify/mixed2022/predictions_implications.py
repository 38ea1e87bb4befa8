"""Section 4.2 of Augenstein et al. (2022), first and third implication of Table 1: what slows Parallel Training down?

Large G and B slow Parallel Training only; 2-way GT is at least as fast as the others, as a statement about orders, term by term,
and as a statement about runs on exact quadratics."""

from fractions import Fraction

import sympy as sp

from fltheory.evidence.algebra import by_relations, statement_of_algebra
from fltheory.evidence.decide import Tried, decide
from fltheory.evidence.ends import by_witness
from fltheory.evidence.kinds import qualitative_claim, qualitative_of_an_instance, run_script
from fltheory.evidence.matrices import Matrices
from fltheory.evidence.model import Control, Evidence, Scope
from fltheory.evidence.relations import Relations
from fltheory.evidence.witness import Witness
from fltheory.theory.mixed2022.orders import NOISE_SCALE, OPTIMISATION, terms
from verify.mixed2022.table_1_drift import AT_MINIMISER, INSTANCE, MERGED, NAMES, PARALLEL, SAYS

F, R = Fraction, sp.Rational
h, d = sp.symbols("h d", positive=True)
of_instances = qualitative_of_an_instance.sharing(source="Section 4.2, first implication")


#: On f_f = x^2/2 + g x and f_c = x^2/4 - g x from 1, K = 2: Parallel Training (x) is above 1/2 for R rounds if g = 9 R, at any h;
#: 1-way GT (p, rate s) and 2-way GT (v, c = gt_c, d = gt_f from the gradients, rate r) move as at g = 0 (q; w, k, l).
SLOWER = Relations(
    f"x >= 1 - t/(2*R); t >= 0; p = q; v = w; c + g = k; d - g = l; {INSTANCE} for R >= 1; m = 1; 0 < h <= 1/(48*m); s > 0; r > 0; "
    f"g = 9*R; {AT_MINIMISER}; first_t = 0; next_t = t + 1; {PARALLEL}; "
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
        8: {AT_MINIMISER: "1"},
    },
    squares={0: [("1/(2*R)", "3*h*R - 1")], 7: [("17/4", "X - 4*g/17")]},
    at={"R": "1", "h": "1/48", "s": "1", "r": "1", "G_sq": "500", "B_sq": "3", "X": "1"},
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
        headline="On an instance at unit merging rate dissimilarity slows Parallel Training only",
        printed=dict(merge="1"),
        statement=(SAYS, SLOWER),
        summary="On this instance at eta_m = 1 a large G slows Parallel Training: R rounds at g = 9 R leave at least half of the "
        "distance at every rate eta_c = eta up to 1/48, whatever R is. It does not slow the Gradient Transfer "
        "methods, 2-way GT started at the "
        "gradients: at every rate their models are those of g = 0. Every G is at least 2g, and G^2 = 5 g^2 will do with B^2 = 3.",
        controls=[Control("eta_m to infinity", dict(merge="infinity"))],
    )(large_slope),
    of_instances(
        "MX-IMPL-GB.1[eta_m chosen as well]",
        fault="reading",
        printed=dict(merge="infinity"),
        repair="MX-IMPL-GB.1[eta_m = 1]",
        statement=r"G\to\infty:\ \min_{\eta_m}T_{PT}\to\infty",
        headline="On an instance a large merging rate bounds the rounds of Parallel Training",
        summary="With eta_m = 1 + g/(96 tol) or larger (which the conditions allow) and the rate 1/(48 eta_m) Parallel Training "
        "is within tol on this instance after 24 log(2/tol) rounds, whatever g is, and so however large G, which is at least 2g.",
        controls=[Control("eta_m = 1", dict(merge="1"), must="pass")],
    )(large_slope),
]
#: f_f = (1 + d) x^2/2, f_c = -x^2/2 (G = 0, B of order 1/d), K = 2; the step of 1-way GT is admitted (beta <= 2).
large_b = statement_of_algebra(
    "MX-IMPL-GB.2[eta_m = 1]",
    Relations(
        "x - x_PT <= d**2/2*x; x - x_1w >= d/40*x; x - x_PT <= 80/B*(x - x_1w); 2*((1 + d)*X)**2 + 2*(-X)**2 = "
        "B_sq*((1 + d)*X - X)**2; B_sq <= (4/d)**2 for x > 0; 0 < d <= 1; 0 < B <= 4/d; B_sq = (2*(1 + d)**2 + "
        "2)/d**2; m = 1; s = 1/72; y = x - h*(1 + d)*x; y_2 = y - h*(1 + d)*y; z = x + h*x; z_2 = z + h*z; x_PT = x + "
        "m*(y_2 - x + z_2 - x); u = x - s*((1 + d)*x - x); x_1w = u - s*((1 + d)*u - x)",
        squares={0: [("x*(1 + (1 + d)**2)", "h - d/(1 + (1 + d)**2)")]},
        uses={2: {"x - x_PT <= d**2/2*x": "1", "x - x_1w >= d/40*x": "20*d"}},
        at={"d": "1/2", "B": "8", "x": "1", "h": "2/13", "X": "1"},
        names={"d": r"\delta", "h": r"\eta", "m": r"\eta_m", "s": r"\eta_{1w}", "B_sq": r"B_{\min}^2"},
    ),
    headline="On an instance at matched rates a large dissimilarity slope alone slows Parallel Training",
    false={"eta_m = 10": ("m = 1;", "m = 10;"), "half of d^2/2": ("d**2/2", "d**2/4"), "d/30": ("d/40", "d/30")},
    group=of_instances,
    says=r"f_f=\tfrac{1+\delta}2x^2,\ f_c=-\tfrac12x^2,\ K=2,\ \eta_s=1,\ \text{a round from }x\text{ of PT with }\eta_c=\eta"
    r"\text{ (local points }y,z\text{) and of 1-w GT (}u\text{)}:\ ",
    summary="Large B alone (G = 0; here a non-convex central loss) also slows Parallel Training at eta_m = 1 and matched rates: at "
    "every eta_c = eta a round moves at most 80/B times as far towards the minimiser as one of 1-way GT at the rate 1/72, for "
    "every B up to 4/delta, as the least B of Definition 4.2 is.",
)
small_b = statement_of_algebra(
    "MX-IMPL-GB-S1",
    Matrices(
        "2*sq(F*u) + 2*sq(C*u) <= 2*sq(F*u + C*u) for P in S(n); Q in S(n); u in R(n); F = P**2; C = Q**2; P*Q = Q*P",
        squares={0: [("4", "P*Q*u")]},
        uses={0: [("P*Q = Q*P", "4*T(u)*P", "Q*u"), ("P*Q = Q*P", "4*T(u)", "P*Q*u")]},
        at=[
            {"P": "[[1, 0], [0, 0]]", "Q": "[[0, 0], [0, 1]]", "u": "[1, 1]"},
            {"P": "[[1, 0], [0, 0]]", "Q": "[[1, -2], [-2, 4]]", "u": "[1, 1]"},
        ],
        names={"F": "H_f", "C": "H_c", "P": r"\sqrt{H_f}", "Q": r"\sqrt{H_c}"},
    ),
    false={"1.99": ("<= 2*sq", "<= 199/100*sq"), "Hessians that do not commute": ("P*Q = Q*P", "P*Q = P*Q")},
    group=qualitative_claim,
    says=r"w_f=w_c=\tfrac12,\ G=0,\ B^2=2\text{ in Definition 4.2, }u=x-x^*:\quad ",
    source="Definition 4.2 on convex quadratics",
    headline="Quadratics of one minimiser whose Hessian roots commute need no squared slope above two",
    summary="Two convex quadratics with one minimiser whose Hessians are squares of symmetric matrices that commute obey "
    "Definition 4.2 with G = 0 and B^2 = 2, so that they need no larger B.",
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
        false={"eta = 1/4": ("h = 1/100", "h = 1/4"), "largest steps": ("h = 1/100; s = 1/100", "h = 1/162; s = 1/16")},
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
