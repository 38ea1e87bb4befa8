"""Abstract and Sections 1, 4, 5 of Li et al. (2020): the order eta (E-1) of the bias, uniformity in E, related work.

All rows are about the tridiagonal example with a ridge ``mu >= 0``.  The leading coefficient of the bias is not zero, so
the order holds for each E as eta tends to 0; at a fixed step size the distance stays bounded.
"""

from __future__ import annotations

import sympy as sp

from fltheory.evidence.decide import Tried, decide
from fltheory.evidence.model import Control, Evidence, Kind, Scope, claim
from fltheory.theory.proofs import nonnegative_on
from verify.li2020.appendix_c.example import Example, distance, norm_squared
from verify.li2020.appendix_c.ridge_identities import box_steps, leading_steps

ALL = "all N >= 2, p >= 2, mu >= 0"
SMALLEST = Example(2, 2)
EXAMPLES = (SMALLEST, Example(2, 2, sp.Rational(1, 5)))


@claim(
    "LI-ABS2",
    kind=Kind.LOWER_BOUND,
    scope=Scope.GENERAL,
    source="Abstract, Section 1",
    depends=("LI-THM4.2", "LI-THM5.2", "LI-L6-FIN.1-R1"),
    statement=r"\|\tilde w^*-w^*\|=\Omega(\eta),\ \Omega(\eta(E-1)) \quad(E>1 \text{ fixed},\ \eta\to0)",
    summary="With full gradients, E > 1 and a small constant step size the limit is at least of order eta (E-1) from "
    "w*, for each E (how small depends on E: row LI-ABS2-S1).",
    printed=dict(least_steps=2),
    controls=[Control("E = 1 allowed", dict(least_steps=1))],
)
def li_abs2(least_steps: int) -> Evidence:
    total = sp.Symbol("E")
    steps = leading_steps() | {"E - 1 >= 1": nonnegative_on(total - 2, [(total, least_steps, None)])}
    found, count = "", 0
    for example in EXAMPLES:
        for local in range(least_steps, 5):
            count += 1
            if not found and distance(example, local, sp.Rational(1, 100)) == 0:
                found = (
                    f"{example.name}, E={local}, eta=1/100: the limit is w* (the abstract does not say E > 1, the "
                    "introduction does)"
                )
    return decide(
        steps,
        Tried(examined=count, counterexample=found),
        method="(w~*-w*)/((E-1) eta) tends to (A + N mu I)^{-1} K/2, and K has a positive p-th entry.",
        valid_for=ALL + ", E >= 2, eta -> 0",
    )


@claim(
    "LI-ABS2-S1",
    kind=Kind.INEQUALITY,
    scope=Scope.GENERAL,
    source="Section 1, eq. (34)",
    depends=("LI-RHO-S1", "LI-MUPOS.1-R1"),
    statement=r"\eta\le\tfrac1{2+\mu}:\quad \|\tilde w^*-w^*\|\le\sqrt{Np+1},\ \text{ so (34) needs } "
    r"(E-1)\eta\le\frac{16\sqrt{Np+1}}{\|A_1A_2w^*\|}",
    summary="At a fixed step size the distance stays bounded as E grows, so the threshold of (34) falls at least "
    "like 1/E.",
    printed=dict(power=1),
    controls=[Control("like 1/E^2", dict(power=2))],
)
def li_abs2_bounded(power: int) -> Evidence:
    more = sp.Symbol("E_1")  # E - 1
    steps = box_steps() | {
        "(E-1)^power eta <= (E-1) eta <= 16 |w~*-w*|/|A_1A_2w*|": nonnegative_on(more - more**power, [(more, 1, None)])
    }
    found, broken, count, step = "", "", 0, sp.Rational(1, 2)
    right = norm_squared(SMALLEST.clients[0] * SMALLEST.clients[1] * SMALLEST.optimum) / 256
    for local in (2, 5, 20, 100):
        squared, count = distance(SMALLEST, local, step), count + 1
        holds = squared >= (local - 1) ** 2 * step**2 * right
        if not found and holds and (local - 1) ** (2 * power) * step**2 * right > SMALLEST.dimension:
            found = f"N=2, p=2, eta={step}, E={local}: (34) holds although (E-1)^{power} eta exceeds the bound"
        if not holds and not broken:
            broken = f"eta={step}, E={local}"
    return decide(
        steps,
        Tried(examined=count, counterexample=found),
        method="Local steps replace entries by combinations of neighbours, 0 and 1 with nonnegative weights, so w~* and "
        "w* lie in the unit box, whose diagonal is sqrt(Np+1).",
        valid_for=ALL + ", E >= 2, 0 < eta <= 1/(2+mu)",
        numbers={"N=p=2: (34) fails at": broken},
    )


def khaled_check(power: int) -> Evidence:
    """``distance^power = O(eta^2 E^2)`` together with ``distance >= order (E-1) eta``, for eta -> 0."""
    size = sp.Symbol("eta", positive=True)
    steps = leading_steps() | {
        "eta^power is at most of order eta^2": sp.limit(size**power / size**2, size, 0).is_finite is True
    }
    table = {
        f"eta=1/{q}": float(sp.sqrt(distance(SMALLEST, 2, sp.Rational(1, q))) ** power / (4 * sp.Rational(1, q) ** 2))
        for q in (100, 10**4, 10**6)
    }
    values = list(table.values())
    found = (
        f"N=2, p=2, E=2: |w~*-w*|^{power}/(eta E)^2 grows without bound: {table}" if values[-1] > 10 * values[0] else ""
    )
    return decide(
        steps,
        Tried(examined=3, counterexample=found),
        method="The distance is (E-1) eta |X|/2 + O(eta^2), X not zero; at mu = 0, "
        "F(w~*) - F* = (w~*-w*)'A(w~*-w*)/(2N) <= 2|w~*-w*|^2/N.",
        valid_for=ALL + ", E >= 2 fixed, eta -> 0",
        numbers={"distance^power/(eta E)^2": table},
    )


li_khaled_squared = claim(
    "LI-KHALED[squared distance or objective gap]",
    kind=Kind.ASYMPTOTIC,
    scope=Scope.GENERAL,
    source="Section 4, Section 5",
    statement=r"\|\tilde w^*-w^*\|^2=O(\eta^2E^2) \text{ while } \|\tilde w^*-w^*\|=\Omega((E-1)\eta)",
    summary="An O(eta^2 E^2) neighbourhood in squared distance agrees with a distance of order (E-1) eta.",
    printed=dict(power=2),
    controls=[Control("distance instead of its square", dict(power=1))],
)(khaled_check)


li_khaled_distance = claim(
    "LI-KHALED[distance]",
    kind=Kind.ASYMPTOTIC,
    scope=Scope.GENERAL,
    source="Section 5",
    statement=r"\|\tilde w^*-w^*\|=O(\eta^2E^2) \text{ and } \|\tilde w^*-w^*\|=\Omega((E-1)\eta)",
    summary="Read as distances, the two orders quoted side by side in Section 5 contradict each other for small eta.",
    printed=dict(power=1),
    repair="LI-KHALED[squared distance or objective gap]",
    controls=[Control("squared distance", dict(power=2), must="pass")],
)(khaled_check)


if __name__ == "__main__":
    from fltheory.evidence.runner import run_script

    run_script(__file__)
