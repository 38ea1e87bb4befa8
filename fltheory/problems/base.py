"""What a federated problem is, which constants it has, and the checks that all problems share.

The objective is ``F(w) = sum_k p_k F_k(w)`` over ``N`` clients with weights ``p_k >= 0``, ``sum_k p_k = 1``.
A problem is immutable data with pure functions.  Arrays have the coordinate axis ``d`` last, in front of it the
client axis (``N`` clients or ``M`` slots of a cohort) where there is one, and any batch axes in front of both.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any, Protocol, TypeAlias

import numpy as np

Array: TypeAlias = np.ndarray[Any, np.dtype[Any]]
Number: TypeAlias = Any
"""A float, a ``fractions.Fraction``, or an element of another field that mixes with the problem's data."""

WEIGHT_TOLERANCE = 1e-10


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

    @property
    def constants(self) -> Constants:
        """``L, mu, x*, F*, F_k*, Gamma`` of this instance, computed when asked for."""
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


class SampledProblem(Problem, Protocol):
    """A problem whose ``F_k`` are averages over samples: ``F_k(w) = (1/n_k) sum_i f_{k,i}(w)``."""

    @property
    def sample_sizes(self) -> Array:
        """``n_k``, shape ``(N,)``."""
        ...

    def sample_gradients(self, client: int, x: Array, rows: Array | None = None) -> Array:
        """``grad f_{k,i}(x)`` for the samples ``rows`` (default: all), ``(..., d) -> (..., len(rows), d)``."""
        ...


class Constants(ABC):
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


def check_positive(name: str, value: Number) -> None:
    """Raise ``ValueError`` unless ``value > 0``."""
    if not value > 0:
        raise ValueError(f"{name}={value} is not positive; expected {name} > 0")


def check_nonnegative(name: str, value: Number) -> None:
    """Raise ``ValueError`` unless ``value >= 0``."""
    if not value >= 0:
        raise ValueError(f"{name}={value} is negative or not a number; expected {name} >= 0")


def check_count(name: str, value: Any, *, least: int = 1) -> int:
    """``value`` as an int, or ``ValueError`` unless it is an integer of at least ``least``."""
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < least:
        raise ValueError(f"{name}={value!r} is not valid; expected an integer >= {least}")
    return int(value)


def check_choice(name: str, value: str, allowed: Sequence[str]) -> None:
    """Raise ``ValueError`` unless ``value`` is one of ``allowed``."""
    if value not in allowed:
        raise ValueError(f"{name}={value!r} is unknown; expected one of {', '.join(map(repr, allowed))}")


def check_finite(name: str, array: Array) -> None:
    """Raise ``ValueError`` at the first NaN or infinity of a float array; exact numbers pass."""
    if array.dtype == object or np.isfinite(array).all():
        return
    index = tuple(int(i) for i in np.argwhere(~np.isfinite(array))[0])
    where = "" if array.ndim == 0 else f"[{', '.join(map(str, index))}]"
    raise ValueError(f"{name}{where}={array[index]} is not finite; expected every entry of {name} to be finite")


def check_shape(name: str, array: Array, shape: tuple[int, ...]) -> None:
    """Raise ``ValueError`` unless ``array.shape == shape``."""
    if array.shape != shape:
        raise ValueError(f"{name} has shape {array.shape}; expected {shape}")


def check_point(array: Array, shape: tuple[int, ...], *, name: str = "x") -> None:
    """Raise ``ValueError`` unless the trailing axes of ``array`` are ``shape``."""
    if array.shape[-len(shape) :] != shape:
        raise ValueError(f"{name} has shape {array.shape}; expected the last axes to be {shape}")


def check_weights(weights: Array, n_clients: int) -> None:
    """Raise ``ValueError`` unless ``weights`` has shape ``(N,)``, is non-negative and sums to one.

    Exact weights must sum to one exactly, floats to within ``WEIGHT_TOLERANCE``.
    """
    check_shape("weights", weights, (n_clients,))
    check_finite("weights", weights)
    for k, weight in enumerate(weights.tolist()):
        if not weight >= 0:
            raise ValueError(f"weights[{k}]={weight} is negative; expected every weight p_k >= 0")
    total = weights.sum()
    exact = weights.dtype == object
    if (exact and total != 1) or (not exact and abs(total - 1) > WEIGHT_TOLERANCE):
        raise ValueError(f"weights sum to {total}; expected sum_k p_k = 1")


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
