"""Equations (1)-(4) and (6) of Augenstein et al. (2022): the mixed loss, its batches, and what is assumed of gradients."""

from fractions import Fraction
from itertools import combinations, product

from fltheory.derivation.packs import UNBIASED
from fltheory.derivation.script import Derivation
from fltheory.derivation.witness import FiniteInstance
from fltheory.evidence.algebra import statement_in_mean
from fltheory.evidence.in_mean import InMean
from fltheory.evidence.kinds import definition_claim, definition_of_an_instance, identity_claim, run_script
from fltheory.evidence.things import declare, granted
from verify.mixed2022.displays import constants, displayed

ONE, ZERO, HALF = Fraction(1), Fraction(0), Fraction(1, 2)


mixed_loss = statement_in_mean(
    "MX-EQ1",
    InMean(
        "w*sq(ff/w) + (1 - w)*sq(fc/(1 - w)) = w*sq(a) + (1 - w)*sq(b) for 0 < w < 1",
        things="a; b; ff = w*a; fc = (1 - w)*b",
        unfold="ff fc",
        names={
            "w": "w_f",
            "a": r"\nabla\tilde f_f",
            "b": r"\nabla\tilde f_c",
            "ff": r"\nabla f_f",
            "fc": r"\nabla f_c",
        },
    ),
    headline="The weights of the two losses may be absorbed, but the mixed loss does not fix them",
    says=r"f=f_f+f_c,\ f_f=w_f\tilde f_f,\ f_c=w_c\tilde f_c,\ w_c=1-w_f:\quad ",
    group=identity_claim,
    source="eq. (1), footnote 2",
    summary="Weights absorbed into the two losses: Definition 4.2 then takes the mean of the unweighted gradients. "
    "The weights cannot be read off f_f and f_c, so that G and B depend on a choice that f does not fix.",
    false={"gradients divided by the square of their weight": ("sq(ff/w)", "sq(ff/w**2)")},
)


Z = {"z": 1}


plain_mean = displayed(
    "MX-EQ2.1",
    lambda examples: Derivation("Mixed FL, equation (2), the server's average"),
    "mean(pg, k)/p = mean(g, k)",
    headline="The server aims at the plain mean of the clients if all use equally many examples",
    names={"mean(pg, k)/p": r"\frac{\sum_ip_i\nabla f_i}{\sum_ip_i}", "mean(g, k)": r"\nabla\tfrac1N\sum_if_i"},
    lines="axes k; p > 0; own > 0 over k; z over nothing; g over k; pg over k = {examples}*g",
    instance=lambda examples: {"own": {0: 1, 1: 3}},
    says=r"p_i=p:\quad ",
    group=definition_claim,
    method="A common factor.",
    valid_for="all N, all client losses",
    source="eq. (2) with Algorithm 1",
    summary="The server's average in the algorithms has the numbers of examples p_i as weights: what it aims at is the plain mean "
    "over the clients when all of them use equally many examples.",
    printed=dict(examples="p"),
    false={"numbers of examples 1 and 3": dict(examples="own")},
)


def batch(scheme: str) -> Derivation:
    """Losses (or gradients) of the n examples, and their average over a batch of ``size``; of blocks no law is known."""
    d = Derivation(f"Mixed FL, batches {scheme}")
    declare(d, "axes k S; n >= 2; 1 <= size <= n; z over nothing; f over k")
    if scheme == "blocks":
        d.vector("fB", "S")
    else:
        d.cohort("fB", "f", "k", "S", scheme, "size", **({"count": "n"} if scheme == "without replacement" else {}))
    return d


def drawn(scheme: str) -> FiniteInstance:
    """Examples 0, 1, 5 in batches of two, or the blocks 0, 1 and 5."""
    values, third = (ZERO, ONE, Fraction(5)), Fraction(1, 3)
    batches = {"without replacement": list(combinations(range(3), 2)), "blocks": [(0, 1), (2,)]}
    places = batches.get(scheme) or list(product(range(3), repeat=2))
    given = {"f": lambda p: (values[p["k"]],)}
    if scheme == "blocks":
        given["fB"] = lambda p: (sum((values[i] for i in p["S"]), ZERO) / len(p["S"]),)
    axes = {"k": dict.fromkeys(range(3), third), "S": dict.fromkeys(places, Fraction(1, len(places)))}
    return constants(Z, {"n": 3, "size": 2}, axes=axes, given=given)


