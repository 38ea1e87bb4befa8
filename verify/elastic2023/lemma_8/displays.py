r"""The drift of local steps, Lemma 8 of the supplement, (19) and the displays of its proof.

Letters as in :mod:`verify.elastic2023.lemma_7.displays`; ``r`` is phi eta_g, ``A`` the mean of the squared gradients at x,
``d`` the mean square distance of a local point from x, ``d_before`` that of the point before the step.
"""

import sympy as sp

from fltheory.theory.conditions import Condition
from fltheory.theory.elastic2023.vocabulary import Bound
from fltheory.theory.ranges import NONNEGATIVE, POSITIVE
from verify.elastic2023.lemma_7.displays import CLASS, STEP, B, D, E, G, K, beta, e, r, sigma
from verify.elastic2023.lemma_7.displays import mean_square as A

_NAMES = {
    "e": r"\tilde\eta",
    "r": r"(\phi\eta_g)",
    "D": r"(f(x^{r-1})-f(x^\star))",
    "E": r"\mathcal{E}_r",
    "A": r"\frac1N\sum_i\|\nabla f_i(x)\|^2",
    "beta": r"\beta",
}
display = Bound.displays(_NAMES, ranges={"A": NONNEGATIVE, "r": POSITIVE})
LEFT = 3 * beta * e * E
_AT_LEAST_ONE = Condition("phi eta_g >= 1", sp.Ge(r, 1))
R = sp.Rational


def _lemma_8(power: int) -> Bound:
    noise = e**2 * sigma**2 / (2 * K**power * r**2)
    return display(
        f"bounded drift, K^{power} in the noise term",
        LEFT,
        R(2, 3) * e * D + noise + 18 * beta * e**3 * G**2,
        (CLASS, STEP, _AT_LEAST_ONE),
        f"EL-LEM8[{'K' if power == 1 else 'K^2'} in the noise term]",
        source="Lemma 8, (19)",
        repaired_by="" if power == 1 else "EL-LEM8[K in the noise term]",
    )


LEMMA_8 = _lemma_8(1)
LEMMA_8_SQUARE = _lemma_8(2)
LEMMA_8_SHARP = display(
    "bounded drift, sharpened",
    LEFT,
    R(3, 64) * e * D / r**2 + R(3, 16) * e**2 * sigma**2 / (K * r**2) + 6 * beta * e**3 * G**2 / r**2,
    (CLASS, STEP, Condition("phi eta_g >= 1/32", sp.Ge(32 * r, 1))),
    "EL-LEM8-S1",
    source="Lemma 8",
)


def _averaged(power: int) -> Bound:
    return display(
        f"drift before A1, K^{power} in the noise term",
        LEFT,
        18 * beta * e**3 * A + 3 * beta * e**3 * sigma**2 / (K**power * r**2),
        (CLASS, STEP, _AT_LEAST_ONE),
        f"EL-L8-AVG.2[{'K' if power == 1 else 'K^2'} in the noise term]",
        source="proof of Lemma 8",
        repaired_by="" if power == 1 else "EL-L8-AVG.2[K in the noise term]",
    )


AVERAGED = _averaged(1)
AVERAGED_SQUARE = _averaged(2)
BY_A1 = display(
    "A1 inserted",
    18 * beta * e**3 * A,
    18 * beta * e**3 * G**2 + 36 * beta**2 * e**3 * B**2 * D,
    (CLASS,),
    "EL-L8-AVG.3",
    source="proof of Lemma 8",
)
