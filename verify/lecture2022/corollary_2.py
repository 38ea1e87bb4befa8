"""Corollary 2 of the lecture note: s = sqrt(N)/(L sqrt(T)) in Theorem 1, conditions, complexities drawn from it.

In statements of algebra p and q are the roots of N and T.
"""

from collections.abc import Iterator

from fltheory.derivation.statement import text_of
from fltheory.evidence.algebra import statement_of_algebra
from fltheory.evidence.derive import by_derivation
from fltheory.evidence.kinds import algebra_claim, asymptotic_claim, expectation_claim, identity_claim, run_script
from fltheory.evidence.model import Claim, Evidence
from fltheory.evidence.relations import Relations
from fltheory.theory.lecture2022 import corollary_2_first, corollary_2_second, theorem_1
from fltheory.theory.lecture2022.bounds import RATE_STEP, G, K, L, N, T, gap
from fltheory.theory.lecture2022.vocabulary import LectureBound
from fltheory.theory.steps import Instance
from fltheory.theory.values import exact_value
from verify.lecture2022.derivations import corollaries
from verify.lecture2022.derivations.local_sgd import ROOTS
from verify.lecture2022.instances import on_a_clipped_line, slope
from verify.lecture2022.orders import NAMES, claim_of_bound, loose_by, no_constant

annotation = asymptotic_claim.sharing(source="annotation at Corollary 2")

METHOD = (
    "Theorem 1 line by line at this step size, in the roots of N and T, for both codes; where s > 1/L, that is T < N, the left "
    "side is at most G^2 and the right side at least G^2."
)
SHARPER = "a quarter of the drift term"
DISPLAY = text_of(corollary_2_first.expression, ROOTS)
ROOTED = "p > 0; {q}; N = p**2; T = q**2; L > 0; gap >= 0; G >= 0; sigma >= 0"

substitution = statement_of_algebra(
    "LEC-COR2a.1",
    Relations(
        f"{text_of(theorem_1.expression)} = {DISPLAY} for {ROOTED.format(q='q > 0')}; K >= 1; s = p/(L*q)", names=NAMES
    ),
    false={
        "s = sqrt(N)/sqrt(T)": ("s = p/(L*q)", "s = p/q"),
        "T in place of its root": ("T = q**2", "T = q"),
        "sigma^2/sqrt(T) without the 1/sqrt(N)": ("sigma**2/(p*q)", "sigma**2/q"),
    },
    group=identity_claim,
    source="Corollary 2, first display",
    headline="Theorem 1 at the chosen step size gives the corollary's right side",
    summary="The right side of Theorem 1 at s = sqrt(N)/(L sqrt(T)) is the right side of the first display.",
)


def first_display(bound: LectureBound) -> Evidence:
    """Line by line, and runs of which the last starts where the gradient is 1 in all steps: the descent is nearly used up."""

    def instances() -> Iterator[Instance]:
        for count, total, far in ((1, 1, 0), (4, 1, 0), (4, 4, 0), (4, 16, 0), (1, 4, 0), (1, 400, 1)):
            step = exact_value(RATE_STEP, {L: 1, N: count, T: total})
            start = 1 + far * step * (total - 1)
            yield on_a_clipped_line(step, total, start, count).instance(bound.expression)

    scripts = corollaries.corollary_2_first
    return by_derivation(
        scripts(bound),
        instances,
        method=METHOD,
        valid_for="all N, K, T, d",
        numbers={"s <= 1/L": "T >= N"},
        tightness=loose_by(bound, {G: "1/4"}, scripts, SHARPER) if bound is corollary_2_first else None,
    )


first = claim_of_bound(
    "LEC-COR2a.3",
    corollary_2_first,
    first_display,
    {
        "drift constant 4 -> 1/10 (fails at T < N)": {G: "1/40"},
        "first constant 2 -> 19/20 (fails at T >= N)": {gap: "19/40"},
    },
    group=expectation_claim,
    source="Corollary 2, first display",
    depends=("LEC-COR2a.1",),
    headline="The corollary bounds the mean squared gradient for every horizon",
    summary="The first display as a bound of the average squared gradient, for every T: for T < N the step is longer "
    "than 1/L, but the right side is at least G^2.",
    assumptions=("as Theorem 1, with s = sqrt(N)/(L sqrt(T)) in place of s <= 1/L",),
)


def second_display(bound: LectureBound) -> Evidence:
    """Line by line, and the run of all gradients 1."""
    scripts = corollaries.corollary_2_second
    return by_derivation(
        scripts(bound),
        lambda: [slope().instance(bound.expression)],
        method="Theorem 1 line by line at this step size, in the roots of N and T, with sqrt(T) >= K^2 N^(3/2), for both codes.",
        valid_for="all N, T, K >= 1 with K^4 N^3 <= T",
        numbers={"a K >= 1 exists iff": "T >= N^3"},
        tightness=loose_by(bound, {G: "1/4"}, scripts, SHARPER) if bound is corollary_2_second else None,
    )


second = claim_of_bound(
    "LEC-COR2b",
    corollary_2_second,
    second_display,
    {"first constant 2 -> 19/20": {gap: "19/40"}},
    under=(K**4 * N**3 <= T,),
    group=expectation_claim,
    source="Corollary 2, second display",
    depends=("LEC-COR2a.3",),
    headline="With few enough local steps the rate is of order one over the root of N T",
    summary="K <= T^(1/4)/N^(3/4) turns the second term into 4G^2/sqrt(NT), and with it the first display into the "
    "second. Such a K >= 1 exists only if T >= N^3.",
)


