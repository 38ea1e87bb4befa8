"""Rounds to an accuracy on quadratics beside the orders of Table 1 of Augenstein et al. (2022), one quantity at a time."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from fltheory.experiments import load_result
from fltheory.plotting.captions import Caption, facts_of
from fltheory.plotting.palette import color_of
from fltheory.plotting.sheet import finding, legend_below, new_sheet, publish
from fltheory.plotting.style import draw_bound, draw_measured

ALGORITHMS = ("Parallel Training", "1-way GT", "2-way GT")
PANELS = {
    "accuracy": (r"$1/\epsilon$", "accuracy, no noise"),
    "G": (r"$G$, least admissible", "slopes, no noise"),
    "B": (r"$B$, least admissible ($G=0$)", r"concave $f_c$, no noise"),
    "central variance": (r"$\sigma_c^2$", "noise of the centre"),
    "K": (r"local steps  $K$", "steps, noise of the centre"),
    "S": (r"clients per round  $S$", "cohort, noise of clients"),
}


def along(result: Any, panel: str) -> Any:
    """What stands on the axis of a panel."""
    if panel in ("G", "B"):
        return np.sqrt(result[f"{panel}/least {panel}^2"])
    return result[f"{panel}/values"]


def main(output_dir: Path, data_dir: Path) -> None:
    """Draw ``mixed_rounds.png``."""
    result = load_result(data_dir / "experiments" / "mixed_rounds.npz")
    figure, axes = new_sheet(2, 3, height=2.3)
    for panel, (name, (label, title)) in zip(axes.flat, PANELS.items(), strict=True):
        x = along(result, name)
        for algorithm in ALGORITHMS:
            color = color_of(algorithm)
            draw_measured(panel, x, result[f"{name}/{algorithm}/T"], label=algorithm, color=color)
            order = result[f"{name}/{algorithm}/order"]
            same = algorithm == "2-way GT" and name not in ("central variance", "K")
            draw_bound(panel, x, order, "_", color=color_of("1-way GT") if same else color)
        panel.set(xscale="log", yscale="log", xlabel=label, ylabel="rounds  $T$")
        panel.set_title(title)
    axes[0, 0].plot([], [], "--", color="#444444", label="order of Table 1, constants one")
    legend_below(figure, axes.flat)
    grown = {name: float(found[-1] / found[0]) for name in ALGORITHMS for found in [result[f"accuracy/{name}/T"]]}
    words = (
        f"From the first to the last accuracy Parallel Training's rounds grow {grown['Parallel Training']:,.0f}-fold, "
        f"those of 1-way and 2-way GT at most {max(grown['1-way GT'], grown['2-way GT']):.2g}-fold"
    )
    caption = Caption(
        "mixed_rounds",
        finding(grown["Parallel Training"] > 100 * max(grown["1-way GT"], grown["2-way GT"]), words),
        "Solid: exact rounds until the expected gap is at most epsilon, at the best step size of each method; dashed: "
        "the order of Table 1 of the paper with all constants one; both kinds of GT have one order but in the two "
        "panels about noise of the centre. Lines that coincide: Parallel Training and 2-way GT against K; all three "
        "against S.",
        ", ".join(f"{k} {v}" for k, v in result.settings.items() if k not in ("form", "seeds", "checks")),
        "experiments/mixed_rounds.npz",
        facts_of(result),
        ("MX-THMB1", "MX-THMB2", "MX-THMB3"),
    )
    publish(figure, output_dir, caption)


if __name__ == "__main__":
    main(Path("results/figures"), Path("results"))
