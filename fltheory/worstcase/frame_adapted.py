"""A second frame, in units taken from an answer: for programs whose first frame is far from what their worst case is.

A :class:`~fltheory.worstcase.frame.Frame` bounds lengths along the program before anything is solved.  Where steps may expand
and something else keeps them short (bounded gradients of nonconvex losses), these bounds are powers of two too large, and the
value is a millionth of its unit: what the solver leaves open is more than the value.  The solver's first answer is too
coarse for a certificate there, but it tells how long each vector is.  So every new basis vector is divided by a power of two
near its length in that answer (the root of its diagonal Gram entry), every function value and the measure by one near theirs.

The answer is only where the powers of two come from.  The change of coordinates is exact whatever they are, so that what is
certified in the new ones is certified.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from typing import TypeVar

from fltheory.worstcase.frame import Both, Frame, Node, power_of_two
from fltheory.worstcase.frame_vectors import block_of
from fltheory.worstcase.normalised import Normalised
from fltheory.worstcase.sdp import Array
from fltheory.worstcase.space import Coordinates

Key = TypeVar("Key")

#: Squared lengths and values below this share of the largest are the solver's noise: their unit is that of the share.
NOISE = 1e-9


class Rescaled(Frame):
    """A frame with other units: its basis vector ``key`` is ``lengths[key]`` new ones, its value ``r`` is ``values[r]`` new ones.

    Keys are (block, place) and registers; what is not named keeps its unit.
    """

    def __init__(
        self, frame: Frame, lengths: Mapping[tuple[str, int], Fraction], values: Mapping[int, Fraction]
    ) -> None:
        self.__dict__.update(frame.__dict__)
        self._lengths, self._phis = lengths, {}
        self._values: dict[int, Both] = {}
        self.images = {
            (block, basis): {place: factor * self._length_of((block, place)) for place, factor in image.items()}
            for (block, basis), image in frame.images.items()
        }
        self.nodes = {
            name: {register: self._node(node, values.get(register, Fraction(1))) for register, node in nodes.items()}
            for name, nodes in frame.nodes.items()
        }
        self._named = {r: (name, node) for name, nodes in self.nodes.items() for r, node in nodes.items()}
        self._infima = {r: unit * values.get(r, Fraction(1)) for r, unit in frame._infima.items()}

    def _length_of(self, key: tuple[str, int]) -> Fraction:
        return self._lengths.get((block_of(key[0]), key[1]), Fraction(1))

    def _node(self, node: Node, unit: Fraction) -> Node:
        def again(vector: Coordinates) -> Coordinates:
            return {key: entry * self._length_of(key) for key, entry in vector.items()}

        return replace(node, point=again(node.point), rho=again(node.rho), unit=node.unit * unit)


def adapted(problem: Normalised, quantities: Mapping[str, Fraction], point: Array) -> Normalised:
    """The same program in a frame where ``point`` has unit diagonals, unit function values and a unit measure, nearly.

    ``point`` is a finite one of ``problem``; where it has nothing but noise, see ``NOISE``.
    """
    blocks = problem.matrices(point)
    squares = {
        (name, int(k)): float(blocks[name][k, k]) for name, kept in problem.kept.items() if name in blocks for k in kept
    }
    heights = {register: abs(float(point[place])) for register, place in problem.value_place.items()}
    lengths = {key: power_of_two(square) for key, square in _above_noise(squares).items()}
    values = {register: power_of_two(height**2) for register, height in _above_noise(heights).items()}
    frame = Rescaled(problem.frame, lengths, values)
    found = Normalised(problem.model, quantities, frame.zero, frame=frame)
    reached = Fraction(abs(float(problem.measure @ point))) * problem.measure_factor / found.measure_factor
    if reached:
        found.divide_measure(power_of_two(reached**2))
    return found.restricted(set(problem.dropped))


def _above_noise(sizes: Mapping[Key, float]) -> dict[Key, Fraction]:
    """What is too small raised to a share of the largest."""
    least = NOISE * max(sizes.values(), default=0.0)
    return {key: Fraction(max(size, least)) if least > 0 else Fraction(1) for key, size in sizes.items()}
