"""Where the three algorithms of Augenstein et al. (2022) end on quadratics without noise, against the minimiser of f.

Parallel Training: biased at constant steps for K > 1, by (K-1) eta (lambda_f - eta_s lambda_c) g/(2 (lambda_f + lambda_c)) to
first order, so that it ends at the minimiser as the steps go to zero with eta_c = eta eta_s.  1-way GT: at the minimiser
when the clients are alike (Assumption 4.1).  2-way GT ends where 1-way GT does, whatever eta_c, J, eta_m and the divisor.
What is said of both without a rate is derived for convex smooth losses (:mod:`verify.mixed2022.derivations.ends`).
"""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import partial
from typing import Any

import sympy as sp

import fltheory as fl
from fltheory.derivation.witness import FiniteInstance
from fltheory.evidence.kinds import asymptotic_claim, identity_claim, run_script
from fltheory.evidence.model import Control, Evidence
from fltheory.evidence.relations import Relations
from fltheory.problems.mixed import MixedProblem
from fltheory.theory.steps import Instance, identity
from verify.mixed2022.closed_forms import K, change_is_linear, lc, lf, moved
from verify.mixed2022.derivations.ends import one_way, two_way
from verify.mixed2022.derivations.ends import two_way_alike as two_way_alike_at_rest
from verify.mixed2022.displays import constants, displayed
from verify.mixed2022.parabolas import I1, Part, end_of, losses_of, minimiser_of, mixed, way
from verify.mixed2022.settled import false_algebra, settle
from verify.mixed2022.updates import eta, eta_s

F = Fraction
BASE = "MX-ALG-FP-PT / -1W / -2W"
SMALL = F(1, 10**9)
lam = sp.Symbol("lambda")


#: One or two steps from x of the clients on (x - 1)^2/2 and of the centre on c (x + 1)^2/2, and what remains of a distance.
LINES = (
    "y1 = x - (x - 1)/4; y2 = y1 - (y1 - 1)/4; z1 = x - c*(x + 1)/4; z2 = z1 - c*(z1 + 1)/4; "
    "yK = (2 - K)*y1 + (K - 1)*y2; zK = (2 - K)*z1 + (K - 1)*z2; (yK - x) + (zK - x) = 0"
)
parallel_constant = false_algebra(
    f"{BASE}.PT[constant step sizes]",
    Relations(
        f"(x - 1) + c*(x + 1) = 0 for K = 2; c = 3; {LINES}",
        uses={0: {"(yK - x) + (zK - x) = 0": "16/(3*K + 1)"}},
        at={"x": "-4/11"},
        names={
            **{f"{a}{i}": f"{b}^{{({i})}}" for a, b in (("y", "x_i"), ("z", "x_c")) for i in "12K"},
            "c": r"\lambda_c",
        },
    ),
    true={"K = 1": ("K = 2", "K = 1"), "equal curvatures, eta_s = 1": ("c = 3", "c = 1")},
    group=identity_claim,
    says=r"f_f=\tfrac{(x-1)^2}2,\ f_c=\tfrac{\lambda_c(x+1)^2}2,\ \eta=\eta_c=\tfrac14,\ \eta_s=\eta_m=1,\ x^{(t+1)}=x^{(t)}=x"
    r"\ \Rightarrow\ \nabla f(x)=0:\quad ",
    source="Section 2, Algorithm 1",
    repair=f"{BASE}.PT[step sizes to zero]",
    fault="reading",
    headline="At constant rates Parallel Training can rest beside the minimiser",
    summary="At constant rates Parallel Training can rest beside the minimiser of f, as for K = 2 and curvatures 1 and 3: at a "
    "point that a round leaves as it is the gradient of f does not vanish.",
)


def expanded(rate: Any) -> list[Any]:
    """Coefficients of eta and eta^2 in q for a step size proportional to eta, K a symbol."""
    q = moved(lam, rate, K)
    return [sp.simplify(sp.diff(q, eta, order).subs(eta, 0) / sp.factorial(order)) for order in (1, 2)]


def close(text: str, problem: MixedProblem, algorithm: Any, target: Fraction) -> Instance:
    """(end - minimiser)/eta at the small step size agrees with its limit up to what such a step leaves."""
    found = (end_of(problem, algorithm) - minimiser_of(problem)) / SMALL
    return Instance(f"{text}: |bias/eta - ({target})| against 1e-6", abs(found - target), F(1, 10**6))


