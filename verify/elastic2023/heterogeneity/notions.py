"""Section 9.2 of the elastic aggregation supplement: how A1 relates to the heterogeneity assumptions it names.

The assumptions of the references are taken as known: a finite mean squared gradient at the optimum (Mishchenko et al.),
E|grad f_i(x)|^2 <= B_eps^2 |grad f(x)|^2 wherever |grad f(x)|^2 > eps (Li et al., local dissimilarity), and
E|grad f_i(x)|^2 <= rho |grad f(x)|^2 everywhere (strong growth).
"""

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction

import sympy as sp

from fltheory.evidence.derive import by_derivation
from fltheory.evidence.ends import by_witness
from fltheory.evidence.kinds import algebra_claim, inequality_claim, qualitative_claim, run_script
from fltheory.evidence.model import Control, Evidence, Rung
from fltheory.evidence.tight import against_the_best
from fltheory.evidence.witness import Side, Witness
from fltheory.theory.states import proves
from fltheory.theory.steps import Instance
from fltheory.theory.values import exact_value
from verify.elastic2023 import dissimilarity
from verify.elastic2023.derivations import clients
from verify.elastic2023.dissimilarity import B, G, epsilon, mean_squared_gradient, mean_value, scalar, squared_gradient

of_local_dissimilarity = algebra_claim.sharing(source="Section 9.2, last paragraph")

ONE, ZERO = Fraction(1), Fraction(0)
ORIGIN = (ZERO, ZERO)
#: +-s + s^2/2: A1 and the relaxed form hold with G = B = beta = 1, and the mean squared gradient at 0 is 1.
OPPOSED = [scalar(ONE, ONE), scalar(-ONE, ONE)]
_a, _b = sp.symbols("a b")


@inequality_claim(
    "EL-HET3.1",
    headline="For convex smooth clients two bounds on heterogeneity agree up to a factor",
    source="Section 9.2, last paragraph",
    statement=r"\text{relaxed}(G,B)\Rightarrow\sigma_f^2\le2G^2,\qquad\text{relaxed}(\sigma_f,\sqrt2)\text{ always},\quad"
    r"\sigma_f^2=\frac2N\sum_i\|\nabla f_i(x^\star)\|^2",
    summary="For convex smooth clients the relaxed form is the same as a bound on the gradients at the optimum, up to a "
    "factor: sigma_f^2 <= 2 G^2 in one direction, and G = sigma_f serves in the other.",
    printed=dict(constant="2", convex=True),
    controls=[Control("2 -> 1.98", dict(constant="99/50")), Control("clients not convex", dict(convex=False))],
)
def mishchenko(constant: str, convex: bool) -> Evidence:
    """With sigma_f^2 = 2 A_star: relaxed(G, B) => sigma_f^2 <= constant G^2; and relaxed(sigma_f, sqrt 2) always."""

    def instances() -> Iterator[Instance]:
        for u in (ORIGIN, (ONE, ZERO), (Fraction(-3), ZERO)):
            mean = mean_squared_gradient(OPPOSED, u)
            if mean > 1 + 2 * (mean_value(OPPOSED, u) - mean_value(OPPOSED, ORIGIN)):
                raise ValueError("the relaxed form with G = B = 1 does not hold for the opposed clients")
        text = "f_i = +-s + s^2/2, relaxed form with G = B = beta = 1: sigma_f^2 against constant G^2"
        yield Instance(text, 2 * mean_squared_gradient(OPPOSED, ORIGIN), Fraction(constant))
        if not convex:
            pair = [scalar(ZERO, ONE), scalar(ZERO, -ONE)]
            text = "f_i = +-s^2/2 (f = 0, sigma_f = 0), x = 1: relaxed form with G = sigma_f"
            yield Instance(text, mean_squared_gradient(pair, (ONE, ZERO)), 4 * mean_value(pair, (ONE, ZERO)))

    return by_derivation(
        lambda: clients.mishchenko(constant, dissimilarity.AT_OPTIMUM, convex=convex),
        instances,
        method="One direction: the relaxed form at x*. The other: EL-HET2.1.",
        valid_for="all N, convex beta-smooth clients with minimiser x*",
        tightness=against_the_best(
            Fraction(constant) / 2, "2: f_i = +-s + s^2/2 has sigma_f^2 = 2 and the relaxed form with G = 1"
        ),
    )


