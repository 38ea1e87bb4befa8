"""The three methods of Mixed FL: their best step sizes beside the largest that Theorems B.1 to B.3 allow."""

from __future__ import annotations

from pathlib import Path

from fltheory.plotting.best_steps import caption_of, draw_worst_cases, rows_of
from fltheory.plotting.palette import color_of
from fltheory.plotting.sheet import finding, new_sheet, publish

NAMES = {"PT": "Parallel Training", "1-w GT": "1-way Gradient Transfer", "2-w GT": "2-way Gradient Transfer"}


def main(output_dir: Path, data_dir: Path) -> None:
    """Draw ``best_steps_mixed.png``: a panel for each method."""
    rows = rows_of(data_dir, "mixed2022")
    figure, axes = new_sheet(1, len(rows), height=4.2)
    for panel, row in zip(axes[0], rows, strict=True):
        measure = r"worst distance  $V=\max\,\|x^{(2)}-x^*\|^2$"
        draw_worst_cases(panel, row, color=color_of(row["case"]), title=NAMES[row["case"]], measure=measure)
    prices = [row["prescribed"][0]["price"][0] for row in rows]
    words = (
        "The largest step sizes of the theorems on mixed FL cost a factor "
        f"{min(prices):.2g} to {max(prices):.2g} after two rounds"
    )
    caption = caption_of(
        "best_steps_mixed",
        finding(min(prices) > 1.05, words),
        "K = 3, eta_s = eta_m = 1, eta_c = eta, clients of one loss, beta = L = 1, mu = 1/10, exact gradients; "
        "Parallel Training with B = 1, G^2 = 1/10",
        ("MX-THMB1", "MX-THMB2", "MX-THMB3"),
        data_dir,
    )
    publish(figure, output_dir, caption)


if __name__ == "__main__":
    main(Path("results/figures"), Path("results"))
