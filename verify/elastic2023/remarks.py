"""Assumptions of the elastic aggregation supplement and its remarks on them: A1, A2, weights, and PL instead of strong
convexity."""

from dataclasses import replace
from functools import partial

import sympy as sp

from fltheory.evidence.algebra import by_relations, statement_of_algebra
from fltheory.evidence.derive import by_derivation
from fltheory.evidence.ends import by_witness, tried
from fltheory.evidence.kinds import algebra_claim, asymptotic_claim, inequality_claim, run_script
from fltheory.evidence.model import Control, Evidence
from fltheory.evidence.relations import Relations
from fltheory.evidence.witness import Side, Witness
from fltheory.theory.states import proves
from verify.elastic2023 import elsewhere, rates
from verify.elastic2023.derivations import nonconvex as derived
from verify.elastic2023.derivations.theorem_1_rates import convex_rate
from verify.elastic2023.rates import CONVEX_RATE, PL_RECURSION, at_scale
from verify.elastic2023.theorem_1.convex import METHOD
from verify.elastic2023.theorem_1.one_noise import DROPPED, INDEPENDENT, UNPRINTED, broken

x, y, mu, a, e, w = sp.symbols("x y mu a e w")

dissimilar = statement_of_algebra(
    "EL-A1",
    Relations(
        "(((a + h)*x + g)**2 + ((a - h)*x - g)**2)/2 <= 2*g**2 + (1 + 2*h**2/a**2)*(a*x)**2; 2*g**2 >= 0; 1 + 2*h**2/a**2 >= 1 "
        "for a > 0; h >= 0; g >= 0",
        squares={0: [("1", "h*x - g")]},
        names={"h": r"\delta"},
    ),
    false={
        "half of the dissimilarity": ("+ (1 + 2*h**2", "+ (1 + h**2/2"),
        "G^2 = g^2/2": ("<= 2*g**2 +", "<= g**2/2 +"),
    },
    group=algebra_claim,
    headline="Two parabolas satisfy A1 with constants in closed form, unless their mean is flat",
    source="A1",
    summary="For the clients (a + delta) x^2/2 + g x and (a - delta) x^2/2 - g x the assumption holds with G^2 = 2 g^2 and "
    "B^2 = 1 + 2 delta^2/a^2, so that B is at least 1 and grows without limit as the mean curvature a goes to 0.",
)

of_a2 = algebra_claim.sharing(source="A2")


def convexity(relation: str, curvature: str) -> Evidence:
    """<h'(x), y - x> against -(h(x) - h(y) + mu/2 |x - y|^2) for h = a x^2/2 with this least curvature."""
    left, right = a * x * (y - x), -(a * x**2 / 2 - a * y**2 / 2 + mu / 2 * (x - y) ** 2)
    squares = {0: [("(a - mu)/2", "x - y")]} if relation == "<=" else {}
    stated = Relations(f"{left} {relation} {right} for mu >= 0; a >= {curvature}", squares=squares)
    runs = [
        Witness({a: i, mu: 1, x: 0, y: 1}, left, relation, right, [(a, ">=", sp.sympify(curvature))])
        for i in (2, sp.Rational(1, 2))
        if sp.sympify(curvature).subs(mu, 1) <= i
    ]
    proved, reason = stated.proof
    if proved:
        return by_relations(stated)
    return by_witness(runs)


at_most = of_a2(
    "EL-A2[at most]",
    statement=r"h(x)=\tfrac a2x^2,\ a\ge\mu:\quad\langle h'(x),y-x\rangle\le-\big(h(x)-h(y)+\tfrac\mu2(x-y)^2\big)",
    headline="With 'at most' A2 is strong convexity: parabolas satisfy it from curvature mu on",
    summary="With the relation 'at most' A2 is the usual inequality of strong convexity; for a parabola it holds for "
    "all points just if its curvature is at least mu.",
    printed=dict(relation="<=", curvature="mu"),
    controls=[Control("curvature mu/2", dict(curvature="mu/2")), Control("equality", dict(relation="="))],
)(convexity)
equality = of_a2(
    "EL-A2[equality, as scanned]",
    statement=r"h(x)=\tfrac a2x^2,\ a\ge\mu:\quad\langle h'(x),y-x\rangle=-\big(h(x)-h(y)+\tfrac\mu2(x-y)^2\big)",
    fault="transcription",
    headline="As scanned A2 is an equation, which a parabola of larger curvature breaks",
    summary="The scan has an equality sign: then only quadratics of curvature mu are allowed, and none with mu = 0 but "
    "linear ones.",
    repair="EL-A2[at most]",
    printed=dict(relation="=", curvature="mu"),
    controls=[Control("at most", dict(relation="<="), must="pass")],
)(convexity)

of_weights = asymptotic_claim.sharing(source="Section 7, before 7.1", quick=False)


def weighted(scale: str, noise: str = "independent") -> Evidence:
    """All clients with weights p_i in f, in A1 and in the update: the rate with 1/sum p_i^2 for S = N."""
    if noise == "the same":
        return broken("general convex")
    bound = at_scale(CONVEX_RATE, scale)
    return by_derivation(
        partial(convex_rate, bound, "all"),
        lambda: rates.balanced(bound, smooth=False),
        method=f"{METHOD} All means over clients are weighted.",
        prose="the mean over the steps of the noises of independent clients, weighted by p_i, has at most the variance "
        "sigma^2 sum p_i^2/K",
        valid_for="every number of clients and all weights p_i, all clients in every round; S stands for 1/sum p_i^2",
    )


