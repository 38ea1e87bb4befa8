"""Relatives of mixed FL in Augenstein et al. (2022): SCAFFOLD on two meta-clients, the centre as a client, FedAvg and SGD."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import sympy as sp

import fltheory as fl
from fltheory.evidence.kinds import asymptotic_claim, identity_claim, run_script
from fltheory.evidence.model import Control, Evidence
from fltheory.theory.proofs import Open
from fltheory.theory.steps import Instance, Step, equality, hypothesis, identity, inequality
from verify.mixed2022 import updates
from verify.mixed2022.closed_forms import change_is_linear, lf, move_is_positive, qc, qf
from verify.mixed2022.parabolas import I1, end_of, minimiser_of, mixed, parabolas
from verify.mixed2022.settled import settle
from verify.mixed2022.updates import average, central_update, client_update, compared, eta_c, eta_m, eta_s, u, v, x

F = Fraction
STEPS = (1, 2, 3)
QUARTER = F(1, 4)


@identity_claim(
    "MX-A2-SCAF",
    source="Appendix A.2, below equation (10)",
    printed=dict(option="II"),
    statement=r"c_i^+=c_i-c+\tfrac{x-x_i^{(K)}}{K\eta}\text{ with correction }c-c_i=\tilde g_c\ \Rightarrow\ "
    r"\text{cohort mean of }c_i^+=\tilde g_f^{(t+1)}",
    summary="gt_f is renewed as SCAFFOLD's control variate, option II: the mean of the client's own gradients of the round, read "
    "off its update.",
    controls=[Control("SCAFFOLD's option I", dict(option="I"))],
)
def control_variate(option: str) -> Evidence:
    steps, instances = [*updates.induction(updates.eta, u)], []
    control, own = sp.symbols("c c_i")
    for many in STEPS:
        made = updates.traced(lambda e, ec, s, m, n=many: fl.Scaffold(n, e, s, option=option), (x, control, own))  # type: ignore[misc]
        corrected = average(sp.expand(made[2].subs(control, u + own)))
        transfer = updates.traced(lambda e, ec, s, m, n=many: fl.TwoWayGradientTransfer(n, e, ec, s, m), (x, u, v))  # type: ignore[misc]
        proved, found = compared(f"K={many}", (corrected,), (transfer[2],))
        steps, instances = steps + proved, instances + found
    return settle(
        steps,
        instances,
        method="both renewals from the package's rounds as programs over unknown losses, K = 1, 2, 3; every K by induction",
        valid_for="all losses, N, S, d; equal client steps",
    )


def by_rounds(problem: Any, algorithm: Any, rounds: int) -> list[Fraction]:
    models = fl.trajectory(problem, algorithm, rounds=rounds, exact=True).models
    return [F(value) for value in models[:, 0]]


@identity_claim(
    "MX-A2-SCAF-U1",
    source="Appendix A.2; proof of Theorem B.3",
    statement=r"K=1:\ \text{SCAFFOLD on the meta-clients }f_f,f_c\text{ with }\tfrac12\eta_g\eta_l=\eta\eta_s\text{ is PT at }"
    r"\eta_c=\eta\eta_s,\eta_m=1",
    headline="As iterations SCAFFOLD and 2-way Gradient Transfer differ",
    summary="As iterations they differ: at K = 1 SCAFFOLD's corrections cancel in the average, so that it is gradient "
    "descent, which Parallel Training and 1-way GT are and 2-way GT is not.",
    printed=dict(other="parallel", steps=1),
    controls=[Control("2-way GT", dict(other="2-way")), Control("K = 2", dict(steps=2))],
)
def meta_clients(other: str, steps: int) -> Evidence:
    """w - (eta_g/2) sum over both meta-clients, corrections c - c_k with c = (c_1 + c_2)/2, against the package's round."""
    c1, c2, server = sp.symbols("c_1 c_2 eta_g")
    mean = (c1 + c2) / 2
    local = 2 * updates.eta * eta_s / server  # eta_g eta_l/2 = eta eta_s
    federated = average(client_update(x, steps, mean - c1, rate=local))
    central = central_update(x, steps, mean - c2).subs(eta_c, local)
    moved = sp.expand(x + server / 2 * (federated + central))
    begin, method = {"parallel": ((x,), fl.ParallelTraining), "2-way": ((x, u, v), fl.TwoWayGradientTransfer)}[other]
    traced = updates.traced(lambda e, ec, s, m: method(steps, e, ec, s, m), begin)[0]
    matched = sp.expand(traced.subs({eta_c: updates.eta * eta_s, eta_m: 1}))
    left = by_rounds(parabolas([(1, 1), (3, -1)]), fl.Scaffold(steps, QUARTER, 2), 3)
    right = by_rounds(I1, method(steps, QUARTER, QUARTER), 3)
    text = f"f_f=(x-1)^2/2, f_c=3(x+1)^2/2, x=0, K={steps}, eta=eta_l=1/4, eta_s=1, eta_g=2, round"
    return settle(
        [identity("the corrections cancel, and the round is that of the package", moved, matched)],
        [equality(f"{text} {t}", *pair) for t, pair in enumerate(zip(left, right, strict=True))],
        method="One round of SCAFFOLD with any control variates whose mean is c (which its rounds keep under full participation) "
        "against the package's round as a program over unknown losses; trajectories compared exactly.",
        valid_for="all losses, d, rates; full participation",
    )


