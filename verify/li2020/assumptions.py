"""Assumptions of Li et al. (2020), Section 3.1: which models satisfy them, and whether A2 and A4 can hold together."""

from fractions import Fraction

import sympy as sp

from fltheory.evidence.algebra import by_relations, statement_of_algebra
from fltheory.evidence.decide import Tried, read
from fltheory.evidence.derive import by_derivation
from fltheory.evidence.ends import tried
from fltheory.evidence.in_mean import InMean
from fltheory.evidence.kinds import inequality_claim, qualitative_of_an_instance, run_script
from fltheory.evidence.matrices import Matrices
from fltheory.evidence.model import Control, Evidence, Rung
from fltheory.evidence.relations import Relations
from fltheory.evidence.witness import Side, Witness

_SUMMARY = "satisfies A1 and A2 with the l2 term; the Hessian lies between the l2 modulus and a bound from the data."
_VALID = "all data, dimensions, r > 0"

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


#: q is the sigmoid at y x'w.
SIGMOID = Relations("0 <= q*(1 - q) <= 1/4 for 0 < q < 1", squares={1: [("1", "q - 1/2")]})


@regression_claim(
    "LI-ASM-EX.2",
    headline="Logistic regression with an added square is smooth and strongly convex",
    summary=f"l2-regularised logistic regression {_SUMMARY}",
    statement=(
        r"F(w)=\tfrac1n\textstyle\sum_i\log(1+e^{-y_ix_i'w})+\tfrac r2\|w\|^2:\quad rI\preceq\nabla^2F(w)\preceq"
        r"\big(r+\tfrac1{4n}\textstyle\sum_i\|x_i\|^2\big)I,\text{ as }",
        SIGMOID,
    ),
    printed=dict(constant=Fraction(1, 4)),
    controls=[Control("1/4 -> 0.99/4 (tight)", dict(constant=Fraction(99, 400)))],
)
def logistic_regression(constant: Fraction) -> Evidence:
    """The second derivative of log(1+exp(-z)) is q(1-q), q in (0,1) the sigmoid, which is 1/4 - (q - 1/2)^2."""
    z = sp.Symbol("z", real=True)
    sigmoid = 1 / (1 + sp.exp(-z))
    if sp.simplify(sp.diff(sp.log(1 + sp.exp(-z)), z, 2) - sigmoid * (1 - sigmoid)) != 0:
        raise RuntimeError("the second derivative of the logistic loss is another one")
    return by_relations(
        SIGMOID if constant == Fraction(1, 4) else SIGMOID.changed("1/4 for", f"{constant} for"),
        method="The bound of the scalar factor is proved as it is written; from it to the Hessian are words.",
        prose="the loss in z = y x'w has the second derivative q(1-q), q its sigmoid; it stands before (x'v)^2 <= |x|^2|v|^2",
        valid_for=_VALID,
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
    """v'(diag(q) - qq')v is a variance; Gershgorin: the diagonal and a row beside it add up to 2q(1-q), of two classes the norm."""
    variance = InMean("sq(mean(v, k)) <= sq(v)", things="v over k", over="k", squares=[("1", "v - mean(v, k)")])
    row = Relations(f"2*q*(1 - q) <= {constant} for 0 < q < 1", squares={0: [("2", "q - 1/2")]})
    q, v = sp.Symbol("q"), (1, -1)
    mean, square = (q * v[0] ** power + (1 - q) * v[1] ** power for power in (1, 2))
    largest = Side("largest eigenvalue of diag(q)-qq', at v = (1, -1)", (square - mean**2) / 2)
    two = Witness({q: Fraction(1, 2)}, largest, "<=", constant, (), "two classes, q and 1 - q")
    return by_derivation(
        variance.derived,
        Tried(1) if row.proof[0] else tried(two),
        beside={"row sums": row.certificate},
        prose="v'(diag(q)-qq')v is the q-mean of v_i^2 less the square of the q-mean; an eigenvalue is at most a row sum of "
        "absolute values; the Hessian in W is this matrix times xx' averaged, plus the l2 term",
        valid_for=_VALID,
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
    return read(
        largest <= bound,
        method="six rounds in rationals",
        examined=24,
        counterexample=f"largest gradient along the run {largest} > G = {bound}",
        rung=Rung.EXACT,
        margin=float((bound - largest) / max(bound, largest)),
        numbers={"largest gradient": str(largest)},
    )


if __name__ == "__main__":
    run_script(__file__)
