"""Several classes of clients: functions of unlike curvature, and the share of the weights that each class has."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from fltheory.problems.numbers import decimal_fraction, fraction_of_text
from fltheory.worstcase.classes import FunctionClass

#: More classes than these are refused, by the verifier too.
MOST_CLASSES = 20


@dataclass(frozen=True)
class ClientClasses:
    """Clients of several classes: class c has losses with curvature in ``[mu_c, L_c]`` and the share ``pi_c`` of all weights.

    Within a class there is any number of clients, with any weights that sum to ``pi_c``.  An algorithm that takes one number
    per client (``FedAvg(local_steps=(1, 5), ...)``) takes one number per class here.

    ============= ============== =====================================================================
    argument      symbol         meaning
    ============= ============== =====================================================================
    ``functions`` mu_c, L_c      the class of the losses of each class of clients, in order
    ``shares``    pi_c           weights of the classes: rationals that sum to one; equal ones if left out
    ============= ============== =====================================================================

    A share may be a text such as ``"1/3"``; a float is read as the shortest decimal that denotes it.

    Raises
    ------
    ValueError : fewer than two classes or more than 20, another number of shares than classes, a share that is not positive
        or no rational number, shares whose sum is not one.
    """

    functions: Any
    shares: Any = None

    def __post_init__(self) -> None:
        if not isinstance(self.functions, (list, tuple)):
            raise ValueError(f"functions={self.functions!r} is no list of a FunctionClass for each class of clients")
        object.__setattr__(self, "functions", tuple(self.functions))
        for c, each in enumerate(self.functions, 1):
            if not isinstance(each, FunctionClass):
                raise ValueError(f"class {c}: {each!r} is no FunctionClass; see SmoothStronglyConvex(mu, L)")
        count = len(self.functions)
        if not 2 <= count <= MOST_CLASSES:
            raise ValueError(
                f"{count} classes of clients; expected 2 to {MOST_CLASSES}, a single one is named by its FunctionClass alone"
            )
        object.__setattr__(self, "shares", _shares(self.shares, count))

    @property
    def mu(self) -> Fraction:
        """The smallest curvature of all classes."""
        return min((each.mu for each in self.functions), default=Fraction(0))

    @property
    def L(self) -> Fraction:
        """The largest curvature of all classes."""
        return max((each.L for each in self.functions), default=Fraction(0))

    @property
    def exact(self) -> tuple[Fraction, Fraction]:
        """``(mu, L)``: a range of curvature that holds all classes."""
        return self.mu, self.L

    @property
    def convex(self) -> bool:
        """Whether all functions of all classes are convex."""
        return all(each.convex for each in self.functions)

    @property
    def named(self) -> dict[str, FunctionClass]:
        """The classes by the names that they have in certificates: ``"clients 1"``, ``"clients 2"``, ..."""
        return {group_name(c): each for c, each in enumerate(self.functions, 1)}

    def average(self, numbers: Iterable[Fraction]) -> Fraction:
        """``sum_c pi_c number_c``."""
        return sum((share * entry for share, entry in zip(self.shares, numbers, strict=True)), Fraction(0))


def group_name(c: int) -> str:
    """The name of class ``c`` in certificates; 0 stands for the only class."""
    return f"clients {c}" if c else "clients"


def named_classes(clients: FunctionClass | ClientClasses) -> Mapping[str, FunctionClass]:
    """Classes of clients by the names that they have in certificates."""
    return clients.named if isinstance(clients, ClientClasses) else {group_name(0): clients}


def _shares(given: Any, count: int) -> tuple[Fraction, ...]:
    listed = [Fraction(1, count)] * count if given is None else given
    if not isinstance(listed, (list, tuple)) or len(listed) != count:
        raise ValueError(f"shares={given!r}; expected one share for each of {count} classes")
    found = tuple(_share(c, entry) for c, entry in enumerate(listed, 1))
    for c, share in enumerate(found, 1):
        if share <= 0:
            raise ValueError(f"the share {share} of class {c} is not positive; expected pi_c > 0")
    if sum(found) != 1:
        raise ValueError(
            f"shares {', '.join(map(str, found))} sum to {sum(found)}; expected exact rationals with sum pi_c = 1, such as '1/3'"
        )
    return found


def _share(c: int, entry: object) -> Fraction:
    try:
        if isinstance(entry, bool):
            raise TypeError
        return fraction_of_text(entry) if isinstance(entry, str) else decimal_fraction(entry)
    except (AttributeError, TypeError, ValueError, OverflowError, ZeroDivisionError):
        raise ValueError(f"the share {entry!r} of class {c} is no rational number") from None
