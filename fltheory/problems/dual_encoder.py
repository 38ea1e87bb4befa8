r"""Next-item recommendation by a dual encoder: hinge loss at the clients, spreadout regulariser at the server.

Augenstein et al., "Mixed Federated Learning" (2022), Section 5.3 and Appendix C.2.3, after Ning et al., "Learning Federated
Representations and Recommendations with Limited Negatives" (2021).  Items have one embedding table ``E`` for both towers.

* Left tower: the mean of the embeddings of the last ``L`` items seen (bag of words), then a hidden layer
  ``h = relu(c W + b)`` of width ``d``.
* Right tower: the embedding of the next item.
* Hinge loss of an example: ``max(0, margin - cos(h, E_next))^2``, positives only; no negatives, neither of the batch nor of
  the catalogue.
* Spreadout: ``strength * sqrt(sum_{i != j} cos(E_i, E_j)^2)`` over the whole table.

Text and appendix leave the two losses open; these are the forms of the program which Ning et al. published (margin 0.9).
Zhang et al. (2017), whom the paper cites, take the mean and the hinged mean square of inner products of a batch instead.
The program has one more row, for the padding of short histories, which is not needed here; Appendix C.3 counts two tables,
``(N + N) d``, though the towers share one, and leaves out the hidden layer, ``d^2 + d`` numbers.  Its ``B^2 d`` similarities of
a batch are those of the program, which computes all and uses the diagonal; here ``B d`` are computed.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from fltheory.problems.base import Array, check_count, check_instance, slot_clients
from fltheory.problems.blocks import Blocks
from fltheory.problems.checks import is_real, shown
from fltheory.problems.data.movies import Timelines
from fltheory.problems.showing import ShownProblem
from fltheory.problems.spreadout import Shape, dot, unit, unit_backward


@dataclass(frozen=True, eq=False, repr=False)
class DualEncoder(ShownProblem):
    """``F_k`` is the mean hinge loss over the examples of user ``k``; users have equal weights.

    ============= ======= ====================================================
    argument      symbol  meaning
    ============= ======= ====================================================
    ``timelines``         what the users saw; two items at least
    ``width``     ``d``   embedding dimension and width of the hidden layer
    ``context``   ``L``   how many last items make the history
    ``margin``            cosine from which on an example costs nothing
    ============= ======= ====================================================

    Raises
    ------
    ValueError : no users, a user without an example, a margin outside (0, 1].
    """

    timelines: Timelines
    width: int
    context: int = 10
    margin: float = 0.9

    def __post_init__(self) -> None:
        check_instance("timelines", self.timelines, Timelines, "Timelines, such as movie_catalogue(...) makes")
        check_count("width", self.width)
        check_count("context", self.context)
        if not is_real(self.margin) or not 0 < self.margin <= 1:
            raise ValueError(f"margin={shown(self.margin)} is not in (0, 1]")
        sizes = self.timelines.examples
        if not len(sizes) or sizes.min() < 1:
            raise ValueError("timelines: expected at least one user, and two items of each user")

    @cached_property
    def shape(self) -> Shape:
        """How the model is cut."""
        return Shape(self.timelines.n_items, self.width)

    @property
    def n_clients(self) -> int:
        """``N`` of the clients, the users."""
        return self.timelines.n_users

    @property
    def dimension(self) -> int:
        """Numbers of the model."""
        return self.shape.size

    @cached_property
    def blocks(self) -> Blocks:
        """The table, and the hidden layer with its bias."""
        return self.shape.blocks

    @cached_property
    def weights(self) -> Array:
        """Uniform."""
        return np.full(self.n_clients, 1 / self.n_clients)

    @property
    def sample_sizes(self) -> Array:
        """Examples of each user."""
        return self.timelines.examples

    @cached_property
    def _examples(self) -> tuple[Array, Array, Array]:
        """Histories ``(T, L)`` with -1 where there is none, next items ``(T,)``, and the first example of each user."""
        contexts, labels = [], []
        for seen in self.timelines.items:
            padded = np.concatenate([np.full(self.context, -1), seen])
            contexts.append(np.lib.stride_tricks.sliding_window_view(padded, self.context)[1:-1])
            labels.append(seen[1:])
        firsts = np.concatenate([[0], np.cumsum(self.sample_sizes)])
        return np.concatenate(contexts), np.concatenate(labels), firsts

    def items_of(self, clients: Array, rows: Array) -> tuple[Array, Array]:
        """Histories ``(..., rows, L)`` (-1: none) and next items ``(..., rows)`` of examples ``rows`` of the clients."""
        contexts, labels, firsts = self._examples
        places = firsts[np.asarray(clients)][..., None] + rows
        return contexts[places], labels[places]

    def value(self, w: Array) -> Any:
        """``F(w)``, ``(..., d) -> (...)``."""
        return (self.client_values(w) * self.weights).sum(axis=-1)

    def client_values(self, w: Array) -> Array:
        """``F_k(w)``, ``(..., d) -> (..., N)``."""
        w = np.asarray(w, dtype=float)
        contexts, labels, firsts = self._examples
        values = np.empty((*w.shape[:-1], self.n_clients))
        for place in np.ndindex(*w.shape[:-1]):
            losses = self._losses(w[place][None], contexts[None], labels[None])[0]
            values[place] = np.add.reduceat(losses, firsts[:-1]) / self.sample_sizes
        return values

    def gradient(self, w: Array) -> Array:
        """``grad F(w)``, ``(..., d) -> (..., d)``."""
        w = np.asarray(w, dtype=float)
        contexts, labels, _ = self._examples
        share = np.repeat(self.weights / self.sample_sizes, self.sample_sizes)
        found = np.empty(w.shape)
        for place in np.ndindex(*w.shape[:-1]):
            found[place] = self._gradients(w[place][None], contexts[None], labels[None], share[None])[0]
        return found

    def client_gradients(self, x: Array, clients: Array | None = None) -> Array:
        """``grad F_k(x_k)``, ``(..., M, d) -> (..., M, d)``."""
        x = np.asarray(x, dtype=float)
        slots = slot_clients(self.n_clients, x, clients)
        found = np.empty(x.shape)
        for place in np.ndindex(*x.shape[:-1]):
            rows = np.arange(int(self.sample_sizes[slots[place]]))
            found[place] = self.batch_gradients(slots[place][None], x[place][None], rows[None])[0]
        return found

    def sample_gradients(self, client: int, x: Array, rows: Array | None = None) -> Array:
        """Gradients of single examples, ``(..., d) -> (..., rows, d)``."""
        x = np.asarray(x, dtype=float)
        rows = np.arange(self.sample_sizes[client]) if rows is None else np.asarray(rows)
        shape = (*x.shape[:-1], len(rows))
        points = np.broadcast_to(x[..., None, :], (*shape, x.shape[-1]))
        return self.batch_gradients(np.full(shape, client), points, np.broadcast_to(rows[:, None], (*shape, 1)))

    def batch_gradients(self, clients: Array, x: Array, rows: Array) -> Array:
        """Mean gradients of batches: ``clients`` ``(...)``, ``x`` ``(..., d)``, ``rows`` ``(..., size)`` -> ``(..., d)``."""
        contexts, labels = self.items_of(clients, rows)
        flat = np.ascontiguousarray(x, dtype=float).reshape(-1, x.shape[-1])
        share = np.full((len(flat), rows.shape[-1]), 1 / rows.shape[-1])
        gradients = self._gradients(
            flat, contexts.reshape(len(flat), -1, self.context), labels.reshape(len(flat), -1), share
        )
        return gradients.reshape(x.shape)

    def scores(self, w: Array) -> tuple[Array, Array]:
        """Cosines of all examples with all items, ``(T, items)``, and the next items ``(T,)``, at one model ``(d,)``."""
        contexts, labels, _ = self._examples
        forward = self._forward(np.asarray(w, dtype=float)[None], contexts[None], labels[None])
        table, _, _ = self.shape.cut(np.asarray(w, dtype=float))
        return np.asarray(forward["left"][0] @ unit(table)[0].T), labels

    def _losses(self, x: Array, contexts: Array, labels: Array) -> Array:
        """``(M, d)``, ``(M, B, L)``, ``(M, B)`` -> ``(M, B)``."""
        return np.asarray(self._forward(x, contexts, labels)["lacking"] ** 2)

    def _forward(self, x: Array, contexts: Array, labels: Array) -> dict[str, Any]:
        """Both towers for every slot; ``gather`` maps a slot's table to means of histories and next items."""
        from scipy import sparse

        slots, batch = labels.shape
        table, matrix, bias = self.shape.cut(x)
        present = contexts >= 0
        counts = present.sum(axis=-1)
        offset = (np.arange(slots) * self.shape.items)[:, None]
        columns = np.concatenate([(contexts + offset[..., None])[present], (labels + offset).ravel()])
        entries = np.concatenate([np.repeat(1 / counts.ravel(), counts.ravel()), np.ones(labels.size)])
        pointer = np.concatenate([[0], np.cumsum(counts.ravel()), counts.sum() + np.arange(1, labels.size + 1)])
        indices = (columns.astype(np.int32), pointer.astype(np.int32))
        gather = sparse.csr_matrix((entries, *indices), shape=(2 * labels.size, slots * self.shape.items))
        both = (gather @ table.reshape(-1, self.width)).reshape(2, slots, batch, self.width)
        middle = both[0] @ matrix + bias[:, None]
        left, left_length = unit(np.maximum(middle, 0.0))
        right, right_length = unit(both[1])
        lacking = np.maximum(self.margin - dot(left, right)[..., 0], 0.0)
        return {
            "gather": gather,
            "history": both[0],
            "middle": middle,
            "left": left,
            "left_length": left_length,
            "right": right,
            "right_length": right_length,
            "lacking": lacking,
            "matrix": matrix,
        }

    def _gradients(self, x: Array, contexts: Array, labels: Array, share: Array) -> Array:
        """Gradients of ``sum share * loss`` per slot, ``(M, d)``."""
        f = self._forward(x, contexts, labels)
        slope = (-2 * share * f["lacking"])[..., None]
        left = unit_backward(slope * f["right"], f["left"], f["left_length"]) * (f["middle"] > 0)
        right = unit_backward(slope * f["left"], f["right"], f["right_length"])
        history = left @ f["matrix"].swapaxes(-1, -2)
        back = np.concatenate([history.reshape(-1, self.width), right.reshape(-1, self.width)])
        table = (f["gather"].T @ back).reshape(len(x), -1)
        matrix = (f["history"].swapaxes(-1, -2) @ left).reshape(len(x), -1)
        return np.concatenate([table, matrix, left.sum(axis=1)], axis=1)
