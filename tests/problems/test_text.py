"""Generated languages and the problems made of them."""

from __future__ import annotations

import numpy as np
import pytest

import fltheory as fl
from fltheory.problems.data.text import Languages, TextModel, encoded, examples, generated_text, text_of_files

SMALL = dict(users=4, length=42, server=82, held_out=(2, 32), held_out_server=52, symbols=9, own=2)


def test_a_writer_depends_on_the_seed_and_the_writers_number_only() -> None:
    languages = Languages.generated(1, symbols=9, own=2)
    few, many = (languages.texts("users", n, 30, seed=5, manner=0.3) for n in (2, 6))
    np.testing.assert_array_equal(few, many[:2])
    assert (languages.texts("users", 2, 30, seed=6, manner=0.3) != few).any()


def test_transitions_have_the_softmax_of_the_scores() -> None:
    languages = Languages.generated(3, symbols=4, own=1)
    text = languages.texts("server", 1, 60_000, seed=2)[0]
    after = text[2:][(text[:-2] == 2) & (text[1:-1] == 0)]
    scores = languages.scores[1, 2, 0]
    wanted = np.exp(scores - scores.max())
    wanted /= wanted.sum()
    found = np.bincount(after, minlength=4) / len(after)
    assert np.abs(found - wanted).max() < 5 / np.sqrt(len(after))


def test_each_language_has_symbols_that_the_other_rarely_writes() -> None:
    languages = Languages.generated(1, symbols=12, own=3, foreign=1e6)
    users, server = (languages.texts(source, 3, 2000, seed=4) for source in ("users", "server"))
    assert not np.isin(users, [9, 10, 11]).any() and np.isin(users, [6, 7, 8]).any()
    assert not np.isin(server, [6, 7, 8]).any() and np.isin(server, [9, 10, 11]).any()
    rules = languages.scores[:, :, :, :6]
    np.testing.assert_array_equal(rules[0], rules[1])


def test_examples_are_pairs_of_symbols_and_the_next_one() -> None:
    inputs, labels = examples(np.array([2, 0, 1, 1]), 3)
    np.testing.assert_array_equal(labels, [1, 1])
    np.testing.assert_array_equal(inputs, [[1, 0, 0, 0, 0, 1], [0, 1, 0, 1, 0, 0]])


def test_sizes_and_weights_of_the_mixed_problem() -> None:
    data = generated_text(0, **SMALL)
    problem = data.mixed(0.73, 0.0)
    assert problem.n_clients == 4 and list(problem.sample_sizes) == [40] * 4
    assert problem.dimension == 9 * (2 * 9 + 1)
    w = np.random.default_rng(0).standard_normal(problem.dimension)
    pooled = data.pooled(0.0)
    assert int(pooled.sample_sizes[0]) == 4 * 40 + 80
    parts = problem.clients.problem.value(w), problem.centre.problem.value(w)
    assert problem.value(w) == pytest.approx(0.73 * parts[0] + 0.27 * parts[1], rel=1e-12)
    assert pooled.value(w) == pytest.approx((160 * parts[0] + 80 * parts[1]) / 240, rel=1e-12)


def test_large_batches_are_means_of_sample_gradients() -> None:
    data = generated_text(0, **SMALL)
    centre = data.mixed(0.5, 0.1).centre.problem
    assert isinstance(centre, TextModel)
    rng = np.random.default_rng(1)
    x, rows = rng.standard_normal((3, 1, centre.dimension)), rng.integers(80, size=(3, 1, 17))
    found = centre.batch_gradients(np.zeros((3, 1), dtype=int), x, rows)
    for run in range(3):
        one = centre.sample_gradients(0, x[run, 0], rows[run, 0]).mean(axis=0)
        np.testing.assert_allclose(found[run, 0], one, rtol=1e-12, atol=1e-14)


def test_kernels_and_arrays_agree_on_a_mixed_text() -> None:
    problem = generated_text(0, **SMALL).mixed(0.73, 1e-3)
    rule = fl.TwoWayGradientTransfer(3, 0.5, 0.5, participation=fl.SchemeII(2))
    runs = [
        fl.simulate(
            problem,
            rule,
            rounds=3,
            seed=1,
            oracle=fl.MiniBatch(4),
            centre_oracle=fl.MiniBatch(8, replacement=True),
            backend=backend,
            reference=False,
        )
        for backend in ("numba", "numpy")
    ]
    np.testing.assert_allclose(runs[0].final, runs[1].final, rtol=1e-9)


def test_real_texts() -> None:
    np.testing.assert_array_equal(encoded("Ab -- c!"), [0, 1, 26, 2, 26])
    data = text_of_files("abc def " * 40, "the end. " * 30, n_users=5, length=40, server_length=100)
    assert data.users.shape == (5, 40) and data.users_held_out.shape == (1, 40) and data.symbols == 27
    assert (
        len(text_of_files("abc def " * 40, "the end. " * 30, n_users=2, length=40, server_length=100).users_held_out)
        == 1
    )
    for short in ("the end. ", ""):
        with pytest.raises(ValueError, match="text for the server has"):
            text_of_files("abc def " * 40, short, n_users=5, length=40)


@pytest.mark.parametrize(
    ("options", "message"),
    [(dict(symbols=9, own=4), "symbols=9"), (dict(foreign=0.0), "foreign"), (dict(last=-1.0), "last")],
)
def test_refusals(options: dict[str, float], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Languages.generated(0, **options)


def test_too_short_a_text() -> None:
    with pytest.raises(ValueError, match="at least three"):
        examples(np.array([1, 2]), 3)
