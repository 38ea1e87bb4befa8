"""Rates of the language task of Augenstein et al. (2022) on two generated languages: divergence, the sweep, Figure 9.

Judged from the committed results of ``figures/experiments/mixed_language.py``; the measures are those of
``verify.mixed2022.experiments_language_task``.  A rate diverges if the training objective of the second half of the rounds is
on average above that of the start, log 27: gradients of softmax regression are bounded, so that runs do not leave the
floating-point range.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from fltheory.evidence.kinds import run_script
from fltheory.evidence.model import Control, Evidence
from fltheory.experiments.files import Array, Result
from fltheory.experiments.paired import committed, compare, level, until
from verify.mixed2022.experiments_language_task import ALGORITHMS, EXPERIMENT, judged, loss, row


def onset(result: Result, name: str) -> Array:
    """``log2`` of the rate from which on the level of the objective is above the start, interpolated; ``(replicates,)``."""
    rates = np.log2(result.settings["sets"]["rates"]["rates"])
    curves = np.minimum(np.nan_to_num(result[f"rates/{name}"].astype(np.float64), nan=1e12, posinf=1e12), 1e12)
    above = np.log(curves[:, :, curves.shape[2] // 2 :]).mean(axis=2) - np.log(curves[:, :, 0])
    found = []
    for each in above:
        first = int(np.argmax(each > 0)) if (each > 0).any() else len(each)
        if first in (0, len(each)):
            found.append(float(rates[min(first, len(each) - 1)] + (first > 0)))
        else:
            part = -each[first - 1] / (each[first] - each[first - 1])
            found.append(float(rates[first - 1] + part * (rates[first] - rates[first - 1])))
    return np.array(found)


def diverges_before(first: Sequence[str], then: Sequence[str], by: float) -> Evidence:
    """Claim: the rate of divergence of each of ``first`` is below that of each of ``then``, by ``by`` doublings at least."""
    result = committed(EXPERIMENT)
    comparisons = [
        compare(
            f"log2 rate: {a} minus {b}",
            onset(result, a) - onset(result, b),
            -by,
            tests=len(first) * len(then),
            data="rates",
        )
        for a in first
        for b in then
    ]
    evidence = judged(
        comparisons,
        "First rate whose objective is, in level, above that of the start; sweep in factors of "
        "the square root of two, eta_c = eta, K = 16.",
        result,
        "rates",
    )
    medians = {f"median rate of divergence, {a}": float(2 ** np.median(onset(result, a))) for a in (*first, *then)}
    return replace(evidence, numbers={**evidence.numbers, **medians})


def best(result: Result, name: str) -> tuple[Array, Array]:
    """Place of the rate with the lowest level of the objective, and all levels ``(replicates, rates)``."""
    curves = np.minimum(np.nan_to_num(result[f"rates/{name}"].astype(np.float64), nan=1e12, posinf=1e12), 1e12)
    levels = np.log(curves[:, :, curves.shape[2] // 2 :]).mean(axis=2)
    return levels.argmin(axis=1), levels


def best_rate_lower(low: str, high: Sequence[str]) -> Evidence:
    """Claim: the fastest rate of ``low`` is below that of each of ``high``."""
    result = committed(EXPERIMENT)
    comparisons = [
        compare(
            f"places in the sweep: {low} minus {b}",
            (best(result, low)[0] - best(result, b)[0]).astype(float),
            tests=len(high),
            data="rates",
        )
        for b in high
    ]
    rates = result.settings["sets"]["rates"]["rates"]
    evidence = judged(comparisons, "The rate of the sweep with the lowest level of the objective.", result, "rates")
    medians = {f"fastest rate, {a}, median": float(rates[int(np.median(best(result, a)[0]))]) for a in (low, *high)}
    return replace(evidence, numbers={**evidence.numbers, **medians})


def common_rate_costs(name: str, tuned_for: str, by: float) -> Evidence:
    """Claim: at the fastest rate of ``tuned_for``, ``name`` has a level higher by ``by`` than at its own fastest rate."""
    result = committed(EXPERIMENT)
    (own, levels), (theirs, _) = best(result, name), best(result, tuned_for)
    rows = np.arange(len(own))
    gap = levels[rows, own] - levels[rows, theirs]
    return judged(
        [compare(f"level of {name}: own rate minus rate of {tuned_for}", gap, -by, tests=1, data="rates")],
        "Levels of the objective at two rates of the sweep.",
        result,
        "rates",
    )


def more_steps(algorithms: Sequence[str], pairs: Sequence[tuple[int, int]], by: float) -> Evidence:
    """Claim: level at the second K less that at the first is below ``-by``, after half and all of the rounds."""
    result, comparisons = committed(EXPERIMENT), []
    for a in algorithms:
        for few, many in pairs:
            for share in (0.5, 1.0):
                gap = [level(until(loss(result, f"{a}, K={k}", data="steps"), share)) for k in (many, few)]
                comparisons.append(
                    compare(
                        f"{a}, {share:.0%} of the rounds: K={many} minus K={few}",
                        gap[0] - gap[1],
                        -by,
                        tests=2 * len(algorithms) * len(pairs),
                        data="steps",
                    )
                )
    return judged(
        comparisons,
        "Level of the held-out loss at eta K = 32 (2-way GT: 16), eta_c = eta, |B_c| by the rubric.",
        result,
        "steps",
    )


rates = [
    row(
        "MX-EXP-C42.2.2",
        "Figure 9, Appendix C.4.2",
        r"\eta K\text{ fixed}:\ K\to2K\text{ never hurts}",
        "Twice as many steps of half the rate never hurt (read: the loss rises by at most 1 %), for all three algorithms.",
        more_steps,
        [Control("K = 32 helps by 1 % over 16", dict(pairs=((16, 32),), by=0.01))],
        headline="On generated languages twice as many steps at half the rate never hurt",
        algorithms=ALGORITHMS,
        pairs=((4, 8), (8, 16), (16, 32)),
        by=-0.01,
    ),
    row(
        "MX-EXP-C42.2.3",
        "Figure 9, Appendix C.4.2",
        r"\eta K\text{ fixed}:\ \text{loss}(K=16)<\text{loss}(K=4)",
        "More and smaller steps often help (read: K = 16 is better than K = 4 for all three algorithms).",
        more_steps,
        [Control("exchanged", dict(pairs=((16, 4),)))],
        headline="On generated languages 16 small local steps are better than 4 larger ones",
        algorithms=ALGORITHMS,
        pairs=((4, 16),),
        by=0.0,
    ),
    row(
        "MX-C2-DIV.2[softmax regression]",
        "Appendix C.2, C.4.3",
        r"\eta_{2w}<\eta_{PT},\eta_{1w}",
        "As eta = eta_c grows, 2-way GT is the first to diverge (generated languages, K = 16).",
        diverges_before,
        [
            Control("Parallel Training first", dict(first=("PT",), then=("2-w GT",))),
            Control("by a factor 16", dict(by=4.0)),
        ],
        headline="On generated languages 2-way transfer is the first to diverge as rates grow",
        first=("2-w GT",),
        then=("PT", "1-w GT"),
        by=0.0,
    ),
    row(
        "MX-C2-DIV.3",
        "Appendix C.4.3",
        r"\eta_{PT}<\eta_{1w}",
        "Parallel Training diverges before 1-way GT (generated languages, K = 16).",
        diverges_before,
        [Control("by a factor 2", dict(by=1.0))],
        headline="On generated languages nothing refutes that Parallel Training diverges before 1-way",
        first=("PT",),
        then=("1-w GT",),
        by=0.0,
    ),
    row(
        "MX-EXP-LRSWEEP.3",
        "Appendix C.2",
        r"\eta^{best}_{2w}<\eta^{best}_{PT},\eta^{best}_{1w}",
        "The sweep of eta gives 2-way GT a lower rate than Parallel Training and 1-way GT, as in the table.",
        best_rate_lower,
        [Control("exchanged", dict(low="PT", high=("2-w GT",)))],
        headline="On generated languages the sweep gives 2-way transfer the lowest rate",
        low="2-w GT",
        high=("PT", "1-w GT"),
    ),
    row(
        "MX-EXP-LRSWEEP.4",
        "Appendix C.2",
        r"\text{one }\eta\text{ for all costs 2-w GT}",
        "The exception is needed: at the fastest rate of Parallel Training 2-way GT is worse than at its own (read: by 1 % of the "
        "loss).",
        common_rate_costs,
        [Control("1-way GT instead", dict(name="1-w GT"))],
        headline="On generated languages 2-way transfer needs the lower rate that it was given",
        name="2-w GT",
        tuned_for="PT",
        by=0.01,
    ),
]

if __name__ == "__main__":
    run_script(__file__)
