"""Local steps on a device: one launch for all steps of all slots of all runs."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from fltheory.gpu.device import SHARED_BYTES, Device, DeviceArray
from fltheory.kinds import Floats

#: Threads of a block; no result depends on it but the last digits of recorded values.
THREADS = 128


@dataclass(frozen=True, eq=False)
class DeviceSlots:
    """Who computes, on the device: ``clients`` and ``occurrence`` ``(runs, slots)``, the keys of (seed, run) ``(runs,)``, the
    clients' scales ``(N,)``; the round, the key of the first client and the number of the first draw as numbers."""

    clients: DeviceArray
    occurrence: DeviceArray
    roots: DeviceArray
    scales: DeviceArray
    round: int
    first_client: int
    first: int = 0
    is_population: bool = False

    def drawing(self, first: int) -> DeviceSlots:
        """The same with another first draw."""
        return replace(self, first=first)


@dataclass(frozen=True, eq=False)
class DevicePlan:
    """A family's kernel of local steps with the data of one problem and one oracle.  Points are ``(runs, slots, d)``.

    ``room`` counts the numbers of scratch that a block needs; ``factor`` multiplies all gradients.
    """

    device: Device
    kernel: str
    data: dict[str, Any]
    room: int
    factor: float = 1.0
    _work: dict[int, DeviceArray] = field(default_factory=dict)

    def gradients(self, x: DeviceArray, slots: DeviceSlots) -> DeviceArray:
        """One stochastic gradient per slot, scaled: a step of length -1 from nowhere."""
        return self.steps(x, slots, np.full(1, -1.0), None, keep=0.0)

    def local_sgd(self, x: DeviceArray, slots: DeviceSlots, rates: Floats, shift: DeviceArray | None) -> DeviceArray:
        """``x`` after the steps ``x <- x - rates[i] (g(x) + shift)``; ``x`` itself is left alone."""
        return self.steps(x, slots, rates, shift)

    def steps(
        self, x: DeviceArray, slots: DeviceSlots, rates: Floats, shift: DeviceArray | None, *, keep: float = 1.0
    ) -> DeviceArray:
        """``x`` after ``x <- keep x - rates[i] (g(x) + shift)``, draws numbered from ``slots.first``."""
        device = self.device
        out = device.xp.empty(x.shape)
        blocks = int(x.shape[0]) * int(x.shape[1])
        shared = 8 * self.room
        work, room = out, 0
        if shared > SHARED_BYTES:
            work, room, shared = self._scratch(blocks), self.room, 0
        device.launch(
            self.kernel,
            blocks,
            THREADS,
            shared,
            out=out,
            **device.points("x", x),
            **device.points("shift", x if shift is None else shift),
            shifted=shift is not None,
            rates=device.constant(rates),
            steps=len(rates),
            keep=keep,
            clients=slots.clients,
            scales=slots.scales,
            roots=slots.roots,
            occurrence=slots.occurrence,
            round=slots.round,
            first_client=slots.first_client,
            first=slots.first,
            slots=int(x.shape[1]),
            work=work,
            room=room,
            **self.data,
        )
        return out

    def _scratch(self, blocks: int) -> DeviceArray:
        """Scratch for blocks whose own memory is too small; the device reads it through its caches."""
        if blocks not in self._work:
            self._work.clear()
            self._work[blocks] = self.device.xp.empty(blocks * self.room)
        return self._work[blocks]
