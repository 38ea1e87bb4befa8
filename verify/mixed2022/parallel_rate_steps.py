"""Steps from the recursions of Parallel Training to its numbers of rounds, and against the printed orders."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import isqrt, log

import sympy as sp

from fltheory.theory.mixed2022 import one_round, orders, parallel
from fltheory.theory.mixed2022.orders import D2, B, C, G, K, S, V, terms
from fltheory.theory.mixed2022.parallel import CONVEX_RECURSION, SMOOTH_RECURSION, TOP, Gd2
from fltheory.theory.mixed2022.parallel_rates import FACTORS, PARTS, START, A, N, R, X, e, eps, n, nu, rounds, v
from fltheory.theory.proofs import Open, is_zero
from fltheory.theory.steps import Step, identity, inequality, shown, sign
from verify.mixed2022.recursion_steps import telescoping


def used_recursion(case: str) -> list[Step]:
    """The error's three factors from the recursion: divided by its decrease and by e, telescoped."""
    smooth = case == "non-convex"
    found = SMOOTH_RECURSION.expression if smooth else CONVEX_RECURSION.expression
    decrease = -sp.diff(found, one_round.G2 if smooth else one_round.gap) / one_round.e
    noise = sp.diff(found, parallel.nu) / one_round.e**2 / (one_round.beta if smooth else 1)
    drifted = sp.diff(found, Gd2) / (one_round.e**3 * parallel.v) / (one_round.beta**2 if smooth else one_round.beta)
    values = FACTORS[case]
    names = ("start", "noise", "dissimilarity")
    exact = [sp.simplify(x) for x in (1 / decrease, noise / decrease, drifted / decrease)]
    steps = [identity(f"factor of the {name}", x, y) for name, x, y in zip(names, exact, values, strict=True)]
    if smooth:
        before, after, spent = sp.symbols("before after spent")
        return [*steps, identity("telescoping sum", (before - spent) + (spent - after), before - after)]
    return [*steps, *telescoping()]


def enough(case: str, parts: tuple[str, str, str]) -> list[Step]:
    """The three shares of eps, the longest step, and their sum."""
    a, b, c = (R(x) for x in parts)
    if min(a, b, c) <= 0:
        return [Step("1/e has three parts", False, "a part is missing")]
    first, second, third = FACTORS[case]
    top = TOP["non-convex" if case == "non-convex" else "convex"]
    plain = ((eps, 0, None), (A, 0, None), (e, 0, None))
    premises = {
        "start": (first, START[case] * eps - A),
        "noise: e nu <= eps/b": (second, eps / b - N),
        "dissimilarity: e^2 G^2 v <= eps/c^2": (third, eps / c**2 - X),
    }
    total = first * A + second * N + third * X
    share = 1 / START[case]
    if case == "strongly convex":
        power = sp.Symbol("power")  # (1 - mu e)^(-n) >= exp(mu e n) >= 1 + (4/3) mu D^2/eps
        name, left = "start: mu D^2/((1 - mu e)^(-n) - 1)", START[case] * eps - A / (power - 1)
        ranges = (*plain[:2], (power, 1 + share * A / eps, None))
    else:
        name, left = "start: D^2/(e n) or F/(e n)", START[case] * eps - A / (e * n)
        ranges = (*plain, (n, share * A / (e * eps), None))
    return [
        sign("longest step", top - 1 / a, ()),
        inequality("error at most eps", total, eps, premises=premises, ranges=plain),
        sign(name, left, ranges),
    ]


def steps(case: str, parts: tuple[str, str, str]) -> list[Step]:
    """Everything between the recursion and the number of rounds."""
    return [*used_recursion(case), *enough(case, parts)]


