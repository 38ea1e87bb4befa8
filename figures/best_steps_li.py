"""FedAvg after two rounds of five steps: the best constant step size beside the schedule of Theorem 1 of Li et al. (2020)."""

from __future__ import annotations

from pathlib import Path

from fltheory.plotting.best_steps import caption_of, draw_worst_cases, rows_of
from fltheory.plotting.palette import color_of
from fltheory.plotting.sheet import finding, new_sheet, publish


def main(output_dir: Path, data_dir: Path) -> None:
    """Draw ``best_steps_li.png``: a panel for each heterogeneity."""
    rows = rows_of(data_dir, "li2020")
    figure, axes = new_sheet(1, len(rows), height=4.2)
    for panel, row in zip(axes[0], rows, strict=True):
        gamma = row["case"].split(" = ")[1]
        draw_worst_cases(
            panel, row, color=color_of("FedAvg"), title=rf"$\Gamma={gamma}$", measure=r"worst gap  $V=\max\,F(w_2)-F^*$"
        )
    costs = [f"{row['prescribed'][0]['price'][0]:.3g} at $\\Gamma={row['case'].split(' = ')[1]}$" for row in rows]
    words = (
        f"The steps of Theorem 1 of Li et al. cost a factor {costs[0]}, "
        f"and next to nothing between unlike clients ({costs[-1]})"
    )
    caption = caption_of(
        "best_steps_li",
        finding(float(costs[0].split()[0]) > 2 and float(costs[-1].split()[0]) < 1.1, words),
        "FedAvg, E = 5, two rounds, L = 1, mu = 1/10, |w_0 - w*| <= 1; a schedule stands at its first step",
        ("LI-THM1", "LI-LEM1"),
        data_dir,
    )
    publish(figure, output_dir, caption)


if __name__ == "__main__":
    main(Path("results/figures"), Path("results"))
