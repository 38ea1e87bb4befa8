"""The picture of the README: bound, exact expectation and simulation for Theorem 1 of Li et al. (2020)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from fltheory.experiments import load_result
from fltheory.plotting.bound_and_truth import RUNS, VARIANCE, curves_of
from fltheory.plotting.captions import Caption, facts_of
from fltheory.plotting.sheet import SMALLEST, finding, legend_below, new_sheet, publish
from fltheory.plotting.style import draw_bound, draw_exact, draw_measured


def main(output_dir: Path, data_dir: Path, own: Any = None) -> None:
    """Draw ``readme``; ``own`` is a problem with exact constants, in place of the one of the results."""
    if own is None:
        kept = load_result(data_dir / "experiments" / "theorem_bounds.npz")
        result: Any = kept.arrays
        setting = f"{kept.settings['problem']}; E = {kept.settings['E']}, all clients"
        facts, source = facts_of(kept), "experiments/theorem_bounds.npz"
    else:
        result, source, setting = curves_of(own), "(none: computed for a problem of one's own)", "E = 4, all clients"
        facts = (f"Replicates: {RUNS} runs, noise of variance {VARIANCE} per coordinate", "Seeds: 1")
    figure, axes = new_sheet(1, 1, height=3.4)
    panel = axes[0, 0]
    steps = result["theorem 1/T"]
    draw_bound(panel, steps, result["theorem 1/bound"], "bound as printed", color="#222222")
    draw_bound(panel, steps, result["theorem 1/improved"], "improved bound (LI-THM1-S2)", color="#009E73")
    band = (result[f"theorem 1/simulated {part}"] for part in ("mean", "low", "high"))
    draw_measured(panel, steps, *band, label="simulation, 95 % band")
    draw_exact(panel, steps, result["theorem 1/exact"], "exact expectation", color="#7A1F00")
    low, high, better = (float(result[f"theorem 1/{name}"][-1]) for name in ("exact", "bound", "improved"))
    # Both arrows end at the truth: how loose each bound is on this instance at the last point.
    for place, top in ((1.6, better), (14, high)):
        panel.plot([steps[-1], steps[-1] * place * 1.15], [top, top], "-", color="#BBBBBB", linewidth=0.8, label="_")
        panel.plot([steps[-1], steps[-1] * place * 1.15], [low, low], "-", color="#BBBBBB", linewidth=0.8, label="_")
        arrow = {"arrowstyle": "<->", "color": "#555555", "shrinkA": 0, "shrinkB": 0}
        panel.annotate("", (steps[-1] * place, low), (steps[-1] * place, top), arrowprops=arrow)
        words = f"{rounded(top / low)} times\nthe truth"
        panel.text(steps[-1] * place * 1.2, (top * low) ** 0.5, words, fontsize=SMALLEST, va="center", color="#444444")
    panel.set(xscale="log", yscale="log", xlabel=r"local steps  $T$", ylabel=r"gap  $\mathbb{E}\,F(w_T)-F^*$")
    panel.set_xlim(steps[0] / 1.3, steps[-1] * 100)
    panel.set_xticks([10.0**k for k in range(5) if 10.0**k <= steps[-1] * 1.3])
    legend_below(figure, axes.flat, columns=4)
    words = (
        f"After {steps[-1]:,} steps the bound of Theorem 1 of Li et al. (2020) is {rounded(high / low)} times the truth, "
        f"a sharper one {rounded(better / low)} times"
    )
    caption = Caption(
        "readme",
        finding(high > better >= low, words),
        "Dashed: bounds; dotted: the exact expectation, which the simulation (solid, with its 95 % band) lies on. Each arrow "
        "measures a bound against the exact expectation.",
        setting,
        source,
        facts,
        ("LI-THM1", "LI-THM1-S2"),
    )
    publish(figure, output_dir, caption)


def rounded(ratio: float) -> str:
    """Two digits, in full."""
    return f"{float(f'{ratio:.2g}'):,.0f}"


if __name__ == "__main__":
    main(Path("results/figures"), Path("results"))
