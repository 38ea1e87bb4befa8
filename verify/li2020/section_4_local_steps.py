"""What E local steps do, in general (Li et al. 2020, Sections 3, 3.4 and 4): small steps, many steps, decaying steps.

* One local step is gradient descent and converges (smooth, strongly convex F).
* A few small steps are one large step up to ``E(E-1)/2 eta^2 L |grad F_k|`` (convex, L-smooth F_k).
* Many steps reach the local minimisers, whose mean is in general not the minimiser.
* A constant step leaves a bias of order eta; under ``beta/(gamma+t)`` the distance to w* falls like 1/t on quadratics.
"""

from __future__ import annotations

from fractions import Fraction

import sympy as sp

from fltheory.evidence.model import Control, Evidence, Kind, Rung, Scope, Tightness, claim
from fltheory.evidence.settle import settle
from fltheory.theory.li2020.appendix_c import Example, bias, displacement, norm_squared, round_map
from fltheory.theory.li2020.appendix_c_symbolic import stationarity_steps
from fltheory.theory.proofs import Certificate, is_zero, nonnegative_on

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


@claim(
    "LI-THM4-I2", kind=Kind.INEQUALITY, scope=Scope.GENERAL, source="Section 4",
    statement=r"E=1:\ \|w_{t+1}-w^*\|\le(1-\eta\mu)\|w_t-w^*\|,\quad 0<\eta\le\tfrac2{\mu+L}",
    summary="one local step with full batches is gradient descent and converges to the "
    "minimiser at a proper fixed rate",
    printed=dict(local_steps=1, limit=Fraction(2)),
    controls=[Control("E = 2", dict(local_steps=2)), Control("2/(mu+L) -> 2.02/(mu+L)", dict(limit=Fraction(202,
    100)))],
)  # fmt: skip
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
    same = is_zero((ends[0] + ends[1]) / 2 - one_step)
    found = divergence(limit)
    if not same:
        values = {a: 1, b: 3, w: 1, ETA: sp.Rational(1, 2)}
        found = (
            f"F_1' = w-3, F_2' = 3w-1, eta=1/2, w=1: mean of the clients {((ends[0] + ends[1]) / 2).subs(values)}, "
            + (f"gradient step {one_step.subs(values)}")
        )
    return settle(
        {"the round is one gradient step on F": same,
        f"contraction: {reason}" if not proved else "contraction": proved}, found,
        valid_for="F mu-strongly convex and L-smooth, any number of clients and weights",
        method="The mean of w - eta grad F_k(w) is w - eta grad F(w); contraction by a quadratic certificate from the "
        "interpolation inequality (any dimension, by the Gram reduction).",
    )  # fmt: skip


@claim(
    "LI-SMALLLR", kind=Kind.QUALITATIVE, scope=Scope.GENERAL, source="Section 3, introduction",
    statement=r"\Big\|x_E-\big(w-E\eta\nabla F_k(w)\big)\Big\|\le\tfrac{E(E-1)}2\eta^2L\|\nabla F_k(w)\|,\quad "
    r"\eta\le\tfrac2L",
    summary="E small local steps equal one step of size E eta up to second order in "
    "eta; the second-order term grows like E^2",
    printed=dict(factor=Fraction(1)), controls=[Control("E(E-1)/2 -> 0.99 E(E-1)/2", dict(factor=Fraction(99, 100)))],
)  # fmt: skip
def li_smalllr(factor: Fraction) -> Evidence:
    proved, reason = Certificate(
        left=H**2,
        right=G**2,
        premises={"cocoercivity along a step": (2 / ETA, ETA * (G - H) * G - (G - H) ** 2 / L)},
        squares=[(2 / (ETA * L) - 1, G - H)],
        ranges=[(L, 0, None), (ETA, 0, 2 / L)],
    ).verify()
    steps_done, total = sp.symbols("l E", positive=True)
    claimed = sp.Rational(factor) * total * (total - 1) / 2
    steps = {
        f"gradient norms do not grow along the steps{'' if proved else ': ' + reason}": proved,
        "|x_l - w| <= l eta |g_0| and |g_l - g_0| <= L l eta |g_0| add up to the claim":
            is_zero(claimed.subs(total, steps_done + 1) - claimed.subs(total, steps_done) - steps_done),
    }  # fmt: skip
    found, x = "", sp.Rational(1, 100)
    deviation = (1 - x) ** 2 - (1 - 2 * x)
    if deviation > claimed.subs(total, 2) * x**2:
        found = f"F = w^2/2, E=2, eta={x}, w=1: deviation {deviation} > {claimed.subs(total, 2) * x**2}"
    return settle(
        steps, found, instances=1, margin=float(factor - 1), valid_for="convex, "
        "L-smooth F_k, full gradients, eta <= 2/L, every E",
        method="Induction over the local steps; the mean over clients follows by Jensen.  On quadratics the deviation "
        "is E(E-1)/2 eta^2 A_k grad F_k(w) + O(eta^3), so the bound is met by F = L w^2/2 (exactly at E = 2).",
        tightness=Tightness(1.0, Rung.PROOF, "equality for F = L w^2/2 and E = 2"),
    )  # fmt: skip


