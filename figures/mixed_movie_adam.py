"""Figure 11 and a part of Figure 3 of Augenstein et al. (2022) on other data: ADAM at the server, and the dissimilarities."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from fltheory.experiments import Result, load_result
from fltheory.experiments.readers import claims_reading
from fltheory.plotting.captions import Caption, facts_of
from fltheory.plotting.palette import color_of
from fltheory.plotting.sheet import finding, legend_below, new_sheet, publish
from fltheory.plotting.style import MEASURED, draw_measured
from verify.mixed2022.experiments_movie_task import curves

SET = "generated catalogue"
LABELS = ("baseline", "1-w GT", "baseline, ADAM 0.01", "1-w GT, ADAM 0.01", "1-w GT, ADAM 1")
#: Colours are those of the algorithms; marks tell what the server does.
MARKS = {"baseline, ADAM 0.01": "o", "1-w GT, ADAM 0.01": "o", "1-w GT, ADAM 1": "^"}
SHOWN = 5


def upto(result: Result, label: str, last: int) -> Any:
    """Held-out losses at the records up to a round."""
    rounds = result[f"{SET}/adam rounds" if "ADAM" in label else f"{SET}/rounds"][0]
    return curves(result, SET, label)[:, rounds <= last]


def main(output_dir: Path, data_dir: Path) -> None:
    """Draw ``mixed_movie_adam.png``; dissimilarities at K = 1 as in the paper: the largest of five runs in each round."""
    result = load_result(data_dir / "experiments" / "mixed_movie.npz")
    figure, axes = new_sheet(2, 2, height=2.2)
    (left, right), (below, corner) = axes
    last = result[f"{SET}/adam rounds"][0][-1]
    for panel, suffix in ((left, ""), (right, "; recall")):
        for label in LABELS:
            values = curves(result, SET, label + suffix)
            rounds = result[f"{SET}/adam rounds" if "ADAM" in label else f"{SET}/rounds"][0]
            low, middle, high = np.quantile(values[:, rounds <= last], (0.25, 0.5, 0.75), axis=0)
            draw_measured(
                panel, rounds[rounds <= last], middle, low, high, label=label, color=color_of(label.split(",")[0])
            )
            panel.lines[-1].set(marker=MARKS.get(label, ""), markersize=4)
        panel.set_xlabel(r"communication rounds  $t$")
    best = float(curves(result, SET, "baseline, ADAM 0.01").min())
    left.set(ylabel=r"held-out loss  $f$", ylim=(best - 0.02, best + 0.12))
    right.set(ylabel="recall@10, held-out users", ylim=(0, None))
    left.set_title("loss")
    for panel, name, words in ((below, "G2", r"$\tilde G_t^2$"), (corner, "B2", r"$\tilde B_t^2$")):
        values = curves(result, SET, name)
        panel.plot(
            np.arange(values.shape[1]), values[:SHOWN].max(axis=0), MEASURED, color=color_of("1-w GT"), linewidth=1.4
        )
        panel.set(xlabel=r"communication rounds  $t$", ylabel=f"{words}, largest of {SHOWN} runs", yscale="log")
    below.set_title("dissimilarity G, one step per round")
    legend_below(figure, axes.flat, columns=3)
    ends = {label: float(np.median(upto(result, label, last)[:, -1])) for label in LABELS}
    words = "ADAM with the rate 0.01 at the server ends with a lower held-out loss than SGD, with Gradient Transfer too"
    caption = Caption(
        "mixed_movie_adam",
        finding(all(ends[f"{name}, ADAM 0.01"] < ends[name] for name in ("baseline", "1-w GT")), words),
        "Solid, above: median over replicates, band from the first to the third quartile. Below: dissimilarities at K "
        "= 1 as in the paper, the largest of five runs in each round.",
        ", ".join(f"{k} {v}" for k, v in result.settings["common"].items() if k not in ("form", "seeds", "checks")),
        "experiments/mixed_movie.npz",
        facts_of(result, (SET,)),
        claims_reading("mixed_movie"),
    )
    publish(figure, output_dir, caption)


if __name__ == "__main__":
    main(Path("results/figures"), Path("results"))
