r"""Special cases named by Li et al. (2020): FedAvg with E = 1 is SGD, FedProx without proximal term is FedAvg.

One-step identities for arbitrary differentiable F_k: gradients enter as symbols, the p-average is a linear map that
keeps constants (weights of sum one), and a trajectory follows by induction.  Changed claims are run on two quadratics.
"""

from collections.abc import Mapping
from fractions import Fraction
from itertools import product
from statistics import mean

from fltheory.derivation.replay import Underivable
from fltheory.evidence.derive import by_derivation
from fltheory.evidence.ends import first_broken
from fltheory.evidence.kinds import identity_claim, run_script
from fltheory.evidence.model import Control, Evidence
from fltheory.kinds import JSON
from fltheory.theory.sampling import weighted_mean
from verify.li2020.derivations import cohort_steps

#: F_k(w) = a_k/2 (w - c_k)^2 with weights p_k
CURVATURES = (Fraction(1), Fraction(3))
CENTRES = (Fraction(0), Fraction(2))
WEIGHTS = (Fraction(1, 4), Fraction(3, 4))
STEP = Fraction(1, 10)


def local_run(start: Fraction, client: int, steps: int, proximal: Fraction = Fraction(0)) -> Fraction:
    """``steps`` exact gradient steps on F_k with a proximal term around the start."""
    x = start
    for _ in range(steps):
        x -= STEP * (CURVATURES[client] * (x - CENTRES[client]) + proximal * (x - start))
    return x


@identity_claim(
    "LI-E1SGD.1",
    headline="One local step, all clients, full batches: FedAvg is gradient descent",
    statement=r"E=1:\quad\sum_kp_k\big(w_t-\eta_t\nabla F_k(w_t)\big)=w_t-\eta_t\nabla F(w_t)",
    summary="With one local step, full participation and full batches FedAvg is gradient descent on F, step by step.",
    source="Section 1 and footnote 4",
    printed=dict(local_steps=1),
    controls=[Control("two local steps against two gradient steps", dict(local_steps=2))],
)
def one_step_is_descent(local_steps: int) -> Evidence:
    cases = []
    here = there = Fraction(1)
    for count in range(1, 4):
        here = weighted_mean(WEIGHTS, [local_run(here, k, local_steps) for k in range(2)])
        for _ in range(local_steps):
            slope = [a * (there - c) for a, c in zip(CURVATURES, CENTRES, strict=True)]
            there -= STEP * weighted_mean(WEIGHTS, slope)
        name = f"F_1=w^2/2, F_2=3(w-2)^2/2, p=(1/4,3/4), eta=1/10, w_0=1, round {count}, E={local_steps}"
        cases.append((name, there, here))
    found = first_broken((one == two, f"{name}: claimed {one}, exactly {two}") for name, one, two in cases)
    return by_derivation(
        lambda: cohort_steps.one_local_step(local_steps),
        found,
        method="The p-average is linear and keeps w_t; all gradients are taken at w_t, so their average is grad F(w_t). Exact "
        "runs on two quadratics.",
        valid_for="all N, weights, differentiable F_k, steps and dimensions",
    )


@identity_claim(
    "LI-E1SGD.2",
    headline="With one local step and all clients FedAvg is SGD on a stratified batch",
    statement=r"E=1:\quad w_{t+1}=w_t-\eta_t g_t,\ \mathbb{E}g_t=\nabla F(w_t),\ \mathbb{E}\|g_t-\nabla F(w_t)\|^2\le\sum_kp_k^2"
    r"\sigma_k^2,\quad\sigma_k^2\ge\mathbb{E}\|\nabla F_k(w_t,\xi^k_t)-\nabla F_k(w_t)\|^2",
    summary="With one local step and stochastic gradients it is SGD on F with an unbiased estimate from one sample per "
    "device (a stratified mini-batch), of variance at most sum p_k^2 sigma_k^2 if samples are independent between devices.",
    source="Sections 1 and 3.4",
    printed=dict(average="p", joint="independent"),
    controls=[
        Control("plain average in place of the p-average", dict(average="uniform")),
        Control("the same sampling noise on every device", dict(joint="common")),
    ],
)
def one_step_is_sgd(average: str, joint: str) -> Evidence:
    used = WEIGHTS if average == "p" else (Fraction(1, 2),) * 2
    slope = [a * (1 - c) for a, c in zip(CURVATURES, CENTRES, strict=True)]
    noises = list(product((1, -1), repeat=2)) if joint == "independent" else [(1, 1), (-1, -1)]
    draws = [weighted_mean(used, slope) + weighted_mean(used, zs) for zs in noises]
    true, name = weighted_mean(WEIGHTS, slope), "two quadratics at w=1, p=(1/4,3/4), noise +1/-1"
    spread = mean([(d - true) ** 2 for d in draws])
    cases = [(f"{name}: mean direction", true, mean(draws)), (f"{name}: variance", sum(p**2 for p in WEIGHTS), spread)]
    found = first_broken((one == two, f"{name}: claimed {one}, exactly {two}") for name, one, two in cases)

    def script() -> Mapping[str, JSON]:
        if average != "p":
            raise Underivable("another average than that of F")
        return cohort_steps.stratified_batch(common=joint == "common")

    return by_derivation(
        script,
        found,
        method="Linearity of the p-average for the mean; variances of independent noises add. All noise values enumerated on two "
        "quadratics.",
        valid_for="all N, weights, differentiable F_k, dimensions",
    )


@identity_claim(
    "LI-PROX0",
    headline="FedProx with FedAvg's local SGD steps and no proximal term is FedAvg",
    statement=r"\rho=0:\quad x-\eta\big(\nabla F_k(x)+\rho(x-w_t)\big)=x-\eta\nabla F_k(x)",
    summary="FedProx with the local solver of FedAvg (E SGD steps) is FedAvg when the proximal weight is zero, for "
    "the same sampling and averaging rule; with local problems solved exactly it need not be.",
    source="Sections 1 and 5",
    printed=dict(proximal="0", solver="steps"),
    controls=[
        Control("proximal weight 1/10", dict(proximal="1/10")),
        Control("local problems solved exactly", dict(solver="exact")),
    ],
)
def vanishing_proximal_term(proximal: str, solver: str) -> Evidence:
    rho = Fraction(proximal)
    cases = []
    start, steps = Fraction(1), 3
    for k in range(2):
        prox = local_run(start, k, steps, rho)
        if solver == "exact":
            prox = (CURVATURES[k] * CENTRES[k] + rho * start) / (CURVATURES[k] + rho)
        name = f"F_{k + 1}={CURVATURES[k]}/2 (w-{CENTRES[k]})^2, eta=1/10, E=3, w_t=1, rho={rho}: local result"
        cases.append((name, prox, local_run(start, k, steps)))
    found = first_broken((one == two, f"{name}: claimed {one}, exactly {two}") for name, one, two in cases)
    return by_derivation(
        lambda: cohort_steps.proximal_step(proximal, steps=solver == "steps"),
        found,
        method="The gradient rho (x - w_t) of the proximal term vanishes at rho = 0 for every x, so each local step coincides "
        "for arbitrary F_k (stochastic gradients with the same samples included).",
        valid_for="all F_k, steps, E, dimensions; same local solver, sampling and averaging",
    )


if __name__ == "__main__":
    run_script(__file__)
