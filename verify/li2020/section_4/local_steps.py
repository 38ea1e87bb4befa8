"""What E local steps do, in general (Li et al. 2020, Sections 3, 3.4 and 4): one step, small steps, many steps.

* One local step is gradient descent and converges (smooth, strongly convex F).
* A few small steps are one large step up to ``E(E-1)/2 eta^2 L |grad F_k|`` (convex, L-smooth F_k).
* Many steps reach the local minimisers, whose mean is in general not the minimiser.
"""

from __future__ import annotations

from fractions import Fraction

import sympy as sp

from fltheory.evidence.decide import Tried, decide
from fltheory.evidence.kinds import inequality_claim, qualitative_claim, qualitative_of_an_instance, run_script
from fltheory.evidence.model import Control, Evidence, Rung, Tightness
from fltheory.theory.proofs import Certificate, Open, equal, nonnegative_on
from verify.li2020.appendix_c.example import Example, norm_squared

MU, L, ETA = sp.symbols("mu L eta", positive=True)
D, G, H = sp.symbols("d g h")


def descent_certificate(limit: Fraction) -> tuple[bool, str]:
    """``|d - eta g|^2 <= (1 - eta mu)^2 |d|^2`` for ``d = w - w*``, ``g = grad F(w)``, ``eta <= limit/(mu+L)``."""
    rest = 2 / (MU + L) - ETA
    return Certificate(
        left=D**2 - 2 * ETA * G * D + ETA**2 * G**2,
        right=(1 - ETA * MU) ** 2 * D**2,
        premises={
            "interpolation between w and w*": (2 * ETA / (MU + L), (MU + L) * G * D - MU * L * D**2 - G**2),
            "|g| >= mu |d|": (ETA * rest, G**2 - MU**2 * D**2),
        },
        squares=[],
        ranges=[(MU, 0, None), (L, MU, None), (ETA, 0, sp.Rational(limit) / (MU + L))],
    ).verify()


def divergence(limit: Fraction) -> str:
    """``F = w^2/2`` (curvatures mu = L/9, L = 1) contracts slower than ``1 - eta mu`` past ``2/(mu + L)``."""
    step = sp.Rational(limit) / (sp.Rational(1, 9) + 1)
    if abs(1 - step) > abs(1 - step / 9):
        return f"mu=1/9, L=1, F = w^2/2, eta={step}: |w_1/w_0| = {abs(1 - step)} > 1 - eta mu = {1 - step / 9}"
    return ""