@dataclass(frozen=True)
class Quadratics:
    """f_f = (p/2) x^2 + g x, f_c = (q/2) x^2 - g x with p, q <= 1 = beta; eta_s = S = 1, start 1; ``noise``: central variance."""

    p: Fraction
    q: Fraction
    slope: Fraction = Fraction(0)
    noise: Fraction = Fraction(0)
    steps: int = 1
    merge: Fraction = Fraction(1)

    @property
    def B2(self) -> Fraction:
        """The least B^2 of Definition 4.2 with w_f = 1/2."""
        return 2 * (self.p**2 + self.q**2) / (self.p + self.q) ** 2

    @property
    def G2(self) -> Fraction:
        """G^2 for B^2 + 1: the supremum of 2 |f_f'|^2 + 2 |f_c'|^2 - (B^2 + 1) |f'|^2."""
        inner = 2 * self.slope * (self.p - self.q)  # coefficient of 2x; of x^2: -(p + q)^2
        return 4 * self.slope**2 + inner**2 / (self.p + self.q) ** 2

    def step_size(self, eps: Fraction, parts: tuple[str, str, str]) -> Fraction:
        """e, with the square root rounded up (a shorter step would do as well: the sum of the parts is an upper bound of 1/e)."""
        a, b, c = (Fraction(x) for x in parts)
        root = Fraction(isqrt(int(self.G2 / (self.merge**2 * eps) * 10**6)) + 1, 1000) if self.slope else Fraction(0)
        total = a * (2 + self.B2) + b * self.noise / (self.steps * eps) + c * root
        return 1 / total

    def needed(self, case: str, e: Fraction, eps: Fraction) -> int:
        """n of the statement, rounded up."""
        if case == "strongly convex":
            mu = float(min(self.p, self.q))
            return int(log(1 + 4 * mu / (3 * float(eps))) / (mu * float(e))) + 1
        start = 1 if case == "convex" else (self.p + self.q) / 2
        return int((Fraction(4, 3) if case == "convex" else Fraction(8, 3)) * start / (e * eps)) + 1

    def error(self, case: str, e: Fraction, count: int) -> float:
        """Weighted mean of E f(x^t) - f(x*), or the mean of E |f'(x^t)|^2, t < count."""
        rate, many = e / (self.steps * self.merge), self.steps
        move = spread = shift = Fraction(0)
        for curvature, slope, noise in ((self.p, self.slope, Fraction(0)), (self.q, -self.slope, self.noise)):
            powers = [(1 - rate * curvature) ** j for j in range(many)]
            move += self.merge * (1 - (1 - rate * curvature) ** many)
            shift += self.merge * rate * slope * sum(powers, start=Fraction(0))
            spread += (self.merge * rate) ** 2 * noise * sum((x * x for x in powers), start=Fraction(0))
        mu = float(min(self.p, self.q)) if case == "strongly convex" else 0.0
        whole = float(self.p + self.q)
        mean, square, total, weight_sum, weight = 1.0, 1.0, 0.0, 0.0, 1.0
        for _ in range(count):
            size = whole**2 * square if case == "non-convex" else whole / 2 * square
            total, weight_sum = total + weight * size, weight_sum + weight
            weight = weight / (1 - mu * float(e))
            if size > 1e100:
                return float("inf")
            factor = 1 - float(move)
            square = factor**2 * square - 2 * factor * mean * float(shift) + float(shift) ** 2 + float(spread)
            mean = factor * mean - float(shift)
            if weight > 1e100:
                total, weight_sum, weight = total / weight, weight_sum / weight, 1.0
        return total / weight_sum


def examples() -> list[tuple[Quadratics, Fraction]]:
    """Instances with accuracies, simplest first."""
    one, half = Fraction(1), Fraction(1, 2)
    return [
        (Quadratics(one, one), half),
        (Quadratics(one, one, noise=Fraction(500)), half),
        (Quadratics(one, half, Fraction(400), steps=2), half),
        (Quadratics(one, half, Fraction(20), Fraction(10), 3), half),
        (Quadratics(one, half, Fraction(400), steps=2, merge=Fraction(20)), half),
        (Quadratics(half, half, noise=one), Fraction(1, 20)),
    ]


