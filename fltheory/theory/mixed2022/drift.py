r"""Lemmas D.11 and D.13 of Augenstein et al. (2022): how far the clients drift in a round of 1-way Gradient Transfer.

Proved in ``verify/mixed2022``, from the recursion d -> d - eta (h + w + noise) of a local step.
"""

from __future__ import annotations

import sympy as sp

from fltheory.theory.bound import Bound
from fltheory.theory.conditions import Condition
from fltheory.theory.mixed2022 import one_round
from fltheory.theory.mixed2022.one_round import CONVEX, G2, HOMOGENEOUS, SHORTER, SMOOTH, C, K, V, beta, e, eta, eta_s
from fltheory.theory.mixed2022.vocabulary import MixedBound

NAMES = {**one_round.NAMES, "drift_a": r"\mathcal{E}^{(t)}"}
LEFT = sp.Symbol("drift_a")
CONTRACTION = Condition("eta <= 1/beta", eta * beta <= 1)
OTHER_CONDITION = Condition("eta <= 2/beta", eta * beta <= 2)
SERVER = Condition("eta_s >= 1", eta_s >= 1)
display = MixedBound.displays(NAMES)


def bound(
    name: str,
    on_gap: sp.Expr,
    client: sp.Expr,
    central: sp.Expr,
    conditions: tuple[Condition, ...],
    *ids: str,
    gradient: bool = False,
    source: str = "",
    repaired_by: str = "",
) -> Bound:
    """Drift at most K^2 eta^2 (on_gap beta gap + client sigma^2/K + central sigma_c^2), or with |grad f|^2 for beta gap."""
    first = G2 if gradient else beta * one_round.gap
    right = K**2 * eta**2 * (on_gap * first + client * V / K + central * C)
    return display(name, LEFT, right, conditions, *ids, source=source, repaired_by=repaired_by)


_I = sp.Integer
_CONVEX = (HOMOGENEOUS, SMOOTH, CONVEX)
LEMMA_D11 = bound("Lemma D.11", _I(12), _I(3), _I(3), (*_CONVEX, CONTRACTION), "MX-LEMD11")
LEMMA_D11_PROOF = bound(
    "Lemma D.11, last line of its proof",
    _I(16),
    _I(2),
    _I(2),
    (*_CONVEX, CONTRACTION),
    "MX-LEMD11-S8",
    source="proof of Lemma D.11",
)
LEMMA_D11_SHARP = bound(
    "Lemma D.11, sharpened",
    _I(2),
    _I(2),
    _I(2),
    (*_CONVEX, OTHER_CONDITION),
    "MX-LEMD11-S10",
    gradient=True,
    source="Lemma D.11, sharpened",
)
LEMMA_D11_EXACT = display(
    "Lemma D.11 without client noise",
    LEFT,
    (K + 1) * (2 * K + 1) / 6 * eta**2 * (G2 + C),
    (*_CONVEX, OTHER_CONDITION, Condition("sigma = 0", sp.Eq(V, 0))),
    "MX-LEMD11-S11",
    source="Lemma D.11, sharpened",
)
LEMMA_D13 = display(
    "Lemma D.13",
    LEFT,
    4 * e / (9 * beta * eta_s**2) * G2 + 2 * e**2 / eta_s**2 * (V / K + 4 * C),
    (HOMOGENEOUS, SMOOTH, SERVER, SHORTER),
    "MX-LEMD13",
)
LEMMA_D13_SHARP = bound(
    "Lemma D.13, sharpened",
    _I(2),
    _I(2),
    _I(2),
    (HOMOGENEOUS, SMOOTH, SERVER, SHORTER),
    "MX-LEMD13-S7",
    gradient=True,
    source="Lemma D.13, sharpened",
)