BELOW = Relations(
    f"{DISPLAY} <= (2*L*gap + 4*G**2 + sigma**2)/(p*q) for K >= 1; {ROOTED.format(q='q >= K**2*p**3')}", names=NAMES
)
rate_fixed = statement_of_algebra(
    "LEC-COR2a.2[T grows, N and K fixed]",
    BELOW,
    headline="For fixed clients and local steps the second term is dominated in the long run",
    false={"from T = N on": ("q >= K**2*p**3", "q >= p")},
    group=annotation,
    summary="For fixed N and K the annotation is right; the second term is at most 4G^2/sqrt(NT) once T >= N^3 K^4.",
)

rate_uniform = no_constant(
    "LEC-COR2a.2[uniformly in N]",
    (r"s=\tfrac{\sqrt N}{L\sqrt T}:\quad ", corollary_2_first, r"\le\frac{C}{\sqrt{NT}},\quad C\text{ free of }N, T"),
    Relations(
        f"{DISPLAY} > C/(p*q) for C > 0; L = 1; gap = 0; sigma = 0; G = 1; K = 1; p = C + 1; q = p; N = p**2; T = q**2"
    ),
    ("T >= N^3 K^4", BELOW),
    group=annotation,
    fault="reading",
    repair="LEC-COR2b",
    headline="The linear speedup in the number of clients needs a very long horizon",
    summary="As a linear speedup in N the annotation needs a constant free of N, which fails without a condition such "
    "as T >= N^3 K^4.",
)


def complexity(prefix: str, clients: bool) -> Iterator[Claim]:
    """The four rows on a complexity statement: C/sqrt(NT) (N = 1 for SGD) at most a target, and a number of steps T."""
    handwritten = algebra_claim.sharing(source="handwritten note at Corollary 2")
    if clients:
        name, where, root, count, per = "FedAvg", "p >= 1; N = p**2; ", "p*q", "N*", "1/(N eps^{})"
        speed = " The factor 1/N is right in every reading."
    else:
        name, where, root, count, per, speed = "SGD", "", "q", "", "1/eps^{}", ""
    least = f"C/({root.replace('q', '{target}')})"
    where += "0 < eps <= 1; C > 0; {q}; T = q**2"

    def exactly(target: str, square: str) -> str:
        """T less the number named, and the target less C/sqrt(NT), have one sign."""
        end, factor = least.format(target=target), f"q/{target}"
        positive = f"{factor}*(q + {end})"
        text = f"T - C**2/({count}{square}) = {positive}*({target} - C/({root})); {positive} > 0"
        return f"{text} for {where.format(q='q > 0')}"

    yield no_constant(
        f"{prefix}[T of this order suffices]",
        rf"\tfrac{{C}}{{\sqrt{{{'N' * clients}T}}}}\le\epsilon^2\Leftarrow T\ge O(1/({'N' * clients}\epsilon^2))",
        Relations(
            f"C/({root}) > eps**2 for a > 0; {'p >= 1; ' * clients}C = 1; eps = 1/(a + 1); q = a/({'p*' * clients}eps)",
            names=NAMES,
        ),
        ("1/eps^4", Relations(f"C/({root}) <= eps**2 for {where}".format(q=f"q >= {least.format(target='eps**2')}"))),
        group=handwritten,
        setting=f"for every factor a of the order, at T = q^2 = a^2/{'(N eps^2)' if clients else 'eps^2'}",
        method="For every factor a of the order an instance breaks it: that is proved as it is written.",
        headline=f"As transcribed the complexity of {name} has a wrong exponent",
        summary="As a complexity the exponent, transcribed from handwriting, is wrong: "
        f"C/sqrt({'N' * clients}T) <= eps^2 needs T of order {per.format(4)}; the original would tell.{speed}",
        repair=f"{prefix}-R1",
        fault="transcription",
    )
    yield statement_of_algebra(
        f"{prefix}[T of this order is necessary]",
        Relations(
            f"C**2/({count}eps**2) <= T for {where}".format(q=f"q >= {least.format(target='eps**2')}"), names=NAMES
        ),
        false={"eps up to 2": ("eps <= 1", "eps <= 2")},
        group=handwritten,
        headline=f"Read as a mere implication the written complexity of {name} is true, and weak",
        summary="Read as a mere implication the handwritten line is true for eps <= 1, and weak: "
        f"T >= C^2{per.format(4).removeprefix('1')} follows.{speed}",
    )
    yield statement_of_algebra(
        f"{prefix}[target eps instead of eps^2]",
        Relations(exactly("eps", "eps**2"), names=NAMES),
        false={"target eps^2": (f"(eps - C/({root}))", f"(eps**2 - C/({root}))")},
        group=handwritten,
        headline=f"If the target is for the squared gradient itself, the complexity of {name} is exact",
        summary="With target eps for the squared gradient, as the handwriting may say, the order "
        f"{per.format(2)} is exact.{speed}",
    )
    yield statement_of_algebra(
        f"{prefix}-R1",
        Relations(exactly("eps**2", "eps**4"), names=NAMES),
        false={"1/eps^2": (f"C**2/({count}eps**4)", f"C**2/({count}eps**2)")},
        group=handwritten,
        headline=f"The complexity of {name} with the exponent that its squared target needs",
        summary=f"The number of steps is of order {per.format(4)} for the target eps^2.{speed}",
    )


OF_SGD, OF_FEDAVG = tuple(complexity("LEC-SGDCPX", False)), tuple(complexity("LEC-FACPX", True))


if __name__ == "__main__":
    run_script(__file__)
