"""Figures 1 and 2 of the elastic aggregation supplement, and its sentence on tau, on an analogue: a small network on digits.

Only the direction of each sentence is judged, in every seed: the numbers of the figures cannot be read, and of their settings
nothing is printed beyond the data set.
"""

from __future__ import annotations

import numpy as np

from fltheory.evidence.ends import by_rerun
from fltheory.evidence.kinds import experiment_claim, run_script
from fltheory.evidence.model import Analogue, Control, Evidence
from verify.elastic2023.analogue import DECAY, Method, course, mean_accuracy

ANALOGUE = Analogue(
    model="one hidden layer of 24 ReLU units instead of a network that is not named",
    data="1,397 digits of 8 by 8 pixels for training and 400 for the test instead of CIFAR-10",
    size="10 clients, all of them in every round, 20 rounds of two epochs; a tenth of each client's data, one to eight "
    "batches of 4, for the sensitivities; mu = 0.9 and tau = 1/2 where nothing else is said; none of this is printed",
    heterogeneity="a Dirichlet split over clients with parameter 1/2; the print has a Dirichlet split with a parameter that "
    "it does not "
    "name",
)
SEEDS = (0, 1, 2, 3, 4)
METHODS = {
    "FedAvg": Method(),
    "FedAvgM": Method(momentum=0.5),
    "FedProx": Method(prox=0.1),
}
of_the_figures = experiment_claim.sharing(analogue=ANALOGUE, quick=False)


def with_form(method: Method, form: str, *, tau: float = 0.5, scaled: bool = False) -> Method:
    """A method with elastic aggregation."""
    return Method(form, tau, method.momentum, method.prox, scaled)


@of_the_figures(
    "EL-FIG1",
    headline="On digits the momentum form does not in every seed boost fewer parameters",
    source="Section 1, Figure 1",
    statement=r"\text{share of parameters with }\zeta^i>1:\quad\text{momentum}<\text{average}",
    summary="On the analogue neither form boosts fewer parameters in all seeds, for tau = 0.3 or 0.5: the momentum form "
    "boosts up to 2.5 points fewer in some and up to 7.1 points more in others (the print says: the "
    "momentum form restricts more, the average form boosts more).",
    printed=dict(fewer="momentum", more="average", taus=(0.3, 0.5)),
    controls=[
        Control("fewer than the same form", dict(more="momentum")),
        Control("the average form boosts fewer", dict(fewer="average", more="momentum")),
    ],
)
def boosted(fewer: str, more: str, taus: tuple[float, ...]) -> Evidence:
    """Mean share of boosted parameters over the rounds: is it smaller in every seed and for every tau?"""
    gaps = {
        tau: [
            float(np.mean(course(Method(more, tau), seed).boosted) - np.mean(course(Method(fewer, tau), seed).boosted))
            for seed in SEEDS
        ]
        for tau in taus
    }
    return by_rerun(
        all(gap > 0 for each in gaps.values() for gap in each),
        f"Mean share of zeta > 1 over 20 rounds of FedAvg with elastic aggregation, momentum {DECAY}; direction in every seed.",
        examined=len(SEEDS) * len(taus) * 2,
        numbers={f"tau = {tau}: gaps": ", ".join(f"{gap:+.3f}" for gap in each) for tau, each in gaps.items()},
        margin=min(min(each) for each in gaps.values()),
        seeds=SEEDS,
    )


def gains(better: str, worse: str, methods: tuple[str, ...]) -> Evidence:
    """Mean test accuracy over the rounds: is it higher in every seed, for every method?"""
    forms = {
        "plain": lambda method: method,
        "elastic": lambda method: with_form(method, "momentum"),
        "plain, times the mean elasticity": lambda method: with_form(method, "momentum", scaled=True),
    }
    found = {
        name: mean_accuracy(forms[better](METHODS[name]), SEEDS) - mean_accuracy(forms[worse](METHODS[name]), SEEDS)
        for name in methods
    }
    return by_rerun(
        all((gain > 0).all() for gain in found.values()),
        "Mean test accuracy over 20 rounds, the same splits, starts and batches; higher in every seed.",
        examined=2 * len(SEEDS) * len(methods),
        numbers={f"{name}: gains": ", ".join(f"{one:+.4f}" for one in gain) for name, gain in found.items()},
        margin=float(min(gain.min() for gain in found.values())),
        seeds=SEEDS,
    )


faster = of_the_figures(
    "EL-FIG2",
    headline="On digits elastic aggregation speeds up FedAvg, with momentum and with a proximal term too",
    source="Section 3, Figure 2",
    statement=r"\text{FedAvg, FedAvgM, FedProx: faster with elastic aggregation}",
    summary="On the analogue the mean test accuracy over the rounds is higher with elastic aggregation, in every seed and for "
    "each of the "
    "three optimisers.",
    printed=dict(better="elastic", worse="plain", methods=tuple(METHODS)),
    controls=[Control("faster without it", dict(better="plain", worse="elastic"))],
)(gains)

larger_step = of_the_figures(
    "EL-FIG2-U1",
    headline="On digits the plain step times the mean elasticity is faster still",
    source="Figure 2, its cause",
    statement=r"\theta+\bar\zeta\,\Delta\text{ with the mean }\bar\zeta\text{ of the elasticities: faster than "
    r"}\theta+\mathrm{diag}(\zeta)\Delta",
    summary="A limit of the comparison: most elasticities are above one, so that the server's step is longer (by about 1.4 "
    "here). The plain "
    "update times their mean, with no difference between parameters, is faster than elastic aggregation in every seed and for "
    "all three "
    "optimisers: the gain of Figure 2 needs no sensitivities.",
    printed=dict(better="plain, times the mean elasticity", worse="elastic", methods=tuple(METHODS)),
    controls=[Control("elastic aggregation faster", dict(better="elastic", worse="plain, times the mean elasticity"))],
)(gains)


@of_the_figures(
    "EL-ROBTAU.3",
    headline="On digits the momentum form is not more robust to tau in every seed",
    source="Section 1, second paragraph",
    statement=r"\max_\tau-\min_\tau\text{ of the accuracy}:\quad\text{momentum}<\text{average}",
    summary="On the analogue, with tau from 0.1 to 0.9, the mean accuracy varies by 7 to 11 points with both forms; the "
    "ranges differ by up to half a point, either way. The print says that "
    "the momentum form is more robust, on other tasks and without numbers.",
    printed=dict(robust="momentum", other="average"),
    controls=[Control("the average form more robust", dict(robust="average", other="momentum"))],
)
def robustness(robust: str, other: str) -> Evidence:
    """Range of the mean accuracy over tau, in every seed."""
    taus = (0.1, 0.5, 0.9)
    ranges = {
        form: np.ptp([mean_accuracy(Method(form, tau), SEEDS) for tau in taus], axis=0) for form in (robust, other)
    }
    less = ranges[other] - ranges[robust]
    return by_rerun(
        bool((less > 0).all()),
        "Range of the mean test accuracy over tau in 0.1, 0.5, 0.9, FedAvg with elastic aggregation; smaller in every seed.",
        examined=2 * len(taus) * len(SEEDS),
        numbers={f"{form}: ranges": ", ".join(f"{one:.4f}" for one in each) for form, each in ranges.items()},
        margin=float(less.min()),
        seeds=SEEDS,
    )


if __name__ == "__main__":
    run_script(__file__)
