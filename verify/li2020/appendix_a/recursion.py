"""Eq. (13) of Li et al. (2020): the recursion of the squared distance, proved from Lemmas 1 to 3, and sharpened.

With the sharp Lemma 1 the recursion holds without the Gamma term, with squared contraction, and with a drift term that
is smaller by a factor 4/(eta_t L) >= 16: Gamma is not needed for any bound that follows from (13).
"""

from collections.abc import Iterable
from fractions import Fraction

import sympy as sp

from fltheory.evidence.derive import by_derivation
from fltheory.evidence.exact_search import Search, search
from fltheory.evidence.kinds import expectation_claim, run_script
from fltheory.evidence.model import Control, Evidence, Rung, Tightness, Unprinted
from fltheory.theory import sampling
from fltheory.theory.states import proves
from verify.li2020.derivations import lemmas as derived
from verify.li2020.lemmas import A4_TAKEN, RECURSION, RECURSION_SHARP, SAMPLING
from verify.li2020.symbols import Delta, E, G, Gamma, L, S, eta, mu

LEMMA_3 = "LI-LEM3"


#: What a step is, in words; the values of the bound's symbols; E|wbar_{t+1} - w*|^2.
OneStep = tuple[str, dict[str, Fraction | int], Fraction]


def equal_clients(step: Fraction, *, noise: bool, clients: int = 1, drawn: int = 1, local_steps: int = 1) -> OneStep:
    """N clients F_k = w^2/2 of which one gradient moves the average: one is drawn, or all have the same sample.

    From the minimiser with a noise +1 or -1, or from 1 without; gradients are bounded by G, with E = 2 at the next step too.
    """
    at = dict(Delta=0 if noise else 1, Gamma=0, L=1, mu=1, eta=step, G=1, E=local_steps, N=clients, K=drawn)
    variance = Fraction(int(noise), clients)
    at |= {"S": variance, "V": variance, "G2": 1 + (step**2 if noise and local_steps > 1 else 0)}
    what = "one noise +1 or -1, w_t = 0" if noise else "full gradients, w_t = 1"
    words = f"N = {clients}, K = {drawn}, E = {local_steps}, F_k = w^2/2, {what}, eta = {step}, G^2 = {at['G2']}"
    return words, at, step**2 if noise else (1 - step) ** 2


def second_local_step(step: Fraction, curvature: Fraction) -> OneStep:
    """F_1 = w^2/2 - w, F_2 = h w^2/2 + w with equal weights, both started in w* = 0, no noise, E = 2, at t = 1.

    After one step w = eta and -eta, so that Delta_1 = 0; the second step moves the average by -eta (eta - h eta)/2.
    """
    gradients = step - 1, 1 - curvature * step
    gap = (Fraction(1, 2) + 1 / (2 * curvature)) / 2
    at = dict(Delta=0, S=0, Gamma=gap, G=max(1, *map(abs, gradients)), E=2, L=1, mu=curvature, eta=step)
    words = f"F_1 = w^2/2 - w, F_2 = ({curvature}) w^2/2 + w, p = 1/2, w_0 = w* = 0, full gradients, E = 2, eta = {step}, t = 1"
    return words, at, (step * sum(gradients, Fraction(0)) / 2) ** 2


def searched(bound: sp.Expr, steps: Iterable[OneStep]) -> Search:
    """Exact steps of FedAvg against the bound."""
    return search(
        steps,
        lambda one: (one[2], sampling.at(bound, one[1])),
        describe=lambda one: f"{one[0]}: Delta_{{t+1}} against the bound",
    )


def instances(bound: sp.Expr, independent: bool = True) -> Search:
    """Steps with and without noise, a second local step, and a sample that four clients share."""
    quarter = Fraction(1, 4)
    every = [equal_clients(quarter, noise=noise) for noise in (True, False)]
    every += [second_local_step(quarter, Fraction(1, 1000))]
    every += [] if independent else [equal_clients(quarter, noise=True, clients=4, drawn=4)]
    return searched(bound, every)


