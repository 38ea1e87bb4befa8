"""SCAFFOLD with sampled cohorts at a constant step, for every number of rounds: certified at named parameters.

Clients who are not drawn keep their variates.  The expectation has no floor, whatever the heterogeneity.  beta = 1, mu = 1/10.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cache

import fltheory as fl
from fltheory.evidence.every_round import EveryRound, ExactRun, at_every_round, exact_run
from fltheory.evidence.kinds import expectation_claim, run_script
from fltheory.evidence.model import Control, Evidence
from fltheory.evidence.naming import WHERE
from verify.mixed2022 import elsewhere
from verify.mixed2022.parabolas import parabolas

ZERO, ONE = Fraction(0), Fraction(1)
MU, STEP, LOCAL = Fraction(1, 10), Fraction(1, 4), 2
LOSSES = fl.SmoothStronglyConvex(MU, ONE)
FLATTEST = (1 - STEP * MU) ** (2 * LOCAL)
#: What the squared distance of the start adds to V_0.
DISTANCE = "1.003"


@dataclass(frozen=True)
class SampledCohorts:
    """K of N clients a round, what heterogeneity adds to V_0, and for how many rounds flat clients are run."""

    cohort: int
    clients: int
    start: str
    rounds: int

    @property
    def method(self) -> fl.Scaffold:
        return fl.Scaffold(LOCAL, STEP, participation=fl.NormalisedUniform(self.cohort))

    def setting(self, keep: str, start: str) -> EveryRound:
        """The claim for these cohorts."""
        rate = 1 - Fraction(keep) * (1 - FLATTEST)
        begun = {"distance": Fraction(DISTANCE), "heterogeneity": Fraction(self.start) * Fraction(start)}
        options = {"n_clients": self.clients}
        name = f"{self.cohort} of {self.clients}"
        return EveryRound(name, self.method, LOSSES, rate, begun, {}, options=options, runs=runs(self))


@cache
def runs(each: SampledCohorts) -> tuple[ExactRun, ...]:
    """Flat clients from 1, and flat clients with two minimisers, between which the method starts."""
    half, method = each.clients // 2, each.method
    apart = parabolas([(MU, 10)] * half + [(MU, -10)] * half)
    alike, unlike = "all clients mu x^2/2, x_0 = 1", "clients mu (x - 10)^2/2 and mu (x + 10)^2/2, x_0 = x* = 0"
    return (
        exact_run(alike, parabolas([(MU, 0)] * each.clients), method, rounds=each.rounds, start=ONE),
        exact_run(unlike, apart, method, rounds=4, start=ZERO, quantities={"heterogeneity": ONE}),
    )


SETTINGS = (SampledCohorts(2, 4, "0.191", 20), SampledCohorts(3, 10, "0.318", 2))
_SHOWN = r",\ ".join(rf"s_{{{each.cohort}/{each.clients}}}={each.start}" for each in SETTINGS)


@expectation_claim(
    "MX-A2-SCAF-U3",
    source="Appendix A.2; proof of Theorem B.3",
    quick=False,
    statement=r"\mathbb{E}\|x^{(R)}-x^*\|^2\le\rho^R\Bigl("
    + DISTANCE
    + r"\,\|x^{(0)}-x^*\|^2+s_{K/N}\sum_kp_k\|\nabla f_k(x^*)\|^2\Bigr)\quad(\beta=1,\ \mu=\tfrac1{10},\ \eta=\tfrac14,\ E=2)"
    + WHERE
    + r"\rho=1-\tfrac{999}{1000}\bigl(1-(1-\eta\mu)^{2E}\bigr),\ "
    + _SHOWN,
    headline="SCAFFOLD with sampled cohorts keeps the rate of full participation, without a floor",
    summary="SCAFFOLD (option II, variates started at zero) with full gradients at eta = 1/(4 beta), mu = beta/10, E = 2 and 2 of "
    "4 or 3 of 10 clients a round: certified for every number of rounds, with the rate of the flattest clients up to a thousandth "
    "and nothing left of heterogeneity in the long run, although those not drawn keep old variates.",
    elsewhere=elsewhere.SCAFFOLD,
    assumptions=(
        "f_k mu-strongly convex and beta-smooth",
        "exact gradients, K of N drawn uniformly without replacement, afresh in each round, equal weights",
        "server step size 1, variates started at zero, those of clients not drawn kept",
        "beta = 1, mu = 1/10, eta = 1/4, E = 2 and these K, N alone",
    ),
    printed=dict(keep="999/1000", start="1"),
    controls=[
        Control("a hundredth more than the flattest clients allow", dict(keep="101/100")),
        Control("half of the heterogeneity at the start", dict(start="1/2")),
    ],
)
def cohorts(keep: str, start: str) -> Evidence:
    """Certificates at the claimed rates, after exact expectations."""
    return at_every_round(
        [each.setting(keep, start) for each in SETTINGS],
        valid_for="beta = 1, mu = 1/10, eta = 1/4, E = 2, K of N = 2 of 4 and 3 of 10 alone; every R >= 1, every dimension",
    )


if __name__ == "__main__":
    run_script(__file__)
