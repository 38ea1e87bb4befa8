"""Figures 1(b), 2(b), 3, 4 and 10 of Augenstein et al. (2022) on two generated languages, from results."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from fltheory.experiments import load_result
from fltheory.experiments.readers import claims_reading
from fltheory.plotting import color_of
from fltheory.plotting.captions import Caption, facts_of
from fltheory.plotting.palette import LADDER
from fltheory.plotting.sheet import finding, legend_below, new_sheet, publish
from fltheory.plotting.style import draw_measured

#: Weights of the users' and the server's text.
BOTH, USERS, SERVER = (0.73, 0.27), (1.0, 0.0), (0.0, 1.0)
ROUNDS = r"communication rounds  $t$"


def curves(
    panel: Any, result: Any, labels: tuple[str, ...], first: int, weights: tuple[float, float], name: str
) -> None:
    """Medians of the loss (``first`` = 0) or the accuracy (2, with two quartile bands) on a mixture of the held-out texts."""
    rounds = result["text/rounds"][0]
    for label in labels:
        values = result[f"text/{label}"]
        mixture = weights[0] * values[:, first] + weights[1] * values[:, first + 1]
        low, middle, high = np.quantile(mixture, (0.25, 0.5, 0.75), axis=0)
        kind = label.split(",")[0]
        # languages differ more than algorithms: bands of all would hide each other
        band = (low[1:], high[1:]) if first and label in ("FL only", "oracle") else (None, None)
        draw_measured(panel, rounds[1:], middle[1:], *band, label=kind, color=color_of(kind))
    panel.set(xlabel=ROUNDS, ylabel=name)


def last(result: Any, label: str, weights: tuple[float, float]) -> float:
    """Median accuracy at the last record on a mixture of the held-out texts."""
    values = result[f"text/{label}"]
    return float(np.median(weights[0] * values[:, 2, -1] + weights[1] * values[:, 3, -1]))


def main(output_dir: Path, data_dir: Path) -> None:
    """Draw ``mixed_language.png``: medians over replicates; bands, where there are some, from first to third quartile."""
    result = load_result(data_dir / "experiments" / "mixed_language.npz")
    figure, axes = new_sheet(2, 3, height=2.2)
    everyone = ("PT", "1-w GT", "2-w GT", "FL only", "oracle")
    curves(axes[0, 0], result, everyone, 2, BOTH, "accuracy")
    axes[0, 0].set_title("both texts")
    curves(axes[0, 1], result, everyone[:3], 0, BOTH, "held-out loss")
    axes[0, 1].set_title("both texts")
    curves(axes[0, 2], result, ("PT, eta=3", "1-w GT, eta=3", "2-w GT"), 0, BOTH, "held-out loss")
    axes[0, 2].set_title("higher rates")
    titles = "the users' text", "the server's text"
    for panel, weights, title in zip(axes[1], (USERS, SERVER), titles, strict=False):
        curves(panel, result, everyone, 2, weights, "accuracy")
        panel.set_title(title)
    panel, rounds = axes[1, 2], result["metrics/rounds"][0]
    for key, color, name in (("G2", LADDER[0], r"$\tilde G_t^2$"), ("B2", LADDER[2], r"$\tilde B_t^2$")):
        low, middle, high = np.quantile(result[f"metrics/{key}"], (0.25, 0.5, 0.75), axis=0)
        draw_measured(panel, rounds, middle, low, high, label=name, color=color)
        exact = np.median(result[f"metrics/exact {key}"], axis=0)
        panel.plot(rounds, exact, ":", color=color, label=f"{name}, exact gradients", linewidth=1.6)
    panel.set(yscale="log", xlabel=ROUNDS, ylabel="dissimilarity, K = 1")
    panel.set_title("dissimilarities, eq. (7)")
    legend_below(figure, axes.flat)
    ends = {label: last(result, label, BOTH) for label in everyone}
    server = last(result, "FL only", SERVER)
    words = "Mixed FL is about as accurate as training on both texts together; federated training alone loses the server's text"
    caption = Caption(
        "mixed_language",
        finding(
            all(abs(ends[n] - ends["oracle"]) < 0.01 for n in ("PT", "1-w GT", "2-w GT"))
            and server < ends["oracle"] - 0.02,
            words,
        ),
        "Solid: medians over replicates; bands, drawn for federated training alone and for the oracle, from first to "
        "third quartile. Dotted: with exact gradients. The panels are those of Figures 1(b), 2(b), 10, 4(a), 4(b) and "
        "3 of the paper.",
        ", ".join(f"{k} {v}" for k, v in result.settings["common"].items() if k not in ("form", "seeds", "checks")),
        "experiments/mixed_language.npz",
        facts_of(result, ("text", "metrics")),
        claims_reading("mixed_language"),
    )
    publish(figure, output_dir, caption)


if __name__ == "__main__":
    main(Path("results/figures"), Path("results"))
