"""Mixed problems: a federated objective and a loss of the server's own, ``f = f_f + f_c``, ``f_f = sum_k p_k f_k``.

The split of Augenstein et al., "Mixed Federated Learning" (2022), equation (1), where the weights of the two parts are
absorbed into them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from fltheory.kinds import Number
from fltheory.problems.base import (
    Array,
    check_count,
    check_finite,
    check_integer,
    check_nonnegative,
    check_positive,
    check_problem,
    check_shape,
    real_array,
)
from fltheory.problems.blocks import Blocks, blocks_of, keep_blocks
from fltheory.problems.logistic import LogisticProblem
from fltheory.problems.mixed_constants import MixedConstants
from fltheory.problems.numbers import as_number, harmonise
from fltheory.problems.quadratic import QuadraticProblem
from fltheory.problems.regulariser import Regulariser
from fltheory.problems.scaled import dense_quadratic, is_quadratic
from fltheory.problems.showing import ShownProblem


@dataclass(frozen=True, eq=False, repr=False)
class MixedProblem(ShownProblem):
    """``f(w) = sum_k p_k f_k(w) + f_c(w)`` from two problems of the same dimension.

    =========== ======= ======================================================
    argument    symbol  meaning
    =========== ======= ======================================================
    ``clients`` ``f_f`` the federated part, any problem
    ``centre``  ``f_c`` the server's own loss, a problem with one client
    =========== ======= ======================================================

    What a problem is asked for by the name of its clients (``weights``, ``client_gradients``, samples) is about the
    federated part; ``value``, ``gradient`` and the minimum are about ``f``.

    Raises
    ------
    ValueError : a centre with several clients, two dimensions, exact numbers on one side only.
    """

    formula = r"f(w) = \sum_k p_k f_k(w) + f_c(w)"

    clients: Any
    centre: Any

    def __post_init__(self) -> None:
        check_problem("clients", self.clients)
        check_problem("centre", self.centre)
        if self.centre.n_clients != 1:
            raise ValueError(f"centre has {self.centre.n_clients} clients; expected one loss, a problem with N=1")
        if self.clients.dimension != self.centre.dimension:
            raise ValueError(
                f"clients have dimension {self.clients.dimension}, centre {self.centre.dimension}; expected the same"
            )
        exact = [bool(getattr(part, "exact", False)) for part in (self.clients, self.centre)]
        if exact[0] != exact[1]:
            raise ValueError(f"exact={exact[0]} for the clients, {exact[1]} for the centre; expected one number type")

    def words(self) -> str:
        return f"{type(self.clients).__name__} at the clients, {type(self.centre).__name__} at the server"

    @property
    def n_clients(self) -> int:
        """``N``; the centre is none of them."""
        return int(self.clients.n_clients)

    @property
    def dimension(self) -> int:
        """``d``."""
        return int(self.clients.dimension)

    @property
    def weights(self) -> Array:
        """``p``, ``(N,)``."""
        return np.asarray(self.clients.weights)

    @cached_property
    def blocks(self) -> Blocks:
        """The layers of the clients' part."""
        return blocks_of(self.clients)

    @cached_property
    def constants(self) -> MixedConstants:
        """Constants of this instance."""
        return MixedConstants(self)

    def value(self, w: Array) -> Any:
        """``f(w)``, ``(..., d) -> (...)``."""
        return self.clients.value(w) + self.centre.value(w)

    def client_values(self, w: Array) -> Array:
        """``f_k(w)``, ``(..., d) -> (..., N)``."""
        return np.asarray(self.clients.client_values(w))

    def gradient(self, w: Array) -> Array:
        """``grad f(w)``, ``(..., d) -> (..., d)``."""
        return np.asarray(self.clients.gradient(w) + self.centre.gradient(w))

    def client_gradients(self, x: Array, clients: Array | None = None) -> Array:
        """``grad f_k(x_k)``, ``(..., M, d) -> (..., M, d)``."""
        return np.asarray(self.clients.client_gradients(x, clients))

    def centre_gradient(self, y: Array) -> Array:
        """``grad f_c(y)``, ``(..., d) -> (..., d)``."""
        return np.asarray(self.centre.gradient(y))

    @property
    def sample_sizes(self) -> Array:
        """Sample sizes of the clients, ``(N,)``; ``ValueError`` where they have none."""
        return np.asarray(self._sampled().sample_sizes)

    def sample_gradients(self, client: int, x: Array, rows: Array | None = None) -> Array:
        """Gradients of client ``k``'s sample losses, ``(..., d) -> (..., n_k, d)``."""
        return np.asarray(self._sampled().sample_gradients(client, x, rows))

    @property
    def batch_gradients(self) -> Callable[[Array, Array, Array], Array]:
        """Mean gradients of the clients' batches for all slots at once, where the federated part has them."""
        found: Callable[[Array, Array, Array], Array] = self.clients.batch_gradients
        return found

    def map_parts(self, function: Callable[[Any], Any]) -> MixedProblem:
        """``function`` applied to both parts."""
        return keep_blocks(self, replace(self, clients=function(self.clients), centre=function(self.centre)))

    @property
    def matrices(self) -> Array:
        """``A_k`` of quadratic clients, ``(N, d, d)``."""
        return dense_quadratic(self.clients).matrices

    @property
    def vectors(self) -> Array:
        """``b_k`` of quadratic clients, ``(N, d)``."""
        return dense_quadratic(self.clients).vectors

    @property
    def samples(self) -> Any:
        """The samples of quadratic clients, or ``None``."""
        return dense_quadratic(self.clients).samples

    @property
    def quadratic(self) -> bool:
        """Whether both parts are quadratic, times factors or not."""
        return is_quadratic(self.clients) and is_quadratic(self.centre)

    @cached_property
    def mean_matrix(self) -> Array:
        """The Hessian of ``f``, both parts quadratic, ``(d, d)``."""
        return np.asarray(dense_quadratic(self.clients).mean_matrix + dense_quadratic(self.centre).mean_matrix)

    @cached_property
    def mean_vector(self) -> Array:
        """``-grad f(0)``, both parts quadratic, ``(d,)``."""
        return np.asarray(dense_quadratic(self.clients).mean_vector + dense_quadratic(self.centre).mean_vector)

    def _sampled(self) -> Any:
        if not hasattr(self.clients, "sample_gradients"):
            raise ValueError(f"{type(self.clients).__name__} has no samples; expected sample_sizes, sample_gradients")
        return self.clients


