"""Displays (8) and (1) of Li et al. (2020): the rounds that the bound (6) asks for, and what is hidden in them.

As in (7), a factor kappa of (6) is not shown; both meanings of O() are judged.  Which theorem yields which display, and the
part that depends on K, are settled here too.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

import sympy as sp

from fltheory.evidence.decide import decide, undecided
from fltheory.evidence.ends import by_witness, identical, nonnegative, tried
from fltheory.evidence.kinds import algebra_claim, asymptotic_claim, run_script, table_claim
from fltheory.evidence.model import Control, Evidence, Rung
from fltheory.evidence.witness import Side, Witness
from fltheory.theory.li2020 import theorems
from fltheory.theory.steps import Instance, Proof, equality, identity, sign
from fltheory.theory.values import exact_value
from verify.li2020.discussion.bounds import (
    G2,
    RANGES,
    E,
    Gamma,
    K,
    L,
    T,
    V,
    bound,
    dominating_term,
    eps,
    gamma,
    kappa,
    mu,
    rounds_introduction,
    rounds_to_accuracy,
)

#: What the parameters of (6) satisfy.
_PARAMETERS = [(kappa, "=", L / mu), (kappa, ">=", 1), (gamma, ">=", 8 * kappa), (gamma, ">=", E)]

of_1 = asymptotic_claim.sharing(statement=rounds_introduction, source="(1)")


#: what one unit of C adds to the bounds of Theorems 2 and 3
_PER_C = theorems.kappa / (theorems.gamma + theorems.T - 1) * 2 / theorems.mu
of_8 = algebra_claim.sharing(statement=rounds_to_accuracy, source="(8)")


@of_8(
    "LI-EQ8[from (7) with gamma = kappa + E]",
    headline="The number of rounds follows from the simplified bound, with its gamma read suitably",
    summary="(8) is (7) solved for T at accuracy epsilon, divided by E, times mu epsilon, with gamma read as kappa + "
    "E.",
    printed=dict(extra=1),
    controls=[Control("drop the last G^2", dict(extra=0))],
)
def eq8_from_7(extra: int) -> Evidence:
    steps = sp.solve(sp.Eq(dominating_term.expression.subs(gamma, kappa + E), eps), T)[0]
    shown = rounds_to_accuracy.expression - (1 - extra) * G2
    needed = steps / E * mu * eps
    at = {kappa: 1, E: 1, K: 1, V: 0, Gamma: 0, G2: 1, L: 1, mu: 1, eps: 1}
    return identical(
        [(needed, shown)],
        tried(Witness(at, Side("mu eps T/E from (7)", needed), "=", Side("display", shown))),
        method="Exact solution of (7) = epsilon for T; identity of rational functions.",
        valid_for="all parameters",
    )


def _steps_from_6(power: int, constant: Fraction) -> Evidence:
    """Claim: T/E = constant kappa^power (8)/(mu eps) makes (6) at most eps, for all parameters (gamma = 8 kappa or E)."""
    display = rounds_to_accuracy.expression
    # (6) <= eps follows from kappa (2(B+C) + 2 gamma G^2) <= constant kappa^power E (8), since gamma + T - 1 >= T.
    need = sp.expand(bound * (gamma + T - 1) * mu)
    cases = ((8 * kappa, RANGES), (E, [*RANGES[:6], (E, 8 * kappa, None), (K, 1, None)]))
    differences = {
        f"gamma = {value}": (constant * kappa**power * E * display - need.subs(gamma, value), ranges)
        for value, ranges in cases
    }
    # One local step and a large kappa (start term), or many local steps and devices (drift), at a small accuracy.
    steps = constant * kappa**power * E * display / (mu * eps)
    large = {L: 10 * constant, kappa: 10 * constant, E: 1, K: 10**4, gamma: 80 * constant}
    many = {L: 1, kappa: 1, E: 10**4, K: 10**4, gamma: 10**4}
    value = Side(f"(6) at T = {constant * kappa**power} E (8)/(mu eps)", bound.subs(T, steps))
    return nonnegative(
        differences,
        tried(
            (
                Witness({**at, V: 0, Gamma: 0, G2: 1, mu: 1, eps: Fraction(1, 10**9)}, value, "<=", eps, _PARAMETERS)
                for at in (large, many)
            ),
            prose=f"the instance grows with the constant, {constant} stands for any",
        ),
        prose="(6) is at most its numerator over mu T, as gamma >= 1; the numerator is compared for gamma = 8 kappa and E",
        method="Both cases of gamma = max{8 kappa, E}: the sufficient number of steps from (6) against "
        f"{constant} kappa^{power} E (8)/(mu epsilon).",
        valid_for="all parameters of Theorem 2",
    )


eq8_absolute = of_8(
    "LI-EQ8[from (6), absolute constants]",
    fault="reading",
    headline="The number of rounds as printed drops a factor of the condition number",
    summary="Rounds sufficient by (6) are at most an absolute constant times (8)/(mu epsilon). A factor kappa is "
    "missing.",
    repair="LI-EQ8-R1",
    printed=dict(power=0, constant=Fraction(16)),
    controls=[Control("with the factor kappa", dict(power=1), must="pass")],
)(_steps_from_6)

eq8_repaired = algebra_claim(
    "LI-EQ8-R1",
    source="repairs (8)",
    statement=r"\text{(6)}\le\epsilon \text{ once } T/E \ge "
    r"\frac{16\kappa}{\mu\epsilon}\Big[(1+\tfrac1K)EG^2+\tfrac{\sum "
    r"p_k^2\sigma_k^2+L\Gamma+\kappa G^2}{E}+G^2\Big]",
    summary="Corrected: 16 kappa/(mu epsilon) times (8) rounds suffice for the bound (6).",
    printed=dict(power=1, constant=Fraction(16)),
    controls=[Control("16 -> 15.9 (sharp as E, K grow)", dict(constant=Fraction(159, 10)))],
)(_steps_from_6)


@of_1(
    "LI-EQ1[problem constants absorbed]",
    summary="(1) is (8) with L, mu, kappa absorbed in O(): (8) <= (1 + L) kappa times the bracket of (1).",
    depends=["LI-EQ8-R1"],
    printed=dict(absorb=True),
    controls=[Control("absorb nothing", dict(absorb=False))],
)
def eq1_absorbed(absorb: bool) -> Evidence:
    bracket = rounds_introduction.expression * eps
    factor = (1 + L) * kappa if absorb else sp.Integer(1)
    point = {kappa: 10, E: 1, K: 1, V: 0, Gamma: 0, G2: 1, L: 1}
    sides = Side("(8)", rounds_to_accuracy.expression), Side(f"{factor} times the bracket of (1)", factor * bracket)
    return nonnegative(
        {"": (factor * bracket - rounds_to_accuracy.expression, RANGES)},
        tried(Witness(point, sides[0], "<=", sides[1], [(kappa, ">=", 1)])),
        prose="what is absorbed is (1 + L) kappa, beside 16 kappa/mu of LI-EQ8-R1",
        method=f"Sign of {factor} times the bracket of (1) less (8).",
        valid_for="all parameters; the hidden constant is 16 (1+L) kappa^2/mu",
    )


@of_1(
    "LI-EQ1[absolute constants]",
    fault="reading",
    headline="The rate with an absolute constant is false: it loses a factor of the condition number",
    summary="(1) with an absolute constant in O(): fails, since kappa G^2/E of (8) and the factor kappa of (6) are "
    "gone.",
    repair="LI-EQ8-R1",
    printed=dict(power=0),
    controls=[Control("bracket times kappa^2/mu", dict(power=2), must="pass")],
)
def eq1_absolute(power: int) -> Evidence:
    # Start term alone: V = Gamma = 0, E = 1, G = 1, gamma = 8 kappa, K -> oo: (6) ~ 16 kappa^2/(mu T) against (1) = 3/eps.
    needed = sp.limit(bound.subs({V: 0, Gamma: 0, E: 1, G2: 1, gamma: 8 * kappa}) * T, T, sp.oo)
    display = (rounds_introduction.expression * eps).subs({V: 0, Gamma: 0, E: 1, G2: 1})
    shown = sp.limit(display, K, sp.oo) * kappa**power / (mu if power else 1)
    ratio = sp.limit(sp.limit(needed, K, sp.oo) / shown * (1 if power else mu), kappa, sp.oo)
    if ratio == sp.oo:
        needs, gives = sp.limit(needed, K, sp.oo), shown
        sides = Side("limit of eps T that (6) <= eps needs", needs), Side("10^6 times that of (1)", 10**6 * gives)
        return by_witness(
            Witness(
                {"kappa": 10**6, "mu": 1},
                sides[0],
                "<=",
                sides[1],
                [(kappa, ">=", 1)],
                "V=Gamma=0, E=G=1, K, T to infinity",
            ),
            prose="both sides are limits for K and T to infinity, and 10^6 stands for any constant",
            method=f"Limits: (6) <= eps needs T ~ {needs}/eps, (1) gives {gives}/eps; no absolute constant covers all kappa.",
        )
    return undecided(f"limit ratio {ratio} is finite", 1, "see LI-EQ8-R1 for the proof", Rung.EXACT)


@table_claim(
    "LI-EQ1-SRC",
    source="Section 1, Section 3.4",
    depends=("LI-EQ7-R1", "LI-EQ8-R1"),
    statement=r"\text{Theorem 3}\le\text{Theorem 2}\ \Rightarrow\ \text{(1), (7), (8) follow from either;}\quad"
    r"\text{the factor is }1+\tfrac1K\text{ or }1+\tfrac{N-K}{(N-1)K}",
    summary="Which theorem gives the factor (1+1/K) of (1), (7), (8): Theorem 2 gives it directly; Theorem 3 gives "
    "1+(N-K)/(K(N-1)), which is at most that, so (1) follows from Theorem 3 too, with something given away.",
    printed=dict(cohort="1", display="1"),
    controls=[
        Control("C of Theorem 3 times 1.01: above that of Theorem 2 at K = 1", dict(cohort="101/100")),
        Control("the part of (8) with 1/K times 0.99", dict(display="99/100")),
    ],
)
def source_of_eq1(cohort: str, display: str) -> Evidence:
    """What C of a theorem leaves in (8): 1/4 of C/E^2 for G = 1; C of Theorem 3 against C of Theorem 2, ``cohort`` times."""
    first, second = theorems.C_scheme_i, sp.Rational(cohort) * theorems.C_scheme_ii
    shown = rounds_to_accuracy.expression - sp.limit(rounds_to_accuracy.expression, K, sp.oo)
    names = {theorems.E: E, theorems.K: K, theorems.G2: G2}
    others, more = sp.symbols("others more")
    gap = sp.cancel((first - second) / (theorems.E**2 * theorems.G2))
    whole = [
        identity(f"{name}: the bound is linear in B + C with the same factor", theorem - limit, limit_factor * part)
        for name, theorem, limit, limit_factor, part in (
            ("Theorem 2", theorems.theorem_2.expression, theorems.theorem_1.expression, _PER_C, theorems.C_scheme_i),
            ("Theorem 3", theorems.theorem_3.expression, theorems.theorem_1.expression, _PER_C, theorems.C_scheme_ii),
        )
    ]
    steps = [
        *whole,
        identity(
            "Theorem 2: C/(4 E) is the part of (8) with 1/K", first.subs(names) / (4 * E), sp.Rational(display) * shown
        ),
        sign(
            "C of Theorem 3 <= C of Theorem 2, K >= 2",
            gap.subs(theorems.N, theorems.K + others),
            ((theorems.K, 2, None), (others, 0, None)),
        ),
        sign("the same, K = 1", sp.cancel(gap.subs(theorems.K, 1).subs(theorems.N, 2 + more)), ((more, 0, None),)),
    ]

    def instances() -> Iterator[Instance]:
        for n, k in ((2, 1), (2, 2), (5, 1), (5, 4)):
            at = {theorems.N: n, theorems.K: k, theorems.E: 1, theorems.G2: 1}
            yield Instance(
                f"N={n}, K={k}, E=G=1: C of Theorem 3 against Theorem 2",
                exact_value(second, at),
                exact_value(first, at),
            )
            sides = exact_value(first, at) / 4, Fraction(display) * exact_value(shown, {K: k, E: 1, G2: 1})
            yield equality(f"K={k}, E=G=1: C/(4E) of Theorem 2 against the part of (8)", *sides)

    return decide(
        Proof(tuple(steps)),
        instances,
        method="Theorems 2 and 3 differ in C only, and are linear in it; C of Theorem 2 is 4 E times the part of (8) with 1/K, C "
        "of Theorem 3 is (N-K)/(N-1) of it, at most as much.",
        valid_for="1 <= K <= N, N >= 2",
    )


@algebra_claim(
    "LI-KTERM",
    headline="More devices per round help, by at most one term of the bound",
    source="Section 6, D.2",
    statement=r"T_\epsilon/E \ni EG^2/K",
    summary="The part of (8) that depends on K is E G^2/K: decreasing in K, so more devices help, by at most that "
    "term.",
    printed=dict(coefficient=1),
    controls=[Control("claim 2 E G^2/K", dict(coefficient=2))],
)
def k_term(coefficient: int) -> Evidence:
    display = rounds_to_accuracy.expression
    part, claimed = display - sp.limit(display, K, sp.oo), coefficient * E * G2 / K
    sides = Side("part of (8) that depends on K", part), Side(f"{coefficient} E G^2/K", claimed)
    return identical(
        [(part, claimed)],
        tried(Witness(dict.fromkeys((K, E, G2, V, L, Gamma, kappa), 1), sides[0], "=", sides[1])),
        method="(8) minus its limit for K to infinity; E G^2/K falls with K.",
        valid_for="all parameters",
    )


if __name__ == "__main__":
    run_script(__file__)