ONE_SAMPLE = Control("all devices draw the same sample", dict(independent=False))
INDEPENDENT = Unprinted("the samples of different devices are independent", ONE_SAMPLE.name)


def printed_recursion(variance: sp.Expr, gamma: sp.Expr, drift: sp.Expr) -> sp.Expr:
    """The right side of (13) with the three constants of B."""
    return (1 - eta * mu) * Delta + eta**2 * (variance * S + gamma * L * Gamma + drift * (E - 1) ** 2 * G**2)


def sharp_recursion(variance: sp.Expr, drift: sp.Expr) -> sp.Expr:
    """The right side of the sharpened (13) with its two constants."""
    return (1 - eta * mu) ** 2 * Delta + eta**2 * (variance * S + drift * eta * L * (E - 1) ** 2 * G**2)


@expectation_claim(
    "LI-EQ13",
    headline="The squared distance contracts in every step, up to noise, heterogeneity and drift",
    source="eq. (13), (5)",
    statement=RECURSION,
    proves=proves(RECURSION, printed_recursion, under=(eta <= 1 / (4 * L),)),
    summary="The squared distance contracts by 1 - eta mu up to eta^2 B.",
    depends=("LI-LEM1", "LI-LEM2"),
    proof_steps=("LI-LEM1", "LI-LEM2", LEMMA_3, "LI-A1-VIRT.1"),
    assumptions=("A1, A2, A3", A4_TAKEN, SAMPLING, "eta_t <= 1/(4L), non-increasing, eta_t <= 2 eta_{t+E}"),
    printed=dict(variance="1", gamma="6", drift="8", independent=True),
    controls=[
        Control("sum p_k^2 sigma_k^2 times 0.99", dict(variance="99/100")),
        Control("no Gamma term and 8 -> 1/65", dict(gamma="0", drift="1/65")),
        ONE_SAMPLE,
    ],
    unprinted=INDEPENDENT,
)
def li_eq13(variance: str, gamma: str, drift: str, independent: bool) -> Evidence:
    """The constant 8 is 2 (Lemma 1) times 4 (Lemma 3)."""
    bound = printed_recursion(*map(sp.Rational, (variance, gamma, drift)))
    return by_derivation(
        derived.recursion(bound, independent=independent),
        instances(bound, independent),
        valid_for="every N, p, dimension, E, all t at which the hypotheses of the lemmas hold",
        tightness=Tightness(
            16.0,
            Rung.PROOF,
            "no Gamma term, and 8 (E-1)^2 G^2 can be 2 eta_t L (E-1)^2 G^2 <= (E-1)^2 G^2/2 (LI-EQ13-S1)",
        ),
    )


@expectation_claim(
    "LI-EQ13-S1",
    source="eq. (13), sharpened",
    statement=RECURSION_SHARP,
    proves=proves(RECURSION_SHARP, sharp_recursion, under=(eta <= 2 / (L + mu),)),
    headline="The recursion of Theorem 1 without Gamma, and with a drift term of third order",
    summary="The recursion holds without Gamma and with a drift term of third order in the step size.",
    depends=("LI-LEM1-S1", "LI-LEM2"),
    assumptions=("A1, A2, A3", A4_TAKEN, SAMPLING, "eta_t <= 2/(L + mu), non-increasing, eta_t <= 2 eta_{t+E}"),
    printed=dict(variance="1", drift="2"),
    controls=[
        Control("sum p_k^2 sigma_k^2 times 0.99", dict(variance="99/100")),
        Control("drift term 2 eta L -> eta L/17", dict(drift="1/17")),
    ],
)
def li_eq13_s1(variance: str, drift: str) -> Evidence:
    """LI-LEM1-S1 in place of Lemma 1; (1 - eta mu)(L - mu) <= L."""
    bound = sharp_recursion(sp.Rational(variance), sp.Rational(drift))
    return by_derivation(
        derived.sharp_recursion(bound),
        instances(bound),
        valid_for="every N, p, dimension, E, all t at which the hypotheses hold, 0 <= eta_t <= 2/(L + mu)",
    )


if __name__ == "__main__":
    run_script(__file__)
