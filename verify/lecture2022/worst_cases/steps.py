"""Best factors of the note's single steps over all smooth clients: descent lemma, deviation term, one step, client drift.

That a factor serves is derived for all N, weights and dimensions; that nothing less does is shown by explicit functions on the
line, for the same parameters.
"""

from collections.abc import Callable
from typing import Any

from fltheory.derivation.statement import Derived
from fltheory.evidence.derive import by_derivation
from fltheory.evidence.in_mean import InMean, use
from fltheory.evidence.kinds import expectation_claim, inequality_claim, run_script
from fltheory.evidence.model import Claim, Control, Evidence
from fltheory.evidence.relations import Relations
from fltheory.theory.bound import Bound
from verify.lecture2022 import elsewhere
from verify.lecture2022.derivations.displays import descent
from verify.lecture2022.displays import proof
from verify.lecture2022.lemma_1 import HALVES
from verify.lecture2022.orders import breaking
from verify.lecture2022.proof.displayed import times
from verify.lecture2022.worst_cases.trade import ATTAINED, BETA

NAMES = {
    "k": "i",
    "u": r"\bar x",
    "x": "x_i",
    "f_u": r"f_i(\bar x)",
    "f_w": r"f_i(\bar x^+)",
    "g_u": r"\nabla f_i(\bar x)",
    "g_x": r"\nabla f_i(x_i)",
}


def best_factor(
    id: str,
    stated: Bound | InMean,
    attained: tuple[str, Relations],
    factor: tuple[str, str],
    controls: tuple[str, str],
    *,
    valid_for: str,
    says: str = "",
    group: Callable[..., Any] = inequality_claim,
    **words: Any,
) -> Claim:
    """The claim that a factor serves, which is derived, and that nothing less does, since functions in words attain it.

    ``says`` stands before the statement; ``factor``: the right side with it in the statement, and in the equality of those
    functions; ``controls`` are named after 0.99 and 1.01 times the factor.
    """
    setting, equality = attained

    def scaled(scale: str) -> Derived:
        if isinstance(stated, InMean):
            return (stated if scale == "1" else stated.changed(factor[0], f"{scale}*{factor[0]}")).derived
        return descent(times(stated, L=scale))

    def check(scale: str) -> Evidence:
        needed = equality if scale == "1" else equality.changed(factor[1], f"{scale}*{factor[1]}")
        return by_derivation(
            scaled(scale),
            breaking(needed),
            beside={"attained": needed.certificate},
            method="Derived for every number of clients and dimension, and an equality for functions on the line.",
            valid_for=valid_for,
            numbers={"serves and is attained": factor[1]},
        )

    changes = [Control(name, dict(scale=scale)) for name, scale in zip(controls, ("99/100", "101/100"), strict=True)]
    statement = (*filter(None, [says]), stated, rf";\quad\text{{attained by }}{setting}")
    made = group(id, statement=statement, printed=dict(scale="1"), controls=changes, **words)
    claim: Claim = made(check)
    return claim


descent_constant = best_factor(
    "LEC-P1-S1",
    proof.p_1,
    (
        r"f=\tfrac L2x^2\text{ at }x,\ x+d",
        Relations("f_y - f_x = g*d + L/2*d**2 for L > 0; f_x = L/2*x**2; f_y = L/2*(x + d)**2; g = L*x"),
    ),
    ("", "L/2*d**2"),
    ("L/2 times 0.99", "L/2 times 1.01"),
    valid_for="all L > 0, N, weights, d",
    source="proof of Theorem 1, (1)",
    headline="The factor one half in the descent inequality is the best one",
    summary="The factor L/2 of the descent lemma is the best one.",
)

deviation_constant = best_factor(
    "LEC-P7a-S1",
    InMean(
        "sq(mean(g_u - g_x, k)) <= L**2*sq(u - x) for L > 0",
        things="function f over k; x over k; u = mean(x, k); f at x, u",
        over="k",
        uses=[use("Lipschitz gradients", "x u", of="f", L="L")],
        squares=[("1", "g_u - g_x - mean(g_u - g_x, k)")],
        names=NAMES,
    ),
    (
        r"f_1=\tfrac L2x^2,\ f_2=-\tfrac L2x^2\text{ at }x_1, x_2",
        Relations(
            "(a - b)**2 = L**2*((u - x_1)**2 + (u - x_2)**2)/2 "
            "for L > 0; u = (x_1 + x_2)/2; a = (L*u + (-L)*u)/2; b = (L*x_1 + (-L)*x_2)/2"
        ),
    ),
    ("L**2*sq(u - x)", "L**2*((u - x_1)**2 + (u - x_2)**2)/2"),
    ("L^2 times 0.99", "L^2 times 1.01"),
    valid_for="all L > 0, N, weights, d; attained by two halves of the clients",
    source="proof of Theorem 1, below (7)",
    headline="Jensen's inequality and smoothness lose nothing when all deviations have one sign",
    summary="Jensen and smoothness lose nothing when the deviations of all clients have one sign.",
)

