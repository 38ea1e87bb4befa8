r"""One round of elastic aggregation, Section 9.4 of the supplement: the displays of Lemma 7 and of its proof.

| symbol     | meaning                                                                            |
|------------|------------------------------------------------------------------------------------|
| e          | effective step size K phi eta_g eta_l                                              |
| K, S, N    | local steps, clients of a cohort, all clients                                      |
| P, D       | squared distance of x^{r-1} from x*, gap f(x^{r-1}) - f(x*)                        |
| E, E_taken | drift over the points after the K steps; over those at which gradients are taken   |
| H, X       | second moments of the cohort's mean gradient at its local points, and at x         |
"""

import sympy as sp

from fltheory.theory.conditions import Condition
from fltheory.theory.elastic2023.vocabulary import Bound
from fltheory.theory.ranges import COUNT, NONNEGATIVE

beta, mu, e, G, B, sigma, K, N, S, r, eta = sp.symbols("beta mu e G B sigma K N S r eta")
P, D, E, E_taken, squared_gradient, mean_square, H, X = sp.symbols("P D E E_taken q A H X")

_NAMES = {
    "e": r"\tilde\eta",
    "P": r"\|x^{r-1}-x^\star\|^2",
    "D": r"(f(x^{r-1})-f(x^\star))",
    "E": r"\mathcal{E}_r",
    "E_taken": r"\mathcal{E}_r^-",
    "q": r"\|\nabla f(x)\|^2",
    "A": r"\frac1N\sum_i\|\nabla f_i(x)\|^2",
    "H": r"\mathbb{E}\|\tfrac1{KS}\sum_{k,i\in\mathcal{S}}\nabla f_i(y_{i,k-1})\|^2",
    "X": r"\mathbb{E}\|\tfrac1S\sum_{i\in\mathcal{S}}\nabla f_i(x)\|^2",
    "beta": r"\beta",
}
_RANGES = {"S": COUNT, **dict.fromkeys(("q", "A", "E_taken", "H", "X"), NONNEGATIVE)}
display = Bound.displays(_NAMES, ranges=_RANGES)

STEP = Condition("eta_l <= 1/(8 (1 + B^2) beta K phi eta_g)", sp.Le(8 * (1 + B**2) * beta * e, 1))
SHORT = Condition("eta_l <= 2/beta")
COHORT = Condition("S <= N", sp.Le(S, N))
CLASS = Condition("A1, A2 (every f_i mu-convex), A3, A4 (every f_i beta-smooth), x* minimises f")
_LEFT = r"\mathbb{E}\|x^r-x^\star\|^2"
_COMMON = (1 - mu * e / 2) * P + e**2 * sigma**2 / (K * S) + (1 - S / N) * 4 * e**2 / S * G**2

LEMMA_7 = display(
    "one round progress",
    _LEFT,
    _COMMON - e * D + 3 * beta * e * E,
    (CLASS, STEP, COHORT),
    "EL-LEM7[drift as defined]",
    source="Lemma 7",
)
LEMMA_7_TAKEN = display(
    "one round progress, drift where gradients are taken",
    _LEFT,
    _COMMON - e * D + 3 * beta * e * E_taken,
    (CLASS, STEP, COHORT, SHORT),
    "EL-LEM7[drift where gradients are taken]",
    source="Lemma 7",
)
SHARE = (N - S) / (S * (N - 1))
_SHARP_DRIFT = sp.Rational(17, 8) * beta * e * E
LEMMA_7_SHARP = display(
    "one round progress, sharpened",
    _LEFT,
    (1 - mu * e / 2) * P
    + e**2 * sigma**2 / (K * S)
    + 2 * SHARE * e**2 * G**2
    - sp.Rational(3, 2) * e * D
    + _SHARP_DRIFT,
    (CLASS, STEP, COHORT, Condition("N >= 2", sp.Ge(N, 2))),
    "EL-LEM7-S1",
    source="Lemma 7",
)
_PROOF = "proof of Lemma 7"
VARIANCE = display(
    "noise of the update apart",
    r"\mathbb{E}\|x^r-x^{r-1}\|^2",
    e**2 * H + e**2 * sigma**2 / (K * S),
    (CLASS, COHORT, SHORT),
    "EL-L7-VAR",
    source=_PROOF,
)
VARIANCE_SMOOTH = display(
    "noise of the update apart, smooth losses",
    r"\mathbb{E}\|x^r-x^{r-1}\|^2",
    e**2 * H + sp.Rational(15, 14) * e**2 * sigma**2 / (K * S),
    (Condition("A3, A4 (every f_i beta-smooth)"), COHORT, Condition("eta_l <= 1/(16 K beta)")),
    "EL-L7-VAR-S1",
    source=_PROOF,
)
PRODUCTS = display(
    "products with the local gradients",
    r"\tfrac{2\tilde\eta}{KN}\sum_{k,i}\mathbb{E}\langle\nabla f_i(y_{i,k-1}),x^\star-x\rangle",
    -2 * e * (D + mu / 4 * P) + 2 * beta * e * E,
    (CLASS,),
    "EL-L7-A1",
    source=_PROOF,
)
_SQUARE = r"\tilde\eta^2\,\mathbb{E}\|\tfrac1{KS}\sum_{k,i\in\mathcal{S}}\nabla f_i(y_{i,k-1})\|^2"
_SPREAD = (1 - S / N) * 4 * e**2 / S
SECOND = display(
    "second moment of the gradients",
    _SQUARE,
    2 * e**2 * beta**2 * E + 8 * e**2 * beta * (B**2 + 1) * D + _SPREAD * G**2,
    (CLASS, COHORT),
    "EL-L7-A2",
    source=_PROOF,
)
APART = display(
    "gradients moved to x",
    _SQUARE,
    2 * e**2 * beta**2 * E_taken + 2 * e**2 * X,
    (Condition("A4 (every f_i beta-smooth)"), COHORT),
    "EL-L7-A2a",
    source=_PROOF,
)
_COHORTS = r"2\tilde\eta^2\,\mathbb{E}\|\tfrac1S\sum_{i\in\mathcal{S}}\nabla f_i(x)\|^2"
COHORTS = {
    factor: display(
        f"sampling without replacement, {factor}",
        _COHORTS,
        factor * e**2 * squared_gradient + _SPREAD * mean_square,
        (COHORT,),
        f"EL-L7-A2b[{factor} before the squared gradient]",
        source=_PROOF,
    )
    for factor in (2, 4)
}
COMBINED = display(
    "bounds put together",
    _LEFT,
    _COMMON - (2 * e - 8 * beta * e**2 * (B**2 + 1)) * D + (1 + beta * e) * 2 * beta * e * E,
    (CLASS, COHORT, SHORT),
    "EL-L7-COMB",
    source=_PROOF,
)