def one_round_more(case: str) -> list[Step]:
    """T = n + 1 models at most: if the start is not accurate already, the optimisation term is at least a constant."""
    beta, start, accuracy, kappa = sp.symbols("beta start accuracy kappa", positive=True)
    positive = ((beta, Open(0), None), (accuracy, 0, None))
    if case == "non-convex":  # |grad f(x^0)|^2 <= 4 beta F, since f is 2 beta-smooth
        gap = 4 * beta * start / accuracy - 1
        return [sign("eps < 4 beta F gives 1 <= 4 beta F/eps", gap, (*positive, (start, accuracy / (4 * beta), None)))]
    # f(x^0) - f* <= beta D^2
    gap = beta * start / accuracy - 1
    first = sign("eps < beta D^2 gives 1 <= beta D^2/eps", gap, (*positive, (start, accuracy / beta, None)))
    if case == "convex":
        return [first]
    # log(1 + 4 y/3) >= (4 y/3)/(1 + 4 y/3), y = mu D^2/eps > mu/beta = 1/kappa; kappa log(..) >= 4/7
    y = sp.Symbol("y", positive=True)
    name = "kappa (4y/3)/(1 + 4y/3) >= 4/7 for y >= 1/kappa, kappa >= 1"
    gap = kappa * (4 * y / 3) / (1 + 4 * y / 3) - R(4, 7)
    return [first, sign(name, gap, ((kappa, 1, None), (y, 1 / kappa, None)))]


#: T - 1 against the printed terms: constants of noise, dissimilarity and optimisation (logarithms aside).
CONSTANTS = {"strongly convex": ("4", "3", "16"), "convex": ("16/3", "4", "64/3"), "non-convex": ("64/3", "40/3", "48")}
#: 1/eta_m^2 at which the dissimilarity part of 1/e is its first part.
LARGE_MERGING = {
    "strongly convex": R(64, 9) * (1 + B**2) ** 2 * orders.beta * orders.eps / G**2,
    "convex": R(64, 9) * (1 + B**2) ** 2 * orders.beta * orders.eps / G**2,
    "non-convex": R(81, 25) * (1 + B**2) ** 2 * orders.eps / G**2,
}


def pieces(case: str) -> dict[str, sp.Expr]:
    """The number of rounds in parts, without the logarithm: noise (with sigma^2, sigma_c^2), dissimilarity, optimisation."""
    logarithm = sp.log(1 + R(4, 3) * orders.mu * D2 / orders.eps)
    whole = rounds(case, PARTS[case])
    whole = sp.expand(whole / logarithm if case == "strongly convex" else whole)
    at = {nu: (V + S * C) / (K * S)}
    noise = sp.expand(whole.coeff(nu) * nu)
    other = sp.expand(whole - noise)
    dissimilar = other.coeff(G) * G
    return {"noise": noise.subs(at), "dissimilarity": dissimilar, "optimisation": sp.simplify(other - dissimilar)}


def against_order(case: str, term: sp.Expr) -> list[Step]:
    """At eta_m = 1: every part is at most its constant times the term of the order; ``term``: that of the dissimilarity."""
    found, printed = pieces(case), terms("PT", case)
    on_noise, on_other, on_optimisation = (R(limit) for limit in CONSTANTS[case])
    optimisation = printed["optimisation"].replace(sp.log, lambda _: sp.Integer(1))
    dissimilar = found["dissimilarity"].subs(v, 1)
    rest = sp.simplify((on_optimisation * optimisation - found["optimisation"]) / optimisation * B**2)
    return [
        identity("noise", sp.simplify(found["noise"] - on_noise * printed["noise"]), 0),
        shown(
            "dissimilarity",
            lambda: is_zero(sp.simplify(dissimilar - on_other * term)),
            f"{CONSTANTS[case][1]} times {term} is not {dissimilar}",
        ),
        sign("optimisation: 1 + B^2 <= 2 B^2", rest, ((B, 1, None),)),
    ]


def order_at_one(case: str, term: sp.Expr) -> list[Step]:
    """The order at eta_m = 1 with this term of the dissimilarity, from the recursion on."""
    return [*steps(case, PARTS[case]), *one_round_more(case), *against_order(case, term)]


def without_dissimilarity(case: str, value: sp.Expr) -> list[Step]:
    """At 1/eta_m^2 = ``value`` (LARGE_MERGING, or less) the dissimilarity part is at most the optimisation part."""
    other = pieces(case)
    at_large = sp.simplify(sp.powdenest(other["dissimilarity"].subs(v, value), force=True))
    same = sp.simplify(at_large - other["optimisation"]) == 0
    return [Step("dissimilarity part at large eta_m", same, f"{at_large} is not {other['optimisation']}")]
