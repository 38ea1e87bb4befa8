"""The pair of Theorem II: what it is, A1 with which constants, from which side it starts, and assumption A6."""

from fractions import Fraction

import sympy as sp

from fltheory.evidence.algebra import by_relations, statement_of_algebra
from fltheory.evidence.ends import by_witness
from fltheory.evidence.kinds import definition_claim, identity_claim, inequality_claim, lower_bound_claim, run_script
from fltheory.evidence.model import Control, Evidence
from fltheory.evidence.relations import Relations
from fltheory.evidence.tight import attained
from fltheory.evidence.witness import Side, Witness
from verify.elastic2023.theorem_2.rounds import a, eta, round_of_the_pair, x

_PROOF = "proof of Theorem II"
of_a6 = definition_claim.sharing(source="A6")
of_a1 = inequality_claim.sharing(source=_PROOF)
_MU = {"mu": r"\mu", "eta": r"\eta_r"}

whole_range = statement_of_algebra(
    "EL-A6[step sizes up to 1/mu]",
    Relations("-1 <= 1 - 2*mu*eta < 1 for mu > 0; eta > 0; mu*eta <= 1", uses={0: {"mu*eta <= 1": "2"}}, names=_MU),
    false={"step sizes up to 2/mu": ("mu*eta <= 1", "mu*eta <= 2")},
    group=definition_claim,
    source="A6",
    headline="With step sizes up to the printed limit a local step may turn the iterate around",
    summary="A6 with eta_r <= 1/mu, as it is scanned: on the pair the factor 1 - 2 mu eta of a local step lies in [-1, "
    "1), so that odd powers of it may be negative.",
)
half_range = statement_of_algebra(
    "EL-A6[step sizes up to 1/(2 mu)]",
    Relations("0 <= 1 - 2*mu*eta < 1 for mu > 0; eta > 0; 2*mu*eta <= 1", uses={0: {"2*mu*eta <= 1": "1"}}, names=_MU),
    false={"step sizes up to 1/mu": ("2*mu*eta <= 1", "mu*eta <= 1")},
    group=definition_claim,
    source="A6",
    headline="Up to half the printed limit of the step size no local step turns the iterate around",
    summary="A6 with eta_r <= 1/(2 mu): on the pair the factor 1 - 2 mu eta of a local step lies in [0, 1), which is "
    "what Lemma 9 needs for odd K.",
)

functions = statement_of_algebra(
    "EL-T2-F",
    Relations(
        "(mu*x**2 + G*x - G*x)/2 = mu/2*x**2; mu/2*x**2 >= 0; "
        "mu/2*y**2 = mu/2*x**2 + mu*x*(y - x) + mu/2*(y - x)**2 for mu > 0; G > 0",
        squares={1: [("mu/2", "x")]},
        names=_MU,
    ),
    false={
        "f_1 with half of the curvature": ("(mu*x**2 + G*x", "(mu/2*x**2 + G*x"),
        "a larger modulus": ("mu/2*(y - x)**2 for", "mu*(y - x)**2 for"),
    },
    group=identity_claim,
    source=_PROOF,
    headline="The mean of the pair is a parabola with its minimum at zero",
    summary="The mean of f_1 = mu x^2 + G x and f_2 = -G x is mu x^2/2, with minimum 0 at 0, and it is strongly convex "
    "with exactly mu.",
    tightness=attained("equality in strong convexity at every two points"),
)

_A1 = "((2*mu*x + G)**2 + G**2)/2 <= {}*G**2 + {}*(mu*x)**2 for mu > 0; G > 0"
_y, _B = sp.symbols("y B")


def same_constant(factor: str, square: str) -> Evidence:
    """A1 with ``factor`` G^2 and B^2 = ``square``, for every x; the worst x is where y = mu x/G is 1/(B^2 - 2)."""
    at = 1 / (Fraction(square) - 2)
    witness = Witness(
        {_y: at},
        Side("mean of the squared gradients", ((2 * _y + 1) ** 2 + 1) / 2),
        "<=",
        Side("factor + B^2 y^2", sp.Rational(factor) + sp.Rational(square) * _y**2),
        setting=f"in units of G^2, y = mu x/G, B^2 = {square}, factor {factor}",
    )
    weight = f"({square} - 2)*mu**2"
    stated = Relations(
        _A1.format(f"({factor})", square), squares={0: [(weight, f"x - G/(mu*({square} - 2))")]}, names=_MU
    )
    return by_relations(stated, otherwise=[witness], tightness=attained("at mu x = G/(B^2 - 2)"))


other_g = of_a1(
    "EL-T2-A1[with a G of its own]",
    statement=r"B=3:\quad\tfrac12\left(f_1'(x)^2+f_2'(x)^2\right)\le\tfrac87G^2+9f'(x)^2",
    headline="The pair has the bounded dissimilarity with a slightly larger constant",
    summary="The pair satisfies A1 with B = 3 and the constant sqrt(8/7) G, for all x of both signs, and 8/7 cannot be "
    "lowered; for other B > sqrt 2 it is 1 + 1/(B^2 - 2). With 9G/10 in the place of G in the pair, A1 holds with G "
    "itself.",
    printed=dict(factor="8/7", square="9"),
    controls=[Control("8/7 times 0.99", dict(factor="198/175")), Control("B = 2", dict(square="4"))],
)(same_constant)

