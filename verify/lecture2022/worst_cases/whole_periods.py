r"""A whole period at once (exact gradients): Theorems 1 and 3 with the errors averaged before they are squared.

With A at the start of a block of m steps, a_t the change of the gradient since then, delta_t = A + a_t - mean_i grad
f_i(x_i) and bars for means over the block, the descent lemma is applied once, to the whole block:
    (1/m) sum |A + a_t|^2 - (2/(s m))(F - F_m) <= |delta_bar|^2 - |e|^2 + u m |e + a_bar|^2 + (1/m) sum |a_t|^2
with e = A - delta_bar and u = L s.  The a_t are small since the average moves little: for s <= 1/(6LK) they cost a share
of 1/50 of the variance of the delta_t.  The constant error is then (K/2)^2 and not K^2/3.
"""

from collections.abc import Mapping
from typing import TypeAlias

import sympy as sp

from fltheory.derivation.statement import text_of
from fltheory.evidence.in_mean import InMean, use
from fltheory.evidence.relations import Relations
from fltheory.kinds import JSON
from fltheory.theory.conditions import Condition
from fltheory.theory.lecture2022 import bounds
from fltheory.theory.lecture2022.bounds import FULL, G, K, L, T, gap, s, sigma_G
from fltheory.theory.lecture2022.vocabulary import Bound

SHORT = Condition("s <= 1/(6LK)", 6 * K * L * s <= 1)
EXACT = Condition("exact client gradients")

#: Constants of the period theorems, with (K-1)^2 (rounds) or (K+1)^2 (printed code); below 1/4 none serves (sharp_cycle).
PERIOD_1, PERIOD_3 = sp.Rational(51, 200), sp.Rational(29, 100)


def period_expression(descent: sp.Expr, drift: sp.Expr, bounded: sp.Expr) -> sp.Expr:
    """``descent gap/(sT) + drift L^2 s^2 bounded``."""
    return descent * gap / (s * T) + drift * L**2 * s**2 * bounded


#: Theorem 1 for exact gradients, errors averaged over the period before they are squared.
theorem_1_period = {
    code: Bound(
        "Theorem 1, whole periods",
        "Theorem 1",
        bounds.AVERAGE_GRADIENT,
        period_expression(2, PERIOD_1 * squared, G**2),
        (SHORT, EXACT, bounds.MOMENTS, FULL),
        symbol_names=bounds.NAMES,
    )
    for code, squared in (("FedAvg", (K - 1) ** 2), ("printed", (K + 1) ** 2))
}
theorem_3_period = Bound(
    "Theorem 3, whole periods",
    "Theorem 3",
    bounds.AVERAGE_GRADIENT,
    period_expression(2, PERIOD_3 * (K - 1) ** 2, sigma_G**2),
    (SHORT, EXACT, bounds.DISSIMILARITY, FULL),
    symbol_names=bounds.NAMES,
)

#: By name what a theorem is put together from.
Statements: TypeAlias = Mapping[str, Relations | InMean]
#: What joins them, in words.
ASSEMBLY = (
    "the errors are put into the statement about a block step by step, |sum delta_t| <= sum n_t D where |delta_t| <= n_t D by the "
    "weighted mean, blocks of m <= K steps follow one another, of which the last may be shorter, and f(xbar^T) >= f*"
)


def kept(one: Relations | InMean) -> Mapping[str, JSON] | None:
    """The certificate of a statement that is proved."""
    return one.derived.certificate if isinstance(one, InMean) else one.certificate


