"""What a derivation speaks of, declared by a text: ``declare(d, "axes xi t; L > 0; 0 < eta <= 1/L; w over t; F at w")``.

Pieces are separated by ``;`` and read in order, each as the line of the kernel that it stands for:

- ``axes k xi t``: axes by their names, as in :data:`AXES`; another one says its kind, ``i:steps``;
- ``mu, L > 0``, ``0 <= r <= R over t, first 0, next r + 1``: parameters with their range, the axes along which they vary, and
  along a time the first and the next value;
- ``function F over k``, ``value a over k t``;
- ``F at w, star``: a function at vectors, which gives the values ``f_w`` and gradients ``g_w``, or ``H at w as h_w, gh_w``;
  ``F at star, mean 0 over k`` for the minimiser of an average, ``F at star = 0*star`` where the gradient is known;
- ``x, y over k t``: vectors; with an equation ``y1 over xi = y - eta*n``, with a mean ``n over xi, mean 0 over xi``;
- ``next y = y1``: the vector or value one time later; ``let b = 2*mu*y``: a short name.

What is supposed of them and taken as a fact at once is :func:`granted`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from fltheory.derivation.packs import MINIMISER, UNBIASED, suppose
from fltheory.derivation.script import Derivation

#: What the names of axes mean.
AXES: Mapping[str, str] = {
    "k": "clients",
    "xi": "noise",
    "xc": "noise",
    "j": "steps",
    "S": "cohort",
    "t": "time",
    "past": "past",
}
_NAMES = r"(?P<names>[A-Za-z_]\w*(?:, (?!mean )[A-Za-z_]\w*)*)"
_OVER = r"(?: over(?P<axes>(?: +\w+)*) *)?"
_MEAN = r"(?:, mean (?P<mean>.+?) over (?P<along>\w+))?(?: = (?P<equals>.+))?"
_POINT = re.compile(rf"(?P<of>\w+) at {_NAMES}(?: as (?P<value>\w+), (?P<gradient>\w+))?{_MEAN}")
_VECTOR = re.compile(rf"{_NAMES}{_OVER}{_MEAN}")
_PLAIN = re.compile(rf"(?P<kind>function|value) {_NAMES}{_OVER}")
_EQUATION = re.compile(r"(?P<kind>next|let) (?P<name>\w+) = (?P<equals>.+)")
_VARIES = _OVER + r"(?:, first (?P<first>[^,]+))?(?:, next (?P<next>.+))?"
_ABOVE = re.compile(rf"{_NAMES} (?P<sign>>=?) (?P<low>.+?){_VARIES}")
_BETWEEN = re.compile(rf"(?P<low>[^<>]+?) (?P<sign><=?) {_NAMES} (?P<upper><=?) (?P<high>[^<>]+?){_VARIES}")


def declare(d: Derivation, text: str) -> None:
    """Write the lines that a text declares.

    Raises
    ------
    ValueError : a piece that declares nothing, or an axis of no known kind.
    fltheory.derivation.replay.Underivable : a line that the kernel refuses.
    """
    for piece in filter(None, (one.strip() for one in text.split(";"))):
        if piece.startswith("axes "):
            for axis in piece.split()[1:]:
                name, _, kind = axis.partition(":")
                if not kind and name not in AXES:
                    raise ValueError(f"axis {name!r} is none of {', '.join(AXES)}: say its kind, '{name}:steps'")
                d.axis(name, kind or AXES[name])
        elif found := _EQUATION.fullmatch(piece):
            (d.next if found["kind"] == "next" else d.let)(found["name"], found["equals"])
        elif found := _PLAIN.fullmatch(piece):
            for name in found["names"].split(", "):
                (d.function if found["kind"] == "function" else d.value)(name, **_axes(found))
        elif found := _POINT.fullmatch(piece):
            for name in found["names"].split(", "):
                d.point(name, found["of"], **_called(found), **_known(found, MINIMISER))
        elif found := _BETWEEN.fullmatch(piece) or _ABOVE.fullmatch(piece):
            for name in found["names"].split(", "):
                d.parameter(name, **_range(found))
        elif found := _VECTOR.fullmatch(piece):
            for name in found["names"].split(", "):
                d.vector(name, **_axes(found), **_known(found, UNBIASED))
        else:
            raise ValueError(f"{piece!r} declares nothing; expected such as 'x over k xi', 'L > 0', 'F at w, star'")


def granted(d: Derivation, hypothesis: str, at: str = "", *, fact: str = "", form: str = "", **named: Any) -> None:
    """Declare a hypothesis and take it as a fact, ``granted(d, "smooth", "w star", of="F", L="L", fact="descent")``.

    Parameters
    ----------
    hypothesis : a pack's, told apart by ``name`` where it is used twice; or with ``form`` one of the derivation's own.
    at : points of its function.
    fact : what the fact is called, by default like the hypothesis.
    named : as in :func:`fltheory.derivation.packs.suppose`, or the axes and the relation of a form.
    """
    if form:
        d.hypothesis(hypothesis, form, **named)
    else:
        suppose(d, hypothesis, **named)
    name = named.get("name") or hypothesis
    d.assume(fact or name, name, *([at.split()] if at else []))


def _axes(found: re.Match[str]) -> dict[str, Sequence[str]]:
    """The axes that are named, none of them where it says ``over nothing``."""
    return {"axes": _listed(found["axes"])} if found["axes"] is not None else {}


def _listed(axes: str) -> list[str]:
    return [axis for axis in axes.split() if axis != "nothing"]


def _called(found: re.Match[str]) -> dict[str, str]:
    return {"value": found["value"], "gradient": found["gradient"]} if found["value"] else {}


def _known(found: re.Match[str], why: str) -> dict[str, Any]:
    """What a vector or a gradient is equal to, or its mean over an axis."""
    mean = {"mean": [[found["along"], found["mean"], why]]} if found["mean"] else {}
    return {**mean, **({"equals": found["equals"]} if found["equals"] else {})}


def _range(found: re.Match[str]) -> dict[str, Any]:
    """The ends of a range, and how the number varies."""
    fields = found.groupdict()
    ends = {end: _number(fields[end]) for end in ("low", "high") if fields.get(end)}
    strict = {"low_open": fields["sign"] in ("<", ">"), "high_open": fields.get("upper") == "<"}
    varies = {"varies": _listed(fields["axes"])} if fields["axes"] is not None else {}
    along = {key: fields[key] for key in ("next", "first") if fields[key]}
    return ends | {end: True for end, is_open in strict.items() if is_open} | varies | along


def _number(text: str) -> int | str:
    return int(text) if re.fullmatch(r"-?\d+", text) else text
