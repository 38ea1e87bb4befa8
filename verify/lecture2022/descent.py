r"""The descent part of Theorems 1 and 3: one step, the sum over the steps, and the final bound.

Symbols: a = grad f(xbar), b = mean of the clients' gradients at their own points, F and F_next the expected values of
f, v the expected squared norm of the averaged noise, V the averaged drift.  All inequalities are linear in Gram
entries, so scalars stand for vectors of any dimension; expectations enter through the zero cross moment of the noise.
"""

from __future__ import annotations

import sympy as sp

from fltheory.theory.lecture2022.bounds import G, K, L, N, T, gap, s, sigma, sigma_G
from fltheory.theory.proofs import Open
from fltheory.theory.steps import Proof, Step, identity, inequality, sign
from verify.lecture2022.averages import client_average, expectation, jensen, second_moment_of_mean, z, z_dev, z_mean
from verify.lecture2022.drift import PERIOD_SQUARES, averaged, gradient_drift, gradient_drift_constants, period_averages

a, b, noise, h = sp.symbols("a b noise h", real=True)
F, F_next = sp.symbols("F F_next", real=True)
v, V = sp.symbols("v V", nonnegative=True)
ZERO, HALF = sp.Integer(0), sp.Rational(1, 2)
STEP_RANGE = [(N, 1, None), (L, Open(0), None), (s, Open(0), 1 / L)]


def descent_lemma(constant: sp.Expr = HALF) -> Step:
    """f(x+h) <= f(x) + <grad f(x), h> + constant L |h|^2 by integration along the segment.

    The remainder is int_0^1 <grad f(x + r h) - grad f(x), h> dr, and by smoothness the integrand is at most L r |h|^2.
    """
    r = sp.Symbol("r", nonnegative=True)
    remainder = sp.integrate(L * r * h**2, (r, 0, 1))
    return sign("descent lemma", sp.cancel((constant * L * h**2 - remainder) / h**2), [(L, Open(0), None)])


def expected_step() -> sp.Expr:
    """Right side of the descent lemma for h = -s (b + noise), in expectation; the noise has conditional mean zero."""
    move = -s * (b + noise)
    return F + expectation(a * move + L / 2 * move**2, {noise: v})


def averaged_noise(covariance: sp.Expr = ZERO) -> sp.Expr:
    """Second moment of the averaged noise when single noises have second moment sigma^2 and the given covariance."""
    return second_moment_of_mean(sigma**2, covariance, N)


def gradients_at_client_points() -> Step:
    """|a - b|^2 <= L^2 V: mean of differences, mean/deviation splitting, smoothness of each client."""
    return jensen("|a-b|^2 <= L^2 V", L**2 * V, "smooth clients")


def step_steps(covariance: sp.Expr = ZERO) -> list[Step]:
    """|a|^2 <= (2/s)(F - F_next) + L^2 V + L s sigma^2/N, and its sum over the steps by induction."""
    budget = sigma**2 / N
    one = inequality(
        "one step",
        a**2,
        2 / s * (F - F_next) + L**2 * V + L * s * budget,
        premises={
            "descent": (2 / s, expected_step() - F_next),
            "noise": (L * s, averaged_noise(covariance) - v),
            "drift": (1, L**2 * V - (a - b) ** 2),
        },
        squares=[(1 - s * L, b)],
        ranges=[*STEP_RANGE, (sigma, 0, None)],
    )
    return [descent_lemma(), gradients_at_client_points(), one, induction_over_the_steps(sp.Integer(2))]


def induction_over_the_steps(factor: sp.Expr) -> Step:
    """|a|^2 <= (factor/s)(F - F_next) + e for every step adds up."""
    start, done, extra, so_far = sp.symbols("F_0 A_m e_m E_m", real=True)
    return inequality(
        "induction over the steps",
        done + a**2,
        factor / s * (start - F_next) + so_far + extra,
        premises={
            "hypothesis": (1, factor / s * (start - F) + so_far - done),
            "step": (1, factor / s * (F - F_next) + extra - a**2),
        },
        ranges=[(s, Open(0), None)],
    )


