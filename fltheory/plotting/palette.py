"""Colours: a label has the same one in all figures, as long as no other label of the figure has it.

Within one figure :mod:`fltheory.plotting.looks` keeps labels apart.
"""

from __future__ import annotations

import re
import zlib

#: Labels with a colour of their own (Okabe and Ito's palette, told apart with any kind of colour vision).
NAMED = {
    "Scheme I": "#0072B2",
    "Scheme II": "#D55E00",
    "transformed Scheme II": "#009E73",
    "original": "#CC79A7",
    "normalised uniform": "#8C6D1F",
    "full participation": "#444444",
    "bound": "#222222",
    "exact expectation": "#D55E00",
    "simulation": "#0072B2",
    "exact limit": "#777777",
    "PT": "#D55E00",
    "Parallel Training": "#D55E00",
    "1-w GT": "#0072B2",
    "1-way GT": "#0072B2",
    "2-w GT": "#009E73",
    "2-way GT": "#009E73",
    "FL only": "#CC79A7",
    "oracle": "#444444",
    "baseline": "#444444",
}
OTHERS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#8C6D1F", "#56B4E9", "#444444", "#B22222")
#: What else a figure has when these are all taken.
SPARE = ("#7A3B9A", "#E69F00", "#1B7F8C", "#9ACD32", "#A0522D", "#999999")
#: Colours of common numbers of local steps, ``"E=5"``.
LOCAL_STEPS = {
    1: "#444444",
    2: "#B22222",
    5: "#0072B2",
    10: "#009E73",
    20: "#D55E00",
    50: "#CC79A7",
    100: "#8C6D1F",
    200: "#56B4E9",
    400: "#7A3B9A",
    500: "#E69F00",
}
#: Shades from dark violet to orange for a share of active clients, ``"K/N=0.3"``; interpolated linearly.
SHADES = ((68, 1, 84), (59, 82, 139), (33, 145, 140), (94, 175, 80), (222, 150, 20))


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
