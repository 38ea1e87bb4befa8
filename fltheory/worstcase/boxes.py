"""One-round theorems for all step sizes and condition numbers of a box at once, by multipliers in Bernstein form.

With ``L = 1`` the interpolation inequality times ``1 - mu`` is affine in ``mu`` and, along a method that is linear in its
step size, quadratic in ``eta``.  Multipliers are taken as ``y_ij(eta, mu) = sum_c Y_ij,c B_c(eta, mu)`` with ``Y >= 0`` and
Bernstein polynomials of the box, the claim is

    ``|w+|^2 <= a(eta, mu) |w|^2 + b(eta, mu) sum_k p_k |grad f_k(w*)|^2``,

and every Bernstein coefficient matrix of the slack is asked to be positive semidefinite: then the slack is, at every
point of the box.  ``a`` is given, ``b`` is sought, as small as it can be.  A box is checked by :mod:`.box_verifier`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, cached_property
from math import comb
from typing import Any

import numpy as np
import numpy.typing as npt

from fltheory.readings.gram import Recorder, program
from fltheory.worstcase import box_verifier
from fltheory.worstcase.polynomial import ETA, MU, POLYNOMIALS, Box, Polynomial, Powers
from fltheory.worstcase.space import Coordinates, Shares, Space

Array = npt.NDArray[np.float64]
Key = tuple[str, int, int]
FORMAT = "fltheory box 1"


@dataclass(frozen=True)
class BoxClaim:
    """The claim of one round of ``algorithm``, a function of the step size: ``make(eta)`` returns the algorithm.

    ``contraction`` is ``a(eta, mu)``; ``degrees`` those of the multipliers and ``heterogeneity`` those of ``b``.
    """

    make: Any
    contraction: Polynomial
    degrees: Powers = (2, 1)
    heterogeneity: Powers = (3, 1)

    @cached_property
    def recorder(self) -> tuple[Recorder, int, int, int]:
        """Instructions, and the registers of the start, the end and the clients' gradients at the minimiser."""
        traced = program(self.make(ETA), rounds=1, numbers=POLYNOMIALS)
        recorder = Recorder(traced.instructions)
        at = recorder.put(("gradient", recorder.put(("optimum",))))
        return recorder, traced.models[0], traced.models[1], at

    @cached_property
    def space(self) -> Space:
        """Coordinates with polynomial entries."""
        return Space(tuple(self.recorder[0].instructions), Shares())

    @cached_property
    def queries(self) -> list[int]:
        """Registers of the clients' gradients."""
        return [place for place, item in enumerate(self.recorder[0].instructions) if item[0] == "gradient"]

    def square(self, register: int) -> dict[Key, Polynomial]:
        """``|v|^2`` as a linear form in Gram entries."""
        return self._product(self.space.coordinates[register], self.space.coordinates[register])

    def _product(self, left: Coordinates, right: Coordinates) -> dict[Key, Polynomial]:
        return {key: Polynomial.of(entry) for key, entry in self.space.product(left, right).items()}

    def interpolation(self, i: int, j: int) -> dict[Key, Polynomial]:
        """The Gram part of ``(1 - mu)`` times the interpolation inequality of the queries ``i`` and ``j``."""
        x = _minus(self.space.points[i], self.space.points[j])
        g = _minus(self.space.coordinates[i], self.space.coordinates[j])
        total: dict[Key, Polynomial] = {}
        for left, right, factor in (
            (self.space.coordinates[j], x, MU - 1),
            (g, g, Polynomial.of(Fraction(-1, 2))),
            (x, x, MU * Fraction(-1, 2)),
            (g, x, MU),
        ):
            for key, entry in self._product(left, right).items():
                total[key] = total.get(key, Polynomial({})) + factor * entry
        return total


