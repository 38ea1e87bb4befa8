"""Proof of Theorem 1, displays (1) to (3): descent lemma and the second moment of one averaged step."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction

import sympy as sp

from fltheory.evidence.decide import decide
from fltheory.evidence.ends import tried
from fltheory.evidence.kinds import definition_in_words, identity_claim, inequality_claim, run_script
from fltheory.evidence.model import Control, Evidence
from fltheory.evidence.witness import Side, Witness
from fltheory.theory.lecture2022.bounds import N
from fltheory.theory.steps import Instance, Proof, equality, identity
from verify.lecture2022.averages import second_moment_of_mean
from verify.lecture2022.derivations.displays import descent as descent_of
from verify.lecture2022.displays import proof
from verify.lecture2022.proof.displayed import displayed, times
from verify.lecture2022.runs import mean, sign_noises

of_display_3 = identity_claim.sharing(source="proof of Theorem 1, (3)")
side_note_at_3 = definition_in_words.sharing(source="side note at (3)")
last_line_of_3 = inequality_claim.sharing(source="proof of Theorem 1, last line of (3)")

v = sp.Symbol("v", nonnegative=True)


descent = displayed(
    "LEC-P1",
    "(1)",
    proof.p_1,
    {"L/2 -> 0.99 L/2": times(proof.p_1, L="99/100")},
    group=inequality_claim,
    source="proof of Theorem 1, (1)",
    derived=lambda _, stated: descent_of(stated),
    summary="The descent lemma holds for the average of L-smooth functions, in expectation.",
)

variance_split = displayed(
    "LEC-P3a.1",
    "mean and noise",
    proof.p_3_split,
    {"squared mean times 0.99": replace(proof.p_3_split, expression=proof.p_3_split.expression * sp.Rational(99, 100))},
    group=of_display_3,
    summary="Second moment = variance + squared mean, with the mean conditional on the past.",
)


def outer(orientation: str) -> Evidence:
    """Whether |z|^2 = z z^T for z as a row or as a column."""
    x, y = sp.symbols("x y", real=True)
    vector = sp.Matrix([[x, y]]) if orientation == "row" else sp.Matrix([x, y])
    product = vector * vector.T
    rows = Side("entries of E[z]E[z]^T", sp.Symbol("rows") ** 2)
    words = f"z a {orientation} vector with d = 2 coordinates, |E z|^2 one number"
    return decide(
        Proof((identity("the product is the squared norm", product[0], x**2 + y**2),)),
        tried(
            Witness({"rows": vector.shape[0]}, rows, "=", 1, (), words),
            prose="that E[z]E[z]^T of a column has rows^2 entries",
        ),
        method="Multiply out for d = 2.",
    )


outer_row = side_note_at_3(
    "LEC-P3a.2[row vectors]",
    headline="For row vectors the transcribed product is a squared length",
    statement=r"\|E z\|^2=E[z]E[z]^T,\ z\in\mathbb{R}^{1\times d}",
    printed=dict(orientation="row"),
    summary="E[z]E[z]^T, as transcribed from handwriting, is the squared norm for row vectors.",
    controls=[Control("column vectors", dict(orientation="column"))],
)(outer)

outer_column = side_note_at_3(
    "LEC-P3a.2[column vectors]",
    fault="transcription",
    statement=r"\|E z\|^2=E[z]E[z]^T,\ z\in\mathbb{R}^{d}",
    printed=dict(orientation="column"),
    repair="LEC-P3a.2[row vectors]",
    headline="As transcribed a squared length is written as a matrix",
    summary="For column vectors, used elsewhere in the note, the expression as transcribed from handwriting is a "
    "matrix; E[z]^T E[z] is meant, and the original would tell where the T stands.",
    controls=[Control("row vectors", dict(orientation="row"), must="pass")],
)(outer)


@of_display_3(
    "LEC-P3b",
    headline="Variances add up for uncorrelated noises of the clients, not for a shared noise",
    statement=r"\mathbb{E}\|\tfrac1N\textstyle\sum_i(G_i-\nabla "
    r"f_i(x_i))\|^2=\tfrac1{N^2}\sum_i\mathbb{E}\|G_i-\nabla f_i(x_i)\|^2",
    printed=dict(shared=False),
    summary="For zero-mean noises that are uncorrelated between clients, independent ones for instance, variances add (with "
    "equality); for the same noise at all clients they do not.",
    assumptions=("noises of different clients uncorrelated given the past",),
    controls=[Control("the same noise for all clients", dict(shared=True))],
)
def variances_add(shared: bool) -> Evidence:
    covariance = v if shared else sp.Integer(0)

    def instances() -> Iterator[Instance]:
        for count in (2, 3):
            noises = sign_noises(count, 1, Fraction(1), shared=shared)
            moment = mean([mean([noise(1, i) for i in range(count)]) ** 2 for noise in noises])
            yield equality(f"N={count}, noises +-1{' shared' if shared else ''}", moment, Fraction(1, count))

    total = second_moment_of_mean(v, covariance, N)
    return decide(
        Proof((identity("averages of variances and of cross moments", total, v / N),)),
        instances,
        method="N variances and N(N-1) cross moments, which vanish; only their averages enter.",
        valid_for="all N, d",
    )


last_line_dumped = displayed(
    "LEC-P3c[as dumped]",
    "(3)",
    proof.p_3_last,
    {"variance term restored": proof.p_3},
    prose="both sides were computed by a step of the code on the instance named; without noise it shows "
    "the 1/N, not the lost variance term",
    must="pass",
    group=last_line_of_3,
    fault="transcription",
    repair="LEC-P3c[variance term restored]",
    headline="As transcribed a line of the proof has lost its variance term",
    summary="As transcribed from handwriting the line lost its variance term and put 1/N at the gradient; the "
    "original would tell.",
)

last_line_restored = displayed(
    "LEC-P3c[variance term restored]",
    "(3)",
    proof.p_3,
    {"as transcribed": proof.p_3_last},
    headline="The average's mean squared move is bounded by mean gradient plus noise over clients",
    group=last_line_of_3,
    summary="What (7) needs and what the line above gives; attained by noises of variance sigma^2.",
)


if __name__ == "__main__":
    run_script(__file__)
