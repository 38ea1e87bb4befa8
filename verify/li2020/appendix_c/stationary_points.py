r"""One round with E >= 2 local steps moves ``w*`` for every step size: the tridiagonal example, with and without ridge.

One round moves ``w*`` by ``-(eta/N) sum_k S_k g_k`` with ``S_k = sum_{l<E} (I - eta (A_k + mu I))^l`` and ``g_k = grad
F_k(w*)``, which add up to zero.  On the coordinates that only block k touches, the other ``S_j`` are ``s = sum_{l<E} (1 -
eta mu)^l``; so ``w*`` stays put only if ``(S_1 - s) g_1`` is a multiple of ``e_q``, ``q = p + 1``, on block 1, and ``(S_N - s)
g_N`` one of ``e_a``, ``a = (N-1)p + 1``, on block N.
"""

from collections.abc import Mapping, Sequence
from itertools import product

import sympy as sp

from fltheory.evidence.decide import Tried, decide
from fltheory.evidence.model import Evidence
from fltheory.theory.proofs import Open, equal, is_zero, nonnegative_on, positive_on
from fltheory.theory.record import remembered
from fltheory.theory.steps import Tests
from verify.li2020.appendix_c.closed_forms import N, left_column, m, mu, p, unit, x, y
from verify.li2020.appendix_c.example import Example, displacement
from verify.li2020.appendix_c.ridge_identities import gradient_entry, sequence_steps


def _image_steps() -> Tests:
    """``(J + m) g_N = kappa (J + mu) e_a`` on block N, with first coordinate ``a``; ``kappa = w_a - w_{a+1} + m w_a > 0``.

    ``J`` is the block of ``A_N``: free at ``a``, grounded at its end, the mirror image of that of ``A_1``.
    """
    nu, here, after = (N - 1) * m / N, x, y
    kappa = here - after + m * here
    return {
        "g_N at a is -nu w_a + kappa": lambda: equal(here - after + m / N * here, -nu * here + kappa),
        "g_N inside is -nu w": lambda: is_zero(gradient_entry(here) + nu * here),
        "so (J + m) g_N = kappa (-nu e_a + (J + m) e_a) = kappa (J + mu) e_a, as m - nu = mu": lambda: equal(
            -nu * unit(p) + left_column(p) + m * unit(p), left_column(p) + m / N * unit(p)
        ),
    }


@remembered
def _rule(n: int) -> bool:
    """``(1-t) D_n - n D_{n-1} = -E...(E-n+1) t^(E-n)`` for the derivatives of ``(1 - t^E)/(1 - t)``."""
    t, total = sp.symbols("t E", positive=True)
    sigma = (1 - t**total) / (1 - t)
    left = (1 - t) * sp.diff(sigma, t, n) - n * sp.diff(sigma, t, n - 1)
    return is_zero(sp.expand(sp.powsimp(sp.expand((left + sp.ff(total, n) * t ** (total - n)) * (1 - t) ** n * t**n))))


def _series_steps() -> Tests:
    """``sigma(t) = sum_{l<E} t^l`` increases strictly for even E and is strictly convex for odd ``E >= 3``, on all reals.

    With ``D_n`` its n-th derivative, ``(1-t) D_n - n D_{n-1} = -E...(E-n+1) t^(E-n)``.  ``D_{n-1}`` of even degree and
    positive leading coefficient has a minimum; there ``D_n = 0``, so ``D_{n-1} = E...(E-n+1) t^(E-n)/n >= 0``, with
    equality at most at ``t = 0``, where ``D_{n-1} = (n-1)!``.  Even E: n = 2; odd E: n = 3.  For integer E the rule is one
    between polynomials, so ``t > 0`` is enough to check it.
    """
    return {"(1-t) D_n - n D_{n-1} = -E...(E-n+1) t^(E-n), n = 2 and n = 3": lambda: _rule(2) and _rule(3)}


def _spectrum_steps() -> Tests:
    """``J``, from its grounded end, has the eigenvectors ``phi_i = sin(i theta)``, ``theta = (2j-1) pi/(2q+1)``, ``phi_q != 0``.

    With ``z = exp(i theta)`` and ``Z = z^i``, sines are ``Z - 1/Z`` up to a factor and everything is rational.
    ``z^(2q+1) = -1`` means ``z = -1/Z^2`` for ``Z = z^q``.
    """
    z, power = sp.symbols("z Z")
    value = 2 - z - 1 / z
    here, before, after = power - 1 / power, power / z - z / power, power * z - 1 / (power * z)
    at_end = {z: -1 / power**2}
    return {
        "phi is an eigenvector to lambda = 2 - 2 cos(theta) in rows 1..p": lambda: equal(
            2 * here - before - after, value * here
        ),
        "and in row q, where z^(2q+1) = -1": lambda: is_zero((here - before - value * here).subs(at_end)),
        "lambda phi_q^2 = phi_1^2, which is not 0": lambda: is_zero((value * here**2 - (z - 1 / z) ** 2).subs(at_end)),
    }


