"""Comparisons of sampling and averaging schemes of Li et al. (2020) on the committed results of Figures 1(c), 1(d) and 4.

"Better" means a lower level (see ``fltheory.experiments.paired``) in most replicates, after a fifth and a half of the rounds
and at their end.  The original scheme takes the best of its four step sizes on each data set and at each of these times,
the others eta0 = 0.1, as in the paper.
"""

import numpy as np

from fltheory.evidence.ends import by_rerun
from fltheory.evidence.model import Evidence
from fltheory.experiments import paired
from fltheory.experiments.files import Array, Result
from fltheory.experiments.paired import committed, compare, judge, level, roughness, until

EXPERIMENT = "figure_1c_1d_4"
TUNED = "tuned original"
#: "Tuned" stands for the best of four step sizes: four comparisons in one.
CHOICES = 4


def _curves(result: Result, data: str, label: str, share: float = 1.0, planted: float = 0.0) -> Array:
    """Objective ``(replicates, records)`` in the first ``share`` of the rounds; ``planted`` raises all after the start."""
    if label == TUNED:
        found = [name for name in result.settings["common"]["eta0"] if name.startswith("original")]
        label = min(found, key=lambda name: float(level(until(result[f"{data}/{name}"], share)).mean()))
    curves = np.array(until(result[f"{data}/{label}"], share))
    curves[:, 1:] *= 1 + planted
    return curves


def _horizons(result: Result, sets: tuple[str, ...]) -> list[tuple[str, float, str]]:
    """Where is compared: data sets, shares of the rounds, and both in words."""
    shares = result.settings["common"]["horizons"]
    rounds = {data: result.settings["sets"][data]["rounds"] for data in sets}
    return [(data, share, f"{data}, {share * rounds[data]:.0f} rounds") for data in sets for share in shares]


def _elsewhere(result: Result, sets: tuple[str, ...], better: str, than: tuple[str, ...]) -> dict[str, str]:
    """Differences of levels at the end on the other data sets of the same kind, for information."""
    found = {}
    balanced = all(data.endswith(" balanced") for data in sets)
    for data in paired.sets_of(result):
        if data not in sets and data.endswith(" balanced") == balanced:
            for other in than:
                gap = level(_curves(result, data, better)) - level(_curves(result, data, other))
                found[f"elsewhere: {data}, {better} minus {other}, all rounds"] = (
                    f"median {np.median(gap):.4f}, {int((gap < 0).sum())} of {len(gap)} below 0"
                )
    return found


def ranked(
    sets: tuple[str, ...], better: str, than: tuple[str, ...], *, planted: float = 0.0, worse: float = 0.0
) -> Evidence:
    """Claim: on each data set and at each horizon ``better`` has a lower level than each of ``than``.

    ``planted`` raises the objectives of ``than``, ``worse`` that of ``better``.
    """
    result = committed(EXPERIMENT)
    cases = [(other, *where) for data in sets for other in than for where in _horizons(result, (data,))]
    tests = sum(CHOICES if TUNED in (better, other) else 1 for other, *_ in cases)
    comparisons = [
        compare(
            f"{words}: {better} minus {other}",
            level(_curves(result, data, better, share, worse)) - level(_curves(result, data, other, share, planted)),
            tests=tests,
            data=data,
        )
        for other, data, share, words in cases
    ]
    return judge(
        comparisons,
        method="Mean of log F over the second half of the rounds up to each of three horizons.",
        result=result,
        numbers=_elsewhere(result, sets, better, than),
        sets=sets,
        choices=CHOICES if TUNED in (better, *than) else 1,
    )


def near(sets: tuple[str, ...], first: str, second: str, tolerance: float, planted: float = 0.0) -> Evidence:
    """Claim: levels differ by at most ``tolerance`` (a relative difference of the objective) in either direction."""
    result = committed(EXPERIMENT)
    cases, comparisons = _horizons(result, sets), []
    for data, share, words in cases:
        gap = level(_curves(result, data, first, share)) - level(_curves(result, data, second, share, planted))
        for sign, side in ((1, "minus"), (-1, "plus")):
            name = f"{words}: {first} - {second}, {side}"
            comparisons.append(compare(name, sign * gap, tolerance, tests=2 * len(cases), data=data))
    method = f"Equivalence within {tolerance:.0%} of the objective in the median, at each of three horizons."
    return judge(comparisons, method=method, result=result, sets=sets)


def rougher(sets: tuple[str, ...], rough: str, smooth: str, factor: float) -> Evidence:
    """Claim: between records ``rough`` moves at least ``factor`` times as much as ``smooth``, second half of the rounds."""
    result, least = committed(EXPERIMENT), -float(np.log(factor))
    comparisons = []
    for data in sets:
        gap = roughness(_curves(result, data, smooth)) - roughness(_curves(result, data, rough))
        name = f"{data}: log roughness of {smooth} minus {rough}"
        comparisons.append(compare(name, gap, least, tests=len(sets), data=data))
    method = f"Mean of |change of log F| between records, second half of the run: ratio at least {factor:g}."
    return judge(comparisons, method=method, result=result, sets=sets)


def comes_down_less(sets: tuple[str, ...], slow: str, fast: str, share: float) -> Evidence:
    """Claim: at each horizon ``slow`` has come down by less than ``share`` of the way that ``fast`` has."""
    result = committed(EXPERIMENT)
    cases, comparisons = _horizons(result, sets), []
    for data, horizon, words in cases:
        a, b = (_curves(result, data, label, horizon) for label in (slow, fast))
        ends = np.minimum(a[:, -1], 1e12)
        way = (a[:, 0] - ends) - share * (b[:, 0] - b[:, -1])
        name = f"{words}: descent of {slow} minus {share:g} descent of {fast}"
        comparisons.append(compare(name, way, tests=len(cases), data=data))
    method = "Objective at the start minus objective at each of three horizons."
    return judge(comparisons, method=method, result=result, sets=sets)


def coincide(sets: tuple[str, ...]) -> Evidence:
    """The schemes see the same cohorts and batches; with p_k = 1/N the scales N p_k and N p_k/K are 1 and 1/K."""
    result = committed(EXPERIMENT)
    ratios = [result[f"{data}/Scheme II"] / result[f"{data}/transformed Scheme II"] for data in sets]
    gaps = [float(np.abs(ratio - 1).max()) for ratio in ratios]
    return by_rerun(
        max(gaps) <= 1e-9,
        "Objectives at all records, run by run, same cohorts and batches; equal up to 1e-9 (rounding).",
        examined=len(gaps),
        margin=1e-9 - max(gaps),
        numbers=dict(zip(sets, gaps, strict=True)),
        valid_for=paired.settings_in_words(result, sets),
        seeds=paired.seeds_of(result, sets),
    )


def settings_fit(clients: int, cohort: int, batch: int, samples: int, tuned: tuple[float, ...]) -> Evidence:
    """What can be said without the data: the settings fit each other."""
    problems = []
    if cohort > clients:
        problems.append(f"K={cohort} exceeds N={clients}, no cohort without replacement")
    if batch * clients > samples:
        problems.append(f"b={batch} exceeds the mean of {samples}/{clients} samples per device")
    if min(tuned) <= 0 or len(set(tuned)) < len(tuned):
        problems.append(f"step sizes {tuned} are not positive and different")
    return paired.unavailable(
        problems,
        examined=3,
        method="Printed settings compared with each other; the data themselves are not available.",
        would_settle="the authors' division of MNIST among 100 devices and their generated data sets, or their "
        "program with its seeds",
    )
