"""Bound, exact expectation and simulation on the same axes: Theorems 1, 2, 3 of Li et al. (2020), Theorem 1 of the lecture."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from fltheory.experiments import load_result
from fltheory.plotting.captions import Caption, facts_of
from fltheory.plotting.sheet import finding, legend_below, new_sheet, publish
from fltheory.plotting.style import draw_bound, draw_exact, draw_measured

PANELS = {
    "theorem 1": "Li et al., Theorem 1: all clients",
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
        draw_exact(panel, steps, result[f"{name}/exact, synchronised"], "exact expectation", color="#7A1F00")
        draw_exact(panel, steps, result[f"{name}/exact"], "exact, all steps", color="#C9A227")
    else:
        draw_exact(panel, steps, result[f"{name}/exact"], "exact expectation", color="#7A1F00")
        draw_bound(panel, steps, result[f"{name}/sharpened"], "bound, recursion solved", color="#B5B5B5")
        draw_bound(panel, steps, result[f"{name}/improved"], "improved bound (-S1, -S2 rows)", color="#009E73")
    draw_bound(panel, steps, result[f"{name}/bound"], "bound as printed", color="#222222")
    panel.set(xscale="log", yscale="log", title=PANELS[name], xlabel=r"local steps  $T$")
    panel.set_ylabel(
        r"average of $\mathbb{E}\,\|\nabla f(\bar{x}^{\,t})\|^2$" if lecture else r"gap  $\mathbb{E}\,F(w_T)-F^*$"
    )


def main(output_dir: Path, data_dir: Path) -> None:
    """Draw ``theorem_bounds.png``."""
    result = load_result(data_dir / "experiments" / "theorem_bounds.npz")
    figure, axes = new_sheet(2, 2, height=2.4)
    for panel, name in zip(axes.flat, PANELS, strict=True):
        draw(panel, result, name)
    legend_below(figure, axes.flat)
    exact = {name: "exact, synchronised" if name.startswith("lecture") else "exact" for name in PANELS}
    ratios = [float(result[f"{name}/bound"][-1] / result[f"{name}/{exact[name]}"][-1]) for name in PANELS]
    least, most = (float(f"{ratio:.2g}") for ratio in (min(ratios), max(ratios)))
    words = f"The four printed bounds hold, and end {least:,.0f} to {most:,.0f} times above the exact expectations"
    caption = Caption(
        "theorem_bounds",
        finding(min(ratios) > 1, words),
        "Dashed: bounds, as printed, with the recursion solved, and improved; dotted: exact expectations; solid: "
        "simulation with its band. Four theorems, the last with a constant step size.",
        f"{result.settings['problem']}; E = {result.settings['E']}, K = {result.settings['K']}, variance per coordinate "
        f"{result.settings['noise variance per coordinate']}; lecture: step size {result.settings['lecture step size']}",
        "experiments/theorem_bounds.npz",
        facts_of(result),
        ("LI-THM1", "LI-THM2", "LI-THM3", "LEC-THM1"),
    )
    publish(figure, output_dir, caption)


if __name__ == "__main__":
    main(Path("results/figures"), Path("results"))
