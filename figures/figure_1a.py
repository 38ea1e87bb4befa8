"""Figure 1(a) of Li et al. (2020) from results: rounds to a target against the number E of local steps."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from fltheory.experiments import load_result
from fltheory.experiments.readers import claims_reading
from fltheory.plotting.captions import Caption, facts_of
from fltheory.plotting.palette import LADDER
from fltheory.plotting.sheet import finding, legend_below, new_sheet, publish
from fltheory.plotting.style import draw_measured

ORDER = (
    "synthetic(0,0)",
    "synthetic(1,1)",
    "MNIST subset balanced",
    "MNIST subset unbalanced",
    "digits balanced",
    "digits unbalanced",
    "Fashion-MNIST balanced",
    "Fashion-MNIST unbalanced",
)
FRACTIONS = {None: "target of the paper", 0.2: "easier target, 20 %", 0.3: "easier target, 30 %"}


def main(output_dir: Path, data_dir: Path) -> None:
    """Draw ``figure_1a.png``: mean over replicates and 95 % band; open circles: not reached in every replicate.

    Dotted: one round more than were run, and the E that was declared beforehand as that of the least rounds.
    """
    result = load_result(data_dir / "experiments" / "figure_1a.npz")
    sets = [name for name in ORDER if name in result.settings["sets"]]
    best: dict[str, bool] = {}
    figure, axes = new_sheet(2, -(-len(sets) // 2), height=2.4)
    for panel, name in zip(axes.T.flat, sets, strict=False):
        entry = result.settings["sets"][name]
        curves = np.stack([result[f"{name}/E={e}"] for e in entry["E"]])
        smallest, start = curves.min(axis=(0, 2)), curves[0, :, 0]
        for fraction, label in FRACTIONS.items():
            part = entry["fraction"] if fraction is None else fraction
            hit = curves <= (smallest + part * (start - smallest))[None, :, None]
            rounds = np.where(hit.any(axis=2), hit.argmax(axis=2), entry["rounds"] + 1)
            middle, half = rounds.mean(axis=1), 1.96 * rounds.std(axis=1, ddof=1) / rounds.shape[1] ** 0.5
            color = dict(zip(FRACTIONS, LADDER[::2], strict=True))[fraction]
            draw_measured(panel, entry["E"], middle, middle - half, middle + half, label=label, color=color)
            whole = hit.any(axis=2).all(axis=1)
            for chosen, face in ((whole, color), (~whole, "white")):
                panel.plot(np.array(entry["E"])[chosen], middle[chosen], "o", ms=4, mfc=face, mec=color)
        best[name] = 0 < int(np.argmin(middle)) < len(entry["E"]) - 1
        panel.axhline(entry["rounds"] + 1, color="#aaaaaa", linewidth=0.8, linestyle=":")
        if entry["least"]:
            panel.axvline(entry["least"], color="#aaaaaa", linewidth=0.8, linestyle=":")
        panel.set_title(f"{name}")
        panel.set(xscale="log", yscale="log", xlabel=r"local steps  $E$", ylabel=r"rounds  $T_\epsilon/E$")
        shown = entry["E"] if len(entry["E"]) < 4 else entry["E"][:: len(entry["E"]) // 2]
        panel.set_xticks(shown, [f"{e:,}" for e in shown])
        ticks = [tick for tick in (3, 5, 10, 15, 20, 30) if tick <= entry["rounds"]]
        panel.set_yticks(ticks, [str(tick) for tick in ticks])
        panel.minorticks_off()
    legend_below(figure, axes.flat)
    words = (
        f"On {sum(best.values())} of {len(best)} data sets a moderate number of local steps needs the fewest rounds; "
        "on the others no fewer steps than the most that were tried"
    )
    caption = Caption(
        "figure_1a",
        finding(any(best.values()), words),
        "Solid: mean over replicates of the rounds to a target, with its 95 % band; open circles: not reached in every "
        "replicate (counted as one round more than were run, dotted). Dotted upright: the E that was declared "
        "beforehand as that of the least rounds. The title is about the target of 30 per cent.",
        ", ".join(f"{k} {v}" for k, v in result.settings["common"].items() if k not in ("form", "seeds", "checks")),
        "experiments/figure_1a.npz",
        facts_of(result, sets),
        claims_reading("figure_1a"),
    )
    publish(figure, output_dir, caption)


if __name__ == "__main__":
    main(Path("results/figures"), Path("results"))
