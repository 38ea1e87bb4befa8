"""Verdicts that an author expects of a claim of one's own: a bound that is known to be wrong says so, and is no problem then.

    @expecting("wrong as printed")
    @inequality_claim("MY-WRONG", ..., controls=[Control("as corrected", dict(rate="1"), must="pass")])
    def wrong(rate): ...

A run compares: what comes out as expected is told and counts as right, anything else is a problem.  What a row of the package owes
where its print is refuted (a row with the repaired statement, the kind of fault) is not asked of it; that a control shows the same
check pass is.  A row that has all that of its own accord is expected to be refuted as well.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from fltheory.evidence.model import Claim, Outcome, Verdict

#: How problems begin that ask for what only rows of the package have.
_OF_THE_PACKAGE = ("refuted as printed, but no repair", "refuted as printed, but fault")


@dataclass(frozen=True)
class ExpectedClaim(Claim):
    """A claim with the verdict that its author expects, a word of :class:`~fltheory.evidence.model.Verdict`."""

    expects: str = ""


def expecting(verdict: str | Verdict) -> Callable[[Claim], ExpectedClaim]:
    """What says which verdict a claim is to have; it stands above the decorator of the claim.

    Raises
    ------
    ValueError : a word that is no verdict, or below the decorator that makes a claim.
    """
    words = [one.value for one in Verdict]
    word = verdict.value if isinstance(verdict, Verdict) else verdict
    if word not in words:
        raise ValueError(f"expecting({verdict!r}): no verdict; expected one of {', '.join(words)}")

    def decorate(claim: Claim) -> ExpectedClaim:
        if type(claim) is not Claim:
            raise ValueError(f"expecting({word!r}) stands above the decorator that makes the claim, not below it")
        fields = {field.name: getattr(claim, field.name) for field in dataclasses.fields(Claim)}
        return ExpectedClaim(**fields, expects=word)

    return decorate


def against_expectation(row: Mapping[str, Any], claim: Claim | None) -> dict[str, Any]:
    """A finished row of an own claim beside what its author expects of it: its problems, and ``expects`` where that was said."""
    expects = claim.expects if isinstance(claim, ExpectedClaim) else ""
    refuted = row["outcome"] == Outcome.REFUTED.value
    # A row that names its repair or its fault is asked for all that a row of the package owes.
    told = bool(expects) or not (row["repair"] or row.get("fault"))
    problems = [text for text in row["problems"] if not (refuted and told and text.startswith(_OF_THE_PACKAGE))]
    if expects and expects != row["verdict"]:
        problems.append(f"verdict {row['verdict']!r}; its author expects {expects!r}")
    elif refuted and told and not expects:
        where = f": {row['counterexample']}" if row.get("counterexample") else ""
        problems.append(f"refuted{where}; if that is expected, say @expecting({row['verdict']!r})")
    return {**row, "problems": problems, **({"expects": expects} if expects else {})}
