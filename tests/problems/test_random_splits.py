"""Random splits: partitions, moments, exhausted labels, and the Pachinko process run to its end over many seeds."""

from __future__ import annotations

import numpy as np
import pytest

from fltheory.problems.data.random_splits import (
    Exhausted,
    by_writer,
    dirichlet_over_clients,
    dirichlet_over_labels,
    log_normal_sizes,
    pachinko,
)

LABELS = np.repeat(np.arange(5), 40)
FINE = np.repeat(np.arange(12), 10)


def is_partition(parts: list[np.ndarray], count: int) -> bool:
    return sorted(np.concatenate(parts).tolist()) == list(range(count))


@pytest.mark.parametrize("seed", range(20))
def test_shares_over_clients_are_a_partition(seed: int) -> None:
    assert is_partition(dirichlet_over_clients(LABELS, 7, concentration=0.3, seed=seed), 200)


def test_shares_over_clients_have_the_moments_of_a_dirichlet_vector() -> None:
    """Share of one label: mean 1/N and variance (N - 1)/(N^2 (N alpha + 1))."""
    labels, n, alpha = np.repeat(np.arange(400), 1000), 4, 0.5
    parts = dirichlet_over_clients(labels, n, concentration=alpha, seed=3)
    shares = np.array([np.bincount(labels[part], minlength=400) / 1000 for part in parts])
    assert shares.mean(axis=1) == pytest.approx(np.full(n, 1 / n), abs=0.05)
    assert shares.var() == pytest.approx((n - 1) / (n**2 * (n * alpha + 1)), rel=0.1)


@pytest.mark.parametrize("seed", range(20))
def test_label_probabilities_of_clients_end_in_a_partition_with_the_rule(seed: int) -> None:
    parts = dirichlet_over_labels(LABELS, [50, 30, 60, 60], concentration=0.2, seed=seed)
    assert [len(part) for part in parts] == [50, 30, 60, 60] and is_partition(parts, 200)


def test_label_probabilities_of_clients_stop_without_the_rule() -> None:
    with pytest.raises(Exhausted):
        for seed in range(20):
            dirichlet_over_labels(LABELS, [100, 100], concentration=0.2, seed=seed, exhausted="stop")


def test_log_normal_sizes_have_their_sum_and_spread() -> None:
    assert log_normal_sizes(7, 100, deviation=0, seed=0).tolist() == [15, 15, 14, 14, 14, 14, 14]
    spread = []
    for deviation in (0.3, 0.8, 1.5):
        sizes = log_normal_sizes(2000, 10**6, deviation=deviation, seed=1)
        assert sizes.sum() == 10**6 and sizes.min() >= 1
        spread.append(sizes.var() / sizes.mean() ** 2)
    assert spread == sorted(spread)
    assert spread[1] == pytest.approx(np.exp(0.64) - 1, rel=0.15)


@pytest.mark.parametrize("seed", range(50))
def test_pachinko_ends_in_a_true_partition(seed: int) -> None:
    """All images are given away, so that every fine label is used up, exactly, and every client has as many."""
    parts = pachinko(FINE // 3, FINE, 12, 10, seed=seed)
    assert {len(part) for part in parts} == {10} and is_partition(parts, 120)


def test_pachinko_without_a_rule_for_coarse_labels_stops() -> None:
    stopped = 0
    for seed in range(20):
        try:
            pachinko(FINE // 3, FINE, 12, 10, seed=seed, coarse_exhausted="stop")
        except Exhausted:
            stopped += 1
    assert stopped == 20


def test_pachinko_keeps_few_coarse_labels_at_a_client() -> None:
    """Early clients draw by their own vectors: the expected sum of squared shares is about (a + 1)/(Ka + 1)."""
    fine = np.repeat(np.arange(100), 200)
    squares = []
    for seed in range(10):
        for part in pachinko(fine // 5, fine, 20, 100, seed=seed):
            squares.append(((np.bincount(fine[part] // 5, minlength=20) / 100) ** 2).sum())
    assert np.mean(squares) == pytest.approx(1.1 / 3, abs=0.05)


def test_the_same_seed_gives_the_same_split() -> None:
    one, two, other = (dirichlet_over_clients(LABELS, 3, concentration=1, seed=s) for s in (4, 4, 5))
    assert all((a == b).all() for a, b in zip(one, two, strict=True))
    assert any(len(a) != len(b) for a, b in zip(one, other, strict=True))


def test_writers() -> None:
    parts = by_writer(["b", "a", "b", "c", "a", "a"])
    assert [part.tolist() for part in parts] == [[0, 2], [1, 4, 5]]


@pytest.mark.parametrize(
    "broken",
    [
        lambda: pachinko(FINE // 3, FINE, 13, 10, seed=0),
        lambda: pachinko(FINE % 2, FINE // 2, 2, 10, seed=0),
        lambda: dirichlet_over_labels(LABELS, [300], concentration=1, seed=0),
        lambda: dirichlet_over_labels(LABELS, [3], concentration=1, seed=0, exhausted="guess"),
        lambda: dirichlet_over_clients(LABELS, 0, concentration=1, seed=0),
        lambda: dirichlet_over_clients(LABELS, 3, concentration=0, seed=0),
        lambda: log_normal_sizes(5, 4, deviation=1, seed=0),
        lambda: log_normal_sizes(5, 40, deviation=-1, seed=0),
        lambda: log_normal_sizes(5, 40, deviation=1, seed=-1),
    ],
)
def test_what_cannot_be_split_is_refused(broken: object) -> None:
    with pytest.raises(ValueError):
        broken()  # type: ignore[operator]