@claim(
    "LI-ONESHOT.1", kind=Kind.QUALITATIVE, scope=Scope.GENERAL, source="Section 3.4",
    statement=r"E\to\infty:\ x^k_E\to w_k^*,\quad w_{t+1}\to\sum_kp_kw_k^*",
    summary="with many local steps the clients reach their minimisers and the round "
    "becomes the average of local solutions",
    printed=dict(limit=Fraction(2)), controls=[Control("step sizes up to 2.1/L on F = L w^2/2", dict(limit=Fraction(21,
    10)))],
)  # fmt: skip
def li_oneshot_limit(limit: Fraction) -> Evidence:
    lam = sp.Symbol("lambda")
    contracts = nonnegative_on(
        sp.Rational(limit) - ETA * lam, [(L, 0, None), (lam, 0, L), (ETA, 0, sp.Rational(limit) / L)]
    )
    steps = {
        "smooth and strongly convex F_k: |x_E - w_k*| <= (1 - eta mu)^E |w - w_k*|, eta <= "
        "2/(mu+L)": descent_certificate(Fraction(2))[0],
        "quadratic F_k: |1 - eta lambda| < 1 for 0 < lambda <= L, eta < 2/L": contracts and limit <= 2,
    }
    found = ""
    if limit > 2:
        step = (sp.Rational(limit) + 2) / 2
        found = f"F = w^2/2, eta={step}: |x_E| = ({abs(1 - step)})^E |w| grows"
    return settle(
        steps, found, valid_for="strongly convex, smooth F_k; eta <= 2/(mu+L), for "
        "quadratics eta < 2/L; eta fixed while E grows",
        method="Linear convergence of gradient descent on each F_k, whatever the start "
        "of the round; then the weighted mean.",
    )  # fmt: skip


@claim(
    "LI-ONESHOT.2", kind=Kind.QUALITATIVE, scope=Scope.INSTANCE, source="Section 3.4",
    statement=r"\sum_kp_kw_k^*\ne\arg\min\sum_kp_kF_k\ \text{in general}",
    summary="the mean of local minimisers can be far from the minimiser: half the distance between the clients",
    printed=dict(curvatures=(1, 99)), controls=[Control("equal curvatures", dict(curvatures=(1, 1)))],
)  # fmt: skip
def li_oneshot_differs(curvatures: tuple[int, int]) -> Evidence:
    # F_1 = a w^2/2 and F_2 = c (w-1)^2/2 with weights 1/2: minimisers 0 and 1, minimiser of F c/(a+c).
    a, c = curvatures
    optimum, mean = sp.Rational(c, a + c), sp.Rational(1, 2)
    gap = abs(optimum - mean)
    example = Example(2, 2, sp.Rational(1, 10))
    local = example.clients[0].inv() * example.shift / 2
    found = (
        ""
        if gap
        else f"F_1 = {a}w^2/2, F_2 = {c}(w-1)^2/2: the mean of the minimisers is 1/2, and so is the minimiser of F"
    )
    return settle(
        {"the mean of the local minimisers is not the minimiser": gap != 0,
        "nor on the ridge example": local != example.optimum},
        found, margin=float(2 * gap) if gap else None, valid_for=f"F_1 = {a}w^2/2, F_2 "
        f"= {c}(w-1)^2/2 and the example N=p=2, mu=1/10",
        method="Exact evaluation; with curvatures 1 and c the gap tends to half the "
        "distance between the local minimisers.",
        numbers={"gap": str(gap), "gap on the example": float(sp.sqrt(norm_squared(local - example.optimum)))},
    )  # fmt: skip


