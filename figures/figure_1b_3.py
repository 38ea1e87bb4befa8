"""Figures 1(b) and 3 of Li et al. (2020) from results: the number K of active clients, one panel per data set."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from fltheory.experiments import load_result
from fltheory.plotting import new_figure, save_figure
from fltheory.plotting.style import draw_measured

ORDER = (
    "synthetic(0,0)",
    "synthetic(1,1)",
    "MNIST subset balanced",
    "MNIST subset unbalanced",
    "digits balanced",
    "digits unbalanced",
    "Fashion-MNIST balanced",
    "Fashion-MNIST unbalanced",
)


def main(output_dir: Path, data_dir: Path) -> None:
    """Draw ``figure_1b_3.png``: means over replicates, and in the inset the excess over the largest K with 95 % bands."""
    result = load_result(data_dir / "experiments" / "figure_1b_3.npz")
    sets = [name for name in ORDER if name in result.settings["sets"]]
    figure, axes = new_figure(-(-len(sets) // 2), 2, height=2.6)
    for panel, name in zip(axes.flat, sets, strict=False):
        entry, rounds = result.settings["sets"][name], result[f"{name}/rounds"][0]
        inset = panel.inset_axes((0.46, 0.50, 0.52, 0.46))
        last = np.log(result[f"{name}/K={entry['K'][-1]}"])
        for cohort in entry["K"]:
            curves, label = result[f"{name}/K={cohort}"], f"K/N={cohort / entry['clients']:g}"
            draw_measured(panel, rounds, curves.mean(axis=0), label=label)
            excess = 100 * (np.log(curves) - last)
            half = 1.96 * excess.std(axis=0, ddof=1) / len(excess) ** 0.5
            middle = excess.mean(axis=0)
            draw_measured(inset, rounds, middle, middle - half, middle + half, label=label)
        inset.set_title("excess over K = N, per cent", fontsize=7, pad=2)
        inset.tick_params(labelsize=6)
        inset.set_ylim(-0.8, 3.0)
        panel.set_title(f"{name}: N={entry['clients']}, {len(curves)} replicates", fontsize=9)
        panel.set(xlabel=r"communication rounds  $r$", ylabel=r"objective  $F(w_r)$")
    handles, labels = axes.flat[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper center", ncols=5, frameon=False, fontsize=8)
    save_figure(figure, output_dir / "figure_1b_3.png", dpi=100)


if __name__ == "__main__":
    main(Path("results/figures"), Path("results"))
