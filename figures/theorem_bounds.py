"""Bound, exact expectation and simulation on the same axes: Theorems 1, 2, 3 of Li et al. (2020), Theorem 1 of the lecture."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from fltheory.experiments import load_result
from fltheory.plotting import new_figure, save_figure
from fltheory.plotting.style import draw_bound, draw_exact, draw_measured

PANELS = {
    "theorem 1": "Li et al., Theorem 1: full participation",
    "theorem 2": "Li et al., Theorem 2: Scheme I, K = 2 of 4",
    "theorem 3": "Li et al., Theorem 3: Scheme II, K = 2 of 4",
    "lecture theorem 1": "Lecture, Theorem 1: constant step size",
}


def draw(panel: Any, result: Any, name: str) -> None:
    """One theorem."""
    lecture = name.startswith("lecture")
    steps = result[f"{name}/T"]
    band = (result[f"{name}/simulated {part}"] for part in ("mean", "low", "high"))
    draw_measured(panel, steps, *band, label="simulation")
    if lecture:
        draw_exact(panel, steps, result[f"{name}/exact, synchronised"], "exact expectation", color="#D55E00")
        draw_exact(panel, steps, result[f"{name}/exact"], "exact, all steps", color="#8C6D1F")
    else:
        draw_exact(panel, steps, result[f"{name}/exact"], "exact expectation")
        draw_bound(panel, steps, result[f"{name}/sharpened"], "bound, recursion solved", color="#888888")
        draw_bound(panel, steps, result[f"{name}/improved"], "improved bound (-S1, -S2 rows)", color="#009E73")
    draw_bound(panel, steps, result[f"{name}/bound"], "bound as printed", color="#222222")
    panel.set(xscale="log", yscale="log", title=PANELS[name], xlabel=r"local steps  $T$")
    panel.set_ylabel(
        r"average of $\mathbb{E}\,\|\nabla f(\bar{x}^{\,t})\|^2$" if lecture else r"gap  $\mathbb{E}\,F(w_T)-F^*$"
    )


def main(output_dir: Path, data_dir: Path) -> None:
    """Draw ``theorem_bounds.png``."""
    result = load_result(data_dir / "experiments" / "theorem_bounds.npz")
    figure, axes = new_figure(2, 2)
    for panel, name in zip(axes.flat, PANELS, strict=True):
        draw(panel, result, name)
        panel.legend(frameon=False, fontsize=7.5)
    save_figure(figure, output_dir / "theorem_bounds.png")


if __name__ == "__main__":
    main(Path("results/figures"), Path("results"))
