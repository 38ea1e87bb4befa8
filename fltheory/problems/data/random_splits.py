"""Dividing labelled examples among clients at random: Dirichlet in both senses, log-normal sizes, Pachinko allocation, writers.

Every split is a list of disjoint arrays of indices, one per client; all randomness comes from one ``seed``.  Sizes by a power law
and few classes per client are in :mod:`fltheory.problems.data.splits`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from fltheory.problems.base import Array, check_count, check_positive
from fltheory.streams import check_seed

#: What a draw does when the label that was drawn has no example left.
WHEN_EXHAUSTED = ("remove", "stop")


class Exhausted(ValueError):
    """A label was drawn of which no example is left."""


def dirichlet_over_clients(labels: Array, n_clients: int, *, concentration: float, seed: int) -> list[Array]:
    """For every label its own vector of the clients' shares from a symmetric Dirichlet: sizes come out unequal.

    The examples of one label, in random order, are cut at the rounded cumulative shares, so that all of them are given away.
    """
    labels, rng = _labels(labels), _generator(seed)
    check_count("n_clients", n_clients)
    check_positive("concentration", concentration)
    parts: list[list[Array]] = [[] for _ in range(n_clients)]
    for label in np.unique(labels):
        rows = rng.permutation(np.flatnonzero(labels == label))
        shares = rng.dirichlet(np.full(n_clients, float(concentration)))
        cuts = np.rint(np.cumsum(shares)[:-1] * len(rows)).astype(np.int64)
        for part, rows_of_client in zip(parts, np.split(rows, cuts), strict=True):
            part.append(rows_of_client)
    return [np.sort(np.concatenate(part)) for part in parts]


def dirichlet_over_labels(
    labels: Array, sizes: Sequence[int], *, concentration: float, seed: int, exhausted: str = "remove"
) -> list[Array]:
    """For every client its own vector of label probabilities from a symmetric Dirichlet, and ``sizes[k]`` examples by it.

    Examples are drawn one after the other without replacement, client after client.  ``exhausted="remove"``: a label without
    examples is removed from the vector, which is renormalised; ``"stop"``: drawing it raises :class:`Exhausted`.
    """
    labels, rng = _labels(labels), _generator(seed)
    check_positive("concentration", concentration)
    _choice(exhausted)
    if sum(sizes) > len(labels):
        raise ValueError(f"sizes sum to {sum(sizes)}; only {len(labels)} examples are there")
    kinds = np.unique(labels)
    stock = [rng.permutation(np.flatnonzero(labels == kind)).tolist() for kind in kinds]
    parts = []
    for size in sizes:
        weights = rng.dirichlet(np.full(len(kinds), float(concentration)))
        drawn = []
        for _ in range(check_count("sizes", size)):
            kind = _draw(rng, weights, [len(rows) for rows in stock], exhausted, "label")
            drawn.append(stock[kind].pop())
        parts.append(np.sort(np.array(drawn, dtype=np.int64)))
    return parts


def log_normal_sizes(n_clients: int, total: int, *, deviation: float, seed: int, least: int = 1) -> Array:
    """``N`` sizes that sum to ``total``, in proportion to ``exp(deviation Z_k)`` with standard normal ``Z_k``.

    The larger the ``deviation`` of the logarithm, the larger is the squared coefficient of variation ``exp(deviation^2) - 1`` of
    the shares' law; a mean of the logarithm would cancel.  Every client first gets ``least``; largest remainders are rounded up.
    """
    check_count("n_clients", n_clients)
    check_count("least", least, least=0)
    if deviation < 0:
        raise ValueError(f"deviation={deviation} is negative")
    spare = check_count("total", total) - least * n_clients
    if spare < 0:
        raise ValueError(f"total={total} is too small; expected at least n_clients * least = {least * n_clients}")
    raw = np.exp(float(deviation) * _generator(seed).standard_normal(n_clients))
    ideal = spare * raw / raw.sum()
    sizes = np.floor(ideal).astype(np.int64)
    order = np.argsort(-(ideal - sizes), kind="stable")
    sizes[order[: spare - int(sizes.sum())]] += 1
    return np.asarray(sizes + least)


def by_writer(writers: Sequence[Any], *, least: int = 2) -> list[Array]:
    """One client for each writer with at least ``least`` examples, in the order of the writers' first examples."""
    check_count("least", least)
    rows: dict[Any, list[int]] = {}
    for row, writer in enumerate(writers):
        rows.setdefault(writer, []).append(row)
    return [np.array(mine, dtype=np.int64) for mine in rows.values() if len(mine) >= least]


