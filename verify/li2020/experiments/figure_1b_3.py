"""Figures 1(b) and 3 of Li et al. (2020): the number of active clients K.

Judged on the committed results of ``figures/experiments/figure_1b_3.py``: generated data (model of Appendix D.1; sizes as in
the authors' program), MNIST's subset on 100 clients, digits on 20; every replicate of every set has data, division, cohorts
and batches of its own, and all sets have equally many.
"""

from __future__ import annotations

import numpy as np

from fltheory.evidence.model import Control, Evidence, Kind, Scope, claim
from fltheory.experiments.files import Array, Result
from fltheory.experiments.paired import (
    committed,
    compare,
    judge,
    level,
    logs,
    pool,
    unavailable,
)

SYNTHETIC = ("synthetic(0,0)", "synthetic(1,1)")
ALL = (*SYNTHETIC, "digits balanced", "digits unbalanced", "MNIST subset balanced", "MNIST subset unbalanced")
_COMMON = dict(kind=Kind.EXPERIMENT, scope=Scope.EXPERIMENT)


def _cohorts(result: Result, data: str, *, reverse: bool = False) -> list[Array]:
    """Curves by K, ascending."""
    sizes = result.settings["sets"][data]["K"]
    return [result[f"{data}/K={k}"] for k in (sizes[::-1] if reverse else sizes)]


def _converges(sets: tuple[str, ...], backwards: bool) -> Evidence:
    """Claim: for every K the objective at the end is below that at half time."""
    result = committed("figure_1b_3")
    comparisons = []
    count = sum(len(result.settings["sets"][data]["K"]) for data in sets)
    for data in sets:
        for k, curves in zip(result.settings["sets"][data]["K"], _cohorts(result, data), strict=True):
            values = logs(curves)[:, ::-1] if backwards else logs(curves)
            middle = values[:, values.shape[1] // 2]
            comparisons.append(
                compare(
                    f"{data}, K={k}: log F at the end minus half time", values[:, -1] - middle, tests=count, data=data
                )
            )
    return judge(
        comparisons,
        method="The objective at the end is compared with that at half time, for every data set and K.",
        result=result,
        sets=sets,
    )


@claim(
    "LI-FIG1B/3.1",
    **_COMMON,
    statement=r"F(w_R;K)<F(w_{R/2};K)\text{ for every }K",
    source="Figures 1(b), 3, Appendix D.2",
    summary="E = 5, Scheme I: the objective is still decreasing in the second half of the run for all K (what "
    "a finite run can say of 'FedAvg converges whatever K').",
    printed=dict(sets=ALL, backwards=False),
    controls=[Control("time reversed", dict(backwards=True))],
)
def converges(**settings: object) -> Evidence:
    return _converges(**settings)  # type: ignore[arg-type]


def _overlap(sets: tuple[str, ...], tolerance: float, planted: float) -> Evidence:
    """Claim: pooled over the sets, every K has the objective of the largest K within ``tolerance``, in both directions."""
    result = committed("figure_1b_3")
    comparisons = []
    count = len(_cohorts(result, sets[0])) - 1
    for place in range(count):
        gap = pool(
            {data: level(_cohorts(result, data)[place]) + planted - level(_cohorts(result, data)[-1]) for data in sets}
        )
        for sign, word in ((1, "above"), (-1, "below")):
            comparisons.append(
                compare(f"K number {place + 1} {word} the largest K", sign * gap, tolerance, tests=2 * count)
            )
    return judge(
        comparisons,
        method=f"Equivalence within {tolerance:.0%} of the objective in the median, pooled over the data sets; mean of log F "
        "over the second half.",
        result=result,
        sets=sets,
    )


@claim(
    "LI-FIG1B/3.2",
    **_COMMON,
    statement=r"F(w_r;K)\approx F(w_r;N)",
    source="Figures 1(b), 3",
    summary="The curves of different K overlap (read: objectives within 3 % of that of the largest K in the median; "
    "K = 10, 30, 50, 70, 100 % of N).",
    printed=dict(sets=ALL, tolerance=0.03, planted=0.0),
    controls=[Control("small K 4 % worse than measured", dict(planted=0.04))],
)
def overlap(**settings: object) -> Evidence:
    return _overlap(**settings)  # type: ignore[arg-type]


def _larger_is_better(sets: tuple[str, ...], reverse: bool) -> Evidence:
    """Claim: pooled over the sets, the largest K has a lower objective than the smallest."""
    result = committed("figure_1b_3")
    gaps = {}
    for data in sets:
        curves = _cohorts(result, data, reverse=reverse)
        gaps[data] = level(curves[-1]) - level(curves[0])
    pooled = compare("log F of the largest K minus the smallest", pool(gaps), tests=1)
    numbers = {
        data: f"median {np.median(gap):.4f}, {int((gap < 0).sum())} of {len(gap)} below 0" for data, gap in gaps.items()
    }
    return judge(
        [pooled],
        method="Mean of log F over the second half, pooled over the data sets.",
        numbers=numbers,
        result=result,
        sets=sets,
    )


@claim(
    "LI-FIG1B/3.3",
    **_COMMON,
    statement=r"F(w_r;N)<F(w_r;0.1N)",
    source="Figures 1(b), 3",
    summary="The curve of a large K is slightly better (read: K = N below K = 0.1 N in most replicates, all sets together).",
    printed=dict(sets=ALL, reverse=False),
    controls=[Control("K reversed", dict(reverse=True))],
)
def larger_is_better(**settings: object) -> Evidence:
    return _larger_is_better(**settings)  # type: ignore[arg-type]


@claim(
    "LI-FIG1B/3.4",
    **_COMMON,
    statement=r"\text{the printed curves on their own data}",
    source="Figures 1(b), 3",
    summary="The printed curves on the data of the paper, which were not published.",
    printed=dict(clients=100, batch=64, smallest_mean=542),
    controls=[
        Control("b = 600, above the samples per device", dict(batch=600)),
        Control("no clients", dict(clients=0)),
    ],
)
def printed_curves(clients: int, batch: int, smallest_mean: int) -> Evidence:
    problems = [f"b={batch} exceeds {smallest_mean} samples per device"] if batch > smallest_mean else []
    problems += [f"N={clients} clients"] if clients < 1 else []
    return unavailable(
        problems,
        examined=2,
        method="Printed settings compared with Table 2; the data are not available.",
        would_settle="the authors' data, and the values of K that they drew",
    )


if __name__ == "__main__":
    from fltheory.evidence.runner import run_script

    run_script(__file__)
