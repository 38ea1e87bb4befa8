"""Gradient Transfer and SCAFFOLD at constant steps, for every number of rounds: certified rates at named parameters.

The clients need not have one loss: for Gradient Transfer they share their gradient at the minimiser alone, which holds for
homogeneous clients; for SCAFFOLD not even that.  beta = 1, mu = 1/10.
"""

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from functools import cache
from typing import Any

import sympy as sp

import fltheory as fl
from fltheory.evidence.every_round import EveryRound, ExactRun, at_every_round, exact_run, times
from fltheory.evidence.kinds import expectation_claim, inequality_claim, run_script
from fltheory.evidence.model import Control, Evidence
from fltheory.evidence.naming import WHERE
from fltheory.theory.bound import Bound
from fltheory.theory.mixed2022 import curves
from verify.mixed2022 import elsewhere
from verify.mixed2022.parabolas import mixed, parabolas

ZERO, ONE = Fraction(0), Fraction(1)
MU = Fraction(1, 10)
LOSSES = fl.SmoothStronglyConvex(MU, ONE)
#: N = S clients; the largest printed steps e; server step sizes above sqrt(5S/8) and sqrt(S).
N = 10
ONE_WAY_STEP, ONE_WAY_SERVER = Fraction(1, 8), 3
TWO_WAY_STEP, TWO_WAY_SERVER = Fraction(1, 81), 4
SCAFFOLD_STEP = Fraction(1, 4)
Floors = Mapping[int, Mapping[str, str]]
ONE_WAY: Floors = {
    2: {"noise": "0.0168", "centre_noise": "0.3175"},
    5: {"noise": "0.00703", "centre_noise": "0.3171"},
}
TWO_WAY: Floors = {
    2: {"noise": "0.00704", "centre_noise": "0.0704"},
    5: {"noise": "0.00282", "centre_noise": "0.0282"},
}
#: What the noise of the first gradients of 2-way GT adds to V_0, in units of what it comes down to.
START = Fraction(1, 40)
#: What the heterogeneity of the start adds to V_0 of SCAFFOLD, whose variates start at zero.
SCAFFOLD_START = {2: "0.0085", 5: "0.23"}


def one_way(steps: int) -> fl.OneWayGradientTransfer:
    return fl.OneWayGradientTransfer(steps, ONE_WAY_STEP / (steps * ONE_WAY_SERVER), ONE_WAY_SERVER)


def two_way(steps: int) -> fl.TwoWayGradientTransfer:
    return fl.TwoWayGradientTransfer(
        steps,
        TWO_WAY_STEP / (steps * TWO_WAY_SERVER),
        TWO_WAY_STEP / steps,
        TWO_WAY_SERVER,
        divisor="central step size",
        initial="gradients",
    )


def of_the_flattest(steps: int) -> Fraction:
    """What a round of 1-way GT keeps where all losses are mu x^2/2: ``(1 - 2 eta_s (1 - (1 - eta mu)^K))^2``."""
    eta = ONE_WAY_STEP / (steps * ONE_WAY_SERVER)
    return (1 - 2 * ONE_WAY_SERVER * (1 - (1 - eta * MU) ** steps)) ** 2


def from_the_bound(bound: Bound, steps: int, step: Fraction, server: int) -> tuple[Fraction, dict[str, float]]:
    """The rate per round and the factors of the noises in the long run of a bound at a constant step, from its own object."""
    values: dict[str, Any] = {"beta": 1, "mu": MU, "e": step, "K": steps, "S": N, "eta_s": server, "eta_m": 1}
    values |= {"V": 0, "C": 0, "D_sq": 0, "eta": step / (steps * server), "eta_c": step / steps, "eta_d": step / steps}
    values |= {"J": steps, "start_error": 0}

    def at(**more: int) -> Fraction:
        taken = {name: value for name, value in {**values, **more}.items() if name in bound.arguments}
        found = sp.sympify(bound.exact(**taken))
        return Fraction(int(found.p), int(found.q))

    rate = at(T=3, D_sq=1) / at(T=2, D_sq=1)
    floors = {name: at(T=2, **{symbol: 1}) / (1 - rate) for name, symbol in (("sigma^2", "V"), ("sigma_c^2", "C"))}
    return rate, {f"the document's long-run factor of {name}": float(b) for name, b in floors.items()}


