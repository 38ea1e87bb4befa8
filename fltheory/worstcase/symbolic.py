"""Proofs for all parameters at once: the model of a worst case with SymPy coefficients, and multipliers given by hand.

A claim ``measure <= sum_b factor_b * quantity_b`` has, for multipliers y >= 0 of interpolation inequalities, the slack

    ``sum_b factor_b A_b - sum_ij y_ij q_ij - measure``,

a linear form in function values and in the Gram blocks of :mod:`fltheory.worstcase.space` whose coefficients are rational
functions of the parameters.  It proves the claim on a range of parameters if function values cancel identically, all
multipliers are nonnegative there, and each block is positive semidefinite there: an identity ``slack = M D M^T`` with
nonnegative ``D`` inside the ranges.  A pivot may vanish at their ends: the slack, none of whose coefficients has a pole on
the ranges, is semidefinite inside them, and by continuity on all of them.

Interpolation divides by L - mu.  A range ``(L, Open(mu), None)`` leaves L = mu out; with ``at_equal=True`` the claim is made
there too, by the argument of :mod:`fltheory.theory.closure`: a function with curvature in [mu, L] has it in [mu, L'] for every
L' > L, all vectors of the program depend continuously on the parameters, and both sides of the claim have no pole at L = mu.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Any

import sympy as sp
from sympy.polys.constructor import construct_domain

from fltheory.readings.gram import Instruction
from fltheory.readings.numbers import Numbers
from fltheory.theory.closure import closed_at
from fltheory.theory.proofs import is_zero, nonnegative_on, positive_on
from fltheory.theory.signs import Ranges, interior, pole, ranges_as_text
from fltheory.worstcase import certificate
from fltheory.worstcase.classes import FunctionClass
from fltheory.worstcase.functional import Assumption, Functional
from fltheory.worstcase.model import Model
from fltheory.worstcase.space import Coordinates, Shares, Space

#: ``(block, i, j)`` with ``i <= j`` for products, ``("value", register, register)`` for function values.
Form = dict[tuple[str, int, int], Any]

#: The number type for :func:`fltheory.readings.gram.program`.
SYMBOLS = Numbers("sympy", sp.sympify, object)


@dataclass(frozen=True)
class SymbolicClaim:
    """``measure <= sum_b factor_b * A_b`` after a program, for functions with curvature in ``[mu, L]``.

    Parameters
    ----------
    instructions : the program, with SymPy coefficients; see :func:`fltheory.readings.gram.program`.
    mu, L : the class of every client, SymPy expressions.
    bounds : quantity -> (the functional ``A_b`` that it bounds, its factor in the claim).
    pairs : multipliers ``(i, j) -> y_ij`` of interpolation inequalities between gradient registers.
    ranges : parameters as ``(symbol, low, high)``, see :func:`fltheory.theory.proofs.nonnegative_on`.
    at_equal : claim L = mu too, which ``ranges`` leave out.
    """

    instructions: tuple[Instruction, ...]
    mu: sp.Expr
    L: sp.Expr
    measure: Functional
    bounds: Mapping[str, tuple[Functional, sp.Expr]]
    pairs: Mapping[tuple[int, int], sp.Expr]
    ranges: Ranges
    shares: Shares = field(default_factory=Shares)
    at_equal: bool = False

    @cached_property
    def space(self) -> Space:
        """Coordinates of the registers, with SymPy entries."""
        return Space(self.instructions, self.shares)

    def form(self, functional: Functional) -> Form:
        """A functional as a linear form."""
        total: Form = {}
        for factor, a, b in functional.inner:
            self._add(total, factor, self.space.coordinates[a], self.space.coordinates[b])
        for factor, register in functional.values:
            _add_value(total, factor, register)
        return total

    def interpolation(self, i: int, j: int) -> Form:
        """``q_ij`` of :mod:`fltheory.worstcase.model`; function values count from those at the minimiser."""
        space, one = self.space, sp.Integer(1)
        for register in (i, j):
            if self.instructions[register][0] != "gradient":
                raise ValueError(f"register {register} is {self.instructions[register][0]!r} and no client gradient")
        x = space.points[i], space.points[j]
        h = [_sum((one, space.coordinates[r]), (-self.mu, space.points[r])) for r in (i, j)]
        step, turn = _sum((one, x[0]), (-one, x[1])), _sum((one, h[0]), (-one, h[1]))
        total: Form = {}
        for sign, register, point in ((one, i, x[0]), (-one, j, x[1])):
            self._add(total, -sign * self.mu / 2, point, point)
            if self.instructions[self.instructions[register][1]][0] != "optimum":
                _add_value(total, sign, register)
        self._add(total, -one, h[1], step)
        self._add(total, -1 / (2 * (self.L - self.mu)), turn, turn)
        return total

    def _add(self, total: Form, factor: Any, left: Coordinates, right: Coordinates) -> None:
        for key, entry in self.space.product(left, right).items():
            total[key] = total.get(key, sp.Integer(0)) + factor * entry

    @cached_property
    def slack(self) -> Form:
        """The slack of the claim as a linear form."""
        parts = [(factor, self.form(functional)) for functional, factor in self.bounds.values()]
        parts += [(-y, self.interpolation(i, j)) for (i, j), y in self.pairs.items()]
        parts += [(sp.Integer(-1), self.form(self.measure))]
        total: Form = {}
        for factor, form in parts:
            for key, entry in form.items():
                total[key] = total.get(key, sp.Integer(0)) + factor * entry
        return total

    def sides(self) -> tuple[tuple[sp.Expr, ...], Ranges]:
        """With ``at_equal``: the coefficients of both sides of the claim, and the ranges with L = mu; else nothing.

        Raises
        ------
        ValueError : ``L`` is no symbol, or the range of L does not begin, open, at ``mu``.
        """
        if not self.at_equal:
            return (), ()
        closed, above = closed_at(self.L, self.ranges)
        end = next(low for symbol, low, _ in closed if symbol == self.L)
        if above != 1 or end != self.mu:
            raise ValueError(f"at_equal=True with L from {end}: expected an open range that begins at mu={self.mu}")
        found = [
            entry for functional, factor in self.bounds.values() for entry in (*self.form(functional).values(), factor)
        ]
        return tuple(dict.fromkeys(map(sp.sympify, (*found, *self.form(self.measure).values())))), closed

    def written(self) -> tuple[sp.Expr, ...]:
        """All numbers of the statement as it is written: what cancels later must have a meaning before."""
        functionals = [self.measure, *(functional for functional, _ in self.bounds.values())]
        found = [entry for functional in functionals for entry, *_ in (*functional.inner, *functional.values)]
        found += [entry for item in self.instructions if item[0] == "combine" for entry, _ in item[1]]
        return tuple(dict.fromkeys(map(sp.sympify, (*found, self.mu, self.L))))

    def block(self, name: str) -> sp.Matrix:
        """One block of the slack as a symmetric matrix."""
        matrix = sp.zeros(self.space.sizes.get(name, 0))
        for (block, i, j), entry in self.slack.items():
            if block == name:
                matrix[i, j] += sp.sympify(entry) / 2
                matrix[j, i] += sp.sympify(entry) / 2
        return matrix

    def at(self, values: Mapping[sp.Symbol, Fraction]) -> dict[str, Any]:
        """The certificate of the claim at rational parameters, for the trusted verifier of numbers.

        That verifier rebuilds all constraints by itself, so that its answer checks this model too.
        """

        def number(entry: Any) -> Fraction:
            found = sp.sympify(entry).subs(values)
            if not found.is_Rational:
                raise ValueError(f"{entry} is {found} at {values}: no rational number")
            return Fraction(int(found.p), int(found.q))

        def functional(item: Functional) -> Functional:
            return Functional(
                tuple((number(c), a, b) for c, a, b in item.inner), tuple((number(c), r) for c, r in item.values)
            )

        def instruction(item: Instruction) -> Instruction:
            return ("combine", tuple((number(c), r) for c, r in item[1])) if item[0] == "combine" else item

        shares = self.shares
        kept = None if shares.deviation is None else number(shares.deviation)
        model = Model(
            tuple(instruction(item) for item in self.instructions),
            0,
            FunctionClass(number(self.mu), number(self.L)),
            None,
            Shares(kept, number(shares.noise), shares.scheme, shares.clients, shares.cohort),
            tuple(Assumption(functional(item), name) for name, (item, _) in self.bounds.items()),
            functional(self.measure),
        )
        factors = {name: str(number(factor)) for name, (_, factor) in self.bounds.items()}
        return {
            **certificate.statement(model),
            "upper": {
                "interpolation": {"clients": [[i, j, str(number(y))] for (i, j), y in self.pairs.items()]},
                "assumptions": list(factors.values()),
                "bound": factors,
            },
        }


@dataclass(frozen=True)
class SymbolicProof:
    """What :func:`prove` found.

    Attributes
    ----------
    identities : expressions that vanish identically; signs : nonnegative on ``ranges``; pivots : nonnegative inside them.
    coefficients : without a pole on ``ranges``; sides : without a pole on ``closed``, the ranges with L = mu.
    """

    proved: bool
    reason: str
    identities: tuple[sp.Expr, ...] = ()
    signs: tuple[sp.Expr, ...] = ()
    pivots: tuple[sp.Expr, ...] = ()
    coefficients: tuple[sp.Expr, ...] = ()
    ranges: Ranges = ()
    sides: tuple[sp.Expr, ...] = ()
    closed: Ranges = ()

    @property
    def certificate(self) -> dict[str, Any]:
        """Identities and signs as text, in the form that the evidence keeps; empty if nothing was proved."""
        if not self.proved:
            return {}
        inside = interior(self.ranges)
        found: dict[str, Any] = {
            "identities": {"type": "identity", "expressions": [str(entry) for entry in self.identities]},
            "signs": [_sign(entry, self.ranges) for entry in self.signs]
            + [_sign(entry, inside) for entry in self.pivots],
            "coefficients": _regular(self.coefficients, self.ranges),
        }
        return found | ({"sides at L = mu": _regular(self.sides, self.closed)} if self.closed else {})


def _sign(expression: sp.Expr, ranges: Ranges) -> dict[str, Any]:
    return {"type": "nonnegative", "expression": str(expression), "ranges": ranges_as_text(ranges)}


def _regular(expressions: Iterable[sp.Expr], ranges: Ranges) -> dict[str, Any]:
    return {"type": "regular", "expressions": [str(item) for item in expressions], "ranges": ranges_as_text(ranges)}


def prove(claim: SymbolicClaim) -> SymbolicProof:
    """Whether the multipliers prove the claim for all parameters in its ranges; a failure says only "not this way"."""
    for name, y in [
        *((str(pair), y) for pair, y in claim.pairs.items()),
        *((b, f) for b, (_, f) in claim.bounds.items()),
    ]:
        if not nonnegative_on(y, claim.ranges):
            return SymbolicProof(False, f"the multiplier {y} of {name} is not shown nonnegative")
    values = [entry for key, entry in claim.slack.items() if key[0] == "value"]
    if not all(is_zero(entry) for entry in values):
        return SymbolicProof(False, "function values do not cancel")
    signs = [sp.sympify(y) for y in (*claim.pairs.values(), *(factor for _, factor in claim.bounds.values()))]
    coefficients = tuple(dict.fromkeys(sp.sympify(entry) for entry in claim.slack.values()))
    bad = next((entry for entry in coefficients if pole(entry, claim.ranges) is not None), None)
    if bad is not None:
        return SymbolicProof(False, f"the coefficient {bad} of the slack is not shown to have no pole")
    sides, closed = claim.sides()
    for entry in claim.written():
        if pole(entry, closed or claim.ranges) is not None:
            return SymbolicProof(False, f"the number {entry} of the statement is not shown to have no pole")
    bad = next((entry for entry in sides if pole(entry, closed) is not None), None)
    if bad is not None:
        return SymbolicProof(False, f"no continuity at L = mu: {bad} is not shown to have no pole there")
    identities, pivots = [sp.sympify(entry) for entry in values], []
    for name, size in claim.space.sizes.items():
        matrix = claim.block(name)
        found = factorise(matrix, interior(claim.ranges))
        if found is None:
            return SymbolicProof(False, f"block {name} of the slack is not shown positive semidefinite")
        left, diagonal = found
        rest = matrix - left * sp.diag(*diagonal) * left.T if size else matrix
        identities += [rest[i, j] for i in range(size) for j in range(i + 1)]
        pivots += diagonal
    if not all(is_zero(entry) for entry in identities):
        return SymbolicProof(False, "the factors do not multiply to the slack")
    return SymbolicProof(
        True,
        "identities and signs verified",
        tuple(identities),
        tuple(dict.fromkeys(signs)),
        tuple(dict.fromkeys(pivots)),
        coefficients,
        claim.ranges,
        sides,
        closed,
    )


def factorise(matrix: sp.Matrix, ranges: Ranges) -> tuple[sp.Matrix, list[sp.Expr]] | None:
    """``(M, D)`` with ``matrix = M diag(D) M^T`` and every ``D`` nonnegative on the ranges, or ``None``.

    Elimination on diagonal entries that are shown positive on the ranges, which are open, or else ``M`` has poles there.
    """
    if not matrix.rows:
        return sp.zeros(0, 0), []
    field, entries = construct_domain(list(matrix), field=True)  # far faster than expressions that are cancelled
    size, alive = matrix.rows, list(range(matrix.rows))
    work = [entries[size * i : size * (i + 1)] for i in range(size)]
    columns, diagonal = [], []
    while any(work[i][j] for i in alive for j in alive):
        heads = ((i, field.to_sympy(work[i][i])) for i in alive if work[i][i])
        pivot, head = next(((i, head) for i, head in heads if positive_on(head, ranges)), (None, None))
        if pivot is None:
            return None
        column = {i: work[i][pivot] / work[pivot][pivot] for i in alive}
        columns.append(sp.Matrix(size, 1, lambda i, _, column=column: field.to_sympy(column.get(i, field.zero))))
        diagonal.append(sp.factor(head))
        alive.remove(pivot)
        for i in alive:
            work[i] = [x - column[i] * y for x, y in zip(work[i], work[pivot], strict=True)]
    left = sp.Matrix.hstack(*columns) if columns else sp.zeros(size, 0)
    return left, diagonal


def _sum(*terms: tuple[Any, Coordinates]) -> Coordinates:
    total: dict[tuple[str, int], Any] = {}
    for factor, vector in terms:
        for key, entry in vector.items():
            total[key] = total.get(key, sp.Integer(0)) + factor * entry
    return total


def _add_value(total: Form, factor: Any, register: int) -> None:
    key = ("value", register, register)
    total[key] = total.get(key, sp.Integer(0)) + factor
