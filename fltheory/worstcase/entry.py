"""``worst_case``: the largest value of a measure after some rounds, over every function of a class and every client."""

from __future__ import annotations

import math
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from fltheory.readings.arrays import participation_of
from fltheory.readings.gram import program
from fltheory.worstcase import certificate
from fltheory.worstcase.analysis import Analysis, Measure
from fltheory.worstcase.arguments import check_arguments, check_quantities, check_size, check_time_limit
from fltheory.worstcase.classes import FunctionClass
from fltheory.worstcase.decimals import downward, root_upward, upward
from fltheory.worstcase.expansion import Expansion, expansion
from fltheory.worstcase.functional import Assumption, square
from fltheory.worstcase.growth import Growth, growth
from fltheory.worstcase.model import Carried, Model
from fltheory.worstcase.normalised import in_floats
from fltheory.worstcase.sampling import shares
from fltheory.worstcase.sdp import Problem, Solution, recession, solve

#: What is said in the place of a value that no float holds.
BEYOND = "beyond the range of floats"


@dataclass(frozen=True)
class WorstCase:
    """The answer of :func:`worst_case`.

    Attributes
    ----------
    value : a float between the certified bounds, near what the solver says.  Without an upper certificate there is no value:
        NaN, and the status says why; infinite where growth was proved.  NaN too where bounds are certified and no float lies
        between them, being too large or too small: the bounds are rationals, and say it.
    upper, lower : certified rational bounds of the worst case at the given quantities; ``None`` where no certificate was
        found.
    bound : ``{quantity: factor}`` with ``measure <= sum factor * quantity`` for every instance, whatever the quantities.
    certificate : JSON data that :mod:`fltheory.worstcase.verifier` accepts (``None`` without any).
    status : ``"certified"`` (both sides), ``"upper only"``, ``"lower only"``, ``"no certificate"``, ``"not asked for"``
        (``certify=False``), ``"unbounded"`` (value infinite, proved by ``growth``), ``"perhaps unbounded"`` (nonconvex classes
        only: a direction of growth that the solver sees in floats and nothing proves; no value), ``"out of time"`` (what was
        certified until then is there) or ``"not solved"`` (the solver stopped early or failed, and nothing was certified).
    solver_value : what the solver said, in floats: a number to look at, no claim; NaN beyond their range.
    solver_status, residual, seconds : how the solver ended, its larger residual, its time.
    growth : quadratic losses on which all bounded quantities are zero and the measure is positive, exact; ``None`` where the
        status is not ``"unbounded"``.
    expansion : a parabola on which the measure ends above where it began: the method diverges; ``None`` where none was found.
    """

    value: float
    upper: Fraction | None
    lower: Fraction | None
    bound: Mapping[str, Fraction]
    certificate: dict[str, Any] | None
    status: str
    solver_value: float
    solver_status: str
    residual: float
    seconds: float
    model: Model
    solution: Solution
    quantities: Mapping[str, Fraction]
    growth: Growth | None = None
    expansion: Expansion | None = None

    @property
    def width(self) -> float:
        """Relative width of the certified enclosure; infinite without one."""
        if self.upper is None or self.lower is None:
            return math.inf
        return float((self.upper - self.lower) / self.upper) if self.upper else 0.0

    @property
    def divergence(self) -> str:
        """What a factor above one per round means, in words; empty where there is none.

        It is proved by a parabola (``expansion``), or only not excluded by the certified factor.
        """
        carried = self.model.carried
        if self.upper is None or carried is None or self.model.measure != carried.measure:
            return ""
        factor = self.bound.get(carried.quantity, Fraction(0))
        at_most = f"at most {root_upward(factor, carried.rounds)} per round"
        if self.expansion is not None:
            return f"{self.expansion}, {at_most}"
        if self.upper == 0 or 10 * factor * self.quantities[carried.quantity] < 9 * self.upper:
            return ""  # a bound that is made of the other quantities says little of this factor
        clear = 1 + max(1e-6, 2 * self.width if self.lower is not None else 0.0)
        return f"may diverge: {carried.quantity} by {at_most}" if factor > clear else ""

    def __repr__(self) -> str:
        words = f"{self.value:.9g}" if not math.isnan(self.value) else "no certified value"
        if self.upper is not None and math.isnan(self.value):
            words = BEYOND
        words += "" if self.upper is None else f", at most {upward(self.upper)}"
        words += "" if self.lower is None else f", at least {downward(self.lower)}"
        words += f"; {self.divergence}" if self.divergence else ""
        return f"WorstCase({self.status}: {words}; solver {self.solver_status})"

    def instance(self) -> Any:
        """The worst-case clients as explicit functions, a problem that the simulator runs."""
        from fltheory.worstcase.instance import worst_instance

        return worst_instance(self)


