"""The published rate theorems as cases of the audit: their methods, assumptions, measures and quantities.

Units: ``L = 1``, and ``|w_1 - w*|^2 <= 1`` (Li et al.) or ``f(x^0) - f* <= 1`` (lecture).  Li et al. bound the gradients at the
steps taken, which is what the models do, so that both sides speak of the theorem itself.  The lecture bounds gradients and
their dissimilarity at all points; the models use it at the points where gradients are taken.  The worst case under the
stronger assumption may be smaller, so that there the ratio is at least the enclosure's left end.

Nonconvex clients, lower side: the mean f must be at least f* everywhere, not only where it is queried.  The instances have a
tilt ``c_k`` with ``sum p_k c_k = 0`` such that each ``h_k = f_k - <c_k, .>`` obeys ``h_k(x) - |grad h_k(x)|^2/(2L) >= f*`` at its
queries.  The parabolas ``P_i`` of curvature L through the data then stay above f*, and so does the largest interpolant:
``h + L|.|^2/2``, the convex envelope of ``min_i P_i + L|.|^2/2``, is at least ``f* + L|.|^2/2``.  The tilts cancel in the mean.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from fltheory.algorithms.fedavg import FedAvg
from fltheory.algorithms.participation import Full, Participation, SchemeI
from fltheory.algorithms.subsets import SchemeII
from fltheory.algorithms.vocabulary import Federation, Vector, local_sgd
from fltheory.theory import lecture2022, li2020
from fltheory.theory.bound import Bound
from fltheory.worstcase.analysis import Analysis
from fltheory.worstcase.audit import Case
from fltheory.worstcase.classes import Smooth, SmoothStronglyConvex
from fltheory.worstcase.entry import build_model
from fltheory.worstcase.functional import Assumption, Functional, inner, square, value
from fltheory.worstcase.model import Model

ONE = Fraction(1)
#: The published bounds, and improvements of them that are proved.
LI_BOUNDS: Mapping[str, Mapping[str, Bound]] = {
    "1": {
        "printed": li2020.theorem_1,
        "recursion solved": li2020.theorem_1_sharpened,
        "improved": li2020.theorem_1_improved,
    },
    "2": {
        "printed": li2020.theorem_2,
        "recursion solved": li2020.theorem_2_sharpened,
        "improved": li2020.theorem_2_improved,
    },
    "3": {
        "printed": li2020.theorem_3,
        "recursion solved": li2020.theorem_3_sharpened,
        "improved": li2020.theorem_3_improved,
    },
}
LECTURE_BOUNDS: Mapping[str, Mapping[str, Bound]] = {
    "1": {
        "printed": lecture2022.theorem_1,
        "averaged over clients": lecture2022.theorem_1_averaged,
        "improved": lecture2022.theorem_1_periods["FedAvg"],
    },
    "2, first": {"printed": lecture2022.corollary_2_first},
    "2, second": {"printed": lecture2022.corollary_2_second},
    "3": {"printed": lecture2022.theorem_3, "improved": lecture2022.theorem_3_sharp},
}


@dataclass(frozen=True)
class FedAvgFromStepOne:
    """FedAvg as Theorem 1 of Li et al. counts: from ``w_1``, steps t = 1, 2, ..., averages at multiples of E.

    ``eta_t = 2/(mu (gamma + t))``, ``gamma = max{8 L/mu, E}``; the first round has E - 1 steps.  After R rounds: ``w_{RE}``.
    """

    local_steps: int
    strong_convexity: Any
    smoothness: Any
    participation: Participation = Full()

    def start(self, fed: Federation, w: Vector) -> Vector:
        return w

    def round(self, fed: Federation, w: Vector) -> Vector:
        first = max(1, fed.round * self.local_steps)
        steps = (fed.round + 1) * self.local_steps - first
        if steps == 0:
            return w
        gamma = max(8 * self.smoothness / self.strong_convexity, self.local_steps)
        x = local_sgd(fed, fed.send(w), steps, lambda step: 2 / (self.strong_convexity * (gamma + first + step)))
        return fed.average(x, absent=w)


def li_case(
    theorem: str,
    *,
    kappa: Any,
    E: int,
    T: int,
    Gamma: Any,
    G2: Any,
    sigma2: Any = 0,
    N: int | None = None,
    K: int | None = None,
) -> Case:
    """Theorem ``"1"``, ``"2"`` or ``"3"`` of Li et al. at L = 1, ``|w_1 - w*|^2 <= 1``.

    Exact gradients and full participation: the gap itself.  With noise or sampling: one round, ``T = E``, and the gap through
    ``F(w) - F* <= L/2 |w - w*|^2`` (as the paper's proof does), since a gradient at a random average has no model.

    Raises
    ------
    ValueError : E does not divide T; noise or sampling over more than a round; N or K missing.
    """
    if T % E:
        raise ValueError(f"T={T} is no multiple of E={E}")
    mu, noisy = 1 / Fraction(kappa), Fraction(sigma2) > 0
    random = noisy or theorem != "1"
    if random and T != E:
        raise ValueError(f"T={T}: noise and sampled cohorts are modelled for one round, T = E = {E}")
    # Gamma = 0: all clients share a minimiser, and are modelled so.
    kinds = ([] if noisy else ["bounded gradients"]) + ["gamma" if Gamma else "none"]
    if theorem not in LI_BOUNDS:
        raise ValueError(f"theorem={theorem!r}; expected one of {', '.join(LI_BOUNDS)}")
    model = build_model(
        FedAvgFromStepOne(E, mu, ONE, _scheme(theorem, K)),
        SmoothStronglyConvex(mu, 1),
        rounds=T // E,
        measure="distance" if random else "gap",
        heterogeneity=kinds,
        noise=noisy,
        n_clients=N,
    )
    if noisy:
        model = dataclasses.replace(model, assumptions=(*model.assumptions, *_second_moments(model)))
    parameters = {"kappa": kappa, "E": E, "T": T, "Gamma": Gamma, "G2": G2}
    parameters |= {name: entry for name, entry in {"sigma2": sigma2, "N": N, "K": K}.items() if entry}
    values = {
        "L": ONE,
        "mu": mu,
        "E": E,
        "T": T,
        "D1": ONE,
        "Gamma": Fraction(Gamma),
        "G2": Fraction(G2),
        "V": Fraction(sigma2) / (N or 1),
        "K": K or 1,
        "N": N or 2,
    }
    quantities = {"distance": ONE, "gamma": Fraction(Gamma), "G2": Fraction(G2), "noise": Fraction(sigma2)}
    return Case(
        f"Li et al., Theorem {theorem}" + (", noise, one round" if noisy else ", one round" if random else ""),
        {name: Fraction(entry) for name, entry in parameters.items()},
        model,
        model,
        quantities,
        LI_BOUNDS[theorem],
        values,
        Fraction(1, 2) if random else ONE,
    )


def _scheme(theorem: str, K: int | None) -> Participation:
    if theorem == "1":
        return Full()
    if K is None:
        raise ValueError(f"K is missing: Theorem {theorem} speaks of sampled cohorts")
    return SchemeI(K) if theorem == "2" else SchemeII(K)


def _second_moments(model: Model) -> list[Assumption]:
    """``E|grad F_k(w) + noise|^2 <= G^2`` at every step."""
    method = model.instructions[: model.method_length]
    gradients = [place for place, item in enumerate(method) if item[0] == "gradient"]
    noises = [place for place, item in enumerate(method) if item[0] == "noise"]
    return [Assumption(square(g) + square(n), "G2") for g, n in zip(gradients, noises, strict=True)]


def lecture_case(theorem: str, *, s: Any, K: int, T: int, G: Any, sigma_G: Any = None, N: int | None = None) -> Case:
    """Theorem ``"1"`` or ``"3"``, or Corollary ``"2, first"`` / ``"2, second"`` of the lecture, FedAvg, exact gradients.

    Units L = 1 and ``f(x^0) - f* <= 1``.  The measure is the average of ``|grad f|^2`` over the mean models of all steps.

    Raises
    ------
    ValueError : K does not divide T, ``sigma_G`` missing in Theorem 3, or given elsewhere.
    """
    if theorem not in LECTURE_BOUNDS:
        raise ValueError(f"theorem={theorem!r}; expected one of {'; '.join(LECTURE_BOUNDS)}")
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
        LECTURE_BOUNDS[theorem],
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
