"""Corollary 4 of the lecture note: s = sqrt(N)/sqrt(T) in Theorem 3, its conditions and rates.

Rational expressions throughout: T = r^2 N gives s = 1/r and sqrt(NT) = N r; fourth roots are N = p^4, T = q^4.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import product

import sympy as sp

from fltheory.evidence.decide import decide
from fltheory.evidence.ends import by_proof, by_witness
from fltheory.evidence.kinds import algebra_claim, asymptotic_claim, expectation_claim, run_script
from fltheory.evidence.limits import unbounded
from fltheory.evidence.model import Control, Evidence, Rung
from fltheory.theory.lecture2022 import bounds
from fltheory.theory.lecture2022.bounds import RATE_STEP_4, G, K, L, N, T, corollary_4_first, gap, s, sigma, sigma_G
from fltheory.theory.proofs import Open
from fltheory.theory.states import proves
from fltheory.theory.steps import Instance, Proof, Step, identity, inequality, sign
from fltheory.theory.values import exact_value
from verify.lecture2022 import elsewhere
from verify.lecture2022.descent import prove_theorem_1
from verify.lecture2022.instances import settings

first_item = algebra_claim.sharing(source="Corollary 4, first item")
second_item = algebra_claim.sharing(source="Corollary 4, second item")
annotation = asymptotic_claim.sharing(source="annotation at Corollary 4")

r, p, q, c = sp.symbols("r p q c", positive=True)
ONE = Fraction(1)


def at_the_rate() -> sp.Expr:
    """Theorem 3 at s = sqrt(N/T)."""
    constants = dict(descent=2, noise=1, moment=4, dissimilarity=9)
    numbers = {name: sp.Integer(value) for name, value in constants.items()}
    return bounds.theorem_3_expression(**numbers).subs(s, RATE_STEP_4)


@first_item(
    "LEC-COR4a.1",
    statement=r"s=\sqrt{N/T},\ K=1:\quad K\le\tfrac1{6Ls}\iff T\ge36L^2N",
    printed=dict(factor="36"),
    headline="The corollary's horizon is the theorem's step condition at one local step",
    summary="The stated T is exactly the condition of Theorem 3 for K = 1.",
    controls=[Control("36 -> 35.6", dict(factor="178/5"))],
)
def condition_for_one_step(factor: str) -> Evidence:
    need, ratio = r / (6 * L) - 1, 6 * L * N * (r + 6 * L)
    stated = r**2 * N - sp.Rational(factor) * L**2 * N
    steps = (
        identity("T - 36 L^2 N = positive factor times (1/(6Ls) - 1)", stated, ratio * need),
        sign("the factor is positive", ratio, [(L, Open(0), None), (N, 0, None), (r, 0, None)]),
    )

    def instances() -> Iterator[Instance]:
        for smooth, count in ((1, 1), (2, 1), (1, 4)):
            total = sp.Rational(factor) * smooth**2 * count
            square = exact_value((6 * L * RATE_STEP_4) ** 2, {L: smooth, N: count, T: total})
            yield Instance(f"L={smooth}, N={count}, T={total}, K=1: (6 L s)^2 against 1", square, ONE)

    return decide(Proof(steps), instances, method="Factorisation with sqrt(T) = r sqrt(N).", valid_for="all N, T, L")


@first_item(
    "LEC-COR4a.2",
    proves=proves(corollary_4_first, lambda: at_the_rate().subs(K, 1), under=(T >= 36 * L**2 * N,)),
    statement=(corollary_4_first, r"=O(1/\sqrt{NT})+O(N/T)"),
    printed=dict(power="1", factor="1"),
    depends=("LEC-THM3", "LEC-COR4a.1"),
    summary="Theorem 3 at K = 1 has two terms of order 1/sqrt(NT) and two of order N/T, with constants free of N and T: "
    "2 (f(x0) - f*) + L sigma^2 and L^2 (4 G^2 + 9 sigma_G^2).",
    controls=[
        Control("O(N/T) -> O(1/T)", dict(power="0")),
        Control("O(N/T) -> O(N^(9/10)/T)", dict(power="9/10")),
        Control("second constant times 0.99", dict(factor="99/100")),
    ],
    headline="With one local step the bound has terms of two orders, free of hidden constants",
)
def rate_for_one_step(power: str, factor: str) -> Evidence:
    """The display against C_1/sqrt(NT) + C_2 N^power/T with C_1, C_2 from the display at N = T = 1, in N = p^10, T = r^2 N."""
    exponent, shown = sp.Rational(power), corollary_4_first.expression
    slow = shown.subs({G: 0, sigma_G: 0})
    first, second = (sp.expand(part.subs({N: 1, T: 1})) for part in (slow, shown - slow))
    order = first / sp.sqrt(N * T) + sp.Rational(factor) * second * N**exponent / T

    def rational(expression: sp.Expr) -> sp.Expr:
        return sp.powdenest(sp.simplify(expression.subs(T, r**2 * N).subs(N, p**10)), force=True)

    at_rate = bounds.theorem_3.expression.subs({s: RATE_STEP_4, K: 1})
    rest = sp.cancel(rational(order - shown))
    known = [(p, 1, None), (r, 6 * L, None), (L, Open(0), None), (G, 0, None), (sigma_G, 0, None)]
    steps = (
        identity("Theorem 3 at K = 1 and this s is the display", rational(at_rate), rational(shown)),
        sign("the display is at most the two orders", rest, [x for x in known if x[0] in rest.free_symbols | {L}]),
        Step(
            "the constants are free of N and T",
            not (first.free_symbols | second.free_symbols) & {N, T},
            f"{first}, {second}",
        ),
    )

    def instances() -> Iterator[Instance]:
        for count in (1, 1024):
            at = {L: 1, G: 1, sigma_G: 0, sigma: 0, gap: 0, N: count, T: 36 * count}
            text = f"L=G=1, sigma=sigma_G=f(x0)-f*=0, N={count}, T={36 * count}: the display against the orders"
            yield Instance(text, exact_value(shown, at), exact_value(order, at))

    return decide(
        Proof(steps),
        instances,
        method="Identity with Theorem 3, then term by term in N = p^10, T = r^2 N; the constants are those at N = T = 1.",
        numbers={"constant of 1/sqrt(NT)": str(first), "constant of the other": str(second)},
        valid_for="all N, T >= 36 L^2 N",
    )


def absorbed(view: str) -> Evidence:
    """Is N/T at most a constant times 1/sqrt(NT)?  The quotient is N^(3/2)/T^(1/2)."""
    quotient = N / T * sp.sqrt(N * T)
    along = {"N fixed": quotient, "T = 36 L^2 N": quotient.subs(T, 36 * L**2 * N)}[view]
    variable = T if view == "N fixed" else N
    limit = sp.limit(sp.powdenest(sp.simplify(along), force=True), variable, sp.oo)
    words = dict(method="Limit of (N/T) sqrt(NT).", numbers={"limit": limit, "at most 1 iff": "T >= N^3"})
    if not limit.has(sp.oo):
        return by_proof(**words, valid_for="N fixed")
    witness = unbounded("(N/T) sqrt(NT)", along, variable, setting=f"along {view}")
    return by_witness(witness, rung=Rung.PROOF, **words)


absorbed_fixed = annotation(
    "LEC-COR4a-ABS[N fixed]",
    statement=r"O(1/\sqrt{NT})+O(N/T)=O(1/\sqrt{NT}),\ N\text{ fixed}",
    printed=dict(view="N fixed"),
    summary="True as T grows; the second term is dominated once T >= N^3.",
    controls=[Control("T = 36 L^2 N, as allowed", dict(view="T = 36 L^2 N"))],
)(absorbed)

absorbed_uniform = annotation(
    "LEC-COR4a-ABS[uniformly in N]",
    fault="reading",
    statement=r"O(1/\sqrt{NT})+O(N/T)=O(1/\sqrt{NT})\text{ for all }T\ge36L^2N",
    printed=dict(view="T = 36 L^2 N"),
    repair="LEC-COR4a-ABS[N fixed]",
    headline="The linear speedup does not follow at the shortest horizon allowed",
    summary="A linear speedup in N does not follow: at T = 36 L^2 N the second term does not decrease with N at all.",
    controls=[Control("N fixed", dict(view="N fixed"), must="pass")],
)(absorbed)


@expectation_claim(
    "LEC-COR4a-ABS[FedAvg itself, K = 1]",
    statement=r"K=1:\ \tfrac1T\textstyle\sum_t\mathbb{E}\|\nabla f(\bar x^{t-1})\|^2\le\tfrac2{sT}(f(\bar "
    r"x^0)-f^*)+\tfrac LNs\sigma^2=O(1/\sqrt{NT})",
    printed=dict(code="FedAvg"),
    source="annotation at Corollary 4",
    summary="With K = 1 rounds have no drift, so FedAvg itself has no O(N/T) term: the annotation holds for the "
    "left-hand side.",
    controls=[Control("printed code, which drifts even for K = 1", dict(code="printed"))],
)
def no_drift(code: str) -> Evidence:
    right = bounds.theorem_1_expression(descent=sp.Integer(2), drift=sp.Integer(0), noise=sp.Integer(1))
    whole = bounds.theorem_1_periods[code].expression
    drift, steps = whole.subs(K, 1) - right, prove_theorem_1(whole, code, periods=True).steps
    tried = [x for x in settings(code) if x.local_steps == 1]
    return decide(
        Proof((*steps, identity("no drift term for K = 1", drift, 0))),
        lambda: [x.instance(right) for x in tried],
        method="Theorem 1 with the drift averaged over the period, whose term vanishes for K = 1.",
        valid_for="K = 1, s <= 1/L, all N, T",
    )


@second_item(
    "LEC-COR4b[the rate]",
    statement=r"K\le cT^{1/4}/N^{3/4},\ s=\sqrt{N/T}:\quad\tfrac1T\textstyle\sum_t\mathbb{E}\|\nabla f(\bar x^t)\|^2\le"
    r"\left(2(f(\bar x^0)-f^*)+L\sigma^2+36c^2L^2G^2+9c^2L^2\sigma_G^2\right)/\sqrt{NT}",
    printed=dict(power=1),
    depends=("LEC-THM3",),
    headline="The rate of Corollary 4 holds with constants free of clients and horizon",
    summary="The rate holds with constants free of N and T, even where Theorem 3 does not apply: there the bound "
    "exceeds G^2.",
    controls=[Control("K = c T^(1/2)/N^(3/4)", dict(power=2))],
)
def rate_for_growing_interval(power: int) -> Evidence:
    allowed = c * q**power - K * p**3
    squared = (c * q**power) ** 2 - (K * p**3) ** 2
    ranges = [(p, 1, None), (K, 1, None), (q, Open(0), None), (L, Open(0), None)]
    ranges += [(symbol, 0, None) for symbol in (c, G, sigma_G)]
    per = 1 / (p**2 * q**2)
    # p^3 <= K p^3 <= c q, so that K p^4/q^4 <= c p/q^3 <= c^2/(p^2 q^2).
    steps = (
        inequality(
            "9 L^2 s^2 K^2 sigma_G^2",
            9 * L**2 * p**4 / q**4 * K**2 * sigma_G**2,
            9 * c**2 * L**2 * sigma_G**2 * per,
            premises={"K p^3 <= c q^power, squared": (9 * L**2 * sigma_G**2 / (p**2 * q**4), squared)},
            ranges=ranges,
        ),
        inequality(
            "4 s^2 K G^2 L^2",
            4 * L**2 * G**2 * p**4 / q**4 * K,
            4 * c**2 * L**2 * G**2 * per,
            premises={
                "condition": (4 * L**2 * G**2 * p / q**4, allowed),
                "condition with K >= 1": (4 * L**2 * G**2 * c / (p**2 * q**3), allowed + (K - 1) * p**3),
            },
            ranges=ranges,
        ),
        inequality(
            "where 6 L s K >= 1: G^2",
            G**2,
            36 * c**2 * L**2 * G**2 * per,
            premises={
                "(6LsK)^2 >= 1": (G**2, 36 * L**2 * K**2 * p**4 / q**4 - 1),
                "squared condition": (36 * L**2 * G**2 / (p**2 * q**4), squared),
            },
            ranges=ranges,
        ),
    )

    def instances() -> Iterator[Instance]:
        for count, root in ((1, 10), (1, 3), (16, 8)):
            local = int(Fraction(root**power) / round(count**0.75))
            if local >= 1:
                left = Fraction(9 * count * local**2, root**4)
                text = f"c=L=sigma_G=1, N={count}, T={root**4}, K={local}: dissimilarity term"
                yield Instance(text, left, Fraction(9) / (round(count**0.5) * root**2))

    return decide(
        Proof(steps),
        instances,
        method="K <= 1/(6Ls): Theorem 3, term by term. Otherwise the left side is at most G^2 <= 36 L^2 s^2 K^2 G^2.",
        valid_for="all N, T, K >= 1 with K <= c T^(1/4)/N^(3/4) (so T >= N^3/c^4)",
    )


def condition_for_growing_interval(condition: str) -> Evidence:
    """Whether a lower bound on the root of T gives the step-size condition 6 L s K <= 1."""
    low = {"L^2 N": L, "36 L^2 N K^2": 6 * L * K}[condition]
    step = sign("6 L s K <= 1", 1 - 6 * L * K / r, [(L, Open(0), None), (K, 1, None), (r, low, None)])

    def instances() -> Iterator[Instance]:
        for smooth, local in ((1, 1), (2, 1), (1, 3)):
            root = exact_value(low, {L: smooth, K: local})
            text = f"L={smooth}, N=1, T={max(root, local**2) ** 2}, K={local}: 6 L s K against 1"
            yield Instance(text, 6 * smooth * local / max(root, Fraction(local**2)), ONE)

    return decide(Proof((step,)), instances, method="Sign of 1 - 6LsK on the range of T.", valid_for="all N, T, K, L")


@second_item(
    "LEC-COR4b[constant of K at most 1/(6 sqrt L)]",
    statement=r"T\ge L^2N,\ s=\sqrt{N/T},\ K\le cT^{1/4}/N^{3/4},\ c\le\tfrac1{6\sqrt L}\ \Rightarrow\ "
    r"K\le\tfrac1{6Ls}",
    printed=dict(factor="1"),
    headline="With few enough local steps the stated horizon is long enough",
    summary="With a constant in K = O(T^(1/4)/N^(3/4)) that is small enough the stated T gives the condition of "
    "Theorem 3; the O leaves the constant open.",
    controls=[
        Control("constant 6 times as large: 1 for L = 1", dict(factor="6")),
        Control("constant 3 times as large", dict(factor="3")),
    ],
)
def stated_condition(factor: str) -> Evidence:
    # L = l^2, N = p^4, T = q^4: T >= L^2 N means q >= l p, and 6 L s K <= 1 means 6 l^2 p^2 K <= q^2.
    root = sp.Symbol("l", positive=True)
    ranges = [(root, 0, None), (p, 1, None), (q, root * p, None), (K, 1, None), (c, 0, None)]
    step = inequality(
        "6 L s K <= 1",
        6 * root**2 * p**2 * K,
        q**2,
        ranges=ranges,
        premises={
            "K p^3 <= c q": (6 * root**2 / p, c * q - K * p**3),
            "6 c l <= factor": (root * q / p, sp.Rational(factor) - 6 * c * root),
        },
    )

    def instances() -> Iterator[Instance]:
        for half, fourth, total in product((1, 2), (1, 2), range(1, 61)):
            constant = Fraction(factor) / (6 * half)
            local = int(constant * total / fourth**3)
            if total >= half * fourth and local >= 1:
                text = f"L={half**2}, N={fourth**4}, T={total**4}, c={constant}, K={local}: 6 L s K against 1"
                yield Instance(text, Fraction(6 * half**2 * fourth**2 * local, total**2), ONE)

    return decide(
        Proof((step,)),
        instances,
        method="6 L s K <= 6 L c/(T N)^(1/4) <= sqrt(L)/(T N)^(1/4) <= 1, in roots L = l^2, N = p^4, T = q^4.",
        valid_for="all N, L, T >= L^2 N, and K >= 1 with K <= c T^(1/4)/N^(3/4)",
    )


condition_for_every_interval = second_item(
    "LEC-COR4b-S1",
    proves=proves(bounds.corollary_4_second, at_the_rate, under=(T >= 36 * L**2 * N * K**2,)),
    statement=r"T\ge36L^2NK^2,\ s=\sqrt{N/T}\ \Rightarrow\ K\le\tfrac1{6Ls}",
    printed=dict(condition="36 L^2 N K^2"),
    headline="The condition on the horizon that the second item of Corollary 4 needs",
    summary="The condition that Theorem 3 needs, whatever K is; for K = T^(1/4)/N^(3/4) it reads T >= 1296 L^4/N.",
    elsewhere=elsewhere.ARITHMETIC,
    controls=[Control("T >= L^2 N", dict(condition="L^2 N"))],
)(condition_for_growing_interval)


if __name__ == "__main__":
    run_script(__file__)
