"""What a federated problem is, which constants it has, and the checks that all problems share.

The objective is ``F(w) = sum_k p_k F_k(w)`` over ``N`` clients with weights ``p_k >= 0``, ``sum_k p_k = 1``.
A problem is immutable data with pure functions.  Arrays have the coordinate axis ``d`` last, in front of it the
client axis (``N`` clients or ``M`` slots of a cohort) where there is one, and any batch axes in front of both.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from functools import cached_property
from typing import Any, Protocol

import numpy as np

from fltheory.problems.checks import Array as Array
from fltheory.problems.checks import Number as Number
from fltheory.problems.checks import check_choice as check_choice
from fltheory.problems.checks import check_count as check_count
from fltheory.problems.checks import check_finite as check_finite
from fltheory.problems.checks import check_flag as check_flag
from fltheory.problems.checks import check_function as check_function
from fltheory.problems.checks import check_instance as check_instance
from fltheory.problems.checks import check_integer as check_integer
from fltheory.problems.checks import check_nonnegative as check_nonnegative
from fltheory.problems.checks import check_number as check_number
from fltheory.problems.checks import check_point as check_point
from fltheory.problems.checks import check_positive as check_positive
from fltheory.problems.checks import check_problem as check_problem
from fltheory.problems.checks import check_request as check_request
from fltheory.problems.checks import check_sequence as check_sequence
from fltheory.problems.checks import check_shape as check_shape
from fltheory.problems.checks import check_share as check_share
from fltheory.problems.checks import check_weights as check_weights
from fltheory.problems.checks import real_array as real_array
from fltheory.problems.showing import ShownConstants


class Problem(Protocol):
    """The interface of a problem ``F = sum_k p_k F_k`` in dimension ``d`` with ``N`` clients."""

    @property
    def n_clients(self) -> int:
        """``N``."""
        ...

    @property
    def dimension(self) -> int:
        """``d``, the number of coordinates of ``w``."""
        ...

    @property
    def weights(self) -> Array:
        """``p``, shape ``(N,)``."""
        ...

    def value(self, w: Array) -> Any:
        """``F(w)`` for ``w`` of shape ``(..., d)``, shape ``(...)``."""
        ...

    def client_values(self, w: Array) -> Array:
        """``F_k(w)`` for all clients, ``(..., d) -> (..., N)``."""
        ...

    def gradient(self, w: Array) -> Array:
        """``grad F(w)``, ``(..., d) -> (..., d)``."""
        ...

    def client_gradients(self, x: Array, clients: Array | None = None) -> Array:
        """``grad F_k(x_k)`` with one point per slot, ``(..., M, d) -> (..., M, d)``.

        ``clients`` (integers, broadcastable to ``(..., M)``) says which client sits in each slot;
        ``None`` means all ``N`` clients in order.
        """
        ...


class KnownProblem(Problem, Protocol):
    """A problem whose constants are known."""

    @property
    def constants(self) -> Constants:
        """``L, mu, x*, F*, F_k*, Gamma`` of this instance, computed when asked for."""
        ...


class SampledProblem(Problem, Protocol):
    """A problem whose ``F_k`` are averages over samples: ``F_k(w) = (1/n_k) sum_i f_{k,i}(w)``."""

    @property
    def sample_sizes(self) -> Array:
        """``n_k``, shape ``(N,)``."""
        ...

    def sample_gradients(self, client: int, x: Array, rows: Array | None = None) -> Array:
        """``grad f_{k,i}(x)`` for the samples ``rows`` (default: all), ``(..., d) -> (..., len(rows), d)``."""
        ...


class CentredProblem(Problem, Protocol):
    """A problem with a loss of the server's own beside those of the clients."""

    @property
    def centre(self) -> Any:
        """The server's loss, a problem with one client."""
        ...

    def centre_gradient(self, y: Array) -> Array:
        """Its gradient, ``(..., d) -> (..., d)``."""
        ...


class Constants(ShownConstants, ABC):
    """Constants of one instance; each is computed when first read.

    ======================== =================== =========================================================
    attribute                symbol              meaning
    ======================== =================== =========================================================
    ``client_smoothness``    ``L_k``, ``(N,)``   Lipschitz constants of the client gradients
    ``client_strong_convexity`` ``mu_k``         moduli of strong convexity (negative: weakly convex)
    ``smoothness``           ``L``               ``max_k L_k``
    ``strong_convexity``     ``mu``              ``min_k mu_k``
    ``minimiser``            ``w*``, ``(d,)``    a minimiser of ``F`` (the one of least norm if there are many)
    ``minimum``              ``F*``              ``F(w*)``
    ``client_minimisers``    ``w_k*``, ``(N,d)`` minimisers of the ``F_k``
    ``client_minima``        ``F_k*``, ``(N,)``  ``F_k(w_k*)``
    ``gamma``                ``Gamma``           ``F* - sum_k p_k F_k*``
    ======================== =================== =========================================================

    ``exactness`` says how ``L_k`` and ``mu_k`` are known: ``"spectral"`` (eigenvalues, to rounding) or
    ``"certified bound"`` (true constants are no worse).  A quantity that does not exist (no minimum) raises
    ``ValueError`` with the reason when it is read.
    """

    exactness: str = "spectral"

    @property
    @abstractmethod
    def weights(self) -> Array:
        """``p``, shape ``(N,)``."""

    @property
    @abstractmethod
    def client_smoothness(self) -> Array:
        """``L_k``."""

    @property
    @abstractmethod
    def client_strong_convexity(self) -> Array:
        """``mu_k``."""

    @property
    @abstractmethod
    def minimiser(self) -> Array:
        """``w*``."""

    @property
    @abstractmethod
    def minimum(self) -> Number:
        """``F*``."""

    @property
    @abstractmethod
    def client_minimisers(self) -> Array:
        """``w_k*``."""

    @property
    @abstractmethod
    def client_minima(self) -> Array:
        """``F_k*``."""

    @cached_property
    def smoothness(self) -> Number:
        """``L = max_k L_k``."""
        return max(self.client_smoothness.tolist())

    @cached_property
    def strong_convexity(self) -> Number:
        """``mu = min_k mu_k``."""
        return min(self.client_strong_convexity.tolist())

    @cached_property
    def gamma(self) -> Number:
        """``Gamma = F* - sum_k p_k F_k*``, the heterogeneity of Li et al. (2020), Section 3.1."""
        return self.minimum - (self.weights * self.client_minima).sum()


def by_client(function: Callable[[int, Array], Array], n_clients: int, x: Array, clients: Array | None = None) -> Array:
    """Apply ``function(client, points)`` (``(q, d) -> (q, d)``) to the slots of ``x`` (``(..., M, d)``) by client."""
    slots = slot_clients(n_clients, x, clients)
    answers = np.empty_like(x)
    for client in np.unique(slots).tolist():
        mine = slots == client
        answers[mine] = function(client, x[mine])
    return answers


def slot_clients(n_clients: int, x: Array, clients: Array | None) -> Array:
    """The client in every slot of ``x`` (``(..., M, d)``), shape ``(..., M)``; ``IndexError`` for unknown clients."""
    order = np.arange(n_clients) if clients is None else np.asarray(clients)
    if order.size and (order.min() < 0 or order.max() >= n_clients):
        raise IndexError(f"clients contains {order.min()}..{order.max()}; expected indices in 0..{n_clients - 1}")
    return np.broadcast_to(order, x.shape[:-1])


def frozen(array: Array) -> Array:
    """A read-only copy."""
    copy = np.array(array, copy=True, order="C")
    copy.setflags(write=False)
    return copy
