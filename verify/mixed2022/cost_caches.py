"""Steps per round and cache sizes of the three tasks of Augenstein et al. (2022), Appendices C.2 and C.4.2."""

from __future__ import annotations

from fractions import Fraction
from math import floor

import numpy as np

import fltheory as fl
from fltheory.evidence.decide import read
from fltheory.evidence.model import Control, Evidence, Kind, Outcome, Rung, Scope, claim
from fltheory.problems.samples import QuadraticSamples

TABLE = dict(kind=Kind.TABLE, scope=Scope.TEXT)
#: task: (steps K, batch |B_i|, mean cache); smiling faces only are about half of the 63 images of a composite client
TASKS = {"smile": (2, 5, Fraction(63, 2)), "language": (16, 8, Fraction(400)), "movies": (10, 16, Fraction(160))}


def second_step_runs() -> bool:
    """Whether FedAvg takes K = 2 steps with batches of 1 on a client that has one example."""
    one = QuadraticSamples(np.ones((1, 1, 1)), np.ones((1, 1)))
    run = fl.simulate(fl.QuadraticProblem.from_samples([one]), fl.FedAvg(2, 0.5), rounds=1, oracle=fl.MiniBatch(1))
    return bool(run.completed)


def within(tasks: tuple[str, ...], extra: int, reuse: bool) -> Evidence:
    """K + extra <= mean cache/|B_i| for the tasks; with ``reuse`` also for a client with one example."""
    limits = {task: TASKS[task][2] / TASKS[task][1] for task in tasks}
    over = [
        f"{task}: K = {TASKS[task][0] + extra} > {float(limits[task])}"
        for task in tasks
        if TASKS[task][0] + extra > limits[task]
    ]
    if reuse and second_step_runs():
        over.append("one client with 1 example, |B_i| = 1: K = 2 > 1, and the round runs")
    slack = min(limits[t] / (TASKS[t][0] + extra) - 1 for t in tasks)
    return read(
        not over,
        rung=Rung.READING,
        method="mean cache divided by the batch size, against K",
        examined=len(tasks) + reuse,
        margin=None if over else float(slack),
        counterexample="; ".join(over),
        numbers={task: f"K = {TASKS[task][0]}, limit {float(limit)}" for task, limit in limits.items()},
    )


cache_row = claim(
    "MX-C42-CACHE",
    **TABLE,
    source="Appendix C.4.2",
    statement=r"K\le\frac{\text{cache}}{|\mathcal{B}_i|}",
    printed=dict(tasks=tuple(TASKS), extra=0, reuse=False),
    assumptions=("a round uses no example of a client twice",),
    summary="K is at most cache over batch size when a round uses no example twice; the three tasks keep to it on average "
    "(smile 2 of 6.3, language 16 of 50, movies 10 of 10, which clients with fewer than 160 examples cannot reach). The "
    "limit is one of practice: Algorithm 1, which draws a batch in every step, runs beyond it.",
    controls=[
        Control("one step more in every task", dict(extra=1)),
        Control("batches drawn anew in every step, examples used again", dict(reuse=True)),
    ],
)(within)


def most_use(tasks: tuple[str, ...], cache: str, extra: int) -> Evidence:
    """Whether K is the largest number of whole batches in the mean cache, or can be that in the smallest one."""
    best = {task: floor(TASKS[task][2] / TASKS[task][1]) for task in tasks}
    steps = {task: TASKS[task][0] + extra for task in tasks}
    wrong = [
        f"{t}: K = {steps[t]}, {k} batches fit in the mean cache"
        for t, k in best.items()
        if (steps[t] != k if cache == "mean" else steps[t] > k)  # the smallest cache is at most the mean
    ]
    used = {t: float(steps[t] * TASKS[t][1] / TASKS[t][2]) for t in tasks}
    numbers = {f"{t}: share of the mean cache used": u for t, u in used.items()}
    method = "K |B_i| against the mean cache"
    if cache == "smallest" and not wrong:
        return Evidence(
            Rung.READING,
            Outcome.NOT_CHECKABLE,
            method,
            len(tasks),
            numbers=numbers,
            would_settle="the sizes of the clients' caches; only their means are printed",
        )
    return read(
        not wrong,
        rung=Rung.READING,
        method=method,
        examined=len(tasks),
        margin=None if not wrong else -abs(1 - min(used.values())),
        counterexample="; ".join(wrong),
        numbers=numbers,
    )


_EACH = "MX-EXP-KCACHE[the most that all caches allow]"
_USE = dict(**TABLE, source="Appendix C.2, hyperparameters", statement=r"K|\mathcal{B}_i|\text{ against the cache}")
use_rows = [
    claim(
        _EACH,
        **_USE,
        printed=dict(tasks=tuple(TASKS), cache="smallest", extra=0),
        summary="With one K for all clients the smallest caches decide, and these are not printed. What follows from the "
        "means is met: a round uses 10 of about 31 (smile), 128 of about 400 (language), 160 of about 160 examples.",
        controls=[Control("one step more in every task", dict(extra=1))],
    )(most_use),
    claim(
        "MX-EXP-KCACHE[the most that the mean cache allows]",
        **_USE,
        repair=_EACH,
        printed=dict(tasks=tuple(TASKS), cache="mean", extra=0),
        summary="K makes the most use of the mean cache in the movie task only; in the other two it uses 32 %, and three "
        "times as many steps fit (only mean cache sizes are printed; clients with small caches may explain it).",
        controls=[Control("movie task alone", dict(tasks=("movies",)), must="pass")],
    )(most_use),
]

if __name__ == "__main__":
    from fltheory.evidence.runner import run_script

    run_script(__file__)
