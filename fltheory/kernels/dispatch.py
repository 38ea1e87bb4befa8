"""Which kernels serve a problem with an oracle.  Nothing here loads numba until a plan is made."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from fltheory.kernels.maps import MappedPlan
from fltheory.kernels.plan import KernelPlan, PartPlan, Plan
from fltheory.problems.logistic import LogisticProblem
from fltheory.problems.mixed import MixedProblem
from fltheory.problems.oracles import AdditiveNoise, Exact, FiniteSupportNoise, MiniBatch, check_oracle
from fltheory.problems.quadratic import QuadraticProblem
from fltheory.problems.samples import RegressionSamples
from fltheory.problems.scaled import Scaled
from fltheory.problems.softmax import SoftmaxProblem
from fltheory.problems.tridiagonal import TridiagonalProblem
from fltheory.readings.draws import noise_roots

Array = npt.NDArray[Any]

#: Dimensions up to which the exact steps of a round are put into one map per client.
LARGEST_MAP = 128


def plan_for(problem: Any, oracle: Any, *, constant_steps: bool = False) -> Plan | None:
    """The plan for a float problem and an oracle, or ``None`` where no family of kernels fits.

    ``constant_steps`` says that every round takes the same steps: exact steps of small quadratics are then put
    together into one affine map per client, once.  The choice depends on problem and oracle only, never on how many
    runs or threads there are, so that it cannot change bits.

    Raises
    ------
    ValueError : an oracle that does not fit the problem.
    """
    if isinstance(problem, MixedProblem):
        plan = plan_for(problem.clients, oracle, constant_steps=constant_steps)
        return None if plan is None else PartPlan(plan, 1.0)
    if isinstance(problem, Scaled):
        plan = plan_for(problem.problem, _before_scaling(oracle, problem.factor), constant_steps=constant_steps)
        return None if plan is None else PartPlan(plan, problem.factor)
    makers: dict[type, Callable[[Any, Any], KernelPlan | None]] = {
        QuadraticProblem: _quadratic,
        TridiagonalProblem: _tridiagonal,
        SoftmaxProblem: _softmax,
        LogisticProblem: _logistic,
    }
    make = makers.get(type(problem))
    if make is None:
        return None
    check_oracle(problem, oracle)  # kernels trust their arguments
    plan = make(problem, oracle)
    if plan is None or type(problem) is not QuadraticProblem or not isinstance(oracle, Exact):
        return plan
    if constant_steps and problem.dimension <= LARGEST_MAP:
        return MappedPlan(plan, problem.dimension)
    return plan


def _before_scaling(oracle: Any, factor: float) -> Any:
    """The noise that becomes ``oracle``'s when it is multiplied by the factor, as kernels do with the whole gradient."""
    if isinstance(oracle, AdditiveNoise):
        return AdditiveNoise(oracle.covariance_of.astype(np.float64) / factor**2)
    if isinstance(oracle, FiniteSupportNoise):
        return FiniteSupportNoise(oracle.support.astype(np.float64) / factor, oracle.probabilities.astype(np.float64))
    return oracle


def _quadratic(problem: QuadraticProblem, oracle: Any) -> KernelPlan | None:
    if isinstance(oracle, MiniBatch):
        return _regression(problem, oracle)
    noise = _noise(problem, oracle)
    if noise is None:
        return None
    from fltheory.kernels import _quadratic as family

    data = (_columns(problem.matrices), np.ascontiguousarray(problem.vectors), *noise)
    return KernelPlan(family.gradients, family.local_sgd, data, (problem.dimension,), **_form(problem))


def _form(problem: QuadraticProblem) -> dict[str, Any]:
    from fltheory.kernels import _quadratic as family

    return {"form": family.quadratic_forms, "form_data": (_columns(problem.mean_matrix),)}