client_batches = [
    displayed(
        f"{row}[{scheme}]",
        batch,
        "mean(fB, S) = mean(f, k)",
        names={
            "mean(fB, S)": rf"\mathbb{{E}}_{{\mathcal{{B}}}}[f_{index}(x;\mathcal{{B}})]",
            "mean(f, k)": rf"f_{index}(x)",
        },
        instance=drawn,
        at="examples 0, 1, 5, batches of two (or the blocks 0, 1 and 5)",
        group=definition_claim,
        method="The law of the draw: every example is in as many batches; the same for values and gradients.",
        valid_for=f"all n >= 2, 1 <= m <= n, batches of m of n examples drawn {scheme}",
        source=place,
        printed=dict(scheme=scheme),
        headline=f"{batches} drawn {scheme} has the right mean loss and gradient",
        summary=f"A uniform batch drawn {scheme} has the loss and the gradient of all {whose} examples as its mean.",
        false={"blocks of an epoch, the last one smaller, all equally likely": dict(scheme="blocks")},
    )
    for row, place, index, whose, batches in (
        ("MX-EQ2.2", "eq. (2)", "i", "the client's", "A client's batch"),
        ("MX-EQ3", "eq. (3)", "c", "the centre's", "A central batch"),
    )
    for scheme in ("without replacement", "with replacement")
]


def law_of_two(data: str) -> FiniteInstance:
    """Gradients 1 and -1 at x = 1; all data sets of two examples; a client's batch of one, from the law or always the same."""
    fair = {0: HALF, 1: HALF}
    sign: dict[int, Fraction] = {0: ONE, 1: -ONE}
    return constants(
        Z,
        {"size": 2},
        axes={"i": fair, "k": fair, "xi": fair, "S": {pair: Fraction(1, 4) for pair in product((0, 1), repeat=2)}},
        given={
            "g": lambda p: (sign[p["k"]],),
            "own": lambda p: (sign[p["i"]],),
            "gB": lambda p: (sign[p["xi" if data == "fresh" else "i"]],),
            "gD": lambda p: (sum((sign[one] for one in p["S"]), ZERO) / 2,),
        },
    )


def clients_draw(data: str) -> Derivation:
    """Gradients g of the examples of a law, whose mean is ``law``: of clients' batches, drawn anew or from their own data set.

    ``gD`` is the mean over ``size`` examples that are drawn from the law once.
    """
    d = Derivation("Mixed FL, Assumption 4.1")
    declare(d, "axes i:clients k S xi; size >= 1; z over nothing; g over k; own over i")
    mean = {"fresh": "mean(g, k)", "fixed": "own"}[data]
    d.vector("gB", "i xi", mean=[["xi", mean, "every batch is new, from one law" if data == "fresh" else "own data"]])
    d.cohort("gD", "g", "k", "S", "with replacement", "size")
    return d


homogeneous = displayed(
    "MX-ASM41",
    clients_draw,
    "mean(gB, xi) = mean(gB, i, xi); sq(gD - mean(g, k)) = sq(g - mean(g, k))/size",
    prose="a batch of new examples of the law has the law's mean gradient (the hypothesis 'every batch is new, from "
    "one law')",
    over="k S",
    given=[{}, {"facts": {"gD": "-1"}}],
    headline="Fresh examples from one law make clients alike; data sets drawn once do not",
    names={
        "mean(gB, xi)": r"\mathbb{E}[g_i(x)]",
        "mean(gB, i, xi)": r"\nabla f_f(x)",
        "sq(gD - mean(g, k))": r"\mathbb{E}\Big\|\tfrac1n\sum_{j\le n}\nabla\ell(x;z_j)-\mathbb{E}_z\nabla\ell(x;z)\Big\|^2",
        "sq(g - mean(g, k))": r"\mathbb{E}_z\|\nabla\ell(x;z)-\mathbb{E}_z\nabla\ell(x;z)\|^2",
        "size": "n",
    },
    instance=law_of_two,
    at="losses (x - z)^2/2, z = 0 or 2, at x = 1, data sets of two examples: batches drawn anew (or of a client with z = 0 only "
    "and one with z = 2 only)",
    says=r"\text{new examples of one law in every batch of every client; data sets of }n\text{ examples, drawn once: }",
    group=definition_claim,
    method="The mean gradient is that of the law which the batch is drawn from; the variance of a mean of n independent draws.",
    valid_for="every loss, law, client, x and n",
    source="Assumption 4.1, eq. (4)",
    printed=dict(data="fresh"),
    summary="The formula of the assumption can be met: if every batch has new examples from the common law, all client "
    "gradients have the same mean at every x. It asks for more than data sets of n examples drawn once from one law: their mean "
    "gradients scatter about that of the law, with the variance of one example over n in the mean square.",
    false={
        "finite data sets, drawn once per client from one law": dict(data="fixed"),
        "0.99 of the scatter": ("/size", "*99/(100*size)"),
    },
)


