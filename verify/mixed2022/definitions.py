"""Equations (1)-(4) and (6) of Augenstein et al. (2022): the mixed loss, its batches, and what is assumed of gradients.

Batch means are judged by the coefficient of one generic example (any number of examples) and by enumeration of all batches.
"""

from __future__ import annotations

from fractions import Fraction

import sympy as sp

import fltheory as fl
from fltheory.derivation.script import Derivation
from fltheory.evidence.kinds import definition_claim, definition_of_an_instance, identity_claim, run_script
from fltheory.evidence.model import Control, Evidence
from fltheory.problems import AdditiveNoise, MixedProblem, QuadraticProblem
from fltheory.theory import sampling as s
from fltheory.theory.steps import Instance, equality, hypothesis, identity, sign
from verify.mixed2022.displays import constants, displayed
from verify.mixed2022.laws import batch_moments
from verify.mixed2022.populations import rationals
from verify.mixed2022.settled import settle

ONE, ZERO = Fraction(1), Fraction(0)


def absorbed() -> Derivation:
    """The gradients of the losses are those of the unweighted ones times their weights."""
    d = Derivation("Mixed FL, equation (1)")
    d.parameter("w", 0, 1, low_open=True, high_open=True)
    for name in ("a", "b"):
        d.vector(name)
    d.vector("f_f", equals="w*a")
    d.vector("f_c", equals="(1 - w)*b")
    return d


mixed_loss = displayed(
    "MX-EQ1",
    absorbed,
    "w*sq(f_f/w) + (1 - w)*sq(f_c/(1 - w)) = w*sq(a) + (1 - w)*sq(b)",
    headline="The weights of the two losses may be absorbed, but the mixed loss does not fix them",
    names={
        "w": "w_f",
        "1 - w": "w_c",
        "a": r"\nabla\tilde f_f",
        "b": r"\nabla\tilde f_c",
        "f_f": r"\nabla f_f",
        "f_c": r"\nabla f_c",
    },
    instance=lambda: constants({"a": 1, "b": 2}, {"w": Fraction(1, 4)}),
    at="w_f = 1/4, unweighted gradients 1 and 2",
    says=r"f=f_f+f_c,\ f_f=w_f\tilde f_f,\ f_c=w_c\tilde f_c:\quad ",
    group=identity_claim,
    method="Expansion.",
    valid_for="all weights, gradients, dimensions",
    source="eq. (1), footnote 2",
    summary="Weights absorbed into the two losses: Definition 4.2 then takes the mean of the unweighted gradients. "
    "The weights cannot be read off f_f and f_c, so that G and B depend on a choice that f does not fix.",
    false={"gradients divided by the square of their weight": ("sq(f_f/w)", "sq(f_f/w**2)")},
)


@definition_claim(
    "MX-EQ2.1",
    source="eq. (2) with Algorithm 1",
    statement=r"\frac{\sum_ip_i\nabla f_i}{\sum_ip_i}=\nabla\tfrac1N\sum_if_i,\quad p_i=p",
    summary="The plain mean over the clients is what the server's average of the algorithms aims at when all clients "
    "use equally many examples; with their weights p_i (numbers of examples) it is the p-weighted mean otherwise.",
    printed=dict(weights="equal"),
    controls=[Control("numbers of examples 1 and 3", dict(weights="examples"))],
)
def plain_mean(weights: str) -> Evidence:
    """The coefficient of a generic client in the server's average against 1/N."""
    n, p, total = sp.symbols("n p P", positive=True)
    equal = weights == "equal"
    share = p / total.subs(total, n * p) if equal else p / total
    sizes = [(Fraction(2), Fraction(2)), (ONE, ONE, ONE)] if equal else [(ONE, Fraction(3))]
    instances = [
        equality(f"p = ({', '.join(map(str, p))}), grad f_1 = 1, other gradients 0", p[0] / sum(p), Fraction(1, len(p)))
        for p in sizes
    ]
    return settle(
        [identity("share of a generic client", share, 1 / n)],
        instances,
        method="Coefficient of one generic client.",
        valid_for="all N, all client losses",
    )


