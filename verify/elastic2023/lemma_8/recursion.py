"""The proof of Lemma 8: one local step, the recursion, its sum, in the readings that the scan leaves open.

Its factors are 1 + or - 1/(K - 1), then 1 + 2/(K - 1) or 1 - 1/(2(K - 1)).  With a minus sign the mean square distance would grow
by less than its noise, which losses without gradients break.
"""

from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import partial

import sympy as sp

from fltheory.evidence.algebra import by_relations, statement_in_mean, statement_of_algebra
from fltheory.evidence.derive import by_derivation
from fltheory.evidence.ends import by_witness
from fltheory.evidence.in_mean import InMean, use
from fltheory.evidence.kinds import algebra_claim, expectation_claim, inequality_claim, run_script
from fltheory.evidence.model import Claim, Control, Evidence, Unprinted
from fltheory.evidence.relations import Relations
from fltheory.evidence.tight import attained
from fltheory.evidence.witness import Side, Witness
from fltheory.theory.steps import Instance
from verify.elastic2023.lemma_7.rounds import ONE, ZERO, CohortRound, opposed, rounds, sampled
from verify.elastic2023.lemma_8.statement import AT_LEAST_ONE
from verify.elastic2023.smooth import KinkedLine

Q = Fraction

Q = Fraction
NAMES = {
    "y": "y_{i,k-1}",
    "g_y": r"\nabla f_i(y_{i,k-1})",
    "g_x": r"\nabla f_i(x)",
    "eta": r"\eta_l",
    "e": r"\tilde\eta",
    "r": r"(\phi\eta_g)",
    "V": r"\sigma^2",
    "beta": r"\beta",
    "z": "n",
}
of_a_step = expectation_claim.sharing(source="proof of Lemma 8, first display")
_THINGS = "x; function f over k; y over k past; f at x, y; z over k xi past, mean 0 over xi"
_STEPS = "beta > 0; B >= 1; K >= 2; r >= 1; 0 <= e <= 1/(8*(1 + B**2)*beta); V >= 0"

one_step = statement_in_mean(
    "EL-L8-A[1 + 1/(K - 1)]",
    InMean(
        "sq(y - eta*(g_y + z) - x) <= (1 + 1/(K - 1))*sq(y - x) + K*eta**2*sq(g_y) + eta**2*V for K > 1; eta >= 0; V >= 0",
        things=_THINGS,
        over="xi",
        uses=[use("bounded variance", times="eta**2", noise="z", sigma2="V")],
        squares=[("1/(K - 1)", "y - x + (K - 1)*eta*g_y")],
        names=NAMES,
    ),
    false={
        "1/K for 1/(K - 1)": ("(1 + 1/(K - 1))", "(1 + 1/K)"),
        "0.99 of the variance": ("+ eta**2*V", "+ 99/100*eta**2*V"),
    },
    without={"biased gradients": "mean of z"},
    group=of_a_step,
    quick=False,
    depends=("EL-LEM3.1",),
    headline="One local step: mean and noise apart, then the square of a sum with weights for K steps",
    summary="The noise separates given the past, and the relaxed triangle inequality with a = 1/(K - 1) for the distance "
    "(K - 1 for the gradient) gives the gradient the factor K.",
    tightness=attained("equality for y - x = -(K - 1) eta g, noise of variance sigma^2"),
)


def without_gradients(
    left: Callable[[int], int], right: Callable[[int, sp.Expr], sp.Expr], steps: range
) -> Iterator[Witness]:
    """f_i = 0 and eta_l = 1: after k steps E|y_k - x|^2 is k sigma^2; ``left`` and ``right`` in the last step k, sigma = 1."""
    k, variance, number = sp.symbols("k V K")
    setting = "f_i = 0, eta_l = 1, noise of variance V: E|y_k - x|^2 = k V"
    for n in steps:
        whole = Side("right side", right(n, number) * variance)
        yield Witness(
            {number: n, k: left(n), variance: 1}, Side("E|y_k - x|^2", k * variance), "<=", whole, setting=setting
        )


def minus(sign: int) -> Evidence:
    """The second of K steps, from the distance V after the first."""
    if sign == 1:
        return one_step.check(**one_step.printed)
    return by_witness(without_gradients(lambda n: 2, lambda n, K: (1 - 1 / (K - 1)) + 1, range(2, 4)))


