"""The last paragraph of Appendix C.4 in Li et al. (2020): what a ridge mu > 0 changes in the discussion of E.

The bound (34) with a ridge is in theorem_5.py.
"""

from __future__ import annotations

from collections.abc import Iterator

import sympy as sp

from fltheory.evidence.model import Control, Evidence, Kind, Scope, claim
from fltheory.evidence.settle import settle
from fltheory.theory.li2020 import appendix_c_ridge as ridge_lemma
from fltheory.theory.li2020.appendix_c import Example, common_positive_roots, fixed_point, norm_squared
from fltheory.theory.li2020.appendix_c_symbolic import N, mu
from fltheory.theory.proofs import is_zero, nonnegative_on

ALL = "all N >= 2, p >= 2"
LAST = "Appendix C.4, last paragraph"


def instances() -> Iterator[Example]:
    """Small examples with a ridge, in order of size."""
    for n_clients, block in ((2, 2), (2, 3), (3, 2), (3, 3)):
        for value in (sp.Rational(1, 20), sp.Rational(1, 5)):
            yield Example(n_clients, block, value)


def contraction_check(printed: bool, limit: sp.Rational) -> Evidence:
    """``rho < 1`` under ``mu < 1/(4+mu)`` alone (printed), or under ``eta < limit/(4+mu)``."""
    lam, eta = sp.symbols("lambda eta")
    steps = {
        "|1 - eta (lambda + mu)| <= 1": not printed
        and nonnegative_on(2 - eta * (lam + mu), [(mu, 0, None), (lam, 0, 4), (eta, 0, limit / (4 + mu))]),
        "below 1, since eta mu > 0": nonnegative_on(eta * mu, [(mu, 0, None), (eta, 0, None)]),
    }
    found = ""
    if printed:
        small, step = sp.Rational(1, 5), sp.Integer(2)
        column = (sp.eye(5) - step * Example(2, 2, small).clients[0])[:, 1]
        value = norm_squared(column) / 2
        if small < 1 / (4 + small) and value > 1:
            found = (
                f"N=2, p=2, mu={small} < 1/(4+mu), eta={step}, E=2: e_2'M e_2 >= |(I - eta A_1) e_2|^2/2 = {value} > 1"
            )
    elif limit > 2:
        small = sp.Rational(1, 5)
        step = (limit + 2) / 2 / (4 + small)
        block = next(b for b in range(2, 10**5) if step * (sp.Rational(4 * b + 1, b + 1) + small) > 2)
        rate = 1 - step * (sp.Rational(4 * block + 1, block + 1) + small)
        half = int(sp.floor(1 / (rate**2 - 1))) + 1
        found = (
            f"N=2, p={block}, mu={small}, eta={step}, E={2 * half}: the quotient of M "
            f"at (1,-1,1,...) on block 1 exceeds 1"
        )
    return settle(
        steps, found, instances=1, valid_for=ALL + ", mu > 0, every E",
        method="With a ridge the eigenvalues of a client's matrix lie in [mu, 4 + mu); "
        "then |M| <= max |1 - eta lambda|^E.",
        numbers={"mu < 1/(4+mu) means": "mu < sqrt(5) - 2"},
    )  # fmt: skip


@claim(
    "LI-MUPOS.1", kind=Kind.INEQUALITY, scope=Scope.GENERAL, source=LAST,
    statement=r"\mu<\tfrac1{4+\mu}\ \Rightarrow\ \rho<1",
    summary="the printed condition restricts mu, not the step size, so it does not give contraction",
    printed=dict(printed=True, limit=sp.Integer(1)), repair="LI-MUPOS.1-R1",
    controls=[Control("eta < 1/(4+mu)", dict(printed=False), must="pass")],
)  # fmt: skip
def li_mupos_condition(printed: bool, limit: sp.Rational) -> Evidence:
    return contraction_check(printed, limit)


@claim(
    "LI-MUPOS.1-R1", kind=Kind.INEQUALITY, scope=Scope.GENERAL, source=LAST,
    statement=r"\eta<\tfrac1{4+\mu}\ \Rightarrow\ \rho<1", summary="with the step size "
    "in place of mu it does (even up to 2/(4+mu))",
    printed=dict(printed=False, limit=sp.Integer(1)), controls=[Control("1/(4+mu) -> 2.1/(4+mu)",
    dict(limit=sp.Rational(21, 10)))],
)  # fmt: skip
def li_mupos_condition_repaired(printed: bool, limit: sp.Rational) -> Evidence:
    return contraction_check(printed, limit)


def limit_check(formulas: bool, ridge_positive: bool = True) -> Evidence:
    """E -> oo with a ridge: is the limit different from w*; do the formulas of item (2) carry over?"""
    steps = {
        "x^E -> 0: 0 < eta (lambda + mu) < 2": ridge_positive and nonnegative_on(
            2 - sp.Symbol("eta") * (sp.Symbol("lambda") + mu),
            [(mu, 0, None), (sp.Symbol("lambda"), 0, 4), (sp.Symbol("eta"), 0, 2 / (4 + mu))],
        ),
        "lim M = 0, so no block of it is (1 - 1/N) I": not formulas,
    } | ridge_lemma.sequence_steps()  # fmt: skip
    found, table, count = "", {}, 0
    for example in instances():
        local = example.clients[0].inv() * example.shift
        limit, count = local / example.n_clients, count + 1
        least_norm = [int(i <= example.block) for i in range(example.dimension)]
        table[example.name] = str(float(sp.sqrt(norm_squared(limit - example.optimum))))
        if formulas and not found and list(local) != least_norm:
            found = (
                f"{example.name}: client 1 tends to {[str(e) for e in local]}, not to the vector of "
                f"{example.block + 1} ones"
            )
        if not formulas and not found and limit == example.optimum:
            found = f"{example.name}: the limit is w*"
    return settle(
        steps, found, instances=count, valid_for=ALL + ", mu > 0, 0 < eta < 2/(4+mu)",
        method="Every local map tends to its minimiser, so the limit is (1/N)(A_1 + mu I)^{-1} b_1, which vanishes "
        "outside block 1 while all entries of w* are positive; as mu -> 0 it tends to "
        "w~/N, not to the limit at mu = 0.",
        numbers={"distance of the limit from w*": table},
    )  # fmt: skip


