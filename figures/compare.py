"""Published rates and certified worst cases of the same methods at the same points (``fl.compare``)."""

from __future__ import annotations

from pathlib import Path

import fltheory as fl
from fltheory.plotting import new_figure, save_figure
from fltheory.plotting.compare import draw_key, draw_rates, speaking

STEPS, ROUNDS, SPREADS = 5, 2, ("0", "1/100", "1/4")
METHODS = ("GD", "FedAvg", "SCAFFOLD", "FedLin")


def main(output_dir: Path, data_dir: Path) -> None:
    """Draw ``compare.png``."""
    kept = data_dir / "experiments" / "compare.npz"
    if not kept.is_file():
        raise FileNotFoundError(f"result file {kept.name!r} is missing: run the experiment that writes it first")
    place = {"local_steps": STEPS, "rounds": ROUNDS, "kept": kept}
    own = fl.compare(METHODS, heterogeneity=SPREADS[1], step_size="published", **place)
    alike = fl.compare(METHODS, heterogeneity="identical", step_size="published", **place)
    best = fl.compare(METHODS, heterogeneity=SPREADS, **place)
    figure, axes = new_figure(1, 2, width=5.6, height=4.6)
    left, right = axes[0]
    rows = speaking(own)
    told = {row.rate for row in rows}
    rows += [row for row in speaking(alike) if row.rate not in told]
    draw_rates(left, rows, [f"{row.rate} ({row.measure})" for row in rows], title="Each theorem at its own step size")
    left.set_xlabel(rf"its own measure, $\zeta^2={SPREADS[1]}$ (or one loss); numbers: bound over worst case")
    sizes = [row for row in speaking(best) if row.measure == "distance"]
    draw_rates(right, sizes, [f"{row.method}, {row.clients}" for row in sizes], title="Best step sizes of each")
    right.set_xlabel(r"$\|w_R-w^*\|^2$: best theorem, best step size")
    draw_key(right, METHODS)
    figure.suptitle(
        f"Published rates order the methods otherwise than certified worst cases do (E={STEPS}, R={ROUNDS}, L=1, "
        r"$\mu=1/10$)",
        fontsize=9.5,
    )
    save_figure(figure, output_dir / "compare.png")


if __name__ == "__main__":
    main(Path("results/figures"), Path("results"))
