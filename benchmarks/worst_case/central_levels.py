"""The level formulation with finitely many outcomes per draw, which the engine leaves out: between trees and engine.

In a tree of uniform branching the increments of b sibling outcomes point to the corners of a regular simplex: histories that
part before a draw meet in that draw's blocks as well, with the factor ``-1/(b-1)``.  The engine is the limit of many outcomes.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from benchmarks.worst_case.noise_trees import both, triangle
from fltheory.worstcase.model import Model
from fltheory.worstcase.multipliers import pair_keys
from fltheory.worstcase.sdp import ConicProgram
from fltheory.worstcase.space import draw_of


def level_problem(model: Model, outcomes: Sequence[int] | None) -> ConicProgram:
    """The model as arrays, with ``outcomes[t]`` outcomes of draw t; ``None``: the engine's own."""
    problem = ConicProgram(model)
    classes = {group.name: tuple(map(float, group.functions.exact)) for group in model.groups}
    queries = {group.name: {query.register: query for query in group.queries} for group in model.groups}
    for row, (name, i, j, draw) in enumerate(pair_keys(model)):
        if draw is None or outcomes is None:
            continue
        (mu, smooth), left, right = classes[name], queries[name][j], queries[name][i]
        for block, size in model.space.sizes.items():
            if draw_of(block) == draw:
                x, g, y, h = (
                    np.array([float(vector.get((block, k), 0)) for k in range(size)])
                    for vector in (right.point, right.gradient, left.point, left.gradient)
                )
                product = triangle(both(h - mu * y, x - (g - mu * x) / (smooth - mu)))
                begin = problem.offsets[block]
                problem.pair_rows[row, begin : begin + len(product)] -= product / (outcomes[draw] - 1)
    return problem
