"""Dividing labelled examples among clients at random: Dirichlet in both senses, log-normal sizes, Pachinko allocation, writers.

Every split is a list of disjoint arrays of indices, one per client; all randomness comes from one ``seed``.  Sizes by a power law
and few classes per client are in :mod:`fltheory.problems.data.splits`.  Labels are arrays ``(n,)`` of anything that can be sorted.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np

from fltheory.kinds import Array
from fltheory.problems.checks import (
    check_choice,
    check_count,
    check_nonnegative,
    check_positive,
    check_request,
    check_sequence,
    check_shape,
    shown,
)
from fltheory.problems.data.splits import apportioned, check_sizes, label_array
from fltheory.streams import check_seed

#: What a draw does when the label that was drawn has no example left.
WHEN_EXHAUSTED = ("remove", "stop")


class Exhausted(ValueError):
    """A label was drawn of which no example is left."""


def dirichlet_over_clients(labels: Array, n_clients: int, *, concentration: float, seed: int) -> list[Array]:
    """For every label its own vector of the clients' shares from a symmetric Dirichlet: sizes come out unequal.

    The examples of one label, in random order, are cut at the rounded cumulative shares, so that all of them are given away.  The
    smaller the ``concentration``, the fewer clients hold a label; a client may be left without any example.

    Raises
    ------
    ValueError : no labels, ``n_clients < 1``, a concentration that is not positive, a seed that is none.
    """
    labels, rng = label_array("labels", labels), _generator(seed)
    check_count("n_clients", n_clients)
    check_request(f"n_clients={n_clients}", 16 * n_clients)
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

    Raises
    ------
    ValueError : no labels, no sizes, a size below 1, sizes with a sum above the number of labels, a concentration that is not
        positive, an unknown rule, a seed that is none.
    """
    labels, rng = label_array("labels", labels), _generator(seed)
    check_positive("concentration", concentration)
    check_choice("exhausted", exhausted, WHEN_EXHAUSTED)
    listed = check_sequence("sizes", sizes, "one number of examples for each client")
    counts = [check_count(f"sizes[{client}]", size) for client, size in enumerate(listed)]
    if not counts:
        raise ValueError("sizes is empty; expected one number of examples for each client")
    if sum(counts) > len(labels):
        raise ValueError(f"sizes sum to {sum(counts)}; expected at most {len(labels)}, the number of labels")
    kinds = np.unique(labels)
    stock = [rng.permutation(np.flatnonzero(labels == kind)).tolist() for kind in kinds]
    parts = []
    for count in counts:
        weights = rng.dirichlet(np.full(len(kinds), float(concentration)))
        drawn = []
        for _ in range(count):
            kind = _draw(rng, weights, [len(rows) for rows in stock], exhausted, "label")
            drawn.append(stock[kind].pop())
        parts.append(np.sort(np.array(drawn, dtype=np.int64)))
    return parts


def log_normal_sizes(n_clients: int, total: int, *, deviation: float, seed: int, least: int = 1) -> Array:
    """``N`` sizes that sum to ``total``, in proportion to ``exp(deviation Z_k)`` with standard normal ``Z_k``.

    The larger the ``deviation`` of the logarithm, the larger is the squared coefficient of variation ``exp(deviation^2) - 1`` of
    the shares' law; a mean of the logarithm would cancel.  Every client first gets ``least``; largest remainders are rounded up.

    Raises
    ------
    ValueError : ``n_clients < 1``, ``least < 0``, a total below ``n_clients * least``, a deviation that is negative or so large
        that the parts overflow, a seed that is none.
    """
    check_count("least", least, least=0)
    check_sizes(n_clients, total, least)
    check_nonnegative("deviation", deviation)
    with np.errstate(over="ignore"):
        parts = np.exp(float(deviation) * _generator(seed).standard_normal(n_clients))
    # Sizes multiply the parts by at most 2**53, which has to stay a number.
    if not parts.sum() < 1e290:
        raise ValueError(f"deviation={deviation} is too large; expected exp(deviation Z_k) to stay below 1e290 in sum")
    return apportioned(parts, total, least)


def by_writer(writers: Sequence[Any], *, least: int = 2) -> list[Array]:
    """One client for each writer with at least ``least`` examples, in the order of the writers' first examples.

    ``writers[i]`` is who wrote example ``i``: a name or a number.

    Raises
    ------
    ValueError : ``least < 1``, writers that are no sequence, no writer with as many examples.
    """
    check_count("least", least)
    rows: dict[Any, list[int]] = {}
    for row, writer in enumerate(check_sequence("writers", writers, "the writer of each example")):
        if not isinstance(writer, Hashable):
            raise ValueError(f"writers[{row}]={shown(writer)} is no name; expected one writer for each example")
        rows.setdefault(writer, []).append(row)
    parts = [np.array(mine, dtype=np.int64) for mine in rows.values() if len(mine) >= least]
    if not parts:
        raise ValueError(f"least={least} is too large: none of {len(rows)} writers has as many; expected one that has")
    return parts


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

    Raises
    ------
    ValueError : labels that do not fit each other, ``n_clients`` or ``per_client`` below 1, more examples asked for than there
        are, a concentration that is not positive, an unknown rule, a seed that is none.
    """
    coarse, fine, rng = label_array("coarse", coarse), label_array("fine", fine), _generator(seed)
    check_count("n_clients", n_clients)
    check_count("per_client", per_client)
    check_positive("over_coarse", over_coarse)
    check_positive("over_fine", over_fine)
    check_choice("coarse_exhausted", coarse_exhausted, WHEN_EXHAUSTED)
    check_shape("coarse", coarse, fine.shape)
    if n_clients * per_client > len(fine):
        raise ValueError(
            f"n_clients={n_clients} times per_client={per_client} is {n_clients * per_client}; expected at most {len(fine)}, the "
            "number of labels"
        )
    tree = [np.unique(fine[coarse == above]) for above in np.unique(coarse)]
    kinds, homes = np.unique(np.concatenate(tree), return_counts=True)
    if homes.max() > 1:
        raise ValueError(f"fine={kinds[homes.argmax()]} belongs to {homes.max()} coarse labels; expected one")
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


def _generator(seed: int) -> np.random.Generator:
    return np.random.default_rng(np.random.SeedSequence(check_seed(seed)))
