"""Theorem 1 of Li et al. (2020) without Assumption 4, smaller steps: a drift constant linear in kappa for gamma >= c kappa E.

A local run's gradients do not shrink by more than 1 - eta L per step.  So the drift is bounded by the gradients at the step
itself, and their difference from those at w* is absorbed by the part of cocoercivity that Lemma 1 leaves unused.
"""

from fractions import Fraction
from functools import cache
from itertools import product
from typing import Any

import sympy as sp

from fltheory.evidence import certificates
from fltheory.evidence.decide import decide
from fltheory.evidence.exact_search import search
from fltheory.evidence.kinds import expectation_claim, run_script
from fltheory.evidence.model import Control, Evidence
from fltheory.theory.li2020 import no_bounded_gradients as no4
from fltheory.theory.li2020 import theorems as th
from fltheory.theory.li2020.no_bounded_gradients import THEOREM_SQUARE, distance_bound, drift_factor, square_bound
from fltheory.theory.states import proves
from verify.li2020 import elsewhere, frontier
from verify.li2020.frontier import delta, drift_constant
from verify.li2020.no_bounded_gradients.linear_proof import linear_proof
from verify.li2020.no_bounded_gradients.proof import SUPPOSED, kept
from verify.li2020.no_bounded_gradients.runs import SlopedParabolas, identical, opposite, rational

ONE = Fraction(1)
#: Names in the statement.
NAMES = {
    sp.Symbol("b"): drift_factor(no4.c),
    sp.Symbol("a"): (no4.c - 4) / (no4.c - 5),
    sp.Symbol("kappa"): th.kappa,
}


def at(problem: SlopedParabolas, horizon: int, c: int, start: Fraction, noise: Fraction, drift: Fraction) -> Fraction:
    """The bound on E|w_T - w*|^2 for a run with variance 0 or 1, with its three parts scaled."""
    first, spread = start * problem.start**2, noise * problem.noise
    entering = rational(drift) * (rational(problem.zeta) + sp.sqrt(rational(problem.variance))) ** 2
    exact = map(rational, (problem.kappa, problem.local_steps, horizon, problem.gamma, c, first, spread))
    return Fraction(str(square_bound(*exact, entering)))


@cache
def runs() -> tuple[tuple[SlopedParabolas, int, int, Fraction], ...]:
    """(clients, c, T, lower bound of E|w_T|^2): a start alone, noise alone, drift alone, everything together."""
    cases: list[tuple[SlopedParabolas, int, tuple[int, ...]]] = []
    for c, kappa, local in product((7, 16, 64), (1, 2, 10), (1, 2, 5)):
        k, gamma = Fraction(kappa), Fraction(c * kappa * local)
        cases.append((identical(k, ONE, local, gamma), c, (1, 2, 30)))
        cases.append((identical(k, ONE, local, gamma, start=0, variance=1), c, (2, 10, 60)))
        if kappa > 1:
            cases.append((opposite(k, Fraction(1, 5), local, gamma, start=-1), c, (3, 10, 60)))
    cases.append((identical(ONE, ONE, 1, Fraction(16), start=0, variance=1), 16, (400,)))
    cases.append((opposite(Fraction(10), Fraction(1, 17), 2, Fraction(1280)), 64, (1280, 12_800)))
    return tuple(
        (problem, c, horizon, mean**2 + variance)
        for problem, c, horizons in cases
        for horizon, mean, variance in problem.moments(horizons)
    )


def constants() -> dict[str, Any]:
    """T^2 |w_T - w*|^2 as T grows, mu = zeta = 1, no noise; LI-THM1-S5 at the printed gamma, older bounds with G = 1 >= zeta."""
    found: dict[str, Any] = {}
    for kappa, local in product((2, 10, 100), (2, 5)):
        older = drift_constant(sp.Integer(1), sp.Integer(local), sp.Integer(4)).subs(frontier.kappa, kappa)
        linear = (kappa - 1) * (local - 1) * (2 * local - 1)
        weights = [Fraction(1, m**2 + 1) for m in range(1, 30)]
        parabolas = max(
            4 * p * (1 - p) * (kappa - 1) ** 2 / (1 + 2 * p * (kappa - 1)) ** 2 * (local - 1) ** 2 for p in weights
        )
        found[f"kappa = {kappa}, E = {local}"] = {
            **{f"this bound, c = {c}": float(drift_factor(sp.Integer(c))) * linear for c in (8, 16, 64)},
            "LI-THM1-S5": float((kappa - 1) * (local - 1) * (1 + (local - 2) / max(8 * kappa, local))) ** 2,
            "LI-THM1-S3, better of delta = 0, 1": float(min(older.subs(delta, d) for d in (0, 1))),
            "LI-THM1-S2": 8.0 * kappa * (local - 1) ** 2,
            "two parabolas need": float(parabolas),
        }
    return found


