"""Figure 2 of Li et al. (2020): fixed step sizes end beside the optimum unless E = 1, annealed ones reach it.

Judged on the committed runs of ``figures/experiments/figure_2.py`` (full gradients, N = 5, p = 4, mu = 2e-4; E, the fixed
step sizes and the number of steps are not printed and were chosen there) and on exact rational fixed points.  That annealed
step sizes reach the optimum is a statement about a limit, and proved.
"""

from fractions import Fraction
from itertools import product

import sympy as sp

from fltheory.algorithms import FedAvg
from fltheory.evidence.decide import Tried, decide
from fltheory.evidence.ends import by_rerun
from fltheory.evidence.kinds import experiment_claim, run_script
from fltheory.evidence.model import Control, Evidence
from fltheory.experiments.files import Result
from fltheory.experiments.paired import committed
from fltheory.problems import li_counterexample
from fltheory.readings.fixed_points import fixed_point
from fltheory.theory.proofs import Open, is_zero, nonnegative_on
from fltheory.theory.steps import Tests
from verify.li2020.section_4.decay import vanishing_steps

RIDGE = Fraction(1, 5000)

of_figure_2 = experiment_claim.sharing(source="Appendix C.2, Figure 2")


def _exact_gap(local_steps: int, step_size: Fraction) -> Fraction:
    """Gap of the fixed point of one round, in exact arithmetic."""
    problem = li_counterexample(n_clients=5, block=4, ridge=RIDGE, exact=True)
    limit = fixed_point(problem, FedAvg(local_steps, step_size), exact=True)
    return Fraction(problem.value(limit) - problem.constants.minimum)


@of_figure_2(
    "LI-FIG2.1",
    statement=r"\lim_t F(w_t) = F^* \iff E = 1 \quad (\eta \text{ fixed})",
    summary="With fixed step sizes the objective that FedAvg ends with is not optimal unless E = 1.",
    quick=False,
    printed=dict(optimal=(1,)),
    controls=[
        Control("optimal for E = 5 as well", dict(optimal=(1, 5))),
        Control("optimal for no E", dict(optimal=())),
    ],
)
def fixed_steps(optimal: tuple[int, ...]) -> Evidence:
    """The run has arrived (within one part in a million) at the exact limit, which is F* for the named E only."""
    result = committed("figure_2")
    numbers, wrong = {}, []
    for eta, e in product(result.settings["fixed"], result.settings["E"]):
        end, limit = float(result[f"fixed/{eta}/E={e}"][-1]), float(result[f"limit/{eta}/E={e}"])
        at = f"eta={eta}, E={e}"
        numbers[at] = f"gap of the run {end:.6g}, exact limit {limit:.6g}"
        optimum, beside = limit == 0 and end < 1e-12, limit > 1e-9 and abs(end / limit - 1) < 1e-6
        if not (optimum if e in optimal else beside):
            wrong.append(f"{at}: {numbers[at]}")
    # The limits in the file are those of rational arithmetic: one of them is worked out again here.
    again = float(_exact_gap(5, Fraction(1, 25)))
    if again != float(result["limit/1/25/E=5"]):
        raise ValueError(f"limit/1/25/E=5={float(result['limit/1/25/E=5'])} in the result file; computed again {again}")
    return by_rerun(
        not wrong,
        "Last objective of deterministic runs against the rational fixed point of the round map. Optimal: limit "
        "exactly F* and gap below 1e-12 at the end; otherwise: limit above F* and reached within 1e-6.",
        examined=len(numbers),
        margin=-1.0 if wrong else 1.0,
        numbers=numbers,
        counterexample="; ".join(wrong),
    )


SCALE, OFFSET = sp.Rational(1, 5), sp.Integer(5)


