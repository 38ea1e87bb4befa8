"""Appendix C.4.2 of Augenstein et al. (2022), Figure 8: step size against local steps on the smile task, eta K constant.

Judged on digits with opposite labels on the two sides (committed results of ``figures/experiments/mixed_smile_steps.py``).
"Never hurts" is read: with more steps and a proportionally smaller rate the level of the evaluation loss is at most 10 %
higher, for each of the six pairs of K in 1, 2, 3, 6, after a fifth and a half of the rounds and at their end.
The drift by which more steps can hurt Parallel Training grows with eta K: the products are 0.6, as large as all three
algorithms bear well (``STEP_SIZE``), and for Parallel Training 0.06 as well, nearer to the paper's 0.02.
"""

from collections.abc import Iterable
from itertools import combinations, product

import numpy as np

from fltheory.evidence.kinds import experiment_claim, run_script
from fltheory.evidence.model import Control, Evidence
from fltheory.experiments.files import Result
from fltheory.experiments.paired import committed, level, until
from verify.mixed2022.analogues import SMILE
from verify.mixed2022.experiments_comparisons import judged, without_data
from verify.mixed2022.experiments_smile_task import MIXED, described

EXPERIMENTS = {"0.6": "mixed_smile_steps", "0.06": "mixed_smile_small_steps"}
DATA = "digits network"
of_figure_8 = experiment_claim.sharing(source="Appendix C.4.2, Figure 8")
on_digits = of_figure_8.sharing(analogue=SMILE)


def _judged(
    result: Result, cases: Iterable[tuple[str, str, int, int, float]], most: float, method: str, rates: str
) -> Evidence:
    """Level of the loss of a label with more steps minus that with fewer up to a horizon, for each of the cases, in words."""
    gaps = []
    for words, label, many, few, share in cases:
        first, second = (level(until(result[f"{DATA}/{label}, K={k}, loss"], share)) for k in (many, few))
        gaps.append((words, DATA, first - second, most))
    extra = f"eta K={rates} (paper: 0.02 in its other runs). "
    return judged(described, gaps, result, (DATA,), f"Mean of log loss over the second half of {method}.", extra=extra)


def _never_hurts(label: str, tolerance: float, rates: str) -> Evidence:
    """Level with more steps minus level with fewer, below ``log(1 + tolerance)``; ``rates`` is the product eta K."""
    result = committed(EXPERIMENTS[rates])
    common = result.settings["common"]
    cases = (
        (f"{share:g} of the rounds: K = {many} against K = {few}", label, many, few, share)
        for (few, many), share in product(combinations(common["K"], 2), common["horizons"])
    )
    return _judged(result, cases, float(np.log1p(tolerance)), "the rounds up to a horizon", rates)


def _never_hurts_claim(
    identifier: str, label: str, controls: list[Control], summary: str, rates: str = "0.6", headline: str = ""
) -> object:
    """The row of one algorithm: more local steps at the same eta K cost at most 10 % of loss."""
    return on_digits(
        identifier,
        statement=rf"K<K',\ \eta K=\eta'K' \Rightarrow \text{{loss}}_{{K'}} \le 1.1\,\text{{loss}}_K\quad(\text{{{label}}})",
        headline=headline,
        summary=f"{summary} (eta K = {rates}; read: at most 10 % more loss).",
        printed=dict(label=label, tolerance=0.1, rates=rates),
        controls=[*controls, Control("the loss at most 0.2 times that with fewer steps", dict(tolerance=-0.8))],
    )(_never_hurts)


rows = [
    _never_hurts_claim(
        "MX-EXP-C42.1.1[eta K = 0.6]",
        "PT",
        [Control("1-way GT", dict(label="1-w GT"), must="pass")],
        "Parallel Training on digits, near the largest steps: more local steps with smaller rates never hurt",
        headline="Parallel Training on digits: more local steps with smaller rates can hurt",
    ),
    _never_hurts_claim(
        "MX-EXP-C42.1.1[eta K = 0.06]",
        "PT",
        [Control("eta K = 0.6", dict(rates="0.6"))],
        "Parallel Training on digits, at a tenth of these steps: more local steps with smaller rates never hurt",
        "0.06",
        headline="On digits at small steps more and smaller local steps do not hurt Parallel Training",
    ),
    _never_hurts_claim(
        "MX-EXP-C42.1.2",
        "1-w GT",
        [Control("Parallel Training", dict(label="PT"))],
        "1-way GT on digits: more local steps with smaller rates never hurt, with central batches of K S |B_i|",
        headline="On digits with large central batches more, smaller local steps do not hurt 1-way transfer",
    ),
    _never_hurts_claim(
        "MX-EXP-C42.1.3",
        "2-w GT",
        [Control("Parallel Training", dict(label="PT"))],
        "2-way GT on digits: more local steps with smaller rates never hurt",
        headline="On digits nothing refutes that more and smaller local steps never hurt 2-way transfer",
    ),
]


@on_digits(
    "MX-EXP-C42.1.4",
    headline="On digits six local steps at a sixth of the rate help all three algorithms early",
    statement=r"\text{loss}_{K=6} < \text{loss}_{K=1} \text{ early}",
    summary="On digits six local steps with a sixth of the rate help early, for all three algorithms: lower loss after a fifth of "
    "the rounds.",
    printed=dict(labels=MIXED, few=1, many=6),
    controls=[Control("one step better than six", dict(few=6, many=1))],
)
def often_helps(labels: tuple[str, ...], few: int, many: int) -> Evidence:
    """Level of the loss up to the first horizon."""
    result = committed(EXPERIMENTS["0.6"])
    share = result.settings["common"]["horizons"][0]
    cases = ((f"{label}: K = {many} minus K = {few}", label, many, few, share) for label in labels)
    return _judged(result, cases, 0.0, "the first fifth of the rounds", "0.6")


@of_figure_8(
    "MX-EXP-C42.1.5",
    headline="The runs with more local steps on the paper's faces cannot be checked here",
    statement=r"\text{Figure 8, on CelebA}",
    summary="The experiment was run on CelebA itself.",
    printed=dict(cache=63, batch=5, steps=2),
    controls=[Control("K = 7 steps on half a cache of 63", dict(steps=7))],
)
def celeba(cache: int, batch: int, steps: int) -> Evidence:
    """K |B_i| fits half a cache; the data are missing."""
    return without_data(
        {f"K |B_i| = {steps * batch} exceeds {cache / 2:g} examples": steps * batch > cache / 2},
        "CelebA divided among clients as in LEAF, and the pairs (eta, K) of Figure 8",
    )


if __name__ == "__main__":
    run_script(__file__)
