"""The step size with the least certified worst case beside the one that each document prescribes, and the price of the latter.

Units: L = 1 and a start of size one.  A document's step size is the largest one that its theorem allows at these constants, or
the one it names.  Every number is certified: V at the steps of a grid from both sides, ``V(step) <= upper``,
``V(eta) >= lower`` for all step sizes of the range, and both sides of V at the prescribed step; six digits, rounded outward.
"""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import fltheory as fl
from benchmarks.worst_case.table import write
from fltheory.theory.conditions import Condition
from fltheory.theory.lecture2022 import bounds as lecture
from fltheory.theory.mixed2022 import orders
from fltheory.worstcase.analysis import Analysis
from fltheory.worstcase.answer import WorstCase
from fltheory.worstcase.functional import Functional
from verify.elastic2023 import rates
from verify.fedlama2021 import lemma_5_2_displays

MU, L = Fraction(1, 10), Fraction(1)
CLIENTS = fl.SmoothStronglyConvex(MU, L)
POINTS = 24
#: Digits of a prescribed step size that is no rational: it is cut off, and so below what the theorem allows.
CUT = 10**4


@dataclass(frozen=True)
class Case:
    """A question of one document and its step sizes: ``prescribed`` maps words to a step size, or to an algorithm and where it
    stands on the axis."""

    document: str
    name: str
    family: Any
    clients: fl.FunctionClass
    options: Mapping[str, Any]
    prescribed: Mapping[str, Any] = field(default_factory=dict)


def average_over_steps(analysis: Analysis) -> Functional:
    """The average of ``|grad f|^2`` over the clients' mean models at all steps, as the lecture measures."""
    local = analysis.program.registers("gradient")
    total = Functional()
    for place in local:
        point = analysis.recorder.instructions[place][1]
        mean = point if point in analysis.program.models else analysis.mean(point)
        total = total + analysis.square(analysis.full_gradient(mean)) * Fraction(1, len(local))
    return total


def average_over_rounds(analysis: Analysis) -> Functional:
    """The average of ``|grad F(u_t)|^2`` over the rounds' starts, as FedLAMA measures."""
    models = analysis.program.models[:-1]
    total = Functional()
    for place in range(len(models)):
        total = total + analysis.gradient(place) * Fraction(1, len(models))
    return total


def _require(conditions: Iterable[Condition], values: Mapping[str, object]) -> None:
    """Raise ``ValueError`` where a step size breaks a condition of its document."""
    broken = [item.words for item in conditions if item.holds(values) is False]
    if broken:
        raise ValueError(f"{dict(values)} breaks {broken}")


def _rational(number: Any) -> Fraction:
    return Fraction(int(number.p), int(number.q))


def li_cases() -> list[Case]:
    """Theorem 1 of Li et al.: eta_t = 2/(mu (gamma + t)) with gamma = max(8 L/mu, E), the first step at t = 0."""
    found = []
    for gamma in (Fraction(1, 100), Fraction(1, 10), Fraction(1)):
        schedule = fl.li_main_text(MU, L, 5)
        printed = {
            "schedule of Theorem 1": (fl.FedAvg(5, schedule), schedule.at(0, 0, 5)),
            "1/(4L), the most of Lemma 1": 1 / (4 * L),
        }
        options = {
            "rounds": 2,
            "measure": "gap",
            "start": "distance",
            "heterogeneity": "gamma",
            "quantities": {"gamma": gamma},
        }
        found.append(Case("li2020", f"Gamma = {gamma}", fl.FedAvg(5, 1), CLIENTS, options, printed))
    return found


