"""Lemma 1 of the elastic aggregation supplement: the weights make the sum telescope (induction over R)."""

from collections.abc import Iterator
from fractions import Fraction

import sympy as sp

from fltheory.evidence.derive import by_derivation
from fltheory.evidence.kinds import algebra_claim, identity_claim, run_script
from fltheory.evidence.model import Control, Evidence
from fltheory.evidence.tight import attained
from fltheory.theory.states import proves
from fltheory.theory.steps import Instance, equality
from fltheory.theory.values import exact_value
from verify.elastic2023 import tuned_sums, tuned_values, tuning
from verify.elastic2023.derivations import recursions
from verify.elastic2023.tuned_sums import weighted_sum
from verify.elastic2023.tuning import TELESCOPED, TELESCOPED_SHARP

first_display = algebra_claim.sharing(source="proof of Lemma 1, first display")

ONE, HALF = Fraction(1), Fraction(1, 2)
GENERAL = "all R >= 0, all {}sequences, 0 < q = mu eta < 1, c >= 0"
#: Sequences (d_0, ..., d_{R+1}) and values of q on which definitions are evaluated.
SEQUENCES = (
    (Fraction(0), Fraction(0)),
    (ONE, Fraction(0)),
    (ONE, Fraction(0), Fraction(0)),
    (ONE, Fraction(2), HALF, Fraction(3)),
)
SHARES = (Fraction(1, 1000), HALF, Fraction(9, 10))
#: What the derivations suppose of the step.
SHORT = (tuning.mu * tuning.eta < 1,)


@identity_claim(
    "EL-L1-W",
    source="proof of Lemma 1, first display",
    statement=r"w_r(1-\mu\eta)=w_{r-1},\quad \Psi_R=\frac{1}{\eta W_R}\sum_{r=1}^{R+1}(w_{r-1}d_{r-1}-w_rd_r)"
    r"+\frac{c\eta}{W_R}\sum_{r=1}^{R+1}w_r",
    summary="With these weights the sum becomes a telescoping one.",
    printed=dict(rate="1"),
    controls=[Control("weights (1 - mu eta/2)^(1-r)", dict(rate="1/2"))],
)
def weights(rate: str) -> Evidence:
    def instances() -> Iterator[Instance]:
        for d in SEQUENCES:
            for q in SHARES:
                b = 1 - Fraction(rate) * q
                w = [b ** (1 - r) for r in range(len(d))]
                total = sum(w[1:])
                split = sum(w[r - 1] * d[r - 1] - w[r] * d[r] for r in range(1, len(d))) / (q * total) + q
                value = weighted_sum(d, mu=ONE, eta=q, c=ONE, rate=Fraction(rate))
                text = f"mu = c = 1, eta = {q}, d = ({', '.join(map(str, d))})"
                yield equality(text, value, split)

    return by_derivation(
        lambda: recursions.weights_of_lemma_1(rate),
        instances,
        method="Identity of the generic summand; sums of equal summands are equal.",
        valid_for=GENERAL.format(""),
    )


def telescoped(coefficient: sp.Expr, noise: sp.Expr, negative: bool, stated: sp.Expr) -> Evidence:
    """``Psi_R <= coefficient d_0/(eta W_R) + noise c eta`` for nonnegative sequences (or for any, if ``negative``)."""

    def instances() -> Iterator[Instance]:
        for d in (*SEQUENCES, *([(Fraction(0), -ONE)] if negative else [])):
            for q in SHARES:
                share = exact_value(coefficient, {tuning.q: q})
                right = share * d[0] / (q * tuned_sums.weight_total(q, len(d) - 2)) + exact_value(noise) * q
                text = f"mu = c = 1, eta = {q}, R = {len(d) - 2}, d = ({', '.join(map(str, d))})"
                yield Instance(text, weighted_sum(d, mu=ONE, eta=q, c=ONE), right)

    sharp = bool((coefficient - (1 - tuning.q)).equals(0))
    general = "1 is the best constant for all q; for a given q it is 1 - q (EL-L1-TEL-S1)"
    return by_derivation(
        lambda: recursions.lemma_1_telescoped(
            f"({coefficient})", f"({noise})", tuned_values.in_letters(stated), nonnegative=not negative
        ),
        instances,
        method="Telescoping over the rounds, w_0 = 1 - q, and w_{R+1} d_{R+1} >= 0 is dropped.",
        valid_for=GENERAL.format("non-negative "),
        tightness=attained("equality for d_{R+1} = 0" if sharp else general),
    )


@first_display(
    "EL-L1-TEL",
    headline="The summed recursion leaves the start over step and weights, plus the noise",
    statement=TELESCOPED,
    proves=proves(
        TELESCOPED,
        lambda coefficient, noise: coefficient * tuning.d_0 / (tuning.eta * tuning.W) + noise * tuning.c * tuning.eta,
        under=SHORT,
    ),
    summary="The sum telescopes to d_0/(eta W_R) plus c eta.",
    printed=dict(coefficient="1", noise="1", negative=False),
    controls=[
        Control("coefficient of d_0 times 0.99", dict(coefficient="99/100")),
        Control("coefficient of c eta times 0.99", dict(noise="99/100")),
        Control("the sequence may be negative", dict(negative=True)),
    ],
)
def telescoping(coefficient: str, noise: str, negative: bool) -> Evidence:
    first, second = sp.Rational(coefficient), sp.Rational(noise)
    stated = TELESCOPED.expression.subs({tuning.d_0: first * tuning.d_0, tuning.c: second * tuning.c})
    return telescoped(first, second, negative, stated)


@first_display(
    "EL-L1-TEL-S1",
    statement=TELESCOPED_SHARP,
    proves=proves(
        TELESCOPED_SHARP,
        lambda factor: (
            factor * (1 - tuning.mu * tuning.eta) * tuning.d_0 / (tuning.eta * tuning.W) + tuning.c * tuning.eta
        ),
        under=SHORT,
    ),
    headline="The telescoped sum keeps a factor that is lost in print",
    summary="The factor 1 - mu eta of the first term is lost in print.",
    printed=dict(factor="1"),
    controls=[Control("coefficient of d_0 times 0.99", dict(factor="99/100"))],
)
def telescoping_sharp(factor: str) -> Evidence:
    stated = TELESCOPED_SHARP.expression.subs(tuning.d_0, sp.Rational(factor) * tuning.d_0)
    return telescoped(sp.Rational(factor) * (1 - tuning.q), sp.Integer(1), False, stated)


if __name__ == "__main__":
    run_script(__file__)
