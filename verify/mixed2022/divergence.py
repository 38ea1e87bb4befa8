r"""The largest rates of the algorithms of mixed FL on scalar quadratics, eta = eta_c, no noise (Augenstein et al., 2022, C.2).

Curvatures lambda_f, lambda_c > 0, eta_s = eta_m = 1; a = 1 - (1 - eta lambda_f)^K, b = 1 - (1 - eta lambda_c)^K,
h_f = a/(K eta lambda_f), h_c = b/(K eta lambda_c), r = lambda_c/lambda_f.  From the closed forms of MX-ALG-STAB:

=========  =====================================================================================================================
algorithm  stable if and only if
=========  =====================================================================================================================
PT         0 < a + b < 2
1-w GT     0 < (1 + r) a < 2
2-w GT     z^3 + (a + b - 1) z^2 + c_1 z - D has its roots inside the unit circle, where
           c_1 = b h_f + a h_c - (1 - h_c)(1 - h_f) and D = (1 - h_c)(a + h_f - 1) + b (1 - h_f)
=========  =====================================================================================================================

An algorithm *loses stability* at the first rate at which the spectral radius of its round is not below one; some larger
rates may be stable again.  A real cubic z^3 + c_2 z^2 + c_1 z + c_0 with its roots inside, or on the circle, has
|c_0 c_2 - c_1| <= 1 - c_0^2, strictly if they are inside (Schur and Cohn), so that

    excess = D (a + b - 1) + c_1 + D^2 - 1 > 0

puts a root outside, at this rate and at all nearby: 2-way GT has lost stability, and diverges, earlier.
"""

from fractions import Fraction
from typing import Any

import sympy as sp

from fltheory.theory.signs import positive_on
from fltheory.theory.steps import Step, identity, shown, sign
from verify.mixed2022 import closed_forms
from verify.mixed2022.closed_forms import characteristic, j, largest, lc, lf, one_way_factor, qc, qf, value
from verify.mixed2022.updates import eta_m, eta_s

A, B, HF, HC, P, T, S, K = sp.symbols("a b h_f h_c P t S K")


def coefficients(a: Any, b: Any, hf: Any, hc: Any) -> tuple[Any, Any, Any]:
    """``(c_2, c_1, D)``."""
    return a + b - 1, b * hf + a * hc - (1 - hc) * (1 - hf), (1 - hc) * (a + hf - 1) + b * (1 - hf)


def excess(a: Any, b: Any, hf: Any, hc: Any) -> Any:
    """Positive where 2-way GT violates the last condition of Schur and Cohn."""
    c2, c1, last = coefficients(a, b, hf, hc)
    return last * c2 + c1 + last**2 - 1


def cubic_is_the_round() -> list[Step]:
    """The three coefficients against the matrix of MX-ALG-STAB.4."""
    found = characteristic(closed_forms.two_way_matrix().subs({eta_s: 1, eta_m: 1, j: closed_forms.k}))
    at = {A: lf * qf, B: lc * qc, HF: qf / closed_forms.k, HC: qc / closed_forms.k}
    c2, c1, last = (term.subs(at) for term in coefficients(A, B, HF, HC))
    names = ("z^2", "z", "1")
    return [identity(f"coefficient of {n}", x, y) for n, x, y in zip(names, found[1:], (c2, c1, -last), strict=True)]


def factor(name: str, ratio: Fraction, eta: Fraction, steps: int) -> Fraction:
    """Of 1-way GT or Parallel Training, at lambda_f = 1."""
    q_f = value(Fraction(1), eta, steps)
    return 1 - (1 + ratio) * q_f if name == "1-w GT" else 1 - q_f - ratio * value(ratio, eta, steps)


def stable(name: str, ratio: Fraction, eta: Fraction, steps: int) -> bool:
    """At lambda_f = 1; exact."""
    if name != "2-w GT":
        return abs(factor(name, ratio, eta, steps)) < 1
    return closed_forms.roots_inside(
        closed_forms.two_way_cubic(closed_forms.at_rates(Fraction(1), ratio, eta, eta, steps))
    )


