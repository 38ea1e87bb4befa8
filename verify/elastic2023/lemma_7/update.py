"""The update of a round, (14) and (18), the drift, and the stochastic gradients they are made of, (2) and A3."""

from collections.abc import Iterator
from fractions import Fraction
from functools import partial

import sympy as sp

from fltheory.evidence.algebra import statement_in_mean, statement_of_algebra
from fltheory.evidence.derive import by_derivation
from fltheory.evidence.ends import by_witness
from fltheory.evidence.in_mean import InMean, use
from fltheory.evidence.kinds import algebra_claim, definition_claim, expectation_claim, identity_claim, run_script
from fltheory.evidence.model import Control, Evidence, Unprinted
from fltheory.evidence.relations import Relations
from fltheory.evidence.tight import attained
from fltheory.evidence.witness import Side, Witness
from fltheory.theory.steps import Instance, equality
from verify.elastic2023.derivations import lemma_7 as derived
from verify.elastic2023.derivations import local_runs
from verify.elastic2023.lemma_7.proof_steps import taken
from verify.elastic2023.lemma_7.rounds import ONE, CohortRound, opposed, rounds, sampled

Q = Fraction
_NAMES = {
    "k": r"\tfrac1S\sum_i",
    "eta_g": r"\eta_g",
    "eta_l": r"\eta_l",
    "phi": r"\phi",
    "x1": "x^r",
    "x": "x^{r-1}",
    "y": "y_{i,K}^r",
}
_RATES = "for phi > 0; eta_g > 0"

update = statement_in_mean(
    "EL-EQ14",
    InMean(
        f"sq(x1 - (x + phi*eta_g*mean(y - x, k))) = 0 {_RATES}",
        things="x; y over k; delta over k = y - x; step = mean(delta, k); x1 = x + phi*eta_g*step",
        over="k",
        unfold="x1 step delta",
        names=_NAMES,
    ),
    false={
        "phi left out": ("phi*eta_g*mean(y", "eta_g*mean(y"),
        "the other sign": ("mean(y - x, k)", "mean(x - y, k)"),
    },
    group=definition_claim,
    source="(14), Algorithm 3",
    headline="The printed update of a round is what its algorithm does, for any cohort",
    summary="Algorithm 3 averages the moves of the sampled clients and multiplies by phi eta_g, which is (14). "
    "The output is one of the R + 1 models from x^0 to x^R with probability in proportion to its weight.",
)

in_gradients = statement_in_mean(
    "EL-EQ18.1",
    InMean(
        f"sq(x1 - x + phi*eta_g*K*eta_l*mean(g, k, j)) = 0 {_RATES}; eta_l > 0; K >= 1",
        things="x; g over k j; y over k = x - eta_l*K*mean(g, j); x1 = x + phi*eta_g*mean(y - x, k)",
        over="k j",
        unfold="x1 y",
        names={**_NAMES, "j": r"\tfrac1K\sum_k", "g": "g_i(y_{i,k-1})"},
    ),
    false={"one local step for K": ("phi*eta_g*K*eta_l", "phi*eta_g*eta_l")},
    group=identity_claim,
    source="(18), first line",
    headline="The server's update is the effective step times the mean of all stochastic gradients",
    summary="With the effective step K phi eta_g eta_l the move of the model is minus that step times the mean of the "
    "gradients of all local steps of the cohort.",
)

_OF_THE_COHORT = "phi is the mean of the phi_i of the cohort (Algorithm 3)"


