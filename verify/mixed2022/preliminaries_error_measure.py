"""Theorems B.1-B.3 of Augenstein et al. (2022): what "expected error" must mean, by units and by the recursions of Appendix D.

Units: f ~ E, x ~ L, so beta, mu ~ E/L^2, sigma^2, sigma_c^2 ~ E^2/L^2, D ~ L, F ~ E; a number of rounds has no unit.
"""

from dataclasses import replace
from fractions import Fraction
from functools import cache
from itertools import product

import sympy as sp

from fltheory.evidence.derive import by_derivation
from fltheory.evidence.kinds import algebra_claim, run_script, table_claim
from fltheory.evidence.model import Control, Evidence
from fltheory.theory.conditions import Condition
from fltheory.theory.mixed2022 import convex
from fltheory.theory.mixed2022.orders import ALGORITHMS, CASES, C, V, terms
from fltheory.theory.mixed2022.vocabulary import MixedBound
from fltheory.theory.steps import Instance
from verify.mixed2022 import derivations
from verify.mixed2022.printed_numbers import as_printed

E, L = sp.symbols("E L", positive=True)
#: Units of what the orders hold besides S, K and B.
UNITS = {"beta": E / L**2, "mu": E / L**2, "V": E**2 / L**2, "C": E**2 / L**2, "D_sq": L**2, "F": E}
MEASURES = {"f - f*": E, "|grad f|^2": E**2 / L**2, "|x - x*|^2": L**2}
#: First and last terms of Table 1: noise of the clients, of the centre, optimisation.
PARTS = (("noise", C), ("noise", V), ("optimisation", C))


@cache
def faults(case: str, measure: str) -> list[str]:
    """The terms of a case that are no pure numbers, up to logarithms, when eps has the unit of the measure."""
    found, units = [], {**UNITS, "eps": MEASURES[measure]}
    for algorithm, (part, other) in product(ALGORITHMS, PARTS):
        term = terms(algorithm, case)[part].subs(other, 0).replace(sp.log, lambda _: sp.Integer(1))
        unit = sp.cancel(term.subs({x: units.get(x.name, 1) for x in term.free_symbols}, simultaneous=True))
        if unit != 1:
            found.append(f"{case}, {algorithm}, eps as {measure}: {term} has the unit {unit}")
    return found


def units(measures: tuple[str, ...]) -> Evidence:
    """Whether every first and last term of Table 1 is a pure number when eps has the unit of the case's measure."""
    wrong = [text for case, measure in zip(CASES, measures, strict=True) for text in faults(case, measure)]
    fitting = {case: ", ".join(m for m in MEASURES if not faults(case, m)) for case in CASES}
    method = "units of the first and last terms of Table 1, three measures per case"
    examined = len(CASES) * len(MEASURES) * len(ALGORITHMS) * len(PARTS)
    return as_printed(wrong[:2], method, examined, numbers=fitting)


measures = table_claim(
    "MX-ERRMEAS.1",
    source="Theorems B.1-B.3",
    statement=r"\text{error}<\epsilon:\ f-f^*\text{ or }\|\nabla f\|^2",
    printed=dict(measures=("f - f*", "f - f*", "|grad f|^2")),
    summary="The theorems do not say which error is meant. Units leave one choice: the first and last terms of all orders "
    "are pure numbers for eps = f - f* in the convex cases and eps = |grad f|^2 in the non-convex case, which are also "
    "the errors of the last displays of Appendix D (|x - x*|^2 fits none).",
    controls=[Control(f"{one} in all cases", dict(measures=(one,) * 3)) for one in MEASURES],
)(units)


T, D_sq = sp.symbols("T D_sq")
MEAN_ERROR = MixedBound.displays({"beta": r"\beta", "D_sq": "D^2"})(
    "errors from the recursion without noise",
    r"\tfrac1{T+1}\sum_{t=0}^Te_t",
    8 * convex.beta * D_sq / (T + 1),
    (Condition("d_{t+1} <= d_t - e_t/(8 beta), d_0 <= D^2, d_t >= 0"),),
    "MX-ERRMEAS.2",
    source="Theorem B.2 with Appendix D.2.1",
)


def from_recursion(iterate: str, factor: str) -> Evidence:
    """d_{t+1} <= d_t - eta e_t, 0 <= e_t <= beta d_t, eta = 1/(8 beta): error of the average or of the last iterate."""
    bound = replace(MEAN_ERROR, expression=sp.Rational(factor) * MEAN_ERROR.expression)
    # beta = 1, d_0 = 1, eta = 1/8.  Last: errors 0 until the last, where e = beta d.  Average: e_t = d_t as long as it lasts.
    instances, last = [], iterate == "last"
    for rounds in (10, 1000):
        distance, errors = Fraction(1), []
        for t in range(rounds + 1):
            errors.append(distance * (t == rounds if last else t < 20))
            distance -= errors[-1] / 8
        measured = errors[-1] if last else sum(errors, Fraction(0)) / (rounds + 1)
        name = f"beta = d_0 = 1, T = {rounds}: error of the {iterate} against {factor} * 8 beta D^2/(T + 1)"
        instances.append(Instance(name, measured, Fraction(factor) * 8 / (rounds + 1)))
    return by_derivation(
        lambda: derivations.mean_of_errors(bound, last=last),
        lambda: instances,
        method="Telescoping sum of the recursion, errors averaged.",
        valid_for="general convex, no noise; every T",
    )


iterates = algebra_claim(
    "MX-ERRMEAS.2",
    source="Theorem B.2 with Appendix D.2.1",
    statement=(r"d_{t+1}\le d_t-\tilde\eta e_t,\ \tilde\eta=\tfrac1{8\beta}:\quad ", MEAN_ERROR),
    printed=dict(iterate="average", factor="1"),
    headline="The recursions bound the averaged iterate, or the least squared gradient",
    summary="The recursions of Appendix D (here without noise and without the factor (S-1)/S) bound the mean of the "
    "errors, hence by convexity the error of the average iterate; in the non-convex case the least squared gradient. "
    "For mu = 0 they bound the last error only by 8 beta D^2, which does not fall with T.",
    controls=[
        Control("bound times 0.1", dict(factor="1/10")),
        Control("last error (a sequence that satisfies the recursion)", dict(iterate="last")),
    ],
)(from_recursion)

if __name__ == "__main__":
    run_script(__file__)
