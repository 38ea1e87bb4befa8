"""Appendix D.2.1 of Augenstein et al. (2022): the strongly convex rate of 1-way Gradient Transfer with constants, its weights.

The quoted lemma gives the weighted average of x^(0)..x^(T) when D belongs to x^(0); the printed average of x^(1)..x^(T+1) has
the same order.
"""

from __future__ import annotations

from fractions import Fraction
from functools import partial

import sympy as sp

from fltheory.evidence.derive import by_derivation
from fltheory.evidence.ends import tried
from fltheory.evidence.exact_search import search
from fltheory.evidence.kinds import algebra_claim, asymptotic_claim, run_script
from fltheory.evidence.model import Control, Evidence
from fltheory.evidence.witness import Side, Witness
from fltheory.theory.mixed2022 import assembly, one_round, recursions
from fltheory.theory.mixed2022.assembly import SC_FINAL
from fltheory.theory.mixed2022.one_round import S, beta, mu
from fltheory.theory.proofs import Open
from fltheory.theory.reductions import convexity
from fltheory.theory.steps import Step, identity, sign
from fltheory.theory.values import exact_value
from verify.mixed2022 import assembly_steps, derivations
from verify.mixed2022.assembly_steps import ChainOfRounds
from verify.mixed2022.settled import settle

R, ONE, ZERO = sp.Rational, Fraction(1), Fraction(0)
VALID = "every N, S <= N, K >= 1, dimension, all noise laws; eta with K eta eta_s equal to the step named"


KEPT = 1 - R(3, 2) * mu * one_round.e


def weights(direction: str) -> Evidence:
    """The weights q^(1-r) of neighbours, q = 1 - 3 mu e/2."""
    each = [Side(f"weight of r = {r}", KEPT ** (1 - r)) for r in (1, 2)]
    first, second = each if direction == "increasing" else each[::-1]
    run = Witness({mu: 1, beta: 1, one_round.e: R(1, 8)}, first, "<=", second, [(8 * beta * one_round.e, "<=", 1)])
    script = partial(derivations.growing_weights, KEPT, direction)
    return by_derivation(script, tried(run), method="Neighbouring weights.")


of_weights = algebra_claim.sharing(source="Appendix D.2.1, weights of the average")
decreasing = of_weights(
    "MX-SC-FINAL.2",
    fault="slip",
    statement=r"(1-\tfrac{3\mu\tilde\eta}2)^{1-r}\ \text{decreases in}\ r",
    repair="MX-SC-FINAL.2-R1",
    headline="The weights of the average are called decreasing, and they increase",
    summary="The weights are called geometrically decreasing; they increase: later models weigh more (as they should).",
    printed=dict(direction="decreasing"),
    controls=[Control("increasing", dict(direction="increasing"), must="pass")],
)(weights)
increasing = of_weights(
    "MX-SC-FINAL.2-R1",
    statement=r"(1-\tfrac{3\mu\tilde\eta}2)^{1-r}\ \text{increases in}\ r",
    summary="The weights increase geometrically.",
    printed=dict(direction="increasing"),
    controls=[Control("decreasing", dict(direction="decreasing"))],
)(weights)


def exp_above(x: Fraction) -> Fraction:
    """A rational number above exp(-x), x >= 0."""
    n = max(1, int(x)) * 8
    part = x / n
    return 1 / (1 + part + part**2 / 2) ** n


_lam, _exp = sp.symbols("Lambda exponential")


def parts(expression: sp.Expr) -> tuple[sp.Expr, sp.Expr, sp.Expr, sp.Expr]:
    """A rate ``start exp(exponent) + constant + slope max(1/2, log x)``: start, exponent, x, constant + slope Lambda."""
    (largest,) = expression.atoms(sp.Max)
    (logarithm,) = largest.atoms(sp.log)
    (exponential,) = expression.atoms(sp.exp)
    plain = sp.expand(expression.subs(largest, _lam).subs(exponential, _exp))
    return sp.diff(plain, _exp), exponential.args[0], logarithm.args[0], plain.subs(_exp, 0)


def rate_of(first: int, start: sp.Expr, noise: sp.Expr) -> sp.Expr:
    """The claimed rate: SC_FINAL with Lambda (1 + first) times, its start times ``start`` and its noise times ``noise``."""
    begin, _, _, rest = parts(SC_FINAL.expression)
    return start * begin * _exp + noise * rest.subs(_lam, (1 + first) * _lam)


