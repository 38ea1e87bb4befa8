r"""Special cases named by Li et al. (2020): FedAvg with E = 1 is SGD, FedProx without proximal term is FedAvg.

One-step identities for arbitrary differentiable F_k, derived or broken on quadratics; a trajectory follows by induction.
"""

from collections.abc import Mapping
from fractions import Fraction
from itertools import product
from statistics import mean

from fltheory.derivation.replay import Underivable
from fltheory.evidence.algebra import by_in_mean, statement_in_mean
from fltheory.evidence.derive import by_derivation
from fltheory.evidence.ends import first_broken
from fltheory.evidence.in_mean import InMean
from fltheory.evidence.kinds import identity_claim, run_script
from fltheory.evidence.model import Control, Evidence
from fltheory.kinds import JSON
from fltheory.theory.sampling import weighted_mean
from verify.li2020.derivations import cohort_steps

one_step_is_descent = statement_in_mean(
    "LI-E1SGD.1",
    InMean(
        "sq(mean(x_1, k) - y_1) = 0 for eta > 0",
        things="function F over k; w; F at w; x_1 over k = w - eta*g_w; y_1 = w - eta*mean(g_w, k); F at x_1; F at y_1; "
        "x_2 over k = x_1 - eta*g_x_1; y_2 = y_1 - eta*mean(g_y_1, k)",
        unfold="x_2 y_2 x_1 y_1",
        names={
            "w": "w_t",
            "x_1": r"\big(w_t-\eta_t\nabla F_k(w_t)\big)",
            "y_1": r"\big(w_t-\eta_t\nabla F(w_t)\big)",
            "eta": r"\eta_t",
        },
    ),
    says=r"E=1,\ \nabla F=\sum_kp_k\nabla F_k:\quad ",
    false={"two local steps against two gradient steps": ("mean(x_1, k) - y_1", "mean(x_2, k) - y_2")},
    group=identity_claim,
    headline="One local step, all clients, full batches: FedAvg is gradient descent",
    summary="With one local step, full participation and full batches FedAvg is gradient descent on F, step by step.",
    source="Section 1 and footnote 4",
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
    weights, slope = (Fraction(1, 4), Fraction(3, 4)), (Fraction(1), Fraction(-3))
    used = weights if average == "p" else (Fraction(1, 2),) * 2
    noises = list(product((1, -1), repeat=2)) if joint == "independent" else [(1, 1), (-1, -1)]
    draws = [weighted_mean(used, slope) + weighted_mean(used, zs) for zs in noises]
    true, name = weighted_mean(weights, slope), "two clients with gradients 1, -3, p=(1/4,3/4), noise +1/-1"
    spread = mean([(d - true) ** 2 for d in draws])
    cases = [(f"{name}: mean direction", true, mean(draws)), (f"{name}: variance", sum(p**2 for p in weights), spread)]
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


def _local_result(proximal: str, solver: str = "steps") -> InMean:
    """A local step of FedProx, or the exact solution of its local problem, against a step of FedAvg from the same point."""
    step = f"prox over k = x - eta*(g_x + {proximal}*(x - w))"
    return InMean(
        "sq(prox - (x - eta*g_x)) = 0 for eta > 0",
        things="function F over k; w; x over k; F at x; "
        + (step if solver == "steps" else f"prox over k; F at prox = {proximal}*(w - prox)"),
        unfold="prox" if solver == "steps" else "",
        names={"w": "w_t", "prox": rf"x+\eta\big({proximal}\,(w_t-x)-\nabla F_k(x)\big)"},
    )


@identity_claim(
    "LI-PROX0",
    headline="FedProx with FedAvg's local SGD steps and no proximal term is FedAvg",
    statement=(r"\rho=0:\quad ", _local_result("0")),
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
    """The gradient of the proximal term vanishes for every x, so that each local step coincides for any F_k."""
    return by_in_mean(_local_result(proximal, solver))


if __name__ == "__main__":
    run_script(__file__)
