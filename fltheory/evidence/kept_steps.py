"""The steps of a proof as data, and the rung that they earn: what a row on ``proof`` keeps where its script gives no certificate.

A row of a general statement says ``proof`` where a certificate of the whole statement is kept, and ``steps`` where every one of
its steps is kept and verified again, so that only their assembly is prose.  Everything else is ``asserted``, with the reason:
nothing was confirmed by a trusted function, or a step cannot be written down, or there are more of them than are kept.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import sympy as sp

from fltheory.evidence import certificates
from fltheory.evidence.certificates import certificates_in
from fltheory.evidence.expression_size import STEP_CHARACTERS, STEPS_OF_A_ROW
from fltheory.evidence.model import Evidence
from fltheory.evidence.plain import Plain
from fltheory.evidence.terms import Outcome, Rung
from fltheory.kinds import JSON
from fltheory.theory.proofs import Certificate
from fltheory.theory.record import Confirmed
from fltheory.theory.steps import Step


def as_data(confirmed: Confirmed) -> dict[str, JSON]:
    """What a trusted function confirmed, as a certificate.

    Raises
    ------
    ValueError : it cannot be written down.
    """
    return _FORMS[confirmed.kind](Plain(), *confirmed.parts)


def _equality(plain: Plain, left: Any, right: Any) -> dict[str, JSON]:
    return _with_where(plain, [f"{plain.opened(left)} - ({plain.opened(right)})"])


def _identity(plain: Plain, expression: Any) -> dict[str, JSON]:
    return _with_where(plain, [str(plain.opened(expression))])


def _with_where(plain: Plain, texts: Sequence[str]) -> dict[str, JSON]:
    found: dict[str, JSON] = {"type": "identity", "expressions": list(texts)}
    return {**found, "where": plain.where} if plain.where else found


def _polynomial(plain: Plain, certificate: Certificate) -> dict[str, JSON]:
    def pair(two: tuple[Any, Any]) -> tuple[sp.Expr, sp.Expr]:
        return plain.rational(two[0]), plain.rational(two[1])

    return certificates.polynomial(
        Certificate(
            plain.rational(certificate.left),
            plain.rational(certificate.right),
            {name: pair(two) for name, two in certificate.premises.items()},
            [pair(two) for two in certificate.squares],
            plain.ranges(certificate.ranges),
        )
    )


_FORMS: Mapping[str, Callable[..., dict[str, JSON]]] = {
    "equality": _equality,
    "identity": _identity,
    "polynomial": _polynomial,
    "nonnegative": lambda plain, expression, ranges: certificates.nonnegative(
        plain.rational(expression), plain.ranges(ranges)
    ),
    "at least": lambda plain, left, right: {
        "type": "nonnegative",
        "expression": f"{left} - ({right})",
        "ranges": [],
    },
    "positive": lambda plain, expression, ranges: certificates.positive(
        plain.rational(expression), plain.ranges(ranges)
    ),
    "regular": lambda plain, expression, ranges: certificates.regular(
        [plain.rational(expression)], plain.ranges(ranges)
    ),
    "closure": lambda plain, closure: certificates.closure(closure),
    "psd": lambda plain, matrix: certificates.psd(matrix),
}


_NOTHING = {"type": "identity", "expressions": ["0 - (0)"]}


@dataclass(frozen=True)
class Kept:
    """Steps as data, and why they are not all of them; empty if they are."""

    steps: tuple[dict[str, JSON], ...]
    missing: str = ""


def keep(steps: Sequence[Step], confirmed: Iterable[Confirmed]) -> Kept:
    """The steps of a proof as data: its named steps, or where it has none whatever was confirmed while the check ran.

    That 0 vanishes says nothing and is not kept: a named step of which nothing else is left is missing.  A step that says
    0 = 0, such as the begin of an induction, is kept beside others.
    """
    missing = [f"step {step.name!r}" for step in steps if not step.confirmed and not step.hypothesis]
    if missing:
        missing = [f"{missing[0]} ({len(missing)} of {len(steps)}) was confirmed by no trusted function"]
    kept: dict[str, dict[str, JSON]] = {}
    empty: list[str] = []
    for name, one in _named(steps, confirmed if missing or not steps else ()):
        if len(kept) >= STEPS_OF_A_ROW:
            missing.append(f"it has more than {STEPS_OF_A_ROW} steps")
            break
        if one is None:
            kept[name] = {"name": name, "hypothesis": True}
            continue
        try:
            data = _written(one)
        except (ValueError, RecursionError) as error:
            missing.append(f"step {name or one.kind!r}: {error}")
            continue
        if data.get("expressions") == ["0"]:
            empty.append(name)
            continue
        kept.setdefault(json.dumps(data), {**({"name": name} if name else {}), "certificate": data})
    found = tuple(kept.values())
    full = {step.get("name") for step in found}
    lost = [name for name in empty if name not in full and (name or not full)]
    missing += [f"step {name or 'identity'!r} was confirmed of what had been simplified to 0" for name in lost]
    if not any(step.get("certificate", _NOTHING) != _NOTHING for step in found):
        missing.append("no certificate that the package can verify, and nothing was confirmed by a trusted function")
    return Kept(found, missing[0] if missing else "")


def _named(steps: Sequence[Step], confirmed: Iterable[Confirmed]) -> Iterator[tuple[str, Confirmed | None]]:
    """What is to be kept, by name; a hypothesis has nothing that was confirmed."""
    for step in steps:
        yield from ((step.name, one) for one in (step.confirmed if not step.hypothesis else (None,)))
    yield from ((one.name, one) for one in confirmed)


def _written(confirmed: Confirmed) -> dict[str, JSON]:
    """As data, verified as it will be without the script.

    Raises
    ------
    ValueError : it cannot be written down, is too long, or does not verify as it is written.
    """
    data = as_data(confirmed)
    length = len(json.dumps(data))
    if length > STEP_CHARACTERS:
        raise ValueError(f"it has {length} characters, more than {STEP_CHARACTERS}")
    good, reason = certificates.verify_certificate(data)
    if not good:
        raise ValueError(f"as it is written it does not verify: {reason}")
    return data


def standing(certificate: Any, evidence: Evidence, confirmed: Iterable[Confirmed]) -> dict[str, JSON]:
    """Rung and certificate of a row whose script claims a proof, where they differ from what the script says.

    Parameters
    ----------
    certificate : the script's own, as data; a row keeps it on ``proof`` if the package knows its type.
    confirmed : what trusted functions said yes to while the check ran as printed.
    """
    given = list(certificates_in(certificate))
    if given and all(map(certificates.can_verify, given)):
        return {"rung": Rung.STEPS.value, "remark": evidence.prose} if evidence.prose else {}
    if evidence.outcome is Outcome.REFUTED:
        kept = Kept((), "its counterexample stands in words; no witness is kept that could be evaluated again")
    else:
        kept = keep(evidence.steps, confirmed)
    found: dict[str, JSON] = {"certificate": {"steps": list(kept.steps)} if kept.steps else None}
    if not kept.missing:
        return {**found, "rung": Rung.STEPS.value}
    return {**found, "rung": Rung.ASSERTED.value, "claimed_rung": Rung.PROOF.value, "remark": kept.missing}
