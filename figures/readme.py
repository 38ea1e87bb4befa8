"""The picture of the README: bound, exact expectation and simulation for Theorem 1 of Li et al. (2020)."""

from __future__ import annotations

from pathlib import Path

from fltheory.experiments import load_result
from fltheory.plotting import new_figure, save_figure
from fltheory.plotting.style import draw_bound, draw_exact, draw_measured


def main(output_dir: Path, data_dir: Path) -> None:
    """Draw ``readme.png``."""
    result = load_result(data_dir / "experiments" / "theorem_bounds.npz")
    figure, axes = new_figure(width=7.0, height=3.9)
    panel = axes[0, 0]
    steps = result["theorem 1/T"]
    draw_bound(panel, steps, result["theorem 1/bound"], "bound as printed", color="#222222")
    draw_bound(panel, steps, result["theorem 1/improved"], "improved bound (LI-THM1-S2)", color="#009E73")
    band = (result[f"theorem 1/simulated {part}"] for part in ("mean", "low", "high"))
    draw_measured(panel, steps, *band, label="simulation, 95 % band")
    draw_exact(panel, steps, result["theorem 1/exact"], "exact expectation")
    # The last point of the truth against the last point of the printed bound: how loose the theorem is on this instance.
    low, high = float(result["theorem 1/exact"][-1]), float(result["theorem 1/bound"][-1])
    place = steps[-1] * 1.25
    panel.annotate("", (place, low), (place, high), arrowprops={"arrowstyle": "<->", "color": "#777777"})
    panel.text(
        place * 0.86,
        high**0.7 * float(result["theorem 1/improved"][-1]) ** 0.3,
        f"printed bound / truth:\nfactor {float(f'{high / low:.2g}'):,.0f}",
        ha="right",
        va="center",
        color="#555555",
    )
    panel.set(xscale="log", yscale="log", xlabel=r"local steps  $T$", ylabel=r"gap  $\mathbb{E}\,F(w_T)-F^*$")
    panel.set_title("FedAvg with full participation: Theorem 1 of Li et al. (2020) against the truth", fontsize=10)
    panel.legend(frameon=False, loc="lower left")
    save_figure(figure, output_dir / "readme.png", dpi=120)


if __name__ == "__main__":
    main(Path("results/figures"), Path("results"))
