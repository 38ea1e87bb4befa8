"""Appendix C.3, C.2 and C.4.2 of Augenstein et al. (2022): operations of the recommendation task; steps against caches of all."""

from fractions import Fraction
from math import floor

import numpy as np
import sympy as sp

import fltheory as fl
from fltheory.evidence.algebra import statement_of_algebra
from fltheory.evidence.kinds import identity_claim, run_script, table_claim
from fltheory.evidence.model import Control, Evidence, Outcome, Rung
from fltheory.evidence.relations import Relations
from fltheory.problems.samples import QuadraticSamples
from fltheory.theory.mixed2022.cost_model import Recommendation, rounds_to
from fltheory.theory.steps import equality, hypothesis, identity
from verify.mixed2022.printed_numbers import as_printed
from verify.mixed2022.settled import settle

sum_of_parts = statement_of_algebra(
    "MX-C3-OPS.1",
    Relations(
        "(B*d + B*d**2 + B**2*d) + B + (2*B*d**2 + 2*B**2*d) + B = B*d + 3*B*d**2 + 3*B**2*d + 2*B; (B*d + B*d**2 + "
        "B**2*d) + B + (2*B*d**2 + 2*B**2*d) + B + N**2*d/2 + N*d = N**2*d/2 + N*d + B*d + 3*B*d**2 + 3*B**2*d + 2*B"
    ),
    headline="The parts of a training step add up to the two sides of the printed saving",
    false={"hinge counted once": ("+ B + (2*B*d**2 + 2*B**2*d) + B = B*d", "+ (2*B*d**2 + 2*B**2*d) + B = B*d")},
    group=identity_claim,
    source="Appendix C.3, Computation",
    summary="Forward, hinge loss, backward and hinge gradient add up to the numerator of the printed saving, and with "
    "0.5 N^2 d + N d to its denominator.",
)


@table_claim(
    "MX-C3-OPS.2",
    headline="The printed saving per client is right at the paper's sizes",
    source="Appendix C.3, Computation",
    statement=r"1-\frac{\text{mixed}}{\text{baseline}}=99.98\%",
    summary="The printed saving per client is right with |B_i| = 16, d = 16 and the 3,952 movies (99.980 % with "
    "3,954 rows too).",
    printed=dict(percent="99.98"),
    controls=[Control("planted 99.97 %", dict(percent="99.97")), Control("planted 99.99 %", dict(percent="99.99"))],
)
def client_saving(percent: str) -> Evidence:
    values = [100 * m.baseline_step().saving(m.network_step()) for m in (Recommendation(n, 16) for n in (3952, 3954))]
    first = float(values[0])
    wrong = [] if all(rounds_to(v, percent) for v in values) else [f"{first:.4f} %, claimed {percent} %"]
    return as_printed(wrong, "exact value of the printed fraction", 2, numbers={"percent": first})


@identity_claim(
    "MX-C3-OPS-S1",
    source="Appendix C.3, 0.5 N^2 d for the regulariser",
    statement=r"\sum_{i,j}\langle e_i,e_j\rangle^2=\|E^\top E\|_F^2,\quad\sum_{i,j}\langle e_i,e_j\rangle=\|\sum_ie_i\|^2",
    headline="The regulariser costs far less through second moments",
    summary="If the regulariser is built from first and second moments of inner products (Zhang et al., 2017), it costs N "
    "d(d+1)/2 through the d by d matrix of the table instead of N^2 d/2: about 0.5 instead of 125 Mflop, also on a client.",
    printed=dict(power=2),
    controls=[Control("third powers through the same matrix", dict(power=3))],
)
def small_gram(power: int) -> Evidence:
    """<e, f>^p for generic rows e, f against the pairing of their outer products, one coordinate more at a time."""
    s, t, xk, yk, xl, yl = sp.symbols("s t xk yk xl yl")
    steps = (
        identity("coordinates k, l", (xk * yk) * (xl * yl), (xk * xl) * (yk * yl)),
        identity("one more coordinate: (s + t)^p = s^2 + 2 s t + t^2", (s + t) ** power, s**2 + 2 * s * t + t**2),
        hypothesis("square", power == 2, "higher powers pair higher tensors"),
    )
    E = np.array([[1, 2], [0, -1], [3, 1]])
    left, right = int(((E @ E.T) ** power).sum()), int(((E.T @ E) ** 2).sum())
    N, d = 3954, 16
    return settle(
        steps,
        [equality("rows (1, 2), (0, -1), (3, 1)", Fraction(left), Fraction(right))],
        method="<e,f>^2 = sum_kl e_k e_l f_k f_l is the pairing of outer products, which is bilinear in them.",
        valid_for="every table",
        numbers={"Mflop through d by d": N * d * (d + 1) / 2e6, "Mflop as printed": N * N * d / 2e6},
    )


