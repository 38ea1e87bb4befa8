"""Models in the user's own form: a flat array, a list of layers, a dictionary of named layers; NumPy, PyTorch or JAX arrays.

No library is imported for this: what an array can do is asked of the array.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from fltheory.conformance.probes import LAYERS
from fltheory.kinds import Floats

#: Forms in which a run can be given the start.
FORMS = ("flat", "list", "dict")
_CUT = LAYERS.sizes[0]


def plain(array: Any) -> Any:
    """A NumPy array of any array: PyTorch tensors are detached and copied to the host."""
    for word in ("detach", "cpu"):
        if hasattr(array, word) and callable(getattr(array, word)):
            array = getattr(array, word)()
    return np.asarray(array)


def flat(model: Any) -> tuple[Floats, Any]:
    """The four numbers of a model in any form, and the type they had.

    Raises
    ------
    ValueError : another count of numbers, or no numbers.
    """
    parts = [plain(part) for part in _layers(model)]
    dtype = np.result_type(*parts) if parts else np.dtype(float)
    if dtype.kind not in "fiu":
        raise ValueError(f"a model of type {dtype} is no array of real numbers")
    found = np.concatenate([np.asarray(part, dtype=np.float64).ravel() for part in parts]) if parts else np.empty(0)
    if found.shape != (LAYERS.dimension,):
        raise ValueError(
            f"a model has {found.size} numbers; expected {LAYERS.dimension}, in the order and form of the start"
        )
    return found, dtype


def _layers(model: Any) -> list[Any]:
    """The layers of a model in the order of the probe's."""
    if hasattr(model, "state_dict"):
        model = model.state_dict()
    if isinstance(model, Mapping):
        if set(model) == set(LAYERS.names):
            return [model[name] for name in LAYERS.names]
        return list(model.values())
    if isinstance(model, (list, tuple)):
        return list(model)
    return [model]


def formed(values: Floats, form: str) -> Any:
    """A start in one of the :data:`FORMS`, as a copy."""
    parts = [values[:_CUT].copy(), values[_CUT:].copy()]
    if form == "list":
        return parts
    return dict(zip(LAYERS.names, parts, strict=True)) if form == "dict" else values.copy()


def quadratic(matrix: Floats, vector: Floats) -> Callable[[Any], Any]:
    """``x -> A x - b`` for models of any form and library; the answer has the form of ``x``."""

    def gradient(x: Any) -> Any:
        if isinstance(x, Mapping):
            found = gradient([x[name] for name in LAYERS.names] if set(x) == set(LAYERS.names) else list(x.values()))
            keys = LAYERS.names if set(x) == set(LAYERS.names) else tuple(x)
            return dict(zip(keys, found, strict=True))
        if isinstance(x, (list, tuple)) and any(np.ndim(part) > 0 for part in x):
            return _by_layers(matrix, vector, list(x))
        return _affine(matrix, vector, x)

    return gradient


def _affine(matrix: Floats, vector: Floats, x: Any) -> Any:
    if hasattr(x, "new_tensor"):
        return x.new_tensor(matrix) @ x - x.new_tensor(vector)
    if isinstance(x, (list, tuple)):
        x = np.asarray(x, dtype=float)
    if isinstance(x, np.ndarray):
        kind = x.dtype if x.dtype.kind == "f" else np.dtype(float)
        return matrix.astype(kind) @ x - vector.astype(kind)
    return matrix @ x - vector


def _by_layers(matrix: Floats, vector: Floats, parts: list[Any]) -> list[Any]:
    """The gradient of each layer, each in its own shape."""
    places = np.cumsum([0, *(int(np.prod(part.shape)) for part in parts)])
    spans = [slice(a, b) for a, b in zip(places[:-1], places[1:], strict=True)]
    found = []
    for rows, own in zip(spans, parts, strict=True):
        total: Any = 0
        for columns, part in zip(spans, parts, strict=True):
            block = matrix[rows, columns]
            if hasattr(part, "new_tensor"):
                total = total + part.new_tensor(block) @ part.reshape(-1)
            else:
                kind = getattr(part, "dtype", np.dtype(float))
                total = total + block.astype(kind if kind.kind == "f" else float) @ part.reshape(-1)
        shift = vector[rows]
        if hasattr(own, "new_tensor"):
            total = total - own.new_tensor(shift)
        else:
            total = total - shift.astype(getattr(total, "dtype", float))
        found.append(total.reshape(own.shape))
    return found


def value(matrix: Floats, vector: Floats) -> Callable[[Any], Any]:
    """``x -> x'Ax/2 - b'x`` for flat models of any library: for those who differentiate themselves."""

    def loss(x: Any) -> Any:
        if hasattr(x, "new_tensor"):
            return x @ (x.new_tensor(matrix) @ x) / 2 - x.new_tensor(vector) @ x
        return x @ (matrix @ x) / 2 - vector @ x

    return loss
