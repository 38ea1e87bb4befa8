"""The numbers of problems on a device, sent once and kept as long as the problem lives."""

from __future__ import annotations

from typing import Any

import numpy as np

from fltheory.gpu.device import Device
from fltheory.problems.logistic import LogisticProblem
from fltheory.problems.quadratic import QuadraticProblem
from fltheory.problems.softmax import SoftmaxProblem
from fltheory.problems.tridiagonal import TridiagonalProblem

#: Arguments of kernels by name.
Arguments = dict[str, Any]


def softmax_rows(device: Device, problem: SoftmaxProblem) -> Arguments:
    """Rows, labels and classes."""

    def make() -> Arguments:
        features = [problem.inputs(k) for k in range(problem.n_clients)]
        return {**_rows(device, features, problem.labels, np.int64, "labels"), "classes": problem.n_classes}

    return _kept(device, problem, "rows", make)


def logistic_rows(device: Device, problem: LogisticProblem) -> Arguments:
    """Rows and labels ``-1, 1`` as floats."""
    return _kept(
        device, problem, "rows", lambda: _rows(device, problem.features, problem.labels, np.float64, "targets")
    )


def regression_rows(device: Device, problem: QuadraticProblem) -> Arguments:
    """Rows and targets of a problem whose samples are those of least squares."""
    samples: Any = problem.samples

    def make() -> Arguments:
        features, targets = [one.features for one in samples], [one.targets for one in samples]
        return _rows(device, features, targets, np.float64, "targets")

    return _kept(device, problem, "rows", make)


def dense(device: Device, problem: QuadraticProblem) -> Arguments:
    """``columns[k, j]`` is column ``j`` of ``A_k``; and the ``b_k``."""

    def make() -> Arguments:
        columns = np.ascontiguousarray(problem.matrices.swapaxes(-1, -2))
        return {
            "columns": device.xp.asarray(columns),
            "vectors": device.xp.asarray(np.ascontiguousarray(problem.vectors)),
            "d": problem.dimension,
        }

    return _kept(device, problem, "quadratics", make)


def banded(device: Device, problem: TridiagonalProblem) -> Arguments:
    """Diagonals, off-diagonals and vectors; an off-diagonal of a single number has none, and is a zero here."""

    def make() -> Arguments:
        edges = problem.off_diagonals if problem.dimension > 1 else np.zeros((problem.n_clients, 1))
        arrays = {"diagonals": problem.diagonals, "off_diagonals": edges, "vectors": problem.vectors}
        sent = {name: device.xp.asarray(np.ascontiguousarray(array)) for name, array in arrays.items()}
        return {**sent, "d": problem.dimension}

    return _kept(device, problem, "bands", make)


def _kept(device: Device, problem: Any, name: str, make: Any) -> Arguments:
    found: Arguments = device.kept(problem, name, make)
    return found


def _rows(device: Device, features: Any, answers: Any, kind: Any, name: str) -> Arguments:
    """All clients' rows below one another; client ``k`` owns the rows ``starts[k] .. starts[k+1]-1``."""
    send = device.xp.asarray
    stacked = np.ascontiguousarray(np.concatenate(list(features)), dtype=np.float64)
    starts = np.concatenate([[0], np.cumsum([len(one) for one in features])]).astype(np.int64)
    return {
        "features": send(stacked),
        name: send(np.concatenate(list(answers)).astype(kind)),
        "starts": send(starts),
        "inputs": int(stacked.shape[1]),
    }
