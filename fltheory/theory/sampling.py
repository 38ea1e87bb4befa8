r"""Random cohorts of clients: exact moments for any N and K, and exact enumeration for a few clients.

The server's new model is :math:`\sum_k a_k v_k` with random coefficients ``a``.  Three facts carry every proof for
a general number of clients; each is a function here and has a test:

* counting: the inclusion probabilities of a uniform K-subset are ratios of binomial coefficients;
* draws: a sum over K identically distributed draws has K single terms and K(K-1) ordered pairs of terms;
* power sums: a sum over ordered pairs :math:`i \ne j` is the square of the sum minus the sum of the squares, so a
  second moment needs only :math:`\sum p_k|x_k|^2`, :math:`\sum p_k^2|x_k|^2` and :math:`|\sum p_k x_k|^2`.

Enumeration uses ``fractions.Fraction`` and lists all cohorts; it is the independent check of the formulas.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, permutations, product
from math import comb, factorial, prod

import sympy as sp

N, K = sp.symbols("N K", positive=True)

Cohort = tuple[Fraction, tuple[int, ...]]
Draws = tuple[Fraction, tuple[int, ...]]


# ----------------------------------------------------------------------------- general N and K


def inclusion_probability(n: sp.Expr = N, k: sp.Expr = K) -> sp.Expr:
    """P(i in S) for a uniform k-subset of n: the C(n-1, k-1) subsets that contain i, out of C(n, k)."""
    return sp.combsimp(sp.binomial(n - 1, k - 1) / sp.binomial(n, k))


def pair_probability(n: sp.Expr = N, k: sp.Expr = K) -> sp.Expr:
    """P(i, j in S), i != j, for a uniform k-subset of n: C(n-2, k-2) subsets out of C(n, k)."""
    return sp.combsimp(sp.binomial(n - 2, k - 2) / sp.binomial(n, k))


@dataclass(frozen=True)
class CoefficientMoments:
    r"""Moments of the coefficients of a scheme, as polynomials in the weights p.

    ``E a_i = mean p_i``, ``E a_i^2 = single p_i + square p_i^2``, ``E a_i a_j = cross p_i p_j`` for i != j;
    ``absent`` is the mean weight of the old model.  ``A = sum p|x|^2``, ``Q = sum p^2|x|^2``, ``M = |sum p x|^2``
    for vectors x_1..x_N of any dimension; for any N by the power-sum reduction (:func:`pair_sum_step`).
    """

    mean: sp.Expr
    single: sp.Expr
    square: sp.Expr
    cross: sp.Expr
    absent: sp.Expr = sp.Integer(0)

    def second_moment(self, A: sp.Expr, Q: sp.Expr, M: sp.Expr) -> sp.Expr:
        """E |sum a_i x_i|^2."""
        return self.single * A + (self.square - self.cross) * Q + self.cross * M

    def spread(self, A: sp.Expr, Q: sp.Expr, M: sp.Expr) -> sp.Expr:
        """E |sum a_i x_i - sum p_i x_i|^2, the variance where ``mean`` is one."""
        return self.second_moment(A, Q, M) - 2 * self.mean * M + M


def draws_with_replacement(k: sp.Expr = K) -> CoefficientMoments:
    """Scheme I: a_i = (number of times i is drawn)/k; k single terms and k(k-1) independent pairs."""
    return CoefficientMoments(sp.Integer(1), k / k**2, k * (k - 1) / k**2, k * (k - 1) / k**2)


def scaled_subset(n: sp.Expr = N, k: sp.Expr = K) -> CoefficientMoments:
    """Scheme II: a_i = (n/k) p_i for i in a uniform k-subset."""
    scale, one, two = n / k, inclusion_probability(n, k), pair_probability(n, k)
    return CoefficientMoments(scale * one, sp.Integer(0), scale**2 * one, scale**2 * two)


def original_rule(n: sp.Expr = N, k: sp.Expr = K) -> CoefficientMoments:
    """Original rule: a_i = p_i for i in a uniform k-subset; the others' weight stays with the old model."""
    one, two = inclusion_probability(n, k), pair_probability(n, k)
    return CoefficientMoments(one, sp.Integer(0), one, two, 1 - one)


def scaling_second_moment(n: sp.Expr = N, k: sp.Expr = K, squares: sp.Expr | None = None) -> sp.Expr:
    """E Z^2 of Z = (n/k) sum_S p_i, from the sum of the squared weights (``x_i = 1``: A = M = 1, Q = sum p^2)."""
    total = sp.Symbol("q", positive=True) if squares is None else squares
    return sp.factor(scaled_subset(n, k).second_moment(sp.Integer(1), total, sp.Integer(1)))


def pair_sum_step() -> sp.Expr:
    r"""Induction step of :math:`\sum_{i\ne j}<x_i,x_j> = |\sum x_i|^2 - \sum|x_i|^2`; it vanishes when the step is valid.

    One more vector x next to the sum s adds 2<s,x> on the left and |s+x|^2 - |s|^2 - |x|^2 on the right.
    """
    s, x = sp.symbols("s x")
    return ((s + x) ** 2 - s**2 - x**2) - 2 * s * x


# ----------------------------------------------------------------------------- enumeration


def uniform_subsets(n: int, k: int) -> list[Cohort]:
    """All k-subsets of n clients as (probability, counts)."""
    probability = Fraction(1, comb(n, k))
    return [(probability, tuple(int(i in chosen) for i in range(n))) for chosen in combinations(range(n), k)]


def _counts(drawn: Sequence[int], n: int) -> tuple[int, ...]:
    return tuple(sum(1 for i in drawn if i == client) for client in range(n))


