"""Algorithms 1 and 2 of Augenstein et al. (2022): the listings, FedAvg as their reduction, state, sum or average.

The package's own rounds, as programs over unknown losses, against what the listings say.  The index J of Algorithm 1 is
defined nowhere: either it is K, the number of steps of the central loop, or the central loop is meant to make J steps.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Any

import sympy as sp

import fltheory as fl
from fltheory.algorithms.vocabulary import Vector, leaves
from fltheory.evidence.decide import read
from fltheory.evidence.kinds import identity_claim, qualitative_claim, run_script
from fltheory.evidence.model import Control, Evidence
from fltheory.readings.gram import ProgramFederation, program
from fltheory.theory.steps import Instance, Step, equality, identity
from verify.mixed2022 import updates
from verify.mixed2022.settled import settle
from verify.mixed2022.updates import average, central_update, eta, eta_c, eta_m, eta_s, g, h, induction, traced, x

STEPS = (1, 2, 3, 4)
METHOD = (
    "The package's round as a program over unknown losses (averages are linear and fix constants, which removes N, S, the "
    "weights and d) equals the display for K = 1, ..., 4, a loop with one body for all steps; for every K the listing's "
    "change is -rate (sum of gradients + K shift), by induction over the steps."
)
EVERY = "all losses and oracles, every N, S, d, all rates; equal client steps and batches"
Pair = tuple[str, tuple[Any, ...], tuple[Any, ...]]
RATE = Fraction(1, 4)


def judge(pairs: Iterable[Pair], extra: Iterable[Step] = (), counts: Iterable[Instance] = ()) -> Evidence:
    """Identities for all losses, each with its value on one instance."""
    steps, instances = list(extra), list(counts)
    for name, left, right in pairs:
        proved, found = updates.compared(name, left, right)
        steps += proved
        instances += found
    return settle(steps, instances, method=METHOD, valid_for=EVERY)


def one_way(steps: int) -> tuple[Any, ...]:
    return traced(lambda e, c, s, m: fl.OneWayGradientTransfer(steps, e, s), (x,))


def parallel(steps: int, merge: str = "sum") -> tuple[Any, ...]:
    return traced(lambda e, c, s, m: fl.ParallelTraining(steps, e, c, s, m, merge=merge), (x,))


def two_way(steps: int, central_steps: int | None = None) -> tuple[Any, ...]:
    """One round of 2-way GT, traced over unknown losses."""
    return traced(
        lambda e, c, s, m: fl.TwoWayGradientTransfer(steps, e, c, s, m, central_steps), (x, updates.u, updates.v)
    )


def client_gradients(steps: int, shift: Any) -> Any:
    """Averages over the cohort of the gradients at the clients' points, summed over the steps."""
    at = [x + updates.client_update(x, k, shift) for k in range(steps)]
    return sum((average(g(y)) for y in at), sp.Integer(0))


def central_gradients(steps: int, shift: Any) -> Any:
    return sum((h(x + central_update(x, k, shift)) for k in range(steps)), sp.Integer(0))


@identity_claim(
    "MX-ALG2",
    source="Algorithm 2",
    printed=dict(copies="K", calls="1"),
    statement=r"x^{(t+1)}=x^{(t)}+\eta_s\frac{\sum_ip_i\Delta_i}{\sum_ip_i},\ \Delta_i=-\eta\Big(\sum_{k<K}g_i(x_i^{(t,k)})"
    r"+K\,g_c(x^{(t)})\Big),\ \text{one draw of }g_c\text{ per round}",
    summary="1-way Gradient Transfer: one central batch per round, whose gradient enters all K steps of all clients.",
    controls=[
        Control("it enters one step only", dict(copies="1")),
        Control("a central batch per step", dict(calls="K")),
    ],
)
def algorithm_2(copies: str, calls: str) -> Evidence:
    pairs, extra, counts = [], induction(eta, h(x)), []
    for steps in STEPS:
        many, wanted = (steps if word == "K" else int(word) for word in (copies, calls))
        display = x - eta_s * eta * (client_gradients(steps, h(x)) + many * h(x))
        pairs.append((f"K={steps}", one_way(steps), (display,)))
        found = len(program(fl.OneWayGradientTransfer(steps, RATE), rounds=1).registers("centre"))
        extra.append(identity(f"central gradients, K={steps}", found, wanted))
        counts.append(equality(f"K={steps}: central gradients per round", Fraction(found), Fraction(wanted)))
    return judge(pairs, extra, counts)


