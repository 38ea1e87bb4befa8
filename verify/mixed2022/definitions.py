"""Equations (1)-(4) and (6) of Augenstein et al. (2022): the mixed loss, its batches, and what is assumed of gradients."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations, product

from fltheory.derivation.script import Derivation
from fltheory.derivation.witness import FiniteInstance
from fltheory.evidence.algebra import statement_in_mean
from fltheory.evidence.in_mean import InMean, use
from fltheory.evidence.kinds import definition_claim, definition_of_an_instance, identity_claim, run_script
from verify.mixed2022.displays import constants, displayed

ONE, ZERO, HALF = Fraction(1), Fraction(0), Fraction(1, 2)


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


Z = {"z": 1}


def weighted(weights: str) -> Derivation:
    """Gradients of the clients, times numbers of examples with the mean p: the same for all, or their own."""
    d = Derivation("Mixed FL, equation (2), the server's average")
    d.axis("k", "clients")
    d.parameter("p", 0, low_open=True)
    d.parameter("own", 0, low_open=True, varies=["k"])
    for name, axes in (("z", ""), ("g", "k")):
        d.vector(name, axes)
    d.vector("pg", "k", equals="p*g" if weights == "equal" else "own*g")
    return d


plain_mean = displayed(
    "MX-EQ2.1",
    weighted,
    "mean(pg, k)/p = mean(g, k)",
    prose="for unequal numbers of examples the average is the p-weighted mean by its definition in Algorithm 1",
    headline="The server aims at the plain mean of the clients if all use equally many examples",
    names={"mean(pg, k)/p": r"\frac{\sum_ip_i\nabla f_i}{\sum_ip_i}", "mean(g, k)": r"\nabla\tfrac1N\sum_if_i"},
    instance=lambda weights: constants(
        Z,
        {"p": 2},
        axes={"k": {0: HALF, 1: HALF}},
        given={"g": lambda p: (ONE - p["k"],), "own": lambda p: Fraction(1 + 2 * p["k"])},
    ),
    at="grad f_1 = 1, grad f_2 = 0, 2 examples of each client (or 1 and 3)",
    says=r"p_i=p:\quad ",
    group=definition_claim,
    method="A common factor.",
    valid_for="all N, all client losses",
    source="eq. (2) with Algorithm 1",
    summary="The plain mean over the clients is what the server's average of the algorithms aims at when all clients "
    "use equally many examples; with their weights p_i (numbers of examples) it is the p-weighted mean otherwise.",
    printed=dict(weights="equal"),
    false={"numbers of examples 1 and 3": dict(weights="examples")},
)


def batch(scheme: str) -> Derivation:
    """Losses (or gradients) of the n examples, and their average over a batch of ``size``; of blocks no law is known."""
    d = Derivation(f"Mixed FL, batches {scheme}")
    d.axis("k", "clients")
    d.axis("S", "cohort")
    d.parameter("n", 2)
    d.parameter("size", 1, "n")
    for name, axes in (("z", ""), ("f", "k")):
        d.vector(name, axes)
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


def clients_draw(data: str) -> Derivation:
    """Gradients of the clients' batches: fresh ones have a mean that is the same for all, fixed data sets their own."""
    d = Derivation("Mixed FL, Assumption 4.1")
    d.axis("k", "clients")
    d.axis("xi", "noise")
    for name, axes in (("z", ""), ("law", ""), ("own", "k")):
        d.vector(name, axes)
    mean = {"fresh": "law", "fixed": "own"}[data]
    d.vector("g", "k xi", mean=[["xi", mean, "every batch is new, from one law" if data == "fresh" else "own data"]])
    return d


homogeneous = displayed(
    "MX-ASM41",
    clients_draw,
    "mean(g, xi) = mean(g, k, xi)",
    prose="that finite data sets drawn once differ in their means is the false variant's instance; equal "
    "gradients everywhere make the f_i equal up to constants",
    headline="Fresh examples from one law make clients alike; finite data sets do not",
    names={"mean(g, xi)": r"\mathbb{E}[g_i(x)]", "mean(g, k, xi)": r"\nabla f_f(x)"},
    instance=lambda data: constants(
        Z,
        axes={"k": {0: HALF, 1: HALF}, "xi": {0: HALF, 1: HALF}},
        given={
            "law": lambda p: (ZERO,),
            "own": lambda p: (ONE - 2 * p["k"],),
            "g": lambda p: (ONE - 2 * p["xi" if data == "fresh" else "k"],),
        },
    ),
    at="losses (x - z)^2/2, z = 0 or 2, at x = 1: drawn anew (or client 1 has drawn 0 and client 2 has drawn 2)",
    says=r"\text{new examples of one law in every batch of every client: }",
    group=definition_claim,
    method="The mean gradient is that of the law which the batch is drawn from; means of equal means.",
    valid_for="every loss, law, client and x",
    source="Assumption 4.1, eq. (4)",
    printed=dict(data="fresh"),
    summary="The formula of the assumption can be met: if every batch has new examples from the common law, all client "
    "gradients have the same mean at every x, and the f_i differ by constants only. It asks for more than data sets "
    "that were drawn once from one law: the means over finite data sets differ between clients.",
    false={"finite data sets, drawn once per client from one law": dict(data="fixed")},
)


