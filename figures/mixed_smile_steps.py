"""Figure 8 of Augenstein et al. (2022) on other data, from results: step size against local steps, smile task, eta K fixed."""

from __future__ import annotations

from pathlib import Path

from fltheory.experiments import load_result
from fltheory.experiments.readers import claims_reading
from fltheory.plotting.bands import band
from fltheory.plotting.captions import Caption, facts_of
from fltheory.plotting.palette import LADDER
from fltheory.plotting.sheet import finding, legend_below, new_sheet, publish
from fltheory.plotting.style import draw_measured
from verify.mixed2022.experiments_smile_task import MIXED

SET = "digits network"


def main(output_dir: Path, data_dir: Path) -> None:
    """Draw ``mixed_smile_steps.png``: mean of 5 replicates with its 95 % band, as in the paper."""
    result = load_result(data_dir / "experiments" / "mixed_smile_steps.npz")
    common = result.settings["common"]
    product = float(common["eta"].partition("/")[0])
    figure, axes = new_sheet(2, len(MIXED), height=2.1)
    for label, (above, below) in zip(MIXED, axes.T, strict=True):
        for panel, measure in ((above, "loss"), (below, "auc")):
            for steps, colour in zip(common["K"], LADDER, strict=False):
                mean, low, high = band(result[f"{SET}/{label}, K={steps}, {measure}"][: common["shown"]])
                rounds = [common["every"] * i for i in range(len(mean))]
                name = rf"$K={steps}$, $\eta={product / steps:g}$"
                draw_measured(panel, rounds, mean, low, high, label=name, color=colour)
        above.set(title=label, yscale="log", ylim=(0.05, 1.0))
        above.set_yticks([0.05, 0.1, 0.2, 0.4, 0.8], ["0.05", "0.1", "0.2", "0.4", "0.8"])
        above.minorticks_off()
        below.set(ylim=(0.9, 1.0), xlabel=r"communication rounds  $t$")
    axes[0, 0].set_ylabel("cross-entropy")
    axes[1, 0].set_ylabel("AUC, both labels")
    legend_below(figure, axes.flat)
    ends = [[float(result[f"{SET}/{label}, K={k}, auc"][:, -1].mean()) for k in common["K"]] for label in MIXED]
    apart = max(max(each) - min(each) for each in ends)
    words = f"At equal $\\eta K$ one to {max(common['K'])} local steps end within {apart:.2g} of each other in AUC"
    caption = Caption(
        "mixed_smile_steps",
        finding(apart < 0.02, words),
        "Solid: mean of replicates with its 95 % band, as in Figure 8 of the paper; columns are methods.",
        ", ".join(f"{k} {v}" for k, v in result.settings["common"].items() if k not in ("form", "seeds", "checks")),
        "experiments/mixed_smile_steps.npz",
        facts_of(result, (SET,), shown=common["shown"]),
        claims_reading("mixed_smile_steps"),
    )
    publish(figure, output_dir, caption)


if __name__ == "__main__":
    main(Path("results/figures"), Path("results"))
