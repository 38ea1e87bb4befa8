"""Figures 1(c), 1(d) and 4 of Li et al. (2020) and what their text says: which sampling and averaging scheme wins.

The paper's division of MNIST and its generated data were not published, so the claims about the order of the schemes are
judged on data that can be had, from the committed results of ``figures/experiments/figure_1c_1d_4.py``: 5,000 MNIST
images on 100 clients, digits on 20, and generated data as described in Appendix D.1 (every replicate anew).  "Better" means
a lower level (see ``fltheory.experiments.paired``) in most replicates, after a fifth and a half of the rounds and at their end.
The original scheme takes the best of its four step sizes on each data set and at each of these times, the others
eta0 = 0.1, as in the paper.
"""

from __future__ import annotations

import numpy as np

from fltheory.evidence.model import Control, Evidence, Kind, Outcome, Rung, Scope, claim
from fltheory.experiments.files import Array, Result
from fltheory.experiments.paired import (
    Comparison,
    committed,
    compare,
    judge,
    level,
    roughness,
    seeds_of,
    sets_of,
    settings_in_words,
    unavailable,
    until,
)

EXPERIMENT = "figure_1c_1d_4"
TUNED = "tuned original"
BALANCED, UNBALANCED = ("MNIST subset balanced",), ("MNIST subset unbalanced",)
DIGITS_BALANCED, DIGITS_UNBALANCED = ("digits balanced",), ("digits unbalanced",)
SYNTHETIC = ("synthetic(0,0)", "synthetic(1,1)")
#: "Tuned" stands for the best of four step sizes: four comparisons in one.
CHOICES = 4


def _curves(result: Result, data: str, label: str, share: float, planted: float = 0.0) -> Array:
    """Objective ``(replicates, records)`` in the first ``share`` of the rounds; ``planted`` raises all after the start."""
    if label == TUNED:
        found = [name for name in result.settings["common"]["eta0"] if name.startswith("original")]
        label = min(found, key=lambda name: float(level(until(result[f"{data}/{name}"], share)).mean()))
    curves = np.array(until(result[f"{data}/{label}"], share))
    curves[:, 1:] *= 1 + planted
    return curves


def _times(result: Result, data: str) -> list[tuple[float, str]]:
    """The horizons at which is compared: shares of the rounds, and the rounds in words."""
    rounds = result.settings["sets"][data]["rounds"]
    return [(share, f"{share * rounds:.0f} rounds") for share in result.settings["common"]["horizons"]]


def _elsewhere(result: Result, sets: tuple[str, ...], better: str, than: tuple[str, ...]) -> dict[str, str]:
    """Differences of levels at the end on the other data sets of the same kind, for information."""
    found = {}
    balanced = all(data.endswith(" balanced") for data in sets)
    for data in sets_of(result):
        if data not in sets and data.endswith(" balanced") == balanced:
            for other in than:
                gap = level(_curves(result, data, better, 1.0)) - level(_curves(result, data, other, 1.0))
                found[f"elsewhere: {data}, {better} minus {other}, all rounds"] = (
                    f"median {np.median(gap):.4f}, {int((gap < 0).sum())} of {len(gap)} below 0"
                )
    return found


def _order(
    sets: tuple[str, ...], better: str, than: tuple[str, ...], *, planted: float = 0.0, worse: float = 0.0
) -> Evidence:
    """Claim: on each data set and at each horizon ``better`` has a lower level than each of ``than``.

    ``planted`` raises the objectives of ``than``, ``worse`` that of ``better``.
    """
    result = committed(EXPERIMENT)
    cases = [(data, other, time) for data in sets for other in than for time in _times(result, data)]
    tests = sum(CHOICES if TUNED in (better, other) else 1 for _, other, _ in cases)
    comparisons = [
        compare(
            f"{data}, {words}: {better} minus {other}",
            level(_curves(result, data, better, share, worse)) - level(_curves(result, data, other, share, planted)),
            tests=tests,
            data=data,
        )
        for data, other, (share, words) in cases
    ]
    return judge(
        comparisons,
        method="Mean of log F over the second half of the rounds up to each of three horizons.",
        result=result,
        numbers=_elsewhere(result, sets, better, than),
        sets=sets,
        choices=CHOICES if TUNED in (better, *than) else 1,
    )


