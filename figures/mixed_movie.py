"""Section 5.3 and Figure 5 of Augenstein et al. (2022) on other data, from results: held-out loss and recall@10 per round."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from fltheory.experiments import load_result
from fltheory.plotting import new_figure, save_figure
from fltheory.plotting.style import draw_measured
from verify.mixed2022.experiments_movie_task import COLOURS, curves

ORDER = ("generated catalogue", "generated catalogue, smaller steps", "MovieLens 100K")
LABELS = ("baseline", "PT", "1-w GT", "2-w GT")


def main(output_dir: Path, data_dir: Path) -> None:
    """Draw ``mixed_movie.png``: median over replicates, band from the first to the third quartile."""
    result = load_result(data_dir / "experiments" / "mixed_movie.npz")
    sets = [name for name in ORDER if name in result.settings["sets"]]
    figure, axes = new_figure(len(sets), 2, height=2.8)
    for name, (left, right) in zip(sets, axes, strict=True):
        entry = result.settings["sets"][name]
        for panel, suffix in ((left, ""), (right, "; recall")):
            for label in LABELS:
                low, middle, high = np.quantile(curves(result, name, label + suffix), (0.25, 0.5, 0.75), axis=0)
                draw_measured(panel, result[f"{name}/rounds"][0], middle, low, high, label=label, color=COLOURS[label])
            panel.set_xlabel(r"communication rounds  $t$")
        start = float(curves(result, name, "baseline")[:, 0].mean())
        best = float(curves(result, name, "baseline").min())
        left.set(ylabel=r"held-out loss  $f$", ylim=(best - 0.02, min(start, best + 0.15)))
        right.set(ylabel="recall@10, held-out users", ylim=(0, None))
        left.set_title(f"{name}: S={entry['S']}, K=10, $\\eta$={entry['eta']}", fontsize=9)
        right.set_title(f"{len(result[f'{name}/PT'])} replicates", fontsize=9)
    handles, labels = axes.flat[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper center", ncols=4, frameon=False, fontsize=8)
    save_figure(figure, output_dir / "mixed_movie.png", dpi=100)


if __name__ == "__main__":
    main(Path("results/figures"), Path("results"))
