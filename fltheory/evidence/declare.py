"""Declarations of claims that share something say it once: ``sharing(kind=..., scope=..., source=...)``.

proof_of_lemma_5 = sharing(kind=Kind.INEQUALITY, scope=Scope.GENERAL, source="proof of Lemma 5")

@proof_of_lemma_5("XX-L5-S1", statement=..., controls=[...])
def first_step(...): ...
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypedDict, Unpack

from fltheory.evidence.model import Analogue, Claim, Control, Evidence, Kind, Scope, Unprinted, claim
from fltheory.evidence.stated import Linked, Stated

if TYPE_CHECKING:
    import sympy as sp


class Declaration(TypedDict, total=False):
    """What :func:`fltheory.evidence.model.claim` is told besides the id; see there."""

    kind: Kind
    scope: Scope
    statement: Stated
    controls: Sequence[Control]
    printed: Mapping[str, object]
    summary: str
    assumptions: Sequence[str]
    depends: Sequence[str]
    source: str
    proof_steps: Sequence[str]
    repair: str
    quick: bool
    fault: str
    unprinted: Unprinted | None
    analogue: Analogue | None
    headline: str
    elsewhere: str
    where: Mapping[sp.Symbol, sp.Expr]
    proves: Callable[..., Linked] | Sequence[Callable[..., Linked]]


class ClaimGroup:
    """What a group of claims shares; calling it with an id and the rest declares one of them."""

    def __init__(self, shared: Declaration) -> None:
        self._shared = shared

    def __call__(self, id: str, **own: Unpack[Declaration]) -> Callable[[Callable[..., Evidence]], Claim]:
        """``claim(id, ...)`` with what is shared; what is given here counts where both say something."""
        told: dict[str, Any] = {**self._shared, **own}
        return claim(id, **told)

    def sharing(self, **more: Unpack[Declaration]) -> ClaimGroup:
        """A smaller group, which shares more."""
        return ClaimGroup({**self._shared, **more})


def sharing(**shared: Unpack[Declaration]) -> ClaimGroup:
    """A group of claims that share what is given here."""
    return ClaimGroup(shared)
