"""Assumptions of Li et al. (2020), Section 3.1: which models satisfy them, and whether A2 and A4 can hold together."""

from collections.abc import Sequence
from fractions import Fraction

import sympy as sp

from fltheory.evidence.algebra import statement_of_algebra
from fltheory.evidence.decide import decide, read
from fltheory.evidence.exact_search import search
from fltheory.evidence.kinds import inequality_claim, qualitative_of_an_instance, run_script
from fltheory.evidence.matrices import Matrices
from fltheory.evidence.model import Control, Evidence, Rung
from fltheory.theory.proofs import equal, is_positive_semidefinite, is_zero, nonnegative_on

_SUMMARY = "satisfies A1 and A2 with the l2 term; the Hessian lies between the l2 modulus and a bound from the data."

#: (what is compared, smaller side, larger side)
Case = tuple[str, Fraction, Fraction]


def two_sided(proved: bool, cases: Sequence[Case], method: str) -> Evidence:
    """Both bounds proved, else refuted where one of the exact cases breaks a bound."""
    found = search(cases, lambda case: case[1:], describe=lambda case: case[0])
    return decide((proved, "a bound is not shown"), found, method=method, valid_for="all data, dimensions, lambda > 0")


regression_claim = inequality_claim.sharing(source="Section 3.1")


linear_regression = statement_of_algebra(
    "LI-ASM-EX.1",
    Matrices(
        "f - h - T(g)*(v - w) >= r/2*sq(v - w); f - h - T(g)*(v - w) <= (c + r)/2*sq(v - w) "
        "for X in R(m,n); y in R(m); v in R(n); w in R(n); N >= 1; r > 0; c >= 0; f = sq(X*v - y)/(2*N) + r/2*sq(v); "
        "h = sq(X*w - y)/(2*N) + r/2*sq(w); g = T(X)*(X*w - y)/N + r*w; T(X)*X <= c*N*I",
        squares={0: [("1/(2*N)", "X*(v - w)")]},
        uses={1: [("T(X)*X <= c*N*I", "1/(2*N)", "v - w")]},
        at=[
            {"X": "[[1, 0]]", "y": "[1]", "w": "[0, 0]", "v": v, "N": "1", "r": "1", "c": "1"}
            for v in ("[0, 1]", "[1, 0]")
        ],
        names={"f": "F(v)", "h": "F(w)", "g": r"\nabla F(w)", "N": "n_k"},
    ),
    says=r"F(w)=\tfrac1{2n_k}\|Xw-y\|^2+\tfrac r2\|w\|^2:\quad ",
    false={
        "no l2 term: strong convexity fails": (
            "f = sq(X*v - y)/(2*N) + r/2*sq(v); h = sq(X*w - y)/(2*N) + r/2*sq(w); g = T(X)*(X*w - y)/N + r*w",
            "f = sq(X*v - y)/(2*N); h = sq(X*w - y)/(2*N); g = T(X)*(X*w - y)/N",
        ),
        "c -> 0.99 c (tight)": ("<= (c + r)/2", "<= (99/100*c + r)/2"),
    },
    group=regression_claim,
    headline="Linear regression with an added square is smooth and strongly convex",
    summary="l2-regularised linear regression satisfies A1 and A2: it is r-strongly convex and (c + r)-smooth, r from the l2 term "
    "and c any bound of the eigenvalues of X'X/n.",
)


@regression_claim(
    "LI-ASM-EX.2",
    headline="Logistic regression with an added square is smooth and strongly convex",
    summary=f"l2-regularised logistic regression {_SUMMARY}",
    statement=r"r \le \nabla^2 \le r+\tfrac1{4n}\textstyle\sum\|x_i\|^2",
    printed=dict(constant=Fraction(1, 4)),
    controls=[Control("1/4 -> 0.99/4 (tight)", dict(constant=Fraction(99, 400)))],
)
def logistic_regression(constant: Fraction) -> Evidence:
    # Second derivative of log(1+exp(-z)) is q(1-q), q in (0,1) the sigmoid; q(1-q) <= 1/4.
    q, z = sp.symbols("q z", real=True)
    second = sp.diff(sp.log(1 + sp.exp(-z)), z, 2)
    sigmoid = 1 / (1 + sp.exp(-z))
    same = sp.simplify(second - sigmoid * (1 - sigmoid)) == 0
    slack = sp.expand(constant - q * (1 - q))
    square = (q - sp.Rational(1, 2)) ** 2
    upper = same and equal(slack, square + constant - sp.Rational(1, 4)) and constant >= Fraction(1, 4)
    lower = nonnegative_on(q * (1 - q), [(q, 0, 1)])
    cases = []
    for margin in (0, 1, 2):  # z = log(odds) with odds 1, 2, 4, where the second derivative is rational
        at = Fraction(str(sp.simplify(second.subs(z, sp.log(2) * margin))))
        name = f"second derivative {at} of log(1+exp(-z)) at exp(z) = {2**margin}"
        cases += [(f"0 <= {name}", Fraction(0), at), (f"{name} <= {constant}", at, constant)]
    return two_sided(
        lower and upper,
        cases,
        "The loss in z = y x'w has second derivative q(1-q), between 0 and 1/4 = q(1-q) + (q-1/2)^2; times (x'v)^2 <= "
        "|x|^2|v|^2.",
    )


