"""Tables 1 to 12 of the FedLAMA paper as they are printed, an entry a line.

A line is ``table | learning rate | base interval | factor | active share | Dirichlet coefficient | accuracy | spread | cost``:
shares and costs in percent, ``-`` where the table has no such column (all clients take part, or the split is not by
Dirichlet).  A cell that spans rows stands in each of them.  Tables 1 to 5 print costs; the others do not.
"""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cache

#: Table -> data set and how it is split.
DATA = {
    1: "CIFAR-10, IID",
    2: "CIFAR-100, IID",
    3: "FEMNIST",
    4: "CIFAR-10, Dirichlet",
    5: "CIFAR-100, Dirichlet",
    6: "CIFAR-10, IID",
    7: "CIFAR-10, Dirichlet",
    8: "CIFAR-10, Dirichlet",
    9: "CIFAR-100, IID",
    10: "CIFAR-100, Dirichlet",
    11: "CIFAR-100, Dirichlet",
    12: "FEMNIST",
}

_PRINTED = """
1 | 0.8 | 6 | 1 | - | - | 88.37 | 0.02 | 100
1 | 0.8 | 12 | 1 | - | - | 84.74 | 0.05 | 50
1 | 0.4 | 6 | 2 | - | - | 88.41 | 0.01 | 62.33
1 | 0.6 | 24 | 1 | - | - | 80.34 | 0.3 | 25
1 | 0.6 | 6 | 4 | - | - | 86.21 | 0.1 | 42.17
2 | 0.6 | 6 | 1 | - | - | 76.50 | 0.02 | 100
2 | 0.6 | 12 | 1 | - | - | 66.97 | 0.9 | 50
2 | 0.5 | 6 | 2 | - | - | 76.02 | 0.01 | 66.01
2 | 0.6 | 24 | 1 | - | - | 45.01 | 1.1 | 25
2 | 0.5 | 6 | 4 | - | - | 76.17 | 0.02 | 39.91
3 | 0.04 | 10 | 1 | 25 | - | 86.04 | 0.01 | 100
3 | 0.04 | 20 | 1 | 25 | - | 85.38 | 0.02 | 50
3 | 0.04 | 10 | 2 | 25 | - | 86.01 | 0.01 | 52.83
3 | 0.04 | 40 | 1 | 25 | - | 83.97 | 0.02 | 25
3 | 0.04 | 10 | 4 | 25 | - | 85.61 | 0.02 | 29.97
3 | 0.04 | 10 | 1 | 50 | - | 86.59 | 0.01 | 100
3 | 0.04 | 20 | 1 | 50 | - | 85.50 | 0.02 | 50
3 | 0.04 | 10 | 2 | 50 | - | 86.07 | 0.02 | 53.32
3 | 0.04 | 40 | 1 | 50 | - | 83.92 | 0.02 | 25
3 | 0.04 | 10 | 4 | 50 | - | 85.77 | 0.02 | 29.98
3 | 0.04 | 10 | 1 | 100 | - | 85.74 | 0.03 | 100
3 | 0.04 | 20 | 1 | 100 | - | 85.08 | 0.01 | 50
3 | 0.04 | 10 | 2 | 100 | - | 85.40 | 0.02 | 51.86
3 | 0.04 | 40 | 1 | 100 | - | 83.62 | 0.02 | 25
3 | 0.04 | 10 | 4 | 100 | - | 84.67 | 0.02 | 29.98
4 | 0.4 | 6 | 1 | 25 | 0.1 | 88.61 | 0.1 | 100
4 | 0.4 | 24 | 1 | 25 | 0.1 | 76.64 | 0.1 | 25
4 | 0.4 | 6 | 4 | 25 | 0.1 | 86.07 | 0.1 | 39.52
4 | 0.8 | 6 | 1 | 25 | 1.0 | 89.05 | 0.2 | 100
4 | 0.8 | 24 | 1 | 25 | 1.0 | 79.61 | 0.5 | 25
4 | 0.8 | 6 | 4 | 25 | 1.0 | 88.55 | 0.1 | 42.40
4 | 0.8 | 6 | 1 | 100 | 0.1 | 89.19 | 0.1 | 100
4 | 0.8 | 24 | 1 | 100 | 0.1 | 83.31 | 0.1 | 25
4 | 0.8 | 6 | 4 | 100 | 0.1 | 87.72 | 0.1 | 42.49
4 | 0.8 | 6 | 1 | 100 | 1.0 | 90.47 | 0.1 | 100
4 | 0.8 | 24 | 1 | 100 | 1.0 | 84.56 | 0.1 | 25
4 | 0.8 | 6 | 4 | 100 | 1.0 | 86.86 | 0.1 | 42.73
5 | 0.4 | 6 | 1 | 25 | 0.1 | 79.15 | 0.02 | 100
5 | 0.4 | 12 | 1 | 25 | 0.1 | 76.16 | 0.05 | 50
5 | 0.4 | 6 | 2 | 25 | 0.1 | 77.84 | 0.03 | 63.14
5 | 0.4 | 6 | 1 | 25 | 0.5 | 78.81 | 0.1 | 100
5 | 0.4 | 12 | 1 | 25 | 0.5 | 76.11 | 0.05 | 50
5 | 0.4 | 6 | 2 | 25 | 0.5 | 77.78 | 0.04 | 63.20
5 | 0.4 | 6 | 1 | 100 | 0.1 | 79.77 | 0.04 | 100
5 | 0.4 | 12 | 1 | 100 | 0.1 | 77.71 | 0.08 | 50
5 | 0.4 | 6 | 2 | 100 | 0.1 | 79.07 | 0.1 | 60.48
5 | 0.4 | 6 | 1 | 100 | 0.5 | 80.19 | 0.05 | 100
5 | 0.4 | 12 | 1 | 100 | 0.5 | 77.40 | 0.06 | 50
5 | 0.4 | 6 | 2 | 100 | 0.5 | 78.88 | 0.05 | 61.73
6 | 0.8 | 6 | 1 | - | - | 88.37 | 0.1 | -
6 | 0.5 | 6 | 2 | - | - | 88.41 | 0.04 | -
6 | 0.5 | 6 | 4 | - | - | 86.33 | 0.2 | -
6 | 0.5 | 6 | 8 | - | - | 85.08 | 0.04 | -
7 | 0.8 | 6 | 1 | 100 | 1.0 | 90.47 | 0.1 | -
7 | 0.8 | 6 | 2 | 100 | 1.0 | 89.52 | 0.1 | -
7 | 0.8 | 6 | 4 | 100 | 1.0 | 86.86 | 0.1 | -
7 | 0.8 | 6 | 1 | 100 | 0.5 | 90.53 | 0.2 | -
7 | 0.8 | 6 | 2 | 100 | 0.5 | 89.21 | 0.2 | -
7 | 0.8 | 6 | 4 | 100 | 0.5 | 86.68 | 0.1 | -
7 | 0.8 | 6 | 1 | 100 | 0.1 | 89.19 | 0.1 | -
7 | 0.8 | 6 | 2 | 100 | 0.1 | 89.53 | 0.1 | -
7 | 0.8 | 6 | 4 | 100 | 0.1 | 87.72 | 0.1 | -
7 | 0.8 | 6 | 1 | 50 | 1.0 | 90.34 | 0.1 | -
7 | 0.8 | 6 | 2 | 50 | 1.0 | 89.56 | 0.1 | -
7 | 0.8 | 6 | 4 | 50 | 1.0 | 87.48 | 0.2 | -
7 | 0.8 | 6 | 1 | 50 | 0.5 | 89.86 | 0.1 | -
7 | 0.8 | 6 | 2 | 50 | 0.5 | 88.44 | 0.2 | -
7 | 0.8 | 6 | 4 | 50 | 0.5 | 87.29 | 0.2 | -
7 | 0.8 | 6 | 1 | 50 | 0.1 | 87.83 | 0.2 | -
7 | 0.8 | 6 | 2 | 50 | 0.1 | 87.40 | 0.2 | -
7 | 0.8 | 6 | 4 | 50 | 0.1 | 85.92 | 0.2 | -
7 | 0.6 | 6 | 1 | 25 | 1.0 | 89.05 | 0.1 | -
7 | 0.6 | 6 | 2 | 25 | 1.0 | 89.13 | 0.2 | -
7 | 0.6 | 6 | 4 | 25 | 1.0 | 88.55 | 0.1 | -
7 | 0.6 | 6 | 1 | 25 | 0.5 | 87.59 | 0.1 | -
7 | 0.6 | 6 | 2 | 25 | 0.5 | 87.12 | 0.1 | -
7 | 0.6 | 6 | 4 | 25 | 0.5 | 86.57 | 0.02 | -
7 | 0.3 | 6 | 1 | 25 | 0.1 | 88.61 | 0.1 | -
7 | 0.3 | 6 | 2 | 25 | 0.1 | 86.60 | 0.1 | -
7 | 0.3 | 6 | 4 | 25 | 0.1 | 86.07 | 0.1 | -
8 | 0.8 | 6 | 1 | 100 | 0.1 | 89.52 | 0.1 | -
8 | 0.8 | 12 | 1 | 100 | 0.1 | 87.29 | 0.1 | -
8 | 0.8 | 24 | 1 | 100 | 0.1 | 84.82 | 0.1 | -
8 | 0.3 | 6 | 1 | 25 | 0.1 | 84.02 | 0.1 | -
8 | 0.3 | 12 | 1 | 25 | 0.1 | 82.48 | 0.2 | -
8 | 0.3 | 24 | 1 | 25 | 0.1 | 76.72 | 0.1 | -
9 | 0.6 | 6 | 1 | - | - | 76.50 | 0.02 | -
9 | 0.6 | 6 | 2 | - | - | 75.99 | 0.03 | -
9 | 0.6 | 6 | 4 | - | - | 76.17 | 0.2 | -
9 | 0.6 | 6 | 8 | - | - | 76.15 | 0.2 | -
10 | 0.4 | 6 | 1 | 100 | 1.0 | 80.34 | 0.01 | -
10 | 0.4 | 6 | 2 | 100 | 1.0 | 78.92 | 0.01 | -
10 | 0.4 | 6 | 4 | 100 | 1.0 | 77.16 | 0.05 | -
10 | 0.4 | 6 | 1 | 100 | 0.5 | 80.19 | 0.02 | -
10 | 0.4 | 6 | 2 | 100 | 0.5 | 78.88 | 0.1 | -
10 | 0.4 | 6 | 4 | 100 | 0.5 | 78.03 | 0.08 | -
10 | 0.2 | 6 | 1 | 100 | 0.1 | 79.78 | 0.02 | -
10 | 0.2 | 6 | 2 | 100 | 0.1 | 79.07 | 0.02 | -
10 | 0.2 | 6 | 4 | 100 | 0.1 | 79.32 | 0.01 | -
10 | 0.4 | 6 | 1 | 50 | 1.0 | 79.94 | 0.1 | -
10 | 0.4 | 6 | 2 | 50 | 1.0 | 78.98 | 0.01 | -
10 | 0.4 | 6 | 4 | 50 | 1.0 | 77.50 | 0.02 | -
10 | 0.4 | 6 | 1 | 50 | 0.5 | 79.95 | 0.05 | -
10 | 0.4 | 6 | 2 | 50 | 0.5 | 78.37 | 0.05 | -
10 | 0.4 | 6 | 4 | 50 | 0.5 | 76.93 | 0.1 | -
10 | 0.2 | 6 | 1 | 50 | 0.1 | 79.62 | 0.06 | -
10 | 0.2 | 6 | 2 | 50 | 0.1 | 78.76 | 0.02 | -
10 | 0.2 | 6 | 4 | 50 | 0.1 | 77.44 | 0.02 | -
10 | 0.4 | 6 | 1 | 25 | 1.0 | 78.78 | 0.02 | -
10 | 0.4 | 6 | 2 | 25 | 1.0 | 78.10 | 0.02 | -
10 | 0.2 | 6 | 4 | 25 | 1.0 | 76.84 | 0.03 | -
10 | 0.4 | 6 | 1 | 25 | 0.5 | 78.81 | 0.01 | -
10 | 0.4 | 6 | 2 | 25 | 0.5 | 77.86 | 0.04 | -
10 | 0.4 | 6 | 4 | 25 | 0.5 | 77.01 | 0.1 | -
10 | 0.4 | 6 | 1 | 25 | 0.1 | 79.06 | 0.03 | -
10 | 0.4 | 6 | 2 | 25 | 0.1 | 78.63 | 0.02 | -
10 | 0.2 | 6 | 4 | 25 | 0.1 | 77.17 | 0.01 | -
11 | 0.4 | 6 | 1 | 100 | 0.1 | 79.78 | 0.02 | -
11 | 0.4 | 12 | 1 | 100 | 0.1 | 77.71 | 0.1 | -
11 | 0.4 | 24 | 1 | 100 | 0.1 | 69.63 | 0.1 | -
11 | 0.4 | 6 | 1 | 25 | 0.1 | 79.06 | 0.03 | -
11 | 0.4 | 12 | 1 | 25 | 0.1 | 76.16 | 0.05 | -
11 | 0.4 | 24 | 1 | 25 | 0.1 | 67.43 | 0.1 | -
12 | 0.04 | 12 | 1 | 100 | - | 85.74 | 0.21 | -
12 | 0.04 | 12 | 2 | 100 | - | 85.40 | 0.13 | -
12 | 0.04 | 12 | 4 | 100 | - | 84.67 | 0.1 | -
12 | 0.04 | 12 | 8 | 100 | - | 84.15 | 0.18 | -
12 | 0.04 | 12 | 1 | 50 | - | 86.59 | 0.2 | -
12 | 0.04 | 12 | 2 | 50 | - | 86.07 | 0.1 | -
12 | 0.04 | 12 | 4 | 50 | - | 85.77 | 0.15 | -
12 | 0.04 | 12 | 8 | 50 | - | 85.31 | 0.03 | -
12 | 0.04 | 12 | 1 | 25 | - | 86.04 | 0.2 | -
12 | 0.04 | 12 | 2 | 25 | - | 86.01 | 0.1 | -
12 | 0.04 | 12 | 4 | 25 | - | 85.62 | 0.08 | -
12 | 0.04 | 12 | 8 | 25 | - | 85.23 | 0.1 | -
"""


