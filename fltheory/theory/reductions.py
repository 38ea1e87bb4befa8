"""Jensen's inequality for any number of points, as steps that are checked."""

from __future__ import annotations

import sympy as sp

from fltheory.theory.proofs import Open
from fltheory.theory.steps import Step, identity, inequality


def convexity(name: str = "convexity") -> list[Step]:
    """Jensen's inequality for a convex function and nonnegative weights w_1, w_2, ... with w_1 > 0; one point is its mean.

    With W the sum of the weights so far, ``mean`` = W f(weighted mean) and ``sums`` = the sum of w_i f(x_i): the next mean
    lies between the last one and the new point, where the two-point inequality gives
    (W + w) f(new mean) <= W f(mean) + w f(x).
    """
    mean, sums, following, value, w, W = sp.symbols("mean_ sums_ following_ value_ w_ W_")
    ranges = ((W, Open(0), None), (w, 0, None))
    two_points = W / (W + w) * mean / W + w / (W + w) * value - following
    return [
        identity(f"{name}: the weights of the two points sum to one", W / (W + w) + w / (W + w), 1),
        inequality(
            f"{name}: one more point",
            (W + w) * following,
            sums + w * value,
            premises={"before": (sp.Integer(1), sums - mean), "two points": (W + w, two_points)},
            ranges=ranges,
        ),
    ]
