"""Certificates as data: what a row keeps so that its proof can be verified again without its script.

Each certificate is a dict with a ``type`` and expressions as text in plain symbols:

``polynomial``
    ``left, right, premises {name: [multiplier, premise]}, squares [[weight, expression]]``,
    ``ranges [[symbol, low, high]]``: :class:`fltheory.theory.proofs.Certificate`, made by :func:`polynomial`;
    open ends begin with ``>`` or ``<``, as in ``["L", "> mu", null]``.
``identity``
    ``expressions``: rational expressions that vanish identically; ``where`` (for a reader) says what symbols stand for that are in
    the place of powers with symbols above, logarithms or functions.
``nonnegative``
    ``expression, ranges``: a rational expression that is nonnegative on a box, by
    :func:`fltheory.theory.proofs.nonnegative_on`.
``positive``
    ``expression, ranges``: the same for :func:`fltheory.theory.proofs.positive_on`.
``regular``
    ``expressions, ranges``: rational expressions none of whose denominators vanishes on a box.
``closure``
    ``beside, gains, premises, sides``: :class:`fltheory.theory.closure.Closure`, made by :func:`closure`: the polynomial
    certificate beside the end, a polynomial certificate for each hypothesis, an identity for the premises, and both sides
    regular on the ranges with the end.
``psd``
    ``matrix``: rows of rational numbers, positive semidefinite.
``witness``
    ``at {name: value}, given [[left, relation, right]], claim [left, relation, right]``: at the values every hypothesis
    holds and the claim is false, :class:`fltheory.evidence.witness.Witness`, made by :func:`witness`.
``relations``
    ``text, squares, uses, at``: a statement of algebra as it is printed, with what its proof takes away, by
    :class:`fltheory.evidence.relations.Relations`.
``matrices``
    ``text, squares, uses, at``: a statement about matrices, by :class:`fltheory.evidence.matrices.Matrices`.
``valued``
    ``derivation, values, relations``: a derivation at values of its letters, whose ranges are proved by relations:
    :mod:`fltheory.evidence.valued`.

Certificates of worst cases, of boxes and of all rounds (Lyapunov) and derivations carry a ``format`` instead of a ``type`` and
are verified by the trusted file of their kind.  A certificate may also be nested in dicts and lists: the steps of a proof
(:mod:`fltheory.evidence.kept_steps`) are ``{"steps": [{"name": ..., "certificate": ...}, ...]}``.  Data of another type is kept,
but it is no certificate here.
"""

from __future__ import annotations

import keyword
from collections.abc import Iterable, Mapping, Sequence
from importlib import import_module
from typing import Any

import sympy as sp

from fltheory.evidence.arithmetic import parse, real
from fltheory.evidence.witness import Witness
from fltheory.kinds import JSON
from fltheory.theory import proofs
from fltheory.theory.closure import MOVE, Closure, closed_at
from fltheory.theory.signs import Open, Range, Ranges, pole, ranges_as_text

_FIELDS: Mapping[str, set[str]] = {
    "polynomial": {"left", "right", "premises", "squares", "ranges"},
    "identity": {"expressions"},
    "nonnegative": {"expression", "ranges"},
    "positive": {"expression", "ranges"},
    "regular": {"expressions", "ranges"},
    "closure": {"beside", "gains", "premises", "sides"},
    "psd": {"matrix"},
    "witness": {"at", "given", "claim"},
    "relations": {"text", "squares", "uses", "at"},
    "matrices": {"text", "squares", "uses", "at"},
    "valued": {"derivation", "values", "relations"},
}

