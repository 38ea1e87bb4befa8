"""Theorems 1, 2, 3 of Li et al. (2020), in both printed indexings, and the recursion solved instead of majorised.

The bound's own expression is derived (:mod:`verify.li2020.derivations.theorems`); a changed one is not, and is refuted by an
exact run whose own G^2, V and C stand in it.
"""

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction

import sympy as sp

from fltheory.evidence.decide import Tried
from fltheory.evidence.derive import by_derivation
from fltheory.evidence.kinds import expectation_claim, run_script
from fltheory.evidence.model import Control, Evidence, Rung, Tightness, Unprinted
from fltheory.theory.li2020 import theorems
from fltheory.theory.li2020.theorems import D1, C_scheme_i, C_scheme_ii, E, K, L, T, theorem_1
from fltheory.theory.states import Link, proves
from verify.li2020 import elsewhere
from verify.li2020.derivations.theorems import gap
from verify.li2020.theorems.scalar_runs import FamilyOfRuns, StateOfRun, along, first_excess, library, one_curvature
from verify.li2020.theorems.shared_steps import GAMMA, constant, supposed

#: index shift: the main text prints eta_t = 2/(mu(gamma+t)), Appendix A.3 eta_t = 2/(mu(gamma-1+t)); t starts at 1
_SHIFT = {"main text": 1, "appendix": 0}
#: sampling: C of the scheme, and the K with which the changed claim is tried (N = K = 2 identical clients for Scheme II)
_C = {"full": sp.Integer(0), "I": C_scheme_i, "II": C_scheme_ii}
_BOUND = {"full": theorem_1, "I": theorems.theorem_2, "II": theorems.theorem_3}
_TRIED_K = {"full": 1, "I": 10**4, "II": 2}
#: so many clients share one sample where independence is dropped
_MANY = 16


def _stated(scheme: str) -> Link:
    """Whether the theorem of the scheme is (4) with these factors of its noise and start."""

    def form(start: Fraction, noise: Fraction) -> sp.Expr:
        gamma, mu = sp.Max(8 * L / theorems.mu, E), theorems.mu
        parts = 2 * sp.Rational(noise) * constant(scheme) / mu + sp.Rational(start) * mu * gamma / 2 * D1
        return L / mu / (gamma + T - 1) * parts

    return proves(_BOUND[scheme], form, under=supposed(scheme))


def _solved(scheme: str) -> Link:
    """Whether the sharpened theorem of the scheme is the solved recursion with this factor of its noise."""

    def form(noise: Fraction) -> sp.Expr:
        gamma, mu = sp.Max(8 * L / theorems.mu, E), theorems.mu
        parts = gamma * (gamma - 1) * D1 + 4 * sp.Rational(noise) * constant(scheme) / mu**2 * (T - 1)
        return L / 2 * parts / ((gamma + T - 1) * (gamma + T - 2))

    sharpened = {
        "full": theorems.theorem_1_sharpened,
        "I": theorems.theorem_2_sharpened,
        "II": theorems.theorem_3_sharpened,
    }
    return proves(sharpened[scheme], form, under=supposed(scheme))


def _show(value: Fraction) -> str:
    return str(value) if len(str(value)) < 16 else f"{float(value):.6f}"


def _one_sample_for_all(run: FamilyOfRuns) -> FamilyOfRuns:
    """The same run as one of many equal clients with one sample for all: the bound has 1/N of the noise that moves the mean."""
    words = f"{run.words}, the average of N = {_MANY} equal clients that all draw the same sample"
    return replace(run, words=words, variance=run.variance / _MANY)


def _theorem(indexing: str, scheme: str, start: Fraction, noise: Fraction, independent: bool) -> Evidence:
    """The bound with changed factors is derived, else an exact run exceeds it."""
    shift = _SHIFT[indexing]
    changed = scaled(_BOUND[scheme].expression, start, noise)
    found = gap(changed, scheme, str(shift - 1), independent=independent)
    tried_k = _TRIED_K[scheme] if independent or scheme == "I" else _MANY
    sampled = {"full": "", "I": f", K = {tried_k} draws", "II": f", N = K = {tried_k}"}[scheme]
    runs = [] if found.certificate else [run for run in library(shift) if run.local_steps == 1]
    runs = runs if independent else [_one_sample_for_all(run) for run in runs if run.variance]
    sizes = {K: tried_k, theorems.N: max(2, tried_k)}

    excess = first_excess(runs, lambda run: along(changed, run, sizes), sampled=lambda run: sampled, show=_show)
    return by_derivation(
        found,
        Tried(1, excess),
        valid_for="all N, p, d, E >= 1, T >= 1, 0 < mu <= L; first step t = 1",
        tightness=Tightness(
            1.0,
            Rung.EXACT,
            "equality at T = 1 (F = (L/2) w^2). As T grows: variance term loose by 3 at L = mu, Gamma and drift "
            "of lower order, C loose by 3E (LI-THM1-S2, LI-THM2-S1)",
        ),
    )


def scaled(bound: sp.Expr, start: Fraction, noise: Fraction) -> sp.Expr:
    """The bound with its start term and its noise term times the factors; it is linear in what they are made of."""
    factors = {D1: start, **dict.fromkeys((theorems.V, theorems.Gamma, theorems.G2), noise)}
    changes = {symbol: sp.Rational(str(factor)) * symbol for symbol, factor in factors.items()}
    return bound.subs(changes, simultaneous=True)


