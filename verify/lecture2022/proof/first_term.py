"""Proof of Theorem 1, displays (1) to (3): descent lemma and the second moment of one averaged step."""

from collections.abc import Iterator
from fractions import Fraction
from itertools import product

from fltheory.evidence.algebra import statement_of_algebra
from fltheory.evidence.derive import by_derivation
from fltheory.evidence.kinds import algebra_claim, definition_in_words, identity_claim, inequality_claim, run_script
from fltheory.evidence.matrices import Matrices
from fltheory.evidence.model import Control, Evidence
from fltheory.evidence.relations import Relations
from fltheory.theory.steps import Instance, equality
from verify.lecture2022.derivations.displays import descent as descent_of
from verify.lecture2022.derivations.displays import variances_of
from verify.lecture2022.displays import proof
from verify.lecture2022.orders import no_constant
from verify.lecture2022.proof.displayed import displayed, multiplied, times
from verify.lecture2022.runs import mean

of_display_3 = identity_claim.sharing(source="proof of Theorem 1, (3)")
side_note_at_3 = definition_in_words.sharing(source="side note at (3)")
last_line_of_3 = inequality_claim.sharing(source="proof of Theorem 1, last line of (3)")

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
    {"squared mean times 0.99": multiplied(proof.p_3_split, "99/100")},
    group=of_display_3,
    summary="Second moment = variance + squared mean, with the mean conditional on the past.",
)


#: As a row; and as a column of two entries, where the product has four, of which one that is not on its diagonal is not 0.
ROW = Matrices("z*T(z) = sq(T(z)) for z in R(1, d)", at=[{"z": "[[1, 2]]"}, {"z": "[[1], [2]]"}])
COLUMN = Matrices("P[1, 2] != 0; P[2, 2] != sq(z); T(z)*z = sq(z) for z = [1, 2]; P = z*T(z)")
outer_row = statement_of_algebra(
    "LEC-P3a.2[row vectors]",
    ROW,
    false={"column vectors": ("R(1, d)", "R(d, 1)")},
    group=side_note_at_3,
    says=r"\|E z\|^2=E[z]E[z]^T,\ z\in\mathbb{R}^{1\times d}:\quad ",
    headline="For row vectors the transcribed product is a squared length",
    summary="E[z]E[z]^T, as transcribed from handwriting, is the squared norm for row vectors.",
)

outer_column = no_constant(
    "LEC-P3a.2[column vectors]",
    r"\|E z\|^2=E[z]E[z]^T,\ z\in\mathbb{R}^{d}",
    COLUMN,
    ("row vectors", ROW),
    group=side_note_at_3,
    setting="z a column",
    method="Multiply out for d = 2.",
    fault="transcription",
    repair="LEC-P3a.2[row vectors]",
    headline="As transcribed a squared length is written as a matrix",
    summary="For a column the expression as transcribed from handwriting is a matrix: for z = (1, 2) an entry off its diagonal "
    "is not 0, while z^T z is the squared norm; the original would tell where the T stands.",
)


@of_display_3(
    "LEC-P3b",
    headline="Variances of independent noises add up",
    statement=r"\mathbb{E}\|\tfrac1N\textstyle\sum_i(G_i-\nabla "
    r"f_i(x_i))\|^2=\tfrac1{N^2}\sum_i\mathbb{E}\|G_i-\nabla f_i(x_i)\|^2",
    printed=dict(shared=False),
    summary="For noises of which each has mean zero whatever the other clients' noises are, variances add, with equality.",
    assumptions=("noises of different clients independent given the past",),
    controls=[Control("the same noise for all clients", dict(shared=True))],
)
def variances_add(shared: bool) -> Evidence:
    def instances() -> Iterator[Instance]:
        for count in (2, 3):
            drawn = [one for one in product((1, -1), repeat=count) if not shared or len(set(one)) == 1]
            moment = mean([Fraction(sum(one), count) ** 2 for one in drawn])
            yield equality(f"N={count}, noises +-1{' shared' if shared else ''}", moment, Fraction(1, count))

    return by_derivation(
        lambda: variances_of(centred=not shared),
        instances,
        method="One client after the other: its noise has mean zero given those before it, so that no cross term is left.",
        valid_for="all N, d",
    )


shared_noise = statement_of_algebra(
    "LEC-P3b-S1",
    Relations(
        "(total/N)**2 = N*(squares/N**2); total = N*n; squares = N*n**2; N >= 1 for n > 0; first_N = 1; next_N = N + 1; "
        "first_total = n; next_total = total + n; first_squares = n**2; next_squares = squares + n**2",
        uses={
            0: {"total = N*n": "2*n/(N + 1) + (total - N*n)/(N + 1)**2", "squares = N*n**2": "-1/(N + 1)"},
            1: {"total = N*n": "1"},
            2: {"squares = N*n**2": "1"},
        },
    ),
    headline="Averaging equal noises does not reduce their square",
    false={"variances add": ("N*(squares/N**2)", "squares/N**2")},
    group=algebra_claim,
    source="proof of Theorem 1, (3)",
    summary="Where N noises are one number n > 0, the square of their mean is N times the sum of their squares over N^2.",
)

last_line_dumped = displayed(
    "LEC-P3c[as dumped]",
    "(3)",
    proof.p_3_last,
    {"variance term restored": proof.p_3},
    broken=Relations(
        "(left**2 + right**2)/2 > s**2/M*g**2; (y - x)**2 > s**2/N*((g_1 + g_2)/2)**2 for s > 0; sigma > 0; M = 1; "
        "left = -s*(g + sigma); right = -s*(g - sigma); N = 2; g_1 > 0; g_2 >= 0; y = ((x - s*g_1) + (x - s*g_2))/N"
    ),
    must="pass",
    group=last_line_of_3,
    fault="transcription",
    repair="LEC-P3c[variance term restored]",
    headline="As transcribed a line of the proof has lost its variance term",
    summary="As transcribed from handwriting the line lost its variance term, which one client with the noises sigma and -sigma "
    "needs, and put 1/N at the gradient, which fails for two clients without noise; the original would tell.",
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
