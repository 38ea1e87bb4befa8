r"""Limits of ``T^2 gap`` (full gradients) and ``T gap`` (noise) for FedAvg on quadratics, step sizes of Theorem 1.

``F_k`` has Hessian ``A_k >= mu I`` and minimiser ``w_k*``; all clients take part, ``eta_t = 2/(mu (gamma + t))``,
``t = 1, 2, ...``, ``gamma = max(8 kappa, E)``.  Write ``B_k = 2 A_k/mu``, ``B = sum p_k B_k = 2 Abar/mu >= 2 I``,
``d_k = w_k* - w*`` (so ``sum p_k B_k d_k = 0``) and ``q = sum p_k B_k^2 d_k``.  Round ``r`` starts at ``x = gamma + 1 + r E``;
``n = x/E`` grows by one per round, ``h = 1/n``.  With ``P_k = prod_{i<E} (I - B_k/(x+i))``, a polynomial in ``B_k``,

    ``e' = sum p_k (P_k e + (I - P_k) d_k)``           error of the mean, exactly,
    ``S' = Pbar S Pbar + noise``                       covariance; the noise is additive, of covariance ``C_k``, independent.

``P_k = I - B_k h + (B_k^2 + B_k)(1 - 1/E) h^2/2 + O(h^3)`` with a constant free of ``E``, so ``y = n e`` and ``Y = x S`` obey

    ``y' = y - h ((B - I) y + (1 - 1/E) q/2) + O(h^2)(1 + |y|)``,    ``Y' = Y - h (B Y + Y B - Y - V) + O(h^2)(1 + |Y|)``

with ``V = (4/mu^2) sum p_k^2 C_k``.  Both tend to the zero of the bracket, uniformly in ``E >= 1``, because the start of
``y`` and ``Y`` is bounded uniformly as well.  Each ``*_steps`` function evaluates the identities and signs of one part.
"""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

import sympy as sp

from fltheory.theory.proofs import Open, equal, is_zero, nonnegative_on
from fltheory.theory.steps import Tests

b, h, q = sp.symbols("b h q")
#: Local steps of a round.
E = sp.Symbol("E", positive=True)


def _main(steps: sp.Expr, z: sp.Expr) -> sp.Expr:
    """Second-order part of ``prod_{i<steps} (1 - b z/(1 + i z))``, ``z = 1/x``."""
    return 1 - b * steps * z + (b**2 + b) * steps * (steps - 1) / 2 * z**2


def product_steps() -> Tests:
    """``0 <= main - P <= b(b+1)(b+2)/6 h^3`` for every ``E >= 1`` and ``x >= b``, by induction on the factors."""
    j, z = sp.symbols("j z")
    residual = _main(j, z) * (1 - b * z / (1 + j * z)) - _main(j + 1, z)
    bracket = b * j * (j - 1) / 2 + j**2
    cubes = (b + 2) * ((j + 1) ** 3 - j**3) / 6
    return {
        "P: no factor, no error": lambda: equal(_main(sp.Integer(0), z), 1),
        "P: one more factor changes the error by -b (b+1) z^3 bracket/(1+jz)": lambda: is_zero(
            residual + b * (b + 1) * z**3 * bracket / (1 + j * z)
        ),
        "P: the bracket is 0 at j = 0 and not negative for j >= 1": lambda: (
            is_zero(bracket.subs(j, 0)) and nonnegative_on(bracket, [(b, 0, None), (j, 1, None)])
        ),
        "P: and at most (b+2)((j+1)^3 - j^3)/6 (1+jz)": lambda: nonnegative_on(
            cubes * (1 + j * z) - bracket, [(b, 0, None), (z, 0, None), (j, 0, None)]
        ),
        "P: the factors lie in [0, 1] for x >= b": lambda: nonnegative_on(
            1 - b * z / (1 + j * z), [(b, Open(0), None), (z, 0, 1 / b), (j, 0, None)]
        ),
        "P: main at j = E, z = h/E": lambda: equal(_main(E, h / E), 1 - b * h + (b**2 + b) * (1 - 1 / E) / 2 * h**2),
    }


def spectrum_steps() -> Tests:
    """``x >= gamma + 1 >= b``, so that ``0 <= P_k <= I`` (early rounds are bounded), and ``B >= 2 I``."""
    mu, curvature, kappa = sp.symbols("mu a kappa")
    return {
        "x >= 8 kappa + 1 >= b, b <= 2 kappa": lambda: nonnegative_on(8 * kappa + 1 - 2 * kappa, [(kappa, 1, None)]),
        "every eigenvalue 2a/mu of B is at least 2": lambda: nonnegative_on(
            2 * curvature / mu - 2, [(mu, Open(0), None), (curvature, mu, None)]
        ),
    }