def batch_mean(scheme: str) -> Evidence:
    """E of the mean of a batch of m of n examples against the mean of all examples."""
    n, m, k = sp.symbols("n m k", positive=True)
    coefficient = {
        "without replacement": s.inclusion_probability(n, m) / m,
        "with replacement": m / n / m,
        "blocks": 1 / (k * m),
    }[scheme]  # k blocks
    values = [ZERO, ONE, Fraction(5)]
    instances = [
        equality(f"examples 0, 1, 5, batches of {size} ({scheme})", batch_moments(values, size, scheme)[0], Fraction(2))
        for size in (1, 2)
    ]
    return settle(
        [identity("coefficient of one example", coefficient, 1 / n)],
        instances,
        method="Linearity: the coefficient of a generic example, by counting the batches that contain it; the same for "
        "values and gradients.",
        valid_for=f"all n >= m >= 1, batches {scheme}",
    )


of_batches = definition_claim.sharing(
    controls=[Control("blocks of an epoch, the last one smaller, all equally likely", dict(scheme="blocks"))]
)
client_batches = [
    of_batches(
        f"{row}[{scheme}]",
        source=place,
        printed=dict(scheme=scheme),
        statement=rf"f_{index}(x)=\mathbb{{E}}_{{\mathcal{{B}}}}[f_{index}(x;\mathcal{{B}})]",
        summary=f"A uniform batch drawn {scheme} has the loss and the gradient of all {whose} examples as its mean.",
    )(batch_mean)
    for row, place, index, whose in (
        ("MX-EQ2.2", "eq. (2)", "i", "the client's"),
        ("MX-EQ3", "eq. (3)", "c", "the centre's"),
    )
    for scheme in ("without replacement", "with replacement")
]


def homogeneity(data: str) -> Evidence:
    """E g_i(x) = grad f_f(x) for f_i = mean of (x - z)^2/2: the mean of what client i draws from, against all clients'.

    In numbers, 0 and 2 are equally likely; with a fixed data set client 1 has drawn {0} and client 2 {2}.
    """
    common, own, clients = sp.symbols("m_D m_i m_clients")
    drawn, mean = (common, common) if data == "fresh" else (own, clients)
    law = (ONE, ONE) if data == "fresh" else (ZERO, Fraction(2))
    text = f"losses (x - z)^2/2, z = 0 or 2, data {data}, x = 1: E g_1(1) against grad f_f(1)"
    return settle(
        [identity("mean gradient of client i", sp.Symbol("x") - drawn, sp.Symbol("x") - mean)],
        [equality(text, 1 - law[0], 1 - (law[0] + law[1]) / 2)],
        method="The mean gradient is linear in the law that the batch is drawn from.",
        valid_for="every loss, law and client",
        numbers=dict(data=data),
    )


homogeneous = definition_claim(
    "MX-ASM41",
    source="Assumption 4.1, eq. (4)",
    statement=r"\mathbb{E}[g_i(x)]=\nabla f_f(x)\ \forall i,x",
    printed=dict(data="fresh"),
    summary="The formula of the assumption can be met: if every batch has new examples from the common law, all client "
    "gradients have the same mean at every x, and the f_i differ by constants only. It asks for more than data sets "
    "that were drawn once from one law: the means over finite data sets differ between clients.",
    controls=[Control("finite data sets, drawn once per client from one law", dict(data="fixed"))],
)(homogeneity)


