"""Theorem B.3 and Table 1 of Augenstein et al. (2022): the numbers of rounds of 2-way Gradient Transfer.

The explicit bounds MX-THMB3-S2 are inverted.  The paper leaves open how the augmenting gradients gt_f and gt_c are started.
Started at the gradients of the first model all three orders hold.  Started at zero the first round is one of Parallel Training
and may leave the first model by e^2 Gamma/eta_m, Gamma^2 = |grad f_f|^2 + |grad f_c|^2 there: the strongly convex order has that
in its logarithm, the other two hold with eta_m chosen for Gamma, and are exceeded without limit at eta_m = eta_s = 1,
eta_c = eta.  At these rates large cohorts exceed all three orders from the gradients too (two_way_cohorts, and here the
non-convex one).
"""

import sympy as sp

from fltheory.evidence.decide import Tried
from fltheory.evidence.derive import by_derivation
from fltheory.evidence.kinds import asymptotic_claim, run_script
from fltheory.evidence.model import Control, Evidence
from fltheory.theory.mixed2022.orders import CASES, SHORT, order
from fltheory.theory.mixed2022.two_way_bounds import CONVEX_TOP, SMOOTH_TOP
from verify.mixed2022 import derivations, two_way_rate_steps
from verify.mixed2022 import two_way_line as line
from verify.mixed2022 import two_way_lower as lower
from verify.mixed2022.assembly_steps import once
from verify.mixed2022.one_way_words import TWO_WAY_SAMPLING
from verify.mixed2022.parallel_training_rates import SUPPOSED
from verify.mixed2022.settled import for_every_constant
from verify.mixed2022.two_way_rates import rate_scripts

R = sp.Rational
HYPOTHESES = (*TWO_WAY_SAMPLING, "f_f, f_c beta-smooth")
ERROR = {
    "strongly convex": "E f - f* at the weighted mean of the models",
    "convex": "E f - f* at the mean of the models",
    "non-convex": "mean of E|grad f(x_t)|^2",
}
RATES = (
    "every N, S, K >= 1, dimension and noise law; eta_c = eta eta_s and any eta_m >= 1, eta_s >= 1 with eta_m eta_s >= sqrt(S) (so "
    "eta_s = 1, eta_m = sqrt(S), where the printed divisor is eta_c), e = eta_m K eta_c chosen for eps, at most the printed limit"
)
LOGARITHM = (
    "log(1/eps) as log(1 + mu D0^2/eps), which also multiplies the noise term; D0 = D, for gt = 0 "
    "D0^2 = (5/4)(D^2 + (Gamma/(81 beta eta_m))^2)"
)
#: Constants of the optimisation and of the noise term.
GRADIENTS = {"strongly convex": ("54", "40/9"), "convex": ("54", "18"), "non-convex": ("96", "1024")}
ZERO = {"strongly convex": ("54", "40/9"), "convex": ("135/2", "23"), "non-convex": ("120", "1280")}
CHOSEN = {"convex": "eta_m >= Gamma/(81 beta D)", "non-convex": "eta_m >= Gamma/(8 sqrt(beta F))"}


