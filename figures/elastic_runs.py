"""Elastic aggregation on three optimisers, and the share of boosted parameters, from results.

Supplement to Chen et al. (CVPR 2023), Figures 1 and 2, on other data.
"""

from __future__ import annotations

from pathlib import Path

from fltheory.experiments import Result, load_result
from fltheory.experiments.readers import claims_reading
from fltheory.plotting.bands import band
from fltheory.plotting.captions import Caption, facts_of
from fltheory.plotting.palette import ALGORITHMS, LADDER
from fltheory.plotting.sheet import finding, legend_below, new_sheet, publish
from fltheory.plotting.style import draw_measured
from verify.elastic2023.analogue import METHODS, TAUS, Method

#: Plain aggregation is FedAvg's; the third is plain as well, with longer steps.
COLOURS = (ALGORITHMS["FedAvg"], ALGORITHMS["Elastic"], "#222222")
#: Data sets and the files of their figures.
SETS = {"digits": "elastic_runs", "MNIST subset": "elastic_runs_mnist", "Fashion-MNIST": "elastic_runs_fashion"}


def main(output_dir: Path, data_dir: Path) -> None:
    """Draw ``elastic_runs*.png`` for the sets in the results: means over the replicates with 95 % bands."""
    result = load_result(data_dir / "experiments" / "elastic_runs.npz")
    for data in SETS:
        if f"{data}, optimisers" in result.settings["sets"]:
            draw(result, data, output_dir)


def draw(result: Result, data: str, output_dir: Path) -> None:
    """The figure of one data set."""
    optimisers, forms = f"{data}, optimisers", f"{data}, two forms"
    rounds = range(1, result.settings["common"]["rounds"] + 1)
    figure, axes = new_sheet(2, 3, height=2.1)
    for panel, (name, method) in zip(axes[0], METHODS.items(), strict=True):
        kinds = {
            "plain": method,
            "elastic aggregation": method.with_form("momentum"),
            "plain, times the mean elasticity": method.with_form("momentum", scaled=True),
        }
        for (label, kind), colour in zip(kinds.items(), COLOURS, strict=True):
            hits = result[f"{optimisers}/{kind.label}, hits"] / result.settings["sets"][optimisers]["test"]
            draw_measured(panel, rounds, *band(hits), label=label, color=colour)
        panel.set(title=name, xlabel=r"communication rounds  $t$", ylabel="test accuracy")
    for panel, tau in zip(axes[1], (one for one in TAUS if one < 0.9), strict=True):
        for form, colour in zip(("momentum", "average"), LADDER[1:3], strict=True):
            share = result[f"{forms}/{Method(form, tau).label}, boosted"]
            draw_measured(panel, rounds, *band(share), label=f"{form} form", color=colour)
        panel.set(title=rf"$\tau={tau}$", xlabel=r"communication rounds  $t$", ylabel=r"share of $\zeta^i>1$")
    legend_below(figure, axes.flat, columns=3)
    gains = [accuracy(result, optimisers, method.with_form("momentum", scaled=True)) for method in METHODS.values()]
    elastic = [accuracy(result, optimisers, method.with_form("momentum")) for method in METHODS.values()]
    words = f"{data}: plain aggregation times the mean elasticity is no slower than elastic aggregation"
    publish(
        figure,
        output_dir,
        Caption(
            SETS[data],
            finding(all(one > other - 0.005 for one, other in zip(gains, elastic, strict=True)), words),
            "Solid: means over the replicates with 95 % bands. Above: test accuracy with three optimisers; no slower: "
            "mean accuracy "
            "over all rounds at most half a per cent lower. Below: share of parameters whose elasticity is above one, for three "
            "thresholds.",
            ", ".join(
                f"{key} {value}" for key, value in result.settings["common"].items() if key not in ("form", "seeds")
            ),
            "experiments/elastic_runs.npz",
            facts_of(result, (optimisers, forms)),
            claims_reading("elastic_runs"),
        ),
    )


def accuracy(result: Result, name: str, method: Method) -> float:
    """Mean test accuracy over rounds and replicates."""
    return float(result[f"{name}/{method.label}, hits"].mean() / result.settings["sets"][name]["test"])


if __name__ == "__main__":
    main(Path("results/figures"), Path("results"))
