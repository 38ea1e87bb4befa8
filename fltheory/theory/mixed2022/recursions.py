r"""The recursions that Appendix D.2 of Augenstein et al. (2022) quotes (Lemmas 1 and 2 of Karimireddy et al., 2020).

A nonnegative sequence with ``d_r <= (1 - mu eta) d_{r-1} + c eta^2 - eta gap_r`` for r = 1..n, n = R + 1, is looked at
through the mean of the gaps with weights proportional to (1 - mu eta)^{-r}.  For every step size the largest mean is

    first(eta) + c eta,   first(eta) = mu d_0 q^n/(1 - q^n), q = 1 - mu eta   (mu = 0: d_0/(n eta)),

attained by the sequence with equal gaps that ends in d_n = 0.  What remains is the choice of one step size up to ``top``.

======  ==========================================================
symbol  meaning
======  ==========================================================
b, s    square roots of d_0/n and of c (case mu = 0)
h       largest step size allowed (eta_max)
d0, c   start of the sequence, noise constant
R       number of rounds less one
======  ==========================================================
"""

from __future__ import annotations

import sympy as sp

from fltheory.theory.conditions import Condition
from fltheory.theory.mixed2022.vocabulary import MixedBound

d0, c, h, R, mu, eta = sp.symbols("d_0 c h R mu eta", positive=True)
b, s = sp.symbols("b s", nonnegative=True)
W, q, d, e, gap, n, total, weights = sp.symbols("W q d e gap n total weights")

RECURSION = Condition("d_r >= 0 and d_r <= (1 - mu eta) d_{r-1} + c eta^2 - eta gap_r, r = 1..R+1")
NAMES = {"h": r"\eta_{\max}", "mu": r"\mu", "eta": r"\eta"}
LOGARITHM = sp.Max(sp.Rational(1, 2), sp.log(mu**2 * R * d0 / c))

SUBLINEAR = MixedBound(
    "sublinear rate",
    "Appendix D.2 (Lemma 2 of Karimireddy et al.)",
    r"\min_{\eta\le\eta_{\max}}\frac{1}{R+1}\sum_r gap_r",
    d0 / (h * (R + 1)) + 2 * sp.sqrt(c * d0 / (R + 1)),
    (RECURSION, Condition("mu = 0; d_0 > 0 or c = 0")),
    symbol_names=NAMES,
    ids=("MX-AUX-L2",),
)
LINEAR = MixedBound(
    "linear rate, explicit constants",
    "Appendix D.2 (Lemma 1 of Karimireddy et al.)",
    r"\min_{\eta\le\eta_{\max}}\frac{\sum_r(1-\mu\eta)^{1-r}gap_r}{\sum_r(1-\mu\eta)^{1-r}}",
    3 * mu * d0 * sp.exp(-mu * h * R) + c / (mu * R) * (3 + LOGARITHM),
    (RECURSION, Condition("R >= 1/(2 eta_max mu)", 2 * R * h * mu >= 1), Condition("mu eta_max < 1", mu * h < 1)),
    symbol_names=NAMES,
    ids=("MX-AUX-L1",),
)

POSITIVE = ((q, 0, 1), (W, 0, None), (e, 0, None))


kappa, m, k = sp.symbols("kappa m k")
VARYING = MixedBound(
    "linear rate without logarithm",
    "Appendix D.2, footnote on varying step sizes",
    r"\frac{\sum_{j<m}(\kappa+j)gap_{R_0+1+j}}{\sum_{j<m}(\kappa+j)}",
    4 * mu * d0 * sp.exp(-mu * h * R / 2) + 8 * c / (mu * R),
    (
        RECURSION,
        Condition("gap_r >= 0"),
        Condition("R >= 1/(2 eta_max mu)", 2 * R * h * mu >= 1),
        Condition("eta_max in the first R_0 = ceil((R+1)/2) rounds, then 2/(mu (kappa + j)), kappa = 2/(mu eta_max)"),
    ),
    symbol_names=NAMES,
    ids=("MX-SC-LOG[order of the number of rounds]",),
)
