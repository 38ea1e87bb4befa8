"""Participation and sampling in the bounds of Li et al. (2020), Section 3.4: dependence on K, and Scheme I against the rest."""

from fractions import Fraction
from functools import partial
from itertools import product

import sympy as sp

from fltheory.evidence.algebra import statement_of_algebra
from fltheory.evidence.ends import nonnegative, tried
from fltheory.evidence.kinds import qualitative_claim, run_script
from fltheory.evidence.model import Control, Evidence, Rung, Tightness, Unprinted
from fltheory.evidence.relations import Relations
from fltheory.evidence.witness import Side, Witness
from fltheory.theory.bound import Bound
from fltheory.theory.li2020 import theorems
from fltheory.theory.proofs import Open
from verify.li2020.discussion.bounds import G2, B, C, E, Gamma, K, L, V

of_section_34 = qualitative_claim.sharing(source="Section 3.4")
of_the_abstract = qualitative_claim.sharing(source="Abstract, Section 3.4")

_RANGES = [(L, Open(0), None), (V, 0, None), (Gamma, 0, None), (G2, 0, None)]


def _weak_dependence(least_steps: int, constant: Fraction, prose: str = "") -> Evidence:
    """Claim: B + C is at most ``constant`` times B (all devices, K -> infinity), for K >= 1 and E >= least_steps."""
    small = ((0, Fraction(1, 1000)), (Fraction(1, 100), Fraction(1, 100)), (1, 1))
    sides = Side("B + C", B + C), Side(f"{constant} B", constant * B)
    return nonnegative(
        {"": (constant * B - (B + C), [*_RANGES, (E, least_steps, None), (K, 1, None)])},
        tried(
            Witness({E: e, V: v, Gamma: gap, G2: 1, L: 1, K: 1}, sides[0], "<=", sides[1], [(E, ">=", least_steps)])
            for e, (v, gap) in product((least_steps, least_steps + 1), small)
        ),
        method=f"Sign of {constant} B - (B + C) for K >= 1, E >= {least_steps}.",
        prose=prose,
        valid_for=f"E >= {least_steps}, all other parameters; the bounds of Theorems 2 and 3",
        tightness=Tightness(1.0, Rung.PROOF, "V = Gamma = 0, E = 2, K = 1")
        if (constant, least_steps) == (3, 2)
        else None,
    )


_E_1 = Control("E = 1, factor 100", dict(least_steps=1, constant=Fraction(100)))
_LOCAL = Unprinted("E >= 2", _E_1.name)

weak_dependence = of_section_34(
    "LI-KWEAK",
    headline="In the bounds the number of devices per round matters little from two local steps on",
    statement=r"B+C \le 3B \text{ for all } K\ge1,\ E\ge2",
    summary="The bounds depend weakly on K when E >= 2: one device per round costs at most a factor 3 in B + C. For "
    "E = 1 they do not: C = 4G^2/K against B = sum p_k^2 sigma_k^2 + 6 L Gamma, any ratio is possible.",
    printed=dict(least_steps=2, constant=Fraction(3)),
    controls=[Control("factor 3 -> 2.99 (tight at E=2)", dict(constant=Fraction(299, 100))), _E_1],
    unprinted=_LOCAL,
)(_weak_dependence)

_SMALL = "K/N can be small at little cost: by the bounds at most a factor 3 in the constant and none in the rate 1/T"

small_cohorts = of_the_abstract(
    "LI-KSMALL",
    headline="In the bounds a small share of devices costs at most a factor three, from E = 2 on",
    statement=r"\text{bound}(K=1) \le 3\,\text{bound}(K=N),\ E\ge2",
    summary=f"{_SMALL}, for E >= 2. For E = 1 no such factor exists in the constant; the rate 1/T is unaffected.",
    printed=dict(least_steps=2, constant=Fraction(3)),
    controls=[Control("factor 2.99 (tight at E=2)", dict(constant=Fraction(299, 100))), _E_1],
    unprinted=_LOCAL,
)(partial(_weak_dependence, prose="both bounds have the same factor and start term; C of K = N is at least 0"))


variance_dominates = statement_of_algebra(
    "LI-BGGC",
    Relations(
        "factor*(2*(B + C)/mu + mu*gamma/2*D1) <= (1 + 1/m)*factor*(2*B/mu + mu*gamma/2*D1) "
        "for mu > 0; L >= mu; gamma >= 8*L/mu; T >= 1; D1 >= 0; C > 0; m > 0; B >= m*C; factor = L/mu/(gamma + T - 1)",
        names={"mu": r"\mu", "gamma": r"\gamma", "D1": r"\mathbb{E}\|w_1-w^*\|^2"},
    ),
    says=r"\text{(6) against (4):}\quad ",
    false={"1 + 1/m -> 1 + 0.9/m (tight)": ("(1 + 1/m)", "(1 + 9/(10*m))")},
    group=qualitative_claim,
    source="Section 6",
    summary="If B is m times C, sampling few devices costs at most a factor 1 + 1/m in the bound.",
    tightness=Tightness(1.0, Rung.PROOF, "equality at B = m C"),
)


def _leading(theorem: Bound) -> sp.Expr:
    """The coefficient of 1/T of a theorem's bound at V = Gamma = 0, w_1 = w*."""
    expression = theorem.expression.subs({theorems.D1: 0, theorems.V: 0, theorems.Gamma: 0})
    return sp.cancel(expression * (theorems.gamma + theorems.T - 1))