@dataclass(frozen=True)
class BoxCertificate:
    """A certified claim: JSON ``data`` that the verifier accepted, and ``b`` at the Bernstein coefficients of the box."""

    data: dict[str, Any]
    b: tuple[Fraction, ...]
    box: Box
    degrees: Powers

    def bound(self, eta: float, mu: float) -> float:
        """``b(eta, mu)``."""
        (low, high), (bottom, top) = self.box
        s, t = (eta - float(low)) / float(high - low), (mu - float(bottom)) / float(top - bottom)
        n, m = self.degrees
        first = [comb(n, k) * s**k * (1 - s) ** (n - k) for k in range(n + 1)]
        second = [comb(m, k) * t**k * (1 - t) ** (m - k) for k in range(m + 1)]
        return sum(float(c) * first[k // (m + 1)] * second[k % (m + 1)] for k, c in enumerate(self.b))


def certify_box(
    claim: BoxClaim, box: Box, *, rooms: tuple[float, ...] = (1e-8, 1e-7, 1e-6, 1e-5)
) -> BoxCertificate | None:
    """A certificate of the claim on ``box = ((eta_low, eta_high), (mu_low, mu_high))``, or ``None``.

    Raises
    ------
    ValueError : a box without inside, or outside ``eta > 0``, ``0 <= mu < 1``.
    """
    (low, high), (bottom, top) = box
    if not (0 < low < high and 0 <= bottom < top < 1):
        raise ValueError(f"box={box}: expected 0 < eta_low < eta_high and 0 <= mu_low < mu_high < 1")
    problem = _BoxProblem(claim, box)
    for room in rooms:
        solution = problem.solve(room)
        if solution is None:
            continue
        data = problem.rationalise(*solution, digits=max(6, math.ceil(-math.log10(room)) + 2))
        if data is None:
            continue
        try:
            b = box_verifier.verify(data)
        except box_verifier.Rejected:
            continue
        return BoxCertificate(data, tuple(b), box, claim.heterogeneity)
    return None


class _BoxProblem:
    """All Bernstein coefficient matrices of the slack as linear functions of the unknowns ``(Y, b)``."""

    def __init__(self, claim: BoxClaim, box: Box) -> None:
        self.claim, self.box = claim, box
        _, self.start, self.end, self.optimum = claim.recorder
        self.pairs = [(i, j) for i in claim.queries for j in claim.queries if i != j]
        self.forms = {pair: claim.interpolation(*pair) for pair in self.pairs}
        self.fixed: dict[Key, Polynomial] = {}
        for form, factor in (
            (claim.square(self.start), claim.contraction),
            (claim.square(self.end), Polynomial.of(-1)),
        ):
            for key, entry in form.items():
                self.fixed[key] = self.fixed.get(key, Polynomial({})) + factor * entry
        self.het = claim.square(self.optimum)
        n, m = claim.degrees
        tops = [p.degrees for form in self.forms.values() for p in form.values()]
        fixed = [p.degrees for p in self.fixed.values()]
        self.form_degrees = max(t[0] for t in tops), max(t[1] for t in tops)
        self.slack: Powers = (
            max([n + self.form_degrees[0], claim.heterogeneity[0], *(t[0] for t in fixed)]),
            max([m + self.form_degrees[1], claim.heterogeneity[1], *(t[1] for t in fixed)]),
        )
        self.counts = (n + 1) * (m + 1)
        self.b_count = (claim.heterogeneity[0] + 1) * (claim.heterogeneity[1] + 1)
        self.variables = len(self.pairs) * self.counts + self.b_count
        self.sizes = {name: size for name, size in claim.space.sizes.items() if size}

    def _columns(self) -> tuple[dict[tuple[Key, int], dict[int, float]], dict[tuple[Key, int], float]]:
        """Coefficient of every unknown, and the constant, in entry ``key`` of coefficient matrix ``c`` of the slack."""
        linear: dict[tuple[Key, int], dict[int, float]] = {}
        constant: dict[tuple[Key, int], float] = {}
        for key, entry in self.fixed.items():
            for c, value in enumerate(entry.bernstein(self.box, self.slack)):
                constant[key, c] = float(value)
        for place, pair in enumerate(self.pairs):
            for key, entry in self.forms[pair].items():
                form = entry.bernstein(self.box, self.form_degrees)
                for index in range(self.counts):
                    for c, weight in product_elevated(index, self.claim.degrees, form, self.form_degrees, self.slack):
                        column = linear.setdefault((key, c), {})
                        at = place * self.counts + index
                        column[at] = column.get(at, 0.0) - float(weight)
        for key, entry in self.het.items():
            factor = float(entry.terms[0, 0])
            for index in range(self.b_count):
                one = [Fraction(1)]
                for c, weight in product_elevated(index, self.claim.heterogeneity, one, (0, 0), self.slack):
                    linear.setdefault((key, c), {})[self.variables - self.b_count + index] = factor * float(weight)
        return linear, constant

    def solve(self, room: float) -> tuple[Array, Array] | None:
        """Unknowns that minimise the mean of ``b`` with every slack matrix at least ``room`` times the identity."""
        import clarabel
        from scipy import sparse

        linear, constant = self._columns()
        total = (self.slack[0] + 1) * (self.slack[1] + 1)
        entries: list[tuple[int, int, float]] = []
        right: list[float] = []
        cones: list[Any] = []
        queries = [q for q in self.claim.queries if q != self.optimum]
        for query in queries:  # function values cancel, coefficient by coefficient
            for index in range(self.counts):
                for place, (i, j) in enumerate(self.pairs):
                    if query in (i, j):
                        entries.append((len(right), place * self.counts + index, 1.0 if i == query else -1.0))
                right.append(0.0)
        cones.append(clarabel.ZeroConeT(len(right)))
        for variable in range(self.variables):
            entries.append((len(right), variable, -1.0))
            right.append(0.0)
        cones.append(clarabel.NonnegativeConeT(self.variables))
        for c in range(total):
            for name, size in self.sizes.items():
                for j in range(size):
                    for i in range(j + 1):
                        # off-diagonal Gram entries count once in the forms: half of them in the matrix, times sqrt 2
                        scale = 1.0 if i == j else math.sqrt(0.5)
                        for variable, value in linear.get(((name, i, j), c), {}).items():
                            entries.append((len(right), variable, -scale * value))
                        right.append(scale * constant.get(((name, i, j), c), 0.0) - (room if i == j else 0.0))
                cones.append(clarabel.PSDTriangleConeT(size))
        rows, columns, data = zip(*entries, strict=True)
        matrix = sparse.csc_matrix((data, (rows, columns)), shape=(len(right), self.variables))
        objective = np.zeros(self.variables)
        objective[-self.b_count :] = 1.0 / self.b_count
        settings: Any = clarabel.DefaultSettings()
        settings.verbose, settings.max_iter = False, 200
        settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = 1e-9
        empty = sparse.csc_matrix((self.variables, self.variables))
        answer = clarabel.DefaultSolver(empty, objective, matrix, np.array(right), cones, settings).solve()
        if str(answer.status) not in ("Solved", "AlmostSolved"):
            return None
        z = np.array(answer.x)
        return z[: -self.b_count].reshape(len(self.pairs), self.counts), z[-self.b_count :]

    def rationalise(self, multipliers: Array, b: Array, *, digits: int) -> dict[str, Any] | None:
        """Rounded unknowns whose function values cancel exactly, as a certificate."""
        grid = 10**digits
        rounded = np.array([[Fraction(max(0, round(float(y) * grid)), grid) for y in row] for row in multipliers])
        place = {pair: k for k, pair in enumerate(self.pairs)}
        weights = multipliers.sum(axis=1)
        order = _tree(self.claim.queries, self.optimum, {pair: weights[k] for pair, k in place.items()})
        for index in range(self.counts):
            rest = dict.fromkeys(self.claim.queries, Fraction(0))
            for (i, j), k in place.items():
                rest[i] -= rounded[k, index]
                rest[j] += rounded[k, index]
            for child, parent in order:
                gap = rest[child]
                more, less = (child, parent), (parent, child)
                if gap < 0:
                    more, less = less, more
                taken = min(abs(gap), rounded[place[less], index])
                rounded[place[less], index] -= taken
                rounded[place[more], index] += abs(gap) - taken
                rest[parent] += gap
        return {
            "format": FORMAT,
            "box": [[str(e) for e in side] for side in self.box],
            "program": [_instruction(item) for item in self.claim.recorder[0].instructions],
            "start": self.start,
            "end": self.end,
            "optimum": self.optimum,
            "contraction": _terms(self.claim.contraction),
            "degrees": {"multipliers": list(self.claim.degrees), "b": list(self.claim.heterogeneity)},
            "multipliers": [[i, j, [str(y) for y in rounded[k]]] for (i, j), k in place.items() if any(rounded[k])],
            "b": [str(Fraction(math.ceil(float(e) * grid), grid)) for e in b],
        }


def product_elevated(
    index: int, left: Powers, form: list[Fraction], right: Powers, target: Powers
) -> list[tuple[int, Fraction]]:
    """Bernstein coefficients at ``target`` degrees of (basis polynomial ``index`` at ``left``) times ``form`` at ``right``."""
    if not any(form):
        return []
    unit = math.lcm(*(value.denominator for value in form))
    whole = [value.numerator * (unit // value.denominator) for value in form]
    scale, weights = _weights(index, left, right, target)
    found: dict[int, int] = {}
    for at, c, weight in weights:
        if whole[at]:
            found[c] = found.get(c, 0) + weight * whole[at]
    return [(c, Fraction(total, unit * scale)) for c, total in found.items()]


@cache
def _weights(index: int, left: Powers, right: Powers, target: Powers) -> tuple[int, list[tuple[int, int, int]]]:
    """What coefficient ``at`` of a form adds to coefficient ``c`` of the product: a unit, and (at, c, units)."""
    i, j = divmod(index, left[1] + 1)
    rest = (target[0] - left[0] - right[0], target[1] - left[1] - right[1])
    found: list[tuple[int, int, Fraction]] = []
    for at in range((right[0] + 1) * (right[1] + 1)):
        k, n = divmod(at, right[1] + 1)
        for p in range(rest[0] + 1):
            for q in range(rest[1] + 1):
                c = (i + k + p) * (target[1] + 1) + j + n + q
                weight = Fraction(comb(left[0], i) * comb(right[0], k) * comb(rest[0], p), comb(target[0], i + k + p))
                weight *= Fraction(comb(left[1], j) * comb(right[1], n) * comb(rest[1], q), comb(target[1], j + n + q))
                found.append((at, c, weight))
    unit = math.lcm(*(weight.denominator for _, _, weight in found))
    return unit, [(at, c, weight.numerator * (unit // weight.denominator)) for at, c, weight in found]


def _minus(left: Coordinates, right: Coordinates) -> Coordinates:
    total: dict[tuple[str, int], Any] = dict(left)
    for key, entry in right.items():
        total[key] = total.get(key, Fraction(0)) - entry
    return total


def _tree(queries: list[int], root: int, weight: dict[tuple[int, int], float]) -> list[tuple[int, int]]:
    """Edges (child, parent) of a maximum-weight spanning tree, leaves first."""
    inside, order = [root], []
    while len(inside) < len(queries):
        child, parent = max(
            ((q, p) for q in queries if q not in inside for p in inside),
            key=lambda edge: weight[edge] + weight[edge[::-1]],
        )
        order.append((child, parent))
        inside.append(child)
    return order[::-1]


def _terms(polynomial: Any) -> list[list[Any]]:
    return [[i, j, str(c)] for (i, j), c in sorted(Polynomial.of(polynomial).terms.items())]


def _instruction(item: tuple[Any, ...]) -> list[Any]:
    if item[0] == "combine":
        return ["combine", [[_terms(factor), register] for factor, register in item[1]]]
    return list(item)
