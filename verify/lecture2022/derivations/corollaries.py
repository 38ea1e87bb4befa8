"""Corollaries 2 and 4 of the lecture note: Theorems 1 and 3 at their step sizes, and where the steps are too long for them."""

from collections.abc import Callable, Mapping
from functools import partial

from fltheory.derivation.packs import UNBIASED
from fltheory.evidence.things import granted
from fltheory.kinds import JSON
from fltheory.theory.bound import Bound
from fltheory.theory.lecture2022 import bounds
from verify.lecture2022.derivations import local_sgd
from verify.lecture2022.derivations.local_sgd import LONGEST, ROOTS, RateInRoots
from verify.lecture2022.derivations.theorem_1 import theorem_1
from verify.lecture2022.derivations.theorem_3 import theorem_3

Scripts = Mapping[str, Callable[[], Mapping[str, JSON]]]
#: The least c^2 for which K <= c T^(1/4)/N^(3/4), in the roots of N and T.
GROWING = "K**2*p**3/q"


def long_steps(bound: Bound, low: str, rate: RateInRoots | None = None) -> Mapping[str, JSON]:
    """Where the right side is at least G^2, which bounds the left one; ``low`` is the lower end of the step size."""
    d = local_sgd.parameters(f"Lecture note, {bound.source}, long steps", low, None, rate)
    d.function("f", "k")
    d.vector("u", "past t")
    d.point("u", "f")
    d.vector("noise", "k xi past t", mean=[["xi", "0", UNBIASED]])
    d.vector("h", "k xi past t", equals="g_u + noise")
    granted(d, "bounded gradients now", fact="second moment", G2="G**2", gradient="h")
    squares = [["1", "noise"], ["1", "g_u - mean(g_u, k)"]]
    form, over = f"G**2 - {local_sgd.A}", local_sgd.every(d)
    d.combine("every gradient", form, over=over, facts={"second moment": "1"}, squares=squares, unfold="h")
    right = local_sgd.text_of(bound.expression, ROOTS if rate else None)
    d.combine("conclusion", f"{right} - {local_sgd.A}", over=f"{over} t", facts={"every gradient": "1"})
    return d.concluding("conclusion")


def every_step(bound: Bound = bounds.theorem_1) -> Scripts:
    """Theorem 1 without its condition on the step size."""
    return {code: partial(theorem_1, bound, code) for code in LONGEST} | {"s >= 1/L": partial(long_steps, bound, "1/L")}


def corollary_2_first(bound: Bound = bounds.corollary_2_first) -> Scripts:
    """s = sqrt(N)/(L sqrt(T)): Theorem 1 for T >= N, and T < N."""
    shorter = partial(long_steps, bound, "1/L", RateInRoots("p/(L*q)", q="0", high="p"))
    return {code: partial(theorem_1, bound, code, rate=RateInRoots("p/(L*q)")) for code in LONGEST} | {
        "T <= N": shorter
    }


def corollary_2_second(bound: Bound = bounds.corollary_2_second, q: str = "K**2*p**3") -> Scripts:
    """K <= T^(1/4)/N^(3/4), that is sqrt(T) >= K^2 N^(3/2), besides."""
    return {code: partial(theorem_1, bound, code, rate=RateInRoots("p/(L*q)", q=q)) for code in LONGEST}


def corollary_4(bound: Bound, q: str = "6*L*K*p", local_steps: str | None = None) -> Scripts:
    """s = sqrt(N/T), T >= 36 L^2 N K^2: Theorem 3, for K = 1 or for every K."""
    rate = RateInRoots("p/q", q=q, local_steps=local_steps)
    return {code: partial(theorem_3, bound, code, rate=rate) for code in LONGEST}


def corollary_4_rate(bound: Bound = bounds.corollary_4_rate, C: str = GROWING) -> Scripts:
    """s = sqrt(N/T), K <= c T^(1/4)/N^(3/4): Theorem 3 where 6 L s K <= 1, and beyond."""
    short, long = RateInRoots("p/q", q="6*L*K*p", C=C), RateInRoots("p/q", q="0", high="6*L*K*p", C=C)
    return {code: partial(theorem_3, bound, code, rate=short) for code in LONGEST} | {
        "6 L s K >= 1": partial(long_steps, bound, "1/(6*L*K)", long)
    }
