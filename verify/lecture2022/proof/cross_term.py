"""Proof of Theorem 1, display (4): the cross term, its conditional expectation and the polarisation identity."""

from dataclasses import replace

from fltheory.evidence.kinds import identity_claim, run_script
from fltheory.evidence.relations import Relations
from fltheory.theory.notation import Expect, Inner
from verify.lecture2022.derivations.displays import product
from verify.lecture2022.displays import proof
from verify.lecture2022.orders import refuted_algebra
from verify.lecture2022.proof.displayed import displayed, multiplied
from verify.lecture2022.proof.one_step import at_values

side_note_at_4 = identity_claim.sharing(source="side note at (4)")
#: The side note in one dimension with a factor f, for either sign.
IN_NUMBERS = Relations("(a*b)**2 = (f*(a**2 + b**2 - (a - b)**2))**2 for f = 1")


cross_term = displayed(
    "LEC-P4.1",
    "(4)",
    proof.p_4,
    {"s/2 -> s": multiplied(proof.p_4, 2), "s/2 -> 0.99 s/2": multiplied(proof.p_4, "99/100")},
    group=identity_claim,
    source="proof of Theorem 1, (4)",
    summary="The display (4) is an identity: an inner product is written by three squares.",
)


side_note = refuted_algebra(
    "LEC-P4.2[as dumped]",
    IN_NUMBERS,
    ("1/2 in place of +-", IN_NUMBERS.changed("f = 1", "f = 1/2")),
    group=side_note_at_4,
    says=r"\langle a,b\rangle=\pm\left(\|a\|^2+\|b\|^2-\|a-b\|^2\right)",
    fault="transcription",
    repair="LEC-P4.2[one half]",
    headline="As transcribed a side note has the wrong factor",
    summary="The side note as transcribed; its sign +- is probably a misread 1/2, and the original handwriting would "
    "tell.",
)


side_note_half = displayed(
    "LEC-P4.2[one half]",
    "product",
    proof.side_product_half,
    {"factor 1": multiplied(proof.side_product_half, 2)},
    derived=lambda _, stated: product(stated),
    instances=lambda stated: at_values(stated, {}, "a = h = 1", a=(1,), h=(1,)),
    valid_for="",
    group=side_note_at_4,
    summary="This is the identity that (4) uses.",
)


_AT_THE_AVERAGE = -proof.s * Expect(Inner(proof.a, proof.over_clients(proof.h) / proof.N))
tower_own = displayed(
    "LEC-P4a",
    "unbiasedness",
    proof.p_4_mean,
    {"gradients at the average": replace(proof.p_4_mean, expression=_AT_THE_AVERAGE)},
    group=identity_claim,
    source="proof of Theorem 1, before (4)",
    summary="Tower property and unbiasedness, with the gradients at the clients' own points. (The transcribed "
    "handwriting has a stray bar over x_i.)",
)


if __name__ == "__main__":
    run_script(__file__)