@expectation_claim(
    "EL-EQ18.2",
    source="(18), second line",
    statement=r"\mathbb{E}[\Delta x]=-\tfrac{\tilde\eta}{KN}\sum_{k,i}\mathbb{E}\,\nabla f_i(y_{i,k-1})",
    unprinted=Unprinted("phi does not depend on which clients are drawn", _OF_THE_COHORT),
    headline="The expected update has all clients' gradients, if the elastic factor ignores the cohort",
    summary="The expected update has the exact gradients of all clients at their local points, for a uniform cohort and one "
    "factor phi for every cohort. Algorithm 3 averages phi over the sampled clients: then clients with a large phi_i count "
    "more.",
    printed=dict(factor="1", sampled=False),
    controls=[Control(_OF_THE_COHORT, dict(sampled=True)), Control("e times 0.99", dict(factor="99/100"))],
)
def expected(factor: str, sampled: bool) -> Evidence:
    """The means of the noise and of the cohort, along every vector; ``sampled``: phi varies with the clients."""

    def instances() -> Iterator[Instance]:
        for item in some_rounds():
            right = -Q(factor) * item.effective * item.average(taken(item))
            yield equality(str(item), item.moved()[0], right)
        if sampled:
            item = CohortRound(opposed(Q(0), ONE), ONE, 1, 1, Q(1, 16), G2=ONE)
            phis = (Q(1, 2), Q(3, 2))  # of mean 1: e is that of the mean
            slopes = [loss.gradient(item.point) for loss in item.losses]
            left = -item.effective * sum(phi * g for phi, g in zip(phis, slopes, strict=True)) / 2
            yield equality(f"{item}, phi_1 = 1/2, phi_2 = 3/2", left, -item.effective * item.average(taken(item)))

    scripts = {
        name: partial(derived.expansion, rate=factor, everyone=everyone, sampled=sampled)
        for name, everyone in derived.SCHEMES.items()
    }
    return by_derivation(
        scripts,
        instances,
        method="Means of the noise and of a cohort drawn without replacement, along any vector.",
        valid_for="every N >= 1, cohort, K >= 1, dimension, all noise laws",
    )


def some_rounds() -> list[CohortRound]:
    """Rounds of all families."""
    return sampled(rounds(), 11)


@identity_claim(
    "EL-ER.1",
    source="Lemma 7, definition of the drift",
    statement=r"K\,\mathcal{E}_r=K\,\mathcal{E}_r^-+\tfrac1N\sum_i\mathbb{E}\|y_{i,K}-x\|^2\ge K\,\mathcal{E}_r^-,\quad"
    r"\mathcal{E}_r^-=\tfrac1{KN}\sum_{k=1}^K\sum_i\mathbb{E}\|y_{i,k-1}-x\|^2",
    headline="The drift as defined has the last local point in it, where no gradient is taken",
    summary="The drift is defined over the points after the K steps; gradients are taken at those before. The drift as defined "
    "is larger by the last point, so that every bound with the other drift holds with it too.",
    printed=dict(extra="1"),
    controls=[Control("0.99 of the last point", dict(extra="99/100"))],
)
def both_drifts(extra: str) -> Evidence:
    def instances() -> Iterator[Instance]:
        for item in some_rounds():
            values = item.values()
            end = item.average(lambda _, points: (points[-1] - points[0]) ** 2)
            left, right = (item.steps * Q(values[sp.Symbol(name)]) for name in ("E", "E_taken"))
            yield equality(str(item), left, right + Q(extra) * end)

    return by_derivation(
        partial(local_runs.drift_of_the_points, extra),
        instances,
        method="The differences of the mean square distances are summed over the steps.",
        valid_for="every K >= 1, all runs that start at x",
    )


of_one_step = definition_claim.sharing(source="proof of Lemma 8, first line")
_AT_ONE = r"K=1:\quad\mathcal{E}_r=\tfrac1N\sum_i\mathbb{E}\|{}-x\|^2=0"