def two_way(
    case: str, initial: str, eta_m: str, widths: str, factor: str, power: str, rounds: tuple[str, str]
) -> Evidence:
    """Order times constants from the explicit bound; else a run that needs more rounds whatever the step.

    ``eta_m``: "any", "chosen" (for Gamma) or "1"; ``widths``: eta_m eta_s is at least "sqrt(S)", or eta_m = eta_s = "1" for
    every S; ``factor``: what divides the two variances; ``power``: the optimisation term is multiplied by
    (eps/(beta D^2))^power, or beta F for D^2.
    """
    top = SMOOTH_TOP if case == "non-convex" else CONVEX_TOP

    def counterexample() -> Tried:
        if R(power) != 0:
            return for_every_constant(line.slow_steps(), *lower.without_noise(case, power))
        if factor != "K*S,K":
            return for_every_constant([*line.slow_steps(), *line.noise_floor_steps()], *lower.with_noise(case, factor))
        if widths != "sqrt(S)" and case != "strongly convex":
            many = line.many_clients_steps() if case == "non-convex" else []
            return for_every_constant([*line.cohort_steps(top / 2), *many], *lower.large_cohort(case))
        if initial == "zero" and eta_m != "chosen" and case != "strongly convex":
            return for_every_constant(line.far_steps(), *lower.zero_start(case))
        return Tried()

    words = dict(
        method="From the round's hypotheses and the start's: what start and noise leave is at most eps/2 each.",
        numbers={"constant of the optimisation term": rounds[0], "constant of the noise term": rounds[1]},
        valid_for=f"{RATES}; error: {ERROR[case]}" + (f"; {LOGARITHM}" if case == "strongly convex" else ""),
        would_settle="a smaller or larger constant",
    )
    changed = (factor, power) != ("K*S,K", "0")
    whole = sum(two_way_rate_steps.claimed(case, factor, power)) if changed else order("2-w GT", case).expression
    if case == "strongly convex":
        scripts = {"order": once(derivations.two_way_order, whole, rounds, initial, width=widths)}
    else:
        scripts = rate_scripts(case, (widths,), begun=(initial, eta_m), order=(whole, rounds))
    usual = (
        not changed
        and widths == "sqrt(S)"
        and (case == "strongly convex" or initial == "gradients" or eta_m == "chosen")
    )
    found = Tried(len(scripts)) if usual else counterexample()
    if found.counterexample:
        words |= dict(valid_for=f"of the repair: {words['valid_for']}")
    return by_derivation(scripts, found, **words)


of_theorem_b3 = asymptotic_claim.sharing(source="Theorem B.3, Table 1", quick=False)
FROM_GRADIENTS = "[augmenting gradients started at the gradients"
FROM_ZERO = "[augmenting gradients started at zero"
AT_GRADIENTS, AT_ZERO = "gt_f = grad f_f(x0), gt_c = grad f_c(x0)", "gt_f = gt_c = 0 at the start"
WEAKER = [
    Control("optimisation term times (eps/(beta D^2))^(1/2), or beta F for D^2", dict(power="1/2")),
    Control("sigma^2 over K^2 S", dict(factor="K*K*S,K")),
    Control("sigma^2 over K S^2", dict(factor="K*S*S,K")),
    Control("sigma_c^2 over K S", dict(factor="K*S,K*S")),
    Control("sigma_c^2 over K^2", dict(factor="K*S,K*K")),
]
ZERO_START = Control("started at zero, eta_m = 1", dict(initial="zero"))
LARGE_COHORT = Control("eta_m = eta_s = 1, every S", dict(widths="1"))
NEARER = {"strongly convex": [], "convex": [ZERO_START, LARGE_COHORT], "non-convex": [ZERO_START, LARGE_COHORT]}


def parameters(case: str, initial: str, eta_m: str) -> dict[str, object]:
    rounds = (GRADIENTS if initial == "gradients" else ZERO)[case]
    return dict(case=case, initial=initial, eta_m=eta_m, widths="sqrt(S)", factor="K*S,K", power="0", rounds=rounds)


WIDE_RATES = "eta_c = eta eta_s, eta_m >= 1, eta_s >= 1, eta_m eta_s >= sqrt(S), gt_c renewed with eta_c, J = K"


def assumptions(case: str, *more: str, rates: str = WIDE_RATES) -> tuple[str, ...]:
    """Hypotheses of an order: those of Theorem B.3 with the proved conditions on the rates."""
    return *HYPOTHESES, f"f_f, f_c: {case}", rates, *more


