"""Appendix C.4 of Li et al. (2020): the affine round map, its fixed point (32) and the bias (33), for all N, p, E.

``(I - eta A_k)^E`` is a polynomial in one symmetric matrix, so statements about it are statements about numbers ``x = 1
- eta lambda`` with ``lambda`` in the spectrum, which lies in ``[0, 4)``.  Statements in E are proved by induction.
That the bias is never zero for E >= 2 is argued in :mod:`verify.li2020.appendix_c.stationary_points`.
"""

from __future__ import annotations

import sympy as sp

from fltheory.evidence.algebra import statement_of_algebra
from fltheory.evidence.decide import decide
from fltheory.evidence.ends import first_failure
from fltheory.evidence.kinds import identity_claim, qualitative_claim, run_script
from fltheory.evidence.model import Control, Evidence
from fltheory.evidence.relations import Relations
from fltheory.theory.proofs import equal, is_zero
from fltheory.theory.steps import Tests
from verify.li2020.appendix_c.example import Example, bias, instances, round_map
from verify.li2020.appendix_c.stationary_points import search_step_sizes, stationarity_steps

GENERAL = "all N >= 2, p >= 2, E >= 1"
STEP = sp.Rational(1, 5)
X, S, POWER = sp.symbols("x S X_E")


#: Small examples with numbers of local steps, in order of size.
INSTANCES = [(example, steps) for example in instances(3, 3) for steps in (1, 2, 3, 4)]


def power_sum(matrix: sp.MatrixBase, count: int) -> sp.MatrixBase:
    """``sum_{l < count} matrix^l``."""
    return sum((matrix**n for n in range(count)), sp.zeros(*matrix.shape))


def geometric_steps(extra: int) -> Tests:
    """``w -> x w + eta b`` iterated: ``x^E w + eta S_E b`` with ``S_E = sum_{l < E + extra} x^l``."""
    return {
        "no step: the empty sum is zero": lambda: equal(extra, 0),
        "one more step: x (x^E w + eta S_E b) + eta b, and S_{E+1} = x S_E + 1 = S_E + x^E": lambda: is_zero(
            (X * S + 1 - S - POWER).subs(S, (POWER - 1) / (X - 1))
        ),
    }


def local_run(example: Example, client: int, steps: int, start: sp.Matrix) -> sp.Matrix:
    """E plain gradient steps on ``F_k``, one by one."""
    w, shift = start, example.shift if client == 0 else sp.zeros(example.dimension, 1)
    for _ in range(steps):
        w = w - STEP * (example.clients[client] * w - shift)
    return w


li_loc1 = statement_of_algebra(
    "LI-LOC1.1",
    Relations(
        "1*w + eta*0*b = w; x*(X*w + eta*S*b) + eta*b = X*x*w + eta*(S + X)*b; (S + X)*(1 - x) = 1 - X*x for S*(1 - x) = 1 - X",
        uses={1: {"S*(1 - x) = 1 - X": "-eta*b"}, 2: {"S*(1 - x) = 1 - X": "1"}},
        names={"X": "x^E", "S": "S_E", "b": "b_k"},
    ),
    says=r"w^{(1)}=(I-\eta A_1)^Ew+\eta\sum_{l=0}^{E-1}(I-\eta A_1)^lb_1,\quad w^{(k)}=(I-\eta A_k)^Ew\ (k\ge2,\ b_k=0),\text{ by "
    r"induction in }E\text{ on each eigenvector of }A_k,\ x=1-\eta\lambda,\ S_E=\sum_{l<E}x^l,\ S_{E+1}=S_E+x^E:\quad ",
    false={"the sum runs to l = E": ("eta*0*b", "eta*1*b"), "b not multiplied by eta": ("+ eta*b =", "+ b =")},
    group=identity_claim,
    source="Appendix C.4",
    prose="on each eigenvector of A_k, by induction in E from the base and the step that are kept",
    summary="E local gradient steps have a closed form.",
)