def _vanishing(rates: tuple[sp.Rational, ...]) -> Tests:
    """The steps of the proof that ``w_t -> w*``; ``h = (1/5)/(5 + a P r)`` is the first rate of round r, P = E or 1.

    The eigenvalues ``lambda`` of the clients lie in ``[mu, 4 + mu]`` (LI-PR1-1).  With ``e_1 = h >= e_2 >= ...`` the rates of a
    round, the local map is ``prod (1 - e_i lambda)``, and ``w*`` moves by ``-(1/N) sum_k S_k g_k`` with ``lambda S = 1 -
    prod (1 - e_i lambda)`` and ``sum_k g_k = 0``, so by ``(1/N) sum_k (s - S_k) g_k``, ``s = sum e_i <= E h``.
    """
    lam, e, s, gap, period, r = sp.symbols("lambda e s D P r")
    top = 4 + sp.Rational(RIDGE)
    ranges = [(lam, 0, top), (e, 0, 1 / top)]
    added = (s + e) - ((s - gap) * (1 - e * lam) + e) - (gap + e * lam * (s - gap))
    sums = [(lam, 0, None), (s, 0, None), (e, 0, None)]
    least = [(period, Open(0), None), (r, 1, None)]
    return vanishing_steps() | {
        "the first rate, the largest, is at most 1/(4 + mu)": lambda: nonnegative_on(1 / top - SCALE / OFFSET, ()),
        "then 0 <= 1 - e lambda <= 1, so 0 <= prod (1 - e_i lambda) <= 1 - h mu": lambda: (
            nonnegative_on(1 - e * lam, ranges) and nonnegative_on(e * lam, ranges)
        ),
        "one more step: s - S grows by e lambda S <= e lambda s": lambda: is_zero(added),
        "so 0 <= s - S <= lambda s^2/2, by induction, and w* moves by at most C h^2": lambda: nonnegative_on(
            lam * (s + e) ** 2 / 2 - (lam * s**2 / 2 + e * lam * s), sums
        ),
        "h -> 0, as h <= (1/5)/(a P r)": lambda: all(
            a > 0 and nonnegative_on(SCALE / (a * period * r) - SCALE / (OFFSET + a * period * r), least) for a in rates
        ),
        "these factors multiply to 0: h >= const/r, and of 1/r the terms r+1 to 2r add up to at least 1/2": lambda: (
            all(
                nonnegative_on(SCALE / (OFFSET + a * period * r) - SCALE / (OFFSET + a * period) / r, least)
                for a in rates
            )
            and nonnegative_on(r / (2 * r) - sp.Rational(1, 2), least)
        ),
    }


def _annealed(count: str, rates: tuple[str, ...]) -> Evidence:
    """Claim: for every a of ``rates`` and every E the objective tends to the optimum; t counts ``steps`` or ``rounds``."""
    exact = [sp.Rational(rate) for rate in rates]
    found = ""
    for rate in exact:
        if rate == 0 and (distance := _exact_gap(5, Fraction(1, 25))):
            found = f"a=0, E=5: the rate stays 1/25, and F(w_t) - F* tends to {float(distance):.6g}, a rational number above 0"
    return decide(
        _vanishing(tuple(exact)),
        Tried(examined=len(exact), counterexample=found),
        method="|w - w*| obeys a' <= (1 - c h) a + C h^2 from round to round, h the first rate of the round, c = mu; "
        "rates that fall to 0 and are not summable take it below every delta. Rates within a round may differ, so "
        "both ways of counting t are covered. F - F* <= (4 + mu)/2 |w - w*|^2.",
        valid_for="N=5, p=4, mu=2e-4, every E >= 1, every start; objective after whole rounds",
        numbers=_runs(count),
    )


def _runs(count: str) -> dict[str, str]:
    """How far the committed runs came, for information."""
    result: Result = committed("figure_2")
    words = {}
    for e in (e for e in result.settings["E"] if e > 1):
        limit = float(result[f"limit/1/25/E={e}"])
        curves = {a: result[f"annealed/{count}/{a:g}/E={e}"] for a in result.settings["a"]}
        best = min(curves, key=lambda a: float(curves[a][-1]))
        end = float(curves[best][-1])
        words[f"E={e}, after {result.settings['steps']} local steps"] = (
            f"best a={best:g}: gap {end:.4g}, {end / limit:.3g} of the limit at the fixed rate 1/25"
        )
    return words


_LIMIT = r"F(w_t)\to F^* \text{ for } E>1,\ \eta_t=\tfrac{1/5}{5+ta}"
annealed = [
    of_figure_2(
        f"LI-FIG2.2[t counts {words}]",
        headline=f"On the hard example steps that decay {law} lead to the optimum",
        statement=_LIMIT,
        depends=("LI-PR1-1",),
        summary=f"With annealed step sizes, each of the printed three a and so the best, FedAvg converges to the optimum for "
        f"E > 1 too; t counts {words}.",
        printed=dict(count=count, rates=("1/100", "1/10000", "1/1000000")),
        controls=[Control("no annealing (a = 0)", dict(rates=("0",)))],
    )(_annealed)
    for count, words, law in (
        ("steps", "local steps", "in every local step"),
        ("rounds", "rounds", "from round to round"),
    )
]

if __name__ == "__main__":
    run_script(__file__)
