"""The last paragraph of Appendix C.4 in Li et al. (2020): what a ridge mu > 0 changes in the discussion of E.

The bound (34) with a ridge is in theorem_5.py.
"""

from __future__ import annotations

import sympy as sp

from fltheory.evidence.decide import Tried, decide
from fltheory.evidence.ends import first_failure, tried
from fltheory.evidence.kinds import identity_claim, inequality_claim, qualitative_claim, run_script
from fltheory.evidence.model import Control, Evidence
from fltheory.evidence.witness import Side, Witness
from fltheory.theory.proofs import Open, equal, is_zero, nonnegative_on
from fltheory.theory.steps import sign
from verify.li2020.appendix_c.closed_forms import ROWS, N, mu, one, p
from verify.li2020.appendix_c.example import Example, fixed_point, instances, norm_squared
from verify.li2020.appendix_c.ridge_identities import displacement_steps, divergent_instance, large_step, sequence_steps
from verify.li2020.appendix_c.stationary_points import ridge_stationarity_steps, search_step_sizes

contraction_claim = inequality_claim.sharing(source="Appendix C.4, last paragraph")
ridge_conclusion = qualitative_claim.sharing(source="Appendix C.4, last paragraph")
ridge_identity = identity_claim.sharing(source="Appendix C.4, last paragraph")

ALL = "all N >= 2, p >= 2"


RIDGES = (sp.Rational(1, 20), sp.Rational(1, 5))


def contraction_check(limit: sp.Expr | None, largest: sp.Rational | None) -> Evidence:
    """``rho < 1`` for ``eta`` below ``limit`` (any eta if none) and, where given, ``mu < 1/(4+mu)``, so ``mu < largest``."""
    lam, eta = sp.symbols("lambda eta")
    steps = {
        "|1 - eta (lambda + mu)| <= 1": lambda: nonnegative_on(
            2 - eta * (lam + mu), [(mu, 0, largest), (lam, 0, 4), (eta, 0, limit)]
        ),
        "below 1, since eta mu > 0": lambda: nonnegative_on(eta * mu, [(mu, Open(0), None), (eta, 0, None)]),
    }
    if largest is not None:
        steps["mu >= largest would give mu (4+mu) >= 1"] = sign(
            "mu >= largest would give mu (4+mu) >= 1", mu * (4 + mu) - 1, [(mu, largest, None)]
        )
    small = sp.Rational(1, 5)
    step = None if limit is None else (sp.sympify(limit).subs(mu, small) + 2 / (4 + small)) / 2
    return decide(
        steps,
        tried(large_step(small)) if step is None else Tried(examined=1, counterexample=divergent_instance(step, small)),
        method="With a ridge the eigenvalues of a client's matrix lie in [mu, 4 + mu); "
        "then |M| <= max |1 - eta lambda|^E.",
        valid_for=ALL + ", mu > 0, every E",
        numbers={"mu < 1/(4+mu) means": "mu < sqrt(5) - 2"},
    )


li_mupos_added = contraction_claim(
    "LI-MUPOS.1[added, eta < 1/4 kept]",
    statement=r"\eta<\tfrac14,\ \mu<\tfrac1{4+\mu}\ \Rightarrow\ \rho<1",
    summary="The printed condition on mu, read as one more condition beside eta < 1/4, gives contraction.",
    printed=dict(limit=sp.Rational(1, 4), largest=sp.Rational(1, 4)),
    controls=[Control("eta < 1/4 -> eta < 3/4", dict(limit=sp.Rational(3, 4)))],
)(contraction_check)

li_mupos_instead = contraction_claim(
    "LI-MUPOS.1[in place of eta < 1/4]",
    fault="reading",
    statement=r"\mu<\tfrac1{4+\mu}\ \Rightarrow\ \rho<1",
    headline="The condition with ridge, read literally, bounds the ridge and not the step size",
    summary="Read to the letter (instead of the original condition) it restricts mu, not the step size, so it does "
    "not give contraction.",
    printed=dict(limit=None, largest=sp.Rational(1, 4)),
    repair="LI-MUPOS.1-R1",
    controls=[Control("eta < 1/4 kept", dict(limit=sp.Rational(1, 4)), must="pass")],
)(contraction_check)