all_clients = of_weights(
    "EL-WEIGHTED[weights in f, A1 and the update, all clients]",
    statement=(
        r"f=\textstyle\sum_ip_if_i,\ S=N:\quad",
        CONVEX_RATE,
        r"\quad\text{with }\tfrac1{\sum_ip_i^2}\text{ for }S,\ M^2=\sigma^2\Big(1+\tfrac1{\phi^2\eta_g^2\sum_ip_i^2}\Big),\ "
        r"D\ge\|x^0-x^\star\|",
    ),
    headline="With all clients and weights in the update too, the rate holds for any weights",
    summary="If f, A1 and the update have the same weights and all clients take part, the general convex rate holds as "
    "it is, with 1/sum p_i^2 in the place of S and no sampling term.",
    assumptions=(
        "A1 to A4 with weights",
        "all clients in every round",
        "noise independent between clients and steps",
        "phi eta_g >= 1",
        "effective step e with 1/e = 8 (1 + B^2) beta + 2 M sqrt((R + 1)/(KS))/D + (9 beta G^2 (R + 1)/D^2)^(1/3)",
    ),
    unprinted=UNPRINTED,
    printed=dict(scale="1", noise="independent"),
    controls=[DROPPED, Control("bound divided by 3", dict(scale="1/3"))],
)(weighted)


plain_update = statement_of_algebra(
    "EL-WEIGHTED-U1",
    Relations(
        "w*(x - 1) + (1 - w)*(x + 1) = 0; x1 - x = -e*x; x1 < x "
        "for 1/2 < w <= 1; e > 0; x = 2*w - 1; x1 = x - e*((x - 1) + (x + 1))/2",
        names={"x": r"x^\star", "x1": "x^1", "e": r"\tilde\eta"},
    ),
    false={"equal weights": ("1/2 < w <= 1", "1/2 <= w <= 1")},
    group=inequality_claim,
    source="Section 7, before 7.1",
    says=r"f=wf_1+(1-w)f_2,\ f_1=\tfrac12(x-1)^2,\ f_2=\tfrac12(x+1)^2,\ x^0=x^\star,\ \sigma=0,\ K=1,\ S=N=2:\quad ",
    headline="With weights in f alone the plain mean of the update leaves the minimiser",
    summary="If only f is weighted, the plain mean (14) of the clients goes to the minimiser of the plain mean of the losses: "
    "two parabolas leave x* by the share e of it, without noise. So the update needs the weights too. Weights with sampled "
    "clients, and the rates (15) and (17) with weights, are not treated.",
)

of_pl = inequality_claim.sharing(source="A2")


naive = statement_of_algebra(
    "EL-PL-U1",
    Relations(
        "(mu*x)**2 >= 2*mu*(mu*x**2/2); (x - e*mu*x - (x - e*mu*x))**2 + (z - 0)**2 > (1 - mu*e)*((x - x)**2 + (z - 0)**2) "
        "for mu > 0; e > 0; z > 0; x >= 0",
        names={"mu": r"\mu", "e": r"\eta"},
    ),
    false={"curvature mu along z too": ("(z - 0)**2 > (1", "(1 - mu*e)*z**2*(1 - mu*e) > (1")},
    group=of_pl,
    says=r"h(x,z)=\tfrac\mu2x^2,\ v=(x,z),\ v'=(x,0):\quad",
    headline="Under a PL inequality in place of strong convexity Lemma 6 itself does not extend",
    summary="A function with a PL inequality may have many minimisers: mu x^2/2 in the plane has it, and a gradient "
    "step does not bring two points of one line x = const nearer, as Lemma 6 says. Lemmas 5 and 6 are for all points, "
    "Lemma 7 speaks of the distance to x*; how the proofs are generalised is not printed.",
)


def by_values(rate: str) -> Evidence:
    """E f(x^r) - f* <= (1 - rate mu e)(E f(x^{r-1}) - f*) + noise."""
    gap = rates.gap
    coefficient = 1 - sp.Rational(rate) * rates.mu * rates.e
    rest = sp.expand(PL_RECURSION.expression).subs(gap, 0)
    bound = replace(PL_RECURSION, expression=coefficient * gap + rest)
    run = Witness(
        {e: sp.Rational(1, 16)},
        Side("f(x^1), f_i = x^2/2, x^0 = 1, sigma = 0", (1 - e) ** 2 / 2),
        "<=",
        coefficient.subs({rates.mu: 1, rates.e: e}) / 2,
    )
    return by_derivation(
        {name: partial(derived.pl_recursion, bound, cohort) for name, cohort in derived.COHORTS.items()},
        tried(run),
        method="The round without convexity (EL-NC-EASY), and the PL inequality of f for the squared gradient.",
    )


values = of_pl(
    "EL-PL[one round, by function values]",
    proves=proves(PL_RECURSION, under=(8 * (1 + rates.B**2) * rates.beta * rates.e <= 1,)),
    statement=(PL_RECURSION, rf"\quad {rates.LEVEL_OF_NOISE}"),
    headline="Under a PL inequality of f a round contracts the gap, without any convexity",
    summary="If f has a PL inequality, the recursion without convexity contracts the gap f - f* by 1 - 2/3 mu e, with "
    "the noise of the non-convex case. It is a statement of one round: with steps as in (15) it gives (15) with the "
    "noise and the drift larger by beta/mu, logarithms apart; that sum is not derived here.",
    elsewhere=elsewhere.AGGREGATION,
    assumptions=(
        "A1, A3, A4",
        INDEPENDENT,
        "|grad f|^2 >= 2 mu (f - f*)",
        "phi eta_g >= 1",
        "e at most 1/(8 (1 + B^2) beta)",
    ),
    quick=False,
    printed=dict(rate="2/3"),
    controls=[Control("rate 2", dict(rate="2"))],
)(by_values)


if __name__ == "__main__":
    run_script(__file__)