def first_unstable(name: str, ratio: Fraction, steps: int) -> tuple[Fraction, Fraction]:
    """A bracket of the first eta at which ``name`` is not stable: a scan of 1/32 of 1/(largest curvature), then bisection."""
    unit = 1 / (32 * max(Fraction(1), ratio))
    for i in range(1, 100):
        if not stable(name, ratio, i * unit, steps):
            return largest(
                lambda e: stable(name, ratio, e, steps), (i - 1) * unit or unit / 1024, i * unit, halvings=12
            )
    raise ValueError(f"{name}, lambda_c/lambda_f={ratio}, K={steps}: stable up to 3/(largest curvature)")


def stable_before(ratio: Fraction, steps: int, eta: Fraction) -> bool:
    """Whether 2-way GT is stable at every rate in (0, eta): no border of Schur and Cohn's conditions has a root there.

    Eigenvalue one needs q_f q_c = 0 (MX-ALG-STAB.4), which rates below 2/curvature exclude.
    """
    end = sp.Rational(eta.numerator, eta.denominator)
    inside = eta <= 2 / max(Fraction(1), ratio) and stable("2-w GT", ratio, eta / 7, steps)
    return inside and all(sp.Poly(border, RATE).count_roots(0, end) == 0 for border in borders(ratio, steps))


RATE = sp.Symbol("e")


def borders(ratio: Fraction, steps: int) -> list[sp.Expr]:
    """What Schur and Cohn's conditions want to be positive, as polynomials of the rate; that p(1) > 0 is not among them."""
    e, r = RATE, sp.Rational(ratio.numerator, ratio.denominator)
    parts = [
        sp.expand(sum((x * (1 - e * x) ** i for i in range(steps)), sp.Integer(0)) / x) for x in (sp.Integer(1), r)
    ]
    hf, hc = (part / steps for part in parts)
    a, b = steps * e * hf, steps * e * r * hc
    c2, c1, last = coefficients(a, b, hf, hc)
    every = [1 - last, 1 + last, 1 - c2 + c1 + last, -excess(a, b, hf, hc), 1 - last**2 + last * c2 + c1]
    return [sp.expand(border) for border in every]


def positive_up_to(name: str, border: sp.Expr, low: sp.Rational, high: sp.Rational) -> list[Step]:
    """A polynomial of the rate is positive on ``[low, high]``, cut into pieces until each is shown, or one is tiny."""
    step = shown(f"{name} on [{low}, {high}]", lambda: positive_on(border, ((RATE, low, high),)), "not shown positive")
    middle = (low + high) / 2
    if step.verified or border.subs(RATE, middle) <= 0 or high - low < high / 100:
        return [step]
    return [*positive_up_to(name, border, low, middle), *positive_up_to(name, border, middle, high)]


