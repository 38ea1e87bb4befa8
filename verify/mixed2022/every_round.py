"""Gradient Transfer at constant steps, for every number of rounds: certified rates at named parameters.

The clients need not have one loss: they share their gradient at the minimiser alone, which holds for homogeneous clients.
beta = 1, mu = 1/10.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
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
from verify.mixed2022.parabolas import mixed

ZERO, ONE = Fraction(0), Fraction(1)
MU = Fraction(1, 10)
LOSSES = fl.SmoothStronglyConvex(MU, ONE)
#: N = S clients.
N = 10
#: By the number of local steps, what the noises come down to.
Floors = Mapping[int, Mapping[str, str]]
ONE_WAY: Floors = {2: {"noise": "0.0168", "centre_noise": "0.3175"}, 5: {"noise": "0.00703", "centre_noise": "0.3171"}}
TWO_WAY: Floors = {2: {"noise": "0.00704", "centre_noise": "0.0704"}, 5: {"noise": "0.00282", "centre_noise": "0.0282"}}
EXACT: Floors = {1: {}, 2: {}, 3: {}, 5: {}}


@dataclass(frozen=True)
class Transfer:
    """A method at the largest printed step e, its server step size (above sqrt(5S/8) or sqrt(S)) and the document's bound.

    ``start`` and ``start_noise``: what V_0 is at most, in squared distances and in units of what the noise comes down to: that of
    the first gradients of 2-way GT.
    """

    made: Callable[[int], Any]
    step: Fraction
    server: int
    bound: Bound
    start: Fraction = ONE
    start_noise: Fraction = ZERO

    def from_the_bound(self, steps: int) -> tuple[Fraction, dict[str, float]]:
        """The rate per round and the factors of the noises in the long run of the bound, from its own object."""
        central = self.step / steps
        values: dict[str, Any] = {"beta": 1, "mu": MU, "e": self.step, "K": steps, "J": steps, "S": N, "eta_m": 1}
        values |= {"eta": central / self.server, "eta_s": self.server, "eta_c": central, "eta_d": central}
        values |= dict.fromkeys(("V", "C", "D_sq", "start_error"), 0)

        def at(**more: int) -> Fraction:
            taken = {name: value for name, value in {**values, **more}.items() if name in self.bound.arguments}
            found = sp.sympify(self.bound.exact(**taken))
            return Fraction(int(found.p), int(found.q))

        rate = at(T=3, D_sq=1) / at(T=2, D_sq=1)
        floors = {name: at(T=2, **{symbol: 1}) / (1 - rate) for name, symbol in (("sigma^2", "V"), ("sigma_c^2", "C"))}
        return rate, {f"the document's long-run factor of {name}": float(b) for name, b in floors.items()}

    def certified(
        self, factors: Floors, rate: Callable[[int], Fraction], scale: str, rounds: int, valid_for: str
    ) -> Evidence:
        """Certificates at the claimed rates and floors, after exact runs of so many rounds; with noise where there are floors."""
        settings = []
        for steps, listed in factors.items():
            method, floors, noisy = self.made(steps), times(listed, scale), bool(listed)
            printed, beside = self.from_the_bound(steps)
            noise = {"noise": True, "centre_noise": True, "n_clients": N} if noisy else {}
            settings.append(
                EveryRound(
                    f"K = {steps}",
                    method,
                    LOSSES,
                    rate(steps),
                    {"distance": self.start, **{name: self.start_noise * floor for name, floor in floors.items()}},
                    floors,
                    printed=printed,
                    options={"centre": LOSSES, "heterogeneity": "none", **noise},
                    runs=flat_runs(method, rounds=rounds, noisy=noisy),
                    beside=beside if noisy else {},
                )
            )
        return at_every_round(settings, valid_for=valid_for)


def one_way(steps: int) -> fl.OneWayGradientTransfer:
    return fl.OneWayGradientTransfer(steps, Fraction(1, 8) / (steps * 3), 3)


def two_way(steps: int) -> fl.TwoWayGradientTransfer:
    central = Fraction(1, 81) / steps
    options = {"divisor": "central step size", "initial": "gradients"}
    return fl.TwoWayGradientTransfer(steps, central / 4, central, 4, **options)


OF_ONE_WAY = Transfer(one_way, Fraction(1, 8), 3, curves.ONE_WAY_DISTANCE)
OF_TWO_WAY = Transfer(two_way, Fraction(1, 81), 4, curves.TWO_WAY_DISTANCE, Fraction(3, 2), Fraction(1, 40))


def of_the_flattest(keep: str) -> Callable[[int], Fraction]:
    """All but ``keep`` of ``1 - (1 - 2 eta_s (1 - (1 - eta mu)^K))^2``, what a round of 1-way GT takes away from mu x^2/2."""

    def rate(steps: int) -> Fraction:
        eta, server = OF_ONE_WAY.step / (steps * OF_ONE_WAY.server), OF_ONE_WAY.server
        return 1 - Fraction(keep) * (1 - (1 - 2 * server * (1 - (1 - eta * MU) ** steps)) ** 2)

    return rate


@cache
def flat_runs(algorithm: Any, *, rounds: int, noisy: bool) -> tuple[ExactRun, ...]:
    """All losses mu x^2/2: from 1 without noise, and from the minimiser with one noise and the other.

    2-way GT starts there at the exact gradients, which are zero: noise at its start is independent of the other and adds to
    the second moment, so that what is computed is less than what is bounded.
    """
    calm = replace(algorithm, initial="zero") if isinstance(algorithm, fl.TwoWayGradientTransfer) else algorithm
    alone, problem = (mixed([(MU, 0)] * many, (MU, 0)) for many in (1, N))  # without noise N clients do what one does
    found = [exact_run("all losses mu x^2/2, x_0 = 1", alone, algorithm, rounds=rounds, start=ONE)]
    for words, own, central in (("clients'", 1, 0), ("central", 0, 1)) if noisy else ():
        said = f"all losses mu x^2/2, x_0 = 0, {words} noise of variance 1"
        length = 150 if calm == algorithm else 20
        found.append(exact_run(said, problem, calm, rounds=length, start=ZERO, noise=own, centre_noise=central))
    return tuple(found)


_EVERY = "every t >= 1, every dimension"
_LEFT = r"\mathbb{E}\|x^{(t)}-x^*\|^2\le"
_RATE = r"1-\tfrac{999}{1000}\bigl(1-(1-2\eta_s(1-(1-\eta\mu)^K))^2\bigr)"
_FASTER = Control("a thousandth more than the flattest losses allow", dict(keep="1001/1000"))
_SHARE = "f_f, f_c mu-strongly convex and beta-smooth; clients with one gradient at x* (as homogeneous clients have)"
_NOISES = "noises of mean zero given the past, uncorrelated between clients and the centre; variances at most sigma^2, sigma_c^2"
_ONE_WAY = "beta = 1, mu = 1/10, e = K eta eta_s = 1/8, eta_s = 3 and these K alone (in other units e beta, mu/beta)"
_TWO_WAY = "beta = 1, mu = 1/10, e = K eta eta_s = 1/81, eta_s = 4, eta_c = eta eta_s, eta_m = 1 and these K alone"


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
    where = f"{_ONE_WAY}; S = N = 10; {_EVERY}, all laws of the noises"
    return OF_ONE_WAY.certified(ONE_WAY, of_the_flattest(keep), scale, 1, where)


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
    where = f"{_ONE_WAY}; every N, all weights; {_EVERY}"
    return OF_ONE_WAY.certified(EXACT, of_the_flattest(keep), "1", 3, where)


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
    controls=[Control("(1 - 6 mu e)^2", dict(power="6")), Control("a third of the noise", dict(scale="1/3"))],
)
def two_way_with_noise(power: str, scale: str) -> Evidence:
    kept = (1 - Fraction(power) * MU * OF_TWO_WAY.step) ** 2
    where = f"{_TWO_WAY}; S = N = 10; {_EVERY}, all laws of the noises"
    return OF_TWO_WAY.certified(TWO_WAY, lambda steps: kept, scale, 90, where)


if __name__ == "__main__":
    run_script(__file__)