li_mupos_condition_repaired = contraction_claim(
    "LI-MUPOS.1-R1",
    statement=r"\eta<\tfrac1{4+\mu}\ \Rightarrow\ \rho<1",
    summary="With the step size in place of mu it does, for every mu (even up to 2/(4+mu)).",
    printed=dict(limit=1 / (4 + mu), largest=None),
    controls=[Control("1/(4+mu) -> 2.1/(4+mu)", dict(limit=sp.Rational(21, 10) / (4 + mu)))],
)(contraction_check)


def local_minimiser(example: Example) -> sp.Matrix:
    """Least-norm minimiser of ``F_1``: ``(A_1 + mu I)^{-1} b_1`` on block 1, where A_1 is invertible, zero elsewhere."""
    size = example.dimension if example.n_clients == 1 else example.block + 1
    inside = example.clients[0][:size, :size].LUsolve(example.shift[:size, :])
    return sp.Matrix.vstack(inside, sp.zeros(example.dimension - size, 1))


@ridge_conclusion(
    "LI-MUPOS.3[conclusion]",
    statement=r"\mu>0:\ \lim_{E\to\infty}\tilde w^*=\tfrac1N(A_1+\mu I)^{-1}b_1\ne w^*",
    summary="With a ridge the limit of many local steps still differs from the minimiser.",
    printed=dict(least_clients=2),
    controls=[Control("N = 1 allowed", dict(least_clients=1))],
)
def li_mupos_limit(least_clients: int) -> Evidence:
    lam, eta = sp.symbols("lambda eta")
    steps = {
        "x^E -> 0: 0 < eta (lambda + mu) < 2": lambda: nonnegative_on(
            2 - eta * (lam + mu), [(mu, Open(0), None), (lam, 0, 4), (eta, 0, 2 / (4 + mu))]
        ),
        "block 1 ends before the last coordinate, where w* > 0": lambda: nonnegative_on(
            (N * p + 1) - (p + 1) - 1, [(N, least_clients, None), (p, 2, None)]
        ),
    } | sequence_steps()
    table = {}

    def failure(example: Example) -> str:
        gap = norm_squared(local_minimiser(example) / example.n_clients - example.optimum)
        table[example.name] = str(float(sp.sqrt(gap)))
        return "" if gap else f"{example.name}: the limit is w* = {list(example.optimum)}"

    return decide(
        steps,
        first_failure(instances(3, 2, RIDGES, least_clients=least_clients), failure),
        method="Every local map tends to its minimiser, so the limit is (1/N)(A_1 + mu I)^{-1} b_1, which vanishes "
        "outside block 1 while all entries of w* are positive; as mu -> 0 it tends to "
        "w~/N, not to the limit at mu = 0.",
        valid_for=ALL + ", mu > 0, 0 < eta < 2/(4+mu)",
        numbers={"distance of the limit from w*": table},
    )


@ridge_identity(
    "LI-MUPOS.3[formulas of item (2)]",
    fault="reading",
    statement=r"\mu>0:\ \lim_E\eta\sum_{l<E}(I-\eta(A_1+\mu I))^lb=\tilde w=(1^{p+1},0^{(N-1)p})",
    headline="With a ridge the limit formulas change, contrary to the text",
    summary="The limits of item (2) themselves do change: client 1 tends to (A_1 + mu I)^{-1} b_1 (and M to 0).",
    printed=dict(ridge=mu),
    repair="LI-MUPOS.3[conclusion]",
    controls=[Control("mu = 0", dict(ridge=sp.Integer(0)), must="pass")],
)
def li_mupos_formulas(ridge: sp.Expr) -> Evidence:
    residuals = [ROWS[kind](one, p) + ridge for kind in ("left end", "interior", "right end")]
    steps = {
        "(A_1 + mu I) w~ - b_1 vanishes on block 1 (the ground of row 1 cancels b_1)": lambda: all(
            map(is_zero, residuals)
        )
    }

    w_1, w_2 = sp.symbols("w_1 w_2")
    first = Side("row 1 of (A_1 + mu I) w", (2 + mu) * w_1 - w_2)  # the equation of the minimiser of F_1, b_1 = e_1
    values = [sp.sympify(ridge).subs(mu, value) for value in RIDGES]
    return decide(
        steps,
        tried(Witness({mu: value, w_1: 1, w_2: 1}, first, "=", Side("b_1", 1), setting="w = w~") for value in values),
        method="The limit minimises F_1 and lies in the range of the powers of A_1 + mu I applied to b_1, that is in "
        "block 1, where A_1 + mu I is invertible; insert w~ in its equation.",
        valid_for=ALL + ", 0 < eta < 2/(4+mu)",
    )


