r"""The drift of a round with exact gradients: the farthest clients can come from u, whatever layers are averaged on the way.

With r = x - u, g = grad F_i(u) and c_0 = 0, c_{j+1} = (1 + eta L) c_j + eta: if the mean square of r_j is at most c_j^2 times that
of g, then that of r_{j+1} is at most c_{j+1}^2 times it, since |grad F_i(x) - g| <= L |r| and averages of layers increase no mean
square.  Parabolas of curvature -L, never averaged, drift exactly so far: r_j = -c_j g.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import product

import sympy as sp

from fltheory.evidence.decide import decide
from fltheory.evidence.kinds import inequality_claim, run_script
from fltheory.evidence.model import Control, Evidence, Rung, Tightness
from fltheory.theory.proofs import Open
from fltheory.theory.steps import Instance, Proof, Step, at_least, identity, inequality

L, eta, c, q, share = sp.symbols("L eta c q s", positive=True)
r, d, g, a, b = sp.symbols("r d g a b", real=True)
ONE, HALF = Fraction(1), Fraction(1, 2)


def steps(growth: sp.Expr) -> list[Step]:
    """One local step; ``growth`` is what c_j is multiplied by, 1 + eta L in the statement."""
    positive = [(one, Open(0), None) for one in (eta, L, c, share)]
    balance = eta / (growth * c)
    return [
        inequality(
            "|a + b|^2 <= (1 + s)|a|^2 + (1 + 1/s)|b|^2",
            (a + b) ** 2,
            (1 + share) * a**2 + (1 + 1 / share) * b**2,
            squares=[(1 / share, share * a - b)],
            ranges=positive,
        ),
        inequality(
            "|r - eta d|^2 <= growth^2 |r|^2 for |d| <= L |r|",
            (r - eta * d) ** 2,
            growth**2 * r**2,
            premises={"smoothness": (eta**2 + eta / L, L**2 * r**2 - d**2)},
            squares=[(eta / L, L * r + d)],
            ranges=positive,
        ),
        identity(
            "both with s = eta/(growth c) give the square of growth c + eta",
            (1 + balance) * growth**2 * c**2 + (1 + 1 / balance) * eta**2,
            (growth * c + eta) ** 2,
        ),
        identity("the first step: r_1 = -eta g", (0 - eta * g) ** 2, (growth * 0 + eta) ** 2 * g**2),
        identity("c_j = (q^j - 1)/L with q = growth", growth * (q - 1) / L + eta, (growth * q - 1) / L),
        identity(
            "parabolas of curvature -L: r_{j+1} = -c_{j+1} g", -c * g - eta * (g + L * c * g), -(growth * c + eta) * g
        ),
    ]


def factor(growth: Fraction, step: Fraction, count: int) -> Fraction:
    """sum_j c_j^2 over j < count."""
    total = reach = Fraction(0)
    for _ in range(count):
        total += reach**2
        reach = growth * reach + step
    return total


def drift(
    curvatures: tuple[Fraction, ...], slopes: tuple[Fraction, ...], step: Fraction, due: tuple[bool, ...]
) -> Fraction:
    """sum_j of the mean of x_j^2 over clients h x^2/2 + b x from 0; after step j they are averaged if ``due[j]``."""
    models, total = [Fraction(0)] * len(slopes), Fraction(0)
    for average in due:
        total += sum((x**2 for x in models), Fraction(0)) / len(models)
        models = [x - step * (h * x + b) for x, h, b in zip(models, curvatures, slopes, strict=True)]
        if average:
            models = [sum(models, Fraction(0)) / len(models)] * len(models)
    return total


def instances(scale: Fraction, half: bool) -> Iterator[Instance]:
    """All schedules of four steps, for two clients with curvatures in {-1, 1/2, 1}; L = 1."""
    pairs = ((-ONE, -ONE), (ONE, ONE), (-ONE, ONE), (HALF, ONE))
    for step, slopes, curvatures in product((Fraction(1, 8), Fraction(1, 4)), ((ONE, -ONE), (ONE, 2 * ONE)), pairs):
        growth = 1 + step / 2 if half else 1 + step
        square = sum((x**2 for x in slopes), Fraction(0)) / 2
        for due in product((False, True), repeat=3):
            text = (
                f"F_i = h_i x^2/2 + b_i x, h = {curvatures[0]}, {curvatures[1]}, b = {slopes[0]}, {slopes[1]}, u = 0, "
                f"eta = {step}, averaged after steps {[k + 1 for k, one in enumerate(due) if one]} of 4"
            )
            yield Instance(
                text, drift(curvatures, slopes, step, (*due, False)), scale * factor(growth, step, 4) * square
            )


@inequality_claim(
    "LA-WORST-R4",
    source="proof of Lemma 5.2, first sentences, for exact gradients",
    statement=r"\frac1m\sum_i\|x^i_{t,j}-u_t\|^2\le\Big(\frac{(1+\eta L)^j-1}{L}\Big)^2\frac1m\sum_i\|\nabla F_i(u_t)\|^2"
    r"\text{ for every schedule of averages, with equality without averages for curvature }-L",
    headline="No schedule of averages lets clients drift further than parabolas never averaged",
    summary="With exact gradients the clients' mean square distance from u_t after j steps is at most ((1 + eta L)^j - 1)^2/L^2 "
    "times the mean square of their gradients at u_t, whichever layers are averaged after whichever steps; parabolas of "
    "curvature -L that are never averaged attain it. So where Assumption 4 is used at u_t alone, as in the lemma, full averaging "
    "at the end of the round is the worst case over all problems.",
    quick=False,
    assumptions=("every F_i is L-smooth, convex or not", "exact gradients", "all clients start the round at u_t"),
    printed=dict(scale="1", growth="1"),
    controls=[
        Control("0.99 of it", dict(scale="99/100")),
        Control("1 + eta L/2 in place of 1 + eta L", dict(growth="1/2")),
    ],
)
def farthest(scale: str, growth: str) -> Evidence:
    """One step by smoothness and the triangle inequality in mean square; equality on parabolas."""
    proof = steps(1 + sp.Rational(growth) * eta * L)
    proof.append(at_least("parabolas of curvature -L attain it", scale, 1))
    return decide(
        Proof(tuple(proof)),
        lambda: instances(Fraction(scale), growth == "1/2"),
        method="The triangle inequality in mean square over the clients, squared with the best weights; averages of layers "
        "increase no mean square (LA-WORST-R1), and leave u where it is; induction over the steps.",
        valid_for="all m, any layers averaged after any step, any dimension, L, eta > 0, j",
        tightness=Tightness(1.0, Rung.PROOF, "equality: parabolas of curvature -L that are not averaged"),
        prose="scalars stand for vectors of all clients (Gram identities); r is replaced by averages in some layers at the end "
        "of a step; induction from r_0 = 0",
    )


if __name__ == "__main__":
    run_script(__file__)
