r"""One round with E >= 2 local steps moves ``w*`` for every step size: the tridiagonal example, with and without ridge.

One round moves ``w*`` by ``-(eta/N) sum_k S_k g_k`` with ``S_k = sum_{l<E} (I - eta (A_k + mu I))^l`` and ``g_k = grad
F_k(w*)``.  On the coordinates ``1..p`` only ``A_1`` acts and the ``g_k`` add up to zero; so ``w*`` stays put only if,
on block 1 and with ``s = sum_{l<E} (1 - eta mu)^l``, ``(S_1 - s) g_1`` is a multiple of ``e_q``, ``q = p + 1``.
"""

from __future__ import annotations

from dataclasses import dataclass

import sympy as sp

from fltheory.theory.li2020 import appendix_c_ridge as ridge_lemma
from fltheory.theory.li2020.appendix_c import Example, displacement
from fltheory.theory.li2020.appendix_c_symbolic import N, gradient_steps, m, mu, p, right_column, unit, vanishes
from fltheory.theory.proofs import nonnegative_on

#: Least block for which :func:`ridge_stationarity_steps` counts more eigenvalues than zeros.
RIDGE_BLOCK = 14


def stationarity_steps(least_block: int, least_steps: int) -> dict[str, bool]:
    """Why one round moves ``w*`` for every ``eta > 0``, ``p >= least_block`` and ``E >= least_steps`` (``mu = 0``).

    Here ``s = E`` and ``g_1 = -h e_q``; so ``w*`` stays put only if ``e_q`` is an eigenvector of ``S_1``.  Block 1 of
    ``A_1`` is a Jacobi matrix: its p+1 eigenvalues differ and its eigenvectors have a nonzero last entry.  So ``sum_l
    t^l``, ``t = 1 - eta lambda != 1``, would take one value c on all of them.
    """
    t, c = sp.symbols("t c")
    power = sp.Symbol("E", positive=True)
    curve = t**power - c * t + c - 1
    ratio = sp.simplify(sp.diff(curve, t, 2) / t ** (power - 2))
    other_roots = 3 - 1  # a line meets t^E at most three times (Rolle), and t = 1 is one of them
    return gradient_steps() | {
        "s(lambda) = c, that is 1 - t^E = c (1 - t), means t^E - c t + c - 1 = 0":
            sp.expand((1 - t**power) - c * (1 - t) + curve) == 0 and sp.simplify(curve.subs(t, 1)) == 0,
        "its second derivative is E(E-1) t^(E-2): one sign change at most, so at most three real roots":
            vanishes(ratio - power * (power - 1)) and least_steps >= 2,
        "block 1 has p + 1 eigenvalues, more than the two roots that are left": least_block + 1 > other_roots,
    }  # fmt: skip


def _image_steps() -> dict[str, bool]:
    """``(J + m) v = (N-1) mu e_1 + delta (J + mu) e_q`` for ``v = -g_1`` and ``J``, block 1 of ``A_1``; ``p >= 2``."""
    nu, delta = (N - 1) * m / N, sp.Symbol("delta")
    w_1, w_2, here, after = sp.symbols("w_1 w_2 w_i w_after")
    before = (2 + m) * here - after
    rows = ("row p of (A_1 + m) v is -delta", "row p+1 of (A_1 + m) v is (1 + mu) delta")
    known = ridge_lemma.displacement_steps()
    image = delta * (right_column(p + 1) + m / N * unit(p + 1))
    return {name: known[name] for name in rows} | {
        "row 1 of (A_1 + m) v is (N-1) mu": vanishes((nu * ((2 + m) * w_1 - w_2) - nu).subs(w_2, (2 + m) * w_1 - 1)),
        "rows 2..p-1 of (A_1 + m) v vanish": vanishes(nu * ((2 + m) * here - before - after)),
        "delta (J + mu) e_q has the entries -delta and (1 + mu) delta": vanishes(
            image + delta * unit(p) - (1 + m / N) * delta * unit(p + 1)
        ),
    }


def _spectrum_steps() -> dict[str, bool]:
    """``J`` has the eigenvectors ``phi_i = sin(i theta)``, ``theta = (2j-1) pi/(2q+1)``, with ``(phi_1/phi_q)^2 = lambda``.

    With ``z = exp(i theta)`` and ``Z = z^i``, sines are ``Z - 1/Z`` up to a factor and everything is rational.
    ``z^(2q+1) = -1`` means ``z = -1/Z^2`` for ``Z = z^q``.
    """
    z, power = sp.symbols("z Z")
    value = 2 - z - 1 / z
    here, before, after = power - 1 / power, power / z - z / power, power * z - 1 / (power * z)
    at_end = {z: -1 / power**2}
    return {
        "phi is an eigenvector to lambda = 2 - 2 cos(theta) in rows 1..p": vanishes(
            2 * here - before - after - value * here
        ),
        "and in row q, where z^(2q+1) = -1": vanishes((here - before - value * here).subs(at_end)),
        "lambda phi_q^2 = phi_1^2, which is not 0": vanishes((value * here**2 - (z - 1 / z) ** 2).subs(at_end)),
    }


