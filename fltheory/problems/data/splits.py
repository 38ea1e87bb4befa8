"""Dividing labelled data among clients: few classes per client, equal or power-law sizes."""

from __future__ import annotations

import numpy as np

from fltheory.problems.base import Array, check_count, check_finite, check_positive, check_request, real_array
from fltheory.streams import check_seed


def power_law_sizes(
    n_clients: int, total: int, *, exponent: float = 1.0, least: int = 1, seed: int | None = None
) -> Array:
    """``N`` sizes that sum to ``total``: the client of rank ``r`` gets a share proportional to ``r^-exponent``.

    Every client first gets ``least``.  Largest first; with a ``seed`` in random order.
    """
    check_count("n_clients", n_clients)
    check_count("least", least)
    if check_count("total", total) > 2**53:
        raise ValueError(f"total={total} is too large; expected at most 2**53")
    check_positive("exponent", exponent)
    seed = None if seed is None else check_seed(seed)
    check_request(f"n_clients={n_clients}", 4 * n_clients)
    spare = total - least * n_clients
    if spare < 0:
        raise ValueError(f"total={total} is too small; expected at least n_clients * least = {least * n_clients}")
    shares = np.arange(1, n_clients + 1) ** -float(exponent)
    ideal = spare * shares / shares.sum()
    sizes = np.floor(ideal).astype(np.int64)
    # Largest remainders get what rounding down left over; ties go to the higher rank.
    order = np.lexsort((np.arange(n_clients), -(ideal - sizes)))
    sizes[order[: spare - int(sizes.sum())]] += 1
    sizes += least
    return sizes if seed is None else np.random.default_rng(seed).permutation(sizes)


def split_by_class(
    labels: Array, n_clients: int, *, seed: int, sizes: Array | None = None, classes_per_client: int = 2
) -> list[Array]:
    """Disjoint index arrays, one per client, each with at most ``classes_per_client`` different labels.

    ``sizes=None``: all clients get the same number of samples, the largest that this rule can serve.  Otherwise
    client ``k`` gets ``sizes[k]``.  Clients are served from the largest down; each takes, in equal parts as far as
    they last, the classes with the most samples left (ties at random).  ``ValueError`` if the data do not suffice.
    """
    labels = np.asarray(labels)
    seed = check_seed(seed)
    check_count("n_clients", n_clients)
    check_count("classes_per_client", classes_per_client)
    if labels.ndim != 1 or len(labels) < n_clients:
        raise ValueError(f"labels has shape {labels.shape}; expected (n,) with n >= n_clients={n_clients}")
    if labels.dtype.kind == "f":
        check_finite("labels", labels)
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