def stationarity_steps(least_block: int, least_steps: int) -> Tests:
    """Why one round moves ``w*`` for every ``eta > 0``, ``mu >= 0``, ``p >= least_block`` and ``E >= least_steps``.

    On block N, ``(S_N - s) g_N = c e_a``.  Multiplied by ``J + m`` and tested with the eigenvectors of J, whose entry at
    ``a`` is not zero, this says that all ``p + 1`` eigenvalues ``lambda > 0`` solve

        ``G(lambda) := sigma(tau - eta lambda) - sigma(tau) = c R(lambda)``,    ``R = (lambda + m)/(lambda + mu)``

    with ``tau = 1 - eta mu`` (c up to the factor kappa).  R is positive, convex and does not increase (R = 1 for ``mu = 0``).
    Even E: G is negative and decreases strictly, so ``c < 0``, where ``c R`` does not decrease: one solution.  Odd E: G is
    strictly convex and G(0) = 0.  For ``c > 0``, G is positive at a solution and increases from there on, c R does not: one
    solution.  For ``c <= 0``, ``G - c R`` is strictly convex: two solutions at most.
    """
    value, zeros = sp.Symbol("lambda"), 2
    right = (value + N * mu) / (value + mu)
    ranges = [(N, 2, None), (mu, 0, None), (value, Open(0), None)]
    known = sequence_steps() | _image_steps() | _spectrum_steps() | _series_steps()
    return known | {
        "R does not increase": lambda: nonnegative_on(-sp.diff(right, value), ranges),
        "R is convex": lambda: nonnegative_on(sp.diff(right, value, 2), ranges),
        "E >= 2, so that sigma is not constant": lambda: nonnegative_on(least_steps - 2, ()),
        "block N has p + 1 eigenvalues, more than there are solutions": lambda: positive_on(
            least_block + 1 - zeros, ()
        ),
    }


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


#: Clients, edges of a block and local steps of the instances, in order of size.
SIZES = ((2, 1, 2), (2, 1, 3), (2, 2, 1), (2, 2, 2), (2, 2, 3), (2, 2, 4), (2, 3, 3), (3, 2, 3))


def search_step_sizes(
    least_block: int, least_steps: int, ridges: Sequence[sp.Rational] = (sp.Integer(0),)
) -> tuple[Tried, dict[str, object]]:
    """Every ``eta > 0`` at once, on small instances with ``p >= least_block`` and ``E >= least_steps``; the gcds as numbers."""
    found, divisors = "", {}
    sizes = [size for size in SIZES if size[1] >= least_block and size[2] >= least_steps]
    for (n_clients, block, steps), ridge in product(sizes, ridges):
        example = Example(n_clients, block, ridge)
        divisor, roots = common_positive_roots(example, steps)
        divisors[f"{example.name}, E={steps}"] = str(divisor)
        if roots and not found:
            at = "every eta" if divisor == 0 else f"eta = {min(r for r in sp.real_roots(divisor) if r > 0)}"
            found = f"{example.name}, E={steps}, {at}: one round leaves w* = {list(example.optimum)} where it is"
    return Tried(len(divisors), found), {"gcd of the entries, without powers of eta": divisors}


def moved_by_every_step(
    least_block: int,
    least_steps: int,
    ridges: Sequence[sp.Rational],
    valid_for: str,
    numbers: Mapping[str, object] | None = None,
) -> Evidence:
    """One round moves ``w*``, and the fixed point is another, for ``p``, ``E`` from these least numbers on and every ``eta``."""
    found, divisors = search_step_sizes(least_block, least_steps, ridges)
    return decide(
        stationarity_steps(least_block, least_steps),
        found,
        method="With the eigenvectors of block N, w* stays put only if all p + 1 >= 3 eigenvalues solve sigma(1 - eta "
        "(lambda + mu)) - sigma(1 - eta mu) = c (lambda + N mu)/(lambda + mu), sigma(t) = 1 + ... + t^(E-1).  Sigma is "
        "increasing (even E) or convex (odd E), which leaves at most two solutions.  Instances: gcd in QQ[eta].",
        valid_for=valid_for,
        numbers=numbers or divisors,
    )
