"""From what is missing to tasks: configurations that differ in numbers only go into one batch, within a bound on its work.

How configurations are put together changes no bit of any result, so that a plan may differ from one call to the next.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from fltheory.sweep.grid import Cell
from fltheory.sweep.seeds import stretches

#: Client-steps of a batch, some seconds of work: what a crash can cost, and how often the progress is told.
BATCH_WORK = 5e6
#: Numbers that a batch records at most.
BATCH_NUMBERS = 4e6
#: Calls of a function in a task, which ends after some seconds and hands back those that it has not come to.
CALLS = 256


@dataclass(frozen=True, eq=False)
class Batch:
    """Configurations that are computed in one call: these cells with the runs ``first .. first + count - 1`` of each."""

    cells: tuple[Cell, ...]
    first: int
    count: int

    @property
    def size(self) -> int:
        """Number of configurations, seeds included."""
        return len(self.cells) * self.count


Wanted = Mapping[str, Sequence[int]]


def plan(cells: Sequence[Cell], wanted: Wanted, *, jobs: int = 1, most: int | None = None) -> list[Batch]:
    """Batches that cover the runs ``wanted[cell.key]`` of the cells, each once.

    ``most`` bounds the configurations of a batch; by default their work does.  With several jobs batches are made small enough
    for each of them to have four.
    """
    groups: dict[tuple[str, int, int], list[Cell]] = {}
    for cell in cells:
        for first, count in stretches(wanted.get(cell.key, ())):
            groups.setdefault((cell.group, first, count), []).append(cell)
    total = sum(len(group) * count for (_, _, count), group in groups.items())
    share = max(1, total // (4 * jobs)) if jobs > 1 else total
    found: list[Batch] = []
    for (_, first, count), group in groups.items():
        limit = min(_limit(group[0]), share) if most is None else most
        found += _cut(group, first, count, max(1, limit))
    return found


def _limit(cell: Cell) -> int:
    if cell.call is not None:
        return CALLS
    rounds, every = cell.settings["rounds"], cell.settings["record_every"]
    numbers = 3 * (rounds // every + 2) + getattr(cell.problem, "dimension", 1)
    return int(max(1, min(BATCH_WORK / (cell.work * rounds), BATCH_NUMBERS / numbers)))


def _cut(group: list[Cell], first: int, count: int, limit: int) -> list[Batch]:
    if count > limit:  # fewer runs of one cell
        pieces = -(-count // limit)
        cuts = [first + count * piece // pieces for piece in range(pieces + 1)]
        return [Batch((cell,), a, b - a) for cell in group for a, b in zip(cuts, cuts[1:], strict=False)]
    width = max(1, limit // count)
    return [Batch(tuple(group[a : a + width]), first, count) for a in range(0, len(group), width)]


def shard_of(cells: Sequence[Cell], seeds: Sequence[int], number: int, shards: int) -> dict[str, list[int]]:
    """The runs of each cell that shard ``number`` of ``1 .. shards`` computes: about equal work in all, and each run in one.

    What can share a batch stays together, and it depends on the sweep alone, not on what has been done.
    """
    order = sorted(cells, key=lambda cell: (cell.group, cell.key))
    work = [max(1, round(cell.work)) for cell in order]
    total = sum(work) * len(seeds)
    low, high = total * (number - 1), total * number  # in units of 1/shards
    found, before = {}, 0
    for cell, each in zip(order, work, strict=True):
        mine = [seed for place, seed in enumerate(seeds) if low <= (before + place * each) * shards < high]
        before += each * len(seeds)
        if mine:
            found[cell.key] = mine
    return found
