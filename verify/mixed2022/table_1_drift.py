"""Table 1 of Augenstein et al. (2022) without noise: the best number of rounds on quadratics depends on G as printed?

What holds in every round at every rate proves the dependence on eps and G for Parallel Training on the instance named; 1-way and
2-way GT are linear whatever G is.
"""

import re
from collections.abc import Mapping

import sympy as sp

from fltheory.evidence.algebra import statement_of_algebra
from fltheory.evidence.kinds import asymptotic_of_an_instance, run_script
from fltheory.evidence.relations import Relations
from verify.mixed2022 import closed_forms
from verify.mixed2022.closed_forms import eta_m, eta_s, j, lc, lf, two_way_matrix

R = sp.Rational
table_1_claim = asymptotic_of_an_instance.sharing(source="Table 1")


#: The gap at X; Definition 4.2 at w_f = w_c = 1/2 with G^2 = 5 g^2, B^2 = 3; what it says of every G at the minimiser.
INSTANCE = (
    "X**2/2 + g*X + (X**2/4 - g*X) = 3*X**2/4; 2*(X + g)**2 + 2*(X/2 - g)**2 <= 5*g**2 + 3*(3*X/2)**2; G_sq >= 4*g**2"
)
AT_MINIMISER = "2*(0 + g)**2 + 2*(0/2 - g)**2 <= G_sq + B_sq*(3*0/2)**2"
#: Curvatures (1, 1/2), slope g, K = 2, rates h, from 1; s and r are powers.  Between (1 - 3h)^t and (1 - 2h)^t, so that n rounds
#: do not lead below the gap eps, and T rounds do.
BETWEEN = (
    "x >= s; x <= r; s >= 0; r >= 0; 3*(1 - 2*h)**(2*T)/4 <= eps; 3*(1 - 3*h)**(2*n)/4 >= eps; {instance} for {given}"
    "0 < h <= 1/48; 0 < eps < 3/4; a >= 0; T = log(3/(4*eps))/(4*h) + a; 0 <= b <= 1; n = b*(1 - 3*h)*log(3/(4*eps))/(6*h); "
    "first_r = 1; next_r = (1 - 2*h)*r; first_s = 1; next_s = (1 - 3*h)*s; "
)
OF_POWERS = {
    4: {"(1 - 2*h)**(2*T) <= exp(-4*h*T)": "3/4", "1 + 4*a*h <= exp(4*a*h)": "eps/exp(4*a*h)"},
    5: {
        "(1/(1 - 3*h))**(2*n) <= exp(2*n*3*h/(1 - 3*h))": "3*(1 - 3*h)**(2*n)/(4*exp(2*n*3*h/(1 - 3*h)))",
        "1 + (1 - b)*log(3/(4*eps)) <= exp((1 - b)*log(3/(4*eps)))": "eps",
    },
}


def parallel(x: str, rate: str) -> str:
    """Rounds of Parallel Training from 1 at the rates eta_c = eta of this name, eta_m = m."""
    return (
        f"first_{x} = 1; {x}_1 = {x} - {rate}*({x} + g); {x}_2 = {x}_1 - {rate}*({x}_1 + g); {x}_3 = {x} - {rate}*({x}/2 - g); "
        f"{x}_4 = {x}_3 - {rate}*({x}_3/2 - g); next_{x} = {x} + m*(({x}_2 - {x}) + ({x}_4 - {x}))"
    )


PARALLEL = parallel("x", "h")
NAMES = {"m": r"\eta_m", "h": r"\eta", "tol": r"\mathrm{tol}", "eps": r"\epsilon", "G_sq": "G^2", "B_sq": "B^2"}
TOO_FAST = {
    "(1 - 4h)^t from above": ("(1 - 2*h)*r", "(1 - 4*h)*r"),
    "(1 - 2h)^t from below": ("(1 - 3*h)*s", "(1 - 2*h)*s"),
    "four fifths of the rounds": ("log(3/(4*eps))/(4*h)", "log(3/(4*eps))/(5*h)"),
}
SAYS = r"f_f=\tfrac{x^2}2+gx,\ f_c=\tfrac{x^2}4-gx,\ K=2,\ \eta_s=1,\ \eta_c=\eta,\text{ from }x=1:\ "


