"""Appendix D.2.2 of Augenstein et al. (2022): the explicit rate of 1-way Gradient Transfer without convexity.

54 and 6 are what the recursion and the quoted lemma yield for min over x^(0)..x^(T) of E|grad f|^2.  The document has the points
x^(1)..x^(T+1), which the sharpened recursion covers, and leaves the expectation to the theorem.
"""

from dataclasses import replace

import sympy as sp

from fltheory.evidence.derive import by_derivation
from fltheory.evidence.ends import by_witness, tried
from fltheory.evidence.kinds import expectation_claim, run_script
from fltheory.evidence.model import Control, Evidence, Rung, Tightness
from fltheory.evidence.witness import Side, Witness
from fltheory.theory.bound import Bound
from fltheory.theory.mixed2022 import assembly
from fltheory.theory.mixed2022.assembly import NC_FINAL, NC_FINAL_SHARP, NC_REC, NC_REC_SHARP
from fltheory.theory.mixed2022.one_round import C, S, beta, e, eta_s, noise
from fltheory.theory.states import proves
from verify.mixed2022 import assembly_steps, derivations
from verify.mixed2022.assembly_steps import at_scale, for_every_noise, line

R = sp.Rational
BEFORE, AFTER = (NC_REC, *derivations.PRINTED_SMOOTH), (NC_REC_SHARP, *derivations.SHARP_SMOOTH)
#: What the derivations suppose of the rates.
UNDER = (18 * beta * e <= 1, eta_s**2 >= S)
METHOD = (
    "The recursion from the round's hypotheses, summed over the rounds, with the least for the mean; the step is the smaller one "
    "of its limit and the one that balances start and noise."
)


def rate(bound: Bound, recursion: tuple[object, ...], level: sp.Expr, first: int) -> Evidence:
    """From the recursion to the bound for x^(first)..x^(first+T); the start on the line."""
    scripts = for_every_noise(derivations.smooth_rate, bound, *recursion, level=level, first=first)
    run = line(bound, "gradient", first, start="F", F=1, C=0, step=R(1, 18), level=level)
    return by_derivation(scripts, tried(run), valid_for=assembly_steps.VALID, method=METHOD)


def single_run() -> Witness:
    """f_f = 0, f_c = x^2/2, T = 0: central noise m with probability 1/(1 + m^2), else -1/m, of variance 1."""
    m, x = sp.symbols("m x")
    at = {m: 1000, x: 1, assembly.F: R(1, 2), e: R(1, 18), C: 1, "V": 0, "K": 1, "S": 1, beta: 1, assembly.T: 0}
    mean, variance = m / (1 + m**2) - m**2 / (1 + m**2) / m, m**2 / (1 + m**2) + m**2 / (1 + m**2) / m**2
    given = [(assembly.F, "=", x**2 / 2), (mean, "=", 0), (variance, "=", C), (e, "<=", 1 / (18 * beta))]
    words = "f_f = 0, f_c = x^2/2, central noise m with probability 1/(1 + m^2), else -1/m; the run with noise m"
    after = Side("|grad f(x^(1))|^2", (x - e * (x + m)) ** 2)
    return Witness(at, after, "<=", Side("the bound", NC_FINAL.expression), given, words)


def nonconvex_rate(first: int, scale: str, expected: bool = True) -> Evidence:
    """min over x^(first)..x^(first+T) of E|grad f|^2 against the printed bound times ``scale``; or of one run."""
    if not expected:
        return by_witness(single_run(), rung=Rung.PROOF)
    found = rate(at_scale(NC_FINAL, scale), AFTER if first else BEFORE, assembly.NOISE_NC * beta, first)
    return replace(found, tightness=Tightness(9 / 4, Rung.PROOF, "24 beta F/(T+1) instead of 54 (MX-NC-FINAL-S1)"))


NC_CONDITIONS = (
    *assembly_steps.HYPOTHESES,
    "eta_s >= sqrt(S)",
    "effective step min(1/(18 beta), sqrt(F/(c beta(T+1))))",
)
of_rate = expectation_claim.sharing(assumptions=NC_CONDITIONS)
of_final_bound = of_rate.sharing(
    source="Appendix D.2.2, final bound",
    statement=NC_FINAL,
    proves=proves(
        NC_FINAL,
        lambda scale: scale * 3 * assembly.sublinear(assembly.F, assembly.NOISE_NC * beta, 1 / (18 * beta)),
        under=UNDER,
    ),
)
nc_zero = of_final_bound(
    "MX-NC-FINAL[expectation inside, x^(0)..x^(T)]",
    statement=replace(NC_FINAL, left=assembly.LEAST_FROM_0),
    printed=dict(first=0, scale="1"),
    depends=("MX-NC-REC[f_f and f_c beta-smooth]", "MX-LEMD3-2.1"),
    summary="The indices of the recursion; 54 = 3 18 and 6 = 2 3 are what it yields.",
    controls=[Control("bound divided by 14", dict(scale="1/14"))],
)(nonconvex_rate)
nc_one = of_final_bound(
    "MX-NC-FINAL[expectation inside, x^(1)..x^(T+1)]",
    headline="The non-convex rate holds in expectation for the printed iterates",
    printed=dict(first=1, scale="1", expected=True),
    depends=("MX-LEMD3-2.1", "MX-SM-MIX[f is 2 beta-smooth, as in Proposition D.6]"),
    summary="The printed indices with F at x^(0): one more round of noise, paid by the sharpened recursion. The expectation is "
    "that of Theorem B.2; the display has none (row MX-NC-FINAL[a single run, as displayed]).",
    controls=[Control("bound divided by 18", dict(scale="1/18")), Control("a single run", dict(expected=False))],
)(nonconvex_rate)


nc_one_run = of_final_bound(
    "MX-NC-FINAL[a single run, as displayed]",
    statement=replace(NC_FINAL, left=NC_FINAL.left.replace(r"\mathbb{E}", "")),
    headline="Without an expectation a single unlucky run breaks the non-convex rate",
    printed=dict(first=1, scale="1", expected=False),
    fault="slip",
    repair="MX-NC-FINAL[expectation inside, x^(1)..x^(T+1)]",
    summary="The display has no expectation, and in a single run a rare large central gradient breaks the bound. Theorem B.2 "
    "speaks of expectations.",
    controls=[Control("in expectation", dict(expected=True), must="pass")],
)(nonconvex_rate)


@of_rate(
    "MX-NC-FINAL-S1",
    source="Appendix D.2.2, sharpened",
    statement=NC_FINAL_SHARP,
    proves=proves(
        NC_FINAL_SHARP,
        lambda scale: (
            R(4, 3) * scale * assembly.sublinear(assembly.F, R(3, 2) * beta * noise(R(1), R(1)), 1 / (18 * beta))
        ),
        under=UNDER,
    ),
    headline="Non-convex rate of 1-way transfer with less than half of the constant",
    summary="24 suffices instead of 54, and at most sqrt(32/3) instead of 6 sqrt(2) (for x^(0)..x^(T)).",
    depends=("MX-LEMD3-2.1", "MX-SM-MIX[f is 2 beta-smooth, as in Proposition D.6]"),
    printed=dict(scale="1"),
    controls=[Control("bound divided by 7", dict(scale="1/7"))],
)
def nc_sharp(scale: str) -> Evidence:
    """Decrease 3/4, noise 3/2."""
    return rate(at_scale(NC_FINAL_SHARP, scale), AFTER, R(3, 2) * beta * noise(R(1), R(1)), 0)


if __name__ == "__main__":
    run_script(__file__)
