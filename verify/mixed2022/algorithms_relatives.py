"""Relatives of mixed FL in Augenstein et al. (2022): SCAFFOLD on two meta-clients, the centre as a client, FedAvg and SGD."""

from fractions import Fraction
from functools import partial

import sympy as sp

import fltheory as fl
from fltheory.derivation.script import Derivation
from fltheory.derivation.witness import FiniteInstance
from fltheory.evidence.kinds import asymptotic_claim, identity_claim, run_script
from fltheory.evidence.model import Control, Evidence
from fltheory.evidence.things import declare
from fltheory.theory.proofs import Open
from fltheory.theory.steps import Instance, hypothesis, identity, inequality
from verify.mixed2022.derivations.ends import of_multiples
from verify.mixed2022.derivations.listings import METHOD, NAMES, clients, listing, loop
from verify.mixed2022.displays import constants, displayed
from verify.mixed2022.parabolas import losses_of, parabolas, way
from verify.mixed2022.settled import settle

F = Fraction
QUARTER = F(1, 4)


def control_variates(renewed: str) -> Derivation:
    """SCAFFOLD's clients with the correction c - c_i = u."""
    d = listing("Appendix A.2, SCAFFOLD")
    declare(d, "u, all; own over k = all - u; at_start over k")
    clients(d, "u")
    return d


of_listing = partial(displayed, group=identity_claim, method=METHOD)
scaffold = of_listing(
    "MX-A2-SCAF",
    control_variates,
    "mean(own1, k) = v1; v1 = mean(g, k, t)",
    headline="The transferred gradient is renewed as SCAFFOLD renews its control variates",
    names={
        **NAMES,
        "mean(own1, k)": r"\frac1S\sum_ic_i^+",
        "mean(g, k, t)": r"\frac1{SK}\sum_i\sum_{k<K}g_i(x_i^{(t,k)})",
    },
    lines="own1 over k = {renewed}; v1 = -D/(eta*K) - u",
    instance=lambda renewed: {"g": {0: [3, 5, 0], 1: [2, 7, 0]}, "at_start": {0: 3, 1: 2}},
    says=r"c_i^+=c_i-c+\tfrac{x-x_i^{(K)}}{K\eta}\text{ with correction }c-c_i=\tilde g_c\ \Rightarrow\ ",
    source="Appendix A.2, below equation (10)",
    printed=dict(renewed="own - all - D/(K*eta)"),
    summary="gt_f is renewed as the plain mean of SCAFFOLD's control variates, option II: the mean of the clients' own gradients "
    "of the round, read off their updates.",
    valid_for="all losses, N, S, d; equal client steps",
    false={"SCAFFOLD's option I": dict(renewed="at_start")},
)


def meta_clients(other: str, steps: int) -> Derivation:
    """SCAFFOLD on both meta-clients, corrections c - c_i with c = (c_1 + c_2)/2, and the package's round at K = 1 or 2.

    With two steps the second gradients are taken at other points, and nothing is known of them.
    """
    d = Derivation("Mixed FL, SCAFFOLD on two meta-clients")
    declare(d, "eta, eta_s, eta_g > 0; let eta_l = 2*eta*eta_s/eta_g; z, x, g, h, c1, c2, u, v, g_s, h_s, g_p, h_p")
    again = (" + g_s + c2/2 - c1/2", " + h_s + c1/2 - c2/2") if steps == 2 else ("", "")
    declare(d, f"y_f = x - eta_l*(g + c2/2 - c1/2{again[0]}); y_c = x - eta_l*(h + c1/2 - c2/2{again[1]})")
    declare(d, "x1 = x + eta_g*((y_f - x) + (y_c - x))/2")
    shifts = (" + u", " + v") if other == "2-way" else ("", "")
    later = (" + g_p", " + h_p") if steps == 2 else ("", "")
    d.vector("x_pt", equals=f"x - eta*eta_s*(h{shifts[1]}{later[1]}) - eta_s*eta*(g{shifts[0]}{later[0]})")
    return d


meta = displayed(
    "MX-A2-SCAF-U1",
    meta_clients,
    "x1 = x - eta*eta_s*(g + h); x_pt = x1",
    names={
        "x1": "x^{(t+1)}_{SCAFFOLD}",
        "x_pt": "x^{(t+1)}_{PT}",
        "x": "x^{(t)}",
        "g": "g_f(x^{(t)})",
        "h": "g_c(x^{(t)})",
        "eta_s": r"\eta_s",
    },
    says=r"K=1:\ \text{SCAFFOLD on the meta-clients }f_f,f_c\text{ with }\tfrac12\eta_g\eta_l=\eta\eta_s\text{, PT at }"
    r"\eta_c=\eta\eta_s,\eta_m=1:\quad ",
    group=identity_claim,
    method="One round of SCAFFOLD with any control variates whose mean is c (which its rounds keep under full participation).",
    valid_for="all losses, d, rates; full participation",
    source="Appendix A.2; proof of Theorem B.3",
    headline="With one local step SCAFFOLD on the meta-clients is Parallel Training",
    summary="At K = 1 SCAFFOLD's corrections cancel in the average, so that it is gradient descent and Parallel Training; 2-way "
    "GT (a control) is another iteration.",
    printed=dict(other="parallel", steps=1),
    false={"2-way GT": dict(other="2-way"), "K = 2": dict(steps=2)},
)


