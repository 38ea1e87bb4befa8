"""Published bound over exact worst case: the audit.

Every mark is the left end of a certified enclosure: the bound is at least that loose.  Filled: as printed; hollow: the best
bound that is proved in the ledger.  Seen: for Li et al. the ratio grows with E and kappa, up to 10^5, nearly all of it by the
drift term 8(E-1)^2 G^2 (by 6 L Gamma for E = 1); where G^2 does not bind, the certificates use the start and Gamma only.  The
best proved bound is nearer by one to two orders.  The lecture's Theorem 1 is loose mainly by its drift term 4 s^2 K^2 G^2 L^2;
with the drift averaged it is attained at s = 1/L and K = 1 (hollow marks on the line).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

from fltheory.experiments import load_result
from fltheory.experiments.audit_table import PRINTED, improved
from fltheory.plotting import new_figure, save_figure

COLORS = ("#0072B2", "#009E73", "#D55E00", "#CC79A7", "#8C6D1F")
MARKS = {"1": "o", "2": "s", "5": "^", "10": "D", "3": "v", "4": "p"}
Record = Mapping[str, Any]


def draw(panel: Any, records: Sequence[Record], colour: str, shape: Callable[[Record], str], name: str) -> None:
    """Ratios against T; ``colour`` is a parameter, ``shape`` names a marker."""
    values = sorted({Fraction(r["parameters"][colour]) for r in records})
    for place, level in enumerate(values):
        mine = [r for r in records if Fraction(r["parameters"][colour]) == level]
        shift = 1.06 ** (place - (len(values) - 1) / 2)
        for mark in dict.fromkeys(shape(r) for r in mine):
            part = [r for r in mine if shape(r) == mark]
            times = [shift * float(Fraction(r["parameters"]["T"])) for r in part]
            style = {"marker": mark, "linestyle": "none", "markersize": 4.2, "color": COLORS[place]}
            if len(part[0]["ratios"]) > 1:
                panel.plot(times, [improved(r) for r in part], **style, markerfacecolor="white", markeredgewidth=0.8)
            panel.plot(times, [r["ratios"][PRINTED][0] for r in part], **style, markeredgewidth=0)
        panel.plot([], [], "o", color=COLORS[place], markersize=4.2, label=f"{name} = {level}")
    panel.axhline(1.0, color="#777777", linewidth=0.8)
    panel.set(
        xscale="log", yscale="log", xlabel=r"steps  $T$", ylabel="bound / exact worst case", xlim=(0.85 * 2, None)
    )
    left, right = panel.get_xlim()
    ticks = [t for t in (2, 5, 10, 20, 40) if left <= t <= right]
    panel.set_xticks(ticks, labels=[str(t) for t in ticks])
    panel.set_xticks([], minor=True)


def main(output_dir: Path, data_dir: Path) -> None:
    """Draw ``audit.png``."""
    result = load_result(data_dir / "experiments" / "audit.npz")
    records = [r for r in map(json.loads, result["record"].tolist()) if r["status"] == "certified"]
    figure, axes = new_figure(2, 3, width=3.9, height=3.1)
    panels = [
        ("Li et al., Theorem 1", lambda t: t == "Li et al., Theorem 1", "kappa", r"$\kappa$", "E"),
        ("Li et al., Theorems 1 (noise), 2, 3: one round", lambda t: t.endswith("one round"), "kappa", r"$\kappa$", ""),
        ("Lecture, Theorem 1", lambda t: t == "Lecture, Theorem 1", "s", r"$sL$", "K"),
        ("Lecture, Corollary 2", lambda t: "Corollary" in t, "K", r"$K$", "N"),
        ("Lecture, Theorem 3", lambda t: t == "Lecture, Theorem 3", "K", r"$K$", "K"),
    ]
    one_round = {"noise": "P", "Theorem 2": "o", "Theorem 3": "s"}
    for panel, (title, chosen, colour, name, shape) in zip(axes.flat, panels, strict=False):
        mine = [r for r in records if chosen(r["theorem"])]

        def mark(r: Record, shape: str = shape) -> str:
            if shape:
                return MARKS.get(r["parameters"][shape], "o")
            return next(symbol for words, symbol in one_round.items() if words in r["theorem"])

        draw(panel, mine, colour, mark, name)
        for level in dict.fromkeys(r["parameters"][shape] for r in mine) if shape and shape != colour else ():
            panel.plot([], [], MARKS.get(level, "o"), color="#444444", markersize=4.2, label=f"${shape}$ = {level}")
        for words, symbol in one_round.items() if not shape else ():
            panel.plot([], [], symbol, color="#444444", markersize=4.2, label=words)
        panel.set_title(title, fontsize=9)
        low, high = panel.get_ylim()
        panel.set_ylim(low, high * (high / low) ** 0.25)
        panel.legend(frameon=False, fontsize=6.5, ncols=4, loc="upper left", columnspacing=0.8, handletextpad=0.1)
    axes[1, 2].axis("off")
    axes[1, 2].text(
        -0.1,
        0.95,
        "Filled: bound as printed; hollow: best proved bound.\n\n"
        "Each mark is the left end of a certified\nenclosure: the bound is at least that loose.\n"
        f"{len(records)} certified points; the worst case never exceeds the bound.\n\n"
        "Units: $L = 1$; start $|w_1 - w^*|^2 \\leq 1$ (Li et al.),\n$f(x^0) - f^* \\leq 1$ (lecture).",
        va="top",
        fontsize=8,
        transform=axes[1, 2].transAxes,
    )
    save_figure(figure, output_dir / "audit.png")


if __name__ == "__main__":
    main(Path("results/figures"), Path("results"))
