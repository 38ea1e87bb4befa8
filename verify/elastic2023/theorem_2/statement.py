"""Theorem II of the elastic aggregation supplement: true with a constant, by the printed pair in the right order.

The pair with 9G/10 in the place of G satisfies A1 with G and B = 3.  With one weight of at least 1/2 on its linear client,
x^r >= 2(K-1)/(3K-2) min(x^0, 9G/(10 mu r)) at every round r, for all step sizes up to 1/mu and every K >= 2, odd and even.
"""

from fractions import Fraction

import sympy as sp

from fltheory.evidence.derive import by_derivation
from fltheory.evidence.ends import tried
from fltheory.evidence.kinds import lower_bound_claim, run_script
from fltheory.evidence.model import Control, Evidence
from fltheory.evidence.relations import Relations
from fltheory.evidence.witness import Side, Witness
from fltheory.theory.elastic2023 import lower_bound as theory
from verify.elastic2023.derivations import lower_bound as derivations
from verify.elastic2023.lemma_9 import powers
from verify.elastic2023.theorem_2.rounds import a, eta, round_of_the_pair, x
from verify.elastic2023.theorem_2.weights import CHOICE, METHOD

of_theorem_2 = lower_bound_claim.sharing(source="Theorem II, (20)", quick=False)

_STEPS = (
    "EL-T2-F",
    "EL-T2-A1",
    "EL-T2-UPD",
    "EL-T2-ALPHA",
    "EL-T2-SIMP",
    "EL-T2-MONO",
    "EL-T2-X0",
    "EL-LEM9",
    "EL-T2-END",
)
#: From x >= m/2, m the smaller of x^0 and 9G/(10 mu r), to f >= D/10, D the smaller of f(x^0) and G^2/(mu r^2).
AT_X0 = Relations(
    "mu/2*x**2 >= factor*D for mu > 0; factor = 1/10; x_0 > 0; x >= x_0/2; D >= 0; D <= mu/2*x_0**2",
    uses={0: {"D <= mu/2*x_0**2": "factor"}},
)
AT_DRIFT = Relations(
    "mu/2*x**2 >= factor*D for mu > 0; G > 0; r >= 1; factor = 1/10; x >= 9*G/(20*mu*r); D >= 0; D <= G**2/(mu*r**2)",
    uses={0: {"D <= G**2/(mu*r**2)": "factor"}},
)
#: (K-1)/(3K-2) is at least 1/4, and A1 for the pair with 9G/10.
HALF = Relations("2*(K - 1)/(3*K - 2) >= 1/2 for K >= 2")
A1 = Relations(
    "((2*y + g)**2 + g**2)/2 <= G**2 + 9*y**2 for G > 0; g = 9/10*G",
    squares={0: [("7", "y - g/7")]},
    names={"y": r"\mu x", "g": "G'"},
)


def theorem_2(factor: str, steps: str, scale: str = "9/10") -> Evidence:
    """f(x^r) - f* >= factor min(f(x^0) - f*, G^2/(mu r^2)), by the pair with ``scale`` G, for every K from ``steps`` on."""
    at_x0, at_drift = (one.changed("factor = 1/10", f"factor = {factor}") for one in (AT_X0, AT_DRIFT))
    a1 = A1.changed("g = 9/10*G", f"g = {scale}*G")
    found = tried(
        Witness(
            {x: start, eta: step, a: Fraction(1, 2)},
            Side("f(x^1)", round_of_the_pair(count) ** 2 / 2),
            ">=",
            Side("what is claimed", sp.Rational(factor) * sp.Min(x**2 / 2, (sp.Rational(10, 9)) ** 2)),
            given=[(x, ">", 0), (eta, "<=", 1)],
            setting=f"mu = R = 1, G = 10/9, the pair with 1, K = {count}",
        )
        for start, step, count in ((1, 1, 1), (1, Fraction(1, 3), 2), (Fraction(11, 7), Fraction(11, 29), 2), (1, 1, 3))
        if count >= int(steps)
    )
    beside = {**powers.ALL, "the constant": HALF.certificate, "A1": a1.certificate}
    beside |= {"where x^0 is smaller": at_x0.certificate, "where the drift is smaller": at_drift.certificate}
    return by_derivation(
        lambda: derivations.theorem_2(theory.THEOREM_2, local_steps=steps),
        found,
        beside=beside,
        method=METHOD,
        valid_for="all whole K >= 2, r >= 1, x^0, mu, G > 0, every sequence of step sizes in [0, 1/mu], one weight of "
        "at least 1/2 on the linear client of the pair with 9G/10; eta_g = 1",
        prose=CHOICE + "; in the derivation G is 9/10 of that of A1, and R = r",
    )


_PRINT = r"f(x^{%s})-f^\star\ge\tfrac1{10}\min\left(f(x^0)-f^\star,\tfrac{G^2}{\mu %s^2}\right)"
_CONTROLS = [Control("a factor of 2/5", dict(factor="2/5")), Control("one local step", dict(steps="1"))]

every_round = of_theorem_2(
    "EL-THM2[at every round r]",
    statement=_PRINT % ("r", "r"),
    headline="No step sizes beat one over the squared number of rounds, under client drift",
    summary="For all G, mu > 0 the pair with 9G/10 is strongly convex in the mean, satisfies A1 with G and B = 3, and "
    "its error after every r >= 1 rounds is at least a tenth of min(f(x^0) - f*, G^2/(mu r^2)), for every K >= 2, "
    "every sequence of step sizes up to 1/mu, odd and even K, and one weight in all rounds. The printed proof reverses "
    "a weight and loses odd K.",
    proof_steps=_STEPS,
    printed=dict(factor="1/10", steps="2"),
    controls=_CONTROLS,
)(theorem_2)

last_round = of_theorem_2(
    "EL-THM2[at the last round R]",
    statement=_PRINT % ("R", "R"),
    headline="The error after the last round is at least of order one over its square",
    summary="Read with R, the number of all rounds, the bound is the one at r = R: at least a tenth of min(f(x^0) - f*, "
    "G^2/(mu R^2)).",
    proof_steps=_STEPS,
    printed=dict(factor="1/10", steps="2"),
    controls=_CONTROLS,
)(theorem_2)

if __name__ == "__main__":
    run_script(__file__)
