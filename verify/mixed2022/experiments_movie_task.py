"""The recommendation task of Augenstein et al. (2022), Section 5.3, in the run: held-out loss, recall, and what is sent.

What a client needs is counted at the oracle: the items of the batches that it was really asked for.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from fltheory.evidence.model import Evidence
from fltheory.experiments.files import Array, Result
from fltheory.experiments.paired import DIVERGED, replicates
from fltheory.plotting.palette import color_of
from fltheory.problems.dual_encoder import DualEncoder
from fltheory.problems.scores import recall_at

#: Colours of the algorithms, as in the other figures of mixed FL where they have the same name.
COLOURS = {
    **{name: color_of(name) for name in ("baseline", "PT", "1-w GT", "2-w GT")},
    "baseline, ADAM 0.01": "#8C6D1F",
    "1-w GT, ADAM 0.01": "#CC79A7",
    "1-w GT, ADAM 1": "#56B4E9",
}

#: What the rows compare; the paper does not say whether its evaluation loss holds the regulariser.
HELD_OUT = "Held-out loss: half of the hinge loss of the test users and half of the regulariser"


@dataclass(eq=False)
class Usage:
    """Which items the clients' batches hold, round by round: ``steps`` calls of the oracle make a round."""

    steps: int
    items: int
    rows: list[float] = field(default_factory=list)
    entries: list[float] = field(default_factory=list)
    _calls: int = 0
    _seen: Any = None

    def add(self, contexts: Array, labels: Array) -> None:
        """One call: histories ``(..., size, L)``, -1 where there is none, and next items ``(..., size)``, per slot."""
        contexts, labels = contexts.reshape(-1, *contexts.shape[-2:]), labels.reshape(-1, labels.shape[-1])
        slots = len(labels)
        if self._calls % self.steps == 0:
            self._seen = np.zeros((slots, self.items + 1), dtype=bool)
        self._calls += 1
        places = np.arange(slots)[:, None]
        self._seen[places, contexts.reshape(slots, -1)] = True  # -1 marks the last, extra column
        self._seen[places, labels] = True
        self.entries.append(float((contexts >= 0).sum() / slots))
        if self._calls % self.steps == 0:
            self.rows.append(float(self._seen[:, :-1].sum() / slots))


@dataclass(frozen=True, eq=False)
class Watched(DualEncoder):
    """Clients whose ``value`` is the loss of other users, ``test``, and whose batches are counted by ``usage``."""

    test: DualEncoder | None = None
    usage: Usage | None = None

    def value(self, w: Array) -> Any:
        """Mean hinge loss of the held-out users."""
        return super().value(w) if self.test is None else self.test.value(w)

    def batch_gradients(self, clients: Array, x: Array, rows: Array) -> Array:
        """As without counting."""
        if self.usage is not None:
            self.usage.add(*self.items_of(clients, rows))
        return super().batch_gradients(clients, x, rows)


def recalls(problem: DualEncoder, models: Array, count: int = 10) -> Array:
    """``recall@count`` of models ``(records, d)`` among all items; zero where a run has diverged."""
    return np.array([recall_at(count, *problem.scores(w)) if np.isfinite(w).all() else 0.0 for w in models])


@dataclass(frozen=True)
class Operations:
    """Multiplications (with the additions that follow them) of one client step, from sizes that were counted.

    =========== ======= ========================================
    ``items``   ``N``   rows of the table
    ``width``   ``d``   embedding dimension
    ``batch``   ``B``   examples per step
    ``entries`` ``h``   items in the histories of a batch
    =========== ======= ========================================
    """

    items: float
    width: float
    batch: float
    entries: float

    @property
    def network(self) -> float:
        """Forward ``h d + B d^2 + 3 B d`` and backward ``h d + 2 B d^2 + 6 B d``: means, hidden layer, cosines."""
        return 2 * self.entries * self.width + 3 * self.batch * self.width**2 + 9 * self.batch * self.width

    @property
    def regulariser_by_pairs(self) -> float:
        """One similarity for each pair, ``N^2 d/2``; the gradient multiplies all similarities with the table, ``N^2 d``."""
        return 1.5 * self.items**2 * self.width + 6 * self.items * self.width

    @property
    def regulariser_by_matrix(self) -> float:
        """By the ``d x d`` matrix ``U'U``: ``N d^2`` for the value and as many for the gradient."""
        return 2 * self.items * self.width**2 + 6 * self.items * self.width


def end(curves: Array) -> Array:
    """Mean over the last quarter of the records, ``(replicates,)``; a diverged run counts as :data:`DIVERGED`."""
    values = np.minimum(np.where(np.isfinite(curves), curves, DIVERGED), DIVERGED).astype(np.float64)
    return np.asarray(values[:, -max(1, values.shape[1] // 4) :].mean(axis=1))


def curves(result: Result, data: str, label: str) -> Array:
    """``(replicates, records)`` of an algorithm's held-out loss, or ``"label; recall"`` of its recall@10."""
    return np.asarray(result[f"{data}/{label}"], dtype=np.float64)


def described(evidence: Evidence, result: Result, sets: Sequence[str], *, batches: str = "") -> Evidence:
    """The evidence with the settings of its data sets, what differs from the paper's, and the seeds.

    ``batches`` says how a row draws examples that does not look at the runs.
    """
    common, words = result.settings["common"], []
    seeds: list[int] = []
    for name in sets:
        entry, count = result.settings["sets"][name], replicates(result, name)
        seeds += range(int(entry["first seed"]), int(entry["first seed"]) + count)
        size = f"{entry['users']} users, {entry['movies']} movies" if "users" in entry else "943 users, 1,682 movies"
        adaptive = f" ({entry['adam_rounds']} with ADAM)" if "adam_rounds" in entry else ""
        words.append(
            f"{name}: {size}, d={entry['width']}, S={entry['S']}, eta={entry['eta']}, {entry['rounds']} rounds{adaptive}, "
            f"{count} replicates"
        )
    return replace(
        evidence,
        seeds=tuple(seeds),
        valid_for="; ".join(words)
        + f". |B_i|={common['batch']}, K={common['K']}, batches {batches or common['batches']}, "
        f"regulariser {common['strength']}, {common['start']}; {common['form']} form (paper: MovieLens 1M, 6,040 users, 3,952 "
        "movies, S=100, eta=0.5, 2,000 rounds)",
    )
