"""How fast the error of the pair of Theorem II falls: with the best step sizes, and with the best constant one.

Two local steps and equal weights, v = 2 mu x/G, e = 2 mu eta = 1 - q: a round is v' = rho v + e^2/2 with rho = 1 - e + e^2/2.
"""

from fractions import Fraction

import sympy as sp

from fltheory.evidence.decide import decide
from fltheory.evidence.ends import tried
from fltheory.evidence.kinds import asymptotic_of_an_instance, run_script
from fltheory.evidence.model import Control, Evidence
from fltheory.evidence.relations import Relations
from fltheory.evidence.witness import Side, Witness
from verify.elastic2023.theorem_2.rounds import round_of_the_pair

of_rates = asymptotic_of_an_instance.sharing(source="derived from Theorem II and Lemma 9")

_LEVEL = "v*(2 + v_0 + r*v_0) <= v_0*(2 + v_0)"
_BELOW = "v*(2 + r*v_0) >= 2*v_0"
#: The best step sizes: q = 1/(1 + v) leaves least, and then v is between two multiples of 1/r.
BEST = Relations(
    f"{_LEVEL}; v <= v_0; v > 0; r >= 0; {_BELOW} for v_0 > 0; q = 1/(1 + v); "
    "first_v = v_0; next_v = v*(1 + q**2)/2 + (1 - q)**2/2; first_r = 0; next_r = r + 1",
    uses={
        0: {_LEVEL: "(2 + v)/(2*(1 + v))", "v <= v_0": "v_0*v/(2*(1 + v))"},
        1: {"v <= v_0": "1"},
        4: {_BELOW: "(2 + v)/(2*(1 + v))"},
    },
)
LEAST = Relations(
    "v*(1 + q**2)/2 + (1 - q)**2/2 >= v*(2 + v)/(2*(1 + v)) for v > 0", squares={0: [("(1 + v)/2", "q - 1/(1 + v)")]}
)
#: One step size for all rounds: the closed form of v, s its limit, P = rho^R.
CLOSED = Relations(
    "v = s + (v_0 - s)*P for v_0 > 0; 0 < e <= 1; rho = 1 - e + e**2/2; s = e/(2 - e); "
    "first_v = v_0; next_v = v*rho + e**2/2; first_P = 1; next_P = rho*P",
    uses={0: {"v = s + (v_0 - s)*P": "rho"}},
)
#: S is the root of R, so that log R = 2 log S: where P is at least 1/S, and where it is less.
FEW = Relations(
    "v_0*P + s*(1 - P) >= v_0/2*(2*log(S)/S**2) for v_0 > 0; S >= 1; s >= 0; 1/S <= P <= 1",
    uses={0: {"log(S) <= S - 1": "v_0/S**2"}},
)
MANY = Relations(
    "v_0*P + e/(2 - e)*(1 - P) >= 1/16*(2*log(S)/S**2) "
    "for v_0 > 0; S >= 2; 0 < e <= 1; rho = 1 - e + e**2/2; 0 <= P <= 1/2; -2*S**2*log(rho) >= 2*log(S)",
    uses={0: {"-2*S**2*log(rho) >= 2*log(S)": "1/(16*S**2)", "1 - 1/rho <= log(rho)": "1/8"}},
    at={"v_0": "1", "S": "2", "e": "1", "P": "0"},
)
#: The step size e = 2 f with f = log(R)/R.
ABOVE = Relations(
    "v_0*rho**R <= v_0*exp(-R*f) for v_0 >= 0; R >= 1; 0 < f <= 1/2; rho = 1 - 2*f + 2*f**2",
    uses={
        0: {
            "rho**R <= exp(R*(-2*f + 2*f**2))": "v_0",
            "1 + (R*f - 2*R*f**2) <= exp(R*f - 2*R*f**2)": "v_0*exp(-2*R*f + 2*R*f**2)",
        }
    },
)
LIMIT = Relations("v_0*P + e/(2 - e)*(1 - P) <= e + v_0*P for 0 < e <= 1; 0 <= P <= 1; v_0 >= 0")
AT_LOG = Relations("2*f + v_0*exp(-R*f) = (2*log(R) + v_0)/R for R >= 1; v_0 >= 0; f = log(R)/R")

_x = sp.Symbol("x_0")


def _kept(every: dict[str, Relations]) -> tuple[str, dict[str, object] | None]:
    """The first gap, and the certificates where there is none."""
    gap = next((f"{name}: {one.proof[1]}" for name, one in every.items() if not one.proof[0]), "")
    return gap, None if gap else {name: one.certificate for name, one in every.items()}


