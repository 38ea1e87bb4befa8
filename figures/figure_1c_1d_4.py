"""Figures 1(c), 1(d) and 4 of Li et al. (2020) from results: the sampling and averaging schemes, one panel per data set."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from fltheory.experiments import load_result
from fltheory.experiments.paired import level, logs
from fltheory.plotting import new_figure, save_figure
from fltheory.plotting.style import draw_measured

LABELS = ("Scheme I", "Scheme II", "transformed Scheme II", "original", "normalised uniform")
ORDER = (
    "synthetic(0,0)",
    "synthetic(1,1)",
    "digits balanced",
    "digits unbalanced",
    "MNIST subset balanced",
    "MNIST subset unbalanced",
    "Fashion-MNIST balanced",
    "Fashion-MNIST unbalanced",
)


def main(output_dir: Path, data_dir: Path) -> None:
    """Draw ``figure_1c_1d_4.png``: median over replicates, band from the first to the third quartile.

    Dotted: the rounds after which the schemes are compared.
    """
    result = load_result(data_dir / "experiments" / "figure_1c_1d_4.npz")
    sets = [name for name in ORDER if name in result.settings["sets"]]
    figure, axes = new_figure(-(-len(sets) // 2), 2, height=2.5)
    for panel, name in zip(axes.flat, sets, strict=False):
        entry = result.settings["sets"][name]
        tuned = [label for label in result.settings["common"]["eta0"] if label.startswith("original")]
        best = min(tuned, key=lambda label: float(level(result[f"{name}/{label}"]).mean()))
        rounds = result[f"{name}/rounds"][0]
        for horizon in result.settings["common"]["horizons"]:
            panel.axvline(horizon * entry["rounds"], color="#cccccc", linewidth=0.8, linestyle=":")
        for label in LABELS:
            if label != "original" and f"{name}/{label}" not in result.arrays:
                continue
            curves = np.exp(logs(result[f"{name}/{best if label == 'original' else label}"]))
            low, middle, high = np.quantile(curves, (0.25, 0.5, 0.75), axis=0)
            draw_measured(panel, rounds, middle, low, high, label=best if label == "original" else label)
        words = best.replace("original, eta0=", r"original: $\eta_0$=")
        if name.endswith(" balanced"):
            words += "\nthe other schemes nearly coincide"
        panel.text(0.98, 0.95, words, transform=panel.transAxes, ha="right", va="top", fontsize=7.5, color="#555555")
        replicates = len(result[f"{name}/Scheme I"])
        panel.set_title(f"{name}: N={entry['clients']}, E={entry['local_steps']}, {replicates} replicates", fontsize=9)
        panel.set(yscale="log", xlabel=r"communication rounds  $r$", ylabel=r"objective  $F(w_r)$", ylim=(None, 4.0))
        ticks = [tick for tick in (0.6, 0.8, 1.0, 1.5, 2.0, 3.0) if tick >= panel.get_ylim()[0]]
        panel.set_yticks(ticks, [f"{tick:g}" for tick in ticks])
        panel.minorticks_off()
    handles, labels = axes.flat[0].get_legend_handles_labels()
    labels = ["original, best of four $\\eta_0$" if label.startswith("original") else label for label in labels]
    figure.legend(handles, labels, loc="outside upper center", ncols=3, frameon=False, fontsize=8)
    save_figure(figure, output_dir / "figure_1c_1d_4.png", dpi=100)


if __name__ == "__main__":
    main(Path("results/figures"), Path("results"))
