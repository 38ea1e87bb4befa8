"""The recommendation problem: gradients against finite differences, losses against plain loops, data, refusals."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import fltheory as fl
from fltheory.problems import DualEncoder, MixedProblem, OnClients, Scaled, Spreadout, Timelines, load_movielens
from fltheory.problems.base import Array
from fltheory.problems.data.movies import MOVIELENS_FOLDER, catalogue_lengths, movie_catalogue
from fltheory.problems.spreadout import Shape

CATALOGUE = movie_catalogue(7, 24, seed=5, mean_length=6, least=4)
USERS = DualEncoder(CATALOGUE, 3, context=4)
SPREAD = Spreadout(USERS.shape, 0.2)
MIXED = MixedProblem(Scaled(USERS, 0.5), Scaled(SPREAD, 0.5))
W = USERS.shape.start(3, scale=1.0)


def slope(value, w: Array, direction: Array) -> Array:  # type: ignore[no-untyped-def]
    step = 1e-6
    return np.asarray((value(w + step * direction) - value(w - step * direction)) / (2 * step))


def cosine(a: Array, b: Array) -> float:
    length = np.sqrt((a @ a) * (b @ b))
    return float(a @ b / length) if length else 0.0  # a hidden layer may be off altogether


def by_hand(w: Array, user: int) -> list[float]:
    """Hinge losses of a user's examples in plain loops."""
    table, matrix, bias = w[:72].reshape(24, 3), w[72:81].reshape(3, 3), w[81:]
    seen, losses = CATALOGUE.items[user], []
    for place in range(1, len(seen)):
        history = np.mean([table[item] for item in seen[max(0, place - 4) : place]], axis=0)
        hidden = np.maximum(history @ matrix + bias, 0)
        losses.append(max(0.9 - cosine(hidden, table[seen[place]]), 0.0) ** 2)
    return losses


def test_losses_are_the_plain_loops() -> None:
    wanted = np.array([np.mean(by_hand(W, user)) for user in range(7)])
    np.testing.assert_allclose(USERS.client_values(W), wanted, rtol=1e-9)
    assert USERS.value(W) == pytest.approx(wanted.mean(), rel=1e-9)
    assert USERS.dimension == 24 * 3 + 9 + 3 and (wanted > 0).all()
    table = W[:72].reshape(24, 3)
    pairs = [cosine(table[i], table[j]) ** 2 for i in range(24) for j in range(24) if i != j]
    assert SPREAD.value(W) == pytest.approx(0.2 * np.sqrt(sum(pairs)), rel=1e-9)
    assert MIXED.value(W) == pytest.approx((wanted.mean() + SPREAD.value(W)) / 2)


def test_gradients_are_slopes() -> None:
    rng = np.random.default_rng(0)
    for _ in range(5):
        direction = rng.standard_normal(W.shape)
        w = W + 0.3 * rng.standard_normal(W.shape)
        for problem in (USERS, SPREAD, MIXED, OnClients(MIXED)):
            assert problem.gradient(w) @ direction == pytest.approx(
                slope(problem.value, w, direction), rel=1e-6, abs=1e-9
            )
            several = np.stack([w] * problem.n_clients)
            found = problem.client_gradients(several) @ direction
            np.testing.assert_allclose(found, slope(problem.client_values, w, direction), rtol=1e-6, atol=1e-8)


def test_batches_and_samples_agree() -> None:
    rng = np.random.default_rng(1)
    points = W + 0.1 * rng.standard_normal((2, 3, len(W)))
    clients, rows = np.array([[0, 4, 4], [6, 1, 2]]), rng.integers(0, 3, (2, 3, 2))
    for problem in (USERS, OnClients(MIXED)):
        means = problem.batch_gradients(clients, points, rows)
        for slot in np.ndindex(2, 3):
            single = problem.sample_gradients(int(clients[slot]), points[slot], rows[slot])
            np.testing.assert_allclose(means[slot], single.mean(axis=0), rtol=1e-12, atol=1e-15)
    whole = USERS.sample_gradients(2, W).mean(axis=0)
    np.testing.assert_allclose(whole, USERS.client_gradients(np.stack([W] * 7))[2], rtol=1e-10, atol=1e-15)


