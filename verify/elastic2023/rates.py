r"""Section 9.3 of the elastic aggregation supplement: Theorem I with constants.

| symbol         | meaning                                                                                   |
|----------------|-------------------------------------------------------------------------------------------|
| e              | effective step K phi eta_g eta_l                                                            |
| D, F           | positive, at least the distance of x^0 from x*, at least f(x^0) - inf f                      |
| M              | M^2 = sigma^2 (1 + S/(phi eta_g)^2) + K (1 - S/N) G^2                                        |
| c_1, c_2       | noise of a round in e^2 and in e^3: 4 M^2/(KS) and 9/2 beta G^2                              |
| b, C           | the larger one of 2 and mu^2 R D^2/(c_1 + c_2/(mu R)); a number with C (1 - exp(-1/2)) >= 1   |

Instances: the parabola x^2/2 for all clients, K = 1, with exact second moments.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import sympy as sp

from fltheory.theory import ranges
from fltheory.theory.bound import Bound as AnyBound
from fltheory.theory.conditions import Condition
from fltheory.theory.elastic2023.vocabulary import Bound
from fltheory.theory.steps import Instance

beta, mu, B, G, M, D, F, R, K, S, N, e, b, C = sp.symbols("beta mu B G M D F R K S N e b C", positive=True)
c_1, c_2, sigma, gap, w2, p, q2 = sp.symbols("c_1 c_2 sigma gap w2 p q2", positive=True)
n, TOP = R + 1, 1 / (8 * (1 + B**2) * beta)
HALF, THIRD = sp.Rational(1, 2), sp.Rational(1, 3)

_NAMES = {
    "e": r"\tilde\eta",
    "p": r"\phi\eta_g",
    "gap": r"\left(\mathbb{E}f(x^{r-1})-f^\star\right)",
    "w2": r"\mathbb{E}\|x^{r-1}-x^\star\|^2",
    "q2": r"\mathbb{E}\|\nabla f(x^{r-1})\|^2",
    "b": "b",
}
_RANGES: Mapping[str, ranges.Range] = {
    **dict.fromkeys(("e", "D", "F", "b", "C"), ranges.POSITIVE),
    **dict.fromkeys(("M", "gap", "w2", "q2", "G", "sigma"), ranges.NONNEGATIVE),
    **dict.fromkeys(("K", "S", "N"), ranges.COUNT),
    "R": ranges.WHOLE,
    "p": ranges.AT_LEAST_ONE,
    "B": ranges.AT_LEAST_ONE,
}
display = Bound.displays(_NAMES, ranges=_RANGES)

AVERAGE_GAP = r"\frac1{R+1}\sum_{r=0}^{R}\mathbb{E}f(x^r)-f^\star"
WEIGHTED_GAP = r"\sum_{r=0}^{R}\frac{w_{r+1}}{W_R}\left(\mathbb{E}f(x^r)-f^\star\right)"
AVERAGE_GRADIENT = r"\frac1{R+1}\sum_{r=0}^{R}\mathbb{E}\|\nabla f(x^r)\|^2"
LEVEL_OF_NOISE = r"M^2=\sigma^2\Big(1+\tfrac{S}{\phi^2\eta_g^2}\Big)+K\big(1-\tfrac SN\big)G^2"

_STEP = Condition("0 < e <= 1/(8 (1 + B^2) beta)", sp.Le(8 * (1 + B**2) * beta * e, 1))
_LATE = Condition("e >= 1/(mu R)", sp.Ge(mu * R * e, 1))
SHARES = Condition("1/e = 8 (1 + B^2) beta + X + U, X and U the shares of noise and drift")
A = (Condition("A1, A3, A4"), Condition("phi eta_g >= 1"))
CONVEX = (*A, Condition("every f_i convex, x* minimises f"))
STRONGLY = (*A, Condition("A2 with mu > 0"))

_FIRST = 8 * (1 + B**2) * beta / n
CONVEX_RATE = display(
    "general convex rate",
    AVERAGE_GAP,
    sp.Rational(5, 7)
    * (
        _FIRST * D**2
        + 4 * M * D / sp.sqrt(K * S * n)
        + sp.Rational(3, 2) * sp.cbrt(9 * beta * G**2) * D ** (4 * THIRD) / n ** (2 * THIRD)
    ),
    (*CONVEX, SHARES),
    "EL-T1-GC-S1",
    source="Theorem I, (16)",
)
SMOOTH_RATE = display(
    "rate without convexity",
    AVERAGE_GRADIENT,
    3
    * (
        _FIRST * F
        + 2 * M * sp.sqrt(2 * beta * F) / sp.sqrt(K * S * n)
        + sp.Rational(3, 2) * sp.cbrt(sp.Rational(5, 2) * beta**2 * G**2) * F ** (2 * THIRD) / n ** (2 * THIRD)
    ),
    (*A, SHARES),
    "EL-T1-NC-S1",
    source="Theorem I, (17)",
)
CONVEX_ORDER = display(
    "general convex order",
    AVERAGE_GAP,
    12
    * (
        M * D / sp.sqrt(K * S * n) + D ** (4 * THIRD) * sp.cbrt(beta * G**2) / n ** (2 * THIRD) + B**2 * beta * D**2 / n
    ),
    (*CONVEX, SHARES),
    "EL-T1-GC[D the distance]",
    source="Theorem I, (16)",
)
SMOOTH_ORDER = display(
    "order without convexity",
    AVERAGE_GRADIENT,
    48
    * (
        M * sp.sqrt(beta * F) / sp.sqrt(K * S * n)
        + F ** (2 * THIRD) * sp.cbrt(beta**2 * G**2) / n ** (2 * THIRD)
        + B**2 * beta * F / n
    ),
    (*A, SHARES),
    "EL-T1-NC[M sqrt(beta F), (beta^2 G^2)^(1/3)]",
    source="Theorem I, (17)",
)

#: One round, all of what follows rests on these two.
CONVEX_RECURSION = display(
    "one round, convex",
    r"\mathbb{E}\|x^r-x^\star\|^2",
    (1 - mu * e / 2) * w2
    - sp.Rational(7, 5) * e * gap
    + 4 * e**2 * M**2 / (K * S)
    + sp.Rational(9, 2) * beta * e**3 * G**2,
    (*A, Condition("A2 with mu >= 0"), _STEP),
    "EL-T1-SUM.2",
    source="proof of Theorem I, first display",
)
SMOOTH_RECURSION = display(
    "one round, not convex",
    r"\mathbb{E}f(x^r)-\mathbb{E}f(x^{r-1})",
    -e / 3 * q2 + 2 * beta * e**2 * M**2 / (K * S) + sp.Rational(5, 4) * beta**2 * e**3 * G**2,
    (*A, _STEP),
    "EL-NC-EASY",
    source="Section 9.4, first paragraph",
)
PL_RECURSION = display(
    "one round under a PL inequality",
    r"\mathbb{E}f(x^r)-f^\star",
    (1 - sp.Rational(2, 3) * mu * e) * gap
    + 2 * beta * e**2 * M**2 / (K * S)
    + sp.Rational(5, 4) * beta**2 * e**3 * G**2,
    (*A, Condition("|grad f|^2 >= 2 mu (f - f*)"), _STEP),
    "EL-PL[one round, by function values]",
    source="A2",
)
_POWER = sp.exp(-mu * R / (16 * (1 + B**2) * beta))
_LARGE_R = Condition("R >= 8 (1 + B^2) beta/mu", sp.Ge(mu * R, 8 * (1 + B**2) * beta))
_TUNED = Condition("e the smaller one of 1/(8 (1 + B^2) beta) and 2 log(b)/(mu R)")
_WEIGHTS = Condition("weights w_r = (1 - mu e/2)^(1-r)")
UNROLLED = display(
    "strongly convex, before tuning",
    WEIGHTED_GAP,
    3 * D**2 * mu * sp.exp(-mu * e * R / 2)
    + e * (2 * sigma**2 / (K * S) * (1 + S / p**2) + 8 * G**2 / S * (1 - S / N))
    + 36 * beta * G**2 * e**2,
    (*STRONGLY, _STEP, _LATE, _WEIGHTS),
    "EL-T1-UNR[about the run]",
    source="proof of Theorem I, third display",
)
STRONG_RATE = display(
    "strongly convex rate",
    WEIGHTED_GAP,
    sp.Rational(5, 7)
    * (
        C * mu / 2 * D**2 * _POWER
        + c_1 / (mu * R) * (1 + 2 * sp.log(b))
        + c_2 / (mu * R) ** 2 * (1 + 4 * sp.log(b) ** 2)
    ),
    (*STRONGLY, _LARGE_R, _TUNED, _WEIGHTS, Condition("C (1 - exp(-1/2)) >= 1")),
    "EL-T1-STEP-R1",
    source="proof of Theorem I, last display",
)
STRONG_ORDER = display(
    "strongly convex order",
    WEIGHTED_GAP,
    13
    * (
        mu * D**2 * _POWER
        + M**2 / (mu * R * K * S) * (1 + sp.log(b))
        + beta * G**2 / (mu * R) ** 2 * (1 + sp.log(b)) ** 2
    ),
    (*STRONGLY, _LARGE_R, _TUNED, _WEIGHTS),
    "EL-T1-SC[D the distance]",
    source="Theorem I, (15)",
)
STRONG_SQUARED = display(
    "strongly convex order, D the squared distance",
    WEIGHTED_GAP,
    M**2 / (mu * R * K * S) + beta * G**2 / (mu * R) ** 2 + mu * D**2 * _POWER,
    (*STRONGLY, _LARGE_R, Condition("D = |x^0 - x*|^2")),
    "EL-T1-SC[D the squared distance]",
    source="Theorem I, (15)",
    **{"relation": "O"},
)
#: The two printed forms with D the squared distance, and (17) with other powers of beta: none of them has the right units.
_ORDER = {"relation": "O"}
CONVEX_SQUARED = display(
    "general convex order, D the squared distance",
    AVERAGE_GAP,
    M * D / sp.sqrt(K * S * R) + D ** (4 * THIRD) * sp.cbrt(beta * G**2) / n ** (2 * THIRD) + B**2 * beta * D**2 / R,
    (*CONVEX, Condition("D = |x^0 - x*|^2")),
    "EL-T1-GC[D the squared distance]",
    source="Theorem I, (16)",
    **_ORDER,
)
_LAST = B**2 * beta * F / R
_DRIFT_READ = F ** (2 * THIRD) * sp.cbrt(beta * G**2) / n ** (2 * THIRD)
SMOOTH_BETA = display(
    "order without convexity, beta M sqrt(F)",
    AVERAGE_GRADIENT,
    beta * M * sp.sqrt(F) / sp.sqrt(K * S * R) + _DRIFT_READ + _LAST,
    A,
    "EL-T1-NC[beta M sqrt(F)]",
    source="Theorem I, (17)",
    **_ORDER,
)
SMOOTH_THIRD = display(
    "order without convexity, (beta G^2)^(1/3)",
    AVERAGE_GRADIENT,
    M * sp.sqrt(beta * F) / sp.sqrt(K * S * R) + _DRIFT_READ + _LAST,
    A,
    "EL-T1-NC[M sqrt(beta F), (beta G^2)^(1/3)]",
    source="Theorem I, (17)",
    **_ORDER,
)


@dataclass(frozen=True)
class ParabolaRounds:
    """f_i = x^2/2 for the S = N clients, K = 1: x' = (1 - e) x - e n, n of variance ``noise`` = sigma^2/S; beta = mu = 1."""

    start: Fraction
    e: Fraction
    noise: Fraction
    R: int

    @property
    def squares(self) -> list[Fraction]:
        """E|x^r|^2 for r = 0..R."""
        found = [self.start**2]
        for _ in range(self.R):
            found.append((1 - self.e) ** 2 * found[-1] + self.e**2 * self.noise)
        return found

    @property
    def average(self) -> Fraction:
        """The mean of E|x^r|^2: twice the mean gap, and the mean squared gradient."""
        return sum(self.squares, Fraction(0)) / (self.R + 1)

    def __str__(self) -> str:
        given = f"f_i = x^2/2, B = 1, K = S = N = 1, phi eta_g = 1, x^0 = {self.start}, sigma^2 = {self.noise}"
        return f"{given}, R = {self.R}, e = {self.e}"