#: delta = grad f(u) - mean grad f_i(x_i) where the clients have made n steps since their average; u is their average now.
ERRORS = InMean(
    "sq(mean(g_u - g_x, k)) <= L**2*s**2*n**2*G**2 for L > 0; s > 0; n >= 0; G >= 0",
    things="function f over k; y; v over k j; x over k = y - s*n*mean(v, j); u = mean(x, k); f at x, u",
    over="k j",
    uses=[
        use("Lipschitz gradients", "x u", of="f", L="L"),
        use("bounded gradients", form="G**2 - sq(v)", times="L**2*s**2*n**2"),
    ],
    squares=[
        ("1", "g_u - g_x - mean(g_u - g_x, k)"),
        ("L**2*s**2*n**2", "v - mean(v, j)"),
        ("L**2*s**2*n**2", "mean(v, j, k)"),
    ],
    unfold="u x",
)
#: m steps of a block from u to w along b, the gradients of the clients: a the changes of grad F since then, d the errors.
BLOCK = InMean(
    "sq(g_u + a) - 2/(s*m)*(f_u - f_w) <= sq(mean(d, j)) + 1/50*sq(d - mean(d, j)) for L > 0; m >= 1; 0 < s <= 1/(6*L*m)",
    things="function F; u; F at u; a over j; d over j; b over j = g_u + a - d; w = u - s*m*mean(b, j); F at w",
    over="j",
    uses=[
        use("smooth", "u w", "2/(s*m)", of="F", L="L"),
        use("small changes", form="sq(g_u + a - d)/72 - sq(a)", over="j", times="5/4"),
    ],
    squares=[
        ("1 - L*s*m - 5/288", "g_u - mean(d, j) - (L*s*m + 5/288)/(1 - L*s*m - 5/288)*mean(a, j)"),
        ("(1/4 - 5/4*(L*s*m + 5/288))/(1 - L*s*m - 5/288)", "mean(a, j)"),
        ("67/288", "a - mean(a, j) + 5/67*(d - mean(d, j))"),
        ("1/50 - 5/288 - 25/(288*67)", "d - mean(d, j)"),
    ],
    unfold="w b",
)
#: Steps and their squares before the one of number m, counted from 0.
_SUMS = "total = m*(m - 1)/2", "squares = m*(m - 1)*(2*m - 1)/6"
_COUNTED = "; ".join(
    f"first_{name} = 0; next_{name} = {name} + {more}" for name, more in (("m", 1), ("total", "m"), ("squares", "m**2"))
)
OF_EVERY_BLOCK: Statements = {
    "sums over the steps": Relations(f"{'; '.join(_SUMS)} for {_COUNTED}", uses={i: {_SUMS[i]: "1"} for i in (0, 1)}),
    "sums of t vectors": InMean(
        "sq(t*mean(b, j)) <= t**2*sq(b) for t >= 0", things="b over j", over="j", squares=[("t**2", "b - mean(b, j)")]
    ),
    "(1/m) sum |a_t|^2 <= (L s)^2 (1/m) (sum_t t) sum |b_t|^2": Relations(
        "(L*s)**2*(m*(m - 1)/2) <= 1/72 for L > 0; m >= 1; K >= m; 0 < s <= 1/(6*L*K)"
    ),
    "a block": BLOCK,
    "mean and mean square of the errors": InMean(
        "sq(mean(d, j)) + 1/50*sq(d - mean(d, j)) = 49/50*sq(mean(d, j)) + 1/50*sq(d)", things="d over j", over="j"
    ),
    "weighted mean": InMean(
        "sq(mean(z, k)) <= D**2 for D >= 0",
        things="z over k",
        over="k",
        uses=[use("every one", form="D**2 - sq(z)")],
        squares=[("1", "z - mean(z, k)")],
    ),
}


def summing_up(right: sp.Expr, constant: str) -> Statements:
    """Blocks one after another by induction (the last one may be shorter), and f(xbar^T) >= f*."""
    done, block = "done <= 2/s*(F_0 - F) + count*c", "block <= 2/s*(F - F_next) + m*c"
    total = "total <= 2/s*(gap - rest) + T*c"
    return {
        "one more block": Relations(
            f"done + block <= 2/s*(F_0 - F_next) + (count + m)*c for s > 0; {done}; {block}",
            uses={0: {done: "1", block: "1"}},
        ),
        "final bound": Relations(
            f"total/T <= {text_of(right)} for s > 0; T >= 1; rest >= 0; gap >= 0; G >= 0; sigma_G >= 0; K >= 1; L > 0; "
            f"c = {constant}; {total}",
            uses={0: {total: "1/T"}},
        ),
    }


def errors_fit(code: str, constant: sp.Rational, mean_factor: str = "1", square_factor: str = "1") -> Statements:
    """The errors of any block of m <= K steps stay below constant (K -+ 1)^2: one step, and two or more."""
    sign = {"FedAvg": "-", "printed": "+"}[code]
    return {
        f"errors of a block of {steps} steps": Relations(
            f"49/50*({mean_factor}*n)**2 + 1/50*({square_factor})**2*square <= {constant}*(K {sign} 1)**2 "
            f"for {where}; n = (m {sign} 1)/2; square = (m {sign} 1)*(2*m {sign} 1)/6"
        )
        for steps, where in (("one", "K >= 1; m = 1"), ("two or more", "m >= 2; K >= m"))
    }


