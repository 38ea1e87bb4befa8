"""Where the mixed FL algorithms end on two parabolas: bias of Parallel Training, stationary variances, against K; exact."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from fltheory.experiments import load_result
from fltheory.plotting import new_figure, save_figure
from fltheory.plotting.style import draw_measured

LINES = {
    "Parallel Training": ("#D55E00", "-"),
    "1-way GT": ("#0072B2", "-"),
    "2-way GT": ("#009E73", "-"),
    "2-way GT, eta_m=1/2": ("#009E73", ":"),
}


def main(output_dir: Path, data_dir: Path) -> None:
    """Draw ``mixed_bias_and_variance.png``."""
    from matplotlib.ticker import NullFormatter

    result = load_result(data_dir / "experiments" / "mixed_bias_and_variance.npz")
    settings, steps = result.settings, result["K"]
    figure, axes = new_figure(1, 3, width=3.8, height=3.2)
    left, middle, right = axes[0]
    color = LINES["Parallel Training"][0]
    seen = steps > 1
    draw_measured(
        left, steps[seen], result["bias/Parallel Training/eta"][seen], label=rf"$\eta={settings['eta']}$", color=color
    )
    left.plot(
        steps[seen],
        result["bias/Parallel Training/eta K"][seen],
        "-.",
        color=color,
        label=rf"$\eta K={settings['eta K']}$",
    )
    biases = [result[f"bias/{name}/{key}"] for name in ("1-way GT", "2-way GT") for key in ("eta", "eta K")]
    others = max(values[np.isfinite(values)].max() for values in biases)
    where = "" if all(np.isfinite(values).all() for values in biases) else "\nwhere they converge"
    none = max(result[f"bias/Parallel Training/{key}"][~seen].max() for key in ("eta", "eta K"))
    left.text(
        0.98,
        0.03,
        f"1-way, 2-way GT: at most {others:.0e} (rounding){where}\nParallel Training at K = 1: {none:.1g}",
        transform=left.transAxes,
        ha="right",
        va="bottom",
        fontsize=7.5,
        color="#444444",
    )
    left.set(xscale="log", yscale="log", xlabel=r"local steps  $K$", ylabel=r"$|\lim_t x^{(t)}-x^*|$")
    left.set_title("Bias of Parallel Training, no noise", fontsize=9)
    left.legend(frameon=False, fontsize=7.5, loc="upper left")
    for panel, kind in ((middle, "central noise"), (right, "client noise")):
        for name, (shade, style) in LINES.items():
            words = name.replace("eta_m", r"$\eta_m$")
            panel.plot(steps, result[f"{kind}/{name}"], linestyle=style, color=shade, label=words, linewidth=1.6)
        panel.set(xscale="log", yscale="log", xlabel=r"local steps  $K$", ylabel=r"$\lim_t\,\mathrm{Var}\,x^{(t)}$")
        size = r"$\sigma_c^2=1$" if kind == "central noise" else rf"$\sigma^2=1$, $S={settings['clients']}$"
        panel.set_title(rf"{kind} only, {size}, $\eta K={settings['eta K']}$", fontsize=9)
        panel.legend(frameon=False, fontsize=7.5, loc="lower left")
    right.text(
        0.98,
        0.98,
        "Parallel Training and\n1-way GT lie on each other",
        transform=right.transAxes,
        ha="right",
        va="top",
        fontsize=7.5,
        color="#444444",
    )
    for panel in axes.flat:
        panel.xaxis.set_minor_formatter(NullFormatter())
    figure.suptitle(r"$f_f=x^2/2+x$, $f_c=x^2/4-x$, $\eta_c=\eta$, $\eta_s=\eta_m=1$ unless stated; exact", fontsize=10)
    save_figure(figure, output_dir / "mixed_bias_and_variance.png")


if __name__ == "__main__":
    main(Path("results/figures"), Path("results"))