ONE = Fraction(1)
_ONE_SAMPLE = Control("all devices draw the same sample", dict(independent=False))
theorem_claim = expectation_claim.sharing(
    controls=[
        Control("start term mu gamma/2 -> 0.99 mu gamma/2 (tight at T=1)", dict(start=Fraction(99, 100))),
        Control("noise term times 0.33 (1/3 is the large-T ratio at L = mu)", dict(noise=Fraction(33, 100))),
        _ONE_SAMPLE,
    ],
    unprinted=Unprinted("the samples of different devices are independent", _ONE_SAMPLE.name),
)
_STEPS = ("LI-B3-SPLIT", "LI-B3-NS", "LI-EQ25", "LI-B3-FIN")
_WORDS, *_WORDS_SAMPLED = ([c.words for c in bound.conditions] for bound in _BOUND.values())
theorem_1_claim = theorem_claim.sharing(
    statement=theorem_1,
    proves=_stated("full"),
    where=GAMMA,
    proof_steps=("LI-EQ13", "LI-IND0", "LI-IND1", "LI-IND2", "LI-A3-SMOOTH", "LI-A3-LR", "LI-A3-V", "LI-A3-FIN"),
)

theorem_1_main = theorem_1_claim(
    "LI-THM1[main-text step sizes]",
    headline="FedAvg with all clients has error of order 1/T on strongly convex problems",
    summary="With full participation the gap at step T is at most kappa/(gamma+T-1)(2B/mu + mu gamma/2 E|w_1-w*|^2), "
    "with eta_t = 2/(mu(gamma+t)) counted from t = 1.",
    source="Theorem 1, (4), (5)",
    assumptions=_WORDS,
    printed=dict(indexing="main text", scheme="full", start=ONE, noise=ONE, independent=True),
)(_theorem)

theorem_1_appendix = theorem_1_claim(
    "LI-THM1[appendix step sizes]",
    headline="FedAvg with all clients has error of order 1/T with the appendix's step sizes too",
    summary="The bound of Theorem 1 holds with the step sizes of Appendix A.3 too, eta_t = 2/(mu(gamma-1+t)), t from 1.",
    source="Theorem 1 with Appendix A.3",
    assumptions=[*_WORDS[:-1], "eta_t = 2/(mu (gamma - 1 + t)) with gamma = max{8 L/mu, E}, first step t = 1"],
    printed=dict(indexing="appendix", scheme="full", start=ONE, noise=ONE, independent=True),
)(_theorem)

theorem_2 = theorem_claim(
    "LI-THM2",
    statement=theorems.theorem_2,
    proves=_stated("I"),
    where=GAMMA,
    headline="FedAvg with K sampled clients (with replacement) has error of order 1/T",
    summary="Under Scheme I the bound of Theorem 1 holds with B + C in place of B, C = 4 E^2 G^2 / K.",
    source="Theorem 2, (6)",
    assumptions=_WORDS_SAMPLED[0],
    depends=["LI-EQ25.1"],
    proof_steps=("LI-LEM4-KEY", "LI-LEM5-1", *_STEPS),
    printed=dict(indexing="main text", scheme="I", start=ONE, noise=ONE, independent=True),
)(_theorem)

theorem_3 = theorem_claim(
    "LI-THM3",
    statement=theorems.theorem_3,
    proves=_stated("II"),
    where=GAMMA,
    headline="FedAvg with a uniform subset of K clients has error of order 1/T",
    summary="Scheme II with equal weights: the bound with C = ((N-K)/(N-1)) 4 E^2 G^2 / K (N >= 2; K = N gives C = 0).",
    source="Theorem 3",
    assumptions=_WORDS_SAMPLED[1],
    depends=["LI-EQ25.2"],
    proof_steps=("LI-LEM4-KEY", "LI-LEM5-2", *_STEPS),
    printed=dict(indexing="main text", scheme="II", start=ONE, noise=ONE, independent=True),
)(_theorem)


@expectation_claim(
    "LI-THM1-S1",
    statement=theorems.theorem_1_sharpened,
    proves=[_solved(scheme) for scheme in _C],
    where=GAMMA,
    headline="Theorem 1 with the recursion solved: the start is forgotten like 1/T squared",
    summary="Sharpened Theorem 1 (and 2, 3 with B + C): solving the recursion, the start is forgotten like 1/T^2, so "
    "the term mu gamma/2 E|w_1-w*|^2 leaves the 1/T part of the bound.",
    elsewhere=elsewhere.SOLVED,
    source="sharpens (4) and (6)",
    assumptions=_WORDS,
    depends=["LI-EQ25.1", "LI-EQ25.2"],
    printed=dict(noise=Fraction(1)),
    controls=[
        Control("noise constant 4 R/mu^2 -> 0.99 of it (sharp at T = 2 as kappa grows)", dict(noise=Fraction(99, 100)))
    ],
)
def theorem_1_sharpened(noise: Fraction) -> Evidence:
    """Derived for all three schemes; where a changed one fails at T = 2, only the first noise counts."""
    bounds = theorems.theorem_1_sharpened, theorems.theorem_2_sharpened, theorems.theorem_3_sharpened
    parts = [gap(scaled(one.expression, ONE, noise), name, solved=True) for name, one in zip(_C, bounds, strict=True)]
    proved = all(part.certificate for part in parts)

    def first_noise(run: FamilyOfRuns) -> Callable[[StateOfRun], Fraction]:
        return along(scaled(theorems.theorem_1_sharpened.expression, sp.S.Zero, noise).subs(theorems.G2, 0), run, {})

    # gamma = 8 kappa large makes the constant sharp
    runs = [] if proved else [one_curvature(20, 20, 0, 1, steps=10)]
    return by_derivation(
        parts,
        Tried(1, first_excess(runs, first_noise, show=_show)),
        valid_for="all N, p, d, E >= 1, T >= 1, 0 < mu <= L, main-text step sizes",
    )


if __name__ == "__main__":
    run_script(__file__)
