"""Theorem 1 of the lecture note: statement, sharper constants, and the conditions that it does and does not need.

The whole bound is proved from the descent lemma, uncorrelated noises, smoothness of the clients and the client drift
(mean/deviation splitting over clients and over steps, induction over the steps), for the code as printed in the note
and for rounds of K local steps.  Averaging the drift over the clients gains a factor of four.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import partial
from typing import Any

import sympy as sp

from fltheory.derivation.statement import with_coefficients
from fltheory.evidence.decide import decide
from fltheory.evidence.derive import by_derivation
from fltheory.evidence.ends import by_proof, by_witness
from fltheory.evidence.kinds import asymptotic_claim, definition_claim, expectation_claim, qualitative_claim, run_script
from fltheory.evidence.limits import unbounded
from fltheory.evidence.model import Control, Evidence, Rung, Unprinted
from fltheory.evidence.tight import against_the_best
from fltheory.theory.lecture2022 import bounds
from fltheory.theory.lecture2022.bounds import G, K, L, T, gap, s, sigma, sigma_G, theorem_1, theorem_1_averaged
from fltheory.theory.lecture2022.vocabulary import LectureBound
from fltheory.theory.proofs import nonnegative_on
from fltheory.theory.states import proves
from fltheory.theory.steps import Instance, Proof
from verify.lecture2022 import derivations, elsewhere
from verify.lecture2022.descent import prove_for_every_step, prove_theorem_1
from verify.lecture2022.drift import PERIOD_SQUARES
from verify.lecture2022.instances import InstanceOfAssumptions, drawn, on_a_clipped_line, settings

of_theorem_1 = expectation_claim.sharing(source="Theorem 1")

METHOD = (
    "Exact certificates for one step, the drift and the final sum; scalars stand for vectors (Gram identity), averages "
    "over clients are split into mean and deviation, the steps are summed by induction, noise enters by zero cross "
    "moments."
)
DERIVED = "Line by line: drift, one step by the descent inequality and polarisation, independent noises, the sum over the steps"
GENERAL = "all N, K, T, d, all L-smooth clients bounded below on average, 0 < s <= 1/L, uncorrelated client noises"
STEPS = "P1 MEAN P3a P3b P3c P4 P4a P7 P7a P7b LEM1 P8 P8-ARG PCOND PFIN PSUM"
CODES = ("printed", "FedAvg")


def judge(
    right: Mapping[str, sp.Expr],
    *,
    independent: bool = True,
    periods: bool = False,
    covariance: sp.Expr | None = None,
    more: tuple[InstanceOfAssumptions, ...] = (),
    method: str = METHOD,
    **words: Any,
) -> Evidence:
    """Proof and instances of the bound for each code; noises that are not independent may be equal for all clients.

    ``covariance`` of two clients' noises, if given, replaces the one that follows from ``independent``; ``more`` are
    instances besides the usual ones.
    """
    if covariance is None:
        covariance = sp.Integer(0) if independent else sigma**2
    proofs = [prove_theorem_1(bound, c, periods=periods, covariance=covariance) for c, bound in right.items()]
    steps = tuple(step for proof in proofs for step in proof.steps)
    tried = {code: (*settings(code, shared_noise=not independent), *more) for code in right}
    return decide(
        Proof(steps),
        lambda: [x.instance(bound) for code, bound in right.items() for x in tried[code]],
        method=method,
        valid_for=GENERAL,
        **words,
    )


def derived_for(codes: Sequence[str], bound: LectureBound, *, independent: bool = True, **words: Any) -> Evidence:
    """Theorem 1 for some codes, line by line, and the instances that break it if it is changed."""
    return by_derivation(
        {code: partial(derivations.theorem_1, bound, code, independent=independent) for code in codes},
        lambda: [x.instance(bound.expression) for c in codes for x in settings(c, shared_noise=not independent)],
        method=DERIVED,
        valid_for=GENERAL,
        **words,
    )


def theorem(code: str, descent: str | None, drift: str | None, independent: bool) -> Evidence:
    """Theorem 1 with changed constants for one code, and how loose its drift term is."""
    changes = {
        gap: None if descent is None else sp.Rational(descent) / (s * T),
        G**2: None if drift is None else sp.Rational(drift) * s**2 * K**2 * L**2,
    }
    bound = replace(theorem_1, expression=with_coefficients(theorem_1.expression, changes))
    # Period averages of the drift: (K-1)(2K-1)/6 for rounds, (K+1)(2K+1)/6 for the printed code, in place of 4 K^2.
    gain = sp.simplify(4 * K**2 / PERIOD_SQUARES[code])
    ratio = sp.limit(gain, K, sp.oo) if code == "FedAvg" else gain.subs(K, 1)
    trivial = sp.solve(sp.Eq(4 * s**2 * K**2 * L**2, 1), s)[0]
    if not nonnegative_on(4 * K**2 - ratio * PERIOD_SQUARES[code], [(K, 1, None)]):
        raise ValueError(f"4 K^2 is not shown to be at least {ratio} times the period's average")
    return derived_for(
        [code],
        bound,
        independent=independent,
        numbers={"no better than |grad f|^2 <= G^2 once s is at least": trivial},
        tightness=against_the_best(
            ratio,
            f"drift term {sp.factor(PERIOD_SQUARES[code])} s^2 G^2 L^2 "
            "(drift averaged over clients and steps of a period); at least this ratio for every K",
        ),
    )


CONSTANTS = dict(descent=None, drift=None, independent=True)
_SHARED = Control("one noise shared by all clients", dict(independent=False))
CONTROLS = (Control("constant 2 of the first term -> 0.99", dict(descent="99/100")), _SHARED)
the_theorem = of_theorem_1.sharing(
    statement=theorem_1,
    proves=proves(theorem_1, under=(s * L <= 1,)),
    unprinted=Unprinted("the noises of different clients are independent", _SHARED.name),
    proof_steps=tuple(f"LEC-{step}" for step in STEPS.split()),
    assumptions=(
        "L-smooth clients",
        "unbiased noise, independent over clients",
        "variance <= sigma^2",
        "second moment <= G^2",
        "s <= 1/L",
        "M = N",
    ),
)

thm1_printed = the_theorem(
    "LEC-THM1[gradient before averaging, as printed]",
    printed=dict(code="printed", **CONSTANTS),
    headline="The printed code reaches small gradients on smooth non-convex losses",
    summary="Average squared gradient along the printed code, where the restart step uses the gradient at the local "
    "point. Independence of the clients' noises is used, named in a side note of the proof only: the listed "
    "assumptions leave it out.",
    controls=[Control("drift constant 4 -> 1/8", dict(drift="1/8")), *CONTROLS],
)(theorem)

thm1_fedavg = the_theorem(
    "LEC-THM1[average first, rounds of K local steps]",
    printed=dict(code="FedAvg", **CONSTANTS),
    headline="FedAvg reaches small gradients on smooth non-convex losses with bounded gradients",
    summary="The same bound for FedAvg proper: K local steps from the common point, then averaging. Independence over "
    "the clients is used and not listed, as for the printed code.",
    controls=[Control("drift constant 4 -> 1/100", dict(drift="1/100")), *CONTROLS],
)(theorem)


@of_theorem_1(
    "LEC-THM1-S1",
    statement=theorem_1_averaged,
    proves=proves(theorem_1_averaged, under=(s * L <= 1,)),
    headline="Theorem 1 with a quarter of the drift term, for both codes",
    printed=dict(drift=None),
    summary="Theorem 1 holds with s^2K^2G^2L^2 in place of 4s^2K^2G^2L^2, for both codes.",
    elsewhere=elsewhere.BOUNDED,
    depends=("LEC-P1", "LEC-P7a", "LEC-LEM1-S2", "LEC-PSUM"),
    controls=[Control("drift constant 1 -> 1/8", dict(drift="1/8"))],
)
def thm1_averaged(drift: str | None) -> Evidence:
    changes = {G**2: None if drift is None else sp.Rational(drift) * s**2 * K**2 * L**2}
    bound = replace(theorem_1_averaged, expression=with_coefficients(theorem_1_averaged.expression, changes))
    return derived_for(CODES, bound)


def averaged_over_a_period(code: str, drift: sp.Expr) -> sp.Expr:
    """Theorem 1 with the drift of a code averaged over the steps of a period, times ``drift``."""
    return bounds.theorem_1_expression(descent=sp.Integer(2), drift=drift * PERIOD_SQUARES[code], noise=sp.Integer(1))


@of_theorem_1(
    "LEC-THM1-S2",
    statement=(
        bounds.theorem_1_periods["FedAvg"],
        r"\quad\text{(FedAvg)},\qquad \tfrac{(K+1)(2K+1)}{6}\text{ (printed code)}",
    ),
    proves=[
        proves(
            bounds.theorem_1_periods[code],
            partial(averaged_over_a_period, code),
            under=(s * L <= 1,),
        )
        for code in CODES
    ],
    printed=dict(drift="1"),
    headline="Theorem 1 with the drift averaged over a period: none is left for one local step",
    summary="Averaging the drift over the steps of a period as well; no drift term is left for FedAvg with K = 1.",
    elsewhere=elsewhere.BOUNDED,
    depends=("LEC-P1", "LEC-P7a", "LEC-LEM1-S2", "LEC-PSUM"),
    controls=[Control("drift terms times 1/10", dict(drift="1/10"))],
)
def thm1_periods(drift: str) -> Evidence:
    scale = sp.sqrt(sp.Rational(drift)) * G
    right = {code: bound.expression.subs(G, scale) for code, bound in bounds.theorem_1_periods.items()}
    ratio = {c: sp.limit(4 * K**2 / sp.diff(e, G, 2) * 2 * s**2 * L**2, K, sp.oo) for c, e in right.items()}
    return judge(right, periods=True, numbers={f"4K^2 is loose by, as K grows ({c})": v for c, v in ratio.items()})


@of_theorem_1(
    "LEC-THM1-S3",
    statement=(theorem_1, r"\quad\text{for all } s>0"),
    printed=dict(drift="4"),
    headline="Theorem 1 without its condition on the step size",
    summary="The condition s <= 1/L is not needed: beyond it the right-hand side exceeds G^2, which bounds the left "
    "one.",
    elsewhere=elsewhere.BOUNDED,
    depends=("LEC-P1", "LEC-P7a", "LEC-LEM1-S2", "LEC-PSUM"),
    controls=[Control("drift constant 4 -> 1/5", dict(drift="1/5"))],
)
def thm1_every_step(drift: str) -> Evidence:
    right = bounds.theorem_1_expression(descent=sp.Integer(2), drift=sp.Rational(drift) * K**2, noise=sp.Integer(1))
    steps = tuple(step for code in CODES for step in prove_for_every_step(right, code).steps)

    def overshoot() -> Iterator[Instance]:
        """One client f' = clip(x,-1,1) started in 1 with a step above 1/L: x jumps over the minimiser."""
        for step, count in ((Fraction(101, 100), 2), (Fraction(3, 2), 2), (Fraction(2), 100)):
            text = f"N=K=1, f'=clip(x,-1,1), start 1, s={step}, T={count}"
            yield on_a_clipped_line(text, step, count, Fraction(1)).instance(right)

    return decide(
        Proof(steps),
        overshoot,
        method="For s <= 1/L the proof of Theorem 1, for both codes. For s >= 1/L the drift term alone is at least G^2, and by "
        "Jensen's inequality the left side is at most G^2.",
        valid_for="all s > 0, all N, K, T, d",
    )


