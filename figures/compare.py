"""Published rates and certified worst cases of the same methods at the same points (``fl.compare``)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import fltheory as fl
from fltheory.experiments import load_result
from fltheory.plotting.captions import Caption, facts_of
from fltheory.plotting.compare import draw_key, draw_rates, speaking
from fltheory.plotting.sheet import finding, new_sheet, publish

STEPS, ROUNDS, SPREADS = 5, 2, ("0", "1/100", "1/4")
METHODS = ("GD", "FedAvg", "SCAFFOLD", "FedLin")


def main(output_dir: Path, data_dir: Path, own: Any = None) -> None:
    """Draw ``compare``; ``own`` is a class of losses such as ``fl.SmoothStronglyConvex(mu, L)`` in place of curvature 1/10 to 1."""
    kept = data_dir / "experiments" / "compare.npz"
    if own is None and not kept.is_file():
        raise FileNotFoundError(f"result file {kept.name!r} is missing: run the experiment that writes it first")
    place = {"function_class": own, "local_steps": STEPS, "rounds": ROUNDS, "kept": kept if own is None else False}
    apart = fl.compare(METHODS, heterogeneity=SPREADS[1], step_size="published", **place)
    alike = fl.compare(METHODS, heterogeneity="identical", step_size="published", **place)
    best = fl.compare(METHODS, heterogeneity=SPREADS, **place)
    figure, axes = new_sheet(1, 2, height=4.6)
    left, right = axes[0]
    rows = speaking(apart)
    told = {row.rate for row in rows}
    rows += [row for row in speaking(alike) if row.rate not in told]
    draw_rates(left, rows, [row.rate for row in rows], title="Each theorem at its own step size")
    left.set_xlabel(rf"its own measure, $\zeta^2={SPREADS[1]}$")
    sizes = [row for row in speaking(best) if row.measure == "distance"]
    draw_rates(right, sizes, [f"{row.method}, {row.clients}" for row in sizes], title="Best step sizes of each")
    right.set_xlabel("squared distance")
    draw_key(figure, METHODS)
    spread = sizes[0].clients
    mine = [row for row in sizes if row.clients == spread]
    printed = min(mine, key=lambda row: float(row.published)).method
    exact = min(mine, key=lambda row: float(row.upper)).method
    words = f"By published rates {printed} is the best of {len(mine)} methods, by certified worst cases it is {exact}"
    publish(
        figure,
        output_dir,
        Caption(
            "compare",
            finding(printed != exact, words),
            "Filled: the certified worst case; open, dashed: the published bound at the same point; beside it, bound over worst "
            f"case. Left: each theorem at its own step size and for its own measure, $\\zeta^2={SPREADS[1]}$ or clients "
            "of one loss. "
            f"Right: best theorem and best step size of each method; the title is about its rows with {spread}.",
            f"E = {STEPS}, R = {ROUNDS}, {'L = 1, mu = 1/10' if own is None else own}, |w_0 - w*| <= 1, exact gradients",
            "experiments/compare.npz" if own is None else "(none: computed for a class of one's own)",
            facts_of(load_result(kept)) if own is None else ("Replicates: none, the numbers are certified; no seeds",),
            ("LI-THM1", "LEC-THM1", "LEC-THM3"),
        ),
    )


if __name__ == "__main__":
    main(Path("results/figures"), Path("results"))
