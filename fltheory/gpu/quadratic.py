"""Exact steps of quadratics as matrix products: all local steps of a round are one affine map per client."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from fltheory.gpu.device import Device, DeviceArray
from fltheory.gpu.plans import THREADS, DevicePlan, DeviceSlots
from fltheory.kinds import Floats

#: Maps of more numbers than this (a gigabyte) are not formed: the steps are made one by one.
LARGEST_MAPS = 2**27


@dataclass(frozen=True, eq=False)
class MatrixPlan(DevicePlan):
    """Dense quadratics with exact gradients: ``E`` equal steps are ``x -> P_k x + q_k - S_k shift``, set up once by squaring.

    Where every client starts from the server's vector, a round of all runs is one product ``w (P_1' .. P_N')``.
    """

    _maps: dict[tuple[float, int], tuple[DeviceArray, ...] | None] = field(default_factory=dict)
    _beside: dict[tuple[float, int], DeviceArray] = field(default_factory=dict)

    def local_sgd(self, x: DeviceArray, slots: DeviceSlots, rates: Floats, shift: DeviceArray | None) -> DeviceArray:
        if len(rates) < 2 or bool(np.any(rates != rates[0])):
            return self.steps(x, slots, rates, shift)
        key = (float(rates[0]), len(rates))
        if key not in self._maps:
            self._maps[key] = self._powers(*key, slots.scales)
        maps = self._maps[key]
        if maps is None:
            return self.steps(x, slots, rates, shift)
        if slots.is_population and shift is None and x.strides[1] == 0:
            return self._product(x[:, 0], key, maps)
        return applied(self.device, x, slots, shift, *maps)

    def _product(self, w: DeviceArray, key: tuple[float, int], maps: tuple[DeviceArray, ...]) -> DeviceArray:
        columns, _, offsets = maps
        n, d = offsets.shape
        if key not in self._beside:
            self._beside[key] = self.device.xp.ascontiguousarray(columns.transpose(1, 0, 2).reshape(d, n * d))
        return self.device.xp.matmul(w, self._beside[key]).reshape(-1, n, d) + offsets

    def _powers(self, rate: float, steps: int, scales: DeviceArray) -> tuple[DeviceArray, ...] | None:
        """Columns of ``P = (I - rate scale A)^steps`` and ``S = rate sum_{i<steps} (I - rate scale A)^i``, and ``S scale b``.

        ``None`` where they are too many numbers, or powers of too long steps overflow.
        """
        xp, columns, vectors = self.device.xp, self.data["columns"], self.data["vectors"]
        if columns.size > LARGEST_MAPS:
            return None
        identity = xp.eye(int(vectors.shape[1]))
        one = identity - rate * scales[:, None, None] * columns
        power, total = one, rate * identity + 0.0 * one
        for bit in f"{steps:b}"[1:]:
            total = total + xp.matmul(power, total)
            power = xp.matmul(power, power)
            if bit == "1":
                total = xp.matmul(one, total) + rate * identity
                power = xp.matmul(one, power)
        offsets = scales[:, None] * xp.matmul(vectors[:, None, :], total)[:, 0]
        parts = (power, total, offsets)
        finite = all(bool(xp.isfinite(part).all()) for part in parts)
        return tuple(xp.ascontiguousarray(part) for part in parts) if finite else None


def applied(
    device: Device,
    x: DeviceArray,
    slots: DeviceSlots,
    shift: DeviceArray | None,
    maps: DeviceArray,
    sums: DeviceArray,
    offsets: DeviceArray,
) -> DeviceArray:
    """``P_k x + q_k - S_k shift`` for every slot, from the columns of ``P`` and ``S``."""
    out = device.xp.empty(x.shape)
    given: dict[str, Any] = {**device.points("x", x), **device.points("shift", x if shift is None else shift)}
    device.launch(
        "apply_maps",
        int(x.shape[0]) * int(x.shape[1]),
        THREADS,
        out=out,
        **given,
        shifted=shift is not None,
        clients=slots.clients,
        slots=int(x.shape[1]),
        maps=maps,
        sums=sums,
        offsets=offsets,
        d=int(x.shape[2]),
    )
    return out
