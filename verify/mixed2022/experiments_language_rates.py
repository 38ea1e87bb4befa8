"""Rates of the language task of Augenstein et al. (2022) on two generated languages: divergence, the sweep, Figure 9.

Judged from the committed results of ``figures/experiments/mixed_language.py``; the measures are those of
``verify.mixed2022.experiments_language_task``.  A rate diverges if the training objective of the second half of the rounds is
on average above that of the start, log 27: gradients of softmax regression are bounded, so that runs do not leave the
floating-point range.
"""

from collections.abc import Sequence
from itertools import product

import numpy as np

from fltheory.evidence.kinds import run_script
from fltheory.evidence.model import Control, Evidence
from fltheory.experiments.files import Array, Result
from fltheory.experiments.paired import committed, level, until
from verify.mixed2022.experiments_language_task import ALGORITHMS, EXPERIMENT, judged, loss, row


def objectives(result: Result, name: str) -> tuple[Array, Array]:
    """Levels of the training objective, ``(replicates, rates)``, and their distance from the objective of the start."""
    curves = np.minimum(np.nan_to_num(result[f"rates/{name}"].astype(np.float64), nan=1e12, posinf=1e12), 1e12)
    levels = np.log(curves[:, :, curves.shape[2] // 2 :]).mean(axis=2)
    return levels, levels - np.log(curves[:, :, 0])


def onset(result: Result, name: str) -> Array:
    """``log2`` of the rate from which on the level of the objective is above the start, interpolated; ``(replicates,)``."""
    rates = np.log2(result.settings["sets"]["rates"]["rates"])
    found = []
    for above in objectives(result, name)[1]:
        first = int(np.argmax(above > 0)) if (above > 0).any() else len(above)
        if first in (0, len(above)):
            found.append(float(rates[min(first, len(above) - 1)] + (first > 0)))
        else:
            part = -above[first - 1] / (above[first] - above[first - 1])
            found.append(float(rates[first - 1] + part * (rates[first] - rates[first - 1])))
    return np.array(found)


def diverges_before(first: Sequence[str], then: Sequence[str], by: float) -> Evidence:
    """Claim: the rate of divergence of each of ``first`` is below that of each of ``then``, by ``by`` doublings at least."""
    result = committed(EXPERIMENT)
    found = {name: onset(result, name) for name in (*first, *then)}
    method = (
        "First rate whose objective is, in level, above that of the start; sweep in factors of "
        "the square root of two, eta_c = eta, K = 16."
    )
    gaps = {f"log2 rate: {a} minus {b}": found[a] - found[b] for a, b in product(first, then)}
    medians = {f"median rate of divergence, {a}": float(2 ** np.median(at)) for a, at in found.items()}
    return judged(gaps, -by, method, result, "rates", medians)


def best_rate_lower(low: str, high: Sequence[str]) -> Evidence:
    """Claim: the fastest rate of ``low`` is below that of each of ``high``."""
    result = committed(EXPERIMENT)
    rates = result.settings["sets"]["rates"]["rates"]
    best = {name: objectives(result, name)[0].argmin(axis=1) for name in (low, *high)}
    gaps = {f"places in the sweep: {low} minus {b}": (best[low] - best[b]).astype(float) for b in high}
    medians = {f"fastest rate, {a}, median": float(rates[int(np.median(place))]) for a, place in best.items()}
    return judged(gaps, 0.0, "The rate of the sweep with the lowest level of the objective.", result, "rates", medians)


def common_rate_costs(name: str, tuned_for: str, by: float) -> Evidence:
    """Claim: at the fastest rate of ``tuned_for``, ``name`` has a level higher by ``by`` than at its own fastest rate."""
    result = committed(EXPERIMENT)
    levels, others = (objectives(result, label)[0] for label in (name, tuned_for))
    rows = np.arange(len(levels))
    gap = levels.min(axis=1) - levels[rows, others.argmin(axis=1)]
    words = f"level of {name}: own rate minus rate of {tuned_for}"
    return judged({words: gap}, -by, "Levels of the objective at two rates of the sweep.", result, "rates")


def more_steps(algorithms: Sequence[str], pairs: Sequence[tuple[int, int]], by: float) -> Evidence:
    """Claim: level at the second K less that at the first is below ``-by``, after half and all of the rounds."""
    result, gaps = committed(EXPERIMENT), {}
    for label, (few, many), share in product(algorithms, pairs, (0.5, 1.0)):
        more, less = (level(until(loss(result, f"{label}, K={k}", data="steps"), share)) for k in (many, few))
        gaps[f"{label}, {share:.0%} of the rounds: K={many} minus K={few}"] = more - less
    method = "Level of the held-out loss at eta K = 32 (2-way GT: 16), eta_c = eta, |B_c| by the rubric."
    return judged(gaps, -by, method, result, "steps")


rates = [
    row(
        "MX-EXP-C42.2.2",
        "Figure 9, Appendix C.4.2",
        r"\eta K\text{ fixed}:\ K\to2K\text{ never hurts}",
        "Twice as many steps of half the rate never hurt (read: the loss rises by at most 1 %), for all three algorithms.",
        more_steps,
        dict(algorithms=ALGORITHMS, pairs=((4, 8), (8, 16), (16, 32)), by=-0.01),
        Control("K = 32 helps by 1 % over 16", dict(pairs=((16, 32),), by=0.01)),
        headline="On generated languages twice as many steps at half the rate never hurt",
    ),
    row(
        "MX-EXP-C42.2.3",
        "Figure 9, Appendix C.4.2",
        r"\eta K\text{ fixed}:\ \text{loss}(K=16)<\text{loss}(K=4)",
        "More and smaller steps often help (read: K = 16 is better than K = 4 for all three algorithms).",
        more_steps,
        dict(algorithms=ALGORITHMS, pairs=((4, 16),), by=0.0),
        Control("exchanged", dict(pairs=((16, 4),))),
        headline="On generated languages 16 small local steps are better than 4 larger ones",
    ),
    row(
        "MX-C2-DIV.2[softmax regression]",
        "Appendix C.2, C.4.3",
        r"\eta_{2w}<\eta_{PT},\eta_{1w}",
        "As eta = eta_c grows, 2-way GT is the first to diverge (generated languages, K = 16).",
        diverges_before,
        dict(first=("2-w GT",), then=("PT", "1-w GT"), by=0.0),
        Control("Parallel Training first", dict(first=("PT",), then=("2-w GT",))),
        Control("by a factor 16", dict(by=4.0)),
        headline="On generated languages 2-way transfer is the first to diverge as rates grow",
    ),
    row(
        "MX-C2-DIV.3",
        "Appendix C.4.3",
        r"\eta_{PT}<\eta_{1w}",
        "Parallel Training diverges before 1-way GT (generated languages, K = 16).",
        diverges_before,
        dict(first=("PT",), then=("1-w GT",), by=0.0),
        Control("by a factor 2", dict(by=1.0)),
        headline="On generated languages nothing refutes that Parallel Training diverges before 1-way",
    ),
    row(
        "MX-EXP-LRSWEEP.3",
        "Appendix C.2",
        r"\eta^{best}_{2w}<\eta^{best}_{PT},\eta^{best}_{1w}",
        "The sweep of eta gives 2-way GT a lower rate than Parallel Training and 1-way GT, as in the table.",
        best_rate_lower,
        dict(low="2-w GT", high=("PT", "1-w GT")),
        Control("exchanged", dict(low="PT", high=("2-w GT",))),
        headline="On generated languages the sweep gives 2-way transfer the lowest rate",
    ),
    row(
        "MX-EXP-LRSWEEP.4",
        "Appendix C.2",
        r"\text{one }\eta\text{ for all costs 2-w GT}",
        "The exception is needed: at the fastest rate of Parallel Training 2-way GT is worse than at its own (read: by 1 % of the "
        "loss).",
        common_rate_costs,
        dict(name="2-w GT", tuned_for="PT", by=0.01),
        Control("1-way GT instead", dict(name="1-w GT")),
        headline="On generated languages 2-way transfer needs the lower rate that it was given",
    ),
]

if __name__ == "__main__":
    run_script(__file__)
