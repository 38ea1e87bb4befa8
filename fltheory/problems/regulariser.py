"""The l2 regulariser in its two conventions, which differ by a factor two and are never mixed up here."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from fltheory.problems.checks import Array, Number, check_choice, check_nonnegative, is_real, shown
from fltheory.problems.numbers import set_numbers

CONVENTIONS = ("lambda|w|^2", "lambda/2|w|^2")


@dataclass(frozen=True)
class Regulariser:
    """``lambda |w|^2`` or ``(lambda/2) |w|^2``; the convention has no default.

    ``strength`` is the printed ``lambda >= 0``, ``convention`` one of ``CONVENTIONS``.

    Raises
    ------
    ValueError : ``strength`` that is negative or no finite number; another convention.
    """

    strength: Number
    convention: str

    def __post_init__(self) -> None:
        set_numbers(self, "strength")
        check_nonnegative("strength", self.strength)
        check_choice("convention", self.convention, CONVENTIONS)

    @property
    def modulus(self) -> Number:
        """Modulus of strong convexity (and smoothness): ``2 lambda`` or ``lambda``."""
        return 2 * self.strength if self.convention == "lambda|w|^2" else self.strength

    def value(self, w: Array) -> Any:
        """The regulariser at ``w``, ``(..., d) -> (...)``."""
        return self.modulus * (w * w).sum(axis=-1) / 2

    def gradient(self, w: Array) -> Array:
        """``modulus * w``."""
        return np.asarray(self.modulus * w)


def as_regulariser(regulariser: Regulariser | int) -> Regulariser:
    """The regulariser; the bare number 0 means none, and any other bare number is refused as ambiguous."""
    if isinstance(regulariser, Regulariser):
        return regulariser
    if is_real(regulariser) and regulariser == 0:
        return Regulariser(0, CONVENTIONS[0])
    raise ValueError(
        f"regulariser={shown(regulariser)} does not name its convention; expected Regulariser(strength, convention) "
        f"with convention one of {', '.join(map(repr, CONVENTIONS))}"
    )
