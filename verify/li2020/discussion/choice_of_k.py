"""Participation and sampling in the bounds of Li et al. (2020), Section 3.4: dependence on K, and Scheme I against the rest."""

from __future__ import annotations

from fractions import Fraction

import sympy as sp

from fltheory.evidence.decide import undecided
from fltheory.evidence.model import Control, Evidence, Kind, Outcome, Rung, Scope, Tightness, claim
from fltheory.theory.proofs import Open, nonnegative_on
from verify.li2020.discussion.bounds import G2, B, C, E, Gamma, K, L, V

_RANGES = [(L, Open(0), None), (V, 0, None), (Gamma, 0, None), (G2, 0, None)]


def _weak_dependence(least_steps: int, constant: Fraction) -> Evidence:
    """Claim: B + C at K = 1 is at most ``constant`` times B (all devices, K -> infinity), for E >= least_steps."""
    slack = constant * B - (B + C.subs(K, 1))
    if nonnegative_on(slack, [*_RANGES, (E, least_steps, None)]):
        return Evidence(
            Rung.PROOF,
            Outcome.HOLDS,
            f"{constant} B - (B + C) has nonnegative coefficients after shifting E >= {least_steps}.",
            examined=1,
            valid_for=f"E >= {least_steps}, all other parameters; the bounds of Theorems 2 and 3",
            tightness=Tightness(1.0, Rung.PROOF, "V = Gamma = 0, E = 2, K = 1")
            if (constant, least_steps) == (3, 2)
            else None,
        )
    for e in (least_steps, least_steps + 1):
        for v, gamma in (
            (Fraction(0), Fraction(1, 1000)),
            (Fraction(1, 100), Fraction(1, 100)),
            (Fraction(1), Fraction(1)),
        ):
            values = {E: e, V: v, Gamma: gamma, G2: 1, L: 1}
            whole, base = (B + C.subs(K, 1)).subs(values), B.subs(values)
            if whole > constant * base:
                return Evidence(
                    Rung.EXACT,
                    Outcome.REFUTED,
                    "one parameter set",
                    examined=1,
                    margin=float(constant * base / whole - 1),
                    counterexample=f"E={e}, V={v}, Gamma={gamma}, G=1: B+C at K=1 is {whole} > {constant} B = "
                    f"{constant * base}",
                )
    return undecided("not proved", 6)


weak_dependence = claim(
    "LI-KWEAK[E >= 2]",
    kind=Kind.QUALITATIVE,
    scope=Scope.GENERAL,
    source="Section 3.4",
    statement=r"B+C \le 3B \text{ for all } K\ge1,\ E\ge2",
    summary="The bounds depend weakly on K when E >= 2: one device per round costs at most a factor 3 in B + C.",
    printed=dict(least_steps=2, constant=Fraction(3)),
    controls=[Control("factor 3 -> 2.99 (tight at E=2)", dict(constant=Fraction(299, 100)))],
)(_weak_dependence)


dependence_any_e = claim(
    "LI-KWEAK[any E]",
    kind=Kind.QUALITATIVE,
    scope=Scope.GENERAL,
    source="Section 3.4",
    statement=r"B+C \le cB \text{ for all } K, E\ge1",
    summary="For E = 1 the dependence on K is not weak: C = 4G^2/K against B = sum p_k^2 sigma_k^2 + 6 L Gamma, any "
    "ratio is possible.",
    repair="LI-KWEAK[E >= 2]",
    printed=dict(least_steps=1, constant=Fraction(100)),
    controls=[Control("E >= 2", dict(least_steps=2), must="pass")],
)(_weak_dependence)


_SMALL = "K/N can be small at little cost: by the bounds at most a factor 3 in the constant and none in the rate 1/T"


small_cohorts = claim(
    "LI-KSMALL[E >= 2]",
    kind=Kind.QUALITATIVE,
    scope=Scope.GENERAL,
    source="Abstract, Section 3.4",
    statement=r"\text{bound}(K=1) \le 3\,\text{bound}(K=N),\ E\ge2",
    summary=f"{_SMALL}, for E >= 2.",
    printed=dict(least_steps=2, constant=Fraction(3)),
    controls=[Control("factor 2.99 (tight at E=2)", dict(constant=Fraction(299, 100)))],
)(_weak_dependence)


small_cohorts_any_e = claim(
    "LI-KSMALL[any E]",
    kind=Kind.QUALITATIVE,
    scope=Scope.GENERAL,
    source="Abstract, Section 3.4",
    statement=r"\text{bound}(K=1) \le c\,\text{bound}(K=N),\ E\ge1\ (w_1=w^*)",
    summary="For E = 1 no such factor exists in the constant; the rate 1/T is unaffected.",
    repair="LI-KSMALL[E >= 2]",
    printed=dict(least_steps=1, constant=Fraction(100)),
    controls=[Control("E >= 2", dict(least_steps=2), must="pass")],
)(_weak_dependence)


