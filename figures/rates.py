"""Actual rates with the step sizes of Theorem 1 of Li et al. (2020): noisy and full gradients, and E growing with T."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from fltheory.experiments import load_result
from fltheory.experiments.readers import claims_reading
from fltheory.plotting.captions import Caption, facts_of
from fltheory.plotting.palette import LADDER
from fltheory.plotting.sheet import SMALLEST, finding, legend_below, new_sheet, publish
from fltheory.plotting.style import draw_measured

GROWTH = {
    "1/2": (LADDER[0], r"$E=T^{1/2}$"),
    "3/4": (LADDER[2], r"$E=T^{3/4}$"),
    "1": (LADDER[3], r"$E=T$ (one round)"),
}


def main(output_dir: Path, data_dir: Path) -> None:
    """Draw ``rates.png``."""
    result = load_result(data_dir / "experiments" / "rates.npz")
    figure, axes = new_sheet(1, 2, height=3.0)
    left, right = axes[0]
    slopes: dict[str, list[float]] = {"noisy": [], "full gradient": []}
    for oracle, color in (("noisy", LADDER[0]), ("full gradient", LADDER[3])):
        for steps, style in ((4, ""), (20, "s")):
            times, gap = result[f"{oracle}/E={steps}/T"], result[f"{oracle}/E={steps}/gap"]
            left.plot(times, gap, marker=style, markersize=3.5, markevery=4, color=color, label=f"{oracle}, E={steps}")
            slopes[oracle].append(float(np.polyfit(np.log(times[-6:]), np.log(gap[-6:]), 1)[0]))
        times, gap = result[f"{oracle}/E=4/T"], result[f"{oracle}/E=4/gap"]
        order = 1 if oracle == "noisy" else 2
        left.plot(times[12:], 3 * gap[-1] * (times[-1] / times[12:]) ** order, ":", color="#777777")
        left.text(
            1.4 * float(times[-1]),
            3 * float(gap[-1]),
            rf"$T^{{-{order}}}$",
            fontsize=SMALLEST,
            color="#555555",
            va="center",
        )
        left.set_xlim(right=20 * float(times[-1]))
        for exponent, (shade, words) in GROWTH.items():
            name = f"{oracle}/E=T^{exponent}"
            if oracle == "noisy":
                draw_measured(right, result[f"{name}/T"], result[f"{name}/gap"], label=f"{words}", color=shade)
            else:
                right.plot(result[f"{name}/T"], result[f"{name}/gap"], "o", ms=3, color=shade, label="_")
    right.plot([], [], "o", ms=3, color="#777777", label="the same, full gradients")
    for panel, title in ((left, "fixed E"), (right, "E growing with T")):
        panel.set(
            xscale="log", yscale="log", title=title, xlabel=r"local steps  $T$", ylabel=r"gap  $\mathbb{E}\,F(w_T)-F^*$"
        )
    legend_below(figure, axes.flat)
    stays = float(result["noisy/E=T^1/gap"][-1] / result["noisy/E=T^1/gap"][0])
    words = (
        f"With the steps of Theorem 1 noisy gradients give the rate T^{sum(slopes['noisy']) / 2:.2f} and full ones "
        f"T^{sum(slopes['full gradient']) / 2:.2f}; one long round does not converge"
    )
    caption = Caption(
        "rates",
        finding(
            abs(sum(slopes["noisy"]) / 2 + 1) < 0.1 and abs(sum(slopes["full gradient"]) / 2 + 2) < 0.1 and stays > 0.9,
            words,
        ),
        "Solid: exact gaps with the step sizes of Theorem 1 of Li et al. (2020); squares: E = 20. Dotted: the orders "
        "-1 and -2. Right, points: full gradients with E growing likewise, clients that differ.",
        ", ".join(f"{k} {v}" for k, v in result.settings.items() if k not in ("form", "seeds", "checks")),
        "experiments/rates.npz",
        facts_of(result),
        tuple(i for i in claims_reading("rates") if i.startswith("LI-")),
    )
    publish(figure, output_dir, caption)


if __name__ == "__main__":
    main(Path("results/figures"), Path("results"))
