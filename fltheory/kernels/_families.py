"""What the interpreter asks of a family of kernels: local steps and gradients of slots that lie one after another.

A family is a named tuple of the data of its kernels; its type chooses the compiled code.  A further family is a class and a
branch in each of the two functions below.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any, NamedTuple

import numpy as np

from fltheory.kernels import _linear, _perceptron, _powers, _quadratic, _softmax, _tridiagonal


class NobodyRows(NamedTuple):
    """No loss at all."""

    data: Any


class SoftmaxRows(NamedTuple):
    """Softmax regression: ``(features, labels, starts, inputs, classes, modulus, size, replacement)``."""

    data: Any


class LinearRows(NamedTuple):
    """Ridge and logistic regression."""

    data: Any


class QuadraticRows(NamedTuple):
    """Dense quadratics, step by step."""

    data: Any


class MappedRows(NamedTuple):
    """Exact dense quadratics, all equal steps of a round at once: maps of the given rates and counts of steps."""

    data: Any
    rates: Any
    counts: Any
    maps: Any
    sums: Any
    offsets: Any


class TridiagonalRows(NamedTuple):
    """Tridiagonal quadratics."""

    data: Any


class PerceptronRows(NamedTuple):
    """A small network."""

    data: Any


def _nobody_local(
    family: Any, x: Any, clients: Any, keys: Any, first: Any, rates: Any, shift: Any, scales: Any, runs: Any
) -> None:
    return None


def _nobody_slopes(family: Any, out: Any, x: Any, clients: Any, keys: Any, step: Any, scales: Any, runs: Any) -> None:
    return None


def _softmax_local(
    family: Any, x: Any, clients: Any, keys: Any, first: Any, rates: Any, shift: Any, scales: Any, runs: Any
) -> None:
    _softmax.packed(x, x, 1.0, clients, keys, first, rates, shift, scales, *family.data)


def _softmax_slopes(family: Any, out: Any, x: Any, clients: Any, keys: Any, step: Any, scales: Any, runs: Any) -> None:
    _softmax.packed(out, x, 0.0, clients, keys, step, np.full(1, -1.0), np.empty(0), scales, *family.data)


def _mapped_local(
    family: Any, x: Any, clients: Any, keys: Any, first: Any, rates: Any, shift: Any, scales: Any, runs: Any
) -> None:
    table = (family.rates, family.counts, family.maps, family.sums, family.offsets)
    _powers.local_maps(x, clients, keys, first, rates, shift, scales, runs, *table, *family.data)


def _pair(kernels: Any) -> tuple[Any, Any]:
    local_sgd, gradients = kernels.local_sgd, kernels.gradients

    def local(
        family: Any,
        x: Any,
        clients: Any,
        keys: Any,
        first: Any,
        rates: Any,
        shift: Any,
        scales: Any,
        runs: Any,
    ) -> None:
        slots = clients.shape[0] // runs
        d = x.shape[0] // clients.shape[0]
        points, members, own = x.reshape(runs, slots, d), clients.reshape(runs, slots), keys.reshape(runs, slots)
        if shift.shape[0] > 0:
            local_sgd(points, members, own, first, rates, shift.reshape(runs, slots, d), scales, *family.data)
        else:
            local_sgd(points, members, own, first, rates, np.empty((0, 0, d)), scales, *family.data)

    def slopes(family: Any, out: Any, x: Any, clients: Any, keys: Any, step: Any, scales: Any, runs: Any) -> None:
        slots = clients.shape[0] // runs
        d = x.shape[0] // clients.shape[0]
        members, own = clients.reshape(runs, slots), keys.reshape(runs, slots)
        gradients(out.reshape(runs, slots, d), x.reshape(runs, slots, d), members, own, step, scales, *family.data)

    return local, slopes


FAMILIES: dict[type, tuple[Any, Any]] = {
    NobodyRows: (_nobody_local, _nobody_slopes),
    SoftmaxRows: (_softmax_local, _softmax_slopes),
    LinearRows: _pair(_linear),
    QuadraticRows: _pair(_quadratic),
    MappedRows: (_mapped_local, _pair(_quadratic)[1]),
    TridiagonalRows: _pair(_tridiagonal),
    PerceptronRows: _pair(_perceptron),
}


def local_of(
    family: Any, x: Any, clients: Any, keys: Any, first: Any, rates: Any, shift: Any, scales: Any, runs: Any
) -> None:
    """In place: local steps of all slots; ``x`` and ``shift`` are flat, an empty shift is zero."""
    FAMILIES[type(family)][0](family, x, clients, keys, first, rates, shift, scales, runs)


def slopes_of(family: Any, out: Any, x: Any, clients: Any, keys: Any, step: Any, scales: Any, runs: Any) -> None:
    """``out <-`` one gradient per slot."""
    FAMILIES[type(family)][1](family, out, x, clients, keys, step, scales, runs)


def _typed_local(
    family: Any, x: Any, clients: Any, keys: Any, first: Any, rates: Any, shift: Any, scales: Any, runs: Any
) -> Any:
    return FAMILIES[family.instance_class][0]


def _typed_slopes(family: Any, out: Any, x: Any, clients: Any, keys: Any, step: Any, scales: Any, runs: Any) -> Any:
    return FAMILIES[family.instance_class][1]


_NUMBA = import_module("numba")
if not _NUMBA.config.DISABLE_JIT:
    _overload: Any = import_module("numba.extending").overload

    _overload(local_of)(_typed_local)
    _overload(slopes_of)(_typed_slopes)
