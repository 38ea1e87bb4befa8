"""A question about an algorithm as a performance estimation problem in exact rationals."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from fractions import Fraction

from fltheory.algorithms.vocabulary import Algorithm
from fltheory.readings.arrays import participation_of
from fltheory.readings.gram import QUERIES, program
from fltheory.readings.gram_classes import class_program
from fltheory.readings.numbers import RATIONAL, Numbers
from fltheory.worstcase.analysis import Analysis, Heterogeneity, Measure
from fltheory.worstcase.arguments import check_arguments, check_size
from fltheory.worstcase.claims import label_of
from fltheory.worstcase.class_analysis import ClassAnalysis
from fltheory.worstcase.classes import FunctionClass
from fltheory.worstcase.client_classes import ClientClasses, named_classes
from fltheory.worstcase.functional import Assumption, inner, square
from fltheory.worstcase.model import Carried, Model
from fltheory.worstcase.sampling import shares


def build_model(
    algorithm: Algorithm,
    function_class: FunctionClass | ClientClasses,
    *,
    rounds: int = 1,
    measure: Measure = "distance",
    heterogeneity: Heterogeneity | list[Heterogeneity] | tuple[Heterogeneity, ...] | None = "gradients",
    start: Measure | Mapping[str, Measure] | None = None,
    centre: FunctionClass | None = None,
    noise: bool = False,
    centre_noise: bool = False,
    n_clients: int | None = None,
    free_state: bool = False,
    numbers: Numbers = RATIONAL,
) -> Model:
    """The performance estimation problem behind :func:`worst_case`, in exact rationals.

    ``numbers`` is the type of the method's coefficients: rationals, or polynomials in a step size that is left open.
    """
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
    if isinstance(function_class, ClientClasses):
        traced = class_program(algorithm, rounds=rounds, shares=function_class.shares, free_state=free_state)
    else:
        traced = program(
            algorithm,
            rounds=rounds,
            noisy=noise,
            noisy_centre=centre_noise,
            free_state=free_state,
            n_clients=n_clients,
            numbers=numbers,
            blocks=True,
        )
    check_size(len(traced.registers(*QUERIES)))
    if centre_noise and not traced.registers("centre"):
        raise ValueError("centre_noise=True: the method asks for no gradient of the server's own loss")
    if centre is not None and not traced.registers("centre", "centre prox"):
        raise ValueError(f"centre={centre!r}: the method asks for no gradient of the server's own loss; expected None")
    kinds = heterogeneity if isinstance(heterogeneity, (list, tuple)) else [heterogeneity]
    shared = any(kind == "none" for kind in kinds)
    analysis: Analysis
    if isinstance(function_class, ClientClasses):
        analysis = ClassAnalysis(traced, function_class, shared_minimiser=shared)
    else:
        analysis = Analysis(traced, function_class, shared_minimiser=shared)
    if shared or any(each.convex for each in named_classes(function_class).values()):
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
    noisy = noise or bool(traced.relative)
    kept = shares(participation_of(algorithm), n_clients, noisy=noisy)
    if isinstance(analysis, ClassAnalysis):
        kept = replace(kept, classes=analysis.clients.shares)
        assumptions += analysis.granted
    if "identical" in kinds and (kept.deviation is not None or kept.noise != 1):
        raise ValueError(
            f"heterogeneity='identical' with N={kept.clients}, {kept.scheme!r}: clients of one loss have a model for full "
            "participation, with noise for n_clients=1"
        )
    if rounds > 1 and (noisy or kept.deviation is not None):
        raise ValueError(
            f"rounds={rounds} with noise, compression or sampling: a gradient at a cohort's or a noisy average has no model; "
            "certify one round, then chain the rounds"
        )
    assumptions += orthogonal_parts(analysis)
    _require_translations(analysis)
    instructions = analysis.recorder.instructions
    relative = {place: (omega, register) for place, omega, register in traced.relative}
    for place, made in enumerate(instructions):
        if place in relative:  # E |e|^2 <= omega |v|^2 of every client, and so on average
            omega, register = relative[place]
            assumptions.append(Assumption(square(place) - square(register) * omega, None))
        elif made[0] == "noise":
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
        traced.models,
        label_of(algorithm),
    )


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
    smooth = analysis.smoothness + (centre.L if centre is not None and analysis.has_centre else 0)
    found = []
    for point in dict.fromkeys(analysis.program.models):
        gradient = square(analysis.full_gradient(point)) * Fraction(1, 2 * smooth)
        found.append(Assumption(gradient - analysis.value(point), None))
    return found


def orthogonal_parts(analysis: Analysis) -> list[Assumption]:
    """``<a, b> = 0`` for parts of vectors in different blocks, and of their means where both are the clients'.

    Each as two inequalities, one after the other.
    """
    found = []
    for left, right, clients in analysis.program.orthogonal:
        first, second = analysis.recorder.combine(left), analysis.recorder.combine(right)
        products = [inner(first, second)]
        if clients:
            products.append(inner(analysis.mean(first), analysis.mean(second)))
        found += [Assumption(product * sign, None) for product in products for sign in (1, -1)]
    return found
