"""``fl.plan``: which step size, how many local steps and which cohort, for a problem and a budget."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from fltheory.algorithms.participation import Full, Participation, SchemeI
from fltheory.algorithms.subsets import SchemeII
from fltheory.kinds import PointLike
from fltheory.problems.base import Problem
from fltheory.problems.checks import check_count, check_flag, check_positive, check_problem
from fltheory.problems.oracles import AnyOracle
from fltheory.progress import tells
from fltheory.questions.best_rate import best_rate
from fltheory.questions.budget import Budget, one_budget
from fltheory.questions.class_plan import class_plan
from fltheory.questions.families import Family, family_of
from fltheory.questions.plan_answer import Plan, PlanRow, PlanTheorem
from fltheory.questions.predictions import predictor
from fltheory.questions.prescriptions import Choice, Prescriber
from fltheory.worstcase.classes import FunctionClass

#: Local steps that are tried.
LOCAL_STEPS = (1, 2, 5, 10, 20, 50)


@tells("plan", by="note")
def plan(
    problem: Problem | FunctionClass,
    algorithm: Any,
    *,
    rounds: int | None = None,
    local_steps: float | None = None,
    gradients: float | None = None,
    bytes: float | None = None,
    oracle: AnyOracle | None = None,
    centre_oracle: AnyOracle | None = None,
    start: PointLike | None = None,
    local_steps_grid: Sequence[int] = LOCAL_STEPS,
    cohorts: Sequence[int | Participation] | None = None,
    theorems: bool = True,
    quantities: Mapping[str, object] | None = None,
    time_limit: float | None = None,
    progress: Callable[[str], None] | bool | None = None,
) -> Plan:
    """Step size, local steps and cohort with the least expected gap that a budget can buy, beside what theorems prescribe.

    For every number of local steps and every cohort the budget pays for R rounds; the step size is the one with the least
    ``E F(w_R) - F*`` by the exact moments of the rounds, where the problem is quadratic.  Other problems are replaced by their
    quadratic model at the minimiser, which is right near it and a guess far away; the answer says which was done.

    ==================== ===================================================================================================
    argument             meaning
    ==================== ===================================================================================================
    ``problem``          or a class such as ``fl.SmoothStronglyConvex(mu, L)``: certified worst cases, for rounds or local steps
    ``quantities``       with a class: values of what the worst case is made of (default 1 each)
    ``algorithm``        a class such as ``fl.FedAvg``; an algorithm, whose other fields stay; or a function
                         ``(local_steps, step_size)`` or ``(local_steps, step_size, cohort)`` that makes one
    ``rounds``           the budget: rounds of communication;
    ``local_steps``      or local steps of a client one after another, R E;
    ``gradients``        or gradients of all clients and of the server together;
    ``bytes``            or bytes over the network in both directions, eight for a number
    ``oracle``           what clients see instead of gradients (default: exact ones); ``centre_oracle`` for the server's loss
    ``start``            the first model, ``(d,)``; default: zero
    ``local_steps_grid`` the numbers of local steps that are tried
    ``cohorts``          clients per round or schemes that are tried.  A number K stands for uniform subsets where weights are
                         equal and for K draws by weight else; by default everybody, and where gradients or bytes are the
                         budget smaller cohorts too
    ``theorems``         whether to hold the published rates of :func:`fltheory.applicable` against every choice
    ``time_limit``       seconds for the search; choices not begun by then are left out, and ``not_tried`` counts them
    ``progress``         told in words which choice is searched
    ==================== ===================================================================================================

    Returns
    -------
    Plan : ``print`` it; ``.best``, ``.algorithm``, ``.rows``, ``.theorems``, ``.to_frame()``.

    Raises
    ------
    ValueError : no budget or several; one that pays for no round; no family of algorithms; a problem without a minimiser; no step
        size that was tried has a finite gap; as :func:`fltheory.moments`.
    """
    if isinstance(problem, FunctionClass):
        chosen = {
            "oracle": oracle,
            "centre_oracle": centre_oracle,
            "start": start,
            "cohorts": cohorts,
            "time_limit": time_limit,
        }
        asked = [name for name, value in chosen.items() if value is not None]
        if asked:
            raise ValueError(f"{', '.join(asked)} given with a class of functions; expected a problem")
        spent = one_budget(rounds=rounds, local_steps=local_steps, gradients=gradients, bytes=bytes)
        tell = progress if callable(progress) else _quiet
        return class_plan(problem, family_of(algorithm), spent, _counts(local_steps_grid), quantities, tell)
    if quantities is not None:
        raise ValueError("quantities given with a problem, which has its own; expected a class of functions")
    check_problem("problem", problem)
    budget = one_budget(rounds=rounds, local_steps=local_steps, gradients=gradients, bytes=bytes)
    if rounds is not None:
        check_count("rounds", rounds)
    family = family_of(algorithm)
    counts = _counts(local_steps_grid)
    schemes = _schemes(problem, family, cohorts, budget)
    predicted = predictor(problem, oracle, centre_oracle, start)
    choices = []
    for scheme in schemes:
        for count in counts:
            paid = budget.rounds(problem, family.make(count, 1e-3 / predicted.smoothness, scheme), count)
            if paid:
                choices.append(Choice(count, scheme, paid))
    if not choices:
        raise ValueError(f"a budget of {budget} pays for no round of {family.name} with {counts[0]} local steps")

    tell = progress if callable(progress) else _quiet
    if time_limit is not None:
        check_positive("time_limit", time_limit)
    begin, found, held = time.monotonic(), [], list[Choice]()
    for choice in choices:
        if held and time_limit is not None and time.monotonic() - begin > time_limit:
            break
        held.append(choice)
        tell(f"choice {len(held)} of {len(choices)}: E={choice.local_steps}, {choice.rounds} rounds")

        def gap(step_size: float, at: Choice = choice) -> float:
            return predicted.gap(family.make(at.local_steps, step_size, at.scheme), at.rounds)

        step_size, least = best_rate(gap, predicted.smoothness)
        if math.isfinite(least):
            made = family.make(choice.local_steps, step_size, choice.scheme)
            slots = choice.scheme.slots(problem.n_clients)
            found.append(PlanRow(choice.local_steps, choice.scheme, slots, choice.rounds, step_size, least, made))
    if not found:
        raise ValueError(
            f"no step size of {family.name} that was tried has a finite gap after {choices[0].rounds} rounds"
        )
    told, never = [], 0
    if check_flag("theorems", theorems):
        tell("what published theorems prescribe")
        prescribed, never = Prescriber(problem, family, oracle, centre_oracle, start).all(held)
        for one in prescribed:
            at = one.choice
            truth = predicted.gap(one.algorithm, at.rounds)
            told.append(PlanTheorem(one.theorem, at.local_steps, at.scheme, at.rounds, one.step_size, one.value, truth))
    found.sort(key=lambda row: row.gap)
    told.sort(key=lambda row: row.gap)
    left = len(choices) - len(held)
    return Plan(family.name, type(problem).__name__, str(budget), predicted.how, tuple(found), tuple(told), never, left)


def _quiet(words: str) -> None:
    """Tells nobody."""


def _counts(grid: Any) -> list[int]:
    if not isinstance(grid, Iterable) or isinstance(grid, str):
        raise ValueError(f"local_steps_grid={grid!r} is no list; expected numbers of local steps such as (1, 5, 10)")
    counts = sorted({check_count("local_steps_grid", count) for count in grid})
    if not counts:
        raise ValueError("local_steps_grid is empty; expected numbers of local steps")
    return counts


def _schemes(
    problem: Problem, family: Family, cohorts: Sequence[int | Participation] | None, budget: Budget
) -> list[Participation]:
    n = int(problem.n_clients)
    if not family.cohorts:
        if cohorts is not None:
            raise ValueError(
                f"cohorts={cohorts!r}: {family.name} is made without a cohort; expected a function of three"
            )
        return [family.own or Full()]
    if cohorts is None:
        if family.own is not None and family.own != Full():
            return [family.own]
        sizes = (
            [n] if budget.unit in ("rounds", "local_steps") else sorted({n, -(-n // 3), -(-n // 10), 1}, reverse=True)
        )
        return [_scheme(problem, size) for size in sizes]
    if not cohorts:
        raise ValueError("cohorts is empty; expected numbers of clients or schemes")
    strange = [one for one in cohorts if isinstance(one, bool) or not (isinstance(one, int) or hasattr(one, "slots"))]
    if strange:
        raise ValueError(f"cohorts: {strange[0]!r} is neither a number of clients nor a scheme such as fl.SchemeII(2)")
    return [_scheme(problem, one) if isinstance(one, int) else one for one in cohorts]


def _scheme(problem: Problem, size: int) -> Participation:
    """Everybody, uniform subsets where weights are equal, else draws by weight."""
    n, weights = int(problem.n_clients), [float(p) for p in problem.weights]
    if not 1 <= size <= n:
        raise ValueError(f"cohorts: {size} clients of N={n}; expected 1 to {n}")
    if size == n:
        return Full()
    return SchemeII(size) if max(weights) - min(weights) <= 1e-12 else SchemeI(size)
