r"""Appendix C of Li et al. (2020) for all N and p at once: closed forms, and the identities that prove them.

Vectors over the coordinates are formal sums of :func:`unit` vectors with symbolic indices, so that an identity holds
wherever indices coincide as well.  A row of any ``A_k`` is one of three kinds (:data:`ROWS`), a column likewise, and
sums over the clients are settled by induction in the number of clients.  Each ``*_steps`` function evaluates the
named identities of one lemma; ``p >= 2`` throughout, because a block then has an interior.

``h = 1/(N p + 2)``, corners ``a_j = (j-1)p + 1`` (``j = 2..N``) are the shared coordinates.
"""

from collections.abc import Callable, Mapping
from functools import cache

import sympy as sp

from fltheory.theory.proofs import equal, is_zero
from fltheory.theory.steps import Tests
from verify.li2020.appendix_c.example import block_start

N, p, k, i = sp.symbols("N p k i", integer=True, positive=True)
mu, m, x, y, eta = sp.symbols("mu m x y eta", nonnegative=True)
h = 1 / (N * p + 2)

Sequence = Callable[[sp.Expr], sp.Expr]

#: The rows of the Laplacian of a path, applied to a sequence.
ROWS: Mapping[str, Callable[[Sequence, sp.Expr], sp.Expr]] = {
    "left end": lambda w, at: w(at) - w(at + 1),
    "interior": lambda w, at: 2 * w(at) - w(at - 1) - w(at + 1),
    "right end": lambda w, at: w(at) - w(at - 1),
}


def unit(index: sp.Expr) -> sp.Expr:
    """Formal unit vector ``e_index``."""
    return sp.Function("e")(sp.expand(index))


def corner(j: sp.Expr) -> sp.Expr:
    """``a_j``, the first coordinate of block ``j``."""
    return sp.expand(block_start(j, p))


def optimum_entry(at: sp.Expr) -> sp.Expr:
    """``w*_i = 1 - i/(Np+2)`` for ``mu = 0``."""
    return 1 - at * h


def left_column(at: sp.Expr) -> sp.Expr:
    """Column of a path's Laplacian at the first coordinate of its block."""
    return unit(at) - unit(at + 1)


def right_column(at: sp.Expr) -> sp.Expr:
    """Column of a path's Laplacian at the last coordinate of its block."""
    return unit(at) - unit(at - 1)


def optimum_steps(entry: Sequence = optimum_entry) -> Tests:
    """``A w* = e_1`` row by row."""
    n = N * p + 1
    return {
        "first row of A w* is 1": lambda: equal(2 * entry(sp.Integer(1)) - entry(sp.Integer(2)), 1),
        "interior rows of A w* vanish": lambda: is_zero(ROWS["interior"](entry, i)),
        "last row of A w* vanishes": lambda: equal(2 * entry(n), entry(n - 1)),
    }


def gradient_steps() -> Tests:
    """``grad F_1(w*) = -h e_{a_2}``, ``grad F_k(w*) = h (e_{a_k} - e_{a_{k+1}})``, ``grad F_N(w*) = h e_{a_N}``."""
    n = N * p + 1
    return optimum_steps() | {
        "a block's left end contributes h": lambda: equal(ROWS["left end"](optimum_entry, i), h),
        "a block's right end contributes -h": lambda: is_zero(ROWS["right end"](optimum_entry, i) + h),
        "the grounded last coordinate adds h": lambda: is_zero(ROWS["right end"](optimum_entry, n) + optimum_entry(n)),
    }


def source_term(j: sp.Expr) -> sp.Expr:
    """``e_{a_j - 1} - e_{a_j + 1}``: what corner ``j`` contributes to ``(V - A_1 A) w*/h``."""
    return unit(corner(j) - 1) - unit(corner(j) + 1)


def source_steps() -> Tests:
    """``sum_k A_k grad F_k(w*) = h sum_{j=2}^N (e_{a_j-1} - e_{a_j+1})``, by induction in the number of clients."""
    first = -right_column(corner(2))

    def middle(client: sp.Expr) -> sp.Expr:
        return left_column(corner(client)) - right_column(corner(client + 1))

    def rest(client: sp.Expr) -> sp.Expr:
        return unit(corner(client + 1) - 1) - unit(corner(client + 1))

    return gradient_steps() | {
        "one client": lambda: equal(first, rest(sp.Integer(1))),
        "one more client": lambda: equal(middle(k), source_term(k) + rest(k) - rest(k - 1)),
        "the last client": lambda: equal(rest(N - 1) + left_column(corner(N)), source_term(N)),
    }


def slope() -> sp.Expr:
    """``s = 2(N-1)/(Np+2)``, the slope of the sawtooth ``u``."""
    return 2 * (N - 1) * h


def profile_steps() -> Tests:
    r"""``u_i = s i - #\{j: a_j <= i\} - #\{j: a_j < i\}`` solves ``A u = sum_j (e_{a_j-1} - e_{a_j+1})``.

    Minus the second difference of a unit jump at ``a`` is ``e_a - e_{a-1}``; ``u_0 = u_{n+1} = 0`` by the slope.
    """
    jump = {at: int(at >= 0) for at in range(-3, 4)}
    second = {at: 2 * jump[at] - jump[at - 1] - jump[at + 1] for at in range(-2, 3)}
    a = sp.Symbol("a", integer=True)
    images = (unit(a) - unit(a - 1)) + (unit(a + 1) - unit(a))
    return {
        "image of a unit jump": lambda: all(
            equal(second[at], value) for at, value in {-2: 0, -1: -1, 0: 1, 1: 0, 2: 0}.items()
        ),
        "two jumps per corner": lambda: equal(-images, unit(a - 1) - unit(a + 1)),
        "zero past the last coordinate": lambda: equal(slope() * (N * p + 2), 2 * (N - 1)),
    }


@cache
def profile_norm_squared() -> sp.Expr:
    """``|u|^2`` in ``N`` and ``p``, summed block by block."""
    j = sp.Symbol("j", integer=True, positive=True)
    s = sp.Symbol("s")
    first = sp.summation((s * i) ** 2, (i, 1, p))
    corners = sp.summation(sp.expand((s * corner(j) - (2 * j - 3)) ** 2), (j, 2, N))
    inside = sp.summation(sp.expand((s * (corner(j) + i) - 2 * (j - 1)) ** 2), (i, 1, p - 1))
    middle = sp.summation(sp.expand(inside), (j, 2, N - 1))
    last = sp.summation(sp.expand((s * (corner(N) + i) - 2 * (N - 1)) ** 2), (i, 1, p))
    return sp.factor(sp.together((first + corners + middle + last).subs(s, slope())))


def leading_ratio_squared() -> sp.Expr:
    """``lim |w~*-w*|^2 / ((E-1) eta |A_1 A_2 w*|)^2 = |u|^2/8`` as ``eta -> 0``, for ``mu = 0``."""
    return profile_norm_squared() / 8


def optimum_norm_squared() -> sp.Expr:
    """``|w*|^2`` for ``mu = 0``."""
    return sp.factor(sp.summation(sp.expand((i * h) ** 2), (i, 1, N * p + 1)))