def client_part(problem: object) -> Any:
    """The clients' part of a problem with a loss at the server; any other problem itself."""
    return getattr(problem, "clients", problem) if hasattr(problem, "centre_gradient") else problem


def label_split(
    features: Array, labels: Array, n_clients: int, *, federated_label: int = 1, ridge: float = 0.0
) -> MixedProblem:
    """Logistic regression whose clients hold one label and whose server holds the other, each loss a mean over its data.

    ``features`` ``(n, d)``, ``labels`` ``(n,)`` in ``{-1, 1}``; the federated rows are dealt to the clients in turn, and
    the l2 term ``ridge/2 |w|^2`` is in each of the two losses, whose plain sum is ``f`` (``w_f = w_c`` up to scale).

    Raises
    ------
    ValueError : too few federated rows for the clients, no row for the server.
    """
    x, y = real_array("features", features).astype(float), real_array("labels", labels).astype(float)
    if x.ndim != 2 or 0 in x.shape:
        raise ValueError(f"features has shape {x.shape}; expected (n, d) with n >= 1 and d >= 1")
    check_finite("features", x)
    check_shape("labels", y, (len(x),))
    if not np.isin(y, (-1, 1)).all():
        raise ValueError(f"labels contains {y[~np.isin(y, (-1, 1))][0]}; expected labels -1 and 1")
    if check_integer("federated_label", federated_label) not in (-1, 1):
        raise ValueError(f"federated_label={federated_label} is no label; expected -1 or 1")
    ridge = as_number("ridge", ridge)
    check_nonnegative("ridge", ridge)
    mine, others = np.flatnonzero(y == federated_label), np.flatnonzero(y == -federated_label)
    if len(mine) < check_count("n_clients", n_clients) or len(others) == 0:
        raise ValueError(
            f"labels gives {len(mine)} federated and {len(others)} central rows; expected at least "
            f"n_clients={n_clients} and 1"
        )
    regulariser = Regulariser(ridge, "lambda/2|w|^2")
    rows = [mine[k::n_clients] for k in range(n_clients)]
    clients = LogisticProblem(tuple(x[r] for r in rows), tuple(y[r] for r in rows), regulariser=regulariser)
    return MixedProblem(clients, LogisticProblem((x[others],), (y[others],), regulariser=regulariser))


def curved(
    federated: Array, central: Array, *, federated_centres: Array, central_centre: Array, L: Number
) -> MixedProblem:
    """Separable quadratics ``sum_j h_j (x_j - m_j)^2/2`` with curvatures of any sign between ``-L`` and ``L`` (the paper's beta).

    ``federated``, ``federated_centres``: ``(N, d)``; ``central``, ``central_centre``: ``(d,)``.

    Raises
    ------
    ValueError : ``L`` not positive, or a curvature beyond ``L``.
    """
    L = as_number("L", L)
    check_positive("L", L)
    names = ("federated", "central", "federated_centres", "central_centre")
    data = harmonise(dict(zip(names, (federated, central, federated_centres, central_centre), strict=True)))
    shape = data["federated"].shape
    if len(shape) != 2 or 0 in shape:
        raise ValueError(f"federated has shape {shape}; expected (N, d) with N >= 1 clients and d >= 1")
    for name in names:
        check_shape(name, data[name], shape if name.startswith("federated") else shape[1:])
        check_finite(name, data[name])

    def part(h: Array, m: Array) -> QuadraticProblem:
        worst = max(abs(entry) for entry in h.flat)
        if worst > L:
            raise ValueError(f"a curvature has size {worst}; expected at most L={L}")
        matrices = h[..., None] * np.eye(h.shape[1], dtype=int)
        return QuadraticProblem(matrices, h * m, (h * m * m).sum(axis=1) / 2)

    clients = part(data["federated"], data["federated_centres"])
    return MixedProblem(clients, part(data["central"][None], data["central_centre"][None]))
