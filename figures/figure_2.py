"""Figure 2 of Li et al. (2020) from results: fixed and annealed step sizes, exact limits as dotted lines."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from fltheory.experiments import load_result
from fltheory.experiments.readers import claims_reading
from fltheory.plotting import color_of
from fltheory.plotting.captions import Caption, facts_of
from fltheory.plotting.own_curves import step_size_curves
from fltheory.plotting.sheet import finding, legend_below, new_sheet, publish
from fltheory.plotting.style import draw_measured


def main(output_dir: Path, data_dir: Path, own: Any = None) -> None:
    """Draw ``figure_2``; ``own`` is a quadratic problem in place of the one of the results."""
    if own is None:
        kept = load_result(data_dir / "experiments" / "figure_2.npz")
        result: Any = kept.arrays
        settings, facts, claims = kept.settings, facts_of(kept), claims_reading("figure_2")
        source, schedule = "experiments/figure_2.npz", r"$\eta_t=(1/5)/(5+ta)$"
    else:
        result, settings = step_size_curves(own)
        facts, claims = ("Replicates: none, runs without noise are exact; no seeds",), ()
        source, schedule = (
            "(none: computed for a problem of one's own)",
            rf"from $\eta={settings['fixed'][0]}$, falling",
        )
    steps, fixed = settings["steps"], settings["fixed"]
    stuck: list[bool] = []
    passed: list[bool] = []
    figure, axes = new_sheet(2, 2, height=2.4)
    for panel, eta in zip(axes[0], fixed, strict=True):
        for e in settings["E"]:
            values = result[f"fixed/{eta}/E={e}"]
            draw_measured(panel, np.linspace(0, steps, len(values)), values, label=f"E={e}")
            stuck.append(e == 1 or abs(float(values[-1]) / float(result[f"limit/{eta}/E={e}"]) - 1) < 0.05)
            limit = float(result[f"limit/{eta}/E={e}"])
            if limit > 0:
                panel.axhline(limit, linestyle=":", color=color_of(f"E={e}"), linewidth=2.0)
        panel.set_title(rf"fixed $\eta={eta}$")
    for panel, count in zip(axes[1], ("steps", "rounds"), strict=True):
        for e in settings["E"]:
            curves = {a: result[f"annealed/{count if e > 1 else 'steps'}/{a:g}/E={e}"] for a in settings["a"]}
            best = min(curves, key=lambda a: float(curves[a][-1]))
            values = curves[best]
            draw_measured(
                panel,
                np.linspace(0, steps, len(values)),
                values,
                label=f"E={e}",
                color=color_of(f"E={e}"),
            )
            limit = float(result[f"limit/{fixed[0]}/E={e}"])
            passed.append(e == 1 or float(values[-1]) < limit)
            if limit > 0:
                panel.axhline(limit, linestyle=":", color=color_of(f"E={e}"), linewidth=1.2)
        panel.set_title(rf"{schedule}, $t$ counts {'local steps' if count == 'steps' else 'rounds'}")
    for panel in axes.flat:
        panel.set(yscale="log", ylim=(1e-12, 0.3), xlabel="local steps", ylabel=r"gap  $F(w)-F^*$")
        panel.ticklabel_format(axis="x", style="sci", scilimits=(0, 0))
    legend_below(figure, axes.flat)
    words = "With a fixed step size FedAvg stops beside the optimum unless E = 1; decaying steps get below those limits"
    caption = Caption(
        "figure_2",
        finding(all(stuck) and all(passed), words),
        "Solid: the gap by local steps, with full gradients; dotted: the exact gap of the fixed point at a fixed step "
        "size (below: that of the smaller one). Decaying steps: at the best of the constants a.",
        ", ".join(f"{k} {v}" for k, v in settings.items() if k not in ("form", "seeds", "checks")),
        source,
        facts,
        claims,
    )
    publish(figure, output_dir, caption)


if __name__ == "__main__":
    main(Path("results/figures"), Path("results"))
