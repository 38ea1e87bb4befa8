"""Colours as others see them: in grey, and with one kind of cone missing.

A colour is a text ``"#rrggbb"``.  Missing cones are simulated by the matrices of Machado, Oliveira and Fernandes, *A
physiologically-based model for simulation of color vision deficiency* (IEEE TVCG 15(6), 2009), at full severity, in linear
RGB.  Distances are Euclidean in CIELAB (CIE 1976), white point D65; some 2.3 is what a careful eye just notices.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.float64]

#: Rows give red, green and blue of what is seen, columns those of what is shown.
MISSING = {
    "protanopia": ((0.152286, 1.052583, -0.204868), (0.114503, 0.786281, 0.099216), (-0.003882, -0.048116, 1.051998)),
    "deuteranopia": ((0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413), (-0.011820, 0.042940, 0.968881)),
    "tritanopia": ((1.255528, -0.076749, -0.178779), (-0.078411, 0.930809, 0.147602), (0.004733, 0.691367, 0.303900)),
}
#: All ways of seeing that figures are checked for.
WAYS = ("all cones", "grey", *MISSING)
#: From linear sRGB to CIE XYZ; the middle row is luminance.
_XYZ = np.array(
    ((0.4123908, 0.3575843, 0.1804808), (0.2126390, 0.7151687, 0.0721923), (0.0193308, 0.1191948, 0.9505322))
)


def linear(color: str) -> Numbers:
    """Linear red, green and blue in [0, 1].

    Raises
    ------
    ValueError : not of the form ``#rrggbb``.
    """
    if len(color) != 7 or color[0] != "#":
        raise ValueError(f"color={color!r}; expected the form '#rrggbb'")
    shown = np.array([int(color[k : k + 2], 16) / 255 for k in (1, 3, 5)])
    return np.where(shown <= 0.04045, shown / 12.92, ((shown + 0.055) / 1.055) ** 2.4)


def seen(color: str, way: str) -> Numbers:
    """Linear RGB of ``color`` as it is seen in one of :data:`WAYS`.

    Raises
    ------
    ValueError : another way.
    """
    light = linear(color)
    if way == "all cones":
        return light
    if way == "grey":
        return np.full(3, _XYZ[1] @ light)
    if way in MISSING:
        return np.clip(np.array(MISSING[way]) @ light, 0.0, 1.0)
    raise ValueError(f"way={way!r}; expected one of {', '.join(WAYS)}")


def lab(light: Numbers) -> Numbers:
    """CIELAB of linear RGB."""
    ratio = (_XYZ @ light) / _XYZ.sum(axis=1)
    root = np.where(ratio > (6 / 29) ** 3, np.cbrt(ratio), ratio / (3 * (6 / 29) ** 2) + 4 / 29)
    return np.array((116 * root[1] - 16, 500 * (root[0] - root[1]), 200 * (root[1] - root[2])))


def distance(one: str, other: str, way: str = "all cones") -> float:
    """How far two colours are apart in CIELAB, seen in one of :data:`WAYS`."""
    return float(np.linalg.norm(lab(seen(one, way)) - lab(seen(other, way))))


def least_distance(one: str, other: str) -> float:
    """The smallest of the distances over :data:`WAYS`."""
    return min(distance(one, other, way) for way in WAYS)