@identity_claim(
    "MX-ALG1-PT",
    source="Algorithm 1 without gradient sharing",
    printed=dict(factor="1", central_rate="eta_c"),
    statement=r"x^{(t+1)}=x^{(t)}-\eta_m\Big(\eta_c\sum_{k<K}g_c(x_c^{(t,k)})+\eta_s\eta\,"
    r"\frac{\sum_ip_i\sum_{k<K}g_i(x_i^{(t,k)})}{\sum_ip_i}\Big)",
    summary="Parallel Training makes K central steps and a round of FedAvg from the same model, and adds both updates.",
    controls=[
        Control("updates averaged", dict(factor="1/2")),
        Control("eta_s in front of both", dict(central_rate="eta_s*eta_c")),
    ],
)
def algorithm_1(factor: str, central_rate: str) -> Evidence:
    rate = sp.sympify(central_rate, locals={"eta_c": eta_c, "eta_s": eta_s})
    pairs = []
    for steps in STEPS:
        total = rate * central_gradients(steps, 0) + eta_s * eta * client_gradients(steps, 0)
        pairs.append((f"K={steps}", parallel(steps), (x - sp.Rational(factor) * eta_m * total,)))
    return judge(pairs, [*induction(eta, sp.Integer(0)), *induction(eta_c, sp.Integer(0))])


def two_way_listing(central_steps: str, shift: str, divisor: str) -> Evidence:
    """The listing executed literally, with as many central steps as ``central_steps`` says; they are counted by J."""
    pairs = []
    to_clients, to_centre = (updates.u, updates.v) if shift == "as printed" else (updates.v, updates.u)
    for steps, many in [(k, k) for k in STEPS] if central_steps == "K" else [(1, 2), (2, 1), (2, 3), (3, 2)]:
        moved_centre = central_update(x, many, to_centre)
        moved_clients = average(updates.client_update(x, steps, to_clients))
        by = {"eta J": eta * many, "eta K": eta * steps, "eta_c J": eta_c * many}[divisor]
        display = (
            x + eta_m * (moved_centre + eta_s * moved_clients),
            -moved_centre / by - updates.v,
            -moved_clients / (eta * steps) - updates.u,
        )
        pairs.append((f"K={steps}, J={many}", two_way(steps, many), display))
    return judge(pairs, [*induction(eta, updates.u), *induction(eta_c, updates.v)])


RENEWAL = r"\tilde g_f^{(t+1)}=-\textstyle\sum_i\Delta_i^{(t)}/(\eta\sum_iK_i)-\tilde g_c^{(t)}"

of_algorithm_1 = identity_claim.sharing(source="Algorithm 1")
OWN = Control("own gradients added instead of the other side's", dict(shift="swapped"))
two_way_as_listed = of_algorithm_1(
    "MX-ALG1-2W[J = K]",
    printed=dict(central_steps="K", shift="as printed", divisor="eta J"),
    statement=r"\Delta_c^{(t)}=x_c^{(t,K)}-x^{(t)},\ \tilde g_c^{(t+1)}=-\Delta_c^{(t)}/(\eta K)-\tilde g_f^{(t)},\ "
    + RENEWAL,
    summary="2-way Gradient Transfer with the undefined J read as K, the number of steps of the central loop: the listing "
    "runs, and it is the package's default (divisor eta as printed; the initial augmenting gradients are free).",
    controls=[OWN, Control("divisor eta_c J", dict(divisor="eta_c J"))],
)(two_way_listing)
two_way_own_count = of_algorithm_1(
    "MX-ALG1-2W[J central steps]",
    printed=dict(central_steps="J", shift="as printed", divisor="eta J"),
    statement=r"\Delta_c^{(t)}=x_c^{(t,J)}-x^{(t)},\ \tilde g_c^{(t+1)}=-\Delta_c^{(t)}/(\eta J)-\tilde g_f^{(t)},\ "
    + RENEWAL,
    summary="With J a number of its own, and a central loop of J steps (the printed loop makes K): the listing runs as well; "
    "it is the package's option central_steps.",
    controls=[Control("divisor eta K", dict(divisor="eta K")), OWN],
)(two_way_listing)


