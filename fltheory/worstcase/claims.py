"""What a certificate claims, by name: the algorithm and its fields, the server's models, the measure, the assumptions.

Only the algorithm's name and fields are the writer's word; the verifier prints them as such.  The names of the measure and of
the assumptions are those that the verifier itself finds for the functionals of the certificate, "custom" where it knows none.
"""

from __future__ import annotations

import dataclasses
import hashlib
import inspect
from collections.abc import Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from fltheory.algorithms.schedules import Constant
from fltheory.kinds import JSON
from fltheory.problems.numbers import decimal_fraction
from fltheory.worstcase import verifier

if TYPE_CHECKING:
    from fltheory.worstcase.model import Model

_LONGEST = 900


def claim_of(model: Model) -> dict[str, Any]:
    """The claim of a model's certificates.

    Raises
    ------
    ValueError : a method that is made of the minimiser, or a model that is no point of the server's.
    """
    from fltheory.worstcase.certificate import bare

    return with_claim(bare(model), model.models, model.label)["claim"]  # type: ignore[no-any-return]


def with_claim(data: Mapping[str, Any], models: tuple[int, ...], label: Mapping[str, Any] | None) -> dict[str, Any]:
    """A statement by registers, with or without proofs, as a certificate that says what it proves.

    Parameters
    ----------
    data : what :func:`fltheory.worstcase.certificate.bare` returns, or a certificate of version 1.
    models : registers of w_0, ..., w_R; none where the program is no method's.
    label : see :func:`label_of`.

    Raises
    ------
    ValueError : as :func:`claim_of`.
    """
    claim = {
        "algorithm": label,
        "rounds": max(len(models) - 1, 0),
        "models": list(models),
        "measure": "custom",
        "assumptions": [],
    }
    whole = {**data, "format": verifier.FORMAT, "claim": claim}
    try:
        found = verifier.Theorem(whole, verifier._Model(whole))  # type: ignore[no-untyped-call]
    except verifier.Rejected as error:
        raise ValueError(f"no certificate says this: {error}") from None
    claim |= {"measure": found.measured, "assumptions": found.kinds}
    return whole


def label_of(algorithm: object) -> dict[str, JSON] | None:
    """An algorithm's name and fields as JSON data; one that is not the package's own has the digest of its source too."""
    try:
        found = _entry(algorithm)
    except (TypeError, ValueError):
        found = {"name": type(algorithm).__name__, "fields": {}}
    if not isinstance(found, dict) or len(repr(found)) > _LONGEST:
        found = {"name": type(algorithm).__name__, "fields": {}}
    try:
        verifier.plain(found)
        verifier.said(found)  # type: ignore[no-untyped-call]
    except verifier.Rejected:  # a name in letters that are not plain
        return None
    return found


def _entry(item: Any) -> JSON:
    if item is None or isinstance(item, (bool, int)):
        return item
    if isinstance(item, (float, Fraction)):
        return str(decimal_fraction(item))
    if isinstance(item, Constant):
        return _entry(item.value)
    if isinstance(item, str):
        return "".join(letter if letter.isascii() and letter.isalnum() else "_" for letter in item)
    if isinstance(item, (list, tuple)):
        return [_entry(one) for one in item]
    if dataclasses.is_dataclass(item) and not isinstance(item, type):
        pairs = [(field, getattr(item, field.name)) for field in dataclasses.fields(item) if field.init]
        listed = {field.name: _entry(value) for field, value in pairs if not _usual(field, value)}
        return {"name": type(item).__name__, "fields": listed, **_source(type(item))}
    name = getattr(item, "__name__", type(item).__name__)
    return {"name": name if name.isidentifier() else "function", "fields": {}, **_source(item)}


def _usual(field: dataclasses.Field[Any], value: object) -> bool:
    """Whether a field has what it has where nobody says otherwise."""
    return field.default is not dataclasses.MISSING and bool(
        type(value) is type(field.default) and value == field.default
    )


def _source(item: Any) -> dict[str, JSON]:
    """The digest of a source that is not the package's own, where there is one."""
    if str(getattr(item, "__module__", "")).split(".")[0] == "fltheory":
        return {}
    try:
        text = inspect.getsource(item)
    except (OSError, TypeError):
        return {}
    return {"source": hashlib.sha256(text.encode()).hexdigest()}


def listed_proof(data: Mapping[str, Any]) -> list[str]:
    """The inequalities that the upper part of a certificate adds up, with their multipliers, by the names of its theorem."""
    if data.get("upper") is None:
        return []
    found = verifier.Theorem(data, verifier._Model(data))  # type: ignore[no-untyped-call]
    lines = ["the proof adds up, each with its multiplier:"]
    for group, rows in data["upper"]["interpolation"].items():
        for i, j, y, *draw in rows:
            loss = "f_c" if group == "centre" else f"f_{group.removeprefix('clients').strip()}k"
            one, two = found.point(i), found.point(j)  # type: ignore[no-untyped-call]
            parted = f", on histories that part before noise_{draw[0]}" if draw else ""
            lines.append(f"  {y}: interpolation of {loss}, its value at {one} from the gradient at {two}{parted}")
    for item, y in zip(data["assumptions"], data["upper"]["assumptions"], strict=True):
        if verifier.number(y):
            limit = "0" if item["bound"] is None else f"{item['scale']} {found.symbols[item['bound']]}"
            held = found.functional(verifier.form(item))  # type: ignore[no-untyped-call]
            lines.append(f"  {y}: {held} <= {limit}")
    return lines
