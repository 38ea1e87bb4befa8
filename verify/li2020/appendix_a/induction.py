"""Appendix A.3 of Li et al. (2020), the induction: (13) with eta_t = beta/(t + gamma) implies Delta_t <= v/(gamma + t).

The induction step is one certificate in s = t + gamma, so that it holds for every t; refuted bounds are exceeded by the
worst sequence that the recursion allows.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

import sympy as sp

from fltheory.evidence.derive import by_derivation
from fltheory.evidence.ends import certified, identical, nonnegative
from fltheory.evidence.exact_search import search
from fltheory.evidence.kinds import algebra_claim, identity_claim, inequality_claim, run_script
from fltheory.evidence.model import Control, Evidence
from fltheory.theory.proofs import Certificate, Open
from fltheory.theory.states import proves
from verify.li2020 import symbols
from verify.li2020.derivations.distances import distance
from verify.li2020.displays.appendix_a import induction, regrouped, smaller_of_two
from verify.li2020.lemmas import A4_TAKEN, DISTANCE, SAMPLING
from verify.li2020.symbols import B, L, gamma, mu, v

#: s = t + gamma and D = Delta_t; beta = (1 + x)/mu with x > 0 makes beta mu > 1.
s, D, x = sp.symbols("s D x")


@dataclass(frozen=True)
class Recursion:
    """Delta_{t+1} = max(0, (1 - eta_t mu) Delta_t + eta_t^2 B) from t = 1 on, with eta_t = beta/(t + gamma)."""

    beta: Fraction
    gamma: Fraction
    mu: Fraction
    B: Fraction
    Delta_1: Fraction

    def run(self, stop: int) -> Iterable[tuple[int, Fraction]]:
        """(t, Delta_t) for t = 1, ..., stop."""
        value = self.Delta_1
        for t in range(1, stop + 1):
            yield t, value
            step = self.beta / (t + self.gamma)
            value = max(Fraction(0), (1 - step * self.mu) * value + step**2 * self.B)

    def describe(self) -> str:
        """The constants."""
        constants = f"mu = {self.mu}, beta = {self.beta}, gamma = {self.gamma}, B = {self.B}, Delta_1 = {self.Delta_1}"
        return f"(13) with equality, {constants}"


def recursions(small_first_step: bool) -> list[Recursion]:
    """mu = 1.  Without the condition on eta_1, also a first step that is larger than 1/mu."""
    one, two = Fraction(1), Fraction(2)
    cases = [
        Recursion(two, Fraction(7), one, Fraction(0), one),
        Recursion(two, Fraction(7), one, one, Fraction(1, 2)),
        Recursion(two, Fraction(999), one, one, Fraction(4, 1000) * Fraction(99, 100)),
        Recursion(Fraction(3, 2), Fraction(5), one, one, Fraction(1)),
    ]
    return cases if small_first_step else [*cases, Recursion(Fraction(10), one, one, one, Fraction(0))]


@algebra_claim(
    "LI-IND0.1",
    headline="Of the two limits on the first step the one by smoothness is always the smaller",
    source="Appendix A.3, condition on eta_1",
    statement=smaller_of_two,
    summary="The minimum in the condition on eta_1 is 1/(4L), since mu <= L.",
    printed=dict(smallest_ratio="1"),
    controls=[Control("L >= 0.24 mu instead of L >= mu", dict(smallest_ratio="6/25"))],
)
def li_ind0_1(smallest_ratio: str) -> Evidence:
    """Sign of 1/mu - 1/(4L) for L >= mu."""
    ranges = ((mu, Open(0), None), (L, sp.Rational(smallest_ratio) * mu, None))
    ratio = Fraction(smallest_ratio)
    found = search(
        [ratio, ratio + 1],
        lambda r: (1 / (4 * r), Fraction(1)),
        describe=lambda r: f"mu = 1, L = {r}: 1/(4L) against 1/mu",
    )
    difference = {"": (1 / mu - 1 / (4 * L), ranges)}
    return nonnegative(difference, found, method="nonnegative coefficients on the range", valid_for="0 < mu <= L")


@algebra_claim(
    "LI-IND0.2",
    headline="A contracting recursion with steps falling like 1/t gives an error falling like 1/t",
    statement=DISTANCE,
    proves=proves(
        DISTANCE,
        lambda noise, start: (
            sp.Max(
                noise * symbols.beta**2 * symbols.B / (symbols.beta * mu - 1),
                start * (symbols.gamma + 1) * symbols.Delta_1,
            )
            / (symbols.gamma + symbols.t)
        ),
        under=(symbols.beta * mu > 1, 4 * L * symbols.beta <= symbols.gamma + 1),
    ),
    source="Appendix A.3, induction",
    summary="The recursion (13) with eta_t = beta/(t + gamma) implies Delta_t <= v/(gamma + t) for t >= 1.",
    proof_steps=("LI-IND1", "LI-IND2"),
    assumptions=("A1, A2, A3", A4_TAKEN, SAMPLING, "eta_t <= 2 eta_{t+E}", "beta > 1/mu", "eta_1 <= 1/(4L)"),
    printed=dict(noise="1", start="1", small_first_step=True),
    controls=[
        Control("beta^2 B/(beta mu - 1) times 0.99", dict(noise="99/100")),
        Control("(gamma + 1) Delta_1 times 0.99", dict(start="99/100")),
        Control("no condition on eta_1", dict(small_first_step=False)),
    ],
)
def li_ind0_2(noise: str, start: str, small_first_step: bool) -> Evidence:
    """Induction over t: the start by the definition of v, the step by v >= beta^2 B/(beta mu - 1)."""
    entries = sp.Rational(noise) * symbols.beta**2 * B / (symbols.beta * mu - 1), (gamma + 1) * symbols.Delta_1
    claimed = sp.Max(entries[0], sp.Rational(start) * entries[1]) / (gamma + symbols.t)
    pairs = [(r, t, value) for r in recursions(small_first_step) for t, value in r.run(60)]

    def sides(case: tuple[Recursion, int, Fraction]) -> tuple[Fraction, Fraction]:
        r, t, value = case
        top = max(Fraction(noise) * r.beta**2 * r.B / (r.beta * r.mu - 1), Fraction(start) * (r.gamma + 1) * r.Delta_1)
        return value, top / (r.gamma + t)

    found = search(
        pairs, sides, describe=lambda case: f"{case[0].describe()}, t = {case[1]}: Delta_t against v/(gamma + t)"
    )
    return by_derivation(
        distance(claimed, small_first_step=small_first_step),
        found,
        valid_for="every t >= 1, beta > 1/mu, eta_1 <= 1/(4L)",
    )


def lines(one: object) -> tuple[sp.Expr, sp.Expr]:
    """Second and third line of the display; ``one`` is the 1 in t + gamma - 1."""
    k = sp.sympify(one)
    second, third = (side.subs(symbols.t, s - gamma) for side in (regrouped.left, regrouped.expression))
    return second, third + (1 - k) / s**2 * v


@identity_claim(
    "LI-IND1",
    source="Appendix A.3, third line of the induction",
    statement=regrouped,
    summary="The line is regrouped.",
    printed=dict(coefficient=1),
    controls=[Control("t + gamma - 1 -> t + gamma - 2", dict(coefficient=2))],
)
def li_ind1(coefficient: int) -> Evidence:
    """Expansion of the numerator."""
    second, third = lines(coefficient)
    point = {s: 8, symbols.beta: 2, mu: 1, v: 4, B: 1}
    found = search(
        [point],
        lambda at: (Fraction(str(second.subs(at))), Fraction(str(third.subs(at)))),
        relation="=",
        describe=lambda at: "t + gamma = 8, beta = 2, mu = 1, v = 4, B = 1",
    )
    return identical([(second, third)], found, method="expansion of the numerator", valid_for="all values")


@inequality_claim(
    "LI-IND2",
    headline="The induction step closes because a product of neighbours is below the square",
    source="Appendix A.3, last line of the induction",
    statement=induction,
    summary="The bracket is at most 0 by the choice of v, and (s-1)(s+1) <= s^2.",
    printed=dict(shift="1"),
    controls=[Control("v/(t + gamma + 1) -> v/(t + gamma + 1.01)", dict(shift="101/100"))],
)
def li_ind2(shift: str) -> Evidence:
    """Premises v >= beta^2 B/(beta mu - 1) and v >= 0; refuted instances have equality in the first."""
    k = sp.Rational(shift)
    beta = (1 + x) / mu
    third = lines(1)[1].subs(symbols.beta, beta)
    certificate = Certificate(
        third,
        v / (s + k),
        {
            "v >= beta^2 B/(beta mu - 1)": (x / s**2, v - beta**2 * B / x),
            "v >= 0": (sp.cancel(1 / (s + k) - (s - 1) / s**2), v),
        },
        [],
        ((mu, Open(0), None), (x, Open(0), None), (s, 4 * (1 + x), None)),
    )
    point = {x: 1, mu: 1, B: sp.Rational(1, 4), v: 1}
    pair = [expression.subs(point) for expression in (third, v / (s + k))]
    found = search(
        [8, 80, 800],
        lambda n: (Fraction(str(pair[0].subs(s, n))), Fraction(str(pair[1].subs(s, n)))),
        describe=lambda n: f"beta = 2, mu = 1, B = 1/4, v = 1 (the bracket is 0), t + gamma = {n}",
    )
    return certified(
        certificate,
        found,
        method="two premises with nonnegative multipliers",
        valid_for="t + gamma >= 4 beta mu, beta mu > 1, v as defined",
    )


if __name__ == "__main__":
    run_script(__file__)
