"""Appendix A.3 of Li et al. (2020), from the distance to the value: smoothness, bound of v, final display."""

from collections.abc import Mapping
from fractions import Fraction

import sympy as sp

from fltheory.evidence import certificates
from fltheory.evidence.decide import decide
from fltheory.evidence.derive import by_derivation
from fltheory.evidence.exact_search import search
from fltheory.evidence.kinds import algebra_claim, expectation_claim, inequality_claim, run_script
from fltheory.evidence.model import Control, Evidence, Rung, Tightness
from fltheory.theory.proofs import Open, equal, nonnegative_on
from fltheory.theory.states import proves
from verify.li2020 import one_step_checks as checks
from verify.li2020 import symbols
from verify.li2020.appendix_a.induction import Recursion
from verify.li2020.derivations.theorems import gap
from verify.li2020.lemmas import A4_TAKEN, FINAL, SAMPLING
from verify.li2020.symbols import B, Delta_1, Fbar, Fstar, L, gamma, mu, wbar, wstar

ONE = sp.Integer(1)


def exactly(expression: sp.Expr, values: Mapping[sp.Symbol, Fraction | int]) -> Fraction:
    """A rational expression at exact values."""
    number = expression.subs({symbol: sp.Rational(str(value)) for symbol, value in values.items()})
    return Fraction(int(number.p), int(number.q))


@inequality_claim(
    "LI-A3-SMOOTH",
    source="Appendix A.3, after the induction",
    assumptions=("A1",),
    statement=r"\mathbb{E}F(\bar w_t)-F^\star\le\tfrac L2\Delta_t\le\tfrac L2\tfrac{v}{\gamma+t}",
    summary="Smoothness of F at its minimiser turns the bound of the distance into one of the gap.",
    depends=("LI-IND0",),
    printed=dict(half="1/2"),
    controls=[Control("L/2 -> 0.99 L/2", dict(half="99/200"))],
)
def li_a3_smooth(half: str) -> Evidence:
    """Average over the clients of A1 between w* and wbar_t; the second inequality is L/2 times the induction."""
    c = sp.Rational(half)
    return checks.averaged_inequality(
        Fbar - Fstar,
        c * L * (wbar - wstar) ** 2,
        facts={"A1 at w*": ONE},
        squares=[((c - sp.Rational(1, 2)) * L, wbar - wstar)],
        tightness=Tightness(1.0, Rung.PROOF, "equality for F_k = L/2 |w|^2"),
    )


@algebra_claim(
    "LI-A3-V",
    headline="The start and noise terms may be added; this choice of steps makes the noise term least",
    source="Appendix A.3, bound of v",
    statement=r"\max\Big\{\frac{\beta^2B}{\beta\mu-1},(\gamma+1)\Delta_1\Big\}\le\frac{\beta^2B}{\beta\mu-1}+("
    r"\gamma+1)\Delta_1\le\frac{4B}{\mu^2}+(\gamma+1)\Delta_1\quad(\beta=\tfrac2\mu)",
    summary="The maximum is at most the sum; at beta = 2/mu, which makes the noise term smallest for every B > 0 (not "
    "always the whole bound, since gamma may fall with beta), the second inequality is an equality.",
    printed=dict(beta="2"),
    controls=[Control("beta = 2.1/mu", dict(beta="21/10")), Control("beta = 1.9/mu", dict(beta="19/10"))],
)
def li_a3_v(beta: str) -> Evidence:
    """Sum less either member is the other one; beta^2/(beta mu - 1) - 4/mu^2 is (beta mu - 2)^2 over a positive one."""
    b = sp.Rational(beta) / mu
    first, second = b**2 * B / (b * mu - 1), (gamma + 1) * Delta_1
    ranges = ((mu, Open(0), None), (B, 0, None), (gamma, 0, None), (Delta_1, 0, None))
    gaps = [(first + second) - first, (first + second) - second, 4 * B / mu**2 - first]
    proved = all(nonnegative_on(gap, ranges) for gap in gaps)
    free = sp.symbols("beta_")
    best = equal(free**2 / (free * mu - 1) - 4 / mu**2, (free * mu - 2) ** 2 / (mu**2 * (free * mu - 1)))
    found = search(
        [Fraction(beta)],
        lambda r: (r**2 / (r - 1), Fraction(4)),
        describe=lambda r: f"mu = 1, B = 1, beta = {r}, Delta_1 = 0: beta^2 B/(beta mu - 1) against 4 B/mu^2",
    )
    return decide(
        (proved and best, "sign"),
        found,
        method="signs; beta^2/(beta mu - 1) is smallest at beta = 2/mu (identity)",
        valid_for="B, Delta_1 >= 0",
        tightness=Tightness(1.0, Rung.PROOF, "equality when B = 0 or Delta_1 = 0"),
        certificate={str(i): certificates.nonnegative(gap, ranges) for i, gap in enumerate(gaps)} if proved else None,
    )


