r"""Table 1 and Theorems B.1-B.3 of Augenstein et al. (2022): nine orders of the number of rounds to an error ``eps``.

Every order is a sum of a noise term, for Parallel Training a dissimilarity term, and an optimisation term.  With E the unit of
f and L that of x a number of rounds has no unit.

========  =========================  ========================================
symbol    meaning                    unit
========  =========================  ========================================
V, C      sigma^2, sigma_c^2         E^2/L^2
beta, mu  smoothness, convexity      E/L^2
G, B      dissimilarity (w_f = 1/2)  E/L, none
D_sq, F   |x0 - x*|^2, f(x0) - f*    L^2, E
eps       accuracy                   E; of |grad f|^2 (non-convex) E^2/L^2
========  =========================  ========================================
"""

from __future__ import annotations

import sympy as sp

from fltheory.theory.conditions import Condition
from fltheory.theory.mixed2022.vocabulary import MixedBound

V, C, K, S, beta, mu, G, B, D2, F, eps = sp.symbols("V C K S beta mu G B D_sq F eps", positive=True)
eta, eta_s, eta_c, eta_m = sp.symbols("eta eta_s eta_c eta_m", positive=True)
NAMES = {
    "V": r"\sigma^2",
    "C": r"\sigma_c^2",
    "beta": r"\beta",
    "mu": r"\mu",
    "D_sq": "D^2",
    "eps": r"\epsilon",
    "eta": r"\eta",
    "eta_s": r"\eta_s",
    "eta_c": r"\eta_c",
    "eta_m": r"\eta_m",
}
CASES = ("strongly convex", "convex", "non-convex")
ALGORITHMS = ("PT", "1-w GT", "2-w GT")
SHORT = {"PT": "PT", "1-w GT": "1W", "2-w GT": "2W", "strongly convex": "SC", "convex": "C", "non-convex": "NC"}
half = sp.Rational(1, 2)

#: What multiplies (sigma^2 + factor sigma_c^2)/(K S) in the noise term.
NOISE_SCALE = {"strongly convex": 1 / (mu * eps), "convex": D2 / eps**2, "non-convex": beta * F / eps**2}
OPTIMISATION = {"strongly convex": beta / mu * sp.log(1 / eps), "convex": beta * D2 / eps, "non-convex": beta * F / eps}
#: The dissimilarity term of Parallel Training as printed, and with the units of a number of rounds.
DISSIMILARITY = {
    "strongly convex": G * sp.sqrt(beta) / (mu * sp.sqrt(eps)),
    "convex": G * sp.sqrt(beta) / eps ** (3 * half),
    "non-convex": G * sp.sqrt(beta) / eps ** (3 * half),
}
REPAIRED = {
    "strongly convex": DISSIMILARITY["strongly convex"],
    "convex": G * sp.sqrt(beta) * D2 / eps ** (3 * half),
    "non-convex": G * beta * F / eps ** (3 * half),
}


def central_factor(algorithm: str) -> sp.Expr:
    """By how much sigma_c^2 counts more than sigma^2: one central batch per round, or K."""
    return K * S if algorithm == "1-w GT" else S


def terms(algorithm: str, case: str) -> dict[str, sp.Expr]:
    """The printed terms of one order.

    Raises
    ------
    ValueError : an algorithm or a case that Table 1 does not have.
    """
    if algorithm not in ALGORITHMS or case not in CASES:
        raise ValueError(f"algorithm={algorithm!r}, case={case!r}: expected one of {ALGORITHMS} and of {CASES}")
    found = {"noise": (V + central_factor(algorithm) * C) / (K * S) * NOISE_SCALE[case]}
    if algorithm == "PT":
        found["dissimilarity"] = DISSIMILARITY[case]
    found["optimisation"] = (B**2 if algorithm == "PT" else sp.Integer(1)) * OPTIMISATION[case]
    return found


def limits(algorithm: str, case: str) -> list[sp.Expr]:
    """Printed largest value of eta eta_s (and of eta_c), the least of the list."""
    if algorithm == "PT":
        return [1 / (6 * (1 + B**2) * beta * K * eta_m)]
    if algorithm == "1-w GT":
        return [1 / ((18 if case == "non-convex" else 8) * beta * K)]
    if case == "non-convex":
        return [1 / (24 * beta * K * eta_m)]
    return [1 / (81 * beta * K * eta_m)] + ([1 / (15 * mu * K * eta_m)] if case == "strongly convex" else [])


def conditions(algorithm: str, case: str) -> tuple[Condition, ...]:
    """The hypotheses of the theorem."""
    smooth = "f_i, f_c beta-smooth" if algorithm == "1-w GT" else "f_f, f_c beta-smooth"
    found = [
        Condition("Assumption 4.1"),
        Condition("variance of g_c at most sigma_c^2"),
        Condition(smooth),
        Condition("K >= 2", K >= 2),
    ]
    if algorithm == "PT":
        found.append(Condition("Definition 4.2 with w_f = w_c = 1/2"))
    if algorithm == "1-w GT":
        wide = (
            Condition("eta_s >= sqrt(S)", eta_s**2 >= S)
            if case == "non-convex"
            else Condition("eta_s > sqrt(5S/8)", 8 * eta_s**2 > 5 * S)
        )
        found.append(wide)
    else:
        found.append(Condition("eta_m >= 1", eta_m >= 1))
    for rate, word in ((eta * eta_s, "eta eta_s"), (eta_c, "eta_c")):
        if algorithm == "1-w GT" and word == "eta_c":
            continue
        found += [Condition(f"{word} <= {sp.sstr(limit)}", rate <= limit) for limit in limits(algorithm, case)]
    return tuple(found)


def order(algorithm: str, case: str) -> MixedBound:
    """One entry of Table 1 with its conditions."""
    name = f"MX-T1-{SHORT[algorithm]}-{SHORT[case]}"
    number = ALGORITHMS.index(algorithm) + 1
    left = r"T" if case != "strongly convex" else r"T\ \text{(up to logarithms)}"
    return MixedBound(
        f"rounds of {algorithm}, {case}",
        f"Theorem B.{number}, Table 1",
        left,
        sum(terms(algorithm, case).values()),
        conditions(algorithm, case),
        "O",
        NAMES,
        (name,),
        repaired_by=f"{name}-R1" if REPAIRED[case] != DISSIMILARITY[case] and algorithm == "PT" else "",
    )


PT_SC, PT_C, PT_NC = (order("PT", case) for case in CASES)
ONE_WAY_SC, ONE_WAY_C, ONE_WAY_NC = (order("1-w GT", case) for case in CASES)
TWO_WAY_SC, TWO_WAY_C, TWO_WAY_NC = (order("2-w GT", case) for case in CASES)
ORDERS = (PT_SC, PT_C, PT_NC, ONE_WAY_SC, ONE_WAY_C, ONE_WAY_NC, TWO_WAY_SC, TWO_WAY_C, TWO_WAY_NC)
