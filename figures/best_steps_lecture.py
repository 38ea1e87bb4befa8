"""Local SGD without noise on nonconvex losses: the best step size beside those of Theorem 1 and Corollary 2 of the lecture."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

from fltheory.plotting.best_steps import caption_of, draw_worst_cases, rows_of
from fltheory.plotting.palette import color_of
from fltheory.plotting.sheet import finding, new_sheet, publish


def main(output_dir: Path, data_dir: Path) -> None:
    """Draw ``best_steps_lecture.png``: a panel for each bound of the gradients."""
    rows = rows_of(data_dir, "lecture2022")
    figure, axes = new_sheet(1, len(rows), height=4.2)
    measure = r"worst average of $\|\nabla f(\bar x^{t})\|^2$,  $V$"
    for panel, row in zip(axes[0], rows, strict=True):
        second = row["case"].split(" = ")[1]
        draw_worst_cases(panel, row, color=color_of("FedAvg"), title=rf"$G^2={second}$", measure=measure)
    best = " and ".join(f"{float(Fraction(row['step'])):.2g}" for row in rows)
    words = (
        f"Local SGD's best step size moves with the bound of the gradients ({best} over L), the prescribed one does not"
    )
    caption = caption_of(
        "best_steps_lecture",
        finding(
            len({row["step"] for row in rows}) == len(rows)
            and len({row["prescribed"][0]["step"] for row in rows}) == 1,
            words,
        ),
        "FedAvg, K = 2, T = 8, L = 1, f(x^0) - f* <= 1, nonconvex, no noise; lower bounds: of the formulation",
        ("LEC-THM1",),
        data_dir,
    )
    publish(figure, output_dir, caption)


if __name__ == "__main__":
    main(Path("results/figures"), Path("results"))