def along_a_line() -> Derivation:
    """Examples with gradients A_j x - b_j at x = t v: a = (A_j - A)v and b = b_j - b, the deviations from their means.

    Av, a: of examples whose Hessians differ along v; w = A v of examples that all have the Hessian A.  ``far`` is a t.
    """
    d = Derivation("Mixed FL, Assumption 4.1, quadratic examples")
    declare(d, "axes k; t, sigma2, b2 >= 0; m > 0; let far = 1 + 2*(sigma2 + b2)/m")
    declare(d, "w; Av, bj over k; a over k = Av - mean(Av, k); b over k = bj - mean(bj, k)")
    for name, number in (("a", "m"), ("b", "b2")):
        granted(d, f"square of {name}", form=f"{number} - sq({name})", over="k", relation="=")
    return d


NOISE = "sq({t}*Av - bj - mean({t}*Av - bj, k))"
bounded_variance = displayed(
    "MX-ASM41-S1",
    along_a_line,
    f"t**2/2*sq(a) - sq(b) <= {NOISE.format(t='t')}; {NOISE.format(t='t')} <= 2*t**2*sq(a) + 2*sq(b); "
    f"{NOISE.format(t='far')} >= sigma2 + m/2; sq(t*w - bj - mean(t*w - bj, k)) = sq(b)",
    over="k",
    given=[
        {"squares": [["1/2", "t*a - 2*b"]]},
        {"squares": [["1", "t*a + b"]]},
        {"squares": [["1/2", "far*a - 2*b"]], "facts": {"square of a": "-far**2/2", "square of b": "1"}},
        {},
    ],
    names={
        "sq(a)": r"\mathbb{E}\|(A_j-\bar A)v\|^2",
        "sq(b)": r"\mathbb{E}\|b_j-\bar b\|^2",
        NOISE.format(t="t"): r"\mathbb{E}\|(A_j-\bar A)tv-(b_j-\bar b)\|^2",
        NOISE.format(t="far"): r"\mathbb{E}\|(A_j-\bar A)t_0v-(b_j-\bar b)\|^2",
        "sq(t*w - bj - mean(t*w - bj, k))": r"\mathbb{E}\|(A-A)tv-(b_j-\bar b)\|^2",
        "sigma2": r"\sigma^2",
    },
    says=r"m=\mathbb{E}\|(A_j-\bar A)v\|^2>0,\ t_0=1+\tfrac2m(\sigma^2+\mathbb{E}\|b_j-\bar b\|^2):\quad ",
    instance=lambda: constants(
        {"w": 3},
        {"t": 10, "m": 1, "b2": Fraction(1, 16), "sigma2": 0},
        axes={"k": {-1: HALF, 1: HALF}},
        given={"Av": lambda p: (Fraction(1 + p["k"]),), "bj": lambda p: (Fraction(p["k"], 4),)},
    ),
    at="curvatures 0 and 2, b_j = -1/4 and 1/4, v = 1, t = 10, sigma = 0",
    group=definition_claim,
    method="Squares, on average over the examples.",
    valid_for="quadratic examples, any dimension and number, all v, t and sigma",
    source="Assumption 4.1, second half",
    headline="For quadratics whose examples differ in their Hessians the noise exceeds every bound",
    summary="The variance at x = t v of quadratic examples grows like t^2 times the mean of |(A_j - A)v|^2: where that is not 0 "
    "for some v, a t is named at which the variance exceeds any given sigma^2; where all examples have the same Hessian the "
    "variance is the same at every x.",
    false={
        "bounded by the second term alone": ("2*t**2*sq(a) + 2*sq(b)", "2*sq(b)"),
        "without the factor 1/2": ("t**2/2*sq(a) - sq(b)", "t**2*sq(a)"),
        "more by m there": ("sigma2 + m/2", "sigma2 + m"),
    },
)


