"""Section 3 of Augenstein et al. (2022) on other data, from results: what fine-tuning forgets and mixed FL keeps."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from fltheory.experiments import load_result
from fltheory.plotting import new_figure, save_figure
from fltheory.plotting.style import draw_measured

SET = "digits logistic"
TITLES = {"labels": "even central, odd federated", "classes": "digits 0-4 central, 5-9 federated (odd or even?)"}
SEQUELS = {"fine-tuned": ("FedAvg on the clients", "#CC79A7"), "mixed": ("1-w GT on both", "#0072B2")}


def main(output_dir: Path, data_dir: Path) -> None:
    """Draw ``mixed_smile_forgetting.png``: median of the replicates, band from the first to the third quartile."""
    result = load_result(data_dir / "experiments" / "mixed_smile_forgetting.npz")
    every = result.settings["common"]["every"]
    figure, axes = new_figure(2, 2, height=2.3)
    for (division, title), (above, below) in zip(TITLES.items(), axes.T, strict=True):
        for panel, side in ((above, 1), (below, 0)):
            before = result[f"{SET}/{division}, before"][:, :, side]
            change = every * (before.shape[1] - 1)
            parts = [("server's data only", "#444444", 0, before)]
            parts += [
                (words, colour, change, result[f"{SET}/{division}, {name}"][:, :, side])
                for name, (words, colour) in SEQUELS.items()
            ]
            for words, colour, first, curves in parts:
                low, middle, high = np.quantile(curves, (0.25, 0.5, 0.75), axis=0)
                draw_measured(
                    panel, first + every * np.arange(len(middle)), middle, low, high, label=words, color=colour
                )
            panel.axvline(change, color="#cccccc", linewidth=0.8, linestyle=":")
            panel.set_ylim(-0.03, 1.03)
        above.set_title(title, fontsize=9)
        below.set_xlabel(r"communication rounds  $t$")
    axes[0, 0].set_ylabel("accuracy, server's data")
    axes[1, 0].set_ylabel("accuracy, clients' data")
    handles, labels = axes.flat[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper center", ncols=3, frameon=False, fontsize=8)
    save_figure(figure, output_dir / "mixed_smile_forgetting.png", dpi=100)


if __name__ == "__main__":
    main(Path("results/figures"), Path("results"))