def along_a_line() -> Derivation:
    """Examples with gradients A_j x - b_j at x = t v: a = (A_j - A)v and b = b_j - b, the deviations from their means."""
    d = Derivation("Mixed FL, Assumption 4.1, quadratic examples")
    d.axis("k", "clients")
    d.parameter("t", 0)
    for name in ("Av", "bj"):
        d.vector(name, "k")
    for name, whole in (("a", "Av"), ("b", "bj")):
        d.vector(name, "k", equals=f"{whole} - mean({whole}, k)")
    return d


bounded_variance = displayed(
    "MX-ASM41-S1",
    along_a_line,
    "t**2/2*sq(a) - sq(b) <= sq(t*Av - bj - mean(t*Av - bj, k)); "
    "sq(t*Av - bj - mean(t*Av - bj, k)) <= 2*t**2*sq(a) + 2*sq(b)",
    prose="no bound for all t unless the first term is 0, for every v; then all A_j v are equal, and the "
    "second display bounds the noise",
    over="k",
    given=[{"squares": [["1/2", "t*a - 2*b"]]}, {"squares": [["1", "t*a + b"]]}],
    names={
        "sq(a)": r"\mathbb{E}\|(A_j-\bar A)v\|^2",
        "sq(b)": r"\mathbb{E}\|b_j-\bar b\|^2",
        "sq(t*Av - bj - mean(t*Av - bj, k))": r"\mathbb{E}\|(A_j-\bar A)tv-(b_j-\bar b)\|^2",
    },
    instance=lambda: constants(
        {},
        {"t": 10},
        axes={"k": {-1: HALF, 1: HALF}},
        given={"Av": lambda p: (Fraction(1 + p["k"]),), "bj": lambda p: (Fraction(p["k"]),)},
    ),
    at="curvatures 0 and 2, b_j = -1 and 1, v = 1, t = 10",
    group=definition_claim,
    method="Squares, on average over the examples.",
    valid_for="quadratic examples, any dimension and number, all v and t",
    source="Assumption 4.1, second half",
    headline="Noise bounded everywhere means, for quadratics, that all examples share a Hessian",
    summary="The variance at x = t v of quadratic examples grows like t^2 times the mean of |(A_j - A)v|^2: a bound sigma^2 for "
    "all x exists exactly when all examples have the same Hessian (not for least squares with different features).",
    false={
        "bounded by the second term alone": ("2*t**2*sq(a) + 2*sq(b)", "2*sq(b)"),
        "without the factor 1/2": ("t**2/2*sq(a) - sq(b)", "t**2*sq(a)"),
    },
)
noise_unbiased = statement_in_mean(
    "MX-EQ6",
    InMean(
        "lam/2*sq(x) <= e*sigma2/2 for lam > 0; 0 < e <= 1/lam; sigma2 >= 0",
        things="x over past; n over xi, mean 0 over xi; x1 over past xi = x - e*(lam*x + n)",
        over="past xi",
        uses=[
            use("stationary", form="sq(x1) - sq(x)", over="past xi", times="1/(2*e*(2 - e*lam))"),
            use("bounded variance", times="e/(2*(2 - e*lam))", noise="n", sigma2="sigma2"),
        ],
        unfold="x1",
        names={"lam": r"\lambda", "e": r"\tilde\eta", "sigma2": r"\sigma_c^2", "x": "x^{(t)}"},
    ),
    prose="that a constant error leaves sigma_c^2/(2 lambda) is the fixed point of x - e(lambda x + n) "
    "with constant n, not in the derivation",
    headline="With unbiased central batches the error left by 1-way transfer vanishes with the step",
    says=r"x^{(t+1)}=x^{(t)}-\tilde\eta(\lambda x^{(t)}+n),\ \mathbb{E}\|x^{(t+1)}\|^2\ge\mathbb{E}\|x^{(t)}\|^2:\quad ",
    group=definition_of_an_instance,
    source="eq. (6) with eq. (3)",
    summary="With a central gradient that is unbiased, which random batches of equation (3) give, the error floor of 1-way GT "
    "with K = 1 on f = lambda |x|^2/2 (what its stationary law leaves) vanishes with the step. Equation (6) alone would admit a "
    "constant error, which leaves sigma_c^2/(2 lambda) at every step.",
    false={"0.49 of the variance": ("e*sigma2/2", "49/100*e*sigma2")},
    without={"constant error of the same size": "mean of n"},
)

if __name__ == "__main__":
    run_script(__file__)
