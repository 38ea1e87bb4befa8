"""A round of the pair of Theorem II: its closed form, the weight of the linear client, and the simplified recursion."""

from fractions import Fraction
from typing import Any

import sympy as sp

from fltheory.evidence.algebra import statement_of_algebra
from fltheory.evidence.decide import decide
from fltheory.evidence.ends import tried
from fltheory.evidence.kinds import identity_claim, inequality_claim, run_script
from fltheory.evidence.model import Control, Evidence
from fltheory.evidence.relations import Relations
from fltheory.evidence.witness import Side, Witness

of_proof = inequality_claim.sharing(source="proof of Theorem II")

x, eta, a = sp.symbols("x eta a")


def round_of_the_pair(local_steps: int, at: Any = x, step: Any = eta, weight: Any = a, second: int = 0) -> sp.Expr:
    """One round from its local steps, mu = G = 1; ``second`` is the curvature of the second client."""
    one = two = sp.sympify(at)
    for _ in range(local_steps):
        one, two = one - step * (2 * one + 1), two - step * (second * two - 1)
    return sp.expand((1 - weight) * one + weight * two)


_LETTERS = {
    "P": r"{(1-2\mu\eta)^K}",
    "mu": r"\mu",
    "eta": r"\eta",
    "S": r"S_K",
    "y": "y_1",
    "z": "y_2",
    "k": "K",
    "a": r"\alpha",
}
_RUN = (
    "first_y = x; next_y = y - eta*(2*mu*y + G); first_z = x; next_z = z + eta*G; "
    "first_P = 1; next_P = q*P; first_S = 0; next_S = S + P; first_k = 0; next_k = k + 1"
)
update = statement_of_algebra(
    "EL-T2-UPD",
    Relations(
        "2*mu*eta*S = 1 - P; y = x*P - eta*G*S; z = x + eta*G*k; "
        "(1 - a)*y + a*z = x*((1 - a)*P + a) + eta*G*(a*k - (1 - a)*S) for 0 <= a <= 1; q = 1 - 2*mu*eta; " + _RUN,
        uses={
            0: {"2*mu*eta*S = 1 - P": "1"},
            1: {"y = x*P - eta*G*S": "q", "2*mu*eta*S = 1 - P": "eta*G"},
            2: {"z = x + eta*G*k": "1"},
            3: {"y = x*P - eta*G*S": "q*(1 - a)", "2*mu*eta*S = 1 - P": "eta*G*(1 - a)", "z = x + eta*G*k": "a"},
        },
        names=_LETTERS,
    ),
    false={
        "a step of f_2 the other way": ("next_z = z + eta*G", "next_z = z - eta*G"),
        "curvature mu": ("(2*mu*y + G)", "(mu*y + G)"),
    },
    group=identity_claim,
    source="proof of Theorem II, update of a round",
    says=r"S_K=\textstyle\sum_{\tau<K}(1-2\mu\eta)^\tau:\quad ",
    headline="After K local steps the round of the pair is the affine map displayed",
    summary="K local steps of both clients and an average with weights 1 - alpha and alpha give the displayed map of "
    "x^(r-1), for every K, step size and weight, by induction over the local steps.",
)

#: |q^k| <= 1 and the sum of k such powers, by induction over the local steps.
SUMS = Relations(
    "1 - P >= 0; 1 + P >= 0; k - S >= 0; k + S >= 0 for 0 <= h <= 1; q = 1 - 2*h; first_P = 1; next_P = q*P; first_S = 0; "
    "next_S = S + P; first_k = 0; next_k = k + 1",
    uses={
        0: {"1 - P >= 0": "1 - h", "1 + P >= 0": "h"},
        1: {"1 + P >= 0": "1 - h", "1 - P >= 0": "h"},
        2: {"k - S >= 0": "1", "1 - P >= 0": "1"},
        3: {"k + S >= 0": "1", "1 + P >= 0": "1"},
    },
)
SIMPLER = Relations(
    "x*((1 - a)*P + a) + eta*G*(a*K - (1 - a)*S) >= x*(1 + P)/2 + eta*G/2*(K - S) "
    "for x >= 0; eta >= 0; G >= 0; 1/2 <= a <= 1; -1 <= P <= 1; K >= 2; -K <= S <= K",
    names={**_LETTERS, "x": "x^{r-1}"},
)
_FIRST = r"x^r\ge x^{r-1}\tfrac{(1-2\mu\eta_r)^K+1}2+\tfrac{\eta_rG}2\sum_{\tau<K}\left(1-(1-2\mu\eta_r)^\tau\right)"


