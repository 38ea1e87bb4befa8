"""Figures 6 and 7 of Augenstein et al. (2022) on other data, from results: the central batch size, smile task."""

from __future__ import annotations

from pathlib import Path

from fltheory.experiments import load_result
from fltheory.experiments.readers import claims_reading
from fltheory.plotting.bands import band
from fltheory.plotting.captions import Caption, facts_of
from fltheory.plotting.palette import LADDER
from fltheory.plotting.sheet import finding, legend_below, new_sheet, publish
from fltheory.plotting.style import draw_measured

SET = "digits network"
LABELS = ("1-w GT", "2-w GT", "2-w GT, half step")


def main(output_dir: Path, data_dir: Path) -> None:
    """Draw ``mixed_smile_batch.png``: mean of 10 replicates with its 95 % band, as in the paper."""
    result = load_result(data_dir / "experiments" / "mixed_smile_batch.npz")
    common = result.settings["common"]
    figure, axes = new_sheet(2, len(LABELS), height=2.1)
    for label, (above, below) in zip(LABELS, axes.T, strict=True):
        for panel, measure in ((above, "loss"), (below, "auc")):
            for size, colour in zip(common["central sizes"], LADDER, strict=False):
                mean, low, high = band(result[f"{SET}/{label}, {size}, {measure}"][: common["shown"]])
                rounds = [common["every"] * i for i in range(len(mean))]
                draw_measured(panel, rounds, mean, low, high, label=rf"$|B_c|={size}$", color=colour)
        above.set(title=label, yscale="log", ylim=(0.08, 1.0))
        above.set_yticks([0.1, 0.2, 0.4, 0.8], ["0.1", "0.2", "0.4", "0.8"])
        above.minorticks_off()
        below.set(ylim=(0.9, 1.0), xlabel=r"communication rounds  $t$")
    axes[0, 0].set_ylabel("cross-entropy")
    axes[1, 0].set_ylabel("AUC, both labels")
    legend_below(figure, axes.flat)
    sizes = common["central sizes"]
    ends = {(label, b): float(result[f"{SET}/{label}, {b}, auc"][:, -1].mean()) for label in LABELS for b in sizes}
    cost, little = (max(ends[label, sizes[-1]] - ends[label, b] for label in LABELS) for b in (sizes[0], sizes[-2]))
    words = (
        f"A central batch of one example costs up to {cost:.2g} in AUC against {sizes[-1]} examples; "
        f"{sizes[-2]} examples cost at most {little:.1g}"
    )
    caption = Caption(
        "mixed_smile_batch",
        finding(cost > 5 * little, words),
        "Solid: mean of replicates with its 95 % band, as in Figures 6 and 7 of the paper; columns are methods, the "
        "last with half the step size.",
        ", ".join(f"{k} {v}" for k, v in result.settings["common"].items() if k not in ("form", "seeds", "checks")),
        "experiments/mixed_smile_batch.npz",
        facts_of(result, (SET,), shown=common["shown"]),
        claims_reading("mixed_smile_batch"),
    )
    publish(figure, output_dir, caption)


if __name__ == "__main__":
    main(Path("results/figures"), Path("results"))
