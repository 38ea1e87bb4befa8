"""(19) of FedLAMA as printed, for two local steps and any synchronisation between them.

x1 is the clients' average after the first step.  Besides the descent lemma from u to the next model and from x1 to it, the proof
uses the two sharp inequalities between F at u and at x1 that smoothness from above and below gives at the points

    (u + x1)/2 + (grad F(x1) - grad F(u))/(2 L),    (u + x1)/2 - (grad F(x1) - grad F(u))/(2 L).

With a = L eta <= 1/2, G = grad F(u), P = grad F(x1), e the difference of the clients' mean gradient and P, and n the mean
noise of the first step, what is left is a quadratic form in (G, P, e) and one in (n, P, e), the deviations, both positive for
multipliers that are constant for a <= 1/3 and for a >= 1/3.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import sympy as sp

from fltheory.derivation.packs import suppose
from fltheory.derivation.replay import Underivable
from fltheory.derivation.script import Derivation
from fltheory.derivation.statement import text_of
from fltheory.evidence.things import declare, granted
from fltheory.kinds import JSON
from fltheory.theory.bound import Bound
from fltheory.theory.fedlama2021 import lemma_5_1 as stated

a = sp.Symbol("a", positive=True)
OVER = "k xi xc past"


@dataclass(frozen=True)
class StepFactors:
    """Factors of: descent from u; the sharp inequality from x1 to u; clients against x1, and against u; ends of eta L."""

    direct: sp.Rational
    back: sp.Rational
    apart: sp.Rational
    together: sp.Rational
    low: str
    high: str


_NONE, _HALF = sp.Integer(0), sp.Rational(1, 2)
SHORT = StepFactors(_NONE, _NONE, _HALF, _NONE, "0", "1/(3*L)")
LONG = StepFactors(
    sp.Rational(1, 20), sp.Rational(9, 100), sp.Rational(17, 40), sp.Rational(3, 40), "1/(3*L)", "1/(2*L)"
)


def remainder(by: StepFactors, mean: bool) -> tuple[sp.Matrix, tuple[sp.Symbol, ...]]:
    """L times what is left: the form of the means, in G, P, e, or that of the deviations, in n, P, e."""
    first, P, e = letters = sp.symbols("G P e" if mean else "n P e")
    G, n = (first, 0) if mean else (0, first)
    moved = -a * (G + n)
    last = -a * (P + e)
    form = -a * G**2 + a / 2 * moved**2 + a**2 / 2 * n**2
    form -= by.direct * (G * (moved + last) + (moved + last) ** 2 / 2) + (1 - by.direct) * (P * last + last**2 / 2)
    sharp, back = moved**2 / 4 - (P - G) ** 2 / 4, (G + P) * moved / 2
    form -= (1 - by.direct + by.back) * (sharp + back) + by.back * (sharp - back)
    form += a * by.apart * e**2 + a * by.together * ((P + e - G) ** 2 - moved**2)
    return sp.hessian(sp.expand(form), letters) / 2, letters


def squares(by: StepFactors, mean: bool) -> list[tuple[sp.Expr, Mapping[sp.Symbol, sp.Expr]]]:
    """The form as a sum of weights times squares, the last letter eliminated first."""
    matrix, letters = remainder(by, mean)
    found = []
    for i in reversed(range(3)):
        weight = sp.factor(matrix[i, i])
        row = [sp.factor(matrix[i, j] / weight) for j in range(3)]
        found.append((weight, {one: c for one, c in zip(letters, row, strict=True) if c}))
        matrix = (matrix - weight * sp.Matrix(row) * sp.Matrix([row])).applyfunc(sp.factor)
    return found


def declared(title: str, by: StepFactors, rounds: bool) -> Derivation:
    """Two steps of all clients, between which any layers are averaged; in each of T rounds, or in one."""
    d = Derivation(f"FedLAMA, {title}, two local steps")
    declare(d, "axes k xi xc past")
    past = "past"
    if rounds:
        declare(d, "axes t; T >= 1")
        d.parameter("decrease")
        past = "past t"
    d.parameter("m", 1)
    d.parameter("tau", "2", "2")
    d.parameter("L", 0, low_open=True)
    d.parameter("eta", by.low, by.high, low_open=by.low == "0")
    declare(d, "sigma >= 0; function F over k")
    d.vector("u", past)
    declare(d, f"F at u; n over k xi {past}, mean 0 over xi; x1 over xi {past} = u - eta*mean(g_u + n, k)")
    d.vector("apart", f"k xi {past}", mean=[["k", "0", "x1 is the average of the clients' models"]])
    declare(d, f"x over k xi {past} = x1 + apart; n2 over k xi xc {past}, mean 0 over xc; F at x1, x")
    declare(d, f"w over xi xc {past} = x1 - eta*mean(g_x + n2, k)")
    declare(d, f"up over xi {past} = u/2 + x1/2 + mean(g_x1 - g_u, k)/(2*L)")
    declare(d, f"down over xi {past} = u/2 + x1/2 - mean(g_x1 - g_u, k)/(2*L); F at w, up, down")
    return d


def facts(d: Derivation) -> None:
    """What smoothness says between the points, and the variances of the mean noises."""
    suppose(d, "smooth", of="F", L="L")
    below = "f_y - f_x - dot(g_x, y - x) + L/2*sq(y - x)"
    d.hypothesis("smooth from below", below, of="F", points=["x", "y"])
    suppose(d, "Lipschitz gradients", of="F", L="L")
    for name, points in (
        ("from u", ("u", "w")),
        ("from x1", ("x1", "w")),
        ("u up", ("u", "up")),
        ("x1 down", ("x1", "down")),
    ):
        d.assume(name, "smooth", points)
    for name, points in (("x1 up", ("x1", "up")), ("u down", ("u", "down"))):
        d.assume(name, "smooth from below", points)
    for name, points in (("apart", ("x", "x1")), ("together", ("x", "u"))):
        d.assume(f"clients {name}", "Lipschitz gradients", points)
    suppose(d, "bounded variance", name="variance of n", sigma2="sigma**2", noise="n")
    suppose(d, "central variance", name="variance of n2", C="sigma**2", noise="n2")
    for noise, total in (("n", "V"), ("n2", "V2")):
        d.assume(f"variance of {noise}", f"variance of {noise}")
        d.independent(f"mean of {noise}", f"variance of {noise}", noise=noise, clients="k", total=total)
        granted(d, "equal weights", name=f"equal weights {noise}", V=total, sigma="sigma", N="m")


def one_of_the_rounds(d: Derivation, target: str, factor: sp.Expr, by: StepFactors) -> None:
    """Smoothness and squares for one round; ``factor`` of the printed distances."""
    facts(d)
    texts = {"G": "mean(g_u, k)", "n": "mean(n, k)"}
    every = []
    for mean in (True, False):
        of_p, of_e = "mean(g_x1, k)", "mean(g_x - g_x1, k)"
        texts |= {"P": "mean(g_x1, k, xi)", "e": "mean(g_x - g_x1, k, xi)"}
        if not mean:
            texts |= {"P": f"{of_p} - {texts['P']}", "e": f"{of_e} - {texts['e']}"}
        for weight, row in squares(by, mean):
            vector = " + ".join(
                f"({text_of(c.subs(a, stated.L * stated.eta))})*({texts[one.name]})" for one, c in row.items()
            )
            every.append([text_of(sp.factor(weight.subs(a, stated.L * stated.eta)) / stated.L), vector])
    sharp, back = text_of(1 - by.direct + by.back), text_of(by.back)
    used = {
        "from u": text_of(by.direct),
        "from x1": text_of(1 - by.direct),
        "u up": sharp,
        "x1 up": sharp,
        "x1 down": back,
        "u down": back,
    }
    used |= {"clients apart": f"eta*{text_of(by.apart)}", "clients together": f"eta*{text_of(by.together)}"}
    for noise in ("n", "n2"):
        used |= {f"mean of {noise}": "L*eta**2/2", f"equal weights {noise}": "-L*eta**2/2"}
    every.append([f"eta*{text_of(by.apart)}", "g_x - g_x1 - mean(g_x - g_x1, k)"])
    every.append([f"eta*{text_of(by.together)}", "g_x - g_u - mean(g_x - g_u, k)"])
    if factor != 1:
        every.append([f"L**2*eta/2*({text_of(factor - 1)})", "x - u"])
    d.combine("one round", target, over=OVER, facts=used, squares=every, unfold="x w x1 up down")


def begun(bound: Bound, by: StepFactors, independent: bool, rounds: bool) -> Derivation:
    """The two steps, if their clients are independent."""
    if not independent:
        raise Underivable("without independence of the clients nothing is known of the variance of their mean noise")
    return declared(bound.name, by, rounds)


def factor_of(bound: Bound, printed: Bound) -> sp.Expr:
    """How many times the printed distances the bound has."""
    of_distances = (sp.expand(one.expression).coeff(stated.drift) for one in (bound, printed))
    return sp.cancel(next(of_distances) / next(of_distances))


def two_local_steps(bound: Bound, by: StepFactors, *, independent: bool = True) -> Mapping[str, JSON]:
    """The bound of one round at tau = 2."""
    d = begun(bound, by, independent, rounds=False)
    names: Mapping[sp.Basic, str] = {stated.drift: "(m*sq(x - u))", stated.square: "sq(mean(g_u, k))"}
    at_two = bound.expression.subs(stated.tau, 2)
    one_of_the_rounds(d, f"{text_of(at_two, names)} - (f_w - f_u)", factor_of(bound, stated.ROUND), by)
    return d.concluding("one round")


def rounds_of_two(bound: Bound, by: StepFactors, *, independent: bool = True) -> Mapping[str, JSON]:
    """The lemma, F at the end of the last round, at tau = 2; the distances of the first steps are zero."""
    d = begun(bound, by, independent, rounds=True)
    factor = factor_of(bound, stated.LEMMA)
    rest = f"eta*sq(mean(g_u, k)) - L*eta**2*sigma**2/m - L**2*eta/2*({text_of(factor)})*sq(x - u)"
    one_of_the_rounds(d, f"f_u - f_w - ({rest})", factor, by)
    declare(d, "next u = w; next f_u = f_w; x_next over k xi xc past t; next x = x_next")
    ends = {"over": "k past", "time": "t", "over_next": OVER, "first": "Psi_first", "last": "Psi_last"}
    d.define("Psi", "f_u", next="Psi_next", **ends)
    suppose(d, "gap at the start", name="decrease of F", gap="decrease", Phi_1="Psi_first", f_star="Psi_last")
    d.assume("decrease", "decrease of F")
    d.define("distance", "sq(x - u)", over=OVER, time="t", next="distance_next", over_next=OVER)
    rest = rest.replace("sq(x - u)", "distance")
    used = {"one round": "1", "Psi": "1", "Psi_next": "-1", "distance": f"L**2*eta/2*({text_of(factor)})"}
    d.combine("in numbers", f"Psi - Psi_next - ({rest})", over=OVER, facts=used)
    d.telescope("all rounds", "in numbers", ["Psi"], "T")
    names: Mapping[sp.Basic, str] = {stated.drift: "(T*m*distance)"}
    right = text_of(bound.expression.subs(stated.tau, 2), names)
    used = {"all rounds": "T/eta", "decrease": "1/eta"}
    d.combine("Lemma 5.1", f"{right} - T*sq(mean(g_u, k))", over=f"{OVER} t", facts=used)
    return d.concluding("Lemma 5.1")