def pachinko(
    coarse: Array,
    fine: Array,
    n_clients: int,
    per_client: int,
    *,
    seed: int,
    over_coarse: float = 0.1,
    over_fine: float = 10.0,
    coarse_exhausted: str = "remove",
) -> list[Array]:
    """Pachinko allocation (Fed-CIFAR100): coarse label, then fine label under it, then an example of it without replacement.

    ``coarse[i]`` and ``fine[i]`` are the labels of example ``i``; each fine label belongs to one coarse label.  Every client has
    probabilities of its own: over coarse labels from ``Dirichlet(over_coarse)``, and over the fine labels of every coarse one from
    ``Dirichlet(over_fine)``.  A fine label without examples is removed, and the rest renormalised, as it is printed.  The print
    says nothing of a coarse label all of whose fine labels are gone: ``coarse_exhausted="remove"`` treats it in the same way,
    which always comes to an end (there is an example left before each draw, hence a coarse label that has one);
    ``"stop"`` raises :class:`Exhausted` when it is drawn.  Served client after client.
    """
    coarse, fine, rng = _labels(coarse), _labels(fine), _generator(seed)
    check_count("n_clients", n_clients)
    check_count("per_client", per_client)
    check_positive("over_coarse", over_coarse)
    check_positive("over_fine", over_fine)
    _choice(coarse_exhausted)
    if coarse.shape != fine.shape or n_clients * per_client > len(fine):
        raise ValueError(
            f"{n_clients} clients of {per_client} examples from {len(fine)} with {len(coarse)} coarse labels: expected at "
            "least as many examples, and a coarse label for each"
        )
    tree = [np.unique(fine[coarse == above]) for above in np.unique(coarse)]
    if sum(map(len, tree)) != len(np.unique(fine)):
        raise ValueError("a fine label belongs to two coarse labels")
    stock = [[rng.permutation(np.flatnonzero(fine == kind)).tolist() for kind in kinds] for kinds in tree]
    left = [sum(map(len, rows)) for rows in stock]
    parts = []
    for _ in range(n_clients):
        above = rng.dirichlet(np.full(len(tree), float(over_coarse)))
        below = [rng.dirichlet(np.full(len(kinds), float(over_fine))) for kinds in tree]
        drawn = []
        for _ in range(per_client):
            one = _draw(rng, above, left, coarse_exhausted, "coarse label")
            two = _draw(rng, below[one], [len(rows) for rows in stock[one]], "remove", "fine label")
            drawn.append(stock[one][two].pop())
            left[one] -= 1
        parts.append(np.sort(np.array(drawn, dtype=np.int64)))
    return parts


def _draw(rng: np.random.Generator, weights: Array, left: Sequence[int], exhausted: str, what: str) -> int:
    """An index by its weight among those with something left (``remove``), or among all of them (``stop``).

    Where all weights that are left have underflowed to zero, the first that has something left is taken.
    """
    kept = [float(w) if n or exhausted == "stop" else 0.0 for w, n in zip(weights, left, strict=True)]
    place, total = rng.random() * sum(kept), 0.0
    chosen = next(index for index, n in enumerate(left) if n or exhausted == "stop")
    for index, weight in enumerate(kept):
        total += weight
        if weight and place < total:
            chosen = index
            break
    if not left[chosen]:
        raise Exhausted(f"{what} {chosen} was drawn, of which nothing is left; {sum(left)} examples of others are")
    return chosen


def _labels(labels: Any) -> Array:
    array = np.asarray(labels)
    if array.ndim != 1 or not len(array):
        raise ValueError(f"labels have shape {array.shape}; expected (n,) with n >= 1")
    return array


def _generator(seed: int) -> np.random.Generator:
    return np.random.default_rng(np.random.SeedSequence(check_seed(seed)))


def _choice(exhausted: str) -> None:
    if exhausted not in WHEN_EXHAUSTED:
        raise ValueError(f"exhausted={exhausted!r} is none of {', '.join(WHEN_EXHAUSTED)}")