@dataclass(frozen=True)
class TableLine:
    """A line of a table: one training run's settings, its accuracy and its cost, in percent; ``None`` where no column is."""

    table: int
    rate: Fraction
    base: int
    factor: int
    share: Fraction
    coefficient: Fraction | None
    accuracy: Fraction
    spread: Fraction
    cost: Fraction | None

    @property
    def setting(self) -> tuple[object, ...]:
        """What was run, the learning rate left aside: data, share of active clients, coefficient, base interval and factor."""
        return (DATA[self.table], self.share, self.coefficient, self.base, self.factor)

    @property
    def group(self) -> tuple[object, ...]:
        """What was run, learning rate and intervals left aside."""
        return self.setting[:3]

    def __str__(self) -> str:
        where = "" if self.coefficient is None else f", coefficient {float(self.coefficient)}"
        return (
            f"Table {self.table} ({self.share} % active{where}, interval {self.base}, factor {self.factor}, "
            f"rate {float(self.rate)}): {float(self.accuracy)} +- {float(self.spread)}"
        )


def _entry(line: str) -> TableLine:
    table, rate, base, factor, share, coefficient, accuracy, spread, cost = (cell.strip() for cell in line.split("|"))
    return TableLine(
        int(table),
        Fraction(rate),
        int(base),
        int(factor),
        Fraction("100" if share == "-" else share),
        None if coefficient == "-" else Fraction(coefficient),
        Fraction(accuracy),
        Fraction(spread),
        None if cost == "-" else Fraction(cost),
    )


@cache
def entries(*tables: int) -> tuple[TableLine, ...]:
    """The entries of these tables, of all where none is named."""
    every = tuple(_entry(line) for line in _PRINTED.strip().splitlines())
    return tuple(entry for entry in every if not tables or entry.table in tables)


def shared(
    tables: tuple[int, ...], others: tuple[int, ...], setting: Callable[[TableLine], object]
) -> list[tuple[TableLine, TableLine]]:
    """The pairs of entries, one of ``tables`` and one of ``others``, that have the same setting."""
    found = {}
    for entry in entries(*others):
        found.setdefault(setting(entry), []).append(entry)
    return [(entry, other) for entry in entries(*tables) for other in found.get(setting(entry), [])]
