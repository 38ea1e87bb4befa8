"""Colours: a label has the same one in all figures, as long as no other label of the figure has it.

Within one figure :mod:`fltheory.plotting.looks` keeps labels apart.
"""

from __future__ import annotations

import re
import zlib

#: One colour for each algorithm in all figures.  Those of one document differ in lightness as well, so that they are told apart
#: in grey; tests/figures hold that in every panel, with all cones and with one kind missing.
ALGORITHMS = {
    "FedAvg": "#5D1DC1",
    "GD": "#222222",
    "SCAFFOLD": "#D50044",
    "FedLin": "#BB9005",
    "FedLAMA": "#3D8D03",
    "Elastic": "#FE30A7",
    "PT": "#EB4C01",
    "1-w GT": "#046DA8",
    "2-w GT": "#02B86F",
    "oracle": "#222222",
}
#: Other words for an algorithm.
SAME = {
    "Parallel Training": "PT",
    "1-way GT": "1-w GT",
    "2-way GT": "2-w GT",
    "FL only": "FedAvg",
    "baseline": "oracle",
}
#: Labels with a colour of their own.
NAMED = {
    **ALGORITHMS,
    **{name: ALGORITHMS[other] for name, other in SAME.items()},
    "Scheme I": "#065386",
    "Scheme II": "#DE3902",
    "transformed Scheme II": "#04AC59",
    "original": "#64005F",
    "normalised uniform": "#E2AE01",
    "full participation": "#444444",
    "bound": "#222222",
    "exact expectation": "#D55E00",
    "simulation": "#0072B2",
    "exact limit": "#777777",
}
#: Steps of a quantity that is no algorithm, from dark to light.
LADDER = ("#2D1160", "#A1107C", "#2F7FC0", "#F08A24", "#E8C547")
OTHERS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#8C6D1F", "#56B4E9", "#444444", "#B22222")
#: What else a figure has when these are all taken.
SPARE = ("#7A3B9A", "#E69F00", "#1B7F8C", "#9ACD32", "#A0522D", "#999999")
#: Colours of common numbers of local steps, ``"E=5"``.
LOCAL_STEPS = {
    1: "#222222",
    2: "#5A1020",
    4: "#5D1DC1",
    5: "#065386",
    10: "#A0609A",
    20: "#EB6B1E",
    50: "#CC79A7",
    100: "#8C6D1F",
    200: "#56B4E9",
    400: "#7A3B9A",
    500: "#E2AE01",
}
#: Shades from dark violet to orange for a share of active clients, ``"K/N=0.3"``; interpolated linearly.
SHADES = ((68, 1, 84), (59, 82, 139), (24, 128, 130), (90, 175, 90), (240, 200, 60))


def color_of(label: str) -> str:
    """The colour of a label: its own; that of a named label which it continues after a comma; by E or K/N; or one
    chosen by the label's checksum."""
    if label in NAMED:
        return NAMED[label]
    for name in sorted(NAMED, key=len, reverse=True):
        if label.startswith(name + ","):
            return NAMED[name]
    match = re.match(r"(E|K/N)=(\d+(?:\.\d+)?)\b", label)
    if match and match.group(1) == "E" and float(match.group(2)) in LOCAL_STEPS:
        return LOCAL_STEPS[int(float(match.group(2)))]
    if match and match.group(1) == "K/N":
        return _shade(min(float(match.group(2)), 1.0))
    return OTHERS[zlib.crc32(label.encode()) % len(OTHERS)]


def _shade(place: float) -> str:
    position = place * (len(SHADES) - 1)
    left = min(int(position), len(SHADES) - 2)
    part = position - left
    mixed = (round(a + part * (b - a)) for a, b in zip(SHADES[left], SHADES[left + 1], strict=True))
    return "#" + "".join(f"{value:02x}" for value in mixed)
