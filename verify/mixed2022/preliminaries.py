"""Section 4.1 of Augenstein et al. (2022): smoothness and convexity of the losses, variances of batches and cohorts.

Derived for any number of clients, dimension, cohort and batch; instances enumerate all batches."""

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from functools import partial
from itertools import product

import sympy as sp

from fltheory.evidence.algebra import statement_in_mean
from fltheory.evidence.derive import by_derivation
from fltheory.evidence.ends import tried
from fltheory.evidence.exact_search import search
from fltheory.evidence.in_mean import InMean, use
from fltheory.evidence.kinds import expectation_claim, inequality_claim, qualitative_claim, run_script
from fltheory.evidence.model import Control, Evidence
from fltheory.evidence.witness import Side, Witness
from fltheory.theory import ranges
from fltheory.theory.bound import Bound
from fltheory.theory.conditions import Condition
from fltheory.theory.mixed2022.convex import beta, gx, gy, hx, hy, mu, x, y
from fltheory.theory.mixed2022.one_round import S, V
from fltheory.theory.mixed2022.vocabulary import MixedBound
from fltheory.theory.notation import Inner, NormSq
from verify.mixed2022 import derivations, laws
from verify.mixed2022.laws import batch_moments
from verify.mixed2022.settled import attained

ONE, ZERO = Fraction(1), Fraction(0)
GENERAL = "every dimension and pair of points"
NAMES = {"beta": r"\beta", "mu": r"\mu"}
smooth_mean = statement_in_mean(
    "MX-SM-F",
    InMean(
        "sq(mean(g_y - g_x, k)) <= beta**2*sq(y - x) for beta > 0",
        things="x; y; function F over k; F at x, y",
        over="k",
        uses=[use("Lipschitz gradients", "x y", of="F", L="beta")],
        squares=[("1", "g_y - g_x - mean(g_y - g_x, k)")],
        names=NAMES,
    ),
    headline="The mean of smooth client losses is smooth with the same constant",
    false={"beta times 0.99": ("beta**2", "9801/10000*beta**2"), "sum instead of mean": ("sq(mean", "sq(2*mean")},
    group=inequality_claim,
    source="footnote 6",
    summary="The mean of beta-smooth client losses is beta-smooth, convex or not; sharp for equal clients.",
    tightness=attained("equal clients"),
)
convex_mean = statement_in_mean(
    "MX-CV-F",
    InMean(
        "f_x + dot(g_x, y - x) + mu/2*sq(y - x) <= f_y for mu > 0",
        things="x; y; function F over k; F at x, y",
        over="k",
        uses=[use("strongly convex", "x y", of="F", mu="mu")],
        names=NAMES,
    ),
    false={"mu times 1.01": ("mu/2", "101*mu/200")},
    group=inequality_claim,
    source="footnote 7",
    summary="The mean of mu-convex client losses is mu-convex; sharp for equal clients.",
    tightness=attained("equal clients"),
)

of_the_sum = MixedBound.displays({"gx": r"\nabla f(x)", "gy": r"\nabla f(y)", "hx": "f(x)", "hy": "f(y)", **NAMES})
SMOOTH_SUM = of_the_sum("smoothness of f", NormSq(gy - gx), (2 * beta) ** 2 * NormSq(y - x), ())
CONVEX_SUM = of_the_sum("convexity of f", hx + Inner(gx, y - x) + 2 * mu / 2 * NormSq(y - x), hy, ())
#: A display for f = (c1 + c2) t^2/2 at 0 and 1.
ON_A_LINE = {x: 0, y: 1, gx: 0, hx: 0, NormSq(y - x): 1, NormSq(gy - gx): gy**2, Inner(gx, y - x): 0}


def parabolas(bound: Bound, *curvatures: Fraction) -> Witness:
    """A display for f_f = c1 t^2/2 and f_c = c2 t^2/2, their largest curvature as beta, the least one as mu."""
    parts = dict(zip(sp.symbols("c1 c2"), curvatures, strict=True))
    modulus, sign, value = (mu, ">=", hy) if bound.expression.has(hy) else (beta, "<=", gy)
    slope = sum(parts) / (2 if value == hy else 1)
    at = {**parts, modulus: max(curvatures) if sign == "<=" else min(curvatures), value: slope.subs(parts)}
    sides = (side.subs(list(reversed(ON_A_LINE.items()))) for side in (bound.left, bound.expression))
    left, right = (Side(name, side) for name, side in zip(("left side", "right side"), sides, strict=True))
    given = [(value, "=", slope), *((c, sign, modulus) for c in parts)]
    return Witness(at, left, "<=", right, given, "f_f = c1 t^2/2, f_c = c2 t^2/2 at x = 0, y = 1")