def _of_order(expression: sp.Expr, order: int) -> Callable[[], bool]:
    """Whether an expression is ``h^order`` times a polynomial in ``h``."""
    expanded = sp.expand(expression)
    degrees = range(order, sp.Poly(sp.expand(h**9 * expanded), h).degree() - 8)
    rest = sp.Add(*(expanded.coeff(h, n) * h ** (n - order) for n in degrees))
    return lambda: equal(expression, h**order * rest)


def mean_steps() -> Tests:
    """The recursion of ``y = n e``; every term is linear in the clients' ``b^i d`` and in ``y``."""
    d, rest, y, mean, second = sp.symbols("d rho y B B_2")
    one = 1 - b * h + (b**2 + b) * (1 - 1 / E) / 2 * h**2 + h**3 * rest
    # Averages over the clients of b^i d^k rho^l; sum p_k B_k d_k = -(2/mu) grad F(w*) = 0.
    averages = {
        (0, 0, 0): sp.Integer(1),
        (1, 0, 0): mean,
        (2, 0, 0): second,
        (1, 1, 0): sp.Integer(0),
        (2, 1, 0): q,
        (0, 0, 1): sp.Symbol("rho_1"),
        (0, 1, 1): sp.Symbol("rho_d"),
    }

    def averaged(expression: sp.Expr) -> sp.Expr:
        return sp.Add(*(averages[powers] * c for powers, c in sp.Poly(sp.expand(expression), b, d, rest).terms()))

    after = averaged(one) * h * y + averaged((1 - one) * d)
    claimed = y - h * ((mean - 1) * y + (1 - 1 / E) * q / 2)
    grown = (1 / h + 1) * after - claimed
    known = product_steps() | spectrum_steps() | limit_steps()
    return known | {
        "y: the recursion up to O(h^2)": _of_order(grown, 2),
        "y: the remainder is at most linear in y": lambda: equal(grown, grown.subs(y, 0) + y * sp.diff(grown, y)),
    }


def covariance_steps() -> Tests:
    """The recursion of ``Y = x S``, in the eigenbasis of ``B``; ``V`` is the noise of one step, times ``x^2``."""
    first, other, entry, noise, rest = sp.symbols("beta_i beta_j Y V w")
    a_1, a_2, part, total = sp.symbols("a_1 a_2 s S")
    after = (1 - first * h + a_1 * h**2) * (1 - other * h + a_2 * h**2) * h * entry + h**2 * (noise + h * rest)
    claimed = entry - h * ((first + other - 1) * entry - noise)
    known = product_steps() | spectrum_steps() | limit_steps()
    return known | {
        "Y: the recursion up to O(h^2)": _of_order((1 / h + 1) * after - claimed, 2),
        "Y: beta_i + beta_j - 1 > 0": lambda: nonnegative_on(
            first + other - 1 - 3, [(first, 2, None), (other, 2, None)]
        ),
        "noise: E (x+i)^-2 sums to at most h^2 and at least h^2/(1+h)^2 >= h^2 (1 - 2h)": lambda: (
            nonnegative_on((1 + h) ** -2 - (1 - 2 * h), [(h, 0, None)])
            and equal(E * E * (h / E) ** 2, h**2)
            and equal(E * E * (E / h + E) ** -2, h**2 * (1 + h) ** -2)
        ),
        "noise: the later factors multiply to at least 1 - sum of the parts": lambda: equal(
            (1 - total) * (1 - part) - (1 - total - part), total * part
        ),
        "noise: and the parts add up to at most b h": lambda: equal(E * b * (h / E), b * h),
    }


