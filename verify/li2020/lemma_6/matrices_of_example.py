"""What the proof of Lemma 6 forms of the matrices of the example, on instances."""

import sympy as sp

from verify.li2020.appendix_c.closed_forms import N, p
from verify.li2020.appendix_c.example import SMALLEST, Example

ETA = sp.Symbol("eta", positive=True)
GENERAL = "all N >= 2, p >= 2, mu = 0"


def rounds(local_steps: int) -> str:
    """Definitions of the matrices at N = p = 2, and of M, S (the sum of the powers up to E - 1) and the fixed point ``wt``."""
    powers = " + ".join(f"B1**{power}" for power in range(local_steps))
    return (
        f"{SMALLEST.written}; B1 = I - eta*A1; B2 = I - eta*A2; M = (B1**{local_steps} + B2**{local_steps})/2; "
        f"S = {powers}; wt = (I - M)**-1*(eta/2*S*b)"
    )


def source_matrix(example: Example) -> sp.MatrixBase:
    """``V - A_1 A``, ``V = sum_k A_k^2``, whose image of ``w*`` is the source of the bias."""
    return sum((a * a for a in example.clients), -example.clients[0] * example.total)


def product_norm(example: Example) -> sp.Expr:
    """``|A_1 A_2 w*|^2``."""
    image = example.clients[0] * example.clients[1] * example.optimum
    return sp.Add(*(entry**2 for entry in image))


def at_size(expression: sp.Expr, example: Example) -> sp.Expr:
    """An expression in N and p at those of the instance."""
    return expression.subs({N: example.n_clients, p: example.block})