def displacement_order_steps(order: int) -> dict[str, bool]:
    """One round moves ``w*`` by ``-(1/N) sum_k S_k g_k = O(eta^order)``.

    ``S_k = eta E I - eta^2 E(E-1)/2 A_k + ...`` and the ``g_k = grad F_k(w*)`` add up to zero.
    """
    x, total, rest = sp.symbols("x E Q")
    series = total - total * (total - 1) / 2 * x + x**2 * rest  # S_k/eta at x = eta A_k
    grown = sp.expand((1 - x) * series + 1 - series.subs({total: total + 1, rest: 0}))
    second = sp.expand(series).coeff(x, 1)
    return {
        "sum_{l<E} (1-x)^l = E - E(E-1)/2 x + x^2 Q(x), by induction": all(
            is_zero(grown.coeff(x, n).subs(rest, 0)) for n in (0, 1)
        ),
        "order eta: E I for all clients, and the local gradients add up to zero": not series.subs(x, 0).has(rest),
        "orders from eta^2 up to the claimed one vanish": order <= 2 or is_zero(second),
    }


def decay_check(decaying: bool) -> Evidence:
    """``a_{t+1} <= (1 - c eta_t) a_t + C eta_t^2``, ``eta_t = beta/(gamma+t)``, so ``a_t <= v/(gamma+t)``."""
    t, gamma, c, big, v, beta, slack = sp.symbols("t gamma c C v beta s", positive=True)
    time = gamma + t
    rate = beta / time
    step = v / (time + 1) - ((1 - c * rate) * v / time + big * rate**2)
    # v = beta^2 C/(c beta - 1) + slack, beta = (1 + b)/c
    b = sp.Symbol("b", positive=True)
    inserted = step.subs(v, beta**2 * big / (c * beta - 1) + slack).subs(beta, (1 + b) / c)
    ranges = [(c, 0, None), (big, 0, None), (slack, 0, None), (b, 0, None), (gamma, 1, None), (t, 0, None)]
    lam, eta = sp.symbols("lambda eta")
    steps = {
        "induction step of a_t <= v/(gamma+t)": nonnegative_on(inserted, ranges),
        "one round contracts by 1 - eta lambda_min(A)/N: 0 <= x^E <= x for x in [0, 1]":
            nonnegative_on(1 - eta * lam, [(eta, 0, sp.Rational(1, 4)), (lam, 0, 4)]),
        "the rate decays": decaying,
    } | displacement_order_steps(2)  # fmt: skip
    found = ""
    if not decaying:
        distance = norm_squared(bias(Example(2, 2), 2, sp.Rational(1, 5)))
        found = f"N=2, p=2, E=2, eta=1/5 in every round: the limit is sqrt({distance}) away from w*" if distance else ""
    example, start = Example(2, 2), sp.zeros(5, 1)
    w = start
    for index in range(40):
        matrix, shift = round_map(example, 2, sp.Rational(10, 40 + index) if decaying else sp.Rational(1, 5))
        w = (matrix * w + shift).applyfunc(lambda e: sp.Rational(round(e * 10**12), 10**12))
    return settle(
        steps, found, instances=1, valid_for="the example for all N, p, E; eta_t = "
        "beta/(gamma+t) <= 1/4 with beta > N/lambda_min(A)",
        method="|w_{t+1} - w*| <= |M_t| |w_t - w*| + |displacement of w*|, the first at most 1 - c eta_t and the "
        "second at most C eta_t^2 (S_k - E I = O(eta) and the local gradients at w* "
        "add up to zero); then induction in t.",
        numbers={"|w_40 - w*| from 0, N=p=E=2": float(sp.sqrt(norm_squared(w - example.optimum)))},
    )  # fmt: skip