def mixed_moduli(constant: str, modulus: str) -> Evidence:
    """Both parts together: a square, and a sum."""
    k, m = (sp.Rational(text) for text in (constant, modulus))
    smooth = replace(SMOOTH_SUM, expression=k**2 * beta**2 * NormSq(y - x))
    bounds = smooth, replace(CONVEX_SUM, left=CONVEX_SUM.left.subs(mu, m / 2 * mu))
    pairs = ((ONE, ONE), (ONE, Fraction(1, 2)))
    return by_derivation(
        {bound.name: partial(derivations.moduli_of_a_sum, bound) for bound in bounds},
        tried(parabolas(bound, *pair) for pair in pairs for bound in bounds),
        method="Sum of both parts.",
        valid_for=GENERAL,
        tightness=attained("f_f = f_c = (beta/2)|x|^2"),
    )


mix_double = inequality_claim(
    "MX-SM-MIX[f is 2 beta-smooth, as in Proposition D.6]",
    source="Proposition D.6",
    statement=(r"f_f,f_c\ \beta\text{-smooth},\ \mu\text{-convex}:\ ", SMOOTH_SUM, r",\quad ", CONVEX_SUM),
    headline="The sum of two smooth losses has twice their constants, and no better",
    summary="The sum of two losses has twice the moduli, and no better; the 4 beta of Proposition D.6 are twice this 2 beta.",
    printed=dict(constant="2", modulus="2"),
    controls=[Control("1.98 beta", dict(constant="99/50")), Control("2.02 mu", dict(modulus="101/50"))],
)(mixed_moduli)
mix_single = inequality_claim(
    "MX-SM-MIX[f is beta-smooth, as in the first step of Lemma D.12]",
    fault="reading",
    source="proof of Lemma D.12, first display",
    statement=(r"f_f,f_c\ \beta\text{-smooth}:\ ", replace(SMOOTH_SUM, expression=beta**2 * NormSq(y - x))),
    printed=dict(constant="1", modulus="2"),
    repair="MX-SM-MIX[f is 2 beta-smooth, as in Proposition D.6]",
    headline="The proof of Lemma D.12 uses half of the smoothness that the sum has",
    summary="The first display of the proof of Lemma D.12 expands f with beta/2 |x+ - x|^2, which is smoothness of f "
    "with beta; from smooth parts it is 2 beta (or beta is meant of f and then the parts' constants are others).",
    controls=[Control("2 beta", dict(constant="2"), must="pass")],
)(mixed_moduli)


def signs(size: int) -> laws.Law:
    """Independent fair signs."""
    return laws.Law("independent signs", tuple((Fraction(1, 2**size), x) for x in product((ONE, -ONE), repeat=size)))


display = MixedBound.displays({"V": r"\sigma^2"}, ranges=dict.fromkeys("mn", ranges.COUNT))
EQ5 = display(
    "equation (5)", r"\mathbb{E}\|\tfrac1S\sum_{i\in\mathcal{S}}g_i(x)-\nabla f_f(x)\|^2", V / S, (), "MX-EQ5"
)


@expectation_claim(
    "MX-EQ5",
    headline="A cohort divides the gradient's variance if answers are independent, however it is drawn",
    source="eq. (5)",
    statement=EQ5,
    summary="Variance of the cohort's gradient at one common x under Assumption 4.1: it suffices that the answers are "
    "independent given x (a client drawn twice answers with a fresh batch); how the cohort is drawn does not matter.",
    assumptions=("Assumption 4.1", "the answers of the cohort are independent given x"),
    printed=dict(constant="1", answers="independent"),
    controls=[
        Control("sigma^2/S times 0.99", dict(constant="99/100")),
        Control("one client drawn S times, its answer used again", dict(answers="repeated")),
    ],
)
def cohort_variance(constant: str, answers: str) -> Evidence:
    """Independent answers with equal weights."""
    fresh, bound = answers == "independent", replace(EQ5, expression=sp.Rational(constant) * EQ5.expression)

    def pair(size: int) -> tuple[Fraction, Fraction]:
        found = (signs(size) if fresh else laws.same_sign(size)).moments(conditional=False)
        return found.noise / size**2, Fraction(constant) * found.variance / size

    return by_derivation(
        lambda: derivations.variance_of_a_cohort(bound, fresh=fresh),
        search((1, 2, 3), pair, describe=lambda size: f"S = {size}, noise +-1 (fair, {answers}): variance of the mean"),
        method="Independent answers with equal weights.",
        valid_for="every S, dimension, way of drawing the cohort, x fixed before the answers",
        tightness=attained("E|g_i - grad f_f|^2 = sigma^2"),
    )