@claim(
    "LI-MUPOS.3[conclusion]", kind=Kind.QUALITATIVE, scope=Scope.GENERAL, source=LAST,
    statement=r"\mu>0:\ \lim_{E\to\infty}\tilde w^*=\tfrac1N(A_1+\mu I)^{-1}b_1\ne w^*",
    summary="with a ridge the limit of many local steps still differs from the minimiser",
    printed=dict(formulas=False), controls=[Control("the formulas of item (2) carry over", dict(formulas=True))],
)  # fmt: skip
def li_mupos_limit(formulas: bool) -> Evidence:
    return limit_check(formulas)


@claim(
    "LI-MUPOS.3[formulas of item (2)]", kind=Kind.IDENTITY, scope=Scope.GENERAL, source=LAST,
    statement=r"\mu>0:\ \lim_E\eta\sum_{l<E}(I-\eta(A_1+\mu I))^lb=\tilde w,\ "
    r"\lim_EM=\mathrm{diag}\{(1-\tfrac1N)I;\cdot;\cdot\}",
    summary="the limits of item (2) themselves do change: M tends to 0 and client 1 to (A_1 + mu I)^{-1} b_1",
    printed=dict(formulas=True), repair="LI-MUPOS.3[conclusion]",
    controls=[Control("only the conclusion carries over", dict(formulas=False), must="pass")],
)  # fmt: skip
def li_mupos_formulas(formulas: bool) -> Evidence:
    return limit_check(formulas)


@claim(
    "LI-MUPOS.2", kind=Kind.IDENTITY, scope=Scope.GENERAL, source=LAST, depends=("LI-THM5.1",),
    statement=r"\mu>0,\ E=1:\quad \tilde w^*=(A+N\mu I)^{-1}b=w^*",
    summary="with a ridge one local step still gives the minimiser",
    printed=dict(factor=N), controls=[Control("(A + mu I)^{-1} b", dict(factor=sp.Integer(1)))],
)  # fmt: skip
def li_mupos_one_step(factor: sp.Expr) -> Evidence:
    steps = {
        "the fixed point solves sum_k (A_k + mu I) w = b, that is (A + N mu I) w = b": is_zero(N * mu - factor * mu)
    }
    found, count = "", 0
    for example in instances():
        plain, count = Example(example.n_clients, example.block), count + 1
        shift = sp.sympify(factor).subs(N, example.n_clients) * example.ridge * sp.eye(example.dimension)
        claimed = (plain.total + shift).LUsolve(example.shift)
        if not found and sp.Matrix(fixed_point(example, 1, sp.Rational(1, 5))) != sp.Matrix(claimed):
            found = f"{example.name}, E=1, eta=1/5: the limit is not the claimed point with first entry {claimed[0]}"
    return settle(
        steps, found, instances=count, valid_for=ALL + ", mu > 0, eta with rho < 1",
        method="At E = 1 the round is a gradient step on F; its fixed point is the stationary point of F.",
    )  # fmt: skip


@claim(
    "LI-MUPOS.5", kind=Kind.QUALITATIVE, scope=Scope.GENERAL, source="Appendix C.4, last paragraph",
    statement=r"\mu>0,\ 2\le E<\infty,\ \eta(2+\mu)\le1:\quad \tilde w^*\ne w^*",
    summary="with a ridge the fixed point is still never the minimiser for two or more local steps",
    printed=dict(least_steps=2), controls=[Control("E = 1 allowed", dict(least_steps=1))],
)  # fmt: skip
def li_mupos_nonzero(least_steps: int) -> Evidence:
    steps = (
        ridge_lemma.sequence_steps()
        | ridge_lemma.displacement_steps()
        | {"E >= 2, so that the step l = 1 makes s > S_11": least_steps >= 2}
    )
    found, count, divisors = "", 0, {}
    for n_clients, block, local, ridge in (
        (2, 2, 1, 1),
        (2, 2, 2, 1),
        (2, 2, 3, 1),
        (2, 2, 2, sp.Rational(1, 10)),
    ):
        if local < least_steps:
            continue
        example, count = Example(n_clients, block, sp.sympify(ridge)), count + 1
        divisor, roots = common_positive_roots(example, local)
        divisors[f"{example.name}, E={local}"] = str(divisor)
        if roots and not found:
            found = f"{example.name}, E={local}: one round leaves w* where it is for every eta"
    return settle(
        steps, found, instances=count, valid_for="all N >= 2, p >= 2, mu > 0, E >= 2, 0 < eta <= 1/(2+mu)",
        method="If coordinates 1..p of w* stayed put, (S_1 - s) v would be a multiple of e_{p+1}; multiplied by A_1 + "
        "N mu I its first entry is a sum of one negative and one nonpositive term, not "
        "zero (entries of P = I - eta(A_1 + mu I) >= 0).",
        numbers={"gcd of the entries, without powers of eta": divisors},
    )  # fmt: skip


if __name__ == "__main__":
    from fltheory.evidence.runner import run_script

    run_script(__file__)
