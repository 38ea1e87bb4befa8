"""Largest stable step sizes of the mixed FL algorithms on two parabolas, beside those that the theorems allow."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from fltheory.experiments import load_result
from fltheory.plotting import new_figure, save_figure
from fltheory.plotting.style import draw_bound, draw_measured

COLORS = {"Parallel Training": "#D55E00", "1-way GT": "#0072B2", "2-way GT": "#009E73"}


def lines(panel: Any, result: Any, key: str, x: Any, *, ending: str = "") -> None:
    """One panel: stable below the solid line, allowed by the theorem below the dashed one."""
    for name, color in COLORS.items():
        draw_measured(panel, x, result[f"{key}/{name}{ending}"], label=name, color=color)
        if ending:
            panel.plot(x, result[f"{key}/{name}{ending}"], "o", color=color, markersize=2.5)
        limit = result[f"{key}/{name}{ending}/theorem"]
        draw_bound(panel, x, np.where(limit > 0, limit, np.nan), "_", color=color)
    panel.set(xscale="log", yscale="log", ylabel=r"largest stable $\eta$")


def main(output_dir: Path, data_dir: Path) -> None:
    """Draw ``mixed_stability.png``."""
    from matplotlib.ticker import NullFormatter

    result = load_result(data_dir / "experiments" / "mixed_stability.npz")
    settings = result.settings
    figure, axes = new_figure(2, 3, width=3.7, height=3.1)
    for panel, ratio in zip(axes[0], settings["ratios"], strict=True):
        lines(panel, result, "K", result["K"], ending=f"/{ratio:g}")
        panel.set_xlabel(r"local steps  $K$")
        panel.set_title(rf"$\lambda_c/\lambda_f={ratio:g}$, $\eta_s=\eta_m=1$", fontsize=9)
    steps = settings["K of the other panels"]
    lines(axes[1, 0], result, "ratio", result["ratio"])
    axes[1, 0].set_xlabel(r"curvature ratio  $\lambda_c/\lambda_f$")
    axes[1, 0].set_title(rf"$K={steps}$, $\eta_s=\eta_m=1$", fontsize=9)
    for panel, key, label in (
        (axes[1, 1], "server", r"$\eta_s$"),
        (axes[1, 2], "merge", r"$\eta_m$ (not in 1-way GT)"),
    ):
        lines(panel, result, key, result["factor"])
        panel.set_xlabel(label)
        panel.set_title(rf"$K={steps}$, $\lambda_c/\lambda_f={settings['ratios'][1]:g}$", fontsize=9)
    axes[0, 0].plot([], [], "--", color="#444444", label="allowed by Theorems B.1 to B.3")
    axes[0, 0].legend(frameon=False, fontsize=7.5, loc="lower left")
    for panel in axes.flat:
        panel.xaxis.set_minor_formatter(NullFormatter())
    for panel in axes[1, 1:]:
        panel.set_xticks([1 / 8, 1 / 4, 1 / 2, 1, 2, 4, 8], ["1/8", "1/4", "1/2", "1", "2", "4", "8"])
    figure.suptitle(
        r"First step size at which the rounds stop contracting ($\lambda_f=1$, $\eta_c=\eta$, no noise)", fontsize=10
    )
    save_figure(figure, output_dir / "mixed_stability.png")


if __name__ == "__main__":
    main(Path("results/figures"), Path("results"))
