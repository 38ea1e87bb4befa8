"""Corollary 4 of the lecture note: s = sqrt(N)/sqrt(T) in Theorem 3, its conditions and rates.

In statements of algebra p and q are the roots of N and T, or their fourth roots with l the root of L.
"""

from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from functools import partial
from types import MappingProxyType
from typing import Any

import sympy as sp

from fltheory.evidence.algebra import statement_of_algebra
from fltheory.evidence.derive import by_derivation
from fltheory.evidence.kinds import algebra_claim, asymptotic_claim, expectation_claim, run_script
from fltheory.evidence.model import Claim, Control, Evidence
from fltheory.evidence.relations import Relations
from fltheory.theory.lecture2022 import bounds
from fltheory.theory.lecture2022.bounds import RATE_STEP_4, G, K, L, N, T, gap, sigma_G
from fltheory.theory.lecture2022.vocabulary import LectureBound
from fltheory.theory.states import proves
from fltheory.theory.steps import Instance
from fltheory.theory.values import exact_value
from verify.lecture2022 import elsewhere
from verify.lecture2022.derivations import corollaries, periods
from verify.lecture2022.instances import on_a_clipped_line, settings
from verify.lecture2022.orders import NAMES, claim_of_bound, loose_by, no_constant

first_item = algebra_claim.sharing(source="Corollary 4, first item")
second_item = algebra_claim.sharing(source="Corollary 4, second item")
annotation = asymptotic_claim.sharing(source="annotation at Corollary 4")
rate_of = expectation_claim.sharing(quick=False, assumptions=("as Theorem 3", "s = sqrt(N)/sqrt(T)"))

METHOD = "Theorem 3 line by line at this step size, in the roots of N and T, for both codes."
HALVES = {"p": r"N^{1/4}", "q": r"T^{1/4}", "l": r"\sqrt{L}"}


def at_the_rate(
    id: str,
    printed: LectureBound,
    scripts: Callable[[LectureBound], corollaries.Scripts],
    valid_for: str,
    *,
    method: str = METHOD,
    smaller: Mapping[sp.Symbol, str] = MappingProxyType({G: "9/16", sigma_G: "1/2"}),
    names: str = "9/4 for 4 and 9/2 for 9",
    **words: Any,
) -> Claim:
    """The claim of a display derived from Theorem 3, and a run at its step size along which the gradient is 1 in all steps.

    ``smaller`` are factors of terms with which the display is derived too, and ``names`` says which constants they give.
    """

    def check(bound: LectureBound) -> Evidence:
        def instances() -> Iterator[Instance]:
            for total in (36, 1600):
                step = exact_value(RATE_STEP_4, {N: 1, T: total})
                tried = on_a_clipped_line(step, total, Fraction(1 + step * (total - 1)))
                yield tried.instance(bound.expression.subs(bounds.c, 1 / sp.sqrt(sp.sqrt(total))))

        loose = loose_by(bound, smaller, scripts, names) if bound is printed else None
        return by_derivation(scripts(bound), instances, method=method, valid_for=valid_for, tightness=loose)

    false = {"constant 2 of the first term -> 0.95": {gap: "19/40"}}
    return claim_of_bound(id, printed, check, false, group=rate_of, **words)


condition_for_one_step = statement_of_algebra(
    "LEC-COR4a.1",
    Relations(
        "T - 36*L**2*N = 6*L*p*(q + 6*L*p)*(1/(6*L*s) - 1); 6*L*p*(q + 6*L*p) > 0 "
        "for p > 0; q > 0; L > 0; N = p**2; T = q**2; s = p/q",
        names=NAMES,
    ),
    false={"36 -> 35.6": ("36*L**2*N", "178/5*L**2*N")},
    group=first_item,
    headline="The corollary's horizon is the theorem's step condition at one local step",
    summary="The stated T is exactly the condition of Theorem 3 for K = 1: T - 36 L^2 N and 1/(6Ls) - 1 have one sign.",
)


rate_for_one_step = at_the_rate(
    "LEC-COR4a.2",
    bounds.corollary_4_first,
    partial(corollaries.corollary_4, q="6*L*p", local_steps="1"),
    "all N, T >= 36 L^2 N",
    under=(T >= 36 * L**2 * N,),
    source="Corollary 4, first item",
    depends=("LEC-THM3", "LEC-COR4a.1"),
    statement=(r"K=1,\ T\ge36L^2N,\ s=\sqrt{N/T}:\quad ", bounds.corollary_4_first),
    summary="Theorem 3 at K = 1 has two terms of order 1/sqrt(NT) and two of order N/T, with constants free of N and T: "
    "2 (f(x0) - f*) + L sigma^2 and L^2 (4 G^2 + 9 sigma_G^2).",
    headline="With one local step the bound has terms of two orders, free of hidden constants",
)


