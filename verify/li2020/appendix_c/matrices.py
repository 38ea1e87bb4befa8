"""Appendix C.1 and Proposition 1 (1)-(3) of Li et al. (2020): the matrices of the tridiagonal example, for all N and p.

Every matrix is a sum of edge forms ``(w_i - w_{i+1})^2`` and grounded coordinates ``w_i^2``.  The identities are proved
with symbolic indices or by induction in the number of coordinates; the same formulas are evaluated on small instances,
which is where the controls find their counterexamples.
"""

from fractions import Fraction
from itertools import product

import sympy as sp

from fltheory.evidence.algebra import statement_of_algebra
from fltheory.evidence.decide import Tried, decide
from fltheory.evidence.ends import first_failure
from fltheory.evidence.kinds import identity_claim, inequality_claim, run_script
from fltheory.evidence.matrices import Matrices
from fltheory.evidence.model import Control, Evidence, Rung, Tightness
from fltheory.theory.proofs import equal
from verify.li2020.appendix_c.closed_forms import N, k, p, path_determinant_steps
from verify.li2020.appendix_c.example import Example, instances, path_matrix

SOURCE = "Appendix C.1"


@identity_claim(
    "LI-C1-SUM",
    headline="The clients of the hard example add up to its global problem",
    source=SOURCE,
    statement=r"\sum_{k=1}^N A_k = A,\quad \sum_{k=1}^N b_k = b,\quad F = \frac1N\sum_{k=1}^N F_k",
    summary="The clients' matrices and vectors add up to the global ones, so F is the plain mean of the F_k.",
    printed=dict(last_edge=0, grounded_ends=2),
    controls=[
        Control("the last client is not grounded", dict(grounded_ends=1)),
        Control("blocks that do not share a coordinate", dict(last_edge=-1)),
    ],
)
def li_c1_sum(last_edge: int, grounded_ends: int) -> Evidence:
    first, last = (k - 1) * p + 1, k * p + last_edge
    steps = {
        "the first block begins with edge 1": lambda: equal(first.subs(k, 1), 1),
        "each block begins after the edges of the one before": lambda: equal(first.subs(k, k + 1) - last, 1),
        "the last block ends with edge Np": lambda: equal(last.subs(k, N), N * p),
        "an end coordinate: one edge and one ground give 2, an inner one: two edges": lambda: equal(grounded_ends, 2),
    }

    def failure(example: Example) -> str:
        n, total = example.dimension, sp.zeros(example.dimension, example.dimension)
        for client in range(1, example.n_clients + 1):
            low, high = ((e.subs({k: client, p: example.block})) for e in (first, last))
            grounded = [1] * (client == 1) + [n] * (client == example.n_clients and grounded_ends == 2)
            total += path_matrix(n, range(int(low), int(high) + 1), grounded)
        printed = sp.Matrix(n, n, lambda i, j: 2 if i == j else (-1 if abs(i - j) == 1 else 0))
        for i, j in product(range(n), repeat=2):
            if total[i, j] != printed[i, j]:
                return f"{example.name}: entry {i + 1},{j + 1} of the sum is {total[i, j]}, of A {printed[i, j]}"
        return ""

    return decide(
        steps,
        first_failure(instances(), failure),
        method="Edge counting: the blocks' edges partition the edges 1..Np (symbolic in k, p, N) and each grounded end "
        "adds one to a corner of A; b and F follow by linearity.",
        valid_for="all N >= 2, p >= 2",
    )


