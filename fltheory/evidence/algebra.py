"""Claims whose text is all there is: statement, proof or counterexample, and certificate.

    statement_of_algebra(
        "MX-T1-W12.1",
        Relations("2*a + 2*b <= 2*w*(a/w + b/(1 - w)) for 1/2 <= w < 1; a >= 0; b >= 0"),
        false={"w from 1/3 on": ("1/2 <= w", "1/3 <= w")},
        group=algebra_claim, summary=..., source=...,
    )

the same of :class:`~fltheory.evidence.matrices.Matrices`, and :func:`statement_in_mean` of an
:class:`~fltheory.evidence.in_mean.InMean`.  A control is the same text with one piece replaced,
or the statement without one of its hypotheses, which must be refuted by an exact instance.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from fltheory.evidence import certificates
from fltheory.evidence.decide import Tried, decide
from fltheory.evidence.derive import by_derivation
from fltheory.evidence.in_mean import InMean
from fltheory.evidence.in_mean_instances import broken
from fltheory.evidence.matrices import Matrices
from fltheory.evidence.model import Claim, Control, Evidence, Rung, Tightness
from fltheory.evidence.relations import Relations
from fltheory.evidence.stated import Stated
from fltheory.evidence.witness import Witness

_METHOD = "Proved as it is written: by signs of rational functions on the ranges, squares and hypotheses with factors."
_MATRICES = (
    "Evaluated exactly at matrices that are named, or expanded in matrices that do not commute, as it is written."
)
#: How many instances a derived statement is tried on: at least one must meet its hypotheses, and none may break it.
_TRIED = 40


def by_relations(
    stated: Relations, *, otherwise: Iterable[Witness] = (), method: str = _METHOD, **words: Any
) -> Evidence:
    """The statement holds if its text proves itself; else the instance that breaks it decides, if one was found.

    Parameters
    ----------
    otherwise : instances that are looked at before plain points are searched, where the statement is not proved.
    words : as in :func:`fltheory.evidence.decide.decide`.
    """
    proved, reason = stated.proof
    witness = None
    if not proved:
        witness = next((one for one in otherwise if one.refutes), None) or stated.broken()
    found = Tried(len(stated.claims))
    if witness is not None:
        kept, prose = certificates.witness(witness), words.get("prose", "")
        found = Tried(1, witness.text, witness.margin, certificate=kept, prose=prose)
    words = {"valid_for": stated.where, **words}
    return decide((proved, reason), found, method=method, certificate=stated.certificate if proved else None, **words)


def by_matrices(stated: Matrices, *, setting: str = "", **words: Any) -> Evidence:
    """The statement holds if its text proves itself; else the matrices that break it decide, if they were found.

    Parameters
    ----------
    setting : what the matrices belong to, in words.
    words : as in :func:`fltheory.evidence.decide.decide`.
    """
    proved, reason = stated.proof
    found = Tried(len(stated.claims)) if proved else broken_by(stated, setting)
    words = {"valid_for": stated.where, "method": _MATRICES, **words}
    return decide((proved, reason), found, certificate=stated.certificate if proved else None, **words)


def broken_by(stated: Matrices | Iterable[Matrices], setting: str = "") -> Tried:
    """The first of some statements that is false at its matrices, its opposite kept; or how many there are."""
    every = [stated] if isinstance(stated, Matrices) else list(stated)
    broken = next((found for found in (one.broken() for one in every) if found is not None), None)
    if broken is None:
        return Tried(len(every))
    text, margin = broken.told
    words = ": ".join(filter(None, [setting, text]))
    return Tried(len(every), words, margin, certificate=broken.certificate)


def disproved(opposite: Matrices, words: str) -> Tried:
    """A counterexample for every constant that a claim may mean: its opposite, where that is proved."""
    return Tried(1, words, certificate=opposite.certificate) if opposite.proof[0] else Tried(1)


def by_in_mean(stated: InMean, **words: Any) -> Evidence:
    """The statement holds if it is derived as it is written, else the instance that breaks it decides, if one was found.

    One that is derived is tried on instances as well.

    Raises
    ------
    ValueError : it is derived, and yet an instance breaks it, or none is known that meets its hypotheses.
    """
    derived = stated.derived
    tried, counterexample, margin = broken(stated, _TRIED if derived.certificate else None)
    if derived.certificate and not tried:
        raise ValueError(f"no instance is known that meets the hypotheses of {stated.text!r}: it may be about nothing")
    found = Tried(max(tried, 1), counterexample, margin)
    return by_derivation(derived, found, **{"valid_for": stated.where, **words})


def statement_of_algebra(
    id: str,
    stated: Relations | Matrices,
    *,
    false: Mapping[str, tuple[str, str]],
    group: Callable[..., Any],
    says: str = "",
    method: str = _METHOD,
    prose: str = "",
    tightness: Tightness | None = None,
    **words: Any,
) -> Claim:
    """The claim of a statement of algebra, or about matrices.

    Parameters
    ----------
    false : names of controls, each with the piece of the text and what takes its place.
    group : what makes the claim, such as :data:`fltheory.evidence.kinds.algebra_claim`.
    says : LaTeX before the relations.
    prose : what joins the relations to the statement, where that is words.
    words : as in :func:`fltheory.evidence.model.claim`.

    Raises
    ------
    ValueError : a piece that does not occur exactly once.
    """
    controls = [Control(name, dict(text=stated.changed(*change).text)) for name, change in false.items()]

    def check(text: str) -> Evidence:
        if isinstance(stated, Matrices):
            return by_matrices(stated.with_text(text), tightness=tightness, prose=prose)
        return by_relations(stated.with_text(text), method=method, tightness=tightness, prose=prose)

    check.__doc__ = f"{stated.text}: proved as it is written, or an instance that breaks it."
    made = group(id, statement=_stated(says, stated), printed=dict(text=stated.text), controls=controls, **words)
    claim: Claim = made(check)
    return claim


def statement_in_mean(
    id: str,
    stated: InMean,
    *,
    false: Mapping[str, tuple[str, str]] | None = None,
    without: Mapping[str, str] | None = None,
    group: Callable[..., Any],
    says: str = "",
    prose: str = "",
    tightness: Tightness | None = None,
    sharper: tuple[str, str, float, str] | None = None,
    **words: Any,
) -> Claim:
    """The claim of a statement about vectors and averages.

    Parameters
    ----------
    without : names of controls, each with the hypothesis that is dropped: one of its uses, or ``"mean of n"``.
    sharper : a piece of the text and what may take its place, the factor between them, and what attains it: if that is derived
        too, the row says how loose it is.
    false, group, says, prose, words : as in :func:`statement_of_algebra`.

    Raises
    ------
    ValueError : a piece that does not occur exactly once, or a hypothesis that the statement does not have.
    """
    controls = [Control(name, dict(text=stated.changed(*change).text)) for name, change in (false or {}).items()]
    for name, dropped in (without or {}).items():
        stated.without(dropped)
        controls.append(Control(name, dict(dropped=dropped)))

    def check(text: str, dropped: str) -> Evidence:
        left = (stated.without(dropped) if dropped else stated).with_text(text)
        loose = tightness
        if sharper and text == stated.text and left.changed(*sharper[:2]).proof[0]:
            loose = Tightness(sharper[2], Rung.PROOF, sharper[3])
        return by_in_mean(left, tightness=loose, prose=prose)

    check.__doc__ = f"{stated.text}: derived as it is written, or an instance that breaks it."
    printed = dict(text=stated.text, dropped="")
    made = group(id, statement=_stated(says, stated), printed=printed, controls=controls, **words)
    claim: Claim = made(check)
    return claim


def _stated(says: str, stated: Relations | Matrices | InMean) -> Stated:
    return (says, stated) if says else stated
