r"""Equations (1)-(7) and Definitions 4.2, D.1, D.4 of Augenstein et al. (2022), as displays.

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

import sympy as sp

from fltheory.theory.conditions import Condition
from fltheory.theory.mixed2022.scalars import scalars
from fltheory.theory.mixed2022.vocabulary import MixedBound
from fltheory.theory.notation import NormSq

a, b, wf, G, B = sp.symbols("a b wf G B")
W_C = 1 - wf
#: 0 < w_f < 1 as w_f = t/(1 + t): the ranges of the certificates.
NAMES = {"a": r"\nabla f_f(x)", "b": r"\nabla f_c(x)", "wf": "w_f"}
WEIGHT = Condition("0 < w_f < 1, w_c = 1 - w_f", sp.And(wf > 0, wf < 1))

#: Left side of Definition 4.2.
SPLIT = NormSq(a) / wf + NormSq(b) / W_C
TOTAL = NormSq(a + b)
DEFINITION_42 = MixedBound(
    "Definition 4.2",
    "Definition 4.2",
    SPLIT,
    G**2 + B**2 * TOTAL,
    (WEIGHT,),
    symbol_names=NAMES,
    ids=("MX-DEF42.1", "MX-DEF42.2"),
)
DECOMPOSITION = MixedBound(
    "mean and spread of the weighted gradients",
    "Definition 4.2",
    SPLIT - TOTAL,
    NormSq(W_C * a - wf * b) / (wf * W_C),
    (WEIGHT,),
    "=",
    symbol_names=NAMES,
    ids=("MX-DEF42.1", "MX-EQ7.1"),
)


def closed_form() -> sp.Expr:
    """|w_c grad f_f - w_f grad f_c|^2/(w_f w_c), as a form in commuting scalars."""
    return scalars(DECOMPOSITION.expression)
