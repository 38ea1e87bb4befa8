"""Theorem B.3 of Augenstein et al. (2022): explicit bounds for 2-way Gradient Transfer, from its own recursions.

The recursions of MX-THMB3-S1.2 and MX-THMB3-S1.3, with eta' = 3e and e/2, are those of the lemmas that Appendix D.2 quotes for
1-way GT (MX-AUX-L1, MX-AUX-L2).  D0^2 and F0 depend on how the augmenting gradients are started, which the paper leaves open.
"""

from dataclasses import replace
from fractions import Fraction
from functools import partial
from typing import Any

import sympy as sp

from fltheory.evidence.decide import Tried
from fltheory.evidence.derive import Script, by_derivation
from fltheory.evidence.kinds import asymptotic_claim, run_script
from fltheory.evidence.model import Control, Evidence
from fltheory.theory.bound import Bound
from fltheory.theory.mixed2022 import one_round, recursions
from fltheory.theory.mixed2022.assembly import T
from fltheory.theory.mixed2022.one_round import beta
from fltheory.theory.mixed2022.two_way_bounds import (
    C_FINAL,
    CONVEX_FORM,
    CONVEX_TOP,
    CONVEX_WEIGHTS,
    CVX_REC,
    D0,
    F0,
    NC_FINAL,
    NC_REC,
    SC_FINAL,
    SMOOTH_TOP,
    SMOOTH_WEIGHTS,
    W,
)
from fltheory.theory.states import proves
from verify.mixed2022 import derivations, elsewhere, two_way_rate_steps
from verify.mixed2022 import two_way_line as line
from verify.mixed2022 import two_way_lower as lower
from verify.mixed2022.assembly_steps import once
from verify.mixed2022.one_way_words import TWO_WAY_SAMPLING
from verify.mixed2022.settled import for_every_constant, if_proved

R, F = sp.Rational, Fraction
#: The noise level in the form of the lemmas on recursions, as a name in statements.
LEVEL = {sp.Symbol("w"): CONVEX_FORM[recursions.c]}
HYPOTHESES = (
    *TWO_WAY_SAMPLING,
    "f_f, f_c beta-smooth",
    "eta_c = eta eta_s, eta_s >= 1, eta_m >= 1, eta_m eta_s >= sqrt(S), gt_c renewed with eta_c, J = K",
)
#: Constants of the start and of the noise, and what divides the variances.
CONSTANTS = {"convex": ("27", "2*sqrt(10)/3", "K*S,K"), "non-convex": ("48", "16", "K*S,K")}
METHOD = (
    "The recursion from the round's hypotheses, summed over the rounds, with growing weights in the strongly convex case; the step "
    "that the quoted lemma names; the start by smoothness."
)
VALID = (
    "every N, S, K >= 1, dimension, noise law; Phi and Psi as in MX-THMB3-S1.2 and S1.3; e = eta_m K eta_c chosen for T as in the "
    "quoted lemma, at most the printed one; "
)
STARTED = {
    "convex": "D0^2 = D^2 if gt_f, gt_c start at the exact gradients; for gt = 0 D0^2 = (5/4)(D^2 + (Gamma/(81 beta eta_m))^2), "
    "Gamma^2 = |grad f_f(x0)|^2 + |grad f_c(x0)|^2",
    "non-convex": "F0 = F if gt_f, gt_c start at the exact gradients; for gt = 0 and eta_m >= Gamma/(8 sqrt(beta F)) F0 = (5/4) F, "
    "Gamma^2 = |grad f_f(x0)|^2 + |grad f_c(x0)|^2",
}
explicit_claim = asymptotic_claim.sharing(source="Theorem B.3, a proof of its own")


def starts_of(case: str) -> dict[str, Script]:
    """What Phi or Psi is at most at the first model, for the two starts of the augmenting gradients."""
    kept = "chosen" if case == "non-convex" else "kept"
    return {
        "start at the gradients": once(derivations.start_of_two_way, case, "gradients", "any"),
        "start at zero": once(derivations.start_of_two_way, case, "zero", kept),
    }


