"""Actual rates with the step sizes of Theorem 1 of Li et al. (2020): noisy and full gradients, and E growing with T."""

from __future__ import annotations

from pathlib import Path

from fltheory.experiments import load_result
from fltheory.plotting import new_figure, save_figure
from fltheory.plotting.style import draw_measured

GROWTH = {
    "1/2": ("#0072B2", r"$E=T^{1/2}$"),
    "3/4": ("#D55E00", r"$E=T^{3/4}$"),
    "1": ("#444444", r"$E=T$ (one round)"),
}


def main(output_dir: Path, data_dir: Path) -> None:
    """Draw ``rates.png``."""
    result = load_result(data_dir / "experiments" / "rates.npz")
    figure, axes = new_figure(1, 2, height=3.5)
    left, right = axes[0]
    for oracle, color in (("noisy", "#0072B2"), ("full gradient", "#D55E00")):
        for steps, style in ((4, "-"), (20, (0, (5, 1)))):
            times, gap = result[f"{oracle}/E={steps}/T"], result[f"{oracle}/E={steps}/gap"]
            left.plot(times, gap, linestyle=style, color=color, label=f"{oracle}, E={steps}", linewidth=1.5)
        times, gap = result[f"{oracle}/E=4/T"], result[f"{oracle}/E=4/gap"]
        order = 1 if oracle == "noisy" else 2
        left.plot(times[12:], 3 * gap[-1] * (times[-1] / times[12:]) ** order, ":", color="#777777")
        left.text(
            float(times[16]),
            4.5 * float(gap[-1] * (times[-1] / times[16]) ** order),
            rf"$T^{{-{order}}}$",
            color="#555555",
        )
        for exponent, (shade, words) in GROWTH.items():
            name = f"{oracle}/E=T^{exponent}"
            if oracle == "noisy":
                draw_measured(right, result[f"{name}/T"], result[f"{name}/gap"], label=f"{words}", color=shade)
            else:
                right.plot(result[f"{name}/T"], result[f"{name}/gap"], "o", ms=3, color=shade, label="_")
    right.plot([], [], "o", ms=3, color="#777777", label="the same, full gradients")
    for panel, title in ((left, "Fixed E: rate by oracle"), (right, "E growing with T, non-i.i.d. clients")):
        panel.set(
            xscale="log", yscale="log", title=title, xlabel=r"local steps  $T$", ylabel=r"gap  $\mathbb{E}\,F(w_T)-F^*$"
        )
        panel.legend(frameon=False, fontsize=7.5, loc="lower left")
    save_figure(figure, output_dir / "rates.png")


if __name__ == "__main__":
    main(Path("results/figures"), Path("results"))
