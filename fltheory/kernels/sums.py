"""Sums over a large population kept beside its vectors: the words that renew them, and their first values.

In the flat array of :mod:`fltheory.kernels.program` the levels of :mod:`fltheory.readings.tree_sums` lie behind the vectors of a
run's clients, one after another; the last vector is the sum of all.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from fltheory.kinds import Array
from fltheory.readings.recorder import EVERYONE, Name, RoundText, Word
from fltheory.readings.tree_sums import in_levels, kept_sums, level_sums

#: The kind of a leaf with sums, beside those of the server, of the slots and of everyone.
SUMMED = 3


def with_sums(words: list[Word], text: RoundText, clients: int) -> tuple[list[Word], set[Name]]:
    """With sums renewed wherever state is written whose mean is asked for, and the leaves that have sums."""
    if not in_levels(clients):
        return words, set()
    origin = {name: name for name in text.inputs}
    for word in words:
        if word.verb == "keep":
            origin[word.result] = origin[word.operands[1]]
    summed = {origin[word.operands[0]] for word in words if word.verb == "mean"}
    fresh = 1 + max(name.number for word in words for name in (word.result, *word.operands))
    renewed: dict[Name, Name] = {}
    found: list[Word] = []
    for word in words:
        found.append(word._replace(operands=tuple(renewed.get(name, name) for name in word.operands)))
        if word.verb == "keep" and origin[word.result] in summed:
            renewed[word.result] = Name(fresh, EVERYONE)
            fresh += 1
            found.append(Word("renew", renewed[word.result], (word.result,)))
    return found, summed


def write_sums(program: Any, slab: Array, shape: Any, weights: Array) -> None:
    """The sums of the leaves that have them, from the vectors that lie there."""
    for leaf in np.flatnonzero(program.kinds == SUMMED):
        base, vectors = int(program.places[program.state[leaf], 0]), shape.clients + kept_sums(shape.clients)
        part = slab[base : base + shape.runs * vectors * shape.size].reshape(shape.runs, vectors, shape.size)
        for own in part:  # one run at a time: the products take as much room as the vectors
            begin = shape.clients
            for level in level_sums(weights, own[None, :begin]):
                own[begin : begin + level.shape[1]] = level[0]
                begin += level.shape[1]