one_step_less: Claim = of_a_step(
    "EL-L8-A[1 - 1/(K - 1)]",
    statement=r"\mathbb{E}\|y_{i,k}-x\|^2\le(1-\tfrac1{K-1})\,\mathbb{E}\|y_{i,k-1}-x\|^2+K\eta_l^2\,\mathbb{E}\|\nabla "
    r"f_i(y_{i,k-1})\|^2+\eta_l^2\sigma^2",
    fault="transcription",
    repair="EL-L8-A[1 + 1/(K - 1)]",
    headline="Read with a minus sign a local step would forget part of the distance",
    summary="With a minus sign it fails where the losses have no gradients: two noisy steps have twice the variance of one.",
    printed=dict(sign=-1),
    controls=[Control("plus", dict(sign=1), must="pass")],
)(minus)

_MOVED = "K*(e/(K*r))**2*sq(g_y) <= 2*beta**2*e**2/(K*r**2)*sq(y - x) + 2*e**2/(K*r**2)*sq(g_x)"
gradients_moved = statement_in_mean(
    "EL-L8-REC.1",
    InMean(
        f"{_MOVED} for beta > 0; K >= 1; r > 0; e >= 0",
        things="x; function f over k; y over k past; f at x, y",
        uses=[use("Lipschitz gradients", "x y", times="2*e**2/(K*r**2)", of="f", L="beta")],
        squares=[("e**2/(K*r**2)", "g_y - 2*g_x")],
        names=NAMES,
    ),
    false={
        "first 2 -> 1.98": ("2*beta**2*e**2", "99/50*beta**2*e**2"),
        "second 2 -> 1.98": ("+ 2*e**2/(K*r**2)*sq(g_x)", "+ 99/50*e**2/(K*r**2)*sq(g_x)"),
    },
    group=inequality_claim,
    source="proof of Lemma 8, first display",
    headline="The gradient of a local step moved to the model of the round",
    summary="K eta_l^2 is e^2/(K phi^2 eta_g^2); the gradient at the local point is moved to x by smoothness.",
    tightness=attained("equality for f_i = (beta/2) |x|^2, y = 2x"),
)

_SHORTER = "phi eta_g = 1/32"
_FACTOR = "1 {sign} 1/(K - 1) + 2*beta**2*e**2/(K*r**2) <= 1 {end}"
_RANGES = "for beta > 0; B >= 1; K >= 2; r >= 1; 0 <= e <= 1/(8*(1 + B**2)*beta)"
of_the_factor = algebra_claim.sharing(source="proof of Lemma 8, first display")


def factor(sign: str, end: str) -> Relations:
    """A reading of the step from one factor to the next."""
    text = f"{_FACTOR.format(sign=sign, end=end)} {_RANGES}"
    return Relations(text, names=NAMES)


plus_factor = statement_of_algebra(
    "EL-L8-REC.2[plus, then + 2/(K - 1)]",
    factor("+", "+ 2/(K - 1)"),
    false={_SHORTER: ("r >= 1", "r >= 1/32"), "1.001/(K - 1)": ("+ 2/(K - 1)", "+ 1001/(1000*(K - 1))")},
    group=of_the_factor,
    unprinted=Unprinted(AT_LEAST_ONE, _SHORTER),
    headline="The smoothness term of a local step fits into one more share, for large global steps",
    summary="The smoothness term is at most 1/(K - 1), with much room, if phi eta_g >= 1.",
)
minus_factor = statement_of_algebra(
    "EL-L8-REC.2[minus, then - 1/(2(K - 1))]",
    factor("-", "- 1/(2*(K - 1))"),
    false={_SHORTER: ("r >= 1", "r >= 1/32"), "0.999/(K - 1)": ("- 1/(2*(K - 1))", "- 999/(1000*(K - 1))")},
    group=of_the_factor,
    unprinted=Unprinted(AT_LEAST_ONE, _SHORTER),
    headline="With minus signs the factors of the recursion follow from each other as well",
    summary="The other consistent reading of the signs: as a relation between numbers it is true, if phi eta_g >= 1. The line "
    "before it, with the minus sign, is false.",
)


def mixed(sign: str, end: str) -> Evidence:
    return by_relations(factor(sign, end))