def at_scale(bound: AnyBound, scale: str) -> AnyBound:
    """The bound times a number."""
    return replace(bound, expression=sp.Rational(scale) * bound.expression)


def rounded_up(value: sp.Expr) -> Fraction:
    """A rational number at or above a real one."""
    return Fraction(int(sp.ceiling(value * 10**9)), 10**9)


#: (X, U, R): shares of noise and of drift in 1/e, for x^0 = 1.
CASES = ((0, 0, 120), (100, 0, 99), (0, 9, 80), (0, 0, 0))


def weighted(run: ParabolaRounds) -> Fraction:
    """The mean gap of x^0..x^R with the weights (1 - e/2)^(-r)."""
    weights = [(1 - run.e / 2) ** (-r) for r in range(run.R + 1)]
    return sum((w * v for w, v in zip(weights, run.squares, strict=True)), Fraction(0)) / (
        2 * sum(weights, Fraction(0))
    )


def strongly(bound: AnyBound) -> Iterator[Instance]:
    """The parabola with growing weights at e = 1/16, the smaller step: without noise, and from (almost) the minimiser."""
    for start, noise, rounds in ((Fraction(1), Fraction(0), 16), (Fraction(1, 10**6), Fraction(1), 22)):
        run = ParabolaRounds(start, Fraction(1, 16), noise, rounds)
        known: dict[Any, Any] = {
            beta: 1,
            mu: 1,
            B: 1,
            K: 1,
            S: 1,
            N: 1,
            p: 1,
            R: rounds,
            e: run.e,
            D: start,
            G: 0,
            sigma: sp.sqrt(noise),
        }
        known |= {M: sp.sqrt(2 * noise), c_1: 8 * noise, c_2: 0, C: 1 / (1 - sp.exp(-HALF))}
        known[b] = 2 if noise else sp.exp(1)  # without noise any b will do that is large enough
        yield Instance(f"{run}, weights (1 - e/2)^(-r)", weighted(run), rounded_up(bound.expression.subs(known)))


