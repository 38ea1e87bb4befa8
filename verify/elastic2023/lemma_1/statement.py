"""Lemma 1 of the elastic aggregation supplement: proved with explicit constants; its logarithm cannot be avoided.

Tuning is exact: the worst sequence is (d_0, 0, 0, ...), where Psi_R - c eta = mu d_0 (1-q)P/(1-(1-q)P) with q = mu eta,
P = (1-q)^R.  With q = 1 - exp(-s/R), s = min(mu eta_max R, log(max(2, a))), a = mu^2 R d_0/c, for which P = exp(-s), the
lemma holds with the constants 1/(1-exp(-1/2)) and 2 + log.  For a = b^R every constant step leaves a term of order R.
"""

from collections.abc import Callable, Iterator
from fractions import Fraction

import sympy as sp

from fltheory.evidence.derive import by_derivation
from fltheory.evidence.kinds import algebra_claim, asymptotic_claim, lower_bound_claim, run_script
from fltheory.evidence.model import Control, Evidence
from fltheory.evidence.tight import attained
from fltheory.theory.states import proves
from fltheory.theory.steps import Instance
from verify.elastic2023 import elsewhere, tuned_sums, tuning
from verify.elastic2023.derivations import recursions
from verify.elastic2023.enclosures import exp_between, log_between, rounded_up
from verify.elastic2023.tuned_sums import bracket_decay, largest_sum, left_by_constant_steps
from verify.elastic2023.tuning import LEMMA_1, LEMMA_1_EXPLICIT, R, c, d_0, eta_max, mu

STEPS = ("EL-L1-W", "EL-L1-TEL", "EL-L1-23", "EL-L1-GEO", "EL-L1-3", "EL-L1-CASES")
#: (b, q_0, R): for a = b^R steps with q <= q_0 leave a large first term, steps with q >= q_0 the noise R q_0.
LARGE = ((Fraction(2), Fraction(1, 4), 8001), (Fraction(11, 10), Fraction(88, 1000), 3000))


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
    proves=proves(
        LEMMA_1,
        lambda log_power: (
            mu * d_0 * sp.exp(-mu * eta_max * R)
            + c / (mu * R) * (1 + sp.log(sp.Max(1, mu**2 * R * d_0 / c))) ** log_power
        ),
        relation="O",
        under=(mu * eta_max <= 1, 2 * mu * eta_max * R >= 1),
    ),
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
    right = f"{constant}*(mu*d0*exp(-mu*eta_max*R) + c/(mu*R)*(1 + log(b))**{log_power})"

    def instances() -> Iterator[Instance]:
        yield from without_a_good_step(lambda decay, log: constant * (decay + (1 + log) ** log_power))
        q = max(Fraction(least), Fraction(1, 10**4))
        text = f"mu = 1, c = 0, R = 1, eta_max = {q}, d = (1, 0, 0), any step"
        yield Instance(text, largest_sum(q, 1), constant * exp_between(-q)[1])

    return by_derivation(
        lambda: recursions.tuned("3", right, floor="1", least=least),
        instances,
        method="Closed form of the weighted sum (telescoping and geometric sum over the rounds) for the step "
        "(1 - exp(-s/R))/mu, s the smaller one of mu eta_max R and 1 + log max(1, a): there (1 - mu eta)^R = exp(-s). For the "
        "printed step see EL-L1-CASES.",
        valid_for="all non-negative sequences, c >= 0, R >= 1",
    )


def explicit(factor: str, second: str, log_factor: str) -> Evidence:
    """``Psi_R <= factor F mu d_0 exp(-mu eta_max R) + (c/(mu R))(second + log_factor log max(2, a))`` for some step.

    F is 1/(1 - exp(-1/2)), or any larger number.
    """
    number = sp.Rational(factor) / (1 - tuning.HALF)
    right = f"{factor}*F*mu*d0*exp(-mu*eta_max*R) + c/(mu*R)*({second} + {log_factor}*log(b))"

    def instances() -> Iterator[Instance]:
        value, tail, factor = tuned_sums.rational_above(number), Fraction(second), Fraction(log_factor)
        yield from without_a_good_step(lambda decay, log: value * decay + tail + factor * log)
        for rounds in (1, 1000):
            q = Fraction(1, 2 * rounds)
            text = f"mu = 1, c = 0, eta_max = {q}, R = {rounds}, d = (1, 0, 0, ...), any step"
            yield Instance(text, largest_sum(q, rounds), value * exp_between(-q * rounds)[1])

    return by_derivation(
        lambda: recursions.tuned(f"{factor}*F", right, floor="2"),
        instances,
        method="As EL-LEM1, with log max(2, a).",
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
    proves=proves(
        LEMMA_1_EXPLICIT,
        lambda factor, second, log_factor: (
            factor * mu * d_0 * sp.exp(-mu * eta_max * R) / (1 - tuning.HALF)
            + c / (mu * R) * (second + log_factor * sp.log(sp.Max(2, mu**2 * R * d_0 / c)))
        ),
        under=(mu * eta_max <= 1, 2 * mu * eta_max * R >= 1),
    ),
    headline="The tuned contracting recursion with explicit constants",
    summary="Lemma 1 holds with explicit constants: 2 + log max(2, mu^2 R d_0/c), and in front of the exponential every F with "
    "F (1 - exp(-1/2)) >= 1.",
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
    return explicit(factor, second, log_factor)


@lower_bound_claim(
    "EL-LEM1-S2",
    source="Lemma 1",
    statement=r"\eta_{\max}=\frac1\mu,\ \frac{\mu^2Rd_0}{c}=2^R:\quad\Psi_R"
    r"\ge\frac R8\left(\mu d_0e^{-\mu\eta_{\max}R}+\frac{c}{\mu R}\right)\quad\forall\,0<\eta<\eta_{\max},\ d_{R+1}=0",
    headline="With a constant step the logarithm of Lemma 1 is needed",
    summary="With a constant step the logarithm is needed: for mu^2 R d_0/c = 2^R every step below 1/mu leaves R/8 times the "
    "bound of Lemma 1 without it, for every sequence that ends with 0.",
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
