"""Elastic aggregation on three optimisers, and the share of boosted parameters, from results.

Supplement to Chen et al. (CVPR 2023), Figures 1 and 2, on other data.
"""

from __future__ import annotations

from pathlib import Path

from fltheory.experiments import Result, load_result
from fltheory.plotting import new_figure, save_figure
from fltheory.plotting.bands import band
from fltheory.plotting.palette import OTHERS
from fltheory.plotting.style import draw_measured
from verify.elastic2023.analogue import METHODS, TAUS, Method

#: Data sets and the files of their figures.
SETS = {"digits": "elastic_runs", "MNIST subset": "elastic_runs_mnist", "Fashion-MNIST": "elastic_runs_fashion"}


def main(output_dir: Path, data_dir: Path) -> None:
    """Draw ``elastic_runs*.png`` for the sets in the results: means over the replicates with 95 % bands."""
    result = load_result(data_dir / "experiments" / "elastic_runs.npz")
    for data, name in SETS.items():
        if f"{data}, optimisers" in result.settings["sets"]:
            draw(result, data, output_dir / f"{name}.png")


def draw(result: Result, data: str, path: Path) -> None:
    """The figure of one data set."""
    optimisers, forms = f"{data}, optimisers", f"{data}, two forms"
    rounds = range(1, result.settings["common"]["rounds"] + 1)
    figure, axes = new_figure(2, 3, width=3.2, height=2.5)
    for panel, (name, method) in zip(axes[0], METHODS.items(), strict=True):
        kinds = {
            "plain": method,
            "elastic": method.with_form("momentum"),
            "plain, times the mean elasticity": method.with_form("momentum", scaled=True),
        }
        for (label, kind), colour in zip(kinds.items(), OTHERS, strict=False):
            hits = result[f"{optimisers}/{kind.label}, hits"] / result.settings["sets"][optimisers]["test"]
            draw_measured(panel, rounds, *band(hits), label=label, color=colour)
        panel.set(title=name, xlabel=r"communication rounds  $t$", ylabel="test accuracy")
    axes[0, 0].legend(frameon=False, fontsize=7)
    for panel, tau in zip(axes[1], (one for one in TAUS if one < 0.9), strict=True):
        for form, colour in zip(("momentum", "average"), OTHERS, strict=False):
            share = result[f"{forms}/{Method(form, tau).label}, boosted"]
            draw_measured(panel, rounds, *band(share), label=f"{form} form", color=colour)
        panel.set(title=rf"$\tau={tau}$", xlabel=r"communication rounds  $t$", ylabel=r"share of $\zeta^i>1$")
    axes[1, 0].legend(frameon=False, fontsize=7)
    figure.suptitle(f"{data}: plain aggregation times the mean elasticity is as fast as elastic aggregation, or faster")
    save_figure(figure, path, dpi=100)


if __name__ == "__main__":
    main(Path("results/figures"), Path("results"))
