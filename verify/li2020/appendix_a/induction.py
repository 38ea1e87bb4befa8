"""Appendix A.3 of Li et al. (2020), the induction: (13) with eta_t = beta/(t + gamma) implies Delta_t <= v/(gamma + t).

The induction step is one statement in t, so that it holds for every t; refuted bounds are exceeded by the worst sequence
that the recursion allows.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

import sympy as sp

from fltheory.evidence.algebra import statement_of_algebra
from fltheory.evidence.derive import by_derivation
from fltheory.evidence.exact_search import Search, search
from fltheory.evidence.kinds import algebra_claim, identity_claim, inequality_claim, run_script
from fltheory.evidence.model import Control, Evidence
from fltheory.evidence.relations import Relations
from fltheory.theory import sampling
from fltheory.theory.states import proves
from verify.li2020.derivations.distances import distance
from verify.li2020.lemmas import A4_TAKEN, DISTANCE, SAMPLING
from verify.li2020.symbols import B, Delta_1, L, beta, gamma, mu, t


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
        for number in range(1, stop + 1):
            yield number, value
            step = self.beta / (number + self.gamma)
            value = max(Fraction(0), (1 - step * self.mu) * value + step**2 * self.B)

    def __str__(self) -> str:
        """The constants."""
        constants = f"mu = {self.mu}, beta = {self.beta}, gamma = {self.gamma}, B = {self.B}, Delta_1 = {self.Delta_1}"
        return f"(13) with equality, {constants}"


def followed(
    runs: Iterable[Recursion], bound: sp.Expr, stop: int, *, of: Fraction = Fraction(1), first: int = 1
) -> Search:
    """A multiple of Delta_t against a bound: from the ``first`` t to t = 60, and at every 500th up to ``stop``; L = 1."""
    return search(
        [(r, at, d) for r in runs for at, d in r.run(stop) if at >= first and (at <= 60 or at % 500 == 0)],
        lambda case: (of * case[2], sampling.at(bound, {**vars(case[0]), "L": 1, "t": case[1]})),
        describe=lambda case: f"{case[0]}, t = {case[1]}: {'' if of == 1 else f'{of} '}Delta_t against the bound",
    )


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


li_ind0_1 = statement_of_algebra(
    "LI-IND0.1",
    Relations("1/(4*L) <= 1/mu for mu > 0; L >= mu"),
    says=r"\min\Big\{\frac1\mu,\frac1{4L}\Big\}=\frac1{4L},\text{ that is, }",
    false={"L >= 0.24 mu instead of L >= mu": ("L >= mu", "L >= 6/25*mu")},
    group=algebra_claim,
    headline="Of the two limits on the first step the one by smoothness is always the smaller",
    source="Appendix A.3, condition on eta_1",
    summary="The minimum in the condition on eta_1 is 1/(4L), since mu <= L.",
)


def claimed(noise: sp.Expr, start: sp.Expr) -> sp.Expr:
    """v/(gamma + t), with factors of the two entries of v."""
    entries = noise * beta**2 * B / (beta * mu - 1), start * (gamma + 1) * Delta_1
    return sp.Max(*entries) / (gamma + t)


@algebra_claim(
    "LI-IND0.2",
    headline="A contracting recursion with steps falling like 1/t gives an error falling like 1/t",
    statement=DISTANCE,
    proves=proves(DISTANCE, claimed, under=(beta * mu > 1, 4 * L * beta <= gamma + 1)),
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
    bound = claimed(sp.Rational(noise), sp.Rational(start))
    return by_derivation(
        distance(bound, small_first_step=small_first_step),
        followed(recursions(small_first_step), bound, 60),
        valid_for="every t >= 1, beta > 1/mu, eta_1 <= 1/(4L)",
    )


_THIRD_LINE = "(t + gamma - 1)/(t + gamma)**2*v + (beta**2*B/(t + gamma)**2 - (beta*mu - 1)/(t + gamma)**2*v)"

li_ind1 = statement_of_algebra(
    "LI-IND1",
    Relations(
        f"(1 - beta*mu/(t + gamma))*v/(t + gamma) + beta**2*B/(t + gamma)**2 = {_THIRD_LINE} for gamma > 0; t >= 1"
    ),
    false={"t + gamma - 1 -> t + gamma - 2": ("(t + gamma - 1)", "(t + gamma - 2)")},
    group=identity_claim,
    source="Appendix A.3, third line of the induction",
    summary="The line is regrouped.",
)

li_ind2 = statement_of_algebra(
    "LI-IND2",
    Relations(
        f"{_THIRD_LINE} <= v/(t + gamma + 1) for "
        "mu > 0; beta > 1/mu; B >= 0; v >= beta**2*B/(beta*mu - 1); gamma > 0; t >= 1"
    ),
    false={"v/(t + gamma + 1) -> v/(t + gamma + 1.01)": ("v/(t + gamma + 1)", "v/(t + gamma + 101/100)")},
    group=inequality_claim,
    headline="The induction step closes because a product of neighbours is below the square",
    source="Appendix A.3, last line of the induction",
    summary="The bracket is at most 0 by the choice of v, and (s-1)(s+1) <= s^2.",
)


if __name__ == "__main__":
    run_script(__file__)
