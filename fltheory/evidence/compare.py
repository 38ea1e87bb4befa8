"""Whether a row that was computed anew says what the kept one says: every fact, numbers to the precision of their rung."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from fltheory.evidence.model import Rung
from fltheory.evidence.rows import Row

#: Facts that a run gives; what the script declares is compared for all rows without a run.  What a check reads beside its
#: premises is kept and not compared: a function that remembers reads it for the first row of a process only.
FOUND = (
    "rung",
    "verdict",
    "outcome",
    "method",
    "examined",
    "margin",
    "numbers",
    "counterexample",
    "valid_for",
    "tightness",
    "would_settle",
    "seeds",
    "controls",
    "certificate",
    "remark",
    "states",
    "derived",
)
#: Rungs whose numbers any machine finds again, to this relative precision; the others end in solvers and samples.
_REPEATABLE = (Rung.PROOF.value, Rung.STEPS.value, Rung.ASSERTED.value, Rung.EXACT.value, Rung.READING.value)
PRECISE, ROUGH = 1e-6, 1e-3
#: What counts as no difference for numbers beside one: solvers leave this much in a margin.
_FLOOR = {PRECISE: 1e-9, ROUGH: 5e-5}
_FLOATS = 1e300
_NUMBER = re.compile(r"(?<![\w.])\d+(?:\.\d+)?(?:[eE][-+]?\d+)?(?![\w.]*\w)")
#: What a solver finds, beside the statement that is certified.
_SOLVED = ("upper", "lower")
#: How the formats of worst cases begin, with a claim and without.
_WORST_CASE = "fltheory worst case"
#: How the format of a certificate for all rounds begins.
_ALL_ROUNDS = "fltheory lyapunov"


def differences(kept: Mapping[str, Any] | None, new: Row, *, replayed: bool = False) -> list[str]:
    """Facts in which a row computed anew differs from the kept one, in words.

    ``replayed``: on the kept certificates themselves, so that nothing was left to a solver, and without controls.
    """
    if kept is None or new["status"] != "done":
        return []
    repeatable = replayed or (new["rung"] in _REPEATABLE and not _solved(new.get("certificate")))
    precision = PRECISE if repeatable else ROUGH
    found = []
    for name in (name for name in FOUND if not (replayed and name == "controls")):
        before, now = _statement(kept.get(name), name), _statement(new.get(name), name)
        for place, old, fresh in _apart(before, now, precision, name):
            found.append(f"{place} {_short(fresh)} differs from the kept {_short(old)}")
    return found


def _solved(certificate: Any) -> bool:
    """Whether a solver had a part in it."""
    if isinstance(certificate, Mapping):
        return "format" in certificate or any(_solved(item) for item in certificate.values())
    return isinstance(certificate, list) and any(_solved(item) for item in certificate)


def _statement(value: Any, name: str) -> Any:
    """A fact; of a certificate that a solver made only what it is a certificate of, of lists of hypotheses what is in them."""
    if name == "derived" and value:
        return {key: sorted(item) if isinstance(item, list) else item for key, item in value.items()}
    if name != "certificate" or not _solved(value):
        return value
    if isinstance(value, list):
        return [_statement(item, name) for item in value]
    if not isinstance(value, Mapping):
        return value
    if str(value.get("format", "")).startswith(_ALL_ROUNDS):
        return {key: _of_all_rounds(item) for key, item in value.items()}
    if str(value.get("format", "")).startswith(_WORST_CASE):  # what is said of its registers is made anew
        registers = {key: item for key, item in value.items() if key not in ("claim", "method_length")}
        value = registers | {"format": _WORST_CASE}
    if "format" in value:
        return {key: sorted(item) if key in _SOLVED else item for key, item in value.items()}
    return {key: _statement(item, name) for key, item in value.items()}


def _of_all_rounds(item: Any) -> Any:
    """Of a part of a Lyapunov certificate the method, the classes and the scheme: V and all that is said of it is found."""
    if not isinstance(item, Mapping):
        return item
    method = {"program": item["program"][: item["method_length"]]} if "method_length" in item else {}
    return {**{key: item[key] for key in ("format", "method_length", "classes", "shares") if key in item}, **method}


def _apart(before: Any, now: Any, precision: float, place: str) -> Iterator[tuple[str, Any, Any]]:
    """Places where two values differ."""
    if isinstance(before, Mapping) and isinstance(now, Mapping) and set(before) == set(now):
        for key in before:
            yield from _apart(before[key], now[key], precision, f"{place} {key!r}")
    elif isinstance(before, list) and isinstance(now, list) and len(before) == len(now):
        for i, (old, fresh) in enumerate(zip(before, now, strict=True)):
            label = f"{place} {fresh['name']!r}" if isinstance(fresh, Mapping) and "name" in fresh else f"{place}[{i}]"
            yield from _apart(old, fresh, precision, label)
    elif not same(before, now, precision):
        yield place, before, now


def _near(before: float, now: float, precision: float) -> bool:
    # Beyond floats only equal numbers are near, and those were answered before.
    if max(abs(before), abs(now)) > _FLOATS:
        return False
    floor = _FLOOR[precision] * min(1.0, abs(before) + abs(now) + 1e-9)
    return abs(before - now) <= precision * abs(before) + floor


def same(before: Any, now: Any, precision: float) -> bool:
    """Whether two values are equal, numbers and numbers within texts to a relative precision."""
    if isinstance(before, bool) or isinstance(now, bool) or before is None or now is None:
        return before is now or (type(before) is type(now) and before == now)
    if before == now:
        return True
    if isinstance(before, int | float) and isinstance(now, int | float):
        return _near(before, now, precision)
    if isinstance(before, str) and isinstance(now, str):
        if _NUMBER.sub("#", before) != _NUMBER.sub("#", now):
            return False
        pairs = zip(_NUMBER.findall(before), _NUMBER.findall(now), strict=True)
        return all(a == b or _near(float(a), float(b), precision) for a, b in pairs)
    return False


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 120 else f"{text[:117]}..."