@cache
def flat_runs(algorithm: Any, *, rounds: int, noisy: bool) -> tuple[ExactRun, ...]:
    """All losses mu x^2/2: from 1 without noise, and from the minimiser with one noise and the other.

    2-way GT starts there at the exact gradients, which are zero: noise at its start is independent of the other and adds to
    the second moment, so that what is computed is less than what is bounded.
    """
    calm = replace(algorithm, initial="zero") if isinstance(algorithm, fl.TwoWayGradientTransfer) else algorithm
    alone, problem = (
        mixed([(MU, 0)], (MU, 0)),
        mixed([(MU, 0)] * N, (MU, 0)),
    )  # without noise N clients do what one does
    found = [exact_run("all losses mu x^2/2, x_0 = 1", alone, algorithm, rounds=rounds, start=ONE)]
    for words, own, central in (("clients'", 1, 0), ("central", 0, 1)) if noisy else ():
        said = f"all losses mu x^2/2, x_0 = 0, {words} noise of variance 1"
        length = 150 if calm == algorithm else 20
        found.append(exact_run(said, problem, calm, rounds=length, start=ZERO, noise=own, centre_noise=central))
    return tuple(found)


_NOISE: dict[str, Any] = {
    "centre": LOSSES,
    "heterogeneity": "none",
    "noise": True,
    "centre_noise": True,
    "n_clients": N,
}
_LEFT = r"\mathbb{E}\|x^{(t)}-x^*\|^2\le"
_RATE = r"1-\tfrac{999}{1000}\bigl(1-(1-2\eta_s(1-(1-\eta\mu)^K))^2\bigr)"
_FASTER = Control("a thousandth more than the flattest losses allow", dict(keep="1001/1000"))
_SHARE = "f_f, f_c mu-strongly convex and beta-smooth; clients with one gradient at x* (as homogeneous clients have)"
_NOISES = "noises of mean zero given the past, uncorrelated between clients and the centre; variances at most sigma^2, sigma_c^2"
_ONE_WAY = "beta = 1, mu = 1/10, e = K eta eta_s = 1/8, eta_s = 3 and these K alone (in other units e beta, mu/beta)"
_TWO_WAY = "beta = 1, mu = 1/10, e = K eta eta_s = 1/81, eta_s = 4, eta_c = eta eta_s, eta_m = 1 and these K alone"
_EVERY = "every t >= 1, every dimension"


def shown(floors: Floors) -> str:
    """The floors in LaTeX."""
    names = {"noise": "v", "centre_noise": "c"}
    return r",\ ".join(
        rf"{names[name]}_{{{steps}}}={text}" for steps, factors in floors.items() for name, text in factors.items()
    )


@expectation_claim(
    "MX-CVX-REC-S10",
    source="Appendix D.2.1, unrolled",
    quick=False,
    statement=_LEFT
    + r"\rho_K^t\|x^{(0)}-x^*\|^2+(1-\rho_K^t)\bigl(v_K\sigma^2+c_K\sigma_c^2\bigr)"
    + r"\quad(\beta=1,\ \mu=\tfrac1{10},\ \tilde\eta=\tfrac18,\ \eta_s=3,\ S=N=10)"
    + WHERE
    + rf"\rho_K={_RATE},\ "
    + shown(ONE_WAY),
    headline="1-way Gradient Transfer contracts more than twice as fast as its recursion says",
    summary="1-way GT at the largest printed step, K = 2 and 5, N = S = 10, has for every number of rounds the rate of the "
    "flattest losses up to a thousandth, and less than a fifth of the noise of MX-CVX-REC-S9: certified.",
    elsewhere=elsewhere.ROUND,
    assumptions=(_SHARE, _NOISES, _ONE_WAY, "S = N = 10"),
    printed=dict(keep="999/1000", scale="1"),
    controls=[_FASTER, Control("noise times 0.99", dict(scale="99/100"))],
)
def one_way_with_noise(keep: str, scale: str) -> Evidence:
    """Certificates at the claimed rates, after exact runs."""
    settings = []
    for steps, factors in ONE_WAY.items():
        printed, beside = from_the_bound(curves.ONE_WAY_DISTANCE, steps, ONE_WAY_STEP, ONE_WAY_SERVER)
        settings.append(
            EveryRound(
                f"K = {steps}",
                one_way(steps),
                LOSSES,
                1 - Fraction(keep) * (1 - of_the_flattest(steps)),
                {"distance": ONE},
                times(factors, scale),
                printed=printed,
                options=_NOISE,
                runs=flat_runs(one_way(steps), rounds=1, noisy=True),
                beside=beside,
            )
        )
    return at_every_round(settings, valid_for=f"{_ONE_WAY}; S = N = 10; {_EVERY}, all laws of the noises")