@definition_claim(
    "MX-ASM41-S1",
    source="Assumption 4.1, second half",
    statement=r"\sup_x\mathbb{E}\|(A_j-\bar A)x-(b_j-\bar b)\|^2<\infty\iff A_j=\bar A\ \forall j",
    headline="Noise bounded everywhere means, for quadratics, that all examples share a Hessian",
    summary="A bound sigma^2 for all x exists for quadratic examples exactly when all examples have the same Hessian "
    "(not for least squares with different features).",
    printed=dict(hessians="equal"),
    controls=[Control("Hessians 0 and 2", dict(hessians="different"))],
)
def bounded_variance(hessians: str) -> Evidence:
    """Scalar line x = t v: the variance is t^2 E|(A_j - A)v|^2 + ...; bounded exactly if the leading coefficient vanishes."""
    t, dA, db = sp.symbols("t dA db")
    curvatures = (1, 1) if hessians == "equal" else (0, 2)
    terms = [(h - sp.Rational(sum(curvatures), 2)) * t - shift for h, shift in zip(curvatures, (1, -1), strict=True)]
    variance = sp.Poly(sp.expand(sum(z**2 for z in terms) / 2), t)
    general = sp.Poly((dA * t - db) ** 2, t)
    steps = (
        identity("leading coefficient along a line is |dA v|^2", general.coeff_monomial(t**2), dA**2),
        identity("it vanishes for equal Hessians: variance |db|^2 at every x", general.as_expr().subs(dA, 0), db**2),
        hypothesis("equal Hessians", hessians == "equal", "the variance grows with x"),
    )
    text = f"curvatures {curvatures}, slopes 1 and -1: variance at x"
    at = {x: Fraction(str(variance.eval(x))) for x in (0, 10)}
    return settle(
        steps,
        [Instance(f"{text} = {x} against the one at 0", value, at[0]) for x, value in at.items()],
        method="The variance along a line is a mean of squares of affine functions.",
        valid_for="quadratic examples, any dimension and number",
    )


def central_noise(unbiased: bool) -> Evidence:
    """Floor of x+ = x - e (lambda x + xi), E xi^2 = sigma^2, as e -> 0; 1-way GT with K = 1 on f = lambda x^2/2."""
    e, lam, var = sp.symbols("e lam v", positive=True)
    mean, second = sp.symbols("m q")
    drift = 0 if unbiased else sp.sqrt(var)
    m = sp.solve(sp.Eq(mean, (1 - e * lam) * mean - e * drift), mean)[0]
    moments = sp.Eq(second, (1 - e * lam) ** 2 * second - 2 * e * (1 - e * lam) * drift * m + e**2 * var)
    q = sp.simplify(sp.solve(moments, second)[0])
    floor, ranges = sp.limit(lam * q / 2, e, 0, "+"), [(lam, 0, None), (var, 0, None), (e, 0, 1 / lam)]
    steps = [identity("error floor vanishes with the step", floor, 0)]
    if floor == 0:
        steps.append(sign("floor at most e v/2 for e <= 1/lambda", e * var / 2 - lam * q / 2, ranges))

    def level() -> Fraction:
        """E f - f* of the stationary law at lambda = 1, sigma_c^2 = 1, step 1/100, read off the algorithm's text."""
        push = Fraction(0 if unbiased else 1)
        curved, flat = (QuadraticProblem(rationals([[[c]]]), rationals([[v]])) for c, v in ((1, 0), (0, -push)))
        found = fl.stationary(
            MixedProblem(curved, flat),
            fl.OneWayGradientTransfer(1, Fraction(1, 100)),
            centre_oracle=AdditiveNoise(1 - push),
            exact=True,
        )
        assert found.mean is not None  # the step is short
        return Fraction((found.variance + found.mean[0] ** 2) / 2)

    text = "lambda = 1, sigma_c^2 = 1, step 1/100: stationary f - f* against step/2"
    return settle(
        steps,
        [Instance(text, level(), Fraction(1, 200))],
        method="Stationary mean and second moment solved from their linear equations.",
        valid_for="lambda > 0, sigma_c^2 > 0, steps up to 1/lambda; noise independent over rounds",
        numbers={"floor as the step tends to 0": str(floor)},
    )


noise_unbiased = definition_of_an_instance(
    "MX-EQ6",
    source="eq. (6) with eq. (3)",
    statement=r"\mathbb{E}g_c=\nabla f_c,\ \mathbb{E}\|g_c(x)-\nabla "
    r"f_c(x)\|^2\le\sigma_c^2\Rightarrow\text{floor}\to0\text{ as }\tilde\eta\to0,\quad f=\tfrac\lambda2x^2,\ K=1",
    summary="With a central gradient that is unbiased, which random batches of equation (3) give, the error floor of "
    "1-way GT vanishes with the step. Equation (6) alone would admit a constant error, which leaves sigma_c^2/(2 "
    "lambda) at every step.",
    printed=dict(unbiased=True),
    controls=[Control("constant error of the same size", dict(unbiased=False))],
)(central_noise)

if __name__ == "__main__":
    run_script(__file__)