def _near(sets: tuple[str, ...], first: str, second: str, tolerance: float, planted: float = 0.0) -> Evidence:
    """Claim: levels differ by at most ``tolerance`` (a relative difference of the objective) in either direction."""
    result = committed(EXPERIMENT)
    cases = [(data, time) for data in sets for time in _times(result, data)]
    comparisons: list[Comparison] = []
    for data, (share, words) in cases:
        gap = level(_curves(result, data, first, share)) - level(_curves(result, data, second, share, planted))
        for sign, side in ((1, "minus"), (-1, "plus")):
            comparisons.append(
                compare(
                    f"{data}, {words}: {first} - {second}, {side}",
                    sign * gap,
                    tolerance,
                    tests=2 * len(cases),
                    data=data,
                )
            )
    return judge(
        comparisons,
        method=f"Equivalence within {tolerance:.0%} of the objective in the median, at each of three horizons.",
        result=result,
        sets=sets,
    )


def _rough(sets: tuple[str, ...], rough: str, smooth: str, factor: float) -> Evidence:
    """Claim: between records ``rough`` moves at least ``factor`` times as much as ``smooth``, second half of the rounds."""
    result = committed(EXPERIMENT)
    comparisons = [
        compare(
            f"{data}: log roughness of {smooth} minus {rough}",
            roughness(_curves(result, data, smooth, 1.0)) - roughness(_curves(result, data, rough, 1.0)),
            -float(np.log(factor)),
            tests=len(sets),
            data=data,
        )
        for data in sets
    ]
    return judge(
        comparisons,
        method=f"Mean of |change of log F| between records, second half of the run: ratio at least {factor:g}.",
        result=result,
        sets=sets,
    )


def _progress(sets: tuple[str, ...], slow: str, fast: str, share: float) -> Evidence:
    """Claim: at each horizon ``slow`` has come down by less than ``share`` of the way that ``fast`` has."""
    result = committed(EXPERIMENT)
    cases = [(data, time) for data in sets for time in _times(result, data)]
    comparisons = []
    for data, (horizon, words) in cases:
        a, b = (_curves(result, data, label, horizon) for label in (slow, fast))
        ends = np.minimum(a[:, -1], 1e12)
        way = (a[:, 0] - ends) - share * (b[:, 0] - b[:, -1])
        comparisons.append(
            compare(
                f"{data}, {words}: descent of {slow} minus {share:g} descent of {fast}",
                way,
                tests=len(cases),
                data=data,
            )
        )
    return judge(
        comparisons,
        method="Objective at the start minus objective at each of three horizons.",
        result=result,
        sets=sets,
    )


def _paper_data(clients: int, cohort: int, batch: int, samples: int, tuned: tuple[float, ...]) -> Evidence:
    """What can be said without the data: the settings fit each other."""
    problems = []
    if cohort > clients:
        problems.append(f"K={cohort} exceeds N={clients}, no cohort without replacement")
    if batch * clients > samples:
        problems.append(f"b={batch} exceeds the mean of {samples}/{clients} samples per device")
    if min(tuned) <= 0 or len(set(tuned)) < len(tuned):
        problems.append(f"step sizes {tuned} are not positive and different")
    return unavailable(
        problems,
        examined=3,
        method="Printed settings compared with each other; the data themselves are not available.",
        would_settle="the authors' division of MNIST among 100 devices and their generated data sets, or their "
        "program with its seeds",
    )


_SETTINGS = dict(clients=100, cohort=10, batch=64, samples=54200, tuned=(0.1, 0.5, 0.9, 1.1))
_COMMON = dict(kind=Kind.EXPERIMENT, scope=Scope.EXPERIMENT)


def _paper(identifier: str, source: str, **settings: object) -> object:
    """The claim on a printed figure whose data were not published."""
    printed = {**_SETTINGS, **settings}
    return claim(
        identifier,
        **_COMMON,
        statement=r"\text{the printed figure, on its own data}",
        source=source,
        summary="The printed curves on the data of the paper, which were not published.",
        printed=printed,
        controls=[Control("K = 200 of 100 devices", dict(cohort=200)), Control("b = 700", dict(batch=700))],
    )(_paper_data)


def _order_claim(identifier: str, source: str, summary: str, *, control: Control, **printed: object) -> object:
    """``control`` must fail; the others' objectives doubled must pass."""
    better, than = printed["better"], printed["than"]
    planted = Control("the others' objectives doubled", dict(planted=1.0), must="pass")
    return claim(
        identifier,
        **_COMMON,
        statement=rf"\text{{{better} better than {', '.join(than)}}}",
        source=source,  # type: ignore[arg-type]
        summary=summary,
        printed=printed,
        controls=[control, planted],
    )(_order)


def _worse(words: str, worse: float) -> Control:
    """For sides too close for an exchange to be refuted."""
    return Control(f"{words} {worse:.0%} worse than measured", dict(worse=worse))


