"""Dividing labelled data among clients: few classes per client, equal or power-law sizes."""

from __future__ import annotations

import numpy as np

from fltheory.kinds import Array
from fltheory.problems.checks import check_count, check_finite, check_positive, check_request, real_array, shown
from fltheory.streams import check_seed


def power_law_sizes(
    n_clients: int, total: int, *, exponent: float = 1.0, least: int = 1, seed: int | None = None
) -> Array:
    """``N`` sizes that sum to ``total``: the client of rank ``r`` gets a share proportional to ``r^-exponent``.

    Every client first gets ``least``.  Largest first; with a ``seed`` in random order.
    """
    check_count("least", least)
    check_sizes(n_clients, total, least)
    check_positive("exponent", exponent)
    seed = None if seed is None else check_seed(seed)
    sizes = apportioned(np.arange(1, n_clients + 1) ** -float(exponent), total, least)
    return sizes if seed is None else np.random.default_rng(seed).permutation(sizes)


def check_sizes(n_clients: int, total: int, least: int) -> None:
    """Raise ``ValueError`` unless ``total`` examples can be given to so many clients, ``least`` to each at the least."""
    check_count("n_clients", n_clients)
    if check_count("total", total) > 2**53:
        raise ValueError(f"total={total} is too large; expected at most 2**53")
    if total < least * n_clients:
        raise ValueError(f"total={total} is too small; expected at least n_clients * least = {least * n_clients}")
    check_request(f"n_clients={n_clients}", 4 * n_clients)


def apportioned(parts: Array, total: int, least: int) -> Array:
    """Integers that sum to ``total``: ``least`` for each, the rest as ``parts`` are; largest remainders are rounded up."""
    spare = total - least * len(parts)
    ideal = spare * parts / parts.sum()
    sizes = np.floor(ideal).astype(np.int64)
    # Largest remainders get what rounding down left over; ties go to the higher rank.
    order = np.argsort(-(ideal - sizes), kind="stable")
    sizes[order[: spare - int(sizes.sum())]] += 1
    return np.asarray(sizes + least)


def label_array(name: str, values: object) -> Array:
    """Labels as an array ``(n,)``, ``n >= 1``.

    Raises
    ------
    ValueError : another shape; a label that is not finite; labels that cannot be sorted.
    """
    try:
        labels = np.asarray(values)
        if labels.dtype == object:
            np.unique(labels)
    except (TypeError, ValueError):
        raise ValueError(f"{name}={shown(values)} cannot be sorted; expected labels of one kind, (n,)") from None
    if labels.ndim != 1 or not len(labels):
        raise ValueError(f"{name} has shape {labels.shape}; expected (n,) with n >= 1")
    if labels.dtype.kind == "f":
        check_finite(name, labels)
    return labels


def split_by_class(
    labels: Array, n_clients: int, *, seed: int, sizes: Array | None = None, classes_per_client: int = 2
) -> list[Array]:
    """Disjoint index arrays, one per client, each with at most ``classes_per_client`` different labels.

    ``sizes=None``: all clients get the same number of samples, the largest that this rule can serve.  Otherwise
    client ``k`` gets ``sizes[k]``.  Clients are served from the largest down; each takes, in equal parts as far as
    they last, the classes with the most samples left (ties at random).  ``ValueError`` if the data do not suffice.
    """
    labels = label_array("labels", labels)
    seed = check_seed(seed)
    check_count("n_clients", n_clients)
    check_count("classes_per_client", classes_per_client)
    if len(labels) < n_clients:
        raise ValueError(f"labels has shape {labels.shape}; expected (n,) with n >= n_clients={n_clients}")
    if sizes is not None:
        wanted = real_array("sizes", sizes)
        if wanted.shape != (n_clients,) or wanted.dtype.kind not in "iu" or wanted.min() < 1:
            raise ValueError(
                f"sizes has shape {wanted.shape} and dtype {wanted.dtype}; expected {n_clients} integers >= 1"
            )
        return _serve(labels, wanted, classes_per_client, seed)
    for size in range(len(labels) // n_clients, 0, -1):
        try:
            return _serve(labels, np.full(n_clients, size), classes_per_client, seed)
        except ValueError:
            continue
    raise ValueError(
        f"n_clients={n_clients} is too many: {len(labels)} samples cannot serve them with at most "
        f"{classes_per_client} classes each"
    )


def _serve(labels: Array, sizes: Array, classes_per_client: int, seed: int) -> list[Array]:
    rng = np.random.default_rng(np.random.SeedSequence(seed))
    stock = [rng.permutation(np.flatnonzero(labels == label)) for label in np.unique(labels)]
    left = np.array([len(rows) for rows in stock])
    parts: list[Array] = [np.empty(0, dtype=np.int64)] * len(sizes)
    order = rng.permutation(len(sizes))
    for client in order[np.argsort(-sizes[order], kind="stable")].tolist():
        ties = rng.permutation(len(stock))
        chosen = ties[np.argsort(-left[ties], kind="stable")][:classes_per_client]
        need = int(sizes[client])
        if int(left[chosen].sum()) < need:
            raise ValueError(
                f"sizes[{client}]={need} exceeds the {int(left[chosen].sum())} samples left in the "
                f"{len(chosen)} largest classes; expected smaller sizes or more data"
            )
        taken = []
        # Scarce classes first, so that the abundant ones make up for them.
        for position, label in enumerate(chosen[::-1].tolist()):
            amount = min(-(-need // (len(chosen) - position)), int(left[label]))
            taken.append(stock[label][left[label] - amount : left[label]])
            left[label] -= amount
            need -= amount
        parts[client] = np.sort(np.concatenate(taken))
    return parts
