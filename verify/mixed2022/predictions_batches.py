"""Augenstein et al. (2022) on the two variances in Table 1: Section 4.2, second implication, and batch sizes in C.4.1."""

from fractions import Fraction
from functools import partial
from itertools import product
from typing import Any

import numpy as np
import sympy as sp

import fltheory as fl
from fltheory.evidence.algebra import statement_of_algebra
from fltheory.evidence.derive import by_derivation
from fltheory.evidence.kinds import algebra_claim, qualitative_claim, qualitative_of_an_instance, run_script
from fltheory.evidence.model import Control, Evidence
from fltheory.evidence.relations import Relations
from fltheory.theory.mixed2022 import orders
from fltheory.theory.mixed2022.orders import C, V
from fltheory.theory.steps import Instance
from verify.mixed2022 import derivations
from verify.mixed2022.parabolas import mixed
from verify.mixed2022.settled import false_algebra

F, R = Fraction, sp.Rational
NAMES = {"V": r"\sigma^2", "C": r"\sigma_c^2", "F": r"\sigma_f^2"}


def of_one_round(method: Any, curvature: Fraction) -> Fraction:
    """Exact variance after one round from the minimiser of f_f = f_c = curvature x^2/2, central noise of variance one."""
    problem = mixed([(curvature, 0)], (curvature, 0))
    unit = fl.AdditiveNoise(np.array([[F(1)]], dtype=object))
    start = np.array([F(0)], dtype=object)
    found = fl.moments(problem, method, rounds=1, start=start, exact=True, centre_oracle=unit)
    return Fraction(found.variance[-1])


def sensitivity(power: str, what: str) -> Evidence:
    """Variance that one round adds: 1-way GT against Parallel Training, from the package's rounds, with the factor K^power."""
    limit, rate, exponent = what == "limit", F(1, 3), R(power)
    scripts = {"at most": partial(derivations.central_noise, power, limit=False, batch=limit)}
    if limit:
        scripts["at least, for small steps"] = partial(derivations.central_noise, power, limit=True, batch=True)
    instances = []
    for many, x in product((2, 4, 8), (F(0), F(1, 10**6), F(1, 2))):
        claimed = F(str(R(sp.N(many**exponent, 30))))
        methods = (fl.OneWayGradientTransfer(many, rate), fl.ParallelTraining(many, rate, rate))
        one_way, parallel = (of_one_round(method, x / rate) for method in methods)
        ratio = one_way / parallel
        name = f"f_f = f_c = (eta lambda) x^2/(2 eta), eta = 1/3, K = {many}, eta lambda = {x}"
        if not limit:
            instances.append(Instance(f"{name}: ratio against K^{power}", ratio, claimed))
        elif x <= F(1, 10**6):
            near = many * x + F(1, 10**25)  # 1 - ratio/K is at most (K - 1) x; K^power to 30 digits
            instances.append(Instance(f"{name}: |ratio/K^{power} - 1|", abs(ratio / claimed - 1), near))
    return by_derivation(
        scripts,
        lambda: instances,
        method="Cauchy-Schwarz for K terms by induction over the local steps"
        + ("; K (1 - (K-1) eta lambda/2)^2 from below" if limit else ""),
        valid_for="equal rates and curvatures on both sides, eta_m = 1; every K"
        + (", eta lambda <= 1/K" if limit else ", every eta and lambda"),
    )


sensitivity_claim = qualitative_claim.sharing(source="Section 4.2, second implication")
rows_sigma = [
    sensitivity_claim(
        "MX-IMPL-SIGC.1",
        prose="1-way GT's local point moves by y' = r y - eta c with one draw c, so its noise is -eta s c, s = 1 + r + "
        "..., and Var_1w = eta^2 s^2 E|c|^2",
        headline="For small steps 1-way transfer multiplies the central noise by the number of local steps",
        printed=dict(power="1", what="limit"),
        statement=r"\lambda_f=\lambda_c,\ \eta\eta_s=\eta_c=\eta\le\tfrac1{K\lambda},\ \eta_m=1:\ "
        r"K\left(1-\tfrac{K-1}2\eta\lambda\right)^2\mathrm{Var}_{PT}\le\mathrm{Var}_{1w}\le K\,\mathrm{Var}_{PT},\quad"
        r"\left(1-\tfrac{K-1}2\eta\lambda\right)^2\mathrm{Var}_{PT}\le\mathrm{Var}_{1w}\big|_{\sigma_c^2/K}\le\mathrm{Var}_{PT}",
        summary="On quadratics of equal curvatures, at equal rates, eta_m = 1 and K eta lambda <= 1, the central noise that a "
        "round of 1-way GT adds is K times that of Parallel Training, up to a factor between (1 - (K - 1) eta lambda/2)^2 and 1. "
        "With a variance K times smaller, as a batch |B_c| of K times as many independent examples has it, it is that of "
        "Parallel Training up to this factor.",
        controls=[
            Control("K^2", dict(power="2")),
            Control("K^(11/10)", dict(power="11/10")),
            Control("K^(9/10)", dict(power="9/10")),
        ],
    )(sensitivity),
    sensitivity_claim(
        "MX-IMPL-SIGC.2",
        printed=dict(power="1", what="bound"),
        statement=r"\lambda_f=\lambda_c,\ \eta\eta_s=\eta_c=\eta,\ \eta_m=1:\ \mathrm{Var}_{1w}\le K\,\mathrm{Var}_{PT}",
        summary="At larger steps it is at most K times (Cauchy-Schwarz).",
        controls=[Control("K^(9/10)", dict(power="9/10"))],
    )(sensitivity),
]


scale, t, x = sp.symbols("scale t x", positive=True)


