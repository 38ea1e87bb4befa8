"""Figure 3 of Augenstein et al. (2022), smile task on other data, from results: sampled dissimilarities per round, K = 1."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from fltheory.experiments import load_result
from fltheory.experiments.readers import claims_reading
from fltheory.plotting.captions import Caption, facts_of
from fltheory.plotting.palette import LADDER
from fltheory.plotting.sheet import finding, legend_below, new_sheet, publish
from fltheory.plotting.style import draw_measured

COLOURS = dict(zip(("digits network", "digits logistic", "MNIST subset network"), LADDER[::2], strict=True))
NAMES = {"G2": r"$\tilde{G}_t^2$", "B2": r"$\tilde{B}_t^2$"}


def main(output_dir: Path, data_dir: Path) -> None:
    """Draw ``mixed_smile_metrics.png``: the largest value of 5 runs in each round, as in the paper."""
    result = load_result(data_dir / "experiments" / "mixed_smile_metrics.npz")
    shown = result.settings["common"]["shown"]
    figure, axes = new_sheet(1, 2, height=2.6)
    for panel, (metric, symbol) in zip(axes.flat, NAMES.items(), strict=True):
        for name in (known for known in COLOURS if known in result.settings["sets"]):
            for suffix, words, style in (("", "opposite labels", ""), (", shuffled", "dealt at random", "o")):
                values = result[f"{name}/{metric}{suffix}"][:shown].max(axis=0)
                draw_measured(panel, range(len(values)), values, label=f"{name}, {words}", color=COLOURS[name])
                panel.lines[-1].set(marker=style, markersize=3.5, markevery=10)
        panel.set(yscale="log", xlabel=r"round  $t$", ylabel=f"{symbol}, largest of {shown} runs")
    legend_below(figure, axes.flat, columns=2)
    least = min(
        float(np.median(result[f"{name}/{metric}"][:shown].max(axis=0)))
        / float(np.median(result[f"{name}/{metric}, shuffled"][:shown].max(axis=0)))
        for name in COLOURS
        if name in result.settings["sets"]
        for metric in NAMES
    )
    words = f"Opposite labels on the two sides raise both dissimilarities at least {least:.2g}-fold against labels dealt at random"
    caption = Caption(
        "mixed_smile_metrics",
        finding(least > 2, words),
        "Solid: the largest value of five runs in each round, as in the paper, with K = 1; marked: the same data dealt "
        "at random. The title is about medians over the rounds.",
        ", ".join(f"{k} {v}" for k, v in result.settings["common"].items() if k not in ("form", "seeds", "checks")),
        "experiments/mixed_smile_metrics.npz",
        facts_of(result, [name for name in COLOURS if name in result.settings["sets"]], shown=shown),
        claims_reading("mixed_smile_metrics"),
    )
    publish(figure, output_dir, caption)


if __name__ == "__main__":
    main(Path("results/figures"), Path("results"))
