"""Appendix A.1, A.2 of Augenstein et al. (2022): what the server can compute from uploads; which average gt_c, gt_f are.

A client that runs SGD with the augmenting gradient u moves by Delta_i = -eta (S_i + K_i u), S_i the sum of its gradients
(induction over its steps), and sums over the cohort are linear (induction over its clients).  Equations (8)-(10) follow.
The renewal of gt_c in Algorithm 1 divides by eta where the central rate eta_c is meant.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from typing import Any

import sympy as sp

import fltheory as fl
from fltheory.evidence.decide import read
from fltheory.evidence.kinds import identity_claim, run_script, table_of_an_instance
from fltheory.evidence.model import Control, Evidence, Rung, Unprinted
from fltheory.theory.steps import Instance, equality, identity
from verify.mixed2022.settled import settle
from verify.mixed2022.updates import eta, eta_c, induction, u, v

S, T, K, M = sp.symbols("S_i S_total K_i K_total", positive=True)
METHOD = (
    "induction over the steps of a client (sum of its gradients) and over the clients of the cohort (sums are linear)"
)
EVERY = "all losses and oracles, every cohort, K_i, d, eta, augmenting gradient"
NUMBERS = {S: 2, T: 5, K: 2, M: 4, u: 3, v: 7, eta: sp.Rational(1, 2), eta_c: sp.Rational(1, 5)}


def heavy_ball(momentum: str, steps: int, rate: Any = eta) -> tuple[Any, Any]:
    """(Delta, sum of the gradients) of one client over ``steps`` steps with free gradients."""
    memory, moved, total = sp.Integer(0), sp.Integer(0), sp.Integer(0)
    for k in range(steps):
        fresh = sp.Symbol(f"g_{k}")
        memory = sp.Rational(momentum) * memory + fresh + u
        moved, total = moved - rate * memory, total + fresh
    return sp.expand(moved), total


def numbers_of(left: Any, right: Any, text: str) -> Instance:
    """Both sides at given numbers: g_k = k + 1."""
    values = {**NUMBERS, **{sp.Symbol(f"g_{k}"): k + 1 for k in range(9)}}
    sides = [Fraction(str(sp.Rational(sp.sympify(side).subs(values)))) for side in (left, right)]
    return equality(text, *sides)


def per_client(subtract: str, divide: str, momentum: str, own: bool) -> Evidence:
    """-Delta/(eta K_i) - [gt_c] against the mean direction (equation 8) or the mean gradient (equation 9)."""
    shift, added = u * sp.Rational(subtract), 0 if own else u
    rate = {"eta": eta, "eta_c": eta_c}[divide]
    steps = induction(eta, u) if sp.Rational(momentum) == 0 else []
    steps.append(identity("display, any K_i", eta * (S + K * u) / (rate * K) - shift, S / K + added))
    instances = []
    for count in (1, 2, 3):
        moved, total = heavy_ball(momentum, count)
        left, right = -moved / (rate * count) - shift, total / count + added
        steps.append(identity(f"K_i={count}", left, right))
        instances.append(numbers_of(left, right, f"K_i={count}, gradients 1, 2, ..., gt_c=3, eta=1/2, eta_c=1/5"))
    return settle(steps, instances, method=METHOD, valid_for=EVERY)


MOMENTUM = Control("client momentum 1/100", dict(momentum="1/100"))
equation_8 = identity_claim(
    "MX-EQ8",
    source="equation (8)",
    printed=dict(subtract="0", divide="eta", momentum="0", own=False),
    statement=r"\bar g^{(t)}=-\frac1{\eta K_i}\Delta_i^{(t)}=\frac1{K_i}\sum_{k<K_i}\big(g_i(x_i^{(t,k)})+\tilde g_c^{(t)}\big)",
    summary="The mean total direction applied on a client is its change over -eta K_i, for client SGD.",
    controls=[MOMENTUM, Control("gt_c subtracted", dict(subtract="1"))],
)(per_client)
equation_9 = identity_claim(
    "MX-EQ9",
    source="equation (9)",
    printed=dict(subtract="1", divide="eta", momentum="0", own=True),
    statement=r"\bar g_i^{(t)}=-\frac1{\eta K_i}\Delta_i^{(t)}-\tilde g_c^{(t)}=\frac1{K_i}\sum_{k<K_i}g_i(x_i^{(t,k)})",
    summary="Without the augmenting gradient it is the mean of the client's own gradients.",
    controls=[MOMENTUM, Control("0.99 gt_c subtracted", dict(subtract="99/100"))],
)(per_client)


def cohort_mean(weights: str, subtract: str) -> Evidence:
    """Equation (10) against the mean over clients and steps; ``weights`` of the clients' means are K_i or one."""
    shift = u * sp.Rational(subtract)
    joined = -eta * (T + M * u) - eta * (S + K * u)
    steps = [
        *induction(eta, u),
        identity("one more client", joined, -eta * (T + S + (M + K) * u)),
        identity("display", -(-eta * (T + M * u)) / (eta * M) - shift, T / M),
    ]
    instances = []
    for counts in ((1, 1), (1, 2), (3, 1, 2)):
        sums = sp.symbols(f"s_1:{len(counts) + 1}")
        total = sum((-eta * (s + k * u) for s, k in zip(sums, counts, strict=True)), sp.Integer(0))
        left = -total / (eta * sum(counts)) - shift
        scale = counts if weights == "K_i" else [1] * len(counts)
        right = sum((w * s / k for w, s, k in zip(scale, sums, counts, strict=True)), sp.Integer(0)) / sum(scale)
        steps.append(identity(f"K_i={counts}", left, right))
        at = [side.subs({s: i + 1 for i, s in enumerate(sums)}) for side in (left, right)]
        instances.append(numbers_of(*at, f"K_i={counts}, gradient sums 1, 2, ..., gt_c=3"))
    return settle(steps, instances, method=METHOD, valid_for=EVERY)


