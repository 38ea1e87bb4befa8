"""Augenstein et al. (2022), Section C.4.2: more and smaller local steps, in the orders and in exact closed forms."""

from __future__ import annotations

from fractions import Fraction

import sympy as sp

import fltheory as fl
from fltheory.evidence.decide import read
from fltheory.evidence.kinds import algebra_claim, qualitative_of_an_instance, run_script
from fltheory.evidence.model import Control, Evidence
from fltheory.problems import AdditiveNoise
from fltheory.theory.mixed2022.orders import ALGORITHMS, C, K, S, V, central_factor
from fltheory.theory.steps import Instance, identity, sign
from verify.mixed2022 import closed_forms
from verify.mixed2022.populations import scalar_mixture
from verify.mixed2022.settled import settle

F, R = Fraction, sp.Rational
FEWER = Control("fewer steps", dict(first=8, more_steps=2))
of_instances = qualitative_of_an_instance.sharing(source="Section C.4.2")
never_hurts = of_instances.sharing(
    fault="reading",
    repair="MX-C42-TRADE.2[with client noise]",
    controls=[Control("fewer and larger steps", dict(first=2, more_steps=8), must="pass")],
)
orders_claim = algebra_claim.sharing(source="Section C.4.2")
RANGES = ((V, 0, None), (C, 0, None), (K, 1, None), (S, 1, None))
more = sp.Symbol("more", nonnegative=True)


def falls_with_steps(algorithms: tuple[str, ...], on: str) -> Evidence:
    """Noise term at K + more against that at K, ``on``: every variance, or sigma_c^2 alone strictly."""
    steps, instances = [], []
    for name in algorithms:
        term = (V + central_factor(name) * C) / (K * S)
        later = term.subs(K, K + more)
        if on == "all variances":
            steps.append(sign(f"{name}: order at K + more <= order at K", term - later, (*RANGES, (more, 0, None))))
            left, right = later, term
        else:  # the order falls like 1/K although sigma_c^2 stays
            steps.append(identity(f"{name}: K times the order is constant", sp.diff(sp.expand(K * term), K), 0))
            left, right = later * (K + more), K * term
        at = {V: 1, C: 1, K: 2, S: 3, more: 2}
        values = [F(str(side.subs(at))) for side in (left, right)]
        instances.append(Instance(f"{name}, sigma = sigma_c = 1, S = 3, K = 4 against K = 2", *values))
    method = "noise terms of Table 1; the other terms have no K"
    return settle(steps, instances, method=method, valid_for="all K >= 1, S >= 1, variances")


def noise_free(name: str, quantity: str, first: int, more_steps: int) -> Evidence:
    """eta K = 1/8 kept, curvatures (1, 1/2), slope 1: factor or fixed point (bias) at K = ``first`` against K = ``more_steps``."""
    found = []
    for steps in (first, more_steps):
        rate = F(1, 8 * steps)
        q_f, q_c = closed_forms.value(F(1), rate, steps), closed_forms.value(F(1, 2), rate, steps)
        factor = {"PT": 1 - q_f - q_c / 2, "1-w GT": 1 - q_f * F(3, 2)}[name]
        bias = {"PT": (q_c - q_f) / (q_f + q_c / 2), "1-w GT": F(0)}[name]
        found.append(factor if quantity == "factor" else abs(bias))
    return read(
        found[0] <= found[1],
        method="closed forms of MX-ALG-STAB and of the fixed point, exactly",
        examined=2,
        margin=float(found[1] - found[0]) or None,
        numbers={f"K={first}": str(found[0]), f"K={more_steps}": str(found[1])},
        valid_for="curvatures (1, 1/2), slope 1, eta K = 1/8, eta_s = eta_m = 1",
        counterexample=f"f_f = x^2/2 + x, f_c = x^2/4 - x, {name}, eta K = 1/8: {quantity} {found[0]} at K = "
        f"{first}, {found[1]} at K = {more_steps}",
    )


def stationary_variance(steps: int) -> Fraction:
    """Of 1-way GT at eta K = 1/8 with unit noise of one client of curvature 1, flat centre: read off the algorithm's text."""
    made = fl.OneWayGradientTransfer(steps, F(1, 8 * steps))
    return F(fl.stationary(scalar_mixture((F(1), F(0))), made, oracle=AdditiveNoise(F(1)), exact=True).variance)