@claim(
    "LI-THM4-I1.2", kind=Kind.ASYMPTOTIC, scope=Scope.GENERAL, source="Section 4",
    statement=r"\eta_t=\tfrac\beta{\gamma+t}:\quad \|w_t-w^*\|\le\tfrac v{\gamma+t} \text{ on the example}",
    summary="with a decaying rate FedAvg with E > 1 does reach the minimiser, at rate 1/t",
    printed=dict(decaying=True), controls=[Control("constant rate", dict(decaying=False))],
)  # fmt: skip
def li_thm4_i1_decay(decaying: bool) -> Evidence:
    return decay_check(decaying)


@claim(
    "LI-BIASEX.1", kind=Kind.QUALITATIVE, scope=Scope.GENERAL, source="Section 4", depends=("LI-EQ33.2",),
    statement=r"\eta_t=\eta,\ E>1:\quad M w^*+\text{shift}\ne w^* \text{ on the example, for every } \eta>0",
    summary="a constant rate with several local steps is biased: one round moves the minimiser",
    printed=dict(least_steps=2), controls=[Control("E = 1", dict(least_steps=1))],
)  # fmt: skip
def li_biasex_constant(least_steps: int) -> Evidence:
    moved = displacement(Example(2, 2), least_steps, ETA)
    found = "" if any(moved) else "N=2, p=2, E=1: one round leaves w* where it is"
    return settle(
        stationarity_steps(2, least_steps), found, instances=1, valid_for="all N >= 2, p >= 2, E >= 2, eta > 0, mu = 0",
        method="Simple spectrum of a Jacobi matrix and Rolle; see the row on eq. (33).",
        numbers={"displacement of w*, N=p=2": [str(sp.factor(e)) for e in moved]},
    )  # fmt: skip


@claim(
    "LI-BIASEX.2", kind=Kind.ASYMPTOTIC, scope=Scope.GENERAL, source="Section 4",
    statement=r"\tilde w^*(\eta)-w^*=O(\eta)\to0,\qquad \text{displacement of } w^* \text{ in one round } =O(\eta^2)",
    summary="the bias disappears as the step size does: the fixed point's linearly, that of one round quadratically",
    printed=dict(order=2), controls=[Control("O(eta^3) in one round", dict(order=3))],
)  # fmt: skip
def li_biasex_vanishes(order: int) -> Evidence:
    found = ""
    for local in (2, 3):
        moved = displacement(Example(2, 2), local, ETA).applyfunc(sp.expand)
        for below in range(order):
            if any(e.coeff(ETA, below) != 0 for e in moved) and not found:
                found = (
                    f"N=2, p=2, E={local}: coefficient of eta^{below} is {[str(e.coeff(ETA, below)) for e in moved]}"
                )
    return settle(
        displacement_order_steps(order), found, instances=2, valid_for="all quadratics "
        "with sum_k A_k invertible, all N and E",
        method="S_k = eta E I - eta^2 E(E-1)/2 A_k + O(eta^3) and sum_k grad F_k(w*) = 0; divide by I - M = O(eta).",
    )  # fmt: skip


@claim(
    "LI-BIASEX.3", kind=Kind.ASYMPTOTIC, scope=Scope.GENERAL, source="Section 4", depends=("LI-BIASEX.2", "LI-RHO.2"),
    statement=r"\eta_t=\tfrac\beta{\gamma+t}:\quad w_t\to w^*", summary="a decaying rate removes the bias",
    printed=dict(decaying=True), controls=[Control("constant rate", dict(decaying=False))],
)  # fmt: skip
def li_biasex_decay(decaying: bool) -> Evidence:
    return decay_check(decaying)


if __name__ == "__main__":
    from fltheory.evidence.runner import run_script

    run_script(__file__)
