"""The derivation of a claim as a tree that opens step by step, from its conclusion down to what is assumed.

Only what results keep is told: the lines of a derivation, or the names of the steps that were verified one by one.
A line is told as it is kept: a ``form`` that is at least (or, where the relation says so, equal to) zero.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_DERIVATION = "fltheory derivation 1"
#: Lines that state a fact; the others declare letters, vectors and functions.
FACTS = frozenset(
    "assume combine telescope induction independent end cases apply exponential tangent closure choose define".split()
)


def _shown(rule: str, told: Mapping[str, Any], hypotheses: Mapping[str, Mapping[str, Any]]) -> str:
    source = hypotheses.get(told.get("hypothesis", ""), told)
    form = source.get("form") or source.get("bound") or source.get("equals") or ""
    if not form or not isinstance(form, str):
        return ""
    if rule in ("define", "choose"):  # a name for something, and no claim about its sign
        return f"stands for {form}"
    if "form" not in source and "bound" in source:
        return f"at most {form}"
    sign = "=" if source.get("relation") == "=" else ">= 0" if "form" in source else ""
    text = f"{form} = 0" if sign == "=" else f"{form} {sign}".strip()
    points = told.get("points")
    return f"{text}, at {', '.join(points)}" if points else text


def _below(told: Mapping[str, Any]) -> list[list[str]]:
    """The facts that a line uses, each with its multiplier where it has one."""
    found: dict[str, str] = {}
    for part in (told.get("base"), told.get("facts"), told.get("hypotheses"), told.get("fact")):
        if isinstance(part, Mapping):
            found.update({str(name): value if isinstance(value, str) else "" for name, value in part.items()})
        elif isinstance(part, list):
            found.update({name: "" for name in part if isinstance(name, str)})
        elif isinstance(part, str):
            found[part] = ""
    return [[name, factor] for name, factor in found.items()]


def derivation_tree(certificate: Mapping[str, Any] | None) -> dict[str, Any] | None:
    """The facts of a kept derivation by name, and its conclusions; ``None`` where no derivation is kept.

    Each fact is ``[rule, what it says, [[premise, multiplier], ...]]``; a premise that is no fact of the derivation
    (a definition of letters) is left out.  Kept steps without a derivation are facts without premises.
    """
    if not certificate:
        return None
    if certificate.get("format") == _DERIVATION:
        lines = [line for line in certificate["lines"] if len(line) > 2 and isinstance(line[2], Mapping)]
        hypotheses = {name: told for rule, name, told in lines if rule == "hypothesis"}
        told_facts = [(rule, name, told) for rule, name, told in lines if rule in FACTS]
        names = {name for _, name, _ in told_facts}
        facts = {
            name: [
                rule,
                _shown(rule, told, hypotheses),
                [pair for pair in _below(told) if pair[0] in names and pair[0] != name],
            ]
            for rule, name, told in told_facts
        }
        return {"ends": [name for name in certificate["conclusions"] if name in facts], "facts": facts}
    steps = certificate.get("steps")
    if isinstance(steps, list) and all(isinstance(step, Mapping) and "name" in step for step in steps):
        kept = {step["name"]: [(step.get("certificate") or {}).get("type", "step"), "", []] for step in steps}
        return {"ends": list(kept), "facts": kept}
    return None
