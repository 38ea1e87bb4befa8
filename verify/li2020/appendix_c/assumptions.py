"""Who holds what in the example of Li et al. (2020), Appendix C: blocks, sample counts, strong convexity."""

from __future__ import annotations

import sympy as sp

from fltheory.evidence.decide import Tried, decide
from fltheory.evidence.ends import first_failure
from fltheory.evidence.kinds import algebra_claim, identity_claim, run_script
from fltheory.evidence.model import Control, Evidence
from fltheory.theory.proofs import Open, equal, nonnegative_on, positive_on
from verify.li2020.appendix_c.closed_forms import N, k, p, path_determinant_steps
from verify.li2020.appendix_c.example import Example

GENERAL = "all N >= 2, p >= 2"
MU = sp.Symbol("mu", positive=True)


@identity_claim(
    "LI-OVERLAP",
    source="Appendix C.3",
    statement=r"|I_k\cap I_{k+1}|=1,\quad I_k=\{(k-1)p+1,\dots,kp+1\};\ \text{zero "
    r"rows pad every } X_k \text{ to } p+1 \text{ rows}",
    summary="Neighbouring blocks share one coordinate, and zero data points make all clients equally large.",
    printed=dict(last=1, rows=1),
    controls=[Control("blocks that end at kp", dict(last=0)), Control("padding to p rows", dict(rows=0))],
)
def li_overlap(last: int, rows: int) -> Evidence:
    start, end = (k - 1) * p + 1, k * p + last
    shared = end - start.subs(k, k + 1) + 1
    apart = (start.subs(k, k + 2) - end).subs(p, p + 1).expand()
    steps = {
        "coordinates kp+1 .. kp+1 are shared": lambda: equal(shared, 1),
        "blocks further apart share none (p >= 2)": lambda: positive_on(apart, [(p, 1, None), (k, 1, None)]),
        "a zero row adds nothing to X'X": lambda: bool((sp.zeros(3, 1) * sp.zeros(1, 3)).is_zero_matrix),
        "p and p+1 rows fit": lambda: nonnegative_on(rows - 1, ()),
    }
    found, example, common = "", Example(2, 2), shared.subs({p: 2, k: 1})
    if common != 1:
        found = f"{example.name}: the blocks share {common} coordinates"
    elif example.features(1).rows > example.block + rows:
        found = f"{example.name}: X_1 has {example.features(1).rows} rows, more than {example.block + rows}"
    return decide(steps, Tried(1, found), method="Block ends with symbolic k and p.", valid_for=GENERAL)


@algebra_claim(
    "LI-C4-ASM.1",
    source="Appendix C.4, assumptions (i)-(iv)",
    statement=r"n_1=\dots=n_N=p+1\ \Rightarrow\ p_k=\tfrac1N,\quad F=\sum_k p_kF_k=\tfrac1N\sum_kF_k",
    summary="Equal sample counts give the weights 1/N of (27), and full local gradients make the round deterministic.",
    printed=dict(padded=True),
    controls=[Control("without zero data points", dict(padded=False))],
)
def li_c4_asm_weights(padded: bool) -> Evidence:
    inner = p + 1 if padded else p
    weight_first = (p + 1) / (2 * (p + 1) + (N - 2) * inner)
    steps = {"the weight of client 1 is 1/N": lambda: equal(weight_first, 1 / N)}
    value = weight_first.subs({N: 3, p: 2})
    found = "" if value == sp.Rational(1, 3) else f"N=3, p=2: client 1 has weight {value}, not 1/3"
    return decide(steps, Tried(1, found), method="p_k = n_k/n with the sample counts of C.3.", valid_for=GENERAL)