def printed_steps() -> dict[str, Any]:
    """The bound of the gap with the printed steps, exact gradients, mu = |w_1 - w*| = zeta = 1: LI-THM1-S5 up to r, then this."""
    found: dict[str, Any] = {}
    one, zero = sp.Integer(1), sp.Integer(0)
    for kappa, local in product((10, 100), (2, 5)):
        k, e, gamma = sp.Integer(kappa), sp.Integer(local), sp.Integer(max(8 * kappa, local))
        for horizon in (10**4, 10**5, 10**6):
            whole = distance_bound(k, e, sp.Integer(horizon), gamma, one, one) ** 2
            options = [whole]
            for c in (8, 12, 16, 32, 64):
                r = -(-(c * kappa * local + 1 - int(gamma)) // local) * local
                if r < horizon:
                    reached = distance_bound(k, e, sp.Integer(r), gamma, one, one) ** 2
                    later, last = gamma + r - 1, sp.Integer(horizon - r + 1)
                    options.append(square_bound(k, e, last, later, sp.Integer(c), reached, zero, one))
            found[f"kappa = {kappa}, E = {local}, T = {horizon}"] = {
                "LI-THM1-S5 alone": float(k * whole / 2),
                "best c": float(k * min(options) / 2),
            }
    return found


def scaled(start: sp.Expr, noise: sp.Expr, drift: sp.Expr) -> sp.Expr:
    """The bound with these factors of its parts."""
    parts = start * th.D1, noise * th.V / th.mu**2, drift * (no4.zeta + no4.sigma) ** 2 / th.mu**2
    return square_bound(th.kappa, th.E, th.T, no4.gamma, no4.c, *parts)


@expectation_claim(
    "LI-THM1-S7",
    source="replaces Assumption 4 in Theorem 1",
    quick=False,
    statement=THEOREM_SQUARE,
    proves=proves(THEOREM_SQUARE, scaled, under=(*SUPPOSED, no4.c > 6, no4.gamma >= no4.c * th.L / th.mu * th.E)),
    where=NAMES,
    headline="Theorem 1 without bounded gradients, drift constant linear in the condition number",
    summary="Theorem 1 without bounded gradients, smaller steps, with noise, for every c > 6 and gamma >= c kappa E: G^2 gives "
    "way to (zeta + sigma)^2, zeta^2 = sum p_k |grad F_k(w*)|^2, sigma^2 = sum p_k sigma_k^2, with a drift constant linear in "
    "kappa: 2/3 (kappa-1)(E-1)(E-1/2) as c and T grow (so also for the printed steps, from x = c kappa E on), where two parabolas "
    "need about kappa/2 (E-1)^2 (LI-THM1-RATE.3); the gap is at most L/2 times it.",
    elsewhere=elsewhere.AT_THE_MINIMISER,
    assumptions=[item.words for item in THEOREM_SQUARE.conditions],
    depends=("LI-LEM2",),
    printed=dict(start="1", noise="1", drift="1"),
    controls=[
        Control("drift part divided by 3", dict(drift="1/3")),
        Control("noise part times 0.9", dict(noise="9/10")),
        Control("part of the start times 0.98", dict(start="49/50")),
    ],
)
def li_thm1_s7(start: str, noise: str, drift: str) -> Evidence:
    """A weight whose product with the squared distance grows by the noise and the drift only."""
    steps, bad = kept(linear_proof)
    scales = [Fraction(z) for z in (start, noise, drift)]
    failed = list(bad) + ([] if min(scales) >= 1 else ["a part is smaller than the solved recursion"])
    found = search(
        runs(),
        lambda run: (run[3], at(run[0], run[2], run[1], *scales)),
        describe=lambda run: f"{run[0]}, c = {run[1]}: E|w_{run[2]}|^2",
    )
    return decide(
        (not failed, "; ".join(failed)),
        found,
        method="norms in L2 over clients and samples: gradients of a local run are at most those at its end over the "
        "product of the 1 - eta L (A1), which bounds the drift by H, m, zeta and sigma (triangle inequality); one "
        "step in means and deviations leaves -(2 eta s/(L-mu)) H; its largest value over H; Weierstrass' product "
        "inequality; with theta = 1/(c-6) the weight (x-1)^2 (x-2)^2 (1 + Q/(x-1)^2), Q <= gamma^2/(c-5), makes the "
        "recursion telescope; the local indices are summed round by round; certificates of each step for all "
        "parameters (L = mu by continuity: the clients are L'-smooth for every L' > mu, with a smaller c)",
        valid_for="every N, p, dimension, E >= 1, T >= 1, 0 < mu <= L, c > 6, gamma >= c kappa E",
        numbers={"drift constants": constants(), "gap with the printed steps": printed_steps()} if not failed else None,
        prose="certificates of single steps; inequalities of norms in L2, telescoping and the sums over t join them",
        certificate=steps.data(certificates) if not failed else None,
    )


if __name__ == "__main__":
    run_script(__file__)
