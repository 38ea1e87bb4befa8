"""Who holds what in the example of Li et al. (2020), Appendix C: blocks, sample counts, strong convexity."""

from __future__ import annotations

import sympy as sp

from fltheory.evidence.model import Control, Evidence, Kind, Scope, claim
from fltheory.evidence.settle import settle
from fltheory.theory.li2020.appendix_c import Example
from fltheory.theory.li2020.appendix_c_symbolic import N, k, p, path_determinant_steps, vanishes
from fltheory.theory.proofs import is_zero

GENERAL = "all N >= 2, p >= 2"


@claim(
    "LI-OVERLAP", kind=Kind.IDENTITY, scope=Scope.GENERAL, source="Appendix C.3",
    statement=r"|I_k\cap I_{k+1}|=1,\quad I_k=\{(k-1)p+1,\dots,kp+1\};\ \text{zero "
    r"rows pad every } X_k \text{ to } p+1 \text{ rows}",
    summary="neighbouring blocks share one coordinate, and zero data points make all clients equally large",
    printed=dict(last=1, rows=1),
    controls=[Control("blocks that end at kp", dict(last=0)), Control("padding to p rows", dict(rows=0))],
)  # fmt: skip
def li_overlap(last: int, rows: int) -> Evidence:
    start, end = (k - 1) * p + 1, k * p + last
    shared = end - start.subs(k, k + 1) + 1
    steps = {
        "coordinates kp+1 .. kp+1 are shared": is_zero(shared - 1),
        "blocks further apart share none (p >= 2)": bool(
            (start.subs(k, k + 2) - end).subs(p, p + 1).expand().is_positive
        ),
        "a zero row adds nothing to X'X": bool((sp.zeros(3, 1) * sp.zeros(1, 3)).is_zero_matrix),
        "p and p+1 rows fit": rows >= 1,
    }
    found = ""
    example = Example(2, 2)
    if int(shared.subs({p: 2, k: 1})) != 1:
        found = f"{example.name}: the blocks share {shared.subs({p: 2, k: 1})} coordinates"
    if not found and example.features(1).rows > example.block + rows:
        found = f"{example.name}: X_1 has {example.features(1).rows} rows, more than {example.block + rows}"
    return settle(steps, found, instances=1, valid_for=GENERAL, method="Block ends with symbolic k and p.")


@claim(
    "LI-C4-ASM.1", kind=Kind.ALGEBRA, scope=Scope.GENERAL, source="Appendix C.4, assumptions (i)-(iv)",
    statement=r"n_1=\dots=n_N=p+1\ \Rightarrow\ p_k=\tfrac1N,\quad F=\sum_k p_kF_k=\tfrac1N\sum_kF_k",
    summary="equal sample counts give the weights 1/N of (27), and full local gradients make the round deterministic",
    printed=dict(padded=True), controls=[Control("without zero data points", dict(padded=False))],
)  # fmt: skip
def li_c4_asm_weights(padded: bool) -> Evidence:
    inner = p + 1 if padded else p
    weight_first = (p + 1) / (2 * (p + 1) + (N - 2) * inner)
    steps = {"the weight of client 1 is 1/N": vanishes(weight_first - 1 / N)}
    value = weight_first.subs({N: 3, p: 2})
    found = "" if value == sp.Rational(1, 3) else f"N=3, p=2: client 1 has weight {value}, not 1/3"
    return settle(steps, found, instances=1, valid_for=GENERAL, method="p_k = n_k/n with the sample counts of C.3.")


def convexity_check(every_client: bool, ridge: sp.Rational) -> Evidence:
    """Strong convexity of F, or of every F_k, at a given ridge."""
    minors = "det of tridiag(-1,2,-1) of size p is p + 1"
    steps = {f"{minors}, so A is positive definite": path_determinant_steps()[minors]}
    if every_client:
        steps["the singular A_k >= 0 gets a positive ridge"] = bool(ridge > 0)
    found, count = "", 0
    for example in (Example(2, 2, ridge), Example(3, 2, ridge)):
        matrices = example.clients if every_client else (example.total,)
        for client, matrix in enumerate(matrices, start=1):
            count += 1
            if matrix.det() == 0 and not found:
                null = list(matrix.nullspace()[0])
                found = f"{example.name}: A_{client} has the null vector {null}, so F_{client} is not strongly convex"
    return settle(
        steps, found, instances=count, valid_for=f"{GENERAL}, mu = {ridge}",
        method="rank A_k <= p+1 < n (Proposition 1), so A_k is singular without a "
        "ridge; sum_k A_k is positive definite.",
    )  # fmt: skip


@claim(
    "LI-C4-ASM.2[F strongly convex]", kind=Kind.ALGEBRA, scope=Scope.GENERAL, source="Appendix C.4, case mu = 0",
    statement=r"\mu=0:\ F \text{ is smooth and strongly convex}", depends=("LI-EQ31",),
    summary="the case mu = 0 that is proved first keeps F strongly convex",
    printed=dict(every_client=False, ridge=sp.Integer(0)), controls=[Control("every F_k instead of F",
    dict(every_client=True))],
)  # fmt: skip
def li_c4_asm_global(every_client: bool, ridge: sp.Rational) -> Evidence:
    return convexity_check(every_client, ridge)


@claim(
    "LI-C4-ASM.2[every F_k strongly convex]", kind=Kind.ALGEBRA, scope=Scope.GENERAL,
    source="Section 1, Appendix C.4, case mu = 0",
    statement=r"\mu=0:\ \text{every } F_k \text{ is strongly convex, as Assumption 2 asks}",
    summary="the case mu = 0 satisfies the strong convexity assumption client by client",
    printed=dict(every_client=True, ridge=sp.Integer(0)), repair="LI-C4-ASM.2-R1",
    controls=[Control("mu = 1/1000", dict(ridge=sp.Rational(1, 1000)), must="pass")],
)  # fmt: skip
def li_c4_asm_clients(every_client: bool, ridge: sp.Rational) -> Evidence:
    return convexity_check(every_client, ridge)


@claim(
    "LI-C4-ASM.2-R1", kind=Kind.ALGEBRA, scope=Scope.GENERAL, source="eq. (27), eq. (30)",
    statement=r"\mu>0:\ \text{every } F_k \text{ is } \mu\text{-strongly convex}",
    summary="every client is strongly convex exactly when mu > 0",
    printed=dict(every_client=True, ridge=sp.Rational(1, 1000)), controls=[Control("mu = 0",
    dict(ridge=sp.Integer(0)))],
)  # fmt: skip
def li_c4_asm_clients_repaired(every_client: bool, ridge: sp.Rational) -> Evidence:
    return convexity_check(every_client, ridge)


if __name__ == "__main__":
    from fltheory.evidence.runner import run_script

    run_script(__file__)
