"""Proofs of Theorems B.1 and B.3 of Augenstein et al. (2022): are the algorithms those of the quoted theorems?

Parallel Training against FedAvg, 2-way Gradient Transfer against SCAFFOLD, each on two meta-clients.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import sympy as sp

import fltheory as fl
from fltheory.evidence.decide import read
from fltheory.evidence.model import Control, Evidence
from fltheory.problems.mixed import MixedProblem
from fltheory.problems.numbers import harmonise
from fltheory.problems.quadratic import QuadraticProblem
from fltheory.theory.steps import equality, identity
from verify.mixed2022 import updates
from verify.mixed2022.declared import identity_claim
from verify.mixed2022.settled import settle
from verify.mixed2022.updates import average, central_update, client_update, eta_c, eta_m, eta_s, traced

F, R = Fraction, sp.Rational


def scalar(f: Fraction, c: Fraction, slope: Fraction) -> MixedProblem:
    """f_f = f x^2/2 + slope x, f_c = c x^2/2 - slope x."""
    data = harmonise(dict(f=[[[f]]], c=[[[c]]], a=[[-slope]], b=[[slope]]))
    return MixedProblem(QuadraticProblem(data["f"], data["a"]), QuadraticProblem(data["c"], data["b"]))


def fedavg(steps: int, weights: tuple[Any, Any], local: Any, global_rate: Any) -> Any:
    """x + eta_g (w_f Delta_1 + w_c Delta_2), the clients' losses f_f/w_f and f_c/w_c, local rate eta_l: objective f."""
    first = average(client_update(updates.x, steps, sp.Integer(0), rate=local / weights[0]))
    second = central_update(updates.x, steps, sp.Integer(0)).subs(eta_c, local / weights[1])
    return sp.expand(updates.x + global_rate * (weights[0] * first + weights[1] * second))


MAP = dict(source="proof of Theorem B.1")


def same_iterates(global_rate: str, server_rate: str, proportion: str) -> Evidence:
    """One round of Parallel Training with eta_c = eta eta_s against FedAvg on f_f/w_f, f_c/w_c, local rate eta w_f."""
    names = {"eta_m": eta_m, "eta_s": eta_s}
    factor = sp.sympify(server_rate, locals=names)
    share = sp.sympify(proportion, locals=names)
    weights, local = (share, 1 - share), updates.eta * share
    given = sp.sympify(global_rate, locals=names)
    steps, instances = [], []
    for many in (1, 2, 3):
        made = traced(lambda e, ec, s, m, n=many: fl.ParallelTraining(n, e, ec, s, m), (updates.x,))[0]  # type: ignore[misc]
        here = made.subs({eta_s: factor, eta_c: factor * updates.eta}, simultaneous=True)
        calls = (here, fedavg(many, weights, local, given))
        steps.append(identity(f"K={many}", *(_simplified(call) for call in calls)))
    eta, merge = F(1, 4), F(1)
    server_value = F(str(factor.subs(eta_s, 3)))
    at = {eta_m: 1, eta_s: R(str(server_value))}
    run = fl.ParallelTraining(2, eta, server_value * eta, server_value, merge)
    mine = fl.trajectory(scalar(F(1), F(1, 2), F(1)), run, rounds=2, exact=True).models[:, 0]
    first, outer, x = F(str(sp.sympify(share).subs(at))), F(str(given.subs(at))), F(0)
    for t in (1, 2):
        r_f, r_c = eta, eta * first / (1 - first)
        q_f, q_c = r_f * (2 - r_f), r_c * (2 - r_c / 2)
        x = x - outer * (first * q_f * (x + 1) + (1 - first) * q_c * (x / 2 - 1))
        instances.append(
            equality(
                f"f_f = x^2/2 + x, f_c = x^2/4 - x, x = 0, K = 2, eta = 1/4, eta_s = {server_value}, eta_m = 1, round {t}",
                F(mine[t]),
                x,
            )
        )
    return settle(
        steps,
        instances,
        method=(
            "the package's round as a program over unknown losses, K = 1, 2, 3 (every further step "
            "adds the same terms on both sides)"
        ),
        valid_for="all losses, N, S, d, eta_m; K = 1, 2, 3, and by the same recursion every K",
    )


def _simplified(expression: Any) -> Any:
    """Rates within the arguments of the unknown gradients in one form, so that equal calls are one symbol."""
    calls = sp.core.function.AppliedUndef
    return expression.replace(
        lambda e: isinstance(e, calls), lambda e: e.func(*(sp.expand(sp.cancel(a)) for a in e.args))
    )


