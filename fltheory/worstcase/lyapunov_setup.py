"""The three programs of a Lyapunov statement as models: a round, the state before it, and the state at the start."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from fltheory.algorithms.vocabulary import Algorithm
from fltheory.readings.arrays import participation_of
from fltheory.worstcase.analysis import Analysis, Heterogeneity
from fltheory.worstcase.classes import Dissimilarity, FunctionClass
from fltheory.worstcase.formulation import orthogonal_parts
from fltheory.worstcase.functional import Assumption, Functional, square
from fltheory.worstcase.lyapunov_round import FreeRound, free_round
from fltheory.worstcase.lyapunov_terms import Ingredients, ingredients
from fltheory.worstcase.model import Model
from fltheory.worstcase.sampling import shares
from fltheory.worstcase.space import Shares

#: The name under which a certificate bounds the Lyapunov function before the round.
LYAPUNOV = "lyapunov"
#: How clients may differ here; a verifier knows what each of these means.
KINDS = ("gradients", "gamma", "bounded gradients", "none")


def kinds_of(heterogeneity: Heterogeneity | Sequence[Heterogeneity] | None) -> tuple[Heterogeneity, ...]:
    """What is assumed of the clients, as a tuple.

    Raises
    ------
    ValueError : an assumption that has no meaning for all rounds.
    """
    listed: Sequence[Any] = heterogeneity if isinstance(heterogeneity, (list, tuple)) else [heterogeneity]
    found = tuple(kind for kind in listed if kind is not None)
    for kind in found:
        if kind not in KINDS and not isinstance(kind, Dissimilarity):
            raise ValueError(
                f"heterogeneity={heterogeneity!r}; for all rounds expected of {', '.join(KINDS)} and Dissimilarity(B) one or "
                "several, or None"
            )
    return found


@dataclass
class LyapunovSetup:
    """An algorithm, its classes and assumptions, ready for any combination of terms.

    ``before``, ``after`` are the terms of the state at both ends of a round, ``alone`` those of the state in its own program,
    ``begun`` those at the start.  ``assumptions`` are those of a round, ``at_start`` those that bound what is there at first.
    ``equal`` are zero in a round: products of parts of vectors in different blocks of coordinates.
    """

    clients: FunctionClass
    centre: FunctionClass | None
    shares: Shares
    free: FreeRound
    ingredients: Ingredients
    analyses: Mapping[str, Analysis]
    before: Mapping[str, Functional]
    after: Mapping[str, Functional]
    alone: Mapping[str, Functional]
    begun: Mapping[str, Functional]
    assumptions: tuple[Assumption, ...]
    at_start: tuple[Assumption, ...]
    equal: tuple[Functional, ...] = ()
    kinds: tuple[Heterogeneity, ...] = ()
    quantities: tuple[str, ...] = field(init=False)

    def __post_init__(self) -> None:
        self.quantities = tuple(dict.fromkeys(item.bound for item in self.assumptions if item.bound is not None))

    def model(self, which: str, assumptions: tuple[Assumption, ...], measure: Functional) -> Model:
        """A model over the program of a round (``"step"``), of the state before it (``"floor"``) or at the start (``"start"``)."""
        analysis = self.analyses[which]
        made = tuple(analysis.recorder.instructions)
        return Model(
            made, len(analysis.program.instructions), self.clients, self.centre, self.shares, assumptions, measure
        )

    def without(self, *quantities: str) -> tuple[Assumption, ...]:
        """The assumptions of a round without those on these quantities."""
        return tuple(item for item in self.assumptions if item.bound not in quantities)


def combined(terms: Mapping[str, Functional], weights: Mapping[str, Fraction]) -> Functional:
    """``sum weights[name] terms[name]``."""
    total = Functional()
    for name, weight in weights.items():
        total = total + terms[name] * weight
    return total


def set_up(
    algorithm: Algorithm,
    clients: FunctionClass,
    *,
    family: str,
    heterogeneity: Heterogeneity | Sequence[Heterogeneity] | None = "gradients",
    centre: FunctionClass | None = None,
    noise: bool = False,
    centre_noise: bool = False,
    n_clients: int | None = None,
    indifferent: bool = False,
) -> LyapunovSetup:
    """Trace an algorithm and name its terms; where it is ``indifferent`` only V's start needs the heterogeneity.

    Raises
    ------
    ValueError : an algorithm that has no such program, or whose rounds differ; a server's loss without its class.
    """
    kept = shares(participation_of(algorithm), n_clients, noisy=noise)
    free = free_round(algorithm, kept, noisy=noise, noisy_centre=centre_noise, n_clients=n_clients)
    if free.step.relative:  # averages drop a part of that noise too
        kept = shares(participation_of(algorithm), n_clients, noisy=True)
    has_centre = bool(free.step.registers("centre", "centre prox"))
    if has_centre and centre is None:
        raise ValueError(
            "centre=None: the method asks for the server's own loss; expected its class, such as SmoothConvex(1)"
        )
    if centre is not None and not has_centre:
        raise ValueError(f"centre={centre!r}: the method asks for no gradient of the server's own loss; expected None")
    if centre_noise and not has_centre:
        raise ValueError("centre_noise=True: the method asks for no gradient of the server's own loss")
    kinds = kinds_of(heterogeneity)
    if has_centre and any(isinstance(kind, Dissimilarity) for kind in kinds):
        raise ValueError(
            f"heterogeneity={heterogeneity!r} beside a loss of the server's own: whose gradient is meant has no name yet"
        )
    shared = "none" in kinds
    programs = {"step": free.step, "floor": free.begin, "start": free.start}
    analyses = {name: Analysis(made, clients, shared_minimiser=shared) for name, made in programs.items()}
    parts = ingredients(free, has_centre)
    found = {}
    for name, analysis in analyses.items():
        if has_centre:  # the minimiser balances two losses: both must be asked there, in every program
            analysis.recorder.put(("centre", analysis.optimum))
        analysis.require_optimum()
        found[name] = parts.functionals(analysis, 0, family)
    after = parts.functionals(analyses["step"], 1, family)
    listed = {
        name: _assumptions(analyses[name], () if indifferent and name == "step" else kinds)
        for name in ("step", "start")
    }
    return LyapunovSetup(
        clients,
        centre,
        kept,
        free,
        parts,
        analyses,
        found["step"],
        after,
        found["floor"],
        found["start"],
        listed["step"],
        (Assumption(analyses["start"].distance(0), "distance"), *listed["start"]),
        tuple(item.functional for item in orthogonal_parts(analyses["step"])[::2]),  # the others are their opposites
        kinds,
    )


def _assumptions(analysis: Analysis, kinds: Sequence[Heterogeneity]) -> tuple[Assumption, ...]:
    found = [item for kind in kinds for item in analysis.heterogeneity(kind)]
    relative = {place: (omega, register) for place, omega, register in analysis.program.relative}
    for place, made in enumerate(analysis.recorder.instructions):
        if place in relative:
            omega, register = relative[place]
            found.append(Assumption(square(place) - square(register) * omega, None))
        elif made[0] == "noise":
            found.append(Assumption(square(place), "centre_noise" if made[2:] == ("server",) else "noise"))
    return tuple(found)
