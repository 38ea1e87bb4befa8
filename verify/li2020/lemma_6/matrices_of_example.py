"""What the proof of Lemma 6 forms of the matrices of the example, on instances."""

from collections.abc import Iterable

import sympy as sp

from verify.li2020.appendix_c.closed_forms import N, p
from verify.li2020.appendix_c.example import Example, round_map

ETA = sp.Symbol("eta", positive=True)
#: One round at N = p = 2 in letters: ``M`` and its fixed point ``wt`` for E local steps.
SMALLEST = Example(2, 2)
GENERAL = "all N >= 2, p >= 2, mu = 0"


def rounds(local_steps: int) -> str:
    """Definitions of the matrices at N = p = 2, and of M, S (the sum of the powers up to E - 1) and the fixed point ``wt``."""
    powers = " + ".join(f"B1**{power}" for power in range(local_steps))
    return (
        f"{SMALLEST.written}; B1 = I - eta*A1; B2 = I - eta*A2; M = (B1**{local_steps} + B2**{local_steps})/2; "
        f"S = {powers}; wt = (I - M)**-1*(eta/2*S*b)"
    )


def total(matrices: Iterable[sp.MatrixBase]) -> sp.MatrixBase:
    """Sum of at least one matrix."""
    first, *rest = matrices
    return sum(rest, first)


def source_matrix(example: Example) -> sp.MatrixBase:
    """``V - A_1 A``, ``V = sum_k A_k^2``, whose image of ``w*`` is the source of the bias."""
    return total(a * a for a in example.clients) - example.clients[0] * example.total


def product_norm(example: Example, other: int = 2) -> sp.Expr:
    """``|A_1 A_other w*|^2``."""
    image = example.clients[0] * example.clients[other - 1] * example.optimum
    return sp.Add(*(entry**2 for entry in image))


def complement(example: Example, local_steps: int) -> sp.MatrixBase:
    """``I - M``, polynomials in eta."""
    return sp.eye(example.dimension) - round_map(example, local_steps, ETA)[0]


def at_size(expression: sp.Expr, example: Example) -> sp.Expr:
    """An expression in N and p at those of the instance."""
    return expression.subs({N: example.n_clients, p: example.block})
