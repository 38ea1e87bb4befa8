"""Proof of Theorem 1, display (4): the cross term, its conditional expectation and the polarisation identity."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

import sympy as sp

from fltheory.evidence.decide import decide
from fltheory.evidence.kinds import identity_claim, run_script
from fltheory.evidence.model import Control, Evidence
from fltheory.theory.lecture2022.bounds import s
from fltheory.theory.steps import Instance, Proof, equality, identity
from verify.lecture2022.averages import expectation
from verify.lecture2022.proof.one_step import line
from verify.lecture2022.runs import mean, mean_gradient, run, sign_noises

side_note_at_4 = identity_claim.sharing(source="side note at (4)")

a, b, n = sp.symbols("a b n", real=True)
ONE = Fraction(1)


@identity_claim(
    "LEC-P4.1",
    statement=r"-s\langle a,b\rangle=-\tfrac s2\left(\|a\|^2+\|b\|^2-\|a-b\|^2\right),\ a=\nabla f(\bar x),\ "
    r"b=\tfrac1N\textstyle\sum_i\nabla f_i(x_i)",
    printed=dict(factor="1/2"),
    source="proof of Theorem 1, (4)",
    summary="The display (4) is an identity: an inner product is written by three squares.",
    controls=[Control("s/2 -> s", dict(factor="1")), Control("s/2 -> 0.99 s/2", dict(factor="99/200"))],
)
def cross_term(factor: str) -> Evidence:
    right = -s * sp.Rational(factor) * (a**2 + b**2 - (a - b) ** 2)
    return decide(
        Proof((identity("polarisation", -s * a * b, right),)),
        lambda: [equality("s=a=b=1", -ONE, -Fraction(factor) * 2)],
        method="Identity of quadratic forms, checked in scalars.",
        valid_for="all vectors, any dimension",
    )


def side_note(factor: str) -> Evidence:
    """The side note on <a, b> as a combination of squares, with the better of the two signs."""
    form = sp.Rational(factor) * (a**2 + b**2 - (a - b) ** 2)
    plus, minus = identity("with +", a * b, form), identity("with -", a * b, -form)
    chosen = plus if plus.verified or not minus.verified else minus
    value = 2 * Fraction(factor)
    closest = min((value, -value), key=lambda x: abs(1 - x))
    return decide(
        Proof((chosen,)),
        lambda: [equality("a=b=1, better of the two signs", ONE, closest)],
        method="Identity of quadratic forms, checked in scalars.",
        valid_for="all vectors, any dimension",
    )


side_note_dumped = side_note_at_4(
    "LEC-P4.2[as dumped]",
    fault="transcription",
    statement=r"\langle a,b\rangle=\pm\left(\|a\|^2+\|b\|^2-\|a-b\|^2\right)",
    printed=dict(factor="1"),
    repair="LEC-P4.2[one half]",
    headline="As transcribed a side note has the wrong factor",
    summary="The side note as transcribed; its sign +- is probably a misread 1/2, and the original handwriting would "
    "tell.",
    controls=[Control("1/2 in place of +-", dict(factor="1/2"), must="pass")],
)(side_note)

side_note_half = side_note_at_4(
    "LEC-P4.2[one half]",
    statement=r"\langle a,b\rangle=\tfrac12\left(\|a\|^2+\|b\|^2-\|a-b\|^2\right)",
    printed=dict(factor="1/2"),
    summary="This is the identity that (4) uses.",
    controls=[Control("factor 1", dict(factor="1"))],
)(side_note)


@identity_claim(
    "LEC-P4a",
    statement=r"\mathbb{E}\langle\nabla f(\bar x^{t-1}),\tfrac1N\textstyle\sum_iG_i^t\rangle=\mathbb{E}\langle\nabla "
    r"f(\bar x^{t-1}),\tfrac1N\sum_i\nabla f_i(x_i^{t-1})\rangle",
    printed=dict(where="own point"),
    source="proof of Theorem 1, before (4)",
    summary="Tower property and unbiasedness, with the gradients at the clients' own points. (The transcribed "
    "handwriting has a stray bar over x_i.)",
    controls=[Control("gradients at the average", dict(where="average"))],
)
def tower_own(where: str) -> Evidence:
    """E<grad f(xbar), (1/N) sum G_i> against the same with expected gradients at own points or at the average."""
    clients = [line(0, 4), line(2, 4, "1/2")]
    shift = sp.Symbol("shift", real=True)
    conditional = expectation(a * (b + n), {n: sp.Symbol("v", nonnegative=True)})
    claimed = a * b if where == "own point" else a * (b + shift)
    step = identity("E[<a, b + noise> | past] = <a, b>", conditional, claimed)

    def instances() -> Iterator[Instance]:
        left, right = [], []
        for noise in sign_noises(2, 2, ONE):
            path = run("FedAvg", clients, step_size=ONE / 2, local_steps=2, steps=2, start=-ONE, noise=noise)
            points, slope = path.points[-1], mean_gradient(clients, path.means[-2])
            at = points if where == "own point" else (mean(points),) * 2
            left.append(slope * mean(path.gradients[-1]))
            right.append(slope * mean([c.gradient(x) for c, x in zip(clients, at, strict=True)]))
        text = "f_1'=x, f_2'=(x-2)/2, noises +-1, s=1/2, K=2, start -1, second step, 16 outcomes"
        yield equality(text, mean(left), mean(right))

    return decide(
        Proof((step,)),
        instances,
        method="xbar^{t-1} and all local points are functions of the past, and the noise has conditional mean zero.",
        valid_for="every law of unbiased noise (independent or not), all N, d",
    )


if __name__ == "__main__":
    run_script(__file__)
