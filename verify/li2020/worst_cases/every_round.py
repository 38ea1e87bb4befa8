"""FedAvg at a constant step for every number of rounds: the rate of the flattest clients, certified at named parameters.

The documents' recursion (13) keeps 1 - eta mu of the squared distance in a local step, and needs gradients bounded by G.  Here a
round keeps (1 - eta mu)^(2E), but for a thousandth of what it takes away, and no bound on gradients along the run is used:
heterogeneity enters through Gamma, or through the gradients at the minimiser.  L = 1.
"""

from collections.abc import Mapping
from fractions import Fraction
from functools import cache

import fltheory as fl
from fltheory.evidence.every_round import EveryRound, ExactRun, at_every_round, exact_run, times
from fltheory.evidence.kinds import expectation_claim, run_script
from fltheory.evidence.model import Control, Evidence
from fltheory.evidence.naming import WHERE
from verify.li2020 import elsewhere, lemmas
from verify.li2020.worst_cases import boxes

ONE = Fraction(1)
STEP, MU = Fraction(1, 4), Fraction(1, 10)
CLIENTS = fl.SmoothStronglyConvex(MU, ONE)
N, COHORT = 10, 3
#: What the squared distance comes down to, in units of the quantities, by the number of local steps.
Floors = Mapping[int, Mapping[str, str]]
FULL: Floors = {
    1: {"noise": "0.127"},
    2: {"gamma": "0.132", "noise": "0.185"},
    5: {"gamma": "1.25", "noise": "0.322"},
}
SAMPLED: Floors = {2: {"gamma": "1.71", "noise": "0.535"}, 5: {"gamma": "4.46", "noise": "0.611"}}
EXACT: Floors = {2: {"heterogeneity": "0.0704"}, 5: {"heterogeneity": "0.67"}}
#: Two kinds of clients whose local steps end far from the minimiser, and the weight of the flat ones.
FLAT_WEIGHT = {"gamma": Fraction(9, 10), "heterogeneity": Fraction(43, 50)}


def of_the_flattest(local: int) -> Fraction:
    """``(1 - eta mu)^(2E)``: what a round keeps where all clients are mu w^2/2."""
    return (1 - STEP * MU) ** (2 * local)


def rate(local: int, keep: str) -> Fraction:
    """All but the share ``keep`` of what a round takes away from the flattest clients."""
    return 1 - Fraction(keep) * (1 - of_the_flattest(local))


def printed_rate(local: int) -> Fraction:
    """What E steps of the recursion (13) keep, from its own object."""
    once = lemmas.RECURSION.exact(eta=STEP, mu=MU, L=ONE, E=local, S=0, Gamma=0, G=0, Delta=1)
    return Fraction(int(once.p), int(once.q)) ** local


def printed_floors(local: int) -> dict[str, float]:
    """What each term of the recursion (13) comes down to in the long run, in units of its quantity; V = sigma^2/N."""

    def at(S: Fraction = Fraction(0), Gamma: int = 0, G: int = 0, Delta: int = 0) -> float:
        return float(lemmas.RECURSION.exact(eta=STEP, mu=MU, L=ONE, E=local, S=S, Gamma=Gamma, G=G, Delta=Delta))

    terms = {"sigma^2": at(S=Fraction(1, N)), "Gamma": at(Gamma=1), "G^2": at(G=1)}
    return {f"factor of {name} in the long run by (13)": term / (1 - at(Delta=1)) for name, term in terms.items()}


def flat(count: int) -> fl.QuadraticProblem:
    """All clients mu w^2/2."""
    return fl.QuadraticProblem([[[MU]]] * count, [[Fraction(0)]] * count)