#: Trusted files by format, the exception with which they refuse, and what verifies.  A worst case of version 1 says by
#: registers what it proves; its row is bound to it where the check builds its programs anew (:mod:`fltheory.evidence.replay`).
_FORMATS: Mapping[str, tuple[str, str, str]] = {
    "fltheory worst case 1": ("fltheory.worstcase.verifier", "Rejected", "verify_part"),
    "fltheory worst case 2": ("fltheory.worstcase.verifier", "Rejected", "verify"),
    "fltheory box 1": ("fltheory.worstcase.box_verifier", "Rejected", "verify"),
    "fltheory lyapunov 1": ("fltheory.worstcase.lyapunov_verifier", "Rejected", "verify"),
    "fltheory best step 1": ("fltheory.worstcase.best_verifier", "Rejected", "verify"),
    "fltheory algebraic worst case 1": ("fltheory.worstcase.algebraic_verifier", "Rejected", "verify"),
    "fltheory derivation 1": ("fltheory.derivation.replay", "Underivable", "verify"),
}


def _names(expressions: Iterable[object]) -> None:
    symbols = set().union(*(sp.sympify(expression).free_symbols for expression in expressions))
    names = [symbol.name for symbol in symbols]
    double = sorted({name for name in names if names.count(name) > 1})
    if double:
        raise ValueError(f"symbols {double} occur with different assumptions; a certificate needs one symbol per name")
    strange = sorted(name for name in names if not name.isidentifier() or keyword.iskeyword(name))
    if strange:
        raise ValueError(f"symbols {strange} are no identifiers, so that a certificate cannot be read back")


def polynomial(certificate: proofs.Certificate) -> dict[str, JSON]:
    """A polynomial certificate as data.

    Raises
    ------
    ValueError : two symbols share a name, or a name is no identifier.
    """
    flat = [certificate.left, certificate.right]
    flat += [item for pair in certificate.premises.values() for item in pair]
    flat += [item for pair in certificate.squares for item in pair]
    flat += [item for triple in certificate.ranges for item in _plain(triple)]
    _names(flat)
    return {
        "type": "polynomial",
        "left": str(certificate.left),
        "right": str(certificate.right),
        "premises": {name: [str(item) for item in pair] for name, pair in certificate.premises.items()},
        "squares": [[str(item) for item in pair] for pair in certificate.squares],
        "ranges": ranges_as_text(certificate.ranges),
    }


def _plain(triple: Range) -> list[Any]:
    return [item.end if isinstance(item, Open) else item for item in triple if item is not None]


def identity(*expressions: sp.Expr) -> dict[str, JSON]:
    """Expressions that vanish identically, as data."""
    _names(expressions)
    return {"type": "identity", "expressions": [str(expression) for expression in expressions]}


def nonnegative(expression: sp.Expr, ranges: Ranges) -> dict[str, JSON]:
    """An expression that is nonnegative on a box, as data."""
    _names([expression, *(item for triple in ranges for item in _plain(triple))])
    return {"type": "nonnegative", "expression": str(expression), "ranges": ranges_as_text(ranges)}


def positive(expression: sp.Expr, ranges: Ranges) -> dict[str, JSON]:
    """An expression that is positive on a box, as data."""
    return {**nonnegative(expression, ranges), "type": "positive"}


def regular(expressions: Sequence[sp.Expr], ranges: Ranges) -> dict[str, JSON]:
    """Expressions without a pole on a box, as data."""
    _names([*expressions, *(item for triple in ranges for item in _plain(triple))])
    return {"type": "regular", "expressions": [str(item) for item in expressions], "ranges": ranges_as_text(ranges)}


def closure(found: Closure) -> dict[str, JSON]:
    """A certificate beside the end of a range with what extends it to the end, as data."""
    return {
        "type": "closure",
        "beside": polynomial(found.certificate),
        "gains": {name: polynomial(gain) for name, gain in found.gains().items()},
        "premises": identity(*found.residuals().values()),
        "sides": regular([found.certificate.left, found.certificate.right], found.ranges),
    }


def psd(matrix: sp.Matrix) -> dict[str, JSON]:
    """A rational positive semidefinite matrix, as data."""
    return {"type": "psd", "matrix": [[str(item) for item in matrix.row(i)] for i in range(matrix.rows)]}


