r"""Equations (1)-(7) and Definitions 4.2, D.1, D.4 of Augenstein et al. (2022), as displays and as exact finite laws.

=========  =====================================================================
symbol     meaning
=========  =====================================================================
a, b       gradients of f_f and f_c at a point (their sum is the gradient of f)
wf         proportion w_f of the federated loss; w_c = 1 - w_f
G, B       constants of Definition 4.2
u, r       difference of two gradients and of their points
=========  =====================================================================
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import combinations, product

import sympy as sp

from fltheory.theory.conditions import Condition
from fltheory.theory.mixed2022.scalars import scalars
from fltheory.theory.mixed2022.vocabulary import Bound
from fltheory.theory.notation import NormSq

a, b, wf, G, B = sp.symbols("a b wf G B")
W_C = 1 - wf
#: 0 < w_f < 1 as w_f = t/(1 + t): the ranges of the certificates.
PROPORTION = ((wf, 0, 1),)
NAMES = {"a": r"\nabla f_f(x)", "b": r"\nabla f_c(x)", "wf": "w_f"}
_WEIGHT = Condition("0 < w_f < 1, w_c = 1 - w_f", sp.And(wf > 0, wf < 1))

#: Left side of Definition 4.2.
SPLIT = NormSq(a) / wf + NormSq(b) / W_C
TOTAL = NormSq(a + b)
DEFINITION_42 = Bound(
    "Definition 4.2",
    "Definition 4.2",
    SPLIT,
    G**2 + B**2 * TOTAL,
    (_WEIGHT,),
    symbol_names=NAMES,
    ids=("MX-DEF42.1", "MX-DEF42.2"),
)
DECOMPOSITION = Bound(
    "mean and spread of the weighted gradients",
    "Definition 4.2",
    SPLIT - TOTAL,
    NormSq(W_C * a - wf * b) / (wf * W_C),
    (_WEIGHT,),
    "=",
    symbol_names=NAMES,
    ids=("MX-DEF42.1", "MX-EQ7.1"),
)


def spread() -> sp.Expr:
    """Left side of Definition 4.2 less |grad f|^2, as a form in commuting scalars (Gram reduction)."""
    return scalars(SPLIT - TOTAL)


def closed_form() -> sp.Expr:
    """|w_c grad f_f - w_f grad f_c|^2/(w_f w_c), as a form in commuting scalars."""
    return scalars(DECOMPOSITION.expression)


def batches(n: int, size: int, scheme: str) -> Iterator[tuple[Fraction, tuple[int, ...]]]:
    """All batches of rows 0..n-1 with their probabilities.

    ``scheme``: "without replacement", "with replacement", or "blocks": one of the consecutive blocks of an epoch, all
    equally likely, the last one smaller where ``size`` does not divide ``n``.
    """
    if scheme == "without replacement":
        rows: Sequence[tuple[int, ...]] = list(combinations(range(n), size))
    elif scheme == "with replacement":
        rows = list(product(range(n), repeat=size))
    elif scheme == "blocks":
        rows = [tuple(range(i, min(i + size, n))) for i in range(0, n, size)]
    else:
        raise ValueError(f"scheme={scheme!r} is unknown; expected 'with(out) replacement' or 'blocks'")
    return ((Fraction(1, len(rows)), batch) for batch in rows)


def batch_moments(values: Sequence[Fraction], size: int, scheme: str) -> tuple[Fraction, Fraction]:
    """Mean and variance of the mean of a batch, by enumeration."""
    law = [
        (p, sum((values[i] for i in rows), Fraction(0)) / len(rows)) for p, rows in batches(len(values), size, scheme)
    ]
    mean = sum((p * m for p, m in law), Fraction(0))
    return mean, sum((p * (m - mean) ** 2 for p, m in law), Fraction(0))
