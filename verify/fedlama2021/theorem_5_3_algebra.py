"""Claims whose statement of algebra is false as printed; for others: :mod:`fltheory.evidence.algebra`."""

from collections.abc import Callable
from typing import Any

from fltheory.evidence.algebra import by_relations
from fltheory.evidence.model import Claim, Control, Evidence
from fltheory.evidence.relations import Relations
from fltheory.evidence.stated import Stated
from fltheory.evidence.witness import Witness


def refuted(
    id: str,
    stated: Relations,
    right: tuple[str, Relations],
    *,
    group: Callable[..., Any],
    says: Stated = "",
    otherwise: tuple[Witness, ...] = (),
    **words: Any,
) -> Claim:
    """The claim of a statement of algebra that an instance breaks; ``right``: the name and the statement of its
    control."""
    name, control = right

    def check(text: str) -> Evidence:
        known = next((one for one in (stated, control) if one.text == text), stated.with_text(text))
        return by_relations(known, otherwise=otherwise)

    check.__doc__ = f"{stated.text}: an instance that breaks it."
    controls = [Control(name, dict(text=control.text), must="pass")]
    made = group(id, statement=says or stated, printed=dict(text=stated.text), controls=controls, **words)
    claim: Claim = made(check)
    return claim
