"""Theorems 1 to 3 of Li et al. (2020) as cases of the audit: their method, assumptions, measures and quantities.

Units: ``L = 1`` and ``|w_1 - w*|^2 <= 1``.  The paper bounds the gradients at the steps taken, which is what the models do, so
that both sides speak of the theorem itself.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from fltheory.algorithms.participation import Full, Participation, SchemeI
from fltheory.algorithms.subsets import SchemeII
from fltheory.algorithms.vocabulary import Federation, Vector, local_sgd
from fltheory.theory import li2020
from fltheory.theory.bound import Bound
from fltheory.worstcase.audit import Case
from fltheory.worstcase.classes import SmoothStronglyConvex
from fltheory.worstcase.entry import build_model
from fltheory.worstcase.functional import Assumption, square
from fltheory.worstcase.model import Model

ONE = Fraction(1)
#: The published bounds, and improvements of them that are proved.
BOUNDS: Mapping[str, Mapping[str, Bound]] = {
    number: {
        "printed": getattr(li2020, f"theorem_{number}"),
        "recursion solved": getattr(li2020, f"theorem_{number}_sharpened"),
        "improved": getattr(li2020, f"theorem_{number}_improved"),
    }
    for number in "123"
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
    if theorem not in BOUNDS:
        raise ValueError(f"theorem={theorem!r}; expected one of {', '.join(BOUNDS)}")
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
    values = {"L": ONE, "mu": mu, "E": E, "T": T, "D1": ONE, "Gamma": Fraction(Gamma), "G2": Fraction(G2)}
    values |= {"V": Fraction(sigma2) / (N or 1), "K": K or 1, "N": N or 2}
    quantities = {"distance": ONE, "gamma": Fraction(Gamma), "G2": Fraction(G2), "noise": Fraction(sigma2)}
    return Case(
        f"Li et al., Theorem {theorem}" + (", noise, one round" if noisy else ", one round" if random else ""),
        {name: Fraction(entry) for name, entry in parameters.items()},
        model,
        model,
        quantities,
        BOUNDS[theorem],
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