@of_rates(
    "EL-RATE2.1",
    statement=r"K=2,\ \alpha=\tfrac12,\ v_0=\tfrac{2\mu x^0}G:\quad\frac{2v_0}{2+Rv_0}\le\frac{2\mu}G\min_{\eta_1,"
    r"\dots,\eta_R}x^R\le\frac{v_0(2+v_0)}{2+v_0+Rv_0}",
    headline="With the best step sizes the error of the pair is of order one over the squared rounds",
    summary="For the pair with two local steps and equal weights, the least x^R over all step sizes lies between (G/(2 "
    "mu)) 2 v_0/(2 + R v_0) and (G/(2 mu)) v_0 (2 + v_0)/(2 + v_0 + R v_0), v_0 = 2 mu x^0/G, so that f(x^R) - f* is "
    "of order G^2/(mu R^2), neither more nor less. The lower half holds for every K up to a constant (EL-THM2).",
    printed=dict(upper="1"),
    controls=[Control("the upper bound times 0.9", dict(upper="9/10"))],
)
def best_steps(upper: str) -> Evidence:
    """Between the two bounds, for every R."""
    stated = (
        BEST if upper == "1" else BEST.with_text(BEST.text.replace("<= v_0*(2 + v_0);", f"<= {upper}*v_0*(2 + v_0);"))
    )
    gap, kept = _kept({"the best round": LEAST, "every round": stated})
    found = tried(
        Witness(
            {_x: Fraction(1, 2)},
            Side("the least 2 x^1", 2 * round_of_the_pair(2, at=_x, step=_x / (1 + 2 * _x), weight=sp.Rational(1, 2))),
            "<=",
            Side("what is claimed", sp.Rational(upper) * 2 * _x * (2 + 2 * _x) / (2 + 4 * _x)),
            setting="mu = G = 1, K = 2, R = 1, the best step size x_0/(1 + 2 x_0)",
        )
    )
    return decide(
        (not gap, gap),
        found,
        method="A square for the best step size of a round, which is increasing in v; induction over the rounds.",
        valid_for="K = 2, equal weights, all R >= 1, x^0, mu, G > 0, all step sizes",
        certificate=kept,
        prose="v is 2 mu x/G, and a smaller v before a round leaves a smaller one",
    )


@of_rates(
    "EL-RATE2.2",
    statement=r"K=2,\ \alpha=\tfrac12,\ R\ge4:\quad\min\left(\tfrac{v_0}2,\tfrac1{16}\right)\frac{\log R}R\le\frac{2\mu}G"
    r"\min_{0<\eta\le1/(2\mu)}x^R\le\frac{2\log R+v_0}R",
    headline="With one step size for all rounds the error of the pair keeps a squared logarithm",
    summary="For the pair with two local steps, equal weights and one step size up to 1/(2 mu) in all R >= 4 rounds, 2 "
    "mu x^R/G is at least min(v_0/2, 1/16) log(R)/R for every step size and at most (2 log R + v_0)/R for eta = "
    "log(R)/(mu R): f(x^R) - f* is of order G^2 log(R)^2/(mu R^2).",
    printed=dict(lower="1/16"),
    controls=[Control("no logarithm is gained: a lower bound of 4 log(R)/R", dict(lower="4"))],
)
def constant_step(lower: str) -> Evidence:
    """Between the two bounds, for every R >= 4."""
    many = MANY.changed(">= 1/16*(2", f">= {lower}*(2")
    every = {
        "closed form": CLOSED,
        "small contraction": FEW,
        "large contraction": many,
        "a step size": ABOVE,
        "its value": AT_LOG,
    }
    every["the limit"] = LIMIT
    gap, kept = _kept(every)
    v_0, e, rounds = sp.symbols("v_0 e R")
    rho, s = 1 - e + e**2 / 2, e / (2 - e)
    found = tried(
        Witness(
            {v_0: 8, e: Fraction(1, 2), rounds: 16},
            Side("v_R", s + (v_0 - s) * rho**16),
            ">=",
            Side("what is claimed", sp.Min(v_0 / 2, sp.Rational(lower)) * sp.log(rounds) / rounds),
            given=[(e, "<=", 1)],
            setting="K = 2, equal weights, v = 2 mu x/G, e = 2 mu eta",
        )
    )
    return decide(
        (not gap, gap),
        found,
        method="The closed form of v_R; if rho^R is at least 1/sqrt(R) the start remains, else the limit e/(2 - e) is large.",
        valid_for="K = 2, equal weights, all R >= 4, x^0, mu, G > 0, 0 < eta <= 1/(2 mu); the step size log(R)/(mu R) "
        "is one of them, since 2 log(R) <= R",
        certificate=kept,
        prose="P = rho^R and S = sqrt(R), at least 2: P < 1/S is the hypothesis on log(rho), and gives P <= 1/2",
    )


if __name__ == "__main__":
    run_script(__file__)