ABSORBED = "A/(p*q) + B*N/T {relation} {C}/(p*q) for {where}; N = p**2; T = q**2"
FIXED = Relations(ABSORBED.format(relation="<=", C="(A + B)", where="A >= 0; B >= 0; p > 0; q >= p**3"), names=NAMES)
absorbed_fixed = statement_of_algebra(
    "LEC-COR4a-ABS[N fixed]",
    FIXED,
    headline="With fixed clients the second term is dominated once the horizon is long enough",
    false={"T = 36 L^2 N, as allowed": ("q >= p**3", "q >= 6*p")},
    group=annotation,
    summary="True as T grows; the second term is dominated once T >= N^3.",
)

absorbed_uniform = no_constant(
    "LEC-COR4a-ABS[uniformly in N]",
    r"O(1/\sqrt{NT})+O(N/T)=O(1/\sqrt{NT})\text{ for all }T\ge36L^2N",
    Relations(ABSORBED.format(relation=">", C="C", where="C > 0; A = 0; B = 1; L = 1; p = 6*C + 1; q = 6*L*p")),
    ("N fixed", FIXED),
    group=annotation,
    fault="reading",
    repair="LEC-COR4a-ABS[N fixed]",
    headline="The linear speedup does not follow at the shortest horizon allowed",
    summary="A linear speedup in N does not follow: at T = 36 L^2 N the second term does not decrease with N at all.",
)


@expectation_claim(
    "LEC-COR4a-ABS[FedAvg itself, K = 1]",
    headline="With one local step FedAvg itself has no second term, for steps up to 1/L",
    statement=bounds.theorem_1_one_local_step,
    proves=proves(bounds.theorem_1_one_local_step, under=(L * bounds.s <= 1,)),
    printed=dict(code="FedAvg"),
    source="annotation at Corollary 4",
    summary="With K = 1 rounds have no drift, so for s <= 1/L (T >= L^2 N at the corollary's step) FedAvg itself has no "
    "O(N/T) term: the annotation holds for the left-hand side.",
    controls=[Control("printed code, which drifts even for K = 1", dict(code="printed"))],
)
def no_drift(code: str) -> Evidence:
    bound = bounds.theorem_1_one_local_step
    tried = [x for x in settings(code) if x.local_steps == 1]
    return by_derivation(
        lambda: periods.one_local_step(bound, code),
        lambda: [x.instance(bound.expression) for x in tried],
        method="Theorem 1 line by line: no step lies between an average and where the gradients are evaluated.",
        valid_for="K = 1, s <= 1/L, all N, T",
    )


rate_for_growing_interval = at_the_rate(
    "LEC-COR4b[the rate]",
    bounds.corollary_4_rate,
    corollaries.corollary_4_rate,
    "all N, T, K >= 1 with K <= c T^(1/4)/N^(3/4) (so T >= N^3/c^4)",
    method=f"{METHOD} Where 6LsK > 1 the left side is at most G^2 <= 36 L^2 s^2 K^2 G^2.",
    smaller={sigma_G: "1/2"},
    names="9/2 for 9",
    under=(K**4 * N**3 <= bounds.c**4 * T,),
    source="Corollary 4, second item",
    depends=("LEC-THM3",),
    headline="The rate of Corollary 4 holds with constants free of clients and horizon",
    summary="The rate holds with constants free of N and T, even where Theorem 3 does not apply: there the bound "
    "is at least G^2.",
)


stated_condition = statement_of_algebra(
    "LEC-COR4b[constant of K at most 1/(6 sqrt L)]",
    Relations(
        "6*L*s*K <= 1 for l > 0; p >= 1; q >= l*p; K >= 1; 0 < c <= 1/(6*l); N = p**4; T = q**4; L = l**2; s = p**2/q**2; "
        "K <= c*q/p**3",
        uses={0: {"K <= c*q/p**3": "6*L*s"}},
        names=HALVES,
    ),
    false={
        "constant 6 times as large: 1 for L = 1": ("1/(6*l)", "1/l"),
        "constant 3 times as large": ("1/(6*l)", "1/(2*l)"),
    },
    group=second_item,
    headline="With few enough local steps the stated horizon is long enough",
    summary="With a constant in K = O(T^(1/4)/N^(3/4)) that is small enough the stated T gives the condition of "
    "Theorem 3; the O leaves the constant open.",
)


condition_for_every_interval = at_the_rate(
    "LEC-COR4b-S1",
    bounds.corollary_4_second,
    corollaries.corollary_4,
    "all N, K, L, T >= 36 L^2 N K^2",
    under=(T >= 36 * L**2 * N * K**2,),
    statement=(r"T\ge36L^2NK^2,\ s=\sqrt{N/T}:\quad ", bounds.corollary_4_second),
    source="Corollary 4, second item",
    headline="The horizon from which Theorem 3 gives the second item of Corollary 4",
    summary="Theorem 3 itself asks for this condition, whatever K is; for K = T^(1/4)/N^(3/4) it reads T >= 1296 L^4/N.",
    elsewhere=elsewhere.ARITHMETIC,
)


if __name__ == "__main__":
    run_script(__file__)
