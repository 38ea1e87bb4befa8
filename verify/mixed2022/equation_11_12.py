"""Equations (11) and (12) of Augenstein et al. (2022): the server update and the drift, in two readings of the index k.

Algorithm 2 numbers the local iterates x^0 = x^(t), ..., x^K and takes gradients at x^0, ..., x^{K-1}.  The document writes
k = 1..K.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import sympy as sp

from fltheory.algorithms.gradient_transfer import OneWayGradientTransfer
from fltheory.evidence.exact_search import search
from fltheory.evidence.kinds import definition_claim, identity_claim, identity_of_an_instance, run_script
from fltheory.evidence.model import Control, Evidence, Rung, Tightness
from fltheory.readings.trajectory import trajectory
from fltheory.theory.mixed2022 import one_round
from fltheory.theory.steps import Step, identity
from verify.mixed2022.one_way_instances import AFTER, Round, evaluated, rounds, sampled
from verify.mixed2022.parabolas import mixed
from verify.mixed2022.settled import settle

ONE, ZERO = Fraction(1), Fraction(0)


def instances() -> list[Round]:
    return sampled(rounds([Fraction(1, 8), ONE], convex=False), 17)


def update(shift: int, sign: int) -> Evidence:
    """x+ - x against -(e/(KS)) sum (g_i(x_i^k) + g_c), every outcome; the noise of step k goes with the gradient at x^k."""
    eta, eta_s, K, S, total = sp.symbols("eta eta_s K S total")
    claimed = -sign * (K * eta * eta_s) / (K * S) * total
    steps = [  # x_i^K - x = -eta sum_k (g_i + g_c); total sums over clients and steps
        identity("telescoped local steps, averaged", eta_s / S * (-eta * total), claimed),
        Step("points of the gradients", shift == 0, "Algorithm 2 takes gradients at x^0..x^(K-1)"),
    ]

    def sides(item: Round) -> tuple[Fraction, Fraction]:
        """The first outcome (there is no client noise)."""
        _, after, points = next(item.paths())
        central = (points[0][0] - points[0][1]) / item.eta - item.federated.gradient(item.point)
        used = [item.federated.gradient(y) for path in points for y in (path[1:] if shift else path[:-1])]
        e = item.steps * item.eta * item.server
        return after - item.point, -sign * e * (sum(used, start=ZERO) / len(used) + central)

    found = search([r for r in instances() if not r.client], sides, relation="=", describe=str)
    return settle(
        steps,
        found,
        method="telescoping sum of the local steps for any K and S; instances by their paths",
        valid_for="SGD everywhere, equal K, equal weights, every outcome of all draws",
    )


of_equation_11 = identity_claim.sharing(
    source="equation (11)",
    statement=r"x^{(t+1)}-x^{(t)}=-\frac{\tilde\eta}{KS}\sum_{i\in\mathcal S}\sum_k\big(g_i(x_i^{(t,k)})+g_c(x^{(t)})\big)=-"
    r"\tilde\eta g_c(x^{(t)})-\frac{\tilde\eta}{KS}\sum_{i\in\mathcal S}\sum_kg_i(x_i^{(t,k)})",
)
from_zero = of_equation_11(
    "MX-EQ11[gradients at x^0..x^(K-1)]",
    summary="The update of Algorithm 2 is a step along the mean of the clients' gradients and the central one, with "
    "effective step K eta eta_s.",
    printed=dict(shift=0, sign=1),
    controls=[Control("gradients at x^1..x^K", dict(shift=1)), Control("sign turned", dict(sign=-1))],
)(update)
from_one = of_equation_11(
    "MX-EQ11[k = 1..K in the numbering of Algorithm 2]",
    fault="reading",
    repair="MX-EQ11[gradients at x^0..x^(K-1)]",
    printed=dict(shift=1, sign=1),
    headline="With the algorithm's numbering of iterates the display is off by one",
    summary="With Algorithm 2's numbering of the iterates k = 1..K is off by one: false for K = 1, f_f = x^2/2. The proofs "
    "need the first iterate to be x^(t) (numbering from 1).",
    controls=[Control("gradients at x^0..x^(K-1)", dict(shift=0), must="pass")],
)(update)


@identity_of_an_instance(
    "MX-EQ11-S1",
    source="equation (11), against the algorithm",
    statement=r"x^{(t+1)}\ \text{of the algorithm}=x^{(t)}-\frac{\tilde\eta}{KN}\sum_{i,k<K}\big(\nabla f_i(x_i^{(t,k)})+"
    r"\nabla f_c(x^{(t)})\big)",
    headline="A round of the implemented algorithm is the display, checked in rational numbers",
    summary="A round of the implemented algorithm is the display, in rational numbers, for K = 1, 2, 5 and eta_s = "
    "1, 3/2.",
    printed=dict(shift=0),
    controls=[Control("gradients at x^1..x^K", dict(shift=1))],
)
def algorithm(shift: int) -> Evidence:
    half, start = Fraction(1, 2), Fraction(3)
    problem = mixed([(1, half), (1, half)], (2, half))

    def sides(case: tuple[int, Fraction, Fraction]) -> tuple[Fraction, Fraction]:
        K, eta, server = case
        made = OneWayGradientTransfer(K, eta, server)
        models = trajectory(problem, made, rounds=1, start=[start], exact=True).models
        central, path = 2 * start - 1, [start]
        for _ in range(K):
            path.append(path[-1] - eta * (path[-1] - half + central))
        used = path[1:] if shift else path[:-1]
        return models[-1][0] - start, -server * eta * sum((y - half + central for y in used), start=ZERO)

    found = search(
        product((1, 2, 5), (Fraction(1, 8),), (ONE, Fraction(3, 2))),
        sides,
        relation="=",
        describe=lambda c: f"K = {c[0]}, eta = {c[1]}, eta_s = {c[2]}, f_i = x^2/2 - x/2, f_c = x^2 - x, x = 3",
    )
    return settle(
        [Step("all rounds agree", found.worst == 0, "a round differs")],
        found,
        method="the algorithm's own round in rational numbers",
        valid_for="the instances named",
    )


def drift(readings: str) -> Evidence:
    """mean over k = 0..K-1 <= mean over k = 1..K, difference e_K/K; or the converse."""
    first, last, rest = sp.symbols("first last rest")  # e_0 = 0, e_K, sum of e_1..e_(K-1)
    K, as_claimed = one_round.K, readings == "b below a"
    before, after = (first + rest) / K, (rest + last) / K
    steps = [
        identity("difference", (after - before).subs(first, 0), last / K),
        Step("direction", as_claimed, "the last point is the farthest addition"),
    ]
    return settle(
        steps,
        evaluated(*((one_round.drift, AFTER) if as_claimed else (AFTER, one_round.drift)), instances()),
        method="x^0 = x^(t), so that the means differ by E|x^K - x|^2/K",
        valid_for="every algorithm, N, K",
        tightness=Tightness(1.0, Rung.PROOF, "equality when the last point is x^(t)"),
    )


of_equation_12 = definition_claim.sharing(
    printed=dict(readings="b below a"),
    source="equation (12)",
    statement=r"\mathcal{E}^{(t)}=\frac1{KN}\sum_{i=1}^N\sum_k\mathbb{E}_{|t}\|x_i^{(t,k)}-x^{(t)}\|^2",
)
points_of_gradients = of_equation_12(
    "MX-EQ12[k = 0..K-1]",
    summary="Over the points where gradients are taken: what Lemma D.9 needs, zero for K = 1, never above the other reading. "
    "Bounds with the drift on the right are proved for this one.",
    controls=[Control("other direction", dict(readings="a below b"))],
)(drift)
literal = of_equation_12(
    "MX-EQ12[k = 1..K in the numbering of Algorithm 2]",
    summary="Over x^1..x^K: larger by E|x^K - x|^2/K. Bounds of the drift are proved for this one, so that the recursions hold "
    "in both readings.",
    controls=[Control("smaller than over x^0..x^(K-1)", dict(readings="a below b"))],
)(drift)

if __name__ == "__main__":
    run_script(__file__)
