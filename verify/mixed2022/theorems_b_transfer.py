"""Theorem B.2 of Augenstein et al. (2022): the numbers of rounds of 1-way Gradient Transfer.

The explicit bounds of Appendix D.2 (rows MX-C-FINAL-S1, MX-NC-FINAL) are inverted, for every cohort size; in the strongly convex
case the step 1/(8 beta + (92/17) nu/eps), nu = sigma^2/(KS) + sigma_c^2, needs a shorter proof and smaller constants than the one
chosen for T.  Those of 2-way Gradient Transfer are in two_way_orders.
"""

from collections.abc import Callable
from fractions import Fraction

import sympy as sp

from fltheory.evidence.decide import Tried
from fltheory.evidence.derive import Script, by_derivation
from fltheory.evidence.ends import by_proof, by_witness, tried
from fltheory.evidence.kinds import asymptotic_claim, inequality_claim, run_script
from fltheory.evidence.model import Control, Evidence, Rung
from fltheory.evidence.witness import Side, Witness
from fltheory.theory.mixed2022 import assembly, one_round, orders
from fltheory.theory.mixed2022.orders import CASES, D2, NOISE_SCALE, SHORT, C, K, S, V, beta, mu, order
from fltheory.theory.states import proves
from fltheory.theory.steps import Step
from verify.mixed2022 import derivations
from verify.mixed2022.assembly_steps import for_every_noise, once
from verify.mixed2022.one_way_words import SAMPLING
from verify.mixed2022.parallel_training_rates import SUPPOSED

R, F = sp.Rational, Fraction


def rounds_needed(variance: Fraction, eps: Fraction) -> Fraction:
    """f_f = f_c = x^2/4, x0^2 = 4 eps: a lower bound on T for every constant effective step e < 1.

    E x_T^2 stays above the smaller of x0^2 and e variance/(2 - e), and above x0^2 (1 - e)^(2T) >= 4 eps (1 - 2 e T).  Error below
    eps needs E x_T^2 < 2 eps, hence e < 4 eps/variance and T >= 1/(4 e) > variance/(16 eps).
    """
    return variance / (16 * eps)


def does_not_fall(case: str, central: sp.Expr, constant: int = 10**4) -> str:
    """A run with K local steps whose T is above ``constant`` times the order; empty where none is found."""
    for power in range(1, 16):
        many, variance = 10 ** (2 * power), F(10) ** power
        least = rounds_needed(variance, F(1, 2) if case == "non-convex" else F(1))  # |grad f|^2 = x^2 < eps there
        at = {V: 0, C: R(str(variance)), K: many, S: 1, mu: R(1, 2), beta: R(1, 2), orders.eps: 1, D2: 4, orders.F: 2}
        noise = (central / (K * S) * C * NOISE_SCALE[case]).subs(at)
        value = constant * (F(str(noise)) + 4)  # the optimisation term is at most 4
        if least > value:
            return (
                f"f_f = f_c = x^2/4, eps = 1, sigma = 0, S = 1, K = {many}, sigma_c^2 = {variance}: T >= {least} (last model, "
                f"every constant step), {constant} times the order is {value}"
            )
    return ""


def one_way(case: str, factor: str, rounds: tuple[str, str]) -> Evidence:
    """Printed order times constants from the explicit bound; else a run whose T does not fall with K."""
    words = dict(
        method="The rate of Appendix D.2 from the round's hypotheses, and each of its two terms at most eps/2.",
        numbers={"constant of the optimisation term": rounds[0], "constant of the noise term": rounds[1]},
        valid_for="every N, S >= 1, K >= 1, dimension and noise law; effective step at most the printed one, chosen for eps; "
        "error: f - f* at the (weighted) average (convex), least E|grad f|^2 (non-convex); log(1/eps) as log(1 + 60 mu "
        "D^2/(17 eps)), which also multiplies the noise term",
        would_settle="a smaller or larger constant",
    )
    whole = order("1-w GT", case).expression
    central = sp.sympify(factor, locals={"K": K, "S": S})
    changed = factor != "K*S"
    if changed:
        whole = (V + central * C) / (K * S) * NOISE_SCALE[case] + orders.OPTIMISATION[case]
    text = does_not_fall(case, central) if changed else ""
    scripts = rounds_of(case, whole, rounds)
    return by_derivation(scripts, Tried(len(scripts), text, -1.0 if text else None), **words)


def rounds_of(case: str, whole: sp.Expr, rounds: tuple[str, str], least: str = "1") -> dict[str, Script]:
    """Constants times the terms of an order are enough rounds, for cohorts of ``least`` clients and more."""
    if case == "strongly convex":
        given = (whole, rounds, assembly.CVX_REC_SHARP, *derivations.SHARP_CONVEX)
        return {"order": once(derivations.one_way_order, *given, least=least)}
    bound, recursion, level, script = RATES[case]
    options = dict(level=level, first=int(case == "non-convex"), order=(whole, rounds))
    return for_every_noise(script, bound, *recursion, **options)


