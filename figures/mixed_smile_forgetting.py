"""Section 3 of Augenstein et al. (2022) on other data, from results: what fine-tuning forgets and mixed FL keeps."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from fltheory.experiments import load_result
from fltheory.experiments.readers import claims_reading
from fltheory.plotting.captions import Caption, facts_of
from fltheory.plotting.palette import color_of
from fltheory.plotting.sheet import finding, legend_below, new_sheet, publish
from fltheory.plotting.style import draw_measured

SET = "digits logistic"
TITLES = {"labels": "even central, odd federated", "classes": "digits 0-4 central, 5-9 federated"}
SEQUELS = {"fine-tuned": ("FedAvg on the clients", color_of("FedAvg")), "mixed": ("1-w GT on both", color_of("1-w GT"))}


def main(output_dir: Path, data_dir: Path) -> None:
    """Draw ``mixed_smile_forgetting.png``: median of the replicates, band from the first to the third quartile."""
    result = load_result(data_dir / "experiments" / "mixed_smile_forgetting.npz")
    every = result.settings["common"]["every"]
    figure, axes = new_sheet(2, 2, height=2.1)
    for (division, title), (above, below) in zip(TITLES.items(), axes.T, strict=True):
        for panel, side in ((above, 1), (below, 0)):
            before = result[f"{SET}/{division}, before"][:, :, side]
            change = every * (before.shape[1] - 1)
            parts = [("server's data only", color_of("oracle"), 0, before)]
            parts += [
                (words, colour, change, result[f"{SET}/{division}, {name}"][:, :, side])
                for name, (words, colour) in SEQUELS.items()
            ]
            for words, colour, first, curves in parts:
                low, middle, high = np.quantile(curves, (0.25, 0.5, 0.75), axis=0)
                draw_measured(
                    panel, first + every * np.arange(len(middle)), middle, low, high, label=words, color=colour
                )
            panel.axvline(change, color="#cccccc", linewidth=0.8, linestyle=":")
            panel.set_ylim(-0.03, 1.03)
        above.set_title(title)
        below.set_xlabel(r"communication rounds  $t$")
    axes[0, 0].set_ylabel("accuracy, server's data")
    axes[1, 0].set_ylabel("accuracy, clients' data")
    legend_below(figure, axes.flat)
    kept = {
        name: float(np.median(result[f"{SET}/classes, {name}"][:, -1, 1])) for name in ("before", "fine-tuned", "mixed")
    }
    words = (
        f"Fine-tuning on the clients lowers accuracy on the server's data from {kept['before']:.2f} to {kept['fine-tuned']:.2f}; "
        f"1-way GT keeps {kept['mixed']:.2f}"
    )
    caption = Caption(
        "mixed_smile_forgetting",
        finding(kept["before"] > kept["mixed"] > kept["fine-tuned"] + 0.1, words),
        "Solid: median of the replicates, band from the first to the third quartile; above: accuracy on the server's "
        "data, below: on the clients'. Dotted: where training on the server ends. The title is about the right column, "
        "odd against even digits of two ranges; in the left one the two sides have one label each.",
        ", ".join(f"{k} {v}" for k, v in result.settings["common"].items() if k not in ("form", "seeds", "checks")),
        "experiments/mixed_smile_forgetting.npz",
        facts_of(result, (SET,)),
        claims_reading("mixed_smile_forgetting"),
    )
    publish(figure, output_dir, caption)


if __name__ == "__main__":
    main(Path("results/figures"), Path("results"))