def two_kinds(flat_weight: Fraction) -> tuple[fl.QuadraticProblem, dict[str, Fraction]]:
    """Ten clients of equal weight, or two of these weights: mu (w - 1)^2/2 and steep ones, with the minimiser 0."""
    steep_weight = 1 - flat_weight
    steep = -flat_weight * MU / steep_weight  # where the steep ones (curvature 1) have their minimiser
    counted = flat_weight * N
    if counted.denominator == 1:
        weights, kinds = None, [(MU, ONE)] * int(counted) + [(ONE, steep)] * (N - int(counted))
    else:
        weights, kinds = [flat_weight, steep_weight], [(MU, ONE), (ONE, steep)]
    problem = fl.QuadraticProblem([[[h]] for h, _ in kinds], [[h * c] for h, c in kinds], weights=weights)
    pairs = ((flat_weight, MU, ONE), (steep_weight, ONE, steep))
    return problem, {
        "gamma": sum((p * h * c**2 / 2 for p, h, c in pairs), Fraction(0)),
        "heterogeneity": sum((p * h**2 * c**2 for p, h, c in pairs), Fraction(0)),
    }


@cache
def runs(algorithm: fl.FedAvg, name: str, *, noisy: bool, resting: bool) -> tuple[ExactRun, ...]:
    """Flat clients from 1, flat clients with noise from the minimiser, and two kinds of clients where they come to rest."""
    found = [exact_run("all clients mu w^2/2, w_0 = 1", flat(N), algorithm, rounds=1, start=ONE)]
    if noisy:
        words = "all clients mu w^2/2, w_0 = 0, noise of variance 1"
        found.append(exact_run(words, flat(N), algorithm, rounds=150, start=Fraction(0), noise=1))
    if resting:
        problem, spread = two_kinds(FLAT_WEIGHT[name])
        rest = Fraction(fl.fixed_point(problem, algorithm, exact=True)[0])
        words = f"clients mu (w - 1)^2/2 (weight {FLAT_WEIGHT[name]}) and steep ones from {rest}, where FedAvg rests"
        quantities = {name: spread[name]}
        found.append(exact_run(words, problem, algorithm, rounds=1, start=rest, quantities=quantities))
    return tuple(found)


def settings(floors: Floors, keep: str, scale: str, *, sampled: bool, noisy: bool) -> list[EveryRound]:
    """The claim for each number of local steps."""
    name = "gamma" if noisy else "heterogeneity"
    options = {"heterogeneity": "gamma", "noise": True, "n_clients": N} if noisy else {}
    found = []
    for local, factors in floors.items():
        algorithm = fl.FedAvg(local, STEP, fl.SchemeI(COHORT) if sampled else fl.Full())
        beside = printed_floors(local) if noisy and not sampled else {}
        if not noisy:
            kept, b = boxes.contraction(local).value_at(STEP, MU), boxes.constant(local).value_at(STEP, MU)
            beside = {"factor of zeta^2 in the long run by LI-THM1-S4": float(b / (1 - kept))}
        found.append(
            EveryRound(
                f"E = {local}",
                algorithm,
                CLIENTS,
                rate(local, keep),
                {"distance": ONE},
                times(factors, scale),
                printed=printed_rate(local),
                options=options,
                runs=runs(algorithm, name, noisy=noisy, resting=local > 1 and not sampled),
                beside=beside,
            )
        )
    return found


def shown(floors: Floors, names: Mapping[str, str]) -> str:
    """The floors in LaTeX."""
    listed = [
        rf"{names[name]}_{{{local}}}={text}" for local, factors in floors.items() for name, text in factors.items()
    ]
    return r",\ ".join(listed)


_RATE = r"\rho_E=1-\tfrac{999}{1000}\bigl(1-(1-\eta\mu)^{2E}\bigr)"
_AT = r"\quad(L=1,\ \mu=\tfrac1{10},\ \eta=\tfrac14)"
_NOISY = {"gamma": "g", "noise": "v"}
_LEFT = r"\mathbb{E}\|w_{RE}-w^\star\|^2\le\rho_E^R\,\|w_0-w^\star\|^2+(1-\rho_E^R)"
_PARAMETERS = "L = 1, mu = 1/10, eta = 1/4 and these E alone (in other units eta L = 1/4, mu/L = 1/10)"
_FASTER = Control("a thousandth more than the flattest clients allow", dict(keep="1001/1000"))
of_every_round = expectation_claim.sharing(
    quick=False, elsewhere=elsewhere.AT_THE_MINIMISER, printed=dict(keep="999/1000", scale="1")
)
_NOISE = "noise of mean zero given the past, variance at most sigma^2, uncorrelated between clients"