def weighted_draws(weights: Sequence[Fraction], k: int) -> list[Cohort]:
    """All multisets of k independent draws as (probability, counts)."""
    n = len(weights)
    law: dict[tuple[int, ...], Fraction] = {}
    for counts in product(range(k + 1), repeat=n):
        if sum(counts) == k:
            ways = factorial(k) // prod(factorial(c) for c in counts)
            law[counts] = ways * prod((w**c for w, c in zip(weights, counts, strict=True)), start=Fraction(1))
    return [(probability, counts) for counts, probability in law.items() if probability]


def first_responders(rates: Sequence[Fraction], k: int) -> list[Cohort]:
    """The k smallest of independent exponential response times with these rates, as (probability, counts)."""
    n = len(rates)
    law: dict[tuple[int, ...], Fraction] = {}
    for probability, drawn in successive_draws(rates, k):
        counts = _counts(drawn, n)
        law[counts] = law.get(counts, Fraction(0)) + probability
    return [(probability, counts) for counts, probability in law.items()]


def successive_draws(rates: Sequence[Fraction], k: int) -> list[Draws]:
    """k draws without replacement, each proportional to ``rates`` among those left, as (probability, indices)."""
    result = []
    for order in permutations(range(len(rates)), k):
        left, probability = sum(rates, start=Fraction(0)), Fraction(1)
        for client in order:
            probability *= rates[client] / left
            left -= rates[client]
        result.append((probability, order))
    return result


def independent_draws(weights: Sequence[Fraction], k: int) -> list[Draws]:
    """k independent draws as (probability, indices)."""
    return [
        (prod((weights[i] for i in order), start=Fraction(1)), order)
        for order in product(range(len(weights)), repeat=k)
    ]


def repeated_draw(weights: Sequence[Fraction], k: int) -> list[Draws]:
    """One draw used k times: identically distributed and as dependent as possible."""
    return [(weight, (i,) * k) for i, weight in enumerate(weights)]


Rule = Callable[[Sequence[int], Sequence[Fraction]], tuple[list[Fraction], Fraction]]


def plain_average(counts: Sequence[int], weights: Sequence[Fraction]) -> tuple[list[Fraction], Fraction]:
    """Coefficients count/K; no weight on the old model."""
    del weights
    return [Fraction(c, sum(counts)) for c in counts], Fraction(0)


def scaled_weights(counts: Sequence[int], weights: Sequence[Fraction]) -> tuple[list[Fraction], Fraction]:
    """Coefficients (N/K) p_k on the cohort; no weight on the old model."""
    scale = Fraction(len(counts), sum(counts))
    return [scale * c * w for c, w in zip(counts, weights, strict=True)], Fraction(0)


def absent_keep_old(counts: Sequence[int], weights: Sequence[Fraction]) -> tuple[list[Fraction], Fraction]:
    """Coefficients p_k on the cohort; the weight of the absent stays with the old model."""
    used = [c * w for c, w in zip(counts, weights, strict=True)]
    return used, 1 - sum(used, start=Fraction(0))


def normalised_weights(counts: Sequence[int], weights: Sequence[Fraction]) -> tuple[list[Fraction], Fraction]:
    """Coefficients p_k / sum of p over the cohort; no weight on the old model."""
    used = [c * w for c, w in zip(counts, weights, strict=True)]
    total = sum(used, start=Fraction(0))
    if total == 0:
        raise ValueError(f"the weights of the cohort {tuple(counts)} sum to zero")
    return [u / total for u in used], Fraction(0)


def expectation(cohorts: Iterable[Cohort], value: Callable[[tuple[int, ...]], Fraction]) -> Fraction:
    """Exact mean of a function of the cohort."""
    return sum((probability * value(counts) for probability, counts in cohorts), start=Fraction(0))


def weighted_mean(weights: Sequence[Fraction], values: Sequence[Fraction]) -> Fraction:
    """sum_k p_k x_k."""
    return sum((w * x for w, x in zip(weights, values, strict=True)), start=Fraction(0))


def aggregate_mean(
    cohorts: Iterable[Cohort],
    rule: Rule,
    weights: Sequence[Fraction],
    models: Sequence[Fraction],
    old: Fraction = Fraction(0),
) -> Fraction:
    """Exact mean of the new (one-dimensional) model."""
    return expectation(cohorts, lambda counts: _aggregate(rule, counts, weights, models, old))


def aggregate_spread(
    cohorts: Iterable[Cohort],
    rule: Rule,
    weights: Sequence[Fraction],
    models: Sequence[Fraction],
    old: Fraction = Fraction(0),
) -> Fraction:
    """Exact E (new model - sum p_k v_k)^2."""
    centre = weighted_mean(weights, models)
    return expectation(cohorts, lambda counts: (_aggregate(rule, counts, weights, models, old) - centre) ** 2)


def _aggregate(
    rule: Rule, counts: Sequence[int], weights: Sequence[Fraction], models: Sequence[Fraction], old: Fraction
) -> Fraction:
    coefficients, absent = rule(counts, weights)
    return weighted_mean(coefficients, models) + absent * old


def text(values: Iterable[object]) -> str:
    """Numbers as a tuple to read: ``(1/2, 1/2)``."""
    return "(" + ", ".join(map(str, values)) + ")"


def at(expression: sp.Expr, values: Mapping[str, object]) -> Fraction:
    """A rational expression at exact values of its symbols, given by name.

    Raises
    ------
    ValueError : the value is not a rational number.
    """
    given = sp.sympify(expression)
    number = sp.simplify(given.subs({s: sp.Rational(str(values[s.name])) for s in given.free_symbols}))
    if not isinstance(number, sp.Rational):
        raise ValueError(f"{expression} is {number} at {dict(values)}, which is not rational")
    return Fraction(int(number.p), int(number.q))
