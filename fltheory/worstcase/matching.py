"""Whether a certificate is about a method and a question: its whole statement is held against one that is built anew.

The verifier proves what follows from the program, the assumptions and the measure that stand in a certificate,
whatever they are.  Here the engine builds them again from the algorithm and the question.  All of it must be the
same, to the letter: a program that does the same in another order is another one.  So ``no`` may be said of a
certificate that is right in its own way, and ``yes`` never of one that speaks of something else.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from fltheory.algorithms.vocabulary import Algorithm
from fltheory.problems.numbers import decimal_fraction, fraction_of_text
from fltheory.worstcase import certificate, verifier
from fltheory.worstcase.classes import FunctionClass
from fltheory.worstcase.client_classes import ClientClasses
from fltheory.worstcase.formulation import build_model
from fltheory.worstcase.model import Model

#: What proves the statement of a certificate, and is no part of it.
_PROOFS = ("upper", "lower")


def certificate_matches(
    data: Mapping[str, Any], algorithm: Algorithm, function_class: FunctionClass | ClientClasses, **question: Any
) -> bool:
    """Whether a certificate is about this method and this question.

    Parameters
    ----------
    question : what :func:`~fltheory.worstcase.entry.worst_case` was asked: ``rounds``, ``measure``, ``heterogeneity``,
        ``start``, ``centre``, ``noise``, ``centre_noise``, ``n_clients``, ``free_state``.

    Whether the certificate proves anything is for the verifier to say.

    Raises
    ------
    ValueError : a question that has no model, see :func:`~fltheory.worstcase.entry.worst_case`.
    """
    return not differences(data, build_model(algorithm, function_class, **question))


def differences(
    data: Mapping[str, Any], model: Model, quantities: Mapping[str, object] | None = None
) -> tuple[str, ...]:
    """What a certificate says and the model does not, or the reverse, a line each; none if it is about this model.

    ``quantities`` are values at which a lower bound must have been certified, where there is one; an upper bound
    holds at all values.
    """
    wanted: dict[str, Any] = json.loads(json.dumps(certificate.statement(model)))
    if isinstance(data.get("claim"), dict) and "algorithm" in data["claim"]:
        wanted["claim"]["algorithm"] = data["claim"]["algorithm"]  # a label: whether it fits is what the rest says
    found = list(_knowledge(model))
    found += [f"{_shown(name)}: no part of a certificate" for name in data if name not in (*wanted, *_PROOFS)]
    for name, part in wanted.items():
        if name not in data:
            found.append(f"{name}: not in the certificate")
        elif not _same(data[name], part):
            found += _PARTS.get(name, _other)(name, data[name], part, model)
    return (*found, *_elsewhere(data, quantities or {}))


def _knowledge(model: Model) -> Iterator[str]:
    """What no method can know: an algorithm that reaches below the vocabulary may have it, and is none."""
    for place, item in enumerate(model.instructions[: model.method_length]):
        if item[0] in ("optimum", "minimiser", "infimum"):
            yield f"program: the method uses register {place}, the {item[0]}, which no method knows"


def _same(said: object, wanted: object) -> bool:
    """Equality of JSON texts: ``true`` is not 1, and 2/4 not 1/2."""
    try:
        return json.dumps(said, sort_keys=True) == json.dumps(wanted, sort_keys=True)
    except (TypeError, ValueError):
        return False


def _shown(part: object) -> str:
    """A part of a certificate in one short printable line."""
    text = verifier.one_line(part if isinstance(part, str) else repr(part))
    return text if len(text) <= 120 else text[:117] + "..."


def _other(name: str, said: Any, wanted: Any, model: Model) -> Iterator[str]:
    yield f"{name}: {_shown(said)}; expected {_shown(wanted)}"


def _program(name: str, said: Any, wanted: Any, model: Model) -> Iterator[str]:
    if not isinstance(said, list):
        yield from _other(name, said, wanted, model)
        return
    for place, (item, expected) in enumerate(zip(said, wanted, strict=False)):
        if not _same(item, expected):
            whose = "the method's" if place < model.method_length else "the question's"
            yield f"program: register {place} is {_shown(item)}; {whose} is {_shown(expected)}"
            return
    yield f"program: {len(said)} registers; expected {len(wanted)}"


def _pieces(name: str, said: Any, wanted: Any, model: Model) -> Iterator[str]:
    """Claim, classes and shares, entry by entry."""
    if not isinstance(said, dict):
        yield from _other(name, said, wanted, model)
        return
    for key in [*wanted, *(key for key in said if key not in wanted)]:
        if key not in said or key not in wanted or not _same(said[key], wanted[key]):
            one, other = (_shown(part[key]) if key in part else "nothing" for part in (said, wanted))
            yield f"{name}, {_shown(key)}: {one}; expected {other}"


def _measure(name: str, said: Any, wanted: Any, model: Model) -> Iterator[str]:
    yield f"measure: {_functional(said)}; expected {_functional(wanted)}"


def _assumptions(name: str, said: Any, wanted: Any, model: Model) -> Iterator[str]:
    if not isinstance(said, list):
        yield from _other(name, said, wanted, model)
        return
    for place in range(max(len(said), len(wanted))):
        if place >= len(wanted):
            yield f"assumption {place}: {_limit(said[place])}; expected none"
        elif place >= len(said):
            yield f"assumption {place}: none; expected {_limit(wanted[place])}"
        elif not _same(said[place], wanted[place]):
            yield f"assumption {place}: {_limit(said[place])}; expected {_limit(wanted[place])}"


def _limit(item: Any) -> str:
    """An assumption in one line."""
    try:
        right = "0" if item["bound"] is None else f"{item['scale']} {item['bound']}"
    except (KeyError, TypeError):
        return _shown(item)
    return f"{_functional(item)} <= {_shown(right)}"


def _functional(item: Any) -> str:
    try:
        terms = [f"{c} <r{a}, r{b}>" for c, a, b in item["inner"]] + [f"{c} f[r{r}]" for c, r in item["values"]]
    except (KeyError, TypeError, ValueError):
        return _shown(item)
    return _shown(" + ".join(terms) or "0")


def _elsewhere(data: Mapping[str, Any], quantities: Mapping[str, object]) -> Iterator[str]:
    """Quantities at which the lower bound was certified and that are not those asked for."""
    lower = data.get("lower")
    if lower is None:
        return
    said = lower.get("quantities", {}) if isinstance(lower, dict) else {}
    for name, value in quantities.items():
        wanted = fraction_of_text(value) if isinstance(value, str) else decimal_fraction(value)
        if said.get(name) != str(wanted):
            yield f"lower bound: at {name} = {_shown(said.get(name))}; expected {wanted}"


_PARTS = {
    "program": _program,
    "claim": _pieces,
    "classes": _pieces,
    "shares": _pieces,
    "measure": _measure,
    "assumptions": _assumptions,
}