@identity_claim(
    "LI-ROUND",
    source="Appendix C.4",
    depends=("LI-LOC1.1",),
    statement=r"w_{t+1}=\Big(\tfrac1N\sum_i(I-\eta A_i)^E\Big)w_t+\tfrac\eta N\sum_{l=0}^{E-1}(I-\eta A_1)^lb_1",
    summary="One round is an affine map.",
    printed=dict(shift_weight="1/N"),
    controls=[Control("the shift is not divided by N", dict(shift_weight="1"))],
)
def li_round(shift_weight: str) -> Evidence:
    n = sp.Symbol("N", positive=True)
    weight = {"1/N": 1 / n, "1": sp.Integer(1)}[shift_weight]
    steps = geometric_steps(0) | {"only client 1 has a shift, and its weight is 1/N": lambda: equal(weight, 1 / n)}

    def failure(case: tuple[Example, int]) -> str:
        example, local = case
        matrix, shift = round_map(example, local, STEP)
        start = sp.Matrix(range(1, example.dimension + 1))
        total = sum((local_run(example, c, local, start) for c in range(example.n_clients)), sp.zeros(*start.shape))
        closed = matrix * start + shift * (weight.subs(n, example.n_clients) * example.n_clients)
        words = f"{example.name}, E={local}, eta={STEP}: the printed map differs from the mean of the local runs"
        return "" if closed == total / example.n_clients else words

    return decide(
        steps,
        first_failure(INSTANCES, failure),
        method="The mean of the N local maps of LI-LOC1.1.",
        valid_for="all N, p, E, eta, mu >= 0",
    )


@identity_claim(
    "LI-EQ32",
    source="eq. (32)",
    depends=("LI-ROUND", "LI-RHO.1"),
    statement=r"\tilde w^*=(I-M)^{-1}\Big[\tfrac\eta N\sum_{l=0}^{E-1}(I-\eta A_1)^lb\Big],\quad "
    r"M=\tfrac1N\sum_i(I-\eta A_i)^E",
    summary="The limit of the rounds is the fixed point of the affine map.",
    printed=dict(extra=0),
    controls=[Control("the sum runs to l = E", dict(extra=1))],
)
def li_eq32(extra: int) -> Evidence:
    value, shift = sp.symbols("M c")
    steps = geometric_steps(extra) | {
        "the fixed point: M (1-M)^{-1} c + c = (1-M)^{-1} c": lambda: equal(
            value * shift / (1 - value) + shift, shift / (1 - value)
        )
    }

    def failure(case: tuple[Example, int]) -> str:
        example, local = case
        matrix, shift = round_map(example, local, STEP)
        identity = sp.eye(example.dimension)
        series = power_sum(identity - STEP * example.clients[0], local + extra)
        w = (identity - matrix).LUsolve(STEP / example.n_clients * series * example.shift)
        return (
            ""
            if matrix * w + shift == w
            else f"{example.name}, E={local}, eta={STEP}: one round moves the printed point"
        )

    return decide(
        steps,
        first_failure(INSTANCES, failure),
        method="rho < 1 makes I - M invertible and every start converge to the only "
        "fixed point (M commutes with (I-M)^{-1}).",
        valid_for=GENERAL + ", 0 < eta <= 1/2 (beyond it wherever I - M is invertible)",
    )


li_e1 = statement_of_algebra(
    "LI-E1",
    Relations(
        "w - eta/N*(E*(a - b) - eta*E*(E - 1)/2*c) = w; (a - b)/N = 0 for N >= 2; eta > 0; a = b; E = 1",
        names={"a": "(Aw)_i", "b": "b_i", "w": "w_i", "c": r"(\sum_kA_k(A_kw-b_k))_i"},
    ),
    says=r"E=1,\ w=A^{-1}b:\ \tilde w^*=w=w^*,\text{ as a round (in this form for }E\le2)\text{ leaves it and }\nabla F(w)=0,"
    r"\text{ in each coordinate }i:\quad ",
    false={"E = 2": ("E = 1", "E = 2"), "another point": ("a = b", "a = 2*b")},
    group=identity_claim,
    source="Appendix C.4 (1)",
    depends=("LI-EQ32",),
    prose="for E = 1 a round is w - (eta/N)(Aw - b); that the rounds converge and F is strictly convex",
    summary="With one local step the limit is the minimiser.",
)


