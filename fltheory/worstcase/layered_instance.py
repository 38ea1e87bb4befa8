"""A worst case of a method that treats two blocks of coordinates differently, as clients whose coordinates have these blocks.

The Gram reading knows parts of vectors and no coordinates (:mod:`fltheory.readings.gram_parts`).  Here coordinates are chosen: an
orthonormal basis of the span of all clients' parts in the first block, completed to one of the whole space.  On the problem that is
made so every reading runs the method's own text, ``fed.layers`` and ``fed.scale`` included.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fltheory.kinds import Floats
from fltheory.problems.blocks import with_blocks
from fltheory.problems.interpolated import InterpolatedFunction, InterpolatedProblem
from fltheory.worstcase.answer import WorstCase
from fltheory.worstcase.instance_pieces import pieces, solved


@dataclass(frozen=True, eq=False)
class LayeredInstance:
    """Clients with two blocks, the minimiser of their mean in the origin; where to start; the value promised of the measure."""

    problem: InterpolatedProblem
    start: Floats
    value: float


def layered_instance(case: WorstCase, *, share: float = 0.0, n_clients: int = 2) -> LayeredInstance:
    """Clients that attain the lower certificate of a worst case with two blocks.

    ``share``: directions of the Gram blocks below this share of the largest eigenvalue are left out.

    Raises
    ------
    ValueError : no lower certificate; a model without parts of vectors, or a start from more than one vector; parts that are not
        orthogonal within 1e-6, as those of three blocks are.
    """
    if case.lower is None:
        raise ValueError(f"status={case.status!r}: no instance was certified, expected a lower bound")
    model, data = case.model, solved(case)[0]
    found = pieces(model, data, share=share, n_clients=n_clients)
    directions = [a for place, a in found.given.items() if model.instructions[place][2] == 0]
    points = [a for place, a in found.given.items() if model.instructions[place][2] == 1]
    if not directions or len(points) != 1:
        raise ValueError(
            f"{len(directions)} parts and {len(points)} given points; expected parts of vectors and one start"
        )
    functions = found.functions["clients"]
    dimension = functions[0].dimension
    parts = np.concatenate([np.atleast_2d(array) for array in directions])
    axes, sizes, _ = np.linalg.svd(parts.T, full_matrices=True)
    rank = int((sizes > 1e-9 * sizes[0]).sum())
    if not 0 < rank < dimension:
        raise ValueError(f"the first block has {rank} of {dimension} coordinates; expected some, and not all")
    turned = tuple(InterpolatedFunction(f.points @ axes, f.gradients @ axes, f.values, f.mu, f.L) for f in functions)
    problem = InterpolatedProblem(turned, minimiser=np.zeros(dimension))
    layered = with_blocks(problem, {"first": rank, "second": dimension - rank})
    return LayeredInstance(layered, points[0] @ axes, data.promised)
