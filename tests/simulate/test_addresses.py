"""The random streams that kernels are sent: each slot's own where gradients are noisy, none where they are exact."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import fltheory as fl
from fltheory import streams
from fltheory.kernels.plan import Slots
from fltheory.readings.draws import StreamDraws
from fltheory.simulate.federation import KernelFederation

PROBLEM = fl.li_counterexample(4, 2, 0.1)
RUN_IDS = np.array([3, 8])
SEED = 11


class Watched:
    """A plan that keeps what it is sent."""

    def __init__(self) -> None:
        self.sent: list[Slots] = []

    def gradients(self, points: Any, slots: Slots) -> Any:
        self.sent.append(slots)
        return np.zeros_like(points)


def sent(oracle: Any, participation: Any, rounds: list[int]) -> list[Slots]:
    plan: Any = Watched()
    fed = KernelFederation(PROBLEM, participation, StreamDraws(PROBLEM, oracle, SEED, RUN_IDS), plan)
    w = fed.vector(np.zeros(PROBLEM.dimension))
    for round in rounds:
        fed.begin(round)
        fed.gradient(fed.send(w))
    return plan.sent


@pytest.mark.parametrize("participation", [fl.Full(), fl.SchemeII(2)], ids=repr)
def test_noisy_gradients_are_drawn_from_the_stream_of_run_round_and_client(participation: Any) -> None:
    found = sent(fl.AdditiveNoise(0.5), participation, [0, 6])
    for round, slots in zip([0, 6], found, strict=True):
        assert slots.clients.shape == slots.keys.shape
        for place, run in enumerate(RUN_IDS):
            clients = slots.clients[place]
            expected = [int(streams.key(SEED, run, round, np.int64(client))) for client in clients]
            assert slots.keys[place].tolist() == expected
            assert len(set(expected)) == len(set(clients.tolist()))
    assert not set(found[0].keys.ravel().tolist()) & set(found[1].keys.ravel().tolist())


def test_exact_gradients_need_no_stream() -> None:
    (slots,) = sent(fl.Exact(), fl.Full(), [0])
    assert slots.clients.tolist() == [[0, 1, 2, 3]] * 2
    assert slots.keys.dtype == np.uint64 and not slots.keys.any() and slots.keys.shape == (2, 4)
