"""Which kernels serve a problem with an oracle on a device."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from fltheory.gpu.data import Arguments, banded, dense, logistic_rows, regression_rows, softmax_rows
from fltheory.gpu.device import Device
from fltheory.gpu.measures import Measure, form_of, objective_of
from fltheory.gpu.plans import DevicePlan
from fltheory.gpu.quadratic import MatrixPlan
from fltheory.kinds import Array
from fltheory.problems.checks import check_choice, check_count, check_shape
from fltheory.problems.logistic import LogisticProblem
from fltheory.problems.mixed import MixedProblem
from fltheory.problems.oracles import AnyOracle, check_oracle, is_noisy
from fltheory.problems.oracles.protocol import KERNEL_BATCH, KERNEL_NOISE, UNSCALED
from fltheory.problems.quadratic import QuadraticProblem
from fltheory.problems.samples import RegressionSamples
from fltheory.problems.scaled import Scaled
from fltheory.problems.softmax import SoftmaxProblem
from fltheory.problems.tridiagonal import TridiagonalProblem

#: As the kernels number them.
NOISES = {"exact": 0, "scalar": 1, "gaussian": 2, "finite": 3}
SQUARES, LOGISTIC = 0, 1
#: Rows of a batch that a block treats side by side, and parts of a dot product: ``TILE`` and ``LANES`` of the kernels.
TILE, LANES = 32, 8
#: Who asks an oracle.
READER = "kernels of a device need"


@dataclass(frozen=True, eq=False)
class OnDevice:
    """A problem on a device: local steps of its clients and of the server's own loss, ``F`` and, of quadratics, ``F - F*``.

    ``objective`` is ``None`` where the device cannot evaluate it; ``excess`` takes ``w - w*``.
    """

    device: Device
    clients: DevicePlan
    centre: DevicePlan | None
    objective: Measure | None
    excess: Measure | None


def on_device(
    device: Device, problem: Any, oracle: AnyOracle, centre_oracle: AnyOracle, *, constant_steps: bool
) -> OnDevice | None:
    """Everything about a float problem, or ``None`` where no family of kernels fits its clients or its centre.

    Raises
    ------
    ValueError : an oracle that does not fit the problem.
    """
    mixed = isinstance(problem, MixedProblem)
    clients = plan_for(device, problem.clients if mixed else problem, oracle, constant_steps=constant_steps)
    centre = plan_for(device, problem.centre, centre_oracle) if mixed else None
    if clients is None or (mixed and centre is None):
        return None
    return OnDevice(device, clients, centre, objective_of(device, problem), form_of(device, problem))


def plan_for(device: Device, problem: Any, oracle: AnyOracle, *, constant_steps: bool = False) -> DevicePlan | None:
    """Local steps of the clients of a problem, or ``None``.

    ``constant_steps`` says that every round takes the same steps: exact ones of dense quadratics then become products.
    """
    factor = 1.0
    while isinstance(problem, Scaled):
        if not UNSCALED.offered_by(oracle):
            return None
        # Kernels multiply the whole gradient, noise included.
        oracle = UNSCALED.of(oracle, READER).unscaled(problem.factor)
        factor, problem = factor * float(problem.factor), problem.problem
    make = _MAKERS.get(type(problem))
    if make is None:
        return None
    check_oracle(problem, oracle)  # kernels trust their arguments
    found = make(device, problem, oracle)
    if found is None:
        return None
    kernel, data, room = found
    products = constant_steps and kernel == "quadratic_steps" and not is_noisy(oracle)
    return (MatrixPlan if products else DevicePlan)(device, kernel, data, room, factor)


#: A kernel, its arguments, and the numbers of scratch that a block of it needs.
Made: TypeAlias = tuple[str, Arguments, int]


def _quadratic(device: Device, problem: QuadraticProblem, oracle: AnyOracle) -> Made | None:
    if not KERNEL_NOISE.offered_by(oracle):
        return _regression(device, problem, oracle) if KERNEL_BATCH.offered_by(oracle) else None
    noise, name = KERNEL_NOISE.of(oracle, READER).kernel_noise(problem), type(oracle).__name__
    check_choice(f"kernel_noise().kind of {name}", noise.kind, tuple(NOISES))
    n, d, none = problem.n_clients, problem.dimension, np.zeros((1, 1, 1))
    roots = none if noise.roots is None else np.asarray(noise.roots, dtype=np.float64).swapaxes(-1, -2)
    support = none if noise.support is None else np.asarray(noise.support, dtype=np.float64)
    edges = np.ones(1) if noise.edges is None else np.asarray(noise.edges, dtype=np.float64)
    if noise.kind in ("gaussian", "scalar"):
        check_shape(f"roots of {name}", roots, (n, d, d) if noise.kind == "gaussian" else (1, 1, 1))
    elif noise.kind == "finite":
        check_shape(f"support of {name}", support, (n, len(edges), d))
    arrays = {"noise_roots": roots, "support": support, "edges": edges}
    data = {key: device.xp.asarray(np.ascontiguousarray(array)) for key, array in arrays.items()}
    counts = {"kind": NOISES[noise.kind], "n_roots": len(roots), "n_support": len(support), "n_edges": len(edges)}
    return "quadratic_steps", {**dense(device, problem), **data, **counts}, 3 * d + 1


def _tridiagonal(device: Device, problem: TridiagonalProblem, oracle: AnyOracle) -> Made | None:
    return None if is_noisy(oracle) else ("tridiagonal_steps", banded(device, problem), 2 * problem.dimension)


def _regression(device: Device, problem: QuadraticProblem, oracle: AnyOracle) -> Made | None:
    samples: Any = problem.samples
    if samples is None or not all(isinstance(client, RegressionSamples) for client in samples):
        return None
    inner, moduli = (np.array([float(getattr(one, name)) for one in samples]) for name in ("scale", "modulus"))
    return _linear(device, problem, oracle, regression_rows(device, problem), (SQUARES, inner, moduli))


def _logistic(device: Device, problem: LogisticProblem, oracle: AnyOracle) -> Made | None:
    if not KERNEL_BATCH.offered_by(oracle):
        return None
    moduli = np.full(problem.n_clients, float(problem.regulariser.modulus))
    return _linear(device, problem, oracle, logistic_rows(device, problem), (LOGISTIC, np.ones_like(moduli), moduli))


def _linear(device: Device, problem: Any, oracle: AnyOracle, rows: Arguments, loss: tuple[int, Array, Array]) -> Made:
    batch = _batch(problem, oracle)
    link, inner, moduli = loss
    more = {"link": link, "inner": device.xp.asarray(inner), "moduli": device.xp.asarray(moduli)}
    return "linear_steps", {**rows, **more, **batch}, 2 * problem.dimension + TILE * (LANES + 1) + 2 * batch["size"]


def _softmax(device: Device, problem: SoftmaxProblem, oracle: AnyOracle) -> Made | None:
    if not KERNEL_BATCH.offered_by(oracle):
        return None
    batch = _batch(problem, oracle)
    data = {**softmax_rows(device, problem), "modulus": float(problem.regulariser.modulus), **batch}
    return "softmax_steps", data, 2 * problem.dimension + 2 * TILE * problem.n_classes + 2 * batch["size"]


def _batch(problem: Any, oracle: AnyOracle) -> Arguments:
    """Size and replacement of mini-batches that every client can fill, size 0 for all samples."""
    size, replacement = KERNEL_BATCH.of(oracle, READER).kernel_batch()
    size = check_count(f"size of {type(oracle).__name__}", size, least=0)
    least = int(np.min(problem.sample_sizes))
    if size > least and not replacement:
        raise ValueError(f"size={size} of {type(oracle).__name__} exceeds the {least} samples of a client")
    return {"size": size, "replacement": bool(replacement)}


_MAKERS: dict[type, Callable[[Device, Any, AnyOracle], Made | None]] = {
    QuadraticProblem: _quadratic,
    TridiagonalProblem: _tridiagonal,
    SoftmaxProblem: _softmax,
    LogisticProblem: _logistic,
}
