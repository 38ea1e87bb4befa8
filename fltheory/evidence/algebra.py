"""Claims about algebra: one text is the statement, its proof or its counterexample, and its certificate.

    statement_of_algebra(
        "MX-T1-W12.1",
        Relations("2*a + 2*b <= 2*w*(a/w + b/(1 - w)) for 1/2 <= w < 1; a >= 0; b >= 0"),
        false={"w from 1/3 on": ("1/2 <= w", "1/3 <= w")},
        group=algebra_claim, summary=..., source=...,
    )

Each control is the same text with one piece replaced, which must be refuted by an exact instance.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from fltheory.evidence import certificates
from fltheory.evidence.decide import Tried, decide
from fltheory.evidence.model import Claim, Control, Evidence, Tightness
from fltheory.evidence.relations import Relations
from fltheory.evidence.stated import Stated

_METHOD = "Proved as it is written: by signs of rational functions on the ranges, squares and hypotheses with factors."


def by_relations(stated: Relations, *, method: str = _METHOD, **words: Any) -> Evidence:
    """The statement holds if its text proves itself; else the instance that breaks it decides, if one was found.

    ``words`` as in :func:`fltheory.evidence.decide.decide`.
    """
    proved, reason = stated.proof
    witness = None if proved else stated.broken()
    found = Tried(len(stated.claims))
    if witness is not None:
        found = Tried(1, witness.text, witness.margin, certificate=certificates.witness(witness))
    words = {"valid_for": stated.where, **words}
    return decide((proved, reason), found, method=method, certificate=stated.certificate if proved else None, **words)


def statement_of_algebra(
    id: str,
    stated: Relations,
    *,
    false: Mapping[str, tuple[str, str]],
    group: Callable[..., Any],
    says: str = "",
    method: str = _METHOD,
    tightness: Tightness | None = None,
    **words: Any,
) -> Claim:
    """The claim of a statement of algebra.

    Parameters
    ----------
    false : names of controls, each with the piece of the text and what takes its place.
    group : what makes the claim, such as :data:`fltheory.evidence.kinds.algebra_claim`.
    says : LaTeX before the relations.
    words : as in :func:`fltheory.evidence.model.claim`.

    Raises
    ------
    ValueError : a piece that does not occur exactly once.
    """
    controls = [Control(name, dict(text=stated.changed(*change).text)) for name, change in false.items()]
    statement: Stated = (says, stated) if says else stated

    def check(text: str) -> Evidence:
        return by_relations(stated.with_text(text), method=method, tightness=tightness)

    check.__doc__ = f"{stated.text}: proved as it is written, or an instance that breaks it."
    made = group(id, statement=statement, printed=dict(text=stated.text), controls=controls, **words)
    claim: Claim = made(check)
    return claim
