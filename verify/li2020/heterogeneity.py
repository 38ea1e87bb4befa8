"""Gamma of Li et al. (2020): sign, when it vanishes, and how it shrinks with the sample size (Section 3.1, Lemma 1)."""

from fractions import Fraction
from typing import Any

import sympy as sp

from fltheory.evidence.algebra import by_relations, statement_in_mean, statement_of_algebra
from fltheory.evidence.decide import Tried
from fltheory.evidence.derive import by_derivation
from fltheory.evidence.ends import tried
from fltheory.evidence.in_mean import InMean, use
from fltheory.evidence.in_mean_instances import broken
from fltheory.evidence.kinds import asymptotic_claim, identity_claim, inequality_claim, qualitative_claim, run_script
from fltheory.evidence.matrices import Matrices
from fltheory.evidence.model import Control, Evidence, Rung, Tightness, Unprinted
from fltheory.evidence.relations import Relations
from fltheory.evidence.witness import Side, Witness
from verify.li2020.derivations import clients

_GAMMA = InMean(
    "f_wstar - f_inf >= 0",
    things="function F over k; value f_inf over k; wstar; F at wstar",
    over="k",
    uses=[use("infimum", "wstar", of="F", f_inf="f_inf")],
    names={"wstar": "w^*", "f_inf": "F_k^*"},
)


def _by_instance(stated: InMean, instance: Witness, *beside: InMean, **words: Any) -> Evidence:
    """Derived, or broken by an instance in which w* is the minimiser and all hypotheses hold everywhere."""
    found = Tried(*broken(stated, 40)) if stated.proof[0] else tried(instance)
    return by_derivation([one.derived for one in (stated, *beside)], found, **words)


@inequality_claim(
    "LI-GAM0",
    headline="The measure of heterogeneity Gamma is never negative",
    statement=(r"\Gamma=F(w^*)-\sum_kp_kF_k^*=", _GAMMA),
    summary="Gamma is nonnegative: a weighted mean of values is at least the weighted mean of the minima.",
    source="Section 3.1, Lemma 1",
    printed=dict(least="0"),
    controls=[Control("claim Gamma >= 1/100 instead of 0", dict(least="1/100"))],
)
def gamma_nonnegative(least: str) -> Evidence:
    """Gamma is the mean of F_k(w*) - F_k*."""
    wstar = sp.Symbol("w_star")
    return _by_instance(
        _GAMMA.changed(">= 0", f">= {least}"),
        Witness({wstar: 0}, Side("Gamma", wstar**2 / 2), ">=", sp.Rational(least), (), "F_1 = F_2 = w^2/2"),
        valid_for="all N, p, F_k bounded below with F attaining its minimum",
        tightness=Tightness(1.0, Rung.EXACT, "Gamma = 0 for identical clients"),
    )


