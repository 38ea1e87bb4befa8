"""SCAFFOLD at a constant step, with all clients or sampled cohorts, for every number of rounds: certified at named parameters.

Clients who are not drawn keep their variates.  The expectation has no floor, whatever the heterogeneity.  beta = 1, mu = 1/10.
"""

from fractions import Fraction
from functools import cache

import fltheory as fl
from fltheory.evidence.every_round import EveryRound, ExactRun, at_every_round, exact_run
from fltheory.evidence.kinds import inequality_claim, run_script
from fltheory.evidence.model import Control, Evidence, Kind
from fltheory.evidence.naming import WHERE
from verify.mixed2022 import elsewhere
from verify.mixed2022.parabolas import Part, parabolas

ZERO, ONE = Fraction(0), Fraction(1)
MU, STEP = Fraction(1, 10), Fraction(1, 4)
#: Local steps, and what the heterogeneity of the start adds to V_0, whose variates start at zero.
ALL = {2: "0.0085", 5: "0.23"}
#: K of N clients a round of two local steps, the same, and for how many rounds flat clients are run.
COHORTS = {(2, 4): ("0.191", 20), (3, 10): ("0.318", 2)}
#: What the squared distance of the start adds to V_0 with such cohorts.
DISTANCE = "1.003"


def flattest(local: int) -> Fraction:
    """What a round keeps where all clients are mu x^2/2."""
    return (1 - STEP * MU) ** (2 * local)


@cache
def runs(method: fl.Scaffold, clients: tuple[Part, ...], words: str, flat: int, rounds: int) -> tuple[ExactRun, ...]:
    """As many flat clients from 1 for ``flat`` rounds, and the clients from their minimiser."""
    alike, unlike = "all clients mu x^2/2, x_0 = 1", f"clients {words}, x_0 = x* = 0"
    return (
        exact_run(alike, parabolas([(MU, 0)] * len(clients)), method, rounds=flat, start=ONE),
        exact_run(unlike, parabolas(clients), method, rounds=rounds, start=ZERO, quantities={"heterogeneity": ONE}),
    )


def setting(
    name: str,
    method: fl.Scaffold,
    keep: str,
    start: tuple[Fraction, Fraction],
    exact: tuple[ExactRun, ...],
    **options: int,
) -> EveryRound:
    """The claim at one method: all but ``keep`` of what the flattest clients lose, from ``start`` (distance, heterogeneity)."""
    rate = 1 - Fraction(keep) * (1 - flattest(method.local_steps))
    begun = dict(zip(("distance", "heterogeneity"), start, strict=True))
    return EveryRound(name, method, fl.SmoothStronglyConvex(MU, ONE), rate, begun, {}, options=options, runs=exact)


of_scaffold = inequality_claim.sharing(
    source="Appendix A.2; proof of Theorem B.3", quick=False, elsewhere=elsewhere.SCAFFOLD
)


@of_scaffold(
    "MX-A2-SCAF-U2",
    statement=r"\|x^{(R)}-x^*\|^2\le(1-\eta\mu)^{2ER}\Bigl(\|x^{(0)}-x^*\|^2+s_E\sum_kp_k\|\nabla f_k(x^*)\|^2\Bigr)"
    r"\quad(\beta=1,\ \mu=\tfrac1{10},\ \eta=\tfrac14)"
    + WHERE
    + r",\ ".join(rf"s_{{{local}}}={text}" for local, text in ALL.items()),
    headline="SCAFFOLD with full gradients has the rate of identical clients, however they differ",
    summary="SCAFFOLD (option II, variates started at zero) with full gradients at eta = 1/(4 beta), mu = beta/10, E = 2, 5: the "
    "certified rate is exactly (1 - eta mu)^(2E) a round, as where all clients are mu x^2/2; heterogeneity is forgotten at "
    "this rate.",
    assumptions=(
        "f_k mu-strongly convex and beta-smooth",
        "exact gradients, full participation, server step size 1, variates started at zero",
        "beta = 1, mu = 1/10, eta = 1/4 and these E alone",
    ),
    printed=dict(keep="1", start="1"),
    controls=[
        Control("a thousandth more than the flattest losses allow", dict(keep="1001/1000")),
        Control("no heterogeneity at the start", dict(start="0")),
    ],
)
def everyone(keep: str, start: str) -> Evidence:
    """Certificates at the claimed rates, after exact runs."""
    settings = []
    for local, text in ALL.items():
        method = fl.Scaffold(local, STEP)
        exact = runs(method, ((MU, 10), (ONE, -1)), "mu (x - 10)^2/2 and (x + 1)^2/2", 3, 2)
        settings.append(setting(f"E = {local}", method, keep, (ONE, Fraction(text) * Fraction(start)), exact))
    return at_every_round(
        settings,
        valid_for="beta = 1, mu = 1/10, eta = 1/4, E = 2, 5 alone; every N, all weights; every R >= 1, every dimension",
    )


@of_scaffold(
    "MX-A2-SCAF-U3",
    kind=Kind.EXPECTATION,
    statement=r"\mathbb{E}\|x^{(R)}-x^*\|^2\le\rho^R\Bigl("
    + DISTANCE
    + r"\,\|x^{(0)}-x^*\|^2+s_{K/N}\sum_kp_k\|\nabla f_k(x^*)\|^2\Bigr)\quad(\beta=1,\ \mu=\tfrac1{10},\ \eta=\tfrac14,\ E=2)"
    + WHERE
    + r"\rho=1-\tfrac{999}{1000}\bigl(1-(1-\eta\mu)^{2E}\bigr),\ "
    + r",\ ".join(rf"s_{{{cohort}/{clients}}}={text}" for (cohort, clients), (text, _) in COHORTS.items()),
    headline="SCAFFOLD with sampled cohorts keeps the rate of full participation, without a floor",
    summary="SCAFFOLD (option II, variates started at zero) with full gradients at eta = 1/(4 beta), mu = beta/10, E = 2 and 2 of "
    "4 or 3 of 10 clients a round: certified for every number of rounds, with the rate of the flattest clients up to a thousandth "
    "and nothing left of heterogeneity in the long run, although those not drawn keep old variates.",
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
    settings = []
    for (cohort, clients), (text, flat) in COHORTS.items():
        method = fl.Scaffold(2, STEP, participation=fl.NormalisedUniform(cohort))
        apart = ((MU, 10),) * (clients // 2) + ((MU, -10),) * (clients // 2)
        exact = runs(method, apart, "mu (x - 10)^2/2 and mu (x + 10)^2/2", flat, 4)
        begun = Fraction(DISTANCE), Fraction(text) * Fraction(start)
        settings.append(setting(f"{cohort} of {clients}", method, keep, begun, exact, n_clients=clients))
    return at_every_round(
        settings,
        valid_for="beta = 1, mu = 1/10, eta = 1/4, E = 2, K of N = 2 of 4 and 3 of 10 alone; every R >= 1, every dimension",
    )


if __name__ == "__main__":
    run_script(__file__)
