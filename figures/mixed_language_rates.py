"""The sweep of rates (C.2) and Figure 9 of Augenstein et al. (2022) on two generated languages, from results."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from fltheory.experiments import load_result
from fltheory.experiments.paired import DIVERGED
from fltheory.plotting import color_of, new_figure, save_figure
from fltheory.plotting.style import draw_measured

ALGORITHMS = ("PT", "1-w GT", "2-w GT")
SHADES = {4: "#440154", 8: "#3b528b", 16: "#21918c", 32: "#de9614"}


def main(output_dir: Path, data_dir: Path) -> None:
    """Draw ``mixed_language_rates.png``: medians over replicates; in the sweep with quartiles."""
    result = load_result(data_dir / "experiments" / "mixed_language.npz")
    figure, axes = new_figure(2, 2, width=4.4, height=2.9)
    panel, entry = axes[0, 0], result.settings["sets"]["rates"]
    for name in ALGORITHMS:
        values = np.minimum(result[f"rates/{name}"], DIVERGED)
        level = np.exp(np.log(values[:, :, values.shape[2] // 2 :]).mean(axis=2))
        low, middle, high = np.quantile(level, (0.25, 0.5, 0.75), axis=0)
        draw_measured(panel, entry["rates"], middle, low, high, label=name, color=color_of(name))
    panel.axhline(float(np.log(result.settings["common"]["symbols"])), color="#777777", linewidth=0.8, linestyle=":")
    panel.set(xscale="log", yscale="log", xlabel=r"client rate  $\eta=\eta_c$", ylabel="training objective")
    panel.set_title(f"sweep at K=16, last half of {entry['rounds']} rounds; dotted: start", fontsize=9)
    panel.legend(frameon=False, fontsize=8)
    rounds = result["steps/rounds"][0]
    for panel, name in zip((axes[0, 1], axes[1, 0], axes[1, 1]), ALGORITHMS, strict=True):
        product = result.settings["common"]["eta"][name] * result.settings["common"]["K"]
        for steps in result.settings["sets"]["steps"]["steps"]:
            values = result[f"steps/{name}, K={steps}"]
            middle = np.median(0.73 * values[:, 0] + 0.27 * values[:, 1], axis=0)
            label = rf"K={steps}, $\eta$={product / steps:g}"
            draw_measured(panel, rounds[1:], middle[1:], label=label, color=SHADES.get(steps, ""))
        panel.set(xlabel=r"communication rounds  $t$", ylabel="held-out loss")
        panel.set_title(rf"{name}: $\eta K={product:g}$ (Fig. 9)", fontsize=9)
        panel.legend(frameon=False, fontsize=8)
    save_figure(figure, output_dir / "mixed_language_rates.png", dpi=100)


if __name__ == "__main__":
    main(Path("results/figures"), Path("results"))
