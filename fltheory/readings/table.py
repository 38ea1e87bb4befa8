"""The table reading: joint first and second moments of the vectors of a round, one new row per answer of the oracle.

Every vector of a round is a linear combination, with numbers as coefficients, of *base vectors*: the leaves of the
state, a constant, and the answers of the oracle.  The table keeps ``E u`` and ``E u v'`` for all pairs of base vectors
of all clients.  An answer ``g`` of client k at ``x`` adds a row, because given everything before it has the mean
``A_k x - b_k`` and a covariance that is a known function of ``x``:

    E g v' = A_k E[x v'] - b_k E[v]',      E g g' = E[(A_k x - b_k)(A_k x - b_k)'] + E Cov(g | x).

Here the matrix in front of ``x`` may be random (mini-batches): nothing is assumed affine but the mean.  Clients are
coupled by the table alone, which makes this reading the twin of the affine one and the pattern of a Gram reading: the
same rows, without the coordinates.  It is meant for small problems; the affine reading is faster.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from fltheory.algorithms.vocabulary import Algorithm, leaves, model_of
from fltheory.kinds import Array, PointLike
from fltheory.problems.base import Problem, check_count
from fltheory.problems.oracles import AnyOracle, Exact
from fltheory.readings.affine import label_moments
from fltheory.readings.entry import Opening, Setup, dense, enter, open_state, require_quadratic
from fltheory.readings.moments import Moments
from fltheory.readings.noise import CentralNoise, covariances_of
from fltheory.readings.refusals import COHORT_ONLY
from fltheory.readings.table_rows import ServerRows, TableFederation, base_count


def table_moments(
    problem: Problem,
    algorithm: Algorithm,
    *,
    rounds: int,
    oracle: AnyOracle | None = None,
    centre_oracle: AnyOracle | None = None,
    start: PointLike | None = None,
    exact: bool = False,
) -> Moments:
    """As ``moments``, by the table reading.

    Raises
    ------
    ValueError : as ``moments``; also separate runs of one client in one round, and any batch used twice.
    """
    require_quadratic(problem, "exact moments")
    rounds = check_count("rounds", rounds, least=0)
    entry = enter(dense(problem), algorithm, exact=exact)
    opening = open_state(entry, start)
    origin = entry.numbers.array(np.zeros(entry.problem.dimension, dtype=int))
    covariances = covariances_of(Exact() if oracle is None else oracle, entry.problem, entry.numbers, origin)
    opening.require_quiet_start(Exact() if oracle is None else oracle)
    scheme = label_moments(entry)
    fed = TableFederation(entry, covariances, scheme, CentralNoise.of(entry, centre_oracle, origin))
    count = base_count(opening.layout)
    first = opening.values.reshape(count, -1)
    second = first[:, None, :, None] * first[None, :, None, :]
    pick = _model_rows(entry, opening, fed, first, second)
    history = [_seen(pick, *fed.split(first, second))]
    for round in range(rounds):
        fed.begin(round, first, second)
        state = entry.algorithm.round(fed, fed.state(opening.layout, opening.template))
        first, second = _assemble([leaf.payload for leaf in leaves(state)], fed)
        history.append(_seen(pick, *fed.split(first, second)))
    return _summary(entry, history)


def _model_rows(entry: Setup, opening: Opening, fed: TableFederation, first: Array, second: Array) -> Array:
    """Coefficients of the server's model over the leaves."""
    fed.begin(-1, first, second)
    rows: Array = model_of(entry.algorithm, fed, fed.state(opening.layout, opening.template)).payload.const
    return rows


def _assemble(forms: list[Any], fed: TableFederation) -> tuple[Array, Array]:
    """Moments of the new leaves: every new vector is ``sum_l theta_l row_l`` over the labels ``1, a, b, m``."""
    n, count = fed.n_clients, len(fed.first)
    vectors: list[dict[int, Array]] = []
    for form in forms:
        if isinstance(form, ServerRows):
            listed = {0: form.const}
            listed |= {} if form.average is None else {1 + k: form.average[k] for k in range(n)}
            listed |= {} if form.absent is None else {n + 1: form.absent}
            listed |= {} if form.members is None else {n + 2 + k: form.members[k] for k in range(n)}
            vectors.append(listed)
            continue
        if not form.everyone:
            raise ValueError(COHORT_ONLY)
        for k in range(n):
            vectors.append({0: form.base[k]} | ({} if form.member is None else {n + 2 + k: form.member[k]}))
    labels = sorted({label for listed in vectors for label in listed})
    rows = np.zeros((len(vectors), len(labels), count), dtype=fed.numbers.dtype)
    for i, listed in enumerate(vectors):
        for label, coefficients in listed.items():
            rows[i, labels.index(label), : len(coefficients)] = coefficients
    mean = fed.numbers.array([1]) if fed.scheme is None else fed.scheme.mean[labels]
    joint = fed.numbers.array([[1]]) if fed.scheme is None else np.asarray(fed.scheme.second[np.ix_(labels, labels)])
    first = np.tensordot(mean, rows, axes=(0, 1)) @ fed.first
    weighted = np.tensordot(rows, joint, axes=(1, 0))
    pairs = np.tensordot(weighted, rows, axes=(2, 1))
    second = np.tensordot(pairs, fed.second, axes=([1, 3], [0, 1]))
    return first, second


def _seen(pick: Array, first: Array, second: Array) -> tuple[Array, Array]:
    """First and second moments of the model."""
    return pick @ first, np.asarray(np.tensordot(pick, np.tensordot(pick, second, axes=(0, 0)), axes=(0, 0)))


def _summary(entry: Setup, history: list[tuple[Array, Array]]) -> Moments:
    minimiser = entry.problem.constants.minimiser
    mean, raw = np.stack([m for m, _ in history]), np.stack([s for _, s in history])
    cross = mean[:, :, None] * minimiser[None, None, :]
    deviations = raw - cross - cross.swapaxes(1, 2) + minimiser[:, None] * minimiser[None, :]
    distance = np.trace(deviations, axis1=1, axis2=2)
    gap = (deviations * entry.problem.mean_matrix).sum(axis=(1, 2)) / 2
    listed = np.arange(len(history), dtype=np.int64)
    return Moments(listed, mean, deviations, np.asarray(distance), np.asarray(gap), minimiser)