def final_step(right: sp.Expr, drift_bound: sp.Expr, *, moments: bool) -> Step:
    """Divide by T, drop f(xbar^T) - f* >= 0, insert the bound of the averaged drift, compare with ``right``."""
    total, left_over = sp.symbols("A_T r_T", nonnegative=True)
    premises = {
        "summed": (1, 2 / (s * T) * (gap - left_over) + L**2 * V + L * s * sigma**2 / N - total),
        "drift": (L**2, drift_bound - V),
        "last value": (2 / (s * T), left_over),
    }
    ranges = [(T, 1, None), (N, 1, None), (K, 1, None), (L, Open(0), None), (s, Open(0), None)]
    ranges += [(symbol, 0, None) for symbol in (gap, sigma, sigma_G, G)]
    if moments:
        alpha = sp.diff(drift_bound, sigma, 2) / 2
        premises["variance <= second moment"] = (L**2 * alpha, G**2 - sigma**2)
    return inequality("final bound", total, right, premises=premises, ranges=ranges)


def prove_theorem_1(right: sp.Expr, code: str, *, periods: bool, covariance: sp.Expr = ZERO) -> Proof:
    """(1/T) sum E|grad f(xbar^{t-1})|^2 <= right for the code "printed" or "FedAvg"."""
    extra = period_averages(code) if periods else []
    squares = PERIOD_SQUARES[code] if periods else K**2
    drift = averaged(sp.Integer(1)).steps
    return Proof((*step_steps(covariance), *drift, *extra, final_step(right, s**2 * squares * G**2, moments=False)))


def prove_for_every_step(right: sp.Expr, code: str) -> Proof:
    """The same without s <= 1/L: beyond it the right side is at least G^2, which bounds the left side."""
    second_moment = expectation(client_average((z + noise) ** 2, {z: (z_mean, z_dev)}, common=[noise]), {noise: v})
    jensen = inequality(
        "|grad f|^2 <= G^2",
        z_mean**2,
        G**2,
        premises={"second moment, averaged over the clients": (1, G**2 - second_moment)},
        squares=[(1, z_dev), (v, sp.Integer(1))],
        ranges=[(v, 0, None)],
    )
    ranges = [(L, Open(0), None), (s, 1 / L, None), (K, 1, None), (N, 1, None), (T, 1, None)]
    ranges += [(symbol, 0, None) for symbol in (G, gap, sigma)]
    beyond = sign("right side at least G^2 for s >= 1/L", right - G**2, ranges)
    return Proof((*prove_theorem_1(right, code, periods=False).steps, jensen, beyond))


def prove_theorem_3(right: sp.Expr, code: str, *, covariance: sp.Expr = ZERO, use_second_moment: bool = True) -> Proof:
    """The same under bounded dissimilarity and K <= 1/(6 L s)."""
    _, alpha, beta = gradient_drift_constants(code)
    drift = alpha * s**2 * K * sigma**2 + beta * s**2 * K**2 * sigma_G**2
    implied = sign(
        "K <= 1/(6Ls) and K >= 1 give s <= 1/L", 1 - s * L, [(K, 1, None), (L, Open(0), None), (s, 0, 1 / (6 * L * K))]
    )
    last = final_step(right, drift, moments=use_second_moment)
    return Proof((implied, *step_steps(covariance), *gradient_drift(code).steps, last))


def telescoping() -> Proof:
    """Sum of (F_{t-1} - F_t) by induction, and the last value dropped."""
    first, value, following, count = sp.symbols("F_0 F_m F_next m", real=True)
    return Proof(
        (
            identity("base", first - first, 0),
            identity("induction", (first - value) + (value - following), first - following),
            sign("last value at least f*", count, [(count, 0, None)]),
        )
    )
