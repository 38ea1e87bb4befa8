"""``lyapunov``: a function of the state that shrinks in every round, searched, rounded, and certified for all rounds at once."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any

from fltheory.algorithms.participation import Full
from fltheory.algorithms.vocabulary import Algorithm
from fltheory.kinds import Number
from fltheory.problems.checks import check_choice, check_function
from fltheory.problems.numbers import decimal_fraction
from fltheory.progress import tells
from fltheory.readings.arrays import participation_of
from fltheory.readings.gram import QUERIES
from fltheory.worstcase.analysis import Heterogeneity
from fltheory.worstcase.arguments import check_arguments, check_size
from fltheory.worstcase.classes import FunctionClass
from fltheory.worstcase.client_classes import ClientClasses
from fltheory.worstcase.kept import shelf
from fltheory.worstcase.lyapunov_answer import LyapunovBound
from fltheory.worstcase.lyapunov_kept import RoundsAsked
from fltheory.worstcase.lyapunov_quest import Quest
from fltheory.worstcase.lyapunov_setup import kinds_of, set_up
from fltheory.worstcase.lyapunov_terms import FAMILIES


@tells("lyapunov", by="note")
def lyapunov(
    algorithm: Algorithm,
    function_class: FunctionClass,
    *,
    rho: Number | None = None,
    heterogeneity: Heterogeneity | Sequence[Heterogeneity] | None = "gradients",
    quantities: Mapping[str, object] | None = None,
    centre: FunctionClass | None = None,
    noise: bool = False,
    centre_noise: bool = False,
    n_clients: int | None = None,
    terms: str | None = None,
    progress: Callable[[str], None] | bool | None = None,
) -> LyapunovBound:
    """A theorem for every number of rounds: ``V_R <= rho^R V_0 + (1 + rho + ... + rho^(R-1)) (b zeta^2 + c sigma^2)``.

    V is sought among the distance and what the clients' own leaves deviate from their mean (``terms="distance"``), the squares
    and products of all vectors of the state, each less its value at the minimiser (``"state"``), and the gap ``F(w) - F*``
    and the gradient at the model beside these (``"gradient"``); ``V >= |w - w*|^2``.  What is found in floats is rounded to
    rationals and certified by the verifier of worst cases for one round from an arbitrary state.  Where no quantity is
    needed and clients of one curvature decide the rate, rho is exactly the square of their factor.

    ================= ============== ==========================================================================
    argument          symbol         meaning
    ================= ============== ==========================================================================
    rho               rho            the rate; ``None``: the least one whose floor ``(b zeta^2 + c sigma^2)/(1 - rho)`` is at
                                     most twice the least floor
    heterogeneity     zeta, Gamma, G ``"gradients"``, ``"gamma"``, ``"bounded gradients"`` (of the method, in all rounds),
                                     ``Dissimilarity(B)``, ``"none"`` (a minimiser that all clients share), several
                                     of these, or ``None`` (nothing is assumed), as in :func:`worst_case`
    quantities        zeta^2, ...    what the floor is weighed with, 1 where none is given
    centre            f_c            class of the server's own loss
    noise             sigma          clients' gradients with noise, ``centre_noise`` the server's own
    n_clients         N              where the answer depends on it: noise, sampling without replacement
    terms                            ``"distance"``, ``"state"``, ``"gradient"`` (all clients, no noise of the server's), or
                                     ``None``: the first of these that is as good as the next
    progress                         called with words on where the search is; False: no line on a terminal either
    ================= ============== ==========================================================================

    Returns
    -------
    LyapunovBound
        With ``status`` other than ``"certified"`` where nothing was found: that is no proof that there is nothing.

    Raises
    ------
    ValueError : an algorithm whose rounds differ (schedules), or that the Gram reading refuses; classes that are not convex;
        unknown quantities; ``rho`` outside (0, 1].
    """
    check_arguments(
        algorithm,
        function_class,
        rounds=1,
        measure="distance",
        heterogeneity=heterogeneity,
        start=None,
        centre=centre,
        n_clients=n_clients,
        flags={"noise": noise, "centre_noise": centre_noise},
    )
    _check(algorithm, function_class, centre, centre_noise, terms)
    kinds = kinds_of(heterogeneity)
    wanted = None if rho is None else _rate(rho)
    progress = None if isinstance(progress, bool) else progress
    if progress is not None:
        check_function("progress", progress, "progress(words)")
    random = centre_noise or not isinstance(participation_of(algorithm), Full)
    plain = random or "gamma" in kinds
    families = (terms,) if terms is not None else FAMILIES[: 2 if plain else 3]
    options: dict[str, Any] = {
        "heterogeneity": heterogeneity,
        "centre": centre,
        "noise": noise,
        "centre_noise": centre_noise,
        "n_clients": n_clients,
    }
    kept = shelf()
    if kept is not None:
        asked = RoundsAsked(algorithm, function_class, rho=wanted, **options)
        return kept.first(asked.answered_by)
    best: Quest | None = None
    for family in families:
        setup = set_up(algorithm, function_class, family=family, **options)
        check_size(len(setup.free.step.registers(*QUERIES)))
        if family == "state" and terms is None and len(setup.before) == 1:
            continue  # the distance is all there is
        quest = Quest(setup, family, quantities, progress)
        if any(kind != "none" for kind in kinds):
            alike = set_up(algorithm, function_class, family=family, indifferent=True, **options)
            free = Quest(alike, family, quantities, progress)
            quest = free if free.as_good_as(quest) else quest
        if best is None or quest.better(best):
            best = quest
        if best.best:
            break
    assert best is not None
    return best.answer(wanted)


def _rate(rho: Number) -> Fraction:
    try:
        if isinstance(rho, bool):
            raise TypeError
        found = decimal_fraction(rho)
    except (AttributeError, TypeError, ValueError, OverflowError):
        raise ValueError(f"rho={rho!r} is no rational number") from None
    if not 0 < found <= 1:
        raise ValueError(f"rho={found} is no rate; expected 0 < rho <= 1")
    return found


def _check(
    algorithm: Algorithm,
    clients: FunctionClass,
    centre: FunctionClass | None,
    centre_noise: bool,
    terms: str | None,
) -> None:
    if isinstance(clients, ClientClasses):
        raise ValueError(
            f"function_class={clients!r}: a Lyapunov function has a model for one class of clients; expected a FunctionClass, "
            "or worst_case for several"
        )
    if not clients.convex or (centre is not None and not centre.convex):
        raise ValueError(
            f"function_class={clients!r}, centre={centre!r}: distances to a minimiser need convex losses; expected mu >= 0"
        )
    if terms is None:
        return
    check_choice("terms", terms, FAMILIES)
    if terms == "gradient" and (centre_noise or not isinstance(participation_of(algorithm), Full)):
        raise ValueError(
            "terms='gradient' with noise of the server's or sampling: a gradient at the average then has no model; expected 'state'"
        )