def factor(rate: str) -> str:
    """What a round of Parallel Training at eta_m = 1 multiplies the distance to its fixed point by."""
    return f"1 - 3*{rate} + 5*{rate}**2/4"


with_slope = statement_of_algebra(
    "MX-T1-FIT-PT.1",
    Relations(
        "x >= s; z >= tol; u <= tol/2 + r; u >= 0; s >= 0; r >= 0; (1 - 18*tol/g)**n >= tol; tol/2 + (1 - 4*tol/g)**T <= tol; "
        f"{INSTANCE} for m = 1; 0 < tol <= 1; eps = 3*tol**2/4; g >= 288*tol; 0 < h <= 6*tol/g; 6*tol/g <= f <= 1/48; q = 2*tol/g; "
        "0 <= b <= 1; n = b*(g/(18*tol) - 1)*log(1/tol); a >= 0; T = g/(4*tol)*log(2/tol) + a; "
        f"{AT_MINIMISER}; first_s = 1; next_s = (1 - 18*tol/g)*s; first_r = 1; next_r = (1 - 4*tol/g)*r; "
        + "; ".join((parallel("x", "h"), parallel("z", "f"), parallel("u", "q"))),
        uses={
            0: {"x >= s": factor("h")},
            1: {"z >= tol": factor("f")},
            2: {"u <= tol/2 + r": factor("q")},
            6: {
                "(1/(1 - 18*tol/g))**n <= exp(n/(g/(18*tol) - 1))": "(1 - 18*tol/g)**n/exp(n/(g/(18*tol) - 1))",
                "1 + (1 - b)*log(1/tol) <= exp((1 - b)*log(1/tol))": "tol",
            },
            7: {
                "(1 - 4*tol/g)**T <= exp(-4*tol/g*T)": "1",
                "1 + 4*tol/g*a <= exp(4*tol/g*a)": "tol/(2*exp(4*tol/g*a))",
            },
            10: {AT_MINIMISER: "1"},
        },
        squares={9: [("17/4", "X - 4*g/17")]},
        at={
            **{"tol": "1/4", "g": "72", "h": "1/96", "f": "1/48", "b": "1", "a": "0"},
            **{"G_sq": "30000", "B_sq": "3", "X": "1"},
        },
        names=NAMES,
    ),
    headline="On an instance at unit server rates dissimilarity costs Parallel Training rounds",
    false={
        "T of the order G^2": ("(1 - 18*tol/g)*s", "(1 - 18*tol/g**2)*s"),
        "T of the order 1/eps": ("(1 - 18*tol/g)*s", "(1 - 18*tol**2/g)*s"),
        "T of the order G^0": ("(1 - 4*tol/g)*r", "(1 - 4*tol/10)*r"),
        "eta_m = 10": ("m = 1;", "m = 10;"),
        "four fifths of the rounds": ("g/(4*tol)*log", "g/(5*tol)*log"),
    },
    group=table_1_claim.sharing(source="Table 1, Parallel Training"),
    says=SAYS + r"\text{at small rates }h,\text{ at larger ones }f,\text{ and at }q:\ ",
    summary="On this instance at eta_m = 1, eta_c = eta, with tol^2 = 4 eps/3 and g at least 288 tol: at every rate up "
    "to 1/48 |x_t| is at least tol or (1 - 18 tol/g)^t, which is at least tol for t up to (g/(18 tol) - 1) "
    "log(1/tol); at the rate 2 tol/g it is at most tol/2 + (1 - 4 tol/g)^t, which is at most tol from t = g/(4 "
    "tol) log(2/tol) on. G^2 = 5 g^2 will do in Definition 4.2 with B^2 = 3, and no G^2 is below 4 g^2.",
)
without_slope = statement_of_algebra(
    "MX-T1-FIT-PT.2",
    Relations(
        BETWEEN.format(given="m = 1; g = 0; ", instance="X**2/2 + g*X + (X**2/4 - g*X) = 3*X**2/4") + PARALLEL,
        uses={0: {"x >= s": factor("h")}, 1: {"x <= r": factor("h")}, **OF_POWERS},
        names=NAMES,
    ),
    false={"G > 0": ("g = 0", "g = 10000"), **TOO_FAST},
    group=table_1_claim,
    says=SAYS,
    headline="On an instance without dissimilarity at the minimiser Parallel Training is linear",
    summary="Without dissimilarity at the minimiser Parallel Training is linear on this instance: at every rate h up to "
    "1/48 x_t is between (1 - 3h)^t and (1 - 2h)^t. The gap is 3x^2/4; 3(1 - 2h)^(2t)/4 is at most eps from t = "
    "log(3/(4 eps))/(4h) on, 3(1 - 3h)^(2t)/4 at least eps up to (1 - 3h)/(6h) log(3/(4 eps)).",
)
MERGED = Relations(
    f"x >= 0; x <= tol/2 + r; r >= 0; tol/2 + (23/24)**T <= tol; {INSTANCE} for 0 < tol <= 1; g >= 0; k >= 1; m = k*(1 + "
    f"g/(96*tol)); h = 1/(48*m); a >= 0; T = 24*log(2/tol) + a; {AT_MINIMISER}; first_r = 1; next_r = 23*r/24; {PARALLEL}",
    uses={
        1: {"x <= tol/2 + r": "15/16 + 5*h/192"},
        3: {"(23/24)**T <= exp(-T/24)": "1", "1 + a/24 <= exp(a/24)": "tol/(2*exp(a/24))"},
        6: {AT_MINIMISER: "1"},
    },
    squares={5: [("17/4", "X - 4*g/17")]},
    at={"tol": "1", "g": "9600", "k": "1", "a": "0", "G_sq": "500000000", "B_sq": "3", "X": "1"},
    names=NAMES,
)
merged = statement_of_algebra(
    "MX-T1-FIT-PT-U1",
    MERGED,
    false={
        "eta_m a hundred times smaller": ("g/(96*tol)", "g/(9600*tol)"),
        "22/24": ("23*r/24", "22*r/24"),
        "23 log(2/tol) rounds": ("24*log(2/tol)", "23*log(2/tol)"),
    },
    group=table_1_claim,
    says=SAYS,
    headline="On an instance a large merging rate makes Parallel Training linear whatever G is",
    summary="With eta_m chosen as well (at least 1 + g/(96 tol), at the rate 1/(48 eta_m)) Parallel Training is linear on this "
    "instance whatever g is, and so however large G, which is at least 2g: x_t is at most tol/2 + (23/24)^t, at most tol from "
    "24 log(2/tol) rounds on.",
)
one_way = statement_of_algebra(
    "MX-T1-FIT-GT.1W",
    Relations(
        BETWEEN.format(given="", instance=INSTANCE)
        + f"{AT_MINIMISER}; first_x = 1; p = x/2 - g; y = x - h*(x + g + p); next_x = y - h*(y + g + p)",
        uses={
            **{i: {text: "(1 - h)*(1 - 3*h/2) - h/2"} for i, text in enumerate(("x >= s", "x <= r"))},
            **OF_POWERS,
            8: {AT_MINIMISER: "1"},
        },
        squares={7: [("17/4", "X - 4*g/17"), ("13/17", "g")]},
        at={"g": "1", "h": "1/48", "eps": "1/2", "a": "0", "b": "1", "G_sq": "5", "B_sq": "3", "X": "1"},
        names=NAMES,
    ),
    headline="On an instance without noise 1-way transfer is linear whatever the dissimilarity",
    false={"the clients add the central gradient without its slope": ("p = x/2 - g", "p = x/2"), **TOO_FAST},
    group=table_1_claim,
    says=SAYS,
    summary="1-way GT is linear on this instance whatever g is, and so however large G, which is at least 2g: at every "
    "rate h up to 1/48 x_t is between (1 - 3h)^t and (1 - 2h)^t. The gap is 3x^2/4; 3(1 - 2h)^(2t)/4 is at most "
    "eps from t = log(3/(4 eps))/(4h) on, 3(1 - 3h)^(2t)/4 at least eps up to (1 - 3h)/(6h) log(3/(4 eps)), "
    "numbers that have no g.",
)


