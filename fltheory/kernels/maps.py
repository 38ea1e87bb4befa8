"""Exact local steps of quadratics as one affine map per client, set up once by repeated squaring.

A round then costs one product per client of the cohort, however many steps it has.
"""

from __future__ import annotations

from dataclasses import replace
from threading import Lock

import numpy as np

from fltheory.kernels.plan import AnyPlan, KernelPlan, PartPlan, Slots, owned
from fltheory.kinds import Array

#: So many runs or more, with one client in a slot, share what is loaded of its map.
SHARED = 4
#: Numbers of the maps of several rates that are kept side by side; those of one rate are kept whatever their size.
TABLE_NUMBERS = 2**25
#: Maps of so many rates are kept one after another, more where they are small.
KEPT, KEPT_NUMBERS = 4, 2**27


class MappedPlan:
    """A :class:`KernelPlan` of exact dense quadratics that answers whole rounds of equal steps by maps."""

    def __init__(self, plan: KernelPlan, dimension: int) -> None:
        self._plan = plan
        self._dimension = dimension
        self._maps: dict[tuple[float, int, bytes], tuple[Array, ...] | None] = {}
        self._lock = Lock()

    @property
    def steps(self) -> KernelPlan:
        """The plan that goes step by step."""
        return self._plan

    @property
    def beside(self) -> int:
        """How many rates can have their maps side by side."""
        n, d = self._plan.data[1].shape
        return max(1, TABLE_NUMBERS // numbers_of_maps(n, d))

    def table(self, asked: set[tuple[float, int]], scales: Array) -> tuple[Array, ...] | None:
        """Rates and counts of steps, sorted, and their maps, sums and offsets of all clients; ``None`` for too many.

        Those whose powers overflow are not in it.
        """
        if len(asked) == 1:  # shared with whoever asks for the same
            rate, steps = next(iter(asked))
            prepared = self._prepared(rate, steps, scales)
            if prepared is not None:
                return np.array([rate]), np.array([steps]), *(part[None] for part in prepared)
            asked = set()
        if len(asked) > self.beside:
            return None
        keys = sorted(asked)
        n, d = self._plan.data[1].shape
        maps = np.zeros((len(keys), n, d, _lanes(d)))
        sums, offsets = np.zeros(maps.shape), np.empty((len(keys), n, d))
        fine = np.array([self._fill(*key, scales, *own) for key, *own in zip(keys, maps, sums, offsets, strict=True)])
        rates = np.array([rate for rate, _ in keys], dtype=np.float64)
        counts = np.array([steps for _, steps in keys], dtype=np.int64)
        whole = (rates, counts, maps, sums, offsets)
        return whole if fine.all() else tuple(part[fine] for part in whole)

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
        maps, sums, offsets = prepared
        if shift is None and len(x) >= SHARED and not np.any(slots.clients != slots.clients[:1]):
            from fltheory.kernels import _powers

            with np.errstate(over="ignore", invalid="ignore"):
                _powers.apply_shared(out, owned(x), slots.clients[0].copy(), maps, offsets)
            return out
        extra = np.empty((0, 0, 0)) if shift is None else owned(shift)
        with np.errstate(over="ignore", invalid="ignore"):
            family.apply_maps(out, owned(x), slots.clients, extra, maps, sums, offsets)
        return out

    def _prepared(self, rate: float, steps: int, scales: Array) -> tuple[Array, ...] | None:
        """Maps and sums ``(N, d, lanes)`` and offsets of all clients; the first caller computes them, the others wait.

        ``None`` where powers of too long steps overflow: step by step, a point without gradient stays where it is.
        """
        key = (rate, steps, scales.tobytes())
        with self._lock:
            if key not in self._maps:
                n, d = self._plan.data[1].shape
                while len(self._maps) >= max(KEPT, KEPT_NUMBERS // numbers_of_maps(n, d)):
                    del self._maps[next(iter(self._maps))]
                parts = np.zeros((n, d, _lanes(d))), np.zeros((n, d, _lanes(d))), np.empty((n, d))
                self._maps[key] = parts if self._fill(rate, steps, scales, *parts) else None
            return self._maps[key]

    def _fill(self, rate: float, steps: int, scales: Array, maps: Array, sums: Array, offsets: Array) -> bool:
        """Write the maps of all clients; whether they are finite."""
        from fltheory.kernels import _powers as family

        columns, vectors = self._plan.data[:2]
        with np.errstate(over="ignore", invalid="ignore"):
            family.power_maps(maps, sums, offsets, columns, vectors, scales, rate, steps)
        return all(bool(np.isfinite(part).all()) for part in (maps, sums, offsets))


def mapped_plan(plan: AnyPlan, dimension: int) -> AnyPlan:
    """The plan that puts a client's steps together into one map, whatever the dimension."""
    if isinstance(plan, PartPlan):
        return replace(plan, plan=mapped_plan(plan.plan, dimension))
    return MappedPlan(plan, dimension) if isinstance(plan, KernelPlan) else plan


def numbers_of_maps(clients: int, dimension: int) -> int:
    """Numbers of the maps, sums and offsets of all clients for one rate."""
    return int(clients * dimension * (2 * _lanes(dimension) + 1))


def _lanes(dimension: int) -> int:
    """Entries of a padded row."""
    return -(-dimension // 8) * 8
