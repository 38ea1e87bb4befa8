"""Figures 1(a) and 2(a) of Augenstein et al. (2022) on other data, from results: AUC and loss with opposite labels on two sides."""

from __future__ import annotations

from pathlib import Path

from fltheory.experiments import load_result
from fltheory.experiments.readers import claims_reading
from fltheory.plotting.bands import band
from fltheory.plotting.captions import Caption, facts_of
from fltheory.plotting.sheet import finding, legend_below, new_sheet, publish
from fltheory.plotting.style import draw_measured
from verify.mixed2022.experiments_smile_task import COLOURS

ORDER = ("digits network", "MNIST subset network", "Fashion-MNIST network", "digits logistic")
LABELS = ("FL only", "oracle", "PT", "1-w GT", "2-w GT")


def main(output_dir: Path, data_dir: Path) -> None:
    """Draw ``mixed_smile.png``: mean over replicates with its 95 % band.  Dotted: the rounds at which is compared."""
    result = load_result(data_dir / "experiments" / "mixed_smile.npz")
    sets = [name for name in ORDER if name in result.settings["sets"]]
    figure, axes = new_sheet(len(sets), 2, height=1.95)
    every, horizons = result.settings["common"]["every"], result.settings["common"]["horizons"]
    for name, (left, right) in zip(sets, axes, strict=True):
        entry = result.settings["sets"][name]
        for panel, measure in ((left, "auc"), (right, "loss")):
            for label in LABELS:
                mean, low, high = band(result[f"{name}/{label}, {measure}"])
                rounds = [every * i for i in range(len(mean))]
                draw_measured(panel, rounds, mean, low, high, label=label, color=COLOURS[label])
                if label == "oracle":  # 1-w GT often lies on it
                    panel.lines[-1].set_linewidth(3.5)
            for share in horizons:
                panel.axvline(share * entry["rounds"], color="#cccccc", linewidth=0.8, linestyle=":")
            panel.set_xlabel(r"communication rounds  $t$")
        left.set(ylim=(0.9, 1.0), ylabel="AUC, both labels")
        left.set_title(name)
        right.set(ylim=(0.05, 0.72), ylabel="cross-entropy")
    legend_below(figure, axes.flat)
    ends = {(n, label): float(result[f"{n}/{label}, auc"][:, -1].mean()) for n in sets for label in LABELS}
    alone = max(ends[n, "FL only"] for n in sets)
    apart = max(abs(ends[n, "1-w GT"] - ends[n, "oracle"]) for n in sets)
    words = (
        f"Federated training alone ends with an AUC of {alone:.2f} at best; 1-way GT comes to the one model of all data "
        f"within {apart:.1g}"
    )
    caption = Caption(
        "mixed_smile",
        finding(apart < 0.01 and alone < 0.7, words),
        "Solid: mean over replicates with its 95 % band. Dotted: the rounds at which methods are compared. Federated "
        "training alone (FL only) lies below the left panels.",
        ", ".join(f"{k} {v}" for k, v in result.settings["common"].items() if k not in ("form", "seeds", "checks")),
        "experiments/mixed_smile.npz",
        facts_of(result, sets),
        claims_reading("mixed_smile"),
    )
    publish(figure, output_dir, caption)


if __name__ == "__main__":
    main(Path("results/figures"), Path("results"))
