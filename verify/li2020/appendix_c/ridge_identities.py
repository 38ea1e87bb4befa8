r"""The tridiagonal example with a ridge, for all N, p and mu: identities at the first shared coordinate.

``w* = (A + m I)^{-1} e_1`` with ``m = N mu`` is the sequence with ``w_0 = 1``, ``w_{n+1} = 0`` and
``w_{i-1} = (2 + m) w_i - w_{i+1}``; its differences ``w_i - w_{i+1}`` are positive and do not increase.  Near the first
shared coordinate ``a = p + 1`` everything is linear in ``x = w_{p+1}`` and ``y = w_{p+2}``; ``delta = x - y > 0``.
With ``g_k = grad F_k(w*)`` and ``K = sum_k A_k g_k``, the fixed point satisfies

    ``lim (w~* - w*)/((E-1) eta) = (A + m I)^{-1} K / 2``        as ``eta -> 0``.

``p >= 2`` throughout.
"""

import sympy as sp

from fltheory.evidence.matrices import Matrices
from fltheory.theory.proofs import Open, equal, is_zero, nonnegative_on
from fltheory.theory.steps import Tests
from verify.li2020.appendix_c.closed_forms import N, m, mu, x, y
from verify.li2020.appendix_c.example import Example

delta = x - y
w_p = (2 + m) * x - y
w_before = (2 + m) * w_p - x  # w_{p-1}; w_0 = 1 when p = 1 + 1 and i = 1, which is how b_1 enters
w_after = (2 + m) * y - x  # w_{p+3}
_mu = m / N


def sequence_steps() -> Tests:
    """``w > 0`` and decreasing, from the end backwards: differences grow by ``m w_i >= 0``."""
    before, here, after = (2 + m) * x - y, x, y
    return {
        "w_{i-1} - w_i = (w_i - w_{i+1}) + m w_i": lambda: equal((before - here) - (here - after), m * here),
        "w_p - (2 + m) delta = (1 + m) w_{p+2}": lambda: equal(w_p - (2 + m) * delta, (1 + m) * y),
    }


def leading_steps() -> Tests:
    """``K_p >= delta > 0`` for every ``mu >= 0``, so ``(A + m I)^{-1} K`` is not zero."""
    grown = 1 + (N - 1) / N * m**2 * (2 + m)  # K_p >= delta * grown, by w_p >= (2 + m) delta
    known = sequence_steps() | source_steps()
    return known | {
        "K_p >= delta > 0, so the leading coefficient is not zero": lambda: nonnegative_on(
            grown - 1, [(N, 2, None), (m, 0, None)]
        )
    }


def gradient_entry(inside: sp.Expr) -> sp.Expr:
    """``g_1`` (or ``g_N``, with its block) at a coordinate that only one block touches: ``-(N-1) mu w_i``."""
    return -(N - 1) * _mu * inside


def source_steps() -> Tests:
    """Entries of ``K``: at ``p``, at ``1``, and at ``p + 2`` for ``N = 2``."""
    g_p, g_before = gradient_entry(w_p), gradient_entry(w_before)
    g_corner_first = x - w_p + _mu * x
    g_corner_second = x - y + _mu * x
    row = sp.expand(2 * w_p - w_before - x)
    w_1, w_2 = sp.symbols("w_1 w_2")
    first_row = 2 * w_1 - w_2  # equals 1 - m w_1
    two = {N: 2}
    return {
        "g_{1,p} = (A_1 w)_p + mu w_p": lambda: equal(row + _mu * w_p, g_p),
        "g_1 at the shared coordinate is -(delta + (N-1) mu x)": lambda: is_zero(
            g_corner_first + delta + (N - 1) * _mu * x
        ),
        "K_p = delta + N(N-1) mu^2 w_p": lambda: equal(
            2 * g_p - g_before - g_corner_first, delta + N * (N - 1) * _mu**2 * w_p
        ),
        "K_1 = -(N-1) mu (2 w_1 - w_2)": lambda: is_zero(
            2 * gradient_entry(w_1) - gradient_entry(w_2) + (N - 1) * _mu * first_row
        ),
        "N = 2: K_{p+2} = -delta - m x + m^2 w_{p+2}/2": lambda: is_zero(
            (2 * gradient_entry(y) - g_corner_second - gradient_entry(w_after) - (-delta - m * x + m**2 * y / 2)).subs(
                two
            )
        ),
        "N = 2: -K_{p+2} - delta = m (1 + m/2) w_{p+2} + m (w_{p+2} - w_{p+3}) >= 0": lambda: equal(
            m * x - m**2 * y / 2, m * ((1 + m / 2) * y + (y - w_after))
        ),
    }


