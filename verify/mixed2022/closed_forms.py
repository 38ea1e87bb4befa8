r"""Mixed FL on quadratics without noise: fixed points, contraction factors and largest step sizes (Augenstein et al., 2022).

K steps of size eta on a quadratic with Hessian H whose gradient at the start, shift included, is r move by -Q r,

    Q = eta sum_{k<K} (I - eta H)^k,   q = (1 - (1 - eta lambda)^K)/lambda on an eigenvalue lambda.

With g_f, g_c the gradients at the round's model, shapes ``(d,)``, and p_i the averaging weights, one round moves the model by

    Parallel Training   -eta_m (Q_c g_c + eta_s sum p_i Q_i g_i)
    1-way GT            -eta_s sum p_i Q_i (g_i + g_c)
    2-way GT            -eta_m (Q_c (g_c + v) + eta_s sum p_i Q_i (g_i + u)),
                        u <- Q_c (g_c + v)/j - v,  v <- sum p_i Q_i (g_i + u)/k - u,   k = eta K, j = eta J (or eta_c J).

======  ==============================================
symbol  meaning
======  ==============================================
lf, lc  curvatures of f_f and f_c (scalar case)
qf, qc  the numbers q of clients and centre
gs      g_f = -g_c at the minimiser of f
j, k    divisors of the renewal of gt_c and gt_f
======  ==============================================
"""

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from functools import cache
from typing import Any

import sympy as sp

from fltheory.theory.mixed2022.scalars import number
from fltheory.theory.steps import Step, identity, sign
from verify.mixed2022.updates import eta, eta_m, eta_s

lf, lc, qf, qc, j, k, K = sp.symbols("lambda_f lambda_c q_f q_c j k K", positive=True)
r = sp.Symbol("r")
ONE = Fraction(1)


def moved(curvature: Any, rate: Any, steps: Any) -> Any:
    """``q``: by a sum for a given number of steps, in closed form for a symbolic one."""
    if isinstance(steps, int):
        return sp.expand(sum((rate * (1 - rate * curvature) ** i for i in range(steps)), sp.Integer(0)))
    return (1 - (1 - rate * curvature) ** steps) / curvature


def change_is_linear() -> list[Step]:
    """K steps move by -q r: begin, and one more step; q is a polynomial in one matrix, so that scalars suffice."""
    lam, power = sp.symbols("lambda power")
    q = (1 - power) / lam
    return [
        identity("no step", q.subs(power, 1), 0),
        identity("one more step", -q * r - eta * (r - lam * q * r), -((1 - power * (1 - eta * lam)) / lam) * r),
    ]


def move_is_positive() -> list[Step]:
    """q > 0 for 0 < eta lambda < 2: (1 - eta lambda)^K < 1, by |ab| < 1 for |a|, |b| < 1."""
    a_, b_ = sp.symbols("a b")
    return [
        sign("1 - ab >= 0 on [-1, 1]^2 (strict inside)", 1 - a_ * b_, ((a_, -1, 1), (b_, -1, 1))),
        sign("1 + ab >= 0 on [-1, 1]^2 (strict inside)", 1 + a_ * b_, ((a_, -1, 1), (b_, -1, 1))),
    ]


def two_way_is_one_way() -> list[Step]:
    """At a fixed point of 2-way GT both sides' updates vanish: with A = Q_c (g_c + v), s = u + v and B = sum p_i Q_i (g_i + u)

    A = j s,  B = k s,  A + eta_s B = 0   have the solution A = B = s = 0 only.
    """
    first, second, s_ = sp.symbols("A B s")
    system = sp.Matrix([first - j * s_, second - k * s_, first + eta_s * second])
    determinant = j + eta_s * k
    return [
        identity("determinant of the linear system", system.jacobian([first, second, s_]).det(), determinant),
        sign("determinant > 0", determinant, ((j, 0, None), (k, 0, None), (eta_s, 0, None))),
    ]


def parallel_factor(q_f: Any = qf, q_c: Any = qc) -> Any:
    """Contraction factor per round of Parallel Training."""
    return 1 - eta_m * (lc * q_c + eta_s * lf * q_f)


def one_way_factor(q_f: Any = qf) -> Any:
    """Contraction factor per round of 1-way GT."""
    return 1 - eta_s * q_f * (lf + lc)


def two_way_matrix(q_f: Any = qf, q_c: Any = qc) -> Any:
    """The round of 2-way GT on (x - x*, u - g_c(x*), v - g_f(x*)), a matrix ``(3, 3)``."""
    return sp.Matrix(
        [
            [parallel_factor(q_f, q_c), -eta_m * eta_s * q_f, -eta_m * q_c],
            [lc * q_c / j, 0, q_c / j - 1],
            [lf * q_f / k, q_f / k - 1, 0],
        ]
    )


def characteristic(matrix: Any) -> list[Any]:
    """Coefficients (1, c2, c1, c0) of a ``(3, 3)`` matrix's characteristic polynomial."""
    a_ = matrix
    minors = sum(a_[i, i] * a_[m, m] - a_[i, m] * a_[m, i] for i in range(3) for m in range(i))
    return [sp.Integer(1), -a_.trace(), sp.expand(minors), -sp.expand(a_.det())]


