"""Section 6 of Augenstein et al. (2022): whether splitting a population favours Gradient Transfer over Parallel Training.

Two readings: by the orders of Table 1, and by where the runs end on two groups of clients that are alike within each group,
f = pi h_1 + (1 - pi) h_2, h_a = lambda_a (x - x_a)^2/2.  Before the split the one method is FedAvg on all clients (there is no
other side); afterwards f_f = pi h_1 and f_c = (1 - pi) h_2 are two sides of Parallel Training or of 2-way GT.
"""

from collections.abc import Iterator
from fractions import Fraction

import sympy as sp

import fltheory as fl
from fltheory.evidence.algebra import statement_of_algebra
from fltheory.evidence.kinds import qualitative_claim, run_script
from fltheory.evidence.model import Control, Evidence
from fltheory.evidence.relations import Relations
from fltheory.problems.mixed import MixedProblem
from fltheory.problems.quadratic import QuadraticProblem
from fltheory.theory.mixed2022 import orders
from fltheory.theory.steps import Instance, equality, identity, sign
from verify.mixed2022 import closed_forms
from verify.mixed2022.closed_forms import change_is_linear, move_is_positive, moved, two_way_is_one_way
from verify.mixed2022.parabolas import end_of, minimiser_of, mixed, parabolas
from verify.mixed2022.settled import settle

F = Fraction
of_section_6 = qualitative_claim.sharing(source="Section 6")
#: sqrt(eps), sqrt(beta) and the logarithm as letters; sigma^2, G and B after the split.
LETTERS = {orders.eps: sp.Symbol("r", positive=True) ** 2, orders.beta: sp.Symbol("s", positive=True) ** 2}
AFTER = {orders.V: sp.Symbol("V1"), orders.G: sp.Symbol("G1"), orders.B: sp.Symbol("B1")}


def rounds(name: str, case: str) -> tuple[str, str]:
    """An order of Table 1 before the split, and after it."""
    whole = sum(orders.terms(name, case).values()).subs(sp.log(1 / orders.eps), sp.Symbol("log")).subs(LETTERS)
    return f"({whole})", f"({whole.subs(AFTER, simultaneous=True)})"


def favoured(case: str) -> str:
    """2-way GT does not rise, and Parallel Training less 2-way GT does not fall."""
    (parallel, later), (two_way, then) = rounds("PT", case), rounds("2-w GT", case)
    return f"{then} <= {two_way}; {later} - {then} >= {parallel} - {two_way}"


def favoured_itself(case: str) -> tuple[str, str]:
    """The second of these, and that Parallel Training alone does not fall."""
    before, later = rounds("PT", case)
    return favoured(case).split("; ")[1], f"{later} >= {before}"


favours_by_orders = statement_of_algebra(
    "MX-CONC-SPLIT.3[orders of Table 1]",
    Relations(
        "; ".join(map(favoured, orders.CASES))
        + " for K >= 1; S >= 1; r > 0; s > 0; mu > 0; D_sq >= 0; F >= 0; log >= 0; C >= 0; V >= 0; 0 <= V1 <= V; "
        + "G >= 0; G1 >= G; B >= 0; B1 >= B",
        names={
            **orders.NAMES,
            **{"r": r"\sqrt{\epsilon}", "s": r"\sqrt{\beta}", "log": r"\log\tfrac1\epsilon"},
            **{"V1": r"\sigma'^2", "G1": "G'", "B1": "B'"},
        },
    ),
    headline="By the printed orders a split favours 2-way transfer against Parallel Training",
    false={"the order of Parallel Training itself does not fall": favoured_itself("convex")},
    group=of_section_6,
    says=r"T_{2w}'\le T_{2w},\ T_{PT}'-T_{2w}'\ge T_{PT}-T_{2w}:\quad ",
    summary="By the orders of Table 1 a split that lowers sigma^2 and raises G and B favours 2-way GT against Parallel Training: "
    "the order of 2-way GT does not rise, and that of Parallel Training less that of 2-way GT does not fall, in all three cases.",
    depends=("MX-CONC-SPLIT.1", "MX-CONC-SPLIT.2"),
)


def parts(share: Fraction) -> tuple[QuadraticProblem, MixedProblem]:
    """h_1 = (x-1)^2/2, h_2 = 2 (x+1)^2: clients of weights pi, 1 - pi, and the two sides pi h_1, (1 - pi) h_2."""
    return parabolas([(1, 1), (4, -1)], [share, 1 - share]), mixed([(share, 1)], (4 * (1 - share), -1))


@of_section_6(
    "MX-CONC-SPLIT.3[where the runs end]",
    headline="After a split of two unlike groups 2-way transfer ends at the minimiser; FedAvg did not",
    printed=dict(steps="K >= 2", server="1"),
    statement=r"\text{PT}_{\eta/\pi,\,\eta/(1-\pi),\,\eta_m=1-\pi,\,\eta_s\eta_m=\pi}=\text{FedAvg}_\eta;\quad\text{its end}\ne"
    r"\arg\min f,\quad\text{2-w GT ends at }\arg\min f",
    summary="On two groups of unlike clients: FedAvg before the split ends beside the minimiser; Parallel Training after it can at "
    "suitable rates make the very same rounds, so that at these it neither gains nor loses (at other unequal rates it may end at "
    "the minimiser, too); 2-way GT ends at the minimiser wherever it converges. At those rates the split favours Gradient Transfer "
    "through its gain, not through a loss of Parallel Training.",
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