@claim(
    "LI-BGGC",
    kind=Kind.QUALITATIVE,
    scope=Scope.GENERAL,
    source="Section 6",
    statement=r"B \ge mC \Rightarrow \frac{B+C}{B} \le 1+\tfrac1m",
    summary="If B is m times C, sampling few devices costs at most a factor 1 + 1/m in the bound.",
    printed=dict(extra=Fraction(1)),
    controls=[Control("1 + 1/m -> 1 + 0.9/m (tight)", dict(extra=Fraction(9, 10)))],
)
def variance_dominates(extra: Fraction) -> Evidence:
    b, c, m = sp.symbols("b c m", positive=True)
    if nonnegative_on((1 + extra / m) - (b + c) / b, [(c, 0, None), (m, 0, None), (b, m * c, None)]):
        return Evidence(
            Rung.PROOF,
            Outcome.HOLDS,
            "Nonnegative coefficients after b = m c + u.",
            examined=1,
            valid_for="B >= m C > 0",
            tightness=Tightness(1.0, Rung.PROOF, "equality at B = m C"),
        )
    return Evidence(
        Rung.EXACT,
        Outcome.REFUTED,
        "m=1, B=C=1",
        examined=1,
        margin=float(extra - 1) / 2,
        counterexample=f"B=C=1, m=1: (B+C)/B = 2 > {1 + extra}",
    )


def _bounds_ratio(p: list[Fraction], cohort: int, steps: int, kappa: int) -> tuple[Fraction, Fraction]:
    """Leading 1/T coefficients 2 kappa (B+C)/mu of Theorem 2 and of the transformed Theorem 3, G=1, V=Gamma=0, mu=1."""
    n = len(p)
    nu, small = n * max(p), n * min(p)
    b = 8 * Fraction((steps - 1) ** 2)
    first = 2 * kappa * (b + Fraction(4 * steps**2, cohort))
    c = Fraction(n - cohort, n - 1) * Fraction(4 * steps**2, cohort)
    second = 2 * (kappa * nu / small) * nu * (b + c) / small
    return first, second


@claim(
    "LI-SCHCMP[bounds, any weights]",
    kind=Kind.QUALITATIVE,
    scope=Scope.GENERAL,
    source="Section 3.4",
    statement=r"\text{1/T part }(V=\Gamma=0,\ w_1=w^*):\ \text{Scheme I} < \text{transformed Scheme II}",
    repair="LI-SCHCMP[bounds, skewed weights]",
    summary="Sampling by p converges faster than uniform sampling, whatever the unequal weights: false by the bounds "
    "for nearly equal ones, where that of transformed Scheme II is the smaller.",
    printed=dict(nonuniform=False),
    controls=[Control("only skewed weights (ratio 4 and more)", dict(nonuniform=True), must="pass")],
)
def scheme_comparison(nonuniform: bool) -> Evidence:
    """Claim: the 1/T coefficient for Scheme I is below that for transformed uniform sampling."""
    examined = 0
    for n in (2, 3, 5):
        for cohort in range(1, n):
            for skew in (Fraction(51, 50), Fraction(2), Fraction(4), Fraction(8)):
                if nonuniform and skew < 4:
                    continue
                total = n - 1 + skew
                p = [skew / total] + [1 / total] * (n - 1)
                for steps in (1, 2, 5):
                    first, second = _bounds_ratio(p, cohort, steps, 2)
                    examined += 1
                    if first >= second:
                        return Evidence(
                            Rung.EXACT,
                            Outcome.REFUTED,
                            "both bounds evaluated exactly",
                            examined=examined,
                            margin=float(second / first - 1),
                            counterexample=f"N={n}, K={cohort}, E={steps}, p={[str(x) for x in p]}, G=1, V=Gamma=0: "
                            f"1/T coefficient {first} (Scheme I) against {second} (uniform)",
                        )
    return Evidence(
        Rung.EXACT,
        Outcome.NOT_REFUTED,
        "both bounds evaluated exactly on a grid of (N, K, E, skew)",
        examined=examined,
        would_settle="see LI-SCHCMP[bounds, skewed weights]",
    )


@claim(
    "LI-SCHCMP[bounds, skewed weights]",
    kind=Kind.QUALITATIVE,
    scope=Scope.GENERAL,
    source="Section 3.4",
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
        return Evidence(
            Rung.PROOF,
            Outcome.HOLDS,
            "threshold*B - (B + C) at K = 1 has nonnegative coefficients after E >= 2; C' >= 0, kappa~ = kappa "
            "nu/varsigma, G~^2 = nu G^2, mu~ = varsigma mu give the factor (nu/varsigma)^2.",
            examined=1,
            valid_for="V = Gamma = 0, E >= 2",
        )
    first, second = _bounds_ratio([Fraction(1, 3)] * 3, 2, 2, 2)
    return Evidence(
        Rung.EXACT,
        Outcome.REFUTED,
        "equal weights, N=3, K=E=2",
        examined=1,
        margin=float(second / first - 1),
        counterexample=f"N=3, K=E=2, p=1/3: 1/T coefficient {first} (Scheme I) > {second} (uniform)",
    )


if __name__ == "__main__":
    from fltheory.evidence.runner import run_script

    run_script(__file__)
