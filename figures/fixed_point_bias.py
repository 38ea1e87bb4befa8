"""The bias of FedAvg's fixed point over (E, eta), with the printed lower bound (Theorem 5 of Li et al. 2020)."""

from __future__ import annotations

from pathlib import Path

from fltheory.experiments import load_result
from fltheory.plotting import color_of, new_figure, save_figure
from fltheory.plotting.style import draw_bound, draw_measured

SHOWN = (2, 5, 20, 100, 500)


def main(output_dir: Path, data_dir: Path) -> None:
    """Draw ``fixed_point_bias.png``."""
    result = load_result(data_dir / "experiments" / "fixed_point_bias.npz")
    steps, sizes = result["E"].tolist(), result["eta"]
    figure, axes = new_figure(1, 2, height=3.5)
    left, right = axes[0]
    for e in (e for e in SHOWN if e in steps):
        row, color = steps.index(e), color_of(f"E={e}")
        exact, bound = result["bias/0"][row], result["bound/0"][row]
        draw_measured(left, sizes, exact, label=f"E={e}")
        draw_bound(left, sizes, bound, "_", color=color)
        draw_measured(right, sizes, exact / bound, label=f"E={e}")
    left.plot([], [], "--", color="#666666", label="printed lower bound")
    right.axhline(1.0, linestyle="--", color="#666666", linewidth=1.4)
    right.text(float(sizes[0]), 1.06, "printed bound", color="#666666", va="bottom")
    left.set(xscale="log", yscale="log", xlabel=r"step size  $\eta$", ylabel=r"bias  $\|\tilde w-w^*\|$")
    right.set(xscale="log", yscale="log", xlabel=r"step size  $\eta$", ylabel="bias / printed lower bound")
    left.set_title(r"Tridiagonal example, $N=5$, $p=4$, $\mu=0$")
    right.set_title("How loose the bound is")
    left.legend(frameon=False, fontsize=7.5)
    save_figure(figure, output_dir / "fixed_point_bias.png")


if __name__ == "__main__":
    main(Path("results/figures"), Path("results"))
