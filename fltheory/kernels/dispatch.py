"""Which kernels serve a problem with an oracle.  Nothing here loads numba until a plan is made."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from fltheory.kernels.maps import MappedPlan
from fltheory.kernels.plan import AnyPlan, KernelPlan, PartPlan
from fltheory.kinds import Array, Integers
from fltheory.problems.checks import check_choice, check_count, check_shape
from fltheory.problems.logistic import LogisticProblem
from fltheory.problems.mixed import MixedProblem
from fltheory.problems.network import NetworkProblem
from fltheory.problems.oracles import AnyOracle, check_oracle, is_noisy
from fltheory.problems.oracles.protocol import KERNEL_BATCH, KERNEL_NOISE, UNSCALED
from fltheory.problems.perceptron import PerceptronProblem
from fltheory.problems.quadratic import QuadraticProblem
from fltheory.problems.samples import RegressionSamples
from fltheory.problems.scaled import Scaled
from fltheory.problems.softmax import SoftmaxProblem
from fltheory.problems.tridiagonal import TridiagonalProblem

#: Dimensions up to which the exact steps of a round are put into one map per client.
LARGEST_MAP = 128
#: Who asks an oracle.
READER = "kernels need"


def plan_for(problem: Any, oracle: AnyOracle, *, constant_steps: bool = False) -> AnyPlan | None:
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
        if not UNSCALED.offered_by(oracle):
            return None
        # Kernels multiply the whole gradient, noise included.
        before = UNSCALED.of(oracle, READER).unscaled(problem.factor)
        plan = plan_for(problem.problem, before, constant_steps=constant_steps)
        return None if plan is None else PartPlan(plan, problem.factor)
    makers: dict[type, Callable[[Any, AnyOracle], KernelPlan | None]] = {
        QuadraticProblem: _quadratic,
        TridiagonalProblem: _tridiagonal,
        SoftmaxProblem: _softmax,
        LogisticProblem: _logistic,
        PerceptronProblem: _perceptron,
        NetworkProblem: _network,
    }
    make = makers.get(type(problem))
    if make is None:
        return None
    check_oracle(problem, oracle)  # kernels trust their arguments
    plan = make(problem, oracle)
    if plan is None or type(problem) is not QuadraticProblem or is_noisy(oracle):
        return plan
    if constant_steps and problem.dimension <= LARGEST_MAP:
        return MappedPlan(plan, problem.dimension)
    return plan


def _quadratic(problem: QuadraticProblem, oracle: AnyOracle) -> KernelPlan | None:
    if not KERNEL_NOISE.offered_by(oracle):
        return _regression(problem, *_batch(problem, oracle)) if KERNEL_BATCH.offered_by(oracle) else None
    noise = _noise(problem, oracle)
    from fltheory.kernels import _quadratic as family

    columns = _columns(problem.matrices)
    data = (columns, np.ascontiguousarray(problem.vectors), *noise, _symmetric(columns))
    return KernelPlan(family.gradients, family.local_sgd, data, (problem.dimension,), **_form(problem))


def _form(problem: QuadraticProblem) -> dict[str, Any]:
    from fltheory.kernels import _quadratic as family

    return {"form": family.quadratic_forms, "form_data": (_columns(problem.mean_matrix),)}


def _noise(problem: QuadraticProblem, oracle: AnyOracle) -> tuple[Any, ...]:
    """Arguments ``(kind, roots as columns, support, edges)`` of the quadratic kernels, which trust them."""
    from fltheory.kernels import _quadratic as family

    found = KERNEL_NOISE.of(oracle, READER).kernel_noise(problem)
    kinds = {"exact": family.EXACT, "scalar": family.SCALAR, "gaussian": family.GAUSSIAN, "finite": family.FINITE}
    check_choice(f"kernel_noise().kind of {type(oracle).__name__}", found.kind, tuple(kinds))
    n, d, none = problem.n_clients, problem.dimension, np.zeros((1, 1, 1))
    roots = none if found.roots is None else _columns(found.roots)
    support = none if found.support is None else np.ascontiguousarray(found.support, dtype=np.float64)
    edges = np.ones(1) if found.edges is None else np.ascontiguousarray(found.edges, dtype=np.float64)
    if found.kind == "gaussian":
        check_shape(f"roots of {type(oracle).__name__}", roots, (n, d, d))
    elif found.kind == "finite":
        check_shape(f"support of {type(oracle).__name__}", support, (n, len(edges), d))
    elif found.kind == "scalar":
        check_shape(f"roots of {type(oracle).__name__}", roots, (1, 1, 1))
    return kinds[found.kind], roots, support, edges


def _tridiagonal(problem: TridiagonalProblem, oracle: AnyOracle) -> KernelPlan | None:
    if is_noisy(oracle):
        return None
    from fltheory.kernels import _tridiagonal as family

    arrays = (problem.diagonals, problem.off_diagonals, problem.vectors)
    diagonal, off_diagonal, _ = problem.means
    return KernelPlan(
        family.gradients,
        family.local_sgd,
        (family.tables_of(*arrays),),
        (problem.dimension,),
        form=family.quadratic_forms,
        form_data=(np.ascontiguousarray(diagonal), np.ascontiguousarray(off_diagonal)),
    )


def _regression(problem: QuadraticProblem, size: int, replacement: bool) -> KernelPlan | None:
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
        size,
        replacement,
    )
    return KernelPlan(family.gradients, family.local_sgd, data, (problem.dimension,), **_form(problem))


def _logistic(problem: LogisticProblem, oracle: AnyOracle) -> KernelPlan | None:
    if not KERNEL_BATCH.offered_by(oracle):
        return None
    from fltheory.kernels import _linear as family

    n, modulus = problem.n_clients, float(problem.regulariser.modulus)
    features, targets = np.concatenate(problem.features), np.concatenate(problem.labels).astype(np.float64)
    starts = _starts(problem.sample_sizes)
    data = (features, targets, starts, family.LOGISTIC, np.ones(n), np.full(n, modulus), *_batch(problem, oracle))
    return KernelPlan(
        family.gradients,
        family.local_sgd,
        data,
        (problem.dimension,),
        values_kernel=family.logistic_values,
        values_data=(features, targets, starts, np.ascontiguousarray(problem.weights), modulus),
    )


def _softmax(problem: SoftmaxProblem, oracle: AnyOracle) -> KernelPlan | None:
    if not KERNEL_BATCH.offered_by(oracle):
        return None
    from fltheory.kernels import _softmax as family

    rows = [problem.inputs(k) for k in range(problem.n_clients)]
    inputs, features = int(rows[0].shape[1]), _padded(np.concatenate(rows), 8)
    labels, starts = np.concatenate(problem.labels).astype(np.int64), _starts(problem.sample_sizes)
    modulus = float(problem.regulariser.modulus)
    return KernelPlan(
        family.gradients,
        family.local_sgd,
        (features, labels, starts, inputs, modulus, *_batch(problem, oracle)),
        (problem.n_classes, inputs),
        values_kernel=family.values,
        values_data=(features, labels, starts, inputs, np.ascontiguousarray(problem.weights), modulus),
    )


def _perceptron(problem: PerceptronProblem, oracle: AnyOracle) -> KernelPlan | None:
    return _layered(problem, problem.units, oracle)


def _network(problem: NetworkProblem, oracle: AnyOracle) -> KernelPlan | None:
    return _layered(problem, (int(problem.features[0].shape[1]), problem.hidden, 1), oracle)


def _layered(
    problem: PerceptronProblem | NetworkProblem, widths: tuple[int, ...], oracle: AnyOracle
) -> KernelPlan | None:
    if not KERNEL_BATCH.offered_by(oracle):
        return None
    from fltheory.kernels import _perceptron as family

    features, units = _padded(np.concatenate(problem.features), 8), np.array(widths, dtype=np.int64)
    labels, starts = np.concatenate(problem.labels).astype(np.int64), _starts(problem.sample_sizes)
    modulus = float(problem.regulariser.modulus)
    return KernelPlan(
        family.gradients,
        family.local_sgd,
        (features, labels, starts, units, modulus, *_batch(problem, oracle)),
        (problem.dimension,),
        values_kernel=family.values,
        values_data=(features, labels, starts, units, np.ascontiguousarray(problem.weights), modulus),
    )


def _padded(rows: Array, multiple: int = 4) -> Array:
    """Rows with zeros up to a multiple of so many numbers, which begins where a line of the cache begins."""
    width = -(-rows.shape[1] // multiple) * multiple
    raw = np.zeros(len(rows) * width + 8)
    begin = (-raw.ctypes.data // 8) % 8
    features = raw[begin : begin + len(rows) * width].reshape(len(rows), width)
    features[:, : rows.shape[1]] = rows
    return features


def _columns(matrices: Array) -> Array:
    """``columns[..., j, i] = matrices[..., i, j]``, contiguous; large ones begin where a line of the cache begins."""
    if matrices.size < 2**16:
        return np.ascontiguousarray(matrices.swapaxes(-1, -2), dtype=np.float64)
    raw = np.empty(matrices.size + 8)
    begin = (-raw.ctypes.data // 8) % 8
    columns = raw[begin : begin + matrices.size].reshape(matrices.shape)
    columns[...] = matrices.swapaxes(-1, -2)
    return columns


def _symmetric(columns: Array) -> bool:
    """Whether all matrices are, to the last bit: then half of them says all."""
    return all(np.array_equal(one, one.T) for one in columns)


def _starts(sizes: Array) -> Integers:
    return np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)


def _batch(problem: Any, oracle: AnyOracle) -> tuple[int, bool]:
    """Size and replacement of mini-batches that every client can fill, size 0 for all samples."""
    size, replacement = KERNEL_BATCH.of(oracle, READER).kernel_batch()
    size = check_count(f"size of {type(oracle).__name__}", size, least=0)
    least = int(np.min(problem.sample_sizes))
    if size > least and not replacement:
        raise ValueError(f"size={size} of {type(oracle).__name__} exceeds the {least} samples of a client")
    return size, bool(replacement)