def lecture_cases() -> list[Case]:
    """Theorem 1 and Corollary 2 of the lecture: s <= 1/L, and s = sqrt(N)/(L sqrt(T)) with N = 2, T = 8."""
    found = []
    chosen = _rational(lecture.RATE_STEP.subs({lecture.N: 2, lecture.T: 8, lecture.L: L}))
    _require([lecture.STEP], {"s": 1 / L, "L": L})
    for second in (Fraction(1, 4), Fraction(9, 4)):
        printed = {"Corollary 2, N = 2": chosen, "1/L, the most of Theorem 1": 1 / L}
        options = {
            "rounds": 4,
            "measure": average_over_steps,
            "start": "gap",
            "heterogeneity": "bounded gradients",
            "quantities": {"G2": second},
        }
        found.append(Case("lecture2022", f"G^2 = {second}", fl.FedAvg(2, 1), fl.Smooth(L), options, printed))
    return found


def mixed_cases() -> list[Case]:
    """Theorems B.1 to B.3 of Mixed FL, strongly convex, K = 3, eta_s = eta_m = 1, eta_c = eta; clients of one loss."""
    steps = 3

    def limit(name: str) -> Fraction:
        values = {orders.K: steps, orders.beta: L, orders.mu: MU, orders.eta_m: 1, orders.B: 1}
        step = min(_rational(one.subs(values)) for one in orders.limits(name, "strongly convex"))
        met = {str(symbol): value for symbol, value in values.items()} | {
            "S": 1,
            "eta_s": 1,
            "eta": step,
            "eta_c": step,
        }
        _require(orders.conditions(name, "strongly convex"), met)
        return step

    families: dict[str, Callable[[Any], Any]] = {
        "PT": lambda eta: fl.ParallelTraining(steps, eta, eta),
        "1-w GT": lambda eta: fl.OneWayGradientTransfer(steps, eta),
        "2-w GT": lambda eta: fl.TwoWayGradientTransfer(steps, eta, eta, initial="gradients"),
    }
    found: list[Case] = []
    for name, family in families.items():
        alike: Any = "identical"
        quantities: dict[str, Any] = {}
        if name == "PT":
            alike, quantities = ["identical", fl.MixedDissimilarity(B=1)], {"G2": Fraction(1, 10)}
        options = {"rounds": 2, "centre": CLIENTS, "heterogeneity": alike, "quantities": quantities}
        printed = {f"the most of Theorem B.{len(found) + 1}": limit(name)}
        found.append(Case("mixed2022", name, family, CLIENTS, options, printed))
    return found


def fedlama_cases() -> list[Case]:
    """Theorem 5.3 of FedLAMA with beta^2 = 1: eta <= min(1/(tau L), 1/(L sqrt(2 tau (tau-1)(2 beta^2+1)))), tau = phi tau'."""
    found = []
    for factor in (1, 2):
        # Where no rational is the largest one, a smaller one of few digits: its square obeys the condition.
        largest = Fraction(1) if factor == 1 else Fraction(math.floor(CUT / math.sqrt(2 * 2 * 1 * 3)), CUT)
        _require(lemma_5_2_displays.STEP, {"eta": largest, "tau": factor, "L": L, "beta_sq": 1})
        method = fl.FedLAMA(1, 2, 1, intervals=(1, 2)) if factor == 2 else fl.FedAvg(1, 1)
        options = {
            "rounds": 4 // factor,
            "measure": average_over_rounds if factor == 2 else every_second,
            "start": "gap",
            "heterogeneity": fl.Dissimilarity(1),
            "quantities": {"G2": 1},
        }
        name = "one layer at tau' = 1, one at 2" if factor == 2 else "all layers at tau' = 1"
        found.append(Case("fedlama2021", name, method, fl.Smooth(L), options, {"the most of Theorem 5.3": largest}))
    return found


def every_second(analysis: Analysis) -> Functional:
    """The average of ``|grad F|^2`` over every second round's start."""
    places = range(0, len(analysis.program.models) - 1, 2)
    total = Functional()
    for place in places:
        total = total + analysis.gradient(place) * Fraction(1, len(places))
    return total


