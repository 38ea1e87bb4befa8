"""Number types of the arrays reading, and the one conversion on entry."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from fltheory.algorithms.vocabulary import Algorithm
from fltheory.kinds import Number
from fltheory.problems.blocks import keep_blocks
from fltheory.problems.checks import shown
from fltheory.problems.numbers import decimal_fraction, object_array
from fltheory.problems.scaled import Scaled, describe, exact_quadratic, is_quadratic


@dataclass(frozen=True)
class Numbers:
    """A number type: how to convert into it, and the NumPy dtype that holds it.

    Exact types read a float as the shortest decimal that denotes it: 0.05 is 1/20.  ``domain`` is the SymPy domain of
    a field of rational functions.
    """

    name: str
    convert: Callable[[Number], Number]
    dtype: Any
    domain: Any = None

    @property
    def exact(self) -> bool:
        return self.name != "float"

    def array(self, values: Any) -> Any:
        """An array of this number type."""
        if not self.exact:
            return np.asarray(values, dtype=np.float64)
        source = np.asarray(values)
        flat = source.ravel()
        if source.dtype.kind == "i" and flat.size:
            # Zeros and ones, mostly: each integer is converted once.
            known = {value: self.convert(value) for value in set(flat.tolist())}
            return object_array([known[value] for value in flat.tolist()], source.shape)
        return object_array([self.convert(value) for value in flat], source.shape)


FLOAT = Numbers("float", float, np.float64)
RATIONAL = Numbers("rational", decimal_fraction, object)


def rational_functions(*names: str) -> tuple[Numbers, tuple[Number, ...]]:
    """The field QQ(names...) as a number type, and its generators (step sizes, say).

    Elements are sparse rational functions in canonical form: far faster than symbolic expressions, and equality of
    elements is equality of functions.

    Raises
    ------
    ValueError : no name, a name twice, something that is no name of a variable.
    """
    for name in names:
        if not isinstance(name, str) or not name.isidentifier():
            raise ValueError(f"names={shown(name)} is no name of a variable; expected texts such as 'eta'")
    if not names or len(set(names)) < len(names):
        raise ValueError(f"names={names!r} is not valid; expected at least one name, no name twice")
    from sympy import QQ, field

    base, *generators = field(",".join(names), QQ)

    def convert(value: Any) -> Number:
        if getattr(value, "field", None) == base:
            return value
        fraction = decimal_fraction(value)
        return base.ground_new(QQ(fraction.numerator, fraction.denominator))

    return Numbers("rational function", convert, object, base.to_domain()), tuple(generators)


def substitute(element: Number, *values: Any) -> Fraction:
    """The value of a rational function at rational arguments, one per generator.

    Raises
    ------
    ValueError : a pole there.
    """
    points = [decimal_fraction(value) for value in values]

    def polynomial(part: Any) -> Fraction:
        total = Fraction(0)
        for powers, coefficient in part.terms():
            term = Fraction(int(coefficient.numerator), int(coefficient.denominator))
            for point, power in zip(points, powers, strict=True):
                term *= point**power
            total += term
        return total

    bottom = polynomial(element.denom)
    if bottom == 0:
        raise ValueError(f"{element} has a pole at {tuple(map(str, points))}")
    return polynomial(element.numer) / bottom


class Rate:
    """An element of a field of rational functions as a field of an algorithm.

    SymPy's elements ask every factor for its truth value, which vectors refuse; a rate lets the vector answer instead.
    """

    __slots__ = ("numbers", "value")
    __array_ufunc__ = None

    def __init__(self, numbers: Numbers, value: Any) -> None:
        self.numbers = numbers
        self.value = value

    def _with(self, other: Any, operation: Callable[[Any, Any], Any]) -> Any:
        if isinstance(other, Rate):
            return Rate(self.numbers, operation(self.value, other.value))
        if isinstance(other, (float, np.floating)):
            raise TypeError(f"the float {other} entered an exact run: give the algorithm's numbers as its fields")
        if not isinstance(other, (int, Fraction, np.integer)):
            return NotImplemented
        return Rate(self.numbers, operation(self.value, self.numbers.convert(other)))

    def __add__(self, other: Any) -> Any:
        return self._with(other, lambda a, b: a + b)

    def __sub__(self, other: Any) -> Any:
        return self._with(other, lambda a, b: a - b)

    def __rsub__(self, other: Any) -> Any:
        return self._with(other, lambda a, b: b - a)

    def __mul__(self, other: Any) -> Any:
        return self._with(other, lambda a, b: a * b)

    def __truediv__(self, other: Any) -> Any:
        return self._with(other, lambda a, b: a / b)

    def __rtruediv__(self, other: Any) -> Any:
        return self._with(other, lambda a, b: b / a)

    def __neg__(self) -> Rate:
        return Rate(self.numbers, -self.value)

    def __pow__(self, exponent: int) -> Rate:
        return Rate(self.numbers, self.value**exponent)

    __radd__ = __add__
    __rmul__ = __mul__


def accept(numbers: Numbers, number: Number) -> Number:
    """A number that an algorithm multiplies with, in the type ``numbers``.

    Raises ``TypeError`` for a float in an exact run (``0.5 * x`` would round without saying so) and for an array.
    """
    if isinstance(number, np.ndarray):
        raise TypeError("an array is no factor of a vector: scale by a number, or by fed.per_client(numbers)")
    if numbers.exact and isinstance(number, (float, np.floating)):
        raise TypeError(f"the float {number} entered an exact run: give the algorithm's numbers as its fields")
    return numbers.convert(number.value if isinstance(number, Rate) else number)


def convert_problem(problem: object, numbers: Numbers) -> Any:
    """The problem in the type ``numbers``: exact types read floats as decimals and make the weights sum to one.

    A factor times a quadratic problem becomes the quadratic problem it is, after the floats have been read.

    Raises
    ------
    ValueError : an exact type for a problem whose gradients are not rational.
    """
    if hasattr(problem, "map_parts"):
        return problem.map_parts(lambda part: convert_problem(part, numbers))
    if isinstance(problem, Scaled) and is_quadratic(problem):
        read = problem.to_exact(decimal_fraction) if numbers.exact else problem
        return convert_problem(read.multiplied(), numbers)
    if not numbers.exact:
        return keep_blocks(problem, problem.to_float() if hasattr(problem, "to_float") else problem)
    if not is_quadratic(problem):
        raise ValueError(f"problem={describe(problem)}: exact numbers need a quadratic problem")
    rational = exact_quadratic(problem, decimal_fraction)
    return keep_blocks(problem, rational if numbers is RATIONAL else rational.to_dense().map_numbers(numbers.convert))


def convert_algorithm(algorithm: Algorithm, numbers: Numbers) -> Any:
    """The algorithm with its real-valued fields in the type ``numbers``."""
    if numbers.domain is None:
        return convert_values(algorithm, numbers.convert)
    return convert_values(algorithm, lambda value: Rate(numbers, numbers.convert(value)))


_KEPT = ("int", "int | None", "Steps", "bool", "str", int, int | None, bool, str)


def convert_values(value: object, convert: Callable[[Number], Number]) -> Any:
    """A frozen value (algorithm, schedule, scheme) with its real-valued fields converted.

    Fields annotated ``int``, ``int | None``, ``Steps``, ``bool`` or ``str`` are counts and names and stay; dataclasses are
    converted inside.
    """
    if not dataclasses.is_dataclass(value) or isinstance(value, type):
        return value
    changes: dict[str, Any] = {}
    for field in dataclasses.fields(value):
        current = getattr(value, field.name)
        if field.type in _KEPT or current is None:
            continue
        if dataclasses.is_dataclass(current):
            changes[field.name] = convert_values(current, convert)
        elif isinstance(current, (int, float, Fraction, np.number)) or hasattr(current, "field"):
            changes[field.name] = convert(current)
    return dataclasses.replace(value, **changes) if changes else value
