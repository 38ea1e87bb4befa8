"""The words of the ledger: rungs, outcomes, verdicts, and scopes and kinds of claims."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum


class Rung(Enum):
    """Strength of evidence, strongest first.

    A script claims ``PROOF``; whether its row says so, ``STEPS`` or ``ASSERTED`` follows from what is kept of it
    (:mod:`fltheory.evidence.kept_steps`).
    """

    PROOF = "proof"
    STEPS = "steps"
    WORST_CASE = "worst case"
    EXACT = "exact"
    ASSERTED = "asserted"
    SEARCH = "search"
    SAMPLE = "sample"
    RERUN = "rerun"
    READING = "reading"

    @property
    def strength(self) -> int:
        """Position in the order of the enum; a larger number is stronger."""
        order = list(Rung)
        return len(order) - order.index(self)


class Outcome(Enum):
    """What one execution of a check found."""

    HOLDS = "holds"
    REFUTED = "refuted"
    NOT_REFUTED = "not refuted"
    NOT_REPRODUCED = "not reproduced"
    NOT_CHECKABLE = "not checkable here"


class Verdict(Enum):
    """The words of the ledger."""

    HOLDS = "holds"
    LOOSE = "holds, loose"
    LOOSE_SEARCHED = "holds, up to x loose (searched)"
    UNPRINTED = "holds, hypothesis not printed"
    ANALOGUE = "reproduced on an analogue"
    NOT_REFUTED = "not refuted"
    WRONG = "wrong as printed"
    AMBIGUOUS = "ambiguous"
    NOT_REPRODUCED = "not reproduced"
    NOT_CHECKABLE = "not checkable here"
    OPEN = "open"


class Fault(Enum):
    """Kinds of fault of a print, gravest first; ``docs/verdicts.md`` has the rule for each."""

    SUBSTANCE = "substance"
    HYPOTHESIS = "missing hypothesis"
    SLIP = "slip"
    READING = "reading"
    TRANSCRIPTION = "transcription"


class Scope(Enum):
    """What a statement quantifies over; decides which rung earns the word ``holds``."""

    GENERAL = "general"
    INSTANCE = "instance"
    TEXT = "text"
    EXPERIMENT = "experiment"


class Kind(Enum):
    """Kinds of claim; the table of lowest admissible rungs is :data:`LOWEST_RUNG`."""

    IDENTITY = "identity"
    ALGEBRA = "algebra"
    PROBABILITY = "probability fact"
    INEQUALITY = "inequality on a function class"
    EXPECTATION = "expectation bound"
    ASYMPTOTIC = "asymptotic rate"
    LOWER_BOUND = "lower bound"
    QUALITATIVE = "qualitative"
    DEFINITION = "definition"
    TABLE = "table"
    EXPERIMENT = "experiment"


#: The lowest rung on which a claim of this kind may be called settled.  A row below it says why.
LOWEST_RUNG: Mapping[Kind, Rung] = {
    Kind.IDENTITY: Rung.STEPS,
    Kind.ALGEBRA: Rung.STEPS,
    Kind.PROBABILITY: Rung.STEPS,
    Kind.INEQUALITY: Rung.WORST_CASE,
    Kind.EXPECTATION: Rung.WORST_CASE,
    Kind.ASYMPTOTIC: Rung.STEPS,
    Kind.LOWER_BOUND: Rung.STEPS,
    Kind.QUALITATIVE: Rung.EXACT,
    Kind.DEFINITION: Rung.READING,
    Kind.TABLE: Rung.READING,
    Kind.EXPERIMENT: Rung.RERUN,
}
