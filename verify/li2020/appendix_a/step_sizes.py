"""Appendix A.3 of Li et al. (2020), the step sizes eta_t = 2/(mu (gamma + t)) with gamma = max{8 kappa, E} - 1.

Signs for all t, E and kappa.  From t0 = 0 on the rule gives what the proof of Lemma 3 needs, although the hypothesis of
the lemma at t = 0, eta_0 <= 2 eta_E, fails when E > 8 kappa - 1.
"""

from fractions import Fraction
from itertools import product

import sympy as sp

from fltheory.evidence.ends import nonnegative
from fltheory.evidence.exact_search import search
from fltheory.evidence.kinds import algebra_claim, run_script
from fltheory.evidence.model import Control, Evidence
from fltheory.theory.proofs import Open
from verify.li2020.symbols import L, mu

of_the_choice = algebra_claim.sharing(source="Appendix A.3, choice of the step sizes")


def step(t: int, gamma: Fraction) -> Fraction:
    """mu eta_t/2 = 1/(gamma + t)."""
    return 1 / (gamma + t)


def offset(case: tuple[Fraction, int, int], shift: int) -> Fraction:
    """gamma = max{8 kappa, E} - shift."""
    return max(8 * case[0], Fraction(case[1])) - shift


KAPPAS = (Fraction(1), Fraction(3, 2), Fraction(10))


@of_the_choice(
    "LI-A3-LR.1",
    statement=r"\eta_t=\frac{2}{\mu(\gamma+t)},\ \gamma=\max\{8\kappa,E\}-1\ \Rightarrow\ "
    r"\eta_t\le2\eta_{t+E}\quad(t\ge1)",
    summary="The step sizes at most halve over E steps, from t = 1 on.",
    printed=dict(first=1, shift=1),
    controls=[
        Control("t >= 0 instead of t >= 1", dict(first=0)),
        Control("gamma = max(8 kappa, E) - 2", dict(shift=2)),
    ],
)
def li_a3_lr_1(first: int, shift: int) -> Evidence:
    """2 (gamma + t) - (gamma + t + E) = gamma + t - E with gamma = E - shift + u, t = first + r."""
    e, u, r = sp.symbols("E u r")
    ranges = ((e, 1, None), (u, 0, None), (r, 0, None))
    gamma, t = e - shift + u, first + r
    difference = 2 * (gamma + t) - (gamma + t + e)
    found = search(
        product(KAPPAS, (1, 2, 8, 16, 200), range(first, first + 3)),
        lambda c: (step(c[2], offset(c, shift)), 2 * step(c[2] + c[1], offset(c, shift))),
        describe=lambda c: (
            f"kappa = {c[0]}, E = {c[1]}, gamma = {offset(c, shift)}, t = {c[2]}: mu eta_t/2 against mu eta_{{t+E}}"
        ),
    )
    return nonnegative(
        {"": (difference, ranges)},
        found,
        method="signs for every E, every gamma >= E - 1 and every t >= 1",
        valid_for="every E >= 1, kappa, t >= 1",
    )


@of_the_choice(
    "LI-A3-LR.2",
    statement=r"\gamma=\max\{8\kappa,E\}-1\ \Rightarrow\ \eta_1=\frac{2}{\mu(\gamma+1)}\le\frac1{4L},\ "
    r"\beta=\tfrac2\mu>\tfrac1\mu,\ \eta_t\text{ non-increasing}",
    summary="The remaining conditions on the step sizes hold.",
    printed=dict(factor="8"),
    controls=[Control("gamma = max(7.92 kappa, E) - 1", dict(factor="198/25"))],
)
def li_a3_lr_2(factor: str) -> Evidence:
    """1/(4L) - 2/(mu (gamma + 1)) with gamma + 1 = factor L/mu + u."""
    u, t = sp.symbols("u t")
    ranges = ((mu, Open(0), None), (L, mu, None), (u, 0, None), (t, 1, None))
    gamma = sp.Rational(factor) * L / mu + u - 1
    first = 1 / (4 * L) - 2 / (mu * (gamma + 1))
    falls = 2 / (mu * (gamma + t)) - 2 / (mu * (gamma + t + 1))
    found = search(
        product(KAPPAS, (1, 8, 200), (1,)),
        lambda c: (2 * step(1, max(Fraction(factor) * c[0], Fraction(c[1])) - 1), 1 / (4 * c[0])),
        describe=lambda c: f"mu = 1, L = {c[0]}, E = {c[1]}: eta_1 against 1/(4L)",
    )
    differences = {"first": (first, ranges[:3]), "falls": (falls, ranges)}
    method = "signs for every gamma + 1 >= 8 kappa"
    return nonnegative(differences, found, method=method, valid_for="every E, kappa >= 1")


@algebra_claim(
    "LI-A3-LR-S1",
    source="Appendix A.3, the first round",
    statement=r"\eta_{t_0}\le2\eta_t\quad(t_0\le t\le t_0+E-1,\ t_0\ge0)",
    headline="The first round's step sizes satisfy what the drift lemma needs after all",
    summary="What the proof of Lemma 3 needs holds from t0 = 0 on, though eta_0 <= 2 eta_E fails for E > 8 kappa - 1.",
    printed=dict(length=1),
    controls=[Control("t up to t0 + E instead of t0 + E - 1", dict(length=0))],
)
def li_a3_lr_s1(length: int) -> Evidence:
    """2 (gamma + t0) - (gamma + t), t = t0 + E - length - r; eta_0 may exceed 1/(4L), but (13) is used from t = 1."""
    e, u, r, t0 = sp.symbols("E u r t_0")
    ranges = ((e, 1, None), (u, 0, None), (r, 0, None), (t0, 0, None))
    gamma = e - 1 + u
    difference = 2 * (gamma + t0) - (gamma + t0 + e - length - r)
    found = search(
        product(KAPPAS, (1, 2, 8, 16, 200), (0, 1, 2)),
        lambda c: (step(c[2], offset(c, 1)), 2 * step(c[2] + c[1] - length, offset(c, 1))),
        describe=lambda c: (
            f"kappa = {c[0]}, E = {c[1]}, gamma = {offset(c, 1)}, t0 = {c[2]}, "
            f"t = {c[2] + c[1] - length}: mu eta_t0/2 against mu eta_t"
        ),
    )
    return nonnegative(
        {"": (difference, ranges)},
        found,
        method="signs for every E, gamma >= E - 1, t0 >= 0",
        valid_for="every E >= 1, kappa, t0 >= 0",
        numbers={
            "mu eta_0/2 at kappa = 1, E = 8": str(step(0, Fraction(7))),
            "mu eta_8 there": str(2 * step(8, Fraction(7))),
            "eta_0 against 1/(4L) at kappa = 1, E <= 8, L = 1": f"{2 * step(0, Fraction(7))} against 1/4",
        },
    )


if __name__ == "__main__":
    run_script(__file__)
