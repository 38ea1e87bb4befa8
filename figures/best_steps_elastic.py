"""Elastic aggregation with one elastic factor phi: best step sizes beside the largest that Theorem I allows."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

from fltheory.plotting.best_steps import caption_of, draw_worst_cases, rows_of
from fltheory.plotting.palette import color_of
from fltheory.plotting.sheet import finding, new_sheet, publish


def main(output_dir: Path, data_dir: Path) -> None:
    """Draw ``best_steps_elastic.png``: a panel for each factor."""
    rows = rows_of(data_dir, "elastic2023")
    figure, axes = new_sheet(1, len(rows), height=4.2)
    for panel, row in zip(axes[0], rows, strict=True):
        factor = row["case"].split(" = ")[1]
        title = rf"$\phi={factor}$" + (": FedAvg" if factor == "1" else "")
        draw_worst_cases(
            panel,
            row,
            color=color_of("FedAvg" if factor == "1" else "Elastic"),
            title=title,
            measure=r"worst distance  $V=\max\,\|x^{2}-x^*\|^2$",
        )
    prices = [row["prescribed"][0]["price"][0] for row in rows]
    words = (
        f"The largest step size of Theorem I costs elastic aggregation a factor {min(prices):.3g} to {max(prices):.3g}, "
        "and the larger "
        "factor wants the shorter steps"
    )
    caption = caption_of(
        "best_steps_elastic",
        finding(float(Fraction(rows[-1]["step"])) < float(Fraction(rows[0]["step"])), words),
        "K = 5, two rounds, eta_g = 1, beta = L = 1, mu = 1/10, B = 1, G^2 = 1/10, |x^0 - x*| <= 1, exact gradients",
        ("EL-THM1",),
        data_dir,
    )
    publish(figure, output_dir, caption)


if __name__ == "__main__":
    main(Path("results/figures"), Path("results"))