def simplified(weights: str, start: str) -> Evidence:
    """The round at least what it is with equal weights, for weights alpha in a range and x^(r-1) >= 0, or of any sign."""
    low, high = weights.split(" to ")
    sign = "x >= 0" if start == "0" else f"x >= {start}"
    stated = SIMPLER.changed("1/2 <= a <= 1", f"{low} <= a <= {high}").changed("for x >= 0", f"for {sign}")
    found = tried(
        Witness(
            {x: at, eta: step, a: weight},
            Side("the round", round_of_the_pair(2)),
            ">=",
            Side("the round with equal weights", round_of_the_pair(2, weight=sp.Rational(1, 2))),
            given=[(a, ">=", Fraction(low)), (a, "<=", Fraction(high)), (x, ">=", Fraction(start))],
            setting="mu = G = 1, K = 2",
        )
        for at, step, weight in ((1, Fraction(1, 4), Fraction(low)), (1, 1, Fraction(high)), (-4, Fraction(1, 4), 1))
        if at >= Fraction(start)
    )
    proved, reason = stated.proof
    both = proved and SUMS.proof[0]
    return decide(
        (both, reason),
        found,
        method="The difference is alpha - 1/2 times x (1 - q^K) and the drift of sums 1 + q^tau, neither of which is negative.",
        valid_for="all whole K >= 2, x^(r-1) >= 0, 0 <= eta <= 1/mu, 1/2 <= alpha <= 1",
        certificate={"powers and their sum": SUMS.certificate, "the difference": stated.certificate} if both else None,
        prose="P = q^K and S the sum of q^tau over tau < K",
    )


upper_half = of_proof(
    "EL-T2-SIMP.1[alpha >= 1/2]",
    statement=rf"\alpha\ge\tfrac12:\quad {_FIRST}",
    headline="With the larger weight on the linear client, equal weights are the best case",
    summary="Read with alpha >= 1/2, the first simplification holds for every K, x^(r-1) >= 0 and step size up to "
    "1/mu: a larger weight of the linear client moves the iterate further out.",
    printed=dict(weights="1/2 to 1", start="0"),
    controls=[
        Control("alpha <= 1/2", dict(weights="0 to 1/2")),
        Control("alpha from 0.49 on", dict(weights="49/100 to 1")),
        Control("x of both signs", dict(start="-5")),
    ],
)(simplified)

lower_half = of_proof(
    "EL-T2-SIMP.1[alpha <= 1/2]",
    fault="slip",
    statement=rf"\alpha\le\tfrac12:\quad {_FIRST}",
    headline="With the weights as printed the first simplification is turned around",
    summary="As printed, for alpha <= 1/2, the first simplification is false for every alpha < 1/2: alpha is the "
    "weight of the linear client, and a smaller one moves the iterate inwards. For K = 2, alpha = 0, eta = 1/(4 mu), x "
    "= G/mu: -1/8 against 11/16.",
    repair="EL-T2-SIMP.1[alpha >= 1/2]",
    printed=dict(weights="0 to 1/2", start="0"),
    controls=[Control("alpha >= 1/2", dict(weights="1/2 to 1"), must="pass")],
)(simplified)

second = statement_of_algebra(
    "EL-T2-SIMP.2",
    Relations("x*(1 + P)/2 >= x*P for x >= 0; P <= 1", uses={0: {"P <= 1": "x/2"}}, names={**_LETTERS, "x": "x^{r-1}"}),
    false={"x negative": ("x >= 0", "x >= -1")},
    group=inequality_claim,
    source="proof of Theorem II",
    headline="The second simplification holds from the positive side, and gives something away",
    summary="x (1 + q^K)/2 is at least x q^K for x >= 0 and every q in [-1, 1]. It gives away what keeps the run from "
    "0 for odd K and step sizes beyond 1/(2 mu), where Lemma 9 fails and Theorem II does not.",
)


if __name__ == "__main__":
    run_script(__file__)
