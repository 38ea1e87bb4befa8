"""Figures 1(b) and 3 of Li et al. (2020) from results: the number K of active clients, one panel per data set."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from fltheory.experiments import load_result
from fltheory.experiments.readers import claims_reading
from fltheory.plotting.captions import Caption, facts_of
from fltheory.plotting.sheet import SMALLEST, finding, legend_below, new_sheet, publish
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
    excesses: list[float] = []
    figure, axes = new_sheet(-(-len(sets) // 2), 2, height=2.2)
    for panel, name in zip(axes.flat, sets, strict=False):
        entry, rounds = result.settings["sets"][name], result[f"{name}/rounds"][0]
        inset = panel.inset_axes((0.5, 0.46, 0.48, 0.42))
        last = np.log(result[f"{name}/K={entry['K'][-1]}"])
        for cohort in entry["K"]:
            curves, label = result[f"{name}/K={cohort}"], f"K/N={cohort / entry['clients']:g}"
            draw_measured(panel, rounds, curves.mean(axis=0), label=label)
            excess = 100 * (np.log(curves) - last)
            half = 1.96 * excess.std(axis=0, ddof=1) / len(excess) ** 0.5
            middle = excess.mean(axis=0)
            excesses.append(float(middle[-1]))
            draw_measured(inset, rounds, middle, middle - half, middle + half, label=label)
        inset.set_title("excess over K = N, per cent", fontsize=SMALLEST, pad=2)
        inset.tick_params(labelsize=SMALLEST)
        inset.set_ylim(-0.8, 3.0)
        panel.set_title(f"{name}: N = {entry['clients']}")
        panel.set(xlabel=r"communication rounds  $r$", ylabel=r"objective  $F(w_r)$")
    legend_below(figure, axes.flat)
    words = f"A tenth of the clients in each round ends at most {max(excesses):.2g} per cent above all of them"
    caption = Caption(
        "figure_1b_3",
        finding(max(excesses) < 5, words),
        "Solid: means over replicates of the objective; in the inset the excess over all clients active, with 95 % bands.",
        ", ".join(f"{k} {v}" for k, v in result.settings["common"].items() if k not in ("form", "seeds", "checks")),
        "experiments/figure_1b_3.npz",
        facts_of(result, sets),
        claims_reading("figure_1b_3"),
    )
    publish(figure, output_dir, caption)


if __name__ == "__main__":
    main(Path("results/figures"), Path("results"))
