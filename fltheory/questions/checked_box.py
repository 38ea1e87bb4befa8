"""A bound for all step sizes and curvatures of a box: one certificate for the whole box, its points where there is none."""

from __future__ import annotations

import dataclasses
import html
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import sympy as sp

from fltheory.algorithms.participation import Full
from fltheory.algorithms.vocabulary import Algorithm
from fltheory.evidence import certificates
from fltheory.evidence.model import Evidence, Outcome, Rung
from fltheory.kinds import JSON
from fltheory.questions.checked_bound import HOLDS, REFUTED, UNDECIDED, CheckedBound
from fltheory.theory.proofs import nonnegative_on
from fltheory.worstcase import box_verifier
from fltheory.worstcase.boxes import BoxClaim, certify_box
from fltheory.worstcase.classes import FunctionClass
from fltheory.worstcase.polynomial import Polynomial
from fltheory.worstcase.verifier import Work

AXES = ("step_size", "mu")
Ends = Mapping[str, tuple[Fraction, Fraction]]
#: Degrees of multipliers and of b, cheap ones first.
_DEGREES = (((2, 1), (3, 1)), ((2, 2), (3, 2)))


@dataclass(frozen=True)
class CheckedBox:
    """A bound on a box of step sizes and ``mu``: certified as a whole, or refuted at one of ``points``, or undecided."""

    statement: str
    box: Ends
    points: CheckedBound
    certificate: dict[str, JSON] | None

    @property
    def verdict(self) -> str:
        """``"holds"`` only with a certificate of the whole box."""
        return REFUTED if self.points.verdict == REFUTED else HOLDS if self.certificate is not None else UNDECIDED

    @property
    def where(self) -> str:
        """``step_size in [1/8, 1/4], mu in [1/20, 1/5]``."""
        return ", ".join(f"{name} in [{low}, {high}]" for name, (low, high) in self.box.items())

    def lines(self) -> list[str]:
        """The verdict on the box; without a certificate what was found at its corners, middles and centre."""
        head = f"{self.verdict} for all {self.where}: {self.statement}"
        return [head] if self.verdict == HOLDS else [head, *self.points.lines()[1:]]

    def __repr__(self) -> str:
        return f"CheckedBox({self.verdict} for all {self.where}: {self.statement})"

    def __str__(self) -> str:
        return "\n  ".join(self.lines())

    def _repr_html_(self) -> str:
        title, *rest = (html.escape(line) for line in self.lines())
        return f"<div><p><b>{title}</b></p><ul>{''.join(f'<li>{line}</li>' for line in rest)}</ul></div>"

    def to_evidence(self) -> Evidence:
        """The same for a claim: a certified worst case for all parameters of the box."""
        if self.verdict == REFUTED:
            return self.points.to_evidence()
        if self.certificate is None:
            method = "Certified at points of the box; no certificate of the whole was found."
            settles = "a certificate of the whole box"
            return Evidence(Rung.EXACT, Outcome.NOT_REFUTED, method, len(self.points.points), would_settle=settles)
        method = "One certificate of the worst case for all parameters of the box, below the bound on all of it."
        valid = f"{self.where}, L = 1; every number of clients, all weights, every dimension; one round"
        valid = "; ".join([valid, *self.points.assumes])
        return Evidence(Rung.WORST_CASE, Outcome.HOLDS, method, 1, valid_for=valid, certificate=self.certificate)


def require_box(algorithm: Algorithm, function_class: object, between: Ends, other: Mapping[str, object]) -> None:
    """What a certificate of a box can say.

    Raises
    ------
    ValueError : parameters other than the step size and ``mu``; several rounds, another measure, class or participation.
    """
    if set(between) != set(AXES):
        raise ValueError(f"between has {', '.join(between) or 'nothing'}; expected intervals of step_size and of mu")
    (low, high), (bottom, top) = (between[name] for name in AXES)
    if not (0 < low < high and 0 <= bottom < top < 1):
        raise ValueError(
            f"between: step_size in [{low}, {high}], mu in [{bottom}, {top}]; expected 0 < low < high, and 0 <= low < high < 1"
        )
    if not isinstance(function_class, FunctionClass) or function_class.L != 1:
        raise ValueError(f"between needs one class with L = 1, the unit; the class is {function_class}")
    if not isinstance(getattr(algorithm, "participation", Full()), Full) or not hasattr(algorithm, "step_size"):
        raise ValueError(f"between needs a method with a step_size in which all clients take part; it is {algorithm}")
    usual = dict(
        rounds=1, measure="distance", start=("distance", None), heterogeneity="gradients", quantities=None, over=None
    )
    for name, value in other.items():
        wanted = usual.get(name)
        if value != wanted and not (isinstance(wanted, tuple) and value in wanted):
            raise ValueError(
                f"{name}={value!r} with between; certificates of a box are of one round from |w_0 - w*|^2 to |w_1 - w*|^2"
            )


def certified_on(
    algorithm: Any, factors: Mapping[str, sp.Expr], symbols: Mapping[str, sp.Symbol], between: Ends
) -> dict[str, JSON] | None:
    """A verified certificate of ``|w_1 - w*|^2 <= a |w_0 - w*|^2 + b zeta^2`` with ``a`` as stated and ``b`` at most as stated.

    Raises
    ------
    ValueError : a stated factor is no polynomial in step size and ``mu``.
    """
    axes = [symbols[name] for name in AXES]
    stated = _polynomial("distance", factors["distance"], axes)
    box = (between["step_size"], between["mu"])
    ranges = [(axis, sp.Rational(low), sp.Rational(high)) for axis, (low, high) in zip(axes, box, strict=True)]
    _polynomial("heterogeneity", factors["heterogeneity"], axes)
    make: Callable[[Any], Any] = lambda eta: dataclasses.replace(algorithm, step_size=eta)  # noqa: E731
    for multipliers, degrees in _DEGREES:
        found = certify_box(BoxClaim(make, stated, multipliers, degrees), box)
        if found is None:
            continue
        proved = _b(box_verifier.verify(found.data), degrees, box, axes)
        gap = sp.expand(factors["heterogeneity"] - proved)
        if nonnegative_on(gap, ranges):
            return {"box": found.data, "comparison": certificates.nonnegative(gap, ranges)}
    return None


def _polynomial(name: str, factor: sp.Expr, axes: list[sp.Symbol]) -> Polynomial:
    try:
        terms = sp.Poly(factor, *axes, domain="QQ").terms()
    except sp.PolynomialError:
        raise ValueError(
            f"the factor {factor} of {name} is no polynomial in step size and mu with rational numbers"
        ) from None
    return Polynomial({(int(i), int(j)): Fraction(int(c.p), int(c.q)) for (i, j), c in terms})


def _b(coefficients: list[Fraction], degrees: tuple[int, int], box: Any, axes: list[sp.Symbol]) -> sp.Expr:
    """b of a certificate from its Bernstein coefficients, as the verifier expands them."""
    eta, mu = axes
    work, total = Work(), sp.Integer(0)
    for index, c in enumerate(coefficients):
        for (i, j), entry in box_verifier.basis(index, degrees, box, work).items():
            total += sp.Rational(c) * sp.Rational(entry) * eta**i * mu**j
    return sp.expand(total)