def witness(found: Witness) -> dict[str, JSON] | None:
    """A witness as data; ``None`` where a value or a side is no plain arithmetic in the values, or nothing is refuted."""
    if not any(getattr(getattr(one, "value", one), "free_symbols", ()) for one in (found.left, found.right)):
        return None
    relations = [[str(getattr(one, "value", one)) for one in each] for each in found.relations]
    at = {name: str(value) for name, value in found.at.items()}
    data: dict[str, Any] = {"type": "witness", "at": at, "given": relations[1:], "claim": relations[0]}
    try:
        return data if _refutes(data)[0] else None
    except ValueError:
        return None


def _refutes(data: Mapping[str, Any]) -> tuple[bool, str]:
    """Whether the hypotheses of a witness hold, its claim is false, and nothing is divided by zero."""
    divisors: list[sp.Expr] = []
    functions: list[sp.Expr] = []
    (left, relation, right), *given = [
        (parse(one, divisors, functions), sign, parse(two, divisors, functions))
        for one, sign, two in [data["claim"], *data["given"]]
    ]
    found = Witness({name: parse(text, None, []) for name, text in data["at"].items()}, left, relation, right, given)
    if not all(found.true(divisor, "!=", 0) for divisor in divisors):
        return False, "a text divides by zero"
    for one in functions:
        real(found.value(one))
    return found.refutes, found.failing or found.text


def _read_ranges(data: Sequence[Sequence[str | None]]) -> list[Range]:
    def end(text: str, sign: str) -> Any:
        return Open(parse(text.removeprefix(sign).strip())) if text.startswith(sign) else parse(text)

    return [
        (sp.Symbol(str(symbol)), end(str(low), ">"), None if high is None else end(high, "<"))
        for symbol, low, high in data
    ]


def _undefined(texts: Iterable[str], ranges: Ranges) -> str:
    """Why an expression is not shown to mean something everywhere on the ranges as it is written; empty if all are."""
    divisors: list[sp.Expr] = []
    for text in texts:
        parse(text, divisors)
    try:
        poles = [pole(1 / one, ranges) for one in dict.fromkeys(divisors)] or [pole(sp.Integer(1), ranges)]
    except ValueError as error:
        return str(error)
    bad = next((found for found in poles if found is not None), None)
    return "" if bad is None else f"{bad}, which a text divides by, is not shown to vanish nowhere"


def certificates_in(data: object) -> Iterable[Mapping[str, Any]]:
    """All certificates in nested data."""
    if isinstance(data, Mapping):
        if "type" in data or "format" in data:
            yield data
        else:
            for item in data.values():
                yield from certificates_in(item)
    elif isinstance(data, list):
        for item in data:
            yield from certificates_in(item)


def can_verify(data: Mapping[str, object]) -> bool:
    """Whether the data is a certificate of a type known here."""
    if data.get("format") in _FORMATS:
        return True
    kind = str(data.get("type"))
    return _FIELDS.get(kind) == set(data) - ({"type", "where"} if kind == "identity" else {"type"})


def _unrelated(data: Mapping[str, Any]) -> list[str]:
    """What keeps the parts of a closure from being parts of one argument."""
    beside, sides = data["beside"], data["sides"]
    if [beside["left"], beside["right"]] != sides["expressions"]:
        return ["the sides are of another statement"]
    ranges, closed = _read_ranges(beside["ranges"]), _read_ranges(sides["ranges"])
    moved = [new[0] for old, new in zip(ranges, closed, strict=False) if old != new]
    if len(moved) != 1:
        return ["the ranges of the sides are not those beside the end with one end more"]
    (symbol,) = moved
    whole, side = closed_at(symbol, ranges)
    if closed != whole:
        return [f"the ranges of the sides are not those beside the end of {symbol} with that end"]
    for name, gain in data["gains"].items():
        form = parse(gain["left"])
        grown = proofs.is_zero(parse(gain["right"]) - form.subs(symbol, symbol + side * MOVE))
        if (
            gain["premises"]
            or MOVE in form.free_symbols
            or not grown
            or _read_ranges(gain["ranges"]) != [*whole, (MOVE, 0, None)]
        ):
            return [f"the gain of hypothesis {name} is not that of {symbol} moved into its range"]
    return []


