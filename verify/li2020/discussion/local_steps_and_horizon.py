"""E against sqrt(T) (Section 3.4 of Li et al. 2020): the limit of the bound when E grows with T, and what T large means."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import product

import sympy as sp

from fltheory.evidence.ends import by_proof, by_witness, nonnegative
from fltheory.evidence.kinds import asymptotic_claim, run_script
from fltheory.evidence.model import Control, Evidence, Rung, Tightness
from fltheory.evidence.witness import Side, Witness
from fltheory.theory.li2020 import theorems
from fltheory.theory.proofs import is_zero, nonnegative_on
from fltheory.theory.steps import Instance
from fltheory.theory.values import exact_value
from verify.li2020.discussion.bounds import G2, RANGES, E, Gamma, K, L, T, V, bound, gamma, kappa, mu

of_section_34 = asymptotic_claim.sharing(source="Section 3.4")


def _limits(exponent: Fraction) -> list[sp.Expr]:
    """Limits for T -> infinity of the bound of Theorem 1 (K -> infinity) along E = m T^exponent, for gamma = 8 kappa and E."""
    m, root = sp.symbols("m r", positive=True)
    limits = []
    for gamma_of_e in (8 * kappa, E):
        expression = sp.limit(bound, K, sp.oo).subs(gamma, gamma_of_e)
        along = expression.subs(E, m * root**exponent.numerator).subs(T, root**exponent.denominator)
        limits.append(sp.limit(along, root, sp.oo))
    return limits


def _square_part_decides() -> bool:
    """The bound is at least its G^2 part 16 kappa (E-1)^2 G^2/(mu (gamma+T-1)), which grows with E for either gamma."""
    part = 16 * kappa * (E - 1) ** 2 * G2 / (mu * (gamma + T - 1))
    below = nonnegative_on(sp.limit(bound, K, sp.oo) - part, [*RANGES, (gamma, 8, None)])
    # with gamma = E as well, (E-1)^2/(E+T-1) increases in E >= 1
    grows = nonnegative_on(sp.diff((E - 1) ** 2 / (E + T - 1), E), [(T, 1, None), (E, 1, None)])
    return below and grows


def _horizon(exponent: Fraction, vanishes: bool, limit: str = "") -> Evidence:
    """Claim: along E = m T^exponent the bound of Theorem 1 vanishes, or not, or tends to ``limit`` kappa m^2 G^2/mu."""
    limits, m = _limits(exponent), sp.Symbol("m", positive=True)
    numbers = {"limit for gamma = 8 kappa": str(limits[0]), "limit for gamma = E": str(limits[1])}
    claimed = sp.Rational(limit) * kappa * m**2 * G2 / mu if limit else None
    along = f"along E = m T^({exponent})"
    wrong = any((x == 0) != vanishes or (claimed is not None and not is_zero(x - claimed)) for x in limits)
    if not wrong and (vanishes or _square_part_decides()):
        return by_proof(
            f"Exact limits of the bound {along} for both cases of gamma and all other parameters; "
            "for a faster E the G^2 part, which increases in E, is at least as large.",
            examined=2,
            numbers=numbers,
            valid_for="all kappa, mu, L, V, Gamma; G > 0, m > 0",
        )
    at = dict.fromkeys(("kappa", "mu", "L", "V", "Gamma", "G2", "m"), 1)
    claims: list[tuple[str, object]] = [("=" if vanishes else ">", 0), *([] if claimed is None else [("=", claimed)])]
    return by_witness(
        (
            Witness(at, Side("limit of the bound of Theorem 1", found), *claim, (), f"{along}, gamma = {case}")
            for found, case in zip(limits, ("8 kappa", "E"), strict=True)
            for claim in claims
        ),
        method=f"Exact limits of the bound {along} for both cases of gamma.",
        numbers=numbers,
    )


sqrt_t = of_section_34(
    "LI-SQRTT.1",
    headline="With local steps of the order of the root of T the bound of Theorem 1 no longer vanishes",
    statement=r"E = m\sqrt T \Rightarrow \text{bound of Theorem 1} \to 16\kappa m^2G^2/\mu > 0",
    summary="Beyond order sqrt(T) the bound of Theorem 1 no longer vanishes (nor at that order: its limit is 16 kappa "
    "m^2 G^2/mu for E = m sqrt(T)); this is about the printed bound, see LI-STICHIID[the algorithm itself].",
    printed=dict(exponent=Fraction(1, 2), vanishes=False, limit="16"),
    controls=[
        Control("E = T^(12/25) instead: there the bound vanishes", dict(exponent=Fraction(12, 25))),
        Control("limit 16 -> 15.9", dict(limit="159/10")),
    ],
)(_horizon)

stich_bound = of_section_34(
    "LI-STICHIID[guarantee of Theorem 1]",
    statement=r"E = m\sqrt T,\ \Gamma>0 \Rightarrow \text{bound of Theorem 1} \not\to 0",
    summary="E of order sqrt(T) is not covered for non-i.i.d. data: the bound of Theorem 1 does not vanish. Nor does "
    "it for Gamma = 0, since G^2 enters B either way: the contrast to i.i.d. data is Stich's theorem, not this bound.",
    printed=dict(exponent=Fraction(1, 2), vanishes=False),
    controls=[Control("claim that it vanishes", dict(vanishes=True))],
)(_horizon)

stich_below = asymptotic_claim(
    "LI-STICHIID-S1",
    source="sharpens Section 3.4",
    statement=r"\text{bound of Theorem 1} \to 0 \text{ for } E=mT^{2/5},\ \Gamma\ge 0 \text{ arbitrary}",
    headline="Local steps growing slower than the root of the horizon still give convergence",
    summary="Below the order sqrt(T) Theorem 1 does guarantee convergence, for i.i.d. and non-i.i.d. data alike "
    "(shown at T^(2/5)).",
    printed=dict(exponent=Fraction(2, 5), vanishes=True),
    controls=[Control("E = m sqrt(T)", dict(exponent=Fraction(1, 2)))],
)(_horizon)


def _improved_limit(exponent: Fraction) -> sp.Expr:
    """Limit of the improved Theorem 1 (LI-THM1-S2) along E = m T^exponent, with gamma = E."""
    m, root = sp.symbols("m r", positive=True)
    improved = theorems.theorem_1_improved.expression.subs(theorems.gamma, theorems.E)
    along = improved.subs(theorems.E, m * root**exponent.numerator).subs(theorems.T, root**exponent.denominator)
    return sp.limit(along, root, sp.oo)


@asymptotic_claim(
    "LI-STICHIID-R1",
    source="repairs Section 3.4 (LI-STICHIID[the algorithm itself])",
    statement=r"E = m\sqrt T \Rightarrow \text{bound of LI-THM1-S2} \to 0 \text{ for every } \Gamma \text{ (hence the "
    r"gap)}",
    summary="Corrected: E of order sqrt(T) is admissible for non-i.i.d. data, with the step sizes of Theorem 1 and "
    "bounded G.",
    depends=["LI-THM1-S2"],
    printed=dict(exponent=Fraction(1, 2)),
    controls=[Control("E = m T", dict(exponent=Fraction(1)))],
)
def stich_repaired(exponent: Fraction) -> Evidence:
    limit = _improved_limit(exponent)
    if limit == 0:
        return by_proof(
            f"Exact limit of the bound of LI-THM1-S2 along E = m T^({exponent}) with gamma = E (from some T on).",
            valid_for="all kappa, mu, V, Gamma, G, m > 0",
        )
    one = dict.fromkeys(sorted(symbol.name for symbol in limit.free_symbols | {theorems.mu}), 1)
    return by_witness(
        Witness(one, Side("limit of the bound of LI-THM1-S2", limit), "=", 0, (), f"along E = m T^({exponent})")
    )


@asymptotic_claim(
    "LI-EQ8-LARGE",
    headline="When the simplified bound on rounds is right within a factor of two",
    source="D.2",
    statement=r"T \ge \gamma-1 \Rightarrow \tfrac{c}{2T} \le \text{(6)} \le \tfrac cT,\quad c=\lim_{T\to\infty}T\cdot\text{(6)}",
    summary="For T large the formula for T_eps/E is asserted: replacing the bound (6) by its 1/T form is right within a factor "
    "2 once T >= gamma - 1, and not before.",
    printed=dict(start="1", factor="2"),
    controls=[
        Control("T >= 0.99 (gamma - 1)", dict(start="99/100")),
        Control("within a factor 1.99", dict(factor="199/100")),
    ],
)
def large_t(start: str, factor: str) -> Evidence:
    """Claim: c/(factor T) <= (6) <= c/T for T >= start (gamma - 1), c the coefficient of 1/T of (6)."""
    most, more = sp.Rational(factor), sp.Symbol("more")
    coefficient = sp.limit(T * bound, T, sp.oo)
    late = sp.Rational(start) * (gamma - 1) + more
    ranges = (*RANGES[:-1], (gamma, 8, None), (more, 0, None))

    def instances() -> Iterator[Instance]:
        for at_gamma, extra in product((9, 17, 1001), (0, 5)):
            at_t = Fraction(start) * (at_gamma - 1) + extra
            at = {kappa: 1, mu: 1, L: 1, V: 1, Gamma: 1, G2: 1, E: 2, K: 2, gamma: at_gamma}
            value = exact_value(bound, {**at, T: at_t})
            large = exact_value(coefficient, at) / at_t
            text = f"kappa=mu=L=G=V=Gamma=1, E=K=2, gamma={at_gamma}, T={at_t}"
            yield Instance(f"{text}: c/({factor} T) against (6)", large / Fraction(factor), value)
            yield Instance(f"{text}: (6) against c/T", value, large)

    return nonnegative(
        {
            "at least": (sp.factor((bound - coefficient / (most * T)).subs(T, late)), ranges),
            "at most": (sp.factor((coefficient / T - bound).subs(T, late)), ranges),
        },
        instances,
        method="(6) is c/(gamma + T - 1) exactly; (gamma + T - 1)/T lies between 1 and 2 for T >= gamma - 1.",
        valid_for="gamma >= 8, T >= gamma - 1, all other parameters of Theorem 2",
        tightness=Tightness(1.0, Rung.PROOF, "equality at T = gamma - 1"),
    )


if __name__ == "__main__":
    run_script(__file__)