@asymptotic_claim(
    f"{BASE}.PT[step sizes to zero]",
    source="Section 2, Algorithm 1; Theorem B.1",
    statement=r"x_{PT}-x^*=\frac{(K-1)\eta(\lambda_f-\eta_s\lambda_c)}{2(\lambda_f+\lambda_c)}g_f(x^*)+O(\eta^2)\to0,\ "
    r"\eta_c=\eta\eta_s",
    printed=dict(factor="K - 1", ratio="1"),
    headline="With vanishing steps at matched rates Parallel Training ends at the minimiser",
    summary="As eta goes to zero with eta_c = eta eta_s and K fixed, Parallel Training ends at the minimiser; the bias is at "
    "most of first order, whose coefficient is displayed.",
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
        target = F(str(wanted.subs({K: steps, lf: 1, lc: 3, eta_s: 1}))) * -F(3, 2)
        method = fl.ParallelTraining(steps, SMALL, F(ratio) * SMALL)
        instances.append(close(f"I1, eta=1e-9, K={steps}", I1, method, target))
    return settle(
        proof,
        instances,
        method="x_PT - x* = (q_c - eta_s q_f) g/(q_c lambda_c + eta_s q_f lambda_f), expanded in eta with K a symbol",
        valid_for="quadratics with commuting Hessians (eigenvalue by eigenvalue), lambda_f + lambda_c > 0, clients alike, all K, "
        "eta_s",
    )


ALIKE, APART = (2, 1), (1, -2)
#: Clients that differ.
UNLIKE = mixed([ALIKE, APART], (3, -1))


#: Clients, and where rounds of 1-way GT (x) and of 2-way GT (x, u, v) with K_i = 1, 2 rest on them and f_c = 3 (x + 1)^2/2.
CLIENTS = {
    "alike": ([ALIKE, ALIKE], "-1/5", ("-1/5", "12/5", "-12/5")),
    "of other curvature": ([ALIKE, APART], "-95/97", ("-12473/13036", "1509/3259", "-9249/13036")),
    "of other minimisers": ([ALIKE, (2, -2)], "-39/35", ("-15367/14195", "12/85", "-6084/14195")),
}
ONCE, RATES = {0: F(1)}, [F(1, 5)] * 2


def one_way_rest(clients: str) -> FiniteInstance:
    parts, x, _ = CLIENTS[clients]
    h = 3 * (F(x) + 1)
    given = way("F", "k", parts, (1, 2), RATES, x, h)
    axes, numbers = {"t": ONCE, "k": {0: F(1, 3), 1: F(2, 3)}}, {"beta": 2, "T": 1, "eta": F(1, 5)}
    return constants({"x": x, "h": h}, numbers, axes=axes, given=given, functions={"F": losses_of(parts)})


of_ends = partial(displayed, group=identity_claim, source="Section 2, Algorithms 1 and 2; Assumption 4.1")
UNLIKE_CLIENTS: Mapping[str, Any] = {
    "different curvatures": dict(clients="of other curvature"),
    "different minimisers and unequal steps": dict(clients="of other minimisers"),
}
one_way_alike = of_ends(
    f"{BASE}.1W",
    lambda clients: one_way("alike" if clients == "alike" else "apart"),
    "sq(mean(gF_x, k) + h) <= 0",
    names={"sq(mean(gF_x, k) + h)": r"\|\nabla f_f(x)+\nabla f_c(x)\|^2"},
    given={"facts": {"end of F": "1/(eta*(1 - eta*beta/2))"}},
    instance=one_way_rest,
    at="clients (x-1)^2 (the other one as well, or (x+2)^2/2, or (x+2)^2), f_c = 3(x+1)^2/2, K_i = 1, 2, eta = 1/5",
    says=r"x^{(t+1)}=x^{(t)}=x\text{ for 1-way GT, clients alike}\ \Rightarrow\ ",
    method="The local steps are gradient steps of f_f + <grad f_c(x), .>: the first lowers it unless its gradient at x vanishes, "
    "no other raises it; by convexity it is not lower at the last points, whose mean is x.",
    valid_for="all convex beta-smooth f_f, every f_c, N, weights, K_i, eta_s and eta beta < 2",
    printed=dict(clients="alike"),
    headline="With clients that are alike 1-way transfer rests only where the whole gradient vanishes",
    summary="Without noise, with clients that are alike, all K_i and eta_s, a convex smooth loss of the clients and "
    "eta beta < 2: where a round of 1-way GT leaves the model as it is, the gradient of f vanishes.",
    false=UNLIKE_CLIENTS,
)


@asymptotic_claim(
    f"{BASE}.1W-S1",
    source="Section 2, Algorithm 2",
    printed=dict(factor="K - 1", steps="equal"),
    statement=r"x_{1w}-x^*=\frac{(K-1)\eta}2(H_f+H_c)^{-1}\sum_ip_iH_i\big(\nabla f_i-\nabla f_f\big)(x^*)+O(\eta^2)",
    headline="Clients of different curvature can bias 1-way Gradient Transfer as they bias FedAvg",
    summary="Clients of different curvature (outside the paper's Assumption 4.1) whose gradients at x* differ can bias 1-way GT "
    "for K >= 2, as they can bias FedAvg: to first order in eta by the displayed term, whatever eta_s, and not at all as eta "
    "goes to zero, for equal K_i.",
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
        method = fl.OneWayGradientTransfer(many, SMALL, F(3, 4), client_steps=own)
        target = F(str(half.subs(K, many))) * F(1, 2) * (l1 - l2) * apart / (F(l1 + l2, 2) + 3)
        text = f"clients (x-1)^2, (x+2)^2/2, f_c=3(x+1)^2/2, eta=1e-9, eta_s=3/4, K_i={own or (many, many)}"
        instances.append(close(text, UNLIKE, method, target))
    return settle(
        proof,
        instances,
        method="The fixed point's equation is a sum of terms Q_i v, expanded in eta with K a symbol; sums over clients are "
        "linear, and only products H_i v occur, so that numbers stand for matrices.",
        valid_for="quadratics in R^d, every N, weights, K, eta_s; H_f + H_c invertible",
    )


def two_way_rest(parts: Sequence[Part], counts: Sequence[int], at: Sequence[str], *other: str) -> FiniteInstance:
    """Two clients and f_c = 3(x+1)^2/2 where a round of 2-way GT changes nothing; weights as K_i, ``other`` ones equal."""
    x, u, v = at
    given = {"i": lambda p: F(p["t"]), "K": lambda p: F(counts[p.get("k", 0)]), "still": lambda p: (F(x),)}
    given |= way("F", "k", parts, counts, RATES, x, u) | way("F2", "l", parts, counts, RATES, x, u)
    given |= way("C", "", [(3, -1)], [2], [F(1, 10)], x, v)
    axes = {"t": ONCE, "k": {i: F(n, sum(counts)) for i, n in enumerate(counts)}}
    axes |= {axis: {0: F(1, 2), 1: F(1, 2)} for axis in other}
    given["end_F"] = given["still"]
    rates = dict(eta="1/5", eta_c="1/10", eta_s="3/4", eta_m=1)
    numbers = {"beta": 3, "T": 1, "j": "2/5", "steps": F(sum(counts), 2), **rates}
    losses = {"F": losses_of(parts), "C": losses_of([(3, -1)])}
    return constants({"x": x, "u": u, "v": v, "end_C": x}, numbers, axes=axes, given=given, functions=losses)


#: Steps of both clients, and x, u, v where a round changes nothing.
WAYS = {"equal": ((2, 2), ("-53/76", "69/76", "-69/76")), "unequal": ((1, 2), CLIENTS["of other curvature"][2])}
REST = (
    "clients (x-1)^2 and (x+2)^2/2, f_c = 3(x+1)^2/2, eta = 1/5, eta_c = 1/10, eta_s = 3/4, J = 2, K_i = 2 (or 1 and 2)"
)
two_way_alike = of_ends(
    f"{BASE}.2W",
    lambda clients: two_way_alike_at_rest("alike" if clients == "alike" else "apart"),
    "sq(mean(gF_x, k) + gC_x) <= 0",
    names={"sq(mean(gF_x, k) + gC_x)": r"\|\nabla f_f(x)+\nabla f_c(x)\|^2"},
    given={
        "facts": {"r = 0": "3", "s = 0": "3", "r_c = 0": "3"},
        "squares": [["1", "gF_x + u - gC_x - v"], ["1", "gF_x + u + s"], ["1", "gC_x + v + s"]],
    },
    instance=lambda clients: two_way_rest(CLIENTS[clients][0], (1, 2), CLIENTS[clients][2], "l"),
    at="clients (x-1)^2 (the other one as well, or (x+2)^2/2, or (x+2)^2), f_c = 3(x+1)^2/2, K_i = 1, 2, eta = 1/5, eta_c = 1/10",
    says=r"(x,\tilde g_c,\tilde g_f)\text{ the same after a round of 2-w GT, clients alike}\ \Rightarrow\ ",
    method="With s = u + v the clients' updates are (j/eta_s) s in the model and a negative multiple of s in gt_f, but both lower "
    "f_f + <u, .>: so its gradient at x vanishes, no client moves, s = 0, and the same for the centre.",
    valid_for="all convex beta-smooth f_f and f_c, eta beta, eta_c beta < 2, N, weights, K_i, J, eta_s, eta_m, both divisors",
    printed=dict(clients="alike"),
    headline="With clients that are alike 2-way transfer rests only where the whole gradient vanishes",
    summary="Without noise, with clients that are alike, all K_i, convex smooth losses, eta beta < 2 and eta_c "
    "beta < 2: where a round of 2-way "
    "GT leaves the model and both augmenting gradients as they are, the gradient of f vanishes.",
    false=UNLIKE_CLIENTS,
)
two_way_ends = of_ends(
    f"{BASE}.2W-S1",
    two_way,
    "sq(u - gC_x) <= 0; sq(mean(last_F, k) - x) <= 0; sq(x_new - x) <= 0; sq(u_new - gC_x) <= 0; sq(v_new + gC_x) <= 0",
    names={
        "u": r"\tilde g_c",
        "gC_x": r"\nabla f_c(x)",
        "mean(last_F, k)": r"\frac{\sum_ip_ix_i^{(t,K)}}{\sum_ip_i}",
        "x_new": "x'",
        "u_new": r"\tilde g_c'",
        "v_new": r"\tilde g_f'",
    },
    given=[
        {"facts": {"u is the gradient": "1"}},
        {"facts": {"no sum": "(j/eta_s)**2"}},
        {"facts": {"stays": "eta_m**2", "at the last": "eta_m**2"}},
        {"facts": {"stays": "1/j**2", "at the last": "1/j**2"}},
        {},
    ],
    instance=lambda steps: two_way_rest([ALIKE, APART], *WAYS[steps]),
    at=REST,
    says=r"(x,\tilde g_c,\tilde g_f)\text{ the same after a round of 2-w GT (first two); }(x',\tilde g_c',\tilde g_f')\text{ after "
    r"one from }(x,\nabla f_c(x),-\nabla f_c(x))\text{ where 1-w GT leaves }x\text{ as it is}:\quad ",
    printed=dict(steps="equal"),
    prose="with gt_c = grad f_c(x) every local step of a client is that of 1-way GT, so that both rounds have the same ends",
    headline="2-way and 1-way Gradient Transfer rest at the same points",
    method="With s = u + v the updates are -j s and (j/eta_s) s in the model, so that s = 0 by the renewal of gt_f; the centre's "
    "steps then end where they began, which they do only if their gradient at x vanishes, and then they "
    "do.",
    valid_for="every convex beta-smooth f_c, eta_c beta < 2, all losses of the clients, N, equal K_i and p_i",
    summary="Without noise 2-way GT rests exactly where 1-way GT does, clients alike or not, for equal K_i and "
    "p_i, convex f_c, eta_c beta < 2: "
    "at rest gt_c is the central gradient at the model, with which the clients' updates cancel, as in 1-way GT; and where they do, "
    "a round from gt_c = grad f_c(x), gt_f = -grad f_c(x) leaves the model and both as they are.",
    false={"unequal steps, clients apart": dict(steps="unequal")},
)


if __name__ == "__main__":
    run_script(__file__)
