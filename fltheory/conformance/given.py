"""What a run is given on a probe, by meaning: gradients, losses, data, counts, cohorts, parameters."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np

from fltheory.conformance.family import AlgorithmFamily
from fltheory.conformance.numbers import formed, quadratic, value
from fltheory.conformance.probes import LAYERS, Probe


class ClientFunctions:
    """``f(client, x)``, also ``f(x, client)`` and ``f(client, x, batch)``: which is the client is seen by its being a number."""

    def __init__(self, functions: list[Any]) -> None:
        self.functions = functions

    def __call__(self, *given: Any, **named: Any) -> Any:
        values = [*given, *named.values()]
        whole = [
            place
            for place, one in enumerate(values[:2])
            if isinstance(one, (int, np.integer)) and not isinstance(one, bool)
        ]
        if not whole or len(values) < 2:
            raise ValueError("the gradient wants a client (a whole number from 0) and a model: grad(client, x)")
        return self.functions[int(values[whole[0]])](values[1 - whole[0]])

    def __getitem__(self, client: int) -> Any:
        return self.functions[client]

    def __len__(self) -> int:
        return len(self.functions)


def gradients(probe: Probe) -> ClientFunctions:
    """The clients' gradients."""
    return ClientFunctions([quadratic(a, b) for a, b in zip(probe.matrices, probe.vectors, strict=True)])


class GivenProblem:
    """The probe for runs that take a problem: ``grad(client, x)``, ``central_grad(x)`` and the numbers of the clients."""

    def __init__(self, probe: Probe) -> None:
        self.grad = self.gradient = gradients(probe)
        self.central_grad = quadratic(*probe.central_parts)
        self.weights, self.counts, self.n_clients = probe.weights.copy(), list(probe.counts), probe.n_clients
        self.dimension, self.batches, self.epochs = LAYERS.dimension, list(probe.batches), probe.epochs

    def client_gradients(self, x: Any, clients: Any = None) -> Any:
        """Gradients at ``x`` ``(M, 4)``, one row for each of the clients."""
        chosen = range(self.n_clients) if clients is None else clients
        return np.array([self.grad(int(k), row) for k, row in zip(chosen, np.asarray(x), strict=True)])

    def centre_gradient(self, y: Any) -> Any:
        """The server's gradient."""
        return self.central_grad(np.asarray(y))


def batched(probe: Probe, client: int | None, tensor: Any = None) -> list[Any]:
    """The batches ``(X, y)`` of a client (or of the server), equal ones."""
    rows, targets = probe.central if client is None else probe.data[client]
    count = 1 if client is None else probe.batches[client]
    if tensor is None:
        return [(rows.copy(), targets.copy()) for _ in range(count)]
    return [(tensor(rows), tensor(targets[:, None])) for _ in range(count)]


class Loader(list[Any]):
    """A list of batches that knows its samples, as data loaders do."""

    def __init__(self, batches: list[Any]) -> None:
        super().__init__(batches)
        self.dataset = [None] * sum(len(targets) for _, targets in batches)
        self.batch_size = len(batches[0][1])


def torch_model(probe: Probe, dtype: Any) -> Any:
    """``torch.nn.Linear(3, 1)`` with the probe's start: for runs that train a model."""
    torch = import_module("torch")
    model = torch.nn.Linear(3, 1).to(dtype)
    with torch.no_grad():
        model.weight.copy_(torch.tensor(probe.start[:3])[None])
        model.bias.copy_(torch.tensor(probe.start[3:]))
    return model


def thing(meaning: str, probe: Probe, rounds: int, form: str, *, whole: AlgorithmFamily | None = None) -> Any:
    """What a meaning is on a probe; parameters of the algorithm are its values.

    ``whole`` is for runs that take the package's algorithm: they are given the package's problem as well.
    """
    if whole is not None and meaning == "algorithm":
        return whole.published(probe)
    if whole is not None and meaning == "problem":
        return probe.problem if whole.centre else probe.problem.clients
    steps = probe.local_steps
    simple: dict[str, Any] = {
        "grad": lambda: gradients(probe),
        "loss": lambda: ClientFunctions([value(a, b) for a, b in zip(probe.matrices, probe.vectors, strict=True)]),
        "problem": lambda: GivenProblem(probe),
        "probe": lambda: probe,
        "weights": lambda: probe.weights.copy(),
        "counts": lambda: list(probe.counts),
        "start": lambda: formed(probe.start, form),
        "rounds": lambda: rounds,
        "cohorts": lambda: [list(cohort) for cohort in probe.cohorts[:rounds]],
        "sampler": lambda: lambda *given: list(probe.cohorts[next((int(one) for one in given), 0)]),
        "n_clients": lambda: probe.n_clients,
        "epochs": lambda: probe.epochs,
        "batches": lambda: list(probe.batches),
        "batches_per_epoch": lambda: probe.batches[0],
        "local_steps": lambda: list(steps) if probe.unequal else steps[0],
        "schedule": lambda: lambda t: float(probe.values["step_size"]) / (1 + t / 10),
        "central_grad": lambda: quadratic(*probe.central_parts),
        "layers": lambda: [slice(0, 3), slice(3, 4)],
        "data": lambda: [(rows.copy(), targets.copy()) for rows, targets in probe.data],
        "central_data": lambda: (probe.central[0].copy(), probe.central[1].copy()),
        "seed": lambda: 0,
        "device": lambda: "cpu",
    }
    if meaning in simple:
        return simple[meaning]()
    if meaning in ("loaders", "central_loader", "model"):
        return _torch(meaning, probe)
    return probe.values[meaning]


def _torch(meaning: str, probe: Probe) -> Any:
    """A model or loaders of PyTorch, which is loaded only for a run that asks for one by name."""
    torch = import_module("torch")
    dtype = torch.get_default_dtype()
    if meaning == "model":
        return torch_model(probe, dtype)

    def tensor(array: Any) -> Any:
        return torch.tensor(array, dtype=dtype)

    if meaning == "central_loader":
        return Loader(batched(probe, None, tensor))
    return [Loader(batched(probe, client, tensor)) for client in range(probe.n_clients)]
