"""Theorem 1 of Li et al. (2020) without Assumption 4, exact gradients: heterogeneity at the minimiser takes the place of G^2.

Clients are run from w and, with the same steps, from w*.  Each client's step shrinks the distance between its two runs by
1 - eta mu, so that only the drift of the run from w* is left, and its gradients are at most those at w*.  Nothing but
eta <= 2/(L + mu) is asked of the steps.
"""

from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from itertools import product
from typing import Any

import sympy as sp

from fltheory.evidence import certificates
from fltheory.evidence.decide import decide
from fltheory.evidence.exact_search import search
from fltheory.evidence.kinds import inequality_claim, run_script
from fltheory.evidence.model import Control, Evidence, Rung, Tightness
from fltheory.theory.li2020 import no_bounded_gradients as no4
from fltheory.theory.li2020 import theorems as th
from fltheory.theory.li2020.no_bounded_gradients import THEOREM_DISTANCE, distance_bound
from fltheory.theory.li2020.theorems import theorem_1, theorem_1_improved
from fltheory.theory.states import proves
from fltheory.worstcase.classes import SmoothStronglyConvex
from fltheory.worstcase.entry import worst_case
from verify.li2020 import elsewhere, frontier
from verify.li2020.audit_cases import FedAvgFromStepOne
from verify.li2020.frontier import delta
from verify.li2020.no_bounded_gradients.proof import SUPPOSED, exact_proof, kept
from verify.li2020.no_bounded_gradients.runs import SlopedParabolas, float_runs, identical, opposite, rational

HORIZONS = (1, 2, 4, 6, 10, 40)
KAPPAS = (2, 10, 100)
_RUN = "gap, F_1 = L w^2/2 + 4w/5 (p = 1/5), F_2 = w^2/2 - w/5, w_1 = 1"


def at(
    problem: SlopedParabolas, horizon: int, start: Fraction = Fraction(1), drift: Fraction = Fraction(1)
) -> Fraction:
    """The bound on |w_T - w*| for a run, with its two parts scaled."""
    parts = (problem.gamma, start * abs(problem.start), drift * problem.zeta)
    bound = distance_bound(*map(rational, (problem.kappa, problem.local_steps, horizon, *parts)))
    return Fraction(str(bound))


@cache
def runs(least: Fraction) -> tuple[tuple[SlopedParabolas, int, Fraction], ...]:
    """The runs of :func:`_attaining`, computed once."""
    return tuple(_attaining(least))


def _attaining(least: Fraction) -> Iterator[tuple[SlopedParabolas, int, Fraction]]:
    """Clients that attain the parts of the bound, with gamma = least kappa and with the printed gamma."""
    for kappa, local in product(map(Fraction, KAPPAS), (2, 1, 5)):
        for gamma in (max(8 * kappa, Fraction(local)), least * kappa):
            if gamma <= 1:
                continue
            problems = [
                opposite(kappa, Fraction(1, 2), local, gamma),
                identical(kappa, Fraction(1), local, gamma),
                identical(kappa, kappa, local, gamma),
                opposite(kappa, Fraction(1, 5), local, gamma),
                opposite(kappa, Fraction(1, 5), local, gamma, start=-1),
            ]
            for problem in problems:
                for horizon, distance, _ in problem.moments(HORIZONS):
                    yield problem, horizon, distance


def beside_the_others() -> dict[str, Any]:
    """All proved bounds of the gap F(w_T) - F* on one run, with G^2 along it."""
    found: dict[str, Any] = {}
    for kappa, local in product(KAPPAS, (2, 5)):
        gamma = max(8 * kappa, local)
        problem = opposite(Fraction(kappa), Fraction(1, 5), local, Fraction(gamma), start=1)
        for horizon, run in float_runs(problem, (100, 1000, 10_000)).items():
            second, minima = run.largest_square, problem.gap_at_minima
            values = dict(L=kappa, mu=1, E=local, T=horizon, V=0, D1=1, G2=second, Gamma=minima)
            improved = theorem_1_improved.exact(**theorem_1_improved.select(values))
            ends, drift = (gamma + 1, gamma + horizon), (0, sp.Float(second), local, 4)
            old = frontier.distance_bound(*map(sp.sympify, (1, *ends, *drift))).subs(frontier.kappa, kappa)
            zeta = sp.sqrt(2 * kappa * rational(minima))
            by_gamma = distance_bound(*map(sp.sympify, (kappa, local, horizon, gamma, 1, zeta)))
            found[f"kappa = {kappa}, E = {local}, T = {horizon}"] = {
                "gap of the run": run.gap,
                "G^2/zeta^2": second / float(problem.zeta_square),
                "LI-THM1": float(theorem_1.exact(**values)),
                "LI-THM1-S2": float(improved),
                "LI-THM1-S3, better of delta = 0, 1": kappa / 2 * min(float(old.subs(delta, d)) for d in (0, 1)),
                "this bound": kappa / 2 * float(at(problem, horizon)) ** 2,
                "this bound with zeta^2 = 2 L Gamma": kappa / 2 * float(by_gamma) ** 2,
            }
    return found


