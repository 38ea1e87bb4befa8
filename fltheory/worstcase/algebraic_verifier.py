"""The verifier of algebraic worst cases: equal bounds from both sides in a field Q(theta), in exact arithmetic.

The certificate names a polynomial and an interval with one simple root theta; multipliers, Gram blocks and function values are
polynomials in theta with rational coefficients.  Constraints are those that :mod:`fltheory.worstcase.verifier` rebuilds from the
program.  Checked are

``upper``: multipliers y >= 0; ``sum y_b A_b - sum y_a q_a - measure`` has no function value left and is positive semidefinite in
    every block, by elimination; ``sum y_b limit_b`` is the value;
``lower``: blocks are positive semidefinite, every assumption and every interpolation inequality holds, and the measure is the
    value.

So the worst case is the value.  Nothing of this needs the polynomial to be irreducible (see
:mod:`fltheory.worstcase.number_field`).  The degree of the value is no part of the certificate: it follows from the
irreducibility of its polynomial, which a computer algebra system decides.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from fltheory.worstcase import verifier
from fltheory.worstcase.number_field import Element, Field

FORMAT = "fltheory algebraic worst case 1"
#: What is claimed of which program, in the terms of the verifier of rationals; what proves it.
STATEMENT = ("claim", "program", "method_length", "classes", "shares", "assumptions", "measure")
PROOF = ("field", "quantities", "value", "upper", "lower")
#: Fields of a higher degree are refused.
MOST_DEGREE = 24
_VERIFIER: Any = verifier
Rejected = verifier.Rejected
ZERO = Fraction(0)


def verify(data: Mapping[str, Any]) -> Element:
    """The value that a certificate proves.

    Raises
    ------
    verifier.Rejected : it proves nothing; the message says why.
    """
    return _told(data)[1]


def _told(data: Mapping[str, Any]) -> tuple[Any, Element]:
    try:
        return _verify(data)
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
        raise verifier.Rejected(f"malformed certificate: {type(error).__name__} {error}") from None


def _verify(data: Mapping[str, Any]) -> tuple[Any, Element]:
    verifier.plain(data)
    verifier.require(data.get("format") == FORMAT, "unknown format")
    verifier.fields(data, "certificate", ("format", *STATEMENT, *PROOF))
    verifier.fields(data["field"], "field", ("polynomial", "low", "high"))
    verifier.fields(data["upper"], "upper", ("interpolation", "assumptions"))
    verifier.fields(data["lower"], "lower", ("blocks", "values"))
    length = data.get("method_length", 0)
    verifier.require(type(length) is int and 0 <= length <= len(data["program"]), f"method_length {length!r}")
    model = _VERIFIER._Model(data)
    theorem, program = _VERIFIER.claimed(data, model), model.program
    verifier.fields(data["quantities"], "quantities", {bound for _, bound, _ in model.assumptions if bound is not None})
    verifier.require(len(data["field"]["polynomial"]) <= MOST_DEGREE + 1, f"a field of a degree above {MOST_DEGREE}")
    verifier.require(not program.draws and not program.infima, "noise and infima have no certificate here")
    given = data["field"]
    field = Field(
        tuple(map(verifier.number, given["polynomial"])), verifier.number(given["low"]), verifier.number(given["high"])
    )

    def number(texts: Any) -> Element:
        verifier.require(type(texts) is list and len(texts) <= field.degree, f"{texts!r} is no number of the field")
        return field.element([verifier.number(text) for text in texts])

    quantities = {name: verifier.number(text) for name, text in data["quantities"].items()}
    limits = [ZERO if bound is None else scale * quantities[bound] for _, bound, scale in model.assumptions]
    verifier.require(all(entry >= 0 for entry in quantities.values()), "a negative quantity")
    value = number(data["value"])
    _check_upper(model, data["upper"], number, limits, value)
    _check_lower(model, data["lower"], number, limits, value)
    return theorem, value


def report(data: Mapping[str, Any]) -> list[str]:
    """The theorem of a certificate in lines; :class:`verifier.Rejected` if it proves nothing."""
    theorem, value = _told(data)
    low, high = value.enclosed(Fraction(1, 10**20))
    given = {name: verifier.number(entry) for name, entry in data["quantities"].items()}
    where = theorem.limits(given, lambda entry, up: str(entry))
    below, above = (str(_VERIFIER.about(end, up)) for end, up in ((low, False), (high, True)))
    powers = " + ".join(f"({c}) t^{k}" for k, c in enumerate(value.coefficients) if c) or "0"
    root = " + ".join(f"({c}) t^{k}" for k, c in enumerate(value.field.polynomial) if c)
    low, high = value.field.isolated
    who = "N >= 2" if theorem.program.clients is None else f"N = {theorem.program.clients}"
    return [
        f"proved: {theorem.measure()} <= v where {where}, {theorem.for_whom()}",
        f"attained: {theorem.measure()} = v for some {who} clients of equal weights and some start, with {where}",
        f"v is a number between {below} and {above}: v = {powers}, where t is the root between {low} and {high} of {root}",
        *theorem.setting(),
        *theorem.assumptions(),
        *theorem.definitions(),
    ]


def _interpolation(model: Any, name: str, i: int, j: int) -> dict[Any, Fraction]:
    model.program.work = _VERIFIER.Work()  # each inequality has the whole allowance
    found: dict[Any, Fraction] = model.interpolation(name, [(i, j, Fraction(1))])
    return found


def _check_upper(model: Any, upper: Mapping[str, Any], number: Any, limits: list[Fraction], value: Element) -> None:
    rest: dict[Any, Any] = {}
    total = value * 0
    for (form, _, _), limit, texts in zip(model.assumptions, limits, upper["assumptions"], strict=True):
        y = number(texts)
        verifier.require(y >= 0, "the multiplier of an assumption is negative")
        total = total + y * limit
        _add(rest, form, y)
    verifier.require({*upper["interpolation"]} <= {*model.program.queries}, "interpolation of no class")
    for name, listed in upper["interpolation"].items():
        for i, j, texts in listed:
            y = number(texts)
            verifier.require(y >= 0, f"{name}: a negative multiplier")
            _add(rest, _interpolation(model, name, i, j), -y)
    _add(rest, model.measure, -1)
    verifier.require(not (total - value), "the multipliers do not give the value")
    slack = {block: [[ZERO + value * 0] * size for _ in range(size)] for block, size in model.program.sizes.items()}
    for key, entry in rest.items():
        if key[0] == "f":
            verifier.require(not entry or key[1] in model.program.at_origin, f"function value {key[1]} does not cancel")
        else:
            block, i, j = key
            slack[block][i][j] = slack[block][i][j] + entry / 2
            slack[block][j][i] = slack[block][j][i] + entry / 2
    for block, matrix in slack.items():
        verifier.require(semidefinite(matrix), f"the slack in block {block} is not positive semidefinite")


def _check_lower(model: Any, lower: Mapping[str, Any], number: Any, limits: list[Fraction], value: Element) -> None:
    """As in the verifier of rationals: each client has the sum of the blocks, deviations at the corners of a simplex."""
    program, blocks = model.program, {}
    verifier.fields(lower["blocks"], "blocks", [_VERIFIER.title(block) for block in program.sizes])
    verifier.fields(lower["values"], "values", (), {str(r) for queries in program.queries.values() for r in queries})
    values = {int(r): number(texts) for r, texts in lower["values"].items()}
    values |= dict.fromkeys(program.at_origin, value * 0)
    for block, size in program.sizes.items():
        rows = blocks[block] = [[number(texts) for texts in row] for row in lower["blocks"][_VERIFIER.title(block)]]
        verifier.require(len(rows) == size and all(len(row) == size for row in rows), f"block {block} has a wrong size")
        symmetric = all(not (rows[i][j] - rows[j][i]) for i in range(size) for j in range(i))
        verifier.require(
            symmetric and semidefinite(rows), f"block {block} of the instance is not positive semidefinite"
        )
    verifier.require(program.clients != 1, "one client does not deviate from the mean")
    verifier.require(
        all(program.at_origin & set(queries) for _, _, queries in model.groups.values()),
        "nothing says that the origin is a minimiser",
    )

    def evaluate(form: Mapping[Any, Any]) -> Any:
        total = value * 0
        for key, entry in form.items():
            total = total + (values[key[1]] if key[0] == "f" else blocks[key[0]][key[1]][key[2]]) * entry
        return total

    for (form, bound, _), limit in zip(model.assumptions, limits, strict=True):
        verifier.require(evaluate(form) <= limit, f"the instance breaks an assumption on {bound}")
    for name, (_, _, queries) in model.groups.items():
        for i, j in ((i, j) for i in queries for j in queries if i != j):
            gap = evaluate(_interpolation(model, name, i, j))
            verifier.require(gap >= 0, f"the instance breaks interpolation of {name} between {i} and {j}")
    verifier.require(not (evaluate(model.measure) - value), "the measure of the instance is not the value")


def semidefinite(matrix: list[list[Any]]) -> bool:
    """Exact test by symmetric elimination; a zero pivot needs a zero row."""
    rows, alive = [list(row) for row in matrix], list(range(len(matrix)))
    while alive:
        k = alive.pop(0)
        pivot = rows[k][k]
        if pivot < 0 or (not pivot and any(rows[k][j] for j in alive)):
            return False
        if pivot:
            for i in alive:
                if rows[i][k]:
                    factor = rows[i][k] / pivot
                    for j in alive:
                        rows[i][j] = rows[i][j] - factor * rows[k][j]
    return True


def _add(total: dict[Any, Any], terms: Mapping[Any, Fraction], factor: Any) -> None:
    for key, entry in terms.items():
        total[key] = total.get(key, ZERO) + factor * entry