@inequality_claim(
    "LI-EQ31",
    source="eq. (31)",
    statement=r"w^\top A w = 2\sum_{i=1}^{n} w_i^2 - 2\sum_{i=1}^{n-1} w_iw_{i+1} = "
    r"w_1^2+w_n^2+\sum_{i=1}^{n-1}(w_i-w_{i+1})^2\le 4\|w\|^2,\quad 0\prec A\preceq 4I",
    summary="A is positive definite and at most 4 I.",
    printed=dict(coefficient=4),
    controls=[Control("upper bound 4 -> 4 * 0.99", dict(coefficient=Fraction(396, 100)))],
)
def li_eq31(coefficient: int | Fraction) -> Evidence:
    u, v = sp.symbols("u v", real=True)  # the last coordinate so far and the new one
    c = sp.Rational(coefficient)
    grown = 2 * v**2 - 2 * u * v  # what one more coordinate adds to w'Aw
    s, c_n, sine, cosine = sp.symbols("s_n c_n s_1 c_1")  # sines and cosines of n theta and theta
    steps = {
        "identity, one coordinate": lambda: equal(2 * u**2, u**2 + u**2),
        "identity, one more coordinate": lambda: equal(grown, v**2 - u**2 + (u - v) ** 2),
        "4|w|^2 - w'Aw = w_1^2 + w_n^2 + sum (w_i + w_{i+1})^2, one coordinate": lambda: equal(
            c * u**2 - 2 * u**2, 2 * u**2
        ),
        "the same, one more coordinate": lambda: equal(c * v**2 - grown, v**2 - u**2 + (u + v) ** 2),
        "sin(i theta), theta = j pi/(n+1), is an eigenvector to 2 - 2 cos(theta)": lambda: equal(
            2 * s - (s * cosine + c_n * sine) - (s * cosine - c_n * sine), (2 - 2 * cosine) * s
        ),
    }
    found = ""
    if c < 4:  # alternating signs give w'Aw/|w|^2 = 4 - 2/n
        length = sp.floor(2 / (4 - c)) + 2
        length += (length + 1) % 2
        w = sp.Matrix([(-1) ** i for i in range(int(length))])
        value = (w.T * path_matrix(len(w), range(1, len(w)), [1, len(w)]) * w)[0] / len(w)
        found = f"w = (1,-1,1,...) with n={len(w)}: w'Aw = {value} |w|^2 > {c} |w|^2" if value > c else ""
    return decide(
        steps,
        Tried(counterexample=found, margin=float((c - 4) / 4)),
        method="Induction in the number of coordinates for the identity and for 4|w|^2 - w'Aw as a sum of squares; "
        "w'Aw = 0 forces w_1 = 0 and equal neighbours, so w = 0.  The eigenvalues are 2 - 2cos(j pi/(n+1)), so 4 is "
        "approached but never reached.",
        valid_for="all n >= 1",
        tightness=Tightness(1.0, Rung.PROOF, "sup over n of the largest eigenvalue 2 + 2cos(pi/(n+1)) is 4"),
    )


li_pr1_1 = statement_of_algebra(
    "LI-PR1-1",
    Matrices(
        "0 <= T(x)*A*x <= c*sq(x) for X in R(r,n); Z in R(m,n); x in R(n); A = T(X)*X; A + T(Z)*Z <= 4*I; c = 4",
        squares={0: [("1", "X*x")], 1: [("1", "Z*x")]},
        uses={1: [("A + T(Z)*Z <= 4*I", "1", "x")]},
        at=[
            {"X": "2", "Z": "0", "x": "1"}
        ],  # the norm of A_1 tends to 4: its quotient at (1, -1, 1, ...) is (4p+1)/(p+1)
        names={"A": "A_k", "X": "X_k"},
    ),
    says=r"A_k\succeq0,\ \|A_k\|_2\le c,\text{ as }Z^\top Z=A-A_k\text{ is the sum of the others, and }A\preceq4I:\quad ",
    false={"bound 4 -> 4 * 0.99": ("c = 4", "c = 99/25")},
    group=inequality_claim,
    source="Proposition 1 (1)",
    depends=("LI-EQ31", "LI-C1-SUM", "LI-PR1-3"),
    headline="Every client matrix of the hard example is positive semidefinite with norm at most 4",
    summary="Every client's matrix is positive semidefinite with norm at most 4.",
    tightness=Tightness(1.0, Rung.PROOF, "sup over p of the norm is 4, by the Rayleigh quotient (4p+1)/(p+1)"),
)


