"""Conditional covariances of the oracles, as the exact readings need them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from fltheory.algorithms.vocabulary import leaves, with_leaves
from fltheory.problems.oracles import AdditiveNoise, Exact, FiniteSupportNoise, MiniBatch
from fltheory.problems.quadratic import QuadraticProblem
from fltheory.problems.weights import exact_weights
from fltheory.readings.centre import check_centre_oracle
from fltheory.readings.entry import Entry
from fltheory.readings.numbers import Numbers
from fltheory.readings.tokens import CostFederation, Token

Array = npt.NDArray[Any]
#: Operators of more entries than this are not stored.
MOST_ENTRIES = 50_000_000


class Covariances(Protocol):
    """Covariance of the oracle's answers given the points."""

    @property
    def fixed(self) -> bool:
        """Whether it does not depend on the points."""
        ...

    def at(self, points: Array) -> Array:
        """``E Cov(answer | x)``, ``(N, d, d)``, from ``E (x,1)(x,1)'``, ``(N, d+1, d+1)`` (``x`` from the origin)."""
        ...


@dataclass(frozen=True, eq=False)
class FixedCovariances:
    """Additive noise: ``(N, d, d)``, whatever the points."""

    matrices: Array

    @property
    def fixed(self) -> bool:
        """Yes."""
        return True

    def at(self, points: Array) -> Array:
        """The matrices, times the last entry ``E 1`` of the moments, so that the map is linear."""
        scaled: Array = self.matrices * points[..., -1:, -1:]
        return scaled


@dataclass(frozen=True, eq=False)
class BatchCovariances:
    """Mini-batches: ``factor_k/n_k sum_i L_i E[(x,1)(x,1)'] L_i'`` with ``L_i (x,1) = grad f_i(x) - grad F_k(x)``.

    ``deviations[k]`` is ``(n_k, d, d+1)``; ``factors[k]`` counts the size of the batch.  Where that is less work, the
    sum over the samples is done once: ``operators[k]`` maps the upper triangle of the moment to that of the covariance.
    """

    deviations: tuple[Array, ...]
    factors: tuple[Any, ...]
    operators: Array | None = None

    @property
    def fixed(self) -> bool:
        """No."""
        return False

    def at(self, points: Array) -> Array:
        """The mean conditional covariances."""
        if self.operators is not None:
            d = points.shape[1] - 1
            upper, above = np.triu_indices(d), np.triu_indices(d + 1)
            entries = (self.operators @ points[:, above[0], above[1], None])[:, :, 0]
            result = np.empty((len(points), d, d))
            result[:, upper[0], upper[1]] = entries
            result[:, upper[1], upper[0]] = entries
            return result
        parts = []
        for moment, deviation, factor in zip(points, self.deviations, self.factors, strict=True):
            images = deviation @ moment
            parts.append(np.tensordot(images, deviation, axes=([0, 2], [0, 2])) * factor)
        return np.stack(parts)


def covariances_of(oracle: Any, problem: QuadraticProblem, numbers: Numbers, origin: Array) -> Covariances | None:
    """The covariances of an oracle for a problem in the type ``numbers``; None for exact gradients.

    Raises
    ------
    ValueError : mini-batches of a problem without samples; an oracle of unknown kind.
    """
    if isinstance(oracle, Exact):
        return None
    if isinstance(oracle, (AdditiveNoise, FiniteSupportNoise)):
        return FixedCovariances(numbers.array(convert_oracle(oracle, numbers).covariances(problem)))
    if not isinstance(oracle, MiniBatch):
        raise ValueError(f"oracle={oracle!r} has no exact moments in this reading")
    if problem.samples is None:
        raise ValueError("samples=None: MiniBatch needs per-sample data; build the problem with from_samples or ridge")
    deviations, factors = [], []
    for k, client in enumerate(problem.samples):
        matrices = client.matrices() - problem.matrices[k]
        vectors = client.vectors() - problem.vectors[k]
        shifted = (matrices @ origin) - vectors
        deviations.append(np.concatenate([matrices, shifted[..., None]], axis=-1))
        factors.append(numbers.convert(oracle.factor(client.size) / client.size))
    triangles = problem.n_clients * (problem.dimension + 1) ** 4 // 4
    once = not numbers.exact and triangles <= MOST_ENTRIES and min(map(len, deviations)) >= problem.dimension
    operators = np.stack([_operator(*pair) for pair in zip(deviations, factors, strict=True)]) if once else None
    return BatchCovariances(tuple(deviations), tuple(factors), operators)


