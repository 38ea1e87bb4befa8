"""Figure 2 of Li et al. (2020) from results: fixed and annealed step sizes, exact limits as dotted lines."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from fltheory.experiments import load_result
from fltheory.plotting import color_of, new_figure, save_figure
from fltheory.plotting.style import draw_measured


def main(output_dir: Path, data_dir: Path) -> None:
    """Draw ``figure_2.png``."""
    result = load_result(data_dir / "experiments" / "figure_2.npz")
    steps, fixed = result.settings["steps"], result.settings["fixed"]
    figure, axes = new_figure(2, 2)
    for panel, eta in zip(axes[0], fixed, strict=True):
        for e in result.settings["E"]:
            values = result[f"fixed/{eta}/E={e}"]
            draw_measured(panel, np.linspace(0, steps, len(values)), values, label=f"E={e}")
            limit = float(result[f"limit/{eta}/E={e}"])
            if limit > 0:
                panel.axhline(limit, linestyle=":", color=color_of(f"E={e}"), linewidth=2.0)
        panel.set_title(rf"(a) fixed $\eta={eta}$, exact limits dotted")
    for panel, count in zip(axes[1], ("steps", "rounds"), strict=True):
        for e in result.settings["E"]:
            curves = {a: result[f"annealed/{count if e > 1 else 'steps'}/{a:g}/E={e}"] for a in result.settings["a"]}
            best = min(curves, key=lambda a: float(curves[a][-1]))
            values = curves[best]
            draw_measured(
                panel,
                np.linspace(0, steps, len(values)),
                values,
                label=f"E={e}, best a={best:g}",
                color=color_of(f"E={e}"),
            )
            limit = float(result[f"limit/{fixed[0]}/E={e}"])
            if limit > 0:
                panel.axhline(limit, linestyle=":", color=color_of(f"E={e}"), linewidth=1.2)
        panel.set_title(rf"(b) $\eta_t=(1/5)/(5+ta)$, $t$ counts {'local steps' if count == 'steps' else 'rounds'}")
    for panel in axes.flat:
        panel.set(yscale="log", ylim=(1e-12, 0.3), xlabel="local steps", ylabel=r"gap  $F(w)-F^*$")
        panel.ticklabel_format(axis="x", style="sci", scilimits=(0, 0))
        panel.legend(frameon=False, fontsize=7.5, loc="lower right")
    save_figure(figure, output_dir / "figure_2.png")


if __name__ == "__main__":
    main(Path("results/figures"), Path("results"))
