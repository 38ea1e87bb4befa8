r"""Displays of the proofs of Theorem 1 and Lemma 1 of the lecture note, in the order of the slides.

``before, after`` = f(xbar^{t-1}), f(xbar^t); ``a`` = grad f(xbar^{t-1}), ``g_mean`` = grad f_i(x_i^{t-1}), ``h`` = grad
f_i(xbar^{t-1}), ``g`` = G_i^t.
"""

import sympy as sp
from sympy.core.symbol import Str

from fltheory.theory.conditions import Condition
from fltheory.theory.lecture2022.bounds import (
    FULL,
    MOMENTS,
    NOISE,
    STEP,
    G,
    K,
    L,
    N,
    T,
    gap,
    lemma_1,
    s,
    sigma,
    theorem_1,
)
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
EVERY = (STEP, NOISE, MOMENTS, SMOOTH, FULL)

mean_step = over_clients(g) / N
mean_gradient = over_clients(g_mean) / N
noise = g - g_mean
moved = xbar - xbar_before


def mean_square(x: sp.Expr) -> sp.Expr:
    """``E|x|^2``."""
    return Expect(NormSq(x))


_start, _end = Expect(before), Expect(after)
_taylor = _start + Expect(Inner(a, moved)) + L / 2 * mean_square(moved)
p_1 = _proof("(1), descent", _end, "<=", _taylor, "LEC-P1", given=(SMOOTH,))
p_2 = _proof("(2), step of the average", xbar, "=", xbar_before - s / N * over_clients(g), "LEC-MEAN", given=(FULL,))
_steps = over_clients(x_before - s * g) / N
p_2_middle = _proof("(2), average of the steps", xbar, "=", _steps, "LEC-MEAN", given=(FULL,))
p_3_square = _proof("(3), squared step", mean_square(moved), "=", s**2 * mean_square(mean_step), "LEC-P3a")
_gradients = mean_square(mean_gradient)
_split = s**2 * mean_square(over_clients(noise) / N) + s**2 * _gradients
p_3_split = _proof("(3), mean and noise", s**2 * mean_square(mean_step), "=", _split, "LEC-P3a", given=(NOISE,))
_variance, _rows = mean_square(z - Expect(z)) + NormSq(Expect(z)), "LEC-P3a.2[row vectors]"
side_variance = _proof("side note, variance", mean_square(z), "=", _variance, "LEC-P3a.2", repaired_by=_rows)
_apart, _sum = (Condition("z_i independent with mean zero"),), over_clients(mean_square(z))
side_independent = _proof("side note, independent", mean_square(over_clients(z)), "<=", _sum, "LEC-P3b", given=_apart)
_independent = s**2 / N**2 * over_clients(mean_square(noise)) + s**2 * _gradients
p_3_independent = _proof("(3), independent clients", _split, "=", _independent, "LEC-P3b", given=(NOISE,))
p_3_last = _proof(
    "(3), last line as transcribed",
    mean_square(moved),
    "<=",
    s**2 / N * _gradients,
    "LEC-P3c",
    repaired_by="LEC-P3c[variance term restored]",
)
_name, _restored = "(3), last line with the variance (restored)", s**2 * sigma**2 / N + s**2 * _gradients
p_3_restored = _proof(_name, _independent, "<=", _restored, "LEC-P3c", given=(NOISE, MOMENTS))
p_3 = _proof("(3), with the variance", mean_square(moved), "<=", _restored, "LEC-P3c", given=(NOISE, MOMENTS))

_cross = -s * Expect(Inner(a, mean_gradient))
p_4_step = _proof("(4), cross term", Expect(Inner(a, moved)), "=", -s * Expect(Inner(a, mean_step)), "LEC-P4a")
p_4_mean = _proof("(4), unbiasedness", -s * Expect(Inner(a, mean_step)), "=", _cross, "LEC-P4a", given=(NOISE,))
_three = NormSq(a) + NormSq(mean_gradient) - NormSq(a - mean_gradient)
p_4 = _proof("(4), three squares", _cross, "=", -s / 2 * Expect(_three), "LEC-P4")
_product, _squares, _name = Inner(a, h), NormSq(a) + NormSq(h) - NormSq(a - h), "side note, product as transcribed"
side_product = _proof(_name, _product, "=", _squares, "LEC-P4.2", repaired_by="LEC-P4.2[one half]")
side_product_half = _proof("side note, product with one half", _product, "=", _squares / 2, "LEC-P4.2")