def limit_steps() -> Tests:
    """``|u'| <= (1 - c h)|u| + C h^2 (1 + |u|)``, ``h = 1/(n_0 + r)``, gives ``u -> 0``: below every ``delta <= 1`` for good.

    For ``u`` the distance from the zero of the bracket, ``c > 0`` the least eigenvalue of the bracket's linear part,
    and ``h`` small enough that ``h`` times its largest eigenvalue is at most one.  ``c``, ``C`` do not depend on E.
    """
    c, big, delta, u, rate = sp.symbols("c C delta u h_r")
    first, later = sp.symbols("n_0 n")
    above = [(c, 0, None), (big, Open(0), None), (delta, 0, 1), (u, delta, None), (rate, 0, c * delta / (4 * big))]
    after = (1 - c * rate) * u + big * rate**2 * (1 + u)
    return {
        "u: while |u| >= delta it shrinks by 1 - c h/2": lambda: nonnegative_on((1 - c * rate / 2) * u - after, above),
        "u: these factors multiply to 0: the n rates from round n to 2n add up to at least 1/3, for n >= n_0": lambda: (
            nonnegative_on(later / (first + 2 * later) - sp.Rational(1, 3), [(first, 1, None), (later, first, None)])
        ),
        "u: once |u| <= delta, it stays there (the bound increases in |u|)": lambda: (
            nonnegative_on(delta - after.subs(u, delta), above)
            and nonnegative_on(sp.diff(after, u) + c * rate - 1, above)
        ),
    }


@dataclass(frozen=True)
class Horizon:
    """Limits, for T to infinity, of ``x/T``, ``T/n^2`` and ``T^2/n^2``; ``n = x/E``, ``x = gamma + 1 + T``."""

    start: sp.Expr
    once: sp.Expr
    twice: sp.Expr


def horizon(growth: sp.Expr | None) -> Horizon:
    """For a fixed ``E`` (``growth=None``, ``gamma`` fixed) or ``E = growth sqrt(T)``, ``gamma = E`` from some T on."""
    root, gamma = sp.symbols("root gamma", positive=True)
    time = root**2
    steps = E if growth is None else growth * root
    x = (gamma if growth is None else steps) + 1 + time
    n = x / steps

    def at_infinity(expression: sp.Expr) -> sp.Expr:
        return sp.limit(sp.together(expression), root, sp.oo)

    return Horizon(at_infinity(x / time), at_infinity(time / n**2), at_infinity(time**2 / n**2))


@dataclass(frozen=True)
class ShiftedParabolas:
    """Clients ``a_k (w - m_k)^2/2`` of equal weight, noise of variance ``variance`` each, step sizes with ``mu = 1``."""

    curvatures: tuple[int, ...]
    minimisers: tuple[Fraction, ...]
    variance: Fraction = Fraction(1)

    def __post_init__(self) -> None:
        if len(self.curvatures) != len(self.minimisers) or min(self.curvatures) < 1:
            raise ValueError(f"curvatures={self.curvatures} must be at least 1, one for each of {self.minimisers}")

    @property
    def curvature(self) -> sp.Rational:
        """``Abar``."""
        return sp.Rational(sum(self.curvatures), len(self.curvatures))

    @property
    def words(self) -> str:
        """The clients, as formulas."""
        pairs = zip(self.curvatures, self.minimisers, strict=True)
        return ", ".join(f"F_{k} = {a} (w - ({m}))^2/2" for k, (a, m) in enumerate(pairs, 1))

    def drift(self) -> sp.Rational:
        """``q = sum p_k b_k^2 (w_k* - w*)``; zero exactly where ``sum p_k A_k grad F_k(w*)`` is."""
        pairs = list(zip(self.curvatures, map(sp.Rational, self.minimisers), strict=True))
        optimum = sum(a * m for a, m in pairs) / sp.Integer(sum(self.curvatures))
        return sp.Add(*((2 * a) ** 2 * (m - optimum) for a, m in pairs)) / len(pairs)

    def scaled_error(self, inverse_steps: sp.Expr) -> sp.Expr:
        """``lim n e = -(1 - 1/E) q/(2 (b - 1))``; ``inverse_steps`` is ``1/E``, or 0 where E grows."""
        return -(1 - inverse_steps) * self.drift() / (2 * (2 * self.curvature - 1))

    def square_limit(self) -> sp.Expr:
        """``lim T^2 gap`` with full gradients and ``E`` fixed, as a function of E."""
        return sp.factor(self.curvature / 2 * horizon(None).twice * self.scaled_error(1 / E) ** 2)

    def noisy_limit(self, growth: sp.Expr | None) -> sp.Expr:
        """``lim T gap`` with noise, for a fixed E or ``E = growth sqrt(T)``."""
        at = horizon(growth)
        spread = 4 * sp.Rational(self.variance) / len(self.curvatures) / (4 * self.curvature - 1) / at.start
        error = self.scaled_error(1 / E if growth is None else sp.Integer(0))
        return sp.factor(self.curvature / 2 * (spread + at.once * error**2))


#: The two heterogeneous clients of the rate experiment.
REFERENCE_PAIR = ShiftedParabolas((1, 3), (Fraction(1), Fraction(-1)))
