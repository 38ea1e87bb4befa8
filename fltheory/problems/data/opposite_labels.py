"""Two sources with one label each: clients hold the positive examples, the server the negative ones.

The smile classifier of Augenstein et al., "Mixed Federated Learning" (2022), Section 5.1: smiling faces on the phones,
unsmiling ones in the datacenter, evaluation on both.  Here the classes of any labelled data are divided in two.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from fltheory.problems.base import Array, check_count, check_flag, check_instance, check_sequence, check_share
from fltheory.problems.data.federated import LabelledData
from fltheory.problems.logistic import LogisticProblem
from fltheory.problems.mixed import MixedProblem
from fltheory.problems.network import NetworkProblem
from fltheory.problems.regulariser import Regulariser, as_regulariser
from fltheory.problems.scaled import Scaled
from fltheory.streams import check_seed

Pair = tuple[Array, Array]
MODELS = ("logistic", "network")


@dataclass(frozen=True, eq=False)
class TwoSources:
    """``(features, labels)`` of each client, of the server, and for evaluation; labels ``-1`` and ``1``.

    ``side``: which examples of the evaluation are of the clients' kind, ``(n,)`` of bool.
    """

    clients: tuple[Pair, ...]
    centre: Pair
    evaluation: Pair
    side: Array
    name: str = "data"

    def mixed(self, model: str, *, federated_weight: float = 0.5, regulariser: Regulariser | int = 0) -> MixedProblem:
        """``f = w_f f~_f + w_c f~_c``, each a mean cross-entropy; clients weigh alike.  ``model``: one of ``MODELS``.

        The logistic model takes a feature that is one as the last.
        """
        clients = _problem(model, self.clients, regulariser)
        return MixedProblem(
            Scaled(clients, federated_weight),
            Scaled(self.central(model, regulariser=regulariser), 1 - federated_weight),
        )

    def federated(self, model: str, *, regulariser: Regulariser | int = 0) -> LogisticProblem | NetworkProblem:
        """``f~_f`` alone."""
        return _problem(model, self.clients, regulariser)

    def central(self, model: str, *, regulariser: Regulariser | int = 0) -> LogisticProblem | NetworkProblem:
        """``f~_c`` alone, a problem with one client."""
        return _problem(model, (self.centre,), regulariser)

    def pooled(self, model: str, *, regulariser: Regulariser | int = 0) -> LogisticProblem | NetworkProblem:
        """All training examples in one place, a problem with one client."""
        x, y = (np.concatenate(parts) for parts in zip(*self.clients, self.centre, strict=True))
        return _problem(model, ((x, y),), regulariser)


def opposite_labels(
    data: LabelledData,
    positive: Sequence[int],
    *,
    seed: int,
    federated: Sequence[int] | None = None,
    client_size: int = 31,
    evaluation: float = 0.2,
    shuffled: bool = False,
) -> TwoSources:
    """Divide ``data``: classes in ``positive`` to clients of at least ``client_size`` examples, the others to the server.

    A random share ``evaluation`` of all examples is held out.  ``federated``: the classes which clients hold, where these
    are not the positive ones, so that both sides have both labels.  ``shuffled``: as many examples for each client and for
    the server, but drawn from all classes alike; for comparison.

    Raises
    ------
    ValueError : too few examples for one client, the server or the evaluation; a share outside (0, 1).
    """
    check_instance("data", data, LabelledData, "LabelledData, such as load_digits() gives")
    positive = _classes("positive", positive, data)
    federated = positive if federated is None else _classes("federated", federated, data)
    check_count("client_size", client_size)
    check_share("evaluation", evaluation)
    check_flag("shuffled", shuffled)
    rng = np.random.default_rng(np.random.SeedSequence(check_seed(seed)))
    y = np.where(np.isin(data.labels, positive), 1, -1)
    side = np.isin(data.labels, federated)
    order = rng.permutation(len(y))
    held = round(evaluation * len(y))
    test, train = order[:held], order[held:]
    ours, others = train[side[train]], train[~side[train]]
    if shuffled:
        mixed = rng.permutation(train)
        ours, others = mixed[: len(ours)], mixed[len(ours) :]
    if len(ours) < client_size or not len(others) or len(set(y[test].tolist())) < 2:
        raise ValueError(
            f"{len(ours)} federated, {len(others)} central and {len(test)} examples for evaluation; expected at least "
            f"client_size={client_size}, 1, and both labels"
        )
    n = len(ours) // client_size

    def pair(rows: Array) -> Pair:
        return data.features[rows], y[rows]

    return TwoSources(tuple(pair(ours[k::n]) for k in range(n)), pair(others), pair(test), side[test], data.name)


def _classes(name: str, given: Sequence[int], data: LabelledData) -> list[int]:
    """Different classes of the data, some but not all of them."""
    classes = [check_count(name, item, least=0) for item in check_sequence(name, given, "classes, such as (0, 1)")]
    if not 0 < len(set(classes)) < data.classes or max(classes) >= data.classes:
        raise ValueError(f"{name}={classes} is not valid; expected some of the classes 0..{data.classes - 1}, not all")
    return classes


def halved(data: LabelledData) -> LabelledData:
    """Square images of even height with every 2 x 2 pixels averaged; ``ValueError`` for other images."""
    n, pixels = data.features.shape
    side = round(pixels**0.5)
    if side * side != pixels or side % 2:
        raise ValueError(f"features has shape {data.features.shape}; expected square images of even height")
    small = data.features.reshape(n, side // 2, 2, side // 2, 2).mean(axis=(2, 4)).reshape(n, -1)
    return LabelledData(small, data.labels, data.classes, data.name)


def with_ones(features: Array) -> Array:
    """A column of ones appended."""
    return np.concatenate([features, np.ones((*features.shape[:-1], 1))], axis=-1)


def _problem(model: str, pairs: Sequence[Pair], regulariser: Regulariser | int) -> LogisticProblem | NetworkProblem:
    if model not in MODELS:
        raise ValueError(f"model={model!r} is unknown; expected one of {', '.join(map(repr, MODELS))}")
    features, labels = tuple(x for x, _ in pairs), tuple(y for _, y in pairs)
    own, weights = as_regulariser(regulariser), np.full(len(pairs), 1 / len(pairs))
    if model == "network":
        return NetworkProblem(features, labels, own, weights)
    return LogisticProblem(tuple(map(with_ones, features)), labels, own, weights)
