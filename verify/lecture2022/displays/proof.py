r"""Displays of the proofs of Theorem 1 and Lemma 1 of the lecture note, in the order of the slides.

``before, after`` = f(xbar^{t-1}), f(xbar^t); ``a`` = grad f(xbar^{t-1}), ``g_mean`` = grad f_i(x_i^{t-1}), ``h`` = grad
f_i(xbar^{t-1}), ``g`` = G_i^t.
"""

from __future__ import annotations

import sympy as sp
from sympy.core.symbol import Str

from fltheory.theory.conditions import Condition
from fltheory.theory.lecture2022.bounds import FULL, MOMENTS, NOISE, STEP, G, K, L, N, T, lemma_1, s, sigma, theorem_1
from fltheory.theory.notation import Expect, Inner, NormSq, StepSum
from verify.lecture2022.displays import outside_the_proof
from verify.lecture2022.displays.outside_the_proof import displays, g, over_clients, x_before, xbar, xbar_before, ybar

before, after, a, g_mean, h, z, f_star, f_first, f_last, square, t, t_0, tau, g_j = sp.symbols(
    "before after a g_mean h z f_star f_first f_last A t t_0 tau g_j"
)
NAMES = {
    **outside_the_proof.NAMES,
    "before": r"f(\bar x^{t-1})",
    "after": r"f(\bar x^t)",
    "a": r"\nabla f(\bar x^{t-1})",
    "g_mean": r"\nabla f_i(x_i^{t-1})",
    "h": r"\nabla f_i(\bar x^{t-1})",
    "z": "z_i",
    "f_first": r"f(\bar x^0)",
    "f_last": r"f(\bar x^T)",
    "tau": "(t-t_0)",
    "g_j": r"G_i^\tau",
    "x_at": "x_i^t",
    "A": r"\mathbb{E}\|\nabla f(\bar x^{t-1})\|^2",
    "f_star": "f^*",
    "mean_j": r"\bar G^\tau",
    "square_t": r"\mathbb{E}\|\nabla f(\bar x^{t-1})\|^2",
    "x_one": "x_i",
    "t_0": "t_0",
}
_proof, _lemma = displays("proof of Theorem 1", NAMES), displays("proof of Lemma 1", NAMES)
SMOOTH = Condition("every f_i is L-smooth")

mean_step = over_clients(g) / N
mean_gradient = over_clients(g_mean) / N
noise = g - g_mean
moved = xbar - xbar_before

p_1 = _proof(
    "(1), descent",
    Expect(after),
    "<=",
    Expect(before) + Expect(Inner(a, moved)) + L / 2 * Expect(NormSq(moved)),
    "LEC-P1",
    given=(SMOOTH,),
)
p_2 = _proof("(2), step of the average", xbar, "=", xbar_before - s / N * over_clients(g), "LEC-MEAN", given=(FULL,))
p_2_middle = _proof(
    "(2), average of the steps", xbar, "=", over_clients(x_before - s * g) / N, "LEC-MEAN", given=(FULL,)
)
p_3_square = _proof("(3), squared step", Expect(NormSq(moved)), "=", s**2 * Expect(NormSq(mean_step)), "LEC-P3a")
_split = s**2 * Expect(NormSq(over_clients(noise) / N)) + s**2 * Expect(NormSq(mean_gradient))
p_3_split = _proof("(3), mean and noise", s**2 * Expect(NormSq(mean_step)), "=", _split, "LEC-P3a", given=(NOISE,))
side_variance = _proof(
    "side note, variance",
    Expect(NormSq(z)),
    "=",
    Expect(NormSq(z - Expect(z))) + NormSq(Expect(z)),
    "LEC-P3a.2",
    repaired_by="LEC-P3a.2[row vectors]",
)
side_independent = _proof(
    "side note, independent",
    Expect(NormSq(over_clients(z))),
    "<=",
    over_clients(Expect(NormSq(z))),
    "LEC-P3b",
    given=(Condition("z_i independent with mean zero"),),
)
_independent = s**2 / N**2 * over_clients(Expect(NormSq(noise))) + s**2 * Expect(NormSq(mean_gradient))
p_3_independent = _proof("(3), independent clients", _split, "=", _independent, "LEC-P3b", given=(NOISE,))
p_3_last = _proof(
    "(3), last line as transcribed",
    Expect(NormSq(moved)),
    "<=",
    s**2 / N * Expect(NormSq(mean_gradient)),
    "LEC-P3c",
    repaired_by="LEC-P3c[variance term restored]",
)
p_3_restored = _proof(
    "(3), last line with the variance (restored)",
    _independent,
    "<=",
    s**2 * sigma**2 / N + s**2 * Expect(NormSq(mean_gradient)),
    "LEC-P3c",
    given=(NOISE, MOMENTS),
)

