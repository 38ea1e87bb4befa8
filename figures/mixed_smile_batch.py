"""Figures 6 and 7 of Augenstein et al. (2022) on other data, from results: the central batch size, smile task."""

from __future__ import annotations

from pathlib import Path

from fltheory.experiments import load_result
from fltheory.plotting import new_figure, save_figure
from fltheory.plotting.bands import band
from fltheory.plotting.palette import OTHERS
from fltheory.plotting.style import draw_measured

SET = "digits network"
LABELS = ("1-w GT", "2-w GT", "2-w GT, half step")


def main(output_dir: Path, data_dir: Path) -> None:
    """Draw ``mixed_smile_batch.png``: mean of 10 replicates with its 95 % band, as in the paper."""
    result = load_result(data_dir / "experiments" / "mixed_smile_batch.npz")
    common = result.settings["common"]
    figure, axes = new_figure(2, len(LABELS), width=3.2, height=2.4)
    for label, (above, below) in zip(LABELS, axes.T, strict=True):
        for panel, measure in ((above, "loss"), (below, "auc")):
            for size, colour in zip(common["central sizes"], OTHERS, strict=False):
                mean, low, high = band(result[f"{SET}/{label}, {size}, {measure}"][: common["shown"]])
                rounds = [common["every"] * i for i in range(len(mean))]
                draw_measured(panel, rounds, mean, low, high, label=rf"$|B_c|={size}$", color=colour)
        above.set(title=label, yscale="log", ylim=(0.08, 1.0))
        above.set_yticks([0.1, 0.2, 0.4, 0.8], ["0.1", "0.2", "0.4", "0.8"])
        above.minorticks_off()
        below.set(ylim=(0.9, 1.0), xlabel=r"communication rounds  $t$")
    axes[0, 0].set_ylabel("cross-entropy on both labels")
    axes[1, 0].set_ylabel("AUC on both labels")
    handles, labels = axes.flat[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper center", ncols=4, frameon=False, fontsize=8)
    save_figure(figure, output_dir / "mixed_smile_batch.png", dpi=100)


if __name__ == "__main__":
    main(Path("results/figures"), Path("results"))