@ridge_identity(
    "LI-MUPOS.2",
    depends=("LI-THM5.1",),
    statement=r"\mu>0,\ E=1:\quad \tilde w^*=(A+N\mu I)^{-1}b=w^*",
    summary="With a ridge one local step still gives the minimiser.",
    printed=dict(factor=N),
    controls=[Control("(A + mu I)^{-1} b", dict(factor=sp.Integer(1)))],
)
def li_mupos_one_step(factor: sp.Expr) -> Evidence:
    steps = {
        "the fixed point solves sum_k (A_k + mu I) w = b, that is (A + N mu I) w = b": lambda: equal(
            N * mu, factor * mu
        )
    }

    def failure(example: Example) -> str:
        shift = sp.sympify(factor).subs(N, example.n_clients) * example.ridge * sp.eye(example.dimension)
        claimed = (Example(example.n_clients, example.block).total + shift).LUsolve(example.shift)
        words = f"{example.name}, E=1, eta=1/5: the limit is not the claimed point with first entry {claimed[0]}"
        return "" if fixed_point(example, 1, sp.Rational(1, 5)) == claimed else words

    return decide(
        steps,
        first_failure(instances(3, 3, RIDGES), failure),
        method="At E = 1 the round is a gradient step on F; its fixed point is the stationary point of F.",
        valid_for=ALL + ", mu > 0, eta with rho < 1",
    )


@ridge_conclusion(
    "LI-MUPOS.5",
    statement=r"\mu>0,\ 2\le E<\infty,\ \eta(2+\mu)\le1:\quad \tilde w^*\ne w^*",
    summary="With a ridge the fixed point is still never the minimiser for two or more local steps.",
    printed=dict(least_steps=2),
    controls=[Control("E = 1 allowed", dict(least_steps=1))],
)
def li_mupos_nonzero(least_steps: int) -> Evidence:
    steps = (
        sequence_steps()
        | displacement_steps()
        | {"E >= 2, so that the step l = 1 makes s > S_11": lambda: nonnegative_on(least_steps - 2, ())}
    )
    ridges = (sp.Rational(1, 10), sp.Integer(1))
    search = search_step_sizes(2, least_steps, ridges)
    return decide(
        steps,
        search.tried,
        method="If coordinates 1..p of w* stayed put, (S_1 - s) v would be a multiple of e_{p+1}; multiplied by A_1 + "
        "N mu I its first entry is a sum of one negative and one nonpositive term, not "
        "zero (entries of P = I - eta(A_1 + mu I) >= 0).",
        valid_for="all N >= 2, p >= 2, mu > 0, E >= 2, 0 < eta <= 1/(2+mu)",
        numbers={"gcd of the entries, without powers of eta": search.divisors},
    )


@ridge_conclusion(
    "LI-MUPOS.6",
    statement=r"\mu>0,\ 2\le E<\infty,\ \eta>0:\quad M w^*+\text{shift}\ne w^*,\ \text{hence } \tilde w^*\ne w^*",
    summary="The same for every step size at all: one round moves the minimiser.",
    printed=dict(least_steps=2),
    controls=[Control("E = 1 allowed", dict(least_steps=1))],
    quick=False,
)
def li_mupos_any_step(least_steps: int) -> Evidence:
    search = search_step_sizes(2, least_steps, (sp.Rational(1, 10), sp.Integer(1)))
    return decide(
        ridge_stationarity_steps(2, least_steps),
        search.tried,
        method="With the eigenvectors of block N, w* stays put only if all p + 1 >= 3 eigenvalues solve sigma(1 - eta "
        "(lambda + mu)) - sigma(1 - eta mu) = c (lambda + N mu)/(lambda + mu), sigma(t) = 1 + ... + t^(E-1).  Sigma is "
        "increasing (even E) or convex (odd E), which leaves at most two solutions.  Instances: gcd in QQ[eta].",
        valid_for="all N >= 2, p >= 2, mu > 0, E >= 2, every eta > 0",
        numbers={"gcd of the entries, without powers of eta": search.divisors},
    )


if __name__ == "__main__":
    run_script(__file__)
