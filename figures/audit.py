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
from fltheory.plotting.captions import Caption, facts_of
from fltheory.plotting.palette import LADDER
from fltheory.plotting.sheet import SMALLEST, finding, new_sheet, publish

COLORS = LADDER
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
    figure, axes = new_sheet(2, 3, height=2.5)
    panels = [
        ("Li et al., Theorem 1", lambda t: t == "Li et al., Theorem 1", "kappa", r"$\kappa$", "E"),
        ("Li et al., one round", lambda t: t.endswith("one round"), "kappa", r"$\kappa$", ""),
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
        panel.set_title(title)
        panel.legend(
            frameon=False,
            fontsize=SMALLEST,
            ncols=3,
            loc="upper center",
            bbox_to_anchor=(0.45, -0.24),
            columnspacing=0.6,
            handletextpad=0.0,
            borderpad=0.0,
            labelspacing=0.25,
        )
    figure.delaxes(axes[1, 2])
    printed, proved = most(records, "Li et al."), most(records, "Li et al.", proved=True)
    words = (
        f"The printed bounds of Li et al. lie up to {printed:,.0f} times above the exact worst case, "
        f"the best proved ones up to {proved:,.0f} times, no bound below it"
    )
    publish(
        figure,
        output_dir,
        Caption(
            "audit",
            finding(printed > proved and all(r["ratios"][PRINTED][0] >= 1 for r in records), words),
            "Filled marks: the bound as printed; hollow ones: the best bound that is proved in the ledger. Each mark is the left "
            "end of a certified enclosure of bound over worst case: the bound is at least that loose. One round: Theorem 1 with "
            "noise, Theorems 2 and 3.",
            f"{len(records)} certified points; {result.settings['units']}",
            "experiments/audit.npz",
            facts_of(result),
            ("LI-THM1", "LI-THM2", "LI-THM3", "LEC-THM1", "LEC-THM3"),
        ),
    )


def most(records: Sequence[Record], begin: str, *, proved: bool = False) -> float:
    """The largest certified ratio of the bounds of a document, rounded to two digits."""
    mine = [r for r in records if r["theorem"].startswith(begin) and len(r["ratios"]) > 1]
    return float(f"{max(improved(r) if proved else r['ratios'][PRINTED][0] for r in mine):.2g}")


if __name__ == "__main__":
    main(Path("results/figures"), Path("results"))
