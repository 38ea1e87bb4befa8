"""``worst_case``: the largest value of a measure after some rounds, over every function of a class and every client."""

from __future__ import annotations

import math
import time
from collections.abc import Mapping
from fractions import Fraction

from fltheory.algorithms.vocabulary import Algorithm
from fltheory.progress import tells
from fltheory.worstcase import certificate
from fltheory.worstcase.analysis import Heterogeneity, Measure
from fltheory.worstcase.answer import WorstCase
from fltheory.worstcase.arguments import check_quantities, check_time_limit
from fltheory.worstcase.classes import FunctionClass
from fltheory.worstcase.client_classes import ClientClasses
from fltheory.worstcase.expansion import expansion
from fltheory.worstcase.formulation import build_model
from fltheory.worstcase.growth import growth
from fltheory.worstcase.kept import shelf
from fltheory.worstcase.model import Model
from fltheory.worstcase.normalised import in_floats
from fltheory.worstcase.sdp import ConicProgram
from fltheory.worstcase.solver import Solution, recession, solve


class TimeLeft:
    """Wall-clock time that is left."""

    def __init__(self, seconds: float | None) -> None:
        self._end = time.perf_counter() + check_time_limit(seconds)

    def left(self) -> float:
        """Seconds left, not negative."""
        return max(0.0, self._end - time.perf_counter())


@tells("worst_case")
def worst_case(
    algorithm: Algorithm,
    function_class: FunctionClass | ClientClasses,
    *,
    rounds: int = 1,
    measure: Measure = "distance",
    heterogeneity: Heterogeneity | list[Heterogeneity] | tuple[Heterogeneity, ...] | None = "gradients",
    start: Measure | Mapping[str, Measure] | None = None,
    quantities: Mapping[str, object] | None = None,
    centre: FunctionClass | None = None,
    noise: bool = False,
    centre_noise: bool = False,
    n_clients: int | None = None,
    free_state: bool = False,
    certify: bool = True,
    lower: bool = True,
    exact: bool = False,
    time_limit: float | None = None,
) -> WorstCase:
    """The worst case of a measure after ``rounds`` rounds, for every number of clients and all weights.

    Parameters
    ----------
    algorithm : any algorithm that treats its clients alike.
    function_class : class of every client's loss, or :class:`~fltheory.worstcase.client_classes.ClientClasses` (full
        participation, exact gradients); ``centre`` is that of the server's own loss, where there is one.
    measure : ``"distance"`` ``|w_R - w*|^2``, ``"gap"`` ``F(w_R) - F*``, ``"gradient"`` ``|grad F(w_R)|^2``, or a function
        of an :class:`~fltheory.worstcase.analysis.Analysis` that returns a functional (a Lyapunov combination).
    heterogeneity : see :meth:`Analysis.heterogeneity`; several in a list, such as ``["identical", MixedDissimilarity(1)]``;
        ``None`` for no assumption.
    start : what is bounded at the start: a measure (default ``"distance"``), or several by name.
    quantities : values of the bounded quantities (``distance``, ``heterogeneity``, ``gamma``, ``G2``, ``noise``,
        ``centre_noise``, ...); default 1 each.  They are squares: ``heterogeneity`` is ``zeta^2``, ``noise`` is ``sigma^2``.
    noise : clients' gradients with noise of any law, variance at most ``noise`` at each draw (one round).
    centre_noise : gradients of the server's own loss with noise of any law, variance at most ``centre_noise`` at each
        draw: the same for all clients, and drawn before theirs; the laws of the clients' noises follow them as far as the
        clients' points do.  Alone it allows several rounds and needs no ``n_clients``.
    n_clients : the number of clients, where the answer depends on it (noise, sampling without replacement).
    free_state : start from an arbitrary state instead of the algorithm's own.
    certify : search rational certificates for both sides.
    lower : whether an instance is wanted as well; without it the search ends with the first certificate from above.
    exact : seek bounds that are equal: one rational, certified from both sides.  Where none is found ``note`` says why.
    time_limit : seconds for everything; what was found until then is returned.

    Returns
    -------
    WorstCase
        For sampling and noise (one round) the measure is an expectation.  ``upper`` holds for any number of clients and any
        weights (for equal weights and the given N where N is named); ``lower`` is a supremum over N >= 2 equal clients.
        Assumptions at queried points (dissimilarity, bounded gradients; for nonconvex clients that the stationary point
        ``w*`` is a global minimum) bind the instance of ``lower`` at these points only: there it is the tightness of the
        formulation, not of the assumption at all points.

    Raises
    ------
    ValueError : an algorithm that has no symmetric straight-line program (the reason is named); a class with
        ``mu >= L``; unknown or negative quantities; more than one round with noise of clients or sampling; noise of the
        server's after noise of the clients', or where the method asks for no gradient of the server's own.
    KeyboardInterrupt : within an iteration of the solver.
    """
    model = build_model(
        algorithm,
        function_class,
        rounds=rounds,
        measure=measure,
        heterogeneity=heterogeneity,
        start=start,
        centre=centre,
        noise=noise,
        centre_noise=centre_noise,
        n_clients=n_clients,
        free_state=free_state,
    )
    if not isinstance(exact, bool):
        raise ValueError(f"exact={exact!r} is neither True nor False")
    budget = TimeLeft(time_limit)
    found = solve_model(model, quantities, certify=certify, lower=lower, time_limit=time_limit)
    if not exact or shelf() is not None:
        return found
    return found.exact(time_limit=max(budget.left(), 1e-3))