@inequality_claim(
    "MX-CVX-REC-S11",
    source="Appendix D.2.1, exact gradients, unrolled",
    quick=False,
    statement=r"\|x^{(t)}-x^*\|^2\le\bigl(1-2\eta_s(1-(1-\eta\mu)^K)\bigr)^{2t}\|x^{(0)}-x^*\|^2"
    r"\quad(\beta=1,\ \mu=\tfrac1{10},\ \tilde\eta=\tfrac18,\ \eta_s=3,\ K\in\{1,2,3,5\})",
    headline="1-way Gradient Transfer with full gradients: its exact rate, which parabolas attain",
    summary="1-way GT with full gradients at the largest printed step, K = 1, 2, 3, 5: the certified rate is exactly that of "
    "parabolas of curvature mu, for every number of rounds, so that no smaller one will do.",
    elsewhere=elsewhere.ROUND,
    assumptions=(_SHARE, "exact gradients, full participation", _ONE_WAY),
    printed=dict(keep="1"),
    controls=[_FASTER],
)
def one_way_exactly(keep: str) -> Evidence:
    """Certificates at the claimed rates, after exact runs."""
    settings = [
        EveryRound(
            f"K = {steps}",
            one_way(steps),
            LOSSES,
            1 - Fraction(keep) * (1 - of_the_flattest(steps)),
            {"distance": ONE},
            {},
            printed=from_the_bound(curves.ONE_WAY_DISTANCE, steps, ONE_WAY_STEP, ONE_WAY_SERVER)[0],
            options={"centre": LOSSES, "heterogeneity": "none"},
            runs=flat_runs(one_way(steps), rounds=3, noisy=False),
        )
        for steps in (1, 2, 3, 5)
    ]
    return at_every_round(settings, valid_for=f"{_ONE_WAY}; every N, all weights; {_EVERY}")