def odd_steps() -> list[Step]:
    """K odd: PT is stable exactly for eta (lambda_f + lambda_c) < 2, and there, eta lambda = 1 -+ t, P = t^K, excess > 0."""
    c1, last = (term.subs({A: 1 - P, B: 1 + P}) for term in coefficients(A, B, HF, HC)[1:])
    gap, rest = sp.Symbol("E"), 2 * (HF + HC - HF * HC)
    inner = K * (1 - T**2) * S**2 + K * (1 + P) ** 2 - 2 * S * (1 + P)
    at = {HF: S / K, HC: (1 + P) / (K * (1 + T))}
    ranges = ((T, 0, 1), (P, 0, T), (K, 1, None))
    partial = K * (1 + P) + (1 - P) - 2 * S  # with S = 1 + t + ... + t^(K-1)
    later = {K: K + 1, P: T * P, S: S + P}
    slope = 1 - (K + 1) * P + K * P * T
    return [
        identity("D + c_1", last + c1, rest),
        identity(
            "excess = (D + c_1 - 2(1 - D)) + (1 - D)^2",
            last + c1 + last**2 - 1,
            (last + c1 - 2 * (1 - last)) + (1 - last) ** 2,
        ),
        identity("first bracket", rest - 2 * (1 - last), 2 * (HF * (1 - P) + HC * (1 + P) - 2 * HF * HC)),
        identity(
            "and with h_f = S/K, h_c = (1 + P)/(K(1 + t)), 1 - P = (1 - t) S",
            ((HF * (1 - P) + HC * (1 + P) - 2 * HF * HC).subs(at) * K**2 * (1 + T)).subs(P, 1 - (1 - T) * S),
            inner.subs(P, 1 - (1 - T) * S),
        ),
        identity("2 S <= K(1 + P) + 1 - P: begin", partial.subs({K: 1, P: T, S: 1}), 0),
        identity("one more step", partial.subs(later, simultaneous=True) - partial, slope),
        identity("its begin", slope.subs({K: 1, P: T}), (1 - T) ** 2),
        identity("its step", slope.subs({K: K + 1, P: T * P}, simultaneous=True) - slope, (K + 1) * P * (1 - T) ** 2),
        identity(
            "K(1 - t^2) S^2 = K(1 + t) S (1 - P)",
            K * (1 - T**2) * S**2,
            (K * (1 + T) * S * (1 - P)).subs(P, 1 - (1 - T) * S),
        ),
        identity(
            "K(1 + P)^2 - 2 S(1 + P) = (1 + P)(E - (1 - P)), E >= 0",
            K * (1 + P) ** 2 - 2 * S * (1 + P),
            (1 + P) * (gap - (1 - P)).subs(gap, partial),
        ),
        sign("the rest, S >= 1: K(1 + t) >= 1 + P", K * (1 + T) - (1 + P), (ranges[0], (P, 0, T), ranges[2])),
        sign("h_f, h_c in (0, 1]: D + c_1 > 0 where D = 1", rest, ((HF, 0, 1), (HC, 0, 1))),
    ]


def even_steps() -> list[Step]:
    """K even: at eta = 2/(larger curvature) 2-way GT has eigenvalue one, beyond it one above; PT is stable up to it."""
    c2, c1, last = coefficients(A, B, HF, HC)
    first, second, rate = sp.symbols("P_1 P_2 eta")
    cubic_at_one = (1 + c2 + c1 - last).subs({A: K * rate * lf * HF, B: K * rate * lc * HC})
    ranges = ((first, 0, 1), (second, 0, 1))
    return [
        identity("p(1), with the sign of h_f h_c", cubic_at_one, 2 * K * rate * (lf + lc) * HF * HC),
        identity("larger curvature: (1 - 2)^K = 1 and h = 0, negative beyond", (sp.Integer(1 - 2) ** 2) ** K, 1),
        sign("PT: a + b >= 0 (even powers are <= 1, and not both one)", (1 - first) + (1 - second), ranges),
        sign(
            "PT: a + b <= 2 (even powers are >= 0, and both zero for equal curvatures only)",
            2 - ((1 - first) + (1 - second)),
            ranges,
        ),
    ]


def alike() -> list[Step]:
    """lambda_c = lambda_f: the cubic splits, and 2-way GT is stable if and only if h + 2 a < 2 (0 < eta lambda < 2)."""
    h, z, k = sp.symbols("h z k")
    c2, c1, last = coefficients(A, A, h, h)
    cubic, square = z**3 + c2 * z**2 + c1 * z - last, z**2 + (2 * A - h) * z + (2 * A + h - 1)
    return [
        identity("factors", cubic, (z - (1 - h)) * square),
        identity("square: p(1)", square.subs(z, 1), 4 * A),
        identity("square: p(-1)", square.subs(z, -1), 2 * h),
        identity(
            "PT at eta = 1/lambda has factor -1, as 1-way GT",
            closed_forms.parallel_factor().subs({lf: 1, lc: 1, qf: 1, qc: 1, eta_s: 1, eta_m: 1}),
            -1,
        ),
        identity("1-way GT", one_way_factor().subs({lf: 1, lc: 1, qf: 1, eta_s: 1}), -1),
        sign("there h + 2 a - 2 = 1/K > 0", (h + 2 * A - 2).subs({A: 1, h: 1 / k}), ((k, 1, None),)),
    ]
