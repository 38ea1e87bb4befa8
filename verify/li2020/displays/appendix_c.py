r"""Displays of Appendix C.1 to C.3 of Li et al. (2020): the tridiagonal example and its ridge regression.

``A, A_k, X, ...`` are matrices (non-commutative symbols), ``b, w_opt, w_tilde`` columns; ``w`` is any column.
"""

from functools import partial

import sympy as sp
from sympy.core.symbol import Str

from fltheory.theory.conditions import Condition
from fltheory.theory.notation import (
    ClientSum,
    CoordinateSquares,
    Entry,
    Inner,
    NeighbourProducts,
    NeighbourSquares,
    Norm,
    NormSq,
    Quadratic,
    Rank,
    SpectralNorm,
    Transposed,
)
from fltheory.theory.ranges import COUNT, REAL
from verify.li2020.displays import notation
from verify.li2020.displays.notation import link

A, A_k, A_1, A_2, identity, X, X_k, X_1 = sp.symbols("A A_k A_1 A_2 I X X_k X_1", commutative=False)
b, b_k, b_1, w_opt, w_1, w_limit = sp.symbols("b b_k b_1 w_opt w_1 w_limit", commutative=False)
w = sp.Symbol("w", commutative=False)
c = sp.Symbol("c")
mu, eta = sp.symbols("mu eta")
N, block, E = sp.symbols("N p E", positive=True)
i, j, k = sp.symbols("i j k", integer=True)

NAMES = {
    "w_opt": "w^*",
    "w_1": r"\tilde w",
    "w_limit": r"\tilde w^*",
    "c": "C",
    "w_t": "w_t",
    "w_next": "w_{t+1}",
    "w_previous": "w_{t-1}",
    "w_later": "w_{t+n}",
    "w_first": "w_1",
    "w_0": "w_0",
    "M_limit": "M'",
    "R_0": r"\Theta(1)",
    "R_1": r"\Theta(\eta)",
    "R_2": r"\Theta(\eta^{2})",
    "R_3": r"\Theta(\eta^{3})",
    "I_p": "I_p",
    "I_m": "I",
    "C_m": "C",
    "f_eta": r"f(\eta)",
    "C_1": "C_1",
    "C_2": "C_2",
    "one": r"1^{p}",
    "zero": r"0^{p}",
    "e_1": "e_1",
}
EXAMPLE = Condition("A_k, b_k of C.1, N > 1, p > 1")
NO_RIDGE = Condition("mu = 0", sp.Eq(mu, 0))

#: What the displays of all parts of Appendix C share.
displays = partial(notation.displays, names=NAMES, ranges={"p": COUNT, "c": REAL})

_c1, _c3 = displays("Appendix C.1", EXAMPLE), displays("Appendix C.3", EXAMPLE)
_last = N * block + 1

eq_27 = _c1(
    "(27), the objective", "F(w)", "=", (Quadratic(A, w) - 2 * Inner(b, w)) / (2 * N) + mu / 2 * NormSq(w), "LI-C1-SUM"
)
eq_28 = _c1(
    "(28), entries of A",
    "A_{i,j}",
    "=",
    sp.Piecewise((2, sp.Eq(i, j)), (-1, sp.Eq(sp.Abs(j - i), 1)), (0, True)),
    "LI-C1-SUM",
)
_low, _high = (k - 1) * block + 1, k * block + 1
eq_29 = _c1(
    "(29), entries of B_k",
    "(B_k)_{i,j}",
    "=",
    sp.Piecewise(
        (0, sp.Or(i < _low, i > _high, j < _low, j > _high)),
        (1, sp.And(sp.Eq(i, j), sp.Or(sp.Eq(i, _low), sp.Eq(i, _high)))),
        (2, sp.Eq(i, j)),
        (-1, sp.Eq(sp.Abs(j - i), 1)),
        (0, True),
    ),
    "LI-C1-SUM",
)
eq_30 = _c1(
    "(30), the local objectives",
    "F_k(w)",
    "=",
    (Quadratic(A_k, w) - 2 * Inner(b_k, w) + mu * NormSq(w)) / 2,
    "LI-C1-SUM",
    "LI-RIDGE",
)
sum_of_matrices = _c1("A is the sum of the A_k", A, "=", ClientSum(A_k), "LI-C1-SUM")
sum_of_shifts = _c1("b is the sum of the b_k", b, "=", ClientSum(b_k), "LI-C1-SUM")
theorem_5 = _c1(
    "Theorem 5",
    Norm(w_limit - w_opt),
    ">=",
    (E - 1) * eta / 16 * Norm(A_1 * A_2 * w_opt),
    "LI-THM5",
    "LI-THM4-CONST",
    Condition("E > 1", E > 1),
    Condition("eta constant and small"),
)

