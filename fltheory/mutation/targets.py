"""Which rows guard which bound: those whose statement is the object, and those that its ids name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from fltheory.evidence.catalogue import Catalogue, find_scripts, load
from fltheory.evidence.displays import bounds_of
from fltheory.evidence.in_mean import InMean
from fltheory.evidence.matrices import Matrices
from fltheory.evidence.model import Claim
from fltheory.evidence.relations import Relations
from fltheory.mutation.mutants import Mutant, mutants_of
from fltheory.mutation.planting import Key
from fltheory.theory.bound import Bound


@dataclass(frozen=True)
class Target:
    """A statement, the rows that guard it (with the paths of their scripts), and its mutants.

    ``key`` is how a bound is known, or a statement of algebra itself; ``loose`` what the row of the latter says of it, if that is
    known.
    """

    document: str
    name: str
    key: Key | Relations | InMean | Matrices
    rows: Mapping[str, str]
    mutants: tuple[Mutant, ...]
    loose: float | None = None


def objects(claim: Claim) -> list[object]:
    """What a claim is tied to: the objects of its statement, and those that its check is said to prove."""
    return [*claim.about, *(getattr(link, "bound", None) for link in claim.proves)]


def guards(bound: Bound, catalogue: Catalogue) -> list[str]:
    """Rows of a bound: those whose statement is the object, then those of its ids with readings and parts; no bundles."""
    key = Key.of(bound)
    own = [row for row, claim in catalogue.claims.items() if any(map(key.opens, objects(claim)))]
    named = [
        row for name in bound.ids for row in catalogue.claims if row == name or row.startswith((f"{name}[", f"{name}."))
    ]
    rows = dict.fromkeys([*own, *named])
    return [row for row in rows if not getattr(catalogue.claims[row], "bundles", ())]


#: Exported bounds that no claim states, and why; their mutants say nothing.
NOT_CLAIMED = {"mixed2022:definitions.DEFINITION_42": "a definition: G and B are whatever makes it true"}


def targets(document: str, *, package: bool = True, wanted: str = "") -> list[Target]:
    """The bounds of a document in ``fltheory.theory`` (with ``package=False`` those of its wing as well), with their rows.

    Parameters
    ----------
    wanted : only the bound of this name, or those that guard the row of this id.

    Raises
    ------
    ValueError : a document without bounds.
    """
    from importlib.util import find_spec

    catalogue = load([script for script in find_scripts() if script.document == document])
    found = []
    for name, bound in bounds_of(document).items():
        module = f"fltheory.theory.{document}.{name.split('.')[0]}"
        if package and find_spec(module) is None:
            continue
        if f"{document}:{name}" in NOT_CLAIMED:
            continue
        rows = {row: str(catalogue.scripts[row].path) for row in guards(bound, catalogue)}
        if wanted and wanted != name and wanted not in rows:
            continue
        found.append(Target(document, name, Key.of(bound), rows, tuple(mutants_of(bound))))
    return found
