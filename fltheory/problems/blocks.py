"""Blocks of coordinates: the layers of a model, by name and size, in every family of problems."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeVar, cast

import numpy as np

from fltheory.kinds import Array, Integers, Number, Truths
from fltheory.problems.checks import check_count, shown
from fltheory.problems.showing import ShownProblem

Kind = TypeVar("Kind")


@dataclass(frozen=True)
class Blocks:
    """Names and sizes of the blocks into which the ``d`` coordinates of a model fall.

    ========== ==================== ====================================================================
    argument   shape                meaning
    ========== ==================== ====================================================================
    ``names``  ``(L,)`` texts       no name twice
    ``sizes``  ``(L,)``             coordinates of each block, at least one; they sum to ``d``
    ``places`` ``(d,)`` or ``None`` the number of each coordinate's block; ``None``: one block after the other
    ========== ==================== ====================================================================

    Raises
    ------
    ValueError : no block, a name twice, sizes below one, places that do not fit the sizes.
    """

    names: tuple[str, ...]
    sizes: tuple[int, ...]
    places: tuple[int, ...] | None = None

    def __post_init__(self) -> None:
        names = tuple(self.names)
        sizes = tuple(check_count("size of a block", size) for size in self.sizes)
        if not names or len(names) != len(sizes) or len(set(names)) < len(names):
            raise ValueError(
                f"names={shown(names)} with {len(sizes)} sizes; expected at least one block, a size for each, no name twice"
            )
        if not all(isinstance(name, str) for name in names):
            raise ValueError(f"names={shown(names)} are no texts; expected names of blocks, such as 'first'")
        object.__setattr__(self, "names", names)
        object.__setattr__(self, "sizes", sizes)
        if self.places is not None:
            places = tuple(int(place) for place in self.places)
            if [places.count(place) for place in range(len(sizes))] != list(sizes) or len(places) != sum(sizes):
                raise ValueError(f"places={shown(places)} do not fit the sizes {sizes}: expected as many of each block")
            object.__setattr__(self, "places", places)

    @classmethod
    def one(cls, dimension: int) -> Blocks:
        """A single block of all coordinates."""
        return cls(("model",), (dimension,))

    @classmethod
    def of(cls, sizes: Blocks | Mapping[str, int] | Sequence[int]) -> Blocks:
        """From sizes by name, or from sizes alone (names "layer 1", "layer 2", ...)."""
        if isinstance(sizes, Blocks):
            return sizes
        if isinstance(sizes, Mapping):
            return cls(tuple(sizes), tuple(sizes.values()))
        if isinstance(sizes, (str, bytes)) or not isinstance(sizes, Iterable):
            raise ValueError(
                f"sizes={shown(sizes)} are no sizes of blocks; expected such as {{'first': 3, 'second': 2}}"
            )
        listed = tuple(sizes)
        return cls(tuple(f"layer {place + 1}" for place in range(len(listed))), listed)

    def __len__(self) -> int:
        return len(self.sizes)

    @property
    def dimension(self) -> int:
        """``d``."""
        return sum(self.sizes)

    @cached_property
    def block_of(self) -> Integers:
        """The number of each coordinate's block, ``(d,)``."""
        if self.places is not None:
            return np.array(self.places, dtype=np.int64)
        return np.repeat(np.arange(len(self)), self.sizes)

    @property
    def offsets(self) -> tuple[int, ...]:
        """Where each block begins.

        Raises
        ------
        ValueError : blocks whose coordinates are not one after the other.
        """
        if self.places is not None:
            raise ValueError("the coordinates of these blocks do not lie one after the other; expected indices(block)")
        return tuple(int(end) - size for end, size in zip(np.cumsum(self.sizes), self.sizes, strict=True))

    def number(self, block: str | int) -> int:
        """The number of a block from its name or number.

        Raises
        ------
        ValueError : a block that is not there.
        """
        if isinstance(block, str) and block in self.names:
            return self.names.index(block)
        if isinstance(block, (int, np.integer)) and not isinstance(block, bool) and 0 <= block < len(self):
            return int(block)
        raise ValueError(f"block {shown(block)} is unknown; expected one of {shown(self.names)} or 0..{len(self) - 1}")

    def indices(self, block: str | int) -> Integers:
        """The coordinates of a block, in order."""
        return np.flatnonzero(self.block_of == self.number(block))

    def chosen(self, due: Any) -> tuple[bool, ...]:
        """Which blocks are meant, ``(L,)``: from names and numbers, or from a truth value for each block.

        Raises
        ------
        ValueError : a block that is not there; another count of truth values.
        """
        if isinstance(due, str) or not isinstance(due, Iterable):
            raise ValueError(
                f"due={shown(due)} is no choice of blocks; expected names, numbers, or a truth value for each"
            )
        listed = list(due)
        if listed and all(isinstance(one, (bool, np.bool_)) for one in listed):
            if len(listed) != len(self):
                raise ValueError(f"due has {len(listed)} truth values; expected one for each of {len(self)} blocks")
            return tuple(bool(one) for one in listed)
        wanted = {self.number(one) for one in listed}
        return tuple(place in wanted for place in range(len(self)))

    def coordinates(self, due: Any) -> Truths:
        """Which coordinates belong to the blocks that are meant, ``(d,)``."""
        return np.asarray(np.array(self.chosen(due))[self.block_of])

    def spread(self, numbers: Sequence[Number]) -> list[Number]:
        """One number per coordinate: as given, or from one per block.

        Raises
        ------
        ValueError : neither ``d`` nor ``L`` numbers.
        """
        listed = list(numbers)
        if len(listed) == self.dimension:
            return listed
        if len(listed) == len(self):
            return [listed[place] for place in self.block_of.tolist()]
        raise ValueError(
            f"scale got {len(listed)} numbers; expected one per coordinate, d={self.dimension}, or one per block, L={len(self)}"
        )

    def sums(self, values: Array) -> Array:
        """Sums over each block's coordinates, ``(..., d) -> (..., L)``."""
        return np.stack([values[..., self.block_of == place].sum(axis=-1) for place in range(len(self))], axis=-1)