@of_one_step(
    "EL-ER.2[drift as defined]",
    statement=_AT_ONE.replace("{}", "y_{i,1}"),
    fault="slip",
    repair="EL-ER.2[drift where gradients are taken]",
    headline="With one local step the drift as it is defined is not zero",
    summary="As defined the drift of a single step is |y_1 - x|^2, which is not 0: the proof of Lemma 8 means the points where "
    "gradients are taken. Lemma 8 itself is true for K = 1 with the drift as defined (EL-LEM8).",
    printed=dict(last=1),
    controls=[Control("the point before the step", dict(last=0), must="pass")],
)
def one_step(last: int) -> Evidence:
    """f_i = x^2/2, from x = 1."""
    x, eta = sp.symbols("x eta")
    drift = (x - eta * x - x) ** 2 if last else (x - x) ** 2
    given = [(eta, ">", 0), (eta, "<=", sp.Rational(1, 16))]
    return by_witness(
        Witness(
            {x: 1, eta: Q(1, 16)}, Side("drift", drift), "=", 0, given, "f_i = x^2/2, K = 1, phi eta_g = B = beta = 1"
        )
    )


at_the_start = statement_in_mean(
    "EL-ER.2[drift where gradients are taken]",
    InMean(
        "sq(y - x) = 0 for eta_l > 0",
        things="x; g over k; y over k = x",
        over="k",
        unfold="y",
        names={"k": "i", "y": "y_{i,0}", "eta_l": r"\eta_l"},
    ),
    false={"after the step": ("sq(y - x)", "sq(y - eta_l*g - x)")},
    group=of_one_step,
    says=r"K=1,\ \mathcal{E}_r^-:\ ",
    headline="With one local step the drift of the points where gradients are taken is zero",
    summary="The only gradient of a single step is taken at x itself.",
)

unbiased = statement_in_mean(
    "EL-EQ2",
    InMean(
        "dot(u, g) = dot(u, mean(g_x, k))",
        things="u; x; function f over k; f at x; g over k xi, mean g_x over xi",
        over="k xi",
        names={"k": r"\tfrac1N\sum_i", "g": r"\nabla f_i(x;\zeta_i)", "g_x": r"\nabla f_i(x)"},
    ),
    without={"biased samples": "mean of g"},
    group=definition_claim,
    source="(2)",
    says=r"f=\tfrac1N\sum_if_i,\ f_i=\mathbb{E}_{\zeta_i}f_i(\cdot;\zeta_i):\ ",
    headline="Sampled gradients, averaged over clients, aim at the gradient of the mean loss",
    summary="The objective is the plain mean of the clients' expected losses: along any vector the mean of their sampled "
    "gradients is, on average, the gradient of the objective.",
)

of_a3 = expectation_claim.sharing(source="A3, (5)")
second_moment = statement_in_mean(
    "EL-A3.1",
    InMean(
        "sq(g_x + n) <= sq(g_x) + s for s >= 0",
        things="x; function f over k; f at x; n over k xi, mean 0 over xi",
        over="xi",
        uses=[use("bounded variance", noise="n", sigma2="s")],
        names={"g_x": r"\nabla f_i(x)", "n": r"(g_i(x)-\nabla f_i(x))", "s": r"\sigma^2"},
    ),
    false={"0.99 of the variance": ("+ s", "+ 99/100*s")},
    without={"biased": "mean of n"},
    group=of_a3,
    headline="Unbiased sampled gradients of bounded variance: their second moment",
    summary="For every client the second moment of a sampled gradient is that of the exact one and at most sigma^2 more.",
    tightness=attained("an equality where the variance is sigma^2"),
)
across = statement_of_algebra(
    "EL-A3.2",
    Relations("(a**2 + (-a)**2)/2 - ((a - a)/2)**2 = a**2 for a >= 0"),
    false={"half of it": ("= a**2 for", "= a**2/2 for")},
    group=algebra_claim,
    source="A3, remark",
    says=r"\sigma=0,\ f_1=ax,\ f_2=-ax:\ ",
    headline="Bounded sampling variance says nothing of how much clients differ",
    summary="Without any noise the gradients of two clients may differ as much as one likes: a x and -a x have variance a^2 "
    "across the clients.",
)


if __name__ == "__main__":
    run_script(__file__)