def _noise(problem: Any, oracle: Any) -> tuple[Any, ...] | None:
    """Arguments ``(kind, roots as columns, support, edges)`` of the quadratic kernels."""
    from fltheory.kernels import _quadratic as family

    none, nowhere, edges = np.zeros((1, 1, 1)), np.zeros((1, 1, 1)), np.ones(1)
    if isinstance(oracle, Exact):
        return family.EXACT, none, nowhere, edges
    if isinstance(oracle, AdditiveNoise):
        if np.ndim(oracle.covariance_of) == 0:
            deviation = np.sqrt(float(np.asarray(oracle.covariance_of).item()))
            return family.SCALAR, np.full((1, 1, 1), deviation), nowhere, edges
        return family.GAUSSIAN, _columns(noise_roots(problem, oracle)), nowhere, edges
    if isinstance(oracle, FiniteSupportNoise):
        support = np.ascontiguousarray(oracle.supports(problem), dtype=np.float64)
        return family.FINITE, none, support, np.cumsum(oracle.probabilities.astype(np.float64))
    return None


def _tridiagonal(problem: TridiagonalProblem, oracle: Any) -> KernelPlan | None:
    if not isinstance(oracle, Exact):
        return None
    from fltheory.kernels import _tridiagonal as family

    arrays = (problem.diagonals, problem.off_diagonals, problem.vectors)
    diagonal, off_diagonal, _ = problem.means
    return KernelPlan(
        family.gradients,
        family.local_sgd,
        tuple(np.ascontiguousarray(array) for array in arrays),
        (problem.dimension,),
        form=family.quadratic_forms,
        form_data=(np.ascontiguousarray(diagonal), np.ascontiguousarray(off_diagonal)),
    )


def _regression(problem: QuadraticProblem, oracle: MiniBatch) -> KernelPlan | None:
    samples = problem.samples
    if samples is None or not all(isinstance(client, RegressionSamples) for client in samples):
        return None
    from fltheory.kernels import _linear as family

    clients: Any = samples
    data = (
        np.concatenate([client.features for client in clients]),
        np.concatenate([client.targets for client in clients]),
        _starts(problem.sample_sizes),
        family.SQUARES,
        np.array([float(client.scale) for client in clients]),
        np.array([float(client.modulus) for client in clients]),
        oracle.size,
        oracle.replacement,
    )
    return KernelPlan(family.gradients, family.local_sgd, data, (problem.dimension,), **_form(problem))


def _logistic(problem: LogisticProblem, oracle: Any) -> KernelPlan | None:
    if not isinstance(oracle, (Exact, MiniBatch)):
        return None
    from fltheory.kernels import _linear as family

    n, modulus = problem.n_clients, float(problem.regulariser.modulus)
    features, targets = np.concatenate(problem.features), np.concatenate(problem.labels).astype(np.float64)
    starts = _starts(problem.sample_sizes)
    data = (features, targets, starts, family.LOGISTIC, np.ones(n), np.full(n, modulus), *_batch(oracle))
    return KernelPlan(
        family.gradients,
        family.local_sgd,
        data,
        (problem.dimension,),
        values_kernel=family.logistic_values,
        values_data=(features, targets, starts, np.ascontiguousarray(problem.weights), modulus),
    )


def _softmax(problem: SoftmaxProblem, oracle: Any) -> KernelPlan | None:
    if not isinstance(oracle, (Exact, MiniBatch)):
        return None
    from fltheory.kernels import _softmax as family

    rows = [problem.inputs(k) for k in range(problem.n_clients)]
    inputs = int(rows[0].shape[1])
    features = np.zeros((sum(map(len, rows)), -(-inputs // 4) * 4))
    features[:, :inputs] = np.concatenate(rows)
    labels, starts = np.concatenate(problem.labels).astype(np.int64), _starts(problem.sample_sizes)
    modulus = float(problem.regulariser.modulus)
    return KernelPlan(
        family.gradients,
        family.local_sgd,
        (features, labels, starts, inputs, modulus, *_batch(oracle)),
        (problem.n_classes, inputs),
        values_kernel=family.values,
        values_data=(features, labels, starts, inputs, np.ascontiguousarray(problem.weights), modulus),
    )


def _columns(matrices: Array) -> Array:
    """``columns[..., j, i] = matrices[..., i, j]``, contiguous."""
    return np.ascontiguousarray(matrices.swapaxes(-1, -2), dtype=np.float64)


def _starts(sizes: Array) -> npt.NDArray[np.int64]:
    return np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)


def _batch(oracle: Any) -> tuple[int, bool]:
    return (oracle.size, oracle.replacement) if isinstance(oracle, MiniBatch) else (0, False)
