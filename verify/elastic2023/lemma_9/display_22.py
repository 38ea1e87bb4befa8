"""The display (22) of the proof of Lemma 9: two inequalities and the fact that is quoted below it, in each reading."""

from fractions import Fraction

import sympy as sp

from fltheory.evidence.algebra import by_relations, statement_of_algebra
from fltheory.evidence.decide import decide
from fltheory.evidence.ends import tried
from fltheory.evidence.kinds import inequality_claim, run_script
from fltheory.evidence.model import Control, Evidence
from fltheory.evidence.relations import Relations
from fltheory.evidence.tight import attained
from fltheory.evidence.witness import Side, Witness
from verify.elastic2023.lemma_9.two_cases import DRIFT, DRIFT_OF, PAIRS, SMALL_POWER, WHERE, drift

of_22 = inequality_claim.sharing(source="(22)")
_h = sp.Symbol("h")

#: (22) with gamma^2 G/(4 mu R^2), in the unit G/(4 mu).
SQUARE = Relations(
    f"2*h*(n + 1) - 1 + q*P >= s**2 for n >= 1; 0 <= s <= 1/8; {WHERE.partition('; ')[2]}",
    uses={0: {DRIFT: "1/2", SMALL_POWER: "s + s/n", "1 + 2*s <= exp(2*s)": "(s + s/n - s**2)*exp(-2*s)"}},
)
#: Bernoulli's inequality for (22), K = n + 1 <= 2 (K - 1).
BERNOULLI = Relations(
    "P >= 1 - 2*h*K; K >= 2; x*P >= x*(1 - 4*h*(K - 1)) for 0 <= h <= 1/2; x >= 0; first_K = 2; next_K = K + 1; "
    "first_P = (1 - 2*h)**2; next_P = (1 - 2*h)*P",
    uses={0: {"P >= 1 - 2*h*K": "1 - 2*h"}, 2: {"P >= 1 - 2*h*K": "x*(1 - 2*h)"}},
    names={"h": r"\tfrac{\gamma_r}{R(K-1)}", "P": "{(1-2h)^K}", "x": "x^{r-1}"},
)


def first_of_22(coefficient: str) -> Evidence:
    """drift >= gamma^2 G/(coefficient mu R^2) for gamma <= R/8."""
    stated = SQUARE.changed(">= s**2 for", f">= 4/({coefficient})*s**2 for")
    witness = Witness(
        {_h: Fraction(1, 400), "K": 21},
        Side("the drift in the unit G/mu", drift(21, _h)),
        ">=",
        Side("gamma^2/(.. R^2)", (20 * _h) ** 2 / sp.Rational(coefficient)),
        given=[(20 * _h, "<=", sp.Rational(1, 8))],
        setting="h = mu eta, gamma = 20 h R",
    )
    proved, reason = stated.proof
    both = PAIRS.proof[0] and proved
    return decide(
        (both, reason),
        tried(witness),
        method="Pairs of terms of the drift, and the power of q by exp.",
        valid_for="all whole K >= 2, 0 < gamma <= R/8",
        certificate={"pairs of terms": PAIRS.certificate, "with exp": stated.certificate} if both else None,
        prose="P = q^(K-1) of both",
    )


def _of_22(coefficient: str) -> object:
    return of_22(
        f"EL-L9-22.1[{coefficient} in the denominator]",
        statement=rf"\gamma_r<\tfrac R8:\quad {DRIFT_OF}\ge\frac{{\gamma_r^2G}}{{{coefficient}\mu R^2}}",
        headline=f"For small step sizes the drift is quadratic in them, with {coefficient} in the denominator",
        summary=f"(22), first inequality, read with {coefficient}: for gamma <= R/8 the drift of (21) is at least gamma^2 G over "
        f"{coefficient} mu R^2, for every K >= 2."
        + (
            " The print's own way there, by 1 - gamma/R, is not open; pairs of terms give it."
            if coefficient == "4"
            else ""
        ),
        printed=dict(coefficient=coefficient),
        controls=[Control("2 in the denominator, and less", dict(coefficient="19/10"))],
    )(first_of_22)


first_with_4 = _of_22("4")
first_with_8 = _of_22("8")

second_of_22 = statement_of_algebra(
    "EL-L9-22.2",
    BERNOULLI,
    false={"3 gamma/R": ("4*h*(K - 1)", "3*h*(K - 1)"), "K = 1 too": ("first_K = 2", "first_K = 1")},
    group=inequality_claim,
    source="(22)",
    headline="The contraction of a round is at least linear in the step size",
    summary="(22), second inequality: x^(r-1) (1 - 2 gamma/(R(K-1)))^K is at least x^(r-1) (1 - 4 gamma/R), by Bernoulli's "
    "inequality and K <= 2 (K - 1), for x^(r-1) >= 0 and step sizes up to 1/(2 mu).",
    tightness=attained("K = 2, in the limit of small gamma"),
)

larger = statement_of_algebra(
    "EL-L9-22.3[K - 1 >= K/2]",
    Relations("K - 1 >= K/2 for K >= 2"),
    false={"K from 1 on": ("K >= 2", "K >= 1")},
    group=inequality_claim,
    source="below (22)",
    headline="With two or more local steps, one less is at least half of them",
    summary="The fact quoted below (22), read as K - 1 >= K/2 for K >= 2, holds and is what the step needs.",
)


@of_22(
    "EL-L9-22.3[K - 1 <= K/2]",
    fault="slip",
    statement=r"K-1\le\tfrac K2\quad\text{for }K\ge2",
    headline="The relation quoted below the display is turned around",
    summary="As scanned the fact below (22) is K - 1 <= K/2 for K >= 2, which is false from K = 3 on; the step needs K - "
    "1 >= K/2.",
    repair="EL-L9-22.3[K - 1 >= K/2]",
    printed=dict(relation="<="),
    controls=[Control("at least", dict(relation=">="), must="pass")],
)
def turned(relation: str) -> Evidence:
    """K - 1 against K/2."""
    return by_relations(Relations(f"K - 1 {relation} K/2 for K >= 2"))


if __name__ == "__main__":
    run_script(__file__)