@identity_claim(
    "MX-FN3.1",
    source="footnote 3",
    printed=dict(centre="eta", total="1"),
    statement=r"\eta_c=\eta,\ \eta_m(1+\eta_s)=1:\quad\text{PT}=\text{FedAvg on }N+1\text{ clients, weights "
    r"}(\eta_m\eta_sp_i,\eta_m)",
    summary="Parallel Training is FedAvg with the centre as one more client, exactly, for all losses (eta_s = 1: eta_m = 1/2).",
    controls=[
        Control("eta_c = 1.01 eta", dict(centre="101*eta/100")),
        Control("weights that sum to 1.01", dict(total="101/100")),
    ],
)
def one_more_client(centre: str, total: str) -> Evidence:
    steps, instances, rounds = list[Step](), list[Instance](), list[Instance]()
    rates = {eta_m: sp.Rational(total) / (1 + eta_s), eta_c: sp.sympify(centre, locals={"eta": updates.eta})}
    central = QUARTER * F(str(rates[eta_c] / updates.eta))
    for many in STEPS:
        made = updates.traced(lambda e, ec, s, m, n=many: fl.ParallelTraining(n, e, ec, s, m), (x,))  # type: ignore[misc]
        as_client = x + central_update(x, many, sp.Integer(0)).subs(eta_c, updates.eta)
        clients = average(x + client_update(x, many, sp.Integer(0)))
        together = ((as_client + eta_s * clients) * eta_m).subs(rates)
        proved, found = compared(f"K={many}", (sp.expand(made[0].subs(rates)),), (sp.expand(together),))
        steps, instances = steps + proved, instances + found
        parallel = by_rounds(I1, fl.ParallelTraining(many, QUARTER, central, 2, F(total) / 3), 2)
        fedavg = by_rounds(parabolas([(1, 1), (3, -1)], [F(2, 3), F(1, 3)]), fl.FedAvg(many, QUARTER), 2)
        rounds.append(equality(f"I1, eta=1/4, K={many}: rounds of the package", parallel[2], fedavg[2]))
    return settle(
        steps,
        instances + rounds,
        method="the package's round as a program over unknown losses, K = 1, 2, 3, against the weighted mean of the models",
        valid_for="all losses, N, d",
    )


@identity_claim(
    "MX-FN3.2",
    source="footnote 3",
    printed=dict(apart="0"),
    statement=r"f_i=f_f,\ f_c=cf_f+\text{const}\Rightarrow\lim x^{(t)}=\arg\min f\text{ for FedAvg on }N+1\text{ clients, any "
    r"weights}",
    assumptions=("quadratics",),
    summary="If the central loss is a multiple of the federated one, FedAvg with the centre as a client ends at the "
    "minimiser of f, whatever the weights, K and step size.",
    controls=[Control("minimisers 1/100 apart", dict(apart="1/100"))],
)
def same_losses(apart: str) -> Evidence:
    """The move is -(w q_f lambda_f (x - x*) + w_c q_c c lambda_f (x - x* - apart))."""
    w, centre, ratio, at = sp.symbols("w w_c c x")
    move = w * qf * lf * at + centre * qc * ratio * lf * (at - sp.Rational(apart))
    gradient = lf * at + ratio * lf * (at - sp.Rational(apart))
    proof = [
        *change_is_linear(),
        *move_is_positive(),
        identity("no move at the minimiser of f", move.subs(at, sp.solve(gradient, at)[0]), 0),
    ]
    instances = []
    for scale, weight in ((3, F(1, 2)), (F(1, 2), F(1, 5)), (1, F(3, 4))):
        parts = [(1, 0), (scale, F(apart))]
        end = end_of(parabolas(parts, [1 - weight, weight]), fl.FedAvg(3, QUARTER))
        text = f"f_f=x^2/2, f_c={scale}(x-{apart})^2/2, weight of the centre {weight}, K=3, eta=1/4"
        instances.append(equality(text, end, minimiser_of(mixed(parts[:1], parts[1]))))
    return settle(
        proof,
        instances,
        method="all gradients vanish at the common minimiser, and q > 0 makes it the only fixed point",
        valid_for="quadratics in R^d (eigenvalue by eigenvalue), clients alike, c > 0, eta lambda < 2",
    )


