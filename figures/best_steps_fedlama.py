"""FedLAMA with two intervals, and FedAvg at the short one: best step sizes beside the largest that Theorem 5.3 allows."""

from __future__ import annotations

from pathlib import Path

from fltheory.plotting.best_steps import caption_of, draw_worst_cases, rows_of
from fltheory.plotting.palette import color_of
from fltheory.plotting.sheet import finding, new_sheet, publish


def main(output_dir: Path, data_dir: Path) -> None:
    """Draw ``best_steps_fedlama.png``: a panel for each method."""
    rows = rows_of(data_dir, "fedlama2021")
    figure, axes = new_sheet(1, len(rows), height=4.2)
    for panel, row in zip(axes[0], rows, strict=True):
        title = row["case"].replace("tau'", r"$\tau'$")
        draw_worst_cases(
            panel, row, color=color_of("FedLAMA"), title=title, measure=r"worst average of $\|\nabla F(u_t)\|^2$,  $V$"
        )
    prices = [row["prescribed"][0]["price"][0] for row in rows]
    words = (
        "FedLAMA: the largest step size of Theorem 5.3 is the best one where all layers are averaged at each step, and costs a "
        f"factor {max(prices):.3g} with a longer interval"
    )
    caption = caption_of(
        "best_steps_fedlama",
        finding(prices[0] < 1.01 < prices[-1], words),
        "two rounds at phi = 2, four steps, L = 1, F(u_0) - F_inf <= 1, beta^2 = kappa^2 = 1, nonconvex, no noise; "
        "lower bounds: of the formulation",
        ("LA-THM53",),
        data_dir,
    )
    publish(figure, output_dir, caption)


if __name__ == "__main__":
    main(Path("results/figures"), Path("results"))
