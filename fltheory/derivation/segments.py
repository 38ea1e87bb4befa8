"""Quadratic bounds of a smooth function from Lipschitz gradients, along the segment from x to y.

The mean over t of <grad f(x + t (y - x)), y - x> is f(y) - f(x), by the fundamental theorem of calculus: that is a hypothesis of
the derivation, told with the row, and so is that t has the mean 1/2.  An axis ``j`` is the segment.
"""

from __future__ import annotations

from fltheory.derivation.packs import suppose
from fltheory.derivation.script import Derivation


def along_a_segment(d: Derivation, x: str, y: str, *, gradient: str, values: str, L: str, axes: str = "") -> None:
    """The facts ``segment`` and ``at each point``, of which :data:`UPPER` and :data:`LOWER` make the quadratic bounds.

    ``gradient`` and ``values`` (at x and y) of f, and the ``axes`` on which they depend beside j.
    """
    at_x, at_y = values.split()
    d.parameter("share", 0, 1, low_open=True, varies="j")
    half = ["j", f"({y} - {x})/2", "the mean of t over [0, 1] is 1/2"]
    d.vector("moved", f"j {axes}", equals=f"share*({y} - {x})", mean=[half])
    d.vector("g_t", f"j {axes}")
    suppose(d, "derivative along a segment", f_y=at_y, f_x=at_x, slope="g_t", y=y, x=x)
    suppose(d, "Lipschitz gradients along a segment", L=L, moved="moved", later="g_t", first=gradient)
    d.assume("segment", "derivative along a segment")
    d.assume("Lipschitz", "Lipschitz gradients along a segment")
    for name, sign in (("above", "-"), ("below", "+")):
        target = f"{L}*dot(moved, {y} - {x}) {sign} dot(g_t - {gradient}, {y} - {x})"
        squares = [[f"1/(2*{L}*share)", f"(g_t - {gradient}) {sign} {L}*moved"]]
        d.combine(name, target, facts={"Lipschitz": f"1/(2*{L}*share)"}, squares=squares, unfold="moved")


#: Facts with their factors: f(x) + <grad f(x), y - x> + L/2 |y - x|^2 - f(y), and f(y) less the same with - L/2.
UPPER, LOWER = {"above": "1", "segment": "-1"}, {"below": "1", "segment": "1"}