def box_steps() -> Tests:
    """``0 <= w~*, w* <= 1`` entry by entry for ``eta (2 + mu) <= 1``, every E: a local step maps ``[0,1]^n`` into itself.

    With ``w_0 = 1`` and ``w_{n+1} = 0`` next to the grounded ends, a step replaces every entry by a combination of its
    neighbours and itself with the nonnegative weights ``1 - eta (degree + mu)`` and ``eta``, which add up to ``1 - eta
    mu``.  Means keep the box, and the rounds converge to ``w~*`` from a start inside it.
    """
    eta, degree = sp.symbols("eta degree")
    ranges = [(mu, Open(0), None), (eta, 0, 1 / (2 + mu)), (degree, 0, 2)]
    weights = 1 - eta * (degree + mu) + degree * eta
    return sequence_steps() | {
        "the weight of the entry itself is not negative": lambda: nonnegative_on(1 - eta * (degree + mu), ranges),
        "the weights add up to 1 - eta mu": lambda: equal(weights, 1 - eta * mu),
        "which is at least 0 and at most 1": lambda: (
            nonnegative_on(1 - eta * mu, ranges) and nonnegative_on(eta * mu, ranges)
        ),
    }


def alternating(step: sp.Rational, ridge: sp.Rational, least: int = 2) -> tuple[int, sp.Rational]:
    """Block size p, and the quotient of ``A_1 + mu I`` at ``(1, -1, 1, ...)`` on block 1, which exceeds ``least/step``."""
    quotients = ((p, sp.Rational(4 * p + 1, p + 1) + ridge) for p in range(2, 10**6))
    return next((p, quotient) for p, quotient in quotients if quotient * step > least)


def divergent_instance(step: sp.Rational, ridge: sp.Rational) -> str:
    """Two clients on which the rounds diverge at ``eta = step``; empty for steps up to ``2/(4 + mu)``.

    At ``w = (1, -1, 1, ...)`` on block 1 the quotient of ``A_1 + mu I`` is ``(4p+1)/(p+1) + mu``, which tends to ``4 + mu``.  For
    even E the powers are positive semidefinite and, by Jensen's inequality, ``w'Mw/|w|^2 >= (1 - eta quotient)^E/2``,
    above 1 for E large enough (Bernoulli); M is symmetric.
    """
    if step <= 2 / (4 + ridge):
        return ""
    block, quotient = alternating(step, ridge)
    half = int(sp.floor(1 / ((1 - step * quotient) ** 2 - 1))) + 1
    at, matrix = (f"mu={ridge}, eta={step} > 2/(4+mu)", "A_1 + mu I") if ridge else (f"eta={step} > 1/2", "A_1")
    return (
        f"N=2, p={block}, {at}, E={2 * half}: at w = (1,-1,1,...) on block 1 the quotient of "
        f"{matrix} is {quotient}; w'Mw/|w|^2 >= ({1 - step * quotient})^E/2 > 1, so the rounds diverge from almost every "
        "start"
    )


#: What joins :func:`large_step` to the rounds.
DIVERGES = "a symmetric M whose norm exceeds 1 has an eigenvalue beyond 1 or -1, so that rounds diverge"


def large_step(relation: str) -> Matrices:
    """``|M x| relation |x|`` at two clients, two local steps of size 2 and ``mu = 1/5``, where ``M_11 > 1``."""
    return Matrices(
        f"sq(M*x) {relation} sq(x) for mu = 1/5; mu < 1/(4 + mu); eta = 2; {Example(2, 2, sp.Rational(1, 5)).written}; "
        "M = ((I - eta*A1)**2 + (I - eta*A2)**2)/2; x = [1, 0, 0, 0, 0]"
    )