_differences = Entry(w, 1, Str("1")) ** 2 + Entry(w, _last, Str("Np+1")) ** 2 + NeighbourSquares(w)
eq_31_first, eq_31_second, eq_31 = notation.chain(
    _c3,
    Quadratic(A, w),
    link("(31), by coordinates", "=", 2 * CoordinateSquares(w) - 2 * NeighbourProducts(w), "LI-EQ31"),
    link("(31), by differences", "=", _differences, "LI-EQ31"),
    link("(31), bound", "<=", 4 * NormSq(w), "LI-EQ31"),
)
eq_31_lower = _c3("A is positive definite", Quadratic(A, w), ">=", 0, "LI-EQ31")
semidefinite = _c3("Proposition 1 (1), semidefinite", Quadratic(A_k, w), ">=", 0, "LI-PR1-1")
spectral_norm = _c3("Proposition 1 (1), norm", SpectralNorm(A_k), "<=", 4, "LI-PR1-1")
rank_inside = _c3("Proposition 1 (2), clients inside", Rank(A_k), "=", block, "LI-PR1-2", Condition("2 <= k <= N - 1"))
rank_ends = _c3(
    "Proposition 1 (2), clients at the ends", Rank(A_k), "=", block + 1, "LI-PR1-2", Condition("k = 1 or k = N")
)
factor = _c3("Proposition 1 (3), factors", A_k, "=", Transposed(X_k) * X_k, "LI-PR1-3")
factor_of_the_sum = _c3("Proposition 1 (3), sum", ClientSum(A_k), "=", Transposed(X) * X, "LI-PR1-3")
_c3_no_ridge = displays("Appendix C.3", EXAMPLE, NO_RIDGE)
minimiser = _c3_no_ridge(
    "Proposition 1 (4), minimiser of (27)", w_opt, "=", A**-1 * b, "LI-PR1-4.1", repaired_by="LI-PR1-4.1-R1"
)
minimiser_repaired = _c3(
    "Proposition 1 (4), minimiser of (27) (repaired)",
    w_opt,
    "=",
    (A + N * mu * identity) ** -1 * b,
    "LI-PR1-4.1-R1",
    "LI-MUPOS",
)
minimiser_entries = _c3_no_ridge("Proposition 1 (4), entries", "(w^*)_i", "=", 1 - i / (N * block + 2), "LI-PR1-4.2")
first_client = _c3("Proposition 1 (4), first client", A_1 * w_1, "=", b_1, "LI-PR1-4.3")
first_client_factor = _c3(
    "Proposition 1 (4), first client by its factor", A_1 * w_1, "=", Transposed(X_1) * X_1 * w_1, "LI-PR1-4.3"
)

_first = (Quadratic(A_1, w) - 2 * Inner(b_1, w) + mu * NormSq(w)) / 2
_factored = (Quadratic(Transposed(X_1) * X_1, w) - 2 * Inner(Transposed(X_1) * X_1 * w_1, w) + mu * NormSq(w)) / 2
_others = (Quadratic(A_k, w) - 2 * Inner(b_k, w) + mu * NormSq(w)) / 2
ridge_first = _c3("first client, by its factor", _first, "=", _factored, "LI-RIDGE.1")
ridge_first_square = _c3(
    "first client, completed square", _factored, "=", NormSq(X_1 * (w - w_1)) / 2 + mu * NormSq(w) / 2 + c, "LI-RIDGE.1"
)
ridge_others = _c3(
    "other clients", _others, "=", NormSq(X_k * w) / 2 + mu * NormSq(w) / 2, "LI-RIDGE.2", Condition("k >= 2")
)
_whole = (Quadratic(A, w) - 2 * Inner(b, w)) / (2 * N) + mu / 2 * NormSq(w)
_regression = NormSq(X * (w - w_opt)) / (2 * N) + mu * NormSq(w) / 2
ridge_all = _c3_no_ridge(
    "global objective, as printed", _whole, "=", _regression, "LI-RIDGE.3", repaired_by="LI-RIDGE.3-R1"
)
ridge_all_repaired = _c3(
    "global objective with its constant (repaired)",
    _whole,
    "=",
    NormSq(X * (w - A**-1 * b)) / (2 * N) + mu * NormSq(w) / 2 - (1 - 1 / (N * block + 2)) / (2 * N),
    "LI-RIDGE.3-R1",
)
overlap = _c3(
    "neighbouring blocks", r"|I_k\cap I_{k+1}|", "=", _high - (sp.expand(_low.subs(k, k + 1)) - 1), "LI-OVERLAP"
)