@algebra_claim(
    "LI-C4-ASM.2",
    source="Appendix C.4, case mu = 0",
    statement=r"\mu=0:\ F \text{ is smooth and strongly convex}",
    depends=("LI-EQ31", "LI-PR1-2"),
    summary="The case mu = 0 that is proved first keeps F strongly convex (not the single F_k: rank A_k <= p+1 < n).",
    printed=dict(every_client=False),
    controls=[Control("every F_k instead of F", dict(every_client=True))],
)
def li_c4_asm_global(every_client: bool) -> Evidence:
    minors = "det of tridiag(-1,2,-1) of size p is p + 1"
    rank = p + 1 if every_client else N * p + 1
    steps = {
        f"{minors}, so A is positive definite": path_determinant_steps()[minors],
        "the Hessian in question has full rank n = Np + 1": lambda: equal(rank, N * p + 1),
    }

    def failure(case: tuple[str, int, sp.Matrix]) -> str:
        name, client, matrix = case
        if matrix.det() != 0:
            return ""
        null = list(matrix.nullspace()[0])
        return f"{name}: A_{client} has the null vector {null}, so F_{client} is not strongly convex"

    examples = (Example(2, 2), Example(3, 2))
    hessians = [(e.name, *case) for e in examples for case in enumerate(e.clients if every_client else [e.total], 1)]
    return decide(
        steps,
        first_failure(hessians, failure),
        method="A is a sum of squares (eq. (31)) with a determinant that is not zero, and A <= 4 I.",
        valid_for=f"{GENERAL}, mu = 0",
    )


@algebra_claim(
    "LI-C4-ASM.3",
    source="Section 1, eq. (27), eq. (30)",
    statement=r"\mu>0:\ \mu I\preceq\nabla^2F_k=A_k+\mu I\preceq(4+\mu)I\ \text{ for every } k",
    depends=("LI-PR1-1",),
    summary="The ridge model satisfies Assumptions 1 and 2 for every mu > 0: each F_k is (4+mu)-smooth and "
    "mu-strongly convex.",
    printed=dict(ridge=MU, curvature=MU, smoothness=4 + MU),
    controls=[
        Control("mu = 0", dict(ridge=sp.Integer(0), curvature=sp.Integer(0))),
        Control("strong convexity 1.01 mu", dict(curvature=sp.Rational(101, 100) * MU)),
        Control("smoothness 3.99 + mu", dict(smoothness=sp.Rational(399, 100) + MU)),
    ],
)
def li_c4_asm_clients(ridge: sp.Expr, curvature: sp.Expr, smoothness: sp.Expr) -> Evidence:
    lam = sp.Symbol("lambda")
    ranges = [(MU, 0, None), (lam, 0, 4)]  # 0 <= A_k <= 4 I
    steps = {
        "A_k + mu I is at least the claimed curvature": lambda: nonnegative_on(lam + ridge - curvature, ranges),
        "which is positive": lambda: positive_on(curvature, [(MU, Open(0), None)]),
        "A_k + mu I is at most the claimed smoothness": lambda: nonnegative_on(smoothness - lam - ridge, ranges),
    }
    value = sp.Rational(1, 10)
    least, most, mu = (sp.sympify(e).subs(MU, value) for e in (curvature, smoothness, ridge))
    found = ""
    for block in (2, 401):  # the last unit vector is in the null space of A_1; alternating signs approach 4
        quotient = sp.Rational(4 * block + 1, block + 1) + mu
        if not found and (mu < least or least <= 0):
            found = f"N=2, p={block}, mu={mu}: e_n'(A_1 + mu I) e_n = {mu}, not at least {least} and positive"
        if not found and quotient > most:
            found = f"N=2, p={block}, mu={mu}, w = (1,-1,1,...) on block 1: the quotient of A_1 + mu I is {quotient} > {most}"
    return decide(
        steps,
        Tried(examined=2, counterexample=found),
        method="0 <= A_k <= 4 I (Proposition 1 (1)) with symbolic mu; the constants are approached or reached.",
        valid_for=f"{GENERAL}, every mu > 0",
    )


if __name__ == "__main__":
    run_script(__file__)
