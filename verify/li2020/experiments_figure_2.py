"""Figure 2 of Li et al. (2020): fixed step sizes end beside the optimum unless E = 1, annealed ones reach it.

Judged on the committed runs of ``figures/experiments/figure_2.py`` (full gradients, N = 5, p = 4, mu = 2e-4; E, the fixed
step sizes and the number of steps are not printed and were chosen there) and on exact rational fixed points.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from fltheory.algorithms import FedAvg
from fltheory.evidence.model import Control, Evidence, Kind, Outcome, Rung, Scope, claim
from fltheory.plotting.files import Result
from fltheory.plotting.paired import committed
from fltheory.problems import li_counterexample
from fltheory.readings.round_map import fixed_point

_COMMON = dict(kind=Kind.EXPERIMENT, scope=Scope.EXPERIMENT, source="Appendix C.2, Figure 2")


def _exact_gap(local_steps: int, step_size: Fraction) -> Fraction:
    problem = li_counterexample(n_clients=5, block=4, ridge=Fraction(1, 5000), exact=True)
    limit = fixed_point(problem, FedAvg(local_steps, step_size), exact=True)
    return Fraction(problem.value(limit) - problem.constants.minimum)


@claim(
    "LI-FIG2.1",
    **_COMMON,
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
    worst, numbers, wrong = np.inf, {}, []
    for eta in result.settings["fixed"]:
        for e in result.settings["E"]:
            end, limit = float(result[f"fixed/{eta}/E={e}"][-1]), float(result[f"limit/{eta}/E={e}"])
            numbers[f"eta={eta}, E={e}"] = f"gap of the run {end:.6g}, exact limit {limit:.6g}"
            if e in optimal:
                arrived = limit == 0 and end < 1e-12
            else:
                arrived = limit > 1e-9 and abs(end / limit - 1) < 1e-6
            worst = min(worst, 1.0 if arrived else -1.0)
            if not arrived:
                wrong.append(f"eta={eta}, E={e}: {numbers[f'eta={eta}, E={e}']}")
    # The limits in the file are those of rational arithmetic: one of them is worked out again here.
    again = float(_exact_gap(5, Fraction(1, 25)))
    if again != float(result["limit/1/25/E=5"]):
        raise ValueError(f"limit/1/25/E=5={float(result['limit/1/25/E=5'])} in the result file; computed again {again}")
    return Evidence(
        Rung.RERUN, Outcome.NOT_REPRODUCED if wrong else Outcome.HOLDS,
        "Last objective of deterministic runs against the rational fixed point of the round map. Optimal: limit "
        "exactly F* and "
        "gap below 1e-12 at the end; otherwise: limit above F* and reached within 1e-6.",
        examined=len(numbers), margin=worst, numbers=numbers, counterexample="; ".join(wrong),
    )  # fmt: skip


def _annealed(count: str, rates: tuple[float, ...], near: float, far: float) -> Evidence:
    """Claim: for every E > 1 the best a approaches the optimum.

    Contradicted if the gap ends above ``far`` of the fixed-rate limit; at most ``near`` of it and still falling would be what
    a finite run can show, which leaves the limit itself unproved.
    """
    result: Result = committed("figure_2")
    steps = [e for e in result.settings["E"] if e > 1]
    numbers, margins, shown = {}, [], True
    for e in steps:
        limit = float(result[f"limit/1/25/E={e}"])
        curves = {a: result[f"annealed/{count}/{a:g}/E={e}"] for a in rates if a > 0}
        curves |= {a: result[f"fixed/1/25/E={e}"] for a in rates if a == 0}
        best = min(curves, key=lambda a: float(curves[a][-1]))
        end, before = float(curves[best][-1]), float(curves[best][-11])
        margins.append(1 - end / (far * limit))
        shown = shown and end <= near * limit and end / before < 1 - 1e-3
        numbers[f"E={e}"] = (
            f"best a={best:g}: gap {end:.4g}, {end / limit:.3g} of the limit at the fixed rate 1/25; "
            f"falling by {1 - end / before:.1%} in the last tenth"
        )
    numbers[f"gap at most {near:g} of the limit and still falling, for every E"] = "yes" if shown else "no"
    good = min(margins) > 0
    return Evidence(
        Rung.RERUN, Outcome.NOT_REFUTED if good else Outcome.NOT_REPRODUCED,
        f"{result.settings['steps']} local steps in all. Contradicted if the best gap ends above {far:g} of the limit at the "
        f"step size with which the annealing starts. Below, no finite run shows that the limit is the optimum: not refuted "
        f"at most, also where the gap is within {near:g} of that limit and falls by more than 0.1 % in the last tenth. "
        "LI-BIASEX.3 proves the convergence for one rate per round on this example.",
        examined=len(steps), margin=min(margins), numbers=numbers,
        valid_for=f"N={result.settings['N']}, p={result.settings['p']}, mu={result.settings['mu']}, E={steps}, "
        f"{result.settings['steps']} steps (E and the number of steps are not printed)",
        would_settle="a proof that w_t -> w* for eta_t -> 0, sum eta_t = infinity (LI-BIASEX.3 proves it for one rate "
        "per round on this example)" if good else "",
    )  # fmt: skip


_LIMIT = r"F(w_t)\to F^* \text{ for } E>1,\ \eta_t=\tfrac{1/5}{5+ta}"
annealed = [
    claim(
        f"LI-FIG2.2[t counts {words}]", **_COMMON, statement=_LIMIT,
        summary=f"With annealed step sizes, the best a of the printed three, FedAvg approaches the optimum for E > 1 (a finite "
                f"run cannot show more); t counts {words}.",
        printed=dict(count=count, rates=(1e-2, 1e-4, 1e-6), near=0.1, far=0.5),
        controls=[
            Control("no annealing (a = 0)", dict(rates=(0.0,))),
            Control("a = 1e-6 only: almost no annealing", dict(rates=(1e-6,))),
        ],
    )(_annealed)
    for count, words in (("steps", "local steps"), ("rounds", "rounds"))
]  # fmt: skip

if __name__ == "__main__":
    from fltheory.evidence.runner import run_script

    run_script(__file__)