def rate_scripts(case: str, widths: tuple[str, ...], bound: Bound | None = None, **options: Any) -> dict[str, Script]:
    """The explicit bound with noise, for these conditions on the widths, and without; ``options``: of the derivation."""
    smooth = case == "non-convex"
    recursion, own = (NC_REC, NC_FINAL) if smooth else (CVX_REC, C_FINAL)
    weights, top = (SMOOTH_WEIGHTS, SMOOTH_TOP) if smooth else (CONVEX_WEIGHTS, CONVEX_TOP)
    script = partial(once, derivations.two_way_rate, bound or own, recursion, tuple(map(str, weights)), top, **options)
    scripts: dict[str, Script] = {"without noise": script(noisy=False)}
    return scripts | {f"width {width}": script(width=width) for width in widths}


def sublinear(case: str, start: str, root: str, factor: str) -> Evidence:
    """start beta D0^2/n + root sqrt(W D0^2/n), W = sigma^2/.. + sigma_c^2/.. over ``factor``; 27 and (2/3) sqrt(10), 48 and 16."""
    smooth, exact = case == "non-convex", factor == "K*S,K"
    changed = (start, root, factor) != CONSTANTS[case]
    bound = NC_FINAL if smooth else C_FINAL
    if changed:
        client, central = (sp.sympify(x, locals={"K": one_round.K, "S": one_round.S}) for x in factor.split(","))
        unit = (F0, beta) if smooth else (D0, 1)
        right = explicit(unit[0], R(start), sp.sympify(root), (client, central), unit[1])
        bound = replace(bound, expression=right)
    scripts = rate_scripts(case, ("sqrt(S)", "short"), bound) | starts_of(case)

    def counterexample() -> Tried:
        slow = line.slow_steps()
        if exact:
            return for_every_constant(slow, *lower.bound_without_noise(case, start))
        known = lower.bound_with_noise(case, start, sp.sympify(root), factor)
        return for_every_constant([*slow, *line.noise_floor_steps()], *known)

    found = counterexample() if changed else Tried(len(scripts))
    settle = "smaller or larger constants"
    return by_derivation(scripts, found, method=METHOD, valid_for=VALID + STARTED[case], would_settle=settle)


def explicit(
    start: sp.Symbol, first: sp.Expr, root: sp.Expr, factor: tuple[sp.Expr, sp.Expr], unit: sp.Expr | int = 1
) -> sp.Expr:
    """first beta start/(T + 1) + root sqrt((sigma^2/factor + sigma_c^2/factor) unit start/(T + 1))."""
    noise = one_round.V / factor[0] + one_round.C / factor[1]
    return first * beta * start / (T + 1) + root * sp.sqrt(noise * unit * start / (T + 1))


