"""Figure 8 of Augenstein et al. (2022) on other data, from results: step size against local steps, smile task, eta K fixed."""

from __future__ import annotations

from pathlib import Path

from fltheory.experiments import load_result
from fltheory.plotting import new_figure, save_figure
from fltheory.plotting.bands import band
from fltheory.plotting.palette import OTHERS
from fltheory.plotting.style import draw_measured
from verify.mixed2022.experiments_smile_task import MIXED

SET = "digits network"


def main(output_dir: Path, data_dir: Path) -> None:
    """Draw ``mixed_smile_steps.png``: mean of 5 replicates with its 95 % band, as in the paper."""
    result = load_result(data_dir / "experiments" / "mixed_smile_steps.npz")
    common = result.settings["common"]
    product = float(common["eta"].partition("/")[0])
    figure, axes = new_figure(2, len(MIXED), width=3.2, height=2.4)
    for label, (above, below) in zip(MIXED, axes.T, strict=True):
        for panel, measure in ((above, "loss"), (below, "auc")):
            for steps, colour in zip(common["K"], OTHERS, strict=False):
                mean, low, high = band(result[f"{SET}/{label}, K={steps}, {measure}"][: common["shown"]])
                rounds = [common["every"] * i for i in range(len(mean))]
                name = rf"$K={steps}$, $\eta={product / steps:g}$"
                draw_measured(panel, rounds, mean, low, high, label=name, color=colour)
        above.set(title=label, yscale="log", ylim=(0.05, 1.0))
        above.set_yticks([0.05, 0.1, 0.2, 0.4, 0.8], ["0.05", "0.1", "0.2", "0.4", "0.8"])
        above.minorticks_off()
        below.set(ylim=(0.9, 1.0), xlabel=r"communication rounds  $t$")
    axes[0, 0].set_ylabel("cross-entropy on both labels")
    axes[1, 0].set_ylabel("AUC on both labels")
    handles, labels = axes.flat[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper center", ncols=4, frameon=False, fontsize=8)
    save_figure(figure, output_dir / "mixed_smile_steps.png", dpi=100)


if __name__ == "__main__":
    main(Path("results/figures"), Path("results"))