same_g = of_a1(
    "EL-T2-A1[with the same G]",
    fault="slip",
    statement=r"\tfrac12\left(f_1'(x)^2+f_2'(x)^2\right)\le G^2+9f'(x)^2",
    headline="The pair misses the bounded dissimilarity with its own constant, for points near zero",
    summary="With the G of the pair A1 fails for B = 3 where 0 < x < 2G/(7 mu): at x = G/(7 mu) the mean squared "
    "gradient is 65/49 G^2, and the right side 58/49 G^2. No B helps; a G larger by 7 per cent does, which costs "
    "Theorem II a constant.",
    repair="EL-T2-A1[with a G of its own]",
    printed=dict(factor="1", square="9"),
    controls=[Control("8/7 of G^2", dict(factor="8/7"), must="pass")],
)(same_constant)

no_b = statement_of_algebra(
    "EL-T2-A1-S1",
    Relations(
        "((2*mu*x + G)**2 + G**2)/2 > G**2 + B**2*(mu*x)**2 for mu > 0; G > 0; B >= 1; x = G/(mu*B**2)", names=_MU
    ),
    false={"twice as far out": ("x = G/(mu*B**2)", "x = 4*G/(mu*B**2)")},
    group=inequality_claim,
    source=_PROOF,
    headline="No factor of the mean gradient makes up for the constant of the pair",
    summary="For every B >= 1 the pair breaks A1 with its own G, at x = G/(mu B^2).",
)


def start(side: str) -> Evidence:
    """One round from a start on a side of the optimum: whether it stays away from 0."""
    at = {"positive": (1, Fraction(1, 2)), "negative": (Fraction(-1, 2), Fraction(1, 2))}[side]
    if side == "positive":
        text = "x*(1 + P)/2 + (K*h - 1 + P)/4 > 0 for x > 0; K >= 2; 0 < h < 1; 0 <= P <= 1; P >= 1 - K*h"
        return by_relations(
            Relations(text, uses={0: {"P >= 1 - K*h": "1/4"}}, at={"x": "1", "K": "2", "h": "1/2", "P": "1/4"})
        )
    return by_witness(
        Witness(
            {x: at[0], eta: at[1], a: Fraction(1, 2)},
            Side("|x^1|", sp.Abs(round_of_the_pair(2))),
            ">",
            0,
            given=[(x, "!=", 0), (eta, "<=", 1)],
            setting="mu = G = 1, K = 2",
        )
    )


@lower_bound_claim(
    "EL-T2-X0.1",
    source=_PROOF,
    statement=r"\alpha=\tfrac12,\ x^0>0,\ 0<2\mu\eta_r<1:\quad x^1>0,\qquad"
    r"\text{while }x^0=-\tfrac{G}{2\mu},\ K=2,\ \eta=\tfrac1{2\mu}:\ x^1=0",
    headline="The start has to lie on the side to which the drift points",
    summary="With equal weights and step sizes below 1/(2 mu) a run from x^0 > 0 never reaches 0. From x^0 < 0 the "
    "drift helps: for K = 2, x^0 = -G/(2 mu) and eta = 1/(2 mu) one round ends at 0. So the pair is chosen after the "
    "side of the start.",
    printed=dict(side="positive"),
    prose="h = 2 mu eta, P = (1 - h)^K, of which the hypothesis is Bernoulli's inequality",
    controls=[Control("a start below zero", dict(side="negative"))],
)
def positive_start(side: str) -> Evidence:
    return start(side)


linear = statement_of_algebra(
    "EL-T2-X0.2",
    Relations("-G*y = -G*x - G*(y - x) for G > 0; x != y", at={"G": "1", "x": "0", "y": "1"}),
    false={"with a modulus": ("- G*(y - x) for", "- G*(y - x) + (y - x)**2/2 for")},
    group=identity_claim,
    source=_PROOF,
    headline="The second client is linear, so strongly convex with no modulus",
    summary="f_2 = -G x equals its tangents: it is convex, and not strongly convex with any positive modulus. Theorem "
    "II asks that of the mean alone.",
)

end = statement_of_algebra(
    "EL-T2-END",
    Relations(
        "(mu*x**2 + G*x - G*x)/2 = mu/2*x**2; mu/2*x**2 >= c**2*D for mu > 0; G > 0; c > 0; m >= 0; x >= c*m; D >= 0; D "
        "<= mu/2*m**2",
        uses={1: {"D <= mu/2*m**2": "c**2"}},
        names={**_MU, "x": "x^r"},
    ),
    false={"c for its square": ("c**2*D", "c*D"), "half of mu": ("mu/2*x**2; mu", "mu/4*x**2; mu")},
    group=identity_claim,
    source="end of the proof of Theorem II",
    headline="A lower bound of the iterate is one of the objective, with the square of its constant",
    summary="f(x^r) = mu/2 (x^r)^2, so that x^r >= c min(x^0, G/(mu r)) gives f(x^r) - f* >= c^2 min(f(x^0) - f*, G^2/(2 "
    "mu r^2)).",
)

if __name__ == "__main__":
    run_script(__file__)
