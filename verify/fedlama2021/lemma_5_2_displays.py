r"""Lemma 5.2 and Theorem 5.3 of FedLAMA as bounds.

| symbol         | meaning                                                                                     |
|----------------|---------------------------------------------------------------------------------------------|
| L, sigma       | smoothness of every client, bound of the noise of a stochastic gradient                     |
| beta_sq, kappa_sq | constants of the bounded dissimilarity                                                   |
| eta, tau, m, T | step size, local steps of a round, clients, rounds                                          |
| A, c           | 2 eta^2 L^2 tau (tau - 1); any positive number                                              |
| G              | E|grad F(u_t)|^2, u_t the model at the start of round t                                     |
| F_0, F_s, F_i, F_l | values of F at the start, at a local minimum u_*, infimum of F, at u_{T-1}              |
"""

from __future__ import annotations

from dataclasses import replace

import sympy as sp

from fltheory.theory.conditions import Condition
from fltheory.theory.fedlama2021.vocabulary import Bound
from fltheory.theory.ranges import AT_LEAST_ONE, COUNT, NONNEGATIVE, POSITIVE, REAL, WHOLE

L, eta, sigma, kappa_sq, beta_sq, A, G, c = sp.symbols("L eta sigma kappa_sq beta_sq A G c")
m, tau, T, F_0, F_s, F_i, F_l = sp.symbols("m tau T F_0 F_s F_i F_l")

DISCREPANCY = 2 * eta**2 * L**2 * tau * (tau - 1)
_NAMES = {
    "beta_sq": r"\beta^2",
    "kappa_sq": r"\kappa^2",
    "G": r"\mathbb{E}\|\nabla F(u_t)\|^2",
    "F_0": "F(u_0)",
    "F_s": "F(u_*)",
    "F_i": r"\inf F",
    "F_l": "F(u_{T-1})",
}
_RANGES = {
    "beta_sq": AT_LEAST_ONE,
    "G": NONNEGATIVE,
    "F_0": REAL,
    "F_s": REAL,
    "F_i": REAL,
    "F_l": REAL,
    "tau": COUNT,
    "c": POSITIVE,
}
display = Bound.displays(_NAMES, ranges=_RANGES)

DEFINED = Condition("A = 2 eta^2 L^2 tau (tau - 1)", sp.Eq(A, DISCREPANCY))
_CLIENTS = Condition(
    "every F_i is L-smooth; stochastic gradients are unbiased given the past, with variance at most sigma^2"
)
DISSIMILAR = Condition("(1/m) sum_i |grad F_i|^2 <= beta^2 |grad F|^2 + kappa^2")
INDEPENDENT = Condition("the noises of different clients are independent")
EQUAL_START = Condition("all clients start at u_0")
START_OF_ROUND = Condition("all clients start the round at u_t")
_LOCAL = (_CLIENTS, DISSIMILAR, START_OF_ROUND, DEFINED)
_DRIFT = r"\frac1m\sum_{j=0}^{\tau-1}\sum_{i=1}^m\mathbb{E}\|x^i_{t,j}-u_t\|^2"

LEMMA_5_2 = display(
    "Lemma 5.2",
    _DRIFT,
    eta**2 * tau * (tau - 1) / (1 - A) * sigma**2
    + tau * A * beta_sq / ((1 - A) * L**2) * G
    + tau * A * kappa_sq / ((1 - A) * L**2),
    (*_LOCAL, Condition("A < 1", sp.Lt(A, 1))),
    "LA-LEM52",
    source="Lemma 5.2, (5)",
)
LEMMA_5_2_SHARP = display(
    "Lemma 5.2, sharper",
    _DRIFT,
    (1 + c)
    / 2
    * eta**2
    * tau
    * (tau - 1)
    / (1 - (1 + 1 / c) * A / 4)
    * (sigma**2 + (2 * tau - 1) / 3 * (beta_sq * G + kappa_sq)),
    (*_LOCAL, Condition("(1 + 1/c) A < 4", sp.Lt((1 + 1 / c) * A, 4))),
    "LA-LEM52-S1",
    source="Lemma 5.2",
)

_LEFT = r"\frac1T\sum_{t=0}^{T-1}\mathbb{E}\|\nabla F(u_t)\|^2"
STEP = (
    Condition("eta <= 1/(tau L)", sp.Le(eta * tau * L, 1)),
    Condition("eta <= 1/(L sqrt(2 tau (tau - 1) (2 beta^2 + 1)))", sp.Le(DISCREPANCY * (2 * beta_sq + 1), 1)),
)
_ROUNDS = (EQUAL_START, _CLIENTS, DISSIMILAR, *STEP)


def _theorem(gap: sp.Expr, first: sp.Expr, third: sp.Expr, fourth: sp.Expr) -> sp.Expr:
    noise = 2 * L * eta / m * sigma**2
    spread = fourth * eta**2 * L**2 * tau * (tau - 1) * kappa_sq
    return first / (eta * tau * T) * gap + noise + third * L**2 * eta**2 * (tau - 1) * sigma**2 + spread