#: task: (steps K, batch |B_i|, mean cache); smiling faces only are about half of the 63 images of a composite client
TASKS = {"smile": (2, 5, Fraction(63, 2)), "language": (16, 8, Fraction(400)), "movies": (10, 16, Fraction(160))}


def second_step_runs() -> bool:
    """Whether FedAvg takes K = 2 steps with batches of 1 on a client that has one example."""
    one = QuadraticSamples(np.ones((1, 1, 1)), np.ones((1, 1)))
    run = fl.simulate(fl.QuadraticProblem.from_samples([one]), fl.FedAvg(2, 0.5), rounds=1, oracle=fl.MiniBatch(1))
    return bool(run.completed)


def within(extra: int, reuse: bool) -> Evidence:
    """K + extra <= mean cache/|B_i| for the three tasks; with ``reuse`` also for a client with one example."""
    limits = {task: cache / batch for task, (_, batch, cache) in TASKS.items()}
    steps = {task: many + extra for task, (many, _, _) in TASKS.items()}
    over = [f"{task}: K = {steps[task]} > {float(limit)}" for task, limit in limits.items() if steps[task] > limit]
    if reuse and second_step_runs():
        over.append("one client with 1 example, |B_i| = 1: K = 2 > 1, and the round runs")
    slack = min(limit / steps[task] - 1 for task, limit in limits.items())
    numbers = {task: f"K = {TASKS[task][0]}, limit {float(limit)}" for task, limit in limits.items()}
    margin, method = None if over else float(slack), "mean cache divided by the batch size, against K"
    return as_printed(over, method, len(TASKS) + reuse, margin=margin, numbers=numbers)


cache_row = table_claim(
    "MX-C42-CACHE",
    headline="No example is used twice in a round, on average, in any of the three tasks",
    source="Appendix C.4.2",
    statement=r"K\le\frac{\text{cache}}{|\mathcal{B}_i|}",
    printed=dict(extra=0, reuse=False),
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
    margin = -abs(1 - min(used.values())) if wrong else None
    return as_printed(wrong, method, len(tasks), margin=margin, numbers=numbers)


_EACH = "MX-EXP-KCACHE[the most that all caches allow]"
use_of_cache = table_claim.sharing(
    source="Appendix C.2, hyperparameters", statement=r"K=\lfloor\text{cache}/|\mathcal{B}_i|\rfloor"
)
use_rows = [
    use_of_cache(
        _EACH,
        printed=dict(tasks=tuple(TASKS), cache="smallest", extra=0),
        summary="With one K for all clients the smallest caches decide, and these are not printed. What follows from the "
        "means is met: a round uses 10 of about 31 (smile), 128 of about 400 (language), 160 of about 160 examples.",
        controls=[Control("one step more in every task", dict(extra=1))],
    )(most_use),
    use_of_cache(
        "MX-EXP-KCACHE[the most that the mean cache allows]",
        fault="reading",
        repair=_EACH,
        statement=r"K=\lfloor\text{mean cache}/|\mathcal{B}_i|\rfloor\text{ in every task}",
        printed=dict(tasks=tuple(TASKS), cache="mean", extra=0),
        headline="Two of three tasks use a third of the local steps that the mean cache allows",
        summary="K makes the most use of the mean cache in the movie task only; in the other two it uses 32 %, and three "
        "times as many steps fit (only mean cache sizes are printed; clients with small caches may explain it).",
        controls=[Control("movie task alone", dict(tasks=("movies",)), must="pass")],
    )(most_use),
]


if __name__ == "__main__":
    run_script(__file__)
