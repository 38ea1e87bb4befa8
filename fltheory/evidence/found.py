"""What one execution of a check returns: the rung, what was found, by which method, and how tight a constant is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from numbers import Integral
from typing import TYPE_CHECKING, Any

from fltheory.evidence.terms import Outcome, Rung

if TYPE_CHECKING:
    from fltheory.theory.steps import Step


def require_kind(name: str, value: object, kinds: Any, expected: str) -> None:
    """Raise ``ValueError`` unless ``value`` is of the kinds named: what a script of claims says is data of anybody's."""
    if not isinstance(value, kinds):
        raise ValueError(f"{name}={value!r} is not valid; expected {expected}")


@dataclass(frozen=True)
class Tightness:
    """``ratio`` = printed constant / sharpest constant known (at least 1), and how the latter is known."""

    ratio: float
    rung: Rung
    sharp: str = ""

    def __post_init__(self) -> None:
        if not self.ratio >= 1 - 1e-9:
            raise ValueError(f"tightness ratio={self.ratio} is below 1: the printed constant would be false")


@dataclass(frozen=True)
class Evidence:
    """What one execution of a check returns.

    Parameters
    ----------
    rung, outcome : how it was checked and what was found.
    method : one or two sentences a referee can follow; a general proof names its reduction.
    examined : number of things examined (identities expanded, instances, subsets ...); must be positive.
    margin : signed distance from the border between true and false, positive when it holds and negative when
        refuted, relative where that makes sense; ``None`` where there is no number.
    numbers : named results (exact numbers as strings, floats as floats).
    counterexample : for a refutation, an instance that a reader can check by hand.
    valid_for : the parameters for which a proof or worst case speaks.
    tightness : the ratio printed / sharp where known.
    would_settle : for NOT_CHECKABLE and for rows below their admissible rung, what would settle the claim.
    certificate : JSON-able data from which the result can be re-verified.  A user's own claim on the rungs ``PROOF`` and
        ``WORST_CASE`` needs one of a kind that :mod:`fltheory.evidence.certificates` verifies, else it is ``asserted``.
    seeds : seeds used, for samples and reruns.
    steps : named steps of a proof; a row on the rung ``PROOF`` keeps what they confirmed where it has no certificate, and says
        ``steps``, or ``asserted``: see :mod:`fltheory.evidence.kept_steps`.
    prose : what joins the certificate to the statement, where that is words: the row says ``steps``, with these words.
    """

    rung: Rung
    outcome: Outcome
    method: str
    examined: int
    margin: float | None = None
    numbers: Mapping[str, object] = field(default_factory=dict)
    counterexample: str = ""
    valid_for: str = ""
    tightness: Tightness | None = None
    would_settle: str = ""
    certificate: Mapping[str, object] | None = None
    seeds: tuple[int, ...] = ()
    steps: tuple[Step, ...] = ()
    prose: str = ""

    def __post_init__(self) -> None:
        require_kind("rung", self.rung, Rung, "one of Rung, such as Rung.EXACT")
        require_kind("outcome", self.outcome, Outcome, "one of Outcome, such as Outcome.HOLDS")
        for name in ("method", "counterexample", "valid_for", "would_settle", "prose"):
            require_kind(name, getattr(self, name), str, "a text")
        if isinstance(self.examined, bool) or not isinstance(self.examined, Integral):
            raise ValueError(f"examined={self.examined!r} is no count; expected an integer >= 1")
        if self.examined < 1:
            raise ValueError(f"examined={self.examined}: a check that examined nothing is no evidence")
        if not self.method.strip():
            raise ValueError("method is empty: evidence must say what was done")
        if self.outcome is Outcome.REFUTED and not self.counterexample.strip():
            raise ValueError("outcome=refuted needs a counterexample that a reader can check")
        if self.outcome is Outcome.NOT_CHECKABLE and not self.would_settle.strip():
            raise ValueError("outcome=not checkable here needs would_settle")
        if self.margin is not None and not hasattr(self.margin, "__float__"):
            raise ValueError(f"margin={self.margin!r} is no number; expected one, or None")
        if self.margin is not None and self.margin != self.margin:
            raise ValueError("margin is NaN")
        for name in ("numbers", "certificate"):
            if getattr(self, name) is not None:
                require_kind(name, getattr(self, name), Mapping, "a mapping")
        require_kind("tightness", self.tightness, (Tightness, type(None)), "a Tightness, or None")
