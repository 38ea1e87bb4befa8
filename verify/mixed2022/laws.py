"""Finite laws of (Xi_1, ..., Xi_tau), real-valued and exact: means, conditional means and second moments by enumeration."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, product

Outcome = tuple[Fraction, ...]


@dataclass(frozen=True)
class Law:
    """``outcomes``: pairs (probability, values of Xi_1..Xi_tau).

    Raises
    ------
    ValueError : the probabilities do not sum to one.
    """

    name: str
    outcomes: tuple[tuple[Fraction, Outcome], ...]

    def __post_init__(self) -> None:
        mass = sum(p for p, _ in self.outcomes)
        if mass != 1:
            raise ValueError(f"probabilities of {self.name} sum to {mass}, not to 1")

    @property
    def size(self) -> int:
        """tau."""
        return len(self.outcomes[0][1])

    def means(self) -> list[Outcome]:
        """E Xi_i, repeated for every outcome."""
        mean = tuple(_mean([(p, values[i]) for p, values in self.outcomes]) for i in range(self.size))
        return [mean] * len(self.outcomes)

    def conditional_means(self) -> list[Outcome]:
        """E[Xi_i | Xi_1, ..., Xi_{i-1}] on every outcome."""
        columns: list[list[Fraction]] = []
        past = [0] * len(self.outcomes)  # number of the class of outcomes with the same earlier values
        for i in range(self.size):
            groups: dict[int, list[tuple[Fraction, Fraction]]] = {}
            for number, (p, values) in zip(past, self.outcomes, strict=True):
                groups.setdefault(number, []).append((p, values[i]))
            known = {number: _mean(group) for number, group in groups.items()}
            columns.append([known[number] for number in past])
            classes: dict[tuple[int, Fraction], int] = {}
            past = [
                classes.setdefault((number, values[i]), len(classes))
                for number, (_, values) in zip(past, self.outcomes, strict=True)
            ]
        return [tuple(column[n] for column in columns) for n in range(len(self.outcomes))]

    def expect(self, form: Callable[[Outcome, Outcome], Fraction], centres: Sequence[Outcome]) -> Fraction:
        """E form(Xi, xi) with xi given on every outcome."""
        pairs = zip(self.outcomes, centres, strict=True)
        return sum((p * form(values, centre) for (p, values), centre in pairs), start=Fraction(0))

    def moments(self, *, conditional: bool) -> MomentsOfSum:
        """The second moments of Lemma D.3 about the means or the conditional means."""
        centres = self.conditional_means() if conditional else self.means()
        each = [self.expect(lambda x, m, i=i: (x[i] - m[i]) ** 2, centres) for i in range(self.size)]  # type: ignore[misc]
        return MomentsOfSum(
            total=self.expect(lambda x, _: Fraction(sum(x)) ** 2, centres),
            centre=self.expect(lambda _, m: Fraction(sum(m)) ** 2, centres),
            noise=self.expect(lambda x, m: Fraction(sum(x) - sum(m)) ** 2, centres),
            single=Fraction(sum(each)),
            variance=max(each),
        )


@dataclass(frozen=True)
class MomentsOfSum:
    """E|sum Xi|^2, E|sum xi|^2, E|sum(Xi - xi)|^2, sum_i E|Xi_i - xi_i|^2 and max_i E|Xi_i - xi_i|^2."""

    total: Fraction
    centre: Fraction
    noise: Fraction
    single: Fraction
    variance: Fraction


def _mean(pairs: Sequence[tuple[Fraction, Fraction]]) -> Fraction:
    return sum((p * x for p, x in pairs), start=Fraction(0)) / sum((p for p, _ in pairs), start=Fraction(0))


def same_sign(size: int, mean: Fraction = Fraction(0)) -> Law:
    """All Xi_i equal to mean + eps with one fair sign eps."""
    half = Fraction(1, 2)
    shift = f"{mean} + " if mean else ""
    name = f"tau = {size}, all Xi_i = {shift}eps with one eps = 1 or -1 (probability 1/2 each)"
    return Law(name, tuple((half, (mean + eps,) * size) for eps in (Fraction(1), Fraction(-1))))


def constant(size: int) -> Law:
    """All Xi_i = 1 with certainty."""
    return Law(f"tau = {size}, all Xi_i = 1", ((Fraction(1), (Fraction(1),) * size),))


def walk(size: int, ratio: Fraction) -> Law:
    """Fair independent signs D_1..D_tau; Xi_i = D_i, and Xi_tau = ratio (D_1 + ... + D_{tau-1}) + D_tau."""
    signs = product((Fraction(1), Fraction(-1)), repeat=size)
    chance = Fraction(1, 2**size)
    name = f"D_1..D_{size} independent signs, Xi_i = D_i, but Xi_{size} = D_{size} + {ratio} (D_1 + ... + D_{size - 1})"
    return Law(name, tuple((chance, (*d[:-1], ratio * sum(d[:-1]) + d[-1])) for d in signs))


def long_walk(size: int, ratio: Fraction) -> Law:
    """As :func:`walk` with few outcomes: D_i is 2^i (then the game goes on), -2^i or 0 (then it ends), variance 2.

    The game is alive at step i with probability 4^(1-i); the three values have probability 1/4, 1/4 and 1/2.
    """
    quarter, outcomes = Fraction(1, 4), []

    def add(chance: Fraction, d: list[Fraction]) -> None:
        full = d + [Fraction(0)] * (size - len(d))
        outcomes.append((chance, (*full[:-1], ratio * sum(full[:-1]) + full[-1])))

    path: list[Fraction] = []
    for i in range(1, size + 1):
        alive, step = quarter ** (i - 1), Fraction(2) ** i
        add(alive * quarter, [*path, -step])
        add(alive / 2, [*path, Fraction(0)])
        path = [*path, step]
    add(quarter**size, path)
    name = (
        f"D_i = 2^i or -2^i (probability 1/4 each, on and on as long as it is 2^i) or 0, i = 1..{size}, E D_i^2 = 2; "
        f"Xi_i = D_i, but Xi_{size} = D_{size} + {ratio} (D_1 + ... + D_{size - 1})"
    )
    return Law(name, tuple(outcomes))


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