#: The explicit bound, its recursion, and the noise for which its step is chosen.
RATES = {
    "convex": (
        assembly.C_FINAL_SHARP,
        (assembly.CVX_REC_SHARP, *derivations.SHARP_CONVEX),
        R(23, 10) * one_round.noise(R(1), R(1)),
        derivations.convex_rate,
    ),
    "non-convex": (
        assembly.NC_FINAL,
        (assembly.NC_REC_SHARP, *derivations.SHARP_SMOOTH),
        assembly.NOISE_NC * one_round.beta,
        derivations.smooth_rate,
    ),
}
of_theorem_b2 = asymptotic_claim.sharing(source="Theorem B.2, Table 1")
CONSTANTS = {"strongly convex": ("16/3", "184/51"), "convex": ("320/17", "51"), "non-convex": ("108", "432")}
WIDE = {"strongly convex": "eta_s > sqrt(5S/8)", "convex": "eta_s > sqrt(5S/8)", "non-convex": "eta_s >= sqrt(S)"}
LOGARITHM = {"strongly convex": "; up to logarithms, log(1/eps) being log(1 + 60 mu D^2/(17 eps))"}


def stated(case: str) -> Callable[..., Step]:
    """Whether the order of Table 1 is the claimed one, within the printed limit of the rates."""
    eta, eta_s = sp.symbols("eta eta_s")
    limit, wide = (R(1, 18), eta_s**2 >= S) if case == "non-convex" else (R(1, 8), 8 * eta_s**2 > 5 * S)

    def form(factor: sp.Expr) -> sp.Expr:
        return (V + factor * C) / (K * S) * NOISE_SCALE[case] + orders.OPTIMISATION[case]

    return proves(order("1-w GT", case), form, relation="O", under=(wide, eta * eta_s <= limit / (beta * K), K >= 2))


one_way_rows = [
    of_theorem_b2(
        f"MX-T1-1W-{SHORT[case]}",
        statement=order("1-w GT", case),
        proves=stated(case),
        assumptions=(*SAMPLING, "f_f, f_c beta-smooth", f"f_f, f_c: {case}", WIDE[case]),
        depends=SUPPOSED[case],
        printed=dict(case=case, factor="K*S", rounds=CONSTANTS[case]),
        headline=f"1-way Gradient Transfer, {case}: the printed order of rounds",
        summary="So many rounds are enough, with constants, for every cohort size and the step chosen for "
        + ("eps" if case == "strongly convex" else "their number")
        + LOGARITHM.get(case, "")
        + ".",
        controls=[
            Control("sigma_c^2 divided by K, as for the other algorithms", dict(factor="S")),
            Control("and by sqrt(K)", dict(factor="sqrt(K)*S")),
        ],
    )(one_way)
    for case in CASES
]


@of_theorem_b2(
    "MX-THMB2-S1.1",
    statement=r"\text{Theorem B.2 at }S=1",
    printed=dict(low="1"),
    prose="that the three numbers of rounds are the statements of Theorem B.2; its hypotheses are those of MX-T1-1W-SC, -C, -NC",
    headline="Theorem B.2 holds for a single client per round too",
    summary="The numbers of rounds of rows MX-T1-1W-SC, -C and -NC are enough for every S >= 1, so at S = 1, under the "
    "hypotheses of those rows.",
    controls=[Control("S from 1/2 on", dict(low="1/2"))],
)
def single_client(low: str) -> Evidence:
    """The three orders for cohorts of ``low`` clients and more; below one the sharpened convex recursion decreases too little."""
    whole = {case: order("1-w GT", case).expression for case in CASES}
    scripts = {
        f"{case}, {name}": script
        for case in CASES
        for name, script in rounds_of(case, whole[case], CONSTANTS[case], low).items()
    }
    decrease = Side("decrease", R(11, 8) - R(21, 40) / S)
    found = tried(Witness({S: F(low)}, decrease, ">=", R(17, 20)))
    return by_derivation(
        scripts, found, method="Numbers of rounds from the rounds' hypotheses.", valid_for=f"S >= {low}"
    )


@inequality_claim(
    "MX-THMB2-S1.2",
    fault="missing hypothesis",
    source="Appendix D.2.1, recursion",
    repair="MX-THMB2-S1.1",
    statement=r"\text{the printed recursion (factor }\tfrac{S-1}S\text{) gives the convex cases of Theorem B.2 at }S=1",
    printed=dict(cohort=1),
    headline="The printed convex proof of Theorem B.2 breaks down for a single client per round",
    summary="The printed proof of the convex cases does not cover S = 1: the loss term of its recursion vanishes there, and its "
    "final bound for mu = 0 divides by S - 1. (For mu > 0 the recursion still contracts the distance to the minimiser; the "
    "non-convex recursion has no such factor.)",
    controls=[Control("S = 2", dict(cohort=2), must="pass")],
)
def printed_recursion(cohort: int) -> Evidence:
    """mu = 0, no noise: does d_{t+1} <= d_t - ((S-1)/S) e gap_t bound the mean gap by a multiple of d_0/(e n)?"""
    decrease = F(cohort - 1, cohort)
    words = dict(
        method="telescoping: the mean gap over n rounds is at most S d_0/((S-1) e n)", valid_for=f"S = {cohort}"
    )
    if decrease > 0:
        return by_proof(**words, margin=float(decrease))
    d, gap, e, c, n = sp.symbols("d gap e c n", positive=True)
    recursion = (d, "<=", Side("d - (S-1)/S e gap", d - (S - 1) / S * e * gap))
    alike = "mu = 0, no noise: d_t = d and gap_t = gap for all t; any c, n beyond it"
    at = {S: cohort, d: 1, gap: 1, e: 1, c: 10**6, n: 2 * 10**6}
    mean = Side("mean gap over n rounds", gap)
    return by_witness(
        Witness(at, mean, "<=", Side("c d/(e n)", c * d / (e * n)), [recursion], alike), rung=Rung.PROOF, **words
    )


if __name__ == "__main__":
    run_script(__file__)
