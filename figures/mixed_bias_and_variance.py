"""Where the mixed FL algorithms end on two parabolas: bias of Parallel Training, stationary variances, against K; exact."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from fltheory.experiments import load_result
from fltheory.plotting.captions import Caption, facts_of
from fltheory.plotting.palette import color_of
from fltheory.plotting.sheet import finding, legend_below, new_sheet, publish
from fltheory.plotting.style import draw_measured

LINES = {
    "Parallel Training": "",
    "1-way GT": "",
    "2-way GT": "",
    "2-way GT, eta_m=1/2": "o",
}


def main(output_dir: Path, data_dir: Path) -> None:
    """Draw ``mixed_bias_and_variance.png``."""
    from matplotlib.ticker import NullFormatter

    result = load_result(data_dir / "experiments" / "mixed_bias_and_variance.npz")
    settings, steps = result.settings, result["K"]
    figure, axes = new_sheet(1, 3, height=2.6)
    left, middle, right = axes[0]
    color = color_of("Parallel Training")
    seen = steps > 1
    draw_measured(left, steps[seen], result["bias/Parallel Training/eta"][seen], label="Parallel Training", color=color)
    left.plot(
        steps[seen],
        result["bias/Parallel Training/eta K"][seen],
        "-",
        marker="s",
        markersize=3.5,
        color=color,
        linewidth=1.4,
        label=rf"the same, $\eta K={settings['eta K']}$",
    )
    biases = [result[f"bias/{name}/{key}"] for name in ("1-way GT", "2-way GT") for key in ("eta", "eta K")]
    others = max(values[np.isfinite(values)].max() for values in biases)
    left.set(xscale="log", yscale="log", xlabel=r"local steps  $K$", ylabel=r"$|\lim_t x^{(t)}-x^*|$")
    left.set_title("no noise")
    for panel, kind in ((middle, "central noise"), (right, "client noise")):
        for name, mark in LINES.items():
            words, shade = name.replace("eta_m=1/2", r"$\eta_m=1/2$"), color_of(name)
            panel.plot(
                steps,
                result[f"{kind}/{name}"],
                color=shade,
                label=words,
                linewidth=1.4,
                marker=mark or None,
                markersize=3.5,
            )
        panel.set(xscale="log", yscale="log", xlabel=r"local steps  $K$", ylabel=r"$\lim_t\,\mathrm{Var}\,x^{(t)}$")
        panel.set_title(f"{kind} only")
    for panel in axes.flat:
        panel.xaxis.set_minor_formatter(NullFormatter())
    legend_below(figure, axes.flat)
    worst = float(result["bias/Parallel Training/eta"][seen].min())
    kept = {name: float(curve[-1] / curve[0]) for name in LINES for curve in [result[f"central noise/{name}"]]}
    words = (
        "Only Parallel Training ends beside the optimum, and only 1-way GT keeps all of the central noise when K grows"
    )
    caption = Caption(
        "mixed_bias_and_variance",
        finding(
            others < 1e-9 < worst and kept["1-way GT"] > 0.8 and max(kept["Parallel Training"], kept["2-way GT"]) < 0.2,
            words,
        ),
        "Solid: exact. Left: the distance of the limit to the optimum without noise; those of 1-way and 2-way GT are "
        "rounding errors where they converge and are not drawn. Middle and right: variance of the limit at equal eta "
        "K; in the right panel Parallel Training and 1-way GT lie on each other.",
        f"two parabolas: lambda_f = {settings['lambda_f']}, lambda_c = {settings['lambda_c']}, slopes {settings['g']}; "
        f"eta = {settings['eta']} or eta K = {settings['eta K']}; "
        f"{settings['clients']} clients, variances one; {settings['rates']} unless stated",
        "experiments/mixed_bias_and_variance.npz",
        facts_of(result),
        ("MX-THMB1", "MX-THMB2", "MX-THMB3"),
    )
    publish(figure, output_dir, caption)


if __name__ == "__main__":
    main(Path("results/figures"), Path("results"))
