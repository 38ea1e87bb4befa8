"""The sweep of rates (C.2) and Figure 9 of Augenstein et al. (2022) on two generated languages, from results."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from fltheory.experiments import load_result
from fltheory.experiments.paired import DIVERGED
from fltheory.experiments.readers import claims_reading
from fltheory.plotting import color_of
from fltheory.plotting.captions import Caption, facts_of
from fltheory.plotting.palette import LADDER
from fltheory.plotting.sheet import finding, legend_below, new_sheet, publish
from fltheory.plotting.style import draw_measured

ALGORITHMS = ("PT", "1-w GT", "2-w GT")
SHADES = dict(zip((4, 8, 16, 32), LADDER, strict=False))


def main(output_dir: Path, data_dir: Path) -> None:
    """Draw ``mixed_language_rates.png``: medians over replicates; in the sweep with quartiles."""
    result = load_result(data_dir / "experiments" / "mixed_language.npz")
    figure, axes = new_sheet(2, 2, height=2.3)
    panel, entry = axes[0, 0], result.settings["sets"]["rates"]
    start = float(np.log(result.settings["common"]["symbols"]))
    useful: dict[str, float] = {}
    for name in ALGORITHMS:
        values = np.minimum(result[f"rates/{name}"], DIVERGED)
        level = np.exp(np.log(values[:, :, values.shape[2] // 2 :]).mean(axis=2))
        low, middle, high = np.quantile(level, (0.25, 0.5, 0.75), axis=0)
        useful[name] = max(
            r for r, value in zip(entry["rates"], middle, strict=True) if value < start or r == entry["rates"][0]
        )
        draw_measured(panel, entry["rates"], middle, low, high, label=name, color=color_of(name))
    panel.axhline(float(np.log(result.settings["common"]["symbols"])), color="#777777", linewidth=0.8, linestyle=":")
    panel.set(xscale="log", yscale="log", xlabel=r"client rate  $\eta=\eta_c$", ylabel="training objective")
    panel.set_title("sweep of rates at K = 16")
    rounds = result["steps/rounds"][0]
    for panel, name in zip((axes[0, 1], axes[1, 0], axes[1, 1]), ALGORITHMS, strict=True):
        product = result.settings["common"]["eta"][name] * result.settings["common"]["K"]
        for steps in result.settings["sets"]["steps"]["steps"]:
            values = result[f"steps/{name}, K={steps}"]
            middle = np.median(0.73 * values[:, 0] + 0.27 * values[:, 1], axis=0)
            label = f"K={steps}"
            draw_measured(panel, rounds[1:], middle[1:], label=label, color=SHADES.get(steps, ""))
        panel.set(xlabel=r"communication rounds  $t$", ylabel="held-out loss")
        panel.set_title(rf"{name}: $\eta K={product:g}$")
    legend_below(figure, axes.flat)
    words = (
        "2-way GT leaves the start behind only at rates "
        f"{min(useful['PT'], useful['1-w GT']) / useful['2-w GT']:.2g} times smaller than the other two methods"
    )
    caption = Caption(
        "mixed_language_rates",
        finding(useful["2-w GT"] < 0.7 * min(useful["PT"], useful["1-w GT"]), words),
        "Solid: medians over replicates, in the sweep with quartiles: the objective over the last half of the rounds. "
        "Dotted: the start. Other panels: at equal eta K, as in Figure 9 of the paper.",
        ", ".join(f"{k} {v}" for k, v in result.settings["common"].items() if k not in ("form", "seeds", "checks")),
        "experiments/mixed_language.npz",
        facts_of(result, ("rates", "steps")),
        claims_reading("mixed_language"),
    )
    publish(figure, output_dir, caption)


if __name__ == "__main__":
    main(Path("results/figures"), Path("results"))