def as_squares(form: sp.Expr, letters: Sequence[sp.Symbol]) -> list[tuple[sp.Expr, sp.Expr]]:
    """Weights and linear forms whose squares add up to a definite quadratic form."""
    found, rest = [], sp.expand(form)
    for x in letters:
        weight = rest.coeff(x, 2)
        found.append((weight, sp.expand(x + rest.coeff(x, 1) / (2 * weight))))
        rest = sp.expand(rest - weight * found[-1][1] ** 2)
    return found


def roots_inside(coefficients: Sequence[Fraction]) -> bool:
    """Whether all roots of a real polynomial lie inside the unit circle (Schur-Cohn recursion, exact).

    ``coefficients`` from the highest power on.
    """
    work = list(coefficients)
    while len(work) > 1:
        first, last = work[0], work[-1]
        if not abs(last) < abs(first):
            return False
        work = [first * a_ - last * b_ for a_, b_ in zip(work[:-1], work[:0:-1], strict=True)]
    return True


def at_rates(
    f: Fraction, c: Fraction, rate: Fraction, central: Fraction, steps: int, divisor: Fraction | None = None
) -> dict[sp.Symbol, Fraction]:
    """Values of the letters of a round on curvatures ``f``, ``c``.  ``divisor``: eta (printed) unless named."""
    moves = {qf: value(f, rate, steps), qc: value(c, central, steps)}
    return {lf: f, lc: c, **moves, k: rate * steps, j: (rate if divisor is None else divisor) * steps}


def two_way_stable(
    f: Fraction,
    c: Fraction,
    rate: Fraction,
    central: Fraction,
    steps: int,
    server: Fraction,
    merge: Fraction,
    *,
    divisor: Fraction | None = None,
) -> bool:
    """Whether 2-way GT contracts on curvatures ``f``, ``c``; exact.  ``divisor``: eta (printed) unless named."""
    return roots_inside(two_way_cubic(at_rates(f, c, rate, central, steps, divisor), server, merge))


def two_way_cubic(
    values: Mapping[sp.Symbol, Fraction], server: Fraction = ONE, merge: Fraction = ONE
) -> list[Fraction]:
    """Coefficients of the characteristic polynomial of a round of 2-way GT in numbers."""
    return [number(entry, {**values, eta_s: server, eta_m: merge}) for entry in _two_way_characteristic()]


@cache
def _two_way_characteristic() -> tuple[Any, ...]:
    return tuple(characteristic(two_way_matrix()))


def value(curvature: Fraction, rate: Fraction, steps: int) -> Fraction:
    """``q`` in numbers."""
    return sum((rate * (1 - rate * curvature) ** i for i in range(steps)), Fraction(0))


def largest(
    stable: Callable[[Fraction], bool], low: Fraction, high: Fraction, *, halvings: int = 40
) -> tuple[Fraction, Fraction]:
    """A bracket ``(low, high)`` with ``stable(low)`` and not ``stable(high)``, by bisection.

    Raises
    ------
    ValueError : the ends are not so at the begin.
    """
    if not stable(low) or stable(high):
        raise ValueError(f"no change of stability between {low} and {high}: {stable(low)}, {stable(high)}")
    for _ in range(halvings):
        middle = (low + high) / 2
        low, high = (middle, high) if stable(middle) else (low, middle)
    return low, high


def one_way_limit(f: Any, c: Any, steps: Any, server: Any = 1) -> Any:
    """The eta below which every step of 1-way GT is stable: the first root of eta_s q_f (lambda_f + lambda_c) = 2, or of q_f = 0.

    With w = 1 - 2 lambda_f/(eta_s (lambda_f + lambda_c)): for w >= 0 it is (1 - w^{1/K})/lambda_f, for w < 0 and odd K
    (1 + |w|^{1/K})/lambda_f; for w < 0 and even K 2/lambda_f, where q_f = 0 and the factor is one.  For lambda_f = 0 it is
    2/(eta_s lambda_c K).  Larger steps can be stable again: for w >= 0 and even K, those with (1 - eta lambda_f)^K > w.

    Raises
    ------
    ValueError : negative ``lambda_f``, or ``lambda_f + lambda_c`` not positive.
    """
    if not (f >= 0 and f + c > 0):
        raise ValueError(f"lambda_f={f}, lambda_c={c}: expected lambda_f >= 0 and lambda_f + lambda_c > 0")
    if f == 0:
        return sp.sympify(2) / (sp.sympify(server) * c * steps)
    w = 1 - 2 * sp.sympify(f) / (sp.sympify(server) * (sp.sympify(f) + sp.sympify(c)))
    if w >= 0:
        return (1 - w ** (sp.Integer(1) / steps)) / f
    return (1 + (-w) ** (sp.Integer(1) / steps)) / f if steps % 2 else sp.sympify(2) / f
