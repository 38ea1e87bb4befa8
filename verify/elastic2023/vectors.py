r"""Lemmas 3 and 4 of the elastic aggregation supplement: squared norms of sums of vectors and of random vectors.

| symbol    | meaning                                                                                     |
|-----------|---------------------------------------------------------------------------------------------|
| v_i, v_j  | vectors; ``a > 0`` a number                                                                 |
| tau       | number of vectors                                                                           |
| xi_i      | (conditional) mean of Xi_i, ``sigma^2`` bounds E abs(Xi_i - xi_i)^2                         |
| S, Mean   | squared norm of the sum of the xi_i, and its expectation where the xi_i are random          |

:class:`Finite` is a finite probability space with the values of Xi_i and xi_i on it; expectations are exact.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product

import sympy as sp

from fltheory.theory.averages import Averages
from fltheory.theory.conditions import Condition
from fltheory.theory.elastic2023.vocabulary import Bound
from fltheory.theory.notation import NormSq
from fltheory.theory.steps import Step, identity, inequality

v_i, v_j = sp.symbols("v_i v_j")
a = sp.Symbol("a", positive=True)
tau = sp.Symbol("tau", positive=True)
sigma = sp.Symbol("sigma", nonnegative=True)
sum_of_means = sp.Symbol("S", nonnegative=True)
_SUM, _EXPECTED = r"\left\|\sum_{i=1}^{\tau}\xi_i\right\|^2", r"\mathbb{E}\left\|\sum_{i=1}^{\tau}\xi_i\right\|^2"
_LEFT = r"\mathbb{E}\left\|\sum_{i=1}^{\tau}\Xi_i\right\|^2"
_VARIANCE = Condition("E|Xi_i - xi_i|^2 <= sigma^2")

TRIANGLE = Bound(
    "relaxed triangle inequality",
    "Lemma 3, (9)",
    NormSq(v_i + v_j),
    (1 + a) * NormSq(v_i) + (1 + 1 / a) * NormSq(v_j),
    (Condition("a > 0", sp.Gt(a, 0)),),
    ids=("EL-LEM3.1",),
)
IDENTITY = {
    name: Bound(
        f"identity of the proof, inner sign {name}",
        "proof of Lemma 3",
        NormSq(v_i + v_j),
        (1 + a) * NormSq(v_i) + (1 + 1 / a) * NormSq(v_j) - NormSq(sp.sqrt(a) * v_i + factor * v_j / sp.sqrt(a)),
        (Condition("a > 0", sp.Gt(a, 0)),),
        relation="=",
        ids=(f"EL-L3-ID[inner sign {name}]",),
        repaired_by="" if factor < 0 else "EL-L3-ID[inner sign minus]",
    )
    for name, factor in (("plus", 1), ("minus", -1))
}
MEAN_VARIANCE = Bound(
    "separating mean and variance",
    "Lemma 4, (10)",
    _LEFT,
    sum_of_means + tau**2 * sigma**2,
    (Condition("E[Xi_i] = xi_i"), _VARIANCE),
    symbol_names={"S": _SUM},
    ids=("EL-LEM4.1",),
)
MARTINGALE = Bound(
    "separating mean and variance of a martingale",
    "Lemma 4, (11)",
    _LEFT,
    2 * sum_of_means + 2 * tau * sigma**2,
    (Condition("E[Xi_i | Xi_{i-1}, ..., Xi_1] = xi_i"), _VARIANCE),
    symbol_names={"S": _EXPECTED},
    ids=("EL-LEM4.2[expectation on the right]",),
)
MARTINGALE_AS_PRINTED = Bound(
    "separating mean and variance of a martingale, no expectation on the right",
    "Lemma 4, (11)",
    _LEFT,
    2 * sum_of_means + 2 * tau * sigma**2,
    MARTINGALE.conditions,
    symbol_names={"S": _SUM},
    ids=("EL-LEM4.2[almost surely]",),
    repaired_by="EL-LEM4.2[expectation on the right]",
)
MARTINGALE_SHARP = Bound(
    "separating mean and variance of a martingale, sharp",
    "Lemma 4",
    _LEFT,
    2 * sum_of_means + (2 * tau - 1) * sigma**2,
    MARTINGALE.conditions,
    symbol_names={"S": _EXPECTED},
    ids=("EL-LEM4-S1",),
)

# the noise of one step given the past: mean zero; the past is fixed
past, means, noise, deviation = sp.symbols("M_past S_xi noise noise_dev")
#: Conditional expectation given the past.
GIVEN_THE_PAST = Averages(vectors={noise: (0, deviation)}, common_vectors=(past, means))


def mean_of_squares(name: str, factor: sp.Expr, by: sp.Expr) -> Step:
    """``by |mean of the v_i|^2 <= factor by (mean of the |v_i|^2)``: mean and deviation over the tau vectors."""
    return inequality(
        name,
        by * v_mean**2,
        factor * by * OVER_VECTORS.of(v**2),
        squares=[(factor * by, v_dev), ((factor - 1) * by, v_mean)],
        ranges=[(tau, 1, None)],
    )


def martingale_steps() -> tuple[Step, ...]:
    """``E|M_j|^2 = E|M_{j-1}|^2 + E|m_j|^2``, hence ``E|M_tau|^2 = sum E|m_i|^2 <= tau sigma^2``, by induction."""
    total, last = sp.symbols("Q_past Q_last", nonnegative=True)
    j = sp.Symbol("j", nonnegative=True)
    return (
        identity(
            "given the past: |M + m|^2 averages to |M|^2 + E|m|^2",
            GIVEN_THE_PAST.of((past + noise) ** 2),
            past**2 + deviation**2,
        ),
        inequality(
            "induction: E|M_j|^2 <= j sigma^2",
            total + last,
            (j + 1) * sigma**2,
            premises={"E|M_{j-1}|^2": (1, j * sigma**2 - total), "E|m_j|^2": (1, sigma**2 - last)},
        ),
    )


v, v_mean, v_dev = sp.symbols("v v_mean v_dev")
#: The mean over the tau vectors.
OVER_VECTORS = Averages(vectors={v: (v_mean, v_dev)}, common_vectors=(v_mean,))
X, X_mean, X_dev, S, M = sp.symbols("X X_mean X_dev S M")
#: Expectation of a random vector, such as the sum of the Xi_i.
EXPECTATION = Averages(vectors={X: (X_mean, X_dev)}, common_vectors=(X_mean,))
Q = sp.Symbol("Q", nonnegative=True)


@dataclass(frozen=True)
class Finite:
    """Equally likely outcomes: ``values[o][i]`` of Xi_{i+1} and ``centres[o][i]`` of xi_{i+1} (numbers, dimension 1)."""

    text: str
    values: tuple[tuple[Fraction, ...], ...]
    centres: tuple[tuple[Fraction, ...], ...]

    def mean(self, form: Callable[[Sequence[Fraction], Sequence[Fraction]], Fraction]) -> Fraction:
        """Expectation of ``form(values, centres)``."""
        pairs = zip(self.values, self.centres, strict=True)
        return sum((form(x, c) for x, c in pairs), Fraction(0)) / len(self.values)

    @property
    def count(self) -> int:
        """tau."""
        return len(self.values[0])

    @property
    def second_moment(self) -> Fraction:
        """E|sum Xi_i|^2."""
        return self.mean(lambda x, _: sum(x, Fraction(0)) ** 2)

    @property
    def noise(self) -> Fraction:
        """E|sum (Xi_i - xi_i)|^2."""
        return self.mean(lambda x, c: (sum(x, Fraction(0)) - sum(c, Fraction(0))) ** 2)

    @property
    def variances(self) -> tuple[Fraction, ...]:
        """E|Xi_i - xi_i|^2 for each i."""
        return tuple(self.mean(lambda x, c, i=i: (x[i] - c[i]) ** 2) for i in range(self.count))  # type: ignore[misc]

    @property
    def squared_means(self) -> dict[str, Fraction]:
        """|sum xi_i|^2: its expectation, its smallest value, and with the xi_i replaced by their means."""
        sums = [sum(c, Fraction(0)) for c in self.centres]
        return {
            "expected": sum((s**2 for s in sums), Fraction(0)) / len(sums),
            "smallest": min(s**2 for s in sums),
            "of the means": (sum(sums, Fraction(0)) / len(sums)) ** 2,
        }

    @property
    def is_martingale(self) -> bool:
        """Whether E[Xi_i | Xi_{i-1}, ..., Xi_1] = xi_i, exactly."""
        for i in range(self.count):
            groups: dict[tuple[Fraction, ...], list[Fraction]] = {}
            for x, c in zip(self.values, self.centres, strict=True):
                groups.setdefault(x[:i], []).append(x[i] - c[i])
            fixed = {(x[:i], c[i]) for x, c in zip(self.values, self.centres, strict=True)}
            if any(sum(group, Fraction(0)) != 0 for group in groups.values()) or len(fixed) > len(groups):
                return False
        return True


def coin_tosses(
    count: int, text: str, centre: Callable[[Sequence[Fraction], int], Fraction], *, same: bool = False
) -> Finite:
    """Noise +-1 in each step (``same``: the same coin in all steps); ``centre(past noise, i)`` is xi_{i+1}."""
    tosses = (
        [(Fraction(s),) * count for s in (1, -1)]
        if same
        else [tuple(map(Fraction, signs)) for signs in product((1, -1), repeat=count)]
    )
    centres = tuple(tuple(centre(noise[:i], i) for i in range(count)) for noise in tosses)
    values = tuple(
        tuple(n + c for n, c in zip(noise, row, strict=True)) for noise, row in zip(tosses, centres, strict=True)
    )
    return Finite(text, values, centres)


def same_noise(count: int, centre: Fraction = Fraction(0), text: str = "") -> Finite:
    """Noise +-1, the same in all steps, around one ``centre``."""
    return coin_tosses(count, f"tau = {count}, noise +-1, the same in all steps{text}", lambda _, i: centre, same=True)


def second_mean(text: str, of_the_first: Callable[[Fraction], Fraction]) -> Finite:
    """Two steps with independent noise +-1, xi_1 = 0 and xi_2 a function of the noise of the first step."""
    return coin_tosses(
        2,
        f"tau = 2, noise +-1 independent, xi_1 = 0, xi_2 = {text}",
        lambda noise, i: of_the_first(noise[0]) if i else Fraction(0),
    )


def worst_martingale(count: int) -> Finite:
    """Independent signs, and xi_tau the sum of the signs before it: attains 2 tau - 1."""
    return coin_tosses(
        count,
        f"tau = {count}, noise +-1 independent, xi_tau = sum of the noise before, other xi_i = 0",
        lambda noise, i: sum(noise, Fraction(0)) if i == count - 1 else Fraction(0),
    )
