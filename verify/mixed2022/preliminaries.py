"""Section 4.1 of Augenstein et al. (2022): smoothness and convexity of the losses, variances of batches and cohorts.

Averages over a generic client (any N) in commuting scalars (any dimension); single and pair terms of a batch or cohort are counted
(any size), against enumeration of all batches."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import sympy as sp

from fltheory.evidence.kinds import expectation_claim, inequality_claim, qualitative_claim, run_script
from fltheory.evidence.model import Control, Evidence
from fltheory.theory.averages import Averages
from fltheory.theory.proofs import Open
from fltheory.theory.steps import Instance, equality, hypothesis, identity, inequality
from verify.mixed2022 import laws
from verify.mixed2022.laws import batch_moments
from verify.mixed2022.settled import attained, settle

ONE, ZERO = Fraction(1), Fraction(0)
# e: difference of the gradients of a generic client at two points, D: distance of the points
e, e_mean, e_dev, c, D, beta, mu = sp.symbols("e e_mean e_dev c D beta mu")
CLIENTS = Averages({e: (e_mean, e_dev)}, common_vectors=(D, c))
CLASS = [(beta, Open(0), None), (mu, 0, beta)]
GENERAL = "every N, dimension and pair of points"


def client_moduli(factor: str, part: str, total: bool) -> Evidence:
    """|mean e| <= factor beta D from |e| <= beta D ("smooth"), <mean e, D> >= factor mu D^2 from the same ("convex")."""
    k, one = sp.Rational(factor), sp.Integer(1)
    scale = "sum over" if total else "mean of"
    if part == "smooth":
        known = {"each client": (one, CLIENTS.of(beta**2 * D**2 - e**2))}
        squares = [(one, e_dev), ((k**2 - 1) * beta**2, D)]
        right = k**2 * beta**2 * D**2
        step = inequality("smoothness", e_mean**2, right, premises=known, squares=squares, ranges=CLASS)
    else:
        known = {"each client": (one, CLIENTS.of(e * D - mu * D**2))}
        squares = [((1 - k) * mu, D)]
        step = inequality("convexity", k * mu * D**2, e_mean * D, premises=known, squares=squares, ranges=CLASS)
    instances = []
    for curvatures in ((ONE, ONE), (ONE, Fraction(1, 2)), (Fraction(1, 3),) * 3):
        whole = sum(curvatures, ZERO) / (1 if total else len(curvatures))
        text = f"client curvatures {', '.join(map(str, curvatures))}: curvature of the {scale} them"
        upper, lower = Fraction(factor) * max(curvatures), Fraction(factor) * min(curvatures)
        instances.append(Instance(text, *((whole, upper) if part == "smooth" else (lower, whole))))
    proof = (step, hypothesis("f_f is the mean", not total, "a sum has N times the curvature"))
    method = "Jensen: mean and deviation over the clients."
    return settle(
        proof, instances, method=method, valid_for=GENERAL, tightness=attained("equal clients") if k == 1 else None
    )


smooth_mean = inequality_claim(
    "MX-SM-F",
    source="footnote 6",
    statement=r"f_i\ \beta\text{-smooth}\ \forall i\Rightarrow f_f\ \beta\text{-smooth}",
    summary="The mean of beta-smooth client losses is beta-smooth, convex or not; sharp for equal clients.",
    printed=dict(factor="1", part="smooth", total=False),
    controls=[Control("beta times 0.99", dict(factor="99/100")), Control("sum instead of mean", dict(total=True))],
)(client_moduli)
convex_mean = inequality_claim(
    "MX-CV-F",
    source="footnote 7",
    statement=r"f_i\ \mu\text{-convex}\ \forall i\Rightarrow f_f\ \mu\text{-convex}",
    summary="The mean of mu-convex client losses is mu-convex; sharp for equal clients.",
    printed=dict(factor="1", part="convex", total=False),
    controls=[Control("mu times 1.01", dict(factor="101/100"))],
)(client_moduli)


def mixed_moduli(constant: str, modulus: str) -> Evidence:
    """f = f_f + f_c: |e + c| <= constant beta D, <e + c, D> >= modulus mu D^2."""
    k, m, one, two = sp.Rational(constant), sp.Rational(modulus), sp.Integer(1), sp.Integer(2)
    smooth = {"f_f": (two, beta**2 * D**2 - e**2), "f_c": (two, beta**2 * D**2 - c**2)}
    convex = {"f_f": (one, e * D - mu * D**2), "f_c": (one, c * D - mu * D**2)}
    top, curved, spare = k**2 * beta**2 * D**2, [(one, e - c), ((k**2 - 4) * beta**2, D)], [((2 - m) * mu, D)]
    steps = (
        inequality("smoothness of the sum", (e + c) ** 2, top, premises=smooth, squares=curved, ranges=CLASS),
        inequality("convexity of the sum", m * mu * D**2, (e + c) * D, premises=convex, squares=spare, ranges=CLASS),
    )
    instances = []
    for f, centre in ((ONE, ONE), (ONE, Fraction(1, 2))):
        text = f"f_f = {f}/2 x^2, f_c = {centre}/2 x^2"
        instances += [
            Instance(f"{text}: smoothness of f", f + centre, Fraction(constant) * max(f, centre)),
            Instance(f"{text}: modulus of f", Fraction(modulus) * min(f, centre), f + centre),
        ]
    tight = attained("f_f = f_c = (beta/2)|x|^2") if k == m == 2 else None
    return settle(steps, instances, method="Sum of both parts.", valid_for=GENERAL, tightness=tight)


mix_double = inequality_claim(
    "MX-SM-MIX[f is 2 beta-smooth, as in Proposition D.6]",
    source="Proposition D.6",
    statement=r"f_f,f_c\ \beta\text{-smooth},\ \mu\text{-convex}\Rightarrow f\ 2\beta\text{-smooth},\ 2\mu\text{-convex}",
    headline="The sum of two smooth losses has twice their constants, and no better",
    summary="The sum of two losses has twice the moduli, and no better; the 4 beta of Proposition D.6 are twice this 2 beta.",
    printed=dict(constant="2", modulus="2"),
    controls=[Control("1.98 beta", dict(constant="99/50")), Control("2.02 mu", dict(modulus="101/50"))],
)(mixed_moduli)
mix_single = inequality_claim(
    "MX-SM-MIX[f is beta-smooth, as in the first step of Lemma D.12]",
    fault="reading",
    source="proof of Lemma D.12, first display",
    statement=r"f_f,f_c\ \beta\text{-smooth}\Rightarrow f\ \beta\text{-smooth}",
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


@expectation_claim(
    "MX-EQ5",
    source="eq. (5)",
    statement=r"\mathbb{E}\|\tfrac1S\sum_{i\in\mathcal{S}}g_i(x)-\nabla f_f(x)\|^2\le\tfrac{\sigma^2}S",
    summary="Variance of the cohort's gradient at one common x under Assumption 4.1: it needs answers that are independent "
    "given x (a client drawn twice must answer with a fresh batch); how the cohort is drawn does not matter.",
    assumptions=("Assumption 4.1", "the answers of the cohort are independent given x"),
    printed=dict(constant="1", answers="independent"),
    controls=[
        Control("sigma^2/S times 0.99", dict(constant="99/100")),
        Control("one client drawn S times, its answer used again", dict(answers="repeated")),
    ],
)
def cohort_variance(constant: str, answers: str) -> Evidence:
    """S single terms of variance v and S(S-1) pairs with covariance zero by independence and equal means."""
    k = sp.Rational(constant)
    S, v = sp.symbols("S v", positive=True)
    pairs = sp.Integer(0) if answers == "independent" else v
    total = (S * v + S * (S - 1) * pairs) / S**2
    ranges = [(S, 1, None), (v, 0, None)]
    step = inequality("single and pair terms", total, k * v / S, ranges=ranges)
    instances = []
    for size in (1, 2, 3):
        law = signs(size) if answers == "independent" else laws.same_sign(size)
        moments = law.moments(conditional=False)
        name, allowed = f"S = {size}, noise +-1 (fair, {answers})", Fraction(constant) * moments.variance / size
        instances.append(Instance(f"{name}: variance of the mean", moments.noise / size**2, allowed))
    valid_for = "every S, dimension, way of drawing the cohort, x fixed before the answers"
    tight = attained("E|g_i - grad f_f|^2 = sigma^2") if k == 1 else None
    return settle((step,), instances, method="S single terms, S(S-1) pairs.", valid_for=valid_for, tightness=tight)


def batch_variance(scheme: str, cohort: bool) -> Evidence:
    """Exact variance laws V/m and V (n-m)/(m(n-1)), divided by S for a cohort, and their decrease."""
    n, m, S, V = sp.symbols("n m S V", positive=True)
    pair = {"with replacement": sp.Integer(0), "without replacement": -V / (n - 1), "one example repeated": V}[scheme]
    many = S if cohort else 1
    law = sp.factor((m * V + m * (m - 1) * pair) / m**2) / many
    fall = (V * n / (n - 1) if scheme == "without replacement" else V) / (m * (m + 1)) / many
    steps = [identity("decrease from m to m + 1 is positive", law - law.subs(m, m + 1), fall)]
    if cohort:
        steps.append(identity("decrease from S to S + 1", law - law.subs(S, S + 1), law / (S + 1)))
    values = [ZERO, ONE, Fraction(5), Fraction(2)]
    one = batch_moments(values, 1, "with replacement")[1]
    instances, before = [], one
    for size in (1, 2, 3):
        exact = one if scheme == "one example repeated" else batch_moments(values, size, scheme)[1]
        formula = Fraction(str(sp.nsimplify(law.subs({S: 1, n: 4, m: size, V: sp.Rational(str(one))}))))
        instances.append(equality(f"examples 0, 1, 5, 2, batch of {size}: variance", exact, formula))
        if size > 1:
            name = f"the same: at most 0.99 of that of {size - 1}"
            instances.append(Instance(name, exact, before * Fraction(99, 100)))
        before = exact
    method = "m single terms and m(m-1) pairs; two draws without replacement have covariance -V/(n-1)."
    valid_for = f"all n > m >= 1, {scheme}"
    return settle(steps, instances, method=method, valid_for=valid_for, numbers=dict(variance=str(law)))


_TEXT = {"1": ("|B_i|", "g_i and g_f", True), "3": ("|B_c|", "g_c", False)}
batch_rows = [
    qualitative_claim(
        f"MX-EQ6-BATCH.{part}[{scheme}]",
        source="Section 4.1, last sentences",
        statement=rf"\operatorname{{Var}}\text{{ of }}{who.replace(' and ', ',')}\text{{ falls strictly in }}{size}",
        summary=f"A larger {size} gives a smaller variance of {who}: proportional to 1/m with replacement, "
        "to (n-m)/(m(n-1)) without." + (" Larger cohorts divide it by S." if cohort else ""),
        printed=dict(scheme=scheme, cohort=cohort),
        controls=[Control("one example repeated m times", dict(scheme="one example repeated"))],
    )(batch_variance)
    for part, (size, who, cohort) in _TEXT.items()
    for scheme in ("with replacement", "without replacement")
]


@qualitative_claim(
    "MX-EQ6-BATCH.2",
    source="Section 4.1, last sentences",
    depends=("MX-EQ5",),
    statement=r"\operatorname{Var}(g_f)=\tfrac{1}{S}\operatorname{Var}(g_i)\text{ falls strictly in }S",
    summary="Larger cohorts reduce the variance of g_f, in proportion to 1/S under Assumption 4.1.",
    printed=dict(power="1"),
    controls=[Control("1/S^2", dict(power="2"))],
)
def cohort_size(power: str) -> Evidence:
    S, v = sp.symbols("S v", positive=True)
    law = v / S ** int(power)
    steps = (
        identity("S single terms", S * v / S**2, law),
        identity("decrease", v / S - v / (S + 1), v / (S * (S + 1))),
    )

    exact = {size: signs(size).moments(conditional=False).noise / size**2 for size in (1, 2, 5)}
    instances = [
        equality(f"S = {size}, independent fair noise +-1: variance", value, Fraction(1, size ** int(power)))
        for size, value in exact.items()
    ]
    method = "As equation (5), with equality for equal variances."
    return settle(steps, instances, method=method, valid_for="every S")


if __name__ == "__main__":
    run_script(__file__)