of_cohort = identity_claim.sharing(
    printed=dict(weights="K_i", subtract="1"),
    controls=[Control("clients weighted alike", dict(weights="1")), Control("gt_c not subtracted", dict(subtract="0"))],
)
equation_10 = of_cohort(
    "MX-EQ10",
    source="equation (10)",
    statement=r"\frac{\sum_iK_i\bar g_i^{(t)}}{\sum_iK_i}=-\frac1{\eta\sum_iK_i}\sum_i\Delta_i^{(t)}-\tilde g_c^{(t)}",
    summary="The K_i-weighted mean over the cohort follows from the plain sum of changes.",
)(cohort_mean)
federated_estimate = of_cohort(
    "MX-ALG-GCEST.2",
    source="Algorithm 1, last line",
    statement=r"\tilde g_f^{(t+1)}=\frac{\sum_i\sum_{k<K_i}g_i(x_i^{(t,k)})}{\sum_iK_i}",
    summary="The augmenting federated gradient is the mean over all clients and steps, for every eta_c and unequal K_i.",
)(cohort_mean)


def central_estimate(divisor: str, central_rate: str) -> Evidence:
    """-Delta_c/(divisor K) - gt_f against the mean of the central gradients."""
    rates = {"eta": eta, "eta_c": eta_c}
    rate = rates[central_rate]
    left, right = rate * (S + K * v) / (rates[divisor] * K) - v, S / K
    return settle(
        [*induction(rate, v), identity("renewal", left, right)],
        [numbers_of(left, right, "K=2, central gradients with sum 2, gt_f=7, eta=1/2, eta_c=1/5")],
        method="induction over the central steps",
        valid_for="all losses, K, d; J = K",
    )


_ANY_RATE = Control("any eta_c", dict(central_rate="eta_c"))
central_equal = identity_claim(
    "MX-ALG-GCEST.1",
    headline="The renewed central gradient is the mean gradient if both rates are equal",
    source="Algorithm 1, last line but one; Section 4",
    printed=dict(divisor="eta", central_rate="eta"),
    statement=r"\eta_c=\eta\Rightarrow\tilde g_c^{(t+1)}=\tfrac1K\sum_{k<K}g_c(x_c^{(t,k)})",
    summary="With equal rates, as in all printed experiments (eta_c = eta eta_s, eta_s = 1), the printed renewal is the mean "
    "central gradient; with others the divisor eta makes it (eta_c/eta)(mean + gt_f) - gt_f.",
    controls=[_ANY_RATE],
    unprinted=Unprinted("eta_c = eta", _ANY_RATE.name),
)(central_estimate)
central_repaired = identity_claim(
    "MX-ALG-GCEST.1-R1",
    source="Algorithm 1, last line but one, corrected",
    printed=dict(divisor="eta_c", central_rate="eta_c"),
    statement=r"\tilde g_c^{(t+1)}=-\frac{\Delta_c^{(t)}}{\eta_cK}-\tilde g_f^{(t)}=\frac1K\sum_{k<K}g_c(x_c^{(t,k)})",
    summary="Divided by the central rate it is the mean central gradient.",
    controls=[Control("divisor eta", dict(divisor="eta"))],
)(central_estimate)


@table_of_an_instance(
    "MX-A1-DOWNLOAD",
    source="Appendix A.1",
    printed=dict(factor=2, algorithms="1-way 2-way"),
    statement=r"\text{download of 1-w and 2-w GT}=2\times\text{download of PT};\ \text{upload equal}",
    summary="Counted in the rounds: model and augmenting gradient go down, one vector comes up (down + up: 3 against 2, as in "
    "Table 5).",
    controls=[Control("factor 3", dict(factor=3)), Control("PT too", dict(algorithms="1-way 2-way PT"))],
)
def download(factor: int, algorithms: str) -> Evidence:
    wrong, counts = [], {}
    for steps, n in product((1, 2, 5), (1, 4)):
        made = {
            "PT": fl.ParallelTraining(steps, 1, 1),
            "1-way": fl.OneWayGradientTransfer(steps, 1),
            "2-way": fl.TwoWayGradientTransfer(steps, 1, 1),
        }
        found = {name: fl.cost((n, 3), algorithm, rounds=2).round(1) for name, algorithm in made.items()}
        counts = {name: f"{c.down} down, {c.up} up" for name, c in found.items()}
        wrong += [
            f"K={steps}, N={n}, {name}: {found[name].down} down, {found[name].up} up, against PT's {found['PT'].down} down, "
            f"{found['PT'].up} up"
            for name in algorithms.split()
            if found[name].down != factor * found["PT"].down or found[name].up != found["PT"].up
        ]
    return read(
        not wrong,
        method="vectors sent and averaged in round 2, counted by the cost reading, K = 1, 2, 5, N = 1, 4; "
        "the first round of 2-way GT sends a zero gradient for free",
        examined=6 * len(algorithms.split()),
        rung=Rung.EXACT,
        numbers=counts,
        counterexample=next(iter(wrong), ""),
        valid_for="uncompressed vectors of the model's size",
    )


if __name__ == "__main__":
    run_script(__file__)
