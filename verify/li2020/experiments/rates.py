"""Rates behind Theorem 1 of Li et al. (2020): the bound is Theta(1/T), what FedAvg really does, and E growing like sqrt(T).

Exact expectations on two one-dimensional clients come from ``figures/experiments/rates.py``; they illustrate.  What is
proved is proved here: the order of the bound, a lower bound of order 1/T for a noisy instance, the limits of T^2 gap
(full gradients) and T gap (noise) on quadratics, and, for the heterogeneous instance with full gradients, a decay of the
gap like (E/T)^2, whatever E >= 24 does with T.
"""

from dataclasses import replace
from fractions import Fraction

import sympy as sp

import fltheory as fl
from fltheory.algorithms.schedules import Harmonic
from fltheory.derivation.statement import derived, text_of
from fltheory.evidence.algebra import by_relations
from fltheory.evidence.decide import Tried, decide
from fltheory.evidence.derive import by_derivation
from fltheory.evidence.ends import by_witness, tried
from fltheory.evidence.kinds import asymptotic_claim, asymptotic_of_an_instance, run_script
from fltheory.evidence.model import Control, Evidence
from fltheory.evidence.relations import Relations
from fltheory.evidence.witness import Side, Witness
from fltheory.experiments.paired import committed
from fltheory.experiments.rates import checked_rates, slopes
from fltheory.theory.bound import Bound
from fltheory.theory.li2020 import theorems
from fltheory.theory.proofs import equal
from fltheory.theory.states import proves
from verify.li2020.derivations import orders
from verify.li2020.discussion import limit_rate


def _between(bound: Bound) -> Relations:
    """``c/(gamma T) <= bound <= c/T`` with gamma as a letter and c free of T."""
    gamma = sp.Symbol("gamma")
    expression = bound.expression.subs(theorems.gamma, gamma)
    factor = sp.simplify(expression * (gamma + theorems.T - 1))
    return Relations(
        f"c/(gamma*T) <= {text_of(expression)} <= c/T for mu > 0; L >= 0; D1 >= 0; V >= 0; Gamma >= 0; G2 >= 0; E >= 1; "
        f"gamma >= 1; T >= 1; c = {text_of(factor)}",
        names=bound.symbol_names,
    )


ORDER = _between(theorems.theorem_1)


@asymptotic_claim(
    "LI-THM1-RATE.1",
    source="Theorem 1, (4)",
    statement=(
        r"\kappa=\tfrac L\mu,\ B=\sum_kp_k^2\sigma_k^2+6L\Gamma+8(E-1)^2G^2,\ "
        r"c=\kappa\Big(\tfrac{2B}\mu+\tfrac{\mu\gamma}2D_1\Big):\quad ",
        ORDER,
    ),
    headline="The bound of Theorem 1 is of order 1/T exactly, unless it is zero",
    summary="The bound of Theorem 1 is Theta(1/T), with c = kappa (2B/mu + mu gamma D_1/2), unless B = D_1 = 0 (then it is 0).",
    printed=dict(text=ORDER.text),
    controls=[
        Control("1/T^1.01", dict(text=ORDER.changed("<= c/T for", "<= c/T**(101/100) for").text)),
        Control("1/T^0.9", dict(text=ORDER.changed("c/(gamma*T) <=", "c/(gamma*T**(9/10)) <=").text)),
    ],
)
def order_of_the_bound(text: str) -> Evidence:
    return by_relations(_between(theorems.theorem_1).with_text(text))


def _noisy_gap(T: int) -> Fraction:
    """E F(w_T) of FedAvg with one local step on F = w^2/2, w_1 = 2, unit noise, by the package's exact moments."""
    one, start = fl.QuadraticProblem([[[Fraction(1)]]], [[Fraction(0)]]), [Fraction(2)]
    method, noise = fl.FedAvg(1, Harmonic(Fraction(2), 8, first=1)), fl.AdditiveNoise(Fraction(1))
    return Fraction(fl.moments(one, method, rounds=T - 1, start=start, oracle=noise, exact=True).gap[-1])