class Budget:
    """Wall-clock time that is left."""

    def __init__(self, seconds: float | None) -> None:
        self._end = time.perf_counter() + check_time_limit(seconds)

    def left(self) -> float:
        """Seconds left, not negative."""
        return max(0.0, self._end - time.perf_counter())


def build_model(
    algorithm: Any,
    function_class: FunctionClass,
    *,
    rounds: int = 1,
    measure: Measure = "distance",
    heterogeneity: Any = "gradients",
    start: Measure | Mapping[str, Measure] | None = None,
    centre: FunctionClass | None = None,
    noise: bool = False,
    centre_noise: bool = False,
    n_clients: int | None = None,
    free_state: bool = False,
) -> Model:
    """The performance estimation problem behind :func:`worst_case`, in exact rationals."""
    check_arguments(
        algorithm,
        function_class,
        rounds=rounds,
        measure=measure,
        heterogeneity=heterogeneity,
        start=start,
        centre=centre,
        n_clients=n_clients,
        flags={"noise": noise, "centre_noise": centre_noise, "free_state": free_state},
    )
    traced = program(
        algorithm, rounds=rounds, noisy=noise, noisy_centre=centre_noise, free_state=free_state, n_clients=n_clients
    )
    check_size(len(traced.registers("gradient", "centre")))
    if centre_noise and not traced.registers("centre"):
        raise ValueError("centre_noise=True: the method asks for no gradient of the server's own loss")
    if centre is not None and not traced.registers("centre"):
        raise ValueError(f"centre={centre!r}: the method asks for no gradient of the server's own loss; expected None")
    kinds = heterogeneity if isinstance(heterogeneity, (list, tuple)) else [heterogeneity]
    shared = any(kind == "none" for kind in kinds)
    analysis = Analysis(traced, function_class, shared_minimiser=shared)
    if function_class.convex or shared:
        analysis.require_optimum()
    objective = analysis.named(measure)
    assumptions = []
    carried = None
    for name, item in _starts(start).items():
        assumptions.append(Assumption(analysis.named(item, 0), name))
        carried = Carried(name, rounds, objective) if item == measure and isinstance(measure, str) else carried
    if not function_class.convex:
        assumptions += _global_minimum(analysis, centre)
    for kind in kinds:
        assumptions += [] if kind is None else analysis.heterogeneity(kind)
    kept = shares(participation_of(algorithm), n_clients, noisy=noise)
    if "identical" in kinds and (kept.deviation is not None or kept.noise != 1):
        raise ValueError(
            f"heterogeneity='identical' with N={kept.clients}, {kept.scheme!r}: clients of one loss have a model for full "
            "participation, with noise for n_clients=1"
        )
    if rounds > 1 and (noise or kept.deviation is not None):
        raise ValueError(
            f"rounds={rounds} with noise or sampling: a gradient at a cohort's or a noisy average has no model; "
            "certify one round, then chain the rounds"
        )
    _require_translations(analysis)
    instructions = analysis.recorder.instructions
    for place, made in enumerate(instructions):
        if made[0] == "noise":
            assumptions.append(Assumption(square(place), "centre_noise" if made[2:] == ("server",) else "noise"))
    return Model(
        tuple(instructions),
        len(traced.instructions),
        function_class,
        centre,
        kept,
        tuple(assumptions),
        objective,
        carried,
    )