from_gradients = [
    of_theorem_b3(
        f"MX-T1-2W-{SHORT[case]}{FROM_GRADIENTS}]",
        statement=order("2-w GT", case),
        proves=two_way_rate_steps.stated(case, order("2-w GT", case)),
        assumptions=assumptions(case, AT_GRADIENTS),
        depends=SUPPOSED[case],
        printed=parameters(case, "gradients", "any"),
        headline=f"2-way Gradient Transfer, {case}: the printed order, by a new proof",
        summary="The order holds, by a proof of its own (SCAFFOLD, to which the document refers: rows MX-THMB3-MAP). Rates "
        f"chosen for {'eps' if case == 'strongly convex' else 'the number of rounds'}; for cohorts S > 1 with "
        f"eta_m (or eta_s) at least sqrt(S)" + ("; up to logarithms." if case == "strongly convex" else "."),
        controls=[*WEAKER, *NEARER[case]],
    )(two_way)
    for case in CASES
]
from_zero = [
    of_theorem_b3(
        f"MX-T1-2W-{SHORT[case]}{FROM_ZERO}{', eta_m chosen as well' if case in CHOSEN else ''}]",
        statement=order("2-w GT", case),
        proves=two_way_rate_steps.stated(case, order("2-w GT", case)),
        assumptions=assumptions(case, AT_ZERO, *([CHOSEN[case]] if case in CHOSEN else [])),
        depends=SUPPOSED[case],
        printed=parameters(case, "zero", "chosen" if case in CHOSEN else "any"),
        headline=f"2-way transfer started at zero, {case}: the order holds "
        + ("at a large merging rate" if case in CHOSEN else "up to logarithms"),
        summary="Started at zero the order holds if eta_m is large enough for the gradients at the first model, which the "
        "condition eta_m >= 1 allows."
        if case in CHOSEN
        else "Started at zero the strongly convex order holds up to logarithms: the gradients of f_f and f_c at the first model "
        "enter the logarithm, which then is not one of D and eps alone.",
        controls=[*WEAKER, *([Control("eta_m = 1", dict(eta_m="1"))] if case in CHOSEN else [])],
    )(two_way)
    for case in CASES
]
from_zero_plain = [
    of_theorem_b3(
        f"MX-T1-2W-{SHORT[case]}{FROM_ZERO}, eta_m = eta_s = 1, eta_c = eta]",
        statement=order("2-w GT", case),
        proves=two_way_rate_steps.stated(case, order("2-w GT", case)),
        assumptions=assumptions(
            case, AT_ZERO, "K >= 2", rates="eta_m = eta_s = 1, eta_c = eta, step size chosen, J = K"
        ),
        depends=("MX-ALG1-2W-S1",),
        repair=f"MX-T1-2W-{SHORT[case]}{FROM_ZERO}, eta_m chosen as well]",
        fault="reading",
        printed=parameters(case, "zero", "1"),
        headline=f"2-way transfer started at zero, {case}: no step size gives the printed order",
        summary="Started at zero with eta_m = eta_s = 1, eta_c = eta and two local steps no step size makes the order "
        "true: a first round along the opposite gradients of the two sides costs rounds that grow with the "
        "logarithm of their size, which the order (O, not O~) does not contain.",
        controls=[
            Control("eta_m chosen as well", dict(eta_m="chosen"), must="pass"),
            Control("started at the gradients, S = 1", dict(initial="gradients"), must="pass"),
        ],
    )(two_way)
    for case in CHOSEN
]

every_cohort = of_theorem_b3(
    f"MX-T1-2W-NC{FROM_GRADIENTS}, eta_m = eta_s = 1, eta_c = eta]",
    statement=order("2-w GT", "non-convex"),
    assumptions=(*HYPOTHESES, AT_GRADIENTS, "eta_m = eta_s = 1, eta_c = eta, step size chosen for eps"),
    repair=f"MX-T1-2W-NC{FROM_GRADIENTS}]",
    fault="reading",
    printed=parameters("non-convex", "gradients", "1") | dict(widths="1"),
    headline="2-way transfer at unit server rates, non-convex: the printed order fails",
    summary="With eta_m = eta_s = 1, two local steps and huge cohorts no step size makes the order true: the noise moves the "
    "local points of every client, and averaging does not remove what a gradient that is not linear makes of "
    "that. No constant serves all sigma and S.",
    controls=[Control("eta_m eta_s >= sqrt(S)", dict(widths="sqrt(S)"), must="pass")],
)(two_way)

if __name__ == "__main__":
    run_script(__file__)
