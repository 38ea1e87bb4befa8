"""The theorems of the lecture note as cases of the audit: their assumptions, measures and quantities.

Units: ``L = 1`` and ``f(x^0) - f* <= 1``.  The note bounds gradients and their dissimilarity at all points; the models use it at
the points where gradients are taken.  The worst case under the stronger assumption may be smaller, so that the ratio is at least
the enclosure's left end.

Nonconvex clients, lower side: the mean f must be at least f* everywhere, not only where it is queried.  The instances have a
tilt ``c_k`` with ``sum p_k c_k = 0`` such that each ``h_k = f_k - <c_k, .>`` obeys ``h_k(x) - |grad h_k(x)|^2/(2L) >= f*`` at its
queries.  The parabolas ``P_i`` of curvature L through the data then stay above f*, and so does the largest interpolant:
``h + L|.|^2/2``, the convex envelope of ``min_i P_i + L|.|^2/2``, is at least ``f* + L|.|^2/2``.  The tilts cancel in the mean.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from fltheory.algorithms.fedavg import FedAvg
from fltheory.theory import lecture2022
from fltheory.theory.bound import Bound
from fltheory.worstcase.analysis import Analysis
from fltheory.worstcase.audit import Case
from fltheory.worstcase.classes import Smooth
from fltheory.worstcase.entry import build_model
from fltheory.worstcase.functional import Assumption, Functional, inner, square, value
from fltheory.worstcase.model import Model

ONE = Fraction(1)
#: The published bounds, and improvements of them that are proved.
BOUNDS: Mapping[str, Mapping[str, Bound]] = {
    "1": {
        "printed": lecture2022.theorem_1,
        "averaged over clients": lecture2022.theorem_1_averaged,
        "improved": lecture2022.theorem_1_periods["FedAvg"],
    },
    "2, first": {"printed": lecture2022.corollary_2_first},
    "2, second": {"printed": lecture2022.corollary_2_second},
    "3": {"printed": lecture2022.theorem_3, "improved": lecture2022.theorem_3_sharp},
}


def lecture_case(theorem: str, *, s: Any, K: int, T: int, G: Any, sigma_G: Any = None, N: int | None = None) -> Case:
    """Theorem ``"1"`` or ``"3"``, or Corollary ``"2, first"`` / ``"2, second"`` of the lecture, FedAvg, exact gradients.

    Units L = 1 and ``f(x^0) - f* <= 1``.  The measure is the average of ``|grad f|^2`` over the mean models of all steps.

    Raises
    ------
    ValueError : K does not divide T, ``sigma_G`` missing in Theorem 3, or given elsewhere.
    """
    if theorem not in BOUNDS:
        raise ValueError(f"theorem={theorem!r}; expected one of {'; '.join(BOUNDS)}")
    if T % K:
        raise ValueError(f"T={T} is no multiple of K={K}")
    if (theorem == "3") != (sigma_G is not None):
        raise ValueError(f"sigma_G={sigma_G!r}: Theorem 3 needs the dissimilarity, the others do not speak of it")
    above, below = (
        _lecture_model(FedAvg(K, Fraction(s)), T // K, sigma_G is not None, tilted) for tilted in (False, True)
    )
    parameters = {"s": s, "K": K, "T": T, "G": G, "sigma_G": sigma_G, "N": N}
    values = {
        "s": Fraction(s),
        "K": K,
        "T": T,
        "N": N or 2,
        "L": ONE,
        "G": Fraction(G),
        "sigma": 0,
        "gap": ONE,
        "sigma_G": Fraction(sigma_G or 0),
    }
    quantities = {"gap": ONE, "G2": Fraction(G) ** 2, "dissimilarity": Fraction(sigma_G or 0) ** 2}
    kind = "Corollary" if theorem.startswith("2") else "Theorem"
    return Case(
        f"Lecture, {kind} {theorem}",
        {name: Fraction(entry) for name, entry in parameters.items() if entry is not None},
        above,
        below,
        quantities,
        BOUNDS[theorem],
        values,
    )


def _lecture_model(algorithm: FedAvg, rounds: int, dissimilar: bool, tilted: bool) -> Model:
    """The average of ``|grad f|^2`` over the mean models, with the assumptions at all points where gradients are taken."""
    extra: list[Assumption] = []

    def measure(analysis: Analysis) -> Functional:
        total = Functional()
        local = analysis.program.registers("gradient")
        for place in local:
            point = analysis.recorder.instructions[place][1]
            mean = point if point in analysis.program.models else analysis.mean(point)
            total = total + square(analysis.full_gradient(mean)) * Fraction(1, len(local))
        for model in analysis.program.models:
            analysis.gradients(model)
        extra.extend(_everywhere(analysis, dissimilar=dissimilar, tilted=tilted))
        return total

    model = build_model(algorithm, Smooth(1), rounds=rounds, measure=measure, heterogeneity=None, start="gap")
    return dataclasses.replace(model, assumptions=(*model.assumptions, *extra))


def _everywhere(analysis: Analysis, *, dissimilar: bool, tilted: bool) -> list[Assumption]:
    """What holds at every point, at those where gradients are taken; with ``tilted`` the tilts of the module's docstring."""
    places = [(r, item[1]) for r, item in enumerate(list(analysis.recorder.instructions)) if item[0] == "gradient"]
    shared = set(analysis.program.models)
    shared |= {r for r, item in enumerate(analysis.recorder.instructions) if item[0] == "mean"}
    found = [Assumption(square(place), "G2") for place, _ in places]
    for place, point in places:
        if point in shared:
            mean = analysis.mean(place)
            if dissimilar:
                found.append(Assumption(square(place) - square(mean), "dissimilarity"))
            found.append(Assumption(square(mean) * Fraction(1, 2) - value(place), None))
    if tilted:
        given = analysis.recorder.put(("given", "clients", 0))
        tilt = analysis.minus(given, analysis.mean(given))
        for place, point in places:
            below = square(analysis.minus(place, tilt)) * Fraction(1, 2) - value(place) + inner(tilt, point)
            found.append(Assumption(below, None))
    return found
