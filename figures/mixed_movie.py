"""Section 5.3 and Figure 5 of Augenstein et al. (2022) on other data, from results: held-out loss and recall@10 per round."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from fltheory.experiments import Result, load_result
from fltheory.experiments.readers import claims_reading
from fltheory.plotting.captions import Caption, facts_of
from fltheory.plotting.sheet import finding, legend_below, new_sheet, publish
from fltheory.plotting.style import draw_measured
from verify.mixed2022.experiments_movie_task import COLOURS, curves

ORDER = ("generated catalogue", "generated catalogue, smaller steps", "MovieLens 100K")
LABELS = ("baseline", "PT", "1-w GT", "2-w GT")


def worse(result: Result, name: str) -> bool:
    """Whether the last medians of Parallel Training are worse than those of both kinds of Gradient Transfer."""
    loss, recall = (
        {label: float(np.median(curves(result, name, label + suffix)[:, -1])) for label in LABELS}
        for suffix in ("", "; recall")
    )
    return loss["PT"] > max(loss["1-w GT"], loss["2-w GT"]) and recall["PT"] < min(recall["1-w GT"], recall["2-w GT"])


def main(output_dir: Path, data_dir: Path) -> None:
    """Draw ``mixed_movie.png``: median over replicates, band from the first to the third quartile."""
    result = load_result(data_dir / "experiments" / "mixed_movie.npz")
    sets = [name for name in ORDER if name in result.settings["sets"]]
    figure, axes = new_sheet(len(sets), 2, height=2.3)
    for name, (left, right) in zip(sets, axes, strict=True):
        for panel, suffix in ((left, ""), (right, "; recall")):
            for label in LABELS:
                low, middle, high = np.quantile(curves(result, name, label + suffix), (0.25, 0.5, 0.75), axis=0)
                draw_measured(panel, result[f"{name}/rounds"][0], middle, low, high, label=label, color=COLOURS[label])
            panel.set_xlabel(r"communication rounds  $t$")
        start = float(curves(result, name, "baseline")[:, 0].mean())
        best = float(curves(result, name, "baseline").min())
        left.set(ylabel=r"held-out loss  $f$", ylim=(best - 0.02, min(start, best + 0.15)))
        right.set(ylabel="recall@10, held-out users", ylim=(0, None))
        left.set_title(name)
    legend_below(figure, axes.flat)
    words = "Parallel Training ends with a higher held-out loss and a lower recall than Gradient Transfer does"
    caption = Caption(
        "mixed_movie",
        finding(all(worse(result, name) for name in sets), words),
        "Solid: median over replicates, band from the first to the third quartile. Baseline: all data in one place.",
        ", ".join(f"{k} {v}" for k, v in result.settings["common"].items() if k not in ("form", "seeds", "checks")),
        "experiments/mixed_movie.npz",
        facts_of(result, sets),
        claims_reading("mixed_movie"),
    )
    publish(figure, output_dir, caption)


if __name__ == "__main__":
    main(Path("results/figures"), Path("results"))
