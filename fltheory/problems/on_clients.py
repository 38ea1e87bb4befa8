"""A mixed problem with the server's loss moved to every client: the same sum, for plain FedAvg."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from fltheory.problems.base import Array, check_instance
from fltheory.problems.blocks import Blocks, blocks_of
from fltheory.problems.mixed import MixedProblem
from fltheory.problems.showing import ShownProblem


@dataclass(frozen=True, eq=False, repr=False)
class OnClients(ShownProblem):
    """A mixed problem with everything on the clients: ``F_k = f_k + f_c``; the sum ``f`` is the same.

    The baseline of Augenstein et al. (2022), Section 5.3.  The clients' part needs samples.

    Raises
    ------
    ValueError : something else than a mixed problem.
    """

    mixed: MixedProblem

    def __post_init__(self) -> None:
        check_instance("mixed", self.mixed, MixedProblem, "a MixedProblem(clients, centre)")

    def words(self) -> str:
        return "the server's loss at every client"

    @property
    def n_clients(self) -> int:
        """``N``."""
        return self.mixed.n_clients

    @property
    def dimension(self) -> int:
        """``d``."""
        return self.mixed.dimension

    @cached_property
    def blocks(self) -> Blocks:
        """The layers of the mixed problem."""
        return blocks_of(self.mixed)

    @property
    def weights(self) -> Array:
        """``p``."""
        return self.mixed.weights

    @property
    def sample_sizes(self) -> Array:
        """Those of the clients."""
        return self.mixed.sample_sizes

    def value(self, w: Array) -> Any:
        """``f(w)``."""
        return self.mixed.value(w)

    def client_values(self, w: Array) -> Array:
        """``f_k(w) + f_c(w)``."""
        return np.asarray(self.mixed.client_values(w) + np.asarray(self.mixed.centre.value(w))[..., None])

    def gradient(self, w: Array) -> Array:
        """``grad f(w)``."""
        return self.mixed.gradient(w)

    def client_gradients(self, x: Array, clients: Array | None = None) -> Array:
        """``grad f_k(x_k) + grad f_c(x_k)``."""
        return np.asarray(self.mixed.client_gradients(x, clients) + self.mixed.centre_gradient(x))

    def sample_gradients(self, client: int, x: Array, rows: Array | None = None) -> Array:
        """Each example's gradient and that of ``f_c``, ``(..., d) -> (..., rows, d)``."""
        return np.asarray(self.mixed.sample_gradients(client, x, rows) + self.mixed.centre_gradient(x)[..., None, :])

    def batch_gradients(self, clients: Array, x: Array, rows: Array) -> Array:
        """Mean gradient of the batch and gradient of ``f_c``."""
        return np.asarray(self.mixed.batch_gradients(clients, x, rows) + self.mixed.centre_gradient(x))