_slope = mean_square(a)
_descent = _start - (s - s**2 * L) / 2 * _gradients - s / 2 * _slope
_deviation = mean_square(a - mean_gradient)
_seven, _repair = _descent + s / 2 * _deviation, "LEC-P7[with sigma squared]"
_noise = L * s**2 * sigma**2 / (2 * N)
p_7_printed = _proof("(7), as transcribed", _end, "<=", _seven + L**2 * s**2 / (2 * N), "LEC-P7", repaired_by=_repair)
p_7 = _proof("(7), with the variance", _end, "<=", _seven + _noise, "LEC-P7", given=EVERY[:-1])
_defined, _scaled = mean_square(over_clients(h) / N - mean_gradient), mean_square(over_clients(h - g_mean)) / N**2
_summed = Expect(over_clients(NormSq(h - g_mean))) / N
p_7_definition = _proof("(a), definition of f", _deviation, "=", _defined, "LEC-P7b.1", "LEC-P7b.2")
p_7_scaled = _proof("(a), one sum", _defined, "=", _scaled, "LEC-P7b.1")
p_7_jensen = _proof("(a), sum of squares", _scaled, "<=", _summed, "LEC-P7a")
_drift = L**2 / N * over_clients(mean_square(xbar_before - x_before))
p_7_smooth = _proof("(a), smoothness", _summed, "<=", _drift, "LEC-P7a", given=(SMOOTH,))

_J = (Str(r"\tau=t_0+1"), Str("t"))
x_at, mean_j = sp.symbols("x_at mean_j")
l_5 = _lemma("(5), a client since the last average", x_at, "=", ybar - s * StepSum(g_j, *_J), "LEC-L1-5,6")
_mean_sum = StepSum(over_clients(g_j) / N, *_J)
l_6 = _lemma("(6), the average since then", xbar, "=", ybar - s * _mean_sum, "LEC-L1-5,6", given=(FULL,))
_lines = (
    s**2 * mean_square(_mean_sum - StepSum(g_j, *_J)),
    2 * s**2 * Expect(NormSq(_mean_sum) + NormSq(StepSum(g_j, *_J))),
    2 * s**2 * tau * Expect(StepSum(NormSq(over_clients(g_j) / N), *_J) + StepSum(NormSq(g_j), *_J)),
    2 * s**2 * tau * Expect(StepSum(over_clients(NormSq(g_j)) / N, *_J) + StepSum(NormSq(g_j), *_J)),
)
_TAU = Condition("t - t_0 steps since the last average, at most K", sp.Le(tau, K))
l_difference = _lemma("drift of one client", mean_square(xbar - x_at), "=", _lines[0], "LEC-L1-CH", given=(FULL,))
l_two = _lemma("two terms", _lines[0], "<=", _lines[1], "LEC-L1-CH")
l_steps = _lemma("sums over the steps", _lines[1], "<=", _lines[2], "LEC-L1-CH", given=(_TAU,))
l_clients = _lemma("sum over the clients", _lines[2], "<=", _lines[3], "LEC-L1-CH", given=(_TAU,))
l_last = _lemma(
    "drift, last inequality", _lines[3], "<=", lemma_1.expression, "LEC-L1-CH", "LEC-LEM1", given=(_TAU, MOMENTS)
)
l_steps_since = _lemma("steps since the last average", t - t_0, "<=", K, "LEC-L1-T0")

_constant = 2 * s**3 * K**2 * G**2 * L**2 + _noise
p_8_printed = _proof(
    "(8), middle term as transcribed",
    _end,
    "<=",
    _start - (s - s**2 * L) / 2 * mean_square(over_clients(h) / N) - s / 2 * _slope + _constant,
    "LEC-P8-ARG",
    repaired_by="LEC-P8-ARG[at the clients' own points]",
)
p_8 = _proof("(8), at the clients' own points", _end, "<=", _descent + _constant, "LEC-P8.2", given=EVERY)
_inserted = sp.Mul(s / 2 * L**2, lemma_1.expression, evaluate=False)
p_8_algebra = _proof("(8), Lemma 1 inserted", _inserted, "=", 2 * s**3 * K**2 * G**2 * L**2, "LEC-P8.1")
_middle = s / 2 * (1 - s * L)
condition_printed = _proof(
    "sign of the middle term, condition as transcribed",
    _middle,
    ">=",
    0,
    "LEC-PCOND",
    given=(Condition("s <= L/2", sp.Le(s, L / 2)),),
    repaired_by="LEC-PCOND[1/L]",
)
condition = _proof("sign of the middle term", _middle, ">=", 0, "LEC-PCOND", given=(STEP,))
_kept = _start - s / 2 * _slope + _constant
p_dropped = _proof("(8), middle term dropped", _descent + _constant, "<=", _kept, "LEC-P8", given=(STEP,))
_difference = 2 / s * (_start - _end) + 4 * s**2 * K**2 * G**2 * L**2
_repair = "LEC-PFIN[L s sigma^2/N]"
p_final_printed = _proof(
    "last display, as transcribed", _slope, "<=", _difference + _noise, "LEC-PFIN", repaired_by=_repair
)
_divided = _difference + L * s * sigma**2 / N
p_final = _proof("last display, divided", _slope, "<=", _divided, "LEC-PFIN", given=EVERY)
_average = StepSum(sp.Symbol("square_t"), Str("t=1"), Str("T")) / T
p_sum = _proof("sum over the steps", _average, "<=", theorem_1.expression, "LEC-PSUM", given=EVERY)
_telescoped = StepSum(_start - _end, Str("t=1"), Str("T")) / T
p_telescoped = _proof(
    "sum of the decreases", _telescoped, "<=", gap / T, "LEC-PSUM", given=(Condition("f is at least f*"),)
)
p_last_value = _proof("last value", f_last, ">=", f_star, "LEC-PSUM")