def of_mixed_signs(sign: str, end: str, shown: str, repair: str, right: dict[str, str], headline: str) -> Claim:
    """A pair of factors that do not belong together."""
    made: Claim = of_the_factor(
        f"EL-L8-REC.2[{shown}]",
        statement=factor(sign, end),
        fault="transcription",
        repair=repair,
        headline=headline,
        summary=f"Read as {shown} the second factor is smaller than the first, for every K >= 2.",
        printed=dict(sign=sign, end=end),
        controls=[Control("a pair that fits", right, must="pass")],
    )(mixed)
    return made


plus_and_half = of_mixed_signs(
    "+",
    "+ 1/(2*(K - 1))",
    "plus, then + 1/(2(K - 1))",
    "EL-L8-REC.2[plus, then + 2/(K - 1)]",
    dict(end="+ 2/(K - 1)"),
    "With plus signs, the recursion's second factor must be the larger of the two it may be",
)
minus_and_two = of_mixed_signs(
    "-",
    "- 2/(K - 1)",
    "minus, then - 2/(K - 1)",
    "EL-L8-REC.2[minus, then - 1/(2(K - 1))]",
    dict(end="- 1/(2*(K - 1))"),
    "With minus signs, the recursion's second factor must be the smaller share",
)

of_the_recursion = expectation_claim.sharing(source="proof of Lemma 8, first display, ends")
TINY = "phi eta_g = 1/128"
_TARGET = "sq(y - e/(K*r)*(g_y + z) - x) <= (1 + {})*sq(y - x) + {}*e**2/(K*r**2)*sq(g_x) + {}*e**2/(K**2*r**2)*V "
_TARGET += "for beta > 0; B >= 1; K >= 2; r >= {}; 0 <= e <= 1/(8*(1 + B**2)*beta); V >= 0"
_WEIGHT = "2*K/(2*K - 1)*2*e/(K*r)"


def by_smoothness(gradients: str = "2", noise: str = "1", server: str = "1") -> InMean:
    """The recursion with 1 + 2/(K - 1), as the proof's steps give it."""
    return InMean(
        _TARGET.format("2/(K - 1)", gradients, noise, server),
        things=_THINGS,
        over="xi",
        uses=[
            use("bounded variance", times=f"{noise}*(e/(K*r))**2", noise="z", sigma2="V"),
            use("Lipschitz gradients", "x y", times=f"{gradients}*e**2/(K*r**2)", of="f", L="beta"),
        ],
        squares=[
            ("1/(K - 1)", "y - x + (K - 1)*e/(K*r)*g_y"),
            ("e**2/(K*r**2)", "g_y - 2*g_x"),
            ("1/(K - 1) - 2*beta**2*e**2/(K*r**2)", "y - x"),
        ],
        names=NAMES,
    )


def by_convexity(gradients: str = "2", noise: str = "1", server: str = "1") -> InMean:
    """The recursion with 1 + 1/(2(K - 1)): a step does not expand, and Young's inequality with 2K - 1."""
    variance = use("bounded variance", times=f"{noise}*(e/(K*r))**2", noise="z", sigma2="V")
    return InMean(
        _TARGET.format("1/(2*(K - 1))", gradients, noise, server),
        things=f"{_THINGS}; b over k past = y - (g_y - g_x)/beta; a over k past = x - (g_x - g_y)/beta; f at a, b",
        over="xi",
        uses=[
            variance,
            *(use("smooth", pair, times=_WEIGHT, of="f", L="beta") for pair in ("y b", "x a")),
            *(use("convex", pair, times=_WEIGHT, of="f") for pair in ("x b", "y a")),
        ],
        squares=[
            ("1/(2*K - 1)", "y - x - e/(K*r)*(g_y - g_x) + (2*K - 1)*e/(K*r)*g_x"),
            ("2*K/(2*K - 1)*e/(K*r)*(2/beta - e/(K*r))", "g_y - g_x"),
            ("1/(2*(K - 1)) - 1/(2*K - 1)", "y - x"),
        ],
        unfold="a b",
        names=NAMES,
    )


def points(server: Fraction) -> list[CohortRound]:
    """Runs that move far."""
    flat, parabola = KinkedLine(ZERO, ZERO), KinkedLine(ONE, ONE)
    found = [CohortRound((flat,), ONE, steps, 1, Q(1, 16), server, ONE) for steps in (2, 3)]
    found += [CohortRound((parabola,), ZERO, steps, 1, Q(1, 16), server, ONE, modulus=ONE) for steps in (2, 3)]
    found += [CohortRound(opposed(ZERO, ONE), ONE, steps, 1, Q(1, 16), server, G2=ONE) for steps in (2, 3)]
    return [*found, *sampled(rounds(servers=(server,), steps=(2, 3)), 5)]


