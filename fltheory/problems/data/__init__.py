"""Data sets and splits; every loader reads local files or installed packages only."""

from fltheory.problems.data.digits import load_digits, mnist_subset
from fltheory.problems.data.federated import FederatedData, LabelledData
from fltheory.problems.data.idx import load_fashion_mnist, load_idx, read_idx
from fltheory.problems.data.splits import power_law_sizes, split_by_class
from fltheory.problems.data.synthetic import synthetic

__all__ = [
    "FederatedData",
    "LabelledData",
    "load_digits",
    "load_fashion_mnist",
    "load_idx",
    "mnist_subset",
    "power_law_sizes",
    "read_idx",
    "split_by_class",
    "synthetic",
]