@identity_claim(
    "LI-PR1-2",
    source="Proposition 1 (2)",
    statement=r"\operatorname{rank}A_2=\dots=\operatorname{rank}A_{N-1}=p,\quad "
    r"\operatorname{rank}A_1=\operatorname{rank}A_N=p+1",
    headline="The ranks of the client matrices of the hard example",
    summary="The ranks are p for the inner clients and p+1 for the two at the ends.",
    printed=dict(inner=0, outer=1),
    controls=[Control("outer rank p+1 -> p", dict(outer=0)), Control("inner rank p -> p+1", dict(inner=1))],
)
def li_pr1_2(inner: int, outer: int) -> Evidence:
    steps = {f"rank of X_k X_k' is its size: {name}": held for name, held in path_determinant_steps().items()}
    edges = k * p - ((k - 1) * p + 1) + 1  # edges (k-1)p+1 .. kp
    steps |= {
        "inner clients have one row per edge": lambda: equal(edges, p + inner),
        "the clients at the ends have one more, for the grounded end": lambda: equal(edges + 1, p + outer),
    }

    def failure(case: tuple[Example, int]) -> str:
        example, client = case
        rank = example.clients[client - 1].rank()
        claimed = example.block + (outer if client in (1, example.n_clients) else inner)
        return "" if rank == claimed else f"{example.name}: rank A_{client} = {rank}, not {claimed}"

    return decide(
        steps,
        first_failure([(e, client) for e in instances() for client in range(1, e.n_clients + 1)], failure),
        method="rank A_k = rank X_k X_k'; that matrix is tridiag(-1,2,-1), with 1 in its first diagonal entry when an "
        "end is grounded, and its determinant (p+1 or 1, by the three-term recurrence) is not zero.",
        valid_for="all N >= 2, p >= 2",
    )


@identity_claim(
    "LI-PR1-3",
    source="Proposition 1 (3)",
    depends=("LI-PR1-2",),
    statement=r"A_k = X_k^\top X_k,\ X_k\in\mathbb R^{r_k\times(Np+1)}\text{ supported on } I_k,\quad "
    r"A = X^\top X,\ X\in\mathbb R^{(Np+2)\times(Np+1)}",
    headline="Every client of the hard example is a least-squares problem on its own block",
    summary="A_k = X_k'X_k with rank(A_k) rows supported on block k; stacked, X has Np+2 rows.",
    printed=dict(extra_rows=2),
    controls=[Control("Np+2 rows -> Np+1", dict(extra_rows=1))],
)
def li_pr1_3(extra_rows: int) -> Evidence:
    s, t = sp.symbols("s t")
    edge = sp.Matrix([[1, -1]])
    steps = {
        "the row e_i - e_{i+1} gives the form of edge i": lambda: (
            all(map(equal, edge.T * edge, (1, -1, -1, 1)))
            and equal((s - t) ** 2, (sp.Matrix([[s, t]]) * edge.T * edge * sp.Matrix([s, t]))[0])
        ),
        "edges of block k lie within its coordinates": lambda: equal(k * p + 1, ((k - 1) * p + 1) + (p - 1) + 1),
        "rows: (p+1) + (N-2)p + (p+1)": lambda: equal(2 * (p + 1) + (N - 2) * p, N * p + extra_rows),
    }

    def failure(example: Example) -> str:
        factors = [example.features(client) for client in range(1, example.n_clients + 1)]
        gram = all(x.T * x == a and x.rows == a.rank() for x, a in zip(factors, example.clients, strict=True))
        stacked = sp.Matrix.vstack(*factors)
        shape = (example.n_clients * example.block + extra_rows, example.dimension)
        if gram and stacked.T * stacked == example.total and stacked.shape == shape:
            return ""
        return f"{example.name}: X is {stacked.shape[0]} x {stacked.shape[1]}, not {shape[0]} x {shape[1]}"

    return decide(
        steps,
        first_failure(instances(), failure),
        method="Explicit factor: one row e_i - e_{i+1} per edge of the block and one unit row per grounded end.",
        valid_for="all N >= 2, p >= 2",
    )


if __name__ == "__main__":
    run_script(__file__)