def distances(item: CohortRound) -> list[Fraction]:
    """The mean square distance from x after each number of steps."""
    return [item.average(lambda _, path, k=k: (path[k] - path[0]) ** 2) for k in range(item.steps + 1)]  # type: ignore[misc]


def added(item: CohortRound, gradients: Fraction, noise: Fraction) -> Fraction:
    """What a step adds in the recursion."""
    squares = item.average(lambda loss, path: loss.gradient(path[0]) ** 2)
    return item.eta**2 * (gradients * item.steps * squares + noise * item.noise**2)


def recursion(gradients: str, noise: str, server: str, *, form: Callable[..., InMean], growth: Fraction) -> Evidence:
    """One local step, derived as it is written; and every step of some runs, ``growth``/(K - 1) each."""
    stated = form(gradients, noise, server)

    def found() -> Iterator[Instance]:
        for item in points(Q(server)):
            after = distances(item)
            for k in range(1, item.steps + 1):
                right = (1 + growth / (item.steps - 1)) * after[k - 1] + added(item, Q(gradients), Q(noise))
                yield Instance(f"{item}, k = {k}", after[k], right)

    return by_derivation(stated.derived, found, valid_for=stated.where)


of_a_recursion = of_the_recursion.sharing(printed=dict(gradients="2", noise="1", server="1"))
_NOISE = Control("0.99 of the noise", dict(noise="99/100"))
smooth_recursion: Claim = of_a_recursion(
    "EL-L8-REC.3[1 + 2/(K - 1)]",
    statement=by_smoothness(),
    unprinted=Unprinted(AT_LEAST_ONE, TINY),
    headline="The recursion of the drift, with the plus sign and smoothness alone",
    summary="The recursion as its steps give it, for K >= 2 and phi eta_g >= 1; convexity is not used.",
    controls=[Control(TINY, dict(server="1/128")), _NOISE, Control("0.48 for 2", dict(gradients="12/25"))],
)(partial(recursion, form=by_smoothness, growth=Q(2)))
convex_recursion: Claim = of_a_recursion(
    "EL-L8-REC.3[1 + 1/(2(K - 1))]",
    statement=by_convexity(),
    unprinted=Unprinted(AT_LEAST_ONE, TINY),
    headline="For convex losses the recursion holds with a quarter of the growth",
    summary="Read with 1 + 1/(2(K - 1)) the recursion is true because the losses are convex; the steps before do not give it.",
    controls=[Control(TINY, dict(server="1/128")), _NOISE, Control("1 for 2", dict(gradients="1"))],
)(partial(recursion, form=by_convexity, growth=Q(1, 2)))


def decreasing(growth: str) -> Evidence:
    """The second of K steps on losses without gradients."""
    if growth == "2/(K - 1)":
        return smooth_recursion.check(**smooth_recursion.printed)
    number = sp.Symbol("K")
    shrunk = sp.sympify(growth, locals={"K": number})
    return by_witness(without_gradients(lambda n: 2, lambda n, K: 1 + shrunk + 1, range(2, 4)))


recursion_less: Claim = of_the_recursion(
    "EL-L8-REC.3[1 - 1/(2(K - 1))]",
    statement=r"\mathbb{E}\|y_{i,k}-x\|^2\le(1-\tfrac1{2(K-1)})\,\mathbb{E}\|y_{i,k-1}-x\|^2+\tfrac{2\tilde\eta^2}{K\phi^2\eta_g^2}\|"
    r"\nabla f_i(x)\|^2+\tfrac{\tilde\eta^2\sigma^2}{K^2\phi^2\eta_g^2}",
    fault="transcription",
    repair="EL-L8-REC.3[1 + 2/(K - 1)]",
    headline="Read with a minus sign the recursion of the drift is false",
    summary="With a minus sign the recursion fails at the second step where the losses have no gradients.",
    printed=dict(growth="-1/(2*(K - 1))"),
    controls=[Control("1 + 2/(K - 1)", dict(growth="2/(K - 1)"), must="pass")],
)(decreasing)

if __name__ == "__main__":
    run_script(__file__)