def leading(algorithm: str, v: sp.Expr, c: sp.Expr) -> str:
    """The noise term of an order at other variances; ``scale`` is what multiplies it, alike for all algorithms of a case."""
    noise = orders.terms(algorithm, "convex")["noise"] / orders.NOISE_SCALE["convex"]
    return str(noise.subs({V: v, C: c}, simultaneous=True) * scale)


def weights() -> str:
    """Leading terms in proportion to the two variances, and the weight of sigma_c^2 in units of that of sigma^2."""
    found = []
    for algorithm, weight in (("PT", "S"), ("2-w GT", "S"), ("1-w GT", "K*S")):
        whole, of_centre, of_clients = (leading(algorithm, *pair) for pair in ((V, C), (0, x), (x, 0)))
        found += [f"{leading(algorithm, t * V, t * C)} = t*({whole})", f"{of_centre} = {weight}*({of_clients})"]
    return "; ".join(dict.fromkeys(found))


row_prop = statement_of_algebra(
    "MX-C41-PROP",
    Relations(f"{weights()} for K >= 1; S >= 1; V >= 0; C >= 0; scale > 0; t > 0; x > 0", names=NAMES),
    headline="In the orders central noise counts once per sampled client, or more, against client noise",
    false={
        "S for 1-way GT too": ("= K*S*(", "= S*("),
        "the whole bound": (f"= t*({leading('PT', V, C)})", f"= t*({leading('PT', V, C)}) + (t - 1)"),
    },
    group=algebra_claim,
    source="Section C.4.1",
    summary="The leading terms are proportional to the variances, and sigma_c^2 counts S times (1-way GT: K S times) as "
    "much as sigma^2. (The other terms of the orders do not contain them.)",
)

SMILE = "K = 2; S = 100; v > 0; V = v/5; C = v/25"
LESS, WHOLE = "K*S*C < V", "V + K*F + K*S*C"
ENOUGH = {"|B_c| = 1001": ("C = v/25", "C = v/1001"), "central examples vary 41 times less": ("v/25", "v/(41*25)")}
smile_claim = qualitative_of_an_instance.sharing(source="Section C.4.1, smile task")
different_claim = qualitative_of_an_instance.sharing(
    source="Section C.4.1, smile task; Section 4.2, sigma_f", depends=("MX-HET.1W",)
)
#: Variances in units of v, that of one example: |B_i| = 5, and |B_c| = 25 where nothing else is said.
domination_rows = [
    false_algebra(
        "MX-C41-DOM[equal variances per example]",
        Relations(f"{LESS} for {SMILE}", names=NAMES),
        true=ENOUGH,
        group=smile_claim,
        fault="reading",
        repair="MX-C41-DOM-R1",
        headline="With equal variances the central noise dominates, not the clients'",
        summary="In the bound of 1-way GT the client variance dominates only beyond |B_c| = K S |B_i| = 1000 if an example "
        "has the same variance on both sides; at 25 the central term is 40 times larger. That AUC stops improving at 25 is "
        "then not explained by Table 1 (unless central examples vary 40 times less).",
    ),
    statement_of_algebra(
        "MX-C41-DOM[central examples vary 41 times less]",
        Relations(f"{LESS} for K = 2; S = 100; v > 0; V = v/5; 0 <= C <= v/(41*25)", names=NAMES),
        headline="The explanation would need central examples that vary 40 times less",
        false={"40 times less": ("41", "40"), "|B_c| = 24": ("25", "24")},
        group=smile_claim,
        summary="The explanation needs central examples whose gradients vary more than "
        "40 times less than the clients'; the document gives no variances.",
    ),
    statement_of_algebra(
        "MX-C41-DOM[clients differ, sigma_f^2 above 3.9 v, counted as client variance]",
        Relations(f"K*S*C < V + K*F for {SMILE}; F >= 3901*v/1000", names=NAMES),
        headline="Clients that differ enough would explain why central noise does not dominate",
        false={"sigma_f^2 = 3.9 v": ("3901", "3900"), "sigma_f^2 = 3.8 v": ("3901", "3800")},
        group=different_claim,
        summary="Section 4.2 adds K sigma_f^2 for clients that differ. Counted as client variance it dominates at |B_c| = 25 if "
        "it exceeds 7.8 v, that is sigma_f^2 > 3.9 v; the document gives no sigma_f^2.",
    ),
    false_algebra(
        "MX-C41-DOM[clients differ, larger client batches improve more]",
        Relations(f"{WHOLE} - ({WHOLE}/2) < {WHOLE} - (V/2 + K*F + K*S*C) for {SMILE}; F = 4*v", names=NAMES),
        says=r"\text{doubling }|B_c|\text{ lowers the numerator by less than doubling }|B_i|:\ ",
        true=ENOUGH,
        group=different_claim,
        fault="reading",
        repair="MX-C41-DOM-R1",
        headline="Larger client batches do not improve more where the clients differ",
        summary="The document says what domination means: further improvement would come from |B_i|. No |B_i| lowers sigma_f^2 (it "
        "drops out of both differences), so that with equal variances per example a larger |B_c| still gains 40 times as much.",
    ),
    statement_of_algebra(
        "MX-C41-DOM-R1",
        Relations(f"{LESS} for K = 2; S = 100; v > 0; V = v/5; B_c > 1000; C = v/B_c", names=NAMES),
        headline="Central noise stops dominating at the central batch that the rule gives",
        false={
            "from |B_c| = 1000 on": ("B_c > 1000", "B_c >= 1000"),
            "from |B_c| = 500 on": ("B_c > 1000", "B_c >= 500"),
        },
        group=smile_claim,
        summary="The bound's threshold is the rubric's |B_c| = K S |B_i|.",
    ),
]

if __name__ == "__main__":
    run_script(__file__)