def client_noise(first: int, more_steps: int) -> Evidence:
    """Stationary variance from client noise, curvature 1 on the clients and 0 on the centre, eta K = tau:

    eta/(2 - eta), for every K.
    """
    tau, k = sp.symbols("tau k", positive=True)
    value = (tau / k) / (2 - tau / k)
    steps = [
        identity("stationary value", value, tau / (2 * k - tau)),
        sign("falls with K", -sp.diff(value, k) * (2 * k - tau) ** 2 - tau, ((tau, 0, None), (k, tau, None))),
        sign("K before and after", R(more_steps - first), ()),
    ]
    name = f"eta K = 1/8, sigma = 1: stationary variance at K = {more_steps} against K = {first}"
    found = [Instance(name, stationary_variance(more_steps), stationary_variance(first))]
    method = "closed form of MX-T1-FIT-SIG"
    return settle(steps, found, method=method, valid_for="clients of curvature 1, flat centre, every K, eta K < 1")


trade_rows = [
    orders_claim(
        "MX-C42-TRADE.1",
        printed=dict(algorithms=ALGORITHMS, on="all variances"),
        statement=r"K\mapsto\text{order}(K)\text{ does not increase, no }\eta\text{ in it}",
        summary="The orders do not contain the rates and do not increase with K: in the bounds more and "
        "smaller steps never hurt.",
        controls=[Control("1-way GT: and fall like 1/K at fixed sigma_c", dict(algorithms=("1-w GT",), on="like 1/K"))],
    )(falls_with_steps),
    of_instances(
        "MX-C42-TRADE.2[with client noise]",
        printed=dict(first=2, more_steps=8),
        statement=r"\eta K\text{ kept}:\ K\uparrow\ \Rightarrow\ \mathrm{Var}_\infty\downarrow",
        summary="With client noise (flat central loss) more and smaller steps lower the stationary variance "
        "(like 1/K).",
        controls=[FEWER],
    )(client_noise),
    never_hurts(
        "MX-C42-TRADE.2[without noise, contraction of 1-way GT]",
        headline="Without noise more and smaller steps make 1-way transfer slightly slower",
        printed=dict(name="1-w GT", quantity="factor", first=8, more_steps=2),
        statement=r"\eta K=\tfrac18,\ \sigma=\sigma_c=0:\ \rho_{1w}(K=8)\le\rho_{1w}(K=2)",
        summary="More and smaller steps do hurt a little where there is no noise: the contraction of 1-way GT per round is "
        "slightly slower at K = 8 than at K = 2.",
    )(noise_free),
    never_hurts(
        "MX-C42-TRADE.2[without noise, bias of Parallel Training]",
        headline="Without noise more and smaller steps raise the bias of Parallel Training",
        printed=dict(name="PT", quantity="bias", first=8, more_steps=2),
        statement=r"\eta K=\tfrac18,\ \eta_m=1:\ |x_{PT}-x^*|(K=8)\le|x_{PT}-x^*|(K=2)",
        summary="More and smaller steps do hurt where there is no noise: the bias of Parallel Training at eta_m = 1 is larger "
        "at K = 8 than at K = 2.",
    )(noise_free),
]


def central_share(power: str) -> Evidence:
    """1-way GT, sigma_c^2 -> sigma_c^2 K^-power: is the share of the two variances kept (not larger) as K grows?"""
    share = sp.simplify((K * S * C * K ** -R(power)) / V)
    at = {V: 1, C: 1, S: 1}
    steps = [identity("share of sigma_c^2 against sigma^2 does not depend on K", sp.diff(share, K), 0)]
    sides = [F(str(sp.nsimplify(share.subs(at).subs(K, many)))) for many in (1024, 1)]
    instances = [Instance("1-way GT, sigma = sigma_c = S = 1, share, K = 1024 and K = 1", *sides)]
    return settle(steps, instances, method="noise term of the order", valid_for="all K, S, variances")


share_row = orders_claim(
    "MX-C42-TRADE.3",
    printed=dict(power="1"),
    statement=r"KS\sigma_c^2/\sigma^2\text{ kept}\iff\sigma_c^2\propto1/K",
    summary="1-way GT: to keep the weight of sigma_c^2 against sigma^2, sigma_c^2 must fall like 1/K "
    "(at fixed sigma_c the order does not grow with K either, MX-C42-TRADE.1; it only stops falling).",
    controls=[Control("like K^(-9/10)", dict(power="9/10")), Control("no reduction", dict(power="0"))],
)(central_share)

if __name__ == "__main__":
    run_script(__file__)
