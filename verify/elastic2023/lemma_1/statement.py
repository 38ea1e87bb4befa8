"""Lemma 1 of the elastic aggregation supplement: proved with explicit constants; its logarithm cannot be avoided.

Tuning is exact: the worst sequence is (d_0, 0, 0, ...), where Psi_R - c eta = mu d_0 (1-q)P/(1-(1-q)P) with q = mu eta,
P = (1-q)^R.  With eta = min(eta_max, log(max(2, a))/(mu R)), a = mu^2 R d_0/c (and 9/(10 mu) in place of 1/mu), the
lemma holds with the constants 1/(1-exp(-1/2)) and 2 + log.  For a = b^R every constant step leaves a term of order R.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction

import sympy as sp

from fltheory.evidence.derive import by_derivation
from fltheory.evidence.kinds import algebra_claim, asymptotic_claim, lower_bound_claim, run_script
from fltheory.evidence.model import Control, Evidence
from fltheory.evidence.relations import Relations
from fltheory.evidence.tight import attained
from fltheory.theory.steps import Instance
from verify.elastic2023 import elsewhere, tuning
from verify.elastic2023.derivations import recursions
from verify.elastic2023.enclosures import exp_between, log_between, rounded_up
from verify.elastic2023.tuning import (
    LEMMA_1,
    LEMMA_1_EXPLICIT,
    bracket_decay,
    largest_sum,
    left_by_constant_steps,
)

STEPS = ("EL-L1-W", "EL-L1-TEL", "EL-L1-23", "EL-L1-GEO", "EL-L1-3", "EL-L1-CASES")
#: (b, q_0, R): for a = b^R steps with q <= q_0 leave a large first term, steps with q >= q_0 the noise R q_0.
LARGE = ((Fraction(2), Fraction(1, 4), 8001), (Fraction(11, 10), Fraction(88, 1000), 3000))
JOINED = "the choice of the step: eta_max, or 9/(10 mu) for eta_max = 1/mu, where it is at most the logarithmic step, else that"


def without_a_good_step(right: Callable[[Fraction, Fraction], Fraction]) -> Iterator[Instance]:
    """a = b^R: what every constant step leaves, against ``right`` of the decaying term and of log a, in units of c/(mu R)."""
    for base, split, rounds in LARGE:
        yield Instance(
            f"mu = c = eta_max = 1, R = {rounds}, R d_0 = ({base})^{rounds}, d = (d_0, 0, ...), any "
            "step, in units of c/(mu R)",
            left_by_constant_steps(base, split, rounds),
            right(bracket_decay(base, rounds), rounds * rounded_up(log_between(base)[1])),
        )


@asymptotic_claim(
    "EL-LEM1",
    source="Lemma 1, (7)",
    statement=LEMMA_1,
    headline="A contracting recursion with noise, tuned: exponential decay plus 1/R",
    summary="Weighted sums of a contracting recursion with noise, tuned: exponential plus c/(mu R), up to a logarithm of "
    "mu^2 R d_0/c.",
    assumptions=(
        "mu > 0",
        "0 < eta_max <= 1/mu",
        "c >= 0",
        "R >= 1/(2 mu eta_max)",
        "the hidden factor is 1 + log max(1, mu^2 R d_0/c)",
    ),
    proof_steps=STEPS,
    printed=dict(log_power=1, least="1/2", constant=1000),
    controls=[Control("no logarithm", dict(log_power=0)), Control("R >= 1/(2 mu eta_max) dropped", dict(least="0"))],
)
def lemma_1(log_power: int, least: str, constant: int) -> Evidence:
    """Proof with some constant; the instances show that without the logarithm 1000 is none, and R/8 in general."""
    # 2 + log max(2, a) <= 3 + l, l = log max(1, a)
    text = f"3 + l <= 4*(1 + l)**{log_power}; 1/(1 - h) <= {constant}; 4 <= {constant} for l >= 0; 0 < h <= 2/3"
    order = Relations(text)

    def instances() -> Iterator[Instance]:
        yield from without_a_good_step(lambda decay, log: constant * (decay + (1 + log) ** log_power))
        q = max(Fraction(least), Fraction(1, 10**4))
        text = f"mu = 1, c = 0, R = 1, eta_max = {q}, d = (1, 0, 0), any step"
        yield Instance(text, largest_sum(q, 1), constant * exp_between(-q)[1])

    return by_derivation(
        recursions.tuned(enough=Fraction(least) >= Fraction(1, 2)),
        instances,
        beside={"constants": order.certificate},
        prose=JOINED,
        method="Closed form of the weighted sum (telescoping and geometric sum over the rounds), step min(eta_max, "
        "log(max(2, a))/(mu R)) in place of the printed max(1, .), see EL-L1-CASES; for c = 0 and for eta_max = 1/mu a "
        "constant step below eta_max.",
        valid_for="all non-negative sequences, c >= 0, R >= 1",
        numbers={"constants proved": "1/(1-exp(-1/2)) for the first term, 2 + log max(2, a) for the second"},
    )


def explicit(first: str, second: str, log_factor: str) -> Evidence:
    """``Psi_R <= first mu d_0 exp(-mu eta_max R) + (c/(mu R))(second + log_factor log max(2, a))`` for some step."""
    number = sp.sympify(first, locals={"h": tuning.HALF})

    def instances() -> Iterator[Instance]:
        value, tail, factor = tuning.rational_above(number), Fraction(second), Fraction(log_factor)
        yield from without_a_good_step(lambda decay, log: value * decay + tail + factor * log)
        for rounds in (1, 1000):
            q = Fraction(1, 2 * rounds)
            text = f"mu = 1, c = 0, eta_max = {q}, R = {rounds}, d = (1, 0, 0, ...), any step"
            yield Instance(text, largest_sum(q, rounds), value * exp_between(-q * rounds)[1])

    return by_derivation(
        recursions.tuned(first, second, log_factor),
        instances,
        method="As EL-LEM1.",
        prose=JOINED,
        valid_for="all non-negative sequences, c >= 0 (for c = 0 the second term is 0), R >= 1, R >= 1/(2 mu eta_max)",
        tightness=attained(
            "1/(1-exp(-1/2)) is the limit at q = 1/(2R), c = 0; the factor 1 of the "
            "logarithm is the limit at a = b^R, b to 1, R to infinity"
        ),
    )


@algebra_claim(
    "EL-LEM1-S1",
    source="Lemma 1",
    statement=LEMMA_1_EXPLICIT,
    headline="The tuned recursion with explicit constants, two of which cannot be lowered",
    summary="Lemma 1 with explicit constants; those of the exponential and of the logarithm cannot be lowered.",
    elsewhere=elsewhere.CONTRACTING,
    depends=("EL-L1-3-S1",),
    assumptions=("mu > 0", "0 < eta_max <= 1/mu", "c >= 0", "R >= 1/(2 mu eta_max)"),
    printed=dict(factor="1", second="2", log_factor="1"),
    controls=[
        Control("first constant times 0.99", dict(factor="99/100")),
        Control("logarithm times 0.9", dict(log_factor="9/10")),
    ],
)
def lemma_1_explicit(factor: str, second: str, log_factor: str) -> Evidence:
    return explicit(f"{factor}/(1 - h)", second, log_factor)


@lower_bound_claim(
    "EL-LEM1-S2",
    prose="sup by (d_0, 0, 0, ...), inf as it holds for every step; R is of the order of log a = R log 2 "
    "and outgrows powers of log R",
    source="Lemma 1",
    statement=r"\eta_{\max}=\frac1\mu,\ \frac{\mu^2Rd_0}{c}=2^R:\quad\inf_{0<\eta<\eta_{\max}}\sup_{d_1,d_2,\dots\ge0}\Psi_R"
    r"\ge\frac R8\left(\mu d_0e^{-\mu\eta_{\max}R}+\frac{c}{\mu R}\right)",
    headline="With a constant step the logarithm of Lemma 1 is needed",
    summary="With a constant step the logarithm is needed: without it the bound of Lemma 1 fails by a factor of order R, "
    "which is of the order of the logarithm; a power of log R would not do.",
    elsewhere=elsewhere.CONTRACTING,
    depends=("EL-L1-TEL-S1", "EL-L1-GEO[exponent R+1]"),
    printed=dict(factor="1/8"),
    controls=[Control("R/8 -> R", dict(factor="1"))],
)
def logarithm_is_needed(factor: str) -> Evidence:
    """In units of c/(mu R): the bracket is (2/e)^R + 1 <= 2, and Psi_R is 2^R (1-q)P/(1-(1-q)P) + R q."""

    def instances() -> Iterator[Instance]:
        for rounds in (1, 2, 3, 8):
            for q in (Fraction(1, 4), Fraction(1, 2), Fraction(3, 4)):
                bracket = (2 * exp_between(Fraction(-1))[0]) ** rounds + 1
                value = 2**rounds * largest_sum(q, rounds) + rounds * q
                yield Instance(
                    f"mu = c = 1, R = {rounds}, R d_0 = 2^R, d = (d_0, 0, ...), eta = {q}, in units of "
                    "c/(mu R): claimed lower bound against Psi_R",
                    Fraction(factor) * rounds * bracket,
                    value,
                )

    return by_derivation(
        lambda: recursions.at_least(f"{factor}*R*(2**R*exp(-R) + 1)", "2**R"),
        instances,
        method="The sum for (d_0, 0, 0, ...) in closed form; tangents of exp for its first term, which falls with the step.",
        valid_for="all R >= 1, mu > 0, c > 0",
    )


if __name__ == "__main__":
    run_script(__file__)