@asymptotic_claim(
    "LI-GAMIID",
    headline="With i.i.d. data the heterogeneity Gamma vanishes as the data grow",
    statement=r"\mathbb{E}\,\Gamma \le \sum_k p_k \frac{s^2}{2\mu n_k} \to 0 \quad (n_k\to\infty),\ "
    r"s^2 = \mathbb{E}\|\nabla\ell(w_0;x)\|^2,\ w_0=\arg\min \mathbb{E}\,\ell(\cdot;x)",
    summary="i.i.d. data: Gamma goes to zero as the numbers of samples grow (at rate 1/n, for strongly convex local "
    "risks and a finite second moment of the gradient at the population minimiser).",
    source="Section 3.1",
    assumptions=["F_k mu-strongly convex", "samples i.i.d. from one distribution", "E|grad l(w_0;x)|^2 finite"],
    printed=dict(constant=Fraction(1, 2)),
    controls=[Control("constant 1/2 -> 0.99/2 (attained as N grows)", dict(constant=Fraction(99, 200)))],
)
def gamma_iid(constant: Fraction) -> Evidence:
    """F_k(w0) - F_k* <= c |g|^2/mu with g = grad F_k(w0), by strong convexity between w0 and w_k*; E|g|^2 = s^2/n_k."""
    # n_k = 1, l = (w - x)^2/2, x = +-1 with equal probability, p = 1/N: Gamma = (mean of x^2 - square of the mean)/2.
    count = 101
    expected = (1 - Fraction(1, count)) / 2
    text = f"N={count}, n_k=1, l=(w-x)^2/2, x=+-1: E Gamma = {expected} > {constant}"
    return by_derivation(
        lambda: clients.gamma_of_samples(f"({constant})"),
        Tried(1, text, float(constant / expected - 1)) if expected > constant else Tried(2),
        prose="a mean gradient of n_k independent samples has the second moment s^2/n_k, a hypothesis of the derivation",
        method="Gamma = F(w*) - sum p_k F_k* <= sum p_k (F_k(w_0) - F_k*) since w* minimises F; strong convexity gives "
        "F_k(w_0) - F_k* <= |grad F_k(w_0)|^2/(2 mu); for i.i.d. samples the mean gradient at w_0 has second moment "
        "s^2/n_k; with n_k >= M for all clients the bound is at most s^2/(2 mu M).",
        valid_for="all N, p, d; rate 1/n in expectation",
        tightness=Tightness(1.0, Rung.EXACT, "attained as N grows by l = (w-x)^2/2, x = +-1, n_k = 1"),
    )


@qualitative_claim(
    "LI-GAMNON",
    fault="substance",
    statement=r"\mathcal{D}_k\ \text{not all equal} \Rightarrow \Gamma \ne 0",
    headline="Non-i.i.d. data can have heterogeneity zero: clients may share their minimiser",
    summary="Non-i.i.d. data would make Gamma nonzero. It need not: clients may differ and share their minimiser.",
    source="Section 3.1",
    repair="LI-GAMNON-R1",
    printed=dict(require_distinct_minimisers=False),
    controls=[Control("also require the minimisers to differ", dict(require_distinct_minimisers=True), must="pass")],
)
def gamma_noniid(require_distinct_minimisers: bool) -> Evidence:
    """Two parabolas of equal weight and the minimiser w of their mean."""
    differ = "(m_1 - m_2)**2 > 0" if require_distinct_minimisers else "(a_1 - a_2)**2 + (m_1 - m_2)**2 > 0"
    stated = Relations(
        "Gamma > 0 for a_1 > 0; a_2 > 0; w = (a_1*m_1 + a_2*m_2)/(a_1 + a_2); "
        f"Gamma = a_1/4*(w - m_1)**2 + a_2/4*(w - m_2)**2; {differ}",
        uses={0: {differ: "a_1*a_2/(4*(a_1 + a_2))"}} if require_distinct_minimisers else {},
    )
    words = "Two clients with one data point each, squared loss: F_k = a_k/2 (w - m_k)^2 with equal weights."
    return by_relations(stated, method=words, valid_for="")


#: F_k between two parabolas at its minimiser w_k*, where its gradient is zero.
_AT_MINIMISERS = {
    "things": "function F over k; wstar; best over k; F at wstar; F at best = 0*best",
    "over": "k",
    "names": {"wstar": "w^*", "best": "w_k^*"},
}
_ABOVE = InMean(
    "mu/2*sq(wstar - best) <= f_wstar - f_best for mu > 0",
    uses=[use("strongly convex", "best wstar", of="F", mu="mu")],
    **_AT_MINIMISERS,
)
_BELOW = InMean(
    "f_wstar - f_best <= L/2*sq(wstar - best) for L > 0",
    uses=[use("smooth", "best wstar", of="F", L="L")],
    **_AT_MINIMISERS,
)


