"""How far local steps move the end of the rounds from the minimiser, as a series in the step size.

The fixed point ``w_inf(eta)`` is an analytic function of the step size near zero.  It is found, with its proven error, at Chebyshev
points of a range of small step sizes, and the polynomial through them is expanded at zero.  Of FedAvg with E local steps the
series begins ``w* + eta (E - 1)/2 H^(-1) sum_k p_k H_k grad F_k(w*)``.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from fltheory.algorithms.schedules import Constant
from fltheory.algorithms.vocabulary import Algorithm
from fltheory.kinds import Floats
from fltheory.problems.base import Problem, check_count
from fltheory.problems.checks import check_function, check_positive
from fltheory.readings.ball_federation import BallFederation
from fltheory.readings.certified_points import CertifiedPoint, certified_fixed_point, certify
from fltheory.readings.enclosures import SmoothRound, deterministic_round
from fltheory.readings.minimisers import certified_minimiser
from fltheory.readings.resting import rest
from fltheory.tables import Framed, Shown

#: The largest step size of the nodes, times L and the gradients that a client is asked for in a round, is twice this.
REACH = 0.25
NODES = 9


@dataclass(frozen=True, eq=False)
class Bias(Shown, Framed):
    """``w_inf(eta) - w* = zeroth + first eta + second eta^2 + ...``, and what it is at the algorithm's own step size.

    ================== ======== ======================================================================================
    attribute          shape    meaning
    ================== ======== ======================================================================================
    ``step_size``               ``eta``
    ``zeroth``         ``(d,)`` ``w_inf(0+) - w*``; not zero where clients count by their numbers of steps, say
    ``first``          ``(d,)`` per unit of the step size
    ``second``         ``(d,)`` per unit of its square
    ``errors``                  estimates of ``|error|`` of these three: by how much one node less changes them, and what the
                                errors of the nodes may do
    ``total``          ``(d,)`` ``w_inf(eta) - w*`` itself
    ``total_error``             its proven error; None where nothing is proved
    ``minimiser``               ``w*``, certified as said there
    ``fixed_point``             ``w_inf(eta)`` likewise
    ================== ======== ======================================================================================
    """

    step_size: float
    zeroth: Floats
    first: Floats
    second: Floats
    errors: tuple[float, float, float]
    total: Floats
    total_error: float | None
    minimiser: CertifiedPoint
    fixed_point: CertifiedPoint

    def order(self, highest: int) -> Floats:
        """The series at the algorithm's own step size up to the power ``highest`` (0, 1 or 2), ``(d,)``.

        Raises
        ------
        ValueError : another power.
        """
        if check_count("highest", highest, least=0) > 2:
            raise ValueError(f"highest={highest}: the series is known up to the second power; expected 0, 1 or 2")
        terms = (self.zeroth, self.first * self.step_size, self.second * self.step_size**2)
        return np.asarray(np.sum(terms[: highest + 1], axis=0))

    def facts(self) -> list[tuple[str, str]]:
        orders = [
            (name, f"{np.linalg.norm(self.order(k)):.6g}") for k, name in ((1, "to first order"), (2, "to second"))
        ]
        error = "not proved" if self.total_error is None else f"{self.total_error:.2g}"
        return [("$\\|w_\\infty-w^*\\|$", f"{np.linalg.norm(self.total):.6g}"), *orders, ("its error", error)]

    def records(self) -> list[dict[str, Any]]:
        """One dict per coordinate: total, zeroth, first, second (the factors of the powers of the step size)."""
        columns = zip(self.total, self.zeroth, self.first, self.second, strict=True)
        return [
            {"coordinate": i, "total": float(t), "zeroth": float(a), "first": float(b), "second": float(c)}
            for i, (t, a, b, c) in enumerate(columns)
        ]

    def __repr__(self) -> str:
        size, first, second = (float(np.linalg.norm(v)) for v in (self.total, self.order(1), self.order(2)))
        at = f"at step size {self.step_size:.6g}"
        return f"Bias(|w_inf - w*| = {size:.6g} {at}; to first order {first:.6g}, to second {second:.6g})"


def bias(
    problem: Problem,
    algorithm: Algorithm | Callable[[Any], Algorithm],
    *,
    step_size: float | None = None,
    nodes: int = NODES,
) -> Bias:
    """The bias of the fixed point of deterministic rounds against the minimiser, in full and to second order in the step size.

    ============== ==================================================================================================
    argument       meaning
    ============== ==================================================================================================
    ``algorithm``  one with a field ``step_size``, which is what the series is in; or a function that makes one of a
                   step size, such as ``lambda eta: fl.FedAvg(5, eta)``, and then ``step_size`` is where ``total`` is
    ``nodes``      how many fixed points the polynomial goes through
    ============== ==================================================================================================

    Raises
    ------
    ValueError : an algorithm without a constant ``step_size``, or a function without ``step_size=``; fewer than four nodes; as
        :func:`certified_fixed_point` and :func:`certified_minimiser`.
    """
    nodes = check_count("nodes", nodes, least=4)
    make, eta = _family(algorithm, step_size)
    minimiser = certified_minimiser(problem)
    whole = certified_fixed_point(problem, make(eta), start=minimiser.point)
    largest = min(eta, _largest_node(problem, make, eta))
    places = largest * (1 - np.cos((2 * np.arange(nodes) + 1) * np.pi / (2 * nodes))) / 2
    ends, worst = [], 0.0
    for place in places.tolist():
        rounds = deterministic_round(problem, make(place), "a bias", minimiser.point)
        found = certify(rounds, rest(rounds))
        ends.append(found.point - minimiser.point)
        worst = max(worst, _distance(found))
    worst += _distance(minimiser)
    values = np.stack(ends)
    weights = taylor_weights(places)
    fewer = taylor_weights(places[1:])
    found_terms = weights @ values
    change = np.linalg.norm(found_terms - fewer @ values[1:], axis=1)
    noise = np.abs(weights).sum(axis=1) * worst
    total_error = None
    if minimiser.error_bound is not None and whole.error_bound is not None:
        rounded = 4 * float(np.finfo(float).eps) * float(np.linalg.norm(whole.point))
        total_error = minimiser.error_bound + whole.error_bound + rounded
    errors = (change + noise).tolist()
    return Bias(
        eta,
        found_terms[0],
        found_terms[1],
        found_terms[2],
        (errors[0], errors[1], errors[2]),
        whole.point - minimiser.point,
        total_error,
        minimiser,
        whole,
    )


def _distance(found: CertifiedPoint) -> float:
    """The proven error, or where there is none what the residual and the local contraction suggest."""
    if found.error_bound is not None:
        return found.error_bound
    away = 1.0 if found.contraction is None else max(1 - found.contraction, 1e-9)
    return found.residual / away


def taylor_weights(places: Floats) -> Floats:
    """``(3, n)``: weights of values at ``places`` in the first three coefficients at zero of the polynomial through them."""
    scale = float(np.abs(places).max())
    vandermonde = np.vander(places / scale, increasing=True).T
    rows = np.linalg.solve(vandermonde, np.eye(len(places)))[:, :3].T
    return np.asarray(rows / scale ** np.arange(3)[:, None])


def _family(algorithm: Any, step_size: float | None) -> tuple[Callable[[float], Algorithm], float]:
    if not hasattr(algorithm, "round"):
        check_function("algorithm", algorithm, "an algorithm, or algorithm(step_size)")
        if step_size is None:
            raise ValueError("step_size=None: a function of the step size needs one at which the bias is meant")
        check_positive("step_size", step_size)
        return algorithm, float(step_size)
    if step_size is not None:
        raise ValueError(
            f"step_size={step_size!r} beside an algorithm that has its own; expected a function of the step size"
        )
    own = getattr(algorithm, "step_size", None)
    if not dataclasses.is_dataclass(algorithm) or not isinstance(own, (Constant, int, float)):
        raise ValueError(
            f"algorithm={type(algorithm).__name__} has no constant step_size to expand in; expected a function of the step size, "
            "such as lambda eta: FedAvg(5, eta)"
        )
    eta = float(own.value if isinstance(own, Constant) else own)

    def make(value: float) -> Algorithm:
        changed: Any = dataclasses.replace(algorithm, step_size=value)  # type: ignore[type-var]
        made: Algorithm = changed
        return made

    return make, eta


def _largest_node(problem: Problem, make: Callable[[float], Algorithm], eta: float) -> float:
    """As :data:`REACH` says."""
    rounds: SmoothRound = deterministic_round(problem, make(eta), "a bias")
    fed = BallFederation(rounds.entry, rounds.curved)
    rounds.entry.algorithm.round(fed, rounds.open(fed, rounds.opening.values))
    calls, upper = max(fed.asked, 1), float(np.max(rounds.curved.clients.upper))
    return 2 * REACH / (calls * upper) if 0 < upper < np.inf else eta
