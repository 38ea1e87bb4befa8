r"""Lemmas 3 and 4 of the elastic aggregation supplement: squared norms of sums of vectors and of random vectors.

| symbol    | meaning                                                                                     |
|-----------|---------------------------------------------------------------------------------------------|
| v_i, v_j  | vectors; ``a > 0`` a number                                                                 |
| tau       | number of vectors                                                                           |
| xi_i      | (conditional) mean of Xi_i, ``sigma^2`` bounds E abs(Xi_i - xi_i)^2                         |
| S, Mean   | squared norm of the sum of the xi_i, and its expectation where the xi_i are random          |

:class:`Finite` is a finite probability space with the values of Xi_i and xi_i on it; expectations are exact.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import Any

import sympy as sp

from fltheory.evidence.witness import Side, Witness
from fltheory.theory.conditions import Condition
from fltheory.theory.elastic2023.vocabulary import Bound
from fltheory.theory.notation import NormSq
from fltheory.theory.ranges import NONNEGATIVE

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

MARTINGALE_FIXED = Bound(
    "separating mean and variance of a martingale, conditional means not random",
    "Lemma 4, (11)",
    _LEFT,
    sum_of_means + tau * sigma**2,
    (*MARTINGALE.conditions, Condition("the xi_i are not random")),
    symbol_names={"S": _SUM},
    ids=("EL-LEM4.2[conditional means not random]",),
)
_NOISE, _EACH = r"\mathbb{E}\Big\|\sum_i(\Xi_i-\xi_i)\Big\|^2", r"\sum_i\mathbb{E}\|\Xi_i-\xi_i\|^2"
noise_square = sp.Symbol("Q", nonnegative=True)


def _total(name: str, left: str, right: sp.Expr, id: str, source: str, *conditions: Condition, **names: str) -> Bound:
    ranges = {"Q": NONNEGATIVE} if "Q" in names else {}
    return Bound(name, source, left, right, conditions, symbol_names=names, ids=(id,), ranges=ranges)


_MANY, _SQUARES = r"\sum_{i=1}^{\tau}v_i", r"\sum_{i=1}^{\tau}\|v_i\|^2"
MANY = _total("many vectors", rf"\Big\|{_MANY}\Big\|^2", tau * sum_of_means, "EL-LEM3.2", "Lemma 3, (9)", S=_SQUARES)
MEAN = _total(
    "Jensen's inequality",
    rf"\Big\|\frac1\tau{_MANY}\Big\|^2",
    sum_of_means,
    "EL-L3-JENSEN",
    "proof of Lemma 3",
    S=rf"\frac1\tau{_SQUARES}",
)
_SECOND = "proof of Lemma 4, second display"
CENTRED = _total("triangle inequality for the noise", _NOISE, tau * sum_of_means, "EL-L4-S1", _SECOND, S=_EACH)
CENTRED_VARIANCE = _total("variance of the noise", rf"\tau{_EACH}", tau**2 * sigma**2, "EL-L4-S1", _SECOND, _VARIANCE)
SPLIT = _total(
    "means and noise apart",
    _LEFT,
    2 * sum_of_means + 2 * noise_square,
    "EL-L4-S2[expectation of the first term]",
    "proof of Lemma 4, third display",
    S=_EXPECTED,
    Q=_NOISE,
)
ORTHOGONAL = _total(
    "noise of a martingale",
    rf"{_NOISE}=\sum_{{i,j}}\mathbb{{E}}\langle\Xi_i-\xi_i,\Xi_j-\xi_j\rangle={_EACH}",
    tau * sigma**2,
    "EL-L4-CROSS",
    "proof of Lemma 4, last display",
    *MARTINGALE.conditions,
)


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
        """|sum xi_i|^2: its expectation, and with the xi_i replaced by their means."""
        sums = [sum(c, Fraction(0)) for c in self.centres]
        mean = sum(sums, Fraction(0)) / len(sums)
        return {"expected": sum((s**2 for s in sums), Fraction(0)) / len(sums), "of the means": mean**2}

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


def two_steps(bound: Bound, smallest: bool, *centres: tuple[int, int]) -> list[Witness]:
    """The bound of E|Xi_1 + Xi_2|^2 by |xi_1 + xi_2|^2, where xi_1 = 0 and xi_2 = b + c (noise of step 1), noise +-e.

    The right side is read at the outcome where the noise of step 1 is -e (``smallest``), or with the mean of xi_2.
    """
    b, c, e, size = sp.symbols("b c e sigma")
    outcomes = [(b + (1 + c) * one * e + two * e) ** 2 for one in (1, -1) for two in (1, -1)]
    given: list[tuple[Any, str, Any]] = [
        (sum(b + c * one * e + two * e for two in (1, -1)) / 2, "=", b + c * one * e) for one in (1, -1)
    ]
    right = bound.expression.subs({sum_of_means: (b - c * e if smallest else b) ** 2, tau: 2, sigma: size})
    setting = "tau = 2, noise +-e independent, xi_1 = 0, xi_2 = b + c (noise of step 1), four equally likely outcomes"
    left, told = Side("E|sum|^2", sum(outcomes) / 4), Side("right side", right)
    return [
        Witness(dict(b=p, c=q, e=1, sigma=1), left, "<=", told, [*given, (e**2, "<=", size**2)], setting)
        for p, q in centres
    ]


def worst_martingale(count: int) -> Finite:
    """Independent signs, and xi_tau the sum of the signs before it: attains 2 tau - 1."""
    return coin_tosses(
        count,
        f"tau = {count}, noise +-1 independent, xi_tau = sum of the noise before, other xi_i = 0",
        lambda noise, i: sum(noise, Fraction(0)) if i == count - 1 else Fraction(0),
    )
