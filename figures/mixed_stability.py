"""Largest stable step sizes of the mixed FL algorithms on two parabolas, beside those that the theorems allow."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from fltheory.experiments import load_result
from fltheory.plotting.captions import Caption, facts_of
from fltheory.plotting.own_curves import stability_curves
from fltheory.plotting.palette import color_of
from fltheory.plotting.sheet import finding, legend_below, new_sheet, publish
from fltheory.plotting.style import draw_bound, draw_measured

ALGORITHMS = ("Parallel Training", "1-way GT", "2-way GT")


def lines(panel: Any, result: Any, key: str, x: Any, *, ending: str = "") -> None:
    """One panel: stable below the solid line, allowed by the theorem below the dashed one."""
    for name in ALGORITHMS:
        color = color_of(name)
        draw_measured(panel, x, result[f"{key}/{name}{ending}"], label=name, color=color)
        if ending:
            panel.plot(x, result[f"{key}/{name}{ending}"], "o", color=color, markersize=2.5, label="_")
        limit = result[f"{key}/{name}{ending}/theorem"]
        draw_bound(panel, x, np.where(limit > 0, limit, np.nan), "_", color=color)
    panel.set(xscale="log", yscale="log", ylabel=r"largest stable $\eta$")


def draw_own(output_dir: Path, problem: Any) -> None:
    """The largest stable step sizes over K for a mixed problem of one's own."""
    counts, found = stability_curves(problem)
    figure, axes = new_sheet(1, 1, height=3.0)
    panel = axes[0, 0]
    for name in ALGORITHMS:
        draw_measured(panel, counts, found[name], label=name, color=color_of(name))
    panel.set(xscale="log", yscale="log", xlabel=r"local steps  $K$", ylabel=r"largest stable $\eta$")
    legend_below(figure, axes.flat)
    share = found["1-way GT"][-1] / found["1-way GT"][0]
    words = (
        f"With {counts[-1]:.0f} local steps the largest stable step size of 1-way GT is {share:.2g} times that with one"
    )
    caption = Caption(
        "mixed_stability",
        finding(bool(np.isfinite(share)), words),
        "Solid: the step size at which the rounds stop contracting, by fl.stability_limit; a line ends where none was found.",
        f"a {type(problem).__name__} with {problem.n_clients} clients, d = {problem.dimension}, eta_c = eta, other rates 1",
        "(none: computed for a problem of one's own)",
        ("Replicates: none, the numbers are computed and not sampled; no seeds",),
    )
    publish(figure, output_dir, caption)


def main(output_dir: Path, data_dir: Path, own: Any = None) -> None:
    """Draw ``mixed_stability``; ``own`` is a quadratic mixed problem in place of the two parabolas, without printed limits."""
    if own is not None:
        draw_own(output_dir, own)
        return
    from matplotlib.ticker import NullFormatter

    result = load_result(data_dir / "experiments" / "mixed_stability.npz")
    settings = result.settings
    figure, axes = new_sheet(2, 3, height=2.4)
    for panel, ratio in zip(axes[0], settings["ratios"], strict=True):
        lines(panel, result, "K", result["K"], ending=f"/{ratio:g}")
        panel.set_xlabel(r"local steps  $K$")
        panel.set_title(rf"$\lambda_c/\lambda_f={ratio:g}$")
    steps = settings["K of the other panels"]
    lines(axes[1, 0], result, "ratio", result["ratio"])
    axes[1, 0].set_xlabel(r"curvature ratio  $\lambda_c/\lambda_f$")
    axes[1, 0].set_title(rf"$K={steps}$")
    for panel, key, label in (
        (axes[1, 1], "server", r"server rate  $\eta_s$"),
        (axes[1, 2], "merge", r"merge rate  $\eta_m$"),
    ):
        lines(panel, result, key, result["factor"])
        panel.set_xlabel(label)
        panel.set_title(rf"$K={steps}$, $\lambda_c/\lambda_f={settings['ratios'][1]:g}$")
    axes[0, 0].plot([], [], "--", color="#444444", label="allowed by Theorems B.1 to B.3")
    for panel in axes.flat:
        panel.xaxis.set_minor_formatter(NullFormatter())
    for panel in axes[1, 1:]:
        panel.set_xticks([1 / 8, 1 / 4, 1 / 2, 1, 2, 4, 8], ["1/8", "", "1/2", "", "2", "", "8"])
    legend_below(figure, axes.flat)
    ratios = [
        float((result[name.removesuffix("/theorem")][limit > 0] / limit[limit > 0])[k])
        for name, limit in result.arrays.items()
        if name.endswith("/theorem")
        for k in range(int((limit > 0).sum()))
    ]
    most = float(f"{max(ratios):.2g}")
    words = f"The theorems on mixed FL allow step sizes {min(ratios):.2g} to {most:,.0f} times smaller than the largest stable ones"
    caption = Caption(
        "mixed_stability",
        finding(min(ratios) > 1, words),
        "Solid: the first step size at which the rounds stop contracting, exact; dashed: the largest that Theorems B.1 "
        "to B.3 of the paper allow, where they allow one. 1-way GT has no merge rate.",
        f"two parabolas, lambda_f = {settings['lambda_f']:g}, eta_c = eta, no noise; {settings['rates']}",
        "experiments/mixed_stability.npz",
        facts_of(result),
        ("MX-THMB1", "MX-THMB2", "MX-THMB3"),
    )
    publish(figure, output_dir, caption)


if __name__ == "__main__":
    main(Path("results/figures"), Path("results"))