def verify_certificate(data: Mapping[str, Any]) -> tuple[bool, str]:
    """Whether a certificate proves what it says, and the first reason if it does not.

    Raises
    ------
    ValueError : the type is unknown or an expression is not plain arithmetic.
    """
    if data.get("format") in _FORMATS:
        module, refusal, name = _FORMATS[str(data["format"])]
        try:
            verifier = import_module(module)
        except ModuleNotFoundError:
            raise ValueError(f"certificate format={data['format']!r} has no verifier in this version") from None
        try:
            getattr(verifier, name)(data)
        except getattr(verifier, refusal) as error:
            return False, str(error)
        return True, "verified"
    kind = data.get("type")
    if "ranges" in data:
        texts = [data[name] for name in ("left", "right", "expression") if name in data]
        texts += [*data.get("expressions", ())]
        texts += [text for pair in [*data.get("premises", {}).values(), *data.get("squares", ())] for text in pair]
        undefined = _undefined(texts, _read_ranges(data["ranges"]))
        if undefined:
            return False, undefined
    if kind == "polynomial":
        certificate = proofs.Certificate(
            left=parse(data["left"]),
            right=parse(data["right"]),
            premises={name: (parse(pair[0]), parse(pair[1])) for name, pair in data["premises"].items()},
            squares=[(parse(pair[0]), parse(pair[1])) for pair in data["squares"]],
            ranges=_read_ranges(data["ranges"]),
        )
        return certificate.verify()
    if kind == "identity":
        left = [text for text in data["expressions"] if not proofs.is_zero(parse(text))]
        return (not left and bool(data["expressions"])), f"{left[:1]} does not vanish" if left else "all vanish"
    if kind == "nonnegative":
        good = proofs.nonnegative_on(parse(data["expression"]), _read_ranges(data["ranges"]))
        return good, "signs verified" if good else f"{data['expression']} is not shown nonnegative"
    if kind == "positive":
        good = proofs.positive_on(parse(data["expression"]), _read_ranges(data["ranges"]))
        return good, "signs verified" if good else f"{data['expression']} is not shown positive"
    if kind == "regular":
        ranges, expressions = _read_ranges(data["ranges"]), [parse(text) for text in data["expressions"]]
        poles = [bad for bad in (pole(expression, ranges) for expression in expressions) if bad is not None]
        return not poles, f"{poles[0]} is not shown to vanish nowhere" if poles else "no denominator vanishes"
    if kind == "closure":
        parts = [data["beside"], *data["gains"].values(), data["premises"], data["sides"]]
        failed = [why for good, why in map(verify_certificate, parts) if not good]
        failed += _unrelated(data)
        return not failed, failed[0] if failed else "verified"
    if kind == "psd":
        good = proofs.is_positive_semidefinite(sp.Matrix([[parse(item) for item in row] for row in data["matrix"]]))
        return good, "factorised" if good else "the matrix is not positive semidefinite"
    if kind == "witness":
        return _refutes(data)
    if kind == "relations":
        proved: tuple[bool, str] = import_module("fltheory.evidence.relations").Relations.read(data).proof
        return proved
    if kind == "matrices":
        shown: tuple[bool, str] = import_module("fltheory.evidence.matrices").Matrices.read(data).proof
        return shown
    if kind == "valued":
        good, reason = verify_certificate(data["derivation"])
        gap = str(import_module("fltheory.evidence.valued").missing(data)) if good else reason
        return not gap, gap or "verified"
    raise ValueError(f"certificate type={kind!r} is unknown")