@identity_claim(
    "LI-EQ33.1",
    source="eq. (33)",
    depends=("LI-EQ32", "LI-PR1-4.2"),
    statement=r"\tilde w^*-w^*=(I-M)^{-1}\Big[\tfrac\eta N\sum_{l=0}^{E-1}(I-\eta A_1)^lA-(I-M)\Big]w^*",
    summary="The bias of the fixed point is given by a formula.",
    printed=dict(inner="A"),
    controls=[Control("A_1 + A_2/2 in place of A in the bracket", dict(inner="A_1 + A_2/2"))],
)
def li_eq33_identity(inner: str) -> Evidence:
    value, series, optimum = sp.symbols("M S w", positive=True)
    matrix = {"A": sp.Symbol("A"), "A_1 + A_2/2": sp.Symbol("A_h")}[inner]
    shift = series * sp.Symbol("A") * optimum  # (eta/N) S_E b with b = A w*
    steps = {
        "b = A w*, so the bracket applied to w* is shift - (I-M) w*": lambda: equal(
            shift / (1 - value) - optimum, (series * matrix - (1 - value)) * optimum / (1 - value)
        )
    }

    def failure(case: tuple[Example, int]) -> str:
        example, local = case
        identity = sp.eye(example.dimension)
        away = identity - round_map(example, local, STEP)[0]
        sums = power_sum(identity - STEP * example.clients[0], local) * STEP / example.n_clients
        used = example.total if inner == "A" else example.clients[0] + example.clients[1] / 2
        right = away.LUsolve((sums * used - away) * example.optimum)
        words = f"{example.name}, E={local}, eta={STEP}: the right-hand side begins with {right[0]}"
        return "" if right == bias(example, local, STEP) else words

    return decide(
        steps,
        first_failure([(Example(2, 2), 1), (Example(2, 2), 2), (Example(2, 3), 3), (Example(3, 2), 2)], failure),
        method="Subtract (I-M)^{-1}(I-M) w* from (32) and write b = A w*; linear, so "
        "the identity is one between symbols.",
        valid_for="all N, p, E, every eta with I - M invertible",
    )


@qualitative_claim(
    "LI-EQ33.2",
    source="after eq. (33)",
    statement=r"2\le E<\infty:\quad \tilde w^*-w^*\ne0 \quad\text{for every } \eta>0",
    summary="With at least two local steps the fixed point is never the minimiser, whatever the fixed step size.",
    printed=dict(least_block=2, least_steps=2),
    controls=[Control("p = 1 allowed", dict(least_block=1)), Control("E = 1 allowed", dict(least_steps=1))],
)
def li_eq33_nonzero(least_block: int, least_steps: int) -> Evidence:
    """No fixed step size at all makes ``w*`` a fixed point, for ``p >= least_block``, ``E >= least_steps``."""
    search = search_step_sizes(least_block, least_steps)
    return decide(
        stationarity_steps(least_block, least_steps),
        search.tried,
        method="Jacobi matrices have simple spectra and eigenvectors with nonzero last entry; Rolle bounds the number "
        "of eigenvalues on which s can agree by two, and the block has p + 1 >= 3.  "
        "Instances: gcd in QQ[eta] of the entries.",
        valid_for="all N >= 2, p >= 2, E >= 2 and every eta > 0, mu = 0",
        numbers={"gcd of the entries, without powers of eta": search.divisors},
    )


if __name__ == "__main__":
    run_script(__file__)
