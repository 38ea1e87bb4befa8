r"""Lemma 5.1 of FedLAMA: the squared gradients at the starts of the rounds, as printed and as it can be proved.

``S`` is the sum over rounds t < T, local steps and clients of E|x^i_{t,j} - u_t|^2, ``decrease`` what is printed as
F(u_0) - F(u_{T-1}) and is F(u_0) - E F(u_T) in a correct telescoping sum.
"""

from __future__ import annotations

from dataclasses import replace

import sympy as sp

from fltheory.theory.conditions import Condition
from fltheory.theory.fedlama2021.vocabulary import Bound
from fltheory.theory.ranges import NONNEGATIVE

L, eta, tau, m, T, sigma, drift, decrease = sp.symbols("L eta tau m T sigma S decrease")

SMOOTH = Condition("Assumption 1: every F_i is L-smooth")
UNBIASED = Condition("Assumption 2: unbiased gradients, given all that was drawn before")
VARIANCE = Condition("Assumption 3: variances at most sigma^2")
INDEPENDENT = Condition("the noises of different clients are independent")
STEP = Condition("eta <= 1/(L tau)", sp.Le(eta * L * tau, 1))
HALF_STEP = Condition("eta <= 1/(2 L tau)", sp.Le(2 * eta * L * tau, 1))
_PRINTED = (SMOOTH, UNBIASED, VARIANCE, STEP)
_PROVED = (SMOOTH, UNBIASED, VARIANCE, INDEPENDENT, STEP)
_LEFT = r"\sum_{t=0}^{T-1}\mathbb{E}\|\nabla F(u_t)\|^2"


def _distances(steps: str) -> str:
    return rf"\sum_{{t=0}}^{{T-1}}\sum_{{{steps}}}\sum_{{i=1}}^m\mathbb{{E}}\|x^i_{{t,j}}-u_t\|^2"


FROM_ZERO, FROM_ONE = _distances("j=0}^{\\tau-1"), _distances("j=1}^{\\tau")
_AT_LAST, _AT_END = r"\left(F(u_0)-F(u_{T-1})\right)", r"\left(F(u_0)-\mathbb{E}F(u_T)\right)"
RIGHT = 2 / (eta * tau) * decrease + L * eta * T / m * sigma**2 + L**2 / (m * tau) * drift

LEMMA = Bound(
    "Lemma 5.1, sum over j = 0, ..., tau - 1",
    "Lemma 5.1, end of its proof",
    _LEFT,
    RIGHT,
    _PRINTED,
    symbol_names={"S": FROM_ZERO, "decrease": _AT_LAST},
    ids=("LA-LEM51[j = 0 to tau - 1]",),
    repaired_by="LA-LEM51-R1",
)
LEMMA_FROM_ONE = replace(
    LEMMA,
    name="Lemma 5.1, sum over j = 1, ..., tau",
    source="Lemma 5.1",
    symbol_names={"S": FROM_ONE, "decrease": _AT_LAST},
    ids=("LA-LEM51[j = 1 to tau]",),
)
REPAIRED = replace(
    LEMMA,
    name="Lemma 5.1 with F at the end and 5/2 times the distances",
    source="Lemma 5.1",
    expression=RIGHT + sp.Rational(3, 2) * L**2 / (m * tau) * drift,
    conditions=_PROVED,
    symbol_names={"S": FROM_ZERO, "decrease": _AT_END},
    ids=("LA-LEM51-R1",),
    repaired_by="",
)
HALF = replace(
    REPAIRED,
    name="Lemma 5.1 with F at the end, half the step size and twice the noise",
    expression=RIGHT + L * eta * T / m * sigma**2,
    conditions=(*_PROVED[:-1], HALF_STEP),
    ids=("LA-LEM51-R2",),
)
TWO_STEPS = Condition("tau <= 2", sp.Le(tau, 2))
SHORT_ROUNDS = replace(
    REPAIRED,
    name="Lemma 5.1 with F at the end, at most two local steps",
    expression=RIGHT,
    conditions=(*_PROVED, TWO_STEPS),
    ids=("LA-LEM51-R3",),
)
_ONE_LEFT = r"\mathbb{E}\left[F(u_{t+1})-F(u_t)\right]"
square = sp.Symbol("D_0")
_ONE_NAMES = {
    "S": r"\sum_{i=1}^m\sum_{j=0}^{\tau-1}\mathbb{E}\|x^i_{t,j}-u_t\|^2",
    "D_0": r"\mathbb{E}\|\nabla F(u_t)\|^2",
}
_ONE = -eta * tau / 2 * square + L * eta**2 * tau / (2 * m) * sigma**2 + L**2 * eta / (2 * m) * drift
ROUND = Bound(
    "(19), one round",
    "(19)",
    _ONE_LEFT,
    _ONE,
    _PROVED,
    symbol_names=_ONE_NAMES,
    ids=("LA-EQ19.1", "LA-EQ19.2"),
)
ROUND_REPAIRED = replace(
    ROUND,
    name="(19) with 5/2 times the distances",
    expression=_ONE + sp.Rational(3, 4) * L**2 * eta / m * drift,
    ids=("LA-EQ19-R1",),
)
noise_sum, gradient_sum = sp.symbols("P Q")
_SECOND = {
    "P": r"\tfrac1{m^2}\mathbb{E}\Big\|\sum_{i=1}^m\sum_{j=0}^{\tau-1}(g^i_{t,j}-\nabla F_i(x^i_{t,j}))\Big\|^2",
    "Q": r"\tfrac1{m^2}\mathbb{E}\Big\|\sum_{i=1}^m\sum_{j=0}^{\tau-1}\nabla F_i(x^i_{t,j})\Big\|^2",
}
_SUM = {"P": NONNEGATIVE, "Q": NONNEGATIVE}
APART = Bound(
    "(17), noise and gradients apart",
    "(17)",
    r"\mathbb{E}\|\Delta_t\|^2",
    noise_sum + gradient_sum,
    (UNBIASED,),
    relation="=",
    symbol_names=_SECOND,
    ids=("LA-EQ17",),
    repaired_by="LA-EQ17-R1",
    ranges=_SUM,
)
SECOND = replace(
    APART,
    name="(18)",
    source="(18)",
    expression=tau * sigma**2 / m + gradient_sum,
    conditions=(SMOOTH, UNBIASED, VARIANCE, INDEPENDENT, STEP),
    relation="<=",
    ids=("LA-EQ18",),
    repaired_by="LA-EQ18-R1",
)
NOISE = Bound(
    "noise of a round",
    "(18)",
    _SECOND["P"],
    tau * sigma**2 / m,
    (UNBIASED, VARIANCE, INDEPENDENT),
    ids=("LA-EQ18-IND",),
)
