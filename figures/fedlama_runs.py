"""FedLAMA between two intervals of FedAvg, from results: learning curves, accuracy against cost (8), averagings by layers.

Lee, Zhang, Avestimehr (2021), Figures 2 to 6 and Tables 6 and 7, on other data.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from fltheory.experiments import Result, load_result
from fltheory.experiments.readers import claims_reading
from fltheory.plotting.bands import band
from fltheory.plotting.captions import Caption, facts_of
from fltheory.plotting.palette import ALGORITHMS
from fltheory.plotting.sheet import finding, legend_below, new_sheet, publish
from fltheory.plotting.style import draw_measured
from verify.fedlama2021.experiments.courses import BASE, BUDGET, RULES, Contender

#: Colours are those of the algorithms, marks tell intervals and rules apart.
LOOKS = (
    (ALGORITHMS["FedAvg"], ""),
    (ALGORITHMS["FedAvg"], "s"),
    (ALGORITHMS["FedLAMA"], "o"),
    (ALGORITHMS["FedLAMA"], "^"),
    (ALGORITHMS["FedLAMA"], "x"),
)
#: Data sets and the files of their figures.
SETS = {"digits": "fedlama_runs", "MNIST subset": "fedlama_runs_mnist", "Fashion-MNIST": "fedlama_runs_fashion"}


def main(output_dir: Path, data_dir: Path) -> None:
    """Draw ``fedlama_runs*.png`` for the sets in the results: means with 95 % bands; above phi = 2, below phi = 4."""
    result = load_result(data_dir / "experiments" / "fedlama_runs.npz")
    for data in SETS:
        if data in result.settings["sets"]:
            draw(result, data, output_dir)


def draw(result: Result, data: str, output_dir: Path) -> None:
    """The figure of one data set."""
    figure, axes = new_sheet(2, 3, height=2.2)
    for factor, (curves, costs, layers) in zip((2, 4), axes, strict=True):
        methods = {
            "FedAvg, short interval": Contender(factor, every=BASE),
            "FedAvg, long interval": Contender(factor, every=BASE * factor),
            **{f"FedLAMA, {rule}": Contender(factor, rule) for rule in RULES},
        }
        for (label, method), colour in zip(methods.items(), LOOKS, strict=True):
            _draw(result, data, method, label, *colour, curves, costs, layers)
        curves.set(xlabel="iterations", ylabel="test accuracy")
        costs.set(xlabel="cost (8) over FedAvg(6)", ylabel="late accuracy", xlim=(0, 1.05))
        layers.set(xlabel=r"layer  $l$", ylabel=r"averagings  $\kappa_l$", ylim=(0, 50))
        layers.set_xticks(range(1, 5))
    legend_below(figure, axes[0])
    words = f"{data}: FedLAMA's accuracy lies between those of FedAvg with the short and with the long interval"
    publish(
        figure,
        output_dir,
        Caption(
            SETS[data],
            finding(all(between(panel) for panel in axes[:, 1]), words),
            "Solid: means over the replicates with 95 % bands; above phi = 2, below phi = 4. Left: learning curves; "
            "middle: accuracy "
            "in the second half of the rounds against the cost (8) of the paper; right: averagings of each layer.",
            f"short interval {BASE} iterations, long one phi times as long; "
            + ", ".join(f"{k} {v}" for k, v in result.settings["common"].items() if k not in ("form", "seeds")),
            "experiments/fedlama_runs.npz",
            facts_of(result, (data,)),
            claims_reading("fedlama_runs"),
        ),
    )


def between(panel: Any) -> bool:
    """Whether the later points of a panel lie, in height, between the first (short interval) and the second (long)."""
    short, long, *others = (float(line.get_ydata()[0]) for line in panel.get_lines())
    return all(long <= height <= short for height in others)


def _draw(
    result: Result, data: str, method: Contender, label: str, colour: str, mark: str, curves, costs, layers
) -> None:  # type: ignore[no-untyped-def]
    """One method: its curve, its point, its averagings."""
    settings, rounds = result.settings["sets"][data], method.rounds(BUDGET)
    accuracy = result[f"{data}/{method.label}, hits"][:, :rounds] / settings["test"]
    counts = result[f"{data}/{method.label}, averaged"][:, rounds - 1].astype(float)
    sizes = np.array([(m + 1) * n for m, n in zip(settings["units"], settings["units"][1:], strict=False)])
    mean, low, high = band(accuracy)
    iterations = [BASE * method.factor * (r + 1) for r in range(rounds)]
    draw_measured(curves, iterations, mean, low, high, label=label, color=colour)
    late, below, above = (each[0] for each in band(accuracy[:, rounds // 2 :].mean(axis=1, keepdims=True)))
    cost = (counts @ sizes).mean() / (sizes.sum() * (BUDGET // BASE))
    costs.errorbar(
        [cost], [late], yerr=[[late - below], [above - late]], marker=mark or "o", color=colour, markersize=4.5
    )
    draw_measured(layers, range(1, len(sizes) + 1), *band(counts), label="_", color=colour)
    for panel, every in ((curves, max(1, rounds // 6)), (layers, 1)):
        panel.lines[-1].set(marker=mark, markersize=4, markevery=every)


if __name__ == "__main__":
    main(Path("results/figures"), Path("results"))