_cross = -s * Expect(Inner(a, mean_gradient))
p_4_step = _proof("(4), cross term", Expect(Inner(a, moved)), "=", -s * Expect(Inner(a, mean_step)), "LEC-P4a")
p_4_mean = _proof("(4), unbiasedness", -s * Expect(Inner(a, mean_step)), "=", _cross, "LEC-P4a", given=(NOISE,))
_three = NormSq(a) + NormSq(mean_gradient) - NormSq(a - mean_gradient)
p_4 = _proof("(4), three squares", _cross, "=", -s / 2 * Expect(_three), "LEC-P4")
side_product = _proof(
    "side note, product as transcribed",
    Inner(a, h),
    "=",
    NormSq(a) + NormSq(h) - NormSq(a - h),
    "LEC-P4.2",
    repaired_by="LEC-P4.2[one half]",
)
side_product_half = _proof(
    "side note, product with one half", Inner(a, h), "=", (NormSq(a) + NormSq(h) - NormSq(a - h)) / 2, "LEC-P4.2"
)

_descent = Expect(before) - (s - s**2 * L) / 2 * Expect(NormSq(mean_gradient)) - s / 2 * Expect(NormSq(a))
_deviation = Expect(NormSq(a - mean_gradient))
p_7_printed = _proof(
    "(7), as transcribed",
    Expect(after),
    "<=",
    _descent + s / 2 * _deviation + L**2 * s**2 / (2 * N),
    "LEC-P7",
    repaired_by="LEC-P7[with sigma squared]",
)
p_7 = _proof(
    "(7), with the variance",
    Expect(after),
    "<=",
    _descent + s / 2 * _deviation + L * s**2 * sigma**2 / (2 * N),
    "LEC-P7",
    given=(STEP, NOISE, MOMENTS, SMOOTH),
)
_differences = over_clients(h - g_mean)
p_7_definition = _proof(
    "(a), definition of f",
    _deviation,
    "=",
    Expect(NormSq(over_clients(h) / N - mean_gradient)),
    "LEC-P7b.1",
    "LEC-P7b.2",
)
p_7_scaled = _proof(
    "(a), one sum",
    Expect(NormSq(over_clients(h) / N - mean_gradient)),
    "=",
    Expect(NormSq(_differences)) / N**2,
    "LEC-P7b.1",
)
p_7_jensen = _proof(
    "(a), sum of squares",
    Expect(NormSq(_differences)) / N**2,
    "<=",
    Expect(over_clients(NormSq(h - g_mean))) / N,
    "LEC-P7a",
)
_drift = over_clients(Expect(NormSq(xbar_before - x_before)))
p_7_smooth = _proof(
    "(a), smoothness", Expect(over_clients(NormSq(h - g_mean))) / N, "<=", L**2 / N * _drift, "LEC-P7a", given=(SMOOTH,)
)

