"""How good a model's predictions are: area under the ROC curve, accuracy, recall among the first ``n``."""

from __future__ import annotations

import numpy as np

from fltheory.problems.base import Array, check_count


def auc(scores: Array, positive: Array) -> float:
    """The probability that a random positive has a higher score than a random negative, ties counting one half.

    ``scores``, ``positive`` (bool): ``(n,)``.  Equals the area under the ROC curve.

    Raises
    ------
    ValueError : two lengths, a score that is not a number, only positives or only negatives.
    """
    scores, positive = np.asarray(scores, dtype=float), np.asarray(positive, dtype=bool)
    if scores.shape != positive.shape or scores.ndim != 1:
        raise ValueError(f"scores have shape {scores.shape}, labels {positive.shape}; expected two lists of one length")
    if np.isnan(scores).any():
        raise ValueError(f"scores[{int(np.flatnonzero(np.isnan(scores))[0])}] is not a number")
    ours, others = int(positive.sum()), int((~positive).sum())
    if ours == 0 or others == 0:
        raise ValueError(f"{ours} positives and {others} negatives; expected at least one of each")
    values, inverse, counts = np.unique(scores, return_inverse=True, return_counts=True)
    ranks = np.cumsum(counts) - (counts - 1) / 2  # of each distinct value; ties share their mean rank
    total = float(ranks[inverse][positive].sum())
    return (total - ours * (ours + 1) / 2) / (ours * others)


def accuracy(predicted: Array, labels: Array) -> float:
    """Share of right predictions; ``ValueError`` for two shapes or no example."""
    predicted, labels = np.asarray(predicted), np.asarray(labels)
    if predicted.shape != labels.shape or predicted.size == 0:
        raise ValueError(f"predicted has shape {predicted.shape}, labels {labels.shape}; expected one shape, n >= 1")
    return float((predicted == labels).mean())


def recall_at(count: int, scores: Array, wanted: Array) -> float:
    """Share of the queries whose wanted item is among the ``count`` items of highest score.

    ``scores`` ``(queries, items)``, ``wanted`` ``(queries,)``.  Items of equal score share the places left, so that
    a model which scores all items alike has ``count/items``.

    Raises
    ------
    ValueError : ``count`` outside 1..items, mismatched shapes, a score that is not a number, a wanted item that is none.
    """
    scores, wanted = np.asarray(scores, dtype=float), np.asarray(wanted)
    if scores.ndim != 2 or wanted.shape != (len(scores),) or len(scores) == 0:
        raise ValueError(f"scores have shape {scores.shape}, wanted {wanted.shape}; expected (q, items) and (q,)")
    items = scores.shape[1]
    if check_count("count", count) > items:
        raise ValueError(f"count={count} exceeds the {items} items")
    if np.isnan(scores).any():
        raise ValueError(f"scores{np.argwhere(np.isnan(scores))[0].tolist()} is not a number")
    if wanted.dtype.kind not in "iu" or wanted.min() < 0 or wanted.max() >= items:
        raise ValueError(f"wanted={wanted.tolist()} names items; expected integers in 0..{items - 1}")
    own = scores[np.arange(len(scores)), wanted][:, None]
    above, level = (scores > own).sum(axis=1), (scores == own).sum(axis=1)
    return float(np.clip((count - above) / level, 0.0, 1.0).mean())