def solve_model(
    model: Model,
    quantities: Mapping[str, object] | None = None,
    *,
    certify: bool = True,
    lower: bool = True,
    time_limit: float | None = None,
) -> WorstCase:
    """Solve and certify a model; within :func:`fltheory.worstcase.kept.replaying` look its certificate up instead."""
    from fltheory.worstcase.certify import enclose, from_inside, reduced
    from fltheory.worstcase.enclosure import Enclosure

    given = check_quantities(model.bound_names, quantities)
    if not isinstance(certify, bool):
        raise ValueError(f"certify={certify!r} is neither True nor False")
    if not isinstance(lower, bool):
        raise ValueError(f"lower={lower!r} is neither True nor False")
    kept = shelf()
    if kept is not None:
        return kept.answer(model, given)
    budget = TimeLeft(time_limit)
    problem = reduced(model, given)
    solution = from_inside(problem, given, budget) or solve(problem, given, time_limit=budget.left())
    finite = problem.frame.finite
    growing = None if solution.status == "Solved" or finite else growth(model, budget.left)
    found = Enclosure()
    if certify and growing is None:
        found = enclose(model, problem, given, solution, budget, lower=lower and not model.space.common)
        solution = found.answer or solution
    told = solution.value if solution.usable else math.nan
    common = (told, solution.status, solution.residual, solution.seconds, model, solution, given)
    if found.above is None and not finite:
        growing = growing or growth(model, budget.left)
        if growing is not None:
            return WorstCase(math.inf, None, None, {}, None, "unbounded", *common, growth=growing)
    sides = {name: part for name, part in (("upper", found.upper), ("lower", found.lower)) if part is not None}
    proof = certificate.statement(model) | sides if sides else None
    names = {(True, True): "certified", (True, False): "upper only", (False, True): "lower only"}
    status = names.get(
        (found.above is not None, found.below is not None), "no certificate" if certify else "not asked for"
    )
    if found.above is None and not finite and _may_grow(problem, solution, budget):
        status = "perhaps unbounded"
    elif status != "certified" and budget.left() <= 0:
        status = "out of time"
    elif proof is None and solution.status not in ("Solved", "AlmostSolved"):
        status = "not solved"
    elif proof is None and not solution.usable:
        status = "not solved"
    value = inside(solution.value, found.above, found.below)
    wider = expansion(model) if found.above is not None else None
    return WorstCase(value, found.above, found.below, found.bound, proof, status, *common, expansion=wider)


def inside(value: float, above: Fraction | None, below: Fraction | None) -> float:
    """The solver's value, or the nearest one between the certified bounds.

    NaN without an upper one, and where the floats near the bounds lie outside them: beyond the range of floats.
    """
    if above is None:
        return math.nan
    top = in_floats(above)
    value = top if math.isnan(value) else min(value, top)
    if below is not None:
        value = max(value, in_floats(below))
    if math.isnan(value) or math.isnan(top):
        return math.nan
    rounding = Fraction(1, 2**50)
    low, high = (Fraction(0) if below is None else below), above
    inside = low - abs(low) * rounding <= Fraction(value) <= high + abs(high) * rounding
    return value if inside else math.nan


def _may_grow(problem: ConicProgram, solution: Solution, budget: TimeLeft) -> bool:
    """Whether the solver sees a direction of growth that nothing proves.

    On convex classes this is never asked: what a solver sees there are large numbers (or growth, which must be proved).
    """
    if all(group.functions.convex for group in problem.model.groups):
        return False
    ray = solution.status in ("DualInfeasible", "AlmostDualInfeasible")
    return ray or (solution.status != "Solved" and _unbounded(problem, budget))


def _unbounded(problem: ConicProgram, budget: TimeLeft) -> bool:
    """Whether the solver sees a direction of growth, on a scale where the trace is one; in floats, so that nothing is proved."""
    answer = recession(problem, time_limit=min(60.0, budget.left()))
    return answer.usable and answer.residual < 1e-6 and float(problem.measure @ answer.point) > 1e-4
