"""A worst case as two rationals that the verifier says, for rows that claim one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from fltheory.worstcase import verifier
from fltheory.worstcase.answer import WorstCase
from fltheory.worstcase.decimals import downward, upward


@dataclass(frozen=True)
class Enclosed:
    """A worst case between two rationals; the factors of the bounded quantities; the certificate of both sides."""

    lower: Fraction
    upper: Fraction
    bound: Mapping[str, Fraction]
    certificate: Mapping[str, Any]

    def __str__(self) -> str:
        return f"at least {downward(self.lower)}, at most {upward(self.upper)}"


def enclosed(answer: WorstCase) -> Enclosed:
    """Both sides as the verifier reads them from the certificate, at the quantities of the answer.

    Raises
    ------
    RuntimeError : a side that was not certified, or an instance of other quantities.
    """
    if answer.certificate is None or answer.upper is None or answer.lower is None:
        raise RuntimeError(f"{answer!r}: expected certificates of both sides")
    proved = verifier.verify(answer.certificate)
    quantities, lower = proved["lower"]
    if dict(quantities) != dict(answer.quantities):
        raise RuntimeError(f"the certified instance has {dict(quantities)}, expected {dict(answer.quantities)}")
    upper = sum((factor * answer.quantities[name] for name, factor in proved["upper"].items()), Fraction(0))
    return Enclosed(lower, upper, proved["upper"], answer.certificate)
