"""Figures 1(a) and 2(a) of Augenstein et al. (2022) on other data, from results: AUC and loss with opposite labels on two sides."""

from __future__ import annotations

from pathlib import Path

from fltheory.experiments import load_result
from fltheory.plotting import new_figure, save_figure
from fltheory.plotting.bands import band
from fltheory.plotting.style import draw_measured
from verify.mixed2022.experiments_smile_task import COLOURS

ORDER = ("digits network", "MNIST subset network", "Fashion-MNIST network", "digits logistic")
LABELS = ("FL only", "oracle", "PT", "1-w GT", "2-w GT")


def main(output_dir: Path, data_dir: Path) -> None:
    """Draw ``mixed_smile.png``: mean over replicates with its 95 % band.  Dotted: the rounds at which is compared."""
    result = load_result(data_dir / "experiments" / "mixed_smile.npz")
    sets = [name for name in ORDER if name in result.settings["sets"]]
    figure, axes = new_figure(len(sets), 2, height=2.2)
    every, horizons = result.settings["common"]["every"], result.settings["common"]["horizons"]
    for name, (left, right) in zip(sets, axes, strict=True):
        entry = result.settings["sets"][name]
        for panel, measure in ((left, "auc"), (right, "loss")):
            for label in LABELS:
                mean, low, high = band(result[f"{name}/{label}, {measure}"])
                rounds = [every * i for i in range(len(mean))]
                draw_measured(panel, rounds, mean, low, high, label=label, color=COLOURS[label])
                if label == "oracle":  # 1-w GT often lies on it
                    panel.lines[-1].set_linewidth(3.5)
            for share in horizons:
                panel.axvline(share * entry["rounds"], color="#cccccc", linewidth=0.8, linestyle=":")
            panel.set_xlabel(r"communication rounds  $t$")
        left.set(ylim=(0.9, 1.0), ylabel="AUC on both labels")
        left.set_title(
            f"{name}: S={entry['S']} of {entry['clients']}, {len(result[f'{name}/PT, auc'])} replicates", fontsize=9
        )
        right.set(ylim=(0.05, 0.72), ylabel="cross-entropy on both labels")
        for panel, measure, place in ((left, "auc", 0.12), (right, "loss", 0.95)):
            end = float(result[f"{name}/FL only, {measure}"][:, -1].mean())
            panel.text(
                0.98,
                place,
                f"FL only: {end:.2f} at the end",
                transform=panel.transAxes,
                ha="right",
                va="top",
                fontsize=7.5,
                color=COLOURS["FL only"],
            )
    handles, labels = axes.flat[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper center", ncols=5, frameon=False, fontsize=8)
    save_figure(figure, output_dir / "mixed_smile.png", dpi=100)


if __name__ == "__main__":
    main(Path("results/figures"), Path("results"))
