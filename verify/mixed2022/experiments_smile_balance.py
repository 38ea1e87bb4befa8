"""Appendix C.2.1 of Augenstein et al. (2022): with nearly balanced labels a high accuracy cannot hide a bad one.

With shares q and 1 - q of the two labels, q <= 1/2, and accuracies a_1 and a_2 on them, the accuracy is
a = q a_1 + (1 - q) a_2, and the worse of the two labels has at least 1 - (1 - a)/q; both are equal where a_2 = 1.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import product

import sympy as sp

from fltheory.evidence.kinds import inequality_claim, run_script
from fltheory.evidence.model import Control, Evidence, Rung, Tightness
from fltheory.theory.steps import Instance, identity, sign
from verify.mixed2022.settled import settle

a1, a2 = sp.symbols("a_1 a_2", nonnegative=True)
q = sp.Symbol("q", positive=True)
TOTAL = q * a1 + (1 - q) * a2


def bound(constant: sp.Expr) -> sp.Expr:
    """``1 - constant (1 - a)/q``."""
    return 1 - constant * (1 - TOTAL) / q


def _instances(constant: Fraction, most: Fraction) -> Iterator[Instance]:
    """Shares up to ``most`` and accuracies on a grid; the exact border a_2 = 1 is among them."""
    shares = [share for share in map(Fraction, ("1/10", "1/4", "2/5", "1/2", "3/5", "9/10")) if share <= most]
    seconds = [Fraction(0), Fraction(1, 2), Fraction(9, 10), Fraction(1)]
    for share, tenths, second in product(shares, range(11), seconds):
        first = Fraction(tenths, 10)
        total = share * first + (1 - share) * second
        text = f"q = {share}, a_1 = {first}, a_2 = {second}, a = {total}: bound against the worse label"
        yield Instance(text, 1 - constant * (1 - total) / share, min(first, second))


@inequality_claim(
    "MX-EXP-SMILE-BAL",
    statement=r"\min(a_1,a_2) \ge 1-\frac{1-a}{q},\quad a=q a_1+(1-q)a_2,\ 0<q\le\tfrac12",
    summary="The worse label's accuracy is at least 1 - (1 - a)/q, with q the share of the rarer label: for balanced labels 2a - 1 "
    "(0.95 in all: no label below 0.90), for q = 0.1 nothing below a = 0.9.  The bound is attained.",
    source="Appendix C.2.1",
    printed=dict(constant=Fraction(1), most=Fraction(1, 2)),
    controls=[
        Control("(1 - a) times 0.99", dict(constant=Fraction(99, 100))),
        Control("q the share of any label, up to 9/10", dict(most=Fraction(9, 10))),
    ],
)
def worst_label(constant: Fraction, most: Fraction) -> Evidence:
    """Two differences written as sums of nonnegative terms; the worse label is one of the two."""
    c, top = sp.Rational(constant), sp.Rational(most)
    first, second = a1 - bound(c), a2 - bound(c)
    e1, e2, less = sp.symbols("e_1 e_2 r", nonnegative=True)
    # a_i = 1 - e_i with e_i >= 0, and q between 0 and its largest value, in coordinates that are only nonnegative.
    place = {a1: 1 - e1, a2: 1 - e2}
    share = top / (1 + less)
    ranges = ((e1, 0, 1), (e2, 0, 1), (less, 0, None))
    sharp = 1 - (1 - TOTAL) / q
    steps = (
        identity("a_1 - bound", first * q, q * (a1 - 1) + c * (q * (1 - a1) + (1 - q) * (1 - a2))),
        sign("label 1", sp.together(first.subs(place).subs(q, share)), ranges),
        sign("label 2", sp.together(second.subs(place).subs(q, share)), ranges),
        identity("sharp: a_2 = 1", (a1 - sharp).subs(a2, 1), 0),
    )
    return settle(
        steps,
        _instances(constant, most),
        method="1 - a = q (1 - a_1) + (1 - q)(1 - a_2) has nonnegative terms, and q <= 1 - q; polynomials of e_i = 1 - a_i "
        "in [0, 1]",
        valid_for="all 0 < q <= 1/2 and accuracies in [0, 1]",
        numbers={
            **{
                f"q = {share}, a = 0.95": f"at least {1 - Fraction(5, 100) / share}"
                for share in (Fraction(1, 2), Fraction(12, 25))
            },
            "AUC instead of accuracy": "no such bound: scores 1 and 2, threshold 0, has AUC 1 and one label all wrong",
        },
        tightness=Tightness(1.0, Rung.PROOF, "equal for a_2 = 1"),
    )


if __name__ == "__main__":
    run_script(__file__)