_ON_DIGITS = Control("digits with K/N = 1/2, where the tuned original scheme is ahead", dict(sets=DIGITS_BALANCED))
_ON_UNBALANCED_DIGITS = Control(_ON_DIGITS.name, dict(sets=DIGITS_UNBALANCED))
_SHARE = "K/N = 0.1"

fig1c = [
    _order_claim(
        "LI-FIG1C.1",
        "Figure 1(c), caption",
        f"On balanced data with {_SHARE} Scheme I is (slightly) better than Scheme II.",
        sets=BALANCED,
        better="Scheme I",
        than=("Scheme II",),
        control=_worse("Scheme I", 0.05),
    ),
    _order_claim(
        "LI-FIG1C.2",
        "Figure 1(c), caption",
        f"On balanced data with {_SHARE} Scheme I is better than the original scheme, "
        "tuned (on digits at K/N = 1/2 it is not: see the control).",
        sets=BALANCED,
        better="Scheme I",
        than=(TUNED,),
        control=_ON_DIGITS,
    ),
    _order_claim(
        "LI-FIG1C.3",
        "Figure 1(c), caption",
        f"On balanced data with {_SHARE} Scheme II is better than the original scheme, "
        "tuned (on digits at K/N = 1/2 it is not: see the control).",
        sets=BALANCED,
        better="Scheme II",
        than=(TUNED,),
        control=_ON_DIGITS,
    ),
    _paper("LI-FIG1C.5", "Figure 1(c)"),
]


@claim(
    "LI-FIG1C.4",
    **_COMMON,
    statement=r"p_k=1/N \Rightarrow \text{transformed Scheme II} = \text{Scheme II}",
    source="Figure 1(c), caption",
    summary="On balanced data the transformed Scheme II coincides with Scheme II.",
    printed=dict(sets=(*BALANCED, *DIGITS_BALANCED)),
    controls=[Control("unbalanced data", dict(sets=UNBALANCED))],
)
def coincide(sets: tuple[str, ...]) -> Evidence:
    """The schemes see the same cohorts and batches; with p_k = 1/N the scales N p_k and N p_k/K are 1 and 1/K."""
    result = committed(EXPERIMENT)
    gaps = [
        float(np.abs(result[f"{data}/Scheme II"] / result[f"{data}/transformed Scheme II"] - 1).max()) for data in sets
    ]
    same = max(gaps) <= 1e-9
    return Evidence(
        Rung.RERUN,
        Outcome.HOLDS if same else Outcome.NOT_REPRODUCED,
        "Objectives at all records, run by run, same cohorts and batches; equal up to 1e-9 (rounding).",
        examined=len(gaps),
        margin=1e-9 - max(gaps),
        numbers=dict(zip(sets, gaps, strict=True)),
        valid_for=settings_in_words(result, sets),
        seeds=seeds_of(result, sets),
    )


@claim(
    "LI-FIG1C-TXT.1",
    **_COMMON,
    statement=r"\text{Scheme I} \approx \text{Scheme II}",
    source="Section 6",
    summary="Balanced data: Schemes I and II have nearly the same performance (read: objectives within 2 % in the median).",
    printed=dict(sets=(*BALANCED, *DIGITS_BALANCED), first="Scheme I", second="Scheme II", tolerance=0.02),
    controls=[
        Control("Scheme II 5 % worse than measured", dict(planted=0.05)),
        Control("the tuned original scheme instead of Scheme II", dict(second=TUNED)),
    ],
)
def nearly_the_same(**settings: object) -> Evidence:
    return _near(**settings)  # type: ignore[arg-type]


fig1c_text = [
    _order_claim(
        "LI-FIG1C-TXT.2",
        "Section 6",
        f"On balanced data with {_SHARE} Scheme II is better than the original, tuned (Scheme I: LI-FIG1C.2).",
        sets=BALANCED,
        better="Scheme II",
        than=(TUNED,),
        control=_ON_DIGITS,
    ),
    _paper("LI-FIG1C-TXT.3", "Section 6"),
]

