"""Participation and sampling in the bounds of Li et al. (2020), Section 3.4: dependence on K, and Scheme I against the rest."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import sympy as sp

from fltheory.evidence.decide import undecided
from fltheory.evidence.ends import at_point, by_instance, by_proof
from fltheory.evidence.kinds import qualitative_claim, run_script
from fltheory.evidence.model import Control, Evidence, Rung, Tightness
from fltheory.theory.proofs import Open, nonnegative_on
from verify.li2020.discussion.bounds import G2, B, C, E, Gamma, K, L, V

of_section_34 = qualitative_claim.sharing(source="Section 3.4")
of_the_abstract = qualitative_claim.sharing(source="Abstract, Section 3.4")

_RANGES = [(L, Open(0), None), (V, 0, None), (Gamma, 0, None), (G2, 0, None)]


def _weak_dependence(least_steps: int, constant: Fraction) -> Evidence:
    """Claim: B + C at K = 1 is at most ``constant`` times B (all devices, K -> infinity), for E >= least_steps."""
    slack = constant * B - (B + C.subs(K, 1))
    if nonnegative_on(slack, [*_RANGES, (E, least_steps, None)]):
        return by_proof(
            f"{constant} B - (B + C) has nonnegative coefficients after shifting E >= {least_steps}.",
            valid_for=f"E >= {least_steps}, all other parameters; the bounds of Theorems 2 and 3",
            tightness=Tightness(1.0, Rung.PROOF, "V = Gamma = 0, E = 2, K = 1")
            if (constant, least_steps) == (3, 2)
            else None,
        )
    small = ((0, Fraction(1, 1000)), (Fraction(1, 100), Fraction(1, 100)), (1, 1))
    for e, (v, gamma) in product((least_steps, least_steps + 1), small):
        values = {E: e, V: v, Gamma: gamma, G2: 1, L: 1}
        whole, most = (B + C.subs(K, 1)).subs(values), constant * B.subs(values)
        if whole > most:
            counterexample = f"E={e}, V={v}, Gamma={gamma}, G=1: B+C at K=1 is {whole} > {constant} B = {most}"
            return by_instance("one parameter set", counterexample, margin=float(most / whole - 1))
    return undecided("not proved", 6)


weak_dependence = of_section_34(
    "LI-KWEAK[E >= 2]",
    statement=r"B+C \le 3B \text{ for all } K\ge1,\ E\ge2",
    summary="The bounds depend weakly on K when E >= 2: one device per round costs at most a factor 3 in B + C.",
    printed=dict(least_steps=2, constant=Fraction(3)),
    controls=[Control("factor 3 -> 2.99 (tight at E=2)", dict(constant=Fraction(299, 100)))],
)(_weak_dependence)

dependence_any_e = of_section_34(
    "LI-KWEAK[any E]",
    statement=r"B+C \le cB \text{ for all } K, E\ge1",
    summary="For E = 1 the dependence on K is not weak: C = 4G^2/K against B = sum p_k^2 sigma_k^2 + 6 L Gamma, any "
    "ratio is possible.",
    repair="LI-KWEAK[E >= 2]",
    printed=dict(least_steps=1, constant=Fraction(100)),
    controls=[Control("E >= 2", dict(least_steps=2), must="pass")],
)(_weak_dependence)

_SMALL = "K/N can be small at little cost: by the bounds at most a factor 3 in the constant and none in the rate 1/T"

small_cohorts = of_the_abstract(
    "LI-KSMALL[E >= 2]",
    statement=r"\text{bound}(K=1) \le 3\,\text{bound}(K=N),\ E\ge2",
    summary=f"{_SMALL}, for E >= 2.",
    printed=dict(least_steps=2, constant=Fraction(3)),
    controls=[Control("factor 2.99 (tight at E=2)", dict(constant=Fraction(299, 100)))],
)(_weak_dependence)

small_cohorts_any_e = of_the_abstract(
    "LI-KSMALL[any E]",
    statement=r"\text{bound}(K=1) \le c\,\text{bound}(K=N),\ E\ge1\ (w_1=w^*)",
    summary="For E = 1 no such factor exists in the constant; the rate 1/T is unaffected.",
    repair="LI-KSMALL[E >= 2]",
    printed=dict(least_steps=1, constant=Fraction(100)),
    controls=[Control("E >= 2", dict(least_steps=2), must="pass")],
)(_weak_dependence)


@qualitative_claim(
    "LI-BGGC",
    source="Section 6",
    statement=r"B \ge mC \Rightarrow \frac{B+C}{B} \le 1+\tfrac1m",
    summary="If B is m times C, sampling few devices costs at most a factor 1 + 1/m in the bound.",
    printed=dict(extra=Fraction(1)),
    controls=[Control("1 + 1/m -> 1 + 0.9/m (tight)", dict(extra=Fraction(9, 10)))],
)
def variance_dominates(extra: Fraction) -> Evidence:
    b, c, m = sp.symbols("b c m", positive=True)
    if nonnegative_on((1 + extra / m) - (b + c) / b, [(c, 0, None), (m, 0, None), (b, m * c, None)]):
        return by_proof(
            "Nonnegative coefficients after b = m c + u.",
            valid_for="B >= m C > 0",
            tightness=Tightness(1.0, Rung.PROOF, "equality at B = m C"),
        )
    return at_point("B=C=1, m=1", f"(B+C)/B = 2 > {1 + extra}", margin=float(extra - 1) / 2)


def _bounds_ratio(p: list[Fraction], cohort: int, steps: int, kappa: int) -> tuple[Fraction, Fraction]:
    """Leading 1/T coefficients 2 kappa (B+C)/mu of Theorem 2 and of the transformed Theorem 3, G=1, V=Gamma=0, mu=1."""
    n = len(p)
    nu, small = n * max(p), n * min(p)
    b = 8 * Fraction((steps - 1) ** 2)
    first = 2 * kappa * (b + Fraction(4 * steps**2, cohort))
    c = Fraction(n - cohort, n - 1) * Fraction(4 * steps**2, cohort)
    second = 2 * (kappa * nu / small) * nu * (b + c) / small
    return first, second


@of_section_34(
    "LI-SCHCMP[bounds, any weights]",
    statement=r"\text{1/T part }(V=\Gamma=0,\ w_1=w^*):\ \text{Scheme I} < \text{transformed Scheme II}",
    repair="LI-SCHCMP[bounds, skewed weights]",
    summary="Sampling by p converges faster than uniform sampling, whatever the unequal weights: false by the bounds "
    "for nearly equal ones, where that of transformed Scheme II is the smaller.",
    printed=dict(nonuniform=False),
    controls=[Control("only skewed weights (ratio 4 and more)", dict(nonuniform=True), must="pass")],
)
def scheme_comparison(nonuniform: bool) -> Evidence:
    """Claim: the 1/T coefficient for Scheme I is below that for transformed uniform sampling."""
    skews = [Fraction(4), Fraction(8)] if nonuniform else [Fraction(51, 50), Fraction(2), Fraction(4), Fraction(8)]
    cohorts = [(n, cohort) for n in (2, 3, 5) for cohort in range(1, n)]
    examined = 0
    for examined, ((n, cohort), skew, steps) in enumerate(product(cohorts, skews, (1, 2, 5)), 1):
        p = [weight / (n - 1 + skew) for weight in (skew, *[Fraction(1)] * (n - 1))]
        first, second = _bounds_ratio(p, cohort, steps, 2)
        if first >= second:
            at = f"N={n}, K={cohort}, E={steps}, p={[str(x) for x in p]}, G=1, V=Gamma=0"
            counterexample = f"{at}: 1/T coefficient {first} (Scheme I) against {second} (uniform)"
            margin = float(second / first - 1)
            return by_instance("both bounds evaluated exactly", counterexample, examined=examined, margin=margin)
    why, settles = "both bounds evaluated exactly on a grid of (N, K, E, skew)", "see LI-SCHCMP[bounds, skewed weights]"
    return undecided(why, examined, settles, Rung.EXACT)


@of_section_34(
    "LI-SCHCMP[bounds, skewed weights]",
    statement=r"\frac{\nu^2}{\varsigma^2} \ge 3,\ E\ge2 \Rightarrow \text{bound(Scheme I)} \le "
    r"\text{bound(transformed Scheme II)}",
    summary="For highly non-uniform weights it is right: for E >= 2 and (max p/min p)^2 >= 3 the 1/T part of the "
    "Scheme I bound is below that of transformed Scheme II, for every K (variance and Gamma left out).",
    printed=dict(threshold=Fraction(3)),
    controls=[Control("threshold 3 -> 1", dict(threshold=Fraction(1)))],
)
def scheme_comparison_repaired(threshold: Fraction) -> Evidence:
    # Scheme I: B + C <= B + 4E^2/K; transformed: (nu/varsigma)^2 (B + C'), C' >= 0; B = 8(E-1)^2 with G = 1.
    b, c = 8 * (E - 1) ** 2, 4 * E**2
    if nonnegative_on(threshold * b - (b + c), [(E, 2, None)]):
        return by_proof(
            "threshold*B - (B + C) at K = 1 has nonnegative coefficients after E >= 2; C' >= 0, kappa~ = kappa "
            "nu/varsigma, G~^2 = nu G^2, mu~ = varsigma mu give the factor (nu/varsigma)^2.",
            valid_for="V = Gamma = 0, E >= 2",
        )
    first, second = _bounds_ratio([Fraction(1, 3)] * 3, 2, 2, 2)
    counterexample = f"N=3, K=E=2, p=1/3: 1/T coefficient {first} (Scheme I) > {second} (uniform)"
    return by_instance("equal weights, N=3, K=E=2", counterexample, margin=float(second / first - 1))


if __name__ == "__main__":
    run_script(__file__)
