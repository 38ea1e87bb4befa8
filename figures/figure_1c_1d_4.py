"""Figures 1(c), 1(d) and 4 of Li et al. (2020) from results: the sampling and averaging schemes, one panel per data set."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from fltheory.experiments import load_result
from fltheory.experiments.paired import level, logs
from fltheory.experiments.readers import claims_reading
from fltheory.plotting.captions import Caption, facts_of
from fltheory.plotting.sheet import finding, legend_below, new_sheet, publish
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
    ends: dict[tuple[str, str], float] = {}
    figure, axes = new_sheet(-(-len(sets) // 2), 2, height=2.0)
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
            draw_measured(panel, rounds, middle, low, high, label=label)
            ends[name, label] = float(middle[-1])
        panel.set_title(f"{name}: N = {entry['clients']}, E = {entry['local_steps']}")
        panel.set(yscale="log", xlabel=r"communication rounds  $r$", ylabel=r"objective  $F(w_r)$", ylim=(None, 4.0))
        ticks = [tick for tick in (0.6, 0.8, 1.0, 1.5, 2.0, 3.0) if tick >= panel.get_ylim()[0]]
        panel.set_yticks(ticks, [f"{tick:g}" for tick in ticks])
        panel.minorticks_off()
    legend_below(figure, axes.flat)
    uneven = [name for name in sets if not name.endswith(" balanced")]
    words = f"Scheme II without its transformation ends highest on all {len(uneven)} data sets with clients of unequal sizes"
    caption = Caption(
        "figure_1c_1d_4",
        finding(
            all(ends[name, "Scheme II"] == max(v for (n, _), v in ends.items() if n == name) for name in uneven), words
        ),
        "Solid: median over replicates, band from the first to the third quartile. Dotted: the rounds after which the "
        "schemes are compared. Original: at the best of four first step sizes. On balanced sets the schemes other than "
        "the original nearly coincide.",
        ", ".join(f"{k} {v}" for k, v in result.settings["common"].items() if k not in ("form", "seeds", "checks")),
        "experiments/figure_1c_1d_4.npz",
        facts_of(result, sets),
        claims_reading("figure_1c_1d_4") or ("LI-FIG1C", "LI-FIG1D", "LI-FIG4"),
    )
    publish(figure, output_dir, caption)


if __name__ == "__main__":
    main(Path("results/figures"), Path("results"))
