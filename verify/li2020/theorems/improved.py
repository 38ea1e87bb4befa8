"""Improved Theorems 1, 2, 3: what follows from the sharp one-step lemma (LI-LEM1-S1).

One step: ``Delta_{t+1} <= (1 - eta mu)^2 Delta_t + eta^2 V + d eta^2 (E-1)^2 G^2`` with ``d`` of first order in eta, plus
``eta^2 C`` at the end of a round when the cohort is sampled.  Gamma is gone, and the drift enters with eta^3.  With
``eta_t = 2/(mu x)``, ``x = gamma + t`` and ``y = (x-1)(x-2)`` the product ``y^2 Delta`` grows by
``c (x-1)^2 + h (x-1)^2/x`` per step, and by ``q (x-1)^2`` at the end of each round; the sums are majorised by
``c (x-1)^3/3``, ``h (x-1)^2/2``, ``q (x+E-1)^3/(3E)``.  With full participation all of it is one derivation; that the sampling
variance arises once a round is beyond the kernel, so Theorems 2 and 3 keep steps.
"""

from collections.abc import Callable
from fractions import Fraction

import sympy as sp

from fltheory.evidence.decide import Tried, decide
from fltheory.evidence.derive import by_derivation
from fltheory.evidence.kinds import expectation_claim, run_script
from fltheory.evidence.model import Control, Evidence, Rung, Tightness
from fltheory.evidence.relations import Relations
from fltheory.theory.li2020 import theorems
from fltheory.theory.li2020.theorems import D1, G2, C_scheme_i, C_scheme_ii, E, K, L, N, T, V, theorem_1, theorem_2
from fltheory.theory.states import Link, proves
from verify.li2020 import elsewhere
from verify.li2020.derivations.improved import improved_gap
from verify.li2020.theorems.scalar_runs import FamilyOfRuns, StateOfRun, along, first_excess, library
from verify.li2020.theorems.shared_steps import GAMMA, drift_is_third_order, step_conditions_hold, supposed

_ONE = Fraction(1)
_x, _D, _c, _h, _y1, _m, _E = sp.symbols("x Delta c h y1 m E", nonnegative=True)
_C = {"full": sp.Integer(0), "I": C_scheme_i, "II": C_scheme_ii}
#: the K with which changed claims are tried on clients that are not drawn
_TRIED_K = {"full": 1, "I": 10**4, "II": 2}
_BOUND = {"full": theorems.theorem_1_improved, "I": theorems.theorem_2_improved, "II": theorems.theorem_3_improved}


def _majorant(x: sp.Expr, noise: Fraction, drift: Fraction) -> sp.Expr:
    """What ``y^2 Delta`` stays below: start, noise and drift; the last two scaled by the factors of the claim."""
    return _y1**2 * _D + noise * _c * (x - 1) ** 3 / 3 + drift * _h * (x - 1) ** 2 / 2


def _round_sum(m: sp.Expr, factor: Fraction) -> sp.Expr:
    """Majorant of the sum over rounds of m_n^2, m_{n+1} = m_n + E, up to m_n = m."""
    return factor * (m + _E) ** 3 / (3 * _E)


def _induction(noise: Fraction, drift: Fraction, sampling: Fraction) -> Relations:
    """First and next step in t for full participation, first and next round for the majorant of the sampling terms."""
    x, m, y = _x, _m, (_x - 1) * (_x - 2)
    grown = (x * (x - 1)) ** 2 * ((1 - 2 / x) ** 2 * _majorant(x, noise, drift) / y**2 + _c / x**2 + _h / x**3)
    return Relations(
        f"{_y1**2 * _D} <= {_majorant(x, noise, drift)}; {grown} <= {_majorant(x + 1, noise, drift)}; "
        f"{m**2} <= {_round_sum(m, sampling)}; {_round_sum(m, sampling) + (m + _E) ** 2} <= {_round_sum(m + _E, sampling)} "
        "for Delta >= 0; c >= 0; h >= 0; y1 >= 0; x >= 9; m >= 1; E >= 1"
    )