_J = (Str(r"\tau=t_0+1"), Str("t"))
x_at, mean_j = sp.symbols("x_at mean_j")
l_5 = _lemma("(5), a client since the last average", x_at, "=", ybar - s * StepSum(g_j, *_J), "LEC-L1-5,6")
_mean_sum = StepSum(over_clients(g_j) / N, *_J)
l_6 = _lemma("(6), the average since then", xbar, "=", ybar - s * _mean_sum, "LEC-L1-5,6", given=(FULL,))
_lines = (
    s**2 * Expect(NormSq(_mean_sum - StepSum(g_j, *_J))),
    2 * s**2 * Expect(NormSq(_mean_sum) + NormSq(StepSum(g_j, *_J))),
    2 * s**2 * tau * Expect(StepSum(NormSq(over_clients(g_j) / N), *_J) + StepSum(NormSq(g_j), *_J)),
    2 * s**2 * tau * Expect(StepSum(over_clients(NormSq(g_j)) / N, *_J) + StepSum(NormSq(g_j), *_J)),
)
_TAU = Condition("t - t_0 steps since the last average, at most K", sp.Le(tau, K))
l_difference = _lemma("drift of one client", Expect(NormSq(xbar - x_at)), "=", _lines[0], "LEC-L1-CH", given=(FULL,))
l_two = _lemma("two terms", _lines[0], "<=", _lines[1], "LEC-L1-CH")
l_steps = _lemma("sums over the steps", _lines[1], "<=", _lines[2], "LEC-L1-CH", given=(_TAU,))
l_clients = _lemma("sum over the clients", _lines[2], "<=", _lines[3], "LEC-L1-CH", given=(_TAU,))
l_last = _lemma(
    "drift, last inequality", _lines[3], "<=", lemma_1.expression, "LEC-L1-CH", "LEC-LEM1", given=(_TAU, MOMENTS)
)
l_steps_since = _lemma("steps since the last average", t - t_0, "<=", K, "LEC-L1-T0")

_constant = 2 * s**3 * K**2 * G**2 * L**2 + L * s**2 * sigma**2 / (2 * N)
p_8_printed = _proof(
    "(8), middle term as transcribed",
    Expect(after),
    "<=",
    Expect(before) - (s - s**2 * L) / 2 * Expect(NormSq(over_clients(h) / N)) - s / 2 * Expect(NormSq(a)) + _constant,
    "LEC-P8-ARG",
    repaired_by="LEC-P8-ARG[at the clients' own points]",
)
p_8 = _proof(
    "(8), at the clients' own points",
    Expect(after),
    "<=",
    _descent + _constant,
    "LEC-P8.2",
    given=(STEP, NOISE, MOMENTS, SMOOTH, FULL),
)
p_8_algebra = _proof(
    "(8), Lemma 1 inserted",
    sp.Mul(s / 2 * L**2, lemma_1.expression, evaluate=False),
    "=",
    2 * s**3 * K**2 * G**2 * L**2,
    "LEC-P8.1",
)
condition_printed = _proof(
    "sign of the middle term, condition as transcribed",
    s / 2 * (1 - s * L),
    ">=",
    0,
    "LEC-PCOND",
    given=(Condition("s <= L/2", sp.Le(s, L / 2)),),
    repaired_by="LEC-PCOND[1/L]",
)
condition = _proof("sign of the middle term", s / 2 * (1 - s * L), ">=", 0, "LEC-PCOND", given=(STEP,))
p_dropped = _proof(
    "(8), middle term dropped",
    _descent + _constant,
    "<=",
    Expect(before) - s / 2 * Expect(NormSq(a)) + _constant,
    "LEC-P8",
    given=(STEP,),
)
_difference = 2 / s * (Expect(before) - Expect(after)) + 4 * s**2 * K**2 * G**2 * L**2
p_final_printed = _proof(
    "last display, as transcribed",
    Expect(NormSq(a)),
    "<=",
    _difference + L * s**2 * sigma**2 / (2 * N),
    "LEC-PFIN",
    repaired_by="LEC-PFIN[L s sigma^2/N]",
)
p_final = _proof(
    "last display, divided",
    Expect(NormSq(a)),
    "<=",
    _difference + L * s * sigma**2 / N,
    "LEC-PFIN",
    given=(STEP, NOISE, MOMENTS, SMOOTH, FULL),
)
square_t = sp.Symbol("square_t")
p_sum = _proof(
    "sum over the steps",
    StepSum(square_t, Str("t=1"), Str("T")) / T,
    "<=",
    theorem_1.expression,
    "LEC-PSUM",
    given=(STEP, NOISE, MOMENTS, SMOOTH, FULL),
)
p_last_value = _proof("last value", f_last, ">=", f_star, "LEC-PSUM")