m, n = sp.symbols("m n")
#: By how much the variance falls from m to m + 1 draws, by the way of drawing.
FALLS = {
    scheme: MixedBound.displays({"V": r"\operatorname{Var}_1"}, ranges=dict.fromkeys("mn", ranges.COUNT))(
        f"variance of batches {scheme}",
        r"\operatorname{Var}_m-\operatorname{Var}_{m+1}",
        share * V / (m * (m + 1)),
        (Condition("m < n", m < n),),
        relation="=",
    )
    for scheme, share in (("with replacement", sp.Integer(1)), ("without replacement", n / (n - 1)))
}
OF_COHORT = MixedBound.displays({"V": r"\operatorname{Var}(g_i)", "m": "S"}, ranges={"m": ranges.COUNT})(
    "variance of cohorts", r"\operatorname{Var}(g_f)", V / m, (Condition("Assumption 4.1"),), relation="="
)


def enumerated(
    formula: sp.Expr, at_size: Callable[[int], Fraction], known: dict[sp.Symbol, Fraction], what: str
) -> object:
    """A formula in m against enumeration."""
    return search(
        (1, 2, 3),
        lambda size: (at_size(size), Fraction(str(formula.subs({**known, m: size})))),
        relation="=",
        describe=lambda size: f"{what} {size}: variance by enumeration (left), formula",
    )


def batch_variance(falls: Bound, scheme: str, cohort: bool) -> Evidence:
    """Variance at m less that at m + 1; of a cohort of such answers as well, which divides it by S."""
    values = [ZERO, ONE, Fraction(5), Fraction(2)]
    one = batch_moments(values, 1, "with replacement")[1]

    def at_size(size: int) -> Fraction:
        if scheme == "one example repeated":
            return ZERO
        return batch_moments(values, size, scheme)[1] - batch_moments(values, size + 1, scheme)[1]

    scripts = {"batch": partial(derivations.variance_of_draws, falls, scheme)}
    if cohort:
        scripts["cohort"] = partial(derivations.variance_of_draws, OF_COHORT, "with replacement", difference=False)
    known = {n: len(values), V: sp.Rational(str(one))}
    return by_derivation(
        scripts,
        enumerated(falls.expression, at_size, known, "examples 0, 1, 5, 2, Var_m - Var_{m+1}, m ="),
        method="m draws: the square of the deviation of their mean against that of one",
        valid_for=f"all n > m >= 1, {scheme}",
    )


_TEXT = {"1": ("|B_i|", "client", "g_i and g_f", True), "3": ("|B_c|", "central", "g_c", False)}
_HEADLINES = {
    "with replacement": "{} batches drawn with replacement vary in inverse proportion to their size",
    "without replacement": "Without replacement larger {} batches vary less if examples differ, full ones not",
}
_EQUAL = ("Assumption 4.1", "independent answers of equal variance")
_COHORTS = " Under Assumption 4.1, with independent answers of equal variance, larger cohorts divide it by S."
batch_rows = [
    qualitative_claim(
        f"MX-EQ6-BATCH.{part}[{scheme}]",
        headline=_HEADLINES[scheme].format(whose).capitalize(),
        source="Section 4.1, last sentences",
        statement=(
            rf"\operatorname{{Var}}\text{{ of }}{who.replace(' and ', ',')}\text{{ falls in }}m={size}\text{{, strictly unless }}"
            r"\operatorname{Var}_1=0:\ ",
            *((OF_COHORT, r",\quad ") if cohort else ()),
            falls,
        ),
        summary=f"The variance of {who} falls with {size}, strictly unless Var_1 = 0: in proportion to 1/m with replacement, to "
        "(n-m)/(m(n-1)) without." + (_COHORTS if cohort else ""),
        assumptions=_EQUAL if cohort else (),
        printed=dict(scheme=scheme, cohort=cohort),
        controls=[Control("one example repeated m times", dict(scheme="one example repeated"))],
    )(partial(batch_variance, falls))
    for part, (size, whose, who, cohort) in _TEXT.items()
    for scheme, falls in FALLS.items()
]


@qualitative_claim(
    "MX-EQ6-BATCH.2",
    headline="Larger cohorts divide the variance of the federated gradient by their size",
    source="Section 4.1, last sentences",
    depends=("MX-EQ5",),
    statement=(OF_COHORT, r"\text{, which falls in }S\text{, strictly unless }\operatorname{Var}(g_i)=0"),
    summary="The variance of g_f falls in proportion to 1/S, strictly unless Var(g_i) = 0, under Assumption 4.1 with independent "
    "answers of equal variance.",
    assumptions=_EQUAL,
    printed=dict(power="1"),
    controls=[Control("1/S^2", dict(power="2"))],
)
def cohort_size(power: str) -> Evidence:
    """S independent answers of one law."""
    bound = replace(OF_COHORT, expression=V / m ** int(power))
    return by_derivation(
        lambda: derivations.variance_of_draws(bound, "with replacement", difference=False),
        enumerated(
            bound.expression,
            lambda size: signs(size).moments(conditional=False).noise / size**2,
            {V: sp.Integer(1)},
            "independent fair noise +-1, S =",
        ),
        method="As equation (5), with equality for equal variances.",
        valid_for="every S",
    )


if __name__ == "__main__":
    run_script(__file__)