@expectation_claim(
    "LI-A3-FIN",
    headline="The error falls like 1/t at every step, with step sizes shifted by one index",
    source="Appendix A.3, last display",
    statement=FINAL,
    proves=proves(
        FINAL,
        lambda noise, start: L / mu / (gamma + symbols.t) * (noise * B / mu + start * mu * (gamma + 1) * Delta_1),
        under=(gamma + 1 >= 8 * L / mu, gamma >= symbols.E - 1),
    ),
    depends=("LI-A3-SMOOTH",),
    proof_steps=("LI-EQ13", "LI-IND0", "LI-A3-SMOOTH", "LI-A3-LR", "LI-A3-V"),
    assumptions=("A1, A2, A3", A4_TAKEN, SAMPLING, "eta_t = 2/(mu (gamma + t)), gamma = max{8 kappa, E} - 1"),
    summary="The O(1/t) bound, equal to (4) at t = T after gamma -> gamma + 1; its step sizes are those of Theorem 1 "
    "shifted by one index.",
    printed=dict(noise="2", start="1/2"),
    controls=[
        Control("2B/mu -> 1.98 B/mu", dict(noise="99/50")),
        Control("mu (gamma+1)/2 -> 0.99 mu (gamma+1)/2", dict(start="99/200")),
    ],
)
def li_a3_fin(noise: str, start: str) -> Evidence:
    """Theorem 1 with the step sizes of A.3, gamma_theorem = gamma + 1; compared with (4)."""
    c, d = sp.Rational(noise), sp.Rational(start)
    bound = L / mu / (gamma + symbols.t) * (c * B / mu + d * mu * (gamma + 1) * Delta_1)
    theorem_gamma, T = sp.symbols("gamma_theorem T")
    printed_4 = L / mu / (theorem_gamma + T - 1) * (2 * B / mu + mu * theorem_gamma / 2 * Delta_1)
    same = equal(FINAL.expression.subs({gamma: theorem_gamma - 1, symbols.t: T}), printed_4)
    starts = ((Fraction(0), Fraction(1)), (Fraction(1), Fraction(0)))
    recursions = [Recursion(Fraction(2), Fraction(7), Fraction(1), *start) for start in starts]
    runs = [(r, t, value) for r in recursions for t, value in r.run(1500) if t <= 8 or t % 500 == 0]

    def sides(case: tuple[Recursion, int, Fraction]) -> tuple[Fraction, Fraction]:
        r, t, value = case
        at = {L: 1, mu: r.mu, gamma: r.gamma, symbols.t: t, B: r.B, Delta_1: r.Delta_1}
        return value / 2, exactly(bound, at)

    found = search(
        runs,
        sides,
        describe=lambda case: f"{case[0].describe()}, L = 1, t = {case[1]}: (L/2) Delta_t against the bound",
    )
    return by_derivation(
        gap(bound.subs(gamma, gamma - 1), "full", "-1"),
        found,
        valid_for="every t >= 1 at which (13) holds up to t - 1",
        numbers={"equal to (4) at gamma = gamma_theorem - 1, t = T": same},
    )


if __name__ == "__main__":
    run_script(__file__)