@inequality_claim(
    "LI-THM4-I2",
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
    proved, reason = descent_certificate(limit)
    a, b = sp.symbols("a b")  # two clients with weights 1/2, gradients affine in one dimension
    w = sp.Symbol("w")
    ends = []
    for slope, shift in ((a, b), (b, a)):
        x = w
        for _ in range(local_steps):
            x = x - ETA * (slope * x - shift)
        ends.append(x)
    one_step = w - ETA * ((a * w - b) + (b * w - a)) / 2
    same = equal((ends[0] + ends[1]) / 2, one_step)
    found = divergence(limit)
    if not same:
        values = {a: 1, b: 3, w: 1, ETA: sp.Rational(1, 2)}
        mean, step = ((ends[0] + ends[1]) / 2).subs(values), one_step.subs(values)
        found = f"F_1' = w-3, F_2' = 3w-1, eta=1/2, w=1: mean of the clients {mean}, gradient step {step}"
    contraction = "contraction" if proved else f"contraction: {reason}"
    return decide(
        {"the round is one gradient step on F": same, contraction: proved},
        Tried(counterexample=found),
        method="The mean of w - eta grad F_k(w) is w - eta grad F(w); contraction by a quadratic certificate from the "
        "interpolation inequality (any dimension, by the Gram reduction).",
        valid_for="F mu-strongly convex and L-smooth, any number of clients and weights",
    )


@qualitative_claim(
    "LI-SMALLLR",
    source="Section 3, introduction",
    statement=r"\Big\|x_E-\big(w-E\eta\nabla F_k(w)\big)\Big\|\le\tfrac{E(E-1)}2\eta^2L\|\nabla F_k(w)\|,\quad "
    r"\eta\le\tfrac2L",
    summary="E small local steps equal one step of size E eta up to second order in eta; the second-order term grows "
    "like E^2.",
    printed=dict(factor=Fraction(1)),
    controls=[Control("E(E-1)/2 -> 0.99 E(E-1)/2", dict(factor=Fraction(99, 100)))],
)
def li_smalllr(factor: Fraction) -> Evidence:
    proved, reason = Certificate(
        left=H**2,
        right=G**2,
        premises={"cocoercivity along a step": (2 / ETA, ETA * (G - H) * G - (G - H) ** 2 / L)},
        squares=[(2 / (ETA * L) - 1, G - H)],
        ranges=[(L, Open(0), None), (ETA, 0, 2 / L)],
    ).verify()
    steps_done, total = sp.symbols("l E", positive=True)
    claimed = sp.Rational(factor) * total * (total - 1) / 2
    steps = {
        f"gradient norms do not grow along the steps{'' if proved else ': ' + reason}": proved,
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
    source="Section 3.4",
    statement=r"E\to\infty:\ x^k_E\to w_k^*,\quad w_{t+1}\to\sum_kp_kw_k^*",
    summary="With many local steps the clients reach their minimisers and the round becomes the average of local "
    "solutions.",
    printed=dict(limit=Fraction(2)),
    controls=[Control("step sizes up to 2.1/L on F = L w^2/2", dict(limit=Fraction(21, 10)))],
)
def li_oneshot_limit(limit: Fraction) -> Evidence:
    lam = sp.Symbol("lambda")
    contracts = nonnegative_on(2 - ETA * lam, [(L, Open(0), None), (lam, 0, L), (ETA, 0, sp.Rational(limit) / L)])
    descends = descent_certificate(Fraction(2))[0]
    steps = {
        "smooth and strongly convex F_k: |x_E - w_k*| <= (1 - eta mu)^E |w - w_k*|, eta <= 2/(mu+L)": descends,
        "quadratic F_k: |1 - eta lambda| < 1 for 0 < lambda <= L, eta < 2/L": contracts,
    }
    found = ""
    if limit > 2:
        step = (sp.Rational(limit) + 2) / 2
        found = f"F = w^2/2, eta={step}: |x_E| = ({abs(1 - step)})^E |w| grows"
    return decide(
        steps,
        Tried(counterexample=found),
        method="Linear convergence of gradient descent on each F_k, whatever the start "
        "of the round; then the weighted mean.",
        valid_for="strongly convex, smooth F_k; eta <= 2/(mu+L), for quadratics eta < 2/L; eta fixed while E grows",
    )


@qualitative_of_an_instance(
    "LI-ONESHOT.2",
    source="Section 3.4",
    statement=r"\sum_kp_kw_k^*\ne\arg\min\sum_kp_kF_k\ \text{in general}",
    summary="The mean of local minimisers can be far from the minimiser: half the distance between the clients.",
    printed=dict(curvatures=(1, 99)),
    controls=[Control("equal curvatures", dict(curvatures=(1, 1)))],
)
def li_oneshot_differs(curvatures: tuple[int, int]) -> Evidence:
    # F_1 = a w^2/2 and F_2 = c (w-1)^2/2 with weights 1/2: minimisers 0 and 1, minimiser of F c/(a+c).
    a, c = curvatures
    optimum, mean = sp.Rational(c, a + c), sp.Rational(1, 2)
    gap = abs(optimum - mean)
    example = Example(2, 2, sp.Rational(1, 10))
    local = example.clients[0].inv() * example.shift / 2
    words = f"F_1 = {a}w^2/2, F_2 = {c}(w-1)^2/2: the mean of the minimisers is 1/2, and so is the minimiser of F"
    return decide(
        {
            "the mean of the local minimisers is not the minimiser": lambda: gap != 0,
            "nor on the ridge example": lambda: local != example.optimum,
        },
        Tried(margin=float(2 * gap)) if gap else Tried(counterexample=words),
        method="Exact evaluation; with curvatures 1 and c the gap tends to half the "
        "distance between the local minimisers.",
        valid_for=f"F_1 = {a}w^2/2, F_2 = {c}(w-1)^2/2 and the example N=p=2, mu=1/10",
        numbers={"gap": str(gap), "gap on the example": float(sp.sqrt(norm_squared(local - example.optimum)))},
    )


if __name__ == "__main__":
    run_script(__file__)