@expectation_claim(
    "MX-THMB3-S4",
    source="Theorem B.3, unrolled",
    quick=False,
    statement=_LEFT
    + r"\rho^t\bigl(\tfrac32\|x^{(0)}-x^*\|^2+\tfrac1{40}(v_K\sigma^2+c_K\sigma_c^2)\bigr)"
    + r"+(1-\rho^t)\bigl(v_K\sigma^2+c_K\sigma_c^2\bigr)"
    + r"\quad(\beta=1,\ \mu=\tfrac1{10},\ \tilde\eta=\tfrac1{81},\ \eta_s=4,\ S=N=10)"
    + WHERE
    + r"\rho=(1-4\mu\tilde\eta)^2,\ "
    + shown(TWO_WAY),
    headline="2-way Gradient Transfer contracts over five times as fast as its recursion says",
    summary="At the largest printed step, K = 2 and 5: in all rounds the rate is (1 - 4 mu e)^2, where MX-THMB3-S3 has "
    "1 - 3 mu e/2, and the noise less than an eighth.",
    elsewhere=elsewhere.TWO_WAY,
    assumptions=(_SHARE, _NOISES, _TWO_WAY, "gt_c renewed with eta_c; gt_c, gt_f started at gradients"),
    printed=dict(power="4", scale="1"),
    controls=[
        Control("(1 - 6 mu e)^2", dict(power="6")),
        Control("a third of the noise", dict(scale="1/3")),
    ],
)
def two_way_with_noise(power: str, scale: str) -> Evidence:
    """Certificates at the claimed rates, after exact runs."""
    settings = []
    for steps, factors in TWO_WAY.items():
        printed, beside = from_the_bound(curves.TWO_WAY_DISTANCE, steps, TWO_WAY_STEP, TWO_WAY_SERVER)
        floors = times(factors, scale)
        settings.append(
            EveryRound(
                f"K = {steps}",
                two_way(steps),
                LOSSES,
                (1 - Fraction(power) * MU * TWO_WAY_STEP) ** 2,
                {"distance": Fraction(3, 2), **{name: START * floor for name, floor in floors.items()}},
                floors,
                printed=printed,
                options=_NOISE,
                runs=flat_runs(two_way(steps), rounds=90, noisy=True),
                beside=beside,
            )
        )
    return at_every_round(settings, valid_for=f"{_TWO_WAY}; S = N = 10; {_EVERY}, all laws of the noises")


@inequality_claim(
    "MX-A2-SCAF-U2",
    source="Appendix A.2; proof of Theorem B.3",
    quick=False,
    statement=r"\|x^{(R)}-x^*\|^2\le(1-\eta\mu)^{2ER}\Bigl(\|x^{(0)}-x^*\|^2+s_E\sum_kp_k\|\nabla f_k(x^*)\|^2\Bigr)"
    r"\quad(\beta=1,\ \mu=\tfrac1{10},\ \eta=\tfrac14)"
    + WHERE
    + r",\ ".join(rf"s_{{{local}}}={text}" for local, text in SCAFFOLD_START.items()),
    headline="SCAFFOLD with full gradients has the rate of identical clients, however they differ",
    summary="SCAFFOLD (option II, variates started at zero) with full gradients at eta = 1/(4 beta), mu = beta/10, E = 2, 5: the "
    "certified rate is exactly (1 - eta mu)^(2E) a round, as where all clients are mu x^2/2; heterogeneity is forgotten at "
    "this rate.",
    elsewhere=elsewhere.SCAFFOLD,
    assumptions=(
        "f_k mu-strongly convex and beta-smooth",
        "exact gradients, full participation, server step size 1, variates started at zero",
        "beta = 1, mu = 1/10, eta = 1/4 and these E alone",
    ),
    printed=dict(keep="1", start="1"),
    controls=[_FASTER, Control("no heterogeneity at the start", dict(start="0"))],
)
def scaffold(keep: str, start: str) -> Evidence:
    """Certificates at the claimed rates, after exact runs."""
    settings = []
    for local, text in SCAFFOLD_START.items():
        algorithm = fl.Scaffold(local, SCAFFOLD_STEP)
        kept = (1 - SCAFFOLD_STEP * MU) ** (2 * local)
        unlike = parabolas([(MU, 10), (ONE, -1)])
        runs = (
            exact_run("all clients mu x^2/2, x_0 = 1", parabolas([(MU, 0)] * 2), algorithm, rounds=3, start=ONE),
            exact_run(
                "clients mu (x - 10)^2/2 and (x + 1)^2/2, x_0 = x* = 0",
                unlike,
                algorithm,
                rounds=2,
                start=ZERO,
                quantities={"heterogeneity": ONE},
            ),
        )
        begun = {"distance": ONE, "heterogeneity": Fraction(text) * Fraction(start)}
        rate = 1 - Fraction(keep) * (1 - kept)
        settings.append(EveryRound(f"E = {local}", algorithm, LOSSES, rate, begun, {}, runs=runs))
    return at_every_round(
        settings,
        valid_for="beta = 1, mu = 1/10, eta = 1/4, E = 2, 5 alone; every N, all weights; every R >= 1, every dimension",
    )


if __name__ == "__main__":
    run_script(__file__)