def test_gradients_of_single_examples_look_at_each_example_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """They are slopes of the examples' own losses, and every pair of a point and an example is one batch of one."""
    looked_up: list[tuple[int, int]] = []
    found = DualEncoder.items_of

    def items_of(problem: DualEncoder, clients: Array, rows: Array) -> tuple[Array, Array]:
        each = np.broadcast_to(np.asarray(clients)[..., None], rows.shape)
        looked_up.extend(zip(each.ravel().tolist(), rows.ravel().tolist(), strict=True))
        return found(problem, clients, rows)

    monkeypatch.setattr(DualEncoder, "items_of", items_of)
    direction = np.random.default_rng(3).standard_normal(W.shape)
    gradients = USERS.sample_gradients(4, np.stack([W, 1.5 * W]), np.array([2, 0]))
    assert gradients.shape == (2, 2, len(W)) and looked_up == [(4, 2), (4, 0)] * 2
    wanted = [slope(lambda w: np.array(by_hand(w, 4))[[2, 0]], w, direction) for w in (W, 1.5 * W)]
    np.testing.assert_allclose(gradients @ direction, wanted, rtol=1e-6, atol=1e-8)


def test_leading_axes() -> None:
    several = np.stack([W, 2 * W, W - 1])[None]
    for problem in (USERS, SPREAD, MIXED):
        assert problem.value(several).shape == (1, 3)
        np.testing.assert_allclose(problem.gradient(several)[0, 2], problem.gradient(W - 1), rtol=1e-12)


def test_spreadout_sees_directions_of_the_table_only() -> None:
    assert np.abs(SPREAD.gradient(W)[72:]).max() == 0
    scaled = np.concatenate([W[:72] * np.repeat(np.linspace(1, 3, 24), 3), W[72:]])
    assert SPREAD.value(scaled) == pytest.approx(SPREAD.value(W), rel=1e-9)
    orthogonal = Spreadout(Shape(2, 2), 1.0)
    at = np.array([1.0, 0.0, 0.0, 3.0] + [0.0] * 6)
    assert orthogonal.value(at) == pytest.approx(0, abs=1e-6) and np.isfinite(orthogonal.gradient(at)).all()


def test_rows_that_a_client_does_not_touch_move_by_the_transferred_gradient_alone() -> None:
    """Why it suffices to send a client the rows of its own examples: the server can make the rest of its change itself."""
    algorithm = fl.OneWayGradientTransfer(3, 0.1, participation=fl.SchemeII(1))
    central = MIXED.centre_gradient(W)
    run = fl.simulate(MIXED, algorithm, rounds=1, oracle=fl.MiniBatch(2), start=W, seed=4, reference=False)
    change = run.final[0] - W
    still = np.isclose(change, -0.3 * central, rtol=1e-12, atol=1e-15)[:72].reshape(24, 3).all(axis=1)
    assert any(set(np.flatnonzero(~still)) <= set(seen) for seen in CATALOGUE.items) and 0 < (~still).sum() < 24


def test_the_baseline_minimises_the_same_sum() -> None:
    baseline = OnClients(MIXED)
    assert baseline.value(W) == pytest.approx(MIXED.value(W))
    one = fl.simulate(baseline, fl.FedAvg(1, 0.1), rounds=2, start=W, reference=False).final
    two = fl.simulate(MIXED, fl.OneWayGradientTransfer(1, 0.1), rounds=2, start=W, reference=False).final
    np.testing.assert_allclose(one, two, rtol=1e-10)