@of_algorithm_1(
    "MX-ALG1-2W-S1",
    printed=dict(u="0", v="0"),
    statement=r"\tilde g_c^{(0)}=\tilde g_f^{(0)}=0\Rightarrow x^{(1)}_{2w}=x^{(1)}_{PT}",
    headline="From zero augmenting gradients the first 2-way round is Parallel Training",
    summary="Started from zero augmenting gradients, the first round of 2-way GT is a round of Parallel Training.",
    controls=[Control("gt_c = 1/100", dict(u="1/100")), Control("gt_f = 1/100", dict(v="1/100"))],
)
def first_round(u: str, v: str) -> Evidence:
    start = {updates.u: sp.Rational(u), updates.v: sp.Rational(v)}
    return judge((f"K={k}", (sp.expand(two_way(k)[0].subs(start)),), parallel(k)) for k in STEPS)


@identity_claim(
    "MX-ALG-FEDAVG",
    source="Section 2; Algorithms 1 and 2",
    printed=dict(additions="dropped", merge="1"),
    statement=r"\tilde g_c=0,\ \Delta_c=0,\ \eta_m=1\ \Rightarrow\ \text{FedAvg}",
    summary="Without the added steps (central gradients, merging) both algorithms are FedAvg with a server step size.",
    controls=[Control("eta_m = 1.01", dict(merge="101/100")), Control("additions kept", dict(additions="kept"))],
)
def fedavg(additions: str, merge: str) -> Evidence:
    pairs = []
    for steps in STEPS:
        plain = traced(lambda e, c, s, m, k=steps: fl.TwoSidedFedAvg(k, e, s), (x,))  # type: ignore[misc]
        for name, (model,) in (("1-way", one_way(steps)), ("parallel", parallel(steps))):
            bare = model.subs(eta_m, sp.Rational(merge))
            if additions == "dropped":
                bare = bare.replace(h, lambda y: sp.Integer(0))
            pairs.append((f"{name}, K={steps}", (sp.expand(bare),), plain))
    return judge(pairs)


@qualitative_claim(
    "MX-ALG-2WSTATE",
    source="Section 3",
    printed=dict(algorithm="2-way"),
    statement=r"\text{state of 2-w GT}=(x,\tilde g_c,\tilde g_f)\in\mathbb R^{3d}\text{ for every }N",
    summary="2-way GT remembers two vectors beside the model, at the server; SCAFFOLD one more per client.",
    controls=[Control("SCAFFOLD", dict(algorithm="SCAFFOLD"))],
)
def state(algorithm: str) -> Evidence:
    made = {"2-way": fl.TwoWayGradientTransfer(2, RATE, RATE), "SCAFFOLD": fl.Scaffold(2, RATE)}[algorithm]
    fed = ProgramFederation(made.participation, noisy=False, n_clients=None)
    begin = made.start(fed, fed.given())
    fed.begin(0)
    kinds = [isinstance(leaf, Vector) for leaf in (*leaves(begin), *leaves(made.round(fed, begin)))]
    beside = len(kinds) // 2 - 1
    return read(
        all(kinds) and beside == 2,
        method="The state before and after a round that is told neither N nor d: how many "
        "leaves, and whether each is one vector at the server.",
        examined=len(kinds),
        numbers={"vectors beside the model": beside, "of them one per client": kinds[1 : beside + 1].count(False)},
        counterexample=f"{algorithm}: {kinds[: beside + 1].count(False)} of the {beside} vectors beside the model "
        "has one copy per client, N d numbers",
        valid_for="every N, d",
    )


@identity_claim(
    "MX-MERGE-AVG",
    source="Section 2, text; Algorithm 1",
    printed=dict(factor="1/2"),
    statement=r"x+\eta_m\tfrac{\Delta_c+\Delta_f}2=x+\tfrac{\eta_m}2(\Delta_c+\Delta_f)",
    summary="Algorithm 1 adds the two updates; the average that the text gives as an example is the same merge at half the "
    "merging rate: eta_m = 1/2 averages. (The printed experiments have eta_m = 1, the theorems eta_m >= 1: the sum.) The "
    "merging rate multiplies the move and changes no fixed point.",
    controls=[Control("the same merging rate", dict(factor="1")), Control("0.51 of it", dict(factor="51/100"))],
)
def merge_average(factor: str) -> Evidence:
    half = {eta_m: eta_m * sp.Rational(factor)}
    extra = []
    for steps in STEPS:
        (model,) = parallel(steps)
        move = sp.expand(model - x)
        extra.append(identity(f"the move is eta_m times another, K={steps}", move, eta_m * move.subs(eta_m, 1)))
    return judge(((f"K={k}", parallel(k, "average"), (sp.expand(parallel(k)[0].subs(half)),)) for k in STEPS), extra)


if __name__ == "__main__":
    run_script(__file__)