def one_round(bound: AnyBound, *, smooth: bool) -> Iterator[Instance]:
    """One round of the parabola against a recursion."""
    for start, step, noise in (
        (Fraction(1), Fraction(1, 16), Fraction(0)),
        (Fraction(0), Fraction(1, 16), Fraction(1)),
    ):
        run = ParabolaRounds(start, step, noise, 1)
        first, second = run.squares
        known: dict[Any, Any] = {beta: 1, mu: 1, B: 1, K: 1, S: 1, M: sp.sqrt(2 * noise), G: 0, e: step}
        known |= {w2: first, gap: first / 2, q2: first}
        right = rounded_up(bound.expression.subs(known))
        yield Instance(str(run), (second - first) / 2 if smooth else second, right)


def balanced(bound: AnyBound, *, smooth: bool) -> Iterator[Instance]:
    """The parabola at the balanced step against a sublinear rate; G may be larger than it has to be."""
    for X, U, rounds in CASES:
        m = rounds + 1
        if smooth:  # X^2 F = 2 M^2 (R + 1), U^3 F = 5/2 G^2 (R + 1), F = 1/2
            squared, drift = Fraction(X**2, 4 * m), sp.sqrt(sp.Rational(U**3, 5 * m))
        else:  # X^2 = 4 M^2 (R + 1), U^3 = 9 G^2 (R + 1)
            squared, drift = Fraction(X**2, 4 * m), sp.sqrt(sp.Rational(U**3, 9 * m))
        run = ParabolaRounds(Fraction(1), Fraction(1, 16 + X + U), squared / 2, rounds)
        known: dict[Any, Any] = {beta: 1, B: 1, K: 1, S: 1, R: rounds, D: 1, F: HALF, M: sp.sqrt(squared), G: drift}
        right = rounded_up(sp.simplify(bound.expression.subs(known)))
        yield Instance(f"{run}, G^2 = {drift**2}", run.average if smooth else run.average / 2, right)