def ridge_stationarity_steps(least_block: int, least_steps: int) -> dict[str, bool]:
    """Why one round moves ``w*`` for every ``eta > 0``, ``mu > 0``, ``p >= least_block`` and ``E >= least_steps``.

    ``(J + m)(S_1 - s) v = c (J + m) e_q``, tested with the eigenvectors of :func:`_spectrum_steps` and written in ``r
    = phi_1/phi_q``, ``r^2 = lambda``, ``t = 1 - eta (r^2 + mu)``, says that all q numbers r are zeros of

        ``P(r) = [1 - t^E - (1-t) s] [nu r + delta (r^2 + mu)] - c (1-t) (r^2 + m)``,    ``nu = (N-1) mu``.

    They are real and different, as the ``lambda`` are.  P without ``t^E`` has degree four, so the fifth derivative is
    ``t^(E-5) Q``, and Rolle bounds the number of real zeros by ``5 + deg Q + 2``; for E <= 4, deg P does.
    """
    r, eta, total, c, s, nu, delta, power = sp.symbols("r eta E c s nu delta t_E")
    t = 1 - eta * (r**2 + mu)
    curve = (1 - power - (1 - t) * s) * (nu * r + delta * (r**2 + mu)) - c * (1 - t) * (r**2 + m)
    series = (1 - power) / (1 - t) - s
    tested = series * (nu + delta * (r**2 + mu) / r) - c * (r**2 + m) / r
    order = sp.Poly(curve.subs(power, 0), r).degree() + 1
    factor = sp.diff(curve, power)  # P = t^E factor + (P without t^E)
    for n in range(order):  # (t^(E-n) f)' = t^(E-n-1) ((E-n) t' f + t f')
        factor = sp.expand((total - n) * sp.diff(t, r) * factor + t * sp.diff(factor, r))
    last = sp.Poly(factor, r)
    leading = sp.cancel(last.LC() / (delta * eta**order))
    small = {e: sp.Poly(curve.subs(power, t**e), r) for e in range(least_steps, order)}
    zeros = max([order + last.degree() + 2] + [polynomial.degree() for polynomial in small.values()])
    return ridge_lemma.sequence_steps() | _image_steps() | _spectrum_steps() | {
        "the test with phi, times r (1 - t), is P(r) = 0": vanishes(r * (1 - t) * tested - curve),
        "the leading coefficient of Q, over delta eta^5, is at least 1 in size": nonnegative_on(
            leading**2 - 1, [(total, least_steps, None)]
        ),
        "E <= 4: the leading coefficient of P is -delta (-eta)^E": all(
            vanishes(polynomial.LC() + delta * (-eta) ** e) for e, polynomial in small.items()
        ),
        "block 1 has p + 1 eigenvalues, more than P has real zeros": least_block + 1 > zeros,
    }  # fmt: skip


def common_positive_roots(example: Example, steps: int) -> tuple[sp.Expr, int]:
    """Step sizes at which one round leaves ``w*`` where it is: a polynomial in ``eta``, its number of positive roots.

    The polynomial is the greatest common divisor of the entries of :func:`displacement`, without powers of ``eta``.
    It is zero (and counts as one root) where every step size does.
    """
    eta = sp.Symbol("eta", positive=True)
    divisor = sp.Poly(0, eta)
    for entry in displacement(example, steps, eta):
        divisor = sp.gcd(divisor, sp.Poly(sp.numer(entry), eta))
    if divisor.is_zero:
        return sp.Integer(0), 1
    while divisor.eval(0) == 0:
        divisor = sp.quo(divisor, sp.Poly(eta, eta))
    return divisor.as_expr(), int(divisor.count_roots(0, None))


@dataclass(frozen=True)
class Search:
    """Instances on which every step size was examined: the first that leaves ``w*`` in place, their number, the gcds."""

    found: str
    count: int
    divisors: dict[str, str]


def search_step_sizes(least_block: int, least_steps: int, ridges: tuple[sp.Rational, ...] = (sp.Integer(0),)) -> Search:
    """Every ``eta > 0`` at once, on small instances with ``p >= least_block`` and ``E >= least_steps``."""
    found, count, divisors = "", 0, {}
    for n_clients, block, steps in (
        (2, 1, 2),
        (2, 1, 3),
        (2, 2, 1),
        (2, 2, 2),
        (2, 2, 3),
        (2, 2, 4),
        (2, 3, 3),
        (3, 2, 3),
    ):
        if block < least_block or steps < least_steps:
            continue
        for ridge in ridges:
            example, count = Example(n_clients, block, ridge), count + 1
            divisor, roots = common_positive_roots(example, steps)
            divisors[f"{example.name}, E={steps}"] = str(divisor)
            if roots and not found:
                at = "every eta" if divisor == 0 else f"eta = {min(r for r in sp.real_roots(divisor) if r > 0)}"
                found = f"{example.name}, E={steps}, {at}: one round leaves w* = {list(example.optimum)} where it is"
    return Search(found, count, divisors)
