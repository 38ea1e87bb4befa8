"""FedAvg after two rounds of five steps: the best constant step size beside the schedule of Theorem 1 of Li et al. (2020)."""

from __future__ import annotations

from pathlib import Path

from fltheory.plotting import new_figure, save_figure
from fltheory.plotting.best_steps import draw_worst_cases, rows_of


def main(output_dir: Path, data_dir: Path) -> None:
    """Draw ``best_steps_li.png``: a panel for each heterogeneity."""
    rows = rows_of(data_dir, "li2020")
    figure, axes = new_figure(1, len(rows), width=3.9, height=5.2)
    for panel, row in zip(axes[0], rows, strict=True):
        gamma = row["case"].split(" = ")[1]
        draw_worst_cases(panel, row, title=rf"$\Gamma={gamma}$", measure=r"worst gap  $V=\max\,F(w_2)-F^*$")
    costs = [f"{row['prescribed'][0]['price'][0]:.3g} at $\\Gamma={row['case'].split(' = ')[1]}$" for row in rows]
    figure.suptitle(
        f"Li et al. (2020): the steps of Theorem 1 cost a factor {', '.join(costs)}\n"
        r"(FedAvg, $E=5$, two rounds, $L=1$, $\mu=1/10$, $|w_0-w^*|\leq 1$; a schedule stands at its first step)",
        fontsize=9.5,
    )
    save_figure(figure, output_dir / "best_steps_li.png")


if __name__ == "__main__":
    main(Path("results/figures"), Path("results"))
