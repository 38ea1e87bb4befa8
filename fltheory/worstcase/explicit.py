"""Two uses of the explicit formulation: the worst case for N clients in floats, and a symmetric certificate lifted exactly.

A symmetric certificate has multipliers ``y_ij`` for a generic client.  With ``p_k y_ij`` for client k it must prove the
same bound for N clients with weights ``p``: :func:`lift` checks that in rationals, on constraints that
:class:`~fltheory.worstcase.explicit_program.Explicit` rebuilds with all clients apart.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from fltheory.kinds import Floats, Number
from fltheory.worstcase.certificate import bare
from fltheory.worstcase.explicit_program import Explicit, Form, exact_weights
from fltheory.worstcase.model import Model


@dataclass(frozen=True)
class ExplicitValue:
    """The solver's value for N clients (a number to look at, no claim), its status, residual and problem size."""

    value: float
    status: str
    residual: float
    rows: int
    seconds: float


def explicit_worst_case(
    model: Model | Mapping[str, Any],
    weights: Sequence[Number],
    quantities: Mapping[str, Any] | None = None,
    *,
    classes: Sequence[int] = (),
    tolerance: float = 1e-9,
    threads: int = 1,
) -> ExplicitValue:
    """The worst case of a model (or of a certificate's statement) for clients with weights ``p``, one Gram block.

    ``quantities`` default to 1 each.  For uniform weights and ``N >= 2`` it equals the symmetric worst case; for other
    weights it cannot exceed it.  Where the model has several classes of clients, ``classes`` are the numbers of theirs, and this
    is so class by class.

    Raises
    ------
    ValueError : sampling or noise; weights that are not positive or do not sum to one exactly.
    """
    import clarabel
    from scipy import sparse

    data = bare(model) if isinstance(model, Model) else model
    problem = Explicit(data, exact_weights(weights), tuple(classes))
    given = {name: float(Fraction(entry)) for name, entry in (quantities or {}).items()}
    table = _Table(problem)
    forms = [(_negative(form), 0.0) for form in _interpolations(problem)]
    for form, name, scale in problem.assumptions():
        forms.append((form, 0.0 if name is None else float(scale) * given.get(name, 1.0)))
    rows = np.array([table.row(form) for form, _ in forms])
    right = np.array([bound for _, bound in forms])
    size = np.maximum(np.abs(rows).max(axis=1), 1e-300)
    triangle = problem.size * (problem.size + 1) // 2
    matrix = np.concatenate([rows / size[:, None], -np.eye(table.length)[:triangle]])
    offset = np.concatenate([right / size, np.zeros(triangle)])
    settings: Any = clarabel.DefaultSettings()
    settings.verbose = False
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = tolerance
    settings.direct_solve_method = "faer"
    settings.max_threads = threads
    measure = table.row(problem.functional(problem.statement["measure"]))
    cones = [clarabel.NonnegativeConeT(len(rows)), clarabel.PSDTriangleConeT(problem.size)]
    quadratic = sparse.csc_matrix((table.length, table.length))
    solver = clarabel.DefaultSolver(quadratic, -measure, sparse.csc_matrix(matrix), offset, cones, settings)
    answer = solver.solve()
    value = float(measure @ np.array(answer.x))
    residual = max(float(answer.r_prim), float(answer.r_dual))
    return ExplicitValue(value, str(answer.status), residual, problem.size, float(answer.solve_time))


class _Table:
    """Places of Gram entries (lower triangle by rows, sqrt 2 off the diagonal) and of function values in a vector."""

    def __init__(self, problem: Explicit) -> None:
        first = problem.size * (problem.size + 1) // 2
        self._values = {key: first + place for place, key in enumerate(problem.values)}
        self.length = first + len(self._values)

    def row(self, form: Form) -> Floats:
        """A linear form as a vector."""
        found = np.zeros(self.length)
        for key, entry in form.items():
            if key[0] == "value":
                found[self._values[key]] += float(entry)
            else:
                _, i, j = key
                found[j * (j + 1) // 2 + i] += float(entry) * (1.0 if i == j else math.sqrt(0.5))
        return found


def _interpolations(problem: Explicit) -> list[Form]:
    return [
        problem.interpolation(client, i, j)
        for client, queries in problem.queries.items()
        for i in queries
        for j in queries
        if i is not j
    ]


def _negative(form: Form) -> Form:
    return {key: -entry for key, entry in form.items()}


def lift(certificate: Mapping[str, Any], weights: Sequence[Number], classes: Sequence[int] = ()) -> dict[str, Fraction]:
    """The bound ``{quantity: factor}`` that a symmetric upper certificate proves for N clients with weights ``p``.

    ``classes`` are the numbers of the clients' classes, where the certificate has several.

    Everything is rational: function values must cancel, and the slack must have an exact ``L D L^T`` with ``D >= 0``.

    Raises
    ------
    ValueError : no upper part, a negative multiplier, values that do not cancel, a slack that is not semidefinite.
    """
    if certificate.get("upper") is None:
        raise ValueError("the certificate has no upper bound to lift")
    problem = Explicit(certificate, exact_weights(weights), tuple(classes))
    slack: Form = {}
    bound: dict[str, Fraction] = {}
    for (form, name, scale), text in zip(problem.assumptions(), certificate["upper"]["assumptions"], strict=True):
        y = _multiplier(text)
        _add(slack, y, form)
        if name is not None:
            bound[name] = bound.get(name, Fraction(0)) + y * scale
    for group, listed in certificate["upper"]["interpolation"].items():
        for client, p in problem.owned(group):
            queries = {query.register: query for query in problem.queries[client]}
            for i, j, text in listed:
                _add(slack, -p * _multiplier(text), problem.interpolation(client, queries[i], queries[j]))
    _add(slack, Fraction(-1), problem.functional(certificate["measure"]))
    left = [key for key, entry in slack.items() if key[0] == "value" and entry]
    if left:
        raise ValueError(f"function values do not cancel: {left[0]} keeps {slack[left[0]]}")
    gram = {key: entry for key, entry in slack.items() if key[0] == "gram" and entry}
    if not _semidefinite(gram, problem.size):
        raise ValueError(f"the slack for weights {', '.join(map(str, problem.weights))} is not positive semidefinite")
    return bound


def _multiplier(text: Any) -> Fraction:
    y = Fraction(text)
    if y < 0:
        raise ValueError(f"multiplier {y} is negative")
    return y


def _add(total: Form, factor: Fraction, form: Form) -> None:
    for key, entry in form.items():
        total[key] = total.get(key, Fraction(0)) + factor * entry


def _semidefinite(form: Form, size: int) -> bool:
    """Whether a quadratic form is positive semidefinite: elimination without fractions, pivots on the largest diagonal."""
    scale = 2 * math.lcm(1, *(entry.denominator for entry in form.values()))
    matrix = [[0] * size for _ in range(size)]
    for (_, i, j), entry in form.items():
        matrix[i][j] += int(entry * scale) // (1 if i == j else 2)
        matrix[j][i] = matrix[i][j]
    alive, previous = set(range(size)), 1
    while alive:
        pivot = max(alive, key=lambda i: matrix[i][i])
        if matrix[pivot][pivot] <= 0:
            return not any(matrix[i][j] for i in alive for j in alive)
        alive.remove(pivot)
        row, head = matrix[pivot], matrix[pivot][pivot]
        for i in alive:
            for j in alive:
                if j <= i:
                    # Sylvester's identity: the division leaves no remainder
                    matrix[i][j] = matrix[j][i] = (head * matrix[i][j] - row[i] * row[j]) // previous
        previous = head
    return True