def worst_case(
    algorithm: Any,
    function_class: FunctionClass,
    *,
    rounds: int = 1,
    measure: Measure = "distance",
    heterogeneity: Any = "gradients",
    start: Measure | Mapping[str, Measure] | None = None,
    quantities: Mapping[str, Any] | None = None,
    centre: FunctionClass | None = None,
    noise: bool = False,
    centre_noise: bool = False,
    n_clients: int | None = None,
    free_state: bool = False,
    certify: bool = True,
    time_limit: float | None = None,
) -> WorstCase:
    """The worst case of a measure after ``rounds`` rounds, for every number of clients and all weights.

    Parameters
    ----------
    algorithm : any algorithm that treats its clients alike.
    function_class : class of every client's loss; ``centre`` is that of the server's own loss, where there is one.
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
    return solve_model(model, quantities, certify=certify, time_limit=time_limit)


def solve_model(
    model: Model, quantities: Mapping[str, Any] | None = None, *, certify: bool = True, time_limit: float | None = None
) -> WorstCase:
    """Solve and certify a model."""
    from fltheory.worstcase.certify import Enclosure, enclose, reduced

    given = check_quantities(model.bound_names, quantities)
    if not isinstance(certify, bool):
        raise ValueError(f"certify={certify!r} is neither True nor False")
    budget = Budget(time_limit)
    problem = reduced(model, given)
    solution = solve(problem, given, time_limit=budget.left())
    told = solution.value if solution.usable else math.nan
    common = (told, solution.status, solution.residual, solution.seconds, model, solution, given)
    finite = problem.frame.finite
    growing = None if solution.status == "Solved" or finite else growth(model, budget.left)
    found = Enclosure()
    if certify and growing is None:
        found = enclose(model, problem, given, solution, budget)
    if found.above is None and not finite:
        growing = growing or growth(model, budget.left)
        if growing is not None:
            return WorstCase(math.inf, None, None, {}, None, "unbounded", *common, growth=growing)
    data = certificate.statement(model)
    data |= {name: part for name, part in (("upper", found.upper), ("lower", found.lower)) if part is not None}
    kept = data if found.upper is not None or found.lower is not None else None
    names = {(True, True): "certified", (True, False): "upper only", (False, True): "lower only"}
    status = names.get(
        (found.above is not None, found.below is not None), "no certificate" if certify else "not asked for"
    )
    if found.above is None and not finite and _may_grow(problem, solution, budget):
        status = "perhaps unbounded"
    elif status != "certified" and budget.left() <= 0:
        status = "out of time"
    elif kept is None and solution.status not in ("Solved", "AlmostSolved"):
        status = "not solved"
    elif kept is None and not solution.usable:
        status = "not solved"
    value = _inside(solution.value, found.above, found.below)
    wider = expansion(model) if found.above is not None else None
    return WorstCase(value, found.above, found.below, found.bound, kept, status, *common, expansion=wider)


def _inside(value: float, above: Fraction | None, below: Fraction | None) -> float:
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


def _may_grow(problem: Problem, solution: Solution, budget: Budget) -> bool:
    """Whether the solver sees a direction of growth that nothing proves.

    On convex classes this is never asked: what a solver sees there are large numbers (or growth, which must be proved).
    """
    if all(group.functions.convex for group in problem.model.groups):
        return False
    ray = solution.status in ("DualInfeasible", "AlmostDualInfeasible")
    return ray or (solution.status != "Solved" and _unbounded(problem, budget))


def _unbounded(problem: Problem, budget: Budget) -> bool:
    """Whether the solver sees a direction of growth, on a scale where the trace is one; in floats, so that nothing is proved."""
    answer = recession(problem, time_limit=min(60.0, budget.left()))
    return answer.usable and answer.residual < 1e-6 and float(problem.measure @ answer.point) > 1e-4


def _starts(start: Measure | Mapping[str, Measure] | None) -> dict[str, Measure]:
    if start is None:
        return {"distance": "distance"}
    if isinstance(start, Mapping):
        return dict(start)
    return {start if isinstance(start, str) else "start": start}


def _require_translations(analysis: Analysis) -> None:
    """The server's models must be points: a method that shrinks them has another worst case for each minimiser."""
    for place in analysis.program.models:
        if analysis.recorder.degrees[place] != 1:
            raise ValueError(
                f"a model of degree {analysis.recorder.degrees[place]}: the method does not commute with translations, "
                "so that its worst case has no model with the minimiser at the origin"
            )


def _global_minimum(analysis: Analysis, centre: FunctionClass | None) -> Iterable[Assumption]:
    """``F(x) - F* >= |grad F(x)|^2 / (2 L_F)`` at the server's points: the minimiser is a global one."""
    smooth = analysis.clients.L + (centre.L if centre is not None and analysis.has_centre else 0)
    found = []
    for point in dict.fromkeys(analysis.program.models):
        gradient = square(analysis.full_gradient(point)) * Fraction(1, 2 * smooth)
        found.append(Assumption(gradient - analysis.value(point), None))
    return found
