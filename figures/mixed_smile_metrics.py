"""Figure 3 of Augenstein et al. (2022), smile task on other data, from results: sampled dissimilarities per round, K = 1."""

from __future__ import annotations

from pathlib import Path

from fltheory.experiments import load_result
from fltheory.plotting import new_figure, save_figure
from fltheory.plotting.style import draw_measured

COLOURS = {"digits network": "#0072B2", "digits logistic": "#D55E00", "MNIST subset network": "#009E73"}
NAMES = {"G2": r"$\tilde{G}_t^2$", "B2": r"$\tilde{B}_t^2$"}


def main(output_dir: Path, data_dir: Path) -> None:
    """Draw ``mixed_smile_metrics.png``: the largest value of 5 runs in each round, as in the paper."""
    result = load_result(data_dir / "experiments" / "mixed_smile_metrics.npz")
    shown = result.settings["common"]["shown"]
    figure, axes = new_figure(1, 2, height=3.0)
    for panel, (metric, symbol) in zip(axes.flat, NAMES.items(), strict=True):
        for name in (known for known in COLOURS if known in result.settings["sets"]):
            for suffix, words, style in (("", "opposite labels", "-"), (", shuffled", "dealt at random", "-.")):
                values = result[f"{name}/{metric}{suffix}"][:shown].max(axis=0)
                draw_measured(panel, range(len(values)), values, label=f"{name}, {words}", color=COLOURS[name])
                panel.lines[-1].set(linestyle=style, alpha=1.0 if style == "-" else 0.7)
        panel.set(yscale="log", xlabel=r"round  $t$", ylabel=f"{symbol}, largest of {shown} runs")
    handles, labels = axes.flat[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper center", ncols=2, frameon=False, fontsize=8)
    save_figure(figure, output_dir / "mixed_smile_metrics.png", dpi=100)


if __name__ == "__main__":
    main(Path("results/figures"), Path("results"))