z, G, mu, beta, eta, lam, noise, n = sp.symbols("z G mu beta eta lambda e n")


@asymptotic_claim(
    "MX-FEDAVG-SGD",
    source="Section 4.1, below Assumption 4.1",
    statement=r"\sup_fE\|x_{FedAvg}^{(R)}-x^*\|^2\ge\sup_fE\|x_{SGD}^{(RK)}-x^*\|^2\text{ at each constant "
    r"}\eta\le\tfrac2{\beta+\mu}\text{, batches of all }S\text{ clients}",
    summary="Clients alike: over smooth strongly convex losses the worst case of FedAvg is at best that of K SGD steps per "
    "round on the cohort's batches; on quadratics both are the same process in law, whence the worst of SGD is one of FedAvg too.",
    assumptions=("clients alike", "additive noise of variance sigma^2"),
    printed=dict(sgd_steps="K", batch="S"),
    controls=[
        Control("SGD with one step per round", dict(sgd_steps="1")),
        Control("SGD on one client's batches", dict(batch="1")),
    ],
)
def fedavg_and_sgd(sgd_steps: str, batch: str) -> Evidence:
    """SGD: E d^2 <= (1 - mu eta)^2 d^2 + eta^2 sigma^2/S, with equality on (mu/2) x^2; there FedAvg has the same moments."""
    y1, y2, e1, e2 = sp.symbols("y_1 y_2 e_1 e_2")
    weight = sp.Symbol("p")
    mean = weight * ((1 - eta * lam) * y1 - eta * e1) + (1 - weight) * ((1 - eta * lam) * y2 - eta * e2)
    after = (1 - eta * lam) * (weight * y1 + (1 - weight) * y2) - eta * (weight * e1 + (1 - weight) * e2)
    proof = [
        identity("mean of the clients' steps on a quadratic", mean, after),
        inequality(
            "one step of SGD",
            (z - eta * G) ** 2,
            (1 - mu * eta) ** 2 * z**2,
            premises={
                "interpolation between x and x*": (eta**2, (G - mu * z) * (beta * z - G)),
                "strong monotonicity": (eta * (2 - eta * (beta + mu)), z * G - mu * z**2),
            },
            ranges=((beta, Open(0), None), (mu, 0, beta), (eta, 0, 2 / (beta + mu))),
        ),
        identity("attained by (mu/2) x^2", (z - eta * mu * z) ** 2, (1 - mu * eta) ** 2 * z**2),
        hypothesis(
            "as many steps and batches",
            (sgd_steps, batch) == ("K", "S"),
            f"SGD with {sgd_steps} steps per round on {batch} batches",
        ),
    ]
    instances, half = [], F(1, 2)
    noisy = dict(start=[F(1)], exact=True, oracle=fl.AdditiveNoise(F(1)))
    for many, clients, rounds in ((2, 2, 1), (3, 2, 2), (2, 4, 3)):
        found = fl.moments(parabolas([(half, 0)] * clients), fl.FedAvg(many, half), rounds=rounds, **noisy)
        square = F(1)
        for _ in range(rounds * (many if sgd_steps == "K" else 1)):
            square = (1 - half * half) ** 2 * square + half**2 / (clients if batch == "S" else 1)
        text = f"mu=beta=1/2, f=x^2/4, eta=1/2, x=1, noise 1, S={clients}, K={many}, {rounds} rounds"
        words = f"{text}: the worst case of SGD against FedAvg here"
        instances.append(Instance(words, square, F(found.squared_distance[-1])))
    return settle(
        proof,
        instances,
        method="upper bound for SGD with explicit multipliers, attained by a quadratic, on which averaging commutes with the steps",
        valid_for="every S, K, R, d, 0 <= mu <= beta, sigma; measure E|x - x*|^2",
    )


if __name__ == "__main__":
    run_script(__file__)