@of_every_round(
    "LI-THM1-S8",
    source="Theorem 1 and eq. (13), constant step",
    statement=_LEFT + r"\bigl(g_E\Gamma+v_E\sigma^2\bigr)," + _AT + WHERE + _RATE + r",\ " + shown(FULL, _NOISY),
    headline="FedAvg contracts about twice as fast as printed, without bounded gradients",
    summary="FedAvg at eta = 1/(4L), mu = L/10, N = 10 clients, E = 1, 2, 5: certified for every number of rounds, with the rate "
    "of the flattest clients up to a thousandth; heterogeneity enters through Gamma alone, and not at all for E = 1. For E = 5 the "
    "factor of sigma^2 is above that of (13), which adds 320 G^2 to it.",
    assumptions=(
        "A1, A2",
        _NOISE,
        "full participation, N = 10, equal weights, constant step",
        _PARAMETERS,
    ),
    controls=[_FASTER, Control("floors times 0.99 (the noise at E = 1)", dict(scale="99/100"))],
)
def full(keep: str, scale: str) -> Evidence:
    """Certificates at the claimed rates, after exact runs."""
    return at_every_round(
        settings(FULL, keep, scale, sampled=False, noisy=True),
        valid_for=f"{_PARAMETERS}; N = 10; every R >= 1, every dimension, all laws of the noise",
    )


@of_every_round(
    "LI-THM1-S9",
    source="Theorem 1 and eq. (13), exact gradients, constant step",
    statement=r"\|w_{RE}-w^\star\|^2\le\rho_E^R\,\|w_0-w^\star\|^2+(1-\rho_E^R)\,z_E\sum_kp_k\|\nabla F_k(w^\star)\|^2,"
    + _AT
    + WHERE
    + _RATE
    + r",\ "
    + shown(EXACT, {"heterogeneity": "z"}),
    headline="FedAvg with full gradients: the rate of the flattest clients and a smaller error",
    summary="FedAvg with full gradients at eta = 1/(4L), mu = L/10, E = 2, 5, certified for every number of rounds: the rate is "
    "that of the flattest clients up to a thousandth, where LI-THM1-S4 has its square root, and the error is smaller too.",
    assumptions=("A1, A2", "exact gradients, full participation, constant step", _PARAMETERS),
    controls=[_FASTER, Control("half the error", dict(scale="1/2"))],
)
def exact(keep: str, scale: str) -> Evidence:
    """Certificates at the claimed rates, after exact runs."""
    return at_every_round(
        settings(EXACT, keep, scale, sampled=False, noisy=False),
        valid_for=f"{_PARAMETERS}; every N, all weights, every R >= 1, every dimension",
    )


@of_every_round(
    "LI-THM2-S2",
    source="Theorem 2 and eq. (13), Scheme I, constant step",
    statement=_LEFT + r"\bigl(g_E\Gamma+v_E\sigma^2\bigr)," + _AT + WHERE + _RATE + r",\ " + shown(SAMPLED, _NOISY),
    headline="Sampled cohorts cost no rate: certified for Scheme I with 3 of 10 clients",
    summary="FedAvg with three draws out of N = 10 clients a round (Scheme I) at eta = 1/(4L), mu = L/10, E = 2, 5: certified for "
    "every number of rounds, with the rate of the flattest clients up to a thousandth and no bound on gradients along the run.",
    assumptions=(
        "A1, A2",
        _NOISE,
        "Scheme I, K = 3 of N = 10, equal weights, cohorts drawn afresh, constant step",
        _PARAMETERS,
    ),
    controls=[_FASTER, Control("nine tenths of the floors", dict(scale="9/10"))],
)
def cohorts(keep: str, scale: str) -> Evidence:
    """Certificates at the claimed rates, after exact runs."""
    return at_every_round(
        settings(SAMPLED, keep, scale, sampled=True, noisy=True),
        valid_for=f"{_PARAMETERS}; K = 3, N = 10; every R >= 1, every dimension, all laws of the noise",
    )


if __name__ == "__main__":
    run_script(__file__)
