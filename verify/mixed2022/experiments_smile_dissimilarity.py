"""Section 5.1 and Appendix C.1 of Augenstein et al. (2022): the dissimilarity of the two sides of the smile task, on other data.

Committed results of ``figures/experiments/mixed_smile_metrics.py`` (the sampled G_t and B_t) and ``mixed_smile.py`` (whether
Parallel Training is slower where there is none).
"""

from __future__ import annotations

import numpy as np

from fltheory.evidence.model import Control, Evidence
from fltheory.experiments.files import Array
from fltheory.experiments.paired import committed, compare, judge, level
from verify.mixed2022.declared import experiment_claim
from verify.mixed2022.experiments_smile_task import described

EXPERIMENT, METRICS = "mixed_smile", "mixed_smile_metrics"
DIGITS = ("digits network", "digits logistic")


@experiment_claim(
    "MX-EXP-SMILE.4",
    statement=r"\max_{10\le t\le 100}\tilde G_t^2 \ge 3 \max_{10\le t\le 100}\tilde G_t^2(\text{shuffled})",
    source="Section 5.1, Table 2, Appendix C.1",
    summary="Where the two sides have opposite labels, the sampled dissimilarity G_t is significantly large (read: its largest "
    "square in rounds 10 to 100 is at least three times that of the same data dealt out at random).  Here B_t is large as well, "
    "on CelebA it is not.",
    printed=dict(large="G2", small="G2, shuffled", factor=3.0),
    controls=[Control("the random division the more dissimilar", dict(large="G2, shuffled", small="G2"))],
)
def dissimilar(large: str, small: str, factor: float) -> Evidence:
    """Largest value of rounds 10 to 100 of a run, the paired divisions against each other."""
    result = committed(METRICS)

    def most(data: str, name: str) -> Array:
        return np.asarray(result[f"{data}/{name}"][:, 10:], dtype=np.float64).max(axis=1)

    comparisons = [
        compare(
            f"{data}: log largest {small} - log largest {large}",
            np.log(most(data, small) / most(data, large)),
            -float(np.log(factor)),
            tests=len(DIGITS),
            data=data,
        )
        for data in DIGITS
    ]
    numbers = {
        f"{data}: median of the largest {name}": float(np.median(most(data, name)))
        for data in DIGITS
        for name in ("G2", "G2, shuffled", "B2", "B2, shuffled")
    }
    shown = result.settings["common"]["shown"]
    for data in DIGITS:
        numbers[f"{data}: largest G2 of {shown} runs (CelebA: 49.04)"] = float(most(data, "G2")[:shown].max())
        numbers[f"{data}: largest B2 of {shown} runs (CelebA: 1.26)"] = float(most(data, "B2")[:shown].max())
    found = judge(
        comparisons, method=f"Largest value of rounds 10 to 100; factor {factor:g}.", numbers=numbers, result=result
    )
    return described(found, result, DIGITS, extra="K=1, eta=0.3, w_f=w_c=0.5. ")


@experiment_claim(
    "MX-EXP-SMILE.5",
    statement=r"|\log \text{loss}(\text{PT})-\log\text{loss}(\text{1-w})| < \log 1.1 \text{ without dissimilarity}",
    source="Section 5.1 (explanation by dissimilarity)",
    summary="Without dissimilarity Parallel Training is not slowed down: on the same data dealt out at random, its loss and that "
    "of 1-way GT differ by less than 10 % over the second half of the run.  With opposite labels the network's differ by more "
    "(control), those of logistic regression do not.",
    printed=dict(first="PT, shuffled", second="1-w GT, shuffled", tolerance=0.1),
    controls=[Control("opposite labels on the two sides", dict(first="PT", second="1-w GT"))],
)
def alike_without_dissimilarity(first: str, second: str, tolerance: float) -> Evidence:
    """Levels of the evaluation loss in both directions."""
    result = committed(EXPERIMENT)
    comparisons = []
    for data in DIGITS:
        gap = level(result[f"{data}/{first}, loss"]) - level(result[f"{data}/{second}, loss"])
        for sign, word in ((1, "minus"), (-1, "plus")):
            comparisons.append(
                compare(
                    f"{data}: {first} - {second}, {word}",
                    sign * gap,
                    float(np.log1p(tolerance)),
                    tests=2 * len(DIGITS),
                    data=data,
                )
            )
    numbers = {
        f"{data}: median of PT - 1-w GT, opposite labels": float(
            np.median(level(result[f"{data}/PT, loss"]) - level(result[f"{data}/1-w GT, loss"]))
        )
        for data in DIGITS
    }
    found = judge(
        comparisons,
        method="Mean of the log loss over the second half of the run, both directions.",
        numbers=numbers,
        result=result,
    )
    return described(found, result, DIGITS, extra="K=2, eta=0.3 for all. ")


if __name__ == "__main__":
    from fltheory.evidence.runner import run_script

    run_script(__file__)
