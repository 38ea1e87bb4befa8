"""One end for the checks of this wing: the steps of a proof, the instances that were evaluated, and the words of the evidence."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import sympy as sp

from fltheory.evidence import certificates, reports
from fltheory.evidence.exact_search import Search, conclude
from fltheory.evidence.model import Evidence, Tightness
from fltheory.theory.proofs import Certificate, is_zero
from fltheory.theory.steps import Instance, Proof, Step


def settle(
    steps: Sequence[Step],
    found: Search | Iterable[Instance] | Callable[[], Iterable[Instance]],
    *,
    method: str,
    valid_for: str = "",
    numbers: Mapping[str, Any] | None = None,
    tightness: Tightness | None = None,
    would_settle: str = "",
) -> Evidence:
    """Evidence from the steps of a proof and from a search, or from instances of ``left <= right``.

    Raises
    ------
    RuntimeError, ValueError : every step holds and an instance violates the statement.
    """
    proof = Proof(tuple(steps))
    if not isinstance(found, Search):
        words = reports.Report(method, valid_for, numbers or {}, tightness, would_settle)
        return reports.settle(proof, found if callable(found) else lambda: found, words)
    return conclude(
        (proof.complete, proof.gap),
        found,
        method=method,
        valid_for=valid_for,
        tightness=tightness,
        numbers=numbers or {},
        certificate={"steps": [step.name for step in steps]} if proof.complete else None,
        **({"would_settle": would_settle} if would_settle else {}),
    )


def certified(certificate: Certificate, found: Search, **words: Any) -> Evidence:
    """Evidence from a certificate and a search; ``words`` as in :func:`fltheory.evidence.exact_search.conclude`."""
    verified = certificate.verify()
    kept = certificates.polynomial(certificate) if verified[0] else None
    return conclude(verified, found, certificate=kept, **words)


def all_certified(parts: Mapping[str, Certificate], found: Search, *, also: bool = True, **words: Any) -> Evidence:
    """Evidence from several certificates (``also``: and what they start from was proved) and a search."""
    checks = [part.verify() for part in parts.values()]
    proved = also and all(good for good, _ in checks)
    reason = "; ".join(reason for good, reason in checks if not good)
    kept = {name: certificates.polynomial(part) for name, part in parts.items()} if proved else None
    return conclude((proved, reason), found, certificate=kept, **words)


def identical(residual: sp.Expr, found: Search, **words: Any) -> Evidence:
    """Evidence for an identity from the difference of its sides and a search."""
    kept = certificates.identity(residual) if is_zero(residual) else None
    return conclude((kept is not None, f"the sides differ by {residual}"), found, certificate=kept, **words)
