r"""Appendix B.1 of Li et al. (2020): the virtual gradient, the most recent cohort, and "activate all, use a few".

The two definitions are type-checked on the smallest instance.  The equivalence of the two ways of running a round is a
coupling: the new model is one and the same function of the cohort and of the cohort's local models, because absent
devices have coefficient zero.  Whether a device drawn twice runs once or twice is a reading of its own.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import sympy as sp

from fltheory.evidence.ends import by_proof_or_instance
from fltheory.evidence.kinds import definition_in_words, identity_claim, run_script
from fltheory.evidence.model import Control, Evidence, Outcome, Rung
from fltheory.theory import sampling
from fltheory.theory.proofs import equal, nonnegative_on
from fltheory.theory.sampling import K, N, average_over_clients, compare, independent_draws, plain_average

ETA = Fraction(1, 10)


def virtual_gradient(entry: str) -> Evidence:
    """Judge vbar_{t+1} = wbar_t - eta g_t for g_t = sum p_k (entry of client k)."""
    w, eta, g, value, mean_g, mean_value = sp.symbols("w eta g F gbar Fbar")
    used = g if entry == "gradient" else value
    averages = {g: mean_g, value: mean_value}
    model = average_over_clients(w - eta * g, averages)
    claimed = w - eta * average_over_clients(used, averages)
    proved = equal(model, claimed)
    # one client, F(w) = w^2/2, w = 1: gradient 1, value 1/2
    point = Fraction(1)
    right = point - ETA * (point if entry == "gradient" else point**2 / 2)
    true = point - ETA * point
    return by_proof_or_instance(
        proved,
        "" if right == true else f"N=1, F=w^2/2, w=1, eta={ETA}: v={true}, wbar-eta g={right}",
        "The p-average of (21) is wbar - eta sum p_k grad F_k; it is compared with wbar - eta g_t as a linear "
        "expression. In more than one dimension a sum of values cannot be subtracted from a vector.",
        2,
        valid_for="all N, weights of sum one, dimensions",
    )


of_the_notation = definition_in_words.sharing(source="Section B.1")
VIRTUAL = r"\Rightarrow\ \bar v_{t+1}=\bar w_t-\eta_tg_t"

g_printed = of_the_notation(
    "LI-B1-G.1",
    fault="slip",
    statement=r"g_t=\sum_kp_kF_k(w^k_t,\xi^k_t)\ " + VIRTUAL,
    repair="LI-B1-G.1-R1",
    headline="Function values are printed where gradients are meant",
    summary="g_t is printed with function values in place of gradients (a slip: A.1 has the gradients).",
    printed=dict(entry="value"),
    controls=[Control("gradients", dict(entry="gradient"), must="pass")],
)(virtual_gradient)

g_repaired = of_the_notation(
    "LI-B1-G.1-R1",
    statement=r"g_t=\sum_kp_k\nabla F_k(w^k_t,\xi^k_t)\ " + VIRTUAL,
    summary="With gradients in g_t, as in A.1, the display is right.",
    printed=dict(entry="gradient"),
    controls=[Control("values", dict(entry="value"))],
)(virtual_gradient)


def most_recent(first: int, from_step: str) -> Evidence:
    """Judge that N(t,E) = max{n <= t, n in I_E} exists, I_E = {first E, (first+1) E, ...}, for all t >= from_step."""
    start = {"0": lambda e: 0, "E": lambda e: e}[from_step]
    cases = [(e, t) for e in range(1, 5) for t in range(start(e), 12)]
    without = ((e, t) for e, t in cases if not any(n * e <= t for n in range(first, t + 1)))
    missing = [f"E={e}, t={t}: no element of I_E is at most t, the maximum is over the empty set" for e, t in without]
    # the smallest t against the smallest element first E
    local = sp.Symbol("E")
    proved = nonnegative_on({"0": sp.Integer(0), "E": local}[from_step] - first * local, [(local, 1, None)])
    method = (
        "The set {n <= t, n in I_E} is empty exactly when t is below the smallest element of I_E; listed for E <= "
        "4, t < 12."
    )
    return by_proof_or_instance(proved, "".join(missing[:1]), method, len(cases), valid_for="all E >= 1")


recent_printed = of_the_notation(
    "LI-B1-G.2",
    fault="slip",
    statement=r"S_t=H_{N(t,E)},\ N(t,E)=\max\{n\le t,\ n\in I_E\}\ \text{for every } t\ge0",
    headline="The most recent cohort is undefined during the first round",
    summary="The most recent cohort is not defined in the first round (t < E). Harmless: the analysis uses S at "
    "synchronisation steps only.",
    repair="LI-B1-G.2-R1",
    printed=dict(first=1, from_step="0"),
    controls=[Control("from t = E on", dict(from_step="E"), must="pass"), Control("I_E from 2E on", dict(first=2))],
)(most_recent)

recent_repaired = of_the_notation(
    "LI-B1-G.2-R1",
    statement=r"N(t,E)=\max\{n\le t,\ n\in I_E\}\ \text{for } t\ge E",
    summary="The most recent cohort for t >= E; in the first round all devices hold w_0.",
    printed=dict(first=1, from_step="E"),
    controls=[Control("from t = 0 on", dict(from_step="0"))],
)(most_recent)


def second_moment_one_run(weights: tuple[Fraction, ...], k: int) -> Fraction:
    """E w^2 after one round from 0: each device has one model, +1 or -1 with probability 1/2, all are computed."""
    n = len(weights)
    total = Fraction(0)
    for models in product((Fraction(1), Fraction(-1)), repeat=n):
        for probability, counts in sampling.weighted_draws(weights, k):
            total += probability * sampling.weighted_mean(plain_average(counts, weights)[0], models) ** 2
    return total / 2**n


def second_moment_sampled_first(weights: tuple[Fraction, ...], k: int, repeats: str) -> Fraction:
    """The same when the cohort is drawn first and only its devices compute, once per device or once per draw."""
    total = Fraction(0)
    for probability, order in independent_draws(weights, k):
        slots = list(order) if repeats == "one run" else list(range(k))
        names = sorted(set(slots))
        values = Fraction(0)
        for models in product((Fraction(1), Fraction(-1)), repeat=len(names)):
            value = dict(zip(names, models, strict=True))
            values += (sum((value[slot] for slot in slots), start=Fraction(0)) / k) ** 2
        total += probability * values / 2 ** len(names)
    return total


def activate_all(repeats: str, absent: str) -> Evidence:
    """Judge that activating all devices gives the process of the sampled devices alone."""
    count, p = sp.symbols("count p")
    # coefficient of a device drawn `count` times: Scheme I, Scheme II, original rule
    coefficients = [count / K, N / K * p * count, p * count]
    if absent == "counted":
        coefficients.append(p)
    differences = [c.subs(count, 0) for c in coefficients]
    if repeats == "separate runs":
        differences.append((1 - 1 / K) * p**2)  # the pairs of draws of one device share their noise or not

    cases = []
    for weights, k in product(((Fraction(1, 2),) * 2, (Fraction(2, 3), Fraction(1, 3))), (1, 2)):
        squares = sum((w**2 for w in weights), start=Fraction(0))
        every = squares if absent == "counted" else second_moment_one_run(weights, k)
        name = f"p=({', '.join(map(str, weights))}), K={k}, local models +1/-1: E w^2"
        cases.append((name, every, second_moment_sampled_first(weights, k, repeats)))
    found = compare(differences, cases)
    return Evidence(
        Rung.PROOF,
        Outcome(found.outcome),
        "Coupling with the same cohort and the same samples: the coefficient of a device that was not drawn is zero "
        "in each rule, so the next model is the same function of the drawn devices' models, and nothing else is "
        "carried over. The law of one round is enumerated on two devices.",
        found.examined,
        counterexample=found.mismatch,
        valid_for="all N, K, weights; Schemes I, II and the original rule; no state kept on devices",
    )


of_the_scheme = identity_claim.sharing(source="Section B.1, updating scheme")

one_run = of_the_scheme(
    "LI-B1-EQV[a device drawn twice runs once]",
    statement=r"\big(\text{all run, }S\text{ averaged}\big)\overset d=\big(S\text{ runs and is averaged}\big)",
    summary="Activating all devices and using the sampled ones gives the same process when each device has one "
    "local run.",
    printed=dict(repeats="one run", absent="dropped"),
    controls=[
        Control("separate runs for repeated draws", dict(repeats="separate runs")),
        Control("absent devices counted with their weight", dict(absent="counted")),
    ],
)(activate_all)

separate_runs = of_the_scheme(
    "LI-B1-EQV[every draw is a run of its own]",
    fault="reading",
    statement=r"\big(\text{all run once, }S\text{ averaged}\big)\overset d=\big(\text{each draw in }S\text{ runs "
    r"afresh}\big)",
    headline="If a device drawn twice runs twice, the analysed process is another one",
    summary="B.1 also says that each activation is independent of the rest: if a device drawn twice runs twice with "
    "fresh samples, the processes differ; separate runs have the smaller variance, by (1-1/K) sum p_k^2 times the "
    "noise.",
    repair="LI-B1-EQV[a device drawn twice runs once]",
    printed=dict(repeats="separate runs", absent="dropped"),
    controls=[Control("one run per device", dict(repeats="one run"), must="pass")],
)(activate_all)


if __name__ == "__main__":
    run_script(__file__)
