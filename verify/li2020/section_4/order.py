"""Abstract and Sections 1, 4, 5 of Li et al. (2020): the order eta (E-1) of the bias, uniformity in E, related work.

All rows are about the tridiagonal example with a ridge ``mu >= 0``.  The leading coefficient of the bias is not zero, so
the order holds for each E as eta tends to 0; at a small fixed step size the distance stays bounded as E grows.
"""

import sympy as sp

from fltheory.evidence.algebra import disproved
from fltheory.evidence.decide import Tried, decide
from fltheory.evidence.ends import first_broken
from fltheory.evidence.kinds import asymptotic_claim, inequality_claim, lower_bound_claim, run_script
from fltheory.evidence.matrices import Matrices
from fltheory.evidence.model import Control, Evidence
from fltheory.theory.proofs import nonnegative_on
from verify.li2020.appendix_c.example import SMALLEST, distance
from verify.li2020.appendix_c.ridge_identities import box_steps, leading_steps
from verify.li2020.appendix_c.theorem_5 import suboptimal_check
from verify.li2020.lemma_6.matrices_of_example import product_norm, rounds

ALL = "all N >= 2, p >= 2, mu >= 0"


li_abs2 = lower_bound_claim(
    "LI-ABS2",
    headline="On the hard example small fixed steps stop short, in proportion to steps and local steps",
    source="Abstract, Section 1",
    depends=("LI-THM4.2", "LI-THM5.2", "LI-L6-FIN.1-R1"),
    statement=r"\|\tilde w^*-w^*\|=\Omega(\eta),\ \Omega(\eta(E-1)) \quad(E>1 \text{ fixed},\ \eta\to0)",
    summary="On the tridiagonal example, with full gradients, E > 1 and a small constant step size, the limit is at least "
    "of order eta (E-1) from w*, for each E (how small depends on E: row LI-ABS2-S1).",
    printed=dict(least_steps=2),
    controls=[Control("E = 1 allowed", dict(least_steps=1))],
)(suboptimal_check)


@inequality_claim(
    "LI-ABS2-S1",
    source="Section 1, eq. (34)",
    depends=("LI-RHO-S1", "LI-MUPOS.1-R1"),
    statement=r"\eta\le\tfrac1{2+\mu}:\quad \|\tilde w^*-w^*\|\le\sqrt{Np+1},\ \text{ so (34) needs } "
    r"(E-1)\eta\le\frac{16\sqrt{Np+1}}{\|A_1A_2w^*\|}",
    headline="With a small fixed step the bias stays bounded however many local steps are taken",
    summary="At a fixed step size up to 1/(2+mu) the distance stays bounded as E grows, so the threshold of (34) falls at "
    "least like 1/E.",
    printed=dict(power=1),
    controls=[Control("like 1/E^2", dict(power=2))],
)
def li_abs2_bounded(power: int) -> Evidence:
    more = sp.Symbol("E_1")  # E - 1
    steps = box_steps() | {
        "(E-1)^power eta <= (E-1) eta <= 16 |w~*-w*|/|A_1A_2w*|": lambda: nonnegative_on(
            more - more**power, [(more, 1, None)]
        )
    }
    cases, broken, step = [], [], sp.Rational(1, 2)
    right = product_norm(SMALLEST) / 256 * step**2
    for local in (2, 5, 20, 100):
        holds = distance(SMALLEST, local, step) >= (local - 1) ** 2 * right
        within = (local - 1) ** (2 * power) * right <= SMALLEST.dimension
        words = f"N=2, p=2, eta={step}, E={local}: (34) holds although (E-1)^{power} eta exceeds the bound"
        cases.append((not holds or within, words))
        broken += [] if holds else [f"eta={step}, E={local}"]
    return decide(
        steps,
        first_broken(cases),
        method="Local steps replace entries by combinations of neighbours, 0 and 1 with nonnegative weights, so w~* and "
        "w* lie in the unit box, whose diagonal is sqrt(Np+1).",
        valid_for=ALL + ", E >= 2, 0 < eta <= 1/(2+mu)",
        numbers={"N=p=2: (34) fails at": next(iter(broken), "")},
    )


#: The bias at N = p = E = 2: above every multiple of (E eta)^2, for all small eta.
_FIRST_ORDER = Matrices(f"sq(wt - w) > (C*(2*eta)**2)**2 for 0 < eta <= 1/10; 0 < C <= 1/(100*eta); {rounds(2)}")


def khaled_check(power: int) -> Evidence:
    """``distance^power = O(eta^2 E^2)`` together with ``distance >= order (E-1) eta``, for eta -> 0."""
    steps = leading_steps() | {"eta^power is at most of order eta^2": lambda: nonnegative_on(sp.Integer(power - 2), ())}
    table = {
        f"eta=1/{q}": float(sp.sqrt(distance(SMALLEST, 2, sp.Rational(1, q))) ** power / (4 * sp.Rational(1, q) ** 2))
        for q in (100, 10**4, 10**6)
    }
    return decide(
        steps,
        disproved(
            _FIRST_ORDER, "N=p=2, E=2: |w~*-w*| > C eta^2 E^2 for every C > 0 once eta <= 1/10 and eta < 1/(100 C)"
        )
        if power == 1
        else Tried(len(table)),
        method="The distance is (E-1) eta |X|/2 + O(eta^2), X not zero; at mu = 0, "
        "F(w~*) - F* = (w~*-w*)'A(w~*-w*)/(2N) <= 2|w~*-w*|^2/N.",
        valid_for=ALL + ", E >= 2 fixed, eta -> 0",
        numbers={"distance^power/(eta E)^2": table},
    )


li_khaled_squared = asymptotic_claim(
    "LI-KHALED[squared distance or objective gap]",
    headline="The two orders of the bias agree if one of them is a squared distance",
    source="Section 4, Section 5",
    statement=r"\|\tilde w^*-w^*\|^2=O(\eta^2E^2) \text{ while } \|\tilde w^*-w^*\|=\Omega((E-1)\eta)",
    summary="An O(eta^2 E^2) neighbourhood in squared distance agrees with a distance of order (E-1) eta.",
    printed=dict(power=2),
    controls=[Control("distance instead of its square", dict(power=1))],
)(khaled_check)

li_khaled_distance = asymptotic_claim(
    "LI-KHALED[distance]",
    fault="reading",
    source="Section 5",
    statement=r"\|\tilde w^*-w^*\|=O(\eta^2E^2) \text{ and } \|\tilde w^*-w^*\|=\Omega((E-1)\eta)",
    headline="The two orders of the bias contradict each other if both are read as distances",
    summary="Read as distances, the two orders quoted side by side in Section 5 contradict each other for small eta.",
    printed=dict(power=1),
    repair="LI-KHALED[squared distance or objective gap]",
    controls=[Control("squared distance", dict(power=2), must="pass")],
)(khaled_check)


if __name__ == "__main__":
    run_script(__file__)
