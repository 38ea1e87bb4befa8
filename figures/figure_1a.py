"""Figure 1(a) of Li et al. (2020) from results: rounds to a target against the number E of local steps."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from fltheory.experiments import load_result
from fltheory.plotting import new_figure, save_figure
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
    figure, axes = new_figure(2, -(-len(sets) // 2), width=3.3, height=2.7)
    for panel, name in zip(axes.T.flat, sets, strict=False):
        entry = result.settings["sets"][name]
        curves = np.stack([result[f"{name}/E={e}"] for e in entry["E"]])
        smallest, start = curves.min(axis=(0, 2)), curves[0, :, 0]
        for fraction, label in FRACTIONS.items():
            part = entry["fraction"] if fraction is None else fraction
            hit = curves <= (smallest + part * (start - smallest))[None, :, None]
            rounds = np.where(hit.any(axis=2), hit.argmax(axis=2), entry["rounds"] + 1)
            middle, half = rounds.mean(axis=1), 1.96 * rounds.std(axis=1, ddof=1) / rounds.shape[1] ** 0.5
            color = {None: "#0072B2", 0.2: "#D55E00", 0.3: "#009E73"}[fraction]
            draw_measured(panel, entry["E"], middle, middle - half, middle + half, label=label, color=color)
            whole = hit.any(axis=2).all(axis=1)
            for chosen, face in ((whole, color), (~whole, "white")):
                panel.plot(np.array(entry["E"])[chosen], middle[chosen], "o", ms=4, mfc=face, mec=color)
        panel.axhline(entry["rounds"] + 1, color="#aaaaaa", linewidth=0.8, linestyle=":")
        if entry["least"]:
            panel.axvline(entry["least"], color="#aaaaaa", linewidth=0.8, linestyle=":")
        panel.set_title(f"{name}\nK={entry['K']} of {entry['clients']}, {curves.shape[1]} replicates", fontsize=8.5)
        panel.set(
            xscale="log", yscale="log", xlabel=r"local steps  $E$", ylabel=r"rounds to the target  $T_\epsilon/E$"
        )
        shown = entry["E"] if len(entry["E"]) < 5 else entry["E"][::2]
        panel.set_xticks(shown, [f"{e:,}" for e in shown], fontsize=7)
        ticks = [tick for tick in (3, 5, 10, 15, 20, 30) if tick <= entry["rounds"]]
        panel.set_yticks(ticks, [str(tick) for tick in ticks])
        panel.minorticks_off()
    handles, labels = axes.flat[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper center", ncols=3, frameon=False, fontsize=8)
    save_figure(figure, output_dir / "figure_1a.png", dpi=100)


if __name__ == "__main__":
    main(Path("results/figures"), Path("results"))
