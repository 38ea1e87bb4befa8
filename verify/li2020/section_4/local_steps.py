"""What E local steps do, in general (Li et al. 2020, Sections 3, 3.4 and 4): one step, small steps, many steps.

* One local step is gradient descent and converges (smooth, strongly convex F).
* A few small steps are one large step up to ``E(E-1)/2 eta^2 L |grad F_k|`` (convex, L-smooth F_k).
* Many steps reach the local minimisers, whose mean is in general not the minimiser.
"""

from fractions import Fraction

import sympy as sp

import fltheory as fl
from fltheory.derivation.statement import Derived
from fltheory.evidence.algebra import statement_of_algebra
from fltheory.evidence.decide import Tried, decide
from fltheory.evidence.derive import by_derivation
from fltheory.evidence.ends import tried
from fltheory.evidence.kinds import inequality_claim, qualitative_claim, qualitative_of_an_instance, run_script
from fltheory.evidence.model import Control, Evidence, Rung, Tightness
from fltheory.evidence.relations import Relations
from fltheory.evidence.witness import Side, Witness
from fltheory.readings.fixed_points import fixed_point
from fltheory.theory.proofs import Certificate, Open, equal, nonnegative_on
from verify.li2020.derivations.one_step import gradient_descent

MU, L, ETA = sp.symbols("mu L eta", positive=True)
G, H = sp.symbols("g h")


def slow_step(limit: Fraction) -> Witness:
    """``F = w^2/2`` (curvatures mu = L/9, L = 1) contracts slower than ``1 - eta mu`` past ``2/(mu + L)``."""
    eta, mu, smooth = sp.symbols("eta mu L")
    values = {eta: limit / Fraction(10, 9), mu: Fraction(1, 9), smooth: 1}
    sides = Side("|w_1/w_0|^2", (1 - eta) ** 2), "<=", (1 - eta * mu) ** 2
    return Witness(values, *sides, [(eta, "<=", sp.Rational(limit) / (mu + smooth))], "F = w^2/2")


@inequality_claim(
    "LI-THM4-I2",
    headline="One full-batch local step with a proper fixed step size converges to the minimiser",
    source="Section 4",
    statement=r"E=1:\ \|w_{t+1}-w^*\|\le(1-\eta\mu)\|w_t-w^*\|,\quad 0<\eta\le\tfrac2{\mu+L}",
    summary="One local step with full batches is gradient descent and converges to the minimiser at a proper fixed "
    "rate.",
    printed=dict(local_steps=1, limit=Fraction(2)),
    controls=[
        Control("E = 2", dict(local_steps=2)),
        Control("2/(mu+L) -> 2.02/(mu+L)", dict(limit=Fraction(202, 100))),
    ],
)
def li_thm4_i2(local_steps: int, limit: Fraction) -> Evidence:
    one = Fraction(1)
    parabolas = fl.QuadraticProblem([[[one]], [[3 * one]]], [[3 * one], [one]])  # F_1' = w - 3, F_2' = 3w - 1
    limit_point = Fraction(fixed_point(parabolas, fl.FedAvg(local_steps, one / 2), exact=True)[0])
    sides = Side("limit of FedAvg", limit_point), "=", Side("minimiser", Fraction(parabolas.constants.minimiser[0]))
    two = Witness({"E": local_steps, "eta": one / 2}, *sides, setting="F_1' = w-3, F_2' = 3w-1")
    single = local_steps == 1
    return by_derivation(
        gradient_descent(f"{limit}/(L + mu)") if single else Derived(None, reason="more than one local step"),
        tried([two, slow_step(limit)]),
        valid_for="F_k mu-strongly convex and L-smooth, any number of clients and weights",
    )