def _bound(scheme: str, noise: Fraction, drift: Fraction, sampling: Fraction = _ONE) -> sp.Expr:
    """(L/2)(majorants)/y^2 at x = gamma + T, the last round ending at m = gamma + T - 2: the theorem with factors of its parts."""
    x, start, mu = theorems.gamma + T, theorems.gamma * (theorems.gamma - 1), theorems.mu
    constants = {_y1: start, _D: D1, _c: 4 * V / mu**2, _h: 16 * L * (E - 1) ** 2 * G2 / mu**3}
    total = _majorant(x, noise, drift).subs(constants)
    total += 4 * _C[scheme] / mu**2 * _round_sum(x - 2, sampling).subs(_E, E)
    return L / 2 * total / ((x - 1) * (x - 2)) ** 2


def _stated(scheme: str) -> Link:
    """Whether the improved theorem of the scheme has these factors of its noise, drift and sampling."""

    def full(noise: Fraction, drift: Fraction) -> sp.Expr:
        return _bound("full", noise, drift)

    def sampled(noise: Fraction, drift: Fraction, sampling: Fraction) -> sp.Expr:
        return _bound(scheme, noise, drift, sampling)

    return proves(_BOUND[scheme], full if scheme == "full" else sampled, under=supposed(scheme))


def _excess(scheme: str, factors: dict[str, Fraction]) -> str:
    """An exact run above the bound with changed factors, at its own constants."""
    changed = _bound(scheme, **factors)

    def size(run: FamilyOfRuns) -> int:
        return 1 if "K = 1" in run.words else _TRIED_K[scheme]

    def sampled(run: FamilyOfRuns) -> str:
        hidden = scheme == "full" or "K = 1" in run.words
        return "" if hidden else f", {'K' if scheme == 'I' else 'N = K'} = {size(run)}"

    def bound(run: FamilyOfRuns) -> Callable[[StateOfRun], Fraction]:
        # Ten thousand draws leave a cohort variance below 1 % of the gradients' second moment; the mean path is the same,
        # and the mean gap is at least the gap of the mean path (convexity).
        more = sp.Rational(101, 100) if size(run) > 2 else 1
        return along(changed.subs(G2, more * G2), run, {K: size(run), N: 2})

    runs = library(cohorts=scheme != "full")
    return first_excess(runs, bound, sampled=sampled, show=lambda value: f"{float(value):.7f}")


def _full(noise: Fraction, drift: Fraction) -> Evidence:
    """Derived with full participation; a changed bound is exceeded by an exact run."""
    changes = {V: sp.Rational(str(noise)) * V, G2: sp.Rational(str(drift)) * G2}
    found = improved_gap(theorems.theorem_1_improved.expression.subs(changes, simultaneous=True))
    excess = "" if found.certificate else _excess("full", {"noise": noise, "drift": drift, "sampling": _ONE})
    return by_derivation(found, Tried(1, excess), valid_for=_VALID, tightness=_SHARP)


def _sampled(scheme: str, noise: Fraction, drift: Fraction, sampling: Fraction) -> Evidence:
    """The theorem with changed factors: the majorants solve the recursion, else an exact run exceeds the bound."""
    induction = _induction(noise, drift, sampling)
    steps = {
        "induction over t and over rounds": induction.proof[0],
        "drift of third order (sharp Lemma 1 times Lemma 3)": drift_is_third_order(),
        "step-size conditions of the lemmas": step_conditions_hold(1),
    }
    proved = all(steps.values())
    factors = {"noise": noise, "drift": drift, "sampling": sampling}
    return decide(
        (proved, "; ".join(name for name, good in steps.items() if not good)),
        Tried(len(steps), "" if proved else _excess(scheme, factors)),
        method="Induction on t (and on rounds): after multiplication with y^2 the recursion telescopes, and each "
        "increment is absorbed by the majorant (nonnegative coefficients after shifting x >= 9). The recursion is "
        "the rows named under depends.",
        valid_for=f"{_VALID}; T a multiple of E",
        tightness=_SHARP,
        numbers={k: str(v) for k, v in steps.items()},
    )


