"""Steps from the lemmas to the recursions and rates of 1-way GT, Appendix D.2 (:mod:`fltheory.theory.mixed2022.assembly`)."""

from __future__ import annotations

import sympy as sp

from fltheory.theory.mixed2022.one_round import AMOUNTS, G2, C, K, S, V, beta, drift, e, gap, w2
from fltheory.theory.reductions import telescoped
from fltheory.theory.steps import Step, inequality, sign

#: What every explicit rate of Appendix D.2 supposes, in words, and what it is shown for.
HYPOTHESES = (
    "Assumption 4.1",
    "E g_c = grad f_c, variance at most sigma_c^2",
    "f_f, f_c beta-smooth",
    "x* a minimiser of f",
)
VALID = "every N, S <= N, K >= 1, T >= 0, dimension, all noise laws; eta with K eta eta_s equal to the step named"
#: eta_s enters through u = 1/eta_s^2, which is at most 8/(5S), or 1/S.
u = sp.Symbol("u")


def cvx_drift(on_gap: sp.Expr, client: sp.Expr, central: sp.Expr) -> sp.Expr:
    """K^2 eta^2 (on_gap beta gap + client sigma^2/K + central sigma_c^2) with K eta = e/eta_s."""
    return e**2 * u * (on_gap * beta * gap + client * V / K + central * C)


def nc_drift(gradient: sp.Expr, client: sp.Expr, central: sp.Expr) -> sp.Expr:
    """The same with |grad f|^2."""
    return e**2 * u * (gradient * G2 + client * V / K + central * C)


def recursion(round_bound: sp.Expr, drift_bound: sp.Expr, target: sp.Expr, top: sp.Expr, largest: sp.Expr) -> Step:
    """A lemma on one round, a bound of its drift and u <= largest give the recursion, for effective steps up to top/beta."""
    ranges = (*AMOUNTS, (e, 0, top / beta), (u, 0, largest), (w2, 0, None), (gap, 0, None), (G2, 0, None))
    left = round_bound.subs(drift, drift_bound)
    return sign(
        "recursion",
        sp.expand(target - left),
        tuple(r for r in ranges if r[0] in {*(target - left).free_symbols, beta, S}),
    )


#: At least one local step and one client in a cohort.
COHORT = ((K, 1, None), (S, 1, None))


def summed(decrease: sp.Expr, noise: sp.Expr) -> list[Step]:
    """Sum over the rounds of decrease e gap_t <= d_t - d_{t+1} + noise e^2, the recursion for mu = 0; by induction."""
    d, after = sp.symbols("d after")
    right = d - decrease * e * gap + noise * e**2
    one = inequality(
        "one round",
        decrease * e * gap,
        d - after + noise * e**2,
        premises={"recursion": (sp.Integer(1), right - after)},
        ranges=((e, 0, None), *COHORT),
    )
    return [one, *telescoped(noise * e**2, ranges=COHORT)]