def local_dissimilarity(direction: str, factor: str) -> Evidence:
    """A1(G, B) => |grad f|^2 > eps has dissimilarity B^2 + factor G^2/eps; or back, to A1 with G = eps."""
    if direction == "to A1":
        return by_witness(
            Witness(
                dict(a=2, b=-2, eps=1, B=1),
                Side("mean squared gradient", (_a**2 + _b**2) / 2),
                "<=",
                Side("eps^2 + B^2 |grad f|^2", epsilon**2 + B**2 * ((_a + _b) / 2) ** 2),
                given=[(((_a + _b) / 2) ** 2, "<=", epsilon)],
                setting="f_1 = a s, f_2 = b s on the line, where no point has |grad f|^2 > eps",
            ),
            rung=Rung.PROOF,
        )
    bound = dissimilarity.LOCAL
    scaled = (B**2 + sp.Rational(factor) * G**2 / epsilon) * squared_gradient
    bound = replace(bound, expression=scaled)

    def instances() -> Iterator[Instance]:
        for s in (ONE, Fraction(1, 2), Fraction(3)):
            q = dissimilarity.squared_mean_gradient(OPPOSED, (s, ZERO))
            for eps in (q * Fraction(999, 1000), q / 2):
                text = f"f_i = +-s + s^2/2 (G = B = 1), s = {s}, eps = {eps}"
                right = exact_value(scaled, {B: 1, G: 1, epsilon: eps, squared_gradient: q})
                yield Instance(text, mean_squared_gradient(OPPOSED, (s, ZERO)), right)

    return by_derivation(
        lambda: clients.local_dissimilarity(bound),
        instances,
        method="A1 and |grad f|^2 >= eps; for G = eps the constant is B^2 + eps.",
        valid_for="all functions with A1",
        tightness=against_the_best(Fraction(factor), "B^2 + G^2/eps, at |grad f|^2 = eps for f_i = +-s + s^2/2"),
    )


li = of_local_dissimilarity(
    "EL-HET3.2[A1 gives local dissimilarity]",
    headline="Bounded dissimilarity gives the local one where gradients are not small",
    proves=proves(dissimilarity.LOCAL, under=(squared_gradient >= epsilon,)),
    statement=(r"\text{A1}\Rightarrow ", dissimilarity.LOCAL, r"\quad\text{where }\|\nabla f(x)\|^2>\epsilon"),
    summary="A1 gives the local dissimilarity of Li et al. outside the set of small gradients; with G = eps the constant is "
    "B^2 + eps.",
    printed=dict(direction="from A1", factor="1"),
    controls=[Control("G^2/eps times 0.99", dict(factor="99/100"))],
)(local_dissimilarity)

li_converse = of_local_dissimilarity(
    "EL-HET3.2[local dissimilarity gives A1]",
    fault="reading",
    repair="EL-HET3.2[A1 gives local dissimilarity]",
    statement=r"\frac1N\sum_i\|\nabla f_i(x)\|^2\le B_\epsilon^2\|\nabla f(x)\|^2\text{ where }\|\nabla f(x)\|^2>\epsilon\ "
    r"\Rightarrow\ \text{A1 with }G=\epsilon",
    headline="Local dissimilarity does not give the bounded dissimilarity of A1",
    summary="The converse fails: local dissimilarity says nothing where the gradient of f is small.",
    printed=dict(direction="to A1", factor="1"),
    controls=[Control("from A1", dict(direction="from A1"), must="pass")],
)(local_dissimilarity)


@qualitative_claim(
    "EL-HET4",
    headline="Dissimilarity without an additive constant: clients are stationary where their mean is",
    source="Section 9.2, last sentence",
    statement=r"\text{A1 with }G=0:\quad\frac1N\sum_i\|\nabla f_i(x)\|^2\le B^2\|\nabla f(x)\|^2\ \forall x,\qquad"
    r"\nabla f(x)=0\Rightarrow\nabla f_i(x)=0\ \forall i",
    summary="Without G the assumption is the strong growth condition, under which every client is stationary wherever f is.",
    printed=dict(square="0"),
    controls=[Control("G^2 = 1/100", dict(square="1/100"))],
)
def strong_growth(square: str) -> Evidence:
    """|grad f_i|^2 <= N A <= N (G^2 + B^2 |grad f|^2), at a stationary point of f."""

    def instances() -> Iterator[Instance]:
        tenth = Fraction(1, 10)
        families = [[scalar(ZERO, ONE), scalar(ZERO, Fraction(3))]]
        families += [[scalar(tenth, ONE), scalar(-tenth, ONE)]] if Fraction(square) > 0 else []
        for family in families:
            text = f"f_i: {'; '.join(c.text for c in family)} at x = 0, where grad f = 0: largest squared gradient"
            yield Instance(text, max(a**2 + b**2 for a, b in (c.gradient(ORIGIN) for c in family)), ZERO)

    return by_derivation(
        lambda: clients.strong_growth(square),
        instances,
        method="A1 at a stationary point of f.",
        valid_for="all N, all differentiable clients of equal weights, B >= 1",
    )


if __name__ == "__main__":
    run_script(__file__)
