"""Elastic aggregation with one elastic factor phi: best step sizes beside the largest that Theorem I allows."""

from __future__ import annotations

from pathlib import Path

from fltheory.plotting import new_figure, save_figure
from fltheory.plotting.best_steps import draw_worst_cases, rows_of


def main(output_dir: Path, data_dir: Path) -> None:
    """Draw ``best_steps_elastic.png``: a panel for each factor."""
    rows = rows_of(data_dir, "elastic2023")
    figure, axes = new_figure(1, len(rows), width=4.6, height=5.2)
    for panel, row in zip(axes[0], rows, strict=True):
        factor = row["case"].split(" = ")[1]
        title = rf"$\phi={factor}$" + (": FedAvg" if factor == "1" else "")
        draw_worst_cases(panel, row, title=title, measure=r"worst distance  $V=\max\,\|x^{2}-x^*\|^2$")
    prices = [row["prescribed"][0]["price"][0] for row in rows]
    figure.suptitle(
        f"Elastic aggregation: the largest step size of Theorem I costs a factor {min(prices):.3g} to {max(prices):.3g}, "
        "and larger factors want shorter steps\n"
        r"($K=5$, two rounds, $\eta_g=1$, $\beta=L=1$, $\mu=1/10$, $B=1$, $G^2=1/10$, $\|x^0-x^*\|\leq 1$, exact gradients)",
        fontsize=9.5,
    )
    save_figure(figure, output_dir / "best_steps_elastic.png")


if __name__ == "__main__":
    main(Path("results/figures"), Path("results"))
