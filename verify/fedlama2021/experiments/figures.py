"""Figures 2 to 6 of the FedLAMA paper and its advice on the budget, on an analogue: averagings, data, learning curves.

The rule is the default one: the layers up to the crossing wait, with the one in which it lies.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from fltheory.evidence.kinds import experiment_claim, run_script
from fltheory.evidence.model import Control, Evidence
from verify.fedlama2021.experiments.courses import BASE, LONGER, RULES, Contender, LamaCourse
from verify.fedlama2021.experiments.judging import (
    ALONE,
    ANALOGUE,
    SetComparison,
    curve,
    judged,
    late,
    runs,
)

of_the_figures = experiment_claim.sharing(analogue=ANALOGUE)
LAMA_2, LAMA_4 = Contender(2, RULES[0]), Contender(4, RULES[0])
NETWORKS = ("large near the outputs", "large at the inputs")


def place(what: str, sizes: Sequence[int]) -> int:
    """Number of a layer: the largest, the last, the one before it."""
    return {"largest": int(np.argmax(sizes)), "last": len(sizes) - 1, "first": 0, "last but one": len(sizes) - 2}[what]


def waiting(network: str, layer: str, sets: tuple[str, ...] = ALONE) -> Evidence:
    """Is this layer averaged less often in the mean than every other, and in no run more often?"""

    def compare(data: str) -> SetComparison:
        found = runs(Contender(2, RULES[0], narrowing=bool(NETWORKS.index(network))), data)
        counts, sizes = np.array([run.averaged[-1] for run in found], dtype=float), found[0].sizes
        number = place(layer, sizes)
        others = [other for other in range(counts.shape[1]) if other != number]
        return SetComparison(
            {f"averagings of layer {number + 1} - layer {k + 1}": counts[:, number] - counts[:, k] for k in others},
            {"no layer is averaged less often": bool((counts[:, [number]] <= counts[:, others]).all())},
            {
                "parameters of the layers": ", ".join(map(str, sizes)),
                "averagings, mean": ", ".join(f"{one:.1f}" for one in counts.mean(axis=0)) + " (FedAvg(6): 48)",
            },
        )

    return judged(compare, "Averagings of every layer in 288 iterations of FedLAMA(6, 2).", sets)


large_layers = of_the_figures(
    "LA-FIG2",
    headline="On digits FedLAMA averages the large layer near the outputs least often",
    source="Section 6.2, Figure 2",
    statement=r"\kappa_l\le\kappa_{l'}\text{ in every run, }\mathbb E\kappa_l<\mathbb E\kappa_{l'},\quad l'\ne l,\quad "
    r"l\text{: the largest layer, near the outputs}",
    summary="Where the largest layer is the last but one, FedLAMA(6, 2) averages no layer less often in any run, and "
    "every other layer more often in the mean: the long interval goes mostly to the large layer near the outputs.",
    printed=dict(network="large near the outputs", layer="largest"),
    controls=[
        Control("the last layer", dict(layer="last")),
        Control("the first layer", dict(layer="first")),
    ],
)(waiting)

not_the_place = experiment_claim(
    "LA-FIG2-U1",
    analogue=replace(
        ANALOGUE, model="a perceptron whose layers have 1,040, 204, 156 and 130 parameters, from the inputs on"
    ),
    headline="On digits FedLAMA averages a large layer least often where it is at the inputs, too",
    source="Section 6.2, Figure 2",
    statement=r"\kappa_1\le\kappa_l\text{ in every run, }\mathbb E\kappa_1<\mathbb E\kappa_l,\quad l>1,\quad "
    r"\text{where the first layer is the largest}",
    summary="A limit of the sentence, whose networks have their large layers at the outputs: where the largest layer "
    "is the first, FedLAMA(6, 2) averages no layer less often in any run, and every other layer more often in the "
    "mean.",
    printed=dict(network="large at the inputs", layer="largest"),
    controls=[
        Control("the last layer", dict(layer="last")),
        Control("the layer before the last", dict(layer="last but one")),
    ],
)(waiting)


def data_sent(most: tuple[int, int], saved: str, sets: tuple[str, ...] = ALONE) -> Evidence:
    """(8) by layers, against FedAvg with the base interval."""

    def compare(data: str) -> SetComparison:
        own, full = runs(LAMA_2, data), runs(Contender(2, every=BASE), data)
        savings = np.array([np.subtract(b.sent(), a.sent()) for a, b in zip(own, full, strict=True)])
        number = place(saved, own[0].sizes)
        return SetComparison(
            {},
            {
                "no layer sends more": bool((savings >= 0).all()),
                f"the total is at most {most[0]}/{most[1]}": all(run.cost() * most[1] <= most[0] for run in own),
                f"the {saved} layer saves most": bool((savings.argmax(axis=1) == number).all()),
            },
            {
                "share of FedAvg's data by layers": ", ".join(
                    f"{a / b:.2f}" for a, b in zip(_mean(own), _mean(full), strict=True)
                ),
                "share in all": f"{sum(_mean(own)) / sum(_mean(full)):.3f}",
            },
        )

    return judged(compare, "Data of every layer by (8), from the averagings made.", sets)


less_data = of_the_figures(
    "LA-FIG3",
    headline="On digits FedLAMA sends at least a quarter less data than FedAvg",
    source="Section 6.2, Figure 3",
    statement=r"\dim(u_l)\,\kappa_l\le\dim(u_l)\,\kappa_l^{\mathrm{FedAvg}(6)},\quad C\le\tfrac34",
    summary="No layer sends more data under FedLAMA(6, 2) than under FedAvg(6), and all together send at most three "
    "quarters (read: a significantly smaller total is at least half of the saving that phi = 2 allows), in every run; "
    "more is saved in the largest layer than in any other.",
    printed=dict(most=(3, 4), saved="largest"),
    controls=[
        Control("at most a half", dict(most=(1, 2))),
        Control("most saved in the last layer", dict(saved="last")),
    ],
)(data_sent)


def _mean(found: Sequence[LamaCourse]) -> list[float]:
    return [float(one) for one in np.mean([run.sent() for run in found], axis=0)]


CURVES = "Mean test accuracy at the ends of every 24 of 288 iterations."
FEDAVG = {every: Contender(4, every=every) for every in (6, 12, 24)}


def slower(intervals: tuple[int, ...], sets: tuple[str, ...] = ALONE) -> Evidence:
    """Curves of FedAvg, each against the next."""

    def compare(data: str) -> SetComparison:
        levels = {every: curve(FEDAVG[every], data) for every in intervals}
        pairs = zip(intervals, intervals[1:], strict=False)
        return SetComparison(
            {f"FedAvg({b}) - FedAvg({a})": levels[b] - levels[a] for a, b in pairs},
            numbers={f"FedAvg({every})": f"{level.mean():.3f}" for every, level in levels.items()},
        )

    return judged(compare, CURVES, sets)


slower_by_interval = of_the_figures(
    "LA-FIG456.1",
    headline="On digits FedAvg becomes slower as its interval grows from 6 to 12 and 24",
    source="Appendix, Figures 4 to 6",
    statement=r"\overline{\mathrm{acc}}(\text{FedAvg}(6))>\overline{\mathrm{acc}}(\text{FedAvg}(12))>\overline{\mathrm{acc}}(\text{FedAvg}(24))",
    summary="With equal numbers of iterations, the accuracy averaged over the learning curve falls as the interval of "
    "FedAvg grows from 6 to 12 and from 12 to 24.",
    printed=dict(intervals=(6, 12, 24)),
    controls=[
        Control("24 before 12", dict(intervals=(6, 24, 12))),
        Control("12 before 6", dict(intervals=(12, 6, 24))),
    ],
)(slower)


def affected(share: float, factors: tuple[int, ...], sets: tuple[str, ...] = ALONE) -> Evidence:
    """What FedLAMA(6, phi) loses against FedAvg(6), less a share of what FedAvg(6 phi) loses."""

    def compare(data: str) -> SetComparison:
        gaps, numbers = {}, {}
        for factor in factors:
            methods = Contender(factor, every=6), Contender(factor, every=6 * factor), Contender(factor, RULES[0])
            base, long, own = (curve(method, data) for method in methods)
            gap = (base - own) - share * (base - long)
            gaps[f"phi = {factor}: loss of FedLAMA - {share:g} of that of FedAvg"] = gap
            numbers[f"phi = {factor}: loss of FedLAMA"] = f"{(base - own).mean():.3f}"
            numbers[f"phi = {factor}: loss of FedAvg({6 * factor})"] = f"{(base - long).mean():.3f}"
        return SetComparison(gaps, numbers=numbers)

    return judged(compare, CURVES, sets)


less = of_the_figures(
    "LA-FIG456.2",
    headline="On digits FedLAMA is slowed less than FedAvg with the same long interval",
    source="Appendix, Figures 4 to 6",
    statement=r"\overline{\mathrm{acc}}(\text{FedLAMA}(6,\phi))>\overline{\mathrm{acc}}(\text{FedAvg}(6\phi))",
    summary="With equal numbers of iterations and phi = 2 and 4, the accuracy averaged over the learning curve is "
    "higher for FedLAMA(6, phi) than for FedAvg(6 phi).",
    printed=dict(share=1.0, factors=(2, 4)),
    controls=[Control("by a factor of ten", dict(share=0.1))],
)(affected)

marginal = of_the_figures(
    "LA-FIG456.3",
    headline="On digits the slowing of FedLAMA with phi = 4 is not marginal",
    source="Appendix, Figures 4 to 6",
    statement=r"\overline{\mathrm{acc}}(\text{FedAvg}(6))-\overline{\mathrm{acc}}(\text{FedLAMA}(6,4))\le\tfrac14\big(\overline{\mathrm{acc}}"
    r"(\text{FedAvg}(6))-\overline{\mathrm{acc}}(\text{FedAvg}(24))\big)",
    summary="The print says that curves of FedLAMA are marginally affected by the longer interval (read: against "
    "FedAvg(6), FedLAMA(6, 4) loses at most a quarter of what FedAvg(24) loses). On the analogue it loses more, about "
    "half of it, seven points.",
    printed=dict(share=0.25, factors=(4,)),
    controls=[
        Control("a tenth of it", dict(share=0.1)),
        Control("less than all of it", dict(share=1.0), must="pass"),
    ],
)(affected)


def more_budget(other: str, within: float, iterations: int, sets: tuple[str, ...] = ALONE) -> Evidence:
    """Cost and accuracy of the longer run with phi = 4 against those of another method."""
    against = {"FedLAMA(6, 2)": LAMA_2, "FedAvg(6)": FEDAVG[6], "FedAvg(12)": FEDAVG[12]}[other]

    def compare(data: str) -> SetComparison:
        longer, costs = late(LAMA_4, iterations / 288, data), [run.cost(iterations) for run in runs(LAMA_4, data)]
        level, theirs = late(against, data=data), [run.cost() for run in runs(against, data)]
        return SetComparison(
            {
                f"{other} - FedLAMA(6, 4) with {iterations}, - {within:g}": level - longer - within,
                f"FedLAMA(6, 4) with 288, - with {iterations}": late(LAMA_4, data=data) - longer,
            },
            {f"cheaper than {other}": all(a < b for a, b in zip(costs, theirs, strict=True))},
            {
                "costs": f"{float(np.mean(costs)):.3f}, {other} {float(np.mean(theirs)):.3f}",
                "accuracies": f"{longer.mean():.3f}, {other} {level.mean():.3f}",
            },
        )

    return judged(
        compare,
        "Mean test accuracy over the second half of the iterations; cost by (8) in units of FedAvg(6) with 288 "
        "iterations.",
        sets,
    )


advice = of_the_figures(
    "LA-TXT-BUDGET",
    headline="On digits phi = 4 with a quarter more iterations is within 3 points of phi = 2, for less",
    source="Appendix, on Tables 6 and 7",
    statement=r"C\big(\text{FedLAMA}(6,4),\tfrac54T\big)<C(\text{FedLAMA}(6,2),T),\quad \mathrm{acc}\text{ within }0.03",
    summary="The advice for little bandwidth, to raise phi and the budget a little, works (read: a quarter more "
    "iterations): with 360 iterations FedLAMA(6, 4) sends less than FedLAMA(6, 2) with 288 in every run, is more "
    "accurate than with 288, and its mean accuracy is at most three points below that of FedLAMA(6, 2).",
    printed=dict(other="FedLAMA(6, 2)", within=0.03, iterations=LONGER),
    controls=[
        Control("as accurate as FedAvg(6)", dict(other="FedAvg(6)", within=0.0)),
        Control("cheaper than FedAvg(12)", dict(other="FedAvg(12)")),
    ],
)(more_budget)

if __name__ == "__main__":
    run_script(__file__)
