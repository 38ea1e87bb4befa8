"""Rates of mixed FL on small logistic regressions with exact gradients (Augenstein et al., 2022, C.2, C.4.3): no noise, no cohorts.

Forty-eight problems: 200 points in the plane with labels from a logistic model, ridge 0.01, w_f = 0.73, w_c = 0.27, K = 16,
eta_c = eta, four clients; in half of them clients and server have points of one distribution, in the others one label each.  A
rate diverges if the objective of the second half of the rounds is, in level, not below that of the start.  Rates, rounds and
tolerances were chosen on problems of another seed (909).
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np

import fltheory as fl
from fltheory.evidence.kinds import experiment_claim, run_script
from fltheory.evidence.model import Control, Evidence
from fltheory.experiments.files import Array, Result
from fltheory.experiments.paired import DIVERGED, compare, judge
from verify.mixed2022.analogues import LOGISTIC

SEED, PROBLEMS, K, WEIGHT, ROUNDS = 910, 24, 16, 0.73, 60
RATES = tuple(float(2**i) for i in range(-1, 6))
#: Rate of 2-way GT in the count of rounds, and how far runs are followed for it.
ETA, LONGEST = 1 / 16, 160
KINDS = ("one distribution", "one label each")
ALGORITHMS: dict[str, Callable[[float, int], Any]] = {
    "PT": lambda e, steps: fl.ParallelTraining(steps, e, e),
    "1-w GT": lambda e, steps: fl.OneWayGradientTransfer(steps, e),
    "2-w GT": lambda e, steps: fl.TwoWayGradientTransfer(steps, e, e),
}


def problem(kind: str, number: int) -> fl.MixedProblem:
    """One of the problems; its points depend on the seed, the kind and the number."""
    rng = np.random.default_rng(np.random.SeedSequence([SEED, KINDS.index(kind), number]))
    points = np.hstack([rng.standard_normal((200, 2)), np.ones((200, 1))])
    labels = np.where(rng.random(200) < 1 / (1 + np.exp(points[:, 1] - 2 * points[:, 0])), 1, -1)
    mine = np.arange(200) < 100 if kind == "one distribution" else labels > 0
    ridge = fl.Regulariser(0.01, "lambda/2|w|^2")
    parts = np.array_split(np.flatnonzero(mine), 4)
    clients = fl.LogisticProblem(tuple(points[p] for p in parts), tuple(labels[p] for p in parts), ridge)
    centre = fl.LogisticProblem((points[~mine],), (labels[~mine],), ridge)
    return fl.MixedProblem(fl.Scaled(clients, WEIGHT), fl.Scaled(centre, 1 - WEIGHT))


def curve(case: fl.MixedProblem, name: str, eta: float, rounds: int, *, every: int, steps: int = K) -> Array:
    """The objective at the records of one run."""
    run = fl.simulate(case, ALGORITHMS[name](eta, steps), rounds=rounds, record_every=every, reference=False, threads=1)
    return np.minimum(run.objective[0], DIVERGED)


@cache
def onsets(kind: str, number: int) -> dict[str, int]:
    """Place in the sweep of the first rate that diverges; the others are followed one rate beyond that of 2-way GT."""
    case, found, last = problem(kind, number), {}, len(RATES)
    for name in ("2-w GT", "PT", "1-w GT"):
        found[name] = last
        for place, eta in enumerate(RATES[:last]):
            values = np.log(curve(case, name, eta, ROUNDS, every=ROUNDS // 4))
            if not values[2:].mean() < values[0]:
                found[name] = place
                break
        last = min(found["2-w GT"] + 2, len(RATES))
    return found


def judged(gaps: Mapping[str, Array], below: float, method: str, numbers: Mapping[str, float], where: str) -> Evidence:
    """Whether all gaps over the problems are below a number."""
    comparisons = [compare(words, gap, below, tests=len(gaps), data="all") for words, gap in gaps.items()]
    found = judge(comparisons, method=method, numbers=numbers, result=Result({"form": "deterministic"}))
    return replace(found, seeds=(SEED,), valid_for=f"{PROBLEMS} logistic regressions, {where}")


def first_to_diverge(first: str, then: tuple[str, ...], kind: str, by: float) -> Evidence:
    """Claim: ``first`` diverges at an earlier rate of the sweep than each of ``then``, by more than ``by`` doublings."""
    cases = [onsets(kind, number) for number in range(PROBLEMS)]
    return judged(
        {
            f"doublings of the rate: {first} minus {other}": np.array([c[first] - c[other] for c in cases], dtype=float)
            for other in then
        },
        -by,
        "Sweep of eta = eta_c from 1/2 in factors of two up to the rate after that at which "
        "2-way GT diverges; exact gradients.",
        {"2-w GT diverges at, median": float(2.0 ** (np.median([c["2-w GT"] for c in cases]) - 1))},
        f"{kind} on the two sides, w_f=0.73, K=16, {ROUNDS} rounds",
    )


of_logistic = experiment_claim.sharing(analogue=LOGISTIC, quick=False)
diverge_rows = [
    of_logistic(
        f"MX-C2-DIV.2[{reading}]",
        headline=headline,
        source="Appendix C.2, general notes",
        statement=r"\eta_{2w}<\eta_{PT},\eta_{1w}",
        printed=dict(first="2-w GT", then=("PT", "1-w GT"), kind=kind, by=0),
        summary=summary,
        controls=[
            Control("Parallel Training first", dict(first="PT", then=("2-w GT",))),
            Control("by more than two doublings", dict(by=2.5)),
        ],
    )(first_to_diverge)
    for reading, kind, headline, summary in (
        (
            "logistic regression",
            "one distribution",
            "On small generated logistic regressions 2-way transfer is the first to diverge",
            "2-way GT is the first to diverge on small logistic regressions without noise (clients and server alike; K = 16).",
        ),
        (
            "logistic regression, one label on each side",
            "one label each",
            "2-way transfer diverges first on generated problems with one label on each side",
            "The same where clients hold one label and the server the other.",
        ),
    )
]


@cache
def minimum(number: int) -> float:
    """The least objective of a problem with one distribution on both sides."""
    case = problem("one distribution", number)
    sides = case.clients.problem, case.centre.problem
    points = tuple(np.concatenate(side.features) for side in sides)
    labels = tuple(np.concatenate(side.labels) for side in sides)
    pooled = fl.LogisticProblem(points, labels, sides[0].regulariser, weights=np.array([WEIGHT, 1 - WEIGHT]))
    return float(pooled.constants.minimum)


@cache
def rounds_needed(number: int, name: str, eta: float) -> int:
    """First round (K = 4) at which the objective has come 99 % of its way to the minimum."""
    values = curve(problem("one distribution", number), name, eta, LONGEST, every=1, steps=4)
    reached = values <= minimum(number) + 0.01 * (values[0] - minimum(number))
    if not reached.any():
        raise ValueError(f"problem {number}, {name}, eta={eta}: not there in {LONGEST} rounds; more are needed")
    return int(reached.argmax())


def share_of_rounds(factor: float, low: float, high: float) -> Evidence:
    """Claim: Parallel Training at ``factor`` eta needs ``low`` to ``high`` of the rounds of 2-way GT at eta = 1/16."""
    needed = [(rounds_needed(n, "PT", factor * ETA), rounds_needed(n, "2-w GT", ETA)) for n in range(PROBLEMS)]
    ratios = np.array([ours / theirs for ours, theirs in needed])
    return judged(
        {
            f"rounds of PT at {factor:g} eta over those of 2-way GT at eta, minus {high:g}": ratios - high,
            f"{low:g} minus the same": low - ratios,
        },
        0.0,
        "Rounds until 99 % of the way to the minimum; exact gradients, K = 4.",
        {"median": float(np.median(ratios))},
        "one distribution on both sides, eta = 1/16, K = 4, w_f = 0.73",
    )


rate_rows = [
    of_logistic(
        "MX-FIG10-EARLY-U2.1",
        source="Figure 10, Appendix C.4.3",
        statement=r"T_{PT}(3\eta)\approx\tfrac23T_{2w}(\eta)",
        printed=dict(factor=3.0, low=0.6, high=0.75),
        headline="At three times the rate Parallel Training needs two thirds of the rounds of 2-way transfer",
        summary="A limit of the observation that the rate does not change the number of rounds: without noise, "
        "Parallel Training at 3 eta needs about 2/3 of the rounds of 2-way GT at eta (logistic regression; quadratics: "
        "MX-FIG10-EARLY-U1).",
        controls=[Control("the same number of rounds", dict(low=0.9, high=1.1)), Control("at 2 eta", dict(factor=2.0))],
    )(share_of_rounds),
    of_logistic(
        "MX-FIG10-EARLY-U2.2",
        source="Table of the language task",
        statement=r"T_{PT}(2\eta)\approx T_{2w}(\eta)",
        printed=dict(factor=2.0, low=0.9, high=1.1),
        headline="At twice the rate Parallel Training needs as many rounds as 2-way transfer",
        summary="At twice the rate of 2-way GT, as in the table of the language task, Parallel Training needs the same "
        "number of rounds.",
        controls=[Control("at equal rates", dict(factor=1.0)), Control("at 3 eta", dict(factor=3.0))],
    )(share_of_rounds),
]

if __name__ == "__main__":
    run_script(__file__)