_VALID = "all N, p, d, E >= 1, T >= 1, 0 < mu <= L, main-text step sizes"
_SHARP = Tightness(
    1.0,
    Rung.EXACT,
    "1/T term of the variance attained as T grows when L = mu; sharpness of drift and sampling terms unknown",
)
_NOISE = Control("leading constant 4/3 -> 0.99 of it (sharp at L = mu as T grows)", dict(noise=Fraction(99, 100)))
_DRIFT = Control("without the drift term", dict(drift=Fraction(0)))
_SAMPLING = Control("sampling term -> 1/5 of it", dict(sampling=Fraction(1, 5)))
_LEMMAS = ["LI-LEM1-S1", "LI-LEM2"]
_SPLIT = ["LI-B3-SPLIT.1", "LI-B3-SPLIT.2"]
_SUMMARY = (
    "the sampling variance C arises once a round, so its part of the bound is C/E, not C; Gamma is gone and the drift "
    "is of order 1/T^2."
)

theorem_1_improved = expectation_claim(
    "LI-THM1-S2",
    source="improves (4), (5)",
    statement=theorems.theorem_1_improved,
    proves=_stated("full"),
    where=GAMMA,
    headline="Theorem 1 without Gamma: client drift falls like 1/T squared, only noise like 1/T",
    summary="Improved Theorem 1: no Gamma; the drift term (E-1)^2 G^2 is of order 1/T^2; the leading term is "
    "2 L/(3 mu^2) sum p_k^2 sigma_k^2 / T, which speeds up with N and is sharp at L = mu (by 1D quadratics at most "
    "kappa loose).",
    elsewhere=elsewhere.DRIFT_ORDER,
    assumptions=[c.words for c in theorem_1.conditions],
    depends=_LEMMAS,
    printed=dict(noise=_ONE, drift=_ONE),
    controls=[_NOISE, _DRIFT],
)(_full)

theorem_2_improved = expectation_claim(
    "LI-THM2-S1",
    source="improves (6)",
    statement=theorems.theorem_2_improved,
    proves=_stated("I"),
    where=GAMMA,
    headline="Theorem 2 without Gamma, and the sampling variance is divided by the local steps",
    summary=f"Improved Theorem 2 (Scheme I): {_SUMMARY}",
    elsewhere=elsewhere.SAMPLED,
    assumptions=[*(c.words for c in theorem_2.conditions), "E divides T"],
    depends=[*_LEMMAS, "LI-LEM3", *_SPLIT, "LI-LEM5-1-S1", "LI-B2-UNB.1"],
    printed=dict(scheme="I", noise=_ONE, drift=_ONE, sampling=_ONE),
    controls=[_NOISE, _DRIFT, _SAMPLING],
)(_sampled)

theorem_3_improved = expectation_claim(
    "LI-THM3-S1",
    source="improves Theorem 3",
    statement=theorems.theorem_3_improved,
    proves=_stated("II"),
    where=GAMMA,
    headline="Theorem 3 without Gamma, and the sampling variance is divided by the local steps",
    summary=f"Improved Theorem 3 (Scheme II, equal weights): {_SUMMARY}",
    elsewhere=elsewhere.SAMPLED,
    assumptions=[*(c.words for c in theorems.theorem_3.conditions), "E divides T"],
    depends=[*_LEMMAS, "LI-LEM3", *_SPLIT, "LI-LEM5-2-S1", "LI-B2-UNB.2"],
    printed=dict(scheme="II", noise=_ONE, drift=_ONE, sampling=_ONE),
    controls=[_NOISE, _DRIFT, _SAMPLING],
)(_sampled)


if __name__ == "__main__":
    run_script(__file__)
