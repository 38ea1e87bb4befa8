"""FedAvg(tau'), FedLAMA(tau', phi) and FedAvg(phi tau') with one iteration budget, in each reading of the rule."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np

from fltheory.evidence.kinds import experiment_claim, run_script
from fltheory.evidence.model import Claim, Control, Evidence
from verify.fedlama2021.experiments.courses import BASE, RULES, STEPS, Contender
from verify.fedlama2021.experiments.judging import (
    ALONE,
    ANALOGUE,
    SetComparison,
    judged,
    late,
    runs,
)

of_the_experiments = experiment_claim.sharing(analogue=ANALOGUE, source="Section 6, experimental settings; 6.1")
ORDER = ("FedAvg(tau')", "FedLAMA", "FedAvg(phi tau')")
LATE = "Mean test accuracy over the second half of 288 iterations, tau' = 6, phi = 2 and 4; cost by (8) from the averagings made."


def named(name: str, factor: int, rule: str, share: int) -> Contender:
    """One of the three methods, with one client in ``share``."""
    every = {"FedAvg(tau')": BASE, "FedAvg(phi tau')": BASE * factor}
    return Contender(factor, "" if name in every else rule, every.get(name, 0), share=share)


def three_way(
    order: tuple[str, ...],
    low: str,
    high: str,
    rule: str,
    share: int = 1,
    sets: tuple[str, ...] = ALONE,
) -> Evidence:
    """Is each of the three more accurate than the next, and the cost of FedLAMA between the two?"""
    bounds = {
        "1/phi": lambda factor: Fraction(1, factor),
        "1": lambda factor: Fraction(1),
        "0": lambda factor: Fraction(0),
    }

    def compare(data: str) -> SetComparison:
        below, exactly, numbers = {}, {}, {}
        for factor in (2, 4):
            begin = f"phi = {factor}"
            levels = {name: late(named(name, factor, rule, share), data=data) for name in order}
            costs = [run.cost() for run in runs(Contender(factor, rule, share=share), data)]
            for better, worse in zip(order, order[1:], strict=False):
                below[f"{begin}: {worse} - {better}"] = levels[worse] - levels[better]
            between = all(bounds[low](factor) < cost < bounds[high](factor) for cost in costs)
            exactly[f"{begin}: {low} < cost < {high}"] = between
            numbers[f"{begin}: accuracies"] = ", ".join(
                f"{name} {np.mean(level):.3f}" for name, level in levels.items()
            )
            numbers[f"{begin}: cost"] = (
                f"{float(np.mean(costs)):.3f}, from {float(min(costs)):.3f} to {float(max(costs)):.3f}"
            )
        return SetComparison(below, exactly, numbers)

    return judged(compare, LATE, sets, share=share)


CONTROLS = [
    Control("FedLAMA more accurate than the base interval", dict(order=(ORDER[1], ORDER[0], ORDER[2]))),
    Control("FedLAMA less accurate than the long interval", dict(order=(ORDER[0], ORDER[2], ORDER[1]))),
    Control("a cost below 1/phi", dict(low="0", high="1/phi")),
]


def reading(rule: str, headline: str, summary: str) -> Claim:
    """The row of one reading of the rule."""
    return of_the_experiments(
        f"LA-EXP-3WAY[{rule}]",
        headline=headline,
        statement=r"\mathrm{acc}(\text{FedAvg}(\tau'))>\mathrm{acc}(\text{FedLAMA}(\tau',\phi))>\mathrm{acc}(\text{FedAvg}(\phi\tau')),"
        r"\quad \tfrac1\phi<C<1",
        summary=summary,
        printed=dict(order=ORDER, low="1/phi", high="1", rule=rule),
        controls=CONTROLS,
    )(three_way)


_BETWEEN = (
    "with equal numbers of iterations, FedLAMA(6, 2) and FedLAMA(6, 4) are on average more accurate than FedAvg with "
    "the long interval and less than FedAvg with the base interval; in every run the cost is between 1/phi and 1 of "
    "the latter's."
)
through = reading(
    "through crossing",
    "On digits FedLAMA with the crossing layer waiting lies between both intervals of FedAvg",
    f"Where the layers up to the crossing wait, with the one in which it lies: {_BETWEEN}",
)
before = reading(
    "before crossing",
    "On digits FedLAMA with the crossing layer left out lies between both intervals of FedAvg",
    f"Where the layers before the crossing wait, without the one in which it lies: {_BETWEEN}",
)
as_printed = reading(
    "printed",
    "On digits nothing refutes that FedLAMA with the printed condition lies between both",
    "Where the printed condition decides, so that all layers but one wait: as with the other rules for phi = 4, and "
    "costs are between 1/phi and 1; for phi = 2 the runs are too few to tell FedLAMA(6, 2) from FedAvg(12), which is "
    "less accurate in the mean.",
)


half = of_the_experiments(
    "LA-EXP-3WAY-U2",
    analogue=replace(
        ANALOGUE, size=ANALOGUE.size.replace("all of them in every round", "five of them, drawn anew for every round")
    ),
    headline="On digits with half of the clients FedLAMA lies between both intervals of FedAvg, too",
    statement=r"\mathrm{acc}(\text{FedAvg}(6))>\mathrm{acc}(\text{FedLAMA}(6,\phi))>\mathrm{acc}(\text{FedAvg}(6\phi)),"
    r"\quad\text{5 of 10 clients drawn every }6\phi\text{ iterations}",
    summary="How far the comparison reaches: where five of ten clients take part, drawn anew for every round of phi tau' "
    "iterations and the same for all methods, FedLAMA(6, 2) and FedLAMA(6, 4) with the crossing layer waiting are on average "
    "more accurate than FedAvg with the long interval and less than FedAvg with the base interval, at costs between.",
    printed=dict(order=ORDER, low="1/phi", high="1", rule=RULES[0], share=2),
    controls=CONTROLS,
)(three_way)


def at_equal_cost(better: int, within: tuple[int, int], sets: tuple[str, ...] = ALONE) -> Evidence:
    """FedLAMA(6, 4) against FedAvg with an interval whose cost is near, each with its best step size."""

    def compare(data: str) -> SetComparison:
        plain = {step: late(Contender(4, every=better, step_size=step), data=data) for step in STEPS}
        adaptive = {step: late(Contender(4, RULES[0], step_size=step), data=data) for step in STEPS}
        best, own = (max(STEPS, key=lambda step: levels[step].mean()) for levels in (plain, adaptive))
        costs = [run.cost() for run in runs(Contender(4, RULES[0], step_size=own), data)]
        near = all(abs(cost - Fraction(BASE, better)) <= Fraction(*within) for cost in costs)
        return SetComparison(
            {f"FedLAMA(6, 4) - FedAvg({better})": adaptive[own] - plain[best]},
            {f"costs within {within[0]}/{within[1]}": near},
            {
                **{
                    f"step size {step}: accuracies": f"FedAvg({better}) {plain[step].mean():.3f}, "
                    f"FedLAMA {adaptive[step].mean():.3f}"
                    for step in STEPS
                },
                "runs in which FedAvg is better": int((plain[best] > adaptive[own]).sum()),
                "cost of FedLAMA(6, 4)": f"from {float(min(costs)):.3f} to {float(max(costs)):.3f}",
            },
        )

    return judged(
        compare, LATE.replace("phi = 2 and 4", "phi = 4") + " The step size with the best mean for each.", sets
    )


at_digits = of_the_experiments(
    "LA-EXP-3WAY-U1",
    headline="On digits FedAvg with an interval between, at the same cost, is more accurate",
    statement=r"\mathrm{acc}(\text{FedAvg}(12))>\mathrm{acc}(\text{FedLAMA}(6,4)),\quad C=\tfrac12,"
    r"\ |C(\text{FedLAMA}(6,4))-\tfrac12|\le"
    r"\tfrac{3}{100}",
    summary="A limit of the comparison, which has no FedAvg at the cost of FedLAMA. Where the crossing layer waits, "
    "FedLAMA(6, 4) costs half as much as FedAvg(6) in every run, within three hundredths. FedAvg(12) costs one half, "
    "and is more accurate on average, with equal numbers of iterations and for each method the best of the step sizes "
    "0.05, 0.1 and 0.2. With 0.2 for both no difference is seen.",
    printed=dict(better=12, within=(3, 100)),
    controls=[
        Control("FedAvg(24)", dict(better=24, within=(30, 100))),
        Control("equal to a thousandth", dict(within=(1, 1000))),
    ],
)(at_equal_cost)

if __name__ == "__main__":
    run_script(__file__)