def one_more_client(centre: str, total: str) -> Derivation:
    """Parallel Training, and the weighted mean of the clients' models and of one that makes K steps at rate eta on f_c."""
    d = listing("footnote 3")
    d.vector("h", "t")
    clients(d, "")
    loop(d, "c", "h", "", "Dc", f"{centre}*eta")
    loop(d, "a", "h", "", "Da", "eta")
    declare(d, f"let merge = {total}/(1 + eta_s); x_pt = x + merge*(Dc + eta_s*D); y_K = x + D; a_K = x + Da")
    return d


footnote_3 = of_listing(
    "MX-FN3.1",
    one_more_client,
    "x_pt = (a_K + eta_s*y_K)/(1 + eta_s)",
    headline="Parallel Training, its updates averaged, is FedAvg with the centre as a client",
    names={**NAMES, "x_pt": "x^{(t+1)}_{PT}", "a_K": "x_c^{(t,K)}", "y_K": r"\frac{\sum_ip_ix_i^{(t,K)}}{\sum_ip_i}"},
    says=r"\eta_c=\eta,\ \eta_m(1+\eta_s)=1:\quad ",
    source="footnote 3",
    printed=dict(centre="1", total="1"),
    summary="At eta_c = eta, eta_m = 1/(1 + eta_s) Parallel Training is FedAvg with the centre as one more client, of weight "
    "1/(1 + eta_s), for all losses (eta_s = 1: eta_m = 1/2, and it weighs as much as the cohort).",
    valid_for="all losses, K, N, d, with eta_c = eta and eta_m = 1/(1 + eta_s)",
    false={"eta_c = 1.01 eta": dict(centre="101/100"), "weights that sum to 1.01": dict(total="101/100")},
)


def multiples(clients: str) -> FiniteInstance:
    """f_f = x^2/2 and f_c = 3 f_f, whose steps on f_f are three times as long, or 3 (x - 1/100)^2/2: a round from x ends at x."""
    centre, x = (0, 0) if clients == "alike" else (F(1, 100), F(63, 10000))
    parts, rates = [(1, 0), (1, centre)], [QUARTER, 3 * QUARTER]
    given = {**way("F", "k", parts, (3, 3), rates, x), "c": lambda p: 4 * rates[p["k"]]}
    axes = {"t": {0: F(1, 2), 1: F(1, 2)}, "k": {0: F(1, 2), 1: F(1, 2)}}
    numbers = {"beta": 1, "T": 2, "eta": QUARTER, "least": rates[0], "largest": rates[1]}
    return constants({"x": x}, numbers, axes=axes, given=given, functions={"F": losses_of(parts)})


same_losses = displayed(
    "MX-FN3.2",
    of_multiples,
    "sq(gF_x) <= 0",
    headline="With proportional convex losses FedAvg with a central client rests only at a minimum",
    names={"gF_x": r"\nabla f_f(x)"},
    given={"facts": {"end of F": "1/(least*(1 - largest*beta/2))"}},
    instance=multiples,
    at="f_f = x^2/2, f_c = 3x^2/2 (or 3(x - 1/100)^2/2), weights 1/2, K = 3, eta = 1/4, gradients of f_f and of f_c/3",
    says=r"f_i=f_f,\ f_c=cf_f+\text{const},\ x^{(t+1)}=x^{(t)}=x\text{ for FedAvg on }N+1\text{ clients, any weights}"
    r"\ \Rightarrow\ ",
    group=identity_claim,
    method="A client with c f_f makes steps of f_f that are c times as long. The first one lowers f_f unless its gradient at x "
    "vanishes, no other raises it; by convexity it is not lower at the last points, whose mean is x.",
    valid_for="all convex beta-smooth f_f, N, weights, K_i, c > 0, steps below 2/beta of f_f and of c f_f",
    source="footnote 3",
    printed=dict(clients="alike"),
    summary="If the clients are alike, their loss convex, and the central loss a positive multiple of theirs, FedAvg "
    "with the centre as a client rests only at the minimiser of f, whatever the weights and K, for steps below "
    "2/beta of every loss: a round that leaves x as it is has grad f_f(x) = 0.",
    false={"minimisers 1/100 apart": dict(clients="apart")},
)


z, G, mu, beta, eta, lam, noise, n = sp.symbols("z G mu beta eta lambda e n")


@asymptotic_claim(
    "MX-FEDAVG-SGD",
    headline="With clients alike FedAvg's worst case is no better than that of SGD on the same batches",
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
    for many, size, rounds in ((2, 2, 1), (3, 2, 2), (2, 4, 3)):
        found = fl.moments(parabolas([(half, 0)] * size), fl.FedAvg(many, half), rounds=rounds, **noisy)
        square = F(1)
        for _ in range(rounds * (many if sgd_steps == "K" else 1)):
            square = (1 - half * half) ** 2 * square + half**2 / (size if batch == "S" else 1)
        text = f"mu=beta=1/2, f=x^2/4, eta=1/2, x=1, noise 1, S={size}, K={many}, {rounds} rounds"
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
