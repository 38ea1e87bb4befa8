"""(19) of FedLAMA for three and more local steps: twelve steps of noise in fresh directions break it.

Found by semidefinite programming over functions and schedules, then rounded.  After the first step the clients stand apart in the
layer that is averaged at the end of the round, and their gradients along y are less than half of that at u.  The noise in the
other layer raises F as much as on a parabola, while at the clients' own points the gradients drive it outwards.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

from fltheory.evidence.ends import by_witness
from fltheory.evidence.kinds import expectation_claim, run_script
from fltheory.evidence.model import Control, Evidence
from fltheory.evidence.witness import Side, Witness
from fltheory.theory.fedlama2021 import lemma_5_1 as stated
from fltheory.theory.values import exact_value
from verify.fedlama2021.fresh_noise import FreshNoise
from verify.fedlama2021.lemma_5_1_one_round import ASSUMPTIONS, changed


def _over(denominator: int, *numbers: int) -> tuple[Fraction, ...]:
    return tuple(Fraction(number, denominator) for number in numbers)


#: 40 clients, 12 local steps.
TWELVE = FreshNoise(
    m=40,
    omega=Fraction(59, 100),
    h=_over(1000, 416, 395, 377, 361, 348, 336, 319, 285, 254, 227, 204),
    theta=_over(1000, 0, 927, 927, 928, 929, 913, 841, 637, 466, 338, 238),
    gamma=_over(1000, -110, -81, -52, -24, 4, 29, 43, 29, 15, 5, -2),
    f=_over(5000, -459, -553, -642, -728, -812, -899, -987, -1063, -1117, -1153, -1177),
    end=_over(5000, -1101, 2830, 4230, -5000, 4955),
)
SETTING = (
    "eta = 1/tau, L = 1, |grad F(u)| = 1, omega = eta sigma; points, values and gradients of the clients' functions as in "
    "verify/fedlama2021/fresh_noise.py"
)


def instance(round: FreshNoise, sigma: str = "1", S: str = "1") -> Witness:
    """The round against (19) with factors of its noise and of its distances."""
    bound = changed(stated.ROUND, sigma, S)
    names = ("m", "omega", "h", "theta", "gamma", "f", "end")
    at: dict[str, Any] = {"tau": round.tau, **{name: getattr(round, name) for name in names}}

    def of(m: int, omega: Fraction, end: Sequence[Fraction], **paths: Any) -> FreshNoise:
        del paths["tau"]
        return FreshNoise(m=m, omega=omega, end=end, **paths)

    def right(**data: Any) -> Any:
        one = of(**data)
        values = {stated.L: 1, stated.eta: one.eta, stated.tau: one.tau, stated.m: one.m, stated.square: one.G**2}
        values |= {stated.sigma: one.omega / one.eta, stated.drift: one.distances}
        return exact_value(bound.expression, values)

    smooth = Side("least slack of the conditions for 1-smooth functions", lambda **data: of(**data).least_slack)
    left = Side("E F(u_{t+1}) - F(u_t)", lambda **data: of(**data).change)
    return Witness(at, left, "<=", Side("right side", right), [(smooth, ">=", 0)], SETTING)


@expectation_claim(
    "LA-EQ19.2",
    statement=(r"\tau\ge3:\quad ", stated.ROUND),
    source="(19)",
    fault="substance",
    repair="LA-EQ19-R1",
    headline="In a round of twelve local steps the objective can decrease by less than is printed",
    summary="Forty clients, one layer averaged after every step and one at the end of the round, step size 1/(L tau), "
    "independent noises in a fresh direction each: the objective decreases by less than (19) says. The functions are "
    "given by their values and gradients at all points that the round visits, whatever the signs of the noise are, and "
    "the conditions under which smooth functions with these data exist are checked exactly. So Lemma 5.1 fails too, "
    "with F(u_T), T = 1 and the distances of its proof, over j = 0, ..., tau - 1, and some factor above 1 is needed there; 5/2 is "
    "enough (LA-EQ19-R1). The lemma's own display sums over j = 1, ..., tau, with a distance at the end of the round besides, "
    "and this round does not break it.",
    printed=dict(S="1", lift="0"),
    controls=[
        Control("5/2 times the distances", dict(S="5/2"), must="pass"),
        Control("501/500 of the distances", dict(S="501/500"), must="pass"),
        Control("a value at the end that no smooth function has", dict(lift="1/100"), must="pass"),
    ],
    assumptions=ASSUMPTIONS,
    proof_steps=("LA-EQ17", "LA-EQ18"),
)
def three_and_more(S: str, lift: str) -> Evidence:
    """The round of twelve steps; ``lift`` is added to the value at its end."""
    value, *gradient = TWELVE.end
    lifted = replace(TWELVE, end=(value + Fraction(lift), *gradient))
    return by_witness(instance(lifted, S=S))


if __name__ == "__main__":
    run_script(__file__)