def test_scores_rank_the_next_item() -> None:
    scores, wanted = USERS.scores(W)
    assert scores.shape == (int(USERS.sample_sizes.sum()), 24)
    losses = np.maximum(0.9 - scores[np.arange(len(wanted)), wanted], 0) ** 2
    np.testing.assert_allclose(losses, [loss for user in range(7) for loss in by_hand(W, user)], rtol=1e-8)


def test_generated_users() -> None:
    users = movie_catalogue(50, 100, seed=1, mean_length=30)
    assert all(len(set(seen)) == len(seen) and 20 <= len(seen) <= 50 for seen in users.items)
    again, other = (movie_catalogue(50, 100, seed=s, mean_length=30) for s in (1, 2))
    assert all((a == b).all() for a, b in zip(users.items, again.items, strict=True))
    assert any(len(a) != len(b) or (a != b).any() for a, b in zip(users.items, other.items, strict=True))
    parts = users.split(3)
    assert [part.n_users for part in parts] == [10, 32, 4, 4]


def test_taste_divides_the_users() -> None:
    """In one dimension there are two kinds of items; users of different kinds have none of their first ones in common."""
    shares = []
    for taste in (0.0, 20.0):
        users = movie_catalogue(40, 100, seed=1, mean_length=30, genres=1, taste=taste, popularity=0.0)
        firsts = [set(seen[:20].tolist()) for seen in users.items]
        shares.append(np.mean([not (one & other) for i, one in enumerate(firsts) for other in firsts[:i]]))
    assert shares[0] < 0.1 and 0.4 < shares[1] < 0.6


def test_lengths_are_those_of_the_catalogue() -> None:
    made = movie_catalogue(30, 60, seed=2, mean_length=12, spread=0.9, least=5, genres=3, popularity=0.4, taste=2.0)
    lengths = catalogue_lengths(30, 60, seed=2, mean_length=12, spread=0.9, least=5, genres=3)
    assert lengths.tolist() == [len(seen) for seen in made.items] and len(set(lengths)) > 5


def test_movielens_from_a_local_copy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file made up here in the form of u.data."""
    lines = ["7\t50\t5\t30", "7\t10\t1\t20", "3\t10\t4\t5", "7\t99\t3\t20", "3\t99\t2\t4"]
    (tmp_path / "u.data").write_text("\n".join(lines) + "\n")
    monkeypatch.setenv(MOVIELENS_FOLDER, str(tmp_path))
    for found in (load_movielens(), load_movielens(tmp_path / "u.data")):
        assert found.n_items == 3 and [seen.tolist() for seen in found.items] == [[2, 0], [0, 2, 1]]
    for bad in ("1,2,3,4\n", "1 2 3 4\n# 5 6 7 8\n", "1 2 3.5 4\n", "1 2 3 4\n1 2 3\n"):
        (tmp_path / "u.data").write_text(bad)
        with pytest.raises(ValueError, match="whole numbers"):
            load_movielens()
    for short in ("1 2 3\n", "", " \n"):
        (tmp_path / "u.data").write_text(short)
        with pytest.raises(ValueError, match="expected rows of user, movie, rating and time"):
            load_movielens()
    (tmp_path / "u.data").unlink()
    with pytest.raises(FileNotFoundError, match=r"u\.data|no file"):
        load_movielens()
    monkeypatch.delenv(MOVIELENS_FOLDER)
    with pytest.raises(FileNotFoundError, match=MOVIELENS_FOLDER):
        load_movielens()


def test_refused() -> None:
    lonely = Timelines((np.array([1]),), 3)
    for wrong, words in (
        (lambda: DualEncoder(lonely, 2), "two items of each user"),
        (lambda: DualEncoder(CATALOGUE, 2, margin=1.5), "margin=1.5"),
        (lambda: Spreadout(USERS.shape, 0.0), "strength=0"),
        (lambda: Timelines((np.array([3]),), 3), "user 0"),
        (lambda: movie_catalogue(3, 10, seed=0), "least=20"),
    ):
        with pytest.raises(ValueError, match=words):
            wrong()