def beside_the_worst_case() -> dict[str, Any]:
    """Certified worst cases of |w_T - w*|^2 for L = |w_1 - w*| = zeta = 1, and the bound."""
    found: dict[str, Any] = {}
    for kappa, (local, horizon) in product(KAPPAS, ((2, 4), (2, 6), (3, 6), (5, 5))):
        mu, words = Fraction(1, kappa), f"kappa = {kappa}, E = {local}, T = {horizon}, squared distance"
        bound = distance_bound(*map(sp.Integer, (kappa, local, horizon, 8 * kappa, 1, kappa))) ** 2
        answer = worst_case(
            FedAvgFromStepOne(local, mu, Fraction(1)),
            SmoothStronglyConvex(mu, 1),
            rounds=horizon // local,
            measure="distance",
            heterogeneity="gradients",
            time_limit=20,
        )
        if answer.lower is not None and answer.lower > Fraction(str(bound)):
            raise RuntimeError(
                f"{words}: a certified instance is at {float(answer.lower)}, the bound at {float(bound)}"
            )
        found[words] = {
            "at least": None if answer.lower is None else float(answer.lower),
            "at most": None if answer.upper is None else float(answer.upper),
            "bound": float(bound),
        }
    return found


def scaled(start: sp.Expr, drift: sp.Expr) -> sp.Expr:
    """The bound with these factors of its parts."""
    return distance_bound(th.kappa, th.E, th.T, no4.gamma, start * sp.sqrt(th.D1), drift * no4.zeta / th.mu)


@inequality_claim(
    "LI-THM1-S5",
    source="replaces Assumption 4 in Theorem 1",
    quick=False,
    statement=THEOREM_DISTANCE,
    proves=proves(THEOREM_DISTANCE, scaled, under=(*SUPPOSED, no4.gamma >= th.L / th.mu, no4.gamma > 1)),
    headline="Theorem 1 without bounded gradients: only gradients at the minimiser matter",
    summary="Theorem 1 without bounded gradients, exact gradients, printed step sizes (gamma >= kappa is enough): the gradients "
    "at the minimiser take the place of G, zeta^2 = sum p_k |grad F_k(w*)|^2 <= 2 L Gamma; the squared distance falls like "
    "(kappa-1)^2 (E-1)^2 (1 + (E-2)/gamma)^2 zeta^2/(mu T)^2, the gap is at most L/2 times it.  The part of the start is "
    "attained for every T, that of the drift at E = 2, T = 4.",
    elsewhere=elsewhere.AT_THE_MINIMISER,
    assumptions=[item.words for item in THEOREM_DISTANCE.conditions],
    printed=dict(start="1", drift="1", least="1"),
    controls=[
        Control("drift part times 0.99 (attained at E = 2, T = 4)", dict(drift="99/100")),
        Control("part of the start times 0.99", dict(start="99/100")),
        Control("gamma >= 0.99 kappa instead of kappa", dict(least="99/100")),
    ],
)
def li_thm1_s5(start: str, drift: str, least: str) -> Evidence:
    """The recursion of U, multiplied by x (x-1), telescopes; exact runs attain both parts."""
    steps, bad = kept(exact_proof)
    failed = list(bad)
    failed += [] if Fraction(start) >= 1 and Fraction(drift) >= 1 else ["a part is smaller than the solved recursion"]
    failed += [] if Fraction(least) >= 1 else ["steps beyond 2/(L + mu)"]
    found = search(
        runs(Fraction(least)),
        lambda run: (run[2], at(run[0], run[1], Fraction(start), Fraction(drift))),
        describe=lambda run: f"{run[0]}: |w_{run[1]}|",
    )
    return decide(
        (not failed, "; ".join(failed)),
        found,
        method="for each client the run from w and the run from w* approach by 1 - eta mu per step, so does their "
        "average (Jensen); on the run from w* gradients do not grow (the same inequality between consecutive points), "
        "hence its drift is at most (sum eta_i)^2 zeta^2, and one step moves its average by (1 - eta mu) m + eta "
        "(L-mu)/2 sqrt(V); the linear recursion times x (x-1) telescopes, the local indices sum to at most "
        "(T-2)(E-1)/2; certificates of each step for all parameters (L = mu: let L decrease to mu)",
        valid_for="every N, p, dimension, E >= 1, T >= 1, 0 < mu <= L, gamma >= L/mu with gamma > 1",
        numbers={} if failed else {_RUN: beside_the_others(), "worst case, certified": beside_the_worst_case()},
        tightness=Tightness(
            1.0,
            Rung.PROOF,
            "equality: F_k = mu w^2/2 for every T; two parabolas of curvatures L and mu, p = 1/2, "
            "from w* at E = 2, T = 4, every kappa",
        ),
        prose="certificates of single steps; inequalities of norms in L2, telescoping and the sums over t join them",
        certificate=steps.data(certificates) if not failed else None,
    )


if __name__ == "__main__":
    run_script(__file__)
