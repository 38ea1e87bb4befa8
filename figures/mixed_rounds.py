"""Rounds to an accuracy on quadratics beside the orders of Table 1 of Augenstein et al. (2022), one quantity at a time."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from fltheory.experiments import load_result
from fltheory.plotting import new_figure, save_figure
from fltheory.plotting.style import draw_bound, draw_measured

COLORS = {"Parallel Training": "#D55E00", "1-way GT": "#0072B2", "2-way GT": "#009E73"}
PANELS = {
    "accuracy": (r"$1/\epsilon$", r"no noise, $G={G:.2g}$"),
    "G": (r"$G$, least admissible", r"no noise, $\epsilon=10^{-4}$"),
    "B": (r"$B$, least admissible ($G=0$)", r"no noise, concave $f_c$, $\epsilon=10^{-4}$"),
    "central variance": (r"$\sigma_c^2$", r"$G=\sigma=0$, $K=2$, $\epsilon=10^{-3}$"),
    "K": (r"local steps  $K$", r"$G=\sigma=0$, $\sigma_c^2=1$, $\epsilon=10^{-3}$"),
    "S": (r"clients per round  $S$", r"$G=\sigma_c=0$, $\sigma^2=1$, $K=2$, $\epsilon=10^{-3}$"),
}
#: Which lines lie on each other: place and words.
NOTES = {
    "accuracy": (0.98, 0.10, "one order (dashed) for both GT"),
    "K": (0.98, 0.72, "PT and 2-way GT\nlie on each other"),
    "S": (0.98, 0.98, "all three lie on each other"),
}


def along(result: Any, panel: str) -> Any:
    """What stands on the axis of a panel."""
    if panel in ("G", "B"):
        return np.sqrt(result[f"{panel}/least {panel}^2"])
    return result[f"{panel}/values"]


def main(output_dir: Path, data_dir: Path) -> None:
    """Draw ``mixed_rounds.png``."""
    result = load_result(data_dir / "experiments" / "mixed_rounds.npz")
    figure, axes = new_figure(2, 3, width=3.7, height=3.1)
    for panel, (name, (label, title)) in zip(axes.flat, PANELS.items(), strict=True):
        x = along(result, name)
        for algorithm, color in COLORS.items():
            draw_measured(panel, x, result[f"{name}/{algorithm}/T"], label=algorithm, color=color)
            order = result[f"{name}/{algorithm}/order"]
            same = algorithm == "2-way GT" and name not in ("central variance", "K")
            draw_bound(panel, x, order, "_", color="#0072B2" if same else color)
        panel.set(xscale="log", yscale="log", xlabel=label, ylabel=r"rounds $T$ to $\mathbb{E}f-f^*\leq\epsilon$")
        least = float(np.sqrt(result[f"{name}/least G^2"][0]))
        panel.set_title(title.replace("{G:.2g}", f"{least:.2g}"), fontsize=9)
        if name in NOTES:
            panel.text(*NOTES[name], transform=panel.transAxes, fontsize=7.5, color="#444444", ha="right", va="top")
    legend = axes[0, 0]
    legend.plot([], [], "--", color="#444444", label="order of Table 1, constants one")
    legend.legend(frameon=False, fontsize=7.5, loc="upper left")
    figure.suptitle("Exact rounds at the best step size of each method (solid)", fontsize=10)
    save_figure(figure, output_dir / "mixed_rounds.png")


if __name__ == "__main__":
    main(Path("results/figures"), Path("results"))