THEOREM_5_3 = display(
    "Theorem 5.3",
    _LEFT,
    _theorem(F_0 - F_s, sp.Integer(4), 3 * T, sp.Integer(6)),
    (*_ROUNDS, Condition("u_* is any local minimum of F")),
    "LA-THM53.1[every local minimum]",
    source="Theorem 5.3, (6)",
    repaired_by="LA-THM53.1[a global minimum]",
)
THEOREM_5_3_LAST = display(
    "Theorem 5.3 as in the appendix",
    _LEFT,
    _theorem(F_0 - F_l, sp.Integer(4), 3 * T, sp.Integer(6)),
    _ROUNDS,
    "LA-THM53.2",
    source="Theorem 5.3 in the appendix",
    repaired_by="LA-THM53-R1",
)
THEOREM_5_3_REPAIRED = display(
    "Theorem 5.3, repaired",
    _LEFT,
    _theorem(F_0 - F_i, sp.Integer(4), 3 * T, sp.Integer(6)),
    (*_ROUNDS, INDEPENDENT),
    "LA-THM53-R1",
    source="Theorem 5.3",
)
#: The infimum F_i of F is F(u_*).
THEOREM_5_3_LOWEST = replace(
    THEOREM_5_3_REPAIRED,
    name="Theorem 5.3, compared with a global minimum",
    source="Theorem 5.3, (6)",
    conditions=(*_ROUNDS, INDEPENDENT, Condition("u_* is a global minimum of F")),
    symbol_names={**THEOREM_5_3_REPAIRED.symbol_names, "F_i": "F(u_*)"},
    ids=("LA-THM53.1[a global minimum]",),
)
THEOREM_5_3_SHARP = display(
    "Theorem 5.3 without the number of rounds",
    _LEFT,
    _theorem(F_0 - F_i, sp.Rational(8, 3), sp.Rational(12, 5), sp.Rational(8, 5)),
    (*_ROUNDS, INDEPENDENT),
    "LA-THM53-R2",
    source="Theorem 5.3",
)

_MT = sp.sqrt(m) * sp.sqrt(T)
REMARK_1 = display(
    "Remark 1, the rate with its constants",
    _LEFT,
    (sp.Rational(8, 3) / tau * (F_0 - F_i) + 2 * L * sigma**2) / _MT
    + m / T * L**2 * (tau - 1) * (sp.Rational(12, 5) * sigma**2 + sp.Rational(8, 5) * tau * kappa_sq),
    (
        EQUAL_START,
        _CLIENTS,
        DISSIMILAR,
        INDEPENDENT,
        Condition("eta = sqrt(m/T)"),
        Condition("T >= m L^2 tau^2", sp.Ge(T, m * L**2 * tau**2)),
        Condition(
            "T >= 2 m L^2 tau (tau - 1)(2 beta^2 + 1)", sp.Ge(T, 2 * m * L**2 * tau * (tau - 1) * (2 * beta_sq + 1))
        ),
    ),
    "LA-REM1.1[third term divided by T]",
    source="Remark 1, (7)",
)

j, Q, S = sp.symbols("j Q S")
step_of_proof = Bound.displays(
    {
        **_NAMES,
        "Q": r"\sum_{s=0}^{j-1}\mathbb{E}\|\nabla F_i(x^i_{t,s})\|^2",
        "S": r"\sum_{j=0}^{\tau-1}\mathbb{E}\|x^i_{t,j}-u_t\|^2",
    },
    ranges={**_RANGES, "j": WHOLE, "Q": NONNEGATIVE},
)
_MOVE = r"\mathbb{E}\|x^i_{t,j}-u_t\|^2"
_SUMS = r"\sum_{s=0}^{j-1}\mathbb{E}\|x^i_{t,s}-u_t\|^2"


def _one_step(name: str, factor: sp.Expr, id: str, **more: str) -> Bound:
    right = 2 * eta**2 * factor * sigma**2 + 2 * eta**2 * factor * Q
    apart = Condition("no layer is averaged within the round")
    return step_of_proof(
        name, _MOVE, right, (_CLIENTS, START_OF_ROUND, apart), id, source="proof of Lemma 5.2, (23)", **more
    )


EQ_23 = _one_step("drift of one step", j - 1, "LA-EQ23", repaired_by="LA-EQ23-R1")
EQ_23_REPAIRED = _one_step("drift of one step, repaired", j, "LA-EQ23-R1")
V = sp.Symbol("V", nonnegative=True)
_NOISES = r"g^i_{t,s}-\nabla F_i(x^i_{t,s})"
EQ_22 = Bound(
    "noises of one client",
    "proof of Lemma 5.2, (22)",
    rf"\mathbb{{E}}\Big\|\sum_{{s=0}}^{{j-1}}\big({_NOISES}\big)\Big\|^2",
    V,
    (Condition("each noise has mean zero given the steps before"),),
    relation="=",
    symbol_names={"V": rf"\sum_{{s=0}}^{{j-1}}\mathbb{{E}}\big\|{_NOISES}\big\|^2"},
    ids=("LA-EQ22", "LA-EQ22-IND[noises are centred given the past]"),
)
SUM_2 = step_of_proof(
    "sum of the drifts before each step",
    rf"4\eta^2L^2\sum_{{j=0}}^{{\tau-1}}(j-1){_SUMS}",
    2 * eta**2 * L**2 * tau * (tau - 1) * S,
    (),
    "LA-SUM2",
    source="proof of Lemma 5.2, sums over the steps",
)

M = sp.Symbol("M", nonnegative=True)
LAYERS = Bound(
    "some layers averaged",
    "proof of Lemma 5.2",
    r"\frac1m\sum_{i=1}^m\|\bar v^i\|^2",
    M,
    (Condition("every layer of the vectors v^i with a bar is that of v^i, or its average over the clients"),),
    symbol_names={"M": r"\frac1m\sum_{i=1}^m\|v^i\|^2"},
    ids=("LA-WORST-R1",),
)