FACTORS = [
    Control("sigma^2 over K^2 S", dict(factor="K*K*S,K")),
    Control("sigma^2 over K S^2", dict(factor="K*S*S,K")),
    Control("sigma_c^2 over K S", dict(factor="K*S,K*S")),
]
convex = explicit_claim(
    "MX-THMB3-S2.1",
    quick=False,
    statement=(r"\omega_t=1,\ D_0^2\ge\Phi^{(0)}:\quad ", C_FINAL),
    proves=proves(
        C_FINAL, lambda start, root, factor: explicit(D0, start, root, factor), under=two_way_rate_steps.supposed(81)
    ),
    headline="Convex rate of 2-way Gradient Transfer, with constants",
    summary="In the general convex case 2-way GT has an explicit bound, with the noise (sigma^2 + S sigma_c^2)/(KS) "
    "of Table 1.",
    elsewhere=elsewhere.TWO_WAY,
    assumptions=(*HYPOTHESES, "f_f, f_c convex", "x* a minimiser of f", "e <= 1/(81 beta)"),
    depends=("MX-LEMD3-2.1",),
    printed=dict(case="convex", start=CONSTANTS["convex"][0], root=CONSTANTS["convex"][1], factor="K*S,K"),
    controls=[Control("27 -> 5/2", dict(start="5/2")), *FACTORS],
)(sublinear)
non_convex = explicit_claim(
    "MX-THMB3-S2.3",
    quick=False,
    statement=(r"F_0\ge\Psi^{(0)}:\quad ", NC_FINAL),
    proves=proves(
        NC_FINAL,
        lambda start, root, factor: explicit(F0, start, root, factor, beta),
        under=two_way_rate_steps.supposed(24),
    ),
    headline="Non-convex rate of 2-way Gradient Transfer, with constants",
    summary="Without convexity 2-way GT has an explicit bound, with the noise (sigma^2 + S sigma_c^2)/(KS) of Table 1.",
    elsewhere=elsewhere.TWO_WAY,
    assumptions=(*HYPOTHESES, "f bounded below", "e <= 1/(24 beta)"),
    depends=("MX-LEMD3-2.1", "MX-SM-MIX[f is 2 beta-smooth, as in Proposition D.6]"),
    printed=dict(case="non-convex", start=CONSTANTS["non-convex"][0], root=CONSTANTS["non-convex"][1], factor="K*S,K"),
    controls=[Control("48 -> 29/10", dict(start="29/10")), *FACTORS],
)(sublinear)


@explicit_claim(
    "MX-THMB3-S2.2",
    proves=proves(
        SC_FINAL,
        lambda exponent: (
            R(3, 2) * one_round.mu * D0 * sp.exp(-exponent * one_round.mu * T / beta)
            + R(20, 9) * W / (one_round.mu * T) * (3 + sp.Max(R(1, 2), sp.log(R(9, 40) * one_round.mu**2 * T * D0 / W)))
        ),
        under=(one_round.mu * T >= 27 * beta, *two_way_rate_steps.supposed(81)),
    ),
    statement=(r"\omega_t=(1-\tfrac32\mu\,\eta_mK\eta_c)^{-t},\ D_0^2\ge\Phi^{(0)}:\quad ", SC_FINAL),
    headline="Strongly convex rate of 2-way Gradient Transfer, with constants",
    summary="In the strongly convex case 2-way GT has an explicit linear rate up to noise, with the exponent mu "
    "T/(54 beta). (Without noise the second term is 0.)",
    elsewhere=elsewhere.TWO_WAY,
    assumptions=(
        *HYPOTHESES,
        "f_f, f_c mu-convex, mu > 0",
        "x* the minimiser of f",
        "e <= 1/(81 beta)",
        "T >= 27 beta/mu",
    ),
    depends=("MX-LEMD3-2.1",),
    printed=dict(exponent="1/54"),
    controls=[Control("exponent 1/54 -> 1/6", dict(exponent="1/6"))],
)
def strongly_convex(exponent: str) -> Evidence:
    """The rate for both conditions on the widths and without noise; the exponential mu T/beta times ``exponent``."""
    power = sp.exp(-R(exponent) * one_round.mu * T / beta)
    bound = SC_FINAL
    if R(exponent) != R(1, 54):
        bound = replace(bound, expression=bound.expression.replace(sp.exp, lambda _: power))
    script = partial(once, derivations.two_way_weighted_rate, bound)
    scripts = {f"width {width}": script(width=width) for width in ("sqrt(S)", "short")}
    scripts |= {"without noise": script(noisy=False), **starts_of("convex")}

    def counterexample() -> str:
        return if_proved(line.geometric_steps(), lambda: lower.exponent_too_large(F(exponent)))

    text = "" if bound is SC_FINAL else counterexample()
    found = Tried(1, text, -1.0, "a counterexample; the proof stops at {gap}") if text else Tried(len(scripts))
    return by_derivation(scripts, found, method=METHOD, valid_for=f"{VALID}T >= 27 beta/mu; {STARTED['convex']}")


if __name__ == "__main__":
    run_script(__file__)
