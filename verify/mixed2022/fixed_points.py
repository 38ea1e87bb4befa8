"""Where the three algorithms of Augenstein et al. (2022) end on quadratics without noise, against the minimiser of f.

Parallel Training: biased at constant steps for K > 1, by (K-1) eta (lambda_f - eta_s lambda_c) g/(2 (lambda_f + lambda_c)) to
first order, so that it ends at the minimiser as the steps go to zero with eta_c = eta eta_s.  1-way GT: at the minimiser
when the clients are alike (Assumption 4.1).  2-way GT ends where 1-way GT does, whatever eta_c, J, eta_m and the divisor.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import sympy as sp

import fltheory as fl
from fltheory.evidence.decide import decide
from fltheory.evidence.ends import tried
from fltheory.evidence.kinds import asymptotic_claim, identity_claim, run_script
from fltheory.evidence.model import Control, Evidence
from fltheory.evidence.witness import Witness
from fltheory.problems.mixed import MixedProblem
from fltheory.theory.steps import Instance, Proof, Step, equality, identity
from verify.mixed2022.closed_forms import K, change_is_linear, lc, lf, move_is_positive, moved, two_way_is_one_way
from verify.mixed2022.parabolas import I1, Part, end_of, minimiser_of, mixed
from verify.mixed2022.settled import settle
from verify.mixed2022.updates import eta, eta_s

F = Fraction
BASE = "MX-ALG-FP-PT / -1W / -2W"
SMALL = F(1, 10**9)
lam = sp.Symbol("lambda")
LOCALS = {"eta": eta, "eta_s": eta_s}


def parallel_end(steps: int, central_rate: str, curvature: str) -> Evidence:
    """(eta_s q_f - q_c) g = 0 at the minimiser, for all rates and curvatures; else I1."""
    rate = sp.sympify(central_rate, locals=LOCALS)
    equal = curvature == "equal"
    residual = eta_s * moved(lf, eta, steps) - moved(lf if equal else lc, rate, steps)
    if equal:
        residual = residual.subs(eta_s, 1)
    proof = [*change_is_linear(), *move_is_positive(), identity("eta_s q_f - q_c", sp.expand(residual), 0)]
    central = rate.subs({eta: sp.Rational(1, 4), eta_s: 1})
    return decide(
        Proof(tuple(proof)),
        tried(ends_beside(steps, central, sp.Integer(1 if equal else 3))),
        method="The fixed point solves eta_s Q_f grad f_f + Q_c grad f_c = 0; inserted at the minimiser. Polynomials of one "
        "Hessian, so that scalars suffice.",
        valid_for="quadratics in R^d, clients alike, eta lambda < 2",
        prose="a run whose rounds are x -> rho x + move, |rho| < 1, tends to the fixed point",
    )


def ends_beside(steps: int, central: sp.Expr, c: sp.Expr) -> Witness:
    """f_f = (x - 1)^2/2 and f_c = c (x + 1)^2/2: the round is x -> rho x + move, and its fixed point no minimiser of f."""
    x = sp.Symbol("x")
    to_clients, to_centre = x, x
    for _ in range(steps):
        to_clients = sp.expand(to_clients - (to_clients - 1) / 4)
        to_centre = sp.expand(to_centre - central * c * (to_centre + 1))
    after = sp.expand(to_clients + to_centre - x)
    (end,) = sp.solve(after - x, x)
    rho = sp.diff(after, x)
    given = [(after, "=", x), (sp.Symbol("rho"), "=", rho), (sp.Symbol("rho"), "<", 1), (sp.Symbol("rho"), ">", -1)]
    setting = (
        f"f_f=(x-1)^2/2, f_c={c}(x+1)^2/2, K={steps}, eta=1/4, eta_c={central}, eta_s=eta_m=1, end x and factor rho"
    )
    return Witness({"x": end, "rho": rho}, (x - 1) + c * (x + 1), "=", sp.Integer(0), given, setting)


parallel_constant = identity_claim(
    f"{BASE}.PT[constant step sizes]",
    source="Section 2, Algorithm 1",
    printed=dict(steps=2, central_rate="eta_s*eta", curvature="any"),
    repair=f"{BASE}.PT[step sizes to zero]",
    fault="reading",
    statement=r"\lim_tx^{(t)}=\arg\min(f_f+f_c)\text{ for Parallel Training at constant rates}",
    headline="At constant rates Parallel Training ends beside the minimiser",
    summary="At constant rates Parallel Training ends beside the minimiser of f for K >= 2 (K = 1 or equal curvatures with "
    "eta_s = 1 excepted).",
    controls=[
        Control("K = 1", dict(steps=1), must="pass"),
        Control("equal curvatures, eta_s = 1", dict(curvature="equal", central_rate="eta"), must="pass"),
    ],
)(parallel_end)


def expanded(rate: Any) -> list[Any]:
    """Coefficients of eta and eta^2 in q for a step size proportional to eta, K a symbol."""
    q = moved(lam, rate, K)
    return [sp.simplify(sp.diff(q, eta, order).subs(eta, 0) / sp.factorial(order)) for order in (1, 2)]


def quotient(problem: MixedProblem, algorithm: Any) -> Fraction:
    """(end - minimiser)/eta at the small step size."""
    return (end_of(problem, algorithm) - minimiser_of(problem)) / SMALL


def close(text: str, found: Fraction, target: Fraction) -> Instance:
    """The quotient agrees with its limit up to what a small step size leaves."""
    return Instance(f"{text}: |bias/eta - ({target})| against 1e-6", abs(found - target), F(1, 10**6))


@asymptotic_claim(
    f"{BASE}.PT[step sizes to zero]",
    source="Section 2, Algorithm 1; Theorem B.1",
    statement=r"x_{PT}-x^*=\frac{(K-1)\eta(\lambda_f-\eta_s\lambda_c)}{2(\lambda_f+\lambda_c)}g_f(x^*)+O(\eta^2)\to0,\ "
    r"\eta_c=\eta\eta_s",
    printed=dict(factor="K - 1", ratio="1"),
    summary="As eta goes to zero with eta_c = eta eta_s and K fixed, Parallel Training ends at the minimiser; the bias is of "
    "first order and known exactly.",
    controls=[
        Control("coefficient 1.01 (K - 1)", dict(factor="101*(K - 1)/100")),
        Control("eta_c = 1.01 eta eta_s", dict(ratio="101/100")),
    ],
)
def parallel_limit(factor: str, ratio: str) -> Evidence:
    """q = eta (K - K(K-1)/2 eta lambda) + O(eta^3), K a symbol; on I1 the quotient bias/eta is extrapolated exactly."""
    flat_f, bent_f = (coefficient.subs(lam, lf) for coefficient in expanded(eta))
    flat_c, bent_c = (coefficient.subs(lam, lc) for coefficient in expanded(sp.Rational(ratio) * eta * eta_s))
    first = sp.expand(flat_c - eta_s * flat_f)
    second = sp.simplify((bent_c - eta_s * bent_f) / (flat_c * lc + eta_s * flat_f * lf))
    wanted = sp.sympify(factor, locals={"K": K}) * (lf - eta_s * lc) / (2 * (lf + lc))
    proof = [
        *change_is_linear(),
        identity("the limit is the minimiser", first, 0),
        identity("first order", second, wanted),
    ]
    instances = []
    for steps in (2, 4):
        found = quotient(I1, fl.ParallelTraining(steps, SMALL, F(ratio) * SMALL))
        target = F(str(wanted.subs({K: steps, lf: 1, lc: 3, eta_s: 1}))) * -F(3, 2)
        instances.append(close(f"I1, eta=1e-9, K={steps}", found, target))
    return settle(
        proof,
        instances,
        method="x_PT - x* = (q_c - eta_s q_f) g/(q_c lambda_c + eta_s q_f lambda_f), expanded in eta with K a symbol",
        valid_for="quadratics with commuting Hessians (eigenvalue by eigenvalue), clients alike, all K, eta_s",
    )


ALIKE, APART = (2, 1), (1, -2)
#: Clients that differ.
UNLIKE = mixed([ALIKE, APART], (3, -1))


def clients_of(curvature: str, centres: str) -> list[Part]:
    """Two clients, of the same curvature and centre or not."""
    return [ALIKE, ((ALIKE if curvature == "equal" else APART)[0], (ALIKE if centres == "equal" else APART)[1])]


def transfer_end(algorithm: str, curvature: str, centres: str, steps: str) -> Evidence:
    """sum p_i Q_i (g_i - g_f) = 0 at the minimiser; K_i = (1, 2) where the steps are unequal, p_i ~ K_i."""
    p1, p2, q1, q2, g1, g2, mean = sp.symbols("p_1 p_2 q_1 q_2 g_1 g_2 g_f")
    if curvature == "equal" and steps == "equal":
        q2, mean = q1, p1 * g1 + p2 * g2
    residual = (p1 * q1 * (g1 - mean) + p2 * q2 * (g2 - mean)).subs(p2, 1 - p1)
    if curvature == "equal" and centres == "equal":
        residual = residual.subs({g1: mean, g2: mean})
    proof = [*change_is_linear(), *move_is_positive(), identity("sum p_i Q_i (g_i - g_f)", residual, 0)]
    own = None if steps == "equal" else (1, 2)
    made: Any = fl.OneWayGradientTransfer(2, F(1, 5), F(3, 4), client_steps=own)
    if algorithm == "2-way":
        proof += two_way_is_one_way(unequal=steps == "unequal")
        made = fl.TwoWayGradientTransfer(2, F(1, 5), F(1, 10), F(3, 4), F(4, 5), client_steps=own)
    clients = clients_of(curvature, centres)
    problem = mixed(clients, (3, -1))
    text = (
        f"clients {' and '.join(f'{lam}(x-({at}))^2/2' for lam, at in clients)}, f_c=3(x+1)^2/2, "
        f"K_i={own or (2, 2)}, eta=1/5, eta_s=3/4, end and minimiser"
    )
    return settle(
        proof,
        [equality(text, end_of(problem, made), minimiser_of(problem))],
        method="The fixed points solve sum p_i Q_i (g_i + grad f_c) = 0 (for 2-way GT by the linear system of its state); inserted "
        "at the minimiser, where grad f_c = -g_f. Two groups of clients stand for all, sums are linear; Q_i is invertible.",
        valid_for="quadratics in R^d, every N, eta lambda < 2",
    )


of_transfer = identity_claim.sharing(source="Section 2, Algorithms 1 and 2; Assumption 4.1")
HOMOGENEOUS = dict(curvature="equal", centres="equal", steps="unequal")
clients_alike = of_transfer.sharing(
    controls=[
        Control("different curvatures", dict(curvature="different", centres="different")),
        Control("different minimisers and unequal steps", dict(centres="different")),
    ]
)
one_way_alike = clients_alike(
    f"{BASE}.1W",
    printed=dict(algorithm="1-way", **HOMOGENEOUS),
    statement=r"\lim_tx^{(t)}=\arg\min f\text{ for 1-way GT, clients alike}",
    summary="With clients that are alike 1-way GT ends at the minimiser of f, for all K_i, eta, eta_s at which it converges.",
)(transfer_end)


@asymptotic_claim(
    f"{BASE}.1W-S1",
    source="Section 2, Algorithm 2",
    printed=dict(factor="K - 1", steps="equal"),
    statement=r"x_{1w}-x^*=\frac{(K-1)\eta}2(H_f+H_c)^{-1}\sum_ip_iH_i\big(\nabla f_i-\nabla f_f\big)(x^*)+O(\eta^2)",
    headline="Clients of different curvature bias 1-way Gradient Transfer as they bias FedAvg",
    summary="Clients of different curvature (outside the paper's Assumption 4.1) bias 1-way GT for K >= 2, as they bias FedAvg: "
    "to first order in eta, whatever eta_s, and not at all as eta goes to zero, for equal K_i.",
    controls=[
        Control("coefficient 1.01 (K - 1)", dict(factor="101*(K - 1)/100")),
        Control("K_i = 1 and K, p_i ~ K_i", dict(steps="unequal")),
    ],
)
def one_way_any(factor: str, steps: str) -> Evidence:
    """sum p_i q_i (g_i - g_f + (lambda_i + lambda_c) d) = 0 with q_i = K eta - K (K-1)/2 eta^2 lambda_i + O(eta^3)."""
    p, first, second, weighted = sp.symbols("p g_1 g_2 M_1")
    flat, bent = expanded(eta)
    mean = p * first + (1 - p) * second
    shares = (p, 1 - p) if steps == "equal" else (p, K**2 * (1 - p))  # p_i ~ K_i times q_i ~ K_i
    at_zero = shares[0] * (first - mean) + shares[1] * (second - mean)
    bias = -bent.coeff(lam) * weighted / (flat * (lf + lc))
    half = sp.sympify(factor, locals={"K": K}) / 2
    proof = [
        *change_is_linear(),
        identity("q = K eta - ...", flat, K),
        identity("... K (K-1)/2 eta^2 lambda", bent, -K * (K - 1) / 2 * lam),
        identity("no bias at eta = 0: the weighted g_i - g_f sum to zero", at_zero, 0),
        identity("first order, M_1 = sum p_i lambda_i (g_i - g_f)", bias, half * weighted / (lf + lc)),
    ]
    (l1, a1), (l2, a2) = ALIKE, APART
    at = minimiser_of(UNLIKE)
    apart = (l1 * (at - a1) - l2 * (at - a2)) / 2
    instances = []
    for many in (2, 4):
        own = None if steps == "equal" else (1, many)
        found = quotient(UNLIKE, fl.OneWayGradientTransfer(many, SMALL, F(3, 4), client_steps=own))
        target = F(str(half.subs(K, many))) * F(1, 2) * (l1 - l2) * apart / (F(l1 + l2, 2) + 3)
        text = f"clients (x-1)^2, (x+2)^2/2, f_c=3(x+1)^2/2, eta=1e-9, eta_s=3/4, K_i={own or (many, many)}"
        instances.append(close(text, found, target))
    return settle(
        proof,
        instances,
        method="The fixed point's equation is a sum of terms Q_i v, expanded in eta with K a symbol; sums over clients are "
        "linear, and only products H_i v occur, so that numbers stand for matrices.",
        valid_for="quadratics in R^d, every N, weights, K, eta_s; H_f + H_c invertible",
    )


two_way_alike = clients_alike(
    f"{BASE}.2W",
    printed=dict(algorithm="2-way", **HOMOGENEOUS),
    statement=r"\lim_tx^{(t)}=\arg\min f\text{ for 2-way GT, clients alike}",
    summary="With clients that are alike 2-way GT ends at the minimiser, for all K_i and rates at which it converges.",
)(transfer_end)


@of_transfer(
    f"{BASE}.2W-S1",
    printed=dict(divisor="any", steps="equal"),
    statement=r"\{\text{fixed points of 2-w GT}\}=\{\text{fixed points of 1-w GT}\}\text{ for every }\eta_c,\eta_m,J",
    controls=[Control("unequal steps, clients apart", dict(steps="unequal"))],
    headline="2-way and 1-way Gradient Transfer end at the same point",
    summary="2-way GT ends exactly where 1-way GT does, clients alike or not, for every eta_c, eta_m, J and both divisors.",
)
def same_ends(divisor: str, steps: str) -> Evidence:
    own = None if steps == "equal" else (1, 2)
    proof: list[Step] = [*change_is_linear(), *move_is_positive(), *two_way_is_one_way()]
    if own is not None:
        proof.append(Step("one sum of updates in both places", False, "p_i ~ K_i for the model, plain sum for gt_f"))
    one = end_of(UNLIKE, fl.OneWayGradientTransfer(2, F(1, 5), F(3, 4), client_steps=own))
    instances = []
    for central, merge, count, word in (
        (F(1, 5), 1, 2, "as printed"),
        (F(1, 10), F(4, 5), 3, "as printed"),
        (F(1, 7), F(1, 2), 1, "central step size"),
    ):
        made = fl.TwoWayGradientTransfer(2, F(1, 5), central, F(3, 4), merge, count, divisor=word, client_steps=own)
        text = f"clients (x-1)^2, (x+2)^2/2, f_c=3(x+1)^2/2, eta_c={central}, eta_m={merge}, J={count}, {word}"
        instances.append(equality(text, end_of(UNLIKE, made), one))
    return settle(
        proof,
        instances,
        method="At a fixed point A = j s, B = k s, A + eta_s B = 0 for A = Q_c (g_c + v), B = sum p_i Q_i (g_i + u), s = u + v, "
        "so A = B = s = 0; Q_c is invertible.",
        valid_for="quadratics in R^d, every N, weights, eta_c lambda_c < 2",
    )


if __name__ == "__main__":
    run_script(__file__)