iterates = [
    identity_claim(
        "MX-THMB1-MAP.1[eta_s = 1]",
        **MAP,
        printed=dict(global_rate="2*eta_m", server_rate="1", proportion="1/2"),
        statement=r"\text{PT}(\eta,\eta_c=\eta,\eta_m)=\text{FedAvg on }f_f,f_c\text{ with }\eta_l=\eta,\ \eta_g=2\eta_m",
        summary="With eta_s = 1 and eta_c = eta Parallel Training is FedAvg on two meta-clients (f_f and f_c at local rate "
        "eta), with server rate 2 eta_m since Algorithm 1 adds the two updates.",
        controls=[
            Control("server rate eta_m", dict(global_rate="eta_m")),
            Control("server rate 2.02 eta_m", dict(global_rate="202*eta_m/100")),
        ],
    )(same_iterates),
    identity_claim(
        "MX-THMB1-MAP.1[every eta_s, eta_c = eta eta_s, clients weighted]",
        **MAP,
        printed=dict(global_rate="(1 + eta_s)*eta_m", server_rate="eta_s", proportion="eta_s/(1 + eta_s)"),
        statement=r"w_f=\tfrac{\eta_s}{1+\eta_s}:\ \text{PT}(\eta,\eta_c=\eta\eta_s,\eta_s,\eta_m)=\text{weighted FedAvg on "
        r"}\tfrac{f_f}{w_f},\tfrac{f_c}{w_c}\text{ with }\eta_l=\eta w_f,\ \eta_g=(1+\eta_s)\eta_m",
        summary="With eta_s other than 1 it is FedAvg on two meta-clients of weights eta_s : 1; with weights 1 : 1, "
        "for which Table 1 takes G and B, the two local rates differ.",
        controls=[
            Control("weights 1 : 1, local rate of the clients for both", dict(proportion="1/2")),
            Control("server rate 2 eta_m", dict(global_rate="2*eta_m")),
        ],
    )(same_iterates),
]
B3 = dict(source="proof of Theorem B.3")
PASSES = [Control("Parallel Training", dict(algorithm="parallel"), must="pass")]


def is_scaffold(algorithm: str, steps: int) -> Evidence:
    """f_f = f_c = x^2/2, x = 1, all rates 1/4: is the sequence of differences geometric, as every SCAFFOLD run's here?

    K = 1, any two quadratic meta-clients: the corrections cancel in the mean, a round is the affine map w - eta_l eta_g grad h(w).
    K > 1, meta-clients a f_f and a f_c, control variates started alike: they stay alike here, so that the corrections c - c_i
    vanish, and one round is an affine map again.
    """
    first, second, mean, a, b = sp.symbols("c_1 c_2 mean a b")
    cancels = identity(
        "corrections cancel in the mean",
        ((a - first + mean) + (b - second + mean)).subs(mean, (first + second) / 2),
        a + b,
    )
    vanish = identity(
        "corrections of clients that are alike", (mean - first).subs(mean, (first + second) / 2).subs(second, first), 0
    )
    made = {
        "2-way": fl.TwoWayGradientTransfer(steps, F(1, 4), F(1, 4)),
        "parallel": fl.ParallelTraining(steps, F(1, 4), F(1, 4)),
    }[algorithm]
    run = fl.trajectory(scalar(F(1), F(1), F(0)), made, rounds=6, start=[F(1)], exact=True)
    x = [F(v) for v in run.models[:, 0]]
    d = [q - p for p, q in zip(x, x[1:], strict=False)]
    broken = [t for t in range(1, len(d) - 1) if d[t + 1] * d[t - 1] != d[t] ** 2]
    good = cancels.verified and vanish.verified and not broken
    t = broken[0] if broken else 1
    return read(
        good,
        method="an affine map of the model alone has differences that are a geometric sequence; compared "
        "exactly on the package's iterates",
        examined=len(d) + 1,
        numbers={"iterates": ", ".join(map(str, x[:4]))},
        counterexample=""
        if good
        else f"f_f = f_c = x^2/2, x = 1, K = {steps}, all rates 1/4, gt = 0: differences {d[t - 1]}, "
        f"{d[t]}, {d[t + 1]} are not geometric",
        valid_for="this instance",
    )


map_rows = [
    identity_claim(
        "MX-THMB3-MAP[any quadratic meta-clients and rates, K = 1]",
        **B3,
        printed=dict(algorithm="2-way", steps=1),
        repair="MX-A2-SCAF",
        statement=r"K=1:\ \text{2-w GT}=\text{SCAFFOLD on two meta-clients, both in every round, for some losses and rates}",
        depends=("MX-ALG-STAB.5",),
        summary="With one local step SCAFFOLD is gradient descent on the mean loss, 2-way GT also uses the gradients of the "
        "round before. What it shares with SCAFFOLD is how gt_f is renewed.",
        controls=PASSES,
    )(is_scaffold),
    identity_claim(
        "MX-THMB3-MAP[meta-clients a f_f and a f_c, any rates, K = 2]",
        **B3,
        printed=dict(algorithm="2-way", steps=2),
        repair="MX-A2-SCAF",
        statement=r"K=2:\ \text{2-w GT}=\text{SCAFFOLD on }a f_f,\ a f_c\text{, both in every round, for "
        r"some }a\text{ and rates}",
        summary="With two local steps (SCAFFOLD's variates started at zero) neither: each side's direction "
        "adds the other's whole gradient, SCAFFOLD's moves towards their mean, so that "
        "on equal losses SCAFFOLD has no correction and 2-way GT has one.",
        controls=PASSES,
    )(is_scaffold),
]

if __name__ == "__main__":
    from fltheory.evidence.runner import run_script

    run_script(__file__)
