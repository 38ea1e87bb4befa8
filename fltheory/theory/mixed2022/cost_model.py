"""Appendix C.3 of Augenstein et al. (2022): communication and computation of the recommendation task, with units.

Every count is for one client and one round unless its name says otherwise.  The printed orders are taken with constant one,
as the document's own numbers do.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product

from fltheory.problems.base import check_count

SCALES = {"": 1, "k": 10**3, "M": 10**6, "G": 10**9}
#: Vectors that a client receives and sends per round; the baseline is FedAvg on the whole loss.
VECTORS = {"baseline": 2, "PT": 2, "1-w GT": 3, "2-w GT": 3}


@dataclass(frozen=True)
class Quantity:
    """A number with its unit: "flop", "B" (bytes) or "1"."""

    value: Fraction
    unit: str

    def to(self, prefix: str, *, kilo: int = 1000) -> Fraction:
        """The number in a larger unit; ``kilo`` is the factor of the prefix "k" (1024 for binary kilobytes)."""
        return self.value / (kilo if prefix == "k" else SCALES[prefix])

    def __add__(self, other: Quantity) -> Quantity:
        if self.unit != other.unit:
            raise ValueError(f"units {self.unit!r} and {other.unit!r} do not add")
        return Quantity(self.value + other.value, self.unit)

    def saving(self, reduced: Quantity) -> Fraction:
        """``1 - reduced/self``."""
        if self.unit != reduced.unit:
            raise ValueError(f"units {self.unit!r} and {reduced.unit!r} do not compare")
        return 1 - reduced.value / self.value


@dataclass(frozen=True)
class Recommendation:
    """The dual encoder of the recommendation task.

    ================== ======= ===================================================================
    argument           symbol  meaning
    ================== ======= ===================================================================
    ``vocabulary``     N       rows of the embedding table
    ``width``          d       embedding dimension
    ``batch``          B_i     examples per client step
    ``steps``          K       client steps per round
    ``items``          n       rows that a client's own examples need
    ``tables``                 embedding tables that are sent (1: features and labels share one)
    ``number_bytes``           bytes per number
    ``kilobyte``               bytes per KB, 1000 or 1024
    ``gradient_rows``          cost of the regulariser's gradient in multiples of N d
    ================== ======= ===================================================================

    Raises
    ------
    ValueError : a count below one.
    """

    vocabulary: int
    width: int
    batch: int = 16
    steps: int = 10
    items: int = 160
    tables: int = 1
    number_bytes: int = 4
    kilobyte: int = 1024
    gradient_rows: int = 1

    def __post_init__(self) -> None:
        for name in self.__dataclass_fields__:
            check_count(name, getattr(self, name))

    def network_step(self) -> Quantity:
        """Forward, hinge loss and backward of one client step: ``B d + 3 B d^2 + 3 B^2 d + 2 B``."""
        b, d = self.batch, self.width
        forward, backward, hinge = b * d + b * d**2 + b**2 * d, 2 * b * d**2 + 2 * b**2 * d, 2 * b
        return Quantity(Fraction(forward + backward + hinge), "flop")

    def regulariser(self) -> Quantity:
        """One value of the spreadout term, ``N^2 d/2``."""
        return Quantity(Fraction(self.vocabulary**2 * self.width, 2), "flop")

    def regulariser_gradient(self) -> Quantity:
        """Its gradient, ``N d`` as printed."""
        return Quantity(Fraction(self.gradient_rows * self.vocabulary * self.width), "flop")

    def baseline_step(self) -> Quantity:
        """One client step with the regulariser on the client."""
        return self.network_step() + self.regulariser() + self.regulariser_gradient()

    def communication(self, algorithm: str) -> Quantity:
        """Down and up: :data:`VECTORS` of the whole table for the baseline, of the client's rows for the others."""
        rows = self.vocabulary * self.tables if algorithm == "baseline" else self.items
        return Quantity(Fraction(VECTORS[algorithm] * rows * self.width * self.number_bytes), "B")

    def kilobytes(self, algorithm: str) -> Fraction:
        """:meth:`communication` in KB."""
        return self.communication(algorithm).to("k", kilo=self.kilobyte)


def rounds_to(value: Fraction, printed: str) -> bool:
    """Whether a number rounded to the printed decimals (half up) is the printed one."""
    places = len(printed.partition(".")[2])
    return int(value * 10**places + Fraction(1, 2)) == int(Fraction(printed) * 10**places)


def assumptions(
    model: Recommendation,
    *,
    vocabulary: range,
    width: range,
    number_bytes: tuple[int, ...] = (1, 2, 4, 8),
    kilobyte: tuple[int, ...] = (1000, 1024),
) -> Iterator[Recommendation]:
    """The model under every combination of the assumptions that the document leaves open."""
    for n, d, size, kilo in product(vocabulary, width, number_bytes, kilobyte):
        yield replace(model, vocabulary=n, width=d, number_bytes=size, kilobyte=kilo)