def elastic_cases() -> list[Case]:
    """Theorem I of elastic aggregation: K phi eta_g eta <= 1/(8 (1 + B^2) beta), here K = 5, B = 1, eta_g = 1."""
    found = []
    for elasticity in (1, 2):
        largest = 1 / (8 * 2 * L * 5 * elasticity)
        _require(rates.CONVEX_RECURSION.conditions, {"e": 5 * elasticity * largest, "B": 1, "beta": L, "mu": MU})
        options = {"rounds": 2, "heterogeneity": fl.Dissimilarity(1), "quantities": {"G2": Fraction(1, 10)}}
        method = fl.SimplifiedElastic(5, 1, 1, elasticity=elasticity)
        printed = {"the most of Theorem I": largest}
        found.append(Case("elastic2023", f"phi = {elasticity}", method, CLIENTS, options, printed))
    return found


CASES = (li_cases, lecture_cases, mixed_cases, fedlama_cases, elastic_cases)


def up(number: Fraction | float | None) -> float | None:
    """Six digits, not below the number, as the file keeps them."""
    if number is None or not math.isfinite(number):
        return None
    found = Fraction(f"{float(number):.6g}")
    unit = Fraction(10) ** (math.floor(math.log10(abs(float(number)))) - 5) if number else Fraction(0)
    return float(found if found >= number else found + unit)


def down(number: Fraction | float | None) -> float | None:
    """Six digits, not above the number."""
    found = up(None if number is None else -number)
    return None if found is None else -found


def solved(case: Case) -> dict[str, Any]:
    """All numbers of one case."""
    begin = time.process_time()
    best = fl.best_step_size(
        case.family, case.clients, progress=lambda words: print(f"  {words}", file=sys.stderr), **case.options
    )
    found = time.process_time() - begin
    print(f"{case.document}, {case.name}: {best}, {found:.1f} s", file=sys.stderr)
    marks: list[dict[str, Any]] = []
    for words, chosen in case.prescribed.items():
        if isinstance(chosen, tuple):
            method, place = chosen
            answer: WorstCase = fl.worst_case(method, case.clients, **case.options)
        else:
            place, answer = chosen, best.at(chosen)
        low, high = best.price(answer)
        marks.append(
            {
                "words": words,
                "step": str(place),
                "upper": up(answer.upper),
                "lower": down(answer.lower),
                "price": [down(low), up(high)],
            }
        )
        print(f"  {words}: {marks[-1]}", file=sys.stderr)
    steps = [float(best.step), *(float(Fraction(mark["step"])) for mark in marks)]
    ends = math.log(min(steps) / 2), math.log(max(float(best.step) * 1.8, max(steps) * 1.1))
    grid = [Fraction(f"{math.exp(ends[0] + (ends[1] - ends[0]) * k / (POINTS - 1)):.3g}") for k in range(POINTS)]
    curve = best.curve(sorted({*grid, best.step}))
    return {
        "document": case.document,
        "case": case.name,
        "status": best.status,
        "step": str(best.step),
        "upper": up(best.upper),
        "lower": down(best.lower),
        "width": best.width,
        "range": None if best.range is None else [None if end is None else float(end) for end in best.range],
        "where": [[down(low), up(high)] for low, high in best.where],
        "pieces": [
            [float(low), None if high is None else float(high), down(value)] for low, high, value in best.pieces
        ],
        "prescribed": marks,
        "curve": {"etas": list(curve.etas), "upper": list(map(up, curve.upper)), "lower": list(map(down, curve.lower))},
        "seconds": found,
    }


def main() -> None:
    """Write ``results/benchmarks/best_steps.json``."""
    rows = [solved(case) for make in CASES for case in make()]
    prices = [mark["price"][0] for row in rows for mark in row["prescribed"]]
    summary = {
        "cases": len(rows),
        "certified": sum(row["status"] == "certified" for row in rows),
        "widest enclosure": max(row["width"] for row in rows),
        "largest price of a prescribed step": max(prices),
    }
    write("best_steps", summary, rows, keys=("document", "case", "step", "upper", "lower", "where", "seconds"))


if __name__ == "__main__":
    main()
