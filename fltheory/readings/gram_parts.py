"""Blocks of coordinates in the Gram reading: a vector as the sum of its parts, one orthogonal space per block.

Which coordinates belong to which block does not matter to a class of functions that rotations leave alone: only that there
are orthogonal projections ``P_1 + ... + P_L = 1``.  For given vectors ``r`` with parts ``r = sum_l r_l`` there are such projections
with ``P_l r = r_l`` if and only if parts of different blocks are orthogonal, those of two clients too: take for ``P_l`` (l < L)
the projection onto the span of all parts of block l.  Inner products of two clients' vectors are those of their means plus a
multiple of those of their deviations; so the means must be orthogonal, and the averages over the clients.

Parts are therefore vectors that are given, and the orthogonality is an assumption of the worst case.  The sizes of the blocks
are free: a bound holds for all of them, blocks of no coordinates included.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import combinations_with_replacement
from typing import Any

from fltheory.readings.gram_recorder import Recorder, Terms

#: Made by the server: all clients have the same.
_COMMON = ("average", "mean", "centre", "centre prox", "optimum")


class Parts:
    """The parts of registers, ``count`` of each; ``split[r]`` are those of register ``r`` as combinations."""

    def __init__(self, recorder: Recorder) -> None:
        self.recorder = recorder
        self.count: int | None = None
        self.split: dict[int, tuple[Terms, ...]] = {}
        self._block: dict[int, int] = {}

    def expect(self, count: int) -> None:
        """Raise ``ValueError`` unless the model has so many blocks, as far as it is known."""
        if self.count not in (None, count):
            raise ValueError(
                f"{count} blocks are named where there were {self.count}; expected one value for each block"
            )
        self.count = count

    def common(self, register: int) -> bool:
        """Whether a register is the same for all clients."""
        item = self.recorder.instructions[register]
        if item[0] == "combine":
            return all(self.common(place) for _, place in item[1])
        return item[0] in _COMMON or item[:2] == ("given", "server") or item[2:] == ("server",)

    def of(self, register: int) -> tuple[Terms, ...]:
        """The parts of a register, block by block."""
        assert self.count is not None
        if register in self._block:
            own = self._block[register]
            return tuple({register: Fraction(1)} if place == own else {} for place in range(self.count))
        if register not in self.split:
            who = "server" if self.common(register) else "clients"
            given = [self.recorder.put(("given", who, 0)) for _ in range(self.count - 1)]
            self._block |= {place: block for block, place in enumerate(given)}
            last: dict[int, Fraction] = {register: Fraction(1)} | {place: Fraction(-1) for place in given}
            self.split[register] = (*({place: Fraction(1)} for place in given), last)
        return self.split[register]

    def scaled(self, payload: Terms, factors: Sequence[Any]) -> dict[int, Any]:
        """Every block times its number, of a combination; a register with equal numbers is not split."""
        total: dict[int, Any] = {}
        for register, share in payload.items():
            for part, factor in zip(self.of(register), factors, strict=True):
                for place, entry in part.items():
                    total[place] = total.get(place, Fraction(0)) + share * factor * entry
        return {place: entry for place, entry in total.items() if entry != 0}

    def given(self) -> tuple[tuple[int, tuple[int, ...]], ...]:
        """The registers that are split, each with the given ones of all its blocks but the last."""
        return tuple((r, tuple(next(iter(part)) for part in listed[:-1])) for r, listed in self.split.items())

    def orthogonal(self) -> Iterator[tuple[Terms, Terms, bool]]:
        """Pairs of parts whose averaged inner product is zero, and whether it is that of their means as well."""
        for first, second in combinations_with_replacement(self.split, 2):
            clients = not self.common(first) and not self.common(second)
            for here, left in enumerate(self.split[first]):
                for there, right in enumerate(self.split[second]):
                    if here < there or (here > there and first != second):
                        yield left, right, clients
