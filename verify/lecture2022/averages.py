r"""Two reductions that make the number of clients, the dimension and the noise law disappear.

*Mean and deviation.*  A client vector is z_i = m + d_i with sum_i d_i = 0, so for a quadratic form
    (1/N) sum_i q(z_i, w_i, c) = q(m_z, m_w, c) + (1/N) sum_i q(d_z,i, d_w,i, 0),
and the last term is a Gram form of the deviations.  Commuting scalar symbols may stand for the vectors of both
blocks, since an identity of quadratic forms holds for vectors of any dimension iff it holds for scalars.

*Zero cross moments.*  A term that is linear in a random vector with conditional mean zero has expectation zero.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import sympy as sp


def client_average(
    form: sp.Expr, clients: Mapping[sp.Symbol, tuple[sp.Expr, sp.Expr]], *, common: Sequence[sp.Symbol] = ()
) -> sp.Expr:
    """Average over the clients (or over any finite index set) of a quadratic form.

    Parameters
    ----------
    form : homogeneous of degree two in ``clients`` and ``common`` together.
    clients : vector symbol -> (symbol of its mean, symbol of its deviation).
    common : symbols of vectors that are the same for every client.

    Raises
    ------
    ValueError : the form is not quadratic in the vectors.
    """
    vectors = [*clients, *common]
    poly = sp.Poly(sp.expand(form), *vectors)
    if any(sum(powers) != 2 for powers, _ in poly.terms()):
        raise ValueError(f"form={form} is not a quadratic form in {', '.join(map(str, vectors))}")
    mean = poly.as_expr().subs({z: m for z, (m, _) in clients.items()}, simultaneous=True)
    deviation = poly.as_expr().subs(
        {**{z: d for z, (_, d) in clients.items()}, **dict.fromkeys(common, 0)}, simultaneous=True
    )
    return sp.expand(mean + deviation)


def expectation(form: sp.Expr, second_moments: Mapping[sp.Symbol, sp.Expr]) -> sp.Expr:
    """Conditional expectation over zero-mean, mutually uncorrelated noises; their squares become the given moments.

    Raises
    ------
    ValueError : a noise occurs with a power above two.
    """
    noises = list(second_moments)
    poly = sp.Poly(sp.expand(form), *noises)
    total = sp.Integer(0)
    for powers, coefficient in poly.terms():
        if max(powers) > 2 or sum(powers) > 2:
            raise ValueError(f"noise term with powers {powers} is beyond second moments")
        if sum(powers) == 0:
            total += coefficient
        elif max(powers) == 2:
            total += coefficient * second_moments[noises[powers.index(2)]]
    return sp.expand(total)


def second_moment_of_mean(variance: sp.Expr, covariance: sp.Expr, count: sp.Expr) -> sp.Expr:
    """E abs((1/N) sum_i n_i)^2 = (1/N^2) (N variance + N (N-1) covariance).

    ``variance`` is the average of E|n_i|^2 and ``covariance`` the average of E<n_i, n_j> over pairs i != j; no
    exchangeability is needed, since only the two averages enter.
    """
    return (count * variance + count * (count - 1) * covariance) / count**2
