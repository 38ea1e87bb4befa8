"""What the verbs of the readings warn of, and the words for what floats cannot tell."""

from __future__ import annotations

#: What ``RoundMap.resolved`` being False means.
UNRESOLVED = "the rounds contract, or expand, some directions by less than floats resolve (1e-13 per round)"
#: What it means that it is None.
UNDECIDED = "the state is too large to tell whether directions that floats take for conserved contract by less than 1e-13 per round"
#: How moments end that rounding left no digit of.
ROUNDED_AWAY = "unresolved"


class MeanSquareWarning(UserWarning):
    """The mean of the rounds converges and their mean square does not: runs need not come near the mean's limit."""


class PrecisionWarning(UserWarning):
    """Rounding may have taken more than half of the digits of an answer in floats."""
