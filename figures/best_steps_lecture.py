"""Local SGD without noise on nonconvex losses: the best step size beside those of Theorem 1 and Corollary 2 of the lecture."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

from fltheory.plotting import new_figure, save_figure
from fltheory.plotting.best_steps import draw_worst_cases, rows_of


def main(output_dir: Path, data_dir: Path) -> None:
    """Draw ``best_steps_lecture.png``: a panel for each bound of the gradients."""
    rows = rows_of(data_dir, "lecture2022")
    figure, axes = new_figure(1, len(rows), width=4.6, height=5.2)
    measure = r"worst average of $\|\nabla f(\bar x^{t})\|^2$,  $V$"
    for panel, row in zip(axes[0], rows, strict=True):
        second = row["case"].split(" = ")[1]
        draw_worst_cases(panel, row, title=rf"$G^2={second}$", measure=measure)
    best = " and ".join(f"{float(Fraction(row['step'])):.2g}" for row in rows)
    figure.suptitle(
        f"Lecture: the best step size moves with the gradients' bound ({best} over L), the prescribed one does not\n"
        r"(FedAvg, $K=2$, $T=8$, $L=1$, $f(x^0)-f^*\leq 1$, nonconvex, no noise; lower bounds: of the formulation)",
        fontsize=9.5,
    )
    save_figure(figure, output_dir / "best_steps_lecture.png")


if __name__ == "__main__":
    main(Path("results/figures"), Path("results"))