def strongly_convex(first: int, start: str, noise: str) -> Evidence:
    """The explicit rate times ``start`` and ``noise`` for the weighted average of x^(first)..x^(first+T)."""
    mu2, h = R(3, 2) * mu, 1 / (8 * beta)
    factor = R(20, 17)
    claimed = rate_of(first, R(start), R(noise))
    recursion = assembly.CVX_REC_SHARP.expression
    level = R(23, 10) * one_round.noise(sp.Integer(1), sp.Integer(1))
    at = {
        recursions.mu: mu2,
        recursions.h: h,
        recursions.c: level,
        recursions.d0: assembly.D2,
        recursions.R: assembly.T,
    }
    begin, exponent, inside, rest = (x.subs(at, simultaneous=True) for x in parts(recursions.LINEAR.expression))
    proved = factor * (begin * _exp + rest.subs(_lam, (1 + first) * _lam))
    _, shown_exponent, shown_inside, _ = parts(SC_FINAL.expression)
    q, power = sp.symbols("q power")  # power = q^n <= q
    amounts = ((beta, Open(0), None), (mu, Open(0), beta), (one_round.K, 1, None), (S, 1, None), (one_round.V, 0, None))
    amounts += ((one_round.C, 0, None), (assembly.D2, 0, None), (assembly.T, 1, None), (_lam, 0, None), (_exp, 0, None))

    def within(name: str, difference: sp.Expr) -> Step:
        found = sp.cancel(difference)
        return sign(name, found, tuple(r for r in amounts if r[0] in found.free_symbols | {beta}))

    steps = [
        *convexity(),
        identity("contraction 1 - 3 mu e/2", sp.diff(recursion, one_round.w2), 1 - mu2 * one_round.e),
        within("decrease at least 17/20", -sp.diff(recursion, one_round.gap) / one_round.e - 1 / factor),
        within("noise of the recursion", level - recursion.subs({one_round.w2: 0, one_round.gap: 0}) / one_round.e**2),
        identity("exponent of MX-AUX-L1", exponent, shown_exponent),
        identity("logarithm of MX-AUX-L1", inside, shown_inside),
        identity("threshold 1/(2 eta_max mu')", 1 / (2 * h * mu2), 8 * beta / (3 * mu)),
        sign("mu' eta_max < 1", 1 - mu2 * h, ((beta, Open(0), None), (mu, 0, beta))),
        # shifted start: d_1 <= q d_0 + c e^2 adds c e (1-q) q^n/(1-q^n) <= c e, as 1 - q^n >= 1 - q: c e twice, Lambda twice
        sign("shift", 1 - (1 - q) * power / (1 - power), ((q, 0, Open(1)), (power, 0, q))),
        within("the claim is at least what MX-AUX-L1 gives", claimed - proved),
    ]

    def sides(case: tuple[int, Fraction, Fraction]) -> tuple[Fraction, Fraction]:
        T, begin, centre = case
        d0 = begin**2
        top = ONE / 8
        lam = Fraction(1, 2) if centre else ZERO  # log(45/46 T D^2/noise) is below 1/2 in these cases
        e = min(top, lam / (Fraction(3, 2) * T)) if centre else top
        own = 1 - Fraction(3, 2) * e
        chain = ChainOfRounds((ONE, ONE), begin, e, ZERO, centre)
        values = {
            beta: 1,
            mu: 1,
            one_round.K: 1,
            S: 2,
            one_round.V: 0,
            one_round.C: centre,
            assembly.D2: d0,
            assembly.T: T,
        }
        right = exact_value(claimed, {**values, _lam: lam, _exp: exp_above(Fraction(3 * T, 16))})
        return chain.average_gap([own ** (-r) for r in range(T + 1)], first), right

    cases = [(T, d0, c) for T in (3, 10) for d0, c in ((ONE, ZERO), (Fraction(1, 100), ONE))]
    found = search(
        cases,
        sides,
        describe=lambda c: (
            f"f_f = f_c = x^2/2, mu = beta = 1, K = 1, S = 2, T = {c[0]}, D^2 = {c[1] ** 2}, sigma_c^2 = {c[2]}, "
            f"average from x^({first}) against an upper estimate of the bound"
        ),
    )
    return settle(
        steps,
        found,
        valid_for=VALID + ", T >= 8 beta/(3 mu)",
        method="sharpened recursion (every S) divided by its decrease, MX-AUX-L1 with mu' = 3 mu/2, eta_max = 1/(8 beta), R = "
        "T; Jensen's inequality for the weighted average, by induction over its points; the exported rate term by term; "
        "for the shifted average d_1 <= (1 - mu' e) d_0 + c e^2 adds at most one more noise term c e",
    )


SC_CONDITIONS = (
    *assembly_steps.HYPOTHESES,
    "f_f, f_c mu-convex, mu > 0",
    "eta_s > sqrt(5S/8)",
    "T >= 8 beta/(3 mu)",
    "effective step of MX-AUX-L1, at most 1/(8 beta)",
)
of_the_rate = asymptotic_claim.sharing(source="Appendix D.2.1, strongly convex case", assumptions=SC_CONDITIONS)
sc_rate = of_the_rate(
    "MX-SC-FINAL.1",
    headline="Strongly convex rate of 1-way transfer, with constants and for every cohort size",
    statement=SC_FINAL,
    depends=("MX-CVX-REC-S1", "MX-CVX-EXP", "MX-AUX-L1"),
    summary="The O~ statement with constants, for every cohort size (the printed recursion gives none at S = 1). Exponent "
    "3/16 and threshold 8/(3 mu) are those of the quoted lemma; average of x^(0)..x^(T), weights (1 - 3 mu e/2)^(-t).",
    printed=dict(first=0, start="1", noise="1"),
    controls=[Control("start divided by 8", dict(start="1/8")), Control("noise times 0.004", dict(noise="4/1000"))],
)(strongly_convex)
sc_shifted = of_the_rate(
    "MX-SC-FINAL.3",
    headline="The average printed, one round later, has the same strongly convex rate up to constants",
    statement=(SC_FINAL, r"\quad\text{(twice the right side), average of}\ x^{(1)},\ldots,x^{(T+1)}"),
    summary="The printed average x^(1)..x^(T+1) with D at x^(0) has the same order: the logarithm counts twice, nothing else "
    "changes, so that twice the constants are enough.",
    depends=("MX-SC-FINAL.1", "MX-AUX-L1"),
    printed=dict(first=1, start="1", noise="1"),
    controls=[Control("start times 0.07", dict(start="7/100")), Control("noise times 0.003", dict(noise="3/1000"))],
)(strongly_convex)


if __name__ == "__main__":
    run_script(__file__)
