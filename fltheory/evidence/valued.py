"""A derivation at values of its letters that no derivation can hold: powers, exp and log.

A derivation is true for all values of its parameters in their ranges.  ``values`` gives some of them as text, and relations
(:mod:`fltheory.evidence.relations`) prove every end of their ranges there, with these values in the place of the letters:

    valued(derivation, {"P": "(1 - q)**R", "h": "exp(-1/2)"}, Relations("0 < (1 - q)**R <= exp(-1/2) <= 2/3 for ..."))

A hypothesis that is named ``P = ...`` says what P is: its value must be that.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import sympy as sp

from fltheory.derivation.replay import Underivable, unpacked
from fltheory.derivation.script import state_of
from fltheory.evidence.arithmetic import parse
from fltheory.evidence.relations import Relations
from fltheory.kinds import JSON

_STRONGER = {"<": ("<",), "<=": ("<", "<=", "=")}
_TURNED = {">": "<", ">=": "<="}


def valued(derivation: Mapping[str, Any], values: Mapping[str, str], given: Relations) -> dict[str, JSON]:
    """The derivation at these values as a certificate.

    Raises
    ------
    Underivable : a value is not shown to lie in the range of its letter.
    """
    data: dict[str, Any] = {
        "type": "valued",
        "derivation": dict(derivation),
        "values": dict(values),
        "relations": given.certificate,
    }
    gap = missing(data)
    if gap:
        raise Underivable(gap)
    return data


def missing(data: Mapping[str, Any]) -> str:
    """Why the values are not shown to lie in the ranges of their letters; empty if they are."""
    stated = Relations.read(data["relations"])
    proved, reason = stated.proof
    if not proved:
        return reason
    values = {sp.Symbol(name): _read(text) for name, text in data["values"].items()}
    known = [_upwards(_read(one), sign, _read(two)) for one, sign, two in stated.claims]
    lines: list[Mapping[str, Any]] = [
        unpacked(line)  # type: ignore[no-untyped-call]
        for line in data["derivation"]["lines"]
    ]
    declared = {line["parameter"]: line for line in lines if next(iter(line)) == "parameter"}
    chosen = {line["choose"] for line in lines if next(iter(line)) == "choose"}
    lets = {sp.Symbol(line["let"]): _read(str(line["equals"])) for line in lines if next(iter(line)) == "let"}
    named = [str(line["hypothesis"]).partition(" = ") for line in lines if next(iter(line)) == "hypothesis"]
    gap = _captured(data["derivation"], [value.xreplace(lets) for value in values.values()])
    gap = gap or next(filter(None, (_undefined(text, stated) for text in data["values"].values())), "")
    if gap:
        return gap
    for name in data["values"]:
        if name not in declared or declared[name].get("varies") or name in chosen:
            return f"{name} is no free number of the derivation"
        for _, _, said in (one for one in named if one[0] == name):
            meant = _read(said).xreplace(lets).xreplace(values)
            if sp.expand(meant - values[sp.Symbol(name)].xreplace(lets)) != 0:
                return f"{name} = {data['values'][name]}, and the derivation supposes {name} = {said}"
        for low, sign, high in _ends(name, declared[name]):
            one, two = (_read(side).xreplace(values) for side in (low, high))
            if not any(sp.expand(a - one) == 0 == sp.expand(b - two) and s in _STRONGER[sign] for a, s, b in known):
                return f"{one} {sign} {two} is none of the relations"
    return ""


def _captured(derivation: Mapping[str, Any], values: Iterable[sp.Expr]) -> str:
    """Which letter of a value is no fixed number in the derivation: at P = x, mean(P*x, t) = P*mean(x, t) would be false."""
    state: Any = state_of(derivation)
    moving = {*state.axes, *state.vectors, *state.values, *state.functions, *state.lets}
    moving |= {name for name, one in state.parameters.items() if one.varies}
    bad = sorted(moving & {symbol.name for value in values for symbol in value.free_symbols})
    return f"{bad[0]}, of which a value is made, is no fixed number of the derivation" if bad else ""


def _undefined(text: str, stated: Relations) -> str:
    """Why a value is not shown to be a number wherever the relations are stated."""
    proved, reason = Relations(f"{text} = {text} for {stated.where}".removesuffix(" for "), at=stated.at).proof
    return "" if proved else f"{text}: {reason}"


def _ends(name: str, line: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
    if line.get("low") is not None:
        yield str(line["low"]), "<" if line.get("low_open") else "<=", name
    if line.get("high") is not None:
        yield name, "<" if line.get("high_open") else "<=", str(line["high"])


def _read(text: str) -> sp.Expr:
    return parse(text, None, [])


def _upwards(left: sp.Expr, sign: str, right: sp.Expr) -> tuple[sp.Expr, str, sp.Expr]:
    return (right, _TURNED[sign], left) if sign in _TURNED else (left, sign, right)