@dataclass(frozen=True, eq=False)
class CentralNoise:
    """What the server sees of its own loss: the oracle, and its covariances (None for exact gradients)."""

    oracle: Any
    covariances: Covariances | None

    @classmethod
    def of(cls, entry: Entry, oracle: Any, origin: Array) -> CentralNoise:
        """For a dense quadratic problem; ``origin`` as for :func:`covariances_of`.

        Raises
        ------
        ValueError : an oracle for a problem without a central loss, or one that does not fit it; an algorithm whose
            ``start`` asks a noisy oracle.
        """
        checked = check_centre_oracle(entry.problem, oracle)
        if isinstance(checked, Exact):
            return cls(checked, None)
        require_quiet_central_start(entry, checked)
        return cls(checked, covariances_of(checked, entry.problem.centre, entry.numbers, origin))

    def at(self, point: Array) -> Array:
        """``E Cov(answer | y)``, ``(d, d)``, from ``E (y,1)(y,1)'``; not for exact gradients."""
        assert self.covariances is not None
        found: Array = self.covariances.at(point[None])[0]
        return found


#: Exact gradients of the server's loss.
QUIET = CentralNoise(Exact(), None)


def require_quiet_central_start(entry: Entry, oracle: Any) -> None:
    """Raise ``ValueError`` if ``start`` asks the server's noisy oracle: that noise is not kept between rounds."""
    asked = central_calls(entry, None)
    if asked and not isinstance(oracle, Exact):
        raise ValueError(
            f"start asks for {asked} gradients of the server's loss with {oracle!r}: exact moments need Exact() there"
        )


def central_calls(entry: Entry, round: int | None) -> int:
    """How often a round, or the start (None), asks for a gradient of the server's own loss."""
    fed = CostFederation(entry.problem.n_clients, entry.participation)
    state = entry.algorithm.start(fed, fed.zero())
    if round is not None:
        state = with_leaves(state, [type(leaf)(fed, Token("state")) for leaf in leaves(state)])
        fed.begin(round)
        entry.algorithm.round(fed, state)
    return fed.central_gradients


def _operator(deviation: Array, factor: float) -> Array:
    """``factor * sum_i L_i X L_i'`` on triangles: entry ``((i, j), (a, b))`` adds both ``X_ab`` and ``X_ba``."""
    n, d, _ = deviation.shape
    flat = deviation.reshape(n, -1)
    products = (flat.T @ flat).reshape(d, d + 1, d, d + 1) * factor
    i, j = np.triu_indices(d)
    a, b = np.triu_indices(d + 1)
    straight = products[i[:, None], a, j[:, None], b]
    return np.where(a == b, straight, straight + products[i[:, None], b, j[:, None], a])


def convert_oracle(oracle: Any, numbers: Numbers) -> Any:
    """The oracle's numbers in an exact type; in floats the oracle itself."""
    if not numbers.exact:
        return oracle
    if isinstance(oracle, AdditiveNoise):
        return AdditiveNoise(numbers.array(oracle.covariance_of))
    if isinstance(oracle, FiniteSupportNoise):
        probabilities = oracle.probabilities
        exact = exact_weights(probabilities) if probabilities.dtype != object else probabilities
        return FiniteSupportNoise(numbers.array(oracle.support), exact)
    return oracle