fig1d = [
    _order_claim(
        "LI-FIG1D.1",
        "Figure 1(d), Section 6",
        f"Unbalanced data, {_SHARE}: Scheme I performs best of the four.",
        sets=UNBALANCED,
        better="Scheme I",
        than=("Scheme II", "transformed Scheme II", TUNED),
        control=_ON_UNBALANCED_DIGITS,
    ),
    _order_claim(
        "LI-FIG1D.3",
        "Figure 1(d)",
        "Unbalanced data: the transformed Scheme II is slower than Scheme I.",
        sets=UNBALANCED,
        better="Scheme I",
        than=("transformed Scheme II",),
        control=Control("the two sides exchanged", dict(better="transformed Scheme II", than=("Scheme I",))),
    ),
    _paper("LI-FIG1D.5", "Figure 1(d)", samples=62864),
    _order_claim(
        "LI-FIG1D-ORIG.1",
        "Section 6",
        f"Unbalanced data, {_SHARE}: the original scheme, tuned, is slower than Scheme "
        "I (on digits at K/N = 1/2 it is not: see the control).",
        sets=UNBALANCED,
        better="Scheme I",
        than=(TUNED,),
        control=_ON_UNBALANCED_DIGITS,
    ),
    _paper("LI-FIG1D-ORIG.2", "Section 6", samples=62864),
]
fig4 = [
    _order_claim(
        "LI-FIG4.1",
        "Figure 4, caption",
        "Synthetic data: Scheme I performs best.",
        sets=SYNTHETIC,
        better="Scheme I",
        than=("Scheme II", "transformed Scheme II", TUNED),
        control=Control("Scheme II performs best", dict(better="Scheme II", than=("Scheme I",))),
    ),
    _order_claim(
        "LI-FIG4.2",
        "Figure 4, caption",
        "Synthetic data: the original scheme, tuned, comes second: before the "
        "transformed and the untransformed Scheme II.",
        sets=SYNTHETIC,
        better=TUNED,
        than=("transformed Scheme II", "Scheme II"),
        control=Control("Scheme II comes second", dict(better="Scheme II", than=(TUNED,))),
    ),
    _order_claim(
        "LI-FIG4.4",
        "Figure 4, caption",
        "Synthetic data: the transformed Scheme II is slower than Scheme I.",
        sets=SYNTHETIC,
        better="Scheme I",
        than=("transformed Scheme II",),
        control=Control("the two sides exchanged", dict(better="transformed Scheme II", than=("Scheme I",))),
    ),
    _paper("LI-FIG4.6", "Figure 4", batch=24, samples=27348),
]
normalised = [
    _order_claim(
        "LI-NORMW-EXP.1",
        "Appendix D.2",
        "Scheme I is (slightly) better than a uniform cohort with normalised weights.",
        sets=(*SYNTHETIC, *UNBALANCED),
        better="Scheme I",
        than=("normalised uniform",),
        control=_worse("Scheme I", 0.2),
    ),
    _paper("LI-NORMW-EXP.2", "Appendix D.2, after Sahu et al.", batch=24, samples=27348),
]


def _rough_claim(identifier: str, source: str, summary: str, **printed: object) -> object:
    """The claim that the curve of one scheme is rougher than that of another."""
    exchanged = Control("the two schemes exchanged", dict(rough=printed["smooth"], smooth=printed["rough"]))
    return claim(
        identifier,
        **_COMMON,
        statement=rf"\text{{{printed['rough']} rougher than {printed['smooth']}}}",
        source=source,
        summary=summary,
        printed=printed,
        controls=[exchanged],
    )(_rough)


unstable = [
    _rough_claim(
        "LI-FIG1D.2",
        "Figure 1(d), Section 6",
        "Unbalanced data: Scheme II suffers from instability (read: moves at least three times as much as Scheme I).",
        sets=UNBALANCED,
        rough="Scheme II",
        smooth="Scheme I",
        factor=3.0,
    ),
    _rough_claim(
        "LI-FIG1D.4",
        "Figure 1(d), Section 6",
        "Unbalanced data: the transformed Scheme II is stable (read: moves less than Scheme II).",
        sets=UNBALANCED,
        rough="Scheme II",
        smooth="transformed Scheme II",
        factor=1.0,
    ),
    _rough_claim(
        "LI-FIG4.3",
        "Figure 4, caption",
        "Synthetic data: the curve of Scheme II fluctuates (read: moves at least three times as much as that of "
        "Scheme I).",
        sets=SYNTHETIC,
        rough="Scheme II",
        smooth="Scheme I",
        factor=3.0,
    ),
]


@claim(
    "LI-FIG4.5",
    **_COMMON,
    statement=r"F(w_0)-F(w_R) \text{ under Scheme II below half of that under Scheme I}",
    source="Figure 4, caption",
    summary="Synthetic data: Scheme II shows no sign of convergence (read: it comes down less than half as far as "
    "Scheme I).",
    printed=dict(sets=SYNTHETIC, slow="Scheme II", fast="Scheme I", share=0.5),
    controls=[Control("the transformed Scheme II instead", dict(slow="transformed Scheme II"))],
)
def no_convergence(**settings: object) -> Evidence:
    return _progress(**settings)  # type: ignore[arg-type]


if __name__ == "__main__":
    from fltheory.evidence.runner import run_script

    run_script(__file__)