def noisy_steps(noise: str) -> Derivation:
    """Steps on lam |x|^2/2 with noise n, from a law of x that does not shrink; and from xc with an error c that never changes."""
    d = Derivation("Mixed FL, equation (6)")
    declare(d, "axes past xi; lam > 0; 0 < e <= 1/lam; sigma2 >= 0; z over nothing; x over past; c over nothing")
    d.vector("n", "xi", mean=[["xi", "0", UNBIASED]] if noise == "unbiased" else [])
    declare(d, "x1 over past xi = x - e*(lam*x + n); xc = -c/lam; xc1 = xc - e*(lam*xc + c)")
    granted(d, "stationary", form="sq(x1) - sq(x)", over="past xi")
    granted(d, "bounded variance", noise="n", sigma2="sigma2")
    granted(d, "squared gradient", name="size of the constant error", G2="sigma2", gradient="c")
    return d


def steps_at_rest(noise: str) -> FiniteInstance:
    """lam = 2: x = +-1/2 with n = +-1 and e = 1/2, or x = 1/2 with n = -1 and e = 1/4."""
    fair, biased = {-1: HALF, 1: HALF}, noise == "biased"
    return constants(
        {"z": 1, "c": -1},
        {"lam": 2, "sigma2": 1, "e": Fraction(1, 4) if biased else HALF},
        axes={"past": fair, "xi": fair},
        given={
            "x": lambda p: (HALF if biased else HALF * p["past"],),
            "n": lambda p: (-ONE if biased else Fraction(p["xi"]),),
        },
    )


noise_unbiased = displayed(
    "MX-EQ6",
    noisy_steps,
    "lam/2*sq(x) <= e*sigma2/2; xc1 = xc; lam/2*sq(xc) = sigma2/(2*lam)",
    over="past xi",
    given=[
        {"facts": {"stationary": "1/(2*e*(2 - e*lam))", "bounded variance": "e/(2*(2 - e*lam))"}},
        {},
        {"facts": {"size of the constant error": "1/(2*lam)"}},
    ],
    names={
        "sq(x)": r"\mathbb{E}\|x^{(t)}\|^2",
        "lam": r"\lambda",
        "e": r"\tilde\eta",
        "sigma2": r"\sigma_c^2",
        "xc": r"\bar x^{(t)}",
        "xc1": r"\bar x^{(t+1)}",
        "sq(xc)": r"\|\bar x^{(t)}\|^2",
    },
    instance=steps_at_rest,
    at="lambda = 2, sigma_c = 1: x = 1/2 or -1/2, n = 1 or -1, step 1/2 (x = 1/2, n = -1, step 1/4)",
    says=r"x^{(t+1)}=x^{(t)}-\tilde\eta(\lambda x^{(t)}+n),\ \mathbb{E}\,n=0,\ \mathbb{E}\|n\|^2\le\sigma_c^2,\ "
    r"\mathbb{E}\|x^{(t+1)}\|^2\ge\mathbb{E}\|x^{(t)}\|^2;\quad "
    r"\bar x^{(t)}=-c/\lambda,\ \bar x^{(t+1)}=\bar x^{(t)}-\tilde\eta(\lambda\bar x^{(t)}+c),\ \|c\|=\sigma_c:\quad ",
    group=definition_of_an_instance,
    method="The square of a step, on average over its noise; a step from the point where an unchanging error cancels the gradient.",
    valid_for="0 < etat <= 1/lambda, every law of unbiased noise, any dimension",
    source="eq. (6) with eq. (3)",
    printed=dict(noise="unbiased"),
    headline="On a parabola unbiased central batches leave an error that vanishes with the step",
    summary="With a central gradient that is unbiased and 0 < etat <= 1/lambda, the error floor of 1-way GT with K = 1 "
    "on f = lambda |x|^2/2 (what a law of the model that does not shrink leaves) is at most etat sigma_c^2/2, "
    "which vanishes with the step. Equation (6) alone admits an error of size sigma_c that never changes, with "
    "which it can rest where f is sigma_c^2/(2 lambda), at every such step.",
    false={
        "0.49 of the variance": ("e*sigma2/2", "49/100*e*sigma2"),
        "constant error of the same size": dict(noise="biased"),
        "half of what the constant error leaves": ("sigma2/(2*lam)", "sigma2/(4*lam)"),
    },
)

if __name__ == "__main__":
    run_script(__file__)
