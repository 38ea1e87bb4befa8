r"""Section 4.3 of Augenstein et al. (2022): the sampled dissimilarities of equation (7), along a run and in expectation.

    Gt^2 = |a|^2/w_f + |b|^2/w_c - |a + b|^2 = |w_c a - w_f b|^2/(w_f w_c),     Bt^2 = 1 + Gt^2/|a + b|^2

with the cohort's mean gradient ``a`` and a central gradient ``b`` at the round's first model.  With unbiased answers whose
errors are uncorrelated given the model, and variances V_f of ``a`` and V_c of ``b``, the noise adds to the mean of Gt^2

    (w_c/w_f) V_f + (w_f/w_c) V_c.

============================= ====================================================================================
function                      gives
============================= ====================================================================================
:func:`sampled`               equation (7) from two gradients
:func:`along_run`             from the exact gradients of all clients and of the server, at given models
:func:`along_cohorts`         as printed: from a sampled cohort's batches and a central batch, the draws of ``simulate``
:func:`expected_along_run`    the exact mean of Gt^2 under that sampling, its bias and V_f, V_c
============================= ====================================================================================

The mean of Bt^2, a ratio, has no such formula.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from fltheory.algorithms.participation import Full, Participation
from fltheory.algorithms.step_weighted import StepWeighted
from fltheory.kinds import Number
from fltheory.problems.base import Array, check_count, check_shape
from fltheory.problems.mixed import MixedProblem
from fltheory.problems.oracles import AnyOracle, Exact, check_oracle
from fltheory.problems.oracles.protocol import variance_of
from fltheory.readings.arrays import ArrayFederation
from fltheory.readings.centre import check_centre_oracle, require_centre
from fltheory.readings.noise import convert_oracle
from fltheory.readings.numbers import FLOAT, RATIONAL, convert_problem
from fltheory.readings.refusals import require_no_absent
from fltheory.simulate.backends import choose_draws
from fltheory.streams import check_seed

EVERYBODY = Full()


@dataclass(frozen=True, eq=False)
class SampledDissimilarity:
    """``G2`` and ``B2`` of equation (7) per round, any leading axes; ``B2`` is infinite where the sampled gradient is zero."""

    G2: Array
    B2: Array


def sampled(federated: Array, central: Array, *, federated_weight: Number = 0.5) -> SampledDissimilarity:
    """Equation (7) from gradients ``a``, ``b`` of shape ``(..., d)``, floats or rationals.

    Raises
    ------
    ValueError : ``w_f`` outside the open interval (0, 1).
    """
    w = federated_weight
    if not 0 < w < 1:
        raise ValueError(f"w_f={w} is not a proportion; expected 0 < w_f < 1")
    a, b = np.asarray(federated), np.asarray(central)
    difference, total = (1 - w) * a - w * b, a + b
    spread = np.asarray((difference * difference).sum(axis=-1) / (w * (1 - w)))
    square = np.asarray((total * total).sum(axis=-1))
    ratio = np.array([1 + g / s if s > 0 else np.inf for g, s in zip(spread.flat, square.flat, strict=True)])
    return SampledDissimilarity(spread, ratio.reshape(spread.shape))


def along_run(
    problem: MixedProblem,
    models: Array,
    *,
    federated_weight: Number = 0.5,
    noise: Callable[[Array], Array] | None = None,
) -> SampledDissimilarity:
    """The noise-free metrics at the models of a run, ``(..., d)``; ``problem`` is a mixed problem.

    ``noise`` maps the models to errors of the two gradients, ``(2, ..., d)``; the cohort's and the centre's.

    Raises
    ------
    ValueError : a problem without a central loss; models of another dimension.
    """
    require_centre(problem)
    models = np.asarray(models)
    check_shape("models", models, (*models.shape[:-1], problem.dimension))
    a, b = problem.clients.gradient(models), problem.centre_gradient(models)
    if noise is not None:
        errors = noise(models)
        a, b = a + errors[0], b + errors[1]
    return sampled(a, b, federated_weight=federated_weight)


def along_cohorts(
    problem: MixedProblem,
    models: Array,
    *,
    participation: Participation = EVERYBODY,
    oracle: AnyOracle | None = None,
    centre_oracle: AnyOracle | None = None,
    seed: int = 0,
    runs: int | None = None,
    first_run: int = 0,
    rounds: npt.ArrayLike | None = None,
    chunk: int | None = None,
    federated_weight: Number = 0.5,
) -> SampledDissimilarity:
    """Equation (7) as printed: the scheme's average of a cohort's gradients, and one gradient of the server's loss.

    Cohorts, batches and noise are those of the first client step and of the first central step of each round of
    ``fl.simulate`` with the same seed, whatever the chunks.

    =================== ==========================================================================================
    argument            meaning
    =================== ==========================================================================================
    ``models``          the models at the begin of the rounds: ``(rounds, d)``, or ``(runs, rounds, d)`` as in ``Run.models``
    ``participation``   the cohort ``S``; step weights of unequal ``K_i`` do not enter, each member answers once
    ``oracle``          of the clients' gradients, default exact
    ``centre_oracle``   of the server's own loss, default exact
    ``runs``            with models ``(rounds, d)``: so many runs draw at the same models, for ``(runs, rounds)`` metrics
    ``first_run``       number of the first run
    ``rounds``          numbers of the rounds, default 0, 1, ...; ``Run.rounds`` where not every round was recorded
    ``chunk``           runs per chunk, which only changes time and memory
    =================== ==========================================================================================

    Raises
    ------
    ValueError : a problem without a central loss, shapes that do not fit, an oracle or a scheme that does not fit the problem,
        a scheme that gives weight to absent clients.
    """
    floats = convert_problem(require_centre(problem), FLOAT)
    oracle = Exact() if oracle is None else oracle
    check_oracle(floats, oracle)
    central, scheme, seed = check_centre_oracle(floats, centre_oracle), _plain(participation), check_seed(seed)
    points = np.asarray(models, dtype=np.float64)
    alone = points.ndim == 2 and runs is None
    if points.ndim == 2:
        points = np.broadcast_to(points, (1 if runs is None else check_count("runs", runs), *points.shape))
    count = len(points) if runs is None else check_count("runs", runs)
    numbers = (
        np.arange(points.shape[1] if points.ndim == 3 else 0) if rounds is None else np.asarray(rounds, dtype=np.int64)
    )
    check_shape("models", points, (count, len(numbers), floats.dimension))
    size = count if chunk is None else check_count("chunk", chunk)
    ids = np.arange(check_count("first_run", first_run, least=0), first_run + count)
    parts = []
    for begin in range(0, count, size):
        here = slice(begin, begin + size)
        draws = choose_draws("auto")(floats, oracle, seed, ids[here], central)
        fed = ArrayFederation(floats, scheme, draws)
        pairs = [_gradients(fed, points[here, place], int(number)) for place, number in enumerate(numbers)]
        a, b = (np.stack(side, axis=1) for side in zip(*pairs, strict=True))
        parts.append(sampled(a, b, federated_weight=federated_weight))
    G2, B2 = np.concatenate([part.G2 for part in parts]), np.concatenate([part.B2 for part in parts])
    return SampledDissimilarity(G2[0], B2[0]) if alone else SampledDissimilarity(G2, B2)


@dataclass(frozen=True, eq=False)
class ExpectedSpread:
    """Exact expectations over cohorts, batches and noise at given models ``(..., d)``, arrays ``(...)``.

    =========================== ======= ==========================================================================
    attribute                   symbol  meaning
    =========================== ======= ==========================================================================
    ``of_means``                        ``Gt^2`` of ``E a`` and ``E b``; for unbiased schemes that of :func:`along_run`
    ``federated_variance``      V_f     ``E |a - E a|^2``, from the scheme and from the clients' batches
    ``central_variance``        V_c     ``E |b - E b|^2``
    ``bias``                            what both add to the mean of ``Gt^2``
    ``mean``                            ``E Gt^2``, their sum
    =========================== ======= ==========================================================================
    """

    of_means: Array
    federated_variance: Array
    central_variance: Array
    bias: Array

    @property
    def mean(self) -> Array:
        return np.asarray(self.of_means + self.bias)


def expected_along_run(
    problem: MixedProblem,
    models: Array,
    *,
    participation: Participation = EVERYBODY,
    oracle: AnyOracle | None = None,
    centre_oracle: AnyOracle | None = None,
    federated_weight: Number = 0.5,
) -> ExpectedSpread:
    """The mean of ``Gt^2`` of :func:`along_cohorts`, rationals for rational problems and models.

    With coefficients ``a_k`` of the scheme, client gradients ``g_k`` and the variances ``v_k`` of their answers,

        V_f = sum_kl Cov(a_k, a_l) <g_k, g_l> + sum_k E[a_k^2] v_k;

    for ``S`` of ``N`` clients of equal weight, drawn without replacement, this is
    ``(N-S)/(S(N-1)) mean_k |g_k - gbar|^2 + mean_k v_k / S``.

    Raises
    ------
    ValueError : as :func:`along_cohorts`; a scheme whose moments are out of reach.
    """
    require_centre(problem)
    models = np.asarray(models)
    check_shape("models", models, (*models.shape[:-1], problem.dimension))
    scheme, n = _plain(participation), problem.n_clients
    clients_oracle = Exact() if oracle is None else oracle
    check_oracle(problem.clients, clients_oracle)
    central = check_centre_oracle(problem, centre_oracle)
    if getattr(problem.clients, "exact", False):
        clients_oracle, central = (convert_oracle(one, RATIONAL) for one in (clients_oracle, central))
    scheme.check(list(problem.weights))
    law = scheme.moments(list(problem.weights))
    require_no_absent(bool(law.second[n + 1, n + 1] != 0), scheme)
    shape = (*models.shape[:-1], n, problem.dimension)
    g = problem.client_gradients(np.broadcast_to(models[..., None, :], shape))
    v = variance_of(clients_oracle, problem.clients, models, "the metric needs")
    scale = scheme.gradient_scale(list(problem.weights))
    if scale is not None:
        factors = np.array(scale, dtype=g.dtype)
        g, v = g * factors[:, None], v * factors**2
    first = law.mean[1 : n + 1]
    covariance = law.second[1 : n + 1, 1 : n + 1] - np.outer(first, first)
    mean = (first[:, None] * g).sum(axis=-2)
    spread = ((covariance @ g) * g).sum(axis=(-1, -2)) + (law.run_weights * v).sum(axis=-1)
    own = variance_of(central, problem.centre, models, "the metric needs")[..., 0]
    of_means = sampled(mean, problem.centre_gradient(models), federated_weight=federated_weight).G2
    bias = noise_bias(spread, own, federated_weight=federated_weight)
    return ExpectedSpread(of_means, np.asarray(spread), np.asarray(own), np.asarray(bias))


def _plain(participation: Participation) -> Participation:
    """The scheme without step weights."""
    return participation.base if isinstance(participation, StepWeighted) else participation


def _gradients(fed: ArrayFederation, models: Array, round: int) -> tuple[Array, Array]:
    """``a`` and ``b``, ``(runs, d)`` each, of one round."""
    fed.begin(round)
    w = fed.vector(models)
    return fed.average(fed.gradient(fed.send(w))).payload, fed.centre.gradient(w).payload


def noise_bias(federated_variance: Number, central_variance: Number, *, federated_weight: Number = 0.5) -> Any:
    """By how much unbiased, uncorrelated noise raises the mean of ``Gt^2``."""
    w = federated_weight
    return (1 - w) / w * federated_variance + w / (1 - w) * central_variance
