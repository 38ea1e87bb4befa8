"""Compiled batches are those of plain NumPy, integer for integer, and only "numpy" does without them."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fltheory as fl
from fltheory.problems.network import NetworkProblem
from fltheory.problems.oracles import MiniBatch
from fltheory.readings.draws import StreamDraws
from fltheory.simulate import simulate
from fltheory.simulate.backends import choose_draws
from fltheory.simulate.draws import CompiledDraws


def both(
    sizes: list[int], oracle: MiniBatch, seed: int, run_ids: np.ndarray, first: int
) -> tuple[StreamDraws, StreamDraws]:
    problem = SimpleNamespace(sample_sizes=np.array(sizes))
    plain, compiled = (
        kind(problem, oracle, seed, run_ids, first_client=first) for kind in (StreamDraws, CompiledDraws)
    )
    return plain, compiled


@settings(max_examples=80)
@given(
    st.integers(0, 2**64 - 1),
    st.integers(-1, 10**6),
    st.integers(0, 500),
    st.integers(1, 9),
    st.booleans(),
    st.sampled_from([0, 2**32 - 2]),
    st.data(),
)
def test_twins(seed: int, round: int, step: int, size: int, replacement: bool, first: int, data: st.DataObject) -> None:
    sizes = data.draw(st.lists(st.integers(size, 40), min_size=1, max_size=6))
    runs, slots = data.draw(st.integers(1, 3)), data.draw(st.integers(1, 5))
    rng = np.random.default_rng(seed % 2**32)
    clients = rng.integers(len(sizes), size=(runs, slots))
    occurrence = rng.integers(3, size=(runs, slots))
    run_ids = rng.integers(10**6, size=runs)
    plain, compiled = both(sizes, MiniBatch(size, replacement=replacement), seed, run_ids, first)
    expected, found = (draws.rows(round, step, clients, occurrence) for draws in (plain, compiled))
    assert found.dtype == np.int64 and found.shape == (runs, slots, size)
    np.testing.assert_array_equal(found, expected)
    # The same once more from a view that is neither contiguous nor writable.
    view = np.broadcast_to(clients[:, :1], clients.shape)
    np.testing.assert_array_equal(*(draws.rows(round, step, view, occurrence) for draws in (plain, compiled)))


def test_other_addresses_give_other_batches() -> None:
    _, draws = both([1000, 1000], MiniBatch(5), 1, np.arange(1), 0)
    clients, once = np.zeros((1, 1), dtype=int), np.zeros((1, 1), dtype=int)
    found = [
        draws.rows(0, 0, clients, once),
        draws.rows(1, 0, clients, once),
        draws.rows(0, 1, clients, once),
        draws.rows(0, 0, clients + 1, once),
        draws.rows(0, 0, clients, once + 1),
    ]
    assert len({tuple(rows.ravel()) for rows in found}) == len(found)


def test_a_batch_larger_than_the_client_is_refused_by_both() -> None:
    one = np.zeros((1, 1), dtype=int)
    for draws in both([3], MiniBatch(4), 0, np.arange(1), 0):
        with pytest.raises(ValueError, match="cannot choose 4 distinct indices out of 3"):
            draws.rows(0, 0, one, one)


def test_a_run_without_kernels_has_the_same_bits() -> None:
    """Kernels know types, not their subclasses: only the batches are compiled."""

    class Other(NetworkProblem):
        pass

    rng = np.random.default_rng(5)
    features = tuple(rng.normal(size=(n, 3)) for n in (7, 9, 12))
    labels = tuple(np.where(rng.random(len(x)) < 0.5, 1, -1) for x in features)
    problem = Other(features, labels, fl.Regulariser(0.0, "lambda|w|^2"), hidden=4)
    rounds = dict(rounds=4, runs=3, oracle=MiniBatch(5), start=rng.normal(size=problem.dimension), reference=False)
    auto, numpy = (simulate(problem, fl.FedAvg(3, 0.1, fl.SchemeI(3)), backend=b, **rounds) for b in ("auto", "numpy"))
    np.testing.assert_array_equal(auto.final, numpy.final)
    assert np.ptp(auto.final, axis=0).max() > 0
    assert choose_draws("numpy") is StreamDraws and choose_draws("auto") is CompiledDraws


def test_another_objective_is_recorded_and_said() -> None:
    problem = fl.li_counterexample(4, 3)
    run = simulate(problem, fl.FedAvg(2, 0.1), rounds=3, objective=np.linalg.norm, reference=False, keep_models=True)
    assert run.models is not None and run.gap is None and run.settings["objective"] == "norm"
    np.testing.assert_array_equal(run.objective[0], [np.linalg.norm(w) for w in run.models[0]])
    assert "objective" not in simulate(problem, fl.FedAvg(2, 0.1), rounds=1).settings
    with pytest.raises(ValueError, match="objective is given"):
        simulate(problem, fl.FedAvg(2, 0.1), rounds=1, objective=np.linalg.norm)


def test_a_run_diverges_under_another_objective_too() -> None:
    run = simulate(
        fl.li_counterexample(4, 3),
        fl.FedAvg(2, 50.0),
        rounds=40,
        start=np.ones(fl.li_counterexample(4, 3).dimension),
        objective=lambda w: 0.0,
        reference=False,
    )
    assert run.status[0].startswith("diverged") and np.isinf(run.objective[0, -1])
