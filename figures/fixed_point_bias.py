"""The bias of FedAvg's fixed point over (E, eta), with the printed lower bound (Theorem 5 of Li et al. 2020)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from fltheory.experiments import load_result
from fltheory.plotting import color_of
from fltheory.plotting.captions import Caption, facts_of
from fltheory.plotting.own_curves import bias_curves
from fltheory.plotting.sheet import finding, legend_below, new_sheet, publish
from fltheory.plotting.style import draw_bound, draw_measured

SHOWN = (2, 5, 20, 500)


def main(output_dir: Path, data_dir: Path, own: Any = None) -> None:
    """Draw ``fixed_point_bias``; ``own`` is a quadratic problem in place of the one of the results, without a printed bound."""
    if own is not None:
        draw_own(output_dir, own)
        return
    result = load_result(data_dir / "experiments" / "fixed_point_bias.npz")
    steps, sizes = result["E"].tolist(), result["eta"]
    figure, axes = new_sheet(1, 2, height=2.8)
    left, right = axes[0]
    for e in (e for e in SHOWN if e in steps):
        row, color = steps.index(e), color_of(f"E={e}")
        exact, bound = result["bias/0"][row], result["bound/0"][row]
        draw_measured(left, sizes, exact, label=f"E={e}")
        draw_bound(left, sizes, bound, "_", color=color)
        draw_measured(right, sizes, exact / bound, label=f"E={e}")
    left.plot([], [], "--", color="#666666", label="printed lower bound")
    right.axhline(1.0, linestyle="--", color="#666666", linewidth=1.4)
    left.set(xscale="log", yscale="log", xlabel=r"step size  $\eta$", ylabel=r"bias  $\|\tilde w-w^*\|$")
    right.set(xscale="log", yscale="log", xlabel=r"step size  $\eta$", ylabel="bias / printed lower bound")
    left.set_title("the bias, and the bound below it")
    right.set_title("bias over bound: below one, the bound is false")
    legend_below(figure, axes.flat)
    ratios = result["bias/0"] / result["bound/0"]
    typical, least = float(np.median(ratios[:, 0])), float(ratios.min())
    place = np.unravel_index(int(ratios.argmin()), ratios.shape)
    words = (
        f"FedAvg's bias is {typical:.2g} times the printed lower bound where steps are short, "
        f"and falls below it at E = {steps[place[0]]}, $\\eta$ = {sizes[place[1]]:.2g}"
    )
    caption = Caption(
        "fixed_point_bias",
        finding(least < 1 < typical, words),
        "Solid: the distance of the fixed point to the optimum, exact; dashed: the printed lower bound of Theorem 5 of "
        "Li et al. (2020).",
        f"tridiagonal example, N = {result.settings['N']}, p = {result.settings['p']}, mu = 0, {result.settings['oracle']}",
        "experiments/fixed_point_bias.npz",
        facts_of(result),
        ("LI-THM5",),
    )
    publish(figure, output_dir, caption)


def draw_own(output_dir: Path, problem: Any) -> None:
    """The bias of a problem of one's own, and the bias over (E - 1) eta."""
    result = bias_curves(problem)
    figure, axes = new_sheet(1, 2, height=2.8)
    left, right = axes[0]
    shares = []
    for e, bias in zip(result["E"].tolist(), result["bias"], strict=True):
        share = bias / ((e - 1) * result["eta"])
        shares.append(share)
        draw_measured(left, result["eta"], bias, label=f"E={e}")
        draw_measured(right, result["eta"], share, label=f"E={e}")
    left.set(xscale="log", yscale="log", xlabel=r"step size  $\eta$", ylabel=r"bias  $\|\tilde w-w^*\|$")
    right.set(xscale="log", yscale="log", xlabel=r"step size  $\eta$", ylabel=r"bias / $(E-1)\eta$")
    left.set_title("the bias")
    right.set_title("bias over local steps times step size")
    legend_below(figure, axes.flat)
    first = np.array([share[0] for share in shares])
    words = f"For short steps FedAvg's bias is {first.mean():.2g} times $(E-1)\\eta$ here, whatever E is"
    caption = Caption(
        "fixed_point_bias",
        finding(bool(np.ptp(first) < 0.1 * first.mean()), words),
        "Solid: the distance of the fixed point to the optimum, exact, where rounds converge.",
        f"a {type(problem).__name__} with {problem.n_clients} clients, d = {problem.dimension}",
        "(none: computed for a problem of one's own)",
        ("Replicates: none, the numbers are computed and not sampled; no seeds",),
    )
    publish(figure, output_dir, caption)


if __name__ == "__main__":
    main(Path("results/figures"), Path("results"))