def period_1(right: sp.Expr, code: str) -> Statements:
    """Theorem 1 with the errors of a period averaged: |delta_t| <= L s n_t G with n_t gradients since the average.

    Step t = qK + r + 1 evaluates n gradients after the last average, which is that of iterate qK - 1 in the printed code (in the
    first period there is none, and the r gradients since the start are fewer), and of iterate qK in rounds.
    """
    averaged, number, size = {"printed": ("q*K - 1", "r + 1", "K"), "FedAvg": ("q*K", "r", "K - 1")}[code]
    since = f"q*K + r - ({averaged}) = n; n <= {size}; r <= n for r >= 0; K >= r + 1; q >= 0; n = {number}"
    constant = f"{PERIOD_1}*(K {'-' if code == 'FedAvg' else '+'} 1)**2*L**2*s**2*G**2"
    return {
        "gradients since the average": Relations(since),
        "errors": ERRORS,
        **OF_EVERY_BLOCK,
        **errors_fit(code, PERIOD_1),
        **summing_up(right, constant),
    }


#: One more step of a round: L times the root mean square of x_i - u grows from at most v to at most v + L s (v + sigma_G), v as
#: small as one likes where it is 0.
GROWTH = InMean(
    "L**2*sq(x - s*g_x - mean(x - s*g_x, k)) <= (v + L*s*v + L*s*sigma_G)**2 for L > 0; s > 0; v > 0; sigma_G > 0",
    things="function f over k; x over k; u = mean(x, k); f at x, u",
    over="k",
    uses=[
        use("so far", form="v**2 - L**2*sq(x - u)", over="k", times="(v + L*s*v + L*s*sigma_G)*(1/v + L*s/v)"),
        use("Lipschitz gradients", "x u", "L*s*(v + L*s*v + L*s*sigma_G)/v", of="f", L="L"),
        use("gradient dissimilarity", "u", "L*s*(v + L*s*v + L*s*sigma_G)/sigma_G", of="f", sigma_G="sigma_G"),
    ],
    squares=[
        ("L*s*(v + L*s*v + L*s*sigma_G)/v", "mean(g_x - g_u, k)"),
        ("L**3*s*v**2", "(x - u)/v + (g_x - g_u - mean(g_x - g_u, k))/(L*v)"),
        ("L**3*s*v*sigma_G", "(x - u)/v + (g_u - mean(g_u, k))/(L*sigma_G)"),
        ("L**4*s**2*v*sigma_G", "(g_x - g_u - mean(g_x - g_u, k))/(L*v) - (g_u - mean(g_u, k))/(L*sigma_G)"),
    ],
    unfold="u",
)


def period_3(right: sp.Expr) -> Statements:
    """Theorem 3 for rounds of K local steps with exact gradients, errors of a round averaged.

    L (1/N sum |x_i - xbar|^2)^(1/2) <= sigma_G (n u + (9/17) n^2 u^2) after n steps of a round, u = L s <= 1/(6K), by strong
    induction: after each step it is at most u sum_{j<n} (sigma_G + what it was before step j + 1).
    """
    errors = InMean(
        "sq(mean(g_u - g_x, k)) <= v**2 for L > 0; v >= 0",
        things="function f over k; x over k; u = mean(x, k); f at x, u",
        over="k",
        uses=[
            use("Lipschitz gradients", "x u", of="f", L="L"),
            use("drift", form="v**2 - L**2*sq(x - u)", over="k"),
        ],
        squares=[("1", "g_u - g_x - mean(g_u - g_x, k)")],
    )
    return {
        "one more step": GROWTH,
        "strong induction, and |delta_n| <= (37/34) n u sigma_G": Relations(
            "u*(n + u*(n*(n - 1)/2) + 9/17*u**2*(n*(n - 1)*(2*n - 1)/6)) <= n*u + 9/17*n**2*u**2 <= 37/34*n*u "
            "for n >= 1; K >= n + 1; 0 < u <= 1/(6*K)"
        ),
        "mean of the errors <= (18/17) u sigma_G (m-1)/2": Relations(
            "u*(m - 1)/2 + 9/17*u**2*((m - 1)*(2*m - 1)/6) <= 18/17*u*(m - 1)/2 for m >= 1; K >= m; 0 < u <= 1/(6*K)"
        ),
        "errors": errors,
        **OF_EVERY_BLOCK,
        **errors_fit("FedAvg", PERIOD_3, "18/17", "37/34"),
        **summing_up(right, f"{PERIOD_3}*(K - 1)**2*L**2*s**2*sigma_G**2"),
    }
