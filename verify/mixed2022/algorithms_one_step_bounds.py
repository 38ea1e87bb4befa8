"""Appendix A.3 of Augenstein et al. (2022): the bounds hold for K >= 2; those of 1-way GT need no K >= 2.

Where Appendix D.2 compares K with constants, K >= 1 suffices.  At K = 1 1-way GT is SGD on f, a sum of two beta-smooth
mu-convex losses, hence 2 beta-smooth and 2 mu-convex, with gradient variance sigma^2/S + sigma_c^2.  Both one-round
recursions from which Theorem B.2 is derived hold then as well, with room.
"""

from __future__ import annotations

from fractions import Fraction

import sympy as sp

from fltheory.evidence.model import Control, Evidence
from fltheory.theory.proofs import Open
from fltheory.theory.steps import Instance, Step, identity, inequality, sign
from verify.mixed2022.declared import algebra_claim, expectation_claim
from verify.mixed2022.settled import settle

F = Fraction
e, z, G, gap, beta, mu, S, Vf, Vc, K = sp.symbols("e z G gap beta mu S V_f V_c K")
RANGES = ((beta, Open(0), None), (mu, 0, beta), (S, 1, None), (gap, 0, None), (Vf, 0, None), (Vc, 0, None))


def recursion(convex: bool, top: str, noise: str) -> tuple[Step, list[Instance]]:
    """f is 2 beta-smooth and 2 mu-convex; one SGD step of length e with variance V_f + V_c (sigma^2/S and sigma_c^2)."""
    largest, scale = sp.sympify(top, locals={"beta": beta}), sp.Rational(noise)
    ranges = (*RANGES, (e, 0, largest))
    if convex:
        left = z**2 - 2 * e * z * G + e**2 * (G**2 + Vf + Vc)
        right = (1 - sp.Rational(3, 2) * mu * e) * z**2 - (1 - 1 / S) * e * gap + scale * e**2 * (5 * Vf + 3 * Vc)
        premises = {
            "2 mu-convexity at the optimum": (2 * e, z * G - gap - mu * z**2),
            "|grad f|^2 <= 4 beta gap": (e**2, 4 * beta * gap - G**2),
        }
        step = inequality("recursion", left, right, premises=premises, squares=[(mu * e / 2, z)], ranges=ranges)
    else:
        left = gap - e * G**2 + beta * e**2 * (G**2 + Vf + Vc)
        right = gap - e * G**2 / 3 + scale * beta * e**2 * (3 * Vf + 2 * Vc)
        step = inequality(
            "recursion", left, right, premises={}, squares=[(e * (sp.Rational(2, 3) - beta * e), G)], ranges=ranges
        )
    instances = []
    for quiet in (0, 1):
        at = (
            {beta: 1, mu: 0, S: 100, e: largest.subs(beta, 1), z: 1, G: 2, gap: 1, Vf: 0, Vc: 0}
            if quiet
            else {beta: 1, mu: 0, S: 100, e: largest.subs(beta, 1), z: 0, G: 0, gap: 0, Vf: 1, Vc: 1}
        )
        name = "f_f=f_c=x^2/2, x=1, no noise" if quiet else "f_f=f_c=x^2/2, x=0, noise 1 and 1"
        sides = [F(str(sp.Rational(side.subs(at)))) for side in (left, right)]
        instances.append(Instance(f"K=1, S=100, {name}, step {at[e]}", *sides))
    return step, instances


WORDS = (
    r"E\|x^+-x^*\|^2\le(1-\tfrac{3\mu\tilde\eta}2)\|x-x^*\|^2-\tfrac{S-1}S\tilde\eta(f-f^*)+(\tfrac{5\sigma^2}S+3\sigma_c^2)"
    r"\tilde\eta^2,\ \tilde\eta\le\tfrac1{8\beta}"
)
NONCONVEX = (
    r"Ef(x^+)\le f(x)-\tfrac13\tilde\eta\|\nabla f\|^2+(\tfrac{3\sigma^2}S+2\sigma_c^2)\beta\tilde\eta^2,\ "
    r"\tilde\eta\le\tfrac1{18\beta}"
)


def at_one_step(convex: bool, top: str, noise: str) -> Evidence:
    """One step of SGD on f: convexity and smoothness with explicit multipliers."""
    step, instances = recursion(convex, top, noise)
    return settle(
        (step,),
        instances,
        method=(
            "At K = 1 1-way GT, and Parallel Training at matched rates, is SGD on f: convexity and smoothness of f with explicit "
            "multipliers (Gram reduction)"
        ),
        valid_for="every N, S >= 1, d, eta_s; independent batches, unbiased g_c",
    )