def _numeric() -> sp.Matrix:
    """The round matrix of 2-way GT at curvatures 1 and 1/2, K = 2, at a rate of 1/162."""
    rate = R(1, 162)
    at = {lf: 1, lc: R(1, 2), eta_m: 1, eta_s: 1, j: 2 * rate, closed_forms.k: 2 * rate}
    at |= {closed_forms.qf: rate * (2 - rate), closed_forms.qc: rate * (2 - rate / 2)}
    return two_way_matrix().subs(at)


def two_way_form() -> list[tuple[str, str]]:
    """(49/50)^2 N - N after a round as squares; u = gt_c + g and v = gt_f - g are what the slope leaves of the state."""
    x, u, v = sp.symbols("x u v")
    matrix = _numeric()
    after = matrix * sp.Matrix([x, u, v])

    def norm(x: sp.Expr, u: sp.Expr, v: sp.Expr) -> sp.Expr:
        return (x - (u + v) / 80) ** 2 + (u**2 + v**2) / 1000

    whole = R(49, 50) ** 2 * norm(x, u, v) - norm(*after)
    state = {"u": "(c + g)", "v": "(d - g)"}
    return [(str(weight), _named(form, state)) for weight, form in closed_forms.as_squares(whole, (x, u, v))]


def _named(form: sp.Expr, names: Mapping[str, str]) -> str:
    text = str(form)
    for name, of in names.items():
        text = re.sub(rf"\b{name}\b", of, text)
    return text


