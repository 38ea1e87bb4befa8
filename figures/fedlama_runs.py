"""FedLAMA between two intervals of FedAvg, from results: learning curves, accuracy against cost (8), averagings by layers.

Lee, Zhang, Avestimehr (2021), Figures 2 to 6 and Tables 6 and 7, on other data.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from fltheory.experiments import Result, load_result
from fltheory.plotting import new_figure, save_figure
from fltheory.plotting.bands import band
from fltheory.plotting.palette import OTHERS
from fltheory.plotting.style import draw_measured
from verify.fedlama2021.experiments.courses import BASE, BUDGET, RULES, Contender

#: Data sets and the files of their figures.
SETS = {"digits": "fedlama_runs", "MNIST subset": "fedlama_runs_mnist", "Fashion-MNIST": "fedlama_runs_fashion"}


def main(output_dir: Path, data_dir: Path) -> None:
    """Draw ``fedlama_runs*.png`` for the sets in the results: means with 95 % bands; above phi = 2, below phi = 4."""
    result = load_result(data_dir / "experiments" / "fedlama_runs.npz")
    for data, name in SETS.items():
        if data in result.settings["sets"]:
            draw(result, data, output_dir / f"{name}.png")


def draw(result: Result, data: str, path: Path) -> None:
    """The figure of one data set."""
    figure, axes = new_figure(2, 3, width=3.4, height=2.6)
    for factor, (curves, costs, layers) in zip((2, 4), axes, strict=True):
        methods = {
            "FedAvg(6)": Contender(factor, every=BASE),
            f"FedAvg({BASE * factor})": Contender(factor, every=BASE * factor),
            **{f"FedLAMA(6,{factor}), {rule}": Contender(factor, rule) for rule in RULES},
        }
        for (label, method), colour in zip(methods.items(), OTHERS, strict=False):
            _draw(result, data, method, label, colour, curves, costs, layers)
        curves.set(xlabel="iterations", ylabel="test accuracy")
        costs.set(xlabel="cost (8), FedAvg(6) = 1", ylabel="accuracy, second half", xlim=(0, 1.05))
        layers.set(xlabel=r"layer  $l$", ylabel=r"averagings  $\kappa_l$", ylim=(0, 50))
        layers.set_xticks(range(1, 5))
        curves.legend(frameon=False, fontsize=6)
    figure.suptitle(f"{data}: FedLAMA lies between two intervals of FedAvg")
    save_figure(figure, path, dpi=100)


def _draw(result: Result, data: str, method: Contender, label: str, colour: str, curves, costs, layers) -> None:  # type: ignore[no-untyped-def]
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
    costs.errorbar([cost], [late], yerr=[[late - below], [above - late]], marker="o", color=colour, markersize=4)
    draw_measured(layers, range(1, len(sizes) + 1), *band(counts), label=label, color=colour)


if __name__ == "__main__":
    main(Path("results/figures"), Path("results"))