@asymptotic_of_an_instance(
    "LI-THM1-RATE.2",
    source="Theorem 1",
    statement=r"F=\tfrac12\|w\|^2,\ \|w_1\|^2=4,\ E=1,\ \eta_t=\tfrac2{8+t},\text{ noise of variance one}:\quad "
    r"\mathbb{E}F(w_T)-F^*\ge\tfrac2{3(8+T)}",
    headline="With gradient noise the order 1/T of Theorem 1 cannot be improved",
    summary="With gradient noise the order 1/T is the actual one: on F = w^2/2 the gap is at least a/(2(8+T)), a = 4/3, whatever "
    "the law of the noise.",
    printed=dict(constant=Fraction(4, 3)),
    controls=[Control("constant 8/5", dict(constant=Fraction(8, 5)))],
)
def noisy_rate(constant: Fraction) -> Evidence:
    """Start w_1 = 2 (Delta_1 = 4); the control's constant exceeds what the recursion tends to."""
    numbers = slopes(committed("rates"), ("noisy/E=1", "noisy/E=4", "noisy/E=20"))
    words, left = "F=w^2/2, unit noise, w_1=2, E=1, eta_t=2/(8+t)", Side("gap of FedAvg", _noisy_gap)
    right = Side(f"({constant})/(2(8+T))", lambda T: constant / (2 * (8 + T)))
    return by_derivation(
        lambda: orders.noisy_run(str(constant)),
        tried(Witness({"T": T}, left, ">=", right, (), words) for T in (1, 10, 100)),
        method="Induction on t: Delta_t >= a/(8+t) is kept by Delta -> (1-2/x)^2 Delta + 4/x^2, x = 8+t. FedAvg on the "
        "instance, exact expectations; slopes on two clients, last two decades.",
        numbers=numbers,
        valid_for="all T >= 1, start w_1 = 2",
    )


@asymptotic_claim(
    "LI-THM1-RATE.3",
    source="Theorem 1",
    statement=r"T^2\big(F(w_T)-F^*\big)\to\tfrac{(E-1)^2}2\,\ell^\top\bar A\,\ell,\quad "
    r"\ell=\tfrac12\big(\tfrac2\mu\bar A-I\big)^{-1}\sum_k p_k\big(\tfrac2\mu A_k\big)^2(w^*-w_k^*);\quad "
    r"\text{full gradients, }E>1,\ \sum_k p_kA_k\nabla F_k(w^*)\ne0",
    headline="With full gradients FedAvg on quadratics is faster than Theorem 1: order 1/T squared",
    summary="With full gradients and E > 1 the order on heterogeneous quadratics is exactly 1/T^2 (unless "
    "sum p_k A_k grad F_k(w*) = 0, where the limit is 0): the bound's 1/T is not reached.",
    printed=dict(order=Fraction(2), least_steps=2, curvatures=(1, 3), factor=Fraction(1)),
    controls=[
        Control("order 1, as in the bound", dict(order=Fraction(1))),
        Control("order 2.01", dict(order=Fraction(201, 100))),
        Control("limit x 0.99", dict(factor=Fraction(99, 100))),
        Control("E = 1 allowed", dict(least_steps=1)),
        Control("equal curvatures, different minimisers", dict(curvatures=(2, 2))),
    ],
)
def full_gradient_rate(order: Fraction, least_steps: int, curvatures: tuple[int, int], factor: Fraction) -> Evidence:
    """The general limit is :func:`limit_rate.mean_steps`; the claim's order and constant are then tried on two clients."""
    result, clients = checked_rates(), limit_rate.ShiftedParabolas(curvatures, limit_rate.REFERENCE_PAIR.minimisers)
    limit, steps_of = clients.square_limit(), limit_rate.E
    claimed = factor * limit_rate.REFERENCE_PAIR.square_limit()
    least = limit.subs(steps_of, least_steps)
    steps = limit_rate.mean_steps() | {
        "the limit is that of T^2 times the gap": lambda: equal(order, 2),
        "it is positive for the least E, hence (factor (E-1)^2) for every E": lambda: (
            least > 0 and equal(limit, (steps_of - 1) ** 2 * limit.subs(steps_of, 2))
        ),
        "two clients: the limit is the claimed one": lambda: equal(limit, claimed),
    }
    found = ""
    at = max(least_steps, 2) if least > 0 else least_steps
    value = limit.subs(steps_of, at)
    where = f"{clients.words}, full gradients, E={at}, eta_t=2/(gamma+t): T^2 gap -> {value}"
    if value == 0:
        found = f"{where}, so the order is higher"
    elif order != 2:
        found = f"{where}, so T^({order}) gap -> {'0' if order < 2 else 'infinity'}"
    elif value != claimed.subs(steps_of, at):
        found = f"{where}, not {claimed.subs(steps_of, at)}"
    numbers = slopes(result, ("full gradient/E=4", "full gradient/E=20")) | {"limit on the two clients": str(limit)}
    for local in (4, 20):
        times, gap = result[f"full gradient/E={local}/T"], result[f"full gradient/E={local}/gap"]
        proved = float(limit_rate.REFERENCE_PAIR.square_limit().subs(steps_of, local))
        ratio = float(gap[-1] * float(times[-1]) ** 2) / proved
        if not abs(ratio - 1) < 1e-3:
            raise ValueError(f"E={local}: T^2 gap at the last T is {ratio} times the proved limit")
        numbers[f"T^2 gap over its limit, E={local}, T={int(times[-1])}"] = ratio
    return decide(
        steps,
        Tried(examined=2, counterexample=found),
        method="The mean error obeys an exact linear recursion over rounds; in h = E/(gamma+1+rE) the round's product is "
        "expanded with a remainder bounded by induction, and y = n e, n = 1/h, obeys y' = y - h((B-I)y + (1-1/E)q/2) + "
        "O(h^2), so it tends to the zero of the bracket (B = 2 Abar/mu >= 2 I, sum of h infinite).",
        valid_for="all N, d, weights and strongly convex quadratics, every start, every fixed E > 1, step sizes of "
        "Theorem 1, T a multiple of E",
        numbers=numbers,
    )