two_way = statement_of_algebra(
    "MX-T1-FIT-GT.2W",
    Relations(
        f"n <= r; x**2 <= 2*n; 3/2*(49/50)**(2*T) <= eps; x_0**2 > M; {INSTANCE} for h = 1/162; 0 < eps <= 1; e >= 0; "
        f"T = 25*log(3/(2*eps)) + e; M >= 0; s = 2*162**2*(M + 1); {AT_MINIMISER}; first_r = 1; next_r = (49/50)**2*r; first_x = "
        f"1; "
        "first_c = 1/2 - g; first_d = 1 + g; y = x - h*(x + g + c); z = y - h*(y + g + c); a = x - h*(x/2 - g + d); "
        "b = a - h*(a/2 - g + d); next_x = x + (z - x) + (b - x); next_c = (x - b)/(2*h) - d; next_d = (x - z)/(2*h) - c; "
        "n = (x - (c + d)/80)**2 + ((c + g)**2 + (d - g)**2)/1000; "
        "y_0 = 1 - h*(1 + s); z_0 = y_0 - h*(y_0 + s); a_0 = 1 - h*(1/2 - s); b_0 = a_0 - h*(a_0/2 - s); "
        "x_0 = 1 + (z_0 - 1) + (b_0 - 1)",
        uses={
            0: {"n <= r": "(49/50)**2"},
            2: {"(49/50)**(2*T) <= exp(-T/25)": "3/2", "1 + e/25 <= exp(e/25)": "eps/exp(e/25)"},
            6: {AT_MINIMISER: "1"},
        },
        squares={
            0: two_way_form(),
            1: [
                ("1", "next_x - (next_c + next_d)/40"),
                ("11/16000", "next_c + next_d"),
                ("1/1000", "next_c + g - (next_d - g)"),
            ],
            5: [("17/4", "X - 4*g/17"), ("13/17", "g")],
        },
        at={"g": "100", "eps": "1", "e": "0", "M": "0", "G_sq": "50000", "B_sq": "3", "X": "1"},
        names={**NAMES, "c": r"\widetilde g_c", "d": r"\widetilde g_f", "n": "N"},
    ),
    false={
        "gt = 0 at the start": ("first_c = 1/2 - g; first_d = 1 + g", "first_c = 0; first_d = 0"),
        "factor 9/10": ("(49/50)**2*r; first_x", "(9/10)**2*r; first_x"),
        "20 for 25": ("25*log", "20*log"),
    },
    group=table_1_claim.sharing(source="Table 1, 2-way GT"),
    says=SAYS,
    headline="On an instance 2-way transfer from the gradients is linear whatever the dissimilarity",
    summary="2-way GT at the rate 1/162, started at the gradients, is linear on this instance whatever g is, and so "
    "however large G, which is at least 2g: x_t^2 is at most 2 N_t, N_t at most (49/50)^(2t), and 3/2 (49/50)^(2t) at "
    "most eps from t = 25 log(3/(2 eps)) on. Started at gt = 0 (allowed, the start is left open) no such bound is the "
    "same for all g: the square of its first model exceeds every M at the slope 2 162^2 (M + 1).",
)


if __name__ == "__main__":
    run_script(__file__)
