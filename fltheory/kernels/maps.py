"""Exact local steps of quadratics as one affine map per client, set up once by repeated squaring.

A round then costs one product per client of the cohort, however many steps it has.
"""

from __future__ import annotations

from threading import Lock

import numpy as np

from fltheory.kernels.plan import KernelPlan, Slots, owned
from fltheory.kinds import Array


class MappedPlan:
    """A :class:`KernelPlan` of exact dense quadratics that answers whole rounds of equal steps by maps."""

    def __init__(self, plan: KernelPlan, dimension: int) -> None:
        self._plan = plan
        self._dimension = dimension
        self._maps: dict[tuple[float, int, bytes], tuple[Array, ...] | None] = {}
        self._lock = Lock()

    def gradients(self, x: Array, slots: Slots) -> Array:
        return self._plan.gradients(x, slots)

    def values(self, w: Array) -> Array | None:
        return self._plan.values(w)

    def excess(self, w: Array, minimiser: Array) -> Array | None:
        return self._plan.excess(w, minimiser)

    def local_sgd(self, x: Array, slots: Slots, rates: Array, shift: Array | None) -> Array:
        if len(rates) < 2 or np.any(rates != rates[0]):
            return self._plan.local_sgd(x, slots, rates, shift)
        from fltheory.kernels import _quadratic as family

        prepared = self._prepared(float(rates[0]), len(rates), slots.scales)
        if prepared is None:
            return self._plan.local_sgd(x, slots, rates, shift)
        out = np.empty(x.shape)
        extra = np.empty((0, 0, 0)) if shift is None else owned(shift)
        with np.errstate(over="ignore", invalid="ignore"):
            family.apply_maps(out, owned(x), slots.clients, extra, *prepared)
        return out

    def _prepared(self, rate: float, steps: int, scales: Array) -> tuple[Array, ...] | None:
        """Maps, sums and offsets of all clients; the first caller computes them, the others wait.

        ``None`` where powers of too long steps overflow: step by step, a point without gradient stays where it is.
        """
        from fltheory.kernels import _quadratic as family

        key = (rate, steps, scales.tobytes())
        with self._lock:
            if key not in self._maps:
                columns, vectors = self._plan.data[:2]
                n, d = vectors.shape
                maps, sums, offsets = np.empty((n, d, d)), np.empty((n, d, d)), np.empty((n, d))
                with np.errstate(over="ignore", invalid="ignore"):
                    family.power_maps(maps, sums, offsets, columns, vectors, scales, rate, steps)
                parts = (maps, sums, offsets)
                self._maps[key] = parts if all(np.isfinite(part).all() for part in parts) else None
            return self._maps[key]
