r"""2-way Gradient Transfer (Theorem B.3 of Augenstein et al., 2022) without eta_m eta_s >= sqrt(S): the price of large cohorts.

Client noise moves the local points of every client by eta sigma sqrt(K), whatever the number of clients that are averaged.  The
convex recursion then has the term 13 e^2 (beta e sigma^2)/(K eta_m^2 eta_s^2) beside the noise e^2 W, and at eta_m = eta_s = 1 the
number of rounds a term that no cohort reduces: sigma sqrt(beta) D^2/(sqrt(K) eps^(3/2)), or sigma sqrt(beta)/(mu sqrt(K eps)).
"""

from __future__ import annotations

import sympy as sp

from fltheory.theory.mixed2022 import one_round, orders, two_way_bounds
from fltheory.theory.mixed2022.one_round import K, V, beta, e
from fltheory.theory.mixed2022.two_way_bounds import CONVEX, Phi_after
from fltheory.theory.mixed2022.vocabulary import MixedBound

R = sp.Rational
SCATTER = R(13)
eta_m, eta_s = sp.Symbol("eta_m"), one_round.eta_s
NAMES = {**two_way_bounds.NAMES, "eta_m": r"\eta_m", "eta_s": r"\eta_s"}
display = MixedBound.displays(NAMES)
CVX_REC = display(
    "2-way GT, convex recursion for every cohort",
    Phi_after,
    two_way_bounds.CVX_REC.expression + SCATTER * beta * e**3 * V / (K * eta_m**2 * eta_s**2),
    CONVEX[:-1],
    "MX-THMB3-S1.4",
    source="Theorem B.3, a proof of its own",
)
#: The order at eta_m = eta_s = 1: those of Table 1 and the term of the scatter.
EXTRA = sp.sqrt(orders.V * orders.beta / orders.K) * orders.D2 / orders.eps ** R(3, 2)
ORDER = MixedBound(
    "rounds of 2-w GT, convex, eta_m = eta_s = 1",
    "Theorem B.3, Table 1, repaired",
    "T",
    sum(orders.terms("2-w GT", "convex").values()) + EXTRA,
    (),
    "O",
    orders.NAMES,
    ("MX-T1-2W-C-R1",),
)
STRONG_EXTRA = sp.sqrt(orders.V * orders.beta / (orders.K * orders.eps)) / orders.mu
STRONG_ORDER = MixedBound(
    "rounds of 2-w GT, strongly convex, eta_m = eta_s = 1",
    "Theorem B.3, Table 1, repaired",
    "T",
    sum(orders.terms("2-w GT", "strongly convex").values()) + STRONG_EXTRA,
    (),
    "O",
    orders.NAMES,
    ("MX-T1-2W-SC-R1",),
)
