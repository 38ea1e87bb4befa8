"""Figure 11 and a part of Figure 3 of Augenstein et al. (2022) on other data: ADAM at the server, and the dissimilarities."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from fltheory.experiments import load_result
from fltheory.plotting import new_figure, save_figure
from fltheory.plotting.style import MEASURED, draw_measured
from verify.mixed2022.experiments_movie_task import COLOURS, curves

SET = "generated catalogue"
LABELS = ("baseline", "1-w GT", "baseline, ADAM 0.01", "1-w GT, ADAM 0.01", "1-w GT, ADAM 1")
SHOWN = 5


def main(output_dir: Path, data_dir: Path) -> None:
    """Draw ``mixed_movie_adam.png``; dissimilarities at K = 1 as in the paper: the largest of five runs in each round."""
    result = load_result(data_dir / "experiments" / "mixed_movie.npz")
    figure, axes = new_figure(2, 2, height=2.8)
    (left, right), (below, corner) = axes
    last = result[f"{SET}/adam rounds"][0][-1]
    for panel, suffix in ((left, ""), (right, "; recall")):
        for label in LABELS:
            values = curves(result, SET, label + suffix)
            rounds = result[f"{SET}/adam rounds" if "ADAM" in label else f"{SET}/rounds"][0]
            low, middle, high = np.quantile(values[:, rounds <= last], (0.25, 0.5, 0.75), axis=0)
            draw_measured(panel, rounds[rounds <= last], middle, low, high, label=label, color=COLOURS[label])
        panel.set_xlabel(r"communication rounds  $t$")
    best = float(curves(result, SET, "baseline, ADAM 0.01").min())
    left.set(ylabel=r"held-out loss  $f$", ylim=(best - 0.02, best + 0.12))
    right.set(ylabel="recall@10, held-out users", ylim=(0, None))
    left.set_title("ADAM or SGD at the server", fontsize=9)
    for panel, name, words in ((below, "G2", r"$\tilde G_t^2$"), (corner, "B2", r"$\tilde B_t^2$")):
        values = curves(result, SET, name)
        panel.plot(
            np.arange(values.shape[1]), values[:SHOWN].max(axis=0), MEASURED, color=COLOURS["1-w GT"], linewidth=1.4
        )
        panel.set(xlabel=r"communication rounds  $t$", ylabel=f"{words}, largest of {SHOWN} runs", yscale="log")
    below.set_title("one step per round, K=1", fontsize=9)
    handles, labels = left.get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper center", ncols=3, frameon=False, fontsize=8)
    save_figure(figure, output_dir / "mixed_movie_adam.png", dpi=100)


if __name__ == "__main__":
    main(Path("results/figures"), Path("results"))