#: c/T with c = (gamma + T - 1) times the bound of Theorem 1, free of T.
ONE_OVER_T = replace(
    theorems.theorem_1,
    name="order of theorem_1",
    expression=theorems.theorem_1.expression * (theorems.gamma + theorems.T - 1) / theorems.T,
)


@asymptotic_claim(
    "LI-ABS1",
    headline="On strongly convex problems FedAvg's error falls like 1/T, with T counting local SGD steps",
    source="Abstract",
    depends=["LI-THM1", "LI-THM1-RATE.1"],
    statement=ONE_OVER_T,
    proves=proves(ONE_OVER_T, lambda power: ONE_OVER_T.expression * theorems.T / theorems.T ** sp.Rational(power)),
    summary="For strongly convex and smooth problems FedAvg converges like O(1/T) on non-iid data; T counts local SGD "
    "steps. The constant shown is that of Theorem 1, which needs samples that are independent between devices; the order does not.",
    printed=dict(power=Fraction(1)),
    quick=False,
    controls=[Control("O(1/T^1.01)", dict(power=Fraction(101, 100))), Control("O(1/T^2)", dict(power=Fraction(2)))],
)
def abstract_rate(power: Fraction) -> Evidence:
    """Upper side from Theorem 1 (c/(gamma+T-1) <= c/T); other orders are refuted by the noisy instance's lower bound."""
    numbers = slopes(committed("rates"), ("noisy/E=4", "full gradient/E=4"))
    T = theorems.T
    if power == 1:
        return by_derivation(
            orders.one_over_t(theorems.theorem_1, "full"),
            Tried(1),
            method="Theorem 1's derivation up to c/T with c = kappa(2B/mu + mu gamma D_1/2) free of T. Numbers: slopes of exact "
            "expectations on two heterogeneous clients.",
            numbers=numbers,
            valid_for="the assumptions of Theorem 1, full participation",
        )
    # F = w^2/2, unit noise, w_1 = 2, gamma = 8, E = 1: c = 2 V + gamma/2 D_1 = 2 + 16 = 18; gap >= (2/3)/(8+T).
    (proved, why), _ = derived(lambda: orders.noisy_run("4/3"))
    if not proved:
        raise ValueError(f"lower bound of the noisy instance not proved: {why}")
    sides = Side("least gap 2/(3(8+T))", 2 / (3 * (8 + T))), Side(f"c T^(-{power})", 18 * T ** -sp.Rational(power))
    instance = "F=w^2/2, unit noise, w_1=2, E=1, gamma=8, c=18"
    return by_witness(
        (
            Witness({T: sp.Integer(10) ** exponent}, sides[0], "<=", sides[1], (), instance)
            for exponent in range(1, 400)
        ),
        method="The lower bound of the noisy instance (induction) against c times the claimed power of T.",
    )


if __name__ == "__main__":
    run_script(__file__)
