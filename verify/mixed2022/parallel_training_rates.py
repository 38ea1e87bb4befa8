"""Theorem B.1 of Augenstein et al. (2022) with constants: how many rounds Parallel Training needs, for every eta_m >= 1.

From the recursions MX-THMB1-S1 and -S2 with one step size, whose reciprocal is a sum of three parts.  The dissimilarity enters
with 1/eta_m: at eta_m = 1 these are the orders of Table 1 with the units that rounds have, and it is gone for large eta_m.
"""

from dataclasses import dataclass, replace
from fractions import Fraction
from math import isqrt, log

import numpy as np

import fltheory as fl
from fltheory.evidence.decide import Tried
from fltheory.evidence.derive import by_derivation
from fltheory.evidence.kinds import expectation_claim, run_script
from fltheory.evidence.model import Claim, Control, Evidence
from fltheory.theory.mixed2022.parallel_rates import PARTS, ROUNDS, R, rounds
from fltheory.theory.states import proves
from verify.mixed2022 import derivations, elsewhere
from verify.mixed2022.assembly_steps import once
from verify.mixed2022.parabolas import mixed
from verify.mixed2022.parallel_training_recursions import RECURSION_HYPOTHESES, supposed


@dataclass(frozen=True)
class Quadratics:
    """f_f = (p/2) x^2 + g x, f_c = (q/2) x^2 - g x with p, q <= 1 = beta; eta_s = S = 1, start 1; ``noise``: central variance."""

    p: Fraction
    q: Fraction
    slope: Fraction = Fraction(0)
    noise: Fraction = Fraction(0)
    steps: int = 1
    merge: Fraction = Fraction(1)

    @property
    def B2(self) -> Fraction:
        """The least B^2 of Definition 4.2 with w_f = 1/2."""
        return 2 * (self.p**2 + self.q**2) / (self.p + self.q) ** 2

    @property
    def G2(self) -> Fraction:
        """G^2 for B^2 + 1: the supremum of 2 |f_f'|^2 + 2 |f_c'|^2 - (B^2 + 1) |f'|^2."""
        inner = 2 * self.slope * (self.p - self.q)  # coefficient of 2x; of x^2: -(p + q)^2
        return 4 * self.slope**2 + inner**2 / (self.p + self.q) ** 2

    def step_size(self, eps: Fraction, parts: tuple[str, str, str]) -> Fraction:
        """e, with the square root rounded up (a shorter step would do as well: the sum of the parts is an upper bound of 1/e)."""
        a, b, c = (Fraction(x) for x in parts)
        root = Fraction(isqrt(int(self.G2 / (self.merge**2 * eps) * 10**6)) + 1, 1000) if self.slope else Fraction(0)
        total = a * (2 + self.B2) + b * self.noise / (self.steps * eps) + c * root
        return 1 / total

    def needed(self, case: str, e: Fraction, eps: Fraction) -> int:
        """n of the statement, rounded up."""
        if case == "strongly convex":
            mu = float(min(self.p, self.q))
            return int(log(1 + 4 * mu / (3 * float(eps))) / (mu * float(e))) + 1
        start = 1 if case == "convex" else (self.p + self.q) / 2
        return int((Fraction(4, 3) if case == "convex" else Fraction(8, 3)) * start / (e * eps)) + 1

    def error(self, case: str, e: Fraction, count: int) -> float:
        """Weighted mean of E f(x^t) - f(x*), or the mean of E |f'(x^t)|^2, t < count: exact moments of the algorithm, in floats."""
        problem = mixed([(self.p, -self.slope / self.p)], (self.q, self.slope / self.q))
        rate = float(e / (self.steps * self.merge))
        found = fl.moments(
            problem.map_parts(lambda part: part.to_float()),
            fl.ParallelTraining(self.steps, rate, rate, merge_step_size=float(self.merge)),
            rounds=count - 1,
            start=np.ones(1),
            centre_oracle=fl.AdditiveNoise(np.array(float(self.noise))),
            keep="traces",
        )
        sizes = float(self.p + self.q) ** 2 * found.squared_distance if case == "non-convex" else found.gap
        mu = float(min(self.p, self.q)) if case == "strongly convex" else 0.0
        return float(np.average(sizes, weights=(1 - mu * float(e)) ** -np.arange(count)))


def examples() -> list[tuple[Quadratics, Fraction]]:
    """Instances with accuracies, simplest first."""
    one, half = Fraction(1), Fraction(1, 2)
    return [
        (Quadratics(one, one), half),
        (Quadratics(one, one, noise=Fraction(500)), half),
        (Quadratics(one, half, Fraction(400), steps=2), half),
        (Quadratics(one, half, Fraction(20), Fraction(10), 3), half),
        (Quadratics(one, half, Fraction(400), steps=2, merge=Fraction(20)), half),
        (Quadratics(half, half, noise=one), Fraction(1, 20)),
    ]


