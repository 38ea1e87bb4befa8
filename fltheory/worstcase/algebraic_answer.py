"""Worst cases that are roots of polynomials: the value, its minimal polynomial, and a proof in the field of one number.

Where a worst case has no rational value, its solution is polished to several hundred digits, the polynomial of one of its
numbers theta is recognised, and the ranges of the worst instance's blocks are written in powers of theta.  Instance and
multipliers then follow from linear equations over Q(theta).  Recognition proves nothing:
:mod:`fltheory.worstcase.algebraic_verifier` checks both sides in exact arithmetic.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import ceil, floor, gcd, lcm
from pathlib import Path
from typing import Any

from fltheory.problems.base import check_count
from fltheory.tables import Shown
from fltheory.worstcase import algebraic_verifier, certificate, linear, verifier
from fltheory.worstcase.answer import WorstCase
from fltheory.worstcase.certificate import Data
from fltheory.worstcase.certify import reduced
from fltheory.worstcase.enclosure import Clock
from fltheory.worstcase.faces import Face
from fltheory.worstcase.forms import Forms, Instance
from fltheory.worstcase.linear import Row
from fltheory.worstcase.number_field import Element, Field
from fltheory.worstcase.polish import polished
from fltheory.worstcase.recognise import LARGEST, BlockRange, Middle, Unrecognised, exact_instance, middle, ranges
from fltheory.worstcase.relations import in_powers, minimal_polynomial
from fltheory.worstcase.symmetric_group import symmetric_witness

#: Digits of the polished solution, and how many of them are used to recognise numbers, fewer first.
DIGITS, TRIED = 720, (120, 260, 700)
#: Polynomials of a higher degree are not looked for.
MOST_DEGREE = 8


@dataclass(frozen=True)
class AlgebraicWorstCase(Shown):
    """A worst case that is exactly one root of an irreducible polynomial.

    Attributes
    ----------
    polynomial : its integer coefficients, constant term first.
    low, high : short decimals between which the polynomial has one root, the worst case.
    root : the worst case as a number of the field.
    bound : ``{quantity: factor}``, numbers of the field: ``measure <= sum factor * quantity`` whatever the quantities.
    certificate : JSON data that :func:`fltheory.worstcase.algebraic_verifier.verify` accepts.
    field : theta's polynomial and enclosure.
    """

    polynomial: tuple[int, ...]
    low: Fraction
    high: Fraction
    root: Element
    bound: Mapping[str, Element]
    certificate: Data
    field: Field
    quantities: Mapping[str, Fraction]

    @property
    def degree(self) -> int:
        """The degree of the value over the rationals."""
        return len(self.polynomial) - 1

    @property
    def value(self) -> float:
        """The value in floats."""
        return float(self.root)

    @cached_property
    def symmetric(self) -> tuple[int, int] | None:
        """Two primes that show the Galois group to be the full symmetric one, see :func:`symmetric_witness`."""
        return symmetric_witness(self.polynomial)

    @property
    def solvable(self) -> bool | None:
        """Whether the value can be written with roots: up to degree 4 it can, with the full symmetric group from 5 it cannot.

        ``None`` where neither was shown.
        """
        return True if self.degree < 5 else False if self.symmetric is not None else None

    def save(self, path: str | Path) -> None:
        """Write the certificate to a file."""
        certificate.save(self.certificate, Path(path))

    def __repr__(self) -> str:
        terms = [f"{c} v^{k}" if k else str(c) for k, c in reversed(list(enumerate(self.polynomial))) if c]
        text = " + ".join(terms).replace("+ -", "- ").replace("v^1 ", "v ")
        if len(text) > 60:
            text = f"{text[:30]}..., integers of up to {max(len(str(abs(c))) for c in self.polynomial)} digits"
        return (
            f"AlgebraicWorstCase({self.value:.15g}: the root between {decimal(self.low)} and {decimal(self.high)} "
            f"of an irreducible polynomial of degree {self.degree}, {text})"
        )


def decimal(number: Fraction) -> str:
    """A decimal fraction, written out."""
    places = next(k for k in range(200) if (number * 10**k).denominator == 1)
    digits = str(abs(int(number * 10**places))).rjust(places + 1, "0")
    return (
        ("-" if number < 0 else "")
        + digits[: len(digits) - places]
        + ("." + digits[len(digits) - places :] if places else "")
    )


def algebraic(answer: WorstCase, budget: Clock, degree: int = MOST_DEGREE) -> AlgebraicWorstCase:
    """The exact value of a worst case whose instance is of a field of degree at most ``degree``.

    Raises
    ------
    ValueError : none was found; the message says in a line what was tried.  A degree that is no positive count.
    """
    check_count("degree", degree)
    model, quantities = answer.model, answer.quantities
    if any(item[0] in ("noise", "infimum") for item in model.instructions):
        raise ValueError("no algebraic value: noise and infima have no certificate in a field")
    forms = Forms(model)
    try:
        solution, seen = _solution(answer, forms, budget)
        theta, polynomial = _generator(solution, seen, degree)
        field = _field(theta, polynomial)
        bases = _bases(seen, field, theta, polynomial)
        instance = exact_instance(forms, solution, quantities, seen, bases)
        pairs, assumptions = _multipliers(forms, solution, bases)
    except Unrecognised as error:
        raise ValueError(f"no algebraic value was found: {error}") from None
    data = _data(forms, field, instance, pairs, assumptions, quantities)
    try:
        value = algebraic_verifier.verify(data)
    except verifier.Rejected as error:
        raise ValueError(f"no algebraic value was found: what was recognised does not verify, {error}") from None
    bound: dict[str, Element] = {}
    for item, y in zip(model.assumptions, assumptions, strict=True):
        if item.bound is not None:
            bound[item.bound] = field.element([0]) + bound.get(item.bound, Fraction(0)) + y * item.scale
    lowest = minimal(value)
    if not irreducible(lowest):
        raise ValueError(f"no algebraic value was found: {lowest} is reducible")
    low, high = _isolating(value, lowest)
    return AlgebraicWorstCase(tuple(lowest), low, high, value, bound, data, field, quantities)


def _solution(answer: WorstCase, forms: Forms, budget: Clock) -> tuple[Middle, dict[str, BlockRange]]:
    found = middle(reduced(answer.model, answer.quantities), answer.quantities, budget.left)
    if found is None:
        raise Unrecognised("no solution in decimals")
    better = polished(forms, found, ranges(found), answer.quantities, DIGITS)
    if better is None:
        raise Unrecognised(
            "the optimal multipliers and instances are not single ones, or Newton's method does not reach them"
        )
    return better


def _generator(solution: Middle, seen: Mapping[str, BlockRange], degree: int) -> tuple[Fraction, list[int]]:
    """A number of the solution that is no rational, with its polynomial: one with small coefficients."""
    entries = [e for item in seen.values() for row in item.rows for e in row if _rational(e) is None]
    if not entries:
        inner = [solution.instance[0][name][k][k] for name, item in seen.items() for k in item.places]
        entries = [e for e in [*inner, *solution.pairs, *solution.assumptions] if _rational(e) is None]
    if not entries:
        raise Unrecognised("all numbers of the solution are rational")
    for digits in TRIED[:2]:
        found = [
            (len(polynomial), max(map(abs, polynomial)), e, polynomial)
            for e in entries[:4]
            for polynomial in [minimal_polynomial(e, digits, degree)]
            if polynomial is not None and irreducible(polynomial)
        ]
        if found:
            *_, theta, chosen = max(found, key=lambda item: (item[0], -item[1]))
            return theta, chosen
    raise Unrecognised(
        f"{float(entries[0]):.12g} in its worst instance is a root of no polynomial that was seen of a degree up to {degree}"
    )


def _rational(entry: Fraction) -> Fraction | None:
    near = entry.limit_denominator(LARGEST)
    return near if abs(entry - near) <= Fraction(1, 10**40) * max(Fraction(1), abs(entry)) else None


def _field(theta: Fraction, polynomial: list[int]) -> Field:
    for digits in (6, 12, 24, 48, 96):
        room = max(abs(theta), Fraction(1)) / 10**digits
        low, high = (Fraction(round((theta + s * room) * 10**digits * 100), 10**digits * 100) for s in (-1, 1))
        try:
            return Field(tuple(map(Fraction, polynomial)), low, high)
        except ValueError:
            continue
    raise Unrecognised("the root of its polynomial is not isolated")


def _bases(
    seen: Mapping[str, BlockRange], field: Field, theta: Fraction, polynomial: list[int]
) -> dict[str, list[Row]]:
    """All ranges in numbers of the field."""

    def number(entry: Fraction) -> Any:
        exact = _rational(entry)
        if exact is not None:
            return exact
        for digits in TRIED:
            powers = in_powers(entry, theta, polynomial, digits)
            if powers is not None:
                slope = field.element([k * c for k, c in enumerate(polynomial)][1:])
                return field.element(powers) / slope
        raise Unrecognised(f"{float(entry):.12g} is not seen in the field of {float(theta):.12g}")

    return {name: [[number(e) for e in row] for row in item.rows] for name, item in seen.items()}


def _multipliers(forms: Forms, solution: Middle, bases: Mapping[str, list[Row]]) -> tuple[list[Any], list[Any]]:
    face = Face(forms, solution.tight_pairs, solution.tight_assumptions, bases)
    guess = [solution.pairs[k] for k in face.pairs] + [solution.assumptions[k] for k in face.assumptions]
    order = sorted(range(len(guess)), key=lambda k: -guess[k])
    try:
        chosen = linear.completed(face.equations(), order, [Fraction(round(y * 10**12), 10**12) for y in guess])
    except ArithmeticError:
        raise Unrecognised("no multipliers take the recognised ranges to zero") from None
    return face.whole(chosen)


def _data(
    forms: Forms,
    field: Field,
    instance: Instance,
    pairs: list[Any],
    assumptions: list[Any],
    quantities: Mapping[str, Fraction],
) -> Data:
    def texts(entry: Any) -> list[str]:
        number = entry if isinstance(entry, Element) else field.element([entry])
        return [str(c) for c in number.coefficients]

    listed: dict[str, list[Any]] = {group.name: [] for group in forms.model.groups}
    for (name, i, j, _), y in zip(forms.keys, pairs, strict=True):
        if y:
            listed[name].append([i, j, texts(y)])
    value = Forms.evaluate(forms.measure, instance)
    blocks = {
        certificate.block_title(name): [[texts(e) for e in row] for row in rows] for name, rows in instance[0].items()
    }
    statement = certificate.statement(forms.model)
    return {
        "format": algebraic_verifier.FORMAT,
        **{name: statement[name] for name in algebraic_verifier.STATEMENT},
        "field": {
            "polynomial": [str(c) for c in field.polynomial],
            "low": str(field.isolated[0]),
            "high": str(field.isolated[1]),
        },
        "quantities": {name: str(entry) for name, entry in quantities.items()},
        "value": texts(value),
        "upper": {"interpolation": listed, "assumptions": [texts(y) for y in assumptions]},
        "lower": {"blocks": blocks, "values": {str(r): texts(e) for r, e in instance[1].items()}},
    }


def _isolating(value: Element, polynomial: list[int]) -> tuple[Fraction, Fraction]:
    """The decimals of fewest digits around a root that have no other root of its polynomial between them."""
    for places in range(3, 100):
        scale = 10**places
        bottom, top = value.enclosed(Fraction(1, 1000 * scale))
        low, high = Fraction(floor(bottom * scale), scale), Fraction(ceil(top * scale), scale)
        if len(polynomial) == 2:
            return low, high + (Fraction(1, scale) if low == high else 0)
        try:
            Field(tuple(map(Fraction, polynomial)), low, high)
        except ValueError:
            continue
        return low, high
    raise ValueError("no algebraic value was found: the root of its polynomial is not isolated")


def minimal(element: Element) -> list[int]:
    """The polynomial of least degree with this root, integers without a common divisor, by linear equations between powers."""
    powers = [element.field.element([1])]
    while True:
        powers.append(powers[-1] * element)
        columns = [list(row) for row in zip(*(power.coefficients for power in powers), strict=True)]
        found = linear.kernel(columns, Fraction(1))
        if found:
            common = lcm(*(c.denominator for c in found[0]))
            whole = [int(c * common) for c in found[0]]
            divisor = gcd(*whole) * (1 if whole[-1] > 0 else -1)
            return [c // divisor for c in whole]


def irreducible(polynomial: Iterable[int]) -> bool:
    """Whether a polynomial with integer coefficients, constant term first, is irreducible over the rationals."""
    import sympy as sp

    return bool(sp.Poly(list(polynomial)[::-1], sp.Symbol("v"), domain="ZZ").is_irreducible)
