"""Section 6 of Augenstein et al. (2022): what splitting a population does to G and B of Definition 4.2, beside sigma^2.

Groups are merged one by one, so that every number of groups is covered: merged ones of share P, mean M and variance U meet one
more of share w, mean z and variance v (or: losses of weight W and gradient a one of weight c and gradient b).  |.|^2 is a sum
over coordinates, so that scalars stand for every dimension.
"""

from __future__ import annotations

from fractions import Fraction

import sympy as sp

from fltheory.evidence.model import Control, Evidence
from fltheory.theory.steps import Instance, equality, identity, inequality, sign
from verify.mixed2022.declared import identity_claim, inequality_claim
from verify.mixed2022.populations import splits
from verify.mixed2022.settled import settle

F = Fraction
P, M, U, w, z, v = sp.symbols("P M U w z v", positive=True)
#: Variance of the merged group, times its share.
MERGED = P * (U + M**2) + w * (v + z**2) - (P * M + w * z) ** 2 / (P + w)
a, b, W, c = sp.symbols("a b W c", positive=True)


@inequality_claim(
    "MX-CONC-SPLIT.2",
    source="Section 6; Definition 4.2",
    printed=dict(constant="1"),
    statement=r"\nabla f_f=\sum_{a}\nabla f_a,\ \sum_aw_a=w_f:\quad\sum_a\tfrac1{w_a}\|\nabla f_a\|^2+\tfrac1{w_c}\|\nabla f_c\|^2"
    r"\ge\tfrac1{w_f}\|\nabla f_f\|^2+\tfrac1{w_c}\|\nabla f_c\|^2",
    summary="A split never lowers the left side of Definition 4.2 at any x, so that (G, B) admissible afterwards were so before: G "
    "and B can only grow. From one population alone (G = 0, B = 1) they appear unless all grad f_a/w_a agree.",
    depends=("MX-CONC-MULTI.3",),
    controls=[Control("1.01 times the left side before", dict(constant="101/100"))],
)
def dissimilarity(constant: str) -> Evidence:
    k = sp.Rational(constant)
    ranges = ((W, 0, None), (c, 0, None))
    steps = [
        inequality(
            "one more group of weight c beside merged ones of weight W",
            k * (a + b) ** 2 / (W + c),
            a**2 / W + b**2 / c,
            premises={},
            squares=[(k * W * c / (W + c), a / W - b / c)],
            ranges=ranges,
        ),
        sign(
            "a positive multiple of |grad f_a/w_a - ...|^2: zero for equal scaled gradients only",
            W * c / (W + c),
            ranges,
        ),
    ]

    def instances() -> list[Instance]:
        found = []
        for one in splits():
            for weights in (one.shares, tuple(F(i + 1) for i in range(len(one.shares)))):
                total = sum(weights, F(0))
                parts = [p * m for p, m in zip(one.shares, one.means, strict=True)]
                after = sum(((part**2).sum() * total / each for part, each in zip(parts, weights, strict=True)), F(0))
                before = (one.mean**2).sum()
                found.append(
                    Instance(
                        f"{one.name}, weights {[str(each / total) for each in weights]}: |grad f|^2, left side after "
                        "the split",
                        F(constant) * before,
                        after,
                    )
                )
        return found

    return settle(
        steps,
        instances,
        method="groups merged one by one; the centre's term does not change",
        valid_for="every split, number of groups, d and weights w_a > 0; losses f_a that add up to f_f",
    )


@identity_claim(
    "MX-CONC-SPLIT-S3",
    source="Section 6; Definition 4.2",
    printed=dict(factor="1"),
    statement=r"w_a=w_f\pi_a,\ \nabla f_a=\pi_am_a:\quad\sum_a\tfrac{\|\nabla f_a\|^2}{w_a}-\tfrac{\|\nabla f_f\|^2}{w_f}="
    r"\tfrac1{w_f}\big(V(x)-\sum_a\pi_aV_a(x)\big)",
    summary="At every x the dissimilarity gains 1/w_f times what the variance loses: the two effects are one, and neither comes "
    "without the other. Under Assumption 4.1 as printed (all clients with the same mean gradient) both are zero for every split.",
    depends=("MX-CONC-SPLIT.1", "MX-CONC-SPLIT.2"),
    controls=[Control("1.01/w_f", dict(factor="101/100"))],
)
def trade(factor: str) -> Evidence:
    gain = (P * M) ** 2 / P + (w * z) ** 2 / w - (P * M + w * z) ** 2 / (P + w)
    loss = MERGED - P * U - w * v
    steps = [
        identity("one more group: gain and loss", gain, sp.Rational(factor) * loss),
        identity("equal means: no loss", loss.subs(z, M), sp.Integer(0)),
    ]

    def instances() -> list[Instance]:
        found = []
        for one in splits():
            gained = (
                sum((p * (m**2).sum() for p, m in zip(one.shares, one.means, strict=True)), F(0)) - (one.mean**2).sum()
            )
            found.append(equality(f"{one.name}: gain, loss", gained, F(factor) * (one.variance - one.within)))
        return found

    return settle(
        steps,
        instances,
        method="both are Pw/(P+w) |M - z|^2 for each group that is merged",
        valid_for="every split, number of groups, d and law, weights in proportion to the shares, each x",
    )


if __name__ == "__main__":
    from fltheory.evidence.runner import run_script

    run_script(__file__)