@expectation_claim(
    "MX-A3-K2-S1",
    source="Appendix A.3; Appendix D.2.1 at K = 1",
    statement=WORDS,
    summary="The convex recursion behind Theorem B.2 holds at K = 1, without the condition on eta_s.",
    printed=dict(convex=True, top="1/(8*beta)", noise="1"),
    controls=[
        Control("steps up to 1/beta", dict(top="1/beta")),
        Control("noise constants times 0.19", dict(noise="19/100")),
    ],
)
def convex_at_one(convex: bool, top: str, noise: str) -> Evidence:
    return at_one_step(convex, top, noise)


@expectation_claim(
    "MX-A3-K2-S2",
    source="Appendix A.3; Appendix D.2.2 at K = 1",
    statement=NONCONVEX,
    summary="The non-convex recursion behind Theorem B.2 holds at K = 1, without the condition on eta_s.",
    printed=dict(convex=False, top="1/(18*beta)", noise="1"),
    controls=[
        Control("steps up to 1/beta", dict(top="1/beta")),
        Control("noise constants times 0.3", dict(noise="3/10")),
    ],
)
def nonconvex_at_one(convex: bool, top: str, noise: str) -> Evidence:
    return at_one_step(convex, top, noise)


@algebra_claim(
    "MX-A3-K2",
    source="Appendix A.3, second paragraph; Table 1; Appendix D.2",
    statement=r"K\ge2:\quad K+1\le2K,\qquad\sum_{j<k}\big(\tfrac{K+1}K\big)^j\le\sum_{j<K}\big(1+\tfrac{163}{162K}\big)^j"
    r"\le2K\quad(k\le K)",
    summary="The bounds are stated for K >= 2. The steps of Appendix D.2 that compare K with constants (Lemmas D.11, D.13) hold "
    "for those K, and already for K = 1 (so do the recursions: MX-A3-K2-S1, -S2): for 1-way GT K >= 2 is harmless, not needed.",
    depends=("MX-A3-K2-S1", "MX-A3-K2-S2"),
    printed=dict(least=2, double="2", total="2"),
    controls=[Control("K + 1 <= 1.49 K", dict(double="149/100")), Control("sum <= 1.71 K", dict(total="171/100"))],
)
def stated_for_two(least: int, double: str, total: str) -> Evidence:
    """The sum is ((1 + q/K)^K - 1) K/q, q = 163/162; the binomial terms t_j have t_1 = q, t_2 <= q^2/2, t_(j+1) <= t_j q/3."""
    once, most, q = sp.Rational(double), sp.Rational(total), sp.Rational(163, 162)
    j, ratio, power = sp.symbols("j r power", positive=True)
    proof = [
        sign("K + 1 against 2 K", once * K - (K + 1), ((K, least, None),)),
        identity(
            "growth factor of Lemma D.13 at the largest step", (K + 1) / K + 2 / sp.Integer(18) ** 2 / K, 1 + q / K
        ),
        identity(
            "geometric sum, one more term",
            (ratio**j - 1) / (ratio - 1) + ratio**j,
            (ratio * ratio**j - 1) / (ratio - 1),
        ),
        identity("its denominator", (power - 1) / ((1 + q / K) - 1), (power - 1) * K / q),
        identity("t_(j+1)/t_j", (K - j) / (j + 1) * q / K, q / (j + 1) - q * j / (K * (j + 1))),
        sign("which is at most q/(j+1)", q * j / (K * (j + 1)), ((j, 0, None), (K, 1, None))),
        sign("and q/3 from j = 2 on", q / 3 - q / (j + 1), ((j, 2, None),)),
        sign("(t_1 + t_2/(1 - q/3))/q against the bound", most - (1 + q / 2 / (1 - q / 3)), ()),
    ]
    instances = []
    for many in (least, 8 * least, 256 * least):
        instances.append(Instance(f"K={many}: K + 1", F(many + 1), F(str(once)) * many))
        geometric = sum(((1 + F(163, 162 * many)) ** i for i in range(many)), F(0))
        instances.append(Instance(f"K={many}: sum over j < K", geometric, F(str(most)) * many))
    return settle(
        proof,
        instances,
        method="Signs on K >= 2; the binomial series of (1 + q/K)^K term by term (every K >= 1); the sums grow with k and with q.",
        valid_for="every K >= 2 (and K = 1)",
    )


if __name__ == "__main__":
    from fltheory.evidence.runner import run_script

    run_script(__file__)