@regression_claim(
    "LI-ASM-EX.3",
    headline="Softmax regression with an added square is smooth and strongly convex",
    summary=f"l2-regularised softmax regression {_SUMMARY}",
    statement=r"0 \preceq \operatorname{diag}(q)-qq' \preceq \tfrac12 I",
    printed=dict(constant=Fraction(1, 2)),
    controls=[Control("1/2 -> 0.99/2 (tight)", dict(constant=Fraction(99, 200)))],
)
def softmax_regression(constant: Fraction) -> Evidence:
    # v'(diag q - qq')v = sum_{i<j} q_i q_j (v_i - v_j)^2 >= 0.  Upper bound (Gershgorin): the diagonal q_i(1-q_i) plus the
    # off-diagonal row sum q_i (1-q_i) is 2 q_i (1-q_i) <= 1/2.
    qi, qj, vi, vj, q = sp.symbols("q_i q_j v_i v_j q", nonnegative=True)
    pair = qi * qj * (vi - vj) ** 2
    # identity with sum q = 1: sum q_i v_i^2 - (sum q_i v_i)^2 = sum_{i<j} q_i q_j (v_i-v_j)^2; the coefficient of v_i^2 is
    # q_i(1-q_i) = q_i sum_{j != i} q_j, that of v_i v_j is -2 q_i q_j.
    pairs_match = is_zero(sp.expand(pair).coeff(vi, 1).coeff(vj, 1) + 2 * qi * qj) and equal(
        sp.expand(pair).coeff(vi, 2), qi * qj
    )
    row = 2 * q * (1 - q)
    upper = constant >= Fraction(1, 2) and equal(
        constant - row, 2 * (q - sp.Rational(1, 2)) ** 2 + constant - sp.Rational(1, 2)
    )
    two = sp.Matrix([[sp.Rational(1, 4), -sp.Rational(1, 4)], [-sp.Rational(1, 4), sp.Rational(1, 4)]])
    largest = (sp.Matrix([[1, -1]]) * two * sp.Matrix([1, -1]))[0] / 2  # Rayleigh quotient along (1, -1)
    bound = sp.Rational(constant.numerator, constant.denominator)
    bounded = is_positive_semidefinite(bound * sp.eye(2) - two)  # exact LDL
    if bounded is not bool(largest <= bound):
        raise RuntimeError(f"the LDL test and the eigenvalue {largest} disagree at {constant}")
    return two_sided(
        pairs_match and upper,
        [
            (
                f"two classes, q=(1/2,1/2): largest eigenvalue of diag(q)-qq' <= {constant}",
                Fraction(str(largest)),
                constant,
            )
        ],
        "Sum of pairwise squares for the lower bound (coefficients compared for a generic pair); Gershgorin row sums "
        "2q(1-q) <= 1/2 for the upper; the Hessian in W is this matrix times xx' averaged, plus the l2 term.",
    )


@qualitative_of_an_instance(
    "LI-ASM24",
    headline="Strong convexity and gradients bounded along the run do not exclude each other",
    source="Section 3.1",
    statement=r"\|\nabla F_k(w^k_t)\|\le G,\ t<T, \text{ with } F_k\ \mu\text{-strongly convex}",
    summary="A gradient bound on the whole space would contradict A2 (|grad F(w)| >= mu|w-w*|), but A4 is printed "
    "along the run only. Along a run with the theorem's step sizes A2 and A4 are compatible: F_1 = w^2/2, F_2 = "
    "(w-1)^2, E = 2, from w = 2, exact gradients stay below 2.",
    printed=dict(bound=Fraction(2)),
    controls=[Control("G = 1.9 (the first gradients reach 2)", dict(bound=Fraction(19, 10)))],
)
def bounded_along(bound: Fraction) -> Evidence:
    curvature, centre = (Fraction(1), Fraction(2)), (Fraction(0), Fraction(1))
    w, largest = Fraction(2), Fraction(0)
    for round_ in range(6):
        local = [w, w]
        for step in range(2):
            eta = Fraction(2, 16 + 2 * round_ + step)  # mu = 1, gamma = 16, E = 2
            gradients = [a * (x - c) for a, c, x in zip(curvature, centre, local, strict=True)]
            largest = max(largest, *map(abs, gradients))
            local = [x - eta * g for x, g in zip(local, gradients, strict=True)]
        w = sum(local) / 2
    found = search(
        [bound], lambda g: (largest, g), describe=lambda g: f"largest gradient along the run against G = {g}"
    )
    return read(
        not found.counterexample,
        method="six rounds in rationals",
        examined=24,
        counterexample=found.counterexample,
        rung=Rung.EXACT,
        margin=float(found.worst),
        numbers={"largest gradient": str(largest)},
    )


if __name__ == "__main__":
    run_script(__file__)
