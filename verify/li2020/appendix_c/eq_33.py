"""Eq. (33) of Li et al. (2020): the bias of the fixed point, and that it is never zero for E >= 2.

One round moves ``w*`` by ``-(1/N) sum_k S_k g_k`` with ``S_k = eta sum_{l<E} (I - eta A_k)^l`` and ``g_k = grad
F_k(w*)``. On the coordinates 1..p only client 1 acts, and ``g_1 = -h e_{p+1}``; so w* stays put only if ``e_{p+1}`` is
an eigenvector of ``S_1``.  Block 1 of ``A_1`` has p+1 different eigenvalues whose eigenvectors all have a nonzero last
entry, so ``s(lambda)`` would have to be constant on them; but a line meets ``x^E`` in at most three points.
"""

from __future__ import annotations

import sympy as sp

from fltheory.evidence.decide import Tried, decide
from fltheory.evidence.model import Control, Evidence, Kind, Scope, claim
from fltheory.theory.proofs import is_zero
from verify.li2020.appendix_c.example import Example, bias, round_map
from verify.li2020.appendix_c.stationary_points import search_step_sizes, stationarity_steps


@claim(
    "LI-EQ33.1",
    kind=Kind.IDENTITY,
    scope=Scope.GENERAL,
    source="eq. (33)",
    depends=("LI-EQ32", "LI-PR1-4.2"),
    statement=r"\tilde w^*-w^*=(I-M)^{-1}\Big[\tfrac\eta N\sum_{l=0}^{E-1}(I-\eta A_1)^lA-(I-M)\Big]w^*",
    summary="The bias of the fixed point is given by a formula.",
    printed=dict(inner="A"),
    controls=[Control("A_1 + A_2/2 in place of A in the bracket", dict(inner="A_1 + A_2/2"))],
)
def li_eq33_identity(inner: str) -> Evidence:
    value, series, optimum = sp.symbols("M S w", positive=True)
    matrix = {"A": sp.Symbol("A"), "A_1 + A_2/2": sp.Symbol("A_h")}[inner]
    shift = series * sp.Symbol("A") * optimum  # (eta/N) S_E b with b = A w*
    steps = {
        "b = A w*, so the bracket applied to w* is shift - (I-M) w*": is_zero(
            shift / (1 - value) - optimum - (series * matrix - (1 - value)) * optimum / (1 - value)
        )
    }
    found, count = "", 0
    for n_clients, block, local in ((2, 2, 1), (2, 2, 2), (2, 3, 3), (3, 2, 2)):
        example, step = Example(n_clients, block), sp.Rational(1, 5)
        map_matrix, _ = round_map(example, local, step)
        identity = sp.eye(example.dimension)
        local_step = identity - step * example.clients[0]
        sums = sum((local_step**n for n in range(local)), sp.zeros(*identity.shape)) * step / n_clients
        used = example.total if inner == "A" else example.clients[0] + example.clients[1] / 2
        right = (identity - map_matrix).LUsolve((sums * used - (identity - map_matrix)) * example.optimum)
        count += 1
        if not found and right != sp.Matrix(bias(example, local, step)):
            found = f"{example.name}, E={local}, eta={step}: the right-hand side begins with {right[0]}"
    return decide(
        steps,
        Tried(examined=count, counterexample=found),
        method="Subtract (I-M)^{-1}(I-M) w* from (32) and write b = A w*; linear, so "
        "the identity is one between symbols.",
        valid_for="all N, p, E, every eta with I - M invertible",
    )


@claim(
    "LI-EQ33.2",
    kind=Kind.QUALITATIVE,
    scope=Scope.GENERAL,
    source="after eq. (33)",
    statement=r"2\le E<\infty:\quad \tilde w^*-w^*\ne0 \quad\text{for every } \eta>0",
    summary="With at least two local steps the fixed point is never the minimiser, whatever the fixed step size.",
    printed=dict(least_block=2, least_steps=2),
    controls=[Control("p = 1 allowed", dict(least_block=1)), Control("E = 1 allowed", dict(least_steps=1))],
)
def li_eq33_nonzero(least_block: int, least_steps: int) -> Evidence:
    """No fixed step size at all makes ``w*`` a fixed point, for ``p >= least_block``, ``E >= least_steps``."""
    search = search_step_sizes(least_block, least_steps)
    return decide(
        stationarity_steps(least_block, least_steps),
        Tried(examined=search.count, counterexample=search.found),
        method="Jacobi matrices have simple spectra and eigenvectors with nonzero last entry; Rolle bounds the number "
        "of eigenvalues on which s can agree by two, and the block has p + 1 >= 3.  "
        "Instances: gcd in QQ[eta] of the entries.",
        valid_for="all N >= 2, p >= 2, E >= 2 and every eta > 0, mu = 0",
        numbers={"gcd of the entries, without powers of eta": search.divisors},
    )


if __name__ == "__main__":
    from fltheory.evidence.runner import run_script

    run_script(__file__)
