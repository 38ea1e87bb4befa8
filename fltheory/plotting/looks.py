"""Who looks how within one figure: no two labels share a colour while there are colours, and after that a colour and a mark."""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from typing import Any
from weakref import WeakKeyDictionary

from fltheory.plotting.palette import OTHERS, SPARE, color_of

#: Marks of the second, third, ... label of one colour.
MARKS = ("o", "s", "^", "D", "v", "P", "X", "*")


@dataclass(frozen=True)
class Look:
    """A colour, and a mark where the colour alone does not tell a label from another (else "")."""

    color: str
    mark: str = ""


#: The looks that labels have in figures which are still in use.
_LOOKS: WeakKeyDictionary[Any, dict[str, Look]] = WeakKeyDictionary()


def look_of(panel: Any, label: str, *, color: str = "") -> Look:
    """How ``label`` looks in the figure of ``panel``: as before, else in its own colour, else in one that is free.

    Its own colour is ``color`` where that is given (it is kept even if another label has it: curves that belong together),
    otherwise :func:`~fltheory.plotting.palette.color_of` of the label.
    """
    looks = _LOOKS.setdefault(_figure_of(panel), {})
    if color:
        looks.setdefault(label, Look(color))
        return Look(color)
    if label not in looks:
        looks[label] = _free(label, list(looks.values()))
    return looks[label]


def _free(label: str, taken: list[Look]) -> Look:
    own = color_of(label)
    turn = zlib.crc32(label.encode()) % len(OTHERS)
    colours = {look.color for look in taken}
    for color in (own, *OTHERS[turn:], *OTHERS[:turn], *SPARE):
        if color not in colours:
            return Look(color)
    for mark in MARKS:
        for color in (own, *OTHERS[turn:], *OTHERS[:turn], *SPARE):
            if Look(color, mark) not in taken:
                return Look(color, mark)
    raise ValueError(
        f"label={label!r} is one of more than {len(taken)} labels in one figure; they cannot be told apart"
    )


def _figure_of(panel: Any) -> Any:
    figure = panel.figure
    while getattr(figure, "figure", figure) is not figure and figure.figure is not None:
        figure = figure.figure
    return figure
