"""Section 6 of Augenstein et al. (2022): whether splitting a population favours Gradient Transfer over Parallel Training.

Two readings: by the orders of Table 1, and by where the runs end on two groups of clients that are alike within each group,
f = pi h_1 + (1 - pi) h_2, h_a = lambda_a (x - x_a)^2/2.  Before the split the one method is FedAvg on all clients (there is no
other side); afterwards f_f = pi h_1 and f_c = (1 - pi) h_2 are two sides of Parallel Training or of 2-way GT.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

import sympy as sp

import fltheory as fl
from fltheory.evidence.kinds import qualitative_claim, run_script
from fltheory.evidence.model import Control, Evidence
from fltheory.problems.mixed import MixedProblem
from fltheory.problems.quadratic import QuadraticProblem
from fltheory.theory.mixed2022 import orders
from fltheory.theory.steps import Instance, Step, equality, identity, sign
from verify.mixed2022 import closed_forms
from verify.mixed2022.closed_forms import change_is_linear, move_is_positive, moved, two_way_is_one_way
from verify.mixed2022.parabolas import end_of, minimiser_of, mixed, parabolas
from verify.mixed2022.settled import settle

F = Fraction
of_section_6 = qualitative_claim.sharing(source="Section 6")
less, more_G, more_B = sp.symbols("delta_V delta_G delta_B", nonnegative=True)


def after(order: sp.Expr) -> sp.Expr:
    """The order after a split: sigma^2 lower, G and B larger by any amounts."""
    changes = {orders.V: orders.V - less, orders.G: orders.G + more_G, orders.B: orders.B + more_B}
    return order.subs(changes, simultaneous=True)


def bounds(compared: str) -> Evidence:
    """T_2w(after) <= T_2w(before), and T_PT - T_2w does not fall (``compared``: "difference") or T_PT does not fall ("itself")."""
    steps: list[Step] = []
    instances: list[Instance] = []
    logarithm = sp.Symbol("L", positive=True)
    root, scale = sp.symbols("r s", positive=True)  # sqrt(eps), sqrt(beta)
    units = {orders.eps: root**2, orders.beta: scale**2}
    free = (orders.K, orders.S, orders.mu, orders.G, orders.B, orders.D2, orders.F, logarithm, root, scale)
    ranges = [(name, 0, None) for name in (*free, less, more_G, more_B)]
    for case in orders.CASES:
        parallel, two_way = (
            sum(orders.terms(name, case).values()).subs(sp.log(1 / orders.eps), logarithm) for name in ("PT", "2-w GT")
        )
        subject = parallel - two_way if compared == "difference" else parallel
        gained = sp.expand((after(subject) - subject).subs(units))
        steps += [
            sign(f"{case}: T_2w(before) - T_2w(after)", sp.expand((two_way - after(two_way)).subs(units)), ranges),
            sign(f"{case}: what T_PT {'- T_2w ' if compared == 'difference' else ''}gains", gained, ranges),
        ]
        ones = (orders.C, orders.S, orders.beta, orders.mu, orders.G, orders.B, orders.D2, orders.F)
        numbers = dict.fromkeys(ones, 1) | {orders.V: 10, orders.K: 2, orders.eps: sp.Rational(1, 100), logarithm: 5}
        for drop, rise in ((0, 1), (9, 1), (9, 0)):
            step = {less: drop, more_G: rise, more_B: 0}
            old, new = (F(str(sp.nsimplify(part.subs(step).subs(numbers)))) for part in (subject, after(subject)))
            text = f"{case}, K=2, S=sigma_c^2=beta=mu=B=D=F=1, eps=1/100, log=5: sigma^2 10 -> {10 - drop}, G 1 -> {1 + rise}"
            instances.append(Instance(f"{text}: before, after", old, new))
    return settle(
        steps,
        instances,
        method="signs of the printed terms' changes, sqrt(eps) and sqrt(beta) as variables",
        valid_for="all three cases of Table 1; sigma^2 not larger, G and B not smaller after the split (MX-CONC-SPLIT.1 and .2), "
        "the other constants unchanged",
    )


favours_by_orders = of_section_6(
    "MX-CONC-SPLIT.3[orders of Table 1]",
    printed=dict(compared="difference"),
    statement=r"T_{2w}\text{ does not rise, }T_{PT}-T_{2w}\text{ does not fall, where }\sigma^2\text{ falls and }G,B\text{ rise}",
    summary="By the orders of Table 1 a split that lowers sigma^2 and raises G and B favours 2-way GT against Parallel Training. "
    "(Parallel Training's own order can fall, too: it pays for G and B, but gains from sigma^2.)",
    depends=("MX-CONC-SPLIT.1", "MX-CONC-SPLIT.2"),
    controls=[Control("the order of Parallel Training itself does not fall", dict(compared="itself"))],
)(bounds)


def parts(share: Fraction) -> tuple[QuadraticProblem, MixedProblem]:
    """h_1 = (x-1)^2/2, h_2 = 2 (x+1)^2: clients of weights pi, 1 - pi, and the two sides pi h_1, (1 - pi) h_2."""
    return parabolas([(1, 1), (4, -1)], [share, 1 - share]), mixed([(share, 1)], (4 * (1 - share), -1))


@of_section_6(
    "MX-CONC-SPLIT.3[where the runs end]",
    printed=dict(steps="K >= 2", server="1"),
    statement=r"\text{PT}_{\eta/\pi,\,\eta/(1-\pi),\,\eta_m=1-\pi,\,\eta_s\eta_m=\pi}=\text{FedAvg}_\eta;\quad\text{its end}\ne"
    r"\arg\min f,\quad\text{2-w GT ends at }\arg\min f",
    summary="On two groups of unlike clients: FedAvg before the split ends beside the minimiser; Parallel Training after it has at "
    "suitable rates the very same rounds, so that it neither gains nor loses; 2-way GT ends at the minimiser. The split favours "
    "Gradient Transfer, through its gain, not through a loss of Parallel Training.",
    depends=("MX-ALG-STAB.4",),
    controls=[Control("K = 1", dict(steps="K = 1")), Control("eta_s eta_m = 1.01 pi", dict(server="101/100"))],
)
def where_runs_end(steps: str, server: str) -> Evidence:
    """x+ = x - sum_a (weight_a) q_a lambda_a (x - x_a), q(lambda, eta, K) = (1 - (1 - eta lambda)^K)/lambda."""
    lam, other, pi, y, near, far, eta = sp.symbols("lambda lambda_2 pi x x_1 x_2 eta", positive=True)
    K = sp.Integer(1) if steps == "K = 1" else closed_forms.K

    def move(curvature: sp.Expr, rate: sp.Expr, distance: sp.Expr) -> sp.Expr:
        return moved(curvature, rate, closed_forms.K).subs(closed_forms.K, K) * curvature * distance

    before = pi * move(lam, eta, y - near) + (1 - pi) * move(other, eta, y - far)
    merge, factor = 1 - pi, sp.Rational(server) * pi / (1 - pi)
    split = merge * (move((1 - pi) * other, eta / (1 - pi), y - far) + factor * move(pi * lam, eta / pi, y - near))
    first, second = sp.symbols("t_1 t_2", positive=True)  # 1 - (1 - eta lambda_a)^K
    end = sp.solve(pi * first * (y - near) + (1 - pi) * second * (y - far), y)[0]
    best = (pi * lam * near + (1 - pi) * other * far) / (pi * lam + (1 - pi) * other)
    bias = pi * (1 - pi) * (near - far) * (first * other - second * lam)
    bias = bias / ((pi * first + (1 - pi) * second) * (pi * lam + (1 - pi) * other))
    s, r, small, more = sp.symbols("s r b e", positive=True)  # eta lambda_1 = s, eta lambda_2 = s + r <= 1
    terms = 1 if steps == "K = 1" else 2
    proof = [
        *change_is_linear(),
        identity(
            "a round of Parallel Training after the split is one of FedAvg before it",
            sp.expand(split),
            sp.expand(before),
        ),
        identity("no bias iff t_1/lambda_1 = t_2/lambda_2, or x_1 = x_2", end - best, bias),
        identity(
            "t/(eta lambda) = sum_{k<K} (1 - eta lambda)^k, terms k < 2: they fall by r",
            moved(s, sp.Integer(1), terms) - moved(s + r, sp.Integer(1), terms),
            r,
        ),
        sign(
            "k > 1: a >= b >= 0 and a^k >= b^k give a^(k+1) >= b^(k+1)",
            (small + r) * (s + more) - small * s,
            ((small, 0, None), (r, 0, None), (s, 0, None), (more, 0, None)),
        ),
        *two_way_is_one_way(),
        *move_is_positive(),
    ]

    def instances() -> Iterator[Instance]:
        for share, count in ((F(1, 2), 2), (F(1, 3), 3)):
            whole, mixed_sides = parts(share)
            best_at, rate, local = minimiser_of(mixed_sides), F(1, 16), 1 if steps == "K = 1" else count
            fedavg, server_at = fl.FedAvg(local, rate), F(server) * share / (1 - share)
            parallel = fl.ParallelTraining(local, rate / share, rate / (1 - share), server_at, 1 - share)
            last, same = (
                F(fl.trajectory(problem, made, rounds=4, exact=True, start=[2]).models[-1, 0])
                for problem, made in ((whole, fedavg), (mixed_sides, parallel))
            )
            name = f"x^2/2 at 1 (share {share}), 2x^2 at -1, K={local}, eta=1/16"
            yield equality(f"{name}: FedAvg and Parallel Training after 4 rounds", last, same)
            two_way = end_of(mixed_sides, fl.TwoWayGradientTransfer(local, rate, rate, 1, F(1, 2)))
            yield equality(f"{name}: end of 2-way GT, minimiser", two_way, best_at)
            end_at = end_of(whole, fedavg)
            text = f"{name}: FedAvg ends at {end_at}, minimiser {best_at}; equal (1: yes)"
            yield Instance(text, F(int(end_at == best_at)), F(0))

    return settle(
        proof,
        instances,
        method="rounds as polynomials in each side's curvature (matrices: term by term); fixed points in closed form, "
        "exact trajectories",
        valid_for="the line (the rounds: every d); two groups, clients alike within each, lambda_1 != lambda_2, x_1 != x_2, every "
        "K >= 2, eta lambda <= 1, any shares; no noise; 2-way GT where it converges",
    )


if __name__ == "__main__":
    run_script(__file__)
