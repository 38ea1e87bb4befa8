"""Short ends of checks that decide a formula: a proof, a witness that breaks the statement, the first of many.

:func:`fltheory.evidence.decide.decide` keeps the named steps of a proof; these are for checks whose proof is one test.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeVar

import sympy as sp

from fltheory.evidence import certificates
from fltheory.evidence.decide import Instances, Tried, decide, undecided
from fltheory.evidence.model import Evidence, Outcome, Rung
from fltheory.evidence.witness import Witness
from fltheory.theory.proofs import Certificate, is_zero, nonnegative_on
from fltheory.theory.signs import Ranges

Item = TypeVar("Item")
_EVALUATED = "Hypotheses and both sides evaluated exactly at a named instance."


def by_proof(method: str, *, examined: int = 1, **more: Any) -> Evidence:
    """The statement holds: it was proved.  ``more`` as in :class:`~fltheory.evidence.model.Evidence`."""
    return Evidence(Rung.PROOF, Outcome.HOLDS, method, examined, **more)


def by_witness(
    witnesses: Witness | Iterable[Witness],
    *,
    method: str = _EVALUATED,
    would_settle: str = "a proof",
    rung: Rung | None = None,
    **more: Any,
) -> Evidence:
    """Refuted by the first witness whose hypotheses hold and whose claim is false; not refuted where none is one.

    A witness that is kept as a certificate is a proof, another an exact evaluation, unless a ``rung`` is told.  ``more``, of a
    refutation, as in :class:`~fltheory.evidence.model.Evidence`.
    """
    found = tried(witnesses)
    if not found.counterexample:
        return undecided(f"{method} No instance tried breaks the statement.", found.examined, would_settle, Rung.EXACT)
    words = dict(counterexample=found.counterexample, margin=found.margin, certificate=found.certificate)
    rung = rung or (Rung.EXACT if found.certificate is None else Rung.PROOF)
    return Evidence(rung, Outcome.REFUTED, method, **{"examined": found.examined, **words, **more})


def tried(witnesses: Witness | Iterable[Witness], *, prose: str = "") -> Tried:
    """What witnesses found, the first that refutes first, with its ``prose``: for :func:`fltheory.evidence.decide.decide`.

    Raises
    ------
    ValueError : no witnesses.
    """
    examined = 0
    for witness in [witnesses] if isinstance(witnesses, Witness) else witnesses:
        examined += 1
        if witness.refutes:
            return Tried(examined, witness.text, witness.margin, certificate=certificates.witness(witness), prose=prose)
    if not examined:
        raise ValueError("witnesses is empty: no instance was evaluated")
    return Tried(examined)


def by_rerun(reproduced: bool, method: str, *, examined: int, **more: Any) -> Evidence:
    """An experiment that was run again: ``holds`` or ``not reproduced``."""
    return Evidence(Rung.RERUN, Outcome.HOLDS if reproduced else Outcome.NOT_REPRODUCED, method, examined, **more)


def certified(certificate: Certificate, found: Instances, *, also: bool = True, **words: Any) -> Evidence:
    """A certificate (``also``: and what it starts from was proved) and what was evaluated; it is kept where it verifies."""
    verified, reason = certificate.verify()
    kept = certificates.polynomial(certificate) if verified else None
    reason = "what the certificate starts from" if verified else reason
    return decide((verified and also, reason), found, certificate=kept, **words)


def identical(sides: Sequence[sp.Expr | tuple[sp.Expr, sp.Expr]], found: Instances, **words: Any) -> Evidence:
    """An identity from the pairs of its sides, or their differences, which must vanish, and what was evaluated."""
    residuals = [side[0] - side[1] if isinstance(side, tuple) else side for side in sides]
    proved = all(map(is_zero, residuals))
    kept = certificates.identity(*residuals) if proved else None
    return decide((proved, "a difference of the two sides does not vanish"), found, certificate=kept, **words)


def nonnegative(differences: Mapping[str, tuple[sp.Expr, Ranges]], found: Instances, **words: Any) -> Evidence:
    """An inequality from differences that have a sign on their ranges, and what was evaluated; one needs no name."""
    proved = all(nonnegative_on(difference, ranges) for difference, ranges in differences.values())
    kept = {name: certificates.nonnegative(*pair) for name, pair in differences.items()}
    return decide((proved, "a sign"), found, certificate=kept.get("", kept), **words)


def first_failure(instances: Iterable[Item], failure: Callable[[Item], str]) -> Tried:
    """Evaluate a statement on all instances: their number, and what ``failure`` says of the first that breaks it.

    ``failure`` says nothing of an instance on which the statement is true.
    """
    words = [failure(instance) for instance in instances]
    return Tried(examined=len(words), counterexample=next(filter(None, words), ""))


def first_broken(cases: Iterable[tuple[object, str]], margin: float | None = None) -> Tried:
    """All cases ``(holds, words)`` are examined; the words of the first one that does not hold are the counterexample."""
    every = list(cases)
    return Tried(len(every), next((words for holds, words in every if not holds), ""), margin)