#: w and beta of the trade.
_LEFT = "(c - 1 - c*s*L/2)"
_BETA = f"(c*s*L/2 + c**2*(1 - s*L)**2/(4*{_LEFT}))"
traded_constant = best_factor(
    "LEC-PFIN-S2",
    InMean(
        f"sq(mean(g_u, k)) <= c/s*(f_u - f_w) + {_BETA}*L**2*sq(u - x) for L > 0; 0 < s <= 1/L; c > 2/(2 - s*L)",
        things="function f over k; x over k; u = mean(x, k); f at x, u; w = u - s*mean(g_x, k); f at w",
        over="k",
        uses=[
            use("smooth", "u w", "c/s", of="f", L="L"),
            use("Lipschitz gradients", "x u", _BETA, of="f", L="L"),
        ],
        squares=[
            (_LEFT, f"mean(g_u, k) - c*(1 - s*L)/(2*{_LEFT})*mean(g_u - g_x, k)"),
            (_BETA, "g_u - g_x - mean(g_u - g_x, k)"),
        ],
        unfold="w",
        names=NAMES,
    ),
    (
        r"f_1'=x-k,\ f_2'=|x|-k\text{ at }1,-1,\ u=Ls,\ L=1",
        ATTAINED.changed("*(a - b)**2", "*((1 - 0)**2 + (-1 - 0)**2)/2"),
    ),
    (f"{_BETA}*L**2", BETA),
    ("beta times 0.99", "beta times 1.01"),
    quick=False,
    says=r"\bar x^+=\bar x-\tfrac sN\textstyle\sum_i\nabla f_i(x_i):\quad ",
    valid_for="L > 0, 0 < s <= 1/L, c > 2/(2 - Ls), all N, weights, d; attained by two clients for c <= 2, Ls < 1",
    source="proof of Theorem 1, last display",
    headline="Certified: the drift factor of one step is the best one",
    summary="One step from any positions of the clients: the factor beta(c, Ls) of the drift is the best one; 1 at c = 2.",
)


def drifted(drawn: str) -> InMean:
    """n steps from a common point y, of which v are the gradients, with or without noise; averaged second moments."""
    return InMean(
        "sq(x - mean(x, k)) <= s**2*n**2*G**2 for s > 0; n >= 0; G >= 0",
        things=f"y; v over k j{drawn}; x over k{drawn} = y - s*n*mean(v, j)",
        over=f"k j{drawn}",
        uses=[use("second moments", form="G**2 - sq(v)", over=f"k{drawn}", times="s**2*n**2")],
        squares=[("s**2*n**2", "v - mean(v, j)"), ("s**2*n**2", "mean(v, j, k)")],
        unfold="x",
        names=NAMES,
    )


_HALVES = r"\text{slopes }G\text{ and }{-G}\text{ of a half each}", HALVES
_DRIFT = ("s**2*n**2*G**2", "G**2*K**2*s**2"), ("1 -> 0.99", "1 -> 1.01")
drift_constant = best_factor(
    "LEC-LEM1-S4",
    drifted(""),
    _HALVES,
    *_DRIFT,
    says=r"x_i\text{ after }n\text{ local steps from a common point}:\quad ",
    valid_for="all n, s > 0, N, weights, d; averaged second moments; attained by two halves of the clients",
    source="Lemma 1",
    headline="Certified: averaged over the clients the best drift constant is one",
    summary="Averaged over the clients, n = K gradients after the common point (n = K-1 where rounds evaluate last): the best "
    "constant is 1; the printed 4 is for one client.",
    elsewhere=elsewhere.DRIFT,
)

drift_constant_with_noise = best_factor(
    "LEC-LEM1-S5",
    drifted(" xi"),
    _HALVES,
    *_DRIFT,
    group=expectation_claim,
    says=r"x_i\text{ after }n\text{ local steps with noise from a common point}:\quad ",
    valid_for="all n, s > 0, N, weights, d; noise of any law; attained by two halves of the clients, without noise",
    source="Lemma 1",
    headline="Certified: noise with bounded second moments makes the drift no larger",
    summary="The same with noise of any law under the bound on second moments: noise makes the drift no larger.",
    elsewhere=elsewhere.DRIFT,
)


if __name__ == "__main__":
    run_script(__file__)
