"""A question about the worst case with one step size left open: its model at rational steps, and with polynomial coefficients."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Any

from fltheory.algorithms.vocabulary import Algorithm
from fltheory.kinds import JSON, Number
from fltheory.worstcase import best_verifier, certificate, verifier
from fltheory.worstcase.arguments import check_quantities
from fltheory.worstcase.classes import FunctionClass
from fltheory.worstcase.formulation import build_model
from fltheory.worstcase.model import Model
from fltheory.worstcase.polynomial import ETA, POLYNOMIALS, Polynomial

#: An algorithm for every step size: a dataclass with a field that is replaced, or a function of the step size.
Family = Algorithm | Callable[[Any], Algorithm]


@dataclass(frozen=True)
class Question:
    """What is asked at every step size; ``make(eta)`` is the algorithm at one.

    ``options`` are those of :func:`~fltheory.worstcase.entry.worst_case` that make the model.
    """

    make: Callable[[Any], Algorithm]
    clients: FunctionClass
    options: Mapping[str, Any]
    given: Mapping[str, object] | None = None
    _models: dict[Fraction, Model] = field(default_factory=dict, repr=False)

    def at(self, step: Fraction) -> Model:
        """The model at a step size, built once."""
        if step not in self._models:
            self._models[step] = build_model(self.make(step), self.clients, **self.options)
        return self._models[step]

    @cached_property
    def open(self) -> Model:
        """The model with polynomials in the step size.

        Raises
        ------
        ValueError : a method whose coefficients are no polynomials in the step size.
        """
        try:
            return build_model(self.make(ETA), self.clients, numbers=POLYNOMIALS, **self.options)
        except TypeError as error:
            raise ValueError(f"the method's coefficients are no polynomials in the step size: {error}") from None

    @cached_property
    def quantities(self) -> dict[str, Fraction]:
        """The bounded quantities' values."""
        return check_quantities(self.open.bound_names, self.given)

    @cached_property
    def statement(self) -> dict[str, Any]:
        """The part of a certificate that says what is asked: factors are lists of powers of the step size and rationals."""
        said = certificate.bare(self.open)
        said["program"] = [_instruction(item) for item in self.open.instructions]
        found: dict[str, Any] = {name: said[name] for name in best_verifier.STATEMENT}
        found["method_length"] = self.open.method_length
        found["format"] = best_verifier.FORMAT
        found["quantities"] = {name: str(entry) for name, entry in self.quantities.items()}
        return found

    def program_at(self, step: Fraction) -> list[JSON]:
        """The open program at a step size, in the words of a certificate."""
        found: list[JSON] = best_verifier.program_at(self.statement["program"], step)  # type: ignore[no-untyped-call]
        return found

    @cached_property
    def degree(self) -> int:
        """The largest degree in the step size of a vector that the question uses."""
        try:
            found: int = best_verifier.degree(self.statement)  # type: ignore[no-untyped-call]
        except verifier.Rejected as error:
            raise ValueError(f"lower bounds at all step sizes: {error}") from None
        return found


def family(algorithm: Family, name: str) -> Callable[[Any], Algorithm]:
    """The algorithm as a function of the step size.

    Raises
    ------
    ValueError : an algorithm without such a field.
    """
    if callable(algorithm) and not dataclasses.is_dataclass(algorithm):
        return algorithm
    known: list[str] = (
        [f.name for f in dataclasses.fields(algorithm) if f.init] if dataclasses.is_dataclass(algorithm) else []
    )
    if name not in known or isinstance(algorithm, type):
        raise ValueError(
            f"field={name!r} is no field of {algorithm!r}; "
            + (f"its fields are {', '.join(known)}" if known else "no dataclass")
        )

    def make(step: Number) -> Any:
        return dataclasses.replace(algorithm, **{name: step})  # type: ignore[type-var]

    return make


def _instruction(item: tuple[Any, ...]) -> list[JSON]:
    if item[0] != "combine":
        return list(item)
    return ["combine", [[_coefficients(Polynomial.of(factor)), register] for factor, register in item[1]]]


def _coefficients(polynomial: Polynomial) -> list[JSON]:
    return [[power, str(factor)] for (power, _), factor in sorted(polynomial.terms.items())]
