"""FedLAMA with two intervals, and FedAvg at the short one: best step sizes beside the largest that Theorem 5.3 allows."""

from __future__ import annotations

from pathlib import Path

from fltheory.plotting import new_figure, save_figure
from fltheory.plotting.best_steps import draw_worst_cases, rows_of


def main(output_dir: Path, data_dir: Path) -> None:
    """Draw ``best_steps_fedlama.png``: a panel for each method."""
    rows = rows_of(data_dir, "fedlama2021")
    figure, axes = new_figure(1, len(rows), width=4.6, height=5.2)
    for panel, row in zip(axes[0], rows, strict=True):
        title = row["case"].replace("tau'", r"$\tau'$")
        draw_worst_cases(panel, row, title=title, measure=r"worst average of $\|\nabla F(u_t)\|^2$,  $V$")
    prices = [row["prescribed"][0]["price"][0] for row in rows]
    figure.suptitle(
        f"FedLAMA: the largest step size of Theorem 5.3 is the best one for short intervals and costs a factor {max(prices):.3g} "
        "with longer ones\n"
        r"(two rounds at $\phi=2$, four steps, $L=1$, $F(u_0)-F_{\inf}\leq 1$, $\beta^2=\kappa^2=1$, nonconvex, "
        "no noise; lower bounds: of the formulation)",
        fontsize=9.5,
    )
    save_figure(figure, output_dir / "best_steps_fedlama.png")


if __name__ == "__main__":
    main(Path("results/figures"), Path("results"))
