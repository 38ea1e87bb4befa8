"""Worst cases as formulas in the step size and the class, with a proof for all parameters of a range, or none.

Clients may differ: then the formula is ``measure <= value * start + floor * zeta^2`` with ``zeta^2`` at least
``sum p_k |grad f_k(w*)|^2``.  The value is the one of clients that share the minimiser, so that no smaller one will do, and the
floor is the least one that the same multipliers give: a Schur complement in the block of deviations.

At a rational sample the exact answer says which instance on a line is the worst and which inequalities are needed.  The same
instance is run with symbols in the place of numbers; that its slack vanishes and that function values cancel are linear
equations for the multipliers over the field of rational functions.  Where they have one solution, the prover of
:mod:`fltheory.worstcase.symbolic` is asked for the claim: identities, and signs of multipliers and pivots on the range.  The
formula is attained where the instance is one of the class, which are signs again.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import sympy as sp

from fltheory.readings.gram import Program, program
from fltheory.tables import Shown
from fltheory.theory.proofs import Open, is_zero, nonnegative_on
from fltheory.theory.signs import Ranges
from fltheory.worstcase import linear
from fltheory.worstcase.analysis import Analysis
from fltheory.worstcase.arguments import check_quantities
from fltheory.worstcase.classes import FunctionClass
from fltheory.worstcase.faces import face_of
from fltheory.worstcase.forms import Forms
from fltheory.worstcase.formulation import build_model
from fltheory.worstcase.functional import Assumption, Functional
from fltheory.worstcase.line import Bend, LineRun, walk
from fltheory.worstcase.line_families import ETA, MU, SMOOTH, LineFamily, at_rationals, ends, families, stays
from fltheory.worstcase.margins import support
from fltheory.worstcase.model import Model
from fltheory.worstcase.space import Shares
from fltheory.worstcase.symbolic import SYMBOLS, SymbolicClaim, SymbolicProof, prove

#: Samples (eta L, mu/L) at which pieces are looked for.
SAMPLES = ((Fraction(1, 2), Fraction(1, 10)), (Fraction(19, 10), Fraction(1, 10)))


@dataclass(frozen=True)
class FormulaPiece:
    """``measure <= value * start + floor * heterogeneity`` for all parameters of ``ranges``, proved.

    ``instance`` attains it where clients share the minimiser.  With a floor the factor of the start is the least one, and the
    floor the least one for these multipliers.  ``claim`` holds the multipliers, ``proof`` what was checked; ``attained`` are the
    expressions whose signs on the ranges show that the instance belongs to the class and that the method stays where it is known.
    """

    value: sp.Expr
    floor: sp.Expr
    ranges: Ranges
    instance: str
    claim: SymbolicClaim
    proof: SymbolicProof
    attained: tuple[sp.Expr, ...]

    def __str__(self) -> str:
        _, low, high = self.ranges[-1]
        beside = "" if self.floor == 0 else f" + {self.floor} zeta^2"
        first, last = ((end.end, "<") if isinstance(end, Open) else (end, "<=") for end in (low, high))
        where = f"{first[0]} {first[1]} eta" + ("" if high is None else f" {last[1]} {last[0]}")
        attained = "attained" if self.floor == 0 else "attained without zeta^2"
        return f"{self.value}{beside} for {where}, {attained} by {self.instance}"


@dataclass(frozen=True, repr=False)
class Formula(Shown):
    """Pieces on ranges of the step size; ``notes`` say where none was proved."""

    pieces: tuple[FormulaPiece, ...]
    notes: tuple[str, ...] = ()

    def headline(self) -> str:
        return "; ".join([*map(str, self.pieces), *self.notes])

    def facts(self) -> list[tuple[str, str]]:
        notes = [("no formula", note) for note in self.notes]
        return [*((f"piece {place + 1}", str(piece)) for place, piece in enumerate(self.pieces)), *notes]

    def __str__(self) -> str:
        return f"Formula({self.headline()})"

    def at(
        self, eta: Fraction, mu: Fraction, L: Fraction = Fraction(1), *, heterogeneity: Fraction = Fraction(0)
    ) -> Fraction:
        """The bound at rational parameters for a start of one; without heterogeneity it is the worst case.

        Raises
        ------
        ValueError : no piece is proved there.
        """
        point = {ETA: _rational(Fraction(eta)), MU: _rational(Fraction(mu)), SMOOTH: _rational(Fraction(L))}
        for piece in self.pieces:
            if all(_holds(item, point) for item in piece.ranges):
                found = sp.sympify(piece.value + piece.floor * _rational(Fraction(heterogeneity))).subs(point)
                return Fraction(int(found.p), int(found.q))
        raise ValueError(f"no formula is proved at eta={eta}, mu={mu}, L={L}")


def _holds(item: Any, point: dict[sp.Symbol, Any]) -> bool:
    symbol, low, high = item
    for end, sign in ((low, 1), (high, -1)):
        if end is None:
            continue
        apart = sign * (point[symbol] - sp.sympify(end.end if isinstance(end, Open) else end).subs(point))
        if apart < 0 or (isinstance(end, Open) and apart == 0 and not (symbol == SMOOTH and sign == 1)):
            return False
    return True


def worst_case_formula(
    make: Callable[[Any], Any],
    *,
    rounds: int = 1,
    measure: str = "distance",
    start: str = "distance",
    heterogeneity: str = "gradients",
    convex: bool = False,
) -> Formula:
    """The worst case as a function of the step size ``eta`` and the class, where it is a multiple of the start alone.

    Parameters
    ----------
    make : from a step size to an algorithm, such as ``lambda eta: FedAvg(3, eta)``; full participation, no noise.
    measure, start : by name, see :func:`fltheory.worstcase.entry.worst_case`.
    heterogeneity : ``"gradients"`` (clients may differ; ``zeta^2`` bounds their gradients at the minimiser), ``"none"`` (they
        share the minimiser) or ``"identical"``.
    convex : the class of smooth convex functions, mu = 0, in the place of strongly convex ones.

    Raises
    ------
    ValueError : what is no function from step sizes, another heterogeneity, an algorithm that has no symmetric program.
    """
    if not callable(make):
        raise ValueError(f"make={make!r} is no function from a step size to an algorithm")
    if not isinstance(convex, bool):
        raise ValueError(f"convex={convex!r} is neither True nor False")
    if heterogeneity not in ("gradients", "none", "identical"):
        raise ValueError(f"heterogeneity={heterogeneity!r}; expected 'gradients', 'none' or 'identical'")
    # identical clients share the minimiser, and the instances found are identical: the formula is the same
    shared = heterogeneity != "gradients"
    question = _Question(make, rounds, measure, start, shared, convex)
    pieces: list[FormulaPiece] = []
    notes: list[str] = []
    for step, modulus in SAMPLES:
        found = question.piece(step, Fraction(0) if convex else modulus)
        if isinstance(found, str):
            notes.append(f"eta L = {step}: {found}")
        elif all(found.instance != piece.instance for piece in pieces):
            pieces.append(found)
    return Formula(tuple(pieces), tuple(notes))


@dataclass(frozen=True)
class _Question:
    make: Callable[[Any], Any]
    rounds: int
    measure: str
    start: str
    shared: bool
    convex: bool

    def model(self, step: Any, functions: FunctionClass) -> Model:
        """The model with rational or symbolic coefficients."""
        if not isinstance(step, sp.Basic):  # clients that share the minimiser decide the factor of the start
            return build_model(
                self.make(step),
                functions,
                rounds=self.rounds,
                measure=self.measure,
                start=self.start,
                heterogeneity="none",
            )
        kind = "none" if self.shared else "gradients"
        traced: Program = program(self.make(step), rounds=self.rounds, numbers=SYMBOLS)
        analysis = Analysis(traced, functions, shared_minimiser=self.shared)
        analysis.require_optimum()
        objective = analysis.named(self.measure)
        assumptions = [Assumption(analysis.named(self.start, 0), self.start), *analysis.heterogeneity(kind)]
        return Model(
            tuple(analysis.recorder.instructions),
            len(traced.instructions),
            functions,
            None,
            Shares(),
            tuple(assumptions),
            objective,
            None,
            traced.models,
        )

    def piece(self, step: Fraction, modulus: Fraction) -> FormulaPiece | str:
        """The piece around a sample, or why there is none."""
        functions = FunctionClass(modulus, Fraction(1))
        numeric = self.model(step, functions)
        symbolic = self.model(ETA, functions)
        if _shape(numeric) != _shape(symbolic):
            return "the method's program is another one with symbols than with numbers"
        if numeric.shares != Shares():
            return "no full participation"
        quantities = check_quantities(numeric.bound_names, None)
        forms, mu = Forms(numeric), sp.Integer(0) if self.convex else MU
        given = dict(zip((ETA, MU, SMOOTH), map(_rational, (step, modulus, Fraction(1))), strict=True))
        reasons = []
        for family in families(symbolic, mu, SMOOTH):
            bent = at_rationals(family.loss, given)
            if bent is None:
                continue
            ran = walk(numeric, bent)
            below = Fraction(0) if ran is None else ran.evaluate(numeric.assumptions[0].functional)
            if ran is None or below <= 0:
                continue
            face = face_of(forms, ran.instance(1 / below), quantities)
            chosen = [] if face is None else list(support(face))
            if not chosen:
                continue
            reasons.append(f"{family.name} is the worst there, but no proof for a range was found")
            for pairs in chosen:
                found = self._proved(symbolic, family, [forms.keys[k][1:3] for k in pairs], mu, given)
                if found is not None:
                    return found
        return reasons[0] if reasons else "no instance on a line was shown to be the worst"

    def _proved(
        self,
        model: Model,
        family: LineFamily,
        pairs: Sequence[tuple[int, int]],
        mu: sp.Expr,
        given: dict[sp.Symbol, Any],
    ) -> FormulaPiece | None:
        ran = walk(model, Bend(family.loss.flat, family.loss.steep, family.loss.tau, far=True))
        if ran is None:
            return None
        ran = LineRun(ran.model, tuple(map(sp.cancel, ran.registers)), {k: sp.cancel(v) for k, v in ran.values.items()})
        begin = model.assumptions[0].functional
        value = sp.factor(ran.evaluate(model.measure) / ran.evaluate(begin))
        found = _solved(model, ran, begin, value, pairs, mu)
        if found is None:
            return None
        bounds, floor = {self.start: (begin, value)}, sp.Integer(0)
        if not self.shared:
            least = _least_floor(
                SymbolicClaim(model.instructions, mu, SMOOTH, model.measure, bounds, found, _ranges(mu, 0, None)), mu
            )
            if least is None:
                return None
            floor = least
            if floor != 0:
                bounds["heterogeneity"] = (model.assumptions[1].functional, floor)
        for low, high in ends(model, value, given):
            if floor != 0:  # it may have a pole where another instance takes over
                low, high = (Open(low) if low != 0 else low), (None if high is None else Open(high))
            ranges = _ranges(mu, low, high)
            claim = SymbolicClaim(
                model.instructions, mu, SMOOTH, model.measure, bounds, found, ranges, at_equal=mu != 0
            )
            attained = tuple(stays(model, ran, family))
            if not all(nonnegative_on(entry, ranges) for entry in attained):
                continue
            proof = prove(claim)
            if proof.proved:
                return FormulaPiece(value, floor, ranges, family.name, claim, proof, attained)
        return None


def _rational(number: Fraction) -> sp.Rational:
    return sp.Rational(number.numerator, number.denominator)


def _shape(model: Model) -> list[Any]:
    """Instructions without their coefficients."""
    return [
        ("combine", [r for _, r in item[1]]) if item[0] == "combine" else item[: 1 if item[0] == "optimum" else None]
        for item in model.instructions
    ]


def _ranges(mu: sp.Expr, low: Any, high: Any) -> Ranges:
    first = [] if mu == 0 else [(MU, Open(0), None)]
    return (*first, (SMOOTH, Open(0) if mu == 0 else Open(MU), None), (ETA, low, high))


def _solved(
    model: Model,
    ran: LineRun,
    begin: Functional,
    value: sp.Expr,
    pairs: Sequence[tuple[int, int]],
    mu: sp.Expr,
) -> dict[tuple[int, int], sp.Expr] | None:
    """Multipliers as rational functions, if the equations have one solution."""
    bare = SymbolicClaim(model.instructions, mu, SMOOTH, model.measure, {}, {}, _ranges(mu, 0, None))
    fixed: dict[Any, Any] = {}
    for factor, form in ((value, bare.form(begin)), (sp.Integer(-1), bare.form(model.measure))):
        for key, entry in form.items():
            fixed[key] = fixed.get(key, 0) + factor * entry
    kernel = ran.mean()
    columns = [_images(bare.interpolation(*pair), kernel) for pair in pairs] + [_images(fixed, kernel)]
    field = sp.QQ.frac_field(*((SMOOTH, ETA) if mu == 0 else (MU, SMOOTH, ETA)))
    names = list(dict.fromkeys(name for column in columns for name in column))
    rows = [[field.from_sympy(sp.cancel(column.get(name, 0))) for column in columns] for name in names]
    try:
        reduced, pivots = linear.eliminate(rows, range(len(pairs)))
    except ArithmeticError:
        return None
    if len(pivots) < len(pairs):
        return None
    found = {pairs[k]: sp.factor(field.to_sympy(row[-1])) for row, k in zip(reduced, pivots, strict=True)}
    return None if any(is_zero(y) for y in found.values()) else found


def _least_floor(claim: SymbolicClaim, mu: sp.Expr) -> sp.Expr | None:
    """The least factor of ``|grad f_k(w*)|^2`` with which the block of deviations may be semidefinite: a Schur complement.

    ``None`` where the block does not bound its terms with these gradients.
    """
    at = next(
        k
        for k, item in enumerate(claim.instructions)
        if item[0] == "gradient" and claim.instructions[item[1]] == ("optimum",)
    )
    ((_, place),) = claim.space.coordinates[at]
    matrix = claim.block("deviation")
    others = [k for k in range(matrix.rows) if k != place]
    field = sp.QQ.frac_field(*((SMOOTH, ETA) if mu == 0 else (MU, SMOOTH, ETA)))
    rows = [[field.from_sympy(sp.cancel(matrix[i, j])) for j in [*others, place]] for i in others]
    try:
        reduced, pivots = linear.eliminate(rows, range(len(others)))
    except ArithmeticError:
        return None
    total = -matrix[place, place]
    for row, k in zip(reduced, pivots, strict=True):
        total += matrix[place, others[k]] * field.to_sympy(row[-1])
    return sp.factor(total)


def _images(form: dict[Any, Any], kernel: Sequence[Any]) -> dict[Any, Any]:
    """A form's function values, and its matrix in the block of means times the instance."""
    found: dict[Any, Any] = {}
    for (block, i, j), entry in form.items():
        if block == "value":
            found["value", i] = found.get(("value", i), 0) + entry
        elif block == "mean":
            for a, b in ((i, j), (j, i)):
                found["mean", a] = found.get(("mean", a), 0) + entry * kernel[b] / 2
    return found