def explicit(case: str, optimisation: str, noise: str, dissimilarity: str) -> Evidence:
    """The derivation; runs on scalar quadratics with the step size and the number of rounds of the statement."""
    parts = (optimisation, noise, dissimilarity)
    bound = ROUNDS[case] if parts == PARTS[case] else replace(ROUNDS[case], expression=rounds(case, parts))
    text, worst, numbers = "", 1.0, {}
    for item, eps in examples():
        e = item.step_size(eps, parts)
        count = item.needed(case, e, eps)
        error = item.error(case, e, count)
        numbers[f"{item}, eps={eps}"] = f"e = {float(e):.3g}, n = {count}, error {error:.3g}"
        worst = min(worst, 1 - error / float(eps) if error < float("inf") else -1e9)
        if error > float(eps) * (1 + 1e-6) and not text:
            text = (
                f"f_f = ({item.p}/2) x^2 + {item.slope} x, f_c = ({item.q}/2) x^2 - {item.slope} x, K = {item.steps}, eta_m = "
                f"{item.merge}, S = eta_s = 1, central variance {item.noise}, x^0 = 1, G^2 = {item.G2}, B^2 = {item.B2 + 1}, "
                f"eps = {eps}: e = {float(e):.4g}, and the error over n = {count} rounds is {error:.4g}"
            )
    return by_derivation(
        once(derivations.parallel_rate, case, bound, parts),
        Tried(len(numbers), text, max(worst, -1.0), "counterexample; the proof stops at {gap}"),
        method="The recursion from the round's hypotheses, summed over the rounds with its weights; 1/e is the sum of its parts, "
        "so that each bounds one share of eps; exp(-x) >= 1 - x in the strongly convex case.",
        numbers=numbers,
        valid_for="every N, S, K, dimension, noise law, G >= 0, B >= 1, eta_m >= 1; strongly convex: weights (1 - mu e)^(-t)",
        would_settle="other constants",
    )


#: Rows that prove what the derivations suppose beyond the printed hypotheses.
SUPPOSED = {
    **dict.fromkeys(("strongly convex", "convex"), ("MX-LEMD3-2.1",)),
    "non-convex": ("MX-LEMD3-2.1", "MX-SM-MIX[f is 2 beta-smooth, as in Proposition D.6]"),
}
#: What is at most eps.
MEASURED = {
    "strongly convex": "the gap at the mean of the models with the weights (1 - mu e)^(-t)",
    "convex": "the gap at the mean of the models",
    "non-convex": "the mean of the squared gradients",
}


def row(case: str, number: int, term: str) -> Claim:
    """The row of one case: the explicit number of rounds, with the constants of its three terms."""
    a, b, c = PARTS[case]
    return expectation_claim(
        f"MX-THMB1-S{number}",
        source="Theorem B.1, explicit",
        statement=ROUNDS[case],
        proves=proves(
            ROUNDS[case],
            lambda optimisation, noise, dissimilarity: rounds(case, (optimisation, noise, dissimilarity)),
            left="T - 1",
            under=supposed(R(1, 8))[:-1],
        ),
        assumptions=(*RECURSION_HYPOTHESES, "nu = sigma^2/(KS) + sigma_c^2/K", f"f_f, f_c {case}"),
        depends=SUPPOSED[case],
        printed=dict(case=case, optimisation=a, noise=b, dissimilarity=c),
        headline=f"Rounds of Parallel Training, {case}, with constants",
        summary=f"Parallel Training, {case}: after at most 1 + {term} rounds {MEASURED[case]} is at most eps, at the step size "
        "whose reciprocal is in the brackets.",
        elsewhere=elsewhere.PARALLEL,
        controls=[
            Control("no noise term", dict(noise="0")),
            Control("no dissimilarity term", dict(dissimilarity="0")),
            Control("optimisation term 32 times smaller", dict(optimisation="1/4")),
        ],
    )(explicit)


CONVEX = "[8 (1 + B^2) beta + 4 nu/eps + 3 G sqrt(beta/eps)/eta_m]"
strongly_convex = row("strongly convex", 3, f"{CONVEX} (1/mu) log(1 + 4 mu D^2/(3 eps))")
convex = row("convex", 4, f"{CONVEX} 4 D^2/(3 eps)")
smooth = row("non-convex", 5, "[9 (1 + B^2) beta + 8 beta nu/eps + 5 beta G/(eta_m sqrt(eps))] 8 F/(3 eps)")

if __name__ == "__main__":
    run_script(__file__)