@inequality_claim(
    "LI-GAMNON-R1",
    headline="Gamma measures how far the clients' minimisers lie from the global one, for any data",
    statement=(r"\Gamma=F(w^*)-\sum_kp_kF_k(w_k^*):\quad ", _ABOVE, r";\quad ", _BELOW),
    summary="Corrected: Gamma lies between mu/2 and L/2 times the mean squared distance of the clients' minimisers from w*, "
    "whatever the distributions.",
    source="repairs Section 3.1",
    printed=dict(factor="mu/2"),
    controls=[Control("constant mu/2 -> 1.01 mu/2 (tight)", dict(factor="101/200*mu"))],
)
def gamma_zero_iff(factor: str) -> Evidence:
    """Both sides, client by client, averaged over k."""
    mu, wstar = sp.symbols("mu w_star")
    spread = (wstar**2 + (wstar - 2) ** 2) / 2
    return _by_instance(
        _ABOVE.changed("mu/2", factor),
        Witness(
            {mu: 1, wstar: 1},
            Side("factor times the mean of |w*-w_k*|^2", sp.sympify(factor, locals={"mu": mu}) * spread),
            "<=",
            Side("Gamma", spread / 2),
            (),
            "F_1 = w^2/2, F_2 = (w-2)^2/2, p = (1/2, 1/2)",
        ),
        _BELOW,
        valid_for="all N, p, d, 0 < mu <= L",
        tightness=Tightness(1.0, Rung.EXACT, "equality for F_k = (mu/2)|w - m_k|^2"),
    )


distance_of_start = statement_in_mean(
    "LI-W0",
    InMean(
        "sq(w - wstar) <= 4*G2/mu**2 for mu > 0; G2 >= 0",
        things="function F; w; wstar; F at w; F at wstar = 0*wstar",
        uses=[
            use("strongly convex", "w wstar", "2/mu", of="F", mu="mu"),
            use("strongly convex", "wstar w", "2/mu", of="F", mu="mu"),
            use("every gradient bounded", times="1/mu**2", G2="G2", gradient="g_w"),
        ],
        squares=[("1/mu**2", "g_w - mu*(w - wstar)")],
        names={"w": "w_0", "wstar": "w^*", "G2": "G^2"},
    ),
    false={"constant 4 -> 0.99 (tight: 1)": ("4*G2", "99/100*G2")},
    without={"A4 from t = 1 on, run from t = 0": "every gradient bounded"},
    unprinted=Unprinted("A4 at t = 0 as well, where the run starts", "A4 from t = 1 on, run from t = 0"),
    group=inequality_claim,
    headline="How far the start can be from the minimiser if its gradient is bounded",
    summary="Distance of the start from the optimum, if the gradient at the start has norm at most G; 1 does for 4.",
    source="Section 3.4",
    assumptions=["F mu-strongly convex", "|grad F(w_0)| <= G (the printed A4 covers t >= 1 only)"],
    sharper=("4*G2", "G2", 4.0, "constant 1, attained by F=(mu/2)|w|^2"),
)


rescaled_mean = statement_of_algebra(
    "LI-TRANS-a",
    Matrices(
        "T(o)*S/N = T(p)*F for D in S(n); o in R(n); p in R(n); F in R(n); N >= 1; S = N*D*F; D*o = p; T(o)*o = N",
        uses={0: [("D*o = p", "T(F)", "1")]},
        at=[{"p": "[1/3, 2/3]", "D": "[[1/3, 0], [0, 2/3]]", "o": "[1, 1]", "N": "2", "F": "[1, 2]"}],
        names={"o": r"\mathbf 1", "D": r"\operatorname{diag}(p)", "S": r"\tilde F"},
    ),
    says=r"\tfrac1N\sum_k\tilde F_k=\sum_kp_kF_k,\ \tilde F_k=p_kNF_k:\quad ",
    false={"scale by p_k^2 N instead": ("S = N*D*F", "S = N*D**2*F")},
    group=identity_claim,
    source="Section 3.3",
    headline="Rescaled client losses with equal weights have the old global loss as their mean",
    summary="The mean of the rescaled objectives p_k N F_k is F.",
)


if __name__ == "__main__":
    run_script(__file__)