#: (max p/min p)^2 = (nu/varsigma)^2, and the coefficients for Scheme I and for the transformed objectives under Scheme II.
SQUARE = sp.Symbol("square", positive=True)
_q, _small = sp.symbols("q varsigma", positive=True)
_TRANSFORMED = {
    theorems.L: _q * _small * theorems.L,
    theorems.mu: _small * theorems.mu,
    theorems.G2: _q * _small * theorems.G2,
}
SCHEME_I = _leading(theorems.theorem_2)
SCHEME_II = sp.cancel(_leading(theorems.theorem_3).subs(_TRANSFORMED, simultaneous=True)).subs(_q, sp.sqrt(SQUARE))


def _least_ratio(square: Fraction, denominator: int) -> Fraction:
    """The smallest fraction of this denominator that exceeds 1 and has at least this square."""
    numerator = denominator + 1
    while Fraction(numerator, denominator) ** 2 < square:
        numerator += 1
    return Fraction(numerator, denominator)


def scheme_comparison(square: str, least_steps: int) -> Evidence:
    """Claim: for unequal weights with (max p/min p)^2 >= square, E >= least_steps, the coefficient of Scheme I is the smaller."""
    least, gap = Fraction(square), (SCHEME_II - SCHEME_I) / (theorems.L * theorems.G2 / theorems.mu**2)
    more, others = sp.symbols("more others", nonnegative=True)
    differences = {
        name: (
            sp.cancel(gap.subs({SQUARE: sp.Rational(square) + more, theorems.N: theorems.K + 1 + others}).subs(cohort)),
            ((theorems.K, 3, None), (others, 0, None), (more, 0, None), (theorems.E, least_steps, None))[len(cohort) :],
        )
        for name, cohort in {"K = 1": {theorems.K: 1}, "K = 2": {theorems.K: 2}, "K >= 3": {}}.items()
    }

    sizes = [(n, cohort) for n in range(2, 5) for cohort in range(1, n)]
    cases = [
        (n, cohort, local, _least_ratio(least, denominator))
        for (n, cohort), local, denominator in product(sizes, (1, 2), (12, 1000))
        if local >= least_steps
    ]

    def witness(case: tuple[int, int, int, Fraction]) -> Witness:
        n, cohort, local, ratio = case
        at = {theorems.N: n, theorems.K: cohort, theorems.E: local, SQUARE: ratio**2}
        setting = f"one weight {ratio} times the others, V=Gamma=0: coefficients of 1/T"
        sides = Side("Scheme I", SCHEME_I), "<=", Side("transformed Scheme II", SCHEME_II)
        given = [(SQUARE, ">", 1), (SQUARE, ">=", sp.Rational(square)), (theorems.K, "<", theorems.N)]
        return Witness({**at, theorems.L: 1, theorems.mu: 1, theorems.G2: 1}, *sides, given, setting)

    return nonnegative(
        differences,
        tried(map(witness, cases)),
        method="Coefficients of 1/T of Theorem 2 and of Theorem 3 with L~ = nu L, mu~ = varsigma mu, G~^2 = nu G^2; the second "
        "depends on the weights through (nu/varsigma)^2 only. Signs of their difference, K = 1, K = 2 and K >= 3 apart.",
        valid_for=f"V = Gamma = 0, w_1 = w*, 1 <= K < N, E >= {least_steps}, (max p/min p)^2 >= {square}",
        tightness=Tightness(1.0, Rung.PROOF, "equality at N = 4, K = 3, E = 2") if square == "15/11" else None,
    )


any_weights = of_section_34(
    "LI-SCHCMP[bounds, any weights]",
    fault="missing hypothesis",
    statement=r"\text{1/T part }(V=\Gamma=0,\ w_1=w^*):\ \text{Scheme I} < \text{transformed Scheme II}",
    repair="LI-SCHCMP[bounds, skewed weights]",
    headline="With two or more clients a round, nearly equal weights favour uniform sampling's bound",
    summary="Sampling by p converges faster than uniform sampling, whatever the unequal weights: false by the bounds "
    "for 2 <= K < N and nearly equal weights, where that of transformed Scheme II is the smaller (for K = 1 Scheme I's is the "
    "smaller, whatever the unequal weights).",
    printed=dict(square="1", least_steps=1),
    controls=[Control("E >= 2 and (max p/min p)^2 >= 15/11", dict(square="15/11", least_steps=2), must="pass")],
)(scheme_comparison)

skewed_weights = of_section_34(
    "LI-SCHCMP[bounds, skewed weights]",
    headline="Noise aside, clearly unequal weights and several local steps favour sampling by weight",
    statement=r"\text{1/T part }(V=\Gamma=0,\ w_1=w^*):\ \frac{\nu^2}{\varsigma^2} \ge \tfrac{15}{11},\ E\ge2,\ K<N "
    r"\Rightarrow \text{Scheme I} \le \text{transformed Scheme II}",
    summary="For non-uniform weights it is right: for E >= 2 and (max p/min p)^2 >= 15/11 the 1/T part of the "
    "Scheme I bound is at most that of transformed Scheme II, for every K < N (variance and Gamma left out).",
    printed=dict(square="15/11", least_steps=2),
    controls=[
        Control("threshold 15/11 -> 1.36 (fails at N=4, K=3, E=2)", dict(square="34/25")),
        Control("E >= 1", dict(least_steps=1)),
    ],
)(scheme_comparison)


if __name__ == "__main__":
    run_script(__file__)