@asymptotic_claim(
    "LEC-THM1-T",
    statement=r"\frac{2}{sT}\left(f(\bar x^0)-f^*\right)=O(1/T)",
    printed=dict(whole=False),
    source="annotation at Theorem 1",
    summary="At fixed step size the first term is of order 1/T. (The transcription does not show what the annotation is "
    "braced to; at Theorem 3 it is the first term.)",
    controls=[Control("the whole right-hand side", dict(whole=True))],
)
def order_in_rounds(whole: bool) -> Evidence:
    expression = theorem_1.expression if whole else 2 * gap / (s * T)
    scaled = sp.limit(expression * T, T, sp.oo)
    floor = sp.limit(expression, T, sp.oo)
    words = dict(
        method="Limit of T times the expression, s fixed.", numbers={"limit": floor, "limit of T times it": scaled}
    )
    if scaled.is_finite is not False and not scaled.has(sp.oo):
        return by_proof(**words, valid_for="fixed s, K, N")
    return by_witness(unbounded("T times the expression", expression * T, T), rung=Rung.PROOF, **words)


@qualitative_claim(
    "LEC-IIDSCOPE",
    statement=(theorem_1, r"\quad\text{without } f_1=\dots=f_N"),
    printed=dict(moment="second moment"),
    source="slides headed i.i.d. datasets",
    summary="Equal distributions are used nowhere: the bound holds for different clients; what replaces it is the G^2 "
    "bound.",
    controls=[Control("drift measured by the variance only, as equal clients would suggest", dict(moment="variance"))],
)
def iid_scope(moment: str) -> Evidence:
    right = theorem_1.expression if moment == "second moment" else theorem_1.expression.subs(G, sigma)
    words = " No premise relates two clients' functions, and the instances have different clients."
    return judge(dict.fromkeys(CODES, right), method=METHOD + words)


@definition_claim(
    "LEC-MN",
    statement=(theorem_1, r"\quad (M=N)"),
    printed=dict(cohort=2),
    source="i.i.d. slide",
    summary="Full participation is a hypothesis and not only a simplification: with one of two clients per step the "
    "bound fails.",
    controls=[Control("one of two clients drawn per step", dict(cohort=1))],
)
def full_participation(cohort: int) -> Evidence:
    # The draw of the cohort acts as noise common to the clients, with the variance of the cohort's mean gradient:
    # (N-M)/(M(N-1)) times the dissimilarity, which is nothing for M = N.
    draw = sp.Rational(2 - cohort, cohort) * sigma_G**2
    return judge(dict.fromkeys(CODES, theorem_1.expression), covariance=draw, more=(drawn(cohort),))


if __name__ == "__main__":
    run_script(__file__)
