"""Figures 1(b) and 3 of Li et al. (2020): the number of active clients K.

Judged on the committed results of ``figures/experiments/figure_1b_3.py``: generated data (model of Appendix D.1; sizes as in
the authors' program), MNIST's subset on 100 clients, digits on 20; every replicate of every set has data, division, cohorts
and batches of its own, and all sets have equally many.
"""

import numpy as np

from fltheory.evidence.kinds import experiment_claim, run_script
from fltheory.evidence.model import Control, Evidence
from fltheory.experiments.files import Array, Result
from fltheory.experiments.paired import committed, compare, judge, level, logs, pool, unavailable
from verify.li2020.experiments import analogues

of_the_figures = experiment_claim.sharing(source="Figures 1(b), 3")

SYNTHETIC = ("synthetic(0,0)", "synthetic(1,1)")
ALL = (*SYNTHETIC, "digits balanced", "digits unbalanced", "MNIST subset balanced", "MNIST subset unbalanced")


def _cohorts(result: Result, data: str, *, reverse: bool = False) -> list[Array]:
    """Curves by K, ascending."""
    sizes = result.settings["sets"][data]["K"]
    return [result[f"{data}/K={k}"] for k in (sizes[::-1] if reverse else sizes)]


def _converges(sets: tuple[str, ...], backwards: bool) -> Evidence:
    """Claim: for every K the objective at the end is below that at half time."""
    result = committed("figure_1b_3")
    cases = [(data, k) for data in sets for k in result.settings["sets"][data]["K"]]
    comparisons = []
    for data, k in cases:
        values = logs(result[f"{data}/K={k}"])[:, :: -1 if backwards else 1]
        gap, name = values[:, -1] - values[:, values.shape[1] // 2], f"{data}, K={k}: log F at the end minus half time"
        comparisons.append(compare(name, gap, tests=len(cases), data=data))
    method = "The objective at the end is compared with that at half time, for every data set and K."
    return judge(comparisons, method=method, result=result, sets=sets)


converges = experiment_claim(
    "LI-FIG1B/3.1",
    headline="On generated data and small images FedAvg still improves, however few devices take part",
    analogue=analogues.ALL,
    statement=r"F(w_R;K)<F(w_{R/2};K)\text{ for every }K",
    source="Figures 1(b), 3, Appendix D.2",
    summary="E = 5, Scheme I: the objective is still decreasing in the second half of the run for all K (what "
    "a finite run can say of 'FedAvg converges whatever K').",
    printed=dict(sets=ALL, backwards=False),
    controls=[Control("time reversed", dict(backwards=True))],
)(_converges)


def _overlap(sets: tuple[str, ...], tolerance: float, planted: float) -> Evidence:
    """Claim: pooled over the sets, every K has the objective of the largest K within ``tolerance``, in both directions."""
    result = committed("figure_1b_3")
    comparisons = []
    count = len(_cohorts(result, sets[0])) - 1
    for place in range(count):
        curves = {data: _cohorts(result, data) for data in sets}
        gap = pool({data: level(found[place]) + planted - level(found[-1]) for data, found in curves.items()})
        for sign, word in ((1, "above"), (-1, "below")):
            name = f"K number {place + 1} {word} the largest K"
            comparisons.append(compare(name, sign * gap, tolerance, tests=2 * count))
    method = (
        f"Equivalence within {tolerance:.0%} of the objective in the median, pooled over the data sets; mean of log F "
        "over the second half."
    )
    return judge(comparisons, method=method, result=result, sets=sets)


overlap = of_the_figures(
    "LI-FIG1B/3.2",
    headline="On generated data and small images the number of devices per round hardly matters",
    analogue=analogues.ALL,
    statement=r"F(w_r;K)\approx F(w_r;N)",
    summary="The curves of different K overlap (read: objectives within 3 % of that of the largest K in the median; "
    "K = 10, 30, 50, 70, 100 % of N).",
    printed=dict(sets=ALL, tolerance=0.03, planted=0.0),
    controls=[Control("small K 4 % worse than measured", dict(planted=0.04))],
)(_overlap)


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
    method = "Mean of log F over the second half, pooled over the data sets."
    return judge([pooled], method=method, numbers=numbers, result=result, sets=sets)


larger_is_better = of_the_figures(
    "LI-FIG1B/3.3",
    headline="On generated data and small images all devices are slightly better than a tenth",
    analogue=analogues.ALL,
    statement=r"F(w_r;N)<F(w_r;0.1N)",
    summary="The curve of a large K is slightly better (read: K = N below K = 0.1 N in most replicates, all sets together).",
    printed=dict(sets=ALL, reverse=False),
    controls=[Control("K reversed", dict(reverse=True))],
)(_larger_is_better)


@of_the_figures(
    "LI-FIG1B/3.4",
    headline="The printed curves for different numbers of devices belong to unpublished data",
    statement=r"\text{the printed curves on their own data}",
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
    run_script(__file__)