class Layered(ShownProblem):
    """What every family of problems has: ``blocks``, one of all coordinates unless the family or the user names others."""

    @cached_property
    def blocks(self) -> Blocks:
        """Names and sizes of the layers."""
        return Blocks.one(int(cast(Any, self).dimension))


def blocks_of(problem: object) -> Blocks:
    """The blocks of a problem; of one that names none a single block.

    Raises
    ------
    ValueError : blocks that do not sum to the dimension.
    """
    dimension = int(cast(Any, problem).dimension)
    found = getattr(problem, "blocks", None)
    if not isinstance(found, Blocks):
        return Blocks.one(dimension)
    return _fitting(found, dimension)


def with_blocks(problem: Kind, blocks: Blocks | Mapping[str, int] | Sequence[int]) -> Kind:
    """The same problem with layers of these names and sizes, such as ``{"first": 3, "second": 2}``.

    Raises
    ------
    ValueError : sizes that do not sum to the dimension.
    """
    found = _fitting(Blocks.of(blocks), int(cast(Any, problem).dimension))
    renamed = copy.copy(problem)
    renamed.__dict__["blocks"] = found
    return renamed


def keep_blocks(source: object, made: Kind) -> Kind:
    """``made``, a problem made of ``source`` with the same coordinates, with the layers of ``source``."""
    found = getattr(source, "blocks", None)
    if isinstance(found, Blocks) and made is not source and hasattr(made, "__dict__"):
        made.__dict__["blocks"] = found
    return made


def _fitting(blocks: Blocks, dimension: int) -> Blocks:
    if blocks.dimension != dimension:
        raise ValueError(f"blocks have sizes {blocks.sizes}, {blocks.dimension} in all; expected d={dimension}")
    return blocks