@qualitative_claim(
    "LI-SMALLLR",
    headline="Small local steps equal one long step up to second order in their size",
    source="Section 3, introduction",
    statement=r"\Big\|x_E-\big(w-E\eta\nabla F_k(w)\big)\Big\|\le\tfrac{E(E-1)}2\eta^2L\|\nabla F_k(w)\|,\quad "
    r"\eta\le\tfrac2L",
    summary="E small local steps equal one step of size E eta up to second order in eta; the second-order term grows "
    "like E^2.",
    printed=dict(factor=Fraction(1)),
    controls=[Control("E(E-1)/2 -> 0.99 E(E-1)/2", dict(factor=Fraction(99, 100)))],
)
def li_smalllr(factor: Fraction) -> Evidence:
    decreasing = Certificate(
        left=H**2,
        right=G**2,
        premises={"cocoercivity along a step": (2 / ETA, ETA * (G - H) * G - (G - H) ** 2 / L)},
        squares=[(2 / (ETA * L) - 1, G - H)],
        ranges=[(L, Open(0), None), (ETA, Open(0), 2 / L)],
    )
    steps_done, total = sp.symbols("l E", positive=True)
    claimed = sp.Rational(factor) * total * (total - 1) / 2
    steps = {
        "gradient norms do not grow along the steps": lambda: decreasing.verify()[0],
        "|x_l - w| <= l eta |g_0| and |g_l - g_0| <= L l eta |g_0| add up to the claim": lambda: equal(
            claimed.subs(total, steps_done + 1) - claimed.subs(total, steps_done), steps_done
        ),
    }
    found, x = "", sp.Rational(1, 100)
    deviation = (1 - x) ** 2 - (1 - 2 * x)
    if deviation > claimed.subs(total, 2) * x**2:
        found = f"F = w^2/2, E=2, eta={x}, w=1: deviation {deviation} > {claimed.subs(total, 2) * x**2}"
    return decide(
        steps,
        Tried(examined=1, counterexample=found, margin=float(factor - 1)),
        method="Induction over the local steps; the mean over clients follows by Jensen.  On quadratics the deviation "
        "is E(E-1)/2 eta^2 A_k grad F_k(w) + O(eta^3), so the bound is met by F = L w^2/2 (exactly at E = 2).",
        valid_for="convex, L-smooth F_k, full gradients, eta <= 2/L, every E",
        tightness=Tightness(1.0, Rung.PROOF, "equality for F = L w^2/2 and E = 2"),
    )


@qualitative_claim(
    "LI-ONESHOT.1",
    headline="With very many local steps a round averages the clients' own minimisers",
    source="Section 3.4",
    depends=("LI-THM4-I2",),
    statement=r"E\to\infty:\ x^k_E\to w_k^*,\quad w_{t+1}\to\sum_kp_kw_k^*",
    summary="With many local steps the clients reach their minimisers and the round becomes the average of local "
    "solutions.",
    printed=dict(limit=Fraction(2)),
    controls=[Control("step sizes up to 2.1/L on F = L w^2/2", dict(limit=Fraction(21, 10)))],
)
def li_oneshot_limit(limit: Fraction) -> Evidence:
    lam = sp.Symbol("lambda")
    ranges = [(L, Open(0), None), (lam, 0, L), (ETA, 0, sp.Rational(limit) / L)]
    steps = {
        "smooth and strongly convex F_k: |x_E - w_k*| <= (1 - eta mu)^E |w - w_k*|, eta <= 2/(mu+L)": lambda: (
            nonnegative_on(1 - ETA * MU, [(MU, Open(0), None), (L, MU, None), (ETA, 0, 2 / (MU + L))])
        ),
        "quadratic F_k: |1 - eta lambda| < 1 for 0 < lambda <= L, eta < 2/L": lambda: nonnegative_on(
            2 - ETA * lam, ranges
        ),
    }
    found = ""
    if limit > 2:
        step = (sp.Rational(limit) + 2) / 2
        found = f"F = w^2/2, eta={step}: |x_E| = ({abs(1 - step)})^E |w| grows"
    return decide(
        steps,
        Tried(counterexample=found),
        method="Linear convergence of gradient descent on each F_k (LI-THM4-I2), whatever the start "
        "of the round; then the weighted mean.",
        valid_for="strongly convex, smooth F_k; eta <= 2/(mu+L), for quadratics eta < 2/L; eta fixed while E grows",
    )


_AWAY = "x - (p*u + (1 - p)*v) = p*(1 - p)*(c - a)*(v - u)/(p*a + (1 - p)*c)"
li_oneshot_differs = statement_of_algebra(
    "LI-ONESHOT.2",
    Relations(
        f"p*a*(x - u) + (1 - p)*c*(x - v) = 0; v > u; {_AWAY}; p*u + (1 - p)*v < x; "
        "a*(y - u)/2 + c*(y - v)/2 = 0; y - (u + v)/2 = (c - a)/(c + a)*(v - u)/2; "
        "(1/2 - a/c)*(v - u) < y - (u + v)/2 < (v - u)/2 "
        "for a > 0; c > a; 0 < p < 1; d > 0; x = u + d; v = x + p*a*d/((1 - p)*c); y = (a*u + c*v)/(a + c)"
    ),
    headline="With curvatures c > a of two parabolas the mean of the minimisers is not that of the mean",
    says=r"F_1=\tfrac a2(\cdot-u)^2,\ F_2=\tfrac c2(\cdot-v)^2,\ \sum_kp_kw_k^*\ne x=\arg\min\sum_kp_kF_k,\ y=x\text{ at }"
    r"p_k=\tfrac12:\quad ",
    false={"equal curvatures": ("c > a", "c >= a")},
    group=qualitative_of_an_instance,
    source="Section 3.4",
    summary="For a/2 (w-u)^2 and c/2 (w-v)^2 with c > a > 0 and v > u, the weighted mean of u and v is below the zero x of the "
    "mean's gradient; with equal weights x is (c-a)/(c+a) times half their distance away, which is half of it up to the share a/c.",
)


if __name__ == "__main__":
    run_script(__file__)
