"""Values and gaps of models on a device."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np

from fltheory.gpu.data import Arguments, logistic_rows, softmax_rows
from fltheory.gpu.device import Device, DeviceArray
from fltheory.gpu.plans import THREADS
from fltheory.problems.logistic import LogisticProblem
from fltheory.problems.mixed import MixedProblem
from fltheory.problems.quadratic import QuadraticProblem
from fltheory.problems.scaled import Scaled
from fltheory.problems.softmax import SoftmaxProblem
from fltheory.problems.tridiagonal import TridiagonalProblem

#: Models ``(runs, d)`` to numbers ``(runs,)``, all on the device.
Measure: TypeAlias = Callable[[DeviceArray], DeviceArray]


def objective_of(device: Device, problem: Any) -> Measure | None:
    """``F`` on the device, or ``None`` where it has no kernel."""
    if isinstance(problem, MixedProblem):
        clients, centre = (objective_of(device, part) for part in (problem.clients, problem.centre))
        return None if clients is None or centre is None else lambda w: clients(w) + centre(w)
    if isinstance(problem, Scaled):
        inner, factor = objective_of(device, problem.problem), float(problem.factor)
        return None if inner is None else lambda w: factor * inner(w)
    form = form_of(device, problem)
    if form is not None:
        banded = isinstance(problem, TridiagonalProblem)
        vector = _sent(device, problem, "mean vector", lambda: problem.means[2] if banded else problem.mean_vector)
        offset = 0.0 if banded else float((problem.weights * problem.offsets).sum())
        return lambda w: form(w) - (w * vector).sum(axis=1) + offset
    if type(problem) is SoftmaxProblem:
        return _mean_loss(device, problem, "softmax_losses", softmax_rows(device, problem))
    if type(problem) is LogisticProblem:
        return _mean_loss(device, problem, "logistic_losses", logistic_rows(device, problem))
    return None


def form_of(device: Device, problem: Any) -> Measure | None:
    """``v -> v'F''v/2`` of a quadratic problem: ``F(w) - F*`` from ``v = w - w*``, without cancellation; else ``None``."""
    if type(problem) is QuadraticProblem:
        matrix = _sent(device, problem, "mean matrix", lambda: problem.mean_matrix)
        return lambda v: 0.5 * (v * device.xp.matmul(v, matrix)).sum(axis=1)
    if type(problem) is TridiagonalProblem:
        diagonal = _sent(device, problem, "mean diagonal", lambda: problem.means[0])
        edges = _sent(device, problem, "mean off-diagonal", lambda: problem.means[1])
        return lambda v: 0.5 * (v * v * diagonal).sum(axis=1) + (v[:, :-1] * v[:, 1:] * edges).sum(axis=1)
    return None


def _mean_loss(device: Device, problem: Any, kernel: str, data: Arguments) -> Measure:
    n, modulus = problem.n_clients, float(problem.regulariser.modulus)
    weights = _sent(device, problem, "weights", lambda: problem.weights)

    def value(w: DeviceArray) -> DeviceArray:
        runs = int(w.shape[0])
        losses, models = device.xp.empty((runs, n)), device.xp.ascontiguousarray(w)
        device.launch(kernel, runs * n, THREADS, 8 * THREADS, out=losses, w=models, n_clients=n, **data)
        return (losses * weights).sum(axis=1) + 0.5 * modulus * (w * w).sum(axis=1)

    return value


def _sent(device: Device, problem: Any, name: str, find: Callable[[], Any]) -> DeviceArray:
    return device.kept(problem, name, lambda: device.xp.asarray(np.ascontiguousarray(find())))
