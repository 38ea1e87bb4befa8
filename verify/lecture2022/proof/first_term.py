"""Proof of Theorem 1, displays (1) to (3): descent lemma and the second moment of one averaged step."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

import sympy as sp

from fltheory.evidence.decide import decide
from fltheory.evidence.ends import by_proof, by_witness
from fltheory.evidence.kinds import definition_in_words, identity_claim, inequality_claim, run_script
from fltheory.evidence.model import Control, Evidence, Rung
from fltheory.evidence.witness import Side, Witness
from fltheory.theory.lecture2022.bounds import L, N, s, sigma
from fltheory.theory.steps import Instance, Proof, equality, identity, inequality
from fltheory.theory.values import exact_value
from verify.lecture2022.averages import expectation, jensen, second_moment_of_mean
from verify.lecture2022.descent import descent_lemma
from verify.lecture2022.runs import mean, sign_noises

of_display_3 = identity_claim.sharing(source="proof of Theorem 1, (3)")
side_note_at_3 = definition_in_words.sharing(source="side note at (3)")
last_line_of_3 = inequality_claim.sharing(source="proof of Theorem 1, last line of (3)")

m, n, beta = sp.symbols("m n beta", real=True)
v = sp.Symbol("v", nonnegative=True)


@inequality_claim(
    "LEC-P1",
    statement=r"\mathbb{E}f(\bar x^t)\le\mathbb{E}f(\bar x^{t-1})+\mathbb{E}\langle\nabla f(\bar x^{t-1}),\bar "
    r"x^t-\bar x^{t-1}\rangle+\tfrac L2\mathbb{E}\|\bar x^t-\bar x^{t-1}\|^2",
    printed=dict(constant="1/2"),
    source="proof of Theorem 1, (1)",
    summary="The descent lemma holds for the average of L-smooth functions, in expectation.",
    controls=[Control("L/2 -> 0.99 L/2", dict(constant="99/200"))],
)
def descent(constant: str) -> Evidence:
    distance, half = sp.Symbol("h", real=True), Fraction(1, 2)
    smooth = jensen("the average of L-smooth functions is L-smooth", L**2 * distance**2, "each client")
    return decide(
        Proof((smooth, descent_lemma(sp.Rational(constant)))),
        lambda: [
            Instance(f"f=x^2/2, x={x}, h={h}", (x + h) ** 2 * half, x**2 * half + x * h + Fraction(constant) * h**2)
            for x in (Fraction(0), Fraction(1))
            for h in (Fraction(1), Fraction(-2))
        ],
        method="Remainder as an integral along the segment, bounded by smoothness; expectation is monotone.",
        valid_for="all L-smooth clients, all N, d",
    )


@of_display_3(
    "LEC-P3a.1",
    statement=r"\mathbb{E}\|\tfrac1N\textstyle\sum_iG_i\|^2=\mathbb{E}\|\tfrac1N\sum_i(G_i-\nabla f_i(x_i))\|^2"
    r"+\mathbb{E}\|\tfrac1N\sum_i\nabla f_i(x_i)\|^2",
    printed=dict(bias=0),
    summary="Second moment = variance + squared mean, with the mean conditional on the past.",
    controls=[Control("gradients with bias 1", dict(bias=1))],
)
def variance_split(bias: int) -> Evidence:
    total = expectation((m + bias + n) ** 2, {n: v})
    around = expectation((bias + n) ** 2, {n: v})

    def instances() -> Iterator[Instance]:
        for size in (Fraction(0), Fraction(2)):
            z = [1 + bias + noise(1, 0) for noise in sign_noises(1, 1, size)]
            left, right = mean([x**2 for x in z]), mean([(x - 1) ** 2 for x in z]) + 1
            yield equality(f"true gradient 1, bias {bias}, noise +-{size}", left, right)

    return decide(
        Proof((identity("E|z|^2 = E|z-m|^2 + |m|^2", total, around + m**2),)),
        instances,
        method="The cross term of the noise with anything determined by the past has expectation zero.",
        valid_for="every law with conditional mean m, all N, d",
    )


def outer(orientation: str) -> Evidence:
    """Whether |z|^2 = z z^T for z as a row or as a column."""
    x, y = sp.symbols("x y", real=True)
    vector = sp.Matrix([[x, y]]) if orientation == "row" else sp.Matrix([x, y])
    product = vector * vector.T
    good = product.shape == (1, 1) and sp.expand(product[0, 0] - x**2 - y**2) == 0
    if good:
        return by_proof("Multiply out for d = 2.")
    entries = Side("entries of E[z]E[z]^T", product.shape[0] * product.shape[1])
    words = f"z a {orientation} vector, |E z|^2 a number"
    return by_witness(Witness({"d": 2}, entries, "=", 1, (), words), method="Multiply out for d = 2.", rung=Rung.PROOF)


outer_row = side_note_at_3(
    "LEC-P3a.2[row vectors]",
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
    statement=r"\mathbb{E}\|\tfrac1N\textstyle\sum_i(G_i-\nabla "
    r"f_i(x_i))\|^2=\tfrac1{N^2}\sum_i\mathbb{E}\|G_i-\nabla f_i(x_i)\|^2",
    printed=dict(shared=False),
    summary="For independent zero-mean noises variances add (with equality); independence over clients is needed.",
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


def last_line(form: str) -> Evidence:
    """Second moment of the step: noise over N plus the squared mean gradient, with or without the noise."""
    gradient = sp.Symbol("b", real=True)
    right = s**2 * gradient**2 / N if form == "as dumped" else s**2 * sigma**2 / N + s**2 * gradient**2
    left = s**2 * expectation((gradient + n) ** 2, {n: v})
    step = inequality(
        "second moment of the step",
        left,
        right,
        premises={"noise": (s**2, sigma**2 / N - v)},
        ranges=[(N, 1, None), (s, 0, None), (sigma, 0, None)],
    )

    def instances() -> Iterator[Instance]:
        for slope, size, count in ((1, 0, 2), (0, 1, 1), (1, 1, 2)):
            noises = sign_noises(count, 1, Fraction(size))
            moment = mean([(slope + mean([noise(1, i) for i in range(count)])) ** 2 for noise in noises])
            text = f"s=1, N={count} clients with gradient {slope} and noise +-{size}"
            yield Instance(text, moment, exact_value(right, {s: 1, N: count, gradient: slope, sigma: size}))

    return decide(
        Proof((step,)),
        instances,
        method="Variance split and additivity, then variance <= sigma^2.",
        valid_for="all N, d",
    )


last_line_dumped = last_line_of_3(
    "LEC-P3c[as dumped]",
    fault="transcription",
    statement=r"\mathbb{E}\|\bar x^t-\bar x^{t-1}\|^2\le\tfrac1Ns^2\mathbb{E}\|\tfrac1N\textstyle\sum_i\nabla "
    r"f_i(x_i^{t-1})\|^2",
    printed=dict(form="as dumped"),
    repair="LEC-P3c[variance term restored]",
    headline="As transcribed a line of the proof has lost its variance term",
    summary="As transcribed from handwriting the line lost its variance term and put 1/N at the gradient; the "
    "original would tell.",
    controls=[Control("variance term restored", dict(form="restored"), must="pass")],
)(last_line)

last_line_restored = last_line_of_3(
    "LEC-P3c[variance term restored]",
    statement=r"\mathbb{E}\|\bar x^t-\bar "
    r"x^{t-1}\|^2\le\tfrac1Ns^2\sigma^2+s^2\mathbb{E}\|\tfrac1N\textstyle\sum_i\nabla f_i(x_i^{t-1})\|^2",
    printed=dict(form="restored"),
    summary="What (7) needs and what the line above gives; attained by noises of variance sigma^2.",
    controls=[Control("as transcribed", dict(form="as dumped"))],
)(last_line)


if __name__ == "__main__":
    run_script(__file__)
